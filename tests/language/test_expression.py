"""Expression objects: what they hold, refuse, and how they compare."""

from __future__ import annotations

import copy
import datetime as dt
import gc
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from hedgerow.errors import ExpressionError, HedgerowError, LimitError
from hedgerow.language.build import attr
from hedgerow.language.expression import MAX_SIZE, And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import Operator
from hedgerow.language.walk import postorder
from hedgerow.limits import MAX_DEPTH, MAX_LIST, MAX_NAME_BYTES, MAX_PATTERN_BYTES
from tests.language.samples import DEPTH, EXPRESSIONS, deep
from tests.naming import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

A = Predicate("a", Operator.EQ, (1,))
B = Predicate("b", Operator.IN, ("x", "y"), (1, 2))
C = Constant(True)


def test_a_predicate_shows_what_it_was_made_of() -> None:
    """The attributes of a predicate are its parts, in canonical form."""
    part = Predicate("a", Operator.IN, [1.0, 2.5, dt.date(2026, 1, 1)], [0, 1, 2])
    assert (part.attribute, part.operator, part.weights) == ("a", Operator.IN, (0.0, 1.0, 2.0))
    assert part.values == (1, 2.5, dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    assert type(part.values[0]) is int
    assert part.operands == ()


def test_operations_show_their_operands() -> None:
    """Operands are kept in order, and nesting is kept as written."""
    assert Not(A).operand is A
    assert Not(A).operands == (A,)
    assert And(A, Or(B, C), A).operands == (A, Or(B, C), A)


def test_expressions_can_be_matched_by_pattern() -> None:
    """Every kind has its parts in ``__match_args__``."""
    match And(Not(A), C).operands:
        case (Not(Predicate(name, operator)), Constant(value)):
            assert (name, operator, value) == ("a", Operator.EQ, True)
        case _:
            pytest.fail("no case matched")


@pytest.mark.parametrize("name", ("operands", "depth", "_hash", "anything"))
def test_nothing_of_an_expression_can_be_set_or_deleted(name: str) -> None:
    """Expressions are immutable."""
    with pytest.raises(AttributeError, match="immutable"):
        setattr(And(A, B), name, 1)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(And(A, B), name)


@pytest.mark.parametrize("part", (A, And(A, B), attr("a")), ids=("predicate", "operation", "attribute"))
def test_truth_is_refused_with_a_hint(part: object) -> None:
    """``a and b`` would silently be b, so it raises and says what to write."""
    with pytest.raises(TypeError, match=r"& \| \^ ~"):
        bool(part)


def test_the_base_class_has_no_objects() -> None:
    """Only the kinds can be made."""
    with pytest.raises(TypeError, match=r"parse\(\)"):
        Expression()


def test_python_operators_build_what_the_parser_builds() -> None:
    """A chain of one operator is flat on the left and keeps nesting on the right."""
    assert And(A, B, C) == (A & B & C)
    assert And(A, And(B, C)) == (A & (B & C))
    assert Or(A, B, C) == (A | B | C)
    assert Xor(A, B, C) == (A ^ B ^ C)
    assert Not(A) == ~A
    assert Or(And(A, B), C) == (A & B | C)


def test_a_chain_built_step_by_step_equals_one_built_at_once() -> None:
    """The running hash, depth and size of a growing chain are those of the whole."""
    grown: Expression = A
    for _ in range(50):
        grown = grown & Not(B)
    whole = And(A, *[Not(B)] * 50)
    assert grown == whole
    assert (hash(grown), grown.depth, grown.size) == (hash(whole), whole.depth, whole.size)


@pytest.mark.parametrize("other", (1, True, "b = 1", None))
def test_other_things_cannot_be_joined(other: object) -> None:
    """An operator between an expression and anything else is a TypeError."""
    for join in (lambda: A & other, lambda: A | other, lambda: A ^ other):
        with pytest.raises(TypeError):
            join()


def test_depth_counts_operators_above_the_deepest_predicate() -> None:
    """A predicate has depth 0."""
    assert (A.depth, Not(A).depth, And(A, Not(Not(A))).depth) == (0, 1, 3)


def test_size_counts_shared_parts_each_time_and_saturates() -> None:
    """A doubling chain has an astronomic size that stops at the largest."""
    part: Expression = A
    for _ in range(3):
        part = And(part, part)
    assert part.size == 15
    for _ in range(200):
        part = And(part, part)
    assert part.size == MAX_SIZE


def test_true_is_not_one() -> None:
    """Python calls True and 1 equal; as operands they are different kinds."""
    yes, one = Predicate("a", Operator.EQ, (True,)), Predicate("a", Operator.EQ, (1,))
    assert yes != one
    assert len({yes, one}) == 2
    assert Predicate("a", Operator.IN, (1, True)) != Predicate("a", Operator.IN, (True, 1))


@pytest.mark.parametrize(
    ("first", "second"),
    (
        (Predicate("a", Operator.EQ, (1,)), Predicate("a", Operator.EQ, (1.0,))),
        (
            Predicate("a", Operator.EQ, (dt.datetime(2026, 1, 1),)),  # noqa: DTZ001 - without a zone on purpose
            Predicate("a", Operator.EQ, (dt.datetime(2026, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2))),)),
        ),
        (Predicate("a", Operator.EQ, (1,), (0,)), Predicate("a", Operator.EQ, (1,))),
        (Predicate("a", Operator.EQ, (0,)), Predicate("a", Operator.EQ, (-0.0,))),
        (And(A, Not(B)), And(Predicate("a", Operator.EQ, (1,)), Not(B))),
    ),
)
def test_equal_meanings_of_values_are_equal(first: Expression, second: Expression) -> None:
    """Canonical operands make equal predicates, with equal hashes."""
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("first", "second"),
    (
        (A, Predicate("b", Operator.EQ, (1,))),
        (A, Predicate("a", Operator.NE, (1,))),
        (A, Predicate("a", Operator.EQ, ("1",))),
        (A, Predicate("a", Operator.EQ, (1,), (2,))),
        (Predicate("a", Operator.IN, (1, 2)), Predicate("a", Operator.IN, (2, 1))),
        (Constant(True), Constant(False)),
        (And(A, B), And(B, A)),
        (And(A, B), Or(A, B)),
        (Xor(A, B), Xnor(A, B)),
        (And(A, B, C), And(A, And(B, C))),
        (A, Not(A)),
        (Not(A), Not(Not(A))),
    ),
)
def test_what_is_written_differently_differs(first: Expression, second: Expression) -> None:
    """Equality is of what is written, not of what it means."""
    assert first != second


def test_equality_compares_and_does_not_trust_hashes() -> None:
    """Two parts with the same hash are still told apart."""
    other = Predicate("z", Operator.EQ, (1,))
    object.__setattr__(other, "_hash", hash(A))
    assert other != A
    first, second = Not(A), Not(other)
    assert hash(first) == hash(second)
    assert first != second


def test_an_expression_equals_nothing_else() -> None:
    """Comparison with other types is false, not an error."""
    assert A != "a = 1"
    assert A != None  # noqa: E711 - the operator is what is tested


@pytest.mark.parametrize(
    "make",
    (
        lambda: Constant(1),  # type: ignore[arg-type]
        lambda: Not("a"),  # type: ignore[arg-type]
        lambda: And(A),
        Or,
        lambda: Xor(A, None),  # type: ignore[arg-type]
        lambda: Predicate("", Operator.EQ, (1,)),
        lambda: Predicate(5, Operator.EQ, (1,)),  # type: ignore[arg-type]
        lambda: Predicate("\ud800", Operator.EQ, (1,)),
        lambda: Predicate("a", 99, (1,)),  # type: ignore[arg-type]
        lambda: Predicate("a", "=", (1,)),  # type: ignore[arg-type]
        lambda: Predicate("a", Operator.EQ, ()),
        lambda: Predicate("a", Operator.EQ, (1, 2)),
        lambda: Predicate("a", Operator.EQ, "x"),
        lambda: Predicate("a", Operator.EQ, 5),  # type: ignore[arg-type]
        lambda: Predicate("a", Operator.IS_NULL, (1,)),
        lambda: Predicate("a", Operator.BETWEEN, (1,)),
        lambda: Predicate("a", Operator.BETWEEN, (1, "x")),
        lambda: Predicate("a", Operator.BETWEEN, (0, True)),
        lambda: Predicate("a", Operator.IN, ()),
        lambda: Predicate("a", Operator.LIKE, (5,)),
        lambda: Predicate("a", Operator.CONTAINS, (True,)),
    ),
)
def test_what_no_expression_can_have_is_refused(make: Callable[[], Expression]) -> None:
    """Constructors check everything, and raise ExpressionError."""
    with pytest.raises(ExpressionError):
        make()


@pytest.mark.parametrize(
    "value",
    (None, float("nan"), float("inf"), -float("inf"), 2**63, -(2**63) - 1, b"x", "\udfff", [1], {1}, 1j, dt.time(1)),
    ids=label,
)
def test_what_is_no_value_is_refused(value: object) -> None:
    """Operands are finite numbers of 64 bits, text without lone surrogates, booleans and timestamps."""
    with pytest.raises(ExpressionError):
        Predicate("a", Operator.EQ, (value,))
    with pytest.raises(ExpressionError):
        Predicate("a", Operator.IN, (1, value))


@pytest.mark.parametrize("pattern", ("\\", "a\\", "\\n", "%\\a", "\\\\\\"))
@pytest.mark.parametrize("operator", (Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE))
def test_a_stray_backslash_in_a_pattern_is_refused(operator: Operator, pattern: str) -> None:
    """A backslash in LIKE stands before %, _ or another backslash."""
    with pytest.raises(ExpressionError, match="LIKE pattern"):
        Predicate("a", operator, (pattern,))


@pytest.mark.parametrize("regex", ("(", "[", "a**", "(?=x)", r"(a)\1", "a{1001}"))
@pytest.mark.parametrize("operator", (Operator.MATCHES, Operator.NOT_MATCHES))
def test_what_re2_refuses_is_refused(operator: Operator, regex: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A regular expression is compiled at construction, and nothing is printed."""
    with pytest.raises(ExpressionError, match="RE2"):
        Predicate("a", operator, (regex,))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "weights", ((-1,), (float("nan"),), (float("inf"),), (10**400,), ("1",), (True,), (), (1, 2), "1", 1)
)
def test_bad_weights_are_refused(weights: Iterable[float]) -> None:
    """A weight is a finite number, not negative, and there is one for each value."""
    with pytest.raises(ExpressionError):
        Predicate("a", Operator.EQ, (1,), weights)


@pytest.mark.parametrize("operator", (Operator.NE, Operator.LT, Operator.NOT_IN, Operator.WEAK_NOT_IN, Operator.ALL_OF))
def test_only_positive_tests_on_values_carry_weights(operator: Operator) -> None:
    """Weights elsewhere would never score."""
    with pytest.raises(ExpressionError, match="weights"):
        Predicate("a", operator, (1,), (2,))


@pytest.mark.parametrize(
    "make",
    (
        lambda: Predicate("a" * (MAX_NAME_BYTES + 1), Operator.IS_NULL),
        lambda: Predicate("é" * (MAX_NAME_BYTES // 2 + 1), Operator.IS_NULL),
        lambda: Predicate("a", Operator.LIKE, ("x" * (MAX_PATTERN_BYTES + 1),)),
        lambda: Predicate("a", Operator.ILIKE, ("é" * (MAX_PATTERN_BYTES // 2 + 1),)),
        lambda: Predicate("a", Operator.IN, range(MAX_LIST + 1)),
    ),
)
def test_limits_are_enforced(make: Callable[[], Expression]) -> None:
    """What exceeds a documented limit raises LimitError."""
    with pytest.raises(LimitError):
        make()


def test_the_largest_name_and_pattern_are_taken() -> None:
    """The limits themselves are within."""
    assert Predicate("a" * MAX_NAME_BYTES, Operator.LIKE, ("_" * MAX_PATTERN_BYTES,)).depth == 0


def test_nesting_is_limited_where_it_is_documented() -> None:
    """The deepest expression can be made, and one level more cannot, by any way."""
    deepest = deep(MAX_DEPTH)
    assert deepest.depth == MAX_DEPTH
    for make in (lambda: Not(deepest), lambda: And(A, deepest), lambda: A & deepest, lambda: And(A, B) & deepest):
        with pytest.raises(LimitError, match="levels"):
            make()


def test_deep_expressions_compare_copy_and_pickle() -> None:
    """Nothing recurses, whatever the depth."""
    first, second = deep(), deep()
    assert first.depth == DEPTH
    assert first == second
    assert hash(first) == hash(second)
    assert Not(first) != first
    assert copy.deepcopy(first) is first
    assert pickle.loads(pickle.dumps(first)) == first
    assert first.attributes() == {"a", "b"}
    assert repr(first).startswith("<Xnor: ")


def test_deep_expressions_are_freed_without_recursion() -> None:
    """Dropping the last reference to a deep expression does not overflow the stack."""
    expression = deep()
    del expression
    gc.collect()


def test_shared_parts_are_compared_once() -> None:
    """Two doubling chains of 1,000 levels would take 2^1000 comparisons as trees."""
    first: Expression = A
    second: Expression = Predicate("a", Operator.EQ, (1,))
    third: Expression = Predicate("a", Operator.EQ, (2,))
    for _ in range(1000):
        first, second, third = And(first, first), And(second, second), And(third, third)
    assert first == second
    assert first != third
    assert len(postorder(first)) == 1001
    assert first.attributes() == {"a"}


@given(EXPRESSIONS)
def test_copies_and_pickles_are_equal(expression: Expression) -> None:
    """A copy is the object itself, a pickle comes back equal."""
    assert copy.copy(expression) is expression
    assert copy.deepcopy([expression])[0] is expression
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        restored = pickle.loads(pickle.dumps(expression, protocol))
        assert restored == expression
        assert hash(restored) == hash(expression)


def test_a_pickle_can_be_read_by_another_process() -> None:
    """Cached hashes, which differ between processes, do not travel."""
    program = (
        "import pickle, sys; from hedgerow.language.build import attr;"
        "print(pickle.load(sys.stdin.buffer) == ((attr('a') == 'x') & (attr('b') == True)))"
    )
    data = pickle.dumps((attr("a") == "x") & (attr("b") == True))  # noqa: E712 - builds a comparison
    environment = {"PYTHONPATH": ":".join(filter(None, sys.path)), "PYTHONHASHSEED": "1234"}
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, input=data, capture_output=True, check=True, env=environment)  # noqa: S603 - our own
    assert result.stdout.strip() == b"True"


def test_repr_is_short_for_any_expression() -> None:
    """A repr says the kind and the beginning, and costs no more than that."""
    assert repr(And(A, Constant(False))) == "<And: a = 1 AND FALSE>"
    assert repr(attr("a").isin(range(1_000_000))) == (
        "<Predicate: a IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2...>"
    )
    doubling: Expression = A
    for _ in range(1000):
        doubling = And(doubling, doubling)
    assert len(repr(doubling)) < 100
    assert len(repr(attr("a" * 4_000) == "x" * 1_000_000)) < 100


def test_attributes_are_the_names_used() -> None:
    """Every attribute is named once."""
    assert ((A | B) & ~A).attributes() == {"a", "b"}
    assert C.attributes() == frozenset()


def test_errors_of_long_values_are_short() -> None:
    """A message never repeats a huge operand."""
    with pytest.raises(HedgerowError) as caught:
        Predicate("a", Operator.EQ, (b"x" * 1_000_000,))
    assert len(str(caught.value)) < 200
