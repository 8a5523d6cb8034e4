"""Franka Panda from its URDF
==========================

Torques, the wrench in every joint, and C code for the torques.

The arm swings from one pose to another in two seconds. Its flange is a fixed joint: the wrench
there equals the reading of a force sensor between arm and hand.
"""

import tempfile
from pathlib import Path

import numpy as np

import jointwrench as jw

START = [0, -0.8, 0, -2.4, 0, 1.6, 0.8]
END = [1.2, 0.5, -0.4, -1.2, 0.6, 2.4, -0.5]
DURATION = 2.0  # s


def main(picture=None):
    """Print torques and wrenches and write C code; save a picture if a file is named."""
    robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
    idyn = robot.inverse_dynamics()
    motion = swing(np.array(START), np.array(END))
    result = idyn.compile()(motion.q, motion.u, motion.udot)

    print(robot)
    for name, torque in zip(robot.speeds, result.generalized_forces.T, strict=True):
        force = np.linalg.norm(result.joint_wrench(name, components=["fx", "fy", "fz"]), axis=-1)
        share = abs(torque).max() / robot.limits[name].force
        print(f"{name}: up to {abs(torque).max():5.2f} N m, {share:5.1%} of its limit;", end=" ")
        print(f"its bearing carries up to {force.max():5.1f} N")
    sensor = result.joint_wrench("panda_flange")
    print(f"the flange holds the hand with up to {abs(sensor[:, :3]).max():.1f} N")

    with tempfile.TemporaryDirectory() as folder:
        idyn.write_c(Path(folder) / "panda.c", ("generalized_forces",))
        lines = (Path(folder) / "panda.c").read_text().count("\n")
    print(f"C code for the torques: {lines} lines, {idyn.count_ops(['generalized_forces'])}")
    if picture:
        draw(robot, motion, result, picture)
    return robot, motion, result


def swing(start, end, samples=201):
    """Return the minimum-jerk motion from rest to rest."""
    times = np.linspace(0, DURATION, samples)
    s = (times / DURATION)[:, None]
    path = np.array([6, -15, 10, 0, 0, 0])
    values = [np.polyval(np.polyder(path, k), s) / DURATION**k * (end - start) for k in range(3)]
    return jw.Trajectory(times, start + values[0], *values[1:])


def draw(robot, motion, result, picture):
    """Save the arm in three poses with the axes of its joints, the torques, and a view of it."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure = pyplot.figure(figsize=(13, 5))
    left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
    options = {"joints": ["panda_joint2"], "times": [0, 0.9, DURATION]}
    jw.pictures.plot_stick_figure(robot, motion, result, view="3d", ax=left, **options)
    left.view_init(elev=20, azim=-20)
    right.plot(motion.times, result.generalized_forces, label=list(robot.speeds))
    right.set(xlabel="time / s", ylabel="motor torque, on the outer link, by the inner / (N m)")
    figure.legend(loc="outside right upper")
    right.grid()
    figure.savefig(picture)
    view = jw.pictures.interactive_view(robot, motion, result, up="z", speed=0.5, title="Panda")
    view.save(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main("panda.png")
