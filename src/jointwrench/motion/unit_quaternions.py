"""Unit quaternions in sampled data: found in a model, kept continuous."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..checks.tolerances import OFF_LENGTH
from ..system_method import SystemMethod


def quaternion_columns(idyn: SystemMethod[Any]) -> list[list[int]]:
    """Return the columns of each unit quaternion among the coordinates."""
    places = {coordinate: k for k, coordinate in enumerate(idyn.coordinates)}
    return [[places[q] for q in group] for group in idyn.model.tree.unit_quaternions]


def unit_path(values: np.ndarray, groups: Iterable[list[int]]) -> np.ndarray:
    """Return columns with quaternions of unit length and without changes of sign.

    A quaternion and its negative are the same orientation; each is taken as the
    one nearer to its predecessor.  One with a gap in it is NaN altogether.
    """
    values = values.copy()
    for group in groups:
        block = values[:, group]
        known = np.isfinite(block).all(axis=-1)
        block[~known] = np.nan
        block[known] = _continuous(block[known], np.flatnonzero(known), group)
        values[:, group] = block
    return values


def _continuous(quaternions: np.ndarray, rows: np.ndarray, group: list[int]) -> np.ndarray:
    lengths = np.linalg.norm(quaternions, axis=-1)
    wrong = np.flatnonzero(np.abs(lengths - 1) > OFF_LENGTH)
    if wrong.size:
        raise ValueError(
            f"`coordinates` must have unit quaternions in the columns {group}, got one of the "
            f"length {lengths[wrong[0]]:g} in row {rows[wrong[0]]}. Divide them by their lengths, "
            "if that is what they are."
        )
    return without_flips(quaternions / lengths[:, None])


def without_flips(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions (N, 4), each or its negative: what is nearer to its predecessor."""
    products = np.append(1.0, (quaternions[1:] * quaternions[:-1]).sum(axis=-1))
    signs = np.cumprod(np.where(products < 0, -1.0, 1.0))[: len(quaternions)]
    return quaternions * signs[:, None]
