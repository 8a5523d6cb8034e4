"""The mass properties of bodies in their own frames, and the bodies to which they are welded."""

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import combinations, product
from math import isfinite
from typing import Any

import numpy as np
from sympy import Expr, ImmutableDenseMatrix, S, Symbol, eye, nan, zoo
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Dyadic, Point, ReferenceFrame

from ....checks.arguments import enumerate_some, shorten
from ....checks.tolerances import ROUNDING
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph
from ...spatial.components import add_positions, is_constant, position_components, vector_components
from ...spatial.paths import is_placed
from ...sympy_objects import Body, is_particle
from ..relative_motion import Side
from ..tree import AT_ORIGIN, Link

#: The row indices of the principal minors of a symmetric matrix of size 3.  The matrix has a
#: negative eigenvalue, for an inertia a negative moment, if and only if one minor is negative.
PRINCIPAL_MINORS = [rows for count in (1, 2, 3) for rows in combinations(range(3), count)]


def mass_properties(side: Side, time: Symbol) -> dict[str, Any]:
    """Return a body's mass properties in its frame, as keyword arguments of `Link`.

    The mass centre's position is from the side's point.  The inertia matrix is about the side's
    point if the user states it there, else about the mass centre.  All must be constant in the
    side's frame, real and finite; a ValueError names the property that is not.
    """
    body = side.body
    inertia, about_origin = _inertia(side, time)
    _check_real(body.mass, f"the mass of {body}")
    if body.mass.is_negative:
        raise ValueError(f"the mass of {body} must not be negative, got {shorten(body.mass)}.")
    to_origin = position_components(side.point, body.masscenter, side.frame)
    return {
        "mass": _check_constant(body.mass, f"the mass of {body}", time),
        "masscenter": ImmutableDenseMatrix(-to_origin),
        "inertia": inertia,
        "inertia_is_about_origin": about_origin,
    }


def potential_energy_problems(bodies: Iterable[Body]) -> list[str]:
    """Return a problem for each body with a potential energy, which readers ignore."""
    return [
        f"the body {body} has a potential energy, which is not read. Give its forces as loads "
        "(apply_uniform_gravity, add_loads, add_actuators; for a KanesMethod forcelist=) and set "
        f"the potential_energy of {body} to 0."
        for body in bodies
        if body.potential_energy != 0
    ]


def _inertia(side: Side, time: Symbol) -> tuple[ImmutableDenseMatrix, bool]:
    """Return a body's inertia matrix in a side's frame, and whether it is about the side's point.

    Otherwise the matrix is about the mass centre.
    """
    body = side.body
    if is_particle(body):
        return ImmutableDenseMatrix.zeros(3, 3), False
    dyadic, point = body.inertia
    given = matrix = _dyadic_matrix(dyadic, side.frame)
    about_origin = point is side.point and point is not body.masscenter
    if not about_origin and point is not body.masscenter:
        matrix = _dyadic_matrix(body.central_inertia, side.frame)
    _check_inertia(body, *{given, matrix})
    if not is_constant(matrix, time):  # a disc may rotate in the inertia's frame
        matrix = _value_at_all_poses(matrix, time)
    return _check_constant(matrix, f"the inertia of {body}", time), about_origin


def _value_at_all_poses(matrix: ImmutableDenseMatrix, time: Symbol) -> ImmutableDenseMatrix:
    """Return the constant that a matrix equals at every pose, or the matrix if it changes.

    The candidate is the matrix at one pose.  Its difference from the matrix must be identically
    zero, which is decided at random states.
    """
    graph = Graph()
    state = GenericState(graph)
    for number in (S.Zero, S.Half):  # the matrix may be undefined if all coordinates are zero
        pose = dict.fromkeys([*matrix.atoms(AppliedUndef), time], number)
        still = ImmutableDenseMatrix(matrix.xreplace(pose))
        if not still.has(nan, zoo):
            pairs = zip(matrix, still, strict=True)
            changes = [graph.scalar(one) - graph.scalar(other) for one, other in pairs]
            if all(change.is_zero for change in state.of(changes)):
                return still
    return matrix


def _dyadic_matrix(dyadic: Dyadic, frame: ReferenceFrame) -> ImmutableDenseMatrix:
    """Return a dyadic's components in a frame, a hundred times faster than `Dyadic.to_matrix`."""
    entries = [[S.Zero] * 3 for _ in range(3)]
    for coefficient, left, right in dyadic.args:
        pairs = product(*(enumerate(vector_components(side, frame)) for side in (left, right)))
        for (i, x), (j, y) in pairs:
            if x != 0 and y != 0:
                entries[i][j] += coefficient * x * y
    return ImmutableDenseMatrix(entries)


def _check_inertia(body: RigidBody, *matrices: ImmutableDenseMatrix) -> None:
    """Raise a ValueError if an inertia matrix has a negative moment about any axis.

    Symbolic moments are checked by their assumptions, and minors only if their entries are numbers.
    """
    what = f"the inertia of {body}"
    tables = [[_check_real(entry, what) for entry in matrix] for matrix in matrices]
    size = max((abs(x) for table in tables for x in table if x is not None), default=0.0)
    known = [x for matrix in matrices for x in matrix[::4] if x.is_negative and not x.is_number]
    if known:
        raise ValueError(f"{what} must not be negative about any axis, got {shorten(known[0])}.")
    for table, rows in product(tables, PRINCIPAL_MINORS):
        minor: list[list[Any]] = [[table[3 * i + j] for j in rows] for i in rows]
        is_known = not any(None in row for row in minor)
        if is_known and np.linalg.det(minor) < -ROUNDING * size ** len(rows):
            raise ValueError(
                f"{what} must not be negative about any axis, got the moments "
                f"{enumerate_some(table[::4])} and products {enumerate_some(table[1:6:4])}, "
                f"{table[2]}. Use inertia(frame, ixx, iyy, izz, ixy, iyz, izx)."
            )


def _check_real(entry: Expr, what: str) -> float | None:
    """Return an expression's value, None if it has symbols.

    Raise a ValueError if the value is not real and finite; ``what`` names it in the message.
    """
    if not entry.is_number:
        return None
    number = complex(float(entry) if entry.is_Number else entry)
    if number.imag or not isfinite(number.real):
        raise ValueError(f"{what} must be real and finite, got {shorten(entry)}.")
    return number.real


def _check_constant(value: Any, what: str, time: Symbol) -> Any:
    """Return a value, or raise a ValueError if the value depends on time."""
    if not is_constant(value, time):
        raise ValueError(f"{what} must be constant in the body's frame, got {shorten(value)}.")
    return value


def attached_at(inner: Side, link: Link | None) -> ImmutableDenseMatrix:
    """Return the position of a joint's inner side from the origin of the inner link, or of ground.

    The mass centre of a link is None if its problem is already reported.
    """
    if link is None or link.masscenter is None:
        return AT_ORIGIN
    from_center = position_components(inner.point, link.body.masscenter, link.frame)
    return add_positions(from_center, link.masscenter)


def find_weld_parent(
    body: Body, others: Iterable[Body], time: Symbol, joint_gaps: Collection[frozenset[Point]] = ()
) -> Body | None:
    """Return the first of several bodies to which a body is welded, None if it is welded to none.

    A body is welded to another if its orientation and position relative to it are constant.  The
    position must not lead across ``joint_gaps``, the pairs of points that a joint connects.
    """
    for other in others:
        if is_particle(other) or not is_placed(body.masscenter, other.masscenter, joint_gaps):
            continue
        with suppress(ValueError):  # the frames are not connected
            turn = eye(3) if is_particle(body) else body.frame.dcm(other.frame)
            place = position_components(body.masscenter, other.masscenter, other.frame)
            if is_constant(turn, time) and is_constant(place, time):
                return other
    return None


def duplicate_name_problems(joints: Iterable[Any]) -> list[str]:
    """Return a problem for each name that several joints share."""
    counts = Counter(joint.name for joint in joints).items()
    return [f"{n} joints have the name {name!r}. Give each its own." for name, n in counts if n > 1]
