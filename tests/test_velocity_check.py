"""Velocities that contradict orientations and positions are refused, in models without joints."""

import pytest
from classical import (
    N,
    cart_with_pendulum,
    double_pendulum,
    fixed_point,
    rod,
    slider_on_arm,
    turned,
)
from sympy import diag, symbols
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

from jointwrench.inverse_dynamics import InverseDynamics
from jointwrench.mechanism.tree import TopologyError

q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
KDES = [q1.diff() - u1, q2.diff() - u2]
length = symbols("length")


def read(connections, kdes=KDES, loads=()):
    bodies = [child for _, child, _ in connections]
    kane = KanesMethod(N, [q1, q2], [u1, u2], kdes, bodies=bodies, forcelist=list(loads))
    return InverseDynamics.from_kane(kane, connections)


def refuse(match, *args, **options):
    with pytest.raises(TopologyError, match=match) as caught:
        read(*args, **options)
    assert caught.value.argument == "kane"
    return caught.value


def arm(rate, **options):
    """Return a rod that turns by q1, with its own idea of how fast, and its pivot."""
    A, O = turned("A", N, N.z, q1, rate), fixed_point()
    center = O.locatenew("C", length * A.x)
    return rod("a", A, center), O


class TestAngularVelocities:
    @pytest.mark.parametrize("rate", [-u1, 3 * u1, u2, u1 + 1, 0, u1 * symbols("c"), q1 * u1])
    def test_of_a_frame_in_the_inertial_one(self, rate):
        body, O = arm(rate)
        body.masscenter.v2pt_theory(O, N, body.frame)
        error = refuse(
            r"\n- the model states the angular velocity .* of A in N, but by its o", [(N, body, O)]
        )
        if rate == 3 * u1:
            assert "the angular velocity 3*u1(t)*N.z of A in N" in str(error)

    def test_of_absolute_speeds_that_are_taken_for_relative_ones(self):
        """PyDy's pendulum of several links does so."""
        body, O = arm(u1)
        body.masscenter.v2pt_theory(O, N, body.frame)
        B = turned("B", body.frame, N.z, q2, u2, N)
        outer = rod("b", B, body.masscenter.locatenew("D", length * B.x))
        outer.masscenter.v2pt_theory(body.masscenter, N, B)
        error = refuse(
            r"the angular velocity .* of B in N, but",
            [(N, body, O), (body, outer, body.masscenter)],
        )
        assert len(error.problems) == 2  # its centre moves with the wrong speed, too
        read([(N, body, O), (body, outer, body.masscenter)], [KDES[0], q1.diff() + q2.diff() - u2])

    def test_of_a_frame_that_is_no_rotation(self):
        A, O = ReferenceFrame("A"), fixed_point()
        A.orient_explicit(N, N.orientnew("M", "Axis", [q1, N.z]).dcm(N) * diag(1, 1, -1))
        body = rod("a", A, O)
        A.set_ang_vel(N, u1 * N.z)
        refuse("the orientation of A in N is no rotation: it mirrors", [(N, body, O)])

    def test_of_two_space_fixed_angles(self):
        """The conical pendulum among PyDy's examples, with one link."""
        A, O = ReferenceFrame("A"), fixed_point()
        A.orient_space_fixed(N, [q1, q2, 0], "ZXY")
        A.set_ang_vel(N, u1 * N.z + u2 * N.x)
        bob = Particle("bob", O.locatenew("P", -length * A.y), 1)
        bob.masscenter.v2pt_theory(O, N, A)
        link = rod("link", A, O.locatenew("C", -length / 2 * A.y))
        link.masscenter.v2pt_theory(O, N, A)
        refuse("the velocity of P in N is stated as .* from O changes differently", [(N, bob, O)])
        error = refuse("states the angular velocity .* of A in N", [(N, link, O), (link, bob, O)])
        assert "velocity (beyond that of C) of P in N" in str(error)


class TestVelocities:
    def slider(self, velocity=None):
        """Return a body on a rail that turns, its pivot and the rail's frame."""
        A, O = turned("A", N, N.z, q1, u1), fixed_point()
        center = O.locatenew("C", q2 * A.x)
        if velocity is not None:
            center.set_vel(N, velocity(A))
        return rod("a", A, center), O, A

    def test_slider_that_is_right(self):
        body, O, _ = self.slider(lambda A: u2 * A.x + q2 * u1 * A.y)
        assert len(read([(N, body, O)]).speeds) == 2

    def test_two_point_theory_of_a_slider(self):
        body, O, A = self.slider()
        body.masscenter.v2pt_theory(O, N, A)
        refuse(r"the velocity of C in N is stated as q2\(t\)\*u1\(t\)\*A.y, but", [(N, body, O)])

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
            body = Particle("p", body.masscenter, 1)
        refuse("the velocity of C in N is stated as .*, but its position from O", [(N, body, O)])

    def test_of_a_body_on_another(self):
        """The first one's motion is right, the second one's is stated without its own."""
        model = slider_on_arm()
        (_, body, O), (_, _, C) = model.connections
        C.v2pt_theory(O, N, body.frame)
        with pytest.raises(TopologyError, match=r"velocity \(beyond that of Ca\) of Cb in N is"):
            InverseDynamics.from_kane(model.kane, model.connections)

    def test_in_the_rates_of_coordinates(self):
        body, O, _ = self.slider(lambda A: q2.diff() * A.x + q2 * q1.diff() * A.y)
        assert len(read([(N, body, O)]).speeds) == 2

    def test_without_a_point_at_rest(self):
        """Nothing to compare with: the velocity is the user's word."""
        A, C = turned("A", N, N.z, q1, u1), Point("C")
        C.set_vel(N, u2 * N.x)
        assert len(read([(N, rod("a", A, C), C)]).speeds) == 2
        A.set_ang_vel(N, u2 * N.z)
        refuse("of A in N", [(N, rod("a", A, C), C)])

    def test_many_bodies_are_named_once_each(self):
        model = cart_with_pendulum(3)
        for _, bob, _ in model.connections[1:]:
            bob.masscenter.set_vel(N, 2 * bob.masscenter.vel(N))
        with pytest.raises(TopologyError, match=r"the velocity .* is stated as") as caught:
            InverseDynamics.from_kane(model.kane, model.connections)
        assert len(caught.value.problems) == 3

    def test_wrong_pivot_of_a_chain(self):
        model = double_pendulum(True)
        _, (_, body, _) = model.connections
        body.masscenter.v2pt_theory(model.extra["points"][0], N, body.frame)
        with pytest.raises(TopologyError, match=r"the velocity .* of Cb in N is stated as"):
            InverseDynamics.from_kane(model.kane, model.connections)
