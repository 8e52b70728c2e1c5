"""The versions that a process keeps open: the last two, each opened once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hedgerow import ruleset
from hedgerow.errors import MissingVersion
from hedgerow.ruleset import opened as module
from hedgerow.ruleset.opened import RuleSet, opened
from hedgerow.ruleset.place import Place
from tests.ruleset.places import EVENT, MATCHES, small


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without versions that other tests opened."""
    monkeypatch.setattr(module, "_OPENED", type(module._OPENED)())


def test_the_last_two_versions_stay_open(tmp_path: Path) -> None:
    """The one that was asked for least lately goes; failing to open one changes nothing."""
    small(tmp_path)
    ruleset.apply_changes(tmp_path, [("delete", 39)])
    one, two, three = (ruleset.open_rules(tmp_path, version).manifest for version in (1, 2, 3))
    module._OPENED.clear()
    first, second = opened(tmp_path, one), opened(str(tmp_path), two)
    assert opened(Place(tmp_path), one) is first
    third = opened(tmp_path, three)
    assert opened(tmp_path, one) is first
    assert opened(tmp_path, three) is third
    assert opened(tmp_path, two) is not second
    assert [rules.version for rules in module._OPENED.values()] == [3, 2]
    with pytest.raises(MissingVersion):
        opened(tmp_path / "elsewhere", one)
    assert [rules.version for rules in module._OPENED.values()] == [3, 2]


def test_a_version_without_rules_stays_open_too(tmp_path: Path) -> None:
    """It is nothing, but not None."""
    ruleset.build([], tmp_path)
    manifest = ruleset.open_rules(tmp_path).manifest
    assert opened(tmp_path, manifest) is opened(tmp_path, manifest)
    assert len(opened(tmp_path, manifest)) == 0


def test_threads_that_ask_at_once_get_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is opened once, and all of them match with it."""
    small(tmp_path)
    manifest = ruleset.open_rules(tmp_path).manifest
    begin, count = threading.Barrier(8), []

    class Counted(RuleSet):
        def __init__(self, *arguments: Any) -> None:
            count.append(1)
            super().__init__(*arguments)

    monkeypatch.setattr(module, "RuleSet", Counted)

    def ask(_: int) -> tuple[int, list[Any]]:
        begin.wait()
        rules = opened(tmp_path, manifest)
        return id(rules), sorted(rules.match(EVENT))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert count == [1]
    assert len({number for number, _ in found}) == 1
    assert all(matches == MATCHES for _, matches in found)


def test_who_has_a_version_open_does_not_wait_for_who_opens_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a large one takes a while; tasks that match with the other go on."""
    small(tmp_path)
    one, two = (ruleset.open_rules(tmp_path, version).manifest for version in (1, 2))
    first = opened(tmp_path, one)
    opening, go_on = threading.Event(), threading.Event()

    class Slow(RuleSet):
        def __init__(self, *arguments: Any) -> None:
            opening.set()
            go_on.wait(10)
            super().__init__(*arguments)

    monkeypatch.setattr(module, "RuleSet", Slow)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(opened, tmp_path, two)
        opening.wait(10)
        assert opened(tmp_path, one) is first
        assert not slow.done()
        go_on.set()
        assert slow.result().version == 2


def test_a_rule_set_that_was_built_anew_in_its_place_is_another(tmp_path: Path) -> None:
    """The same folder, version and shards, but other ids are hidden: that is not the version that is open."""
    ruleset.build([(1, "a"), (2, "a")], tmp_path)
    ruleset.apply_changes(tmp_path, [("delete", 1)])
    first = opened(tmp_path, ruleset.open_rules(tmp_path).manifest)
    (tmp_path / "versions" / "0000000002.json").unlink()
    ruleset.apply_changes(tmp_path, [("delete", 2)])
    second = opened(tmp_path, ruleset.open_rules(tmp_path).manifest)
    assert (first.match({"a": True}), second.match({"a": True})) == ([2], [1])
