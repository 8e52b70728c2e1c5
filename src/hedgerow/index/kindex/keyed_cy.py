"""What both forms of the k-index are made of: keys, and the walk over the posting lists that an event leads to.

A *key* is an attribute with a value, as in the paper. What a value cannot lead to (a pattern, absence, a range that is
not cut into pieces, presence) is a literal that the finder finds, with a key of its own. Key 0 is Z, which every event
has: it leads to units that ask for nothing.

**The walk** (Algorithms 1 and 2, without what is wrong in print). All lists of one size stand at their first entry. A
unit can only match if ``wanted`` lists stand at it together, so the unit that matters next is that of the list which is
``wanted``-th in order; all lists that stand before it skip to it::

    list a    3  9  ...        wanted = 2: the second list stands at 7, so nothing before 7 can match:
    list b       7  9 ...      list a skips to 9; now the second stands at 9, where b may come to, ...
    list c       9  12 ...

When the first ``wanted`` lists stand at one unit, ``judge`` decides, and all lists at that unit go past it. The first
``wanted`` lists are sorted in ``front``, all others are in a heap; a list that was moved goes where it belongs in
logarithmic time. ``at`` and ``stop`` say where a list stands, and an entry with its list is one number to compare::

    entry (unit and kind) 31 bits │ list 32 bits
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import lowest_bit, without_lowest_bit
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.index.kindex.postings_cy import Postings
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.finder_cy import BY_RANGE, BY_VALUE
from cython.cimports.hedgerow.predicate.keys import number_key, value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.stdlib import qsort
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import LimitError
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.kindex.picture import PostingList, drawing
from hedgerow.language.expression import Predicate
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind, timestamp

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LIST = cython.declare(cython.int, int(Kind.LIST))

# Kinds of keys beyond those of values: pieces of ranges by their level, literals, and Z.
_NUMBER_PIECE = cython.declare(cython.int, 32)
_TIME_PIECE = cython.declare(cython.int, 128)
_LITERAL_KEY = cython.declare(cython.int, 254)
_Z = cython.declare(cython.int, 255)
_Z_KEY = cython.declare(cython.int, 0)

_NONE = cython.declare(cython.int, -1)
_ONE = cython.declare(cython.ulonglong, 1)
_SIGN = cython.declare(cython.ulonglong, 1 << 63)
_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_END = cython.declare(cython.longlong, (1 << 63) - 1)  # where a list stands that has come to its end
_LOW = cython.declare(cython.longlong, (1 << 32) - 1)
_EXACT = cython.declare(cython.double, 2.0**53)
_FEW = cython.declare(cython.int, 48)
_MOST_SORTED = cython.declare(cython.int, 512)  # lists that a ranking keeps in order; more of them are walked as usual

# Bounds are added up in another order than scores: this is more than all of that can round.
_GREATER = cython.declare(cython.double, 1.000001)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.longlong = cython.cast(cython.pointer(cython.longlong), left)[0]
    two: cython.longlong = cython.cast(cython.pointer(cython.longlong), right)[0]
    return (one > two) - (one < two)


@cython.cclass
class KeyedEngine(UnitEngine):
    """The base of both forms."""

    def __init__(self, missing: str, options=None, dnf: cython.bint = True, width: cython.int = 1):
        UnitEngine.__init__(self, missing, dnf)
        self.options = KIndexOptions() if options is None else options
        self.dyadic = self.options.ranges == "dyadic"
        self.shares = self.options.deduplicate
        self.literals = Literals(self.graph, self.table)
        self.keys = Keys()
        self.keys.number(0, _Z, 0)
        self.postings = Postings(width, self.options.tail)
        self.key_of_literal = filled(16, -1, np.int32)
        self.seen_by = filled(16, -1, np.int32)
        self.levels = np.empty(0, np.uint64)
        self.bound_of_key = np.empty(0, np.float64)

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    def publish(self):
        if self.postings.is_worth_merging():
            self.postings.merge()
        return UnitEngine.publish(self)

    # Files

    def structure_saved(self):
        """Return the keys and the lists."""
        parts = nested(literals=self.literals.saved(), keys=self.keys.saved(), postings=self.postings.saved())
        return parts | {
            "key_of_literal": np.asarray(self.key_of_literal),
            "levels": np.asarray(self.levels),
            "bound_of_key": np.asarray(self.bound_of_key),
            "keyed": numbers(self.greatest_size, self.dyadic, self.shares, self.options.sweep, self.options.prune),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.greatest_size, dyadic, deduplicate, sweep, prune = scalars(arrays, "keyed", 5)
        self.dyadic, self.shares = bool(dyadic), bool(deduplicate)
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.keys = Keys.restored(part(arrays, "keys"))
        self.postings = Postings.restored(part(arrays, "postings"))
        self.options = KIndexOptions(
            deduplicate=self.shares,
            ranges="dyadic" if self.dyadic else "found",
            tail=self.postings.least,
            sweep=bool(sweep),
            prune=bool(prune),
        )
        self.key_of_literal = section(arrays, "key_of_literal", np.int32)
        self.levels = section(arrays, "levels", np.uint64)
        self.bound_of_key = section(arrays, "bound_of_key", np.float64)

    def structure_bytes(self):
        """Return the bytes of literals, keys and posting lists."""
        keys = self.keys.nbytes + self.key_of_literal.nbytes + self.levels.nbytes
        bounds = self.bound_of_key.nbytes + self.seen_by.nbytes
        return {"literals": self.literals.nbytes, "keys": keys + bounds, "postings": self.postings.nbytes}

    # Keys

    def keying(self, code):
        """Return how events lead to a literal, or to what it must not be."""
        way: cython.int = self.literals.finder.way((code >> 2) * 4 + _TRUE)
        if way == BY_VALUE:
            return BY_VALUES
        if way == BY_RANGE and self.dyadic and self.graph.predicate_operator[code >> 2] >= _LT:
            if self.is_exact(self.graph.predicate_start[code >> 2]) and self.is_exact(
                self.graph.predicate_start[(code >> 2) + 1] - 1
            ):
                return BY_PIECES
        return BY_FOUND

    def is_first_of(self, unit, code):
        """Return whether no literal of this unit on the same attribute was keyed by its values before.

        So at most one list of an attribute's values can have a unit because of one literal, and several elements of a
        list that lead to a unit are known to do it for the same literal.
        """
        attribute: cython.int = self.graph.predicate_attribute[code >> 2]
        if attribute >= self.seen_by.shape[0]:
            self.seen_by = grown(self.seen_by, attribute + 1, -1)
        if self.seen_by[attribute] == unit:
            return False
        self.seen_by[attribute] = unit
        return True

    def literal_key(self, number):
        """Return the key of a literal."""
        key: cython.int
        if number >= self.key_of_literal.shape[0]:
            self.key_of_literal = grown(self.key_of_literal, number + 1, -1)
        key = self.key_of_literal[number]
        if key == _NONE:
            key = self.keys.number(0, _LITERAL_KEY, number)
            self.key_of_literal[number] = key
        return key

    def value_key(self, code, position):
        """Return the key of the value at a position."""
        return self.keys.number(
            self.graph.predicate_attribute[code >> 2],
            self.table.listed_kind[position],
            self.table.listed_payload[position],
        )

    def raise_bound(self, key, position):
        """Let the bound of a key be at least the weight of the value at a position."""
        if self.table.listed_weight.shape[0] == 0 or self.table.listed_weight[position] <= 0.0:
            return 0
        if key >= self.bound_of_key.shape[0]:
            self.bound_of_key = grown(self.bound_of_key, max(key + 1, self.keys.count), 0.0)
        if self.bound_of_key[key] < self.table.listed_weight[position]:
            self.bound_of_key[key] = self.table.listed_weight[position]
        return 0

    # Pieces of ranges: a piece of level n has all ordered keys that are alike but for their last n bits.

    def is_exact(self, position):
        """Return whether an operand can be told from all other values by its ordered key."""
        kind: cython.int = self.table.listed_kind[position]
        payload: cython.longlong = self.table.listed_payload[position]
        number: cython.double
        if kind == _TIMESTAMP:
            return True
        if kind == _INT:
            return -_EXACT < payload < _EXACT
        if kind != _FLOAT:
            return False
        memcpy(cython.address(number), cython.address(payload), 8)
        return -_EXACT < number < _EXACT

    def range_key(self, position):
        """Return the ordered key of an operand, as the finder has it for an event's values."""
        kind: cython.int = self.table.listed_kind[position]
        payload: cython.longlong = self.table.listed_payload[position]
        number: cython.double
        if kind == _TIMESTAMP:
            return payload
        if kind == _INT:
            return number_key(cython.cast(cython.double, payload))
        memcpy(cython.address(number), cython.address(payload), 8)
        return number_key(number)

    def pieces_of(self, code, pieces):
        """Cut the values that satisfy a base test into disjoint pieces; return how many there are."""
        operator: cython.int = self.graph.predicate_operator[code >> 2]
        position: cython.longlong = self.graph.predicate_start[code >> 2]
        key: cython.longlong = self.range_key(position)
        low: cython.longlong = _LOWEST
        high: cython.longlong = _HIGHEST
        if operator == _LT:
            if key == _LOWEST:
                return 0
            high = key - 1
        elif operator == _LE:
            high = key
        elif operator == _GT:
            if key == _HIGHEST:
                return 0
            low = key + 1
        elif operator == _GE:
            low = key
        else:
            low = key
            high = self.range_key(position + 1)
        if low > high:
            return 0
        return _cut(cython.cast(cython.ulonglong, low) ^ _SIGN, cython.cast(cython.ulonglong, high) ^ _SIGN, pieces)

    def piece_key(self, code, piece):
        """Return the key of a piece; the search must know that there are pieces of its level."""
        attribute: cython.int = self.graph.predicate_attribute[code >> 2]
        is_time: cython.bint = self.table.listed_kind[self.graph.predicate_start[code >> 2]] == _TIMESTAMP
        place: cython.int = 2 * attribute + is_time
        if place >= self.levels.shape[0]:
            self.levels = grown(self.levels, max(place + 1, 2 * self.graph.names.count), 0)
        self.levels[place] |= _ONE << piece.level
        return self.keys.number(attribute, (_TIME_PIECE if is_time else _NUMBER_PIECE) + piece.level, piece.prefix)

    # What can be seen

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the lists, where ``ids`` has the ids of slots; LimitError for more than ``most``."""
        if self.postings.list_count > most:
            raise LimitError(f"a picture of {self.postings.list_count:,} lists would have more than {most:,}")
        lists = [
            PostingList(rank >> 1, self.key_text(key), self.bound_at(key), tuple(self.told_entries(values)))
            for key, rank, _turn, values in self.postings.lists()
        ]
        name = "conjunctions" if self.clauses.dnf else "CNFs"
        return drawing(name, lists, {unit: self.units.owners(unit) for unit in range(self.units.count)}, ids, most)

    def told_entries(self, values):
        """Yield the unit of each entry, and what it does."""
        position: cython.Py_ssize_t
        if self.postings.width == 1:
            for entry in values:
                yield entry >> 1, "-+"[entry & 1]
            return
        for position in range(0, len(values), 2):
            place = values[position + 1]
            yield values[position] >> 2, "-?+"[values[position] & 3] + (str(place) if place >= 0 else "")

    def bound_at(self, key: cython.int):
        """Return the greatest weight of a key."""
        return self.bound_of_key[key] if key < self.bound_of_key.shape[0] else 0.0

    def key_text(self, key: cython.int):
        """Return what leads to a key, as people write it where they can."""
        attribute, kind, payload = self.keys.told(key)
        if kind == _Z:
            return "Z"
        if kind == _LITERAL_KEY:
            return self.literals.text(payload)
        name = self.graph.names[attribute]
        if kind >= _NUMBER_PIECE:
            level = kind - (_TIME_PIECE if kind >= _TIME_PIECE else _NUMBER_PIECE)
            return f"{name}: piece {payload:#x} of level {level}"
        return str(Predicate(name, Operator.EQ, (self.told_value(kind, payload),)))

    def told_value(self, kind: cython.int, payload: cython.longlong):
        number: cython.double
        if kind == _STRING:
            return self.graph.strings[payload]
        if kind == _FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            return number
        if kind == _TIMESTAMP:
            return timestamp(payload)
        return payload if kind == _INT else payload != 0

    def check(self):
        """Raise AssertionError unless the invariants hold: for tests, after each step.

        Lists ascend by unit, each unit once; the tail comes after the main part; what a key leads to are its lists.
        """
        shift, width, total = 1 if self.postings.width == 1 else 2, self.postings.width, 0
        for number, (key, _rank, _turn, values) in enumerate(self.postings.lists()):
            units = [entry >> shift for entry in values[::width]]
            _must(units == sorted(units), f"list {number} ascends: {units}")
            _must(width == 1 or len(units) == len(set(units)), f"list {number} has each unit once: {units}")
            _must(all(0 <= unit < self.units.count for unit in units), f"list {number} has units: {units}")
            _must(number in self.postings.chain(key), f"its key leads to list {number}")
            total += len(units)
        _must(total == self.postings.entry_count, f"there are {total} entries")

    def figures(self):
        """Return sizes, lists and their lengths, and the share of units that are held once for several expressions."""
        by_size: dict = {}
        for _key, rank, _turn, values in self.postings.lists():
            lists, entries, longest = by_size.get(rank >> 1, (0, 0, 0))
            length = len(values) // self.postings.width
            by_size[rank >> 1] = lists + 1, entries + length, max(longest, length)
        owners = self.units.count + self.units.entry_count
        return {
            "units": self.units.count,
            "held once for several": f"{self.units.entry_count / owners if owners else 0.0:.1%}",
            "keys": self.keys.count,
            "entries": self.postings.entry_count,
            "entries in the tail": self.postings.tail_count,
        } | {
            f"size {size}": f"{lists:,} lists, {entries:,} entries, {entries / lists:,.1f} a list, {longest:,} at most"
            for size, (lists, entries, longest) in sorted(by_size.items())
        }


def _must(holds, claim):
    if not holds:
        raise AssertionError(claim)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _cut(low: cython.ulonglong, high: cython.ulonglong, pieces: cython.pointer(Piece)) -> cython.int:
    """Cut a closed interval into the largest pieces that begin at multiples of their size; 128 at most."""
    count: cython.int = 0
    level: cython.int
    last: cython.ulonglong
    while True:
        level = min(lowest_bit(low), 63) if low else 63
        while (low | ((_ONE << level) - 1)) > high:
            level -= 1
        last = low | ((_ONE << level) - 1)
        pieces[count].level = level
        pieces[count].prefix = cython.cast(cython.longlong, low >> level)
        count += 1
        if last == high:
            return count
        low = last + 1


@cython.cclass
class KeyedSearcher(UnitSearcher):
    """The base of searches of both forms. What is written by a row is cleaned by its own lists at the next one."""

    def __init__(self, engine: KeyedEngine, outcomes: Outcomes, shift: cython.int):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        postings: Postings = engine.postings
        self.shift = shift
        self.width = postings.width
        self.holding = Holding(engine.literals, outcomes)
        self.keys = engine.keys.view()
        self.postings = postings
        self.tail = ListsView()
        self.tail.begin(postings.tail)
        self.list_limit, self.main_lists = postings.list_count, postings.main_lists
        self.first_list, self.next_list, self.list_size = postings.first_list, postings.next_list, postings.list_size
        self.begin, self.entries, self.tail_of = postings.begin, postings.entries, postings.tail_of
        self.key_of_literal, self.levels = engine.key_of_literal, engine.levels
        self.bound_of_key = engine.bound_of_key
        self.sweeps, self.prunes = engine.options.sweep, engine.options.prune
        self.greatest_weight = engine.slots.greatest
        self.scored, self.weight = engine.slots.scored, engine.slots.weight
        self.scale = 1.0
        self.by_size = True  # whether a unit has as many literals that score as its size says
        self._make_room(engine.greatest_size)

    def _make_room(self, greatest_size: cython.int):
        count: cython.Py_ssize_t = self.list_limit
        self.taken = filled(self.keys.count, 0, np.uint8)
        self.keys_taken = roomy(self.keys.count, np.int32)
        self.cursor_list, self.cursor_group = roomy(count, np.int32), roomy(count, np.int32)
        self.cursor_bound = roomy(count, np.float64)
        self.cursor_next, self.cursor = roomy(count, np.int32), roomy(count, np.int32)
        self.at, self.stop = roomy(count, np.intp), roomy(count, np.intp)
        self.front, self.heap = roomy(count + 1, np.int64), roomy(count + 1, np.int64)
        self.bucket = filled(2 * greatest_size + 2, -1, np.int32)
        self.sizes = roomy(2 * greatest_size + 2, np.int32)
        self.bounds = np.empty(greatest_size + 1, np.float64)

    def run(self, row):
        """Walk over the lists that a row leads to, those of the greatest size first."""
        position: cython.int
        self.collect(row)
        self.sort_sizes()
        for position in range(self.size_count):
            self.walk_size(self.sizes[position])
        return self.forget_row()

    # Which lists

    def collect(self, row):
        """Put the lists that a row leads to into buckets by their size."""
        position: cython.int
        number: cython.int
        attribute: cython.int
        entry: cython.longlong
        self.doubtful = False
        self.holding.find(row)
        if self.keys.count:
            self.take_key(_Z_KEY, _NONE, 0.0)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.key_of_literal.shape[0] and 0 <= self.key_of_literal[number] < self.keys.count:
                self.take_key(self.key_of_literal[number], _NONE, self.scale)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if attribute >= 0:
                self.take_entry(attribute, entry)
        return 0

    def take_entry(self, attribute, entry):
        """Take the lists of an attribute's value, or of each of its values."""
        kind: cython.int = self.outcomes.entry_kind[entry]
        payload: cython.longlong = self.outcomes.entry_payload[entry]
        first: cython.longlong
        last: cython.longlong
        if kind != _LIST:
            return self.take_value(
                attribute, kind, payload, self.outcomes.entry_weight[entry] if self.outcomes.weighted else 1.0
            )
        first = self.outcomes.list_start[payload]
        last = self.outcomes.list_start[payload + 1]
        self.outcomes.spend(last - first)
        if last - first > 1:
            self.doubtful = True
        while first < last:
            kind = self.outcomes.element_kind[first]
            self.take_value(attribute, kind, self.outcomes.element_payload[first], self.scale)
            first += 1
        return 0

    def take_value(self, attribute, kind, payload, weight):
        """Take the lists of a value, and of the pieces that it lies in."""
        key: cython.int
        place: cython.int
        levels: cython.ulonglong
        ordered: cython.ulonglong
        if not family_bit(kind):
            return 0
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
            return 0 if payload < 0 else self.take_key(self.keys.find(attribute, kind, payload), attribute, weight)
        self.take_key(self.keys.find(attribute, kind, payload), attribute, weight)
        place = 2 * attribute + (kind == _TIMESTAMP)
        if place >= self.levels.shape[0] or not (kind == _INT or kind == _FLOAT or kind == _TIMESTAMP):
            return 0
        levels = self.levels[place]
        ordered = cython.cast(cython.ulonglong, value_key(self.outcomes, kind, payload)) ^ _SIGN
        while levels:
            key = lowest_bit(levels)
            levels = without_lowest_bit(levels)
            self.take_key(
                self.keys.find(
                    attribute,
                    (_TIME_PIECE if kind == _TIMESTAMP else _NUMBER_PIECE) + key,
                    cython.cast(cython.longlong, ordered >> key),
                ),
                attribute,
                weight,
            )
        return 0

    def take_key(self, key, group, weight):
        """Put the lists of a key into their buckets, once a row."""
        number: cython.int
        rank: cython.int
        bound: cython.double = 0.0
        if key < 0 or self.taken[key] or key >= self.first_list.shape[0]:
            return 0
        self.taken[key] = True
        self.keys_taken[self.key_count] = key
        self.key_count = self.key_count + 1
        if self.ranking and weight > 0.0 and key < self.bound_of_key.shape[0]:
            bound = weight * self.bound_of_key[key]
        number = self.first_list[key]
        while number >= 0:
            if number >= self.next_list.shape[0]:
                with cython.gil:
                    self.refresh_lists()
            if number < self.list_limit:
                rank = self.list_size[number]
                if self.bucket[rank] < 0:
                    self.sizes[self.size_count] = rank
                    self.size_count = self.size_count + 1
                self.cursor_list[self.cursor_count] = number
                self.cursor_group[self.cursor_count] = group
                self.cursor_bound[self.cursor_count] = bound
                self.cursor_next[self.cursor_count] = self.bucket[rank]
                self.bucket[rank] = self.cursor_count
                self.cursor_count = self.cursor_count + 1
            number = self.next_list[number]
        return 0

    def refresh_lists(self):
        """Take the chains of lists as they are now: a new list may be in front of those that this search must see."""
        self.next_list = self.postings.next_list
        return 0

    def forget_row(self):
        position: cython.int
        for position in range(self.size_count):
            self.bucket[self.sizes[position]] = _NONE
        for position in range(self.key_count):
            self.taken[self.keys_taken[position]] = False
        self.size_count = 0
        self.key_count = 0
        self.cursor_count = 0
        return 0

    def sort_sizes(self):
        """Sort the sizes, the greatest first; there are few."""
        position: cython.int
        hole: cython.int
        rank: cython.int
        for position in range(1, self.size_count):
            rank = self.sizes[position]
            hole = position
            while hole > 0 and self.sizes[hole - 1] < rank:
                self.sizes[hole] = self.sizes[hole - 1]
                hole -= 1
            self.sizes[hole] = rank
            self.outcomes.spend((position - hole) >> 3)
        return 0

    # The walk

    def walk_size(self, rank):
        """Walk over the lists of a size: their main parts, then their tails."""
        wanted: cython.int = max(rank >> 1, 1)
        count: cython.int
        if self.ranking and self.by_size and not rank & 1 and self.is_too_low(rank):
            return 0
        count = self.open_main(rank)
        if count >= wanted:
            self.walk(cython.address(self.entries[0]), count, wanted, rank & 1)
        count = self.open_tail(rank)
        if count >= wanted:
            self.walk(cython.address(self.tail.arena[0]), count, wanted, rank & 1)
        return 0

    def open_main(self, rank):
        """Let each list of a size stand at the first entry of its main part; return how many have one."""
        number: cython.int
        count: cython.int = 0
        position: cython.int = self.bucket[rank]
        while position >= 0:
            number = self.cursor_list[position]
            if number < self.main_lists and self.begin[number] < self.begin[number + 1]:
                self.at[count] = self.begin[number]
                self.stop[count] = self.begin[number + 1]
                self.cursor[count] = position
                count += 1
            position = self.cursor_next[position]
        return count

    def open_tail(self, rank):
        """Let each list of a size stand at the first entry of its tail; return how many have one."""
        place: cython.longlong
        number: cython.int
        count: cython.int = 0
        position: cython.int = self.bucket[rank]
        while position >= 0:
            number = self.cursor_list[position]
            if number < self.tail_of.shape[0] and self.tail_of[number] >= 0:
                place = self.tail.locate(self.tail_of[number])
                self.at[count] = list_start(place)
                self.stop[count] = list_start(place) + list_length(place) // self.width * self.width
                # What came since the arena was taken may be in a longer one only, and -1 here: see ``ListsView``.
                while self.at[count] < self.stop[count] and self.tail.arena[self.stop[count] - self.width] < 0:
                    self.stop[count] -= self.width
                self.cursor[count] = position
                count += self.at[count] < self.stop[count]
            position = self.cursor_next[position]
        return count

    def judge(self, base, count, wanted, unit):  # noqa: ARG002 - a form wants it
        """Hit a unit at which the first ``count`` lists stand, ``wanted`` of them at least, if that makes it match."""
        return 0

    def sweep(self, base, count, wanted, loose):  # noqa: ARG002 - a form wants it
        """Find the units of some lists in another way than by the walk, where that is worth it; say whether it was."""
        return False

    def walk(self, base, count, wanted, loose):
        """Judge each unit at which enough lists stand together."""
        ident: cython.longlong
        lists: cython.int
        if self.sweeps and not self.doubtful and self.sweep(base, count, wanted, loose):
            return 0
        if self.ranking and count <= _MOST_SORTED:
            return self.walk_best(base, count, wanted, loose)
        self.visits = self.visits + count
        self.fill(base, count, wanted)
        while self.front[wanted - 1] != _END:
            ident = self.front[wanted - 1] >> (32 + self.shift)
            if self.front[0] >> (32 + self.shift) == ident:
                lists = self.gather(wanted, ident)
                self.judge(base, lists, wanted, cython.cast(cython.int, ident))
                self.advance(base, lists, wanted, ident + 1)
                continue
            lists = wanted - 1
            while self.front[lists - 1] >> (32 + self.shift) == ident:
                lists -= 1
            self.advance(base, lists, wanted, ident)
        return 0

    def walk_best(self, base, count, wanted, loose):
        """Judge each unit at which enough lists stand whose bounds together reach the threshold.

        All lists are sorted here, so there may not be too many. Nothing before the list at which both are so can be
        among the best: that is the paper's first pruning, but for skipping to that list at once.
        """
        ident: cython.longlong
        lists: cython.int
        pivot: cython.int
        self.visits = self.visits + count
        self.fill(base, count, count)
        while True:
            pivot = self.pivot_of(count, wanted, loose)
            if pivot < 0:
                return 0
            ident = self.front[pivot] >> (32 + self.shift)
            lists = 0
            if self.front[0] >> (32 + self.shift) == ident:
                while lists < count and self.front[lists] >> (32 + self.shift) == ident:
                    lists += 1
                self.judge(base, lists, wanted, cython.cast(cython.int, ident))
                self.advance(base, lists, count, ident + 1)
                continue
            while self.front[lists] >> (32 + self.shift) != ident:
                lists += 1
            self.advance(base, lists, count, ident)

    def pivot_of(self, count, wanted, loose):
        """Return the first list that is not before enough others with high enough bounds; -1 if there is none."""
        position: cython.int
        total: cython.double = 0.0
        for position in range(count):
            if self.front[position] == _END:
                return -1
            total += self.cursor_bound[self.cursor[self.front[position] & _LOW]]
            if position >= wanted - 1:
                if loose or total * _GREATER + self.greatest_weight >= self.threshold:
                    return position
                self.skipped = self.skipped + 1
        return -1

    # Ranking

    def best_of(self, row, n):
        """Return the best slots of one event, and their scores, by bounds."""
        position: cython.int
        if not self.prunes or n == 0 or self.slot_limit == 0:
            return UnitSearcher.best_of(self, row, n)
        self.best_score = np.empty(min(n, self.slot_limit), np.float64)
        self.best_slot = np.empty(min(n, self.slot_limit), np.int32)
        self.best_count = 0
        self.threshold = -np.inf
        if self.scorer is not None:
            self.scorer.begin()
        self.ranking = True
        self.hit_count = 0
        with cython.nogil:
            self.scale = self.greatest_of(row)
            self.run(row)
            for position in range(self.hit_count):  # of slots, here
                self.bits[self.matched[position] >> 6] = 0
        self.ranking = False
        self.scale = 1.0
        scores, slots = np.asarray(self.best_score)[: self.best_count], np.asarray(self.best_slot)[: self.best_count]
        order = np.lexsort((slots, -scores))
        return slots[order], scores[order]

    def greatest_of(self, row):
        """Return the greatest weight that the event gives to a value, 1 where it gives none."""
        entry: cython.longlong
        element: cython.longlong
        payload: cython.longlong
        greatest: cython.double = 0.0
        if not self.outcomes.weighted:
            return 1.0
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            if self.outcomes.entry_weight[entry] > greatest:
                greatest = self.outcomes.entry_weight[entry]
            if self.outcomes.entry_kind[entry] == _LIST:
                payload = self.outcomes.entry_payload[entry]
                for element in range(self.outcomes.list_start[payload], self.outcomes.list_start[payload + 1]):
                    if self.outcomes.element_weight[element] > greatest:
                        greatest = self.outcomes.element_weight[element]
        return greatest

    def is_too_low(self, rank):
        """Return whether no unit of a size can be among the best: its greatest bounds tell (the second pruning)."""
        position: cython.int = self.bucket[rank]
        place: cython.int
        kept: cython.int = 0
        bound: cython.double
        total: cython.double = 0.0
        while position >= 0:
            bound = self.cursor_bound[position]
            position = self.cursor_next[position]
            if rank >> 1 > _FEW:  # to find the greatest of so many would take longer than it saves
                total += bound
                continue
            # As many of the greatest as a unit of this size has, in descending order.
            if kept < rank >> 1:
                kept += 1
            elif kept == 0 or self.bounds[kept - 1] >= bound:
                continue
            place = kept - 1
            while place > 0 and self.bounds[place - 1] < bound:
                self.bounds[place] = self.bounds[place - 1]
                place -= 1
            self.bounds[place] = bound
        for place in range(kept):
            total += self.bounds[place]
        return total * _GREATER + self.greatest_weight < self.threshold

    def found_unit(self, unit):
        """Hit a unit; where the best are wanted, rank the slots that own it."""
        entry: cython.int
        if not self.ranking:
            hit(self, unit)
            return 0
        self.rank_slot(self.owner[unit])
        entry = self.more[unit]
        while 0 <= entry < self.entry_limit:
            self.rank_slot(self.entry_slot[entry])
            entry = self.entry_next[entry]
        return 0

    def rank_slot(self, slot):
        """Keep a slot that this search sees if it is among the best so far; each is looked at once a row."""
        score: cython.double = 0.0
        place: cython.int
        if slot < 0 or slot >= self.slot_limit or (self.any_died and self.died[slot] <= self.version):
            return 0
        if self.bits[slot >> 6] >> (slot & 63) & 1:
            return 0
        self.bits[slot >> 6] |= _ONE << (slot & 63)
        self.matched[self.hit_count] = slot
        self.hit_count = self.hit_count + 1
        if self.weight.shape[0]:
            score = self.weight[slot]
        if self.scored.shape[0] and self.scored[slot] >= 0:
            score += self.scorer.score_of(self.scored[slot])
        if self.best_count < self.best_slot.shape[0]:
            place = self.best_count
            self.best_count = place + 1
            self.best_score[place], self.best_slot[place] = score, slot
            while place > 0 and self.is_worse(place, (place - 1) >> 1):
                self.swap_best(place, (place - 1) >> 1)
                place = (place - 1) >> 1
        elif score > self.best_score[0] or (score == self.best_score[0] and slot < self.best_slot[0]):
            self.best_score[0], self.best_slot[0] = score, slot
            self.sift_best()
        if self.best_count == self.best_slot.shape[0]:
            self.threshold = self.best_score[0]
        return 0

    def is_worse(self, one, two):
        """Return whether of two slots that are kept the first one would have to go before the other."""
        if self.best_score[one] != self.best_score[two]:
            return self.best_score[one] < self.best_score[two]
        return self.best_slot[one] > self.best_slot[two]

    def swap_best(self, one, two):
        score: cython.double = self.best_score[one]
        slot: cython.int = self.best_slot[one]
        self.best_score[one], self.best_slot[one] = self.best_score[two], self.best_slot[two]
        self.best_score[two], self.best_slot[two] = score, slot
        return 0

    def sift_best(self):
        """Let the first of those that are kept sink to where it belongs: the worst of them is always the first."""
        place: cython.int = 0
        child: cython.int = 1
        while child < self.best_count:
            if child + 1 < self.best_count and self.is_worse(child + 1, child):
                child += 1
            if not self.is_worse(child, place):
                break
            self.swap_best(place, child)
            place = child
            child = 2 * place + 1
        return 0

    def fill(self, base, count, wanted):
        """Sort the lists by where they stand: the first ``wanted`` into the front, the others into the heap."""
        position: cython.int
        self.heap_count = 0
        for position in range(count):
            self.heap[position] = (cython.cast(cython.longlong, base[self.at[position]]) << 32) | position
        sort_values(cython.address(self.heap[0]), count)
        for position in range(wanted):
            self.front[position] = self.heap[position]
        for position in range(wanted, count):  # what is sorted is a heap
            self.heap[position - wanted] = self.heap[position]
        self.heap_count = count - wanted
        return 0

    def gather(self, wanted, ident):
        """Bring the further lists that stand at a unit behind the front; return how many stand there."""
        count: cython.int = wanted
        while self.heap_count and self.heap[0] >> (32 + self.shift) == ident:
            self.front[count] = self.pop()
            count += 1
        return count

    def advance(self, base, count, wanted, target):
        """Skip the first ``count`` lists to the first entry of a unit not before ``target``, and sort the front."""
        position: cython.int
        number: cython.int
        value: cython.longlong
        self.visits = self.visits + count
        self.outcomes.spend(count)
        # From the last one on: what goes into the heap must be there before the front takes the least of it.
        position = count - 1
        while position >= 0:
            number = cython.cast(cython.int, self.front[position] & _LOW)
            self.at[number] = _skipped(base, self.at[number], self.stop[number], target << self.shift, self.width)
            value = _END
            if self.at[number] < self.stop[number]:
                value = (cython.cast(cython.longlong, base[self.at[number]]) << 32) | number
            if position >= wanted:
                self.push(value)
            elif self.heap_count and self.heap[0] < value:
                self.front[position] = self.heap[0]
                self.heap[0] = value
                self.sift(0)
            else:
                self.front[position] = value
            position -= 1
        return self.settle_front(count if count < wanted else wanted, wanted)

    def settle_front(self, moved, wanted):
        """Sort the front, of which all but the first ``moved`` are in order; none in the heap is before it."""
        position: cython.int
        place: cython.int
        value: cython.longlong
        if moved > _FEW:
            sort_values(cython.address(self.front[0]), wanted)
            return 0
        position = moved - 1
        while position >= 0:
            value = self.front[position]
            place = position
            while place + 1 < wanted and self.front[place + 1] < value:
                self.front[place] = self.front[place + 1]
                place += 1
            self.front[place] = value
            position -= 1
        return 0

    def push(self, value):
        """Put a value into the heap."""
        place: cython.int = self.heap_count
        self.heap_count = place + 1
        while place > 0 and value < self.heap[(place - 1) >> 1]:
            self.heap[place] = self.heap[(place - 1) >> 1]
            place = (place - 1) >> 1
        self.heap[place] = value
        return 0

    def pop(self):
        """Take the least value out of the heap."""
        least: cython.longlong = self.heap[0]
        self.heap_count = self.heap_count - 1
        self.heap[0] = self.heap[self.heap_count]
        self.sift(0)
        return least

    def sift(self, place):
        """Let the value at a place sink to where it belongs."""
        child: cython.int = 2 * place + 1
        value: cython.longlong
        if self.heap_count == 0:
            return 0
        value = self.heap[place]
        while child < self.heap_count:
            if child + 1 < self.heap_count and self.heap[child + 1] < self.heap[child]:
                child += 1
            if value <= self.heap[child]:
                break
            self.heap[place] = self.heap[child]
            place = child
            child = 2 * place + 1
        self.heap[place] = value
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_values(values: cython.pointer(cython.longlong), count: cython.int) -> cython.int:
    """Sort numbers; mostly they are few."""
    position: cython.int
    hole: cython.int
    value: cython.longlong
    if count > _FEW:
        qsort(values, count, cython.sizeof(cython.longlong), _order)
        return 0
    for position in range(1, count):
        value = values[position]
        hole = position
        while hole > 0 and values[hole - 1] > value:
            values[hole] = values[hole - 1]
            hole -= 1
        values[hole] = value
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _skipped(
    base: cython.pointer(cython.const[cython.int]),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    least: cython.longlong,
    width: cython.int,
) -> cython.Py_ssize_t:
    """Return where the first entry not below ``least`` stands: by steps that double, then by halves."""
    step: cython.Py_ssize_t = width
    low: cython.Py_ssize_t = at
    middle: cython.Py_ssize_t
    if at >= stop or base[at] >= least:
        return at
    while low + step < stop and base[low + step] < least:
        low += step
        step *= 2
    at = min(low + step, stop)  # not below, or the end; what stands at low is below
    while at - low > width:
        middle = low + (at - low) // (2 * width) * width
        if base[middle] < least:
            low = middle
        else:
            at = middle
    return at
