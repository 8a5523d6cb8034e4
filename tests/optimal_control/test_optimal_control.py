"""opty's problems with compiled equations: same constraints, same Jacobian, same motions."""

import contextlib
import sys

import numpy as np
import pytest
from bodies import rigid_body, system_of
from classical import double_pendulum
from example_scripts import example
from refusals import refusal, refused
from scipy.integrate import trapezoid
from scipy.sparse import coo_matrix
from sympy import Function, Integral, Matrix, Symbol, cos, exp, pi, sin, symbols
from sympy.physics.mechanics import (
    Force,
    Particle,
    PrismaticJoint,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from jointwrench import ForwardDynamics, Segment, SerialChain
from jointwrench.optimal_control import forward_problem

with contextlib.suppress(ImportError):
    import opty

pytestmark = pytest.mark.needs("opty")

METHODS = ["backward euler", "midpoint"]


def nothing(free):
    return 0.0


def flat(free):
    return np.zeros_like(free)


def jacobian(problem, free):
    """Return the Jacobian of a problem's constraints as a dense array."""
    shape = problem.num_constraints, problem.num_free
    entries = problem.jacobian(free), problem.jacobianstructure()
    return coo_matrix(entries, shape=shape).toarray()


def assert_same(problem, other):
    """All that IPOPT is told agrees at a random vector of free variables."""
    assert problem.num_free == other.num_free
    free = np.random.default_rng(1).uniform(0.5, 1.5, problem.num_free)
    assert problem.constraints(free) == pytest.approx(other.constraints(free), rel=1e-11, abs=1e-10)
    assert jacobian(problem, free) == pytest.approx(jacobian(other, free), rel=1e-10, abs=1e-10)
    for name in ("lower_bound", "upper_bound", "_low_con_bounds", "_upp_con_bounds"):
        assert list(getattr(problem, name)) == list(getattr(other, name))


def symbolic(equations, fdyn, *arguments, states=(), **options):
    """Return opty's own problem of symbolic equations."""
    own = (*fdyn.coordinates, *fdyn.speeds, *states)
    return opty.Problem(nothing, flat, equations, own, *arguments, backend="numpy", **options)


@pytest.fixture(scope="module")
def chain():
    return SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)


@pytest.fixture(scope="module")
def fdyn(chain):
    return ForwardDynamics(chain.system)


@pytest.fixture(scope="module")
def equations(chain):
    """Kinematical equations, then Fr + Fr*, as sympy forms them."""
    forces = chain.system.form_eoms()
    rates = chain.system.eom_method.kindiffdict()
    return Matrix([*(rate - value for rate, value in rates.items()), *forces])


class TestDoublePendulum:
    """Kane's equations by sympy, as opty takes them, and the compiled ones."""

    @pytest.mark.parametrize("method", METHODS)
    def test_known_and_free_values(self, fdyn, equations, method):
        """One torque is known, the other free; one constant is free, and the duration."""
        nodes, h = 7, Symbol("h")
        q, u = fdyn.coordinates[0], fdyn.speeds[1]
        options = {
            "known_parameter_map": {s: 1.0 + 0.1 * k for k, s in enumerate(fdyn.constants[1:])},
            "known_trajectory_map": {fdyn.specifieds[1]: np.linspace(0, 1, nodes)},
            "instance_constraints": [q.func(0 * h) - pi, u.func(6 * h) ** 2 - q.func(2 * h)],
            "bounds": {
                q: (-1, 4),
                fdyn.specifieds[0]: (-3, 3),
                fdyn.constants[0]: (0, 2),
                h: (0, 1),
            },
            "integration_method": method,
        }
        problem = forward_problem(fdyn, nothing, flat, nodes, h, **options)
        other = symbolic(equations, fdyn, nodes, h, **options)
        assert isinstance(problem, opty.Problem)
        assert_same(problem, other)
        assert len(problem.jacobianstructure()[0]) < 0.7 * len(other.jacobianstructure()[0])

    @pytest.mark.parametrize("method", METHODS)
    def test_further_equations(self, fdyn, equations, method):
        """A torque follows an excitation with a lag; an energy is integrated; a path has bounds."""
        torque, (e, energy) = fdyn.specifieds[0], dynamicsymbols("e energy")
        lag, (q, _), (u, _) = Symbol("lag"), fdyn.coordinates, fdyn.speeds
        others = [torque.diff() - (e - torque) / lag, energy.diff() - torque * u, sin(q) - energy]
        options = {
            "known_parameter_map": dict.fromkeys([*fdyn.constants, lag], 1.0),
            "eom_bounds": {6: (-1.0, 2.0)},
            "integration_method": method,
        }
        given = {"equations": Matrix(others), "states": [torque, energy]}
        problem = forward_problem(fdyn, nothing, flat, 5, 0.1, **given, **options)
        rows = Matrix([*equations, *others])
        assert_same(problem, symbolic(rows, fdyn, 5, 0.1, states=[torque, energy], **options))

    @pytest.mark.parametrize(("backend", "threads"), [("c", 2), ("numpy", 1)])
    def test_backends(self, fdyn, equations, backend, threads):
        numbers = dict.fromkeys(fdyn.constants, 1.0)
        options = {"known_parameter_map": numbers, "backend": backend, "threads": threads}
        problem = forward_problem(fdyn, nothing, flat, 4, 0.1, **options)
        assert_same(problem, symbolic(equations, fdyn, 4, 0.1, known_parameter_map=numbers))

    def test_equations_of_a_kanes_method(self):
        model = double_pendulum(False)
        fdyn = ForwardDynamics.from_kane(model.kane, model.connections)
        forces = sum(model.kane.kanes_equations(), Matrix([0, 0]))
        rates = model.kane.kindiffdict()
        rows = Matrix([*(rate - value for rate, value in rates.items()), *forces])
        numbers = dict.fromkeys(fdyn.constants, 1.1)
        problem = forward_problem(fdyn, nothing, flat, 4, 0.1, known_parameter_map=numbers)
        assert_same(problem, symbolic(rows, fdyn, 4, 0.1, known_parameter_map=numbers))


def wire(height, *loads):
    """Return the dynamics of a bead of mass m on a wire: ``loads`` along x and y beside weight."""
    m, g = symbols("m g")
    ground, cart = rigid_body("ground"), RigidBody("cart", mass=0)
    cart.central_inertia, bead = inertia(cart.frame, 0, 0, 0), Particle("bead", mass=m)
    right = PrismaticJoint("x", ground, cart, joint_axis=ground.x)
    up = PrismaticJoint("y", cart, bead, joint_axis=cart.y)
    system = system_of(ground, right, up)
    (x, y), (vx, vy) = system.q, system.u
    along = [load(x, y) for load in loads] or [0, 0]
    system.add_loads(Force(bead, along[0] * ground.x + (along[1] - m * g) * ground.y))
    system.add_holonomic_constraints(height(x, y))
    system.q_ind, system.q_dep, system.u_ind, system.u_dep = [x], [y], [vx], [vy]
    return ForwardDynamics(system), {m: 2.0, g: 9.81}


def free_motion(fdyn, q, u, duration, nodes=101, method="midpoint", constants=None):
    """Return the problem whose only motion is that from an initial state, and its solution."""
    states = [*fdyn.coordinates, *fdyn.speeds]
    start = [x.func(0) - value for x, value in zip(states, [*q, *u], strict=True)]
    problem = forward_problem(
        fdyn,
        *(nothing, flat, nodes, duration / (nodes - 1)),
        known_parameter_map=constants or {},
        instance_constraints=start,
        integration_method=method,
    )
    guess = np.zeros(problem.num_free)
    for state, value in zip(states, [*q, *u], strict=True):
        problem.fill_free(guess, np.full(nodes, value), state)
    problem.add_option("print_level", 0)
    problem.add_option("sb", "yes")
    free, info = problem.solve(guess)
    assert info["status"] == 0, info["status_msg"]
    return problem, free


def trajectories(problem, free, symbols):
    """Return functions of time at the nodes, shape (N, number of symbols)."""
    return np.column_stack([problem.extract_values(free, symbol) for symbol in symbols])


@pytest.mark.parametrize("method", METHODS)
def test_more_coordinates_than_speeds(method):
    """A limb on a quaternion: its residual by the Evaluators, its slopes by differences."""
    upper = Segment("upper", 0.3, 2.0, inertia=(0.02, 0.01, 0.03), joint="quaternion")
    segments = [upper, Segment("lower", 0.25, 1.0)]
    chain = SerialChain(segments, gravity=(0, -9.81, 0), actuated=True)
    fdyn, step = ForwardDynamics(chain.system), 0.05
    problem = forward_problem(fdyn, nothing, flat, 2, step, integration_method=method)
    free = np.random.default_rng(4).uniform(0.2, 0.9, problem.num_free)
    x, r = (np.reshape(part, (-1, 2)) for part in np.split(free, [2 * 9]))
    is_midpoint = method == "midpoint"
    (q, u), torque = np.split(x.mean(1) if is_midpoint else x[:, 1], [5]), r[:, 1]
    torque = r.mean(1) if is_midpoint else torque
    qdot, udot = np.split((x[:, 1] - x[:, 0]) / step, [5])
    given = dict(zip(problem.collocator.input_trajectories, torque, strict=True))
    forces = fdyn.inverse.compile("unsupplied")(q, u, udot, specifieds=given).unsupplied
    rates = fdyn.compile("qdot")(q, u, specifieds=given).qdot
    assert problem.con(free) == pytest.approx(np.hstack([qdot - rates, -forces]), abs=1e-11)
    steps = 1e-5 * np.eye(len(free))
    slopes = [(problem.con(free + d) - problem.con(free - d)) / 2e-5 for d in steps]
    assert jacobian(problem, free) == pytest.approx(np.transpose(slopes), rel=1e-6, abs=1e-6)


def test_swing_up(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    times, angle, speed, torque, force = example("swing_up").main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert [angle[0], angle[-1], speed[0], speed[-1]] == pytest.approx([0, np.pi, 0, 0], abs=1e-9)
    assert abs(torque).max() <= 2.0 + 1e-6
    assert trapezoid(torque * speed, times) == pytest.approx(2 * 9.81, rel=2e-3)  # the height
    newton = speed**2 + 9.81 * np.cos(angle), 9.81 * np.sin(angle)
    rate = torque - newton[1]  # of m = l = 1; across the rod the bearing gives m (rate + g sin)
    assert force == pytest.approx(np.hypot(newton[0], rate + newton[1]), abs=1e-9)
    assert "work of the motor: 19.6" in capsys.readouterr().out


def test_gentle_arm(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    script = example("gentle_arm")
    fast, gentle = script.main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert gentle.load.max() == pytest.approx(script.MOST_FORCE, rel=1e-6)
    assert fast.load.max() > 2 * script.MOST_FORCE
    assert fast.duration < gentle.duration < 1.15 * fast.duration
    for swing in (fast, gentle):
        assert (abs(swing.torques) <= np.array(script.MOST_TORQUES) + 1e-5).all()
        assert swing.q[[0, -1]] == pytest.approx(np.array([script.START, script.END]), abs=1e-8)
    is_full = np.isclose(abs(fast.torques), script.MOST_TORQUES, rtol=1e-3)
    assert is_full.mean() > 0.9  # the fastest way is always at a limit
    assert "9 % more time, 0.43 times the force" in capsys.readouterr().out


def test_heel_strike(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    script = example("heel_strike")
    found = script.main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert found["angular"][0] == pytest.approx(found["angular"][1], rel=1e-10)
    before, after = found["energy"]
    assert before - after == pytest.approx(found["work"], rel=1e-4)
    assert after < 0.7 * before
    (u, _), (next_u, next_v) = found["u"][-1], found["u"][0]
    # the leaving leg, about the hip: m c^2 + I times its rate, and its middle goes with the hip
    half, lean = script.LEG / 2, script.LEAN
    of_rate = script.LEG_MASS * half**2 + script.LEG_INERTIA
    with_hip = script.LEG_MASS * half * script.LEG
    expected = (of_rate - with_hip) * u
    assert of_rate * (next_u + next_v) - with_hip * np.cos(2 * lean) * next_u == pytest.approx(
        expected
    )
    assert "kinetic energy: 71.1 and 37.5 J" in capsys.readouterr().out


class TestConstraints:
    """The only motion from an initial state is that of a simulation."""

    @pytest.fixture(scope="class")
    @classmethod
    def linkage(cls):
        system, knee = example("four_bar").four_bar()
        fdyn = ForwardDynamics(system, loops=[knee])
        q, u, _ = fdyn.inverse.close_motion([0.3, 0.8, 1.6], [2.0, 0, 0])
        return fdyn, q, u

    def test_closed_loop_and_its_multipliers(self, linkage):
        """The planar linkage of pins has five of them, of which the motion determines two."""
        fdyn, q, u = linkage
        problem, free = free_motion(fdyn, q, u, 0.1, method="backward euler")
        assert problem.multipliers == tuple(dynamicsymbols("lambda_0 lambda_1"))
        motion = fdyn.simulate(np.linspace(0, 0.1, 101), q, u)
        expected = fdyn.compile("multipliers")(motion.q, motion.u).multipliers[2:, :2]
        assert trajectories(problem, free, fdyn.coordinates) == pytest.approx(motion.q, abs=5e-3)
        found = trajectories(problem, free, problem.multipliers)[2:]
        assert found == pytest.approx(expected, rel=0.01)

    def test_contact(self):
        """A disc rolls: its contact binds the speeds, and what carries it is its weight."""
        module = example("rolling_disc")
        disc = module.Disc()
        fdyn = ForwardDynamics(disc.system, loops=[disc.contact])
        q = [0.0, 0.0, 0.3 * np.cos(0.25), 0.0, 0.25, 0.0]
        speeds = [*module.RATES, 0.0, 0.0, 0.0]
        _, u, _ = fdyn.inverse.close_motion(q, speeds, constants=module.CONSTANTS)
        constants = module.CONSTANTS
        problem, free = free_motion(fdyn, q, u, 0.5, constants=constants)
        motion = fdyn.simulate(np.linspace(0, 0.5, 101), q, u, constants)
        assert trajectories(problem, free, fdyn.coordinates) == pytest.approx(motion.q, abs=1e-3)
        assert len(problem.multipliers) == 3

    def test_own_equations(self):
        """A bead on a wire y = x**2, which the model alone says; Newton's law with a multiplier."""
        fdyn, numbers = wire(lambda x, y: y - x**2)
        (x, y), (vx, vy), (m, g) = fdyn.coordinates, fdyn.speeds, numbers
        problem = forward_problem(fdyn, nothing, flat, 5, 0.1, known_parameter_map=numbers)
        (force,) = problem.multipliers
        assert fdyn.specifieds == ()
        rows = [x.diff() - vx, y.diff() - vy]
        rows += [-m * vx.diff() - 2 * x * force, -m * vy.diff() - m * g + force, y - x**2]
        other = symbolic(Matrix(rows), fdyn, 5, 0.1, known_parameter_map=numbers)
        assert_same(problem, other)


class TestSecondDerivatives:
    """The Lagrangian's Hessian is the difference of its gradients."""

    @staticmethod
    def check(problem, seed=1):
        random = np.random.default_rng(seed)
        free = random.uniform(0.2, 0.8, problem.num_free)
        multipliers, factor, step = random.normal(size=problem.num_constraints), 0.7, 1e-6

        def slopes(free):
            return factor * problem.gradient(free) + multipliers @ jacobian(problem, free)

        rows, columns = problem.hessianstructure()
        assert (rows >= columns).all()
        found = np.zeros((problem.num_free, problem.num_free))
        np.add.at(found, (rows, columns), problem.hessian(free, multipliers, factor))
        found += np.tril(found, -1).T
        moves = np.eye(problem.num_free) * step
        expected = [(slopes(free + d) - slopes(free - d)) / (2 * step) for d in moves]
        assert found == pytest.approx(np.array(expected), rel=1e-6, abs=1e-6)
        return rows, columns

    @pytest.mark.parametrize("method", METHODS)
    def test_objective_constraints_and_conditions(self, fdyn, method):
        """An integral, a free constant, a duration, and conditions that are not linear."""
        nodes, h, time = 5, Symbol("h"), dynamicsymbols._t
        (q, _), (u, _), (one, two) = fdyn.coordinates, fdyn.speeds, fdyn.specifieds
        free, *known = fdyn.constants
        objective = 2 * Integral(one**2 * free + sin(q) * u**2, time) + h * free**2
        objective += 3 * (Integral(cos(q), time) + q.func(4 * h) * u.func(0 * h))
        problem = forward_problem(
            fdyn,
            *(objective, None, nodes, h),
            known_parameter_map={s: 1.0 + 0.1 * k for k, s in enumerate(known)},
            known_trajectory_map={two: np.linspace(0, 1, nodes)},
            instance_constraints=[q.func(0 * h) - pi, u.func(4 * h) ** 2 - q.func(2 * h)],
            integration_method=method,
            hessian="exact",
        )
        point = np.linspace(0.2, 0.7, problem.num_free)
        steps = 1e-6 * np.eye(problem.num_free)
        slopes = [
            (problem.objective(point + d) - problem.objective(point - d)) / 2e-6 for d in steps
        ]
        assert problem.gradient(point) == pytest.approx(slopes, rel=1e-7, abs=1e-7)
        rows, columns = self.check(problem)
        assert len({*zip(rows, columns, strict=True)}) == len(rows)

    @pytest.mark.parametrize("method", METHODS)
    def test_explicit_time(self, method):
        """A load, a condition of the path and a cost that depend on time, of free duration, too."""
        (slide, speed), nodes, h, time = dynamicsymbols("x v"), 6, Symbol("h"), dynamicsymbols._t
        ground, block = rigid_body("ground"), Particle("block", mass=2)
        system = system_of(ground, PrismaticJoint("slide", ground, block, slide, speed))
        system.add_loads(Force(block, sin(3 * time) * slide * ground.x))
        fdyn, wave = ForwardDynamics(system), dynamicsymbols("wave")
        path = slide * exp(-time)

        def problem(interval, cost=speed**2 * time, **options):
            given = Integral(cost, time), None, nodes, interval
            options |= {"integration_method": method, "hessian": "exact"}
            return forward_problem(fdyn, *given, equations=[path], **options)

        step = 0.3
        instants = np.arange(1, nodes) if method == METHODS[0] else np.arange(nodes - 1) + 0.5
        instants = instants * step
        free, fixed = problem(h), problem(step)
        values = np.random.default_rng(2).uniform(size=free.num_free)
        values[-1] = step
        assert free.con(values) == pytest.approx(fixed.con(values[:-1]))
        assert free.objective(values) == pytest.approx(fixed.objective(values[:-1]))
        x, v = values[:-1].reshape(2, nodes)
        if method == METHODS[0]:
            mean, rate, own = x[1:], np.diff(v) / step, v[1:]
        else:
            mean, rate, own = (x[1:] + x[:-1]) / 2, np.diff(v) / step, (v[1:] + v[:-1]) / 2
        _, forces, paths = fixed.con(values[:-1]).reshape(3, -1)
        assert forces == pytest.approx(np.sin(3 * instants) * mean - 2 * rate)
        assert paths == pytest.approx(mean * np.exp(-instants))
        assert fixed.objective(values[:-1]) == pytest.approx(step * (own**2 * instants).sum())
        self.check(free)
        known = {wave: np.linspace(0, 1, nodes)}  # in the objective alone
        self.check(problem(h, (slide - wave) ** 2, known_trajectory_map=known))

    def test_integral_is_that_of_opty(self, fdyn):
        time, torques = dynamicsymbols._t, fdyn.specifieds
        integral = Integral(torques[0] ** 2 + fdyn.coordinates[0] * torques[1] ** 4, time)
        states = (*fdyn.coordinates, *fdyn.speeds)
        own = opty.create_objective_function(integral, states, torques, (), 6, 0.1)
        options = {"known_parameter_map": dict.fromkeys(fdyn.constants, 1.0)}
        problem = forward_problem(fdyn, integral, None, 6, 0.1, **options)
        free = np.random.default_rng(0).normal(size=problem.num_free)
        assert problem.objective(free) == pytest.approx(own[0](free))
        assert problem.gradient(free) == pytest.approx(own[1](free))
        assert not hasattr(problem, "hessian")

    def test_conditions_that_depend_on_others(self):
        """A bead on a ring: both coordinates are given where it starts and ends."""
        push = dynamicsymbols("push")
        pushes = (lambda x, y: -push * y), (lambda x, y: push * x)
        fdyn, numbers = wire(lambda x, y: x**2 + y**2 - 1, *pushes)
        (x, y), (v, w), nodes = fdyn.coordinates, fdyn.speeds, 21
        both = [x.func(0), y.func(0) + 1, x.func(1) - 0.6, y.func(1) + 0.8]

        def problem(conditions):
            found = forward_problem(
                *(fdyn, Integral(push**2, fdyn.time), None, nodes, 1 / (nodes - 1)),
                instance_constraints=[*conditions, v.func(0), w.func(1)],
                known_parameter_map=numbers,
                hessian="exact",
            )
            found.add_option("print_level", 0)
            found.add_option("sb", "yes")
            guess = np.full(found.num_free, 0.1)
            found.fill_free(guess, np.full(nodes, -1.0), y)
            return found, guess

        assert not problem([both[0], both[2]])[0]._is_overdetermined
        surplus, guess = problem(both)
        assert surplus._is_overdetermined
        free, info = surplus.solve(guess)
        assert info["status"] == 0
        assert abs(surplus.con(free)).max() < 1e-7
        assert surplus.extract_values(free, x)[-1] == pytest.approx(0.6)


TIME, (X, V) = dynamicsymbols._t, dynamicsymbols("x v")
COST = Integral(X**2, TIME)


def pushed(obj=nothing, obj_grad=None, load=lambda q: q, **options):
    """Return the problem of a block that a load pushes."""
    ground, block = rigid_body("ground"), RigidBody("block", mass=1)
    system = system_of(ground, PrismaticJoint("slide", ground, block, X, V))
    system.add_loads(Force(block, load(X) * ground.x))
    grid = {"num_collocation_nodes": 6, "node_time_interval": 0.1}
    return forward_problem(ForwardDynamics(system), obj, obj_grad, **grid | options)


@pytest.mark.parametrize(
    ("arguments", "argument", "options"),
    [
        ((nothing, None), "obj_grad", {}),
        ((nothing, flat), "hessian", {"hessian": "exact"}),
        ((nothing, flat), "hessian", {"hessian": "full"}),
        ((COST, flat), "obj_grad", {}),
        ((COST**2, None), "obj", {}),
        ((Integral(COST, TIME), None), "obj", {}),
        ((COST * Symbol("s"), None), "obj", {}),
        ((Symbol("s") + COST, None), "obj", {}),
        ((X.func(0.7), None), "obj", {}),
        (("T", None), "obj", {}),
        ((COST, None), "num_collocation_nodes", {"num_collocation_nodes": 1}),
        ((COST, None), "num_collocation_nodes", {"num_collocation_nodes": "a"}),
        ((COST, None), "node_time_interval", {"node_time_interval": 0.0}),
        ((COST, None), "node_time_interval", {"node_time_interval": -0.1}),
        ((COST, None), "system", {"load": Function("f")}),
        ((COST, None), "integration_method", {"integration_method": "trapezoidal"}),
        ((COST, None), "equations", {"equations": 3}),
        ((COST, None), "equations", {"equations": ["x"]}),
        ((COST, None), "states", {"states": ["x"]}),
    ],
)
def test_problems_that_are_refused(arguments, argument, options):
    with refusal(argument, (TypeError, ValueError)):
        pushed(*arguments, **options)


def test_models_that_changed(monkeypatch):
    chain = SerialChain.planar(1)
    fdyn = ForwardDynamics(chain.system)
    monkeypatch.setattr(dynamicsymbols, "_t", Symbol("s"))
    refused(lambda: forward_problem(fdyn, nothing, flat, 5, 0.1), "system")
    monkeypatch.undo()
    chain.bodies[0].mass = 5
    refused(lambda: forward_problem(fdyn, nothing, flat, 5, 0.1), "system")


def test_arguments_of_the_hessian():
    hessian = pushed(COST, hessian="exact").hessian
    free, multipliers = np.ones(12), np.ones(10)
    hessian(free, multipliers, 1.0)
    for wrong in (multipliers[:-1], 1.0, multipliers[None], np.nan * multipliers):
        refused(lambda: hessian(free, wrong, 1.0), "multipliers")
    refused(lambda: hessian(free[:-1], multipliers, 1.0), "free")
    refused(lambda: hessian(free, multipliers, "a"), "obj_factor", TypeError)


def test_opty_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "opty", None)
    refused(pushed, None, ImportError)
