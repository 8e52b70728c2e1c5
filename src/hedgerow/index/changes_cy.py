"""The steps of a change that belong together: of the engine, and of the ids.

Compiled so that, with a compiled engine, no signal handler and no other thread comes in between: an interrupt is seen
before a change or after it.
"""

import os
import threading
import weakref

import cython
from cython.cimports.hedgerow.symbols_cy import SymbolTable

from hedgerow.errors import HedgerowError, Unsupported

# Every lock that there is. Who forks takes all of them, so that no change is half made in the child.
_locks = weakref.WeakSet()
_forking = threading.RLock()
_held: list = []
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
    __weakref__: object

    def __init__(self):
        # Re-entrant, so that a handler which comes right after a thread got the lock does not wait for its own thread.
        self.lock = threading.RLock()
        _locks.add(self)

    def __enter__(self):
        self.lock.acquire()
        if self.writing:
            self.lock.release()
            raise Unsupported("an index cannot be changed from within a change of its own")
        self.writing = True

    def __exit__(self, *_):
        self.writing = False
        self.lock.release()

    def tend(self, engine):
        """Let an engine put itself in order, unless somebody is writing."""
        if not self.lock.acquire(blocking=False):
            return
        try:
            if not self.writing:
                engine.tend()
        finally:
            self.lock.release()

    def hold(self):
        """Wait until no other thread is writing, and keep it so."""
        self.lock.acquire()

    def let_go(self):
        """End what ``hold`` began."""
        self.lock.release()


def _before_fork():
    """Hold all writers: of a change in another thread the child has all or nothing, and never waits for it."""
    _forking.acquire()
    for lock in list(_locks):
        lock.hold()
        _held.append(lock)


def _after_fork():
    """Let the writers go on; in the child that is the thread that forked, under its old name."""
    while _held:
        _held.pop().let_go()
    _forking.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def unknown_names(graph, known: set):
    """Return the names of a graph that are not known; mostly none, so this is quick."""
    table: SymbolTable = graph.names
    number: cython.int
    found: list = []
    for number in range(table.count):
        name = table[number]
        if name not in known:
            found.append(name)
    return found


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
