"""Forces that authors of public models find with auxiliary speeds, and our joint wrenches."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from classical import N, fixed_point
from numpy.testing import assert_allclose
from sympy import diff, linsolve, sin, sqrt, symbols

from jointwrench import ForwardDynamics

pytestmark = pytest.mark.filterwarnings("ignore:the auxiliary speeds")

m, g, r = symbols("m g r")
FORCES = me.dynamicsymbols("f_x f_y f_z")
NUMBERS = {m: 2.0, g: 9.81}


def compared(kane, q, u, directions, constants, specifieds=None, rates=()):
    """Return the forces of the auxiliary equations, and ours on the first body, at a state."""
    fdyn = ForwardDynamics.from_kane(kane, rates=rates or None)
    specifieds, forces = specifieds or {}, FORCES[: len(directions)]
    loads = dict.fromkeys(forces if rates else (), 0.0)
    state = np.concatenate([q, u])[None]
    result = fdyn.reactions([0.0], state, constants, specifieds | loads)
    equations = kane.auxiliary_eqs.xreplace(dict(rates))
    accelerations = dict(zip([x.diff() for x in kane.u], result.udot[0], strict=True))
    equations = equations.xreplace(kane.kindiffdict() | accelerations).doit()
    known = dict(zip([*kane.q, *kane.u], [*q, *u], strict=True)) | constants | specifieds
    (solution,) = linsolve([*equations.xreplace(known)], forces)
    joint = fdyn.loops[0] if fdyn.loops else fdyn.connections[0]
    ours = result.joint_wrench(joint, frame=N)[0, :3]
    axes = [np.array(x.to_matrix(N).xreplace(known), float).ravel() for x in directions]
    return np.array(solution, float), np.array([np.nansum(ours * x) for x in axes])


def test_a_disc_that_rolls_on_a_plane():
    """Kane and Levinson 1985, in sympy's documentation: auxiliary speeds of the contact point."""
    (q1, q2, q3), (u1, u2, u3) = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    auxiliary = me.dynamicsymbols("aux1:4")
    yaw = N.orientnew("Y", "Axis", [q1, N.z])
    lean = yaw.orientnew("L", "Axis", [q2, yaw.x])
    disc = lean.orientnew("R", "Axis", [q3, lean.y])
    rate = disc.ang_vel_in(N)
    disc.set_ang_vel(N, u1 * lean.x + u2 * lean.y + u3 * lean.z)
    axes = lean.x, yaw.z.cross(lean.x), yaw.z
    contact = me.Point("C")
    contact.set_vel(N, sum((u * x for u, x in zip(auxiliary, axes, strict=True)), 0 * N.x))
    center = contact.locatenew("O", r * lean.z)
    center.v2pt_theory(contact, N, disc)
    central = me.inertia(lean, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    body = me.RigidBody("disc", center, disc, m, (central, center))
    equations = [(disc.ang_vel_in(N) - rate).dot(x) for x in lean]
    kane = me.KanesMethod(N, [q1, q2, q3], [u1, u2, u3], equations, u_auxiliary=[*auxiliary])
    force = sum((f * x for f, x in zip(FORCES, axes, strict=True)), 0 * N.x)
    kane.kanes_equations([body], [(center, -m * g * yaw.z), (contact, force)])
    theirs, ours = compared(kane, [0.3, 0.4, -0.2], [0.5, -1.1, 0.8], axes, NUMBERS | {r: 0.7})
    assert_allclose(ours, theirs, rtol=1e-9)
    assert abs(theirs).min() > 0.1


def test_a_disc_with_a_particle_on_a_hilly_road():
    """As in the gallery of PyDy's users: the contact's coordinate has a rate, but is no state."""
    x, q, u, *auxiliary = me.dynamicsymbols("x q u aux_x aux_y")
    hill, k = symbols("hill k")
    road = hill * sin(k * x)
    slope = diff(road, x)
    origin, frame = fixed_point(), me.ReferenceFrame("disc")
    frame.orient_axis(N, q, N.z)
    frame.set_ang_vel(N, u * N.z)
    rates = {x.diff(): -r * u / sqrt(1 + slope**2)}
    contact = origin.locatenew("contact", x * N.x + road * N.y)
    center = contact.locatenew("center", r * (N.y - slope * N.x) / sqrt(1 + slope**2))
    particle = center.locatenew("particle", r / 2 * frame.x)
    extra = auxiliary[0] * N.x + auxiliary[1] * N.y
    known = rates | {q.diff(): u}
    for point in (center, particle):
        point.set_vel(N, point.pos_from(origin).dt(N).xreplace(known) + extra)
    inertia = me.inertia(frame, 0, 0, m * r**2 / 2), center
    bodies = [me.RigidBody("body", center, frame, m, inertia), me.Particle("load", particle, m / 3)]
    kane = me.KanesMethod(N, [q], [u], [u - q.diff()], u_auxiliary=auxiliary)
    loads = [(b.masscenter, -b.mass * g * N.y) for b in bodies]
    kane.kanes_equations(bodies, [*loads, (center, FORCES[0] * N.x + FORCES[1] * N.y)])
    numbers = NUMBERS | {r: 0.7, hill: 0.2, k: 1.3}
    theirs, ours = compared(kane, [0.4], [0.9], (N.x, N.y), numbers, {x: 0.6}, rates)
    assert_allclose(ours, theirs, rtol=1e-9)


def test_a_four_bar_linkage():
    """In sympy's documentation; the auxiliary speeds move the support, the force acts on it."""
    (q1, q2, q3), (u1, u2, u3) = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    auxiliary = me.dynamicsymbols("aux_x aux_y")
    end, bodies, lengths, turned, rate = fixed_point(), [], (1, 2, 1.5), 0, 0
    for k, length in enumerate(lengths):
        turned, rate = turned + (q1, q2, q3)[k], rate + (u1, u2, u3)[k]
        frame = N.orientnew(f"L{k}", "Axis", [turned, N.z])
        frame.set_ang_vel(N, rate * N.z)
        center = end.locatenew(f"C{k}", length / 2 * frame.x)
        tip = end.locatenew(f"P{k}", length * frame.x)
        for point in (center, tip):
            point.v2pt_theory(end, N, frame)
        central = me.inertia(frame, 0, 0, m * length**3 / 12), center
        bodies.append(me.RigidBody(f"link{k}", center, frame, m * length, central))
        end = tip
    closed = end.pos_from(bodies[0].masscenter) + 0.5 * bodies[0].frame.x - 2 * N.x
    moved = end.vel(N) + auxiliary[0] * N.x + auxiliary[1] * N.y
    revealed = me.Point("revealed")
    revealed.set_vel(N, auxiliary[0] * N.x + auxiliary[1] * N.y)
    kane = me.KanesMethod(
        *(N, [q1], [u1], [x.diff() - y for x, y in ((q1, u1), (q2, u2), (q3, u3))]),
        q_dependent=[q2, q3],
        u_dependent=[u2, u3],
        u_auxiliary=[*auxiliary],
        configuration_constraints=[closed.dot(N.x), closed.dot(N.y)],
        velocity_constraints=[moved.dot(N.x), moved.dot(N.y)],
    )
    force = revealed, FORCES[0] * N.x + FORCES[1] * N.y
    kane.kanes_equations(bodies, [force, *((b.masscenter, -b.mass * g * N.y) for b in bodies)])
    q, u = np.array([1.9, 0.0, 0.0]), np.array([0.8, 0.0, 0.0])
    q[1:] = [-1.4, -1.5]
    for _ in range(30):
        angles = np.cumsum(q)
        gap = np.array([np.dot(lengths, np.cos(angles)) - 2, np.dot(lengths, np.sin(angles))])
        columns = np.array([-np.sin(angles), np.cos(angles)]) * lengths
        columns = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
        q[1:] -= np.linalg.solve(columns[:, 1:], gap)
    u[1:] = -np.linalg.solve(columns[:, 1:], columns[:, 0] * u[0])
    theirs, ours = compared(kane, q, u, (N.x, N.y), NUMBERS)
    assert_allclose(-ours, theirs, rtol=1e-8)
