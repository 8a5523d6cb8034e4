"""Joint wrenches that mechanics leaves open in part, about other points and in other frames."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ..dynamics.derivation import exclusive
from ..dynamics.outputs.derived_outputs import DerivedOutputs
from ..dynamics.outputs.formulas import open_components
from .compilation import compile_program
from .evaluator import Evaluator
from .inputs import Inputs


class OpenWrenches:
    """What is determined of wrenches that are NaN in part in their own frames.

    A component in another frame may be determined though none of those that it is made of is:
    turned are the wrenches of least norm, then NaN takes the place of what is open.  ``numbers``
    are constants that became numbers.
    """

    def __init__(
        self,
        outputs: DerivedOutputs,
        numbers: Mapping[Any, Any],
        evaluator: type[Evaluator] = Evaluator,
    ) -> None:
        self._outputs, self._numbers, self._type = outputs, numbers, evaluator
        self._derivation = outputs.derivation

    @classmethod
    def of(cls, outputs: DerivedOutputs, *options: Any) -> "OpenWrenches | None":
        """Return what tells of the open wrenches of a model; None if none can be open."""
        return cls(outputs, *options) if outputs.derivation.supply.symbols else None

    @exclusive
    def components(
        self, number: int, about: Point | None, frame: ReferenceFrame | None
    ) -> list[bool]:
        """Return which components of a joint's wrench are open, about a point and in a frame."""
        return open_components(self._derivation, number, about, frame)

    def of_least_norm(self, inputs: Inputs) -> np.ndarray | None:
        """Return the joint wrenches of least norm, shape (..., number of joints, 6).

        None if a value is not known which only open components depend on.
        """
        evaluate, used = self._evaluate, self._evaluate.used_inputs
        if not used <= {*inputs.samples, *inputs.constants}:
            return None
        return evaluate(**inputs.arguments(evaluate.inputs, used)).joint_wrenches

    @cached_property
    def _evaluate(self) -> Evaluator:
        program = self._outputs.of_least_norm().cheapest(["joint_wrenches"], self._numbers)
        return compile_program(
            program, fixed_constants=self._numbers, backend="numpy", evaluator=self._type
        )
