"""Pickling of models whose parts refer to each other in long chains.

The frames and points of a chain of bodies lead from one to the next, and pickle
follows them one call deeper each time.
"""

import pickle
import sys
import threading
from typing import Any

#: Memory for the calls of pickle, and how deep they may go.
_STACK = 512 * 2**20
_DEPTH = 10**6

_lock = threading.Lock()


def deep_dumps(value: Any) -> bytes:
    """Return the pickle of a value, however long its chains are.

    Raises
    ======

    PicklingError
        If a part of it cannot be pickled.
    """
    results: list[Any] = []

    def dump() -> None:
        try:
            results.append(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            results.append(error)

    with _lock:
        depth, stack = sys.getrecursionlimit(), threading.stack_size(_STACK)
        sys.setrecursionlimit(_DEPTH)
        try:
            thread = threading.Thread(target=dump)
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(depth)
            threading.stack_size(stack)
    (result,) = results
    if isinstance(result, Exception):
        raise pickle.PicklingError(f"The model cannot be pickled: {result}") from result
    return result


def restore(cls: Any, state: bytes) -> Any:
    """Return an object of a class with a pickled state."""
    instance = cls.__new__(cls)
    instance.__dict__.update(pickle.loads(state))
    return instance
