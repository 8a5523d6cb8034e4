from .propagate import uncertainty as uncertainty
from .residual_reduction import ResidualReduction as ResidualReduction
from .residual_reduction import reduce_residual as reduce_residual
from .uncertainties import Uncertainty as Uncertainty
