"""Columns to rows: how a block of Arrow columns becomes entries of events.

Columns are taken apart until only leaves are left: a struct into its fields, a map into its keys. Each leaf is decoded
as a whole and gives one entry for each value that is not null; a merge of all leaves puts the entries in rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.errors import EventError
from hedgerow.event.assemble_cy import first_repeat, merged
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.columns import BadColumn, BadValue, is_list, is_scalar, lists, longs, plain, present, scalars
from hedgerow.limits import MAX_NAME_BYTES
from hedgerow.symbols_cy import SymbolTable
from hedgerow.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Assembly"]

Longs: TypeAlias = NDArray[np.int64]

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Column:
    """An array of which each element belongs to a row and to one of some names."""

    path: str
    array: pa.Array
    rows: Longs
    names: Sequence[str]
    which: Longs | None = None
    """The name of each element, as a position in ``names``; None where one name is for all."""

    def name_at(self, position: int) -> str:
        """Return the name of an element."""
        return self.names[0 if self.which is None else int(self.which[position])]


class Assembly:
    """Entries of events, from one block of rows after another."""

    def __init__(self) -> None:
        """Start without a row."""
        self.row_count = 0
        self._names = SymbolTable()
        self._strings = SymbolTable()
        self._entry_count = 0
        self._list_count = 0
        self._entries: list[tuple[NDArray[Any], ...]] = []
        self._lists: list[tuple[NDArray[Any], ...]] = []

    def add(self, block: pa.RecordBatch) -> None:
        """Add the rows of a block."""
        leaves = list(_leaves(block))
        named = [leaf.names[0] for leaf in leaves if leaf.which is None]
        _refuse_repeated(named, "given twice, once by nesting and once by a dotted name")
        starts, attributes, kinds, payloads = merged([self._decoded(leaf) for leaf in leaves], block.num_rows)
        if len(named) < len(leaves):  # the keys of a map are not known before
            self._refuse_repeat(starts, attributes)
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
        return EventBatch(self._names, self._strings, *entries, list_start, element_kinds, element_payloads)

    def _decoded(self, leaf: _Column) -> tuple[Longs, NDArray[np.int32], NDArray[np.uint8], Longs]:
        """Return the entries of a leaf: their rows, attributes, kinds and payloads."""
        try:
            positions, kinds, payloads = self._values(leaf.array)
        except BadValue as bad:
            event, name = self.row_count + int(leaf.rows[bad.position]), leaf.name_at(bad.position)
            raise EventError(f"event {event}: attribute {_shown(name)}: {bad.reason}") from None
        except (BadColumn, pa.ArrowException) as error:
            raise EventError(f"attribute {_shown(leaf.path)}: {error}") from None
        numbers = np.array([self._names.intern(name) for name in leaf.names], np.int32)
        attributes = np.broadcast_to(numbers, leaf.rows.shape) if leaf.which is None else numbers[leaf.which]
        if positions is None:
            return leaf.rows, attributes, kinds, payloads
        return leaf.rows[positions], attributes[positions], kinds, payloads

    def _values(self, array: pa.Array) -> tuple[Longs | None, NDArray[np.uint8], Longs]:
        """Return the values of a leaf, and where they stand if not everywhere."""
        if not is_list(array.type):
            values = scalars(array, self._strings)
            return values.positions, values.kinds, values.payloads
        listed = lists(array, self._strings)
        self._lists.append((listed.lengths, listed.kinds, listed.payloads))
        first = self._list_count
        self._list_count += len(listed.lengths)
        numbers = np.arange(first, self._list_count)
        return listed.positions, np.broadcast_to(np.uint8(Kind.LIST), numbers.shape), numbers

    def _refuse_repeat(self, starts: Longs, attributes: NDArray[np.int32]) -> None:
        repeat = first_repeat(starts, attributes, len(self._names))
        if repeat is not None:
            row, entry = repeat
            name = _shown(self._names[int(attributes[entry])])
            raise EventError(f"event {self.row_count + row}: attribute {name}: given twice")


def _leaves(block: pa.RecordBatch) -> Iterator[_Column]:
    """Yield the columns of scalars and lists, in the order of the columns that they are in."""
    _refuse_repeated(block.schema.names, "two columns have this name")
    rows = np.arange(block.num_rows)
    names = [_dotted("", name) for name in block.schema.names]
    stack = [_Column(name, array, rows, (name,)) for name, array in zip(names, block.columns, strict=True)]
    stack.reverse()
    while stack:
        column = _plain(stack.pop())
        if pa.types.is_struct(column.array.type):
            stack.extend(reversed(_fields(column)))
        elif pa.types.is_map(column.array.type):
            stack.append(_items(column))
        else:
            yield column


def _plain(column: _Column) -> _Column:
    try:
        return replace(column, array=plain(column.array))
    except pa.ArrowException as error:
        raise EventError(f"attribute {_shown(column.path)}: {error}") from None


def _fields(column: _Column) -> list[_Column]:
    """Return the fields of structs; those of a null struct are null."""
    fields = [column.array.type.field(index).name for index in range(column.array.type.num_fields)]
    _refuse_repeated(fields, f"two fields of {_shown(column.path)} have this name")
    return [_field(column, *pair) for pair in zip(fields, column.array.flatten(), strict=True)]


def _field(column: _Column, field: str, array: pa.Array) -> _Column:
    names = [_dotted(f"{name}.", field) for name in column.names]
    return replace(column, path=f"{column.path}.{field}", array=array, names=names)


def _items(column: _Column) -> _Column:
    """Return the items of maps, each under its own name."""
    array, rows, which = column.array, column.rows, column.which
    positions = present(array)
    if positions is not None:
        array, rows = array.drop_null(), rows[positions]
        which = None if which is None else which[positions]
    ends = longs(array.offsets)
    lengths = np.diff(ends)
    first, count = int(ends[0]), int(ends[-1] - ends[0])
    texts, codes = _keys(column, array.keys.slice(first, count))
    pairs = codes if which is None else codes + len(texts) * np.repeat(which, lengths)
    found, pair = np.unique(pairs, return_inverse=True)
    owners, keys = np.divmod(found, max(len(texts), 1))
    names = [_dotted(f"{column.names[owner]}.", texts[key]) for owner, key in zip(owners, keys, strict=True)]
    return _Column(column.path, array.items.slice(first, count), np.repeat(rows, lengths), names, pair)


def _keys(column: _Column, keys: pa.Array) -> tuple[list[str], Longs]:
    """Return the distinct keys of a map as text, and the number of each key among them."""
    keys = plain(keys)
    if not is_scalar(keys.type):
        raise EventError(f"attribute {_shown(column.path)}: keys of Arrow's type {keys.type}; cast them to string")
    encoded = keys if pa.types.is_dictionary(keys.type) else keys.dictionary_encode()
    try:
        texts = [str(key) for key in encoded.dictionary.to_pylist()]
    except UnicodeDecodeError:
        raise EventError(f"attribute {_shown(column.path)}: a key that is not UTF-8") from None
    return texts, longs(encoded.indices)


def _dotted(prefix: str, key: str) -> str:
    name = prefix + key
    if not key:
        under = f" under {_shown(prefix[:-1])}" if prefix else ""
        raise EventError(f"attribute names are non-empty strings, not an empty one{under}")
    if len(name) > MAX_NAME_BYTES or len(name.encode()) > MAX_NAME_BYTES:
        raise EventError(f"attribute {_shown(name)}: the name is longer than {MAX_NAME_BYTES:,} bytes")
    return name


def _refuse_repeated(names: Sequence[str], reason: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise EventError(f"attribute {_shown(name)}: {reason}")
        seen.add(name)


def _joined(parts: list[tuple[NDArray[Any], ...]], types: tuple[type, ...]) -> Iterator[NDArray[Any]]:
    """Yield copies of the arrays of all parts, each put together with its like."""
    for index, kind in enumerate(types):
        yield np.concatenate([np.empty(0, kind), *(part[index] for part in parts)])


def _shown(name: str) -> str:
    text = repr(name)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
