"""Clinical plots of angles, moments and powers of a person's joints."""

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import check_instance
from ..drawing.axes import add_zero, axes_of_shape, set_scales
from ..drawing.labels import bracket
from ..drawing.palette import CYCLE
from ..records.laboratory import check_axis_units
from .clinical import ClinicalCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("angle", "moment", "power")

#: The text that explains moments.
MEANING = "Moments are internal: on the distal segment, by the proximal, about the joint"

#: Width in inches of this text and of the legend's text.
TEXT_WIDTH = 6.5

UNITS = {"time": "s", "angle": "°", "moment": "N m", "power": "W"}


def draw_curves(
    curves: ClinicalCurves,
    plane: str,
    joints: Sequence[str],
    axes: Any,
    label: str | None = None,
    units: Mapping[str, str] | None = None,
    **style: Any,
) -> np.ndarray:
    """Draw curves over time, or over each cycle, and return the Axes, shape (3, joints)."""
    if curves.times is None:
        raise ValueError(
            "`curves` must know their times. Use evaluate(..., times=times) for their result."
        )
    known = check_axis_units(units, UNITS)
    check_instance("label", label, (str, NoneType), "a str")
    is_cycle = curves.times.ndim > 1
    x = np.linspace(0, 100, curves.times.shape[-1]) if is_cycle else curves.times
    size = (max(1.5 + 3.2 * len(joints), TEXT_WIDTH), 9)
    is_new = axes is None
    axes = axes_of_shape(axes, len(KINDS), len(joints), sharex=True, figsize=size)
    for column, joint in zip(axes.T, joints, strict=True):
        style_of_title = {"loc": "left", "fontsize": "medium", "fontweight": "bold"}
        column[0].set_title(joint.replace("_", " "), **style_of_title)
        names = curves.of_joint(joint, plane)
        for ax, kind in zip(column, KINDS, strict=True):
            if kind in names:
                ax.set_ylabel(label_of(names[kind], joint, kind, known[kind]))
                _draw(ax, x, np.atleast_2d(curves[names[kind]]), label, style)
            if is_new:
                add_zero(ax, widens=kind != "angle")
        column[-1].set_xlabel("cycle / %" if is_cycle else f"time / {bracket(known['time'])}")
    for row in axes if is_new else ():
        set_scales(row)
    if is_new and any("moment" in curves.of_joint(joint) for joint in joints):
        annotate_moments(axes)
    handles, _ = axes[0, 0].get_legend_handles_labels()
    if label is not None or len(handles) > 1:
        figure: Any = axes[0, 0].figure
        for legend in list(figure.legends):  # the new legend contains the old entries
            legend.remove()
        figure.legend(handles=handles, loc="outside upper left", ncols=6, frameon=False)
    return axes


def annotate_moments(axes: np.ndarray) -> None:
    """Write below a figure on which segment its moments act."""
    axes[0, 0].figure.supxlabel(MEANING, x=0.01, ha="left", fontsize="medium")


def label_of(name: str, joint: str, kind: str, unit: str) -> str:
    """Return the axis label of a curve; a power is the sum over all axes."""
    text = "total power" if kind == "power" else name.removeprefix(f"{joint}_").replace("_", " ")
    return f"{text} / {bracket(unit)}"


def _draw(
    ax: "Axes", x: np.ndarray, rows: np.ndarray, label: str | None, style: dict[str, Any]
) -> None:
    """Draw the rows of an array (cycles, samples) in one Axes, with a label for each cycle."""
    for number, row in enumerate(rows):
        text = f"cycle {number + 1}" if label is None else label * (number == 0)
        options = {"color": CYCLE[number % len(CYCLE)], "label": text or None} | style
        ax.plot(x, row, **options)
