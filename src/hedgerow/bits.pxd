# Some things that compilers know and the language does not.

cdef extern from *:
    """
    /* The empty statement is an effect: GCC drops calls of functions that do nothing but fetch. */
    #define hedgerow_prefetch(address) ({ __builtin_prefetch(address); __asm__ volatile(""); })
    #define hedgerow_lowest_bit(word) __builtin_ctzll(word)
    #define hedgerow_bit_count(word) __builtin_popcountll(word)
    #define hedgerow_taken_from(counter, amount) __atomic_fetch_add(counter, amount, __ATOMIC_SEQ_CST)
    """
    void prefetch "hedgerow_prefetch" (const void* address) noexcept nogil
    int lowest_bit "hedgerow_lowest_bit" (unsigned long long word) noexcept nogil
    int bit_count "hedgerow_bit_count" (unsigned long long word) noexcept nogil
    long long taken_from "hedgerow_taken_from" (long long* counter, long long amount) noexcept nogil
