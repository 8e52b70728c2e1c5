"""What an engine is: the protocol that every index behind ``hr.Index`` implements, and the registry of names.

``Index`` owns ids, parsing, errors and the writers' lock. An engine owns slots and arrays, and nothing else: an
expression is a *slot*, a number that ``Index`` counts up from 0 and that is never used twice in one engine.

Threads: one writer at a time calls ``insert``, ``delete`` and ``commit``; any number of readers call the rest, also in
the middle of a write. A reader sees everything up to a ``commit`` or nothing of it, and never waits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hedgerow.errors import KindError, Unsupported
from hedgerow.event.batch_cy import EventBatch
from hedgerow.index.report import Id, LevelStats
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operand import shown
from hedgerow.language.score import CheckedWeights
from hedgerow.sections import Arrays

__all__ = [
    "Counted",
    "Drawing",
    "Drawn",
    "Engine",
    "EngineFactory",
    "EngineRestorer",
    "Figured",
    "Foreseeable",
    "Layered",
    "Matches",
    "Names",
    "Ranked",
    "Tended",
    "drawn_engines",
    "engine_factory",
    "engine_names",
    "engine_restorer",
    "named",
    "ranked",
    "register_engine",
]


class Matches(NamedTuple):
    """The matches of a batch: those of event ``i`` are ``slots[starts[i]:starts[i + 1]]``, in ascending order."""

    starts: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32] | npt.NDArray[np.int64]


class Ranked(NamedTuple):
    """The best matches of a batch: those of event ``i`` are ``slots[starts[i]:starts[i + 1]]``, best first."""

    starts: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


def ranked(best: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]]) -> Ranked:
    """Return the best slots of each event, and their scores, as one record."""
    starts = np.zeros(len(best) + 1, np.int64)
    np.cumsum([len(slots) for slots, _ in best], out=starts[1:])
    slots = [np.empty(0, np.int32), *(slots for slots, _ in best)]
    scores = [np.empty(0, np.float64), *(scores for _, scores in best)]
    return Ranked(starts, np.concatenate(slots), np.concatenate(scores))


Names = Callable[[], npt.NDArray[np.int64]]
"""Returns what stands for each slot. It is called when a search has begun, so that each slot it sees has a name."""


def named(matches: Matches, names: Names) -> Matches:
    """Return matches with the names of the slots in their place."""
    return Matches(matches.starts, names()[matches.slots])


class Engine(Protocol):
    """One index structure over slots. ``hedgerow.testing.check_engine`` is the contract in executable form."""

    def insert(self, slot: int, graph: Graph, node: int, weight: float) -> None:
        """Take the expression at ``node`` into the next slot; on an error, nothing has changed."""

    def forget(self, count: int) -> None:
        """Take back the slots from ``count`` on, none of which is committed."""

    def delete(self, slot: int) -> None:
        """Take the expression of a slot out."""

    def commit(self) -> None:
        """Let readers that start from now on see all that was inserted and deleted."""

    def match(self, events: EventBatch, threads: int = 1) -> Matches:
        """Return the slots that match each event; ``threads`` may work on it, if the engine knows how."""

    def match_names(self, events: EventBatch, threads: int, names: Names) -> Matches:
        """Return the matches of each event with ``names()[slot]`` in the place of each slot (see ``named``)."""

    def count(self, events: EventBatch, threads: int = 1) -> npt.NDArray[np.int64]:
        """Return how many slots match each event."""

    def top(self, events: EventBatch, n: int, weights: CheckedWeights | None) -> Ranked:
        """Return the ``n`` best slots that match each event, and their scores; equal ones in ascending order.

        ``weights`` are those of one event, and are only given with a batch of one.
        """

    def expression(self, slot: int) -> Expression:
        """Return what was inserted into a slot, or an expression that matches the same events."""

    def compacted(self, slots: Sequence[int]) -> Engine:
        """Return a new engine with just these slots of this one, numbered from 0 in this order."""

    def saved(self) -> dict[str, npt.NDArray[Any]]:
        """Return all that is committed as named one-dimensional arrays, which the engine's restorer takes.

        Called with the writers' lock held, so the arrays may be views of the engine's own. Only an engine that was
        registered with a restorer needs it; another may raise ``Unsupported``. ``hedgerow.sections`` tells how the
        arrays of parts (a ``Graph``, a ``PredicateTable``, ``Lists``) are put together and taken apart.
        """

    def attributes(self) -> list[str]:
        """Return the names of the attributes that are tested, in no order; those of deleted expressions may stay."""

    @property
    def predicate_count(self) -> int:
        """How many distinct predicates the engine holds."""

    def bytes_by_part(self) -> dict[str, int]:
        """Return how many bytes each part of the engine holds; their names are the engine's own."""


@runtime_checkable
class Layered(Protocol):
    """What an engine may have beyond ``Engine``: nodes on levels, for ``Index.stats``."""

    def levels(self) -> tuple[LevelStats, ...]:
        """Return what there is on each level, from the predicates up."""


@runtime_checkable
class Counted(Protocol):
    """What an engine may have beyond ``Engine``: a count of the work that searches do, for ``Index.visits``."""

    @property
    def visits(self) -> int | None:
        """How many nodes or entries the last search visited; None where that was not counted."""


@runtime_checkable
class Foreseeable(Protocol):
    """What an engine may have beyond ``Engine``: predicates that another thread can look up before they are inserted.

    ``insert`` may then be given a graph whose ``foreseen`` has a ``Copier`` that has done so.
    """

    def seen_predicates(self) -> Graph | None:
        """Return the predicates as they are now (see ``Graph.seen``); None if it would be of no use."""


@runtime_checkable
class Figured(Protocol):
    """What an engine may have beyond ``Engine``: figures of its own for ``Index.stats``."""

    def figures(self) -> dict[str, str | int]:
        """Return what there is to tell, by name; takes time in proportion to the index."""


@runtime_checkable
class Tended(Protocol):
    """What an engine may have beyond ``Engine``: something to put in order, by what searches have taught it."""

    @property
    def restless(self) -> bool:
        """Whether there is something to do."""

    def tend(self) -> None:
        """Do some of it, which takes a fraction of a millisecond; as a writer, and without a change of any result."""

    def choose_anew(self) -> None:
        """Put everything in order by what is known by now, as soon as ``tend`` is called."""

    @property
    def tended(self) -> int:
        """How many expressions have been put in order, while there is something to do."""


class Drawing(Protocol):
    """A structure that can be shown."""

    def picture(self) -> str:
        """Return it as text."""

    def to_graphviz(self) -> str:
        """Return it in the language DOT."""


@runtime_checkable
class Drawn(Protocol):
    """What an engine may have beyond ``Engine``: a structure to show, for ``Index.picture`` and ``to_graphviz``."""

    def drawing(self, ids: Mapping[int, Id], most: int) -> Drawing:
        """Return the structure, where ``ids`` has the ids of slots; LimitError for more than ``most`` nodes."""


EngineFactory = Callable[..., Engine]
"""Makes an empty engine for a reading of missing attributes: ``"unknown"`` or ``"false"``.

One that was registered with a kind of options also takes such a record, or none, as its second argument.
"""

EngineRestorer = Callable[[str, Arrays], Engine]
"""Makes an engine again of a reading of missing attributes and the arrays that ``Engine.saved`` returned.

It copies and hashes nothing, since the arrays are a mapped file and opening takes no time; it may write to them, which
the file does not notice. It checks that sizes fit each other (``hedgerow.sections.section`` does) and raises
``CorruptFile`` or ``UnknownVersion`` otherwise. The engine takes changes as any other: arrays without spare room grow
when something is added.
"""

_FACTORIES: dict[str, EngineFactory] = {}
_RESTORERS: dict[str, EngineRestorer | None] = {}
_OPTIONS: dict[str, type] = {}


def register_engine(
    name: str, factory: EngineFactory, restorer: EngineRestorer | None = None, *, options: type | None = None
) -> None:
    """Make ``hr.Index(name)`` use ``factory``, and ``hr.open`` use ``restorer``, without which it has no files.

    ``options`` is the kind of record that the factory takes beside the reading of missing attributes, if it takes one.
    """
    _FACTORIES[name] = factory
    _RESTORERS[name] = restorer
    _OPTIONS.pop(name, None)
    if options is not None:
        _OPTIONS[name] = options


def engine_factory(name: str, options: object = None) -> Callable[[str], Engine]:
    """Return the factory that was registered under a name, with these options if there are any.

    >>> engine_factory("scan", options=7)
    Traceback (most recent call last):
    ...
    hedgerow.errors.Unsupported: the engine 'scan' takes no options; those that do: 'atree', ...
    """
    if name not in _FACTORIES:
        raise KindError(f"no engine is called {name!r}; there are {', '.join(engine_names())}")
    factory = _FACTORIES[name]
    if options is None:
        return factory
    if name not in _OPTIONS:
        able = ", ".join(f"{other!r}" for other in sorted(_OPTIONS))
        raise Unsupported(f"the engine {name!r} takes no options; those that do: {able}")
    if not isinstance(options, _OPTIONS[name]):
        raise KindError(f"the options of {name!r} are an {_OPTIONS[name].__name__}, not {shown(options)}")
    return functools.partial(_with_options, factory, options)


def _with_options(factory: EngineFactory, options: object, missing: str) -> Engine:
    return factory(missing, options)


def engine_restorer(name: str) -> EngineRestorer:
    """Return the restorer that was registered under a name; ``Unsupported`` if that engine has none.

    >>> engine_restorer("nowhere")
    Traceback (most recent call last):
    ...
    hedgerow.errors.KindError: no engine is called 'nowhere'; there are ...
    """
    engine_factory(name)
    restorer = _RESTORERS[name]
    if restorer is None:
        able = [other for other in engine_names() if _RESTORERS[other]]
        raise Unsupported(f"the engine {name!r} has no files; those of {', '.join(able)} can be saved and opened")
    return restorer


def drawn_engines() -> list[str]:
    """Return the names of the engines that have a structure to draw, sorted.

    >>> drawn_engines()
    ['atree', 'betree', ...]
    """
    return [name for name in engine_names() if hasattr(_FACTORIES[name]("unknown"), "drawing")]


def engine_names() -> list[str]:
    """Return the names of all engines, sorted."""
    return sorted(_FACTORIES)
