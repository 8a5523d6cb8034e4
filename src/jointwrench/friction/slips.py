"""The slips of joints that rub, while numbers are evaluated."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..mechanics.arithmetic.graph import Scalar
from ..mechanics.arithmetic.output import Output
from ..mechanics.dynamics.outputs.model_outputs import ModelOutputs
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.evaluation.evaluator import Evaluator
from ..mechanics.evaluation.inputs import Inputs
from .sliding import frictions_in


class Slips:
    """The slips of joints that close loops and rub, for the power of their wrenches."""

    def __init__(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> None:
        self._outputs, self._numbers = outputs, numbers
        self._frictions = [x for x in frictions_in(outputs.derivation) if not x.is_in_tree]

    @property
    def joints(self) -> list[Any]:
        """The joints, each once."""
        return [friction.joint for friction in self._frictions]

    def of(self, joint: Any, inputs: Inputs) -> np.ndarray:
        """Return velocity and angular velocity of the child in its frame, (..., 6)."""
        evaluate = self._evaluate
        found: np.ndarray = evaluate(**inputs.arguments(evaluate)).slips
        return found[..., self.joints.index(joint), :]

    @cached_property
    def _evaluate(self) -> Evaluator:
        graph = self._outputs.derivation.graph
        nothing, slips = [graph.scalar(0)] * 3, list[Scalar]()
        for slip in (friction.slip for friction in self._frictions):
            own = slip.velocity.components
            slips += (*nothing, *own) if slip.is_turn else (*own, *nothing)
        output = Output.from_scalars("slips", (len(self._frictions), 6), slips)
        program = self._outputs.program([output]).with_numbers(self._numbers)
        return compile_program(program, fixed_constants=self._numbers, backend="numpy")
