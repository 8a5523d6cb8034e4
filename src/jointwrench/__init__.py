"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions.
"""

from typing import Any

import lazy_loader

__version__ = "0.1.0"

# Each name is imported when it is first used; ``__init__.pyi`` says where from.
_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in __all__ or name.startswith("__"):
        return _imported(name)
    from .checks.problems import did_you_mean

    raise AttributeError(f"jointwrench has no {name!r}.{did_you_mean(name, __all__)}")
