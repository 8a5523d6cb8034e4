"""Checks that private names of other packages exist, with an error that names the package."""

import sys
from typing import Any

PACKAGES = ("sympy", "pydy", "opty")


def private(owner: Any, name: str) -> Any:
    """Return a private attribute of another package's object."""
    try:
        return getattr(owner, name)
    except AttributeError:
        raise _gone(type(owner), name) from None


def demand(owner: type, *names: str) -> None:
    """Raise an error if a class of another package lacks private names that are needed."""
    for name in names:
        if not hasattr(owner, name):
            raise _gone(owner, name)


def _gone(owner: type, name: str) -> RuntimeError:
    homes = ((cls.__module__.partition(".")[0], cls) for cls in owner.__mro__)
    package, cls = next((home, cls) for home, cls in homes if home in PACKAGES)
    version = sys.modules[package].__version__
    return RuntimeError(
        f"{package} {version} has no {cls.__name__}.{name}, which jointwrench relies on. Use "
        f"another version of {package}, see `dependencies` in jointwrench's pyproject.toml, or a "
        "newer jointwrench."
    )
