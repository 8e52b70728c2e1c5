"""Every session in docs/cli.md runs, and prints what it says."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.cli.samples import run
from tools import sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITING = re.compile(r"cat > (\S+) <<END")


def sessions() -> str:
    """Return all that is typed and printed in the document."""
    return "".join(BLOCK.findall((sources.ROOT / "docs" / "cli.md").read_text(encoding="utf-8")))


def steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command with the lines that follow it."""
    for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *lines = step.splitlines()
        yield command, lines


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what a command prints, errors first as they come first."""
    name, *words = shlex.split(command)
    if name == "cat":
        with open(words[0], encoding="utf-8") as file:  # noqa: PTH123 - of the folder that the test works in
            return file.read().splitlines()
    assert name == "hedgerow"
    run(*words)
    output, error = capsys.readouterr()
    return (error + output).splitlines()


def test_a_session_in_the_document_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for times, which stand there as dots."""
    monkeypatch.chdir(tmp_path)
    typed = list(steps(sessions()))
    assert len(typed) > 10
    for command, lines in typed:
        written = WRITING.fullmatch(command)
        if written:
            assert lines[-1] == "END"
            (tmp_path / written[1]).write_text("\n".join(lines[:-1]) + "\n")
            continue
        expected = "\n".join(lines)
        pattern = re.escape(expected).replace(re.escape("..."), ".*")
        assert re.fullmatch(pattern, "\n".join(printed(command, capsys))), command
