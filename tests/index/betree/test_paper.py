"""The worked examples of the paper: how a tree is cut (Figure 6), and what its introduction matches."""

from __future__ import annotations

import pytest

import hedgerow as hr
from hedgerow.index.betree.adjusting_cy import covered_worth
from tests.index.betree.test_options import engine_of

# What Figure 6 had is lost; these have the sizes and overlaps that its text tells. Of attributes that are in equally
# many expressions the tree takes the first by number, and an expression's last attribute gets its number first.
FIGURE_6 = (
    ("S1", "a BETWEEN 2 AND 12 AND b BETWEEN 1 AND 3"),
    ("S2", "c BETWEEN 1 AND 2"),
    ("S3", "d BETWEEN 1 AND 9 AND e BETWEEN 0 AND 1"),
    ("S4", "a BETWEEN 5 AND 10 AND b BETWEEN 2 AND 4"),
    ("S5", "d BETWEEN 3 AND 4"),
    ("S6", "d BETWEEN 7 AND 9 AND c BETWEEN 2 AND 3"),
    ("S7", "a BETWEEN 6 AND 9 AND b BETWEEN 0 AND 5"),
    ("S8", "a BETWEEN 1 AND 3"),
    ("S9", "a BETWEEN 3 AND 8 AND b BETWEEN 7 AND 9"),
)
NAMES = str.maketrans("abcde", "edcba")
"""By these names a comes before b, and d before e, as in the figure."""

BOOKS = """genre = 'classics' AND era IN ('1720s', '1730s') AND price BETWEEN 20 AND 40 AND ranking < 5
    AND format NOT IN ('mass market', 'paperback')"""

# Where each expression is, as the partitions and halves on the way to it, after the last of the named was inserted.
STEPS = {
    "S3": {"": "S1 S2 S3"},
    "S4": {"": "S2 S3", "a": "S1 S4"},
    "S5": {"": "S2 S3 S5", "a": "S1 S4"},
    "S6": {"": "S2", "a": "S1 S4", "d": "S3 S5 S6"},
    "S8": {"": "S2", "a": "S1 S4 S7", "a low": "S8", "d": "S3 S5 S6"},
    "S9": {"": "S2", "a low": "S8", "a b": "S7", "a b low": "S1 S4", "a b high": "S9", "d": "S3 S5 S6"},
}


def places(index: hr.Index) -> dict[str, str]:
    """Return the ids of each leaf that has any, by the way to it."""
    tree = engine_of(index).tree
    found: dict[str, str] = {}
    waiting = [(0, "")]
    while waiting:
        number, way = waiting.pop()
        node = tree.told_node(number)
        if node.records:
            found[way.strip()] = " ".join(sorted(FIGURE_6[record.unit][0] for record in node.records))
        waiting += zip(node.bucket.halves, (f"{way} low", f"{way} high"), strict=bool(node.bucket.halves))
        for partition in map(tree.told_partition, node.partitions):
            waiting += [(bucket, f"{way} {partition.attribute.translate(NAMES)}") for bucket in partition.buckets]
    return found


def test_figure_6_step_by_step() -> None:
    """A leaf that overflows is partitioned, a bucket halved before that, and what both halves need stays above."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=3, least=2))
    for name, text in FIGURE_6:
        index.insert(name, " ".join(part.translate(NAMES) for part in text.split(" ")))
        engine_of(index).check()
        if name in STEPS:
            assert places(index) == STEPS[name], name


def capacity_of_the_root(index: hr.Index) -> int:
    """Return how many expressions its leaf may have before it is looked at again."""
    return engine_of(index).tree.told_node(0).capacity


def test_capacities_are_those_of_equation_9() -> None:
    """Capacity 3: a leaf of 7 may have 9, an empty one 3; one that cannot be partitioned grows by half, or by 3."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=3, least=1))
    index.insert_many((number, f"x{number} IS NULL") for number in range(4))
    assert capacity_of_the_root(index) == 4 + 3
    index.insert_many((number, f"x{number} IS NULL") for number in range(4, 7))
    index.insert(7, "a = 1")
    assert len(engine_of(index).tree.told_node(0).records) == 7
    assert capacity_of_the_root(index) == 9
    assert index.stats().figures["capacity of a leaf"] == "3 to 9"
    for number in range(8):
        index.delete(number)
    index.insert_many((number, f"a > {number}") for number in range(10))
    assert len(engine_of(index).tree.told_node(0).records) == 0
    assert capacity_of_the_root(index) == 3


def test_beta_adapts_to_false_candidates() -> None:
    """What is covered, and does not say that it holds, is worth the less the more is looked at for nothing."""
    assert [covered_worth(phi) for phi in (0.0, 0.8, 1.0)] == pytest.approx([0.5, 0.1, 0.0])


@pytest.mark.parametrize(
    ("rule", "event", "matches"),
    (
        (
            BOOKS,
            {"genre": "classics", "title": "x", "author": "y", "era": "1730s", "price": 26, "ranking": 2}
            | {"format": "hardcover"},
            True,
        ),
        (
            "category = 'green jobs' AND hours > 15 AND rate < 45",
            {"category": "green jobs", "hours": 20, "rate": 30},
            True,
        ),
        ("age IN (25, 27, 29)", {"age": 27}, True),
        ("age IN (25, 27, 29)", {"age": 28}, False),
        ("format NOT IN ('paperback')", {"genre": "classics"}, False),
    ),
)
def test_the_examples_of_the_introduction(rule: str, event: dict[str, object], matches: bool) -> None:
    """Books, jobs and ages, among rules about the same attributes."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=1, least=1))
    index.insert("it", rule)
    index.insert_many((number, f"price < {number} AND age IN ({number}) AND hours > {number}") for number in range(40))
    assert ("it" in index.match(event)) is matches
