"""BEGen: each expression matches the event that it is derived from, and has the shape that was asked for."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.workload import begen
from hedgerow.workload.begen import (
    OPERATORS,
    PRESETS,
    BEGenParameters,
    begen_events,
    begen_expression_batches,
    begen_expression_schema,
    begen_expressions,
    begen_expressive_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

UNIFORM = replace(PRESETS["begen-uniform"], expressions=2000)
ZIPF = replace(PRESETS["begen-zipf"], expressions=2000)
HIGH = replace(UNIFORM, operators="high")
TINY = BEGenParameters(
    expressions=300, dimensions=6, cardinality=9, size=2, event_size=4, operators="high", match_probability=0.2
)
NAMES = {
    "=": Operator.EQ,
    "!=": Operator.NE,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
    "IN": Operator.IN,
    "NOT IN": Operator.NOT_IN,
    "BETWEEN": Operator.BETWEEN,
}
FIRST_ROWS: dict[str, str] = {
    "begen-uniform": "77d7dc52ea837cccde9d173d7a0143f74dee962047b9cfb18227f529653a18b7",
    "begen-zipf": "9e1d2de6d811e6d551d372d4a908b30e2325ae95649d85b3093b02e715d2d395",
    "begen-equality": "5f80588f471db42c8d0dc7250dc372672275a20a7a94c7eaa45fc727465d7989",
    "begen-rare": "5f23453d76b90bb6c6b0739d7296fe767d918bc9721df702a670444d6a885b36",
    "begen-expressive": "77d7dc52ea837cccde9d173d7a0143f74dee962047b9cfb18227f529653a18b7",
}
FIRST_EVENTS: dict[str, str] = {
    "begen-uniform": "0c947b9bc0974510effca38fce2001cda8849098b039e44cf451ee91ab8f70cc",
    "begen-zipf": "7143d4994d13434ee75887f405b409ce5d74c14226c7f40e279f1fbe54321b36",
    "begen-equality": "0c947b9bc0974510effca38fce2001cda8849098b039e44cf451ee91ab8f70cc",
    "begen-rare": "0c947b9bc0974510effca38fce2001cda8849098b039e44cf451ee91ab8f70cc",
    "begen-expressive": "d03d322999cf618f93beb31e507141ec1aa96dfc0d1e72fa09a95974709d447e",
}


def digest(rows: Iterable[object]) -> str:
    """Return a fingerprint of rows."""
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


def events_of(parameters: BEGenParameters, count: int) -> list[dict[str, int]] | list[dict[str, int | hr.ValueSet]]:
    """Return the events of a workload, whichever it has."""
    if parameters.expressive:
        return list(begen_expressive_events(parameters, count))
    return list(begen_events(parameters, count))


def rows_of(parameters: BEGenParameters) -> list[list[hr.Predicate]]:
    """Return each expression as its predicates, besides which there is nothing in it."""
    trees = [hr.parse(text) for _, text in begen_expressions(parameters)]
    rows = [tree.operands if isinstance(tree, hr.And) else (tree,) for tree in trees]
    assert all(isinstance(part, hr.Predicate) for row in rows for part in row)
    return [[part for part in row if isinstance(part, hr.Predicate)] for row in rows]


def predicates_of(parameters: BEGenParameters, *operators: Operator) -> list[hr.Predicate]:
    """Return the predicates of all expressions that have one of these operators."""
    return [part for row in rows_of(parameters) for part in row if part.operator in operators]


def numbers_of(predicate: hr.Predicate) -> list[int]:
    """Return the operands, which are integers."""
    return [value for value in predicate.values if isinstance(value, int)]


MADE_BY = {
    "=": "value",
    "!=": "none_of",
    "<": "below",
    "<=": "at_most",
    ">": "above",
    ">=": "at_least",
    "IN": "any_of",
    "NOT IN": "none_of",
    "BETWEEN": "between",
}


def made_by(said: int | hr.ValueSet) -> str:
    """Return which function made a set, or that there is a value."""
    return repr(said).split("(")[0] if isinstance(said, hr.ValueSet) else "value"


@pytest.mark.parametrize("name", PRESETS)
def test_the_rows_of_a_preset_are_what_they_always_were(name: str) -> None:
    """A changed workload needs a new name, or figures of before and after mean different things."""
    assert digest(islice(begen_expressions(PRESETS[name]), 1000)) == FIRST_ROWS[name]
    assert digest(events_of(PRESETS[name], 100)) == FIRST_EVENTS[name]


def test_presets_cannot_be_changed() -> None:
    """Neither the list of names nor what one stands for."""
    assert set(PRESETS) == set(FIRST_ROWS)
    with pytest.raises(TypeError):
        PRESETS["mine"] = TINY  # type: ignore[index]  # which is the point
    with pytest.raises(FrozenInstanceError):
        PRESETS["begen-rare"].size = 4  # type: ignore[misc]  # which is the point
    assert PRESETS["begen-uniform"] == BEGenParameters()


@pytest.mark.parametrize("parameters", (UNIFORM, ZIPF, HIGH, TINY), ids=("uniform", "zipf", "high", "tiny"))
def test_an_expression_matches_its_base_event(parameters: BEGenParameters) -> None:
    """That is how the match probability comes about; event i and expression i are of base i modulo their number."""
    events = list(begen_events(parameters, parameters.bases))
    assert list(begen_events(parameters, 3 * parameters.bases)) == 3 * events
    index = hr.Index("scan")
    assert not index.insert_many(begen_expressions(parameters), progress=False).rejected
    for base, event in enumerate(events):
        assert set(range(base, parameters.expressions, parameters.bases)) <= set(index.match(event))


@pytest.mark.parametrize(
    ("name", "likely"),
    (("begen-uniform", 0.01002), ("begen-zipf", 0.01013), ("begen-equality", 0.01), ("begen-rare", 0.00102)),
)
def test_a_preset_matches_as_often_as_it_says(name: str, likely: float) -> None:
    """The figures are those of the module's docstring, where chance adds little to what was asked for."""
    parameters = replace(PRESETS[name], expressions=10_000)
    index = hr.Index("scan")
    index.insert_many(begen_expressions(parameters), progress=False)
    counts = index.count_batch(begen_events(parameters, 100)).to_pylist()
    assert min(counts) >= 10_000 * parameters.match_probability
    assert np.mean(counts) / 10_000 == pytest.approx(likely, rel=0.02)


@pytest.mark.parametrize(("likely", "bases"), ((1, 1), (0.5, 2), (0.3, 3), (0.09, 11), (0.0001, 10_000)))
def test_the_match_probability_is_one_by_a_whole_number(likely: float, bases: int) -> None:
    """Events repeat after so many."""
    parameters = replace(UNIFORM, match_probability=likely)
    assert parameters.bases == bases
    events = list(begen_events(parameters, bases + 1))
    assert events[0] == events[-1]
    assert len({tuple(event.items()) for event in events}) == bases


@pytest.mark.parametrize("parameters", (UNIFORM, ZIPF), ids=("uniform", "zipf"))
def test_sizes_are_on_average_what_was_asked_for(parameters: BEGenParameters) -> None:
    """Expressions have 1 to 15 predicates on different attributes, and events 15 attributes."""
    rows = rows_of(parameters)
    sizes = [len(row) for row in rows]
    assert np.mean(sizes) == pytest.approx(7, rel=0.02)
    assert np.var(sizes) == pytest.approx(15 * 7 / 15 * 8 / 15, rel=0.1)
    assert all(len({part.attribute for part in row}) == len(row) for row in rows)
    assert all(len(event) == 15 for event in begen_events(parameters, 100))


def test_an_expression_has_a_predicate_at_least() -> None:
    """Where none would be kept, one is, of any attribute of the base event."""
    parameters = replace(TINY, expressions=3000, size=1, match_probability=1.0)
    rows = rows_of(parameters)
    assert np.mean([len(row) for row in rows]) == pytest.approx(parameters.mean_size, rel=0.02)
    assert parameters.mean_size == pytest.approx(1 + 0.75**4)
    alone = Counter(row[0].attribute for row in rows if len(row) == 1)
    assert len(alone) == 4
    assert min(alone.values()) > 0.2 * alone.total()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("equality", (0.3, 0.8))
def test_operators_are_those_of_their_class(name: str, equality: float) -> None:
    """Equalities have their share, and the others divide the rest evenly."""
    share = 1.0 if name == "min" else equality
    parameters = replace(UNIFORM, operators=name, equality_share=share)
    counts = Counter(part.operator for row in rows_of(parameters) for part in row)
    assert set(counts) == {NAMES[operator] for operator in OPERATORS[name]}
    shares = {operator: count / counts.total() for operator, count in counts.items()}
    assert shares.pop(Operator.EQ) == pytest.approx(share, abs=0.015)
    assert list(shares.values()) == pytest.approx([(1 - share) / max(1, len(shares))] * len(shares), abs=0.015)


@pytest.mark.parametrize("cardinality", (48, 6000))
@pytest.mark.parametrize("share", (0.06, 0.12, 0.5, 0.8, 1.0))
def test_ranges_are_as_wide_as_asked_for_on_average(cardinality: int, share: float) -> None:
    """They are 2 to twice as many values, none of which is beyond those that there are."""
    parameters = replace(UNIFORM, cardinality=cardinality, range_share=share)
    ranges = [numbers_of(part) for part in predicates_of(parameters, Operator.BETWEEN)]
    widths = [high - low + 1 for low, high in ranges]
    assert np.mean(widths) == pytest.approx(share * cardinality, rel=0.05)
    assert min(widths) >= 2
    assert min(low for low, _ in ranges) >= 0
    assert max(high for _, high in ranges) <= cardinality - 1


def test_sets_have_two_to_six_values() -> None:
    """As likely each; they are different and in order."""
    for operator in (Operator.IN, Operator.NOT_IN):
        sets = [numbers_of(part) for part in predicates_of(HIGH, operator)]
        sizes = Counter(map(len, sets))
        assert set(sizes) == {2, 3, 4, 5, 6}
        assert min(sizes.values()) > 0.16 * len(sets)
        assert all(values == sorted(set(values)) for values in sets)


@pytest.mark.parametrize("cardinality", (2, 3, 10))
def test_operands_are_values_of_their_attribute(cardinality: int) -> None:
    """However few there are: a strict bound turns round at the ends, and sets are smaller."""
    parameters = replace(TINY, cardinality=cardinality, expressions=2000, match_probability=0.01)
    operands = {number for row in rows_of(parameters) for part in row for number in numbers_of(part)}
    assert operands == set(range(cardinality))
    bounds = Counter(part.operator for part in predicates_of(parameters, Operator.LT, Operator.GT))
    assert bounds[Operator.LT] == pytest.approx(bounds.total() / 2, rel=0.15)
    events = list(begen_events(parameters, parameters.bases))
    texts = [text for _, text in begen_expressions(parameters)]
    assert all(hr.evaluate(text, events[number % 100]) for number, text in enumerate(texts))


def test_bounds_are_drawn_from_all_that_hold() -> None:
    """Each strict bound beyond a value is as likely, and there is no other; beyond the last value there is none."""
    parameters = replace(TINY, expressions=10_000, match_probability=1.0, equality_share=0.0, seed=1)
    event = next(begen_events(parameters, 1))
    found: dict[str, Counter[int]] = {}
    for part in predicates_of(parameters, Operator.LT):
        found.setdefault(part.attribute, Counter())[numbers_of(part)[0]] += 1
    assert set(found) == {attribute for attribute, value in event.items() if value < 8}
    for attribute, counts in found.items():
        beyond = list(range(event[attribute] + 1, 9))
        assert sorted(counts) == beyond
        assert list(counts.values()) == pytest.approx([counts.total() / len(beyond)] * len(beyond), rel=0.2)


def test_attributes_are_uniform_or_by_zipf() -> None:
    """In events, and so in expressions; values are uniform in both."""
    for parameters, ratio in ((UNIFORM, 1.0), (replace(ZIPF, event_size=1, size=1), 10.0)):
        events = list(begen_events(replace(parameters, match_probability=0.0001), 10_000))
        attributes = Counter(name for event in events for name in event)
        assert len(attributes) > 350
        assert attributes["a0"] / attributes["a9"] == pytest.approx(ratio, rel=0.15)
        values = Counter(value for event in events for value in event.values())
        assert set(values) == set(range(48))
        assert max(values.values()) < 1.3 * min(values.values())
    few = Counter(part.attribute for row in rows_of(ZIPF) for part in row)
    assert few["a0"] > 0.4 * ZIPF.expressions > 20 * few["a200"]


def test_the_uniform_and_the_zipf_preset_have_nothing_in_common() -> None:
    """So a workload can shift from one to the other."""
    uniform, zipf = ({str(part) for row in rows_of(given) for part in row} for given in (UNIFORM, ZIPF))
    assert len(uniform & zipf) < 0.1 * len(uniform)


@pytest.mark.parametrize("size", (1, 7, 64, 10**9))
def test_the_size_of_batches_changes_no_row(size: int) -> None:
    """Batches are cuts of one stream."""
    some = replace(TINY, expressions=100)
    batches = list(begen_expression_batches(some, size))
    rows = [(row["id"], row["expression"]) for batch in batches for row in batch.to_pylist()]
    assert rows == list(begen_expressions(some))
    assert {batch.num_rows for batch in batches[:-1]} <= {size}
    assert {batch.schema for batch in batches} == {begen_expression_schema()}


def test_what_is_drawn_at_once_changes_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are as small as memory wants them; a batch of large rows has fewer of them."""
    expressive = replace(TINY, expressive=True)
    expected = list(begen_expressions(TINY)), list(begen_expressive_events(expressive, 40))
    monkeypatch.setattr(begen, "_BLOCK_CELLS", 3 * TINY.event_size)
    monkeypatch.setattr(begen, "_BLOCK_EVENTS", 7)
    monkeypatch.setattr(begen, "_BATCH_PREDICATES", 120 * TINY.event_size)
    assert (list(begen_expressions(TINY)), list(begen_expressive_events(expressive, 40))) == expected
    assert [batch.num_rows for batch in begen_expression_batches(TINY)] == [120, 120, 60]


def test_rows_are_made_when_they_are_asked_for() -> None:
    """A trillion rows begin as soon as ten, and no rows are no trouble."""
    endless = replace(TINY, expressions=10**12)
    assert list(islice(begen_expressions(endless), 10)) == list(begen_expressions(replace(TINY, expressions=10)))
    assert list(islice(begen_events(endless, 10**12), 3)) == list(begen_events(TINY, 3))
    assert not list(begen_expressions(replace(TINY, expressions=0)))
    assert not list(begen_events(TINY, 0))
    assert not list(begen_expressive_events(replace(TINY, expressive=True), 0))


def test_another_seed_gives_other_rows() -> None:
    """The seed reaches expressions and events."""
    other = replace(UNIFORM, seed=2**64 - 1)
    assert not set(begen_expressions(UNIFORM)) & set(begen_expressions(other))
    assert list(begen_events(UNIFORM, 5)) != list(begen_events(other, 5))


def test_an_expression_is_written_as_the_language_writes_it() -> None:
    """So every one parses."""
    texts = [text for _, text in begen_expressions(replace(HIGH, expressions=500))]
    assert [str(hr.parse(text)) for text in texts] == texts


@pytest.mark.parametrize("parameters", (UNIFORM, TINY), ids=("uniform", "tiny"))
def test_a_set_of_an_expressive_event_has_the_value_of_the_base_event(parameters: BEGenParameters) -> None:
    """So what is derived from a base still has a value in common with all that its event says."""
    count = 300
    points = list(begen_events(parameters, count))
    sets = list(begen_expressive_events(replace(parameters, expressive=True), count))
    for point, event in zip(points, sets, strict=True):
        assert list(point) == list(event)
        assert all(hr.relates(f"{name} = {value}", {name: event[name]}) for name, value in point.items())
    assert {made_by(said) for event in sets for said in event.values()} == {
        MADE_BY[operator] for operator in OPERATORS[parameters.operators]
    }
    assert sets[0] != sets[parameters.bases]
    index = hr.Index("betree")
    index.insert_many(begen_expressions(replace(parameters, expressions=1000)), progress=False)
    for number, event in enumerate(sets[:20]):
        assert set(range(number % parameters.bases, 1000, parameters.bases)) <= set(index.match(event))


def test_expressive_events_are_made_by_their_own_function() -> None:
    """Neither kind is taken for the other; the expressions are the same."""
    expressive = replace(TINY, expressive=True)
    assert list(begen_expressions(expressive)) == list(begen_expressions(TINY))
    with pytest.raises(hr.KindError, match="expressive is True: begen_expressive_events makes the events"):
        begen_events(expressive, 1)
    with pytest.raises(hr.KindError, match="expressive is False: begen_events makes the events"):
        begen_expressive_events(TINY, 1)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    (
        ({"expressions": -1}, "expressions is a whole number from 0 to 1,000,000,000,000, not -1"),
        ({"dimensions": 0}, "dimensions is a whole number from 1 to 10,000, not 0"),
        ({"cardinality": 1}, "cardinality is a whole number from 2 to 1,000,000, not 1"),
        ({"event_size": 7.5}, "event_size is a whole number from 1 to 256, not 7.5"),
        ({"seed": 2**64}, "seed is a whole number from 0 to 18,446,744,073,709,551,615, not 18446744073709551616"),
        ({"size": 0.5}, "size is a number from 1 to 15, not 0.5"),
        ({"size": 15.5}, "size is a number from 1 to 15, not 15.5"),
        ({"range_share": 1.5}, "range_share is a number from 0 to 1, not 1.5"),
        ({"equality_share": True}, "equality_share is a number from 0 to 1, not True"),
        ({"match_probability": 0}, "match_probability is a number from 1e-05 to 1, not 0"),
        ({"attribute_alpha": float("nan")}, "attribute_alpha is a number from 0 to 10, not nan"),
        ({"operators": "Medium"}, "operators is one of min, low, medium, high, not 'Medium'"),
        ({"operators": ["min"]}, r"operators is one of min, low, medium, high, not \['min'\]"),
        ({"expressive": 1}, "expressive is True or False, not 1"),
        ({"dimensions": 14}, "event_size is at most the number of dimensions, 14"),
        ({"operators": "min"}, "equality_share is 1 if operators is min, not 0.3"),
        (
            {"match_probability": 1e-5, "event_size": 50},
            "match_probability makes 100,000 base events, of event_size 50: more than 2,097,152 attributes",
        ),
    ),
)
def test_a_parameter_that_makes_no_sense_is_refused_by_name(changes: dict[str, Any], complaint: str) -> None:
    """The message says what it got and what it takes."""
    with pytest.raises(hr.KindError, match=complaint):
        replace(PRESETS["begen-uniform"], **changes)


def test_parameters_at_their_limits_give_rows() -> None:
    """One attribute, all attributes, the largest events, an exponent at which one attribute comes nearly alone."""
    limits: tuple[dict[str, Any], ...] = (
        {"dimensions": 1, "event_size": 1, "size": 1},
        {"size": 15, "dimensions": 15, "attribute_alpha": 10.0},
        {"event_size": 256, "size": 256},
        {"cardinality": 300_000, "range_share": 0.0, "equality_share": 0},
    )
    for changes in limits:
        parameters = replace(HIGH, expressions=20, match_probability=0.1, **changes)
        events = list(begen_events(parameters, 20))
        texts = [text for _, text in begen_expressions(parameters)]
        assert all(hr.evaluate(text, event) for text, event in zip(texts, events, strict=True))


@pytest.mark.parametrize("count", (-1, 2.5, True, 10**13))
def test_a_number_of_rows_that_makes_no_sense_is_refused_at_once(count: Any) -> None:
    """Not only when the first row is asked for."""
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        begen_events(TINY, count)
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        begen_expressive_events(replace(TINY, expressive=True), count)
    with pytest.raises(hr.KindError, match="batch_size is a whole number from 1 to"):
        begen_expression_batches(TINY, count)
