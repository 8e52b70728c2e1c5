"""The oracle of relations: how an expression stands to an event that says sets of values.

An expression is an OR of conjunctions, as it is written: NOT is pushed down to the tests, XOR is what it is short for,
and every choice that an OR leaves is a conjunction of its own; nothing is merged or left out. With *q* for a test and
*o* for the set that the event has for the same attribute, a conjunction relates to an event so:

============== ===== ========================================
relation       paper holds when
============== ===== ========================================
``satisfied``  SS    every q has an o that shares a value
``satisfying`` SE    every o has a q that shares a value
``symmetric``  SM    both
``contained``  CM    every q has an o with all its values
``containing`` EM    every o lies inside some q
``exact``      XM    both
============== ===== ========================================

(Sadoghi and Jacobsen, *Analysis and Optimization for Boolean Expression Indexing*, Section 3.) What the paper has no
word for: of an attribute that the event is silent about, absence is what it says, and the tests that absence satisfies
share it; but it is no o. A test that nothing satisfies (``age BETWEEN 9 AND 3``) has no o. An object that others are in
is no o either; those in it are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

from hedgerow.errors import KindError, LimitError, Unsupported
from hedgerow.event.asked import Asked
from hedgerow.event.said import Said, said_of
from hedgerow.language.asked_values import asked_values, is_pattern, opposite
from hedgerow.language.build import Attribute
from hedgerow.language.evaluate import as_expression, base_outcome, check_missing
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor
from hedgerow.language.format import quote_name
from hedgerow.language.operators import OPERATORS, Accepts
from hedgerow.language.walk import postorder
from hedgerow.limits import MAX_CLAUSES
from hedgerow.regions import ABSENT, IS_OBJECT, Region

__all__ = [
    "RELATIONS",
    "WrittenTest",
    "check_able",
    "checked_relation",
    "conjunctions",
    "covers",
    "holds",
    "is_about",
    "relates",
    "tests_of",
]

RELATIONS = ("satisfied", "satisfying", "symmetric", "contained", "containing", "exact")

_SHARING = ("satisfied", "symmetric")  # where every q has an o that shares a value
_HAVING = ("contained", "exact")  # where every q has an o with all its values
_SHARED = ("satisfying", "symmetric")  # where every o has a q that shares a value
_WITHIN = ("containing", "exact")  # where every o lies inside some q

_NO_O = Region(marks=frozenset((ABSENT,)))
_OBJECT = frozenset((IS_OBJECT,))


class WrittenTest(NamedTuple):
    """A q: a predicate, and which outcomes of its base test it accepts."""

    predicate: Predicate
    accepts: Accepts


Conjunction: TypeAlias = tuple[WrittenTest, ...]


def checked_relation(relation: object) -> str:
    """Return the name of a relation, or raise."""
    if not isinstance(relation, str) or relation not in RELATIONS:
        raise KindError(f"relation is one of {', '.join(map(repr, RELATIONS))}, not {relation!r}")
    return relation


def relates(
    expression: Expression | Attribute | str,
    event: Mapping[str, object],
    relation: str = "satisfied",
    missing: str = "unknown",
) -> bool:
    """Return whether a conjunction of the expression relates so to the event, which may have sets of values.

    Raises ``Unsupported`` for patterns and lists under any relation but ``"satisfied"``, and for patterns on endless
    sets; ``LimitError`` if the expression has too many conjunctions.

    >>> import hedgerow as hr
    >>> event = {"age": hr.between(18, 24)}
    >>> [relation for relation in RELATIONS if hr.relates("age BETWEEN 20 AND 22", event, relation)]
    ['satisfied', 'satisfying', 'symmetric', 'contained']
    """
    checked_relation(relation)
    check_missing(missing)
    expression = as_expression(expression)
    tested = tests_of(expression)
    said = said_of(event, Asked(part.attribute for part in tested))
    check_able(tested, said, relation)
    return any(_relates(conjunction, said, relation) for conjunction in conjunctions(expression, missing))


def tests_of(expression: Expression) -> list[Predicate]:
    """Return the tests of an expression."""
    return [part for part in postorder(expression) if isinstance(part, Predicate)]


def check_able(tested: list[Predicate], said: Mapping[str, Said], relation: str) -> None:
    """Raise ``Unsupported`` if these tests, or lists of the event, have no place in the relation."""
    for predicate in tested:
        entry = said.get(predicate.attribute)
        if isinstance(entry, tuple) and relation != "satisfied":
            raise Unsupported(f"attribute {quote_name(predicate.attribute)}: a list, under the relation {relation!r}")
        if is_pattern(predicate.operator):
            endless = isinstance(entry, Region) and entry.spans and entry.points() is None
            if relation != "satisfied" or endless:
                where = "on an endless set" if endless else f"under the relation {relation!r}"
                raise Unsupported(f"{predicate}: a pattern {where}")


def _relates(conjunction: Conjunction, said: Mapping[str, Said], relation: str) -> bool:
    if not all(holds(test, said.get(test.predicate.attribute), relation) for test in conjunction):
        return False
    if relation not in _SHARED + _WITHIN:
        return True
    names = (
        test.predicate.attribute for test in conjunction if covers(test, said.get(test.predicate.attribute), relation)
    )
    covered = set(names)
    return all(name in covered for name, entry in said.items() if is_about(entry))


def is_about(entry: Said) -> bool:
    """Return whether what an event says of an attribute is an o: objects that others are in are none."""
    return not isinstance(entry, Region) or entry.marks != _OBJECT


def holds(test: WrittenTest, entry: Said | None, relation: str) -> bool:
    """Return whether a q has the o that the relation wants of it; None is what an event is silent about."""
    if relation not in _SHARING + _HAVING:
        return True
    if isinstance(entry, tuple):
        return _accepted(test, entry)
    if is_pattern(test.predicate.operator):
        return _some_fits(test, entry)
    asked = asked_values(*test)
    actual = _NO_O if entry is None else entry
    return asked.meets(actual) if relation in _SHARING else bool(asked) and asked.is_inside(actual)


def covers(test: WrittenTest, entry: Said | None, relation: str) -> bool:
    """Return whether a q is what the o of its attribute wants."""
    if not isinstance(entry, Region):
        return False
    asked = asked_values(*test)
    return asked.meets(entry) if relation in _SHARED else entry.is_inside(asked)


def _some_fits(test: WrittenTest, entry: Region | None) -> bool:
    """Return whether some value of a set fits a pattern, or does not fit where that is wanted."""
    if entry is None:
        return _accepted(test, None)
    points = entry.points()
    # What has no values has a mark: a pattern on it is undefined, as on nothing.
    return any(_accepted(test, point) for point in points) if points is not None else _accepted(test, None)


def _accepted(test: WrittenTest, actual: object) -> bool:
    base = base_outcome(OPERATORS[test.predicate.operator].base, test.predicate.values, actual)  # type: ignore[arg-type]
    return {
        Accepts.TRUE: base is True,
        Accepts.FALSE: base is False,
        Accepts.NOT_TRUE: base is not True,
        Accepts.NOT_FALSE: base is not False,
    }[test.accepts]


# Conjunctions as written


def conjunctions(expression: Expression, missing: str = "unknown") -> list[Conjunction]:
    """Return the conjunctions that an expression is an OR of, as it is written.

    >>> import hedgerow as hr
    >>> for conjunction in conjunctions(hr.parse("a = 1 AND (b = 2 OR NOT (c = 3 OR d = 4))")):
    ...     print(*(f"{test.predicate} {test.accepts.name}" for test in conjunction), sep=", ")
    a = 1 TRUE, b = 2 TRUE
    a = 1 TRUE, c = 3 FALSE, d = 4 FALSE
    """
    found: dict[tuple[int, bool], list[Conjunction]] = {}
    stack = [(expression, True)]
    while stack:
        part, positive = stack[-1]
        waiting = [key for key in _below(part, positive=positive) if (id(key[0]), key[1]) not in found]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        found[id(part), positive] = _of_part(part, missing, found, positive=positive)
    return found[id(expression), True]


def _below(part: Expression, *, positive: bool) -> list[tuple[Expression, bool]]:
    """Return the operands of a part, and whether they are to be true or false."""
    if isinstance(part, (Constant, Predicate)):
        return []
    if isinstance(part, Not):
        return [(part.operand, not positive)]
    if isinstance(part, (And, Or)):
        return [(operand, positive) for operand in part.operands]
    return [(operand, sign) for operand in part.operands for sign in (True, False)]


def _of_part(
    part: Expression, missing: str, found: dict[tuple[int, bool], list[Conjunction]], *, positive: bool
) -> list[Conjunction]:
    if isinstance(part, Constant):
        return [()] if part.value == positive else []
    if isinstance(part, Predicate):
        accepts = OPERATORS[part.operator].accepts
        return [(WrittenTest(part, accepts if positive else opposite(accepts, missing)),)]
    below = [found[id(operand), sign] for operand, sign in _below(part, positive=positive)]
    if isinstance(part, Not):
        return below[0]
    if isinstance(part, (And, Or)):
        return _all_ways(below) if isinstance(part, And) == positive else _limited([c for each in below for c in each])
    return _exclusive(below, is_xnor=isinstance(part, Xnor), positive=positive)


def _exclusive(below: list[list[Conjunction]], *, is_xnor: bool, positive: bool) -> list[Conjunction]:
    """Return the conjunctions of XOR or XNOR, two operands at a time; ``below`` has each as true and as false."""
    true, false = below[0], below[1]
    for yes, no in zip(below[2::2], below[3::2], strict=True):
        differ = _limited(_all_ways([true, no]) + _all_ways([false, yes]))
        agree = _limited(_all_ways([true, yes]) + _all_ways([false, no]))
        true, false = (agree, differ) if is_xnor else (differ, agree)
    return true if positive else false


def _all_ways(parts: list[list[Conjunction]]) -> list[Conjunction]:
    """Return what one conjunction of each part makes together, in all ways."""
    found: list[Conjunction] = [()]
    for part in parts:
        if len(found) * len(part) > MAX_CLAUSES:
            raise _too_many()
        found = [one + other for one, other in product(found, part)]
    return found


def _limited(found: list[Conjunction]) -> list[Conjunction]:
    if len(found) > MAX_CLAUSES:
        raise _too_many()
    return found


def _too_many() -> LimitError:
    return LimitError(f"an expression of more than {MAX_CLAUSES:,} conjunctions")
