"""Motions that the loads make: right-hand sides, integration, PyDy's conventions, reactions."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from bodies import rigid_body, system_of
from constrained_models import crank_on_moving_guide
from numpy.testing import assert_allclose
from pydy.codegen.ode_function_generators import generate_ode_function
from pydy.system import System as PyDySystem
from refusals import refusal, refused
from scipy.integrate import odeint, solve_ivp
from sympy import lambdify, sin
from sympy.physics.mechanics import Force, Particle, PrismaticJoint, dynamicsymbols
from test_closed_loops import example

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.models.serial_chain import SerialChain

TIMES = np.linspace(0, 2, 41)
START = np.array([0.4, -0.3]), np.array([0.5, 1.0])
STATE = np.concatenate(START)
T, HEIGHT = dynamicsymbols._t, dynamicsymbols("height")


class Pendulum:
    """A double pendulum with motors, and its equations by KanesMethod and PyDy."""

    def __init__(self):
        self.chain = SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)
        self.fdyn = ForwardDynamics(self.chain.system)
        self.first, self.second = self.chain.actuation
        values = dict(zip("lmI", (0.7, 1.3, 0.2), strict=True))
        self.constants = {s: values[s.name[0]] for s in self.fdyn.constants}
        self.kane = self.chain.kanes_method()
        self.kane.kanes_equations()
        self.names = list(self.fdyn.constants)
        self.by_kane = generate_ode_function(
            self.kane.forcing,
            list(self.kane.q),
            list(self.kane.u),
            self.names,
            mass_matrix=self.kane.mass_matrix,
            coordinate_derivatives=self.kane.u,
            specifieds=[self.first, self.second],
        )
        self.still = {self.first: 0.0, self.second: 0.0}

    def rates(self, x, t, torques=(0.0, 0.0)):
        numbers = np.array([self.constants[name] for name in self.names])
        return np.array(self.by_kane(x, t, np.array(torques), numbers))

    def simulate(self, times=TIMES, q=START[0], u=START[1], **options):
        options = {"constants": self.constants, "specifieds": self.still, **options}
        return self.fdyn.simulate(times, q, u, **options)


@pytest.fixture(scope="module")
def pendulum():
    return Pendulum()


@pytest.fixture(scope="module")
def starts():
    return np.random.default_rng(7).uniform(-1, 1, (2, 400, 2))


@pytest.fixture(scope="module")
def bars():
    system, knee = example("four_bar").four_bar()
    fdyn = ForwardDynamics(system, loops=[knee], stabilization=20.0)
    free = ForwardDynamics(system, loops=[knee])
    q, u, _ = free.inverse.close_motion([1.0, 0.8, 1.6], [2.0, 0, 0])
    return SimpleNamespace(fdyn=fdyn, free=free, q=q, u=u)


class TestRightHandSide:
    def test_many_states_are_columns(self, pendulum, rng):
        feedback = {pendulum.first: lambda t, x: t - x[2], "tau_1": np.cos}
        f = pendulum.fdyn.rhs(pendulum.constants, feedback)
        x = rng.uniform(-2, 2, (4, 6))
        singles = [f(0.5, column) for column in x.T]
        assert_allclose(f(0.5, x), np.transpose(singles), rtol=1e-12)
        torques = 0.5 - x[2, 0], np.cos(0.5)
        assert_allclose(singles[0], pendulum.rates(x[:, 0], 0.5, torques), rtol=1e-10)
        assert f(0.5, np.zeros((4, 0))).shape == (4, 0)

    def test_specifieds_of_several_symbols(self, pendulum):
        pair, given = (pendulum.second, "tau_0"), np.array([0.1, 0.2])
        expected = pendulum.rates(STATE, 2.0, (0.2, 0.1))
        for values in (
            given,
            lambda t: t * given / 2,
            lambda t, x: given + 0 * x[:2],
            lambda x, t: given * t / 2 + 0 * x[:2],  # PyDy's order, by the name of the time
        ):
            f = pendulum.fdyn.rhs(pendulum.constants, {pair: values})
            assert_allclose(f(2.0, STATE), expected, rtol=1e-10)

    def test_integers_lists_and_vectorized_solvers(self, pendulum):
        f = pendulum.fdyn.rhs(pendulum.constants, pendulum.still)
        assert_allclose(f(0, [1, 0, 2, 3]), f(0.0, np.array([1.0, 0.0, 2.0, 3.0])))
        options = {"method": "Radau", "rtol": 1e-6, "atol": 1e-8}
        ends = [
            solve_ivp(f, (0, 1), STATE, vectorized=vectorized, **options).y[:, -1]
            for vectorized in (False, True)
        ]
        assert_allclose(*ends, rtol=1e-6)

    def test_wrong_states(self, pendulum):
        f = pendulum.fdyn.rhs(pendulum.constants, pendulum.still)
        refused(lambda: f(0.0, STATE[:3]), "x")
        refused(lambda: f(0.0, STATE[None]), "x")
        refused(lambda: f(0.0, list("abcd")), "x", TypeError)
        refused(lambda: f(0.3, [0, 0, np.nan, 0]), "x")
        many = np.zeros((4, 3))
        many[1, 2] = np.inf
        refused(lambda: f(0.3, many), "x")

    def test_singular_mass_matrices(self, pendulum):
        empty = dict.fromkeys(pendulum.constants, 0.0)
        f = pendulum.fdyn.rhs(empty, pendulum.still)
        singular = pytest.raises(ArithmeticError, match=r"of u_\d.* time 0.5: the mass matrix")
        with singular, pytest.warns(UserWarning, match="`constants` must give mass"):  # which
            f(0.5, STATE)

    def test_wrong_specifieds(self, pendulum):
        def rhs(specifieds):
            return pendulum.fdyn.rhs(pendulum.constants, {**pendulum.still, **specifieds})

        first, pair = pendulum.first, (pendulum.first, pendulum.second)
        refused(lambda: pendulum.fdyn.rhs(pendulum.constants, {first: 1.0}), "specifieds")
        refused(lambda: rhs({pair: np.zeros(2)}), "specifieds")
        refused(lambda: rhs({first: TIMES}), "specifieds")
        for function in (lambda t, x, p: 0.0, lambda: 0.0):
            refused(lambda: rhs({first: function}), "specifieds", TypeError)
        refused(lambda: rhs({first: lambda t: [t]})(0.0, STATE), "specifieds")
        refused(lambda: rhs({first: lambda t, x: 0.0})(0.0, np.zeros((4, 3))), "specifieds")
        with refusal("specifieds"):
            pendulum.fdyn.rhs(pendulum.constants, {pair: lambda t: [1, 2, 3]})(0.0, STATE)

    def test_wrong_constants(self, pendulum):
        refused(lambda: pendulum.fdyn.rhs({}, pendulum.still), "constants")


class TestOdeFunction:
    def test_all_forms_of_arguments(self, pendulum):
        rhs = pendulum.fdyn.ode_function()
        numbers = [pendulum.constants[name] for name in pendulum.names]
        expected = pendulum.rates(STATE, 0.5, (0.3, -0.2))
        first, second = pendulum.first, pendulum.second
        for r in (
            np.array([0.3, -0.2]),
            {first: 0.3, second: lambda x, t: -0.4 * t},
            {(second, first): lambda x, t: np.array([-0.2, x[2] - 0.2])},
            lambda x, t: np.array([0.3, -0.4 * t]),
            lambda t, x: np.array([0.3, -0.4 * t]),  # not PyDy's order, by the name of the time
        ):
            for p in (pendulum.constants, numbers, {**pendulum.constants, "more": 1}):
                assert_allclose(rhs(STATE, 0.5, r, p), expected, rtol=1e-10)

    def test_another_order(self, pendulum):
        order, torques = pendulum.names[::-1], (pendulum.second, pendulum.first)
        rhs = pendulum.fdyn.ode_function(order, torques)
        numbers = [pendulum.constants[name] for name in order]
        expected = pendulum.rates(STATE, 0.0, (0.3, -0.2))
        assert_allclose(rhs(STATE, 0.0, [-0.2, 0.3], numbers), expected, rtol=1e-10)

    def test_pydy_integrates_it_as_its_own(self, pendulum):
        names = [*pendulum.kane.q, *pendulum.kane.u]
        options = {
            "constants": pendulum.constants,
            "specifieds": {pendulum.first: lambda x, t: np.sin(t), pendulum.second: 0.1},
            "initial_conditions": dict(zip(names, STATE, strict=True)),
            "times": TIMES,
        }
        own = PyDySystem(pendulum.kane, **options)
        system = pendulum.fdyn.pydy_system(**options)
        assert system.states == own.states
        assert system.constants_symbols == own.constants_symbols
        expected = own.integrate(rtol=1e-10, atol=1e-10)
        assert_allclose(system.integrate(rtol=1e-10, atol=1e-10), expected, atol=1e-7)

        named = {key: {str(s): x for s, x in options[key].items()} for key in [*options][:3]}
        named = pendulum.fdyn.pydy_system(**{**options, **named})
        assert_allclose(named.integrate(rtol=1e-10, atol=1e-10), expected, atol=1e-7)

        own._evaluate_ode_function = pendulum.fdyn.ode_function()
        assert_allclose(own.integrate(rtol=1e-10, atol=1e-10), expected, atol=1e-7)

        torques = pendulum.second, pendulum.first
        system.specifieds = {"symbols": torques, "values": lambda x, t: [0.1, np.sin(t)]}
        system.generate_ode_function()
        assert_allclose(system.integrate(rtol=1e-10, atol=1e-10), expected, atol=1e-7)

    @pytest.mark.usefixtures("numpy_by_default")
    def test_without_specifieds(self):
        fdyn = ForwardDynamics(SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        rhs, constants = fdyn.ode_function(), dict.fromkeys(fdyn.constants, 1.0)
        expected = fdyn.rhs(constants)(0.0, [0.3, 0.1])
        assert_allclose(rhs([0.3, 0.1], 0.0, constants), expected)
        states = odeint(rhs, [0.3, 0.1], TIMES, (constants,), rtol=1e-10, atol=1e-10)
        motion = fdyn.simulate(TIMES, 0.3, 0.1, constants)
        assert_allclose(states, np.hstack([motion.q, motion.u]), atol=1e-7)
        refused(lambda: rhs([0.3, 0.1], 0.0, {}, constants), "rhs", TypeError)

    def test_bad_arguments(self, pendulum):
        rhs, p = pendulum.fdyn.ode_function(), pendulum.constants
        refused(lambda: rhs(STATE, 0.0, p), "rhs", TypeError)
        refused(lambda: rhs(STATE[:3], 0.0, [0, 0], p), "x")
        refused(lambda: rhs(STATE, 0.0, [0, 0, 0], p), "r")
        refused(lambda: rhs(STATE, 0.0, {(pendulum.first, pendulum.second): 1.0}, p), "r")
        refused(lambda: rhs(STATE, 0.0, [0, 0], [1.0]), "p")


class TestSimulate:
    def test_double_pendulum_by_kanes_method(self, pendulum):
        motion = pendulum.simulate(specifieds={"tau_0": np.sin, "tau_1": lambda t, x: -x[3]})
        expected = solve_ivp(
            lambda t, x: pendulum.rates(x, t, (np.sin(t), -x[3])),
            (0, 2), STATE, "DOP853", TIMES, rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        assert_allclose(np.hstack([motion.q, motion.u]), expected.y.T, atol=1e-7)
        end = pendulum.rates(expected.y[:, -1], 2.0, (np.sin(2), -expected.y[3, -1]))
        assert_allclose(motion.udot[-1], end[2:], atol=1e-6)
        assert motion.names == ("q_0", "q_1")

    def test_between_the_samples_it_is_the_integrators(self, pendulum):
        coarse, fine = pendulum.simulate(TIMES[::20]), pendulum.simulate()
        for found, expected in zip(coarse.at(TIMES), (fine.q, fine.u, fine.udot), strict=True):
            assert_allclose(found, expected, atol=1e-6)

    @pytest.mark.parametrize("method", ["RK23", "RK45", "Radau", "BDF", "LSODA"])
    def test_methods(self, pendulum, method):
        motion = pendulum.simulate(TIMES[:11], method=method, rtol=1e-6, atol=1e-8)
        assert_allclose(motion.q, pendulum.simulate(TIMES[:11]).q, atol=1e-4)

    def test_fixed_steps(self, pendulum):
        def error(step):
            motion = pendulum.simulate([0.0, 1.0], method="RK45", step=step)
            return abs(motion.q[-1] - pendulum.simulate([0.0, 1.0]).q[-1]).max()

        assert 25 < error(0.02) / error(0.01) < 40  # of fifth order
        many = pendulum.simulate([0.0, 1.0], np.tile(START[0], (3, 1)), method="RK45", step=0.1)
        single = pendulum.simulate([0.0, 1.0], method="RK45", step=0.1)
        assert_allclose(many.q, [single.q] * 3, rtol=1e-12)

    def test_energy_stays_over_a_long_time(self, pendulum):
        motion = pendulum.simulate(np.linspace(0, 30, 61), rtol=1e-10, atol=1e-12)
        assert motion.energy.shape == (61, 2)
        assert np.ptp(motion.energy[:, 0]) > 1
        assert abs(motion.energy_drift).max() < 1e-6
        pushed = pendulum.simulate(specifieds={"tau_0": 1.0, "tau_1": 0.0}, rtol=1e-10)
        assert_allclose(pushed.energy_drift, pushed.q[:, 0] - START[0][0], atol=1e-6)

    def test_events(self, pendulum):
        def crosses(t, x):
            return x[0] - 2

        motion = pendulum.simulate(events=crosses)
        (times,), (states,) = motion.event_times, motion.event_states
        assert len(times)
        assert len(motion) == len(TIMES)
        assert_allclose(states[:, 0], 2, atol=1e-9)
        assert_allclose(motion.at(times).q, states[:, :2], atol=1e-9)

        crosses.terminal = True
        stopped = pendulum.simulate(events=[crosses])
        assert_allclose(stopped.times[-1], times[0])
        assert_allclose(stopped.q[-1, 0], 2, atol=1e-9)
        assert_allclose(stopped.times[:-1], TIMES[times[0] > TIMES])
        assert pendulum.simulate().event_times == ()

    def test_progress(self, pendulum, monkeypatch):
        class Bar(nullcontext):
            def __init__(self, total, bar_format):
                super().__init__(self)
                bars.append(self)
                self.total, self.n = total, 0.0

            def update(self, more):
                assert more >= 0
                self.n += more

        bars = []
        monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
        pendulum.simulate(1 + TIMES, progress=True)
        pendulum.simulate(1 + TIMES, np.zeros((2000, 2)), progress=True, step=0.05)
        assert_allclose([bar.n for bar in bars], [2.0, 4.0])
        assert [bar.total for bar in bars] == [2.0, 4.0]

    def test_progress_wants_tqdm(self, pendulum, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm", None)
        refused(lambda: pendulum.simulate(progress=True), None, ImportError)

    def test_bad_arguments(self, pendulum):
        refused(lambda: pendulum.simulate(q=np.zeros((3, 2)), u=np.zeros((4, 2))), "u")
        refused(lambda: pendulum.simulate(method="LSODA", step=0.1), "method")
        refused(lambda: pendulum.simulate(q=np.zeros((3, 2)), method="LSODA"), "method")
        refused(lambda: pendulum.simulate(q=np.zeros((3, 2)), events=lambda t, x: x[0]), "events")

    def test_motions_that_cannot_go_on(self, pendulum):
        def bursts(t):
            return 1.0 if t < 1 else np.nan

        with pytest.raises(ArithmeticError, match=r"derivative of u_\d.* a load is not finite"):
            pendulum.simulate(specifieds={"tau_0": bursts, "tau_1": 0.0})

    def test_motions_that_end(self):
        """The acceleration q^3: it is beyond all bounds after a finite time."""
        ground, block = rigid_body("ground"), Particle("block", mass=1)
        system = system_of(ground, PrismaticJoint("slide", ground, block))
        system.add_loads(Force(block, system.q[0] ** 3 * ground.x))
        fdyn = ForwardDynamics(system)
        with pytest.raises(ArithmeticError, match=r"cannot continue after the time 1: .*'LSODA'"):
            fdyn.simulate([0.0, 1.0, 2.0], 1.0, 0.5**0.5)


class TestBatch:
    def test_states_take_their_steps_together(self, pendulum, starts):
        """A twentieth as many calls as one after the other."""

        def calls(q, u):
            called = []
            given = {**pendulum.still, pendulum.first: lambda time: called.append(time) or 0.0}
            pendulum.simulate(q=q, u=u, specifieds=given)
            return len(called)

        assert calls(*starts) < 400 * calls(*starts[:, 7]) / 20

    def test_a_single_wild_state_among_many_is_followed(self, pendulum):
        q, u = np.zeros((500, 2)), np.zeros((500, 2))
        u[123] = 15.0, -10.0
        batch = pendulum.simulate(q=q, u=u)
        single = pendulum.simulate(q=q[123], u=u[123])
        assert_allclose(batch.q[123], single.q, atol=1e-5)
        assert not batch.q[122].any()

    def test_members_are_trajectories(self, pendulum, starts):
        q, u = starts[:, :3]
        given = {"tau_0": np.sin, "tau_1": lambda t, x: -x[3]}
        batch = pendulum.simulate(q=q, u=u, specifieds=given)
        single = pendulum.simulate(q=q[2], u=u[2], specifieds=given)
        assert_allclose(batch[2].udot, single.udot, atol=1e-6)
        assert_allclose(batch[2].energy, batch.energy[2], rtol=1e-12)
        assert_allclose(batch.energy_drift[2], single.energy_drift, atol=1e-6)
        assert [len(motion) for motion in batch] == [41, 41, 41]
        assert repr(batch) == "SimulationBatch(3 motions: 41 samples from 0 to 2)"
        assert batch.energy.shape == (3, 41, 2)

    def test_one_speed_for_all(self, pendulum, starts):
        batch = pendulum.simulate(q=starts[0, :3], u=START[1])
        assert_allclose(batch.u[:, 0], [START[1]] * 3)
        assert len(pendulum.simulate(q=np.zeros((0, 2)), u=np.zeros((0, 2)))) == 0


class TestLoops:
    @pytest.mark.parametrize("way", [{}, {"projection": True}], ids=["stabilized", "projected"])
    def test_loops_stay_closed(self, bars, way):
        times, options = np.linspace(0, 3, 31), {"rtol": 1e-6, "atol": 1e-8}
        model = bars.free if way else bars.fdyn
        kept = model.simulate(times, bars.q, bars.u, **options, **way)
        loose = bars.free.simulate(times, bars.q, bars.u, **options)
        drifts = [abs(motion.constraint_drift[:, 0]).max() for motion in (kept, loose)]
        assert kept.constraint_drift.shape[:2] == (31, 3)
        assert drifts[0] < min(1e-6, drifts[1] / 2)
        assert_allclose(kept.q, loose.q, atol=1e-3)
        assert abs(kept.energy_drift).max() < 1e-3

    @pytest.mark.parametrize("way", [{}, {"projection": True}], ids=["stabilized", "projected"])
    def test_batches(self, bars, way):
        times, model = [0.0, 0.5, 1.0], bars.free if way else bars.fdyn
        speeds = [bars.u, 0 * bars.u, bars.u / 2]
        batch = model.simulate(times, [bars.q] * 3, speeds, rtol=1e-7, **way)
        assert abs(batch.constraint_drift[:, -1, 0]).max() < 1e-6
        for member, u in zip(batch, speeds, strict=True):
            single = model.simulate(times, bars.q, u, rtol=1e-10, **way)
            assert_allclose(member.q, single.q, atol=1e-5)

    @pytest.mark.usefixtures("numpy_by_default")
    def test_projection_on_constraints_that_move(self):
        """A rod whose end is on a line that goes up and down as specified."""
        fdyn = crank_on_moving_guide(HEIGHT, 2.5)
        numbers = dict.fromkeys(fdyn.constants, 1.0)
        moving = {x: lambdify(T, x.subs(HEIGHT, sin(3 * T) / 5).doit()) for x in fdyn.specifieds}
        still = {x: moving[x](0.0) for x in fdyn.inverse.specifieds}
        known = dict.fromkeys(fdyn.inverse.constants, 1.0)
        q, u, _ = fdyn.inverse.close_motion([0.6, -0.9], [1.3, 0], None, known, still, times=0.0)

        def places(q, **options):
            given = numbers, moving
            return fdyn.simulate(np.linspace(0, 1, 6), q, u, *given, rtol=1e-10, **options).q

        loose, kept = places(q, atol=1e-12), places(q, atol=1e-12, projection=True)
        assert_allclose(kept, loose, atol=1e-8)
        assert_allclose(places([q, q], atol=1e-12, projection=True), [kept] * 2, atol=1e-8)

    def test_projection_of_what_cannot_be_projected(self, bars):
        with refusal("method"):
            bars.fdyn.simulate(TIMES, bars.q, bars.u, method="LSODA", projection=True)

    def test_open_loops_are_refused(self, bars):
        refused(lambda: bars.fdyn.simulate(TIMES, bars.q + np.array([0.1, 0, 0]), bars.u), "q")
        refused(lambda: bars.fdyn.simulate(TIMES, bars.q, bars.u + np.array([0.1, 0, 0])), "u")


class TestReactions:
    def check(self, pendulum, result, states, times=TIMES):
        q, u = states[..., :2], states[..., 2:]
        specifieds = {pendulum.first: np.sin(times), pendulum.second: -u[..., 1]}
        evaluate = pendulum.fdyn.inverse.compile(("generalized_forces", "joint_wrenches"))
        expected = evaluate(q, u, result.udot, pendulum.constants, specifieds)
        assert_allclose(expected.generalized_forces, 0 * q, atol=1e-10)
        assert_allclose(result.joint_wrenches, expected.joint_wrenches, atol=1e-9)

    def test_they_are_those_of_inverse_dynamics(self, pendulum):
        given = {"tau_0": np.sin, "tau_1": lambda t, x: -x[3]}
        arguments = pendulum.constants, given
        f = pendulum.fdyn.rhs(*arguments)
        solution = solve_ivp(f, (0, 2), STATE, t_eval=TIMES)
        rows = odeint(f, STATE, TIMES, tfirst=True)
        motion = pendulum.simulate(specifieds=given)
        cases = (TIMES, rows, rows), (TIMES, solution, solution.y.T), (None, solution, solution.y.T)
        for times, states, expected in (*cases, (None, motion, np.hstack([motion.q, motion.u]))):
            result = pendulum.fdyn.reactions(times, states, *arguments)
            self.check(pendulum, result, expected)
            assert_allclose(result.times, TIMES)
        many = pendulum.simulate(q=np.ones((3, 2)), u=np.zeros((3, 2)), specifieds=given)
        result = pendulum.fdyn.reactions(None, many, *arguments)
        assert result.joint_wrenches.shape == (3, 41, 2, 6)
        self.check(pendulum, result, np.concatenate([many.q, many.u], axis=-1))

    def test_transposed_states_are_suspected(self, pendulum):
        with refusal("states"):
            pendulum.fdyn.reactions(TIMES, np.zeros((4, 41)), pendulum.constants, pendulum.still)
