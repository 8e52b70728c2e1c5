"""The clauses of a DNF or of a CNF, for engines that take one expression after another: what ``normal_form`` makes.

A clause is a set of literals, all of which must hold (DNF) or one of which (CNF). One of no clauses is FALSE in a DNF,
an empty clause TRUE; in a CNF it is the other way round. Of equal clauses one is kept; one that contains another is
kept as well, because it may score more; one that asks for two outcomes of a base test at once says nothing, and is
dropped (in a CNF: one that all outcomes of a base test satisfy). They come in the order of ``normal_form``.

Two ways lead there. Where each clause stands in the expression as it is (a literal, an AND of literals, an OR of such,
as a DNF), it is copied, sorted and compared pair by pair. All else is unfolded, children first: ::

    part     rank 0  rank 1  rank 2   OR [1 2]   AND [0 3]      numbered by part_cy
    literals   0       1       2                                those of the part, by their numbers in the graph
    sets      {A}     {B}     {C}      {B C}      {D E}         of the numbers of clauses
    clauses   A (0)   B (1)   C (2)               D (0 1)  E (0 2)      each distinct one once, whatever set it is in

An operator of the outer kind (OR in a DNF) puts sets side by side, one of the inner kind joins one clause of each set
in all ways. At the end the clauses of the last set are written out with the nodes of their literals.

How many clauses there would be if all were distinct and none dropped is counted before any is made: the operands' sums
and products, in one pass over the part. What is over the limit by this count is refused, also if fewer would arise. And
the literals written on the way are limited, as in ``normal_form``, because few clauses can be long, and made often.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_FALSE, NODE_LITERAL, NODE_OR, NODE_TRUE, Graph
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below
from cython.cimports.hedgerow.symbols_cy import mixed, seed

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import LimitError
from hedgerow.language.operators import Accepts, Operator
from hedgerow.language.rewrite.normal_form import WORK_PER_CLAUSE as _WORK

_WORK_PER_CLAUSE = cython.declare(cython.longlong, _WORK)
_WORK_PER_PART = cython.declare(cython.longlong, 16)
_MOST_WORK = cython.declare(cython.longlong, 1 << 30)  # positions of literals have 32 bits
_MOST_CLAUSES = cython.declare(cython.longlong, 1 << 28)
_FIRST_SLOTS = cython.declare(cython.Py_ssize_t, 16)
_FEW = cython.declare(cython.Py_ssize_t, 64)  # so many literals are sorted one by one, and compared pair by pair
_KEPT = cython.declare(cython.Py_ssize_t, 1 << 18)  # what unfolding needed beyond that is left to the system

# Of a node that stands for one clause, instead of where its literals end.
_DROPPED = cython.declare(cython.int, -2)
_UNKNOWN = cython.declare(cython.int, -3)  # it has to be unfolded

_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))

# The outcomes of a base test that a literal accepts, as bits: true 1, false 2, undefined 4.
_OUTCOMES = {Accepts.TRUE: 1, Accepts.FALSE: 2, Accepts.NOT_TRUE: 6, Accepts.NOT_FALSE: 5}
_ALL_OUTCOMES = 7


@cython.final
@cython.cclass
class Clauses:
    """The clauses of the DNF, or of the CNF, of one simplified expression after another.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> from hedgerow.language.rewrite import simplify
    >>> graph = Graph()
    >>> node = simplify(graph, Parser(graph).parse("a = 1 AND (b = 2 OR c = 3)"))
    >>> clauses = Clauses(dnf=True)
    >>> [[str(graph.expression(literal)) for literal in clause] for clause in clauses.made(graph, node)]
    [['a = 1', 'b = 2'], ['a = 1', 'c = 3']]

    Compiled modules call ``make``, and read the arrays ``start`` and ``literal`` until the next call; the arrays stay
    as large as they became. A call that raises has changed nothing in the graph, and leaves no clauses. What ``hint``
    says is put behind the message when there are too many: an engine names those that take the expression.
    """

    def __init__(self, dnf: cython.bint, limit: cython.longlong = limits.MAX_CLAUSES):
        if limit < 1 or limit > _MOST_CLAUSES:
            raise ValueError(f"limit is a number from 1 to {_MOST_CLAUSES:,}, not {limit:,}")
        self.dnf = dnf
        self.limit = cython.cast(cython.int, limit)
        self.hint = ""
        self.outer = NODE_OR if dnf else NODE_AND
        self.inner = NODE_AND if dnf else NODE_OR
        # Two literals on a base test are opposed where their sides have nothing in common: no outcome that both accept
        # in a DNF, none that both refuse in a CNF.
        for accepts, outcomes in _OUTCOMES.items():
            self.sides[int(accepts)] = outcomes if dnf else _ALL_OUTCOMES - outcomes
        self.seed = seed()
        self.start = np.zeros(17, np.int32)
        self.literal = np.empty(64, np.int32)
        self.clause_hash = np.empty(16, np.uint64)
        self.clause_mark = np.zeros(16, np.int64)
        self.slots = np.empty(_FIRST_SLOTS, np.int32)
        self.make_room()

    def made(self, graph: Graph, node: cython.int):
        """Return the clauses as tuples of literal nodes, each ascending.

        Raises ``LimitError`` if they are more than ``limit`` as they are counted, or have too many literals.
        """
        graph.check(node)
        self.make(graph, node)
        nodes = np.asarray(self.literal)[: self.start[self.count]].tolist()
        number: cython.int
        return [tuple(nodes[self.start[number] : self.start[number + 1]]) for number in range(self.count)]

    def make(self, graph, node):
        """Make the clauses of a node of the graph; return how many there are."""
        kind: cython.int = graph.node_kind[node]
        taken: cython.int = 0
        self.count = 0
        self.kept = 0
        if kind == NODE_LITERAL or kind == self.inner:
            taken = self.take(graph, node)
        elif kind == self.outer:
            taken = self.take_each(graph, node)
        if not taken:
            self.kept = 0
            self.unfold(graph, node)
        self.count = self.kept
        return self.count

    # Clauses that stand in the expression as it is

    def take(self, graph, node):
        """Make the one clause that a node stands for; return whether that could be."""
        top: cython.int = self.candidate(graph, node)
        if top >= 0:
            self.close(top)
        return top != _UNKNOWN

    def take_each(self, graph, node):
        """Make a clause of each operand; return whether that could be."""
        position: cython.longlong
        top: cython.int
        if graph.node_start[node + 1] - graph.node_start[node] > self.limit:
            raise self.refusal("clauses")
        self.empty_slots()
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            top = self.candidate(graph, graph.child[position])
            if top == _UNKNOWN:
                return 0
            if top >= 0:
                self.keep(top)
        return 1

    def candidate(self, graph, node):
        """Write the literals of a literal, or of a few under one operator, behind all others; return where they end."""
        base: cython.Py_ssize_t = self.start[self.kept]
        top: cython.Py_ssize_t = base
        position: cython.longlong = graph.node_start[node]
        last: cython.longlong = graph.node_start[node + 1]
        hole: cython.Py_ssize_t
        leaf: cython.int
        opposed: cython.int
        if graph.node_kind[node] == NODE_LITERAL:
            if top >= self.literal.shape[0]:
                self.grow_literals(top + 1)
            self.literal[top] = node
            return cython.cast(cython.int, top + 1)
        if graph.node_kind[node] != self.inner or last - position > _FEW:
            return _UNKNOWN
        if top + last - position > self.literal.shape[0]:
            self.grow_literals(top + last - position)
        while position < last:
            leaf = graph.child[position]
            if graph.node_kind[leaf] != NODE_LITERAL:
                return _UNKNOWN
            hole = top
            while hole > base and self.literal[hole - 1] > leaf:
                self.literal[hole] = self.literal[hole - 1]
                hole -= 1
            self.literal[hole] = leaf
            top += 1
            position += 1
        top = _without_repeated(self.literal, base, top)
        opposed = self.opposed_pair(graph, base, top)
        return opposed if opposed else cython.cast(cython.int, top)

    def opposed_pair(self, graph, base, top):
        """Return ``_DROPPED`` if two of the literals are opposed, ``_UNKNOWN`` if only a closer look can tell, or 0."""
        loose: cython.bint = graph.weighted or graph.repeating  # one base test may have several numbers
        codes: cython.int[64]  # as many as a few
        count: cython.Py_ssize_t = top - base
        position: cython.Py_ssize_t
        other: cython.Py_ssize_t
        code: cython.int
        for position in range(count):
            code = graph.node_code[self.literal[base + position]]
            codes[position] = code
            for other in range(position):
                if (code ^ codes[other]) < 4:
                    if not self.side_of(graph, code) & self.side_of(graph, codes[other]):
                        return _DROPPED
                elif loose and _may_be_same_base(graph, code >> 2, codes[other] >> 2):
                    if not self.side_of(graph, code) & self.side_of(graph, codes[other]):
                        return _UNKNOWN
        return 0

    def side_of(self, graph, code):
        accepts: cython.int = code & 3
        if accepts == _FALSE and graph.predicate_operator[code >> 2] == _IS_NULL:
            accepts = _NOT_TRUE  # it is never undefined
        return self.sides[accepts]

    # Clauses that have to be unfolded

    def unfold(self, graph, node):
        part: Part = part_below(graph, node)
        rank: cython.int
        if part.kinds & ~(1 << NODE_FALSE | 1 << NODE_TRUE | 1 << NODE_LITERAL | 1 << NODE_AND | 1 << NODE_OR):
            raise ValueError("normal forms are made from simplified expressions: run simplify() first")
        self.count_clauses(graph, part)
        self.number_literals(graph, part)
        self.work = _WORK_PER_CLAUSE * self.limit + _WORK_PER_PART * (part.count + part.starts[part.count])
        self.work = min(self.work, _MOST_WORK)
        if part.count >= self.sets.shape[0]:
            self.sets = grown(self.sets, part.count + 1)
        self.sets[0] = 0
        self.empty_slots()
        for rank in range(part.count):
            self.put_set(graph, part, rank)
        self.write(part.count - 1)
        give_back(part)
        return self.slim()

    def count_clauses(self, graph, part):
        """Refuse what has too many clauses if all are distinct: operands' numbers are added, or multiplied."""
        rank: cython.int
        kind: cython.int
        count: cython.longlong
        position: cython.longlong
        for rank in range(part.count):
            kind = graph.node_kind[part.nodes[rank]]
            count = 1
            if kind == self.outer:
                count = 0
                for position in range(part.starts[rank], part.starts[rank + 1]):
                    count = min(count + part.mark[part.edges[position]], _MOST_CLAUSES + 1)
            elif kind == self.inner:
                for position in range(part.starts[rank], part.starts[rank + 1]):
                    count = min(count * part.mark[part.edges[position]], _MOST_CLAUSES + 1)
            elif kind != NODE_LITERAL:
                count = (kind == NODE_TRUE) == self.dnf
            if count > self.limit:
                raise self.refusal("clauses")
            part.mark[rank] = cython.cast(cython.int, count)
        return 0

    def number_literals(self, graph, part):
        """Give numbers to the literals in the order of their nodes; ``part.result`` has them by rank."""
        rank: cython.int
        count: cython.int = 0
        number: cython.int
        if part.count > self.leaf.shape[0]:
            self.leaf = grown(self.leaf, part.count)
        for rank in range(part.count):
            if graph.node_kind[part.nodes[rank]] == NODE_LITERAL:
                self.leaf[count] = part.nodes[rank]
                count += 1
        _sort(self.leaf, 0, count)
        for number in range(count):
            part.result[part.entry_rank[part.entry_of(self.leaf[number])]] = number
        return self.find_opponents(graph, count)

    def find_opponents(self, graph, count):
        """Give each literal its side and the first literal on its base test; note whether any two are opposed."""
        loose: cython.bint = graph.weighted or graph.repeating
        number: cython.int
        other: cython.int
        predicate: cython.int
        slot: cython.Py_ssize_t
        state: cython.ulonglong
        if count > self.base.shape[0]:
            self.side = grown(self.side, count)
            self.joint = grown(self.joint, count)
            self.base_hash = grown(self.base_hash, count)
            self.base_mark = grown(self.base_mark, count, 0)
            self.base = grown(self.base, count)  # last: where memory is short before, it is tried again
        self.contested = False
        self.empty_slots()
        while 2 * cython.cast(cython.Py_ssize_t, count) > self.slot_count:
            self.rehash()
        for number in range(count):
            predicate = graph.node_code[self.leaf[number]] >> 2
            state = _base_state(graph, predicate, self.seed) if loose else mixed(self.seed, predicate)
            slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, self.slot_count - 1))
            other = self.slots[slot]
            while other >= 0 and not (
                self.base_hash[other] == state
                and _is_same_base(graph, graph.node_code[self.leaf[other]] >> 2, predicate)
            ):
                slot = (slot + 1) & (self.slot_count - 1)
                other = self.slots[slot]
            self.base_hash[number] = state
            self.side[number] = self.side_of(graph, graph.node_code[self.leaf[number]])
            if other < 0:
                self.slots[slot] = number
                self.base[number] = number
                self.joint[number] = self.side[number]
            else:
                self.base[number] = other
                self.joint[other] &= self.side[number]
                self.contested = self.contested or self.joint[other] == 0
        return 0

    def put_set(self, graph, part, rank):
        """Find the set of clauses of a rank, whose children have theirs."""
        kind: cython.int = graph.node_kind[part.nodes[rank]]
        last: cython.Py_ssize_t = self.sets[rank]
        base: cython.Py_ssize_t = self.start[self.kept]
        if kind == self.outer:
            last = self.side_by_side(part, rank)
        elif kind == self.inner:
            last = self.product(part, rank)
        elif kind == NODE_LITERAL or (kind == NODE_TRUE) == self.dnf:
            if base >= self.literal.shape[0]:
                self.grow_literals(base + 1)
            if kind == NODE_LITERAL:
                self.literal[base] = part.result[rank]
                base += 1
            self.put_member(last, self.keep(base))
            last += 1
        self.sets[rank + 1] = last
        return 0

    def side_by_side(self, part, rank):
        """Put the clauses of all operands into one set, each once; return where it ends."""
        last: cython.Py_ssize_t = self.sets[rank]
        position: cython.longlong
        place: cython.longlong
        child: cython.int
        clause: cython.int
        self.serial = self.serial + 1
        for position in range(part.starts[rank], part.starts[rank + 1]):
            child = part.edges[position]
            self.spend(self.sets[child + 1] - self.sets[child])
            for place in range(self.sets[child], self.sets[child + 1]):
                clause = self.member[place]
                if self.clause_mark[clause] != self.serial:
                    self.clause_mark[clause] = self.serial
                    self.put_member(last, clause)
                    last += 1
        return last

    def product(self, part, rank):
        """Join one clause of each operand, in all ways; those that have only one clause first, and all at once."""
        base: cython.Py_ssize_t = self.start[self.kept]
        top: cython.Py_ssize_t = base
        first: cython.Py_ssize_t = self.sets[rank]
        last: cython.Py_ssize_t = first + 1
        several: cython.Py_ssize_t = 0  # not many: each doubles what was counted
        hole: cython.Py_ssize_t
        position: cython.longlong
        size: cython.longlong
        literal: cython.int
        child: cython.int
        for position in range(part.starts[rank], part.starts[rank + 1]):
            child = part.edges[position]
            size = self.sets[child + 1] - self.sets[child]
            if size == 0:
                return first
            if size == 1:
                child = self.member[self.sets[child]]
                size = self.start[child + 1] - self.start[child]
                self.spend(size)
                if top + size > self.literal.shape[0]:
                    self.grow_literals(top + size)
                for literal in range(self.start[child], self.start[child + 1]):
                    self.literal[top] = self.literal[literal]
                    top += 1
                continue
            hole = several
            while hole > 0 and self.sets[part.operands[hole - 1] + 1] - self.sets[part.operands[hole - 1]] > size:
                part.operands[hole] = part.operands[hole - 1]
                hole -= 1
            part.operands[hole] = child
            several += 1
        _sort(self.literal, base, top)
        top = _without_repeated(self.literal, base, top)
        if self.opposed(base, top):
            return first
        self.put_member(first, self.keep(top))
        for hole in range(several):
            last = self.product_of_two(first, last, part.operands[hole])
        return last

    def product_of_two(self, first, last, right):
        """Join each clause between two places with each of a rank; put what arises there instead, return its end."""
        end: cython.Py_ssize_t = last
        left: cython.Py_ssize_t
        place: cython.longlong
        base: cython.Py_ssize_t
        top: cython.Py_ssize_t
        clause: cython.int
        serial: cython.longlong
        self.serial = self.serial + 1
        serial = self.serial  # of this product: each clause that is looked at takes one
        for left in range(first, last):
            for place in range(self.sets[right], self.sets[right + 1]):
                base = self.start[self.kept]
                top = self.merged(self.member[left], self.member[place])
                if self.contested and self.opposed(base, top):
                    continue
                clause = self.keep(top)
                if self.clause_mark[clause] != serial:
                    self.clause_mark[clause] = serial
                    self.put_member(end, clause)
                    end += 1
        for left in range(last, end):
            self.member[first + left - last] = self.member[left]
        return first + end - last

    def merged(self, left, right):
        """Write the literals of two clauses behind all others, in order and each once; return where they end."""
        first: cython.Py_ssize_t = self.start[left]
        second: cython.Py_ssize_t = self.start[right]
        first_end: cython.Py_ssize_t = self.start[left + 1]
        second_end: cython.Py_ssize_t = self.start[right + 1]
        top: cython.Py_ssize_t = self.start[self.kept]
        length: cython.Py_ssize_t = first_end - first + second_end - second
        one: cython.int
        other: cython.int
        self.spend(length)
        if top + length > self.literal.shape[0]:
            self.grow_literals(top + length)
        while first < first_end and second < second_end:
            one = self.literal[first]
            other = self.literal[second]
            self.literal[top] = one if one < other else other
            first += one <= other
            second += other <= one
            top += 1
        while first < first_end:
            self.literal[top] = self.literal[first]
            first += 1
            top += 1
        while second < second_end:
            self.literal[top] = self.literal[second]
            second += 1
            top += 1
        return top

    def opposed(self, base, top):
        """Return whether two of the literals written there are opposed."""
        position: cython.Py_ssize_t
        literal: cython.int
        test: cython.int
        if not self.contested:
            return False
        self.serial = self.serial + 1
        for position in range(base, top):
            literal = self.literal[position]
            test = self.base[literal]
            if self.base_mark[test] != self.serial:
                self.base_mark[test] = self.serial
                self.joint[test] = self.side[literal]
            else:
                self.joint[test] &= self.side[literal]
                if self.joint[test] == 0:
                    return True
        return False

    def write(self, rank):
        """Write the clauses of a rank into arrays of their own, with nodes for literals, and change over to them."""
        place: cython.longlong
        position: cython.Py_ssize_t
        clause: cython.int
        count: cython.int = 0
        top: cython.Py_ssize_t = 0
        needed: cython.Py_ssize_t = 0
        first: cython.longlong = self.sets[rank]
        last: cython.longlong = self.sets[rank + 1]
        for place in range(first, last):
            needed += self.start[self.member[place] + 1] - self.start[self.member[place]]
        if last - first >= self.other_start.shape[0]:
            self.other_start = grown(self.other_start, last - first + 1)
        if needed > self.other_literal.shape[0]:
            self.other_literal = grown(self.other_literal, needed)
        self.other_start[0] = 0
        for place in range(first, last):
            clause = self.member[place]
            for position in range(self.start[clause], self.start[clause + 1]):
                self.other_literal[top] = self.leaf[self.literal[position]]
                top += 1
            count += 1
            self.other_start[count] = cython.cast(cython.int, top)
        self.start, self.other_start = self.other_start, self.start
        self.literal, self.other_literal = self.other_literal, self.literal
        self.kept = count
        return 0

    # Distinct clauses

    def keep(self, top):
        """Return the number of the clause whose literals stand behind all others; a new one if it is new."""
        base: cython.Py_ssize_t = self.start[self.kept]
        mask: cython.Py_ssize_t = self.slot_count - 1
        state: cython.ulonglong = self.seed
        position: cython.Py_ssize_t
        number: cython.int
        slot: cython.Py_ssize_t
        for position in range(base, top):
            state = mixed(state, self.literal[position])
        slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        number = self.slots[slot]
        while number >= 0:
            if self.clause_hash[number] == state and self.is_same(number, base, top):
                return number
            slot = (slot + 1) & mask
            number = self.slots[slot]
        number = self.kept
        self.close(top)
        self.clause_hash[number] = state
        self.slots[slot] = number
        if 2 * cython.cast(cython.Py_ssize_t, self.kept) > self.slot_count:
            self.rehash()
        return number

    def close(self, top):
        """Make a clause of the literals behind all others."""
        if self.kept + 2 > self.start.shape[0] or self.kept >= self.clause_hash.shape[0]:
            self.grow_clauses()
        self.start[self.kept + 1] = cython.cast(cython.int, top)
        self.kept = self.kept + 1
        return 0

    def is_same(self, number, base, top):
        position: cython.Py_ssize_t = self.start[number]
        if self.start[number + 1] - position != top - base:
            return False
        while base < top:
            if self.literal[position] != self.literal[base]:
                return False
            position += 1
            base += 1
        return True

    def empty_slots(self):
        self.slot_count = _FIRST_SLOTS
        self.slots[:_FIRST_SLOTS] = -1
        return 0

    def rehash(self):
        """Make the table twice as large, over the clauses that are kept."""
        size: cython.Py_ssize_t = 2 * self.slot_count
        slot: cython.Py_ssize_t
        number: cython.int
        if size > self.slots.shape[0]:
            self.slots = grown(self.slots, size)
        self.slots[:size] = -1
        for number in range(self.kept):
            slot = cython.cast(cython.Py_ssize_t, self.clause_hash[number] & cython.cast(cython.ulonglong, size - 1))
            while self.slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            self.slots[slot] = number
        self.slot_count = size
        return 0

    # Room

    def grow_literals(self, needed):
        if needed > 2 * _MOST_WORK - 1:
            raise self.refusal("literals")
        self.literal = grown(self.literal, needed)
        return 0

    def grow_clauses(self):
        if self.kept + 2 > self.start.shape[0]:
            self.start = grown(self.start, self.kept + 2)
        if self.kept >= self.clause_mark.shape[0]:
            self.clause_mark = grown(self.clause_mark, self.kept + 1, 0)
        if self.kept >= self.clause_hash.shape[0]:
            self.clause_hash = grown(self.clause_hash, self.kept + 1)
        return 0

    def put_member(self, position, clause):
        if position >= self.member.shape[0]:
            self.member = grown(self.member, position + 1)
        self.member[position] = clause
        return 0

    def spend(self, literals):
        self.work = self.work - literals
        if self.work < 0:
            raise self.refusal("literals")
        return 0

    def slim(self):
        """Leave what an unusual expression needed to the system, but not the clauses."""
        largest: cython.Py_ssize_t = max(self.sets.shape[0], self.member.shape[0], self.leaf.shape[0])
        if max(largest, self.other_start.shape[0], self.other_literal.shape[0]) > _KEPT:
            self.make_room()
        return 0

    def make_room(self):
        """Have small arrays to unfold with."""
        self.sets = np.zeros(65, np.int64)
        self.member = np.empty(64, np.int32)
        self.leaf = np.empty(64, np.int32)
        self.side = np.empty(64, np.int32)
        self.joint = np.empty(64, np.int32)
        self.base_hash = np.empty(64, np.uint64)
        self.base_mark = np.zeros(64, np.int64)
        self.base = np.empty(64, np.int32)
        self.other_start = np.zeros(65, np.int32)
        self.other_literal = np.empty(64, np.int32)
        return 0

    def refusal(self, text):
        """Return the error that there are too many clauses, or literals."""
        name = "DNF" if self.dnf else "CNF"
        if text == "clauses":
            message = f"a {name} of more than {self.limit:,} clauses"
        else:
            message = (
                f"a {name} of at most {self.limit:,} clauses that has, or takes on the way, too many literals: about "
                f"{_WORK_PER_CLAUSE} may be written for each clause"
            )
        return LimitError(f"{message}; {self.hint}" if self.hint else message)


@cython.cfunc
@cython.exceptval(-1)
def _sort(items: cython.int[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.int:
    """Sort a slice: a few by insertion, more as a heap, so that no order of them takes long."""
    position: cython.Py_ssize_t
    hole: cython.Py_ssize_t
    count: cython.Py_ssize_t = last - first
    item: cython.int
    if count <= _FEW:
        for position in range(first + 1, last):
            item = items[position]
            hole = position
            while hole > first and items[hole - 1] > item:
                items[hole] = items[hole - 1]
                hole -= 1
            items[hole] = item
        return 0
    for position in range(count // 2 - 1, -1, -1):
        _sink(items, first, position, count)
    for position in range(count - 1, 0, -1):
        item = items[first]
        items[first] = items[first + position]
        items[first + position] = item
        _sink(items, first, 0, position)
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _sink(
    items: cython.int[::1], first: cython.Py_ssize_t, position: cython.Py_ssize_t, count: cython.Py_ssize_t
) -> cython.int:
    """Let an item of a heap of this many sink to its place."""
    item: cython.int = items[first + position]
    below: cython.Py_ssize_t = 2 * position + 1
    while below < count:
        if below + 1 < count and items[first + below + 1] > items[first + below]:
            below += 1
        if items[first + below] <= item:
            break
        items[first + position] = items[first + below]
        position = below
        below = 2 * position + 1
    items[first + position] = item
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _without_repeated(items: cython.int[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Leave each item of a sorted slice once; return where it ends."""
    position: cython.Py_ssize_t
    top: cython.Py_ssize_t = min(first + 1, last)
    for position in range(first + 1, last):
        if items[position] != items[top - 1]:
            items[top] = items[position]
            top += 1
    return top


@cython.cfunc
@cython.exceptval(-1, check=True)
def _may_be_same_base(graph: Graph, left: cython.int, right: cython.int) -> cython.bint:
    """Return whether two predicates agree on all but the weights, as far as their first values tell."""
    first: cython.longlong = graph.predicate_start[left]
    second: cython.longlong = graph.predicate_start[right]
    count: cython.longlong = graph.predicate_start[left + 1] - first
    return (
        graph.predicate_attribute[left] == graph.predicate_attribute[right]
        and graph.predicate_operator[left] == graph.predicate_operator[right]
        and graph.predicate_start[right + 1] - second == count
        and (
            count == 0
            or (
                graph.value_payload[first] == graph.value_payload[second]
                and graph.value_kind[first] == graph.value_kind[second]
            )
        )
    )


@cython.cfunc
@cython.exceptval(-1, check=True)
def _is_same_base(graph: Graph, left: cython.int, right: cython.int) -> cython.bint:
    """Return whether two predicates agree on all but the weights."""
    offset: cython.longlong
    if left == right:
        return True
    if not _may_be_same_base(graph, left, right):
        return False
    first: cython.longlong = graph.predicate_start[left]
    second: cython.longlong = graph.predicate_start[right]
    for offset in range(graph.predicate_start[left + 1] - first):
        if (
            graph.value_payload[first + offset] != graph.value_payload[second + offset]
            or graph.value_kind[first + offset] != graph.value_kind[second + offset]
        ):
            return False
    return True


@cython.cfunc
@cython.exceptval(0, check=True)
def _base_state(graph: Graph, number: cython.int, state: cython.ulonglong) -> cython.ulonglong:
    """Return the hash of a predicate without its weights."""
    position: cython.longlong
    state = mixed(state, graph.predicate_operator[number])
    state = mixed(state, cython.cast(cython.ulonglong, graph.predicate_attribute[number]))
    for position in range(graph.predicate_start[number], graph.predicate_start[number + 1]):
        state = mixed(state, cython.cast(cython.ulonglong, graph.value_payload[position]))
        state = mixed(state, graph.value_kind[position])
    return state
