"""Time derivatives of expressions in terms of the generalized speeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Derivative, Expr, Matrix, Symbol
from sympy.core.function import AppliedUndef

from ..arithmetic.expression_derivatives import ExpressionDerivatives, differentiate_leaf


@dataclass(frozen=True)
class TimeDerivative:
    """A function that differentiates with respect to time and writes the result in speeds.

    Attributes
    ==========

    time : Symbol
        The time.
    rates : mapping
        The derivatives of coordinates in speeds, from the kinematical differential equations; and
        the speeds of joints with prescribed coordinates as derivatives of these.
    speeds : tuple of Expr
        The generalized speeds.
    """

    time: Symbol
    rates: Mapping[Expr, Expr]
    speeds: tuple[Expr, ...] = ()

    @cached_property
    def order(self) -> dict[Expr, int]:
        """The index of each speed."""
        return {u: n for n, u in enumerate(self.speeds)}

    def __call__(self, components: Matrix) -> Matrix:
        slopes = ExpressionDerivatives(self.time)
        return self.in_speeds(components.applyfunc(slopes.of))

    def of(self, expression: Expr) -> Expr:
        """Return the time derivative of an expression, in speeds."""
        return ExpressionDerivatives(self.time).of(expression).xreplace(dict(self.rates))

    def of_states(self, value: Any) -> Any:
        """Return an expression with speeds and accelerations for the coordinates' derivatives."""
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
