"""Compiled programs of free variables."""

from typing import Any, ClassVar

from ...evaluation.backends.function import directly
from ...evaluation.compilation import Evaluator
from ...evaluation.forms import Form
from ...evaluation.result import Result
from .transcription import TITLES


@directly
class NodeEvaluator(Evaluator):
    """A compiled program of the values at neighbouring nodes."""

    forms: ClassVar[dict[str, Form]] = {
        name: Form.NUMBERS if name == "constants" else Form.ROWS for name in TITLES
    }

    def __call__(self, *given: Any) -> Result:
        """Evaluate arguments in the order of the groups of inputs."""
        return self._evaluate(given, None)


@directly
class WeightedNodeEvaluator(NodeEvaluator):
    """The same with weights of the equations and of the cost."""

    forms: ClassVar[dict[str, Form]] = {**NodeEvaluator.forms, "weights": Form.ROWS}


@directly
class InstantEvaluator(NodeEvaluator):
    """A compiled program of single free variables, and of weights."""

    forms: ClassVar[dict[str, Form]] = {"instants": Form.ROWS, "weights": Form.ROWS}
