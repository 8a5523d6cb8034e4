"""`ForwardModel`: what goes forward in time."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr

from ..dynamics.outputs.forward_outputs import ForwardOutputs
from ..evaluation.derived_model import DerivedModel

if TYPE_CHECKING:
    from ..evaluation.closed_motion import ClosedMotion
    from ..evaluation.compilation import ForwardEvaluator


class ForwardModel(DerivedModel["ForwardEvaluator"]):
    """A model that moves under its loads: what `ForwardDynamics`, simulations and others ask.

    No unmodelled actuator drives it; violations of the constraints decay at the rate
    ``stabilization``.
    """

    def __init__(self, inverse: DerivedModel[Any], stabilization: float) -> None:
        super().__init__(ForwardOutputs(inverse.derivation, stabilization))
        self._inverse = inverse

    def rate_slopes(self, wrt: tuple[Any, ...]) -> "ForwardEvaluator":
        """Return what evaluates a few states only, so that compiling takes longer than it saves."""
        return self.compiled(("qdot", "udot"), derivatives=wrt, backend="numpy")

    @cached_property
    def closed_motion(self) -> "ClosedMotion":
        """Close motions with the inputs of forward dynamics, which may be more."""
        if self.inputs == {k: x for k, x in self._inverse.inputs.items() if k != "udot"}:
            return self._inverse.closed_motion
        return super().closed_motion

    def tangents(
        self, q: Any, u: Any, given: dict[str, Any], inputs: Iterable[Expr]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how states change on the constraints, with independent ones and with inputs.

        As `ClosedMotion.tangents`; what is not determined is refused.
        """
        found = self.closed_motion.tangents(q, u, **given, inputs=inputs)
        if np.isnan(found[0]).any():
            raise ValueError(
                "`q` must be a pose in which the constraints determine the dependent coordinates "
                "and speeds from the independent ones, but it is singular. Use other independent "
                "ones."
            )
        return found
