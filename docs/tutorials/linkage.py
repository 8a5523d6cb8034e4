"""
A linkage: from the drawing to bearing forces
=============================================

A quick-return mechanism: a crank turns at a constant rate, and a pin at its end slides in the slot
of a lever.  Which torque does the crank need, and how large are the forces in the bearings?
"""

# %%
# The drawing
# -----------
#
# The crank, 0.1 m long, turns about a bearing at the origin.  The lever turns about a bearing
# 0.25 m below.  The pin at the end of the crank slides along the lever.  The two bearings make a
# tree, which the slot closes.  Lengths count from the mass centres, in the middle of each rod.

import numpy as np
from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia

import jointwrench as jw

ground, crank, lever = RigidBody("ground"), RigidBody("crank", mass=0.5), RigidBody("lever", mass=2)
crank.central_inertia = inertia(crank.frame, 0, 0.5 * 0.1**2 / 12, 0.5 * 0.1**2 / 12)
lever.central_inertia = inertia(lever.frame, 0, 2 * 0.5**2 / 12, 2 * 0.5**2 / 12)
drive = PinJoint("drive", ground, crank, child_point=-0.05 * crank.x, joint_axis=ground.z)
pivot = PinJoint(
    *("pivot", ground, lever),
    parent_point=-0.25 * ground.y,
    child_point=-0.25 * lever.x,
    joint_axis=ground.z,
)
system = System.from_newtonian(ground)
system.add_joints(drive, pivot)
system.joints

# %%
# The loop
# --------
#
# The slot closes the loop.  A :class:`~jointwrench.LoopJoint` says what it does: a point of the
# crank stays on a line of the lever.  Its kinds are ``pin``, ``prismatic``, ``cylindrical``,
# ``planar``, ``spherical``, ``universal`` and ``weld``, as of joints; ``point_on_line``,
# ``point_on_plane``, and ``rod`` for two points at a distance.  Its equation goes into the System,
# together with what is independent: the angle of the crank; that of the lever follows from it.

slot = jw.LoopJoint(
    "slot", lever, crank, "point_on_line", child_point=0.05 * crank.x, joint_axis=lever.x
)
system.add_holonomic_constraints(*slot.holonomic_constraints)
system.q_ind, system.q_dep = drive.coordinates, pivot.coordinates
system.u_ind, system.u_dep = drive.speeds, pivot.speeds
idyn = jw.InverseDynamics(system, loops=[slot])
idyn

# %%
# The motion
# ----------
#
# One turn of the crank at 5 rad/s.  ``close_motion`` finds the angle, speed and acceleration of the
# lever; the first value is a guess from the drawing, in which the lever points up.

times = np.linspace(0, 2 * np.pi / 5, 181)
q, u = np.zeros((181, 2)), np.zeros((181, 2))
q[:, 0], q[0, 1], u[:, 0] = 5 * times, 1.2, 5
motion = jw.Trajectory(times, *idyn.close_motion(q, u, 0 * u))
np.degrees([motion.q[:, 1].min(), motion.q[:, 1].max()]).round(1)

# %%
# By hand, the lever swings to both sides of the vertical by the angle whose sine is 0.1 / 0.25:

float(90 - np.degrees(np.arcsin(0.1 / 0.25)).round(1))

# %%
# Forces
# ------
#
# The result has the wrench of each joint, of the slot too.

result = idyn.compile()(motion)
torque = result.generalized_forces[:, 0]
print(f"drive: {torque.min():.2f} to {torque.max():.2f} N m")
for joint in (drive, pivot, slot):
    force = np.linalg.norm(result.joint_wrench(joint, components="fx fy"), axis=-1)
    print(f"{joint.name}: up to {force.max():.1f} N")

# %%
# No work is lost in the bearings and the slot: over one turn the mean power of the drive is zero.

print(f"mean power: {abs(5 * torque[:-1].mean()):.6f} W")

# %%
# The lever alone confirms the force of the slot: times its distance from the pivot it is the moment
# of inertia about the pivot, m l²/3, times the angular acceleration.

distance = np.hypot(0.1 * np.cos(5 * times), 0.1 * np.sin(5 * times) + 0.25)
by_hand = np.abs(2 * 0.5**2 / 3 * motion.udot[:, 1]) / distance
in_slot = np.linalg.norm(result.joint_wrench(slot, components="fx fy"), axis=-1)
bool(np.abs(by_hand - in_slot).max() < 1e-9 * in_slot.max())

# %%
# Across the plane nothing is determined: the hinges hold more than they need there.  These
# components are NaN, and have names.

{joint.name: components for joint, components in idyn.undetermined.items()}

# %%
# Pictures
# --------
#
# The free bodies where the torque is largest:

k = int(np.argmax(torque))
for body in (crank, lever):
    jw.pictures.plot_free_body(idyn, motion, body, at=times[k])

# %%
# The mechanism in four positions.  ``ax.figure.savefig("linkage.pdf")`` saves a figure.

ax = jw.pictures.plot_stick_figure(idyn, motion, result, times=times[[10, 60, 110, 150]])

# %%
# And in motion:

jw.pictures.interactive_view(idyn, motion, result)
