"""Kinematical differential equations that contradict the joints are refused."""

import numpy as np
import pytest
from sympy import Matrix, cos, lambdify
from sympy.physics.mechanics import (
    PinJoint,
    PrismaticJoint,
    RigidBody,
    SphericalJoint,
    System,
    dynamicsymbols,
    inertia,
)
from sympy.physics.mechanics.joint import Joint

from jointwrench.extra_joints import FreeJoint, QuaternionJoint
from jointwrench.inverse_dynamics import InverseDynamics

T = dynamicsymbols._t


def pendulum(kind=PinJoint, count=1, **options):
    """Return a System of bodies on joints, and the joints."""
    ground = RigidBody("ground")
    system, inner, joints = System.from_newtonian(ground), ground, []
    for k in range(count):
        outer = RigidBody(f"B{k}", mass=2)
        outer.central_inertia = inertia(outer.frame, 1, 2, 2.5, 0.1, 0.2, 0.3)
        joint = kind(f"J{k}", inner, outer, child_point=outer.x / 3 - outer.y, **options)
        joints.append(joint)
        inner = outer
    system.add_joints(*joints)
    return system, joints


def test_replaced_equation_of_a_pin():
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [u - 3 * q.diff(T)]
    with pytest.raises(ValueError, match=r"joint 'J0' states .* u_J0\(t\)\*ground_frame.x of B0_f"):
        InverseDynamics(system)
    pin.child_interframe.set_ang_vel(pin.parent_interframe, u / 3 * pin.joint_axis)
    (force,) = InverseDynamics(system).generalized_forces
    # inertia 1 + 2*1 about x, a third for the acceleration and one for the force
    assert force.diff(u.diff(T)) == pytest.approx((1 + 2) / 9)


def test_all_inconsistent_joints_are_named():
    system, joints = pendulum(SphericalJoint, 3)
    rates = [joint.coordinates.diff(T) for joint in joints]
    system.kdes = [
        *joints[0].kdes,
        *(joints[1].speeds - 2 * rates[1]),
        *(joints[2].speeds + rates[2]),
    ]
    with pytest.raises(
        ValueError, match=r"\n- the joint 'J1' states .*\n- the joint 'J2' states"
    ) as caught:
        InverseDynamics(system)
    assert "'J0'" not in str(caught.value)
    assert "Use the joint's own equations (joint.kdes), or set the vel" in str(caught.value)


@pytest.mark.parametrize("kind", [SphericalJoint, FreeJoint, QuaternionJoint])
def test_equations_in_another_form(kind):
    """Multiples of a joint's own equations are found to be consistent."""
    system, (joint,) = pendulum(kind)
    system.kdes = list(-3 * joint.kdes)
    assert InverseDynamics(system).generalized_forces.shape == (len(joint.speeds), 1)


@pytest.mark.parametrize("kind", [QuaternionJoint, FreeJoint])
def test_wrong_equations_of_our_joints(kind):
    system, (joint,) = pendulum(kind)
    system.kdes = [*joint.kdes[:-1], joint.kdes[-1] + joint.speeds[-1]]
    with pytest.raises(ValueError, match="the joint 'J0' states the angular velocity"):
        InverseDynamics(system)


def test_speeds_that_are_angular_velocity_components():
    """The usual choice for a ball joint by angles: u is the angular velocity."""
    system, (joint,) = pendulum(SphericalJoint)
    child, parent = joint.child_interframe, joint.parent_interframe
    spin = child.ang_vel_in(parent).to_matrix(child)
    rates = joint.coordinates.diff(T)
    to_rates = dict(zip(joint.speeds, rates, strict=True))
    system.kdes = list(joint.speeds - spin.xreplace(to_rates))
    with pytest.raises(ValueError, match="'J0'"):
        InverseDynamics(system)
    child.set_ang_vel(
        parent, sum((u * e for u, e in zip(joint.speeds, child, strict=True)), 0 * child.x)
    )
    result = InverseDynamics(system).compile(backend="numpy")(*np.full((3, 3), 0.4))
    assert np.isfinite(result.joint_wrenches).all()


def test_speeds_that_are_mixed_between_joints():
    """A speed that moves several joints feels the forces of all of them."""
    system, (first, second) = pendulum(count=2)
    (q1, q2), (u1, u2) = system.q, system.u
    system.kdes = [u1 - q1.diff(T) - 2 * q2.diff(T), u2 - q1.diff(T) + q2.diff(T)]
    for pin, rate in ((first, (u1 + 2 * u2) / 3), (second, (u1 - u2) / 3)):
        pin.child_interframe.set_ang_vel(pin.parent_interframe, rate * pin.joint_axis)
        moving, fixed = pin.child.frame, pin.parent.frame
        pin.child.masscenter.v2pt_theory(pin.parent_point, fixed, moving)  # for KanesMethod
    check_against_kane(system)


def test_speeds_of_sliders_that_are_mixed():
    ground, a, b = RigidBody("ground"), RigidBody("a", mass=2), RigidBody("b", mass=3)
    system = System.from_newtonian(ground)
    slide, lift = PrismaticJoint("S", ground, a), PrismaticJoint("L", a, b, joint_axis=a.y)
    system.add_joints(slide, lift)
    (q1, q2), (u1, u2) = system.q, system.u
    system.kdes = [u1 - q1.diff(T) - q2.diff(T), u2 - q1.diff(T) + q2.diff(T)]
    # Kinetic energy 5/2 q1'^2 + 3/2 q2'^2 with q1' = (u1 + u2)/2, q2' = (u1 - u2)/2.
    forces = InverseDynamics(system).generalized_forces
    expected = Matrix([[8, 2], [2, 8]]) / 4 * Matrix([u1.diff(T), u2.diff(T)])
    assert (forces - expected).expand() == Matrix([0, 0])


def check_against_kane(system):
    numbers = np.random.default_rng(2)
    q, u, udot = (numbers.uniform(-1, 1, len(x)) for x in (system.q, system.u, system.u))
    result = InverseDynamics(system).compile("generalized_forces", backend="numpy")(q, u, udot)
    system.form_eoms()
    kane = system.eom_method
    mass, forcing = lambdify([[*system.q], [*system.u]], [kane.mass_matrix, kane.forcing])(q, u)
    np.testing.assert_allclose(
        result.generalized_forces, mass @ udot - np.ravel(forcing), rtol=1e-9
    )


class UnitQuaternionJoint(QuaternionJoint):
    """A user's joint whose direction cosine matrix is a rotation for unit norm only."""

    def _orient_frames(self):
        self.child_interframe.orient_quaternion(self.parent_interframe, tuple(self.coordinates))


def test_a_users_joint_with_unit_quaternions():
    """No rotation matrix at a random state: nothing can be said, and nothing is."""
    system, _ = pendulum(UnitQuaternionJoint)
    expected, _ = pendulum(QuaternionJoint)
    values = [[0.5, -0.5, 0.5, 0.5], [1.0, 2.0, 3.0], [2.0, -1.0, 4.0]]
    wrenches = [
        InverseDynamics(model).compile("joint_wrenches", backend="numpy")(*values).joint_wrenches
        for model in (system, expected)
    ]
    np.testing.assert_allclose(*wrenches, atol=1e-13)


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
    system, _ = pendulum(WrongJoint)
    with pytest.raises(
        ValueError, match=r"'J0' states the angular velocity u_J0\(t\)\*ground_frame.y"
    ):
        InverseDynamics(system)


def test_rates_that_are_not_linear_in_the_speeds():
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [q.diff(T) - u**2 * cos(q)]
    with pytest.raises(
        ValueError, match=r"derivative of q_J0\(t\) is not linear in the speeds: .*Choose"
    ):
        InverseDynamics(system)


def test_equations_that_are_not_linear_in_the_rates():
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [q.diff(T) ** 2 - u]
    with pytest.raises(ValueError, match="cannot be solved for "):
        InverseDynamics(system)


def test_infinite_values_are_not_judged():
    """A rotation that is not real at the random state."""
    system, (pin,) = pendulum()
    (q,), (u,) = pin.coordinates, pin.speeds
    system.kdes = [u - q.diff(T) * (q - 100) ** 0.5]
    pin.child_interframe.set_ang_vel(pin.parent_interframe, u / (q - 100) ** 0.5 * pin.joint_axis)
    InverseDynamics(system)
