"""New Axes to draw into (extra ``plot``)."""

from typing import Any

import numpy as np

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


def axes_of_shape(axes: Any, rows: int, columns: int, **options: Any) -> np.ndarray:
    """Return given Axes as an array of shape (rows, columns), or new ones if there are none.

    Parameters
    ==========

    axes : array of matplotlib Axes, or None
        What the caller was given.
    rows, columns : int
        The shape that it must have.
    **options
        As for ``plt.subplots``.

    Raises
    ======

    ValueError
        If they are no Axes, or have another shape.
    """
    if axes is None:
        return new_axes(rows, columns, squeeze=False, **options)
    from matplotlib.axes import Axes

    grid = np.asarray(axes, dtype=object)
    if grid.shape != (rows, columns) or not all(isinstance(ax, Axes) for ax in grid.flat):
        raise ValueError(
            f"`axes` must be matplotlib Axes of shape ({rows}, {columns}), got shape {grid.shape}. "
            f"Use plt.subplots({rows}, {columns}, squeeze=False)."
        )
    return grid
