"""Sampled coordinates by column: angles in radians without jumps, quaternions of unit length."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import cos, sin

from ..checks.arguments import check_sequence, symbol_name
from ..checks.messages import warn
from ..mechanics.methods.system_method import SystemMethod
from ..mechanics.spatial.components import leaves
from ..records.angle_wrapping import describe_jumps, find_jumping_columns
from ..records.samples import convert_to_radians, find_columns, named_columns, unwrap_columns
from ..signals.quaternion_paths import unit_path
from ..signals.smoothing import Smoother


class CoordinateColumns(NamedTuple):
    """The columns of sampled coordinates.

    Attributes
    ==========

    values : numpy.ndarray, shape (N, n_q)
        The coordinates; NaN in gaps.
    names : tuple of str
        Their names.
    quaternions : list of list of int
        The four columns of each quaternion.
    """

    values: np.ndarray
    names: tuple[str, ...]
    quaternions: list[list[int]]

    def fill_gaps(self, smoother: Smoother) -> np.ndarray:
        """Return the values with gaps filled, or refuse gaps; quaternions have unit length."""
        values = self.values
        if smoother.options.gaps == "fill":
            values = unit_path(values, self.quaternions)
        filled = smoother.fill_gaps("coordinates", values, self.names)
        return unit_path(filled, self.quaternions)


def coordinate_columns(
    times: np.ndarray,
    coordinates: Any,
    idyn: SystemMethod | None,
    degrees: Any,
    unwrap: Any,
    quaternions: Iterable[Sequence[Any]],
) -> CoordinateColumns:
    """Return the columns of sampled coordinates; arguments are as for `Trajectory.from_samples`."""
    names = None if idyn is None else tuple(map(symbol_name, idyn.coordinates))
    values, names = named_columns("coordinates", coordinates, times, names, "q")
    expected, groups = "a sequence of four names or positions each", []
    for group in check_sequence("quaternions", quaternions, expected):
        groups.append(find_columns("quaternions", group, names))
        if len(set(groups[-1])) != 4:
            raise ValueError(f"`quaternions` must be {expected}, got {group!r}.")
    if idyn is not None:
        groups += [group for group in idyn.model.tree.quaternion_columns if group not in groups]
    angles = _find_angles(idyn, names, groups)
    values = convert_to_radians("coordinates", values, names, angles, degrees)
    turning = angles if unwrap is True else find_columns("unwrap", unwrap, names)
    values = unwrap_columns(values, turning)
    labels = [names[column] for column in angles]
    if jumping := find_jumping_columns(values[:, angles], labels, is_angle=idyn is not None):
        warn(
            f"`coordinates` have jumps of {describe_jumps(jumping, times)}, which are no motion: "
            f"speeds there are wrong. Use Trajectory.from_samples(..., unwrap={[*jumping]}), or "
            "numpy.unwrap."
        )
    return CoordinateColumns(values, names, groups)


def _find_angles(
    idyn: SystemMethod | None, names: Sequence[str], groups: list[list[int]]
) -> list[int]:
    """Return the columns of angles: coordinates in a sine or cosine of a rotation, no quaternions.

    Without a model all columns count as angles, except those of quaternions.
    """
    others = {column for group in groups for column in group}
    if idyn is None:
        return [column for column in range(len(names)) if column not in others]
    rotations = [stage for link in idyn.model.tree.links for stage in link.motion.rotations]
    turning = {leaf for stage in rotations for f in stage.atoms(sin, cos) for leaf in leaves([f])}
    columns = enumerate(idyn.coordinates)
    return [k for k, coordinate in columns if coordinate in turning and k not in others]
