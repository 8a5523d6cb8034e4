from .cutoffs import residual_analysis as residual_analysis
from .filters import butterworth as butterworth
from .filters import smoothing_spline as smoothing_spline
from .smoothing import Smoothing as Smoothing
