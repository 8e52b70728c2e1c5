"""Changes of a rule set: inserts, updates and deletes, as its next version.

What is deleted or updated is hidden in the shard that has it; what is inserted or updated goes to the one shard of
changes, which is built anew each time. Both cost what has changed since the last build, not what there is. When that
has become a tenth of all, everything is built anew.
"""

from __future__ import annotations

import secrets
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from hedgerow.errors import (
    DuplicateId,
    FileError,
    HedgerowError,
    InvalidId,
    KindError,
    SchemaError,
    UnknownId,
    VersionConflict,
)
from hedgerow.index.api import Index
from hedgerow.index.report import Rejected
from hedgerow.language.operand import shown
from hedgerow.ruleset.build import build, checked_on_error, refuse_bad_rules
from hedgerow.ruleset.given import Change, Changes, given_changes
from hedgerow.ruleset.manifest import Manifest, Shard, id_type
from hedgerow.ruleset.opened import RuleSet, opened
from hedgerow.ruleset.place import Place, PlaceName, placed
from hedgerow.ruleset.shard import (
    fits,
    hidden_ids,
    read_rows,
    rejected_table,
    row_schema,
    write_hidden,
    write_shard,
)
from hedgerow.ruleset.sizing import SHARD_BYTES
from hedgerow.ruleset.versions import abandon, commit, current

__all__ = ["ChangeReport", "apply_changes", "compact", "worth_compacting"]

_OPERATIONS = ("insert", "update", "upsert", "delete")
_TRIES = 50
_LONGEST_WAIT = 20
"""In hundredths of a second."""
_FEW = 10_000
_PART = 10
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What became of the changes: every one was applied or is among ``rejected``."""

    path: str
    version: int
    """The version that has them; the one that was there if nothing was to be changed."""
    rules: int
    applied: int
    rejected: pa.Table
    """Changes that were refused: ``id``, ``expression``, ``error`` and ``offset``, where in the text."""
    compacted: bool = False

    def __str__(self) -> str:
        """Return a summary in one line."""
        again = ", built anew" if self.compacted else ""
        changed = f"{self.applied:,} changes, {self.rejected.num_rows:,} rejected"
        return f"{self.path}: version {self.version}, {self.rules:,} rules, {changed}{again}"


def apply_changes(
    path: PlaceName,
    changes: object,
    *,
    token: str | None = None,
    on_error: str = "report",
    compacting: bool = True,
) -> ChangeReport:
    """Apply changes to the newest version of a rule set, in the order of their rows, as one new version.

    ``changes`` is a table with the columns ``op`` (insert, update, upsert or delete), ``id``, ``expression`` and
    perhaps ``weight``, or tuples of these. Changes that make no sense (a bad expression, an insert of an id that is
    there, an update or delete of one that is not) come back in the report, and the others are applied; with
    ``on_error="fail"`` they are ``BadRules`` and nothing is changed. Changes that come again with the same ``token``
    are not applied twice.

    >>> import tempfile, hedgerow.ruleset as rulesets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     built = rulesets.build([(1, "age < 30"), (2, "vip")], folder)
    ...     report = apply_changes(folder, [("insert", 3, "age > 60"), ("delete", 2), ("delete", 7)])
    ...     rulesets.open_rules(folder).match({"age": 70, "vip": True})
    [3]
    >>> report.version, report.applied, report.rejected["error"].to_pylist()
    (2, 2, ['UnknownId: no rule has the id 7'])
    """
    checked_on_error(on_error)
    place = placed(path)
    report, changed = _tried(place, given_changes(changes), token or secrets.token_hex(8), on_error)
    if compacting and worth_compacting(changed):
        return _compacted(place, changed, report)
    return report


def _compacted(place: Place, manifest: Manifest, report: ChangeReport) -> ChangeReport:
    """Build all anew. The changes are made, so what hinders this is no error: the next changes try it again."""
    try:
        return replace(report, version=_built_anew(place, manifest), compacted=True)
    except VersionConflict:
        return report
    except FileError as error:
        warnings.warn(f"{place.root}: not built anew: {error}", RuntimeWarning, stacklevel=3)
        return report


def worth_compacting(manifest: Manifest) -> bool:
    """Return whether so much has changed since the last build that all should be built anew."""
    hidden = sum(shard.expressions - shard.live for shard in manifest.shards)
    changed = hidden + (manifest.changes.expressions if manifest.changes else 0)
    return changed > max(_FEW, sum(shard.expressions for shard in manifest.shards) // _PART)


def compact(path: PlaceName, manifest: Manifest | None = None) -> int:
    """Build a version anew, without hidden rules and without a shard of changes; return the new version's number.

    If another writer changes the rule set meanwhile, that stands, and nothing is built.
    """
    place = placed(path)
    try:
        return _built_anew(place, manifest or current(place))
    except VersionConflict:
        return current(place).version


def _built_anew(place: Place, manifest: Manifest) -> int:
    rows = pa.concat_tables([row_schema(manifest.id_type).empty_table(), *opened(place, manifest).rows()])
    report = build(
        rows,
        place,
        missing=manifest.missing,
        shard_bytes=manifest.shard_bytes or SHARD_BYTES,
        partition=manifest.partition,
        engine=manifest.engine,
        on_error="fail",
        progress=False,
        parent=manifest,
    )
    return report.version


class _Draft:
    """The next version in the making."""

    def __init__(self, place: Place, rules: RuleSet) -> None:
        manifest = rules.manifest
        self.place = place
        self.manifest = manifest
        self.indexes = [index for shard, index in rules.stats() if shard is not manifest.changes]
        self.hidden: list[set[object]] = [_listed(hidden_ids(place, shard)) for shard in manifest.shards]
        self.was_hidden = [len(ids) for ids in self.hidden]
        self.rows: dict[object, tuple[str, float]] = {}
        if manifest.changes:
            held = read_rows(place, manifest.changes).to_pydict()
            columns = zip(held["id"], held["expression"], held["weight"], strict=True)
            self.rows = {id: (expression, weight) for id, expression, weight in columns}
        self.touched = False
        self.written: list[str] = []

    def holder(self, id: object) -> int | None:
        """Return the number of the shard that has an id, not hidden; None if none has."""
        for number, index in enumerate(self.indexes):
            if id in index and id not in self.hidden[number]:
                return number
        return None

    def apply(self, change: Change) -> None:
        """Make one change, whose expression is good; raise if it makes no sense."""
        _, op, id, expression, weight = change
        holder = self.holder(id)
        there = holder is not None or id in self.rows
        if op == "insert" and there:
            raise DuplicateId(f"the id {shown(id)} is taken")
        if op in {"update", "delete"} and not there:
            raise UnknownId(f"no rule has the id {shown(id)}")
        if holder is not None:
            self.hidden[holder].add(id)
        if op == "delete":
            self.touched |= self.rows.pop(id, None) is not None
        else:
            self.rows[id] = (str(expression), weight or 0.0)
            self.touched = True

    def finished(self) -> Manifest:
        """Write the files of the next version, and return it."""
        kind = id_type(self.manifest.id_type)
        shards = []
        for number, shard in enumerate(self.manifest.shards):
            if len(self.hidden[number]) == self.was_hidden[number]:
                shards.append(shard)
            elif len(self.hidden[number]) < shard.expressions:
                hidden = write_hidden(self.place, pa.array(list(self.hidden[number]), kind))
                self.written.append(hidden.file)
                shards.append(replace(shard, hidden=hidden))
        changes = self._changes() if self.touched else self.manifest.changes
        return self.manifest.next(shards=tuple(shards), changes=changes)

    def _changes(self) -> Shard | None:
        ids, rest = list(self.rows), list(self.rows.values())
        columns = {"id": ids, "expression": [text for text, _ in rest], "weight": [weight for _, weight in rest]}
        table = pa.table(columns, schema=row_schema(self.manifest.id_type))
        kind, missing, engine = self.manifest.id_type, self.manifest.missing, self.manifest.engine
        shard, bad = write_shard(self.place, table, kind, missing, engine=engine)
        self.written += [shard.file, shard.rows] if shard else []
        if bad.num_rows:  # each was tried before
            raise KindError(f"a change was good at first and then bad: {bad['error'][0]}")
        return shard


def _tried(place: Place, changes: Changes, token: str, on_error: str) -> tuple[ChangeReport, Manifest]:
    """Apply the changes to what there is then, and again if another writer was faster."""
    for tries in range(1, _TRIES + 1):
        manifest = current(place)
        if token in manifest.tokens:
            nothing = rejected_table([], manifest.id_type)
            return ChangeReport(place.root, manifest.version, manifest.expressions, 0, nothing), manifest
        try:
            return _applied(place, manifest, changes, token, on_error)
        except VersionConflict:
            if tries == _TRIES:
                raise
            # Of writers that wait for different times, each comes to its turn.
            time.sleep(secrets.randbelow(min(tries, _LONGEST_WAIT) * 10) / 1000)
    raise AssertionError("the last try returns or raises")


def _applied(
    place: Place, manifest: Manifest, changes: Changes, token: str, on_error: str
) -> tuple[ChangeReport, Manifest]:
    kind = id_type(manifest.id_type)
    _check_kind(changes.kind, kind)
    draft = _Draft(place, opened(place, manifest))
    bad = _bad_expressions(changes.rows, Index(manifest.engine, manifest.missing))
    rejected = list(changes.rejected)
    for change in changes.rows:
        try:
            _check(change, kind, bad.get(change.row))
            draft.apply(change)
        except HedgerowError as error:
            rejected.append(Rejected(change.row, change.id, change.expression, error))
    refused = rejected_table(sorted(rejected, key=lambda one: one.row), manifest.id_type)
    if on_error == "fail":
        refuse_bad_rules(place, (), len(rejected), refused.slice(0, _SHOWN).to_pylist())
    applied = len(changes.rows) + len(changes.rejected) - len(rejected)
    changed = _committed(place, draft, token) if applied else manifest
    return ChangeReport(place.root, changed.version, changed.expressions, applied, refused), changed


def _committed(place: Place, draft: _Draft, token: str) -> Manifest:
    try:
        return commit(place, draft.finished(), token)
    except BaseException:
        abandon(place, draft.manifest.version + 1, draft.written)
        raise


def _check_kind(given: str | None, kind: pa.DataType) -> None:
    if given is not None and pa.types.is_string(id_type(given)) != pa.types.is_string(kind):
        raise SchemaError(f"the ids of the rules are of type {kind}, and those of the changes of type {given}")


def _bad_expressions(changes: Sequence[Change], index: Index) -> Mapping[int, HedgerowError]:
    """Return the errors of expressions that no index takes, by row: an index that is thrown away tries them."""
    wanted = [change for change in changes if change.op != "delete"]
    columns = {
        "id": pa.array([change.row for change in wanted], pa.int64()),
        "expression": pa.array([change.expression for change in wanted], pa.large_string()),
        "weight": pa.array([change.weight for change in wanted], pa.float64()),
    }
    report = index.insert_many(pa.table(columns), progress=False)
    return {wanted[bad.row].row: bad.error for bad in report.rejected}


def _check(change: Change, kind: pa.DataType, error: HedgerowError | None) -> None:
    if change.op not in _OPERATIONS:
        raise KindError(f"op is one of {', '.join(_OPERATIONS)}, not {shown(change.op)}")
    if change.id is None:
        raise InvalidId("a change needs an id")
    if not fits(change.id, kind):
        raise InvalidId(f"the ids of the rules are of type {kind}; {shown(change.id)} is not")
    if error is not None:
        raise error


def _listed(ids: pa.Array | None) -> set[object]:
    return set() if ids is None else set(ids.to_pylist())
