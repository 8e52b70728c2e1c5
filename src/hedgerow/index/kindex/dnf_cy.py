"""The k-index of conjunctions (Section 3 of the paper), and its ranking (Section 5).

A unit is a conjunction. Its *size* is how many of its literals must hold because something is there: values of IN, a
pattern, presence. A NOT IN adds nothing to the size but an entry under each of its values, which rejects. An entry is
``unit << 1``, plus 1 if it is not such a one; so of one unit those that reject come first, and a unit at which
``size`` lists stand matches if the first of them does not reject::

    size 2   (age, 3)     1+ 2+ 3+            event age = 3, state = CA, gender = M
             (state, CA)  3- 4+               age skips to 3, where state rejects; state and gender stand at 4, a match
             (gender, M)  3+ 4+
    size 0   (state, CA)  6-                  6 asks for nothing, so Z has it; state rejects
             Z            6+

With lists in events a unit can stand in several lists of one attribute because of one literal; then the lists are
counted by attribute (``KeyedEngine.is_first_of`` sees to it that this is enough).

**The sweep.** Where lists are long, there is little between their entries to skip, and to sort them costs more than to
read them. Every unit that the walk comes to is in a list that is not among the ``size - 1`` longest; if that does not
leave much out, the lists are swept instead: window by window of some thousand units, each list adds one to the counters
of its units there, which stay in the cache. What comes to ``size`` matches unless it is rejected. Events whose lists of
values make it doubtful what a list stands for are always walked.

**The best.** Each key has an upper bound of its weights. When as many slots are held as are wanted, the score of the
last of them is a threshold: a size is skipped if its greatest bounds together are below it, and lists skip to the first
unit that enough of them can have whose bounds together are not. Units of expressions that score otherwise than their
conjunctions do are in lists of their own, which nothing bounds.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.kindex.keyed_cy import (
    BY_FOUND,
    BY_PIECES,
    KeyedEngine,
    KeyedSearcher,
    Piece,
    sort_values,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.predicate.finder_cy import BY_VALUE
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import listed_count
from cython.cimports.libc.string import memset

from hedgerow.arrays_cy import filled, grown
from hedgerow.language.operators import Accepts

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))
_WINDOW = cython.declare(cython.int, 1 << 15)  # units, a byte each: they stay in the cache next to the processor
_MOST_SWEPT = cython.declare(cython.int, 100)  # the greatest size that is swept: a byte has room for it
_REJECTED = cython.declare(cython.uchar, 128)

# What a walk costs for an entry that it may have to come to, and a sweep for any, in nanoseconds: only by their
# proportion is it decided which of them is taken.
_WALKED = cython.declare(cython.longlong, 60)
_SWEPT = cython.declare(cython.longlong, 2)

_Z_KEY = cython.declare(cython.longlong, 0)
_REJECTS = cython.declare(cython.longlong, 0)
_ASKS = cython.declare(cython.longlong, 1)  # for one of the values of a literal
_COUNTS = cython.declare(cython.longlong, 3)  # as a literal by itself
_LOW = cython.declare(cython.longlong, (1 << 32) - 1)


@cython.cclass
class KIndexEngine(KeyedEngine):
    """The k-index for DNF."""

    def __init__(self, missing: str, options=None):
        KeyedEngine.__init__(self, missing, options, True, 1)
        self.items = np.empty(16, np.int64)

    def add_unit(self, unit, node):
        """Put a conjunction into the lists of its keys."""
        position: cython.longlong
        self.item_count = 0
        self.size = 0
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.add_literal(unit, self.graph.node_code[node])
        elif self.graph.node_kind[node] == NODE_AND:
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                self.add_literal(unit, self.graph.node_code[self.graph.child[position]])
        self.unite()
        if self.size == 0:
            self.add_item(_Z_KEY, _ASKS)
        rank: cython.int = 2 * self.size + self.loose
        self.greatest_size = max(self.greatest_size, self.size)
        place: cython.int
        for place in range(self.item_count):
            self.postings.add(
                self.postings.list_of(cython.cast(cython.int, self.items[place] >> 2), rank, 0),
                2 * unit + cython.cast(cython.int, self.items[place] & 1),
            )
        return 0

    def unite(self):
        """Keep each item once, and let the size be that of the literals that count by themselves too."""
        place: cython.int
        kept: cython.int = 0
        sort_values(cython.address(self.items[0]), self.item_count)
        for place in range(self.item_count):
            if kept == 0 or self.items[place] != self.items[kept - 1]:
                self.items[kept] = self.items[place]
                kept += 1
                self.size += self.items[place] & 3 == _COUNTS
        self.item_count = kept
        return 0

    def add_item(self, key, does):
        if self.item_count >= self.items.shape[0]:
            self.items = grown(self.items, self.item_count + 1)
        self.items[self.item_count] = key << 2 | does
        self.item_count += 1
        return 0

    def add_literal(self, unit, code):
        """Add what a literal asks for, or what rejects it."""
        number: cython.int
        way: cython.int = self.keying(code)
        accepts: cython.int = code & 3
        if self.literals.is_denied(code) or (way == BY_PIECES and (accepts == _FALSE or accepts == _NOT_TRUE)):
            number = self.literals.there(code)
            if number >= 0:
                self.add_item(self.literal_key(number), _COUNTS)
            if way != BY_FOUND:
                return self.add_keys(code, way, _REJECTS)
            number = self.literals.denied(code)
            return 0 if number < 0 else self.add_item(self.literal_key(number), _REJECTS)
        if way != BY_FOUND and accepts == _TRUE and self.is_first_of(unit, code):
            self.size += 1
            return self.add_keys(code, way, _ASKS)
        return self.add_found(code)

    def add_found(self, code):
        """Add a literal that has a key of its own, whose bound is that of its greatest weight."""
        key: cython.int = self.literal_key(self.literals.number(code))
        first: cython.longlong = self.graph.predicate_start[code >> 2]
        position: cython.longlong
        if self.literals.finder.way((code >> 2) * 4 + _TRUE) == BY_VALUE:
            for position in range(first, first + listed_count(self.table, code >> 2)):
                self.raise_bound(key, position)
        return self.add_item(key, _COUNTS)

    def add_keys(self, code, way, does):
        """Add an item for each value of a literal, or for each piece of its range."""
        first: cython.longlong = self.graph.predicate_start[code >> 2]
        position: cython.longlong
        key: cython.int
        number: cython.int
        pieces: Piece[130]
        if way == BY_PIECES:
            for number in range(self.pieces_of(code, pieces)):
                self.add_item(self.piece_key(code, pieces[number]), does)
            return 0
        for position in range(first, first + listed_count(self.table, code >> 2)):
            key = self.value_key(code, position)
            if does == _ASKS:
                self.raise_bound(key, position)
            self.add_item(key, does)
        return 0

    def new_searcher(self, outcomes):
        return _Search(self, outcomes)


@cython.final
@cython.cclass
class _Search(KeyedSearcher):
    """One search for conjunctions."""

    counted: cython.uchar[::1]  # of a window: how many lists have the unit, and whether one rejects it
    full: cython.int[::1]  # of a window: what came to as many as are wanted
    longest: cython.longlong[::1]

    seen_at: cython.longlong[::1]  # by attribute, which count of lists has last met it
    counts: cython.longlong

    def __init__(self, engine: KIndexEngine, outcomes: Outcomes):
        KeyedSearcher.__init__(self, engine, outcomes, 1)
        self.seen_at = filled(outcomes.entry_of.shape[0], 0, np.int64)
        self.counted = np.empty(_WINDOW, np.uint8)
        self.full = np.empty(_WINDOW + 1, np.int32)
        self.longest = np.empty(_MOST_SWEPT, np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def judge(
        self,
        base: cython.pointer(cython.const[cython.int]),  # noqa: ARG002 - the other form wants it
        count: cython.int,
        wanted: cython.int,
        unit: cython.int,
    ) -> cython.int:
        """Hit a unit, unless the first list rejects it."""
        if (self.front[0] >> 32) & 1 and unit < self.unit_limit:
            if not self.doubtful or self.literals_at(count) >= wanted:
                self.found_unit(unit)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def literals_at(self, count: cython.int) -> cython.int:
        """Return how many literals the lists stand for: those of an attribute's values stand for one."""
        position: cython.int
        group: cython.int
        found: cython.int = 0
        self.counts = self.counts + 1
        for position in range(count):
            group = self.cursor_group[self.cursor[self.front[position] & _LOW]]
            if group < 0:
                found += 1
            elif self.seen_at[group] != self.counts:
                self.seen_at[group] = self.counts
                found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def sweep(
        self,
        base: cython.pointer(cython.const[cython.int]),
        count: cython.int,
        wanted: cython.int,
        loose: cython.bint,
    ) -> cython.bint:
        """Count the units of all lists, if that takes less time than to walk."""
        low: cython.longlong
        if not self.is_worth_sweeping(count, wanted, loose):
            return False
        while count:
            low = self.first_window(base, count)
            self.sweep_window(base, count, wanted, low)
            count = self.left(count)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_worth_sweeping(self, count: cython.int, wanted: cython.int, loose: cython.bint) -> cython.bint:
        """Compare the entries of all lists with those that a walk may have to come to.

        These are the ones that are not in the ``wanted - 1`` longest lists. Where the best are wanted, they are also
        not more than those of the lists one of which a unit must be in, or its bounds would be too low together.
        """
        number: cython.int
        place: cython.int
        kept: cython.int = 0
        length: cython.longlong
        total: cython.longlong = 0
        skipped: cython.longlong = 0
        needed: cython.longlong = 0
        if wanted > _MOST_SWEPT:
            return False
        for number in range(count):
            length = self.stop[number] - self.at[number]
            total += length
            if (
                loose
                or self.cursor_bound[self.cursor[number]] * wanted * 1.000001 + self.greatest_weight >= self.threshold
            ):
                needed += length
            if kept < wanted - 1:
                kept += 1
            elif kept == 0 or self.longest[kept - 1] >= length:
                continue
            place = kept - 1
            while place > 0 and self.longest[place - 1] < length:
                self.longest[place] = self.longest[place - 1]
                place -= 1
            self.longest[place] = length
        for place in range(kept):
            skipped += self.longest[place]
        if self.ranking and needed < total - skipped:
            return needed * _WALKED > total * _SWEPT
        return (total - skipped) * _WALKED > total * _SWEPT

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def first_window(self, base: cython.pointer(cython.const[cython.int]), count: cython.int) -> cython.longlong:
        """Return where the window begins that has the least unit at which a list stands."""
        number: cython.int
        least: cython.int = base[self.at[0]]
        for number in range(1, count):
            if base[self.at[number]] < least:
                least = base[self.at[number]]
        return (least >> 1) // _WINDOW * _WINDOW

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def sweep_window(
        self,
        base: cython.pointer(cython.const[cython.int]),
        count: cython.int,
        wanted: cython.int,
        low: cython.longlong,
    ) -> cython.int:
        """Count the units of a window, and hit those that are in as many lists as are wanted."""
        counters: cython.pointer(cython.uchar) = cython.address(self.counted[0])
        full: cython.pointer(cython.int) = cython.address(self.full[0])
        full_count: cython.int = 0
        number: cython.int
        at: cython.Py_ssize_t
        first: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        place: cython.int
        # Entries are compared and not units, and the end may be beyond the greatest entry that there can be.
        end: cython.longlong = 2 * (low + _WINDOW)
        offset: cython.int = cython.cast(cython.int, 2 * low)
        memset(counters, 0, _WINDOW)
        for number in range(count):
            at = first = self.at[number]
            stop = self.stop[number]
            while at < stop and base[at] < end:
                place = base[at] - offset
                at += 1
                if not place & 1:
                    counters[place >> 1] |= _REJECTED
                    continue
                counters[place >> 1] += 1
                full[full_count] = place >> 1
                full_count += counters[place >> 1] == wanted
            self.at[number] = at
            self.visits = self.visits + (at - first)
            self.outcomes.spend(at - first)
        for number in range(full_count):
            place = full[number]
            if counters[place] == wanted and low + place < self.unit_limit:
                self.found_unit(cython.cast(cython.int, low + place))
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def left(self, count: cython.int) -> cython.int:
        """Put the lists that have not come to their end in front; return how many there are."""
        number: cython.int
        kept: cython.int = 0
        for number in range(count):
            if self.at[number] < self.stop[number]:
                self.at[kept], self.stop[kept] = self.at[number], self.stop[number]
                kept += 1
        return kept
