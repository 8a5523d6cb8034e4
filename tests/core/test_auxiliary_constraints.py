"""Auxiliary speeds in chains that are closed: do they reveal one support's force, or a sum?"""

import warnings

import numpy as np
import pytest
from classical import N, fixed_point, turned
from numpy.testing import assert_allclose
from sympy import Matrix, linsolve, symbols
from sympy.physics.mechanics import KanesMethod, Point, RigidBody, dynamicsymbols, inertia

from jointwrench import ForwardDynamics

m, g = symbols("m g")
AUXILIARY, FORCES = dynamicsymbols("aux_x aux_y"), dynamicsymbols("f_x f_y")
WARNS = "reveal are sums of the forces of several supports"


def links(name, start, count):
    """Return rods of length 1, (points, bodies, coordinates, speeds); each turns in N."""
    points, bodies = [start], []
    q, u = dynamicsymbols(f"q{name}:{count}"), dynamicsymbols(f"u{name}:{count}")
    for k in range(count):
        frame = turned(f"{name}{k}", N, N.z, q[k], u[k])
        center = points[-1].locatenew(f"C{name}{k}", frame.x / 2)
        end = points[-1].locatenew(f"P{name}{k}", frame.x)
        for point in (center, end):
            point.v2pt_theory(points[-1], N, frame)
        central = (inertia(frame, 0, 0, m / 12), center)
        bodies.append(RigidBody(f"{name}{k}", center, frame, m, central))
        points.append(end)
    return points, bodies, list(q), list(u)


def opened():
    """Return a point whose auxiliary speeds reveal the force at it."""
    start = Point("start")
    start.set_vel(N, AUXILIARY[0] * N.x + AUXILIARY[1] * N.y)
    return start


def kane_of(bodies, q, u, velocities, location, is_solved):
    """Return the KanesMethod of bodies with a zero velocity: its constraints, maybe solved."""
    rows = Matrix([velocities.dot(N.x), velocities.dot(N.y)])
    if is_solved:  # for the last two speeds, as authors do
        last = Matrix(u[-2:])
        rows = last + rows.jacobian(last).LUsolve(rows.subs(dict.fromkeys(last, 0)))
    loads = [(x.masscenter, -m * g * N.y) for x in bodies]
    loads += [(location, FORCES[0] * N.x + FORCES[1] * N.y)]
    kdes = [x.diff() - y for x, y in zip(q, u, strict=True)]
    held = {"u_dependent": u[-2:], "velocity_constraints": list(rows)}
    kane = KanesMethod(N, q, u[:-2], kdes, u_auxiliary=list(AUXILIARY), **held)
    kane.kanes_equations(bodies, loads)
    return kane


def closed_chain(is_sound, is_solved=False):
    """Three rods between two supports; auxiliary speeds at the first one also move the last end."""
    start = opened()
    points, bodies, q, u = links("A", start, 3)
    velocity = points[-1].vel(N)
    if not is_sound:  # as from a position's derivative
        velocity = velocity.subs(dict.fromkeys(AUXILIARY, 0))
    return kane_of(bodies, q, u, velocity, start, is_solved)


def two_chains(is_sound, is_solved=False):
    """Two rods on each support, joined at their ends; auxiliary speeds move one end."""
    start, origin = opened(), fixed_point()
    (*_, one), bodies, q, u = links("A", start, 2)
    (*_, other), more, p, w = links("B", origin, 2)
    origin.set_pos(start, symbols("a") * N.x)
    velocity = one.vel(N) - other.vel(N)
    if not is_sound:
        velocity = velocity.subs(dict.fromkeys(AUXILIARY, 0))
    return kane_of([*bodies, *more], [*q, *p], [*u, *w], velocity, start, is_solved)


def warnings_of(kane):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fdyn = ForwardDynamics.from_kane(kane)
    return fdyn, [str(x.message) for x in caught if WARNS in str(x.message)]


@pytest.mark.parametrize(
    ("model", "is_solved", "velocity"),
    [(closed_chain, True, "PA2.vel(N)"), (two_chains, False, "PA1.vel(N) - PB1.vel(N)")],
)
def test_warns_of_constraints_without_auxiliary_speeds(model, is_solved, velocity):
    _, (message,) = warnings_of(model(False, is_solved))
    assert "the auxiliary speeds aux_x(t), aux_y(t) change" in message
    assert velocity in message
    assert not warnings_of(model(True, is_solved))[1]


@pytest.mark.parametrize("is_sound", [True, False])
def test_what_auxiliary_speeds_reveal(is_sound):
    """The force of one support or, if constraints do not contain them, the sum of both."""
    kane = closed_chain(is_sound)
    fdyn, _ = warnings_of(kane)
    q, u = np.array([0.4, 1.2, -0.5]), np.array([0.7, 0.0, 0.0])
    velocity = np.array([-np.sin(q), np.cos(q)])
    u[1:] = -np.linalg.solve(velocity[:, 1:], velocity[:, 0] * u[0])
    run = fdyn.reactions([0.0], np.concatenate([q, u])[None], {m: 2.0, g: 9.81})
    pin, loop = (run.joint_wrench(x, frame=N)[0, :2] for x in (fdyn.connections[0], fdyn.loops[0]))
    equations = kane.auxiliary_eqs.subs({m: 2.0, g: 9.81})
    rates = [x.diff() for x in fdyn.u]
    for names, values in ((rates, run.udot[0]), (fdyn.u, u), (fdyn.q, q)):
        equations = equations.xreplace(dict(zip(names, values, strict=True)))
    (solution,) = linsolve([*equations], FORCES)
    assert_allclose(np.array(solution, float), pin if is_sound else pin + loop, rtol=1e-9)
    assert np.linalg.norm(pin) > 1
    assert np.linalg.norm(loop) > 1


def test_speeds_that_could_replace_auxiliary_ones():
    """A disc that rolls on a line: its centre moves by speeds, and reveals the contact's force."""
    (x, q), (v, w) = dynamicsymbols("x q"), dynamicsymbols("v w")
    frame, center = turned("D", N, N.z, q, w), fixed_point().locatenew("C", x * N.x + N.y)
    center.set_vel(N, (v + AUXILIARY[0]) * N.x)
    disc = RigidBody("disc", center, frame, m, (inertia(frame, 0, 0, m), center))
    kdes = [x.diff() - v, q.diff() - w]
    held = {"u_dependent": [w], "velocity_constraints": [v + w]}
    kane = KanesMethod(N, [x, q], [v], kdes, u_auxiliary=[AUXILIARY[0]], **held)
    kane.kanes_equations([disc], [(center, FORCES[0] * N.x)])
    assert not warnings_of(kane)[1]
