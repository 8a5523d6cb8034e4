"""`ModelFrictions`: the friction laws of a model in its derivation, outputs and evaluation."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.numbers import real_array, shaped_array
from ..checks.tolerances import SIGN_ONLY
from ..mechanics.arithmetic.generic_state import GenericState
from ..mechanics.arithmetic.graph import Scalar
from ..mechanics.arithmetic.output import Output
from ..mechanics.dynamics.accelerations import ForwardAccelerations, added_mass
from ..mechanics.dynamics.derivation import Derivation
from ..mechanics.dynamics.load_laws import LawLoad, LoadLaws, SolvedLaws
from ..mechanics.dynamics.outputs.model_outputs import ModelOutputs, check_output_names
from ..mechanics.dynamics.recursion.rigid_body import BodyMotion
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.evaluation.evaluator import CHECKS, Evaluator
from ..mechanics.evaluation.inputs import Inputs
from ..mechanics.evaluation.model import Model
from .friction_equations import Frictions, MovingFrictions
from .friction_parameters import FrictionParameters
from .nan_warnings import REASON_OUTPUTS, NanWarnings, nan_reasons
from .slips import Friction, friction_loads, make_friction


class Slips:
    """The slip velocities of loop joints with friction, for the power of their wrenches."""

    def __init__(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> None:
        self._outputs, self._numbers = outputs, numbers
        self._frictions = [x for x in friction_loads(outputs.derivation) if not x.is_in_tree]

    @property
    def joints(self) -> list[Any]:
        """The loop joints with friction."""
        return [friction.joint for friction in self._frictions]

    def of(self, joint: Any, inputs: Inputs) -> np.ndarray:
        """Return the slip of a joint's child relative to its parent, shape (..., 6).

        It has the velocity and the angular velocity, in the child's frame.
        """
        evaluate = self._evaluate
        found: np.ndarray = evaluate(**inputs.arguments(evaluate)).slips
        return found[..., self.joints.index(joint), :]

    @cached_property
    def _evaluate(self) -> Evaluator:
        """The evaluator of all slips, shape (..., joints, 6)."""
        graph = self._outputs.derivation.graph
        nothing, slips = [graph.scalar(0)] * 3, list[Scalar]()
        for slip in (friction.slip for friction in self._frictions):
            own = slip.velocity.components
            slips += (*nothing, *own) if slip.is_turn else (*own, *nothing)
        output = Output.from_scalars("slips", (len(self._frictions), 6), slips)
        program = self._outputs.program([output]).with_numbers(self._numbers)
        return compile_program(program, fixed_constants=self._numbers, backend="numpy")


class ModelFrictions(LoadLaws):
    """The friction laws of a model, as the load laws of its derivation."""

    outputs_of_motion = ("motor_power",)
    outputs = (
        *("friction", "friction_gain", "friction_residual", "friction_couplings"),
        *("sliding_speeds", "normal_forces", *outputs_of_motion),
    )

    def __init__(self, laws: Sequence[FrictionParameters]) -> None:
        self.laws = tuple(laws)
        self.expressions = tuple(x for law in laws for x in law.expressions)

    def enter(
        self, tree: ScalarTree, motions: Sequence[BodyMotion], state: GenericState
    ) -> tuple[Friction, ...]:
        given = tree, motions, state
        return tuple(make_friction(*given, law, number) for number, law in enumerate(self.laws))

    def solve(self, derivation: Derivation, moving: Mapping[Expr, Scalar]) -> Frictions:
        return Frictions(derivation, moving)

    def solve_under_loads(
        self, derivation: Derivation, forward: ForwardAccelerations, number: int
    ) -> SolvedLaws:
        tree = derivation.tree
        is_tree = not (tree.constraints or added_mass(derivation))
        if is_tree and 2 * len(derivation.law_loads) > len(tree.speeds):
            return MovingFrictions(derivation, forward)
        return super().solve_under_loads(derivation, forward, number)

    def watcher(self, loads: Sequence[LawLoad], compile_alike: Callable[..., Any]) -> NanWarnings:
        return NanWarnings([load.joint.name for load in loads], compile_alike)

    def slips(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> Slips:
        return Slips(outputs, numbers)

    def at_rest(self, model: Model, motion: Any, outputs: Any, options: Any) -> Any:
        """Return the results for impending motion in both directions, as for `at_rest`."""
        if any(law.width is not None for law in self.laws):
            raise ValueError(
                "`frictions` must all be without `width` for limits at rest. Use "
                "JointFriction(joint, coefficient, radius)."
            )
        q, sense, udot = motion
        names = check_output_names(outputs, model.outputs.names)
        evaluate = model.cached_evaluator(tuple(names), checks=CHECKS)
        slow = SIGN_ONLY * shaped_array("sense", sense, ..., len(model.speeds))
        given = real_array("udot", np.zeros_like(slow) if udot is None else udot)
        return tuple(evaluate(q, speeds, given, **options) for speeds in (slow, -slow))

    def locked(self, model: Model, motion: Any, options: Any) -> dict[str, str]:
        evaluate = model.cached_evaluator(REASON_OUTPUTS, backend="numpy", checks=CHECKS - {"laws"})
        result = evaluate(*motion, **options)
        return nan_reasons(result, [load.joint.name for load in model.derivation.law_loads])
