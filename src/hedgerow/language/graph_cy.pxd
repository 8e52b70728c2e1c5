# The fields and compiled methods that the parser, the rewrites and the engines use.

cimport cython

from hedgerow.symbols_cy cimport SymbolTable

cdef enum NodeCode:
    NODE_FALSE = 0
    NODE_TRUE = 1
    NODE_PREDICATE = 2
    NODE_LITERAL = 3
    NODE_NOT = 4
    NODE_AND = 5
    NODE_OR = 6
    NODE_XOR = 7
    NODE_XNOR = 8

# A slot of the predicates' hash table: the upper half of the hash, and the number plus one; 0 is a free one. Where a
# hash belongs is its share of the size, which can be any number.

cdef inline Py_ssize_t slot_home(unsigned long long state, Py_ssize_t size) noexcept nogil:
    return <Py_ssize_t> (((state >> 32) * <unsigned long long> size) >> 32)

cdef inline unsigned long long slot_entry(unsigned long long state, int number) noexcept nogil:
    return (state >> 32 << 32) | (<unsigned long long> number + 1)

cdef inline bint slot_tells(unsigned long long entry, unsigned long long state) noexcept nogil:
    return (entry ^ state) >> 32 == 0

cdef inline int slot_number(unsigned long long entry) noexcept nogil:
    return <int> (entry & 0xFFFFFFFFU) - 1

@cython.final
cdef class Graph:
    cdef readonly SymbolTable names
    cdef readonly SymbolTable strings

    cdef unsigned char[::1] value_kind
    cdef long long[::1] value_payload
    cdef double[::1] value_weight
    cdef long long value_count

    cdef unsigned char[::1] predicate_operator
    cdef int[::1] predicate_attribute
    cdef unsigned int[::1] predicate_start
    cdef unsigned long long[::1] predicate_slots
    cdef int[::1] predicate_node
    cdef readonly int predicate_count

    cdef unsigned char[::1] node_kind
    cdef int[::1] node_code
    cdef long long[::1] node_start
    cdef unsigned long long[::1] node_hash
    cdef int[::1] node_slots
    cdef int[::1] child
    cdef readonly int node_count

    cdef unsigned long long seed
    cdef bint repeating
    cdef readonly bint weighted
    cdef readonly int kinds
    cdef readonly long long generation
    cdef readonly Graph original
    cdef public object foreseen

    cdef int push_value(self, int kind, long long payload, double weight) except -1 nogil
    cdef int grow_values(self) except -1 with gil
    cdef int weigh_last(self, double weight) except -1 nogil
    cdef int grow_weights(self) except -1 with gil
    cdef int drop_values(self) except -1 nogil
    cdef int intern_predicate(self, int operator, int attribute) except -1 nogil
    cdef unsigned long long predicate_state(
        self, int operator, int attribute, long long start, long long count
    ) except? 1 nogil
    cdef bint is_same(
        self, int number, int operator, int attribute, long long start, long long count
    ) except -1 nogil
    cdef int forget_predicates(self) except -1
    cdef bint same_operands(self, long long first, long long second, long long count) except -1 nogil
    cdef bint lacks_room(self) noexcept nogil
    cdef int grow_predicates(self) except -1 with gil
    cdef int add_leaf(self, int kind, int code) except -1 nogil
    cdef int predicate_leaf(self, int number) except -1 nogil
    cdef int grow_leaves(self) except -1 with gil
    cdef int add_node(self, int kind, const int* children, Py_ssize_t count) except -1 nogil
    cdef int intern_node(self, int kind, int code, const int* children, Py_ssize_t count) except -1 nogil
    cdef bint has_room(self, Py_ssize_t count) noexcept nogil
    cdef int grow_nodes(self, Py_ssize_t count) except -1 with gil
    cdef int rehash_nodes(self) except -1
    cdef int rehash_predicates(self) except -1
    cdef int push_python_value(self, object value, double weight) except -1
    cdef object python_value(self, long long position)
    cdef int add_predicate(self, object predicate) except -1
    cdef object predicate_object(self, int number)
    cdef int check(self, int node) except -1


cdef inline double weight_at(Graph graph, long long position) except? -1 nogil:
    # The weight of a value: where no weight was ever given, there is no array of them.
    return graph.value_weight[position] if graph.value_weight.shape[0] else 0.0
