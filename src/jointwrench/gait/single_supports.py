"""Forces on a foot against the motion of pelvis and foot."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..recordings.plate_assignment import GRAVITY, PlateStep
from ..signals.filters import smoothing_spline
from .anthropometry import SIDES
from .trials import Walk

#: The fractions of a contact between which one foot carries the person, and the samples there.
ALONE, SAMPLES = (0.25, 0.75), 50

#: Cutoffs (Hz) of the paths of pelvis and feet.
PELVIS, FOOT = 6.0, 10.0

#: The fractions of a contact between which a foot rolls over its heel, and the least angular
#: velocity (rad/s) of a foot that rolls.
OVER_HEEL, ROLLS = (0.02, 0.1), 1.0


class SingleSupport(NamedTuple):
    """The part of a step in which one foot carries the person.

    Attributes
    ==========

    step : PlateStep
        The step.
    acceleration, force : numpy.ndarray, shape (SAMPLES, 3)
        The acceleration of the pelvis; and the force on the foot plus the weight, over the mass.
    """

    step: PlateStep
    acceleration: np.ndarray
    force: np.ndarray


def pelvis_path(walk: Walk) -> Callable[..., np.ndarray]:
    """Return the smoothed path of the midpoint of the hips: of times and derivatives, (N, 3)."""
    pelvis = np.mean([walk.centers[f"hip_{side}"] for side in SIDES], axis=0)
    return smoothing_spline(walk.times, pelvis, PELVIS).spline


def find_supports(
    walk: Walk, path: Callable[..., np.ndarray], steps: Sequence[PlateStep], up: int
) -> Iterator[SingleSupport]:
    """Yield the single support of each step, for the path of the pelvis.

    ``up`` is the index of the vertical axis.
    """
    for step in steps:
        times = step.start + np.linspace(*ALONE, SAMPLES) * (step.end - step.start)
        measured = walk.reactions.plates[step.foot].force.T
        force = np.stack([np.interp(times, walk.times, x) for x in measured], axis=-1)
        force = force / walk.mass - GRAVITY * (np.arange(3) == up)
        yield SingleSupport(step, path(times, 2), force)


def rolling_distance(walk: Walk, step: PlateStep, pressure: np.ndarray, up: int) -> float:
    """Return the distance (m) of the centre of pressure in front of the axis of the rolling heel.

    NaN if the foot does not roll; ``pressure`` has the centres of pressure, shape (N, 3).
    """
    times, level = walk.times, np.delete(np.arange(3), up)
    path = smoothing_spline(times, walk.feet[step.foot].reshape(len(times), -1), FOOT).spline
    places, velocities = (path(times, k).reshape(-1, 2, 3) for k in (0, 1))
    foot, change = np.diff(places, axis=1)[:, 0], np.diff(velocities, axis=1)[:, 0]
    ahead = foot[:, level] / np.linalg.norm(foot[:, level], axis=-1)[:, None]
    x, vx = (foot[:, level] * ahead).sum(-1), (change[:, level] * ahead).sum(-1)
    # the rigid foot that fits heel and toe: w = (r x v) / r^2, and d rises by v_heel + w d
    turning = (x * change[:, up] - foot[:, up] * vx) / (x**2 + foot[:, up] ** 2)
    along = ((pressure - places[:, 0])[:, level] * ahead).sum(axis=-1)
    rising = velocities[:, 0, up] + turning * along
    part = (times - step.start) / (step.end - step.start)
    rows = (part > OVER_HEEL[0]) & (part < OVER_HEEL[1]) & (turning < -ROLLS)
    most = float(np.square(turning[rows]).sum())
    return float(rising[rows] @ turning[rows]) / most if most else np.nan
