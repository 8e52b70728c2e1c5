"""``hedgerow engines``: what engines there are."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from hedgerow.cli.options import add_parser, add_tone, tell
from hedgerow.index.catalogue import EngineAbout, engines

__all__ = ["add", "run"]

_EXAMPLES = """\
examples:
  hedgerow engines
  hedgerow engines --json
  hedgerow match --rules rules.csv --engine betree --events events.csv --key user --out matches.csv

The form is what an engine takes expressions as; a DNF or CNF may be too large. Those that rank pass over matches that
cannot be among the best; those with relations take events with sets of values.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands, "engines", "list the engines", "List the engines that rules can be matched with.", _EXAMPLES
    )
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """List them."""
    known = engines()
    tell(options, "\n".join(_line(about) for about in known), engines=[asdict(about) for about in known])


def _line(about: EngineAbout) -> str:
    can = [word for word, is_so in (("ranks", about.ranks), ("relations", about.relations)) if is_so]
    told = f"{about.form:<8} {', '.join(can):<16} {about.line}"
    return f"{about.name:<12} {told}" + (f" ({about.paper})" if about.paper else "")
