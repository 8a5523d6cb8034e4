"""Energy of measured segments, and the power of wrenches on them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .marker_segments import SegmentMotion


def segment_energies(
    motions: Sequence[SegmentMotion],
    bodies: Sequence[Any],
    gravity: np.ndarray,
    loads: Sequence[np.ndarray],
    wrenches: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the outputs ``kinetic_energies`` (N, segments) and ``body_powers`` (N, segments, 4).

    Wrenches (N, segments, 6) are those of proximal joints about their centres, loads (N, 6) about
    the origin.  A joint force does work along the path of the joint centre, the same on both
    segments, as in Robertson and Winter: where this is not a point of a rigid segment, energies do
    not balance.

    References
    ==========

    .. [1] D. G. E. Robertson, D. A. Winter, Mechanical energy generation, absorption and transfer
       amongst segments during walking, Journal of Biomechanics 13 (1980), 845-854.
    """
    energies, powers = [], []
    for k, (motion, body, load) in enumerate(zip(motions, bodies, loads, strict=True)):
        v, w = motion.velocity, motion.angular_velocity
        spin = (np.swapaxes(motion.rotations, -1, -2) @ w[..., None])[..., 0]  # in its frame
        energies.append((body.mass * _dot(v, v) + _dot(spin @ body.inertia, spin)) / 2)
        moment = load[:, 3:] - np.cross(motion.center, load[:, :3])
        acting = [body.mass * v @ gravity, _dot(load[:, :3], v) + _dot(moment, w)]
        others = 0 * acting[0]
        if k + 1 < len(motions):
            others = -_joint_power(wrenches[:, k + 1], motions[k + 1].joint_velocity, w)
        acting += [others, _joint_power(wrenches[:, k], motion.joint_velocity, w)]
        powers.append(np.stack(acting, axis=-1))
    return {
        "kinetic_energies": np.stack(energies, axis=-1),
        "body_powers": np.stack(powers, axis=1),
    }


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


def _joint_power(wrench: np.ndarray, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    return _dot(wrench[:, :3], velocity) + _dot(wrench[:, 3:], spin)
