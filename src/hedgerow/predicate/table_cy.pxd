# What the outcomes read of a table.

cimport cython

from hedgerow.language.graph_cy cimport Graph
from hedgerow.symbols_cy cimport SymbolTable

@cython.final
cdef class PredicateTable:
    cdef readonly Graph graph
    cdef readonly int count
    cdef unsigned char[::1] family
    cdef int[::1] listed_count
    cdef int[::1] regex
    cdef unsigned char[::1] listed_kind
    cdef long long[::1] listed_payload
    cdef double[::1] listed_weight
    cdef readonly SymbolTable folded
    cdef list regexes
    cdef dict together
    cdef bint apart
    cdef readonly bint remade

    cdef object compiled(self, int number)
    cdef object regexes_of(self, int attribute)
    cdef int prepare_new(self) except -1
    cdef int grow(self) except -1
    cdef int share(self) except -1
    cdef int separate(self) except -1
    cdef int copy_operands(self, int number, long long first, long long last) except -1
    cdef bint is_sorted(self, long long first, long long last) except -1
    cdef int prepare(self, int number) except -1
    cdef int prepare_list(self, int number, long long first, long long last) except -1


cdef inline int listed_count(PredicateTable table, int predicate) except -1 nogil:
    # How many operands a predicate has to be tested against: its own, or those of a list that differ.
    if table.listed_count.shape[0]:
        return table.listed_count[predicate]
    return <int> (table.graph.predicate_start[predicate + 1] - table.graph.predicate_start[predicate])


cdef inline int family_bit(int kind) noexcept nogil:
    # Kinds that can be compared with each other share a bit: whole numbers and floats do. NULL, NaN and lists have none.
    # In the order of values.Kind: NULL, BOOL, INT, FLOAT, STRING, TIMESTAMP.
    if kind == 2 or kind == 3:
        return 2
    if kind == 1:
        return 1
    if kind == 4:
        return 4
    return 8 if kind == 5 else 0
