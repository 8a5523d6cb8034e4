"""How far bodies extend: to all points at which something acts, and as their inertia says."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point, ReferenceFrame

from .. import Connection, CoupledJoint, InverseDynamics, SerialChain
from ..drawing.axes import ZERO
from ..extend import Geometry, LoopConnection, is_placed, system_of

#: How much farther than its points a body must extend to be drawn so.
LONGER = 1.02


def moved_bodies(joints: Iterable[Any], frame: ReferenceFrame) -> dict[Any, tuple[Any, Point]]:
    """Return for each joint of a tree the body that it moves, with its point on that body."""
    left, found = list(joints), dict[Any, tuple[Any, Point]]()
    reached = {x for j in left for x in (j.parent, j.child) if getattr(x, "frame", None) is frame}
    while left:
        near = (j for j in left if j.parent in reached or j.child in reached)
        joint = next(near, left[0])  # the first body's motion may be prescribed
        left.remove(joint)
        is_reversed = joint.child in reached and joint.parent not in reached
        body, point = (
            (joint.parent, joint.parent_point) if is_reversed else (joint.child, joint.child_point)
        )
        found[joint] = body, point
        reached |= {joint.parent, joint.child}
    return {joint: found[joint] for joint in joints}


def attached_points(
    model: Any, joints: Sequence[Any], moved: Mapping[Any, tuple[Any, Point]]
) -> dict[Any, list[Point]]:
    """Return the points of moving bodies at which other joints, closings and loads act."""
    found: dict[Any, list[Point]] = {body: [] for body, _ in moved.values()}
    for joint in joints:
        for body, point in (
            (joint.parent, place_on_parent(joint)),
            (joint.child, joint.child_point),
        ):
            if body in found and (joint not in moved or moved[joint][0] is not body):
                found[body].append(point)
    for body, point in _loaded(model, joints):
        if body in found and point is not body.masscenter:
            found[body].append(point)
    if isinstance(model, SerialChain):
        found[model.bodies[-1]].append(model.tip)
    return found


def place_on_parent(joint: Any) -> Point:
    """Return the point at which a joint acts on its parent."""
    # The parent's point of a coupled joint can be anywhere: that of OpenSim's knee is the hip.
    # On a line or a plane a closing slides, where the child's point is.
    if isinstance(joint, LoopConnection):
        return joint.parent_point if joint.kind == "rod" else joint.child_point
    has_one = isinstance(joint, CoupledJoint | Connection)
    return joint.child_point if has_one else joint.parent_point


def _loaded(model: Any, joints: Sequence[Any]) -> Iterator[tuple[Any, Point]]:
    """Yield bodies and the points on them at which loads act."""
    if isinstance(model, InverseDynamics):
        tree = model.model.tree
        loads = ((tree.links[x.link].body, x.source.location) for x in tree.assigned.applied)
        yield from (x for x in loads if isinstance(x[1], Point))
        return
    system = system_of(model)
    frames = {body: {body.frame} for body in system.bodies if isinstance(body, RigidBody)}
    for joint in joints:
        for body, frame in (
            (joint.parent, joint.parent_interframe),
            (joint.child, joint.child_interframe),
        ):
            if body in frames and not isinstance(joint, LoopConnection):
                frames[body].add(frame)
    ways = (getattr(actuator, "pathway", None) for actuator in system.actuators)
    points = [load.location for load in system.loads]
    points += [point for way in ways for point in getattr(way, "attachments", ())]
    centers = {body.masscenter for body in system.bodies}
    for point in dict.fromkeys(points):
        if isinstance(point, Point) and point not in centers:
            yield from ((body, point) for body in frames if _is_fixed(point, body, frames[body]))


def _is_fixed(point: Point, body: Any, frames: Collection[Any]) -> bool:
    """Whether a position from a mass centre is constant in frames that are fixed in the body."""
    if not is_placed(point, body.masscenter, ()):
        return False
    steps = Geometry([], []).steps(point, body.masscenter).values()
    parts = [part for step in steps for part in step.args]
    return all(frame in frames and not own.atoms(AppliedUndef) for own, frame in parts)


def far_ends(
    joints: Mapping[Any, tuple[Any, Point]],
    attached: Mapping[Any, Sequence[Point]],
    turns: Mapping[Any, np.ndarray],
    places: Mapping[Point, np.ndarray],
    reach: Callable[[Any, np.ndarray], float],
) -> dict[Any, np.ndarray]:
    """Return the ends (N, 3) of bodies that extend farther than the points attached to them.

    They extend to their mass centre, the outermost bodies beyond it: ``reach`` returns how far,
    for a body and a direction in its frame.
    """
    inner = {j.parent if j.child is body else j.child for j, (body, _) in joints.items()}
    found = {}
    for body, point in joints.values():
        start, center = places[point], places[body.masscenter]
        distance = float(np.linalg.norm((center - start)[0]))
        radii = [np.linalg.norm(places[x] - start, axis=-1).max() for x in attached[body]]
        if distance <= ZERO * max(radii, default=0.0):
            continue
        along = (center - start) / distance
        beyond = 0.0 if body in inner else reach(body, along[0] @ turns[body][0])
        if distance + beyond > LONGER * max(radii, default=0.0):
            found[body] = center + beyond * along
    return found


def reach(mass: float, inertia: np.ndarray, way: np.ndarray) -> float:
    """Return half the length of a uniform rod with this mass, and this inertia across its axis."""
    across = np.eye(3) - np.outer(way, way)
    largest = np.linalg.eigvalsh(across @ inertia @ across)[-1]
    return float(np.sqrt(max(3 * largest / mass, 0.0))) if mass > 0 else 0.0
