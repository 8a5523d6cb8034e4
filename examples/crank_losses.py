"""Friction losses of a crank mechanism
====================================

The friction in the bearings of a slider-crank over one revolution, and the work lost in each
bearing.

The crank rotates at a constant rate, and a slider at the end of the rod pushes against a load while
it moves outwards. Both pins have journal friction, and the slider has friction on its guide.
``JointFriction`` describes them: in pins friction acts at the radius of the journal, at the slider
over its stroke. The motor's torque then includes the friction.

The work of a friction force is the integral of its force times its sliding speed. The sum of the
losses equals the work of the motor minus the work on the load; the example computes both.
"""

from pathlib import Path

import numpy as np
from sympy.physics.mechanics import (
    Force,
    Particle,
    PinJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

CRANK, ROD = 0.05, 0.15  # lengths, m
MU, JOURNAL = 0.1, 0.015  # coefficient in all bearings; radius, m
LOAD, SPEED = 2000.0, 30.0  # N, rad/s

load = dynamicsymbols("load")


def bar(name, mass, length):
    """Return a slender bar along its x axis."""
    new = RigidBody(name, mass=mass)
    moment = mass * length**2 / 12
    new.central_inertia = inertia(new.frame, 0, moment, moment)
    return new


def mechanism():
    """Return the System, the guide that closes its loop, and the names of the bearings."""
    ground, crank, rod = RigidBody("ground"), bar("crank", 1.0, CRANK), bar("rod", 0.5, ROD)
    pins = PinJoint(
        "crank_pin", ground, crank, child_point=-CRANK / 2 * crank.x, joint_axis=ground.z
    )
    big_end = PinJoint(
        "big_end",
        crank,
        rod,
        parent_point=CRANK / 2 * crank.x,
        child_point=-ROD / 2 * rod.x,
        joint_axis=crank.z,
    )
    system = System.from_newtonian(ground)
    system.add_joints(pins, big_end)
    end = rod.masscenter.locatenew("end", ROD / 2 * rod.x)
    system.add_bodies(Particle("slider", end, 0.4))  # fixed at the end of the rod
    guide = jw.LoopJoint("guide", ground, rod, "point_on_plane", None, end, joint_axis=ground.y)
    system.add_holonomic_constraints(*guide.holonomic_constraints)
    system.q_ind, system.q_dep = system.q[:1], system.q[1:]
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    system.add_loads(Force(end, -load * ground.x))
    return system, guide, end


def turn(system, guide, end, frictions):
    """Return the result of one revolution, and the speed of the slider, shape (N,)."""
    idyn = jw.InverseDynamics(system, loops=[guide], frictions=frictions)
    angle = (
        (np.arange(720) + 0.5) * np.pi / 360
    )  # avoids the dead centres, where the slider is at rest
    q, u = np.zeros((2, len(angle), 2))
    q[:, 0], u[:, 0] = angle, SPEED
    q, u, udot = idyn.close_motion(q, u, np.zeros_like(u))
    velocity = idyn.kinematics({"end": end}).compile("velocities")(q, u, udot).velocities[:, 0, 0]
    given = {load: np.where(velocity > 0, LOAD, 0.0)}
    outputs = ["generalized_forces", *(["friction"] if frictions else [])]
    result = idyn.compile(outputs)(q, u, udot, specifieds=given, times=angle / SPEED)
    return result, velocity, u


def draw(result, losses, path):
    """Save a picture: the motor's torque, and the power lost in each bearing."""
    from matplotlib import pyplot as plt

    plt.style.use("jointwrench.figures")
    degrees = np.degrees(SPEED * result.times)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.plot(degrees, result.generalized_forces[:, 0])
    left.set(xlabel="crank angle / degrees", ylabel="motor torque / (N m)")
    for name, power in losses.items():
        right.plot(degrees, power, label=name)
    right.set(xlabel="crank angle / degrees", ylabel="power lost / W")
    right.legend()
    for ax in (left, right):
        ax.set_xticks(range(0, 361, 90))
    figure.savefig(path, dpi=150)
    return figure


def main(path="crank_losses.png"):
    """Run the example; return the result, the losses of a turn and the motor's extra work, in J."""
    system, guide, end = mechanism()
    laws = {"crank_pin": JOURNAL, "big_end": JOURNAL, "guide": None}
    frictions = [jw.JointFriction(name, MU, radius=radius) for name, radius in laws.items()]
    result, velocity, u = turn(system, guide, end, frictions)
    plain, _, _ = turn(system, guide, end, [])
    sliding = np.column_stack([u, abs(velocity)])  # on a plane, the magnitude
    losses = dict(zip(laws, (-result.friction * sliding).T, strict=True))
    turns = 2 * np.pi / SPEED  # seconds of a turn
    work = {name: power.mean() * turns for name, power in losses.items()}
    motors = [x.generalized_forces[:, 0].mean() * SPEED * turns for x in (plain, result)]
    useful, more = motors[0], motors[1] - motors[0]
    for name, joules in work.items():
        print(f"{name:10} {joules:6.2f} J a turn")
    print(
        f"sum {sum(work.values()):.2f} J; motor: {useful:.2f} J without friction, {more:.2f} J more"
    )
    draw(result, losses, path)
    print(f"Saved {Path(path).name}")
    return result, work, more


if __name__ == "__main__":
    main()
