"""The inputs of a model: constants and specified functions of time in its expressions."""

from collections.abc import Collection, Iterable

from sympy import Derivative, Expr, Symbol
from sympy.matrices import MatrixBase

from ..arithmetic.expression_derivatives import differentiate_leaf
from ..spatial.components import leaves
from .time_derivative import TimeDerivative


def inputs_in(
    expressions: Iterable[Expr | MatrixBase],
    derivative: TimeDerivative,
    states: Collection[Expr],
    orders: int = 0,
) -> set[Expr]:
    """Return the symbols and functions on which expressions depend, except the states.

    Rates of coordinates are replaced by their expressions in speeds.  ``orders`` is the number of
    time derivatives of the expressions whose inputs are included.
    """
    rates, time = derivative.rates, derivative.time
    entries = (
        x for part in expressions for x in (part.flat() if isinstance(part, MatrixBase) else [part])
    )
    found, seen, waiting = set[Expr](), set[Expr](), leaves(entries)
    while waiting:
        leaf = waiting.pop()
        if leaf in seen or leaf in states:
            continue
        seen.add(leaf)
        if leaf in rates:
            waiting |= leaves([rates[leaf]])
        elif (rate := _integral(leaf, time)) in rates:
            waiting |= leaves([derivative.of(rates[rate])])
        else:
            found.add(leaf)
    if orders:
        moving = [differentiate_leaf(leaf, time) for leaf in found if not isinstance(leaf, Symbol)]
        found |= inputs_in(moving, derivative, states, orders - 1)
    return found


def _integral(leaf: Expr, time: Symbol) -> Expr | None:
    """Return the expression whose time derivative a Derivative is; None for other leaves."""
    if not isinstance(leaf, Derivative) or leaf.variables[-1] != time:
        return None
    return Derivative(leaf.expr, (time, leaf.derivative_count - 1)).doit()


def group_inputs(symbols: Iterable[Expr], time: Symbol) -> dict[str, tuple[Expr, ...]]:
    """Return symbols by the argument that has their values: constants, specifieds, times."""
    groups: dict[str, list[Expr]] = {"constants": [], "specifieds": [], "times": []}
    for symbol in sorted(symbols, key=str):
        kind = "constants" if isinstance(symbol, Symbol) else "specifieds"
        groups["times" if symbol == time else kind].append(symbol)
    return {name: tuple(own) for name, own in groups.items()}
