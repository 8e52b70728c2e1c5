"""CSV, whose cells are text: which kind of value each column has, and its rows.

A column is of the narrowest kind that all its cells fit: integers, numbers, booleans, dates, timestamps, or else text.
All cells, not those of the first rows: a value far down must not change what the file means, nor end a long job. So a
file is read twice. Numbers that would not be written the same way again (``007``, an integer beyond 64 bits) are text.
An empty cell is null; ``""`` is the empty string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["ID_KINDS", "KINDS", "csv_batches"]

_BLOCK = 4 << 20
_DAY = r"\d{4}-\d{2}-\d{2}"
_TIME = r"[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_WHOLE = r"(0|[1-9]\d*)"

# From the narrowest on: what fits one of them may fit a later one, too.
_FORMS: Final[tuple[tuple[pa.DataType, str], ...]] = (
    (pa.int64(), rf"^-?{_WHOLE}$"),
    (pa.float64(), rf"^[-+]?({_WHOLE}(\.\d*)?|\.\d+)([eE][-+]?\d+)?$|^(nan|NaN|-?inf|-?Infinity)$"),
    (pa.bool_(), "^(true|false|True|False|TRUE|FALSE)$"),
    (pa.date32(), f"^{_DAY}$"),
    (pa.timestamp("us"), f"^{_DAY}({_TIME})?$"),
    (pa.timestamp("us", "UTC"), rf"^{_DAY}{_TIME}(Z|[+-]\d{{2}}:?\d{{2}})$"),
)

_WIDER: Final = {
    frozenset({pa.int64(), pa.float64()}): pa.float64(),
    frozenset({pa.date32(), pa.timestamp("us")}): pa.timestamp("us"),
}

KINDS: Final = tuple(kind for kind, _ in _FORMS)
ID_KINDS: Final = (pa.int64(),)
"""What the ids of rules may be, besides text."""


def csv_batches(
    path: Path, wanted: Callable[[str], bool], kinds: Mapping[str, Sequence[pa.DataType]]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, with the wanted columns; ``kinds`` limits what a column may be, by its name."""
    names = csv.open_csv(path, read_options=_reading(), parse_options=_parsing()).schema.names
    chosen = [name for name in names if wanted(name)]
    allowed = [kinds.get(name, KINDS) for name in chosen]
    found: list[pa.DataType] = [pa.null()] * len(chosen)
    for batch in _texts(path, chosen):
        found = [wider(kind, text, some) for kind, text, some in zip(found, batch.columns, allowed, strict=True)]
    schema = pa.schema(list(zip(chosen, found, strict=True)))
    for batch in _texts(path, chosen):
        columns = [_cast(text, kind) for text, kind in zip(batch.columns, found, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema) if columns else batch
    yield pa.RecordBatch.from_pylist([], schema)  # the columns, if there was no row


def wider(kind: pa.DataType, texts: pa.Array, allowed: Sequence[pa.DataType] = KINDS) -> pa.DataType:
    """Return the narrowest kind for what was of a kind so far and these.

    >>> str(wider(pa.int64(), pa.array(["3", "0.5", None]))), str(wider(pa.int64(), pa.array(["007"])))
    ('double', 'string')
    """
    if pa.types.is_string(kind):
        return kind
    return _either(kind, _kind_of(texts, allowed))


def _either(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if one == other or pa.types.is_null(other):
        return one
    return other if pa.types.is_null(one) else _WIDER.get(frozenset({one, other}), pa.string())


def _kind_of(texts: pa.Array, allowed: Sequence[pa.DataType]) -> pa.DataType:
    present = texts.drop_null()
    if not len(present):
        return pa.null()
    for kind, form in _FORMS:
        if kind in allowed and pc.all(pc.match_substring_regex(present, form)).as_py():
            return kind if _casts(present, kind) else pa.string()
    return pa.string()


def _cast(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    return pa.nulls(len(texts)) if pa.types.is_null(kind) else texts.cast(kind)


def _casts(texts: pa.Array, kind: pa.DataType) -> bool:
    try:
        texts.cast(kind)
    except pa.ArrowInvalid:  # beyond 64 bits, or the 30th of February
        return False
    return True


def _texts(path: Path, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield these columns as they are written; without any, rows that have nothing."""
    converting = csv.ConvertOptions(
        include_columns=names,  # none are all, to Arrow
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    for batch in csv.open_csv(path, read_options=_reading(), parse_options=_parsing(), convert_options=converting):
        yield batch if names else batch.select([])


def _reading() -> csv.ReadOptions:
    return csv.ReadOptions(block_size=_BLOCK)


def _parsing() -> csv.ParseOptions:
    return csv.ParseOptions(newlines_in_values=True)
