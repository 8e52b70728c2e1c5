"""The hedge as an engine: slots over entries, and an A-Tree beside for what would be too many clauses."""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.hedge.atoms_cy import Atoms
from cython.cimports.hedgerow.index.hedge.entries_cy import Entries
from cython.cimports.hedgerow.index.hedge.filing_cy import Filing
from cython.cimports.hedgerow.index.hedge.forms_cy import Forms
from cython.cimports.hedgerow.index.hedge.search_cy import HedgeSearch
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.sections import nested, numbers, part, scalars, section


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
    clause_count: cython.longlong

    def __init__(self, missing: str, options=None):
        BaseEngine.__init__(self, missing)
        self.rewrites = True
        self.options = HedgeOptions() if options is None else options
        self.entries = Entries()
        self.slot_beside = np.empty(16, np.int32)
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

    # Writing

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
        self.beside.insert(number, self.graph, root, 0.0)
        self.slot_beside[number] = slot
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
        if number < self.beside_count:
            self.beside.forget(number)
            self.beside_count = number
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def publish(self) -> cython.int:
        """Show what was filed. What is beside is shown at once, and not seen by who began before."""
        self.filing.filed_count = 0
        if self.beside is not None:
            self.beside.commit()
        return 0

    # Searching

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        searcher: HedgeSearch = HedgeSearch(self, outcomes)
        searcher.take_entries(self.entries)
        searcher.take_atoms(self.atoms)
        searcher.beside = self.beside
        searcher.slot_beside = self.slot_beside
        searcher.beside_limit = self.beside_count
        return searcher

    # Files

    def structure_saved(self):
        """Return atoms, entries, and what is beside."""
        saved = nested(atoms=self.atoms.saved(), entries=self.entries.saved())
        if self.beside is not None:
            saved |= nested(beside=self.beside.saved())
        counts = numbers(self.options.clauses, self.clause_count)
        return saved | {"slot_beside": np.asarray(self.slot_beside)[: self.beside_count], "counts": counts}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        clauses, self.clause_count = scalars(arrays, "counts", 2)
        self.options = HedgeOptions(clauses=clauses)
        self.begin_with(Atoms.restored(self.graph, self.table, part(arrays, "atoms")))
        self.entries = Entries.restored(part(arrays, "entries"))
        self.slot_beside = section(arrays, "slot_beside", np.int32)
        self.beside_count = self.slot_beside.shape[0]
        beside = part(arrays, "beside")
        if beside:
            self.beside = ATreeEngine.restored(self.missing, beside)

    def structure_bytes(self):
        """Return the bytes of each part."""
        parts = {"atoms": self.atoms.nbytes, "entries": self.entries.nbytes}
        if self.beside is not None:
            parts["beside"] = sum(self.beside.bytes_by_part().values()) + 4 * self.beside_count
        return parts

    def figures(self):
        """Return what there is to tell of the clauses."""
        return {
            "clauses": self.clause_count,
            "entries": self.entries.live,
            "atoms": self.atoms.keys.count,
            "expressions beside": self.beside_count,
            "events seen": self.atoms.events,
            "clauses that the last search looked at closely": self.last_checked,
        }
