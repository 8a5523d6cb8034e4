"""Standard errors of identified parameters where errors of forces last; outliers."""

from dataclasses import replace

import numpy as np
import pytest
from marks import slow
from refusals import refusal
from scipy.signal import lfilter
from test_identification import LENGTHS
from test_identified_forces import NOISE, torques
from waves import two_rods, waves

from jointwrench import Trajectory
from jointwrench.identification import TorqueLog, identify
from jointwrench.identification.base_inertial_parameters import find_base
from jointwrench.identification.estimator import FitOptions
from jointwrench.identification.fitting import prepare
from jointwrench.identification.robust import replace_spikes

COUNT = 1500

arm = pytest.fixture(two_rods, scope="module")


def coloured(share, count, rng):
    """Return errors of which each keeps a share of the one before it."""
    white = rng.normal(size=(count + 400, 2)) * NOISE * np.sqrt(1 - share**2)
    return lfilter([1], [1, -share], white, axis=0)[400:]


def long_waves(count, seed=0):
    """Return a motion of 5 waves in 10 s, sampled 150 times a second."""
    return tuple(x[:count] for x in waves(2, 1500, harmonics=5, seed=seed))


@pytest.mark.parametrize(
    ("method", "share", "count"),
    [("wls", 0.9, 200), *slow([("ols", 0, COUNT), ("wls", 0.9, COUNT), ("ols", 0.98, COUNT)])],
)
def test_scatter_is_what_is_reported(arm, method, share, count):
    """Of simulations; as if errors were white, it is up to ten times as large.

    Also where an error lasts for 10 of 200 samples: parameters follow much of what is slow.
    """
    idyn, _ = arm
    motion, rng = long_waves(count), np.random.default_rng(4)
    exact = torques(arm, motion)
    options = FitOptions(method=method, actuators=True)
    estimator, data = prepare(idyn, motion, exact, LENGTHS, None, options)
    found, white = [], replace(estimator, options=options._replace(noise="white"))
    for _ in range(40):
        noisy = replace(data, measured=exact + coloured(share, count, rng))
        found.append((estimator.solve(noisy), white.solve(noisy).base_standard_errors))
    scatter = np.std([own.base_values for own, _ in found], axis=0, ddof=1)
    ratio = scatter / np.mean([own.base_standard_errors for own, _ in found], axis=0)
    assert 0.75 < ratio.min() < ratio.max() < 1.4
    assert 0.85 < np.median(ratio) < 1.2
    orders = [[*own.noise_orders.values()] for own, _ in found]
    assert np.median(orders) == (share > 0)
    as_if = np.median(scatter / np.mean([own for _, own in found], axis=0))
    assert as_if > {0: 0.8, 0.9: 3, 0.98: 5}[share]


def scatter_of(found):
    """Return how far values of recordings are from their mean, in their standard errors."""
    own = np.array([x.base_standard_errors for x in found])
    values = np.array([x.base_values for x in found])
    mean = (values / own**2).sum(axis=0) / (1 / own**2).sum(axis=0)
    return np.sqrt((((values - mean) / own) ** 2).sum(axis=0) / (len(found) - 1))


@pytest.mark.slow
def test_scatter_between_stretches(arm):
    """Of one long recording with gaps, whose torques' errors last and are alike in both joints."""
    idyn, _ = arm
    rng, found = np.random.default_rng(1), []
    for k in range(12):
        motion = long_waves(1000, seed=k)
        errors = coloured(0.95, 1000, rng)
        forces = torques(arm, motion) + errors + 0.3 * errors[:, ::-1]
        forces[rng.integers(0, 1000, 10), 0] = np.nan
        found.append(identify(idyn, motion, forces, LENGTHS, method="wls", actuators=True))
    ratio = scatter_of(found)
    assert 0.7 < np.median(ratio) < 1.5
    assert ratio.max() < 2
    assert "standard errors for autocorrelated (orders 1, 1) noise" in repr(found[0])


@pytest.mark.parametrize("count", slow([1500, 1000]))
def test_scatter_between_logs_as_real_ones_are(arm, count):
    """Of rounded positions, errors that last and vibrate, and friction that no term has."""
    idyn, _ = arm
    rng, found = np.random.default_rng(2), []
    for k in range(16):
        motion, times = long_waves(count, seed=k), np.linspace(0, 10, 1500)[:count]
        q, u, _ = motion
        errors = coloured(0.9, count, rng) + 0.5 * coloured(-0.7, count, rng)
        friction = np.sin(40 * q) / 3 + 2 * np.sign(u) * np.exp(-((u / 0.3) ** 2))
        forces = torques(arm, motion) + errors + NOISE * friction
        log = TorqueLog.from_samples(times, q.round(3), forces, idyn, cutoff=4.0, degrees=False)
        options = {"method": "wls", "actuators": True, "cutoff": 4.0}
        found.append(identify(idyn, log.motion, log.forces, LENGTHS, **options))
    ratio = scatter_of(found)
    assert 0.7 < np.median(ratio) < 1.5
    assert 0.5 < ratio.min() < ratio.max() < 1.8


def test_recordings_are_independent(arm):
    """Twice as many with the same errors: the standard errors go down by the root of two.

    A little more: of twice as many errors the parameters take out a smaller share.
    """
    idyn, _ = arm
    motion = long_waves(COUNT)
    forces = torques(arm, motion) + coloured(0.9, COUNT, np.random.default_rng(0))
    one = identify(idyn, motion, forces, LENGTHS, actuators=True)
    two = identify(idyn, [motion] * 2, [forces] * 2, LENGTHS, actuators=True)
    np.testing.assert_allclose(
        two.base_standard_errors, one.base_standard_errors / np.sqrt(2), rtol=0.05
    )


@pytest.mark.parametrize(("share", "size", "more"), [(0.1, 20, {}), (0.03, 300, {"cutoff": 4.0})])
def test_outliers(arm, share, size, more):
    """Huber's loss leaves little of what is far off, also before a filter, and knows it."""
    idyn, _ = arm
    states, rng = long_waves(1500), np.random.default_rng(7)
    motion = Trajectory(np.arange(1500) / 150, *states)
    forces = torques(arm, states) + NOISE * rng.normal(size=(1500, 2))
    hit = rng.random(forces.shape) < share
    spiked = forces + hit * size * NOISE * rng.normal(size=forces.shape)
    options, away = {"method": "wls", "actuators": True, **more}, {}
    plain = identify(idyn, motion, forces, LENGTHS, **options)
    for loss in ("linear", "huber"):
        found = identify(idyn, motion, spiked, LENGTHS, loss=loss, base=plain.base, **options)
        change = (found.base_values - plain.base_values) / plain.base_standard_errors
        away[loss] = np.sqrt(np.mean(change**2))
    assert 5 * away["huber"] < away["linear"]
    assert away["huber"] < 1
    np.testing.assert_allclose(found.base_standard_errors, plain.base_standard_errors, rtol=0.5)


def test_only_what_is_short_is_a_spike(arm):
    """Also beside gaps, at ends, in several recordings; what lasts is left to Huber's loss."""
    idyn, _ = arm
    states = long_waves(600)
    exact = torques(arm, states, 2)
    exact[100:104, 0] = np.nan
    spiked = exact.copy()
    for rows in (0, 99, slice(300, 304), 599):
        spiked[rows, 0] += 50
    spiked[400:460, 1] -= 20
    runs, forces = [states] * 2, [spiked, exact]
    _, data = prepare(idyn, runs, forces, LENGTHS, None, FitOptions(actuators=True, loss="huber"))
    places = find_base(data.model, data.samples[0]).places
    found = replace_spikes(data, places, longest=5.0).measured
    changed = np.flatnonzero((found != data.measured).any(axis=1) & data.is_measured.all(axis=1))
    assert {0, 99, 300, 301, 302, 303, 599} <= {*changed} <= {0, 99, *range(300, 304), 599}
    assert np.nanmax(abs(found[:600, 0] - exact[:, 0])) < 6 * NOISE[0]
    np.testing.assert_array_equal(found[:600, 1], spiked[:, 1])


def test_a_search_that_ends_early_says_so(arm, monkeypatch):
    monkeypatch.setattr("jointwrench.identification.robust.MAX_STEPS", 1)
    motion = long_waves(100)
    forces = torques(arm, motion, 1)
    forces[::3] += 5
    with pytest.warns(UserWarning, match="`loss`: the search .* has not converged after 1 step"):
        identify(arm[0], motion, forces, LENGTHS, loss="huber", actuators=True)


def test_unknown_kinds(arm):
    motion = long_waves(100)
    for name in ("noise", "loss"):
        with refusal(name):
            identify(arm[0], motion, torques(arm, motion), LENGTHS, **{name: "pink"})
