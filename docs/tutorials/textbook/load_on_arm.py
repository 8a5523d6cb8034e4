"""
A load on a turning arm
=======================

A load is pulled in along a rotating arm.  Which torque keeps the rate constant?  (Murray, Li and
Sastry, A Mathematical Introduction to Robotic Manipulation, chapter 4.)
"""

import sympy as sm
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

m = sm.symbols("m", positive=True)
q, u, d, w = dynamicsymbols("q u d w")
ground, arm, load = RigidBody("ground"), RigidBody("arm", mass=0), Particle("load", mass=m)
arm.central_inertia = inertia(arm.frame, 0, 0, 0)
pivot = PinJoint("pivot", ground, arm, q, u, joint_axis=ground.z)
slider = PrismaticJoint("slider", arm, load, d, w, joint_axis=arm.x)
system = System.from_newtonian(ground)
system.add_joints(pivot, slider)
idyn = jw.InverseDynamics(system)
idyn.formula()

# %%
# **Exercise.** An observer sits on the arm.  Which force along and across the arm does the slider
# supply for each term in this observer's balance?

rider = jw.ObserverFrame(arm.frame, arm.masscenter, ground.frame, ground.masscenter)
parts = idyn.contributions("slider", rider)
for name in ("observed", "Euler", "centrifugal", "Coriolis"):
    print(f"{name:12}", parts[name].force.to_matrix(arm.frame)[:2])

# %%
# The free body of the load as seen from ground, pulled in at 0.5 m/s on an arm at 3 rad/s: the
# force towards the pivot holds it on its curve, the force across slows it down.

state = [0.3, 0.8], [3.0, -0.5], [0, 0]
axes = jw.pictures.plot_free_body(idyn, state, load, {m: 2})
