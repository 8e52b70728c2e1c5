"""The base of engines: inserting, deleting, committing, saving, and the ways in which an index searches.

An engine derives from ``BaseEngine`` and says:

=================== ===========================================================================================
``simplified``      what an expression is simplified to, if it ``rewrites``
``form``            which node of the given graph is taken in: as written, simplified, as clauses
``take``            let events lead to a slot whose expression is the node ``root`` of the engine's own graph
``take_back``       let no event lead to the slots from ``count`` on, which were never committed
``let_go``          if it ``removes``: let no event lead to a slot that was deleted
``keep_written``    what is to be kept of an expression beside its form
``publish``         what else a commit shows to searches that begin from then on
``new_searcher``    a search of its kind (``searcher_cy.py``)
``structure_saved`` its own arrays; ``structure_restored`` goes on in them; ``structure_bytes`` counts them
=================== ===========================================================================================

What it need not know of: ids, texts, versions, deletes, threads, scores. A deleted slot is hidden by its version. It
stays in the structure until the index is compacted, which makes a new engine of the slots that are left; an engine that
``removes`` is told of it at the first commit at which no search runs.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.scorer_cy import Scorer
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.chassis.slots_cy import Slots
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.crew_cy import Crew
from hedgerow.index.engine import Matches, named, ranked
from hedgerow.language.rewrite import simplify
from hedgerow.sections import nested, numbers, part, scalars

_MOST_IDLE = cython.declare(cython.Py_ssize_t, 16)


@cython.cclass
class BaseEngine:
    """What engines have in common. Implements ``hedgerow.index.engine.Engine``."""

    def __init__(self, missing: str):
        self.missing = missing
        self.graph = Graph()
        self.table = PredicateTable(self.graph)
        self.slots = Slots()
        self.idle = []
        self.scorers = []
        self.leaving = []
        self.last_visits = -1

    # What an engine says

    def simplified(self, graph, node):
        """Return what an expression is before it gets its form: AND and OR over literals."""
        return simplify(graph, node, self.missing)

    def form(self, graph, node):  # noqa: ARG002 - an engine wants it
        """Return the node that is taken in, made in the given graph; raise if there can be none."""
        return node

    def take(self, slot, root):  # noqa: ARG002 - an engine wants it
        """Let events lead to a slot; after an error, nothing does."""
        return 0

    def take_back(self, count):  # noqa: ARG002 - an engine wants it
        """Let no event lead to the slots from ``count`` on."""
        return 0

    def let_go(self, slot):  # noqa: ARG002 - an engine wants it
        """Let no event lead to a slot that was deleted, and which no search can see any more."""
        return 0

    def keep_written(self, slot, graph, node, formed):  # noqa: ARG002 - an engine wants it
        """Keep of the expression as it is written, ``node``, what is lost in the form that is taken in."""
        return 0

    def publish(self):
        """Show what was taken to the searches that begin from now on."""
        return 0

    def new_searcher(self, outcomes):
        """Return a search of what is committed."""
        return Searcher(self.graph, self.slots, outcomes, self.committed_nodes)

    def anew(self):
        """Return an empty engine of the same kind and options."""
        return type(self)(self.missing)

    def structure_saved(self):
        """Return the engine's own arrays by name, as far as they are committed."""
        return {}

    def structure_restored(self, arrays):
        """Go on in the engine's own arrays; graph, table and slots are restored."""

    def structure_bytes(self):
        """Return how many bytes each of the engine's own parts holds."""
        return {}

    # Writing

    def insert(self, slot: cython.int, graph: Graph, node: cython.int, weight: cython.double):
        """Take the expression at ``node`` into the graph of this engine, as the next slot."""
        if slot != self.slots.count:
            raise ValueError(f"slot {slot} is not the next one, {self.slots.count}")
        # What may be refused comes first, in the other graph; what is copied counts only when this has come to its end.
        weighted: cython.bint = graph.weighted and graph.has_weights(node)
        simplified: cython.int = node
        if self.rewrites or weighted:
            simplified = self.simplified(graph, node)
        formed: cython.int = self.form(graph, simplified if self.rewrites else node)
        self.change()  # before the graph grows: an idle search has room for the names that there are
        root: cython.int = self.copied(graph, formed)
        scored: cython.int = self.copied(graph, simplified) if weighted else -1
        self.keep_written(slot, graph, node, formed)
        self.table.prepare_new()
        self.slots.reserve(weighted, weight != 0.0)
        self.loose = weighted and scored != root
        self.take(slot, root)
        self.slots.add(root, scored, weight)
        self.ready_nodes = self.graph.node_count
        self.change()  # a search that began meanwhile may not become an idle one

    def copied(self, graph, node):
        """Copy a node from another graph; what was copied from it before is remembered until it is cleared."""
        if self.copier is None or self.copier.source is not graph or self.generation != graph.generation:
            self.copier = Copier(graph, self.graph)
            self.generation = graph.generation
        return self.copier.copy(node)

    def change(self):
        """Let no search that is idle go on: what it knows may be no more."""
        self.changes += 1
        if self.idle:
            self.idle = []
        return 0

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        self.slots.forget(count)
        self.change()
        self.take_back(count)

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit."""
        if self.removes:
            self.leaving.append(slot)
        self.slots.delete(slot)

    def commit(self):
        """Show what was inserted and deleted to the searches that begin from now on."""
        self.change()
        self.publish()
        self.committed_nodes = self.ready_nodes
        self.slots.commit()
        if self.removes and not self.running:
            try:
                self.let_all_go()
            except (MemoryError, LimitError):
                pass  # What could not be taken out stays, and is hidden: the change itself is made.

    def let_all_go(self):
        """Take out what was deleted. The searches that could see it have ended, those that are idle were dropped."""
        slot: cython.int
        while self.leaving:
            slot = self.leaving.pop()
            if not self.slots.is_live(slot):
                self.let_go(slot)
        return 0

    def compacted(self, slots):
        """Return a new engine with just these slots."""
        engine: BaseEngine = self.anew()
        slot: cython.int
        for slot in slots:
            self.slots.check(slot)
            engine.insert(engine.slots.count, self.graph, self.told(slot), self.slots.weight_at(slot))
        engine.commit()
        engine.copier = None  # it would keep this engine's graph alive
        return engine

    def told(self, slot: cython.int):
        """Return the node that says most of what was inserted into a slot."""
        scored: cython.int = self.slots.scored_at(slot)
        return scored if self.rewrites and scored >= 0 else self.slots.root[slot]

    # Files

    def saved(self):
        """Return the arrays that ``restored`` makes this engine of; what is not committed is not among the slots."""
        shared = nested(graph=self.graph.saved(), table=self.table.saved())
        counts = numbers(self.committed_nodes, self.slots.version)
        return shared | self.slots.saved() | {"numbers": counts} | self.structure_saved()

    @classmethod
    def restored(cls, missing: str, arrays):
        """Return the engine that was saved as these arrays, in these arrays."""
        engine: BaseEngine = cls(missing)
        engine.restore(arrays)
        return engine

    def restore(self, arrays):
        """Go on in arrays that were saved."""
        self.graph = Graph.restored(part(arrays, "graph"))
        self.table = PredicateTable.restored(self.graph, part(arrays, "table"))
        self.committed_nodes, version = scalars(arrays, "numbers", 2)
        self.ready_nodes = self.committed_nodes
        if self.committed_nodes > self.graph.node_count:
            raise CorruptFile("the section 'numbers' does not fit the nodes")
        self.slots = Slots.restored(arrays, version)
        self.structure_restored(arrays)

    # Reading

    def attributes(self):
        """Return the names of the attributes that are tested."""
        names = self.graph.names
        return [names[number] for number in range(len(names))]

    @property
    def predicate_count(self):
        """How many distinct predicates the graph holds."""
        return self.graph.predicate_count

    @property
    def visits(self):
        """How many nodes or entries the last search looked at, all its events together."""
        return self.last_visits if self.last_visits >= 0 else None

    def bytes_by_part(self):
        """Return how many bytes each part holds; room that nothing was written to counts only in the predicates'."""
        parts = self.graph.bytes_by_part()
        parts["predicates"] += self.table.nbytes
        parts["slots"] = self.slots.nbytes
        return parts | self.structure_bytes()

    def expression(self, slot: cython.int):
        """Return the expression of a slot: as it was inserted, or one that matches the same events."""
        self.slots.check(slot)
        return self.graph.expression(self.told(slot))

    def begin(self, events, weights):
        """Begin a search of what is committed, which is running until the caller says that it is not.

        ``end`` is for one that came to its end; one that raised is dropped.
        """
        searcher: Searcher
        # First of all: a search takes several things one after the other, and what only those that are over may not
        # see any more is not given away meanwhile.
        self.running += 1
        try:
            if self.idle and weights is None:
                # Nothing has changed since, or it would not be here: what it knows still holds.
                searcher = self.idle.pop()
                searcher.outcomes.renew(events)
                searcher.visits = 0
                searcher.skipped = 0
                searcher.checked = 0
                return searcher
            changes: cython.longlong = self.changes
            searcher = self.new_searcher(Outcomes(self.table, events, self.missing, weights))
            searcher.changes = changes if weights is None else -1
        except BaseException:
            self.running -= 1
            raise
        return searcher

    def end(self, searcher):
        """Keep a search for the next one, if nothing has changed since it was made."""
        self.last_visits = searcher.visits
        self.last_skipped = searcher.skipped
        self.last_checked = searcher.checked
        if searcher.changes == self.changes and len(self.idle) < _MOST_IDLE:
            searcher.outcomes.end()
            self.idle.append(searcher)
        return 0

    def match(self, events, threads: cython.int = 1):
        """Return the slots that match each event."""
        if threads == 1:
            searcher: Searcher = self.begin(events, None)
            try:
                matches = searcher.match_rows(0, len(events))
            finally:
                self.running -= 1
            self.end(searcher)
            return matches
        parts = self.shared(events, threads, False)
        counts = np.concatenate([[0], *[np.diff(found.starts) for found in parts]])
        return Matches(np.cumsum(counts), np.concatenate([found.slots for found in parts]))

    def match_names(self, events, threads: cython.int, names):
        """Return the names of the slots that match each event."""
        return named(self.match(events, threads), names)

    def count(self, events, threads: cython.int = 1):
        """Return how many slots match each event."""
        if threads > 1:
            return np.concatenate(self.shared(events, threads, True))
        searcher: Searcher = self.begin(events, None)
        try:
            counts = searcher.count_rows(0, len(events))
        finally:
            self.running -= 1
        self.end(searcher)
        return counts

    def top(self, events, n: cython.Py_ssize_t, weights):
        """Return the best slots that match each event, and their scores."""
        searcher: Searcher = self.begin(events, weights)
        row: cython.Py_ssize_t
        try:
            if self.slots.has_scored:
                searcher.scorer = self.scorers.pop() if self.scorers else Scorer()
                searcher.scorer.take(self.graph, searcher.outcomes, searcher.node_limit)
            best = [searcher.best_of(row, n) for row in range(len(events))]
        finally:
            self.running -= 1
        if searcher.scorer is not None:
            self.scorers.append(searcher.scorer)
            searcher.scorer = None
        self.end(searcher)
        return ranked(best)

    def shared(self, events, threads, counting):
        """Share the rows of a batch among threads; return what each one finds in its part."""
        count = len(events)
        ends = [count * number // threads for number in range(threads + 1)]
        searchers = self.crew(events, threads)
        found = [None] * threads

        def run(number):
            found[number] = _rows(searchers[number], ends[number], ends[number + 1], counting)

        try:
            Crew(threads).run(run, lambda: _stop(searchers))
        finally:
            self.running -= threads
        visits = sum([searcher.visits for searcher in searchers])
        checked = sum([searcher.checked for searcher in searchers])
        for searcher in searchers:
            self.end(searcher)
        self.last_visits, self.last_checked = visits, checked
        return found

    def crew(self, events, threads):
        """Return a search for each thread, all of which see the same version."""
        searchers: list = self.begun(events, threads)
        while len({searcher.version for searcher in searchers}) > 1:  # a writer came in between
            self.running -= threads
            searchers = self.begun(events, threads)
        return searchers

    def begun(self, events, threads):
        """Return as many searches."""
        searchers: list = []
        try:
            while len(searchers) < threads:
                searchers.append(self.begin(events, None))
        except BaseException:
            self.running -= len(searchers)
            raise
        return searchers


@cython.cfunc
def _rows(searcher: Searcher, first: cython.longlong, last: cython.longlong, counting: cython.bint):
    return searcher.count_rows(first, last) if counting else searcher.match_rows(first, last)


@cython.cfunc
def _stop(searchers: list):
    """Let searches that share a batch come to an end soon."""
    searcher: Searcher
    for searcher in searchers:
        searcher.stopped = True
