"""A disc that rolls on a table
============================

The force at its contact point, and the friction that it needs.

A disc (a coin, a loose wheel) rolls in a curve, leans, sinks and rises again.  This script

1. builds it as a sympy ``System``: six degrees of freedom of a ``FreeJoint``, of which a
   ``Contact`` at the lowest point constrains three,
2. simulates it with the equations of motion that sympy forms,
3. computes the force of the table during that motion: nothing else supports the disc,
4. compares with Newton's law for the mass centre, and prints the necessary friction.

Ground frame: z up.  Disc frame: y along the axle.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from sympy import lambdify, symbols
from sympy.physics.mechanics import RigidBody, System, inertia

import jointwrench as jw

DURATION = 3.0  # s
N_INSTANTS = 301

MASS, RADIUS, GRAVITY = symbols("m r g", positive=True)
CONSTANTS = {MASS: 1.2, RADIUS: 0.3, GRAVITY: 9.81}

# yaw, lean and turn, and their rates: a slow disc that leans into its curve
ANGLES, RATES = [0.0, 0.25, 0.0], [0.6, 0.0, 5.0]


class Disc:
    """The disc, its contact with the table, and their System."""

    def __init__(self):
        self.table, self.body = RigidBody("table"), RigidBody("disc", mass=MASS)
        moment = MASS * RADIUS**2 / 4
        self.body.central_inertia = inertia(self.body.frame, moment, 2 * moment, moment)
        self.free = jw.FreeJoint("free", self.table, self.body, rot_order="312")
        up, axle = self.table.z, self.body.y
        downwards = -(up - up.dot(axle) * axle).normalize()
        lowest = self.body.masscenter.locatenew("lowest", RADIUS * downwards)
        self.contact = jw.Contact("contact", self.table, self.body, lowest)

        system = self.system = System.from_newtonian(self.table)
        system.add_joints(self.free)
        system.apply_uniform_gravity(-GRAVITY * up)
        system.add_nonholonomic_constraints(*self.contact.velocity_constraints)
        speeds = list(self.free.speeds)  # three of the position, three of the angles
        system.u_ind, system.u_dep = speeds[3:], speeds[:3]


def roll(disc, idyn, times):
    """Return q, u and udot at some times, by the equations of motion that sympy forms."""
    system = disc.system
    system.form_eoms(constraint_solver="CRAMER")
    equations = lambdify(
        [[*system.q], [*system.u]],
        [part.xreplace(CONSTANTS) for part in (system.mass_matrix, system.forcing)],
        cse=True,
    )

    def accelerations(q, u):
        return np.linalg.solve(*equations(q, u)).ravel()

    def derivative(_, state):
        q, u = np.split(state, 2)
        return np.concatenate([u[3:], u[:3], accelerations(q, u)])

    q = [0.0, 0.0, CONSTANTS[RADIUS] * np.cos(ANGLES[1]), *ANGLES]
    _, u, _ = idyn.close_motion(q, [*RATES, 0.0, 0.0, 0.0], np.zeros(6), constants=CONSTANTS)
    start = np.concatenate([q, np.ravel(u)])
    run = solve_ivp(derivative, times[[0, -1]], start, "DOP853", times, rtol=1e-10, atol=1e-12)
    q, u = np.split(run.y.T, 2, axis=-1)
    return q, u, np.array([accelerations(*state) for state in zip(q, u, strict=True)])


def main(picture=None):
    """Print the contact forces and the friction they need; save a picture if a file is named."""
    disc = Disc()
    idyn = jw.InverseDynamics(disc.system, loops=[disc.contact])
    times = np.linspace(0, DURATION, N_INSTANTS)
    q, u, udot = motion = roll(disc, idyn, times)
    evaluate = idyn.compile(("joint_wrenches", "generalized_forces", "unsupplied"))
    result = evaluate(*motion, constants=CONSTANTS)
    force = result.joint_wrench(disc.contact, frame=disc.table.frame)[:, :3]
    newton = CONSTANTS[MASS] * (udot[:, 3:] + [0, 0, CONSTANTS[GRAVITY]])
    friction = np.linalg.norm(force[:, :2], axis=-1) / force[:, 2]
    weight = CONSTANTS[MASS] * CONSTANTS[GRAVITY]
    height = np.abs(q[:, 2] - CONSTANTS[RADIUS] * np.cos(q[:, 4])).max()
    missing = np.abs(result.unsupplied).max()
    print(
        f"the disc leans by {np.rad2deg(q[:, 4].min()):.1f} to {np.rad2deg(q[:, 4].max()):.1f} deg"
    )
    print(
        f"weight {weight:.2f} N, normal force {force[:, 2].min():.2f} to {force[:, 2].max():.2f} N"
    )
    print(f"friction needed: a coefficient of {friction.max():.3f}")
    difference = np.abs(force - newton).max()
    print(f"difference from m (a + g): {difference:.1e} N, unsupplied: {missing:.1e}")
    if picture:
        draw(disc, jw.Trajectory(times, *motion), result, friction, picture)
    return {
        "q": q,
        "force": force,
        "newton": newton,
        "friction": friction,
        "height": height,
        "unsupplied": result.unsupplied,
        "generalized_forces": result.generalized_forces,
        "free": result.joint_wrench(disc.free),
        "energy": energy(q, u),
    }


def energy(q, u):
    """Return kinetic and potential energy; ``u`` holds yaw, lean and turn rates first."""
    m, r, g = (CONSTANTS[symbol] for symbol in (MASS, RADIUS, GRAVITY))
    yaw, lean, turn = u[:, :3].T
    moment, height = m * r**2 / 4, q[:, 2]
    angle = q[:, 4]
    rotating = lean**2 + (yaw * np.cos(angle)) ** 2 + 2 * (turn + yaw * np.sin(angle)) ** 2
    return m / 2 * (u[:, 3:] ** 2).sum(axis=1) + moment / 2 * rotating + m * g * height


def draw(disc, motion, result, friction, picture):
    """Save the path of the centre, the contact forces over time, and a view of the disc."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    force = result.joint_wrench(disc.contact, frame=disc.table.frame)[:, :3]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5))
    left.plot(motion.q[:, 0], motion.q[:, 1])
    left.set(xlabel="x / m", ylabel="y / m", aspect="equal")
    left.set_title("centre of the disc, from above")
    right.plot(motion.times, force[:, 2], label="normal")
    right.plot(motion.times, friction * force[:, 2], label="along the table")
    right.set(xlabel="time / s", ylabel="contact force on the disc, by the table / N")
    figure.legend(loc="outside upper right", ncols=2)
    for ax in (left, right):
        ax.grid()
    figure.savefig(picture)
    options = {"joints": ["contact"], "up": "z", "title": "A rolling disc"}
    view = jw.pictures.interactive_view(disc.system, motion, result, constants=CONSTANTS, **options)
    view.save(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main("rolling_disc.png")
