"""Comparison of stated velocities with rates of poses, of bodies and of the places of loads.

Stated accelerations are compared with both: KanesMethod uses them unchecked, while this package
differentiates velocities.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sympy.physics.mechanics import Torque
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import DEPENDENT, STATED
from ...adapters.private_sympy import stated_accelerations
from ...spatial.paths import angular_velocity_in, has_own_spin, position_from
from ...sympy_objects import Body, is_particle
from ..time_derivative import TimeDerivative
from ..tree import Link, Tree
from .kinematics_check import are_close, format_numbers, frame_problems, stated_velocity
from .random_state import RandomState
from .stated_motion import HERE, EvaluatedMotion, Numbers, rate_of


def compare_velocities(
    links: Sequence[Link], motion: EvaluatedMotion
) -> tuple[EvaluatedMotion, list[str]]:
    """Return the motion that was compared, and the problems of velocities that contradict poses.

    First the speeds of the ``motion`` are used.  Users may have substituted velocity constraints
    into velocities: if there are contradictions, speeds that satisfy the constraints decide, and
    the returned motion has these speeds.

    The velocity of a mass centre is compared with the rate of its position from the inner body's
    mass centre; for bodies on ground, from all points at rest, one of which must agree.  A rigid
    body may roll: it rotates about a contact point, which is at rest but changes at each instant.
    """
    found = _problems(links, motion)
    if not found or motion.constrained is motion:
        return motion, found
    return motion.constrained, _problems(links, motion.constrained)


def _problems(links: Sequence[Link], motion: EvaluatedMotion) -> list[str]:
    """Return the problems of all angular velocities and velocities of mass centres."""
    found = [] if _rotate_as_stated(links, motion) else _rotation_problems(links, motion)
    for link in links:
        found += _center_problems(link, motion)
    return found


def _rotate_as_stated(links: Sequence[Link], motion: EvaluatedMotion) -> bool:
    """Whether all orientations are rotations whose rates agree with the angular velocities.

    It compares numbers of one batch; only if it fails, single frames are checked for messages.
    """
    frames = [link.frame for link in links if not is_particle(link.body)]
    if not motion.turning.keys() >= {*frames}:
        return False
    turns = np.array([motion.rotations[x][HERE] for x in frames]).reshape(-1, 3, 3)
    off = abs(turns @ turns.swapaxes(1, 2) - np.eye(3)).max(initial=0)
    spins = ((s, motion.turning[x] - motion.turning[y]) for x, y, s in motion.stated_rotations())
    is_right_handed = bool((np.linalg.det(turns) > 0).all())
    return off < STATED and is_right_handed and all(are_close(*pair) for pair in spins)


def _rotation_problems(links: Sequence[Link], motion: EvaluatedMotion) -> list[str]:
    """Return the problems of each body's orientation and stated angular velocity.

    A frame is compared relative to its inner body, and also to the inertial frame if its angular
    velocity there was set.
    """
    found, inertial, state = list[str](), motion.inertial, motion.state
    for link in links:
        if not is_particle(link.body):
            found += frame_problems(link.frame, link.inner_side.frame, state)
            if link.inner is not None and has_own_spin(link.frame, inertial):
                found += frame_problems(link.frame, inertial, state)
    return found


def _center_problems(link: Link, motion: EvaluatedMotion) -> list[str]:
    """Return the problem of a mass centre's velocity that contradicts positions from all origins.

    The origin is the inner body's mass centre; on ground, each point at rest is one.
    """
    origins, center = [link.inner_side.body.masscenter], link.body.masscenter
    if link.inner is None:
        origins = [
            x for x in motion.resting_points if x is not center and motion.is_connected(x, center)
        ]
    found = list[str]()
    for origin in origins:
        found += (problem := _center_problem(link, origin, motion))
        if not problem:
            return []
    return found[:1]


def _center_problem(link: Link, origin: Point, motion: EvaluatedMotion) -> list[str]:
    """Return the problem of a mass centre's velocity that contradicts its position from a point.

    The list is empty without a contradiction, or if the position or a velocity is unknown.
    """
    center, inertial, stated = link.body.masscenter, motion.inertial, motion.twists[link.body][3:]
    if link.inner is not None:
        stated = stated - motion.twists[link.inner_side.body][3:]
    places = motion.arm(center, origin)
    if places is None or not np.isfinite([*places, stated[:, -1]]).all():
        return []
    arm, rate, state = places[HERE], rate_of(places), motion.state
    agrees = partial(are_close, stated[:, -1], size=float(np.linalg.norm(arm)))
    if agrees(rate):
        return []
    position = position_from(center, origin)
    rate = state.time_derivative(position, inertial)  # exact, also near roots
    if agrees(rate) or (link.inner is None and _rolls(link, position, arm, rate, motion)):
        return []
    from .derived_velocities import derived_velocity

    what = "velocity" if link.inner is None else f"velocity (beyond that of {origin})"
    base = "" if link.inner is None else f"{origin}.vel({inertial}) + "
    right = shorten(derived_velocity(position, inertial, state.derivative), 200)
    numbers = f"{format_numbers(stated[:, -1])} against {format_numbers(rate)}"
    return [
        f"the {what} of {center} in {inertial} is stated as "
        f"{shorten(stated_velocity(center, inertial))}, but its position from {origin} changes "
        f"differently: {numbers} in {inertial}, at a random state. Use {center}.set_vel("
        f"{inertial}, {base}{right}), and v2pt_theory only for two points that are fixed in its "
        "frame."
    ]


def _rolls(
    link: Link, position: Vector, arm: Numbers, rate: Numbers, motion: EvaluatedMotion
) -> bool:
    """Whether a body rolls: it rotates about a contact point that changes at each instant.

    The mass centre's velocity is that of a rotation about the point.  Moreover, the distance of
    the mass centre is constant (a wheel), or only speeds that rotate the body change the position
    (an ellipsoid).
    """
    if is_particle(link.body):
        return False
    twist, frame, length = motion.twists[link.body], link.body.frame, float(np.linalg.norm(arm))
    if not are_close(twist[3:, -1], np.cross(twist[:3, -1], arm), size=length):
        return False
    if are_close(arm @ rate, np.zeros(()), size=length**2):
        return True
    turning = angular_velocity_in(frame, motion.inertial)
    states = motion.state.one_speed_at_a_time()
    each = [(s.components(turning, frame), s.time_derivative(position, frame)) for s in states]
    turns, shifts = map(np.array, zip(*each, strict=True))
    # Rates of the position that are linear in angular velocities vanish without rotation.
    caused = turns @ np.linalg.lstsq(turns, shifts, rcond=DEPENDENT)[0]
    return are_close(caused, shifts, size=length)


def acceleration_problems(
    bodies: Iterable[Body], inertial: ReferenceFrame, derivative: TimeDerivative, state: RandomState
) -> Iterator[str]:
    """Yield the problems of stated accelerations that are not derivatives of velocities.

    These are the mass centres' accelerations and the frames' angular accelerations, relative to the
    inertial frame.
    """
    for body in bodies:
        center, frame = body.masscenter, None if is_particle(body) else body.frame
        if (stated := stated_accelerations(center).get(inertial)) is not None:
            velocity = stated_velocity(center, inertial)
            right = "a2pt_theory only where v2pt_theory"
            if found := _difference(velocity, derivative.of_states(stated), inertial, state):
                yield f"the acceleration of {center} {found} Use {right} holds at every instant."
        if frame and (stated := stated_accelerations(frame).get(inertial)) is not None:
            velocity, right = frame.ang_vel_in(inertial), "set_ang_acc only where it"
            if found := _difference(velocity, derivative.of_states(stated), inertial, state):
                name = f"angular acceleration of {frame}"
                yield f"the {name} {found} Use {right} holds at every instant."


def _difference(
    velocity: Vector, acceleration: Vector, inertial: ReferenceFrame, state: RandomState
) -> str:
    """Return the problem of an acceleration that is not its velocity's derivative, else no text.

    Both vectors are compared at a random state, as components in the inertial frame.
    """

    def check(instant: RandomState) -> list[str]:
        """Return the problem as a list, empty if the vectors agree at an instant."""
        stated = instant.components(acceleration, inertial)
        rate = instant.time_derivative(velocity, inertial)
        if are_close(stated, rate, size=instant.largest_component(acceleration)):
            return []
        return [
            f"in {inertial} was set, and KanesMethod takes it, but it is not the derivative of the "
            f"velocity: {format_numbers(stated)} against {format_numbers(rate)} in {inertial}, at "
            "a random state. The forces and accelerations here are those of the velocity."
        ]

    return "".join(state.first_defined(check))


def load_problems(tree: Tree, motion: EvaluatedMotion, moved: Collection[Any]) -> list[str]:
    """Return the problems of loads whose point or frame does not move like the loads' body.

    The stated velocity of a load's point is compared with the body's velocity at the point, and the
    stated angular velocity of a torque's frame with the body's, by unit speeds.  Only speeds that
    the velocity constraints allow are compared.

    Parameters
    ==========

    tree : Tree
        The model, with its loads on links.
    motion : EvaluatedMotion
        The motions at a random state, in inertial components.
    moved : collection of Point or ReferenceFrame
        The locations for which the user specified a body: they are not compared.
    """
    known = [x for x in tree.assigned.applied if tree.links[x.link].body in motion.twists]
    loads = [x for x in known if x.source.location not in moved]
    if not loads:
        return []
    bodies = [tree.links[x.link] for x in loads]
    frames = [x.frame if is_particle(x.body) else x.body.frame for x in bodies]
    own = motion.spins(frames)
    places = [x.source.location for x in loads]
    is_torque = [isinstance(x.source, Torque) for x in loads]
    turned = motion.spins([x if y else None for x, y in zip(places, is_torque, strict=True)])
    shifted = motion.velocities(
        [None if y else motion.velocity_of(x) for x, y in zip(places, is_torque, strict=True)]
    )
    found, free = list[str](), _free_directions(tree, motion)
    for k, (place, link) in enumerate(zip(places, bodies, strict=True)):
        center = link.body.masscenter
        stated, moving = turned[k] if is_torque[k] else shifted[k], own[k]
        if not is_torque[k]:
            arm = motion.arm(place, center)
            turning = np.nan if arm is None else np.cross(own[k], arm[HERE][:, None], axis=0)
            moving = motion.twists[link.body][3:] + turning
        apart = abs((stated - moving)[:, :-2] @ free).max(initial=0)
        if apart > STATED * max(1.0, np.nanmax(abs(stated), initial=0)):  # False for NaN
            what, how, pose = "point", "vel", "position"
            if is_torque[k]:
                what, how, pose = "frame", "ang_vel_in", "orientation"
            found.append(
                f"the load on the {what} {place} acts on {link.body}, which does not move there as "
                f"{place}.{how}({motion.inertial}) states. Correct that velocity, or the {pose} of "
                f"{place}, or name the body on which the load acts: owners={{{place}: body}}."
            )
    return list(dict.fromkeys(found))


def _free_directions(tree: Tree, motion: EvaluatedMotion) -> Numbers:
    """Return the orthogonal projector of speeds onto the null space of velocity constraints."""
    rows = motion.state.by_each_speed(tree.constraints.velocity)[:, :-2]
    return np.eye(len(tree.speeds)) - np.linalg.pinv(rows) @ rows
