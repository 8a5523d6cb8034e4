"""Forces of other motions from identified parameters: predicted, validated, drawn."""

import pickle

import numpy as np
import pytest
from refusals import refused
from waves import two_rods, waves

from jointwrench import Trajectory
from jointwrench.identification import Fit, identify

NOISE = np.array([0.3, 0.05])


arm = pytest.fixture(two_rods, scope="module")


def torques(arm, motion, seed=None):
    """The torques of a motion with viscous and Coulomb friction; with noise if there is a seed."""
    idyn, constants = arm
    exact = idyn.compile(backend="numpy")(*motion, constants).generalized_forces
    exact = exact + 0.4 * motion[1] + 0.7 * np.sign(motion[1])
    return exact if seed is None else exact + NOISE * rng_of(seed).normal(size=exact.shape)


def rng_of(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("method", ["ols", "wls", "consistent"])
def test_other_motions_are_predicted(arm, method):
    """Also where most parameters have no value of their own."""
    idyn, constants = arm
    motion, other = waves(2, 400), waves(2, 50, seed=5)
    found = identify(
        idyn, motion, torques(arm, motion, 1), constants, method=method, actuators=True
    )
    predicted = found.predict(other)
    assert predicted.shape == (50, 2)
    assert np.abs(predicted - torques(arm, other)).max() < 0.25
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(tuple(x[None] for x in other))[0], predicted)
    fit = found.validate(other, torques(arm, other, 2))
    np.testing.assert_allclose(fit.predicted, predicted)
    np.testing.assert_allclose([*fit.rms.values()], NOISE, rtol=0.35)
    measured = np.sqrt((fit.measured**2).sum())
    assert fit.total_relative_rms == pytest.approx(np.sqrt((fit.residuals**2).sum()) / measured)
    assert fit.total_relative_rms < max(fit.relative_rms.values())
    assert "altogether" in repr(fit)
    assert "altogether" in fit._repr_html_()


def test_what_cannot_be_predicted(arm):
    idyn, constants = arm
    motion = waves(2, 60)
    forces = idyn.compile(backend="numpy")(*motion, constants).generalized_forces
    found = identify(idyn, motion, forces, constants)
    refused(lambda: found.validate(motion, {idyn.speeds[0]: forces[:, 0]}), "forces")
    refused(lambda: found.predict((np.zeros((3, 1)),) * 3), "motion")


def test_several_recordings(arm):
    """Together they say what one after another in one array says, and what a batch of them says."""
    idyn, constants = arm
    motion = waves(2, 300)
    forces = torques(arm, motion, 3)
    cuts = [slice(0, 80), slice(80, 200), slice(200, 300)]
    t = np.linspace(0, 10, 300)
    motions = [Trajectory(t[cut], *(x[cut] for x in motion)) for cut in cuts]
    parts = [forces[cut] for cut in cuts]
    given = {"constants": constants, "actuators": True, "method": "wls"}
    together = identify(idyn, motions, parts, **given)
    one = identify(idyn, motion, forces, **given)
    np.testing.assert_allclose(together.base_values, one.base_values, 1e-9, 1e-9)
    np.testing.assert_array_equal(together.fit.recordings, np.repeat(range(3), [80, 120, 100]))
    arrays = [tuple(x[cut] for x in motion) for cut in cuts]
    np.testing.assert_allclose(
        identify(idyn, arrays, parts, **given).base_values, one.base_values, 1e-9, 1e-9
    )
    *states, rows = (x.reshape(3, 100, 2) for x in (*motion, forces))
    batch = identify(idyn, tuple(states), rows, **given)
    np.testing.assert_allclose(batch.base_values, one.base_values, 1e-9, 1e-9)
    refused(lambda: identify(idyn, motions, forces, **given), "forces")
    refused(lambda: identify(idyn, motions, parts, constants, [{}], actuators=True), "specifieds")
    mixed = [*parts[:2], {idyn.speeds[0]: parts[2][:, 0]}]
    refused(lambda: identify(idyn, motions, mixed, **given), "forces")


def test_forces_and_moments_together():
    """Moments count by the model's own length, whatever the unit."""
    measured, zero = np.array([[3.0, 8.0]]), np.zeros(1)
    fit = Fit(measured, measured - [[0.3, 0.4]], ("f", "m"), zero, zero, np.array([1.0, 2.0]))
    assert fit.total_rms == pytest.approx(np.sqrt((0.3**2 + 0.2**2) / 2))
    assert fit.total_relative_rms == pytest.approx(np.hypot(0.3, 0.2) / 5)
