"""Propagation of the uncertainty of inputs to outputs.

Names
    uncertainty, Uncertainty
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
