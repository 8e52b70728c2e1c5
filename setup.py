"""The build of the compiled modules: every ``*_cy.py`` under ``src``, in Cython's pure Python mode.

All directives are said here and none in the files: what a file says wins, and would make a checked build impossible.
``HEDGEROW_CHECKED=1`` turns every run-time check on. Everything else about the project is in ``pyproject.toml``.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools import sources  # an isolated build has the folder of this file on no path

CHECKED = sources.checked()
GENERATED = Path("build", "cython-checked" if CHECKED else "cython")
JOBS = 2

# What memoryviews and functions need at run time, compiled once for all modules instead of once in each.
SHARED = "hedgerow._shared"

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "boundscheck": CHECKED,
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "overflowcheck": CHECKED,
    # Never differs between the builds, because it changes results and not only checks: an index is never counted from
    # the end, and division is Python's (rounding down, refusing zero). Unsigned division and shifts cost nothing more.
    "wraparound": False,
    "cdivision": False,
}


def extensions() -> list[Extension]:
    """Return the modules to compile: those that the glob finds, and the code that they share."""
    modules = {name: str(path.relative_to(sources.ROOT)) for name, path in sources.compiled_modules().items()}
    # The checked build is run and not measured: what the compiler saves there is worth more than what it gains.
    arguments = ["-O0" if CHECKED else "-O3", "-g0", *machine_arguments()]
    found = [Extension(name, [path], extra_compile_args=arguments) for name, path in modules.items()]
    return [Extension(SHARED, ["hedgerow/_shared.c"], extra_compile_args=["-O2", "-g0"]), *found]


def machine_arguments() -> list[str]:
    """Return what the machine can do beyond the oldest of its kind: PyArrow, which is needed, asks for more already."""
    return ["-mpopcnt"] if platform.machine() in {"x86_64", "AMD64"} and os.name != "nt" else []


def cythonized() -> list[Extension]:
    """Return the extensions with their sources translated to C, under ``build`` so that ``src`` stays clean."""
    from Cython.Build import cythonize  # noqa: PLC0415 - so that the rest of this file can be read without Cython

    record, keys = GENERATED / "keys.json", _keys()
    _forget_stale_c(record, keys)
    translated: list[Extension] = cythonize(
        extensions(),
        build_dir=str(GENERATED),
        include_path=["src"],
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
        nthreads=JOBS,
    )
    record.write_text(json.dumps(keys))
    return translated


def _keys() -> dict[str, str]:
    """Return, for each generated C file, a digest of all that it is made from: times of files can mislead."""
    from Cython import __version__  # noqa: PLC0415 - as above

    versions = f"{__version__} {sys.version}".encode()
    common = hashlib.sha256(b"\0".join([versions, Path(__file__).read_bytes()]))
    keys = {"hedgerow/_shared.c": common.hexdigest()}
    for path in sources.compiled_modules().values():
        key = common.copy()
        for part in [path, *sources.declarations(path)]:
            key.update(part.read_bytes() + b"\0")
        keys[str(path.relative_to(sources.ROOT).with_suffix(".c"))] = key.hexdigest()
    return keys


def _forget_stale_c(record: Path, keys: dict[str, str]) -> None:
    """Remove each C file that was made from something else than ``keys`` say; a newer one makes the compiler run."""
    known = json.loads(record.read_text()) if record.exists() else {}
    stale = {path for path, key in keys.items() if known.get(path) != key}
    for path in stale:
        (GENERATED / path).unlink(missing_ok=True)
    # If the translation fails half-way, what it left behind is not to be trusted either.
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps({path: key for path, key in keys.items() if path not in stale}))


class BuildCompiled(build_ext):
    """Compile, then write down beside the result what it was made from."""

    def finalize_options(self) -> None:
        """Translate to C only when really compiling; let editable installs and in-place builds share the result."""
        self.distribution.ext_modules = cythonized()
        super().finalize_options()
        if self.inplace:
            self.build_lib = str(Path("build", "inplace-checked" if CHECKED else "inplace"))

    def run(self) -> None:
        """Take the digests first: a file edited while the compiler runs must count as stale."""
        digests = sources.digests()
        super().run()
        package = Path("src" if self.inplace else self.build_lib, "hedgerow")
        self._remove_strays(package, digests)
        lines = [f'    "{name}": "{digest}",\n' for name, digest in digests.items()]
        package.mkdir(parents=True, exist_ok=True)
        (package / sources.RECORD).write_text(
            f'"""Written by the build: what the compiled modules were made from."""\n\nCHECKED: bool = {CHECKED}\n'
            f"SOURCES: dict[str, str] = {{\n{''.join(lines)}}}\n",
        )

    def _remove_strays(self, package: Path, digests: dict[str, str]) -> None:
        """Remove the compiled form of modules that are no more: Python would go on loading it."""
        current = {sources.compiled_file(package, name) for name in digests}
        for path in package.rglob(f"*_cy{sources.SUFFIX}"):
            if path not in current:
                path.unlink()


def main() -> None:
    """Build whatever the command line or the installer asks for."""
    os.chdir(sources.ROOT)
    options: dict[str, Any] = {"build_ext": {"parallel": JOBS}}
    if CHECKED:
        options["build"] = {"build_base": "build/checked-base"}
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildCompiled}, options=options)


if __name__ == "__main__":
    main()
