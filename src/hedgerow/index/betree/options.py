"""The switches of the BE-Tree: what its paper compares, and what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.errors import CorruptFile, KindError
from hedgerow.language.operand import shown

__all__ = ["BETreeOptions", "options_of", "switches_of"]

DIRECTORIES = ("ranked", "hybrid", "generic")
EVALUATIONS = ("direct", "lazy", "bitmap")
BLOOM_SIZES = (0, 16, 32)
_MOST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BETreeOptions:
    """How a BE-Tree is built and searched. The default is the paper's.

    >>> BETreeOptions(directory="generic").directory
    'generic'
    """

    capacity: int = 20
    """Expressions that a leaf holds before it is cut; the paper takes 5 where less than one in a hundred expressions
    matches an event, 160 where more than one in ten does (Table VI)."""
    least: int = 3
    """Expressions of a leaf that must have an attribute for it to be partitioned on."""
    directory: str = "ranked"
    """How a partition finds buckets. ``"generic"`` cuts the line of values into halves for all tests; ``"hybrid"`` has
    equality in a hash table of its values beside that; ``"ranked"``, as hybrid, uses up the equalities of expressions
    before any other test."""
    evaluation: str = "direct"
    """``"direct"`` makes the tests of an expression where they stand in the leaf; ``"lazy"`` remembers for an event
    what each distinct test came to, which is less work where many expressions have the same ones; ``"bitmap"``
    remembers it for each value that events have, as long as the index does not change."""
    bloom: int = 32
    """Bits of the Bloom filter of an expression's attributes, which tells most that cannot match before any test: 32 or
    16, 0 for none."""
    adjust: bool = True
    """Whether the tree adjusts itself: expressions that were deleted are taken out when no search runs, and cuts are
    undone that were for more than what is left. Otherwise they are hidden until the index compacts."""

    def __post_init__(self) -> None:
        """Refuse what is no switch, no number and no way."""
        for name, low in (("capacity", 1), ("least", 1)):
            count: object = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or not low <= count <= _MOST:
                raise KindError(f"{name} is a number of expressions from {low} to {_MOST:,}, not {shown(count)}")
        for name, known in (("directory", DIRECTORIES), ("evaluation", EVALUATIONS), ("bloom", BLOOM_SIZES)):
            value: object = getattr(self, name)
            if isinstance(value, bool) or value not in known:
                raise KindError(f"{name} is one of {', '.join(map(repr, known))}, not {shown(value)}")
        if not isinstance(self.adjust, bool):
            raise KindError(f"adjust is True or False, not {shown(self.adjust)}")


def switches_of(options: BETreeOptions) -> tuple[int, ...]:
    """Return what files have of options.

    >>> options_of(switches_of(BETreeOptions(directory="generic"))) == BETreeOptions(directory="generic")
    True
    """
    ways = DIRECTORIES.index(options.directory), EVALUATIONS.index(options.evaluation)
    return options.capacity, options.least, *ways, options.bloom, options.adjust


def options_of(switches: Sequence[int]) -> BETreeOptions:
    """Return the options that a file has."""
    capacity, least, directory, evaluation, bloom, adjust = switches
    if directory >= len(DIRECTORIES) or evaluation >= len(EVALUATIONS):
        raise CorruptFile("the section 'options' has an unknown switch")
    return BETreeOptions(
        capacity=capacity,
        least=least,
        directory=DIRECTORIES[directory],
        evaluation=EVALUATIONS[evaluation],
        bloom=bloom,
        adjust=bool(adjust),
    )
