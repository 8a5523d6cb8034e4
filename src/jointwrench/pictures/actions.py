"""Drawn quantities of a body in one state: forces, moments and distances, in ground's axes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Point

from .. import InverseDynamics, Result
from ..checks.arguments import check_sequence, find_named
from ..drawing.labels import indexed, joint_label, typeset
from ..extend import LoopConnection
from ..records.instants import instant_of_state, nearest_sample
from .body_extent import LONGER, half_rod, point_on_parent
from .picture_inputs import is_state, states_of


class Quantity(NamedTuple):
    """A force, a moment or a distance: its names, and its vector from a point of the body.

    Attributes
    ==========

    kind : {"weight", "load", "joint", "fictitious", "distance"}
        Its origin.
    unit : {"force", "moment", "length"}
        The quantity.
    name, symbol : str
        The name, and the name in a derivation.
    location, vector : array, shape (3,)
        The point at which it begins, from the mass centre, and the vector; NaN is undetermined.
    """

    kind: str
    unit: str
    name: str
    symbol: str
    location: np.ndarray
    vector: np.ndarray

    @property
    def is_moment(self) -> bool:
        return self.unit == "moment"


def actions_on(found: "BodyNumbers") -> Iterator[Quantity]:
    """Yield the nonzero forces and moments on a body in one state."""
    tree, body = found.tree, found.body
    gravity = tree.assigned.gravity
    if gravity is not None:
        weight = found.vector(gravity) * found.numbers([found.link.mass])[0]
        location, symbol = found.location(body.masscenter), indexed("W", body)
        yield Quantity("weight", "force", "weight", symbol, location, weight)
    for load in tree.assigned.applied:
        if tree.links[load.link].body is body:
            point, vector = load.source.location, found.vector(load.source.vector)
            is_force = isinstance(point, Point)
            location = found.location(point if is_force else body.masscenter)
            unit, symbol = ("force", "L") if is_force else ("moment", "T")
            name = f"load on {typeset(point)}"
            yield Quantity("load", unit, name, indexed(symbol, point), location, vector)
    for joint in tree.all_joints:
        if body in (joint.child, joint.parent):
            point = point_of(joint, body)
            about = point if point is body.masscenter else None  # by default joint.child_point
            given = found.constants if about else None
            wrench = found.result.joint_wrench(joint, about, tree.frame, constants=given)
            sign, other = (1, joint.parent) if joint.child is body else (-1, joint.child)
            name = f"{joint_label(joint)}, by {typeset(other)}"
            for unit, half in zip(("force", "moment"), np.split(sign * wrench, 2), strict=True):
                if half.any():  # NaN is not zero
                    symbol = indexed("-" * (sign < 0) + unit[0].upper(), joint)
                    yield Quantity("joint", unit, name, symbol, found.location(point), half)


def point_of(joint: Any, body: Any) -> Point:
    """Return the point of a body at which the wrench of a joint acts on it."""
    # On a particle all wrenches act at the particle: a bead slides on its hoop.  The wrench of a
    # tree's joint is about the child's point; that of a rod acts along the line between its ends.
    if isinstance(joint, LoopConnection):
        return point_on_parent(joint) if joint.parent is body else joint.child_point
    return body.masscenter if isinstance(body, Particle) else joint.child_point


class BodyNumbers:
    """Values of vectors, and of points from the mass centre of a body, in ground's axes."""

    def __init__(self, idyn: InverseDynamics, result: Result, body: Any, constants: Any) -> None:
        self.tree, self.result, self.body = idyn.model.tree, result, body
        solved = result.solved_loads if "solved_loads" in result.outputs else {}
        self._solved = {x: float(value) for x, value in solved.items()}
        self.constants = dict(constants or {})
        self.link = next(x for x in self.tree.links if x.body is body)

    def numbers(self, expressions: Iterable[Any]) -> np.ndarray:
        """Return values of expressions of the model."""
        states = [self.tree.derivative.of_states(x).xreplace(self._solved) for x in expressions]
        return self.result._known_inputs().evaluate(states, self.constants)

    def points(self) -> dict[Any, np.ndarray]:
        """Return positions: of the mass centre, of the joints, and of the points of loads."""
        locations: dict[Any, np.ndarray] = {self.body.masscenter: np.zeros(3)}
        for joint in self.tree.all_joints:
            if self.body in (joint.child, joint.parent):
                locations[joint] = self.location(point_of(joint, self.body))
        for load in self.tree.assigned.applied:
            if self.tree.links[load.link] is self.link and isinstance(load.source.location, Point):
                locations[load.source.location] = self.location(load.source.location)
        return locations

    def far_end(self) -> np.ndarray | None:
        """Return the end of an outermost body that extends farther than its points."""
        start, index = self.location(self.link.outer_side.point), self.tree.index_of_body[self.body]
        distance, inputs = float(np.linalg.norm(start)), self.result._known_inputs()
        if any(x.inner == index for x in self.tree.links) or not distance:
            return None
        way = -start / distance
        known = {*inputs.constants, *inputs.samples, *self.constants}
        along = way @ self.axes(self.link.frame)
        beyond = half_rod(self.body, along, self.numbers, {*map(str, known)})
        farthest = max(np.linalg.norm(x - start) for x in self.points().values())
        return beyond * way if beyond and distance + beyond > LONGER * farthest else None

    def vector(self, vector: Any) -> np.ndarray:
        return self.numbers(vector.to_matrix(self.tree.frame))

    def location(self, point: Any) -> np.ndarray:
        return self._poses([], [point])[1][point]

    def axes(self, frame: Any) -> np.ndarray:
        """Return the axes of a frame as columns."""
        return self._poses([frame], [])[0][frame]

    def _poses(self, frames: list[Any], points: list[Any]) -> Any:
        tree = self.tree
        return tree.geometry.poses(tree.frame, self.body.masscenter, self.numbers, frames, points)


def bodies_of(idyn: InverseDynamics, body: Any) -> list[Any]:
    """Return the requested bodies, all by default."""
    known = list(dict.fromkeys(link.body for link in idyn.model.tree.links))
    if body is None:
        return known
    several = body if isinstance(body, (list, tuple)) else [body]
    items = check_sequence("body", several, "a body, its name, or several", may_be_empty=False)
    return [known[find_named("body", item, known, "body")] for item in items]


def state_of(
    idyn: InverseDynamics, motion: Any, at: Any, constants: Mapping[Any, float], specifieds: Any
) -> Result:
    """Return the joint wrenches at one instant of a motion, or in one state."""
    names = {*idyn.constants, *map(str, idyn.constants)}
    own = {x: value for x, value in constants.items() if x in names}  # others are in positions
    outputs: list[Any] = ["joint_wrenches"]
    outputs += ["solved_loads"] if idyn.model.request.solve_for else []
    evaluate = idyn.compile(outputs, backend="numpy")
    motion, times = states_of(motion), None
    if is_state(motion):
        is_needed = idyn.time in evaluate.used_inputs | idyn.model.tree.symbols
        times = instant_of_state(at, is_needed)
    arguments = motion if isinstance(motion, tuple) else (motion,)
    result = evaluate(*arguments, constants=own, specifieds=specifieds, times=times)
    if is_state(motion):
        return result
    k = 0 if at is None else nearest_sample(at, result.times, len(result.joint_wrenches))
    return result._over(lambda values: values[k])
