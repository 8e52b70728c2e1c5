"""The switches of the A-Tree, one for each idea of the paper, so that each can be measured alone (Figures 8 to 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.errors import KindError, UnknownVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ACCESS_CHOICES", "SWITCHES", "ATreeOptions", "options_of", "switches"]

ACCESS_CHOICES = ("selective", "random", "first")
"""How an AND chooses its access child: by estimated selectivity, at random as in the paper, or as written."""


@dataclass(frozen=True, slots=True)
class ATreeOptions:
    """What an A-Tree does beyond the bare structure. Every combination matches the same events; some are slow.

    Reorganisation and self-adjustment find nodes that are there again, so without uniqueness there are none to find;
    without zero suppression they have no effect either, because expressions stay as they were written.

    >>> import hedgerow as hr
    >>> index = hr.Index("atree", options=hr.ATreeOptions(reorganisation=False))
    >>> index.insert("young", "age < 30 XOR vip")
    >>> index.match({"age": 20, "vip": False})
    ['young']
    """

    uniqueness: bool = True
    """The same part of two expressions is one node."""
    reorganisation: bool = True
    """A new node is built over nodes that are there and cover several of its operands (the paper's Algorithm 2)."""
    self_adjustment: bool = True
    """A new node takes its place below nodes that are there and contain all of its operands (Algorithm 3)."""
    zero_suppression: bool = True
    """NOT, XOR and XNOR are removed beforehand, so that what is false goes nowhere (Section 5.2.1)."""
    propagation_on_demand: bool = True
    """An AND hears of one operand, its access child, and asks for the others itself (Section 5.2.2)."""
    access: str = "selective"
    """One of ``ACCESS_CHOICES``."""

    def __post_init__(self) -> None:
        """Refuse what is no switch."""
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise KindError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.access not in ACCESS_CHOICES:
            raise KindError(f"access is one of {', '.join(map(repr, ACCESS_CHOICES))}, not {self.access!r}")


_FLAGS = ("uniqueness", "reorganisation", "self_adjustment", "zero_suppression", "propagation_on_demand")
SWITCHES = len(_FLAGS) + 1
"""How many numbers say what the options are, in a file."""


def switches(options: ATreeOptions) -> list[int]:
    """Return options as numbers.

    >>> switches(ATreeOptions(access="random"))
    [1, 1, 1, 1, 1, 1]
    """
    return [*(int(getattr(options, name)) for name in _FLAGS), ACCESS_CHOICES.index(options.access)]


def options_of(numbers: Sequence[int]) -> ATreeOptions:
    """Return the options that were made numbers."""
    *flags, access = numbers
    if max(flags) > 1 or access >= len(ACCESS_CHOICES):
        raise UnknownVersion("there are options that this version of hedgerow does not know; use a newer one")
    return ATreeOptions(**dict(zip(_FLAGS, map(bool, flags), strict=True)), access=ACCESS_CHOICES[access])
