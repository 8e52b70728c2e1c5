"""What every benchmark needs: its arguments, the best of some runs, and a table of rates and ratios."""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

T = TypeVar("T")


class Measured(NamedTuple):
    """One way of doing the work: what it is called, how much work it did, and how long its best run took."""

    name: str
    work: int
    seconds: float


def arguments_of(
    name: str,
    about: str | None,
    given: Sequence[str] | None,
    *flags: str,
    words: Mapping[str, Sequence[str]] | None = None,
    folders: Mapping[str, str] | None = None,
    **defaults: int,
) -> argparse.Namespace:
    """Read the arguments of a benchmark, and print what they are.

    They are whole numbers from 1 on, flags, and ``words``: lists of names, each one of those that are given here.
    ``folders``, with what each is for, are not printed: they do not change what is measured.
    """
    lists = words or {}
    parser = argparse.ArgumentParser(
        prog=f"python -m {name}", description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for key, default in defaults.items():
        parser.add_argument(f"--{key}", type=_positive, default=default, metavar="N", help="a whole number from 1 on")
    for key, known in lists.items():
        told = f"some of {', '.join(known)}, between commas; all if there are none"
        parser.add_argument(f"--{key}", type=partial(_names, known), default=[], metavar="NAMES", help=told)
    for key, told in (folders or {}).items():
        parser.add_argument(f"--{key}", type=Path, metavar="FOLDER", help=told)
    for key in flags:
        parser.add_argument(f"--{key}", action="store_true")
    options = parser.parse_args(given)
    numbers = [f"--{key} {getattr(options, key)}" for key in defaults]
    numbers += [f"--{key} {','.join(getattr(options, key))}" for key in lists if getattr(options, key)]
    print(f"{name}:", *numbers, *(f"--{key}" for key in flags if getattr(options, key)))
    return options


def best_of(repeats: int, run: Callable[[], T], check: Callable[[T], object] | None = None) -> float:
    """Return the seconds that the fastest of some runs took; each result is checked, and gone before the next run."""
    fastest = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        fastest = min(fastest, time.perf_counter() - start)
        if check is not None:
            check(result)
        del result
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


class Floor(NamedTuple):
    """What is asked of a figure: that it is at most this, or at least."""

    bound: float
    least: bool = False

    def __str__(self) -> str:
        """Return it in words."""
        return f"{'at least' if self.least else 'at most'} {self.bound:,g}"

    def kept_by(self, value: float) -> bool:
        """Return whether the figure is as asked."""
        return value >= self.bound if self.least else value <= self.bound


def line(name: str, measured: str, floor: Floor | None = None, value: float = 0.0) -> str:
    """Return a line about one figure; if something is asked of it, with that and whether it is so."""
    asked = "" if floor is None else f"{floor!s:<18}{'ok' if floor.kept_by(value) else 'MISSED'}"
    return f"  {name:<32}{measured:>40}   {asked}".rstrip()


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _names(known: Sequence[str], text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
    return names
