"""Pictures of motions and wrenches, with matplotlib (extra ``plot``).

matplotlib is imported when something is drawn; where it is missing, each function
raises an ImportError that tells what to install.

Every function draws into the Axes that it is given, or into a new figure, and
returns the Axes, so titles, limits and further artists are added as with any
other matplotlib picture.  Axes are labelled in SI units; pass other ``units``
where the numbers are in other ones.
"""

from .animation import animate
from .clinical_plots import plot_clinical_curves
from .contribution_plots import plot_contributions
from .curves import plot_residual_analysis, plot_trajectories
from .fit_plots import plot_fit
from .gait_figure import plot_gait_report
from .interactive_view import InteractiveView, interactive_view
from .observer_plots import plot_fictitious_wrenches
from .stance import mark_stance
from .stick_figure import plot_stick_figure
from .wrench_plots import plot_wrenches

__all__ = [
    "InteractiveView",
    "animate",
    "interactive_view",
    "mark_stance",
    "plot_clinical_curves",
    "plot_contributions",
    "plot_fictitious_wrenches",
    "plot_fit",
    "plot_gait_report",
    "plot_residual_analysis",
    "plot_stick_figure",
    "plot_trajectories",
    "plot_wrenches",
]
