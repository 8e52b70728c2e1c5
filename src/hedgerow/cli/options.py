"""What commands have in common: their options, and how they say what they did."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from hedgerow.cli.files import json_line, opened_writer
from hedgerow.errors import KindError
from hedgerow.index.catalogue import DEFAULT
from hedgerow.index.engine import engine_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = [
    "add_engine",
    "add_parser",
    "add_rejected",
    "add_spark",
    "add_tone",
    "complain",
    "count",
    "counted",
    "tell",
    "tell_rejected",
    "wants_spark",
    "whole",
]

_SHOWN = 5


def add_parser(commands: Any, name: str, does: str, description: str, examples: str) -> argparse.ArgumentParser:  # noqa: ANN401 - argparse has no public name for it
    """Return the parser of a command, with its help and examples."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help=does,
        description=description,
        epilog=examples,
    )
    return parser


def add_tone(parser: argparse.ArgumentParser) -> None:
    """Add how much is said."""
    tone = parser.add_mutually_exclusive_group()
    tone.add_argument("--quiet", action="store_true", help="say nothing unless something is wrong")
    tone.add_argument("--json", action="store_true", help="say what was done as one JSON object")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add what rules are matched with."""
    told = f"what rules of a rule file are matched with (default: {DEFAULT}); hedgerow engines lists them"
    parser.add_argument("--engine", choices=engine_names(), metavar="E", help=told)


def add_rejected(parser: argparse.ArgumentParser, what: str) -> None:
    """Add what becomes of bad rules."""
    parser.add_argument(
        "--on-error",
        choices=("report", "fail"),
        default="report",
        help=f"bad {what}: leave them out and report them (default), or do nothing at all",
    )
    parser.add_argument("--rejected", type=Path, metavar="FILE", help=f"write bad {what} here, each with its error")


def add_spark(parser: argparse.ArgumentParser) -> None:
    """Add where the work is done."""
    parser.add_argument("--spark", action="store_true", help="do it on Spark (needs the extra hedgerow[spark])")
    parser.add_argument("--master", metavar="M", help="Spark's master, such as local[4] (default: this machine)")


def wants_spark(options: argparse.Namespace) -> bool:
    """Return whether the work is to be done on Spark."""
    if options.master is not None and not options.spark:
        raise KindError("--master is for --spark")
    return bool(options.spark)


def whole(text: str) -> int:
    """Return a whole number, for argparse."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def count(text: str) -> int:
    """Return a whole number that is not 0, for argparse."""
    number = whole(text)
    if not number:
        raise argparse.ArgumentTypeError("it is to be 1 or more")
    return number


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    >>> counted(1, "rule"), counted(2000, "rule")
    ('1 rule', '2,000 rules')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's' if not thing.endswith('ch') else 'es'}"


def tell(options: argparse.Namespace, text: str, stream: TextIO | None = None, /, **facts: object) -> None:
    """Say what was done, in the tone that was asked for; on standard output, unless that has rows."""
    if options.json or not options.quiet:
        (stream or sys.stdout).write(f"{json_line(facts) if options.json else text}\n")


def complain(options: argparse.Namespace, lines: Sequence[str], total: int, more: str = "") -> None:
    """Say what was wrong with some of the input, though the work went on: the first few, and how many there are."""
    shown = [f"hedgerow {options.command}: {line}\n" for line in lines[:_SHOWN]]
    left = total - len(shown)
    if left > 0:
        shown.append(f"hedgerow {options.command}: ... and {left:,} more{more}\n")
    sys.stderr.writelines(shown)


def tell_rejected(options: argparse.Namespace, rejected: pa.Table) -> None:
    """Write what was refused to the file that was named for it; or else show some of it."""
    if options.rejected is not None:
        with opened_writer(options.rejected, rejected.schema) as writer:
            for batch in rejected.to_batches():
                writer.write_batch(batch)
        return
    first = rejected.slice(0, _SHOWN).to_pylist()
    lines = [f"rejected: id {row['id']!r}: {row['error']}" for row in first]
    complain(options, lines, rejected.num_rows, "; --rejected FILE writes all of them")
