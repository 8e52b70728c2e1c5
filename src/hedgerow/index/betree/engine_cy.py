"""The engine of the BE-Tree: conjunctions on their way into the tree, and what it tells, saves and restores."""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.adjusting_cy import Adjuster
from cython.cimports.hedgerow.index.betree.axes_cy import LANE_LINE, Axes
from cython.cimports.hedgerow.index.betree.relating_cy import BETreeRelating
from cython.cimports.hedgerow.index.betree.search_cy import BETreeSearch
from cython.cimports.hedgerow.index.betree.tree_cy import Tree
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown
from hedgerow.index.betree.inside import check, figures
from hedgerow.index.betree.options import BETreeOptions, options_of, switches_of
from hedgerow.index.betree.picture import drawing
from hedgerow.index.betree.values import end_text, value_text
from hedgerow.index.chassis.coverage import unsaid
from hedgerow.index.chassis.written import clause_count, conjunction_count, is_plain
from hedgerow.sections import nested, numbers, part, scalars, section

_RANKS = cython.declare(cython.int, 4)

# How a literal is told, by what it accepts.
_ACCEPTED = ("", "NOT ", "not true: ", "not false: ")


@cython.final
@cython.cclass
class BETreeEngine(UnitEngine):
    """The BE-Tree of conjunctions."""

    options = cython.declare(object, visibility="readonly")
    axes = cython.declare(Axes, visibility="readonly")
    tree = cython.declare(Tree, visibility="readonly")
    adjuster = cython.declare(Adjuster, visibility="readonly")
    literals: cython.int[::1]  # of the unit at hand
    ranked: cython.int[::1]
    odd_slot: cython.int[::1]  # whose conjunctions are not those of its clauses
    odd_node: cython.int[::1]  # what it is as it is written
    odd_count: cython.int

    def __init__(self, missing: str, options=None):
        UnitEngine.__init__(self, missing)
        self.options = BETreeOptions() if options is None else options
        self._take_options()
        self.literals = np.empty(64, np.int32)
        self.ranked = np.empty(64, np.int32)
        self.odd_slot, self.odd_node = np.empty(0, np.int32), np.empty(0, np.int32)

    @cython.cfunc
    def _take_options(self):
        self.removes = self.options.adjust
        hashes = self.options.directory != "generic"
        self.axes = Axes(self.graph, self.table, hashes, self.options.bloom)
        self.tree = Tree(self.axes, self.options.capacity, self.options.least, self.options.directory == "ranked")
        self.adjuster = Adjuster(self.tree)

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        """Put a conjunction into the tree, with the literals first that seldom hold and cost little."""
        count: cython.int = 1
        position: cython.int
        rank: cython.int
        ranked: cython.int = 0
        first: cython.longlong = self.graph.node_start[node]
        if self.graph.node_kind[node] == NODE_AND:
            count = cython.cast(cython.int, self.graph.node_start[node + 1] - first)
        elif self.graph.node_kind[node] != NODE_LITERAL:
            count = 0
        if count > self.literals.shape[0]:
            literals, others = grown(self.literals, count), grown(self.ranked, count)
            self.literals, self.ranked = literals, others
        for position in range(count):
            if self.graph.node_kind[node] == NODE_LITERAL:
                self.literals[position] = self.axes.number(self.graph.node_code[node])
            else:
                self.literals[position] = self.axes.number(self.graph.node_code[self.graph.child[first + position]])
        for rank in range(_RANKS):
            for position in range(count):
                if self.axes.rank(self.literals[position]) == rank:
                    self.ranked[ranked] = self.literals[position]
                    ranked += 1
        return self.tree.add(unit, cython.address(self.ranked[0]), count)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def remove_unit(self, unit: cython.int) -> cython.int:
        return self.tree.remove(unit)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def let_all_go(self) -> cython.int:
        UnitEngine.let_all_go(self)
        self.adjuster.adjust()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def end(self, searcher: Searcher) -> cython.int:
        """Let the tree know what the search has seen of it, before the search is kept for the next one."""
        search: BETreeSearch = cython.cast(BETreeSearch, searcher)
        position: cython.int
        if self.options.adjust:
            for position in range(search.told_count):
                self.adjuster.tell(
                    search.told_node[position], search.told_looked[position], search.told_wasted[position]
                )
            self.adjuster.rows += search.told_rows
        search.told_count = 0
        search.told_rows = 0
        return UnitEngine.end(self, searcher)

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return BETreeSearch(self, outcomes, self.tree, self.options)

    # Relations

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keep_written(self, slot: cython.int, graph: Graph, node: cython.int, formed: cython.int) -> cython.int:
        """Keep an expression as it is written if its conjunctions are others than its clauses."""
        self.drop_odd(slot)
        if is_plain(graph, node) or conjunction_count(graph, node) == clause_count(graph, formed):
            return 0
        if self.odd_count >= self.odd_slot.shape[0]:
            slots, nodes = grown(self.odd_slot, self.odd_count + 1), grown(self.odd_node, self.odd_count + 1)
            self.odd_slot, self.odd_node = slots, nodes
        self.odd_node[self.odd_count] = self.copied(graph, node)
        self.odd_slot[self.odd_count] = slot
        self.odd_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def drop_odd(self, count: cython.int) -> cython.int:
        """Drop what is kept of the slots from ``count`` on."""
        while self.odd_count and self.odd_slot[self.odd_count - 1] >= count:
            self.odd_count -= 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_back(self, count: cython.int) -> cython.int:
        self.drop_odd(count)
        return UnitEngine.take_back(self, count)

    def told(self, slot: cython.int):
        """Return the node that says most of what was inserted into a slot."""
        place: cython.Py_ssize_t = np.searchsorted(np.asarray(self.odd_slot)[: self.odd_count], slot)
        if place < self.odd_count and self.odd_slot[place] == slot:
            return self.odd_node[place]
        return UnitEngine.told(self, slot)

    def related(self, events, questions):
        """Return the slots that relate to each event (``index/relating.py``)."""
        outcomes = Outcomes(self.table, unsaid(len(events)), self.missing, None)
        self.running += 1
        try:
            searcher: BETreeRelating = BETreeRelating(self, outcomes, questions, events, self.units, self.tree)
            searcher.take_odd(self.odd_slot, self.odd_node, self.odd_count)
            matches = searcher.match_rows(0, len(events))
        finally:
            self.running -= 1
        self.last_visits, self.last_checked = searcher.visits, searcher.checked
        return matches

    # Files

    def structure_saved(self):
        """Return the axes, the tree, and what is kept as it is written."""
        return nested(axes=self.axes.saved(), tree=self.tree.saved()) | {
            "options": numbers(*switches_of(self.options)),
            "odd_slot": np.asarray(self.odd_slot)[: self.odd_count],
            "odd_node": np.asarray(self.odd_node)[: self.odd_count],
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.options = options_of(scalars(arrays, "options", 6))
        self._take_options()
        hashes = self.options.directory != "generic"
        self.axes = Axes.restored(self.graph, self.table, hashes, self.options.bloom, part(arrays, "axes"))
        self.odd_slot = section(arrays, "odd_slot", np.int32)
        self.odd_count = self.odd_slot.shape[0]
        self.odd_node = section(arrays, "odd_node", np.int32, self.odd_count)
        self.tree.axes = self.axes
        self.tree.restore(part(arrays, "tree"))

    def structure_bytes(self):
        """Return the bytes of the tree."""
        return self.tree.bytes_by_part

    # What can be seen

    def literal_text(self, literal: cython.int):
        """Return a literal as people write it."""
        code: cython.int = self.axes.told(literal)[4]
        return f"{_ACCEPTED[code & 3]}{self.graph.predicate(code >> 2)}"

    def value_text(self, key: cython.int):
        """Return the value of a key as people write it."""
        _, kind, payload = self.axes.keys.told(key)
        return value_text(self.graph, kind, payload)

    def end_text(self, lane: cython.int, end: cython.longlong):
        """Return an end of a line as people write it."""
        return end_text(lane - LANE_LINE, end)

    def owners(self, unit: cython.int):
        """Return the slots that own a unit."""
        return self.units.owners(unit)

    def figures(self):
        """Return what there is to tell of the tree: nodes, leaves and how full they are, depth."""
        return figures(self)

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the tree, where ``ids`` has the ids of slots; LimitError for more than ``most`` nodes."""
        return drawing(self, ids, most)

    def check(self):
        """Raise AssertionError unless the invariants hold: for tests, after each step."""
        check(self)
