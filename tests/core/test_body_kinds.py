"""A body is what KanesMethod takes it for: every subclass of RigidBody is rigid."""

import pytest
import sympy.physics.mechanics as me
from classical import N, close, fixed_point, forces_by_kane, outputs, turned
from sympy import Symbol
from sympy.utilities.exceptions import ignore_warnings

import jointwrench as jw

m, l, k, g = (Symbol(name) for name in "mlkg")


class OwnBody(me.RigidBody):
    pass


def old_body(name, masscenter, frame, mass, moments):
    """Return sympy's deprecated Body, which is a RigidBody and a Particle."""
    with ignore_warnings(DeprecationWarning):
        return me.Body(name, masscenter, mass, frame, moments and moments[0])


@pytest.mark.parametrize("kind", [me.RigidBody, OwnBody, old_body])
@pytest.mark.parametrize("moment", [k, None])
def test_rod_of_a_kanes_method(kind, moment):
    """One made with its mass alone has no inertia, in sympy's equations as here."""
    q, u = me.dynamicsymbols("q u")
    A, O = turned("A", N, N.z, q, u), fixed_point()
    G = O.locatenew("G", l * A.x)
    G.v2pt_theory(O, N, A)
    given = None if moment is None else (me.inertia(A, 0, 0, moment), G)
    if given is None and kind is not old_body:
        given = (me.inertia(A, 0, 0, 0), G)
    body = kind("rod", G, A, m, given)
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u], bodies=[body], forcelist=[(G, -m * g * N.y)])
    idyn = jw.InverseDynamics.from_kane(kane, [(N, body, O)])
    values = dict.fromkeys([*idyn.constants, q, u, u.diff()], 0.7)
    assert close(outputs(idyn, values)["generalized_forces"], forces_by_kane(kane, values))
    assert idyn.joint_wrench("rod").force.args[0][1] is A


def test_old_body_in_a_system_and_a_loop():
    """It keeps its inertia and its frame: a Particle's could neither turn nor close a pin."""
    ground, arm = me.RigidBody("G"), old_body("arm", None, None, m, None)
    arm.central_inertia = me.inertia(arm.frame, 0, 0, k)
    system = me.System.from_newtonian(ground)
    system.add_joints(me.PinJoint("pin", ground, arm, child_point=-l * arm.x, joint_axis=ground.z))
    system.form_eoms()
    assert jw.InverseDynamics(system).mass_matrix == system.mass_matrix
    tip = jw.LoopJoint("tip", ground, arm, "pin", child_point=l * arm.x, joint_axis=ground.z)
    assert tip.child_interframe is arm.frame
    assert jw.Contact("tip", ground, arm, tip.child_point, [ground.x]).child_interframe is arm.frame
