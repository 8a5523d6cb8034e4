"""New Axes to draw into (extra ``plot``)."""

from typing import Any

from ..checks.extras import import_extra


def new_axes(*shape: int, **options: Any) -> Any:
    """Return the Axes of a new figure, as ``plt.subplots`` makes them.

    Parameters
    ==========

    *shape : int
        Rows and columns.  Default: one.
    **options
        As for ``plt.subplots``.

    Raises
    ======

    ImportError
        If matplotlib is not installed.
    """
    pyplot = import_extra("matplotlib.pyplot", "A picture", "plot")
    return pyplot.subplots(*shape, layout="constrained", **options)[1]
