"""Pictures of trees: nodes below each other, what leads to them, and who is in them."""

from __future__ import annotations

import pytest

import hedgerow as hr

TREE = """\
root
  · 'all': nothing else to test
  · 'none': age IS NULL
  town = 'Berne'
    · 'b': age > 30
  town = 'Rome'
    · 'r', 'same': nothing else to test
  age from 3 to 20
    · 'wide': age < 20
    age from 3 to 11.5
      · 'low': age BETWEEN 3 AND 9
    age from 11.5 to 20
      · 'old': age >= 18"""


def tree() -> hr.Index:
    """Return a small tree with partitions of two kinds."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=2, least=2))
    index.insert_many(
        [
            ("all", "TRUE"),
            ("none", "age IS NULL"),
            ("r", "town = 'Rome'"),
            ("b", "town = 'Berne' AND age > 30"),
            ("same", "town = 'Rome'"),
            ("low", "age BETWEEN 3 AND 9"),
            ("old", "age >= 18"),
            ("wide", "age < 20"),
            ("gone", "age >= 19"),
        ]
    )
    index.delete("gone")
    return index


def test_a_tree_is_told_line_by_line() -> None:
    """What the way to a leaf says is not told again, and what was deleted is not drawn."""
    assert tree().picture() == TREE


def test_a_tree_is_drawn() -> None:
    """In DOT, an edge to each node from that which it is below."""
    drawn = tree().to_graphviz()
    assert drawn.startswith("digraph betree {")
    assert drawn.count(" -> ") == TREE.count("town") + TREE.count("age from")
    assert "town = 'Berne'" in drawn


def test_ends_of_all_kinds_are_told() -> None:
    """Booleans, strings and times have lines too, and lists of mixed kinds none."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=1, least=1, directory="generic"))
    index.insert(1, "a = TRUE")
    index.insert(2, "a = FALSE")
    index.insert(3, "s > 'ab'")
    index.insert(4, "s <= 'yz'")
    index.insert(5, "t > TIMESTAMP '2026-01-31T12:00:00Z'")
    index.insert(6, "t < TIMESTAMP '2026-02-01T12:00:00Z'")
    index.insert(7, "m LIKE '%x'")
    index.insert(8, "m LIKE '%y'")
    picture = index.picture()
    for part in (
        "a from false to true",
        "s from 'ab' to 'yz'",
        "t from TIMESTAMP '2026-01-31T12:00:00Z' to",
        "m is there",
    ):
        assert part in picture


def test_too_large_a_picture_is_refused() -> None:
    """With what would draw it."""
    index = hr.Index("betree")
    index.insert_many((number, f"a = {number}") for number in range(50))
    with pytest.raises(hr.LimitError, match="most="):
        index.picture(most=20)
    assert "a = 49" in index.picture(most=200)
