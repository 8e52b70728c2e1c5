"""``hedgerow apply``: changes of a rule set, as its next version."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyarrow as pa

from hedgerow import ruleset
from hedgerow.cli import on_spark
from hedgerow.cli.files import TABLES, checked_output
from hedgerow.cli.options import (
    add_parser,
    add_rejected,
    add_spark,
    add_tone,
    tell,
    tell_rejected,
    wants_spark,
)
from hedgerow.cli.rule_files import read_changes
from hedgerow.errors import FileError, SchemaError
from hedgerow.ruleset.place import placed
from hedgerow.ruleset.versions import current

__all__ = ["add", "run"]

_EXAMPLES = """\
examples:
  hedgerow apply --rules rules/ --changes changes.csv
  hedgerow apply --rules rules/ --changes changes.jsonl --on-error fail

Changes have the columns op (insert, update, upsert or delete), id, expression and perhaps weight, and are made in the
order of their rows. All of them together are one new version; who opened an older one keeps it.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands, "apply", "apply changes to a rule set", "Apply changes to a rule set, as its next version.", _EXAMPLES
    )
    parser.add_argument("--rules", required=True, metavar="DIR", help="the folder of the rule set")
    parser.add_argument("--changes", type=Path, required=True, metavar="FILE", help=f"ends in {' '.join(TABLES)}")
    add_rejected(parser, "changes")
    add_spark(parser)
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Apply them."""
    if options.rejected is not None:
        checked_output(options.rejected)
    changes = _typed(read_changes(options.changes).table, options)
    apply = on_spark.apply(options) if wants_spark(options) else ruleset.apply_changes
    try:
        report = apply(options.rules, changes, on_error=options.on_error)
    except SchemaError as error:
        raise FileError(f"{options.changes}: {error}") from None
    tell_rejected(options, report.rejected)
    tell(
        options,
        str(report),
        path=report.path,
        version=report.version,
        rules=report.rules,
        applied=report.applied,
        rejected=report.rejected.num_rows,
        compacted=report.compacted,
    )


def _typed(changes: pa.Table, options: argparse.Namespace) -> pa.Table:
    """Return the changes of a CSV file with ids of text if those of the rules are: CSV does not say which they are."""
    if options.changes.suffix.lower() != ".csv" or current(placed(options.rules)).id_type != "string":
        return changes
    return changes.set_column(changes.column_names.index("id"), "id", changes["id"].cast(pa.string()))
