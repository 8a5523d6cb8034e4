"""The velocities that follow from orientations and positions, as code to paste."""

from itertools import pairwise

from sympy import Matrix, trigsimp
from sympy.physics.vector import ReferenceFrame, Vector
from sympy.physics.vector.printing import vsstrrepr

from ...adapters.private_sympy import stated_orientations
from ...spatial.components import vector_of
from ...spatial.paths import shortest_path
from ..time_derivative import TimeDerivative


def derived_rotation(
    frame: ReferenceFrame, other: ReferenceFrame, derivative: TimeDerivative
) -> str:
    """Return the angular velocity of a frame in another one, by its orientation, as code."""
    return vsstrrepr(_rotation(frame, other, derivative))


def derived_velocity(position: Vector, frame: ReferenceFrame, derivative: TimeDerivative) -> str:
    """Return the time derivative of a position in a frame, as code."""
    total = Vector(0)
    for components, own in position.args:
        part = vector_of(components, own)
        total += vector_of(derivative(Matrix(components)), own)
        total += _rotation(own, frame, derivative).cross(part)
    return vsstrrepr(total)


def _rotation(frame: ReferenceFrame, other: ReferenceFrame, derivative: TimeDerivative) -> Vector:
    """Return the sum of the angular velocities between neighbours, each in one of the two."""
    total = Vector(0)
    for here, there in pairwise(shortest_path(frame, other, stated_orientations) or ()):
        turn = Matrix(stated_orientations(here)[there])
        spin = turn * turn.diff(derivative.time).T
        # before rates are replaced, which may be long expressions
        own = Matrix([trigsimp(x) for x in (spin[2, 1], spin[0, 2], spin[1, 0])])
        total += vector_of(derivative.in_speeds(own), here)
    return total
