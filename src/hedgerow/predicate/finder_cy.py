"""Which literals hold for an event, without testing them all.

A ``Finder`` keeps the literals that an engine asks for where an event leads to them. The engine numbers them; a number
stands for at most one literal at a time, and a literal has at most one number::

    state = 'CA', state IN ('CA', 'NY')     by key: (attribute, value) ─ hash ─> list of numbers, all of which hold
    age < 30, NOT age BETWEEN 3 AND 5       by range: (attribute, family) ─> band of intervals over ordered keys
    name LIKE 'A%', url CONTAINS '/x/'      by text: (attribute, fragment) ─ automaton ─> list of numbers to be tested
    name MATCHES '^a+'                      by text: (attribute, expression) ─ RE2 set ─> list of numbers that hold
    state != 'NY', tags ALL OF (1, 2)       by test: a list for each attribute, tested when it is present
    vip IS NULL, a WEAK NOT IN (1)          by absence: a list for each attribute, all of which hold when it is absent

A range is a closed interval over 64-bit keys in the order of the values: a number's is its nearest float, a string's
its first 8 bytes. Keys are coarser than values, so a value whose key is a bound is tested, and any other is sure.
Patterns are looked for by their longest fragment; new ones wait in a list, which is tested, until there is a handful.

A ``Found`` is one search: views of the finder as it was when the search began, and the literals found for a row.

One writer may ``add``, with the GIL held, while searches run: they find all that was added before they began, and may
find what came later or not. ``remove`` may only be called while no search is running, and then a number may be added
again for another literal. A number's code is set before the number can be found, and is -1 while it has none, so that a
search cannot take an old literal for a new one.

All of it is saved as arrays, but for automata and sets: of these the keys are, and they are made when the first string
is looked up in them. The hashes go on from the seed that they were made with.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.keys import family_of, number_key, text_key, value_key
from cython.cimports.hedgerow.predicate.members_cy import Members
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.ranges_cy import Ranges, RangeSearch, acquire, release
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, family_bit, listed_count
from cython.cimports.hedgerow.symbols_cy import SymbolTable, mixed, seed
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import CorruptFile
from hedgerow.language.fold import folded
from hedgerow.language.operators import Accepts, Operator
from hedgerow.predicate.patterns_cy import Patterns, fragment_of
from hedgerow.sections import nested, numbers, part, scalars, section, table_section
from hedgerow.values import Kind

_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_LIKE = cython.declare(cython.int, int(Operator.LIKE))
_ILIKE = cython.declare(cython.int, int(Operator.ILIKE))
_MATCHES = cython.declare(cython.int, int(Operator.MATCHES))
_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_ACCEPTS_NOT_FALSE = cython.declare(cython.int, int(Accepts.NOT_FALSE))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)

# The number of the list of the attributes whose absence satisfies something.
_ABSENT = cython.declare(cython.int, 0)

# What is looked for in strings: fragments as they are, case-folded ones, and regular expressions. In the table of keys
# they are kinds of their own, beyond those of values.
_PLAIN = cython.declare(cython.int, 0)
_FOLDED = cython.declare(cython.int, 1)
_REGULAR = cython.declare(cython.int, 2)
_CHANNELS = cython.declare(cython.int, 3)
_FIRST_TEXT_KIND = cython.declare(cython.int, 16)
_HANDFUL = cython.declare(cython.int, 16)

_LONG = cython.declare(cython.longlong, 64)  # entries of a list that are worth to be counted as work
_FETCHED = cython.declare(cython.longlong, 64)  # values of a row that are fetched ahead

# An attribute has a band for each family of kinds, for literals that accept TRUE and for those that accept FALSE.
_BANDS = cython.declare(cython.int, 8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hash(
    start: cython.ulonglong, attribute: cython.int, kind: cython.int, payload: cython.longlong
) -> cython.ulonglong:
    state: cython.ulonglong = mixed(start, cython.cast(cython.ulonglong, attribute))
    return mixed(mixed(state, cython.cast(cython.ulonglong, payload)), cython.cast(cython.ulonglong, kind))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _as_double(payload: cython.longlong) -> cython.double:
    number: cython.double
    memcpy(cython.address(number), cython.address(payload), 8)
    return number


@cython.final
@cython.cclass
class Finder:
    """Literals of a graph, where events lead to them. See the module for what may be called when."""

    def __init__(self, graph: Graph, table: PredicateTable):
        self.graph = graph
        self.table = table
        self.seed = seed()
        self.lists = Lists()
        self.lists.new_list()
        self.ranges = Ranges()
        self.fragments = SymbolTable()
        self.patterns = []
        self.code = filled(16, -1, np.int32)
        self.index_of_number = np.empty(16, np.int32)
        self.index_of_value = np.empty(16, np.int32)
        self.key_attribute = np.empty(16, np.int32)
        self.key_kind = np.empty(16, np.uint8)
        self.key_payload = np.empty(16, np.int64)
        self.key_list = np.empty(16, np.int32)
        self.slots = filled(32, -1, np.int32)
        self.tested = filled(16, -1, np.int32)
        self.absent = filled(16, -1, np.int32)
        self.bands = filled(16 * _BANDS, -1, np.int32)
        self.pending = filled(16 * _CHANNELS, -1, np.int32)
        self.patterns_of = filled(16 * _CHANNELS, -1, np.int32)
        self.pattern_key = np.empty(0, np.int32)
        self.pattern_start = np.zeros(1, np.int64)

    # Files

    def saved(self):
        """Return the arrays that ``restored`` makes this finder of; not those of the graph and the table."""
        keys: cython.int = self.key_count
        parts = nested(lists=self.lists.saved(), ranges=self.ranges.saved(), fragments=self.fragments.saved())
        return (
            parts
            | self._saved_patterns()
            | {
                "code": np.asarray(self.code)[: self.number_count],
                "index_of_number": np.asarray(self.index_of_number)[: self.number_count],
                "index_of_value": np.asarray(self.index_of_value)[: self.value_count],
                "key_attribute": np.asarray(self.key_attribute)[:keys],
                "key_kind": np.asarray(self.key_kind)[:keys],
                "key_payload": np.asarray(self.key_payload)[:keys],
                "key_list": np.asarray(self.key_list)[:keys],
                "slots": np.asarray(self.slots),
                "tested": np.asarray(self.tested),
                "absent": np.asarray(self.absent),
                "bands": np.asarray(self.bands),
                "pending": np.asarray(self.pending),
                "patterns_of": np.asarray(self.patterns_of),
                "numbers": numbers(self.seed, self.value_count),
            }
        )

    def _saved_patterns(self):
        """Return the keys that each automaton or set is made of, one after the other, and where each one's start."""
        keys = [self._keys_of_patterns(number) for number in range(len(self.patterns))]
        starts = np.zeros(len(keys) + 1, np.int64)
        np.cumsum([len(some) for some in keys], out=starts[1:])
        return {"pattern_key": np.concatenate([np.empty(0, np.int32), *keys]), "pattern_start": starts}

    def _keys_of_patterns(self, number: cython.int):
        patterns = self.patterns[number]
        if patterns is None:  # restored, and not used since
            return np.asarray(self.pattern_key)[self.pattern_start[number] : self.pattern_start[number + 1]]
        return np.array(patterns.keys(), np.int32)

    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays):
        """Return the finder that was saved as these arrays, in these arrays, over its restored graph and table.

        Where the table had to be made anew, because this Python folds case otherwise, the finder is too.

        >>> from hedgerow.language.graph_cy import Graph
        >>> from hedgerow.language.parse import parse
        >>> from hedgerow.predicate.table_cy import PredicateTable
        >>> graph = Graph()
        >>> node, table = graph.add(parse("a < 3")), PredicateTable(graph)
        >>> table.extend()
        >>> finder = Finder(graph, table)
        >>> finder.put(7, 0, 0)
        >>> again = Finder.restored(graph, table, finder.saved())
        >>> again.bands_of(0)
        [0]
        """
        finder: Finder = Finder(graph, table)
        codes: cython.int[::1] = section(arrays, "code", np.int32)
        number: cython.int
        if table.remade:
            for number in range(codes.shape[0]):
                if codes[number] >= 0:
                    finder.add(number, codes[number])
            return finder
        finder.code = codes
        finder.number_count = codes.shape[0]
        finder.seed, finder.value_count = scalars(arrays, "numbers", 2)
        finder.lists = Lists.restored(part(arrays, "lists"))
        finder.ranges = Ranges.restored(part(arrays, "ranges"))
        finder.fragments = SymbolTable.restored(part(arrays, "fragments"))
        finder.index_of_number = section(arrays, "index_of_number", np.int32, finder.number_count)
        finder.index_of_value = section(arrays, "index_of_value", np.int32, finder.value_count)
        finder._restore_keys(arrays)
        finder._restore_attributes(arrays)
        return finder

    def _restore_keys(self, arrays):
        self.key_attribute = section(arrays, "key_attribute", np.int32)
        self.key_count = self.key_attribute.shape[0]
        self.key_kind = section(arrays, "key_kind", np.uint8, self.key_count)
        self.key_payload = section(arrays, "key_payload", np.int64, self.key_count)
        self.key_list = section(arrays, "key_list", np.int32, self.key_count)
        self.slots = table_section(arrays, "slots", self.key_count)
        self.pattern_key = section(arrays, "pattern_key", np.int32)
        self.pattern_start = section(arrays, "pattern_start", np.int64)
        count: cython.Py_ssize_t = self.pattern_start.shape[0] - 1
        if count < 0 or self.pattern_start[0] != 0 or self.pattern_start[count] != self.pattern_key.shape[0]:
            raise CorruptFile("the section 'pattern_start' does not fit the patterns")
        self.patterns = [None] * count

    def _restore_attributes(self, arrays):
        self.tested = section(arrays, "tested", np.int32)
        count: cython.Py_ssize_t = self.tested.shape[0]
        self.absent = section(arrays, "absent", np.int32, count)
        self.bands = section(arrays, "bands", np.int32, count * _BANDS)
        self.pending = section(arrays, "pending", np.int32, count * _CHANNELS)
        self.patterns_of = section(arrays, "patterns_of", np.int32, count * _CHANNELS)

    def quiet(self):
        """Give back room that is free in many small pieces; for when it is a good time, as after a commit."""
        return self.ranges.quiet()

    @property
    def nbytes(self):
        """Bytes held beside the graph's and the table's, without room that nothing was written to, and automata."""
        keys = (4 + 1 + 8 + 4) * self.key_count
        numbers = self.code.nbytes + 4 * (self.number_count + self.value_count)
        attributes = self.tested.nbytes + self.absent.nbytes + self.bands.nbytes
        texts = self.pending.nbytes + self.patterns_of.nbytes + self.fragments.nbytes + self.pattern_key.nbytes
        return keys + self.slots.nbytes + numbers + attributes + texts + self.lists.nbytes + self.ranges.nbytes

    # For tests: checked, and slower.

    def put(self, number: cython.int, predicate: cython.int, accepts: cython.int):
        """Let events lead to the literal ``number``, a predicate of the graph and what it accepts."""
        if number < 0 or (number < self.code.shape[0] and self.code[number] >= 0):
            raise ValueError(f"{number} is no free number")
        if predicate < 0 or predicate >= self.table.count or not 0 <= accepts <= 3:
            raise IndexError(predicate)
        self.add(number, predicate * 4 + accepts)

    def take_out(self, number: cython.int):
        """Let no event lead to the literal ``number`` any more."""
        if number < 0 or number >= self.code.shape[0] or self.code[number] < 0:
            raise KeyError(number)
        self.remove(number)

    def bands_of(self, attribute: cython.int):
        """Return the numbers of the bands in ``ranges`` that an attribute has."""
        bands = np.asarray(self.bands)[attribute * _BANDS : (attribute + 1) * _BANDS]
        return bands[bands >= 0].tolist()

    # Writing

    def add(self, number, code):
        """Let events lead to the literal ``number``, whose code is ``predicate * 4 + accepts``."""
        predicate: cython.int = code >> 2
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        way: cython.int = self.way(code)
        band: cython.int
        count: cython.int
        found: Interval[2]
        self.reserve(number)
        self.reserve_attribute(attribute)
        self.code[number] = code
        release()  # whoever finds the number must find its code
        if way == BY_VALUE:
            return self.add_values(number, predicate)
        if way == BY_ABSENCE:
            return self.add_single(number, self.list_of_absent(attribute))
        if way == BY_TEXT:
            return self.add_text(number, predicate)
        if way == BY_TEST:
            return self.add_single(number, self.list_of_tested(attribute))
        band = self.band_of(code)
        count = self.intervals(code, found)
        if count > 0:
            self.ranges.insert(band, found[0].low, found[0].high, number)
        if count > 1:
            self.ranges.insert(band, found[1].low, found[1].high, number)
        return 0

    def remove(self, number):
        """Let no event lead to the literal ``number`` any more; only while no search is running."""
        code: cython.int = self.code[number]
        predicate: cython.int = code >> 2
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        way: cython.int = self.way(code)
        place: cython.int
        found: Interval[2]
        if way == BY_VALUE:
            self.remove_values(number, predicate)
        elif way == BY_ABSENCE:
            self.remove_single(number, self.absent[attribute])
        elif way == BY_TEXT:
            self.remove_text(number, predicate)
        elif way == BY_TEST:
            self.remove_single(number, self.tested[attribute])
        else:
            for place in range(self.intervals(code, found)):
                self.ranges.remove(self.band_of(code), found[place].low, found[place].high, number)
        self.code[number] = -1
        return 0

    def reserve(self, number):
        """Make room for a number."""
        if number >= self.index_of_number.shape[0]:
            self.index_of_number = grown(self.index_of_number, number + 1)
        if number >= self.code.shape[0]:
            self.code = grown(self.code, number + 1, -1)
        self.number_count = max(self.number_count, number + 1)
        return 0

    def reserve_attribute(self, attribute):
        """Make room for what is kept by attribute; the arrays grow together, and so does what a reader takes."""
        if attribute < self.tested.shape[0]:
            return 0
        tested, absent = grown(self.tested, attribute + 1, -1), grown(self.absent, attribute + 1, -1)
        bands = grown(self.bands, tested.size * _BANDS, -1)
        pending = grown(self.pending, tested.size * _CHANNELS, -1)
        patterns = grown(self.patterns_of, tested.size * _CHANNELS, -1)
        self.bands, self.pending, self.patterns_of, self.absent, self.tested = bands, pending, patterns, absent, tested
        return 0

    def way(self, code):
        """Return in which way events lead to a literal."""
        accepts: cython.int = code & 3
        predicate: cython.int = code >> 2
        operator: cython.int = self.graph.predicate_operator[predicate]
        if operator == _IS_NULL:
            return BY_ABSENCE if accepts == _ACCEPTS_TRUE or accepts == _ACCEPTS_NOT_FALSE else BY_TEST
        if accepts > _ACCEPTS_FALSE:
            return BY_ABSENCE
        if _LT <= operator <= _BETWEEN and family_of(self.table.family[predicate]) >= 0:
            return BY_RANGE
        if accepts == _ACCEPTS_FALSE:
            return BY_TEST
        if operator == _EQ or operator == _IN:
            return BY_VALUE
        return BY_TEXT if _LIKE <= operator <= _MATCHES else BY_TEST

    # By absence, by test: a literal is in one list, and where it stands there is noted by its number.

    def list_of_absent(self, attribute):
        """Return the list of literals that the absence of an attribute satisfies."""
        if self.absent[attribute] < 0:
            self.absent[attribute] = self.lists.new_list()
            release()
            self.lists.append(_ABSENT, attribute)
        return self.absent[attribute]

    def list_of_tested(self, attribute):
        """Return the list of literals that are tested when an attribute is present."""
        if self.tested[attribute] < 0:
            self.tested[attribute] = self.lists.new_list()
        return self.tested[attribute]

    def add_single(self, number, target):
        self.index_of_number[number] = self.lists.append(target, number)
        return 0

    def remove_single(self, number, target):
        index: cython.int = self.index_of_number[number]
        moved: cython.int = self.lists.drop(target, index)
        if moved >= 0:
            self.index_of_number[moved] = index
        return 0

    # By value: a literal is in the list of each of its values. Where it stands there is noted by its number, if it has
    # one value, as most do, else by the place of the value.

    def add_values(self, number, predicate):
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + listed_count(self.table, predicate)
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        key: cython.int
        if last - position > 1:
            if last > self.index_of_value.shape[0]:
                self.index_of_value = grown(self.index_of_value, last)
            self.value_count = max(self.value_count, last)
        while position < last:
            key = self.key_of(attribute, self.table.listed_kind[position], self.table.listed_payload[position])
            self.note_index(number, position, self.lists.append(self.key_list[key], number))
            position += 1
        return 0

    def remove_values(self, number, predicate):
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + listed_count(self.table, predicate)
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        index: cython.int
        key: cython.int
        while position < last:
            key = self.key_of(attribute, self.table.listed_kind[position], self.table.listed_payload[position])
            index = self.index_of_number[number] if self.has_one_value(number) else self.index_of_value[position]
            self.drop_value(key, index)
            position += 1
        return 0

    def has_one_value(self, number):
        return listed_count(self.table, self.code[number] >> 2) == 1

    def note_index(self, number, position, index):
        """Note where a literal stands in the list of its value at ``position``."""
        if self.has_one_value(number):
            self.index_of_number[number] = index
        else:
            self.index_of_value[position] = index
        return 0

    def drop_value(self, key, index):
        """Take the literal at an index out of the list of a key."""
        moved: cython.int = self.lists.drop(self.key_list[key], index)
        if moved >= 0:
            self.note_index(
                moved, self.value_position(self.code[moved] >> 2, self.key_kind[key], self.key_payload[key]), index
            )
        return 0

    def value_position(self, predicate, kind, payload):
        """Return where a predicate has a value that it is known to have; the values of a list are sorted."""
        low: cython.longlong = self.graph.predicate_start[predicate]
        high: cython.longlong = low + listed_count(self.table, predicate) - 1
        middle: cython.longlong
        while low < high:
            middle = (low + high) // 2
            if self.table.listed_kind[middle] < kind or (
                self.table.listed_kind[middle] == kind and self.table.listed_payload[middle] < payload
            ):
                low = middle + 1
            else:
                high = middle
        return low

    def key_of(self, attribute, kind, payload):
        """Return the key of a value, or of a text to be looked for, of an attribute."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        state: cython.ulonglong = _hash(self.seed, attribute, kind, payload)
        slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        key: cython.int
        while self.slots[slot] >= 0:
            key = self.slots[slot]
            if self.key_payload[key] == payload and self.key_attribute[key] == attribute and self.key_kind[key] == kind:
                return key
            slot = (slot + 1) & mask
        key = self.key_count
        if key >= self.key_attribute.shape[0]:
            attributes, kinds = grown(self.key_attribute, key + 1), grown(self.key_kind, key + 1)
            payloads, lists = grown(self.key_payload, key + 1), grown(self.key_list, key + 1)
            self.key_attribute, self.key_kind, self.key_payload, self.key_list = attributes, kinds, payloads, lists
        self.key_attribute[key] = attribute
        self.key_kind[key] = kind
        self.key_payload[key] = payload
        self.key_list[key] = self.lists.new_list()
        self.slots[slot] = key
        self.key_count = key + 1
        if 2 * self.key_count > self.slots.shape[0]:
            self.rehash(2 * self.slots.shape[0])
        return key

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        slot: cython.Py_ssize_t
        key: cython.int
        state: cython.ulonglong
        for key in range(self.key_count):
            state = _hash(self.seed, self.key_attribute[key], self.key_kind[key], self.key_payload[key])
            slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, size - 1))
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = key
        self.slots = slots
        return 0

    # By range

    def band_of(self, code):
        """Return the band that a literal's intervals are in."""
        predicate: cython.int = code >> 2
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        place: cython.int = attribute * _BANDS + 2 * family_of(self.table.family[predicate]) + (code & 3)
        if self.bands[place] < 0:
            self.bands[place] = self.ranges.new_band()
        return self.bands[place]

    def intervals(self, code, found):
        """Write the intervals that have the keys of all values which satisfy a literal; return how many there are."""
        predicate: cython.int = code >> 2
        operator: cython.int = self.graph.predicate_operator[predicate]
        position: cython.longlong = self.graph.predicate_start[predicate]
        key: cython.longlong = self.operand_key(position)
        inside: cython.bint = code & 3 == _ACCEPTS_TRUE
        found[0].low = _LOWEST
        found[0].high = _HIGHEST
        if operator == _BETWEEN and inside:
            found[0].low = key
            found[0].high = self.operand_key(position + 1)
            return found[0].low <= found[0].high
        if operator == _BETWEEN:
            found[0].high = key
            found[1].low = self.operand_key(position + 1)
            found[1].high = _HIGHEST
            return 2
        if (operator == _LT or operator == _LE) == inside:
            found[0].high = key
        else:
            found[0].low = key
        return 1

    def operand_key(self, position):
        """Return the key of an operand, in the order of the values of its family."""
        kind: cython.int = self.table.listed_kind[position]
        payload: cython.longlong = self.table.listed_payload[position]
        start: cython.longlong
        strings: SymbolTable
        if kind == _INT:
            return number_key(cython.cast(cython.double, payload))
        if kind == _FLOAT:
            return number_key(_as_double(payload))
        if kind == _STRING:
            strings = self.graph.strings
            start = strings.starts[payload]
            return _text_key(strings.heap, start, strings.starts[payload + 1])
        return payload

    # By text

    def add_text(self, number, predicate):
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        known: cython.int = self.key_count
        key: cython.int = self.text_key_of(predicate)
        if key < 0:
            return self.add_single(number, self.list_of_tested(attribute))
        if key == known:
            self.expect(attribute, self.key_kind[key] - _FIRST_TEXT_KIND, key)
        return self.add_single(number, self.key_list[key])

    def remove_text(self, number, predicate):
        key: cython.int = self.text_key_of(predicate)
        if key < 0:
            return self.remove_single(number, self.tested[self.graph.predicate_attribute[predicate]])
        return self.remove_single(number, self.key_list[key])

    def text_key_of(self, predicate):
        """Return the key of what is looked for to find a string test; -1 where nothing can be."""
        operator: cython.int = self.graph.predicate_operator[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        operand: cython.longlong = self.table.listed_payload[self.graph.predicate_start[predicate]]
        if operator == _MATCHES:
            return self.key_of(attribute, _FIRST_TEXT_KIND + _REGULAR, operand)
        channel: cython.int = _FOLDED if operator == _ILIKE else _PLAIN
        fragment = fragment_of(operator, (self.table.folded if channel == _FOLDED else self.graph.strings)[operand])
        if not fragment:
            return -1
        return self.key_of(attribute, _FIRST_TEXT_KIND + channel, self.fragments.intern_text(fragment))

    def expect(self, attribute, channel, key):
        """Let the strings of an attribute be searched for the text of a new key, once a handful of them has come."""
        place: cython.int = attribute * _CHANNELS + channel
        if self.pending[place] < 0:
            self.pending[place] = self.lists.new_list()
        if self.lists.append(self.pending[place], key) + 1 < _HANDFUL:
            return 0
        keys = self.lists.values(self.pending[place])
        symbols = [self.key_payload[key] for key in keys]
        if self.patterns_of[place] < 0:
            patterns = self.new_patterns(channel)
            patterns.absorb(keys, symbols)
            self.patterns.append(patterns)
            self.patterns_of[place] = len(self.patterns) - 1
        else:
            self.patterns_at(self.patterns_of[place]).absorb(keys, symbols)
        # Last, because readers look at what is pending first: they see a text twice rather than not at all.
        release()
        self.pending[place] = self.lists.new_list()
        return 0

    def new_patterns(self, channel):
        return Patterns(self.graph.strings if channel == _REGULAR else self.fragments, regular=channel == _REGULAR)

    def patterns_at(self, number):
        """Return what finds the texts of an attribute; restored ones are made of their keys when first wanted.

        A reader may do it. Nothing here runs Python code, so it is done once, and before anything else.
        """
        first: cython.longlong
        last: cython.longlong
        if self.patterns[number] is None:
            first, last = self.pattern_start[number], self.pattern_start[number + 1]
            keys = np.asarray(self.pattern_key)[first:last]
            patterns = self.new_patterns(self.key_kind[self.pattern_key[first]] - _FIRST_TEXT_KIND)
            patterns.absorb_all(keys.tolist(), np.asarray(self.key_payload)[keys].tolist())
            self.patterns[number] = patterns
        return self.patterns[number]


@cython.final
@cython.cclass
class Found:
    """One search: the literals with numbers below ``limit`` that hold for a row."""

    def __init__(self, finder: Finder, outcomes: Outcomes, limit: cython.int):
        self.finder = finder
        self.outcomes = outcomes
        self.limit = limit
        self.seed = finder.seed
        self.code = finder.code
        self.key_count = finder.key_count
        self.key_attribute = finder.key_attribute
        self.key_kind = finder.key_kind
        self.key_payload = finder.key_payload
        self.key_list = finder.key_list
        self.slots = finder.slots
        self.tested = finder.tested
        self.absent = finder.absent
        self.bands = finder.bands
        self.pending = finder.pending
        self.patterns_of = finder.patterns_of
        self.ranges = RangeSearch(finder.ranges)
        self.refresh()
        self.nodes = np.empty(64, np.int32)

    def numbers(self, row: cython.longlong):
        """Return the numbers of the literals that hold for a row, sorted: for tests."""
        return sorted(set(self.noted(row)))

    def noted(self, row: cython.longlong):
        """Return the numbers as they were noted, in the order of what led to them: for tests."""
        self._check(row)
        with cython.nogil:
            self.find(row)
        return np.asarray(self.nodes)[: self.count].tolist()

    def tested_numbers(self, row: cython.longlong):
        """Return the same by testing all literals one by one: for tests."""
        self._check(row)
        number: cython.int
        self.outcomes.begin(row)
        return [number for number in range(min(self.limit, self.code.shape[0])) if self.holds(number)]

    def _check(self, row: cython.longlong):
        if row < 0 or row >= self.outcomes.row_start.shape[0] - 1:
            raise IndexError(row)

    def refresh(self):
        """Take the lists as they are now: a list may have moved into a part of the arena that is new."""
        self.list_count = self.finder.lists.count
        self.place = self.finder.lists.place
        self.arena = self.finder.lists.arena
        return 0

    def find(self, row):
        """Begin a row, and note the literals that hold for it in ``nodes[:count]``.

        One may be there twice, once for each of its ranges or beside a writer, but not for each element of a list.
        """
        entry: cython.longlong
        attribute: cython.int
        self.outcomes.begin(row)
        self.count = 0
        self.fetch(row)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            # What is beyond the arrays came after this search began.
            if 0 <= attribute < self.tested.shape[0]:
                self.find_entry(attribute, entry)
        return self.find_absent()

    def fetch(self, row):
        """Have brought near what the values of a row lead to by key: one step of all ways at a time, not one way."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        first: cython.longlong = self.outcomes.row_start[row]
        count: cython.longlong = min(self.outcomes.row_start[row + 1] - first, _FETCHED)
        at: cython.longlong
        kind: cython.int
        payload: cython.longlong
        state: cython.ulonglong
        number: cython.int
        home: cython.longlong[64]
        looked_for: cython.longlong[64]
        start: cython.longlong
        way: cython.longlong[64]
        for at in range(count):
            kind = self.outcomes.entry_kind[first + at]
            payload = self.outcomes.entry_payload[first + at]
            if kind == _STRING:
                payload = self.outcomes.string_of[payload]
            state = _hash(
                self.seed, self.outcomes.attribute_of[self.outcomes.entry_attribute[first + at]], kind, payload
            )
            home[at] = cython.cast(cython.longlong, state & cython.cast(cython.ulonglong, mask))
            looked_for[at] = payload
            prefetch(cython.address(self.slots[home[at]]))
        for at in range(count):
            number = self.slots[home[at]]
            way[at] = number if number < self.key_count else -1
            if way[at] >= 0:
                prefetch(cython.address(self.key_payload[number]))
                prefetch(cython.address(self.key_attribute[number]))
                prefetch(cython.address(self.key_list[number]))
        for at in range(count):
            if way[at] >= 0 and self.key_payload[way[at]] != looked_for[at]:
                # It is another's place: the one behind is as likely as not where the key is.
                number = self.slots[(home[at] + 1) & mask]
                way[at] = number if number < self.key_count else -1
                if way[at] >= 0:
                    prefetch(cython.address(self.key_payload[number]))
                    prefetch(cython.address(self.key_attribute[number]))
                    prefetch(cython.address(self.key_list[number]))
        for at in range(count):
            if way[at] >= 0:
                number = self.key_list[way[at]]
                way[at] = number if number < self.list_count else -1
                if way[at] >= 0:
                    prefetch(cython.address(self.place[number]))
        for at in range(count):
            if way[at] >= 0:
                start = list_start(self.place[way[at]])  # once: a writer may move the list
                if start < self.arena.shape[0]:
                    prefetch(cython.address(self.arena[start]))
        return 0

    def find_entry(self, attribute, entry):
        """Note the literals that hold because of one attribute that is present."""
        kind: cython.int = self.outcomes.entry_kind[entry]
        payload: cython.longlong = self.outcomes.entry_payload[entry]
        family: cython.int
        band: cython.int
        if kind == _LIST:
            return self.find_list(attribute, payload)
        self.find_value(attribute, kind, payload)
        family = family_of(family_bit(kind))
        if family >= 0:
            band = self.bands[attribute * _BANDS + 2 * family + _ACCEPTS_FALSE]
            if band >= 0:
                self.find_range(band, kind, payload)
        self.take(self.tested[attribute], True)
        # Those that absence satisfies may hold for a value too.
        return self.take(self.absent[attribute], True)

    def find_value(self, attribute, kind, payload):
        """Note the literals that must be true, and are because an attribute has this value."""
        family: cython.int = family_of(family_bit(kind))
        band: cython.int
        key: cython.int
        if family < 0:
            return 0
        band = self.bands[attribute * _BANDS + 2 * family]
        if band >= 0:
            self.find_range(band, kind, payload)
        if kind == _STRING:
            self.find_text(attribute, payload)
        key = _key_at(self, attribute, kind, payload)
        return 0 if key < 0 else self.take(self.key_list[key], False)

    def find_range(self, band, kind, payload):
        self.ranges.stab(band, value_key(self.outcomes, kind, payload))
        return self.take_ranges()

    def take_ranges(self):
        """Note the literals whose intervals were found, testing those of which a value's key is a bound."""
        position: cython.Py_ssize_t
        number: cython.int
        if self.ranges.count > _LONG:
            self.outcomes.spend(self.ranges.count)
        for position in range(self.ranges.count):
            number = self.ranges.numbers[position]
            if number >= 0:
                if number < self.limit:
                    self.note(number)
            elif ~number < self.limit and self.holds(~number):
                self.note(~number)
        return 0

    def find_text(self, attribute, string):
        """Note the string tests that a string satisfies."""
        place: cython.int = attribute * _CHANNELS
        channel: cython.int
        grouped: cython.bint = False
        for channel in range(_CHANNELS):
            # What is pending comes first: see the writer.
            self.take_keys(self.pending[place + channel])
            acquire()
            if self.patterns_of[place + channel] >= 0:
                grouped = True
        if grouped:
            with cython.gil:
                self.find_patterns(attribute, string, False)
        return 0

    def find_patterns(self, attribute, string, listed):
        """Note the string tests whose patterns are in groups, for a value or for an element of a list."""
        place: cython.int = attribute * _CHANNELS
        channel: cython.int
        key: cython.int
        start: cython.longlong = self.outcomes.event_starts[string]
        encoded = bytes(self.outcomes.event_heap[start : self.outcomes.event_starts[string + 1]])
        text = encoded.decode()
        for channel in range(_CHANNELS):
            if self.patterns_of[place + channel] < 0:
                continue
            value = encoded if channel == _REGULAR else folded(text) if channel == _FOLDED else text
            sure, doubtful = self.finder.patterns_at(self.patterns_of[place + channel]).found(value)
            for key in sure:
                if key < self.key_count:
                    self.take_key(key) if listed else self.take(self.key_list[key], False)
            for key in doubtful:
                if key < self.key_count:
                    self.take_for_element(key, string) if listed else self.take(self.key_list[key], True)
        return 0

    def find_absent(self):
        """Note the literals that hold because their attribute is absent: one look at each attribute that has some."""
        place: cython.longlong = self.locate(_ABSENT)
        position: cython.longlong
        attribute: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            attribute = self.arena[position]
            if attribute >= self.absent.shape[0] or attribute >= self.outcomes.entry_of.shape[0]:
                continue  # it came after this search began
            if self.outcomes.entry_of[attribute] < 0:
                self.take(self.absent[attribute], False)
        return 0

    def take_keys(self, number):
        """Note those literals of a list's keys that pass their test."""
        place: cython.longlong = self.locate(number)
        position: cython.longlong
        key: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            key = self.arena[position]
            if 0 <= key < self.key_count:
                self.take(self.key_list[key], True)
        return 0

    def take(self, number, testing):
        """Note the literals of a list, or those of them that pass their test."""
        place: cython.longlong = self.locate(number)
        position: cython.longlong
        found: cython.int
        if list_length(place) > _LONG:
            self.outcomes.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            found = self.arena[position]
            if 0 <= found < self.limit and (not testing or self.holds(found)):
                self.note(found)
        return 0

    # Lists: each literal is noted once, and what elements have in common is looked at once.

    def find_list(self, attribute, number):
        """Note the literals that hold because an attribute has this list."""
        if self.members is None:
            with cython.gil:
                self.members = self.ranges.members = Members(self.outcomes)
        self.members.begin(number, self.limit, self.key_count)
        self.find_elements(attribute, number)
        self.find_list_ranges(attribute)
        self.find_list_texts(attribute, number)
        self.take_tested(self.tested[attribute])
        self.take_tested(self.absent[attribute])
        return self.members.end()

    def find_elements(self, attribute, number):
        """Note what some element leads to by its key."""
        element: cython.longlong
        key: cython.int
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            if family_bit(self.outcomes.element_kind[element]):
                self.outcomes.spend(4)
                key = _key_at(
                    self, attribute, self.outcomes.element_kind[element], self.outcomes.element_payload[element]
                )
                if key >= 0:
                    self.take_key(key)
        return 0

    def find_list_ranges(self, attribute):
        """Note the ranges that some element is in, and those that none is in, whatever the family of the elements."""
        family: cython.int
        band: cython.int
        for family in range(_BANDS // 2):
            band = self.bands[attribute * _BANDS + 2 * family]
            if band >= 0:
                self.ranges.stab_list(band, family)
                self.take_list_ranges()
            band = self.bands[attribute * _BANDS + 2 * family + _ACCEPTS_FALSE]
            if band >= 0:
                self.ranges.every(band)
                self.take_list_ranges()
        return 0

    def take_list_ranges(self):
        position: cython.Py_ssize_t
        number: cython.int
        for position in range(self.ranges.count):
            number = self.ranges.numbers[position]
            if number >= 0:
                if number < self.limit:
                    self.note_once(number)
            elif ~number < self.limit:
                self.test_once(~number)
        return 0

    def find_list_texts(self, attribute, number):
        """Note the string tests that some element satisfies: each distinct string is searched once."""
        place: cython.int = attribute * _CHANNELS
        channel: cython.int
        element: cython.longlong
        string: cython.longlong
        grouped: cython.bint = False
        for channel in range(_CHANNELS):
            # What is pending comes first: see the writer.
            self.take_pending(self.pending[place + channel])
            acquire()
            if self.patterns_of[place + channel] >= 0:
                grouped = True
        if not grouped:
            return 0
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            string = self.outcomes.element_payload[element]
            if self.outcomes.element_kind[element] == _STRING and self.members.strings.put(
                cython.cast(cython.int, string)
            ):
                with cython.gil:
                    self.find_patterns(attribute, string, True)
        return 0

    def take_pending(self, number):
        """Test the literals of a list's keys, each once, on the whole list of the event."""
        place: cython.longlong = self.locate(number)
        position: cython.longlong
        key: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            key = self.arena[position]
            if 0 <= key < self.key_count:
                self.take_tested(self.key_list[key])
        return 0

    def take_tested(self, number):
        """Note those literals of a list that pass their test on the list of the event."""
        place: cython.longlong = self.locate(number)
        position: cython.longlong
        found: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            found = self.arena[position]
            if 0 <= found < self.limit:
                self.test_once(found)
        return 0

    def take_key(self, key):
        """Note the literals of a key that an element is sure to lead to, unless another element has."""
        place: cython.longlong
        position: cython.longlong
        found: cython.int
        if not self.members.keys.put(key):
            return 0
        place = self.locate(self.key_list[key])
        for position in range(list_start(place), list_start(place) + list_length(place)):
            found = self.arena[position]
            if 0 <= found < self.limit:
                self.note_once(found)
        return 0

    def take_for_element(self, key, string):
        """Note those string tests of a key that this element satisfies, unless another has."""
        place: cython.longlong = self.locate(self.key_list[key])
        position: cython.longlong
        found: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            found = self.arena[position]
            if 0 <= found < self.limit and not self.members.numbers.has(found) and self.holds_for(found, string):
                self.note_once(found)
        return 0

    def test_once(self, number):
        """Note a literal if it passes its test on the list of the event, unless it is noted."""
        if not self.members.numbers.has(number) and self.is_known(number):
            self.outcomes.spend(4)
            self.tests = self.tests + 1
            if self.members.literal(self.code[number]):
                self.note_once(number)
        return 0

    def holds_for(self, number, string):
        """Return whether one string satisfies a string test, which must be true."""
        predicate: cython.int
        if not self.is_known(number):
            return False
        self.tests = self.tests + 1
        predicate = self.code[number] >> 2
        return self.outcomes.text_satisfies(predicate, self.outcomes.operator[predicate], string)

    def note_once(self, number):
        return self.note(number) if self.members.numbers.put(number) else 0

    def locate(self, number):
        """Return the place of a list, within the arena that this search has; that of no list is empty."""
        if number < 0 or number >= self.list_count:
            return 0
        place: cython.longlong = self.place[number]
        if list_start(place) + list_length(place) > self.arena.shape[0]:
            with cython.gil:
                self.refresh()
        return place

    def holds(self, number):
        """Return whether a literal passes its test."""
        if not self.is_known(number):
            return False
        self.tests = self.tests + 1
        return self.outcomes.literal(self.code[number])

    def is_known(self, number):
        """Return whether a number has a literal; one that came after this search began may be beyond its views."""
        if number >= self.code.shape[0]:
            return False
        return 0 <= self.code[number] >> 2 < self.outcomes.predicate_count

    def note(self, number):
        if self.count >= self.nodes.shape[0]:
            with cython.gil:
                self.nodes = grown(self.nodes, self.count + 1)
        self.nodes[self.count] = number
        self.count = self.count + 1
        return 0


@cython.cfunc
@cython.nogil
@cython.boundscheck(False)
@cython.exceptval(check=False)
def _text_key(heap: cython.uchar[::1], start: cython.longlong, end: cython.longlong) -> cython.longlong:
    """Return the key of a text in a heap; an empty one may lie past the end, and is not read."""
    first: cython.pointer(cython.const[cython.uchar]) = cython.cast(
        cython.pointer(cython.const[cython.uchar]), cython.address(heap[0])
    )
    return text_key(first + start, end - start)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-2)
def _key_at(found: Found, attribute: cython.int, kind: cython.int, payload: cython.longlong) -> cython.int:
    """Return the key of an event's value, or -1 where there is none. Each value of an event goes through it."""
    mask: cython.Py_ssize_t = found.slots.shape[0] - 1
    state: cython.ulonglong
    slot: cython.Py_ssize_t
    key: cython.int
    if kind == _STRING:
        payload = found.outcomes.string_of[payload]
    state = _hash(found.seed, attribute, kind, payload)
    slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
    while True:
        key = found.slots[slot]
        if key < 0:
            return -1
        # Beyond the count is a key that came after this search began, and so nothing that it must see.
        if (
            key < found.key_count
            and found.key_payload[key] == payload
            and found.key_attribute[key] == attribute
            and found.key_kind[key] == kind
        ):
            return key
        slot = (slot + 1) & mask
