"""``hedgerow stream``: rows as events come, against the rules as they are then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

import pytest

import hedgerow as hr
from hedgerow import ruleset
from hedgerow.cli import stream
from hedgerow.cli.stream import line_batches
from hedgerow.workload.exchange import campaigns, visits
from tests.cli.samples import complaint, facts, quietly, read, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = (sys.executable, "-m", "hedgerow.cli.main", "stream", "--events", "-", "--out", "-")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a rule set of two rules."""
    ruleset.build([("adult", "age >= 18"), ("vip", "vip", 2.5)], tmp_path / "rules")
    return tmp_path / "rules"


@contextmanager
def piped() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Yield the two ends of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        yield source, sink


@contextmanager
def running(rules: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run the stream as a program of its own, until the block ends at the latest."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(  # noqa: S603 - ours
        [*COMMAND, "--rules", str(rules), *options], stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for end in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):  # what was written and never read
                assert end is not None
                end.close()


def told(process: subprocess.Popen[str], line: str) -> dict[str, object]:
    """Give an event to a stream and return the row that comes."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    row: dict[str, object] = json.loads(process.stdout.readline())
    return row


def test_a_file_is_read_to_its_end(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each match, with the version."""
    events, out = tmp_path / "events.jsonl", tmp_path / "out.jsonl"
    events.write_text('{"age": 20, "vip": true}\n\n{"age": 3}\n{"age": 30}')
    words = ("stream", "--rules", rules, "--events", events, "--out", out)
    assert run(*words) == 0
    assert read(out) == [
        {"event": 0, "rule_id": "adult", "version": 1},
        {"event": 0, "rule_id": "vip", "version": 1},
        {"event": 2, "rule_id": "adult", "version": 1},
    ]
    assert capsys.readouterr() == ("3 events, 0 bad, 3 matches\n", "")
    assert run(*words, "--json") == 0
    assert facts(capsys) == {"events": 3, "bad": 0, "matches": 3, "version": 1, "out": str(out)}
    assert len(read(out)) == 6  # a file that is there is added to


def test_keys_the_best_and_all_events(rules: Path, tmp_path: Path) -> None:
    """The options of a match."""
    events, out = tmp_path / "events.jsonl", tmp_path / "out.jsonl"
    events.write_text('{"user": {"id": 7}, "age": 20, "vip": true}\n{"user": {"id": [8]}, "age": 3}\n')
    quietly(
        "stream", "--rules", rules, "--events", events, "--out", out, "--key", "user.id", "--top", 1, "--how", "left"
    )
    assert read(out) == [
        {"user.id": 7, "rule_id": "vip", "score": 2.5, "version": 1},
        {"user.id": [8], "version": 1},
    ]


def test_rows_go_to_standard_output_and_words_elsewhere(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What reads the rows reads nothing else."""
    events = tmp_path / "events.jsonl"
    events.write_text('{"age": 20}\n')
    words = ("stream", "--rules", rules, "--events", events, "--out", "-")
    assert run(*words) == 0
    assert capsys.readouterr() == (
        '{"event": 0, "rule_id": "adult", "version": 1}\n',
        "1 event, 0 bad, 1 match\n",
    )
    quietly(*words)
    assert capsys.readouterr().err == ""


def test_what_is_no_event_is_reported_and_left_out(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One bad line does not end a stream; events keep their numbers."""
    events = tmp_path / "events.jsonl"
    huge = "9" * 20
    events.write_text(f'{{"age": 20}}\n{{"age"\n[]\n\n{{"age": {huge}, "vip": true}}\n{{"other": {huge}, "age": 40}}\n')
    assert run("stream", "--rules", rules, "--events", events, "--out", "-", "--quiet") == 0
    output, error = capsys.readouterr()
    assert [json.loads(line)["event"] for line in output.splitlines()] == [0, 4]
    assert [line.removeprefix(f"hedgerow stream: {events}: ") for line in error.splitlines()] == [
        "line 2: not JSON: Expecting ':' delimiter at column 7",
        "line 3: a list, where an object is wanted",
        "line 5: attribute 'age': an integer beyond 64 bits",
    ]


def test_it_finds_what_the_library_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the lines are cut into batches."""
    monkeypatch.setattr(stream, "_LINES", 30)
    monkeypatch.setattr(stream, "_CHUNK", 999)
    some = list(campaigns(200))
    ruleset.build(some, tmp_path / "rules", shards=2, partition="attribute")
    lines = [json.dumps(event, default=str) for event in visits(200)]
    events, out = tmp_path / "events.jsonl", tmp_path / "out.jsonl"
    events.write_text("\n".join(lines))
    quietly("stream", "--rules", tmp_path / "rules", "--events", events, "--out", out)
    index = hr.Index()
    index.insert_many(some)
    found = sorted((int(str(row["event"])), str(row["rule_id"])) for row in read(out))
    assert found == [
        (number, id) for number, line in enumerate(lines) for id in sorted(map(str, index.match(json.loads(line))))
    ]


def test_a_batch_ends_when_it_is_full_or_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is not kept waiting for others."""
    monkeypatch.setattr(stream, "_LINES", 3)
    with piped() as (source, sink):
        batches = line_batches(source)
        sink.write(b"1\n2\n3\n4\n5\nhal")
        assert next(batches) == [b"1", b"2", b"3"]
        assert next(batches) == [b"4", b"5"]
        sink.write(b"f\n\n")
        assert next(batches) == [b"half", b""]
        sink.write(b"last")
        sink.close()
        assert list(batches) == [[b"last"]]


def test_a_line_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fill the memory."""
    monkeypatch.setattr(stream, "_LONGEST", 1000)
    with piped() as (source, sink):
        sink.write(b"x" * 2000)
        with pytest.raises(hr.FileError, match="a line of more than 1,000 bytes"):
            next(line_batches(source))


def test_a_new_version_is_taken_while_the_stream_runs(rules: Path) -> None:
    """Before the next batch; each row tells its version."""
    with running(rules, "--key", "id") as process:
        assert told(process, '{"id": 1, "age": 20}') == {"id": 1, "rule_id": "adult", "version": 1}
        ruleset.apply_changes(rules, [("update", "adult", "age >= 21"), ("insert", "teen", "age BETWEEN 13 AND 20")])
        assert told(process, '{"id": 2, "age": 20}') == {"id": 2, "rule_id": "teen", "version": 2}
        ruleset.build([("new", "other = 1")], rules)
        assert told(process, '{"id": 3, "other": 1}') == {"id": 3, "rule_id": "new", "version": 3}
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "3 events, 0 bad, 3 matches\n"


def test_an_interrupt_ends_it_with_one_line(rules: Path) -> None:
    """No traceback."""
    with running(rules) as process:
        told(process, '{"age": 20}')
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "hedgerow stream: interrupted\n"


def test_it_ends_in_silence_when_nobody_reads_it(rules: Path) -> None:
    """As other commands do before head."""
    with running(rules) as process:
        told(process, '{"age": 20}')
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.close()
        process.stdin.write('{"age": 20}\n')
        assert process.wait(30) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_no_standard_input_is_told(
    rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where somebody closed it."""
    monkeypatch.setattr(sys, "stdin", None)
    assert run("stream", "--rules", rules, "--events", "-", "--out", "-") == 1
    assert complaint(capsys) == "hedgerow stream: there is no standard input to read events from"


def test_threads_of_writers_do_not_disturb_it(rules: Path, tmp_path: Path) -> None:
    """Every row is of a version that there was."""
    events, out = tmp_path / "events.jsonl", tmp_path / "out.jsonl"
    events.write_text('{"age": 20}\n' * 20_000)

    def change() -> None:
        for number in range(5):
            ruleset.apply_changes(rules, [("upsert", "more", f"age > {number}")])

    writer = threading.Thread(target=change)
    writer.start()
    quietly("stream", "--rules", rules, "--events", events, "--out", out)
    writer.join()
    rows = read(out)
    assert len({row["event"] for row in rows}) == 20_000
    assert all((row["rule_id"] == "adult") or int(str(row["version"])) > 1 for row in rows)


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    (
        (["--checkpoint", "state"], 2, "--checkpoint is for --spark"),
        (["--key", "version"], 2, "--key version: the result would have two columns of that name"),
        (["--events", "no.jsonl"], 1, "no.jsonl: there is no such file"),
        (["--events", "events.csv"], 2, "ends in one of .jsonl .ndjson .json"),
        (["--out", "out.csv"], 2, "ends in one of .jsonl .ndjson .json"),
        (["--out", "no/out.jsonl"], 1, "cannot write 'no/out.jsonl': No such file or directory"),
        (["--rules", "nowhere"], 1, "nowhere: no rule set is there; build one first"),
        (["--spark"], 2, "--spark needs --key"),
        (["--spark", "--key", "id"], 2, "--spark needs --checkpoint"),
    ),
)
def test_a_wrong_option_is_told_in_one_line(  # noqa: PLR0917 - fixtures
    options: list[str],
    code: int,
    reason: str,
    rules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before the first event."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events.jsonl").touch()
    words = {"--rules": str(rules), "--events": "events.jsonl", "--out": "-"}
    given = [word for name, value in words.items() if name not in options for word in (name, value)]
    assert run("stream", *given, *options) == code
    assert reason in complaint(capsys)
