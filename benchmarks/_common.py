"""What every benchmark needs: its arguments, the best of some runs, and a table of rates and ratios."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Measured(NamedTuple):
    """One way of doing the work: what it is called, how much work it did, and how long its best run took."""

    name: str
    work: int
    seconds: float


def arguments_of(name: str, about: str | None, given: Sequence[str] | None, **defaults: int) -> argparse.Namespace:
    """Read the arguments of a benchmark, whole numbers from 1 on, and print what they are."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {name}", description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for key, default in defaults.items():
        parser.add_argument(f"--{key}", type=_positive, default=default, metavar="N", help="a whole number from 1 on")
    options = parser.parse_args(given)
    print(f"{name}:", " ".join(f"--{key} {value}" for key, value in vars(options).items()))
    return options


def best_of(repeats: int, run: Callable[[], object]) -> float:
    """Return the seconds that the fastest of some runs took."""
    fastest = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def table(unit: str, rows: Sequence[Measured]) -> Iterator[str]:
    """Yield a table of rates; the last row is what the others are compared with."""
    widest = max(len(row.name) for row in rows)
    base = rows[-1].work / rows[-1].seconds
    yield ""
    yield f"  {'':<{widest}}  {unit:>16}  {unit + '/s':>18}  {'ratio':>8}"
    for row in rows:
        rate = row.work / row.seconds
        yield f"  {row.name:<{widest}}  {row.work:>16,}  {rate:>18,.0f}  {rate / base:>8.1f}"
    yield ""


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)
