"""Newton metres per ampere: from motions with and without a known load."""

import numpy as np
import pytest
from marks import slow
from refusals import refused
from scipy.signal import lfilter
from waves import two_rods, waves_at

from jointwrench import Trajectory
from jointwrench.identification import drive_gains, friction_terms, identify, identify_payload

arm = pytest.fixture(two_rods, scope="module")
GAINS = np.array([12.0, -7.0])
LOAD = {"m S_1": 2.0, "my S_1": 2.0 * 0.4, "Ixx S_1": 2.0 * 0.16, "Izz S_1": 2.0 * 0.16}
NOISE = 0.02


def recording(arm, seed, load, share=0.0, count=2000):
    """Return a motion and the currents of both drives, with friction and errors that last."""
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
    white = rng.normal(size=torques.shape) * NOISE * np.sqrt(1 - share**2)
    return motion, torques / GAINS + lfilter([1], [1, -share], white, axis=0)


def found_gains(arm, seed=0, share=0.0, **options):
    recordings = [recording(arm, seed + k, load, share) for k, load in ((1, {}), (2, LOAD))]
    motions, currents = zip(*recordings, strict=True)
    given = {"constants": arm[1], "actuators": True, **options}
    return drive_gains(arm[0], motions, currents, [None, LOAD], **given), recordings


def test_gains_and_then_masses(arm):
    """Signs of drives, too; currents become torques, from which masses follow."""
    gains, recordings = found_gains(arm)
    np.testing.assert_allclose([*gains.values.values()], GAINS, rtol=0.01)
    errors = np.array([*gains.values.values()]) - GAINS
    assert (abs(errors) < 4 * np.array([*gains.standard_errors.values()])).all()
    motion, currents = recordings[0]
    found = identify(arm[0], motion, gains.forces(currents), arm[1], actuators=True)
    assert found.values["Coulomb u_0"] == pytest.approx(0.5, abs=0.02)
    assert found.values["Izz S_1"] == pytest.approx(0.06, abs=0.1)
    assert "u_1(t)" in repr(gains)
    assert "standard error" in gains._repr_html_()


@pytest.mark.parametrize("share", slow([0.0, 0.9]))
def test_scatter_is_what_is_reported(arm, share):
    found = [found_gains(arm, 10 * k, share)[0] for k in range(12)]
    values = np.array([[*gains.values.values()] for gains in found])
    errors = np.array([[*gains.standard_errors.values()] for gains in found])
    ratio = values.std(axis=0, ddof=1) / errors.mean(axis=0)
    assert (ratio > 0.5).all()
    assert (ratio < 1.8).all()
    assert (abs(values.mean(axis=0) - GAINS) < 3 * errors.mean(axis=0)).all()


def test_a_drive_that_hardly_feels_the_load(arm):
    """Its gain follows from the parameters that it shares with the other one."""
    light = {name: 0.01 * value for name, value in LOAD.items()}
    pairs = [recording(arm, seed, load) for seed, load in ((1, {}), (2, light))]
    pairs = [
        (motion, currents + [0.3, 0] * np.sin(90 * motion.times[:, None]))
        for motion, currents in pairs
    ]
    motions, currents = zip(*pairs, strict=True)
    gains = drive_gains(arm[0], motions, currents, [None, light], arm[1], actuators=True)
    errors = np.array([*gains.values.values()]) - GAINS
    assert (abs(errors) < 4 * np.array([*gains.standard_errors.values()])).all()


def test_filtered_with_friction_of_ones_own(arm):
    extra = friction_terms(arm[0].speeds, "viscous", "Coulomb")
    gains, _ = found_gains(arm, actuators=False, extra=extra, cutoff=5.0)
    np.testing.assert_allclose([*gains.values.values()], GAINS, rtol=0.01)


def test_bad_loads(arm):
    idyn, constants = arm
    motion, currents = recording(arm, 1, {}, count=300)
    given = idyn, [motion] * 2, [currents] * 2
    refused(lambda: drive_gains(*given, [None, {"mass": 2.0}], constants), "loads")
    for loads in ([None, None], [LOAD, LOAD]):
        refused(lambda: drive_gains(*given, loads, constants, actuators=True), "loads")


class TestPayload:
    """What a body carries, from a fit without it and a recording with it."""

    @staticmethod
    def found(arm, seed, body="S_1", count=500):
        """Return the payload and how many standard errors it differs from the true one."""
        (motion, currents), (other, loaded) = (
            recording(arm, seed + k, load, count=count) for k, load in ((1, {}), (2, LOAD))
        )
        empty = identify(arm[0], motion, currents * GAINS, arm[1], actuators=True, method="wls")
        payload = identify_payload(empty, body, other, loaded * GAINS)
        pairs = zip(payload.values.items(), payload.standard_errors.values(), strict=True)
        return payload, {k: (x - LOAD.get(k, 0)) / e for (k, x), e in pairs if np.isfinite(x)}

    def test_it_is_within_its_standard_errors(self, arm):
        """Its mass, too, which both recordings alone show in combinations only."""
        payload, off = self.found(arm, 0)
        assert list(off) == ["m S_1", "mx S_1", "my S_1", "Izz S_1"]
        assert max(map(abs, off.values())) < 4
        assert payload.standard_errors["m S_1"] < 0.05
        assert payload.mismatch < 2
        assert "m S_1" in payload._repr_html_()

    def test_another_body_does_not_explain_it(self, arm):
        """Attached to the first rod it would need another mass; that rod alone shows no mass."""
        payload, off = self.found(arm, 0, arm[0].bodies[0])
        assert list(off) == ["mx S_0", "my S_0", "Izz S_0"]
        assert payload.mismatch > 100

    @pytest.mark.slow
    def test_scatter_is_what_is_reported(self, arm):
        off = np.array([[*self.found(arm, 10 * k)[1].values()] for k in range(12)])
        assert (np.sqrt(np.mean(off**2, axis=0)) < 1.6).all()
        assert (np.sqrt(np.mean(off**2, axis=0)) > 0.6).all()
