"""An expression as clauses of tests: a DNF in which few alternatives stay together.

::

    country IN ('AT', 'DE') AND (vip OR age >= 65) AND NOT os = 'ios'

    country 'AT' 'DE': any   vip = true, age >= 65: some   os 'ios', os not there: none

A test is

========= ===================================================================================================
any       one of at most four atoms is true: ``=``, ``IN``, presence, and ORs of such and of string tests
none      none of them is: NOT IN, with the absence of its attribute, which leaves it undefined
range     a comparison, by its ends on a line; these rule out, and the literal itself decides
listed    a longer IN; unlisted: a longer NOT IN. Their atoms are found again by their literal
text      a string test: the finder looks for it where it leads to the clause, else the literal decides
some      one of some literals of any sort holds, where another test leads to the clause
literal   whatever else there is, decided by the literal itself
========= ===================================================================================================

Two comparisons of an attribute in one clause are one range. Where there would be more clauses than the limit, or very
many tests, there is no such form, and ``make`` says so before it takes long: it stops at the first product or sum that
is too large.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.hedge.atoms_cy import Atoms, line_value
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_FALSE, NODE_LITERAL, NODE_OR, NODE_TRUE
from cython.cimports.hedgerow.predicate.finder_cy import BY_RANGE, BY_TEXT, BY_VALUE, Interval
from cython.cimports.hedgerow.predicate.keys import family_of
from cython.cimports.hedgerow.predicate.table_cy import listed_count

from hedgerow.language.operators import Accepts, Operator

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_FALSE = cython.declare(cython.int, int(Accepts.NOT_FALSE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))

_TOO_LARGE = cython.declare(cython.int, -1)
_FEW = cython.declare(cython.int, 4)  # atoms of a test
_SOME = cython.declare(cython.longlong, 16)  # literals of a test of some
_MOST_LISTED = cython.declare(cython.int, 32)  # values of a longer IN that are to lead to it
_MOST_TESTS = cython.declare(cython.int, 1024)
_MOST_ITEMS = cython.declare(cython.int, 4096)  # tests of clauses, those of clauses on the way included
_MOST_DEPTH = cython.declare(cython.int, 64)
_ANYTHING = cython.declare(cython.int, 16)  # the family that stands for whatever there is

# What is guessed of a range before its line has had values: of one with two ends, and of one with one.
_GUESS_BETWEEN = cython.declare(cython.double, 0.15)
_GUESS_HALF = cython.declare(cython.double, 0.4)
_GUESS_LITERAL = cython.declare(cython.double, 0.5)
_SELDOM = cython.declare(cython.double, 0.25)  # a test that is as likely as this leads to a clause well enough


@cython.final
@cython.cclass
class Forms:
    """The clauses of one expression after another. What they are made of stands in arrays until the next one."""

    def __init__(self, atoms: Atoms, limit: cython.int):
        self.atoms = atoms
        self.graph = atoms.graph
        self.limit = limit
        self.kind = np.zeros(_MOST_TESTS, np.uint8)
        self.atom = np.zeros(_MOST_TESTS * _FEW, np.int32)
        self.size = np.zeros(_MOST_TESTS, np.int32)
        self.code = np.zeros(_MOST_TESTS, np.int32)
        self.second = np.zeros(_MOST_TESTS, np.int32)
        self.line = np.zeros(_MOST_TESTS, np.int32)
        self.low = np.zeros(_MOST_TESTS, np.uint32)
        self.high = np.zeros(_MOST_TESTS, np.uint32)
        self.families = np.zeros(_MOST_TESTS, np.int32)
        self.chance = np.zeros(_MOST_TESTS, np.float64)
        self.loose = np.zeros(_MOST_TESTS, np.int32)
        self.item = np.zeros(_MOST_ITEMS, np.int32)
        self.clause_start = np.zeros(_MOST_ITEMS, np.int32)
        self.clause_size = np.zeros(_MOST_ITEMS, np.int32)
        self.stack = np.zeros(_MOST_ITEMS, np.int32)

    def make(self, root):
        """Make the clauses of a node over literals, and return how many there are; -1 if that would be too many.

        Their numbers stand in ``stack``.
        """
        self.test_count = 0
        self.item_count = 0
        self.clause_count = 0
        self.top = 0
        self.budget = _MOST_ITEMS
        return self.expand(root, 0)

    def expand(self, node, depth):
        """Push the clauses of a node; return how many they are, or that they are too many."""
        kind: cython.int = self.graph.node_kind[node]
        self.budget -= 1
        if self.budget < 0 or depth > _MOST_DEPTH:
            return _TOO_LARGE
        if kind == NODE_LITERAL:
            return self.push_test(self.test_of(self.graph.node_code[node]))
        if kind == NODE_OR:
            return self.expand_or(node, depth)
        if kind == NODE_AND:
            return self.expand_and(node, depth)
        if kind == NODE_TRUE:
            return self.push(self.new_clause())
        return 0 if kind == NODE_FALSE else _TOO_LARGE

    def expand_or(self, node, depth):
        """Push the clauses of all operands, one for those that are values and few."""
        position: cython.longlong
        child: cython.int
        test: cython.int
        some: cython.int
        group: cython.int = _TOO_LARGE
        count: cython.int = 0
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            child = self.graph.child[position]
            if self.graph.node_kind[child] == NODE_LITERAL:
                test = self.test_of(self.graph.node_code[child])
                if test >= 0 and self.kind[test] == TEST_TEXT:
                    self.find_text(test)
                if test >= 0 and self.kind[test] == TEST_ANY:
                    if group >= 0 and self.merge(group, test):
                        continue
                    group = test
                some = self.push_test(test)
            else:
                some = self.expand(child, depth + 1)
            if some < 0:
                return _TOO_LARGE
            count += some
            if count > self.limit:
                return _TOO_LARGE
        return count

    def expand_and(self, node, depth):
        """Push the clauses of all ways to take one of each operand's."""
        position: cython.longlong
        child: cython.int
        some: cython.int
        test: cython.int
        base: cython.int = self.top
        count: cython.int = 1
        clause: cython.int = self.new_clause()
        if clause < 0:
            return _TOO_LARGE
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            child = self.graph.child[position]
            if self.graph.node_kind[child] == NODE_LITERAL:
                if not self.put_literal(clause, self.graph.node_code[child]):
                    return _TOO_LARGE
        led: cython.bint = self.is_led(clause)
        if self.push(clause) < 0:
            return _TOO_LARGE
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            child = self.graph.child[position]
            if self.graph.node_kind[child] == NODE_LITERAL:
                continue
            test = self.some_of(child) if led else _TOO_LARGE
            some = self.push_test(test) if test >= 0 else self.expand(child, depth + 1)
            if some < 0:
                return _TOO_LARGE
            count = self.multiply(base, count, some)
            if count < 0:
                return _TOO_LARGE
        return count

    def multiply(self, base, left, right):
        """Join each of some clauses on the stack with each of those above them; the result takes their place."""
        first: cython.int
        second: cython.int
        position: cython.int
        clause: cython.int
        made: cython.int = self.clause_count
        if left * right > self.limit:
            return _TOO_LARGE
        for first in range(base, base + left):
            for second in range(base + left, base + left + right):
                clause = self.new_clause()
                if clause < 0:
                    return _TOO_LARGE
                for position in range(self.clause_size[self.stack[first]]):
                    if not self.put(self.item[self.clause_start[self.stack[first]] + position]):
                        return _TOO_LARGE
                for position in range(self.clause_size[self.stack[second]]):
                    if not self.put(self.item[self.clause_start[self.stack[second]] + position]):
                        return _TOO_LARGE
        self.top = base
        for clause in range(made, self.clause_count):
            self.push(clause)
        return left * right

    def put_literal(self, clause, code):
        """Put a literal of an AND into its clause, the last one; return whether there was room."""
        position: cython.int
        test: cython.int = self.test_of(code)
        if test >= 0 and self.kind[test] == TEST_RANGE:
            for position in range(self.clause_start[clause], self.item_count):
                if self.narrow(self.item[position], test):
                    self.test_count -= 1
                    return True
        return self.put(test)

    def narrow(self, wide, test):
        """Make one range of two of the same line; return whether they are."""
        if self.kind[wide] != TEST_RANGE or self.line[wide] != self.line[test] or self.second[wide] >= 0:
            return False
        self.low[wide] = max(self.low[wide], self.low[test])
        self.high[wide] = min(self.high[wide], self.high[test])
        self.second[wide] = self.code[test]
        self.chance[wide] = self.atoms.range_chance(self.line[wide], self.low[wide], self.high[wide], _GUESS_BETWEEN)
        return True

    def is_led(self, clause):
        """Return whether some test of a clause, the last one, leads to it and is not likely to hold."""
        position: cython.int
        test: cython.int
        for position in range(self.clause_start[clause], self.item_count):
            test = self.item[position]
            if self.chance[test] < _SELDOM and (
                self.kind[test] == TEST_LISTED
                or self.kind[test] == TEST_RANGE
                or self.kind[test] == TEST_TEXT
                or (self.kind[test] == TEST_ANY and not self.loose[test])
            ):
                return True
        return False

    def some_of(self, node):
        """Return a new test that says what an OR of few literals says, if that is no test of values; -1 otherwise."""
        position: cython.longlong
        test: cython.int
        plain: cython.int = 0
        chance: cython.double = 0.0
        some: cython.int = self.test_count
        first: cython.longlong = self.graph.node_start[node]
        size: cython.longlong = self.graph.node_start[node + 1] - first
        if self.graph.node_kind[node] != NODE_OR or size > _SOME:
            return _TOO_LARGE
        for position in range(first, first + size):
            if self.graph.node_kind[self.graph.child[position]] != NODE_LITERAL:
                return _TOO_LARGE
        for position in range(first, first + size):
            test = self.test_of(self.graph.node_code[self.graph.child[position]])
            if test < 0:
                return _TOO_LARGE
            plain += self.size[test] if self.kind[test] == TEST_ANY else _FEW + 1
            chance += self.chance[test]
        self.test_count = some
        if plain <= _FEW:
            return _TOO_LARGE
        self.test_count = some + 1
        self.kind[some] = TEST_SOME
        self.families[some] = 0
        self.chance[some] = min(1.0, chance)
        self.code[some] = node
        return some

    # Clauses

    def push_test(self, test):
        """Push a clause of one test."""
        clause: cython.int = self.new_clause()
        if clause < 0 or not self.put(test):
            return _TOO_LARGE
        return self.push(clause)

    def new_clause(self):
        """Begin a clause, the last one."""
        clause: cython.int = self.clause_count
        if clause >= _MOST_ITEMS:
            return _TOO_LARGE
        self.clause_start[clause] = self.item_count
        self.clause_size[clause] = 0
        self.clause_count = clause + 1
        return clause

    def put(self, test):
        """Put a test into the last clause; return whether there was room, and a test."""
        if test < 0 or self.item_count >= _MOST_ITEMS:
            return False
        self.item[self.item_count] = test
        self.item_count += 1
        self.clause_size[self.clause_count - 1] += 1
        return True

    def push(self, clause):
        if clause < 0 or self.top >= _MOST_ITEMS:
            return _TOO_LARGE
        self.stack[self.top] = clause
        self.top += 1
        return 1

    # Tests

    def merge(self, group, test):
        """Make one test of two of which one must hold, if that has few atoms; return whether it has."""
        position: cython.int
        if self.size[group] + self.size[test] > _FEW:
            return False
        for position in range(self.size[test]):
            self.add_atom(group, self.atom[test * _FEW + position])
        self.loose[group] |= self.loose[test]
        self.chance[group] = min(1.0, self.chance[group] + self.chance[test])
        return True

    def add_atom(self, test, atom):
        """Let a test name one more atom, unless it does."""
        position: cython.int
        for position in range(self.size[test]):
            if self.atom[test * _FEW + position] == atom:
                return 0
        self.atom[test * _FEW + self.size[test]] = atom
        self.size[test] += 1
        return 0

    def test_of(self, code):
        """Return a new test that says what a literal says, or that there are too many."""
        test: cython.int = self.test_count
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        is_null: cython.bint = self.graph.predicate_operator[predicate] == _IS_NULL
        way: cython.int = self.atoms.literals.finder.way(code)
        if test >= _MOST_TESTS:
            return _TOO_LARGE
        self.test_count = test + 1
        self.kind[test] = TEST_LITERAL
        self.code[test] = code
        self.second[test] = _TOO_LARGE
        self.size[test] = 0
        self.loose[test] = False
        self.families[test] = _ANYTHING if accepts <= _FALSE and not is_null else 0
        self.chance[test] = _GUESS_LITERAL
        if way == BY_VALUE:
            self.add_values(test, predicate)
        elif self.atoms.literals.is_denied(code):
            self.read_denied(test, code)
        elif way == BY_TEXT:
            self.kind[test] = TEST_TEXT
            self.chance[test] = self.atoms.text_chance(code)
        elif way == BY_RANGE:
            self.read_range(test, code)
        elif is_null and (accepts == _TRUE or accepts == _NOT_FALSE):
            self.kind[test] = TEST_ANY
            self.add_atom(test, self.atoms.lacking(attribute, _ANYTHING))
            self.loose[test] = True
            self.chance[test] = self.atoms.chance(self.atom[test * _FEW])
        if self.families[test]:
            # It may come to lead to clauses: from now on it is known how often it holds.
            self.atoms.there(attribute, self.families[test])
        return test

    def find_text(self, test):
        """Have the finder look for a string test, so that it is true of an atom."""
        self.kind[test] = TEST_ANY
        self.add_atom(test, self.atoms.literal(self.code[test]))
        return 0

    def add_values(self, test, predicate):
        """Let a test be true of the values that ``=`` or IN lists."""
        position: cython.longlong
        first: cython.longlong = self.graph.predicate_start[predicate]
        count: cython.int = listed_count(self.atoms.table, predicate)
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        atom: cython.int
        chance: cython.double = 0.0
        if count > _MOST_LISTED:
            self.kind[test] = TEST_ANY
            self.add_atom(test, self.atoms.literal(predicate * 4 + _TRUE))
            return 0
        for position in range(first, first + count):
            atom = self.atoms.value(
                attribute, self.atoms.table.listed_kind[position], self.atoms.table.listed_payload[position]
            )
            chance += self.atoms.chance(atom)
            if count <= _FEW:
                self.add_atom(test, atom)
        self.kind[test] = TEST_ANY if count <= _FEW else TEST_LISTED
        self.chance[test] = min(1.0, chance)
        return 0

    def read_denied(self, test, code):
        """Let a test be false of the values, or of the string test, that deny a literal."""
        predicate: cython.int = code >> 2
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        strong: cython.bint = code & 3 == _FALSE
        families: cython.int = self.atoms.table.family[predicate]
        count: cython.int = listed_count(self.atoms.table, predicate)
        if self.graph.predicate_operator[predicate] == _IS_NULL:
            self.kind[test] = TEST_ANY
            self.add_atom(test, self.atoms.there(attribute, _ANYTHING))
            self.chance[test] = self.atoms.chance(self.atom[test * _FEW])
            return 0
        self.families[test] = families if strong else 0
        if self.atoms.literals.finder.way(predicate * 4 + _TRUE) == BY_TEXT:
            self.chance[test] = 1.0 - self.atoms.text_chance(predicate * 4 + _TRUE)
            return 0
        if count <= _MOST_LISTED:
            self.add_values(test, predicate)
            self.chance[test] = 1.0 - self.chance[test]
            if count + strong > _FEW:
                self.kind[test] = TEST_UNLISTED
                return 0
        else:
            return 0
        self.kind[test] = TEST_NONE
        if strong:
            self.add_atom(test, self.atoms.lacking(attribute, families))
        return 0

    def read_range(self, test, code):
        """Let a test rule out what is beyond the ends of a range, if that is one range."""
        predicate: cython.int = code >> 2
        family: cython.int = family_of(self.atoms.table.family[predicate])
        found: Interval[2]
        two_ends: cython.bint = self.graph.predicate_operator[predicate] == _BETWEEN
        line: cython.int
        self.families[test] = self.atoms.table.family[predicate]
        if two_ends and code & 3 != _TRUE:
            return 0
        if self.atoms.literals.finder.intervals(code, found) != 1:
            return 0
        line = self.atoms.line(self.graph.predicate_attribute[predicate], family)
        if line < 0:
            return 0
        self.kind[test] = TEST_RANGE
        self.line[test] = line
        self.low[test] = line_value(family, found[0].low)
        self.high[test] = line_value(family, found[0].high)
        self.chance[test] = self.atoms.range_chance(
            line, self.low[test], self.high[test], _GUESS_BETWEEN if two_ends else _GUESS_HALF
        )
        return 0
