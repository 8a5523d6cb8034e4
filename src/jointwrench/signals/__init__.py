"""Filters, splines and smoothing of measured signals.

Names
    butterworth, smoothing_spline, Smoothing, residual_analysis
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
