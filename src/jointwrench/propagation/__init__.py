"""Propagation of the uncertainty of inputs to outputs.

Names
    uncertainty, Uncertainty, reduce_residual, ResidualReduction
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
