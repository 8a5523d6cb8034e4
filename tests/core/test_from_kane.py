"""Models made the classical way: the same forces as KanesMethod, the wrenches of balance."""

import re

import classical
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from classical import N
from numeric import evaluate_matrix
from refusals import refusal, refused
from sympy import Matrix, Symbol, cos, sin, symbols

from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import Segment, SerialChain
from jointwrench.motion.trajectory import Trajectory
from jointwrench.verify.comparison import crosscheck


def read(model, **options):
    return InverseDynamics.from_kane(model.kane, model.connections, **options)


def test_disc_about_its_centre():
    """About another point the same speeds turn and shift at once: no unique split."""
    model = classical.rolling_disc()
    ((_, disc, _),) = model.connections
    idyn = InverseDynamics.from_kane(model.kane, [(N, disc, disc.masscenter)])
    refused(lambda: idyn.constraint_wrench("disc"), "joint")


def test_speeds_that_mix_a_turn_and_a_shift():
    """A cylindrical pair whose speeds are sum and difference."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    A = classical.turned("A", N, N.z, q1, (u1 + u2) / 2)
    O = classical.fixed_point()
    C = O.locatenew("C", q2 * N.z + A.x)
    C.set_vel(N, (u1 - u2) / 2 * N.z + (u1 + u2) / 2 * A.y)
    body = classical.rod("A", A, C)
    P = O.locatenew("P", q2 * N.z)
    kdes = [u1 - q1.diff() - q2.diff(), u2 - q1.diff() + q2.diff()]
    kane = me.KanesMethod(N, [q1, q2], [u1, u2], kdes, bodies=[body])
    idyn = InverseDynamics.from_kane(kane, [(N, body, P)])
    values = dict.fromkeys(idyn.constants, 0.7)
    values |= {s: 0.3 + 0.1 * k for k, s in enumerate([*kane.q, *kane.u, *kane.u.diff()])}
    both = classical.outputs(idyn, values, "joint_wrenches", "constraint_wrenches")
    whole, blocked = both["joint_wrenches"][0], both["constraint_wrenches"][0]
    assert whole - blocked == pytest.approx([0, 0, whole[2], 0, 0, whole[5]], abs=1e-12)
    assert abs(whole[2]) > 0.01
    assert abs(whole[5]) > 0.01


def kdes_of(kane):
    return [rate - value for rate, value in kane.kindiffdict().items()]


def test_its_angles_are_known_as_such():
    """Degrees are suspected of what turns a body, not of what shifts one."""
    idyn, times = read(classical.slider_on_arm()), np.linspace(0, 1, 11)
    far = np.stack([times, 100 * times, times], -1)
    assert Trajectory.from_samples(times, far, idyn=idyn).q.max() == pytest.approx(100)
    for angle in (0, 2):
        with refusal("coordinates"):
            Trajectory.from_samples(times, np.roll(far, angle - 1, axis=1), idyn=idyn)


def test_no_loads():
    q, u = me.dynamicsymbols("q u")
    P = me.Point("P")
    P.set_vel(N, u * N.x)
    body = me.Particle("body", P, 3)
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u], bodies=[body])
    idyn = InverseDynamics.from_kane(kane, [(N, body, P)])
    assert list(idyn.generalized_forces) == [3 * u.diff()]


class TestLagrangesMethod:
    @pytest.fixture
    def chain(self):
        return SerialChain.planar(2, gravity=(0, -9.81, 0), speeds="derivatives")

    def test_is_read_like_a_kanes_method(self, chain):
        """The same forces and wrenches as of a System whose speeds are symbols."""
        equations = chain.system.form_eoms(me.LagrangesMethod)
        idyn = InverseDynamics.from_kane(chain.system.eom_method)
        states = [0.3, -0.5], [0.7, 0.2], [0.4, -0.1]
        numbers = dict(zip(chain.constants, (0.5, 2.0, 0.1, 0.4, 1.0, 0.2), strict=True))
        usual = InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
        expected = usual.compile(backend="numpy")(*states, numbers)
        found = idyn.compile(backend="numpy")(*states, numbers)
        assert classical.close(found.generalized_forces, expected.generalized_forces)
        assert classical.close(found.joint_wrenches, expected.joint_wrenches)
        rates = chain.coordinates.diff(me.dynamicsymbols._t)
        assert InverseDynamics(chain.system).speeds == idyn.speeds == rates
        symbols = *idyn.accelerations, *idyn.speeds, *idyn.coordinates
        values = numbers | dict(zip(symbols, np.ravel(states[::-1]), strict=True))
        assert classical.close(evaluate_matrix(equations, values)[:, 0], found.generalized_forces)

    @pytest.mark.slow
    def test_its_motions(self, chain):
        chain.system.form_eoms(me.LagrangesMethod)
        formulas = {q: sin((k + 1) * me.dynamicsymbols._t) for k, q in enumerate(chain.coordinates)}
        numbers = dict.fromkeys(chain.constants, 1.0)
        report = crosscheck(chain.system.eom_method, formulas, [0.0, 0.1], numbers)
        assert report.max_relative < 1e-9

    def test_what_its_bodies_do_not_tell_is_refused(self, chain):
        q, bodies = chain.coordinates, chain.bodies
        kinetic, frame = me.Lagrangian(chain.ground.frame, *bodies), chain.ground.frame
        for lagrangian, options, words in (
            (kinetic - q[0] ** 2, {"frame": frame}, "is not that of the bodies, and does not say"),
            (kinetic, {}, r"has no frame. Use LagrangesMethod\(..., frame=N\)"),
            (kinetic, {"frame": frame, "hol_coneqs": [q[0] - q[1]]}, "has constraints and does"),
        ):
            method = me.LagrangesMethod(lagrangian, q, bodies=bodies, **options)
            with pytest.raises(TopologyError, match=words):
                InverseDynamics.from_kane(method)

    def test_bodies_are_asked_for_by_the_arguments_that_take_them(self, chain):
        """The printed call, filled in, is read."""
        q, bodies, N = chain.coordinates, chain.bodies, chain.ground.frame
        method = me.LagrangesMethod(me.Lagrangian(N, *bodies), q)
        error = refused(lambda: InverseDynamics.from_kane(method), "kane")
        code = re.search(r"Use (LagrangesMethod\(.*?frame=N\))", str(error))[1]
        known = {"N": N, "q": q, "bodies": bodies, "Lagrangian": me.Lagrangian}
        fixed = eval(code.replace("[...]", "[]"), known | {"LagrangesMethod": me.LagrangesMethod})
        assert len(InverseDynamics.from_kane(fixed).speeds) == 2

    def test_speeds_that_are_no_derivatives(self, chain):
        with pytest.raises(ValueError, match='`speeds` must be "symbols" for a KanesMethod'):
            chain.kanes_method()
        with pytest.raises(ValueError, match='`speeds` must be "symbols" for quaternions'):
            SerialChain([Segment("s", 1, 1, joint="quaternion")], speeds="derivatives")


class TestOwners:
    """``owners=``, where a KanesMethod does not tell which body carries a load."""

    def bob(self, *loads):
        """Return a particle on a string in the frame A, and the string's fixed end."""
        q, u, l = *me.dynamicsymbols("q u"), Symbol("l")
        A = classical.turned("A", N, N.z, q, u)
        O = classical.fixed_point()
        P = O.locatenew("P", -l * A.y)
        P.v2pt_theory(O, N, A)
        bob = me.Particle("bob", P, Symbol("m"))
        forcelist = [load(A, P) for load in loads]
        kane = me.KanesMethod(N, [q], [u], [q.diff() - u], bodies=[bob], forcelist=forcelist)
        return classical.Model(kane, [(N, bob, O)]), A, bob, O

    def test_torque_on_a_frame_that_carries_only_a_particle(self):
        torque = Symbol("T")
        model, A, bob, _ = self.bob(lambda A, P: (A, torque * (A.z + A.x)))
        idyn = read(model)
        assert list(idyn.model.tree.index_of_body) == [bob]
        values = model.values(1, idyn.constants)
        found = classical.outputs(idyn, values)
        assert classical.close(
            found["generalized_forces"], classical.forces_by_kane(model.kane, values)
        )
        m, l, u = (values[x] for x in (Symbol("m"), Symbol("l"), model.kane.u[0]))
        udot = values[model.kane.u[0].diff(me.dynamicsymbols._t)]
        moment = m * l**2 * udot - values[torque]
        expected = [m * l * udot, m * l * u**2, 0, -values[torque], 0, moment]
        assert classical.close(found["joint_wrenches"][0], np.array(expected))
        assert idyn.joint_wrench("bob").force.args[0][1] is A


def test_two_bodies_of_one_name():
    model = classical.cart_with_pendulum(1)
    kane, ((_, cart, C), (_, bob, P)) = model.kane, model.connections
    twin = me.Particle("cart", bob.masscenter, bob.mass)
    named = me.KanesMethod(N, kane.q, kane.u, kdes_of(kane), bodies=[cart, twin])
    idyn = InverseDynamics.from_kane(named, [(N, cart, C), (cart, twin, P)])
    assert [joint.name for joint in idyn.joints] == ["cart #1", "cart #2"]
    assert [p.name for p in idyn.inertial_parameters[::10]] == ["m cart #1", "m cart #2"]
    refused(lambda: idyn.dynamic_wrench("cart"), "body")
    assert idyn.dynamic_wrench(twin).point is bob.masscenter
    kin = idyn.kinematics()
    assert kin.points == ("cart", "cart #2")
    assert kin.velocity("cart #2") == kin.velocity(bob.masscenter)


def along(sizes, directions):
    """Return a vector by its components."""
    return sum((k * a for k, a in zip(sizes, directions, strict=True)), 0 * N.x)


class TestAuxiliarySpeeds:
    """They count as zero; joint wrenches hold the reactions that they bring to light.

    The discs are those of sympy's own tests of KanesMethod.
    """

    WORDS = r"the auxiliary speeds .* count as zero, and the loads {} are ignored: joint wrenches"

    def test_tensions_of_two_strings(self):
        """A reaction acts on two bodies; on each by itself it has power on other speeds, too."""
        q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
        aux, tensions = me.dynamicsymbols("u3 u4"), me.dynamicsymbols("T1 T2")
        A, B = (classical.turned(x, N, N.z, q, u) for x, q, u in (("A", q1, u1), ("B", q2, u2)))
        O = classical.fixed_point()
        P = O.locatenew("P", -Symbol("l1") * A.y)
        P.set_vel(N, P.v2pt_theory(O, N, A) + aux[0] * A.y)
        Q = P.locatenew("Q", -Symbol("l2") * B.y)
        Q.set_vel(N, Q.v2pt_theory(P, N, B) + aux[1] * B.y)
        bodies = [me.Particle("p", P, Symbol("m1")), me.Particle("q", Q, Symbol("m2"))]
        first, second = tensions[0] * A.y, tensions[1] * B.y
        weights = [-body.mass * Symbol("g") * N.y for body in bodies]
        loads = [(P, first - second + weights[0]), (Q, second + weights[1])]
        kdes = [q1.diff() - u1, q2.diff() - u2]
        kane = me.KanesMethod(
            N, [q1, q2], [u1, u2], kdes, u_auxiliary=aux, bodies=bodies, forcelist=loads
        )
        with pytest.warns(UserWarning, match=self.WORDS.format(r"T1\(t\), T2\(t\)")) as caught:
            idyn = InverseDynamics.from_kane(kane, [(N, bodies[0], O), (*bodies, P)])
        assert caught[0].filename.endswith("test_from_kane.py")
        assert idyn.specifieds == ()
        assert [load.vector for load in idyn.loads] == weights

    def cart(self, load, aux, **options):
        """Return a cart on rails whose lift is an auxiliary speed."""
        q, u = me.dynamicsymbols("q u")
        P = me.Point("P")
        P.set_vel(N, u * N.x + aux * N.y)
        cart = me.Particle("cart", P, Symbol("m"))
        forcelist = [(P, load - Symbol("m") * Symbol("g") * N.y)]
        kane = me.KanesMethod(
            N, [q], [u], [q.diff() - u], u_auxiliary=[aux], bodies=[cart], forcelist=forcelist
        )
        with pytest.warns(UserWarning, match="the auxiliary speeds lift") as caught:
            idyn = InverseDynamics.from_kane(kane, [(N, cart, P)], **options)
        return idyn, str(caught[0].message)

    def test_weight_is_no_reaction(self):
        """It has power on the auxiliary speed alone, too, but along no unit vector."""
        aux, normal = me.dynamicsymbols("lift normal")
        idyn, message = self.cart(normal * N.y, aux)
        assert "the loads normal(t) are ignored" in message
        g, m = symbols("g m")
        assert idyn.joint_wrench("cart").force.dot(N.y) == g * m

    @pytest.mark.parametrize(
        ("load", "told"),
        [
            (lambda push, wind: push * (N.y - Symbol("mu") * N.x), ""),  # friction
            (lambda push, wind: push * (cos(wind) * N.x + sin(wind) * N.y), "push(t)"),
            (lambda push, wind: (push + wind) * N.y, "push(t), wind(t)"),  # one of two
        ],
    )
    def test_what_may_be_no_reaction_stays(self, load, told):
        aux, push, wind = me.dynamicsymbols("lift push wind")
        idyn, message = self.cart(load(push, wind), aux)
        assert push in idyn.specifieds
        assert "are ignored" not in message
        kept = f"The loads {told} act on these speeds, too, but are kept"
        assert (kept in message) == bool(told)
        assert message.endswith("or set them to zero, as in {push(t): 0}.") == bool(told)

    def test_force_on_one_of_two_bodies(self):
        """Friction on a bead by the arm that turns it has power on the arm's speed as well.

        Without it the joint wrench holds all that the arm does to the bead.
        """
        q1, u1, aux, friction = me.dynamicsymbols("q1 u1 slip friction")
        A, O = classical.turned("A", N, N.z, q1, u1), classical.fixed_point()
        P = O.locatenew("P", A.x)
        P.set_vel(N, aux * A.y + P.v2pt_theory(O, N, A))
        bodies = [classical.rod("arm", A, O), me.Particle("bead", P, 2)]
        options = {"u_auxiliary": [aux], "bodies": bodies, "forcelist": [(P, friction * A.y)]}
        kane = me.KanesMethod(N, [q1], [u1], [q1.diff() - u1], **options)
        with pytest.warns(UserWarning, match=r"The loads friction\(t\) act on these speeds, too"):
            idyn = InverseDynamics.from_kane(
                kane, [(N, bodies[0], O), (*bodies, P)], owners={P: bodies[1]}
            )
        assert idyn.joint_wrench("bead").force.dot(A.y).subs(friction, 0) == 2 * u1.diff()

    def test_pressure_of_a_bent_rail(self):
        """Constants may say how a unit vector points."""
        aux, normal, a = *me.dynamicsymbols("lift normal"), Symbol("a")
        side = N.orientnew("S", "Axis", [a, N.x])
        _, message = self.cart(normal * side.y, aux)
        assert "the loads normal(t) are ignored" in message

    def test_auxiliary_speeds_in_kinematical_equations(self):
        q, u, aux = me.dynamicsymbols("q u aux")
        P = me.Point("P")
        P.set_vel(N, (u + aux) * N.x)
        cart = me.Particle("cart", P, Symbol("m"))
        kane = me.KanesMethod(N, [q], [u], [q.diff() - u - aux], u_auxiliary=[aux], bodies=[cart])
        with pytest.warns(UserWarning, match="count as zero: joint wrenches"):
            idyn = InverseDynamics.from_kane(kane, [(N, cart, P)])
        assert idyn.generalized_forces == Matrix([Symbol("m") * u.diff()])


STRAY, A = me.Particle("stray", me.Point("P"), 1), me.ReferenceFrame("A")

#: Connections that are none of a double pendulum, made of its own two.
CONNECTIONS = {
    TypeError: {
        "number": lambda first, second: 3,
        "numbers": lambda first, second: [3],
        "pair": lambda first, second: [(N, 1)],
        "single": lambda first, second: first,
        "parent": lambda first, second: [(3, *first[1:])],
        "child": lambda first, second: [(N, N, first[2])],
        "point": lambda first, second: [(*first[:2], N)],
    },
    TopologyError: {
        "no ground": lambda first, second: [second],
        "two grounds": lambda first, second: [first, (A, *second[1:])],
        "not inertial": lambda first, second: [(A, *first[1:]), second],
        "joined twice": lambda first, second: [first, second, second],
        "stray body": lambda first, second: [first, second, (N, STRAY, first[2])],
        "stray point": lambda first, second: [(*first[:2], me.Point("X")), second],
    },
}


@pytest.mark.parametrize(
    ("error", "name"), [(error, name) for error, named in CONNECTIONS.items() for name in named]
)
def test_refused_connections(error, name):
    model = classical.double_pendulum(False)
    connections = CONNECTIONS[error][name](*model.connections)
    argument = "kane" if name == "stray point" else "connections"
    refused(lambda: InverseDynamics.from_kane(model.kane, connections), argument, error)


FORCE_ON_NOTHING = {"forcelist": [(me.Point("stray"), N.x)]}
CHANGES = (({"kd_eqs": None}, TopologyError), (FORCE_ON_NOTHING, TopologyError))


@pytest.mark.parametrize(("changes", "error"), [*CHANGES, ({"forcelist": [3]}, TypeError)])
def test_refused_models(changes, error):
    model = classical.double_pendulum(False)
    kane = model.kane
    given = {"bodies": kane.bodies, "forcelist": kane.loads, "kd_eqs": kdes_of(kane)} | changes
    model.kane = me.KanesMethod(N, kane.q, kane.u, **given)
    refused(lambda: read(model), "kane", error)


def test_mass_that_varies():
    model = classical.double_pendulum(False)
    model.kane.bodies[1].mass = me.dynamicsymbols("fuel")
    refused(lambda: read(model), "kane", TopologyError)


def test_speeds_that_enter_not_linearly():
    q, u = me.dynamicsymbols("q u")
    P = me.Point("P")
    P.set_vel(N, u**2 * N.x)
    body = me.Particle("body", P, 3)
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u], bodies=[body])
    refused(lambda: InverseDynamics.from_kane(kane, [(N, body, P)]), "kane", TopologyError)


@pytest.mark.parametrize(("moments", "own"), [((1, 2, 3), False), ((1, 2, 1), True)])
def test_wheels_without_angles_are_refused(moments, own):
    """They have an angular velocity and no orientation, as the bicycle's of sympy."""
    q, u, w = me.dynamicsymbols("q u w")
    A, W, P = me.ReferenceFrame("A"), me.ReferenceFrame("W"), me.Point("P")
    A.orient_axis(N, q, N.z)
    A.set_ang_vel(N, u * N.z)
    W.set_ang_vel(A, w * A.y)
    P.set_vel(N, 0)
    wheel = me.RigidBody("wheel", P, W, 1, (me.inertia(W if own else A, *moments), P))
    kane = me.KanesMethod(N, [q], [u, w], [q.diff() - u], bodies=[wheel])
    refused(lambda: InverseDynamics.from_kane(kane, [(N, wheel, P)]), "kane", TopologyError)


def test_ground_and_hubs_without_mass_need_no_connection():
    """A System hands its ground to its KanesMethod, symbrim's models their massless hubs, too."""
    model = classical.cart_with_pendulum(1)
    kane = model.kane
    ground = me.RigidBody("ground", me.Point("G"), N)
    hubs = [rigid_body("hub", 0) for _ in range(2)]
    for hub in hubs:
        hub.central_inertia = 0 * me.inertia(hub.frame, 1, 1, 1)
    bodies = [ground, *hubs, *kane.bodies]
    more = me.KanesMethod(N, kane.q, kane.u, kdes_of(kane), bodies=bodies)
    idyn = InverseDynamics.from_kane(more, model.connections)
    assert [body.name for body in idyn.bodies] == [body.name for body in kane.bodies]
    ground.masscenter.set_vel(N, kane.u[0] * N.x)
