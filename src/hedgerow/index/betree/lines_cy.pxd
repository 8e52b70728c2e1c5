# What can be told of lines and of the keys on them.

from hedgerow.index.betree.axes_cy cimport Axes

cdef bint is_narrower(Axes axes, int one, int other) except -1
cdef long long middle_of(long long low, long long high, bint by_number) noexcept
cdef long long reached(long long start, long long end, bint are_numbers) noexcept
