"""What an insertion will look up in the tree, fetched before it comes to it.

In a large tree most of what inserting takes is waiting for memory: for each predicate where it is (``copy_cy``) and its
literal; for each AND and OR a slot and the operands of the node that it names. The parts of the next expressions have
the next numbers in the parser's graph, so this goes ahead over a block of them in passes. A pass reads what the pass
before has asked the memory for, and asks for what the next one will read: many parts wait together instead of one after
the other.

A predicate that is found stays found, since predicates are never removed; the importer then has nothing more to look
up. All else is a guess, good enough to know which memory to ask for: ``guess`` is the operand that a part will become,
if it is in the tree already, and ``content`` what it will be looked up by. The importer looks again.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.index.atree.tree_cy import (
    Tree,
    home_of,
    looked_at_from,
    place_length,
    place_start,
    scattered,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_OR, NODE_PREDICATE, Graph
from cython.cimports.hedgerow.language.rewrite import literals_cy

from hedgerow.arrays_cy import grown

_BLOCK = cython.declare(cython.int, 256)  # parts: what is fetched for them fits the cache next to the processor
_UNKNOWN = cython.declare(cython.int, -1)
_LOW_HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)  # as a literal it would be a Python object


@cython.final
@cython.cclass
class Ahead:
    """Goes ahead of an importer, over the graph that it takes expressions from."""

    def __init__(self, tree: Tree, reading: cython.int):
        self.tree = tree
        self.reading = reading
        self.code = np.empty(32, np.int32)
        self.state = np.empty(_BLOCK, np.uint64)
        self.guess = np.empty(32, np.int32)
        self.content = np.empty(32, np.uint32)

    @property
    def nbytes(self):
        """Bytes held."""
        return self.code.nbytes + self.state.nbytes + self.guess.nbytes + self.content.nbytes

    def begin(self, copier):
        """Begin at the first part of another graph, or of one that was cleared."""
        self.copier = copier
        self.done = 0
        return 0

    def forget(self):
        """Let go of the graph."""
        self.copier = None
        return 0

    def look(self, node):
        """Make sure that the parts up to ``node`` were looked at, and with them the rest of their block."""
        count: cython.int = self.copier.source.node_count
        if count > self.code.shape[0]:
            self.grow(count)
        while self.done <= node:
            self.look_at(self.done, min(self.done + _BLOCK, count))
        return 0

    def grow(self, count):
        codes, guesses, contents = grown(self.code, count), grown(self.guess, count), grown(self.content, count)
        self.code, self.guess, self.content = codes, guesses, contents
        return 0

    def look_at(self, first, last):
        """Look at a block of parts."""
        self.done = last
        self.find_predicates(first, last)
        self.fetch_literals(first, last)
        self.find_literals(first, last)
        # Nodes over literals first, and then those over such nodes; what is deeper is too rare to be worth it.
        self.foresee_nodes(first, last)
        self.fetch_nodes(first, last)
        self.find_nodes(first, last)
        self.foresee_nodes(first, last)
        self.fetch_nodes(first, last)
        self.find_nodes(first, last)
        self.fetch_links(first, last)
        return 0

    # Literals

    def find_predicates(self, first, last):
        """Have the copier find which predicates are there, and the memory fetch which literals they have."""
        source: Graph = self.copier.source
        tree: Tree = self.tree
        node: cython.int
        predicate: cython.int
        count: cython.int = 0
        for node in range(first, last):
            self.state[node - first] = 0
            if source.node_kind[node] == NODE_PREDICATE:
                self.code[node] = literals_cy.literal_code(source, node, False, self.reading)
                count = max(count, (self.code[node] >> 2) + 1)
        self.copier.fit(count, source.names.count, source.strings.count)
        self.copier.recognise_to(count)
        for node in range(first, last):
            if source.node_kind[node] == NODE_PREDICATE and self.copier.is_copied(self.code[node] >> 2):
                predicate = self.copier.predicates[self.code[node] >> 2]
                if predicate < tree.literal_of.shape[0]:
                    prefetch(cython.address(tree.literal_of[predicate]))
        return 0

    def fetch_literals(self, first, last):
        """Have the first literal of each predicate that is there fetched."""
        source: Graph = self.copier.source
        tree: Tree = self.tree
        node: cython.int
        predicate: cython.int
        literal: cython.int
        for node in range(first, last):
            self.guess[node] = _UNKNOWN
            if source.node_kind[node] == NODE_PREDICATE and self.copier.is_copied(self.code[node] >> 2):
                predicate = self.copier.predicates[self.code[node] >> 2]
                literal = tree.literal_of[predicate] if predicate < tree.literal_of.shape[0] else _UNKNOWN
                self.guess[node] = literal
                if literal >= 0:
                    prefetch(cython.address(tree.body[literal]))
                    prefetch(cython.address(tree.content[literal]))
        return 0

    def find_literals(self, first, last):
        tree: Tree = self.tree
        node: cython.int
        literal: cython.int
        accepts: cython.int
        for node in range(first, last):
            literal = self.guess[node]
            accepts = self.code[node] & 3
            while literal >= 0 and tree.body[literal] & 3 != accepts:
                literal = cython.cast(cython.int, tree.content[literal]) - 1
            if literal >= 0:
                self.guess[node] = 2 * literal
            else:
                self.guess[node] = _UNKNOWN
        return 0

    # Nodes: ``state`` is 1 where ``content`` is what they will be looked up by, and 2 when that was done.

    def foresee_nodes(self, first, last):
        """Foresee the contents of nodes whose operands are in the tree, and have the slots fetched that they belong to.

        A content is a sum over what the operands hash to, and an operand of the same kind counts as its own operands.
        """
        source: Graph = self.copier.source
        tree: Tree = self.tree
        node: cython.int
        kind: cython.int
        for node in range(first, last):
            kind = source.node_kind[node]
            if (kind != NODE_AND and kind != NODE_OR) or self.state[node - first]:
                continue
            if self.foresee_content(node, kind):
                prefetch(cython.address(tree.slots[home_of(self.content[node], kind, tree.slots.shape[0])]))
                self.state[node - first] = 1
        return 0

    def foresee_content(self, node, kind):
        source: Graph = self.copier.source
        position: cython.longlong
        operand: cython.int
        child: cython.int
        total: cython.ulonglong = 0
        for position in range(source.node_start[node], source.node_start[node + 1]):
            child = source.child[position]
            operand = self.guess[child]
            if operand < 0:
                return False
            if operand & 1 and source.node_kind[child] == kind:
                total += self.content[child]
            else:
                total += scattered(self.tree.seed, operand)
        self.content[node] = cython.cast(cython.uint, total & _LOW_HALF)
        return True

    def fetch_nodes(self, first, last):
        """Have the node in the first slot fetched."""
        tree: Tree = self.tree
        node: cython.int
        there: cython.int
        for node in range(first, last):
            if self.state[node - first] != 1:
                continue
            there = tree.slots[home_of(self.content[node], self.copier.source.node_kind[node], tree.slots.shape[0])]
            if there >= 0:
                prefetch(cython.address(tree.content[there]))
                prefetch(cython.address(tree.kind[there]))
                prefetch(cython.address(tree.body[there]))
        return 0

    def find_nodes(self, first, last):
        """Guess that a node of the same content is the one, and have its operands fetched.

        Where there is none, or some operand is not in the tree, a new node will be made of those that are.
        """
        tree: Tree = self.tree
        size: cython.Py_ssize_t = tree.slots.shape[0]
        slot: cython.Py_ssize_t
        node: cython.int
        there: cython.int
        kind: cython.int
        for node in range(first, last):
            if self.state[node - first] != 1:
                kind = self.copier.source.node_kind[node]
                if self.state[node - first] == 0 and (kind == NODE_AND or kind == NODE_OR):
                    self.fetch_operands(node)
                continue
            self.state[node - first] = 2
            slot = home_of(self.content[node], self.copier.source.node_kind[node], size)
            while tree.slots[slot] >= 0 and tree.content[tree.slots[slot]] != self.content[node]:
                slot = slot + 1 if slot + 1 < size else 0
            there = tree.slots[slot]
            if there >= 0:
                self.guess[node] = 2 * there + 1
                prefetch(cython.address(tree.parts[place_start(tree.body[there])]))
            else:
                self.fetch_operands(node)
        return 0

    def fetch_links(self, first, last):
        """Have fetched who else is made of the operands of new nodes, where to look for parts that they share."""
        source: Graph = self.copier.source
        tree: Tree = self.tree
        node: cython.int
        kind: cython.int
        position: cython.longlong
        place: cython.longlong
        operand: cython.int
        for node in range(first, last):
            kind = source.node_kind[node]
            if (kind != NODE_AND and kind != NODE_OR) or self.guess[node] >= 0:
                continue
            for position in range(source.node_start[node], source.node_start[node + 1]):
                operand = self.guess[source.child[position]] >> 1
                if operand < 0:
                    continue
                place = tree.posts[operand]
                if place_length(place) > 1:
                    prefetch(cython.address(tree.links[looked_at_from(place)]))
        return 0

    def fetch_operands(self, node):
        """Have fetched what a new node needs to know of its operands, as far as they are in the tree."""
        source: Graph = self.copier.source
        tree: Tree = self.tree
        position: cython.longlong
        operand: cython.int
        for position in range(source.node_start[node], source.node_start[node + 1]):
            operand = self.guess[source.child[position]] >> 1
            if operand < 0:
                continue
            prefetch(cython.address(tree.uses[operand]))
            prefetch(cython.address(tree.level[operand]))
            prefetch(cython.address(tree.rarity[operand]))
            prefetch(cython.address(tree.posts[operand]))
        return 0
