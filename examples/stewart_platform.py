"""Stewart platform
================

The forces of six cylinders and all joint wrenches while the platform moves on a circle.

Six legs of two bodies each, a cylinder on a universal joint and a piston that slides
in it, support a platform.  The tree consists of the legs, joined to ground, and the platform,
joined to ground by a ``FreeJoint``; six ball joints at the platform close the loops.  The platform
moves on a horizontal circle without rotating; ``close_motion`` computes the legs' motion.
"""

from pathlib import Path

import numpy as np
from sympy.physics.mechanics import (
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    inertia,
)

import jointwrench as jw

GRAVITY = 9.81
HEIGHT = 0.9


def corners(radius, half_angle):
    """Return six points of a circle in three pairs, components x and y, shape (6, 2)."""
    middles = np.repeat(np.deg2rad([0, 120, 240]), 2)
    angles = middles + half_angle * np.tile([-1, 1], 3)
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


BASE, TOP = corners(0.6, np.deg2rad(40)), corners(0.4, np.deg2rad(20))


def body(name, mass, moments):
    """Return a rigid body with some mass and central moments of inertia."""
    new = RigidBody(name, mass=mass)
    new.central_inertia = inertia(new.frame, *moments)
    return new


def leg(system, ground, platform, k):
    """Add a leg to a System: cross, cylinder, piston; return the ball joint at its end."""
    cross = body(f"cross_{k}", 0.0, (0, 0, 0))
    cylinder = body(f"cylinder_{k}", 2.0, (0.02, 0.02, 0.001))
    piston = body(f"piston_{k}", 1.0, (0.01, 0.01, 0.0005))
    foot = BASE[k, 0] * ground.x + BASE[k, 1] * ground.y
    lean = PinJoint(f"lean_{k}", ground, cross, parent_point=foot, joint_axis=ground.x)
    tilt = PinJoint(f"tilt_{k}", cross, cylinder, child_point=-0.2 * cylinder.z, joint_axis=cross.y)
    slide = PrismaticJoint(
        f"slide_{k}", cylinder, piston, child_point=-0.2 * piston.z, joint_axis=cylinder.z
    )
    system.add_joints(lean, tilt, slide)
    corner = TOP[k, 0] * platform.x + TOP[k, 1] * platform.y
    return jw.LoopJoint(f"ball_{k}", piston, platform, "spherical", 0.2 * piston.z, corner)


def stewart_platform():
    """Return the System of the platform and the six joints that close its loops."""
    ground = RigidBody("ground")
    system = System.from_newtonian(ground)
    platform = body("platform", 12.0, (0.5, 0.5, 0.9))
    system.add_joints(jw.FreeJoint("free", ground, platform))
    loops = [leg(system, ground, platform, k) for k in range(6)]
    system.apply_uniform_gravity(-GRAVITY * ground.z)
    independent = range(6)
    dependent = range(6, 24)
    q, u = list(system.q), list(system.u)
    system.q_ind, system.q_dep = [q[k] for k in independent], [q[k] for k in dependent]
    system.u_ind, system.u_dep = [u[k] for k in independent], [u[k] for k in dependent]
    return system, loops


def start(idyn):
    """Return approximate coordinates of the platform above its base."""
    q = np.zeros(len(idyn.coordinates))
    place = {str(symbol.func): k for k, symbol in enumerate(idyn.coordinates)}
    q[2] = HEIGHT
    for k in range(6):
        along = np.array([*TOP[k], HEIGHT]) - np.array([*BASE[k], 0.0])
        lean = np.arctan2(-along[1], along[2])
        q[place[f"q_lean_{k}"]] = lean
        q[place[f"q_tilt_{k}"]] = np.arctan2(along[0], np.hypot(along[1], along[2]))
        q[place[f"q_slide_{k}"]] = np.linalg.norm(along) - 0.4
    return q


def circle(idyn, radius=0.15, turns_per_second=0.5, samples=400):
    """Return a motion of the platform on a circle about its middle, without rotation."""
    times = np.linspace(0, 1 / turns_per_second, samples)
    omega = 2 * np.pi * turns_per_second
    wave = np.column_stack([np.cos(omega * times), np.sin(omega * times)])
    quarter = np.column_stack([-wave[:, 1], wave[:, 0]])
    q, u, udot = np.zeros((3, samples, 24))
    q[:, :2], u[:, :2], udot[:, :2] = (
        radius * wave,
        radius * omega * quarter,
        -radius * omega**2 * wave,
    )
    q[:, 2] = HEIGHT
    return jw.Trajectory(times, *idyn.close_motion(q, u, udot, guess=start(idyn)))


def main(picture=None):
    """Print and, if a file is named, draw the cylinders' forces; check them with the weight."""
    system, loops = stewart_platform()
    slides = [joint for joint in system.joints if joint.name.startswith("slide")]
    motors = [joint.speeds[0] for joint in slides]
    idyn = jw.InverseDynamics(system, loops=loops, actuated=motors)
    motion = circle(idyn)
    result = idyn.compile()(motion.q, motion.u, motion.udot)
    forces = result.generalized_forces[:, [list(idyn.speeds).index(u) for u in motors]]
    for slide, force in zip(slides, forces.T, strict=True):
        print(f"{slide.name}: {force.min():7.2f} to {force.max():7.2f} N")
    ground = system.frame
    carried = sum(result.joint_wrench(ball, frame=ground)[:, :3] for ball in loops)
    print(f"the balls carry {carried[:, 2].mean():.3f} N, the weight is {12 * GRAVITY:.3f} N")
    if picture:
        draw(system, motion, result, forces, loops, picture)
    return motion, result, forces


def draw(system, motion, result, forces, balls, picture):
    """Save the platform, the forces of its cylinders and balls over a turn, and a view of it."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure = pyplot.figure(figsize=(14, 5))
    axes = [figure.add_subplot(1, 3, k, projection="3d" if k == 1 else None) for k in (1, 2, 3)]
    place, left, right = axes
    sizes = [np.linalg.norm(result.joint_wrench(ball)[:, :3], axis=-1) for ball in balls]
    for ax, values in ((left, forces), (right, np.transpose(sizes))):
        lines = ax.plot(motion.times, values)
        ax.set_xlabel("time / s")
        ax.grid()
    left.set_ylabel("force on the piston,\nby its cylinder's motor / N")
    right.set_ylabel("magnitude of the force on the\nplatform, by the leg's ball / N")
    names = [f"leg {k}" for k in range(6)]
    figure.legend(lines, names, loc="outside upper right", ncols=6)
    options = {"joints": balls, "times": 0, "view": "3d", "ax": place}
    jw.pictures.plot_stick_figure(system, motion, result, **options)
    figure.savefig(picture)
    view = jw.pictures.interactive_view(system, motion, result, up="z", title="Stewart platform")
    view.save(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main("stewart_platform.png")
