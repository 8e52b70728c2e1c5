"""Atoms: what an event is made of, as far as rules name it, and how often it is so.

::

    country = 'AT'        a value of an attribute      true of events that have it, also among others in a list
    name LIKE 'A%'        a literal                    noted by the finder where it holds
    country is there      presence, by families        NOT IN asks for it; its opposite is true until an attribute comes
    age from 16 to 24     a cell of a line             ranges are found by the cells that they lie in

Each is a number, and the number of the list that it leads to. The first 57,344 have a *code* of their own, so that what
tests say of them is decided by a look at one byte each; later ones share the other codes by hash, which can only rule
out, and are looked at closely afterwards.

A *line* is an attribute with the values of one family, in order, by 24 bits of the 64 by which ranges are ordered
everywhere. They decide which cell a value is in, and rule out most ranges. That an attribute has a list is an atom too,
where two comparisons are one range: elements of a list may satisfy them apart from each other.

How often an atom is true is counted in the events that searches saw (``note``); what is older counts less (``fade``).
Until there are such events it is guessed from how often rules name the value. Of each line the last values are kept, by
which the chance of any range is told.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.index.chassis.literals_cy import Literals
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.arrays_cy import grown
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind

_NONE = cython.declare(cython.int, -1)
_STRING = cython.declare(cython.int, int(Kind.STRING))
_FAMILIES = cython.declare(cython.int, 4)
_MANY_EVENTS = cython.declare(cython.int, 8192)

# How many events a guess is worth, and what is guessed where rules say nothing of it.
_TRUST = cython.declare(cython.double, 4.0)
_UNNAMED = cython.declare(cython.double, 4.0)  # as many uses are kept for values that no rule names
_GUESS_THERE = cython.declare(cython.double, 0.9)
_GUESS_LITERAL = cython.declare(cython.double, 0.05)


@cython.final
@cython.cclass
class Atoms:
    """The atoms of an index. One writer adds, with the GIL held, while searches run; nothing is taken out."""

    def __init__(self, graph: Graph, table: PredicateTable):
        self.graph = graph
        self.table = table
        self.keys = Keys()
        self.literals = Literals(graph, table)
        self.literal_atom = np.full(16, _NONE, np.int32)
        self.first_presence = np.full(16, _NONE, np.int32)
        self.presence_families = np.zeros(16, np.uint8)
        self.presence_there = np.full(16, _NONE, np.int32)
        self.presence_lacking = np.full(16, _NONE, np.int32)
        self.next_presence = np.full(16, _NONE, np.int32)
        self.line_of = np.full(16 * _FAMILIES, _NONE, np.int32)
        self.line_levels = np.zeros(16, np.uint32)
        self.listed_atom = np.full(16, _NONE, np.int32)
        self.uses = np.zeros(16, np.int32)
        self.attribute_uses = np.zeros(16, np.int32)
        self.seen = np.zeros(16, np.int32)
        self.since = np.zeros(16, np.int32)
        self.ring = np.zeros(16 * RING, np.uint32)
        self.ring_count = np.zeros(16, np.int64)
        self.atom(0, ALWAYS_KIND, 0)

    def saved(self):
        """Return the arrays that ``restored`` makes these atoms of; not those of the graph and the table."""
        atoms: cython.int = self.keys.count
        return nested(keys=self.keys.saved(), literals=self.literals.saved()) | {
            "literal_atom": np.asarray(self.literal_atom),
            "first_presence": np.asarray(self.first_presence),
            "presence_families": np.asarray(self.presence_families)[: self.presence_count],
            "presence_there": np.asarray(self.presence_there)[: self.presence_count],
            "presence_lacking": np.asarray(self.presence_lacking)[: self.presence_count],
            "next_presence": np.asarray(self.next_presence)[: self.presence_count],
            "line_of": np.asarray(self.line_of),
            "line_levels": np.asarray(self.line_levels)[: self.line_count],
            "listed_atom": np.asarray(self.listed_atom),
            "uses": np.asarray(self.uses)[:atoms],
            "attribute_uses": np.asarray(self.attribute_uses),
            "seen": np.asarray(self.seen)[:atoms],
            "since": np.asarray(self.since)[:atoms],
            "ring": np.asarray(self.ring)[: self.line_count * RING],
            "ring_count": np.asarray(self.ring_count)[: self.line_count],
            "events": numbers(self.events),
        }

    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays):
        """Return the atoms that were saved as these arrays, in these arrays."""
        atoms: Atoms = Atoms.__new__(Atoms)
        atoms.graph = graph
        atoms.table = table
        atoms.keys = Keys.restored(part(arrays, "keys"))
        atoms.literals = Literals.restored(graph, table, part(arrays, "literals"))
        atoms.literal_atom = section(arrays, "literal_atom", np.int32)
        atoms.first_presence = section(arrays, "first_presence", np.int32)
        atoms.presence_families = section(arrays, "presence_families", np.uint8)
        count: cython.int = atoms.presence_families.shape[0]
        atoms.presence_count = count
        atoms.presence_there = section(arrays, "presence_there", np.int32, count)
        atoms.presence_lacking = section(arrays, "presence_lacking", np.int32, count)
        atoms.next_presence = section(arrays, "next_presence", np.int32, count)
        attributes: cython.Py_ssize_t = atoms.first_presence.shape[0]
        atoms.line_of = section(arrays, "line_of", np.int32, attributes * _FAMILIES)
        atoms.attribute_uses = section(arrays, "attribute_uses", np.int32, attributes)
        atoms.listed_atom = section(arrays, "listed_atom", np.int32, attributes)
        atoms.line_levels = section(arrays, "line_levels", np.uint32)
        atoms.line_count = atoms.line_levels.shape[0]
        atoms.ring = section(arrays, "ring", np.uint32, atoms.line_count * RING)
        atoms.ring_count = section(arrays, "ring_count", np.int64, atoms.line_count)
        atoms.uses = section(arrays, "uses", np.int32, atoms.keys.count)
        atoms.seen = section(arrays, "seen", np.int32, atoms.keys.count)
        atoms.since = section(arrays, "since", np.int32, atoms.keys.count)
        (atoms.events,) = scalars(arrays, "events", 1)
        return atoms

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out of all but what is kept by attribute."""
        attributes = self.first_presence.nbytes + self.line_of.nbytes + 2 * self.attribute_uses.nbytes
        presence = 13 * self.presence_count
        lines = (4 + 8 + 4 * RING) * self.line_count
        return self.keys.nbytes + self.literals.nbytes + 12 * self.keys.count + attributes + presence + lines

    def text(self, atom: cython.int):
        """Return an atom as people say it."""
        attribute, kind, payload = self.keys.told(atom)
        if kind == ALWAYS_KIND:
            return "always"
        if kind == LITERAL:
            return self.literals.text(payload)
        name = self.graph.names[attribute]
        if kind == THERE or kind == LACKING:
            return f"{name} is {'there' if kind == THERE else 'not there'}"
        if kind == LISTED:
            return f"{name} is a list"
        if kind >= CELL:
            return f"{name} in cell {payload} of level {(kind - CELL) % 32}"
        return f"{name} = {self.graph.strings[payload]!r}" if kind == _STRING else f"{name} = {payload}"

    def line_text(self, line: cython.int):
        """Return the name of the attribute that a line is of."""
        (place,) = np.flatnonzero(np.asarray(self.line_of) == line)
        return self.graph.names[int(place) // _FAMILIES]

    # Atoms

    def reserve(self, atom):
        """Make room for what is kept by atom."""
        if atom >= self.uses.shape[0]:
            uses, seen = grown(self.uses, atom + 1, 0), grown(self.seen, atom + 1, 0)
            since = grown(self.since, atom + 1, 0)
            self.uses, self.seen, self.since = uses, seen, since
        return 0

    def reserve_attribute(self, attribute):
        """Make room for what is kept by attribute; a reader takes all of it while the GIL is held."""
        if attribute < self.first_presence.shape[0]:
            return 0
        presence = grown(self.first_presence, attribute + 1, _NONE)
        lines = grown(self.line_of, presence.size * _FAMILIES, _NONE)
        uses, listed = grown(self.attribute_uses, presence.size, 0), grown(self.listed_atom, presence.size, _NONE)
        self.line_of, self.attribute_uses, self.listed_atom, self.first_presence = lines, uses, listed, presence
        return 0

    def atom(self, attribute, kind, payload):
        """Return the atom of a key, a new one if there is none."""
        atom: cython.int = self.keys.find(attribute, kind, payload)
        if atom >= 0:
            return atom
        self.reserve_attribute(attribute)
        self.reserve(self.keys.count)
        atom = self.keys.number(attribute, kind, payload)
        self.uses[atom] = 0
        self.seen[atom] = 0
        self.since[atom] = self.events
        return atom

    def value(self, attribute, kind, payload):
        """Return the atom of a value that a test names."""
        atom: cython.int = self.atom(attribute, kind, payload)
        self.uses[atom] += 1
        self.attribute_uses[attribute] += 1
        return atom

    def literal(self, code):
        """Return the atom of a literal that the finder notes where it holds."""
        number: cython.int = self.literals.number(code)
        if number >= self.literal_atom.shape[0]:
            self.literal_atom = grown(self.literal_atom, number + 1, _NONE)
        if self.literal_atom[number] == _NONE:
            self.literal_atom[number] = self.atom(self.graph.predicate_attribute[code >> 2], LITERAL, number)
        return self.literal_atom[number]

    def presence(self, attribute, families):
        """Return the number under which the presence of an attribute, with values of some families, is kept."""
        number: cython.int
        last: cython.int = _NONE
        self.reserve_attribute(attribute)
        number = self.first_presence[attribute]
        while number != _NONE and self.presence_families[number] != families:
            last = number
            number = self.next_presence[number]
        if number != _NONE:
            return number
        number = self.presence_count
        if number >= self.next_presence.shape[0]:
            bits, nexts = grown(self.presence_families, number + 1), grown(self.next_presence, number + 1)
            there, lacking = grown(self.presence_there, number + 1), grown(self.presence_lacking, number + 1)
            self.presence_families, self.presence_there, self.presence_lacking = bits, there, lacking
            self.next_presence = nexts
        self.presence_families[number] = families
        self.presence_there[number] = _NONE
        self.presence_lacking[number] = _NONE
        self.next_presence[number] = _NONE
        self.presence_count = number + 1
        # At the end, so that a search comes to those that it must see before this one.
        if last == _NONE:
            self.first_presence[attribute] = number
        else:
            self.next_presence[last] = number
        return number

    def there(self, attribute, families):
        """Return the atom that is true where an attribute has a value of some families."""
        number: cython.int = self.presence(attribute, families)
        if self.presence_there[number] == _NONE:
            self.presence_there[number] = self.atom(attribute, THERE, families)
        return self.presence_there[number]

    def lacking(self, attribute, families):
        """Return the atom that is true where an attribute has no value of some families."""
        number: cython.int = self.presence(attribute, families)
        if self.presence_lacking[number] == _NONE:
            self.presence_lacking[number] = self.atom(attribute, LACKING, families)
        return self.presence_lacking[number]

    def listed(self, attribute):
        """Return the atom that is true where an attribute has a list."""
        self.reserve_attribute(attribute)
        if self.listed_atom[attribute] == _NONE:
            self.listed_atom[attribute] = self.atom(attribute, LISTED, 0)
        return self.listed_atom[attribute]

    def line(self, attribute, family):
        """Return the line of the values of a family that an attribute has; -1 where there are too many lines."""
        place: cython.int = attribute * _FAMILIES + family
        self.reserve_attribute(attribute)
        if self.line_of[place] != _NONE or self.line_count >= MOST_LINES:
            return self.line_of[place]
        number: cython.int = self.line_count
        if number >= self.line_levels.shape[0]:
            levels = grown(self.line_levels, number + 1, 0)
            rings = grown(self.ring, levels.size * RING, 0)
            counts = grown(self.ring_count, levels.size, 0)
            self.line_levels, self.ring, self.ring_count = levels, rings, counts
        self.line_levels[number] = 0
        self.ring_count[number] = 0
        self.line_count = number + 1
        self.line_of[place] = number
        return number

    def cell(self, line, attribute, family, level, number):
        """Return the atom that is true where an attribute's value lies in a cell of its line."""
        atom: cython.int = self.atom(attribute, CELL + 32 * family + level, number)
        self.line_levels[line] |= cython.cast(cython.uint, 1) << level
        return atom

    # Chances

    def chance(self, atom):
        """Return how often an atom is likely to be true, by what was seen and, before that, by what rules name."""
        kind: cython.int = self.keys.kind[atom]
        guess: cython.double = _GUESS_LITERAL
        if kind < VALUE_KINDS:
            guess = self.uses[atom] / (self.attribute_uses[self.keys.attribute[atom]] + _UNNAMED)
        elif kind == THERE:
            guess = _GUESS_THERE
        elif kind == LACKING:
            guess = 1.0 - _GUESS_THERE
        elif kind == ALWAYS_KIND:
            return 1.0
        return (self.seen[atom] + _TRUST * guess) / (self.events - self.since[atom] + _TRUST)

    def text_chance(self, code):
        """Return how often a string test is likely to hold, which is known where the finder looks for it."""
        number: cython.int
        if code < self.literals.of_code.shape[0]:
            number = self.literals.of_code[code]
            if 0 <= number < self.literal_atom.shape[0] and self.literal_atom[number] >= 0:
                return self.chance(self.literal_atom[number])
        return _GUESS_LITERAL

    def presence_chance(self, attribute, families):
        """Return how often an attribute is likely to have a value of some families."""
        atom: cython.int = self.keys.find(attribute, THERE, families)
        return _GUESS_THERE if atom < 0 else self.chance(atom)

    def range_chance(self, line, low, high, guess):
        """Return how often a value of a line is likely to be in a range; ``guess`` is for when none was seen."""
        count: cython.longlong = min(self.ring_count[line], RING)
        first: cython.longlong = cython.cast(cython.longlong, line) * RING
        position: cython.longlong
        inside: cython.int = 0
        for position in range(first, first + count):
            inside += low <= self.ring[position] <= high
        return (inside + _TRUST * guess) / (count + _TRUST)

    def note(self, held, first, count):
        """Count an event in which these atoms, and no others, were true."""
        position: cython.int
        for position in range(first, first + count):
            self.seen[held[position]] += 1
        self.events += 1
        if self.events >= _MANY_EVENTS:
            self.fade()
        return 0

    def note_line(self, line, value):
        """Remember a value of a line."""
        count: cython.longlong = self.ring_count[line]
        self.ring[cython.cast(cython.longlong, line) * RING + count % RING] = value
        self.ring_count[line] = count + 1
        return 0

    def learn(self, other, copier):
        """Take over what is known of the atoms of another index, whose graph this copier has copied from."""
        atom: cython.int
        mine: cython.int
        line: cython.int
        position: cython.int
        self.events = other.events
        for atom in range(1, other.keys.count):
            mine = self.translated(other, atom, copier)
            if mine >= 0:
                self.seen[mine] = other.seen[atom]
                self.since[mine] = other.since[atom]
        for position in range(min(other.line_of.shape[0], copier.attributes.shape[0] * _FAMILIES)):
            line = other.line_of[position]
            mine = copier.attributes[position // _FAMILIES]
            if line < 0 or mine < 0 or mine >= self.first_presence.shape[0]:
                continue
            mine = self.line_of[mine * _FAMILIES + position % _FAMILIES]
            if mine >= 0:
                self.ring[mine * RING : (mine + 1) * RING] = other.ring[line * RING : (line + 1) * RING]
                self.ring_count[mine] = other.ring_count[line]
        return 0

    def translated(self, other, atom, copier):
        """Return the atom that says here what one of another index says there, or -1."""
        attribute: cython.int = other.keys.attribute[atom]
        kind: cython.int = other.keys.kind[atom]
        payload: cython.longlong = other.keys.payload[atom]
        code: cython.int
        if attribute >= copier.attributes.shape[0] or copier.attributes[attribute] < 0:
            return _NONE
        if kind == _STRING:
            payload = copier.strings[payload] if payload < copier.strings.shape[0] else _NONE
            if payload < 0:
                return _NONE
        elif kind == LITERAL:
            code = other.literals.finder.code[payload]
            if code >> 2 >= copier.predicates.shape[0] or copier.predicates[code >> 2] < 0:
                return _NONE
            code = copier.predicates[code >> 2] * 4 + (code & 3)
            payload = self.literals.of_code[code] if code < self.literals.of_code.shape[0] else _NONE
        return self.keys.find(copier.attributes[attribute], kind, payload)

    def fade(self):
        """Let what was seen until now count half."""
        atom: cython.int
        self.events = self.events >> 1
        for atom in range(self.keys.count):
            self.seen[atom] = self.seen[atom] >> 1
            self.since[atom] = self.since[atom] >> 1
        return 0
