"""Functions of modules that are imported when they are first called."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any


def on_demand(module: str, name: str) -> Callable[..., Any]:
    """Return what not every use needs: a function by its module within the package and its name."""
    return partial(_imported, module, name)


def _imported(module: str, name: str, *args: Any, **options: Any) -> Any:
    package = __name__.partition(".")[0]
    return getattr(import_module(f"{package}.{module}"), name)(*args, **options)
