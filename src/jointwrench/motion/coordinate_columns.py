"""Sampled coordinates by column: in radians, without jumps, quaternions of unit length."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import cos, sin

from ..checks.arguments import check_sequence
from ..records.samples import find_columns, in_radians, named_columns, unwrapped
from ..spatial.leaves import leaves
from ..system_method import SystemMethod
from .smoothing import Smoother
from .unit_quaternions import quaternion_columns, unit_path


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


def symbol_name(symbol: Any) -> str:
    """Return the name of a symbol or function of time, without its argument."""
    return str(getattr(symbol, "name", symbol))


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
