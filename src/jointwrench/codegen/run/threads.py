"""The threads among which large batches are split; they are kept for the next batch."""

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Part = TypeVar("Part")

_pools: dict[int, ThreadPoolExecutor] = {}


def spread(work: Callable[[Part], None], parts: Iterable[Part], threads: int) -> None:
    """Do all parts of some work, in this thread and in ``threads`` - 1 others.

    Each thread takes the next part when it has done one.  This one takes part,
    since it is awake already; when it returns or raises, the others are done.
    Where no thread can be started, as when the interpreter is ending, it does
    all there is to do.
    """
    if threads == 1:
        for part in parts:
            work(part)
        return
    rest = deque(parts)

    def work_off() -> None:
        while True:
            try:
                part = rest.popleft()
            except IndexError:
                return
            work(part)

    pool, others = _pool(threads - 1), []
    try:
        for _ in range(threads - 1):
            others.append(pool.submit(work_off))
    except RuntimeError:
        _pools.pop(threads - 1, None)
    try:
        work_off()
    finally:
        rest.clear()
        wait(others)
        if len(others) < threads - 1:
            pool.shutdown()  # it may have kept what it refused, and have begun it
    for other in others:
        other.result()


def _pool(threads: int) -> ThreadPoolExecutor:
    found = _pools.get(threads)
    if found is None:
        found = _pools.setdefault(threads, ThreadPoolExecutor(threads, "jointwrench"))
    return found


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a fork has no threads but its own
