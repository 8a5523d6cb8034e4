"""Where the lines of a stick figure are, and what acts at their ends."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sympy.physics.vector import Point

from ..arithmetic.array_functions import known_product
from ..checks.arguments import find_named
from ..models.coupled_joint import CoupledJoint
from ..models.loop_connection import LoopConnection
from ..models.serial_chain import SerialChain
from ..records.instants import check_instants
from .placement import Placement


def chosen(known: Sequence[Any], joints: Iterable[Any] | None) -> list[int]:
    """Return the positions of some joints, given by themselves or by name."""
    wanted = known if joints is None else joints
    return [find_named("joints", getattr(joint, "name", joint), known) for joint in wanted]


def segments(model: Any, placement: Placement) -> np.ndarray:
    """Return the lines of all bodies, (N, lines, 2, 3): from joint to joint, or to the end.

    Where that is no line, the body is drawn from the joint to its mass centre.
    """
    lines, joints, places = [], placement.joints, placement.places
    closures = [joint for joint in joints if isinstance(joint, LoopConnection)]
    for joint in joints[: len(joints) - len(closures)]:
        body, start = joint.child, places[joint.child_point]
        ends = [_place_on_parent(j) for j in joints if j.parent is body]
        ends += [x.child_point for x in closures if x.child is body]
        if not ends and isinstance(model, SerialChain) and body is model.bodies[-1]:
            ends = [model.tip]
        if all(np.allclose(places[end], start) for end in ends):
            ends.append(body.masscenter)
        lines += [np.stack([start, places[end]], 1) for end in ends]
    return np.stack(lines, axis=1)


def _place_on_parent(joint: Any) -> Point:
    """Return where a joint is seen on its parent.

    The parent's point of a coupled joint can be anywhere: that of OpenSim's knee is the hip.
    """
    return joint.child_point if isinstance(joint, CoupledJoint) else joint.parent_point


def wrenches(placement: Placement, result: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return forces and moments on the child bodies in ground's axes, (N, joints, 3) each."""
    wrenches = result.joint_wrenches
    joints = placement.joints
    if wrenches.shape[:-1] != (count, len(joints)):
        raise ValueError(
            f"`result` must have the instants of the motion and the joints of the model, wrenches "
            f"of shape ({count}, {len(joints)}, 6), got {wrenches.shape}."
        )
    turns = np.stack([placement.rotations[joint.child] for joint in joints], axis=1)
    force, moment = (known_product(turns, x) for x in np.split(wrenches, 2, axis=-1))
    return force, moment


def visible(vectors: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return vectors without the components that nobody sees."""
    is_seen = np.isin(range(3), axes)
    is_known = ~np.isnan(vectors[..., is_seen]).any(axis=-1, keepdims=True)
    return np.where(is_known, np.where(is_seen, vectors, 0.0), np.nan)


def reaction(ground: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the ground reaction acts and the force, (N, 1, 3); NaN where there is none."""
    check_instants("ground", ground.times, times)
    load = np.abs(ground.force).max()
    center = ground.center_of_pressure(threshold=0.05 * load)
    return center[:, None], np.where(np.isnan(center), np.nan, ground.force)[:, None]
