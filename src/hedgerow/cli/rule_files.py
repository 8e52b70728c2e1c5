"""Rules, and changes of rules, from files of every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from hedgerow.cli.csv_kinds import ID_KINDS
from hedgerow.cli.files import FORMATS, JSON_LINES, TABLES, suffix_of
from hedgerow.cli.tables import Kinds, Objects, blocks, check_there, reading, rows_of
from hedgerow.errors import FileError, KindError, ParseError, SchemaError
from hedgerow.index.report import Rejected
from hedgerow.ruleset.manifest import id_type, id_type_name

__all__ = ["RuleRows", "read_changes", "read_rules"]

_TEXT = ".txt"
_RULE_KINDS: Kinds = {"id": ID_KINDS, "expression": (), "weight": (pa.int64(), pa.float64())}
_CHANGE_KINDS: Kinds = {"op": (), **_RULE_KINDS}
_EMPTY = {"op": pa.string(), "id": pa.int64(), "expression": pa.string(), "weight": pa.float64()}
"""What a column is that has nothing in it."""


@dataclass(frozen=True, slots=True)
class RuleRows:
    """The rules of a file."""

    table: pa.Table
    file: Path
    lines: Sequence[int] | None = None
    """The number of the line of each, from 1, where they have lines."""

    @property
    def id_type(self) -> pa.DataType:
        """The type that ids have in results."""
        return self.table.schema.field("id").type

    def place(self, row: int) -> str:
        """Return where a rule stands, in words."""
        return f"{self.file}: row {row}" if self.lines is None else f"{self.file}: line {self.lines[row]}"

    def told(self, bad: Rejected) -> str:
        """Return what is wrong with a rule, and where."""
        if self.file.suffix.lower() == _TEXT and isinstance(bad.error, ParseError):  # a line of its own: that is the id
            return f"{self.place(bad.row)}{str(bad.error).removeprefix('line 1')}"
        return f"{self.place(bad.row)}, id {bad.id!r}: {bad.error}"


def read_rules(file: Path) -> RuleRows:
    """Return the rules of a file, which has the columns ``id``, ``expression`` and perhaps ``weight``."""
    check_there(file)
    if file.is_dir():
        raise KindError(f"'{file}' is a folder, and a file of rules is wanted")
    if suffix_of(file, FORMATS) == _TEXT:
        return _text_rules(file)
    return _rows(file, _RULE_KINDS, ("id", "expression"), "rules have id, expression and perhaps weight")


def read_changes(file: Path) -> RuleRows:
    """Return the changes of a file, which has the columns ``op``, ``id`` and perhaps ``expression`` and ``weight``."""
    check_there(file)
    suffix_of(file, TABLES)
    return _rows(file, _CHANGE_KINDS, ("op", "id"), "changes have op, id, expression and perhaps weight")


def _text_rules(file: Path) -> RuleRows:
    """Return the lines of a file that say something, each under its number from 1."""
    with reading(file):
        lines = file.read_bytes().decode("utf-8-sig").splitlines()
    told = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    numbers = [number for number, _ in told]
    columns = {"id": pa.array(numbers, pa.int64()), "expression": pa.array([line for _, line in told], pa.string())}
    return RuleRows(pa.table(columns), file, numbers)


def _rows(file: Path, kinds: Kinds, needed: Sequence[str], advice: str) -> RuleRows:
    table, lines = _object_rows(file, kinds) if file.suffix.lower() in JSON_LINES else (rows_of(file, kinds), None)
    for name in needed:
        if table.column_names.count(name) != 1:
            raise FileError(f"{file}: has no column {name!r}, or more than one; {advice}")
    return _checked_weights(RuleRows(_typed(file, table), file, lines))


def _typed(file: Path, table: pa.Table) -> pa.Table:
    """Return the table with columns that have a type even where they have nothing, and ids of a type that ids have."""
    for number, field in enumerate(table.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        try:
            wanted = _EMPTY[field.name] if pa.types.is_null(kind) else kind
            wanted = id_type(id_type_name(wanted)) if field.name == "id" else wanted
            table = table.set_column(number, field.name, table.column(number).cast(wanted))
        except (SchemaError, pa.ArrowException) as error:
            raise FileError(f"{file}: the column {field.name!r}: {error}") from None
    return table


def _checked_weights(rows: RuleRows) -> RuleRows:
    """Return weights that came as text as numbers; one that is none would make all others text, too."""
    names = rows.table.column_names
    if "weight" not in names or not pa.types.is_string(rows.table["weight"].type):
        return rows
    weights = [_weight(rows, row, text) for row, text in enumerate(rows.table["weight"].to_pylist())]
    table = rows.table.set_column(names.index("weight"), "weight", pa.array(weights, pa.float64()))
    return replace(rows, table=table)


def _weight(rows: RuleRows, row: int, text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise FileError(f"{rows.place(row)}: the weight is {text!r} and not a number") from None


def _object_rows(file: Path, kinds: Kinds) -> tuple[pa.Table, list[int]]:
    read = [block for block in blocks(file, kinds.__contains__) if isinstance(block, Objects)]
    whole = Objects(
        file, [row for block in read for row in block.rows], [line for block in read for line in block.lines]
    )
    names = [name for name in kinds if name in _present(whole) or not len(whole)]
    types = {"op": pa.string(), "id": _kind_of_ids(whole), "expression": pa.string(), "weight": pa.float64()}
    columns = {name: _column(whole, name, types[name]) for name in names}
    return pa.table(columns), whole.lines


def _present(whole: Objects) -> set[str]:
    return {name for row in whole.rows for name in row}


def _kind_of_ids(whole: Objects) -> pa.DataType:
    ids = (row.get("id") for row in whole.rows)
    return pa.string() if isinstance(next((id for id in ids if id is not None), 0), str) else pa.int64()


def _column(whole: Objects, name: str, kind: pa.DataType) -> pa.Array:
    values = list(_checked(whole, name, kind))
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError) as error:  # text that is no Unicode
        raise FileError(f"{whole.file}: the column {name!r}: {error}") from None


def _checked(whole: Objects, name: str, kind: pa.DataType) -> Iterator[object]:
    """Yield the values of a column; Arrow would take a boolean for a number, and 2.5 for 2."""
    fits = {pa.string(): (str,), pa.int64(): (int,), pa.float64(): (int, float)}[kind]
    for number, row in enumerate(whole.rows):
        value = row.get(name)
        small = not isinstance(value, int) or -(2**63) <= value < 2**63
        if value is not None and (not isinstance(value, fits) or isinstance(value, bool) or not small):
            kinds = "text" if kind == pa.string() else "a number" if name == "weight" else "an integer of 64 bits"
            as_others = ", as the first one is" if name == "id" else ""
            raise FileError(f"{whole.place(number)}: the {name} is {value!r} and not {kinds}{as_others}")
        yield value
