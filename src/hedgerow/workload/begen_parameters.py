"""What BEGen can be told (Tables III and IV of the BE-Tree paper, and what it leaves open), and its presets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hedgerow.errors import KindError
from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OPERATORS", "PRESETS", "BEGenParameters"]

OPERATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "min": ("=",),
        "low": ("=", "IN"),
        "medium": ("=", "<", "<=", ">", ">=", "IN", "BETWEEN"),
        "high": ("=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN", "BETWEEN"),
    }
)
"""The classes of operators (Table IV). Those of a class, without =, are equally likely."""

_WHOLE = {
    "expressions": (0, MOST_ROWS),
    "dimensions": (1, 10_000),
    "cardinality": (2, 1_000_000),
    "event_size": (1, 256),
    "seed": (0, (1 << 64) - 1),
}
_NUMBERS = {
    "range_share": (0.0, 1.0),
    "equality_share": (0.0, 1.0),
    "match_probability": (1e-5, 1.0),
    "attribute_alpha": (0.0, 10.0),
}
_CLASSES = tuple(OPERATORS)  # in which also a list is looked for
_MOST_CELLS = 1 << 21  # attributes of all base events together, which are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class BEGenParameters:
    """One workload of BEGen; the defaults are the paper's own. ``KindError`` names what is out of range.

    >>> BEGenParameters().bases
    100
    >>> round(BEGenParameters(size=1, event_size=4).mean_size, 2)
    1.32
    >>> BEGenParameters(size=16)
    Traceback (most recent call last):
    ...
    hedgerow.errors.KindError: size is a number from 1 to 15, not 16
    """

    expressions: int = 1_000_000
    """How many rows there are. It changes none of them: fewer are the first ones of more."""
    dimensions: int = 400
    """Attributes that there are; the paper's word."""
    cardinality: int = 48
    """Values that an attribute may have: the integers from 0 on, equally likely in events."""
    size: float = 7
    """Predicates of an expression, on average; ``mean_size`` is exact."""
    event_size: int = 15
    """Attributes of an event. An expression has from 1 to so many predicates."""
    range_share: float = 0.12
    """Which part of all values a BETWEEN spans, on average; it spans two values at least."""
    equality_share: float = 0.3
    """How likely a predicate is an equality; it is another one of ``operators`` otherwise."""
    operators: str = "medium"
    """One of the classes of ``OPERATORS``."""
    match_probability: float = 0.01
    """How likely an expression is derived from an event, and so matches it; others may match by chance.

    It is 1 by a whole number, that of the base events: 0.3 gives three, which is 0.333.
    """
    attribute_alpha: float = 0.0
    """Exponent of the Zipf distribution of attributes, in expressions and events; 0 makes them all alike."""
    expressive: bool = False
    """Whether the values of events are sets, which ``begen_expressive_events`` makes; expressions are the same."""
    seed: int = 7
    """Where the draws start."""

    def __post_init__(self) -> None:
        """Check every parameter, and what only some of them together can do wrong."""
        for name, (least, most) in _WHOLE.items():
            check_whole(name, getattr(self, name), least, most)
        for name, (lowest, highest) in {**_NUMBERS, "size": (1, self.event_size)}.items():
            if not _is_number(getattr(self, name), lowest, highest):
                raise KindError(f"{name} is a number from {lowest:g} to {highest:g}, not {getattr(self, name)!r}")
        if self.operators not in _CLASSES:
            raise KindError(f"operators is one of {', '.join(OPERATORS)}, not {self.operators!r}")
        if not isinstance(self.expressive, bool):
            raise KindError(f"expressive is True or False, not {self.expressive!r}")
        self._check_together()

    def _check_together(self) -> None:
        if self.event_size > self.dimensions:
            raise KindError(f"event_size is at most the number of dimensions, {self.dimensions:,}")
        if self.equality_share < 1 and len(OPERATORS[self.operators]) == 1:
            raise KindError(f"equality_share is 1 if operators is {self.operators}, not {self.equality_share!r}")
        if self.bases * self.event_size > _MOST_CELLS:
            bases = f"match_probability makes {self.bases:,} base events, of event_size {self.event_size}"
            raise KindError(f"{bases}: more than {_MOST_CELLS:,} attributes")

    @property
    def bases(self) -> int:
        """How many base events there are, each of which the same number of expressions is derived from."""
        return round(1 / self.match_probability)

    @property
    def keeping(self) -> float:
        """How likely an expression has a predicate on an attribute of its base event."""
        return self.size / self.event_size

    @property
    def mean_size(self) -> float:
        """How many predicates an expression has on average: ``size``, and one where there would be none."""
        return float(self.size + (1 - self.keeping) ** self.event_size)


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most


def _presets() -> dict[str, BEGenParameters]:
    """Return the named workloads; the first is what most figures of the paper are about.

    The second has a seed of its own, so that nothing stays as it was where a workload shifts from one to the other.
    """
    uniform = BEGenParameters()
    return {
        "begen-uniform": uniform,
        "begen-zipf": replace(uniform, attribute_alpha=1.0, seed=8),
        "begen-equality": replace(uniform, operators="min", equality_share=1.0),
        "begen-rare": replace(uniform, match_probability=0.001),
        "begen-expressive": replace(uniform, expressive=True),
    }


PRESETS: Mapping[str, BEGenParameters] = MappingProxyType(_presets())
"""The named workloads. They never change: other parameters are another name."""
