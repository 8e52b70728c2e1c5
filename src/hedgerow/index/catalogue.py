"""What engines there are, with a line about each: for people who choose one."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.index.engine import engine_factory, engine_names
from hedgerow.index.relating import Relating

__all__ = ["DEFAULT", "EngineAbout", "checked_engine", "engines"]

DEFAULT = "atree"


@dataclass(frozen=True, slots=True)
class EngineAbout:
    """What there is to know of an engine before one chooses it."""

    name: str
    paper: str
    """Where it comes from."""
    form: str
    """What it takes expressions as: as they are, or in a normal form, or the smaller of two, which may be too large."""
    dynamic: bool
    """Whether expressions come and go one by one."""
    ranks: bool
    """Whether ``top`` passes over matches that cannot be among the best; otherwise all are scored."""
    relations: bool
    """Whether events may have sets of values, and match by the relations of ``Index.match``."""
    line: str
    """What it does."""


_ATREE = "A-Tree, SIGMOD 2021"
_KINDEX = "Indexing Boolean Expressions, VLDB 2009"
_BETREE = "BE-Tree, TODS 2013"
_OPINDEX = "OpIndex, VLDB 2014"
_LABELS = "Efficiently Evaluating Complex Boolean Expressions, SIGMOD 2010"
_OWN = "hedgerow's own"
_ANY, _DNF, _CNF, _BOTH = "any", "DNF", "CNF", "DNF, CNF"

# Paper, form, whether it ranks by itself, and a line.
_KNOWN: dict[str, tuple[str, str, bool, str]] = {
    "app": (_BETREE, _DNF, False, "a rival: counts the clauses whose access literal holds"),
    "atree": (_ATREE, _ANY, True, "the default: shared nodes, led to by what holds"),
    "bdd": (_ATREE, _ANY, False, "a rival: follows every expression down one shared decision diagram"),
    "betree": (_BETREE, _DNF, False, "cuts the space of conjunctions by attributes and values"),
    "bop": (_ATREE, _ANY, False, "a rival: byte code, run when enough of its literals hold"),
    "dewey": (_LABELS, _ANY, False, "expressions whole, by labels that are ways down their trees"),
    "counting": (_KINDEX, _DNF, False, "a rival (SIFT): counts the literals of each clause that hold"),
    "gryphon": (_BETREE, _DNF, False, "a rival: a tree that tests attributes in a fixed order"),
    "hedge": (_OWN, _ANY, False, "clauses over atoms, for rules as people write them; learns from events"),
    "interval": (_LABELS, _ANY, False, "expressions whole, by labels that are pieces of a line"),
    "kindex": (_KINDEX, _DNF, True, "sorted posting lists of conjunctions, by their size"),
    "kindex-cnf": (_KINDEX, _CNF, True, "the same for CNFs, which are kept whole"),
    "opindex": (_OPINDEX, _BOTH, False, "conjunctions and CNFs under the attributes that events have least often"),
    "propagation": (_BETREE, _DNF, False, "a rival (Le Subscribe): clusters by up to three equalities"),
    "pscan": (_KINDEX, _ANY, False, "a rival: evaluates what the lists of an event mention"),
    "scan": (_KINDEX, _ANY, False, "evaluates every expression: the baseline"),
    "translation": (_ATREE, _DNF, True, "a rival: a DNF's conjunctions in a k-index over predicates"),
}


def engines() -> tuple[EngineAbout, ...]:
    """Return what engines there are, by name.

    >>> [about.name for about in engines() if about.form == "any"]
    ['atree', 'bdd', 'bop', 'dewey', 'hedge', 'interval', 'pscan', 'scan']
    >>> [about.name for about in engines() if about.relations]
    ['betree', 'scan']
    """
    return tuple(map(_about, engine_names()))


def _about(name: str) -> EngineAbout:
    paper, form, ranks, line = _KNOWN.get(name, ("", "", False, "registered by another package"))
    relations = isinstance(engine_factory(name)("unknown"), Relating)
    return EngineAbout(name, paper, form, dynamic=True, ranks=ranks, relations=relations, line=line)


def checked_engine(name: object) -> str:
    """Return the name of an engine, or raise ``KindError`` that names those that there are."""
    if not isinstance(name, str):
        raise KindError(f"an engine is named by a string, not {name!r}")
    engine_factory(name)
    return name
