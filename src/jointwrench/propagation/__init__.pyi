from .propagate import uncertainty as uncertainty
from .uncertainties import Uncertainty as Uncertainty
