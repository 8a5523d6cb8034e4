"""Time derivatives in terms of the generalized speeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Add, Derivative, Expr, Matrix, Max, Min, Mul, Pow, S, Symbol, cos, sin
from sympy.core.function import AppliedUndef

from ..arithmetic.derivatives import ForwardSweep
from ..arithmetic.graph import Graph


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


class Slopes:
    """Derivatives with respect to one variable, each shared part of expressions once.

    They are those of sympy's ``diff``, which goes through shared parts again and again, and has
    powers of zero as factors of a Max that is constant.
    """

    def __init__(self, variable: Expr) -> None:
        self._variable = variable
        self._known: dict[Expr, Expr] = {}
        self._clipped: dict[Expr, bool] = {}
        self._graph = graph = Graph()
        self._sweep = ForwardSweep(graph, lambda leaf: graph.scalar(leaf.diff(variable)))

    def of(self, expression: Expr) -> Expr:
        """Return the derivative of an expression."""
        if expression not in self._known:
            derive = self._by_graph if self._is_clipped(expression) else self._derive
            self._known[expression] = derive(expression)
        return self._known[expression]

    def _is_clipped(self, expression: Any) -> bool:
        if expression not in self._clipped:
            inner = any(self._is_clipped(part) for part in expression.args)
            self._clipped[expression] = inner or isinstance(expression, (Max, Min))
        return self._clipped[expression]

    def _by_graph(self, expression: Expr) -> Expr:
        (slope,) = self._sweep.of([self._graph.scalar(expression)])
        return self._graph.to_sympy([slope.ref])[0]

    def _derive(self, expression: Expr) -> Expr:
        parts = expression.args
        rule = RULES.get(expression.func)
        if rule is None or not parts:
            return expression.diff(self._variable)
        slopes = [self.of(part) for part in parts]
        if all(slope is S.Zero for slope in slopes):
            return S.Zero
        found = rule(parts, slopes)
        return expression.diff(self._variable) if found is None else found


def _product(factors: tuple[Expr, ...], slopes: list[Expr]) -> Expr:
    moving = (k for k, slope in enumerate(slopes) if slope is not S.Zero)
    return Add(*(Mul(*factors[:k], slopes[k], *factors[k + 1 :]) for k in moving))


def _power(parts: tuple[Expr, ...], slopes: list[Expr]) -> Expr | None:
    base, exponent = parts
    return None if slopes[1] is not S.Zero else exponent * base ** (exponent - 1) * slopes[0]


#: The derivative of an operation from its operands and theirs; None where sympy has to derive it.
RULES: dict[Any, Callable[[Any, list[Expr]], Expr | None]] = {
    Add: lambda _, slopes: Add(*slopes),
    Mul: _product,
    Pow: _power,
    sin: lambda angle, slopes: cos(*angle) * slopes[0],
    cos: lambda angle, slopes: -sin(*angle) * slopes[0],
}
