"""The plots of what was measured: each shows the JSON beside it, and drawing it again gives the same file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hedgerow as hr
from tools import plots, sources

FIGURES = {"match_us": 250.0, "match_batch_us": 90.0, "build_us_per_predicate": 1.5, "bytes_per_expression": 120.25}


def row(**figures: float | None) -> dict[str, float | None]:
    """Return the row of an engine, with figures of its own."""
    return {"events": 8, "refused": 0, "visits": 40.5, **FIGURES, **figures}


def written(folder: Path, **rows: dict[str, float | None]) -> plots.Plot:
    """Return the plot of a small JSON."""
    told = {
        "workload": "begen-uniform",
        "arguments": {"events": 8, "expressions": 3000, "sample": 5, "turns": 1},
        "machine": {"cores": 2, "processor": None, "l3_kib": 32768, "python": "3.11.7", "commit": "0123abc"},
        "expressions": 3000,
        "predicates_per_expression": 7.0,
        "matches_per_event": 30.125,
        "engines": rows,
    }
    path = folder / "begen-uniform.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    (plot,) = plots.plots(folder)
    return plot


def texts(plot: plots.Plot) -> list[str]:
    """Return what can be read in a plot, in its order."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", plot.path.read_text(encoding="utf-8"))


def test_what_was_measured_is_drawn_and_shown() -> None:
    """Whoever measures again has the plots drawn again, by ``make plots``; docs/speed.md shows every one."""
    found = plots.plots()
    assert not [plot.source.name for plot in found if not plot.is_current()]
    assert {path for plot in found for path in (plot.source, plot.path)} == set(plots.FOLDER.glob("*"))
    page = (sources.ROOT / "docs/speed.md").read_text(encoding="utf-8")
    assert not [plot.path.name for plot in found if f"](measured/{plot.path.name})" not in page]
    assert not [plot.path.name for plot in found if plot.path.stat().st_size > 100_000]


def test_a_plot_is_out_of_date_when_its_json_has_changed(tmp_path: Path) -> None:
    """The digest in a plot is that of the JSON it was drawn from; this needs no matplotlib."""
    plot = written(tmp_path, atree=row())
    assert not plot.is_current()
    plot.path.write_text(f"<!-- SHA-256 of its JSON: {plot.digest} -->\n<svg/>", encoding="utf-8")
    assert plot.is_current()
    assert not written(tmp_path, atree=row(match_us=251.0)).is_current()


def test_drawing_without_matplotlib_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked for where nothing is to be drawn."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    plots.main([str(tmp_path)])
    written(tmp_path, atree=row())
    with pytest.raises(SystemExit, match="drawing plots needs matplotlib: make plots, or pip install matplotlib"):
        plots.main([str(tmp_path)])


def test_a_plot_shows_the_engines_from_the_quickest_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bars have their values, engines that refused something a star, and what was not counted a dash."""
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra plots")
    slow, quick = row(match_us=12_345.6, events=3, visits=None), row(match_us=0.5, refused=30)
    plot = written(tmp_path, scan=slow, atree=row(), counting=quick)
    plots.main([str(tmp_path)])
    assert capsys.readouterr().out == "drew begen-uniform.svg\n"
    assert plot.is_current()
    shown = texts(plot)
    names = [text for text in shown if text.split(" ")[0] in {"scan", "atree", "counting"}]
    assert names == ["counting * 1.0%", "atree", "scan"]
    assert {"0.500", "250", "12,346", "1.50", "120", "40.5", "–"} <= set(shown)  # noqa: RUF001 - a dash
    assert {plots.OWN, plots.RIVAL, plots.BASELINE} <= set(shown)
    assert "begen-uniform: 3,000 expressions of 7.00 predicates, 30.1 matches an event" in shown
    assert "8 events (scan 3); 2 cores, 32 MiB of L3, Python 3.11.7, commit 0123abc" in shown


def test_drawing_again_gives_the_same_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is current is left alone, unless all is drawn again; without visits there is a panel less."""
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra plots")
    plot = written(tmp_path, atree=row(visits=None))
    plots.main([str(tmp_path)])
    before = plot.path.read_bytes()
    plots.main([str(tmp_path)])
    plots.main(["--again", str(tmp_path)])
    assert capsys.readouterr().out == "drew begen-uniform.svg\n" * 2
    assert plot.path.read_bytes() == before
    assert len([text for text in texts(plot) if text.startswith("us a")]) == 3
    assert "visits of match" not in texts(plot)


def test_every_rival_has_the_colour_of_rivals() -> None:
    """The page of rivals has a heading for each."""
    page = (sources.ROOT / "docs/rivals.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## ([\w-]+)$", page, re.MULTILINE))
    assert {about.name for about in hr.engines() if plots.kind_of(about.name) != plots.OWN} == headings
