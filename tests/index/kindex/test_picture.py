"""Pictures: the lists of the paper's figures, and that they are refused where they would say nothing."""

from __future__ import annotations

import pytest

import hedgerow as hr
from tests.index.kindex.test_paper import CNFS, CONJUNCTIONS, index_of

FIGURE_2 = """\
size 2
  age = 3  ≤ 0.2         1+ 2+ 3+
  gender = 'F'  ≤ 0.3    2+
  gender = 'M'  ≤ 0.9    3+ 4+
  state = 'CA'  ≤ 1.5    3- 4+
  state = 'NY'  ≤ 4      1+
size 1
  age = 3  ≤ 0.2         5+
  age = 4  ≤ 0.5         5+
size 0
  Z                      6+
  state = 'CA'  ≤ 1.5    6-
  state = 'NY'  ≤ 4      6-
conjunctions
  1  1
  2  2
  3  3
  4  4
  5  5
  6  6"""


def test_figure_2() -> None:
    """Keys with their bounds, which here are the greatest weights that there are."""
    drawn = [" ".join(line.split()) for line in index_of("kindex", CONJUNCTIONS).picture().splitlines()]
    assert drawn == [" ".join(line.split()) for line in FIGURE_2.splitlines()]


def test_figure_8() -> None:
    """With disjunctions, and two lists of a key that two of them ask for."""
    lines = index_of("kindex-cnf", CNFS).picture().splitlines()
    assert [" ".join(line.split()) for line in lines if " A = 1 " in line] == [
        "A = 1 ≤ 0.3 1+0 2+0 3+0 4+0",
        "A = 1 ≤ 0.3 4+1",
        "A = 1 ≤ 0.3 5+0",
        "A = 1 ≤ 0.3 6-0",
    ]
    assert " ".join(next(line for line in lines if " Z " in line).split()) == "Z 6+"


@pytest.mark.parametrize("engine", ("kindex", "kindex-cnf"))
def test_everything_that_can_be_a_key_is_told(engine: str) -> None:
    """Values of all kinds, pieces, literals and presence; what was deleted is not drawn."""
    index = hr.Index(engine, options=hr.KIndexOptions(ranges="dyadic"))
    index.insert("x", "a = TRUE AND b = 2.5 AND c = TIMESTAMP '2026-01-31T12:00:00Z' AND d LIKE 'x%' AND e > 3")
    index.insert("y", "NOT (f = 'q' OR g LIKE '%z') AND NOT h IS NULL")
    index.insert("gone", "nowhere = 1")
    index.delete("gone")
    picture = index.picture()
    for part in ("a = true", "b = 2.5", "c = TIMESTAMP '2026-01-31T12:00:00Z'", "d LIKE 'x%'", "of level", "is there"):
        assert part in picture
    assert "h is there" in picture
    assert "nowhere" not in picture
    assert "'gone'" not in picture


def test_in_dot_what_rejects_is_dashed() -> None:
    """Quotes are escaped."""
    index = hr.Index("kindex")
    index.insert('say "x"', "a = 1 AND state WEAK NOT IN ('NY')")
    drawn = index.to_graphviz()
    assert drawn.startswith("digraph kindex {")
    assert drawn.count("dashed") == 1
    assert r"\"x\"" in drawn


def test_too_much_is_refused() -> None:
    """The limit is the caller's; it counts lists and units."""
    index = hr.Index("kindex")
    index.insert_many((number, f"a = {number}") for number in range(20))
    with pytest.raises(hr.LimitError, match="a picture of 40 lists and conjunctions would have more than 39"):
        index.picture(most=39)
    assert len(index.picture(most=40).splitlines()) == 42
