"""Units: what an engine's structure is given instead of expressions, each once however many expressions have it.

A unit is a clause of a DNF, or a whole expression, as a node of the engine's graph; the graph knows equal nodes for
one, so equal clauses are one unit. Which slots own it is known here alone::

    unit          0    1    2    3             owner   the first slot
    owner         0    1    1    4             more    the first of its further owners, each of which leads to the next
    more          -    0    -    -
    entry_slot    3    5                       unit 1 belongs to the slots 1, 3 and 5
    entry_next    1    -

Owners are only added at the end, so a search that follows them comes to those that it must see before any that it must
not, and stops there. A search marks the slots of the units that a row hit.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.searcher_cy import MarkingSearcher
from cython.cimports.hedgerow.index.chassis.slots_cy import Slots
from cython.cimports.hedgerow.language.graph_cy import NODE_FALSE, NODE_LITERAL, NODE_OR, NODE_TRUE, Graph
from cython.cimports.hedgerow.language.rewrite.clauses_cy import Clauses
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.language.rewrite import order
from hedgerow.sections import part, section

_NONE = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class Units:
    """Units by the nodes that they are, and their owners. One writer adds, with the GIL held, while searches run."""

    def __init__(self):
        self.of_node = filled(16, -1, np.int32)
        self.owner = np.empty(16, np.int32)
        self.more = np.empty(16, np.int32)
        self.live = np.empty(0, np.int32)
        self.entry_slot = np.empty(0, np.int32)
        self.entry_next = np.empty(0, np.int32)
        self.entry_last = np.empty(0, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these units of."""
        return {
            "of_node": np.asarray(self.of_node),
            "owner": np.asarray(self.owner)[: self.count],
            "more": np.asarray(self.more)[: self.count],
            "entry_slot": np.asarray(self.entry_slot)[: self.entry_count],
            "entry_next": np.asarray(self.entry_next)[: self.entry_count],
            "entry_last": np.asarray(self.entry_last)[: self.entry_count],
        }

    @staticmethod
    def restored(arrays):
        """Return the units that were saved as these arrays, in these arrays."""
        units: Units = Units()
        units.of_node = section(arrays, "of_node", np.int32)
        units.owner = section(arrays, "owner", np.int32)
        units.count = units.owner.shape[0]
        units.committed = units.count
        units.more = section(arrays, "more", np.int32, units.count)
        units.entry_slot = section(arrays, "entry_slot", np.int32)
        units.entry_count = units.entry_slot.shape[0]
        units.entry_next = section(arrays, "entry_next", np.int32, units.entry_count)
        units.entry_last = section(arrays, "entry_last", np.int32, units.entry_count)
        return units

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out of all but the nodes' array."""
        live = 4 * min(self.count, self.live.shape[0])
        return self.of_node.nbytes + 8 * self.count + 12 * self.entry_count + live

    def owners(self, unit: cython.int):
        """Return the slots that own a unit."""
        found = [self.owner[unit]] if self.owner[unit] != _NONE else []
        entry: cython.int = self.more[unit]
        while entry != _NONE:
            if self.entry_slot[entry] != _NONE:
                found.append(self.entry_slot[entry])
            entry = self.entry_next[entry]
        return tuple(found)

    def find(self, node):
        """Return the unit that a node is, or -1."""
        return self.of_node[node] if node < self.of_node.shape[0] else -1

    def know(self, unit, node):
        """Let a unit be found by its node."""
        if node >= self.of_node.shape[0]:
            self.of_node = grown(self.of_node, node + 1, -1)
        self.of_node[node] = unit
        return 0

    def add(self):
        """Return a new unit, which nobody owns yet; its first owner is written down by whoever asks for it."""
        unit: cython.int = self.count
        if unit >= self.owner.shape[0]:
            owners, more = grown(self.owner, unit + 1), grown(self.more, unit + 1)
            self.owner, self.more = owners, more
        self.owner[unit] = _NONE
        self.more[unit] = _NONE
        self.count = unit + 1
        return unit

    def own(self, unit, slot):
        """Make a slot, greater than all before, a further owner of a unit."""
        entry: cython.int = self.entry_count
        first: cython.int = self.more[unit]
        if entry >= self.entry_slot.shape[0]:
            slots, nexts = grown(self.entry_slot, entry + 1), grown(self.entry_next, entry + 1)
            lasts = grown(self.entry_last, entry + 1)
            self.entry_slot, self.entry_next, self.entry_last = slots, nexts, lasts
        self.entry_slot[entry] = slot
        self.entry_next[entry] = _NONE
        self.entry_count = entry + 1
        if first == _NONE:
            self.more[unit] = entry
            first = entry
        else:
            self.entry_next[self.entry_last[first]] = entry
        self.entry_last[first] = entry
        return 0

    # Owners that were not deleted are counted by engines that remove units.

    def is_orphan(self, unit):
        """Return whether all owners of a unit were deleted."""
        return unit >= self.live.shape[0] or self.live[unit] == 0

    def gain(self, unit):
        """Count an owner of a unit more."""
        if unit >= self.live.shape[0]:
            self.live = grown(self.live, unit + 1, 0)
        self.live[unit] += 1
        return 0

    def take_back(self, slots):
        """Let no unit belong to the slots from ``slots`` on: all of them were added last."""
        entry: cython.int = self.entry_count - 1
        unit: cython.int = self.count - 1
        while entry >= 0 and (self.entry_slot[entry] >= slots or self.entry_slot[entry] == _NONE):
            self.entry_slot[entry] = _NONE
            entry -= 1
        while unit >= 0 and (self.owner[unit] >= slots or self.owner[unit] == _NONE):
            self.owner[unit] = _NONE
            unit -= 1
        return 0

    def count_live(self, slots):
        """Count the owners of each unit that were not deleted."""
        unit: cython.int
        entry: cython.int
        self.live = filled(max(self.count, 1), 0, np.int32)
        for unit in range(self.count):
            if self.owner[unit] != _NONE:
                self.live[unit] += slots.is_live(self.owner[unit])
            entry = self.more[unit]
            while entry != _NONE:
                if self.entry_slot[entry] != _NONE:
                    self.live[unit] += slots.is_live(self.entry_slot[entry])
                entry = self.entry_next[entry]
        return 0


@cython.cclass
class UnitEngine(BaseEngine):
    """The base of engines of units: the clauses of a DNF, or a CNF as a whole.

    Such an engine says ``add_unit``, which lets events lead to a new unit; and perhaps that it ``shares`` none. One
    that ``removes`` says ``remove_unit``, which may be followed by another ``add_unit`` of the same.
    """

    def __init__(self, missing: str, dnf: cython.bint = True):
        BaseEngine.__init__(self, missing)
        self.rewrites = True
        self.shares = True
        self.units = Units()
        self.clauses = Clauses(dnf)
        self.clauses.hint = "the engine 'atree' takes such an expression as it is"

    def add_unit(self, unit, node):  # noqa: ARG002 - an engine wants it
        """Let events lead to a unit, which is this node of the graph: literals under AND, say."""
        return 0

    def remove_unit(self, unit):  # noqa: ARG002 - an engine wants it
        """Let events lead to a unit no more."""
        return 0

    def form(self, graph, node):
        """Return a simplified node as a DNF, an OR of ANDs of literals, or as a CNF."""
        if is_normal(graph, node, self.clauses.outer, self.clauses.inner):
            return node
        self.clauses.make(graph, node)
        return order(graph, self.joined(graph))

    def joined(self, graph):
        """Return the node that says what the clauses say that were made last."""
        clause: cython.int
        start: cython.int
        count: cython.int
        if self.clauses.count == 0:
            return graph.add_leaf(NODE_FALSE if self.clauses.dnf else NODE_TRUE, 0)
        parts: cython.int[::1] = np.empty(self.clauses.count, np.int32)
        for clause in range(self.clauses.count):
            start = self.clauses.start[clause]
            count = self.clauses.start[clause + 1] - start
            if count == 0:
                return graph.add_leaf(NODE_TRUE if self.clauses.dnf else NODE_FALSE, 0)
            parts[clause] = self.clauses.literal[start]
            if count > 1:
                parts[clause] = graph.add_node(self.clauses.inner, cython.address(self.clauses.literal[start]), count)
        if self.clauses.count == 1:
            return parts[0]
        return graph.add_node(self.clauses.outer, cython.address(parts[0]), self.clauses.count)

    def take(self, slot, root):
        """Make a slot an owner of each of its clauses."""
        position: cython.longlong
        kind: cython.int = self.graph.node_kind[root]
        try:
            if kind == NODE_OR and self.clauses.dnf:
                for position in range(self.graph.node_start[root], self.graph.node_start[root + 1]):
                    self.take_clause(slot, self.graph.child[position])
            elif kind != NODE_FALSE:
                self.take_clause(slot, root)
        except BaseException:
            self.take_back(slot)
            raise
        return 0

    def take_clause(self, slot, node):
        shared: cython.bint = self.shares and not self.loose
        unit: cython.int = self.units.find(node) if shared else _NONE
        if unit >= 0:
            if self.removes and self.units.is_orphan(unit):
                self.add_unit(unit, node)
            self.units.own(unit, slot)
        else:
            # If it cannot be added, what events may lead to by then is nobody's, and stays so.
            unit = self.units.add()
            self.add_unit(unit, node)
            if shared:
                self.units.know(unit, node)
            self.units.owner[unit] = slot
        return self.units.gain(unit) if self.removes else 0

    def let_go(self, slot):
        """Let its clauses go, unless others own them; what is taken in a form of its own stays hidden."""
        position: cython.longlong
        root: cython.int = self.slots.root[slot]
        scored: cython.int = self.slots.scored_at(slot)
        if scored >= 0 and scored != root:
            return 0
        if self.graph.node_kind[root] == NODE_OR and self.clauses.dnf:
            for position in range(self.graph.node_start[root], self.graph.node_start[root + 1]):
                self.let_clause_go(self.graph.child[position])
        elif self.graph.node_kind[root] != NODE_FALSE:
            self.let_clause_go(root)
        return 0

    def let_clause_go(self, node):
        """Take a clause out of the structure if its last owner goes."""
        unit: cython.int = self.units.find(node)
        if unit < 0 or self.units.is_orphan(unit):
            return 0
        # Counted first: should it stay, because memory runs out, whoever adds it again finds it there.
        self.units.live[unit] -= 1
        return self.remove_unit(unit) if self.units.live[unit] == 0 else 0

    def take_back(self, count):
        return self.units.take_back(count)

    def publish(self):
        self.units.committed = self.units.count
        return 0

    def saved(self):
        """Return all arrays; a file has no units that are not committed."""
        units = {f"units.{name}": array for name, array in self.units.saved().items()}
        return BaseEngine.saved(self) | units

    def restore(self, arrays):
        """Go on in arrays that were saved."""
        self.units = Units.restored(part(arrays, "units"))
        BaseEngine.restore(self, arrays)
        if self.removes:
            self.units.count_live(self.slots)

    def bytes_by_part(self):
        """Return how many bytes each part holds."""
        return BaseEngine.bytes_by_part(self) | {"units": self.units.nbytes}


@cython.cfunc
@cython.exceptval(-1, check=False)
def is_normal(graph: Graph, node: cython.int, outer: cython.int, inner: cython.int) -> cython.bint:
    """Return whether a simplified node is a clause, or clauses under ``outer``."""
    position: cython.longlong
    if graph.node_kind[node] != outer:
        return _is_clause(graph, node, inner)
    for position in range(graph.node_start[node], graph.node_start[node + 1]):
        if not _is_clause(graph, graph.child[position], inner):
            return False
    return True


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_clause(graph: Graph, node: cython.int, inner: cython.int) -> cython.bint:
    """Return whether a node is a literal or a constant, or literals under ``inner``."""
    position: cython.longlong
    if graph.node_kind[node] != inner:
        return graph.node_kind[node] <= NODE_LITERAL
    for position in range(graph.node_start[node], graph.node_start[node + 1]):
        if graph.node_kind[graph.child[position]] != NODE_LITERAL:
            return False
    return True


@cython.cclass
class UnitSearcher(MarkingSearcher):
    """A search that hits units."""

    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: cython.int, units: Units):
        MarkingSearcher.__init__(self, graph, slots, outcomes, node_limit)
        self.unit_limit = units.committed
        self.entry_limit = units.entry_count
        self.owner = units.owner
        self.more = units.more
        self.entry_slot = units.entry_slot
        self.entry_next = units.entry_next
        self.hits = roomy(self.unit_limit, np.int32)

    def settle(self):
        """Mark the owners of the units that were hit, and write the slots that are marked."""
        position: cython.int
        unit: cython.int
        entry: cython.int
        for position in range(self.hit_count):
            unit = self.hits[position]
            self.mark(self.owner[unit])
            entry = self.more[unit]
            while 0 <= entry < self.entry_limit:
                self.mark(self.entry_slot[entry])
                entry = self.entry_next[entry]
        return self.write()
