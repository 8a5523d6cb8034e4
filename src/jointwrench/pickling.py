"""Pickling of models whose parts refer to each other in long chains.

The frames and points of a chain of bodies lead from one to the next, and pickle
follows them one call deeper each time.
"""

import contextlib
import copyreg
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from typing import Any

from sympy import Function
from sympy.core.function import UndefinedFunction

#: Memory for the calls of pickle, and how deep they may go.
_STACK = 512 * 2**20
_DEPTH = 10**6

_lock = threading.Lock()

# The limits of the interpreter while they are changed.
_before: tuple[int, int] | None = None


@contextlib.contextmanager
def _deep_calls() -> Iterator[None]:
    """Let new threads call deeper; one caller at a time, since the limits are everybody's."""
    global _before
    with _lock:
        _before = sys.getrecursionlimit(), threading.stack_size()
        sys.setrecursionlimit(_DEPTH)
        threading.stack_size(_STACK)
        try:
            yield
        finally:
            _restore_limits()


def _restore_limits() -> None:
    global _before
    if _before is not None:
        depth, stack = _before
        sys.setrecursionlimit(depth)
        threading.stack_size(stack)
        _before = None


def _start_anew() -> None:
    """Undo in a forked process what another thread had under way, which is not there any more."""
    global _lock
    _lock = threading.Lock()
    _restore_limits()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


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

    with _deep_calls():
        thread = threading.Thread(target=dump)
        thread.start()
        thread.join()
    (result,) = results
    if isinstance(result, Exception):
        raise pickle.PicklingError(f"The model cannot be pickled: {result}") from result
    return result


def restore(cls: Any, state: bytes) -> Any:
    """Return an object of a class with a pickled state."""
    instance = cls.__new__(cls)
    instance.__dict__.update(pickle.loads(state))
    return instance


def function_recipe(function: Any) -> tuple[Any, ...]:
    """Return what makes an undefined function, such as a coordinate's, again."""
    return make_function, (function.name, function._kwargs)


def make_function(name: str, assumptions: dict[str, Any]) -> Any:
    """Return an undefined function."""
    return Function(name, **assumptions)


# Before version 1.14 sympy cannot pickle them; since then it does so in the same way.
if UndefinedFunction not in copyreg.dispatch_table:
    copyreg.pickle(UndefinedFunction, function_recipe)
