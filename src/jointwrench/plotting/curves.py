"""Curves: paths of points, joint wrenches over time, residual analysis (extra ``plot``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import check_instance
from ..motion.smoothing import ResidualAnalysis
from .axes import axes_of_shape, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["plot_residual_analysis", "plot_trajectories", "plot_wrenches"]

SI_UNITS = {"time": "s", "length": "m", "speed": "m/s", "force": "N", "moment": "N m"}

# Red, green and blue for x, y and z, of equal weight and distinct without colour vision.
COMPONENTS = (("x", "#c1272d", "-"), ("y", "#008176", "--"), ("z", "#0000a7", "-."))
#: A band reaches over so many standard deviations to each side.
BAND = 2

MARKERS = "osD^v<>pP*"


def plot_trajectories(
    positions: Any,
    speeds: Any = None,
    *,
    labels: Sequence[str] | None = None,
    ax: "Axes | None" = None,
    cmap: str = "viridis",
    units: Mapping[str, str] | None = None,
) -> "Axes":
    """Draw the paths of points, coloured by their speed.

    A marker shows where each point starts; the legend tells which is which.

    Parameters
    ==========

    positions : array, shape (points, samples, 2 or 3)
        Cartesian coordinates of the points, x y or x y z.  NaN leaves a gap.
    speeds : array, shape (points, samples), optional
        Speed of each point at each sample; shown by colour, with a colourbar
        common to all points.  Default: one colour per point.
    labels : sequence of str, optional
        One name per point for the legend.  Default: "point 0", "point 1", ...
    ax : matplotlib Axes, optional
        Where to draw; for points in space an Axes with ``projection="3d"``.
        Default: a new figure.
    cmap : str
        Name of the colormap for the speeds.
    units : mapping, optional
        Texts for "length" and "speed" in place of "m" and "m/s".

    Returns
    =======

    matplotlib Axes
        With one line collection per point in ``ax.collections`` if there are
        speeds, else one line per point in ``ax.lines``.

    Raises
    ======

    ValueError
        If shapes do not fit each other or the Axes, or a unit is unknown.
    TypeError
        If an array has entries that are not real numbers.

    Examples
    ========

    >>> import numpy as np
    >>> from jointwrench.plotting import plot_trajectories
    >>> angle = np.linspace(0, 2, 50)
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    >>> ax = plot_trajectories([circle, 2 * circle], labels=["C_1", "C_2"])
    >>> ax.get_xlabel()
    'x / m'

    """
    positions = _check_array("positions", positions, ("points", "samples", (2, 3)))
    count, samples, dimension = positions.shape
    if speeds is not None:
        speeds = _check_array("speeds", speeds, (count, samples))
    names = _check_names("labels", labels, count, "point")
    units = _check_units(units)
    if ax is None:
        ax = new_axes(subplot_kw={"projection": "3d" if dimension == 3 else None})
    elif (ax.name == "3d") != (dimension == 3):
        raise ValueError(
            f"`ax` must fit positions with {dimension} components, got {ax.name} Axes. "
            f'Use for points in space plt.subplots(subplot_kw={{"projection": "3d"}}).'
        )

    if speeds is None:
        for path, name in zip(positions, names, strict=True):
            ax.plot(*path.T, label=name)
    else:
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
    ax.legend(handles=handles, title="start", **(above if dimension == 3 else {"loc": "best"}))
    return ax


def plot_wrenches(
    times: Any,
    wrenches: Any = None,
    *,
    joints: Iterable[Any] | None = None,
    axes: Any = None,
    units: Mapping[str, str] | None = None,
    uncertainty: Any = None,
) -> np.ndarray:
    """Draw joint wrenches over time: one row per joint, forces left, moments right.

    What is drawn acts on the child body, by the parent, about the joint's
    child point, with components in the child body's frame, if the wrenches are
    the ``joint_wrenches`` of an evaluation.

    Parameters
    ==========

    times : array, shape (samples,), or an evaluation's result
        Instants of the samples.  A result that knows its times is enough:
        ``plot_wrenches(result)``.
    wrenches : array, shape (samples, joints, 6), or an evaluation's result
        Components in the order [fx fy fz mx my mz], force first.  Of a result
        its ``joint_wrenches`` are drawn.
    joints : iterable of str or sympy joints, optional
        One name per joint.  Default: those of the result, or "joint 0", ...
    axes : array of matplotlib Axes, shape (joints, 2), optional
        Where to draw, for instance from ``plt.subplots(n, 2, squeeze=False)``.
        Default: a new figure with a common time axis.
    units : mapping, optional
        Texts for "time", "force" and "moment" in place of "s", "N", "N m".
    uncertainty : Uncertainty, Result or array, shape (samples, joints, 6), optional
        What `jointwrench.uncertainty` returned, or the standard deviations: bands
        of two of them to both sides.

    Returns
    =======

    numpy array of matplotlib Axes, shape (joints, 2)
        Each with three lines: the components x, y and z; with an uncertainty a band
        around each.

    Raises
    ======

    ValueError
        If shapes do not fit each other or the Axes, a unit is unknown, a standard
        deviation is negative, or a result does not know its times or has them over
        cycles.
    TypeError
        If an array has entries that are not real numbers.

    Examples
    ========

    >>> import numpy as np
    >>> from jointwrench.plotting import plot_wrenches
    >>> times = np.linspace(0, 1, 20)
    >>> wrenches = np.sin(times)[:, None, None] * np.ones((1, 2, 6))
    >>> axes = plot_wrenches(times, wrenches, joints=["hip", "knee"])
    >>> axes[1, 0].get_ylabel()
    'knee\\nforce / N'
    >>> axes[1, 1].get_ylabel()
    'moment / (N m)'

    """
    result = times if wrenches is None else wrenches
    if wrenches is None:
        times = _times_of(times)
    if joints is None:
        joints = getattr(result, "joints", None) or None
    times = _check_array("times", times, ("samples",))
    wrenches = getattr(result, "joint_wrenches", result)
    wrenches = _check_array("wrenches", wrenches, (len(times), "joints", 6))
    count = wrenches.shape[1]
    names = _check_names("joints", joints, count, "joint")
    units = _check_units(units)
    deviations = None if uncertainty is None else _deviations(uncertainty, wrenches.shape)
    is_new, size = axes is None, (10, 1.2 + 1.8 * count)
    axes = axes_of_shape(axes, count, 2, sharex=True, figsize=size)
    if is_new:
        axes[0, 0].figure.align_ylabels()

    for row, (name, wrench) in enumerate(zip(names, wrenches.swapaxes(0, 1), strict=True)):
        _add_components(axes[row, 0], times, wrench[:, :3], "f")
        _add_components(axes[row, 1], times, wrench[:, 3:], "m")
        if deviations is not None:
            _add_bands(axes[row, 0], times, wrench[:, :3], deviations[:, row, :3])
            _add_bands(axes[row, 1], times, wrench[:, 3:], deviations[:, row, 3:])
        axes[row, 0].set_ylabel(f"{name}\nforce / {_bracket(units['force'])}")
        axes[row, 1].set_ylabel(f"moment / {_bracket(units['moment'])}")
    for column in (0, 1):
        if deviations is not None:
            label = f"± {BAND} standard deviations"
            axes[0, column].fill_between([], [], color="0.75", label=label)
        axes[0, column].legend(ncols=4, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
        axes[-1, column].set_xlabel(f"time / {_bracket(units['time'])}")
    return axes


def plot_residual_analysis(
    analysis: Any,
    *,
    names: Sequence[str] | None = None,
    ax: "Axes | None" = None,
    units: Mapping[str, str] | None = None,
) -> "Axes":
    """Draw what a filter takes away by its cutoff, the noise, and the suggested cutoff.

    Parameters
    ==========

    analysis : ResidualAnalysis
        From `residual_analysis`.
    names : sequence of str, optional
        One name per signal.  Default: "signal 0", "signal 1", ...
    ax : matplotlib Axes, optional
        Where to draw.  Default: a new figure.
    units : mapping, optional
        Texts for "frequency" and "residual" in place of "Hz" and none.

    Returns
    =======

    matplotlib Axes
        With the curve, the dashed line of the noise and the point of the cutoff
        of each signal.

    Raises
    ======

    TypeError
        If ``analysis`` is no ResidualAnalysis.
    ValueError
        If the number of names does not fit, or a unit is unknown.
    """
    fix = "Use residual_analysis(times, values)."
    check_instance("analysis", analysis, ResidualAnalysis, "a ResidualAnalysis", fix)
    count = analysis.residuals.shape[1]
    texts = _check_names("names", names, count, "signal")
    known = _check_units(units, {"frequency": "Hz", "residual": ""})
    if ax is None:
        ax = new_axes()
    curves = zip(texts, analysis.residuals.T, analysis.noise, analysis.cutoff, strict=True)
    lines = [
        (ax.plot(analysis.cutoffs, curve, label=f"{text}: {cutoff:.3g}")[0], noise, cutoff)
        for text, curve, noise, cutoff in curves
    ]
    for line, noise, cutoff in lines:
        ax.axhline(noise, color=line.get_color(), linestyle="--", linewidth=0.9)
        ax.plot(cutoff, noise, "o", color=line.get_color())
    ax.set_xlabel(f"cutoff / {_bracket(known['frequency'])}")
    unit = known["residual"]
    ax.set_ylabel(f"residual / {_bracket(unit)}" if unit else "residual")
    ax.set_ylim(bottom=0)
    ax.grid(alpha=0.3)
    ax.legend(title=f"suggested cutoff / {_bracket(known['frequency'])}", frameon=False)
    return ax


def _times_of(result: Any) -> Any:
    """Return the times of an evaluation's result."""
    if not hasattr(result, "joint_wrenches"):
        raise TypeError(
            f"`times` must be an evaluation's result if it is the only argument, got "
            f"{type(result).__name__}. Use plot_wrenches(times, wrenches)."
        )
    times = getattr(result, "times", None)
    if times is None:
        raise ValueError(
            "`result` must know its times. Use evaluate(..., times=times), evaluate(motion, ...) "
            "or plot_wrenches(times, result)."
        )
    if np.ndim(times) != 1:
        raise ValueError(
            f"`result` must have times of shape (samples,), got {np.shape(times)}, as after "
            "over_cycles(). Use for one cycle "
            "plot_wrenches(result.times[0], result.joint_wrenches[0])."
        )
    return times


def _add_coloured_paths(
    ax: Any, positions: np.ndarray, speeds: np.ndarray, cmap: str, label: str
) -> None:
    """Add one line collection per path and the colourbar that they share."""
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
    ax: "Axes", positions: np.ndarray, names: Sequence[str], coloured: bool
) -> "list[Line2D]":
    """Mark the first sample of each path; return what the legend shows."""
    handles: list[Line2D] = []
    paths = list(ax.lines)[-len(names) :]
    for index, (path, name) in enumerate(zip(positions, names, strict=True)):
        color = "black" if coloured else paths[index].get_color()
        style: dict[str, Any] = {
            "marker": MARKERS[index % len(MARKERS)],
            "color": color,
            "markerfacecolor": "white",
            "linestyle": "none" if coloured else "-",
            "zorder": 3,
        }
        handles += ax.plot(*path[:1].T, label=name, **style)
    return handles


def _add_components(ax: "Axes", times: np.ndarray, values: np.ndarray, letter: str) -> None:
    """Draw the x, y and z components of a force or moment over time."""
    ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    for (axis, color, style), component in zip(COMPONENTS, values.T, strict=True):
        label = f"${letter}_{axis}$"
        ax.plot(times, component, color=color, linestyle=style, linewidth=1.8, label=label)
    ax.grid(alpha=0.3)


def _add_bands(ax: "Axes", times: np.ndarray, values: np.ndarray, deviations: np.ndarray) -> None:
    """Draw two standard deviations to both sides of each component."""
    for (_, color, _), value, deviation in zip(COMPONENTS, values.T, deviations.T, strict=True):
        low, high = value - BAND * deviation, value + BAND * deviation
        ax.fill_between(times, low, high, color=color, alpha=0.25, linewidth=0, zorder=1)


def _deviations(given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the standard deviations of joint wrenches."""
    result = getattr(given, "standard_deviation", given)
    values = getattr(result, "joint_wrenches", result)
    deviations = _check_array("uncertainty", values, shape)
    if (deviations < 0).any():
        raise ValueError(
            f"`uncertainty` must not be negative, got {np.nanmin(deviations):g}. Use standard "
            "deviations."
        )
    return deviations


def _bracket(unit: str) -> str:
    """Return the unit as a divisor: products and quotients in brackets."""
    return f"({unit})" if set(unit) & set(" /*·") else unit


def _check_units(
    units: Mapping[str, str] | None, usual: Mapping[str, str] = SI_UNITS
) -> dict[str, str]:
    """Return the usual units with those that are given in their place."""
    if unknown := set(units or ()) - set(usual):
        names = sorted(map(str, unknown))
        raise ValueError(f"`units` must have keys among {sorted(usual)}, got {names}.")
    return {**usual, **(units or {})}


def _check_names(argument: str, names: Iterable[Any] | None, count: int, noun: str) -> list[str]:
    """Return ``count`` names; things with a name stand for it."""
    if names is None:
        return [f"{noun} {index}" for index in range(count)]
    if isinstance(names, str):
        raise TypeError(f"`{argument}` must be a sequence of names, got the string {names!r}.")
    texts = [str(getattr(name, "name", name)) for name in names]
    if len(texts) != count:
        raise ValueError(f"`{argument}` must have one name per {noun}, {count}, got {len(texts)}.")
    return texts


def _check_array(argument: str, value: Any, shape: tuple) -> np.ndarray:
    """Return an array of floats whose shape fits.

    Each entry of ``shape`` is a length, a tuple of possible lengths, or the
    name of what is counted along that axis, of which there must be at least one.
    """
    try:
        array = np.ma.filled(value, np.nan) if np.ma.isMaskedArray(value) else np.asarray(value)
        if array.dtype.kind not in "biuf":
            array = array.astype(float, casting="safe")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`{argument}` must be an array of real numbers, got {type(value).__name__}: {error}."
        ) from error
    fits = array.ndim == len(shape) and all(map(_length_fits, array.shape, shape))
    if not fits:
        wanted = ", ".join(map(_length_text, shape))
        raise ValueError(f"`{argument}` must have shape ({wanted}), got {array.shape}.")
    return array.astype(float)


def _length_text(wanted: int | str | tuple[int, ...]) -> str:
    return " or ".join(map(str, wanted)) if isinstance(wanted, tuple) else str(wanted)


def _length_fits(length: int, wanted: int | str | tuple[int, ...]) -> bool:
    if isinstance(wanted, str):
        return length > 0
    return length in wanted if isinstance(wanted, tuple) else length == wanted
