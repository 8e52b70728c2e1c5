"""Where the command ``hedgerow`` starts.

Exit codes: 0 done; 1 it could not be done, or what was checked is bad; 2 the command or one of its options was wrong;
130 interrupted; 141 whoever read the output went away.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from hedgerow.cli import apply, build, check, engines, explain, generate, match, stats, stream
from hedgerow.errors import EventError, ExpressionError, HedgerowError, KindError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_COMMANDS = (check, build, match, explain, apply, stream, stats, generate, engines)

_FAILED, _WRONG, _INTERRUPTED, _UNREAD = 1, 2, 130, 141


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage of a command with many options would hide it."""

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int | None = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    except (EventError, ExpressionError, SchemaError) as error:  # of the data, not of an option
        return _said(options.command, error, _FAILED)
    except KindError as error:  # an option whose value has no meaning
        return _said(options.command, error, _WRONG)
    except (HedgerowError, OSError) as error:
        return _said(options.command, error, _FAILED)
    except KeyboardInterrupt:
        return _said(options.command, "interrupted", _INTERRUPTED)
    return code or 0


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


def _unread() -> int:
    """End without a word, as others do before ``head``; what Python would still write at its end goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _UNREAD


def _said(command: str, error: object, code: int) -> int:
    sys.stderr.write(f"hedgerow {command}: {error}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
