"""A plane that yields under a point: closed forms, both bodies, slopes, refusals."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy.physics.mechanics import Particle, PrismaticJoint

import jointwrench as jw

pytestmark = pytest.mark.usefixtures("numpy_by_default")

G, K, M = 9.81, 1e5, 2.0


def falling(**options):
    """Return a System of a particle above the floor, and the contact."""
    ground, ball = rigid_body("ground"), Particle("ball", mass=M)
    system = system_of(
        ground, PrismaticJoint("fall", ground, ball, joint_axis=ground.y), gravity=-G * ground.y
    )
    floor = jw.SoftContact("floor", ground, ball, ball.masscenter, K, **options)
    system.add_actuators(floor)
    return system, floor


def disc(radius=0.3, **options):
    """Return a System of a floating disc, and its contact at the lowest point."""
    ground, wheel = rigid_body("ground"), rigid_body("wheel", M, 0.05, 0.05, 0.09)
    system = system_of(ground, jw.FreeJoint("free", ground, wheel), gravity=-G * ground.y)
    low = wheel.masscenter.locatenew("low", -radius * ground.y)
    system.add_actuators(jw.SoftContact("floor", ground, wheel, low, K, **options))
    return system


def test_it_carries_a_weight_at_rest():
    fdyn = jw.ForwardDynamics(falling()[0])
    depth = (M * G / K) ** (2 / 3)
    assert_allclose(fdyn.compile()([-depth], [0]).udot, [0], atol=1e-11)
    assert_allclose(fdyn.compile()([0.1], [-3]).udot, [-G], rtol=1e-14)


@pytest.mark.parametrize("dissipation", [0.0, 0.02])
def test_a_bounce_loses_what_dissipation_says(dissipation):
    """Of a fast impact e = 1 - c v, to the first order; without dissipation all comes back."""
    fdyn = jw.ForwardDynamics(falling(dissipation=dissipation)[0])
    speed = 3.0
    run = fdyn.simulate(np.linspace(0, 0.05, 51), [0.0], [-speed], {}, rtol=1e-10, atol=1e-13)
    assert run.q.min() < -0.03
    up = np.sqrt(run.u[-1, 0] ** 2 + 2 * G * run.q[-1, 0])  # when it left the floor
    if dissipation == 0:
        assert_allclose(up, speed, rtol=1e-8)
    assert_allclose(up / speed, 1 - dissipation * speed, atol=0.01)


def test_it_never_pulls():
    """However fast the point is drawn out of the plane."""
    fdyn = jw.ForwardDynamics(falling(dissipation=0.5)[0])
    assert_allclose(fdyn.compile()([-0.01], [50.0]).udot, [-G], rtol=1e-14)


def test_friction_acts_on_the_slip_of_the_rim():
    fdyn = jw.ForwardDynamics(disc(coefficient=0.4, width=0.01))
    forward, height = fdyn.compile(), 0.3 - (M * G / K) ** (2 / 3)

    def udot(spin, forwards):
        return forward([0.2, height, 0, 0, 0, 0], [forwards, 0, 0, 0, 0, spin]).udot

    assert_allclose(udot(-10.0, 3.0), np.zeros(6), atol=1e-9)  # it rolls
    push = -0.4 * M * G * 3.0 / np.hypot(3.0, 0.01)
    assert_allclose(udot(0.0, 3.0), [push / M, 0, 0, 0, 0, 0.3 * push / 0.09], atol=1e-9)


def test_both_bodies_feel_it():
    """Without gravity the momentum of two free bodies that touch stays as it is."""
    ground, moments = rigid_body("ground"), (0.3, 0.2, 0.4)
    raft, ball = rigid_body("raft", 5, *moments), rigid_body("ball", M, *moments)
    joints = [jw.FreeJoint(f"free_{body}", ground, body) for body in (raft, ball)]
    system = system_of(ground, *joints)
    toe = ball.masscenter.locatenew("toe", -0.2 * ball.y + 0.1 * ball.x)
    deck = raft.masscenter.locatenew("deck", 0.1 * raft.y), raft.x / 5 + raft.y
    options = {"plane": deck, "dissipation": 0.1, "coefficient": 0.5, "width": 0.1}
    system.add_actuators(jw.SoftContact("deck", raft, ball, toe, 1e3, **options))
    fdyn = jw.ForwardDynamics(system)
    rng = np.random.default_rng(3)
    q, u = rng.uniform(-0.3, 0.3, (2, 20, 12))
    q[:, 7] = 0.05
    moved = fdyn.compile(["udot", "qdot"])(q, u)
    assert (abs(moved.udot).max(axis=1) > 1).sum() > 5  # some touch
    outputs = ["momentum", "center_of_mass_acceleration"]
    found = fdyn.kinematics().compile(outputs, derivatives=["q", "u"])(q, u, moved.udot)
    assert_allclose(found.center_of_mass_acceleration, np.zeros((20, 3)), atol=1e-12)
    slopes = (found.derivative("momentum", x) for x in ("q", "u"))
    changes = (x @ y[..., None] for x, y in zip(slopes, (moved.qdot, moved.udot), strict=True))
    assert_allclose(sum(changes)[:, 3:, 0], np.zeros((20, 3)), atol=1e-10)


@pytest.mark.parametrize("height", [0.0, -0.001, 0.002])
def test_slopes_are_exact_also_where_it_touches(height):
    """Of acceleration, first and second ones: d^1.5 has an infinite curvature at d = 0."""
    fdyn = jw.ForwardDynamics(falling(dissipation=0.3)[0])
    evaluate = fdyn.compile("udot", derivatives=["q", "u"], backend="c")
    found, depth = evaluate([height], [-0.5]), max(0.0, -height)
    by_q = -K / M * 1.5 * depth**0.5 * (1 + 1.5 * 0.3 * 0.5)
    by_u = -K / M * depth**1.5 * 1.5 * 0.3
    assert_allclose(found.derivative("udot", "q"), [[by_q]], rtol=1e-12)
    assert_allclose(found.derivative("udot", "u"), [[by_u]], rtol=1e-12)


def test_inverse_dynamics_counts_it_as_known():
    system, _ = falling()
    result = jw.InverseDynamics(system).compile()([-0.01], [0.0], [0.0])
    assert_allclose(result.generalized_forces, [M * G - K * 0.01**1.5])


class TestRefusals:
    ground, ball = rigid_body("ground"), Particle("ball", mass=M)
    point = ball.masscenter

    def make(self, *args, **options):
        return jw.SoftContact(
            "floor", self.ground, self.ball, *(args or (self.point, K)), **options
        )

    @pytest.mark.parametrize(
        ("options", "argument"),
        [
            ({"coefficient": 0.3}, "width"),
            ({"coefficient": -0.3, "width": 1}, "coefficient"),
            ({"coefficient": 0.3, "width": 0}, "width"),
            ({"dissipation": -1}, "dissipation"),
            ({"plane": (ground.masscenter, 0)}, "plane"),
        ],
    )
    def test_values(self, options, argument):
        refused(lambda: self.make(**options), argument)

    @pytest.mark.parametrize("plane", [3, ("here", ball.masscenter), (ball.masscenter,)])
    def test_plane(self, plane):
        refused(lambda: self.make(plane=plane), "plane", TypeError)

    def test_bodies(self):
        with refusal("parent", TypeError):
            jw.SoftContact("floor", self.ball, self.ball, self.point, K)
        refused(lambda: jw.SoftContact(3, self.ground, self.ball, self.point, K), "name", TypeError)
