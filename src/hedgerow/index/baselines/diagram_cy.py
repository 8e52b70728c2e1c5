"""A reduced, ordered binary decision diagram that many functions share.

::

    a AND (b OR c)       2  a  low 0, high 3      a function is the number of a node: 2, for this one
                         3  b  low 4, high 1      0 and 1 are false and true
    b OR c               3                        which is a part of the first one
    c                    4  c  low 0, high 1

A node asks for its variable: where that holds, ``high`` says what the function comes to, else ``low`` does. Always:

- Variables go up on each way down, and the terminals' is the greatest.
- No node has ``low`` and ``high`` alike, and no two are alike in all three: so equal functions are one node.
- Nodes come after those that they lead to, and never change. New variables come last in the order.

Functions are joined by AND and OR pair by pair from the top down, each pair once an expression. In what is left over
when an expression is done, or cannot be, is nothing that others lead to: it is the end of the nodes, and goes.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.language.graph_cy import NODE_AND

from hedgerow import limits
from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError

_NO_VARIABLE = cython.declare(cython.int, (1 << 31) - 1)  # the terminals'
_MOST_NODES = cython.declare(cython.int, (1 << 29) - 1)  # so that the slots of a hash table can be counted
_UNKNOWN = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class Diagram:
    """Nodes that ask for a variable and lead on, each once: ``nodes`` has variable, 0, and where it leads.

    One writer adds, with the GIL held. Searches read what is below the functions that they know of.
    """

    def __init__(self):
        self.nodes = Keys()
        self.nodes.number(_NO_VARIABLE, 0, ends(0, 0))
        self.nodes.number(_NO_VARIABLE, 0, ends(0, 1))
        self.pairs = Keys()
        self.joint = np.empty(16, np.int32)
        self.waiting = np.empty(16, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes this diagram of."""
        return self.nodes.saved()

    @staticmethod
    def restored(arrays):
        """Return the diagram that was saved as these arrays, in these arrays."""
        diagram: Diagram = Diagram()
        diagram.nodes = Keys.restored(arrays)
        return diagram

    @property
    def nbytes(self):
        """Bytes held by the nodes."""
        return self.nodes.nbytes

    # One expression: ``begin``, join, ``swept``; ``take_back`` if it fails

    def begin(self):
        """Begin an expression; return how many nodes there are."""
        self.pairs = Keys()
        self.depth = 0
        self.steps = limits.MAX_DIAGRAM_STEPS
        return self.nodes.count

    def take_back(self, count):
        """Take out the nodes from ``count`` on."""
        return self.nodes.take_back(count)

    def swept(self, count, root):
        """Keep of the nodes from ``count`` on what a function is made of; return its node, which may have moved."""
        made: cython.int = self.nodes.count - count
        place: cython.int[::1] = filled(made + 1, 0, np.int32)
        position: cython.int
        node: cython.int
        payload: cython.longlong
        if root >= count:
            place[root - count] = True
        for position in range(made - 1, -1, -1):
            if place[position]:
                payload = self.nodes.payload[count + position]
                for node in (low_of(payload), high_of(payload)):
                    if node >= count:
                        place[node - count] = True
        # What is taken back stays in the arrays until the next is written, which is never behind it.
        self.nodes.take_back(count)
        for position in range(made):
            if place[position]:
                payload = self.nodes.payload[count + position]
                place[position] = self.nodes.number(
                    self.nodes.attribute[count + position],
                    0,
                    ends(_moved(place, count, low_of(payload)), _moved(place, count, high_of(payload))),
                )
        return _moved(place, count, root)

    def spend(self):
        """Count a step of the expression begun."""
        self.steps -= 1
        if self.steps < 0:
            raise LimitError(
                f"a decision diagram that takes more than {limits.MAX_DIAGRAM_STEPS:,} steps to make; "
                "the engine 'atree' takes such an expression as it is"
            )
        return 0

    # Functions

    def node(self, variable, low, high):
        """Return the function that is ``high`` where a variable before theirs holds, else ``low``."""
        if low == high:
            return low
        if self.nodes.count >= _MOST_NODES:
            raise LimitError(f"decision diagrams of more than {_MOST_NODES:,} nodes in one index")
        return self.nodes.number(variable, 0, ends(low, high))

    def chain(self, kind, variables, count):
        """Return AND or OR of variables in ascending order: from the last one up, so that each is a step."""
        is_and: cython.bint = kind == NODE_AND
        position: cython.Py_ssize_t
        variable: cython.int
        node: cython.int = TERMINAL_TRUE if is_and else TERMINAL_FALSE
        for position in range(count - 1, -1, -1):
            if position + 1 < count and variables[position] == variables[position + 1]:
                continue
            self.spend()
            variable = cython.cast(cython.int, variables[position])
            node = self.node(variable, TERMINAL_FALSE if is_and else node, node if is_and else TERMINAL_TRUE)
        return node

    def joined_all(self, kind, parts, count):
        """Return AND or OR of functions, joined in pairs and these in pairs again: so none is gone through too often.

        ``parts`` is written over.
        """
        position: cython.Py_ssize_t
        while count > 1:
            for position in range(count // 2):
                parts[position] = self.joined(kind, parts[2 * position], parts[2 * position + 1])
            if count % 2:
                parts[count // 2] = parts[count - 1]
            count = (count + 1) // 2
        return parts[0]

    def joined(self, kind, first, second):
        """Return AND or OR of two functions: a pair waits until those below it are known."""
        node: cython.int = self.known(kind, first, second)
        pair: cython.int
        if node >= 0:
            return node
        while self.depth:
            self.spend()
            pair = self.waiting[self.depth - 1]
            node = self.joint[pair]
            if node < 0:
                node = self.joined_below(pair, kind)
            if node >= 0:
                self.joint[pair] = node
                self.depth -= 1
        return node  # what waited longest is the pair itself

    def joined_below(self, pair, kind):
        """Return what a pair comes to, or -1, and then what must be known first waits above it."""
        first: cython.int = low_of(self.pairs.payload[pair])
        second: cython.int = high_of(self.pairs.payload[pair])
        variable: cython.int = min(self.nodes.attribute[first], self.nodes.attribute[second])
        low: cython.int = self.known(kind, self.side(first, variable, False), self.side(second, variable, False))
        high: cython.int = self.known(kind, self.side(first, variable, True), self.side(second, variable, True))
        return self.node(variable, low, high) if low >= 0 and high >= 0 else _UNKNOWN

    def known(self, kind, first, second):
        """Return AND or OR of two functions if that is known, else -1, and the pair waits."""
        decides: cython.int = TERMINAL_FALSE if kind == NODE_AND else TERMINAL_TRUE
        pair: cython.int
        if first == second or first == decides or second == 1 - decides:
            return first
        if second == decides or first == 1 - decides:
            return second
        count: cython.int = self.pairs.count
        pair = self.pairs.number(0, kind, ends(min(first, second), max(first, second)))
        if pair == count:
            if pair >= self.joint.shape[0]:
                self.joint = grown(self.joint, pair + 1)
            self.joint[pair] = _UNKNOWN
        if self.joint[pair] < 0:
            if self.depth >= self.waiting.shape[0]:
                self.waiting = grown(self.waiting, self.depth + 1)
            self.waiting[self.depth] = pair
            self.depth += 1
        return self.joint[pair]

    def side(self, node, variable, high):
        """Return what a function comes to where a variable, which is its first or before that, holds or does not."""
        if self.nodes.attribute[node] != variable:
            return node
        return high_of(self.nodes.payload[node]) if high else low_of(self.nodes.payload[node])


@cython.cfunc
@cython.exceptval(check=False)
def _moved(place: cython.int[::1], count: cython.int, node: cython.int) -> cython.int:
    """Return where a node is after a sweep."""
    return node if node < count else place[node - count]
