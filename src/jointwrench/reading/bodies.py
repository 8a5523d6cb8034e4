"""What a body weighs: mass, mass centre and inertia in its own frame."""

from typing import Any

from sympy import ImmutableDenseMatrix, Matrix, simplify, zeros
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Dyadic, ReferenceFrame

from ..joints import Side, is_constant, position_components, vector_components


def mass_properties(side: Side) -> dict[str, Any]:
    """Return the fields of a `Link` that hold a body's mass, mass centre and inertia.

    Parameters
    ==========

    side : Side
        The body, with the point from which lengths count.

    Raises
    ======

    ValueError
        If mass or inertia vary.
    """
    body = side.body
    inertia, about_origin = _inertia(side)
    to_origin = position_components(side.point, body.masscenter, side.frame)
    return {
        "mass": _constant(body.mass, f"the mass of {body}"),
        "masscenter": ImmutableDenseMatrix(-to_origin),
        "inertia": inertia,
        "inertia_is_about_origin": about_origin,
    }


def _inertia(side: Side) -> tuple[ImmutableDenseMatrix, bool]:
    """Return a body's inertia matrix, and whether it is about the side's point."""
    body = side.body
    if isinstance(body, Particle):
        return ImmutableDenseMatrix.zeros(3, 3), False
    dyadic, point = body.inertia
    about_origin = point is side.point and point is not body.masscenter
    matrix = _dyadic_matrix(dyadic if about_origin else body.central_inertia, side.frame)
    if not is_constant(matrix):  # a disc's may be given in a frame in which it turns
        matrix = matrix.applyfunc(simplify)
    return _constant(matrix, f"the inertia of {body}"), about_origin


def _dyadic_matrix(dyadic: Dyadic, frame: ReferenceFrame) -> ImmutableDenseMatrix:
    """Return the components of a dyadic in a frame.

    Dyadic.to_matrix gives the same, in a hundred times as many operations.
    """
    matrix: Matrix = zeros(3, 3)
    for coefficient, left, right in dyadic.args:
        outer = vector_components(left, frame) * vector_components(right, frame).T
        matrix += coefficient * outer
    return ImmutableDenseMatrix(matrix)


def _constant(value: Any, what: str) -> Any:
    if not is_constant(value):
        raise ValueError(f"{what} must be constant in the body's frame, got {value}.")
    return value
