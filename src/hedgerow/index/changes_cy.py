"""The steps of a change that belong together: of the engine, and of the ids.

Compiled so that, with a compiled engine, no signal handler and no other thread comes in between: an interrupt is seen
before a change or after it.
"""

import threading

import cython

from hedgerow.errors import HedgerowError, Unsupported

_AHEAD = cython.declare(cython.Py_ssize_t, 128)  # rows whose ids are fetched at once


@cython.cclass
class WriterLock:
    """One writer at a time; and no change begins within another, as a signal handler or ``__del__`` might try.

    >>> lock = WriterLock()
    >>> with lock:
    ...     with lock:
    ...         pass
    Traceback (most recent call last):
    ...
    hedgerow.errors.Unsupported: an index cannot be changed from within a change of its own
    """

    lock: object
    writing: cython.bint

    def __init__(self):
        # Re-entrant, so that a handler which comes right after a thread got the lock does not wait for its own thread.
        self.lock = threading.RLock()

    def __enter__(self):
        self.lock.acquire()
        if self.writing:
            self.lock.release()
            raise Unsupported("an index cannot be changed from within a change of its own")
        self.writing = True

    def __exit__(self, *_):
        self.writing = False
        self.lock.release()


def insert(engine, ids, id, graph, node, weight):
    """Insert one expression under a new id."""
    ids.check_new(id)
    _insert(engine, ids, id, graph, node, weight)
    engine.commit()


def insert_rows(engine, ids, rows, graph, nodes, weights, errors):
    """Insert the rows that have no error yet, visible together; add the errors of those that cannot be."""
    row: cython.Py_ssize_t = 0
    check_new = ids.check_new
    try:
        for id, node, weight in zip(rows, nodes, weights, strict=True):
            if row % _AHEAD == 0:
                ids.foresee(rows, row, row + _AHEAD)
            if not errors or row not in errors:
                try:
                    check_new(id)
                    _insert(engine, ids, id, graph, node, weight)
                except HedgerowError as error:
                    errors[row] = error
            row += 1
    finally:
        engine.commit()


@cython.cfunc
def _insert(engine, ids, id, graph, node, weight):
    engine.insert(ids.slots, graph, node, weight)
    try:
        ids.add(id)
    except BaseException:
        engine.forget(ids.slots)
        raise


def update(engine, ids, id, graph, node, weight):
    """Put another expression in the place of an id's."""
    slot = ids.known(id)
    engine.insert(ids.slots, graph, node, weight)
    try:
        ids.move(slot)
    except BaseException:
        engine.forget(ids.slots)
        raise
    engine.delete(slot)
    engine.commit()


def delete(engine, ids, id):
    """Take the expression of an id out."""
    slot = ids.known(id)
    engine.delete(slot)
    engine.commit()
    ids.remove(slot)
