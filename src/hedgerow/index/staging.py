"""Chunks of rows, parsed: each while the one before it is inserted, if they are Arrow's.

::

    this thread     insert chunk 1 │ insert chunk 2 │ ...
    another one     parse  chunk 2 │ parse  chunk 3 │ ...

Texts in Arrow's buffers are parsed without the GIL, which inserting holds. Rows of Python objects are parsed here, one
chunk after the other: they need the GIL, and the iterator that they come from may be anybody's.
"""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.index.rows import Texts
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from concurrent.futures import Future

    import numpy as np
    import numpy.typing as npt

    from hedgerow.errors import HedgerowError
    from hedgerow.index.rows import Chunk

__all__ = ["Staged", "staged"]


class Staged(NamedTuple):
    """A chunk whose expressions are nodes of a graph, until the chunk after the next one takes their place."""

    chunk: Chunk
    graph: Graph
    nodes: npt.NDArray[np.int32]
    errors: dict[int, HedgerowError]


class _Stage:
    """A graph for one chunk at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._parser = Parser(graph)

    def parse(self, chunk: Chunk) -> Staged:
        self._graph.clear()
        return Staged(chunk, self._graph, *chunk.parse(self._parser))

    def alike(self) -> _Stage:
        """Return one with as much room: a graph that must grow waits for the GIL."""
        return _Stage(self._graph.alike())

    def begin(self, pool: ThreadPoolExecutor, chunk: Chunk) -> Future[Staged]:
        """Have texts parsed in another thread, and wait until it does so: inserting would not let it have the GIL."""
        self._graph.clear()
        texts, begun = Texts(chunk.texts), threading.Event()

        def parse() -> Staged:
            # From here on to where the parser lets go of it, nothing else does.
            begun.set()
            return Staged(chunk, self._graph, *texts.parse(self._parser))

        coming = pool.submit(parse)
        begun.wait()
        return coming


def staged(chunks: Iterator[Chunk]) -> Generator[Staged]:
    """Yield the chunks, parsed; what one yields is to be inserted before the next is asked for.

    >>> from hedgerow.index.rows import chunks
    >>> (stage,) = staged(chunks([(7, "age > 20"), (8, "age >")]))
    >>> str(stage.graph.expression(stage.nodes[0])), list(stage.errors)
    ('age > 20', [1])
    """
    stage = _Stage(Graph())
    waiting: Chunk | None = None
    for chunk in chunks:
        if chunk.texts is None:
            yield stage.parse(chunk)
        elif waiting is None:
            waiting = chunk
        else:
            yield from _ahead(waiting, chunk, chunks, stage)
            return
    if waiting is not None:
        yield stage.parse(waiting)


def _ahead(first: Chunk, second: Chunk, others: Iterator[Chunk], here: _Stage) -> Iterator[Staged]:
    """Yield the chunks, all of them Arrow's, each parsed while the one before it is inserted."""
    with ThreadPoolExecutor(1, thread_name_prefix="hedgerow-parse") as pool:
        try:
            pool.submit(int)  # its thread is there from now on
        except RuntimeError:  # none is to be had, or Python is about to end
            yield from map(here.parse, itertools.chain((first, second), others))
            return
        done = here.parse(first)
        there = here.alike()
        for chunk in itertools.chain((second,), others):
            coming = there.begin(pool, chunk)
            yield done
            done = coming.result()
            here, there = there, here
        yield done
