"""Natural units of a model: for coordinates, speeds and errors of its constraints.

Constraints mix angles, lengths and cosines.  The unit of angles is a radian; the unit of other
coordinates is the model's own length, at which they have as large an effect.  The unit of a
constraint is the effect that the units of all coordinates have on it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...checks.tolerances import CANCELLED, EXACTLY_CLOSED
from ..arithmetic.graph import Scalar, total
from ..arithmetic.vectors import Vec
from ..dynamics.recursion.scalar_tree import ScalarTree

#: Number of random poses at which units are measured, so that no special pose decides.
POSES = 5


class Units(NamedTuple):
    """Natural units of inputs, shape (n,), and of equations, shape (m,)."""

    inputs: np.ndarray
    rows: np.ndarray

    def in_units(self, slopes: np.ndarray) -> np.ndarray:
        """Return derivatives (..., m, n) in natural units."""
        return slopes * self.inputs / self.rows[:, None]


def motions_of_speeds(tree: ScalarTree) -> tuple[list[Scalar], list[Scalar]]:
    """Return sums of squared partial angular velocities and partial velocities, by speed."""
    zero = tree.graph.scalar(0)
    moved, speeds = tree.partial_velocities, tree.symbolic.speeds
    partials = [[own[speed] for own in moved if speed in own] for speed in speeds]

    def squares(vectors: Iterable[Vec]) -> Scalar:
        return total([zero, *(vector.dot(vector) for vector in vectors)])

    spins = [squares(one.angular for one in own) for own in partials]
    return spins, [squares(one.linear for one in own) for own in partials]


def random_poses(turns: np.ndarray) -> np.ndarray:
    """Return random angles, shape (POSES, n_q); coordinates that are no angles are zero."""
    angles = np.random.default_rng(20261122).uniform(-np.pi, np.pi, (POSES, len(turns)))
    return np.where(turns, angles, 0.0)


def natural_speed_units(
    slopes: np.ndarray, spins: np.ndarray, slides: np.ndarray, reach: float, kinds: Sequence[str]
) -> Units:
    """Return the natural units of speeds and of velocity equations.

    Parameters
    ==========

    slopes : numpy.ndarray, shape (poses, m, n)
        The coefficients of speeds in the equations.
    spins, slides : numpy.ndarray, shape (poses, n)
        The angular velocities and velocities of bodies per unit of each speed.
    reach : float
        The length if no equation compares translations with angles.
    kinds : sequence of str
        The kinds of the equations: "length", "cosine" or "own".
    """
    spin, slide = np.median(spins, axis=0), np.median(slides, axis=0)
    turns = spin > 0
    moved = np.where(turns, spin, slide)
    return natural_units(slopes, 1 / np.where(moved > 0, moved, 1.0), turns, reach, kinds)


def natural_units(
    slopes: np.ndarray, own: np.ndarray, turns: np.ndarray, reach: float, kinds: Sequence[str]
) -> Units:
    """Return the natural units of inputs and of equations.

    Parameters
    ==========

    slopes : numpy.ndarray, shape (poses, m, n)
        The derivatives of the equations by the inputs.
    own : numpy.ndarray, shape (n,)
        The units of inputs that rotate bodies; other units are these times the model's length.
    turns : numpy.ndarray of bool, shape (n,)
        Whether inputs rotate bodies.
    reach : float
        The length if no equation compares translations with angles.
    kinds : sequence of str
        The kinds of the equations: "length", "cosine" or "own".
    """
    moved = np.abs(slopes) * own
    moved = np.where(moved > EXACTLY_CLOSED * moved.max(axis=(0, 1), initial=0.0), moved, 0.0)
    levers, along = moved[..., turns].sum(axis=-1, keepdims=True), moved[..., ~turns]
    is_both = (levers > 0) & (along > 0)
    lengths = np.divide(levers, along, out=np.zeros_like(along), where=is_both)[is_both]
    length = float(np.median(lengths)) if lengths.size else reach
    inputs = own * np.where(turns, 1.0, length)
    rows = (np.abs(slopes) * inputs).sum(axis=-1).max(axis=0, initial=0.0)
    natural = np.array([{"length": length, "cosine": 1.0, "own": 0.0}[kind] for kind in kinds])
    is_rounding = rows <= CANCELLED * natural  # identically zero with these constants
    return Units(inputs, np.where(is_rounding, np.where(natural > 0, natural, 1.0), rows))
