"""Changes of a rule set: inserts, updates and deletes, as its next version.

What is deleted or updated is hidden in the shard that has it; what is inserted or updated goes to the one shard of
changes, which is built anew each time. Both cost what has changed since the last build, not what there is. When that
has become a tenth of all, everything is built anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hedgerow.errors import (
    DuplicateId,
    HedgerowError,
    InvalidId,
    KindError,
    SchemaError,
    UnknownId,
    VersionConflict,
)
from hedgerow.index.api import Index
from hedgerow.index.report import Id, Rejected
from hedgerow.language.operand import shown
from hedgerow.ruleset.build import build, refuse_bad_rules, remove_shards
from hedgerow.ruleset.given import OPERATIONS, given_changes
from hedgerow.ruleset.manifest import Manifest, Shard, id_type
from hedgerow.ruleset.opened import RuleSet, opened
from hedgerow.ruleset.place import Place, PlaceName, placed
from hedgerow.ruleset.shard import (
    hidden_ids,
    read_rows,
    rejected_table,
    row_schema,
    write_hidden,
    write_shard,
)
from hedgerow.ruleset.sizing import SHARD_BYTES
from hedgerow.ruleset.versions import commit, current

__all__ = ["ChangeReport", "apply_changes", "compact", "worth_compacting"]

_TRIES = 5
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
    place = placed(path)
    table = given_changes(changes)
    name = token or secrets.token_hex(8)
    report, changed = _tried(place, table, name, on_error)
    if compacting and worth_compacting(changed):
        return replace(report, version=compact(place, changed), compacted=True)
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
    manifest = manifest or current(place)
    rows = pa.concat_tables([row_schema(manifest.id_type).empty_table(), *opened(place, manifest).rows()])
    try:
        report = build(
            rows,
            place,
            missing=manifest.missing,
            shard_bytes=manifest.shard_bytes or SHARD_BYTES,
            partition=manifest.partition,
            on_error="fail",
            progress=False,
            parent=manifest,
        )
    except VersionConflict:
        return current(place).version
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

    def holder(self, id: object) -> int | None:
        """Return the number of the shard that has an id, not hidden; None if none has."""
        for number, index in enumerate(self.indexes):
            if id in index and id not in self.hidden[number]:
                return number
        return None

    def apply(self, op: object, id: Id, expression: str | None, weight: float | None) -> None:
        """Make one change, whose expression is good; raise if it makes no sense."""
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
                shards.append(replace(shard, hidden=write_hidden(self.place, pa.array(self.hidden[number], kind))))
        changes = self._changes() if self.touched else self.manifest.changes
        return self.manifest.next(shards=tuple(shards), changes=changes)

    def _changes(self) -> Shard | None:
        ids, rest = list(self.rows), list(self.rows.values())
        columns = {"id": ids, "expression": [text for text, _ in rest], "weight": [weight for _, weight in rest]}
        table = pa.table(columns, schema=row_schema(self.manifest.id_type))
        shard, bad = write_shard(self.place, table, self.manifest.id_type, self.manifest.missing)
        if bad.num_rows:  # each was tried before
            raise KindError(f"a change was good at first and then bad: {bad['error'][0]}")
        return shard


def _tried(place: Place, table: pa.Table, token: str, on_error: str) -> tuple[ChangeReport, Manifest]:
    """Apply the changes to what there is then, and again if another writer was faster."""
    for left in reversed(range(_TRIES)):
        manifest = current(place)
        if token in manifest.tokens:
            nothing = rejected_table([], manifest.id_type)
            return ChangeReport(place.root, manifest.version, manifest.expressions, 0, nothing), manifest
        try:
            return _applied(place, manifest, table, token, on_error)
        except VersionConflict:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


def _applied(
    place: Place, manifest: Manifest, table: pa.Table, token: str, on_error: str
) -> tuple[ChangeReport, Manifest]:
    kind = manifest.id_type
    rows = _cast(table, kind)
    draft = _Draft(place, opened(place, manifest))
    bad = _bad_expressions(rows, manifest.missing)
    rejected: list[Rejected] = []
    columns = [rows[name].to_pylist() for name in ("op", "id", "expression", "weight")]
    for number, (op, id, expression, weight) in enumerate(zip(*columns, strict=True)):
        try:
            _check(op, id, bad.get(number))
            draft.apply(op, id, expression, weight)
        except HedgerowError as error:
            rejected.append(Rejected(number, id, expression, error))
    refused = rejected_table(rejected, kind)
    if on_error == "fail":
        refuse_bad_rules(place, (), len(rejected), refused.slice(0, _SHOWN).to_pylist())
    applied = rows.num_rows - len(rejected)
    changed = draft.finished() if applied else manifest
    if applied:
        changed = _committed(place, manifest, changed, token)
    return ChangeReport(place.root, changed.version, changed.expressions, applied, refused), changed


def _committed(place: Place, before: Manifest, after: Manifest, token: str) -> Manifest:
    try:
        return commit(place, after, token)
    except BaseException:
        if after.changes and after.changes is not before.changes:
            remove_shards(place, (after.changes,))
        for name in after.files - before.files:
            place.remove(name)
        raise


def _cast(table: pa.Table, kind: str) -> pa.Table:
    schema = pa.schema({"op": pa.string(), **{field.name: field.type for field in row_schema(kind)}})
    try:
        return table.cast(schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise SchemaError(f"changes have op, id ({id_type(kind)}), expression and weight: {error}") from error


def _bad_expressions(rows: pa.Table, missing: str) -> Mapping[int, HedgerowError]:
    """Return the errors of expressions that no index takes: an index that is thrown away tries them."""
    trial = Index(missing=missing)
    numbered = pa.table({"id": np.arange(rows.num_rows), "expression": rows["expression"], "weight": rows["weight"]})
    wanted = pa.array([op != "delete" for op in rows["op"].to_pylist()], pa.bool_())
    report = trial.insert_many(numbered.filter(wanted), progress=False)
    return {int(str(bad.id)): bad.error for bad in report.rejected}


def _check(op: object, id: object, error: HedgerowError | None) -> None:
    if op not in OPERATIONS:
        raise KindError(f"op is one of {', '.join(OPERATIONS)}, not {shown(op)}")
    if id is None:
        raise InvalidId("a change needs an id")
    if error is not None:
        raise error


def _listed(ids: pa.Array | None) -> set[object]:
    return set() if ids is None else set(ids.to_pylist())
