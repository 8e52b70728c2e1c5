"""What ABE-Gen can be told (Table 3 of the A-Tree paper), and the workloads that have a name."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hedgerow.errors import KindError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_ROWS", "OPERATORS", "PRESETS", "RELATIONS", "AbeParameters", "attribute_names", "check_whole"]

OPERATORS = ("AND", "OR", "NOT", "XOR", "XNOR")
"""The logical operators, in the order in which ``AbeParameters.operators`` gives their shares."""

RELATIONS = ("=", "!=", "<", "<=", ">", ">=", "BETWEEN")
"""The tests that a predicate may make."""

MOST_ROWS = 10**12
_MOST = {
    "expressions": MOST_ROWS,
    "depth": 20,
    "children": 1 << 18,
    "pool": 10**8,  # its table has 8 bytes a rank
    "dimensions": 10**6,  # an Arrow batch of events has a column for each
    "cardinality": 10**6,
    "event_size": 10**4,  # attributes are drawn without repetition, which takes time in proportion to the square
    "seed": (1 << 64) - 1,
}
_MOST_PREDICATES = 1 << 18  # in one expression; the largest that Table 3 allows has 12 ** 5
_STEEPEST = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AbeParameters:
    """One workload of ABE-Gen; the defaults are the paper's own. ``KindError`` names what is out of range.

    >>> AbeParameters(depth=2, children=6).most_predicates
    6
    >>> AbeParameters(depth=0)
    Traceback (most recent call last):
    ...
    hedgerow.errors.KindError: depth is a whole number from 1 to 20, not 0
    """

    expressions: int = 1_000_000
    """How many rows there are. It changes none of them: fewer are the first ones of more."""
    operators: tuple[float, float, float, float, float] = (40, 40, 10, 5, 5)
    """Shares of AND, OR, NOT, XOR and XNOR, in any unit."""
    depth: int = 3
    """Levels of a tree; on the last one are the predicates, so at depth 1 an expression is one predicate."""
    children: int = 4
    """Operands of an AND or OR. NOT has one, XOR and XNOR have two."""
    alpha: float = 0.6
    """Exponent of the Zipf distribution of subexpressions. 0 means that none is drawn twice."""
    pool: int = 900_000
    """How many subexpressions there are to draw from, on each level between predicates and root, unless alpha is 0."""
    dimensions: int = 1_000
    """Attributes that there are; the paper's word."""
    attribute_alpha: float = 1.0
    """Exponent of the Zipf distribution of the attributes of predicates; 0 makes them all alike."""
    cardinality: int = 100
    """Values that an attribute may have: the integers from 0 on."""
    event_size: int = 20
    """Attributes of an event."""
    relations: tuple[str, ...] = RELATIONS
    """Which tests predicates make, each as often as the others."""
    seed: int = 7
    """Where the draws start."""

    def __post_init__(self) -> None:
        """Check every parameter, and what only some of them together can do wrong."""
        for name, most in _MOST.items():
            check_whole(name, getattr(self, name), 0 if name in {"expressions", "seed"} else 1, most)
        for name in ("alpha", "attribute_alpha"):
            if not _is_number(getattr(self, name), _STEEPEST):
                raise KindError(f"{name} is a number from 0 to {_STEEPEST:g}, not {getattr(self, name)!r}")
        _check_operators(self.operators)
        _check_relations(self.relations)
        if self.event_size > self.dimensions:
            raise KindError(f"event_size is at most the number of dimensions, {self.dimensions:,}")
        if self.most_predicates > _MOST_PREDICATES:
            size = f"depth {self.depth} with {self.children:,} children"
            raise KindError(f"{size} makes expressions of more than {_MOST_PREDICATES:,} predicates")

    @property
    def fan_outs(self) -> tuple[int, int, int, int, int]:
        """How many operands an AND, OR, NOT, XOR and XNOR have."""
        return self.children, self.children, 1, 2, 2

    @property
    def most_predicates(self) -> int:
        """How many predicates the largest expression can have."""
        widest = max(fan for fan, share in zip(self.fan_outs, self.operators, strict=True) if share > 0)
        return int(widest ** (self.depth - 1))


def attribute_names(parameters: AbeParameters) -> list[str]:
    """Return the names of the attributes, the most frequent one of predicates first."""
    return [f"a{number}" for number in range(parameters.dimensions)]


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Raise ``KindError`` unless the value is an integer in this range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise KindError(f"{name} is a whole number from {least} to {most:,}, not {value!r}")


def _is_number(value: object, most: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most


def _check_operators(shares: object) -> None:
    if not isinstance(shares, tuple) or len(shares) != len(OPERATORS):
        raise KindError(f"operators is a tuple of {len(OPERATORS)} shares ({', '.join(OPERATORS)}), not {shares!r}")
    if not all(_is_number(share, math.inf) and math.isfinite(share) for share in shares):
        raise KindError(f"operators has shares that are 0 or more, not {shares!r}")
    if not 0 < sum(shares) < math.inf:
        raise KindError(f"operators has shares whose sum is more than 0, and finite, not {shares!r}")


def _check_relations(names: object) -> None:
    known = isinstance(names, tuple) and all(name in RELATIONS for name in names)
    if not isinstance(names, tuple) or not known or not names or len(set(names)) != len(names):
        raise KindError(f"relations is a tuple of some of {' '.join(RELATIONS)}, each once, not {names!r}")


def _presets() -> dict[str, AbeParameters]:
    """Return the named workloads; a smaller version has a smaller pool, so that it shares as many subexpressions.

    *paper*: most is in Table 3. The depth follows from 6.4.1: an expression becomes at most 4 ** 4 conjunctions, as an
    AND of four ORs of four does. The pool and the Zipf exponent of attributes are chosen so that sharing is near what
    6.1 says: a subexpression occurs 4.33 times, a predicate 18.35 times.

    *equality* and *mixed*: AND and OR over 16 predicates, chosen to be near what the first measurements of the project
    were made on: 0.92 M distinct subexpressions; 0.87 M distinct predicates if mixed; 320 and 37,000 matches an event.
    """
    paper = AbeParameters()
    mixed = replace(paper, operators=(50, 50, 0, 0, 0), pool=1_000_000, attribute_alpha=0.9)
    # Only an OR of ORs has a chance of matching: its share decides how many do.
    equality = replace(mixed, operators=(68, 32, 0, 0, 0), relations=("=",))
    presets = {}
    for name, whole in (("paper", paper), ("equality", equality), ("mixed", mixed)):
        presets[f"{name}-default" if whole is paper else f"{name}-1m"] = whole
        presets[f"{name}-100k"] = replace(whole, expressions=100_000, pool=whole.pool // 10)
        presets[f"{name}-10k"] = replace(whole, expressions=10_000, pool=whole.pool // 100)
    return presets


PRESETS: Mapping[str, AbeParameters] = MappingProxyType(_presets())
"""The named workloads. They never change: other parameters are another name."""
