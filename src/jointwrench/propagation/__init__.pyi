from .propagate import uncertainty as uncertainty
from .propagated import Uncertainty as Uncertainty
