"""The one door: ``Index``, the same face for every engine.

``Index`` owns ids, parsing, errors and the writers' lock; its engine owns slots and arrays (see ``engine.py``). Both
live in a ``State`` that readers take once, as one reference: when enough has been deleted, a compacted state takes the
place of the old one, and a reader that still holds the old one is not disturbed. ``saving.py`` tells how an index gets
into a file.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NoReturn, Self, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hedgerow.arrays_cy import arrow_int32, arrow_int64, pooled, repeated, write_repeated
from hedgerow.errors import (
    EventError,
    ExpressionError,
    HedgerowError,
    InvalidId,
    KindError,
    ReadOnly,
    UnknownId,
    Unsupported,
)
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.index import changes_cy as changes
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.baselines.gryphon_options import GryphonOptions
from hedgerow.index.betree.options import BETreeOptions
from hedgerow.index.crew_cy import Crew
from hedgerow.index.engine import (
    Counted,
    Drawing,
    Drawn,
    Figured,
    Foreseeable,
    Layered,
    Matches,
    Tended,
    drawn_engines,
    engine_factory,
    engine_restorer,
)
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.index.ids_cy import IdTable
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.labels.options import LabelOptions
from hedgerow.index.opindex.options import OpIndexOptions
from hedgerow.index.relating import any_sets, related
from hedgerow.index.report import BatchReport, Id, IndexStats, InsertReport, Rejected, Scored
from hedgerow.index.rows import add_expression, chunks, row_count
from hedgerow.index.saving import FilePath, SavedIndex, write
from hedgerow.index.searching import Found, State, found, found_one
from hedgerow.index.staging import Staged, staged
from hedgerow.language.build import Attribute
from hedgerow.language.evaluate import check_missing
from hedgerow.language.explain import Explanation, explain
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operand import shown
from hedgerow.language.parse_cy import Parser
from hedgerow.language.relate import checked_relation
from hedgerow.language.score import EventWeights, checked_weights
from hedgerow.limits import MAX_DRAWN_NODES
from hedgerow.progress import Progress
from hedgerow.sections import nested, part

__all__ = ["Index"]

_WORTH_COMPACTING = 4096
_WORTH_THREADS = 1 << 22  # matches whose rows take longer to write than threads to begin
_MOST_THREADS = 256

T = TypeVar("T")
Options: TypeAlias = (
    ATreeOptions | BETreeOptions | GryphonOptions | HedgeOptions | KIndexOptions | LabelOptions | OpIndexOptions
)
Events: TypeAlias = EventBatch | Iterable[Mapping[str, object]] | object


class Index:
    """Boolean expressions by id, and which of them match an event.

    ``engine`` names the structure that does the matching; every engine gives the same results. ``missing`` says how
    a predicate on a missing attribute reads: ``"unknown"`` (three-valued, as in SQL) or ``"false"``. ``options``
    are the engine's own: ``"atree"`` takes an ``ATreeOptions``, ``"betree"`` a ``BETreeOptions``, ``"gryphon"`` a
    ``GryphonOptions``, ``"hedge"`` a ``HedgeOptions``, ``"kindex"``, ``"kindex-cnf"`` and ``"translation"`` a
    ``KIndexOptions``, ``"opindex"`` an ``OpIndexOptions``, ``"dewey"`` and ``"interval"`` a ``LabelOptions``,
    ``"scan"`` none.

    Any number of threads may match while one changes the index: each sees all of a change or nothing of it.

    >>> index = Index()
    >>> index.insert("campaign-7", "age BETWEEN 18 AND 24 AND (interest = 'nba' OR interest = 'nfl')")
    >>> index.insert("campaign-8", "state NOT IN ('NY')")
    >>> index.match({"age": 20, "interest": "nba", "state": "CA"})
    ['campaign-7', 'campaign-8']
    """

    def __init__(self, engine: str = "atree", missing: str = "unknown", options: Options | None = None) -> None:
        """Make an empty index."""
        check_missing(missing)
        self._begin(engine, missing, "r+", options)
        self._state = State(self._factory(missing), IdTable(), [Asked()])
        self._learns = isinstance(self._state.engine, Tended)

    def _begin(self, engine: str, missing: str, mode: str, options: Options | None) -> None:
        """Set what every index has, but for its state."""
        self._name = engine
        self._missing = missing
        self._mode = mode
        self._options = options
        self._factory = engine_factory(engine, options)
        self._lock = changes.WriterLock()
        self._renew_graph()

    @classmethod
    def _restored(cls, saved: SavedIndex, mode: str) -> Self:
        """Return the index that was saved so; for ``hedgerow.store``, which has read the arrays from a file."""
        restorer = engine_restorer(saved.engine)
        ids = IdTable.restored(part(saved.arrays, "ids"))
        engine = restorer(saved.missing, part(saved.arrays, "engine"))
        index = cls.__new__(cls)
        options = getattr(engine, "options", None)
        index._begin(saved.engine, saved.missing, mode, options)  # noqa: SLF001 - one of our own
        index._state = State(engine, ids, [])  # noqa: SLF001 - as above
        index._learns = isinstance(engine, Tended)  # noqa: SLF001 - as above
        return index

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return self._name

    @property
    def missing(self) -> str:
        """How a predicate on a missing attribute reads: ``"unknown"`` or ``"false"``."""
        return self._missing

    @property
    def mode(self) -> str:
        """``"r"`` if it was opened for reading; ``"r+"`` if it takes changes, as every index does that was not."""
        return self._mode

    @property
    def options(self) -> Options | None:
        """The options of the engine, as they were given; None where they are the engine's own choice."""
        return self._options

    def __repr__(self) -> str:
        """Return the engine, the reading and the size, and the mode if it takes no changes."""
        mode = " mode='r'" if self._mode == "r" else ""
        return f"<Index engine={self._name!r} missing={self._missing!r}{mode}, expressions: {len(self):,}>"

    def __reduce__(self) -> NoReturn:
        """Refuse: what an index holds belongs in a file, which every process can open and share."""
        raise TypeError("an Index cannot be pickled or copied: save it, and open the file where it is wanted")

    # Changing

    def insert(self, id: Id, expression: Expression | Attribute | str, weight: float = 0.0) -> None:
        """Take in an expression, given as text or as an object, under a new id.

        ``weight`` is its static weight (a bid), added to its score. Raises ``ParseError``, ``DuplicateId`` or another
        ``HedgerowError``; then nothing has changed.
        """
        self._check_that_it_changes()
        checked, clean = _checked_weight(weight), clean_id(id)
        with self._lock:
            node = self._staged(expression)
            self._apply(self._graph, changes.insert, clean, self._graph, node, checked)

    def insert_many(self, rows: object, *, progress: bool | None = None) -> InsertReport:
        """Take in all good rows, and report each bad one with its error.

        ``rows`` is an Arrow table or any object with the Arrow PyCapsule interface (pandas, polars, DuckDB) with the
        columns ``id``, ``expression`` and perhaps ``weight``, an iterable of ``(id, expression)`` or ``(id,
        expression, weight)``, or a dict of ids and expressions. A long load shows its progress on a terminal;
        ``progress=False`` keeps that away, ``True`` forces it.

        >>> index = Index()
        >>> report = index.insert_many([(1, "age > 20"), (2, "age >> 20"), (1, "age < 9")])
        >>> report.inserted, [(bad.row, type(bad.error).__name__) for bad in report.rejected]
        (1, [(1, 'ParseError'), (2, 'DuplicateId')])
        """
        self._check_that_it_changes()
        inserted, first = 0, 0
        rejected: list[Rejected] = []
        bar = Progress("inserting", row_count(rows), wanted=progress)
        for stage in staged(chunks(rows), self._seen):
            chunk, bad = stage.chunk, self._insert_staged(stage)
            inserted += len(chunk) - len(bad)
            rejected += [Rejected(first + row, chunk.ids[row], chunk.said(row), bad[row]) for row in sorted(bad)]
            first += len(chunk)
            bar.advance(len(chunk))
        bar.close()
        return InsertReport(inserted, rejected)

    def update(self, id: Id, expression: Expression | Attribute | str, weight: float = 0.0) -> None:
        """Replace the expression (and the weight) of an id; it counts as inserted now. Raises ``UnknownId``."""
        self._check_that_it_changes()
        checked, clean = _checked_weight(weight), _known_id(id)
        with self._lock:
            node = self._staged(expression)
            self._apply(self._graph, changes.update, clean, self._graph, node, checked)
            self._compact_if_worth_it()

    def delete(self, id: Id) -> None:
        """Take an expression out. Raises ``UnknownId``."""
        self._check_that_it_changes()
        clean = _known_id(id)
        with self._lock:
            changes.delete(self._state.engine, self._state.ids, clean)
            self._compact_if_worth_it()

    def clear(self) -> None:
        """Take all expressions out; the next id decides again whether ids are integers or strings."""
        self._check_that_it_changes()
        with self._lock:
            self._state = State(self._factory(self._missing), IdTable(), [Asked()])
            self._renew_graph()

    def optimize(self, sample: Events | None = None, *, progress: bool | None = None) -> None:
        """Put the index in order by what its searches have learnt, now instead of little by little.

        ``sample`` are events to learn from first: what events have seldom is what should lead to expressions. Readers
        do not wait, and no result changes. ``Unsupported`` if the engine does not learn: ``hedge`` does.

        >>> index = Index("hedge")
        >>> index.insert(1, "country = 'AT' AND os = 'web'")
        >>> index.optimize([{"country": "AT", "os": "tv"}, {"country": "AT", "os": "ios"}])
        """
        state = self._state
        if not isinstance(state.engine, Tended):
            raise Unsupported(f"the engine {self._name!r} does not learn from events; 'hedge' does")
        if sample is not None:
            batch = found(state, sample, lambda batch: batch, "raise").value
            for row in range(len(batch)):
                state.engine.count(batch.taken(np.array([row])))
        bar = Progress("optimizing", len(state.ids), wanted=progress)
        done = 0
        with self._lock:
            state.engine.choose_anew()
        while state is self._state and state.engine.restless:
            with self._lock:
                state.engine.tend()
            bar.advance(max(0, state.engine.tended - done))
            done = max(done, state.engine.tended)
        bar.close()

    # Files

    def save(self, path: FilePath) -> None:
        """Write the index to a file, which ``hedgerow.open`` opens again.

        A file that is there is replaced when the new one is complete: after an error, or a crash, it is what it was.
        Writers wait meanwhile, readers do not. Raises ``FileError``, or ``Unsupported`` if the engine has no files.

        >>> import tempfile
        >>> from hedgerow.store.files import open
        >>> index = Index()
        >>> index.insert("young", "age < 30")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/rules.hedgerow")
        ...     open(f"{folder}/rules.hedgerow").match({"age": 20})
        ['young']
        """
        engine_restorer(self._name)
        with self._lock:
            engine, ids, _ = self._state
            arrays = nested(engine=engine.saved(), ids=ids.saved())
            write(path, SavedIndex(self._name, self._missing, arrays))

    # Looking up

    def __len__(self) -> int:
        """Return the number of expressions."""
        return len(self._state.ids)

    def __contains__(self, id: object) -> bool:
        """Return whether an expression has this id."""
        try:
            return self._state.ids.find(clean_id(id)) >= 0
        except InvalidId:
            return False

    def __iter__(self) -> Iterator[Id]:
        """Iterate over the ids that there are now, in insertion order."""
        return iter(self._state.ids)

    def expression(self, id: Id) -> Expression:
        """Return the expression of an id, or one that matches the same events. Raises ``UnknownId``."""
        engine, ids, _ = self._state
        return engine.expression(ids.known(_known_id(id)))

    def explain(self, id: Id, event: Mapping[str, object]) -> Explanation:
        """Return why the expression of an id does or does not match an event. Raises ``UnknownId``.

        >>> index = Index()
        >>> index.insert(7, "age > 20 AND vip")
        >>> [str(part.expression) for part in index.explain(7, {"age": 30, "vip": False}).deciding]
        ['vip = true']
        """
        return explain(self.expression(id), event, self._missing)

    def stats(self) -> IndexStats:
        """Return what the engine can say about itself; takes time in proportion to the index.

        >>> index = Index("atree")
        >>> index.insert(1, "a = 1 AND b = 2")
        >>> index.insert(2, "a = 1 OR c = 3")
        >>> [(level.nodes, level.occurrences) for level in index.stats().levels]
        [(3, 4), (2, 2)]
        """
        engine, ids, _ = self._state
        parts = {"ids": ids.nbytes} | engine.bytes_by_part()
        held = sum(parts.values())
        levels = engine.levels() if isinstance(engine, Layered) else ()
        visits = engine.visits if isinstance(engine, Counted) else None
        figures = engine.figures() if isinstance(engine, Figured) else {}
        return IndexStats(self._name, len(ids), engine.predicate_count, held, parts, levels, visits, figures)

    @property
    def visits(self) -> int | None:
        """How many nodes or entries the last search visited, all its events together; None if that was not counted."""
        engine = self._state.engine
        return engine.visits if isinstance(engine, Counted) else None

    def picture(self, most: int = MAX_DRAWN_NODES) -> str:
        """Return a picture of the structure as text: of an A-Tree a line a node, level by level, from the roots down.

        ``↑`` marks the operands that tell a node when they hold; the others are looked at when one of those does. A
        node that is used more than once is marked. Raises ``LimitError`` if there are more than ``most`` nodes, and
        ``Unsupported`` if the engine has no structure to show. Nothing can be inserted or deleted in the meantime.

        >>> index = Index("atree")
        >>> index.insert("x", "(a = 1 OR b = 2) AND c = 3")
        >>> index.insert("y", "b = 2 OR a = 1")
        >>> print(index.picture())
        level 3
          5  AND ↑3 4   = 'x'
        level 2
          4  OR  ↑1 ↑2  used 2 times  = 'y'
        level 1
          1  a = 1
          2  b = 2
          3  c = 3
        """
        return self._drawing(most).picture()

    def to_graphviz(self, most: int = MAX_DRAWN_NODES) -> str:
        """Return the structure in DOT, the language of Graphviz: ``dot -Tsvg`` draws it.

        Literals are at the bottom, expressions are boxes, and what is shared has a bold outline. Truth goes up along
        solid edges; along dashed ones a node looks down. Raises as ``picture`` does.

        >>> index = Index("atree")
        >>> index.insert("x", "a = 1 AND b = 2")
        >>> print(index.to_graphviz().splitlines()[0])
        digraph atree {
        """
        return self._drawing(most).to_graphviz()

    def _drawing(self, most: int) -> Drawing:
        limit = _checked_count(most, "most", "nodes")
        with self._lock:
            engine, ids, _ = self._state
            if not isinstance(engine, Drawn):
                able = ", ".join(drawn_engines())
                raise Unsupported(f"the engine {self._name!r} has no structure to draw; {able} can be drawn")
            live = ids.live_slots()
            return engine.drawing(dict(zip(live.tolist(), ids.listed(live), strict=True)), limit)

    # Matching

    def match(self, event: Mapping[str, object] | EventBatch, relation: str = "satisfied") -> list[Id]:
        """Return the ids of the expressions that match an event, in insertion order.

        Only the attributes that expressions mention are looked at; ``EventError`` says which of them is wrong.

        Of an attribute the event may also have a set of values (``hedgerow.between``, ``hedgerow.any_of`` and others),
        and ``relation`` may be another than that the event satisfies the expression: see docs/relations.md. The engines
        ``betree`` and ``scan`` do that; others raise ``Unsupported``.

        >>> import hedgerow as hr
        >>> index = Index("betree")
        >>> index.insert("flat-7", "rent <= 900 AND rooms = 3")
        >>> index.match({"rent": hr.between(700, 1000), "rooms": 3})
        ['flat-7']
        >>> index.match({"rent": hr.between(700, 800), "rooms": 3}, relation="containing")
        ['flat-7']
        """
        state = self._state
        if relation == "satisfied":
            try:
                slots = found_one(state, event, state.engine.match).slots
                self._tend(state)
                return state.ids.listed(slots)  # type: ignore[arg-type]  # slots have 32 bits
            except EventError:
                if not any_sets(state, [event]):
                    raise
        checked_relation(relation)
        source = event if isinstance(event, EventBatch) else [event]
        matches = related(state, self._name, source, relation, "raise").value
        if len(matches.starts) != 2:  # noqa: PLR2004 - where one event begins and ends
            raise EventError(f"one event is needed, and this batch has {len(matches.starts) - 1:,}")
        return state.ids.listed(matches.slots)  # type: ignore[arg-type]  # as above

    def match_ids(self, event: Mapping[str, object] | EventBatch) -> pa.Array:
        """Return the ids of the expressions that match an event as an Arrow array, in insertion order.

        The same as ``match``, without a Python object for each id: for those who count, look up or pass on many.

        >>> index = Index()
        >>> index.insert(7, "age > 20")
        >>> index.match_ids({"age": 30}).to_numpy()
        array([7])
        """
        state = self._state
        slots = found_one(state, event, state.engine.match).slots
        self._tend(state)
        return state.ids.arrow(slots)

    @overload
    def match_batch(
        self, events: Events, *, threads: int = 1, on_error: Literal["raise"] = "raise", relation: str = "satisfied"
    ) -> pa.Table: ...
    @overload
    def match_batch(
        self, events: Events, *, threads: int = 1, on_error: Literal["skip"], relation: str = "satisfied"
    ) -> BatchReport[pa.Table]: ...
    def match_batch(
        self, events: Events, *, threads: int = 1, on_error: str = "raise", relation: str = "satisfied"
    ) -> pa.Table | BatchReport[pa.Table]:
        """Return all matches of many events: columns ``event`` (row number) and ``id``, by event and insertion order.

        ``events`` is what ``hedgerow.events`` takes, or what it returned. ``threads`` threads work on it. Mappings may
        have sets of values, and ``relation`` be another, as for ``match``; then one thread does it.

        An event is bad if an attribute that expressions mention has what no event can have. It raises ``EventError``;
        with ``on_error="skip"`` the others are matched, and a ``BatchReport`` has their matches as its ``result`` and
        what is wrong with the bad ones as its ``errors``.

        >>> index = Index()
        >>> index.insert("young", "age < 30")
        >>> index.insert("vip", "vip")
        >>> index.match_batch([{"age": 20, "vip": True}, {"age": 40}, {"vip": True}]).to_pydict()
        {'event': [0, 0, 2], 'id': ['young', 'vip', 'vip']}
        >>> report = index.match_batch([{"age": b"20"}, {"age": 20}], on_error="skip")
        >>> report.result.to_pydict(), [(bad.row, bad.attribute) for bad in report.errors]
        ({'event': [1], 'id': ['young']}, [(0, 'age')])
        """
        workers = _checked_threads(threads)
        state = self._state
        if checked_relation(relation) != "satisfied":
            return self._related_batch(state, events, relation, on_error)
        try:
            outcome = self._found_batch(state, events, workers, on_error)
        except EventError:
            if not any_sets(state, events):
                raise
            return self._related_batch(state, events, relation, on_error)
        if outcome.errors and any_sets(state, events):
            return self._related_batch(state, events, relation, on_error)
        matches, names = outcome.value
        rows = outcome.rows(_rows_of(matches.starts, workers))
        return outcome.reported(pa.table({"event": arrow_int32(rows), "id": names}))

    def _found_batch(
        self, state: State, events: Events, workers: int, on_error: str
    ) -> Found[tuple[Matches, pa.Array]]:
        """Return the matches of a batch, and the ids of their slots."""
        by_slot = state.ids.has_strings or state.ids.counts_up

        def search(batch: EventBatch) -> tuple[Matches, pa.Array]:
            if by_slot:
                matches = state.engine.match(batch, workers)
                return matches, state.ids.arrow(matches.slots)
            matches = state.engine.match_names(batch, workers, state.ids.numbers)
            return matches, arrow_int64(matches.slots)  # type: ignore[arg-type]  # names have 64 bits

        outcome = found(state, events, search, on_error)
        self._tend(state)
        return outcome

    def _related_batch(
        self, state: State, events: Events, relation: str, on_error: str
    ) -> pa.Table | BatchReport[pa.Table]:
        """Return the table of what relates so to each event of a batch."""
        outcome = related(state, self._name, events, relation, on_error)
        matches = outcome.value
        rows = outcome.rows(_rows_of(matches.starts, 1))
        return outcome.reported(pa.table({"event": arrow_int32(rows), "id": state.ids.arrow(matches.slots)}))

    @overload
    def count_batch(self, events: Events, *, threads: int = 1, on_error: Literal["raise"] = "raise") -> pa.Array: ...
    @overload
    def count_batch(self, events: Events, *, threads: int = 1, on_error: Literal["skip"]) -> BatchReport[pa.Array]: ...
    def count_batch(
        self, events: Events, *, threads: int = 1, on_error: str = "raise"
    ) -> pa.Array | BatchReport[pa.Array]:
        """Return how many expressions match each event, without listing them; ``on_error`` is that of ``match_batch``.

        >>> index = Index()
        >>> index.insert("young", "age < 30")
        >>> index.count_batch([{"age": 20}, {"age": 40}]).to_pylist()
        [1, 0]
        """
        workers, state = _checked_threads(threads), self._state
        outcome = found(state, events, lambda batch: state.engine.count(batch, workers), on_error)
        self._tend(state)
        return outcome.reported(arrow_int64(outcome.spread(outcome.value)))

    def top(self, event: Mapping[str, object], n: int, weights: EventWeights | None = None) -> list[Scored]:
        """Return the ``n`` best matches of an event with their scores, best first, equal ones in insertion order.

        ``weights`` are the event's own: ``{"age": 0.8, "interest": {"nba": 2.0}}``; 1 where none is given.

        >>> index = Index()
        >>> index.insert("a", "age IN (1^10, 2^5) AND state = 'CA'^3")
        >>> index.insert("b", "state = 'CA'", weight=2.5)
        >>> index.top({"age": 1, "state": "CA"}, 5, weights={"state": 2.0})
        [Scored(id='a', score=16.0), Scored(id='b', score=2.5)]
        """
        wanted = _checked_count(n)
        state = self._state
        checked = None if weights is None else checked_weights(weights)
        best = found_one(state, event, lambda batch: state.engine.top(batch, wanted, checked))
        self._tend(state)
        return [Scored(id, score) for id, score in zip(state.ids.listed(best.slots), best.scores.tolist(), strict=True)]

    @overload
    def top_batch(self, events: Events, n: int, *, on_error: Literal["raise"] = "raise") -> pa.Table: ...
    @overload
    def top_batch(self, events: Events, n: int, *, on_error: Literal["skip"]) -> BatchReport[pa.Table]: ...
    def top_batch(self, events: Events, n: int, *, on_error: str = "raise") -> pa.Table | BatchReport[pa.Table]:
        """Return the ``n`` best matches of each of many events: columns ``event`` (row number), ``id`` and ``score``.

        They come by event, best first, as ``top`` gives them for an event without weights of its own; ``on_error`` is
        that of ``match_batch``.

        >>> index = Index()
        >>> index.insert("young", "age < 30", weight=1.5)
        >>> index.insert("vip", "vip", weight=2.5)
        >>> index.top_batch([{"age": 20, "vip": True}, {"age": 40}, {"age": 29}], 1).to_pydict()
        {'event': [0, 2], 'id': ['vip', 'young'], 'score': [2.5, 1.5]}
        """
        wanted = _checked_count(n)
        state = self._state
        outcome = found(state, events, lambda batch: state.engine.top(batch, wanted, None), on_error)
        self._tend(state)
        best = outcome.value
        event = arrow_int32(outcome.rows(repeated(best.starts)))
        return outcome.reported(
            pa.table({"event": event, "id": state.ids.arrow(best.slots), "score": pa.array(best.scores)})
        )

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes that the expressions mention, sorted.

        Those of deleted expressions are among them until room is next made.

        >>> index = Index()
        >>> index.insert(1, "user.age > 20 AND NOT (state = 'CA')")
        >>> index.attributes
        ['state', 'user.age']
        """
        return sorted(self._state.mentioned().names)

    def _tend(self, state: State) -> None:
        """Let the engine that was searched put itself in order, if it has to and nobody is writing."""
        if self._learns and state.engine.restless and state is self._state:  # type: ignore[attr-defined]  # it is Tended
            self._lock.tend(state.engine)  # type: ignore[arg-type]  # as above

    # The writers' side

    def _check_that_it_changes(self) -> None:
        if self._mode == "r":
            raise ReadOnly("this index was opened for reading; hedgerow.open(path, mode='r+') opens it for changes")

    def _staged(self, expression: Expression | Attribute | str) -> int:
        """Return the node of one expression in the writers' graph, which holds nothing else."""
        self._graph.clear()
        return add_expression(expression, self._parser)

    def _seen(self) -> Graph | None:
        """Return the predicates as they are now, if the engine lets others look them up."""
        engine = self._state.engine
        return engine.seen_predicates() if isinstance(engine, Foreseeable) else None

    def _insert_staged(self, stage: Staged) -> dict[int, HedgerowError]:
        """Insert the rows of a chunk, visible together; return the errors of the rows that were not taken."""
        given = stage.chunk
        ids, bad_ids = _checked_rows(given.ids, clean_id, plain=set(map(type, given.ids)) <= {int, str})
        weights, bad_weights = _checked_rows(given.weights, _checked_weight, plain=_are_plain_weights(given.weights))
        errors = bad_weights | bad_ids | stage.errors
        with self._lock:
            self._apply(
                stage.graph, changes.insert_rows, ids, stage.graph, stage.nodes.tolist(), weights, errors, errors=errors
            )
        return errors

    def _apply(self, graph: Graph, change: Callable[..., None], *details: object, errors: object = None) -> None:
        """Make a change by which expressions of a graph come in, after asking for all that the graph mentions.

        So whoever sees a rule can know that its attributes are asked for. If not all rows were taken, only what is in
        the engine is asked for from then on.
        """
        state = self._state
        asked = state.mentioned()
        names = changes.unknown_names(graph, asked.names)
        asked.add(names)
        try:
            change(state.engine, state.ids, *details)
        except BaseException:
            errors = True
            raise
        finally:
            if names and errors:
                state.asked[0] = Asked(state.engine.attributes())

    def _renew_graph(self) -> None:
        """Give back the room that the writers' graph has taken."""
        self._graph = Graph()
        self._parser = Parser(self._graph)

    def _compact_if_worth_it(self) -> None:
        """Give back what deleted expressions held, once they are the greater part: a constant cost a delete."""
        engine, ids, _ = self._state
        if ids.slots - len(ids) < max(_WORTH_COMPACTING, len(ids)):
            return
        live = ids.live_slots()
        kept = ids.emptied()
        for id in ids.listed(live):
            kept.add(id)
        self._state = State(engine.compacted(live.tolist()), kept, [])


def _rows_of(starts: npt.NDArray[np.int64], threads: int) -> npt.NDArray[np.int32]:
    """Return the row of each match; where there are very many, threads share them."""
    count, total = len(starts) - 1, int(starts[-1])
    if threads == 1 or total < _WORTH_THREADS:
        return repeated(starts)
    rows: npt.NDArray[np.int32] = pooled(total, np.int32)
    # As many matches for each, not as many events.
    bounds = [0, *np.searchsorted(starts, [total * number // threads for number in range(1, threads)]).tolist(), count]
    Crew(threads).run(lambda number: write_repeated(starts, rows, bounds[number], bounds[number + 1]))
    return rows


def _checked_rows(
    values: list[object], check: Callable[[object], T], *, plain: bool
) -> tuple[list[object], dict[int, HedgerowError]]:
    """Return what a check makes of each value, and the errors of those that it refuses; plain ones it would leave."""
    if plain:  # which is nearly always so, and takes less time to find out than to check each
        return values, {}
    checked = list(values)
    errors: dict[int, HedgerowError] = {}
    for row, value in enumerate(values):
        try:
            checked[row] = check(value)
        except HedgerowError as error:
            errors[row] = error
    return checked, errors


def _are_plain_weights(weights: list[object]) -> bool:
    return set(map(type, weights)) <= {float} and all(map(math.isfinite, weights))  # type: ignore[arg-type]  # floats


def clean_id(id: object) -> object:
    """Return an id as a plain integer or string, so that looking it up runs no code of its own."""
    if isinstance(id, str):
        return str.__str__(id)
    if isinstance(id, bool) or not hasattr(type(id), "__index__"):
        return id
    try:
        return operator.index(id)  # type: ignore[arg-type]  # it has __index__
    except Exception:  # noqa: BLE001 - whatever the code of an object of one's own raises
        raise InvalidId(f"an id is a 64-bit integer or a string; {shown(id)} is neither") from None


def _known_id(id: object) -> object:
    """Return an id that is to be looked up; what can be no id is one that nobody has."""
    try:
        return clean_id(id)
    except InvalidId:
        raise UnknownId(f"no expression has the id {shown(id)}") from None


def _checked_count(n: object, name: str = "n", things: str = "matches") -> int:
    if isinstance(n, (bool, np.bool_)) or not isinstance(n, (int, np.integer)) or n < 0:
        raise KindError(f"{name} is a number of {things}, not {shown(n)}")
    return min(int(n), sys.maxsize)


def _checked_threads(threads: object) -> int:
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= _MOST_THREADS:
        raise KindError(f"threads is a number from 1 to {_MOST_THREADS}, not {shown(threads)}")
    return threads


def _checked_weight(weight: object) -> float:
    plain = weight.item() if isinstance(weight, np.generic) else weight
    if plain is None:
        return 0.0
    number = isinstance(plain, (int, float)) and not isinstance(plain, bool)
    if not number or not -sys.float_info.max <= plain <= sys.float_info.max:  # type: ignore[operator]  # it is one
        raise ExpressionError(f"a weight is a finite number, not {shown(weight)}")
    return float(plain)  # type: ignore[arg-type]  # as above
