"""The inputs of evaluations of forces: states of a motion, and all other inputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from .. import InverseDynamics, States
from ..checks.numbers import real_array
from ..extend import MotionReader


@dataclass(frozen=True)
class Sample:
    """States (..., n), other inputs, and constants; the ``missing`` ones have random values."""

    states: States
    times: Any
    numbers: dict[Expr, float]
    specifieds: Mapping[Any, Any] | None
    missing: tuple[str, ...] = ()

    @classmethod
    def given(
        cls,
        idyn: InverseDynamics,
        motion: Any,
        constants: Mapping[Any, Any] | None,
        specifieds: Mapping[Any, Any] | None,
    ) -> "Sample":
        """Return the states of a motion with the user's values of other inputs."""
        given, times = MotionReader(idyn.model.inputs).read(motion)
        states = check_states(given, idyn)
        return cls(states, times, idyn.model.numbers(constants), specifieds)

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes of the states."""
        return self.states.q.shape[:-1]


def check_states(given: tuple[Any, ...], idyn: InverseDynamics) -> States:
    """Return finite q, u and udot of one shape."""
    arrays = [real_array(f"motion.{x}", y) for x, y in zip(States._fields, given, strict=True)]
    widths = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    for name, width, array in zip(States._fields, widths, arrays, strict=True):
        if array.ndim < 2 or array.shape != (*arrays[0].shape[:-1], width):
            raise ValueError(
                f"`motion.{name}` must have shape (N, {width}), with one N for q, u and udot, got "
                f"shape {array.shape}."
            )
        if wrong := np.sum(~np.isfinite(array)):
            raise ValueError(
                f"`motion.{name}` must be finite, got {wrong} values that are not. Leave these "
                "samples out, or fill gaps with Trajectory.from_samples(..., gaps='fill')."
            )
    return States(*arrays)
