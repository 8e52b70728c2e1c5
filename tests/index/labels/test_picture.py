"""Pictures: labels in their order, and that they are refused where they would say nothing."""

from __future__ import annotations

import pytest

import hedgerow as hr
from tests.index.labels.engines import labelled

DRAWN = """\
'x', 'y'
  1     NOT a = 1
  2*.1  NOT d IS NULL
  2*.2  b = 1 AND c = 1
'z'
  1*  TRUE"""


def test_a_picture_has_each_expression_once_with_its_labels() -> None:
    """And all who own it; what was deleted is not drawn."""
    index = labelled("dewey", "conjunctions")
    index.insert("gone", "a = 5 OR b = 5")
    index.insert("x", "NOT a = 1 AND (b = 1 AND c = 1 OR d IS NOT NULL)")
    index.insert("y", "(d IS NOT NULL OR c = 1 AND b = 1) AND NOT a = 1")
    index.insert("z", "TRUE")
    index.delete("gone")
    assert index.picture() == DRAWN


def test_graphviz_has_a_leaf_once_for_all_who_share_it() -> None:
    """With an edge for each label."""
    index = labelled("interval")
    index.insert(1, "a = 1 AND b = 1")
    index.insert(2, "a = 1 OR c = 1")
    dot = index.to_graphviz()
    assert dot.count('label="a = 1"') == 1
    assert [line.strip() for line in dot.splitlines() if "-> u" in line and "rank" not in line] == [
        'l0 -> u0 [label="<1,1>"];',
        'l1 -> u0 [label="<2,2>"];',
        'l0 -> u1 [label="<1,2>"];',
        'l2 -> u1 [label="<1,2>"];',
    ]


def test_too_much_is_not_drawn() -> None:
    """Unless it is asked for."""
    index = labelled("interval")
    index.insert_many((number, f"a = {number} AND b = 1") for number in range(10))
    with pytest.raises(hr.LimitError, match="a picture of 20 labels would have more than 19; pass most=20"):
        index.picture(most=19)
    assert len(index.picture(most=20).splitlines()) == 30
