"""What lists in events cost, by their elements and by the rules on them, and what LIKE costs beside CONTAINS.

Each line matches one event, whose attribute ``x`` is a list, by ``match``, from a dict to a list of ids, with one
engine. The first table has ten times the elements for the same rules, the second ten times the rules for the same list.
A ratio is the larger size's time by the smaller one's: 10 is linear, less is better. ``scan`` tests each rule on each
element until one satisfies it, so that where none does it costs their product. Memory is what a match takes at most,
beyond what the process holds before it.

The third table has string tests on one long text; there a ratio is the time by that of CONTAINS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import hedgerow as hr
from benchmarks._build import resident
from benchmarks._common import arguments_of, best_of

ENGINES = ("scan", "atree")
TENFOLD = 10
SAMPLE = 20  # of the rules are evaluated by the oracle, on a list of so many elements
HARD = 1000  # characters of the hardest patterns
SENTENCE = "the rain in Spain stays mainly in the plain, "


@dataclass(frozen=True)
class Case:
    """Rules that differ by a number, and an element for each number."""

    name: str
    rule: Callable[[int], str]
    element: Callable[[int], object]
    alone: bool = False
    """Whether there is only one rule, whatever their number."""

    def rules(self, count: int) -> list[str]:
        """Return so many rules."""
        return [self.rule(number) for number in range(1 if self.alone else count)]

    def event(self, count: int) -> dict[str, list[object]]:
        """Return an event whose list has so many elements."""
        return {"x": [self.element(number) for number in range(count)]}


CASES = (
    Case("one MATCHES, of strings", lambda _: "x MATCHES 'q'", lambda number: f"s{number}", alone=True),
    Case("one ILIKE, of strings", lambda _: "x ILIKE '%q%'", lambda number: f"s{number}", alone=True),
    Case(">= of all numbers", lambda number: f"x >= {-number}", lambda number: number),
    Case(
        "BETWEEN beside all numbers",
        lambda number: f"x BETWEEN {TENFOLD * number + 1} AND {TENFOLD * number + 2}",
        lambda number: TENFOLD * number,
    ),
    Case("!= of no number", lambda number: f"x != {-number - 1}", lambda number: number),
    Case("IN with one in common", lambda number: f"x IN ({number}, {number + 1}, -1)", lambda number: number % 99 - 1),
    Case(">= of strings", lambda number: f"x >= 'category-{number:06}'", lambda number: f"category-{number:06}"),
    Case("CONTAINS, of strings", lambda number: f"x CONTAINS '-{number:06}.'", lambda number: f"n-{number:06}.html"),
)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of("benchmarks.lists", __doc__, given, elements=160_000, rules=1000, text=1_000_000, repeats=3)
    few = max(1, options.elements // TENFOLD)
    print(*by_size("elements", [(few, options.rules), (options.elements, options.rules)], options.repeats), sep="\n")
    print(*by_size("rules", [(few, max(1, options.rules // TENFOLD)), (few, options.rules)], options.repeats), sep="\n")
    print(*string_tests(options.text, options.repeats), sep="\n")
    evaluated = verified(few)
    print(f"\nverified: the same matches by both engines in each line; {evaluated:,} outcomes by the oracle too")


def by_size(unit: str, sizes: Sequence[tuple[int, int]], repeats: int) -> Iterator[str]:
    """Yield a table of times at two sizes, each of elements and rules."""
    yield f"\nten times the {unit} (elements by rules, of the larger size):"
    for case in CASES:
        if unit == "rules" and case.alone:
            continue
        taken: dict[str, list[float]] = {engine: [] for engine in ENGINES}
        memory = dict.fromkeys(ENGINES, 0)
        for elements, rules in sizes:
            event = case.event(elements)
            found = []
            for engine in ENGINES:
                index = index_of(engine, case.rules(rules))
                found.append(index.match(event))
                taken[engine].append(best_of(repeats, partial(index.match, event)))
                memory[engine] = most_taken(partial(index.match, event))
            assert found[0] == found[1], f"{case.name}: the engines differ"
        size = f"{sizes[-1][0]:,} by {len(case.rules(sizes[-1][1])):,}"
        for engine, (small, large) in taken.items():
            times = f"{small * 1e3:>10,.2f} ms {large * 1e3:>10,.2f} ms {memory[engine] / 1e6:>6,.0f} MB"
            yield f"  {case.name:<27} {size:<16} {engine:<6} {times}   ratio {large / small:,.1f}"


def index_of(engine: str, rules: Sequence[str]) -> hr.Index:
    """Return an index of these rules, numbered."""
    index = hr.Index(engine)
    assert index.insert_many(enumerate(rules), progress=False).inserted == len(rules)
    return index


def most_taken(run: Callable[[], object]) -> int:
    """Return the bytes that the process holds at most during a run, beyond what it held before."""
    before = resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak counts from now on
    run()
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert peak is not None
    return max(0, int(peak[1]) * 1024 - before)


def string_tests(size: int, repeats: int) -> Iterator[str]:
    """Yield a table of string tests on texts of a size: usual ones, and those that are hardest to tell apart."""
    usual = SENTENCE * (size // len(SENTENCE) + 1)
    hard = "a" * size
    half = "a" * min(HARD // 2, size)
    rows = (
        ("CONTAINS", "nowhere", usual),
        ("LIKE", "%nowhere%", usual),
        ("LIKE", "the%nowhere%plain, ", usual),
        ("LIKE", "%now_ere%", usual),
        ("ILIKE", "%nowhere%", usual),
        ("LIKE", f"%{half}{half}b%", hard),
        ("LIKE", f"%{half}_{half[1:]}b%", hard),
        ("ILIKE", f"%{half}{half}b%", hard),
    )
    yield f"\nstring tests, {size:,} characters:"
    base = 0.0
    for operator, operand, text in rows:
        batch = hr.events([{"x": text}])
        index = index_of("scan", [f"x {operator} '{operand}'"])
        assert index.count_batch(batch).to_pylist() == [0], f"{operator} {operand}: found"
        seconds = best_of(repeats, partial(index.count_batch, batch))
        base = base or seconds
        shown = operand if text is usual else f"{operand[:5]}...{operand[-5:]} of {len(operand):,}"
        yield f"  {operator:<9} {shown:<24} {seconds * 1e3:>10,.2f} ms   ratio {seconds / base:,.1f}"


def verified(most: int) -> int:
    """Compare each engine with the oracle on short lists and some rules; return how many outcomes that were."""
    count = min(SAMPLE, most)
    outcomes = 0
    for case in CASES:
        rules, event = case.rules(SAMPLE), case.event(count)
        expected = [number for number, rule in enumerate(rules) if hr.evaluate(rule, event)]
        for engine in ENGINES:
            assert index_of(engine, rules).match(event) == expected, f"{case.name}: {engine} differs from the oracle"
        outcomes += len(rules)
    return outcomes


if __name__ == "__main__":
    main()
