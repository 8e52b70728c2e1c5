"""One search: which atoms an event makes true, and which clauses they lead to.

::

    event ──> atoms ──> a byte for each that is true ──> the lists of the true ones, entry by entry
                                                         column 1, without a branch ──> column 2 ──> column 3 ──> rest

A list is gone through in pieces of some hundred entries: those that the first column does not rule out are written
down, the second column leaves some of these, and so on. What is left is looked at in the rest, which was fetched
meanwhile, and its slot is marked. Atoms of absence are true until an attribute comes; all that a row has changed is put
back when it ends.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.searcher_cy import MarkingSearcher
from cython.cimports.hedgerow.index.hedge.atoms_cy import (
    ALL_CODES,
    ALWAYS,
    CELL,
    LINE_BITS,
    PRIVATE,
    code_of,
    line_value,
)
from cython.cimports.hedgerow.index.hedge.entries_cy import (
    RANGE_BIT,
    REST_BIT,
    REST_COMPARED,
    REST_KIND,
    REST_KIND_BITS,
    REST_LITERAL,
    REST_NONE,
    REST_SOME,
    SLOT_BITS,
    entries_length,
    entries_start,
    entry_word,
)
from cython.cimports.hedgerow.predicate.finder_cy import Found
from cython.cimports.hedgerow.predicate.keys import family_of, value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit

from hedgerow.arrays_cy import filled, roomy
from hedgerow.values import Kind

_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_ANYTHING = cython.declare(cython.int, 16)  # the family that stands for whatever there is
_FAMILIES = cython.declare(cython.int, 4)
_SPARE = cython.declare(cython.Py_ssize_t, 8)  # matches that are scored beside twice as many as are wanted
_ROUNDED = cython.declare(cython.double, 1.000001)
_SAMPLED = cython.declare(cython.int, 2048)  # atoms that are kept to learn from, and values of lines
_PIECE = cython.declare(cython.int, 256)
_AHEAD = cython.declare(cython.int, 2)  # lists
_TRUE_CODE = cython.declare(cython.int, 0)
_ALL_VALUES = cython.declare(cython.uint, (1 << 24) - 1)
_NO_VALUE = cython.declare(cython.uint, 1 << 24)  # is in no range: its least value is above all, its greatest is 0
_SLOT = cython.declare(cython.ulonglong, (1 << 28) - 1)
_PLACE = cython.declare(cython.ulonglong, (1 << 29) - 1)
_CODE = cython.declare(cython.ulonglong, 0xFFFF)
_ALL_BITS = cython.declare(cython.ulonglong, (1 << 64) - 1)
_LINE_VALUE = cython.declare(cython.ulonglong, (1 << 24) - 1)


@cython.final
@cython.cclass
class HedgeSearch(MarkingSearcher):
    """One search. Between two rows only what holds for an empty event is true."""

    def __init__(self, engine: BaseEngine, outcomes: Outcomes):
        MarkingSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes)

    def take_atoms(self, atoms):
        """Take the atoms as they are now."""
        number: cython.int
        self.keys = atoms.keys.view()
        self.atom_limit = self.keys.count
        self.literal_atom = atoms.literal_atom
        self.first_presence = atoms.first_presence
        self.presence_families = atoms.presence_families
        self.presence_there = atoms.presence_there
        self.presence_lacking = atoms.presence_lacking
        self.next_presence = atoms.next_presence
        self.presence_limit = atoms.presence_count
        self.listed_atom = atoms.listed_atom
        self.line_of = atoms.line_of
        self.line_levels = atoms.line_levels
        self.line_limit = atoms.line_count
        self.found = None
        if atoms.literals.count:
            self.found = Found(atoms.literals.finder, self.outcomes, atoms.literals.count)
        self.truth = filled(ALL_CODES, 0, np.uint8)
        self.holds = filled(self.atom_limit, 0, np.uint8)
        self.held = roomy(self.atom_limit, np.int32)
        self.lifted = roomy(self.presence_limit + 1, np.int32)
        self.least = filled(self.line_limit + 1, _NO_VALUE, np.uint32)
        self.greatest = filled(self.line_limit + 1, 0, np.uint32)
        self.lined = roomy(self.line_limit + 1, np.int32)
        self.last_line = self.line_limit
        self.sampled = roomy(_SAMPLED, np.int32)
        self.sampled_line = roomy(_SAMPLED, np.int32)
        self.sampled_value = roomy(_SAMPLED, np.uint32)
        self.truth[_TRUE_CODE] = 1
        for number in range(self.presence_limit):
            if 0 <= self.presence_lacking[number] < self.atom_limit:
                self.holds[self.presence_lacking[number]] = 1
                if self.presence_lacking[number] < PRIVATE:
                    self.truth[self.presence_lacking[number]] = 1
        return 0

    def take_entries(self, entries):
        """Take the entries as they are now: a list may have moved into a part of the array that is new."""
        self.entries = entries
        self.list_count = entries.count
        self.place = entries.place
        self.ranged = entries.ranged
        self.words = entries.words
        self.rest = entries.rest
        return 0

    # Expressions without clauses

    def look_beside(self, first, last):
        """Have the engine beside find what it has for some rows."""
        if self.beside is None:
            return 0
        batch = self.outcomes.batch
        if first != 0 or last != len(batch):
            batch = batch.taken(np.arange(first, last))
        matches = self.beside.match(batch)
        self.beside_start = matches.starts
        self.beside_slot = np.asarray(matches.slots, np.int32)
        self.beside_row = first
        return 0

    def match_rows(self, first, last):
        """Return the slots that match the events of some rows."""
        self.look_beside(first, last)
        return MarkingSearcher.match_rows(self, first, last)

    def count_rows(self, first, last):
        """Return how many slots match each event of some rows."""
        self.look_beside(first, last)
        return MarkingSearcher.count_rows(self, first, last)

    def best_of(self, row, n):
        """Return the best slots of one event, and their scores; those are scored that can be among the best."""
        count: cython.int
        wanted: cython.Py_ssize_t = 2 * n + _SPARE
        self.look_beside(row, row + 1)
        if n == 0 or self.bounds is None:
            return MarkingSearcher.best_of(self, row, n)
        with cython.nogil:
            count = self.find(row)
        if count <= wanted:
            every = np.arange(count)
            return self.ranked(every, self.scored(every), n)
        limits = self.limits(count)
        first = np.argpartition(limits, count - wanted)[count - wanted :]
        scores = self.scored(first)
        # Who is below the last of the best so far is not among them; who is as good may be, if it came earlier.
        worst = np.partition(scores, len(scores) - n)[len(scores) - n]
        limits[first] = -np.inf
        others = np.flatnonzero(limits >= worst)
        self.skipped = self.skipped + count - len(first) - len(others)
        return self.ranked(np.concatenate([first, others]), np.concatenate([scores, self.scored(others)]), n)

    def limits(self, count):
        """Return scores that the slots that match cannot exceed; float32 rounds, so a little is added."""
        position: cython.int
        slot: cython.int
        limits: cython.double[::1] = np.empty(count, np.float64)
        bounds: cython.float[::1] = self.bounds
        largest: cython.double = _ROUNDED
        if self.outcomes.weighted:
            largest *= np.asarray(self.outcomes.entry_weight).max(initial=1.0)
            largest *= np.asarray(self.outcomes.element_weight).max(initial=1.0)
        for position in range(count):
            slot = self.matched[position]
            limits[position] = self.slots.weight_at(slot)
            limits[position] += bounds[slot] * largest if slot < bounds.shape[0] else np.inf
        return np.asarray(limits)

    def scored(self, positions):
        """Return the scores of some of the slots that match."""
        wanted: cython.longlong[::1] = positions
        scores: cython.double[::1] = np.empty(wanted.shape[0], np.float64)
        place: cython.Py_ssize_t
        if self.scorer is not None:
            self.scorer.begin()
        for place in range(wanted.shape[0]):
            scores[place] = self.score_at(self.matched[wanted[place]])
        return np.asarray(scores)

    def ranked(self, positions, scores, n):
        """Return the best of slots that were scored, equal ones in ascending order."""
        best = np.lexsort((positions, -scores))[:n]
        return np.asarray(self.matched)[positions[best]], scores[best]

    # Events

    def run(self, row):
        """Find the atoms that an event makes true, and go through their lists."""
        entry: cython.longlong
        attribute: cython.int
        position: cython.int
        number: cython.int
        self.outcomes.begin(row)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            # What is beyond the arrays came after this search began.
            if 0 <= attribute < self.first_presence.shape[0]:
                self.take_entry(attribute, entry)
        if self.found is not None:
            self.found.find(row)
            for position in range(self.found.count):
                number = self.found.nodes[position]
                if number < self.literal_atom.shape[0]:
                    self.hold(self.literal_atom[number])
        self.scan(ALWAYS)
        for position in range(self.held_count):
            if position + _AHEAD < self.held_count and self.held[position + _AHEAD] < self.list_count:
                prefetch(cython.address(self.place[self.held[position + _AHEAD]]))
            self.scan(self.held[position])
        if self.beside is not None:
            for entry in range(self.beside_start[row - self.beside_row], self.beside_start[row - self.beside_row + 1]):
                # What is beyond the limit came after this search began.
                if self.beside_slot[entry] < self.beside_limit:
                    self.mark(self.slot_beside[self.beside_slot[entry]])
        return self.restore()

    def take_entry(self, attribute, entry):
        """Note what is true because of one attribute that is there."""
        kind: cython.int = self.outcomes.entry_kind[entry]
        payload: cython.longlong = self.outcomes.entry_payload[entry]
        self.take_presence(attribute, kind)
        if kind == _LIST:
            return self.take_list(attribute, payload)
        return self.take_value(attribute, kind, payload)

    def take_presence(self, attribute, kind):
        """Note that an attribute is there, with a value of some families; a list can be tested by all of them."""
        bits: cython.int = _ANYTHING | family_bit(kind)
        number: cython.int = self.first_presence[attribute]
        while 0 <= number < self.presence_limit:
            if kind == _LIST or self.presence_families[number] & bits:
                self.hold(self.presence_there[number])
                self.lift(self.presence_lacking[number])
            number = self.next_presence[number]
        return 0

    def take_value(self, attribute, kind, payload):
        """Note the atom of a value, and where it is on its line."""
        family: cython.int = family_of(family_bit(kind))
        line: cython.int
        value: cython.uint
        if family < 0:
            return 0
        line = self.line_of[attribute * _FAMILIES + family]
        if 0 <= line < self.line_limit:
            value = line_value(family, value_key(self.outcomes, kind, payload))
            self.note_line(line, value, value)
            self.take_cells(line, attribute, family, value)
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
            if payload < 0:
                return 0
        return self.hold(self.keys.find(attribute, kind, payload))

    def take_cells(self, line, attribute, family, value):
        """Note the cells that a value lies in, on each level that has some."""
        levels: cython.uint = self.line_levels[line]
        level: cython.int
        for level in range(LINE_BITS + 1):
            if levels >> level & 1:
                self.hold(self.keys.find(attribute, CELL + 32 * family + level, value >> level))
        return 0

    def take_list(self, attribute, number):
        """Note the atoms of all elements. Ranges are not ruled out: that a list is there decides nothing of them."""
        element: cython.longlong
        family: cython.int
        line: cython.int
        kind: cython.int
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            kind = self.outcomes.element_kind[element]
            self.outcomes.spend(4)
            self.take_value(attribute, kind, self.outcomes.element_payload[element])
        self.hold(self.listed_atom[attribute])
        for family in range(_FAMILIES):
            line = self.line_of[attribute * _FAMILIES + family]
            if 0 <= line < self.line_limit:
                self.note_line(line, 0, _ALL_VALUES)
        return 0

    def note_line(self, line, least, greatest):
        """Note between which values of a line the event's are."""
        if self.least[line] == _NO_VALUE:
            self.lined[self.lined_count] = line
            self.lined_count = self.lined_count + 1
        self.least[line] = least
        self.greatest[line] = greatest
        return 0

    def hold(self, atom):
        """Note an atom that is true, once."""
        if 0 <= atom < self.atom_limit and not self.holds[atom]:
            self.holds[atom] = 1
            self.truth[code_of(atom)] = 1
            self.held[self.held_count] = atom
            self.held_count = self.held_count + 1
        return 0

    def lift(self, atom):
        """Note that an atom of absence is not true."""
        if 0 <= atom < self.atom_limit and self.holds[atom]:
            self.holds[atom] = 0
            # The code of others may be true for them.
            if atom < PRIVATE:
                self.truth[atom] = 0
            self.lifted[self.lifted_count] = atom
            self.lifted_count = self.lifted_count + 1
        return 0

    def restore(self):
        """Leave true what an empty event has; keep some of what the row had, to learn from."""
        position: cython.int
        atom: cython.int
        # Of a batch the first rows, and then fewer and fewer.
        self.rows = self.rows + 1
        if self.rows & (self.rows - 1) == 0:
            self.sample()
        for position in range(self.held_count):
            atom = self.held[position]
            self.holds[atom] = 0
            self.truth[code_of(atom)] = 0
        for position in range(self.lifted_count):
            atom = self.lifted[position]
            self.holds[atom] = 1
            if atom < PRIVATE:
                self.truth[atom] = 1
        for position in range(self.lined_count):
            self.least[self.lined[position]] = _NO_VALUE
            self.greatest[self.lined[position]] = 0
        self.held_count = 0
        self.lifted_count = 0
        self.lined_count = 0
        return 0

    def sample(self):
        """Keep the atoms of the row at hand that were true, and the values of its lines."""
        position: cython.int
        line: cython.int
        if self.sampled_count + self.held_count + 1 > _SAMPLED or self.values_count + self.lined_count > _SAMPLED:
            return 0
        self.sampled[self.sampled_count] = -1 - self.held_count
        self.sampled_count = self.sampled_count + 1
        for position in range(self.held_count):
            self.sampled[self.sampled_count] = self.held[position]
            self.sampled_count = self.sampled_count + 1
        for position in range(self.lined_count):
            line = self.lined[position]
            if self.least[line] == self.greatest[line]:
                self.sampled_line[self.values_count] = line
                self.sampled_value[self.values_count] = self.least[line]
                self.values_count = self.values_count + 1
        return 0

    def teach(self, atoms):
        """Count what was sampled."""
        position: cython.int = 0
        count: cython.int
        while position < self.sampled_count:
            count = -1 - self.sampled[position]
            atoms.note(self.sampled, position + 1, count)
            position += 1 + count
        for position in range(self.values_count):
            atoms.note_line(self.sampled_line[position], self.sampled_value[position])
        self.forget_sample()
        return 0

    def forget_sample(self):
        """Begin a new sample."""
        self.rows = 0
        self.sampled_count = 0
        self.values_count = 0
        return 0

    # Entries

    def scan(self, atom):
        """Mark the slots of those clauses of a list that the event satisfies."""
        place: cython.longlong = self.locate(atom)
        length: cython.longlong = entries_length(place)
        done: cython.longlong = 0
        if length == 0:
            return 0
        ranged: cython.bint = self.ranged[atom]
        self.visits = self.visits + length
        self.outcomes.spend(length)
        while done < length:
            self.scan_some(entries_start(place) + done, cython.cast(cython.int, min(length - done, _PIECE)), ranged)
            done += _PIECE
        return 0

    def scan_some(self, first, count, ranged):
        """Mark the slots of the clauses that hold among some entries of a list."""
        words: cython.ulonglong[::1] = self.words
        truth: cython.uchar[::1] = self.truth
        left: cython.int[256]
        position: cython.int
        kept: cython.int = 0
        rest: cython.int
        column: cython.int
        at: cython.longlong = entry_word(first)
        test: cython.ulonglong
        holds: cython.int
        if ranged:
            # Some are ranges: each is tested in both ways, as a branch would often be wrong about it.
            for position in range(count):
                left[kept] = position
                kept += self.column_holds(words[at], words[at + 1], 0)
                at += 4
        else:
            for position in range(count):
                test = words[at + 1]
                holds = (
                    truth[test & _CODE] | truth[test >> 16 & _CODE] | truth[test >> 32 & _CODE] | truth[test >> 48]
                ) ^ (words[at] >> SLOT_BITS & 1)
                left[kept] = position
                kept += holds
                at += 4
        for column in range(1, 3):
            rest = 0
            for position in range(kept):
                at = entry_word(first + left[position])
                left[rest] = left[position]
                rest += self.column_holds(words[at], words[at + 1 + column], column)
            kept = rest
        return self.verify(left, kept, first)

    def column_holds(self, word, test, column):
        """Return whether what a column tests holds, or may hold: a range is tested by 24 bits."""
        ranged: cython.ulonglong = word >> (RANGE_BIT + column) & 1
        # Of a test that is no range, and of a line that came after this search began, that of the last line, which has
        # no value.
        line: cython.ulonglong = test & (_ALL_BITS * ranged) & _CODE
        holds: cython.int = (
            self.truth[test & _CODE]
            | self.truth[test >> 16 & _CODE]
            | self.truth[test >> 32 & _CODE]
            | self.truth[test >> 48]
        )
        line = min(line, self.last_line)
        within: cython.int = (self.greatest[line] >= (test >> 16 & _LINE_VALUE)) & (self.least[line] <= test >> 40)
        holds ^= cython.cast(cython.int, word >> (SLOT_BITS + column) & 1)
        return within if ranged else holds

    def is_sure(self, word, at):
        """Return whether values are well within all ranges of columns, and not at their ends."""
        column: cython.int
        test: cython.ulonglong
        line: cython.ulonglong
        for column in range(3):
            if word >> (RANGE_BIT + column) & 1:
                test = self.words[at + 1 + column]
                line = min(test & _CODE, self.last_line)
                # Of a list nothing is sure: its least value is none, and its greatest is all.
                if self.least[line] <= (test >> 16 & _LINE_VALUE) or self.greatest[line] >= test >> 40:
                    return False
        return True

    def verify(self, left, count, first):
        """Mark the slots of those entries whose rest holds too."""
        position: cython.int
        word: cython.ulonglong
        slot: cython.int
        at: cython.longlong
        for position in range(count):
            word = self.words[entry_word(first + left[position])]
            if word >> REST_BIT & 1 and cython.cast(cython.int, word & _SLOT) <= self.slot_limit:
                prefetch(cython.address(self.rest[(word >> (REST_BIT + 1) & _PLACE) * 2]))
        for position in range(count):
            at = entry_word(first + left[position])
            word = self.words[at]
            slot = cython.cast(cython.int, word & _SLOT) - 1
            # Where nothing was written yet, there is no slot; others came after this search began.
            if slot < 0 or slot >= self.slot_limit:
                continue
            if word >> REST_BIT & 1 and not self.rest_holds(
                cython.cast(cython.longlong, word >> (REST_BIT + 1) & _PLACE) * 2, word, at
            ):
                continue
            self.mark(slot)
        return 0

    def rest_holds(self, start, entry, entry_at):
        """Return whether all tests of a rest hold."""
        at: cython.longlong = start + 1
        last: cython.longlong = start + self.rest[start]
        word: cython.uint
        kind: cython.uint
        count: cython.int
        position: cython.int
        holds: cython.int
        sure: cython.bint = entry >> RANGE_BIT != 0 and self.is_sure(entry, entry_at)
        self.checked = self.checked + 1
        while at < last:
            word = self.rest[at]
            at += 1
            kind = word & REST_KIND
            count = cython.cast(cython.int, word >> REST_KIND_BITS)
            if kind == REST_COMPARED and sure:
                continue
            if kind == REST_LITERAL or kind == REST_COMPARED:
                if not self.outcomes.literal(count):
                    return False
                continue
            holds = 0
            if kind == REST_SOME:
                for position in range(count):
                    holds = holds or self.outcomes.literal(cython.cast(cython.int, self.rest[at + position]))
            else:
                for position in range(count):
                    holds |= self.holds[self.rest[at + position]]
            at += count
            if holds == (kind == REST_NONE):
                return False
        return True

    def locate(self, number):
        """Return the place of a list within the words that this search has; that of no list is empty."""
        place: cython.longlong
        if number >= self.list_count:
            return 0
        place = self.place[number]
        if entry_word(entries_start(place) + entries_length(place)) > self.words.shape[0]:
            with cython.gil:
                self.take_entries(self.entries)
                place = self.place[number]
        return place
