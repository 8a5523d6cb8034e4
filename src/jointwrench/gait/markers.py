"""Segments from markers: angles and lengths in the plane, frames in space."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks.arguments import check_instance
from ..checks.numbers import check_finite, finite_array, real_array, shaped_array
from ..checks.tolerances import CANCELLED, COLLINEAR
from ..signals.quaternion_paths import remove_sign_flips


class Poses(NamedTuple):
    """Poses of a rigid segment in space.

    Attributes
    ==========

    rotations : numpy.ndarray, shape (N, 3, 3)
        ``rotations @ v`` converts components in the segment's frame to the laboratory's.
    positions : numpy.ndarray, shape (N, 3)
        The origin of the segment's frame in the laboratory's axes.
    residuals : numpy.ndarray, shape (N,)
        Root mean square distance of the markers from the markers of the fitted rigid segment.
    """

    rotations: np.ndarray
    positions: np.ndarray
    residuals: np.ndarray

    def __repr__(self) -> str:
        return f"Poses({len(self.positions)} instants)"

    @property
    def quaternions(self) -> np.ndarray:
        """The rotations as continuous unit quaternions (N, 4), scalar part first."""
        return remove_sign_flips(Rotation.from_matrix(self.rotations).as_quat()[:, [3, 0, 1, 2]])


def segment_angles(proximal: Any, distal: Any, zero: float = 0.0) -> np.ndarray:
    """Return the angle (N,) of a segment in the plane from a pair of markers.

    The angle is in radians, positive from x to y, and unwrapped; NaN where a marker is missing.

    Parameters
    ==========

    proximal, distal : array_like, shape (N, 2)
        Positions of the markers (x, y).
    zero : float
        Direction from proximal to distal marker at which the angle is zero, as an angle from the x
        axis: -pi/2 for a hanging segment.

    Raises
    ======

    ValueError
        If shapes do not fit, or if the two markers coincide.

    See Also
    ========

    segment_lengths : The distance of two markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> angle = jw.gait.segment_angles([[0, 1]], [[0.1, 0.9]], zero=-1.5707963267948966)
    >>> round(float(angle[0]), 4)
    0.7854
    """
    start, end = _check_pairs(proximal, distal)
    difference = end - start
    length, size = np.linalg.norm([difference, end], axis=-1)
    if (wrong := np.flatnonzero(length <= CANCELLED * size)).size:
        raise ValueError(
            f"`distal` must be away from `proximal`, got both at {start[wrong[0]]} in row "
            f"{wrong[0]}."
        )
    angles = np.arctan2(difference[:, 1], difference[:, 0]) - check_finite("zero", zero)
    valid = np.isfinite(angles)
    angles[valid] = np.unwrap(angles[valid])
    turns = np.round(np.median(angles[valid]) / (2 * np.pi)) if valid.any() else 0
    return angles - 2 * np.pi * turns


def segment_lengths(proximal: Any, distal: Any) -> np.ndarray:
    """Return the distance of two markers, shape (N,); NaN where a marker is missing.

    Parameters
    ==========

    proximal, distal : array_like, shape (N, 2) or (N, 3)
        Positions of the markers.

    Raises
    ======

    ValueError
        If shapes do not fit.

    See Also
    ========

    segment_angles : The angle of the line between two markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.gait.segment_lengths([[0, 0.9], [0, 0.9]], [[0, 0.5], [0.3, 0.5]])
    array([0.4, 0.5])
    """
    start, end = _check_pairs(proximal, distal, (2, 3))
    return np.linalg.norm(end - start, axis=-1)


def fit_poses(reference: Any, markers: Any) -> Poses:
    """Return the Poses of a rigid segment that best fit its markers.

    ``reference`` (k, 3) are the markers in the segment's frame, ``markers`` (N, k, 3) in the
    laboratory, NaN where a marker is missing.
    """
    # least squares by Kabsch, and by Soderkvist and Wedin
    body = finite_array("reference", shaped_array("reference", reference, "k", 3))
    seen = shaped_array("markers", markers, "N", len(body), 3)
    if not len(seen):
        raise ValueError("`markers` must have one row at least, got none.")
    found = [_fit(row, body, places) for row, places in enumerate(seen)]
    _check_size(body, seen)
    return Poses(*(np.array(part) for part in zip(*found, strict=True)))


def _check_size(body: np.ndarray, seen: np.ndarray) -> None:
    """Refuse markers (N, k, 3) whose extent differs from the reference by a factor of 2 or more."""
    reference = np.where(np.isfinite(seen).all(axis=-1, keepdims=True), body, np.nan)
    sizes = [np.sqrt(np.nanvar(x, axis=1).sum(axis=-1)) for x in (seen, reference)]
    ratio = float(np.median(sizes[0] / sizes[1]))
    if not 0.5 < ratio < 2:
        raise ValueError(
            f"`markers` must be as far from each other as in `reference`, got {ratio:.4g} times as "
            "far. Use the same unit of length."
        )


def _fit(row: int, body: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return rotation, position and residual of a body (k, 3) at its markers (k, 3) in one row."""
    valid = np.isfinite(places).all(axis=-1)
    if valid.sum() < 3:
        raise ValueError(
            f"`markers` must have at least three markers at each instant, got {valid.sum()} in row "
            f"{row}. Fill the gaps first, or use rows without them."
        )
    body, places = body[valid], places[valid]
    centers = body.mean(axis=0), places.mean(axis=0)
    arms = body - centers[0]
    for argument, points in {"reference": body, "markers": places}.items():
        if _are_collinear(points):
            raise ValueError(
                f"`{argument}` must have three markers that are not in a line, those seen in row "
                f"{row} are. Use more markers on the segment."
            )
    rotation, _ = Rotation.align_vectors(places - centers[1], arms)
    matrix = rotation.as_matrix()
    misses = places - centers[1] - arms @ matrix.T
    residual = float(np.sqrt((misses**2).sum(axis=-1).mean()))
    return matrix, centers[1] - matrix @ centers[0], residual


def frame_of_points(origin: Any, along: Any, beside: Any, axes: str = "yz") -> Poses:
    """Return the Poses of a frame from three points, (N, 3) or (3,) each.

    The first of the ``axes`` points exactly from ``origin`` to ``along``; the second is in the
    plane of the three points, on the side of ``beside``.
    """
    check_instance("axes", axes, str, "two of x, y, z", "Use for instance 'yz'.")
    if len(axes) != 2 or len(set(axes)) != 2 or not set(axes) <= set("xyz"):
        raise ValueError(f"`axes` must be two of x, y, z, got {axes!r}. Use for instance 'yz'.")
    places = _check_points(origin=origin, along=along, beside=beside)
    if (wrong := np.flatnonzero(_are_collinear(places))).size:
        raise ValueError(
            f"`beside` must not be in a line with `origin` and `along`, but is in row {wrong[0]}."
        )
    start, first, second = places[:, 0], places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    first = first / np.linalg.norm(first, axis=-1, keepdims=True)
    third = np.cross(first, second)
    third = third / np.linalg.norm(third, axis=-1, keepdims=True)
    a, b = ("xyz".index(axis) for axis in axes)
    sign = 1 if (b - a) % 3 == 1 else -1
    rotations = np.empty((len(first), 3, 3))
    rotations[:, :, [a, b, 3 - a - b]] = np.stack(
        [first, np.cross(third, first), sign * third], axis=-1
    )
    return Poses(rotations, start, np.zeros(len(first)))


def _check_points(**points: Any) -> np.ndarray:
    """Return checked points of shape (N, 3) or (3,) as one array of shape (N, points, 3)."""
    rows = {name: np.atleast_2d(real_array(name, value)) for name, value in points.items()}
    counts = {len(row) for row in rows.values()}
    fit = all(row.ndim == 2 and row.shape[1] == 3 and len(row) for row in rows.values())
    if not fit or len(counts - {1}) > 1:
        shapes = ", ".join(str(np.shape(value)) for value in points.values())
        raise ValueError(
            f"`{'`, `'.join(points)}` must have shape (N, 3) or (3,), got shapes {shapes}."
        )
    for name, row in rows.items():
        if (wrong := np.flatnonzero(~np.isfinite(row).all(axis=-1))).size:
            raise ValueError(
                f"`{name}` must be known at each instant, got {row[wrong[0]]} in row {wrong[0]}. "
                "Fill the gaps first, or use rows without them."
            )
    return np.stack(np.broadcast_arrays(*rows.values()), axis=1).astype(float)


def _are_collinear(points: np.ndarray) -> np.ndarray:
    """Return a boolean mask (...) of groups of points (..., k, 3) that are collinear."""
    sizes = np.linalg.svd(points - points.mean(axis=-2, keepdims=True), compute_uv=False)
    return sizes[..., 1] <= COLLINEAR * sizes[..., 0]


def _check_pairs(
    proximal: Any, distal: Any, widths: Sequence[int] = (2,)
) -> tuple[np.ndarray, np.ndarray]:
    given = real_array("proximal", proximal)
    width = next((x for x in widths if given.shape[-1:] == (x,)), widths[0])
    start = shaped_array("proximal", given, "N", width)
    end = shaped_array("distal", distal, len(start), width)
    start[~np.isfinite(start)] = end[~np.isfinite(end)] = np.nan
    return start, end
