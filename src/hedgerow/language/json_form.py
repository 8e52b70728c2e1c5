"""Expressions as JSON: flat, versioned, each distinct part once.

::

    {"hedgerow": 1,
     "nodes": [{"attribute": "age", "operator": "BETWEEN", "values": [18, 24]},
               {"attribute": "state", "operator": "IN", "values": ["NY", "CA"], "weights": [0.0, 3.0]},
               {"not": 1},
               {"and": [0, 2]}]}

``hedgerow`` is the version. Each node refers to earlier ones by their number, from 0; the last node is the expression,
and every other node is part of it. So the form is as flat for 100,000 levels as for two, and parts that stand in
several places, or are equal, are written once: equal expressions have equal JSON.

============================================== ====================================================================
node                                           meaning
============================================== ====================================================================
``{"constant": true}``                         TRUE, FALSE
``{"not": n}``                                 NOT
``{"and": [n, ...]}``, ``or``, ``xor``, ``xnor`` two operands or more
``{"attribute": ..., "operator": ...}``        a predicate. ``operator`` is what is written (``"="``, ``"NOT IN"``,
                                               ...); ``values`` is left out for IS NULL and IS EMPTY, ``weights`` (one
                                               number per value) where nothing weighs anything
============================================== ====================================================================

Values are JSON's booleans, numbers and strings, and ``{"timestamp": "2026-01-01T10:00:00Z"}``.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, cast

from hedgerow.errors import ExpressionError, LimitError
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operand import shown
from hedgerow.language.operators import OPERATORS
from hedgerow.language.walk import postorder

if TYPE_CHECKING:
    from hedgerow.values import Value

__all__ = ["VERSION", "from_json", "to_json"]

VERSION = 1

_CHAINS = {"and": And, "or": Or, "xor": Xor, "xnor": Xnor}
_KEYS: dict[type[Expression], str] = {kind: key for key, kind in _CHAINS.items()}
_OPERATORS = {row.text: row.operator for row in OPERATORS}


def to_json(expression: Expression) -> str:
    """Return the expression as JSON text.

    >>> from hedgerow.language.build import attr
    >>> to_json(~(attr("age") > 17.5))
    '{"hedgerow": 1, "nodes": [{"attribute": "age", "operator": ">", "values": [17.5]}, {"not": 0}]}'
    """
    nodes: list[dict[str, object]] = []
    numbers: dict[int, int] = {}
    known: dict[object, int] = {}
    for part in postorder(expression):
        below = tuple(numbers[id(operand)] for operand in part.operands)
        # Operands by number, so that telling equal parts never means comparing all that is below them.
        key = (type(part), below) if below else part
        number = numbers[id(part)] = known.setdefault(key, len(nodes))
        if number == len(nodes):
            nodes.append(_node(part, below))
    return json.dumps({"hedgerow": VERSION, "nodes": nodes})


def from_json(text: str) -> Expression:
    """Return the expression of JSON text; raise ``ExpressionError``, which names the node, for what is not one.

    >>> str(from_json('{"hedgerow": 1, "nodes": [{"attribute": "a", "operator": "IS NULL"}, {"not": 0}]}'))
    'NOT a IS NULL'
    """
    nodes = _nodes(text)
    parts: list[Expression] = []
    used: set[int] = set()
    for number, node in enumerate(nodes):
        try:
            parts.append(_part(node, parts, used))
        except ExpressionError as error:
            raise ExpressionError(f"node {number}: {error}") from None
        except LimitError as error:
            raise LimitError(f"node {number}: {error}") from None
    unused = next((number for number in range(len(parts) - 1) if number not in used), None)
    if unused is not None:
        raise ExpressionError(f"node {unused}: is part of nothing; the last node is the expression")
    return parts[-1]


def _node(part: Expression, below: tuple[int, ...]) -> dict[str, object]:
    if isinstance(part, Constant):
        return {"constant": part.value}
    if isinstance(part, Not):
        return {"not": below[0]}
    if not isinstance(part, Predicate):
        return {_KEYS[type(part)]: below}
    node: dict[str, object] = {"attribute": part.attribute, "operator": OPERATORS[part.operator].text}
    if part.values:
        node["values"] = [_written(value) for value in part.values]
    if part.weights:
        node["weights"] = part.weights
    return node


def _written(value: Value) -> object:
    if isinstance(value, dt.datetime):
        return {"timestamp": f"{value.replace(tzinfo=None).isoformat()}Z"}
    return value


def _nodes(text: str) -> list[object]:
    if not isinstance(text, str):
        raise ExpressionError(f"JSON is text, not {shown(text)}")
    try:
        document = json.loads(text)
    except RecursionError:
        raise ExpressionError("JSON that is nested too deeply; an expression's nodes are flat") from None
    except ValueError as error:
        raise ExpressionError(f"not JSON: {error}") from None
    if not isinstance(document, dict) or document.keys() != {"hedgerow", "nodes"}:
        raise ExpressionError('an expression in JSON is {"hedgerow": 1, "nodes": [...]}')
    version, nodes = document["hedgerow"], document["nodes"]
    if type(version) is not int or version != VERSION:
        raise ExpressionError(f"version {shown(version)} of the JSON form is unknown; this release reads {VERSION}")
    if not isinstance(nodes, list) or not nodes:
        raise ExpressionError('"nodes" is a list of one node or more')
    return nodes


def _part(node: object, parts: list[Expression], used: set[int]) -> Expression:
    if not isinstance(node, dict):
        raise ExpressionError(f"a node is an object, not {shown(node)}")
    if "attribute" in node:
        return _predicate(node)
    if len(node) != 1:
        raise ExpressionError(f"a node without attribute has one key, not {shown(list(node))}")
    ((key, content),) = node.items()
    if key == "constant":
        return Constant(content)
    if key == "not":
        return Not(_operand(content, parts, used))
    if key not in _CHAINS:
        raise ExpressionError(f"{shown(key)} is no kind of node")
    if not isinstance(content, list):
        raise ExpressionError(f"{key} has a list of node numbers, not {shown(content)}")
    return _CHAINS[key](*[_operand(reference, parts, used) for reference in content])


def _operand(reference: object, parts: list[Expression], used: set[int]) -> Expression:
    if type(reference) is not int or not 0 <= reference < len(parts):
        raise ExpressionError(f"{shown(reference)} is not the number of an earlier node")
    used.add(reference)
    return parts[reference]


def _predicate(node: dict[str, object]) -> Predicate:
    unknown = node.keys() - {"attribute", "operator", "values", "weights"}
    if unknown:
        raise ExpressionError(f"a predicate has no {shown(min(unknown))}")
    operator = node.get("operator")
    if not isinstance(operator, str) or operator not in _OPERATORS:
        raise ExpressionError(f"{shown(operator)} is no operator")
    values = [_read(value) for value in _list(node, "values")]
    weights = cast("list[float]", _list(node, "weights")) if "weights" in node else None
    return Predicate(cast("str", node["attribute"]), _OPERATORS[operator], values, weights)


def _list(node: dict[str, object], key: str) -> list[object]:
    content = node.get(key, [])
    if not isinstance(content, list):
        raise ExpressionError(f"{key} is a list, not {shown(content)}")
    return content


def _read(value: object) -> object:
    if not isinstance(value, dict):
        return value
    moment = value.get("timestamp")
    if len(value) != 1 or not isinstance(moment, str):
        raise ExpressionError(f'{shown(value)} is no value; a timestamp is {{"timestamp": "..."}}')
    try:
        return dt.datetime.fromisoformat(moment)
    except ValueError:
        raise ExpressionError(f"{shown(moment)} is no timestamp") from None
