# What an encoder fills; see batch_cy for what the arrays mean.

from hedgerow.event.batch_cy cimport EventBatch
from hedgerow.symbols_cy cimport SymbolTable

cdef class Rows:
    cdef SymbolTable names
    cdef SymbolTable strings

    cdef long long[::1] row_start
    cdef Py_ssize_t row_count
    cdef int[::1] entry_attribute
    cdef unsigned char[::1] entry_kind
    cdef long long[::1] entry_payload
    cdef Py_ssize_t entry_count

    cdef long long[::1] list_start
    cdef Py_ssize_t list_count
    cdef unsigned char[::1] element_kind
    cdef long long[::1] element_payload
    cdef Py_ssize_t element_count

    cdef int grow_entries(self) except -1
    cdef int grow_elements(self) except -1
    cdef int close_row(self) except -1
    cdef int close_list(self) except -1
    cdef EventBatch batch(self)
    cdef int clear(self) except -1
    cdef Py_ssize_t room(self) except -1
