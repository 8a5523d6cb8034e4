"""Scaling of OpenSim models, as in OpenSim."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

import numpy as np
from sympy import Expr, ImmutableMatrix

from ..checks.messages import warn
from ..extend import exact
from ..records.model_elements import BodyFrame, Inertial, Pose, invert_pose
from .muscle import Muscle, PathPoint, PathWrap
from .muscle_paths import Frames, find_strands
from .osim_elements import OsimElements, OsimJoint
from .osim_frames import GROUND

#: Largest plausible ratio of the masses of people with the same size.
BUILD = 3.0

#: Scale factors of each body along the axes of its frame, shape (3,).
Factors = Mapping[str, np.ndarray]

#: Values of coordinates.
CoordinateValues = Mapping[Expr, float]


def scale_elements(
    elements: OsimElements, factors: Factors, mass: float | None, keeps_distribution: bool
) -> OsimElements:
    """Return the elements with scaled bodies, whose total mass is ``mass`` if it is stated.

    With ``keeps_distribution`` bodies keep their shares of the mass, else masses grow with the
    volumes first.
    """
    new = copy(elements)
    factors = {body: factors.get(body, np.ones(3)) for body in (GROUND, *elements.inertials)}
    before = elements.factors
    new.factors = {name: x * before.get(name, 1.0) for name, x in factors.items() if name != GROUND}
    new.inertials = {
        name: _scale_inertial(inertial, factors[name], keeps_distribution)
        for name, inertial in elements.inertials.items()
    }
    if mass is not None:
        share = mass / sum(inertial.mass for inertial in new.inertials.values())
        if share > BUILD:
            warn(
                f"`mass` of {mass:g} is {share:.3g} times that of the model in this size. Use "
                "kilograms: newtons / 9.81."
            )
        new.inertials = {
            name: replace(x, mass=share * x.mass, inertia=share * x.inertia)
            for name, x in new.inertials.items()
        }
    new.ordered = [_scale_joint(joint, factors) for joint in elements.ordered]
    new.loops = [
        replace(loop, first=_scale(loop.first, factors), second=_scale(loop.second, factors))
        for loop in elements.loops
    ]
    new.markers = {
        name: replace(x, frame=_scale(x.frame, factors)) for name, x in elements.markers.items()
    }
    new.muscles = {
        name: _scale_muscle(muscle, factors) for name, muscle in elements.muscles.items()
    }
    old, long = _muscle_lengths(elements), _muscle_lengths(new)
    for name, muscle in new.muscles.items():  # fibres and tendon scale with the path
        fiber, tendon = muscle.optimal_fiber_length, muscle.tendon_slack_length
        ratio = long[name] / old[name]
        new.muscles[name] = replace(
            muscle, optimal_fiber_length=ratio * fiber, tendon_slack_length=ratio * tendon
        )
    return new


def place_markers(elements: OsimElements, places: Mapping[str, np.ndarray]) -> OsimElements:
    """Return the elements with new positions of markers in their bodies' frames."""
    new = copy(elements)
    new.markers = {
        name: replace(x, frame=x.frame._replace(position=places.get(name, x.frame.position)))
        for name, x in elements.markers.items()
    }
    return new


def _scale(frame: BodyFrame, factors: Factors) -> BodyFrame:
    return frame._replace(position=factors[frame.body] * frame.position)


def _scale_joint(joint: OsimJoint, factors: Factors) -> OsimJoint:
    """Return a joint with scaled frames and scaled translations by functions."""
    # translations that are coordinates are not scaled
    own = [coordinate.symbol for coordinate in joint.coordinates]
    turn = joint.parent.rotation
    stretch = turn.T @ np.diag(factors[joint.parent.body]) @ turn
    lengths = [0 if x in own else x for x in joint.translation]
    stretched = ImmutableMatrix(3, 3, [*map(exact, stretch.ravel())]) * ImmutableMatrix(lengths)
    translation: list[Expr] = [
        x + scaled if x in own else scaled
        for x, scaled in zip(joint.translation, stretched, strict=True)
    ]
    parent, child = _scale(joint.parent, factors), _scale(joint.child, factors)
    return replace(joint, parent=parent, child=child, translation=translation)


def _scale_muscle(muscle: Muscle, factors: Factors) -> Muscle:
    """Return a muscle with its path on scaled bodies; lengths of fibres and tendon are kept."""

    def wrap(own: PathWrap) -> PathWrap:
        over, stretch = own.over, factors[own.over.body]
        surface = over.surface.scaled(stretch, over.rotation)
        return replace(own, over=replace(over, position=stretch * over.position, surface=surface))

    def point(own: PathPoint) -> PathPoint:
        stretch = map(exact, factors[own.body])
        x, y, z = (f * part for f, part in zip(stretch, own.location, strict=True))
        return replace(own, location=(x, y, z))

    points, wraps = map(point, muscle.points), map(wrap, muscle.wraps)
    return replace(muscle, points=tuple(points), wraps=tuple(wraps))


def _scale_inertial(inertial: Inertial, factors: np.ndarray, keeps_mass: bool) -> Inertial:
    """Return the inertia of a body that is scaled along the axes of its frame."""
    # OpenSim's rule: if factors differ, the moments are those of a cylinder along the axis of the
    # least moment.
    mass = inertial.mass * (1 if keeps_mass else abs(np.prod(factors)))
    center = factors * inertial.center
    if not mass:
        return Inertial(0.0, center, 0 * inertial.inertia)
    inertia = inertial.inertia * np.outer(factors, factors) * (mass / inertial.mass)
    if len(set(factors)) > 1:
        np.fill_diagonal(inertia, mass * _cylinder_moments(inertial, factors))
    return Inertial(mass, center, inertia)


def _cylinder_moments(inertial: Inertial, factors: np.ndarray) -> np.ndarray:
    """Return the moments of inertia (3,) per mass of a scaled cylinder."""
    # Of a cylinder with radius r and length l: r^2 / 2 along its axis, l^2 / 12 + r^2 / 4 across.
    moments = np.diag(inertial.inertia) / inertial.mass
    along = int(np.argmin(moments))
    across = [k for k in range(3) if k != along]
    radius2 = max(2 * moments[along], 0.0)
    length2 = max(12 * (moments[across[0]] - radius2 / 4), 0.0) * factors[along] ** 2
    radius2 *= np.prod(factors[across])
    found = np.full(3, length2 / 12 + radius2 / 4)
    found[along] = radius2 / 2
    return found


# -- muscle lengths in the pose of the file, as numbers ----------------------------------------


def _muscle_lengths(elements: OsimElements) -> dict[str, float]:
    """Return the lengths of muscles in the pose of the file."""
    if not elements.muscles:
        return {}
    states = (x for joint in elements.ordered for x in joint.coordinates)
    pose: dict[Expr, float] = {x.symbol: x.default for x in states}
    pose |= {symbol: _evaluate(formula, pose) for symbol, formula in elements.couplings.items()}
    bodies = _body_frames(elements, pose)
    return {name: _length(muscle, bodies, pose) for name, muscle in elements.muscles.items()}


def _length(muscle: Muscle, bodies: Mapping[str, Frames], pose: CoordinateValues) -> float:
    active, places = [], []
    for point in muscle.points:
        when, place = point.condition, np.array([[_evaluate(x, pose) for x in point.location]])
        active.append([when is None or when.holds(_evaluate(when.formula, pose))])
        places.append(bodies[point.body].to_ground(place))
    (strand,) = find_strands(muscle, np.array(active), np.array(places), bodies)
    return float(strand.lengths[0])


def _body_frames(elements: OsimElements, pose: CoordinateValues) -> dict[str, Frames]:
    """Return the frames of ground and of all bodies in a pose."""
    found = {GROUND: BodyFrame(GROUND)}
    for joint in elements.ordered:
        inner, outer, motion = joint.parent, joint.child, _joint_pose(joint, pose)
        if inner.body not in found:
            inner, outer, motion = outer, inner, invert_pose(motion)
        own = inner.offset(*motion).offset(*invert_pose(outer[1:]))
        found[outer.body] = found[inner.body].offset(*own[1:])
    return {name: Frames(x.rotation[None], x.position[None]) for name, x in found.items()}


def _joint_pose(joint: OsimJoint, pose: CoordinateValues) -> Pose:
    """Return rotation and position of a joint's child frame in its parent frame."""
    from scipy.spatial.transform import Rotation  # slow to import

    turn = np.eye(3)
    for angle, axis in joint.rotations:
        direction = np.array(axis, dtype=float)
        direction *= _evaluate(angle, pose) / np.linalg.norm(direction)
        turn = turn @ Rotation.from_rotvec(direction).as_matrix()
    return turn, np.array([_evaluate(x, pose) for x in joint.translation])


def _evaluate(formula: Expr, pose: CoordinateValues) -> float:
    return float(formula.xreplace(pose))
