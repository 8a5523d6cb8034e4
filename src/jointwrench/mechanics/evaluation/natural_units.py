"""Natural units of a model: for coordinates, speeds and errors of its constraints.

Constraints mix angles, lengths and cosines.  The unit of angles is a radian, that of other
coordinates the model's own length, which has as large an effect.  The unit of a constraint is the
effect of the units of all coordinates on it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...checks.tolerances import CANCELLED, EXACTLY_CLOSED
from ..arithmetic.graph import Scalar, total
from ..arithmetic.vectors import Vec
from ..dynamics.recursion.scalar_tree import ScalarTree

#: At how many random poses units are measured, so that none of a special pose counts.
POSES = 5


class Units(NamedTuple):
    """Natural units of inputs, shape (n,), and of equations, shape (m,)."""

    inputs: np.ndarray
    rows: np.ndarray

    def in_units(self, slopes: np.ndarray) -> np.ndarray:
        """Return slopes (..., m, n) as numbers without units, of about one at most."""
        return slopes * self.inputs / self.rows[:, None]


def motions_of_speeds(tree: ScalarTree) -> tuple[list[Scalar], list[Scalar]]:
    """Return the squared angular velocity and velocity that a unit of each speed gives bodies."""
    zero = tree.graph.scalar(0)
    partials = [
        [own[speed] for own in tree.partial_velocities if speed in own]
        for speed in tree.symbolic.speeds
    ]

    def squares(vectors: Iterable[Vec]) -> Scalar:
        return total([zero, *(vector.dot(vector) for vector in vectors)])

    spins = [squares(one.angular for one in own) for own in partials]
    return spins, [squares(one.linear for one in own) for own in partials]


def random_poses(turns: np.ndarray) -> np.ndarray:
    """Return unitless coordinates, shape (POSES, n_q): zero for those that turn nothing."""
    angles = np.random.default_rng(20261122).uniform(-np.pi, np.pi, (POSES, len(turns)))
    return np.where(turns, angles, 0.0)


def natural_speed_units(
    slopes: np.ndarray, spins: np.ndarray, slides: np.ndarray, reach: float, kinds: Sequence[str]
) -> Units:
    """Return units per time, of slopes (poses, m, n) and what speeds move bodies by (poses, n)."""
    spin, slide = np.median(spins, axis=0), np.median(slides, axis=0)
    turns = spin > 0
    moved = np.where(turns, spin, slide)
    return natural_units(slopes, 1 / np.where(moved > 0, moved, 1.0), turns, reach, kinds)


def natural_units(
    slopes: np.ndarray, own: np.ndarray, turns: np.ndarray, reach: float, kinds: Sequence[str]
) -> Units:
    """Return units: ``own`` for coordinates that turn, else times the model's length."""
    # Slopes (poses, m, n) are those of equations of some kinds; reach is the length where none
    # compares what turns nothing with an angle.
    moved = np.abs(slopes) * own
    moved = np.where(moved > EXACTLY_CLOSED * moved.max(axis=(0, 1), initial=0.0), moved, 0.0)
    levers, along = moved[..., turns].sum(axis=-1, keepdims=True), moved[..., ~turns]
    is_both = (levers > 0) & (along > 0)
    lengths = np.divide(levers, along, out=np.zeros_like(along), where=is_both)[is_both]
    length = float(np.median(lengths)) if lengths.size else reach
    inputs = own * np.where(turns, 1.0, length)
    rows = (np.abs(slopes) * inputs).sum(axis=-1).max(axis=0, initial=0.0)
    natural = np.array([{"length": length, "cosine": 1.0, "own": 0.0}[kind] for kind in kinds])
    is_rounding = rows <= CANCELLED * natural  # an equation that always holds with these constants
    return Units(inputs, np.where(is_rounding, np.where(natural > 0, natural, 1.0), rows))
