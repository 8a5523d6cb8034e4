"""Torque logs as they are: uneven clocks, gaps, rounded positions, noise; one filter for all."""

import numpy as np
import pytest
from refusals import refusal, refused
from scipy.signal import lfilter
from waves import two_rods, waves_at

from jointwrench import Trajectory
from jointwrench.identification import TorqueLog, identify

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


@pytest.fixture(scope="module")
def clock():
    """Half a minute at some 500 samples a second, of an uneven clock with one gap."""
    times = np.cumsum(np.random.default_rng(1).uniform(0.0014, 0.0026, 15000))
    return np.delete(times, slice(7000, 7100))


def test_an_uneven_clock(arm, clock):
    """Forces are at the instants of the motion, unknown in the gap; all is told."""
    idyn, constants = arm
    q, forces = torques_at(arm, clock)
    log = TorqueLog.from_samples(clock, np.round(q, 4), forces, idyn)
    assert log.rate == pytest.approx(500, rel=0.01)
    assert 1.1 < log.cutoff < 20  # of what rounding and the gap leave
    assert set(log.cutoffs) == {"q_0", "q_1"}
    gap = clock[np.argmax(np.diff(clock))]
    inside = abs(log.motion.times - gap - 0.1) > 0.4
    inside[:400] = inside[-400:] = False
    exact = motion_at(log.motion.times)
    errors = [np.abs(x - y)[inside].max() for x, y in zip(_states(log), exact, strict=True)]
    assert errors[0] < 3e-3
    assert errors[2] < 0.02 * np.abs(exact[2]).max()
    missing = np.isnan(log.forces).any(axis=1)
    ends = np.minimum(
        log.motion.times - log.motion.times[0], log.motion.times[-1] - log.motion.times
    )
    assert 90 < (missing & (ends > 1 / log.cutoff)).sum() < 110
    assert missing[ends < 1 / log.cutoff].all()
    _, expected = torques_at(arm, log.motion.times)
    np.testing.assert_allclose(log.forces[~missing], expected[~missing], atol=1e-3)
    text = repr(log)
    assert "the clock had steps of 0.0014 to" in text
    assert "1 gaps of the clock: no forces there" in text
    assert "noise makes 0.2% of accelerations at" in text
    assert "noise makes" in log._repr_html_()
    found = identify(idyn, log.motion, log.forces, constants, actuators=True, cutoff=log.cutoff)
    assert found.values["viscous u_1"] == pytest.approx(FRICTION, abs=0.01)
    assert found.decimation > 5
    assert f"one of {found.decimation} samples kept" in repr(found)


def _states(log):
    return log.motion.q, log.motion.u, log.motion.udot


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


def test_logs_that_are_good_already(arm):
    """Even clocks stay; columns by names; a cutoff of one's own."""
    idyn, _ = arm
    times = np.arange(0, 10, 0.01)
    q, forces = torques_at(arm, times)
    columns = {"q_1": q[:, 1], "q_0": q[:, 0]}
    by_name = {"u_1": forces[:, 1], "u_0": forces[:, 0]}
    log = TorqueLog.from_samples(times, columns, by_name, idyn, cutoff=8)
    assert (log.cutoff, len(log.notes)) == (8, 1)
    ends = (times < 1 / 8) | (times > times[-1] - 1 / 8)
    np.testing.assert_array_equal(log.forces, np.where(ends[:, None], np.nan, forces))
    slower = TorqueLog.from_samples(times, q, forces, idyn, rate=50)
    assert len(slower.forces) == 500
    degrees = TorqueLog.from_samples(times, np.rad2deg(q), forces, idyn, degrees=True, cutoff=8)
    np.testing.assert_allclose(degrees.motion.q, log.motion.q)


def test_what_was_measured_beside_gaps_is_known(arm):
    even = np.arange(1000) / 100
    times = np.delete(even, slice(400, 450))
    q, forces = torques_at(arm, times)
    forces[200] = np.nan
    log = TorqueLog.from_samples(times, q, forces, arm[0], cutoff=8)
    unknown = np.r_[:13, 200, 400:450, 987:1000]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(log.forces[:, 0])), unknown)


def test_a_clock_that_jumps(arm):
    times = np.arange(0, 10, 0.01)
    q, forces = torques_at(arm, times)
    with refusal("times"):
        TorqueLog.from_samples(np.where(times > 5, times + 1e7, times), q, forces, arm[0])
    refused(lambda: TorqueLog.from_samples(times, q, forces, arm[0], rate=1e12), "times")


def test_what_cannot_be_filtered(arm):
    idyn, constants = arm
    times = np.arange(0, 10, 0.01)
    _, forces = torques_at(arm, times)
    motion = motion_at(times)
    refused(lambda: identify(idyn, motion, forces, constants, cutoff=-1), "cutoff")
    uneven = Trajectory(times**1.2, *motion)
    refused(lambda: identify(idyn, uneven, forces, constants, cutoff=1), "motion")
