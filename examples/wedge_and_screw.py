"""Wedge and screw
===============

The efficiency of a wedge or a screw, and when it is self-locking.

A wedge is pushed along the ground, and a vertically guided load slides on its flank, which rises at
the angle alpha. The flank has the coefficient of friction mu. A screw is a wedge wound around a
cylinder: alpha is the pitch angle of its thread. The friction depends on the force on the flank,
and that force depends on the push, so both are solved for together.

In textbooks the push for lifting a weight W is ``W tan(alpha + phi)`` with ``tan(phi) = mu``, and
for lowering it ``W tan(alpha - phi)``. Where the latter is negative, the load does not come down by
itself, and the wedge has to be pulled out: it is self-locking. Beyond ``alpha + phi = 90`` degrees
no push lifts the load, and the result is NaN.
"""

from pathlib import Path

import numpy as np
from sympy import cos, sin, symbols
from sympy.physics.mechanics import Force, PrismaticJoint, RigidBody, System, dynamicsymbols

import jointwrench as jw

MU, WEIGHT = 0.15, 1000.0  # greased steel, N

alpha, mu, weight = symbols("alpha mu W")
push = dynamicsymbols("push")


def wedge():
    """Return an evaluator of the push on the wedge, with the friction on its flank."""
    ground = RigidBody("ground")
    slope, load = RigidBody("slope", mass=0), RigidBody("load", mass=0)
    bed = PrismaticJoint("bed", ground, slope, joint_axis=ground.x)
    lift = PrismaticJoint("lift", ground, load, joint_axis=ground.y)
    system = System.from_newtonian(ground)
    system.add_joints(bed, lift)
    normal = -sin(alpha) * slope.x + cos(alpha) * slope.y
    flank = jw.LoopJoint("flank", slope, load, "point_on_plane", joint_axis=normal)
    system.add_holonomic_constraints(*flank.holonomic_constraints)
    system.q_ind, system.q_dep = system.q[:1], system.q[1:]
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    system.add_loads(
        Force(slope.masscenter, -push * ground.x), Force(load.masscenter, -weight * ground.y)
    )
    idyn = jw.InverseDynamics(
        system,
        loops=[flank],
        actuated=[],
        solve_for=[push],
        frictions=[jw.JointFriction(flank, mu)],
    )
    return idyn.compile(["solved_loads", "friction", "friction_gain"])


def pushes(evaluate, angles, way):
    """Return the push at flank angles, shape (N,), while the load goes up (1) or down (-1)."""
    found = []
    for angle in angles:
        speeds = [-way, way * np.tan(angle)]
        values = {alpha: angle, mu: MU, weight: WEIGHT}
        found.append(evaluate([0.0, 0.0], speeds, [0.0, 0.0], values).solved_loads[push])
    return np.array(found)


def draw(angles, up, down, path):
    """Save a picture of efficiency and of the push for lifting and lowering."""
    from matplotlib import pyplot as plt

    plt.style.use("jointwrench.figures")
    degrees = np.degrees(angles)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    ideal = WEIGHT * np.tan(angles)
    left.plot(degrees, 100 * ideal / up)
    left.set(xlabel="pitch angle / degrees", ylabel="efficiency of lifting / %", ylim=(0, 100))
    right.plot(degrees, up / WEIGHT, label="lifting")
    right.plot(degrees, down / WEIGHT, label="lowering")
    right.axhline(0, color="0.5", linewidth=0.8)
    right.axvspan(0, np.degrees(np.arctan(MU)), color="0.9", zorder=0)
    right.text(0.5, 2.6, "self-locking", rotation=90, va="top")
    right.set(xlabel="pitch angle / degrees", ylabel="push / weight", ylim=(-0.5, 3))
    right.legend(loc="upper center")
    figure.savefig(path, dpi=150)
    return figure


def main(path="wedge_and_screw.png"):
    """Run the example; return the angles and the pushes for lifting and lowering."""
    evaluate = wedge()
    angles = np.radians(np.linspace(1, 80, 80))
    up, down = pushes(evaluate, angles, 1), pushes(evaluate, angles, -1)
    phi = np.arctan(MU)
    locks = angles[down < 0]
    print(f"self-locking up to {np.degrees(locks.max()):.0f} degrees; phi is {np.degrees(phi):.2f}")
    best = np.nanargmax(np.tan(angles) / up)
    print(f"best efficiency {100 * WEIGHT * np.tan(angles[best]) / up[best]:.1f} %", end=" ")
    print(
        f"at {np.degrees(angles[best]):.0f} degrees; 45 - phi/2 is {45 - np.degrees(phi) / 2:.1f}"
    )
    draw(angles, up, down, path)
    print(f"Saved {Path(path).name}")
    return angles, up, down


if __name__ == "__main__":
    main()
