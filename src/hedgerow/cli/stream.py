"""``hedgerow stream``: events as they come, matched against the rules as they are then."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hedgerow.cli import on_spark
from hedgerow.cli.files import JSON_LINES, json_line, suffix_of
from hedgerow.cli.json_lines import Row, object_of
from hedgerow.cli.matching import Pace, checked_keys, matched_events
from hedgerow.cli.options import add_parser, add_spark, add_tone, complain, count, counted, tell, wants_spark
from hedgerow.cli.tables import reading, value_of
from hedgerow.errors import FileError, KindError, MissingVersion
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import asked_events
from hedgerow.event.problems import asked_problems
from hedgerow.ruleset.opened import RuleSet
from hedgerow.ruleset.place import Place, placed
from hedgerow.ruleset.versions import manifest_of, versions

__all__ = ["add", "run"]

MOMENT = 0.05
"""Seconds without a line after which a batch ends."""
_LINES = 4096
_CHUNK = 1 << 16
_LONGEST = 64 << 20
_TRIES = 5

_EXAMPLES = """\
examples:
  tail -F events.jsonl | hedgerow stream --rules rules/ --events - --out - --key id
  hedgerow stream --rules rules/ --events events.jsonl --out matches.jsonl
  hedgerow stream --rules rules/ --events inbox/ --out matches/ --checkpoint state/ --key id --spark

Events are JSON lines, taken as they come. Before each batch the newest version of the rules is looked up, and each row
out has it as 'version'. A line that is no event is reported and left out. A file that is there is added to. On Spark,
the events are the files that come into a folder, and the stream ends when it is interrupted, or with --once when all
that is there is done.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "stream",
        "match events as they come",
        "Match events as they come, against the newest version of a rule set.",
        _EXAMPLES,
    )
    parser.add_argument("--rules", required=True, metavar="DIR", help="the folder of the rule set")
    parser.add_argument(
        "--events", required=True, metavar="E", help="- for standard input, or a file of JSON lines; on Spark a folder"
    )
    parser.add_argument(
        "--out", required=True, metavar="O", help="- for standard output, or a file of JSON lines; on Spark a folder"
    )
    parser.add_argument(
        "--checkpoint", metavar="C", help="on Spark: a folder in which the stream notes how far it came"
    )
    parser.add_argument("--once", action="store_true", help="on Spark: end when all files that are there are done")
    parser.add_argument(
        "--key",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="what of the event to put in the result (default: its number, as 'event')",
    )
    parser.add_argument(
        "--top", type=count, metavar="N", help="only the best N matches of each event, with their scores"
    )
    parser.add_argument(
        "--how", choices=("inner", "left"), default="inner", help="left: a row for an event without matches, too"
    )
    add_spark(parser)
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Match until the events end."""
    keys = checked_keys(options.key, ("rule_id", "score", "version"))
    if wants_spark(options):
        on_spark.stream(options, keys)
        return
    if options.checkpoint is not None:
        raise KindError("--checkpoint is for --spark; without it a stream begins where its events do")
    feed = _Feed(options, keys)
    with _input(options.events) as source, _output(options.out) as sink:
        for lines in line_batches(source):
            for text in feed.rows(lines):
                sink.write(text)
            sink.flush()
    tell(
        options,
        f"{counted(feed.events, 'event')}, {feed.bad:,} bad, {counted(feed.matches, 'match')}",
        sys.stderr if options.out == "-" else sys.stdout,
        events=feed.events,
        bad=feed.bad,
        matches=feed.matches,
        version=feed.newest.held.version if feed.newest.held else None,
        out=options.out,
    )


class _Newest:
    """The newest version of a rule set, opened when there is a newer one than the last time."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.held: RuleSet | None = None
        self.asked = Asked()
        """The attributes of events that the rules can ask for."""

    def rules(self) -> RuleSet:
        """Return it."""
        for left in reversed(range(_TRIES)):
            version = max(versions(self._place), default=0)
            if self.held is not None and self.held.version == version:
                return self.held
            try:
                self.held = RuleSet(self._place, manifest_of(self._place, version))
            except MissingVersion:  # it may have gone since, in favour of a newer one
                if not left or not version:
                    raise
            else:
                self.asked = Asked(self.held.manifest.attributes)
                return self.held
        raise AssertionError("the last try returns or raises")


class _Feed:
    """Lines to rows of matches."""

    def __init__(self, options: argparse.Namespace, keys: Sequence[str]) -> None:
        self._options = options
        self._keys = keys
        self._pace = Pace()
        self._line = 0
        self._seen = 0
        self.newest = _Newest(placed(options.rules))
        self.newest.rules()  # a wrong name is told before the first event
        self.events = 0
        self.bad = 0
        self.matches = 0

    def rows(self, lines: Sequence[bytes]) -> Iterator[str]:
        """Yield a line of JSON for each match of these lines."""
        rules = self.newest.rules()
        events = self._good(list(self._parsed(lines)))
        self.events += len(events)
        start = 0
        while start < len(events):
            some = events[start : start + self._pace.events]
            yield from self._matches(rules, some)
            start += len(some)

    def _parsed(self, lines: Sequence[bytes]) -> Iterator[_Event]:
        """Yield the objects, and report what is none."""
        for line in lines:
            self._line += 1
            if not line.strip():
                continue
            self._seen += 1
            try:
                row = object_of(line)
            except ValueError as error:
                self._report(self._line, error)
            else:
                yield _Event(self._seen - 1, self._line, row)

    def _good(self, events: list[_Event]) -> list[_Event]:
        """Return what can be an event, and report the others."""
        problems = asked_problems(self._encoded(events).problems, self.newest.asked)
        first = {int(problem.rows[0]): problem for problem in reversed(problems)}
        for row in sorted(first):
            self._report(events[row].line, first[row].error())
        return [event for row, event in enumerate(events) if row not in first]

    def _encoded(self, events: Sequence[_Event]) -> EventBatch:
        return asked_events([event.row for event in events], self.newest.asked)

    def _report(self, line: int, reason: object) -> None:
        self.bad += 1
        name = "standard input" if self._options.events == "-" else self._options.events
        complain(self._options, [f"{name}: line {line}: {reason}"], 1)

    def _matches(self, rules: RuleSet, events: Sequence[_Event]) -> Iterator[str]:
        options = self._options
        batch = self._encoded(events)
        found = rules.match_batch(batch) if options.top is None else rules.top_batch(batch, options.top)
        self._pace.note(len(events), found.num_rows)
        self.matches += found.num_rows
        columns = matched_events(found, len(events), left=options.how == "left").to_pydict()
        heads = [event.key(self._keys) for event in events]
        scores = columns.get("score") or [None] * len(columns["id"])
        for event, id, score in zip(columns["event"], columns["id"], scores, strict=True):
            row = {**heads[event], "rule_id": id, "score": score, "version": rules.version}
            yield f"{json_line({name: value for name, value in row.items() if value is not None})}\n"


@dataclass(frozen=True, slots=True)
class _Event:
    """An event, and where it came."""

    number: int
    line: int
    row: Row

    def key(self, names: Sequence[str]) -> Row:
        """Return what of it comes into the result."""
        return {name: value_of(self.row, name) for name in names} if names else {"event": self.number}


def line_batches(source: IO[bytes]) -> Iterator[list[bytes]]:
    """Yield lines as they come, some at a time: a batch ends when there are many, or none came for a moment."""
    descriptor = source.fileno()
    lines: list[bytes] = []
    rest = b""
    while True:
        if lines and not select.select([descriptor], [], [], MOMENT)[0]:
            yield lines
            lines = []
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            break
        *whole, rest = (rest + chunk).split(b"\n")
        lines += whole
        if len(rest) > _LONGEST:
            raise FileError(f"a line of more than {_LONGEST:,} bytes, which no event has")
        while len(lines) >= _LINES:
            yield lines[:_LINES]
            lines = lines[_LINES:]
    lines += [rest] if rest else []
    if lines:
        yield lines


@contextlib.contextmanager
def _input(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        if sys.stdin is None:  # as Python has it where there is none
            raise FileError("there is no standard input to read events from")
        yield sys.stdin.buffer
        return
    file = Path(name)
    suffix_of(file, JSON_LINES)
    with reading(file):
        opened = file.open("rb")
    with opened:
        yield opened


@contextlib.contextmanager
def _output(name: str) -> Iterator[IO[str]]:
    """Yield where rows go. Those of a file that is there stay: a stream that is started again goes on."""
    if name == "-":
        yield sys.stdout
        return
    file = Path(name)
    suffix_of(file, JSON_LINES)
    try:
        opened = file.open("a", encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot write '{file}': {error.strerror}") from error
    with opened:
        yield opened
