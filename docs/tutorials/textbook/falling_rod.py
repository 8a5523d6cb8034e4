"""
A falling rod
=============

A slender rod hangs from a pin.  Which force does the pin exert on it?  (Meriam and Kraige,
Dynamics, chapter 6.)
"""

import sympy as sm
from sympy.physics.mechanics import PinJoint, RigidBody, System, dynamicsymbols, inertia

import jointwrench as jw

g, l, m = sm.symbols("g l m", positive=True)
q, u = dynamicsymbols("q u")
ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
rod.central_inertia = inertia(rod.frame, m * l**2 / 12, 0, m * l**2 / 12)
pin = PinJoint("pin", ground, rod, q, u, child_point=l / 2 * rod.y, joint_axis=ground.z)
system = System.from_newtonian(ground)
system.add_joints(pin)
system.apply_uniform_gravity(-g * ground.y)

# %%
# The wrench of the pin acts on the rod, by ground.  The pin has no motor, so its moment, which is
# the generalized force, is zero while the rod falls: that gives the angular acceleration.

idyn = jw.InverseDynamics(system)
idyn.formula("pin")

# %%
# **Exercise.** The rod is released from rest in the horizontal position.  How large is the force as
# it passes its lowest point?  Conservation of energy gives ``u**2 = 3 g / l`` there; the angular
# acceleration is zero.

at_bottom = {u.diff(): 0, u: sm.sqrt(3 * g / l), q: 0}
force = idyn.joint_wrench("pin").force.to_matrix(rod.frame).subs(at_bottom)
print("force along the rod:", force[1], "=", force[1].subs({m: 2, g: 9.81}).evalf(4), "N for 2 kg")

# %%
# The free body there, for a rod of 0.5 m:

values = {m: 2, l: 0.5, g: 9.81}
speed = (3 * 9.81 / 0.5) ** 0.5
axes = jw.pictures.plot_free_body(idyn, ([0], [speed], [0]), rod, values)
