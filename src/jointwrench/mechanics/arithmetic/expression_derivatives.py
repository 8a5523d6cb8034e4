"""Derivatives of sympy expressions, as sympy expressions."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sympy import Abs, Add, Derivative, Dummy, Expr, Max, Min, Mul, Pow, S, cos, sin
from sympy.core.function import AppliedUndef

from .derivatives import ForwardSweep
from .graph import Graph
from .local_derivatives import RULES as SLOPES
from .local_derivatives import STEPS, LocalDerivatives
from .piecewise import Gate

#: Functions of real values whose derivatives sympy leaves unevaluated or does not have everywhere.
STEPWISE = (Abs, Max, Min, *STEPS, *SLOPES)


class ParameterSymbol(Dummy):
    """A symbol of a parameter in which forces are linear; it is no input of the model."""

    @classmethod
    def numbered(cls, kind: str, number: int) -> "ParameterSymbol":
        """Return the symbol of a kind and number; equal arguments give the same symbol."""
        return cls(f"{kind}_{number}", dummy_index=number)


@lru_cache(maxsize=4096)
def differentiate_leaf(leaf: Expr, variable: Expr, order: int = 1) -> Expr:
    """Return the derivative of a symbol or function of ``variable``, cached."""
    if isinstance(leaf, AppliedUndef) and leaf.args == (variable,):
        return Derivative(leaf, (variable, order), evaluate=False)
    if isinstance(leaf, Derivative) and leaf.variables == (variable,) * leaf.derivative_count:
        return differentiate_leaf(leaf.expr, variable, order + leaf.derivative_count)
    return leaf.diff(variable, order)


class ExpressionDerivatives:
    """Derivatives of expressions with respect to one variable; shared parts are derived once.

    They equal those of sympy's ``diff``, which derives shared parts again for each use.  Functions
    with steps or corners are derived on the graph, with the derivatives beside their jumps.
    """

    def __init__(self, variable: Expr) -> None:
        self._variable = variable
        # by identity: to compare two deep expressions takes exponential time
        self._known: dict[int, tuple[Expr, Expr]] = {}
        self._stepwise: dict[int, tuple[Expr, bool]] = {}
        self._graph = graph = Graph()
        slopes = LocalDerivatives(graph, flat_steps=True)
        self._sweep = ForwardSweep(
            graph, lambda leaf: graph.scalar(differentiate_leaf(leaf, variable)), slopes
        )

    def of(self, expression: Expr) -> Expr:
        """Return the derivative of an expression."""
        if id(expression) not in self._known:
            derive = self._by_graph if self._is_stepwise(expression) else self._derive
            self._known[id(expression)] = expression, derive(expression)
        return self._known[id(expression)][1]

    def _is_stepwise(self, expression: Any) -> bool:
        """Whether an expression contains a function of `STEPWISE`."""
        if id(expression) not in self._stepwise:
            inner = any(self._is_stepwise(part) for part in expression.args)
            is_stepwise = inner or isinstance(expression, STEPWISE)
            self._stepwise[id(expression)] = expression, is_stepwise
        return self._stepwise[id(expression)][1]

    def _by_graph(self, expression: Expr) -> Expr:
        """Return the derivative of an expression with steps or corners, on the graph."""
        (slope,) = self._sweep.of([self._graph.scalar(expression)])
        return self._graph.to_sympy([slope.ref])[0]

    def _derive(self, expression: Expr) -> Expr:
        """Return the derivative of a smooth expression by the chain rule."""
        parts = expression.args
        rule = RULES.get(expression.func)
        if rule is None or not parts:
            return differentiate_leaf(expression, self._variable)
        slopes = [self.of(part) for part in parts]
        if all(slope is S.Zero for slope in slopes):
            return S.Zero
        found = rule(parts, slopes)
        return expression.diff(self._variable) if found is None else found


def _product(factors: tuple[Expr, ...], slopes: list[Expr]) -> Expr:
    """Return the derivative of a product."""
    moving = (k for k, slope in enumerate(slopes) if slope is not S.Zero)
    return Add(*(Mul(*factors[:k], slopes[k], *factors[k + 1 :]) for k in moving))


def _power(parts: tuple[Expr, ...], slopes: list[Expr]) -> Expr | None:
    """Return the derivative of a power, None if the exponent varies."""
    base, exponent = parts
    return None if slopes[1] is not S.Zero else exponent * base ** (exponent - 1) * slopes[0]


#: The derivative of an operation from its operands and their derivatives; None leaves it to sympy.
RULES: dict[Any, Callable[[Any, list[Expr]], Expr | None]] = {
    Add: lambda _, slopes: Add(*slopes),
    Mul: _product,
    Pow: _power,
    Gate: lambda parts, slopes: Gate(*parts[:2], *slopes[2:]),
    sin: lambda angle, slopes: cos(*angle) * slopes[0],
    cos: lambda angle, slopes: -sin(*angle) * slopes[0],
}
