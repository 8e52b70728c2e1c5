"""Closed intervals that are found by the points in them, for one writer and any number of readers at once.

A *band* is one set of intervals; the finder has one for each attribute and family of kinds. It is kept by the
logarithmic method (Bentley and Saxe, 1980): a buffer of 8 intervals, and sorted runs whose sizes double::

    band     buffer [ 8 ]   runs  level 0 [ 8 ]   level 1 [ - ]   level 2 [ 32 ] ...
                                                                    |
    arena    low, high, number    ... [ 32 intervals, sorted by low, then high, then number ] ...
    peak     a heap over its blocks of 8, the largest high below each node:    [ - 9 7 9 3 7 9 2 ]

When the buffer is full, it is merged with the runs of the lowest levels into the first level that is empty, so that an
insert costs O(log n) in the long run. A stab looks into each run: the intervals that begin at or before the point come
first, and of their blocks only those are visited whose peak reaches the point, so that each visited block but the last
has an interval that is found. Removing leaves a tombstone (the number inverted), which the next merge drops; when the
greater part of a band is tombstones, all of it is merged. An interval takes 22 bytes, spare room aside.

A run that was merged leaves its room, in *blocks* of 8 intervals, to later ones of its level or, cut in halves, of
lower levels. When there is none of the right size and a sixth of the arena is free, all runs move together into a new
arena, so that room which nobody can use stays a small part.

Readers take no lock. The writer holds the GIL, and counts ``changes`` up before and after it puts a merged run in the
place of others, whose room may be used again at once. A reader that finds ``changes`` different after its scan, or
``generation`` (an array was replaced by a longer one), scans again with the GIL held, when nothing can change.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc

from hedgerow.arrays_cy import extended, filled, grown, roomy
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.sections import numbers, scalars, section

_BLOCK = cython.declare(cython.int, 8)
_LEVELS = cython.declare(cython.int, 24)
_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LAST_NUMBER = cython.declare(cython.int, (1 << 31) - 1)
_MOST_BLOCKS = cython.declare(cython.longlong, 1 << 30)
# The arena is compacted when more than one part in so many of it is free; small ones are not worth it.
_SHARE = cython.declare(cython.longlong, 6)
_SMALL = cython.declare(cython.longlong, 64)


@cython.final
@cython.cclass
class Ranges:
    """Bands of closed intervals of 64-bit integers, each interval with a number.

    The same interval with the same number is in a band at most once. Only ``insert`` may run beside searches; whoever
    removes has made sure that none is running.

    >>> ranges = Ranges()
    >>> band = ranges.new()
    >>> for number, (low, high) in enumerate([(1, 5), (3, 9), (7, 7)]):
    ...     ranges.add(band, low, high, number)
    >>> ranges.stabbed(band, 4), ranges.stabbed(band, 7)
    ([0, 1], [1, 2])
    >>> ranges.take_out(band, 3, 9, 1)
    >>> ranges.stabbed(band, 4)
    [0]
    """

    def __init__(self):
        self.low = np.empty(_BLOCK, np.int64)
        self.high = np.empty(_BLOCK, np.int64)
        self.number = np.empty(_BLOCK, np.int32)
        self.peak = np.empty(2, np.int64)
        self.free_room = filled(_LEVELS, -1, np.int32)
        # Of these the first has _LEVELS times the length of the others, and keeps it by growing with them.
        self.runs = np.empty(16 * _LEVELS, np.int32)
        self.buffer = np.empty(16, np.int32)
        self.filled = np.empty(16, np.int32)
        self.live = np.empty(16, np.int32)
        self.dead = np.empty(16, np.int32)

    @property
    def nbytes(self):
        """Bytes held, freed rooms included, but not the ends of arrays that nothing was written to yet."""
        block: cython.longlong = _BLOCK * (8 + 8 + 4) + 2 * 8
        band: cython.longlong = 4 * (_LEVELS + 4)
        return block * self.used + band * self.count + self.free_room.nbytes

    def saved(self):
        """Return the arrays that ``restored`` makes these bands of, as ``hedgerow.sections`` has it.

        Rooms that are free are chained through the arena, and so are saved with it.
        """
        entries: cython.longlong = cython.cast(cython.longlong, self.used) * _BLOCK
        count: cython.int = self.count
        return {
            "low": np.asarray(self.low)[:entries],
            "high": np.asarray(self.high)[:entries],
            "number": np.asarray(self.number)[:entries],
            "peak": np.asarray(self.peak)[: 2 * cython.cast(cython.longlong, self.used)],
            "free_room": np.asarray(self.free_room),
            "runs": np.asarray(self.runs)[: count * _LEVELS],
            "buffer": np.asarray(self.buffer)[:count],
            "filled": np.asarray(self.filled)[:count],
            "live": np.asarray(self.live)[:count],
            "dead": np.asarray(self.dead)[:count],
            "numbers": numbers(self.used, self.free_blocks),
        }

    @staticmethod
    def restored(arrays):
        """Return the bands that were saved as these arrays, in these arrays.

        >>> ranges = Ranges()
        >>> ranges.add(ranges.new(), 1, 5, 7)
        >>> again = Ranges.restored(ranges.saved())
        >>> again.add(0, 4, 9, 8)
        >>> again.stabbed(0, 4)
        [7, 8]
        """
        ranges: Ranges = Ranges.__new__(Ranges)
        used, free_blocks = scalars(arrays, "numbers", 2)
        if used > _MOST_BLOCKS or free_blocks > used:
            raise CorruptFile("the section 'numbers' does not fit the ranges")
        ranges.used, ranges.free_blocks = used, free_blocks
        entries: cython.longlong = cython.cast(cython.longlong, ranges.used) * _BLOCK
        ranges.low = section(arrays, "low", np.int64, entries)
        ranges.high = section(arrays, "high", np.int64, entries)
        ranges.number = section(arrays, "number", np.int32, entries)
        ranges.peak = section(arrays, "peak", np.int64, 2 * cython.cast(cython.longlong, ranges.used))
        ranges.free_room = section(arrays, "free_room", np.int32, _LEVELS)
        ranges.buffer = section(arrays, "buffer", np.int32)
        ranges.count = ranges.buffer.shape[0]
        ranges.runs = section(arrays, "runs", np.int32, ranges.count * _LEVELS)
        ranges.filled = section(arrays, "filled", np.int32, ranges.count)
        ranges.live = section(arrays, "live", np.int32, ranges.count)
        ranges.dead = section(arrays, "dead", np.int32, ranges.count)
        return ranges

    # For Python: checked, and slower.

    def new(self):
        """Return the number of a new empty band."""
        return self.new_band()

    def add(self, band: cython.int, low: cython.longlong, high: cython.longlong, number: cython.int):
        """Put an interval into a band."""
        self._check(band)
        if number < 0:
            raise ValueError(f"{number} is negative")
        self.insert(band, low, high, number)

    def take_out(self, band: cython.int, low: cython.longlong, high: cython.longlong, number: cython.int):
        """Remove an interval from a band."""
        self._check(band)
        if not self.remove(band, low, high, number):
            raise KeyError((low, high, number))

    def run_sizes(self, band: cython.int):
        """Return how many intervals each run of a band has room for, the smallest first."""
        self._check(band)
        level: cython.int
        return [_BLOCK << level for level in range(_LEVELS) if self.runs[band * _LEVELS + level] >= 0]

    def stabbed(self, band: cython.int, key: cython.longlong):
        """Return the numbers of a band's intervals that a point is in, sorted."""
        search: RangeSearch = RangeSearch(self)
        numbers = search.stabbed(band, key)
        self.touched += search.touched
        return numbers

    def _check(self, band: cython.int):
        if band < 0 or band >= self.count:
            raise IndexError(band)

    # Writing

    def new_band(self):
        band: cython.int = self.count
        room: cython.int = self.take_room(0)
        if band >= self.buffer.shape[0]:
            buffers = grown(self.buffer, band + 1)
            runs = grown(self.runs, buffers.size * _LEVELS)
            fills, lives, deads = grown(self.filled, band + 1), grown(self.live, band + 1), grown(self.dead, band + 1)
            self.runs, self.buffer, self.filled, self.live, self.dead = runs, buffers, fills, lives, deads
            self.generation += 1
        self.runs[band * _LEVELS : (band + 1) * _LEVELS] = -1
        self.buffer[band] = room
        self.filled[band] = 0
        self.live[band] = 0
        self.dead[band] = 0
        release()
        self.count = band + 1
        return band

    def insert(self, band, low, high, number):
        """Put an interval into a band; a search that began earlier may find it or not."""
        level: cython.int = 0
        position: cython.longlong
        if self.filled[band] == _BLOCK:
            while level < _LEVELS and self.runs[band * _LEVELS + level] >= 0:
                level += 1
            if level == _LEVELS:
                raise LimitError(f"more than {_BLOCK << _LEVELS} ranges over one attribute")
            self.merge(band, level)
        position = cython.cast(cython.longlong, self.buffer[band]) * _BLOCK + self.filled[band]
        self.low[position] = low
        self.high[position] = high
        self.number[position] = number
        self.live[band] += 1
        release()
        self.filled[band] += 1
        return 0

    def remove(self, band, low, high, number):
        """Remove an interval that is in a band, while no search is running; return whether it was there."""
        level: cython.int
        room: cython.int
        position: cython.longlong
        wanted: Entry
        if self.remove_buffered(band, low, high, number):
            return 1
        wanted.low = low
        wanted.high = high
        wanted.number = number
        for level in range(_LEVELS):
            room = self.runs[band * _LEVELS + level]
            if room < 0:
                continue
            position = self.position_of(room, level, cython.address(wanted))
            if position >= 0:
                self.number[position] = ~number
                self.dead[band] += 1
                self.live[band] -= 1
                if self.dead[band] > self.live[band]:
                    self.merge(band, _LEVELS)
                return 1
        return 0

    def remove_buffered(self, band, low, high, number):
        first: cython.longlong = cython.cast(cython.longlong, self.buffer[band]) * _BLOCK
        last: cython.longlong = first + self.filled[band] - 1
        position: cython.longlong
        for position in range(first, last + 1):
            if self.number[position] == number and self.low[position] == low and self.high[position] == high:
                self.low[position] = self.low[last]
                self.high[position] = self.high[last]
                self.number[position] = self.number[last]
                self.filled[band] -= 1
                self.live[band] -= 1
                return 1
        return 0

    def position_of(self, room, level, wanted):
        """Return where a run has an entry that is no tombstone, or -1."""
        low: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        end: cython.longlong = low + (cython.cast(cython.longlong, _BLOCK) << level)
        high: cython.longlong = end
        middle: cython.longlong
        entry: Entry
        while low < high:
            middle = (low + high) // 2
            entry.low = self.low[middle]
            entry.high = self.high[middle]
            entry.number = self.number[middle] if self.number[middle] >= 0 else ~self.number[middle]
            if _before(cython.address(entry), wanted):
                low = middle + 1
            else:
                high = middle
        if low < end and self.low[low] == wanted.low and self.high[low] == wanted.high:
            if self.number[low] == wanted.number:
                return low
        return -1

    def merge(self, band, levels):
        """Merge the buffer and the runs below a level into one run, at the lowest level that has room for it."""
        capacity: cython.size_t = _BLOCK
        level: cython.int
        room: cython.int = -1
        count: cython.Py_ssize_t
        entries: cython.pointer(Entry)
        for level in range(levels):
            if self.runs[band * _LEVELS + level] >= 0:
                capacity += cython.cast(cython.size_t, _BLOCK) << level
        entries = cython.cast(cython.pointer(Entry), malloc(2 * capacity * cython.sizeof(Entry)))
        if entries == cython.NULL:
            raise MemoryError
        try:
            count = self.gather(band, levels, entries, entries + capacity)
            level = 0
            while (_BLOCK << level) < count:
                level += 1
            if count:
                # Taking room may replace the arrays, by calls that let other threads run: all is as it was until then.
                room = self.take_room(level)
                self.write_run(room, level, entries, count)
            self.switch(band, levels, level, room)
        finally:
            free(entries)
        return 0

    def gather(self, band, levels, entries, spare):
        """Collect what the buffer and the runs below a level hold, sorted and without tombstones, in ``entries``."""
        first: cython.longlong = cython.cast(cython.longlong, self.buffer[band]) * _BLOCK
        position: cython.longlong
        count: cython.Py_ssize_t = 0
        level: cython.int
        place: cython.Py_ssize_t
        entry: Entry
        target: cython.pointer(Entry) = entries
        self.dropped = 0
        for position in range(first, first + self.filled[band]):
            entry.low = self.low[position]
            entry.high = self.high[position]
            entry.number = self.number[position]
            place = count
            while place > 0 and _before(cython.address(entry), cython.address(entries[place - 1])):
                entries[place] = entries[place - 1]
                place -= 1
            entries[place] = entry
            count += 1
        for level in range(levels):
            if self.runs[band * _LEVELS + level] >= 0:
                count = self.merge_run(entries, count, self.runs[band * _LEVELS + level], level, spare)
                entries, spare = spare, entries
        if entries != target:
            memcpy(target, entries, cython.cast(cython.size_t, count) * cython.sizeof(Entry))
        return count

    def merge_run(self, entries, count, room, level, merged):
        """Merge sorted entries with a run into ``merged``; return how many there are, tombstones left out."""
        first: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        position: cython.longlong
        taken: cython.Py_ssize_t = 0
        written: cython.Py_ssize_t = 0
        dropped: cython.int = 0
        entry: Entry
        for position in range(first, first + (cython.cast(cython.longlong, _BLOCK) << level)):
            if self.number[position] < 0:
                dropped += self.number[position] != ~_LAST_NUMBER
                continue
            entry.low = self.low[position]
            entry.high = self.high[position]
            entry.number = self.number[position]
            while taken < count and _before(cython.address(entries[taken]), cython.address(entry)):
                merged[written] = entries[taken]
                taken += 1
                written += 1
            merged[written] = entry
            written += 1
        while taken < count:
            merged[written] = entries[taken]
            taken += 1
            written += 1
        self.dropped += dropped
        return written

    def write_run(self, room, level, entries, count):
        """Fill a room that no band has with sorted entries; tombstones that sort last fill what is left."""
        leaves: cython.longlong = cython.cast(cython.longlong, 1) << level
        first: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        tree: cython.longlong = 2 * cython.cast(cython.longlong, room)
        position: cython.longlong
        node: cython.longlong
        for node in range(2 * leaves):
            self.peak[tree + node] = _LOWEST
        for position in range(_BLOCK * leaves):
            if position >= count:
                self.low[first + position] = _HIGHEST
                self.high[first + position] = _HIGHEST
                self.number[first + position] = ~_LAST_NUMBER
                continue
            self.low[first + position] = entries[position].low
            self.high[first + position] = entries[position].high
            self.number[first + position] = entries[position].number
            node = tree + leaves + position // _BLOCK
            if entries[position].high > self.peak[node]:
                self.peak[node] = entries[position].high
        for node in range(leaves - 1, 0, -1):
            self.peak[tree + node] = max(self.peak[tree + 2 * node], self.peak[tree + 2 * node + 1])
        return 0

    def switch(self, band, levels, level, room):
        """Put a merged run in the place of what it was merged from: what searches that overlap must notice."""
        below: cython.int
        self.changes += 1
        release()
        for below in range(levels):
            if self.runs[band * _LEVELS + below] >= 0:
                self.give_room(self.runs[band * _LEVELS + below], below)
                self.runs[band * _LEVELS + below] = -1
        if room >= 0:
            self.runs[band * _LEVELS + level] = room
        self.filled[band] = 0
        self.dead[band] -= self.dropped
        release()
        self.changes += 1
        return 0

    def take_room(self, level):
        """Return where there is room for a run of a level, counted in blocks."""
        room: cython.int = self.free_room_of(level)
        needed: cython.longlong
        if room >= 0:
            return room
        self.quiet()
        needed = self.used + (cython.cast(cython.longlong, 1) << level)
        if needed > _MOST_BLOCKS:
            raise LimitError("too many ranges")
        if needed * _BLOCK > self.low.shape[0]:
            self._extend(needed + needed // 4)
        room = self.used
        self.used = needed
        return room

    def give_room(self, room, level):
        """Let a room be taken again; free ones of a level are chained through their first entry."""
        self.low[cython.cast(cython.longlong, room) * _BLOCK] = self.free_room[level]
        self.free_room[level] = room
        self.free_blocks += 1 << level
        return 0

    def free_room_of(self, level):
        """Return a room that was given back, the first half of a larger one if need be; -1 if there is none."""
        above: cython.int = level
        room: cython.int
        while above < _LEVELS and self.free_room[above] < 0:
            above += 1
        if above == _LEVELS:
            return -1
        room = self.free_room[above]
        self.free_room[above] = cython.cast(cython.int, self.low[cython.cast(cython.longlong, room) * _BLOCK])
        self.free_blocks -= 1 << above
        while above > level:
            above -= 1
            self.give_room(room + (1 << above), above)
        return room

    def is_sparse(self):
        return self.used > _SMALL and self.free_blocks * _SHARE > self.used

    def quiet(self):
        """Compact the arena if much of it is free. Searches that run notice it, and look again."""
        return self.compact() if self.is_sparse() else 0

    def compact(self):
        """Move all runs and buffers into a new arena, one behind the other, and forget the free rooms."""
        blocks: cython.longlong = self.used - self.free_blocks
        band: cython.int
        level: cython.int
        place: cython.Py_ssize_t
        target: Arena
        blocks += blocks // 4 + 1
        # Only this may fail, or let other threads run: all is as it was until then.
        low: cython.longlong[::1] = roomy(blocks * _BLOCK, np.int64)
        high: cython.longlong[::1] = roomy(blocks * _BLOCK, np.int64)
        number: cython.int[::1] = roomy(blocks * _BLOCK, np.int32)
        peak: cython.longlong[::1] = roomy(2 * blocks, np.int64)
        target.low = cython.address(low[0])
        target.high = cython.address(high[0])
        target.number = cython.address(number[0])
        target.peak = cython.address(peak[0])
        target.used = 0
        self.changes += 1
        release()
        for band in range(self.count):
            self.buffer[band] = self.move_room(self.buffer[band], 0, cython.address(target))
            for level in range(_LEVELS):
                place = cython.cast(cython.Py_ssize_t, band) * _LEVELS + level
                if self.runs[place] >= 0:
                    self.runs[place] = self.move_room(self.runs[place], level, cython.address(target))
        self.low, self.high, self.number, self.peak = low, high, number, peak
        self.used = target.used
        self.free_blocks = 0
        self.free_room[:] = -1
        self.generation += 1
        release()
        self.changes += 1
        return 0

    def move_room(self, room, level, target):
        """Copy a room behind what the new arena has; return where it is there."""
        first: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        moved: cython.longlong = cython.cast(cython.longlong, target.used) * _BLOCK
        blocks: cython.size_t = cython.cast(cython.size_t, 1) << level
        entries: cython.size_t = blocks * _BLOCK
        memcpy(target.low + moved, cython.address(self.low[first]), 8 * entries)
        memcpy(target.high + moved, cython.address(self.high[first]), 8 * entries)
        memcpy(target.number + moved, cython.address(self.number[first]), 4 * entries)
        memcpy(target.peak + 2 * target.used, cython.address(self.peak[2 * room]), 16 * blocks)
        room = target.used
        target.used += 1 << level
        return room

    def _extend(self, blocks: cython.longlong):
        """Make the arena longer, by less than twice: it is the greater part of what a finder holds."""
        low, high = extended(self.low, blocks * _BLOCK), extended(self.high, blocks * _BLOCK)
        number, peak = extended(self.number, blocks * _BLOCK), extended(self.peak, 2 * blocks)
        self.low, self.high, self.number, self.peak = low, high, number, peak
        self.generation += 1


@cython.final
@cython.cclass
class RangeSearch:
    """What one reader sees of the ranges, and the numbers that its last question found.

    In ``numbers[:count]`` stands the number of an interval that the point is strictly within, and the inverted number
    (``~number``) of one that the point is a bound of: where keys are coarser than values, only a test can tell.
    """

    def __init__(self, ranges: Ranges):
        self.ranges = ranges
        self.numbers = np.empty(64, np.int32)
        self.refresh()

    def stabbed(self, band: cython.int, key: cython.longlong):
        """Return the numbers of a band's intervals that a point is in, sorted: for tests."""
        self.ranges._check(band)
        with cython.nogil:
            self.stab(band, key)
        numbers = np.asarray(self.numbers)[: self.count]
        return np.sort(np.maximum(numbers, ~numbers)).tolist()

    def refresh(self):
        """Take the arrays as they are now."""
        self.low, self.high, self.number, self.peak = (
            self.ranges.low,
            self.ranges.high,
            self.ranges.number,
            self.ranges.peak,
        )
        self.runs, self.buffer, self.filled = self.ranges.runs, self.ranges.buffer, self.ranges.filled
        self.band_count = self.ranges.count
        self.generation = self.ranges.generation
        return 0

    def stab(self, band, key):
        """Find the intervals of a band that a point is in."""
        return self.guarded(band, key, AT_POINT)

    def stab_list(self, band, family):
        """Find the intervals of a band that some of the ``members`` is in, each once."""
        self.family = family
        return self.guarded(band, 0, AT_MEMBERS)

    def every(self, band):
        """Find all intervals of a band, each as one that must be tested."""
        return self.guarded(band, 0, EVERYTHING)

    def guarded(self, band, key, question):
        """Scan a band, and once more with the GIL held if the writer has changed what was scanned in the meantime."""
        before: cython.longlong = self.ranges.changes
        whole: cython.int
        self.count = 0
        if band >= self.band_count:
            return 0  # it came after this search began
        acquire()
        if before & 1 == 0 and self.generation == self.ranges.generation:
            whole = self.scan(band, key, question)
            acquire()
            if whole and self.ranges.changes == before and self.ranges.generation == self.generation:
                return 0
        with cython.gil:
            self.refresh()
            self.repeated = self.repeated + 1
            self.count = 0
            return self.scan(band, key, question) - 1

    def scan(self, band, key, question):
        """Look into the buffer and then the runs; return 0 where one lies beyond the arrays that this reader has."""
        blocks: cython.longlong = self.low.shape[0] // _BLOCK
        first: cython.longlong = cython.cast(cython.longlong, self.buffer[band]) * _BLOCK
        count: cython.int = self.filled[band]
        level: cython.int
        room: cython.longlong
        if first + _BLOCK > self.low.shape[0]:
            return 0
        acquire()
        if question == AT_POINT:
            self.look(first, first + count, key)
        elif question == AT_MEMBERS:
            self.look_for_list(first, first + count)
        else:
            self.take(first, first + count)
        for level in range(_LEVELS):
            room = self.runs[band * _LEVELS + level]
            if room < 0:
                continue
            if room + (cython.cast(cython.longlong, 1) << level) > blocks:
                return 0
            if question == AT_POINT:
                self.scan_run(room, level, key)
            elif question == AT_MEMBERS:
                self.scan_run_for_list(room, level)
            else:
                self.take(room * _BLOCK, (room + (cython.cast(cython.longlong, 1) << level)) * _BLOCK)
        return 1

    def scan_run(self, room, level, key):
        """Visit the blocks of a run that begin at or before the point and whose peak reaches it."""
        leaves: cython.longlong = cython.cast(cython.longlong, 1) << level
        tree: cython.longlong = 2 * cython.cast(cython.longlong, room)
        first: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        end: cython.longlong = leaves
        start: cython.longlong = 0
        middle: cython.longlong
        node: cython.longlong = 1
        while start < end:
            self.touched = self.touched + 1
            middle = (start + end) >> 1
            if self.low[first + middle * _BLOCK] <= key:
                start = middle + 1
            else:
                end = middle
        while node:
            self.touched = self.touched + 1
            if self.peak[tree + node] >= key:
                while node < leaves:
                    self.touched = self.touched + 1
                    node = 2 * node
                    if self.peak[tree + node] < key:
                        node = node + 1
                if node - leaves >= end:
                    return 0
                self.look(first + (node - leaves) * _BLOCK, first + (node - leaves + 1) * _BLOCK, key)
            # On to the next node in order: up from right children, then to the right.
            while node & 1:
                node = node >> 1
            if node:
                node = node + 1
        return 0

    def look(self, first, last, key):
        """Note those entries of a block that the point is in."""
        position: cython.longlong
        number: cython.int
        self.touched = self.touched + (last - first)
        for position in range(first, last):
            number = self.number[position]
            if number < 0 or key < self.low[position] or key > self.high[position]:
                continue
            self.note(~number if key == self.low[position] or key == self.high[position] else number)
        return 0

    def scan_run_for_list(self, room, level):
        """Visit the blocks of a run that may have an interval with an element in it.

        All intervals below a node lie between the low of its first one and its peak. Where no element does, nothing
        below is visited; where one does and nothing is found, it lies among the lows below, so that of the nodes side
        by side each element has one such visit to answer for.
        """
        leaves: cython.longlong = cython.cast(cython.longlong, 1) << level
        tree: cython.longlong = 2 * cython.cast(cython.longlong, room)
        first: cython.longlong = cython.cast(cython.longlong, room) * _BLOCK
        height: cython.int = level
        node: cython.longlong = 1
        block: cython.longlong
        while node:
            self.touched = self.touched + 1
            block = first + ((node << height) - leaves) * _BLOCK
            if self.members.any_between(self.family, self.low[block], self.peak[tree + node]):
                if height:
                    node = 2 * node
                    height -= 1
                    continue
                self.look_for_list(block, block + _BLOCK)
            # On to the next node in order: up from right children, then to the right.
            while node & 1:
                node = node >> 1
                height += 1
            if node:
                node = node + 1
        return 0

    def look_for_list(self, first, last):
        """Note those entries of a block that an element is in; those with none but on their bounds are in doubt."""
        position: cython.longlong
        number: cython.int
        low: cython.longlong
        high: cython.longlong
        self.touched = self.touched + (last - first)
        for position in range(first, last):
            number, low, high = self.number[position], self.low[position], self.high[position]
            if number < 0 or not self.members.any_between(self.family, low, high):
                continue
            if low >= high or not self.members.any_between(self.family, low + 1, high - 1):
                number = ~number
            self.note(number)
        return 0

    def take(self, first, last):
        """Note all entries that are no tombstones, as ones to be tested."""
        position: cython.longlong
        number: cython.int
        self.touched = self.touched + (last - first)
        for position in range(first, last):
            number = self.number[position]
            if number >= 0:
                self.note(~number)
        return 0

    def note(self, number):
        if self.count >= self.numbers.shape[0]:
            with cython.gil:
                self.numbers = grown(self.numbers, self.count + 1)
        self.numbers[self.count] = number
        self.count = self.count + 1
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _before(first: cython.pointer(cython.const[Entry]), second: cython.pointer(cython.const[Entry])) -> cython.bint:
    """Return whether an entry sorts before another: by low, then high, so that a removal finds it by bisection."""
    if first.low != second.low:
        return first.low < second.low
    if first.high != second.high:
        return first.high < second.high
    return first.number < second.number
