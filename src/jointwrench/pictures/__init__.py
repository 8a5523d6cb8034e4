"""Pictures of motions and wrenches, with matplotlib (extra ``plot``).

matplotlib is imported on first use; if it is missing, each function raises an ImportError that
tells what to install.

A function with an argument ``ax`` draws one picture, into these Axes or a new figure, and returns
them; one with ``axes`` takes and returns an array of Axes of shape (rows, columns), also for one
picture.  Add titles, limits and further artists to them; ``ax.figure.savefig("a.pdf")`` saves the
figure.  Films, views and pages are saved by ``save(path)``.  Axes are labelled in SI units; pass
other ``units`` if the numbers have other units.

Moving models
    plot_stick_figure, animate, interactive_view, InteractiveView
Free bodies and derivations
    plot_free_body, draw_derivation, DerivationPage, save_derivation
Curves
    plot_wrenches, plot_contributions, plot_trajectories
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
