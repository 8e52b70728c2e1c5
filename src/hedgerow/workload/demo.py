"""The demo: an ad exchange with a few thousand readable campaigns, matched against readable visits.

Run it by ``make demo`` or ``python -m hedgerow.workload.demo``; ``--help`` tells the options. It takes the campaigns in
(with some mistakes among them), matches the visits in batches, and prints what the people of an exchange would ask.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import hedgerow as hr
from hedgerow.progress import Progress
from hedgerow.workload.demo_text import WIDTH, bar, cut, heading, visit_lines, wrapped
from hedgerow.workload.exchange import campaigns, visits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["main"]

_MOST = 1_000_000
_BLOCK = 500  # visits matched at once
_BUSIEST = 6
_BEST = 5
_CANDIDATES = 500  # campaigns looked at for one that nearly matched
_TRIED = 20  # of these, how many to try for one whose explanation fits the page
_CLASSES = ((0, "none"), (4, "1 to 4"), (9, "5 to 9"), (19, "10 to 19"), (49, "20 to 49"), (_MOST, "50 or more"))

# What people get wrong, in the middle of rules that are right.
_MISTAKES = (
    ("mistake-typo", "user.age BETWEN 18 AND 24 AND user.interests ANY OF ('nba', 'nfl')", 1.0),
    ("mistake-bracket", "user.state IN ('CA', 'OR' AND device.type = 'phone'", 1.0),
    ("mistake-quotes", "page.section = 'food' AND (hour >= 18 OR device.type = phone)", 1.0),
)


@dataclass(slots=True)
class _Tally:
    """What became of the visits."""

    seconds: float = 0.0
    of_visits: list[int] = field(default_factory=list)
    """How many campaigns matched each visit."""
    of_campaigns: Counter[str] = field(default_factory=Counter)
    """How many visits each campaign matched."""
    shown: dict[str, object] = field(default_factory=dict)
    """The visit to look at closely: of the first ones, one with more matches than three of four have."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demo and print its report, each part when it is ready."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without UTF-8 gets question marks, not a traceback
    try:
        for line in _report(options.campaigns, options.visits, options.seed):
            print(line, flush=True)
    except BrokenPipeError:  # whoever reads it, `head` say, has seen enough; and nothing is left to write at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hedgerow.workload.demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Match the visits of an ad exchange against the rules of its campaigns, and tell what came of it.",
        epilog="example:\n  python -m hedgerow.workload.demo --campaigns 1000 --visits 20000\n\n"
        "Every rule is evaluated for every visit, so the time grows with their product.",
    )
    parser.add_argument("--campaigns", type=_count, default=5000, metavar="N", help="how many rules (default: 5000)")
    parser.add_argument("--visits", type=_count, default=5000, metavar="N", help="how many events (default: 5000)")
    parser.add_argument("--seed", type=_seed, default=7, metavar="N", help="where the draws start (default: 7)")
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {_MOST:,}")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _report(campaign_count: int, visit_count: int, seed: int) -> Iterator[str]:
    rows = list(campaigns(campaign_count, seed))
    index = hr.Index()
    tally = _Tally()
    yield from _introduction(rows)
    yield from _loading(index, rows)
    yield from _matching(index, visit_count, seed + 4, tally)
    yield from _busiest(tally)
    yield from _closely(index, tally.shown, {name: bid for name, _, bid in rows})
    yield from _explained(index, tally.shown)


def _introduction(rows: list[tuple[str, str, float]]) -> Iterator[str]:
    yield heading("hedgerow: which of many rules match an event?")
    yield f"An ad exchange. {len(rows):,} campaigns say which visits they want, and what they bid. For example:"
    for name, expression, bid in rows[:2]:
        yield ""
        yield f"  {name}, bid {bid:.2f}"
        yield from wrapped(expression, "    ")


def _loading(index: hr.Index, rows: list[tuple[str, str, float]]) -> Iterator[str]:
    middle = (len(rows) + 1) // 2
    twice = (rows[0][0], "user.age >= 21", 1.0)
    start = time.perf_counter()
    report = index.insert_many([*rows[:middle], *_MISTAKES, twice, *rows[middle:]])
    rate = report.inserted / (time.perf_counter() - start)
    stats = index.stats()
    yield heading("Taking the rules in")
    yield f"{report.inserted:,} rules taken, {rate:,.0f} a second; {len(report.rejected)} refused."
    yield f"Taken: {stats.predicates:,} distinct predicates, {stats.bytes / 1e6:.1f} MB. Refused:"
    for bad in report.rejected:
        yield ""
        yield f"  row {bad.row:,}, {bad.id}"
        yield from (f"    {line}" for line in str(bad.error).splitlines())


def _matching(index: hr.Index, count: int, seed: int, tally: _Tally) -> Iterator[str]:
    yield heading("Matching visits")
    _match_all(index, count, seed, tally)
    rate = count / tally.seconds
    matches = sum(tally.of_visits)
    tests = rate * len(index) / 1e6
    yield f"{count:,} visits in {tally.seconds:.1f} s: {rate:,.0f} visits, or {tests:.1f} million rules, a second."
    yield f"{matches:,} matches, {matches / count:.1f} a visit. How many campaigns want a visit:"
    yield ""
    classes = Counter(next(label for most, label in _CLASSES if count <= most) for count in tally.of_visits)
    for _, label in _CLASSES:
        yield f"  {label:>10}  {bar(classes[label], max(classes.values()))} {classes[label]:,} visits"


def _match_all(index: hr.Index, count: int, seed: int, tally: _Tally) -> None:
    stream = visits(count, seed)
    progress = Progress("matching", count)
    while block := list(islice(stream, _BLOCK)):
        start = time.perf_counter()
        matches = index.match_batch(block)
        tally.seconds += time.perf_counter() - start
        wanted = Counter(matches["event"].to_pylist())
        if not tally.of_visits:
            tally.shown = block[sorted(range(len(block)), key=wanted.__getitem__)[len(block) * 3 // 4]]
        tally.of_visits += [wanted[row] for row in range(len(block))]
        tally.of_campaigns.update(matches["id"].to_pylist())
        progress.advance(len(block))
    progress.close()


def _busiest(tally: _Tally) -> Iterator[str]:
    yield heading("The busiest campaigns")
    busiest = tally.of_campaigns.most_common(_BUSIEST)
    if not busiest:
        yield "No campaign wants any of these visits."
    for name, count in busiest:
        share = count / len(tally.of_visits)
        yield f"  {name:<34}{bar(count, busiest[0][1])} {count:,} visits, {share:.0%}"


def _closely(index: hr.Index, visit: dict[str, object], bids: dict[str, float]) -> Iterator[str]:
    yield heading("One visit")
    yield from visit_lines(visit)
    yield ""
    best = index.top(visit, _BEST)
    yield f"Campaigns that want it: {len(index.match(visit)):,}"
    if best:
        yield "The best by score, which is the bid and what the weights in the rule add:"
        yield ""
        yield f"  {'score':>6}  {'bid':>6}  campaign"
    for name, score in best:
        yield f"  {score:6.2f}  {bids[str(name)]:6.2f}  {name}"


def _explained(index: hr.Index, visit: dict[str, object]) -> Iterator[str]:
    yield from _why(index, visit, "wants", [name for name, _ in index.top(visit, _BEST)])
    wanting = set(index.match(visit))
    others = islice((name for name in index if name not in wanting), _CANDIDATES)
    nearest = sorted(others, key=lambda name: _distance(index.explain(name, visit)))
    yield from _why(index, visit, "does not want", nearest[:_TRIED])


def _distance(explanation: hr.Explanation) -> tuple[int, int]:
    """Return how far from a match it is: those first that lack just one clause, and of these the ones with many."""
    clauses = explanation.children or (explanation,)
    return sum(clause.value is not True for clause in clauses), -len(clauses)


def _why(index: hr.Index, visit: dict[str, object], verb: str, names: Sequence[int | str]) -> Iterator[str]:
    """Yield the explanation of the first campaign whose fits the page."""
    if not names:
        return
    texts = {name: [f"  {line}" for line in str(index.explain(name, visit)).splitlines()] for name in names}
    name = next((name for name in names if max(map(len, texts[name])) <= WIDTH), names[0])
    yield heading(f"Why {name} {verb} it")
    yield from map(cut, texts[name])


if __name__ == "__main__":
    main()
