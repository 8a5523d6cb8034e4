"""Access to private names of other packages; an error names the package and its version."""

import inspect
import sys
from typing import Any

PACKAGES = ("sympy", "pydy")


def private(owner: Any, name: str) -> Any:
    """Return a private attribute of another package's object, or raise a RuntimeError."""
    try:
        return getattr(owner, name)
    except AttributeError:
        raise _missing_name_error(type(owner), name) from None


def require_names(owner: type, *names: str, by: type | None = None) -> None:
    """Raise a RuntimeError if a class of another package does not have some private names.

    If our class ``by`` overrides methods with these names, their first arguments must be the same.
    """
    for name in names:
        if not hasattr(owner, name):
            raise _missing_name_error(owner, name)
        if by is not None and inspect.isroutine(getattr(owner, name)):
            own = inspect.signature(getattr(by, name))
            theirs = [*inspect.signature(getattr(owner, name)).parameters]
            if [*own.parameters][: len(theirs)] != theirs:
                raise _missing_name_error(owner, f"{name}{own}")


def _missing_name_error(owner: type, name: str) -> RuntimeError:
    """Return the error for a missing name, which asks for another version of the package."""
    homes = ((cls.__module__.partition(".")[0], cls) for cls in owner.__mro__)
    package, cls = next((home, cls) for home, cls in homes if home in PACKAGES)
    version = sys.modules[package].__version__
    return RuntimeError(
        f"{package} {version} has no {cls.__name__}.{name}, which jointwrench relies on. Use "
        f"another version of {package}, see `dependencies` in jointwrench's pyproject.toml, or a "
        "newer jointwrench."
    )
