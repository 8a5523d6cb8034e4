"""Filters, splines and smoothing of measured signals.

Names
    butterworth, smoothing_spline, Smoothing, residual_analysis
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
