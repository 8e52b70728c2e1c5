"""The A-Tree as an engine: see the package's docstring for the idea.

The graph (``language.graph_cy``) has the nodes: literals, AND and OR, each distinct one once. Beside it::

    users      node -> how many ask for its truth: expressions that end here, ORs over it, ANDs that access it
    parents    node -> the nodes over it that ask, a list in ``Lists``
    position   for each operand of a node, its index in that operand's ``parents``; -1 where the node does not ask it
    first_slot node -> an expression that ends here; ``next_slot`` chains the others

Versions are those of the scan: a commit publishes how many slots and nodes count, ``died`` holds the version from
which a slot is gone. A search sees what was committed when it began. Asking may begin at any time (a search only looks
at committed nodes), but must not end while a search that began earlier may still go that way: it ends at the first
commit that no search is running at.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_OR,
    NODE_TRUE,
    Copier,
    Graph,
)
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.finder_cy import Finder, Found
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.arrays_cy import filled, grown
from hedgerow.index.engine import Matches
from hedgerow.language.operators import Accepts, Operator
from hedgerow.language.rewrite import simplify

_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))

_FALSE = cython.declare(cython.int, 1)
_TRUE = cython.declare(cython.int, 2)
_ANNOUNCED = cython.declare(cython.int, 3)

# How often a literal is expected to hold, relative to an equality. Literals that are tested one by one, and those that
# absence satisfies, are the worst to be asked: every event must look at them.
_COST_VALUE = cython.declare(cython.double, 1.0)
_COST_TEST = cython.declare(cython.double, 1000.0)
_COST_ABSENCE = cython.declare(cython.double, 1e6)


@cython.cclass
class ATreeEngine:
    """The A-Tree. Implements ``hedgerow.index.engine.Engine``."""

    missing: object
    graph: Graph
    table: PredicateTable
    finder: Finder
    parents: Lists
    copier: Copier
    generation: cython.longlong

    users: cython.int[::1]
    position: cython.int[::1]
    first_slot: cython.int[::1]
    node_cost: cython.double[::1]
    prepared: cython.int
    always: cython.int
    stack: cython.int[::1]

    root: cython.int[::1]
    next_slot: cython.int[::1]
    weight: cython.double[::1]
    weighted: cython.uchar[::1]
    died: cython.longlong[::1]
    slot_count: cython.int
    ready_nodes: cython.int
    committed_slots: cython.int
    committed_nodes: cython.int
    version: cython.longlong

    searches: cython.int
    ending: list
    spare: list

    def __init__(self, missing: str):
        self.missing = missing
        self.graph = Graph()
        self.table = PredicateTable(self.graph)
        self.finder = Finder(self.graph, self.table)
        self.parents = Lists()
        self.users = np.zeros(16, np.int32)
        self.position = filled(16, -1, np.int32)
        self.first_slot = filled(16, -1, np.int32)
        self.node_cost = np.zeros(16, np.float64)
        self.stack = np.empty(16, np.int32)
        self.always = -1
        self.root = np.empty(16, np.int32)
        self.next_slot = np.empty(16, np.int32)
        self.weight = np.empty(16, np.float64)
        self.weighted = np.empty(16, np.uint8)
        self.died = np.empty(16, np.int64)
        self.ending = []
        self.spare = []

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Take the simplified form of the expression at ``node`` into the tree, as the next slot."""
        if slot != self.slot_count:
            raise ValueError(f"slot {slot} is not the next one, {self.slot_count}")
        weighted: cython.bint = graph.weighted
        root: cython.int = self._copied(graph, simplify(graph, node, self.missing))
        self.table.extend()
        self._prepare()
        if slot >= self.root.shape[0]:
            self._grow_slots(slot + 1)
        self.root[slot] = root
        self.weight[slot] = weight
        self.weighted[slot] = weighted
        self.died[slot] = _NEVER
        self._ask(root)
        self.next_slot[slot] = self.first_slot[root]
        self.first_slot[root] = slot
        self.slot_count = slot + 1
        self.ready_nodes = self.graph.node_count

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        root: cython.int
        if count < self.committed_slots or count > self.slot_count:
            raise ValueError(f"slots from {count} on cannot be taken back")
        while self.slot_count > count:
            self.slot_count -= 1
            root = self.root[self.slot_count]
            self.first_slot[root] = self.next_slot[self.slot_count]
            self.ending.append(root)
        self._end_all()

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit; its nodes are asked until none is running."""
        if slot < 0 or slot >= self.slot_count or self.died[slot] != _NEVER:
            raise ValueError(f"slot {slot} holds nothing")
        self.died[slot] = self.version + 1
        self.ending.append(self.root[slot])

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        self.committed_slots = self.slot_count
        self.committed_nodes = self.ready_nodes
        self.version += 1
        self._end_all()

    def compacted(self, slots):
        """Return a new tree with just these slots."""
        engine: ATreeEngine = ATreeEngine(self.missing)
        slot: cython.int
        for slot in slots:
            if slot < 0 or slot >= self.slot_count:
                raise IndexError(slot)
            engine.insert(engine.slot_count, self.graph, self.root[slot], self.weight[slot])
            engine.weighted[engine.slot_count - 1] = self.weighted[slot]
        engine.commit()
        engine.copier = None  # it would keep this engine's graph alive
        return engine

    def _copied(self, graph: Graph, node: cython.int):
        """Copy a node from another graph; what was copied from it before is remembered until it is cleared."""
        if graph is self.graph:
            return node
        if self.copier is None or self.copier.source is not graph or self.generation != graph.generation:
            self.copier = Copier(graph, self.graph)
            self.generation = graph.generation
        return self.copier.copy(node)

    def _prepare(self):
        """Give the nodes that the graph has gained their places beside it."""
        graph: Graph = self.graph
        count: cython.int = graph.node_count
        node: cython.int
        if count > self.users.shape[0]:
            self._grow_nodes(count)
        if graph.node_start[count] > self.position.shape[0]:
            self.position = grown(self.position, graph.node_start[count])
        while self.prepared < count:
            node = self.prepared
            self.parents.new_list()
            self.users[node] = 0
            self.first_slot[node] = -1
            self.node_cost[node] = self._cost(node)
            self.position[graph.node_start[node] : graph.node_start[node + 1]] = -1
            if graph.node_kind[node] == NODE_TRUE:
                self.always = node
            self.prepared += 1

    def _grow_nodes(self, needed: cython.int):
        users, first = grown(self.users, needed), grown(self.first_slot, needed)
        self.node_cost = grown(self.node_cost, needed)
        self.users, self.first_slot = users, first

    def _grow_slots(self, needed: cython.int):
        roots, following = grown(self.root, needed), grown(self.next_slot, needed)
        weights, weighted = grown(self.weight, needed), grown(self.weighted, needed)
        self.died = grown(self.died, needed)
        self.root, self.next_slot, self.weight, self.weighted = roots, following, weights, weighted

    @cython.cfunc
    @cython.exceptval(check=True)
    def _cost(self, node: cython.int) -> cython.double:
        """Return how often a node is expected to hold: an AND like its rarest operand, an OR like all together."""
        graph: Graph = self.graph
        kind: cython.int = graph.node_kind[node]
        total: cython.double = 0.0
        cost: cython.double
        position: cython.longlong
        if kind == NODE_LITERAL:
            return self._literal_cost(graph.node_code[node])
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            cost = self.node_cost[graph.child[position]]
            if kind == NODE_OR:
                total += cost
            elif position == graph.node_start[node] or cost < total:
                total = cost
        return total

    @cython.cfunc
    @cython.exceptval(check=True)
    def _literal_cost(self, code: cython.int) -> cython.double:
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        operator: cython.int = self.graph.predicate_operator[predicate]
        if accepts > _ACCEPTS_FALSE or (operator == _IS_NULL and accepts == _ACCEPTS_TRUE):
            return _COST_ABSENCE
        if accepts == _ACCEPTS_TRUE and (operator == _EQ or operator == _IN):
            return _COST_VALUE * self.table.listed_count[predicate]
        if accepts == _ACCEPTS_TRUE and operator > _BETWEEN:
            return _COST_TEST / 2
        return _COST_TEST

    # Asking for truth

    def _ask(self, root: cython.int):
        """Ask for the truth of a node: if nobody did before, it must ask in turn."""
        graph: Graph = self.graph
        depth: cython.Py_ssize_t = 1
        node: cython.int
        position: cython.longlong
        kind: cython.int
        self.stack[0] = root
        while depth:
            depth -= 1
            node = self.stack[depth]
            self.users[node] += 1
            if self.users[node] > 1:
                continue
            kind = graph.node_kind[node]
            if kind == NODE_LITERAL:
                self.finder.add(node, graph.node_code[node])
            elif kind == NODE_AND:
                depth = self._ask_operand(node, self._access(node), depth)
            elif kind == NODE_OR:
                for position in range(graph.node_start[node], graph.node_start[node + 1]):
                    depth = self._ask_operand(node, position, depth)

    @cython.cfunc
    @cython.exceptval(-1)
    def _ask_operand(self, node: cython.int, position: cython.longlong, depth: cython.Py_ssize_t) -> cython.Py_ssize_t:
        operand: cython.int = self.graph.child[position]
        self.position[position] = self.parents.append(operand, node)
        if depth >= self.stack.shape[0]:
            self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = operand
        return depth + 1

    @cython.cfunc
    @cython.exceptval(-1)
    def _access(self, node: cython.int) -> cython.longlong:
        """Choose the access child of an AND: the cheapest operand, of equal ones the one that fewest ask."""
        graph: Graph = self.graph
        best: cython.longlong = graph.node_start[node]
        position: cython.longlong
        operand: cython.int
        chosen: cython.int
        for position in range(best + 1, graph.node_start[node + 1]):
            operand = graph.child[position]
            chosen = graph.child[best]
            if self.node_cost[operand] < self.node_cost[chosen] or (
                self.node_cost[operand] == self.node_cost[chosen] and self.users[operand] < self.users[chosen]
            ):
                best = position
        return best

    def _end_all(self):
        """Stop asking for what nobody needs any more, unless a search is running."""
        if self.searches == 0:
            while self.ending:
                self._end(self.ending.pop())

    def _end(self, root: cython.int):
        """Stop asking for the truth of a node: if nobody else does, it stops asking in turn."""
        graph: Graph = self.graph
        pending = [root]
        node: cython.int
        position: cython.longlong
        while pending:
            node = pending.pop()
            self.users[node] -= 1
            if self.users[node]:
                continue
            if graph.node_kind[node] == NODE_LITERAL:
                self.finder.remove(node)
            for position in range(graph.node_start[node], graph.node_start[node + 1]):
                if self.position[position] >= 0:
                    self.parents.erase(graph.child[position], self.position[position])
                    self.position[position] = -1
                    pending.append(graph.child[position])

    # Reading

    @property
    def predicate_count(self):
        """How many distinct predicates the graph holds."""
        return self.graph.predicate_count

    @property
    def nbytes(self):
        """How many bytes all arrays hold."""
        nodes = self.users.nbytes + self.position.nbytes + self.first_slot.nbytes + self.node_cost.nbytes
        slots = self.root.nbytes + self.next_slot.nbytes + self.weight.nbytes + self.weighted.nbytes + self.died.nbytes
        return self.graph.nbytes + self.table.nbytes + self.finder.nbytes + self.parents.nbytes + nodes + slots

    def expression(self, slot: cython.int):
        """Return the simplified form of what was inserted into a slot."""
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        return self.graph.expression(self.root[slot])

    def match(self, events: EventBatch):
        """Return the slots that match each event."""
        search: _Search = _Search(self, events, None)
        count: cython.Py_ssize_t = len(events)
        starts: cython.longlong[::1] = np.zeros(count + 1, np.int64)
        rows = []
        row: cython.Py_ssize_t
        try:
            for row in range(count):
                with cython.nogil:
                    search.run(row)
                rows.append(search.sorted_slots())
                starts[row + 1] = starts[row] + search.found_count
        finally:
            search.close(self)
        return Matches(np.asarray(starts), np.concatenate(rows) if rows else np.empty(0, np.int32))

    def count(self, events: EventBatch):
        """Return how many slots match each event."""
        search: _Search = _Search(self, events, None)
        counts: cython.longlong[::1] = np.empty(len(events), np.int64)
        row: cython.Py_ssize_t
        try:
            with cython.nogil:
                for row in range(counts.shape[0]):
                    search.run(row)
                    counts[row] = search.found_count
        finally:
            search.close(self)
        return np.asarray(counts)

    def top(self, event: EventBatch, n: cython.Py_ssize_t, weights):
        """Return the best slots that match one event, and their scores."""
        search: _Search = _Search(self, event, weights)
        try:
            with cython.nogil:
                search.run(0)
            slots = search.sorted_slots()
            scores = np.array([search.score_of(slot) for slot in slots.tolist()], np.float64)
        finally:
            search.close(self)
        best = np.argsort(-scores, kind="stable")[:n]
        return slots[best], scores[best]


@cython.cclass
class _Scratch:
    """What a search writes into, left to the next one: making arrays anew would cost more than a small search."""

    mark: cython.longlong[::1]
    event: cython.longlong
    true_nodes: cython.int[::1]
    frame_node: cython.int[::1]
    frame_position: cython.longlong[::1]
    slots: cython.int[::1]

    def __init__(self):
        self.mark = np.zeros(16, np.int64)
        self.true_nodes = np.empty(64, np.int32)
        self.frame_node = np.empty(32, np.int32)
        self.frame_position = np.empty(32, np.int64)
        self.slots = np.empty(64, np.int32)


@cython.cclass
class _Search:
    """One search: what it sees, and the values of the nodes for the event at hand."""

    engine: ATreeEngine
    scratch: _Scratch
    outcomes: Outcomes
    found: Found
    graph: Graph
    parents: Lists
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    node_count: cython.int
    place: cython.longlong[::1]
    arena: cython.int[::1]
    always: cython.int

    root: cython.int[::1]
    first_slot: cython.int[::1]
    next_slot: cython.int[::1]
    weight: cython.double[::1]
    weighted: cython.uchar[::1]
    died: cython.longlong[::1]
    slot_count: cython.int
    version: cython.longlong

    # ``mark[node] == 4 * event + _FALSE, _TRUE or _ANNOUNCED`` where the value is known for the event at hand.
    mark: cython.longlong[::1]
    event: cython.longlong
    true_nodes: cython.int[::1]
    true_count: cython.Py_ssize_t
    frame_node: cython.int[::1]
    frame_position: cython.longlong[::1]
    slots: cython.int[::1]
    found_count: cython.longlong

    def __init__(self, engine: ATreeEngine, events: EventBatch, weights):
        graph: Graph = engine.graph
        self.engine = engine
        self.graph = graph
        self.kind, self.code, self.start, self.child = graph.node_kind, graph.node_code, graph.node_start, graph.child
        self.node_count = engine.committed_nodes
        self.parents = engine.parents
        self.place, self.arena = engine.parents.place, engine.parents.arena
        self.always = engine.always
        self.root, self.first_slot, self.next_slot = engine.root, engine.first_slot, engine.next_slot
        self.weight, self.weighted, self.died = engine.weight, engine.weighted, engine.died
        self.slot_count = engine.committed_slots
        self.version = engine.version
        engine.searches += 1
        try:
            self.outcomes = Outcomes(engine.table, events, engine.missing, weights)
            self.found = Found(engine.finder, self.outcomes, self.node_count)
            self._take_scratch(engine)
        except BaseException:
            engine.searches -= 1
            raise

    def _take_scratch(self, engine: ATreeEngine):
        """Take what another search has left; marks that are too few are made anew, and must be zero."""
        scratch: _Scratch = engine.spare.pop() if engine.spare else _Scratch()
        if scratch.mark.shape[0] < self.node_count:
            scratch.mark = np.zeros(self.node_count + self.node_count // 4, np.int64)
            scratch.event = 0
        self.scratch = scratch
        self.mark, self.event, self.slots = scratch.mark, scratch.event, scratch.slots
        self.true_nodes, self.frame_node, self.frame_position = (
            scratch.true_nodes,
            scratch.frame_node,
            scratch.frame_position,
        )

    def close(self, engine: ATreeEngine):
        """Leave the arrays to the next search, and let deletes take full effect."""
        scratch: _Scratch = self.scratch
        scratch.event, scratch.slots = self.event, self.slots
        scratch.true_nodes, scratch.frame_node, scratch.frame_position = (
            self.true_nodes,
            self.frame_node,
            self.frame_position,
        )
        engine.spare.append(scratch)
        engine.searches -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def run(self, row: cython.longlong) -> cython.int:
        """Find the slots that match an event: ``slots[:found_count]``, in no order."""
        position: cython.Py_ssize_t
        node: cython.int
        self.event = self.event + 1
        self.found_count = 0
        self.true_count = 0
        self.found.find(row)
        for position in range(self.found.count):
            self.announce(self.found.nodes[position])
        if 0 <= self.always < self.node_count:
            self.announce(self.always)
        while self.true_count:
            self.true_count = self.true_count - 1
            node = self.true_nodes[self.true_count]
            self.take_slots(node)
            self.visit_parents(node)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def announce(self, node: cython.int) -> cython.int:
        """Note that a node holds, and that those who ask must hear of it, unless they have."""
        if self.mark[node] == 4 * self.event + _ANNOUNCED:
            return 0
        self.mark[node] = 4 * self.event + _ANNOUNCED
        if self.true_count >= self.true_nodes.shape[0]:
            with cython.gil:
                self.true_nodes = grown(self.true_nodes, self.true_count + 1)
        self.true_nodes[self.true_count] = node
        self.true_count = self.true_count + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def visit_parents(self, node: cython.int) -> cython.int:
        """Tell those who asked that a node holds: an OR holds too, an AND must look at its other operands."""
        place: cython.longlong = self.place[node]
        first: cython.longlong = list_start(place)
        last: cython.longlong = first + list_length(place)
        position: cython.longlong
        parent: cython.int
        if last > self.arena.shape[0]:
            with cython.gil:
                self.place, self.arena = self.parents.place, self.parents.arena
        for position in range(first, last):
            parent = self.arena[position]
            if parent < 0 or parent >= self.node_count:
                continue
            if self.kind[parent] == NODE_OR or self.evaluate(parent):
                self.announce(parent)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def known(self, node: cython.int) -> cython.int:
        """Return the value of a node if it is known or a literal's, which is tested at once; else 2."""
        mark: cython.longlong = self.mark[node] - 4 * self.event
        value: cython.int
        if mark >= _FALSE:
            return mark != _FALSE
        if self.kind[node] != NODE_LITERAL:
            return 2 if self.kind[node] > NODE_LITERAL else self.kind[node] == NODE_TRUE
        value = self.outcomes.literal(self.code[node])
        self.mark[node] = 4 * self.event + (_TRUE if value else _FALSE)
        return value

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def evaluate(self, node: cython.int) -> cython.int:
        """Return the value of a node, working out what it needs of the nodes below it, without recursion."""
        value: cython.int = self.known(node)
        depth: cython.Py_ssize_t = 0
        if value < 2:
            return value
        self.frame_node[0] = node
        self.frame_position[0] = self.start[node]
        while depth >= 0:
            value = self.advance(depth)
            if value == 2:
                depth += 1
                continue
            self.mark[self.frame_node[depth]] = 4 * self.event + (_TRUE if value else _FALSE)
            depth -= 1
        return value

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def advance(self, depth: cython.Py_ssize_t) -> cython.int:
        """Go on with the operands of a frame's node: return its value, or 2 after opening a frame for an operand."""
        node: cython.int = self.frame_node[depth]
        decisive: cython.int = self.kind[node] == NODE_OR
        position: cython.longlong
        value: cython.int
        for position in range(self.frame_position[depth], self.start[node + 1]):
            value = self.known(self.child[position])
            if value == decisive:
                return decisive
            if value == 2:
                self.frame_position[depth] = position
                return self.open(depth + 1, self.child[position])
        return 1 - decisive

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def open(self, depth: cython.Py_ssize_t, node: cython.int) -> cython.int:
        if depth >= self.frame_node.shape[0]:
            with cython.gil:
                self.frame_node = grown(self.frame_node, depth + 1)
                self.frame_position = grown(self.frame_position, depth + 1)
        self.frame_node[depth] = node
        self.frame_position[depth] = self.start[node]
        return 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def take_slots(self, node: cython.int) -> cython.int:
        """Take the expressions that end at a node and that this search may see."""
        slot: cython.int = self.first_slot[node]
        while slot >= 0:
            # One that came later may be beyond the views; those before it in time stand behind it in the chain.
            if slot >= self.slot_count:
                slot = self.later(slot)
                continue
            if self.version < self.died[slot]:
                if self.found_count >= self.slots.shape[0]:
                    with cython.gil:
                        self.slots = grown(self.slots, self.found_count + 1)
                self.slots[self.found_count] = slot
                self.found_count = self.found_count + 1
            slot = self.next_slot[slot]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def later(self, slot: cython.int) -> cython.int:
        """Return the slot behind one that came after this search began."""
        if slot < self.next_slot.shape[0]:
            return self.next_slot[slot]
        with cython.gil:
            return self.engine.next_slot[slot]

    def sorted_slots(self):
        """Return the slots found, in ascending order."""
        return np.sort(np.asarray(self.slots)[: self.found_count])

    # Scores

    def score_of(self, slot: cython.int):
        """Return the score of a slot that matches the event at hand."""
        if not self.weighted[slot]:
            return self.weight[slot]
        scores = {}
        node: cython.int
        for node in self.graph.below(self.root[slot]):
            scores[node] = self.node_score(node, scores)
        return self.weight[slot] + scores[self.root[slot]]

    def node_score(self, node: cython.int, scores):
        """Return the score of a node, given those below it; one that does not hold has none."""
        code: cython.int
        if not self.evaluate(node):
            return 0.0
        if self.kind[node] == NODE_LITERAL:
            code = self.code[node]
            if code & 3 == _ACCEPTS_TRUE and self.outcomes.operator[code >> 2] in (_EQ, _IN):
                return self.outcomes.score(code >> 2)
            return 0.0
        parts = [scores[operand] for operand in self.graph.children(node)]
        if self.kind[node] == NODE_AND:
            return sum(parts)
        return max(parts, default=0.0)
