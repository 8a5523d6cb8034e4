"""Components of vectors that stand in many frames, by small steps from frame to frame."""

from collections.abc import Sequence
from itertools import pairwise

from sympy import Add, Expr, S
from sympy.physics.vector import ReferenceFrame, Vector

from .paths import stated_orientations

#: Sums over fewer frames are written as sympy does, by products of direction cosines.
MANY_FRAMES = 8

Rows = Sequence[Sequence[Expr]]


def scalar_products(ones: Sequence[Vector], other: Vector) -> list[Expr]:
    """Return scalar products of vectors in one frame with a sum over a path of frames from it."""
    frame = ones[0].args[0][1] if ones and ones[0].args else None
    column = _along_path(other, frame) if frame else None
    rows = [row for one in ones if column and (row := _along_path(one, frame))]
    if column is None or len(rows) < len(ones):
        return [one.dot(other) for one in ones]
    return products(rows, column)


def _along_path(vector: Vector, frame: ReferenceFrame) -> list[Expr] | None:
    """Return the components of a vector in a frame, an end of a path; None if it is short."""
    # v = v_0 + A_1 (v_1 + A_2 (v_2 + ...)): each step is an affine map of what is beyond it. Pairs
    # of steps are joined, then pairs of these: as many products as frames, none of them deep.
    order, inner = _neighbourhood(vector, frame)
    left = {own: list(matrix) for matrix, own in vector.args}
    if not left or not left.keys() <= inner.keys():
        return None
    path = [max(left, key=order.index)]
    while path[-1] is not frame:
        path.append(inner[path[-1]])
    if len(path) == 1:
        return left[frame]
    if len(path) < MANY_FRAMES:
        return None
    for here in reversed(order):
        if here in left and here not in path:
            turned = products(inner[here].dcm(here).tolist(), left.pop(here))
            left[inner[here]] = _sum(left.get(inner[here]), turned)
    path.reverse()
    steps = []
    for here, beyond in pairwise(path):
        turn = here.dcm(beyond).tolist()
        steps.append((turn, products(turn, left.get(beyond, [S.Zero] * 3))))
    while len(steps) > 1:
        pairs = zip(steps[::2], steps[1::2], strict=False)
        steps = [_joined(*pair) for pair in pairs] + steps[len(steps) // 2 * 2 :]
    return _sum(left.get(frame), steps[0][1])


def products(rows: Rows, column: Sequence[Expr]) -> list[Expr]:
    """Return a matrix times a column; sympy looks to the ground of whatever meets a zero."""
    return [Add(*(a * b for a, b in zip(row, column, strict=True) if a and b)) for row in rows]


def _sum(one: Sequence[Expr] | None, other: Sequence[Expr]) -> list[Expr]:
    return list(other) if one is None else [a + b for a, b in zip(one, other, strict=True)]


def _joined(
    one: tuple[Rows, list[Expr]], other: tuple[Rows, list[Expr]]
) -> tuple[Rows, list[Expr]]:
    """Return two steps as one."""
    (turn, place), (next_turn, next_place) = one, other
    columns = [products(turn, column) for column in zip(*next_turn, strict=True)]
    turned = [*zip(*columns, strict=True)]
    return turned, _sum(place, products(turn, next_place))


def _neighbourhood(
    vector: Vector, frame: ReferenceFrame
) -> tuple[list[ReferenceFrame], dict[ReferenceFrame, ReferenceFrame]]:
    """Return frames in the order of their distance until all of a vector's are among them."""
    order, inner = [frame], {frame: frame}
    missing = {own for _, own in vector.args} - {frame}
    for here in order:  # grows meanwhile
        if not missing:
            break
        for other in stated_orientations(here):
            if other not in inner:
                inner[other] = here
                order.append(other)
                missing.discard(other)
    return order, inner
