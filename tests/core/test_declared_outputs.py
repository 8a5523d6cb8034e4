"""Outputs of the user's own: as all others are."""

import pickle

import numpy as np
import pytest
from refusals import refusal
from sympy import Symbol, sin

import jointwrench as jw
from jointwrench.extend import DeclaredOutput

STATES = np.random.default_rng(5).normal(size=(3, 7, 2))
MASS = Symbol("payload")


def effort(model):
    torques = model.output("generalized_forces")
    return [torques @ [model.scalar(u) for u in model.speeds], MASS * sin(model.coordinates[0])]


@pytest.fixture(scope="module")
def idyn():
    own = DeclaredOutput("effort", (2,), effort, needs=[MASS])
    return jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system, outputs=[own])


def numbers(model):
    return {symbol: 0.4 + 0.1 * k for k, symbol in enumerate(model.constants)}


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_values_and_slopes(idyn, backend):
    names = ["effort", "generalized_forces"]
    evaluate = idyn.compile(names, derivatives=["q"], backend=backend)
    result = evaluate(*STATES, numbers(idyn))
    power = (result.generalized_forces * STATES[1]).sum(axis=-1)
    second = numbers(idyn)[MASS] * np.sin(STATES[0][:, 0])
    np.testing.assert_allclose(result.effort, np.stack([power, second], axis=-1), atol=1e-13)
    step = np.array([1e-6, 0])
    q, u, udot = STATES
    ahead, behind = (evaluate(q + x, u, udot, numbers(idyn)).effort for x in (step, -step))
    slope = result.derivative("effort", "q")[..., 0]
    np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, atol=1e-7)
    again = pickle.loads(pickle.dumps(evaluate))(*STATES, numbers(idyn))
    assert (again.effort == result.effort).all()


def test_second_derivatives_and_formulas(idyn):
    evaluate = idyn.compile("effort", second_derivatives=["q"], backend="numpy")
    given = {"constants": numbers(idyn), "weights": [0.0, 1.0]}
    hessian = evaluate.dense(evaluate(*STATES, **given).hessian)
    expected = -numbers(idyn)[MASS] * np.sin(STATES[0][:, 0])
    np.testing.assert_allclose(hessian[:, 0, 0], expected)
    assert idyn.derivative("effort", "q")[1, 0].has(MASS)
    assert "payload" in str(idyn.formula("effort"))


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")
def test_what_is_open_stays_open():
    """A bar that is welded to ground at both ends: nobody knows which end carries it."""
    chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    weld = jw.LoopJoint("weld", chain.ground, chain.bodies[0], "weld", child_point=chain.tip)
    own = DeclaredOutput("twice", (2, 6), lambda m: (m.output("joint_wrenches") * m.scalar(2)).flat)
    options = {"loops": [weld], "actuated": [], "outputs": [own]}
    idyn = jw.InverseDynamics(chain.system, **options)
    found = idyn.compile(["joint_wrenches", "twice"], backend="numpy")([0], [0], [0], numbers(idyn))
    assert np.isnan(found.joint_wrenches).any()
    np.testing.assert_array_equal(found.twice, 2 * found.joint_wrenches)


@pytest.mark.parametrize(
    ("arguments", "error", "argument"),
    [
        (("a b", (1,), effort), ValueError, "name"),
        ((3, (1,), effort), TypeError, "name"),
        (("a", 3, effort), TypeError, "shape"),
        (("a", (1.5,), effort), TypeError, "shape"),
        (("a", (1,), 3), TypeError, "make"),
        (("a", (3,), effort), ValueError, "make"),
        (("bias", (2,), effort), ValueError, "outputs"),
        (("a", (1,), lambda m: [m.output("b")]), ValueError, "outputs"),
        (("a", (1,), lambda m: ["x y"]), TypeError, "make"),
        (("a", (1,), lambda m: None), TypeError, "make"),
        (("a", (-1,), effort), ValueError, "shape"),
        (("a", (1,), lambda m: m.output("a")), ValueError, "make"),
        (("times", (2,), effort), ValueError, "outputs"),
        (("a", (1,), lambda m: [Symbol("b")]), ValueError, "make"),
    ],
)
def test_bad_ones_are_refused(arguments, error, argument):
    system = jw.SerialChain.planar(2).system
    with refusal(argument, error):
        jw.InverseDynamics(system, outputs=[DeclaredOutput(*arguments, needs=[MASS])])


def test_numbers_and_formulas_combine_with_scalars():
    """In every order, also entry by entry in arrays."""

    def mixed(model):
        (torque, _), (q, u) = model.output("generalized_forces"), (model.coordinates[0], MASS)
        array = 2 * model.output("generalized_forces") / np.float64(4) - u
        values = [torque + 1, 1 + torque, 3 - torque, torque - q, q * torque, torque / 2]
        return [*values, 1 / torque, sin(q) / torque, sum([torque, torque]), torque - array[0]]

    def again(tau, q, mass):
        rest = [tau + 1, 1 + tau, 3 - tau, tau - q, q * tau, tau / 2, 1 / tau, np.sin(q) / tau]
        return np.stack([*rest, 2 * tau, tau / 2 + mass], axis=-1)

    own = DeclaredOutput("mixed", (10,), mixed, needs=[MASS])
    idyn = jw.InverseDynamics(jw.SerialChain.planar(2).system, outputs=[own])
    names, values = ["mixed", "generalized_forces"], numbers(idyn)
    result = idyn.compile(names, backend="numpy")(*STATES, values)
    expected = again(result.generalized_forces[:, 0], STATES[0][:, 0], values[MASS])
    np.testing.assert_allclose(result.mixed, expected, rtol=1e-12)
    with pytest.raises(TypeError, match="unsupported operand"):
        jw.InverseDynamics(
            jw.SerialChain.planar(1).system,
            outputs=[DeclaredOutput("a", (1,), lambda m: [m.output("bias")[0] + "2"])],
        )
