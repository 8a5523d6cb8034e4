"""Functions of time whose rates only the author knows, as a function that stands for the time."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from numpy.testing import assert_allclose
from refusals import refused
from sympy import Function, Symbol, symbols

import jointwrench as jw
from jointwrench.mechanics.mechanism.tree import TopologyError

q, u, T = me.dynamicsymbols("q u T")
m, w = symbols("m w")


def bead_on_disc(clock, rate):
    """A bead in a radial slot of a disc that turns by the angle w * clock at the given rate."""
    N, A, O, P = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O"), me.Point("P")
    A.orient_axis(N, w * clock, N.z)
    A.set_ang_vel(N, rate * N.z)
    O.set_vel(N, 0)
    P.set_pos(O, q * A.x)
    P.set_vel(N, u * A.x + rate * q * A.y)
    bead = me.Particle("bead", P, m)
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u], bodies=[bead], forcelist=[(P, -m * q * A.x)])
    return kane, A


TIMES = np.linspace(0, 1, 5)
STATE = np.stack([1 + TIMES, 1 + 0 * TIMES], axis=-1)


def evaluated(idyn, frame, **values):
    evaluate = idyn.compile(["generalized_forces", "joint_wrenches"], backend="numpy")
    given = STATE[:, :1], STATE[:, 1:], 0.3 + 0 * STATE[:, 1:]
    result = evaluate(*given, constants={m: 2.0, w: 0.7}, times=TIMES, **values)
    return result.generalized_forces, result.joint_wrench("bead", frame=frame)


@pytest.mark.parametrize("kind", [jw.InverseDynamics, jw.ForwardDynamics, jw.Kinematics])
def test_the_message_has_the_call(kind):
    kane, _ = bead_on_disc(T, w)
    error = refused(lambda: kind.from_kane(kane), "kane", TopologyError)
    assert "no velocity contains the rate of T(t)" in str(error)
    assert "from_kane(kane, rates={T(t).diff(): 1})" in str(error)


def test_a_function_that_is_the_time():
    """It equals the model that has the time itself."""
    kane, frame = bead_on_disc(T, w)
    idyn = jw.InverseDynamics.from_kane(kane, rates={T.diff(): 1})
    found = evaluated(idyn, frame, specifieds={T: TIMES})
    other, axes = bead_on_disc(me.dynamicsymbols._t, w)
    for one, right in zip(found, evaluated(jw.InverseDynamics.from_kane(other), axes), strict=True):
        assert_allclose(one, right, rtol=1e-12, atol=1e-12)
    assert_allclose(found[1][:, 1], 2 * 2.0 * 0.7 * 1.0, rtol=1e-12)  # Coriolis: 2 m w u


def test_a_rate_that_the_author_knows():
    """A phase S with S' = 3 t: the disc turns by w S, and accelerates."""
    S, t = Function("S")(me.dynamicsymbols._t), me.dynamicsymbols._t
    kane, frame = bead_on_disc(S, 3 * t * w)
    idyn = jw.InverseDynamics.from_kane(kane, rates={S.diff(): 3 * t})
    forces, wrench = evaluated(idyn, frame, specifieds={S: 1.5 * TIMES**2})
    rate, (position, speed) = 3 * TIMES * 0.7, STATE.T
    expected = 2.0 * (0.3 - position * rate**2) + position * 2.0
    assert_allclose(forces[:, 0], expected, rtol=1e-12)
    assert_allclose(wrench[:, 1], 2.0 * (2 * rate * speed + position * 3 * 0.7), rtol=1e-12)


def test_models_that_state_their_rates_need_none():
    kane, frame = bead_on_disc(T, w * T.diff())
    idyn = jw.InverseDynamics.from_kane(kane)
    given = {T: TIMES, T.diff(): 1.0, T.diff().diff(): 0.0}
    assert_allclose(evaluated(idyn, frame, specifieds=given)[1][:, 1], 2 * 2.0 * 0.7, rtol=1e-12)


@pytest.mark.parametrize("rate", [T, q.diff(), T.diff().diff(), Symbol("T"), "T"])
def test_wrong_rates(rate):
    kane, _ = bead_on_disc(T, w)
    refused(lambda: jw.InverseDynamics.from_kane(kane, rates={rate: 1}), "rates")


def test_wrong_values():
    kane, _ = bead_on_disc(T, w)
    refused(lambda: jw.InverseDynamics.from_kane(kane, rates=1), "rates", TypeError)
    refused(lambda: jw.InverseDynamics.from_kane(kane, rates={T.diff(): "1"}), "rates", TypeError)
    wrong = refused(
        lambda: jw.InverseDynamics.from_kane(kane, rates={T.diff(): 2}), "kane", TopologyError
    )
    assert "no velocity contains" not in str(wrong)
