"""``hedgerow check``: whether every rule of a file is good."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hedgerow.cli.files import FORMATS
from hedgerow.cli.opening import loaded
from hedgerow.cli.options import add_parser, add_tone, counted, tell
from hedgerow.cli.rule_files import RuleRows, read_rules
from hedgerow.errors import ParseError
from hedgerow.index.api import Index
from hedgerow.index.report import Rejected

__all__ = ["add", "run"]

_EXAMPLES = """\
example:
  hedgerow check --rules rules.csv

The exit code is 1 if a rule is bad: no expression, an id that comes twice, a weight that is no number. What is good
here is good for build and match.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "check",
        "check the rules of a file",
        "Check every rule of a file, and show each error with its place.",
        _EXAMPLES,
    )
    parser.add_argument("--rules", type=Path, required=True, metavar="FILE", help=f"ends in {' '.join(FORMATS)}")
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check them; return the exit code."""
    rules = read_rules(options.rules)
    _, rejected = loaded(rules, Index(), progress=False if options.quiet else None)
    if not options.json:
        sys.stdout.writelines(f"{rules.told(bad)}\n" for bad in rejected)
    total = rules.table.num_rows
    tell(
        options,
        f"{counted(total, 'rule')}, {len(rejected):,} bad: {options.rules}",
        rules=total,
        bad=len(rejected),
        errors=[_facts(rules, bad) for bad in rejected] if options.json else [],
    )
    return 1 if rejected else 0


def _facts(rules: RuleRows, bad: Rejected) -> dict[str, object]:
    error = bad.error
    place = (
        {"line": error.line, "column": error.column, "offset": error.offset} if isinstance(error, ParseError) else {}
    )
    message = str(error).partition("\n")[0]
    return {"place": rules.place(bad.row), "id": bad.id, "expression": bad.expression, "error": message, **place}
