"""Layout of texts in a picture."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Pixels between a text and lines, and between the points that represent lines.
GAP, STEP = 5.0, 4.0

#: Distances of texts from their points, as multiples of the least distance, and directions.
DISTANCES = np.array([1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.4, 4.2, 5.2, 6.4])
DIRECTIONS = np.linspace(0, 2 * np.pi, 24, endpoint=False)

#: Costs of a location: per covered point, if another text's point is nearer, and by distance.
COVERED, FOREIGN, FAR = 100.0, 50.0, 1.0


def write_beside(
    ax: "Axes",
    texts: Iterable[tuple[np.ndarray, str]],
    optional: Iterable[tuple[np.ndarray, str]] = (),
) -> None:
    """Write each text near its point, or one of its points, at the nearest free location.

    Points are of shape (2 or 3,), or (K, 2 or 3).  Optional texts are written only where they cover
    nothing.
    """
    # The Axes must have their final limits, and all other artists; those behind all do not count.
    from matplotlib.transforms import offset_copy

    whole: Any = ax.get_figure(root=True)
    write: Any = ax.text  # in space it takes three coordinates
    whole.draw_without_rendering()
    drawn, dimension = _drawn(ax), 3 if ax.name == "3d" else 2
    needed = [(np.reshape(place, (-1, dimension)), text, False) for place, text in texts]
    needed += [(np.reshape(place, (-1, dimension)), text, True) for place, text in optional]
    known = [_pixels(ax, places) for places, *_ in needed]
    for number, (places, text, is_optional) in enumerate(needed):
        written = write(*places[0], text, ha="center", va="center", in_layout=False, zorder=5)
        box = written.get_window_extent()
        half = np.array([box.width, box.height]) / 2 + GAP
        others = np.concatenate([x for k, x in enumerate(known) if k != number] or [drawn[:0]])
        shifts = _shifts(half + GAP)
        middles = known[number][:, None] + shifts
        covered = _covered(middles.reshape(-1, 2), half, drawn, ax).reshape(middles.shape[:2])
        costs = COVERED * covered + FOREIGN * _nearer(middles, half, known[number], others)
        costs = costs + FAR * np.linalg.norm(shifts / half, axis=-1)
        anchor, k = np.unravel_index(np.argmin(costs), costs.shape)
        if is_optional and costs[anchor, k] >= FOREIGN:
            written.remove()
            continue
        x, y = (middles[anchor, k] - known[number][0]) * 72 / whole.dpi
        written.set_transform(offset_copy(ax.transData, whole, x, y, units="points"))
        grid = np.mgrid[-1:1:9j, -1:1:5j].reshape(2, -1).T * half
        drawn = np.concatenate([drawn, np.repeat(middles[anchor, k] + grid, 5, axis=0)])


def _shifts(reach: np.ndarray) -> np.ndarray:
    """Return possible shifts of a text from its point, (number, 2)."""
    ways = np.stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)], axis=-1)
    return (DISTANCES[:, None, None] * reach * ways).reshape(-1, 2)


def _covered(middles: np.ndarray, half: np.ndarray, drawn: np.ndarray, ax: "Axes") -> np.ndarray:
    """Return the number of points that texts cover; outside the Axes it is the largest."""
    low, high = ax.bbox.get_points()
    counts = np.array([(np.abs(drawn - x) < half).all(axis=1).sum() for x in middles])
    is_outside = (middles - half < low).any(axis=1) | (middles + half > high).any(axis=1)
    return np.where(is_outside, len(drawn) + 1, counts)


def _nearer(middles: np.ndarray, half: np.ndarray, own: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Whether a text would be nearer to another text's point than to its own point."""

    def distance(points: np.ndarray) -> np.ndarray:
        gaps = np.abs(middles[..., None, :] - points) - half
        return np.linalg.norm(np.maximum(gaps, 0.0), axis=-1).min(axis=-1, initial=np.inf)

    apart = rest[(np.abs(rest[:, None] - own) > GAP).any(axis=-1).all(axis=-1)]
    return distance(apart) < distance(own)


def _drawn(ax: "Axes") -> np.ndarray:
    """Return points of all lines in pixels, (M, 2)."""
    found = [np.zeros((0, 2))]
    for line in ax.lines:
        path: Any = line
        points = path.get_data_3d() if ax.name == "3d" else path.get_data()
        pixels = _pixels(ax, np.transpose(points).astype(float), line.get_transform())
        for start, way in zip(pixels[:-1], np.diff(pixels, axis=0), strict=True):
            if line.get_zorder() > 0 and np.isfinite(start + way).all():
                count = 2 + int(np.linalg.norm(way) / STEP)
                found.append(start + np.linspace(0, 1, count)[:, None] * way)
    return np.concatenate(found)


def _pixels(ax: Any, points: np.ndarray, transform: Any = None) -> np.ndarray:
    """Return the pixels of points (M, 2 or 3), by default in the data's coordinates."""
    if ax.name == "3d":
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        points = np.transpose(proj_transform(*points.T, ax.get_proj())[:2])
        transform = None
    return (transform or ax.transData).transform(points)
