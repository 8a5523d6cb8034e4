"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions.
"""

from importlib import import_module
from typing import Any

from .inverse_dynamics import InverseDynamics
from .mechanism.reading.kane_reader import Connection
from .mechanism.tree import TopologyError
from .models.extra_joints import FreeJoint, QuaternionJoint
from .models.serial_chain import Segment, SerialChain
from .observer import FictitiousWrenches, ObserverFrame
from .wrench import Wrench

__version__ = "0.1.0"

#: Names that need numpy, scipy or pydy: imported when they are first used.
_LAZY = {
    "CompilationError": "codegen",
    "CrosscheckReport": "verify",
    "Evaluator": "codegen",
    "ExternalWrench": "measured.external_wrench",
    "ForcePlate": "measured.force_plate",
    "Person": "measured.anthropometry",
    "PrescribedMotion": "motion.prescribed_motion",
    "Result": "results.result",
    "SegmentRow": "measured.anthropometry",
    "SegmentTable": "measured.anthropometry",
    "States": "motion.prescribed_motion",
    "Table": "results.tables",
    "Trajectory": "motion.trajectory",
    "animate": "plotting",
    "clear_cache": "codegen",
    "butterworth": "motion.smoothing",
    "crosscheck": "verify",
    "frame_of_markers": "measured.markers",
    "normalise_cycles": "results.cycles",
    "planar_body": "measured.body_models",
    "planar_leg": "measured.body_models",
    "plot_fictitious_wrenches": "plotting",
    "plot_residual_analysis": "plotting",
    "plot_stick_figure": "plotting",
    "plot_trajectories": "plotting",
    "plot_wrenches": "plotting",
    "read_c3d": "files.readers",
    "read_csv": "files.readers",
    "read_storage": "files.readers",
    "read_trc": "files.readers",
    "relative_motion": "measured.markers",
    "residual_analysis": "motion.smoothing",
    "segment_angles": "measured.markers",
    "segment_lengths": "measured.markers",
    "segment_poses": "measured.markers",
    "smoothing_spline": "motion.smoothing",
    "write_csv": "files.writers",
    "write_storage": "files.writers",
}

__all__ = [  # noqa: RUF022  (grouped)
    # statics and observers
    "Wrench",
    "ObserverFrame",
    "FictitiousWrenches",
    # models
    "Segment",
    "SerialChain",
    "FreeJoint",
    "QuaternionJoint",
    # inverse dynamics
    "InverseDynamics",
    "Connection",
    "TopologyError",
    "Evaluator",
    "Result",
    "CompilationError",
    "clear_cache",
    # motions
    "PrescribedMotion",
    "States",
    "Trajectory",
    "butterworth",
    "smoothing_spline",
    "residual_analysis",
    "normalise_cycles",
    # verification
    "crosscheck",
    "CrosscheckReport",
    # measurements
    "ForcePlate",
    "ExternalWrench",
    "Person",
    "SegmentTable",
    "SegmentRow",
    "planar_leg",
    "planar_body",
    "segment_angles",
    "segment_lengths",
    "segment_poses",
    "frame_of_markers",
    "relative_motion",
    # files
    "Table",
    "read_csv",
    "read_storage",
    "read_trc",
    "read_c3d",
    "write_csv",
    "write_storage",
    # pictures
    "plot_trajectories",
    "plot_wrenches",
    "plot_stick_figure",
    "plot_fictitious_wrenches",
    "plot_residual_analysis",
    "animate",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LAZY[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
