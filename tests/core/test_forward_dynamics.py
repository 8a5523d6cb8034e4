"""Forward dynamics against KanesMethod, against the inverse dynamics, and by laws of mechanics."""

import pickle

import classical
import constrained_models
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from marks import few, slow
from numeric import evaluate_matrix, relative_error, reloaded, run
from pydy import models as pydy
from random_systems import random_system
from refusals import refused
from sympy import Matrix, Rational, symbols
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import models
from test_known_constrained_models import MODELS as CONSTRAINED
from test_known_constrained_models import Equations

from jointwrench import Segment, SerialChain
from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.models.tree_builder import TreeBuilder

T = me.dynamicsymbols._t
TOLERANCE = 1e-9


# -- KanesMethod --------------------------------------------------------------------------------


def told(model):
    """Return a KanesMethod and its forward dynamics, with connections as a person tells them."""
    return model.kane, ForwardDynamics.from_kane(model.kane, model.connections)


def in_a_row(kane):
    """Return the same of bodies that are joined at their mass centres."""
    inner = [kane._inertial, *kane.bodies]
    connections = [(p, c, c.masscenter) for p, c in zip(inner, kane.bodies, strict=False)]
    return told(classical.Model(kane, connections))


def torques_on_massless_links():
    """They act on the particles at the links' ends."""
    kane = models.n_link_pendulum_on_cart(2, True, True)
    return kane, ForwardDynamics.from_kane(kane)


def cart_of_system():
    """As in the documentation of System."""
    g, l, mc, mp = symbols("g l mc mp")
    rail, cart, bob = rigid_body("rail"), rigid_body("cart", mc), me.Particle("bob", mass=mp)
    frame, system = me.ReferenceFrame("string"), me.System.from_newtonian(rail)
    string = {"child_interframe": frame, "child_point": l * frame.y}
    slider = me.PrismaticJoint("slider", rail, cart, joint_axis=rail.x)
    system.add_joints(slider, me.PinJoint("pin", cart, bob, joint_axis=cart.z, **string))
    system.apply_uniform_gravity(-g * rail.y)
    system.form_eoms()
    return system.eom_method, ForwardDynamics(system)


#: Models of sympy and PyDy, by what makes a KanesMethod and its forward dynamics.
KANE = {
    **{name: lambda make=make: told(make()) for name, make in classical.MODELS.items()},
    "cart of sympy": lambda: in_a_row(models.n_link_pendulum_on_cart(3, True, False)),
    "springs of sympy": lambda: in_a_row(models.multi_mass_spring_damper(3, True, True)),
    "cart of pydy": lambda: in_a_row(pydy.n_link_pendulum_on_cart(2, True, False).eom_method),
    "springs of pydy": lambda: in_a_row(pydy.multi_mass_spring_damper(2, True, True).eom_method),
    "torques on massless links": torques_on_massless_links,
    "cart of System": cart_of_system,
}
LONG = ("pendulum with absolute speeds", "springs of sympy", "cart of sympy")


def rates_by_kane(kane, values):
    """Return the rates of coordinates and speeds by ``mass_matrix_full`` and ``forcing_full``."""
    if not kane._fr:
        kane.kanes_equations(kane.bodies, kane.loads or None)
    known = kane.kindiffdict()
    mass = evaluate_matrix(kane.mass_matrix_full.xreplace(known), values)
    forcing = evaluate_matrix(kane.forcing_full.doit().xreplace(known), values)
    return np.linalg.solve(mass, forcing)[:, 0]


def random_values(fdyn, *matrices):
    """Return numbers for all inputs, and for what else is in some matrices."""
    leaves = {*fdyn.coordinates, *fdyn.speeds, *fdyn.constants, *fdyn.specifieds}
    for matrix in matrices:
        leaves |= matrix.free_symbols | matrix.atoms(AppliedUndef)
    numbers = np.random.default_rng(12)
    return {x: numbers.uniform(0.4, 1.2) for x in sorted(leaves, key=str)}


@pytest.mark.parametrize("name", [x for x in KANE if x not in LONG] + slow(LONG))
def test_rates_of_kanes_method(name):
    """And back: the inverse dynamics of its accelerations needs no further forces."""
    kane, fdyn = KANE[name]()
    values = random_values(fdyn, kane.q)
    outputs = run(fdyn.program(("qdot", "udot")), values)
    expected = rates_by_kane(kane, values)
    count = len(fdyn.coordinates)
    assert relative_error(outputs["qdot"], expected[:count]) < TOLERANCE
    assert relative_error(outputs["udot"], expected[count:]) < TOLERANCE
    moving = {**values, **dict(zip(kane.u.diff(T), expected[count:], strict=True))}
    inverse = run(fdyn.inverse.program(("unsupplied", "joint_wrenches")), moving)
    scale = max(1, np.abs(inverse["joint_wrenches"]).max())
    assert np.abs(inverse["unsupplied"]).max() < TOLERANCE * scale


@pytest.mark.parametrize("name", few(CONSTRAINED, "snakeboard", "dragged bar"))
def test_accelerations_of_kanes_method_with_constraints(name):
    model = CONSTRAINED[name]()
    equations = Equations(model)
    equations.move(np.zeros(len(model.kane.u) - len(model.kane._udep)))
    expected = [equations.values[u.diff(T)] for u in model.kane.u]
    for loops in (model.loops, []):  # where constraints act, and multipliers alone
        fdyn = ForwardDynamics.from_kane(model.kane, model.connections, loops=loops)
        found = run(fdyn.program(), equations.values)["udot"]
        assert relative_error(found, expected) < TOLERANCE


def test_speeds_that_move_no_body_are_refused():
    """Unless constraints say how they change, as those of the dragged bar do."""
    model = classical.cart_with_pendulum(1)
    kane = model.kane
    q, u = me.dynamicsymbols("a e")
    kdes = [x.diff(T) - v for x, v in zip([*kane.q, q], [*kane.u, u], strict=True)]
    idle = me.KanesMethod(
        classical.N, [*kane.q, q], [*kane.u, u], kdes, bodies=kane.bodies, forcelist=kane.loads
    )
    refused(lambda: ForwardDynamics.from_kane(idle, model.connections), "kane", TopologyError)


# -- inverse dynamics ---------------------------------------------------------------------------


def test_inverse_mass_matrix():
    """Of a long chain; it is not symmetric if a load depends on another body's acceleration."""
    long = SerialChain([Segment(f"s{k}", 0.5, 1.0, inertia=0.1) for k in range(15)])
    chain = SerialChain.planar(2)
    rate = chain.system.u[0].diff()
    chain.system.add_loads(me.Torque(chain.frames[1], -0.3 * rate * chain.frames[1].z))
    for system, skew in ((long.system, 0), (chain.system, 0.01)):
        fdyn = ForwardDynamics(system)
        values = random_values(fdyn)
        inverse = run(fdyn.program("inverse_mass_matrix"), values)["inverse_mass_matrix"]
        matrix = evaluate_matrix(fdyn.mass_matrix, values)
        assert relative_error(inverse @ matrix, np.eye(len(matrix))) < TOLERANCE
        assert skew <= abs(inverse - inverse.T).max() <= 100 * skew


# -- laws ---------------------------------------------------------------------------------------


class Swing:
    """Two rods in a plane, with a spring, a damper and a motor, in numbers."""

    def __init__(self, with_losses=True):
        builder = TreeBuilder()
        upper = builder.add_body("upper", 2, (0, -0.5, 0), (0.2, 0.1, 0.2, 0.05, 0, 0))
        lower = builder.add_body("lower", 1, (0, -0.3, 0.1), (0.1, 0.05, 0.1, 0, 0, 0.02))
        builder.add_joint("pin", "hip", builder.ground, upper, axis=(0, 0, 1))
        builder.add_joint("pin", "knee", upper, lower, axis=(1, 0, 0), parent_point=(0, -1, 0))
        self.system = builder.build((0, -9.81, 0))
        hook = builder.add_point("hook", builder.ground, (1, 0.5, 0))
        ends = [hook, builder.add_point("eye", lower, (0, -0.6, 0))]
        self.system.add_actuators(me.LinearSpring(30, me.LinearPathway(*ends), 0.4))
        self.torque = me.dynamicsymbols("tau")
        if with_losses:
            hip = self.system.joints[0]
            motor = me.TorqueActuator.at_pin_joint(self.torque, hip)
            self.system.add_actuators(me.LinearDamper(2, me.LinearPathway(*ends)), motor)
        self.ends, self.fdyn = ends, ForwardDynamics(self.system)


@pytest.fixture(scope="module")
def swing():
    return Swing()


def energy_rate(evaluate, q, u, udot, specifieds):
    """Return the rate of the sum of energies along the motion, by central differences."""
    step = 1e-5
    ends = ((q + h * u + h**2 / 2 * udot, u + h * udot) for h in (step, -step))
    ahead, behind = (evaluate(*x, specifieds=specifieds).energy.sum(-1) for x in ends)
    return (ahead - behind) / (2 * step)


def test_energy_changes_by_the_power_of_damper_and_motor(swing, rng):
    q, u = rng.uniform(-1, 1, (2, 20, 2))
    specifieds = {swing.torque: rng.uniform(-5, 5, 20)}
    evaluate = swing.fdyn.compile(("udot", "energy"), backend="numpy")
    udot = evaluate(q, u, specifieds=specifieds).udot
    stretching = me.LinearPathway(*swing.ends).extension_velocity
    rates = dict(zip(swing.system.q.diff(T), swing.system.u, strict=True))
    columns = zip([*swing.system.q, *swing.system.u], [*q.T, *u.T], strict=True)
    state = dict(columns)
    velocity = evaluate_matrix(Matrix([stretching.xreplace(rates)]), state)[:, 0, 0]
    expected = specifieds[swing.torque] * u[:, 0] - 2 * velocity**2
    found = energy_rate(evaluate, q, u, udot, specifieds)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_potential_energy_is_that_of_weights_and_springs(swing):
    """Hanging straight down, the spring from (1, 0.5) to (0, -1.6)."""
    found = swing.fdyn.compile("energy", backend="numpy")([0, 0], [0, 0], specifieds={"tau": 0})
    length = np.hypot(1, 2.1)
    weights = -9.81 * (2 * 0.5 + 1 * 1.3)
    assert found.energy == pytest.approx([0, weights + 15 * (length - 0.4) ** 2])


class TestEnergyWithoutAJointOnGround:
    """Bodies that are joined to ground at a point of their own, as classical models often have."""

    def energy(self, body, q, u, kdes, gravity):
        """Return kinetic and potential energy where all coordinates and speeds are 2."""
        weight = me.Force(body.masscenter, body.mass * gravity)
        kane = me.KanesMethod(classical.N, q, u, kdes, bodies=[body], forcelist=[weight])
        joined = [(classical.N, body, body.masscenter)]
        evaluate = ForwardDynamics.from_kane(kane, joined).compile("energy", backend="numpy")
        states = np.full(len(q), 2.0), np.full(len(u), 2.0)
        return evaluate(*states, constants={body.mass: 3}).energy

    def test_height_that_nobody_knows(self):
        """A velocity says nothing about a place; across the weight it need not."""
        (q, u), N = me.dynamicsymbols("q u"), classical.N
        P = me.Point("P")
        P.set_vel(N, u * N.y)
        bob = me.Particle("bob", P, symbols("m"))
        up, across = (self.energy(bob, [q], [u], [q.diff() - u], -10 * e) for e in (N.y, N.x))
        assert up == pytest.approx([6, np.nan], nan_ok=True)
        assert across == pytest.approx([6, 0])

    def test_ball_that_rolls(self):
        """Its point at rest is another one each time: known is the height above it alone."""
        q, u, N = me.dynamicsymbols("q:3"), me.dynamicsymbols("u:3"), classical.N
        A, P = N.orientnew("A", "Body", q, "xyz"), classical.fixed_point("P")
        spin = A.ang_vel_in(N)
        A.set_ang_vel(N, u[0] * N.x + u[1] * N.y + u[2] * N.z)
        kdes = [(A.ang_vel_in(N) - spin).dot(axis) for axis in A]
        C = P.locatenew("C", N.z / 2)
        C.v2pt_theory(P, N, A)
        ball = me.RigidBody("ball", C, A, symbols("m"), (me.inertia(A, 1, 1, 1), C))
        level = self.energy(ball, q, u, kdes, -10 * N.z)
        assert level == pytest.approx([6 + 3 * 8 / 4 / 2, 15])
        slope = self.energy(ball, q, u, kdes, 6 * N.x - 8 * N.z)
        assert slope == pytest.approx([9, np.nan], nan_ok=True)


def test_errors_of_constraints_die_out_as_they_are_told():
    """``e'' = -2 s e' - s^2 e``, in an open state of the four-bar."""
    model = constrained_models.four_bar_of_kanes_method()
    for rate in (0.0, 3.0):
        fdyn = ForwardDynamics.from_kane(
            model.kane, model.connections, loops=model.loops, stabilization=rate
        )
        evaluate = fdyn.compile("constraint_errors", constants=model.values, backend="numpy")
        errors = evaluate([0.8, -0.3, -1.5], [0.4, 1.0, -0.7]).constraint_errors
        position, velocity, acceleration = errors
        assert np.abs(position).max() > 0.1
        assert np.abs(velocity).max() > 0.1
        expected = -2 * rate * velocity - rate**2 * position
        assert acceleration == pytest.approx(expected, abs=TOLERANCE)


def test_c_code_takes_states_alone(swing, tmp_path):
    source, header = swing.fdyn.write_c(tmp_path / "swing.c")
    text = header.read_text()
    assert "time derivatives of the generalized speeds" in text
    assert "time derivatives of the generalized coordinates" in text
    assert "generalized accelerations" not in text
    assert "generalized coordinates" in text
    assert "double" in source.read_text()


def test_only_the_motor_drives_without_a_word_on_motors(swing):
    assert repr(swing.fdyn).startswith("ForwardDynamics")
    assert swing.fdyn.specifieds == (swing.torque,)
    assert swing.fdyn.inverse.generalized_forces == Matrix([0, 0])


# -- bad input ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strings():
    """A particle at the end of a string from another one, in a state."""
    builder, place = TreeBuilder(), (0, 0, 0)
    inner = builder.ground
    for k in range(2):
        end = symbols(f"l{k}"), 0, 0
        body = builder.add_body(f"b{k}", symbols(f"m{k}"), end)
        builder.add_joint("pin", f"j{k}", inner, body, axis=(0, 0, 1), parent_point=place)
        inner, place = body, end
    return ForwardDynamics(builder.build((0, -9.81, 0))), ([0.3, 0.4], [1.0, -0.5])


PATHS = {
    "plain": lambda fdyn, given, _: fdyn.compile()(*given),
    "numpy": lambda fdyn, given, _: fdyn.compile("joint_wrenches", backend="numpy")(*given),
    "fixed": lambda fdyn, given, _: fdyn.compile(constants={"m0": 0, "l0": 1})(
        *given[:2], {"m1": given[2]["m1"], "l1": 1}
    ),
    "pickled": lambda fdyn, given, _: pickle.loads(pickle.dumps(fdyn.compile()))(*given),
    "saved": lambda fdyn, given, path: reloaded(fdyn.compile(), path)(*given),
    "inverse": lambda fdyn, given, _: fdyn.compile("inverse_mass_matrix")(*given),
    "conditioning": lambda fdyn, given, _: fdyn.compile("conditioning")(*given),
    "linear": lambda fdyn, given, _: fdyn.linearize(*given),
}


@pytest.mark.parametrize("path", few(PATHS, "fixed", "linear", "numpy", "pickled", "saved"))
def test_masses_that_a_call_makes_zero_are_told(strings, tmp_path, path):
    """The inner particle needs none, since the outer one has."""
    fdyn, state = strings
    given = {"m0": 0.0, "m1": 0.0, "l0": 1.0, "l1": 1.0}
    match = r"`constants` must give mass to all that speeds move, got 0 for .*m1: .* Use numbers"
    with pytest.warns(UserWarning, match=match):
        PATHS[path](fdyn, (*state, given), tmp_path / "x")
    found = PATHS[path](fdyn, (*state, {**given, "m1": 1.0}), tmp_path / "x")
    known = [found.A] if path == "linear" else found.outputs.values()
    assert all(np.isfinite(x).all() for x in known)


class TestTwoAnglesAboutOneAxis:
    """A body that turns by q0 + q1 about its pin and has mass, with speeds of its own."""

    def model(self, share, constraints=()):
        (q, r), (u, v) = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
        N, A, B, O = (*map(me.ReferenceFrame, "NAB"), me.Point("O"))
        O.set_vel(N, 0)
        A.orient_axis(N, q, N.z)
        B.orient_axis(A, r, A.z)
        center = O.locatenew("C", B.x)
        body = me.RigidBody("body", center, B, 1, (me.inertia(B, 1, 1, 1), center))
        rows = [row(u, v) for row in constraints]
        some = {"u_dependent": [v], "velocity_constraints": rows} if rows else {}
        kdes = [u - q.diff() + share * r.diff(), v - r.diff()]
        kane = me.KanesMethod(
            N, [q, r], [u] if rows else [u, v], kdes, **some, bodies=[body],
            forcelist=[(center, -10 * N.y)],
        )  # fmt: skip
        return ForwardDynamics.from_kane(kane, [(N, body, O)])

    @pytest.mark.parametrize("share", [0, Rational(3, 10), symbols("k")])
    def test_alone_they_are_refused(self, share):
        refused(lambda: self.model(share).compile(backend="numpy"), "kane", TopologyError)

    @pytest.mark.parametrize("share", [0, Rational(3, 10), symbols("k")])
    @pytest.mark.parametrize(("scale", "slope"), [(1, 0), (2, 0), (1, Rational(1, 3))])
    def test_a_constraint_tells_them_apart(self, share, scale, slope):
        """The body's inertia about the pin is 2, its weight 10 at the distance 1."""
        model = self.model(share, [lambda u, v: scale * (v + slope * u)])
        result = model.compile(["udot", "conditioning"], backend="numpy")(
            [0.3, 0.2], [0.4, -0.4 * float(slope)], dict.fromkeys(model.constants, 0.3)
        )
        number = 0.3 if share else 0
        turn = -10 * np.cos(0.5) / 2  # of u + (1 + share) v
        expected = turn / float(1 - (1 + number) * slope) * np.array([1, -float(slope)])
        np.testing.assert_allclose(result.udot, expected, rtol=1e-12, atol=1e-14)
        assert result.conditioning > 0.1


@pytest.mark.parametrize("seed", [7, 42, 64, 78])
def test_trees_whose_mass_matrix_is_singular(seed):
    """Some of them only by numbers, as no formula tells."""
    tree = random_system(seed)
    assert not tree.is_regular
    refused(lambda: ForwardDynamics(tree.system), "system", TopologyError)


@pytest.mark.parametrize("outputs", [("udot", "udot"), (), "generalized_forces"])
def test_unknown_outputs(swing, outputs):
    refused(lambda: swing.fdyn.compile(outputs), "outputs")


def test_wrong_states_and_specifieds(swing):
    evaluate, given, many = swing.fdyn.compile(backend="numpy"), {"tau": 0}, np.zeros((3, 2))
    refused(lambda: evaluate([0, 0], [0, 0], udot=[0, 0], specifieds=given), "udot", TypeError)
    refused(lambda: evaluate([0, 0], [0, 0], specifieds={}), "specifieds")
    refused(lambda: evaluate(many, many, specifieds={"tau": [0, 0]}), "q")
