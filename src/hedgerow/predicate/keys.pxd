# The order of values by 64-bit keys, which are coarser than the values, and the families of kinds that share an order.

from hedgerow.predicate.outcome_cy cimport Outcomes

cdef extern from "string.h" nogil:
    void* memcpy(void* target, const void* source, size_t size)


cdef inline long long number_key(double value) noexcept nogil:
    # In the order of the numbers: of negative ones the bits count the other way. Adding zero makes 0.0 of -0.0.
    cdef double plain = value + 0.0
    cdef long long bits
    memcpy(&bits, &plain, 8)
    return bits ^ 0x7FFFFFFFFFFFFFFFLL if bits < 0 else bits


cdef inline long long text_key(const unsigned char* text, Py_ssize_t length) noexcept nogil:
    # The first eight bytes, in the order of the texts but for those that share them; a short text is filled with zeros.
    cdef unsigned long long image = 0
    cdef Py_ssize_t position
    for position in range(8):
        image = image << 8 | (text[position] if position < length else 0)
    return <long long>(image ^ 0x8000000000000000ULL)


cdef inline int family_of(int bit) noexcept nogil:
    # The number of a family of kinds, or -1 where there is none or more than one.
    if bit == 1:
        return 0
    if bit == 2:
        return 1
    if bit == 4:
        return 2
    return 3 if bit == 8 else -1


cdef inline long long value_key(Outcomes outcomes, int kind, long long payload) noexcept nogil:
    # The key of an event's value, in the order of its family. In the order of values.Kind: 2 is INT, 3 FLOAT, 4 STRING.
    # A heap of empty texts has no first byte.
    cdef double number
    cdef long long start
    cdef long long length
    if kind == 2:
        return number_key(<double>payload)
    if kind == 3:
        memcpy(&number, &payload, 8)
        return number_key(number)
    if kind == 4:
        start = outcomes.event_starts[payload]
        length = outcomes.event_starts[payload + 1] - start
        return text_key(&outcomes.event_heap[0] + start if length else NULL, length)
    return payload
