"""`TrackedModel`: compiled positions of points and frames, and constraints, of coordinates."""

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
from ..mechanics.dynamics.dependent_motion import matrix_output
from ..mechanics.dynamics.loops.assembled import position_equations
from ..mechanics.dynamics.outputs.inverse_outputs import input_groups
from ..mechanics.dynamics.outputs.kinematic_outputs import KinematicOutputs, check_orientations
from ..mechanics.dynamics.recursion.observed_motion import ObservedMotion
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree
from ..mechanics.evaluation.backends.codes import CompiledCode
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.evaluation.evaluator import Evaluator
from ..mechanics.evaluation.value_arguments import ValueReader
from ..mechanics.methods.kinematics import Kinematics
from .coordinate_arguments import Coordinates

_NUMBERS = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, _NUMBERS, ctypes.c_void_p, _NUMBERS)


class TrackedModel:
    """The positions of points and frames of a model, and its constraints, as compiled functions.

    All positions are in the axes of ground from its origin.  Each frame has three of them: the ends
    of its unit vectors.

    Attributes
    ==========

    position_size : int
        The number of components of all positions that the kinematics has.
    point_rows : numpy.ndarray, shape (k, 3)
        The indices of the components of the tracked points, then frames, among these.
    constants : mapping of symbol or name to number
        Values of constants; unused ones are allowed.
    """

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
        """Coordinates that are zero, with identity quaternions, shape (n,)."""
        values = np.zeros(len(self.coordinates))
        for group in self.kinematics.model.tree.quaternion_columns:
            values[group[0]] = 1.0
        return values

    def positions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (M, k, 3) and their Jacobian (M, k, 3, n) at coordinates (M, n)."""
        values, jacobian = self.values(q)
        return values[:, self.point_rows], jacobian[:, self.point_rows]

    def values(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return components of positions, then constraint residuals, (M, r), and their Jacobian.

        The Jacobian with respect to the coordinates has the shape (M, r, n).
        """
        outputs = self._evaluate(q, self._known).outputs
        return outputs["values"], outputs["jacobian"]

    def axes_of_points(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the orientations of the points' bodies, (M, points, 3, 3), and their derivatives.

        The columns are the axes of a body in ground; the derivatives with respect to the
        coordinates add an axis of length n.
        """
        observed = self.kinematics._observed
        links = [observed.tree.links[observed.points[name]].inner for name in self.points]
        frames = {str(k): link for k, link in enumerate(links)}
        own = replace(observed, points={}, frames=frames, observer=None, frame=None)
        # the model as read, since loads may have been added to the System since then
        turning = KinematicOutputs(self.kinematics.model._outputs.derivation, own)
        program = turning.cheapest(["orientations"], None, ["q"])
        evaluate: Evaluator = compile_program(program, backend="numpy")
        result = evaluate(q, constants=self.constants_of(evaluate.inputs["constants"]))
        return result.orientations, result.derivative("orientations", "q")

    @cached_property
    def row_count(self) -> int:
        """The number of rows: components of positions, and constraint residuals."""
        count: int = self._evaluate.shapes["values"][0]
        return count

    @cached_property
    def constant_row(self) -> np.ndarray:
        """The values of all constants, zero where unknown."""
        symbols = self._evaluate.inputs["constants"]
        known = ValueReader("constants", symbols).numbers(self._known)
        return np.array([known.get(x, 0.0) for x in symbols])

    def kernel(self) -> tuple[Any, list[BaseException]]:
        """Return the C function that evaluates one sample, and a list of the errors it catches.

        Without a compiler the function calls Python back.  C cannot raise an exception: the
        callback stores it and returns a nonzero status, at which the solver stops.
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
        """Return the known values among symbols, by the symbol or its name."""
        names = {*symbols, *map(str, symbols)}
        return {key: x for key, x in self.constants.items() if key in names or str(key) in names}

    @cached_property
    def _evaluate(self) -> Evaluator:
        evaluate: Evaluator = self.kinematics.model.cached(
            ("places", *self._has_parts), lambda: compile_program(self.program())
        )
        return evaluate

    def program(self) -> Program:
        """Return the program of all positions, then constraint residuals, with their Jacobian."""
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
                "`model` must have positions that depend only on coordinates and constants, got "
                f"positions that depend on {', '.join(moving)}. Use coordinates in place of "
                "functions of time; prescribed={...} fixes them."
            )
        return Program(graph, outputs, groups)
