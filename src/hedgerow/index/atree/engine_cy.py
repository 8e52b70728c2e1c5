"""The A-Tree as an engine: slots over the tree's nodes, versions, and the ways to search.

A commit publishes how many slots and nodes count; ``died`` holds the version from which a slot is gone. A search sees
what was committed when it began. What a deleted expression held is given back at the first commit at which no search
is running: a search that began earlier may still go that way.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.index.atree.import_cy import Importer
from cython.cimports.hedgerow.index.atree.plan_cy import Plan
from cython.cimports.hedgerow.index.atree.score_cy import Best, Scorer
from cython.cimports.hedgerow.index.atree.search_cy import Scratch, Search
from cython.cimports.hedgerow.index.atree.tree_cy import Tree, place_length, place_start
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import Unsupported
from hedgerow.index.atree.blocks import Crew, blocks
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.engine import Matches
from hedgerow.language.operators import Accepts, Operator

_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)
_ALWAYS_TRUE = cython.declare(cython.int, 0)  # the number of the node that always holds
_NOWHERE = cython.declare(cython.int, -1)  # the root of an expression that never matches

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))


@cython.cclass
class ATreeEngine:
    """The A-Tree. Implements ``hedgerow.index.engine.Engine``."""

    missing: object
    options: object
    tree: Tree
    importer: Importer

    root: cython.int[::1]
    weight: cython.double[::1]
    bound: cython.float[::1]  # of what its literals score, 0 if none has a weight
    died: cython.longlong[::1]
    has_weights: cython.bint
    has_died: cython.bint
    slot_count: cython.int
    committed_slots: cython.int
    committed_nodes: cython.int
    version: cython.longlong

    ending: list
    releasing: list
    spare: list
    last_visits: cython.longlong
    last_scored = cython.declare(cython.longlong, visibility="readonly")
    scorers: list
    plan: Plan
    plan_version: cython.longlong

    def __init__(self, missing: str, options=None):
        self.missing = missing
        self.options = ATreeOptions() if options is None else options
        self.tree = Tree(self.options)
        self.importer = Importer(self.tree, missing)
        self.root = np.empty(16, np.int32)
        self.weight = np.empty(0, np.float64)
        self.bound = np.empty(0, np.float32)
        self.died = np.empty(0, np.int64)
        self.committed_nodes = 1
        self.ending = []
        self.releasing = []
        self.spare = []
        self.scorers = [Scorer()]

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Take the expression at ``node`` into the tree, as the next slot."""
        if slot != self.slot_count:
            raise ValueError(f"slot {slot} is not the next one, {self.slot_count}")
        graph.check(node)
        self._reserve(slot, weight, graph.weighted)
        tree: Tree = self.tree
        operand: cython.int
        root: cython.int
        tree.begin()
        try:
            operand = self.importer.take(graph, node)
            root = operand >> 1 if operand >= 0 else _ALWAYS_TRUE if operand == -2 else _NOWHERE
            if root >= 0:
                tree.use_root(root, slot)
        finally:
            tree.keep()
        self.root[slot] = root
        if self.has_weights:
            self.weight[slot] = weight
            self.bound[slot] = self._bound(root) if graph.weighted and root >= 0 else 0.0
        if self.has_died:
            self.died[slot] = _NEVER
        self.slot_count = slot + 1

    @cython.cfunc
    @cython.exceptval(-1)
    def _reserve(self, slot: cython.int, weight: cython.double, weighted: cython.bint) -> cython.int:
        """Make room for one more slot; weights get theirs when the first one comes."""
        if slot >= self.root.shape[0]:
            self.root = grown(self.root, slot + 1)
        if (weight != 0.0 or weighted) and not self.has_weights:
            self.weight = filled(self.root.shape[0], 0.0, np.float64)
            self.bound = filled(self.root.shape[0], 0.0, np.float32)
            self.has_weights = True
        if self.has_weights and slot >= self.weight.shape[0]:
            weights, bounds = grown(self.weight, slot + 1), grown(self.bound, slot + 1)
            self.weight, self.bound = weights, bounds
        if self.has_died and slot >= self.died.shape[0]:
            self.died = grown(self.died, slot + 1)
        return 0

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        root: cython.int
        if count < self.committed_slots or count > self.slot_count:
            raise ValueError(f"slots from {count} on cannot be taken back")
        while self.slot_count > count:
            self.slot_count -= 1
            root = self.root[self.slot_count]
            if root < 0:
                continue
            if self.tree.searches == 0:
                self.tree.end_root(root, self.slot_count)
            else:
                self.tree.hush_slot(root, self.slot_count)
                self.releasing.append(root)

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit."""
        if slot < 0 or slot >= self.slot_count or (self.has_died and self.died[slot] != _NEVER):
            raise ValueError(f"slot {slot} holds nothing")
        if not self.has_died:
            self.died = filled(self.root.shape[0], _NEVER, np.int64)
            self.has_died = True
        self.died[slot] = self.version + 1
        self.ending.append(slot)

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        slot: cython.int
        self.committed_slots = self.slot_count
        self.committed_nodes = self.tree.node_count
        self.version += 1
        if self.tree.searches:
            return
        while self.ending:
            slot = self.ending.pop()
            if self.root[slot] >= 0:
                self.tree.end_root(self.root[slot], slot)
                self.root[slot] = _NOWHERE
        while self.releasing:
            self.tree.release_root(self.releasing.pop())

    def compacted(self, slots):
        """Return a new tree with just these slots."""
        engine: ATreeEngine = ATreeEngine(self.missing, self.options)
        graph: Graph
        slot: cython.int
        new: cython.int
        for slot in slots:
            if slot < 0 or slot >= self.slot_count:
                raise IndexError(slot)
            graph = Graph()
            new = engine.slot_count
            engine.insert(new, graph, graph.add(self.expression(slot)), self.weight[slot] if self.has_weights else 0.0)
        engine.commit()
        engine.importer.forget()
        return engine

    def saved(self):
        """Refuse: not there yet."""
        raise Unsupported("an A-Tree index cannot be saved yet")

    # Reading

    @property
    def predicate_count(self):
        """How many distinct predicates the tree holds."""
        return self.tree.graph.predicate_count

    @property
    def node_count(self):
        """How many nodes the tree holds: literals, ANDs and ORs."""
        return self.tree.live_count - 1  # that which always holds is not counted

    @property
    def nbytes(self):
        """How many bytes all arrays hold."""
        return self.tree.nbytes + self.root.nbytes + self.weight.nbytes + self.bound.nbytes + self.died.nbytes

    def expression(self, slot: cython.int):
        """Return an expression that matches what was inserted into a slot matches."""
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        self.tree.new_search()
        try:
            return self.tree.expression(self.root[slot])
        finally:
            self.tree.end_search()

    @cython.cfunc
    def _search(self, events: EventBatch, weights) -> Search:
        """Begin a search; ``_end`` must be called when it is over."""
        search: Search
        self.tree.new_search()
        try:
            outcomes = Outcomes(self.tree.table, events, self.missing, weights)
            search = Search(self.tree, outcomes, self.committed_nodes, self.committed_slots)
            search.any_died = self.has_died
            search.died = self.died
            search.version = self.version
            search.take_scratch(self.spare.pop() if self.spare else Scratch())
        except BaseException:
            self.tree.end_search()
            raise
        return search

    @cython.cfunc
    @cython.exceptval(-1)
    def _end(self, search: Search) -> cython.int:
        search.leave_scratch()
        self.spare.append(search.scratch)
        self.last_visits = search.visits
        return self.tree.end_search()

    def match(self, events: EventBatch, threads: cython.int = 1):
        """Return the slots that match each event."""
        if self._by_node_pays(len(events)):
            return self.match_by_node(events, threads)
        return self.match_by_event(events)

    def count(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event."""
        if self._by_node_pays(len(events)):
            return self.count_by_node(events, threads)
        return self.count_by_event(events)

    def _by_node_pays(self, events: cython.longlong):
        return events >= 64

    def match_by_event(self, events: EventBatch):
        """Return the slots that match each event, one event after the other."""
        search: Search = self._search(events, None)
        count: cython.Py_ssize_t = len(events)
        starts: cython.longlong[::1] = np.zeros(count + 1, np.int64)
        rows = []
        row: cython.Py_ssize_t
        try:
            for row in range(count):
                with cython.nogil:
                    search.run(row)
                rows.append(np.asarray(search.slots)[: search.slot_total].copy())
                starts[row + 1] = starts[row] + search.slot_total
        finally:
            self._end(search)
        return Matches(np.asarray(starts), np.concatenate(rows) if rows else np.empty(0, np.int32))

    def count_by_event(self, events: EventBatch):
        """Return how many slots match each event, one event after the other."""
        search: Search = self._search(events, None)
        counts: cython.longlong[::1] = np.empty(len(events), np.int64)
        row: cython.Py_ssize_t
        try:
            for row in range(len(events)):
                with cython.nogil:
                    search.run(row)
                counts[row] = search.slot_total
        finally:
            self._end(search)
        return np.asarray(counts)

    def match_by_node(self, events: EventBatch, threads: cython.int = 1):
        """Return the slots that match each event, node by node."""
        counts, found = self._by_node(events, threads, True)
        starts = np.zeros(len(events) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Matches(starts, found[0] if len(found) == 1 else np.concatenate([np.empty(0, np.int32), *found]))

    def count_by_node(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event, node by node."""
        return self._by_node(events, threads, False)[0]

    def _by_node(self, events: EventBatch, threads: cython.int, writing: cython.bint):
        """Return the counts of all events, and the slots that match them if wanted, block by block."""
        self.tree.new_search()
        try:
            plan: Plan = self._plan()
            outcomes = Outcomes(self.tree.table, events, self.missing, None)
            with Crew(threads) as crew:
                return blocks(plan, outcomes, len(events), crew, writing)
        finally:
            self.tree.end_search()

    def _plan(self):
        """Return the plan of what is committed; made anew after a commit."""
        if self.plan is None or self.plan_version != self.version:
            version = self.version
            root = np.asarray(self.root)[: self.committed_slots]
            if self.has_died:
                root = np.where(np.asarray(self.died)[: self.committed_slots] <= version, np.int32(-1), root)
            plan = Plan(self.tree, self.committed_nodes, root, self.committed_slots)
            self.plan, self.plan_version = plan, version
            return plan
        return self.plan

    def top(self, event: EventBatch, n: int, weights):
        """Return the ``n`` best slots that match the one event, and their scores."""
        return self._best(event, n, weights, True)

    def top_by_sorting(self, event: EventBatch, n: int, weights):
        """Return the same by scoring all matches and sorting them: for tests, and as what to beat."""
        return self._best(event, n, weights, False)

    def _best(self, event: EventBatch, n: int, weights, pruning: cython.bint):
        search: Search = self._search(event, weights)
        scorer: Scorer = self.scorers.pop() if self.scorers else Scorer()
        best: Best
        try:
            with cython.nogil:
                search.run(0)
            slots = np.asarray(search.slots)[: search.slot_total]
            if not self.has_weights:
                return slots[:n].copy(), np.zeros(min(n, search.slot_total))
            scorer.begin(self.tree, search.outcomes, search.node_count)
            best = Best(scorer, self.root, self.weight, self.bound, _largest_weight(search.outcomes))
            found = best.of(slots, n) if pruning else best.of_all(slots, n)
            self.last_scored = best.scored
            return found
        finally:
            scorer.end()
            self.scorers.append(scorer)
            self._end(search)

    @cython.cfunc
    @cython.exceptval(-1, check=True)
    def _bound(self, root: cython.int) -> cython.float:
        scorer: Scorer = self.scorers.pop() if self.scorers else Scorer()
        try:
            return scorer.bound(self.tree, root)
        finally:
            scorer.end()
            self.scorers.append(scorer)


@cython.cfunc
@cython.exceptval(-1, check=True)
def _largest_weight(outcomes: Outcomes) -> cython.double:
    """Return the largest weight that an event gives to a value of it, and 1 at least."""
    if not outcomes.weighted:
        return 1.0
    entries, elements = np.asarray(outcomes.entry_weight), np.asarray(outcomes.element_weight)
    return max(entries.max(initial=1.0), elements.max(initial=1.0))
