"""``hedgerow generate``: write the expressions or the events of a workload to a file."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hedgerow.cli.files import FORMATS, TABLES, opened_writer, suffix_of
from hedgerow.cli.options import add_parser, add_tone, tell, whole
from hedgerow.errors import KindError
from hedgerow.progress import Progress
from hedgerow.workload.abe import (
    OPERATORS,
    PRESETS,
    RELATIONS,
    AbeParameters,
    abe_event_batches,
    abe_event_schema,
    abe_expression_batches,
    abe_expression_schema,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

__all__ = ["add", "run"]

_DEFAULT = "paper-default"

_EXAMPLES = """\
examples:
  hedgerow generate --preset mixed-1m --expressions 100000 --out rules.parquet
  hedgerow generate --preset mixed-1m --events 1000 --out events.jsonl
  hedgerow generate --preset equality-10k --depth 4 --relations '= BETWEEN' --out rules.txt

The same preset, options and seed give the same rows always. Fewer rows are the first ones of more.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "generate",
        "write expressions or events of a workload to a file",
        "Write expressions, or events, of the A-Tree paper's generator to a file.",
        _EXAMPLES,
    )
    presets = ", ".join(PRESETS)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=f"name ending in {' '.join(FORMATS)}")
    parser.add_argument(
        "--preset", choices=PRESETS, default=_DEFAULT, metavar="NAME", help=f"one of {presets} (default: {_DEFAULT})"
    )
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--expressions", type=whole, metavar="N", help="how many expressions (default: the preset's)")
    rows.add_argument("--events", type=whole, metavar="N", help="write this many events, and no expressions")
    add_tone(parser)
    changes = parser.add_argument_group("instead of what the preset says")
    for name, kind, metavar, text in _CHANGES:
        changes.add_argument(f"--{name}", type=kind, metavar=metavar, help=text)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the file."""
    given = {field.name: getattr(options, field.name) for field in fields(AbeParameters)}
    changed = {name: value for name, value in given.items() if value is not None}
    parameters = replace(PRESETS[options.preset], **changed)
    if options.events is None:
        batches = abe_expression_batches(parameters)
        _write(options, abe_expression_schema(), batches, parameters.expressions, "expressions")
    elif suffix_of(options.out) == ".txt":
        raise KindError(f"a .txt file has expressions; events go into {' '.join(TABLES)}")
    else:
        batches = abe_event_batches(parameters, options.events)
        _write(options, abe_event_schema(parameters), batches, options.events, "events")


def _write(
    options: argparse.Namespace, schema: pa.Schema, batches: Iterator[pa.RecordBatch], total: int, what: str
) -> None:
    progress = Progress(f"generating {what}", total, wanted=False if options.quiet else None)
    try:
        with opened_writer(options.out, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                progress.advance(batch.num_rows)
    finally:
        progress.close()  # an error gets a line of its own
    size = options.out.stat().st_size
    text = f"{total:,} {what}, {size / 1e6:,.1f} MB: {options.out}"
    tell(options, text, **{what: total}, out=str(options.out), bytes=size)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _shares(text: str) -> tuple[float, ...]:
    return tuple(_number(share) for share in text.split(","))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_Change: TypeAlias = tuple[str, "Callable[[str], object]", str, str]

_CHANGES: tuple[_Change, ...] = (
    ("operators", _shares, "SHARES", f"shares of {', '.join(OPERATORS)}: 40,40,10,5,5"),
    ("depth", whole, "N", "levels of an expression; the last has the predicates"),
    ("children", whole, "N", "operands of an AND or OR"),
    ("alpha", _number, "X", "Zipf exponent of subexpressions; 0 shares none"),
    ("pool", whole, "N", "subexpressions to draw from, for each level"),
    ("dimensions", whole, "N", "attributes that there are"),
    ("attribute-alpha", _number, "X", "Zipf exponent of the attributes of predicates"),
    ("cardinality", whole, "N", "values of an attribute"),
    ("event-size", whole, "N", "attributes of an event"),
    ("relations", _words, "LIST", f"tests of predicates, some of '{' '.join(RELATIONS)}'"),
    ("seed", whole, "N", "where the draws start"),
)
