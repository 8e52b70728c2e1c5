"""The scan: every expression is evaluated on every event. The baseline of all engines, and the simplest of them.

::

    nodes     0  1  2  3  4  5 ...        one shared graph; children come before their parents
    values    T  F  U  F  T  F ...        so one sweep over the numbers evaluates every node exactly once an event
    roots     slot 0 -> 3, slot 1 -> 5    and a slot matches where its root's value is true

Three-valued throughout: no rewriting is needed, which makes it a second opinion to engines that rewrite. Expressions
with weights also get their simplified form into the graph, since that is what scores are defined on.

Versions: a commit publishes how many slots and nodes there are, and makes the deletes up to it count (``died`` holds
the version from which a slot is gone). A search takes these numbers and views of all arrays at its start; the graph
only grows, and an array that must grow is replaced, so a search that runs without the GIL keeps what it began with.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
    Graph,
)
from cython.cimports.hedgerow.predicate.outcome_cy import (
    OUTCOME_FALSE,
    OUTCOME_TRUE,
    OUTCOME_UNDEFINED,
    Outcomes,
)
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.arrays_cy import grown
from hedgerow.errors import CorruptFile
from hedgerow.index.crew_cy import Crew
from hedgerow.index.engine import Matches, named, ranked
from hedgerow.language.operators import Accepts, Operator
from hedgerow.language.rewrite import simplify
from hedgerow.sections import nested, numbers, part, scalars, section

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))
_OFTEN = cython.declare(cython.int, 4096)  # nodes after which work is counted
_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)


@cython.final
@cython.cclass
class ScanEngine:
    """Evaluates everything. Implements ``hedgerow.index.engine.Engine``."""

    missing: object
    graph: Graph
    table: PredicateTable
    copier: Copier
    generation: cython.longlong
    root: cython.int[::1]
    scored: cython.int[::1]
    weight: cython.double[::1]
    died: cython.longlong[::1]
    slot_count: cython.int
    ready_nodes: cython.int
    committed_slots: cython.int
    committed_nodes: cython.int
    version: cython.longlong

    def __init__(self, missing: str):
        self.missing = missing
        self.graph = Graph()
        self.table = PredicateTable(self.graph)
        self.copier = None
        self.root = np.empty(16, np.int32)
        self.scored = np.empty(16, np.int32)
        self.weight = np.empty(16, np.float64)
        self.died = np.empty(16, np.int64)
        self.slot_count = 0
        self.committed_slots = 0
        self.committed_nodes = 0
        self.version = 0

    # Files

    def saved(self):
        """Return the arrays that ``restored`` makes this scan of; what is not committed is not among the slots."""
        count: cython.int = self.committed_slots
        return nested(graph=self.graph.saved(), table=self.table.saved()) | {
            "root": np.asarray(self.root)[:count],
            "scored": np.asarray(self.scored)[:count],
            "weight": np.asarray(self.weight)[:count],
            "died": np.asarray(self.died)[:count],
            "numbers": numbers(self.committed_nodes, self.version),
        }

    @staticmethod
    def restored(missing: str, arrays):
        """Return the scan that was saved as these arrays, in these arrays."""
        engine: ScanEngine = ScanEngine(missing)
        engine.graph = Graph.restored(part(arrays, "graph"))
        engine.table = PredicateTable.restored(engine.graph, part(arrays, "table"))
        engine.root = section(arrays, "root", np.int32)
        engine.slot_count = engine.root.shape[0]
        engine.committed_slots = engine.slot_count
        engine.scored = section(arrays, "scored", np.int32, engine.slot_count)
        engine.weight = section(arrays, "weight", np.float64, engine.slot_count)
        engine.died = section(arrays, "died", np.int64, engine.slot_count)
        engine.committed_nodes, engine.version = scalars(arrays, "numbers", 2)
        engine.ready_nodes = engine.committed_nodes
        if engine.committed_nodes > engine.graph.node_count:
            raise CorruptFile("the section 'numbers' does not fit the nodes")
        return engine

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Copy the expression at ``node`` into the graph of this engine, as the next slot."""
        if slot != self.slot_count:
            raise ValueError(f"slot {slot} is not the next one, {self.slot_count}")
        # What may be refused comes first, in the other graph; what is copied counts only when this has come to its end.
        simplified: cython.int = -1
        if graph.weighted and graph.has_weights(node):
            simplified = simplify(graph, node, self.missing)
        root: cython.int = self._copied(graph, node)
        scored: cython.int = -1 if simplified < 0 else self._copied(graph, simplified)
        self.table.prepare_new()
        if slot >= self.root.shape[0]:
            self._grow(slot + 1)
        self.root[slot] = root
        self.scored[slot] = scored
        self.weight[slot] = weight
        self.died[slot] = _NEVER
        self.slot_count = slot + 1
        self.ready_nodes = self.graph.node_count

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        if count < self.committed_slots or count > self.slot_count:
            raise ValueError(f"slots from {count} on cannot be taken back")
        self.slot_count = count

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit."""
        if slot < 0 or slot >= self.slot_count or self.died[slot] != _NEVER:
            raise ValueError(f"slot {slot} holds nothing")
        self.died[slot] = self.version + 1

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        self.committed_slots = self.slot_count
        self.committed_nodes = self.ready_nodes
        self.version += 1

    def compacted(self, slots):
        """Return a new scan with just these slots."""
        engine: ScanEngine = ScanEngine(self.missing)
        slot: cython.int
        for slot in slots:
            if slot < 0 or slot >= self.slot_count:
                raise IndexError(slot)
            engine.insert(engine.slot_count, self.graph, self.root[slot], self.weight[slot])
        engine.commit()
        engine.copier = None  # it would keep this engine's graph alive
        return engine

    def _copied(self, graph: Graph, node: cython.int):
        """Copy a node from another graph; what was copied from it before is remembered until it is cleared."""
        if self.copier is None or self.copier.source is not graph or self.generation != graph.generation:
            self.copier = Copier(graph, self.graph)
            self.generation = graph.generation
        return self.copier.copy(node)

    def _grow(self, needed: cython.int):
        roots, scored, weights = grown(self.root, needed), grown(self.scored, needed), grown(self.weight, needed)
        self.died = grown(self.died, needed)
        self.root, self.scored, self.weight = roots, scored, weights

    # Reading

    def attributes(self):
        """Return the names of the attributes that are tested."""
        names = self.graph.names
        return [names[number] for number in range(len(names))]

    @property
    def predicate_count(self):
        """How many distinct predicates the graph holds."""
        return self.graph.predicate_count

    def bytes_by_part(self):
        """Return how many bytes each part holds; room that nothing was written to counts only in the predicates'."""
        parts = self.graph.bytes_by_part()
        parts["predicates"] += self.table.nbytes
        parts["slots"] = (4 + 4 + 8 + 8) * self.slot_count
        return parts

    def expression(self, slot: cython.int):
        """Return the expression of a slot, as it was inserted."""
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        return self.graph.expression(self.root[slot])

    def match(self, events: EventBatch, threads: cython.int = 1):
        """Return the slots that match each event."""
        if threads == 1:
            return self._match(_Search(self, events, None), 0, len(events))
        parts = _shared(self, events, threads, self._match)
        starts = np.concatenate([[0], *[np.diff(part.starts) for part in parts]])
        return Matches(np.cumsum(starts), np.concatenate([part.slots for part in parts]))

    def match_names(self, events: EventBatch, threads: cython.int, names):
        """Return the names of the slots that match each event."""
        return named(self.match(events, threads), names)

    def _match(self, search: _Search, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Return the slots that match the events of some rows."""
        count: cython.Py_ssize_t = last - first
        starts: cython.longlong[::1] = np.zeros(count + 1, np.int64)
        slots: cython.int[::1] = np.empty(64, np.int32)
        row: cython.Py_ssize_t
        found: cython.longlong
        for row in range(count):
            if search.stopped:
                break
            with cython.nogil:
                found = search.evaluate(first + row)
            starts[row + 1] = starts[row] + found
            if starts[row + 1] > slots.shape[0]:
                slots = grown(slots, starts[row + 1])
            with cython.nogil:
                search.write(slots, starts[row])
        return Matches(np.asarray(starts), np.asarray(slots)[: starts[count]])

    def count(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event."""
        if threads == 1:
            return self._count(_Search(self, events, None), 0, len(events))
        return np.concatenate(_shared(self, events, threads, self._count))

    def _count(self, search: _Search, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Return how many slots match each event of some rows."""
        counts: cython.longlong[::1] = np.empty(last - first, np.int64)
        row: cython.Py_ssize_t
        with cython.nogil:
            for row in range(counts.shape[0]):
                if search.stopped:
                    break
                counts[row] = search.evaluate(first + row)
        return np.asarray(counts)

    def top(self, events: EventBatch, n: cython.Py_ssize_t, weights):
        """Return the best slots that match each event, and their scores."""
        search: _Search = _Search(self, events, weights)
        row: cython.Py_ssize_t
        return ranked([self._best_of(search, row, n) for row in range(len(events))])

    @cython.cfunc
    def _best_of(self, search: _Search, row: cython.Py_ssize_t, n: cython.Py_ssize_t):
        """Return the best slots of one event, and their scores."""
        found: cython.longlong
        with cython.nogil:
            found = search.evaluate(row)
            search.score_nodes()
        slots: cython.int[::1] = np.empty(found, np.int32)
        scores: cython.double[::1] = np.empty(found, np.float64)
        with cython.nogil:
            search.write(slots, 0)
            search.write_scores(slots, scores)
        best = np.argsort(-np.asarray(scores), kind="stable")[:n]
        return np.asarray(slots)[best], np.asarray(scores)[best]


def _shared(engine: ScanEngine, events: EventBatch, threads: cython.int, work):
    """Share the rows of a batch among threads, all of which see the same version; return what each one returns."""
    count = len(events)
    ends = [count * number // threads for number in range(threads + 1)]
    searches = [_Search(engine, events, None) for _ in range(threads)]
    found = [None] * threads

    def run(number):
        found[number] = work(searches[number], ends[number], ends[number + 1])

    Crew(threads).run(run, lambda: _stop(searches))
    return found


@cython.cfunc
def _stop(searches: list):
    """Let searches that share a batch come to an end soon."""
    search: _Search
    for search in searches:
        search.stopped = True


@cython.final
@cython.cclass
class _Search:
    """One search: what it sees, and the values of the nodes for the event at hand."""

    outcomes: Outcomes
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    node_count: cython.int
    root: cython.int[::1]
    scored: cython.int[::1]
    weight: cython.double[::1]
    died: cython.longlong[::1]
    slot_count: cython.int
    version: cython.longlong
    value: cython.uchar[::1]
    score: cython.double[::1]
    stopped: cython.bint

    def __init__(self, engine: ScanEngine, events: EventBatch, weights):
        graph: Graph = engine.graph
        self.kind, self.code, self.start, self.child = graph.node_kind, graph.node_code, graph.node_start, graph.child
        self.node_count = engine.committed_nodes
        self.root, self.scored, self.weight = engine.root, engine.scored, engine.weight
        self.died = engine.died
        self.slot_count = engine.committed_slots
        self.version = engine.version
        self.outcomes = Outcomes(engine.table, events, engine.missing, weights)
        self.value = np.empty(self.node_count, np.uint8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def evaluate(self, row: cython.longlong) -> cython.Py_ssize_t:
        """Work out the value of every node for an event; return how many slots match it."""
        self.outcomes.begin(row)
        node: cython.int
        slot: cython.int
        found: cython.longlong = 0
        for node in range(self.node_count):
            if not node & (_OFTEN - 1):
                self.outcomes.spend(_OFTEN)
            self.value[node] = self.node_value(node)
        for slot in range(self.slot_count):
            found += self.matches(slot)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def matches(self, slot: cython.int) -> cython.int:
        return self.version < self.died[slot] and self.value[self.root[slot]] == OUTCOME_TRUE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def node_value(self, node: cython.int) -> cython.int:
        kind: cython.int = self.kind[node]
        if kind == NODE_PREDICATE:
            return self.outcomes.outcome(self.code[node])
        if kind == NODE_AND:
            return self.folded(node, OUTCOME_FALSE)
        if kind == NODE_OR:
            return self.folded(node, OUTCOME_TRUE)
        if kind == NODE_LITERAL:
            return self.outcomes.literal(self.code[node])
        if kind == NODE_NOT:
            return _negated(self.value[self.child[self.start[node]]])
        if kind == NODE_XOR or kind == NODE_XNOR:
            return self.parity(node, kind == NODE_XNOR)
        return OUTCOME_TRUE if kind == NODE_TRUE else OUTCOME_FALSE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def folded(self, node: cython.int, decisive: cython.int) -> cython.int:
        """Return the value of AND or OR: the first decisive operand decides, an undefined one leaves it undefined."""
        result: cython.int = 1 - decisive
        position: cython.longlong
        operand: cython.int
        for position in range(self.start[node], self.start[node + 1]):
            operand = self.value[self.child[position]]
            if operand == decisive:
                return decisive
            if operand == OUTCOME_UNDEFINED:
                result = OUTCOME_UNDEFINED
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def parity(self, node: cython.int, negating: cython.bint) -> cython.int:
        """Return the value of XOR or XNOR, from left to right: each step of XNOR negates once more."""
        result: cython.int = 0
        position: cython.longlong
        operand: cython.int
        for position in range(self.start[node], self.start[node + 1]):
            operand = self.value[self.child[position]]
            if operand == OUTCOME_UNDEFINED:
                return OUTCOME_UNDEFINED
            result ^= operand
        if negating:
            result ^= cython.cast(cython.int, (self.start[node + 1] - self.start[node] - 1) & 1)
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def write(self, slots: cython.int[::1], position: cython.longlong) -> cython.int:
        """Write the slots that match the event at hand, from ``position`` on."""
        slot: cython.int
        for slot in range(self.slot_count):
            if self.matches(slot):
                slots[position] = slot
                position += 1
        return 0

    # Scores

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def score_nodes(self) -> cython.int:
        """Work out the score of every literal, and of every AND and OR over them, for the event at hand."""
        with cython.gil:
            self.score = np.zeros(self.node_count, np.float64)
        node: cython.int
        code: cython.int
        kind: cython.int
        for node in range(self.node_count):
            kind = self.kind[node]
            if not node & (_OFTEN - 1):
                self.outcomes.spend(_OFTEN)
            if self.value[node] != OUTCOME_TRUE:
                continue
            if kind == NODE_LITERAL:
                code = self.code[node]
                if code & 3 == _ACCEPTS_TRUE and _is_scored(self.outcomes.operator[code >> 2]):
                    self.score[node] = self.outcomes.score(code >> 2)
            elif kind == NODE_AND or kind == NODE_OR:
                self.score[node] = self.combined(node, kind == NODE_AND)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=True)
    def combined(self, node: cython.int, adding: cython.bint) -> cython.double:
        total: cython.double = 0.0
        position: cython.longlong
        part: cython.double
        for position in range(self.start[node], self.start[node + 1]):
            part = self.score[self.child[position]]
            if adding:
                total += part
            elif part > total:
                total = part
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def write_scores(self, slots: cython.int[::1], scores: cython.double[::1]) -> cython.int:
        position: cython.Py_ssize_t
        scored: cython.int
        for position in range(slots.shape[0]):
            scored = self.scored[slots[position]]
            scores[position] = self.weight[slots[position]]
            if scored >= 0:
                scores[position] += self.score[scored]
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _negated(value: cython.int) -> cython.int:
    return OUTCOME_UNDEFINED if value == OUTCOME_UNDEFINED else 1 - value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_scored(operator: cython.int) -> cython.bint:
    return operator == _EQ or operator == _IN
