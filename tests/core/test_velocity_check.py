"""Velocities that contradict orientations and positions are refused, in models without joints."""

import re

import numpy as np
import pytest
import sympy.physics.mechanics as me
from classical import Model, N, cart_with_pendulum, fixed_point, outputs, rod, turned
from refusals import refusal, refused
from sympy import Matrix, cos, sin, sqrt, symbols

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
KDES = [q1.diff() - u1, q2.diff() - u2]
length = symbols("length")


def read(connections, kdes=KDES, loads=()):
    bodies = [child for _, child, _ in connections]
    kane = me.KanesMethod(N, [q1, q2], [u1, u2], kdes, bodies=bodies, forcelist=list(loads))
    return InverseDynamics.from_kane(kane, connections)


def refuse(*args, **options):
    with refusal("kane", TopologyError) as caught:
        read(*args, **options)
    assert caught.value.argument == "kane"
    return caught.value


def arm(rate, **options):
    """Return a rod that turns by q1, with its own idea of how fast, and its pivot."""
    A, O = turned("A", N, N.z, q1, rate), fixed_point()
    return rod("a", A, O.locatenew("C", length * A.x)), O


@pytest.mark.parametrize("rate", [-u1, 3 * u1, u2, u1 + 1, 0, u1 * symbols("c"), q1 * u1])
def test_angular_velocities_of_a_frame_in_the_inertial_one(rate):
    body, O = arm(rate)
    body.masscenter.v2pt_theory(O, N, body.frame)
    error = refuse([(N, body, O)])
    if rate == 3 * u1:
        assert "the angular velocity 3*u1(t)*N.z of A in N" in str(error)


def test_velocities_that_are_printed_are_right():
    """Pasting them, first the angular one, makes the model readable."""
    A, B, O = turned("A", N, N.z, q1, -u1), me.ReferenceFrame("B"), fixed_point()
    B.orient_body_fixed(A, (q2, q1, 0.3), "ZXZ")
    B.set_ang_vel(A, u2 * A.z)
    C = O.locatenew("C", length * A.x + q2 * B.y)
    D = C.locatenew("D", length * B.z)
    C.set_vel(N, 3 * u1 * N.x)
    D.set_vel(N, u2 * N.x)
    first = rod("a", B, C)
    links = [(N, first, O), (first, rod("b", B, D), C)]
    known = dict(N=N, A=A, B=B, C=C, D=D, q1=q1, q2=q2, u1=u1, u2=u2, length=length)
    known |= {"sin": sin, "cos": cos}
    for setter in ("B.set_ang_vel", "C.set_vel", "D.set_vel"):
        fixes = re.findall(r"Use (\w\.set_\w+\(.*?\)), and ", "\n".join(refuse(links).problems))
        (fix,) = [x for x in dict.fromkeys(fixes) if x.startswith(setter)]
        eval(fix, known)
    assert len(read(links).speeds) == 2


class TestVelocities:
    def slider(self, velocity=None):
        """Return a body on a rail that turns, its pivot and the rail's frame."""
        A, O = turned("A", N, N.z, q1, u1), fixed_point()
        center = O.locatenew("C", q2 * A.x)
        if velocity is not None:
            center.set_vel(N, velocity(A))
        return rod("a", A, center), O, A

    def test_two_point_theory_of_a_slider(self):
        body, O, A = self.slider()
        body.masscenter.v2pt_theory(O, N, A)
        refuse([(N, body, O)])

    @pytest.mark.parametrize(
        "velocity",
        [
            lambda A: u2 * A.x,
            lambda A: -u2 * A.x + q2 * u1 * A.y,
            lambda A: u2 * N.x + q2 * u1 * A.y,
            lambda A: (u2 + 1) * A.x + q2 * u1 * A.y,
            lambda A: 2 * u2 * A.x + 2 * q2 * u1 * A.y,
        ],
    )
    @pytest.mark.parametrize("kind", ["body", "particle"])
    def test_that_are_not_the_derivative(self, kind, velocity):
        body, O, _ = self.slider(velocity)
        if kind == "particle":
            body = me.Particle("p", body.masscenter, 1)
        refuse([(N, body, O)])

    def test_in_the_rates_of_coordinates(self):
        body, O, _ = self.slider(lambda A: q2.diff() * A.x + q2 * q1.diff() * A.y)
        assert len(read([(N, body, O)]).speeds) == 2

    def test_without_a_point_at_rest(self):
        """Nothing to compare with: the velocity is the user's word."""
        A, C = turned("A", N, N.z, q1, u1), me.Point("C")
        C.set_vel(N, u2 * N.x)
        assert len(read([(N, rod("a", A, C), C)]).speeds) == 2
        A.set_ang_vel(N, u2 * N.z)
        refuse([(N, rod("a", A, C), C)])

    def test_many_bodies_are_named_once_each(self):
        model = cart_with_pendulum(3)
        for _, bob, _ in model.connections[1:]:
            bob.masscenter.set_vel(N, 2 * bob.masscenter.vel(N))
        with refusal("kane", TopologyError) as caught:
            InverseDynamics.from_kane(model.kane, model.connections)
        assert len(caught.value.problems) == 3


class TestQuaternions:
    """Their components are those of a unit quaternion, which no equation needs to say."""

    def body(self, rates, wrong=0, **more):
        """Return a free body whose tip is placed from its centre; ``rates`` is a frame."""
        e, w = me.dynamicsymbols("e0:4"), me.dynamicsymbols("w0:3")
        B, O = me.ReferenceFrame("B"), fixed_point()
        B.orient_quaternion(N, e)
        frame = N if rates == "N" else B
        spin = sum((x * axis for x, axis in zip(w, frame, strict=True)), 0 * N.x)
        B.set_ang_vel(N, spin)
        tip = O.locatenew("tip", length * B.z)
        tip.set_vel(N, (1 + wrong) * (spin ^ tip.pos_from(O)))
        a, v, x = e[0], Matrix(e[1:]), Matrix(w)
        side = 1 if rates == "N" else -1
        half = [-v.dot(x) / 2, *((a * x - side * v.cross(x)) / 2)]
        kdes = [q.diff(me.dynamicsymbols._t) - rate for q, rate in zip(e, half, strict=True)]
        top = rod("top", B, tip)
        q = {"q_ind": e[1:], "q_dependent": e[:1]} if more else {"q_ind": e}
        kane = me.KanesMethod(N, u_ind=w, kd_eqs=kdes, bodies=[top], **q, **more)
        return InverseDynamics.from_kane(kane, [(N, top, O)])

    @pytest.mark.parametrize("rates", ["N", "B"])
    def test_rates_in_both_frames(self, rates):
        right = self.body(rates)
        assert len(right.speeds) == 3
        refused(lambda: self.body(rates, 0.01), "kane", TopologyError)

    def test_norm_as_a_configuration_constraint(self):
        """It takes no freedom of the speeds: nothing must be named as actuated."""
        norm = sum(q**2 for q in me.dynamicsymbols("e0:4")) - 1
        plain, constrained = self.body("B"), self.body("B", configuration_constraints=[norm])
        values = dict.fromkeys([*plain.constants, *plain.speeds, *plain.accelerations], 0.7)
        values |= dict(zip(me.dynamicsymbols("e0:4"), [0.5, 0.1, 0.7, 0.5], strict=True))
        found, expected = (outputs(x, values) for x in (constrained, plain))
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=1e-12)


class TestAccelerations:
    """KanesMethod takes those that were set, also where its own velocities say something else."""

    def read(self, *contradictions):
        body, O = arm(u1)
        A, C = body.frame, body.masscenter
        C.v2pt_theory(O, N, A)
        A.set_ang_acc(N, A.ang_vel_in(N).dt(N))
        C.a2pt_theory(O, N, A)
        for contradict in contradictions:
            contradict(A, C)
        kane = me.KanesMethod(N, [q1], [u1], [q1.diff(me.dynamicsymbols._t) - u1], bodies=[body])
        return InverseDynamics.from_kane(kane, [(N, body, O)])

    def test_that_are_the_derivatives(self):
        assert len(self.read().speeds) == 1

    def test_in_second_derivatives_of_coordinates(self):
        along, across = -length * q1.diff() ** 2, length * q1.diff().diff()
        assert len(self.read(lambda A, C: C.set_acc(N, along * A.x + across * A.y)).speeds) == 1

    def test_of_a_point_and_of_a_frame(self):
        match = r"the acceleration of C in N was set, and KanesMethod takes it, but it is not the"
        with pytest.warns(UserWarning, match=match):
            self.read(lambda A, C: C.set_acc(N, length * u1.diff() * A.y))
        with pytest.warns(UserWarning, match=r"the angular acceleration of A in N was set"):
            self.read(lambda A, C: A.set_ang_acc(N, 0 * A.z))


#: The generalized forces that a motion of the stone needs.
STONE = [9.867931973674, 0.424141033011, 12.55124912134, 2.137990616412]


def rolling_stone(wrong=0):
    """Return an ellipsoid that rolls on a plane, by T. R. Kane and D. A. Levinson (1982).

    The velocity of its contact point is zero, and that point wanders over it as it turns; by
    ``wrong``, a speed moves it as well.
    """
    a, b, c, m, g = symbols("a b c m g")
    q, u = me.dynamicsymbols("q:4"), me.dynamicsymbols("u:4")
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    turning = R.ang_vel_in(N)
    R.set_ang_vel(N, u[0] * R.x + u[1] * R.y + u[2] * R.z)
    kdes = [(R.ang_vel_in(N) - turning).dot(axis) for axis in R] + [q[3].diff() - u[3]]
    P, mu = fixed_point("P"), [axis.dot(Y.z) for axis in R]
    size = sqrt(sum((x * y) ** 2 for x, y in zip((a, b, c), mu, strict=True))) + wrong * q[3]
    pairs = zip((a, b, c), mu, R, strict=True)
    C = P.locatenew("C", sum((-x * x * y / size * axis for x, y, axis in pairs), 0 * N.x))
    C.set_vel(N, R.ang_vel_in(N).cross(C.pos_from(P)))
    stone = me.RigidBody("stone", C, R, m, (me.inertia(R, 2, 3, 4, 0.1, 0.2, 0.3), C))
    bead = me.Particle("bead", C.locatenew("D", q[3] * R.x), m)
    bead.masscenter.set_vel(R, u[3] * R.x)
    bead.masscenter.v1pt_theory(C, N, R)
    loads = [(body.masscenter, m * g * Y.z) for body in (stone, bead)]
    kane = me.KanesMethod(N, q, u, kdes, bodies=[stone, bead], forcelist=loads)
    return Model(kane, [(N, stone, P), (stone, bead, C)])


def sled(velocity=lambda A, u: (u[0] * cos(q1) + u[1] * sin(q1)) * A.x):
    """Return a sled on a blade, with a velocity that has it already that it slides ahead only."""
    q, u = me.dynamicsymbols("x y q1"), me.dynamicsymbols("v_x v_y u1")
    A, O = turned("A", N, N.z, q[2], u[2]), fixed_point()
    P = O.locatenew("P", q[0] * N.x + q[1] * N.y)
    P.set_vel(N, velocity(A, u))
    C = P.locatenew("C", length * A.x)
    C.v2pt_theory(P, N, A)
    body = rod("a", A, C)
    kane = me.KanesMethod(
        *(N, q, [u[0], u[2]]),
        kd_eqs=[x.diff() - speed for x, speed in zip(q, u, strict=True)],
        u_dependent=[u[1]],
        velocity_constraints=[u[1] * cos(q1) - u[0] * sin(q1)],
        bodies=[body],
        forcelist=[(C, 3 * N.x), (A, 2 * N.z)],
    )
    return Model(kane, [(N, body, P)])


class TestVelocitiesThatHoldWhereConstraintsDo:
    """Rolling without a place on the ground, and constraints that were put into velocities."""

    def test_stone_that_rolls(self):
        """The numbers are those of sympy's KanesMethod (1.14), which takes seconds."""
        model = rolling_stone()
        idyn = InverseDynamics.from_kane(model.kane, model.connections)
        values = model.values(1, sorted(idyn.constants, key=str))
        found = outputs(idyn, values, "generalized_forces")["generalized_forces"]
        assert found == pytest.approx(STONE, rel=1e-10)

    def test_contact_that_a_slider_moves(self):
        """No turn of the body shifts the point: it is not that the body rolls."""
        model = rolling_stone(wrong=1)
        with refusal("kane", TopologyError):
            InverseDynamics.from_kane(model.kane, model.connections)

    def test_wrong_ones_are_refused_still(self):
        model = sled(lambda A, u: 2 * (u[0] * cos(q1) + u[1] * sin(q1)) * A.x)
        with refusal("kane", TopologyError):
            InverseDynamics.from_kane(model.kane, model.connections)

    def test_full_ones_need_no_constraint(self):
        found = []
        for model in (sled(lambda A, u: u[0] * N.x + u[1] * N.y), sled()):
            forward = ForwardDynamics.from_kane(model.kane, model.connections)
            constants = dict.fromkeys(forward.constants, 1.2)
            q, u = [0.1, 0.2, 0.3], [0.8, 0.5, 0.8 * np.tan(0.3)]
            found.append(forward.compile(backend="numpy")(q, u, constants=constants).udot)
        assert found[1] == pytest.approx(found[0], rel=1e-12)


class TestStatesThatAreDefined:
    """Half of all random states have no root of ``1 - q1**2``, and none of those that are large."""

    @pytest.mark.parametrize("reach", [1, 0.2])
    def test_faults_beside_roots(self, reach):
        O, A = fixed_point(), turned("A", N, N.z, q2, u2)
        height = sqrt(reach**2 - q1**2)
        C = O.locatenew("C", q1 * N.x + height * N.y)
        C.set_vel(N, u1 * N.x - q1 * u1 / height * N.y)
        assert len(read([(N, rod("a", A, C), O)]).speeds) == 2
        C.set_vel(N, u1 * N.x + q1 * u1 / height * N.y)
        refuse([(N, rod("a", A, C), O)])

    def test_angular_velocity_beside_a_root(self):
        A, O = turned("A", N, N.z, sqrt(0.1 - q1), u1), fixed_point()
        refuse([(N, rod("a", A, O), O)])

    def test_in_small_units(self):
        """Lengths of a nanometre: one wrong velocity is not taken for rounding."""
        body, O = arm(u1)
        body.masscenter.set_pos(O, 1e-9 * body.frame.x)
        body.masscenter.set_vel(N, 1e-9 * u1 * body.frame.y)
        assert len(read([(N, body, O)]).speeds) == 2
        body.masscenter.set_vel(N, 2e-9 * u1 * body.frame.y)
        refuse([(N, body, O)])


def test_a_wheel_whose_frame_has_no_orientation_is_read():
    """Its angular velocity is stated relative to the fork, as in the bicycle of sympy's pages."""
    q, u, w, m, r = *me.dynamicsymbols("q u w"), *symbols("m r")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    arm = frame.orientnew("A", "axis", [q, frame.z])
    arm.set_ang_vel(frame, u * frame.z)
    wheel = me.ReferenceFrame("W")
    wheel.set_ang_vel(arm, w * arm.y)
    center = origin.locatenew("C", r * arm.x)
    center.v2pt_theory(origin, frame, arm)
    body = me.RigidBody("wheel", center, wheel, m, (me.inertia(arm, 1, 2, 1), center))
    end = me.RigidBody("arm", center, arm, m, (me.inertia(arm, 1, 1, 1), center))
    kdes = [q.diff() - u]
    kane = me.KanesMethod(frame, [q], [u, w], kdes, bodies=[body, end])
    joined = [(frame, end, origin), (end, body, center)]
    assert len(InverseDynamics.from_kane(kane, joined).generalized_forces) == 2
