"""Optimal control with opty on compiled equations.

Names
    opty_problem, forward_problem
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
