"""Plots of measured and predicted forces and residuals (extra ``plot``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_instance, check_sequence
from ..drawing.axes import add_zero, axes_of_shape
from ..drawing.labels import bracket
from ..drawing.palette import CYCLE
from ..records.laboratory import check_axis_units
from ..records.samples import find_columns
from .cross_validation import CrossValidation
from .fit import Fit
from .identified import Identified

UNITS = {"time": "s", "force": "N, N m"}


def plot_fit(
    fit: Any, *, forces: Any = None, axes: Any = None, units: Mapping[str, str] | None = None
) -> np.ndarray:
    """Draw measured forces, predicted forces and residuals: one row for each force.

    Recordings follow one after another; titles give the residual of each force.

    Parameters
    ==========

    fit : Fit, Identified or CrossValidation
        A result of `Identified.validate`, `identify` or `cross_validate`.
    forces : sequence of str or int, optional
        Which forces, by their names (``fit.channels``) or positions.  Default: all.
    axes : array of matplotlib Axes, shape (forces, 1), optional
        Axes to draw in.  Default: a new figure with a common time axis.
    units : mapping of str to str, optional
        Texts for "time" and "force" in place of "s" and "N, N m".

    Raises
    ======

    TypeError, ValueError
        If ``fit`` is none of these, a force or a unit is unknown, or the Axes do not fit.

    See Also
    ========

    Fit : The drawn data.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * udot - 3 * np.sin(q) + 0.1 * np.cos(30 * t)
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> found = jw.identification.identify(idyn, (q, u, udot), torque)
    >>> axes = jw.identification.plot_fit(found)
    >>> axes[0, 0].get_title(loc="left")
    'u_0: 2.1 % of the measured force is left'
    """
    kinds, expected = (Fit, Identified, CrossValidation), "a Fit, Identified or CrossValidation"
    given = check_instance("fit", fit, kinds, expected, "Use identify(...).")
    own = given if isinstance(given, Fit) else given.fit
    wanted = own.channels if forces is None else forces
    wanted = check_sequence("forces", wanted, "names of forces", may_be_empty=False)
    places = find_columns("forces", wanted, own.channels)
    texts = check_axis_units(units, UNITS)
    size = (9, 0.8 + 1.8 * len(places))
    axes = axes_of_shape(axes, len(places), 1, sharex=True, figsize=size)
    times, breaks = _one_after_another(own)
    parts = [*own.relative_rms.values()]
    for ax, k in zip(axes[:, 0], places, strict=True):
        add_zero(ax)
        curves = {
            "measured": (own.measured, {"color": "0.6", "linewidth": 2.5}),
            "predicted": (own.predicted, {"color": CYCLE[0], "linewidth": 1.2}),
            "rest": (own.residuals, {"color": CYCLE[1], "linewidth": 0.8}),
        }
        for label, (values, style) in curves.items():
            ax.plot(times, np.insert(values[:, k], breaks, np.nan), label=label, **style)
        name = own.channels[k].removesuffix("(t)")
        title = f"{name}: {100 * parts[k]:.2g} % of the measured force is left"
        ax.set_title(title, loc="left", fontsize="medium")
        ax.set_ylabel(f"force / {bracket(texts['force'])}")
    axes[0, 0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
    axes[-1, 0].set_xlabel(f"time / {bracket(texts['time'])}")
    return axes


def _one_after_another(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return increasing times, with a gap before each new recording, and the gaps' indices."""
    breaks = np.flatnonzero(np.diff(fit.recordings)) + 1
    steps = np.diff(fit.times)
    usual = np.median(np.delete(steps, breaks - 1)) if len(steps) > len(breaks) else 1.0
    steps[breaks - 1] = np.where(steps[breaks - 1] > 0, steps[breaks - 1], usual)
    times = fit.times[0] + np.concatenate([[0], np.cumsum(steps)])
    return np.insert(times, breaks, np.nan), breaks
