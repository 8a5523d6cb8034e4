"""Prescribed motions: their derivatives, and what they refuse."""

import numpy as np
import pytest
from bodies import massive_body, rigid_body, system_of
from refusals import refusal, refused
from sympy import Function, Heaviside, I, Symbol, cos, exp, log, sin, solve, sqrt, symbols
from sympy.physics.mechanics import Particle, PinJoint, PrismaticJoint, WeldJoint, dynamicsymbols

from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.methods.kinematics import Kinematics
from jointwrench.models.serial_chain import SerialChain
from jointwrench.motion.prescribed_motion import PrescribedMotion
from jointwrench.motion.trajectory import Trajectory

q, u, q2 = dynamicsymbols("q u q2")
l = Symbol("l")
t = dynamicsymbols._t
TIMES = np.linspace(-1.0, 2.0, 7)


def pendulum(kdes=None, coordinates=q, speeds=u, more=()):
    ground, rod = rigid_body("ground"), rigid_body("rod", 2)
    system = system_of(
        ground, PinJoint("pin", ground, rod, coordinates, speeds, child_point=l * rod.y)
    )
    if more:
        system.add_coordinates(*more)
    if kdes is not None:
        system.kdes = kdes
        (rate,) = solve(kdes[0], q.diff(t))
        pin = system.joints[0]
        pin.child_interframe.set_ang_vel(pin.parent_interframe, rate * pin.parent_interframe.x)
        rod.masscenter.v2pt_theory(pin.parent_point, ground.frame, rod.frame)
    return InverseDynamics(system)


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,), (2, 0)])
def test_has_the_axes_of_the_times(shape):
    idyn = InverseDynamics(SerialChain.planar(3).system)
    motion = PrescribedMotion(idyn, dict(zip(idyn.coordinates, (0, 1.5, exp(t)), strict=True)))
    for array in motion.at(np.zeros(shape)):
        assert array.shape == (*shape, 3)
    np.testing.assert_array_equal(motion.at(0).q, [0, 1.5, 1])


def test_coordinates_may_be_given_by_name():
    motion = PrescribedMotion(pendulum(), {"q": t})
    assert motion.at(0.0).u == 1
    assert repr(motion) == "PrescribedMotion(q(t))"


def test_speeds_of_other_kinematical_equations():
    # u = l (2 + sin q) q' + t, so that udot = l (2 + sin q) q'' + l cos q q'^2 + 1
    idyn = pendulum([u - l * (2 + sin(q)) * q.diff(t) - t])
    _, speed, acceleration = PrescribedMotion(idyn, {q: t**2}, {l: 3}).at(TIMES)
    angle, rate = TIMES**2, 2 * TIMES
    np.testing.assert_allclose(speed[:, 0], 3 * (2 + np.sin(angle)) * rate + TIMES)
    expected = 6 * (2 + np.sin(angle)) + 3 * np.cos(angle) * rate**2 + 1
    np.testing.assert_allclose(acceleration[:, 0], expected)


def test_speeds_that_are_the_coordinates_derivatives():
    at = PrescribedMotion(pendulum(speeds=q.diff(t)), {q: sin(t)}).at(TIMES)
    np.testing.assert_allclose(at.u[:, 0], np.cos(TIMES))
    np.testing.assert_allclose(at.udot[:, 0], -np.sin(TIMES), atol=1e-15)


def test_more_coordinates_than_speeds():
    idyn = pendulum([u - q.diff(t), q2.diff(t) - 2 * u], more=[q2])
    at = PrescribedMotion(idyn, {q: sin(t), q2: 2 * sin(t) + 1}).at(TIMES)
    np.testing.assert_allclose(at.u[:, 0], np.cos(TIMES))
    np.testing.assert_allclose(at.udot[:, 0], -np.sin(TIMES), atol=1e-15)
    refused(lambda: PrescribedMotion(idyn, {q: sin(t), q2: 3 * sin(t)}).at([0.0, 1.0]), "motion")
    idyn = pendulum([u - q.diff(t), q2.diff(t) - 2 * u / q], more=[q2])
    refused(lambda: PrescribedMotion(idyn, {q: t, q2: 2 * t}).at([0.0]), "motion")


def test_formulas_may_contain_the_models_constants():
    at = PrescribedMotion(pendulum(), {q: sin(t / sqrt(l))}, {"l": 4}).at(0.0)
    assert at.u == pytest.approx(0.5)
    refused(lambda: PrescribedMotion(pendulum(), {q: l * t}), "constants")


def test_of_a_real_time(monkeypatch):
    real = symbols("t", real=True)
    monkeypatch.setattr(dynamicsymbols, "_t", real)
    idyn = InverseDynamics(SerialChain.planar(1).system)
    (angle,) = idyn.coordinates
    assert PrescribedMotion(idyn, {angle: real**2}).at(-2.0).u == -4
    refused(lambda: PrescribedMotion(idyn, {angle: sin(Symbol("t"))}), "formulas")


@pytest.mark.parametrize("formula", [Symbol("tau") * t, q2 + t, Function("f")(t).diff(t), I * t])
def test_refuses_formulas_that_are_not_of_time(formula):
    refused(lambda: PrescribedMotion(pendulum(), {q: formula}), "formulas")


def test_refuses_formulas_without_two_derivatives():
    refused(lambda: PrescribedMotion(pendulum(), {q: Heaviside(t)}), None)


def test_refuses_wrong_coordinates():
    idyn = InverseDynamics(SerialChain.planar(3).system)
    a, b, c = idyn.coordinates
    refused(lambda: PrescribedMotion(idyn, {b: t}), "formulas")
    refused(lambda: PrescribedMotion(idyn, {a: t, "q_0": t, b: t, c: t}), "formulas")


def test_refuses_values_that_are_not_finite():
    idyn = pendulum()
    refused(lambda: PrescribedMotion(idyn, {q: sqrt(t)}).at([1.0, -1.0]), "motion")
    refused(lambda: PrescribedMotion(idyn, {q: log(t)}).at([1.0, 0.0]), "motion")
    refused(lambda: PrescribedMotion(idyn, {q: sqrt(t)}).at(0.0), "motion")
    refused(lambda: PrescribedMotion(idyn, {q: sqrt(t) ** 3}).at(0.0), "motion")


def test_refuses_singular_kinematical_equations():
    idyn = pendulum([u * sin(q) - q.diff(t)])
    refused(lambda: PrescribedMotion(idyn, {q: t}).at([1.0, 0.0]), "motion")
    # u**2 = q'' is not there: the derivative is what is not finite
    idyn = pendulum([u - q.diff(t) - sqrt(t)])
    refused(lambda: PrescribedMotion(idyn, {q: cos(t)}).at(0.0), "motion")


def test_refuses_systems_it_cannot_move():
    ground, plate = rigid_body("ground"), massive_body("plate")
    system = system_of(ground, WeldJoint("weld", ground, plate))
    refused(lambda: PrescribedMotion(InverseDynamics(system), {}), "idyn")


def test_refuses_kinematical_equations_that_are_not_linear_or_have_changed():
    ground, bead = rigid_body("ground"), Particle("bead")
    system = system_of(ground, PrismaticJoint("slider", ground, bead, q, u))
    makers = InverseDynamics(system), Kinematics(system)
    system.kdes = [u**3 - q.diff(t)]
    for maker in makers:
        with refusal("system"):
            Trajectory.from_samples(np.arange(8.0), np.zeros((8, 1)), idyn=maker)
    refused(lambda: InverseDynamics(system), "system", TopologyError)
