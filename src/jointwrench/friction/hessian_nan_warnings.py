"""Second derivatives of models with friction, with warnings that explain NaN."""

from ..mechanics.evaluation.hessian_evaluator import HessianEvaluator
from .nan_warnings import FrictionEvaluator


class FrictionHessianEvaluator(FrictionEvaluator, HessianEvaluator):
    """The evaluator of a weighted sum and its second derivatives, for a model with friction."""
