"""`deprecated`, `warn_deprecated`: warnings for names that a later version removes."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .messages import warn

F = TypeVar("F", bound=Callable[..., Any])


def deprecated(since: str, removed: str, use: str) -> Callable[[F], F]:
    """Return a decorator that warns at each call of a public function or class.

    ``since`` is the version that deprecates it, ``removed`` the version that will remove it, and
    ``use`` the replacement, written as a call.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            warn_deprecated(function.__qualname__, since, removed, use)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def warn_deprecated(name: str, since: str, removed: str, use: str) -> None:
    """Warn that the user's code uses a deprecated name; see `deprecated` for the arguments."""
    text = f"{name} is deprecated since jointwrench {since}, and version {removed} removes it."
    warn(f"{text} Use {use}.", DeprecationWarning)
