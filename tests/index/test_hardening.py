"""What must not break an index: refused expressions, odd ids, interrupts, threads and callers who come back in."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from tests.effort import engines_of_each_make

ENGINES = engines_of_each_make()


@pytest.fixture
def _quick_switches() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_expression_refused_late_leaves_nothing_that_a_match_could_trip_over(engine: str) -> None:
    """What only its simplified form makes too large is refused, and the next commit publishes nothing of it."""
    part: hr.Expression = hr.attr("a0").eq(0, weight=1.0)
    parts = []
    for number in range(1, 6000):
        part = hr.And(part, hr.attr(f"a{number}") == number)
        parts.append(part)
    index = hr.Index(engine)
    index.insert_many([(0, "b = 1"), (1, "b = 1")])
    with pytest.raises(hr.LimitError):
        index.insert(2, hr.Or(*parts))
    index.delete(0)
    assert index.match({"b": 1, "a5": 5}) == [1]
    index.insert(2, "a5 = 5")
    assert index.match({"b": 1, "a5": 5}) == [1, 2]


class Colour(StrEnum):
    """Text that is a class of its own."""

    RULE = "a = 1"


def test_odd_ids_weights_and_texts_are_rows_like_any_others() -> None:
    """Whatever a row holds, it is taken or reported, and the rows around it are there."""
    odd: list[tuple[Any, ...]] = [
        (10**5000, "a = 1"),
        (np.array([1, 2]), "a = 1"),
        (int, "a = 1"),
        (Shy(), "a = 1"),
        (2, "a = 1", 10**400),
        (3, "a = 1", "heavy"),
        (4, b"a = 1"),
    ]
    index = hr.Index()
    report = index.insert_many([(0, "a = 1"), *odd, (np.int64(8), Colour.RULE, np.float32(0.5)), (9, np.str_("a = 1"))])
    assert [bad.row for bad in report.rejected] == list(range(1, 8))
    assert index.match({"a": 1}) == [0, 8, 9]
    for id_ in (10**5000, np.array([1, 2]), int, Shy()):
        assert id_ not in index
        with pytest.raises(hr.UnknownId):
            index.delete(id_)  # type: ignore[arg-type]
    assert len(index.top({"a": 1}, 10**30)) == 3


class Shy:
    """An id that will not be one, nor show itself."""

    def __index__(self) -> int:
        """Refuse."""
        raise RuntimeError

    def __repr__(self) -> str:
        """Refuse."""
        raise RuntimeError


def test_tables_of_other_kinds_are_read_or_refused() -> None:
    """A single Arrow array interface is enough; doubled or unreadable columns are named."""
    rules = pa.record_batch({"id": [1], "expression": ["a = 1"]})
    index = hr.Index()
    assert index.insert_many(OnlyArray(rules)).inserted == 1
    doubled = pa.table([[1], ["a"], [1.0], [2.0]], ["id", "expression", "weight", "weight"])
    with pytest.raises(hr.SchemaError, match="more than one column 'weight'"):
        index.insert_many(doubled)
    broken = pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff"))
    with pytest.raises(hr.SchemaError, match="'id' cannot be read"):
        index.insert_many(pa.table({"id": broken, "expression": ["a"]}))


class OnlyArray:
    """An object that has nothing but Arrow's array interface."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        """Hold a batch."""
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Pass it on."""
        return self.batch.__arrow_c_array__(requested_schema)


class Meddler:
    """An id whose number is worked out by changing the index."""

    def __init__(self, index: hr.Index) -> None:
        """Know the index."""
        self.index = index

    def __index__(self) -> int:
        """Insert something else first."""
        self.index.insert(50, "x = 50")
        return 1


def test_code_that_runs_inside_a_change_cannot_mix_itself_in() -> None:
    """An id's own code runs before the change begins; a handler that comes during one is refused."""
    index = hr.Index()
    report = index.insert_many([(0, "a = 0"), (Meddler(index), "a = 1"), (2, "a = 2")])
    assert report.inserted == 3
    assert {id_: str(index.expression(id_)) for id_ in index} == {50: "x = 50", 0: "a = 0", 1: "a = 1", 2: "a = 2"}


@pytest.mark.parametrize("engine", ENGINES)
def test_interrupts_leave_every_insert_whole_or_undone(engine: str) -> None:
    """Exceptions from a timer, at any moment of many inserts and updates, never leave half of one."""
    index = hr.Index(engine)
    interrupted = 0

    armed = False

    def interrupt(*_: object) -> None:
        if armed:  # else it came between two changes, and must not end the test
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in range(3000):
            try:
                armed = True
                if number % 10 == 0:
                    signal.setitimer(signal.ITIMER_REAL, 0.0001)
                index.insert(number, f"a = {number} AND b{number} = 1")
                index.update(number, f"a = {number}")
                armed = False
            except KeyboardInterrupt:
                armed = False
                interrupted += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted
    for number in range(0, 3000, 7):
        expected = [number] if number in index else []
        assert index.match({"a": number, f"b{number}": 1}) == expected
    index.insert(10**6, "c = 1")
    assert len(index.match({"c": 1})) == 1


@pytest.mark.usefixtures("_quick_switches")
def test_an_update_never_hides_its_id() -> None:
    """Readers find an id at every moment while it is updated."""
    index = hr.Index()
    index.insert_many((f"id-{number}", "a = 1") for number in range(50))
    missed: list[str] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            missed.extend(f"id-{number}" for number in range(50) if f"id-{number}" not in index)

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for turn in range(3000):
        index.update(f"id-{turn % 50}", f"a = {turn}")
    stop.set()
    for reader in readers:
        reader.join()
    assert not missed


@pytest.mark.usefixtures("_quick_switches")
def test_look_ups_beside_inserts_of_long_ids_are_safe() -> None:
    """A look-up between the steps of an insert does not change what the insert writes."""
    stop = threading.Event()
    index = hr.Index()

    def look() -> None:
        while not stop.is_set():
            assert "x" not in index

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    long = [f"{number}" * 20_000 for number in range(10, 60)]
    for number, id_ in enumerate(long):
        index.insert(f"short-{number}", "a = 1")
        index.insert(id_, "a = 1")
    stop.set()
    for reader in readers:
        reader.join()
    assert [id_ for id_ in index if not id_.startswith("short")] == long  # type: ignore[union-attr]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("_quick_switches")
def test_one_batch_sees_one_state_while_a_writer_goes_on(engine: str) -> None:
    """Equal events of one batch have equal matches, whatever is inserted meanwhile."""
    index = hr.Index(engine)
    index.insert_many((number, f"a = 1 OR b = {number}") for number in range(20))
    events = hr.events([{"a": 1}] * 40)
    stop = threading.Event()

    def write() -> None:
        number = 100
        while not stop.is_set() and number < 20_000:
            index.insert(number, f"a = 1 OR b = {number % 7}")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            assert len(set(index.count_batch(events).to_pylist())) == 1
    finally:
        stop.set()
        writer.join()


def test_compaction_keeps_the_kind_of_ids_and_gives_memory_back() -> None:
    """After everything was deleted the ids are of the same kind, and little is held."""
    index = hr.Index()
    index.insert_many((number, f"a = {number}") for number in range(5000))
    held = index.stats().bytes
    for number in range(5000):
        index.delete(number)
    assert index.stats().bytes < held / 5
    with pytest.raises(hr.InvalidId):
        index.insert("text", "a")


def test_equal_values_with_other_weights_are_told_apart_quickly() -> None:
    """Predicates that differ in their weight alone do not all hash alike: 20,000 of them are loaded at once."""
    index = hr.Index()
    report = index.insert_many((number, f"state = 'CA'^{number + 1}") for number in range(20_000))
    assert report.inserted == 20_000
    assert index.top({"state": "CA"}, 1) == [hr.Scored(19_999, 20_000.0)]


def test_a_long_wrong_word_is_refused_without_ado() -> None:
    """A megabyte where a keyword should stand gets a short message."""
    with pytest.raises(hr.ParseError) as caught:
        hr.parse("a " + "x" * 1_000_000)
    assert len(str(caught.value)) < 300


@pytest.mark.usefixtures("_quick_switches")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", (int, str))
def test_ids_are_listed_as_they_are_at_one_moment(engine: str, form: type) -> None:
    """A writer moves a window of ids along: whoever lists them sees a window, and no error of another library."""
    index, width, stop = hr.Index(engine), 50, threading.Event()
    index.insert_many([(form(number), "a = 1") for number in range(width)])
    failures: list[object] = []

    def read() -> None:
        while not stop.is_set():
            try:
                seen = [int(id_) for id_ in index]
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure
                failures.append(error)
                return
            if seen != list(range(seen[0], seen[0] + len(seen))) or not width <= len(seen) <= width + 1:
                failures.append(seen)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(width, width + 6000):
        index.insert(form(number), "a = 1")
        index.delete(form(number - width))
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_process_that_forks_beside_a_writer_has_an_index_that_works(engine: str) -> None:
    """Of a change in another thread the child has all or nothing, and it takes changes."""
    index, stop = hr.Index(engine), threading.Event()
    other = hr.Index(engine)
    index.insert(0, "a = 1")

    def write() -> None:
        number = 1
        while not stop.is_set():
            index.insert_many([(number, "a = 1"), (number + 1, "a = 1")])
            number += 2

    writer = threading.Thread(target=write)
    writer.start()
    try:
        codes = [_code_of_child(index, other) for _ in range(20)]
    finally:
        stop.set()
        writer.join()
    assert codes == [0] * 20
    index.insert(-1, "a = 1")
    assert len(index.match({"a": 1})) == len(index)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_waits_for_a_change_to_end() -> None:
    """A lock that another thread holds would be held in the child for ever."""
    index, other, begun = hr.Index(), hr.Index(), threading.Event()
    index.insert(0, "a = 1")

    def change() -> None:
        with index._lock:
            begun.set()
            time.sleep(0.2)

    writer = threading.Thread(target=change)
    writer.start()
    begun.wait()
    assert _code_of_child(index, other) == 0
    writer.join()


def _code_of_child(index: hr.Index, other: hr.Index) -> int:
    """Fork; return 0 if the child could match and change what it has, and what it has is whole."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        signal.alarm(10)  # which ends a child that waits for a lock
        before = len(index)
        whole = before % 2 == 1 and len(index.match({"a": 1})) == before
        index.insert(-1, "a = 1")
        other.insert(-1, "a = 1")
        code = 0 if whole and len(index.match({"a": 1})) == before + 1 and len(list(index)) == before + 1 else 2
    finally:
        os._exit(code)
