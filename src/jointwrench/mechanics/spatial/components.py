"""Components of vectors in frames, of what they are made, and whether they are constant."""

from collections.abc import Iterable
from typing import Any

from sympy import Basic, Derivative, Expr, ImmutableDenseMatrix, Matrix, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ...checks.tolerances import TURNED
from ..sympy_objects import Body
from .paths import position_from


def vector_components(vector: Vector, frame: ReferenceFrame) -> Matrix:
    """Return the components of a vector in a frame.

    ``vector.to_matrix`` gives the same, more slowly where the vector stands in
    the frame already.
    """
    if all(own is frame for _, own in vector.args):
        return sum((Matrix(matrix) for matrix, _ in vector.args), Matrix.zeros(3, 1))
    return Matrix(vector.to_matrix(frame))


def vector_of(given: Any, frame: ReferenceFrame) -> Vector:
    """Return a vector, given as such or by its components in a frame."""
    if isinstance(given, Vector):
        return given
    return Vector([(ImmutableDenseMatrix(3, 1, list(given)), frame)])


def position_components(point: Point, origin: Point, frame: ReferenceFrame) -> Matrix:
    """Return the components of a point's position from another one in a frame."""
    if point is origin:
        return Matrix.zeros(3, 1)
    return vector_components(position_from(point, origin), frame)


def sum_of_places(one: MatrixBase, two: MatrixBase) -> ImmutableDenseMatrix:
    """Return the sum of two places; what roundings leave of one and the same place is zero."""

    def added(left: Expr, right: Expr) -> Expr:
        total = left + right
        is_rounding = left.is_number and total.is_Float and abs(total) <= TURNED * abs(left)
        return S.Zero if is_rounding else total

    return ImmutableDenseMatrix(3, 1, [*map(added, one, two)])


def is_constant(components: Any, time: Symbol) -> bool:
    """Whether components depend on symbols alone and not on time."""
    return not components.has(AppliedUndef, Derivative, time)


def body_frame(body: Body, interframe: ReferenceFrame) -> ReferenceFrame:
    """Return the frame of a body; a particle has none and takes its joint's."""
    return interframe if isinstance(body, Particle) else body.frame


def leaves(expressions: Iterable[Basic]) -> set[Expr]:
    """Return the symbols, functions and derivatives in expressions.

    Shared parts are visited once, unlike by ``free_symbols``.
    """
    found: set[Expr] = set()
    waiting, seen = list(expressions), dict[int, Basic]()  # by identity: equality is slow
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen[id(part)] = part
        if isinstance(part, Symbol | AppliedUndef | Derivative):
            found.add(part)
        else:
            waiting.extend(part.args)
    return found


def time_of(expressions: Iterable[Basic]) -> Symbol:
    """Return the time on which functions in expressions depend, or ``dynamicsymbols._t``."""
    found = leaves(expressions)
    times = {f.args[0] if f.is_Function else f.variables[0] for f in found if not f.is_Symbol}
    return times.pop() if len(times) == 1 else dynamicsymbols._t
