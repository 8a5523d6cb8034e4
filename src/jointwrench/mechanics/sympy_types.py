"""Types of sympy in annotations of modules that are imported without sympy."""

from sympy import Expr as Expr
from sympy.physics.vector import ReferenceFrame as ReferenceFrame
