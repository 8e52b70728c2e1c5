"""The operators of the language: one row each, and the one place where their properties are said.

An operator is what people write. Under it lies a *base* test with three outcomes (true, false, undefined), and the
operator *accepts* some of them: ``a != 1`` is the base test ``a = 1`` that must come out false. The pair is a literal:

======== ================================ =====================================================
accepts  holds when the base test is      example
======== ================================ =====================================================
TRUE     true                             ``a = 1``
FALSE    false                            ``a != 1``: its complement on present values (strong)
NOT_TRUE false or undefined               ``a WEAK NOT IN (1)``: absence satisfies it too (weak)
NOT_FALSE true or undefined               ``NOT a != 1`` where missing attributes read as false
======== ================================ =====================================================

The numbers are part of the compiled modules (a test compares them); add new operators at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["OPERATORS", "Accepts", "Operands", "Operator", "OperatorRow"]


class Accepts(IntEnum):
    """Which outcomes of a base test satisfy a literal."""

    TRUE = 0
    FALSE = 1
    NOT_TRUE = 2
    NOT_FALSE = 3


class Operands(IntEnum):
    """What an operator takes on its right."""

    NOTHING = 0
    ONE = 1
    TWO = 2
    MANY = 3
    TEXT = 4


class Operator(IntEnum):
    """What people write between an attribute and its operands."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5
    BETWEEN = 6
    NOT_BETWEEN = 7
    IN = 8
    NOT_IN = 9
    WEAK_NOT_IN = 10
    ANY_OF = 11
    ALL_OF = 12
    NONE_OF = 13
    IS_NULL = 14
    IS_NOT_NULL = 15
    IS_EMPTY = 16
    IS_NOT_EMPTY = 17
    LIKE = 18
    NOT_LIKE = 19
    ILIKE = 20
    NOT_ILIKE = 21
    STARTS_WITH = 22
    NOT_STARTS_WITH = 23
    ENDS_WITH = 24
    NOT_ENDS_WITH = 25
    CONTAINS = 26
    NOT_CONTAINS = 27
    MATCHES = 28
    NOT_MATCHES = 29


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """The properties of one operator."""

    operator: Operator
    text: str
    operands: Operands
    base: Operator
    accepts: Accepts
    weighted: bool = False
    """Whether its values may carry weights: only a positive test on values scores."""


def _rows() -> tuple[OperatorRow, ...]:
    op, take, accept = Operator, Operands, Accepts
    return (
        OperatorRow(op.EQ, "=", take.ONE, op.EQ, accept.TRUE, weighted=True),
        OperatorRow(op.NE, "!=", take.ONE, op.EQ, accept.FALSE),
        OperatorRow(op.LT, "<", take.ONE, op.LT, accept.TRUE),
        OperatorRow(op.LE, "<=", take.ONE, op.LE, accept.TRUE),
        OperatorRow(op.GT, ">", take.ONE, op.GT, accept.TRUE),
        OperatorRow(op.GE, ">=", take.ONE, op.GE, accept.TRUE),
        OperatorRow(op.BETWEEN, "BETWEEN", take.TWO, op.BETWEEN, accept.TRUE),
        OperatorRow(op.NOT_BETWEEN, "NOT BETWEEN", take.TWO, op.BETWEEN, accept.FALSE),
        OperatorRow(op.IN, "IN", take.MANY, op.IN, accept.TRUE, weighted=True),
        OperatorRow(op.NOT_IN, "NOT IN", take.MANY, op.IN, accept.FALSE),
        OperatorRow(op.WEAK_NOT_IN, "WEAK NOT IN", take.MANY, op.IN, accept.NOT_TRUE),
        OperatorRow(op.ANY_OF, "ANY OF", take.MANY, op.IN, accept.TRUE, weighted=True),
        OperatorRow(op.ALL_OF, "ALL OF", take.MANY, op.ALL_OF, accept.TRUE),
        OperatorRow(op.NONE_OF, "NONE OF", take.MANY, op.IN, accept.FALSE),
        OperatorRow(op.IS_NULL, "IS NULL", take.NOTHING, op.IS_NULL, accept.TRUE),
        OperatorRow(op.IS_NOT_NULL, "IS NOT NULL", take.NOTHING, op.IS_NULL, accept.FALSE),
        OperatorRow(op.IS_EMPTY, "IS EMPTY", take.NOTHING, op.IS_EMPTY, accept.TRUE),
        OperatorRow(op.IS_NOT_EMPTY, "IS NOT EMPTY", take.NOTHING, op.IS_EMPTY, accept.FALSE),
        OperatorRow(op.LIKE, "LIKE", take.TEXT, op.LIKE, accept.TRUE),
        OperatorRow(op.NOT_LIKE, "NOT LIKE", take.TEXT, op.LIKE, accept.FALSE),
        OperatorRow(op.ILIKE, "ILIKE", take.TEXT, op.ILIKE, accept.TRUE),
        OperatorRow(op.NOT_ILIKE, "NOT ILIKE", take.TEXT, op.ILIKE, accept.FALSE),
        OperatorRow(op.STARTS_WITH, "STARTS WITH", take.TEXT, op.STARTS_WITH, accept.TRUE),
        OperatorRow(op.NOT_STARTS_WITH, "NOT STARTS WITH", take.TEXT, op.STARTS_WITH, accept.FALSE),
        OperatorRow(op.ENDS_WITH, "ENDS WITH", take.TEXT, op.ENDS_WITH, accept.TRUE),
        OperatorRow(op.NOT_ENDS_WITH, "NOT ENDS WITH", take.TEXT, op.ENDS_WITH, accept.FALSE),
        OperatorRow(op.CONTAINS, "CONTAINS", take.TEXT, op.CONTAINS, accept.TRUE),
        OperatorRow(op.NOT_CONTAINS, "NOT CONTAINS", take.TEXT, op.CONTAINS, accept.FALSE),
        OperatorRow(op.MATCHES, "MATCHES", take.TEXT, op.MATCHES, accept.TRUE),
        OperatorRow(op.NOT_MATCHES, "NOT MATCHES", take.TEXT, op.MATCHES, accept.FALSE),
    )


OPERATORS: tuple[OperatorRow, ...] = _rows()
"""The row of each operator, at its own number: ``OPERATORS[Operator.IN].text``."""
