"""Whether the engines of ``benchmarks.rules`` find the same in every way, and what the oracle says. Counts visits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hedgerow as hr
from benchmarks._engines_verified import are_close, mean
from benchmarks._rules import BEST, Given, Subject

Ids: TypeAlias = NDArray[np.int64]

SCORED = 10  # events whose best matches the oracle scores too


def verified(subjects: Sequence[Subject], sample: int) -> tuple[int, int]:
    """Compare all matches, and count visits; return how many hits were the same, and how many outcomes the oracle's."""
    known: list[Ids] | None = None
    hits = outcomes = 0
    truth = Truth(subjects[0].given, sample)
    for subject in subjects:
        found = matches_of(subject)
        if known is not None:
            for number, (ids, others) in enumerate(zip(found, known, strict=True)):
                assert np.array_equal(ids, others), f"{subject.engine} differs from others on event {number}"
        known = found
        hits += sum(map(len, found))
        outcomes += truth.compare(subject.engine, found)
    verify_best(subjects, [len(ids) for ids in known or ()])
    return hits, outcomes


def matches_of(subject: Subject) -> list[Ids]:
    """Return what ``match`` finds for each event, which the other ways must find too."""
    index, given, found, visits = subject.index, subject.given, list[Ids](), list[int | None]()
    for event in given.events:
        found.append(np.array(index.match(event), np.int64))
        visits.append(index.visits)
    counts = [len(ids) for ids in found]
    subject.visits, subject.matches = mean(visits), sum(counts) / len(found)
    if "match_batch" not in subject.lacking:
        batch = index.match_batch(given.batch)
        rows = np.repeat(np.arange(len(found)), counts)
        said = f"{subject.engine}: match_batch finds others"
        assert np.array_equal(batch["event"].to_numpy(), rows), said
        assert np.array_equal(batch["id"].to_numpy(), np.concatenate(found)), said
    if "count_batch" not in subject.lacking:
        assert index.count_batch(given.batch).to_pylist() == counts, f"{subject.engine}: count_batch finds others"
    return found


class Truth:
    """What the oracle says of a sample of rules, evenly taken from all, on the events."""

    def __init__(self, given: Given, sample: int) -> None:
        """Evaluate."""
        places = np.unique(np.linspace(0, given.size - 1, min(sample, given.size)).astype(np.int64))
        rows = pa.Table.from_batches(given.rules).take(places)
        self.ids: Ids = rows["id"].to_numpy()
        rules = [hr.parse(text) for text in rows["expression"].to_pylist()]
        missing = given.workload.missing
        self.matching = [
            self.ids[[hr.evaluate(rule, event, missing) is True for rule in rules]] for event in given.events
        ]

    def compare(self, engine: str, found: Sequence[Ids]) -> int:
        """Compare the matches of an engine with what is true, and return how many outcomes that were."""
        for number, (ids, expected) in enumerate(zip(found, self.matching, strict=True)):
            sampled = ids[np.isin(ids, self.ids)]
            assert np.array_equal(sampled, expected), f"{engine} differs from the oracle on event {number}"
        return len(found) * len(self.ids)


def verify_best(subjects: Sequence[Subject], matches: Sequence[int]) -> None:
    """Compare the scores of the best matches with the oracle's, and those of the engines with each other.

    There are as many as an event has matches, if these are fewer than what is wanted.
    """
    known: dict[int, list[float]] = {}
    given = subjects[0].given
    rules = pa.Table.from_batches(given.rules)  # ids are numbers of rows
    for subject in (one for one in subjects if "top" not in one.lacking):
        for number, event in enumerate(given.events):
            best = subject.index.top(event, BEST)
            scores = [entry.score for entry in best]
            said = f"{subject.engine}: top finds others on event {number}"
            assert len(best) == min(BEST, matches[number]), said
            assert best == sorted(best, key=lambda entry: (-entry.score, entry.id)), said
            assert are_close(known.setdefault(number, scores), scores), said
            if number < SCORED:
                true = [oracle_score(rules, int(entry.id), given, number) for entry in best]
                assert are_close(true, scores), said


def oracle_score(rules: pa.Table, id: int, given: Given, number: int) -> float | None:
    """Return the score of a rule on an event, with its bid."""
    own = hr.score(rules["expression"][id].as_py(), given.events[number], missing=given.workload.missing)
    bid: float = rules["weight"][id].as_py()
    return None if own is None else own + bid
