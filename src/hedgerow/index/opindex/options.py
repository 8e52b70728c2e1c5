"""The switches of OpIndex: what its paper compares, and what it leaves open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np
import numpy.typing as npt

from hedgerow.errors import CorruptFile, KindError
from hedgerow.language.operand import shown

__all__ = ["OpIndexOptions", "options_of", "section_of"]

PIVOTS = ("rarest", "random")
_MOST_SEGMENTS = 1024
_MOST = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True)
class OpIndexOptions:
    """How an OpIndex is built and searched. The default is the paper's.

    >>> OpIndexOptions(log={"country": 1000, "model": 3}).log
    {'country': 1000, 'model': 3}
    """

    pivot: str = "rarest"
    """Which of the attributes that an event must have to match a conjunction is its pivot, or of which clause of a CNF
    all attributes are: the ``"rarest"``, or one at ``"random"``."""
    log: Mapping[str, float] | None = field(default=None, hash=False)
    """How frequent attributes are in events, in any unit; those that are not there are the rarest. Without a log they
    are counted in the conjunctions and CNFs as these come."""
    repivot: bool = True
    """Whether pivots are chosen anew when the conjunctions have doubled and others are by far rarer than those chosen
    when less was known; without a log only, since that does not change."""
    cnf: bool = True
    """Whether a CNF of fewer clauses than its DNF has conjunctions is kept whole, under each attribute of one of its
    clauses (Section 6.1 of the paper, which compares the two forms). Without it, everything becomes a DNF."""
    segments: int = 32
    """The most segments that a list of predicates is cut into by their attributes: a power of two, 1 for none."""
    signatures: bool = True
    """Whether each segment has a signature of 64 bits, which tells most that have no predicate for a value before they
    are looked at. The paper's OpIndex-BS has neither these nor segments."""
    tail: int = 1024
    """Conjunctions that may wait to be sorted into the lists however few there are in them; more are sorted in when
    they are more than an eighth of those. What waits is tested as it is."""
    seed: int = 0
    """What pivots at random are drawn from."""

    def __post_init__(self) -> None:
        """Refuse what is no switch, no number and no way; keep a log of one's own."""
        if self.pivot not in PIVOTS:
            raise KindError(f"pivot is one of {', '.join(map(repr, PIVOTS))}, not {shown(self.pivot)}")
        for name in ("repivot", "cnf", "signatures"):
            if not isinstance(getattr(self, name), bool):
                raise KindError(f"{name} is True or False, not {shown(getattr(self, name))}")
        if not _is_count(self.segments) or not 1 <= self.segments <= _MOST_SEGMENTS or self.segments.bit_count() > 1:
            raise KindError(f"segments is a power of two up to {_MOST_SEGMENTS:,}, not {shown(self.segments)}")
        for name, unit in (("tail", " of conjunctions"), ("seed", "")):
            if not _is_count(getattr(self, name)) or not 0 <= getattr(self, name) < _MOST:
                raise KindError(f"{name} is a number{unit} below 2**31, not {shown(getattr(self, name))}")
        if self.log is not None:
            object.__setattr__(self, "log", _checked(self.log))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _checked(log: object) -> dict[str, float]:
    """Return a copy of a log; KindError if it is none."""
    if not isinstance(log, Mapping):
        raise KindError(f"log is a mapping of attributes to frequencies, not {shown(log)}")
    for name, frequency in log.items():
        if not isinstance(name, str):
            raise KindError(f"log has attributes by name, not {shown(name)}")
        if isinstance(frequency, bool) or not isinstance(frequency, int | float) or not 0 <= frequency < float("inf"):
            raise KindError(f"log has frequencies that are not negative, not {shown(frequency)} of {name!r}")
    return dict(log)


def section_of(options: OpIndexOptions) -> npt.NDArray[np.uint8]:
    """Return what files have of options.

    >>> options_of(section_of(OpIndexOptions(log={"a": 2.5}))) == OpIndexOptions(log={"a": 2.5})
    True
    """
    # The mapping may be of any kind, and JSON wants a dict.
    told = {name: dict(value) if name == "log" and value else value for name, value in asdict(options).items()}
    return np.frombuffer(json.dumps(told).encode(), np.uint8)


def options_of(section: npt.NDArray[np.uint8]) -> OpIndexOptions:
    """Return the options that a file has."""
    try:
        return OpIndexOptions(**json.loads(section.tobytes()))
    except (ValueError, TypeError, KindError) as error:
        raise CorruptFile("the section 'options' has an unknown switch") from error
