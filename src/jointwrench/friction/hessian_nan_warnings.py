"""Second derivatives of models with frictions, which tell where these are NaN, and why."""

from ..mechanics.evaluation.hessian_evaluator import HessianEvaluator
from .nan_warnings import FrictionEvaluator


class FrictionHessianEvaluator(FrictionEvaluator, HessianEvaluator):
    """The evaluator of a weighted sum of a model with frictions."""
