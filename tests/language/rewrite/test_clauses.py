"""The compiled clauses are those of the plain walk, are counted before they are made, and cost what they are."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow.errors import LimitError
from hedgerow.language.evaluate import evaluate
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse import parse
from hedgerow.language.parse_cy import Parser
from hedgerow.language.rewrite import from_clauses, simplify, to_cnf, to_dnf
from hedgerow.language.rewrite.clauses_cy import Clauses
from hedgerow.testing import _testcapi
from hedgerow.testing import expressions as wide_expressions
from tests.language.rewrite.passes import READINGS, events, expressions

LIMIT = 300
FORMS = (True, False)
# Used again and again, as engines do: whatever came before must not matter.
USED = {dnf: Clauses(dnf, LIMIT) for dnf in FORMS}


def simplified(text: str, missing: str = "unknown") -> tuple[Graph, int]:
    """Return a new graph and the simplified node of a text in it."""
    graph = Graph()
    return graph, simplify(graph, Parser(graph).parse(text), missing)


def plain(graph: Graph, node: int, *, dnf: bool, limit: int = LIMIT) -> list[tuple[int, ...]]:
    """Return what the plain walk makes."""
    return to_dnf(graph, node, limit) if dnf else to_cnf(graph, node, limit)


def texts_of(graph: Graph, clauses: list[tuple[int, ...]]) -> list[list[str]]:
    """Return clauses as people would write their literals."""
    return [[str(graph.expression(literal)) for literal in clause] for clause in clauses]


def counted(graph: Graph, node: int, *, dnf: bool) -> int:
    """Return how many clauses there are where all are distinct and none is dropped."""
    counts: dict[int, int] = {}
    for part in graph.below(node):
        kind = graph.kind(part)
        operands = [counts[child] for child in graph.children(part)]
        if kind in {Graph.AND, Graph.OR}:
            counts[part] = sum(operands) if (kind == Graph.OR) == dnf else math.prod(operands)
        else:
            counts[part] = int(kind == Graph.LITERAL or (kind == Graph.TRUE) == dnf)
    return counts[node]


def pairs(count: int, outer: str = "AND", inner: str = "OR") -> str:
    """Return a text whose normal form has two to the power of ``count`` clauses."""
    return f" {outer} ".join(f"(a{number} = 1 {inner} b{number} = 1)" for number in range(count))


def assert_same(graph: Graph, node: int, *, dnf: bool) -> None:
    """Compare with the plain walk, order and all; what is too much as it is counted must be refused."""
    if counted(graph, node, dnf=dnf) > LIMIT:
        with pytest.raises(LimitError, match=f"{'DNF' if dnf else 'CNF'} of more than {LIMIT} clauses"):
            USED[dnf].made(graph, node)
        assert USED[dnf].count == 0
        return
    made = USED[dnf].made(graph, node)
    assert made == plain(graph, node, dnf=dnf)
    assert USED[dnf].count == len(made)


@pytest.mark.parametrize("dnf", FORMS)
@given(expression=expressions() | wide_expressions(), missing=st.sampled_from(READINGS))
@example(expression=parse("a IN (1^2, 3) AND (a NOT IN (1, 3) OR b = 1)"), missing="unknown")
@example(expression=parse("a IN (1^2, 3) AND a NOT IN (1, 3)"), missing="unknown")
@example(expression=parse("(a = 1^2 OR a != 1) AND (a = 1^3 OR b = 2)"), missing="false")
@example(expression=parse("a IN (1^2, 3) AND a NOT IN (1, 4)"), missing="unknown")
@example(expression=parse("(a IS NULL OR a IS NOT NULL OR b = 1) AND c = 1"), missing="false")
def test_clauses_are_those_of_the_plain_walk(expression: Expression, missing: str, *, dnf: bool) -> None:
    """In the same order, whatever the expression, the reading and what the workspace was used for before."""
    graph = Graph()
    assert_same(graph, simplify(graph, graph.add(expression), missing), dnf=dnf)


@pytest.mark.parametrize("dnf", FORMS)
@given(expression=expressions(), missing=st.sampled_from(READINGS))
def test_a_graph_that_repeats_itself_makes_no_difference(expression: Expression, missing: str, *, dnf: bool) -> None:
    """Where nothing is found again, one base test has many numbers, and still contradicts itself."""
    graph = Graph(unique=False)
    node = graph.add(graph_copy(expression, missing))
    assert_same(graph, simplify(graph, node, missing), dnf=dnf)


def graph_copy(expression: Expression, missing: str) -> Expression:
    """Return the expression as it reads once it is simplified: without XOR, of which a graph would repeat the parts."""
    graph = Graph()
    return graph.expression(simplify(graph, graph.add(expression), missing))


@given(expression=expressions(), event=events(), missing=st.sampled_from(READINGS))
def test_clauses_keep_what_matches(expression: Expression, event: dict[str, object], missing: str) -> None:
    """Both forms are true of the same events as the expression."""
    graph = Graph()
    node = simplify(graph, graph.add(expression), missing)
    for dnf in FORMS:
        if counted(graph, node, dnf=dnf) <= LIMIT:
            form = from_clauses(graph, USED[dnf].made(graph, node), dnf=dnf)
            truth = evaluate(expression, event, missing) is True
            assert (evaluate(graph.expression(form), event, missing) is True) is truth


@pytest.mark.parametrize(
    ("text", "dnf", "expected"),
    (
        ("a = 1", True, [["a = 1"]]),
        ("a = 1", False, [["a = 1"]]),
        ("b = 2 AND a = 1", True, [["b = 2", "a = 1"]]),
        ("b = 2 AND a = 1", False, [["a = 1"], ["b = 2"]]),
        ("b = 2 OR a = 1 AND c = 3", True, [["a = 1", "c = 3"], ["b = 2"]]),
        ("b = 2 AND (a = 1 OR c = 3)", True, [["b = 2", "a = 1"], ["b = 2", "c = 3"]]),
        ("a = 1 AND a != 1", True, []),
        ("a = 1 OR b = 2 AND b != 2", True, [["a = 1"]]),
        ("a = 1 OR a != 1", False, [["a = 1", "a != 1"]]),
        ("a IS NULL OR a IS NOT NULL", False, []),
        ("(a IS NULL OR a IS NOT NULL) AND b = 1", False, [["b = 1"]]),
        ("a = 1 OR NOT a = 1", True, [["a = 1"], ["a != 1"]]),
    ),
)
def test_clauses_of_small_expressions(text: str, dnf: bool, expected: list[list[str]]) -> None:
    """Literals and flat operators, one below the other, with what says nothing dropped."""
    graph, node = simplified(text)
    literals = {frozenset(clause) for clause in texts_of(graph, Clauses(dnf).made(graph, node))}
    assert literals == {frozenset(clause) for clause in expected}
    assert_same(graph, node, dnf=dnf)


def test_constants_are_no_clauses_or_an_empty_one() -> None:
    """One of no clauses is false, all of no clauses are true; and the other way round for the literals of a clause."""
    for text, dnf, cnf in (("TRUE", [()], []), ("FALSE", [], [()])):
        graph, node = simplified(text)
        assert USED[True].made(graph, node) == dnf
        assert USED[False].made(graph, node) == cnf


@pytest.mark.parametrize(("outer", "inner", "dnf"), ((Graph.OR, Graph.AND, True), (Graph.AND, Graph.OR, False)))
def test_what_is_not_in_order_is_no_other_clause(outer: int, inner: int, dnf: bool) -> None:
    """Operands in another order, repeated, or constants in the middle: as the plain walk takes them."""
    graph = Graph()
    one, two, three = (graph.literal(graph.predicate_of(Parser(graph).parse(f"a = {n}"))[0], 0) for n in range(3))
    forwards, backwards = graph.make(inner, [one, two, three, one]), graph.make(inner, [three, two, one])
    assert USED[dnf].made(graph, graph.make(outer, [forwards, two, backwards])) == [(one, two, three), (two,)]
    for value in (True, False):
        constant = graph.constant(value)
        nested = graph.make(outer, [graph.make(inner, [one, constant]), two, graph.make(inner, [two, forwards])])
        assert_same(graph, nested, dnf=dnf)
        assert_same(graph, graph.make(inner, [nested, graph.make(outer, [two, constant, three])]), dnf=dnf)


@pytest.mark.parametrize("count", (2, 62, 63, 64, 1000))
@pytest.mark.parametrize("weight", ("", "^2"), ids=("plain", "weighted"))
def test_long_clauses_are_as_right_as_short_ones(count: int, weight: str) -> None:
    """Above a few literals it is another way to find the opposed ones: the first, the last, or none."""
    literals = [f"a{number} = 1" for number in range(count - 1)]
    for opposed in (0, count - 2, None):
        last = "b != 1" if opposed is None else f"a{opposed} != 1"
        graph, node = simplified(" AND ".join([*literals, last, f"c = 1{weight}"]))
        assert_same(graph, node, dnf=True)
        assert len(USED[True].made(graph, node)) == (opposed is None)


def test_the_limit_is_the_number_of_clauses() -> None:
    """Exactly as many clauses as the limit are allowed, however they are made."""
    for text, dnf, count in ((pairs(6), True, 64), (pairs(6), False, 6), (pairs(5, "OR", "AND"), True, 5)):
        graph, node = simplified(text)
        assert len(Clauses(dnf, count).made(graph, node)) == count
        with pytest.raises(LimitError, match=f"^a [DC]NF of more than {count - 1} clauses$"):
            Clauses(dnf, count - 1).made(graph, node)


def test_clauses_are_counted_as_if_all_were_distinct() -> None:
    """What would end in fewer clauses is refused by the count, where the plain walk takes it."""
    graph, node = simplified("(a = 1 OR b = 1) AND (a = 1 OR b = 1 OR a != 1)")
    assert len(to_dnf(graph, node, limit=4)) == 4
    assert len(Clauses(dnf=True, limit=6).made(graph, node)) == 4
    with pytest.raises(LimitError, match="more than 5 clauses"):
        Clauses(dnf=True, limit=5).made(graph, node)


def test_a_limit_that_is_none_is_refused() -> None:
    """At least one clause, and no more than can be numbered."""
    for limit in (0, -1, 1 << 40):
        with pytest.raises(ValueError, match=f"not {limit:,}"):
            Clauses(dnf=True, limit=limit)


def test_a_hint_is_part_of_the_message() -> None:
    """An engine says which ones take what it refuses."""
    graph, node = simplified(pairs(2))
    clauses = Clauses(dnf=True, limit=3)
    clauses.hint = "the engines scan and atree take it"
    with pytest.raises(LimitError, match=r"^a DNF of more than 3 clauses; the engines scan and atree take it$"):
        clauses.made(graph, node)


def test_an_error_leaves_graph_and_workspace_as_they_were() -> None:
    """The next call finds nothing of the one that failed."""
    graph, small = simplified("a = 1 AND (b = 2 OR c = 3)")
    large = simplify(graph, Parser(graph).parse(pairs(9)))
    refused = Parser(graph).parse("NOT a = 1")
    clauses = Clauses(dnf=True, limit=100)
    expected, nodes = to_dnf(graph, small), graph.node_count
    for node, error in ((large, LimitError), (refused, ValueError), (-1, IndexError), (nodes, IndexError)):
        assert clauses.made(graph, small) == expected
        with pytest.raises(error):
            clauses.made(graph, node)
        assert graph.node_count == nodes
    assert clauses.made(graph, small) == expected


@pytest.mark.skipif(_testcapi is None, reason="this Python has nothing to make allocations fail with")
@pytest.mark.parametrize("text", ("a = 1 AND (b = 2 OR NOT a = 1)", "a = 1 AND b = 1 OR b = 2", pairs(6)))
def test_a_call_that_runs_out_of_memory_leaves_a_workspace_that_works(text: str) -> None:
    """Whichever allocation fails, in a new workspace, the same call then makes the right clauses."""
    graph, node = simplified(text)
    clauses, expected, fed, number = Clauses(dnf=True), to_dnf(graph, node), 0, 0
    while fed < 3:
        _testcapi.set_nomemory(number, number + 1)
        try:
            clauses.made(graph, node)
            fed += 1
        except Exception:  # noqa: BLE001 - NumPy, short of memory, raises what comes of it
            fed = 0
        finally:
            _testcapi.remove_mem_hooks()
        assert clauses.made(graph, node) == expected
        clauses, number = Clauses(dnf=True), number + 1


@pytest.mark.parametrize("text", ("a = 1", "NOT a = 1", "TRUE AND a = 1", "a = 1 XOR b = 1", "a = 1 OR b = 1"))
def test_what_is_not_simplified_is_refused(text: str) -> None:
    """Predicates, NOT and XOR, with what to do."""
    graph = Graph()
    node = Parser(graph).parse(text)
    for dnf in FORMS:
        with pytest.raises(ValueError, match=r"simplify\(\)"):
            USED[dnf].made(graph, node)


def test_an_exploding_chain_of_xor_is_refused_by_the_count() -> None:
    """A thousand operands share their halves, and would be two to the power of a thousand clauses."""
    graph, node = simplified(" XOR ".join(f"a{number} = 1" for number in range(1000)))
    for dnf in FORMS:
        with pytest.raises(LimitError, match="of more than 10,000 clauses"):
            Clauses(dnf).made(graph, node)


@pytest.mark.parametrize("distinct", (True, False), ids=("distinct", "repeated"))
def test_alternating_operators_may_be_nested_very_deeply(distinct: bool) -> None:
    """Nothing recurses: what repeats itself has few clauses at any depth, all else is refused for its literals."""
    depth = 100_000
    rest = "".join(f" AND b = {level % 3}) OR c = {level if distinct else level % 3})" for level in range(depth // 2))
    graph, node = simplified("(" * depth + "a = 1" + rest)
    with pytest.raises(LimitError, match="a DNF of more than 10,000 clauses"):
        Clauses(dnf=True).made(graph, node)
    clauses = Clauses(dnf=True, limit=depth)
    if distinct:
        with pytest.raises(LimitError, match="too many literals"):
            clauses.made(graph, node)
    else:
        made = clauses.made(graph, node)
        assert 3 < len(made) < 30
        assert made == clauses.made(graph, node)


def test_few_clauses_of_many_literals_are_limited_too() -> None:
    """A hundred clauses, each of which has twenty thousand literals: what is limited is what is written."""
    common = " AND ".join(f"a{number} = 1" for number in range(20_000))
    some = " OR ".join(f"b = {number}" for number in range(100))
    graph, node = simplified(f"({common}) AND ({some})")
    assert len(Clauses(dnf=True).made(graph, node)) == 100
    with pytest.raises(LimitError, match=r"a DNF of at most 100 clauses .* too many literals"):
        Clauses(dnf=True, limit=100).made(graph, node)


def test_many_literals_make_one_clause_or_many() -> None:
    """Twenty thousand under one operator cost what they are."""
    graph, node = simplified(" AND ".join(f"a{number} = 1" for number in range(20_000)))
    clauses = Clauses(dnf=True, limit=1)
    assert clauses.made(graph, node) == to_dnf(graph, node, limit=1)
    clauses = Clauses(dnf=False, limit=20_000)
    assert clauses.made(graph, node) == to_cnf(graph, node, limit=20_000)
    with pytest.raises(LimitError, match="CNF of more than 19,999 clauses"):
        Clauses(dnf=False, limit=19_999).made(graph, node)


def test_many_clauses_of_many_operands() -> None:
    """Each of five hundred thousand literals written is in its place."""
    text = " AND ".join(f"({' OR '.join(f'a{operand} = {number}' for number in range(10))})" for operand in range(4))
    graph, node = simplified(text)
    assert Clauses(dnf=True).made(graph, node) == to_dnf(graph, node)
    text = " OR ".join(f"a = {number} AND b = {number % 7} AND c = {number % 5}" for number in range(9000))
    graph, node = simplified(text)
    assert Clauses(dnf=True).made(graph, node) == to_dnf(graph, node)
