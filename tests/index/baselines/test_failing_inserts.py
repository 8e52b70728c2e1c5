"""Inserts that fail, wherever they can: what they have begun by then is not taken for another."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

import hedgerow as hr
from hedgerow.index.api import Options
from hedgerow.testing import _testcapi
from tools import sources

COUNT = 14  # so few that the nodes of the graph need no more room: where they do, each failure doubles what they have

CASES: tuple[tuple[str, Options | None], ...] = (
    ("app", None),
    ("bdd", None),
    ("betree", hr.BETreeOptions(capacity=2, least=1)),
    ("bop", None),
    ("counting", None),
    ("dewey", None),
    ("dewey", hr.LabelOptions(leaves="literals")),
    ("gryphon", None),
    ("gryphon", hr.GryphonOptions(form="intervals")),
    ("interval", None),
    ("interval", hr.LabelOptions(leaves="literals")),
    ("opindex", None),
    ("opindex", hr.OpIndexOptions(tail=0)),
    ("propagation", None),
    ("pscan", None),
    ("translation", None),
)


@pytest.mark.skipif(_testcapi is None, reason="this Python has nothing to make allocations fail with")
@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{engine} {options}" for engine, options in CASES])
def test_an_insert_that_fails_leaves_nothing(number: int) -> None:
    """Each allocation of each insert fails, one after the other, until it is done.

    In a process of its own: memory fails in all threads, and who runs tests side by side has one that must not.
    """
    program = f"from {__name__} import CASES, fail; fail(*CASES[{number}])"
    done = subprocess.run(  # noqa: S603 - it is this file
        [sys.executable, "-c", program], cwd=sources.ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def fail(engine: str, options: Options | None) -> None:
    """Let each insert fail at each allocation, and see what is found afterwards."""
    index = hr.Index(engine, options=options)
    failed = 0
    for number in range(COUNT):
        tests = f"b > {number} AND c NOT IN ({number}, -1) AND d < {number % 5} AND e IN (1, {number}, 99)"
        expression = hr.parse(f"a = {number % 2} AND {tests}")
        for allocation in itertools.count():
            _testcapi.set_nomemory(allocation, allocation + 1)
            try:
                index.insert(number, expression)
                break
            except Exception:  # noqa: BLE001 - NumPy, short of memory, raises what comes of it
                failed += 1
            finally:
                _testcapi.remove_mem_hooks()
    assert failed > index.stats().expressions
    for half in range(2):
        found = index.match({"a": half, "b": 1000, "c": 1000, "d": 0, "e": 1})
        assert found == [number for number in range(COUNT) if number % 2 == half and number % 5]
