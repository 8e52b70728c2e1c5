"""What is broken is named, and what was good stays good: damaged files, full disks, killed processes."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from hedgerow import ruleset
from hedgerow.errors import BadRules, CorruptFile, FileError, HedgerowError, MissingFile, MissingVersion, UnknownVersion
from hedgerow.ruleset import changes, place
from hedgerow.ruleset.manifest import Manifest, _digest
from tests.ruleset.places import EVENT, MATCHES, RULES, files, matched, needed, small

MANIFEST = "versions/0000000002.json"

# Processes that change rule sets, or build them, each killed at the n-th call of a function; all are of one that has
# imported what they need.
WRITING = """
import os, signal, sys
import hedgerow.ruleset as ruleset
from hedgerow.ruleset import shard

def killed_at(name, calls):
    module = shard if name == "digest_of" else os
    real, left = getattr(module, name), [calls]
    def counted(*args, **options):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    setattr(module, name, counted)

for folder, work, name, calls in zip(*[iter(sys.argv[1:])] * 4):
    child = os.fork()
    if child:
        print(os.waitpid(child, 0)[1])
        continue
    killed_at(name, int(calls))
    if work == "build":
        ruleset.build([(number, f"z = {number}") for number in range(500)], folder, shards=3)
    else:
        ruleset.apply_changes(folder, [("delete", 3), ("update", 8, "z = 1"), ("insert", 77, "z = 2")])
    os._exit(0)
"""
KILLS = [
    ("build", "fsync", 0),
    ("build", "fsync", 7),
    ("build", "link", 0),
    ("apply", "digest_of", 2),
    ("apply", "link", 0),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a small rule set of two versions."""
    small(tmp_path / "rules")
    return tmp_path / "rules"


def flipped(content: bytes, position: int, bit: int = 0) -> bytes:
    """Return the bytes with one bit changed."""
    changed = bytearray(content)
    changed[position] ^= 1 << bit
    return bytes(changed)


def test_a_manifest_that_was_cut_is_named(folder: Path) -> None:
    """Wherever it was cut, the error names the file, and version 1 still opens."""
    path = folder / MANIFEST
    whole = path.read_bytes()
    for length in (0, 1, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(CorruptFile, match=MANIFEST):
            ruleset.open_rules(folder)
        with pytest.raises(CorruptFile, match=MANIFEST):
            ruleset.apply_changes(folder, [("delete", 1)])
    assert matched(folder, 1) == MATCHES
    # Without it, the one before is the newest again.
    path.unlink()
    assert ruleset.open_rules(folder).version == 1
    assert ruleset.apply_changes(folder, [("delete", 3)]).version == 2


def test_a_bit_of_a_manifest_that_changed_is_noticed(folder: Path) -> None:
    """It is an error, or what is read is still the same: a blank more or less means nothing."""
    path = folder / MANIFEST
    whole = path.read_bytes()
    before = Manifest.from_json(whole)
    chance = random.Random(5)
    for position in {0, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(300))}:
        try:
            assert Manifest.from_json(flipped(whole, position, chance.randrange(8)), "it") == before
        except (CorruptFile, UnknownVersion) as error:
            assert str(error).startswith("it: ")


@pytest.mark.parametrize("text", ("[]", "3", '"x"', "null", "{}", '{"digest": 1}', '{"format": 1}', "\x00"))
def test_what_is_no_manifest_is_corrupt(text: str) -> None:
    """JSON of another kind, or none at all."""
    with pytest.raises(CorruptFile, match="not the record"):
        Manifest.from_json(text.encode())


def test_a_manifest_of_another_format_is_unknown(folder: Path) -> None:
    """A newer hedgerow wrote it: that is said, and not that it is broken."""
    content = {**json.loads((folder / MANIFEST).read_text(encoding="utf-8")), "format": 3}
    (folder / MANIFEST).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UnknownVersion, match="of format 3; this hedgerow reads formats up to 2"):
        ruleset.open_rules(folder)


@pytest.mark.parametrize("change", ({"shards": [{}]}, {"more": 1}, {"shards": 3}))
def test_a_manifest_with_other_fields_is_corrupt(folder: Path, change: dict[str, Any]) -> None:
    """Also if its checksum is right."""
    content = {**json.loads((folder / MANIFEST).read_text(encoding="utf-8")), **change}
    del content["digest"]
    whole = json.dumps({**content, "digest": _digest(content)}).encode()
    with pytest.raises(CorruptFile, match="not what this format holds"):
        Manifest.from_json(whole)


@pytest.mark.parametrize("suffix", ("hedgerow", "arrow", "parquet"))
@pytest.mark.parametrize("damage", ("cut", "empty", "flipped", "other"))
def test_a_damaged_file_of_a_shard_is_corrupt(folder: Path, suffix: str, damage: str) -> None:
    """An index and hidden ids are looked at when a version is opened, the rows when they are read."""
    for path in sorted((folder / "shards").glob(f"*.{suffix}")):
        whole = path.read_bytes()
        other = next(one for one in sorted(path.parent.glob(f"*.{suffix}")) if one.read_bytes() != whole)
        broken = {
            "cut": whole[: len(whole) // 2],
            "empty": b"",
            "flipped": flipped(whole, len(whole) // 2),
            "other": other.read_bytes(),
        }
        path.write_bytes(broken[damage])
        with pytest.raises(CorruptFile, match=path.name):
            list(ruleset.open_rules(folder).rows())
        path.write_bytes(whole)
    assert matched(folder) == MATCHES


def test_files_that_are_gone_are_a_version_that_is_gone(folder: Path) -> None:
    """Another process may expire a version while it is being opened; an open one goes on matching."""
    rules = ruleset.open_rules(folder)
    for suffix in ("hedgerow", "arrow"):
        for path in sorted((folder / "shards").glob(f"*.{suffix}")):
            whole = path.read_bytes()
            path.unlink()
            with pytest.raises(MissingVersion, match="version 2 are gone"):
                ruleset.open_rules(folder)
            path.write_bytes(whole)
    for path in (folder / "shards").iterdir():
        path.unlink()
    assert sorted(rules.match(EVENT)) == MATCHES
    with pytest.raises(MissingFile):
        rules.expression(3)
    with pytest.raises(MissingFile):
        list(rules.rows())


def test_a_version_that_is_not_there_is_missing(folder: Path, tmp_path: Path) -> None:
    """The message says which there are."""
    with pytest.raises(MissingVersion, match="version 7 is not there; there are 1 to 2"):
        ruleset.open_rules(folder, 7)
    for other in (tmp_path / "nothing", tmp_path):
        with pytest.raises(MissingVersion, match="no rule set is there"):
            ruleset.open_rules(other)
        with pytest.raises(MissingVersion, match="no rule set is there"):
            ruleset.apply_changes(other, [("delete", 1)])
    assert not (tmp_path / "nothing").exists()


def test_names_that_are_no_versions_do_not_count(folder: Path) -> None:
    """Neither a file that a killed writer left, nor one that somebody put there."""
    for name in (".0000000003.json.77.tmp", "12", "x.json", "٣.json", "3.json", "0000000003.json~"):
        (folder / "versions" / name).write_bytes(b"")
    assert ruleset.versions(folder) == [1, 2]
    assert ruleset.apply_changes(folder, [("delete", 3)]).version == 3


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A file in the place of a folder, or a folder where nobody may write."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be written"):
        ruleset.build(RULES, tmp_path / "file" / "rules")
    with pytest.raises(FileError):
        ruleset.build(RULES, tmp_path / "file")
    with pytest.raises(FileError, match="cannot be written"):
        ruleset.build(RULES, "/proc/none/rules")
    assert files(tmp_path) == {"file"}


def failing(calls: int, real: Any) -> Any:
    """Return a function that is as the real one until it was called so often, and then has no space."""
    left = [calls]

    def counted(*args: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return real(*args, **options)

    return counted


@pytest.mark.parametrize("work", ("build", "apply"))
def test_wherever_the_disk_is_full_nothing_is_left(folder: Path, work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file and each sync fails in turn; the error is a FileError, and files and versions are as before."""
    before = files(folder)
    done = []
    for module, name in (
        (os, "fsync"),
        (os, "link"),
        (parquet, "write_table"),
        (pa.ipc, "new_file"),
    ):
        for calls in range(30):
            with monkeypatch.context() as patched:
                patched.setattr(module, name, failing(calls, getattr(module, name)))
                try:
                    write(folder, work)
                except FileError as error:
                    assert "No space left" in str(error)
                    if len(ruleset.versions(folder)) == 2:
                        assert files(folder) == before
                    else:  # the folder could not be synced after the version was made
                        assert name == "fsync"
                else:
                    done.append(name)
            if len(ruleset.versions(folder)) > 2:
                assert files(folder) == needed(folder)
                assert len(ruleset.open_rules(folder)) == (500 if work == "build" else 37)
                undo(folder, before)
                if name in done:
                    break
        assert matched(folder) == MATCHES
    assert done == ["fsync", "link", "write_table", "new_file"]


def write(folder: Path, work: str) -> None:
    """Build 500 rules, or make a few changes."""
    if work == "build":
        ruleset.build([(number, f"z = {number}") for number in range(500)], folder, shards=3)
    else:
        ruleset.apply_changes(folder, [("delete", 3), ("update", 8, "z = 1"), ("insert", 77, "z = 2")])


def undo(folder: Path, before: set[str]) -> None:
    """Remove what came to a folder since."""
    for name in files(folder) - before:
        (folder / name).unlink()


def test_a_disk_that_is_really_full_is_a_named_error(folder: Path) -> None:
    """A process that may write small files only fails by name and leaves nothing; the last version still matches."""
    before = files(folder)
    script = "import sys, hedgerow.ruleset as ruleset\n"
    script += "ruleset.build([(number, f'z = {number} AND y = {number}') for number in range(3000)], sys.argv[1])"
    done = subprocess.run(  # noqa: S603 - a script of our own
        [sys.executable, "-c", script, str(folder)],
        check=False,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)),
    )
    assert done.returncode == 1
    assert b"hedgerow.errors.FileError" in done.stderr
    assert b"File too large" in done.stderr
    assert files(folder) == before
    assert matched(folder) == MATCHES


def test_a_process_that_is_killed_leaves_the_old_version(folder: Path, tmp_path: Path) -> None:
    """Whatever it was doing; what it leaves behind goes when it is old."""
    before = files(folder)
    folders = [Path(shutil.copytree(folder, tmp_path / str(number))) for number in range(len(KILLS))]
    cases = [str(word) for one, kill in zip(folders, KILLS, strict=True) for word in (one, *kill)]
    done = subprocess.run([sys.executable, "-c", WRITING, *cases], check=True, capture_output=True)  # noqa: S603 - ours
    assert [int(line) for line in done.stdout.split()] == [signal.SIGKILL] * len(KILLS)
    for one in folders:
        assert ruleset.versions(one) == [1, 2]
        assert matched(one) == MATCHES
        ruleset.expire(one)
        assert files(one) > before
        for left in files(one) - before:
            os.utime(one / left, (1, 1))
        ruleset.expire(one)
        assert files(one) == before
        assert ruleset.apply_changes(one, [("delete", 3)]).version == 3


def test_bad_rules_leave_nothing_where_none_was_to_be(folder: Path, tmp_path: Path) -> None:
    """With ``on_error="fail"`` there is no version and no file, whichever rule is bad."""
    before = files(folder)
    with pytest.raises(BadRules, match=r"1 of the rules are bad, and no version was made. 5: ParseError: line 1"):
        ruleset.build([*RULES[:5], (5, "a = = 1")], folder, on_error="fail", shards=3)
    with pytest.raises(BadRules, match="7: UnknownId: no rule has the id 7"):
        ruleset.apply_changes(folder, [("delete", 7), ("delete", 7)], on_error="fail")
    with pytest.raises(BadRules):
        ruleset.build([(1, "a"), (1, "b")], tmp_path / "new", on_error="fail")
    assert files(folder) == before
    assert not files(tmp_path / "new")


def test_an_interrupt_after_the_version_was_made_keeps_its_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a version names is not taken from it, even if the writer did not hear of its success."""

    def interrupted(path: Path) -> None:
        if path.name == "versions":
            raise KeyboardInterrupt

    monkeypatch.setattr(place, "_sync", interrupted)
    for work in ("apply", "build"):
        with pytest.raises(KeyboardInterrupt):
            write(folder, work)
        assert files(folder) == needed(folder)
    assert ruleset.open_rules(folder).version == 4
    assert len(ruleset.open_rules(folder)) == 500


def test_a_compaction_that_fails_does_not_undo_the_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The changes are made: that all could not be built anew is a warning, and it is tried again next time."""
    monkeypatch.setattr(changes, "_FEW", 1)

    def full(*_: Any, **__: Any) -> None:
        raise FileError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(changes, "build", full)
        with pytest.warns(RuntimeWarning, match="not built anew: No space left"):
            report = ruleset.apply_changes(folder, [("delete", number) for number in range(10, 18)])
    assert (report.version, report.applied, report.compacted) == (3, 8, False)
    assert ruleset.apply_changes(folder, [("delete", 8)]).compacted
    assert matched(folder) == [3, 18, 23, 28]


def test_every_error_of_a_rule_set_is_ours(folder: Path) -> None:
    """What a caller has to catch is HedgerowError."""
    assert issubclass(MissingVersion, HedgerowError)
    assert issubclass(MissingVersion, FileNotFoundError)
    (folder / "versions").rename(folder / "elsewhere")
    (folder / "versions").write_text("x", encoding="utf-8")
    with pytest.raises(HedgerowError):
        ruleset.open_rules(folder)
