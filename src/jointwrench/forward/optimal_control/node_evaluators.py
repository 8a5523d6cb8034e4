"""Compiled programs of free variables: at neighbouring nodes, and at single instants."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from sympy import Expr

from ...arithmetic.graph import Graph
from ...arithmetic.program import Group, Output, Program
from ...dynamics.outputs.weighted_sum import weighted_sum
from ...evaluation.backends.function import directly
from ...evaluation.compilation import Evaluator, compile_program
from ...evaluation.forms import Form
from ...evaluation.result import Result
from ...spatial.leaves import leaves
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


class InstantTerms:
    """Conditions and, last, a term of the objective: their sum with weights, and its slopes.

    ``place`` is that of a function at an instant, or of a constant, among the free variables.
    """

    def __init__(
        self,
        conditions: Iterable[Expr],
        term: Expr,
        place: Callable[[Expr], int],
        backend: str,
    ) -> None:
        expressions = [*conditions, term]
        variables = tuple(sorted(leaves(expressions), key=str))
        self.places = np.array([place(variable) for variable in variables], int)
        graph = Graph(variables)
        values = [graph.scalar(expression) for expression in expressions]
        output = Output.from_scalars("terms", (len(values),), values, "terms")
        groups = [Group("instants", "free variables at instants", variables)]
        program, known = weighted_sum(Program(graph, [output], groups), variables)
        self._evaluate = compile_program(program, backend=backend, evaluator=InstantEvaluator)
        rows, columns = np.array(known.places, int).reshape(-1, 2).T
        self.rows, self.columns = self.places[rows], self.places[columns]
        self._last = np.zeros(len(values))
        self._last[-1] = 1.0

    def evaluate(self, free: np.ndarray, weights: Any = None) -> Result:
        """Return the weighted sum, its gradient and its Hessian; default: of the term alone."""
        given = self._last if weights is None else weights
        return self._evaluate(free[self.places], given)
