"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions.
"""

from .checks import opened

__version__ = "1.0.0"

#: The namespaces of what is not the mechanics of a System.
DOORS = (
    *("recordings", "signals", "gait", "musculoskeletal", "robots"),
    *("identification", "propagation", "optimal_control", "pictures"),
)
# Each name is imported when it is first used; ``__init__.pyi`` says where from.
__getattr__, __dir__, __all__ = opened(__name__, __file__)
