"""`ForwardModel`: what goes forward in time, with its programs and what was compiled of them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix, Symbol

from ..arithmetic.program import Program
from ..dynamics.forward_programs import OUTPUT_NAMES, ForwardPrograms
from ..dynamics.joint_motion import ModelJoints
from ..dynamics.programs import check_output_names
from ..inverse_dynamics import InverseDynamics
from ..mechanism.closing import Constraints

if TYPE_CHECKING:
    from ..evaluation.closed_motion import ClosedMotion
    from ..evaluation.compilation import ForwardEvaluator


class ForwardModel:
    """A model that moves under its loads: what `ForwardDynamics`, simulations and others ask.

    No unmodelled actuator drives it; violations of the constraints decay at the rate
    ``stabilization``.
    """

    def __init__(self, inverse: InverseDynamics, stabilization: float) -> None:
        self.inverse = inverse
        self.programs = ForwardPrograms(inverse._derivation, stabilization)
        self._evaluators: dict[tuple[Any, ...], ForwardEvaluator] = {}

    @property
    def coordinates(self) -> ImmutableDenseMatrix:
        """The generalized coordinates q as a column."""
        return self.inverse.coordinates

    @property
    def speeds(self) -> ImmutableDenseMatrix:
        """The generalized speeds u as a column."""
        return self.inverse.speeds

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """All constants, sorted by name."""
        return self.programs.inputs["constants"]

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All functions of time that have to be given, sorted by name."""
        return self.programs.inputs["specifieds"]

    @property
    def constraints(self) -> Constraints:
        """What closes loops, and which coordinates and speeds are independent."""
        return self.inverse._tree.constraints

    def program(
        self,
        outputs: str | Iterable[str],
        numbers: Mapping[Symbol, Expr] | None = None,
        derivatives: Iterable[Any] = (),
    ) -> Program:
        """Return the cheapest program for some outputs, with numbers for constants."""
        self.inverse.check_unchanged()
        names = check_output_names(outputs, OUTPUT_NAMES)
        return self.programs.cheapest(names, numbers, derivatives)

    def compile(
        self,
        outputs: str | Iterable[str],
        constants: Mapping[Symbol, float] | None = None,
        backend: str = "auto",
        threads: int = 1,
        derivatives: Iterable[Any] = (),
    ) -> "ForwardEvaluator":
        """Return what evaluates outputs; the arguments are those of `ForwardDynamics.compile`."""
        from ..evaluation.compilation import (
            ForwardEvaluator,
            check_fixed_constants,
            compile_program,
        )
        from ..evaluation.open_wrenches import OpenWrenches

        numbers = check_fixed_constants(constants, self.constants)
        open_wrenches = OpenWrenches.of(self.programs, numbers, ForwardEvaluator)
        return compile_program(
            self.program(outputs, numbers, derivatives),
            joints=self.inverse._tree.all_joints,
            assembly=ModelJoints(self.inverse._tree, open_wrenches=open_wrenches),
            fixed_constants=numbers,
            backend=backend,
            threads=threads,
            evaluator=ForwardEvaluator,
        )

    def compiled(self, outputs: tuple[str, ...], **options: Any) -> "ForwardEvaluator":
        """Return what evaluates outputs; it is compiled once."""
        self.inverse.check_unchanged()
        key = (outputs, *options.values())
        if key not in self._evaluators:
            self._evaluators[key] = self.compile(outputs, **options)
        return self._evaluators[key]

    def rate_slopes(self, wrt: tuple[Any, ...]) -> "ForwardEvaluator":
        """Return what evaluates a few states only, so that compiling takes longer than it saves."""
        return self.compiled(("qdot", "udot"), derivatives=wrt, backend="numpy")

    @cached_property
    def closed_motion(self) -> "ClosedMotion":
        """Close motions with the inputs of forward dynamics, which may be more."""
        from ..evaluation.closed_motion import ClosedMotion

        inverse = self.inverse
        inputs = {**self.programs.inputs, "udot": inverse.inputs["udot"]}
        if inputs == inverse.inputs:
            return inverse._closed_motion
        return ClosedMotion(inverse._derivation, inverse._dependence, inputs)
