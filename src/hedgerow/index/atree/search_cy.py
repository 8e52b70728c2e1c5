"""One event at a time: truth goes up from the literals that hold, level by level.

::

    found literals ─> heard ─ links ─┬─ OR    holds at once, and is heard in turn
                                     ├─ slot  an expression matches
                                     └─ AND   waits for its level: by then all that is below it has been heard

From a literal that has a list of where truth gets to (``reach_cy``), it goes there at once, past the ORs in between.

An AND that waits has its access child; its other operands are looked at when its turn comes. A node that is *pushed*,
asked by somebody from before the search began, holds if it was heard or noted, and does not if it was not: any literal,
and an inner node of a lower level unless some list passes it in silence. Any other literal is tested, and any other
node worked out on the spot (``evaluate``), once an event.

Truth is a bit a node, and a match a bit an expression with a summary bit for each 64 words: small enough to stay in the
cache, cheap to clear, and the matches come out in order.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import bit_count, lowest_bit, prefetch, without_lowest_bit
from cython.cimports.hedgerow.index.atree.reach_cy import HEADER, has_bit
from cython.cimports.hedgerow.index.atree.tree_cy import (
    LINK_OR,
    LINK_SLOT,
    Tree,
    literal_code,
    place_length,
    place_start,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_OR
from cython.cimports.hedgerow.predicate.finder_cy import Found
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown

_ONE = cython.declare(cython.ulonglong, 1)
_TOP_BIT = cython.declare(cython.ulonglong, 1 << 63)
_LEVELS = cython.declare(cython.int, 256)
_NODE_BITS = cython.declare(cython.int, (1 << 22) - 1)  # of a link, which word a node's bit is in
_AHEAD = cython.declare(cython.int, 8)  # how far ahead things are fetched
_FAR = cython.declare(cython.int, 16)  # the same, where little is done with each
_LINE = cython.declare(cython.int, 16)  # elements of a list that are fetched together
_OFTEN = cython.declare(cython.int, 4096)  # nodes after which work is counted
_WANTED = cython.declare(cython.int, 4096)  # lists that a search may want to have made at a time


@cython.final
@cython.cclass
class Scratch:
    """What a search writes into, left to the next one: making arrays anew would cost more than a small search."""

    def __init__(self):
        self.true = np.zeros(1, np.uint64)
        self.known = np.zeros(1, np.uint64)
        self.value = np.zeros(1, np.uint64)
        self.matched = np.zeros(1, np.uint64)
        self.summary = np.zeros(1, np.uint64)
        self.heard = np.empty(256, np.int32)
        self.looked = np.empty(64, np.int32)
        self.frame_node = np.empty(32, np.int32)
        self.frame_position = np.empty(32, np.int64)
        self.waiting = np.empty(64, np.int32)
        self.following = np.empty(64, np.int32)
        self.first = np.full(_LEVELS, -1, np.int32)
        self.slots = np.empty(256, np.int32)
        self.ways = np.empty(64, np.int32)
        self.rest = np.empty(64, np.int32)
        self.wanted = np.empty(_WANTED, np.int32)
        self.words = np.empty(5, np.int32)

    @property
    def nbytes(self):
        """Bytes held."""
        bits = self.true.nbytes + self.known.nbytes + self.value.nbytes + self.matched.nbytes + self.summary.nbytes
        lists = self.heard.nbytes + self.looked.nbytes + self.waiting.nbytes + self.following.nbytes
        lists += self.words.nbytes + self.ways.nbytes + self.rest.nbytes + self.wanted.nbytes
        frames = self.frame_node.nbytes + self.frame_position.nbytes
        return bits + lists + frames + self.first.nbytes + self.slots.nbytes


@cython.final
@cython.cclass
class Search:
    """One search: the views it began with, and what it knows of the event at hand."""

    def __init__(
        self,
        tree: Tree,
        outcomes: Outcomes,
        node_count: cython.int,
        literal_count: cython.int,
        slot_count: cython.int,
    ):
        self.tree = tree
        self.outcomes = outcomes
        self.node_count = node_count
        self.slot_count = slot_count
        self.found = Found(tree.finder, outcomes, literal_count)
        self.literal_node = tree.literal_node
        self.level, self.kind, self.body, self.posts = tree.level, tree.kind, tree.body, tree.posts
        self.parts, self.links, self.pushed = tree.parts, tree.links, tree.pushed
        self.guarded = tree.on_demand
        self.reach = tree.reach
        self.take_reach()

    def take_reach(self):
        """Take the lists as they are now."""
        self.place, self.arena, self.silent = self.reach.place, self.reach.arena, self.reach.silent
        self.reach_version = self.reach.version
        return 0

    def take_scratch(self, scratch):
        """Write into what another search has left; bits are zero when a search has ended."""
        words: cython.Py_ssize_t = (self.node_count + 63) // 64
        slot_words: cython.Py_ssize_t = (self.slot_count + 63) // 64
        self.scratch = scratch
        if scratch.true.shape[0] < words:
            words += words // 4
            scratch.true = np.zeros(words, np.uint64)
            scratch.known = np.zeros(words, np.uint64)
            scratch.value = np.zeros(words, np.uint64)
        if scratch.matched.shape[0] < slot_words:
            slot_words += slot_words // 4
            scratch.matched = np.zeros(slot_words, np.uint64)
            scratch.summary = np.zeros((slot_words + 63) // 64, np.uint64)
            scratch.words = np.empty(slot_words + 4, np.int32)
        self.true, self.known, self.value = scratch.true, scratch.known, scratch.value
        self.matched, self.summary = scratch.matched, scratch.summary
        self.heard, self.looked, self.slots = scratch.heard, scratch.looked, scratch.slots
        self.frame_node, self.frame_position = scratch.frame_node, scratch.frame_position
        self.waiting, self.following, self.first = scratch.waiting, scratch.following, scratch.first
        self.ways, self.rest, self.wanted, self.words = scratch.ways, scratch.rest, scratch.wanted, scratch.words
        return 0

    def leave_scratch(self):
        """Leave the arrays, some of them longer now, to the next search."""
        scratch: Scratch = self.scratch
        scratch.heard, scratch.looked, scratch.slots = self.heard, self.looked, self.slots
        scratch.frame_node, scratch.frame_position = self.frame_node, self.frame_position
        scratch.waiting, scratch.following = self.waiting, self.following
        scratch.ways, scratch.rest = self.ways, self.rest
        return 0

    def run(self, row):
        """Find the expressions that match an event: ``slots[:slot_total]``, in ascending order."""
        position: cython.Py_ssize_t
        level: cython.int = 0
        self.heard_count = 0
        self.looked_count = 0
        self.waiting_count = 0
        self.lined_up = 0
        self.highest = 0
        self.marks = 0
        self.found.find(row)
        self.sort_out()
        for position in range(self.way_count):
            self.tell(self.ways[position])
        # All that these nodes lead to is in the lists.
        self.heard_done = self.heard_count
        self.marked = self.marked + self.marks + self.heard_count
        for position in range(self.way_count):
            self.go(self.ways[position])
        self.announce(0)
        for position in range(self.rest_count):
            self.announce(self.literal_node[self.rest[position]])
        self.spread()
        while level <= self.highest:
            self.work_off(level)
            level += 1
        self.visits = self.visits + self.heard_count + self.waiting_count + self.marks
        self.runs = self.runs + 1
        self.collect()
        return self.clean()

    def run_rows(self, first, last, counts, listed):
        """Run for some rows; return where it stopped, which is before the end if many lists are wanted.

        ``counts`` gets how many expressions match each row, and ``listed``, unless it is None, which ones.
        """
        row: cython.longlong
        for row in range(first, last):
            if self.stopped:
                return last
            self.run(row)
            counts[row] = self.slot_total
            if listed is not None:
                listed.add(self.slots, self.slot_total)
            if self.wanted_count == _WANTED:
                return row + 1
        return last

    def sort_out(self):
        """Tell the literals that hold and have lists, the ``ways`` to go, from the ``rest``, which must be heard."""
        position: cython.Py_ssize_t
        number: cython.int
        place: cython.int
        self.way_count = 0
        self.rest_count = 0
        if self.found.count > self.ways.shape[0]:
            with cython.gil:
                self.ways, self.rest = grown(self.ways, self.found.count), grown(self.rest, self.found.count)
        for position in range(self.found.count):
            number = self.found.nodes[position]
            if number < self.place.shape[0]:
                prefetch(cython.address(self.place[number]))
        for position in range(self.found.count):
            number = self.found.nodes[position]
            place = self.place[number] if number < self.place.shape[0] else 0
            if place <= 1 or place >= self.arena.shape[0]:
                self.rest[self.rest_count] = number
                self.rest_count = self.rest_count + 1
                self.want(number)
                continue
            prefetch(cython.address(self.arena[place]))
            prefetch(cython.address(self.arena[0]) + place + _LINE)
            prefetch(cython.address(self.arena[0]) + place + 2 * _LINE)
            self.ways[self.way_count] = place
            self.way_count = self.way_count + 1
        return 0

    def want(self, number):
        """Note that a literal has no list; one that has been noted before is to get one."""
        if number >= self.place.shape[0] or self.reach.full:
            return 0
        if self.place[number] == 0 and self.patient:
            self.place[number] = 1
        elif self.place[number] <= 1 and self.wanted_count < _WANTED:
            self.wanted[self.wanted_count] = number
            self.wanted_count = self.wanted_count + 1
        return 0

    def tell(self, start):
        """Mark the slots that a list leads to, and note the ORs on the way and the literal itself."""
        first: cython.longlong = start + HEADER
        last: cython.longlong = first + self.arena[start]
        position: cython.longlong
        for position in range(last, last + self.arena[start + 1]):
            prefetch(cython.address(self.true[0]) + (self.arena[position] >> 6))
        self.mark_slots(first, last)
        first = last
        last = first + self.arena[start + 1]
        if self.heard_count + last - first >= self.heard.shape[0]:
            with cython.gil:
                self.heard = grown(self.heard, self.heard_count + last - first + 1)
        self.note(self.arena[start + 4])
        for position in range(first, last):
            if self.arena[position] < self.node_count:
                self.note(self.arena[position])
        return 0

    def note(self, node):
        """Note that a node holds, of which nobody needs to hear. There is room for it."""
        bit: cython.ulonglong = _ONE << (node & 63)
        if not self.true[node >> 6] & bit:
            self.true[node >> 6] |= bit
            self.heard[self.heard_count] = node
            self.heard_count = self.heard_count + 1
        return 0

    def go(self, start):
        """Announce the ORs that a list leads to, and let its ANDs wait."""
        first: cython.longlong = start + HEADER + self.arena[start] + self.arena[start + 1]
        last: cython.longlong = first + self.arena[start + 2]
        position: cython.longlong
        guards: cython.int
        for position in range(first, last):
            if self.arena[position] < self.node_count:
                self.announce(self.arena[position])
        first = last
        last = first + self.arena[start + 3]
        while first < last:
            guards = self.arena[first + 1]
            # What is newer than this search may have attributes that it does not know.
            if self.arena[first] < self.node_count and self.has_guard(first + 2, guards):
                self.wait(self.arena[first])
            first += 2 + guards
        return 0

    def has_guard(self, first, count):
        """Return whether the event has one of some attributes in a list, if there are any."""
        position: cython.longlong
        for position in range(first, first + count):
            if self.outcomes.entry_of[self.arena[position]] >= 0:
                return True
        return count == 0

    def mark_slots(self, first, last):
        """Mark the slots of a part of a list."""
        matched: cython.pointer(cython.ulonglong)
        summary: cython.pointer(cython.ulonglong)
        position: cython.longlong
        slot: cython.int
        self.marks = self.marks + last - first
        if self.any_died:
            for position in range(first, last):
                self.mark_slot(self.arena[position])
            return 0
        matched = cython.address(self.matched[0])
        summary = cython.address(self.summary[0])
        for position in range(first, last):
            slot = self.arena[position]
            if slot < self.slot_count:
                matched[slot >> 6] |= _ONE << (slot & 63)
                summary[slot >> 12] |= _ONE << ((slot >> 6) & 63)
        return 0

    def announce(self, node):
        """Note that a node holds, and that those who ask must hear of it, unless they have."""
        word: cython.ulonglong = self.true[node >> 6]
        bit: cython.ulonglong = _ONE << (node & 63)
        if word & bit:
            return 0
        self.true[node >> 6] = word | bit
        if self.heard_count >= self.heard.shape[0]:
            with cython.gil:
                self.heard = grown(self.heard, self.heard_count + 1)
        self.heard[self.heard_count] = node
        self.heard_count = self.heard_count + 1
        prefetch(cython.address(self.posts[node]))
        return 0

    def spread(self):
        """Let all hear of the nodes that hold, and ANDs that are to wait line up."""
        while self.heard_done < self.heard_count:
            if not self.heard_done & (_OFTEN - 1):
                self.outcomes.spend(4 * _OFTEN)
            self.fetch_links(self.heard_done + 2 * _AHEAD)
            self.fetch_targets(self.heard_done + _AHEAD)
            self.heard_done = self.heard_done + 1
            self.hear(self.heard[self.heard_done - 1])
        return self.line_up()

    def fetch_links(self, number):
        """Have brought near who is to hear of a node, the ``number``-th to be heard of."""
        place: cython.longlong
        if number < self.heard_count:
            place = self.posts[self.heard[number]]
            if place_length(place) > 1 and place_start(place) < self.links.shape[0]:
                prefetch(cython.address(self.links[place_start(place)]))
        return 0

    def fetch_targets(self, number):
        """Have brought near what is known of those who are to hear of a node, of the first few."""
        place: cython.longlong
        first: cython.longlong
        position: cython.longlong
        if number < self.heard_count:
            place = self.posts[self.heard[number]]
            first = place_start(place)
            if place_length(place) > 1 and first + place_length(place) <= self.links.shape[0]:
                for position in range(first, first + min(place_length(place), _AHEAD)):
                    # Of what is no node it is some address, and nothing is read.
                    prefetch(cython.address(self.true[0]) + (self.links[position] >> 8 & _NODE_BITS))
        return 0

    def hear(self, node):
        """Let those who ask for a node hear that it holds."""
        place: cython.longlong = self.posts[node]
        first: cython.longlong = place_start(place)
        length: cython.longlong = place_length(place)
        position: cython.longlong
        if length == 0:
            return 0
        if length == 1:
            return self.deliver(cython.cast(cython.int, first))
        if length > _OFTEN:
            self.outcomes.spend(length)
        if first + length > self.links.shape[0]:
            with cython.gil:
                self.links = self.tree.links
        for position in range(first, first + length):
            if position + _AHEAD < first + length:
                prefetch(cython.address(self.true[0]) + (self.links[position + _AHEAD] >> 8 & _NODE_BITS))
            self.deliver(self.links[position])
        return 0

    def deliver(self, value):
        target: cython.int = value >> 2
        tag: cython.int = value & 3
        if value < 0:
            return 0
        if tag == LINK_SLOT:
            return self.mark_slot(target)
        if target >= self.node_count:
            return 0
        return self.announce(target) if tag == LINK_OR else self.wait(target)

    def mark_slot(self, slot):
        if slot < self.slot_count and not (self.any_died and self.died[slot] <= self.version):
            self.matched[slot >> 6] |= _ONE << (slot & 63)
            self.summary[slot >> 12] |= _ONE << ((slot >> 6) & 63)
        return 0

    def wait(self, node):
        """Let an AND whose access child holds wait until its level comes."""
        number: cython.int = self.waiting_count
        if number >= self.waiting.shape[0]:
            with cython.gil:
                self.waiting, self.following = grown(self.waiting, number + 1), grown(self.following, number + 1)
        self.waiting[number] = node
        self.waiting_count = number + 1
        prefetch(cython.address(self.level[node]))
        prefetch(cython.address(self.body[node]))
        return 0

    def line_up(self):
        """Let ANDs that have come to wait since the last time stand in the lines of their levels."""
        level: cython.int
        number: cython.int
        for number in range(self.lined_up, self.waiting_count):
            level = self.level[self.waiting[number]]
            self.following[number] = self.first[level]
            self.first[level] = number
            if level > self.highest:
                self.highest = level
        self.lined_up = self.waiting_count
        return 0

    def work_off(self, level):
        """Look at the ANDs that wait on a level; those that hold are heard at once, and may let others wait here."""
        number: cython.int
        node: cython.int
        ahead: cython.int
        while self.first[level] >= 0:
            number = self.first[level]
            self.first[level] = -1
            ahead = number
            for _ in range(_AHEAD):
                ahead = self.fetch_parts(ahead)
            while number >= 0:
                ahead = self.fetch_parts(ahead)
                if not number & (_OFTEN - 1):
                    self.outcomes.spend(8 * _OFTEN)
                node = self.waiting[number]
                number = self.following[number]
                if not self.true[node >> 6] >> (node & 63) & 1 and self.holds(node):
                    self.announce(node)
                    self.spread()
        return 0

    def fetch_parts(self, number):
        """Have the operands of an AND brought near; return who stands behind it in the line, -1 if none does."""
        if number < 0:
            return -1
        prefetch(cython.address(self.parts[place_start(self.body[self.waiting[number]])]))
        return self.following[number]

    def holds(self, node):
        """Return whether all operands of an AND hold; of the first one, the access child, that is known."""
        place: cython.longlong = self.body[node]
        start: cython.longlong = place_start(place)
        level: cython.int
        position: cython.longlong
        guard: cython.int
        if self.guarded:
            guard = self.parts[start + place_length(place) + 1]
            if guard >= 0 and self.outcomes.entry_of[guard] < 0:
                return False
        level = self.level[node]
        for position in range(start, start + place_length(place)):
            if not self.operand_holds(self.parts[position], level):
                return False
        return True

    def operand_holds(self, operand, level):
        """Return whether an operand of a node on a level holds, working it out if nobody asked for it."""
        node: cython.int = operand >> 1
        bit: cython.ulonglong = _ONE << (node & 63)
        if self.true[node >> 6] & bit:
            return 1
        if not operand & 1:
            return 0 if self.pushed[node >> 6] & bit else self.literal_holds(node)
        if self.known[node >> 6] & bit:
            return self.value[node >> 6] & bit != 0
        if self.pushed[node >> 6] & bit and self.level[node] < level and not has_bit(self.silent, node):
            return 0
        return self.evaluate(node)

    def literal_holds(self, node):
        self.tests = self.tests + 1
        return self.outcomes.literal(literal_code(self.body[node]))

    # Working out what nobody asked for

    def evaluate(self, node):
        """Return the value of a node, working out what it needs of the nodes below it, without recursion."""
        value: cython.int = 0
        depth: cython.int = 0
        self.open(0, node)
        while depth >= 0:
            value = self.advance(depth)
            if value == 2:
                depth += 1
                continue
            self.settle(self.frame_node[depth], value)
            depth -= 1
        return value

    def advance(self, depth):
        """Go on with the operands of a frame's node: return its value, or 2 after opening a frame for an operand."""
        node: cython.int = self.frame_node[depth]
        decisive: cython.int = self.kind[node] == NODE_OR
        place: cython.longlong = self.body[node]
        position: cython.longlong
        operand: cython.int
        bit: cython.ulonglong
        value: cython.int
        for position in range(self.frame_position[depth], place_start(place) + place_length(place)):
            operand = self.parts[position]
            bit = _ONE << (operand >> 1 & 63)
            if self.true[operand >> 7] & bit:
                value = 1
            elif not operand & 1:
                value = 0 if self.pushed[operand >> 7] & bit else self.literal_holds(operand >> 1)
            elif self.known[operand >> 7] & bit:
                value = self.value[operand >> 7] & bit != 0
            else:
                self.frame_position[depth] = position
                return self.open(depth + 1, operand >> 1)
            if value == decisive:
                return decisive
        return 1 - decisive

    def open(self, depth, node):
        if depth >= self.frame_node.shape[0]:
            with cython.gil:
                self.frame_node = grown(self.frame_node, depth + 1)
                self.frame_position = grown(self.frame_position, depth + 1)
        self.frame_node[depth] = node
        self.frame_position[depth] = place_start(self.body[node])
        return 2

    def settle(self, node, value):
        """Remember the value of a node for this event."""
        bit: cython.ulonglong = _ONE << (node & 63)
        self.outcomes.spend(4)
        self.known[node >> 6] |= bit
        if value:
            self.value[node >> 6] |= bit
        if self.looked_count >= self.looked.shape[0]:
            with cython.gil:
                self.looked = grown(self.looked, self.looked_count + 1)
        self.looked[self.looked_count] = node
        self.looked_count = self.looked_count + 1
        return 0

    # At the end of an event

    def collect(self):
        """Write the matches down in order, and clear their bits."""
        matched: cython.pointer(cython.ulonglong) = cython.address(self.matched[0])
        words: cython.pointer(cython.int) = cython.address(self.words[0])
        slots: cython.pointer(cython.int) = cython.address(self.slots[0])
        count: cython.Py_ssize_t = self.marked_words()
        total: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        word: cython.int
        bits: cython.ulonglong
        for at in range(count):
            if at + _FAR < count:
                prefetch(matched + words[at + _FAR])
            if total + 64 > self.slots.shape[0]:
                with cython.gil:
                    self.slots = grown(self.slots, total + 64)
                slots = cython.address(self.slots[0])
            word = words[at]
            bits = matched[word]
            matched[word] = 0
            # Mostly there is one.
            slots[total] = word << 6 | lowest_bit(bits)
            total += 1
            bits &= bits - 1
            while bits:
                slots[total] = word << 6 | lowest_bit(bits)
                total += 1
                bits &= bits - 1
        self.slot_total = total
        return 0

    def marked_words(self):
        """Write down which words have matches, and clear the summary; return how many there are.

        Four are written where there may be fewer: a branch for each would go wrong as often as not.
        """
        summary: cython.pointer(cython.ulonglong) = cython.address(self.summary[0])
        words: cython.pointer(cython.int) = cython.address(self.words[0])
        count: cython.Py_ssize_t = 0
        high: cython.int
        found: cython.int
        at: cython.int
        bits: cython.ulonglong
        for high in range((self.slot_count + 4095) >> 12):
            bits = summary[high]
            summary[high] = 0
            found = bit_count(bits)
            for at in range(4):
                words[count + at] = high << 6 | lowest_bit(bits | _TOP_BIT)
                bits = without_lowest_bit(bits)
            for at in range(4, found):
                words[count + at] = high << 6 | lowest_bit(bits)
                bits &= bits - 1
            count += found
        return count

    def clean(self):
        """Clear the bits of the nodes."""
        position: cython.int
        for position in range(self.heard_count):
            self.true[self.heard[position] >> 6] = 0
        for position in range(self.looked_count):
            self.known[self.looked[position] >> 6] = 0
            self.value[self.looked[position] >> 6] = 0
        return 0
