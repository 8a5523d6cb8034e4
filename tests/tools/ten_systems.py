"""Ten systems of textbooks: the models, and what books write in the models' coordinates.

Pendulum: Meriam & Kraige, Dynamics, ch. 6; double pendulum: Craig, Introduction to Robotics, eq.
6.58; cart with a pendulum: Astrom & Murray, Feedback Systems, sec. 3.2; bead on a hoop: Taylor,
Classical Mechanics, ex. 7.6; heavy top: Goldstein, sec. 5.7; rolling disc: Kane & Levinson; free
body: Euler's equations; polar arm: Murray, Li & Sastry, ch. 4; spherical pendulum: Landau &
Lifshitz, sec. 14; rotary pendulum: Cazzolato & Prime 2011.  ``u1_`` is the derivative of ``u1``.
"""

from dataclasses import dataclass
from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of

from jointwrench import InverseDynamics

l, l1, l2, m, M, m1, m2, g, r, Omega, A, C, h = sm.symbols(
    "l l1 l2 m M m1 m2 g r Omega A C h", positive=True
)
T = me.dynamicsymbols._t


@dataclass
class Book:
    """A model, what the book writes, the operations of the best known form, and ignorables.

    ``force`` is the frame of the force that stands before the generalized forces, if one does.
    """

    idyn: InverseDynamics
    form: str
    shortest: int
    force: Any = None
    has_torques: bool = True
    ignorable: tuple[str, ...] = ()


def tree(*joints, gravity=True):
    """Return the inverse dynamics of bodies on joints."""
    ground = joints[0].parent
    system = system_of(ground, *joints)
    if gravity:
        system.apply_uniform_gravity(-g * ground.y)
    return InverseDynamics(system)


def kane(body, mass, connection, q, u, *equations):
    """Return the inverse dynamics of a body under its weight (``mass`` and a point) on ground."""
    frame, origin = connection
    loads = [(mass[1], -mass[0] * g * frame.z)] if mass else []
    method = me.KanesMethod(frame, q, u, list(equations), bodies=[body], forcelist=loads)
    return InverseDynamics.from_kane(method, [(frame, body, origin)])


def at_rest(name):
    """Return the inertial frame and a point that does not move."""
    frame, point = me.ReferenceFrame("N"), me.Point(name)
    point.set_vel(frame, 0)
    return frame, point


def rates(q, u):
    """Return the kinematical equations of speeds that are derivatives."""
    return [x.diff(T) - y for x, y in zip(q, u, strict=True)]


def pendulum():
    ground, rod = rigid_body("ground"), rigid_body("rod", m, 0, 0, m * l**2 / 12)
    q, u = me.dynamicsymbols("q u")
    joint = me.PinJoint("pin", ground, rod, q, u, child_point=l / 2 * rod.y, joint_axis=ground.z)
    form = "m*(g*sin(q)+l*u_/2), m*(g*cos(q)+l*u**2/2), 0, m*g*l/2*sin(q)+m*l**2/3*u_"
    return Book(tree(joint), form, 21, rod.frame)


def double_pendulum():
    ground, a, b = rigid_body("ground"), me.Particle("a", mass=m1), me.Particle("b", mass=m2)
    P, Q = me.ReferenceFrame("A"), me.ReferenceFrame("B")
    (q1, q2), (u1, u2) = me.dynamicsymbols("q1:3"), me.dynamicsymbols("u1:3")
    upper = {"child_interframe": P, "child_point": l1 * P.y}
    lower = {"parent_interframe": P, "child_interframe": Q, "child_point": l2 * Q.y}
    first = me.PinJoint("p1", ground, a, q1, u1, joint_axis=ground.z, **upper)
    joints = [first, me.PinJoint("p2", a, b, q2, u2, joint_axis=P.z, **lower)]
    form = (
        "m2*l2**2*(u1_+u2_)+m2*l1*l2*cos(q2)*(2*u1_+u2_)+(m1+m2)*l1**2*u1_-m2*l1*l2*sin(q2)*u2**2"
        "-2*m2*l1*l2*sin(q2)*u1*u2+m2*l2*g*sin(q1+q2)+(m1+m2)*l1*g*sin(q1),"
        "m2*l1*l2*cos(q2)*u1_+m2*l1*l2*sin(q2)*u1**2+m2*l2*g*sin(q1+q2)+m2*l2**2*(u1_+u2_)"
    )
    return Book(tree(*joints), form, 45)


def cart_pole():
    ground, cart = rigid_body("ground"), rigid_body("cart", M)
    bob, B = me.Particle("bob", mass=m), me.ReferenceFrame("B")
    x, q, v, u = me.dynamicsymbols("x q v u")
    rail = me.PrismaticJoint("rail", ground, cart, x, v, joint_axis=ground.x)
    end = {"child_interframe": B, "child_point": l * B.y}
    joints = [rail, me.PinJoint("hinge", cart, bob, q, u, joint_axis=cart.z, **end)]
    form = "(M+m)*v_+m*l*(u_*cos(q)-u**2*sin(q)), m*l*(l*u_+v_*cos(q)+g*sin(q))"
    return Book(tree(*joints), form, 20)


def hoop():
    (q, u), (N, O) = me.dynamicsymbols("theta omega"), at_rest("O")
    R, B = N.orientnew("R", "Axis", [Omega * T, N.z]), me.ReferenceFrame("B")
    B.orient_axis(R, q, R.y)
    B.set_ang_vel(R, u * R.y)
    P = O.locatenew("P", -r * B.z)
    P.v2pt_theory(O, N, B)
    idyn = kane(me.Particle("bead", P, m), (m, P), (N, P), [q], [u], *rates([q], [u]))
    form = (
        "m*(-g*sin(theta)+r*(Omega**2*sin(theta)*cos(theta)-omega_)),-2*m*r*Omega*omega*cos(theta),"
        "m*(g*cos(theta)+r*(omega**2+Omega**2*sin(theta)**2))"
    )
    return Book(idyn, form, 29, B, has_torques=False)


def leaning(origin):
    """Return angles, speeds, ground, its origin, and a frame turned by heading and lean."""
    q, u = me.dynamicsymbols("psi theta phi"), me.dynamicsymbols("u1:4")
    N, O = at_rest(origin)
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    return q, u, N, O, Y.orientnew("L", "Axis", [q[1], Y.x])


def heavy_top():
    q, u, N, O, L = leaning("O")
    B = L.orientnew("B", "Axis", [q[2], L.z])
    velocities = dict(zip([x.diff(T) for x in q], u, strict=True))
    B.set_ang_vel(N, B.ang_vel_in(N).xreplace(velocities))
    P = O.locatenew("P", h * L.z)
    P.v2pt_theory(O, N, B)
    body = me.RigidBody("top", P, B, m, (me.inertia(B, A, A, C), P))
    inertia_there, spin = "(A+h**2*m)", "C*(u3+u1*cos(theta))"
    gain = "C*(u3_+u1_*cos(theta)-u1*u2*sin(theta))"
    form = (
        f"{inertia_there}*(u1_*sin(theta)+2*u1*u2*cos(theta))*sin(theta)+{gain}*cos(theta)"
        f"-{spin}*u2*sin(theta), {inertia_there}*(u2_-u1**2*sin(theta)*cos(theta))"
        f"+{spin}*u1*sin(theta)-m*g*h*sin(theta), {gain}"
    )
    idyn = kane(body, (m, P), (N, O), q, u, *rates(q, u))
    return Book(idyn, form, 51, ignorable=("psi", "phi"))


def euler_disc():
    q, u, N, O, L = leaning("C")
    D = L.orientnew("D", "Axis", [q[2], L.y])
    turning = D.ang_vel_in(N)
    D.set_ang_vel(N, sum((x * y for x, y in zip(u, L, strict=True)), me.Vector(0)))
    P = O.locatenew("P", r * L.z)
    P.v2pt_theory(O, N, D)
    moments = m * r**2 / 4, m * r**2 / 2, m * r**2 / 4
    body = me.RigidBody("disc", P, D, m, (me.inertia(L, *moments), P))
    form = (
        "m*r**2*(5*u1_-6*u2*u3+u3**2*tan(theta))/4-m*g*r*sin(theta), m*r**2*(3*u2_/2+u1*u3),"
        "m*r**2*(u3_+2*u1*u2-u1*u3*tan(theta))/4"
    )
    equations = [(D.ang_vel_in(N) - turning).dot(way) for way in L]
    return Book(kane(body, (m, P), (N, O), q, u, *equations), form, 31, ignorable=("psi", "phi"))


def free_body():
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    (N, O), B = at_rest("O"), me.ReferenceFrame("B")
    B.orient_body_fixed(N, q, "ZXZ")
    turning = B.ang_vel_in(N)
    B.set_ang_vel(N, sum((x * y for x, y in zip(u, B, strict=True)), me.Vector(0)))
    body = me.RigidBody("body", O, B, m, (me.inertia(B, *sm.symbols("I1:4", positive=True)), O))
    form = "I1*u1_-(I2-I3)*u2*u3, I2*u2_-(I3-I1)*u3*u1, I3*u3_-(I1-I2)*u1*u2"
    equations = [(B.ang_vel_in(N) - turning).dot(way) for way in B]
    idyn = kane(body, None, (N, O), q, u, *equations)
    return Book(idyn, form, 15, ignorable=("q1", "q2", "q3"))


def polar_arm():
    ground, link, load = (rigid_body("ground"), rigid_body("link"), me.Particle("load", mass=m))
    q, s, u, v = me.dynamicsymbols("q s u v")
    hinge = me.PinJoint("hinge", ground, link, q, u, joint_axis=ground.z)
    joints = [hinge, me.PrismaticJoint("slide", link, load, s, v, joint_axis=link.x)]
    return Book(tree(*joints), "m*s*(s*u_+2*u*v+g*cos(q)), m*(v_-s*u**2+g*sin(q))", 16)


def spherical_pendulum():
    q, u = me.dynamicsymbols("phi theta"), me.dynamicsymbols("u1:3")
    N, O = at_rest("O")
    R = N.orientnew("R", "Axis", [q[0], N.z])
    B = R.orientnew("B", "Axis", [q[1], R.y])
    R.set_ang_vel(N, u[0] * N.z)
    B.set_ang_vel(R, u[1] * R.y)
    P = O.locatenew("P", -l * B.z)
    P.v2pt_theory(O, N, B)
    idyn = kane(me.Particle("bob", P, m), (m, P), (N, P), q, u, *rates(q, u))
    form = (
        "m*l**2*(u1_*sin(theta)+2*u1*u2*cos(theta))*sin(theta),"
        "m*l**2*(u2_-u1**2*sin(theta)*cos(theta))+m*g*l*sin(theta)"
    )
    return Book(idyn, form, 23, ignorable=("phi",))


def furuta():
    ground, arm = rigid_body("ground"), rigid_body("arm", 0, 0, A, 0)
    bob, B = me.Particle("bob", mass=m), me.ReferenceFrame("B")
    (q1, q2), (u1, u2) = me.dynamicsymbols("q1:3"), me.dynamicsymbols("u1:3")
    places = {"parent_point": r * arm.x, "child_interframe": B, "child_point": l * B.y}
    motor = me.PinJoint("motor", ground, arm, q1, u1, joint_axis=ground.y)
    joints = [motor, me.PinJoint("hinge", arm, bob, q2, u2, joint_axis=arm.x, **places)]
    form = (
        "(A+m*r**2+m*l**2*sin(q2)**2)*u1_+m*r*l*(u2_*cos(q2)-u2**2*sin(q2))"
        "+2*m*l**2*sin(q2)*cos(q2)*u1*u2,"
        "m*l*(l*u2_+r*u1_*cos(q2)-l*u1**2*sin(q2)*cos(q2)+g*sin(q2))"
    )
    return Book(tree(*joints), form, 39, ignorable=("q1",))


SYSTEMS = (pendulum, double_pendulum, cart_pole, hoop, heavy_top, euler_disc, free_body, polar_arm)
SYSTEMS += (spherical_pendulum, furuta)
