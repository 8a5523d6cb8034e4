"""Do the velocities of a model without joints agree with its orientations and positions?"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import DEPENDENT, STATED
from ...spatial.paths import (
    angular_velocity_in,
    connected_points,
    has_own_spin,
    own_velocity,
    position_from,
)
from ...sympy_objects import is_particle
from ..tree import Link
from .kinematics_check import agree_in_numbers, frame_problems, stated_velocity, text_of
from .random_state import RandomState
from .stated_motion import HERE, EvaluatedMotion


def has_stated_velocities(links: Sequence[Link], motion: EvaluatedMotion) -> bool:
    """Whether velocities and angular velocities are those of poses, at the evaluated state.

    If not, `velocity_problems` says which are not; those of rolling bodies may be right.
    """
    frames = [link.frame for link in links if not is_particle(link.body)]
    if motion.contradictions or not motion.turning.keys() >= {*frames}:
        return False
    turns = np.array([motion.rotations[x][HERE] for x in frames]).reshape(-1, 3, 3)
    off = abs(turns @ turns.swapaxes(1, 2) - np.eye(3)).max(initial=0)
    spins = ((s, motion.turning[x] - motion.turning[y]) for x, y, s in motion.stated_rotations())
    return bool(
        off < STATED
        and (np.linalg.det(turns) > 0).all()
        and all(agree_in_numbers(*pair) for pair in spins)
        and all(_moves_as_stated(link, motion) for link in links)
    )


def _moves_as_stated(link: Link, motion: EvaluatedMotion) -> bool:
    """Whether the velocity of a mass centre, beyond the inner one's, is its position's rate."""
    center, inner = link.body.masscenter, link.inner_side.body
    stated, origins = motion.twists[link.body][3:, -1], motion.resting
    if link.inner is not None:
        stated, origins = stated - motion.twists[inner][3:, -1], [inner.masscenter]
    arms = [(motion.arm(center, x), motion.shifting[x]) for x in origins if x in motion.shifting]
    return (link.inner is None and not origins) or any(
        agree_in_numbers(
            stated, motion.shifting[center] - rate, size=float(np.linalg.norm(arm[HERE]))
        )
        for arm, rate in arms
        if arm is not None
    )


def velocity_problems(
    links: Sequence[Link], inertial: ReferenceFrame, state: RandomState
) -> list[str]:
    """Return problems of angular velocities and velocities that contradict the poses.

    Those of mass centres are compared with the change of their position from the inner mass centre,
    or from any point at rest, if there is one.  A rigid body may roll: rotate about a point at rest
    that changes at each instant.
    """
    found: list[str] = []
    for link in links:
        if not is_particle(link.body):
            found += frame_problems(link.frame, link.inner_side.frame, state)
            if link.inner is not None and has_own_spin(link.frame, inertial):
                found += frame_problems(link.frame, inertial, state)
    for link in links:
        found += _center_problems(link, inertial, state)
    return found


def _center_problems(link: Link, inertial: ReferenceFrame, state: RandomState) -> list[str]:
    origins = [link.inner_side.body.masscenter]
    if link.inner is None:
        around = connected_points(link.origin)
        origins = [point for point in around if own_velocity(point, inertial) == 0]
    told = [state.first_told(partial(_told, link, origin, inertial)) for origin in origins]
    return told[0] if told and all(told) else []


def _told(link: Link, origin: Point, inertial: ReferenceFrame, state: RandomState) -> list[str]:
    """Return the problem if a mass centre's velocity contradicts its position from a point."""
    center = link.body.masscenter
    arm = position_from(center, origin)
    change = state.change(arm, inertial)
    velocity = stated_velocity(center, inertial)
    inner = Vector(0) if link.inner is None else stated_velocity(origin, inertial)
    parts = _without_shared(velocity, inner), _without_shared(inner, velocity)
    own, others = (state.components(part, inertial) for part in parts)
    stated, size = own - others, max(state.size(arm), float(abs(others).max()))
    if agree_in_numbers(stated, change, size=size) or (
        link.inner is None and _rolls(link, arm, state)
    ):
        return []
    from .derived_velocities import derived_velocity

    what = "velocity" if link.inner is None else f"velocity (beyond that of {origin})"
    base = "" if link.inner is None else f"{origin}.vel({inertial}) + "
    right = shorten(derived_velocity(arm, inertial, state.derivative), 200)
    return [
        f"the {what} of {center} in {inertial} is stated as {shorten(velocity)}, but its position "
        f"from {origin} changes differently: {text_of(stated)} against {text_of(change)} in "
        f"{inertial}, at a random state. Use {center}.set_vel({inertial}, {base}{right}), and "
        "v2pt_theory only for two points that are fixed in its frame."
    ]


def _without_shared(one: Vector, other: Vector) -> Vector:
    """Return a vector without the components that another one has as well: in chains nearly all."""
    shared = {frame: components for components, frame in other.args}
    return Vector([part for part in one.args if shared.get(part[1]) is not part[0]])


def _rolls(link: Link, arm: Vector, state: RandomState) -> bool:
    """Whether a body rotates about a point at rest that changes at each instant.

    Its distance is constant (a wheel), or only speeds that rotate the body move it (an ellipsoid).
    """
    inertial = link.inner_side.frame
    if is_particle(link.body):
        return False
    frame = link.body.frame
    turning, place = angular_velocity_in(frame, inertial), state.components(arm, inertial)
    stated = state.components(stated_velocity(link.origin, inertial), inertial)
    length = float(np.linalg.norm(place))
    if not agree_in_numbers(
        stated, np.cross(state.components(turning, inertial), place), size=length
    ):
        return False
    if agree_in_numbers(place @ state.change(arm, inertial), np.zeros(()), size=length**2):
        return True
    each = [(s.components(turning, frame), s.change(arm, frame)) for s in state.by_speed()]
    turns, shifts = map(np.array, zip(*each, strict=True))
    caused = turns @ np.linalg.lstsq(turns, shifts, rcond=DEPENDENT)[0]
    return agree_in_numbers(caused, shifts, size=length)
