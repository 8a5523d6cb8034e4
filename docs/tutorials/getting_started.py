"""
Getting started
===============

This page takes you from the installation to the first joint force and what its signs mean.  You
need some Python, but no knowledge of sympy.  It takes ten minutes.

Install the package in a clone of its repository, with the extra that draws pictures::

    pip install ".[plot]"
"""

# %%
# A pendulum
# ----------
#
# A rod of mass m and length l hangs on a pin.  These are classes of sympy: two bodies, the joint
# between them, and a ``System`` that holds both.  The pin is at the upper end of the rod: half of
# its length above the mass centre, along the rod's own y axis.

from sympy import symbols
from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia

m, l, g = symbols("m l g")
ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
rod.central_inertia = inertia(rod.frame, m * l**2 / 12, 0, m * l**2 / 12)
pin = PinJoint("pin", ground, rod, child_point=l / 2 * rod.y, joint_axis=ground.z)
system = System.from_newtonian(ground)
system.add_joints(pin)
system.apply_uniform_gravity(-g * ground.y)

# %%
# The first joint force
# ---------------------
#
# :class:`~jointwrench.InverseDynamics` answers one question: which forces and moments produce a
# given motion?  ``compile`` makes a fast function of the motion.  We ask for the simplest motion,
# the rod at rest: the angle q, the speed u and its time derivative udot are all zero.

import jointwrench as jw

idyn = jw.InverseDynamics(system)
evaluate = idyn.compile()
numbers = {m: 2.0, l: 0.5, g: 9.81}
result = evaluate(q=[0], u=[0], udot=[0], constants=numbers)
result.joint_wrench(pin)

# %%
# What the signs mean
# -------------------
#
# These six numbers are a **wrench**, a force and a moment about a point: ``[fx fy fz mx my mz]``,
# here in newtons and newton metres, because the numbers above are in kilograms and metres.
#
# * **On which body, by which body**: a joint wrench acts *on the child* (the rod), *by the parent*
#   (ground).
# * **About which point**: the child's point of the joint, here the pin.
# * **In which frame**: that of the child.  While q is zero, the rod's axes are those of ground.
#
# So the force of 19.62 N along y points up.  It is equal to the weight m g: the pin holds the rod.
# The rod exerts the negative of it on ground.  :func:`~jointwrench.pictures.plot_free_body` draws
# the free body of the rod, here turned by 40 degrees and held there by a motor in the pin.

import numpy as np

held = np.radians([40.0])
axes = jw.pictures.plot_free_body(idyn, (held, [0], [0]), rod, numbers)

# %%
# The arrow at the pin is the force on the rod, the arc is the moment on the rod about the pin,
# and the arrow at the mass centre is the weight, a known load of the System.  A joint wrench
# contains everything that the joint transmits and that is *not* a known load: the reaction of the
# bearing, and the torque of a motor that the model does not contain.

result = evaluate(held, [0], [0], constants=numbers)
print("in the rod's frame:   ", result.joint_wrench(pin).round(3))
print("in the ground's frame:", result.joint_wrench(pin, frame=ground.frame).round(3) + 0.0)
print("motor torque:         ", result.generalized_forces.round(3))

# %%
# In the ground's frame the force points up again.  In the rod's frame it has two components.  The
# moment is positive: it turns the rod anticlockwise, in the direction of q.  It is the torque of
# the motor, m g (l/2) sin(q), as the formula shows:

idyn.formula(pin, frame=ground.frame)

# %%
# Change something
# ----------------
#
# Now the rod swings through its lowest position at 3 rad/s.  The pin carries more than the weight,
# because it also accelerates the mass centre upwards: m g + m (l/2) u².

result = evaluate([0], [3.0], [0], constants=numbers)
result.joint_wrench(pin, components="fy")

# %%
# One call evaluates a whole motion.  The last axis of an array counts the coordinates; all axes
# before it are the batch, here 101 instants of a swing.

times = np.linspace(0, 2, 101)
q = 0.8 * np.cos(4 * times)[:, None]
u = -3.2 * np.sin(4 * times)[:, None]
udot = -16 * q
swing = evaluate(q, u, udot, constants=numbers, times=times)
print("joint wrenches:", swing.joint_wrenches.shape)
axes = jw.pictures.plot_wrenches(swing, components="fx fy mz")

# %%
# The first error
# ---------------
#
# If the length is missing, the error names the argument, what it must contain, and the fix.

try:
    evaluate(q, u, udot, constants={m: 2.0, g: 9.81})
except ValueError as error:
    print(error)

# %%
# Names can replace symbols.  With the length, the call succeeds.

result = evaluate(q, u, udot, constants={"m": 2.0, "g": 9.81, "l": 0.5})
print(abs(result.generalized_forces).max().round(3), "N m at most")

# %%
# Is it right?
# ------------
#
# You can check these numbers.  :func:`~jointwrench.crosscheck` simulates the pendulum under the
# computed torque, with equations from sympy's ``KanesMethod``, and reports how far the simulation
# drifts from the motion.

from sympy import cos
from sympy.physics.mechanics import dynamicsymbols

t = dynamicsymbols._t
print(jw.crosscheck(idyn, {system.q[0]: 0.8 * cos(4 * t)}, times, numbers))

# %%
# Where to go on
# --------------
#
# * You have a System of your own: :doc:`/generated/tutorials/a_model_of_sympy`.
# * You have a robot's file: :doc:`/generated/tutorials/robotics`.
# * You have recordings of people: :doc:`/generated/tutorials/gait_laboratory`.
# * You teach: :doc:`/generated/tutorials/teaching`.
# * A sign surprises you: :doc:`/explanation/why_this_sign`.
