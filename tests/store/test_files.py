"""An index that is opened is the index that was saved."""

from __future__ import annotations

import pickle
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import testing
from hedgerow.index import engine as engines
from hedgerow.index.scan_cy import ScanEngine
from hedgerow.store import container, files

FIXTURES = Path(__file__).parent / "fixtures"
WEIGHTS = st.sampled_from([0.0, 0.5, -3.0])
IDS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=4),
    st.lists(st.text(st.characters(codec="utf-8"), max_size=5), unique=True, max_size=4),
)


def some_index(engine: str = "scan", missing: str = "unknown") -> hr.Index:
    """Return an index that has something in every section."""
    index = hr.Index(engine, missing=missing)
    index.insert("a", "age BETWEEN 18 AND 24 AND state IN ('CA'^3, 'NY')", weight=2.5)
    index.insert("gone", "age > 3")
    index.insert("b", "name ILIKE 'Gr_ß%' OR name MATCHES '^x+$' OR NOT vip")
    index.insert("é", "tags ANY OF ('x', 'y') AND at >= TIMESTAMP '2026-01-31T12:00:00Z' AND score < 0.5")
    index.delete("gone")
    return index


def answers(index: hr.Index) -> list[object]:
    """Return what an index says on a few events."""
    events: list[dict[str, Any]] = [{}, {"age": 20, "state": "CA", "vip": False}, {"name": "GRÖSSE", "vip": True}]
    events += [{"name": "xxx"}, {"name": "grüßE"}, {"name": "y", "vip": True, "age": 4}]
    matches = [index.match(event) for event in events]
    return [matches, [index.top(event, 2) for event in events], {id: str(index.expression(id)) for id in index}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file of ``some_index``."""
    some_index().save(tmp_path / "index")
    return tmp_path / "index"


@settings(max_examples=40)
@given(st.sampled_from(["unknown", "false"]), IDS, st.data())
def test_a_round_trip_changes_nothing(missing: str, ids: list[Any], data: st.DataObject) -> None:
    """Whatever the ids, expressions and weights, and whatever was deleted; before and after further changes."""
    with tempfile.TemporaryDirectory() as folder:
        check_round_trip(Path(folder, "index"), missing, ids, data)


def check_round_trip(path: Path, missing: str, ids: list[Any], data: st.DataObject) -> None:
    """Save what is drawn, and compare."""
    index = hr.Index(missing=missing)
    for id in ids:
        index.insert(id, data.draw(testing.expressions(3)), data.draw(WEIGHTS))
    for id in data.draw(st.sets(st.sampled_from(ids))) if ids else ():
        index.delete(id)
    index.save(path)
    read, opened = hr.open(path), hr.open(path, mode="r+")
    event = data.draw(testing.events())
    for other in (read, opened):
        assert (other.missing, list(other), len(other)) == (missing, list(index), len(index))
        assert other.match(event) == index.match(event)
        assert other.top(event, 9) == index.top(event, 9)
        assert other.match_batch([event]).equals(index.match_batch([event]))
        assert [other.expression(id) for id in other] == [index.expression(id) for id in index]
    for id in ids:
        expression = data.draw(testing.expressions(3))
        for changing in (index, opened):
            (changing.update if id in changing else changing.insert)(id, expression)
    assert (list(opened), opened.match(event)) == (list(index), index.match(event))
    assert read.match(event) == hr.open(path).match(event)


@pytest.mark.parametrize("mode", ("r", "r+"))
@pytest.mark.parametrize("verify", (True, False))
@pytest.mark.parametrize("missing", ("unknown", "false"))
def test_an_index_with_something_everywhere_comes_back(tmp_path: Path, mode: str, missing: str, verify: bool) -> None:
    """In each mode, verified or not, in each reading."""
    index = some_index(missing=missing)
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", mode, verify=verify)
    assert answers(opened) == answers(index)
    assert (opened.mode, opened.missing, opened.engine) == (mode, missing, "scan")


def test_an_empty_index_comes_back(tmp_path: Path) -> None:
    """The next id decides whether ids are integers or strings, unless one decided before."""
    for before in ((), ("x",)):
        index = hr.Index()
        for id in before:
            index.insert(id, "a = 1")
            index.delete(id)
        index.save(tmp_path / "index")
        opened = hr.open(tmp_path / "index", "r+")
        assert (len(opened), list(opened), opened.match({"a": 1})) == (0, [], [])
        assert opened.match_batch([{"a": 1}]).num_rows == 0
        if before:
            with pytest.raises(hr.InvalidId):
                opened.insert(1, "a = 1")
        else:
            opened.insert(1, "a = 1")
            assert opened.match({"a": 1}) == [1]


@pytest.mark.parametrize("engine", ("atree", "scan"))
def test_expressions_that_never_match_come_back(tmp_path: Path, engine: str) -> None:
    """Also where they are the last of many, or the first in an index that was opened empty."""
    path = tmp_path / "rules"
    hr.Index(engine).save(path)
    for count in (1, 16, 17, 40):
        index = hr.open(path, mode="r+")
        index.insert_many((f"{count}-{number}", "FALSE") for number in range(count))
        index.save(path)
    opened = hr.open(path)
    assert len(opened) == 1 + 16 + 17 + 40
    assert opened.match({"a": 1}) == []
    assert opened.expression("40-39") == hr.parse("FALSE")


def test_an_index_grows_on_after_it_was_opened(tmp_path: Path) -> None:
    """Thousands of inserts, updates and deletes, through every growth and a compaction, and saved again."""
    index = hr.Index()
    index.insert_many((f"rule-{number}", f"a = {number % 50} AND b = {number}") for number in range(3000))
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    for changing in (index, opened):
        changing.insert_many((f"new-{number}", f"a = {number % 50} OR c = 'x{number}'") for number in range(3000))
        for number in range(2900):
            changing.delete(f"rule-{number}")
            changing.update(f"new-{number}", f"c = 'x{number}'")
    opened.save(tmp_path / "index")
    for event in ({"a": 7, "b": 2957}, {"c": "x12"}, {"a": 49, "b": 2999, "c": "x2999"}):
        assert hr.open(tmp_path / "index").match(event) == opened.match(event) == index.match(event)


def test_reading_changes_nothing_and_says_so(path: Path) -> None:
    """Each way of changing raises ReadOnly, which says what to do; the rest goes on."""
    opened, before = hr.open(path), path.read_bytes()
    first = answers(opened)
    changes: tuple[Callable[[], object], ...] = (
        lambda: opened.insert("new", "a = 1"),
        lambda: opened.insert("a", "no expression"),
        lambda: opened.insert_many([("new", "a = 1")]),
        lambda: opened.update("a", "a = 1"),
        lambda: opened.delete("a"),
        lambda: opened.delete("unknown"),
        opened.clear,
    )
    for change in changes:
        with pytest.raises(hr.ReadOnly, match=re.escape("hedgerow.open(path, mode='r+')")):
            change()
    assert answers(opened) == first
    assert path.read_bytes() == before
    assert repr(opened) == "<Index engine='scan' missing='unknown' mode='r', expressions: 3>"
    assert issubclass(hr.ReadOnly, hr.Unsupported)


def test_changes_stay_in_the_process_until_they_are_saved(path: Path) -> None:
    """Not even a change within a page reaches the file, or another opening."""
    before = path.read_bytes()
    opened, other = hr.open(path, "r+"), hr.open(path)
    opened.delete("a")
    opened.insert("new", "TRUE")
    assert "a" in other
    assert path.read_bytes() == before
    assert repr(opened) == "<Index engine='scan' missing='unknown', expressions: 3>"
    opened.save(path)
    assert list(hr.open(path)) == ["b", "é", "new"]
    assert list(other) == ["a", "b", "é"]


def test_an_index_that_is_read_can_be_saved_elsewhere(path: Path, tmp_path: Path) -> None:
    """And over its own file, and the file may go while it is open."""
    opened = hr.open(path)
    first = answers(opened)
    opened.save(tmp_path / "other")
    opened.save(path)
    assert answers(hr.open(tmp_path / "other")) == answers(hr.open(path)) == answers(opened) == first
    path.unlink()
    assert answers(opened) == first


def test_saving_twice_writes_the_same(path: Path, tmp_path: Path) -> None:
    """What was opened is saved as it was."""
    hr.open(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("mode", ("w", "a", "rb", "", "R", None, 1, "r+b", ["r"]))
def test_other_modes_are_refused(path: Path, mode: Any) -> None:
    """Also where there is no file."""
    for there in (path, path.with_name("nowhere")):
        with pytest.raises(hr.KindError, match="a mode is 'r', to read, or 'r\\+'"):
            hr.open(there, mode)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """It is a FileError and a FileNotFoundError."""
    with pytest.raises(FileNotFoundError, match="nowhere: there is no such file") as caught:
        hr.open(tmp_path / "nowhere")
    assert isinstance(caught.value, hr.FileError)
    assert isinstance(caught.value.__cause__, OSError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_engine_without_files_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written, and when a file of it is opened."""
    monkeypatch.setattr(engines, "_FACTORIES", dict(engines._FACTORIES))
    monkeypatch.setattr(engines, "_RESTORERS", dict(engines._RESTORERS))
    engines.register_engine("mine", ScanEngine, ScanEngine.restored)
    some_index("mine").save(tmp_path / "index")
    engines.register_engine("mine", ScanEngine)
    with pytest.raises(hr.Unsupported, match=r"the engine 'mine' has no files; those of .*scan"):
        hr.Index("mine").save(tmp_path / "other")
    assert not (tmp_path / "other").exists()
    with pytest.raises(hr.UnknownVersion, match="index: the engine 'mine' has no files"):
        hr.open(tmp_path / "index")
    del engines._FACTORIES["mine"]
    with pytest.raises(hr.UnknownVersion, match=r"index: no engine is called 'mine'.* import the module"):
        hr.open(tmp_path / "index")


def test_damage_in_every_section_is_found(path: Path, tmp_path: Path) -> None:
    """A flipped bit at the start, in the middle and at the end of each section, and in what fills it up."""
    whole, read, other = bytearray(path.read_bytes()), container.read_container(path), tmp_path / "other"
    base = min(array.ctypes.data for array in read.arrays.values() if array.size)
    first = whole.index(read.arrays["engine.graph.names.heap"].tobytes())
    assert len(read.arrays) > 40
    for array in read.arrays.values():
        start = first + array.ctypes.data - base
        places = {start, start + array.nbytes // 2, start + array.nbytes - 1} if array.nbytes else set()
        for place in places | {-(-(start + array.nbytes) // 64) * 64 - 1}:
            whole[place] ^= 0x10
            other.write_bytes(whole)
            with pytest.raises(hr.CorruptFile):
                hr.open(other, "r+")
            whole[place] ^= 0x10
        for length in (start, start + array.nbytes // 2, start + array.nbytes):
            if length < len(whole):
                other.write_bytes(whole[:length])
                with pytest.raises(hr.CorruptFile):
                    hr.open(other, verify=False)


def test_arrays_that_do_not_fit_each_other_are_refused(path: Path, tmp_path: Path) -> None:
    """A file that is whole but lacks a section, or has one of another type or size, never reaches compiled code."""
    read, other = container.read_container(path), tmp_path / "other"
    for name, array in read.arrays.items():
        changed: list[dict[str, Any]] = [
            {key: value for key, value in read.arrays.items() if key != name},
            read.arrays | {name: array.astype(np.float32)},
            read.arrays | {name: np.concatenate([array, array[:1], np.zeros(1, array.dtype)])},
        ]
        for arrays in changed:
            container.write_container(other, read.header, arrays)
            with pytest.raises(hr.CorruptFile, match="other: the section"):
                hr.open(other)


def test_a_header_without_an_index_is_refused(path: Path) -> None:
    """A container of something else is no index."""
    read = container.read_container(path)
    for header in ({}, {"engine": "scan"}, {"engine": 1, "missing": "false"}, {"engine": "scan", "missing": "no"}):
        container.write_container(path, header, read.arrays)
        with pytest.raises(hr.CorruptFile, match="does not tell of an index"):
            hr.open(path)


def test_operators_that_are_not_known_are_of_a_newer_version(path: Path) -> None:
    """A newer hedgerow may have saved operators that this one could not test."""
    read = container.read_container(path)
    read.arrays["engine.graph.predicate_operator"][0] = 60
    container.write_container(path, read.header, read.arrays)
    with pytest.raises(hr.UnknownVersion, match="index: there are operators that this version"):
        hr.open(path)


def test_a_file_of_an_older_version_is_brought_to_this_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer hedgerow reads version 1 by way of its upgrades, one after the other."""

    def upgrade(old: container.Container) -> container.Container:
        return old._replace(version=old.version + 1, header=old.header | {"missing": "false"})

    first = answers(hr.open(path))
    newest = container.VERSION + 1
    monkeypatch.setattr(files, "VERSION", newest)
    monkeypatch.setattr(files, "_UPGRADES", dict.fromkeys(range(1, newest), upgrade))
    assert hr.open(path).missing == "false"
    monkeypatch.setattr(files, "_UPGRADES", {container.VERSION: lambda old: old._replace(version=newest)})
    assert answers(hr.open(path)) == first


def test_what_version_2_left_out_is_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It had no bits of literals, and no room for the last expressions if these never match."""
    index, path = hr.Index(), tmp_path / "index"
    index.insert_many((number, f"a = {number % 5} AND (b = {number} OR c < 3)") for number in range(10))
    index.insert_many((number, "FALSE") for number in range(10, 30))
    index.save(path)
    new = container.read_container(path, verify=True)
    kinds, pushed = new.arrays["engine.tree.kind"], new.arrays["engine.tree.pushed"].copy()
    literals = np.flatnonzero(kinds == 3)
    np.bitwise_and.at(pushed, literals >> 6, ~(np.uint64(1) << (literals & 63).astype(np.uint64)))
    assert (pushed != new.arrays["engine.tree.pushed"]).any()
    old = {"engine.tree.pushed": pushed, "engine.slot_back": new.arrays["engine.slot_back"][:16]}
    with monkeypatch.context() as patched:
        patched.setattr(container, "VERSION", 2)
        container.write_container(path, new.header, dict(new.arrays) | old)
    opened = hr.open(path, "r+")
    assert len(opened) == 30
    for event in ({"a": 3, "b": 8}, {"a": 4, "c": 1}, {"b": 2}):
        assert opened.match(event) == index.match(event)
    opened.save(path)
    again = container.read_container(path, verify=True)
    assert again.version == container.VERSION
    assert (again.arrays["engine.tree.pushed"] == new.arrays["engine.tree.pushed"]).all()
    assert len(again.arrays["engine.slot_back"]) == 30


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.hedgerow")))
def test_a_stored_file_of_each_version_opens(name: str, tmp_path: Path) -> None:
    """Files that were once written by this project open for ever: they are never written anew."""
    shutil.copy(FIXTURES / name, tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    for mode in ("r", "r+"):
        assert answers(hr.open(tmp_path / "index", mode)) == answers(some_index(opened.engine))
    opened.insert("new", "age BETWEEN 18 AND 24")
    assert opened.match({"age": 20}) == ["new"]


def test_there_is_a_stored_file_of_every_version() -> None:
    """A new version comes with a new file of each engine."""
    assert {path.name for path in FIXTURES.iterdir()} == {
        f"version-{n}{engine}.hedgerow" for n in range(1, 1 + container.VERSION) for engine in ("", "-atree")
    }


def test_readers_match_beside_a_save(tmp_path: Path) -> None:
    """Neither waits for the other, and writers come after."""
    index = hr.Index()
    index.insert_many((number, f"a = {number % 10}") for number in range(5000))
    stop, seen = threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            seen.append(len(index.match({"a": 1})))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(5):
        index.save(tmp_path / "index")
        index.insert(10_000 + number, "a = 2")
        assert len(hr.open(tmp_path / "index")) == 5000 + number
    stop.set()
    reader.join()
    assert set(seen) == {500}
