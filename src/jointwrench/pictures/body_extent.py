"""Extent of bodies: the points at which joints and loads act, and the length of a rod."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point

from .. import Connection, CoupledJoint, InverseDynamics
from ..drawing.axes import ZERO
from ..extend import LoopConnection, leaves

#: How much farther than its points a body must extend to be drawn so.
LONGER = 1.02


def attached_points(
    idyn: InverseDynamics, moved: Mapping[Any, tuple[Any, Point]], tip: Point | None
) -> dict[Any, list[Point]]:
    """Return the points of moving bodies at which other joints, closings and loads act."""
    found: dict[Any, list[Point]] = {body: [] for body, _ in moved.values()}
    tree = idyn.model.tree
    for joint in tree.all_joints:
        ends = (joint.parent, point_on_parent(joint)), (joint.child, joint.child_point)
        for body, point in ends:
            if body in found and (joint not in moved or moved[joint][0] is not body):
                found[body].append(point)
    for load in tree.assigned.applied:
        body, point = tree.links[load.link].body, load.source.location
        if isinstance(point, Point) and body in found and point is not body.masscenter:
            found[body].append(point)
    if tip is not None:
        found[tree.links[-1].body].append(tip)
    return found


def point_on_parent(joint: Any) -> Point:
    """Return the point at which a joint acts on its parent."""
    # The parent's point of a coupled joint can be anywhere: that of OpenSim's knee is the hip.
    # On a line or a plane a closing slides, where the child's point is.
    if isinstance(joint, LoopConnection):
        return joint.parent_point if joint.kind == "rod" else joint.child_point
    has_one = isinstance(joint, CoupledJoint | Connection)
    return joint.child_point if has_one else joint.parent_point


def far_ends(
    joints: Mapping[Any, tuple[Any, Point]],
    attached: Mapping[Any, Sequence[Point]],
    turns: Mapping[Any, np.ndarray],
    points: Mapping[Point, np.ndarray],
    reach: Callable[[Any, np.ndarray], float],
) -> dict[Any, np.ndarray]:
    """Return the ends (N, 3) of bodies that extend farther than the points attached to them.

    They extend to their mass centre, the outermost bodies beyond it: ``reach`` returns how far,
    for a body and a direction in its frame.
    """
    inner = {j.parent if j.child is body else j.child for j, (body, _) in joints.items()}
    found = {}
    for body, point in joints.values():
        start, center = points[point], points[body.masscenter]
        distance = float(np.linalg.norm((center - start)[0]))
        radii = [np.linalg.norm(points[x] - start, axis=-1).max() for x in attached[body]]
        if distance <= ZERO * max(radii, default=0.0):
            continue
        along = (center - start) / distance
        beyond = 0.0 if body in inner else reach(body, along[0] @ turns[body][0])
        if distance + beyond > LONGER * max(radii, default=0.0):
            found[body] = center + beyond * along
    return found


def half_rod(
    body: Any, axis: np.ndarray, evaluate: Callable[[Any], np.ndarray], known: Any
) -> float:
    """Return half the length of a uniform rod along an axis, of a body's mass and inertia.

    It is zero without an inertia, and where its symbols are not among the ``known`` names.
    """
    if not isinstance(body, RigidBody):
        return 0.0
    data = [body.mass, *body.central_inertia.to_matrix(body.frame)]
    if not {*map(str, leaves(data))} <= known:
        return 0.0
    mass, *moments = evaluate(data).reshape(-1, 10)[0]
    across = np.eye(3) - np.outer(axis, axis)
    largest = np.linalg.eigvalsh(across @ np.reshape(moments, (3, 3)) @ across)[-1]
    return float(np.sqrt(max(3 * largest / mass, 0.0))) if mass > 0 else 0.0
