"""Arrow arrays to kinds and payloads: one decoder for each family of types, all of them on whole arrays."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.event.assemble_cy import canonical_floats, intern_all
from hedgerow.limits import MAX_LIST
from hedgerow.symbols_cy import SymbolTable
from hedgerow.values import INT64_MAX, Kind, microseconds

__all__ = [
    "BadColumn",
    "BadValue",
    "Lists",
    "Scalars",
    "check_indices",
    "is_list",
    "is_object",
    "is_scalar",
    "lists",
    "longs",
    "plain",
    "present",
    "scalars",
]

Decoded: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.int64]]
Decoder: TypeAlias = Callable[[Any, SymbolTable], Decoded]

_MICROSECONDS = {"s": 1_000_000, "ms": 1_000}
_DAY = 86_400 * 1_000_000
_DAY_IN_MILLISECONDS = 86_400_000
_FIRST = microseconds(dt.datetime.min.replace(tzinfo=dt.UTC))
_LAST = microseconds(dt.datetime.max.replace(tzinfo=dt.UTC))


class BadColumn(Exception):
    """A column that no event can have; the message says why. It becomes an EventError that names the attribute."""


class BadValue(Exception):
    """Values that no event can have: their positions in the array, and why."""

    def __init__(self, positions: NDArray[np.int64], reason: str) -> None:
        super().__init__(positions, reason)
        self.positions = positions
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Scalars:
    """The values of an array that are not null."""

    positions: NDArray[np.int64] | None
    """Where they stand in the array; None where there is no null."""
    kinds: NDArray[np.uint8]
    payloads: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of an array that are not null, with all of their elements, nulls as such."""

    positions: NDArray[np.int64] | None
    lengths: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    payloads: NDArray[np.int64]


def plain(array: pa.Array) -> pa.Array:
    """Return the array in one of the encodings that the decoders know, which for text may be a dictionary."""
    while True:
        kind = array.type
        if isinstance(kind, pa.BaseExtensionType):
            array = array.storage
        elif pa.types.is_run_end_encoded(kind):
            array = pc.run_end_decode(array)
        elif pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
            # Arrow cannot decode these; polars makes them of its categories.
            check_indices(array)
            array = pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.large_string()))
        elif pa.types.is_dictionary(kind) and not _is_text_dictionary(array):
            array = array.dictionary_decode()
        elif pa.types.is_string_view(kind):
            array = array.cast(pa.large_string())
        else:
            return array


def check_indices(array: pa.DictionaryArray) -> None:
    """Raise unless every index has a value: Arrow itself does not look, and NumPy would count from the end."""
    if len(array) == array.null_count:
        return
    least, most = (end.as_py() for end in pc.min_max(array.indices).values())
    if least < 0 or most >= len(array.dictionary):
        raise BadColumn(f"index {least if least < 0 else most} is beyond a dictionary of {len(array.dictionary):,}")


def _is_text_dictionary(array: pa.DictionaryArray) -> bool:
    """Return whether a dictionary is worth keeping: text, and no more of it than there are rows in this part."""
    dictionary = array.dictionary
    text = pa.types.is_string(dictionary.type) or pa.types.is_large_string(dictionary.type)
    return text and dictionary.null_count == 0 and len(dictionary) <= len(array)


def is_scalar(kind: pa.DataType) -> bool:
    """Return whether events have values of this (plain) type."""
    return _decoder(kind) is not None


@lru_cache
def _decoder(kind: pa.DataType) -> Decoder | None:
    return next((decoder for test, decoder in _DECODERS if test(kind)), None)


@lru_cache
def is_list(kind: pa.DataType) -> bool:
    """Return whether this is any of Arrow's types of lists."""
    return any(test(kind) for test in _LISTS)


def is_object(kind: pa.DataType) -> bool:
    """Return whether values of this type have parts with names."""
    return bool(pa.types.is_struct(kind) or pa.types.is_map(kind))


def scalars(array: pa.Array, strings: SymbolTable) -> Scalars:
    """Return the values of a plain array of scalars, canonical, strings as numbers of ``strings``."""
    decoder = _decoder(array.type)
    if decoder is None:
        raise BadColumn(_no_such(array.type))
    positions = present(array)
    try:
        kinds, payloads = decoder(array if positions is None else array.drop_null(), strings)
    except BadValue as bad:
        raise BadValue(bad.positions if positions is None else positions[bad.positions], bad.reason) from None
    return Scalars(positions, kinds, payloads)


def present(array: pa.Array) -> NDArray[np.int64] | None:
    """Return the positions of what is not null; None where nothing is null."""
    if array.null_count == 0:
        return None
    return np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))


def lists(array: pa.Array, strings: SymbolTable) -> Lists:
    """Return the lists of an array of lists of scalars."""
    lengths = longs(pc.list_value_length(array).drop_null())
    _refuse_long(array, lengths)
    elements = plain(array.flatten())
    if not is_scalar(elements.type):
        raise BadColumn(_no_such(array.type))
    try:
        values = scalars(elements, strings)
    except BadValue as bad:
        listed = np.unique(np.searchsorted(np.cumsum(lengths), bad.positions, side="right"))
        positions = present(array)
        raise BadValue(listed if positions is None else positions[listed], bad.reason) from None
    if values.positions is None:
        return Lists(present(array), lengths, values.kinds, values.payloads)
    kinds = np.full(len(elements), Kind.NULL, np.uint8)
    payloads = np.zeros(len(elements), np.int64)
    kinds[values.positions] = values.kinds
    payloads[values.positions] = values.payloads
    return Lists(present(array), lengths, kinds, payloads)


def _refuse_long(array: pa.Array, lengths: NDArray[np.int64]) -> None:
    """Raise where a list is too long, before its elements are looked at."""
    if len(lengths) == 0 or lengths.max() <= MAX_LIST:
        return
    listed, positions = np.flatnonzero(lengths > MAX_LIST), present(array)
    raise BadValue(listed if positions is None else positions[listed], f"a list has at most {MAX_LIST:,} values")


def _no_such(kind: pa.DataType) -> str:
    advice = next((advice for test, advice in _ADVICE if test(kind)), "string")
    return f"events have no values of Arrow's type {kind}; cast the column to {advice}"


def _of(kind: Kind, payloads: NDArray[np.int64]) -> Decoded:
    # The kind is there once, seen as an array: its stride is zero.
    return np.broadcast_to(np.uint8(kind), payloads.shape), payloads


def longs(array: pa.Array) -> NDArray[np.int64]:
    """Return an array of integers, or of booleans, without nulls; as a view of it where that is possible."""
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False).astype(np.int64, copy=False))


def _nothing(array: pa.Array, _: SymbolTable) -> Decoded:
    return _of(Kind.NULL, np.zeros(len(array), np.int64))


def _booleans(array: pa.Array, _: SymbolTable) -> Decoded:
    return _of(Kind.BOOL, longs(array))


def _integers(array: pa.Array, _: SymbolTable) -> Decoded:
    if pa.types.is_uint64(array.type):
        _refuse(array.to_numpy(zero_copy_only=False) > np.uint64(INT64_MAX), "an integer beyond 64 bits")
    return _of(Kind.INT, longs(array))


def _floats(array: pa.Array, _: SymbolTable) -> Decoded:
    return canonical_floats(np.ascontiguousarray(array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)))


def _texts(array: pa.Array, strings: SymbolTable) -> Decoded:
    if pa.types.is_dictionary(array.type):
        check_indices(array)
        indices = longs(array.indices)
        try:
            return _of(Kind.STRING, _interned(array.dictionary, strings)[indices])
        except BadValue as bad:
            used = np.flatnonzero(np.isin(indices, bad.positions))
            if len(used):
                raise BadValue(used, bad.reason) from None
            return _texts(array.dictionary_decode(), strings)
    return _of(Kind.STRING, _interned(array, strings))


def _interned(texts: pa.Array, strings: SymbolTable) -> NDArray[np.int64]:
    """Return the number of each text. To make a dictionary first would hash distinct texts twice."""
    texts = texts.cast(pa.large_string())
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        bad = _not_utf8(texts)
        if not len(bad):
            raise BadColumn("text that is broken") from None
        raise BadValue(bad, "text that is not UTF-8") from None
    if len(texts) == 0:
        return np.empty(0, np.int64)
    _, starts, text = texts.buffers()
    positions = np.frombuffer(starts, np.int64, len(texts) + 1, 8 * texts.offset)
    return intern_all(strings, positions, np.frombuffer(text or b"", np.uint8))


def _not_utf8(texts: pa.Array) -> NDArray[np.int64]:
    """Return the positions of the texts that are none."""
    return np.flatnonzero([not _is_utf8(text) for text in texts.view(pa.large_binary()).to_pylist()])


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _timestamps(array: pa.Array, _: SymbolTable) -> Decoded:
    moments = longs(array.view(pa.int64()))
    if array.type.unit == "ns":
        moments = moments // 1_000
    return _of(Kind.TIMESTAMP, _scaled(moments, _MICROSECONDS.get(array.type.unit, 1)))


def _dates(array: pa.Array, _: SymbolTable) -> Decoded:
    if pa.types.is_date64(array.type):
        return _of(Kind.TIMESTAMP, _scaled(longs(array.view(pa.int64())) // _DAY_IN_MILLISECONDS, _DAY))
    return _of(Kind.TIMESTAMP, _scaled(longs(array.view(pa.int32())), _DAY))


def _scaled(moments: NDArray[np.int64], factor: int) -> NDArray[np.int64]:
    """Return moments in microseconds, which must be of the years that datetime has."""
    outside = (moments < _FIRST // factor) | (moments > _LAST // factor)
    _refuse(outside, "a timestamp outside the years 1 to 9999")
    return moments if factor == 1 else moments * factor


def _refuse(bad: NDArray[np.bool_], reason: str) -> None:
    if bad.any():
        raise BadValue(np.flatnonzero(bad), reason)


_Test: TypeAlias = Callable[[Any], bool]
_DECODERS: tuple[tuple[_Test, Decoder], ...] = (
    (pa.types.is_boolean, _booleans),
    (pa.types.is_integer, _integers),
    (pa.types.is_floating, _floats),
    (pa.types.is_string, _texts),
    (pa.types.is_large_string, _texts),
    (pa.types.is_dictionary, _texts),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_date, _dates),
    (pa.types.is_null, _nothing),
)
_LISTS: tuple[_Test, ...] = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)
_ADVICE: tuple[tuple[_Test, str], ...] = (
    (pa.types.is_decimal, "double or string"),
    (pa.types.is_time, "int64 or string"),
    (pa.types.is_duration, "int64"),
    (pa.types.is_nested, "structs, maps and lists of plain values"),
)
