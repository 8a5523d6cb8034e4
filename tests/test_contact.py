"""Contact: the textbook constraints of rolling and of knife edges, Kane's method, refusals."""

import pytest
from sympy import Matrix, Rational, cos, simplify, sin, symbols
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    PlanarJoint,
    Point,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

from jointwrench import Contact

T = dynamicsymbols._t
r, a = symbols("r a", positive=True)


def to_speeds(contact, *joints):
    """Return the velocity constraints in speeds."""
    rates = {q.diff(T): u for j in joints for q, u in zip(j.coordinates, j.speeds, strict=True)}
    return [simplify(equation.xreplace(rates)) for equation in contact.velocity_constraints]


class RollingDisc:
    """A disc on a plane, by yaw, lean and spin, and by the place where it touches the plane."""

    def __init__(self):
        self.ground, self.disc = RigidBody("ground"), RigidBody("disc")
        self.x, self.y, self.yaw, lean, self.spin = dynamicsymbols("x y yaw lean spin")
        heading, leaning = ReferenceFrame("heading"), ReferenceFrame("leaning")
        heading.orient_axis(self.ground.frame, self.ground.z, self.yaw)
        leaning.orient_axis(heading, heading.x, lean)
        self.disc.frame.orient_axis(leaning, leaning.y, self.spin)
        self.point = Point("contact")
        place = self.x * self.ground.x + self.y * self.ground.y
        self.point.set_pos(self.ground.masscenter, place)
        self.disc.masscenter.set_pos(self.point, r * leaning.z)


def test_rolling_disc():
    disc = RollingDisc()
    contact = Contact("tyre", disc.ground, disc.disc, disc.point)
    rolled = r * disc.spin.diff(T)
    expected = [
        disc.x.diff(T) - rolled * cos(disc.yaw),
        disc.y.diff(T) - rolled * sin(disc.yaw),
    ]  # and the third says nothing, as the disc touches the plane anyway
    found = contact.velocity_constraints
    assert simplify(Matrix(found) - Matrix(expected)) == Matrix([0, 0])
    assert contact.holonomic_constraints == contact.moment_directions == ()
    assert contact.orthogonal_pairs == ()
    assert contact.force_directions == (disc.ground.x, disc.ground.y, disc.ground.z)


def test_knife_edge_of_a_sleigh():
    ground, sleigh = RigidBody("ground"), RigidBody("sleigh")
    joint = PlanarJoint("J", ground, sleigh)  # its normal is the x axis
    edge = sleigh.masscenter.locatenew("edge", -a * sleigh.y)
    contact = Contact("edge", ground, sleigh, edge, [sleigh.z])
    (turn, y, z), (q, *_) = joint.speeds, joint.coordinates
    (found,) = to_speeds(contact, joint)
    assert simplify(found - (z * cos(q) - y * sin(q) - a * turn)) == 0


def test_skate_of_a_particle():
    ground, bob = RigidBody("ground"), Particle("bob")
    x, y, heading = dynamicsymbols("x y heading")
    bob.masscenter.set_pos(ground.masscenter, x * ground.x + y * ground.y)
    across = -sin(heading) * ground.x + cos(heading) * ground.y
    contact = Contact("skate", ground, bob, bob.masscenter, [across])
    assert contact.child_interframe is None
    assert contact.directions == (across,)  # of length one already
    (found,) = contact.velocity_constraints
    assert found.expand() == y.diff(T) * cos(heading) - x.diff(T) * sin(heading)


def test_velocities_that_were_set_count():
    ground, bob = RigidBody("ground"), Particle("bob")
    u = dynamicsymbols("u")
    bob.masscenter.set_vel(ground.frame, u * ground.x)
    assert Contact("C", ground, bob, bob.masscenter).velocity_constraints == (u,)


def test_two_wheels_of_which_both_move():
    ground, big, small = (RigidBody(name) for name in ("ground", "big", "small"))
    R = symbols("R", positive=True)
    one = PinJoint("one", ground, big, joint_axis=ground.z)
    two = PinJoint("two", ground, small, parent_point=(R + r) * ground.x, joint_axis=ground.z)
    touch = ground.masscenter.locatenew("touch", R * ground.x)
    contact = Contact("teeth", big, small, touch, [ground.y])
    (found,) = to_speeds(contact, one, two)
    assert simplify(found + R * one.speeds[0] + r * two.speeds[0]) == 0


def test_disc_that_rolls_down_a_slope():
    ground, sledge, disc = (RigidBody(name) for name in ("ground", "sledge", "disc"))
    sledge.mass, sledge.central_inertia = 0, inertia(sledge.frame, 0, 0, 0)
    g, m, slope = symbols("g m alpha", positive=True)
    disc.mass, disc.central_inertia = m, inertia(disc.frame, 0, 0, m * r**2 / 2)
    slide = PrismaticJoint("slide", ground, sledge)
    turn = PinJoint("turn", sledge, disc, joint_axis=sledge.z)
    system = System.from_newtonian(ground)
    system.add_joints(slide, turn)
    system.apply_uniform_gravity(g * (sin(slope) * ground.x - cos(slope) * ground.y))
    point = disc.masscenter.locatenew("touch", -r * ground.y)
    contact = Contact("tyre", ground, disc, point)
    assert to_speeds(contact, slide, turn) == [r * turn.speeds[0] + slide.speeds[0]]
    system.add_nonholonomic_constraints(*contact.velocity_constraints)
    system.u_ind, system.u_dep = slide.speeds, turn.speeds
    system.validate_system()
    system.form_eoms()
    rate = system.mass_matrix.LUsolve(system.forcing)[0]
    assert simplify(rate - Rational(2, 3) * g * sin(slope)) == 0


def test_directions_become_unit_vectors():
    disc = RollingDisc()
    x, y, _ = disc.ground.frame
    contact = Contact("tyre", disc.ground, disc.disc, disc.point, [2 * x, 3 * x + 4 * y])
    one, other = contact.force_directions
    assert (one, other) == (x, Rational(3, 5) * x + Rational(4, 5) * y)


def test_attributes():
    disc = RollingDisc()
    contact = Contact("tyre", disc.ground, disc.disc, disc.point)
    assert (contact.name, contact.kind) == ("tyre", "contact")
    assert (contact.parent, contact.child) == (disc.ground, disc.disc)
    assert contact.point is contact.parent_point is contact.child_point is disc.point
    assert contact.parent_interframe is disc.ground.frame
    assert contact.child_interframe is disc.disc.frame
    assert repr(contact) == "Contact: tyre  parent: ground  child: disc"


# -- refusals -----------------------------------------------------------------------------------


@pytest.fixture
def disc():
    return RollingDisc()


def refused(error, disc, match, point=None, directions=None):
    with pytest.raises(error, match=match):
        Contact("C", disc.ground, disc.disc, point or disc.point, directions)


def test_refuses_points(disc):
    refused(TypeError, disc, "Contact 'C': `point` must be a .*Point, got 3 of type int", 3)
    refused(ValueError, disc, "`point` must have a known position from disc_mass", Point("P"))
    bob = Particle("bob")
    point = bob.masscenter.locatenew("P", disc.ground.x)
    with pytest.raises(ValueError, match="`point` must be where the Particle bob is"):
        Contact("C", disc.ground, bob, point)


@pytest.mark.parametrize("directions", [[], ["x"] * 4])
def test_refuses_numbers_of_directions(disc, directions):
    match = f"`directions` must be a sequence of 1 to 3 Vectors, got {len(directions)} entries"
    refused(ValueError, disc, match, None, directions)


def test_refuses_directions(disc):
    x, y, z = disc.ground.frame
    match = "`directions` must be a sequence of 1 to 3 Vectors, got .* of type Vector"
    refused(TypeError, disc, match, None, x)
    refused(TypeError, disc, r"`directions\[1\]` must be a Vector, got 1 of", None, [x, 1])
    refused(ValueError, disc, r"`directions\[0\]` must have a direction, got the", None, [0 * x])
    unknown = ReferenceFrame("A").x
    match = r"`directions\[1\]` must have a known orientation in ground_frame, got A"
    refused(ValueError, disc, match, None, [x, unknown])
    for dependent in ([x, -2 * x], [x, x, y], [x, y, x + y], [x + y, y + z, x - z]):
        refused(ValueError, disc, "`directions` must be independent, but", None, dependent)


def test_refuses_bodies(disc):
    with pytest.raises(TypeError, match="`parent` must be a RigidBody, got 'ground'"):
        Contact("C", "ground", disc.disc, disc.point)
    with pytest.raises(ValueError, match="`child` must be another body than `parent`, got disc"):
        Contact("C", disc.disc, disc.disc, disc.point)
    with pytest.raises(ValueError, match="`name` must not be empty"):
        Contact("", disc.ground, disc.disc, disc.point)


def test_refuses_velocities_that_nobody_knows():
    ground, bob = RigidBody("ground"), Particle("bob")
    contact = Contact("C", ground, bob, bob.masscenter)
    with pytest.raises(ValueError, match="'C' has no equations yet: no path of positions"):
        _ = contact.velocity_constraints


def test_refuses_to_hold_what_is_at_rest():
    ground, bob = RigidBody("ground"), Particle("bob")
    bob.masscenter.set_pos(ground.masscenter, 2 * ground.x)
    contact = Contact("C", ground, bob, bob.masscenter)
    with pytest.raises(ValueError, match="Contact 'C' closes nothing: the tree"):
        _ = contact.velocity_constraints


def test_body_whose_turning_is_not_known_has_no_equations_yet():
    ground, wheel = RigidBody("ground"), RigidBody("wheel")
    wheel.masscenter.set_vel(ground.frame, 0)
    contact = Contact("C", ground, wheel, wheel.masscenter.locatenew("P", -ground.y))
    with pytest.raises(ValueError, match="'C' has no equations yet: no path of angular velocities"):
        _ = contact.velocity_constraints
