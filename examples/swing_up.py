"""Swing up a pendulum with a weak motor
=====================================

A motor that is too weak to lift a pendulum swings it up with the least effort.

The motor supplies up to 2 N m, but holding the pendulum level would take 9.81 N m: it has to swing
it to and fro.  opty finds the motion by direct collocation; jointwrench supplies the compiled
equations of motion and their Jacobian, and afterwards computes the force in the bearing.

The problem is the swing-up of fixed duration in opty's gallery of examples
(https://opty.readthedocs.io); the numbers are from there.  Needs
``pip install ".[opty,plot]"`` in a clone.
"""

from pathlib import Path

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
    (angle,), (speed,) = fdyn.coordinates, fdyn.speeds
    step = DURATION / (N_NODES - 1)
    weights = np.full(N_NODES, step)
    weights[[0, -1]] = step / 2
    torques = slice(2 * N_NODES, 3 * N_NODES)  # after the two states

    def effort(free):
        return weights @ free[torques] ** 2

    def slope(free):
        result = np.zeros_like(free)
        result[torques] = 2 * weights * free[torques]
        return result

    problem = jw.optimal_control.forward_problem(
        fdyn,
        effort,
        slope,
        N_NODES,
        step,
        known_parameter_map={GRAVITY: 9.81},
        instance_constraints=(
            *(angle.func(0), speed.func(0)),
            *(angle.func(DURATION) - np.pi, speed.func(DURATION)),
        ),
        bounds={TORQUE: (-MOST_TORQUE, MOST_TORQUE)},
        integration_method="midpoint",
    )
    problem.add_option("print_level", 0)
    problem.add_option("sb", "yes")  # no banner
    guess = np.random.default_rng(0).normal(size=problem.num_free)  # prefers no direction
    free, info = problem.solve(guess)
    if info["status"] != 0:
        raise RuntimeError(info["status_msg"].decode())
    times = np.linspace(0, DURATION, N_NODES)
    return times, *(problem.extract_values(free, x) for x in (angle, speed, TORQUE))


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
    figure, axes = pyplot.subplot_mosaic("ab;ac;ad", figsize=(10, 6))
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
        "magnitude of the force on the rod,\nby its bearing / N",
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
