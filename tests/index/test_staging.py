"""Chunks that are parsed ahead: the same as one after the other, whatever is in them."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.index.rows import CHUNK_ROWS, Chunk, Texts, chunks
from hedgerow.index.staging import staged
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser

ROWS = 5 * CHUNK_ROWS + 7


def text_of(number: int) -> str | None:
    """Return an expression; some are none, and some are hard to parse or to hold."""
    if number % 997 == 3:
        return None
    if number % 499 == 5:
        return f"a = {number} AND"
    if number % 251 == 7:
        return f"größe_{number} = 'ß' OR `no word`  = 'it''s'"
    if number % 127 == 9:
        return f"a IN (1^2, {number}) AND seen > TIMESTAMP '2026-01-31T12:00:00Z' OR b LIKE 'x{number}%'"
    return f"(a = {number} OR b{number % 70} < {number}.5) AND NOT c{number % 9} = 'v{number}'"


def table() -> pa.Table:
    """Return rows of all kinds; some ids are taken."""
    ids = [number if number % 1999 else 0 for number in range(ROWS)]
    return pa.table({"id": ids, "expression": pa.array([text_of(number) for number in range(ROWS)], pa.string())})


Bad = tuple[int, str, str]


def outcome(rows: object) -> tuple[int, list[Bad], list[object]]:
    """Return what inserting reports, and what is then there."""
    index = hr.Index()
    report = index.insert_many(rows)
    bad = [(one.row, type(one.error).__name__, str(one.error)) for one in report.rejected]
    return report.inserted, bad, [list(index), index.expression(8), index.match({"a": 3000, "b1": 2, "c3": "x"})]


def test_a_table_comes_out_as_rows_do() -> None:
    """Rows of Python objects are parsed one chunk after the other."""
    given = table()
    rows = list(zip(given["id"].to_pylist(), given["expression"].to_pylist(), strict=True))
    inserted, bad, there = outcome(given)
    expected, expected_bad, expected_there = outcome(rows)
    assert (inserted, there) == (expected, expected_there)
    assert len(bad) > ROWS // 499
    # What None is depends on where it comes from.
    assert [one[0] for one in bad] == [one[0] for one in expected_bad]
    assert [one for one in bad if text_of(one[0])] == [one for one in expected_bad if text_of(one[0])]


def test_no_thread_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none is to be had, chunks are parsed one after the other."""
    expected = outcome(table())

    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refused)
    assert outcome(table()) == expected


def test_work_that_is_refused_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """When Python ends, what other threads insert goes on."""
    expected, submit, calls = outcome(table()), ThreadPoolExecutor.submit, itertools.count()

    def refused(pool: ThreadPoolExecutor, work: Callable[[], object]) -> Future[object]:
        if next(calls) >= 3:
            raise RuntimeError("cannot schedule new futures after shutdown")
        return submit(pool, work)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refused)
    assert outcome(table()) == expected


def test_a_graph_is_that_of_its_chunk_until_the_next_is_asked_for() -> None:
    """Though the one after it is parsed meanwhile."""
    for stage in staged(chunks(table())):
        good = [row for row in range(len(stage.chunk)) if row not in stage.errors]
        for row in (good[0], good[-1]):
            assert stage.graph.expression(stage.nodes[row]) == hr.parse(str(stage.chunk.said(row)))


def test_what_comes_before_an_error_is_not_lost() -> None:
    """Neither a chunk that is inserted nor the one that waits for it."""
    given = list(chunks(table()))

    def failing() -> Iterator[Chunk]:
        yield from given[:3]
        raise OSError("the disk is gone")

    found: list[Chunk] = []
    with pytest.raises(OSError, match="the disk is gone"):
        found.extend(stage.chunk for stage in staged(failing()))
    assert [id(chunk) for chunk in found] == [id(chunk) for chunk in given[:3]]


def test_who_stops_leaves_no_thread() -> None:
    """A generator that is closed waits for what it has begun."""
    before = threading.active_count()
    stages = staged(chunks(table()))
    next(stages)
    assert threading.active_count() == before + 1
    stages.close()
    assert threading.active_count() == before


def test_texts_are_parsed_while_others_hold_the_gil() -> None:
    """Else nothing would be gained."""
    plain = [f"a{number % 50} = {number} AND (b < {number} OR c != 7)" for number in range(500)]
    texts, graph = Texts(pa.array(plain, pa.large_string())), Graph()
    parser = Parser(graph)
    Texts(pa.array(plain, pa.large_string())).parse(parser)  # for its room
    graph.clear()
    begun = threading.Event()

    def parse() -> None:
        begun.set()
        texts.parse(parser)

    thread, usual = threading.Thread(target=parse), sys.getswitchinterval()
    sys.setswitchinterval(1000.0)  # nobody is asked to hand the GIL over
    try:
        thread.start()
        begun.wait()
        sum(range(10_000_000))  # some tenths of a second
        assert graph.node_count == 4 * 500 + 1
    finally:
        sys.setswitchinterval(usual)
        thread.join()


def test_predicates_that_an_index_has_are_found_ahead() -> None:
    """Those that it had when a chunk was begun, which is before the one before it is inserted."""
    index, rows = hr.Index(), 4 * CHUNK_ROWS
    texts = [f"(a = {number % 50} OR b{number % 70} < 9.5) AND c = 'v{number % 11}'" for number in range(rows)]
    for first, expected in ((0, [None, 0, 131, 131]), (rows, [None, 131, 131, 131])):
        given = pa.table({"id": range(first, first + rows), "expression": texts})
        found: list[int | None] = []
        for stage in staged(chunks(given), index._seen):
            ahead = stage.graph.foreseen
            found.append(None if ahead is None else len(ahead.known()))
            assert index._insert_staged(stage) == {}
        assert found == expected


@pytest.mark.parametrize("taken", (False, True), ids=("all new", "all taken"))
def test_nothing_keeps_what_was_found_ahead(taken: bool) -> None:
    """Neither when rows are inserted nor when none is: the arrays of an index would stay with it."""
    index, rows = hr.Index(), 3 * CHUNK_ROWS
    given = pa.table({"id": range(rows), "expression": ["a = 1 OR b < 9.5"] * rows})
    if taken:
        index.insert_many(given)
    graphs = []
    for stage in staged(chunks(given), index._seen):
        assert len(index._insert_staged(stage)) == (len(stage.chunk) if taken else 0)
        graphs.append(stage.graph)
    assert [graph.foreseen for graph in graphs] == [None] * 3
    stages = staged(chunks(given), index._seen)
    next(stages)
    graph = next(stages).graph
    assert graph.foreseen is not None
    stages.close()
    assert graph.foreseen is None


def test_an_index_that_is_made_anew_between_two_chunks() -> None:
    """What was found in the one before is of no use in it, and does no harm."""
    index, rows = hr.Index(), 6 * CHUNK_ROWS
    texts = [f"(a = {number % 50} OR b{number % 70} < 9.5) AND c = 'v{number % 11}'" for number in range(rows)]
    given = pa.table({"id": range(rows), "expression": texts})
    before: list[int] = []
    engines = set()
    for stage in staged(chunks(given), index._seen):
        index._insert_staged(stage)
        engines.add(id(index._state.engine))
        for one in before:
            index.delete(one)
        before = [one for one in stage.chunk.ids if isinstance(one, int) and one % 8]
    assert len(engines) > 1  # it was compacted
    for one in before:
        index.delete(one)
    event = {"a": 8, "b4": 1, "c": "v3"}
    expected = [number for number in range(0, rows, 8) if hr.evaluate(hr.parse(texts[number]), event) is True]
    assert index.match(event) == expected
    assert len(expected) > 2


def test_tables_from_two_threads() -> None:
    """Each finds ahead what it can of what the other one brings."""
    index, rows = hr.Index(), 4 * CHUNK_ROWS
    texts = [
        f"(a = {number % 997} OR b{number % 70} < {number % 31}.5) AND c != {number % 5}" for number in range(rows)
    ]

    def insert(first: int) -> None:
        index.insert_many(pa.table({"id": range(first, first + rows), "expression": texts}))

    threads = [threading.Thread(target=insert, args=(turn * rows,)) for turn in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    event = {"a": 13, "b3": 1, "b4": 30, "c": 3}
    expected = [number for number in range(rows) if hr.evaluate(hr.parse(texts[number]), event) is True]
    assert sorted(index.match(event)) == sorted([*expected, *(number + rows for number in expected)])
    assert index.stats().predicates == len({*(f"a{number % 997}" for number in range(rows))}) + 70 * 31 + 5
