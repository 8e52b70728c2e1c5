"""How fast an index is saved and opened, beside inserting its expressions anew.

With ``--expressions 1000000`` the file has some 300 MB; inserting takes most of the time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import hedgerow as hr
from benchmarks._common import Measured, arguments_of, best_of, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of("benchmarks.files", __doc__, given, expressions=100_000, repeats=3)
    index = hr.Index()
    inserting = best_of(1, lambda: index.insert_many(rules(options.expressions), progress=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        saving = best_of(options.repeats, lambda: index.save(path))
        ways = {
            "open, without verifying": best_of(options.repeats, lambda: hr.open(path, verify=False)),
            "open for changes, and insert": best_of(options.repeats, lambda: hr.open(path, "r+").insert(-1, "a1 = 1")),
            "open": best_of(options.repeats, lambda: hr.open(path)),
            "save": saving,
            "insert_many": inserting,
        }
        size = path.stat().st_size
        hits = verify(index, hr.open(path))
    rows = [Measured(name, options.expressions, seconds) for name, seconds in ways.items()]
    print(*table("expressions", rows), sep="\n")
    said = ", ".join(f"{name} {1000 * seconds:,.1f} ms" for name, seconds in ways.items())
    print(f"{size / 1e6:,.1f} MB: {said}")
    print(f"verified: {hits:,} hits, the same before and after")


def rules(count: int) -> Iterator[tuple[int, str]]:
    """Yield expressions of three predicates that share some of them."""
    for number in range(count):
        yield number, f"a{number % 97} = {number % 1009} AND (b > {number % 499} OR c = 'x{number}')"


def verify(index: hr.Index, opened: hr.Index) -> int:
    """Compare the hits of both, and return how many there are."""
    events = [{f"a{number % 97}": number % 1009, "b": 250, "c": f"x{number}"} for number in range(5)]
    hits = [index.match(event) for event in events]
    assert hits == [opened.match(event) for event in events]
    return sum(map(len, hits))


if __name__ == "__main__":
    main()
