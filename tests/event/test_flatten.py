"""Flattening: what the oracle sees of an event."""

from __future__ import annotations

import datetime as dt
import math
from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hedgerow.errors import EventError
from hedgerow.event.encode import checked, one_event
from hedgerow.event.flatten import flatten
from hedgerow.limits import MAX_NAME_BYTES
from hedgerow.values import OBJECT
from tests.naming import label


class Level(IntEnum):
    """An integer by another name."""

    HIGH = 3


class Colour(str):
    """A string that writes itself differently."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return something else than the value."""
        return "colour"


NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def same(first: object, second: object) -> bool:
    """Return whether values and types agree; NaN agrees with NaN."""
    return type(first) is type(second) and repr(first) == repr(second)


@pytest.mark.parametrize(
    ("value", "expected"),
    (
        (True, True),
        (1, 1),
        (1.0, 1),
        (-0.0, 0),
        (1.5, 1.5),
        (2**53 + 1, 2**53 + 1),
        (2.0**63, 2.0**63),
        (-(2.0**63), -(2**63)),
        (math.inf, math.inf),
        (math.nan, math.nan),
        ("x", "x"),
        ("", ""),
        (NOON, NOON),
        (NOON.replace(tzinfo=None), NOON),
        (NOON.astimezone(dt.timezone(dt.timedelta(hours=-5))), NOON),
        (dt.date(2026, 1, 1), NOON.replace(hour=0)),
        (Level.HIGH, 3),
        (Colour("red"), "red"),
        ([], ()),
        ([1, 1.0, None, "x"], (1, 1, None, "x")),
        ((math.nan, True), (math.nan, True)),
        ({1}, (1,)),
        (frozenset({"x"}), ("x",)),
        (np.int8(5), 5),
        (np.uint64(5), 5),
        (np.float32(0.5), 0.5),
        (np.float64(2), 2),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("2026-01-01T12:00:00.000000999", "ns"), NOON),
        (np.datetime64("2026-01-01"), NOON.replace(hour=0)),
        (np.array([1, 2]), (1, 2)),
        (np.array([]), ()),
        (np.array(5), 5),
        (np.array(["x", None, 1.5], object), ("x", None, 1.5)),
        (np.array(["2026-01-01T12", "NaT"], "datetime64[h]"), (NOON, None)),
        ([np.int64(1), np.float64(1.5)], (1, 1.5)),
        (pd.Timestamp("2026-01-01 12:00:00.000000999"), NOON),
        (pd.Timestamp("2026-01-01 13:00", tz="Europe/Berlin"), NOON),
        ([pd.NaT], (None,)),
    ),
    ids=label,
)
def test_values_take_their_canonical_form(value: object, expected: object) -> None:
    """Every kind of value that events may have, with its plain type."""
    assert same(flatten({"a": value})["a"], expected)


@pytest.mark.parametrize("value", (None, pd.NaT, np.datetime64("NaT", "s")))
def test_what_is_missing_is_not_there(value: object) -> None:
    """None and "not a time" leave nothing."""
    assert flatten({"a": value}) == {}


@pytest.mark.parametrize("value", ({}, {"b": None}, {"b": pd.NaT}, MappingProxyType({})))
def test_an_object_is_there_whatever_it_has(value: object) -> None:
    """It has no value of its own."""
    assert flatten({"a": value}) == {"a": OBJECT}
    assert flatten({"u": {"a": value}}) == {"u": OBJECT, "u.a": OBJECT}


def test_nested_mappings_become_dotted_names_in_order() -> None:
    """Any mapping counts, and names join by dots."""
    event = {"z": 1, "user": MappingProxyType({"age": 20, "home": OrderedDict(city="Rome", zip=None)}), "a.b": 2}
    assert list(flatten(event).items()) == [
        ("z", 1),
        ("user", OBJECT),
        ("user.age", 20),
        ("user.home", OBJECT),
        ("user.home.city", "Rome"),
        ("a.b", 2),
    ]


@pytest.mark.parametrize(
    "event",
    (
        {"a.b": 1, "a": {"b": 2}},
        {"a": {"b": 2}, "a.b": 1},
        {"a.b": {"c": 1}, "a": {"b.c": 2}},
        {"a": {"b": None}, "a.b": 1},
        {"a.b": None, "a": {"b": None}},
        {"a.b": 1, "a": {"b": {"c": 2}}},
    ),
)
def test_the_same_dotted_name_twice_is_refused(event: dict[str, object]) -> None:
    """Even where one of the two is missing: which one counts would be a guess."""
    with pytest.raises(EventError, match=r"attribute 'a\.b.*twice"):
        flatten(event)


@pytest.mark.parametrize(
    ("value", "message"),
    (
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (np.uint64(2**63), "64 bits"),
        (b"x", "bytes"),
        (Decimal(1), "Decimal"),
        (1j, "complex"),
        (dt.time(1), "time"),
        (dt.timedelta(1), "timedelta"),
        (object(), "object"),
        ([[1]], "list inside a list"),
        ([{1: 2}], "dict"),
        ([b"x"], "bytes"),
        ([2**70], "64 bits"),
        (np.zeros((2, 2)), "list inside a list"),
        (np.timedelta64(5, "ns"), "timedelta64"),
        (np.bytes_(b"x"), "S1"),
        (np.complex64(1), "complex64"),
        (np.zeros(2, [("x", "i4")]), "no kind"),
        (np.datetime64("20000-01-01"), "years 1 to 9999"),
        (np.array(["-20000"], "datetime64[Y]"), "years 1 to 9999"),
        (dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))), "years 1 to 9999"),
        ("\ud800", "surrogate"),
        (["x", "\udfff"], "surrogate"),
        (range(3), "range"),
        (iter([1]), "iterator"),
    ),
    ids=label,
)
def test_what_no_event_can_have_is_refused_by_name(value: object, message: str) -> None:
    """The error names the attribute and the reason, at any level."""
    with pytest.raises(EventError, match=rf"^attribute 'a': .*{message}"):
        flatten({"a": value})
    with pytest.raises(EventError, match=rf"^attribute 'user\.a': .*{message}"):
        flatten({"user": {"a": value}})


@pytest.mark.parametrize(
    "event", ({"": 1}, {5: 1}, {None: 1}, {"a": {"": 1}}, {"a": {5: 1}}, {("a",): 1}, {"\ud800": 1})
)
def test_what_no_rule_can_mention_is_left_out(event: dict[Any, object]) -> None:
    """Names are non-empty strings; anything else as a key is as if it were not there, at any level."""
    assert {name: value for name, value in flatten(event).items() if value is not OBJECT} == {}
    assert flatten({**event, "b": 1})["b"] == 1


@pytest.mark.parametrize("event", (None, 5, "a", [("a", 1)], [{"a": 1}]))
def test_an_event_is_a_mapping(event: Any) -> None:
    """Anything else is refused."""
    with pytest.raises(EventError, match="maps attribute names"):
        flatten(event)


def test_deep_nesting_works_up_to_the_length_of_a_name() -> None:
    """There is no recursion; the name's length is what ends it, also where a mapping contains itself."""
    event: dict[str, object] = {"x": 1}
    for _ in range(2_000):
        event = {"x": event}
    assert flatten(event)[".".join("x" * 2_001)] == 1
    circle: dict[str, object] = {}
    circle["x"] = circle
    assert max(map(len, flatten(circle))) <= MAX_NAME_BYTES


def test_mappings_that_stand_in_many_places_are_counted_in_each() -> None:
    """Shared parts that unfold to millions of mappings are refused at once, as they are by the compiled encoding."""
    shared: dict[str, object] = {}
    for _ in range(40):
        shared = {"a": shared, "b": shared}
    with pytest.raises(EventError, match="more than 65,536 mappings"):
        flatten(shared)
    with pytest.raises(EventError, match="more than 65,536 mappings"):
        checked(one_event(shared))


def test_a_name_that_is_too_long_for_a_rule_is_left_out() -> None:
    """Names have the limit that expressions have."""
    assert len(flatten({"a" * MAX_NAME_BYTES: 1})) == 1
    for name in ("a" * (MAX_NAME_BYTES + 1), "é" * (MAX_NAME_BYTES // 2 + 1)):
        assert flatten({name: b"x"}) == {}


def test_a_long_name_makes_a_short_message() -> None:
    """Whatever is wrong with it."""
    with pytest.raises(EventError) as caught:
        flatten({"a" * MAX_NAME_BYTES: b"x"})
    assert len(str(caught.value)) < 200


def test_the_event_is_left_as_it_was() -> None:
    """Flattening makes a new dict."""
    event: dict[str, object] = {"a": {"b": [1.0]}}
    flatten(event)
    assert event == {"a": {"b": [1.0]}}
