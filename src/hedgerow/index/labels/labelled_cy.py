"""What both engines of labels are made of: the words of all labels, and the walk over those that an event marks.

::

    unit        0             1         2
    start       0             3         4         9       where the words of its labels begin
    words       w w w         w         w w w w w         a label is one word, or more where its tree needs that
    marked      1 0 1         0         0 0 1 1 0         by the leaves that hold: unit 0 by two labels, unit 2 by two

A unit is a whole expression. The words of its labels stand side by side, in the order in which they are evaluated, and
a label is told by the place of its first word. So the marks of an event, read from the first to the last, are its trees
one after the other, with the labels of each in order: nothing is sorted. A unit that no leaf marks costs nothing.
``unit_at`` has the unit of each 64th word, from where a search goes on to the one that it looks for.

Words are written before any list mentions them, and are never given back: an insert that failed leaves labels of a unit
that nobody owns.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import lowest_bit, without_lowest_bit
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.index.labels.leaves_cy import HoldingLeaves, Leaves
from cython.cimports.hedgerow.index.labels.tree_cy import Tree, measure
from cython.cimports.hedgerow.language.graph_cy import NODE_LITERAL
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown, roomy
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.labels.options import LEAVES, LabelOptions
from hedgerow.index.labels.picture import drawing
from hedgerow.sections import nested, numbers, part, scalars, section

_MOST_WORDS = cython.declare(cython.longlong, (1 << 31) - 64)  # places have 31 bits


@cython.cclass
class LabelEngine(UnitEngine):
    """The base of both engines, which say how many words the labels of a tree have, and write them."""

    def __init__(self, missing: str, options=None):
        UnitEngine.__init__(self, missing, False)
        self.take_options(LabelOptions() if options is None else options)
        self.leaves = Leaves(self.graph, self.table)
        self.tree = Tree()
        self.words = np.empty(16, np.uint32)
        self.start = np.zeros(16, np.int32)
        self.unit_at = np.empty(16, np.int32)
        self.place = np.empty(16, np.int32)

    def take_options(self, options):
        self.options = options
        self.joins = options.leaves == "conjunctions"
        return 0

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    # What an engine says

    def word_count(self):
        """Return how many words the labels of ``tree`` have."""
        return 0

    def write_labels(self, base):  # noqa: ARG002 - an engine wants it
        """Write the labels of ``tree`` at ``words[base]``, and the place of each leaf's into ``place``."""
        return 0

    def label(self, unit, place):  # noqa: ARG002 - an engine wants it
        """Return a label as people write it."""
        return ""

    # Writing

    def form(self, graph, node):
        """Return the node as it is, unless its tree is too large."""
        measure(graph, node, self.has_levels)
        return node

    def add_unit(self, unit, node):
        base: cython.int = self.used
        place: cython.int
        words: cython.longlong
        self.tree.write(self.graph, node, self.joins)
        words = self.word_count()
        self.make_room(unit, words)
        self.write_labels(base)
        self.begin_unit(unit, words)
        for place in range(self.tree.count):
            if self.tree.kind[place] == NODE_LITERAL:
                self.leaves.add_label(self.tree.node[place], self.place[place])
        return 0

    def make_room(self, unit, words):
        """Let there be room for a unit of so many words."""
        needed: cython.longlong = self.used + words
        if needed > _MOST_WORDS:
            raise LimitError(f"labels of more than {_MOST_WORDS:,} words in one index")
        if needed > self.words.shape[0]:
            self.words = grown(self.words, needed)
        if (needed >> 6) >= self.unit_at.shape[0]:
            self.unit_at = grown(self.unit_at, (needed >> 6) + 1)
        if unit + 2 > self.start.shape[0]:
            self.start = grown(self.start, unit + 2)
        if self.tree.count > self.place.shape[0]:
            self.place = grown(self.place, self.tree.count)
        return 0

    def begin_unit(self, unit, words):
        """Write down where the labels of a unit are. Units before it that have none are those that failed."""
        word: cython.int = (self.used + 63) >> 6
        while self.started < unit:
            self.start[self.started + 1] = self.used
            self.started = self.started + 1
        self.used = cython.cast(cython.int, self.used + words)
        self.start[unit + 1] = self.used
        self.started = unit + 1
        while (word << 6) < self.used:
            self.unit_at[word] = unit
            word += 1
        self.most_leaves = max(self.most_leaves, self.tree.leaf_count)
        self.deepest = max(self.deepest, self.tree.deepest)
        return 0

    def publish(self):
        UnitEngine.publish(self)
        self.shown = self.used
        return self.leaves.publish()

    # Files

    def structure_saved(self):
        """Return the labels and the leaves."""
        return nested(leaves=self.leaves.saved()) | {
            "words": np.asarray(self.words)[: self.used],
            "start": np.asarray(self.start)[: self.started + 1],
            "unit_at": np.asarray(self.unit_at)[: (self.used + 63) >> 6],
            "labels": numbers(LEAVES.index(self.options.leaves), self.most_leaves, self.deepest),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        way, self.most_leaves, self.deepest = scalars(arrays, "labels", 3)
        if way >= len(LEAVES):
            raise CorruptFile("the section 'labels' has an unknown switch")
        self.take_options(LabelOptions(leaves=LEAVES[way]))
        self.leaves = Leaves.restored(self.graph, self.table, part(arrays, "leaves"))
        self.words = section(arrays, "words", np.uint32)
        self.used = cython.cast(cython.int, self.words.shape[0])
        self.shown = self.used
        self.start = section(arrays, "start", np.int32)
        self.started = cython.cast(cython.int, self.start.shape[0] - 1)
        if self.started < 0 or self.started > self.units.count or self.start[self.started] != self.used:
            raise CorruptFile("the section 'start' does not fit the words")
        self.unit_at = section(arrays, "unit_at", np.int32, (self.used + 63) >> 6)

    def structure_bytes(self):
        """Return the bytes of literals, of the lists of leaves, and of labels."""
        labels = 4 * self.used + 4 * (self.started + 1) + 4 * ((self.used + 63) >> 6)
        return {"literals": self.leaves.literals.nbytes, "postings": self.leaves.nbytes, "labels": labels}

    # What can be seen

    def labels(self):
        """Return the labels of each unit in their order, each with its leaf: for pictures and tests."""
        unit: cython.int = 0
        found: list = [[] for _ in range(self.started)]
        for place, leaf in sorted(self.leaves.told().items()):
            while self.start[unit + 1] <= place:
                unit += 1
            found[unit].append((leaf, self.label(unit, place)))
        return found

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the labels, where ``ids`` has the ids of slots; LimitError for more than ``most``."""
        count = self.leaves.label_count
        units = [] if count > most else [(self.units.owners(n), labels) for n, labels in enumerate(self.labels())]
        return drawing(units, ids, count, most)

    def figures(self):
        """Return what there is to tell of the labels."""
        count = self.leaves.label_count
        return {
            "units": self.units.count,
            "labels": count,
            "words a label": f"{self.used / count if count else 0.0:.2f}",
            "most labels of a unit": self.most_leaves,
            "levels": self.deepest,
            "conjunctions": self.leaves.conjunction_count,
        }

    def check(self):
        """Raise AssertionError unless each unit begins where the one before it ends: for tests."""
        starts = np.asarray(self.start)[: self.started + 1].tolist()
        _must(starts[0] == 0 and starts[self.started] == self.used, "units fill the words")
        _must(starts == sorted(starts), f"units ascend: {starts}")
        for word, unit in enumerate(np.asarray(self.unit_at)[: (self.used + 63) >> 6].tolist()):
            _must(starts[unit] <= 64 * word < starts[unit + 1], f"word {64 * word} is one of unit {unit}")
        for place in self.leaves.told():
            _must(0 <= place < self.used, f"a label at {place}")


def _must(holds, claim):
    if not holds:
        raise AssertionError(claim)


@cython.cclass
class LabelSearcher(UnitSearcher):
    """The base of searches of both engines, which say whether labels that were marked make a unit true."""

    def __init__(self, engine: LabelEngine, outcomes: Outcomes):
        limit: cython.int = engine.shown
        self.most_leaves = engine.most_leaves
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.holding = HoldingLeaves(engine.leaves, outcomes, limit)
        self.marks, self.marked_words = self.holding.bits, self.holding.summary
        self.words, self.start, self.unit_at = engine.words, engine.start, engine.unit_at
        self.marked = roomy(self.most_leaves, np.int32)

    def is_true(self, unit, count):  # noqa: ARG002 - an engine wants it
        """Return whether a unit is true of which so many labels were marked."""
        return False

    def run(self, row):
        """Have leaves mark their labels, and go through the marks unit by unit."""
        group: cython.Py_ssize_t
        words: cython.ulonglong
        self.holding.find(row)
        self.visits = self.visits + self.holding.visits
        self.unit = -1
        self.unit_end = 0
        self.marked_count = 0
        for group in range(self.marked_words.shape[0]):
            words = self.marked_words[group]
            self.marked_words[group] = 0
            while words:
                self.take_word(cython.cast(cython.int, group << 6) + lowest_bit(words))
                words = without_lowest_bit(words)
        return self.end_unit()

    def take_word(self, word):
        """Take up the marks among 64 words, and clean them."""
        bits: cython.ulonglong = self.marks[word]
        place: cython.int
        self.marks[word] = 0
        while bits:
            place = (word << 6) + lowest_bit(bits)
            bits = without_lowest_bit(bits)
            if place >= self.unit_end:
                self.end_unit()
                self.unit = max(self.unit, self.unit_at[word])
                while self.start[self.unit + 1] <= place:
                    self.unit = self.unit + 1
                self.unit_end = self.start[self.unit + 1]
            self.marked[self.marked_count] = place
            self.marked_count = self.marked_count + 1
        return 0

    def end_unit(self):
        """Evaluate the unit whose marks have all been taken up."""
        if self.marked_count and self.unit < self.unit_limit:
            self.outcomes.spend(self.marked_count)
            if self.is_true(self.unit, self.marked_count):
                hit(self, self.unit)
        self.marked_count = 0
        return 0
