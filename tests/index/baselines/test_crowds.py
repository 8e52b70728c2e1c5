"""Many expressions of few values: clusters that are opened, trees that are wide, lists that are long."""

from __future__ import annotations

import random

import pytest

import hedgerow as hr
from hedgerow.testing import _beside

ENGINES = (
    ("app", None),
    ("bdd", None),
    ("bop", None),
    ("gryphon", hr.GryphonOptions(form="equality")),
    ("gryphon", hr.GryphonOptions(form="generic")),
    ("gryphon", hr.GryphonOptions(form="intervals", order=("e", "c"))),
    ("opindex", None),
    ("opindex", hr.OpIndexOptions(tail=0)),
    ("propagation", None),
    ("pscan", None),
    ("translation", None),
)
ATTRIBUTES = "abcdef"


def _literal(chance: random.Random, attribute: str) -> str:
    """Return an equality as often as not, or another test."""
    value, other = chance.randrange(3), chance.randrange(3)
    others = (
        f"{attribute} IN ({value}, {other}, 7)",
        f"{attribute} NOT IN ({value}, {other})",
        f"{attribute} WEAK NOT IN ({value})",
        f"{attribute} > {value}",
        f"{attribute} IS NULL",
        f"{attribute} NOT BETWEEN {value} AND {other}",
    )
    return f"{attribute} = {value}" if chance.random() < 0.5 else chance.choice(others)


def _expression(chance: random.Random) -> str:
    return " AND ".join(
        _literal(chance, attribute) for attribute in chance.choices(ATTRIBUTES, k=chance.randrange(1, 6))
    )


def _event(chance: random.Random) -> dict[str, int | list[int]]:
    """Return an event with a list now and then."""
    there = chance.sample(ATTRIBUTES, chance.randrange(len(ATTRIBUTES) + 1))
    values = [chance.choices(range(4), k=chance.randrange(4)) if chance.random() < 0.2 else [] for _ in there]
    return {name: value or chance.randrange(4) for name, value in zip(there, values, strict=True)}


@pytest.mark.parametrize(("engine", "options"), ENGINES, ids=str)
def test_a_crowd_is_found_as_scan_finds_it(engine: str, options: hr.GryphonOptions | None) -> None:
    """Also after deletes, and when all of it was made anew."""
    chance = random.Random(7)
    rules = [(number, _expression(chance)) for number in range(2000)]
    index, scan = hr.Index(engine, options=options), hr.Index("scan")
    events = [_event(chance) for _ in range(60)]
    for other in (index, scan):
        other.insert_many(rules)
        for number in range(0, 2000, 3):
            other.delete(number)
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]
    index.insert_many((number, rules[number][1]) for number in range(0, 2000, 3))
    scan.insert_many((number, rules[number][1]) for number in range(0, 2000, 3))
    assert [sorted(index.match(event)) for event in events] == [sorted(scan.match(event)) for event in events]


@pytest.mark.parametrize(("engine", "options"), ENGINES, ids=str)
def test_a_crowd_that_grows_beside_readers_keeps_its_first(engine: str, options: hr.GryphonOptions | None) -> None:
    """Clusters are opened, and nodes get edges, while searches go through them."""
    chance = random.Random(8)
    index = hr.Index(engine, options=options)
    index.insert_many((number, _expression(chance)) for number in range(300))
    events = hr.events([_event(chance) for _ in range(40)])

    def first() -> list[tuple[int, int]]:
        rows, ids = (column.to_pylist() for column in index.match_batch(events).columns)
        return sorted(pair for pair in zip(rows, ids, strict=True) if pair[1] < 300)

    right = first()

    def read() -> None:
        assert first() == right, "a batch beside a writer found others"

    def write(turn: int) -> None:
        start = 300 + 20 * turn
        index.insert_many((number, _expression(chance)) for number in range(start, start + 20))

    _beside(write, [read, read], 10)
