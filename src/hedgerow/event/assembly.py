"""Columns to rows: how a block of Arrow columns becomes entries of events.

Columns are taken apart until only leaves are left: a struct into its fields, a map into its keys. Each leaf is decoded
as a whole and gives one entry for each value that is not null; a merge of all leaves puts the entries in rows. What
cannot be decoded gives none, and a ``Problem`` says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.event.assemble_cy import merged, repeats
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.columns import (
    BadColumn,
    BadValue,
    check_indices,
    is_list,
    is_object,
    is_scalar,
    lists,
    longs,
    plain,
    present,
    scalars,
)
from hedgerow.event.problems import Problem, shown_name
from hedgerow.limits import MAX_NAME_BYTES
from hedgerow.symbols_cy import SymbolTable
from hedgerow.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hedgerow.event.asked import Asked

__all__ = ["Assembly"]

Longs: TypeAlias = NDArray[np.int64]

_TWICE = "given twice, once by nesting and once by a dotted name"


@dataclass(frozen=True, slots=True)
class _Column:
    """An array of which each element belongs to a row and to one of some names."""

    path: str
    array: pa.Array
    rows: Longs
    names: tuple[str, ...]
    which: Longs | None = None
    """The name of each element, as a position in ``names``; None where one name is for all."""
    root: str | None = None
    """The map that the elements are of, the outermost one; None where they are of none."""

    def wanted(self, asked: Asked | None) -> bool:
        """Return whether anything in the column is asked for."""
        return asked is None or self.which is not None or asked.wants(self.names[0])


class Assembly:
    """Entries of events, from one block of rows after another."""

    def __init__(self, asked: Asked | None = None) -> None:
        """Start without a row; what is not asked for (None: nothing) is left out."""
        self.row_count = 0
        self.problems: list[Problem] = []
        self._asked = asked
        self._names = SymbolTable()
        self._strings = SymbolTable()
        self._entry_count = 0
        self._list_count = 0
        self._entries: list[tuple[NDArray[Any], ...]] = []
        self._lists: list[tuple[NDArray[Any], ...]] = []

    def add(self, block: pa.RecordBatch) -> None:
        """Add the rows of a block."""
        leaves = self._without_repeated(list(self._leaves(block)), _TWICE, below=False)
        entries = merged([self._decoded(leaf) for leaf in leaves], block.num_rows)
        if any(leaf.which is not None for leaf in leaves):  # the keys of a map are not known before
            entries = self._without_repeats(*entries)
        starts, attributes, kinds, payloads = entries
        self._entries.append((starts[1:] + self._entry_count, attributes, kinds, payloads))
        self._entry_count += len(payloads)
        self.row_count += block.num_rows

    def batch(self) -> EventBatch:
        """Return all rows as a batch."""
        ends, attributes, kinds, payloads = _joined(self._entries, (np.int64, np.int32, np.uint8, np.int64))
        lengths, element_kinds, element_payloads = _joined(self._lists, (np.int64, np.uint8, np.int64))
        row_start = np.concatenate([np.zeros(1, np.int64), ends])
        list_start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        entries = (row_start, attributes, kinds, payloads)
        lists = (list_start, element_kinds, element_payloads)
        return EventBatch(self._names, self._strings, *entries, *lists, self.problems or None)

    def _decoded(self, leaf: _Column) -> tuple[Longs, NDArray[np.int32], NDArray[np.uint8], Longs]:
        """Return the entries of a leaf: their rows, attributes, kinds and payloads."""
        try:
            positions, kinds, payloads = self._values(leaf.array)
        except BadValue as bad:
            return self._decoded(self._without(leaf, bad.positions, bad.reason))
        except (BadColumn, pa.ArrowException) as error:
            self._note_column(leaf, str(error))
            return self._decoded(replace(leaf, array=pa.nulls(len(leaf.array))))
        numbers = np.array([self._names.intern(name) for name in leaf.names], np.int32)
        attributes = np.broadcast_to(numbers, leaf.rows.shape) if leaf.which is None else numbers[leaf.which]
        if positions is None:
            return leaf.rows, attributes, kinds, payloads
        return leaf.rows[positions], attributes[positions], kinds, payloads

    def _values(self, array: pa.Array) -> tuple[Longs | None, NDArray[np.uint8], Longs]:
        """Return the values of a leaf, and where they stand if not everywhere."""
        if is_object(array.type):
            return _objects(array)
        if not is_list(array.type):
            values = scalars(array, self._strings)
            return values.positions, values.kinds, values.payloads
        listed = lists(array, self._strings)
        self._lists.append((listed.lengths, listed.kinds, listed.payloads))
        first = self._list_count
        self._list_count += len(listed.lengths)
        numbers = np.arange(first, self._list_count)
        return listed.positions, np.broadcast_to(np.uint8(Kind.LIST), numbers.shape), numbers

    def _leaves(self, block: pa.RecordBatch) -> Iterator[_Column]:
        """Yield the columns of scalars and lists, and before them the structs and maps that they are in."""
        rows = np.arange(block.num_rows)
        pairs = zip(block.schema.names, block.columns, strict=True)
        columns = [_Column(name, array, rows, (name,)) for name, array in pairs if _is_name(name)]
        stack = self._without_repeated(columns, "two columns have this name")
        stack.reverse()
        while stack:
            column = stack.pop()
            if not column.wanted(self._asked):
                continue
            try:
                column = replace(column, array=plain(column.array))
                stack.extend(reversed(self._parts(column)))
            except (BadColumn, pa.ArrowException) as error:
                self._note_column(column, str(error), below=True)
            else:
                yield column

    def _parts(self, column: _Column) -> list[_Column]:
        """Return the columns that a column of structs or maps has in it."""
        if pa.types.is_struct(column.array.type):
            return self._without_repeated(_fields(column), f"two fields of {shown_name(column.path)} have this name")
        return [_items(column)] if pa.types.is_map(column.array.type) else []

    # What cannot be used

    def _note(self, attribute: str, reason: str, rows: Longs, *, in_column: bool = False, below: bool = False) -> None:
        numbers = np.unique(rows) + self.row_count
        self.problems.append(Problem(attribute, reason, numbers, numbers, in_column, below))

    def _note_column(self, column: _Column, reason: str, *, below: bool = False) -> None:
        """Note that nothing of a column can be used, in the events where it has a value."""
        try:
            positions = present(column.array)
        except pa.ArrowException:  # what is broken may not tell
            positions = None
        rows = column.rows if positions is None else column.rows[positions]
        below = below or column.root is not None
        self._note(column.root or column.path, reason, rows, in_column=True, below=below)

    def _without(self, leaf: _Column, positions: Longs, reason: str) -> _Column:
        """Return a leaf without some of its values, and note why."""
        for name in range(len(leaf.names)):
            own = positions if leaf.which is None else positions[leaf.which[positions] == name]
            if len(own):
                self._note(leaf.names[name], reason, leaf.rows[own])
        kept = np.ones(len(leaf.array), bool)
        kept[positions] = False
        which = None if leaf.which is None else leaf.which[kept]
        return replace(leaf, array=leaf.array.filter(pa.array(kept)), rows=leaf.rows[kept], which=which)

    def _without_repeated(self, columns: list[_Column], reason: str, *, below: bool = True) -> list[_Column]:
        """Return the columns whose name is theirs alone, and note those that have one twice."""
        names = Counter(column.names[0] for column in columns if column.which is None)
        for name, count in names.items():
            if count > 1:
                rows = next(column.rows for column in columns if column.names[:1] == (name,))
                self._note(name, reason, rows, in_column=True, below=below)
        return [column for column in columns if column.which is not None or names[column.names[0]] == 1]

    def _without_repeats(
        self, starts: Longs, attributes: NDArray[np.int32], kinds: NDArray[np.uint8], payloads: Longs
    ) -> tuple[Longs, NDArray[np.int32], NDArray[np.uint8], Longs]:
        """Return the entries without those that an event has twice, and note them."""
        rows, entries = repeats(starts, attributes, len(self._names))
        for row, entry in zip(rows, entries, strict=True):
            self._note(self._names[int(attributes[entry])], "given twice", np.array([row]))
        if not len(rows):
            return starts, attributes, kinds, payloads
        kept = np.ones(len(attributes), bool)
        kept[entries] = False
        lost = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=len(starts) - 1))])
        return starts - lost, attributes[kept], kinds[kept], payloads[kept]


def _objects(array: pa.Array) -> tuple[Longs | None, NDArray[np.uint8], Longs]:
    """Return the structs or maps that are not null: objects, without a value of their own."""
    positions = present(array)
    count = len(array) if positions is None else len(positions)
    return positions, np.broadcast_to(np.uint8(Kind.OBJECT), (count,)), np.zeros(count, np.int64)


def _fields(column: _Column) -> list[_Column]:
    """Return the fields of structs; those of a null struct are null."""
    fields = [column.array.type.field(index).name for index in range(column.array.type.num_fields)]
    pairs = zip(fields, _flattened(column.array), strict=True)
    return [_field(column, name, array) for name, array in pairs if _is_name(f"{column.path}.{name}", name)]


def _flattened(array: pa.StructArray) -> list[pa.Array]:
    """Return the arrays of the fields, null where the struct is; runs, which have no nulls of their own, are undone."""
    parts = [array.field(index) for index in range(array.type.num_fields)]
    if array.null_count and any(plain(part) is not part for part in parts):
        names = [field.name for field in array.type]
        array = pa.StructArray.from_arrays([plain(part) for part in parts], names, mask=array.is_null())
    flat: list[pa.Array] = array.flatten()
    return flat


def _field(column: _Column, field: str, array: pa.Array) -> _Column:
    names = tuple(f"{name}.{field}" for name in column.names)
    return replace(column, path=f"{column.path}.{field}", array=array, names=names)


def _items(column: _Column) -> _Column:
    """Return the items of maps, each under its own name."""
    rows, which = column.rows, column.which
    positions = present(column.array)
    if positions is not None:
        rows, which = rows[positions], None if which is None else which[positions]
    keys, items, lengths = _pairs(column.array, positions)
    texts, codes = _keys(keys)
    pairs = codes if which is None else codes + len(texts) * np.repeat(which, lengths)
    found, pair = np.unique(pairs, return_inverse=True)
    owners, keys = np.divmod(found, max(len(texts), 1))
    pairs_of_names = ((column.names[owner], texts[key]) for owner, key in zip(owners, keys, strict=True))
    # An empty key is none, and no rule can mention an attribute without a name.
    names = tuple(f"{name}.{key}" if key else "" for name, key in pairs_of_names)
    return _Column(column.path, items, np.repeat(rows, lengths), names, pair, column.root or column.path)


def _pairs(array: pa.MapArray, positions: Longs | None) -> tuple[pa.Array, pa.Array, Longs]:
    """Return keys, items and lengths of the maps at these positions (None: all of them)."""
    ends = longs(array.offsets)
    lengths, first, count = np.diff(ends), int(ends[0]), int(ends[-1] - ends[0])
    keys, items = plain(array.keys.slice(first, count)), array.items.slice(first, count)
    if positions is None:
        return keys, items, lengths
    kept = lengths[positions]
    if kept.sum() < count:  # a map that is null may have items that nobody sees
        shown = np.zeros(len(lengths), bool)
        shown[positions] = True
        mask = pa.array(np.repeat(shown, lengths))
        keys, items = keys.filter(mask), plain(items).filter(mask)
    return keys, items, kept


def _keys(keys: pa.Array) -> tuple[list[str], Longs]:
    """Return the distinct keys of a map as text, and the number of each key among them."""
    if not is_scalar(keys.type):
        raise BadColumn(f"keys of Arrow's type {keys.type}; cast them to string")
    if pa.types.is_dictionary(keys.type):
        check_indices(keys)
    encoded = keys if pa.types.is_dictionary(keys.type) else keys.dictionary_encode()
    try:
        texts = [str(key) for key in encoded.dictionary.to_pylist()]
    except UnicodeDecodeError:
        raise BadColumn("a key that is not UTF-8") from None
    return texts, longs(encoded.indices)


def _is_name(name: str, last: str | None = None) -> bool:
    """Return whether a rule can mention this name, which ends in ``last``; what it cannot is left out."""
    return bool(name if last is None else last) and len(name) <= MAX_NAME_BYTES


def _joined(parts: list[tuple[NDArray[Any], ...]], types: tuple[type, ...]) -> Iterator[NDArray[Any]]:
    """Yield copies of the arrays of all parts, each put together with its like."""
    for index, kind in enumerate(types):
        yield np.concatenate([np.empty(0, kind), *(part[index] for part in parts)])
