"""A finder filled with literals, for the tests of what finds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import hedgerow as hr
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import OPERATORS, Accepts
from hedgerow.predicate.finder_cy import Finder, Found
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.predicate.table_cy import PredicateTable


class Literals:
    """Literals in a finder, numbered as they come, and searches over them."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.table = PredicateTable(self.graph)
        self.finder = Finder(self.graph, self.table)
        self.count = 0
        self.numbers: dict[tuple[int, int], int] = {}

    def add(self, predicate: hr.Predicate, accepts: Accepts = Accepts.TRUE, number: int | None = None) -> int:
        """Add a literal unless it is there, under a number that is free; return its number."""
        base = hr.Predicate(predicate.attribute, OPERATORS[predicate.operator].base, predicate.values)
        code = self.graph.predicate_of(self.graph.add(base))[0], int(accepts)
        if code in self.numbers:
            return self.numbers[code]
        if number is None:
            number, self.count = self.count, self.count + 1
        self.table.extend()
        self.finder.put(number, *code)
        self.numbers[code] = number
        return number

    def add_all(self, predicate: hr.Predicate) -> None:
        """Add all four literals of a predicate."""
        for accepts in Accepts:
            self.add(predicate, accepts)

    def remove(self, number: int) -> None:
        """Remove the literal of a number."""
        self.finder.take_out(number)
        self.numbers = {code: other for code, other in self.numbers.items() if other != number}

    def search(self, events: Iterable[Mapping[str, Any]], limit: int | None = None) -> Found:
        """Begin a search."""
        outcomes = Outcomes(self.table, hr.events(list(events)), "unknown")
        return Found(self.finder, outcomes, self.count if limit is None else limit)

    def check(self, events: list[dict[str, Any]]) -> None:
        """Compare what is found for each event with what testing every literal says."""
        search = self.search(events)
        for row, event in enumerate(events):
            found, expected = search.numbers(row), search.tested_numbers(row)
            assert found == expected, (event, [self.shown(number) for number in set(found) ^ set(expected)])

    def shown(self, number: int) -> tuple[str, str]:
        """Return a literal's predicate and what it accepts, as text."""
        predicate, accepts = next(code for code, other in self.numbers.items() if other == number)
        return str(self.graph.predicate(predicate)), Accepts(accepts).name
