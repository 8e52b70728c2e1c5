"""DNF and CNF: what the clauses are, and that the limit holds on the way."""

from __future__ import annotations

import time

import pytest

from hedgerow.errors import LimitError
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.language.rewrite import from_clauses, simplify, to_cnf, to_dnf


def simplified(text: str, missing: str = "unknown") -> tuple[Graph, int]:
    """Return a new graph and the simplified node of a text in it."""
    graph = Graph()
    return graph, simplify(graph, Parser(graph).parse(text), missing)


def pairs(count: int, outer: str = "AND", inner: str = "OR") -> str:
    """Return a text whose normal form has two to the power of ``count`` clauses."""
    return f" {outer} ".join(f"(a{number} = 1 {inner} b{number} = 1)" for number in range(count))


def test_clauses_are_sorted_tuples_of_literals() -> None:
    """Each literal once, by number."""
    graph, node = simplified("c = 1 AND (b = 1 OR a = 1) AND (b = 1 OR d = 1)")
    clauses = to_dnf(graph, node)
    assert all(list(clause) == sorted(set(clause)) for clause in clauses)
    assert {graph.kind(literal) for clause in clauses for literal in clause} == {Graph.LITERAL}
    assert len(set(clauses)) == len(clauses) == 4


def test_constants_are_no_clauses_or_an_empty_one() -> None:
    """One of no clauses is false, all of no clauses are true; and the other way round for the literals of a clause."""
    for text, dnf, cnf in (("TRUE", [()], []), ("FALSE", [], [()])):
        graph, node = simplified(text)
        assert to_dnf(graph, node) == dnf
        assert to_cnf(graph, node) == cnf
        assert from_clauses(graph, dnf) == from_clauses(graph, cnf, dnf=False) == node


def test_contradictions_are_found_under_the_other_reading() -> None:
    """With missing="false", NOT a = 1 is what a = 1 is not, and NOT a != 1 what a != 1 is not."""
    graph, node = simplified("(a = 1 AND NOT a = 1) OR (a != 1 AND NOT a != 1)", "false")
    assert to_dnf(graph, node) == []
    graph, node = simplified("(a = 1 OR NOT a = 1) AND (a != 1 OR NOT a != 1) AND (NOT a = 1 OR NOT a != 1)", "false")
    assert to_cnf(graph, node) == []


def test_the_limit_is_the_number_of_clauses() -> None:
    """Exactly as many clauses as the limit are allowed."""
    graph, node = simplified(pairs(6))
    assert len(to_dnf(graph, node, limit=64)) == 64
    assert len(to_cnf(graph, node, limit=6)) == 6
    with pytest.raises(LimitError, match="DNF of more than 63 clauses"):
        to_dnf(graph, node, limit=63)
    with pytest.raises(LimitError, match="CNF of more than 5 clauses"):
        to_cnf(graph, node, limit=5)


@pytest.mark.parametrize(
    "text",
    (
        pairs(60),
        pairs(60, "OR", "AND"),
        " XOR ".join(f"a{number} = 1" for number in range(1000)),
        "(" * 50_000 + "a = 1" + "".join(f" AND b{level} = 1) OR c{level} = 1)" for level in range(25_000)),
        " OR ".join(f"({pairs(9)})" for _ in range(3)) + " OR (" + pairs(60) + ")",
    ),
    ids=("and of or", "or of and", "xor", "deep", "late"),
)
def test_an_explosion_is_refused_soon(text: str) -> None:
    """At least one of the forms has too many clauses; finding that out takes bounded time (and not minutes)."""
    graph, node = simplified(text)
    started = time.process_time()
    with pytest.raises(LimitError):
        (to_dnf(graph, node), to_cnf(graph, node))
    assert time.process_time() - started < 60


def test_many_joins_that_end_in_few_clauses_are_limited_too() -> None:
    """Every way to join contradicts itself, so no clause arises at all; what is limited is the work."""
    none = " AND ".join(f"a{number} != 1" for number in range(100))
    some = " OR ".join(f"a{number} = 1" for number in range(100))
    graph, node = simplified(f"({some}) AND ({' OR '.join(f'({none} AND b = {number})' for number in range(100))})")
    assert to_dnf(graph, node) == []
    with pytest.raises(LimitError, match="too much work"):
        to_dnf(graph, node, limit=100)


def test_a_long_clause_is_joined_at_once() -> None:
    """Many thousand literals under one AND are one clause, and cost what they are."""
    graph, node = simplified(" AND ".join(f"a{number} = 1" for number in range(20_000)))
    (clause,) = to_dnf(graph, node, limit=1)
    assert len(clause) == 20_000
    assert len(to_cnf(graph, node, limit=20_000)) == 20_000


def test_normal_forms_need_what_is_simplified() -> None:
    """Predicates and NOT are refused, with what to do."""
    graph = Graph()
    with pytest.raises(ValueError, match=r"simplify\(\)"):
        to_dnf(graph, Parser(graph).parse("NOT a = 1"))
