"""Scores of expressions, in compiled code: what ``language/score.py`` says, on nodes of an engine's graph.

The score of a literal that holds is the largest product of the weights of a value in the expression and in the event,
and 0 where its values have no weights; AND adds the scores of its operands, OR takes the largest. Nodes are AND and OR
over literals, as ``simplify`` leaves them. Only what is below the nodes that are asked for is worked out, each once an
event, without recursion.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, NODE_TRUE

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.language.operators import Accepts, Operator

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))
_LAST_EVENT = cython.declare(cython.int, (1 << 31) - 1)


@cython.final
@cython.cclass
class Scorer:
    """Scores of nodes, for one event after the other.

    One search uses it at a time and leaves it to the next one: its arrays are as long as the graph, and to have new
    ones from the system takes longer than to score a few matches.
    """

    def __init__(self):
        self.known = np.zeros(16, np.int32)
        self.holds = np.empty(16, np.uint8)
        self.score = np.empty(16, np.float64)
        self.stack = np.empty(64, np.int32)

    def take(self, graph, outcomes, node_count):
        """Go on with the first nodes of a graph, and with these outcomes."""
        self.outcomes = outcomes
        self.kind, self.code, self.start, self.child = graph.node_kind, graph.node_code, graph.node_start, graph.child
        if node_count > self.known.shape[0]:
            size: cython.Py_ssize_t = max(node_count, 2 * self.known.shape[0])
            self.holds, self.score = roomy(size, np.uint8), roomy(size, np.float64)
            self.known = filled(size, 0, np.int32)
            self.event = 0
        return 0

    def take_bounds(self, graph, table):
        """Go on with a graph as it is now, and with the greatest scores that nodes can have, whatever the event."""
        self.take(graph, None, graph.node_count)
        self.listed_weight = table.listed_weight
        self.operator = graph.predicate_operator
        self.operand = graph.predicate_start
        self.bounding = True
        return 0

    def bound_of(self, root):
        """Return the greatest score that a node can have for an event whose own weights are 1 at most."""
        self.begin()
        return self.score_of(root)

    def begin(self):
        """Begin an event: its row is begun in the outcomes."""
        if self.event == _LAST_EVENT:  # numbers begin anew, and none of the old ones may be left
            self.known = filled(self.known.shape[0], 0, np.int32)
            self.event = 0
        self.event += 1
        return 0

    def score_of(self, root):
        """Return the score of a node that holds."""
        depth: cython.Py_ssize_t = 1
        below: cython.Py_ssize_t
        node: cython.int
        self.stack[0] = root
        while depth:
            node = self.stack[depth - 1]
            if self.known[node] != self.event:
                below = self.push_unknown(node, depth)
                if below > depth:
                    depth = below
                    continue
                self.settle(node)
            depth -= 1
        return self.score[root]

    def push_unknown(self, node, depth):
        """Put those operands on the stack that are not worked out yet; return how deep it is then."""
        position: cython.longlong
        first: cython.longlong = self.start[node]
        last: cython.longlong = self.start[node + 1]
        if depth + (last - first) > self.stack.shape[0]:
            with cython.gil:
                self.lengthen(depth + (last - first))
        if not self.bounding:
            self.outcomes.spend(last - first + 1)
        for position in range(first, last):
            if self.known[self.child[position]] != self.event:
                self.stack[depth] = self.child[position]
                depth += 1
        return depth

    def lengthen(self, needed):
        self.stack = grown(self.stack, needed)
        return 0

    def settle(self, node):
        """Work a node out whose operands are."""
        kind: cython.int = self.kind[node]
        position: cython.longlong
        operand: cython.int
        if kind == NODE_LITERAL:
            return self.settle_literal(node)
        self.known[node] = self.event
        self.score[node] = 0.0
        self.holds[node] = kind == NODE_AND or kind == NODE_TRUE
        for position in range(self.start[node], self.start[node + 1]):
            operand = self.child[position]
            if kind == NODE_AND:
                self.holds[node] &= self.holds[operand]
                self.score[node] += self.score[operand]
            elif kind == NODE_OR and self.holds[operand]:
                self.holds[node] = True
                if self.score[operand] > self.score[node]:
                    self.score[node] = self.score[operand]
        if not self.holds[node]:
            self.score[node] = 0.0
        return 0

    def settle_literal(self, node):
        code: cython.int = self.code[node]
        if self.bounding:
            return self.settle_bound(node, code)
        operator: cython.int = self.outcomes.operator[code >> 2]
        self.known[node] = self.event
        self.holds[node] = self.outcomes.literal(code)
        self.score[node] = 0.0
        if self.holds[node] and code & 3 == _ACCEPTS_TRUE and (operator == _EQ or operator == _IN):
            self.score[node] = self.outcomes.score(code >> 2)
        return 0

    def settle_bound(self, node, code):
        """Let a literal hold, by the value of it that has the greatest weight."""
        position: cython.longlong
        operator: cython.int = self.operator[code >> 2]
        self.known[node] = self.event
        self.holds[node] = True
        self.score[node] = 0.0
        if self.listed_weight.shape[0] and code & 3 == _ACCEPTS_TRUE and (operator == _EQ or operator == _IN):
            for position in range(self.operand[code >> 2], self.operand[(code >> 2) + 1]):
                self.score[node] = max(self.score[node], self.listed_weight[position])
        return 0
