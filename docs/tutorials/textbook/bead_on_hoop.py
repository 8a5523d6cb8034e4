"""
A bead on a spinning hoop
=========================

A hoop turns about its vertical diameter at the constant rate Omega; a bead slides on it without
friction.  Where is its equilibrium?  (Taylor, Classical Mechanics, example 7.6.)
"""

import sympy as sm
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

# %%
# The hoop is a body without mass, driven by a motor; the bead's angle ``q`` is measured from the
# lowest point.

g, m, r, Omega = sm.symbols("g m r Omega", positive=True)
q, u, psi, rate = dynamicsymbols("q u psi Psi")
ground, hoop, bead = RigidBody("ground"), RigidBody("hoop", mass=0), Particle("bead", mass=m)
hoop.central_inertia = inertia(hoop.frame, 0, 0, 0)
arm = ReferenceFrame("A")
shaft = PinJoint("shaft", ground, hoop, psi, rate, joint_axis=ground.y)
slide = PinJoint(
    *("slide", hoop, bead, q, u), joint_axis=hoop.z, child_interframe=arm, child_point=r * arm.y
)
system = System.from_newtonian(ground)
system.add_joints(shaft, slide)
system.apply_uniform_gravity(-g * ground.y)
idyn = jw.InverseDynamics(system)
steady = {rate.diff(): 0, rate: Omega}
along = sm.factor(idyn.generalized_forces[1].subs(steady).subs({u.diff(): 0, u: 0}))
print("0 =", along)

# %%
# **Exercise.** At which angle is the bead in equilibrium, above which rate does it leave the lowest
# point, and which torque does the shaft need while the bead passes ``q`` at the speed ``u``?

angle = sm.acos(g / (r * Omega**2))
print("zero at cos q = g / (r Omega**2):", sm.simplify(along.subs(q, angle)) == 0)
print("from", sm.sqrt(g / r).subs({g: 9.81, r: 0.1}).round(2), "rad/s on, for 0.1 m")
print("torque of the shaft:", sm.factor(idyn.generalized_forces[0].subs(steady)))

# %%
# The free body of the bead in equilibrium at 14 rad/s:

values = {m: 0.05, r: 0.1, g: 9.81}
rest = float(angle.subs({**values, Omega: 14}))
axes = jw.pictures.plot_free_body(idyn, ([0, rest], [14, 0], [0, 0]), bead, values)
