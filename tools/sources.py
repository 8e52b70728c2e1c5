"""Which modules are compiled, and whether what was compiled is still what the sources say.

Python loads a compiled file without a look at the source beside it, so an edited module could go on running its old
self. The build therefore writes down, in ``hedgerow/_built.py``, a digest of every source it compiled; whoever runs the
result asks here first whether the digests still agree. Only the standard library is used: the build imports this too.

Run as a script it prints every reason to build (again), and nothing when there is none.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import os
import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "hedgerow"
RECORD = "_built.py"
SUFFIX: str = importlib.machinery.EXTENSION_SUFFIXES[0]


def checked() -> bool:
    """Return whether the environment asks for the build with all run-time checks."""
    return os.environ.get("HEDGEROW_CHECKED", "0") not in {"", "0"}


def compiled_modules() -> dict[str, Path]:
    """Return the source of each module that is compiled, by the module's name."""
    return {_module_name(path): path for path in sorted(PACKAGE.rglob("*_cy.py"))}


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def digests() -> dict[str, str]:
    """Return a digest of each compiled module's source and of all declarations that it is compiled with."""
    return {name: _digest(path) for name, path in compiled_modules().items()}


def _digest(path: Path) -> str:
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in [path, *declarations(path)])).hexdigest()


def declarations(path: Path) -> list[Path]:
    """Return the ``.pxd`` files that a module is compiled with: its own, and those it names, and those they name."""
    found: set[Path] = set()
    waiting = [path.with_suffix(".pxd"), *_named(path)]
    while waiting:
        declaration = waiting.pop()
        if declaration not in found and declaration.exists():
            found.add(declaration)
            waiting += _named(declaration)
    return sorted(found)


def _named(path: Path) -> list[Path]:
    """Return the ``.pxd`` files of ours that a file names in its imports."""
    names = re.findall(r"from (?:cython\.cimports\.)?(hedgerow[\w.]*) c?import", path.read_text())
    return [SOURCE.joinpath(*name.split(".")).with_suffix(".pxd") for name in names]


def compiled_file(package: Path, name: str) -> Path:
    """Return where the compiled form of a module lies in ``package``, a built or in-place ``hedgerow`` folder."""
    return package.joinpath(*name.split(".")[1:]).with_suffix(SUFFIX)


def reasons_to_build(package: Path = PACKAGE, *, want_checked: bool = False) -> list[str]:
    """Return what is missing, stale or left over in the compiled files of ``package``: nothing when all is current."""
    record = package / RECORD
    if not record.exists():
        return ["nothing was built yet"]
    built = runpy.run_path(str(record))
    if built["CHECKED"] is not want_checked:
        return [f"the build at hand has its run-time checks {'on' if built['CHECKED'] else 'off'}"]
    return _differences(package, built["SOURCES"], digests())


def _differences(package: Path, built: dict[str, str], present: dict[str, str]) -> list[str]:
    reasons = [f"{name} is new" for name in present if name not in built]
    reasons += [f"{name} is gone" for name in built if name not in present]
    reasons += [f"{name} was edited" for name in present if built.get(name, present[name]) != present[name]]
    missing = (name for name in present if name in built and not compiled_file(package, name).exists())
    return reasons + [f"{name} has no compiled file for this Python" for name in missing]


if __name__ == "__main__":
    sys.stdout.writelines(f"{reason}\n" for reason in reasons_to_build())
