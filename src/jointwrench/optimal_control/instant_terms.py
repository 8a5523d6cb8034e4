"""`InstantTerms`: a compiled program of free variables at single instants."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from .. import Evaluator, Result
from ..extend import Graph, Group, Output, Program, compile_program, leaves, weighted_sum


class InstantTerms:
    """Conditions and, last, a term of the objective: their sum with weights, and its slopes."""

    # ``place`` is that of a function at an instant, or of a constant, among the free variables.

    def __init__(
        self, expressions: Sequence[Expr], place: Callable[[Expr], int], backend: str
    ) -> None:
        variables = tuple(sorted(leaves(expressions), key=str))
        self.places = np.array([place(variable) for variable in variables], int)
        graph = Graph(variables)
        values = [graph.scalar(expression) for expression in expressions]
        output = Output.from_scalars("terms", (len(values),), values, "terms")
        groups = [Group("instants", "free variables at instants", variables)]
        program, known = weighted_sum(Program(graph, [output], groups), variables)
        self._evaluate: Evaluator = compile_program(program, backend=backend)
        rows, columns = np.array(known.places, int).reshape(-1, 2).T
        self.rows, self.columns = self.places[rows], self.places[columns]
        self._last = np.eye(len(values))[-1]

    def evaluate(self, free: np.ndarray, weights: Any = None) -> Result:
        """Return the weighted sum, its gradient and its Hessian; default: of the term alone."""
        given = self._last if weights is None else weights
        return self._evaluate(free[self.places], given)
