"""What an A-Tree says about itself: levels, sharing, bytes by part, visits."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.report import IndexStats, LevelStats
from tools import sources

FIGURE_4 = ("(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)", "(p5 OR p6) AND (p7 OR p8)")
PARTS = (
    "ids",
    "symbols",
    "predicates",
    "finder",
    "nodes",
    "operands",
    "links",
    "reach",
    "contents",
    "scratch",
    "slots",
    "plan",
)


def index_of(*expressions: str) -> hr.Index:
    """Return an A-Tree with these expressions, numbered from 0."""
    index = hr.Index("atree")
    assert not index.insert_many(enumerate(expressions)).rejected
    return index


def counts(index: hr.Index) -> list[tuple[int, int]]:
    """Return nodes and occurrences of each level, from the predicates up."""
    levels = index.stats().levels
    assert [level.level for level in levels] == list(range(1, len(levels) + 1))
    return [(level.nodes, level.occurrences) for level in levels]


def test_figure_4_has_three_levels_and_shares_one_part() -> None:
    """Eight predicates, of which p5 and p6 occur twice, since (p5 OR p6) does; two expressions on top."""
    index = index_of(*FIGURE_4)
    assert counts(index) == [(8, 10), (3, 4), (2, 2)]
    assert [level.sharing for level in index.stats().levels] == [10 / 8, 4 / 3, 1.0]


def test_sharing_is_what_a_workload_was_made_with() -> None:
    """A hundred expressions over ten pairs of twenty predicates, and each of them five times."""
    pairs = [f"(a{number} = 1 OR b{number} = 1)" for number in range(10)]
    expressions = [f"{pairs[number % 10]} AND c = {number % 20}" for number in range(100)]
    assert counts(index_of(*expressions)) == [(20 + 20, 300), (10, 100), (20, 100)]


def test_a_part_that_occurs_twice_within_one_expression_counts_twice() -> None:
    """(a OR b) stands in two places, which the sharing ratio of the paper counts."""
    index = index_of("((a OR b) AND c) OR ((a OR b) AND d)")
    assert counts(index) == [(4, 6), (1, 2), (2, 2), (1, 1)]


def test_negated_predicates_and_constants_are_counted_as_they_are_held() -> None:
    """NOT p is a literal of its own; TRUE and FALSE are on no level."""
    assert counts(index_of("p", "NOT p", "TRUE", "FALSE")) == [(2, 2)]
    assert counts(index_of("TRUE", "FALSE")) == []
    assert counts(hr.Index("atree")) == []


def test_deleted_expressions_do_not_count() -> None:
    """What only they used is gone from every level."""
    index = index_of(*FIGURE_4)
    index.delete(0)
    assert counts(index) == [(4, 4), (2, 2), (1, 1)]
    index.delete(1)
    assert counts(index) == []


def test_without_uniqueness_nothing_is_shared() -> None:
    """The switch of the paper's Figure 9."""
    index = hr.Index("atree", options=hr.ATreeOptions(uniqueness=False))
    for number, expression in enumerate(FIGURE_4):
        index.insert(number, expression)
    assert {level.sharing for level in index.stats().levels} == {1.0}


def test_occurrences_that_grow_exponentially_do_not_overflow() -> None:
    """A hundred levels, each of which has the one below it twice: 2^100 occurrences are too many to count."""
    part: hr.Expression = hr.parse("a = 0")
    for number in range(100):
        part = hr.And(
            hr.Or(part, hr.parse(f"b = {number}")),
            hr.Or(part, hr.parse(f"c = {number}")),
        )
    index = hr.Index("atree")
    index.insert(1, part)
    levels = index.stats().levels
    assert max(level.occurrences for level in levels) == 1 << 62
    assert levels[-1].occurrences == 1


def test_a_level_for_each_nesting() -> None:
    """Many levels are told one by one, and printed up to a number."""
    stats = index_of("(a = 1 AND (b = 2 OR " * 50 + "c = 3" + "))" * 50).stats()
    assert len(stats.levels) == 101
    assert "... and 89 more levels" in str(stats)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_parts_add_up(rows: list[tuple[int, int, int]]) -> None:
    """Bytes are the sum of the parts, and nodes and roots are what was inserted."""
    stats = index_of(*[f"(a = {a} OR b = {b}) AND c = {c}" for a, b, c in rows]).stats()
    assert stats.bytes == sum(stats.parts.values())
    assert tuple(stats.parts) == PARTS
    assert stats.levels[0].occurrences == 3 * len(rows)
    assert stats.levels[2] == LevelStats(3, len(set(rows)), len(rows))


def test_the_scan_has_parts_and_no_levels() -> None:
    """Its parts add up too."""
    index = hr.Index("scan")
    index.insert(1, "a = 1 AND b = 2")
    stats = index.stats()
    assert tuple(stats.parts) == ("ids", "symbols", "predicates", "nodes", "slots")
    assert (stats.bytes, stats.levels, stats.visits) == (sum(stats.parts.values()), (), None)


def test_a_batch_leaves_a_plan_and_asking_leaves_nothing() -> None:
    """The plan of a batch is held and counted; one that only stats wanted is not kept."""
    index = index_of(*FIGURE_4)
    assert index.stats().parts["plan"] == index.stats().parts["plan"] == 0
    index.count_batch([{"p1": True}] * 100)
    assert index.stats().parts["plan"] > 0
    assert counts(index) == [(8, 10), (3, 4), (2, 2)]


def test_visits_are_those_of_the_last_match() -> None:
    """An event that leads nowhere visits no more than what always holds; a batch adds up what its events satisfy."""
    index = index_of(*FIGURE_4)
    assert index.stats().visits is None
    index.match({"nothing": 1})
    nowhere = index.stats().visits
    index.match({"p4": True, "p5": True})
    somewhere = index.stats().visits
    assert nowhere is not None
    assert somewhere is not None
    assert nowhere <= 1 < somewhere <= 13
    index.match({"nothing": 1})
    assert index.stats().visits == nowhere
    index.match_batch([{"p4": True}] * 100)
    batch = index.stats().visits
    assert batch is not None
    assert 100 <= batch <= 1300


def test_stats_are_printed_as_tables() -> None:
    """A summary, levels and parts."""
    text = str(index_of(*FIGURE_4).stats()).splitlines()
    assert text[0].startswith("atree: 2 expressions, 8 predicates, ")
    assert text[2:6] == [
        "level  nodes  occurrences  sharing",
        "    1      8           10     1.25",
        "    2      3            4     1.33",
        "    3      2            2     1.00",
    ]
    assert [line.split()[0] for line in text[7:]] == ["part", *PARTS]


def test_stats_can_be_compared_and_hashed() -> None:
    """They are values; the parts, a dict, are left out of the hash."""
    one, same = (IndexStats("scan", 1, 1, 10, {"ids": 10}) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != IndexStats("scan", 1, 1, 10, {"nodes": 10})


_GROWTH = """
import json
from benchmarks._build import measured, parameters_of
print(json.dumps(measured(parameters_of("mixed", {count}))._asdict()))
"""


@pytest.mark.skipif(sources.checked(), reason="takes long with all checks, and counts the same")
def test_bytes_are_what_becomes_resident() -> None:
    """Within a tenth of what 400,000 expressions add to the process, where malloc gives back what it is given back.

    By itself glibc keeps room of arrays that were replaced, for later, and may hand it out as spare room of others;
    and NumPy asks for large pages, which are resident as a whole.
    """
    command = [sys.executable, "-c", _GROWTH.format(count=400_000)]
    plain = {"MALLOC_MMAP_THRESHOLD_": "131072", "NUMPY_MADVISE_HUGEPAGE": "0"}
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(  # noqa: S603 - our own
        command, stdout=subprocess.PIPE, check=True, cwd=sources.ROOT, env={**os.environ, **plain, **path}
    )
    built = json.loads(done.stdout)
    assert built["counted"] == pytest.approx(built["resident"], rel=0.1)
