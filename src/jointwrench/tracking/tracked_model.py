"""`TrackedModel`: places on a model and its constraints, compiled, by coordinates."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..mechanics.arithmetic.derivatives import jacobian
from ..mechanics.arithmetic.graph import Graph
from ..mechanics.arithmetic.output import Output
from ..mechanics.arithmetic.program import Program
from ..mechanics.dynamics.dependence import matrix_output
from ..mechanics.dynamics.loops.assembled import position_equations
from ..mechanics.dynamics.outputs.inverse_outputs import input_groups
from ..mechanics.dynamics.outputs.kinematic_outputs import KinematicOutputs, check_orientations
from ..mechanics.dynamics.recursion.observed_motion import ObservedMotion
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree
from ..mechanics.evaluation.backends.codes import CompiledCode
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.evaluation.evaluator import Evaluator
from ..mechanics.evaluation.values import ValueReader
from ..mechanics.methods.kinematics import Kinematics
from .coordinate_arguments import Coordinates

_NUMBERS = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, _NUMBERS, ctypes.c_void_p, _NUMBERS)


class TrackedModel:
    """Points and frames of a model, and its position constraints, at any coordinates."""

    # Each frame counts as three places: the ends of its unit vectors from the origin of ground.
    # The chosen numbers (k, 3) are those of points and frames among the count that the kinematics
    # has.
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
        self._has_parts = bool(self.points), bool(self.frames)
        first, known = len(kinematics.points) * bool(points), kinematics.frames
        turning = [first + 3 * known.index(name) + k for name in frames for k in range(3)]
        self.position_size = 3 * (first + 3 * len(known) * bool(frames))
        places = np.array([*map(kinematics.points.index, points), *turning], int)
        self.point_rows = 3 * places[:, None] + np.arange(3)
        self.coordinates = Coordinates(tree.coordinates, tree.is_turning)

    @cached_property
    def neutral(self) -> np.ndarray:
        """The coordinates zero, with identity quaternions."""
        values = np.zeros(len(self.coordinates))
        for group in self.kinematics.model.tree.quaternion_columns:
            values[group[0]] = 1.0
        return values

    def positions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return places (M, k, 3) and their slopes (M, k, 3, n) at coordinates (M, n)."""
        values, jacobian = self.values(q)
        return values[:, self.point_rows], jacobian[:, self.point_rows]

    def constraints(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return errors (M, m) of the position constraints and their slopes (M, m, n)."""
        values, jacobian = self.values(q)
        return values[:, self.position_size :], jacobian[:, self.position_size :]

    def values(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return numbers of places, then errors of constraints, (M, r), with slopes (M, r, n)."""
        outputs = self._evaluate(q, self._known).outputs
        return outputs["values"], outputs["jacobian"]

    def axes_of_points(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the axes of points' bodies as columns, (M, points, 3, 3), and slopes (..., n)."""
        observed = self.kinematics._observed
        links = [observed.tree.links[observed.points[name]].inner for name in self.points]
        frames = {str(k): link for k, link in enumerate(links)}
        own = replace(observed, points={}, frames=frames, observer=None, frame=None)
        # of what was read: the System may have got loads since
        turning = KinematicOutputs(self.kinematics.model._outputs.derivation, own)
        program = turning.cheapest(["orientations"], None, ["q"])
        evaluate: Evaluator = compile_program(program, backend="numpy")
        result = evaluate(q, constants=self.constants_of(evaluate.inputs["constants"]))
        return result.orientations, result.derivative("orientations", "q")

    @cached_property
    def row_count(self) -> int:
        """The number of values: of places, and of errors of constraints."""
        count: int = self._evaluate.shapes["values"][0]
        return count

    @cached_property
    def constant_row(self) -> np.ndarray:
        """The numbers of all constants, zero for unknown ones."""
        symbols = self._evaluate.inputs["constants"]
        known = ValueReader("constants", symbols).numbers(self._known)
        return np.array([known.get(x, 0.0) for x in symbols])

    def kernel(self) -> tuple[Any, list[BaseException]]:
        """Return the function in C of one sample, and a list of what it raises.

        Without a compiler it calls back: C cannot raise, and ends as soon as it can.
        """
        code, n = self._evaluate._code, len(self.coordinates)
        raised: list[BaseException] = []
        if isinstance(code, CompiledCode):
            return code.single_address, raised

        def kernel(_: int, inputs: Any, strides: Any, outputs: Any) -> int:
            try:
                found = self.values(np.ctypeslib.as_array(inputs[0], (1, n)))
                for address, values in zip(outputs[:2], found, strict=True):
                    np.ctypeslib.as_array(address, values.shape)[:] = values
            except BaseException as error:
                raised.append(error)
            return len(raised)

        return _KERNEL(kernel), raised

    @cached_property
    def _known(self) -> dict[str, float]:
        return self.constants_of(self._evaluate.inputs["constants"])

    def constants_of(self, symbols: Sequence[Any]) -> dict[Any, float]:
        """Return the numbers of symbols, as far as they are known."""
        names = {*symbols, *map(str, symbols)}
        return {key: x for key, x in self.constants.items() if key in names or str(key) in names}

    @cached_property
    def _evaluate(self) -> Evaluator:
        evaluate: Evaluator = self.kinematics.model.kept(
            ("places", *self._has_parts), lambda: compile_program(self.program())
        )
        return evaluate

    def program(self) -> Program:
        """Return the program of all places, then errors of constraints."""
        observed, graph = self.kinematics._observed, Graph()
        seen = ObservedMotion(ScalarTree(graph, observed.tree), observed.observer, observed.frame)
        vectors = [seen.place(link) for link in observed.points.values() if self.points]
        if self.frames:
            check_orientations(observed)
            for link in observed.frames.values():
                vectors += seen.orientation(link).transpose.rows
        values = [x for vector in vectors for x in vector.components]
        own = ScalarTree(graph, self.kinematics.model.tree)
        values += (error for _, error in position_equations(own))
        coordinates = self.kinematics.model.tree.coordinates
        entries = jacobian(graph, values, coordinates)
        outputs = [
            Output.from_scalars("values", (len(values),), values),
            matrix_output("jacobian", entries, len(coordinates)),
        ]
        groups = input_groups(self.kinematics.model.inputs, ("q", "constants"))
        known = {symbol for group in groups for symbol in group.symbols}
        used = graph.inputs_of(ref for output in outputs for ref in output.refs)
        if moving := [str(symbol) for symbol in used if symbol not in known]:
            raise ValueError(
                "`model` must have places that depend on coordinates and constants alone, got "
                f"some that depend on {', '.join(moving)}. Use coordinates in place of functions "
                "of time; the search can hold them fixed."
            )
        return Program(graph, outputs, groups)
