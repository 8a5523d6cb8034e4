"""What acts on a body in one state: forces and moments, with their points, in ground's axes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point

from .. import InverseDynamics, Result, Trajectory
from ..checks.arguments import check_sequence, find_named
from ..drawing.labels import indexed, joint_label, typeset
from ..extend import LoopConnection, is_placed, leaves
from ..records.instants import instant_of_state, nearest_sample
from .body_extent import LONGER, place_on_parent, reach


class Action(NamedTuple):
    """A force, or a moment, on a body: its kind, name, name in a derivation, point and vector."""

    kind: str  # "weight", "load", "joint" or "fictitious"
    name: str
    symbol: str
    is_moment: bool
    place: np.ndarray
    vector: np.ndarray


def actions_on(found: "BodyNumbers") -> Iterator[Action]:
    """Yield the nonzero loads on a body in one state; points are from its mass centre."""
    tree, body, nothing = found.tree, found.body, np.zeros(3)
    gravity = tree.assigned.gravity
    if gravity is not None:
        weight = found.vector(gravity) * found.numbers([found.link.mass])[0]
        symbol = indexed("W", body)
        yield Action("weight", "weight", symbol, False, found.place(body.masscenter), weight)
    for load in tree.assigned.applied:
        if tree.links[load.link].body is body:
            place, vector = load.source.location, found.vector(load.source.vector)
            is_force = isinstance(place, Point)
            where = found.place(place if is_force else body.masscenter)
            symbol = indexed("L" if is_force else "T", place)
            name = f"load on {typeset(place)}"
            yield Action("load", name, symbol, not is_force, where, vector)
    for joint in tree.all_joints:
        if body in (joint.child, joint.parent):
            wrench = found.result.joint_wrench(joint, frame=tree.frame)
            sign, other = (1, joint.parent) if joint.child is body else (-1, joint.child)
            where = found.place(point_of(joint, body))
            name = f"{joint_label(joint)}, by {typeset(other)}"
            for is_moment, half in enumerate(np.split(sign * np.nan_to_num(wrench), 2)):
                if (half != nothing).any():
                    symbol = indexed("-" * (sign < 0) + "FM"[is_moment], joint)
                    yield Action("joint", name, symbol, bool(is_moment), where, half)


def point_of(joint: Any, body: Any) -> Point:
    """Return the point of a body at which the wrench of a joint acts on it."""
    # that of a tree's joint is about the child's point; of a rod, along the line between its ends
    is_closing = isinstance(joint, LoopConnection)
    return place_on_parent(joint) if is_closing and joint.parent is body else joint.child_point


class BodyNumbers:
    """Values of vectors, and of points from the mass centre of a body, in ground's axes."""

    def __init__(self, idyn: InverseDynamics, result: Result, body: Any, constants: Any) -> None:
        self.tree, self.result, self.body = idyn.model.tree, result, body
        solved = result.solved_loads if "solved_loads" in result.outputs else {}
        self._solved = {x: float(value) for x, value in solved.items()}
        self._constants = dict(constants or {})
        self.link = next(x for x in self.tree.links if x.body is body)

    def numbers(self, expressions: Iterable[Any]) -> np.ndarray:
        """Return values of expressions of the model."""
        states = [self.tree.derivative.of_states(x).xreplace(self._solved) for x in expressions]
        return self.result._known_inputs().evaluate(states, self._constants)

    def points(self) -> dict[Any, np.ndarray]:
        """Return the positions of the mass centre, and by its joints and points of what acts."""
        places: dict[Any, np.ndarray] = {self.body.masscenter: np.zeros(3)}
        for joint in self.tree.all_joints:
            if self.body in (joint.child, joint.parent):
                places[joint] = self.place(point_of(joint, self.body))
        for load in self.tree.assigned.applied:
            if self.tree.links[load.link] is self.link and isinstance(load.source.location, Point):
                places[load.source.location] = self.place(load.source.location)
        return places

    def far_end(self) -> np.ndarray | None:
        """Return the end of an outermost body that extends farther than its points."""
        start, link = self.place(self.link.outer_side.point), self.link
        index = self.tree.index_of_body[self.body]
        distance, inputs = float(np.linalg.norm(start)), self.result._known_inputs()
        is_inner = any(x.inner == index for x in self.tree.links)
        if is_inner or not distance or not isinstance(self.body, RigidBody):
            return None
        data = [link.mass, *self.body.central_inertia.to_matrix(self.body.frame)]
        if {str(x) for x in inputs.missing(data)} - {*map(str, self._constants)}:
            return None
        mass, *moments = self.numbers(data)
        way = -start / distance
        beyond = reach(mass, np.reshape(moments, (3, 3)), way @ self.axes(self.body.frame))
        farthest = max(np.linalg.norm(x - start) for x in self.points().values())
        return beyond * way if distance + beyond > LONGER * farthest else None

    def vector(self, vector: Any) -> np.ndarray:
        return self.numbers(vector.to_matrix(self.tree.frame))

    def place(self, point: Any) -> np.ndarray:
        return self._poses([], [point])[1][point]

    def axes(self, frame: Any) -> np.ndarray:
        """Return the axes of a frame as columns."""
        return self._poses([frame], [])[0][frame]

    def _poses(self, frames: list[Any], points: list[Any]) -> Any:
        tree = self.tree
        return tree.geometry.poses(tree.frame, self.body.masscenter, self.numbers, frames, points)


def bodies_of(idyn: InverseDynamics, given: Any) -> list[Any]:
    """Return the requested bodies, all by default."""
    known = list(dict.fromkeys(link.body for link in idyn.model.tree.links))
    if given is None:
        return known
    several = given if isinstance(given, (list, tuple)) else [given]
    items = check_sequence("body", several, "a body, its name, or several", may_be_empty=False)
    return [known[find_named("body", item, known, "body")] for item in items]


def state_of(
    idyn: InverseDynamics, motion: Any, at: Any, constants: Mapping[Any, float], specifieds: Any
) -> Result:
    """Return the joint wrenches in one state."""
    names = {*idyn.constants, *map(str, idyn.constants)}
    own = {x: value for x, value in constants.items() if x in names}  # others are in positions
    outputs: list[Any] = ["joint_wrenches"]
    outputs += ["solved_loads"] if idyn.model.request.solve_for else []
    evaluate = idyn.compile(outputs, backend="numpy")
    if isinstance(motion, Trajectory):
        k = 0 if at is None else nearest_sample(at, motion.times, len(motion.times))
        given = (motion.q[k], motion.u[k], motion.udot[k])
        return evaluate(*given, own, specifieds, float(motion.times[k]))
    expected = "a Trajectory, or q, u and udot of one state"
    state = check_sequence("motion", motion, expected)
    if len(state) != 3 or any(np.ndim(x) != 1 for x in state):
        raise ValueError(f"`motion` must be {expected}, arrays of shape (n,).")
    is_needed = idyn.time in evaluate.used_inputs or _moves_as_given(idyn)
    return evaluate(*state, own, specifieds, instant_of_state(at, is_needed))


def _moves_as_given(idyn: InverseDynamics) -> bool:
    """Whether the place or the orientation of a body depends on time itself."""
    tree, matrices = idyn.model.tree, list[Any]()
    origin = tree.ground_origin
    for link in tree.links:
        center = link.body.masscenter
        matrices += tree.geometry.stages(tree.frame, link.frame).values()
        is_near = origin is not None and is_placed(center, origin, ())
        steps = tree.geometry.steps(center, origin).values() if is_near else ()
        matrices += [matrix for step in steps for matrix, _ in step.args]
    return tree.time in leaves(x for matrix in matrices for x in matrix)
