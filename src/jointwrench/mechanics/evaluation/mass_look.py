"""A look at masses that are given as zero: does each speed move some mass?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...checks.problems import warn
from ...checks.tolerances import DEFICIENT
from .look_code import Given, LookCode, LookingCode


class MassLook(LookingCode):
    """Warns of a singular mass matrix, where masses or moments of inertia are zero."""

    # Code is that of the root of the least part of a speed's inertia that the speeds further out
    # leave, or makes it; masses are the places and names of their constants.

    def __init__(
        self, code: Callable[[], LookCode] | LookCode, masses: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(code)
        self._masses = [(int(place), name) for place, name in masses]

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of: numbers and texts."""
        return self.code, self._masses

    def __call__(self, given: Given, samples: np.ndarray) -> None:
        """Look at samples."""
        constants = given.columns["constants"]
        known = [(name, constants[k]) for k, name in self._masses if k in constants]
        zeros = [name for name, column in known if (column == 0).any()]
        if not zeros:
            return
        code = self.code
        if any(k not in given.columns[name] for name, k in code.used):
            return
        for rows in given.parts(samples):
            with np.errstate(all="ignore"):
                (share,) = code.evaluate(rows)
            is_known = np.all([np.isfinite(rows[name][:, k]) for name, k in code.used], axis=0)
            if (is_known & ~(share > np.sqrt(DEFICIENT))).any():
                warn(
                    f"`constants` must give mass to all that speeds move, got 0 for "
                    f"{', '.join(zeros)}: the mass matrix is singular, so that accelerations are "
                    "NaN or wrong. Use numbers above 0 for some of them."
                )
                return
