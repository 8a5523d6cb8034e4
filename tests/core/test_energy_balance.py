"""Work of gravity, loads and joints is the change of the energy, and what is left over is told."""

import pickle

import numpy as np
import pytest
from numeric import arguments_of
from numpy.testing import assert_allclose
from random_systems import closed_system
from refusals import refused
from sympy import Tuple
from sympy.physics.mechanics import dynamicsymbols

import jointwrench as jw
from jointwrench.mechanics.dynamics.joint_motion import JointMotion

OUTPUTS = ("joint_wrenches", "kinetic_energies", "body_powers")


@pytest.fixture(scope="module")
def flying():
    """Return a person in the air, as simulated: nothing but gravity acts."""
    person = jw.gait.planar_body(1.75, 70.0)
    idyn = jw.InverseDynamics(person.system)
    constants = person.constants_of(idyn)
    start = np.random.default_rng(3).normal(size=(2, len(idyn.coordinates))) * [[1], [2]]
    options = {"constants": constants, "rtol": 1e-12, "atol": 1e-12}
    times = np.linspace(0, 0.4, 401)
    motion = jw.ForwardDynamics(person.system).simulate(times, *start, **options)
    return idyn.compile(OUTPUTS, backend="numpy"), motion, constants


def test_a_simulated_motion_has_no_residual(flying):
    evaluate, motion, constants = flying
    balance = evaluate(motion, constants=constants).energy_balance()
    assert balance.bodies[0] == "trunk"
    assert set(balance.residuals) == {"trunk"}
    assert np.abs(balance.residuals["trunk"]).max() < 1e-9  # N, N m, of 687 N
    assert max(x[0] for x in balance.errors().values()) < 1e-8  # per cent
    assert balance.works([0.0, 0.1, 0.4])["gravity"].shape == (2, 12)
    assert_allclose(balance.works()["left over"], 0, atol=1e-9)
    assert "% of peak power" in balance._repr_html_()


def test_residuals_are_of_joints_that_move_freely_in_a_plane_at_least():
    u, v, w = dynamicsymbols("u v w")
    assert JointMotion(Tuple(u, v, 0, 0, 0, w), (u, v, w)).is_free
    assert not JointMotion(Tuple(u, v, 0, 0, 0, u), (u, v)).is_free  # turns as it goes
    assert not JointMotion(Tuple(u, v, w, 0, 0, 0), (u, v, w)).is_free


def test_what_no_plate_supplies_is_left_over(flying):
    """The mass centre of a thigh is said to be elsewhere: the trunk would have to be held."""
    evaluate, motion, constants = flying
    thigh = next(s for s in constants if s.name == "c_thigh_left")
    result = evaluate(motion, constants=constants | {thigh: constants[thigh] + 0.05})
    balance = result.energy_balance()
    residual, spun = balance.residuals["trunk"], result.joint_power("trunk")
    assert np.abs(residual).max() > 0.1
    with pytest.warns(DeprecationWarning, match="Use power_residual"):
        assert_allclose(balance.unexplained, balance.power_residual)
    assert_allclose(balance.power_residual.sum(axis=-1), spun, atol=1e-6 * np.abs(spun).max())
    assert np.abs(balance.power_residual[:, 1:]).max() < 1e-6 * np.abs(spun).max()
    assert balance.errors()["whole"] > 0.01
    supplied = result.energy_balance(residual=())  # as if somebody held the trunk
    assert supplied.residuals == {}
    assert supplied.errors()["whole"] < 1e-6


def test_speeds_that_are_not_rates_are_told(flying):
    evaluate, motion, constants = flying
    wrong = jw.Trajectory(motion.times, motion.q, motion.u, 1.1 * motion.udot)
    balance = evaluate(wrong, constants=constants).energy_balance(residual=())
    assert balance.errors()["whole"] > 0.01


def test_refused(flying):
    evaluate, motion, constants = flying
    result = evaluate(motion, constants=constants)
    refused(lambda: result.energy_balance("nose"), "residual")
    refused(lambda: pickle.loads(pickle.dumps(result)).energy_balance(), "result")
    given = result.joints, (), result.inputs, result.model_joints
    alone = jw.Result({"joint_wrenches": result.joint_wrenches}, *given)
    refused(alone.energy_balance, None, AttributeError)
    refused(lambda: result.energy_balance().errors([0.0, 3.0]), "cycles")
    chain = closed_system(0, planar=True)
    idyn = chain.inverse()
    closed = idyn.compile(OUTPUTS, backend="numpy")(*arguments_of(idyn, chain.inputs))
    refused(lambda: closed.energy_balance(closed.joints[-1]), "residual")
