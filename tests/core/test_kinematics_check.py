"""Kinematical differential equations that contradict the joints are refused."""

import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from refusals import refusal, refused
from sympy import Matrix, cos, diag, eye, sin, sqrt, symbols
from sympy.physics.mechanics.joint import Joint

from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.free_joint import FreeJoint
from jointwrench.models.quaternion_joint import QuaternionJoint

T = me.dynamicsymbols._t


def pendulum(kind=me.PinJoint, count=1, **options):
    """Return a System of bodies on joints, and the joints."""
    ground = rigid_body("ground", 1)
    system, inner, joints = me.System.from_newtonian(ground), ground, []
    for k in range(count):
        outer = rigid_body(f"B{k}", 2, 1, 2, 2.5, 0.1, 0.2, 0.3)
        joint = kind(f"J{k}", inner, outer, child_point=outer.x / 3 - outer.y, **options)
        joints.append(joint)
        inner = outer
    system.add_joints(*joints)
    return system, joints


def test_replaced_equation_of_a_pin():
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [u - 3 * q.diff(T)]
    refuse(system)
    pin.child_interframe.set_ang_vel(pin.parent_interframe, u / 3 * pin.joint_axis)
    pin.child.masscenter.v2pt_theory(pin.parent_point, system.frame, pin.child.frame)
    (force,) = InverseDynamics(system).generalized_forces
    # inertia 1 + 2*1 about x, a third for the acceleration and one for the force
    assert force.diff(u.diff(T)) == pytest.approx((1 + 2) / 9)


def test_all_inconsistent_joints_are_named():
    system, joints = pendulum(count=3)
    r = [joint.coordinates.diff(T) for joint in joints]
    system.kdes = [*joints[0].kdes, *(joints[1].speeds - 2 * r[1]), *(joints[2].speeds + r[2])]
    with refusal("system", TopologyError) as caught:
        InverseDynamics(system)
    assert "'J0'" not in str(caught.value)
    assert "Use the joint's own equations (joint.kdes), or B2_frame.set_ang_vel(" in str(
        caught.value
    )


@pytest.mark.parametrize("kind", [me.SphericalJoint, FreeJoint, QuaternionJoint])
def test_equations_in_another_form(kind):
    """Multiples of a joint's own equations are found to be consistent."""
    system, (joint,) = pendulum(kind)
    system.kdes = list(-3 * joint.kdes)
    assert InverseDynamics(system).generalized_forces.shape == (len(joint.speeds), 1)


class WrongJoint(Joint):
    """A user's joint that turns about x and says y."""

    def _generate_coordinates(self, coordinates):
        return self._fill_coordinate_list(coordinates, 1, "q")

    def _generate_speeds(self, speeds):
        return self._fill_coordinate_list(speeds, 1, "u")

    def _orient_frames(self):
        parent = self.parent_interframe
        self.child_interframe.orient_axis(parent, parent.x, self.coordinates[0])

    def _set_angular_velocity(self):
        parent = self.parent_interframe
        self.child_interframe.set_ang_vel(parent, self.speeds[0] * parent.y)

    def _set_linear_velocity(self):
        self.child_point.set_pos(self.parent_point, 0)


def test_a_users_joint_that_is_wrong():
    refuse(pendulum(WrongJoint)[0])


@pytest.mark.parametrize(
    "equation", [lambda q, u: q.diff(T) - u**2 * cos(q), lambda q, u: q.diff(T) ** 2 - u]
)
def test_equations_that_are_not_linear(equation):
    """In the speeds, or in the rates."""
    system, (pin,) = pendulum()
    system.kdes = [equation(*pin.coordinates, *pin.speeds)]
    refuse(system)


def test_infinite_values_are_not_judged():
    """A rotation that is not real at the random state."""
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [u - q.diff(T) * (q - 100) ** 0.5]
    pin.child_interframe.set_ang_vel(pin.parent_interframe, u / (q - 100) ** 0.5 * pin.joint_axis)
    InverseDynamics(system)


KINDS = [me.PinJoint, me.PrismaticJoint, me.CylindricalJoint, me.PlanarJoint, me.SphericalJoint]
KINDS += [me.WeldJoint, FreeJoint, QuaternionJoint]


def join(kind, reverse=False, count=1, **options):
    """Return a System of one joint, its joint and the moving body."""
    ground, rod = rigid_body("ground", 1), rigid_body("rod", 2)
    pair = (rod, ground) if reverse else (ground, rod)
    joint = kind("J", *pair, parent_point=pair[0].y, child_point=-pair[1].x, **options)
    return system_of(ground, joint), joint, rod


def refuse(system):
    return refused(lambda: InverseDynamics(system), "system", TopologyError)


class TestJointsChangedAfterwards:
    @pytest.mark.parametrize("reverse", [False, True])
    @pytest.mark.parametrize("first", KINDS)
    @pytest.mark.parametrize("second", [me.PinJoint, me.PrismaticJoint])
    def test_another_joint_of_the_same_bodies(self, first, second, reverse):
        system, joint, _ = join(first, reverse)
        second("later", joint.parent, joint.child, joint_axis=joint.parent.frame.z)
        if second is me.PrismaticJoint and first is me.WeldJoint:
            # it sets other points, and orients alike: what the first one says still holds
            assert len(InverseDynamics(system).speeds) == len(joint.speeds)
        else:  # of two slides the comparison with the stated motion, which all tests make, refuses
            refuse(system)

    @pytest.mark.parametrize("end", ["parent", "child"])
    @pytest.mark.parametrize("kind", KINDS)
    def test_point_that_was_moved(self, kind, end):
        """From that of the parent, or in its body."""
        system, joint, rod = join(kind)
        origin = joint.parent_point if end == "parent" else rod.masscenter
        joint.child_point.set_pos(origin, sin(me.dynamicsymbols("q")) * rod.x)
        refuse(system)

    @pytest.mark.parametrize("kind", KINDS)
    def test_interframe_that_moves_in_its_body(self, kind):
        f = me.ReferenceFrame("f")
        ground, rod = rigid_body("ground", 1), rigid_body("rod", 2)
        f.orient_axis(ground.frame, ground.z, 1)
        system = system_of(ground, kind("J", ground, rod, parent_interframe=f))
        f.orient_axis(ground.frame, ground.z, me.dynamicsymbols("x"))
        refuse(system)

    def test_velocity_of_the_bodies_frames(self):
        """Where the joint has interframes of its own, KanesMethod takes the bodies' frames."""
        f, ground, rod = me.ReferenceFrame("f"), rigid_body("ground", 1), rigid_body("rod", 2)
        f.orient_axis(ground.frame, ground.x, symbols("a"))
        joint = me.PinJoint("J", ground, rod, parent_interframe=f, joint_axis=f.z)
        system = system_of(ground, joint)
        rod.frame.set_ang_vel(ground.frame, 3 * joint.speeds[0] * f.z)
        refuse(system)


class TestRotations:
    """Of interframes, and of bodies whose pose is given."""

    def read(self, matrix, kind=me.PinJoint, reverse=False):
        f, ground, rod = me.ReferenceFrame("f"), rigid_body("ground", 1), rigid_body("rod", 2)
        pair = (rod, ground) if reverse else (ground, rod)
        f.orient_explicit(pair[0].frame, Matrix(matrix))
        return InverseDynamics(system_of(ground, kind("J", *pair, parent_interframe=f)))

    @pytest.mark.parametrize("reverse", [False, True])
    @pytest.mark.parametrize("kind", KINDS)
    def test_mirrored_and_scaled(self, kind, reverse):
        refused(lambda: self.read(diag(1, 1, -1), kind, reverse), "system", TopologyError)
        refused(lambda: self.read(2 * eye(3), kind, reverse), "system", TopologyError)

    def test_rounded_numbers_and_symbols_are_believed(self):
        c, s, a = symbols("c s a")
        self.read([[0.866, 0.5, 0], [-0.5, 0.866, 0], [0, 0, 1]])
        self.read([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        self.read([[cos(a), sin(a), 0], [-sin(a), cos(a), 0], [0, 0, 1]])

    def test_mirror_of_symbols(self):
        a = symbols("a")
        with refusal("system", TopologyError):
            self.read([[cos(a), sin(a), 0], [sin(a), -cos(a), 0], [0, 0, 1]])

    @pytest.mark.parametrize("fault", [0.3, T, "rate"])
    def test_table_without_a_joint(self, fault):
        """Its orientation is none, or changes otherwise than it says."""
        ground, table, rod = rigid_body("ground", 1), rigid_body("table", 1), rigid_body("rod", 2)
        if fault == "rate":
            table.frame.orient_axis(ground.frame, ground.z, T**2)
            table.frame.set_ang_vel(ground.frame, T * ground.z)
        else:
            c, s = cos(fault), sin(fault)
            table.frame.orient_explicit(ground.frame, Matrix([[c, s, 0], [s, c, 0], [0, 0, 1]]))
        table.masscenter.set_pos(ground.masscenter, 0)
        refuse(system_of(ground, me.PinJoint("J", table, rod)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not FreeJoint])
def test_particles_on_joints(kind):
    ground, bead = rigid_body("ground", 1), me.Particle("bead", mass=2)
    system = system_of(ground, kind("J", ground, bead, parent_point=ground.x))
    assert InverseDynamics(system).bodies == (bead,)


@pytest.mark.parametrize("place", [lambda q: sqrt(0.04 - q**2), lambda q: 1e-9 * q])
def test_point_that_moves_where_it_is_defined(place):
    """At most random numbers the root is none; small units are no rounding."""
    system, joint, rod = join(me.PinJoint)
    joint.child_point.set_pos(rod.masscenter, place(*joint.coordinates) * rod.x)
    refuse(system)


def screw(kdes, *constraints):
    """Return a nut on a slider and a pin, with the spin of the pin told by the slide's speed."""
    ground, carriage = rigid_body("ground"), rigid_body("carriage", 2)
    nut = rigid_body("nut", 2, 0, 0, symbols("nut_izz"))
    slide = me.PrismaticJoint("slide", ground, carriage, joint_axis=ground.z)
    pin = me.PinJoint("turn", carriage, nut, joint_axis=carriage.z)
    system = system_of(ground, slide, pin)
    pin.child_interframe.set_ang_vel(pin.parent_interframe, kdes * slide.speeds[0] * pin.joint_axis)
    system.add_nonholonomic_constraints(pin.speeds[0] - 4 * slide.speeds[0])
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    return system


def test_constraint_that_was_put_into_an_angular_velocity():
    """It holds where the model moves; a wrong one does not."""
    (force,) = InverseDynamics(screw(4)).generalized_forces[:1]
    assert force.diff(me.dynamicsymbols("u_slide").diff(T)) == 2 + 2 + 4**2 * symbols("nut_izz")
    refuse(screw(5))


def test_slides_of_particles_that_contradict_each_other():
    """The second joint's velocities are relative to ground, though it is on the first one.

    KanesMethod takes them and finds no mass at the first slide.
    """
    ground = rigid_body("ground")
    bodies = [me.Particle(name, mass=2) for name in "ab"]
    first = me.PrismaticJoint("first", ground, bodies[0], joint_axis=ground.x)
    options = {"parent_interframe": ground.frame, "joint_axis": ground.y}
    system = system_of(ground, first, me.PrismaticJoint("second", *bodies, **options))
    error = str(refuse(system))
    assert "the velocity of a_masscenter in ground_frame is stated as 0, but its position" in error
    (u, w), N = system.u, ground.frame
    bodies[0].masscenter.set_vel(N, u * N.x)  # as the message says
    error = str(refuse(system))
    assert "set_vel(ground_frame, a_masscenter.vel(ground_frame) + u_second" in error
    bodies[1].masscenter.set_vel(N, bodies[0].masscenter.vel(N) + w * N.y)
    forces = InverseDynamics(system).generalized_forces
    assert list(forces) == [4 * u.diff(T), 2 * w.diff(T)]
    assert system.form_eoms().subs({u.diff(T): 0, w.diff(T): 1}) == Matrix([0, -2])
