"""BDD: every expression is a function in one shared decision diagram (Campailla et al.; the rival of the A-Tree).

::

    r0  a = 1 AND (b = 2 OR c = 3)       a = 1 ──high── b = 2 ──high── true       an event goes down from r0 and r1:
    r1  b = 2 OR c = 3                     │ low          │ low                   what a node came to is remembered,
                                         false          c = 3 ──high── true       so r1 is known after r0 if a = 1
                                                          │ low
                                                        false

Each distinct literal is a variable, a negated one too: ``p`` and ``NOT p`` are two. An expression is AND and OR over
literals, so it holds where it does if what is undefined is taken for false, and two values are enough.

The variables that an expression brings come last in the order, those that stand further out before those further in,
and those of a part side by side: so a chain of operators is joined in as many steps as it has operators. Every
expression is followed for every event. ``diagram_cy`` has the nodes.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.diagram_cy import (
    TERMINAL_FALSE,
    TERMINAL_TRUE,
    Diagram,
    high_of,
    low_of,
)
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.index.kindex.keyed_cy import sort_values
from cython.cimports.hedgerow.language.graph_cy import NODE_LITERAL, NODE_TRUE, Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import nested, part, section

_NONE = cython.declare(cython.int, -1)

# What a node came to is a terminal, which is its own value.
_FAILS = cython.declare(cython.int, int(TERMINAL_FALSE))
_HOLDS = cython.declare(cython.int, int(TERMINAL_TRUE))
_UNKNOWN = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class BDDEngine(UnitEngine):
    """Follows the decision diagram of every expression."""

    literals: Literals
    diagram: Diagram
    root: cython.int[::1]  # by unit, its function
    whole: cython.int[::1]  # by node of the graph, the function of an expression
    variable_of: cython.int[::1]  # by node of the graph, the variable of a literal
    literal: cython.int[::1]  # by variable, the node of its literal
    there: cython.int[::1]  # by variable, the number that must hold, if any
    denied: cython.int[::1]  # by variable, the number that must not hold, if any
    count: cython.int  # variables
    given: cython.int  # the function of the unit that comes next, if it is known

    # Of the expression at hand, by node of the graph; or in the order in which they are met.
    met: cython.int[::1]  # the last unit in which it was met
    made: cython.int[::1]
    stack: cython.int[::1]
    reached: cython.longlong[::1]
    operators: cython.int[::1]
    operator_count: cython.int
    fresh: cython.int[::1]
    fresh_count: cython.int
    parts: cython.int[::1]
    variables: cython.longlong[::1]

    def __init__(self, missing: str):
        UnitEngine.__init__(self, missing, False)
        self.literals = Literals(self.graph, self.table)
        self.diagram = Diagram()
        self.root = filled(16, _FAILS, np.int32)
        self.whole, self.variable_of = filled(16, -1, np.int32), filled(16, -1, np.int32)
        self.literal = np.empty(16, np.int32)
        self.there, self.denied = np.empty(16, np.int32), np.empty(16, np.int32)
        self.given = _NONE
        self.met = filled(16, -1, np.int32)
        self.made, self.stack = np.empty(16, np.int32), np.empty(16, np.int32)
        self.reached = np.empty(16, np.int64)
        self.operators, self.fresh = np.empty(16, np.int32), np.empty(16, np.int32)
        self.parts, self.variables = np.empty(16, np.int32), np.empty(16, np.int64)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def form(self, graph: Graph, node: cython.int) -> cython.int:  # noqa: ARG002 - as in the base
        """Return the node as it is: an expression is not cut into clauses."""
        return node

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        if unit >= self.root.shape[0]:
            self.root = grown(self.root, unit + 1, _FAILS)
        self.reserve(self.graph.node_count)
        if self.whole[node] < 0:
            self.whole[node] = self.given if self.given >= 0 else self.function(unit, node)
        self.root[unit] = self.whole[node]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def reserve(self, count: cython.int) -> cython.int:
        """Make room for what is known and found out of the graph's nodes.

        Each array is asked for itself: what grew before another one failed would double again the next time.
        """
        if count > self.whole.shape[0]:
            self.whole = grown(self.whole, count, -1)
        if count > self.variable_of.shape[0]:
            self.variable_of = grown(self.variable_of, count, -1)
        if count > self.met.shape[0]:
            self.met = grown(self.met, count, -1)
        if count > self.made.shape[0]:
            self.made = grown(self.made, count)
        if count > self.stack.shape[0]:
            self.stack = grown(self.stack, count)
        if count > self.reached.shape[0]:
            self.reached = grown(self.reached, count)
        if count > self.operators.shape[0]:
            self.operators = grown(self.operators, count)
        if count > self.fresh.shape[0]:
            self.fresh = grown(self.fresh, count)
        if count > self.parts.shape[0]:
            self.parts = grown(self.parts, count)
        if count > self.variables.shape[0]:
            self.variables = grown(self.variables, count)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def function(self, unit: cython.int, node: cython.int) -> cython.int:
        """Return the function of an expression, with no more nodes than those that it is made of."""
        before: cython.int = self.diagram.begin()
        position: cython.int
        try:
            self.walk(unit, node)
            for position in range(self.fresh_count - 1, -1, -1):
                self.add_variable(self.fresh[position])
            for position in range(self.operator_count):
                self.made[self.operators[position]] = self.operated(self.operators[position])
            return self.diagram.swept(before, self.function_of(node))
        except BaseException:
            self.diagram.take_back(before)
            raise

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def walk(self, unit: cython.int, root: cython.int) -> cython.int:
        """Find the operators of an expression, operands first, and its new literals, those furthest in first."""
        depth: cython.Py_ssize_t = 0
        child: cython.int
        self.operator_count = self.fresh_count = 0
        if self.graph.node_kind[root] <= NODE_LITERAL:
            return self.meet_literal(unit, root)
        self.met[root] = unit
        self.stack[0] = root
        self.reached[0] = self.graph.node_start[root]
        while depth >= 0:
            child = self.next_operator(unit, depth)
            if child < 0:
                self.finish(unit, self.stack[depth])
                depth -= 1
            else:
                depth += 1
                self.stack[depth] = child
                self.reached[depth] = self.graph.node_start[child]
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def next_operator(self, unit: cython.int, depth: cython.Py_ssize_t) -> cython.int:
        """Return the next operator below the one at a depth that was not met yet, or -1."""
        position: cython.longlong
        child: cython.int
        for position in range(self.reached[depth], self.graph.node_start[self.stack[depth] + 1]):
            child = self.graph.child[position]
            if self.graph.node_kind[child] > NODE_LITERAL and self.met[child] != unit:
                self.met[child] = unit
                self.reached[depth] = position + 1
                return child
        return _NONE

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def finish(self, unit: cython.int, node: cython.int) -> cython.int:
        """Note an operator below which all were noted, and its literals."""
        position: cython.longlong
        self.operators[self.operator_count] = node
        self.operator_count += 1
        for position in range(self.graph.node_start[node + 1] - 1, self.graph.node_start[node] - 1, -1):
            self.meet_literal(unit, self.graph.child[position])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def meet_literal(self, unit: cython.int, node: cython.int) -> cython.int:
        if self.graph.node_kind[node] == NODE_LITERAL and self.variable_of[node] < 0 and self.met[node] != unit:
            self.met[node] = unit
            self.fresh[self.fresh_count] = node
            self.fresh_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_variable(self, node: cython.int) -> cython.int:
        """Make a literal the last variable, and note by which numbers of a row it is known to hold."""
        variable: cython.int = self.count
        code: cython.int = self.graph.node_code[node]
        is_denied: cython.bint = self.literals.is_denied(code)
        there: cython.int = self.literals.there(code) if is_denied else self.literals.number(code)
        denied: cython.int = self.literals.denied(code) if is_denied else _NONE
        if variable >= self.denied.shape[0]:
            literal, there_of = grown(self.literal, variable + 1), grown(self.there, variable + 1)
            denied_of = grown(self.denied, variable + 1)
            self.literal, self.there, self.denied = literal, there_of, denied_of
        self.literal[variable] = node
        self.there[variable] = there
        self.denied[variable] = denied
        self.variable_of[node] = variable
        self.count = variable + 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def function_of(self, node: cython.int) -> cython.int:
        """Return the function of an operator that was made, of a literal, or of a constant."""
        if self.graph.node_kind[node] == NODE_LITERAL:
            return self.diagram.node(self.variable_of[node], TERMINAL_FALSE, TERMINAL_TRUE)
        if self.graph.node_kind[node] < NODE_LITERAL:
            return TERMINAL_TRUE if self.graph.node_kind[node] == NODE_TRUE else TERMINAL_FALSE
        return self.made[node]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def operated(self, node: cython.int) -> cython.int:
        """Return the function of an operator: its literals in one chain, joined with its other operands."""
        kind: cython.int = self.graph.node_kind[node]
        count: cython.int = 0
        literals: cython.int = 0
        position: cython.longlong
        child: cython.int
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            child = self.graph.child[position]
            if self.graph.node_kind[child] == NODE_LITERAL:
                self.variables[literals] = self.variable_of[child]
                literals += 1
            else:
                self.parts[count] = self.function_of(child)
                count += 1
        if literals:
            sort_values(cython.address(self.variables[0]), literals)
            self.parts[count] = self.diagram.chain(kind, cython.address(self.variables[0]), literals)
            count += 1
        return self.diagram.joined_all(kind, self.parts, count)

    def compacted(self, slots):
        """Return a new engine with just these slots: in the same order of variables, so that none can be refused."""
        engine: BDDEngine = self.anew()
        slot: cython.int
        known: cython.int
        place: cython.int[::1] = self.carried(engine, slots)
        for slot in slots:
            known = self.known(slot)
            engine.given = place[known] if known >= 0 else _NONE
            engine.insert(engine.slots.count, self.graph, self.told(slot), self.slots.weight_at(slot))
        engine.given = _NONE
        engine.commit()
        engine.copier = None  # it would keep this engine's graph alive
        return engine

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def known(self, slot: cython.int) -> cython.int:
        """Return the function of a slot, or -1 for FALSE, which is no unit."""
        root: cython.int = self.slots.root[slot]
        return self.whole[root] if root < self.whole.shape[0] else _NONE

    @cython.cfunc
    def carried(self, engine: BDDEngine, slots):
        """Take what some slots are made of over into an engine that is empty; return where each node is there."""
        place: cython.int[::1] = filled(self.diagram.nodes.count, 0, np.int32)
        variable_there: cython.int[::1] = filled(self.count, _NONE, np.int32)
        node: cython.int
        slot: cython.int
        variable: cython.int
        payload: cython.longlong
        for slot in slots:
            self.slots.check(slot)
            node = self.known(slot)
            if node >= 0:
                place[node] = True
        for node in range(self.diagram.nodes.count - 1, _HOLDS, -1):
            if place[node]:
                payload = self.diagram.nodes.payload[node]
                place[low_of(payload)] = place[high_of(payload)] = True
                variable_there[self.diagram.nodes.attribute[node]] = True
        self.carry_variables(engine, variable_there)
        place[_FAILS], place[_HOLDS] = _FAILS, _HOLDS
        for node in range(_HOLDS + 1, self.diagram.nodes.count):
            if place[node]:
                payload = self.diagram.nodes.payload[node]
                variable = variable_there[self.diagram.nodes.attribute[node]]
                place[node] = engine.diagram.node(variable, place[low_of(payload)], place[high_of(payload)])
        return place

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def carry_variables(self, engine: BDDEngine, variable_there: cython.int[::1]) -> cython.int:
        """Take over the variables that are marked, in their order; note which each is there."""
        variable: cython.int
        for variable in range(self.count):
            if variable_there[variable] >= 0:
                variable_there[variable] = engine.copied(self.graph, self.literal[variable])
        engine.table.prepare_new()
        engine.reserve(engine.graph.node_count)
        for variable in range(self.count):
            if variable_there[variable] >= 0:
                engine.add_variable(variable_there[variable])
                variable_there[variable] = engine.count - 1
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Following(self, outcomes)

    def structure_saved(self):
        """Return the diagram, and what its variables and the expressions are."""
        return nested(literals=self.literals.saved(), diagram=self.diagram.saved()) | {
            "functions": np.asarray(self.root),
            "whole": np.asarray(self.whole),
            "variable_of": np.asarray(self.variable_of),
            "literal": np.asarray(self.literal)[: self.count],
            "there": np.asarray(self.there)[: self.count],
            "denied": np.asarray(self.denied)[: self.count],
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.diagram = Diagram.restored(part(arrays, "diagram"))
        self.root = section(arrays, "functions", np.int32)
        self.whole = section(arrays, "whole", np.int32)
        self.variable_of = section(arrays, "variable_of", np.int32, self.whole.shape[0])
        self.literal = section(arrays, "literal", np.int32)
        self.count = self.literal.shape[0]
        self.there = section(arrays, "there", np.int32, self.count)
        self.denied = section(arrays, "denied", np.int32, self.count)

    def structure_bytes(self):
        """Return the bytes of literals and diagram."""
        known = 4 * self.units.count + 12 * self.count + 8 * min(self.graph.node_count, self.whole.shape[0])
        return {"literals": self.literals.nbytes, "diagram": self.diagram.nbytes + known}

    def figures(self):
        """Return how large the diagram is, terminals included, and how many functions the expressions are."""
        roots = np.asarray(self.root)[: self.units.committed]
        return {"variables": self.count, "nodes": self.diagram.nodes.count, "functions": len(set(roots.tolist()))}


@cython.final
@cython.cclass
class _Following(UnitSearcher):
    """One search; what a row wrote is cleaned when the next one begins."""

    holding: Holding
    root: cython.int[::1]
    there: cython.int[::1]
    denied: cython.int[::1]
    variable: cython.int[::1]
    ends: cython.longlong[::1]
    value: cython.uchar[::1]  # by node
    valued: cython.int[::1]
    valued_count: cython.int

    def __init__(self, engine: BDDEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        nodes: cython.int = engine.diagram.nodes.count
        self.holding = Holding(engine.literals, outcomes)
        self.root, self.there, self.denied = engine.root, engine.there, engine.denied
        self.variable, self.ends = engine.diagram.nodes.attribute, engine.diagram.nodes.payload
        self.value = filled(nodes, _UNKNOWN, np.uint8)
        self.value[_FAILS], self.value[_HOLDS] = _FAILS, _HOLDS
        self.valued = roomy(nodes, np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Follow every expression."""
        position: cython.int
        unit: cython.int
        for position in range(self.valued_count):
            self.value[self.valued[position]] = _UNKNOWN
        self.valued_count = 0
        self.holding.find(row)
        for unit in range(min(self.unit_limit, cython.cast(cython.int, self.root.shape[0]))):
            if self.follow(self.root[unit]) == _HOLDS:
                hit(self, unit)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def follow(self, node: cython.int) -> cython.int:
        """Go down from a node to one that is known; all on the way come to the same."""
        first: cython.int = self.valued_count
        position: cython.int
        while self.value[node] == _UNKNOWN:
            self.valued[self.valued_count] = node
            self.valued_count = self.valued_count + 1
            node = high_of(self.ends[node]) if self.holds(self.variable[node]) else low_of(self.ends[node])
        for position in range(first, self.valued_count):
            self.value[self.valued[position]] = self.value[node]
        self.visits = self.visits + 1 + self.valued_count - first
        self.outcomes.spend(1 + self.valued_count - first)
        return self.value[node]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds(self, variable: cython.int) -> cython.bint:
        """Return whether what must be there for a variable holds, and what denies it does not."""
        there: cython.int = self.there[variable]
        denied: cython.int = self.denied[variable]
        return (there < 0 or self.holding.holds[there]) and not (denied >= 0 and self.holding.holds[denied])
