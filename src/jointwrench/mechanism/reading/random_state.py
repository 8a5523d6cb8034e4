"""Numbers for everything in a model at one random instant, with their rates of change.

Two statements about a motion that agree at a random state agree everywhere, but
for a set of models that nobody has.  Numbers tell that in a fraction of the time
that formulas take.
"""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np
from sympy import Derivative, Expr, Symbol
from sympy.matrices import MatrixBase
from sympy.physics.vector import ReferenceFrame, Vector

from ...arithmetic.derivatives import ForwardSweep
from ...arithmetic.doubles import DoubleStates
from ...arithmetic.graph import LEAVES, Graph, Scalar
from ...spatial.paths import orientations_between
from ..time_derivative import TimeDerivative

#: An imaginary part that is smaller than this part of a number is rounding.
REAL = 1e-11


class UndefinedError(ValueError):
    """An expression that is no finite real number at the random state."""


class RandomState:
    """Gives every symbol and function of time a fixed random number.

    The rates of change are those by the kinematical differential equations.

    Parameters
    ==========

    derivative : TimeDerivative
        The solved kinematical differential equations.
    """

    def __init__(self, derivative: TimeDerivative) -> None:
        self._derivative = derivative
        self._graph = Graph()
        known = derivative.rates.items()
        for leaf, value in sorted(known, key=lambda item: isinstance(item[0], Derivative)):
            self._graph.bind(leaf, self._graph.scalar(value))
        self._moving = {
            unknown.expr: self._graph.scalar(rate)
            for unknown, rate in known
            if isinstance(unknown, Derivative)
        }
        self._sweep = ForwardSweep(self._graph, self._slope)
        self._states = DoubleStates(self._graph)

    def _slope(self, leaf: Expr) -> Scalar:
        if leaf in self._moving:
            return self._moving[leaf]
        if isinstance(leaf, Symbol):
            return self._graph.scalar(int(leaf == self._derivative.time))
        return self._graph.scalar(self._derivative.of(leaf))

    def on_unit_norm(self, matrix: MatrixBase) -> "RandomState":
        """Return the state with the functions of time in a matrix together of norm one.

        Raises
        ======

        UndefinedError
            If there are constants: their values may be related, too.
        """
        leaves = sorted(matrix.atoms(*LEAVES) - {self._derivative.time}, key=str)
        if any(isinstance(leaf, Symbol) for leaf in leaves):
            raise UndefinedError("unknown relations between constants")
        samples = self._states.samples(map(self._graph.scalar, leaves))
        values = np.array([sample.value for sample in samples])
        unit = values / np.sqrt((values**2).sum(axis=0))
        new = copy(self)
        new._states = DoubleStates(self._graph, dict(zip(leaves, unit, strict=True)))
        return new

    def values(self, entries: Iterable[Any]) -> np.ndarray:
        """Return the entries of a matrix as numbers.

        Raises
        ======

        UndefinedError
            If one of them is not real and finite at this state.
        """
        return self._numbers(entries, lambda scalars: scalars)

    def rates(self, entries: Iterable[Any]) -> np.ndarray:
        """Return the time derivatives of the entries of a matrix as numbers.

        Raises
        ======

        UndefinedError
            If one of them is not real and finite at this state.
        """
        return self._numbers(entries, self._sweep.of)

    def _numbers(
        self, entries: Iterable[Any], derived: Callable[[list[Scalar]], list[Scalar]]
    ) -> np.ndarray:
        try:
            scalars = derived([self._graph.scalar(entry) for entry in entries])
            numbers = np.array([sample.value[0] for sample in self._states.samples(scalars)])
        except (ArithmeticError, TypeError) as error:  # a division by zero, an infinite number
            raise UndefinedError(str(error)) from error
        if not (np.isfinite(numbers) & (abs(numbers.imag) <= REAL * abs(numbers))).all():
            raise UndefinedError("not real and finite")
        return numbers.real

    def rotation(
        self, frame: ReferenceFrame, other: ReferenceFrame
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the matrix to a frame's components from another's, and its rate of change."""
        turn, rate = np.eye(3), np.zeros((3, 3))
        for matrix in orientations_between(frame, other):
            entries = list(matrix)
            stage, changing = self.values(entries), self.rates(entries)
            rate = rate @ stage.reshape(3, 3) + turn @ changing.reshape(3, 3)
            turn = turn @ stage.reshape(3, 3)
        return turn, rate

    def components(self, vector: Vector, frame: ReferenceFrame) -> np.ndarray:
        """Return a vector's components in a frame."""
        total = np.zeros(3)
        for matrix, own in vector.args:
            values = self.values(matrix)
            total += values if own is frame else self.rotation(frame, own)[0] @ values
        return total

    def change(self, vector: Vector, frame: ReferenceFrame) -> np.ndarray:
        """Return the components of a vector's time derivative in a frame."""
        total = np.zeros(3)
        for matrix, own in vector.args:
            if own is frame:
                total += self.rates(matrix)
            else:
                turn, turning = self.rotation(frame, own)
                total += turn @ self.rates(matrix) + turning @ self.values(matrix)
        return total
