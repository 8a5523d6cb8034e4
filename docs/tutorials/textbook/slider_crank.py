"""
A slider-crank
==============

A crank, a rod and a piston form a loop.  Gas exerts the force ``P`` on the piston.  Which torque
holds the crank?
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import (
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

# %%
# A ``LoopJoint`` closes the loop; the other joints form a tree.  ``beta`` is the angle of the rod
# relative to the crank.  Only the crank is driven, so there is one torque.

plt.style.use("jointwrench.figures")
r, l, P = sm.symbols("r l P", positive=True)
q, u, beta, omega, d, w = dynamicsymbols("q u beta omega d w")
ground = RigidBody("ground")
crank, rod, piston = (RigidBody(name, mass=0) for name in ("crank", "rod", "piston"))
for body in (crank, rod, piston):
    body.central_inertia = inertia(body.frame, 0, 0, 0)
main = PinJoint("main", ground, crank, q, u, joint_axis=ground.z)
crank_pin = PinJoint(
    *("crank_pin", crank, rod, beta, omega), joint_axis=crank.z, parent_point=r * crank.x
)
bore = PrismaticJoint("bore", ground, piston, d, w, joint_axis=ground.x)
wrist = jw.LoopJoint("wrist", rod, piston, "pin", parent_point=l * rod.x, joint_axis=rod.z)
system = System.from_newtonian(ground)
system.add_joints(main, crank_pin, bore)
system.add_loads((piston.masscenter, -P * ground.x))
system.add_holonomic_constraints(*wrist.holonomic_constraints)
system.q_ind, system.q_dep = [q], [beta, d]
system.u_ind, system.u_dep = [u], [omega, w]
idyn = jw.InverseDynamics(system, loops=[wrist])
idyn.formula()

# %%
# **Exercise.** Plot the torque over one revolution of a crank of 40 mm, under a force of 1 kN, for
# several rod lengths.  How large is it where the crank is perpendicular to the bore?
# ``close_motion`` finds the dependent coordinates of a pose.

evaluate = idyn.compile("generalized_forces")
turn = np.linspace(0.0, 2 * np.pi, 181)
fig, ax = plt.subplots(figsize=(6, 3))
for length in (0.07, 0.14, 0.56):
    values = {r: 0.04, l: length, P: 1000.0}
    lean = -turn - np.arcsin(0.04 / length * np.sin(turn))
    start = np.stack([turn, lean, 0.04 * np.cos(turn) + length * np.cos(lean + turn)], axis=-1)
    rest = np.zeros_like(start)
    poses = idyn.close_motion(start, rest, rest, values, guess=start)
    torque = evaluate(*poses, constants=values).generalized_forces[:, 0]
    ax.plot(np.degrees(turn), torque, label=f"rod {1000 * length:.0f} mm")
    print(f"rod {1000 * length:3.0f} mm: {torque[45]:.6f} N m at 90 degrees")
ax.set(xlabel="crank angle / degrees", ylabel="torque on the crank / (N m)")
ax.legend()

# %%
# It is ``P r`` in magnitude for every rod: in this position the piston is as fast as the crank pin.
