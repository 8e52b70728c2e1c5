"""One version of a rule set, opened, and what matches with it.

Opening maps the shards into memory; processes of one machine share the pages. ``opened`` keeps the versions that a
process used last, so that each task of a worker finds them open.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import CorruptFile, InvalidId, MissingVersion, UnknownId
from hedgerow.event.encode import events as encode_events
from hedgerow.event.encode import one_event
from hedgerow.index.api import Index, clean_id
from hedgerow.index.report import Id
from hedgerow.language.explain import Explanation
from hedgerow.language.operand import shown
from hedgerow.ruleset.manifest import Manifest, Shard, id_type
from hedgerow.ruleset.place import Place, PlaceName, placed
from hedgerow.ruleset.shard import hidden_ids, read_rows
from hedgerow.ruleset.versions import current, manifest_of
from hedgerow.store.files import open as open_index

__all__ = ["Counts", "RuleSet", "open_rules", "opened"]

_KEPT = 2
_OPENED: OrderedDict[tuple[str, int, frozenset[str]], RuleSet] = OrderedDict()
_LOCK = threading.Lock()
_OPENING = threading.Lock()


@dataclass(slots=True)
class Counts:
    """What matching has done so far."""

    events: int = 0
    looked_up: int = 0
    """Events times shards they were looked up in."""
    candidates: int = 0
    """Nodes of the indexes that were visited, where that is counted."""
    matches: int = 0


@dataclass(frozen=True, slots=True)
class _Open:
    """A shard that is open."""

    shard: Shard
    index: Index
    hidden: pa.Array | None


class RuleSet:
    """One version of the rules in a folder, open for matching; ``open_rules`` opens it.

    >>> import tempfile, hedgerow.ruleset as rulesets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = rulesets.build([(1, "age < 30"), (2, "vip")], folder)
    ...     rules = rulesets.open_rules(folder)
    >>> rules
    <RuleSet version=1, rules: 2, shards: 1>
    >>> rules.match_batch([{"age": 20}, {"age": 40, "vip": True}]).to_pydict()
    {'event': [0, 1], 'id': [1, 2]}
    """

    def __init__(self, place: Place, manifest: Manifest) -> None:
        """Open every shard of a version."""
        self.manifest = manifest
        self._place = place
        self._id_type = id_type(manifest.id_type)
        try:
            self._open = [_open(place, shard, manifest.missing) for shard in manifest.all_shards]
        except FileNotFoundError as error:
            raise MissingVersion(f"{place.root}: files of version {manifest.version} are gone: {error}") from error

    @property
    def version(self) -> int:
        """The number of the version."""
        return self.manifest.version

    @property
    def id_type(self) -> pa.DataType:
        """The type that ids have in results: that with which they were given."""
        return self._id_type

    def __len__(self) -> int:
        """Return how many rules there are."""
        return self.manifest.expressions

    def __repr__(self) -> str:
        """Return the version and the size."""
        return f"<RuleSet version={self.version}, rules: {len(self):,}, shards: {len(self._open)}>"

    def __contains__(self, id: object) -> bool:
        """Return whether a rule has this id."""
        return self._holder(id) is not None

    def match_batch(self, events: object, *, threads: int = 1, counts: Counts | None = None) -> pa.Table:
        """Return all matches of many events: columns ``event`` (row number) and ``id``, by event, then by shard."""
        return self._united(self._parts(events, None, threads, counts or Counts()))

    def top_batch(self, events: object, n: int, *, counts: Counts | None = None) -> pa.Table:
        """Return the ``n`` best matches of each event: ``event``, ``id``, ``score``; of equal ones the smaller ids."""
        parts = list(self._parts(events, n, 1, counts or Counts()))
        return _best(self._united(iter(parts), with_scores=True), n)

    def match(self, event: Mapping[str, object]) -> list[Id]:
        """Return the ids of the rules that match one event."""
        return self.match_batch(one_event(event))["id"].to_pylist()  # type: ignore[no-any-return]  # Arrow has no types

    def explain(self, id: Id, event: Mapping[str, object]) -> Explanation:
        """Return why a rule does or does not match an event. Raises ``UnknownId``."""
        return self._known(id).index.explain(id, event)

    def expression(self, id: Id) -> str:
        """Return the text of a rule, as it was given. Raises ``UnknownId``."""
        rows = read_rows(self._place, self._known(id).shard)
        position = pc.index(rows["id"], pa.scalar(clean_id(id), rows["id"].type)).as_py()
        return str(rows["expression"][position])

    def rows(self) -> Iterator[pa.Table]:
        """Yield the rules, as they were given, shard by shard."""
        for one in self._open:
            yield read_rows(self._place, one.shard)

    def stats(self) -> list[tuple[Shard, Index]]:
        """Return each shard and its index, for those who want to know more."""
        return [(one.shard, one.index) for one in self._open]

    def _parts(self, events: object, n: int | None, threads: int, counts: Counts) -> Iterator[pa.Table]:
        """Yield the matches of each shard."""
        batch = encode_events(events)
        counts.events += len(batch)
        for one in self._open:
            rows = None if one.shard.pivots is None else batch.rows_with(one.shard.pivots)
            wanted = batch if rows is None else batch.taken(rows)
            if not len(wanted):
                continue
            found = _matches(one, wanted, n, threads)
            if rows is not None:
                found = found.set_column(0, "event", pa.array(rows[found["event"].to_numpy()], pa.int32()))
            counts.looked_up += len(wanted)
            counts.candidates += one.index.visits or 0
            counts.matches += found.num_rows
            yield found

    def _united(self, parts: Iterator[pa.Table], *, with_scores: bool = False) -> pa.Table:
        schema = {"event": pa.int32(), "id": self._id_type} | ({"score": pa.float64()} if with_scores else {})
        tables = [part.cast(pa.schema(schema)) for part in parts if part.num_rows]
        if len(tables) == 1:
            return tables[0]
        united = pa.concat_tables([pa.schema(schema).empty_table(), *tables])
        order = np.argsort(united["event"].to_numpy(), kind="stable")
        return united.take(pa.array(order))

    def _holder(self, id: object) -> _Open | None:
        try:
            plain = clean_id(id)
        except InvalidId:
            return None
        for one in self._open:
            if plain in one.index and (one.hidden is None or not _has(one.hidden, plain)):
                return one
        return None

    def _known(self, id: object) -> _Open:
        holder = self._holder(id)
        if holder is None:
            raise UnknownId(f"no rule has the id {shown(id)}")
        return holder


def _open(place: Place, shard: Shard, missing: str) -> _Open:
    path = place.fetched(shard.file, shard.digest)
    index = open_index(path)
    # Its checksums say that it is a whole index, and this that it is not another one.
    if (len(index), index.missing) != (shard.expressions, missing):
        raise CorruptFile(f"{path}: not the index that was written there")
    return _Open(shard, index, hidden_ids(place, shard))


def _matches(one: _Open, batch: Any, n: int | None, threads: int) -> pa.Table:  # noqa: ANN401 - an EventBatch
    if n is None:
        found = one.index.match_batch(batch, threads=threads)
        return found if one.hidden is None else _without(found, one.hidden)
    if one.hidden is None:
        return one.index.top_batch(batch, n)
    return _best_without(one, batch, n)


def _best_without(one: _Open, batch: Any, n: int) -> pa.Table:  # noqa: ANN401 - as above
    """Return the best that are not hidden: more are asked for until that many are left of each event, or all came."""
    asked = n
    while True:
        found = one.index.top_batch(batch, asked)
        left = _without(found, one.hidden)
        came = np.bincount(found["event"].to_numpy(), minlength=len(batch))
        stayed = np.bincount(left["event"].to_numpy(), minlength=len(batch))
        if not ((came == asked) & (stayed < n)).any() or asked >= len(one.index):
            return _first(left, n)
        asked *= 4


def _without(found: pa.Table, hidden: pa.Array) -> pa.Table:
    ids = hidden.cast(found["id"].type)
    return found.filter(pc.invert(pc.is_in(found["id"], value_set=ids)))


def _has(ids: pa.Array, id: object) -> bool:
    """Return whether an id that the shard has is among these."""
    return bool(pc.is_in(pa.scalar(id, ids.type), value_set=ids).as_py())


def _best(united: pa.Table, n: int) -> pa.Table:
    """Return the best ``n`` of each event, whose matches may come from several shards."""
    keys = [("event", "ascending"), ("score", "descending"), ("id", "ascending")]
    return _first(united.take(pc.sort_indices(united, sort_keys=keys)), n)


def _first(found: pa.Table, n: int) -> pa.Table:
    """Return the first ``n`` rows of each event; those of an event stand together."""
    event = found["event"].to_numpy()
    if not len(event):
        return found
    begins = np.flatnonzero(np.concatenate(([True], event[1:] != event[:-1])))
    lengths = np.diff(np.append(begins, len(event)))
    place = np.arange(len(event)) - np.repeat(begins, lengths)
    return found if int(lengths.max()) <= n else found.filter(pa.array(place < n))


def open_rules(path: PlaceName, version: int | None = None) -> RuleSet:
    """Open a version of the rule set in a folder, the newest unless another is asked for.

    Raises ``MissingVersion`` if there is none, and what ``hedgerow.open`` raises.
    """
    place = placed(path)
    return RuleSet(place, current(place) if version is None else manifest_of(place, version))


def opened(path: PlaceName, manifest: Manifest) -> RuleSet:
    """Return a version that this process may already have open; the last two that were asked for stay so."""
    place = placed(path)
    key = (place.path(""), manifest.version, frozenset(manifest.files))
    found = _kept(key)
    if found is None:
        with _OPENING:  # one opens, others wait for what it has opened; those whose version is open do not
            found = _kept(key)
            if found is None:
                found = _keep(key, RuleSet(place, manifest))
    return found


def _kept(key: tuple[str, int, frozenset[str]]) -> RuleSet | None:
    with _LOCK:
        if key in _OPENED:
            _OPENED.move_to_end(key)
        return _OPENED.get(key)


def _keep(key: tuple[str, int, frozenset[str]], rules: RuleSet) -> RuleSet:
    with _LOCK:
        _OPENED[key] = rules
        while len(_OPENED) > _KEPT:
            _OPENED.popitem(last=False)
    return rules
