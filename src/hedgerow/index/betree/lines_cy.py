"""Lines: how far keys are from each other, where a bucket is cut, and how far a line reaches that is made longer."""

import cython
from cython.cimports.hedgerow.predicate.keys import number_key
from cython.cimports.libc.string import memcpy

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LARGEST = cython.declare(cython.double, 1.7e308)
_SIGN = cython.declare(cython.ulonglong, 1 << 63)


def is_narrower(axes, one, other):
    """Return whether the ends of a literal are closer to each other than those of another."""
    return _distance(axes.low[one], axes.high[one]) < _distance(axes.low[other], axes.high[other])


def middle_of(low, high, by_number):
    """Return where a bucket is cut: at or after ``low``, and before ``high``, which is greater."""
    width: cython.ulonglong = _distance(low, high)
    mean: cython.longlong
    if by_number:
        mean = number_key(_number_of(low) / 2.0 + _number_of(high) / 2.0)
        if low <= mean < high:
            return mean
    return cython.cast(cython.longlong, (_from_lowest(low) + width // 2) ^ _SIGN)


def reached(start, end, are_numbers):
    """Return where one comes to who goes from a start to an end and as far again."""
    number: cython.double
    if are_numbers:
        number = 2.0 * _number_of(end) - _number_of(start)
        return number_key(number) if -_LARGEST <= number <= _LARGEST else end
    if end > start:
        return end + cython.cast(cython.longlong, min(_distance(start, end), _distance(end, _HIGHEST)) // 2)
    return end - cython.cast(cython.longlong, min(_distance(end, start), _distance(_LOWEST, end)) // 2)


@cython.cfunc
@cython.exceptval(check=False)
def _distance(low: cython.longlong, high: cython.longlong) -> cython.ulonglong:
    return _from_lowest(high) - _from_lowest(low)


@cython.cfunc
@cython.exceptval(check=False)
def _from_lowest(key: cython.longlong) -> cython.ulonglong:
    """Return how far a key is from the lowest there is."""
    return cython.cast(cython.ulonglong, key) ^ _SIGN


@cython.cfunc
@cython.exceptval(check=False)
def _number_of(key: cython.longlong) -> cython.double:
    """Return the number that has a key."""
    number: cython.double
    bits: cython.longlong = key ^ _HIGHEST if key < 0 else key
    memcpy(cython.address(number), cython.address(bits), 8)
    return number
