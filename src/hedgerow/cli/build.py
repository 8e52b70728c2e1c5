"""``hedgerow build``: a rule set from a rule file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hedgerow import ruleset
from hedgerow.cli import on_spark
from hedgerow.cli.files import FORMATS, checked_output
from hedgerow.cli.options import (
    add_engine,
    add_parser,
    add_rejected,
    add_spark,
    add_tone,
    count,
    tell,
    tell_rejected,
    wants_spark,
)
from hedgerow.cli.rule_files import read_rules
from hedgerow.errors import FileError
from hedgerow.index.catalogue import DEFAULT

__all__ = ["add", "run"]

_EXAMPLES = """\
examples:
  hedgerow build --rules rules.parquet --out rules/
  hedgerow build --rules rules.csv --out rules/ --rejected bad.csv
  hedgerow build --rules rules.txt --out rules/ --missing false --on-error fail

Rules have the columns id and expression, and perhaps weight. A .txt file has one rule a line, whose id is the number of
the line; lines without anything and those that begin with # are skipped. A folder that has a rule set already gets a
new version of it, with these rules and no others.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "build",
        "build a rule set from a rule file",
        "Build a rule set, as the next version of a folder.",
        _EXAMPLES,
    )
    parser.add_argument("--rules", required=True, metavar="R", help=f"a rule file: {' '.join(FORMATS)}")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder of the rule set")
    parser.add_argument(
        "--missing",
        choices=("unknown", "false"),
        default="unknown",
        help="how a test on a missing attribute reads (default: unknown)",
    )
    parser.add_argument(
        "--shards", type=count, metavar="N", help="how many parts (default: as few as are not too large)"
    )
    parser.add_argument(
        "--partition",
        choices=("size", "attribute"),
        default="size",
        help="attribute: put rules together that need the same one (default: size)",
    )
    add_engine(parser)
    add_rejected(parser, "rules")
    add_spark(parser)
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Build it."""
    if options.rejected is not None:
        checked_output(options.rejected)
    if Path(options.out).is_file():
        raise FileError(f"cannot build in '{options.out}': it is there, and is not a folder")
    if wants_spark(options):
        on_spark.build(options)
        return
    report = ruleset.build(
        read_rules(Path(options.rules)).table,
        options.out,
        missing=options.missing,
        shards=options.shards,
        partition=options.partition,
        on_error=options.on_error,
        engine=options.engine or DEFAULT,
        progress=False if options.quiet else None,
    )
    tell_rejected(options, report.rejected)
    tell(
        options,
        str(report),
        path=report.path,
        version=report.version,
        rules=report.rules,
        rejected=report.rejected.num_rows,
        shards=report.shards,
        bytes=report.bytes,
        seconds=round(report.seconds, 3),
    )
