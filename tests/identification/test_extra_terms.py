"""Terms of one's own beside masses: friction of other kinds, offsets, couplings, loads."""

import numpy as np
import pytest
import sympy as sm
from refusals import refused
from sympy.physics.mechanics import dynamicsymbols
from test_identification import LENGTHS
from test_identified_forces import torques
from waves import two_rods, waves

from jointwrench.identification import base_parameters, friction_terms, identify

arm = pytest.fixture(two_rods, scope="module")


def slow_waves(count=400):
    """Return a motion that is slow enough to show what friction does around zero."""
    q, u, udot = waves(2, count)
    return q, 0.2 * u, 0.04 * udot


def exact(arm, motion):
    idyn, constants = arm
    return idyn.compile(backend="numpy")(*motion, constants).generalized_forces


def test_kinds_of_friction_and_terms_of_ones_own(arm):
    idyn, _ = arm
    motion = slow_waves()
    u = motion[1]
    side, fall = np.tanh(u / 0.01), np.exp(-((u / 0.1) ** 2))
    friction = 0.3 * u + 0.5 * (1 + side) / 2 - 0.8 * (1 - side) / 2
    friction[:, 1] += 0.2 * (side * fall)[:, 1]
    extra = friction_terms(idyn.speeds, "viscous", "asymmetric", smooth=0.01)
    speed = idyn.speeds[1]
    extra[speed] += sm.Symbol("c") * sm.tanh(100 * speed) * sm.exp(-((speed / 0.1) ** 2))
    found = identify(idyn, motion, exact(arm, motion) + friction, LENGTHS, extra=extra)
    for name, x in {"viscous u_0": 0.3, "Coulomb+ u_0": 0.5, "Coulomb- u_1": 0.8, "c": 0.2}.items():
        assert found.values[name] == pytest.approx(x, abs=1e-6)
        assert found.standard_errors[name] < 1e-6
    np.testing.assert_allclose(found.predict(motion), exact(arm, motion) + friction, atol=1e-9)
    assert found.residuals == pytest.approx(0, abs=1e-9)


def test_offsets_and_couplings(arm):
    """One coefficient in two joints; what has no coefficient is known."""
    idyn, constants = arm
    (q0, q1), (u0, u1), accelerations = idyn.coordinates, idyn.speeds, idyn.accelerations
    c, k, motor = sm.symbols("c k motor")
    extra = {u0: c + k * sm.sign(u1) + 2 * sm.cos(q1)}
    extra[u1] = k * sm.sign(u0) + motor * accelerations[1] - q0.diff(dynamicsymbols._t)
    motion = waves(2, 300)
    q, u, udot = motion
    more = [0.5 - 0.3 * np.sign(u[:, 1]) + 2 * np.cos(q[:, 1])]
    more.append(-0.3 * np.sign(u[:, 0]) + 0.02 * udot[:, 1] - u[:, 0])
    forces = exact(arm, motion) + np.stack(more, -1)
    noise = 0.01 * np.random.default_rng(0).normal(size=forces.shape)
    for method in ("ols", "consistent"):
        options = {"extra": extra, "method": method, "attachment": 1e-3}
        found = identify(idyn, motion, forces + noise, constants, **options)
        assert found.values["c"] == pytest.approx(0.5, abs=0.01)
        assert found.values["k"] == pytest.approx(-0.3, abs=0.01)
        assert found.values["motor"] == pytest.approx(0.02, abs=0.005)
        assert np.abs(found.predict(motion) - forces).max() < 0.02
    assert "c" in found.base.names


def test_measured_quantities_and_loads(arm):
    """Friction that grows with a load that was measured; also in other motions."""
    idyn, _ = arm
    load, u = sm.Function("load")(dynamicsymbols._t), idyn.speeds
    extra = {u[0]: sm.Symbol("f") * sm.Abs(load) * sm.sign(u[0])}
    motion, rng = waves(2, 200), np.random.default_rng(0)
    size = rng.normal(size=200)
    forces = exact(arm, motion)
    forces[:, 0] += 0.4 * abs(size) * np.sign(motion[1][:, 0])
    found = identify(idyn, motion, forces, LENGTHS, {load: size}, extra=extra)
    assert found.values["f"] == pytest.approx(0.4)
    np.testing.assert_allclose(found.predict(motion, specifieds={load: size}), forces, atol=1e-9)
    assert found.validate(motion, forces, specifieds={load: size}).total_rms < 1e-9
    refused(lambda: found.predict(motion), "specifieds")


def test_base_parameters_know_extra_terms(arm):
    """What is the same as another term cannot be told from it."""
    idyn, _ = arm
    u = idyn.speeds
    a, b = sm.symbols("a b")
    extra = {u[0]: a * u[0] + b * u[1], u[1]: b * u[0]}
    base = base_parameters(idyn, None, LENGTHS, extra=extra, actuators=True)
    assert base.rank == 11 + 1
    assert any(text in base.texts for text in ("viscous u_0 + a", "a + viscous u_0"))
    assert "b" in base.independent
    motion = waves(2, 60)
    refused(lambda: identify(idyn, motion, exact(arm, motion), LENGTHS, base=base), "base")


def test_bad_terms(arm):
    idyn, _ = arm
    u, (c, d) = idyn.speeds, sm.symbols("c d")
    given = idyn, waves(2, 60), np.ones((60, 2)), LENGTHS
    extra = friction_terms(u, "viscous")
    for wrong, error, options in (
        (3, TypeError, {}),
        ({u[0]: "c"}, TypeError, {}),
        ({sm.Symbol("x"): c}, ValueError, {}),
        ({u[0]: sm.tanh(c * u[0])}, ValueError, {}),
        ({u[0]: c * d}, ValueError, {}),
        ({u[0]: c * sm.Function("p")(dynamicsymbols._t)}, ValueError, {}),
        ({u[0]: c * sm.log(-2 - u[0] ** 2)}, ValueError, {}),
        (extra, ValueError, {"actuators": True}),
    ):
        refused(lambda: identify(*given, extra=wrong, **options), "extra", error)
    refused(lambda: identify(*given, weight=1), None, TypeError)
    refused(lambda: friction_terms(u, "Stribeck"), "kinds")


def test_a_drive_that_turns_two_joints(arm):
    """As the last one of many wrists: friction and rotor act in both, of the sum of the speeds."""
    idyn, _ = arm
    motion = waves(2, 200)
    both = motion[1].sum(axis=1)
    drive = 0.3 * both + 0.6 * np.tanh(both / 0.05) + 0.02 * motion[2].sum(axis=1)
    forces = torques(arm, motion) + drive[:, None]
    u = idyn.speeds
    extra = friction_terms(u, "viscous", "Coulomb")
    for v, x in friction_terms([u[0] + u[1]], "viscous", "Coulomb", "rotor", smooth=0.05).items():
        extra[v] += x
    found = identify(idyn, motion, forces, LENGTHS, extra=extra)
    assert found.values["viscous u_0 + u_1"] == pytest.approx(0.3)
    assert found.values["Coulomb u_0 + u_1"] == pytest.approx(0.6)
    assert found.fit.total_rms < 1e-10
    whole = friction_terms([u[0] + 2 * u[1]], "viscous")
    assert whole[u[1]] == 2 * whole[u[0]]
    for wrong in (u[0] * u[1], u[0] ** 2, 3, u[0] + 1):
        refused(lambda: friction_terms([wrong], "viscous"), "speeds")
    for wrong in ("u_0", None):
        refused(lambda: friction_terms([wrong], "viscous"), "speeds", TypeError)


def test_by_names(arm):
    """Speeds by name; motors as a term of one's own are those of the actuators."""
    idyn, _ = arm
    motion = waves(2, 200)
    forces = exact(arm, motion) + 0.2 * motion[2]
    one = identify(idyn, motion, forces, LENGTHS, extra=friction_terms(idyn.speeds, "rotor"))
    two = identify(
        idyn, motion, forces, LENGTHS, extra={"u_0": 0, "u_1": 0.2 * idyn.accelerations[1]}
    )
    assert one.fit.total_rms < 1e-9
    np.testing.assert_allclose(two.residuals, 0, atol=1e-9)
