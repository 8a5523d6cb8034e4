"""`deprecated`: warnings for names that a later version removes."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .problems import warn

F = TypeVar("F", bound=Callable[..., Any])


def deprecated(since: str, removed: str, use: str) -> Callable[[F], F]:
    """Return a decorator that warns at each call of a public function or class.

    ``since`` and ``removed`` are versions; ``use`` is its replacement, as a call.
    """

    def decorate(function: F) -> F:
        message = (
            f"{function.__qualname__} is deprecated since jointwrench {since}, and version "
            f"{removed} removes it. Use {use}."
        )

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            warn(message, DeprecationWarning)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
