# A set of events of a block, by its handle: the address of the set, its number of events in 15 bits, and whether it is
# dense, a bit an event, or sparse, a list of 16-bit numbers. Here, because only what a .pxd defines is inlined.

cdef enum:
    INLINE = 4  # events that stand beside the handle of a sparse set
    NOT_KEPT = 1  # stands for a dense set that has to be worked out again

cdef inline unsigned long long handle_to(char* address, int count, bint dense) noexcept nogil:
    return <unsigned long long> <size_t> address << 16 | <unsigned long long> count << 1 | <unsigned long long> dense

cdef inline int set_size(unsigned long long handle) noexcept nogil:
    return <int> (handle >> 1 & 0x7FFF)

cdef inline bint is_dense(unsigned long long handle) noexcept nogil:
    return handle & 1

cdef inline unsigned short* list_at(unsigned long long handle) noexcept nogil:
    return <unsigned short*> <size_t> (handle >> 16)

cdef inline unsigned long long* bits_at(unsigned long long handle) noexcept nogil:
    return <unsigned long long*> <size_t> (handle >> 16)
