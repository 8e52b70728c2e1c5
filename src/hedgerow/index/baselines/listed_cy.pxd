# The base of engines that have a list for each literal, and of their searches.

cimport cython

from hedgerow.index.chassis.literals_cy cimport Holding, ListsView, Literals
from hedgerow.index.chassis.units_cy cimport UnitEngine, UnitSearcher
from hedgerow.lists_cy cimport Lists, list_length

cdef enum:
    NOTHING = 0  # the list of what asks for nothing

cdef class ListedEngine(UnitEngine):
    cdef Literals literals
    cdef Lists lists
    cdef int[::1] asking  # by literal, the list of the units that ask for it

    cdef int list_number(self, int code) except -3
    cdef int list_of(self, int number) except -1
    cdef bint ask_once(self, int unit, int number) except -1

cdef class ListedSearcher(UnitSearcher):
    cdef Holding holding
    cdef ListsView lists
    cdef int[::1] asking

cdef class CountingSearcher(ListedSearcher):
    cdef int[::1] counted  # by unit
    cdef int[::1] touched
    cdef int touched_count

    cdef int count_lists(self, long long row) except -1 nogil
    @cython.final  # lists are short, and many
    cdef int count_list(self, int number) except -1 nogil


cdef inline Py_ssize_t visit(ListedSearcher searcher, int number) except -1 nogil:
    # Where a list is that is looked at.
    cdef Py_ssize_t place = searcher.lists.locate(number)
    searcher.outcomes.spend(list_length(place))
    searcher.visits = searcher.visits + list_length(place)
    return place
