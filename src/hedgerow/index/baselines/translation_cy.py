"""Translation: an expression of any form becomes conjunctions, in an index of conjunctions (a rival of the A-Tree).

::

    (P1 OR P2 OR P3) AND P4 AND (P5 OR P6)      P1 P4 P5    P2 P4 P5    P3 P4 P5
                                                P1 P4 P6    P2 P4 P6    P3 P4 P6        all of size 3

The index is the k-index (``kindex.dnf_cy``), with predicates as its keys instead of attributes with values: the
predicate phase finds each literal that holds, and a literal has one posting list, whatever its test. A negated one is
an entry in the list of what denies it, as there. The paper builds on another index of conjunctions; what it compares
the A-Tree to is that there are so many of them.
"""

import cython
from cython.cimports.hedgerow.index.kindex.dnf_cy import KIndexEngine
from cython.cimports.hedgerow.index.kindex.keyed_cy import BY_FOUND


@cython.final
@cython.cclass
class TranslationEngine(KIndexEngine):
    """A k-index over predicates, with its switches; ranges are never cut into pieces."""

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keying(self, code: cython.int) -> cython.int:  # noqa: ARG002 - as in the base
        """Say of each literal that it is found as one."""
        return BY_FOUND
