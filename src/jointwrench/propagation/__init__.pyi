from .propagate import uncertainty as uncertainty
from .propagated import Uncertainty as Uncertainty
from .reduction_figure import plot_residual_reduction as plot_residual_reduction
from .residual_reduction import ResidualReduction as ResidualReduction
from .residual_reduction import reduce_residual as reduce_residual
