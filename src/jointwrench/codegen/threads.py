"""The threads among which large batches are split; they are kept for the next batch."""

import os
from concurrent.futures import ThreadPoolExecutor

_pools: dict[int, ThreadPoolExecutor] = {}


def pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of so many threads."""
    found = _pools.get(threads)
    if found is None:
        found = _pools.setdefault(threads, ThreadPoolExecutor(threads, "jointwrench"))
    return found


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a fork has no threads but its own
