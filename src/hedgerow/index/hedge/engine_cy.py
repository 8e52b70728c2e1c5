"""The hedge as an engine: slots over entries, and an A-Tree beside for what would be too many clauses."""

from dataclasses import astuple

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.scorer_cy import Scorer
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.hedge.atoms_cy import PRIVATE, Atoms
from cython.cimports.hedgerow.index.hedge.entries_cy import (
    REST_COMPARED,
    REST_KIND,
    REST_KIND_BITS,
    REST_LITERAL,
    REST_NONE,
    REST_SOME,
    Entries,
)
from cython.cimports.hedgerow.index.hedge.filing_cy import Filing
from cython.cimports.hedgerow.index.hedge.forms_cy import Forms
from cython.cimports.hedgerow.index.hedge.search_cy import HedgeSearch
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.index.hedge.picture import drawing
from hedgerow.language.rewrite import over_literals
from hedgerow.sections import nested, numbers, part, scalars, section

# How many expressions are filed anew for an event that was searched for: some, and a share of all of them, but no more
# than take a fraction of a millisecond.
_AT_ONCE = cython.declare(cython.int, 64)
_STEPS = cython.declare(cython.int, 1024)
_MOST_AT_ONCE = cython.declare(cython.int, 256)
_MOST_ROWS = cython.declare(cython.longlong, 64)  # events of a batch that count for that


@cython.final
@cython.cclass
class HedgeEngine(BaseEngine):
    """Clauses of tests over atoms. Implements ``hedgerow.index.engine.Engine``."""

    options = cython.declare(object, visibility="readonly")
    atoms: Atoms
    forms: Forms
    filing: Filing
    entries: Entries
    beside: object  # the A-Tree, once there is something for it
    slot_beside: cython.int[::1]  # by its slots, ours
    beside_count: cython.int
    is_beside: cython.uchar[::1]  # by slot, as far as there is something
    clause_count: cython.longlong
    restless = cython.declare(cython.bint, visibility="readonly")  # whether ``tend`` has something to do
    learnt: cython.longlong  # events that searches saw
    due: cython.longlong  # how many of them are to have been seen when clauses are filed anew
    tended_at: cython.longlong  # events that had been seen when ``tend`` was called last
    draft: Entries  # the lists that are being made
    drafted: cython.int
    draft_clauses: cython.longlong
    bounds: object  # by slot, what it can score beside its own weight; None until that is wanted
    draft_version: cython.longlong  # what was gone then is not filed

    def __init__(self, missing: str, options=None):
        BaseEngine.__init__(self, missing)
        self.rewrites = True
        self.options = HedgeOptions() if options is None else options
        self.entries = Entries()
        self.slot_beside = np.empty(16, np.int32)
        self.is_beside = np.empty(0, np.uint8)
        self.due = self.options.after
        self.begin_with(Atoms(self.graph, self.table))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_with(self, atoms: Atoms) -> cython.int:
        """File by these atoms."""
        self.atoms = atoms
        self.forms = Forms(atoms, self.options.clauses)
        self.filing = Filing(atoms, self.forms)
        return 0

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    def compacted(self, slots):
        """Return a new engine with just these slots, which knows what this one has learnt."""
        engine: HedgeEngine = self.anew()
        copier: Copier
        slot: cython.int
        for slot in slots:
            self.slots.check(slot)
            engine.insert(engine.slots.count, self.graph, self.told(slot), self.slots.weight_at(slot))
        engine.commit()
        copier = engine.copier
        if copier is not None:
            engine.atoms.learn(self.atoms, copier)
            engine.learnt, engine.due = self.learnt, self.due
            engine.restless = self.learnt > 0
        engine.copier = None  # it would keep this engine's graph alive
        return engine

    # Writing

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def simplified(self, graph: Graph, node: cython.int) -> cython.int:
        """Return literals under AND and OR; clauses need no order of them, and flatten them by themselves."""
        return over_literals(graph, node, self.missing)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take(self, slot: cython.int, root: cython.int) -> cython.int:
        """File the clauses of an expression; give one that has too many to the A-Tree."""
        position: cython.int
        count: cython.int = self.forms.make(root)
        try:
            if count < 0:
                return self.take_beside(slot, root)
            for position in range(count):
                self.filing.file(self.entries, slot, self.forms.stack[position], True)
        except BaseException:
            self.take_back(slot)
            raise
        self.clause_count += count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_beside(self, slot: cython.int, root: cython.int) -> cython.int:
        """Let the A-Tree beside find an expression."""
        number: cython.int = self.beside_count
        if self.beside is None:
            self.beside = ATreeEngine(self.missing)
        if number >= self.slot_beside.shape[0]:
            self.slot_beside = grown(self.slot_beside, number + 1)
        if slot >= self.is_beside.shape[0]:
            self.is_beside = grown(self.is_beside, slot + 1, 0)
        self.beside.insert(number, self.graph, root, 0.0)
        self.slot_beside[number] = slot
        self.is_beside[slot] = True
        self.beside_count = number + 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_back(self, count: cython.int) -> cython.int:
        """Let no event lead to the slots from ``count`` on."""
        number: cython.int = self.beside_count
        self.filing.take_back(self.entries, count)
        while number > 0 and self.slot_beside[number - 1] >= count:
            number -= 1
            self.is_beside[self.slot_beside[number]] = False
        if number < self.beside_count:
            self.beside.forget(number)
            self.beside_count = number
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def publish(self) -> cython.int:
        """Show what was filed. What is beside is shown at once, and not seen by who began before."""
        self.filing.filed_count = 0
        if not self.running:
            self.entries.free_rooms()
            self.pack()
        if self.beside is not None:
            self.beside.commit()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def pack(self) -> cython.int:
        """Give back room; no search is running."""
        try:
            self.entries.pack_if_worth_it()
        except MemoryError:
            pass  # It is done when there is some: the change itself is made.
        return 0

    # Searching

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        searcher: HedgeSearch = HedgeSearch(self, outcomes)
        searcher.take_entries(self.entries)
        searcher.take_atoms(self.atoms)
        searcher.beside = self.beside
        searcher.bounds = self.bounds
        searcher.slot_beside = self.slot_beside
        searcher.beside_limit = self.beside_count
        return searcher

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def end(self, searcher: Searcher) -> cython.int:
        """Learn from what a search saw."""
        search: HedgeSearch = cython.cast(HedgeSearch, searcher)
        self.learnt += search.rows
        search.teach(self.atoms)
        if self.draft is None and self.due and self.learnt >= self.due:
            self.restless = True
        return BaseEngine.end(self, searcher)

    def top(self, events, n: cython.Py_ssize_t, weights):
        """Return the best slots that match each event, and their scores."""
        if self.bounds is None or len(self.bounds) < self.slots.committed:
            self.bound_new()
        return BaseEngine.top(self, events, n, weights)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def bound_new(self) -> cython.int:
        """Find out how much the expressions can score that have come since this was done last."""
        scorer: Scorer = Scorer()
        slot: cython.int
        node: cython.int
        known: cython.int = 0 if self.bounds is None else len(self.bounds)
        bounds: cython.float[::1] = filled(self.slots.committed, 0, np.float32)
        if known:
            np.asarray(bounds)[:known] = self.bounds
        scorer.take_bounds(self.graph, self.table)
        for slot in range(known, bounds.shape[0]):
            node = self.slots.scored_at(slot)
            if node >= 0:
                bounds[slot] = scorer.bound_of(node)
        # One object for all of it, as another thread may do the same.
        self.bounds = np.asarray(bounds)
        return self.change()

    # Choosing anew what leads to clauses

    def choose_anew(self):
        """Have clauses filed anew by what is known by now, as soon as ``tend`` is called."""
        self.restless = True

    @property
    def tended(self):
        """How many expressions have been filed anew, while that goes on."""
        return self.drafted if self.draft is not None else 0

    def tend(self):
        """File some more expressions by what was learnt; called with the writers' lock held, while ``restless``.

        They are filed anew in lists of their own, which searches do not see until all are there.
        """
        count: cython.int = self.slots.committed
        rows: cython.longlong = max(1, min(_MOST_ROWS, self.learnt - self.tended_at))
        last: cython.longlong
        self.tended_at = self.learnt
        try:
            if self.draft is None:
                self.draft = Entries()
                self.drafted = 0
                self.draft_clauses = 0
                # Searches that begin from now on see nothing of what is gone by now, unless one has begun already.
                self.draft_version = -1 if self.running else self.slots.version
            self.draft.free_rooms()
            last = min(count, self.drafted + rows * min(_AT_ONCE + count // _STEPS, _MOST_AT_ONCE))
            while self.drafted < last:
                self.file_draft(self.drafted)
                self.drafted += 1
            if self.drafted == self.slots.count:
                self.change_over()
        except (MemoryError, LimitError):
            self.give_up()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def file_draft(self, slot: cython.int) -> cython.int:
        """File an expression in the lists that are being made."""
        position: cython.int
        count: cython.int
        if self.slots.has_died and self.slots.died[slot] <= self.draft_version:
            return 0
        count = self.forms.make(self.slots.root[slot])
        if count < 0 and (slot >= self.is_beside.shape[0] or not self.is_beside[slot]):
            # It had fewer clauses by what was known when it came.
            self.take_beside(slot, self.slots.root[slot])
            self.beside.commit()
        for position in range(count):
            self.filing.file(self.draft, slot, self.forms.stack[position], False)
        self.draft_clauses += max(count, 0)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def change_over(self) -> cython.int:
        """Let searches that begin from now on use the lists that were made."""
        self.draft.pack()
        self.entries = self.draft
        self.clause_count = self.draft_clauses
        self.change()
        return self.give_up()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def give_up(self) -> cython.int:
        """Make no other lists until much more has been learnt."""
        self.draft = None
        self.restless = False
        self.due = max(self.due, self.options.again * self.learnt)
        return 0

    # Files

    def structure_saved(self):
        """Return atoms, entries, and what is beside."""
        saved = nested(atoms=self.atoms.saved(), entries=self.entries.saved())
        if self.beside is not None:
            saved |= nested(beside=self.beside.saved())
        counts = numbers(*astuple(self.options), self.clause_count, self.learnt, self.due)
        return saved | {"slot_beside": np.asarray(self.slot_beside)[: self.beside_count], "counts": counts}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        clauses, after, again, self.clause_count, self.learnt, self.due = scalars(arrays, "counts", 6)
        self.options = HedgeOptions(clauses=clauses, after=after, again=again)
        self.begin_with(Atoms.restored(self.graph, self.table, part(arrays, "atoms")))
        self.entries = Entries.restored(part(arrays, "entries"))
        self.slot_beside = section(arrays, "slot_beside", np.int32)
        self.beside_count = self.slot_beside.shape[0]
        if self.beside_count:
            self.is_beside = np.zeros(self.slots.count, np.uint8)
            np.asarray(self.is_beside)[np.asarray(self.slot_beside)] = True
        beside = part(arrays, "beside")
        if beside:
            self.beside = ATreeEngine.restored(self.missing, beside)

    def structure_bytes(self):
        """Return the bytes of each part."""
        parts = {"atoms": self.atoms.nbytes, "entries": self.entries.nbytes}
        if self.beside is not None:
            parts["beside"] = sum(self.beside.bytes_by_part().values()) + 4 * self.beside_count + self.is_beside.nbytes
        return parts

    def lists(self):
        """Return the slots that each atom leads to, by what it says: for tests and curiosity."""
        lists = {self.atoms.text(number): self.entries.told(number) for number in range(self.entries.count)}
        return {atom: [slot for slot, _, _ in entries] for atom, entries in lists.items() if entries}

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the lists, where ``ids`` has the ids of slots; LimitError for more than ``most``."""
        if self.entries.live + self.beside_count > most:
            raise LimitError(
                f"a picture of {self.entries.live + self.beside_count:,} entries would have more than {most:,}; "
                f"pass most={self.entries.live + self.beside_count} to draw it"
            )
        lists = {
            self.atoms.text(number): [
                (slot, [self._told_column(*column) for column in columns], self._told_rest(rest))
                for slot, columns, rest in self.entries.told(number)
            ]
            for number in range(self.entries.count)
        }
        return drawing(lists, np.asarray(self.slot_beside)[: self.beside_count].tolist(), ids)

    def _told_column(self, kind, word):
        """Return what a column tests; nothing where the rest says it, or it tests nothing."""
        if kind == "range":
            return f"{self.atoms.line_text(word & 0xFFFF)}, by 24 bits"
        codes = list(dict.fromkeys(word >> 16 * place & 0xFFFF for place in range(4)))
        if not word or max(codes) >= PRIVATE:
            return ""
        return self._told_atoms(kind, codes)

    def _told_atoms(self, kind, atoms):
        texts = [self.atoms.text(atom) for atom in atoms]
        return f"none of {', '.join(texts)}" if kind == "none" else " or ".join(texts)

    def _told_rest(self, words):
        """Return what a rest tests."""
        told = []
        at = 0
        while at < len(words):
            kind, number = words[at] & REST_KIND, words[at] >> REST_KIND_BITS
            at += 1
            if kind == REST_LITERAL or kind == REST_COMPARED:
                told.append(self.atoms.literals.told(number))
                continue
            some = words[at : at + number]
            at += number
            if kind == REST_SOME:
                told.append(" or ".join([self.atoms.literals.told(code) for code in some]))
            else:
                told.append(self._told_atoms("none" if kind == REST_NONE else "any", some))
        return told

    def figures(self):
        """Return what there is to tell of the clauses."""
        return {
            "clauses": self.clause_count,
            "entries": self.entries.live,
            "atoms": self.atoms.keys.count,
            "expressions beside": self.beside_count,
            "events seen": self.learnt,
            "clauses that the last search looked at closely": self.last_checked,
        }
