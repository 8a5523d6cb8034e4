"""The check that a model's redundant statements about its motion agree.

Orientations, positions, velocities, joint kinds and kinematical differential equations are compared
as numbers at a random state.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Derivative, Expr
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import STATED, THREE_DIGITS_TWICE
from ...spatial.components import is_constant
from ...spatial.paths import angular_velocity_in, has_own_spin, position_from
from ...sympy_objects import Body, is_particle
from ..joint_kinds import KIND_OF
from ..relative_motion import Side
from ..time_derivative import TimeDerivative
from ..tree import Link
from .random_state import Manifold, RandomState

#: The rotations or translations of a joint: pairs of a coordinate and its axis.
Freedom = list[tuple[Expr, Vector]]


def kinematics_problems(
    system: System, derivative: TimeDerivative, unjoined: Iterable[Body], manifold: Manifold
) -> list[str]:
    """Return the problems of a System whose statements are wrong or contradict each other.

    The first problems are coordinates whose derivative is not linear in the speeds.  If there are
    none, the other problems are

    * orientations of frames that are no rotations or contradict the frames' angular velocity,
    * interframes and points of joints that move in their bodies,
    * joints of a known kind whose child moves differently.

    The user may have substituted constraints into velocities: a problem at a random state is only
    reported if it remains at a state on the constraint manifold.  A matrix that is a rotation only
    for coordinates of unit norm (a quaternion) is compared at unit norm.  It is not reported if
    constants may make it a rotation.

    Parameters
    ==========

    system : System
        The model.
    derivative : TimeDerivative
        The time derivatives by its kinematical differential equations.
    unjoined : iterable of RigidBody or Particle
        The bodies without a joint, whose orientation in the System's frame is compared.
    manifold : Manifold
        The constraint equations.
    """
    if found := [*_nonlinearity_problems(derivative)]:
        return found

    def check(state: RandomState) -> list[str]:
        """Return the problems of frames and joints, each at its first defined instant."""
        frames = [body.frame for body in unjoined if not is_particle(body)]
        found = [text for x in frames for text in frame_problems(x, system.frame, state)]
        found += [text for joint in system.joints for text in _joint_problems(joint, state)]
        return list(dict.fromkeys(found))

    state = RandomState(derivative)
    found = check(state)
    if found and (manifold.position or manifold.velocity):
        with suppress(ValueError):  # no assembled state is found, or values are undefined there
            found = check(state.on_manifold(manifold))
    return found


def _nonlinearity_problems(derivative: TimeDerivative) -> Iterator[str]:
    """Yield a problem for each coordinate whose derivative is not linear in the speeds."""
    speeds = set(derivative.speeds)
    for unknown, rate in derivative.rates.items():
        present = speeds & rate.atoms(AppliedUndef, Derivative)
        if any(rate.diff(speed).has(*present) for speed in present):
            yield (
                f"the derivative of {unknown.expr} is not linear in the speeds: {shorten(rate)}. "
                "Choose speeds that are linear in the derivatives of the coordinates."
            )


def frame_problems(
    frame: ReferenceFrame, other: ReferenceFrame, state: RandomState, joint: Joint | None = None
) -> list[str]:
    """Return the problem that an orientation is no rotation or contradicts the angular velocity.

    The orientation is that of ``frame`` in ``other``; ``joint`` is the joint that states it.  The
    values are compared at the first instant at which they are defined.
    """
    return state.first_defined(lambda instant: _frame_problems(frame, other, instant, joint))


def _frame_problems(
    frame: ReferenceFrame, other: ReferenceFrame, state: RandomState, joint: Joint | None
) -> list[str]:
    """Return the problems of `frame_problems` at one instant.

    A matrix that is not orthogonal is evaluated again with coordinates of unit norm, for it may be
    that of a quaternion.  The angular velocity is the axial vector of R dR^T/dt, in ``frame``.
    """
    turn, rate = state.rotation(frame, other)
    if _max_abs(turn @ turn.T - np.eye(3)) > THREE_DIGITS_TWICE:
        state = state.with_unit_norm(frame.dcm(other))
        turn, rate = state.rotation(frame, other)
    deviation, is_mirrored = _max_abs(turn @ turn.T - np.eye(3)), np.linalg.det(turn) < 0
    if deviation > THREE_DIGITS_TWICE or is_mirrored:
        where = "" if joint is None else f"at the joint {joint.name!r} "
        how = "it mirrors" if is_mirrored else "its rows are no unit vectors at right angles"
        return [
            f"{where}the orientation of {frame} in {other} is no rotation: {how}. Use "
            "orient_axis, orient_body_fixed or an orthogonal matrix of determinant 1; divide a "
            "quaternion by its norm."
        ]
    stated = state.components(angular_velocity_in(frame, other), frame)
    spin = turn @ rate.T
    turning = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    if are_close(stated, turning, max(STATED, 10 * deviation)):
        return []
    who = "the model" if joint is None else f"the joint {joint.name!r}"
    own = "" if joint is None else "the joint's own equations (joint.kdes), or "
    from .derived_velocities import derived_rotation

    right = shorten(derived_rotation(frame, other, state.derivative), 200)
    numbers = f"{format_numbers(stated)} against {format_numbers(turning)}"
    return [
        f"{who} states the angular velocity {shorten(angular_velocity_in(frame, other))} of "
        f"{frame} in {other}, but its orientation and the kinematical differential equations "
        f"give another one: {numbers} in {frame}, at a random state. Use {own}{frame}.set_ang_vel("
        f"{other}, {right}), and for KanesMethod then set the velocities of its points "
        "(Point.v2pt_theory)."
    ]


# -- joints -----------------------------------------------------------------------


def _joint_problems(joint: Joint, state: RandomState) -> list[str]:
    """Return the problems of a joint's frames and points, or if there are none, of its kind.

    The relative motion of the bodies' own frames is also compared if the user set their relative
    angular velocity.
    """
    parent, child = Side.parent(joint), Side.child(joint)
    side_problems = [
        text for side in (parent, child) for text in _side_problems(joint, side, state)
    ]
    pair = child.interframe, parent.interframe
    turning = frame_problems(*pair, state, joint)
    bodies = child.frame, parent.frame
    if not (side_problems or turning) and bodies != pair and has_own_spin(*bodies):
        turning = frame_problems(*bodies, state, joint)
    return side_problems + turning or _joint_kind_problems(joint, state)


def _side_problems(joint: Joint, side: Side, state: RandomState) -> Iterator[str]:
    """Yield the problems of a joint's interframe and point that are not fixed in a body."""
    for what, moves in (
        (f"frame {side.interframe}", _is_turning),
        (f"point {side.point}", _is_shifting),
    ):
        if _all_move(moves, [side], state):
            yield (
                f"the {what} must be fixed in {side.body} at the joint {joint.name!r}, but it "
                f"moves there. {LATER_CHANGE}"
            )
    if side.interframe is not side.frame:
        yield from frame_problems(side.interframe, side.frame, state, joint)


def _is_turning(side: Side, state: RandomState) -> bool:
    """Whether a side's interframe rotates relative to its body's frame."""
    _, rate = state.rotation(side.interframe, side.frame)
    return _max_abs(rate) > STATED


def _is_shifting(side: Side, state: RandomState) -> bool:
    """Whether a side's point moves relative to its body's mass centre, in the body's frame."""
    if side.point is side.body.masscenter:
        return False
    arm = position_from(side.point, side.body.masscenter)
    length = _max_abs(state.components(arm, side.frame))
    return _max_abs(state.time_derivative(arm, side.frame)) > STATED * length


def _all_move(
    moves: Callable[[Side, RandomState], bool], sides: Sequence[Side], state: RandomState
) -> bool:
    """Whether all sides move at the first instant at which their motion is defined."""
    return any(state.first_defined(lambda instant: [all(moves(side, instant) for side in sides)]))


def loose_point_problems(links: Iterable[Link], state: RandomState) -> Iterator[str]:
    """Yield a problem for each connection whose point moves relative to both bodies."""
    for link in links:
        if link.joint is None or link.inner is None:
            continue
        point = link.joint.child_point
        if is_particle(link.body) and _is_on_rod(point, link.body, state):
            continue
        own = [replace(side, point=point) for side in (link.inner_side, link.outer_side)]
        if _all_move(_is_shifting, own, state):
            yield (
                f"`connections` has {own[1].body} joined to {own[0].body} at the point {point}, "
                "which is fixed in neither of them, so that the moment would be about a point "
                "outside the joint. Use the point at which the two are joined."
            )


def _is_on_rod(point: Point, particle: Body, state: RandomState) -> bool:
    """Whether a point is on a massless rod: its position from a particle is constant in a frame."""
    steps = position_from(point, particle.masscenter).args
    return len(steps) < 2 and all(is_constant(step, state.time) for step, _ in steps)


def _joint_kind_problems(joint: Joint, state: RandomState) -> list[str]:
    """Return the problem of a joint that does not move by its coordinates as its kind does.

    The kinds are sympy's joints and joint classes with a ``_freedoms`` method.  A joint with
    arbitrary rotations must only have an orientation that contains all its rotation coordinates.
    """
    if (freedoms := freedoms_of(joint)) is None:
        return []
    (turns, shifts), frame = freedoms, joint.parent_interframe

    def check(instant: RandomState) -> list[str]:
        """Return the problem at an instant, empty if rotations and translations agree."""
        if turns is None:
            rotation = joint.child_interframe.dcm(frame)
            own = getattr(joint, "rotation_coordinates", joint.coordinates)
            is_same = all(rotation.has(coordinate) for coordinate in own)
        else:
            spin = angular_velocity_in(joint.child_interframe, frame)
            turning = instant.components(spin, frame)
            is_same = are_close(turning, _freedom_rates(turns, frame, instant))
        shift = instant.time_derivative(position_from(joint.child_point, joint.parent_point), frame)
        if is_same and are_close(shift, _freedom_rates(shifts, frame, instant)):
            return []
        return [
            f"the joint {joint.name!r} does not let {joint.child} move relative to "
            f"{joint.parent} as a {type(joint).__name__} with its coordinates does. "
            f"{LATER_CHANGE}"
        ]

    return state.first_defined(check)


#: The usual cause of problems of joints, and the fix, for messages.
LATER_CHANGE = (
    "Its frames or points were changed after the joint was made, for instance by another joint "
    "of the same bodies. Make one joint for a pair of bodies, and do not orient or place "
    "anything after it."
)


def _freedom_rates(freedom: Freedom, frame: ReferenceFrame, state: RandomState) -> np.ndarray:
    """Return the sum of coordinate rates along their unit axes, as components in a frame."""
    total = np.zeros(3)
    for coordinate, axis in freedom:
        direction = state.components(axis, frame)
        total += state.rates([coordinate]) * direction / np.linalg.norm(direction)
    return total


def freedoms_of(joint: Any) -> tuple[Freedom | None, Freedom] | None:
    """Return the free rotations and translations of a joint's child, None for an unknown kind."""
    find = FREEDOMS.get(KIND_OF.get(type(joint))) or getattr(type(joint), "_freedoms", None)
    return None if find is None else find(joint)


#: The rotations and translations of the child that each kind of joint allows.  None instead of a
#: list of rotations stands for arbitrary rotations.
FREEDOMS: dict[str | None, Callable[[Any], tuple[Freedom | None, Freedom]]] = {
    "pin": lambda j: ([(j.coordinates[0], j.joint_axis)], []),
    "prismatic": lambda j: ([], [(j.coordinates[0], j.joint_axis)]),
    "cylindrical": lambda j: (
        [(j.rotation_coordinate, j.joint_axis)],
        [(j.translation_coordinate, j.joint_axis)],
    ),
    "planar": lambda j: (
        [(j.rotation_coordinate, j.rotation_axis)],
        list(zip(j.planar_coordinates, j.planar_vectors, strict=True)),
    ),
    "weld": lambda j: ([], []),
    "spherical": lambda j: (None, []),
}


# -- numbers ------------------------------------------------------------------------


def are_close(
    left: np.ndarray, right: np.ndarray, tolerance: float = STATED, size: float = 1.0
) -> bool:
    """Whether two arrays are equal up to rounding.

    The tolerance is relative to the largest number, or to ``size`` if that is larger: the size of
    the terms whose sums the numbers are.
    """
    scale = max(size, _max_abs(left), _max_abs(right))
    return _max_abs(left - right) <= tolerance * scale


def _max_abs(numbers: np.ndarray) -> float:
    return float(abs(numbers).max())


def stated_velocity(point: Point, frame: ReferenceFrame) -> Vector:
    """Return sympy's velocity of a point in a frame, without its warning of several paths."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return point.vel(frame)


def format_numbers(numbers: np.ndarray) -> str:
    return "[" + ", ".join(f"{number:.3g}" for number in numbers) + "]"
