"""Many texts looked for in one value at once: fragments by an automaton, regular expressions by sets of them.

The texts of one attribute are numbers of a symbol table, each with a *key*: what is handed out when it is found. They
come in handfuls, and are kept in groups that never change::

    groups   ( [ 256 texts ] [ 64 ] [ 16 ] )    a new group takes those with it that are not larger than itself

so that a text is moved O(log n) times. A group is made ready when a value is first looked up in it, not when it is
made: loading a million patterns builds one large automaton, not all that it grows through. A reader may do it: what it
makes is complete before it is put in its place, so at worst two readers do it twice.

Compiled so that taking texts runs no Python code, and comes wholly before or after what another thread does.
"""

from array import array

import ahocorasick
import re2

from hedgerow.language.operators import Operator
from hedgerow.language.pattern import longest_literal, regex_options

_LIKES = (int(Operator.LIKE), int(Operator.ILIKE))
_MOST_REGEXES = 64
_SET_MEMORY = 16 << 20
_GIVE_UP = 16
_LONGEST = 64


def fragment_of(operator, operand):
    """Return a text that every value which satisfies a string test has in it, as long as is useful; it may be empty.

    >>> from hedgerow.language.operators import Operator
    >>> fragment_of(Operator.LIKE, "%.example.%"), fragment_of(Operator.CONTAINS, "x" * 100) == "x" * 64
    ('.example.', True)
    """
    text = longest_literal(operand) if operator in _LIKES else operand
    return text[max(len(text) - _LONGEST, 0) :]


class Patterns:
    """The texts that are looked for in the values of one attribute.

    >>> from hedgerow.symbols_cy import SymbolTable
    >>> texts = SymbolTable()
    >>> patterns = Patterns(texts, regular=False)
    >>> patterns.absorb([70, 80], [texts.intern("ab"), texts.intern("bc")])
    >>> patterns.found("xabcx")
    ([], [70, 80])

    The first list has the keys that are sure to belong to the value, the second those that a test must confirm.
    """

    def __init__(self, texts, *, regular):
        self.texts = texts
        self.regular = regular
        self.groups = ()

    def __len__(self):
        return sum(map(len, self.groups))

    def keys(self):
        """Return the keys of all texts.

        >>> patterns = Patterns([], regular=True)
        >>> patterns.absorb([5, 3], [0, 1])
        >>> patterns.keys()
        [5, 3]
        """
        return [key for group in self.groups for key in group.keys]

    def absorb_all(self, keys, symbols):
        """Take any number of texts, in groups that are as large as they may be."""
        size = _MOST_REGEXES if self.regular else max(len(keys), 1)
        for first in range(0, len(keys), size):
            self.absorb(keys[first : first + size], symbols[first : first + size])

    def absorb(self, keys, symbols):
        """Take further texts, given by their keys and their numbers in the symbol table."""
        keys, symbols = array("i", keys), array("i", symbols)
        groups = list(self.groups)
        while groups and len(groups[len(groups) - 1]) <= len(keys):
            if self.regular and len(groups[len(groups) - 1]) + len(keys) > _MOST_REGEXES:
                break
            last = groups.pop()
            keys, symbols = last.keys + keys, last.symbols + symbols
        kind = RegexGroup if self.regular else FragmentGroup
        self.groups = (*groups, kind(keys, symbols))

    def found(self, text):
        """Return the keys of the texts that are in a value: a string for fragments, bytes for regular expressions."""
        sure, doubtful = [], []
        for group in self.groups:
            group.find(self.texts, text, sure, doubtful)
        return sure, sorted(doubtful)


class FragmentGroup:
    """Fragments, found by the algorithm of Aho and Corasick (1975) in one pass over a value."""

    def __init__(self, keys, symbols):
        self.keys = keys
        self.symbols = symbols
        self.automaton = None

    def __len__(self):
        return len(self.keys)

    def find(self, texts, text, sure, doubtful):  # noqa: ARG002 - as a group of regular expressions has it
        """Add the keys of the fragments that are in a text to those in doubt."""
        if self.automaton is None:
            self.automaton = self._built(texts)
        doubtful.extend({key for _, key in self.automaton.iter(text)})

    def _built(self, texts):
        automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        for key, symbol in zip(self.keys, self.symbols, strict=True):
            automaton.add_word(texts[symbol], key)
        automaton.make_automaton()
        return automaton


class RegexGroup:
    """Regular expressions, found by one automaton for all of them, or by several where one would be too large."""

    def __init__(self, keys, symbols):
        self.keys = keys
        self.symbols = symbols
        self.sets = None

    def __len__(self):
        return len(self.keys)

    def find(self, texts, text, sure, doubtful):
        """Add the keys of the expressions found in a text to those that are sure, or in doubt where a set fails."""
        if self.sets is None:
            self.sets = self._built(texts)
        for part in self.sets:
            part.find(text, sure, doubtful)

    def _built(self, texts):
        """Return sets for all expressions, halving what does not fit into one."""
        waiting, sets = [(0, len(self.keys))], []
        while waiting:
            first, last = waiting.pop()
            patterns = [texts[symbol].encode() for symbol in self.symbols[first:last]]
            part = RegexSet(self.keys[first:last], patterns, _SET_MEMORY)
            if part.matcher is None and last - first > 1:
                middle = (first + last) // 2
                waiting += [(first, middle), (middle, last)]
            else:
                sets.append(part)
        return sets


class RegexSet:
    """Regular expressions in one RE2 set, with a sentinel among them that is found in every text.

    When its automaton runs out of memory in the middle of a text, RE2 answers that nothing was found. The sentinel
    tells that from the truth: if it is missing, every expression is in doubt. A set that fails often is given up.

    >>> regexes, sure, doubtful = RegexSet([7, 8, 9], [b"^a", b"b", b"c$"], 1 << 20), [], []
    >>> regexes.find(b"abc", sure, doubtful)
    >>> sorted(sure), doubtful
    ([7, 8, 9], [])
    """

    def __init__(self, keys, patterns, memory):
        self.keys = keys
        self.failures = 0
        self.matcher = _compiled(patterns, memory)

    def find(self, text, sure, doubtful):
        """Add the keys of the expressions found in a text to those that are sure, or all to those in doubt."""
        matcher = self.matcher  # another reader may give it up
        places = None if matcher is None else matcher.Match(text)
        if places and 0 in places:
            sure.extend([self.keys[place - 1] for place in places if place])
            return
        doubtful.extend(self.keys)
        self.failures += 1
        if self.failures >= _GIVE_UP:
            self.matcher = None


def _compiled(patterns, memory):
    """Return a set of regular expressions, the sentinel first; None where they need more memory than there may be."""
    options = regex_options()
    options.max_mem = memory
    matcher = re2.Set.SearchSet(options)
    try:
        for pattern in (b"", *patterns):
            matcher.Add(pattern)
        matcher.Compile()
    except re2.error:
        return None
    return matcher
