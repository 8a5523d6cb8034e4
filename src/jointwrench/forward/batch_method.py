"""Explicit Runge-Kutta methods for many states at once, and for states on constraints."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45

#: Methods that can carry a batch.
BATCH_METHODS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}


def batch_method(method: str, members: int, split: int) -> type[Any]:
    """Return one of scipy's methods for a vector that holds several packed states.

    Scipy takes the mean of the errors of all entries, so that one state among thousands would be
    followed badly.  This one takes that of the worst state.  Each has ``split`` coordinates.
    """
    base: Any = BATCH_METHODS[method]

    class BatchMethod(base):
        def _estimate_error_norm(self, K: np.ndarray, h: float, scale: np.ndarray) -> float:
            squares = np.square(self._estimate_error(K, h) / scale)
            parts = np.split(squares, [members * split])
            sums = sum(part.reshape(members, -1).sum(axis=1) for part in parts)
            return float(np.sqrt(np.max(sums) / (len(squares) // members)))

    return BatchMethod


def projected_method(
    base: type[Any], project: Callable[[float, np.ndarray], np.ndarray]
) -> type[Any]:
    """Return a method that moves each state back onto the constraints: ``project(time, state)``."""

    class ProjectedMethod(base):
        y: np.ndarray

        def _step_impl(self) -> tuple[bool, str | None]:
            success, message = super()._step_impl()
            if success:
                self.y = project(self.t, self.y)
                self.f = self.fun(self.t, self.y)
            return success, message

    return ProjectedMethod
