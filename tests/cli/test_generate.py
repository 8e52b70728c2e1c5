"""``hedgerow generate``: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import hedgerow as hr
from hedgerow.cli import files, generate
from hedgerow.cli.main import main
from hedgerow.workload.abe import PRESETS, AbeParameters, abe_events, abe_expression_batches, abe_expressions
from tests.cli.samples import LINES, facts
from tools import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TABLES: dict[str, Callable[[Path], pa.Table]] = {
    ".parquet": parquet.read_table,
    ".arrow": lambda path: pa.ipc.open_file(path).read_all(),
    ".feather": lambda path: pa.ipc.open_file(path).read_all(),
    ".csv": csv.read_csv,
}


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that has nothing in it."""
    monkeypatch.chdir(tmp_path)


def generated(path: Path, *options: str) -> Path:
    """Run the command quietly and well, and return where the rows are."""
    assert main(["generate", "--quiet", "--out", str(path), *options]) == 0
    return path


def expected(count: int, preset: str = "mixed-10k") -> list[tuple[int, str]]:
    """Return the first expressions of a preset."""
    return list(abe_expressions(replace(PRESETS[preset], expressions=count)))


def jsons(path: Path) -> list[dict[str, object]]:
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_format_is_tested() -> None:
    """A new format needs a test here."""
    assert set(files.FORMATS) == {*TABLES, *LINES, ".txt"}


@pytest.mark.parametrize("suffix", TABLES)
def test_expressions_become_a_table(suffix: str, tmp_path: Path) -> None:
    """With the columns that an index wants."""
    path = generated(tmp_path / f"rules{suffix}", "--preset", "mixed-10k", "--expressions", "300")
    table = TABLES[suffix](path)
    assert list(zip(table["id"].to_pylist(), table["expression"].to_pylist(), strict=True)) == expected(300)
    assert hr.Index("scan").insert_many(table, progress=False).inserted == 300


def test_expressions_become_lines(tmp_path: Path) -> None:
    """As JSON with the id, and as text without."""
    options = ("--preset", "mixed-10k", "--expressions", "30")
    rows = jsons(generated(tmp_path / "rules.jsonl", *options))
    assert [(row["id"], row["expression"]) for row in rows] == expected(30)
    lines = generated(tmp_path / "rules.txt", *options).read_text().splitlines()
    assert lines == [text for _, text in expected(30)]


@pytest.mark.parametrize("suffix", TABLES)
def test_events_become_a_table(suffix: str, tmp_path: Path) -> None:
    """With a column for each attribute, null where the event lacks it."""
    path = generated(tmp_path / f"events{suffix}", "--preset", "mixed-10k", "--events", "200")
    rows = TABLES[suffix](path).to_pylist()
    present = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert present == list(abe_events(PRESETS["mixed-10k"], 200))


@pytest.mark.parametrize("suffix", LINES)
def test_events_become_json_lines_with_what_they_have(suffix: str, tmp_path: Path) -> None:
    """Nobody wants 980 nulls."""
    path = generated(tmp_path / f"events{suffix}", "--preset", "mixed-10k", "--events", "200")
    assert jsons(path) == list(abe_events(PRESETS["mixed-10k"], 200))


@pytest.mark.parametrize("suffix", files.FORMATS)
def test_no_rows_are_a_file_all_the_same(suffix: str, tmp_path: Path) -> None:
    """With columns, where the format has them."""
    path = generated(tmp_path / f"rules{suffix}", "--expressions", "0")
    assert suffix not in TABLES or TABLES[suffix](path).schema.names == ["id", "expression"]


def test_without_a_number_all_expressions_of_the_preset_are_written(tmp_path: Path) -> None:
    """The number is part of the preset."""
    path = generated(tmp_path / "rules.txt", "--preset", "equality-10k")
    assert len(path.read_text().splitlines()) == 10_000


def test_every_parameter_can_be_changed(tmp_path: Path) -> None:
    """The options are those of the library, one for one."""
    parameters = AbeParameters(
        expressions=20,
        operators=(1, 2.5, 0, 1, 0),
        depth=4,
        children=3,
        alpha=0.9,
        pool=50,
        dimensions=40,
        attribute_alpha=0.2,
        cardinality=7,
        event_size=5,
        relations=("=", "<"),
        seed=3,
    )
    options = shlex.split(
        "--operators 1,2.5,0,1,0 --depth 4 --children 3 --alpha 0.9 --pool 50 --dimensions 40 --attribute-alpha 0.2 "
        "--cardinality 7 --event-size 5 --relations '= <' --seed 3",
    )
    path = generated(tmp_path / "rules.txt", "--expressions", "20", *options)
    assert path.read_text().splitlines() == [text for _, text in abe_expressions(parameters)]
    path = generated(tmp_path / "events.jsonl", "--events", "20", *options)
    assert jsons(path) == list(abe_events(parameters, 20))


def test_it_says_what_it_wrote_unless_it_is_to_be_quiet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and no progress where there is no terminal."""
    path = tmp_path / "rules.txt"
    assert main(["generate", "--expressions", "5000", "--out", str(path)]) == 0
    assert capsys.readouterr() == (f"5,000 expressions, {path.stat().st_size / 1e6:.1f} MB: {path}\n", "")
    generated(path, "--expressions", "5")
    assert capsys.readouterr() == ("", "")
    assert main(["generate", "--expressions", "5", "--out", str(path), "--json"]) == 0
    assert facts(capsys) == {"expressions": 5, "out": str(path), "bytes": path.stat().st_size}


@pytest.mark.parametrize(
    ("command", "complaint"),
    (
        ("", "hedgerow: the following arguments are required: COMMAND; see hedgerow --help"),
        ("sow", "hedgerow: argument COMMAND: invalid choice: 'sow'"),
        ("generate", "hedgerow generate: the following arguments are required: --out; see hedgerow generate --help"),
        ("generate --out x.csv --preset huge", "argument --preset: invalid choice: 'huge'"),
        ("generate --out x.csv --expressions many", "argument --expressions: 'many' is not a whole number"),
        ("generate --out x.csv --alpha big", "argument --alpha: 'big' is not a number"),
        ("generate --out x.csv --operators 1,x", "argument --operators: 'x' is not a number"),
        ("generate --out x.csv --expressions 1 --events 1", "not allowed with argument --expressions"),
    ),
)
def test_a_wrong_command_is_refused_in_one_line(
    command: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usage would hide it; the line says where to find that."""
    with pytest.raises(SystemExit) as stopped:
        main(command.split())
    output, error = capsys.readouterr()
    assert (stopped.value.code, output) == (2, "")
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "name", "complaint"),
    (
        (["--depth", "0"], "x.csv", "depth is a whole number from 1 to 20, not 0"),
        (["--operators", "1,2"], "x.csv", "operators is a tuple of 5 shares"),
        (["--relations", "= ~"], "x.csv", "relations is a tuple of some of"),
        (
            [],
            "x.xlsx",
            "the name of the file ends in one of .parquet .arrow .feather .csv .jsonl .ndjson .json .txt, which ",
        ),
        (["--events", "1"], "x.txt", "a .txt file has expressions; events go into .parquet"),
        (["--events", "9" * 20], "x.csv", "count is a whole number from 0 to 1,000,000,000,000"),
    ),
)
def test_a_value_without_meaning_is_refused_in_one_line(
    options: list[str], name: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same code as any other wrong command, and nothing is written."""
    assert main(["generate", *options, "--out", str(tmp_path / name)]) == 2
    output, error = capsys.readouterr()
    assert output == ""
    assert error.startswith(f"hedgerow generate: {complaint}")
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No folder, or a folder in its place."""
    missing, folder = tmp_path / "no" / "rules.csv", tmp_path / "rules.csv"
    folder.mkdir()
    for path, reason in ((missing, "No such file or directory"), (folder, "it is there, and is not a file")):
        assert main(["generate", "--expressions", "1", "--out", str(path)]) == 1
        assert capsys.readouterr().err == f"hedgerow generate: cannot write '{path}': {reason}\n"


@pytest.mark.parametrize(
    ("trouble", "code", "complaint"),
    (
        (OSError(28, "No space left on device"), 1, "cannot write 'rules.parquet': No space left on device"),
        (hr.LimitError("too much"), 1, "too much"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ),
)
@pytest.mark.usefixtures("in_folder")
def test_trouble_half_way_leaves_the_old_file_and_no_other(
    trouble: BaseException,
    code: int,
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The new file appears when it is whole, or not at all."""
    path = generated(Path("rules.parquet"), "--expressions", "10")
    before = path.read_bytes()

    def failing(parameters: AbeParameters) -> Iterator[pa.RecordBatch]:
        yield next(abe_expression_batches(parameters))
        raise trouble

    monkeypatch.setattr(generate, "abe_expression_batches", failing)
    assert main(["generate", "--expressions", "20000", "--out", str(path)]) == code
    assert capsys.readouterr().err == f"hedgerow generate: {complaint}\n"
    assert [*Path().iterdir()] == [path]
    assert path.read_bytes() == before


@pytest.mark.usefixtures("in_folder")
def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not if it is to be quiet."""
    monkeypatch.setattr("hedgerow.progress._PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["generate", "--expressions", "50", "--out", "rules.txt"]) == 0
    assert "generating expressions: 50 rows  [####" in capsys.readouterr().err
    generated(Path("rules.txt"), "--expressions", "50")
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("in_folder")
def test_the_help_has_examples_that_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of the examples runs, and the presets are named."""
    with pytest.raises(SystemExit) as stopped:
        main(["generate", "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert all(name in text for name in PRESETS)
    examples = [line.strip() for line in text.splitlines() if line.startswith("  hedgerow generate")]
    assert len(examples) == 3
    monkeypatch.setattr(generate, "_write", lambda options, *_: options.out.touch())
    assert [main(shlex.split(example)[1:]) for example in examples] == [0, 0, 0]


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reports a mistake can say which one it was."""
    project = tomllib.loads((sources.ROOT / "pyproject.toml").read_text())["project"]
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"hedgerow {project['version']}\n"


def test_the_command_is_installed_under_its_name() -> None:
    """What the installer is told to start is there."""
    scripts = tomllib.loads((sources.ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = scripts["hedgerow"].partition(":")
    assert getattr(import_module(module), function) is main
