"""Swing up a pendulum with a weak motor
=====================================

A motor that is too weak to lift a pendulum swings it up with the least effort.

The motor supplies up to 2 N m, but holding the pendulum level would take 9.81 N m: it has to swing
it to and fro.  CasADi's Opti and its IPOPT find the motion by direct collocation; ``write_casadi``
gives them the compiled accelerations with exact first and second derivatives.  Afterwards
jointwrench computes the force in the bearing.

The problem is the swing-up of fixed duration in the gallery of examples of opty, another program
for optimal control (https://opty.readthedocs.io); the numbers are from there.  Needs
``pip install ".[casadi,plot]"`` in a clone, and a C compiler.
"""

import tempfile
from pathlib import Path

import casadi
import numpy as np
from scipy.integrate import trapezoid
from sympy import Symbol
from sympy.physics.mechanics import (
    PinJoint,
    RigidBody,
    System,
    TorqueActuator,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

MASS, LENGTH, GRAVITY = 1.0, 1.0, Symbol("g")
MOST_TORQUE = 2.0  # N m
DURATION = 10.0  # s
N_NODES = 501
TORQUE = dynamicsymbols("T")


def pendulum():
    """Return the System of a pendulum with a small bob that hangs down at the angle zero."""
    ground, bob = RigidBody("ground"), RigidBody("bob", mass=MASS)
    bob.central_inertia = inertia(bob.frame, 0, 0, 0)
    pin = PinJoint("pin", ground, bob, child_point=LENGTH * bob.y, joint_axis=ground.z)
    system = System.from_newtonian(ground)
    system.add_joints(pin)
    system.apply_uniform_gravity(-GRAVITY * ground.y)
    system.add_actuators(TorqueActuator(TORQUE, ground.z, bob, ground))
    return system


def swing_up(fdyn):
    """Return times, angles, speeds and torques of the swing-up with the least effort."""
    with tempfile.TemporaryDirectory() as folder:
        (path,) = fdyn.write_casadi(
            Path(folder, "pendulum.c"), "udot", constants={GRAVITY: 9.81}, second_derivatives=True
        )
        udot = casadi.external("pendulum", casadi.Importer(str(path), "shell"))
    problem, step = casadi.Opti(), DURATION / (N_NODES - 1)
    angle, speed, torque = unknowns = [problem.variable(1, N_NODES) for _ in range(3)]
    halfway = [(x[:, 1:] + x[:, :-1]) / 2 for x in unknowns]
    problem.subject_to(casadi.diff(angle, 1, 1) == step * halfway[1])
    problem.subject_to(casadi.diff(speed, 1, 1) == step * udot.map(N_NODES - 1)(*halfway))
    problem.subject_to(problem.bounded(-MOST_TORQUE, torque, MOST_TORQUE))
    problem.subject_to([angle[0] == 0, speed[0] == 0, angle[-1] == np.pi, speed[-1] == 0])
    problem.minimize(step * casadi.sumsqr(torque))
    random = np.random.default_rng(0)  # prefers no direction
    for unknown in unknowns:
        problem.set_initial(unknown, random.normal(size=unknown.shape))
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    solution = problem.solve()
    return np.linspace(0, DURATION, N_NODES), *map(solution.value, unknowns)


def main(picture=None):
    """Print effort, work and the force in the bearing; save a picture if a file is named."""
    fdyn = jw.ForwardDynamics(pendulum())
    times, angle, speed, torque = swing_up(fdyn)
    work = trapezoid(torque * speed, times)
    wrenches = fdyn.compile("joint_wrenches")(
        angle[:, None], speed[:, None], {GRAVITY: 9.81}, {TORQUE: torque}
    )
    force = np.linalg.norm(wrenches.joint_wrench("pin", components=["fx", "fy"]), axis=-1)
    swings = np.sum(np.diff(np.sign(speed[1:-1])) != 0)
    print(f"up after {swings} turning points, with at most {abs(torque).max():.2f} N m")
    print(f"work of the motor: {work:.2f} J, potential energy {2 * MASS * 9.81 * LENGTH:.2f} J")
    print(f"force in the bearing: up to {force.max():.1f} N, at rest {MASS * 9.81:.1f} N")
    if picture:
        draw(times, angle, torque, force, picture)
        motion = jw.Trajectory(
            times, angle[:, None], speed[:, None], np.gradient(speed, times)[:, None]
        )
        view = jw.pictures.interactive_view(pendulum(), motion, wrenches, title="Swing-up")
        view.save(Path(picture).with_suffix(".html"))
    return times, angle, speed, torque, force


def draw(times, angle, torque, force, picture):
    """Save the path of the bob, the torque, and the force in the bearing."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, axes = pyplot.subplot_mosaic("ab;ac;ad", figsize=(10, 7))
    path, rows = axes.pop("a"), [axes[name] for name in "bcd"]
    x, y = LENGTH * np.sin(angle), -LENGTH * np.cos(angle)
    colors = pyplot.get_cmap("viridis")(times / DURATION)
    for k in range(0, len(times), 10):
        path.plot([0, x[k]], [0, y[k]], color=colors[k], alpha=0.4, linewidth=1)
    points = path.scatter(x, y, c=times, s=8, cmap="viridis")
    path.plot(0, 0, "ko")
    path.set(aspect="equal", xlabel="x / m", ylabel="y / m")
    path.set_title("path of the bob")
    path.locator_params(nbins=5)
    figure.colorbar(points, ax=path, label="time / s", shrink=0.6)
    labels = [
        "angle / °",
        "torque on the rod,\nby the motor / (N m)",
        "magnitude of the force\non the rod, by its\nbearing / N",
    ]
    for ax, values, label in zip(rows, [np.rad2deg(angle), torque, force], labels, strict=True):
        ax.plot(times, values, color="C0")
        ax.set_ylabel(label)
        ax.grid()
    rows[0].axhline(180, color="gray", linewidth=0.8, linestyle="--")
    rows[-1].set_xlabel("time / s")
    figure.savefig(picture)


if __name__ == "__main__":
    main("swing_up.png")
