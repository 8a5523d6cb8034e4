"""Locks for threads, signal handlers and forked processes."""

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any
from weakref import WeakSet

_locks: WeakSet["Lock"] = WeakSet()


class Lock:
    """A reentrant lock that is free in a forked process.

    Since the same thread may acquire it again, a signal handler never waits for the code that it
    interrupted.  ``restore`` is called in each forked process: it repairs the data that a thread of
    the parent process was changing under the lock.
    """

    def __init__(self, restore: Callable[[], object] = tuple) -> None:
        self._lock, self._restore = RLock(), restore
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Replace the lock in a forked process if a thread of the parent had acquired it."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = RLock()
        self._restore()


def _renew_all() -> None:
    """Renew all locks of the package in a forked process, and those of cached properties."""
    for lock in [*_locks]:
        lock.renew()
    package = __name__.partition(".")[0]
    modules = [x for name, x in sys.modules.items() if name.partition(".")[0] == package]
    kinds = {x for module in modules for x in vars(module).values() if isinstance(x, type)}
    for property_ in (x for kind in kinds for x in vars(kind).values()):
        if isinstance(property_, cached_property) and hasattr(property_, "lock"):
            property_.lock = RLock()  # before Python 3.12


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
