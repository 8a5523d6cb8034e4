"""Optimal control with opty on compiled equations.

Names
    forward_problem
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
