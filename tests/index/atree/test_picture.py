"""Pictures of an A-Tree: the paper's figures exactly, escaping, limits."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.picture import Node
from hedgerow.limits import MAX_DRAWN_NODES

FIGURE_4 = {"s1": "(p1 OR p2 OR p3) AND p4 AND (p5 OR p6)", "s2": "(p5 OR p6) AND (p7 OR p8)"}
FIGURE_6 = {
    "S1": "(p1 OR p2) AND p3",
    "S2": "p3 AND p4",
    "S3": "(p1 OR p2) OR p5",
    "S4": "(p1 OR p2) AND (p5 OR p6)",
    "S5": "p5 OR p6",
    "S6": "NOT (p7 OR p8)",
}
DOT_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def index_of(rows: dict[str, str] | dict[int, str], options: hr.ATreeOptions | None = None) -> hr.Index:
    """Return an A-Tree with these expressions."""
    index = hr.Index("atree", options=options)
    assert not index.insert_many(rows).rejected
    return index


def labels(dot: str) -> list[str]:
    """Return the labels of a DOT text, in order."""
    return re.findall(r'label=("(?:[^"\\]|\\.)*")', dot)


def drawn(index: hr.Index) -> tuple[Node, ...]:
    """Return the nodes of an index as they are drawn."""
    engine = index._state.engine
    assert isinstance(engine, ATreeEngine)
    return engine.drawing(dict(enumerate(index)), 100).nodes


def rendered(dot: str) -> str:
    """Return what Graphviz makes of a DOT text, as plain text; skip where it is not installed."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz is not installed")
    done = subprocess.run(  # noqa: S603 - found above
        [program, "-Tplain"], input=dot.encode(), capture_output=True, check=True
    )
    assert not done.stderr
    return done.stdout.decode()


def test_figure_4_shares_one_or() -> None:
    """Eight literals, three ORs and two ANDs; (p5 OR p6) is there once, below both."""
    literals, inner = drawn(index_of(FIGURE_4))[:8], drawn(index_of(FIGURE_4))[8:]
    assert [node.label for node in literals] == [f"p{number} = true" for number in range(1, 9)]
    assert {node.uses for node in literals} == {1}
    assert [node.level for node in inner] == [2, 2, 2, 3, 3]
    ors = {frozenset(node.operands): node for node in inner if node.label == "OR"}
    assert set(ors) == {frozenset({1, 2, 3}), frozenset({5, 6}), frozenset({7, 8})}
    first, shared, second = (ors[frozenset(operands)] for operands in ({1, 2, 3}, {5, 6}, {7, 8}))
    assert (first.uses, shared.uses, second.uses) == (1, 2, 1)
    tops = {node.ids: set(node.operands) for node in inner if node.label == "AND"}
    assert tops == {("s1",): {first.number, 4, shared.number}, ("s2",): {shared.number, second.number}}


def test_figure_4_as_text() -> None:
    """A line a node, from the roots down."""
    lines = index_of(FIGURE_4).picture().splitlines()
    assert [line for line in lines if line.startswith("level")] == ["level 3", "level 2", "level 1"]
    assert lines[lines.index("level 1") + 1 :] == [f"   {number}  p{number} = true" for number in range(1, 9)]
    assert [line.split()[-1] for line in lines if " = '" in line] == ["'s1'", "'s2'"]
    assert [line.split()[1] for line in lines if line.endswith("used 2 times")] == ["OR"]


def test_an_and_hears_from_one_operand_and_an_or_from_all_or_none() -> None:
    """The access child tells an AND; an OR that nobody asks hears nothing, and is worked out when it is wanted."""
    drawing = ATreeEngine("unknown").drawing({}, 0)
    assert drawing.nodes == ()
    nodes = drawn(index_of(FIGURE_4))
    assert {node.heard for node in nodes if node.label == "AND"} == {1}
    assert {len(node.operands) - node.heard for node in nodes if node.label == "OR"} == {0, 2, 3}


def test_figure_6_in_dot() -> None:
    """Literals at the bottom, six boxes, shared parts marked, dashed edges where a node looks down."""
    dot = index_of(FIGURE_6).to_graphviz()
    assert labels(dot).count('"AND"') == 4
    assert [label for label in labels(dot) if label.startswith('"OR')] == ['"OR x3"', '"OR x2"', '"OR"']
    assert [label for label in labels(dot) if "S" in label] == [
        "\"'S2'\"",
        "\"'S5'\"",
        "\"'S6'\"",
        "\"'S1'\"",
        "\"'S3'\"",
        "\"'S4'\"",
    ]
    assert '"p7 != true"' in labels(dot)
    assert "{ rank=min; n1; n2; n3; n4; n5; n6; n7; n8; }" in dot
    edges = re.findall(r"^  n\d+ -> n\d+(.*);$", dot, re.MULTILINE)
    # Each of the four ANDs has two operands, and looks down to one.
    assert sorted(edges) == [""] * 10 + [" [style=dashed, dir=back]"] * 4
    assert rendered(dot).count("\nnode ") == 15 + 6


def test_without_propagation_on_demand_every_edge_is_solid() -> None:
    """Every operand tells its nodes."""
    index = index_of(FIGURE_6, hr.ATreeOptions(propagation_on_demand=False))
    assert "dashed" not in index.to_graphviz()
    assert "↑" in index.picture()


def test_the_order_of_inserts_and_deletes_does_not_show() -> None:
    """Nodes are numbered anew: one expression looks the same after others have come and gone."""
    index = index_of(FIGURE_6)
    fresh = index_of({"x": "a = 1 OR b = 2"})
    index.insert("x", "a = 1 OR b = 2")
    for id_ in FIGURE_6:
        index.delete(id_)
    assert index.picture().splitlines()[0] == "level 2"
    assert sorted(index.picture().splitlines()[-2:]) == sorted(fresh.picture().splitlines()[-2:])


def test_constants_have_their_place() -> None:
    """TRUE is a node; what can never match is listed apart."""
    index = index_of({1: "TRUE", 2: "FALSE", 3: "TRUE", 4: "a = 1"})
    assert index.picture().splitlines() == [
        "never matches: 2",
        "level 1",
        "  1  TRUE   used 2 times  = 1, 3",
        "  2  a = 1  = 4",
    ]
    assert "never matches\\n2" in index.to_graphviz()
    rendered(index.to_graphviz())


def test_an_empty_index_has_an_empty_picture() -> None:
    """Nothing to see, and still DOT."""
    index = hr.Index("atree")
    assert index.picture() == ""
    assert "node " not in rendered(index.to_graphviz())


def test_many_expressions_of_one_node_are_one_box() -> None:
    """Only the first ones are named."""
    index = index_of(dict.fromkeys(range(1000), "a = 1"))
    assert index.picture().splitlines()[-1].endswith("used 1000 times  = 0, 1, 2, 3, 4, 5, 6, 7, and 992 more")
    assert labels(index.to_graphviz())[-1] == '"0\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\nand 992 more"'


AWKWARD = (
    '"; n1 [label="x"] //',
    "\\",
    "\\N \\l \\n",
    "a\nb\tc\x00d",
    "&amp; &#34; <b>",
    "x" * 500,
    "\u2028\u202e",
    "it's",
)


@pytest.mark.parametrize("text", AWKWARD)
def test_whatever_people_write_is_only_a_label(text: str) -> None:
    """Quotes, backslashes, entities, control characters and long texts change nothing but the label."""
    index = index_of({text: f"`a \"b` = '{text.replace(chr(39), chr(39) * 2)}'"})
    assert len(index.picture().splitlines()) == 2
    dot = index.to_graphviz()
    assert all(len(label) < 300 for label in labels(dot))
    assert rendered(dot).count("\nnode ") == 2


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.text(max_size=30))
def test_any_text_leaves_the_structure_as_it_is(id_: str, value: str) -> None:
    """Without its strings, the DOT text of an expression is always the same."""
    index = hr.Index("atree")
    index.insert(id_.encode("utf-8", "replace").decode(), hr.attr("a") == value.encode("utf-8", "replace").decode())
    bare = DOT_STRING.sub("", index.to_graphviz())
    plain = index_of({"x": "a = 'x'"})
    assert bare == DOT_STRING.sub("", plain.to_graphviz())


def test_the_limit_is_just_where_it_says() -> None:
    """As many nodes as allowed are drawn, one more is refused, unless the caller wants more."""
    index = index_of({number: f"a = {number}" for number in range(MAX_DRAWN_NODES)})
    assert len(index.picture().splitlines()) == MAX_DRAWN_NODES + 1
    index.insert(-1, "b = 1")
    for draw in (index.picture, index.to_graphviz):
        with pytest.raises(hr.LimitError, match=r"2,001 nodes .* more than 2,000"):
            draw()
    assert len(index.picture(most=MAX_DRAWN_NODES + 1).splitlines()) == MAX_DRAWN_NODES + 2
    with pytest.raises(hr.KindError, match="most is a number of nodes"):
        index.picture(most=-1)


def test_a_deep_tree_is_drawn_without_recursion() -> None:
    """Ten thousand levels."""
    index = index_of({1: "(a = 1 AND (b = 2 OR " * 5000 + "c = 3" + "))" * 5000})
    assert index.picture(most=20_000).startswith("level 10001\n")


def test_an_engine_without_a_structure_says_which_has_one() -> None:
    """The scan has nothing to draw."""
    for draw in (hr.Index("scan").picture, hr.Index("scan").to_graphviz):
        with pytest.raises(hr.Unsupported, match=r"'scan' has no structure to draw; atree, .* can be drawn"):
            draw()
