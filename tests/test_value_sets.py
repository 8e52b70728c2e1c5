"""Sets of values, and the regions that they are: against the values that are in them."""

from __future__ import annotations

import datetime as dt
import itertools
import math

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import KindError
from hedgerow.language.asked_values import asked_values
from hedgerow.language.operators import Accepts
from hedgerow.regions import EVERYTHING, FAMILIES, complement, region_of, union

# Ends are at whole numbers, so between two of these nothing changes.
SAMPLE = (-math.inf, -1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, math.inf)
SETS = tuple(
    itertools.chain(
        (hr.between(low, high) for low, high in itertools.combinations_with_replacement(range(4), 2)),
        (way(end) for way in (hr.at_least, hr.at_most, hr.above, hr.below) for end in (0, 1, 3)),
        (way(ends) for way in (hr.any_of, hr.none_of) for ends in ([0], [1, 2], [0, 3], [math.inf, 1])),
        (hr.at_least(-math.inf), hr.at_most(math.inf), hr.above(-math.inf), hr.below(math.inf)),
    )
)


def members(values: hr.ValueSet) -> set[float]:
    """Return what of the sample is in a set."""
    return {value for value in SAMPLE if value in values}


@pytest.mark.parametrize("one", SETS, ids=repr)
def test_regions_are_what_their_members_are(one: hr.ValueSet) -> None:
    """What two have in common, what is inside what, equality, complement and union: by the members of a fine sample."""
    assert members(one)
    left = complement("number", one.region.spans["number"])
    assert {value for value in SAMPLE if region_of([value]).meets(type(one.region)({"number": left}))} == set(
        SAMPLE
    ) - members(one)
    for other in SETS:
        assert one.region.meets(other.region) == bool(members(one) & members(other))
        assert one.region.is_inside(other.region) == (members(one) <= members(other))
        assert (one == other) == (members(one) == members(other))
        assert one != other or hash(one) == hash(other)
        both = union(one.region, other.region)
        assert {value for value in SAMPLE if region_of([value]).is_inside(both)} == members(one) | members(other)
    points = one.region.points()
    assert points is None or set(points) == members(one)


def test_booleans_are_two_values_and_strings_and_moments_are_lines() -> None:
    """Also where a set reaches the end of its line."""
    assert hr.at_least(False) == hr.any_of([True, False])
    assert hr.none_of([True]) == hr.any_of([False]) == hr.below(True)
    assert hr.at_least("") != hr.between("", "x")
    assert "zz" in hr.at_least("")
    assert "zz" not in hr.between("", "x")
    assert "" in hr.at_most("x")
    assert "" not in hr.above("")
    assert hr.at_most("") == hr.any_of([""])
    assert hr.at_most("").region.points() == [""]
    noon = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
    assert dt.date(2026, 1, 31) in hr.below(noon)
    assert noon not in hr.below(noon)
    assert np.float64(2.5) in hr.between(np.int64(2), 3)
    assert not any(wrong in hr.none_of([1]) for wrong in (math.nan, object(), None))


def test_what_is_no_set_is_refused() -> None:
    """Sets without values, of what no event can have, of two kinds where one is wanted; and they print as calls."""
    for wrong in (
        lambda: hr.between(3, 1),
        lambda: hr.between(1, "x"),
        lambda: hr.below(-math.inf),
        lambda: hr.below(""),
        lambda: hr.below(False),
        lambda: hr.above(math.inf),
        lambda: hr.above(True),
        lambda: hr.at_least(math.nan),
        lambda: hr.at_least(None),
        lambda: hr.at_least([1]),
        lambda: hr.any_of([]),
        lambda: hr.any_of("ab"),
        lambda: hr.any_of(3),  # type: ignore[arg-type]  # on purpose
        lambda: hr.none_of([True, False]),
        lambda: hr.any_of([1, None]),
    ):
        with pytest.raises(KindError):
            wrong()  # type: ignore[no-untyped-call]  # there is nothing to say
    for values in (hr.between(1, 2), hr.any_of([1, "x"]), hr.none_of([2.5]), hr.above("a"), hr.at_most(7)):
        assert eval(f"hr.{values!r}") == values  # noqa: S307 - its own text


def test_a_literal_and_its_complement_share_out_what_there_is() -> None:
    """Of each test: what makes it true, what makes it false, and what leaves it undefined."""
    for text in (
        "a = 1", "a IN (1, 'x')", "a > 3", "a BETWEEN 1 AND 2", "a BETWEEN 2 AND 1", "a IS NULL", "a ALL OF (1, 2)",
        "a IS EMPTY", "a < true", "a >= TIMESTAMP '2026-01-31T12:00:00Z'", "a IN ('', 'y')", "a ALL OF (1, 1.0)",
    ):  # fmt: skip
        test = hr.parse(text)
        assert isinstance(test, hr.Predicate)
        for accepts, rest in ((Accepts.TRUE, Accepts.NOT_TRUE), (Accepts.FALSE, Accepts.NOT_FALSE)):
            one, other = asked_values(test, accepts), asked_values(test, rest)
            assert not one.meets(other)
            everything = union(one, other)
            assert everything.marks == EVERYTHING.marks
            assert all(list(everything.spans[family]) == list(EVERYTHING.spans[family]) for family in FAMILIES)
        assert asked_values(test, Accepts.FALSE).is_inside(asked_values(test, Accepts.NOT_TRUE))
