"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions.
"""

from importlib import import_module
from typing import Any

from .chain import Segment, SerialChain
from .inverse_dynamics import InverseDynamics
from .observer import FictitiousWrenches, ObserverFrame
from .tree import TopologyError
from .wrench import Wrench

__version__ = "0.1.0"

#: Names that need numpy, pydy or matplotlib: imported when they are first used.
_LAZY = {
    "CompilationError": "codegen",
    "CrosscheckReport": "residuals",
    "Evaluator": "codegen",
    "PrescribedMotion": "trajectory",
    "Result": "result",
    "States": "trajectory",
    "crosscheck": "verify",
    "plot_trajectories": "plotting",
    "plot_wrenches": "plotting",
}

__all__ = [  # noqa: RUF022  (grouped: statics, model, inverse dynamics, numbers, pictures)
    "Wrench",
    "ObserverFrame",
    "FictitiousWrenches",
    "Segment",
    "SerialChain",
    "InverseDynamics",
    "TopologyError",
    "Evaluator",
    "Result",
    "CompilationError",
    "PrescribedMotion",
    "States",
    "crosscheck",
    "CrosscheckReport",
    "plot_trajectories",
    "plot_wrenches",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LAZY[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
