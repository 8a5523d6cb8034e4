"""New Axes to draw into, and their scales (extra ``plot``)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import check_instance
from ..checks.messages import import_extra
from .palette import PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Forces and moments below this part of the largest of their kind are roundoff.
ZERO = 1e-9

#: Numbers below this part of the largest of all numbers are roundoff.
ROUNDING = 1000 * np.finfo(float).eps


def new_axes(*shape: int, **options: Any) -> Any:
    """Return the Axes of a new figure, as ``plt.subplots`` makes them."""
    pyplot = import_extra("matplotlib.pyplot", "A picture", "plot")
    return pyplot.subplots(*shape, layout="constrained", **options)[1]


def checked_axes(ax: Any, **options: Any) -> Any:
    """Return the argument ``ax``, by default the Axes of a new figure."""
    if ax is None:
        return new_axes(**options)
    from matplotlib.axes import Axes

    return check_instance("ax", ax, Axes, "matplotlib Axes")


def axes_of_shape(axes: Any, rows: int, columns: int, **options: Any) -> np.ndarray:
    """Return the argument ``axes`` of shape (rows, columns), by default of a new figure."""
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


def add_zero(ax: "Axes", widens: bool = True) -> None:
    """Draw a grid behind all curves, and the zero line if it is in sight or may widen the scale."""
    bottom, top = ax.get_ylim()
    if widens or bottom <= 0 <= top:
        ax.axhline(0, color=PALE, linewidth=0.8, zorder=0)
    ax.grid(alpha=0.3)


def set_scales(group: Iterable["Axes"]) -> None:
    """Reduce the y axis of Axes that contain only zeros to one tick."""
    ranges = {ax: np.ptp(ax.get_ylim()) for ax in group}
    for ax in ranges:
        if not _has_curve(ax, ZERO * max(ranges.values())):
            ax.set_ylim(-1, 1)
            ax.set_yticks([0])


def write_instead(ax: "Axes", words: str) -> None:
    """Write words in the middle of Axes that have no curve."""
    ax.text(0.5, 0.6, words, ha="center", transform=ax.transAxes)


def _has_curve(ax: "Axes", least: float) -> bool:
    """Return whether any line has a value whose magnitude exceeds ``least``."""
    heights = [np.abs(np.asarray(line.get_ydata(), dtype=float)) for line in ax.lines]
    return any((height > least).any() for height in heights)
