"""
Robots from files
=================

A robot from a URDF file: its torques and the wrenches in all joints, in the order of the file; its
mass matrix, derivatives, a force sensor, and C code.
"""

# %%
# Read a robot
# ------------
#
# :func:`~jointwrench.robots.read_urdf` takes a file, a ``package://`` address or the text itself.
# Here it is the text of an arm with two joints and a flange that holds a tool.

import tempfile
from pathlib import Path

import numpy as np
from sympy.physics.mechanics import Force, Particle

import jointwrench as jw

ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial> <origin xyz="0.25 0 0"/> <mass value="4"/>
      <inertia ixx="0.01" iyy="0.09" izz="0.09" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
  <link name="fore">
    <inertial> <origin xyz="0.2 0 0"/> <mass value="2.5"/>
      <inertia ixx="0.005" iyy="0.035" izz="0.035" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
  <link name="tool">
    <inertial> <origin xyz="0.05 0 0"/> <mass value="0.8"/>
      <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <origin xyz="0 0 0.3"/> <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="120"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="fore"/>
    <origin xyz="0.5 0 0"/> <axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" velocity="3" effort="60"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="fore"/> <child link="tool"/>
    <origin xyz="0.4 0 0"/>
  </joint>
</robot>
"""
robot = jw.robots.read_urdf(ARM)
print(robot)
print("coordinates:", list(robot.coordinates), "joints:", list(robot.joints))
print("limits of the elbow:", robot.limits["elbow"])

# %%
# ``robot.left_out`` lists the parts of the file that were not read.  ``robot.system`` is a sympy
# ``System``: you can add loads to it before the next step.

# %%
# Torques and wrenches
# --------------------

idyn = robot.inverse_dynamics()
evaluate = idyn.compile()

times = np.linspace(0, 2, 501)
q = np.stack([-0.5 + 0.4 * np.sin(2 * times), 1.2 * np.sin(3 * times)], axis=-1)
u = np.stack([0.8 * np.cos(2 * times), 3.6 * np.cos(3 * times)], axis=-1)
udot = np.stack([-1.6 * np.sin(2 * times), -10.8 * np.sin(3 * times)], axis=-1)
result = evaluate(q, u, udot)
print("torques", result.generalized_forces.shape, "wrenches", result.joint_wrenches.shape)

# %%
# The torques are in the order of ``robot.coordinates``.  Those of a pose at rest,
# ``evaluate(q, 0 * q, 0 * q)``, hold the arm against its weight (gravity compensation);
# :doc:`/recipes/forward` simulates the arm under such a controller.
#
# ``joint_wrenches`` has a row for each joint, fixed joints included: force first,
# [fx fy fz mx my mz], on the child link, by the parent link, about the joint's origin, in the child
# link's frame as the file defines it.  ``result.joint_wrench("elbow", frame=...)`` uses another
# frame: ``"fore"``, the name of a link, or ``robot.system.frame``, that of the fixed base.
# ``about=robot.origins["tool"]`` moves the moment to another point.

axes = jw.pictures.plot_wrenches(times, result, frame=robot.system.frame)

# %%
# The robot in the browser, with its joint axes, forces and moments.  A view takes the motion as a
# :class:`~jointwrench.Trajectory`.

motion = jw.Trajectory(times, q, u, udot)
jw.pictures.interactive_view(robot, motion, result, up="z", speed=0.5)

# %%
# The flange is a fixed joint.  Its wrench is that of a force sensor mounted there, including the
# weight and acceleration of the tool.  Without a sensor, an external force on the hand can be found
# from measured motor torques: :doc:`/generated/examples/panda_controller`.

# %%
# Poses that reach a target
# -------------------------
#
# :class:`~jointwrench.PoseSolver` finds coordinates that bring points and frames to their targets,
# within the limits of the file: here along a circle, each pose starting from the previous one
# (:doc:`/recipes/jacobian`).

reach = jw.PoseSolver(robot, ["tool"])
angle = np.linspace(0, 2 * np.pi, 201)
circle = np.stack([0.6 + 0.2 * np.cos(angle), 0 * angle, 0.4 + 0.2 * np.sin(angle)], axis=-1)
found = reach({"tool": circle}, start=[-0.5, 1.0], follow=True)
print(found)
along = jw.Trajectory.from_samples(angle, found.q, idyn=idyn)
axes = jw.pictures.plot_stick_figure(robot, along, times=angle[:-1:25], view="xz")

# %%
# ``robot.to_pinocchio`` and ``robot.to_mujoco`` convert whole batches of vectors to the conventions
# of these programs (:doc:`/recipes/robot_files`).

# %%
# Accelerations, mass matrix, derivatives
# ---------------------------------------

fdyn = robot.forward_dynamics()
print(fdyn.compile()([0.3, -0.4], [0, 0]).udot.round(3), "rad/s^2: it falls")

more = idyn.compile(("generalized_forces", "mass_matrix"), derivatives=["q", "u"])
at_rest = more([0.3, -0.4], [0, 0], [0, 0])
print("mass matrix\n", at_rest.mass_matrix.round(4))
print("derivative of the torques in q\n", at_rest.derivative("generalized_forces", "q").round(4))

# %%
# Another payload: symbols instead of numbers
# -------------------------------------------
#
# With ``symbolic=True`` masses, mass centres and inertias are symbols, whose numbers are in
# ``robot.constants``.  Each call takes values for them, which may differ from the file's.

free = jw.robots.read_urdf(ARM, symbolic=True)
torques = free.inverse_dynamics().compile("generalized_forces")
for mass in (0.8, 2.0):
    numbers = {**free.constants, free.bodies["tool"].mass: mass}
    at_rest = torques([0, 0], [0, 0], [0, 0], constants=numbers).generalized_forces
    print(f"tool of {mass} kg: torques {at_rest.round(2)} N m")

# %%
# An object in the gripper is added as a body with its weight:

loaded = jw.robots.read_urdf(ARM)
ball = Particle("ball", loaded.origins["tool"], 1.2)
loaded.system.add_bodies(ball)
loaded.system.add_loads(Force(ball, -9.81 * ball.mass * loaded.system.frame.z))
at_rest = loaded.inverse_dynamics().compile()([0, 0], [0, 0], [0, 0])
print("with a ball of 1.2 kg:", at_rest.generalized_forces.round(2), "N m")

# %%
# C code
# ------
#
# ``write_c`` writes two files: a function that needs only ``libm``, and its header, which describes
# all inputs and outputs.  With ``lanes=1`` the function evaluates one state per call, as
# controllers do (:doc:`/generated/examples/panda_controller`), otherwise batches.  It uses a
# ``workspace`` of the caller and allocates no memory.

with tempfile.TemporaryDirectory() as folder:
    source, header = Path(folder) / "arm.c", Path(folder) / "arm.h"
    idyn.write_c(source, lanes=1)
    print(header.read_text())

# %%
# The Jacobian of a hand: :doc:`/recipes/jacobian`.  How fast it is:
# :doc:`/explanation/speed`.  A robot without a file: :doc:`/recipes/robot_files`.  With
# closed loops: :doc:`/generated/examples/stewart_platform`.
