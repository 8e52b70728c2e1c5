"""Contracts: frozen, streaming, and shaped as their parameters say."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.workload import contracts
from hedgerow.workload.contracts import (
    PRESETS,
    ContractParameters,
    contract_event_weights,
    contract_events,
    contract_expression_batches,
    contract_expression_schema,
    contract_expressions,
)
from hedgerow.workload.contracts_catalogue import ASSIGNMENTS, Urn
from hedgerow.workload.numbered import drawn, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

DNF = replace(PRESETS["contracts-dnf"], expressions=3000)
CNF = replace(PRESETS["contracts-cnf"], expressions=3000)
TINY = ContractParameters(expressions=300, dimensions=30, event_dimensions=40, event_size=6, cardinality=6)
FIRST_ROWS: dict[str, str] = {
    "contracts-dnf": "6e12e550f9d793238caf858b98a2528afd78084c6140c2540db220aee1063d2b",
    "contracts-dnf-small": "d5eb071d7313a1372f1965f9e0648d52a226bca308124b3fc643a306f464f4c6",
    "contracts-dnf-large": "f5b51c5601ce74fc9badf893495f5b24e57704d67a83e2a70a4c09eeea80299f",
    "contracts-dnf-weighted": "6f4f3b98838a50fc64bdde3a74c0022df3475b1ea5b17ef325ea279fec935d06",
    "contracts-cnf": "11c62ac61500a7434a4886bc2046f2930151b85116902f66d360d01c7761e320",
    "contracts-cnf-weighted": "1cf78bd202d3d2152d67a712933695c5569801597cbc2187aff691c0cd5a83f5",
    "contracts-conjunctions": "47e61fe2d201f6b78c4d7b72ee820e64b4fdc99bd47cf180add877c0a331b13d",
}
FIRST_EVENTS: dict[int, str] = {
    2: "9304e426ebdb5458263bae6a32da6a9ddb93e6d227ca289a9909029f1bfbfbfc",
    3: "c680061c8d0d4abe085f632b7c88258f09be4d42ad998cf87c46fa383d517c8a",
    9: "d4e8e4f4a0c03eed7ab583ccd3b7ce32b6e9bb674d5faef14274b947499eb98c",
}
FIRST_WEIGHTS = "472e6d0df14fcc3245341f740fe527c3570e1255c9b80c851d77bcd8b15979cb"
NINTH_ROWS = {
    "contracts-dnf": (
        "a944 IN (0) AND a0 IN (0) AND month IN (2) OR "
        "a258 IN (0) AND a2 IN (0, 1, 2, 3, 4) AND a534 IN (0) AND a7 IN (0, 1, 2, 13) AND month IN (2)"
    ),
    "contracts-cnf": (
        "(a944 IN (0) OR a0 IN (0)) AND "
        "(a258 IN (0) OR a2 IN (0, 1, 2, 3, 4) OR a534 IN (0) OR a7 IN (0, 1, 2, 13)) AND month IN (6)"
    ),
    "contracts-cnf-weighted": (
        "(a944 IN (0^46.25) OR a0 IN (0^1.89)) AND "
        "(a258 IN (0^17.52) OR a2 IN (0^1.75, 1^4.19, 2^8.7, 3^15.26, 4^19.38) OR a534 IN (0^52.33) OR "
        "a7 IN (0^1.59, 1^6.25, 2^9.85, 13^402)) AND month IN (6^7.51)"
    ),
    "contracts-conjunctions": "a944 IN (0) AND a0 IN (0) AND month IN (2)",
}


def digest(rows: Iterable[object]) -> str:
    """Return a fingerprint of rows."""
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


def parts(expression: hr.Expression, kind: type[hr.And | hr.Or]) -> tuple[hr.Expression, ...]:
    """Return the operands of an AND or OR, or the expression itself if it is none."""
    return expression.operands if isinstance(expression, kind) else (expression,)


def predicates_of(group: hr.Expression, kind: type[hr.And | hr.Or]) -> list[hr.Predicate]:
    """Return the predicates of a group, in which there is nothing else."""
    predicates = [part for part in parts(group, kind) if isinstance(part, hr.Predicate)]
    assert len(predicates) == len(parts(group, kind))
    return predicates


def rows_of(parameters: ContractParameters) -> list[list[list[hr.Predicate]]]:
    """Return each row as its groups, and these as their predicates."""
    outer, inner = (hr.Or, hr.And) if parameters.form == "dnf" else (hr.And, hr.Or)
    trees = (hr.parse(text) for _, text in contract_expressions(parameters))
    return [[predicates_of(group, inner) for group in parts(tree, outer)] for tree in trees]


def without_months(parameters: ContractParameters) -> list[list[list[hr.Predicate]]]:
    """Return the same without the months, which end each conjunction, and are the last disjunction."""
    if parameters.form == "cnf":
        return [row[:-1] for row in rows_of(parameters)]
    return [[group[:-1] for group in row] for row in rows_of(parameters)]


def match_probability(parameters: ContractParameters, events: int) -> float:
    """Return how likely an event matches an expression."""
    index = hr.Index("atree")
    report = index.insert_many(pa.Table.from_batches(contract_expression_batches(parameters)), progress=False)
    assert (report.inserted, report.rejected) == (parameters.expressions, [])
    counts = index.count_batch(contract_events(parameters, events)).to_pylist()
    return float(sum(counts)) / events / parameters.expressions


@pytest.mark.parametrize("name", PRESETS)
def test_the_rows_of_a_preset_are_what_they_always_were(name: str) -> None:
    """A changed workload needs a new name, or figures of before and after mean different things."""
    assert digest(islice(contract_expressions(PRESETS[name]), 1000)) == FIRST_ROWS[name]
    assert digest(contract_events(PRESETS[name], 100)) == FIRST_EVENTS[PRESETS[name].months]
    assert digest(contract_event_weights(PRESETS[name], 100)) == FIRST_WEIGHTS


def test_a_first_row_can_be_read() -> None:
    """The same predicates in each form."""
    rows = {name: next(islice(contract_expressions(PRESETS[name]), 8, None))[1] for name in NINTH_ROWS}
    assert rows == NINTH_ROWS


def test_presets_cannot_be_changed() -> None:
    """Neither the list of names nor what one stands for."""
    assert set(PRESETS) == set(FIRST_ROWS)
    with pytest.raises(TypeError):
        PRESETS["mine"] = DNF  # type: ignore[index]  # which is the point
    with pytest.raises(FrozenInstanceError):
        PRESETS["contracts-dnf"].months = 4  # type: ignore[misc]  # which is the point
    assert PRESETS["contracts-dnf"] == ContractParameters()


@pytest.mark.parametrize("size", (1, 7, 64, 10**9))
@pytest.mark.parametrize("form", ("dnf", "cnf"))
@pytest.mark.parametrize("weighted", (False, True))
def test_the_size_of_batches_changes_no_row(size: int, form: str, weighted: bool) -> None:
    """Batches are cuts of one stream."""
    some = replace(TINY, expressions=150, form=form, weighted=weighted)
    batches = list(contract_expression_batches(some, size))
    rows = [(row["id"], row["expression"]) for batch in batches for row in batch.to_pylist()]
    assert rows == list(contract_expressions(some))
    assert {batch.num_rows for batch in batches[:-1]} <= {size}
    assert {batch.schema for batch in batches} == {contract_expression_schema()}


def test_what_is_drawn_at_once_changes_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are as small as memory wants them; a batch of large rows has fewer of them."""
    weighted = replace(TINY, expressions=40, weighted=True)
    expected = list(contract_expressions(weighted)), list(contract_events(weighted, 40))
    monkeypatch.setattr(contracts, "_BLOCK_PREDICATES", 3 * weighted.most_predicates)
    monkeypatch.setattr(contracts, "_BLOCK_CELLS", 1)
    monkeypatch.setattr(contracts, "_BATCH_PREDICATES", 16 * weighted.most_predicates)
    assert (list(contract_expressions(weighted)), list(contract_events(weighted, 40))) == expected
    assert [batch.num_rows for batch in contract_expression_batches(weighted)] == [16, 16, 8]
    monkeypatch.setattr(contracts, "_BATCH_PREDICATES", 1)
    monkeypatch.setattr(contracts, "_BLOCK_PREDICATES", 1)
    assert list(contract_expressions(weighted)) == expected[0]


def test_rows_are_made_when_they_are_asked_for() -> None:
    """A trillion rows begin as soon as ten, and no rows are no trouble."""
    endless = replace(TINY, expressions=10**12)
    assert list(islice(contract_expressions(endless), 10)) == list(contract_expressions(replace(TINY, expressions=10)))
    assert list(islice(contract_events(endless, 10**12), 3)) == list(contract_events(TINY, 3))
    assert not list(contract_expressions(replace(TINY, expressions=0)))
    assert not list(contract_events(TINY, 0))
    assert not list(contract_event_weights(TINY, 0))


def test_another_seed_gives_other_rows() -> None:
    """The seed reaches expressions, value sets, events and weights."""
    other = replace(TINY, seed=2**64 - 1)
    first, second = ({text for _, text in contract_expressions(parameters)} for parameters in (TINY, other))
    assert len(first & second) < 0.02 * len(first)
    assert list(contract_events(TINY, 5)) != list(contract_events(other, 5))
    assert list(contract_event_weights(TINY, 5)) != list(contract_event_weights(other, 5))


@pytest.mark.parametrize("name", PRESETS)
def test_an_expression_is_written_as_the_language_writes_it(name: str) -> None:
    """So every one parses, and no parentheses are there for nothing."""
    texts = [text for _, text in contract_expressions(replace(PRESETS[name], expressions=300))]
    assert [str(hr.parse(text)) for text in texts] == texts


@pytest.mark.parametrize(("alpha", "mean"), ((2.5, 1.63), (2.0, 2.25), (1.5, 3.50)))
@pytest.mark.parametrize("form", ("dnf", "cnf"))
def test_the_number_of_groups_is_that_of_the_paper(alpha: float, mean: float, form: str) -> None:
    """Table 1 has 1.6 to 3.5 conjunctions, and one disjunction more for the month."""
    parameters = replace(DNF, group_alpha=alpha, form=form)
    counts = [len(row) for row in without_months(parameters)]
    assert parameters.mean_groups == pytest.approx(mean, abs=0.005)
    assert np.mean(counts) == pytest.approx(mean, rel=0.05)
    assert (min(counts), max(counts)) == (1, 20)


@pytest.mark.parametrize("parameters", (DNF, CNF), ids=("dnf", "cnf"))
def test_a_group_has_2_65_predicates_of_different_attributes(parameters: ContractParameters) -> None:
    """All sizes come in their shares, also where predicates are copied."""
    groups = [group for row in without_months(parameters) for group in row]
    sizes = Counter(map(len, groups))
    assert parameters.mean_predicates == pytest.approx(2.65)
    assert np.mean([len(group) for group in groups]) == pytest.approx(2.65, abs=0.03)
    assert all(
        sizes[n] / len(groups) == pytest.approx(share / 100, abs=0.02) for n, share in enumerate(DNF.group_sizes, 1)
    )
    assert all(len({predicate.attribute for predicate in group}) == len(group) for group in groups)
    assert not any(predicate.attribute == "month" for group in groups for predicate in group)


def test_all_of_a_row_has_one_month() -> None:
    """Each conjunction of a DNF ends with it, and the last disjunction of a CNF is it; all months come alike."""
    conjunctions = [{str(group[-1]) for group in row} for row in rows_of(replace(DNF, months=12))]
    disjunctions = [{str(predicate) for predicate in row[-1]} for row in rows_of(replace(CNF, months=12))]
    for rows in (conjunctions, disjunctions):
        assert {len(months) for months in rows} == {1}
        count = Counter(month for months in rows for month in months)
        assert set(count) == {f"month IN ({number})" for number in range(1, 13)}
        assert all(number == pytest.approx(250, rel=0.2) for number in count.values())


@pytest.mark.parametrize(("weak", "operator"), ((True, Operator.WEAK_NOT_IN), (False, Operator.NOT_IN)))
def test_a_tenth_of_the_predicates_is_negated(weak: bool, operator: Operator) -> None:
    """Of all, and of no other kind than asked for."""
    rows = without_months(replace(DNF, weak=weak))
    operators = Counter(predicate.operator for row in rows for group in row for predicate in group)
    assert set(operators) == {Operator.IN, operator}
    assert operators[operator] / operators.total() == pytest.approx(0.1, abs=0.01)


def test_attributes_and_value_sets_are_drawn_by_zipf() -> None:
    """The first of each are the most frequent, and a set has 1 to 5 values but never all."""
    predicates = [part for row in without_months(replace(DNF, expressions=10_000)) for group in row for part in group]
    attributes = Counter(predicate.attribute for predicate in predicates)
    assert attributes["a0"] / attributes["a9"] == pytest.approx(9, rel=0.15)  # 10, less what no group has twice
    assert {len(predicate.values) for predicate in predicates} == {1, 2, 3, 4, 5}
    assert all(list(predicate.values) == sorted(predicate.values) for predicate in predicates)
    sets = [Counter(part.values for part in predicates if part.attribute == f"a{number}") for number in range(5)]
    assert all(1 < len(count) <= 20 for count in sets)
    assert all(count.most_common(1)[0][1] / count.total() > 0.25 for count in sets)
    values = Counter(value for predicate in predicates for value in predicate.values if isinstance(value, int))
    assert 40 < max(values) < 50
    assert all(values[less] > values[more] for less, more in pairwise((0, 1, 2, 4, 8, 16, 32)))


def test_fewer_dimensions_leave_out_the_rarest_attributes() -> None:
    """The others keep their values and sets, and events stay as they are."""
    few = replace(DNF, dimensions=10)
    some, all_of_them = (
        {part for row in without_months(given) for group in row for part in group} for given in (few, DNF)
    )
    assert {predicate.attribute for predicate in some} == {f"a{number}" for number in range(10)}
    assert len({predicate for predicate in some if predicate in all_of_them}) > 0.7 * len(some)
    assert list(contract_events(few, 10)) == list(contract_events(DNF, 10))


def expected_copies(parameters: ContractParameters) -> float:
    """Return how many predicates a group copies on average, by the sizes of two groups."""
    total = 0.0
    shares = [share / sum(parameters.group_sizes) for share in parameters.group_sizes]
    for before, likely in enumerate(shares, 1):
        whole, rest = divmod(parameters.copied * before, 1)
        for size, also in enumerate(shares, 1):
            total += likely * also * ((1 - rest) * min(whole, size) + rest * min(whole + 1, size))
    return parameters.copying * total


@pytest.mark.parametrize(
    ("copying", "copied"), ((0.5, 0.5), (1.0, 0.5), (0.5, 1.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0))
)
def test_a_group_copies_its_part_of_the_one_before(copying: float, copied: float) -> None:
    """Attributes are all alike here, so that hardly any predicate recurs by chance."""
    parameters = replace(DNF, copying=copying, copied=copied, attribute_alpha=0.0, group_alpha=1.5)
    pairs = [(set(one), set(two)) for row in without_months(parameters) for one, two in pairwise(row)]
    common = sum(len(one & two) for one, two in pairs) / len(pairs)
    assert common == pytest.approx(expected_copies(parameters), abs=0.025)
    if copying == copied == 1:
        assert all(one <= two or two <= one for one, two in pairs)


def test_an_event_has_91_attributes_by_frequency_and_a_month() -> None:
    """The first attributes are in nearly all events, the last ones in few, and of values the first come most."""
    events = list(contract_events(replace(DNF, months=12), 2000))
    assert {len(event) for event in events} == {92}
    assert all(list(event)[-1] == "month" for event in events)
    attributes = Counter(int(name[1:]) for event in events for name in event if name != "month")
    assert attributes[0] == len(events)
    assert all(attributes[less] > attributes[more] for less, more in pairwise((5, 20, 50, 150, 500)))
    assert sum(attributes[number] for number in range(1361, 1461)) == pytest.approx(100 * 2000 * 0.0145, rel=0.1)
    months = Counter(event["month"] for event in events)
    assert set(months) == set(range(1, 13))
    values = Counter(value for event in events for name, value in event.items() if name != "month")
    assert 40 < max(values) < 50
    assert all(values[less] > values[more] for less, more in pairwise((0, 1, 2, 4, 8, 16, 32)))


def test_an_event_may_have_every_attribute_or_none() -> None:
    """The month is always there."""
    (event,) = contract_events(replace(TINY, event_size=40, cardinality=2), 1)
    assert list(event) == [*(f"a{number}" for number in range(40)), "month"]
    assert set(event.values()) <= {0, 1, 2}
    assert list(contract_events(replace(TINY, event_size=0, months=1), 2)) == [{"month": 1}] * 2


def test_event_weights_are_those_of_the_events() -> None:
    """Each attribute has one, the month too, and they are all alike from 0 to 1."""
    events, weights = list(contract_events(DNF, 200)), list(contract_event_weights(DNF, 200))
    assert [list(event) for event in events] == [list(weight) for weight in weights]
    numbers = [number for weight in weights for number in weight.values()]
    assert 0 <= min(numbers) < 0.001
    assert 0.999 < max(numbers) < 1
    assert np.mean(numbers) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("form", ("dnf", "cnf"))
def test_weights_change_nothing_else(form: str) -> None:
    """Without what follows the carets, texts are those without weights."""
    plain, weighted = (contract_expressions(replace(TINY, form=form, weighted=weighted)) for weighted in (False, True))
    assert [(id, re.sub(r"\^[0-9.]+", "", text)) for id, text in weighted] == list(plain)


def test_weights_are_near_their_upper_bounds_and_never_beyond() -> None:
    """An upper bound is the number of assignments by that of those with the value; NOT IN has no weights."""
    parameters = replace(DNF, weighted=True)
    counts: Counter[tuple[str, object]] = Counter()
    for event in contract_events(parameters, ASSIGNMENTS):
        counts.update(event.items())
    predicates = [predicate for row in rows_of(parameters) for group in row for predicate in group]
    parts_of_bounds: dict[bool, list[float]] = {False: [], True: []}
    for predicate in predicates:
        if predicate.operator == Operator.WEAK_NOT_IN:
            assert not predicate.weights
            continue
        for value, weight in zip(predicate.values, predicate.weights or (), strict=True):
            bound = ASSIGNMENTS / max(1, counts[predicate.attribute, value])
            assert 0 <= weight <= bound
            parts_of_bounds[bound > 50].append(weight / bound)
    frequent, rare = (np.array(parts_of_bounds[is_rare]) for is_rare in (False, True))
    assert rare.mean() == pytest.approx(0.8, abs=0.002)
    assert rare.std() < 0.04 < frequent.std()
    assert frequent.max() == 1


def test_the_weights_of_rare_values_are_gaussian() -> None:
    """Where bounds cut nothing off, the variance is a twentieth of the bound."""
    parameters = replace(TINY, weighted=True, event_size=0, expressions=3000)  # no event has any: each bound is 1,000
    texts = " ".join(text for _, text in contract_expressions(parameters))
    weights = np.array([float(found) for found in re.findall(r"\^([0-9.]+)", re.sub(r"month IN \([^)]*\)", "", texts))])
    assert weights.mean() == pytest.approx(800, abs=0.2)
    assert weights.std() == pytest.approx(50**0.5, rel=0.02)
    assert np.mean(np.abs(weights - 800) < 50**0.5) == pytest.approx(0.683, abs=0.01)


def test_weights_score_as_the_oracle_says() -> None:
    """The best of an event, with its own weights, are those that the oracle finds."""
    parameters = replace(TINY, weighted=True)
    index = hr.Index("atree")
    index.insert_many(contract_expressions(parameters), progress=False)
    pairs = zip(contract_events(parameters, 10), contract_event_weights(parameters, 10), strict=True)
    for event, weights in pairs:
        scores = [hr.score(text, event, weights=weights) for _, text in contract_expressions(parameters)]
        best = sorted((score for score in scores if score is not None), reverse=True)[:5]
        assert [scored.score for scored in index.top(event, 5, weights)] == pytest.approx(best)


@pytest.mark.parametrize(
    ("name", "probability"),
    (
        ("contracts-dnf", 0.119),
        ("contracts-dnf-small", 0.097),
        ("contracts-dnf-large", 0.106),
        ("contracts-dnf-weighted", 0.119),
        ("contracts-cnf", 0.053),
        ("contracts-cnf-weighted", 0.053),
        ("contracts-conjunctions", 0.070),
    ),
)
def test_a_preset_matches_as_often_as_it_says(name: str, probability: float) -> None:
    """The figures are those of the module's docstring."""
    sample = replace(PRESETS[name], expressions=5000)
    assert match_probability(sample, 300) == pytest.approx(probability, rel=0.06)


def test_the_range_of_months_tunes_how_many_match() -> None:
    """A range so many times as large gives so many times fewer matches."""
    shares = [match_probability(replace(DNF, months=months), 500) * months for months in (1, 2, 4, 12)]
    assert shares == pytest.approx([shares[0]] * 4, rel=0.06)


def test_strong_not_in_matches_less() -> None:
    """It wants the attribute there."""
    assert match_probability(replace(DNF, weak=False), 200) < 0.9 * match_probability(DNF, 200)


def test_ranks_from_an_urn_are_never_drawn_twice() -> None:
    """Also where all but one are taken, and for the least and the greatest key."""
    urn = Urn(5, 2.0)
    keys = np.array([0, (1 << 64) - 1], dtype=np.uint64)
    assert urn.others(keys, np.zeros((2, 0), dtype=np.int64)).tolist() == [0, 4]
    assert urn.others(keys, np.array([[4, 0], [2, 0]])).tolist() == [1, 4]
    assert urn.others(keys, np.array([[3, 1, 0, 2], [1, 4, 0, 2]])).tolist() == [4, 3]
    assert urn.ranks(keys, np.array([1, 3])).tolist() == [0, 2]
    steep = Urn(1000, 10.0)  # whose last ranks have the least weight that there is
    assert steep.others(drawn(key_of(1), np.arange(3)), np.arange(999)[None, :].repeat(3, axis=0)).tolist() == [999] * 3


def test_ranks_from_an_urn_come_in_proportion() -> None:
    """What is left shares what was taken."""
    keys = drawn(key_of(3), np.arange(100_000))
    counts = np.bincount(Urn(4, 1.0).others(keys, np.full((100_000, 1), 1)), minlength=4)
    assert (counts / 100_000).tolist() == pytest.approx([12 / 19, 0, 4 / 19, 3 / 19], abs=0.005)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    (
        ({"expressions": -1}, "expressions is a whole number from 0 to 1,000,000,000,000, not -1"),
        ({"form": "DNF"}, "form is one of dnf, cnf, not 'DNF'"),
        ({"most_groups": 0}, "most_groups is a whole number from 1 to 1,000, not 0"),
        ({"months": 13}, "months is a whole number from 1 to 12, not 13"),
        ({"months": True}, "months is a whole number from 1 to 12, not True"),
        ({"cardinality": 1}, "cardinality is a whole number from 2 to 1,000, not 1"),
        ({"largest_set": 21}, "largest_set is a whole number from 1 to 20, not 21"),
        ({"value_sets": 2.0}, "value_sets is a whole number from 1 to 1,000, not 2.0"),
        ({"seed": 2**64}, "seed is a whole number from 0 to 18,446,744,073,709,551,615, not 18446744073709551616"),
        ({"group_alpha": -0.5}, "group_alpha is a number from 0 to 10, not -0.5"),
        ({"value_alpha": float("nan")}, "value_alpha is a number from 0 to 10, not nan"),
        ({"copying": 1.5}, "copying is a number from 0 to 1, not 1.5"),
        ({"copied": "half"}, "copied is a number from 0 to 1, not 'half'"),
        ({"negated": True}, "negated is a number from 0 to 1, not True"),
        ({"weak": 1}, "weak is True or False, not 1"),
        ({"weighted": None}, "weighted is True or False, not None"),
        ({"group_sizes": ()}, r"group_sizes is a tuple of shares, of 1, 2, 3 ... predicates, not \(\)"),
        ({"group_sizes": [1, 2]}, "group_sizes is a tuple of shares"),
        ({"group_sizes": (1, -1)}, "group_sizes has shares that are 0 or more"),
        ({"group_sizes": (1, float("inf"))}, "group_sizes has shares that are 0 or more"),
        ({"group_sizes": (0, 0)}, "group_sizes has shares whose sum is more than 0"),
        ({"group_sizes": (1e308, 1e308)}, "group_sizes has shares whose sum is more than 0, and finite"),
        ({"dimensions": 7}, "group_sizes has at most as many shares as there are dimensions, 7"),
        ({"dimensions": 2000}, "dimensions is at most event_dimensions, 1,461"),
        ({"event_size": 1462}, "event_size is at most event_dimensions, 1,461"),
        ({"most_groups": 1000, "group_sizes": (1,) * 16}, "make expressions of more than 16,384 predicates"),
        ({"value_sets": 1000}, "dimensions, value_sets and cardinality have a product of at most 16,777,216"),
    ),
)
def test_a_parameter_that_makes_no_sense_is_refused_by_name(changes: dict[str, Any], complaint: str) -> None:
    """The message says what it got and what it takes."""
    with pytest.raises(hr.KindError, match=complaint):
        replace(PRESETS["contracts-dnf"], **changes)


def test_parameters_at_their_limits_give_rows() -> None:
    """As many dimensions as predicates, an exponent at which one value comes alone, no chance and all chance."""
    sizes = (0.0,) * 7 + (1.0,)
    parameters = replace(TINY, dimensions=8, group_sizes=sizes, attribute_alpha=10.0, value_alpha=10.0, negated=1.0)
    groups = [group for row in without_months(replace(parameters, expressions=50)) for group in row]
    assert all(
        {predicate.attribute for predicate in group} == {f"a{number}" for number in range(8)} for group in groups
    )
    assert {predicate.operator for group in groups for predicate in group} == {Operator.WEAK_NOT_IN}
    few = replace(TINY, cardinality=2, value_sets=1, largest_set=20, expressions=20)
    assert {len(part.values) for row in without_months(few) for group in row for part in group} == {1}


@pytest.mark.parametrize("count", (-1, 2.5, True, 10**13))
def test_a_number_of_rows_that_makes_no_sense_is_refused_at_once(count: Any) -> None:
    """Not only when the first row is asked for."""
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        contract_events(TINY, count)
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        contract_event_weights(TINY, count)
    with pytest.raises(hr.KindError, match="batch_size is a whole number from 1 to"):
        contract_expression_batches(TINY, count)
