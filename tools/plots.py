"""The plots in the documents: how engines compare on a workload, drawn from what ``benchmarks.engines --save`` wrote.

``make plots`` draws those that are new or whose JSON has changed, with matplotlib; ``--again`` draws all. A plot keeps
the digest of its JSON, so that a test can ask for those that are out of date without matplotlib. The same JSON gives
the same bytes with the same matplotlib. Text stays text: outlines would make a plot three times as large.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import io
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import hedgerow as hr
from tools import sources

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = sources.ROOT / "docs/measured"
DIGEST = re.compile(r"<!-- SHA-256 of its JSON: ([0-9a-f]{64}) -->")

OWN = "engine of a paper, or ours"
RIVAL = "rival that a paper compares with"
BASELINE = "baseline: evaluates everything"
COLOURS = {OWN: "#2a6fb0", RIVAL: "#e39b4c", BASELINE: "#8a8a8a"}
# The first font comes with matplotlib, so the layout is the same everywhere; where it is shown, the others are as wide.
FONTS = ["DejaVu Sans", "Verdana", "Arial"]
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hedgerow",
    "font.size": 9.0,
    "font.family": "sans-serif",
    "font.sans-serif": FONTS,
}
WIDE = 10  # times the least figure: from there on the axis is logarithmic
ROOM = 0.34  # of an axis, for the label behind its longest bar
BAR = 0.24  # inches
BESIDE = 1.6  # inches above and below the bars


class Panel(NamedTuple):
    """A figure that every engine has: where it stands in the JSON, what it is called, and what shares its scale."""

    figure: str
    title: str
    scale: tuple[str, ...]


TIMES = ("match_us", "match_batch_us")
PANELS = (
    Panel("match_us", "match\nus an event", TIMES),
    Panel("match_batch_us", "match_batch\nus an event", TIMES),
    Panel("build_us_per_predicate", "build\nus a predicate", ("build_us_per_predicate",)),
    Panel("bytes_per_expression", "memory\nbytes an expression", ("bytes_per_expression",)),
    Panel("visits", "visits of match\nan event", ("visits",)),
)


@dataclass(frozen=True)
class Plot:
    """A plot and the JSON that it is drawn from."""

    source: Path

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.source.with_suffix(".svg")

    @property
    def digest(self) -> str:
        """What tells this JSON from others."""
        return hashlib.sha256(self.source.read_bytes()).hexdigest()

    def is_current(self) -> bool:
        """Return whether the file shows this JSON."""
        found = DIGEST.search(self.path.read_text(encoding="utf-8")) if self.path.exists() else None
        return found is not None and found[1] == self.digest

    @cached_property
    def told(self) -> dict[str, Any]:
        """What the JSON says."""
        told: dict[str, Any] = json.loads(self.source.read_text(encoding="utf-8"))
        return told

    def draw(self) -> None:
        """Write the file."""
        head, mark, rest = svg(self.told).partition("<svg")
        self.path.write_text(f"{head}<!-- SHA-256 of its JSON: {self.digest} -->\n{mark}{rest}", encoding="utf-8")


def plots(folder: Path = FOLDER) -> list[Plot]:
    """Return the plots that belong into a folder: one for each JSON."""
    return [Plot(path) for path in sorted(folder.glob("*.json"))]


def svg(told: dict[str, Any]) -> str:
    """Return the drawing of what one JSON says."""
    from matplotlib import style  # noqa: PLC0415 - an extra

    text = io.StringIO()
    with style.context(["default", STYLE], after_reset=True):
        figure_of(told).savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"^ +| +$", "", text.getvalue(), flags=re.MULTILINE)


def figure_of(told: dict[str, Any]) -> Figure:
    """Return a figure with a panel for each kind of figure; the engines are from the quickest match to the slowest."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    rows = sorted(told["engines"].items(), key=lambda item: (item[1]["match_us"], item[0]))
    panels = [panel for panel in PANELS if any(row[panel.figure] for _, row in rows)]
    height = BESIDE + BAR * len(rows)
    figure = Figure(figsize=(13.0, height))
    every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(every, panels, strict=True):
        draw_panel(axes, panel, rows)
    every[0].set_yticks(range(len(rows)), [name_of(name, row, told) for name, row in rows])
    every[0].set_ylim(len(rows) - 0.4, -0.6)
    figure.subplots_adjust(left=0.12, right=0.99, bottom=0.5 / height, top=1 - 1.1 / height, wspace=0.06)
    write_around(figure, told, height)
    return figure


def draw_panel(axes: Axes, panel: Panel, rows: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Draw the bars of one kind of figure, each with its value; where there is none, a dash."""
    start = set_scale(axes, [row[figure] for _, row in rows for figure in panel.scale if row[figure]])
    for place, (name, row) in enumerate(rows):
        value = row[panel.figure] or 0.0
        axes.barh(place, max(0.0, value - start), left=start, height=0.72, color=COLOURS[kind_of(name)])
        shown = short(value) if value else "–"  # noqa: RUF001 - a dash
        axes.annotate(shown, (max(value, start), place), (3, 0), textcoords="offset points", va="center")
    axes.set_title(panel.title + (", log" if start else ""), fontsize=9.5, loc="left")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
    axes.patch.set_visible(False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def set_scale(axes: Axes, values: Sequence[float]) -> float:
    """Set the scale for these figures, logarithmic if they are far apart, and return where bars begin."""
    least, greatest = min(values), max(values)
    if greatest < WIDE * least:
        axes.set_xlim(0.0, greatest / (1 - ROOM))
        return 0.0
    start = least / 2
    axes.set_xscale("log")
    axes.set_xlim(start, start * (greatest / start) ** (1 / (1 - ROOM)))
    return start


def write_around(figure: Figure, told: dict[str, Any], height: float) -> None:
    """Write above the panels what was measured and what the colours mean, and below them on what machine."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - an extra

    size = f"{told['expressions']:,} expressions of {told['predicates_per_expression']:.2f} predicates"
    title = f"{told['workload']}: {size}, {short(told['matches_per_event'])} matches an event"
    figure.text(0.01, 1 - 0.28 / height, title, fontsize=12, fontweight="bold")
    used = {kind_of(name) for name in told["engines"]}
    marks = [Patch(color=colour, label=kind) for kind, colour in COLOURS.items() if kind in used]
    place = (0.005, 1 - 0.34 / height)
    figure.legend(handles=marks, loc="upper left", bbox_to_anchor=place, ncols=len(marks), frameon=False, fontsize=8.5)
    figure.text(0.01, 0.1 / height, below(told), fontsize=8.5, color="#444444", va="bottom")


def below(told: dict[str, Any]) -> str:
    """Return on what the figures were measured; what a star means, if there is one."""
    machine = told["machine"]
    cache = f"{machine['l3_kib'] / 1024:g} MiB of L3" if machine["l3_kib"] else None
    cores = f"{machine['cores']} cores"
    commit = machine["commit"] and f"commit {machine['commit']}"
    facts = [machine["processor"], cores, cache, f"Python {machine['python']}", commit]
    events = told["arguments"]["events"]
    fewer = [f"{name} {row['events']:,}" for name, row in told["engines"].items() if row["events"] != events]
    less = f" ({', '.join(fewer)})" if fewer else ""
    lines = [f"{events:,} events{less}; " + ", ".join(filter(None, facts))]
    if any(row["refused"] for row in told["engines"].values()):
        lines.insert(0, "* without the expressions that the engine refused as too large for it")
    return "\n".join(lines)


def name_of(name: str, row: dict[str, Any], told: dict[str, Any]) -> str:
    """Return an engine's name, with a star and how much of the expressions it refused."""
    return f"{name} * {row['refused'] / told['expressions']:.1%}" if row["refused"] else name


def kind_of(name: str) -> str:
    """Return whether an engine is what a paper is about, or what it compares with."""
    if name == "scan":
        return BASELINE
    return RIVAL if any(about.name == name and about.line.startswith("a rival") for about in hr.engines()) else OWN


def short(value: float) -> str:
    """Return a figure in three digits, and whole from a hundred on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"  # noqa: PLR2004 - it has three digits


def main(given: Sequence[str] | None = None) -> None:
    """Draw what is not current."""
    parser = argparse.ArgumentParser(prog="python -m tools.plots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where JSON and plots are: docs/measured")
    parser.add_argument("--again", action="store_true", help="draw what is current too")
    options = parser.parse_args(given)
    stale = [plot for plot in plots(options.folder) if options.again or not plot.is_current()]
    if stale and importlib.util.find_spec("matplotlib") is None:
        raise SystemExit("drawing plots needs matplotlib: make plots, or pip install matplotlib")
    for plot in stale:
        plot.draw()
        sys.stdout.write(f"drew {plot.path.name}\n")


if __name__ == "__main__":
    main()
