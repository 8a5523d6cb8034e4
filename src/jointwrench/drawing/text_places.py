"""Texts beside points of a picture, in free places."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Pixels between a text and what is drawn, and between the points by which lines are known.
GAP, STEP = 5.0, 4.0

#: How far from its point a text may be, in parts of the least distance; in which directions.
DISTANCES = (1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.4)
DIRECTIONS = np.linspace(0, 2 * np.pi, 24, endpoint=False)


def write_beside(ax: "Axes", texts: Iterable[tuple[np.ndarray, str]]) -> None:
    """Write each text beside its point (2 or 3,), in the nearest place where it covers least."""
    # The Axes must have their final limits, and all other artists; those behind all do not count.
    from matplotlib.transforms import offset_copy

    whole: Any = ax.get_figure(root=True)
    write: Any = ax.text  # in space it takes three coordinates
    whole.draw_without_rendering()
    drawn = _drawn(ax)
    for place, text in texts:
        written = write(*place, text, ha="center", va="center", in_layout=False, zorder=5)
        box = written.get_window_extent()
        half = np.array([box.width, box.height]) / 2 + GAP
        point = _pixels(ax, np.reshape(place, (1, -1)))[0]
        shifts = [
            factor * (half + GAP) * np.array([np.cos(angle), np.sin(angle)])
            for factor in DISTANCES
            for angle in DIRECTIONS
        ]
        costs = [_covered(point + shift, half, drawn, ax) for shift in shifts]
        shift = shifts[int(np.argmin(costs))]
        x, y = shift * 72 / whole.dpi
        written.set_transform(offset_copy(ax.transData, whole, x, y, units="points"))
        grid = np.mgrid[-1:1:9j, -1:1:5j].reshape(2, -1).T * half
        drawn = np.concatenate([drawn, np.repeat(point + shift + grid, 5, axis=0)])


def _covered(middle: np.ndarray, half: np.ndarray, drawn: np.ndarray, ax: "Axes") -> int:
    """Return how much a text at a place covers; places outside the Axes are the worst."""
    low, high = ax.bbox.get_points()
    if (middle - half < low).any() or (middle + half > high).any():
        return len(drawn) + 1
    return int((np.abs(drawn - middle) < half).all(axis=1).sum())


def _drawn(ax: "Axes") -> np.ndarray:
    """Return points of all lines in pixels, (M, 2)."""
    found = [np.zeros((0, 2))]
    for line in ax.lines:
        path: Any = line
        points = path.get_data_3d() if ax.name == "3d" else path.get_data()
        pixels = _pixels(ax, np.transpose(points).astype(float))
        for start, way in zip(pixels[:-1], np.diff(pixels, axis=0), strict=True):
            if line.get_zorder() > 0 and np.isfinite(start + way).all():
                count = 2 + int(np.linalg.norm(way) / STEP)
                found.append(start + np.linspace(0, 1, count)[:, None] * way)
    return np.concatenate(found)


def _pixels(ax: Any, points: np.ndarray) -> np.ndarray:
    """Return the pixels of points (M, 2 or 3)."""
    if ax.name == "3d":
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        points = np.transpose(proj_transform(*points.T, ax.get_proj())[:2])
    return ax.transData.transform(points)
