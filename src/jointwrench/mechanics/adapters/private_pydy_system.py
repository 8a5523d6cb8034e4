"""PyDy's System for our models: overrides of the private methods that find symbols.

Releases up to 0.9.4 call them without arguments; the next release also passes expressions, and
reads constraints from the equations' method.
"""

from collections.abc import Iterable
from typing import Any

from pydy.system import System
from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import dynamicsymbols, find_dynamicsymbols

from ...checks.private_names import require_names


class EquationsMethod:
    """The attributes that PyDy's System reads of a method; the constraints are empty.

    The rates of our models satisfy the constraints already.
    """

    _f_h = _k_nh = _f_nh = ImmutableDenseMatrix(0, 0, [])

    def __init__(self, model: Any) -> None:
        self.model = model


class SymbolicSystem(System):
    """PyDy's System with the symbols of a model, instead of those in the equations of motion."""

    def __init__(self, model: Any, **options: Any) -> None:
        super().__init__(EquationsMethod(model), **options)

    @property
    def coordinates(self) -> list[Expr]:
        """The generalized coordinates, in the order of the states."""
        return list(self.eom_method.model.coordinates)

    @property
    def speeds(self) -> list[Expr]:
        """The generalized speeds, in the order of the states."""
        return list(self.eom_method.model.speeds)

    def _Kane_constant_symbols(self, exprs: Iterable[Expr] | None = None) -> set[Expr]:
        if exprs is None:
            return set(self.eom_method.model.constants)
        return {s for x in exprs for s in x.free_symbols} - {dynamicsymbols._t}

    def _Kane_undefined_dynamicsymbols(self, exprs: Iterable[Expr] | None = None) -> set[Expr]:
        if exprs is None:
            return set(self.eom_method.model.specifieds)
        found = {s for x in exprs for s in find_dynamicsymbols(x)}
        return found - {s for x in (*self.coordinates, *self.speeds) for s in (x, x.diff())}

    def use_right_hand_side(self, function: Any) -> Any:
        """Set the right-hand side that PyDy integrates, and return it."""
        self._evaluate_ode_function = function
        return function


require_names(System, "_Kane_constant_symbols", "_Kane_undefined_dynamicsymbols", by=SymbolicSystem)
