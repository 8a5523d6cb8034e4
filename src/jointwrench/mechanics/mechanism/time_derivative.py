"""Time derivatives in terms of the generalized speeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Derivative, Expr, Matrix, Symbol
from sympy.core.function import AppliedUndef

from ..arithmetic.expression_derivatives import ExpressionDerivatives, differentiate_leaf


@dataclass(frozen=True)
class TimeDerivative:
    """Differentiates with respect to time, with coordinates' derivatives in speeds."""

    # ``rates``: the solved kinematical differential equations, and speeds of joints with prescribed
    # coordinates in terms of their derivatives.

    time: Symbol
    rates: Mapping[Expr, Expr]
    speeds: tuple[Expr, ...] = ()

    @cached_property
    def order(self) -> dict[Expr, int]:
        """Return the number of each speed."""
        return {u: n for n, u in enumerate(self.speeds)}

    def __call__(self, components: Matrix) -> Matrix:
        slopes = ExpressionDerivatives(self.time)
        return self.in_speeds(components.applyfunc(slopes.of))

    def of(self, expression: Expr) -> Expr:
        return ExpressionDerivatives(self.time).of(expression).xreplace(dict(self.rates))

    def of_states(self, value: Any) -> Any:
        """Return a value in speeds and accelerations, without derivatives of coordinates."""
        rates = {rate: x for rate, x in self.rates.items() if isinstance(rate, Derivative)}
        second_derivatives = {
            differentiate_leaf(rate, self.time): self.of(x) for rate, x in rates.items()
        }
        return value.xreplace(second_derivatives).xreplace(rates)

    def in_speeds(self, components: Matrix) -> Matrix:
        """Return components with speeds instead of the coordinates' derivatives."""
        if not components.has(Derivative, AppliedUndef):
            return components
        return components.xreplace(dict(self.rates))
