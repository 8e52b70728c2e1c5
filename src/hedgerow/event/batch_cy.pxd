# The arrays of a batch, for the compiled modules that read them. Nobody writes to them once the batch is made.

cimport cython

from hedgerow.symbols_cy cimport SymbolTable

@cython.final
cdef class EventBatch:
    cdef SymbolTable names
    cdef SymbolTable strings

    cdef long long[::1] row_start
    cdef int[::1] entry_attribute
    cdef unsigned char[::1] entry_kind
    cdef long long[::1] entry_payload

    cdef long long[::1] list_start
    cdef unsigned char[::1] element_kind
    cdef long long[::1] element_payload

    # What cannot be used (problems.py), or None.
    cdef readonly list problems

    cdef object value_of(self, int kind, long long payload)
    cdef tuple list_of(self, long long number)
