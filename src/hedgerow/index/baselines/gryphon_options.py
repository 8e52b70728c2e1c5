"""The switches of Gryphon: what is on its edges, and in which order attributes are tested."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.language.operand import checked_name, shown

__all__ = ["FORMS", "GryphonOptions"]

FORMS = ("equality", "generic", "intervals")


@dataclass(frozen=True, slots=True, kw_only=True)
class GryphonOptions:
    """How a Gryphon tree is built.

    >>> GryphonOptions(form="generic", order=("state", "age")).order
    ('state', 'age')
    """

    form: str = "generic"
    """What is on the edges, where the rest of a conjunction is tested at its leaf. ``"equality"``: equality alone, the
    Gryphon that knows nothing else. ``"generic"``: any test; a negated one is an edge for what must be there.
    ``"intervals"``: as generic, but an IN is the interval from its least to its greatest value (ADGR)."""
    order: tuple[str, ...] = ()
    """Attributes in the order in which they are tested, before all others, which follow as they come into the index."""

    def __post_init__(self) -> None:
        """Refuse what is no form and no order."""
        if self.form not in FORMS:
            raise KindError(f"form is one of {', '.join(map(repr, FORMS))}, not {shown(self.form)}")
        order: object = self.order
        if not isinstance(order, tuple):
            raise KindError(f"order is a tuple of attributes, not {shown(order)}")
        for name in order:
            checked_name(name)
        if len(set(order)) < len(order):
            raise KindError("order has an attribute twice")
