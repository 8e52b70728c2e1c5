r"""Detection rules for security logs: patterns of strings in any case, and filters that take the harmless away.

::

    record   event_type, host, domain, user, process, signed, ...     process_create, ws-041, mara, Medium, true, ...
             image, original_name, command_line, directory            what ran, and how it was called
             parent_image, parent_command_line                        what started it
             target, details, destination, port                       files, registry keys and hosts that it touched

    rule     event_type IN ('process_create')                         of which records
             AND (image ILIKE '%\\certutil.exe' OR ...)                 what is looked for, one test or more
             AND command_line ILIKE '%-urlcache%' AND ...
             AND NOT (parent_image ENDS WITH ... OR user = 'SYSTEM')  what is known to be harmless

Rules are to be read under ``missing="false"``: a filter on an attribute that a record lacks takes nothing away. Most
rules look for something that no record has, as in life. The workload is frozen: a seed gives the same rows in every
version of Python, and a longer run starts as a shorter one.

>>> for row in log_expressions(2):
...     print(*row)
0 event_type IN ('registry_set') AND image STARTS WITH 'C:\ProgramData\Tramline' AND destination STARTS WITH ...
1 port IN (80) AND destination STARTS WITH 'irisjacket41.'
>>> event = next(log_events(1))
>>> print(event["event_type"], event["image"], event["command_line"])
file_create c:\windows\system32\git.exe git.exe javascript: -w hidden get-process c:\users\mara\appdata\local\temp\...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.workload.draw import Draw
from hedgerow.workload.logs_rules import detection
from hedgerow.workload.logs_words import (
    COMPANIES,
    EVENT_TYPES,
    FLAGS,
    FOLDERS,
    INTEGRITIES,
    KEYS,
    PEOPLE,
    PORTS,
    PROGRAMS,
    SCRIPTS,
    ZONES,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["log_events", "log_expressions"]

_NAMES = 1500  # of the names that there are, records tell of the first ones


def log_expressions(count: int, seed: int = 7) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    draw = Draw(seed)
    for number in range(count):
        yield number, detection(draw)


def log_events(count: int, seed: int = 11) -> Iterator[dict[str, object]]:
    """Yield events as ``Index.match`` takes them; what a record of its type does not tell is absent."""
    draw = Draw(seed)
    for _ in range(count):
        kind = draw.one(EVENT_TYPES)
        program, parent = draw.one(PROGRAMS), draw.one(PROGRAMS)
        yield {
            "event_type": kind,
            "host": f"ws-{draw.below(400):03d}",
            "domain": draw.one(ZONES),
            "process": 100 + 4 * draw.below(16_000),
            "user": draw.one(PEOPLE),
            "integrity": draw.one(INTEGRITIES),
            "signed": draw.chance(0.8),
            "company": draw.one(COMPANIES),
            "image": _in_some_case(draw, f"{draw.one(FOLDERS)}\\{program}.exe"),
            "original_name": f"{program}.exe",
            "command_line": _command_line(draw, program),
            "hash": f"{draw.below(1 << 48):012x}",
            "directory": _in_some_case(draw, draw.one(FOLDERS)),
            **_of_parent(draw, parent),
            **_touched(draw, kind),
        }


def _of_parent(draw: Draw, parent: str) -> dict[str, object]:
    if draw.chance(0.1):  # it was gone before the record was made
        return {}
    path = _in_some_case(draw, f"{draw.one(FOLDERS)}\\{parent}.exe")
    return {"parent_image": path, "parent_command_line": _command_line(draw, parent)}


def _touched(draw: Draw, kind: str) -> dict[str, object]:
    """Return what the record tells of files, registry keys and hosts."""
    if kind in {"network_connect", "dns_query"}:
        return {"destination": f"{_name(draw)}.{draw.one(ZONES)}", "port": draw.one(PORTS)}
    if kind in {"registry_set", "service_install"}:
        return {"target": f"{draw.one(KEYS)}\\{_name(draw)}", "details": _command_line(draw, draw.one(PROGRAMS))}
    if kind in {"file_create", "image_load"} or draw.chance(0.3):
        return {"target": _file(draw)}
    return {}


def _command_line(draw: Draw, program: str) -> str:
    words = [f"{program}.exe" if draw.chance(0.5) else f'"{draw.one(FOLDERS)}\\{program}.exe"']
    words += draw.some(FLAGS, 0, 3)
    words += [_file(draw) for _ in range(draw.below(3))]
    if draw.chance(0.15):
        words.append(f"http://{_name(draw)}.{draw.one(ZONES)}/{_name(draw)}")
    return _in_some_case(draw, " ".join(words))


def _file(draw: Draw) -> str:
    return f"{draw.one(FOLDERS)}\\{_name(draw)}{draw.one(SCRIPTS)}"


def _name(draw: Draw) -> str:
    return name_of(draw.below(_NAMES) * 13)


def _in_some_case(draw: Draw, text: str) -> str:
    """Return text as it is told by most, or as some tools tell it."""
    luck = draw.random()
    return text.upper() if luck < 0.08 else text.lower() if luck < 0.4 else text  # noqa: PLR2004 - shares
