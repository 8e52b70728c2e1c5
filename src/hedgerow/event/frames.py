"""Data frames to Arrow: only the columns that are asked for, and without those that Arrow has no type for.

A frame is turned into a table as a whole, and one column of Python objects is enough to make that fail, whoever asks
for it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from hedgerow.event.asked import Asked

__all__ = ["is_frame", "table_of"]

_LIBRARIES = ("pandas", "polars")


def is_frame(source: object) -> bool:
    """Return whether this is a data frame of pandas or polars, which need not be installed."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.partition(".")[0] in _LIBRARIES
        for base in type(source).__mro__
    )


def table_of(frame: Any, asked: Asked | None) -> tuple[pa.Table, dict[str, str]]:  # noqa: ANN401 - a frame
    """Return the columns that are asked for (None: all), and what is wrong with those that are left out."""
    labels = [label for label in frame.columns if asked is None or asked.wants(str(label))]
    counts = Counter(map(str, labels))
    bad = {name: "two columns have this name" for name, count in counts.items() if count > 1}
    good = [label for label in labels if str(label) not in bad]
    try:
        return _table(frame, good), bad
    except Exception:  # noqa: BLE001 - whatever the library of the frame raises
        return _table_of_columns(frame, good, bad)


def _table_of_columns(frame: Any, labels: list[Any], bad: dict[str, str]) -> tuple[pa.Table, dict[str, str]]:  # noqa: ANN401 - as above
    """Do the same column by column, which tells the good ones from the bad ones."""
    tables = []
    for label in labels:
        try:
            tables.append(_table(frame, [label]))
        except Exception as error:  # noqa: BLE001 - as above
            bad[str(label)] = _reason(error)
    columns = {name: table.column(name) for table in tables for name in table.column_names}
    return pa.table(columns) if columns else _rows_of_nothing(len(frame)), bad


def _table(frame: Any, labels: list[Any]) -> pa.Table:  # noqa: ANN401 - as above
    """Return some columns, and what pandas adds of its index; all of them are asked for as they are, without a copy."""
    if not labels and not hasattr(frame, "index"):  # polars would take no labels for no rows
        return _rows_of_nothing(len(frame))
    table = pa.table(frame if len(labels) == len(frame.columns) else frame[labels])
    return table if table.num_columns else _rows_of_nothing(len(frame))


def _rows_of_nothing(count: int) -> pa.Table:
    """Return rows without attributes: a column that has no name, for a table without columns would have no rows."""
    return pa.table({"": pa.nulls(count)})


def _reason(error: Exception) -> str:
    """Return what another library says, without where it says it."""
    text = str(error.args[0]) if isinstance(error, pa.ArrowException) and error.args else str(error)
    return f"the column has no form in Arrow: {text}"
