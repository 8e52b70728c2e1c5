"""Rules to match with, from whatever ``--rules`` names: a rule file, a saved index, or a rule set."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.cli.options import add_engine, complain
from hedgerow.cli.rule_files import RuleRows, read_rules
from hedgerow.errors import BadRules, DuplicateId, KindError
from hedgerow.event.batch_cy import EventBatch
from hedgerow.index.api import Index
from hedgerow.index.catalogue import DEFAULT
from hedgerow.index.report import Rejected
from hedgerow.language.operand import shown
from hedgerow.ruleset.opened import RuleSet, open_rules
from hedgerow.store.files import open as open_index

__all__ = ["RULES_HELP", "Rules", "add_rules", "is_index", "is_rule_set", "loaded", "opened_rules"]

RULES_HELP = "a rule file, a saved index (.hedgerow) or the folder of a rule set"
_INDEX = ".hedgerow"


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that are ready for events."""

    held: Index | RuleSet
    id_type: pa.DataType | None
    """The type of the ids in results, if it is not what the index has."""
    attributes: tuple[str, ...]

    @property
    def version(self) -> int | None:
        """The version, if they have one."""
        return self.held.version if isinstance(self.held, RuleSet) else None

    def matches(self, events: EventBatch, top: int | None, threads: int) -> pa.Table:
        """Return the columns ``event`` and ``id``, and ``score`` if only the best are wanted."""
        held = self.held
        found = held.match_batch(events, threads=threads) if top is None else held.top_batch(events, top)
        if self.id_type is None or found["id"].type == self.id_type:
            return found
        return found.set_column(1, "id", found["id"].cast(self.id_type))


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add which rules, and how they are read."""
    parser.add_argument("--rules", required=True, metavar="R", help=RULES_HELP)
    parser.add_argument("--version", type=int, metavar="N", help="a version of the rule set (default: the newest)")
    parser.add_argument(
        "--missing",
        choices=("unknown", "false"),
        help="how a test on a missing attribute reads, for a rule file (default: unknown)",
    )
    add_engine(parser)


def is_rule_set(name: str) -> bool:
    """Return whether a name is that of a rule set, which is a folder, here or on a remote store."""
    return "://" in name or Path(name).is_dir()


def is_index(name: str) -> bool:
    """Return whether a name is that of a saved index."""
    return Path(name).suffix.lower() == _INDEX


def opened_rules(options: argparse.Namespace) -> Rules:
    """Return the rules that the options name."""
    name: str = options.rules
    check_options(options)
    if is_rule_set(name):
        rules = open_rules(name, options.version)
        return Rules(rules, rules.id_type, tuple(rules.manifest.attributes))
    if is_index(name):
        index = open_index(name)
        return Rules(index, None, tuple(index.attributes))
    given = read_rules(Path(name))
    empty = Index(options.engine or DEFAULT, options.missing or "unknown")
    index, rejected = loaded(given, empty, progress=False if options.quiet else None)
    if rejected:
        _refuse(options, given, rejected)
    return Rules(index, given.id_type, tuple(index.attributes))


def check_options(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning for the rules that are named."""
    if options.version is not None and not is_rule_set(options.rules):
        raise KindError(f"--version is for a rule set, and '{options.rules}' is a file")
    for option in ("missing", "engine"):
        if getattr(options, option) is not None and (is_rule_set(options.rules) or is_index(options.rules)):
            raise KindError(f"--{option} is for a rule file; it was decided when '{options.rules}' was built")


def loaded(given: RuleRows, index: Index, *, progress: bool | None) -> tuple[Index, list[Rejected]]:
    """Return an index, which was empty, with the rules, and those that were refused.

    They go in by their ids, as they do in a rule set, so that of equal matches the same ones are the best; and of rows
    with the same id the first counts, good or bad.
    """
    order = pc.sort_indices(given.table["id"]).to_numpy()
    again = _repeats(given.table["id"].take(order))
    report = index.insert_many(_large(given.table).take(order[~again]), progress=progress)
    rows = order[~again][[bad.row for bad in report.rejected]].tolist() if report.rejected else []
    rejected = [replace(bad, row=row) for row, bad in zip(rows, report.rejected, strict=True)]
    rejected += [_repeated(given.table, row) for row in order[again].tolist()]
    return index, sorted(rejected, key=lambda bad: bad.row)


def _repeats(ids: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Return which of some sorted ids are as the one before; what is null is refused for another reason."""
    again = np.zeros(len(ids), bool)
    if len(ids) > 1:
        again[1:] = pc.equal(ids.slice(1), ids.slice(0, len(ids) - 1)).fill_null(False).to_numpy()  # noqa: FBT003 - a value
    return again


def _repeated(table: pa.Table, row: int) -> Rejected:
    id = table["id"][row].as_py()
    return Rejected(row, id, table["expression"][row].as_py(), DuplicateId(f"the id {shown(id)} is taken"))


def _large(table: pa.Table) -> pa.Table:
    """Return the rules with texts that may have more than 2 GB together."""
    place = table.column_names.index("expression")
    return table.set_column(place, "expression", table["expression"].cast(pa.large_string()))


def _refuse(options: argparse.Namespace, given: RuleRows, rejected: list[Rejected]) -> None:
    """Tell of bad rules; raise ``BadRules`` if there were to be none."""
    lines = [given.told(bad).partition("\n")[0] for bad in rejected]
    advice = f"hedgerow check --rules {options.rules} shows them all"
    if options.on_error == "fail":
        raise BadRules(f"{len(rejected):,} of the rules are bad, and nothing was done. {lines[0]}. {advice}")
    complain(options, lines, len(lines), f"; {advice}")
