# LIKE and ILIKE, without the GIL.

cdef extern from "string.h" nogil:
    void* memmem(const void* haystack, size_t haystack_length, const void* needle, size_t needle_length)

# What one test is about; a place is one in the pattern, a position one in the text.
cdef struct Asked:
    const unsigned char* text
    const unsigned char* pattern
    bint fold
    long long* steps

# The characters of a segment that differ, sorted, and for each, and for all others (row 0), at which places it fits.
cdef struct Masks:
    int count
    int words
    int distinct
    int* characters
    unsigned long long* rows
    unsigned long long* state

cdef bint like(
    const unsigned char* text,
    Py_ssize_t length,
    const unsigned char* pattern,
    Py_ssize_t size,
    bint fold,
    long long* steps,
) noexcept nogil
