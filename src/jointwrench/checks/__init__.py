"""Checks of arguments, and the namespaces of public names."""

import sys
from collections.abc import Callable
from typing import Any

import lazy_loader

__version__ = "1.1.0.dev0"


def lazy_namespace(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package or module."""
    # The stub beside it says what it offers, which is imported when it is first used.
    base = package if file.endswith("__init__.py") else package.rpartition(".")[0]
    imported, directory, names = lazy_loader.attach_stub(base, file)

    def find(name: str) -> Any:
        if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
            return names  # but help() would print the docstrings of all classes in it
        if name in names or name.startswith("__"):
            found = imported(name)
            if base != package:  # it is none of the names of the package
                vars(sys.modules[base]).pop(name, None)
            return found
        from .messages import did_you_mean, find_public_name
        from .removed_names import REMOVED

        address = find_public_name(name)
        if address is None and name not in REMOVED:
            raise AttributeError(f"{package} has no {name!r}.{did_you_mean(name, names)}")
        # ``from package import name`` has a message of its own for an AttributeError
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        kind = ImportError if is_import else AttributeError
        text = REMOVED.get(name, f"It is {address}.")
        raise kind(f"{package} has no {name!r}. {text}")

    return find, directory
