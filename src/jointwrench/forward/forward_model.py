"""`ForwardModel`: a model for simulation in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr

from ..mechanics.dynamics.outputs.forward_outputs import ForwardOutputs
from ..mechanics.evaluation.model import Model

if TYPE_CHECKING:
    from ..mechanics.dynamics.outputs.declared_output import DeclaredOutput
    from ..mechanics.evaluation.closed_motion import ClosedMotion


class ForwardModel(Model):
    """A model in forward dynamics: its accelerations follow from its loads.

    Constraint errors decay at the rate ``stabilization``.
    """

    def __init__(
        self, inverse: Model, stabilization: float, declared: Sequence[DeclaredOutput] = ()
    ) -> None:
        super().__init__(ForwardOutputs(inverse.outputs.unsolved, stabilization, declared))
        self._inverse = inverse

    @cached_property
    def closed_motion(self) -> ClosedMotion:
        """The projection of motions onto the constraints, with the inputs of forward dynamics."""
        if self.inputs == {k: x for k, x in self._inverse.inputs.items() if k != "udot"}:
            return self._inverse.closed_motion
        return super().closed_motion

    def tangents(
        self, q: Any, u: Any, given: dict[str, Any], inputs: Iterable[Expr]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of all states with respect to independent states and inputs.

        They are those of `ClosedMotion.tangents`; a singular pose is an error.
        """
        found = self.closed_motion.tangents(q, u, inputs, **given)
        if np.isnan(found[0]).any():
            raise ValueError(
                "`q` must be a pose in which the constraints determine the dependent coordinates "
                "and speeds from the independent ones, but it is singular. Use other independent "
                "ones."
            )
        return found
