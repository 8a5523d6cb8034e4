"""What a body carries, from a fit without it and a recording with it."""

import numpy as np
import pytest
from waves import two_rods, waves_at

from jointwrench import Trajectory
from jointwrench.identification import identify, identify_payload

arm = pytest.fixture(two_rods, scope="module")
LOAD = {"m S_1": 2.0, "my S_1": 2.0 * 0.4, "Ixx S_1": 2.0 * 0.16, "Izz S_1": 2.0 * 0.16}
NOISE = [0.24, 0.14]


def recording(arm, seed, load, count):
    """Return a motion and the torques of both drives, with friction and noise."""
    idyn, constants = arm
    rng, times = np.random.default_rng(seed), np.arange(count) / 100
    amplitudes = np.random.default_rng(seed % 10).normal(size=(2, 3, 2))
    waves = waves_at(times, 2 * np.pi * np.array([0.2, 0.5, 0.8]), *amplitudes)
    motion = Trajectory(times, *waves)
    found = idyn.compile(("generalized_forces", "regressor"), backend="numpy")(
        motion, constants=constants
    )
    added = [load.get(parameter.name, 0.0) for parameter in idyn.inertial_parameters]
    torques = found.generalized_forces + found.regressor @ added
    torques = torques + 0.3 * motion.u + 0.5 * np.sign(motion.u)
    return motion, torques + NOISE * rng.normal(size=torques.shape)


def found_payload(arm, seed, body="S_1", count=500, factor=1.0):
    """Return the payload and how many standard errors it differs from the true one."""
    (motion, torques), (other, loaded) = (
        recording(arm, seed + k, load, count) for k, load in ((1, {}), (2, LOAD))
    )
    empty = identify(arm[0], motion, factor * torques, arm[1], actuators=True, method="wls")
    payload = identify_payload(empty, body, other, factor * loaded)
    pairs = zip(payload.values.items(), payload.standard_errors.values(), strict=True)
    off = {k: (x / factor - LOAD.get(k, 0)) / e for (k, x), e in pairs if np.isfinite(x)}
    return payload, off


@pytest.mark.parametrize("factor", [1.0, 1.2])
def test_it_is_within_its_standard_errors(arm, factor):
    """Its mass, too, which both recordings alone show in combinations only; gains scale it."""
    payload, off = found_payload(arm, 0, factor=factor)
    assert list(off) == ["m S_1", "mx S_1", "my S_1", "Izz S_1"]
    assert max(map(abs, off.values())) < 4
    assert payload.standard_errors["m S_1"] < 0.05
    assert payload.mismatch < 2
    assert "m S_1" in payload._repr_html_()


def test_another_body_does_not_explain_it(arm):
    """Attached to the first rod it would need another mass; that rod alone shows no mass."""
    payload, off = found_payload(arm, 0, arm[0].bodies[0])
    assert list(off) == ["mx S_0", "my S_0", "Izz S_0"]
    assert payload.mismatch > 100


@pytest.mark.slow
def test_scatter_is_what_is_reported(arm):
    off = np.array([[*found_payload(arm, 10 * k)[1].values()] for k in range(12)])
    assert (np.sqrt(np.mean(off**2, axis=0)) < 1.6).all()
    assert (np.sqrt(np.mean(off**2, axis=0)) > 0.6).all()
