"""Filters, splines and smoothing of measured signals."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
