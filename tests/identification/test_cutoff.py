"""One filter for forces and for the coefficients of all parameters."""

import numpy as np
import pytest
from refusals import refused
from scipy.signal import lfilter
from waves import two_rods, waves_at

from jointwrench import Trajectory
from jointwrench.identification import identify

arm = pytest.fixture(two_rods, scope="module")
FREQUENCIES = np.array([0.3, 0.7, 1.1])
FRICTION = 0.4


def motion_at(times, seed=0):
    """Return a motion of some waves at any times: q, u, udot, each of shape (N, 2)."""
    amplitudes = np.random.default_rng(seed).normal(size=(2, 3, 2))
    return waves_at(times, 2 * np.pi * FREQUENCIES, *amplitudes)


def torques_at(arm, times, seed=0):
    idyn, constants = arm
    q, u, udot = motion_at(times, seed)
    forces = idyn.compile(backend="numpy")(q, u, udot, constants).generalized_forces
    return q, forces + FRICTION * u


def test_the_filter_biases_nothing(arm):
    """Exact forces at twice the frequency of the cutoff: filtered alone they would be too small."""
    idyn, constants = arm
    times = np.arange(0, 12, 0.005)
    motion = Trajectory(times, *motion_at(times))
    _, forces = torques_at(arm, times)
    truth = identify(idyn, motion, forces, constants, actuators=True).base_values
    found = identify(idyn, motion, forces, constants, actuators=True, cutoff=0.5)
    np.testing.assert_allclose(found.base_values, truth, 1e-6, 1e-6)
    assert found.decimation == 80
    assert len(found.residuals) == 30
    forces[300:340, 1] = np.nan
    again = identify(idyn, [motion] * 2, [forces] * 2, constants, actuators=True, cutoff=2)
    np.testing.assert_allclose(again.base_values, truth, 1e-3, 1e-3)
    assert np.isnan(again.residuals[:, 1]).any()
    assert not np.isnan(again.residuals[:, 0]).any()


def test_noise_beyond_the_cutoff_does_not_count(arm):
    """The same filter goes over what is validated."""
    idyn, constants = arm
    times, rng = np.arange(0, 30, 0.004), np.random.default_rng(0)
    _, exact = torques_at(arm, times)
    errors = [lfilter([1], [1, -0.9], rng.normal(size=exact.shape), axis=0) for _ in range(2)]
    motion = Trajectory(times, *motion_at(times))
    options = {"actuators": True, "cutoff": 5.0}
    found = identify(idyn, motion, exact + errors[0], constants, **options)
    other = Trajectory(times, *motion_at(times, seed=4))
    _, forces = torques_at(arm, times, seed=4)
    fit = found.validate(other, forces + errors[1])
    assert len(fit.times) == len(times) // found.decimation
    assert fit.total_rms < 0.8 * errors[1].std()


def test_what_cannot_be_filtered(arm):
    idyn, constants = arm
    times = np.arange(0, 10, 0.01)
    _, forces = torques_at(arm, times)
    motion = motion_at(times)
    refused(lambda: identify(idyn, motion, forces, constants, cutoff=-1), "cutoff")
    uneven = Trajectory(times**1.2, *motion)
    refused(lambda: identify(idyn, uneven, forces, constants, cutoff=1), "motion")
