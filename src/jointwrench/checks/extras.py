"""Libraries that only an extra installs: imported when they are needed."""

from importlib import import_module
from typing import Any


def import_extra(module: str, user: str, extra: str, instead: str = "") -> Any:
    """Return a module that an extra of this package installs.

    ``user`` and ``instead``, what needs it and what can be done without it, are words of the error.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise ImportError(
            f"{user} needs {library}. Use pip install {library}, or pip install '.[{extra}]' in a "
            f"clone of jointwrench{instead}."
        ) from error
