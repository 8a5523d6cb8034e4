"""Lookups of results in their model: of points and frames, and of partly undetermined wrenches."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr
from sympy.physics.vector import Point, ReferenceFrame

from ...checks.arguments import check_instance
from ..arithmetic.factorization import dot
from ..dynamics.derivation import exclusive
from ..dynamics.outputs.kinematic_outputs import OF_POINTS, KinematicOutputs
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..dynamics.outputs.wrench_formulas import undetermined_components
from ..dynamics.outputs.wrench_outputs import joint_wrench_parts
from ..mechanism.reading.points_and_frames import read_points_and_frames
from .compilation import compile_program
from .evaluator import Evaluator
from .inputs import Inputs

#: Outputs that have a matrix for each point or frame.
MATRICES = ("jacobians", "orientations", "angular_jacobians")


class KinematicLookup:
    """Positions and motions of points and frames for results.

    A pickle has only the names of the compiled points and frames.
    """

    def __init__(
        self,
        points: tuple[str, ...] = (),
        frames: tuple[str, ...] = (),
        outputs: ModelOutputs | None = None,
    ) -> None:
        self.points, self.frames = points, frames
        self._derivation = None if outputs is None else outputs.derivation
        self._observed = outputs.observed if isinstance(outputs, KinematicOutputs) else None
        self._evaluators: dict[tuple[Any, ...], Evaluator] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return KinematicLookup, (self.points, self.frames)

    def select(
        self,
        name: str,
        place: Any,
        observer: tuple[Any, Any],
        arrays: Mapping[str, np.ndarray],
        inputs: Inputs,
    ) -> np.ndarray:
        """Return an output of a point or frame, shape (..., 3[, columns]).

        ``observer`` is (observer, frame of the components), ``arrays`` are the compiled outputs.
        """
        known = self.points if name in OF_POINTS else self.frames
        is_known = isinstance(place, str) and place in known
        if is_known and name in arrays and observer[0] is observer[1] is None:
            return np.take(arrays[name], known.index(place), axis=-3 if name in MATRICES else -2)
        if self._derivation is None:
            raise ValueError(
                f"`result` must be made in this process for {place!r}: after pickling it has "
                f"only the compiled {name}. Use the result in the process that made it."
            )
        if "udot" in arrays:  # of forward dynamics: accelerations are outputs
            changes = np.moveaxis(arrays["udot"], -1, 0)
            own = dict(zip(self._derivation.tree.accelerations, changes, strict=True))
            inputs = replace(inputs, samples={**inputs.samples, **own})
        arguments = ("point" if name in OF_POINTS else "of", "relative_to", "frame")
        for argument, value in zip(arguments, (place, *observer), strict=True):
            check_instance(argument, value, Hashable, "a point, a frame, a body or a name")
        evaluate = self._evaluator(name, place, observer)
        if unknown := inputs.missing(evaluate.used_inputs):
            raise ValueError(
                f"`result` must know {', '.join(sorted(map(str, unknown)))} for this. Use "
                "evaluate(...) with values for all of them, or that of idyn.kinematics(): it takes "
                "constants on which no force depends."
            )
        values = evaluate(**inputs.arguments(evaluate)).outputs[name]
        return np.squeeze(values, axis=-3 if name in MATRICES else -2)

    @exclusive
    def _evaluator(self, name: str, place: Any, observer: tuple[Any, Any]) -> Evaluator:
        """Return the cached evaluator of an output of a point or frame."""
        key, derivation = (name, place, *observer), self._derivation
        if key not in self._evaluators:
            assert derivation is not None
            known: Any = self._observed
            read = read_points_and_frames if known is None else known.of_others
            points, frames = ([place], []) if name in OF_POINTS else ([], [place])
            argument = "point" if points else "of"
            observed = read(derivation.tree, (points, frames, *observer), label=argument)
            program = KinematicOutputs(derivation, observed).cheapest([name])
            self._evaluators[key] = compile_program(program, backend="numpy")
        return self._evaluators[key]


class UndeterminedWrenches:
    """The determined components of wrenches that are partly NaN in their own frames.

    Wrenches of least norm are rotated; then undetermined components are replaced by NaN.
    ``numbers`` are constants that are numbers in the code.
    """

    def __init__(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> None:
        self._outputs, self._numbers = outputs, numbers
        self._derivation = outputs.derivation

    @exclusive
    def components(
        self, number: int, about: Point | None, frame: ReferenceFrame | None
    ) -> list[bool]:
        """Return a list of bool, true for the undetermined components of a joint wrench.

        The components are about a point and in a frame; ``number`` is the index of the joint.
        """
        return undetermined_components(self._derivation, number, about, frame)

    @exclusive
    def is_power_undetermined(self, number: int, twist: Sequence[Expr]) -> bool:
        """Return whether the power of a joint wrench in a motion of the child is undetermined."""
        _, changes = joint_wrench_parts(self._derivation)
        velocity = map(self._derivation.graph.scalar, twist)
        change = dot(changes[number].scalars, list(velocity))
        return any(self._derivation.supply.changes([change]))

    def of_least_norm(self, inputs: Inputs) -> np.ndarray | None:
        """Return joint wrenches (..., joints, 6) of least norm; None if an input is unknown."""
        evaluate = self._evaluate
        is_known = not inputs.missing(evaluate.used_inputs)
        return evaluate(**inputs.arguments(evaluate)).joint_wrenches if is_known else None

    @cached_property
    def _evaluate(self) -> Evaluator:
        program = self._outputs.of_least_norm().cheapest(["joint_wrenches"], self._numbers)
        return compile_program(program, fixed_constants=self._numbers, backend="numpy")
