"""Velocities that are derived from orientations and positions, as code to paste."""

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
    """Return the code of a frame's angular velocity in another frame, from its orientation."""
    return vsstrrepr(_rotation(frame, other, derivative))


def derived_velocity(position: Vector, frame: ReferenceFrame, derivative: TimeDerivative) -> str:
    """Return the code of a position's time derivative in a frame.

    Each part of the position is differentiated in its own frame; the cross product with this
    frame's angular velocity is added.
    """
    total = Vector(0)
    for components, own in position.args:
        part = vector_of(components, own)
        total += vector_of(derivative(Matrix(components)), own)
        total += _rotation(own, frame, derivative).cross(part)
    return vsstrrepr(total)


def _rotation(frame: ReferenceFrame, other: ReferenceFrame, derivative: TimeDerivative) -> Vector:
    """Return the angular velocity of a frame in another frame, from stated orientations.

    It is the sum over the path of frames that were oriented in each other.  The angular velocity of
    each frame in its neighbour has components in the first of them: the entries of the skew matrix
    R dR^T/dt with R = first.dcm(second).
    """
    total = Vector(0)
    for here, there in pairwise(shortest_path(frame, other, stated_orientations) or ()):
        turn = Matrix(stated_orientations(here)[there])
        spin = turn * turn.diff(derivative.time).T
        # simplified before the rates are replaced by expressions of speeds, which may be long
        own = Matrix([trigsimp(x) for x in (spin[2, 1], spin[0, 2], spin[1, 0])])
        total += vector_of(derivative.in_speeds(own), here)
    return total
