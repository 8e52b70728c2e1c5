# Some things that compilers know and the language does not.

cdef extern from *:
    """
    /* The empty statement is an effect: GCC drops calls of functions that do nothing but fetch. */
    #define hedgerow_prefetch(address) ({ __builtin_prefetch(address); __asm__ volatile(""); })
    #define hedgerow_lowest_bit(word) __builtin_ctzll(word)
    #define hedgerow_without_lowest_bit(word) ((word) & ((word) - 1))
    #define hedgerow_bit_count(word) __builtin_popcountll(word)
    /* What was written before is written, and what was read before was read, for all threads. */
    #define hedgerow_fence() __atomic_thread_fence(__ATOMIC_ACQ_REL)
    #define hedgerow_taken_from(counter, amount) __atomic_fetch_add(counter, amount, __ATOMIC_SEQ_CST)

    static inline unsigned long long hedgerow_folded_product(unsigned long long value) {
    #ifdef __SIZEOF_INT128__
        unsigned __int128 product = (unsigned __int128) value * 0x9E3779B97F4A7C15ULL;
        return (unsigned long long) product ^ (unsigned long long) (product >> 64);
    #else
        unsigned long long low = value & 0xFFFFFFFFU, high = value >> 32;
        unsigned long long first = low * 0x7F4A7C15U, second = high * 0x7F4A7C15U;
        unsigned long long third = low * 0x9E3779B9U, fourth = high * 0x9E3779B9U;
        unsigned long long middle = (first >> 32) + (second & 0xFFFFFFFFU) + third;
        return ((middle << 32) | (first & 0xFFFFFFFFU)) ^ (fourth + (second >> 32) + (middle >> 32));
    #endif
    }
    """
    void prefetch "hedgerow_prefetch" (const void* address) noexcept nogil
    int lowest_bit "hedgerow_lowest_bit" (unsigned long long word) noexcept nogil
    # Of zero it is zero: said here, since in Python's terms that would overflow on the way.
    unsigned long long without_lowest_bit "hedgerow_without_lowest_bit" (unsigned long long word) noexcept nogil
    int bit_count "hedgerow_bit_count" (unsigned long long word) noexcept nogil
    # The halves of the product with a constant of 64 bits, one folded into the other.
    unsigned long long folded_product "hedgerow_folded_product" (unsigned long long value) noexcept nogil
    long long taken_from "hedgerow_taken_from" (long long* counter, long long amount) noexcept nogil
    void fence "hedgerow_fence" () noexcept nogil
