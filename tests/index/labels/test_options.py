"""Both kinds of leaves on the whole contract, and what each of them does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import hypothesis
import pytest

import hedgerow as hr
from hedgerow.testing import CHECKS, Factory
from tests.index.labels.engines import ENGINES, LEAVES, engine_of, labelled


@pytest.fixture
def _few_examples() -> Iterator[None]:
    """Let each check have fewer examples: the default is tested with all."""
    before = hypothesis.settings.get_current_profile_name()
    few = max(5, hypothesis.settings.get_profile(before).max_examples // 4)
    hypothesis.settings.register_profile("few", hypothesis.settings.get_profile(before), max_examples=few)
    hypothesis.settings.load_profile("few")
    yield
    hypothesis.settings.load_profile(before)


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("engine", ENGINES)
def test_literals_as_leaves_keep_the_whole_contract(engine: str, check: Callable[[Factory], None]) -> None:
    """As conjunctions do, which are the default."""
    check(lambda missing: labelled(engine, "literals", missing))


@pytest.mark.parametrize("bad", ("trees", "", None, True, 1, ["literals"]))
def test_wrong_options_are_refused(bad: object) -> None:
    """By name, with what would be right."""
    with pytest.raises(hr.KindError, match="leaves is one of 'literals', 'conjunctions', not"):
        hr.LabelOptions(leaves=bad)  # type: ignore[arg-type]  # wrong on purpose


def test_equal_expressions_and_equal_conjunctions_are_held_once() -> None:
    """Whoever has them, and in whatever order they are written."""
    index = labelled("interval", "conjunctions")
    index.insert("x", "a = 1 AND b = 2 OR c = 1 AND d = 1")
    index.insert("y", "b = 2 AND a = 1 OR d = 1 AND c = 1")
    index.insert("z", "b = 2 AND a = 1 OR e = 1")
    figures = index.stats().figures
    assert (figures["units"], figures["labels"], figures["conjunctions"]) == (2, 4, 2)
    assert index.match({"a": 1, "b": 2}) == ["x", "y", "z"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_conjunction_is_looked_at_for_one_of_its_literals(engine: str) -> None:
    """The one that leads to fewest: here each event leads to few, though all have x = 1."""
    index = labelled(engine, "conjunctions")
    index.insert_many((number, f"x = 1 AND y = {number} AND z != 0 AND w < 9") for number in range(1000))
    event = {"x": 1, "y": 17, "z": 1, "w": 1}
    assert index.match(event) == [17]
    assert index.visits is not None
    assert index.visits <= 5
    assert index.match(event | {"y": -1}) == []
    assert index.match(event | {"z": 0}) == []
    assert index.match({"x": 1, "y": 17, "w": 1}) == []


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ("unknown", "false"))
def test_negations_alone_hold_and_are_denied(engine: str, leaves: str, missing: str) -> None:
    """What nothing must be there for, what something must be there for, and both in one conjunction."""
    texts = (
        "a WEAK NOT IN (1)",
        "NOT a = 1",
        "a IS NULL",
        "a IS NOT NULL AND NOT b = 2",
        "a WEAK NOT IN (1) AND b WEAK NOT IN (2)",
        "NOT a = 1 AND NOT b = 2 AND c WEAK NOT IN (3)",
        "(a WEAK NOT IN (1) OR NOT b = 2) AND (c != 3 OR a IS NULL)",
        "TRUE",
        "FALSE",
    )
    index = labelled(engine, leaves, missing)
    for number, text in enumerate(texts):
        index.insert(number, text)
    engine_of(index).check()
    for a in (None, 1, 5, "x", [1, 2], []):
        for b in (None, 2, 7):
            event = {"a": a, "b": b, "c": 3}
            truth = [number for number, text in enumerate(texts) if hr.evaluate(text, event, missing) is True]
            assert index.match(event) == truth


def test_a_conjunction_that_gets_a_second_label_keeps_the_first() -> None:
    """Its one label stood where the number of a list stands from then on; deleted ones stay hidden."""
    index = labelled("dewey", "conjunctions")
    index.insert(0, "a = 1 AND b = 1 OR c = 0")
    assert index.match({"a": 1, "b": 1}) == [0]
    for number in range(1, 10):
        index.insert(number, f"a = 1 AND b = 1 OR c = {number}")
        engine_of(index).check()
    index.delete(3)
    assert index.match({"a": 1, "b": 1}) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
