"""Pictures of motions and wrenches, with matplotlib (extra ``plot``)."""

from .animation import animate
from .curves import plot_residual_analysis, plot_trajectories, plot_wrenches
from .observer_plots import plot_fictitious_wrenches
from .stick_figure import plot_stick_figure

__all__ = [
    "animate",
    "plot_fictitious_wrenches",
    "plot_residual_analysis",
    "plot_stick_figure",
    "plot_trajectories",
    "plot_wrenches",
]
