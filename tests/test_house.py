"""The rules of the house that a machine can check: layers, the list of compiled modules, the public names."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import hedgerow
from tools import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

# Lower may not import upper. Rooms of one floor do not import each other, but those of the top floor may.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset(
        {"_built", "arrays_cy", "bits", "errors", "limits", "lists_cy", "progress", "sections", "signals", "symbols_cy"}
        | {"regions", "value_sets", "values"}
    ),
    frozenset({"event", "language"}),
    frozenset({"predicate"}),
    frozenset({"index"}),
    frozenset({"store"}),
    frozenset({"ruleset"}),
    frozenset({"cli", "hedgerow", "spark", "testing", "workload"}),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
GROUND, TOP = 0, len(FLOORS) - 1

# The oracle reads an event as people write it, and flattening is where that is told.
EXCEPTIONS = {
    ("hedgerow.language.evaluate", "hedgerow.event.flatten"),
    ("hedgerow.language.relate", "hedgerow.event.asked"),
    ("hedgerow.language.relate", "hedgerow.event.said"),
}

# A .pxd without a module: it declares what the C compiler has, or defines what is inlined.
DECLARATIONS = {"hedgerow.bits", "hedgerow.index.atree.sets", "hedgerow.predicate.keys", "hedgerow.signals"}

FILES = sorted(path for path in sources.PACKAGE.rglob("*") if path.suffix in {".py", ".pyi", ".pxd"})
CIMPORT = re.compile(r"^\s*(?:from\s+(\S+)\s+)?cimport\s+(\S+)", re.MULTILINE)


def module_of(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(sources.SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Return the room that a module of ours is in; the package itself is the room above all."""
    return (module + ".hedgerow").split(".")[1]


def imported(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, at run time, for its types or at compile time."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".pxd":
        yield from (first or second for first, second in CIMPORT.findall(text))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from imported_from(node, path)


def imported_from(node: ast.ImportFrom, path: Path) -> Iterator[str]:
    """Yield what ``from x import y`` reaches: y may be a module, and x may be relative."""
    package = module_of(path.with_name("__init__.py")).split(".")
    base = package[: len(package) - node.level + 1] if node.level else []
    origin = ".".join([*base, *filter(None, [node.module])]).removeprefix("cython.cimports.")
    if origin == "hedgerow":
        yield from (f"hedgerow.{name.name}" if name.name in FLOOR_OF else "hedgerow" for name in node.names)
    else:
        yield origin


def may_import(module: str, other: str) -> bool:
    """Return whether the layers let one module import the other."""
    here, there = room_of(module), room_of(other)
    if here == there or (module, other) in EXCEPTIONS:
        return True
    if FLOOR_OF[here] == FLOOR_OF[there]:
        return FLOOR_OF[here] in {GROUND, TOP}
    return FLOOR_OF[there] < FLOOR_OF[here]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(sources.PACKAGE)))
def test_layers_only_point_down(path: Path) -> None:
    """No file imports from a floor above its own."""
    module = module_of(path)
    ours = {name for name in imported(path) if name.split(".")[0] == "hedgerow"}
    assert not {name for name in ours if not may_import(module, name)}


def test_only_the_spark_room_imports_pyspark() -> None:
    """Whoever does not use Spark does not need it."""
    users = {room_of(module_of(path)) for path in FILES for name in imported(path) if name.split(".")[0] == "pyspark"}
    assert users <= {"spark"}


def test_every_room_says_what_it_is_for() -> None:
    """A folder's docstring is its sign at the door."""
    doors = [path for path in FILES if path.name == "__init__.py"]
    signs = {path: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in doors}
    assert not {path for path, sign in signs.items() if len(sign) < 40}


def test_the_build_the_glob_and_the_stubs_agree() -> None:
    """What is marked as compiled is compiled, has a stub, and nothing else is or has."""
    built = importlib.import_module("hedgerow._built")
    names = set(sources.compiled_modules())
    package = Path(str(hedgerow.__file__)).parent
    assert set(built.SOURCES) == names
    assert {module_of(path) for path in FILES if path.suffix == ".pyi"} == names
    assert {module_of(path) for path in FILES if path.suffix == ".pxd"} <= names | DECLARATIONS
    assert set(package.rglob(f"*_cy{sources.SUFFIX}")) == {sources.compiled_file(package, name) for name in names}


def test_the_public_names_are_pinned_and_sorted() -> None:
    """What can be seen at the door is what ``__all__`` says, in order."""
    visible = {name for name, value in vars(hedgerow).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert list(hedgerow.__all__) == sorted(hedgerow.__all__)
    assert set(hedgerow.__all__) == visible


@pytest.mark.parametrize("name", getattr(hedgerow, "__all__", ()))
def test_a_public_name_is_documented(name: str) -> None:
    """Every public function and class has a docstring, and so has each of its own public methods."""
    value = getattr(hedgerow, name)
    if not callable(value):
        return
    members = vars(value).items() if inspect.isclass(value) else ()
    own = [member for key, member in members if key[0] != "_" and (callable(member) or isinstance(member, property))]
    assert all(inspect.getdoc(member) for member in [value, *own])
