from .propagate import uncertainty as uncertainty
from .propagated import Uncertainty as Uncertainty
from .residual_reduction import ResidualReduction as ResidualReduction
from .residual_reduction import reduce_residual as reduce_residual
