"""Measured markers and orientations, with their weights, as arrays."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks.arguments import check_instance, enumerate_some
from ..checks.numbers import check_finite_or_nan, real_array, shaped_array
from ..checks.tolerances import CANCELLED, THREE_DIGITS
from ..mechanics.methods.kinematics import Kinematics
from ..recordings.marker_paths import Markers, mark_missing_at_origin
from ..records.samples import check_times
from .coordinate_arguments import check_weight
from .kinematics_cache import tracked_system


@dataclass(frozen=True)
class MarkerObservations:
    """Measured positions at N instants: of markers, then three for each frame.

    Attributes
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    points, frames : mapping of str to Point, and of str to ReferenceFrame
        The model's points and frames that were measured.
    positions, weights : numpy.ndarray, shapes (N, k, 3) and (N, k)
        The positions of markers and of the ends of frames' unit vectors, in the axes of ground, and
        their weights: zero where a position is missing.
    """

    times: np.ndarray
    points: Mapping[str, Any]
    frames: Mapping[str, Any]
    positions: np.ndarray
    weights: np.ndarray

    @property
    def floor(self) -> float:
        """The weighted square of a residual at roundoff level."""
        known = self.positions[self.weights > 0]
        return float(self.weights.max() * (CANCELLED * np.abs(known).max()) ** 2)

    def residuals(self, positions: np.ndarray) -> np.ndarray:
        """Return distances (N, k) of the model's from the measured positions; NaN if missing."""
        distances = np.linalg.norm(positions - self.positions, axis=-1)
        return np.where(self.weights > 0, distances, np.nan)

    def angles(self, positions: np.ndarray) -> np.ndarray:
        """Return the angles in radians (N, frames) between measured and the model's frames."""
        # |R1 - R2| = 2 sqrt(2) sin(angle / 2) in the Frobenius norm
        first, shape = len(self.points), (len(self.times), len(self.frames), 3, 3)
        seen, model = (x[:, first:].reshape(shape) for x in (self.positions, positions))
        sizes = np.linalg.norm(seen - model, axis=(2, 3)) / (2 * np.sqrt(2))
        known = self.weights[:, first::3] > 0
        return np.where(known, 2 * np.arcsin(np.minimum(sizes, 1.0)), np.nan)

    def check_instants(self, fills: bool) -> None:
        """Raise an error for instants without markers; with ``fills`` only if none has any."""
        empty = np.flatnonzero(~self.weights.any(axis=1))
        if len(empty) == len(self.times):
            raise ValueError("`markers` must have a position at some instant, got only NaN.")
        if empty.size and not fills:
            raise ValueError(
                "`markers` must have at least one position at each instant, got none in rows "
                f"{self.instants(empty)}. Use smoothing=Smoothing(gaps='fill'), or rows "
                "with markers."
            )

    def instants(self, rows: np.ndarray) -> str:
        """Return a text of row indices with their times, for messages."""
        return enumerate_some(f"{row} (time {self.times[row]:g})" for row in rows)


def read_markers(
    model: Any, markers: Any, points: Any, orientations: Any, frames: Any, weights: Any, times: Any
) -> MarkerObservations:
    """Return the measured data, checked; the arguments are those of `inverse_kinematics`."""
    given = _mapping("markers", markers, "Use read_trc(path).in_metres(), or a dict of arrays.")
    given = mark_missing_at_origin(given) if isinstance(given, Markers) else given
    seen = {name: _read_positions(name, x) for name, x in given.items()}
    measured = _mapping("orientations", orientations).items()
    turned = {n: read_axes(f"orientations[{n}]", x) for n, x in measured}
    own_points = getattr(model, "markers", {})
    if isinstance(model, Kinematics):
        own_points = model._observed.given_points
    points = _mapping("points", own_points if points is None else points)
    bodies = {n: b.frame for n, b in tracked_bodies(model).items()}
    frames = _mapping("frames", bodies if frames is None else frames)
    used = _read_weights(weights, {**seen, **turned}, {**points, **frames})
    common = [name for name in seen if name in points] + [n for n in turned if n in frames]
    if common and not used:
        texts = enumerate_some(f"{n}: {x}" for n, x in weights.items()) or "none"
        common_names = enumerate_some(common)
        raise ValueError(f"`weights` must be positive for some of {common_names}, got {texts}.")
    if not common and turned and not seen:
        raise ValueError(
            f"`orientations` must have some frames of the model, got {enumerate_some(turned)}; the "
            f"model has {enumerate_some(frames) or 'none'}. Use frames={{name: frame}}."
        )
    if not common:
        raise ValueError(
            "`markers` must have names of the model's markers, got "
            f"{enumerate_some(seen) or 'none'}; the model has {enumerate_some(points) or 'none'}. "
            "Use points={name: point}."
        )
    own = {name: point for name, point in points.items() if name in used and name in seen}
    turning = {name: frames[name] for name in turned if name in used and name in frames}
    rows = [seen[name][:, None] for name in own] + [turned[name] for name in turning]
    if len({len(row) for row in rows}) > 1:
        shapes = {name: len({**turned, **seen}[name]) for name in (*own, *turning)}
        raise ValueError(f"`markers` must all have the same number of rows, got {shapes}.")
    stacked = np.concatenate(rows, axis=1)
    sizes = [used[name] for name in own] + [x for n in turning for x in [used[n] / 2] * 3]
    is_seen = np.isfinite(stacked).all(axis=-1)
    instants = getattr(markers, "times", None) if times is None else times
    if instants is None:
        raise ValueError("`times` must be specified, since `markers` has none. Use times=[...].")
    known_times, count = check_times("times", instants, least=1), len(stacked)
    if len(known_times) != count:
        text = f"{count} entries, one for each row, got {len(known_times)}"
        raise ValueError(f"`times` must have {text}.")
    stacked = np.where(is_seen[..., None], stacked, 0.0)
    return MarkerObservations(known_times, own, turning, stacked, is_seen * np.array(sizes))


def tracked_bodies(model: Any) -> dict[str, Any]:
    """Return the bodies of a model by name, without ground."""
    own = getattr(model, "bodies", None)
    if isinstance(own, Mapping):
        return dict(own)
    return {body.name: body for body in tracked_system(model).bodies if hasattr(body, "frame")}


def _mapping(argument: str, given: Any, fix: str = "") -> Mapping[str, Any]:
    expected = "a mapping of names"
    return check_instance(argument, {} if given is None else given, Mapping, expected, fix)


def _read_weights(weights: Any, seen: Mapping, known: Mapping) -> dict[str, float]:
    """Return the positive weights of usable markers and frames by name; warn of unusable names."""
    fix = "Use its .weights." if hasattr(weights, "weights") else ""
    given = dict.fromkeys(seen, 1.0) if weights is None else _mapping("weights", weights, fix)
    requested = {name: check_weight(f"weights[{name}]", x) for name, x in given.items()}
    requested = {name: x for name, x in requested.items() if x > 0}
    found = {name: x for name, x in requested.items() if name in seen and name in known}
    absent = {name for name in requested if name not in seen or not np.isfinite(seen[name]).any()}
    missing = {
        "the model": [name for name in requested if name not in known],
        "the recording": [name for name in requested if name in absent],
    }
    texts = [f"{who} lacks {enumerate_some(names, 20)}" for who, names in missing.items() if names]
    if texts and found.keys() - absent:
        warnings.warn(
            f"`markers`: {'; '.join(texts)}. Use weights={{name: weight}} of the markers to use.",
            stacklevel=4,
        )
    return found


def _read_positions(name: str, given: Any) -> np.ndarray:
    """Return the positions of a marker, shape (N, 3), NaN where missing."""
    what = f"markers[{name}]"
    array = check_finite_or_nan(what, shaped_array(what, given, "N", 3))
    if not len(array):
        raise ValueError(f"`{what}` must have at least one row, got none.")
    return array


def read_axes(argument: str, given: Any, batch: str = "N") -> np.ndarray:
    """Return the unit vectors of a frame as rows, shape (batch, 3, 3), from the user's array.

    ``batch`` is "N" for one batch axis, "..." for any number of them.
    """
    array = check_finite_or_nan(argument, real_array(argument, given).astype(float))
    own = 1 if array.shape[-1:] == (4,) else 2
    if array.shape[-own:] not in ((4,), (3, 3)) or (batch == "N" and array.ndim != own + 1):
        raise ValueError(
            f"`{argument}` must have shape ({batch}, 3, 3), or ({batch}, 4) for quaternions, got "
            f"{array.shape}."
        )
    missing = np.isnan(array)
    if missing.any() and (missing.any(axis=-own) & ~missing.all(axis=-own)).any():
        raise ValueError(
            f"`{argument}` must have quaternions or matrix columns that are all known or all "
            "NaN, got single NaN. Use numpy.nan for all numbers of a free or missing one."
        )
    if own == 1:
        ends = array.shape[-2:] == (4, 4) and array[..., 3, :] == (0, 0, 0, 1)
        if np.all(ends) and (np.linalg.det(array) > 1 - THREE_DIGITS).all():
            raise ValueError(
                f"`{argument}` must be rotation matrices, got homogeneous transforms of shape "
                f"{array.shape}. Use their [..., :3, :3], and [..., :3, 3] as places."
            )
        known = ~missing.any(axis=-1)
        sizes = np.abs(array[known]).max(axis=-1, keepdims=True)
        if not sizes.all():
            raise ValueError(f"`{argument}` must be quaternions, got 0, 0, 0, 0.")
        turns = np.full((*array.shape[:-1], 3, 3), np.nan)
        turns[known] = Rotation.from_quat((array[known] / sizes)[:, [1, 2, 3, 0]]).as_matrix()
        array = turns
    off = np.abs(array.swapaxes(-1, -2) @ array - np.eye(3))
    if (off > THREE_DIGITS).any():
        raise ValueError(f"`{argument}` must be rotation matrices, got skew columns.")
    whole = np.where(np.isnan(array), 0.0, array)
    if (np.linalg.det(whole) < 0).any():
        raise ValueError(
            f"`{argument}` must be rotation matrices, got a reflection: its axes are left-handed. "
            "Use -1 times one of its columns."
        )
    if (off > CANCELLED).any():  # the rotations nearest to rounded ones, by Newton's method
        for _ in range(3):
            whole = whole @ (3 * np.eye(3) - whole.swapaxes(-1, -2) @ whole) / 2
        array = np.where(np.isnan(array), np.nan, whole)
    return array.swapaxes(-1, -2)
