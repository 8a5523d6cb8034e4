"""Slopes of simulated motions by their start and by constants, beside differences of motions."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from constrained_models import crank_on_moving_guide
from marks import slow
from numpy.testing import assert_allclose
from refusals import refused
from sympy import Symbol, lambdify, sin
from sympy.physics.mechanics import Force, Particle, PrismaticJoint, dynamicsymbols

from jointwrench import ForwardDynamics, Segment, SerialChain

T, HEIGHT = dynamicsymbols._t, dynamicsymbols("height")
TIMES = np.linspace(0, 1, 6)
TIGHT = {"rtol": 1e-11, "atol": 1e-13}
OUTPUTS = ("q", "u", "energy", "joint_wrenches")


def value(motion, name):
    """Return a state or an output along a motion."""
    if name in ("q", "u"):
        return getattr(motion, name)
    states = np.concatenate([motion.q, motion.u], axis=-1)
    return motion.rhs.outputs((name,), motion.times, states).outputs[name]


def check(motion, parameter, simulate, outputs=OUTPUTS, tolerance=1e-5, step=1e-5):
    """Compare with differences; ``simulate`` takes what is added to the parameter."""
    up, down = simulate(step), simulate(-step)
    for name in outputs:
        found = motion.derivative(name, parameter)[..., 0]
        expected = (value(up, name) - value(down, name)) / (2 * step)
        scale = abs(found).max() or 1.0
        assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)


class Pendulum:
    """A double pendulum with motors, started near some state."""

    def __init__(self):
        chain = SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)
        self.fdyn = ForwardDynamics(chain.system)
        self.states = (*self.fdyn.coordinates, *self.fdyn.speeds)
        self.constants = {s: 0.7 + 0.2 * k for k, s in enumerate(self.fdyn.constants)}
        self.first, self.second = chain.actuation

    def simulate(self, x=0.0, moved=None, members=0, **options):
        """Return the motion, with x added to a parameter."""
        start = np.array([0.4, -0.3, 0.5, 1.0]) + x * np.array([s == moved for s in self.states])
        if members:
            start = start + 0.1 * np.arange(members)[:, None]
        constants = {s: v + x * (s == moved) for s, v in self.constants.items()}
        torques = {self.first: 0.2 + x * (self.first == moved)}
        torques[self.second] = lambda t: np.sin(t) + x * (self.second == moved)
        options = {"times": TIMES, "constants": constants, "specifieds": torques, **options}
        return self.fdyn.simulate(q=start[..., :2], u=start[..., 2:], **options)


@pytest.fixture(scope="module")
def pendulum():
    return Pendulum()


class TestTree:
    def test_all_parameters(self, pendulum):
        """Initial values, constants, and what is added to a number or a function of time."""
        groups = ["q", "u", "constants", "specifieds"]
        motion = pendulum.simulate(sensitivities=groups, **TIGHT)
        assert_allclose(motion.q, pendulum.simulate(**TIGHT).q, atol=1e-9)
        parameters = (*pendulum.states, *pendulum.constants, pendulum.first, pendulum.second)
        for parameter in (*parameters[1:10:3], *parameters[-2:]):
            check(motion, parameter, lambda x, p=parameter: pendulum.simulate(x, p, **TIGHT))
        assert motion.derivative("energy", groups).shape == (6, 2, len(parameters))
        assert_allclose(motion.derivative("energy", "l_1"), motion.derivative("energy", ["l_1"]))
        assert_allclose(motion.derivative("q", "q")[0], np.eye(2))
        assert motion.at([0.33]).q.shape == (1, 2)

    @pytest.mark.parametrize("method", ["RK23", "Radau", "LSODA"])
    def test_methods(self, pendulum, method):
        motion = pendulum.simulate(sensitivities="m_0", method=method, rtol=1e-6, atol=1e-8)
        expected = pendulum.simulate(sensitivities="m_0").derivative("q", "m_0")
        assert_allclose(motion.derivative("q", "m_0"), expected, atol=1e-4)

    @pytest.mark.usefixtures("numpy_by_default")
    def test_events(self, pendulum):
        def crosses(time, state):
            assert state.shape == (4,)
            return state[0] - 0.6

        crosses.terminal = True
        plain = pendulum.simulate(events=crosses)
        motion = pendulum.simulate(events=crosses, sensitivities="u", rtol=1e-9)
        assert len(motion) == len(plain) < 6
        assert_allclose(motion.event_times[0], plain.event_times[0], rtol=1e-7)
        assert motion.event_states[0].shape == (1, 4)
        assert motion.derivative("q", "u").shape == (len(motion), 2, 2)

    @pytest.mark.usefixtures("numpy_by_default")
    def test_evaluations_do_not_depend_on_the_number(self, pendulum):
        """The right-hand side and its Jacobian are evaluated once a stage, for any number."""

        def count(asked):
            calls = []
            torques = {pendulum.first: 0.0, pendulum.second: lambda t: calls.append(t) or 0.0}
            options = {"method": "RK45", "step": 0.1, "specifieds": torques}
            pendulum.simulate(sensitivities=asked, **options)
            return len(calls)

        assert count("l_0") == count(["q", "u", "constants", "specifieds"])

    @pytest.mark.usefixtures("numpy_by_default")
    def test_steps_do_not_depend_on_units(self):
        """A mass in grams has slopes of a thousandth, to all digits that rounding leaves."""

        def slopes(unit):
            mass, stiffness = Symbol("m"), Symbol("k")
            ground, block = rigid_body("ground"), Particle("block", mass=mass / unit)
            system = system_of(ground, PrismaticJoint("slide", ground, block))
            system.add_loads(Force(block, -stiffness * system.q[0] * ground.x))
            numbers = {mass: 2.0 * unit, stiffness: 3.0}
            fdyn = ForwardDynamics(system)
            motion = fdyn.simulate(TIMES, 1.0, 0.0, numbers, sensitivities=[mass], rtol=1e-5)
            return motion.derivative("q", mass) * unit

        assert_allclose(slopes(2.0**20), slopes(1.0), rtol=1e-12)


class TestConstraints:
    """What depends on other states moves with them, and with constants, from the start on."""

    @pytest.mark.parametrize(
        ("drive", "projection"), [(HEIGHT, True), *slow([(sin(3 * T) / 5, False), (HEIGHT, False)])]
    )
    @pytest.mark.usefixtures("numpy_by_default")
    def test_a_loop(self, drive, projection):
        fdyn = crank_on_moving_guide(drive, Symbol("l"))
        crank, speed = fdyn.coordinates[0], fdyn.speeds[0]
        formula, numbers = sin(3 * T) / 5, dict.fromkeys(fdyn.constants, 1.0)
        functions = {x: lambdify(T, x.subs(HEIGHT, formula).doit()) for x in fdyn.specifieds}

        def simulate(x=0.0, moved=None, **options):
            constants = {s: v + x * (s == moved) for s, v in {**numbers, Symbol("l"): 2.5}.items()}
            moving = {s: lambda t, s=s: functions[s](t) + x * (s == moved) for s in functions}
            still = {s: moving[s](0.0) for s in fdyn.inverse.specifieds}
            own = {s: constants[s] for s in fdyn.inverse.constants}
            start = [0.6 + x * (moved == crank), -0.9], [1.3 + x * (moved == speed), 0]
            q, u, _ = fdyn.inverse.close_motion(*start, None, own, still, times=0.0)
            return fdyn.simulate(TIMES, q, u, constants, moving, **TIGHT, **options)

        given = [HEIGHT] if HEIGHT in fdyn.specifieds else []
        asked = ["q", "u", "l", *given]
        motion = simulate(sensitivities=asked, projection=projection)
        assert motion.derivative("q", "q").shape == (6, 2, 1)
        for parameter in (speed, *(given or [Symbol("l")])):
            check(motion, parameter, lambda x, p=parameter: simulate(x, p), ("q", "u", "energy"))

    def test_quaternions(self):
        """A limb on a quaternion: a start that is turned, with the norm of one."""
        upper = Segment("upper", 0.3, 2.0, inertia=(0.02, 0.01, 0.03), joint="quaternion")
        fdyn = ForwardDynamics(SerialChain([upper], gravity=(0, -Symbol("g"), 0)).system)
        q, step = np.array([0.8, 0.36, 0.48, 0.0]), 1e-5

        def simulate(x=0.0, turn=0.0, **options):
            turned = q + turn * np.array([-0.6, 0.48, 0.64, 0.0])
            turned /= np.linalg.norm(turned)
            return fdyn.simulate(TIMES, turned, [0.5, -1, 2], {"g": 9.81 + x}, **TIGHT, **options)

        motion = simulate(sensitivities=["q", "g"])
        check(motion, "g", simulate, ("q", "u", "udot"))
        (*independent,) = motion.rhs.model.constraints.coordinates or fdyn.coordinates
        direction = np.array([-0.6, 0.48, 0.64, 0.0])
        kept = [k for k, s in enumerate(fdyn.coordinates) if s in independent]
        found = motion.derivative("u", "q") @ direction[kept]
        expected = (simulate(turn=step).u - simulate(turn=-step).u) / (2 * step)
        assert_allclose(found, expected, atol=1e-5)


class TestRequests:
    def test_what_was_not_asked_for(self, pendulum):
        refused(lambda: pendulum.simulate().derivative("q", "l_0"), "sensitivities")
        motion = pendulum.simulate(sensitivities=["l_0"])
        refused(lambda: motion.derivative("q", "l_1"), "wrt")
        refused(lambda: motion.derivative("q", "u"), "wrt")
        refused(lambda: motion.derivative("torque", "l_0"), "output")

    def test_unknown_parameters(self, pendulum):
        refused(lambda: pendulum.simulate(sensitivities=["l_0", "l_0"]), "sensitivities")

    def test_feedback(self, pendulum):
        torques = {pendulum.first: lambda t, x: -x[2], pendulum.second: 0.0}
        refused(lambda: pendulum.simulate(specifieds=torques, sensitivities=["l_0"]), "specifieds")
