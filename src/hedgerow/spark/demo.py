"""The demo: an ad exchange with twenty thousand readable campaigns and a million visits, on local Spark.

Run it by ``make demo`` or ``python -m hedgerow.spark.demo``; ``--help`` tells the options. It writes the visits to a
table, builds a rule set of the campaigns (with some mistakes among them), matches the one against the other, and prints
what the people of an exchange would ask.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import hedgerow as hr
from hedgerow.ruleset import RuleSet, open_rules
from hedgerow.spark.building import build
from hedgerow.spark.matching import match
from hedgerow.spark.progress import watched
from hedgerow.spark.session import session
from hedgerow.workload.demo_text import WIDTH, bar, cut, heading, visit_lines, wrapped
from hedgerow.workload.exchange import campaigns, visit_batches, visits

__all__ = ["main"]

_MOST = 10_000_000
_PARTS = 32
_BUSIEST = 6
_BEST = 5
_LOOKED_AT = 200  # visits among which one is chosen to be shown
_CANDIDATES = 500  # campaigns looked at for one that nearly matched
_TRIED = 20  # of these, how many to try for one whose explanation fits the page

_SCHEMA = """visit bigint, time timestamp, hour bigint, weekday string,
user struct<age: bigint, gender: string, state: string, member: boolean, income: bigint,
            interests: array<string>, segments: array<string>>,
device struct<type: string, os: string>,
page struct<site: string, section: string, url: string, keywords: array<string>>,
slot struct<position: string, width: bigint, height: bigint>, referrer string, seen map<string, bigint>"""

# What people get wrong, in the middle of rules that are right.
_MISTAKES = (
    "user.age BETWEN 18 AND 24 AND user.interests ANY OF ('nba', 'nfl')",
    "user.state IN ('CA', 'OR' AND device.type = 'phone'",
    "page.section = 'food' AND (hour >= 18 OR device.type = phone)",
)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What the demo works on. Rules have numbers, which travel more lightly than names; ``names`` has the names."""

    names: list[str]
    texts: list[str]
    bids: list[float]
    visits: int
    seed: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demo and print its report, each part when it is ready."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without UTF-8 gets question marks, not a traceback
    rows = list(campaigns(options.campaigns, options.seed))
    names, texts, bids = (list(column) for column in zip(*rows, strict=True))
    exchange = _Exchange(names, texts, bids, options.visits, options.seed + 4)
    try:
        with TemporaryDirectory(prefix="hedgerow-demo-") as folder:
            for line in _report(exchange, Path(folder), options.master):
                print(line, flush=True)
    except BrokenPipeError:  # whoever reads it, `head` say, has seen enough; and nothing is left to write at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hedgerow.spark.demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Match the visits of an ad exchange against the rules of its campaigns on Spark, and tell of it.",
        epilog="example:\n  python -m hedgerow.spark.demo --campaigns 1000 --visits 20000",
    )
    parser.add_argument("--campaigns", type=_count, default=20_000, metavar="N", help="how many rules (default: 20000)")
    parser.add_argument("--visits", type=_count, default=1_000_000, metavar="N", help="events (default: 1000000)")
    parser.add_argument("--seed", type=_seed, default=7, metavar="N", help="where the draws start (default: 7)")
    parser.add_argument("--master", metavar="M", help="the Spark to run on (default: local[*], this machine)")
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {_MOST:,}")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _report(exchange: _Exchange, folder: Path, master: str | None) -> Iterator[str]:
    yield from _introduction(exchange)
    spark = session(master)
    yield from _writing(spark, exchange, folder)
    yield from _building(spark, exchange, folder)
    yield from _matching(spark, exchange, folder)
    rules = open_rules(folder / "rules")
    visit = _chosen(rules, exchange)
    yield from _closely(rules, visit, exchange)
    yield from _explained(rules, visit, exchange)


def _introduction(exchange: _Exchange) -> Iterator[str]:
    yield heading("hedgerow: which of many rules match an event?")
    campaigns_told = f"{len(exchange.names):,} campaigns say which visits they want, and what they bid."
    yield f"An ad exchange. {campaigns_told} For example:"
    for name, text, bid in list(zip(exchange.names, exchange.texts, exchange.bids, strict=True))[:2]:
        yield ""
        yield f"  {name}, bid {bid:.2f}"
        yield from wrapped(text, "    ")


def _writing(spark: SparkSession, exchange: _Exchange, folder: Path) -> Iterator[str]:
    yield heading("A table of visits")
    parts = min(_PARTS, exchange.visits)
    ends = [exchange.visits * number // parts for number in range(parts + 1)]
    seed = exchange.seed

    def written(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from visit_batches(ends[part + 1] - ends[part], seed + part, first=ends[part])

    start = time.perf_counter()
    with watched(spark, "writing visits"):
        numbers = spark.range(0, parts, numPartitions=parts)
        numbers.mapInArrow(written, _SCHEMA).write.parquet(f"file://{folder}/visits")
    size = sum(file.stat().st_size for file in (folder / "visits").iterdir())
    yield f"{exchange.visits:,} visits, {size / 1e6:,.0f} MB of Parquet, in {time.perf_counter() - start:.1f} s."


def _building(spark: SparkSession, exchange: _Exchange, folder: Path) -> Iterator[str]:
    yield heading("Building the rule set")
    rows = list(zip(range(len(exchange.names)), exchange.texts, exchange.bids, strict=True))
    rows += [(len(rows) + number, text, 1.0) for number, text in enumerate(_MISTAKES)]
    rows.append((0, "user.age >= 21", 1.0))
    table = pa.table(list(zip(*rows, strict=True)), names=["id", "expression", "weight"])
    report = build(spark.createDataFrame(table), str(folder / "rules"))
    shape = f"{report.shards} shard{'s' * (report.shards != 1)}, {report.bytes / 1e6:,.1f} MB"
    yield f"{report.rules:,} rules taken in {report.seconds:.1f} s, {shape}; {report.rejected_count} refused:"
    for bad in report.rejected.orderBy("id").collect():
        yield ""
        yield cut(f"  rule {bad.id}: {bad.error}")
        yield from _place(bad.expression, bad.offset)


def _place(text: str, offset: int | None) -> Iterator[str]:
    """Yield a text and a caret under the place where it is wrong."""
    yield cut(f"    {text}")
    if offset is not None:
        yield f"    {'^':>{offset + 1}}"


def _matching(spark: SparkSession, exchange: _Exchange, folder: Path) -> Iterator[str]:
    yield heading("Matching")
    events = spark.read.parquet(f"file://{folder}/visits")
    matches = match(events, str(folder / "rules"), "visit")
    counted = matches.groupBy("rule_id").agg(F.count(F.lit(1)).alias("visits"))
    start = time.perf_counter()
    with watched(spark, "matching"):
        rows = counted.orderBy(F.desc("visits"), "rule_id").collect()
    seconds, total = time.perf_counter() - start, sum(row.visits for row in rows)
    rate = exchange.visits / seconds
    tests = f"{rate * len(exchange.names) / 1e6:,.0f} million rules"
    yield f"{exchange.visits:,} visits in {seconds:.1f} s: {rate:,.0f} visits, or {tests}, a second."
    yield f"{total:,} matches, {total / exchange.visits:.1f} a visit."
    yield heading("The busiest campaigns")
    if not rows:
        yield "No campaign wants any of these visits."
    for rule, count in rows[:_BUSIEST]:
        share = count / exchange.visits
        yield f"  {exchange.names[rule]:<34}{bar(count, rows[0][1])} {count:,} visits, {share:.0%}"


def _chosen(rules: RuleSet, exchange: _Exchange) -> dict[str, object]:
    """Return the visit to look at closely: of the first ones, one with more matches than three of four have."""
    first = list(visits(min(_LOOKED_AT, exchange.visits), exchange.seed))
    counts = [0] * len(first)
    for event in rules.match_batch(first)["event"].to_pylist():
        counts[event] += 1
    return first[sorted(range(len(first)), key=counts.__getitem__)[len(first) * 3 // 4]]


def _closely(rules: RuleSet, visit: dict[str, object], exchange: _Exchange) -> Iterator[str]:
    yield heading("One visit")
    yield from visit_lines(visit)
    yield ""
    best = rules.top_batch([visit], _BEST)
    yield f"Campaigns that want it: {len(rules.match(visit)):,}"
    if best.num_rows:
        yield "The best by score, which is the bid and what the weights in the rule add:"
        yield ""
        yield f"  {'score':>6}  {'bid':>6}  campaign"
    for id, score in zip(best["id"].to_pylist(), best["score"].to_pylist(), strict=True):
        yield f"  {score:6.2f}  {exchange.bids[id]:6.2f}  {exchange.names[id]}"


def _explained(rules: RuleSet, visit: dict[str, object], exchange: _Exchange) -> Iterator[str]:
    best = rules.top_batch([visit], _BEST)["id"].to_pylist()
    yield from _why(rules, visit, "wants", best, exchange)
    wanting = set(rules.match(visit))
    others = [id for id in range(len(exchange.names)) if id not in wanting][:_CANDIDATES]
    nearest = sorted(others, key=lambda id: _distance(rules.explain(id, visit)))
    yield from _why(rules, visit, "does not want", nearest[:_TRIED], exchange)


def _distance(explanation: hr.Explanation) -> tuple[int, int]:
    """Return how far from a match it is: those first that lack just one clause, and of these the ones with many."""
    clauses = explanation.children or (explanation,)
    return sum(clause.value is not True for clause in clauses), -len(clauses)


def _why(rules: RuleSet, visit: dict[str, object], verb: str, ids: Sequence[int], exchange: _Exchange) -> Iterator[str]:
    """Yield the explanation of the first campaign whose fits the page."""
    if not ids:
        return
    texts = {id: [f"  {line}" for line in str(rules.explain(id, visit)).splitlines()] for id in ids}
    id = next((id for id in ids if max(map(len, texts[id])) <= WIDTH), ids[0])
    yield heading(f"Why {exchange.names[id]} {verb} it")
    yield from map(cut, texts[id])


if __name__ == "__main__":
    main()
