"""The worked examples of the paper: labels, and what they decide."""

from __future__ import annotations

import itertools

import pytest

import hedgerow as hr
from tests.index.labels.engines import ENGINES, LEAVES, labelled, labels

FIGURE_2 = "(a AND b) OR c OR (d AND e AND f)"
"""Figures 2 and 5 have the same tree. Ours has C first: operands are in an order that does not depend on the text."""
FIGURE_6 = "(a AND b) OR (d AND e)"
OVERLAPPING = "(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)"
"""Figure 1 of the A-Tree paper."""


def test_dewey_labels_are_those_of_figure_2() -> None:
    """Under an AND that is there for the root's sake; the last operand of an AND has the mark."""
    index = labelled("dewey")
    index.insert("r", FIGURE_2)
    assert labels(index) == {
        "c = true": "1*.1",
        "a = true": "1*.2.1",
        "b = true": "1*.2.2*",
        "d = true": "1*.3.1",
        "e = true": "1*.3.2",
        "f = true": "1*.3.3*",
    }


def test_intervals_are_those_of_figure_5() -> None:
    """On a line as long as the tree has leaves, where the paper has one of 10 for all trees."""
    index = labelled("interval")
    index.insert("r", "(a AND b) OR (c AND d AND e)")
    index.insert("with c", FIGURE_2)
    assert labels(index) == {
        "a = true": "<1,1>",
        "b = true": "<2,5>",
        "c = true": "<1,3>",
        "d = true": "<4,4>",
        "e = true": "<5,5>",
    }
    assert labels(index, 1)["c = true"] == "<1,6>"


def test_labels_of_the_other_papers_example() -> None:
    """The paper of the A-Tree counts nodes for intervals; leaves are meant, and decide the same."""
    dewey, interval = labelled("dewey"), labelled("interval")
    for index in (dewey, interval):
        index.insert("r", OVERLAPPING)
    names = [f"p{number} = true" for number in (4, 1, 2, 3, 5, 6)]
    assert labels(dewey) == dict(zip(names, ("1", "2.1", "2.2", "2.3", "3*.1", "3*.2"), strict=True))
    assert labels(interval) == dict(zip(names, ("<1,1>", *["<2,4>"] * 3, *["<5,6>"] * 2), strict=True))


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", (FIGURE_2, FIGURE_6, OVERLAPPING))
def test_all_sets_of_leaves_decide_as_the_expression_does(engine: str, leaves: str, text: str) -> None:
    """Among them {A, D, E, F}, {B, D}, whose pieces overlap, and {D, F}, which passes E over."""
    index = labelled(engine, leaves)
    index.insert("r", text)
    names = ["p1", "p2", "p3", "p4", "p5", "p6"] if "p1" in text else list("abcdef")
    for holding in itertools.product((True, False), repeat=6):
        event = {name: True for name, holds in zip(names, holding, strict=True) if holds}
        assert index.match(event) == (["r"] if hr.evaluate(text, event) is True else [])


def test_conjunctions_are_leaves_as_in_the_paper() -> None:
    """The literals of an AND are one leaf, beside its other operands."""
    index = labelled("dewey", "conjunctions")
    index.insert("r", "a AND b AND (c OR d AND e)")
    assert labels(index) == {"a = true AND b = true": "1", "c = true": "2*.1", "d = true AND e = true": "2*.2"}
    matched = [names for names in ("abc", "abde", "abd", "ac", "cde") if index.match(dict.fromkeys(names, True))]
    assert matched == ["abc", "abde"]
