"""Garbage collection during work that makes many objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from .locks import Lock

#: Whether garbage collection was on, for each pause that has not ended.
_was_on: list[bool] = []


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause Python's cyclic garbage collection, for use in a ``with`` statement.

    A growing derivation has no garbage, but each collection visits all of its objects: half of the
    time for a large model.  If collection was off before, it stays off; with several threads the
    last one that ends turns it on.
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
    """Turn collection on in a forked process, in which the pausing threads do not exist."""
    if any(_was_on):
        gc.enable()
    _was_on.clear()


_lock = Lock(restore=_start_again)
