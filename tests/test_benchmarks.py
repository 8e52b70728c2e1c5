"""The benchmarks run, verify what they measure, and print it; how fast they are is no matter of tests."""

from __future__ import annotations

import argparse
import contextlib
import doctest
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from benchmarks import (
    _build,
    _common,
    _engines,
    _engines_saved,
    _engines_verified,
    _engines_workloads,
    _naive,
    _plain,
    _routing,
    _textbook,
    _workers,
    atree,
    engines,
    parse,
    spark,
)
from hedgerow.spark import MatchMetrics
from hedgerow.workload.abe import RELATIONS, AbeParameters, abe_events, abe_expression_batches
from tests.effort import is_deep
from tools import sources

SMALL = {
    "ablation": ["--campaigns", "60", "--visits", "20", "--expressions", "80", "--events", "20", "--repeats", "1"],
    "atree": ["--expressions", "300", "--events", "60", "--sample", "5", "--pairs", "800", "--repeats", "1", "--full"],
    "engines": ["--expressions", "150", "--events", "8", "--sample", "20", "--turns", "1", "--growth", "--floors"],
    "files": ["--expressions", "300", "--repeats", "1"],
    "lists": ["--elements", "200", "--rules", "40", "--text", "3000", "--repeats", "1"],
    "parse": ["--expressions", "120", "--repeats", "1"],
    "rules": [
        *("--expressions", "200", "--events", "4", "--seen", "3", "--sample", "20", "--turns", "1"),
        *("--builds", "1", "--engines", "scan,atree", "--floors"),
        *("--only", "exchange-20k,logs-5k"),
    ],
    "top": ["--expressions", "500", "--events", "5", "--repeats", "1"],
    "spark": [
        *("--events", "400", "--rules", "100", "--sample", "40", "--naive", "10"),
        *("--routed", "60", "--looked", "9", "--repeats", "1"),
    ],
    "shift": ["--expressions", "600", "--events", "10", "--turns", "1"],
    "scan": ["--campaigns", "60", "--visits", "30", "--sample", "5", "--repeats", "1"],
}


def test_every_benchmark_is_tested() -> None:
    """A new benchmark needs a small size here."""
    files = {path.stem for path in (sources.ROOT / "benchmarks").glob("[a-z]*.py")}
    assert files == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_prints_its_arguments_a_table_and_that_it_verified(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output alone tells what was measured and how to measure it again."""
    monkeypatch.setattr(atree, "built_apart", built_apart_once())
    if name == "spark":
        if not is_deep():
            pytest.skip("a session of its own takes twenty seconds: make deep")
        lines = printed_apart(name).splitlines()
    else:
        import_module(f"benchmarks.{name}").main(SMALL[name])
        lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"benchmarks.{name}: --")
    assert " ".join(SMALL[name][:2]) in lines[0]
    assert len([line for line in lines if re.search(r"(  [\d,]+ +[\d,]+ +\d+\.\d|ratio [\d,.]+.*)$", line)]) >= 5
    assert lines[-1].startswith("verified: ")


def printed_apart(name: str) -> str:
    """Return what a benchmark prints in a process of its own: Spark's threads would stay, and meet what tests do."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *SMALL[name]]
    done = subprocess.run(command, cwd=sources.ROOT, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - ours
    return done.stdout


def built_apart_once() -> Callable[[str, int], _build.Built]:
    """Return what builds in a process of its own the first time, and after that here: the same, but for its figures."""
    ways = itertools.chain([_build.built_apart], itertools.repeat(built_here))

    def built(shape: str, expressions: int) -> _build.Built:
        return next(ways)(shape, expressions)

    return built


def built_here(shape: str, expressions: int) -> _build.Built:
    """Build in this process."""
    return _build.measured(_build.parameters_of(shape, expressions))


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


def test_a_line_says_what_is_asked_and_whether_it_is_so() -> None:
    """A floor may be from above or from below; a line without one passes no judgement."""
    most, least = _common.Floor(0.5), _common.Floor(20_000, least=True)
    assert _common.line("match", "0.4", most, 0.4).split() == ["match", "0.4", "at", "most", "0.5", "ok"]
    assert _common.line("match", "0.6", most, 0.6).endswith("at most 0.5       MISSED")
    assert _common.line("pairs", "2", least, 20_000).endswith("at least 20,000   ok")
    assert _common.line("pairs", "2", least, 19_999).endswith("at least 20,000   MISSED")
    assert _common.line("count", "7").split() == ["count", "7"]


def test_every_run_that_is_measured_is_checked() -> None:
    """The check gets each result."""
    results, seen = iter("abc"), list[str]()
    assert _common.best_of(3, lambda: next(results), seen.append) < 1
    assert seen == ["a", "b", "c"]


SMALL_ABE = AbeParameters(
    expressions=500, operators=(60, 40, 0, 0, 0), pool=100, dimensions=12, cardinality=9, event_size=5
)


def textbook_of(parameters: AbeParameters) -> _textbook.Textbook:
    """Return the textbook A-Tree of a workload."""
    textbook = _textbook.Textbook(parameters)
    for batch in abe_expression_batches(parameters, 170):
        textbook.add(batch["expression"].slice(0, 3))
        textbook.add(batch["expression"].slice(3))
    textbook.finish()
    return textbook


@pytest.mark.parametrize("relations", (("=",), RELATIONS), ids=["equality", "mixed"])
@pytest.mark.parametrize(("depth", "children"), ((1, 1), (2, 3), (3, 2), (3, 4), (5, 2)))
@pytest.mark.parametrize("seed", (1, 2))
def test_the_textbook_matches_what_the_scan_matches(
    relations: tuple[str, ...], depth: int, children: int, seed: int
) -> None:
    """What others are compared with must itself be right: the same ids, whatever the trees."""
    parameters = replace(SMALL_ABE, relations=relations, depth=depth, children=children, seed=seed)
    textbook, scan, events = textbook_of(parameters), hr.Index("scan"), list(abe_events(parameters, 100))
    for batch in abe_expression_batches(parameters):
        scan.insert_many(batch, progress=False)
    found = [scan.match(event) for event in events]
    assert any(found)
    assert [textbook.match(event) for event in events] == found
    assert textbook.counts(_textbook.textbook_events(events)).tolist() == list(map(len, found))


def test_the_textbook_has_equal_parts_once() -> None:
    """The order of operands makes no difference; an AND in an AND stays a node of its own."""
    textbook = _textbook.Textbook(SMALL_ABE)
    textbook.add(pa.array(["(a1 = 1 OR a2 < 3) AND a3 > 4", "a3 > 4 AND (a2 < 3 OR a1 = 1)", "a2 <= 2 OR a1 = 1"]))
    assert (textbook.literals, textbook.nodes) == (3, 2)
    textbook.add(pa.array(["(a1 = 1 AND a2 < 3) AND a3 > 4"]))
    textbook.finish()
    assert (textbook.literals, textbook.nodes) == (3, 4)
    assert textbook.match({"a1": 1, "a2": 2, "a3": 5}) == [0, 1, 2, 3]
    assert textbook.match({"a2": 2, "a3": 5}) == [0, 1, 2]
    assert textbook.match({"a2": 3, "a3": 5}) == []


@pytest.mark.parametrize(
    "text", ("a1 = 1 AND a2 = 2 OR a3 = 3", "NOT a1 = 1", "a1 = x", "a12 = 1", "a1 = 9", "(a1 = 1", "a1 = 1 ", "")
)
def test_the_textbook_refuses_what_the_generator_does_not_write(text: str) -> None:
    """It is a yardstick, not a second index."""
    with pytest.raises(ValueError, match=re.escape(f"the textbook cannot read {text!r}")):
        _textbook.Textbook(SMALL_ABE).add(pa.array(["a1 = 1", text]))


def test_the_textbook_says_that_it_needs_a_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a C++ compiler, or with one that fails, the error says so."""
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setenv("CXX", "no-such-compiler -g")
    with pytest.raises(RuntimeError, match="needs a C\\+\\+ compiler, and there is no 'no-such-compiler': set CXX"):
        _textbook._compiled()
    monkeypatch.setenv("CXX", "c++ --no-such-option")
    with pytest.raises(RuntimeError, match=r"does not compile:\n.*no-such-option"):
        _textbook._compiled()
    assert not list((tmp_path / "build").iterdir())


def test_a_wrong_result_stops_the_atree_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts are compared with the textbook's, and so is what a match after a change finds."""
    subject = atree.prepared("mixed", 200, 30, 10, 1)
    atree.batches(subject)
    with monkeypatch.context() as patch:
        patch.setattr(hr.Index, "count_batch", lambda _, events: pa.array([1] * len(events)))
        with pytest.raises(AssertionError, match="count_batch: not as many"):
            atree.batches(subject)
    monkeypatch.setattr(hr.Index, "delete", lambda _index, _id: None)
    with pytest.raises(AssertionError, match="right after a delete"):
        atree.churn(subject, 100)


def few_of(name: str, *names: str) -> list[_engines.Subject]:
    """Return engines that hold the first rows of a workload, whose ids 57 and 60 have large DNF if it is the CNF."""
    workload = next(one for one in _engines_workloads.WORKLOADS if one.name == name)
    source = _engines.made(workload, 70, 6)
    return [_engines.subject_of(engine, source, growth=False) for engine in names]


def test_an_expression_that_an_engine_refuses_is_told_and_judged_by_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The table counts it, a line says why, and the run goes on."""
    size = ["--expressions", "70", "--events", "6", "--sample", "70", "--turns", "1"]
    engines.main([*size, "--only", "contracts-cnf", "--engines", "counting,atree"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("--only contracts-cnf --engines counting,atree")
    refused = {line.split()[0]: line.split()[6] for line in lines if re.match("  (counting|atree) +6 ", line)}
    assert refused == {"counting": "2", "atree": "0"}
    assert any(line.startswith("  counting refused 2; the first, id 57: a DNF of more than") for line in lines)


COLUMNS = {
    "events": "{events:,}",
    "build": "{build_us_per_predicate:,.2f}",
    "cpu": "{build_cpu_us_per_predicate:,.2f}",
    "bytes": "{bytes_per_expression:,.0f}",
    "refused": "{refused:,}",
    "match": "{match_us:,.1f}",
    "batch": "{match_batch_us:,.1f}",
    "count": "{count_batch_us:,.1f}",
    "visits": "{visits:,.0f}",
    "matches": "{matches:,.0f}",
}


def test_the_figures_of_engines_are_saved_as_they_are_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each figure of the table stands in the JSON, and in it no name of a folder."""
    size = ["--expressions", "70", "--events", "6", "--sample", "7", "--turns", "1", "--save", str(tmp_path / "new")]
    engines.main([*size, "--only", "contracts-cnf", "--engines", "counting,atree,scan"])
    lines = capsys.readouterr().out.splitlines()
    (path,) = (tmp_path / "new").iterdir()
    text = path.read_text(encoding="utf-8")
    told = json.loads(text)
    assert path.name == "contracts-cnf.json"
    assert text == json.dumps(told, indent=2, sort_keys=True) + "\n"
    assert not [folder for folder in (tmp_path, sources.ROOT, Path.home()) if f"{folder}/" in text]
    assert told["arguments"] == {"expressions": 70, "events": 6, "sample": 7, "turns": 1}
    assert f"70 expressions of {told['predicates_per_expression']:.2f} predicates" in "".join(lines)
    assert told["matches_per_event"] == told["engines"]["atree"]["matches"]
    rows = {line.split()[0]: line.split() for line in lines if re.match(r"  (counting|atree|scan) +6 ", line)}
    assert rows.keys() == told["engines"].keys()
    for name, cells in rows.items():
        printed = {head: number_of(cell) for head, cell in zip(engines.HEADS, cells, strict=True) if head in COLUMNS}
        saved = {head: number_of(form.format(**told["engines"][name])) for head, form in COLUMNS.items()}
        assert saved == pytest.approx(printed, rel=0.02, abs=0.011)  # rounded twice, and so by one in the last digit


def number_of(cell: str) -> float:
    """Return what a cell of a table says."""
    return float(cell.replace(",", ""))


def test_facts_of_a_machine_that_cannot_be_known_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the system does not tell, or there is no Git or no checkout, the benchmark goes on."""
    facts = _engines_saved.machine_facts()
    assert facts.keys() == {"cores", "processor", "l3_kib", "python", "commit"}
    assert int(facts["cores"] or 0) >= 1
    monkeypatch.setattr(_engines_saved, "PROCESSOR", tmp_path / "none")
    monkeypatch.setattr(_engines_saved, "CACHES", tmp_path / "none")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    unknown = _engines_saved.machine_facts()
    assert {name for name, fact in unknown.items() if fact is None} == {"processor", "l3_kib", "commit"}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _engines_saved.commit() is None


def test_what_one_engine_refuses_is_compared_between_the_others() -> None:
    """Only ids that no engine has judged yet are taken as they come."""
    both, one, none = np.array([1, 2]), np.array([1]), np.array([], np.int64)
    agreed = _engines_verified.Agreed()
    assert agreed.compare("a", [one, none], np.array([2])) == 1
    assert agreed.compare("b", [both], none) == 2
    assert agreed.compare("c", [np.array([2])], np.array([1])) == 1
    with pytest.raises(AssertionError, match="d differs from others on event 0"):
        agreed.compare("d", [one], none)


def test_a_wrong_result_stops_the_benchmark_of_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way, each engine and the best matches are compared."""
    subjects = few_of("contracts-dnf-rare", "kindex", "scan")
    _engines_verified.verified(subjects, 70)
    with monkeypatch.context() as patch:
        patch.setattr(hr.Index, "count_batch", lambda _, events: pa.array([1] * len(events)))
        with pytest.raises(AssertionError, match="kindex: count_batch finds others"):
            _engines_verified.verified(subjects, 70)
    with monkeypatch.context() as patch:
        patch.setattr(hr, "evaluate", lambda *_: True)
        with pytest.raises(AssertionError, match="kindex differs from the oracle on event 0"):
            _engines_verified.verified(subjects, 70)
    with monkeypatch.context() as patch:
        patch.setattr(hr, "score", lambda *_: 0.5)
        with pytest.raises(AssertionError, match="kindex: top finds others"):
            _engines_verified.verified(subjects, 70)
    subjects[1].index.delete(subjects[0].index.match(next(matched_by(subjects[0])))[0])
    with pytest.raises(AssertionError, match="scan differs from"):
        _engines_verified.verified(subjects, 1)


def matched_by(subject: _engines.Subject) -> Iterator[dict[str, int]]:
    """Yield the events that match something."""
    return (event for event in subject.events if subject.index.match(event))


def test_the_engines_of_a_workload_are_its_own_unless_it_is_chosen() -> None:
    """Without a choice of workload nobody wants each engine on each of them; the scan is always the last one."""
    workload = replace(_engines_workloads.WORKLOADS[0], engines=("scan", "atree", "to-come"))
    assert _engines.engines_of(workload, [], only=False) == ["atree", "scan"]
    assert _engines.engines_of(workload, ["kindex", "scan"], only=False) == ["scan"]
    assert _engines.engines_of(workload, ["kindex", "scan", "kindex"], only=True) == ["kindex", "scan"]


@pytest.mark.parametrize("name", ("begen-uniform", "begen-zipf"))
def test_the_workloads_of_the_be_tree_paper_count_their_predicates(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The attribute stands once in each."""
    source = few_of(name, "scan")[0].given
    texts = [text for batch in source.batches for text in batch["expression"].to_pylist()]
    assert source.predicates == sum(len(re.findall(r"a\d+ (?:[<>!=]|IN|NOT|BETWEEN)", text)) for text in texts)
    engines.main(["--expressions", "400", "--events", "3", "--sample", "9", "--turns", "1", "--only", name])
    assert re.search(
        rf"{name}: 400 expressions of [67]\.\d\d predicates, an event matches 1\.", capsys.readouterr().out
    )


def test_a_floor_of_an_engine_that_was_left_out_is_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """It is neither kept nor missed."""
    size = ["--expressions", "70", "--events", "3", "--sample", "9", "--turns", "1"]
    engines.main([*size, "--floors", "--only", "contracts-dnf", "--engines", "kindex"])
    assert re.search(
        r"kindex: match, times as fast +not measured beside counting$", capsys.readouterr().out, re.MULTILINE
    )


def test_another_error_than_a_limit_stops_the_benchmark_of_engines() -> None:
    """A row that nobody can take is a bug of the workload."""
    rows = pa.record_batch({"id": [1, 2], "expression": ["a = 1", "a = "]})
    with pytest.raises(AssertionError, match="scan: row 1, id 2: "):
        _engines.built("scan", [rows])


def test_an_unknown_engine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Names between commas are names that there are."""
    with pytest.raises(SystemExit):
        engines.main(["--engines", "scan,oak"])
    assert "--engines: 'oak' is none of app, " in capsys.readouterr().err


def test_a_wrong_result_stops_the_parse_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark whose verification cannot fail verifies nothing."""
    texts = ["(a = 1 OR b = 2) AND c = 3", "(a = 1 OR b = 2) AND c > 3"]
    parse.verify(texts)
    with pytest.raises(AssertionError, match="5 predicates, not 6"):
        parse.verify([texts[0], "a = 1 AND c > 3"])
    monkeypatch.setattr(hr, "parse", lambda _: hr.Constant(True))
    with pytest.raises(AssertionError, match="c = 3"):
        parse.verify(texts)


def test_other_counts_on_spark_stop_the_spark_benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The job must find as many matches as ``match_batch`` does here."""
    subject = spark.Subject(Mock(), tmp_path, [], argparse.Namespace(events=5, rules=2))
    for name in ("handing_back", "matching"):
        monkeypatch.setattr(spark, name, lambda _: 1.0)
    for name in ("warm_up", "most_of_new"):
        monkeypatch.setattr(spark, name, lambda _: None)
    monkeypatch.setattr(spark, "other_workers", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(spark, "matching_observed", lambda _: (1.0, MatchMetrics(5, 8, 0, 5, 1.0, 1.0)))
    monkeypatch.setattr(spark, "in_process", lambda _: (1.0, 8))
    assert spark.job(subject)[1] == 8
    monkeypatch.setattr(spark, "in_process", lambda _: (1.0, 7))
    with pytest.raises(AssertionError, match="8 matches on Spark, 7 in this process"):
        spark.job(subject)


def test_layouts_of_shards_that_differ_stop_the_spark_benchmark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However rules are spread, there are as many matches."""
    assert len(list(_routing.routed(tmp_path, 30, 5, 1))) == 9
    numbers = iter(range(9))
    one = _routing.Routed("", "", 1.0, 1.0, 1, 0)
    monkeypatch.setattr(_routing, "_measured", lambda *_: one._replace(matches=next(numbers)))
    with pytest.raises(AssertionError, match="differ in how many matches"):
        list(_routing.routed(tmp_path, 30, 5, 1))


@pytest.mark.parametrize(
    ("text", "sql"),
    (
        ("n != 1 AND NOT n <= 2.5", "(NOT (`n` = 1) AND (NOT (`n` <= 2.5D)))"),
        ("s WEAK NOT IN ('it''s', 'b')", "NOT coalesce((`s` IN ('it\\'s', 'b')), false)"),
        ("s NOT LIKE '%\\%' XNOR s MATCHES 'a$'", "(NOT (`s` LIKE '%\\\\%') = (`s` RLIKE 'a$'))"),
        ("s ALL OF ('a', 'b') OR TRUE", "((`s` = 'a' AND `s` = 'b') OR true)"),
        ("tags NONE OF ('a', 'b')", "NOT arrays_overlap(`tags`, array('a', 'b'))"),
        ("tags ALL OF ('a')", "forall(array('a'), value -> array_contains(`tags`, value))"),
        ("tags IS NOT EMPTY", "NOT (cardinality(`tags`) = 0)"),
        ("tags BETWEEN 'a' AND 'b'", "exists(`tags`, x -> (x BETWEEN 'a' AND 'b'))"),
        ("user.vip", "(`user`.`vip` = true)"),
        ("user.tags ENDS WITH 'x'", "exists(`user`.`tags`, x -> endswith(x, 'x'))"),
        ("seen.me IS NULL", "(try_element_at(`seen`, 'me') IS NULL)"),
        ("`a.b` > TIMESTAMP '2026-01-31T12:00:00+01:00'", "(`a.b` > TIMESTAMP_LTZ '2026-01-31T11:00:00+00:00')"),
    ),
)
def test_an_expression_is_written_in_sql(text: str, sql: str) -> None:
    """What the index is compared with on Spark must mean the same: negatives are null where the attribute is."""
    words = pa.list_(pa.string())
    schema = pa.schema(
        {
            "n": pa.int64(),
            "s": pa.string(),
            "tags": words,
            "user": pa.struct({"vip": pa.bool_(), "tags": words}),
            "seen": pa.map_(pa.string(), pa.int64()),
            "a.b": pa.timestamp("us", "UTC"),
        }
    )
    assert _naive.sql_of(hr.parse(text), schema) == sql


def test_what_a_process_holds_is_told() -> None:
    """What it has written to is its own, and its share of all is at least that."""
    held = _workers.held(os.getpid())
    assert 1e6 < held.dirty <= held.private <= held.proportional
    assert _workers.most([held, _workers.Held(0, 1 << 60, 0)]) == (held.proportional, 1 << 60, held.dirty)
    assert re.fullmatch(r"PSS [\d,.]+ MB, private [\d,.]+, written [\d,.]+", str(held))


@pytest.mark.parametrize(("module", "examples"), ((_plain, 3), (_naive, 2)))
def test_what_to_beat_does_what_its_examples_say(module: ModuleType, examples: int) -> None:
    """These examples are tested here, since tests look for examples in the package only."""
    assert doctest.testmod(module) == (0, examples)


def test_a_bad_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes are whole numbers from 1 on."""
    with pytest.raises(SystemExit):
        parse.main(["--repeats", "0"])
    assert "--repeats: '0' is not a whole number from 1 on" in capsys.readouterr().err
