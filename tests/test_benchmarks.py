"""The benchmarks run, verify what they measure, and print it; how fast they are is no matter of tests."""

from __future__ import annotations

import doctest
import re
from importlib import import_module

import pytest

import hedgerow as hr
from benchmarks import _common, _plain, parse
from tools import sources

SMALL = {
    "atree": ["--expressions", "300", "--events", "20", "--sample", "5", "--repeats", "1"],
    "files": ["--expressions", "300", "--repeats", "1"],
    "parse": ["--expressions", "120", "--repeats", "1"],
    "scan": ["--campaigns", "60", "--visits", "30", "--sample", "5", "--repeats", "1"],
}


def test_every_benchmark_is_tested() -> None:
    """A new benchmark needs a small size here."""
    files = {path.stem for path in (sources.ROOT / "benchmarks").glob("[a-z]*.py")}
    assert files == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_prints_its_arguments_a_table_and_that_it_verified(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output alone tells what was measured and how to measure it again."""
    import_module(f"benchmarks.{name}").main(SMALL[name])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"benchmarks.{name}: --")
    assert " ".join(SMALL[name][:2]) in lines[0]
    assert len([line for line in lines if re.search(r"  [\d,]+ +[\d,]+ +\d+\.\d$", line)]) >= 5
    assert lines[-1].startswith("verified: ")


def test_the_last_row_of_a_table_is_what_the_others_are_compared_with() -> None:
    """A ratio is a rate beside the last one's."""
    rows = [_common.Measured("fast", 1000, 0.5), _common.Measured("slow", 100, 0.2)]
    assert [line.split() for line in _common.table("things", rows)] == [
        [],
        ["things", "things/s", "ratio"],
        ["fast", "1,000", "2,000", "4.0"],
        ["slow", "100", "500", "1.0"],
        [],
    ]


def test_a_wrong_result_stops_the_parse_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark whose verification cannot fail verifies nothing."""
    texts = ["(a = 1 OR b = 2) AND c = 3", "(a = 1 OR b = 2) AND c > 3"]
    parse.verify(texts)
    with pytest.raises(AssertionError, match="5 predicates, not 6"):
        parse.verify([texts[0], "a = 1 AND c > 3"])
    monkeypatch.setattr(hr, "parse", lambda _: hr.Constant(True))
    with pytest.raises(AssertionError, match="c = 3"):
        parse.verify(texts)


def test_the_plain_parser_does_what_its_example_says() -> None:
    """The example of what to beat is tested here, since tests look for examples in the package only."""
    assert doctest.testmod(_plain) == (0, 3)


def test_a_bad_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes are whole numbers from 1 on."""
    with pytest.raises(SystemExit):
        parse.main(["--repeats", "0"])
    assert "--repeats: '0' is not a whole number from 1 on" in capsys.readouterr().err
