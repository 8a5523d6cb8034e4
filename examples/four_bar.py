"""Four-bar linkage
================

The motor torque and the forces in all four pins over one revolution of the crank.

A crank-rocker in the vertical plane.  The tree is ground - crank - coupler, and
ground - rocker; a ``LoopJoint`` between coupler and rocker closes the loop.  The crank
rotates at a constant rate; ``close_motion`` computes the motion of the other bars.

All joints are pins in space, like hinges.  Together they overconstrain the planar linkage: the
out-of-plane components depend on the alignment of the pins.  Rigid-body mechanics does not
determine them, and they are NaN.
"""

from pathlib import Path

import numpy as np
from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia

import jointwrench as jw

GRAVITY = 9.81
GROUND, CRANK, COUPLER, ROCKER = 0.4, 0.15, 0.45, 0.35  # lengths, m
DENSITY = 2.5  # kg/m
SPEED = 4 * np.pi  # rad/s


def bar(name, length):
    """Return a slender bar along its x axis."""
    new = RigidBody(name, mass=DENSITY * length)
    moment = DENSITY * length**3 / 12
    new.central_inertia = inertia(new.frame, 0, moment, moment)
    return new


def four_bar():
    """Return the System of the linkage and the pin that closes its loop."""
    ground, crank = RigidBody("ground"), bar("crank", CRANK)
    coupler, rocker = bar("coupler", COUPLER), bar("rocker", ROCKER)
    z = ground.z
    drive = PinJoint("drive", ground, crank, child_point=-CRANK / 2 * crank.x, joint_axis=z)
    elbow = PinJoint(
        "elbow",
        crank,
        coupler,
        parent_point=CRANK / 2 * crank.x,
        child_point=-COUPLER / 2 * coupler.x,
        joint_axis=crank.z,
    )
    pivot = PinJoint(
        "pivot",
        ground,
        rocker,
        parent_point=GROUND * ground.x,
        child_point=-ROCKER / 2 * rocker.x,
        joint_axis=z,
    )
    system = System.from_newtonian(ground)
    system.add_joints(drive, elbow, pivot)
    system.apply_uniform_gravity(-GRAVITY * ground.y)
    knee = jw.LoopJoint(
        "knee",
        coupler,
        rocker,
        "pin",
        COUPLER / 2 * coupler.x,
        ROCKER / 2 * rocker.x,
        joint_axis=coupler.z,
    )
    system.add_holonomic_constraints(*knee.holonomic_constraints)
    system.q_ind, system.q_dep = drive.coordinates, [*elbow.coordinates, *pivot.coordinates]
    system.u_ind, system.u_dep = drive.speeds, [*elbow.speeds, *pivot.speeds]
    return system, knee


def steady_turn(idyn, samples=200):
    """Return the motion of one revolution of the crank at constant speed."""
    times = np.linspace(0, 2 * np.pi / SPEED, samples)
    q, u = np.zeros((2, samples, 3))
    q[:, 0], u[:, 0] = SPEED * times, SPEED
    q[0, 1:] = 0.8, 1.6  # near the pose in which the knee is above
    return jw.Trajectory(times, *idyn.close_motion(q, u, np.zeros_like(u)))


def main(picture=None):
    """Print the torque and the pin forces; save a picture if a file is named."""
    system, knee = four_bar()
    idyn = jw.InverseDynamics(system, loops=[knee])
    motion = steady_turn(idyn)
    result = idyn.compile()(motion.q, motion.u, motion.udot)
    torque = result.generalized_forces[:, 0]
    print(f"motor torque: {torque.min():.2f} to {torque.max():.2f} N m")
    for joint in (*system.joints, knee):
        force = np.linalg.norm(result.joint_wrench(joint, components=["fx", "fy"]), axis=-1)
        open_ = ", ".join(idyn.undetermined[joint])
        print(f"{joint.name:6} force in the plane up to {force.max():5.1f} N; open: {open_}")
    if picture:
        draw(system, motion, result, picture)
    return motion, result


def draw(system, motion, result, picture):
    """Save the linkage in four poses with its pin forces, and the torque over the turn."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5))
    jw.pictures.plot_stick_figure(system, motion, result, times=motion.times[[70]], ax=left)
    right.plot(np.rad2deg(motion.q[:, 0]), result.generalized_forces[:, 0])
    right.set(xlabel="crank angle / °", ylabel="motor torque on the crank, by ground / (N m)")
    right.grid()
    figure.savefig(picture)
    view = jw.pictures.interactive_view(system, motion, result, speed=0.2, title="Four-bar linkage")
    view.save(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main("four_bar.png")
