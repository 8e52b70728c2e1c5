"""The search of a BE-Tree by relation, for events that have sets of values.

What every q must have an o for (``satisfied``, ``symmetric``, ``contained``, ``exact``) leads as a value does: to the
partitions of the attributes that the event has, and there to the buckets that its sets reach into. The other two
relations ask nothing of the tests on what the event is silent about, so that any partition may have what they want:
they look at the whole directory, where the paper's own answer is a part of what relates (Section 3).

Records are looked at with the GIL held. A literal that nobody knows yet is noted, and when the walk has come to its end
Python is asked for all of them at once, and the walk begins again: while it goes on, nothing can change.

An expression whose conjunctions are not those of its clauses (it has constants, or the same choice twice, or asks for
opposites) is *odd*; there are few. The clauses of one are some of its conjunctions, so what is hit relates; if nothing
is, it is worked out by itself.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.axes_cy import AXES, LANE_LINE, LANE_VALUE, test_size
from cython.cimports.hedgerow.index.betree.nodes_cy import (
    HEAD_WORDS,
    KNOWN_BITS,
    NOBODY,
    Node,
    Partition,
    lane_of,
    node_at,
    partition_at,
)
from cython.cimports.hedgerow.index.betree.tree_cy import Tree
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.relating_cy import COVERS, HOLDS, Judge
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import Units, UnitSearcher
from cython.cimports.hedgerow.predicate.keys import number_key, text_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import Unsupported
from hedgerow.index.chassis.coverage import can_cover
from hedgerow.regions import FAMILIES as _LINES
from hedgerow.regions import LEAST as _LEAST
from hedgerow.regions import MOST as _MOST
from hedgerow.regions import Region
from hedgerow.values import Kind, kind_of, microseconds

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_FAMILIES = cython.declare(cython.int, 4)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)


@cython.cclass
class BETreeRelating(UnitSearcher):
    """One search by relation, for the events that it is given: rows of a batch that has nothing else."""

    def __init__(self, engine: BaseEngine, outcomes: Outcomes, questions, events, units: Units, tree: Tree):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, units)
        self.missing = engine.missing
        self.events = events
        self.tree, self.axes = tree, tree.axes
        self.code = self.axes.code
        self.judge = Judge(engine.graph, questions)
        self.stack, self.literals = np.empty(64, np.int32), np.empty(64, np.int32)
        self.low, self.high = np.empty(64 * _FAMILIES, np.int64), np.empty(64 * _FAMILIES, np.int64)
        self.everywhere = np.empty(64, np.uint8)
        self.covered_at = filled(64, 0, np.int64)

    def take_odd(self, slots, nodes, count):
        """Take the expressions that are odd, as they are by now."""
        self.odd_slot, self.odd_node, self.odd_count = slots, nodes, count
        return 0

    def run(self, row):
        with cython.gil:
            self.relate(row)
        return 0

    def relate(self, row):
        """Walk until all is known that the walk asks for, and nothing has changed meanwhile."""
        changes: cython.longlong
        event = self.events[row]
        self.judge.begin(event)
        self.place(event)
        while True:
            changes = self.tree.changes
            if changes & 1:
                raise Unsupported("a search cannot begin within a change of the same index")
            self.hit_count = 0
            self.judge.open_count = 0
            if self.judge.wants_holding:
                self.walk()
            else:
                self.look_everywhere()
            if self.judge.open_count:
                self.judge.answer()
            elif self.tree.changes == changes:
                return 0

    def settle(self):
        """Mark the owners of what was hit, and the odd slots that relate by a conjunction that is no clause."""
        if self.odd_count:
            with cython.gil:
                self.mark_odd()
        return UnitSearcher.settle(self)

    def mark_odd(self):
        position: cython.int
        wanted = self.judge.all_wanted()
        for position in range(self.odd_count):
            if self.odd_slot[position] >= self.slot_limit:
                break
            if self.any_died and self.died[self.odd_slot[position]] <= self.version:
                continue
            if can_cover(self.graph, self.odd_node[position], self.missing, self.judge.told, wanted):
                self.mark(self.odd_slot[position])
        return 0

    # Where the event is

    def place(self, event):
        """Find the hulls of the sets of an event, and the keys of those that are some values."""
        entry: cython.Py_ssize_t = 0
        family: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(event)
        if count > self.everywhere.shape[0]:
            everywhere, covered = grown(self.everywhere, count), grown(self.covered_at, count, 0)
            lows, highs = grown(self.low, count * _FAMILIES), grown(self.high, count * _FAMILIES)
            self.everywhere, self.covered_at, self.low, self.high = everywhere, covered, lows, highs
        self.keys = []
        for name, said in event.items():
            self.everywhere[entry] = not isinstance(said, Region)
            for family in range(_FAMILIES):
                self.low[entry * _FAMILIES + family], self.high[entry * _FAMILIES + family] = _HIGHEST, _LOWEST
                if not self.everywhere[entry]:
                    self.place_line(entry, family, said.spans.get(_LINES[family]))
            self.keys.append(None if self.everywhere[entry] else self.keys_of(name, said))
            entry += 1
        return 0

    def place_line(self, entry, family, spans):
        if spans:
            self.low[entry * _FAMILIES + family] = self.end_key(spans[0][0])
            self.high[entry * _FAMILIES + family] = self.end_key(spans[len(spans) - 1][1])
        return 0

    def end_key(self, end):
        """Return the key of an end of a span, in the order of its family (``predicate/keys.pxd``)."""
        if end == _LEAST:
            return _LOWEST
        if end == _MOST:
            return _HIGHEST
        value = end[1]
        kind = kind_of(value)
        if kind == Kind.STRING:
            data: bytes = value.encode()
            if not data:
                return text_key(cython.NULL, 0)
            return text_key(
                cython.cast(cython.pointer(cython.const[cython.uchar]), cython.cast(cython.p_char, data)), len(data)
            )
        if kind == Kind.TIMESTAMP:
            return microseconds(value)
        if kind == Kind.BOOL:
            return 1 if value else 0
        return number_key(cython.cast(cython.double, float(value)))

    def keys_of(self, name, said):
        """Return the keys of the values of a set, as far as rules have them; None if there is no end to them."""
        points = said.points() if said.spans else []
        attribute: cython.int = self.graph.names.find_text(name)
        if points is None or attribute < 0:
            return None
        found: list = []
        key: cython.int
        payload: cython.longlong
        number: cython.double
        for value in points:
            kind = kind_of(value)
            payload = 0
            if kind == Kind.STRING:
                payload = self.graph.strings.find_text(value)
                if payload < 0:
                    continue
            elif kind == Kind.FLOAT:
                number = value
                memcpy(cython.address(payload), cython.address(number), 8)
            else:
                payload = microseconds(value) if kind == Kind.TIMESTAMP else int(value)
            key = self.axes.keys.find(attribute, int(kind), payload)
            if key >= 0:
                found.append(key)
        return found

    # The walk. A node comes once, so the stack needs room for all of them.

    def walk(self):
        """Look at the leaves that the sets of the event reach into."""
        depth: cython.int = 1
        node: cython.int
        here: cython.pointer(Node)
        partition: cython.int
        changes: cython.longlong = self.tree.changes
        if self.stack.shape[0] <= self.tree.node_count:
            self.stack = roomy(2 * self.tree.node_count + 1, np.int32)
        self.stack[0] = 0
        while depth:
            depth -= 1
            node = self.stack[depth]
            self.look(node)
            if self.tree.changes != changes:  # a handler of a signal has come in between
                return 0
            here = node_at(self.tree, node)
            if here.left >= 0:
                depth = self.push_halves(here, depth)
            partition = here.partition
            while partition >= 0:
                depth = self.push_buckets(partition, depth)
                partition = partition_at(self.tree, partition).next
        return 0

    def push_halves(self, node, depth):
        """Let those halves of a bucket be visited that the set of its attribute reaches into."""
        axis: cython.int = partition_at(self.tree, node.owner).axis
        entry: cython.Py_ssize_t = self.judge.entry_of[axis // AXES]
        place: cython.Py_ssize_t = entry * _FAMILIES + lane_of(axis) - LANE_LINE
        middle: cython.longlong = node_at(self.tree, node.left).high
        if self.everywhere[entry] or self.low[place] <= middle:
            self.stack[depth] = node.left
            depth += 1
        if self.everywhere[entry] or self.high[place] > middle:
            self.stack[depth] = node.left + 1
            depth += 1
        return depth

    def push_buckets(self, number, depth):
        """Let the buckets of a partition be visited that the event reaches into, if it has the attribute."""
        partition: cython.pointer(Partition) = partition_at(self.tree, number)
        attribute: cython.int = partition.axis // AXES
        lane: cython.int = lane_of(partition.axis)
        entry: cython.Py_ssize_t = -1
        place: cython.Py_ssize_t
        bucket: cython.int
        key: cython.int
        if attribute < self.judge.entry_of.shape[0]:
            entry = self.judge.entry_of[attribute]
        if entry < 0:
            return depth
        if lane != LANE_VALUE:
            place = entry * _FAMILIES + lane - LANE_LINE
            if lane < LANE_LINE or self.everywhere[entry] or self.low[place] <= self.high[place]:
                self.stack[depth] = partition.top
                depth += 1
            return depth
        if self.keys[entry] is not None and len(self.keys[entry]) <= partition.buckets:
            for key in self.keys[entry]:
                bucket = self.tree.bucket_of.find(number, key)
                if bucket >= 0:
                    self.stack[depth] = bucket
                    depth += 1
            return depth
        bucket = partition.top
        while bucket >= 0:
            self.stack[depth] = bucket
            depth += 1
            bucket = node_at(self.tree, bucket).next
        return depth

    def look_everywhere(self):
        """Look at all leaves."""
        node: cython.int
        changes: cython.longlong = self.tree.changes
        for node in range(self.tree.node_count):
            if node_at(self.tree, node).owner != NOBODY:
                self.look(node)
            if self.tree.changes != changes:
                return 0
        return 0

    # Leaves

    def look(self, number):
        """Hit the units of a leaf that relate, as far as that is known. Signals are let in at its end."""
        node: cython.pointer(Node) = node_at(self.tree, number)
        at: cython.longlong = node.start
        end: cython.longlong = at + node.used
        steps: cython.longlong = 1 + node.records
        unit: cython.int
        count: cython.int
        self.visits += steps
        while at < end:
            unit = self.tree.arena[at]
            count = self.read(at)
            if unit < self.unit_limit:
                self.checked += 1
                if self.is_related(count):
                    hit(self, unit)
            at += HEAD_WORDS + (self.tree.arena[at + 2] >> KNOWN_BITS) + (self.tree.arena[at + 2] & _KNOWN)
        return self.outcomes.spend(8 * steps)

    def read(self, at):
        """Read the literals of a record; return how many there are."""
        words: cython.int = self.tree.arena[at + 2] >> KNOWN_BITS
        known: cython.int = self.tree.arena[at + 2] & _KNOWN
        position: cython.longlong = at + HEAD_WORDS
        last: cython.longlong = position + words
        count: cython.int = 0
        if words // 2 + known > self.literals.shape[0]:
            self.literals = grown(self.literals, words // 2 + known)
        while position < last:
            self.literals[count] = self.tree.arena[position + 1]
            count += 1
            position += test_size(cython.address(self.tree.arena[position]))
        for position in range(last, last + known):
            self.literals[count] = self.tree.arena[position]
            count += 1
        return count

    def is_related(self, count):
        """Return whether the literals that were read all hold and cover what must be covered, as far as is known."""
        position: cython.int
        code: cython.int
        bits: cython.int
        entry: cython.int
        covered: cython.int = 0
        is_open: cython.bint = False
        if count < self.judge.wanted:
            return False
        self.turn += 1
        for position in range(count):
            code = self.code[self.literals[position]]
            bits = self.judge.known(code)
            if bits == 0:
                self.judge.ask(code)
                is_open = True
            elif not bits & HOLDS:
                return False
            elif bits & COVERS:
                entry = self.judge.entry(code)
                if self.covered_at[entry] != self.turn:
                    self.covered_at[entry] = self.turn
                    covered += 1
        return not is_open and covered == self.judge.wanted
