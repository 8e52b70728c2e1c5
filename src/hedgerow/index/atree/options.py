"""The switches of the A-Tree, one for each idea of the paper, so that each can be measured alone (Figures 8 to 10)."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError

__all__ = ["ACCESS_CHOICES", "ATreeOptions"]

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
        for name in ("uniqueness", "reorganisation", "self_adjustment", "zero_suppression", "propagation_on_demand"):
            if not isinstance(getattr(self, name), bool):
                raise KindError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.access not in ACCESS_CHOICES:
            raise KindError(f"access is one of {', '.join(map(repr, ACCESS_CHOICES))}, not {self.access!r}")
