"""Components of sympy's vectors in frames, and the symbols in them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from sympy import Add, Basic, Derivative, Expr, ImmutableDenseMatrix, Matrix, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ...checks.tolerances import ZERO_COS
from ..sympy_objects import Body, is_particle
from .paths import follow, orientations_between, position_from, reach, stated_orientations

#: Number of frames on a path below which sympy's own dot product is used.
MANY_FRAMES = 8

Rows = Sequence[Sequence[Expr]]


def vector_components(vector: Vector, frame: ReferenceFrame) -> Matrix:
    """Return the components of a vector in a frame, a column equal to ``vector.to_matrix(frame)``.

    The components are rotated from frame to frame along the path: the product of all rotations is
    long, but a vector along a rotation's axis stays short.
    """
    total = Matrix.zeros(3, 1)
    for components, own in vector.args:
        total += after_rotations(
            components, [] if own is frame else orientations_between(frame, own)
        )
    return total


def after_rotations(components: MatrixBase, stages: Iterable[MatrixBase]) -> MatrixBase:
    """Return the components of a vector to which rotation matrices were applied in order."""
    for stage in stages:
        along = [k for k in range(3) if components[k] != 0]
        if len(along) != 1 or stage[along[0], along[0]] != 1:  # else along the axis: unchanged
            components = Matrix(products(stage.tolist(), [*components]))
    return components


def vector_of(given: Any, frame: ReferenceFrame) -> Vector:
    """Return a Vector; components are those in ``frame``."""
    if isinstance(given, Vector):
        return given
    return Vector([(ImmutableDenseMatrix(3, 1, list(given)), frame)])


def position_components(point: Point, origin: Point, frame: ReferenceFrame) -> Matrix:
    """Return the components in a frame of a point's position from an origin."""
    if point is origin:
        return Matrix.zeros(3, 1)
    return vector_components(position_from(point, origin), frame)


def add_positions(one: MatrixBase, two: MatrixBase) -> ImmutableDenseMatrix:
    """Return the sum of two positions; numbers that cancel up to roundoff are zero."""

    def added(left: Expr, right: Expr) -> Expr:
        total = left + right
        is_rounding = left.is_number and total.is_Float and abs(total) <= ZERO_COS * abs(left)
        return S.Zero if is_rounding else total

    return ImmutableDenseMatrix(3, 1, [*map(added, one, two)])


def is_constant(components: Any, time: Symbol) -> bool:
    """Whether components do not depend on time: they contain only constant symbols."""
    return not components.has(AppliedUndef, Derivative, time)


def body_frame(body: Body, interframe: ReferenceFrame) -> ReferenceFrame:
    """Return the frame of a body; for a particle, which has none, its joint's interframe."""
    return interframe if is_particle(body) else body.frame


def leaves(expressions: Iterable[Basic]) -> set[Expr]:
    """Return the symbols, functions and derivatives in expressions.

    Unlike ``free_symbols``, it visits shared parts once.
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


def find_time(expressions: Iterable[Basic]) -> Symbol:
    """Return the time on which functions in expressions depend, or ``dynamicsymbols._t``."""
    found = leaves(expressions)
    times = {f.args[0] if f.is_Function else f.variables[0] for f in found if not f.is_Symbol}
    return times.pop() if len(times) == 1 else dynamicsymbols._t


# -- over long paths ----------------------------------------------------------


def scalar_products(ones: Sequence[Vector], other: Vector) -> list[Expr]:
    """Return the scalar products of some vectors with components in one frame and a vector.

    The latter may have components in many frames, such as the position of a chain's end.
    """
    frame = ones[0].args[0][1] if ones and ones[0].args else None
    column = _along_path(other, frame) if frame else None
    rows = [row for one in ones if column and (row := _along_path(one, frame))]
    if column is None or len(rows) < len(ones):
        return [one.dot(other) for one in ones]
    return products(rows, column)


def _along_path(vector: Vector, frame: ReferenceFrame) -> list[Expr] | None:
    """Return the components of a vector in a frame at the end of a path; None for a short path."""
    # v = v_0 + A_1 (v_1 + A_2 (v_2 + ...)): each step is an affine map of the sum beyond it. Maps
    # of neighbours are composed in pairs, then pairs of pairs, so that expressions are not deep.
    left = {own: list(matrix) for matrix, own in vector.args}
    inner, missing = dict[ReferenceFrame, ReferenceFrame | None](), {*left}
    for here, before in reach([frame], stated_orientations):  # nearest first
        inner[here] = before
        missing.discard(here)
        if not missing:
            break
    if not left or missing:
        return None
    order = [*inner]
    path = follow(max(left, key=order.index), inner)
    if len(path) == 1:
        return left[frame]
    if len(path) < MANY_FRAMES:
        return None
    for here in reversed(order):
        beyond = inner[here]
        if here in left and beyond and here not in path:
            turned = products(stated_orientations(beyond)[here].tolist(), left.pop(here))
            left[beyond] = _sum(left.get(beyond), turned)
    path.reverse()
    steps = []
    for here, beyond in pairwise(path):
        turn = stated_orientations(here)[beyond].tolist()
        steps.append((turn, products(turn, left.get(beyond, [S.Zero] * 3))))
    while len(steps) > 1:
        pairs = zip(steps[::2], steps[1::2], strict=False)
        steps = [_compose(*pair) for pair in pairs] + steps[len(steps) // 2 * 2 :]
    return _sum(left.get(frame), steps[0][1])


def products(rows: Rows, column: Sequence[Expr]) -> list[Expr]:
    """Return a matrix times a column as a list; zeros make it faster than sympy's product."""
    return [Add(*(a * b for a, b in zip(row, column, strict=True) if a and b)) for row in rows]


def _sum(one: Sequence[Expr] | None, other: Sequence[Expr]) -> list[Expr]:
    return list(other) if one is None else [a + b for a, b in zip(one, other, strict=True)]


def _compose(
    one: tuple[Rows, list[Expr]], other: tuple[Rows, list[Expr]]
) -> tuple[Rows, list[Expr]]:
    """Return the composition of two affine maps (matrix, column): x -> A (B x + b) + a."""
    (turn, place), (next_turn, next_place) = one, other
    columns = [products(turn, column) for column in zip(*next_turn, strict=True)]
    turned = [*zip(*columns, strict=True)]
    return turned, _sum(place, products(turn, next_place))
