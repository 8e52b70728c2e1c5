"""The A-Tree without zero suppression, for the paper's ablation: its Algorithm 6 as printed, on expressions as written.

::

    tests on the event's attributes ─> changed ─ links ─┬─ a part over it   waits for its level, then is evaluated;
                                                        │                   if it is changed, it tells those over it
                                                        └─ an expression    matches if the part is true

Truth and falsehood both go up, level by level; ``unsuppressed_parts_cy`` tells what a part is told of, and how
defaults make that exact. An expression whose root is TRUE by default is *standing*: it matches unless the root has
changed, and is looked at on every event. Reorganisation and self-adjustment have nothing to work on here.

Versions are those of the scan: a commit publishes how many slots, parts and standing expressions there are, ``died``
holds the version from which a slot is gone, and parts are only added. What deleted expressions held is given back when
the index compacts.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import lowest_bit
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.index.atree.unsuppressed_parts_cy import (
    TOLD_SLOT,
    TOLD_TRUTH,
    Parts,
    combined,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import OUTCOME_TRUE, Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError, Unsupported
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.engine import Matches, named, ranked
from hedgerow.language.operators import Accepts, Operator
from hedgerow.language.rewrite import simplify

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))
_MOST_SLOTS = cython.declare(cython.int, 1 << 29)  # four times as much must fit in 31 bits
_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class UnsuppressedEngine:
    """The A-Tree without zero suppression. Implements ``hedgerow.index.engine.Engine``."""

    missing: object
    options: object
    parts = cython.declare(Parts, visibility="readonly")
    root: cython.int[::1]
    scored: cython.int[::1]
    weight: cython.double[::1]
    died: cython.longlong[::1]
    link_index: cython.int[::1]
    standing: cython.int[::1]
    slot_count: cython.int
    standing_count: cython.int
    committed_slots: cython.int
    committed_standing: cython.int
    committed_parts: cython.int
    version: cython.longlong
    spare: list
    last_visits: cython.longlong

    def __init__(self, missing: str, options=None):
        self.missing = missing
        self.options = ATreeOptions(zero_suppression=False) if options is None else options
        self.parts = Parts(missing, self.options)
        self.root = np.empty(16, np.int32)
        self.scored = np.empty(16, np.int32)
        self.weight = np.empty(16, np.float64)
        self.died = np.empty(16, np.int64)
        self.link_index = np.empty(16, np.int32)
        self.standing = np.empty(16, np.int32)
        self.spare = []

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Take the expression at ``node`` as it is, as the next slot."""
        if slot != self.slot_count:
            raise ValueError(f"slot {slot} is not the next one, {self.slot_count}")
        # What may be refused comes first, in the other graph; what is copied counts only when this has come to its end.
        simplified: cython.int = -1
        if graph.weighted and graph.has_weights(node):
            simplified = simplify(graph, node, self.missing)
        graph.check(node)
        self._insert(graph, node, simplified, weight)

    @cython.cfunc
    @cython.exceptval(-1)
    def _insert(self, graph: Graph, node: cython.int, simplified: cython.int, weight: cython.double) -> cython.int:
        """Take a node, and the form of it that is scored if it is not -1, as the next slot."""
        slot: cython.int = self.slot_count
        self._reserve(slot)
        self.parts.remember(graph)
        root: cython.int = self.parts.take(node)
        self.scored[slot] = -1 if simplified < 0 else self.parts.copy(simplified)
        self.root[slot] = root
        self.weight[slot] = weight
        self.died[slot] = _NEVER
        if self.parts.default[root] == OUTCOME_TRUE:
            self.link_index[slot] = -1
            self.standing[self.standing_count] = slot
            self.standing_count += 1
        else:
            self.link_index[slot] = self.parts.tell(root, slot, TOLD_SLOT)
        self.slot_count = slot + 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _reserve(self, slot: cython.int) -> cython.int:
        """Make room for a slot; where memory is short, nothing has changed."""
        needed: cython.int = slot + 1
        if slot >= _MOST_SLOTS:
            raise LimitError(f"more than {_MOST_SLOTS} inserts into one index")
        if self.standing_count >= self.standing.shape[0]:
            self.standing = grown(self.standing, self.standing_count + 1)
        if slot >= self.root.shape[0]:
            roots, scored, weights = grown(self.root, needed), grown(self.scored, needed), grown(self.weight, needed)
            links = grown(self.link_index, needed)
            self.died = grown(self.died, needed)
            self.root, self.scored, self.weight, self.link_index = roots, scored, weights, links
        return 0

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        if count < self.committed_slots or count > self.slot_count:
            raise ValueError(f"slots from {count} on cannot be taken back")
        while self.slot_count > count:
            self.slot_count -= 1
            if self.link_index[self.slot_count] < 0:
                self.standing_count -= 1
            else:
                self.parts.links.erase(self.root[self.slot_count], self.link_index[self.slot_count])

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit."""
        if slot < 0 or slot >= self.slot_count or self.died[slot] != _NEVER:
            raise ValueError(f"slot {slot} holds nothing")
        self.died[slot] = self.version + 1

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        self.committed_slots = self.slot_count
        self.committed_standing = self.standing_count
        self.committed_parts = self.parts.ready
        self.version += 1

    def compacted(self, slots):
        """Return a new engine with just these slots."""
        engine: UnsuppressedEngine = UnsuppressedEngine(self.missing, self.options)
        slot: cython.int
        for slot in slots:
            if slot < 0 or slot >= self.slot_count:
                raise IndexError(slot)
            engine._insert(self.parts.graph, self.root[slot], self.scored[slot], self.weight[slot])
        engine.commit()
        engine.parts.release()
        return engine

    # Reading

    def attributes(self):
        """Return the names of the attributes that are tested."""
        names = self.parts.graph.names
        return [names[number] for number in range(len(names))]

    @property
    def predicate_count(self):
        """How many predicates the engine holds; distinct ones, unless uniqueness is off."""
        return self.parts.graph.predicate_count

    @property
    def node_count(self):
        """How many parts the engine holds: predicates, constants and operators."""
        return self.parts.count

    @property
    def visits(self):
        """How many tests were made and operators evaluated in the last search to end."""
        return self.last_visits

    def bytes_by_part(self):
        """Return how many bytes each part holds, spare room included."""
        slots = self.root.nbytes + self.scored.nbytes + self.weight.nbytes + self.died.nbytes
        return {"nodes": self.parts.nbytes, "links": self.link_index.nbytes + self.standing.nbytes, "slots": slots}

    def expression(self, slot: cython.int):
        """Return the expression of a slot, as it was inserted but for the order of operands."""
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        return self.parts.graph.expression(self.root[slot])

    def match(self, events: EventBatch, threads: cython.int = 1):  # noqa: ARG002 - as the protocol has it
        """Return the slots that match each event; one thread does it, however many there may be."""
        search: _Search = _Search(self, events, None)
        count: cython.Py_ssize_t = len(events)
        starts: cython.longlong[::1] = np.zeros(count + 1, np.int64)
        found = [np.empty(0, np.int32)]
        row: cython.Py_ssize_t
        for row in range(count):
            with cython.nogil:
                search.run(row)
            found.append(np.asarray(search.slots)[: search.slot_total].copy())
            starts[row + 1] = starts[row] + search.slot_total
        self._end(search)
        return Matches(np.asarray(starts), np.concatenate(found))

    def match_names(self, events: EventBatch, threads: cython.int, names):
        """Return the names of the slots that match each event."""
        return named(self.match(events, threads), names)

    def saved(self):
        """Refuse: what is only there to be measured has no files."""
        raise Unsupported("an A-Tree without zero suppression cannot be saved; one with it can")

    def count(self, events: EventBatch, threads: cython.int = 1):  # noqa: ARG002 - as the protocol has it
        """Return how many slots match each event; one thread does it, however many there may be."""
        search: _Search = _Search(self, events, None)
        counts: cython.longlong[::1] = np.empty(len(events), np.int64)
        row: cython.Py_ssize_t
        with cython.nogil:
            for row in range(counts.shape[0]):
                search.run(row)
                counts[row] = search.slot_total
        self._end(search)
        return np.asarray(counts)

    def top(self, events: EventBatch, n: cython.Py_ssize_t, weights):
        """Return the best slots that match each event, and their scores."""
        search: _Search = _Search(self, events, weights)
        row: cython.Py_ssize_t
        found = ranked([self._best_of(search, row, n) for row in range(len(events))])
        self._end(search)
        return found

    @cython.cfunc
    def _best_of(self, search: _Search, row: cython.Py_ssize_t, n: cython.Py_ssize_t):
        """Return the best slots of one event, and their scores."""
        with cython.nogil:
            search.run(row)
        slots = np.asarray(search.slots)[: search.slot_total].copy()
        scores = np.array([self._score(slot, search.outcomes) for slot in slots.tolist()], np.float64)
        best = np.argsort(-scores, kind="stable")[:n]
        return slots[best], scores[best]

    @cython.cfunc
    @cython.exceptval(-1)
    def _end(self, search: _Search) -> cython.int:
        """Keep the arrays of a search for the next one; those of a search that failed are not clean, and go."""
        self.spare.append(search.scratch)
        self.last_visits = search.visits
        return 0

    def _score(self, slot: cython.int, outcomes: Outcomes):
        """Return what a slot that matches scores for the event begun."""
        scores = {}
        number: cython.int
        if self.scored[slot] < 0:
            return self.weight[slot]
        for number in self.parts.graph.below(self.scored[slot]):
            scores[number] = self._node_score(number, scores, outcomes)
        return self.weight[slot] + (scores[self.scored[slot]] or 0.0)

    def _node_score(self, node: cython.int, scores, outcomes: Outcomes):
        """Return the score of a node given those below it; None if it does not hold."""
        graph: Graph = self.parts.graph
        kind: cython.int = graph.node_kind[node]
        code: cython.int = graph.node_code[node]
        if kind == NODE_LITERAL:
            if not outcomes.literal(code):
                return None
            scoring = code & 3 == _ACCEPTS_TRUE and graph.predicate_operator[code >> 2] in (_EQ, _IN)
            return outcomes.score(code >> 2) if scoring else 0.0
        below = [scores[operand] for operand in graph.children(node)]
        if kind == NODE_AND:
            return None if None in below else sum(below)
        if kind == NODE_OR:
            return max([score for score in below if score is not None], default=None)
        return 0.0


@cython.final
@cython.cclass
class _Scratch:
    """What a search writes into, left clean to the next one: values are defaults, nothing waits, no bit is set."""

    value: cython.uchar[::1]
    pending: cython.uchar[::1]
    known: cython.int
    first: cython.int[::1]
    matched: cython.ulonglong[::1]

    def __init__(self):
        self.value = np.empty(0, np.uint8)
        self.pending = np.empty(0, np.uint8)
        self.first = np.empty(0, np.int32)
        self.matched = np.empty(0, np.uint64)

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, parts: Parts, part_count: cython.int, slot_count: cython.int) -> cython.int:
        """Make room for as many parts and slots."""
        words: cython.Py_ssize_t = (slot_count + 63) >> 6
        if part_count > self.value.shape[0]:
            values: cython.uchar[::1] = grown(self.value, part_count)
            self.pending = filled(values.shape[0], 0, np.uint8)
            self.value = values
        if part_count > self.known:
            self.value[self.known : part_count] = parts.default[self.known : part_count]
            self.known = part_count
        if parts.highest >= self.first.shape[0]:
            self.first = filled(max(parts.highest + 1, 2 * self.first.shape[0]), -1, np.int32)
        if words > self.matched.shape[0]:
            self.matched = filled(max(words, 2 * self.matched.shape[0]), 0, np.uint64)
        return 0


@cython.final
@cython.cclass
class _Search:
    """One search: what it sees, and what the event at hand has changed."""

    parts: Parts
    outcomes: Outcomes
    scratch: _Scratch
    part_count: cython.int
    slot_count: cython.int
    standing_count: cython.int
    version: cython.longlong

    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    default: cython.uchar[::1]
    level: cython.int[::1]
    link_place: cython.longlong[::1]
    link_arena: cython.int[::1]
    test_count: cython.int
    test_place: cython.longlong[::1]
    test_arena: cython.int[::1]
    root: cython.int[::1]
    died: cython.longlong[::1]
    standing: cython.int[::1]

    value: cython.uchar[::1]
    pending: cython.uchar[::1]
    first: cython.int[::1]
    matched: cython.ulonglong[::1]
    changed: cython.int[::1]
    changed_count: cython.int
    waiting: cython.int[::1]
    following: cython.int[::1]
    waiting_count: cython.int
    highest: cython.int
    slots: cython.int[::1]
    slot_total: cython.Py_ssize_t
    visits: cython.longlong

    def __init__(self, engine: UnsuppressedEngine, events: EventBatch, weights):
        parts: Parts = engine.parts
        graph: Graph = parts.graph
        # These belong together: nothing here lets another thread come in between.
        self.part_count = engine.committed_parts
        self.slot_count = engine.committed_slots
        self.standing_count = engine.committed_standing
        self.version = engine.version
        self.parts = parts
        self.kind, self.code, self.start, self.child = graph.node_kind, graph.node_code, graph.node_start, graph.child
        self.default, self.level = parts.default, parts.level
        self.link_place, self.link_arena = parts.links.place, parts.links.arena
        self.test_count = parts.tests.count
        self.test_place, self.test_arena = parts.tests.place, parts.tests.arena
        self.root, self.died, self.standing = engine.root, engine.died, engine.standing
        self.outcomes = Outcomes(parts.table, events, engine.missing, weights)
        self.scratch = engine.spare.pop() if engine.spare else _Scratch()
        self.scratch.fit(parts, self.part_count, self.slot_count)
        self.value, self.pending = self.scratch.value, self.scratch.pending
        self.first, self.matched = self.scratch.first, self.scratch.matched
        self.changed = np.empty(64, np.int32)
        self.waiting = np.empty(64, np.int32)
        self.following = np.empty(64, np.int32)
        self.slots = np.empty(64, np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def run(self, row: cython.longlong) -> cython.int:
        """Find the expressions that match an event: ``slots[:slot_total]``, in ascending order."""
        level: cython.int = 2
        entry: cython.longlong
        attribute: cython.int
        self.changed_count = 0
        self.waiting_count = 0
        self.highest = 0
        self.outcomes.begin(row)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if 0 <= attribute < self.test_count:
                self.test(attribute)
        while level <= self.highest:
            self.work_off(level)
            level += 1
        self.mark_standing()
        self.collect()
        return self.clean()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def test(self, attribute: cython.int) -> cython.int:
        """Make all tests on an attribute that the event has."""
        place: cython.longlong = self.test_place[attribute]
        position: cython.longlong
        part: cython.int
        value: cython.int
        if list_start(place) + list_length(place) > self.test_arena.shape[0]:
            with cython.gil:
                self.test_arena = self.parts.tests.arena
        for position in range(list_start(place), list_start(place) + list_length(place)):
            part = self.test_arena[position]
            if 0 <= part < self.part_count:
                self.visits = self.visits + 1
                value = self.outcomes.outcome(self.code[part])
                if value != self.default[part]:
                    self.change(part, value)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def change(self, part: cython.int, value: cython.int) -> cython.int:
        """Give a part a value that is not its default, and tell of it."""
        place: cython.longlong = self.link_place[part]
        position: cython.longlong
        if self.changed_count >= self.changed.shape[0]:
            with cython.gil:
                self.changed = grown(self.changed, self.changed_count + 1)
        self.changed[self.changed_count] = part
        self.changed_count = self.changed_count + 1
        self.value[part] = value
        if list_start(place) + list_length(place) > self.link_arena.shape[0]:
            with cython.gil:
                self.link_arena = self.parts.links.arena
        for position in range(list_start(place), list_start(place) + list_length(place)):
            self.deliver(self.link_arena[position], value)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def deliver(self, link: cython.int, value: cython.int) -> cython.int:
        """Tell the target of a link; one that only wants to hear of truth is not told of anything else."""
        told: cython.int = link & 3
        target: cython.int = link >> 2
        if link < 0 or (told >= TOLD_TRUTH and value != OUTCOME_TRUE):
            return 0
        if told == TOLD_SLOT:
            return self.mark(target)
        if target < self.part_count and not self.pending[target]:
            return self.wait(target)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def wait(self, part: cython.int) -> cython.int:
        """Put a part into the queue of its level."""
        level: cython.int = self.level[part]
        number: cython.int = self.waiting_count
        if number >= self.waiting.shape[0]:
            with cython.gil:
                self.waiting, self.following = grown(self.waiting, number + 1), grown(self.following, number + 1)
        self.pending[part] = 1
        self.waiting[number] = part
        self.following[number] = self.first[level]
        self.first[level] = number
        self.waiting_count = number + 1
        if level > self.highest:
            self.highest = level
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def work_off(self, level: cython.int) -> cython.int:
        """Evaluate the parts that wait on a level: all that is below them has its value by now."""
        number: cython.int = self.first[level]
        part: cython.int
        value: cython.int
        self.first[level] = -1
        while number >= 0:
            part = self.waiting[number]
            self.pending[part] = 0
            self.visits = self.visits + 1
            value = combined(self.kind[part], self.value, self.child, self.start[part], self.start[part + 1])
            if value != self.default[part]:
                self.change(part, value)
            number = self.following[number]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def mark(self, slot: cython.int) -> cython.int:
        """Note that an expression matches, if this search can see it."""
        if slot < self.slot_count and self.version < self.died[slot]:
            self.matched[slot >> 6] |= _ONE << (slot & 63)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def mark_standing(self) -> cython.int:
        """Note the expressions that are true by default, where their root is true still."""
        position: cython.int
        slot: cython.int
        for position in range(self.standing_count):
            slot = self.standing[position]
            if self.value[self.root[slot]] == OUTCOME_TRUE:
                self.mark(slot)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def collect(self) -> cython.int:
        """Write the matches down in order, and clear their bits."""
        total: cython.Py_ssize_t = 0
        word: cython.Py_ssize_t
        bits: cython.ulonglong
        for word in range((self.slot_count + 63) >> 6):
            bits = self.matched[word]
            if bits == 0:
                continue
            self.matched[word] = 0
            if total + 64 > self.slots.shape[0]:
                with cython.gil:
                    self.slots = grown(self.slots, total + 64)
            while bits:
                self.slots[total] = cython.cast(cython.int, word << 6 | lowest_bit(bits))
                bits &= bits - 1
                total += 1
        self.slot_total = total
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def clean(self) -> cython.int:
        """Give the parts that were changed their defaults back."""
        position: cython.int
        for position in range(self.changed_count):
            self.value[self.changed[position]] = self.default[self.changed[position]]
        return 0
