"""Memory for large results: that of earlier ones to which nobody refers any more.

A system fills fresh memory with zeros, which takes about as long as computing what is
then written into it.  The C library returns arrays from 32 MB on to the system at once,
so these are kept here, as far as the system does not need them for something else.
"""

import contextlib
import mmap
import weakref
from math import prod

import numpy as np

#: Arrays of this many bytes are large.
LARGE = 2**25

#: At most this many bytes are kept.
MOST_KEPT = 2**29

_kept: list[mmap.mmap] = []


def new_array(shape: tuple[int, ...]) -> np.ndarray:
    """Return a new array of double precision with any content.

    It shares no memory with any other array that is in use.
    """
    size = 8 * prod(shape)
    if size < LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.empty(shape)
    try:
        memory = _take(size)
    except (OSError, OverflowError):
        return np.empty(shape)  # numpy says what is wrong
    array = np.frombuffer(memory)
    # All views refer to this array, so that it is gone when the last one is.
    weakref.finalize(array, _keep, memory).atexit = False
    return array.reshape(shape)


def _take(size: int) -> mmap.mmap:
    for memory in tuple(_kept):
        if len(memory) == size:
            try:
                _kept.remove(memory)
            except ValueError:  # another thread was faster
                continue
            return memory
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _advise(memory, "MADV_HUGEPAGE")
    return memory


def _keep(memory: mmap.mmap) -> None:
    if len(memory) > MOST_KEPT:
        return
    _advise(memory, "MADV_FREE")  # the system may take it back
    _kept.append(memory)
    while sum(map(len, _kept)) > MOST_KEPT:
        del _kept[0]


def _advise(memory: mmap.mmap, advice: str) -> None:
    with contextlib.suppress(AttributeError, OSError):  # the system does not know it
        memory.madvise(getattr(mmap, advice))
