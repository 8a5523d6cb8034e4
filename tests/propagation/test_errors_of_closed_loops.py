"""Errors in closed mechanisms: the loops stay closed, by both methods."""

import pickle

import numpy as np
import pytest
from linkages import depend_on_first, four_bar
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal
from sympy import Symbol
from sympy.physics.mechanics import inertia

import jointwrench as jw

COUPLER, T = Symbol("length"), np.linspace(0, 1, 5)
CONSTANTS = {"length": 0.8}
GIVEN = np.zeros((3, 5, 3))
GIVEN[..., 0] = 0.5 + 0.1 * np.sin(T), 2 + 0.1 * np.cos(T), -0.1 * np.sin(T)

#: By input the change of the motion's independent entries or of the length.
ERRORS = {"q1": (0, 0.01), "u1": (1, 0.05), "u1dot": (2, 0.2), "length": (None, 0.002)}


@pytest.fixture(scope="module")
def idyn():
    """A four-bar with a symbol for the length of its coupler, driven at its crank."""
    bars = four_bar([0.7, 0.3, COUPLER, 0.6])
    for link in bars.links[1:]:
        link.mass, link.central_inertia = 1, inertia(link.frame, 0, 0.01, 0.01)
    system = bars.system
    system.add_holonomic_constraints(*bars.loop.holonomic_constraints)
    depend_on_first(system)
    system.apply_uniform_gravity(-9.81 * bars.links[0].y)
    return jw.InverseDynamics(system, loops=[bars.loop])


def moved(idyn, name="q1", step=0.0):
    """Return the closed motion and its constants with a change of one input."""
    level, states, constants = ERRORS[name][0], GIVEN.copy(), dict(CONSTANTS)
    if level is None:
        constants[name] += step
    else:
        states[level, :, 0] += step
    return idyn.close_motion(*states, constants, guess=[0.5, 0.6, -2.2]), constants


BOTH = ["generalized_forces", "conditioning"]
CASES = [("length", BOTH[:1]), *slow((name, BOTH) for name in ERRORS)]


@pytest.mark.parametrize(("name", "outputs"), CASES)
def test_dependent_states_move_with_what_is_uncertain(idyn, name, outputs):
    evaluate = idyn.compile(outputs, derivatives=["q", "u", "udot", "constants"], backend="numpy")
    motion, constants = moved(idyn)
    key = idyn.accelerations[0] if name == "u1dot" else name
    given = {"constants": constants, "standard_deviations": {key: ERRORS[name][1]}}
    found = jw.propagation.uncertainty(evaluate, motion, **given).standard_deviation
    drawn = jw.propagation.uncertainty(
        evaluate, motion, **given, method="monte_carlo", samples=150, seed=1
    ).standard_deviation
    step = 1e-5 * ERRORS[name][1]
    ahead, behind = (evaluate(*x, y) for x, y in (moved(idyn, name, s) for s in (step, -step)))
    for output in outputs:
        slope = (ahead.outputs[output] - behind.outputs[output]) / 2e-5
        assert_allclose(found.outputs[output], abs(slope), rtol=1e-5, atol=1e-9)
        assert_allclose(drawn.outputs[output], abs(slope), rtol=0.25, atol=1e-5)


def test_dependent_states_are_not_named(idyn):
    evaluate = idyn.compile("generalized_forces", derivatives=["q"], backend="numpy")
    motion, constants = moved(idyn)
    cause = {"causes": {"marker": {"q1": 0.01, idyn.accelerations[2]: 0.1}}}
    for given in ({"standard_deviations": {"q": 0.01}}, cause):
        with refusal(next(iter(given))):
            jw.propagation.uncertainty(evaluate, motion, **given, constants=constants)
    with refusal("evaluate"):
        jw.propagation.uncertainty(evaluate, motion, {"q1": 0.01}, constants=constants)


def test_a_pickled_evaluator_has_no_loops_to_close(idyn):
    evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"], backend="numpy")
    motion, constants = moved(idyn)
    evaluate(*motion, constants)
    sent = pickle.loads(pickle.dumps(evaluate))
    given = {"q1": 0.01, "length": 0.002}
    with refusal("evaluate"):
        jw.propagation.uncertainty(sent, motion, given, constants=constants)


def test_masses_move_nothing():
    """They need no derivatives with respect to states, and no dependent ones."""
    bars = four_bar([0.7, 0.3, 0.8, 0.6])
    crank = bars.links[1]
    crank.central_inertia = inertia(crank.frame, 0, 0.01, 0.01)
    idyn = jw.InverseDynamics(bars.system, loops=[bars.loop], actuated=bars.u[:1])
    evaluate = idyn.compile("kinetic_energies", derivatives=["constants"], backend="numpy")
    values = dict.fromkeys(idyn.constants, 1.0)
    motion = [0.0] * 3, [2.0, 0, 0], [0.0] * 3
    found = jw.propagation.uncertainty(evaluate, motion, {"link2_mass": 0.1}, constants=values)
    deviation = found.standard_deviation.kinetic_energies[0]
    assert deviation == pytest.approx(0.1 * 0.5 * (2 * 0.15) ** 2)
