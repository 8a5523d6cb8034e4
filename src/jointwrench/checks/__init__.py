"""Checks of arguments, and the namespaces of public names."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lazy_loader

__version__ = "1.1.0.dev0"


def lazy_namespace(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` that load a module's names lazily.

    ``package`` is the module's name and ``file`` its path.  The stub file (.pyi) in the same folder
    lists the public names and the modules from which they are imported at their first use.
    """
    base = package if file.endswith("__init__.py") else package.rpartition(".")[0]
    imported, directory, names = lazy_loader.attach_stub(base, file)

    def find(name: str) -> Any:
        """Return a public name's object, or raise an error that suggests a name."""
        if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
            return names  # not to help(), which would print the docstrings of all classes
        if name in names or name.startswith("__"):
            found = imported(name)
            if base != package:  # lazy_loader stores it in the package, too: not public there
                vars(sys.modules[base]).pop(name, None)
            return found
        # ``from package import name`` has a message of its own for an AttributeError
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        place = Path(file).with_name(name)
        modules = place.with_suffix(".py"), place / "__init__.py"
        if is_import and any(map(Path.is_file, modules)):
            raise AttributeError(name)  # and then imports the module of this name
        from .messages import did_you_mean, find_public_name
        from .removed_names import REMOVED

        address = find_public_name(name)
        text = f"It is {address}." if address else did_you_mean(name, names).strip()
        kind = ImportError if is_import else AttributeError
        raise kind(f"{package} has no {name!r}. {REMOVED.get(name, text)}".strip())

    return find, directory
