# Letting signals in: Python runs their handlers in its main thread, and only when that thread asks. Code that works for
# long without the GIL counts its steps, and asks every few milliseconds: an interrupt is then answered at once.

from cpython.exc cimport PyErr_CheckSignals

cdef enum:
    MANY_STEPS = 524288  # of about ten nanoseconds each

cdef inline int answer_signals() except -1 nogil:
    """Run the handlers of signals that have come, if this is the main thread; what one raises is raised here."""
    with gil:
        PyErr_CheckSignals()
    return 0
