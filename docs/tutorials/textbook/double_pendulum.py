"""
The double pendulum
===================

Two point masses on massless links: the torques of a robot's shoulder and elbow.  (Craig,
Introduction to Robotics, equation 6.58.)
"""

import sympy as sm
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
)

import jointwrench as jw

g, l1, l2, m1, m2 = sm.symbols("g l1 l2 m1 m2", positive=True)
(q1, q2), (u1, u2) = dynamicsymbols("q1:3"), dynamicsymbols("u1:3")
ground, upper, lower = RigidBody("ground"), Particle("upper", mass=m1), Particle("lower", mass=m2)
A, B = ReferenceFrame("A"), ReferenceFrame("B")
shoulder = PinJoint(
    *("shoulder", ground, upper, q1, u1),
    joint_axis=ground.z,
    child_interframe=A,
    child_point=l1 * A.y,
)
elbow = PinJoint(
    *("elbow", upper, lower, q2, u2),
    joint_axis=A.z,
    parent_interframe=A,
    child_interframe=B,
    child_point=l2 * B.y,
)
system = System.from_newtonian(ground)
system.add_joints(shoulder, elbow)
system.apply_uniform_gravity(-g * ground.y)
idyn = jw.InverseDynamics(system)
idyn.formula()

# %%
# **Exercise.** The upper arm hangs down, the lower arm is folded back on it, ``q2 = pi``, and only
# the shoulder accelerates.  For which ratio of lengths does the elbow need no torque?

started = {u1.diff(): 1, u2.diff(): 0, u1: 0, u2: 0, q1: 0, q2: sm.pi}
torque = sm.factor(idyn.generalized_forces[1].subs(started))
print("elbow torque at 1 rad/s^2:", torque, "is zero where l1 = l2")

# %%
# The two bodies cut free, for an arm that is held still:

values = {m1: 2, m2: 1, l1: 0.4, l2: 0.3, g: 9.81}
axes = jw.pictures.plot_free_body(idyn, ([0.5, 0.6], [0, 0], [0, 0]), [upper, lower], values)
