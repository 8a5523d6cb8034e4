"""Simulate, then compute the joint forces
=======================================

Simulate a crane with PyDy and a linkage, then compute the forces in their joints.

A trolley on a rail carries two hinged rods.  The model is a sympy System.  PyDy integrates it
without forming Kane's equations: the right-hand side is compiled from the recursion of inverse
dynamics.  ``reactions`` then computes the wrenches in the rail and both hinges.

A four-bar linkage released from rest shows the same with a closed loop: its constraints are
stabilised, and the script prints the drift of energy.
"""

from pathlib import Path

import numpy as np
from sympy import symbols
from sympy.physics.mechanics import (
    Force,
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

G = 9.81


def crane():
    """Return the System of a trolley with two rods, its constants and the driving force."""
    mass, length, push = symbols("mass"), symbols("length"), dynamicsymbols("push")
    ground, trolley = RigidBody("ground"), RigidBody("trolley", mass=3 * mass)
    rods = [RigidBody(name, mass=mass) for name in ("upper", "lower")]
    for rod in rods:
        rod.central_inertia = inertia(rod.frame, mass * length**2 / 12, 0, mass * length**2 / 12)
    system = System.from_newtonian(ground)
    upper, lower = rods
    system.add_joints(
        PrismaticJoint("rail", ground, trolley, joint_axis=ground.x),
        PinJoint("hook", trolley, upper, child_point=length / 2 * upper.y, joint_axis=trolley.z),
        PinJoint(
            *("knee", upper, lower),
            parent_point=-length / 2 * upper.y,
            child_point=length / 2 * lower.y,
            joint_axis=upper.z,
        ),
    )
    system.apply_uniform_gravity(-G * ground.y)
    system.add_loads(Force(trolley, push * ground.x))
    return system, {mass: 2.0, length: 0.8}, push


def swing():
    """Simulate the crane with PyDy and return its forward dynamics, times and reactions."""
    system, constants, push = crane()
    fdyn = jw.ForwardDynamics(system)
    times = np.linspace(0.0, 4.0, 401)

    def shove(x, t):
        """Return the force on the trolley: constant for one second, then zero."""
        return 40.0 if t < 1.0 else 0.0

    sys_ = fdyn.pydy_system(constants=constants, specifieds={push: shove}, times=times)
    states = sys_.integrate()
    return system, fdyn.reactions(times, states, constants, {push: lambda t: shove(None, t)})


def released_linkage():
    """Return the simulation of the four-bar linkage from rest, and its joint wrenches."""
    bars = jw.SerialChain.planar(3, gravity=(0, -G, 0))
    system, ground = bars.system, bars.ground
    place = 0.8 * ground.x
    end = jw.LoopJoint("end", ground, bars.bodies[2], "pin", place, bars.tip, joint_axis=ground.z)
    system.add_holonomic_constraints(*end.holonomic_constraints)
    system.q_ind, system.q_dep = system.q[:1], system.q[1:]
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    fdyn = jw.ForwardDynamics(system, loops=[end], stabilization=20.0)
    values = {symbol: {"l": 0.5, "m": 1.0, "I": 0.02}[symbol.name[0]] for symbol in fdyn.constants}
    q, _, _ = fdyn.inverse.close_motion([-0.5, -1.0, -1.0], constants=values)
    motion = fdyn.simulate(np.linspace(0, 3, 301), q, np.zeros(3), values)
    return bars, motion, fdyn.reactions(None, motion, values)


def main(picture=None):
    """Print the largest forces in all joints; save a picture if a file is named."""
    system, result = swing()
    for joint in system.joints:
        force = np.linalg.norm(result.joint_wrench(joint)[:, :3], axis=-1)
        print(f"{joint.name:5} carries {force.min():6.1f} to {force.max():6.1f} N")
    bars, motion, reactions = released_linkage()
    pin = np.linalg.norm(reactions.joint_wrench("end", components=["fx", "fy"]), axis=-1)
    print(f"the end of the linkage carries up to {pin.max():.1f} N")
    print(f"drift of its energy: {abs(motion.energy_drift).max():.1e} J")
    if picture:
        draw(result, motion, pin, picture)
        view = jw.pictures.interactive_view(
            bars, motion, reactions, speed=0.5, title="A linkage that falls"
        )
        view.save(Path(picture).with_suffix(".html"))
    return result, motion, reactions


def draw(result, motion, pin, picture):
    """Save the forces in the crane's joints and in the linkage's knee over time."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for name in ("rail", "hook", "knee"):
        force = np.linalg.norm(result.joint_wrench(name)[:, :3], axis=-1)
        left.plot(result.times, force, label=name)
    left.set_ylabel("magnitude of the force on the child\nof each joint of the crane / N")
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    right.plot(motion.times, pin)
    right.set_ylabel("magnitude of the force on the\nlinkage's last bar, by ground / N")
    for ax in (left, right):
        ax.set_xlabel("time / s")
        ax.grid()
    figure.savefig(picture)


if __name__ == "__main__":
    main("simulate_and_react.png")
