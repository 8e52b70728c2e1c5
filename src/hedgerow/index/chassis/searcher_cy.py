"""One search of a chassis engine: the loop over rows, and what becomes of the units that a row hits.

An engine's own searcher has ``run(row)``, which goes through its structure without the GIL and calls ``hit(unit)`` for
each *unit* that the event satisfies: a tree, a clause of a DNF, a CNF. All else is here: which slots these are, that
each comes once and in order, that those which are gone do not come, what they score, and the result of a batch.

A searcher sees what was committed when it was made. One that raised is dropped with all that it wrote into.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import lowest_bit, without_lowest_bit
from cython.cimports.hedgerow.index.chassis.slots_cy import Slots
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.index.engine import Matches

_ONE = cython.declare(cython.ulonglong, 1)


@cython.cclass
class Searcher:
    """What every search has. Here a unit is a slot, and they are hit in ascending order."""

    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: cython.int):
        self.outcomes = outcomes
        self.graph = graph
        self.slots = slots
        self.node_limit = node_limit
        self.slot_limit = slots.committed
        self.version = slots.version
        self.any_died = slots.has_died
        self.died = slots.died
        self.hits = roomy(self.slot_limit, np.int32)
        self.matched = self.hits

    def run(self, row):  # noqa: ARG002 - an engine wants it
        """Hit each unit that the event of a row satisfies."""
        with cython.gil:
            raise TypeError("an engine's own searcher says how it searches")

    def settle(self):
        """Make of the units that were hit the slots that match, ascending and each once; return how many."""
        position: cython.int
        count: cython.int = 0
        slot: cython.int
        if not self.any_died:
            return self.hit_count
        for position in range(self.hit_count):
            slot = self.hits[position]
            self.matched[count] = slot
            count += self.version < self.died[slot]
        return count

    def find(self, row):
        """Find the slots that match an event, in ``matched``; return how many."""
        self.hit_count = 0
        self.run(row)
        self.outcomes.spend(self.hit_count)
        return self.settle()

    def match_rows(self, first, last):
        """Return the slots that match the events of some rows."""
        starts: cython.longlong[::1] = np.zeros(last - first + 1, np.int64)
        slots: cython.int[::1] = np.empty(64, np.int32)
        row: cython.longlong
        count: cython.int
        total: cython.longlong = 0
        for row in range(last - first):
            if self.stopped:
                break
            with cython.nogil:
                count = self.find(first + row)
            if total + count > slots.shape[0]:
                slots = grown(slots, total + count)
            if count:
                memcpy(cython.address(slots[total]), cython.address(self.matched[0]), count * cython.sizeof(cython.int))
            total += count
            starts[row + 1] = total
        return Matches(np.asarray(starts), np.asarray(slots)[:total])

    def count_rows(self, first, last):
        """Return how many slots match each event of some rows."""
        counts: cython.longlong[::1] = np.empty(last - first, np.int64)
        row: cython.longlong
        with cython.nogil:
            for row in range(last - first):
                if self.stopped:
                    break
                counts[row] = self.find(first + row)
        return np.asarray(counts)

    def best_of(self, row, n):
        """Return the best slots of one event, and their scores; equal ones in ascending order."""
        count: cython.int
        with cython.nogil:
            count = self.find(row)
        scores: cython.double[::1] = np.empty(count, np.float64)
        self.score_matched(scores)
        best = np.argsort(-np.asarray(scores), kind="stable")[:n]
        return np.asarray(self.matched)[:count][best], np.asarray(scores)[best]

    def score_matched(self, scores):
        """Write the score of each slot that matches the row begun."""
        position: cython.Py_ssize_t
        if self.scorer is not None:
            self.scorer.begin()
        for position in range(scores.shape[0]):
            scores[position] = self.score_at(self.matched[position])
        return 0

    def score_at(self, slot):
        """Return the score of a slot that matches the row begun."""
        score: cython.double = self.slots.weight_at(slot)
        node: cython.int = self.slots.scored_at(slot)
        if node >= 0:
            with cython.nogil:
                score += self.scorer.score_of(node)
        return score


@cython.cclass
class MarkingSearcher(Searcher):
    """A search that finds slots in any order, and some more than once: it marks them.

    A bit for each slot puts them in order and makes each come once; a summary, a bit a word, tells which words to look
    at.
    """

    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: cython.int):
        Searcher.__init__(self, graph, slots, outcomes, node_limit)
        words: cython.Py_ssize_t = (self.slot_limit >> 6) + 1
        self.bits = filled(words, 0, np.uint64)
        self.summary = filled((words >> 6) + 1, 0, np.uint64)

    def settle(self):
        """Write the slots that are marked."""
        return self.write()

    def mark(self, slot):
        """Mark a slot that this search sees."""
        if 0 <= slot < self.slot_limit and not (self.any_died and self.died[slot] <= self.version):
            self.bits[slot >> 6] |= _ONE << (slot & 63)
            self.summary[slot >> 12] |= _ONE << ((slot >> 6) & 63)
        return 0

    def write(self):
        """Write the slots that are marked, and unmark them; return how many there are."""
        count: cython.int = 0
        group: cython.Py_ssize_t
        word: cython.Py_ssize_t
        words: cython.ulonglong
        bits: cython.ulonglong
        for group in range(self.summary.shape[0]):
            words = self.summary[group]
            self.summary[group] = 0
            while words:
                word = (group << 6) + lowest_bit(words)
                words = without_lowest_bit(words)
                bits = self.bits[word]
                self.bits[word] = 0
                while bits:
                    self.matched[count] = cython.cast(cython.int, word << 6) + lowest_bit(bits)
                    bits = without_lowest_bit(bits)
                    count += 1
        return count
