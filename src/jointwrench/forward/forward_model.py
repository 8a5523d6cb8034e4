"""`ForwardModel`: what goes forward in time."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

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
