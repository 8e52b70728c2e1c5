"""``hedgerow explain``: why a rule does or does not match an event."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.cli.json_lines import Row, object_of
from hedgerow.cli.opening import add_rules, check_options, is_index, is_rule_set
from hedgerow.cli.options import add_parser, add_tone, tell
from hedgerow.cli.rule_files import read_rules
from hedgerow.cli.tables import reading
from hedgerow.errors import EventError, FileError, HedgerowError, KindError, UnknownId
from hedgerow.index.report import Id
from hedgerow.language.explain import Explanation, explain
from hedgerow.language.explain_text import VALUE_NAMES
from hedgerow.language.operand import shown
from hedgerow.ruleset.opened import open_rules
from hedgerow.store.files import open as open_index

__all__ = ["add", "run"]

_EXAMPLES = """\
examples:
  hedgerow explain --rules rules.csv --id 7 --event '{"age": 30, "user": {"state": "CA"}}'
  hedgerow explain --rules rules/ --id campaign-7 --event @event.json

A mark (▶) stands before the parts that decided. The exit code is 0 whether it matches or not.
"""


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule."""

    id: Id
    expression: Any
    missing: str


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "explain",
        "tell why a rule does or does not match an event",
        "Tell why a rule does or does not match an event.",
        _EXAMPLES,
    )
    add_rules(parser)
    parser.add_argument("--id", required=True, metavar="ID", help="the id of the rule")
    parser.add_argument("--event", required=True, metavar="JSON", help="an object, or @FILE that has one")
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Explain it."""
    check_options(options)
    event = _event(options.event)
    rule = _rule(options)
    try:
        explanation = explain(rule.expression, event, rule.missing)
    except EventError as error:
        raise KindError(f"--event: {error}") from None
    except HedgerowError as error:
        raise FileError(f"{options.rules}: the rule {shown(rule.id)}: {str(error).partition(chr(10))[0]}") from None
    verdict = "matches" if explanation.value is True else "does not match"
    tell(
        options,
        f"{explanation}\nThe rule {shown(rule.id)} {verdict}.",
        id=rule.id,
        matches=explanation.value is True,
        value=VALUE_NAMES[explanation.value],
        expression=str(explanation.expression),
        deciding=[_leaf(part) for part in explanation.deciding] if options.json else [],
    )


def _leaf(part: Explanation) -> dict[str, object]:
    return {"expression": str(part.expression), "value": VALUE_NAMES[part.value], "actual": part.actual}


def _event(given: str) -> Row:
    if not given.startswith("@"):
        return _parsed("--event", given)
    file = Path(given[1:])
    with reading(file):
        text = sys.stdin.read() if given == "@-" else file.read_text(encoding="utf-8-sig")
    return _parsed(str(file), text)


def _parsed(name: str, text: str) -> Row:
    try:
        return object_of(text)
    except ValueError as error:
        raise KindError(f"{name}: {error}") from None


def _rule(options: argparse.Namespace) -> _Rule:
    name: str = options.rules
    if is_rule_set(name):
        rules = open_rules(name, options.version)
        id = _id_of(options.id, text=pa.types.is_string(rules.id_type))
        return _Rule(id, rules.expression(id), rules.manifest.missing)
    if is_index(name):
        index = open_index(name)
        id = _id_of(options.id, text=options.id in index)
        return _Rule(id, index.expression(id), index.missing)
    table = read_rules(Path(name)).table
    kind = pa.string() if pa.types.is_string(table["id"].type) else pa.int64()
    id = _id_of(options.id, text=kind == pa.string())
    row = pc.index(table["id"].cast(kind), pa.scalar(id, kind)).as_py()
    if row < 0:
        raise _unknown(id)
    return _Rule(id, table["expression"][row].as_py() or "", options.missing or "unknown")


def _id_of(given: str, *, text: bool) -> Id:
    """Return an id as the rules have it: text or an integer."""
    if text:
        return given
    try:
        id = int(given)
    except ValueError:
        raise _unknown(given) from None
    if not -(2**63) <= id < 2**63:
        raise _unknown(id)
    return id


def _unknown(id: Id) -> UnknownId:
    return UnknownId(f"no rule has the id {shown(id)}")
