"""Propagation of the uncertainty of inputs to outputs."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
