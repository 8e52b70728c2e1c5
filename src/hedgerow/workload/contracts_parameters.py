"""What the contract generator can be told (Table 1 of the k-index paper, and what it leaves open), and its presets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hedgerow.errors import KindError
from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMS", "PRESETS", "ContractParameters"]

FORMS = ("dnf", "cnf")
"""An OR of conjunctions, or an AND of disjunctions."""

_WHOLE = {
    "expressions": (0, MOST_ROWS),
    "most_groups": (1, 1000),
    "months": (1, 12),
    "dimensions": (1, 10_000),
    "cardinality": (2, 1000),
    "value_sets": (1, 1000),
    "largest_set": (1, 20),
    "event_dimensions": (1, 10_000),
    "event_size": (0, 10_000),
    "seed": (0, (1 << 64) - 1),
}
_STEEPEST = 10.0
_NUMBERS = {
    "group_alpha": _STEEPEST,
    "attribute_alpha": _STEEPEST,
    "cardinality_alpha": _STEEPEST,
    "value_alpha": _STEEPEST,
    "set_alpha": _STEEPEST,
    "copying": 1.0,
    "copied": 1.0,
    "negated": 1.0,
}
_MOST_CHOICES = 1 << 24  # values that the value sets of all attributes are drawn from, at once
_MOST_PREDICATES = 1 << 14  # in one expression; the paper's largest has 20 groups of a few


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractParameters:
    """One workload of contracts; ``KindError`` names what is out of range.

    A *group* is a conjunction of a DNF, or a disjunction of a CNF.

    >>> round(ContractParameters().mean_groups, 2), round(ContractParameters().mean_predicates, 2)
    (2.25, 2.65)
    >>> ContractParameters(months=13)
    Traceback (most recent call last):
    ...
    hedgerow.errors.KindError: months is a whole number from 1 to 12, not 13
    """

    expressions: int = 1_000_000
    """How many rows there are. It changes none of them: fewer are the first ones of more."""
    form: str = "dnf"
    """One of ``FORMS``."""
    most_groups: int = 20
    """An expression has from 1 to so many groups."""
    group_alpha: float = 2.0
    """Exponent of the Zipf distribution of the number of groups: 2.5, 2.0 and 1.5 for 1.6, 2.3 and 3.5 groups."""
    group_sizes: tuple[float, ...] = (30, 24, 20, 13, 7, 3, 2, 1)
    """Shares of the groups of 1, 2, 3 ... predicates, without the month, in any unit."""
    copying: float = 0.5
    """How likely a group, unless it is the first, takes predicates of the one before; q in the paper."""
    copied: float = 0.5
    """Which part of the predicates of the group before it takes; p in the paper."""
    negated: float = 0.1
    """How likely a new predicate is a NOT IN; n in the paper."""
    weak: bool = True
    """Whether that is WEAK NOT IN, which holds if the attribute is missing, as in the paper."""
    months: int = 2
    """Months of expressions and of events: a pair of both has the same month once in so many."""
    dimensions: int = 1461
    """Attributes of expressions: the most frequent ones of those that there are."""
    attribute_alpha: float = 1.0
    """Exponent of the Zipf distribution of attributes, in expressions and events; 0 makes them all alike."""
    cardinality: int = 50
    """An attribute has from 2 to so many values: the integers from 0 on."""
    cardinality_alpha: float = 1.0
    """Exponent of the Zipf distribution of their number, in which 2 is the most frequent."""
    value_alpha: float = 1.65
    """Exponent of the Zipf distribution of the values of an attribute, in value sets and events."""
    value_sets: int = 20
    """Value sets of an attribute, of which a predicate takes one."""
    set_alpha: float = 1.0
    """Exponent of the Zipf distribution of the value sets of an attribute."""
    largest_set: int = 5
    """A value set has from 1 to so many values, each number as likely, but never all that the attribute has."""
    weighted: bool = False
    """Whether the values of IN have weights."""
    event_dimensions: int = 1461
    """Attributes that there are, which are those of events."""
    event_size: int = 91
    """Attributes of an event, without the month."""
    seed: int = 7
    """Where the draws start."""

    def __post_init__(self) -> None:
        """Check every parameter, and what only some of them together can do wrong."""
        for name, (least, most) in _WHOLE.items():
            check_whole(name, getattr(self, name), least, most)
        for name, highest in _NUMBERS.items():
            if not _is_number(getattr(self, name), highest):
                raise KindError(f"{name} is a number from 0 to {highest:g}, not {getattr(self, name)!r}")
        for name in ("weak", "weighted"):
            if not isinstance(getattr(self, name), bool):
                raise KindError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.form not in FORMS:
            raise KindError(f"form is one of {', '.join(FORMS)}, not {self.form!r}")
        _check_sizes(self.group_sizes)
        self._check_together()

    def _check_together(self) -> None:
        if self.dimensions > self.event_dimensions:
            raise KindError(f"dimensions is at most event_dimensions, {self.event_dimensions:,}")
        if self.event_size > self.event_dimensions:
            raise KindError(f"event_size is at most event_dimensions, {self.event_dimensions:,}")
        if len(self.group_sizes) > self.dimensions:
            raise KindError(f"group_sizes has at most as many shares as there are dimensions, {self.dimensions:,}")
        if self.most_predicates > _MOST_PREDICATES:
            raise KindError(
                f"most_groups and group_sizes make expressions of more than {_MOST_PREDICATES:,} predicates"
            )
        if self.dimensions * self.value_sets * self.cardinality > _MOST_CHOICES:
            raise KindError(f"dimensions, value_sets and cardinality have a product of at most {_MOST_CHOICES:,}")

    @property
    def mean_groups(self) -> float:
        """How many groups an expression has on average, without that of the month in a CNF."""
        shares = [count**-self.group_alpha for count in range(1, self.most_groups + 1)]
        return _mean(shares)

    @property
    def mean_predicates(self) -> float:
        """How many predicates a group has on average, without the month."""
        return _mean(self.group_sizes)

    @property
    def most_predicates(self) -> int:
        """How many predicates the largest expression can have, with a month for each group."""
        return self.most_groups * (len(self.group_sizes) + 1)


def _mean(shares: list[float] | tuple[float, ...]) -> float:
    return sum(number * share for number, share in enumerate(shares, 1)) / sum(shares)


def _is_number(value: object, most: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most


def _check_sizes(shares: object) -> None:
    if not isinstance(shares, tuple) or not shares:
        raise KindError(f"group_sizes is a tuple of shares, of 1, 2, 3 ... predicates, not {shares!r}")
    if not all(_is_number(share, math.inf) and math.isfinite(share) for share in shares):
        raise KindError(f"group_sizes has shares that are 0 or more, not {shares!r}")
    if not 0 < sum(shares) < math.inf:
        raise KindError(f"group_sizes has shares whose sum is more than 0, and finite, not {shares!r}")


def _presets() -> dict[str, ContractParameters]:
    """Return the named workloads.

    What the paper says of its data leaves open how often a value set holds. ``value_alpha`` is chosen so that an event
    matches 11.9 % of the default workload, where the paper has 11.91 %, and the months of the CNF so that it is 5.3 %,
    where the paper has 5.16 %. Those of the other sizes come as near to 11.9 % as a whole number of months can.
    """
    dnf = ContractParameters()
    cnf = replace(dnf, form="cnf", months=9)
    return {
        "contracts-dnf": dnf,
        "contracts-dnf-small": replace(dnf, group_alpha=2.5),
        "contracts-dnf-large": replace(dnf, group_alpha=1.5, months=3),
        "contracts-dnf-weighted": replace(dnf, weighted=True),
        "contracts-cnf": cnf,
        "contracts-cnf-weighted": replace(cnf, weighted=True),
        "contracts-conjunctions": replace(dnf, most_groups=1),
    }


PRESETS: Mapping[str, ContractParameters] = MappingProxyType(_presets())
"""The named workloads. They never change: other parameters are another name."""
