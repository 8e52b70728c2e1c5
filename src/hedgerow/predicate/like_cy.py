"""LIKE and ILIKE: whether a pattern matches a whole text, in time for both together in the usual case.

A pattern is cut at each ``%`` into segments. The first has to stand at the start of the text, the last at its end, and
each of the others is best taken at the first place where it fits behind the one before::

    ab%c_d%ef%_gh       ab at the start, _gh at the end, between them c_d and then ef, as far left as they go

- A ``_`` at either end of a segment takes one character, and what is between them is looked for.
- What has no ``_`` in it is found by ``memmem``, as CONTAINS is: in UTF-8 the bytes of a character are found nowhere
  but at a character.
- Anything else is tried where its first character fits. Texts like ``aaaa...`` can make that take text times pattern,
  so when it has taken some times the text, the rest is searched with a bit for each character of the segment
  (Baeza-Yates and Gonnet, 1992): all places at once, one step for each 64 characters of the segment and each of the
  text.

Texts and patterns are valid UTF-8, and a pattern is one that ``language.pattern.check_like`` takes. For ILIKE it is
case-folded; a character of the text fits if it folds to the pattern's.
"""

import cython
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memchr, memmove

from hedgerow.language.fold import fold_table

_fold_from = cython.declare(cython.int[::1], fold_table()[0])
_fold_to = cython.declare(cython.int[::1], fold_table()[1])

_ANY_RUN = cython.declare(cython.uchar, ord("%"))
_ANY_ONE = cython.declare(cython.uchar, ord("_"))
_ESCAPE = cython.declare(cython.uchar, ord("\\"))

_NOWHERE = cython.declare(cython.Py_ssize_t, -1)
_NO_ROOM = cython.declare(cython.Py_ssize_t, -2)

# How many steps for each byte of the text trying may take, and some for short ones, before bits do the rest.
_PATIENCE = cython.declare(cython.longlong, 4)
_LEAST_PATIENCE = cython.declare(cython.longlong, 1024)
_UNESCAPED = cython.declare(cython.Py_ssize_t, 2048)
_ONE = cython.declare(cython.ulonglong, 1)
_ALL_BUT_THE_HIGHEST = cython.declare(cython.ulonglong, (1 << 63) - 1)


def like(text, length, pattern, size, fold, steps):
    """Return whether a pattern matches a whole text; ``steps`` is raised by the characters that were compared."""
    asked: Asked
    place: cython.Py_ssize_t = _segment_end(pattern, 0, size)
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    asked.text, asked.pattern, asked.fold, asked.steps = text, pattern, fold, steps
    at = _fits(cython.address(asked), 0, length, 0, place)
    if at < 0 or place == size:
        return at == length
    last = _last_segment(pattern, place, size)
    stop = _before_last(cython.address(asked), at, length, last, size)
    if stop < 0 or _fits(cython.address(asked), stop, length, last, size) != length:
        return False
    while place + 1 < last:
        end = _segment_end(pattern, place + 1, size)
        at = _found(cython.address(asked), at, stop, place + 1, end)
        if at < 0:
            return False
        place = end
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _segment_end(
    pattern: cython.pointer(cython.const[cython.uchar]), place: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return where the next ``%`` is, or the end of the pattern."""
    while place < size and pattern[place] != _ANY_RUN:
        place += 2 if pattern[place] == _ESCAPE else 1
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _last_segment(
    pattern: cython.pointer(cython.const[cython.uchar]), place: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the place behind the last ``%``, of which one is known."""
    end: cython.Py_ssize_t = place
    while end < size:
        place = end + 1
        end = _segment_end(pattern, place, size)
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _before_last(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the position from which a segment, whatever its characters, takes all that is left of the text."""
    while place < end:
        if stop <= at:
            return _NOWHERE
        stop -= 1
        while asked.text[stop] & 0xC0 == 0x80:  # not the first byte of its character
            stop -= 1
        place = _next_symbol(asked.pattern, place)
    return stop


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_symbol(pattern: cython.pointer(cython.const[cython.uchar]), place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return _step(pattern, place + 1 if pattern[place] == _ESCAPE else place)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the position behind a segment that stands at a position, or that it does not."""
    text: cython.pointer(cython.const[cython.uchar]) = asked.text
    pattern: cython.pointer(cython.const[cython.uchar]) = asked.pattern
    first: cython.Py_ssize_t = place
    while place < end:
        if at >= stop:
            at = _NOWHERE
            break
        if pattern[place] == _ANY_ONE:
            at = _step(text, at)
            place += 1
            continue
        if pattern[place] == _ESCAPE:
            place += 1
        if text[at] == pattern[place] and (text[at] < 0x80 or not asked.fold):
            # A byte within a character is none of the signs that mean something.
            at += 1
            place += 1
        elif asked.fold and _same(_character(text, at), _character(pattern, place)):
            at = _step(text, at)
            place = _step(pattern, place)
        else:
            at = _NOWHERE
            break
    asked.steps[0] += place - first
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the position behind the first place where a segment fits, or that there is none."""
    core: cython.Py_ssize_t
    symbol: cython.Py_ssize_t
    plain: cython.bint = not asked.fold
    while place < end and asked.pattern[place] == _ANY_ONE:
        if at >= stop:
            return _NOWHERE
        at = _step(asked.text, at)
        place += 1
    core = symbol = place
    while symbol < end:
        if asked.pattern[symbol] == _ANY_ONE:
            symbol += 1
            continue
        plain = plain and symbol == core  # else a _ stands before it
        symbol = core = _next_symbol(asked.pattern, symbol)
    if place < core:
        at = _found_plain(asked, at, stop, place, core) if plain else _found_by_trying(asked, at, stop, place, core)
    while at >= 0 and core < end:
        at = _step(asked.text, at) if at < stop else _NOWHERE
        core += 1
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found_plain(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Find a segment that has no ``_``, by its bytes."""
    wanted: cython.pointer(cython.const[cython.uchar]) = asked.pattern + place
    size: cython.Py_ssize_t = end - place
    unescaped: cython.uchar[2048]
    position: cython.pointer(cython.const[cython.uchar])
    if memchr(wanted, _ESCAPE, size) != cython.NULL:
        if size > _UNESCAPED:
            return _found_by_trying(asked, at, stop, place, end)
        size = 0
        while place < end:
            if asked.pattern[place] == _ESCAPE:
                place += 1
            unescaped[size] = asked.pattern[place]
            size += 1
            place += 1
        wanted = unescaped
    if size > stop - at:
        return _NOWHERE
    position = cython.cast(cython.pointer(cython.const[cython.uchar]), memmem(asked.text + at, stop - at, wanted, size))
    return _NOWHERE if position == cython.NULL else _distance(asked.text, position) + size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    text: cython.pointer(cython.const[cython.uchar]), position: cython.pointer(cython.const[cython.uchar])
) -> cython.Py_ssize_t:
    """Return how far a position is into a text; pointers as numbers, since the checked build cannot subtract them."""
    return cython.cast(cython.Py_ssize_t, position) - cython.cast(cython.Py_ssize_t, text)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found_by_trying(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Find a segment that begins with a character, trying it wherever that is, while this is cheap."""
    most: cython.longlong = asked.steps[0] + _PATIENCE * (stop - at) + _LEAST_PATIENCE
    patient: cython.bint = False
    behind: cython.Py_ssize_t
    at = _first_like(asked, at, stop, place)
    while at >= 0:
        behind = _fits(asked, at, stop, place, end)
        if behind >= 0:
            return behind
        at = _step(asked.text, at)
        if asked.steps[0] > most and not patient:
            behind = _found_by_bits(asked, at, stop, place, end)
            if behind != _NO_ROOM:
                return behind
            patient = True
        at = _first_like(asked, at, stop, place)
    return _NOWHERE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _first_like(
    asked: cython.pointer(Asked), at: cython.Py_ssize_t, stop: cython.Py_ssize_t, place: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the first position from one on where the character at a place of the pattern fits."""
    text: cython.pointer(cython.const[cython.uchar]) = asked.text
    position: cython.pointer(cython.const[cython.uchar])
    first: cython.Py_ssize_t = at
    character: cython.int
    if asked.pattern[place] == _ESCAPE:
        place += 1
    if not asked.fold:
        position = cython.cast(
            cython.pointer(cython.const[cython.uchar]), memchr(text + at, asked.pattern[place], stop - at)
        )
        return _NOWHERE if position == cython.NULL else _distance(text, position)
    character = _character(asked.pattern, place)
    while at < stop and not _same(_character(text, at), character):
        at = _step(text, at)
    asked.steps[0] += at - first
    return at if at < stop else _NOWHERE


# By bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found_by_bits(
    asked: cython.pointer(Asked),
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Find a segment at all places at once; there may be no room for what that takes."""
    masks: Masks
    symbol: cython.Py_ssize_t = place
    masks.count = 0
    while symbol < end:
        masks.count += 1
        symbol = _next_symbol(asked.pattern, symbol)
    masks.words = (masks.count + 63) >> 6
    masks.distinct = 0
    masks.characters = cython.cast(cython.p_int, calloc(masks.count, cython.sizeof(cython.int)))
    if masks.characters == cython.NULL:
        return _NO_ROOM
    _note_characters(cython.address(masks), asked.pattern, place, end)
    masks.rows = cython.cast(
        cython.pointer(cython.ulonglong),
        calloc(cython.cast(cython.size_t, masks.words) * (masks.distinct + 2), cython.sizeof(cython.ulonglong)),
    )
    if masks.rows == cython.NULL:
        at = _NO_ROOM
    else:
        masks.state = masks.rows + masks.words * (masks.distinct + 1)
        _fill_rows(cython.address(masks), asked.pattern, place, end)
        at = _pass(asked, at, stop, cython.address(masks))
    free(masks.rows)
    free(masks.characters)
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _note_characters(
    masks: cython.pointer(Masks),
    pattern: cython.pointer(cython.const[cython.uchar]),
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.int:
    """Note the characters of a segment, sorted, each once."""
    character: cython.int
    index: cython.int
    while place < end:
        if pattern[place] != _ANY_ONE:
            character = _symbol(pattern, place)
            index = _index_of(masks, character)
            if index == masks.distinct or masks.characters[index] != character:
                memmove(
                    masks.characters + index + 1,
                    masks.characters + index,
                    cython.cast(cython.size_t, masks.distinct - index) * cython.sizeof(cython.int),
                )
                masks.characters[index] = character
                masks.distinct += 1
        place = _next_symbol(pattern, place)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_rows(
    masks: cython.pointer(Masks),
    pattern: cython.pointer(cython.const[cython.uchar]),
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.int:
    """Note at which symbols each character fits: at its own, and at each ``_``."""
    symbol: cython.int = 0
    row: cython.int
    while place < end:
        if pattern[place] != _ANY_ONE:
            row = 1 + _index_of(masks, _symbol(pattern, place))
            masks.rows[row * masks.words + (symbol >> 6)] |= _ONE << (symbol & 63)
        else:
            for row in range(masks.distinct + 1):
                masks.rows[row * masks.words + (symbol >> 6)] |= _ONE << (symbol & 63)
        symbol += 1
        place = _next_symbol(pattern, place)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pass(
    asked: cython.pointer(Asked), at: cython.Py_ssize_t, stop: cython.Py_ssize_t, masks: cython.pointer(Masks)
) -> cython.Py_ssize_t:
    """Go through the text; bit n of the state says that the symbols up to the n-th fit what was read last."""
    character: cython.int
    index: cython.int
    word: cython.int
    carry: cython.ulonglong
    highest: cython.ulonglong
    row: cython.pointer(cython.ulonglong)
    last: cython.ulonglong = _ONE << ((masks.count - 1) & 63)
    while at < stop:
        character = _character(asked.text, at)
        if asked.fold:
            character = _folded(character)
        index = _index_of(masks, character)
        if index == masks.distinct or masks.characters[index] != character:
            index = -1
        row = masks.rows + (index + 1) * masks.words
        carry = 1
        for word in range(masks.words):
            highest = masks.state[word] >> 63
            masks.state[word] = ((masks.state[word] & _ALL_BUT_THE_HIGHEST) << 1 | carry) & row[word]
            carry = highest
        asked.steps[0] += masks.words
        at = _step(asked.text, at)
        if masks.state[masks.words - 1] & last:
            return at
    return _NOWHERE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _index_of(masks: cython.pointer(Masks), character: cython.int) -> cython.int:
    """Return where a character stands among those of the segment, or would."""
    low: cython.int = 0
    high: cython.int = masks.distinct
    middle: cython.int
    while low < high:
        middle = (low + high) >> 1
        if masks.characters[middle] < character:
            low = middle + 1
        else:
            high = middle
    return low


# Characters


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _symbol(pattern: cython.pointer(cython.const[cython.uchar]), place: cython.Py_ssize_t) -> cython.int:
    """Return the character that a place of a pattern, which is no ``_``, stands for."""
    return _character(pattern, place + 1 if pattern[place] == _ESCAPE else place)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same(character: cython.int, wanted: cython.int) -> cython.bint:
    return character == wanted or _folded(character) == wanted


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _step(text: cython.pointer(cython.const[cython.uchar]), position: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the character after the one at ``position`` starts; the text is valid UTF-8."""
    first: cython.uchar = text[position]
    if first < 0x80:
        return position + 1
    return position + (2 if first < 0xE0 else 3 if first < 0xF0 else 4)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _character(text: cython.pointer(cython.const[cython.uchar]), position: cython.Py_ssize_t) -> cython.int:
    first: cython.int = text[position]
    if first < 0x80:
        return first
    if first < 0xE0:
        return (first & 0x1F) << 6 | (text[position + 1] & 0x3F)
    if first < 0xF0:
        return (first & 0x0F) << 12 | (text[position + 1] & 0x3F) << 6 | (text[position + 2] & 0x3F)
    return (
        (first & 0x07) << 18
        | (text[position + 1] & 0x3F) << 12
        | (text[position + 2] & 0x3F) << 6
        | (text[position + 3] & 0x3F)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _folded(character: cython.int) -> cython.int:
    if character < 0x80:
        return character | 0x20 if 0x41 <= character <= 0x5A else character
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = _fold_from.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) >> 1
        if _fold_from[middle] < character:
            low = middle + 1
        else:
            high = middle
    if low < _fold_from.shape[0] and _fold_from[low] == character:
        return _fold_to[low]
    return character
