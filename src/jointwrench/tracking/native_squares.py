"""`NativeSquares`: a model's kernel in the compiled solver of least squares."""

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..mechanics.codegen.toolchain.library import load_library
from ..mechanics.evaluation.backends.codes import CompiledCode
from ..mechanics.evaluation.evaluator import Evaluator
from .squares_solver import LIBRARY, SOLVER, room

#: Samples after which Python hears Ctrl-C: some tenths of a second.
UNHEARD = 1000


class NativeSquares:
    """The solver for a kernel of coordinates and constants, with numbers of the latter."""

    def __init__(self, evaluate: Evaluator, counts: Sequence[int], constants: np.ndarray) -> None:
        # counts: numbers of coordinates, of places, and of these with constraints
        self._evaluate, self.counts, self._constants = evaluate, tuple(counts), constants

    def fit(
        self,
        starts: np.ndarray,
        wanted: Any,
        numbers: Sequence[float],
        bounds: Sequence[np.ndarray],
        options: Sequence[int],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return samples (M, n), their cost, and 0, 1, 2 for not reached, reached, and least."""
        n, samples, count = self.counts[0], len(starts), starts.shape[1]
        q, cost, state = np.empty((samples, n)), np.empty(samples), np.empty(samples, np.intp)
        inputs = np.array([0, self._constants.ctypes.data], np.uintp)
        sizes = np.array([*self.counts, 0, count, *options, 0], np.intp)
        arrays = [
            *(sizes, np.array(numbers), inputs, np.zeros(2, np.intp), np.array(bounds, float)),
            *(np.ascontiguousarray(x, float) for x in (wanted.change, wanted.pulls)),
            *(np.ascontiguousarray(x, float) for x in (wanted.seen, wanted.weights, wanted.aims)),
            *(np.ascontiguousarray(starts, float), q, cost, state),
            np.empty(room(n, self.counts[2])),
        ]
        code = self._evaluate._code
        assert isinstance(code, CompiledCode)
        for first in range(0, samples, UNHEARD):
            sizes[3], sizes[7] = min(first + UNHEARD, samples), first
            _solver()(code.single_address(), *(array.ctypes.data for array in arrays))
        return q, cost, state


@functools.cache
def _solver() -> Any:
    address = load_library(SOLVER + LIBRARY, ["-O2"], "fit")
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 16)(address)
