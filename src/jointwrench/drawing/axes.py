"""New Axes to draw into, and their scales (extra ``plot``)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import check_instance
from ..checks.problems import import_extra
from .palette import PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What is smaller than this part of the largest force or moment is rounding.
ZERO = 1e-9

#: What is smaller than this part of the largest number of all is it, too.
ROUNDING = 1000 * np.finfo(float).eps

#: How many times the scale of one of several pictures may be larger than that of the others.
ENLARGED = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def new_axes(*shape: int, **options: Any) -> Any:
    """Return the Axes of a new figure, as ``plt.subplots`` makes them."""
    pyplot = import_extra("matplotlib.pyplot", "A picture", "plot")
    return pyplot.subplots(*shape, layout="constrained", **options)[1]


def checked_axes(ax: Any, **options: Any) -> Any:
    """Return Axes to draw into: those given, or new ones if there are none."""
    if ax is None:
        return new_axes(**options)
    from matplotlib.axes import Axes

    return check_instance("ax", ax, Axes, "matplotlib Axes")


def axes_of_shape(axes: Any, rows: int, columns: int, **options: Any) -> np.ndarray:
    """Return given Axes as an array of shape (rows, columns), or new ones if there are none."""
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


def add_zero(ax: "Axes") -> None:
    """Draw the zero line and a grid behind all curves."""
    ax.axhline(0, color=PALE, linewidth=0.8, zorder=0)
    ax.grid(alpha=0.3)


def set_scales(column: Iterable["Axes"]) -> None:
    """Give Axes one y scale; enlarge it, with a note, where curves would be flat."""
    limits = {ax: np.array(ax.get_ylim()) for ax in column}
    low = min(bottom for bottom, _ in limits.values())
    span = max(top for _, top in limits.values()) - low
    for ax, (bottom, top) in limits.items():
        height = top - bottom if _has_curve(ax, ZERO * span) else span
        factor = max(x for x in ENLARGED if x == 1 or x <= span / height)
        start = np.clip(low / factor, top - span / factor, bottom)
        ax.set_ylim(start, start + span / factor)
        if factor > 1:
            ax.set_title(f"scale enlarged {factor} ×", loc="right", fontsize="medium")


def _has_curve(ax: "Axes", least: float) -> bool:
    """Return whether any line leaves zero."""
    heights = [np.abs(np.asarray(line.get_ydata(), dtype=float)) for line in ax.lines]
    return any((height > least).any() for height in heights)
