"""Time derivatives in terms of the generalized speeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Derivative, Expr, Matrix, Symbol
from sympy.core.function import AppliedUndef

from ..arithmetic.expression_slopes import Slopes


@dataclass(frozen=True)
class TimeDerivative:
    """Differentiates with respect to time, coordinates' derivatives in speeds.

    ``rates``: the solved kinematical differential equations, and speeds of joints with prescribed
    coordinates in terms of their derivatives.
    """

    time: Symbol
    rates: Mapping[Expr, Expr]
    speeds: tuple[Expr, ...] = ()

    def __call__(self, components: Matrix) -> Matrix:
        """Return the time derivative of components."""
        slopes = Slopes(self.time)
        return self.in_speeds(components.applyfunc(slopes.of))

    def of(self, expression: Expr) -> Expr:
        """Return the time derivative of a scalar."""
        return Slopes(self.time).of(expression).xreplace(dict(self.rates))

    def of_states(self, value: Any) -> Any:
        """Return anything of sympy's in speeds and accelerations, not in coordinates' derivatives.

        The coordinates' second derivatives may occur as well.
        """
        rates = {rate: x for rate, x in self.rates.items() if isinstance(rate, Derivative)}
        second_derivatives = {rate.diff(self.time): self.of(x) for rate, x in rates.items()}
        return value.xreplace(second_derivatives).xreplace(rates)

    def in_speeds(self, components: Matrix) -> Matrix:
        """Return components with the speeds in place of the coordinates' derivatives."""
        if not components.has(Derivative, AppliedUndef):
            return components
        return components.xreplace(dict(self.rates))
