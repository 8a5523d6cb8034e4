"""The audit of a trial as a figure (extra ``plot``)."""

from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..drawing.axes import axes_of_shape
from ..drawing.palette import CYCLE, LINES, PALE, SIDE_COLORS
from .audit import OK, TrialAudit


def plot_audit(audit: TrialAudit, *, axes: Any = None) -> np.ndarray:
    """Draw gaps of markers, lengths of segments, and loads of plates over a trial.

    The title lists failed checks.

    Parameters
    ==========

    audit : TrialAudit
        One of ``report.audits``.
    axes : array of matplotlib Axes, shape (3, 1), optional
        Axes to draw in.  Default: a new figure.

    Returns
    =======

    numpy array of matplotlib Axes, shape (3, 1)

    Raises
    ======

    TypeError
        If ``audit`` is not a TrialAudit.

    See Also
    ========

    gait_report : Makes audits.

    Examples
    ========

    >>> import jointwrench as jw
    >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
    >>> axes = jw.gait.plot_audit(report.audits[0])
    >>> axes[2, 0].get_ylabel()
    'load / weight'
    """
    check_instance("audit", audit, TrialAudit, "a TrialAudit", "Use gait_report(...).audits.")
    grid = axes_of_shape(axes, 3, 1, sharex=True, figsize=(9, 8))
    gaps, lengths, loads = grid[:, 0]
    for row, spans in enumerate(audit.gaps.values()):
        gaps.broken_barh([(a, b - a) for a, b in spans], (row - 0.35, 0.7), color=CYCLE[1])
    gaps.set_yticks(range(len(audit.gaps)), list(audit.gaps))
    gaps.set_ylabel("gaps of markers" if audit.gaps else "no gaps of markers")
    for name, values in audit.lengths.items():
        part, _, side = name.rpartition("_")
        number = sorted({n.rpartition("_")[0] for n in audit.lengths}).index(part)
        style = {"color": SIDE_COLORS[side], "linestyle": LINES[number]}
        label = f"{part} {side}, {np.median(values):.3f} m"
        lengths.plot(audit.times, 100 * (values / np.median(values) - 1), label=label, **style)
    lengths.set_ylabel("length - median / %")
    lengths.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    for side, load in audit.loads.items():
        loads.plot(audit.times, load, color=SIDE_COLORS[side], label=side)
    loads.axhline(1, color=PALE, linewidth=0.8, zorder=0)
    loads.set(xlabel="time / s", ylabel="load / weight")
    loads.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    gaps.set_title(verdict_of(audit), loc="left", fontsize="medium")
    return grid


def verdict_of(audit: TrialAudit) -> str:
    """Return the failed checks of a trial, a line for each."""
    wrong = [f"{c.name}: {c.found} ({c.verdict})" for c in audit.checks if c.verdict != OK]
    return "\n".join(wrong) or "all checks passed"


def draw_plan(ax: Any, audit: TrialAudit) -> None:
    """Draw plates, feet in mid stance, a dot at each heel, and centers of pressure from above."""
    for corners in audit.plan.get("plates", ()):
        ax.fill(*corners.T, facecolor="none", edgecolor="0.5", linewidth=0.8)
    for side, color in SIDE_COLORS.items():
        for foot in audit.plan.get(side, ()):
            ax.plot(*foot.T, color=color, alpha=0.4, linewidth=4, marker="o", markevery=[0])
        for path in audit.plan.get(f"{side}_pressure", ()):
            ax.plot(*path.T, color=color)
