"""The figure of a gait report: joints of both sides (extra ``plot``)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import (
    check_choice,
    check_instance,
    check_options,
    check_sequence,
    enumerate_some,
)
from ..drawing.axes import add_zero, axes_of_shape
from ..drawing.palette import SIDE_COLORS
from .anthropometry import SIDES
from .clinical import PLANES, ClinicalCurves
from .clinical_plots import TEXT_WIDTH, annotate_moments, draw_curves, label_of
from .report import PERCENT, GaitReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JOINTS = ("hip", "knee", "ankle")

NORMAL = "normal, ± 1 standard deviation"

UNITS = {"angle": "°", "moment": "N m/kg", "power": "W/kg"}


def plot_gait_report(
    report: GaitReport | ClinicalCurves,
    *,
    plane: str = "sagittal",
    joints: Sequence[str] | None = None,
    axes: Any = None,
    **style: Any,
) -> np.ndarray:
    """Draw angles, moments and powers of joints: left and right over the cycle, or single curves.

    Lines are means over cycles; bands are one standard deviation of the cycles; dashed lines are
    one standard deviation of the mean due to stated errors; vertical lines are the ends of stance;
    normal curves are grey.  Rows are angles, moments and powers (sums over all axes), columns are
    joints.

    Parameters
    ==========

    report : GaitReport or ClinicalCurves
        The report of `gait_report`; or curves of `clinical_curves`, which are drawn over time or,
        after ``result.over_cycles(strikes)``, over each cycle.  Labels name the positive direction.
    plane : {"sagittal", "frontal", "transverse"}
        The plane of angles and moments; for shoulders "sagittal" is the plane of elevation,
        "frontal" the elevation.
    joints : sequence of str
        Among "pelvis", "thorax", "spine", "hip", "knee", "ankle", "foot" (its progression),
        "clavicle", "shoulder", "elbow" and "wrist", as far as the report has them.  Default: hip,
        knee and ankle of a report, all joints of curves.
    axes : array of matplotlib Axes, shape (3, joints), optional
        Axes to draw in, for instance the result of a previous call.  Default: a new figure.
    **style : object
        Options for curves: ``label``, their name in the legend (default: the number of each cycle);
        ``units``, texts in place of s, °, N m and W: ``{"moment": "N m/kg", "power": "W/kg"}``; and
        options of matplotlib's lines.

    Raises
    ======

    TypeError, ValueError
        If ``report`` has another type, the plane is unknown, the report does not have a joint, or
        there is a style for a report; if the times of curves are unknown.

    See Also
    ========

    gait_report, clinical_curves : Return a report, or curves.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> cycle = jw.gait.GaitCycle(0, "left", 0.0, 0.62, 1.0, 0.6, 1.2, True)
    >>> report = jw.gait.GaitReport((cycle,), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
    >>> jw.gait.plot_gait_report(report)[0, 0].figure.savefig("walk.pdf")  # doctest: +SKIP
    """
    kinds, fix = (GaitReport, ClinicalCurves), "Use gait_report(...) or clinical_curves(...)."
    check_instance("report", report, kinds, "a GaitReport or ClinicalCurves", fix)
    check_choice("plane", plane, PLANES)
    usual = report.joints if isinstance(report, ClinicalCurves) else JOINTS
    shown = check_sequence("joints", usual if joints is None else joints, "a sequence of joints")
    if isinstance(report, ClinicalCurves):
        for joint in shown:
            check_choice("joints", joint, usual)
        return draw_curves(report, plane, shown, axes, **style)
    check_options(plot_gait_report, style, ())
    cut = (name.partition(f"_{side}_") for name in report.curves for side in SIDES)
    known = tuple(dict.fromkeys([*JOINTS, *(joint for joint, side, _ in cut if side)]))
    for joint in shown or [None]:
        check_choice("joints", joint, known)
    size = (max(2 + 3 * len(shown), TEXT_WIDTH), 9)
    grid = axes_of_shape(axes, len(UNITS), len(shown), sharex=True, figsize=size)
    for column, joint in zip(grid.T, shown, strict=True):
        column[0].set_title(joint, loc="left", fontsize="medium", fontweight="bold")
        draw_joint(column, report, joint, [(kind, plane) for kind in UNITS])
        used = [ax for ax in column if ax.get_ylabel()] or [column[0]]
        for ax in column:  # without plates, and for pelvis and thorax, there are only angles
            ax.set_visible(ax in used)
        used[-1].set(xlabel=f"{report.normalised_to} / %", xlim=(0, 100))
        used[-1].tick_params(labelbottom=True)
    annotate_lines(grid, report, ncols=1 + (len(shown) > 2))
    return grid


def known_curves(report: GaitReport) -> dict[str, np.ndarray]:
    """Return the curves that at least one cycle has; moments need plates."""
    return {name: rows for name, rows in report.curves.items() if np.isfinite(rows).any()}


def draw_joint(
    column: Sequence["Axes"], report: GaitReport, joint: str, rows: Iterable[tuple[str, str]]
) -> None:
    """Draw a joint of both sides; ``rows`` has the kind of curve and the plane for each Axes."""
    known = ClinicalCurves(known_curves(report), None)
    for ax, (kind, plane) in zip(column, rows, strict=True):
        own = [known.of_joint(f"{joint}_{side}", plane).get(kind) for side in SIDES]
        for name, (side, color) in zip(own, SIDE_COLORS.items(), strict=True):
            if name is not None:
                if pair := report.normal_of(name):
                    _add_normal(ax, *pair)
                _draw(ax, report, name, side, color)
                ax.set_ylabel(label_of(name, f"{joint}_{side}", kind, UNITS[kind]))
        add_zero(ax, widens=kind != "angle")


def annotate_lines(grid: np.ndarray, report: GaitReport, ncols: int) -> None:
    """Add the legend of lines and the note on moments to a figure."""
    if any(name.endswith("_moment") for name in known_curves(report)):
        annotate_moments(grid)
    drawn: dict[str, Any] = {}  # each label once; labels of the sides only from the first Axes
    for ax in grid.flat:
        for line, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if ax is grid[0, 0] or not label.startswith(SIDES):
                drawn.setdefault(label, line)
    style: Any = {"loc": "outside upper left", "ncols": ncols, "frameon": False}
    grid[0, 0].figure.legend([*drawn.values()], [*drawn], **style)


def _add_normal(ax: "Axes", mean: np.ndarray, spread: np.ndarray) -> None:
    """Draw a band of normal curves behind the curves, unless the Axes has one."""
    if NORMAL not in ax.get_legend_handles_labels()[1]:
        style: Any = {"color": "0.5", "alpha": 0.3, "linewidth": 0, "zorder": 0.5}
        ax.fill_between(PERCENT, mean - spread, mean + spread, label=NORMAL, **style)


def _draw(ax: "Axes", report: GaitReport, name: str, side: str, color: Any) -> None:
    """Draw mean, standard deviation, errors and end of stance of one curve."""
    mean, spread = report.mean(name), report.deviation(name)
    known = np.isfinite(report.curves[name]).all(axis=1)
    cycles = [c for c, here in zip(report.of_side(side), known, strict=True) if here]
    label = f"{side}, {len(cycles)} cycle{'s' * (len(cycles) != 1)}"
    on_plates = sum(cycle.on_plate for cycle in cycles)
    label += f" (moments: n = {on_plates})" * (0 < on_plates < len(cycles))
    ax.plot(PERCENT, mean, color=color, label=label)
    ax.fill_between(PERCENT, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    stances = [100 * (c.off - c.start) / (c.end - c.start) for c in cycles]
    if name in report.errors:
        error, kinds = report.error(name), [*report.errors[name]]
        text = f"± 1 standard deviation by {enumerate_some(kinds)}".replace("_", " ")
        style: Any = {"color": color, "linewidth": 0.8, "linestyle": "--"}
        ax.plot(PERCENT, mean - error, label=text, **style)
        ax.plot(PERCENT, mean + error, **style)
    if np.isfinite(stances).any():
        ax.axvline(float(np.nanmean(stances)), color=color, linewidth=0.8, linestyle=":")
