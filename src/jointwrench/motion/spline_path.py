"""`SplinePath`: states at any time from splines."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from ..signals.quaternion_paths import normalise_quaternions
from ..signals.smoothing import Smoother
from .speeds import SpeedEquations
from .states import States


@dataclass(frozen=True, eq=False)
class SplinePath:
    """The states at any time, from splines of coordinates and possibly of speeds.

    ``measured`` describes the samples from which the splines were made, if any: a boolean mask of
    the measured ones, shape (M, n_q), their values, and their smoother.
    """

    spline: BSpline
    quaternions: list[list[int]]
    kinematics: SpeedEquations | None
    speeds: BSpline | None
    measured: tuple[np.ndarray, np.ndarray, Smoother] | None = None

    def __call__(self, times: np.ndarray) -> States:
        return self.states(times, *self.splines_at(times))

    def splines_at(self, times: np.ndarray) -> list[np.ndarray]:
        """Return the values of the splines and their first two derivatives, each (N, n_q)."""
        return [self.spline(times, order) for order in range(3)]

    def states(
        self, times: np.ndarray, s: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray
    ) -> States:
        """Return the states from values ``s`` and derivatives of the splines, each (N, n_q).

        The arrays are overwritten.
        """
        q, *changes = normalise_quaternions(s, rates, second_derivatives, self.quaternions)
        if self.speeds is not None:
            return States(q, self.speeds(times), self.speeds(times, 1))
        if self.kinematics is None:
            return States(q, *changes)
        return States(q, *self.kinematics.speeds(times, q, *changes))
