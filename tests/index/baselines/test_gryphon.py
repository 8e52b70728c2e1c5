"""Gryphon: what is on its edges in each form, what a search looks at, and the whole contract for each form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.baselines.gryphon_options import FORMS
from hedgerow.testing import CHECKS, Factory
from hedgerow.values import Value

OTHERS = (hr.GryphonOptions(form="equality"), hr.GryphonOptions(form="intervals", order=("c", "x", "a")))


@pytest.fixture
def _few_examples() -> Iterator[None]:
    """Let the forms that are not the default have few examples each."""
    before = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.register_profile("few", hypothesis.settings.get_profile(before), max_examples=10)
    hypothesis.settings.load_profile("few")
    yield
    hypothesis.settings.load_profile(before)


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("options", OTHERS, ids=lambda options: options.form)
def test_each_form_keeps_the_whole_contract(options: hr.GryphonOptions, check: Callable[[Factory], None]) -> None:
    """With the attributes in another order too."""
    check(lambda missing: hr.Index("gryphon", missing=missing, options=options))


def drawn(form: str) -> hr.Index:
    """Return the tree that the module draws, with one conjunction more that only equality has at the root."""
    index = hr.Index("gryphon", options=hr.GryphonOptions(form=form, order=("a", "b", "c")))
    index.insert("ab", "b = 2 AND a = 1")
    index.insert("ac", "c = 3 AND a = 1")
    index.insert("c", "c = 3")
    index.insert("cd", "c < 5 AND d IN (1, 5, 7)")
    return index


@pytest.mark.parametrize(("form", "nodes"), (("equality", 5), ("generic", 7), ("intervals", 7)))
def test_attributes_that_do_not_matter_have_no_edge(form: str, nodes: int) -> None:
    """Paths follow the order whatever the text, and begin alike where they are alike."""
    assert drawn(form).stats().figures == {"nodes": nodes}


def test_all_ways_are_gone_in_parallel() -> None:
    """Two edges at the root, two behind a = 1, and a record at each of the nodes that are reached, and at the root."""
    index = drawn("equality")
    assert index.match({"a": 1, "b": 2, "c": 3}) == ["ab", "ac", "c"]
    assert index.visits == 2 + 2 + 4
    assert index.match({"b": 2, "c": 3}) == ["c"]
    assert index.visits == 2 + 2


@pytest.mark.parametrize(("form", "visits"), (("generic", 1 + 1), ("intervals", 2 + 1 + 1)))
def test_an_interval_is_an_edge_whose_values_are_tested_at_the_leaf(form: str, visits: int) -> None:
    """6 lies between 1 and 7: the edge is looked up at the root too, and followed behind c < 5 to a leaf that fails."""
    index = drawn(form)
    assert index.match({"c": 4, "d": 6}) == []
    assert index.visits == visits
    assert index.match({"c": 4, "d": 7}) == ["cd"]


def test_a_negation_is_an_edge_for_what_must_be_there() -> None:
    """Conjunctions without one of the attributes that the event has are not looked at."""
    index = hr.Index("gryphon")
    index.insert_many((number, f"a{number} != {number} AND a{number} NOT LIKE 'x%'") for number in range(500))
    assert index.match({"a7": "y"}) == []
    assert index.match({"a8": 7}) == []
    index.insert(1000, "a7 NOT LIKE 'x%'")
    assert index.match({"a7": "y"}) == [1000]
    assert index.visits is not None
    assert index.visits < 10


def test_depth_is_no_matter() -> None:
    """A path of 3,000 literals is followed without recursion, one edge at a time."""
    index = hr.Index("gryphon")
    index.insert("r", " AND ".join(f"a{number} = 1" for number in range(3000)))
    event = {f"a{number}": 1 for number in range(3000)}
    assert index.match(event) == ["r"]
    assert index.visits == 3000 + 1
    assert index.match(event | {"a2": 0}) == []
    assert index.visits is not None
    assert index.visits <= 3000


VALUES = st.one_of(
    st.integers(-4, 4),
    st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
    st.floats(-5, 5),
    st.sampled_from(["", "a", "abcdefgh", "abcdefghi", "abcdefghj", "b"]),
    st.booleans(),
)


@given(st.lists(VALUES, min_size=2, max_size=5), VALUES)
def test_intervals_leave_no_value_out(values: list[Value], value: Value) -> None:
    """Also where keys are coarser than values, and where values are of several kinds."""
    index = hr.Index("gryphon", options=hr.GryphonOptions(form="intervals"))
    expression = hr.attr("a").isin(values)
    index.insert(1, expression)
    assert index.match({"a": value}) == ([1] if hr.evaluate(expression, {"a": value}) else [])
    assert index.match({"a": [value, values[0]]}) == [1]


@pytest.mark.parametrize("form", FORMS)
def test_options_are_saved_and_kept(form: str, tmp_path: Path) -> None:
    """Attributes that only the order names are not those of the expressions."""
    options = hr.GryphonOptions(form=form, order=("z", "a"))
    index = hr.Index("gryphon", options=options)
    index.insert(1, "a IN (1, 5) AND b = 2")
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    opened.insert(2, "b = 2 AND z = 1")
    assert (opened.options, opened.attributes) == (options, ["a", "b", "z"])
    assert index.attributes == ["a", "b"]
    assert opened.match({"a": 5, "b": 2, "z": 1}) == [1, 2]


@pytest.mark.parametrize(
    ("bad", "message"),
    (
        ({"form": "tree"}, "form is one of 'equality', 'generic', 'intervals', not 'tree'"),
        ({"order": "ab"}, "order is a tuple of attributes, not"),
        ({"order": ("a", "a")}, "order has an attribute twice"),
    ),
    ids=["form", "order", "twice"],
)
def test_what_is_no_option_is_refused(bad: dict[str, object], message: str) -> None:
    """The message says what would be right."""
    with pytest.raises(hr.KindError, match=message):
        hr.GryphonOptions(**bad)  # type: ignore[arg-type]  # wrong on purpose
