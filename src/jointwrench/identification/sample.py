"""`Sample`: states of a motion and all other inputs of an evaluation of forces."""

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
    """The states of a motion, with all other inputs of a model.

    Attributes
    ==========

    states : States
        q, u and udot, shape (..., n) each.
    times : numpy.ndarray or None
        The times of the states.
    numbers : dict of Expr to float
        The values of constants.
    specifieds : mapping or None
        The values of specified quantities.
    missing : tuple of str
        The names of constants without a user's value, which are random.
    """

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
        """Return the sample of a user's motion with the user's values of other inputs."""
        given, times = MotionReader(idyn.model.inputs).read(motion)
        return cls(check_states(given, idyn), times, idyn.model.numbers(constants), specifieds)

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes of the states."""
        return self.states.q.shape[:-1]


def check_states(given: tuple[Any, ...], idyn: InverseDynamics) -> States:
    """Return the States of arrays q, u, udot; refuse different shapes and values not finite."""
    batch = np.shape(given[0])[:-1] or ("N",)
    widths = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    arrays = []
    for name, x, width in zip(States._fields, given, widths, strict=True):
        arrays.append(shaped_array(f"motion.{name}", x, *batch, width))
        if wrong := np.sum(~np.isfinite(arrays[-1])):
            raise ValueError(
                f"`motion.{name}` must be finite, got {wrong} values that are not. Leave these "
                "samples out, or fill gaps with Trajectory.from_samples(..., gaps='fill')."
            )
    return States(*arrays)
