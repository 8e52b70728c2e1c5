"""The A-Tree as an engine: slots over the tree's nodes, versions, and the ways to search.

A commit publishes how many slots count; ``died`` holds the version from which a slot is gone. A search sees
what was committed when it began. What a deleted expression held is given back at the first commit at which no search
is running: a search that began earlier may still go that way.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.index.atree.follow_cy import Follower
from cython.cimports.hedgerow.index.atree.import_cy import Importer
from cython.cimports.hedgerow.index.atree.plan_cy import Plan
from cython.cimports.hedgerow.index.atree.score_cy import Best, Scorer
from cython.cimports.hedgerow.index.atree.search_cy import Scratch, Search
from cython.cimports.hedgerow.index.atree.shares_cy import Listed, Shares
from cython.cimports.hedgerow.index.atree.tree_cy import Tree
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.index.atree.batch_cy import MOST_EVENTS as _MOST_EVENTS
from hedgerow.index.atree.blocks import blocks
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.atree.picture import drawing
from hedgerow.index.atree.shares_cy import SHARE as _SHARE
from hedgerow.index.crew_cy import Crew
from hedgerow.index.engine import Matches, ranked
from hedgerow.index.report import LevelStats
from hedgerow.sections import nested, numbers, part, scalars, section

_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)
_ALWAYS_TRUE = cython.declare(cython.int, 0)  # the number of the node that always holds
_NOWHERE = cython.declare(cython.int, -1)  # the root of an expression that never matches
_AT_ONCE = cython.declare(cython.int, 2048)  # expressions that are copied by way of one graph

# What things cost, in nanoseconds and roughly: only by their proportions is it decided how a batch is matched.
_VISIT = cython.declare(cython.double, 50.0)  # of a node, in a search for one event
_MARK = cython.declare(cython.double, 10.0)  # of a slot or an OR that a list leads to
_EVENT = cython.declare(cython.double, 4000.0)  # beside the visits
_LOOK = cython.declare(cython.double, 20.0)  # at a node, once for a block of events
_PAIR = cython.declare(cython.double, 5.0)  # of a node and an event that satisfies it
_PLANNING = cython.declare(cython.double, 40.0)  # of a node: a quarter of it, since a plan mostly serves many batches
_MANY_RUNS = cython.declare(cython.double, 64.0)  # events from which it is known what is usual
_FEW_EVENTS = cython.declare(cython.longlong, 32)


@cython.final
@cython.cclass
class ATreeEngine:
    """The A-Tree. Implements ``hedgerow.index.engine.Engine``."""

    missing: object
    options = cython.declare(object, visibility="readonly")
    tree = cython.declare(Tree, visibility="readonly")
    importer: Importer
    follower: Follower

    root: cython.int[::1]
    weight: cython.double[::1]
    bound: cython.float[::1]  # of what its literals score, 0 if none has a weight
    died: cython.longlong[::1]
    has_weights: cython.bint
    has_died: cython.bint
    slot_count: cython.int
    committed_slots: cython.int
    version: cython.longlong

    ending: list
    releasing: list
    idle: list
    spare: list
    changes: cython.longlong
    last_visits: cython.longlong
    usual_visits: cython.double
    usual_marks: cython.double
    usual_matches: cython.double
    missed: cython.double
    missed_version: cython.longlong
    last_scored = cython.declare(cython.longlong, visibility="readonly")
    scorers: list
    plan: Plan
    plan_version: cython.longlong

    def __init__(self, missing: str, options=None):
        self.missing = missing
        self.options = ATreeOptions() if options is None else options
        self.tree = Tree(self.options)
        self.importer = Importer(self.tree, missing)
        self.follower = Follower()
        self.root = np.empty(16, np.int32)
        self.weight = np.empty(0, np.float64)
        self.bound = np.empty(0, np.float32)
        self.died = np.empty(0, np.int64)
        self.usual_visits = 200.0
        self.last_visits = -1
        self.ending = []
        self.releasing = []
        self.idle = []
        self.spare = []
        self.scorers = [Scorer()]

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Take the expression at ``node`` into the tree, as the next slot."""
        if slot != self.slot_count:
            raise ValueError(f"slot {slot} is not the next one, {self.slot_count}")
        graph.check(node)
        self._change()
        self._reserve(slot, weight, graph.weighted)
        tree: Tree = self.tree
        operand: cython.int
        root: cython.int
        tree.slot_back[slot] = 0  # for one that ends nowhere
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
        # Also for an expression that ends nowhere, since a file has as many of these as of slots.
        if slot >= self.tree.slot_back.shape[0]:
            self.tree.slot_back = grown(self.tree.slot_back, slot + 1)
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
        self._change()
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
        self._change()
        if not self.has_died:
            self.died = filled(self.root.shape[0], _NEVER, np.int64)
            self.has_died = True
        self.died[slot] = self.version + 1
        self.ending.append(slot)

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        slot: cython.int
        self._change()
        self.committed_slots = self.slot_count
        self.version += 1
        self.importer.forget()
        if self.tree.searches:
            return
        while self.ending:
            slot = self.ending.pop()
            if self.root[slot] >= 0:
                self.tree.end_root(self.root[slot], slot)
                self.root[slot] = _NOWHERE
        while self.releasing:
            self.tree.release_root(self.releasing.pop())
        self.tree.finder.quiet()

    def compacted(self, slots):
        """Return a new tree with just these slots: a copy with other numbers, or one made anew if much is gone."""
        slot: cython.int
        for slot in slots:
            if slot < 0 or slot >= self.slot_count:
                raise IndexError(slot)
        if 2 * self.tree.live_literals < self.tree.graph.predicate_count:
            return self._made_anew(slots)
        return self._copy_with(np.array(slots, np.int32))

    def _made_anew(self, slots):
        """Return a tree into which these slots are inserted one after the other."""
        engine: ATreeEngine = ATreeEngine(self.missing, self.options)
        graph: Graph = Graph()
        known = {}
        slot: cython.int
        number: cython.int = 0
        node: cython.int
        for slot in slots:
            if number % _AT_ONCE == 0:
                graph = Graph()
                known = {}
            node = (
                graph.constant(False) if self.root[slot] < 0 else self.tree.copied_into(graph, self.root[slot], known)
            )
            engine.insert(number, graph, node, self.weight[slot] if self.has_weights else 0.0)
            number += 1
        engine.commit()
        engine.importer = Importer(engine.tree, self.missing)  # without the room that all this took
        return engine

    def _copy_with(self, kept: cython.int[::1]):
        """Return a copy of the tree in which these slots have new numbers, and all others have ended."""
        engine: ATreeEngine = ATreeEngine.restored(
            self.missing, {name: array.copy() for name, array in self.saved().items()}
        )
        count: cython.int = kept.shape[0]
        slot: cython.int
        staying = np.zeros(engine.slot_count, bool)
        staying[np.asarray(kept)] = True
        for slot in np.flatnonzero(~staying & (np.asarray(engine.root)[: engine.slot_count] >= 0)):
            engine.tree.end_root(engine.root[slot], slot)
        engine.ending = []
        engine.tree.renumber(engine.root, kept)
        engine.root = np.asarray(engine.root)[np.asarray(kept)]
        if engine.has_weights:
            engine.weight = np.asarray(engine.weight)[np.asarray(kept)]
            engine.bound = np.asarray(engine.bound)[np.asarray(kept)]
        engine.died = np.empty(0, np.int64)
        engine.has_died = False
        engine.slot_count = count
        engine.commit()
        return engine

    # Files

    def saved(self):
        """Return the arrays that ``restored`` makes this tree of; what is not committed is not to be there."""
        count: cython.int = self.slot_count
        weights = np.asarray(self.weight)[:count] if self.has_weights else np.empty(0, np.float64)
        bounds = np.asarray(self.bound)[:count] if self.has_weights else np.empty(0, np.float32)
        return nested(tree=self.tree.saved()) | {
            "root": np.asarray(self.root)[:count],
            "slot_back": np.asarray(self.tree.slot_back)[:count],
            "weight": weights,
            "bound": bounds,
            "ending": np.array(self.ending, np.int32),
            "releasing": np.array(self.releasing, np.int32),
            "numbers": numbers(self.has_weights),
        }

    @staticmethod
    def restored(missing: str, arrays):
        """Return the tree that was saved as these arrays, in these arrays."""
        tree: Tree = Tree.restored(part(arrays, "tree"))
        engine: ATreeEngine = ATreeEngine(missing, tree.options)
        count: cython.int
        engine.tree = tree
        engine.importer = Importer(tree, missing)
        engine.root = section(arrays, "root", np.int32)
        count = engine.root.shape[0]
        tree.slot_back = section(arrays, "slot_back", np.int32, count)
        (engine.has_weights,) = scalars(arrays, "numbers", 1)
        engine.weight = section(arrays, "weight", np.float64, count if engine.has_weights else 0)
        engine.bound = section(arrays, "bound", np.float32, count if engine.has_weights else 0)
        engine.ending = section(arrays, "ending", np.int32).tolist()
        engine.releasing = section(arrays, "releasing", np.int32).tolist()
        engine.slot_count = count
        if engine.ending:
            died = filled(count, _NEVER, np.int64)
            died[engine.ending] = 0
            engine.died = died
            engine.has_died = True
        engine.commit()
        return engine

    # Reading

    def seen_predicates(self):
        """Return the predicates as they are now, to be looked up while others insert; None if none is found again."""
        return self.tree.graph.seen() if self.tree.unique else None

    def attributes(self):
        """Return the names of the attributes that are tested."""
        names = self.tree.graph.names
        return [names[number] for number in range(len(names))]

    @property
    def predicate_count(self):
        """How many distinct predicates the tree holds."""
        return self.tree.graph.predicate_count

    @property
    def node_count(self):
        """How many nodes the tree holds: literals, ANDs and ORs."""
        return self.tree.live_count - 1  # that which always holds is not counted

    def root_of(self, slot: cython.int):
        """Return the number of the tree's node that a slot ends at: 0 always holds, -1 never."""
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        return self.root[slot]

    @property
    def visits(self):
        """How many nodes the last search visited, all its events together; None where it went node by node."""
        return self.last_visits if self.last_visits >= 0 else None

    def bytes_by_part(self):
        """Return how many bytes each part holds, room that nothing was written to left out."""
        parts = self.tree.bytes_by_part()
        scratch: Scratch
        parts["slots"] = 8 * self.slot_count + self.weight.nbytes + self.bound.nbytes + self.died.nbytes
        parts["plan"] = 0 if self.plan is None else self.plan.nbytes
        parts["scratch"] += self.importer.nbytes + self.follower.nbytes
        for scratch in self.spare:
            parts["scratch"] += scratch.nbytes
        return parts

    def levels(self):
        """Return what there is on each level; takes time in proportion to the tree."""
        self.tree.new_search()
        try:
            # A plan that is made for this is not kept: who never matches a batch shall not pay for one.
            plan: Plan = self.plan if self._has_plan() else self._new_plan()
        finally:
            self.tree.end_search()
        return tuple([LevelStats(level + 1, *counts) for level, counts in enumerate(plan.level_counts())])

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the tree, where ``ids`` has the ids of slots; LimitError for more than ``most`` nodes."""
        self.tree.new_search()
        try:
            return drawing(self.tree, self._roots(), ids, most)
        finally:
            self.tree.end_search()

    def _roots(self):
        """Return where each committed expression ends; -1 where it never matches or is gone."""
        root: cython.int[::1] = roomy(self.committed_slots, np.int32)
        slot: cython.int
        for slot in range(self.committed_slots):
            gone: cython.bint = self.has_died and self.died[slot] <= self.version
            root[slot] = _NOWHERE if gone else self.root[slot]
        return root

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
        """Begin a search; ``_end`` must be called when it has come to its end, ``_drop`` when it has failed."""
        search: Search
        self.tree.new_search()
        try:
            if self.idle and weights is None:
                # Nothing has changed since, or it would not be here: what it knows of the tree still holds.
                search = self.idle.pop()
                search.outcomes.renew(events)
                search.patient = self.tree.reach.patience
                search.visits = 0
                search.marked = 0
                search.runs = 0
                if search.reach_version != self.tree.reach.version:
                    search.take_reach()
                return search
            outcomes = Outcomes(self.tree.table, events, self.missing, weights)
            self.tree.reach.fit(self.tree.literal_count, self.tree.node_count)
            # All nodes count, also those of slots that are not committed: what is may have been built over them since.
            search = Search(self.tree, outcomes, self.tree.node_count, self.tree.literal_count, self.committed_slots)
            search.patient = self.tree.reach.patience
            search.any_died = self.has_died
            search.died = self.died
            search.version = self.version
            search.changes = -1 if weights is not None else self.changes
            search.take_scratch(self.spare.pop() if self.spare else Scratch())
        except BaseException:
            self.tree.end_search()
            raise
        return search

    @cython.cfunc
    @cython.exceptval(-1)
    def _end(self, search: Search) -> cython.int:
        """End a search that came to its end, and so has cleaned what it wrote into: the next one may have that."""
        weight: cython.double
        self.tree.end_search()
        search.leave_scratch()
        if search.changes == self.changes:
            self.idle.append(search)
        else:
            self.spare.append(search.scratch)
        self.last_visits = search.visits
        if search.runs:
            weight = min(1.0, search.runs / _MANY_RUNS)
            self.usual_visits += (search.visits / search.runs - self.usual_visits) * weight
            self.usual_marks += (search.marked / search.runs - self.usual_marks) * weight
        return self._follow(search)

    @cython.cfunc
    @cython.exceptval(-1)
    def _drop(self) -> cython.int:
        """End a search that failed or was interrupted: its marks are still there, so nobody may have its arrays."""
        self.tree.end_search()
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _follow(self, search: Search) -> cython.int:
        """Make the lists that a search would have liked to have."""
        number: cython.int
        for number in range(search.wanted_count):
            self.follower.follow(self.tree, search.wanted[number])
        search.wanted_count = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _change(self) -> cython.int:
        """Note that something changes: searches that wait for the next event would not know of it."""
        search: Search
        self.changes += 1
        while self.idle:
            search = self.idle.pop()
            self.spare.append(search.scratch)
        return 0

    def match(self, events: EventBatch, threads: cython.int = 1):
        """Return the slots that match each event."""
        if self._by_node_pays(len(events)):
            return self.match_by_node(events, threads)
        return self.match_by_event(events, threads)

    def match_names(self, events: EventBatch, threads: cython.int, names):
        """Return the names of the slots that match each event."""
        if self._by_node_pays(len(events)):
            return self.match_by_node(events, threads, names)
        return self.match_by_event(events, threads, names)

    def count(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event."""
        if self._by_node_pays(len(events)):
            return self.count_by_node(events, threads)
        return self.count_by_event(events, threads)

    def _by_node_pays(self, events: cython.longlong):
        """Return whether a batch is better matched node by node: what that saves must be worth a plan.

        What it would have saved since the last change counts too, so that batches that are small, but many, get a plan
        in the end.
        """
        nodes: cython.double = self.tree.live_count
        visits: cython.double = self.usual_visits - self.usual_marks
        singly: cython.double = events * (_EVENT + _VISIT * visits + _MARK * self.usual_marks)
        together: cython.double = -(-events // _MOST_EVENTS) * nodes * _LOOK + events * self.usual_visits * _PAIR
        if events < _FEW_EVENTS:
            return False
        if self.plan is not None and self.plan_version == self.version:
            return together < singly
        if self.missed_version != self.version:
            self.missed_version = self.version
            self.missed = 0.0
        self.missed += singly - together
        return self.missed > nodes * _PLANNING

    def match_by_event(self, events: EventBatch, threads: cython.int = 1, names=None):
        """Return the slots that match each event, or their names, one event after the other."""
        if len(events) == 1 and names is None:
            return self._match_one(events)
        counts, found = self._by_event(events, threads, True, names)
        starts = np.zeros(len(events) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Matches(starts, found)

    @cython.cfunc
    def _match_one(self, events: EventBatch):
        """Return the matches of the only event."""
        search: Search = self._search(events, None)
        slots: cython.int[::1]
        try:
            with cython.nogil:
                search.run(0)
            found = np.empty(search.slot_total, np.int32)
            if search.slot_total:
                slots = found
                memcpy(cython.address(slots[0]), cython.address(search.slots[0]), 4 * search.slot_total)
            matches = Matches(np.array((0, search.slot_total), np.int64), found)
        except BaseException:
            self._drop()
            raise
        self._end(search)
        return matches

    def count_by_event(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event, one event after the other."""
        counts, _ = self._by_event(events, threads, False, None)
        return counts

    def _by_event(self, events: EventBatch, threads: cython.int, listing: cython.bint, names):
        """Return how many slots match each event and, if they are to be listed, which; threads share the events."""
        shares: Shares
        search: Search
        visits: cython.longlong = 0
        searches = self._searches(events, max(1, min(threads, len(events) // _SHARE)))
        try:
            crew = Crew(len(searches))
            if listing:
                own = np.empty(0, np.int64) if names is None else names()
                shares = Shares(len(events), crew.size, own, self.usual_matches)
            else:
                shares = Shares(len(events), crew.size)
            crew.run(lambda number: self._run_shares(searches[number], shares, number), lambda: _stop(searches, shares))
            counts = np.asarray(shares.counts)
            found = shares.matches(crew) if listing else None
        except BaseException:
            self._drop_all(searches)
            raise
        while searches:
            search = searches.pop()
            visits += search.visits
            self._end_or_drop(search, searches)
        self.last_visits = visits
        self.usual_matches = counts.mean() if len(counts) else 0.0
        return counts, found

    def _run_shares(self, search: Search, shares: Shares, number: cython.int):
        """Run a search, that of the thread with this number, for one share after the other, until none is left."""
        share: cython.Py_ssize_t
        row: cython.longlong
        last: cython.longlong
        listed: Listed = shares.listed[number] if shares.listed else None
        search.patient = False  # what holds for one of many events is likely to hold for another
        while True:
            share = shares.take()
            if share < 0:
                return
            row, last = shares.first[share], shares.first[share + 1]
            while row < last:
                with cython.nogil:
                    row = search.run_rows(row, last, shares.counts, listed)
                if search.wanted_count:
                    self._follow(search)
                if search.reach_version != self.tree.reach.version:
                    search.take_reach()
            if listed is not None:
                shares.finish(share, listed)

    def _searches(self, events: EventBatch, most: cython.int):
        """Begin some searches that see the same: fewer, if something was committed in between."""
        first: Search = self._search(events, None)
        search: Search
        searches = [first]
        try:
            while len(searches) < most:
                search = self._search(events, None)
                searches.append(search)
                if search.version != first.version:
                    self._end(searches.pop())
                    break
        except BaseException:
            self._drop_all(searches)
            raise
        return searches

    @cython.cfunc
    @cython.exceptval(-1)
    def _end_or_drop(self, search: Search, others: list) -> cython.int:
        """End one of several searches; if that fails, the others are not ended either."""
        try:
            return self._end(search)
        except BaseException:
            self._drop_all(others)
            raise

    @cython.cfunc
    @cython.exceptval(-1)
    def _drop_all(self, searches: list) -> cython.int:
        for _ in searches:
            self._drop()
        return 0

    def match_by_node(self, events: EventBatch, threads: cython.int = 1, names=None):
        """Return the slots that match each event, or their names, node by node."""
        counts, found = self._by_node(events, threads, self._own_names if names is None else names)
        starts = np.zeros(len(events) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Matches(starts, found[0] if len(found) == 1 else np.concatenate([np.empty(0, np.int64), *found]))

    def _own_names(self):
        return np.arange(self.slot_count)

    def count_by_node(self, events: EventBatch, threads: cython.int = 1):
        """Return how many slots match each event, node by node."""
        counts, _ = self._by_node(events, threads, None)
        return counts

    def _by_node(self, events: EventBatch, threads: cython.int, names):
        """Return the counts of all events, and the names of the slots that match them, block by block."""
        self.tree.new_search()
        try:
            plan: Plan = self._plan()
            outcomes = Outcomes(self.tree.table, events, self.missing, None)
            own = None if names is None else names()
            counts, found, self.last_visits = blocks(plan, outcomes, len(events), Crew(threads), own)
            return counts, found
        finally:
            self.tree.end_search()

    def _plan(self):
        """Return the plan of what is committed; made anew after a commit."""
        if not self._has_plan():
            version = self.version
            plan = self._new_plan()
            self.plan, self.plan_version = plan, version
            return plan
        return self.plan

    def _has_plan(self):
        return self.plan is not None and self.plan_version == self.version

    def _new_plan(self):
        return Plan(self.tree, self._roots())

    def top(self, events: EventBatch, n: int, weights):
        """Return the ``n`` best slots that match each event, and their scores."""
        return self._best(events, n, weights, True)

    def top_by_sorting(self, events: EventBatch, n: int, weights):
        """Return the same by scoring all matches and sorting them: for tests, and as what to beat."""
        return self._best(events, n, weights, False)

    def _best(self, events: EventBatch, n: int, weights, pruning: cython.bint):
        scorer: Scorer = self.scorers.pop() if self.scorers else Scorer()
        search: Search = self._search(events, weights)
        row: cython.Py_ssize_t
        try:
            best = ranked([self._best_of(search, scorer, row, n, pruning) for row in range(len(events))])
            scorer.end()
            self.scorers.append(scorer)
        except BaseException:
            self._drop()
            raise
        self._end(search)
        return best

    @cython.cfunc
    def _best_of(self, search: Search, scorer: Scorer, row: cython.Py_ssize_t, n: object, pruning: cython.bint):
        """Return the best slots of one event, and their scores."""
        best: Best
        with cython.nogil:
            search.run(row)
        slots = np.asarray(search.slots)[: search.slot_total]
        if not self.has_weights:
            return slots[:n].copy(), np.zeros(min(n, search.slot_total))
        scorer.begin(self.tree, search.outcomes, search.node_count)
        best = Best(scorer, self.root, self.weight, self.bound, _largest_weight(search.outcomes))
        found = best.of(slots, n) if pruning else best.of_all(slots, n)
        self.last_scored = best.scored
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=True)
    def _bound(self, root: cython.int) -> cython.float:
        scorer: Scorer = self.scorers.pop() if self.scorers else Scorer()
        bound: cython.float = scorer.bound(self.tree, root)
        scorer.end()
        self.scorers.append(scorer)
        return bound


@cython.cfunc
def _stop(searches: list, shares: Shares):
    """Let searches that share a batch come to an end soon; they are dropped then."""
    search: Search
    shares.stop()
    for search in searches:
        search.stopped = True


@cython.cfunc
@cython.exceptval(-1, check=True)
def _largest_weight(outcomes: Outcomes) -> cython.double:
    """Return the largest weight that an event gives to a value of it, and 1 at least."""
    if not outcomes.weighted:
        return 1.0
    entries, elements = np.asarray(outcomes.entry_weight), np.asarray(outcomes.element_weight)
    return max(entries.max(initial=1.0), elements.max(initial=1.0))
