"""What a body weighs: mass, mass centre and inertia in its own frame."""

from collections.abc import Iterable
from typing import Any

from sympy import ImmutableDenseMatrix, Matrix, Symbol, simplify, zeros
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Dyadic, ReferenceFrame

from ...checks.arguments import Body, describe
from ...spatial.components import is_constant, position_components, vector_components
from ..side import Side


def mass_properties(side: Side, time: Symbol) -> dict[str, Any]:
    """Return the fields of a `Link` that hold a body's mass, mass centre and inertia.

    Parameters
    ==========

    side : Side
        The body, with the point from which lengths count.
    time : Symbol
        The time.

    Raises
    ======

    ValueError
        If mass or inertia vary.
    """
    body = side.body
    inertia, about_origin = _inertia(side, time)
    to_origin = position_components(side.point, body.masscenter, side.frame)
    return {
        "mass": _constant(body.mass, f"the mass of {body}", time),
        "masscenter": ImmutableDenseMatrix(-to_origin),
        "inertia": inertia,
        "inertia_is_about_origin": about_origin,
    }


def potential_energies(bodies: Iterable[Body]) -> list[str]:
    """Return what is wrong with bodies that have a potential energy: nothing reads it."""
    return [
        f"the body {body} has a potential energy, which is not read. Give its forces as loads "
        "(apply_uniform_gravity, add_loads, add_actuators; for a KanesMethod forcelist=) and set "
        f"the potential_energy of {body} to 0."
        for body in bodies
        if body.potential_energy != 0
    ]


def _inertia(side: Side, time: Symbol) -> tuple[ImmutableDenseMatrix, bool]:
    """Return a body's inertia matrix, and whether it is about the side's point."""
    body = side.body
    if isinstance(body, Particle):
        return ImmutableDenseMatrix.zeros(3, 3), False
    dyadic, point = body.inertia
    about_origin = point is side.point and point is not body.masscenter
    matrix = _dyadic_matrix(dyadic if about_origin else body.central_inertia, side.frame)
    if not is_constant(matrix, time):  # a disc's may be given in a frame in which it turns
        matrix = matrix.applyfunc(simplify)
    return _constant(matrix, f"the inertia of {body}", time), about_origin


def _dyadic_matrix(dyadic: Dyadic, frame: ReferenceFrame) -> ImmutableDenseMatrix:
    """Return the components of a dyadic in a frame.

    Dyadic.to_matrix gives the same, in a hundred times as many operations.
    """
    matrix: Matrix = zeros(3, 3)
    for coefficient, left, right in dyadic.args:
        outer = vector_components(left, frame) * vector_components(right, frame).T
        matrix += coefficient * outer
    return ImmutableDenseMatrix(matrix)


def _constant(value: Any, what: str, time: Symbol) -> Any:
    if not is_constant(value, time):
        raise ValueError(f"{what} must be constant in the body's frame, got {describe(value)}.")
    return value
