"""The switches of the A-Tree: every combination is right, and each does what the paper's examples say that it does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import pytest

import hedgerow as hr
from hedgerow.index.atree.choice import atree_engine
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.options import ACCESS_CHOICES
from hedgerow.index.atree.unsuppressed_cy import UnsuppressedEngine
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.testing import (
    CHECKS,
    Factory,
    check_a_search_that_raises_changes_nothing,
    check_matches_are_the_oracles,
)
from tools import sources

SWITCHES = ("uniqueness", "reorganisation", "self_adjustment", "zero_suppression", "propagation_on_demand")
ON = hr.ATreeOptions()
EVERY = [
    replace(ON, **dict(zip(SWITCHES, values, strict=True)), access=access)
    for values in itertools.product((True, False), repeat=len(SWITCHES))
    for access in ACCESS_CHOICES
]


def without(*switches: str, access: str = "selective") -> hr.ATreeOptions:
    """Return the options with these switches off."""
    return hr.ATreeOptions(**dict.fromkeys(switches, False), access=access)


def name_of(options: object) -> str:
    """Return the name of a test's options: what is off, and the access choice if it is not the usual one."""
    assert isinstance(options, hr.ATreeOptions)
    off = [switch for switch in SWITCHES if not getattr(options, switch)]
    return "-".join([*(["without", *off] if off else ["all"]), *([options.access] * (options.access != "selective"))])


PAIRS = [without("zero_suppression", switch) for switch in SWITCHES if switch != "zero_suppression"]
WHOLE = [ON, *(without(switch) for switch in SWITCHES), *PAIRS, without(*SWITCHES)]
# This check makes every allocation of a search fail: up to half a minute with all checks on. There it has each switch
# off alone and all of them off; the pairs have it on the usual build.
CONTRACTS = [
    (options, check)
    for options in WHOLE
    for check in CHECKS
    if not (sources.checked() and options in PAIRS and check is check_a_search_that_raises_changes_nothing)
]


@pytest.fixture
def _few_examples() -> Iterator[None]:
    """Let many combinations have few examples each: together they are many."""
    before = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.register_profile("few", hypothesis.settings.get_profile(before), max_examples=6)
    hypothesis.settings.load_profile("few")
    yield
    hypothesis.settings.load_profile(before)


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("options", EVERY, ids=name_of)
def test_every_combination_matches_what_the_oracle_says(options: hr.ATreeOptions) -> None:
    """All 96 of them, on random expressions and events, under both readings."""
    check_matches_are_the_oracles(lambda missing: hr.Index("atree", missing=missing, options=options))


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize(
    ("options", "check"),
    CONTRACTS,
    ids=lambda given: name_of(given) if isinstance(given, hr.ATreeOptions) else given.__name__,
)
def test_a_combination_keeps_the_whole_contract(options: hr.ATreeOptions, check: Callable[[Factory], None]) -> None:
    """Each switch off alone, beside zero suppression off, and all of them off."""
    check(lambda missing: hr.Index("atree", missing=missing, options=options))


# Structure


class Grown:
    """An engine, and the expressions that it was given."""

    def __init__(self, options: hr.ATreeOptions, *texts: str) -> None:
        """Insert texts, each by itself."""
        self.engine = atree_engine("unknown", options)
        self.count = 0
        for text in texts:
            self.insert(text)

    def insert(self, text: str) -> int:
        """Insert one more, and return by how many nodes the tree has grown."""
        before = self.engine.node_count
        graph = Graph()
        self.engine.insert(self.count, graph, Parser(graph).parse(text), 0.0)
        self.engine.commit()
        self.count += 1
        return self.engine.node_count - before

    def delete(self, slot: int) -> int:
        """Delete one, and return by how many nodes the tree has shrunk."""
        before = self.engine.node_count
        self.engine.delete(slot)
        self.engine.commit()
        return before - self.engine.node_count

    def operands(self, slot: int) -> set[object]:
        """Return the operands of a slot's root, whatever their order."""
        assert isinstance(self.engine, ATreeEngine)
        tree = self.engine.tree
        return {shape(tree.expression(node)) for node in tree.operands_of(self.engine.root_of(slot))}

    def matches(self, **event: bool) -> list[int]:
        """Return the slots that match an event."""
        slots: list[int] = self.engine.match(hr.events([event])).slots.tolist()
        return slots

    @property
    def visits(self) -> int:
        """What the last search did."""
        assert isinstance(self.engine, UnsuppressedEngine)
        return self.engine.visits


def shape(expression: hr.Expression) -> object:
    """Return what is equal for expressions that differ only in the order of operands."""
    if isinstance(expression, hr.Predicate):
        return expression.attribute
    return type(expression).__name__, frozenset(map(shape, expression.operands))


def parts(*expressions: str) -> set[object]:
    """Return the shapes of expressions."""
    return {shape(hr.parse(expression)) for expression in expressions}


FIGURE_4 = ("(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)", "(p5 OR p6) AND (p7 OR p8)")


@pytest.mark.parametrize("zero_suppression", (True, False))
def test_figure_4_has_the_shared_part_once(zero_suppression: bool) -> None:
    """Eight predicates, three ORs and two ANDs; without uniqueness the second expression shares nothing."""
    shared = Grown(replace(ON, zero_suppression=zero_suppression), *FIGURE_4)
    assert shared.engine.node_count == 8 + 3 + 2
    apart = Grown(replace(ON, zero_suppression=zero_suppression, uniqueness=False), *FIGURE_4)
    assert apart.engine.node_count == (6 + 2 + 1) + (4 + 2 + 1)
    for grown in (shared, apart):
        assert grown.matches(p1=True, p4=True, p5=True, p8=True) == [0, 1]
        assert grown.matches(p1=True, p4=True) == []


@pytest.mark.parametrize("zero_suppression", (True, False))
def test_section_4_2_1_the_order_of_operands_makes_no_difference(zero_suppression: bool) -> None:
    """Expr1 and Expr2 have one node, unless uniqueness is off."""
    texts = ("(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)", "p4 AND (p3 OR p2 OR p1) AND (p6 OR p5)")
    assert Grown(replace(ON, zero_suppression=zero_suppression), *texts).engine.node_count == 9
    apart = Grown(replace(ON, zero_suppression=zero_suppression, uniqueness=False), *texts)
    assert apart.engine.node_count == 2 * 9


@pytest.mark.parametrize("zero_suppression", (True, False))
def test_without_uniqueness_rows_of_one_batch_share_nothing_either(zero_suppression: bool) -> None:
    """The rows of ``insert_many`` come in one graph, which has equal parts once."""
    sizes = []
    for options in (ON, replace(ON, uniqueness=False)):
        index = hr.Index("atree", options=replace(options, zero_suppression=zero_suppression))
        index.insert_many((number, "(a = 1 OR b = 2) AND c = 3") for number in range(100))
        sizes.append(index._state.engine.node_count)  # type: ignore[attr-defined]
        assert index.match({"b": 2, "c": 3}) == list(range(100))
    assert sizes == [5, 500]


def test_figure_5_builds_over_the_part_that_is_there() -> None:
    """P1 OR P2 OR P3 OR P4 becomes (P1 OR P2 OR P3) OR P4, one node with two operands; else it has four."""
    built = Grown(without("propagation_on_demand"), *FIGURE_4)
    assert built.insert("p1 OR p2 OR p3 OR p4") == 1
    assert built.operands(2) == parts("p1 OR p2 OR p3", "p4")
    flat = Grown(without("propagation_on_demand", "reorganisation"), *FIGURE_4)
    assert flat.insert("p1 OR p2 OR p3 OR p4") == 1
    assert flat.operands(2) == parts("p1", "p2", "p3", "p4")
    for grown in (built, flat):
        assert grown.matches(p4=True) == grown.matches(p2=True) == [2]


def test_section_4_2_2_uses_a_predicate_twice_to_cover_more() -> None:
    """P1 to P5 in one AND become (P1 AND P2 AND P3) AND (P3 AND P4 AND P5): P3 is in both."""
    there = ("p1 AND p2 AND p3", "p3 AND p4 AND p5")
    whole = "p1 AND p2 AND p3 AND p4 AND p5"
    built, flat = Grown(ON, *there), Grown(without("reorganisation"), *there)
    assert built.insert(whole) == flat.insert(whole) == 1
    assert built.operands(2) == parts(*there)
    assert flat.operands(2) == parts("p1", "p2", "p3", "p4", "p5")
    for grown in (built, flat):
        assert grown.matches(p1=True, p2=True, p3=True, p4=True, p5=True) == [0, 1, 2]
        assert grown.matches(p1=True, p3=True, p4=True, p5=True) == [1]


def test_section_4_2_2_the_papers_own_example() -> None:
    """P1 to P4 in one AND become (P1 AND P2 AND P3) AND (P3 AND P4)."""
    grown = Grown(ON, "p1 AND p2 AND p3", "p3 AND p4", "p1 AND p2 AND p3 AND p4")
    assert grown.operands(2) == parts("p1 AND p2 AND p3", "p3 AND p4")
    assert grown.matches(p1=True, p2=True, p3=True, p4=True) == [0, 1, 2]
    assert grown.matches(p3=True, p4=True) == [1]


def test_section_4_2_3_the_longer_one_is_made_of_the_new_part() -> None:
    """(P1 OR P2 OR P3) AND P4 comes after the longer AND, and becomes an operand of it; or stays beside it."""
    adjusted = Grown(ON, *FIGURE_4)
    assert adjusted.insert("(p1 OR p2 OR p3) AND p4") == 1
    assert adjusted.operands(0) == parts("(p1 OR p2 OR p3) AND p4", "p5 OR p6")
    beside = Grown(without("self_adjustment"), *FIGURE_4)
    assert beside.insert("(p1 OR p2 OR p3) AND p4") == 1
    assert beside.operands(0) == parts("p1 OR p2 OR p3", "p4", "p5 OR p6")
    for grown in (adjusted, beside):
        assert grown.matches(p3=True, p4=True, p6=True) == [0, 2]
        assert grown.matches(p3=True, p4=True) == [2]


def test_section_4_2_4_a_deleted_part_goes_when_nothing_is_made_of_it() -> None:
    """What others share stays and goes on matching; what only the deleted one had goes, at last all of it."""
    grown = Grown(ON, *FIGURE_4, "(p1 OR p2 OR p3) AND p4")
    assert grown.delete(1) == 1 + 1 + 2  # its AND, P7 OR P8 and their predicates
    assert grown.matches(p3=True, p4=True, p6=True, p8=True) == [0, 2]
    assert grown.delete(2) == 0  # the first one is made of it
    assert grown.matches(p3=True, p4=True, p6=True) == [0]
    grown.delete(0)
    assert grown.engine.node_count == 0
    assert grown.matches(p3=True, p4=True, p6=True) == []


# The paper prints the figure without its expressions; these have the nodes and levels that its text tells of.
FIGURE_6 = (
    "(p1 OR p2) AND p3",
    "p3 AND p4 AND (p7 OR p8)",
    "(p1 OR p2) OR (p5 AND p6)",
    "((p1 OR p2) OR (p5 AND p6)) AND p4",
    "p5 AND p6",
    "NOT (p7 OR p8)",
)


def test_figure_6_has_two_more_leaves_with_zero_suppression() -> None:
    """NOT (P7 OR P8) is NOT P7 AND NOT P8, two literals and an AND; without, it is one node more: NOT."""
    grown = {suppressed: Grown(replace(ON, zero_suppression=suppressed), *FIGURE_6[:5]) for suppressed in (True, False)}
    assert grown[True].insert(FIGURE_6[5]) == 2 + 1
    assert grown[False].insert(FIGURE_6[5]) == 1


@pytest.mark.parametrize("options", WHOLE, ids=name_of)
def test_figure_6_finds_s3_and_s6(options: hr.ATreeOptions) -> None:
    """Of P1 to P8 only P1 holds, so NOT P7 and NOT P8 do."""
    event = {"p1": True} | {f"p{number}": False for number in range(2, 9)}
    assert Grown(options, *FIGURE_6).matches(**event) == [2, 5]


def test_propagation_on_demand_leaves_out_what_an_access_child_rules_out() -> None:
    """An AND is evaluated only if its access child is true: here for one of three expressions, not for all."""
    texts = ("a AND b", "a AND c", "d AND b")
    told, asked = (
        Grown(without("zero_suppression", *off, access="first"), *texts) for off in (("propagation_on_demand",), ())
    )
    event = {"a": False, "b": True, "c": True, "d": True}
    assert told.matches(**event) == asked.matches(**event) == [2]
    assert (told.visits, asked.visits) == (4 + 3, 4 + 1)


def test_falsehood_is_told_only_without_zero_suppression() -> None:
    """Algorithm 6: what is false goes up too, and each node on its way is evaluated."""
    grown = Grown(without("zero_suppression", "propagation_on_demand"), "NOT (a OR b)", "(a OR b) AND c")
    assert grown.matches(a=False, b=False, c=True) == [0]
    assert grown.visits == 3 + 3
    assert grown.matches() == []
    assert grown.visits == 0
    assert grown.matches(other=True) == []
    assert grown.visits == 0


# Table 2

KLEENE: dict[str, Callable[[bool | None, bool | None], bool | None]] = {
    "AND": lambda a, b: False if False in (a, b) else None if None in (a, b) else True,
    "OR": lambda a, b: True if True in (a, b) else None if None in (a, b) else False,
    "XOR": lambda a, b: None if a is None or b is None else a != b,
    "XNOR": lambda a, b: None if a is None or b is None else a == b,
}


@pytest.mark.parametrize("options", WHOLE, ids=name_of)
def test_table_2_holds_under_not_xor_and_xnor(options: hr.ATreeOptions) -> None:
    """Each value of each operator is told apart: by itself, negated, twice negated, and by XOR and XNOR with FALSE."""
    shapes: tuple[tuple[str, bool], ...] = (
        ("({})", True),
        ("NOT ({})", False),
        ("NOT NOT ({})", True),
        ("({}) XOR FALSE", True),
        ("({}) XNOR FALSE", False),
        ("NOT (({}) XNOR TRUE)", False),
    )
    cases = [(shape.format(f"a {operator} b"), operator, wanted) for operator in KLEENE for shape, wanted in shapes]
    index = hr.Index("atree", options=options)
    index.insert_many(enumerate(case[0] for case in cases))
    for a, b in itertools.product((True, False, None), repeat=2):
        truth = [number for number, (_, operator, wanted) in enumerate(cases) if KLEENE[operator](a, b) is wanted]
        assert index.match({"a": a, "b": b}) == truth


# Without zero suppression


def test_a_part_inside_and_outside_of_a_negation_is_right_in_both() -> None:
    """Below NOT an AND must be exact; elsewhere only its truth counts, and it may be told on demand."""
    index = hr.Index("atree", options=without("zero_suppression"))
    texts = ["a AND b", "NOT (a AND b)", "(a AND b) OR c", "NOT ((a AND b) OR c)", "(a AND b) XOR c"]
    index.insert_many(enumerate(texts))
    assert index.match({"a": False, "c": False}) == [1, 3]
    assert index.match({"b": False, "c": True}) == [1, 2, 4]
    assert index.match({"a": True, "b": True}) == [0, 2]
    assert index.match({"b": True, "c": False}) == []


@pytest.mark.parametrize("on_demand", (True, False))
def test_what_is_true_by_default_matches_until_it_is_changed(on_demand: bool) -> None:
    """Absence, weak tests and constants match an event with none of their attributes."""
    options = without("zero_suppression", *([] if on_demand else ["propagation_on_demand"]))
    index = hr.Index("atree", options=options)
    texts = ["a IS NULL", "TRUE", "a WEAK NOT IN (1) AND b IS NULL", "NOT a = 1", "a IS NULL AND c = 1", "FALSE"]
    index.insert_many(enumerate(texts))
    assert index.match({}) == [0, 1, 2]
    assert index.match({"a": 2}) == [1, 2, 3]
    assert index.match({"a": 1}) == [1]
    assert index.match({"c": 1}) == [0, 1, 2, 4]
    assert index.match({"a": [], "c": 1}) == [1, 2, 3]
    lenient = hr.Index("atree", missing="false", options=options)
    lenient.insert_many(enumerate(["NOT a = 1", "NOT (a = 1 OR b = 2)", "a = 1 XNOR b = 2", "a = 1"]))
    assert lenient.match({}) == [0, 1, 2]
    assert lenient.match({"a": 1}) == [3]


def test_a_search_after_a_few_more_inserts_has_room_for_them() -> None:
    """What searches write into is kept for the next one: once its arrays had room for different numbers of parts."""
    index = hr.Index("atree", options=without("zero_suppression"))
    for number in range(40):
        index.insert(number, f"a = 1 OR b = {number}")
        assert index.match({"a": 1}) == list(range(number + 1))


def test_levels_count_from_the_farthest_leaf() -> None:
    """Section 4.1's formula."""
    engine = UnsuppressedEngine("unknown")
    graph = Graph()
    engine.insert(0, graph, Parser(graph).parse("a AND NOT (b OR (c XOR d))"), 0.0)
    assert [engine.parts.level_of(part) for part in range(engine.node_count)] == [1, 1, 1, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("uniqueness", (True, False))
def test_a_deep_expression_needs_no_recursion(uniqueness: bool) -> None:
    """Tens of thousands of levels of every operator."""
    index = hr.Index("atree", options=replace(without("zero_suppression"), uniqueness=uniqueness))
    index.insert(0, "(a = 1 AND (b = 2 OR NOT (c = 3 XOR " * 10_000 + "d = 4" + ")))" * 10_000)
    expression = index.expression(0)
    for event in ({"a": 1, "b": 2}, {"a": 1, "b": 1, "c": 2, "d": 4}, {"a": 1, "b": 1, "c": 3, "d": 4}, {"a": 2}):
        assert index.match(event) == ([0] if hr.evaluate(expression, event) else [])


def test_slots_that_are_taken_back_are_used_again() -> None:
    """A change that fails after the engine's part of it leaves nothing: neither a link nor a standing expression."""
    engine = UnsuppressedEngine("unknown")
    graph = Graph()
    parser = Parser(graph)
    engine.insert(0, graph, parser.parse("a AND b"), 0.0)
    engine.commit()
    for text in ("a AND b", "a IS NULL", "a"):
        engine.insert(1, graph, parser.parse(text), 0.0)
        engine.forget(1)
    with pytest.raises(ValueError, match="cannot be taken back"):
        engine.forget(0)
    engine.insert(1, graph, parser.parse("b"), 0.0)
    engine.commit()
    assert engine.match(hr.events([{}, {"a": True}, {"a": True, "b": True}])).slots.tolist() == [0, 1]
    with pytest.raises(ValueError, match="slot 7 is not the next one, 2"):
        engine.insert(7, graph, parser.parse("b"), 0.0)
    with pytest.raises(ValueError, match="slot 2 holds nothing"):
        engine.delete(2)
    for call in (engine.expression, lambda slot: engine.compacted([slot]), engine.parts.level_of):
        with pytest.raises(IndexError):
            call(99)


def test_a_literal_of_a_rewrite_is_not_taken_for_a_predicate() -> None:
    """Nobody can write one: they are what rewriting makes."""
    engine = UnsuppressedEngine("unknown")
    graph = Graph()
    Parser(graph).parse("a = 1")
    with pytest.raises(ValueError, match="literal"):
        engine.insert(0, graph, graph.literal(0, 2), 0.0)


# The record


@pytest.mark.parametrize("options", (ON, without("zero_suppression"), without(*SWITCHES)), ids=name_of)
def test_an_index_keeps_its_options(options: hr.ATreeOptions) -> None:
    """Through ``clear``, and when it compacts."""
    index = hr.Index("atree", options=options)
    kind = type(index._state.engine)
    index.insert_many((number, f"a = {number % 9}^2 AND NOT b = 1") for number in range(5000))
    before = index._state.engine
    for number in range(4200):
        index.delete(number)
    assert index._state.engine is not before
    assert type(index._state.engine) is kind
    assert index.match({"a": 8, "b": 2}) == [number for number in range(4200, 5000) if number % 9 == 8]
    assert index.top({"a": 8, "b": 2}, 1) == [hr.Scored(4202, 2.0)]
    index.clear()
    assert type(index._state.engine) is kind
    assert index.options is options


def test_options_are_checked() -> None:
    """Switches are booleans, the access choice is one of three, and options are for the engine that has them."""
    bad: Any = {"uniqueness": 1}
    with pytest.raises(hr.KindError, match="uniqueness is True or False, not 1"):
        hr.ATreeOptions(**bad)
    with pytest.raises(hr.KindError, match="access is one of 'selective', 'random', 'first', not 'best'"):
        hr.ATreeOptions(access="best")
    with pytest.raises(hr.Unsupported, match="the engine 'scan' takes no options; those that do: 'atree'"):
        hr.Index("scan", options=ON)
    with pytest.raises(hr.KindError, match=r"the options of 'atree' are an ATreeOptions, not \{\}"):
        hr.Index("atree", options={})  # type: ignore[arg-type]
    assert hr.Index("atree").options is None
