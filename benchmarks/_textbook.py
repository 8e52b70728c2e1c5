"""What to beat: the A-Tree of the paper in plain C++ (``textbook.cpp``), compiled when it is first wanted.

It reads the generator's own text, and only that: AND and OR of tests of the attributes ``a0``, ``a1``, ... by whole
numbers.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from ctypes import c_double, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.workload.abe import AbeParameters
from tools import sources

Event = Mapping[str, int]

_SOURCE = Path(__file__).with_name("textbook.cpp")
_OPTIONS = ("-std=c++17", "-O3", "-shared", "-fPIC")


class TextbookEvents(NamedTuple):
    """Events as the textbook takes them: attributes and values of all, and where those of each start."""

    attributes: NDArray[np.int32]
    values: NDArray[np.int32]
    starts: NDArray[np.int64]


class Textbook:
    """An A-Tree of the workload with these parameters; add the text of all expressions, finish, then match."""

    def __init__(self, parameters: AbeParameters) -> None:
        """Make an empty one."""
        self._library = _library()
        presence = parameters.event_size / parameters.dimensions
        self._tree = self._library.textbook_new(parameters.dimensions, parameters.cardinality, presence)

    def __del__(self) -> None:
        """Give its memory back."""
        if tree := getattr(self, "_tree", None):
            self._library.textbook_free(tree)

    def add(self, texts: pa.StringArray) -> None:
        """Add expressions; they are numbered from 0."""
        _, offsets, data = texts.buffers()
        starts = np.frombuffer(offsets, dtype=np.int32)[texts.offset :]
        rows = self._library.textbook_add(self._tree, data.address, _address(starts), len(texts))
        if rows != len(texts):
            raise ValueError(f"the textbook cannot read {texts[rows].as_py()!r}")

    def finish(self) -> None:
        """Choose access children and link parents, after all expressions and before the first event."""
        self._library.textbook_finish(self._tree)

    @property
    def literals(self) -> int:
        """How many distinct predicates there are."""
        return int(self._library.textbook_literals(self._tree))

    @property
    def nodes(self) -> int:
        """How many distinct nodes there are above the predicates."""
        return int(self._library.textbook_nodes(self._tree))

    def counts(self, events: TextbookEvents) -> NDArray[np.int64]:
        """Match events, one at a time, and return how many expressions match each."""
        counts = np.empty(len(events.starts) - 1, dtype=np.int64)
        attributes, values, starts = _address(events.attributes), _address(events.values), _address(events.starts)
        self._library.textbook_match(self._tree, attributes, values, starts, len(counts), _address(counts))
        return counts

    def match(self, event: Event) -> list[int]:
        """Return the numbers of the expressions that match one event, ascending."""
        (count,) = self.counts(textbook_events([event])).tolist()
        found = ctypes.cast(self._library.textbook_found(self._tree), ctypes.POINTER(c_int32))
        return sorted(found[:count])


def textbook_events(events: Sequence[Event]) -> TextbookEvents:
    """Return events as arrays."""
    attributes = [int(name.removeprefix("a")) for event in events for name in event]
    values = [value for event in events for value in event.values()]
    starts = np.cumsum([0, *map(len, events)], dtype=np.int64)
    return TextbookEvents(np.array(attributes, dtype=np.int32), np.array(values, dtype=np.int32), starts)


def _address(array: NDArray[np.integer]) -> int:
    return int(array.ctypes.data)


@functools.cache
def _library() -> ctypes.CDLL:
    """Return the compiled textbook with its functions declared."""
    library = ctypes.CDLL(str(_compiled()))
    for name, result, *arguments in (
        ("new", c_void_p, c_int32, c_int32, c_double),
        ("free", None, c_void_p),
        ("add", c_int64, c_void_p, c_void_p, c_void_p, c_int64),
        ("finish", None, c_void_p),
        ("literals", c_int64, c_void_p),
        ("nodes", c_int64, c_void_p),
        ("match", None, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p),
        ("found", c_void_p, c_void_p),
    ):
        function = getattr(library, f"textbook_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _compiled() -> Path:
    """Return the compiled file, made anew if the source, the compiler or its options are others than before."""
    command = [*shlex.split(os.environ.get("CXX") or "c++"), *_OPTIONS]
    digest = hashlib.sha256(_SOURCE.read_bytes() + repr(command).encode()).hexdigest()[:16]
    target = sources.ROOT / "build" / f"textbook-{digest}.so"
    if not target.exists():
        _compile(command, target)
    return target


def _compile(command: list[str], target: Path) -> None:
    if shutil.which(command[0]) is None:
        raise RuntimeError(f"the textbook A-Tree needs a C++ compiler, and there is no {command[0]!r}: set CXX")
    target.parent.mkdir(exist_ok=True)
    # Under a name of its own first: another process may be doing the same.
    unfinished = target.with_suffix(f".{os.getpid()}")
    done = subprocess.run(  # noqa: S603 - the compiler that the user has chosen
        [*command, "-o", str(unfinished), str(_SOURCE)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the textbook A-Tree does not compile:\n{done.stderr}")
    unfinished.replace(target)
