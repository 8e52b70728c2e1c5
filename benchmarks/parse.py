"""How many predicates a second are parsed on one core, by each way from text to what indexes take.

The figure that counts is the first: texts from Arrow, in chunks, into the graph that engines read. It is the way of
``Index.insert_many``. The last is a parser in plain Python, so that each ratio comes from one run on one machine.
Slower ways get a tenth of the texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import hedgerow as hr
from benchmarks._common import Measured, arguments_of, best_of, table
from benchmarks._plain import PlainParser
from hedgerow.index.rows import CHUNK_ROWS, chunks
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.workload.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PREDICATES = 3  # in each expression
EVERY = 50  # of how many expressions one is compared in full


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of(
        "benchmarks.parse", __doc__, given, expressions=200_000, attributes=1000, values=100, seed=1, repeats=3
    )
    draw = Draw(options.seed)
    texts = [expression(draw, options.attributes, options.values) for _ in range(options.expressions)]
    rows = measured(texts, options.repeats)
    verify(texts)
    print("  like", texts[0])
    print(*table("predicates", rows), sep="\n")
    print(
        f"verified: {PREDICATES * len(texts):,} predicates in the graph; every {EVERY}th expression as hr.parse has it"
    )


def expression(draw: Draw, attributes: int, values: int) -> str:
    """Return an expression like ``(a669 = 88 OR a569 > 75) AND a519 BETWEEN 57 AND 81``."""
    first, second, third = (predicate(draw, attributes, values) for _ in range(PREDICATES))
    return f"({first} OR {second}) AND {third}"


def predicate(draw: Draw, attributes: int, values: int) -> str:
    """Return a test of one attribute."""
    operator = draw.one(("=", "<", ">", "BETWEEN"))
    name, value = draw.below(attributes), draw.below(values)
    end = f" AND {value + draw.below(values - value)}" if operator == "BETWEEN" else ""
    return f"a{name} {operator} {value}{end}"


def measured(texts: list[str], repeats: int) -> list[Measured]:
    """Return how long each way took."""
    rows = table_of(texts)
    some = texts[: max(1, len(texts) // 10)]

    def way(name: str, count: int, run: Callable[[], object]) -> Measured:
        return Measured(name, PREDICATES * count, best_of(repeats, run))

    return [
        way("Arrow text into the graph, in chunks", len(texts), lambda: consume(graphs(rows))),
        way("one text at a time into the graph", len(texts), lambda: one_by_one(texts)),
        way("insert_many into scan, end to end", len(texts), lambda: hr.Index().insert_many(rows, progress=False)),
        way("hr.parse, to objects", len(some), lambda: consume(map(hr.parse, some))),
        way("hr.parse, then objects into the graph", len(some), lambda: consume(map(Graph().add, map(hr.parse, some)))),
        way("plain Python, into a dict of parts", len(some), lambda: consume(map(PlainParser().parse, some))),
    ]


def table_of(texts: list[str]) -> pa.Table:
    """Return the rows as ``insert_many`` takes them."""
    return pa.table({"id": pa.array(range(len(texts))), "expression": pa.array(texts)})


def graphs(rows: pa.Table) -> Iterator[tuple[Graph, list[int]]]:
    """Yield the graph of each chunk of rows, and the nodes of its expressions: what ``insert_many`` gives an engine."""
    graph = Graph()
    parser = Parser(graph)
    for chunk in chunks(rows):
        graph.clear()
        nodes, errors = chunk.parse(parser)
        assert not errors
        yield graph, nodes.tolist()


def one_by_one(texts: list[str]) -> None:
    """Parse each text by itself; the graph holds as many at once as it does for a chunk."""
    graph = Graph()
    parser = Parser(graph)
    for number, text in enumerate(texts):
        if number % CHUNK_ROWS == 0:
            graph.clear()
        parser.parse(text)


def verify(texts: list[str]) -> None:
    """Compare what the graph holds with what was generated, and some of it with what the other ways make of it."""
    rows = table_of(texts)
    plain = PlainParser()
    number = found = 0
    for graph, nodes in graphs(rows):
        for node in nodes:
            found += predicates_below(graph, node)
            if number % EVERY == 0:
                parsed = hr.parse(texts[number])
                assert graph.expression(node) == parsed, texts[number]
                assert plain.parse(texts[number]) == plain.add(parsed), texts[number]
            number += 1
    assert number == len(texts), f"{number:,} expressions, not {len(texts):,}"
    assert found == PREDICATES * len(texts), f"{found:,} predicates, not {PREDICATES * len(texts):,}"


def predicates_below(graph: Graph, node: int) -> int:
    """Return how many predicates an expression has, each as often as it stands there."""
    count, stack = 0, [node]
    while stack:
        children = graph.children(stack.pop())
        stack.extend(children)
        count += not children
    return count


def consume(results: Iterable[object]) -> None:
    """Take all results and keep none."""
    for _ in results:
        pass


if __name__ == "__main__":
    main()
