"""The pictures in the documents: each shows ``index`` as the examples above it on its page have left it.

``make pictures`` draws those that are new or whose structure has changed, with ``dot`` of Graphviz. A picture keeps the
digest of the DOT text that it was drawn from, so that a test can ask for those that are out of date without ``dot``.
"""

from __future__ import annotations

import doctest
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = sources.ROOT / "docs/pictures"
FENCE = re.compile(r"^\s*(```|~~~).*$", re.MULTILINE)
EMBEDDED = re.compile(r"!\[[^\]]*\]\((pictures/[^)]*)\)")
DIGEST = re.compile(r"<!-- SHA-256 of its DOT text: ([0-9a-f]{64}) -->")


class Picture(NamedTuple):
    """A picture as its page wants it."""

    path: Path
    engine: str
    dot: str

    @property
    def digest(self) -> str:
        """What tells this DOT text from others."""
        return hashlib.sha256(self.dot.encode()).hexdigest()

    def is_current(self) -> bool:
        """Return whether the file shows this DOT text."""
        found = DIGEST.search(self.path.read_text(encoding="utf-8")) if self.path.exists() else None
        return found is not None and found[1] == self.digest

    def draw(self, program: str) -> None:
        """Write the file."""
        done = subprocess.run(  # noqa: S603 - found on the path
            [program, "-Tsvg"], input=self.dot.encode(), capture_output=True, check=True
        )
        head, mark, rest = done.stdout.decode().partition("<svg")
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(f"{head}<!-- SHA-256 of its DOT text: {self.digest} -->\n{mark}{rest}", encoding="utf-8")


def examples(text: str, page: Path) -> doctest.DocTest:
    """Return the interactive examples of a page, or of its beginning.

    Without its fences, which doctest would take for printed output, each line stays where it was.
    """
    return doctest.DocTestParser().get_doctest(FENCE.sub("", text), {}, page.name, str(page), 0)


def pictures() -> Iterator[Picture]:
    """Run the examples above each picture, and yield what it is to show."""
    for page in sorted(sources.ROOT.glob("docs/*.md")):
        text = page.read_text(encoding="utf-8")
        for found in EMBEDDED.finditer(text):
            session = examples(text[: found.start()], page)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            if runner.run(session, clear_globs=False).failed:
                raise SystemExit(f"{page.name}: an example above {found[1]} does not print what it says")
            index = session.globs["index"]
            yield Picture(page.parent / found[1], index.engine, index.to_graphviz())


def main() -> None:
    """Draw what is not current."""
    stale = [picture for picture in pictures() if not picture.is_current()]
    program = shutil.which("dot")
    if stale and program is None:
        raise SystemExit("drawing pictures needs the program dot of Graphviz: on Debian, apt-get install graphviz")
    for picture in stale:
        picture.draw(str(program))
        sys.stdout.write(f"drew {picture.path.relative_to(sources.ROOT)}\n")


if __name__ == "__main__":
    main()
