"""Where the command ``hedgerow`` starts.

Exit codes: 0 done; 1 it could not be done; 2 the command or one of its options was wrong; 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from hedgerow.cli import generate
from hedgerow.errors import HedgerowError, KindError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_COMMANDS = (generate,)

_FAILED, _WRONG, _INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage of a command with many options would hide it."""

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except KindError as error:  # an option whose value has no meaning
        return _said(options.command, error, _WRONG)
    except (HedgerowError, OSError) as error:
        return _said(options.command, error, _FAILED)
    except KeyboardInterrupt:
        return _said(options.command, "interrupted", _INTERRUPTED)
    return 0


def _parser() -> _Parser:
    parser = _Parser(
        prog="hedgerow",
        description="Finds, among many Boolean expressions, all that match an event.",
        epilog="hedgerow COMMAND --help tells the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"hedgerow {version('hedgerow')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    for command in _COMMANDS:
        command.add(commands)
    return parser


def _said(command: str, error: object, code: int) -> int:
    sys.stderr.write(f"hedgerow {command}: {error}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
