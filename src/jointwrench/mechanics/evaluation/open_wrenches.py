"""Joint wrenches that mechanics leaves open in part, about other points and in other frames."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ..dynamics.derivation import exclusive
from ..dynamics.outputs.formulas import open_components
from ..dynamics.outputs.model_outputs import ModelOutputs
from .compilation import compile_program
from .evaluator import Evaluator
from .inputs import Inputs


class OpenWrenches:
    """What is determined of wrenches that are NaN in part in their own frames."""

    # Wrenches of least norm are turned, then NaN takes the place of what is open. Numbers are
    # fixed.

    def __init__(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> None:
        self._outputs, self._numbers = outputs, numbers
        self._derivation = outputs.derivation

    @classmethod
    def of(cls, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> "OpenWrenches | None":
        """Return what tells of the open wrenches of a model; None if none can be open."""
        return cls(outputs, numbers) if outputs.derivation.supply.symbols else None

    @exclusive
    def components(
        self, number: int, about: Point | None, frame: ReferenceFrame | None
    ) -> list[bool]:
        """Return which components of a joint's wrench are open, about a point and in a frame."""
        return open_components(self._derivation, number, about, frame)

    def of_least_norm(self, inputs: Inputs) -> np.ndarray | None:
        """Return joint wrenches (..., joints, 6) of least norm; None if a value is unknown."""
        evaluate = self._evaluate
        is_known = not inputs.missing(evaluate.used_inputs)
        return evaluate(**inputs.arguments(evaluate)).joint_wrenches if is_known else None

    @cached_property
    def _evaluate(self) -> Evaluator:
        program = self._outputs.of_least_norm().cheapest(["joint_wrenches"], self._numbers)
        return compile_program(program, fixed_constants=self._numbers, backend="numpy")
