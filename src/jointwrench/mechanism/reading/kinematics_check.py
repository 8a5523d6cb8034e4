"""Do a model's own statements about its motion agree?

Orientations, positions, angular velocities, joints and kinematical differential
equations say the same thing more than once, and each can be changed alone.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sympy import Add, Derivative, Expr, Mul
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import (
    CylindricalJoint,
    Particle,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    SphericalJoint,
    System,
    WeldJoint,
)
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import ReferenceFrame, Vector

from ...checks.arguments import Body, shorten
from ...checks.tolerances import STATED, WRITTEN_TWICE
from ...models.free_joint import FreeJoint
from ...models.quaternion_joint import QuaternionJoint
from ...spatial.paths import angular_velocity_in, has_own_velocity, position_from
from ..relative_motion import Side
from ..time_derivative import TimeDerivative
from ..tree import Link
from .random_state import Manifold, RandomState

#: A motion by coordinates: each with the direction in which it counts.
Freedom = list[tuple[Expr, Vector]]


def kinematics_problems(
    system: System,
    derivative: TimeDerivative,
    unjoined: Iterable[Body],
    manifold: Manifold,
) -> list[str]:
    """Return texts on what no recursion can use, because it is wrong or contradicts itself.

    These are coordinates whose derivative is not linear in the speeds; if there are none, pairs of
    frames whose relative orientation is no rotation, or which turn otherwise than their angular
    velocity says, interframes and points of joints that move in their bodies, and joints of a known
    kind that move otherwise.

    All is compared at a random state, at one where all of it is defined if there is any; what
    disagrees there must agree where the System's constraints hold, which may have been put into
    velocities.  Where a direction cosine matrix is a rotation for coordinates of unit norm only (a
    quaternion), it is compared for these; where constants may make it one, nothing can be said.
    """
    if found := [*_nonlinear(derivative)]:
        return found

    def check(state: RandomState) -> list[str]:
        frames = [body.frame for body in unjoined if not isinstance(body, Particle)]
        found = [text for x in frames for text in frame_problems(x, system.frame, state)]
        found += [text for joint in system.joints for text in _joint_problems(joint, state)]
        return list(dict.fromkeys(found))

    return RandomState(derivative).least_told(check, manifold)[1]


def _nonlinear(derivative: TimeDerivative) -> Iterator[str]:
    speeds = set(derivative.speeds)
    for unknown, rate in derivative.rates.items():
        if all(_is_plainly_linear(term, speeds) for term in Add.make_args(rate)):
            continue
        present = speeds & rate.atoms(AppliedUndef, Derivative)
        if any(rate.diff(speed).has(*present) for speed in present):
            yield (
                f"the derivative of {unknown.expr} is not linear in the speeds: {shorten(rate)}. "
                "Choose speeds that are linear in the derivatives of the coordinates."
            )


def _is_plainly_linear(term: Expr, speeds: set[Expr]) -> bool:
    """Whether a term is a product with at most one speed, which saves its derivatives."""
    factors = Mul.make_args(term)
    others = [factor for factor in factors if factor not in speeds and not factor.is_Number]
    count = sum(factor in speeds for factor in factors)
    kinds = AppliedUndef, Derivative
    return count <= 1 and all(speeds.isdisjoint(other.atoms(*kinds)) for other in others)


# -- frames ---------------------------------------------------------------------


def frame_problems(
    frame: ReferenceFrame, other: ReferenceFrame, state: RandomState, joint: Joint | None = None
) -> list[str]:
    """Return whether a frame's orientation in another one is no rotation, or not as it turns.

    The joint is the one that relates the two frames, if there is one.
    """
    return state.first_told(lambda instant: _frame_problems(frame, other, instant, joint))


def _frame_problems(
    frame: ReferenceFrame, other: ReferenceFrame, state: RandomState, joint: Joint | None
) -> list[str]:
    turn, rate, state = _rotation(frame, other, state)
    deviation = _largest(turn @ turn.T - np.eye(3))
    if deviation > WRITTEN_TWICE or np.linalg.det(turn) < 0:
        return [_no_rotation(frame, other, turn, joint)]
    stated = state.components(angular_velocity_in(frame, other), frame)
    spin = turn @ rate.T
    turning = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    if agree_in_numbers(stated, turning, max(STATED, 10 * deviation)):
        return []
    who = "the model" if joint is None else f"the joint {joint.name!r}"
    own = "" if joint is None else "the joint's own equations (joint.kdes), or "
    return [
        f"{who} states the angular velocity {shorten(angular_velocity_in(frame, other))} of "
        f"{frame} in {other}, but by its orientation and the kinematical differential equations "
        f"it turns differently: {text_of(stated)} against {text_of(turning)} in {frame}, at a "
        f"random state. Use {own}{frame}.set_ang_vel({other}, ...) in the speeds of the "
        "equations, and for KanesMethod set the velocities of its points, too (Point.v2pt_theory)."
    ]


def _rotation(
    frame: ReferenceFrame, other: ReferenceFrame, state: RandomState
) -> tuple[np.ndarray, np.ndarray, RandomState]:
    """Return a direction cosine matrix and its rate, at a state where it is a rotation."""
    turn, rate = state.rotation(frame, other)
    if _largest(turn @ turn.T - np.eye(3)) > WRITTEN_TWICE:
        state = state.on_unit_norm(frame.dcm(other))
        turn, rate = state.rotation(frame, other)
    return turn, rate, state


def _no_rotation(
    frame: ReferenceFrame, other: ReferenceFrame, turn: np.ndarray, joint: Joint | None
) -> str:
    where = "" if joint is None else f"at the joint {joint.name!r} "
    how = (
        "it mirrors" if np.linalg.det(turn) < 0 else "its rows are no unit vectors at right angles"
    )
    return (
        f"{where}the orientation of {frame} in {other} is no rotation: {how}. Use orient_axis, "
        "orient_body_fixed or an orthogonal matrix of determinant 1; divide a quaternion by its "
        "norm."
    )


# -- joints -----------------------------------------------------------------------


def _joint_problems(joint: Joint, state: RandomState) -> list[str]:
    parent, child = Side.parent(joint), Side.child(joint)
    loose = [text for side in (parent, child) for text in _loose(joint, side, state)]
    pair = child.interframe, parent.interframe
    turning = frame_problems(*pair, state, joint)
    bodies = child.frame, parent.frame
    if not (loose or turning) and bodies != pair and has_own_velocity(*bodies):
        turning = frame_problems(*bodies, state, joint)
    return loose + turning or _another_kind(joint, state)


def _loose(joint: Joint, side: Side, state: RandomState) -> Iterator[str]:
    """Yield what is not fixed in the body of one side of a joint, but must be."""
    at = f"{side.body} at the joint {joint.name!r}"
    frame = f"the frame {side.interframe} must be fixed in {at}, but it moves there. {MADE_ANEW}"
    point = f"the point {side.point} must be fixed in {at}, but it moves there. {MADE_ANEW}"
    yield from state.first_told(lambda instant: [frame] * _turns(side, instant))
    yield from state.first_told(lambda instant: [point] * _shifts(side, instant))
    if side.interframe is not side.frame:
        yield from frame_problems(side.interframe, side.frame, state, joint)


def _turns(side: Side, state: RandomState) -> bool:
    if side.interframe is side.frame:
        return False
    _, rate = state.rotation(side.interframe, side.frame)
    return _largest(rate) > STATED


def _shifts(side: Side, state: RandomState) -> bool:
    if side.point is side.body.masscenter:
        return False
    arm = position_from(side.point, side.body.masscenter)
    length = _largest(state.components(arm, side.frame))
    return _largest(state.change(arm, side.frame)) > STATED * length


def _shift_together(sides: Iterable[Side], state: RandomState) -> list[bool]:
    return [all(_shifts(side, state) for side in sides)]


def loose_points(links: Iterable[Link], state: RandomState) -> Iterator[str]:
    """Yield which connections of two bodies are at a point that moves in both of them."""
    for link in links:
        if link.joint is None or link.inner is None:
            continue
        point, sides = link.joint.child_point, (link.inner_side, link.outer_side)
        own = [replace(side, point=point) for side in sides]
        is_loose = state.first_told(partial(_shift_together, own))
        if any(is_loose):
            inner, outer = (side.body for side in sides)
            yield (
                f"`connections` has {outer} joined to {inner} at the point {point}, which is fixed "
                "in neither of them, so that the moment of the joint counts about a place beside "
                "the joint. Use the point at which the two are joined."
            )


def _another_kind(joint: Joint, state: RandomState) -> list[str]:
    """Return that a joint of a known kind does not move as this kind does."""
    if type(joint) not in FREEDOMS:
        return []
    text = (
        f"the joint {joint.name!r} does not let {joint.child} move relative to {joint.parent} as "
        f"a {type(joint).__name__} with its coordinates does. {MADE_ANEW}"
    )
    return state.first_told(lambda instant: [] if _is_of_its_kind(joint, instant) else [text])


def _is_of_its_kind(joint: Joint, state: RandomState) -> bool:
    turns, shifts = FREEDOMS[type(joint)](joint)
    parent, child = joint.parent_interframe, joint.child_interframe
    if turns is None:
        rotation = child.dcm(parent)
        is_so = all(rotation.has(coordinate) for coordinate in _ball_coordinates(joint))
    else:
        turning = state.components(angular_velocity_in(child, parent), parent)
        is_so = agree_in_numbers(turning, _rates(turns, parent, state))
    shift = state.change(position_from(joint.child_point, joint.parent_point), parent)
    return is_so and agree_in_numbers(shift, _rates(shifts, parent, state))


#: How that comes about, and what to do.
MADE_ANEW = (
    "Its frames or points were changed after the joint was made, for instance by another joint of "
    "the same bodies. Make one joint for a pair of bodies, and orient and place nothing after it."
)


def _rates(freedom: Freedom, frame: ReferenceFrame, state: RandomState) -> np.ndarray:
    """Return the velocity with which coordinates change, each along its unit vector."""
    total = np.zeros(3)
    for coordinate, axis in freedom:
        direction = state.components(axis, frame)
        total += state.rates([coordinate]) * direction / np.linalg.norm(direction)
    return total


def _ball_coordinates(joint: Any) -> Iterable[Expr]:
    return joint.rotation_coordinates if isinstance(joint, FreeJoint) else joint.coordinates


#: The turns and shifts of the child that kinds of joints allow; None: any turn.
FREEDOMS: dict[type, Callable[[Any], tuple[Freedom | None, Freedom]]] = {
    PinJoint: lambda j: ([(j.coordinates[0], j.joint_axis)], []),
    PrismaticJoint: lambda j: ([], [(j.coordinates[0], j.joint_axis)]),
    CylindricalJoint: lambda j: (
        [(j.rotation_coordinate, j.joint_axis)],
        [(j.translation_coordinate, j.joint_axis)],
    ),
    PlanarJoint: lambda j: (
        [(j.rotation_coordinate, j.rotation_axis)],
        list(zip(j.planar_coordinates, j.planar_vectors, strict=True)),
    ),
    WeldJoint: lambda j: ([], []),
    SphericalJoint: lambda j: (None, []),
    QuaternionJoint: lambda j: (None, []),
    FreeJoint: lambda j: (
        None,
        list(zip(j.translation_coordinates, j.parent_interframe, strict=True)),
    ),
}


# -- numbers ------------------------------------------------------------------------


def agree_in_numbers(
    left: np.ndarray, right: np.ndarray, tolerance: float = STATED, size: float = 1.0
) -> bool:
    """Whether numbers are the same but for rounding; ``size`` is that of what they are made of."""
    scale = max(size, _largest(left), _largest(right))
    return _largest(left - right) <= tolerance * scale


def _largest(numbers: np.ndarray) -> float:
    return float(abs(numbers).max())


def text_of(numbers: np.ndarray) -> str:
    """Return numbers for a message."""
    return "[" + ", ".join(f"{number:.3g}" for number in numbers) + "]"
