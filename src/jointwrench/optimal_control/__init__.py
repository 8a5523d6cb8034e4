"""Optimal control with opty on compiled equations.

Names
    forward_problem
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
