"""Does every speed move some mass?

A massless body is welcome as long as something with mass moves with each speed:
the cross of a universal joint, a welded tip.  Where nothing does, the mass matrix
is singular, and no forward dynamics can return the motion.
"""

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from sympy import Add, Expr, Mul, Pow, cos, exp, sin, sqrt, tan
from sympy.physics.mechanics import Particle

from .derivation import Derivation
from .equations import mass_matrix
from .graph import Call, Constant, Graph, Input, Operation, Part, Product, Scalar, Sum
from .tree import Link, TopologyError

#: Entries of the scaled mass matrix that are smaller count as zero.
NO_MASS = 1e-9

FUNCTIONS: dict[Any, Callable[..., float]] = {
    sin: math.sin,
    cos: math.cos,
    tan: math.tan,
    exp: math.exp,
    sqrt: math.sqrt,
    Pow: math.pow,
    Add: lambda *terms: math.fsum(terms),
    Mul: lambda *factors: math.prod(factors),
}


def check_mass_distribution(derivation: Derivation) -> None:
    """Refuse a model in which some speeds move no mass.

    Parameters
    ==========

    derivation : Derivation
        Of the model.

    Raises
    ======

    TopologyError
        If the mass matrix is singular; with the names of the speeds.

    Notes
    =====

    Only models with a body of no mass or without a full inertia are examined, at
    one random state with random values of all symbols, which need not be physical:
    what is singular there is so for all values.  Joints that turn a Particle may do
    so about itself: it has no orientation, so that nothing depends on that.
    """
    if all(_is_regular(link) for link in derivation.tree.links):
        return
    speeds = _speeds_without_mass(derivation)
    if speeds:
        names = ", ".join(map(str, speeds))
        raise TopologyError(
            "system",
            [
                f"the mass distribution is singular: the speeds {names} move no mass that the "
                "other speeds do not move as well. Give the bodies that they move mass and inertia "
                "(also about the axis of a pin), or replace their joints by a WeldJoint."
            ],
        )


def _is_regular(link: Link) -> bool:
    """Whether a body surely has mass and an inertia about every axis."""
    return not link.mass.is_zero and not link.is_point_mass and not _is_singular(link)


def _is_singular(link: Link) -> bool:
    """Whether an inertia is that of no body with a volume, such as a rod without thickness."""
    determinant = _float_value(link.inertia.det())
    return abs(determinant) <= NO_MASS


def _float_value(expression: Expr) -> float:
    random = Random(20200710)
    symbols = sorted(expression.free_symbols, key=str)
    numbers = {symbol: 0.5 + random.random() for symbol in symbols}
    return float(expression.xreplace({s: Mul(x) for s, x in numbers.items()}))


def _speeds_without_mass(derivation: Derivation) -> list[Expr]:
    """Return speeds that add nothing to the rank of the mass matrix, and turn no particle."""
    entries = mass_matrix(derivation)
    try:
        numbers = float_values(derivation.graph, [entry for row in entries for entry in row])
    except (ArithmeticError, NotImplementedError, ValueError):
        return []  # nothing can be said at this state
    particles = {
        speed
        for link in derivation.tree.links
        if isinstance(link.body, Particle) and not link.mass.is_zero
        for speed in link.motion.speeds
    }
    speeds, size = derivation.tree.speeds, len(entries)
    kept = [k for k in range(size) if speeds[k] not in particles]
    rows = [[numbers[i * size + k] for k in kept] for i in kept]
    return [speeds[kept[k]] for k in _dependent(rows)]


def _dependent(matrix: Sequence[Sequence[float]]) -> list[int]:
    """Return rows of a symmetric matrix that depend on the others."""
    scales = [math.sqrt(max(map(abs, row), default=0.0)) or 1.0 for row in matrix]
    left = {
        i: [x / (scales[i] * scale) for x, scale in zip(row, scales, strict=True)]
        for i, row in enumerate(matrix)
    }
    while left:
        size, i, j = max((abs(x), i, j) for i, row in left.items() for j, x in enumerate(row))
        if size <= NO_MASS:
            break
        top = left.pop(i)
        factors = {k: row[j] / top[j] for k, row in left.items()}
        for k, factor in factors.items():
            left[k] = [x - factor * y for x, y in zip(left[k], top, strict=True)]
    return sorted(left)


def float_values(graph: Graph, scalars: Sequence[Scalar]) -> list[float]:
    """Return values with all inputs at fixed random numbers between 0.5 and 1.5.

    Raises
    ======

    ArithmeticError, ValueError
        If a function is not defined there.
    NotImplementedError
        If a function is unknown.
    """
    random = Random(20200710)
    values: dict[int, float] = {}
    for ref in graph.needed([scalar.ref for scalar in scalars]):
        operation = graph.operations[ref]
        is_input = isinstance(operation, Input)
        values[ref] = 0.5 + random.random() if is_input else _operate(operation, values)
    return [_signed(scalar.ref, values) for scalar in scalars]


def _operate(operation: Operation, values: dict[int, float]) -> float:
    if isinstance(operation, Constant):
        return float(operation.value)
    if isinstance(operation, Sum):
        return values[operation.left] + _signed(operation.right, values)
    if isinstance(operation, Product):
        return values[operation.left] * values[operation.right]
    assert isinstance(operation, Call)
    arguments = [_argument(argument, values) for argument in operation.arguments]
    if operation.function in FUNCTIONS:
        return FUNCTIONS[operation.function](*arguments)
    return float(operation.function(*arguments))


def _argument(argument: Any, values: dict[int, float]) -> float:
    if isinstance(argument, Part) or not isinstance(argument, int):
        raise NotImplementedError(f"{argument} is not a number")
    return _signed(argument, values)


def _signed(ref: int, values: dict[int, float]) -> float:
    if ref == 0:
        return 0.0
    return values[ref] if ref > 0 else -values[-ref]
