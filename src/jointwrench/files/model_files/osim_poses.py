"""Where the bodies of an OpenSim model are in the pose of its file, and how long muscles are there.

With numbers, from the elements alone: a model need not be built for it.
"""

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation
from sympy import Expr

from ...muscles.muscle import Muscle
from ...muscles.muscle_paths import Frames, strands
from .osim_elements import OsimElements, OsimJoint
from .osim_frames import GROUND, OsimFrame

#: Numbers of coordinates.
Pose = Mapping[Expr, float]


def muscle_lengths(elements: OsimElements) -> dict[str, float]:
    """Return the lengths of the muscles in the pose of the file, by their names."""
    if not elements.muscles:
        return {}
    pose: dict[Expr, float] = {
        x.symbol: x.default for joint in elements.ordered for x in joint.coordinates
    }
    pose |= {symbol: _number(formula, pose) for symbol, formula in elements.couplings.items()}
    bodies = _bodies(elements, pose)
    return {name: _length(muscle, bodies, pose) for name, muscle in elements.muscles.items()}


def _length(muscle: Muscle, bodies: Mapping[str, Frames], pose: Pose) -> float:
    """Return the length of a muscle's path."""
    active = [
        point.condition is None or point.condition.holds(_number(point.condition.formula, pose))
        for point in muscle.points
    ]
    places = [
        bodies[point.body].outward(np.array([[_number(x, pose) for x in point.location]]))
        for point in muscle.points
    ]
    (strand,) = strands(muscle, np.array(active)[:, None], np.array(places), bodies)
    return float(strand.lengths[0])


def _bodies(elements: OsimElements, pose: Pose) -> dict[str, Frames]:
    """Return the frames of all bodies, and ground's."""
    found = {GROUND: OsimFrame.of_body(GROUND)}
    for joint in elements.ordered:
        inner, outer, motion = joint.parent, joint.child, _motion(joint, pose)
        if inner.body not in found:
            inner, outer, motion = outer, inner, _inverse(*motion)
        own = inner.offset(*motion).offset(*_inverse(outer.rotation, outer.position))
        found[outer.body] = found[inner.body].offset(own.rotation, own.position)
    return {name: Frames(x.rotation[None], x.position[None]) for name, x in found.items()}


def _motion(joint: OsimJoint, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Return how the joint's place on the child is turned and where it is in that on the parent."""
    turn = np.eye(3)
    for angle, axis in joint.rotations:
        direction = np.array(axis, dtype=float)
        direction *= _number(angle, pose) / np.linalg.norm(direction)
        turn = turn @ Rotation.from_rotvec(direction).as_matrix()
    return turn, np.array([_number(x, pose) for x in joint.translation])


def _inverse(turn: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return turn.T, -(turn.T @ shift)


def _number(formula: Expr, pose: Pose) -> float:
    return float(formula.xreplace(pose))
