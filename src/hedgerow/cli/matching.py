"""Events to rows of matches, in steps whose memory is bounded: however many events, however many match each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from hedgerow.cli.asked import top_names
from hedgerow.cli.opening import Rules
from hedgerow.cli.tables import ROWS, Block, Columns, blocks
from hedgerow.errors import FileError, KindError
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import asked_events
from hedgerow.event.problems import asked_problems

__all__ = ["Job", "Matching", "Pace", "checked_keys", "encoded", "matched_events"]

_WRITTEN = 1 << 17
_MATCHES = 1 << 20
_EVENTS = 256
_FASTER = 4


@dataclass(frozen=True, slots=True)
class Job:
    """What is wanted of the events."""

    keys: tuple[str, ...] = ()
    """Columns of the events; without any, the number of the event is the key."""
    top: int | None = None
    left: bool = False
    """Whether an event without matches has a row, too."""
    threads: int = 1


@dataclass(slots=True)
class Pace:
    """How many events to take at once, so that about a million matches come of them, as the last ones went."""

    events: int = _EVENTS

    def note(self, events: int, matches: int) -> None:
        """Learn from a step."""
        fitting = events * _MATCHES // max(matches, 1)
        self.events = max(1, min(fitting, self.events * _FASTER, ROWS))


def checked_keys(keys: Sequence[str] | None, taken: Sequence[str] = ("rule_id", "score")) -> tuple[str, ...]:
    """Return the keys; ``KindError`` if they cannot be columns beside the result's own."""
    names = tuple(keys or ())
    for name in names:
        if name in taken or names.count(name) > 1:
            raise KindError(f"--key {name}: the result would have two columns of that name")
    return names


def encoded(block: Block, asked: Asked) -> EventBatch:
    """Return the events of a block, with what rules ask for; a bad one is a ``FileError`` that says where it stands."""
    batch = asked_events(block.events(), asked)
    for problem in asked_problems(batch.problems, asked):
        place = block.file if problem.in_column else block.place(int(problem.rows[0]))
        raise FileError(f"{place}: {problem.error()}")
    return batch


def matched_events(found: pa.Table, count: int, *, left: bool) -> pa.Table:
    """Return the matches of ``count`` events, with a row of nulls for each that has none if ``left``."""
    if not left:
        return found
    event = found["event"].to_numpy()
    without = np.setdiff1d(np.arange(count, dtype=np.int32), event)
    nothing = {name: pa.nulls(len(without), found[name].type) for name in found.column_names[1:]}
    united = pa.concat_tables([found, pa.table({"event": without, **nothing})])
    return united.take(pa.array(np.argsort(united["event"].to_numpy(), kind="stable")))


class Matching:
    """Matches events of files, and counts."""

    def __init__(self, rules: Rules, job: Job) -> None:
        """Start without an event."""
        self.events = 0
        self.matches = 0
        self._rules = rules
        self._job = job
        self._pace = Pace()
        self._asked = Asked(rules.attributes)

    def batches(self, files: Sequence[Path]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of matches. The first batch has no rows: it tells the columns."""
        names = top_names((*self._rules.attributes, *self._job.keys))
        schema: pa.Schema | None = None
        for file in files:
            for block in blocks(file, names.__contains__):
                if schema is None:
                    schema = _schema(self._rules, block, self._job)
                    yield pa.RecordBatch.from_pylist([], schema)
                yield from self._steps(block, schema)

    def _steps(self, block: Block, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        start = 0
        while start < len(block):
            some = block.sliced(start, self._pace.events)
            yield from self._step(some, schema)
            start += len(some)

    def _step(self, block: Block, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        found = self._rules.matches(encoded(block, self._asked), self._job.top, self._job.threads)
        self._pace.note(len(block), found.num_rows)
        keys = _keys(block, self._job, schema, self.events)
        self.events += len(block)
        self.matches += found.num_rows
        united = matched_events(found, len(block), left=self._job.left)
        for start in range(0, max(united.num_rows, 1), _WRITTEN):  # no matches are a batch, too: a step was made
            event, *columns = (column.combine_chunks() for column in united.slice(start, _WRITTEN).columns)
            yield pa.RecordBatch.from_arrays([*(key.take(event) for key in keys), *columns], schema=schema)


def _schema(rules: Rules, block: Block, job: Job) -> pa.Schema:
    """Return the columns of the result: the types of the keys are those of the first block."""
    empty = rules.matches(asked_events([], None), job.top, 1)
    fields = [pa.field(name, _key_type(block, name)) for name in job.keys] or [pa.field("event", pa.int64())]
    fields.append(pa.field("rule_id", empty["id"].type))
    return pa.schema(fields + ([] if job.top is None else [pa.field("score", pa.float64())]))


def _key_type(block: Block, name: str) -> pa.DataType:
    kind = block.column(name).type
    if not pa.types.is_null(kind):
        return kind
    if len(block) and not isinstance(block, Columns):
        raise FileError(f"{block.file}: none of the first {len(block):,} events has the key {name!r}")
    return pa.string()


def _keys(block: Block, job: Job, schema: pa.Schema, first: int) -> list[pa.Array]:
    if not job.keys:
        return [pa.array(np.arange(first, first + len(block)))]
    return [_key(block, name, schema.field(name).type) for name in job.keys]


def _key(block: Block, name: str, kind: pa.DataType) -> pa.Array:
    if not isinstance(block, Columns):
        return block.column(name, kind)
    column = block.column(name)
    try:
        return column.cast(kind)
    except pa.ArrowException:
        raise FileError(
            f"{block.file}: the key {name!r} is of type {column.type} here, and of type {kind} before"
        ) from None
