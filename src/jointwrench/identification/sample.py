"""The inputs of evaluations of forces: states of a motion, and all other inputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from .. import InverseDynamics, States
from ..checks.numbers import shaped_array
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
    def read(
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
    batch = np.shape(given[0])[:-1] or ("N",)
    widths = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    names = [f"motion.{name}" for name in States._fields]
    triples = zip(names, given, widths, strict=True)
    arrays = [shaped_array(name, x, *batch, width) for name, x, width in triples]
    for name, array in zip(names, arrays, strict=True):
        if wrong := np.sum(~np.isfinite(array)):
            raise ValueError(
                f"`{name}` must be finite, got {wrong} values that are not. Leave these "
                "samples out, or fill gaps with Trajectory.from_samples(..., gaps='fill')."
            )
    return States(*arrays)
