"""What a detection rule looks for in a record, written as an analyst would write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hedgerow.workload.draw import Draw
from hedgerow.workload.logs_words import (
    EVENT_TYPES,
    FLAGS,
    FOLDERS,
    KEYS,
    NAMES,
    OFFICE,
    PATTERNS,
    PEOPLE,
    PORTS,
    PROGRAMS,
    SCRIPTS,
    SUSPICIOUS,
    ZONES,
    name_of,
)

__all__ = ["detection"]


def detection(draw: Draw) -> str:
    """Return the expression of one rule: of which records, what is looked for, and what is left out as harmless."""
    parts = [_types(draw)] if draw.chance(0.85) else []
    parts += [_selection(draw, test) for test in draw.some(_SELECTIONS, 1, 3)]
    if draw.chance(0.9):
        parts.append(draw.one(_OWN)(draw))
    if draw.chance(0.6):
        parts.append(f"NOT ({' OR '.join([draw.one(_HARMLESS)(draw) for _ in range(1 + draw.below(3))])})")
    return " AND ".join(parts)


def _types(draw: Draw) -> str:
    chosen = dict.fromkeys(draw.one(EVENT_TYPES) for _ in range(1 + draw.below(3)))
    return f"event_type IN ({', '.join(map(_quoted, chosen))})"


def _selection(draw: Draw, test: _Test) -> str:
    """Return one test, or an OR of some of its kind."""
    if draw.chance(0.5):
        return test(draw)
    chosen = dict.fromkeys(test(draw) for _ in range(2 + draw.below(4)))
    return f"({' OR '.join(chosen)})" if len(chosen) > 1 else next(iter(chosen))


def _image(draw: Draw) -> str:
    attribute, file = draw.one(("image", "image", "parent_image")), _program(draw.one(SUSPICIOUS))
    return f"{attribute} ENDS WITH {_quoted(file)}" if draw.chance(0.3) else f"{attribute} ILIKE {_pattern('%', file)}"


def _folder(draw: Draw) -> str:
    attribute, folder = draw.one(("image", "target", "directory", "parent_image")), draw.one(FOLDERS)
    if draw.chance(0.3):
        return f"{attribute} STARTS WITH {_quoted(folder)}"
    return f"{attribute} ILIKE {_pattern('', folder.lower(), '%')}"


def _flag(draw: Draw) -> str:
    attribute, flag = draw.one(("command_line", "command_line", "parent_command_line", "details")), draw.one(FLAGS)
    if draw.chance(0.1):
        return f"{attribute} CONTAINS {_quoted(flag)}"
    if draw.chance(0.05):
        return f"{attribute} LIKE {_pattern('%', flag, '%')}"
    return f"{attribute} ILIKE {_pattern('%', flag.lower(), '%')}"


def _kind_of_file(draw: Draw) -> str:
    ending = draw.one(SCRIPTS)
    if draw.chance(0.5):
        return f"target ENDS WITH {_quoted(ending)}"
    return f"command_line ILIKE {_pattern('%', ending, '%')}"


def _network(draw: Draw) -> str:
    if draw.chance(0.5):
        return f"port IN ({', '.join(map(str, dict.fromkeys(draw.some(PORTS, 1, 3))))})"
    return f"destination ILIKE {_pattern('%.', draw.one(ZONES))}"


# Of its own is what most records never tell of: a file, a service or a site.


def _own_expression(draw: Draw) -> str:
    return f"command_line MATCHES {_quoted(draw.one(PATTERNS))}"


def _own_site(draw: Draw) -> str:
    return f"destination STARTS WITH {_quoted(_name(draw) + '.')}"


def _own_key(draw: Draw) -> str:
    key = draw.one(KEYS).lower() + "\\" + _name(draw)
    return f"target ILIKE {_pattern('%', key)}"


def _own_file(draw: Draw) -> str:
    file = "\\" + _name(draw) + draw.one(SCRIPTS)
    return f"target ILIKE {_pattern('%', file)}"


def _own_argument(draw: Draw) -> str:
    return f"command_line ILIKE {_pattern('%', _name(draw), draw.one(('%', '%', '%.example/%')))}"


# What is harmless takes a record away.


def _harmless_user(draw: Draw) -> str:
    return f"user = {_quoted(draw.one(PEOPLE))}"


def _harmless_parent(draw: Draw) -> str:
    return f"parent_image ILIKE {_pattern('%', _program(draw.one((*PROGRAMS, *OFFICE))))}"


def _harmless_folder(draw: Draw) -> str:
    return f"image STARTS WITH {_quoted(draw.one(FOLDERS))}"


def _harmless_flag(draw: Draw) -> str:
    return f"command_line ILIKE {_pattern('%', draw.one(FLAGS).lower(), '%')}"


def _harmless_fact(draw: Draw) -> str:
    return draw.one(("signed", "integrity = 'System'", "company = 'Microsoft Corporation'", "host STARTS WITH 'ws-0'"))


def _name(draw: Draw) -> str:
    return name_of(draw.below(NAMES))


def _program(name: str) -> str:
    return f"\\{name}.exe"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _pattern(before: str, text: str, after: str = "") -> str:
    """Return a pattern of LIKE in quotes, in which what is special there stands for itself."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return _quoted(before + escaped + after)


_Test: TypeAlias = Callable[[Draw], str]

_SELECTIONS: tuple[_Test, ...] = (_image, _flag, _flag, _folder, _kind_of_file, _network)
_OWN: tuple[_Test, ...] = (
    *(_own_expression, _own_site, _own_site, _own_site, _own_key, _own_key, _own_key, _own_file, _own_file, _own_file),
    *(_own_argument, _own_argument, _own_argument, _own_argument, _own_argument, _own_argument),
)
_HARMLESS: tuple[_Test, ...] = (
    *(_harmless_user, _harmless_user, _harmless_parent, _harmless_parent, _harmless_folder, _harmless_flag),
    _harmless_fact,
)
