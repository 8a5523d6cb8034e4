"""`TrackedModel`: places on a model and what closes it, compiled, as functions of coordinates."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..arithmetic.derivatives import jacobian
from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.program import Output, Program
from ..arithmetic.vectors import Vec
from ..dynamics.dependence import matrix_output
from ..dynamics.loops.assembled import position_equations
from ..dynamics.outputs.inverse_outputs import input_groups
from ..dynamics.recursion.scalar_tree import ScalarTree
from ..evaluation.compilation import compile_program
from ..evaluation.evaluator import Evaluator
from ..evaluation.result import Result
from ..methods.kinematics import Kinematics
from .given import Coordinates


class TrackedModel:
    """Points and frames of a model, and its position constraints, at any coordinates."""

    # Each frame counts as three places: the ends of its unit vectors from the origin of ground.
    # Constants are by symbol or name, those that are not needed as well.

    def __init__(
        self,
        kinematics: Kinematics,
        points: Sequence[str],
        frames: Sequence[str],
        constants: Mapping[Any, float],
    ) -> None:
        self.kinematics, self.constants = kinematics, constants
        tree = kinematics.model.tree
        self.points, self.frames = tuple(points), tuple(frames)
        known = {"positions": kinematics.points, "orientations": kinematics.frames}
        self._chosen = {
            output: [known[output].index(name) for name in own]
            for output, own in {"positions": self.points, "orientations": self.frames}.items()
            if own
        }
        self.coordinates = Coordinates(tree.coordinates, tree.is_turning)

    @cached_property
    def neutral(self) -> np.ndarray:
        """The coordinates zero, and quaternions that turn nothing."""
        values = np.zeros(len(self.coordinates))
        for group in self.kinematics.model.tree.quaternion_columns:
            values[group[0]] = 1.0
        return values

    def places(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return places (M, k, 3) and their slopes (M, k, 3, n) at coordinates (M, n)."""
        result = self._at(self._evaluate, q)
        values, slopes = [], []
        for name, chosen in self._chosen.items():
            own, own_slopes = result.outputs[name], result.derivative(name, "q")
            is_all = chosen == [*range(own.shape[1])]
            values.append(own if is_all else own.take(chosen, axis=1))
            slopes.append(own_slopes if is_all else own_slopes.take(chosen, axis=1))
        if self.frames:  # unit vectors are columns
            values[-1], slopes[-1] = values[-1].swapaxes(2, 3), slopes[-1].swapaxes(2, 3)
        values = [x.reshape(len(q), -1, 3) for x in values]
        slopes = [x.reshape(len(q), -1, 3, x.shape[-1]) for x in slopes]
        if len(values) == 1:
            return values[0], slopes[0]
        return np.concatenate(values, axis=1), np.concatenate(slopes, axis=1)

    def axes_of_points(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the axes of points' bodies as columns, (M, points, 3, 3), and slopes (..., n)."""
        observed, graph = self.kinematics._observed, Graph()
        links = [observed.tree.links[observed.points[name]].inner for name in self.points]
        tree, zero, one = ScalarTree(graph, observed.tree), graph.scalar(0), graph.scalar(1)
        axes = Vec(one, zero, zero), Vec(zero, one, zero), Vec(zero, zero, one)
        rows = [tree.rotate(a, link, None).components for link in links for a in axes]
        result = self._at(self._compiled(graph, "axes", [x for row in rows for x in row]), q)
        shape = (len(q), len(links), 3, 3)
        values = result.outputs["axes"].reshape(shape)
        slopes = result.outputs["slopes"].reshape(*shape, -1)
        return values.swapaxes(2, 3), slopes.swapaxes(2, 3)

    def constraints(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return errors (M, m) of the position constraints and their slopes (M, m, n)."""
        assert self._equations is not None
        result = self._at(self._equations, q)
        return result.outputs["errors"], result.outputs["slopes"]

    @property
    def is_constrained(self) -> bool:
        """Whether there are loops, unit quaternions or other constraints among coordinates."""
        return self._equations is not None

    def _at(self, evaluate: Evaluator, q: np.ndarray) -> Result:
        """Evaluate something at rest."""
        still = np.zeros(len(self.kinematics.model.speeds))
        return evaluate(q, still, still, self.constants_of(evaluate.inputs["constants"]))

    def constants_of(self, symbols: Sequence[Any]) -> dict[Any, float]:
        """Return the numbers of symbols, as far as they are known."""
        names = {*symbols, *map(str, symbols)}
        return {key: x for key, x in self.constants.items() if key in names or str(key) in names}

    @cached_property
    def _evaluate(self) -> Evaluator:
        return self.kinematics.model.compiled(tuple(self._chosen), derivatives=("q",))

    @cached_property
    def _equations(self) -> Evaluator | None:
        return self.kinematics.model.kept(("position errors",), self._position_errors)

    def _position_errors(self) -> Evaluator | None:
        graph, tree = Graph(), self.kinematics.model.tree
        errors = [error for _, error in position_equations(ScalarTree(graph, tree))]
        if not errors:
            return None
        return self._compiled(graph, "errors", errors)

    def _compiled(self, graph: Graph, name: str, values: Sequence[Scalar]) -> Evaluator:
        """Compile values and their slopes by the coordinates."""
        coordinates = self.kinematics.model.tree.coordinates
        slopes = jacobian(graph, values, coordinates)
        outputs = [
            Output.from_scalars(name, (len(values),), values),
            matrix_output("slopes", slopes, len(coordinates)),
        ]
        groups = input_groups(self.kinematics.model.inputs)
        return compile_program(Program(graph, outputs, groups))
