"""Chunks of rows, parsed: each while the one before it is inserted, if they are Arrow's.

::

    this thread     insert chunk 1 │ insert chunk 2 │ ...
    another one     parse  chunk 2 │ parse  chunk 3 │ ...

Texts in Arrow's buffers are parsed without the GIL, which inserting holds, and the predicates that the index had when a
chunk was begun are found there as well. Rows of Python objects are parsed here, one chunk after the other: they need
the GIL, and the iterator that they come from may be anybody's.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.index.rows import Texts
from hedgerow.language.copy_cy import Copier
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

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

    def forget(self) -> None:
        """Let go of what was found ahead, and with it of the arrays that the index had then."""
        self._graph.foreseen = None

    def begin(self, pool: ThreadPoolExecutor, chunk: Chunk, seen: Graph | None) -> Future[Staged]:
        """Have texts parsed in another thread, and wait until it does so: inserting would not let it have the GIL."""
        self._graph.clear()
        texts, begun, copier = Texts(chunk.texts), threading.Event(), None
        if seen is not None:
            copier = Copier(self._graph, seen)
            copier.prepare()

        def parse() -> Staged:
            # From here on to where the parser lets go of it, nothing else does.
            begun.set()
            parsed = Staged(chunk, self._graph, *texts.parse(self._parser, copier))
            self._graph.foreseen = copier
            return parsed

        try:
            coming = pool.submit(parse)
        except RuntimeError:  # no thread is to be had, or Python has begun to end
            pool.shutdown(wait=False, cancel_futures=True)
            coming = Future()
            coming.set_result(parse())
        begun.wait()
        return coming


def staged(chunks: Iterator[Chunk], seen: Callable[[], Graph | None] = lambda: None) -> Generator[Staged]:
    """Yield the chunks, parsed; what one yields is to be inserted before the next is asked for.

    ``seen`` returns the predicates of an index as they are now (see ``Graph.seen``), if they can be looked up ahead.

    >>> from hedgerow.index.rows import chunks
    >>> (stage,) = staged(chunks([(7, "age > 20"), (8, "age >")]))
    >>> str(stage.graph.expression(stage.nodes[0])), list(stage.errors)
    ('age > 20', [1])
    """
    stage = _Stage(Graph())
    for chunk in chunks:
        if chunk.texts is None:
            yield stage.parse(chunk)
        else:
            yield from _ahead(chunk, chunks, stage, seen)


def _ahead(first: Chunk, others: Iterator[Chunk], here: _Stage, seen: Callable[[], Graph | None]) -> Iterator[Staged]:
    """Yield the chunks, all of them Arrow's, each parsed while the one before it is inserted."""
    done, there = here.parse(first), here.alike()
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="hedgerow-parse") as pool:
            while True:
                try:
                    chunk = next(others, None)
                    if chunk is None:
                        break
                    coming = there.begin(pool, chunk, seen())
                except BaseException:
                    yield done  # which was there before
                    raise
                yield done
                here.forget()
                done = coming.result()
                here, there = there, here
            yield done
    finally:
        here.forget()
        there.forget()
