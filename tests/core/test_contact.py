"""Contact: its equations, surfaces that move as prescribed, refusals."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from refusals import refused
from sympy import Rational, simplify, symbols

from jointwrench import Contact, ForwardDynamics, InverseDynamics, QuaternionJoint
from jointwrench.mechanics.mechanism.tree import TopologyError

T = me.dynamicsymbols._t
r, a = symbols("r a", positive=True)


def to_speeds(contact, *joints):
    """Return the velocity constraints in speeds."""
    rates = {q.diff(T): u for j in joints for q, u in zip(j.coordinates, j.speeds, strict=True)}
    return [simplify(equation.xreplace(rates)) for equation in contact.velocity_constraints]


class Touching:
    """A disc that touches ground."""

    def __init__(self):
        self.ground, self.disc, self.point = rigid_body("ground"), rigid_body("disc"), me.Point("P")
        self.point.set_pos(self.ground.masscenter, me.dynamicsymbols("x") * self.ground.x)
        self.disc.masscenter.set_pos(self.point, r * self.ground.z)
        self.disc.frame.orient_axis(self.ground.frame, self.ground.y, me.dynamicsymbols("spin"))


def test_velocities_that_were_set_count():
    ground, bob = rigid_body("ground"), me.Particle("bob")
    u = me.dynamicsymbols("u")
    bob.masscenter.set_vel(ground.frame, u * ground.x)
    assert Contact("C", ground, bob, bob.masscenter).velocity_constraints == (u,)


def test_directions_become_unit_vectors():
    disc = Touching()
    x, y, _ = disc.ground.frame
    contact = Contact("tyre", disc.ground, disc.disc, disc.point, [2 * x, 3 * x + 4 * y])
    assert contact.force_directions == (x, Rational(3, 5) * x + Rational(4, 5) * y)


def test_attributes():
    disc = Touching()
    contact = Contact("tyre", disc.ground, disc.disc, disc.point)
    assert (contact.name, contact.kind) == ("tyre", "contact")
    assert contact.holonomic_constraints == contact.moment_directions == ()
    assert contact.orthogonal_pairs == ()
    assert contact.force_directions == (disc.ground.x, disc.ground.y, disc.ground.z)
    assert (contact.parent, contact.child) == (disc.ground, disc.disc)
    assert contact.point is contact.parent_point is contact.child_point is disc.point
    assert contact.parent_interframe is disc.ground.frame
    assert contact.child_interframe is disc.disc.frame
    assert repr(contact) == "Contact: tyre  parent: ground  child: disc"


# -- refusals -----------------------------------------------------------------------------------


#: Points and directions that are none, of a disc and unit vectors of ground.
WRONG = {
    "no point": (TypeError, "point", lambda x, y, z: {"point": 3}),
    "strange point": (ValueError, "point", lambda x, y, z: {"point": me.Point("P")}),
    "none": (ValueError, "directions", lambda x, y, z: []),
    "four": (ValueError, "directions", lambda x, y, z: ["x"] * 4),
    "alone": (TypeError, "directions", lambda x, y, z: x),
    "number": (TypeError, "directions", lambda x, y, z: [x, 1]),
    "zero": (ValueError, "directions", lambda x, y, z: [0 * x]),
    "strange": (ValueError, "directions", lambda x, y, z: [x, me.ReferenceFrame("A").x]),
    "opposite": (ValueError, "directions", lambda x, y, z: [x, -2 * x]),
    "twice": (ValueError, "directions", lambda x, y, z: [x, x, y]),
    "in a plane": (ValueError, "directions", lambda x, y, z: [x, y, x + y]),
    "in a slanted one": (ValueError, "directions", lambda x, y, z: [x + y, y + z, x - z]),
}


@pytest.mark.parametrize("name", WRONG)
def test_refuses_points_and_directions(name):
    disc, (error, argument, make) = Touching(), WRONG[name]
    given = make(*disc.ground.frame)
    given = given if argument == "point" else {"point": disc.point, "directions": given}
    refused(lambda: Contact("C", disc.ground, disc.disc, **given), argument, error)


@pytest.mark.parametrize("is_placed", [False, True])
def test_refuses_what_does_not_move(is_placed):
    """Or whose velocity nobody knows."""
    ground, bob = rigid_body("ground"), me.Particle("bob")
    if is_placed:
        bob.masscenter.set_pos(ground.masscenter, 2 * ground.x)
    refused(lambda: Contact("C", ground, bob, bob.masscenter).velocity_constraints, None)


def test_body_whose_turning_is_not_known_has_no_equations_yet():
    ground, wheel = rigid_body("ground"), rigid_body("wheel")
    wheel.masscenter.set_vel(ground.frame, 0)
    contact = Contact("C", ground, wheel, wheel.masscenter.locatenew("P", -ground.y))
    refused(lambda: contact.velocity_constraints, None)


# -- surfaces that move as prescribed ----------------------------------------------------------


def test_wheel_on_a_belt():
    """A wheel on an axle at rest: its speed is -v / r by the belt's v, the force I u' / r."""
    ground, wheel = rigid_body("ground"), rigid_body("wheel", 1, 0, 0, 0.3)
    axle, v = me.PinJoint("axle", ground, wheel, joint_axis=ground.z), me.dynamicsymbols("v")
    system = system_of(ground, axle)
    point = wheel.masscenter.locatenew("point", ground.y / 2)
    belt = Contact("belt", ground, wheel, point, [ground.x], surface_velocity=v * ground.x)
    (speed,) = axle.speeds
    assert to_speeds(belt, axle) == [-v - speed / 2]
    system.add_nonholonomic_constraints(*to_speeds(belt, axle))
    idyn = InverseDynamics(system, loops=[belt], actuated=())
    given = {v: 1.4, v.diff(T): 0.7}
    assert set(idyn.specifieds) == given.keys()
    names = ("joint_wrenches", "constraint_errors", "unsupplied")
    result = idyn.compile(names, backend="numpy")([0.9], [-2.8], [-1.4], specifieds=given)
    force = 0.3 * 1.4 / 0.5
    wrench = result.joint_wrench(belt, frame=ground.frame)
    np.testing.assert_allclose(wrench, [force, 0, 0, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(result.constraint_errors, 0, atol=1e-15)
    np.testing.assert_allclose(result.unsupplied, 0, atol=1e-15)
    assert result.joint_power(belt) == pytest.approx(force * 1.4)


def test_ball_on_a_turntable():
    """A uniform ball that rolls on a disc of angular velocity W: v' = 2/7 W x v (Milne 1948)."""
    ground, ball = rigid_body("ground"), rigid_body("ball", 3, *[Rational(2, 5) * 3 * r**2] * 3)
    rails = [rigid_body(name, 0) for name in ("rail_x", "rail_y")]
    first = me.PrismaticJoint("x", ground, rails[0], joint_axis=ground.x)
    second = me.PrismaticJoint("y", *rails, joint_axis=rails[0].y)
    joints = [first, second, QuaternionJoint("turn", rails[1], ball)]
    system = system_of(ground, *joints, gravity=-10 * ground.z)
    point, turning = ball.masscenter.locatenew("touch", -r * ground.z), Rational(3, 2) * ground.z
    x, y = system.q[:2]
    velocity = turning.cross(x * ground.x + y * ground.y)
    disc = Contact("disc", ground, ball, point, [ground.x, ground.y], velocity)
    fdyn = ForwardDynamics(system, loops=[disc])
    v, place, spin, radius = np.array([0.7, -0.4]), np.array([0.3, 0.5]), 1.5, 0.2
    slip = v - spin * np.array([-place[1], place[0]])  # = radius z x w
    start = [*v, slip[1] / radius * -1, slip[0] / radius, 0.6]
    q = [*place, 1, 0, 0, 0]
    evaluate = fdyn.compile(("udot", "constraint_errors", "joint_wrenches"), backend="numpy")
    result = evaluate(q, start, constants={r: radius})
    np.testing.assert_allclose(result.constraint_errors[1], 0, atol=1e-15)
    expected = 2 / 7 * spin * np.array([-v[1], v[0]])
    np.testing.assert_allclose(result.udot[:2], expected, rtol=1e-12)
    force = result.joint_wrench(disc, frame=ground.frame)[:2]
    np.testing.assert_allclose(force, 3 * expected, rtol=1e-12)


def test_refuses_surface_velocities():
    ground, bob = rigid_body("ground"), me.Particle("bob")
    system = system_of(ground, me.PrismaticJoint("rail", ground, bob, joint_axis=ground.x))
    (speed,) = system.u
    belt = Contact("belt", ground, bob, bob.masscenter, [ground.x], speed * ground.x)
    refused(lambda: InverseDynamics(system, loops=[belt], actuated=()), "loops", TopologyError)
