# The fields and compiled methods of the parser. Only parse_cy.py uses them; they stand here because a class has one home.

cimport cython

from hedgerow.language.graph_cy cimport Graph

@cython.final
cdef class Parser:
    cdef readonly Graph graph
    cdef set patterns
    cdef const unsigned char* text
    cdef Py_ssize_t length
    cdef Py_ssize_t row
    cdef Py_ssize_t position
    cdef int[::1] operand
    cdef int[::1] height
    cdef Py_ssize_t operand_count
    cdef unsigned char[::1] pending
    cdef int[::1] pending_count
    cdef Py_ssize_t pending_depth
    cdef unsigned char[::1] scratch
    cdef Py_ssize_t word_start
    cdef Py_ssize_t word_length
    cdef Py_ssize_t name_start
    cdef Py_ssize_t name_stop
    cdef int value_kind

    cdef int parse_on(self, long long[::1] offsets, const unsigned char[::1] data, int[::1] roots) except -1 nogil
    cdef int parse_bytes(self, const unsigned char* text, Py_ssize_t length) except -1 nogil
    cdef int run(self) except -1 nogil
    cdef int read_operand(self) except -1 nogil
    cdef int push_operand(self, int node, int height) except -1 nogil
    cdef int grow_operands(self) except -1 with gil
    cdef int push_pending(self, int kind, int count) except -1 nogil
    cdef int grow_pending(self) except -1 with gil
    cdef int join(self, int kind) except -1 nogil
    cdef int reduce_while(self, int precedence) except -1 nogil
    cdef int reduce_one(self) except -1 nogil
    cdef int close(self) except -1 nogil
    cdef int skip_space(self) except -1 nogil
    cdef int skip_other_space(self) except -1 with gil
    cdef Py_ssize_t name_end(self, Py_ssize_t position) except -1 nogil
    cdef Py_ssize_t letter_end(self, Py_ssize_t position, bint first) except -2 nogil
    cdef Py_ssize_t other_letter_end(self, Py_ssize_t position, bint first) except -2 with gil
    cdef unsigned long long peek_word(self) except? 0 nogil
    cdef int take_word(self) except -1 nogil
    cdef int read_name(self, unsigned long long word) except -1 nogil
    cdef int read_quoted_name(self) except -1 nogil
    cdef int read_predicate(self, int attribute) except -1 nogil
    cdef int read_symbol(self) except -1 nogil
    cdef int read_word_operator(self) except -1 nogil
    cdef int read_negatable(self, unsigned long long word) except -1 nogil
    cdef int expect_word(self, unsigned long long word) except -1 nogil
    cdef int read_operands(self, int operator) except -1 nogil
    cdef int read_list(self, bint weighted) except -1 nogil
    cdef int read_value(self, bint weighted) except -1 nogil
    cdef int read_weight(self, bint weighted) except -1 nogil
    cdef int read_number(self, long long* payload) except -1 nogil
    cdef int read_float(self, Py_ssize_t start, bint negative, unsigned long long mantissa, int digits, int exponent, long long* payload) except -1 nogil
    cdef int read_string(self) except -1 nogil
    cdef int read_timestamp(self, long long* payload) except -1 with gil
    cdef int read_text(self, int operator) except -1 nogil
    cdef int check_pattern(self, int operator, int string, Py_ssize_t start) except -1 with gil
    cdef bint is_dotted(self) except -1 nogil
    cdef Py_ssize_t unquoted(self) except -1 nogil
    cdef int read_is(self) except -1 nogil
    cdef Py_ssize_t exponent_end(self, Py_ssize_t position, Py_ssize_t start) except -1 nogil
