"""Stance and swing in plots of gait (extra ``plot``)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..checks.numbers import finite_array, shaped_array
from ..drawing.palette import PALE
from ..records.samples import check_times

#: Allowed difference of events, as a fraction of a cycle, as of clocks of plates and cameras.
SAME = 0.02

#: The increase of height for the names at the lower end.
ROOM = 0.12


def mark_stance(axes: Any, contacts: Sequence[tuple[float, float]], cycles: Any = None) -> None:
    """Shade the stance phase behind curves, and label stance and swing.

    Parameters
    ==========

    axes : matplotlib Axes or array of them
        Plots over time or, with ``cycles``, over percents of a cycle; the upper row has the names.
    contacts : sequence of (float, float)
        Times of foot strike and foot off, as `ForcePlate.contacts` returns them.
    cycles : array_like, optional
        As the events of `normalise_cycles`: the mean of the cycles that begin with a contact is
        shaded.

    Raises
    ======

    ValueError
        If there is no contact, or no cycle begins with one.

    See Also
    ========

    ForcePlate.contacts : The intervals of stance.

    Examples
    ========

    >>> from matplotlib.pyplot import subplots
    >>> import jointwrench as jw
    >>> _, ax = subplots()
    >>> _ = ax.set_xlim(0, 100)
    >>> jw.pictures.mark_stance(ax, [(0.0, 0.6), (1.0, 1.62)], cycles=[0.0, 1.0, 2.0])
    >>> [text.get_text() for text in ax.texts]
    ['stance', 'swing']
    """
    from matplotlib.axes import Axes

    fix = " Use plate.contacts()."
    spans = finite_array("contacts", shaped_array("contacts", contacts, "N", 2, fix=fix))
    grid = np.atleast_2d(np.asarray(axes, dtype=object))
    swings = [(end, start) for (_, end), (start, _) in pairwise(spans)]
    if cycles is not None:
        end = _mean_end(spans, check_times("cycles", cycles))
        spans, swings = np.array([[0.0, end]]), [(end, 100.0)]
    for ax in grid.flat:
        check_instance("axes", ax, Axes, "an Axes of matplotlib, or an array of them")
        for start, end in spans:
            ax.axvspan(start, end, color=PALE, alpha=0.4, linewidth=0, zorder=-1)
    for k, ax in enumerate(grid[0]):
        if not any(ax.get_shared_y_axes().joined(ax, other) for other in grid[0][:k]):
            bottom, top = ax.get_ylim()
            ax.set_ylim(bottom - ROOM * (top - bottom), top)
        texts = [*((x, "stance") for x in spans), *((x, "swing") for x in swings)]
        for (start, end), text in texts:
            low: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "clip_on": True}
            ax.text((start + end) / 2, 0.02, text, ha="center", color="0.35", **low)


def _mean_end(spans: np.ndarray, cycles: np.ndarray) -> float:
    """Return the duration of contact in percent of the cycles that begin with one."""
    parts = [
        100 * (end - start) / (last - first)
        for first, last in pairwise(cycles)
        for start, end in spans
        if abs(start - first) <= SAME * (last - first) and end <= last
    ]
    if not parts:
        raise ValueError(
            f"`cycles` must begin with contacts, {spans[:, 0].tolist()}, got {cycles.tolist()}. "
            "Use [start for start, _ in contacts] and the time at which the last cycle ends."
        )
    return float(np.mean(parts))
