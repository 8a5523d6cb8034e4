"""Do the velocities of a model without joints agree with its orientations and positions?"""

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...checks.arguments import shorten
from ...spatial.paths import has_own_velocity, points_around, position_from, velocity_as_set
from ..time_derivative import TimeDerivative
from ..tree import Link
from .kinematics_check import agree, frame_problems, text_of
from .random_state import RandomState, UndefinedError


def velocity_problems(
    links: Sequence[Link], inertial: ReferenceFrame, derivative: TimeDerivative
) -> list[str]:
    """Return which angular velocities and velocities are not those of the poses.

    Parameters
    ==========

    links : sequence of Link
        The bodies of a KanesMethod.
    inertial : ReferenceFrame
        The inertial frame.
    derivative : TimeDerivative
        The solved kinematical differential equations.

    Returns
    =======

    list of str
        One text for each frame and mass centre.

    Notes
    =====

    All is compared at a random state: angular velocities with the change of the
    orientation, velocities of mass centres with the change of their position from
    the mass centre that the body is joined to, or from a point at rest.  Nothing is
    said of the latter where no point at rest is known; and a rigid body may turn
    about a point at a constant distance that is at rest, though another one is there
    at each instant: it rolls.
    """
    state = RandomState(derivative)
    found: list[str] = []
    for link in links:
        if not isinstance(link.body, Particle):
            found += frame_problems(link.frame, link.inner_side.frame, state)
            if link.inner is not None and has_own_velocity(link.frame, inertial):
                found += frame_problems(link.frame, inertial, state)
    for link in links:
        found += _center_problems(link, inertial, state)
    return found


def _center_problems(link: Link, inertial: ReferenceFrame, state: RandomState) -> Iterator[str]:
    """Yield that the velocity of a mass centre is not the change of its position."""
    center = link.origin
    origin = _point_at_rest(center, inertial) if link.inner is None else link.inner_side.point
    if origin is None:
        return
    try:
        arm = position_from(center, origin)
        change = state.change(arm, inertial)
        stated = state.components(_velocity(center, inertial), inertial)
        if link.inner is not None:
            inner = state.components(_velocity(origin, inertial), inertial)
            stated = stated - inner
        if agree(stated, change) or (link.inner is None and _rolls(link, arm, stated, state)):
            return
    except (UndefinedError, ValueError):  # undefined here, or no path
        return
    what = "velocity" if link.inner is None else f"velocity (beyond that of {origin})"
    yield (
        f"the {what} of {center} in {inertial} is stated as "
        f"{shorten(_velocity(center, inertial))}, but its position from {origin} changes "
        f"differently: {text_of(stated)} against {text_of(change)} in {inertial}, at a random "
        f"state. Use {center}.set_vel({inertial}, ...) with the derivative of the position, and "
        "v2pt_theory only for two points that are fixed in its frame."
    )


def _rolls(link: Link, arm: Vector, velocity: np.ndarray, state: RandomState) -> bool:
    """Whether a body turns about a point at a constant distance, which is another each time."""
    inertial = link.inner_side.frame
    if isinstance(link.body, Particle):
        return False
    place, change = state.components(arm, inertial), state.change(arm, inertial)
    spin = state.components(link.body.frame.ang_vel_in(inertial), inertial)
    return agree(velocity, np.cross(spin, place)) and agree(place @ change, np.zeros(()))


def _point_at_rest(center: Point, inertial: ReferenceFrame) -> Point | None:
    points = points_around(center)
    return next((p for p in points if velocity_as_set(p, inertial) == 0), None)


def _velocity(point: Point, frame: ReferenceFrame) -> Vector:
    with warnings.catch_warnings():  # sympy found several paths to the point
        warnings.simplefilter("ignore")
        return point.vel(frame)
