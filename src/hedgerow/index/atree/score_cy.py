"""Scores of nodes, and the best matches without scoring all of them.

The score of a node is that of ``language/score.py``, on shared nodes::

    a = v, a IN (v, ...)   the largest product of the weights of a value in the expression and in the event
    other literals         0
    OR                     the largest score of its operands; those that do not hold count as 0
    AND                    the sum of its operands, each once; one that is an AND itself counts as its own operands

A ``Scorer`` works out what it needs of the nodes below one, without recursion, and remembers it until the next event,
so that shared nodes are scored once. An AND below an AND is not added up by itself, only opened where it is part of a
sum: else a long chain of ANDs would cost its square.

With each slot an *upper bound* is kept: the score of its root if all literals held with their greatest weight. No event
whose weights are at most 1 scores more; with others, the bound times the largest of them. ``Best`` takes the matches
from the highest bound down, by a heap, and stops when the last of the ``n`` best so far cannot be beaten::

    bounds   9.0  7.5  7.5  6.0 │ 5.9  5.2 ...        slots whose bound is 0 have their static weight, and no more
    scores   8.0  2.0  7.5  6.0 │ not worked out      n = 3: 6.0 is the worst that is kept
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.tree_cy import place_length, place_start
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR
from cython.cimports.hedgerow.predicate.table_cy import listed_count

from hedgerow.arrays_cy import grown
from hedgerow.language.operators import Accepts, Operator

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))

# A bound is kept in 32 bits and may have been added up in another order than a score: it is made greater by more than
# all of that can round. The smallest one is not 0, which says that there are no weights.
_GREATER = cython.declare(cython.double, 1.000001)
_LEAST_BOUND = cython.declare(cython.double, 1.2e-38)
_GREATEST_BOUND = cython.declare(cython.double, 3.4e38)
_LOW_BITS = cython.declare(cython.longlong, 0xFFFFFFFF)
_INFINITE = cython.declare(cython.float, float("inf"))


@cython.final
@cython.cclass
class Scorer:
    """Scores of nodes for one event after the other, or their upper bounds over all events.

    One search uses it at a time; it is left to the next one, because making its arrays anew would cost more than a
    small search.
    """

    def __init__(self):
        self.seen_at = np.zeros(16, np.int32)
        self.standing = np.empty(16, np.uint8)
        self.score = np.empty(16, np.float64)
        self.met = np.zeros(16, np.int32)
        self.stack = np.empty(64, np.int32)
        self.groups = np.empty(64, np.int32)

    def begin(self, tree, outcomes, node_count):
        """Begin an event, that of ``outcomes``; None stands for all events, whose upper bounds are wanted."""
        self.kind, self.body, self.parts = tree.kind, tree.body, tree.parts
        self.operator = tree.graph.predicate_operator
        self.table = tree.table
        self.outcomes = outcomes
        self.event += 1
        if node_count > self.seen_at.shape[0]:
            size = node_count + node_count // 4
            self.seen_at, self.met = np.zeros(size, np.int32), np.zeros(size, np.int32)
            self.standing, self.score = np.empty(size, np.uint8), np.empty(size, np.float64)
        return 0

    def end(self):
        """Let go of the search, so that nothing of it is kept alive."""
        self.outcomes = None
        return 0

    def bound(self, tree, node):
        """Return what no event whose weights are at most 1 makes a node's score greater than; 0 without weights."""
        greatest: cython.double
        self.begin(tree, None, tree.node_count)
        with cython.nogil:
            greatest = self.worth(node) * _GREATER
        if greatest == 0.0:
            return 0.0
        if greatest > _GREATEST_BOUND:
            return _INFINITE
        return cython.cast(cython.float, max(greatest, _LEAST_BOUND))

    def worth(self, node):
        """Return the score of a node; 0 if it does not hold."""
        if self.seen_at[node] != self.event:
            self.evaluate(node)
        return self.settled(node)

    def evaluate(self, node):
        """Find out about a node, and first about all that it is made of."""
        depth: cython.int = 1
        waiting: cython.int
        self.push(0, node)
        while depth:
            if self.outcomes is not None:
                self.outcomes.spend(4)
            node = self.stack[depth - 1]
            if self.seen_at[node] == self.event:
                depth -= 1
                continue
            waiting = self.stack_unknown(node, depth)
            if waiting > depth:
                depth = waiting
                continue
            depth -= 1
            if self.kind[node] == NODE_OR:
                self.settle_or(node)
            elif self.kind[node] == NODE_AND:
                self.settle_and(node)
            else:
                self.settle_leaf(node)
        return 0

    def stack_unknown(self, node, depth):
        """Put the inner operands of a node that nothing is known of on the stack, and settle its literals at once."""
        place: cython.longlong
        position: cython.longlong
        operand: cython.int
        if self.kind[node] != NODE_AND and self.kind[node] != NODE_OR:
            return depth
        place = self.body[node]
        for position in range(place_start(place), place_start(place) + place_length(place)):
            operand = self.parts[position]
            if self.seen_at[operand >> 1] == self.event:
                continue
            if operand & 1:
                self.push(depth, operand >> 1)
                depth += 1
            else:
                self.settle_leaf(operand >> 1)
        return depth

    def settle(self, node, standing, score):
        """Remember what is known of a node for this event."""
        self.seen_at[node] = self.event
        self.standing[node] = standing
        self.score[node] = score
        return 0

    def settle_leaf(self, node):
        """Settle a literal, or the node that always holds."""
        code: cython.int
        scored: cython.bint
        if self.kind[node] != NODE_LITERAL:
            return self.settle(node, HOLDS, 0.0)
        code = cython.cast(cython.int, self.body[node] & _LOW_BITS)
        scored = code & 3 == _ACCEPTS_TRUE and (self.operator[code >> 2] == _EQ or self.operator[code >> 2] == _IN)
        if self.outcomes is None:
            return self.settle(node, HOLDS, self.greatest_weight(code >> 2) if scored else 0.0)
        if not self.outcomes.literal(code):
            return self.settle(node, FAILS, 0.0)
        return self.settle(node, HOLDS, self.outcomes.score(code >> 2) if scored else 0.0)

    def greatest_weight(self, predicate):
        """Return the greatest weight that a value of a predicate has, and 0 at least."""
        greatest: cython.double = 0.0
        start: cython.longlong
        position: cython.longlong
        if self.table.listed_weight.shape[0] == 0:
            return 0.0
        start = self.table.graph.predicate_start[predicate]
        for position in range(start, start + listed_count(self.table, predicate)):
            if self.table.listed_weight[position] > greatest:
                greatest = self.table.listed_weight[position]
        return greatest

    def settle_or(self, node):
        """Settle an OR whose operands are settled: it holds if one does."""
        place: cython.longlong = self.body[node]
        position: cython.longlong
        operand: cython.int
        standing: cython.int = FAILS
        greatest: cython.double = 0.0
        for position in range(place_start(place), place_start(place) + place_length(place)):
            operand = self.parts[position] >> 1
            if self.standing[operand] != FAILS:
                standing = HOLDS
                greatest = max(greatest, self.settled(operand))
        return self.settle(node, standing, greatest)

    def settle_and(self, node):
        """Settle an AND whose operands are settled: it holds if all do. What it adds up to is seen to when wanted."""
        place: cython.longlong = self.body[node]
        position: cython.longlong
        for position in range(place_start(place), place_start(place) + place_length(place)):
            if self.standing[self.parts[position] >> 1] == FAILS:
                return self.settle(node, FAILS, 0.0)
        return self.settle(node, HOLDS_UNADDED, 0.0)

    def settled(self, node):
        """Return the score of a node that is settled."""
        if self.standing[node] == HOLDS_UNADDED:
            self.settle(node, HOLDS, self.added(node))
        return self.score[node]

    def added(self, node):
        """Return the sum over the operands of an AND that holds, those that are ANDs opened, each once."""
        place: cython.longlong
        position: cython.longlong
        operand: cython.int
        depth: cython.int = 1
        total: cython.double = 0.0
        self.meeting = self.meeting + 1
        self.groups[0] = node
        while depth:
            depth -= 1
            place = self.body[self.groups[depth]]
            for position in range(place_start(place), place_start(place) + place_length(place)):
                operand = self.parts[position] >> 1
                if self.met[operand] == self.meeting:
                    continue
                self.met[operand] = self.meeting
                if self.kind[operand] != NODE_AND:
                    total += self.score[operand]
                    continue
                if depth >= self.groups.shape[0]:
                    with cython.gil:
                        self.groups = grown(self.groups, depth + 1)
                self.groups[depth] = operand
                depth += 1
        return total

    def push(self, depth, node):
        if depth >= self.stack.shape[0]:
            with cython.gil:
                self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = node
        return 0


@cython.final
@cython.cclass
class Best:
    """The best of some slots, with what is needed to score them: root, static weight and bound of each slot.

    ``scale`` is the largest weight that the event gives, and 1 at least.
    """

    def __init__(
        self, scorer: Scorer, root: cython.int[::1], weight: cython.double[::1], bound: cython.float[::1], scale: float
    ):
        self.scorer = scorer
        self.root = root
        self.weight = weight
        self.bound = bound
        self.scale = scale

    def of(self, slots: cython.const[cython.int][::1], n: cython.Py_ssize_t):
        """Return the ``n`` best of ``slots``, and their scores; of equal ones the lower slots come first."""
        n = min(n, slots.shape[0])
        self.queue = np.empty(slots.shape[0], np.int32)
        self.queue_bound = np.empty(slots.shape[0], np.float64)
        self.kept = np.empty(n, np.int32)
        self.kept_score = np.empty(n, np.float64)
        self.count = 0
        with cython.nogil:
            self.fill(slots)
            self.choose(n)
        kept, scores = np.asarray(self.kept), np.asarray(self.kept_score)
        order = np.lexsort((kept, -scores))
        return kept[order], scores[order]

    def of_all(self, slots: cython.const[cython.int][::1], n: cython.Py_ssize_t):
        """Return the same by scoring all and sorting: for tests, and as what to beat."""
        scores: cython.double[::1] = np.empty(slots.shape[0], np.float64)
        position: cython.Py_ssize_t
        with cython.nogil:
            for position in range(slots.shape[0]):
                scores[position] = self.exact(slots[position])
        order = np.argsort(-np.asarray(scores), kind="stable")[:n]
        return np.asarray(slots)[order], np.asarray(scores)[order]

    def fill(self, slots):
        """Make a heap of the slots, that with the highest bound on top."""
        position: cython.Py_ssize_t
        slot: cython.int
        self.queued = slots.shape[0]
        for position in range(self.queued):
            slot = slots[position]
            self.queue[position] = slot
            self.queue_bound[position] = self.weight[slot]
            if self.bound[slot] > 0.0:
                self.queue_bound[position] += self.bound[slot] * self.scale
        for position in range(self.queued // 2 - 1, -1, -1):
            _sink(self.queue, self.queue_bound, self.queued, position, True)
        return 0

    def choose(self, n):
        """Score slots from the highest bound down, until the worst that is kept is not worse than all that is left."""
        slot: cython.int
        while self.queued and n:
            slot = self.queue[0]
            if self.count == n and not _is_before(self.queue_bound[0], slot, self.kept_score[0], self.kept[0]):
                return 0
            self.keep(slot, self.exact(slot), n)
            self.queued = self.queued - 1
            self.queue[0] = self.queue[self.queued]
            self.queue_bound[0] = self.queue_bound[self.queued]
            _sink(self.queue, self.queue_bound, self.queued, 0, True)
        return 0

    def exact(self, slot):
        """Return the score of a slot."""
        if not self.bound[slot] > 0.0:
            return self.weight[slot]
        self.scored = self.scored + 1
        return self.weight[slot] + self.scorer.worth(self.root[slot])

    def keep(self, slot, score, n):
        """Put a slot among the ``n`` best so far, a heap with the worst on top, if it belongs there."""
        position: cython.Py_ssize_t = self.count
        if self.count < n:
            self.kept[position] = slot
            self.kept_score[position] = score
            self.count = self.count + 1
            if self.count == n:
                for position in range(n // 2 - 1, -1, -1):
                    _sink(self.kept, self.kept_score, n, position, False)
            return 0
        if _is_before(score, slot, self.kept_score[0], self.kept[0]):
            self.kept[0] = slot
            self.kept_score[0] = score
            _sink(self.kept, self.kept_score, n, 0, False)
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_before(score: cython.double, slot: cython.int, other: cython.double, other_slot: cython.int) -> cython.bint:
    """Return whether a slot is better than another: by score, then by its number."""
    return score > other or (score == other and slot < other_slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _sink(
    slots: cython.int[::1],
    scores: cython.double[::1],
    count: cython.Py_ssize_t,
    position: cython.Py_ssize_t,
    best_first: cython.bint,
) -> cython.int:
    """Let an entry of a heap sink to its place; the best is on top, or the worst."""
    below: cython.Py_ssize_t = 2 * position + 1
    slot: cython.int
    score: cython.double
    if below >= count:
        return 0
    slot = slots[position]
    score = scores[position]
    while below < count:
        if (
            below + 1 < count
            and _is_before(scores[below + 1], slots[below + 1], scores[below], slots[below]) == best_first
        ):
            below += 1
        if _is_before(scores[below], slots[below], score, slot) != best_first:
            break
        slots[position] = slots[below]
        scores[position] = scores[below]
        position = below
        below = 2 * position + 1
    slots[position] = slot
    scores[position] = score
    return 0
