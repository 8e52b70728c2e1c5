"""Comparing and sorting by content: what has the same content has the same place, whatever its number in the graph.

Comparisons return -1, 0 or 1. Values are compared by kind, then by value, strings as UTF-8 bytes; predicates by the
attribute's name, the operator, the values (a shorter list first where one begins with the other) and the weights.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import Graph, weight_at
from cython.cimports.hedgerow.symbols_cy import SymbolTable
from cython.cimports.libc.string import memcmp, memcpy

from hedgerow.arrays_cy import grown
from hedgerow.values import Kind

_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_RUN = cython.declare(cython.Py_ssize_t, 8)


@cython.cclass
class Sorter:
    """A stable merge sort of ``items[first:last]`` by what a subclass says in ``compare``."""

    def __init__(self):
        self.items = np.empty(64, np.int32)
        self.swap = np.empty(64, np.int32)

    def compare(self, left, right):
        raise NotImplementedError

    def sort(self, first, last):
        width: cython.Py_ssize_t = _RUN
        start: cython.Py_ssize_t = first
        while start < last:
            self.insert_run(start, min(start + _RUN, last))
            start += _RUN
        while width < last - first:
            start = first
            while start + width < last:
                self.merge(start, start + width, min(start + 2 * width, last))
                start += 2 * width
            width *= 2
        return 0

    def insert_run(self, first, last):
        position: cython.Py_ssize_t
        hole: cython.Py_ssize_t
        item: cython.int
        for position in range(first + 1, last):
            item = self.items[position]
            hole = position
            while hole > first and self.compare(item, self.items[hole - 1]) < 0:
                self.items[hole] = self.items[hole - 1]
                hole -= 1
            self.items[hole] = item
        return 0

    def merge(self, first, middle, last):
        if self.compare(self.items[middle - 1], self.items[middle]) <= 0:
            return 0  # in order already, as lists often are
        count: cython.Py_ssize_t = middle - first
        taken: cython.Py_ssize_t = 0
        target: cython.Py_ssize_t = first
        if count > self.swap.shape[0]:
            self.swap = grown(self.swap, count)
        self.swap[:count] = self.items[first:middle]
        while taken < count:
            if middle < last and self.compare(self.items[middle], self.swap[taken]) < 0:
                self.items[target] = self.items[middle]
                middle += 1
            else:
                self.items[target] = self.swap[taken]
                taken += 1
            target += 1
        return 0


def compare_values(graph, left, right):
    kind: cython.int = graph.value_kind[left]
    if kind != graph.value_kind[right]:
        return -1 if kind < graph.value_kind[right] else 1
    first: cython.longlong = graph.value_payload[left]
    second: cython.longlong = graph.value_payload[right]
    if first == second:
        return 0
    if kind == _STRING:
        return _compare_symbols(graph.strings, first, second)
    if kind == _FLOAT:
        return -1 if _as_float(first) < _as_float(second) else 1
    return -1 if first < second else 1


@cython.cfunc
@cython.exceptval(check=False)
def _as_float(payload: cython.longlong) -> cython.double:
    number: cython.double = 0
    memcpy(cython.address(number), cython.address(payload), 8)
    return number


@cython.cfunc
@cython.exceptval(-2)
def _compare_symbols(table: SymbolTable, left: cython.longlong, right: cython.longlong) -> cython.int:
    first: cython.longlong = table.starts[left]
    second: cython.longlong = table.starts[right]
    rest: cython.longlong = (table.starts[left + 1] - first) - (table.starts[right + 1] - second)
    common: cython.longlong = table.starts[left + 1] - first if rest < 0 else table.starts[right + 1] - second
    difference: cython.int = 0
    if common:
        difference = memcmp(cython.address(table.heap[first]), cython.address(table.heap[second]), common)
    if difference == 0:
        return (rest > 0) - (rest < 0)
    return -1 if difference < 0 else 1


def compare_predicates(graph, left, right):
    if left == right:
        return 0
    difference: cython.int = 0
    if graph.predicate_attribute[left] != graph.predicate_attribute[right]:
        difference = _compare_symbols(graph.names, graph.predicate_attribute[left], graph.predicate_attribute[right])
    if difference == 0 and graph.predicate_operator[left] != graph.predicate_operator[right]:
        difference = -1 if graph.predicate_operator[left] < graph.predicate_operator[right] else 1
    return difference if difference else _compare_operands(graph, left, right)


@cython.cfunc
@cython.exceptval(-2)
def _compare_operands(graph: Graph, left: cython.int, right: cython.int) -> cython.int:
    first: cython.longlong = graph.predicate_start[left]
    second: cython.longlong = graph.predicate_start[right]
    count: cython.longlong = graph.predicate_start[left + 1] - first
    rest: cython.longlong = count - (graph.predicate_start[right + 1] - second)
    offset: cython.longlong
    difference: cython.int
    if rest > 0:
        count -= rest
    for offset in range(count):
        difference = compare_values(graph, first + offset, second + offset)
        if difference:
            return difference
    if rest:
        return -1 if rest < 0 else 1
    for offset in range(count):
        if weight_at(graph, first + offset) != weight_at(graph, second + offset):
            return -1 if weight_at(graph, first + offset) < weight_at(graph, second + offset) else 1
    return 0
