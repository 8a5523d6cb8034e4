"""Contributions to a joint wrench over time (extra ``plot``)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Result
from ..checks.arguments import check_instance
from ..drawing.axes import ZERO, add_zero, axes_of_shape, write_instead
from ..drawing.labels import bracket
from ..drawing.palette import BLACK, CYCLE
from ..records.laboratory import check_axis_units
from ..records.wrench_components import COMPONENTS, check_components
from .wrench_plots import ABOVE_LEGEND, KINDS, frame_text, times_of, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Labels of parts whose name alone is not clear.
TEXTS = {"joints": "other joints"}


def plot_contributions(
    result: Any,
    joint: Any,
    components: Any = None,
    *,
    axes: Any = None,
    units: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Draw the contributions to a joint wrench: stacked parts, and their sum as a line.

    Positive parts are stacked upwards from zero, negative ones downwards.  The line is the joint
    wrench, on the child, by the parent, about the child point, in the child's frame.
    `Result.joint_contributions` explains the parts: "joints" is that of the child's other joints.

    Parameters
    ==========

    result : Result
        With the output "contributions", and with times.
    joint : Joint or str
        The joint or its name.
    components : str or sequence of str, optional
        Components to draw, among fx, fy, fz, mx, my, mz.  Default: nonzero ones.
    axes : array of matplotlib Axes, shape (components, 1), optional
        Axes to draw in.  Default: a new figure with a common time axis.
    units : mapping, optional
        As for `plot_wrenches`.

    Raises
    ======

    TypeError, AttributeError, ValueError
        If ``result`` is not a Result, "contributions" was not compiled, the times are not known, a
        component or unit is unknown, or the joint is not in the tree.

    See Also
    ========

    Result.joint_contributions : The numbers.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    >>> times = np.linspace(0, 1, 50)
    >>> motion = jw.Trajectory.from_samples(times, np.stack([np.sin(times), times], -1))
    >>> numbers = dict.fromkeys(idyn.constants, 1.0)
    >>> result = idyn.compile("contributions", backend="numpy")(motion, constants=numbers)
    >>> axes = jw.pictures.plot_contributions(result, "S_0", "mz")
    >>> [text.get_text() for text in axes[0, 0].get_legend().get_texts()]
    ['gravity', 'acceleration', 'other joints', 'sum']
    """
    check_instance("result", result, Result, "an evaluation's result")
    times, known = times_of(result), check_axis_units(units)
    parts = result.joint_contributions(joint)
    stack = np.stack([*parts.values()])  # (parts, samples, 6)
    sizes = np.nan_to_num(np.abs(stack)).max(axis=(0, 1))
    limits = ZERO * np.repeat(sizes.reshape(2, 3).max(axis=1), 3)
    found = [name for name, is_shown in zip(COMPONENTS, sizes > limits, strict=True) if is_shown]
    names = found or [*COMPONENTS] if components is None else check_components(components)
    size = (7, 1.5 + 2.2 * len(names))
    axes = axes_of_shape(axes, len(names), 1, sharex=True, figsize=size)
    own = result.joints[result._index(joint)]
    titles = {"f": title_of("f", own), "m": title_of("m", own)}
    titles[names[0][0]] += f",\n{frame_text([own], None)}"
    for ax, name in zip(axes[:, 0], names, strict=True):
        k = COMPONENTS.index(name)
        _draw_stack(ax, times, dict(zip(parts, stack[..., k], strict=True)), limits[k])
        if components is None and name not in found:
            write_instead(ax, "zero")
        ax.set_ylabel(f"${name[0]}_{name[1]}$ / {bracket(known[KINDS[name[0]]])}")
        ax.set_title(titles.pop(name[0], ""), loc="left", fontsize="medium")
    axes[-1, 0].set_xlabel(f"time / {bracket(known['time'])}")
    _add_legend(axes)
    return axes


def _draw_stack(
    ax: "Axes", times: np.ndarray, parts: Mapping[str, np.ndarray], limit: float
) -> None:
    """Draw stacked parts above and below zero, and their sum."""
    add_zero(ax)
    top, bottom = np.zeros_like(times), np.zeros_like(times)
    for color, (name, values) in zip(CYCLE, parts.items(), strict=False):
        if np.nan_to_num(np.abs(values)).max() > limit:
            higher, lower = top + np.maximum(values, 0), bottom + np.minimum(values, 0)
            style: dict[str, Any] = {"color": color, "alpha": 0.75, "linewidth": 0}
            ax.fill_between(times, top, higher, label=TEXTS.get(name, name), **style)
            ax.fill_between(times, bottom, lower, **style)
            top, bottom = higher, lower
    ax.plot(times, sum(parts.values()), color=BLACK, linewidth=1.8, label="sum")


def _add_legend(axes: np.ndarray) -> None:
    """Name all parts above the uppermost Axes, below its title."""
    pairs = [ax.get_legend_handles_labels() for ax in axes.flat]
    named = {label: handle for pair in pairs for handle, label in zip(*pair, strict=True)}
    named["sum"] = named.pop("sum")
    position: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0}
    ax = axes[0, 0]
    position |= {"ncols": 5, "columnspacing": 1.2}
    ax.legend(named.values(), named, frameon=False, **position)
    pad = ABOVE_LEGEND * (1 if len(named) < 6 else 1.6)
    ax.set_title(ax.get_title("left"), loc="left", fontsize="medium", pad=pad)
