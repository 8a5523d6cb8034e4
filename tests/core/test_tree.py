"""What a System must be: a tree of bodies on ground, without constraints."""

import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from refusals import refused
from sympy import Symbol, cos, sin, symbols

from jointwrench.mechanics.mechanism.reading.system_reader import read_system
from jointwrench.mechanics.mechanism.relative_motion import is_unit_quaternion
from jointwrench.mechanics.mechanism.tree import TopologyError


@pytest.fixture
def world():
    return World()


class World:
    """Ground with a double pendulum: pin1 and pin2 with the bodies A and B."""

    def __init__(self):
        self.ground, self.A, self.B = (massive_body(name) for name in ("ground", "A", "B"))
        self.pin1 = me.PinJoint("pin1", self.ground, self.A, child_point=-self.A.x)
        self.pin2 = me.PinJoint("pin2", self.A, self.B, parent_point=self.A.x)
        self.system = system_of(self.ground, self.pin1, self.pin2)

    def turn(self, *rates):
        """Set the angular velocities of the pins."""
        for pin, rate in zip((self.pin1, self.pin2), rates, strict=True):
            pin.child_interframe.set_ang_vel(pin.parent_interframe, rate * pin.joint_axis)


def test_inertia_about_the_joint(world):
    moment, point = Symbol("J"), world.pin1.child_point
    world.A.inertia = (me.inertia(world.A.frame, moment, 0, 0), point)
    link = read_system(world.system).links[0]
    assert link.inertia_is_about_origin
    assert link.inertia[0, 0] == moment


def test_absolute_speeds(world):
    """The second equation has two derivatives, of which the first one gives one."""
    (q1, q2), (u1, u2) = world.system.q, world.system.u
    for order in (1, -1):
        kdes = [u1 - q1.diff(), u2 - q1.diff() - q2.diff() + me.dynamicsymbols._t]
        world.system.kdes = kdes[::order]
        world.turn(u1, u2 - u1 + me.dynamicsymbols._t)
        assert read_system(world.system).rates == (u1, u2 - u1 + me.dynamicsymbols._t)


def test_time_of_welds_only():
    ground = rigid_body("ground")
    tree = read_system(system_of(ground, me.WeldJoint("weld", ground, massive_body("A"))))
    assert tree.time == me.dynamicsymbols._t
    assert tree.speeds == ()


@pytest.mark.parametrize("where", ["place", "load", "angle", "mass"])
def test_time_put_back_without_coordinates(where):
    """What else varies tells of the time."""
    old, me.dynamicsymbols._t = me.dynamicsymbols._t, Symbol("tau")
    time, x = me.dynamicsymbols._t, me.dynamicsymbols("x")
    ground, A, B = rigid_body("ground"), massive_body("A"), massive_body("B")
    system = system_of(ground, me.WeldJoint("weld", ground, A))
    if where == "place":
        B.masscenter.set_pos(system.fixed_point, x * ground.x)
        B.frame.orient_axis(ground.frame, ground.z, 0)
        system.add_bodies(B)
    elif where == "load":
        system.add_loads(me.Force(A, x * ground.x))
    elif where == "angle":
        system.add_joints(me.PinJoint("pin", ground, B))
        system.q_ind = system.u_ind = system.kdes = ()
    else:
        A.mass = 1 + x
    me.dynamicsymbols._t = old
    if where == "mass":
        refused(lambda: read_system(system), "system", TopologyError)
    else:
        assert read_system(system).time is time


k = Symbol("k")


def test_no_system_and_no_ground(world):
    refused(lambda: read_system([world.A]), "system", TypeError)
    system = me.System()
    system.add_joints(me.PinJoint("pin3", massive_body("C"), massive_body("D")))
    refused(lambda: read_system(system), "system", TopologyError)


@pytest.mark.parametrize(
    "kdes",
    [
        lambda q1, q2, u1, u2: [u1 - q1 - q2],
        lambda q1, q2, u1, u2: [u1 - q1 - q2 * cos(k), u2 - k * (q1 + q2 * cos(k))],
        lambda q1, q2, u1, u2: [u1 - q1**2 - q2, u2 - q1 + q2],
        lambda q1, q2, u1, u2: [u1 - q1, u1 - 2 * q1, u2 - q2],
    ],
    ids=["too few", "dependent", "not linear", "two for one"],
)
def test_kinematical_equations(world, kdes):
    rates = world.system.q.diff(me.dynamicsymbols._t)
    world.system.kdes = kdes(*rates, *world.system.u)
    refused(lambda: read_system(world.system), "system", TopologyError)


def test_inertia_that_depends_on_a_coordinate(world):
    world.B.central_inertia = me.inertia(world.B.frame, world.system.q[0], 1, 1)
    refused(lambda: read_system(world.system), "system", TopologyError)


def test_particle_whose_frames_are_not_connected(world):
    P, C = me.Particle("P"), massive_body("C")
    last = me.PinJoint("pin4", P, C, parent_interframe=me.ReferenceFrame("F"))
    world.system.add_joints(me.PinJoint("pin3", world.B, P), last)
    refused(lambda: read_system(world.system), "system", TopologyError)


def test_symbols_keep_their_assumptions(world):
    mass, moment = symbols("m I", positive=True)
    world.A.mass, world.A.central_inertia = mass, me.inertia(world.A.frame, moment, moment, moment)
    link = read_system(world.system).links[0]
    assert link.mass is mass
    assert link.inertia.free_symbols == {moment}


def turns_about(axis, cosine, sine):
    frame, turned = me.ReferenceFrame("A"), me.ReferenceFrame("B")
    turned.orient_axis(frame, axis(frame), Symbol("angle"))
    return turned.dcm(frame).xreplace({cos(Symbol("angle")): cosine, sin(Symbol("angle")): sine})


class TestUnitQuaternions:
    """Four coordinates without sines may be a unit quaternion, or something else."""

    q = me.dynamicsymbols("q:4")

    def quaternion(self):
        frame, turned = me.ReferenceFrame("A"), me.ReferenceFrame("B")
        turned.orient_quaternion(frame, self.q)
        return turned.dcm(frame)

    def test_divided_by_its_length(self):
        rotation = self.quaternion() / sum(q**2 for q in self.q)
        assert is_unit_quaternion(rotation.as_immutable(), self.q)

    def test_two_unit_complex_numbers_are_none(self):
        one = turns_about(lambda frame: frame.x, *self.q[:2])
        other = turns_about(lambda frame: frame.y, *self.q[2:])
        assert not is_unit_quaternion((other * one).as_immutable(), self.q)
