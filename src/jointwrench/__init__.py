"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions.
"""

import lazy_loader

__version__ = "0.1.0"

# Each name is imported when it is first used; ``__init__.pyi`` says where from.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
