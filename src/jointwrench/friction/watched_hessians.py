"""Second derivatives of models with frictions, which tell where these are NaN, and why."""

from ..mechanics.evaluation.hessian_evaluator import HessianEvaluator
from .watching import Telling


class FrictionHessianEvaluator(Telling, HessianEvaluator):
    """The evaluator of a weighted sum of a model with frictions."""
