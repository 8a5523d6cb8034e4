"""The outputs of kinematics: places and motions of points and frames, as an observer sees them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sympy import Expr

from ..arithmetic.graph import Scalar, replaced
from ..arithmetic.program import Output
from ..arithmetic.vectors import Vec
from ..mechanism.reading.observation import Observation
from .derivation import Derivation
from .derived_outputs import DerivedOutputs
from .recursion.observed_motion import ObservedMotion
from .recursion.scalar_tree import ScalarTree

#: What kinematics alone computes: of points, and of frames.
OF_POINTS = ("positions", "velocities", "accelerations", "bias_accelerations", "jacobians")
OF_FRAMES = (
    *("orientations", "angular_velocities", "angular_accelerations"),
    *("angular_bias_accelerations", "angular_jacobians"),
)


class KinematicOutputs(DerivedOutputs):
    """Computes what is observed of a derivation's model, in its graph."""

    names = (*OF_POINTS, *OF_FRAMES, "constraint_errors")

    def __init__(self, derivation: Derivation, observed: Observation) -> None:
        super().__init__(derivation)
        self.observed = observed

    @cached_property
    def seen(self) -> ObservedMotion:
        """The places and motions of all links."""
        tree = ScalarTree(self.derivation.graph, self.observed.tree)
        return ObservedMotion(tree, self.observed.observer, self.observed.frame)

    @cached_property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        for link in (*self.observed.points.values(), *self.observed.frames.values()):
            self.seen.motion(link)
            self.seen.velocity(link)
        for place in self.observed.tree.constraints.ground_places.values():
            Vec.enter(self.derivation.graph, place)
        return super().inputs

    def _make(self, name: str) -> Output:
        if name not in (*OF_POINTS, *OF_FRAMES):
            return super()._make(name)
        make: Callable[[], Output] = getattr(self, f"_{name}")
        return make()

    def _positions(self) -> Output:
        return _vectors("positions", map(self.seen.place, self.observed.points.values()))

    def _velocities(self) -> Output:
        points, seen = self.observed.points.values(), self.seen
        return _vectors("velocities", (seen.expressed(seen.velocity(x), x) for x in points))

    def _accelerations(self) -> Output:
        points, seen = self.observed.points.values(), self.seen
        found = (seen.expressed(seen.motion(x).acceleration, x) for x in points)
        return _vectors("accelerations", found)

    def _bias_accelerations(self) -> Output:
        return self._steady("bias_accelerations", self.output("accelerations"))

    def _jacobians(self) -> Output:
        partials = map(self.seen.partial_velocities, self.observed.points.values())
        vectors = [{speed: x.linear for speed, x in own.items()} for own in partials]
        return self._per_speed("jacobians", vectors)

    def _orientations(self) -> Output:
        for name, link in self.observed.frames.items():
            if link is not None and self.observed.tree.links[link].has_stand_in:
                raise ValueError(
                    f"`frames` must have orientations for this, and {name!r} has an angular "
                    "velocity alone. Leave it out, or ask for angular_velocities."
                )
        frames = self.observed.frames.values()
        rows = [row for link in frames for row in self.seen.orientation(link).rows]
        return _output("orientations", (len(frames), 3, 3), _components(rows))

    def _angular_velocities(self) -> Output:
        frames, seen = self.observed.frames.values(), self.seen
        found = (seen.expressed(seen.motion(x).angular_velocity, x) for x in frames)
        return _vectors("angular_velocities", found)

    def _angular_accelerations(self) -> Output:
        frames, seen = self.observed.frames.values(), self.seen
        found = (seen.expressed(seen.motion(x).angular_acceleration, x) for x in frames)
        return _vectors("angular_accelerations", found)

    def _angular_bias_accelerations(self) -> Output:
        return self._steady("angular_bias_accelerations", self.output("angular_accelerations"))

    def _angular_jacobians(self) -> Output:
        partials = map(self.seen.partial_velocities, self.observed.frames.values())
        vectors = [{speed: x.angular for speed, x in own.items()} for own in partials]
        return self._per_speed("angular_jacobians", vectors)

    def _steady(self, name: str, output: Output) -> Output:
        """Return an output for speeds that do not change."""
        graph = self.derivation.graph
        still = dict.fromkeys(self.observed.tree.accelerations, graph.scalar(0))
        values = replaced([Scalar(graph, ref) for ref in output.refs], still)
        return _output(name, output.shape, values)

    def _per_speed(self, name: str, vectors: Sequence[Mapping[Expr, Vec]]) -> Output:
        """Return vectors of each point or frame and speed: axes, then speeds."""
        speeds, zero = self.observed.tree.speeds, self.derivation.graph.scalar(0)
        values = [
            own[speed].components[axis] if speed in own else zero
            for own in vectors
            for axis in range(3)
            for speed in speeds
        ]
        return _output(name, (len(vectors), 3, len(speeds)), values)


def _vectors(name: str, vectors: Iterable[Vec]) -> Output:
    found = list(vectors)
    return _output(name, (len(found), 3), _components(found))


def _components(vectors: Iterable[Vec]) -> list[Scalar]:
    return [x for vector in vectors for x in vector.components]


def _output(name: str, shape: tuple[int, ...], values: Iterable[Scalar]) -> Output:
    return Output.from_scalars(name, shape, values, name.replace("_", " "))
