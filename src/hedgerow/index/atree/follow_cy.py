"""Making the lists of where truth gets to from a literal; see ``reach_cy`` for what they are.

An OR is passed if that makes lists not much longer than its links are: with ``w`` operands and ``l`` links, a pass
takes ``w * l`` elements where there were ``w + l``. Wide ORs are not passed, since all below must be told of a change
above them, and neither is anything beyond a few ORs in a row.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.reach_cy import HEADER
from cython.cimports.hedgerow.index.atree.tree_cy import (
    LINK_AND,
    LINK_SLOT,
    literal_code,
    place_length,
    place_start,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_OR
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import grown

_WIDEST = cython.declare(cython.int, 64)  # ORs with more operands are not passed
_DEEPEST = cython.declare(cython.int, 4)  # ORs in a row that are passed
_LONGER = cython.declare(cython.longlong, 4)  # times as long as links, lists may get
_LONGEST = cython.declare(cython.longlong, 1 << 20)  # a list that has so many elements passes no more
_SHARE = cython.declare(cython.longlong, 2)  # elements of all lists together, for each link of the tree
_SELDOM = cython.declare(cython.int, 8)  # the rarity from which an OR is worked out by those few who look at it
_MANY = cython.declare(cython.int, 255)  # uses from here on are not told apart
_GUARDS = cython.declare(cython.int, 8)  # attributes of which an AND may need one, at most
_LOOKED_AT = cython.declare(cython.longlong, 16)  # operands that are looked at for guards


@cython.final
@cython.cclass
class Follower:
    """Makes lists; what it writes into is left to the next one."""

    def __init__(self):
        self.slots = np.empty(256, np.int32)
        self.noted = np.empty(64, np.int32)
        self.ors = np.empty(64, np.int32)
        self.ands = np.empty(256, np.int32)
        self.stack = np.empty(64, np.int32)
        self.depths = np.empty(64, np.uint8)

    @property
    def nbytes(self):
        """Bytes held."""
        found = self.slots.nbytes + self.noted.nbytes + self.ors.nbytes + self.ands.nbytes
        return found + self.stack.nbytes + self.depths.nbytes

    def follow(self, tree, number):
        """Make the list of a literal, unless it has one or there is no room for it."""
        start: cython.int
        size: cython.longlong
        if number >= tree.literal_count or number >= tree.reach.place.shape[0]:
            return 0
        if tree.literal_node[number] < 0 or tree.reach.place[number] > 1 or tree.reach.full:
            return 0
        self.gather(tree, tree.literal_node[number])
        size = HEADER + self.slot_count + self.noted_count + self.or_count + self.and_length
        start = tree.reach.room(size, _SHARE * tree.links_used)
        if start < 0 and tree.searches == 0 and tree.reach.is_mostly_lost():
            tree.reach.clear()
            self.gather(tree, tree.literal_node[number])
            start = tree.reach.room(size, _SHARE * tree.links_used)
        return 0 if start < 0 else self.write(tree, number, start)

    def gather(self, tree, node):
        """Collect what hears of a node, straight or by way of ORs that are passed."""
        place: cython.longlong
        position: cython.longlong
        depth: cython.int
        self.slot_count = 0
        self.noted_count = 0
        self.or_count = 0
        self.and_length = 0
        self.stacked = 0
        self.push(node, 0)
        while self.stacked:
            self.stacked -= 1
            place = tree.posts[self.stack[self.stacked]]
            depth = self.depths[self.stacked]
            if place_length(place) == 1:
                self.take(tree, cython.cast(cython.int, place_start(place)), depth)
                continue
            for position in range(place_start(place), place_start(place) + place_length(place)):
                self.take(tree, tree.links[position], depth)
        return 0

    def take(self, tree, value, depth):
        """Take up what a link leads to."""
        target: cython.int = value >> 2
        if value < 0:
            return 0
        if value & 3 == LINK_SLOT:
            if self.slot_count >= self.slots.shape[0]:
                self.slots = grown(self.slots, self.slot_count + 1)
            self.slots[self.slot_count] = target
            self.slot_count += 1
        elif value & 3 == LINK_AND:
            self.take_and(tree, target)
        elif self.passes(tree, target, depth):
            self.pass_by(tree, target, depth)
        else:
            if self.or_count >= self.ors.shape[0]:
                self.ors = grown(self.ors, self.or_count + 1)
            self.ors[self.or_count] = target
            self.or_count += 1
        return 0

    def take_and(self, tree, node):
        """Take up an AND: its number, how many guards it has, and these."""
        guards: cython.int[8]
        count: cython.int = self.guards_of(tree, node, guards) if tree.on_demand else 0
        if self.and_length + 2 + count > self.ands.shape[0]:
            self.ands = grown(self.ands, self.and_length + 2 + count)
        self.ands[self.and_length] = node
        self.ands[self.and_length + 1] = count
        if count:
            memcpy(cython.address(self.ands[self.and_length + 2]), guards, 4 * count)
        self.and_length += 2 + count
        return 0

    def guards_of(self, tree, node, guards):
        """Write down attributes of which an event must have one for an AND to hold, as few as are easily found.

        Those are the tree's own guard, else what an AND among the operands needs, or an OR of literals. What is made
        of an operand later does not change what it needs.
        """
        place: cython.longlong = tree.body[node]
        position: cython.longlong
        below: cython.int
        best: cython.int = 0
        count: cython.int
        found: cython.int[8]
        guards[0] = tree.parts[place_start(place) + place_length(place) + 1]
        if guards[0] >= 0:
            return 1
        for position in range(place_start(place) + 1, place_start(place) + min(place_length(place), _LOOKED_AT)):
            below = tree.parts[position] >> 1
            if tree.kind[below] == NODE_AND:
                guards[0] = self.guard_of_and(tree, tree.body[below])
                if guards[0] >= 0:
                    return 1
            elif tree.kind[below] == NODE_OR:
                count = self.guards_of_or(tree, tree.body[below], found)
                if count and (best == 0 or count < best):
                    memcpy(guards, found, 4 * count)
                    best = count
        return best

    def guard_of_and(self, tree, place):
        """Return an attribute that some operand needs, if that is a literal; -1 if there is none."""
        position: cython.longlong
        attribute: cython.int
        for position in range(place_start(place), place_start(place) + min(place_length(place), _LOOKED_AT)):
            attribute = self.attribute_of(tree, tree.parts[position])
            if attribute >= 0:
                return attribute
        return -1

    def guards_of_or(self, tree, place, guards):
        """Write down the attributes that operands need, if each is a literal that needs one; return how many, or 0."""
        position: cython.longlong
        count: cython.int = 0
        if place_length(place) > _GUARDS:
            return 0
        for position in range(place_start(place), place_start(place) + place_length(place)):
            guards[count] = self.attribute_of(tree, tree.parts[position])
            if guards[count] < 0:
                return 0
            count += 1
        return count

    def attribute_of(self, tree, operand):
        """Return the attribute that a literal needs; -1 if it holds without, or is no literal."""
        if operand & 1 or not tree.needs_attribute(operand >> 1):
            return -1
        return tree.graph.predicate_attribute[literal_code(tree.body[operand >> 1]) >> 2]

    def pass_by(self, tree, node, depth):
        """Go straight through an OR; note it if others than those who hear of it look at it, and not in vain."""
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << (node & 63)
        tree.reach.passed[node >> 6] |= bit
        looked_at: cython.bint = tree.uses[node] > place_length(tree.posts[node]) or tree.uses[node] == _MANY
        if looked_at and tree.rarity[node] < _SELDOM:
            if self.noted_count >= self.noted.shape[0]:
                self.noted = grown(self.noted, self.noted_count + 1)
            self.noted[self.noted_count] = node
            self.noted_count += 1
        else:
            tree.reach.silent[node >> 6] |= bit
        return self.push(node, depth + 1)

    def passes(self, tree, node, depth):
        """Return whether to go straight through an OR."""
        width: cython.longlong = place_length(tree.body[node])
        length: cython.longlong = place_length(tree.posts[node])
        if depth >= _DEEPEST or width > _WIDEST or node >> 6 >= tree.reach.passed.shape[0]:
            return False
        if self.slot_count + self.noted_count + self.or_count + self.and_length + self.stacked > _LONGEST:
            return False
        return width * length <= _LONGER * (width + length)

    def push(self, node, depth):
        if self.stacked >= self.stack.shape[0]:
            stack, depths = grown(self.stack, self.stacked + 1), grown(self.depths, self.stacked + 1)
            self.stack, self.depths = stack, depths
        self.stack[self.stacked] = node
        self.depths[self.stacked] = depth
        self.stacked += 1
        return 0

    def write(self, tree, number, start):
        """Write a list down, and then where it is."""
        arena: cython.int[::1] = tree.reach.arena
        position: cython.longlong = start + HEADER
        arena[start] = cython.cast(cython.int, self.slot_count)
        arena[start + 1] = cython.cast(cython.int, self.noted_count)
        arena[start + 2] = cython.cast(cython.int, self.or_count)
        arena[start + 3] = cython.cast(cython.int, self.and_length)
        arena[start + 4] = tree.literal_node[number]
        if self.slot_count:
            memcpy(cython.address(arena[position]), cython.address(self.slots[0]), 4 * self.slot_count)
            position += self.slot_count
        if self.noted_count:
            memcpy(cython.address(arena[position]), cython.address(self.noted[0]), 4 * self.noted_count)
            position += self.noted_count
        if self.or_count:
            memcpy(cython.address(arena[position]), cython.address(self.ors[0]), 4 * self.or_count)
            position += self.or_count
        if self.and_length:
            memcpy(cython.address(arena[position]), cython.address(self.ands[0]), 4 * self.and_length)
        tree.reach.place[number] = start
        return 0
