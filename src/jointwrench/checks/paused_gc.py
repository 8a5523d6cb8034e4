"""Garbage collection during work that makes many objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from .locks import Lock

_was_on: list[bool] = []  # for each that waits


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Suspend Python's cyclic garbage collection, which finds nothing in a growing derivation.

    Each collection visits all objects: half of the time of a long model.  If it was off before, it
    stays off; the last of several threads switches it on.
    """
    with _lock:
        _was_on.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _was_on and _was_on.pop() and not _was_on:
                gc.enable()


def _start_again() -> None:
    """Forget threads that wait, which do not exist in a forked process."""
    if any(_was_on):
        gc.enable()
    _was_on.clear()


_lock = Lock(restore=_start_again)
