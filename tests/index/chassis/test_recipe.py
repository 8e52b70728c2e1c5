"""A small engine that is written by the recipe in CONTRIBUTING, outside the package, keeps the whole contract."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.index import engine as engines
from hedgerow.testing import CHECKS, Factory
from tools import sources

SOURCE = Path(__file__).with_name("pivot_cy.py")
BUILD = """
import sys
from setuptools import Extension, setup
from Cython.Build import cythonize
sys.path.insert(0, {root!r})
from setup import DIRECTIVES
extension = Extension("pivot_cy", ["pivot_cy.py"], extra_compile_args=["-O0", "-g0"])
setup(
    name="pivot",
    ext_modules=cythonize([extension], include_path=[{package!r}], compiler_directives=DIRECTIVES),
    script_args=["-q", "build_ext", "--inplace"],
)
"""


@pytest.fixture(scope="module")
def _pivot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compile the engine as somebody else would, and register it."""
    folder = tmp_path_factory.mktemp("pivot")
    (folder / SOURCE.name).write_bytes(SOURCE.read_bytes())
    (folder / "build_it.py").write_text(BUILD.format(root=str(sources.ROOT), package=str(sources.SOURCE)))
    subprocess.run([sys.executable, "build_it.py"], cwd=folder, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("pivot_cy", next(folder.glob("pivot_cy*.so")))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    engines.register_engine("pivot", module.PivotEngine, module.PivotEngine.restored)
    yield
    for known in (engines._FACTORIES, engines._RESTORERS):
        known.pop("pivot")


@pytest.mark.usefixtures("_pivot")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_small_engine_keeps_the_contract(check: Callable[[Factory], None]) -> None:
    """All of it, files included."""
    check(lambda missing: hr.Index("pivot", missing=missing))


@pytest.mark.usefixtures("_pivot")
def test_it_does_what_it_says() -> None:
    """Each clause is looked at once, where its first literal holds."""
    index = hr.Index("pivot")
    index.insert_many((number, f"a = {number} AND b = {number % 10}") for number in range(100))
    assert index.match({"a": 17, "b": 7}) == [17]
    assert index.visits == 1
