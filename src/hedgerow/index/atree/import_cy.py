"""The way of an expression into the tree: from the parser's graph to operands, in one pass.

Zero suppression happens on the way: NOT goes down to the predicates by De Morgan's laws, constants are folded, XOR and
XNOR are written as AND and OR beforehand. A part of the other graph is looked at once, as it is and negated, until
that graph is cleared; ``known[2 * node + negated]`` is what became of it: an operand, or one of the constants.

Nested operators of one kind are a *region*: ``((a AND b) AND c) AND (d AND e)``. It becomes one node over its operands,
where the groups at the bottom of it, here ``a AND b`` and ``d AND e``, stay nodes of their own that others may share.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.ahead_cy import Ahead
from cython.cimports.hedgerow.index.atree.tree_cy import Tree
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
)
from cython.cimports.hedgerow.language.rewrite.literals_cy import literal_code

from hedgerow import limits
from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError
from hedgerow.language.rewrite.exclusive_cy import exclusive

_MAX_OPERANDS = cython.declare(cython.longlong, limits.MAX_WRITTEN_PARTS)

# What is known of a part: an operand from 0 on, or one of these.
_UNKNOWN = cython.declare(cython.int, -1)
_TRUE = cython.declare(cython.int, -2)
_FALSE = cython.declare(cython.int, -3)


@cython.final
@cython.cclass
class Importer:
    """Takes expressions of other graphs into a tree."""

    def __init__(self, tree: Tree, missing: str):
        self.tree = tree
        self.reading = 4 if missing == "false" else 0
        self.ahead = Ahead(tree, self.reading)
        self.known = filled(32, _UNKNOWN, np.int32)
        self.met = np.zeros(32, np.int32)
        self.stack = np.empty(32, np.int32)
        self.region = np.empty(32, np.int32)
        self.found = np.empty(32, np.int32)

    @property
    def nbytes(self):
        """Bytes held, with the graph that was last taken from."""
        known = self.known.nbytes + self.met.nbytes + self.stack.nbytes + self.region.nbytes + self.found.nbytes
        known += self.ahead.nbytes
        if self.source is None:
            return known
        copied = self.copier.nodes.nbytes + self.copier.predicates.nbytes + self.copier.attributes.nbytes
        return known + self.source.nbytes + copied

    def take(self, graph, node):
        """Return the tree's operand for a node of another graph, or a constant: -2 is TRUE, -3 is FALSE."""
        if graph.kinds & (1 << NODE_XOR | 1 << NODE_XNOR):
            node = exclusive(graph, node)
        self.remember(graph)
        if self.tree.unique:
            self.ahead.look(node)
        self.collected = 0
        self.resolve(2 * node)
        operand: cython.int = self.known[2 * node]
        if not self.tree.unique:
            self.forget_below(node)
        return operand

    def forget_below(self, node):
        """Let the next expression of the same graph have parts of its own."""
        number: cython.int
        for number in self.source.below(node):
            self.known[2 * number] = _UNKNOWN
            self.known[2 * number + 1] = _UNKNOWN
        self.copier = Copier(self.source, self.tree.graph)
        return 0

    def remember(self, graph):
        """Go on with what is known of a graph, or begin anew if it is another one."""
        needed: cython.Py_ssize_t = 2 * graph.node_count
        if self.source is not graph or self.generation != graph.generation or self.frees != self.tree.frees:
            self.copier = Copier(graph, self.tree.graph)
            self.copier.take_over(graph.foreseen)
            self.source = graph
            self.generation = graph.generation
            self.frees = self.tree.frees
            self.known[: self.used] = _UNKNOWN
            self.ahead.begin(self.copier)
        if needed > self.known.shape[0]:
            known = grown(self.known, needed, _UNKNOWN)
            self.known, self.met = known, grown(self.met, known.size, 0)
        self.used = needed
        return 0

    def forget(self):
        """Let go of the other graph."""
        self.source = None
        self.copier = None
        self.ahead.forget()

    def resolve(self, code):
        """Find out what becomes of a part, and first of all that it is made of, without recursion."""
        depth: cython.int = 1
        self.push(0, code)
        while depth:
            depth = self.step(self.stack[depth - 1], depth)
        return 0

    def step(self, code, depth):
        """Work on the part on top of the stack: it is done, or others are put on top that must be done before it."""
        kind: cython.int
        offset: cython.int
        before: cython.int = depth
        if self.known[code] != _UNKNOWN:
            return depth - 1
        kind = self.kind_of(code)
        if kind <= NODE_LITERAL:
            self.known[code] = self.leaf(code >> 1, code & 1)
            return depth - 1
        if kind == NODE_NOT:
            code = self.below_not(code)
            if self.known[code] == _UNKNOWN:
                self.push(depth, code)
                return depth + 1
            self.known[self.stack[depth - 1]] = self.known[code]
            return depth - 1
        self.collect(code)
        # The first on top, so that parts get their numbers in the order in which they are written.
        for offset in range(self.found_count - 1, -1, -1):
            if self.known[self.found[offset]] == _UNKNOWN:
                self.push(depth, self.found[offset])
                depth += 1
        if depth > before:
            return depth
        self.known[code] = self.combine(kind)
        return depth - 1

    def kind_of(self, code):
        """Return what a part is, with AND and OR changed over where it is negated."""
        kind: cython.int = self.source.node_kind[code >> 1]
        if code & 1 and kind == NODE_AND:
            return NODE_OR
        if code & 1 and kind == NODE_OR:
            return NODE_AND
        return kind

    def below_not(self, code):
        """Return the part below a NOT, and below the NOTs that it may be."""
        while self.source.node_kind[code >> 1] == NODE_NOT:
            code = 2 * self.source.child[self.source.node_start[code >> 1]] + 1 - (code & 1)
        return code

    def leaf(self, node, negative):
        """Return the operand of a predicate, or a constant."""
        kind: cython.int = self.source.node_kind[node]
        code: cython.int
        if kind <= NODE_TRUE:
            return _TRUE if (kind == NODE_TRUE) != negative else _FALSE
        if self.tree.unique and kind == NODE_PREDICATE and not negative:
            code = self.ahead.code[node]
        else:
            code = literal_code(self.source, node, negative, self.reading)
        code = self.copier.copy_predicate(code >> 2) * 4 + (code & 3)
        if self.tree.table.count < self.tree.graph.predicate_count:
            self.tree.table.prepare_new()
        return self.tree.literal(code)

    def collect(self, code):
        """Write the operands of the region below a part into ``found``."""
        kind: cython.int = self.kind_of(code)
        depth: cython.int = 1
        position: cython.longlong
        node: cython.int
        negative: cython.int
        self.found_count = 0
        self.meeting += 1
        self.region[0] = code
        while depth:
            depth -= 1
            node = self.region[depth] >> 1
            negative = self.region[depth] & 1
            for position in range(self.source.node_start[node], self.source.node_start[node + 1]):
                depth = self.collect_child(kind, self.below_not(2 * self.source.child[position] + negative), depth)
        return 0

    def collect_child(self, kind, code, depth):
        """Take a part as an operand, or open it if it is of the region and not at its bottom."""
        if self.met[code] == self.meeting:
            return depth
        self.met[code] = self.meeting
        if self.kind_of(code) == kind and self.is_nested(kind, code):
            if depth >= self.region.shape[0]:
                self.region = grown(self.region, depth + 1)
            self.region[depth] = code
            return depth + 1
        if self.found_count >= self.found.shape[0]:
            self.found = grown(self.found, self.found_count + 1)
        self.found[self.found_count] = code
        self.found_count += 1
        self.collected += 1
        if self.collected > _MAX_OPERANDS:
            # Parts that are objects may be shared within one expression, and each region they are in has all of theirs.
            raise LimitError(f"an expression of more than {_MAX_OPERANDS:,} operands once it is flattened")
        return depth

    def is_nested(self, kind, code):
        """Return whether a part has operands of its own kind."""
        node: cython.int = code >> 1
        position: cython.longlong
        for position in range(self.source.node_start[node], self.source.node_start[node + 1]):
            if self.kind_of(self.below_not(2 * self.source.child[position] + (code & 1))) == kind:
                return True
        return False

    def combine(self, kind):
        """Return the operand of a kind over what became of ``found``."""
        neutral: cython.int = _TRUE if kind == NODE_AND else _FALSE
        offset: cython.int
        operand: cython.int
        count: cython.int = 0
        self.tree.ensure_scratch(self.found_count)
        for offset in range(self.found_count):
            operand = self.known[self.found[offset]]
            if operand >= 0:
                self.tree.operands[count] = operand
                count += 1
            elif operand != neutral:
                return operand
        return neutral if count == 0 else self.tree.inner(kind, count)

    def push(self, depth, code):
        if depth >= self.stack.shape[0]:
            self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = code
        return 0
