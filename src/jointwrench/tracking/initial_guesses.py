"""Bounds and initial guesses of a search for coordinates."""

from math import prod
from typing import Any

import numpy as np

from ..checks.arguments import symbol_name
from ..checks.numbers import real_array
from ..records.samples import LARGEST_ANGLE
from .coordinate_arguments import Coordinates
from .kinematics_cache import get_model_mapping
from .tracked_model import TrackedModel


def read_limits(
    model: Any, tracked: TrackedModel, bounds: Any, prescribed: Any, limited: Any, count: int = 1
) -> tuple[np.ndarray, ...]:
    """Return lower and upper bounds (n,), a mask of free coordinates (n,), and a pose (count, n).

    The pose is the file's reference pose with prescribed values.  Without user's ``bounds`` the
    coordinates among ``limited`` have the model's limits; prescribed coordinates have none.
    """
    limits, coordinates = get_model_mapping(model, "limits"), tracked.coordinates
    known = get_model_mapping(model, "locked") if prescribed is None else prescribed
    is_fixed, values = coordinates.read_prescribed("prescribed", known, count)
    if bounds is None:
        bounds = {n: (limits[n].lower, limits[n].upper) for n in limited if n in limits}
    lower, upper = coordinates.read_bounds("bounds", bounds)
    pose = np.asarray(getattr(model, "reference", ()), float)
    pose = pose if pose.shape == tracked.neutral.shape else tracked.neutral
    ends = np.where(is_fixed, -np.inf, lower), np.where(is_fixed, np.inf, upper)
    return *ends, ~is_fixed, np.where(is_fixed, values, pose)


def choose_start_range(
    model: Any, coordinates: Coordinates, reference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and largest initial guesses (n,): the model's limits, or angles +- pi."""
    reach = np.where(coordinates.is_angle, np.pi, np.inf)
    lower, upper = reference - reach, reference + reach
    for name, limits in get_model_mapping(model, "limits").items():
        if name not in model.coordinates:  # a dependent coordinate
            continue
        index = coordinates.names.index(symbol_name(model.coordinates[name]))
        lower[index] = lower[index] if limits.lower is None else limits.lower
        upper[index] = upper[index] if limits.upper is None else limits.upper
    return lower, upper


def read_start(tracked: TrackedModel, given: Any, batch: tuple[int, ...] = ()) -> np.ndarray:
    """Return the user's initial guesses, checked, shape (M, n); one guess serves all samples."""
    start, names = real_array("start", given).astype(float), tracked.coordinates.names
    count = len(names)
    if start.shape not in ((count,), (*batch, count)) or not np.isfinite(start).all():
        raise ValueError(
            f"`start` must be {count} finite numbers, {', '.join(names)}, got shape {start.shape}."
        )
    for index in sorted(np.nonzero(np.abs(start) > LARGEST_ANGLE)[-1].tolist()):
        tracked.coordinates.check_radians("start", index, start[..., [index]])
    for group in tracked.kinematics.model.tree.quaternion_columns:
        if not start[..., group].any(axis=-1).all():
            own = ", ".join(names[k] for k in group)
            raise ValueError(f"`start` must have a unit quaternion in {own}, got zeros.")
    return np.broadcast_to(start.reshape(-1, count), (prod(batch), count))
