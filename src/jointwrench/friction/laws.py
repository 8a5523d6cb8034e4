"""The frictions of a model, as a derivation, its outputs and their evaluation ask for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr

from ..checks.on_demand import on_demand
from ..mechanics.arithmetic.decisions import GenericState
from ..mechanics.arithmetic.graph import Scalar
from ..mechanics.dynamics.accelerations import ForwardAccelerations, added_mass
from ..mechanics.dynamics.derivation import Derivation
from ..mechanics.dynamics.load_laws import LawLoad, LoadLaws, SolvedLaws
from ..mechanics.dynamics.outputs.model_outputs import ModelOutputs
from ..mechanics.dynamics.recursion.rigid_body import BodyMotion
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree
from ..mechanics.evaluation.evaluator import TOLD
from ..mechanics.evaluation.model import Model
from .law import FrictionLaw
from .limits_at_rest import limits_at_rest
from .sliding import Friction, frictions_of
from .slips import Slips
from .solving import Frictions, MovingFrictions
from .watching import TELLING, FrictionEvaluator, why_locked

friction_hessian_evaluator = on_demand("friction.watched_hessians", "FrictionHessianEvaluator")


class JointFrictions(LoadLaws):
    """The frictions of a model."""

    outputs_of_motion = ("motor_power",)
    outputs = (
        *("friction", "friction_gain", "friction_residual", "friction_couplings"),
        *("sliding_speeds", "normal_forces", *outputs_of_motion),
    )

    def __init__(self, laws: Sequence[FrictionLaw]) -> None:
        self.laws = tuple(laws)
        self.expressions = tuple(x for law in laws for x in law.expressions)

    def enter(
        self, tree: ScalarTree, motions: Sequence[BodyMotion], state: GenericState
    ) -> tuple[Friction, ...]:
        return frictions_of(tree, motions, self.laws, state)

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

    def evaluation(self, loads: Sequence[LawLoad], is_weighted: bool) -> dict[str, Any]:
        evaluator = friction_hessian_evaluator if is_weighted else FrictionEvaluator
        return {"evaluator": evaluator, "rubbing": [load.joint.name for load in loads]}

    def slips(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> Slips:
        return Slips(outputs, numbers)

    def at_rest(self, model: Model, motion: Any, outputs: Any, options: Any) -> Any:
        if any(law.width is not None for law in self.laws):
            return super().at_rest(model, motion, outputs, options)
        return limits_at_rest(model, motion, outputs, options)

    def locked(self, model: Model, motion: Any, options: Any) -> dict[str, str]:
        told = model.compiled(TELLING, backend="numpy", told=TOLD)._called(motion, options)
        return why_locked(told, [load.joint.name for load in model.derivation.law_loads])
