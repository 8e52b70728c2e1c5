"""The A-Tree: the paper's examples, and what its structure promises beyond the contract."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.lists_cy import Lists


def index_of(*expressions: str, missing: str = "unknown") -> hr.Index:
    """Return an A-Tree with these expressions, numbered from 0."""
    index = hr.Index("atree", missing=missing)
    assert not index.insert_many(enumerate(expressions)).rejected
    return index


def test_figure_4_shares_the_common_part() -> None:
    """(p1 OR p2 OR p3) AND p4 AND (p5 OR p6), and (p5 OR p6) AND (p7 OR p8), as in the paper's Figure 4."""
    index = index_of("(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)", "(p5 OR p6) AND (p7 OR p8)")
    assert index.stats().predicates == 8
    assert index.match({"p2": True, "p4": True, "p6": True}) == [0]
    assert index.match({"p6": True, "p7": True}) == [1]
    assert index.match({"p1": True, "p4": True, "p5": True, "p8": True}) == [0, 1]
    assert index.match({"p1": True, "p4": True}) == []


def test_figure_6_finds_s3_and_s6() -> None:
    """With only p1, p9 = NOT p7 and p10 = NOT p8 satisfied, what is over them is found and nothing else."""
    index = index_of(
        "(p1 OR p2) AND p3",
        "p3 AND p4",
        "(p1 OR p2) OR p5",
        "(p1 OR p2) AND (p5 OR p6)",
        "p5 OR p6",
        "NOT (p7 OR p8)",
    )
    event = {"p1": True} | {f"p{number}": False for number in range(2, 9)}
    assert index.match(event) == [2, 5]


def test_the_order_of_operands_makes_no_difference() -> None:
    """Expr1 and Expr2 of Section 4.2.1 are one node: the second adds nothing but its slot."""
    engine = ATreeEngine("unknown")
    graph = Graph()
    parser = Parser(graph)
    engine.insert(0, graph, parser.parse("(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)"), 0.0)
    before = engine.node_count
    engine.insert(1, graph, parser.parse("p4 AND (p3 OR p2 OR p1) AND (p6 OR p5)"), 0.0)
    engine.commit()
    assert engine.node_count == before == 6 + 3
    assert engine.predicate_count == 6
    event = hr.events([{"p1": True, "p4": True, "p6": True}])
    assert engine.match(event).slots.tolist() == [0, 1]


def test_deleting_an_expression_keeps_the_shared_part_of_another() -> None:
    """A peer left dangling parents of a shared child behind."""
    index = index_of("(a = 1 OR b = 2) AND c = 3", "(a = 1 OR b = 2) AND d = 4", "a = 1 OR b = 2")
    event = {"a": 1, "c": 3, "d": 4}
    assert index.match(event) == [0, 1, 2]
    index.delete(0)
    assert index.match(event) == [1, 2]
    index.delete(2)
    assert index.match(event) == [1]
    index.insert(0, "c = 3 AND (b = 2 OR a = 1)")
    assert index.match(event) == [1, 0]


def test_equal_expressions_are_each_found_and_each_deleted() -> None:
    """A thousand subscribers of one expression share its node, and leave one by one."""
    index = index_of(*["a = 1 AND b = 2"] * 1000)
    assert index.match({"a": 1, "b": 2}) == list(range(1000))
    for number in range(0, 1000, 2):
        index.delete(number)
    assert index.match({"a": 1, "b": 2}) == list(range(1, 1000, 2))


def test_an_expression_matches_an_event_with_none_of_its_attributes() -> None:
    """Absence, constants and weak literals are found without an attribute that leads to them."""
    index = index_of("a IS NULL", "TRUE", "a WEAK NOT IN (1) AND b WEAK NOT IN (2)", "NOT a = 1", "FALSE")
    assert index.match({}) == [0, 1, 2]
    assert index.match({"a": 2}) == [1, 2, 3]
    assert index_of("a IS NULL", "NOT a = 1", "NOT (a = 1 OR b = 2)", missing="false").match({"c": 1}) == [0, 1, 2]


def test_a_part_that_two_expressions_use_differently_is_found_for_both() -> None:
    """A part may be looked at as another operand before it is told of: it must be told of all the same."""
    index = index_of("a = 1 AND (b = 2 OR c = 3)", "b = 2 OR c = 3", "(b = 2 OR c = 3) AND d > 1", "b = 2")
    assert index.match({"a": 1, "b": 2, "d": 5}) == [0, 1, 2, 3]


def test_a_hundred_and_thirty_postings_of_one_expression_count() -> None:
    """A peer's byte counter overflowed at 128 postings of one expression."""
    index = index_of(" AND ".join(f"a{number} = 1" for number in range(300)))
    assert index.match({f"a{number}": 1 for number in range(300)}) == [0]
    assert index.match({f"a{number}": 1 for number in range(299)}) == []


def test_a_deep_expression_is_matched_without_recursion() -> None:
    """A hundred thousand levels of AND and OR."""
    index = index_of("(a = 1 AND (b = 2 OR " * 50_000 + "c = 3" + "))" * 50_000)
    assert index.match({"a": 1, "b": 2}) == [0]
    assert index.match({"a": 1, "c": 3}) == [0]
    assert index.match({"b": 2}) == []


def test_churn_leaves_the_tree_as_a_fresh_one_would_be() -> None:
    """After thousands of random inserts and deletes, matches are those of an index built anew."""
    chance = random.Random(9)
    index = hr.Index("atree")
    model: dict[int, str] = {}
    for turn in range(12_000):
        id_ = chance.randrange(300)
        if id_ in model and chance.random() < 0.5:
            index.delete(id_)
            del model[id_]
        elif id_ not in model:
            parts = [f"a{chance.randrange(20)} = {chance.randrange(3)}" for _ in range(3)]
            model[id_] = f"{parts[0]} {chance.choice(['AND', 'OR'])} ({parts[1]} OR {parts[2]})"
            index.insert(id_, model[id_])
        if turn % 1000 == 0:
            event = {f"a{number}": chance.randrange(3) for number in range(20)}
            assert index.match(event) == [key for key, text in model.items() if hr.evaluate(text, event)]
    fresh = hr.Index("atree")
    fresh.insert_many(model.items())
    assert index.stats().bytes < 20 * fresh.stats().bytes


def test_a_part_of_more_expressions_than_a_byte_counts_goes_with_the_last_of_them() -> None:
    """Uses from 255 on are counted elsewhere, there and back, also through a copy of the tree."""
    index = index_of(*[f"(a = 1 OR b = 2) AND c = {number}" for number in range(600)])
    index.insert(600, "b = 2 OR a = 1")
    for number in range(599):
        index.delete(number)
    assert index.match({"b": 2, "c": 599}) == [599, 600]
    assert (index.match({"a": 1, "c": 3}), len(index)) == ([600], 2)
    index.delete(599)
    assert [level.nodes for level in index.stats().levels] == [2, 1]


def test_a_link_is_found_in_a_list_that_is_longer_than_16_bits_count() -> None:
    """Where an OR stands in the list of an operand is noted by half of the index."""
    count = 70_000
    index = hr.Index("atree", options=hr.ATreeOptions(reorganisation=False, self_adjustment=False))
    index.insert_many([(number, f"a = 1 OR b = {number}") for number in range(count)])
    gone = {*range(200), *range(65_500, 65_700), *range(count - 200, count)}
    for number in random.Random(1).sample(sorted(gone), len(gone)):
        index.delete(number)
    assert index.match({"a": 1}) == [number for number in range(count) if number not in gone]
    assert index.match({"b": 65_600}) == []
    assert index.match({"b": 65_700}) == [65_700]


def test_rows_that_are_refused_leave_nothing_in_the_index() -> None:
    """What goes ahead of an insertion looks at their parts too, and adds nothing."""
    index = index_of("a = 'x' AND b < 2")
    before = index.stats().parts["symbols"]
    report = index.insert_many([(0, "c = 'taken' AND d = 'y'"), (1, "e = 'broken' AND"), (2, "a = 'x' AND b < 2")])
    assert [bad.row for bad in report.rejected] == [0, 1]
    assert (index.stats().parts["symbols"], index.stats().predicates) == (before, 2)


def test_literals_leave_every_kind_of_list_in_any_order() -> None:
    """Thousands of literals in one list, by value, by attribute and by absence, are deleted from its middle."""
    shapes = ("s = 'CA'^{}", "n > {}", "a{} IS NULL", "i IN ({}, -1)")
    index = hr.Index("atree")
    index.insert_many((number, shapes[number % 4].format(number)) for number in range(2000))
    event = {"s": "CA", "n": 3000, "i": -1}
    left = list(range(2000))
    random.Random(4).shuffle(left)
    while left:
        for _ in range(250):
            index.delete(left.pop())
        assert index.match(event) == sorted(left)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.booleans()), max_size=60))
def test_lists_are_lists(changes: list[tuple[int, int, bool]]) -> None:
    """Appends and removals give what Python's lists would."""
    lists = Lists()
    model: list[list[int]] = []
    for number, value, adding in changes:
        if number >= len(model):
            assert lists.new() == len(model)
            model.append([])
        elif adding:
            assert lists.add(number, value) == len(model[number])
            model[number].append(value)
        elif value < len(model[number]):
            lists.remove(number, value)
            model[number][value] = -1
    assert [lists.values(number) for number in range(len(lists))] == model


def test_lists_refuse_what_is_not_there() -> None:
    """Numbers of no list, indices of no value and negative values raise."""
    lists = Lists()
    with pytest.raises(IndexError):
        lists.add(0, 1)
    number = lists.new()
    with pytest.raises(IndexError):
        lists.remove(number, 0)
    with pytest.raises(ValueError, match="negative"):
        lists.add(number, -1)
