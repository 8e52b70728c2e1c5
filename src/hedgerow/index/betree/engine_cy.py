"""The engine of the BE-Tree, and its search (Algorithms 1 and 2 of the paper).

A search goes from the root to the leaves: at each node it looks at the records of the leaf, goes by those partitions
whose attributes the event has, and of each partition to the buckets that the event's value lies in. An event says for
each axis where it is::

    event age = 20, tags = ['a', 'c']      (age, present)   (age, value): the key of 20   (age, numbers): from 20 to 20
                                           (tags, present)  (tags, value): both keys   (tags, strings): from 'a' to 'c'

Of a record that the Bloom filter lets pass, the literals are tested until one fails. What a literal came to is
remembered for the rest of the event (``"lazy"``), or for all events that have the same value (``"bitmap"``,
``bitmap_cy``); most are decided by where the event is on their axis, and need no other test.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import fence, prefetch
from cython.cimports.hedgerow.index.betree.axes_cy import (
    AXES,
    FORM_ANY,
    FORM_BITS,
    FORM_CODE,
    FORM_KEY,
    FORM_LINE,
    FORM_NONE,
    FORM_PRESENT,
    FORM_ROUGH,
    LANE_LINE,
    LANE_PRESENT,
    LANE_VALUE,
    Axes,
    test_size,
)
from cython.cimports.hedgerow.index.betree.bitmap_cy import Bitmap, bit_of
from cython.cimports.hedgerow.index.betree.edges_cy import edge_child
from cython.cimports.hedgerow.index.betree.relating_cy import BETreeRelating
from cython.cimports.hedgerow.index.betree.tree_cy import (
    HEAD_WORDS,
    KNOWN_BITS,
    NODE_WORDS,
    PARTITION_WORDS,
    Node,
    Partition,
    Tree,
    lane_of,
)
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, Graph
from cython.cimports.hedgerow.predicate.keys import family_of, value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import Unsupported
from hedgerow.index.betree.inside import check, figures
from hedgerow.index.betree.options import BETreeOptions, options_of, switches_of
from hedgerow.index.betree.picture import drawing
from hedgerow.index.betree.values import end_text, value_text
from hedgerow.index.chassis.coverage import unsaid
from hedgerow.index.chassis.written import clause_count, conjunction_count, is_plain
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind

_INT = cython.declare(cython.int, int(Kind.INT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_EXACT = cython.declare(cython.longlong, 1 << 53)  # whole numbers up to this are floats too
_FORM = cython.declare(cython.int, (1 << FORM_BITS) - 1)
_LEAVES = cython.declare(cython.int, 16)  # that wait for the memory
_MOST_TOLD = cython.declare(cython.int, 8192)
_ROWS_A_TOLD_ONE = cython.declare(cython.longlong, 8)
_LINE = cython.declare(cython.int, 16)  # words of the arena that come from the memory together
_FORM_HEAD = cython.declare(cython.int, 3)  # words before the keys of a test
_RANKS = cython.declare(cython.int, 4)
_FAMILIES = cython.declare(cython.int, 4)
_OFTEN = cython.declare(cython.longlong, 4096)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)

# How a literal is told, by what it accepts.
_ACCEPTED = ("", "NOT ", "not true: ", "not false: ")

_UNTESTED = cython.declare(cython.uchar, 0)
_PASSED = cython.declare(cython.uchar, 1)
_FAILED = cython.declare(cython.uchar, 2)


@cython.final
@cython.cclass
class BETreeEngine(UnitEngine):
    """The BE-Tree of conjunctions."""

    options = cython.declare(object, visibility="readonly")
    axes = cython.declare(Axes, visibility="readonly")
    tree = cython.declare(Tree, visibility="readonly")
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
        self.tree.adjust()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def end(self, searcher: Searcher) -> cython.int:
        """Let the tree know what the search has seen of it, before the search is kept for the next one."""
        search: _Search = cython.cast(_Search, searcher)
        position: cython.int
        if self.options.adjust:
            for position in range(search.told_count):
                self.tree.tell(search.told_node[position], search.told_looked[position], search.told_wasted[position])
            self.tree.rows += search.told_rows
        search.told_count = 0
        search.told_rows = 0
        return UnitEngine.end(self, searcher)

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

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
        self.last_visits = searcher.visits
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


@cython.final
@cython.cclass
class _Search(UnitSearcher):
    """One search. What a row writes is cleaned when the next one begins."""

    tree: Tree
    axes: Axes
    keys: Keys
    lazy: cython.bint
    maps: cython.bint
    bitmap: Bitmap

    # The tree, as it was when this was last refreshed.
    taken_at: cython.longlong
    node_words: cython.longlong[::1]
    partition_words: cython.longlong[::1]
    arena: cython.int[::1]
    partition_of: cython.ulonglong[::1]
    bucket_of: cython.ulonglong[::1]
    partition_seed: cython.ulonglong
    bucket_seed: cython.ulonglong
    nodes_there: cython.int
    partitions_there: cython.int
    is_parted: cython.uchar[::1]
    stack: cython.int[::1]
    leaf_start: cython.longlong[16]
    leaf_end: cython.longlong[16]
    leaf_node: cython.int[16]
    leaf_records: cython.int[16]
    leaf_count: cython.int

    # What some rows have seen of leaves, for the tree to adjust itself by.
    adjusts: cython.bint
    told_node: cython.int[::1]
    told_looked: cython.int[::1]
    told_wasted: cython.int[::1]
    told_count: cython.int
    told_rows: cython.int

    # The literals that there were when this was made.
    literal_limit: cython.int
    code: cython.int[::1]
    bit_of: cython.uint[::1]
    state: cython.uchar[::1]
    tested: cython.int[::1]
    tested_count: cython.int

    # Where the event is.
    place_on: cython.int[::1]  # by axis, or -1
    place_axis: cython.int[::1]
    place_low: cython.longlong[::1]
    place_high: cython.longlong[::1]
    place_key: cython.int[::1]
    place_is_rough: cython.uchar[::1]  # of a list, or of a value that others share the key of
    place_first: cython.int[::1]
    place_last: cython.int[::1]
    place_count: cython.int
    probed: cython.int[::1]  # places on the axes that partitions have
    probed_count: cython.int
    listed: cython.int[::1]  # the keys of lists, each once
    listed_count: cython.int
    seen_key: cython.longlong[::1]
    turn: cython.longlong
    bloom: cython.uint

    def __init__(self, engine: BETreeEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.tree, self.axes = engine.tree, engine.axes
        self.lazy = engine.options.evaluation != "direct"
        self.maps = engine.options.evaluation == "bitmap"
        self.bitmap = Bitmap(engine.axes, engine.graph) if self.maps else None
        self.literal_limit = self.axes.count
        self.code = self.axes.code
        self.bit_of = self.axes.bit_of
        self.keys = self.axes.keys.view()
        axes: cython.int = self.axes.attribute_count * AXES
        self.place_on = filled(axes, -1, np.int32)
        self.seen_key = filled(self.keys.count, 0, np.int64)
        self.state = filled(self.literal_limit, 0, np.uint8)
        self.tested = roomy(self.literal_limit, np.int32)
        self.listed = np.empty(16, np.int32)
        self.place_axis, self.place_key = np.empty(64, np.int32), np.empty(64, np.int32)
        self.place_low, self.place_high = np.empty(64, np.int64), np.empty(64, np.int64)
        self.place_first, self.place_last = np.empty(64, np.int32), np.empty(64, np.int32)
        self.place_is_rough, self.probed = np.empty(64, np.uint8), np.empty(64, np.int32)
        self.stack = np.empty(0, np.int32)
        self.adjusts = engine.options.adjust
        told = np.empty((3, _MOST_TOLD if self.adjusts else 0), np.int32)
        self.told_node, self.told_looked, self.told_wasted = told
        self.refresh()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def make_places(self, count: cython.Py_ssize_t) -> cython.int:
        """Have room for as many places."""
        axes, keys, lists = (
            grown(self.place_axis, count),
            grown(self.place_key, count),
            grown(self.place_is_rough, count),
        )
        lows, highs, probed = grown(self.place_low, count), grown(self.place_high, count), grown(self.probed, count)
        firsts, lasts = grown(self.place_first, count), grown(self.place_last, count)
        self.place_axis, self.place_key, self.place_is_rough = axes, keys, lists
        self.place_low, self.place_high, self.probed = lows, highs, probed
        self.place_first, self.place_last = firsts, lasts
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def refresh(self) -> cython.int:
        """Take the tree as it is now."""
        tree: Tree = self.tree
        self.taken_at = tree.changes
        self.node_words, self.partition_words, self.arena = tree.node_words, tree.partition_words, tree.arena
        self.partition_of, self.partition_seed = tree.partition_of.slots, tree.partition_of.seed
        self.bucket_of, self.bucket_seed = tree.bucket_of.slots, tree.bucket_of.seed
        self.is_parted = tree.is_parted
        self.nodes_there, self.partitions_there = tree.node_count, tree.partition_count
        if self.stack.shape[0] < tree.node_count + 1:
            self.stack = roomy(2 * tree.node_count + 1, np.int32)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Hit the units of the leaves that the event leads to and whose literals hold."""
        # What was taken is of one moment, and so is what it leads to in arrays that were not replaced since.
        if self.tree.changes == self.taken_at:
            self.begin_row(row)
            if self.walk():
                fence()
                if self.tree.changes == self.taken_at:
                    return 0
        with cython.gil:
            self.run_alone(row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def run_alone(self, row: cython.longlong) -> cython.int:
        """Do the same while no writer runs: what was read was changed meanwhile."""
        while True:
            if self.tree.changes & 1:
                raise Unsupported("a search cannot begin within a change of the same index")
            self.refresh()
            self.begin_row(row)
            # Signals may be let in, and what they do may change the tree.
            if self.walk() and self.tree.changes == self.taken_at:
                return 0

    # Where the event is

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def begin_row(self, row: cython.longlong) -> cython.int:
        """Forget the last event, and note where this one is on each axis."""
        position: cython.int
        entry: cython.longlong
        attribute: cython.int
        kind: cython.int
        self.hit_count = 0
        for position in range(self.place_count):
            self.place_on[self.place_axis[position]] = -1
        for position in range(self.tested_count):
            self.state[self.tested[position]] = _UNTESTED
        self.place_count, self.probed_count, self.tested_count, self.listed_count = 0, 0, 0, 0
        self.bloom = 0
        if self.maps:
            self.bitmap.begin()
        self.turn = self.turn + 1
        if self.adjusts and self.turn % _ROWS_A_TOLD_ONE == 1 and self.told_count + _LEAVES <= _MOST_TOLD:
            self.told_rows = self.told_rows + 1
        self.outcomes.begin(row)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if attribute < 0 or (attribute + 1) * AXES > self.place_on.shape[0]:
                continue
            kind = self.outcomes.entry_kind[entry]
            self.bloom = self.bloom | self.bit_of[attribute]
            self.add_place(attribute * AXES + LANE_PRESENT, 0, 0, -1)
            if kind == _LIST:
                self.add_list(attribute, self.outcomes.entry_payload[entry])
            elif family_of(family_bit(kind)) >= 0:
                self.add_value(attribute, kind, self.outcomes.entry_payload[entry])
                if self.maps:
                    self.bitmap.take(self.outcomes, attribute, kind, self.outcomes.entry_payload[entry])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_place(self, axis: cython.int, low: cython.longlong, high: cython.longlong, key: cython.int) -> cython.int:
        """Note that the event is on an axis; return the number of the place."""
        place: cython.int = self.place_count
        if place >= self.place_axis.shape[0]:
            with cython.gil:
                self.make_places(place + 1)
        self.place_on[axis] = place
        self.place_axis[place] = axis
        self.place_low[place] = low
        self.place_high[place] = high
        self.place_key[place] = key
        self.place_is_rough[place] = False
        self.place_count = place + 1
        if axis < self.is_parted.shape[0] and self.is_parted[axis]:
            self.probed[self.probed_count] = place
            self.probed_count = self.probed_count + 1
        return place

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_value(self, attribute: cython.int, kind: cython.int, payload: cython.longlong) -> cython.int:
        """Note where a value is: on the line of its family, and by its key if there is one."""
        ordered: cython.longlong = value_key(self.outcomes, kind, payload)
        key: cython.int = self.key_of(attribute, kind, payload)
        place: cython.int = self.add_place(
            attribute * AXES + LANE_LINE + family_of(family_bit(kind)), ordered, ordered, key
        )
        self.place_is_rough[place] = kind == _INT and not -_EXACT <= payload <= _EXACT
        if key >= 0:
            self.add_place(attribute * AXES + LANE_VALUE, 0, 0, key)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def key_of(self, attribute: cython.int, kind: cython.int, payload: cython.longlong) -> cython.int:
        """Return the key of a value, or -1 where no literal asks for it."""
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
            if payload < 0:
                return -1
        return self.keys.find(attribute, kind, payload)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_list(self, attribute: cython.int, number: cython.longlong) -> cython.int:
        """Note where the elements of a list are: from the least to the greatest of each family, and their keys."""
        lows: cython.longlong[4]
        highs: cython.longlong[4]
        family: cython.int
        place: cython.int
        key: cython.int
        ordered: cython.longlong
        element: cython.longlong
        first: cython.int = self.listed_count
        for family in range(_FAMILIES):
            lows[family], highs[family] = _HIGHEST, _LOWEST
        self.outcomes.spend(self.outcomes.list_start[number + 1] - self.outcomes.list_start[number])
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            family = family_of(family_bit(self.outcomes.element_kind[element]))
            if family < 0:
                continue
            ordered = value_key(
                self.outcomes, self.outcomes.element_kind[element], self.outcomes.element_payload[element]
            )
            lows[family], highs[family] = min(lows[family], ordered), max(highs[family], ordered)
            key = self.key_of(attribute, self.outcomes.element_kind[element], self.outcomes.element_payload[element])
            if key >= 0 and self.seen_key[key] != self.turn:
                self.seen_key[key] = self.turn
                self.add_listed(key)
        for family in range(_FAMILIES):
            if lows[family] <= highs[family]:
                place = self.add_place(attribute * AXES + LANE_LINE + family, lows[family], highs[family], -1)
                self.place_is_rough[place] = True
        if self.listed_count > first:
            place = self.add_place(attribute * AXES + LANE_VALUE, 0, 0, -1)
            self.place_is_rough[place] = True
            self.place_first[place], self.place_last[place] = first, self.listed_count
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_listed(self, key: cython.int) -> cython.int:
        if self.listed_count >= self.listed.shape[0]:
            with cython.gil:
                self.listed = grown(self.listed, self.listed_count + 1)
        self.listed[self.listed_count] = key
        self.listed_count = self.listed_count + 1
        return 0

    # The walk. It returns False if what it read cannot be: a writer is at it.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def walk(self) -> cython.bint:
        """Go to all leaves that the event leads to."""
        depth: cython.int = 1
        number: cython.int
        node: cython.pointer(Node)
        steps: cython.longlong = 0
        self.stack[0] = 0
        self.leaf_count = 0
        while depth:
            depth -= 1
            number = self.stack[depth]
            if number < 0 or number >= self.nodes_there:
                return False
            node = self.node_at(number)
            steps += 1 + node.records
            if steps > _OFTEN:
                if self.tree.changes != self.taken_at:
                    return False
                self.visits = self.visits + steps
                self.outcomes.spend(steps)
                steps = 0
            if node.used and not self.await_leaf(number, node):
                return False
            if node.left >= 0:
                depth = self.push_halves(node, depth)
            if node.partitions and depth >= 0:
                depth = self.push_partitions(number, node, depth)
            if depth < 0:
                return False
        self.visits = self.visits + steps
        self.outcomes.spend(steps)
        return self.look_at_leaves()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def node_at(self, number: cython.int) -> cython.pointer(Node):
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, number) * NODE_WORDS
        return cython.cast(cython.pointer(Node), cython.address(self.node_words[place]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def partition_at(self, number: cython.int) -> cython.pointer(Partition):
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, number) * PARTITION_WORDS
        return cython.cast(cython.pointer(Partition), cython.address(self.partition_words[place]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, node: cython.int, depth: cython.int) -> cython.int:
        """Let a node be visited; return how many wait, or -1."""
        if depth < 0 or depth >= self.stack.shape[0] or node < 0 or node >= self.nodes_there:
            return -1
        prefetch(self.node_at(node))
        self.stack[depth] = node
        return depth + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_halves(self, node: cython.pointer(Node), depth: cython.int) -> cython.int:
        """Let those halves of a bucket be visited that the event is in: what is beyond the line is at its end."""
        place: cython.int
        axis: cython.int
        if node.owner < 0 or node.owner >= self.partitions_there or node.left + 1 >= self.nodes_there:
            return -1
        axis = self.partition_at(node.owner).axis
        if axis < 0 or axis >= self.place_on.shape[0] or self.place_on[axis] < 0:
            return -1
        place = self.place_on[axis]
        if self.place_low[place] <= self.node_at(node.left).high:
            depth = self.push(node.left, depth)
        if self.place_high[place] > self.node_at(node.left).high:
            depth = self.push(node.left + 1, depth)
        return depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_partitions(self, number: cython.int, node: cython.pointer(Node), depth: cython.int) -> cython.int:
        """Let the partitions of a node be visited that the event has the attributes of: by the shorter way."""
        position: cython.int
        place: cython.int
        axis: cython.int
        partition: cython.int
        if node.partitions > self.probed_count:
            for position in range(self.probed_count):
                place = self.probed[position]
                partition = edge_child(
                    cython.address(self.partition_of[0]),
                    cython.cast(cython.ulonglong, self.partition_of.shape[0] // 2 - 1),
                    self.partition_seed,
                    number,
                    self.place_axis[place],
                )
                if partition >= 0:
                    depth = self.push_buckets(partition, place, depth)
            return depth
        partition = node.partition
        while partition >= 0 and depth >= 0:
            if partition >= self.partitions_there:
                return -1
            axis = self.partition_at(partition).axis
            if 0 <= axis < self.place_on.shape[0] and self.place_on[axis] >= 0:
                depth = self.push_buckets(partition, self.place_on[axis], depth)
            partition = self.partition_at(partition).next
        return depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_buckets(self, number: cython.int, place: cython.int, depth: cython.int) -> cython.int:
        """Let the buckets of a partition be visited that the event is in."""
        partition: cython.pointer(Partition)
        node: cython.int
        position: cython.int
        if number >= self.partitions_there:
            return -1
        partition = self.partition_at(number)
        if lane_of(partition.axis) != LANE_VALUE:
            return self.push(partition.top, depth)
        if not self.place_is_rough[place]:
            return self.push_bucket(number, self.place_key[place], depth)
        if self.place_last[place] - self.place_first[place] <= partition.buckets:
            for position in range(self.place_first[place], self.place_last[place]):
                depth = self.push_bucket(number, self.listed[position], depth)
            return depth
        node = partition.top
        while node >= 0 and depth >= 0:
            if node >= self.nodes_there:
                return -1
            if self.has_key(self.node_at(node).low):
                depth = self.push(node, depth)
            node = self.node_at(node).next
        return depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_key(self, key: cython.longlong) -> cython.bint:
        return 0 <= key < self.seen_key.shape[0] and self.seen_key[key] == self.turn

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_bucket(self, partition: cython.int, key: cython.int, depth: cython.int) -> cython.int:
        """Let the bucket of a key be visited, if there is one."""
        node: cython.int = edge_child(
            cython.address(self.bucket_of[0]),
            cython.cast(cython.ulonglong, self.bucket_of.shape[0] // 2 - 1),
            self.bucket_seed,
            partition,
            key,
        )
        return depth if node < 0 else self.push(node, depth)

    # Leaves

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def await_leaf(self, number: cython.int, node: cython.pointer(Node)) -> cython.bint:
        """Let a leaf be looked at when its beginning has come from the memory; until then the walk goes on."""
        at: cython.longlong = node.start
        end: cython.longlong = at + node.used
        if at < 0 or end > self.arena.shape[0]:
            return False
        if self.leaf_count == _LEAVES and not self.look_at_leaves():
            return False
        self.leaf_start[self.leaf_count] = at
        self.leaf_end[self.leaf_count] = end
        self.leaf_node[self.leaf_count] = number
        self.leaf_records[self.leaf_count] = node.records
        self.leaf_count = self.leaf_count + 1
        prefetch(cython.address(self.arena[at]))
        if node.used > _LINE:
            prefetch(cython.address(self.arena[at + _LINE]))
        if node.used > 2 * _LINE:
            prefetch(cython.address(self.arena[at + 2 * _LINE]))
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def look_at_leaves(self) -> cython.bint:
        """Look at the leaves that wait."""
        position: cython.int
        hits: cython.int
        tells: cython.bint = self.adjusts and self.turn % _ROWS_A_TOLD_ONE == 1
        if tells and self.told_count + _LEAVES > _MOST_TOLD:
            tells = False
        for position in range(self.leaf_count):
            hits = self.hit_count
            if not self.look(self.leaf_start[position], self.leaf_end[position]):
                return False
            if tells:
                self.told_node[self.told_count] = self.leaf_node[position]
                self.told_looked[self.told_count] = self.leaf_records[position]
                self.told_wasted[self.told_count] = max(self.leaf_records[position] - (self.hit_count - hits), 0)
                self.told_count = self.told_count + 1
        self.leaf_count = 0
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def look(self, at: cython.longlong, end: cython.longlong) -> cython.bint:
        """Hit the units of a leaf whose literals hold."""
        following: cython.longlong
        last: cython.longlong
        unit: cython.int
        bits: cython.uint
        while at < end:
            if at + HEAD_WORDS > end:
                return False
            unit = self.arena[at]
            bits = cython.cast(cython.uint, self.arena[at + 1])
            last = at + HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS)
            following = last + (self.arena[at + 2] & _KNOWN)
            if last < at or following > end:
                return False
            if (bits & self.bloom) == bits and 0 <= unit < self.unit_limit and self.hold(at + HEAD_WORDS, last):
                if self.hit_count >= self.unit_limit:
                    return False
                hit(self, unit)
            at = following
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def hold(self, at: cython.longlong, last: cython.longlong) -> cython.bint:
        """Return whether all tests hold that stand in the arena from a place to another."""
        size: cython.int
        test: cython.pointer(cython.const[cython.int])
        while at < last:
            test = cython.address(self.arena[at])
            # What is no test was written over meanwhile, and the row begins again.
            if at + 2 > last or (at + 3 > last and FORM_ANY <= test[0] & _FORM <= FORM_NONE):
                return False
            size = test_size(test)
            at += size
            if size < 2 or at > last or test[1] < 0 or test[1] >= self.literal_limit:
                return False
            if self.lazy:
                if not self.remembered(test):
                    return False
            elif not self.test(test):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def remembered(self, test: cython.pointer(cython.const[cython.int])) -> cython.bint:
        """Return whether a test holds, which is found out once for an event."""
        literal: cython.int = test[1]
        known: cython.int = -1
        if self.maps:
            known = bit_of(self.bitmap, literal)
            if known >= 0:
                return known
        if self.state[literal] == _UNTESTED:
            self.state[literal] = _PASSED if self.test(test) else _FAILED
            self.tested[self.tested_count] = literal
            self.tested_count = self.tested_count + 1
        return self.state[literal] == _PASSED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def test(self, test: cython.pointer(cython.const[cython.int])) -> cython.bint:
        """Return whether a test holds: by where the event is on its axis, if that can tell."""
        form: cython.int = test[0] & _FORM
        axis: cython.int = test[0] >> FORM_BITS
        place: cython.int
        if form != FORM_CODE:
            if axis < 0 or axis >= self.place_on.shape[0]:
                return False
            place = self.place_on[axis]
            if place < 0:
                if form != FORM_NONE:
                    return False
            elif not self.place_is_rough[place]:
                if form >= FORM_LINE:
                    return self.is_between(test, place)
                return self.has_keys(form, test, self.place_key[place])
            elif form == FORM_PRESENT:
                return True
        return self.outcomes.literal(self.code[test[1]])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_between(self, test: cython.pointer(cython.const[cython.int]), place: cython.int) -> cython.bint:
        """Return whether a place of one value is between the ends of a test."""
        ends: cython.longlong[2]
        ordered: cython.longlong = self.place_low[place]
        memcpy(ends, test + 2, 16)
        if test[0] & _FORM == FORM_ROUGH and (ordered == ends[0] or ordered == ends[1]):
            return self.outcomes.literal(self.code[test[1]])
        return ends[0] <= ordered <= ends[1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_keys(
        self, form: cython.int, test: cython.pointer(cython.const[cython.int]), key: cython.int
    ) -> cython.bint:
        """Return whether a test of keys holds for a place that has a key, or -1."""
        position: cython.int
        if form == FORM_PRESENT:
            return True
        if form == FORM_KEY:
            return test[2] == key
        for position in range(test[2]):
            if test[_FORM_HEAD + position] == key:
                return form == FORM_ANY
        return form == FORM_NONE
