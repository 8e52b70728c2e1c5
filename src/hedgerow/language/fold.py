"""Unicode simple case folding: one character to one character, as ILIKE and RE2 understand "ignoring case".

Python's ``str.casefold`` is the *full* folding, which can lengthen a string (``ß`` to ``ss``). The simple one is
derived from it here: where the full folding of a character is longer, the simple one is its lower case, if that is one
character, or the character itself.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

__all__ = ["fold_table", "folded"]

_LAST_WITH_CASE = 0x1FFFF
"""No character beyond the supplementary multilingual plane has case."""


def _folded_character(character: str) -> str:
    for form in (character.casefold(), character.lower()):
        if len(form) == 1:
            return form
    return character


@functools.cache
def _translation() -> dict[int, str]:
    pairs = ((code, _folded_character(chr(code))) for code in range(_LAST_WITH_CASE + 1))
    return {code: form for code, form in pairs if ord(form) != code}


def folded(text: str) -> str:
    """Return ``text`` with every character folded.

    >>> folded("Straße İ ΣΑΣ")
    'straße İ σασ'
    """
    return text.lower() if text.isascii() else text.translate(_translation())


@functools.cache
def fold_table() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the characters beyond ASCII that folding changes, sorted, and what each becomes: for compiled code."""
    changed = {code: form for code, form in _translation().items() if code > 0x7F}  # noqa: PLR2004 - the end of ASCII
    return np.array(list(changed), np.int32), np.array([ord(form) for form in changed.values()], np.int32)
