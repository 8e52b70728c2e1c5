r"""The parts of an A-Tree without zero suppression: expressions as they were written, each part with its default.

::

    a = 1 AND NOT (b = 2 OR c IS NULL)

      AND      level 4   default FALSE             *default*: the value on an event without attributes
      /  \
     /    NOT  level 3   default FALSE
    /      |
    |     OR   level 2   default TRUE
    |     /  \
    a    b    c  level 1   UNDEFINED, UNDEFINED, TRUE

An event changes only tests on attributes that it has. A part is looked at when an operand's value is not its default,
and tells those over it when its own is not; so what nothing has reached still has the right value, its default. With
defaults the paper's Algorithm 6, which takes everything for undefined until told otherwise, is exact also for IS NULL,
WEAK NOT IN, constants, and where missing attributes read as false.

Propagation on demand: an AND outside of NOT, XOR and XNOR is asked only whether it is true. Unless its default is TRUE,
it is told by one operand alone, its access child, and only when that becomes true; its other operands are read then.
Such a part, and what is made of it, is not exact in what is not TRUE: FALSE or UNDEFINED. The graph keeps it apart
(``node_code`` is 1) from the same part below a negation, which must be exact.

``links`` has, for each part, who is told of it: number * 4 + TOLD_CHANGE, TOLD_TRUTH or TOLD_SLOT; ``tests`` the tests
on each attribute. The forms that scores are defined on are in the same graph, of level 0: nobody is told of them.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.unsuppressed_parts_cy import (
    TOLD_CHANGE,
    TOLD_TRUTH,
    combined,
)
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    Graph,
)
from cython.cimports.hedgerow.lists_cy import Lists, list_length
from cython.cimports.hedgerow.predicate.outcome_cy import OUTCOME_FALSE, OUTCOME_TRUE, OUTCOME_UNDEFINED
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable
from cython.cimports.hedgerow.symbols_cy import mixed

from hedgerow.arrays_cy import filled, grown
from hedgerow.index.atree.options import ACCESS_CHOICES as _ACCESS_CHOICES
from hedgerow.language.operators import OPERATORS as _OPERATORS
from hedgerow.language.operators import Accepts, Operands, Operator

_SELECTIVE = cython.declare(cython.int, _ACCESS_CHOICES.index("selective"))
_RANDOM = cython.declare(cython.int, _ACCESS_CHOICES.index("random"))
_RAREST = cython.declare(cython.int, 255)
_FEW = cython.declare(cython.Py_ssize_t, 64)


def _absent(row):
    """Return the outcome of a test on a missing attribute."""
    if row.accepts == Accepts.NOT_TRUE:
        return OUTCOME_TRUE
    if row.base == Operator.IS_NULL:
        return OUTCOME_TRUE if row.accepts == Accepts.TRUE else OUTCOME_FALSE
    return OUTCOME_UNDEFINED


def _rarity(row):
    """Return how seldom a test is expected to hold, as one operand of an AND beside others."""
    if row.accepts != Accepts.TRUE:
        return 0
    if row.base in (Operator.EQ, Operator.ALL_OF):
        return 8
    if row.base == Operator.IN or row.operands == Operands.TEXT:
        return 4
    return 2 if row.base == Operator.BETWEEN else 1


_absents = [_absent(row) for row in _OPERATORS]
_rarities = cython.declare(cython.uchar[::1], np.array([_rarity(row) for row in _OPERATORS], np.uint8))


@cython.final
@cython.cclass
class Parts:
    """The parts of all expressions, as they were written."""

    def __init__(self, missing: str, options):
        self.graph = Graph(options.uniqueness)
        self.table = PredicateTable(self.graph)
        self.links = Lists()
        self.tests = Lists()
        self.default = np.empty(16, np.uint8)
        self.rarity = np.empty(16, np.uint8)
        self.level = np.empty(16, np.int32)
        absents = np.array(_absents, np.uint8)
        if missing == "false":
            absents[absents == OUTCOME_UNDEFINED] = OUTCOME_FALSE
        self.absent = absents
        self.unique = options.uniqueness
        self.on_demand = options.propagation_on_demand
        self.access_choice = _ACCESS_CHOICES.index(options.access)
        self.dice = 1
        self.known = filled(32, -1, np.int32)
        self.stack = np.empty(32, np.int32)
        self.operands = np.empty(32, np.int32)

    @property
    def nbytes(self):
        """How many bytes all arrays hold."""
        lists = self.links.nbytes + self.tests.nbytes
        return self.graph.nbytes + self.table.nbytes + lists + 6 * self.level.shape[0]

    def level_of(self, part: cython.int):
        """Return the level of a part: 1 for a leaf, else one more than that of its highest operand."""
        self.graph.check(part)
        return self.level[part]

    # The way in

    def remember(self, graph):
        """Go on with what is known of another graph, or begin anew if it is another one."""
        if self.source is not graph or self.generation != graph.generation:
            self.copier = Copier(graph, self.graph)
            self.source = graph
            self.generation = graph.generation
            self.known[: self.used] = -1
        self.used = 2 * graph.node_count
        if self.used > self.known.shape[0]:
            self.known = grown(self.known, self.used, -1)
        return 0

    def release(self):
        """Let go of the other graph."""
        self.source = None
        self.copier = None

    def take(self, node):
        """Return the part for a node of the graph remembered; what is new of it is added. Without recursion."""
        code: cython.int = self.code_of(node, self.on_demand)
        depth: cython.int = 1
        part: cython.int
        self.push(0, code)
        while depth:
            depth = self.step(self.stack[depth - 1], depth)
        part = self.known[code]
        if not self.unique:
            self.forget_below(node)
        return part

    def copy(self, node):
        """Return the number for a node of the graph remembered that is scored, not matched."""
        number: cython.int = self.copier.copy(node)
        self.table.prepare_new()
        self.extend()
        return number

    def forget_below(self, node):
        """Let the next expression with the same parts have its own."""
        number: cython.int
        for number in self.source.below(node):
            self.known[2 * number] = -1
            self.known[2 * number + 1] = -1
            if self.source.node_kind[number] == NODE_PREDICATE:
                self.copier.predicates[self.source.node_code[number]] = -1
        return 0

    def code_of(self, node, role):
        """Return where ``known`` has a node: twice its number, plus one for an AND or OR of which only truth counts."""
        kind: cython.int = self.source.node_kind[node]
        return 2 * node + role if kind == NODE_AND or kind == NODE_OR else 2 * node

    def step(self, code, depth):
        """Work on the node on top of the stack: it is done, or its operands are put on top to be done before it."""
        node: cython.int = code >> 1
        kind: cython.int = self.source.node_kind[node]
        before: cython.int = depth
        below: cython.int
        position: cython.longlong
        if self.known[code] >= 0:
            return depth - 1
        if kind <= NODE_LITERAL:
            self.known[code] = self.leaf(node, kind)
            return depth - 1
        # The last one first, so that the first one is on top: parts that are new are numbered as they were written.
        for position in range(self.source.node_start[node + 1] - 1, self.source.node_start[node] - 1, -1):
            below = self.code_of(self.source.child[position], code & 1)
            if self.known[below] < 0:
                self.push(depth, below)
                depth += 1
        if depth > before:
            return depth
        self.known[code] = self.inner(code, kind)
        return depth - 1

    def push(self, depth, code):
        if depth >= self.stack.shape[0]:
            self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = code
        return 0

    def leaf(self, node, kind):
        """Return the part of a predicate or a constant."""
        part: cython.int
        if kind == NODE_LITERAL:
            raise ValueError(f"node {node} is a literal, which nobody writes")
        if kind == NODE_PREDICATE:
            part = self.copier.copy_predicate(self.source.node_code[node])
            self.table.prepare_new()
            part = self.graph.predicate_leaf(part)
        else:
            part = self.graph.add_leaf(kind, 0)
        self.extend()
        return part

    def inner(self, code, kind):
        """Return the part of an operator over what became of its operands; their order makes no difference."""
        first: cython.longlong = self.source.node_start[code >> 1]
        count: cython.Py_ssize_t = self.source.node_start[(code >> 1) + 1] - first
        offset: cython.Py_ssize_t
        part: cython.int
        truth: cython.int
        if count > self.operands.shape[0]:
            self.operands = grown(self.operands, count)
        for offset in range(count):
            self.operands[offset] = self.known[self.code_of(self.source.child[first + offset], code & 1)]
        if self.unique:
            self.sort_operands(count)
        truth = code & 1 and self.only_truth(kind, count)
        part = self.graph.intern_node(kind, truth, cython.address(self.operands[0]), count)
        self.extend()
        return part

    def sort_operands(self, count):
        """Sort ``operands[:count]``; those that come again stay, since XOR counts them."""
        offset: cython.Py_ssize_t
        at: cython.Py_ssize_t
        number: cython.int
        if count > _FEW:
            np.asarray(self.operands)[:count].sort()
            return 0
        for offset in range(1, count):
            number = self.operands[offset]
            at = offset
            while at > 0 and self.operands[at - 1] > number:
                self.operands[at] = self.operands[at - 1]
                at -= 1
            self.operands[at] = number
        return 0

    def only_truth(self, kind, count):
        """Return whether a part over ``operands[:count]`` is told on demand, or made of one that is."""
        offset: cython.Py_ssize_t
        below: cython.int
        kind_below: cython.int
        if kind == NODE_AND and combined(kind, self.default, self.operands, 0, count) != OUTCOME_TRUE:
            return True
        for offset in range(count):
            below = self.operands[offset]
            kind_below = self.graph.node_kind[below]
            if (kind_below == NODE_AND or kind_below == NODE_OR) and self.graph.node_code[below] == 1:
                return True
        return False

    # What is known of a part

    def extend(self):
        """Make ready what the graph has gained. After an error it goes on where it was: to tell twice does no harm."""
        while self.ready < self.graph.node_count:
            self.reserve(self.ready + 1)
            self.prepare(self.ready)
            self.count += self.level[self.ready] > 0
            self.ready += 1
        return 0

    def reserve(self, needed):
        while self.links.count < needed:
            self.links.new_list()
        if needed > self.level.shape[0]:
            defaults, rarities = grown(self.default, needed), grown(self.rarity, needed)
            self.level = grown(self.level, needed)
            self.default, self.rarity = defaults, rarities
        return 0

    def prepare(self, part):
        kind: cython.int = self.graph.node_kind[part]
        if kind == NODE_PREDICATE:
            return self.prepare_test(part)
        if kind > NODE_LITERAL:
            return self.prepare_inner(part, kind)
        self.level[part] = 0 if kind == NODE_LITERAL else 1
        self.default[part] = OUTCOME_TRUE if kind == NODE_TRUE else OUTCOME_FALSE
        self.rarity[part] = 0
        return 0

    def prepare_test(self, part):
        predicate: cython.int = self.graph.node_code[part]
        operator: cython.int = self.graph.predicate_operator[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        self.level[part] = 1
        self.default[part] = self.absent[operator]
        self.rarity[part] = _rarities[operator]
        while self.tests.count <= attribute:
            self.tests.new_list()
        self.tests.append(attribute, part)
        return 0

    def prepare_inner(self, part, kind):
        first: cython.longlong = self.graph.node_start[part]
        last: cython.longlong = self.graph.node_start[part + 1]
        position: cython.longlong
        level: cython.int = 0
        below: cython.int
        self.default[part] = combined(kind, self.default, self.graph.child, first, last)
        self.rarity[part] = self.rarity_of(kind, first, last)
        self.level[part] = 0
        for position in range(first, last):
            below = self.level[self.graph.child[position]]
            if below == 0:
                return 0  # it is scored, not matched
            level = max(level, below)
        self.level[part] = level + 1
        self.highest = max(self.highest, level + 1)
        return self.link_below(part, kind)

    def rarity_of(self, kind, first, last):
        """Return the rarity of a part: an AND holds as all operands together, an OR as the most frequent one."""
        position: cython.longlong
        total: cython.int = 0
        least: cython.int = _RAREST
        if kind != NODE_AND and kind != NODE_OR:
            return 0
        for position in range(first, last):
            total = min(_RAREST, total + self.rarity[self.graph.child[position]])
            least = min(least, self.rarity[self.graph.child[position]])
        return total if kind == NODE_AND else least

    # Who is told

    def tell(self, part, target, told):
        """Let a target be told of a part; return its index in the part's list."""
        return self.links.append(part, 4 * target + told)

    def link_below(self, part, kind):
        """Let a part be told by its operands; by one of them, if it is an AND that is told on demand."""
        first: cython.longlong = self.graph.node_start[part]
        last: cython.longlong = self.graph.node_start[part + 1]
        position: cython.longlong
        if kind == NODE_AND and self.graph.node_code[part] == 1 and self.default[part] != OUTCOME_TRUE:
            self.tell(self.access_child(first, last), part, TOLD_TRUTH)
            return 0
        for position in range(first, last):
            if position == first or self.graph.child[position] != self.graph.child[position - 1]:
                self.tell(self.graph.child[position], part, TOLD_CHANGE)
        return 0

    def access_child(self, first, last):
        """Return the operand that tells an AND: one whose default is not TRUE, since it must become true."""
        position: cython.longlong
        below: cython.int
        best: cython.int = -1
        if self.access_choice == _RANDOM:
            return self.chosen_by_lot(first, last)
        for position in range(first, last):
            below = self.graph.child[position]
            if self.default[below] != OUTCOME_TRUE and (
                best < 0 or (self.access_choice == _SELECTIVE and self.more_selective(below, best))
            ):
                best = below
        return best

    def chosen_by_lot(self, first, last):
        position: cython.longlong
        below: cython.int
        best: cython.int = -1
        found: cython.ulonglong = 0
        for position in range(first, last):
            below = self.graph.child[position]
            if self.default[below] != OUTCOME_TRUE:
                found += 1
                self.dice = mixed(self.dice, 1)
                # The n-th takes the place of those before it once in n times, so that all have the same chance.
                if self.dice % found == 0:
                    best = below
        return best

    def more_selective(self, left, right):
        if self.rarity[left] != self.rarity[right]:
            return self.rarity[left] > self.rarity[right]
        return list_length(self.links.place[left]) < list_length(self.links.place[right])
