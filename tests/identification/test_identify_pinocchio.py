"""A robot that Pinocchio simulates, with friction, rounded positions and errors that last."""

import numpy as np
import pytest
from scipy.signal import lfilter
from test_torque_log import FREQUENCIES
from waves import waves_at

from jointwrench import example_data
from jointwrench.identification import TorqueLog, friction_terms, identify
from jointwrench.robots import read_urdf

RATE, SECONDS, SHARE, SMOOTH = 125, 60, 0.8, 0.03
NOISE = np.array([0.3, 0.4, 0.2, 0.3, 0.1, 0.1, 0.1])
FRICTION = np.array([0.5, 0.8, 0.4, 0.6, 0.3, 0.2, 0.2])


def recording(simulated, seed):
    """Return times, rounded positions, torques with errors, and these alone."""
    import pinocchio

    model, rng = simulated, np.random.default_rng(seed)
    times = np.arange(SECONDS * RATE) / RATE
    k = 2 * np.pi * np.append(FREQUENCIES, 0.1)
    a, b = 0.8 * rng.normal(size=(2, 4, 7)) / (1 + k[:, None])
    q, u, udot = waves_at(times, k, a, b)
    data = model.createData()
    tau = np.array([pinocchio.rnea(model, data, *row) for row in zip(q, u, udot, strict=True)])
    tau += FRICTION * (np.tanh(u / SMOOTH) + u)
    white = rng.normal(size=(len(times) + RATE, 7)) * NOISE * np.sqrt(1 - SHARE**2)
    noise = lfilter([1], [1, -SHARE], white, axis=0)[RATE:]
    return times, np.round(q, 4), tau + noise, noise


@pytest.mark.slow
def test_new_motions_are_predicted():
    """To 5 % of the noise, also by bodies that can exist, from a drawing that is a third off."""
    pinocchio = pytest.importorskip("pinocchio")
    path = example_data("panda.urdf")
    model = pinocchio.buildModelFromUrdf(str(path))
    model = pinocchio.buildReducedModel(model, [*range(8, model.njoints)], np.zeros(model.nq))
    for k, factor in enumerate((1.0, 1.2, 0.8, 1.3, 0.9, 1.1, 0.75), start=1):
        own = model.inertias[k]
        model.inertias[k] = pinocchio.Inertia(factor * own.mass, own.lever, factor * own.inertia)
    idyn = read_urdf(path, merge_fixed=True).inverse_dynamics()
    times, q, tau, _ = recording(model, 1)
    log = TorqueLog.from_samples(times, q, tau, idyn)
    new_times, new_q, new_tau, noise = recording(model, 2)
    new = TorqueLog.from_samples(new_times, new_q, new_tau, idyn, cutoff=log.cutoff)
    extra = friction_terms(idyn.speeds, "viscous", "Coulomb", smooth=SMOOTH)
    left = []
    for method in ("wls", "consistent"):
        given = {"method": method, "extra": extra, "cutoff": log.cutoff}
        found = identify(idyn, log.motion, log.forces, **given)
        rest = new.forces - found.predict(new.motion)
        known = np.isfinite(rest)
        left.append(np.linalg.norm(rest[known]) / np.linalg.norm(noise[known]))
    assert max(left) < 1.05
    assert left[1] < 1.02 * left[0]
    assert found.values["viscous u_panda_joint4"] == pytest.approx(0.6, abs=0.1)
