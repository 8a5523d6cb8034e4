"""The changes that reduce a residual, and the residual (extra ``plot``)."""

from textwrap import wrap
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..drawing.axes import add_zero, axes_of_shape
from ..drawing.palette import BLACK, BLUE, PALE, VERMILION
from .residual_reduction import ResidualReduction

#: The number of drawn changes, the largest ones.
MOST = 15

#: Letters in a line of the title.
WIDTH = 95


def plot_residual_reduction(reduction: ResidualReduction, *, axes: Any = None) -> np.ndarray:
    """Draw the residual before and after over time, and below it the changes.

    Bands are two standard deviations of the tolerance; bars with lines are the largest fifteen
    changes with their uncertainty, in the stated standard deviations.  The title lists problems.

    Parameters
    ==========

    reduction : ResidualReduction
        The reduction of `reduce_residual`.
    axes : array of matplotlib Axes, shape (number of names + 1, 1), optional
        Axes to draw in.  Default: a new figure.

    Returns
    =======

    numpy array of matplotlib Axes, shape (number of names + 1, 1)

    Raises
    ======

    TypeError
        If ``reduction`` is not a ResidualReduction.

    See Also
    ========

    reduce_residual : Makes it.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> person = jw.gait.planar_body(1.75, 70.0)
    >>> idyn, still = jw.InverseDynamics(person.system), np.zeros((5, 13))
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["constants"], backend="numpy")
    >>> falling = jw.Trajectory(np.arange(5.0), still, still, still - 9.81 * (np.arange(13) == 2))
    >>> given = {"constants": person.constants_of(idyn)}
    >>> found = jw.propagation.reduce_residual(evaluate, falling, 0.1, {"m_trunk": 1.0}, **given)
    >>> jw.propagation.plot_residual_reduction(found).shape
    (4, 1)
    """
    fix = "Use reduce_residual(...)."
    check_instance("reduction", reduction, ResidualReduction, "a ResidualReduction", fix)
    count, times = len(reduction.names), reduction.times
    size, ratios = (9, 2.1 * count + 3), [*count * [1], 1.6]
    grid = axes_of_shape(axes, count + 1, 1, figsize=size, height_ratios=ratios)
    for k, (ax, name) in enumerate(zip(grid[:, 0], reduction.names, strict=False)):
        band = 2 * reduction.tolerance[k]
        ax.axhspan(-band, band, color=BLUE, alpha=0.15, linewidth=0, label="± 2 tolerances")
        ax.plot(times, reduction.before[:, k], color=VERMILION, label="before")
        ax.plot(times, reduction.after[:, k], color=BLACK, label="after")
        add_zero(ax)
        ax.set_ylabel(f"residual,\n{name.replace('_', ' ')}")
    grid[count - 1, 0].set_xlabel("time / s")
    grid[0, 0].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    names = sorted(reduction.changes, key=lambda name: -abs(reduction.changes[name]))[:MOST]
    bars, values = grid[-1, 0], [reduction.changes[name] for name in names]
    sure = [reduction.deviations[name] for name in names]
    bars.bar(range(len(names)), values, yerr=sure, color=BLUE, ecolor=BLACK, capsize=3)
    for end in (-reduction.within, reduction.within):
        bars.axhline(end, color=VERMILION, linewidth=0.8, linestyle=":")
    bars.axhline(0, color=PALE, linewidth=0.8)
    left = len(reduction.changes) - len(names)
    bars.set_xticks(
        range(len(names)), [n.replace("_", " ") for n in names], rotation=40, ha="right"
    )
    more = f"\n(the {left} smaller ones are not drawn)" if left else ""
    bars.set_ylabel(f"change /\nstandard deviation{more}")
    problems = reduction.problems or ("explained by errors as small as stated",)
    title = "\n".join(line for text in problems for line in wrap(text, WIDTH))
    grid[0, 0].set_title(title, loc="left", fontsize="medium")
    return grid
