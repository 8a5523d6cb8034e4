"""
A falling chimney
=================

Tall chimneys break while they fall.  At which height?
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import PinJoint, RigidBody, System, dynamicsymbols, inertia

import jointwrench as jw

# %%
# The chimney is a rod that rotates about its foot.  A section cuts it at the fraction ``s`` of its
# length.  The bending moment acts on the part above the cut, by the part below:

plt.style.use("jointwrench.figures")
g, l, m, s = sm.symbols("g l m s", positive=True)
q, u = dynamicsymbols("q u")
ground, chimney = RigidBody("ground"), RigidBody("chimney", mass=m)
chimney.central_inertia = inertia(chimney.frame, m * l**2 / 12, 0, m * l**2 / 12)
foot, top = -l / 2 * chimney.y, l / 2 * chimney.y
hinge = PinJoint("foot", ground, chimney, q, u, child_point=foot, joint_axis=ground.z)
system = System.from_newtonian(ground)
system.add_joints(hinge)
system.apply_uniform_gravity(-g * ground.y)
cut = jw.Section.of_rod("cut", chimney, foot, top, s)
idyn = jw.InverseDynamics(system, sections=[cut])
bending = idyn.section_wrench("cut").moment.dot(chimney.z)

# %%
# No motor acts at the foot, so the generalized force is zero, which gives the acceleration.

(free_fall,) = sm.solve(idyn.generalized_forces[0], u.diff())
bending = sm.factor(bending.subs(u.diff(), free_fall))
bending

# %%
# **Exercise.** At which height is the bending moment largest?

(place,) = [x for x in sm.solve(bending.diff(s), s) if x != 1]
print("it breaks at", place, "of its height")

fig, ax = plt.subplots(figsize=(6, 3))
fractions = np.linspace(0, 1, 101)
shape = sm.lambdify(s, bending / (m * g * l * sm.sin(q)))
ax.plot(fractions, np.abs(shape(fractions)))
ax.axvline(float(place), color="0.6", linewidth=0.8)
ax.set(xlabel="height / l", ylabel="bending moment / (m g l sin q)")
