"""Sampled coordinates by column: in radians, without jumps, quaternions of unit length."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import cos, sin

from ..checks.arguments import check_sequence, symbol_name
from ..checks.tolerances import OFF_LENGTH
from ..methods.system_method import SystemMethod
from ..records.samples import find_columns, in_radians, named_columns, unwrapped
from ..spatial.leaves import leaves
from .smoothing import Smoother


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


class CoordinateColumns(NamedTuple):
    """Columns of coordinates (N, n_q), NaN in gaps, ready to be smoothed once these are filled.

    ``quaternions``: the four columns of each unit quaternion.
    """

    values: np.ndarray
    names: tuple[str, ...]
    quaternions: list[list[int]]

    def without_gaps(self, smoother: Smoother) -> np.ndarray:
        """Return the values with gaps filled or refused, quaternions of unit length."""
        values = self.values
        if smoother.fills_gaps:
            values = unit_path(values, self.quaternions)
        filled = smoother.without_gaps("coordinates", values, self.names)
        return unit_path(filled, self.quaternions)


def coordinate_columns(
    times: np.ndarray,
    coordinates: Any,
    idyn: SystemMethod[Any] | None,
    degrees: Any,
    unwrap: Any,
    quaternions: Iterable[Sequence[Any]],
) -> CoordinateColumns:
    """Return the columns of sampled coordinates; arguments as for `Trajectory.from_samples`."""
    names = None if idyn is None else tuple(map(symbol_name, idyn.coordinates))
    values, names = named_columns("coordinates", coordinates, times, names, "q")
    groups = _quaternions(quaternions, names)
    if idyn is not None:
        groups += [group for group in quaternion_columns(idyn) if group not in groups]
    angles = _angles(idyn, names, groups)
    values = in_radians("coordinates", values, names, angles, degrees)
    turning = angles if unwrap is True else find_columns("unwrap", unwrap, names)
    return CoordinateColumns(unwrapped(values, turning), names, groups)


def _quaternions(quaternions: Any, names: Sequence[str]) -> list[list[int]]:
    expected = "a sequence of four names or positions each"
    groups = []
    for given in check_sequence("quaternions", quaternions, expected):
        group = find_columns("quaternions", given, names)
        if len(set(group)) != 4:
            raise ValueError(f"`quaternions` must be {expected}, got {given!r}.")
        groups.append(group)
    return groups


def _angles(
    idyn: SystemMethod[Any] | None, names: Sequence[str], groups: list[list[int]]
) -> list[int]:
    """Return the columns that are angles: those that turn some body."""
    others = {column for group in groups for column in group}
    if idyn is None:
        return [column for column in range(len(names)) if column not in others]
    rotations = [stage for link in idyn.model.tree.links for stage in link.motion.rotations]
    turning = {leaf for stage in rotations for f in stage.atoms(sin, cos) for leaf in leaves([f])}
    columns = enumerate(idyn.coordinates)
    return [k for k, coordinate in columns if coordinate in turning and k not in others]
