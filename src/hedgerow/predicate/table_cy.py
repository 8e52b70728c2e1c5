"""The predicates of a graph, made ready for testing.

Beside the graph's own arrays it keeps, for each predicate, the families of kinds that it can be tested against, and its
operands in the form that a test wants::

    IN (3, 1, 'x', 3)   listed: 1 3 'x'        sorted by kind and payload, without duplicates: a binary search decides
    ILIKE 'Ab%'         listed: 'ab%'          case-folded once, in a symbol table of its own
    MATCHES '^a+$'      regexes[regex[p]]      compiled once; in a restored table not before it is needed

Most predicates are tested as they are: until the first one comes whose operands are others than the graph's, the
``listed`` arrays are the graph's own, and there are no counts. ``extend`` prepares what the graph has gained. Like the
graph, the table only grows, and replaces what it outgrows.
"""

import unicodedata

import cython
import numpy as np
import re2
from cython.cimports.hedgerow.language.graph_cy import Graph, weight_at
from cython.cimports.hedgerow.symbols_cy import SymbolTable

from hedgerow.arrays_cy import copied, filled, grown, roomy
from hedgerow.errors import CorruptFile
from hedgerow.language.fold import folded
from hedgerow.language.operators import Operator
from hedgerow.language.pattern import regex_options
from hedgerow.predicate.patterns_cy import Patterns
from hedgerow.sections import nested, numbers, optional_section, part, scalars, section

_ILIKE = cython.declare(cython.int, int(Operator.ILIKE))
_NOT_ILIKE = cython.declare(cython.int, int(Operator.NOT_ILIKE))
_MATCHES = cython.declare(cython.int, int(Operator.MATCHES))
_NOT_MATCHES = cython.declare(cython.int, int(Operator.NOT_MATCHES))
_IN = cython.declare(cython.int, int(Operator.IN))
_NONE_OF = cython.declare(cython.int, int(Operator.NONE_OF))


@cython.final
@cython.cclass
class PredicateTable:
    """The predicates of a graph with their operands ready for testing."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.count = 0
        self.family = np.empty(16, np.uint8)
        self.regex = np.empty(0, np.int32)  # until the first regular expression comes
        self.listed_count = np.empty(0, np.int32)
        self.share()
        self.folded = SymbolTable()
        self.regexes = []
        self.together = {}

    def saved(self):
        """Return the arrays that ``restored`` makes this table of, as ``hedgerow.sections`` has it; not the graph's."""
        predicates: cython.int = self.count
        values: cython.longlong = self.graph.predicate_start[predicates] if predicates and self.apart else 0
        return (
            nested(folded=self.folded.saved())
            | {
                "family": np.asarray(self.family)[:predicates],
                "listed_count": np.asarray(self.listed_count)[:predicates],  # none of it, nor of what is listed,
                "regex": np.asarray(self.regex)[:predicates],  # where the graph has it
                "listed_kind": np.asarray(self.listed_kind)[:values],
                "listed_payload": np.asarray(self.listed_payload)[:values],
                "listed_weight": np.asarray(self.listed_weight)[:values],
                "numbers": numbers(len(self.regexes), *_unicode_version()),
            }
        )

    @staticmethod
    def restored(graph: Graph, arrays):
        """Return the table that was saved as these arrays, in these arrays, over its graph, which is restored already.

        Regular expressions are compiled when they are first needed. Where this Python has another version of Unicode
        than the one that saved, patterns may fold otherwise, and the table is made anew.
        """
        table: PredicateTable = PredicateTable(graph)
        regexes, *version = scalars(arrays, "numbers", 4)
        if tuple(version) != _unicode_version():
            table.extend()
            table.remade = True
            return table
        table.family = section(arrays, "family", np.uint8)
        table.count = table.family.shape[0]
        if table.count > graph.predicate_count:
            raise CorruptFile(f"the section 'family' has {table.count} elements for {graph.predicate_count} predicates")
        values: cython.longlong = graph.predicate_start[table.count]
        table.regex = optional_section(arrays, "regex", np.int32, table.count)
        table.listed_count = optional_section(arrays, "listed_count", np.int32, table.count)
        table.apart = table.listed_count.shape[0] > 0
        if table.apart:
            table.listed_kind = section(arrays, "listed_kind", np.uint8, values)
            table.listed_payload = section(arrays, "listed_payload", np.int64, values)
            table.listed_weight = optional_section(arrays, "listed_weight", np.float64, values)
        table.folded = SymbolTable.restored(part(arrays, "folded"))
        table.regexes = [None] * regexes
        return table

    @property
    def nbytes(self):
        """Bytes held beside the graph's, but not the ends of arrays that nothing was written to yet.

        Compiled regular expressions are not counted.
        """
        predicate: cython.longlong = 1 + (4 if self.regex.shape[0] else 0) + (4 if self.apart else 0)
        value: cython.longlong = 9 + (8 if self.listed_weight.shape[0] else 0)
        values: cython.longlong = self.graph.predicate_start[self.count] if self.count and self.apart else 0
        return predicate * self.count + value * values + self.folded.nbytes

    def extend(self):
        """Prepare the predicates that the graph has gained since the last time."""
        self.prepare_new()

    def prepare_new(self):
        self.grow()
        while self.count < self.graph.predicate_count:
            self.prepare(self.count)
            self.count += 1
        return 0

    def grow(self):
        predicates: cython.int = self.graph.predicate_count
        values: cython.longlong = self.graph.value_count
        if predicates > self.family.shape[0]:
            families = grown(self.family, predicates)
            if self.regex.shape[0]:
                self.regex = grown(self.regex, predicates)
            if self.apart:
                self.listed_count = grown(self.listed_count, predicates)
            self.family = families
        if not self.apart:
            return self.share()
        if values > self.listed_kind.shape[0]:
            kinds, payloads = grown(self.listed_kind, values), grown(self.listed_payload, values)
            if self.listed_weight.shape[0]:
                self.listed_weight = grown(self.listed_weight, kinds.size)
            self.listed_kind, self.listed_payload = kinds, payloads
        if self.listed_weight.shape[0] == 0 and self.graph.value_weight.shape[0]:
            self.listed_weight = filled(self.listed_kind.shape[0], 0.0, np.float64)
        return 0

    def share(self):
        """Have the graph's arrays as one's own, as they are now."""
        self.listed_kind = self.graph.value_kind
        self.listed_payload = self.graph.value_payload
        self.listed_weight = self.graph.value_weight
        return 0

    def separate(self):
        """Have arrays of one's own from now on, since a predicate has come that is tested by other operands."""
        number: cython.int
        if self.apart:
            return 0
        values: cython.longlong = self.graph.value_count
        counts: cython.int[::1] = roomy(self.family.shape[0], np.int32)
        kinds = copied(np.asarray(self.listed_kind)[:values], 2 * values)
        payloads = copied(np.asarray(self.listed_payload)[:values], 2 * values)
        weights = np.asarray(self.listed_weight)
        if weights.size:
            weights = copied(weights[:values], 2 * values)
        for number in range(self.count + 1):
            counts[number] = self.graph.predicate_start[number + 1] - self.graph.predicate_start[number]
        self.listed_kind, self.listed_payload, self.listed_weight = kinds, payloads, weights
        self.listed_count = counts
        self.apart = True
        return 0

    def prepare(self, number):
        graph: Graph = self.graph
        operator: cython.int = graph.predicate_operator[number]
        first: cython.longlong = graph.predicate_start[number]
        last: cython.longlong = graph.predicate_start[number + 1]
        position: cython.longlong
        family: cython.int = 0
        for position in range(first, last):
            family |= family_bit(graph.value_kind[position])
        self.family[number] = family
        if self.regex.shape[0]:
            self.regex[number] = -1
        if self.apart:
            self.copy_operands(number, first, last)
        if _IN <= operator <= _NONE_OF and not self.is_sorted(first, last):
            self.separate()
            self.prepare_list(number, first, last)
        elif operator == _ILIKE or operator == _NOT_ILIKE:
            self.separate()
            pattern = folded(graph.strings[graph.value_payload[first]])
            self.listed_payload[first] = self.folded.intern_text(pattern)
        elif operator == _MATCHES or operator == _NOT_MATCHES:
            if self.regex.shape[0] == 0:
                self.regex = filled(self.family.shape[0], -1, np.int32)
            self.regex[number] = len(self.regexes)
            self.regexes.append(self._compile(number))
        return 0

    def copy_operands(self, number, first, last):
        position: cython.longlong
        for position in range(first, last):
            self.listed_kind[position] = self.graph.value_kind[position]
            self.listed_payload[position] = self.graph.value_payload[position]
            if self.listed_weight.shape[0]:
                self.listed_weight[position] = weight_at(self.graph, position)
        self.listed_count[number] = last - first
        return 0

    def is_sorted(self, first, last):
        """Return whether operands are sorted by kind and payload, each once, as the graph has them."""
        graph: Graph = self.graph
        position: cython.longlong
        for position in range(first + 1, last):
            if graph.value_kind[position - 1] > graph.value_kind[position] or (
                graph.value_kind[position - 1] == graph.value_kind[position]
                and graph.value_payload[position - 1] >= graph.value_payload[position]
            ):
                return False
        return True

    def _compile(self, number: cython.int):
        graph: Graph = self.graph
        pattern = graph.strings[graph.value_payload[graph.predicate_start[number]]]
        # As bytes: the events' strings are UTF-8 already, and need no detour through Python strings.
        return re2.compile(pattern.encode(), regex_options())

    def compiled(self, number):
        """Return the regular expression of a MATCHES; two threads may compile it at once, and either result will do."""
        regex = self.regexes[self.regex[number]]
        if regex is None:
            regex = self._compile(number)
            self.regexes[self.regex[number]] = regex
        return regex

    def regexes_of(self, attribute):
        """Return the regular expressions of all MATCHES on an attribute, to be looked for together."""
        count: cython.int = self.count  # a writer may add some meanwhile
        known, patterns = self.together.get(attribute, (-1, None))
        if known != count:
            operator = np.asarray(self.graph.predicate_operator)[:count]
            own = np.asarray(self.graph.predicate_attribute)[:count] == attribute
            keys = np.flatnonzero(own & ((operator == _MATCHES) | (operator == _NOT_MATCHES)))
            operand = np.asarray(self.graph.predicate_start)[keys]
            patterns = Patterns(self.graph.strings, regular=True)
            patterns.absorb_all(keys.tolist(), np.asarray(self.graph.value_payload)[operand].tolist())
            self.together[attribute] = (count, patterns)
        return patterns

    def prepare_list(self, number, first, last):
        """Sort a list by kind and payload; of equal values the one with the largest weight stays."""
        kinds = np.asarray(self.listed_kind)[first:last]
        payloads = np.asarray(self.listed_payload)[first:last]
        weighted = self.listed_weight.shape[0] > 0
        weights = np.asarray(self.listed_weight)[first:last] if weighted else np.zeros(last - first)
        order = np.lexsort((-weights, payloads, kinds))
        kinds[:], payloads[:], weights[:] = kinds[order], payloads[order], weights[order]
        distinct = np.ones(last - first, bool)
        distinct[1:] = (np.diff(kinds) != 0) | (np.diff(payloads) != 0)
        count = int(distinct.sum())
        kinds[:count], payloads[:count], weights[:count] = kinds[distinct], payloads[distinct], weights[distinct]
        self.listed_count[number] = count
        return 0


def _unicode_version():
    """Return the numbers of the Unicode version that this Python folds by."""
    return tuple([int(number) for number in unicodedata.unidata_version.split(".")])
