"""Garbage collection during work that makes many objects."""

import gc
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")


class _Uncollected:
    """Suspends Python's cyclic garbage collection, which finds nothing in a growing derivation.

    Each collection visits all objects: half of the time of a long model.  If it was off before, it
    stays off; the last of several threads switches it on.
    """

    def __init__(self) -> None:
        self._lock, self._count, self._was_on = RLock(), 0, False

    def __call__(
        self, function: Callable[_Arguments, _Returned]
    ) -> Callable[_Arguments, _Returned]:
        # not a ContextDecorator: `warn` looks for the first line that is not of this package
        @wraps(function)
        def waiting(*args: _Arguments.args, **options: _Arguments.kwargs) -> _Returned:
            with self:
                return function(*args, **options)

        return waiting

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._was_on = gc.isenabled()
                gc.disable()
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_on:
                gc.enable()


uncollected = _Uncollected()
