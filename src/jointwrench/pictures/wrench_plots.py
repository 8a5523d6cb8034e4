"""Joint wrenches over time (extra ``plot``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy.physics.vector import ReferenceFrame

from ..checks.arguments import check_sequence
from ..drawing.axes import ROUNDING, ZERO, add_zero, axes_of_shape, set_scales, write_instead
from ..drawing.labels import bracket, check_array, check_names, place_of, typeset
from ..drawing.palette import COMPONENTS, LINES
from ..extend import body_frame
from ..records.laboratory import check_axis_units
from ..records.wrench_components import COMPONENTS as NAMES
from ..records.wrench_components import check_components
from .figure_lines import chosen

#: Half the width of a band, in standard deviations.
BAND = 2

KINDS = {"f": "force", "m": "moment"}

#: Distance (points) of a title from the Axes if a legend is below it.
ABOVE_LEGEND = 25


def plot_wrenches(
    times: Any,
    wrenches: Any = None,
    *,
    joints: Iterable[Any] | None = None,
    frame: ReferenceFrame | None = None,
    components: Any = None,
    axes: Any = None,
    units: Mapping[str, str] | None = None,
    uncertainty: Any = None,
) -> np.ndarray:
    """Draw joint wrenches over time: one row per joint, forces left, moments right.

    The wrenches of a result act on the child body, by the parent, about the joint's child point, in
    the child body's frame or a given one, as the titles say.  Zero components are omitted; what is
    undetermined, and what is zero throughout, is written instead.

    Parameters
    ==========

    times : array, shape (samples,), or an evaluation's result
        Instants of the samples; for a result with times use ``plot_wrenches(result)``.
    wrenches : array, shape (samples, joints, 6), or an evaluation's result
        Components in the order [fx fy fz mx my mz]; for a result its ``joint_wrenches``.
    joints : iterable of str or sympy joints, optional
        Those of a result that are drawn, in this order; or one new name per joint.  Default: all
        joints of the result, or "joint 0", ...
    frame : ReferenceFrame, optional
        The frame of the components, for a result.  Default: each child body's.
    components : str or sequence of str, optional
        Components to draw, also if zero.  Default: nonzero ones.
    axes : array of matplotlib Axes, shape (joints, 2), optional
        Axes to draw in; one column if ``components`` has only forces or only moments.  Default: a
        new figure with a common time axis.
    units : mapping, optional
        Texts for "time", "force" and "moment" in place of "s", "N", "N m".
    uncertainty : Uncertainty, Result or array, shape (samples, joints, 6), optional
        The result of `jointwrench.propagation.uncertainty`, or standard deviations, in the child's
        frame: bands of two of them on both sides.

    Raises
    ======

    TypeError, ValueError
        If entries are not real, shapes do not fit each other or the Axes, a unit or component is
        unknown, a standard deviation is negative or for another frame, another frame is requested
        without a result, or times are not known or over cycles.

    See Also
    ========

    plot_contributions : Their causes.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> times = np.linspace(0, 1, 20)
    >>> wrenches = np.sin(times)[:, None, None] * np.ones((1, 2, 6))
    >>> axes = jw.pictures.plot_wrenches(times, wrenches, joints=["hip", "knee"])
    >>> axes[1, 0].get_ylabel()
    'knee\\nforce / N'
    >>> axes[1, 1].get_ylabel()
    'moment / (N m)'
    """
    result = times if wrenches is None else wrenches
    if wrenches is None:
        if not hasattr(times, "joint_wrenches"):
            raise TypeError(
                f"`times` must be an evaluation's result if it is the only argument, got "
                f"{type(times).__name__}. Use plot_wrenches(times, wrenches)."
            )
        times = times_of(times)
    known = getattr(result, "joints", None) or ()
    times = check_array("times", times, ("samples",))
    wrenches = _expressed(result, known, frame)
    wrenches = check_array("wrenches", wrenches, (len(times), "joints", 6))
    rows, names = _chosen(joints, known, wrenches.shape[1])
    known_units = check_axis_units(units)
    chosen = NAMES if components is None else check_components(components)
    kinds = [kind for kind in KINDS if any(name[0] == kind for name in chosen)]
    widths = _deviations(uncertainty, wrenches.shape, frame)[:, rows]
    wrenches, known, count = wrenches[:, rows], [known[k] for k in rows if known], len(rows)
    rounding = ROUNDING * np.nan_to_num(np.abs(wrenches)).max(initial=0)
    size = (5 * len(kinds), 1.2 + 2.0 * count)
    axes = axes_of_shape(axes, count, len(kinds), sharex=True, figsize=size)
    for column, kind in zip(axes.T, kinds, strict=True):
        is_empty = not any(ax.has_data() for ax in column)
        part = slice(0, 3) if kind == "f" else slice(3, 6)
        values, bands = wrenches[..., part], widths[..., part]
        wanted = [kind + axis in chosen for axis in COMPONENTS]
        sizes = np.nan_to_num(np.abs(values) + bands).max(axis=0, initial=0)
        is_large = sizes > max(ZERO * sizes.max(), rounding)  # nonzero at some instant
        shown = wanted & (is_large | (components is not None))
        missing = [name_undetermined(kind, x) for x in np.moveaxis(np.isnan(values), 1, 0)]
        _draw_column(column, kind, times, values, bands, shown)
        for ax, is_shown, words in zip(column, shown.any(axis=-1), missing, strict=True):
            if not is_shown and components is None:
                write_instead(ax, f"{words}\n(the others are zero)" if words else "zero")
        if is_empty:
            set_scales(column)
        for ax in column:
            ax.set_ylabel(f"{KINDS[kind]} / {bracket(known_units[KINDS[kind]])}")
        column[-1].set_xlabel(f"time / {bracket(known_units['time'])}")
        for k, (ax, words) in enumerate(zip(column, missing, strict=True)):
            parts = [title_of(kind, known[k])] if known else []
            parts += [frame_text(known, frame)] if known and ax is axes[0, 0] else []
            parts += [words] if words and shown[k].any() else []
            pad = ABOVE_LEGEND if ax is column[0] else 4
            ax.set_title(",\n".join(parts), loc="left", fontsize="medium", pad=pad)
    for ax, name in zip(axes[:, 0], names, strict=True):
        ax.set_ylabel(f"{name}\n{ax.get_ylabel()}")
    axes[0, 0].figure.align_ylabels(axes)
    return axes


def _chosen(joints: Any, known: Sequence[Any], count: int) -> tuple[list[int], list[str]]:
    """Return the rows of the drawn joints, and their old or new names."""
    if joints is None or not known or isinstance(joints, str | set | frozenset):
        names = (known or None) if joints is None else joints
        return [*range(count)], check_names("joints", names, count, "joint")
    items = check_sequence("joints", joints, "a sequence of names", may_be_empty=False)
    names = {joint.name for joint in known}
    if len(items) == count and all(isinstance(x, str) and x not in names for x in items):
        return [*range(count)], check_names("joints", items, count, "joint")
    rows = chosen(known, items)
    return rows, check_names("joints", [known[k] for k in rows], len(rows), "joint")


def times_of(result: Any) -> Any:
    """Return the times of an evaluation's result."""
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


def _expressed(result: Any, joints: Iterable[Any], frame: ReferenceFrame | None) -> Any:
    """Return the wrenches of all joints in a frame."""
    if frame is None:
        return getattr(result, "joint_wrenches", result)
    if not hasattr(result, "joint_wrench"):
        raise TypeError(
            f"`wrenches` must be an evaluation's result for another `frame`, got "
            f"{type(result).__name__}. Use plot_wrenches(result, frame=frame)."
        )
    return np.stack([result.joint_wrench(joint, frame=frame) for joint in joints], axis=-2)


def title_of(kind: str, joint: Any) -> str:
    """Return child, parent and point of a wrench as text, if they are known."""
    if not hasattr(joint, "parent"):  # a name after pickling
        return f"{KINDS[kind]} on the child, by the parent"
    about = f",\nabout {place_of(joint)}" if kind == "m" else ""
    return f"{KINDS[kind]} on {typeset(joint.child)}, by {typeset(joint.parent)}{about}"


def frame_text(joints: Sequence[Any], frame: ReferenceFrame | None) -> str:
    """Return the name of the frame of all components in a figure, as text."""
    if frame is None and len(joints) == 1 and hasattr(joints[0], "child_interframe"):
        frame = body_frame(joints[0].child, joints[0].child_interframe)
    return "in each child's frame" if frame is None else f"in frame {typeset(frame)}"


def name_undetermined(kind: str, is_missing: np.ndarray) -> str:
    """Return a text that names the undetermined components of a force or a moment, or none."""
    names = [f"${kind}_{x}$" for x, own in zip(COMPONENTS, is_missing.T, strict=True) if own.all()]
    return f"undetermined: {', '.join(names)}" if names else ""


def _draw_column(
    column: np.ndarray,
    kind: str,
    times: np.ndarray,
    values: np.ndarray,
    bands: np.ndarray,
    shown: np.ndarray,
) -> None:
    """Draw the components of forces or moments, with a row for each joint."""
    anywhere = [k for k in range(3) if shown[:, k].any()]
    handles = {}
    for row, ax in enumerate(column):
        add_zero(ax)
        for k, line in zip(anywhere, LINES, strict=False):
            if shown[row, k]:
                axis, curve, band = "xyz"[k], values[:, row, k], BAND * bands[:, row, k]
                style: dict[str, Any] = {"color": COMPONENTS[axis], "label": f"${kind}_{axis}$"}
                (handles[k],) = ax.plot(times, curve, linewidth=1.8, linestyle=line, **style)
                if band.any():
                    style = {"color": COMPONENTS[axis], "alpha": 0.25, "linewidth": 0, "zorder": 1}
                    ax.fill_between(times, curve - band, curve + band, **style)
    drawn: list[Any] = [handles[k] for k in sorted(handles)]
    if bands.any():
        label = f"± {BAND} standard deviations"
        drawn.append(column[0].fill_between([], [], color="0.75", label=label))
    position: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0}
    column[0].legend(handles=drawn, ncols=4, frameon=False, **position)


def _deviations(
    uncertainty: Any, shape: tuple[int, ...], frame: ReferenceFrame | None
) -> np.ndarray:
    """Return the standard deviations of joint wrenches, zero if there are none."""
    if uncertainty is None:
        return np.zeros(shape)
    if frame is not None:
        raise ValueError(
            "`uncertainty` must not be given with `frame`: it is that of components in each "
            "child's frame. Use plot_wrenches(result, uncertainty=uncertainty)."
        )
    result = getattr(uncertainty, "standard_deviation", uncertainty)
    values = getattr(result, "joint_wrenches", result)
    deviations = check_array("uncertainty", values, shape)
    if (deviations < 0).any():
        raise ValueError(
            f"`uncertainty` must not be negative, got {np.nanmin(deviations):g}. Use standard "
            "deviations."
        )
    return deviations
