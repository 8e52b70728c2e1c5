"""The contract that every engine must keep, and random expressions and events to test anything with.

``check_engine(factory)`` runs the whole contract; ``CHECKS`` are its parts, for test runners that want one test each::

    @pytest.mark.parametrize("check", CHECKS)
    def test_my_engine_keeps_the_contract(check):
        check(lambda missing: hr.Index("mine", missing=missing))

The truth that engines are compared with is ``hedgerow.evaluate`` and ``hedgerow.score``. How many random examples are
tried is up to the current Hypothesis profile. Needs Hypothesis: ``pip install 'hedgerow[dev]'``.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib
import math
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ImportError as error:  # pragma: no cover - the test suite has it
    raise ImportError("hedgerow.testing needs Hypothesis: pip install 'hedgerow[dev]'") from error

from hedgerow.errors import (
    DuplicateId,
    HedgerowError,
    InvalidId,
    LimitError,
    ParseError,
    ReadOnly,
    UnknownId,
    Unsupported,
)
from hedgerow.event.encode import events as encode_events
from hedgerow.index.api import Index
from hedgerow.index.engine import engine_restorer
from hedgerow.language.evaluate import evaluate
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import OPERATORS, Operands, Operator, OperatorRow
from hedgerow.language.rewrite import simplify
from hedgerow.language.score import score
from hedgerow.limits import MAX_CLAUSES
from hedgerow.store.files import open as open_index
from hedgerow.values import Value

__all__ = ["CHECKS", "attributes", "check_engine", "event_weights", "events", "expressions", "predicates", "values"]

_testcapi: Any
try:
    _testcapi = importlib.import_module("_testcapi")  # it has no types
except ImportError:  # pragma: no cover - some distributions keep what tests Python itself apart
    _testcapi = None

Factory: TypeAlias = Callable[[str], Index]
"""Makes an empty index for a reading of missing attributes."""

_ATTRIBUTES = ("a", "b", "c", "user.age", "odd name", "größe")
_READINGS = ("unknown", "false")
_OFTEN = 1e-5  # seconds after which a thread hands over to another: what they do to each other shows sooner
_TURNS = 60
_SOME_TIME = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
_PATTERNS = ("%", "a%", "%b", "%a_", "A%", "_", "", r"\%", "%ß%", "k%")
_INTERRUPTS = 8  # of each way to search
_FED = 3  # searches in a row that did not fail: an allocation that is not needed may fail in silence
_REGEXES = ("a", "^b", "a.*b$", "[ab]+c?", "", "^$", "(?i)ß")


# Random input. The domains are small on purpose: predicates must hold, collide and be repeated often.


def attributes() -> st.SearchStrategy[str]:
    """Return attribute names: plain, dotted, odd and beyond ASCII."""
    return st.sampled_from(_ATTRIBUTES)


@functools.cache
def values() -> st.SearchStrategy[Value]:
    """Return values of all kinds, with the corners where kinds meet: whole floats, large integers, odd cases."""
    return st.one_of(
        st.integers(-2, 4),
        st.sampled_from([0.5, -0.5, 1.0, 2.5, 2.0**53, 1e300]),
        st.sampled_from([2**53, 2**53 + 1, 2**63 - 1, -(2**63)]),
        st.booleans(),
        _texts(),
        st.sampled_from([_SOME_TIME, _SOME_TIME + dt.timedelta(microseconds=1), _SOME_TIME - dt.timedelta(days=400)]),
    )


def _texts() -> st.SearchStrategy[str]:
    return st.one_of(
        st.text("abAB", max_size=3), st.sampled_from(["", "%", "it's", "ß", "ẞ", "K", "İ", "a\nb", "日本"])
    )


@functools.cache
def predicates(*, weighted: bool = True) -> st.SearchStrategy[Predicate]:
    """Return predicates of every operator."""
    # One strategy an operator, made once: a strategy that is made anew for each draw is many times slower.
    return st.one_of([_predicates_of(row, weighted=weighted and row.weighted) for row in OPERATORS])


def _predicates_of(row: OperatorRow, *, weighted: bool) -> st.SearchStrategy[Predicate]:
    operator = st.just(row.operator)
    if not weighted:
        return st.builds(Predicate, attributes(), operator, _operands(row.operator))
    pair = st.tuples(values(), st.sampled_from([0.0, 0.0, 0.5, 2.0, 3.0]))
    most = 1 if row.operands == Operands.ONE else 4
    return st.builds(_weighted, attributes(), operator, st.lists(pair, min_size=1, max_size=most))


def _weighted(attribute: str, operator: Operator, pairs: list[tuple[Value, float]]) -> Predicate:
    return Predicate(attribute, operator, tuple(value for value, _ in pairs), tuple(weight for _, weight in pairs))


def _operands(operator: Operator) -> st.SearchStrategy[tuple[Value, ...]]:
    takes = OPERATORS[operator].operands
    if takes == Operands.NOTHING:
        return st.just(())
    if takes == Operands.ONE:
        return values().map(lambda value: (value,))
    if takes == Operands.MANY:
        return st.lists(values(), min_size=1, max_size=4).map(tuple)
    if takes == Operands.TWO:
        return st.one_of(st.tuples(st.integers(-2, 4), st.sampled_from([0, 1.5, 4])), st.tuples(_texts(), _texts()))
    if operator in {Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE}:
        return st.sampled_from(_PATTERNS).map(lambda text: (text,))
    if operator in {Operator.MATCHES, Operator.NOT_MATCHES}:
        return st.sampled_from(_REGEXES).map(lambda text: (text,))
    return _texts().map(lambda text: (text,))


@functools.cache
def expressions(max_leaves: int = 12, *, weighted: bool = True) -> st.SearchStrategy[Expression]:
    """Return expressions over all logical operators, with repeated parts and constants now and then."""
    leaves: st.SearchStrategy[Expression] = st.one_of(
        predicates(weighted=weighted), predicates(weighted=weighted), st.booleans().map(Constant)
    )
    return st.recursive(leaves, _combined, max_leaves=max_leaves)


def _combined(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=2, max_size=4)
    return st.one_of(
        several.map(lambda operands: And(*operands)),
        several.map(lambda operands: Or(*operands)),
        several.map(lambda operands: Xor(*operands)),
        several.map(lambda operands: Xnor(*operands)),
        parts.map(Not),
        several.map(lambda operands: Or(And(*operands), Not(operands[0]))),
    )


@functools.cache
def events() -> st.SearchStrategy[dict[str, Any]]:
    """Return events: scalars, lists, nulls, NaN, nested structs, attributes that no expression knows, or nothing."""
    scalar = st.one_of(st.none(), values(), st.just(math.nan))
    value = st.one_of(scalar, st.lists(scalar, max_size=4))
    flat = st.sampled_from([name for name in _ATTRIBUTES if "." not in name] + ["unknown"])
    return st.builds(
        lambda own, age: own if age is None else {**own, "user": {"age": age}},
        st.dictionaries(flat, value, max_size=6),
        value,
    )


@functools.cache
def event_weights() -> st.SearchStrategy[dict[str, Any]]:
    """Return weights that an event may carry."""
    weight = st.sampled_from([0.0, 0.5, 1.0, 4.0])
    return st.dictionaries(attributes(), st.one_of(weight, st.dictionaries(values(), weight, max_size=3)), max_size=3)


# The contract


def check_engine(factory: Factory) -> None:
    """Raise AssertionError unless the engine keeps the whole contract.

    >>> import hedgerow as hr
    >>> check_engine(lambda missing: hr.Index("scan", missing=missing))  # doctest: +SKIP
    """
    for check in CHECKS:
        check(factory)


def _property(test: Callable[..., None]) -> Callable[..., None]:
    # The check may be slow to set up (an engine a time), and a failing input is printed, not kept.
    return settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))(test)


def check_matches_are_the_oracles(factory: Factory) -> None:
    """A match returns exactly the expressions that the oracle calls true, in insertion order; a batch says the same."""

    @_property
    @given(
        st.sampled_from(_READINGS), st.lists(expressions(), max_size=8), st.lists(events(), max_size=5), st.booleans()
    )
    def check(
        missing: str, given_expressions: list[Expression], given_events: list[dict[str, Any]], text: bool
    ) -> None:
        index = factory(missing)
        taken = {
            number: expression
            for number, expression in enumerate(given_expressions)
            if _is_taken(index, number, expression, text=text)
        }
        truth = [_matching(taken, event, missing) for event in given_events]
        assert [index.match(event) for event in given_events] == truth
        _assert_batch(index, given_events, truth)

    check()


def _is_taken(index: Index, id: int, expression: Expression, weight: float = 0.0, *, text: bool = False) -> bool:
    """Insert an expression, unless the engine says that it has too many clauses, which must be so."""
    try:
        index.insert(id, str(expression) if text else expression, weight)
    except LimitError:
        assert _most_clauses(expression, index.missing) > MAX_CLAUSES, f"refused: {expression}"
        assert id not in index
        return False
    return True


def _most_clauses(expression: Expression, missing: str) -> int:
    """Return how many clauses a normal form of an expression, or of a part of it, can have."""
    graph = Graph()
    counts: dict[int, tuple[int, int]] = {}
    for node in graph.below(simplify(graph, graph.add(expression), missing)):
        below = [counts[child] for child in graph.children(node)]
        product, total = math.prod(count for count, _ in below), sum(count for count, _ in below)
        dual_product, dual_total = math.prod(count for _, count in below), sum(count for _, count in below)
        counts[node] = (1, 1)
        if below:
            is_and = graph.kind(node) == Graph.AND
            counts[node] = (product, dual_total) if is_and else (total, dual_product)
    return max(max(pair) for pair in counts.values())


def _matching(model: Mapping[Any, Expression], event: Mapping[str, Any], missing: str) -> list[Any]:
    return [id_ for id_, expression in model.items() if evaluate(expression, event, missing) is True]


def _assert_batch(index: Index, given_events: list[dict[str, Any]], truth: list[list[Any]]) -> None:
    encoded = encode_events(given_events)
    table = index.match_batch(encoded)
    pairs = [(row, id_) for row, ids in enumerate(truth) for id_ in ids]
    assert list(zip(table["event"].to_pylist(), table["id"].to_pylist(), strict=True)) == pairs
    assert index.match_batch(given_events) == table
    assert index.count_batch(encoded).to_pylist() == [len(ids) for ids in truth]


def check_scores_are_the_oracles(factory: Factory) -> None:
    """The best matches are those of the oracle's scores, with static weights added and ties in insertion order."""
    _check_known_scores(factory("unknown"))

    @_property
    @given(
        st.sampled_from(_READINGS),
        st.lists(st.tuples(expressions(8), st.sampled_from([0.0, 1.0, -2.5])), max_size=8),
        events(),
        st.one_of(st.none(), event_weights()),
        st.integers(0, 9),
    )
    def check(
        missing: str,
        rows: list[tuple[Expression, float]],
        event: dict[str, Any],
        weights: dict[str, Any] | None,
        n: int,
    ) -> None:
        index = factory(missing)
        found: list[tuple[Any, float]] = []
        for number, (expression, weight) in enumerate(rows):
            own = score(expression, event, weights, missing)
            if _is_taken(index, number, expression, weight) and own is not None:
                found.append((number, own + weight))
        best = index.top(event, n, weights)
        assert len(best) == min(n, len(found))
        # Sums round differently in another order, so scores are compared with a tolerance, then the order by them.
        expected = dict(found)
        assert all(math.isclose(entry.score, expected[entry.id], abs_tol=1e-9) for entry in best)
        keys = [(-entry.score, entry.id) for entry in best]
        assert keys == sorted(keys)
        rest = [worth for number, worth in found if number not in {entry.id for entry in best}]
        assert not best or all(worth <= best[-1].score + 1e-9 for worth in rest)

    check()


def _check_known_scores(index: Index) -> None:
    """Section 2.4 of the k-index paper has the first; the others are OR's largest, the bid, and a tie."""
    index.insert("and", "age IN (1^10, 2^5) AND state IN ('CA'^3)")
    index.insert("or", "age = 1^4 OR state = 'CA'^3", 1.5)
    index.insert("bid", "state = 'CA'", 7.5)
    index.insert("miss", "age = 2^100")
    best = index.top({"age": 1, "state": "CA"}, 9, {"state": {"CA": 2.0, "NY": 50.0}})
    assert [tuple(entry) for entry in best] == [("and", 16.0), ("or", 7.5), ("bid", 7.5)]
    listed = index.top({"age": [2, 1], "state": "CA"}, 2)
    assert [tuple(entry) for entry in listed] == [("miss", 100.0), ("and", 13.0)]
    table = index.top_batch([{"age": [2, 1], "state": "CA"}, {}, {"state": "CA"}], 2).to_pydict()
    assert table["event"] == [0, 0, 2, 2]
    assert table["id"] == ["miss", "and", "bid", "or"]
    assert table["score"] == [100.0, 13.0, 7.5, 4.5]
    assert {"age", "state"} <= set(index.attributes)


def check_changes_take_effect(factory: Factory) -> None:
    """Inserts, updates, deletes and clears, in any order, are seen by the next match and by nothing before."""

    @_property
    @given(st.sampled_from(_READINGS), st.lists(_changes(), max_size=30), st.lists(events(), min_size=1, max_size=3))
    def check(missing: str, changes: list[tuple[str, int, Expression]], given_events: list[dict[str, Any]]) -> None:
        index = factory(missing)
        model: dict[str, Expression] = {}
        for kind, number, expression in changes:
            _change(index, model, kind, f"rule-{number}", expression, number)
            truth = [_matching(model, event, missing) for event in given_events]
            assert [index.match(event) for event in given_events] == truth
            assert (list(index), len(index)) == (list(model), len(model))
        _assert_batch(index, given_events, [_matching(model, event, missing) for event in given_events])

    check()


@functools.cache
def _changes() -> st.SearchStrategy[tuple[str, int, Any]]:
    # Few ids and an expression that always matches now and then, so that changes meet and are noticed.
    number = st.integers(0, 3)
    expression = st.one_of(st.just(Constant(value=True)), expressions(5))
    return st.one_of(
        st.tuples(st.just("insert"), number, expression),
        st.tuples(st.just("update"), number, expression),
        st.tuples(st.just("delete"), number, st.none()),
        st.tuples(st.just("clear"), st.integers(0, 20), st.none()),
    )


def _change(
    index: Index, model: dict[str, Expression], kind: str, id_: str, expression: Expression, chance: int
) -> None:
    known = id_ in model
    assert (id_ in index) == known
    try:
        if kind == "insert":
            index.insert(id_, expression)
            assert not known, "a second insert of an id must raise"
        elif kind == "update":
            index.update(id_, expression)
            assert known, "an update of an unknown id must raise"
            model.pop(id_)
        elif kind == "delete":
            index.delete(id_)
            assert model.pop(id_, None) is not None, "a delete of an unknown id must raise"
        elif chance == 0:
            index.clear()
            model.clear()
    except DuplicateId:
        assert kind == "insert"
        assert known
    except UnknownId:
        assert kind in {"update", "delete"}
        assert not known
    except LimitError:
        assert kind in {"insert", "update"}
        assert _most_clauses(expression, index.missing) > MAX_CLAUSES, f"refused: {expression}"
    else:
        if kind in {"insert", "update"}:
            model[id_] = expression


def check_much_churn_leaves_nothing(factory: Factory) -> None:
    """Thousands of deletes and updates give their space back, and what stays still matches."""
    index = factory("unknown")
    index.insert("stays", "a = 1")
    index.insert_many((f"rule-{number}", f"a = {number % 50} AND b = {number}") for number in range(500))
    before = index.stats().bytes
    for turn in range(30):
        for number in range(500):
            index.update(f"rule-{number}", f"a = {number % 50} AND b = {number + turn * 1000}")
    assert index.match({"a": 1, "b": 29_001}) == ["stays", "rule-1"]
    for number in range(500):
        index.delete(f"rule-{number}")
    assert (list(index), index.match({"a": 1, "b": 29_001})) == (["stays"], ["stays"])
    # Without compaction it would be about 30 times as much, one part for each turn.
    assert index.stats().bytes < 10 * before


def check_ids(factory: Factory) -> None:
    """Ids are all integers or all strings; others, duplicates and unknown ones raise and change nothing."""
    for good, missing_id, wrong in ((7, 8, "7"), ("7", "8", 7)):
        index = factory("unknown")
        index.insert(good, "a = 1")
        _assert_raises(DuplicateId, lambda: index.insert(good, "a = 2"))  # noqa: B023 - called at once
        for bad in (wrong, None, 1.5, True, 2**63, b"7", "\ud800"):
            _assert_raises(InvalidId, lambda: index.insert(bad, "a = 1"))  # type: ignore[arg-type] # noqa: B023
            assert bad not in index
        for unknown in (missing_id, wrong):
            _assert_raises(UnknownId, lambda: index.delete(unknown))  # noqa: B023
            _assert_raises(UnknownId, lambda: index.update(unknown, "a = 2"))  # noqa: B023
            _assert_raises(UnknownId, lambda: index.expression(unknown))  # noqa: B023
            _assert_raises(KeyError, lambda: index.explain(unknown, {}))  # noqa: B023
        assert (list(index), index.match({"a": 1})) == ([good], [good])
        assert str(index.match_batch([{"a": 1}])["id"].type) == ("int64" if isinstance(good, int) else "string")


def _assert_raises(kind: type[Exception], call: Callable[[], object]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def check_bad_rows_are_reported(factory: Factory) -> None:
    """A batch insert takes all good rows, and reports each bad one with its place and error."""
    index = factory("unknown")
    rows: list[Any] = [
        (1, "a = 1"),
        (2, "a =="),
        (1, "a = 2"),
        ("x", "a = 1"),
        (3, "a = 1", 0.5),
        "a = 1",
        (4, 5),
        (5, "a = 3"),
    ]
    report = index.insert_many(rows)
    assert report.inserted == 3  # noqa: PLR2004 - counted above
    assert [bad.row for bad in report.rejected] == [1, 2, 3, 5, 6]
    kinds = [ParseError, DuplicateId, InvalidId, HedgerowError, HedgerowError]
    assert all(isinstance(bad.error, kind) for bad, kind in zip(report.rejected, kinds, strict=True))
    _assert_raises(ParseError, lambda: index.insert(9, "a = "))
    _assert_raises(ParseError, lambda: index.update(1, "a = "))
    assert list(index) == [1, 3, 5]
    assert index.match({"a": 1}) == [1, 3]


def check_look_ups(factory: Factory) -> None:
    """``expression`` matches what was inserted, ``explain`` agrees with the oracle, ``stats`` counts."""

    @_property
    @given(st.sampled_from(_READINGS), st.lists(expressions(), min_size=1, max_size=4), events())
    def check(missing: str, given_expressions: list[Expression], event: dict[str, Any]) -> None:
        index = factory(missing)
        assert index.stats().expressions == 0
        taken = 0
        for number, expression in enumerate(given_expressions):
            if not _is_taken(index, number, expression):
                continue
            taken += 1
            matches = evaluate(expression, event, missing) is True
            assert (evaluate(index.expression(number), event, missing) is True) == matches
            assert (index.explain(number, event).value is True) == matches
        stats = index.stats()
        assert stats.expressions == taken
        assert stats.bytes > 0
        index.clear()
        assert (len(index), index.match(event)) == (0, [])

    check()


def check_readers_and_a_writer(factory: Factory) -> None:
    """Readers that run beside a writer see all of each change or nothing of it."""
    index = factory("unknown")
    index.insert_many((number, "shared = 1") for number in range(100))
    index.insert(1000, "shared = 1 AND state = 0")

    def read() -> None:
        found = index.match({"shared": 1, "state": [0, 1]})
        # The updated one matches before and after each update, so it must be there exactly once; the others come and go
        # in whole chunks of one insert_many.
        right = found.count(1000) == 1 and found[:100] == list(range(100)) and (len(found) - 101) % 50 == 0
        assert right, f"a reader saw {found}"

    def write(turn: int) -> None:
        index.update(1000, f"shared = 1 AND state = {turn % 2}")
        first = 2000 + turn * 50
        index.insert_many((number, f"shared = 1 OR other = {number}") for number in range(first, first + 50))

    _beside(write, [read] * 3, 0)


def check_batches_beside_a_writer(factory: Factory) -> None:
    """Batches that run beside a writer find all that stays, while what is made of the same parts comes and goes."""
    index = factory("unknown")
    stays = 1000
    index.insert_many((number, _of_few_parts(number)) for number in range(stays))
    given_events = [{f"p{(event * step) % 97}": event % 3 for step in range(1, 9)} for event in range(300)]
    batch = encode_events(given_events)
    right = [(row, number) for row, event in enumerate(given_events) for number in index.match(event)]

    def match() -> None:
        found = index.match_batch(batch, threads=2)
        pairs = zip(*(column.to_pylist() for column in found.columns), strict=True)
        assert sorted(pair for pair in pairs if pair[1] < stays) == right, "a batch beside a writer found others"

    def count() -> None:
        assert sum(index.count_batch(batch).to_pylist()) >= len(right), "a batch beside a writer found fewer"

    def write(turn: int) -> None:
        index.insert(stays + turn, _of_few_parts(stays + turn))
        if turn % 3:
            index.delete(stays + turn)

    _beside(write, [match, count], 20)


def _of_few_parts(number: int) -> str:
    """Return an expression of parts that many others have."""
    first, second, third, fourth, fifth = [f"p{(number * step) % 97} = {number // step % 3}" for step in range(1, 6)]
    return f"({first} OR {second}) AND ({third} OR {fourth}) OR {fifth} AND ({first} OR {third})"


def _beside(write: Callable[[int], None], reads: list[Callable[[], None]], rounds: int) -> None:
    """Write for some turns, more if threads beside have not read for some rounds by then, but not for ever."""
    stop, usual = threading.Event(), sys.getswitchinterval()
    done = [0] * len(reads)

    def go_on(reader: int) -> None:
        while not stop.is_set():
            reads[reader]()
            done[reader] += 1

    sys.setswitchinterval(_OFTEN)
    try:
        with ThreadPoolExecutor(len(reads)) as pool:
            readers = [pool.submit(go_on, reader) for reader in range(len(reads))]
            try:
                for turn in range(10 * _TURNS):
                    write(turn)
                    if (turn >= _TURNS and min(done) >= rounds) or any(reader.done() for reader in readers):
                        break
            finally:
                stop.set()
    finally:
        sys.setswitchinterval(usual)
    for reader in readers:
        reader.result()


def check_a_search_that_raises_changes_nothing(factory: Factory) -> None:
    """A search that raises, wherever it raises, changes nothing later.

    It is interrupted at random moments, by a signal whose handler raises; and it fails at each allocation that it makes
    by way of Python, one after the other. The first can be tried in the main thread alone, and the second where Python
    has its own module for that.
    """
    index, searches = _searches(factory)
    right = [search() for search in searches]
    assert any(right[0])
    if threading.current_thread() is threading.main_thread():
        for number in range(len(searches)):
            _interrupt(searches[number], right[number])
            _assert_same(searches, right)
    if _testcapi is not None:
        for search in _bare_searches(index):
            _starve(search)
            _assert_same(searches, right)


def _assert_same(searches: list[Callable[[], object]], right: list[object]) -> None:
    assert [search() for search in searches] == right, "a search that raised has changed what later ones find"


def _searches(factory: Factory) -> tuple[Index, list[Callable[[], Any]]]:
    """Return an index, and every way to search it; strings that take long, since it is in these that Python runs."""
    index = factory("unknown")
    index.insert_many((number, _of_all_sorts(number), number % 7) for number in range(100))
    given_events = [_of_many_values(number) for number in range(40)]
    few, many = encode_events(given_events[:3]), encode_events(given_events)
    return index, [
        lambda: [index.match(event) for event in given_events[:6]],
        lambda: index.match_batch(few).to_pydict(),
        lambda: index.match_batch(many).to_pydict(),
        lambda: index.match_batch(many, threads=2).to_pydict(),
        lambda: index.count_batch(many).to_pylist(),
        lambda: index.top(given_events[0], 5),
        lambda: index.top_batch(many, 3).to_pydict(),
    ]


def _of_all_sorts(number: int) -> str:
    """Return an expression whose tests are found in all ways, and whose parts others have too."""
    few, some = number % 5, number % 23
    plain = f"(a >= {few} OR b = {some}^{few}) AND NOT c IN ({few}, {some}) AND (a < {some} OR missing IS NULL)"
    if number % 2:
        return plain
    return f"{plain} AND NOT s MATCHES 'x{some}.*z' OR b = {some} AND s MATCHES 'y{few}.*x' AND s ILIKE '%Y{few}%'"


def _of_many_values(number: int) -> dict[str, Any]:
    text = " ".join(f"x{(number * step) % 29}y{step}" for step in range(9))
    return {"a": number % 11, "b": [number % 23, number % 7], "c": number % 31, "s": [text, text[::-1]]}


class _Interrupt(BaseException):
    """What the handler of a signal raises."""


def _raise_interrupt(*_: object) -> None:
    raise _Interrupt


def _interrupt(search: Callable[[], object], right: object) -> None:
    """Interrupt a search at random moments of the time that it takes, and look after each time what it finds now."""
    chance, done = random.Random(0), 0  # noqa: S311 - moments, not secrets
    began = time.perf_counter()
    search()
    longest = 1.2 * (time.perf_counter() - began)
    before, unraisable = signal.signal(signal.SIGALRM, _raise_interrupt), sys.unraisablehook
    # Python itself runs code from which nothing can be raised, such as the callbacks of weak references.
    sys.unraisablehook = lambda lost: None if lost.exc_type is _Interrupt else unraisable(lost)
    try:
        for _ in range(20 * _INTERRUPTS):
            if _is_interrupted(search, chance.uniform(1e-6, longest)):
                done += 1
                _assert_same([search], [right])
            if done == _INTERRUPTS:
                break
    finally:
        sys.unraisablehook = unraisable
        signal.signal(signal.SIGALRM, before)
    assert done, "no search was interrupted"


def _is_interrupted(search: Callable[[], object], delay: float) -> bool:
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        search()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except _Interrupt:
        return True
    return False


def _bare_searches(index: Index) -> list[Callable[[], object]]:
    """Return searches of the engine itself, and without strings: other libraries have errors of their own for this."""
    engine = index._state.engine  # noqa: SLF001 - the contract is of engines
    plain = [{name: value for name, value in _of_many_values(row).items() if name != "s"} for row in range(5)]
    batch, several = encode_events(plain[:1]), encode_events(plain)
    return [
        lambda: engine.match(batch),
        lambda: engine.match(several),
        lambda: engine.count(several),
        lambda: engine.top(batch, 3, None),
    ]


def _starve(search: Callable[[], object]) -> None:
    """Let each allocation fail that a search makes, one at a time."""
    fed, number = 0, 0
    while fed < _FED:
        _testcapi.set_nomemory(number, number + 1)
        try:
            search()
            fed += 1
        except Exception:  # noqa: BLE001 - NumPy, short of memory, raises what comes of it
            fed = 0
        finally:
            _testcapi.remove_mem_hooks()
        number += 1


def _has_files(index: Index) -> bool:
    """Return whether an index can be saved; if not, it must say so before it writes anything."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        try:
            engine_restorer(index.engine)
            index.save(path)
        except Unsupported:
            _assert_raises(Unsupported, lambda: index.save(path))
            assert not list(path.parent.iterdir())
            return False
    return True


def check_files(factory: Factory) -> None:
    """An index that is saved and opened is the same index, also after changes; one without files says so."""
    engine = factory("unknown")
    if not _has_files(engine):
        return
    changes = st.lists(_changes(), max_size=12)

    @_property
    @given(st.sampled_from(_READINGS), changes, changes, st.lists(events(), min_size=1, max_size=3), event_weights())
    def check(
        missing: str,
        before: list[tuple[str, int, Any]],
        after: list[tuple[str, int, Any]],
        given_events: list[dict[str, Any]],
        weights: dict[str, Any],
    ) -> None:
        index = factory(missing)
        _apply(index, {}, before)
        first = _answers(index, given_events, weights)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "index")
            index.save(path)
            read, changed = open_index(path), open_index(path, "r+")
            assert (read.engine, read.missing, read.mode) == (index.engine, missing, "r")
            assert _answers(read, given_events, weights) == _answers(changed, given_events, weights) == first
            model = {str(id): index.expression(id) for id in index}
            _apply(index, dict(model), after)
            _apply(changed, model, after)
            assert _answers(changed, given_events, weights) == _answers(index, given_events, weights)
            _assert_raises(ReadOnly, read.clear)
            # Over the file that both are still mapped to.
            changed.save(path)
            assert _answers(open_index(path), given_events, weights) == _answers(index, given_events, weights)
            assert _answers(read, given_events, weights) == first

    check()


def _apply(index: Index, model: dict[str, Expression], changes: list[tuple[str, int, Any]]) -> None:
    for kind, number, expression in changes:
        _change(index, model, kind, f"rule-{number}", expression, number)


def _answers(index: Index, given_events: list[dict[str, Any]], weights: dict[str, Any]) -> list[object]:
    """Return all that an index can be asked; not ``stats``, since a file has no spare room."""
    matches = [index.match(event) for event in given_events]
    batch = index.match_batch(encode_events(given_events)).to_pydict()
    best = [index.top(event, 3, weights) for event in given_events]
    return [matches, batch, best, {id: index.expression(id) for id in index}]


CHECKS: tuple[Callable[[Factory], None], ...] = (
    check_matches_are_the_oracles,
    check_scores_are_the_oracles,
    check_changes_take_effect,
    check_much_churn_leaves_nothing,
    check_ids,
    check_bad_rows_are_reported,
    check_look_ups,
    check_readers_and_a_writer,
    check_batches_beside_a_writer,
    check_a_search_that_raises_changes_nothing,
    check_files,
)
"""The parts of the contract; each takes a factory and raises AssertionError."""
