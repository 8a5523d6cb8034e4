"""Models made the classical way: frames, points, bodies and a KanesMethod, no joints."""

from dataclasses import dataclass
from random import Random

import numpy as np
import sympy.physics.mechanics as me
from numeric import evaluate_matrix, run
from sympy import Matrix, solve, symbols

N = me.ReferenceFrame("N")


@dataclass
class Model:
    """A KanesMethod with who is joined to whom."""

    kane: me.KanesMethod
    connections: list

    def values(self, seed=0, symbols=()):
        """Return numbers for the states and for more symbols."""
        random = Random(f"classical {seed}")
        time = me.dynamicsymbols._t
        leaves = [*self.kane.q, *self.kane.u, *self.kane.u.diff(time), *symbols]
        return {leaf: random.uniform(0.4, 1.4) for leaf in leaves}


def forces_by_kane(kane, values):
    """Return ``M udot - forcing`` of a KanesMethod in numbers."""
    if kane._fr is None:
        kane.kanes_equations(kane.bodies, kane.loads or None)
    time = me.dynamicsymbols._t
    rates = kane.kindiffdict()
    mass = evaluate_matrix(kane.mass_matrix.xreplace(rates), values)
    forcing = evaluate_matrix(kane.forcing.xreplace(rates), values)[:, 0]
    return mass @ [values[u.diff(time)] for u in kane.u] - forcing


def outputs(idyn, values, *names):
    """Return the outputs of an InverseDynamics in numbers."""
    return run(idyn.program(names or ("generalized_forces", "joint_wrenches")), values)


def on_centers(idyn, values):
    """Return the joint wrench of each child about its mass centre, in the inertial frame."""
    found = {}
    wrenches = outputs(idyn, values, "joint_wrenches")["joint_wrenches"]
    frames = idyn.model.tree.wrench_frames
    for joint, frame, wrench in zip(idyn.joints, frames, wrenches, strict=False):
        force, moment = wrench.reshape(2, 3) @ evaluate_matrix(idyn.frame.dcm(frame), values).T
        arm = joint.child_point.pos_from(joint.child.masscenter).to_matrix(idyn.frame)
        arm = evaluate_matrix(Matrix(arm), values)[:, 0]
        found[joint.child] = np.array([*force, *(moment + np.cross(arm, force))])
    return found


def fixed_point(name="O", frame=N):
    """Return a point that is at rest."""
    point = me.Point(name)
    point.set_vel(frame, 0)
    return point


def rod(name, frame, center, **options):
    """Return a rigid body with a full inertia tensor."""
    moments = symbols(" ".join(f"{name}_{k}" for k in ("xx", "yy", "zz", "xy", "yz", "zx")))
    mass = symbols(f"m_{name}")
    return me.RigidBody(name, center, frame, mass, (me.inertia(frame, *moments), center), **options)


def turned(name, frame, axis, angle, rate, seen_from=None):
    """Return a frame that turns about an axis, its angular velocity set in ``seen_from``."""
    new = frame.orientnew(name, "Axis", [angle, axis])
    new.set_ang_vel(seen_from or frame, rate * axis)
    return new


def double_pendulum(absolute, particles=False):
    """Return two bodies on parallel pins, with relative or absolute angular speeds."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    l1, l2, c1, c2, g = symbols("l1 l2 c1 c2 g")
    time = me.dynamicsymbols._t
    A = turned("A", N, N.z, q1, u1)
    B = turned("B", A, N.z, q2, u2, N if absolute else A)
    kdes = [q1.diff(time) - u1, q2.diff(time) - u2 + (u1 if absolute else 0)]
    O = fixed_point()
    P = O.locatenew("P", l1 * A.x)
    P.v2pt_theory(O, N, A)
    centers = [P, P.locatenew("Q", l2 * B.x)]
    if not particles:
        centers = [O.locatenew("Ca", c1 * A.x + c2 * A.y), P.locatenew("Cb", c2 * B.x - c1 * B.y)]
    if not particles:
        centers[0].v2pt_theory(O, N, A)
    centers[1].v2pt_theory(P, N, B)
    if particles:
        bodies = [me.Particle(n, c, symbols(f"m_{n}")) for n, c in zip("ab", centers, strict=True)]
    else:
        bodies = [rod(n, f, c) for n, f, c in zip("ab", (A, B), centers, strict=True)]
    torque = symbols("T")
    loads = [(b.masscenter, -b.mass * g * N.y) for b in bodies]
    loads += [(A, -torque * N.z), (B, torque * N.z)]
    if particles:
        loads = loads[:2]
    kane = me.KanesMethod(N, [q1, q2], [u1, u2], kdes, bodies=bodies, forcelist=loads)
    return Model(kane, [(N, bodies[0], O), (bodies[0], bodies[1], P)])


def cart_with_pendulum(n):
    """Return a cart on rails with n particles on strings."""
    qs, us = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}")
    time, g = me.dynamicsymbols._t, symbols("g")
    C = fixed_point().locatenew("C", qs[0] * N.x)
    C.set_vel(N, us[0] * N.x)
    bodies = [me.Particle("cart", C, symbols("m_cart"))]
    connections, point, frame = [(N, bodies[0], C)], C, N
    for k, (q, u) in enumerate(zip(qs[1:], us[1:], strict=True)):
        frame = turned(f"A{k}", frame, N.z, q, u)
        outer = point.locatenew(f"P{k}", symbols(f"l{k}") * frame.x)
        outer.v2pt_theory(point, N, frame)
        bodies.append(me.Particle(f"bob{k}", outer, symbols(f"m{k}")))
        connections.append((bodies[-2], bodies[-1], point))
        point = outer
    kdes = [q.diff(time) - u for q, u in zip(qs, us, strict=True)]
    loads = [(b.masscenter, -b.mass * g * N.y) for b in bodies] + [(C, symbols("F") * N.x)]
    return Model(me.KanesMethod(N, qs, us, kdes, bodies=bodies, forcelist=loads), connections)


def slider_on_arm():
    """Return an arm that turns about the vertical, and a body that slides on it and turns."""
    q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1:4 u1:4")
    c, k, d = symbols("c k d")
    time = me.dynamicsymbols._t
    A = turned("A", N, N.z, q1, u1)
    B = turned("B", A, A.x, q3, u3)
    O = fixed_point()
    Ca = O.locatenew("Ca", c * A.x)
    Ca.v2pt_theory(O, N, A)
    Cb = O.locatenew("Cb", q2 * A.x)
    Cb.set_vel(A, u2 * A.x)
    Cb.v1pt_theory(O, N, A)
    bodies = [rod("a", A, Ca), rod("b", B, Cb)]
    spring = (-k * q2 - d * u2) * A.x
    loads = [(Cb, spring), (O, -spring), (B, -d * u3 * A.x), (A, d * u3 * A.x)]
    kdes = [q.diff(time) - u for q, u in ((q1, u1), (q2, u2), (q3, u3))]
    kane = me.KanesMethod(N, [q1, q2, q3], [u1, u2, u3], kdes, bodies=bodies, forcelist=loads)
    return Model(kane, [(N, bodies[0], O), (bodies[0], bodies[1], Cb)])


def spinning_top():
    """Return a top on its tip; the speeds are components of its angular velocity."""
    qs, us = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    h, e, g = symbols("h e g")
    B = me.ReferenceFrame("B")
    B.orient_body_fixed(N, qs, "zxz")
    stated = B.ang_vel_in(N)
    kdes = [stated.dot(axis) - u for axis, u in zip((B.x, B.y, B.z), us, strict=True)]
    B.set_ang_vel(N, sum((u * axis for u, axis in zip(us, B, strict=True)), 0 * B.x))
    O = fixed_point()
    C = O.locatenew("C", h * B.z + e * B.x)
    C.v2pt_theory(O, N, B)
    top = rod("top", B, C)
    kane = me.KanesMethod(N, qs, us, kdes, bodies=[top], forcelist=[(C, -top.mass * g * N.z)])
    return Model(kane, [(N, top, O)])


def disc_frames(frame):
    """Return heading, leaning and turning frames of a disc, with speeds of the leaning one."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    heading = frame.orientnew("Y", "Axis", [q[0], frame.z])
    leaning = heading.orientnew("L", "Axis", [q[1], heading.x])
    turning = leaning.orientnew("R", "Axis", [q[2], leaning.y])
    spin = turning.ang_vel_in(frame)
    kdes = [spin.dot(axis) - speed for axis, speed in zip(leaning, u, strict=True)]
    rates = solve(kdes, [x.diff() for x in q])
    turning.set_ang_vel(frame, sum((s * e for s, e in zip(u, leaning, strict=True)), 0 * frame.x))
    leaning.set_ang_vel(frame, leaning.ang_vel_in(frame).subs(rates))
    return q, u, kdes, heading, leaning, turning


def thin_disc(center, frame, leaning, m, r):
    """Return a thin disc about the y axis of a frame in which its inertia is given."""
    moments = me.inertia(leaning, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    return me.RigidBody("disc", center, frame, m, (moments, center))


def rolling_disc():
    """Return a disc that rolls, its three speeds chosen so that no constraint is left."""
    r, m, g = symbols("r m g")
    qs, us, kdes, _, L, R = disc_frames(N)
    contact = fixed_point("contact")
    center = contact.locatenew("center", r * L.z)
    center.v2pt_theory(contact, N, R)
    disc = thin_disc(center, R, L, m, r)
    kane = me.KanesMethod(N, qs, us, kdes, bodies=[disc], forcelist=[(center, -m * g * N.z)])
    return Model(kane, [(N, disc, contact)])


def branches():
    """Return a turntable with a rod and a particle on it, another particle beside it."""
    qs, us = me.dynamicsymbols("q1:6"), me.dynamicsymbols("u1:6")
    r, c, d, g, k = symbols("r c d g k")
    time = me.dynamicsymbols._t
    A = turned("A", N, N.z, qs[0], us[0])
    B = turned("B", A, A.x, qs[1], us[1])
    O = fixed_point()
    P = O.locatenew("P", r * A.x)
    P.v2pt_theory(O, N, A)
    Cb = P.locatenew("Cb", c * B.y + d * B.z)
    Cb.v2pt_theory(P, N, B)
    S = O.locatenew("S", -r * A.x + qs[2] * A.y)
    S.set_vel(A, us[2] * A.y)
    S.v1pt_theory(O, N, A)
    free = O.locatenew("free", qs[3] * N.x + qs[4] * N.z)
    free.set_vel(N, us[3] * N.x + us[4] * N.z)
    table = rod("table", A, O)
    bar = rod("bar", B, Cb)
    slider = me.Particle("slider", S, symbols("m_s"))
    puck = me.Particle("puck", free, symbols("m_p"))
    bodies = [puck, bar, slider, table]  # not from ground outwards
    loads = [(b.masscenter, -b.mass * g * N.z) for b in bodies]
    spring = k * free.pos_from(S)
    loads += [(S, spring), (free, -spring)]
    kdes = [q.diff(time) - u for q, u in zip(qs, us, strict=True)]
    kane = me.KanesMethod(N, qs, us, kdes, bodies=bodies, forcelist=loads)
    return Model(kane, [(table, bar, P), (N, puck, free), (table, slider, S), (N, table, O)])


MODELS = {
    "pendulum with relative speeds": lambda: double_pendulum(False),
    "pendulum with absolute speeds": lambda: double_pendulum(True),
    "particles with absolute speeds": lambda: double_pendulum(True, particles=True),
    "cart": lambda: cart_with_pendulum(3),
    "slider": slider_on_arm,
    "top": spinning_top,
    "disc": rolling_disc,
    "branches": branches,
}


def close(actual, expected, tolerance=1e-10):
    """Whether two arrays agree relative to the larger one."""
    scale = max(1.0, np.abs(expected).max(initial=0))
    return np.abs(np.asarray(actual) - expected).max(initial=0) <= tolerance * scale
