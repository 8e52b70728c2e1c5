"""Engines that break the contract on purpose: each must be caught, or the contract checks nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest

import hedgerow as hr
from hedgerow import testing
from hedgerow.index.engine import _FACTORIES as FACTORIES
from hedgerow.index.engine import Matches, Names, Ranked, engine_names, named, register_engine
from hedgerow.index.scan_cy import ScanEngine


class Honest:
    """A scan behind Python, for others to bend."""

    def __init__(self, missing: str) -> None:
        """Wrap a new scan."""
        self.inner: Any = ScanEngine(missing)

    def __getattr__(self, name: str) -> Any:
        """Pass everything on that is not bent."""
        return getattr(self.inner, name)

    def match_names(self, events: hr.EventBatch, threads: int, names: Names) -> Matches:
        """Name what ``match`` finds, bent or not."""
        return named(self.match(events, threads), names)


class LosesALateSlot(Honest):
    """Never finds the third expression."""

    def match(self, events: hr.EventBatch, _threads: int = 1) -> Matches:
        """Leave slot 2 out."""
        lists = [
            [slot for slot in self.inner.match(hr.events([events.row(row)])).slots if slot != 2]
            for row in range(len(events))
        ]
        return _matches(lists)


class MatchesUndefined(Honest):
    """Reads every missing attribute as false, whatever was asked for."""

    def __init__(self, _missing: str) -> None:
        """Forget the reading."""
        super().__init__("false")


class IgnoresDeletes(Honest):
    """Keeps what was deleted."""

    def delete(self, slot: int) -> None:
        """Do nothing."""


class CountsOneTooMany(Honest):
    """Counts wrongly."""

    def count(self, events: hr.EventBatch, _threads: int = 1) -> Any:
        """Add one."""
        return self.inner.count(events) + 1


class IgnoresEventWeights(Honest):
    """Scores without the event's weights."""

    def top(self, event: hr.EventBatch, n: int, _weights: object) -> Any:
        """Leave the weights out."""
        return self.inner.top(event, n, None)


class BreaksTiesBackwards(Honest):
    """Returns equal scores in the wrong order."""

    def top(self, event: hr.EventBatch, n: int, weights: object) -> Any:
        """Turn the result round where all scores are equal."""
        best = self.inner.top(event, n, weights)
        equal = len(set(best.scores.tolist())) == 1
        return best._replace(slots=best.slots[::-1].copy()) if equal else best


class RanksOnlyTheFirst(Honest):
    """Has an eye for one event of a batch."""

    def top(self, events: hr.EventBatch, n: int, weights: object) -> Any:
        """Return nothing for the events after the first."""
        starts, slots, scores = self.inner.top(events, n, weights)
        first = int(starts[1])
        return Ranked(np.minimum(starts, first), slots[:first], scores[:first])


class ForgetsWhatItHolds(Honest):
    """Returns another expression than was inserted."""

    def expression(self, _slot: int) -> hr.Expression:
        """Return the same for every slot."""
        return hr.Constant(value=True)


class ShowsHalfAnUpdate(Honest):
    """Commits an insert before the delete that belongs to it."""

    def insert(self, *args: Any) -> None:
        """Commit at once, and give readers time to look."""
        self.inner.insert(*args)
        self.inner.commit()
        time.sleep(0.0003)


class LosesDeletesInFiles(Honest):
    """Saves as if nothing had been deleted."""

    def saved(self) -> dict[str, Any]:
        """Give every slot a life without end."""
        arrays = dict(self.inner.saved())
        return arrays | {"died": np.full_like(arrays["died"], np.iinfo(np.int64).max)}


class LosesNamesInFiles(Honest):
    """Saves names that cannot be looked up."""

    def saved(self) -> dict[str, Any]:
        """Empty the hash table of names."""
        arrays = dict(self.inner.saved())
        return arrays | {"graph.names.slots": np.full_like(arrays["graph.names.slots"], -1)}


def _matches(lists: list[list[int]]) -> Matches:
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return Matches(starts, np.array([slot for slots in lists for slot in slots], np.int32))


@pytest.fixture(autouse=True)
def _quick_failures() -> Iterator[None]:
    """Do not shrink what fails on purpose, and take the broken engines out of the registry again."""
    before = hypothesis.settings.get_current_profile_name()
    names = set(engine_names())
    phases = [hypothesis.Phase.generate]
    hypothesis.settings.register_profile("broken", phases=phases, max_examples=300, derandomize=True, deadline=None)
    hypothesis.settings.load_profile("broken")
    yield
    hypothesis.settings.load_profile(before)
    for name in set(engine_names()) - names:
        del FACTORIES[name]


@pytest.mark.parametrize(
    ("broken", "check"),
    (
        (LosesALateSlot, testing.check_matches_are_the_oracles),
        (MatchesUndefined, testing.check_matches_are_the_oracles),
        (CountsOneTooMany, testing.check_matches_are_the_oracles),
        (IgnoresDeletes, testing.check_changes_take_effect),
        (IgnoresEventWeights, testing.check_scores_are_the_oracles),
        (BreaksTiesBackwards, testing.check_scores_are_the_oracles),
        (RanksOnlyTheFirst, testing.check_scores_are_the_oracles),
        (ForgetsWhatItHolds, testing.check_look_ups),
        (ShowsHalfAnUpdate, testing.check_readers_and_a_writer),
        (LosesDeletesInFiles, testing.check_files),
        (LosesNamesInFiles, testing.check_files),
    ),
)
def test_the_contract_catches(broken: Callable[[str], Any], check: Callable[[testing.Factory], None]) -> None:
    """A broken engine fails the part of the contract that it breaks."""
    register_engine("broken", broken, ScanEngine.restored)
    with pytest.raises(AssertionError):
        check(lambda missing: hr.Index("broken", missing=missing))


def test_the_wrapper_itself_is_honest() -> None:
    """What fails above fails for its bend, not for the wrapping."""
    register_engine("honest", Honest)
    testing.check_ids(lambda missing: hr.Index("honest", missing=missing))
    testing.check_readers_and_a_writer(lambda missing: hr.Index("honest", missing=missing))
