"""Whether the engines of ``benchmarks.engines`` find what the oracle says, the same as each other, and their visits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hedgerow as hr
from benchmarks._engines import Given, Subject, predicates_of
from benchmarks._engines_workloads import BEST, Event

Ids: TypeAlias = NDArray[np.int64]


def verified(subjects: Sequence[Subject], sample: int) -> tuple[int, int]:
    """Compare all matches, and count visits; return how many ids were the same, and how many outcomes the oracle's."""
    source, agreed, hits, outcomes = subjects[0].given, Agreed(), 0, 0
    truth = Truth(source, sample, max(len(subject.events) for subject in subjects))
    for subject in sorted(subjects, key=lambda subject: -len(subject.events)):
        found = matches_of(subject)
        refused = np.array([bad.id for bad in subject.refused], np.int64)
        outcomes += truth.compare(subject.engine, found, refused)
        hits += agreed.compare(subject.engine, found, refused)
    if source.weights is not None:
        verify_best(subjects)
    return hits, outcomes


def matches_of(subject: Subject) -> list[Ids]:
    """Return what ``match`` finds for each event, which ``match_batch`` and ``count_batch`` must find too."""
    index, found, visits = subject.index, list[Ids](), list[int | None]()
    for event in subject.events:
        found.append(np.array(index.match(event), np.int64))
        visits.append(index.visits)
    subject.visits = mean(visits)
    subject.matches = sum(map(len, found)) / len(found)
    rows = np.repeat(np.arange(len(found)), list(map(len, found)))
    batch = index.match_batch(subject.batch)
    assert np.array_equal(batch["event"].to_numpy(), rows), f"{subject.engine}: match_batch finds other events"
    assert np.array_equal(batch["id"].to_numpy(), np.concatenate(found)), f"{subject.engine}: match_batch finds others"
    counts = index.count_batch(subject.batch).to_pylist()
    assert counts == list(map(len, found)), f"{subject.engine}: count_batch finds others"
    return found


class Agreed:
    """The matches that engines agree on, without ids that all of them refused so far."""

    def __init__(self) -> None:
        """Begin with no engine."""
        self.found: list[Ids] | None = None
        self.unjudged = np.empty(0, np.int64)

    def compare(self, engine: str, found: list[Ids], refused: Ids) -> int:
        """Compare the matches of an engine with those of the others, which had as many events or more.

        Where one refused an expression, the others judge it. Return how many ids are the same.
        """
        if self.found is None:
            self.found, self.unjudged = found, refused
            return sum(map(len, found))
        hits = 0
        for number, ids in enumerate(found):
            known = without(self.found[number], refused)
            assert np.array_equal(without(ids, self.unjudged), known), f"{engine} differs from others on event {number}"
            self.found[number] = np.union1d(self.found[number], ids)
            hits += len(ids)
        self.unjudged = np.intersect1d(self.unjudged, refused)
        return hits


class Truth:
    """What the oracle says of a sample of expressions, evenly taken from all, on the events."""

    def __init__(self, source: Given, sample: int, events: int) -> None:
        """Evaluate."""
        places = np.unique(np.linspace(0, source.expressions - 1, min(sample, source.expressions)).astype(np.int64))
        rows = pa.Table.from_batches(source.batches).take(places)
        texts = rows["expression"].combine_chunks()
        self.ids: Ids = rows["id"].to_numpy()
        expressions = [hr.parse(text) for text in texts.to_pylist()]
        written = sum(map(predicate_count, expressions))
        assert written == predicates_of(source.workload, texts), "texts have other numbers of predicates than counted"
        self.matching = [self._matching(expressions, event) for event in source.events[:events]]

    def _matching(self, expressions: Iterable[hr.Expression], event: Event) -> Ids:
        return self.ids[[hr.evaluate(expression, event) is True for expression in expressions]]

    def compare(self, engine: str, found: list[Ids], refused: Ids) -> int:
        """Compare the matches of an engine with what is true, and return how many outcomes that were."""
        for number, ids in enumerate(found):
            expected = without(self.matching[number], refused)
            others = ids[np.isin(ids, self.ids)]
            assert np.array_equal(others, expected), f"{engine} differs from the oracle on event {number}"
        return len(found) * len(without(self.ids, refused))


def without(ids: Ids, others: Ids) -> Ids:
    """Return the ids that are not among others."""
    return ids[~np.isin(ids, others)] if len(others) else ids


def predicate_count(expression: hr.Expression) -> int:
    """Return how many predicates stand in an expression."""
    open_parts, count = [expression], 0
    while open_parts:
        part = open_parts.pop()
        count += isinstance(part, hr.Predicate)
        open_parts += getattr(part, "operands", ())
    return count


def verify_best(subjects: Sequence[Subject]) -> None:
    """Compare the best matches with the oracle's scores and, of engines that refused nothing, with each other's."""
    source, known = subjects[0].given, dict[int, list[float]]()
    texts = pa.Table.from_batches(source.batches)["expression"]  # ids are numbers of rows
    assert source.weights is not None
    for subject in subjects:
        visits, skipped = list[int | None](), list[int | None]()
        for number, (event, weights) in enumerate(zip(subject.events, source.weights, strict=False)):
            best = subject.index.top(event, BEST, weights)
            visits.append(subject.index.visits)
            skipped.append(getattr(subject.index._state.engine, "last_skipped", None))  # noqa: SLF001 - no other way
            said = f"{subject.engine}: top finds others on event {number}"
            assert best == sorted(best, key=lambda entry: (-entry.score, entry.id)), said
            scores = [hr.score(texts[entry.id].as_py(), event, weights) for entry in best]
            assert are_close(scores, [entry.score for entry in best]), said
            if not subject.refused:
                assert are_close(known.setdefault(number, [entry.score for entry in best]), scores), said
        subject.top_visits, subject.top_skipped = mean(visits), mean(skipped)


def are_close(scores: Sequence[float | None], others: Sequence[float | None]) -> bool:
    """Return whether scores are the same but for rounding: engines add them up in other orders."""
    pairs = zip(scores, others, strict=False)
    return len(scores) == len(others) and all(
        one is not None and other is not None and math.isclose(one, other, abs_tol=1e-9) for one, other in pairs
    )


def mean(counts: Sequence[int | None]) -> float | None:
    """Return the mean of counts; None if any of them was not counted."""
    known = [count for count in counts if count is not None]
    return sum(known) / len(known) if len(known) == len(counts) else None
