"""Paths of points (extra ``plot``)."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import hints
from ..checks.arguments import check_choice
from ..drawing.axes import checked_axes
from ..drawing.labels import check_array, check_names
from ..drawing.palette import CYCLE
from ..records.laboratory import check_axis_units

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

MARKERS = "osD^v<>pP*"


def plot_trajectories(
    positions: Any,
    speeds: Any = None,
    *,
    labels: Sequence[str] | None = None,
    ax: "hints.Axes | None" = None,
    cmap: str = "viridis",
    units: Mapping[str, str] | None = None,
) -> "hints.Axes":
    """Draw the paths of points, coloured by their speed, or the coordinates of a motion over time.

    A marker shows the start of each path; the legend names the points or the coordinates.

    Parameters
    ==========

    positions : array, shape (points, samples, 2 or 3), Trajectory or Simulation
        Cartesian coordinates of the points, x y or x y z (NaN leaves a gap); or a motion.
    speeds : array, shape (points, samples), optional
        Shown by colour, with a common colourbar.  Default: one colour per point.
    labels : sequence of str, optional
        One name per point or coordinate for the legend.  Default: "point 0", ..., or those of the
        motion.
    ax : matplotlib Axes, optional
        Axes to draw in; in space with ``projection="3d"``.  Default: a new figure.
    cmap : str
        Name of the colormap for the speeds.
    units : mapping, optional
        Texts for "length", "speed" and "time" in place of "m", "m/s" and "s".

    Raises
    ======

    TypeError, ValueError
        If entries are not real, shapes do not fit each other or the Axes, or a unit is unknown.

    See Also
    ========

    plot_stick_figure : With forces.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> angle = np.linspace(0, 2, 50)
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    >>> ax = jw.pictures.plot_trajectories([circle, 2 * circle], labels=["C_1", "C_2"])
    >>> ax.get_xlabel()
    'x / m'
    """
    if hasattr(positions, "q"):
        return _plot_coordinates(positions, labels, checked_axes(ax), check_axis_units(units))
    positions = check_array("positions", positions, ("points", "samples", (2, 3)))
    count, samples, dimension = positions.shape
    if speeds is not None:
        speeds = check_array("speeds", speeds, (count, samples))
    names = check_names("labels", labels, count, "point")
    units = check_axis_units(units)
    ax = checked_axes(ax, subplot_kw={"projection": "3d" if dimension == 3 else None})
    if (ax.name == "3d") != (dimension == 3):
        raise ValueError(
            f"`ax` must fit positions with {dimension} components, got {ax.name} Axes. "
            f'Use for points in space plt.subplots(subplot_kw={{"projection": "3d"}}).'
        )

    if speeds is None:
        for path, name, color in zip(positions, names, cycle(CYCLE), strict=False):
            ax.plot(*path.T, color=color, label=name)
    else:
        from matplotlib import colormaps
        from matplotlib.colors import Colormap

        if not isinstance(cmap, Colormap):
            check_choice("cmap", cmap, colormaps)
        _add_coloured_paths(ax, positions, speeds, cmap, f"speed / ({units['speed']})")
    handles = _add_starts(ax, positions, names, coloured=speeds is not None)

    for axis in "xyz"[:dimension]:
        getattr(ax, f"set_{axis}label")(f"{axis} / {units['length']}")
    ax.set_aspect("equal", adjustable="datalim" if dimension == 2 else "box")
    if dimension == 2:
        ax.grid(alpha=0.3)
    else:
        ax.locator_params(nbins=6)
    above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4}
    ax.legend(handles=handles, title="start", frameon=False, **above)
    return ax


def _plot_coordinates(
    motion: Any, labels: Sequence[str] | None, ax: "hints.Axes", units: Mapping[str, str]
) -> "hints.Axes":
    """Draw a motion's coordinates over time; they may have different units."""
    q = check_array("positions", motion.q, ("samples", "coordinates"))
    names = check_names("labels", labels or motion.names, q.shape[1], "coordinate")
    for curve, name, color in zip(q.T, names, cycle(CYCLE), strict=False):
        ax.plot(motion.times, curve, color=color, label=name)
    ax.set(xlabel=f"time / {units['time']}", ylabel="coordinates")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return ax


def _add_coloured_paths(
    ax: Any, positions: np.ndarray, speeds: np.ndarray, cmap: str, label: str
) -> None:
    """Add one line collection per path and their common colourbar."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    finite = speeds[np.isfinite(speeds)]
    norm = Normalize(*((finite.min(), finite.max()) if finite.size else (0, 1)))
    in_space, had_data = positions.shape[-1] == 3, ax.has_data()
    collection: Any = Line3DCollection if in_space else LineCollection
    add = ax.add_collection3d if in_space else ax.add_collection
    for path, speed in zip(positions, speeds, strict=True):
        chords = np.stack([path[:-1], path[1:]], axis=1)
        whole = np.isfinite(chords).all(axis=(1, 2))
        lines = collection(chords[whole], cmap=cmap, norm=norm, linewidth=2.5, capstyle="round")
        lines.set_array(((speed[:-1] + speed[1:]) / 2)[whole])
        add(lines)
    if in_space:
        points = positions.reshape(-1, 3)
        ax.auto_scale_xyz(*points[np.isfinite(points).all(axis=1)].T, had_data)
    room: dict[str, Any] = {"shrink": 0.7, "pad": 0.12} if in_space else {}
    ax.figure.colorbar(lines, ax=ax, label=label, **room)


def _add_starts(
    ax: "hints.Axes", positions: np.ndarray, names: Sequence[str], coloured: bool
) -> "list[Line2D]":
    """Mark the first sample of each path; return the legend's handles."""
    handles: list[Line2D] = []
    lines = ax.lines[-len(names) :]
    colors = ["black"] * len(names) if coloured else [x.get_color() for x in lines]
    style: dict[str, Any] = {"markerfacecolor": "white", "zorder": 3}
    style |= {"linestyle": "none" if coloured else "-"}
    for path, name, color, marker in zip(positions, names, colors, cycle(MARKERS), strict=False):
        handles += ax.plot(*path[:1].T, label=name, color=color, marker=marker, **style)
    return handles
