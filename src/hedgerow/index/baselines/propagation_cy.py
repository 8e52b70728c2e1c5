"""Propagation: conjunctions in clusters, each with an access that must hold before it is looked at (Le Subscribe).

::

    access              cluster
    a = 1               c > 5 and d != 2  │  e = 3  │ ...         found by one value
    a = 1, b = 2        c > 5  │ nothing else  │ ...              by the values of two attributes, or of three
    2 literals          c > 5 and d < 3  │ ...                    what has no equality, by its size: always looked at

An event first makes the bits of the literals that hold (phase 1). Then it goes to the clusters whose access holds,
and looks at the other literals of each conjunction there until a bit is wrong (phase 2). It is looked up by hash
which access holds: a tree of ``paths_cy`` that is at most three deep.

**Which access** a conjunction gets is decided when it comes, and stays until the index is compacted. What a
conjunction costs is the chance that its access holds, and the estimate of that is how many conjunctions have it. So
of its equalities it takes the one that the fewest have had so far. Where the cluster of that is crowded, a further
equality pays for the look-up: the one on another attribute that the next fewest have; and where that cluster is
crowded, a third one. Of the paper's tables of attribute sets, so, as much is opened as is crowded. Without an
equality an IN is taken, alone.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.paths_cy import STARTS, PathEngine, PathSearcher
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.lists_cy import list_length
from cython.cimports.hedgerow.predicate.finder_cy import BY_VALUE
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import section

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_WIDEST = cython.declare(cython.int, 3)  # literals of an access
_CROWDED = cython.declare(cython.int, 128)  # numbers of the records of a cluster, some twenty-five conjunctions
_GENERAL = cython.declare(cython.int, 1)  # the kind of the clusters that are always looked at
_NONE = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class PropagationEngine(PathEngine):
    """Checks the clusters whose access holds."""

    uses: cython.int[::1]  # by literal, how many conjunctions have it, of those that can be an access
    is_access: cython.uchar[::1]  # of the unit at hand, by the position of a literal
    taken: cython.int[3]  # the attributes of its access
    taken_count: cython.int

    def __init__(self, missing: str):
        PathEngine.__init__(self, missing)
        self.uses = filled(16, 0, np.int32)
        self.is_access = np.empty(16, np.uint8)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        cluster: cython.int
        position: cython.int
        self.read(node)
        if self.code_count > self.is_access.shape[0]:
            self.is_access = grown(self.is_access, self.code_count)
        cluster = self.cluster()
        # Those on values first: they hold least often.
        for position in range(self.code_count):
            if not self.is_access[position] and self.is_value(self.codes[position]):
                self.add_bits(self.codes[position])
        for position in range(self.code_count):
            if not self.is_value(self.codes[position]):
                self.add_bits(self.codes[position])
        return self.end_at(unit, cluster)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_value(self, code: cython.int) -> cython.bint:
        """Return whether a literal says that an attribute has one of some values."""
        return code & 3 == _TRUE and self.literals.finder.way(code) == BY_VALUE

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_equality(self, code: cython.int) -> cython.bint:
        return self.is_value(code) and self.graph.predicate_operator[code >> 2] == _EQ

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def cluster(self) -> cython.int:
        """Return the node of the cluster of the unit at hand, and mark the literals of its access."""
        node: cython.int = 0
        position: cython.int
        step: cython.int
        self.taken_count = 0
        for position in range(self.code_count):
            self.is_access[position] = False
            if self.is_value(self.codes[position]):
                self.use(self.literals.number(self.codes[position]))
        for step in range(_WIDEST):
            position = self.rarest(True)
            if position == _NONE and step == 0:
                position = self.rarest(False)
            if position == _NONE:
                break
            self.is_access[position] = True
            self.taken[self.taken_count] = self.attribute(position)
            self.taken_count += 1
            node = self.node_at(node, self.literals.number(self.codes[position]), self.attribute(position))
            if not self.is_crowded(node) or not self.is_equality(self.codes[position]):
                break
        return node if node else self.general()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def use(self, number: cython.int) -> cython.int:
        if number >= self.uses.shape[0]:
            self.uses = grown(self.uses, number + 1, 0)
        self.uses[number] += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def attribute(self, position: cython.int) -> cython.int:
        return self.graph.predicate_attribute[self.codes[position] >> 2]

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def rarest(self, equality: cython.bint) -> cython.int:
        """Return where the literal is that fewest have, on an attribute that the access does not have; or -1."""
        best: cython.int = _NONE
        least: cython.int = 0
        position: cython.int
        uses: cython.int
        for position in range(self.code_count):
            if not (self.is_equality(self.codes[position]) if equality else self.is_value(self.codes[position])):
                continue
            uses = self.uses[self.literals.number(self.codes[position])]
            if (best == _NONE or uses < least) and not self.is_taken(self.attribute(position)):
                best, least = position, uses
        return best

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_taken(self, attribute: cython.int) -> cython.bint:
        """Return whether the access of the unit at hand has a literal on an attribute."""
        position: cython.int
        for position in range(self.taken_count):
            if self.taken[position] == attribute:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_crowded(self, node: cython.int) -> cython.bint:
        return self.ends[node] >= 0 and list_length(self.lists.place[self.ends[node]]) >= _CROWDED

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def general(self) -> cython.int:
        """Return the node of what has no access, for the size of the unit at hand."""
        node: cython.int = self.keys.find(0, _GENERAL, self.code_count) + 1
        return node if node else self.new_node(STARTS, 0, _GENERAL, self.code_count)

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return PathSearcher(self, outcomes, False)

    def structure_saved(self):
        """Return the clusters, and what the choice of the next ones goes by."""
        return PathEngine.structure_saved(self) | {"uses": np.asarray(self.uses)}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        PathEngine.structure_restored(self, arrays)
        self.uses = section(arrays, "uses", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals, accesses and clusters."""
        parts = PathEngine.structure_bytes(self)
        parts["edges"] += self.uses.nbytes
        return parts
