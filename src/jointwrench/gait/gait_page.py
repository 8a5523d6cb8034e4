"""The page of a gait report for a clinician (extra ``plot``)."""

from collections.abc import Iterator
from textwrap import fill
from typing import Any

import numpy as np

from ..checks.arguments import check_instance, enumerate_some
from ..checks.messages import import_extra
from ..drawing.axes import new_axes
from ..drawing.palette import SIDE_COLORS
from .anthropometry import SIDES
from .audit import OK, TrialAudit
from .clinical import PLANES
from .gait_figure import JOINTS, annotate_lines, draw_joint, known_curves
from .report import GaitReport

#: Rows of the page: kinds of curves and their planes; powers are sums over all planes.
ROWS = (*((kind, plane) for plane in PLANES for kind in ("angle", "moment")), ("power", PLANES[0]))

#: Columns of the page, as far as the report has curves of them.  The pelvis has no power: in this
#: row its column has the progression of the feet.
COLUMNS = ("pelvis", *JOINTS, "spine")
PROGRESSION = [("angle", PLANES[2])]

#: Size of A4 in inches, size of the font in points, letters in a line, and largest number of lines
#: about failed checks.
PAPER, POINTS, LETTERS, LINES = (8.27, 11.69), 6.5, 90, 12

UNITS = {
    **{"speed": "m/s", "dimensionless_speed": "", "cadence": "steps/min", "step_length": "m"},
    **{"stride_length": "m", "stance_time": "s", "stride_time": "s"},
    "gait_profile_score": "degrees",
}


def plot_gait_page(report: GaitReport, date: str = "") -> np.ndarray:
    """Draw a report on one page of A4, for a PDF file.

    The upper part has the person, the settings of the report, speed, cadence, lengths and events of
    each side, the gait profile score if the report has normal curves for it, failed checks of the
    trials, and a plan of the floor with plates, feet in mid stance (a dot is the heel), and centers
    of pressure.  The lower part has angles and moments of hip, knee and ankle in all three planes,
    powers, and angles of pelvis, feet (progression) and trunk, as in `plot_gait_report`.

    Parameters
    ==========

    report : GaitReport
        The report of `gait_report`.
    date : str
        The date of the trial; C3D files do not have it.

    Returns
    =======

    numpy array of matplotlib Axes, shape (rows, columns)
        The first row has text and plan; columns without curves in the report are absent.

    Raises
    ======

    TypeError
        If ``report`` is not a GaitReport, or the date not a text.

    See Also
    ========

    plot_gait_report : Draws one plane, larger.

    Examples
    ========

    >>> import jointwrench as jw
    >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
    >>> axes = jw.gait.plot_gait_page(report)
    >>> axes.shape
    (8, 4)
    >>> axes[0, 0].figure.savefig("walk.pdf")  # doctest: +SKIP
    """
    check_instance("report", report, GaitReport, "a GaitReport", "Use gait_report(...).")
    check_instance("date", date, str, "a text", "Use date='2026-11-28'.")
    with import_extra("matplotlib", "A picture", "plot").rc_context({"font.size": POINTS}):
        return _draw_page(report, date)


def _draw_page(report: GaitReport, date: str) -> np.ndarray:
    """Draw the page of a report and return its Axes, shape (rows, columns)."""
    has_plates = any(n.startswith(JOINTS) and n.endswith("_moment") for n in known_curves(report))
    joints = [x for x in COLUMNS if any(n.startswith(x) for n in report.curves)] or [*JOINTS]
    shown = {"angle": True, "moment": has_plates, "power": has_plates or "pelvis" in joints}
    rows = [(kind, plane) for kind, plane in ROWS if shown[kind]]
    ratios = [2.0] + [1.0] * len(rows)
    options: Any = {"figsize": PAPER, "height_ratios": ratios, "squeeze": False}
    grid = new_axes(1 + len(rows), len(joints), **options)
    for ax in grid[0, :-1]:
        ax.set_axis_off()
    floor = grid[0, -1]
    for audit in report.audits:
        _draw_plan(floor, audit)
    floor.set_title("floor from above / m", loc="left", fontsize="medium")
    floor.set_aspect("equal", adjustable="datalim")
    floor.set_visible(floor.has_data())
    style: Any = {"family": "monospace", "va": "top", "parse_math": False, "in_layout": False}
    text = "\n".join(_write_lines(report, date))
    grid[0, 0].text(0, 1, text, transform=grid[0, 0].transAxes, **style)
    for column, joint in zip(grid[1:].T, joints, strict=True):
        draw_joint(column, report, joint, rows)
        if joint == "pelvis":
            draw_joint(column[-1:], report, "foot", PROGRESSION)
            column[-1].set_title("foot progression", loc="left", fontsize="medium")
        column[0].set_title(joint, loc="left", fontsize="medium", fontweight="bold")
        for ax in column:
            ax.set(xlim=(0, 100), ylabel=ax.get_ylabel().replace(" / ", "\n"))
            ax.set_visible(bool(ax.get_ylabel()))
        column[-1].set_xlabel(f"{report.normalised_to} / %")
    annotate_lines(grid[1:], report, ncols=2)
    return grid


def _write_lines(report: GaitReport, date: str) -> Iterator[str]:
    """Yield the lines of the page's text."""
    words = [report.person or "person without a name", f"{report.mass:.1f} kg", date]
    yield ", ".join(filter(None, words))
    if report.details:
        yield ", ".join(f"{name} {text}" for name, text in report.details.items())
    yield f"{'':<28}{'left':>12}{'right':>12}"
    found = report.parameters()
    for name, unit in UNITS.items():
        values = [found.get(f"{name}_{side}", (np.nan,))[0] for side in SIDES]
        if np.isfinite(values).any():
            title = ", ".join(filter(None, [name.replace("_", " "), unit]))
            cells = "".join(f"{x:12.{0 if name == 'cadence' else 2}f}" for x in values)
            yield f"{title:<28}{cells}".replace("nan", "  -")
    for side in SIDES:
        own = report.of_side(side)
        times = ("-".join(f"{t:.2f}" for t in c[2:5] if np.isfinite(t)) for c in own)
        strikes = f"strike-off-strike at {enumerate_some(times, 3)} s" if own else "none"
        yield f"{side}: {strikes}"
    verdicts: dict[str, list[int]] = {}
    for audit in report.audits:
        failed = (check for check in audit.checks if check.verdict != OK)
        texts = [f"{check.name}: {check.found} ({check.verdict})" for check in failed]
        for text in texts or ["all checks passed"]:
            verdicts.setdefault(text, []).append(audit.trial + 1)
    lines = [f"trial {enumerate_some(numbers)}: {text}" for text, numbers in verdicts.items()]
    yield from (fill(line, LETTERS, subsequent_indent="  ") for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"and {len(lines) - LINES} more: report.audits"


def _draw_plan(ax: Any, audit: TrialAudit) -> None:
    """Draw plates, feet in mid stance and centers of pressure from above; a dot is a heel."""
    for corners in audit.plan.get("plates", ()):
        ax.fill(*corners.T, facecolor="none", edgecolor="0.5", linewidth=0.8)
    for side, color in SIDE_COLORS.items():
        for foot in audit.plan.get(side, ()):
            ax.plot(*foot.T, color=color, alpha=0.4, linewidth=4, marker="o", markevery=[0])
        for path in audit.plan.get(f"{side}_pressure", ()):
            ax.plot(*path.T, color=color)
