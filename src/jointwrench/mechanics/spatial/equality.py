"""Mathematical equality of vectors, and of scalars with zero, decided by evaluation.

Two vectors whose components take the same values to 30 digits at three random points are equal for
every practical purpose. Evaluation is much faster and more reliable than ``simplify``. Symbols
stand for real numbers and keep to their assumptions; functions of time and their derivatives are
independent variables.
"""

import random
from collections.abc import Sequence

from mpmath import mpf, workdps
from sympy import Derivative, Dummy, Expr, Float, ImmutableMatrix, Limit, Subs, Symbol, lambdify
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.expr import UnevaluatedExpr
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Vector

from ...checks.tolerances import CANCELLED
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Graph
from ..arithmetic.operations import Constant


def are_equal(left: Vector, right: Vector) -> bool:
    """Whether two vectors are mathematically equal, decided at three seeded random points."""
    frames = [*left.separate(), *right.separate()]
    if not frames:
        return True
    sides = left.to_matrix(frames[0]), right.to_matrix(frames[0])
    pair = _evaluate_parts(ImmutableMatrix.hstack(*sides))
    digits = 12 if pair.has(Float) else 30
    return all(_are_close(values, digits) for values in _evaluations(pair))


def are_zero(expressions: Sequence[Expr]) -> list[bool]:
    """Return a list of bools: whether each scalar is identically zero."""
    # Decimal numbers leave roundoff, whose size follows from the largest of them.
    graph = Graph()
    state, scalars = GenericState(graph), [graph.scalar(x) for x in expressions]
    numbers = (x.value for x in graph.operations if isinstance(x, Constant))
    sizes = [float(x) for x in numbers if isinstance(x, Float)]
    left = CANCELLED * max(1, *sizes) if sizes else 0
    values = zip(state.are_zero(scalars), state.of(scalars), strict=True)
    return [is_zero or (x.is_analytic and abs(x.value) <= left) for is_zero, x in values]


def _evaluate_parts(matrix: ImmutableMatrix) -> ImmutableMatrix:
    """Return a matrix with unevaluated derivatives, sums and limits evaluated.

    ``doit``, which is slow, is called only if there are any.
    """
    put_off = matrix.atoms(Derivative, ExprWithLimits, Limit, Subs, UnevaluatedExpr)
    is_done = all(isinstance(x, Derivative) and isinstance(x.expr, AppliedUndef) for x in put_off)
    return matrix if is_done else matrix.doit()


def _evaluations(expressions: ImmutableMatrix) -> list[list[mpf]]:
    """Return the values of expressions at three random points."""
    functions = expressions.atoms(AppliedUndef, Derivative)
    expressions = expressions.xreplace({item: Dummy(real=True) for item in functions})
    unknowns = sorted(expressions.free_symbols, key=str)
    evaluate = lambdify(unknowns, list(expressions), modules="mpmath", cse=True)
    generator = random.Random(1)
    with workdps(50):
        points = [[_sample(symbol, generator) for symbol in unknowns] for _ in range(3)]
        return [evaluate(*point) for point in points]


def _are_close(values: list[mpf], digits: int) -> bool:
    """Whether neighbours in [l1, r1, l2, r2, l3, r3] agree to a number of digits."""
    scale = max(abs(value) for value in values)
    if digits > 12:
        scale = max(scale, 1)  # exact terms that cancel leave rounding errors of order one
    pairs = zip(values[::2], values[1::2], strict=True)
    return all(abs(left - right) <= mpf(10) ** -digits * scale for left, right in pairs)


def _sample(symbol: Symbol, generator: random.Random) -> mpf:
    """Return a random number of order one with the sign and type that a symbol assumes."""
    value = mpf(generator.randint(1, 9) if symbol.is_integer else generator.uniform(0.5, 2))
    if symbol.is_nonnegative:
        return value
    if symbol.is_nonpositive:
        return -value
    return generator.choice((-1, 1)) * value
