"""The bitmap of the BE-Tree (Section 6.1 of the paper): for a value of an attribute, which literals hold.

::

    literals of age   < 30   BETWEEN 20 AND 40   = 25   > 50          their bits stand together
    row of age = 25     1            1              1      0          one row a value, of the bits of its attribute
    row of age = 60     0            0              0      1

With the rows of its values taken, an event tests no literal: whatever is asked for is a bit. Nobody declares domains
here, so a row is made when its value first comes, by testing all literals of the attribute once; it is kept as long as
the search is, which is until the index changes. There is no row for a list, nor for a string that no rule names, nor
beyond 64 MiB; literals of such attributes are tested when they are met, each once (``"lazy"``).
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.axes_cy import Axes
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.language.graph_cy import Graph

from hedgerow.arrays_cy import filled, grown
from hedgerow.values import Kind

_STRING = cython.declare(cython.int, int(Kind.STRING))
_MOST_WORDS = cython.declare(cython.longlong, 1 << 23)
_WORD = cython.declare(cython.int, 64)


@cython.final
@cython.cclass
class Bitmap:
    """The rows of one search, for the literals that there are when it begins."""

    def __init__(self, axes: Axes, graph: Graph):
        literal: cython.int
        attribute: cython.int
        self.code = axes.code
        self.first = filled(axes.attribute_count + 2, 0, np.int32)
        self.attribute_of = filled(max(axes.count, 1), 0, np.int32)
        self.place_of = filled(max(axes.count, 1), 0, np.int32)
        self.members = filled(max(axes.count, 1), 0, np.int32)
        for literal in range(axes.count):
            attribute = graph.predicate_attribute[self.code[literal] >> 2]
            self.attribute_of[literal] = attribute
            self.place_of[literal] = self.first[attribute + 1]
            self.first[attribute + 1] += 1
        for attribute in range(axes.attribute_count):
            self.first[attribute + 1] += self.first[attribute]
        for literal in range(axes.count):
            self.members[self.first[self.attribute_of[literal]] + self.place_of[literal]] = literal
        self.keys = Keys()
        self.row_of = filled(16, 0, np.int64)
        self.words = filled(64, 0, np.uint64)
        self.row_at = filled(max(axes.attribute_count, 1), -1, np.int64)
        self.taken = filled(max(axes.attribute_count, 1), 0, np.int32)

    def begin(self):
        """Forget the rows of the last event."""
        position: cython.int
        for position in range(self.taken_count):
            self.row_at[self.taken[position]] = -1
        self.taken_count = 0
        return 0

    def take(self, outcomes, attribute, kind, payload):
        """Take the row of a value that the event has for an attribute, if there is one or can be."""
        key: cython.int
        if kind == _STRING:
            payload = outcomes.string_of[payload]
            if payload < 0:
                return 0
        key = self.keys.find(attribute, kind, payload)
        if key < 0:
            with cython.gil:
                key = self.make(outcomes, attribute, kind, payload)
            if key == 0:
                return 0
            key -= 1
        self.row_at[attribute] = self.row_of[key]
        self.taken[self.taken_count] = attribute
        self.taken_count = self.taken_count + 1
        return 0

    def make(self, outcomes, attribute, kind, payload):
        """Make the row of a value by testing all literals of its attribute; return its key plus one, or 0."""
        start: cython.longlong = self.word_count
        count: cython.int = self.first[attribute + 1] - self.first[attribute]
        place: cython.int
        key: cython.int
        if start + (count + _WORD - 1) // _WORD > _MOST_WORDS:
            return 0
        self.word_count = start + (count + _WORD - 1) // _WORD
        if self.word_count > self.words.shape[0]:
            self.words = grown(self.words, self.word_count, 0)
        for place in range(count):
            if outcomes.literal(self.code[self.members[self.first[attribute] + place]]):
                self.words[start + place // _WORD] |= cython.cast(cython.ulonglong, 1) << (place % _WORD)
        outcomes.spend(4 * cython.cast(cython.longlong, count))
        # Its key comes last: a row that was not finished is nobody's.
        if self.keys.count >= self.row_of.shape[0]:
            self.row_of = grown(self.row_of, self.keys.count + 1)
        self.row_of[self.keys.count] = start
        key = self.keys.number(attribute, kind, payload)
        return key + 1
