"""
Your own model of sympy and PyDy
================================

You have a ``KanesMethod``, or a ``System`` of sympy or PyDy.  Three lines give its joint forces::

    idyn = jw.InverseDynamics.from_kane(kane)  # or InverseDynamics(system)
    idyn.joint_wrench(joint)  # a formula: force and moment on the child, by the parent
    result = idyn.compile()(q, u, udot, constants={m: 2.0, l: 0.5})  # numbers, for whole batches

This page does that for a model of PyDy without joints and for a crane of sympy's joints: formulas,
a compiled function, a simulation, and the reactions during it.  Signs, frames and orders are in
:doc:`/explanation/conventions`.
"""

# %%
# A KanesMethod
# -------------
#
# Its connections of bodies are deduced from points and frames (:doc:`/explanation/without_joints`).

from pydy.models import n_link_pendulum_on_cart

import jointwrench as jw

kane = n_link_pendulum_on_cart(2, cart_force=True, joint_torques=True).eom_method
idyn = jw.InverseDynamics.from_kane(kane)
idyn.connections  # parent, child and point of each

# %%
# The force on the first bob, by the cart, and what the rods and motors must supply:

print(idyn.formula("Pa1"))
idyn.generalized_forces

# %%
# The result is a :class:`~jointwrench.Wrench`, which moves to other points and frames.

idyn.joint_wrench("Pa1")

# %%
# A System with joints
# --------------------
#
# Here a spring and a damper hold a trolley on a rail; a jib is pinned to the trolley, and a ball of
# lead sits at the jib's end.  Loads and actuators of the System are known loads.  The push on the
# trolley is a function of time that is specified later.

import matplotlib.pyplot as plt
import numpy as np
from sympy.physics.mechanics import (
    LinearDamper,
    LinearPathway,
    LinearSpring,
    Particle,
    PinJoint,
    Point,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

plt.style.use("jointwrench.figures")  # colours that everybody can tell apart

length, stiffness, push = 1.2, 40.0, dynamicsymbols("push")
ground = RigidBody("ground")
trolley = RigidBody("trolley", mass=5.0)
jib = RigidBody("jib", mass=2.0)
jib.central_inertia = inertia(jib.frame, 0.24, 0.01, 0.24)
end = jib.masscenter.locatenew("end", -length / 2 * jib.y)
lead = Particle("lead", end, 1.0)

rail = PrismaticJoint("rail", ground, trolley, joint_axis=ground.x)
hinge = PinJoint("hinge", trolley, jib, child_point=length / 2 * jib.y, joint_axis=trolley.z)

crane = System.from_newtonian(ground)
crane.add_joints(rail, hinge)
crane.add_bodies(lead)  # fixed in the jib: it needs no joint
crane.apply_uniform_gravity(-9.81 * ground.y)
wall = Point("wall")
wall.set_pos(ground.masscenter, -2 * ground.x)
wall.set_vel(ground.frame, 0)
pathway = LinearPathway(wall, trolley.masscenter)
crane.add_actuators(LinearSpring(stiffness, pathway, 2.0), LinearDamper(3.0, pathway))
crane.add_loads((trolley.masscenter, push * ground.x))

idyn = jw.InverseDynamics(crane)
print(idyn)
print("coordinates", list(idyn.coordinates), "speeds", list(idyn.speeds))
print("specified quantities:", idyn.specifieds)

# %%
# Compile, and evaluate a batch
# -----------------------------
#
# ``compile`` returns a function of arrays.  The last axis counts the coordinates, in the order of
# ``idyn.coordinates``; all axes before it are the batch.  A model with symbols takes their values
# as ``constants={m: 1.0, ...}`` or by name, ``{"m": 1.0}``; ``idyn.constants`` lists them.

evaluate = idyn.compile()
times = np.linspace(0, 2, 201)
q = np.stack([0.2 * np.sin(3 * times), 0.5 * np.cos(3 * times)], axis=-1)
u = np.stack([0.6 * np.cos(3 * times), -1.5 * np.sin(3 * times)], axis=-1)
udot = -9 * q
result = evaluate(q, u, udot, specifieds={push: 0.0})
print("generalized forces", result.generalized_forces.shape)
print("joint wrenches", result.joint_wrenches.shape)
print("in the hinge, at first:", result.joint_wrench(hinge)[0].round(3))

# %%
# A motion can also be given by formulas of time.

t = dynamicsymbols._t
formulas = {crane.q[0]: 0.1 * t**2, crane.q[1]: 0.5 * t}
motion = jw.PrescribedMotion(idyn, formulas)
print(evaluate(*motion.at([0.0, 1.0]), specifieds={push: 0.0}).generalized_forces)

# %%
# Simulate
# --------
#
# :class:`~jointwrench.ForwardDynamics` answers the reverse question: which motion follows from the
# loads?  Here somebody pushes for half a second.


def shove(t):
    """Return the force on the trolley at a time."""
    return 60.0 if t < 0.5 else 0.0


fdyn = jw.ForwardDynamics(crane)
times = np.linspace(0, 4, 401)
swing = fdyn.simulate(times, q=[0, 0], u=[0, 0], specifieds={push: shove})

fig, ax = plt.subplots(figsize=(8, 3.2))
ax.plot(swing.times, swing.q[:, 0], label="trolley / m")
ax.plot(swing.times, swing.q[:, 1], label="jib / rad")
ax.set(xlabel="time / s", ylabel="coordinates")
fig.legend(loc="outside upper left", ncols=2)
ax.grid()

# %%
# ``fdyn.pydy_system(...)`` is a ``pydy.system.System`` of the same model, and ``fdyn.rhs(...)`` a
# function for ``scipy.integrate.solve_ivp``.

# %%
# Reactions
# ---------
#
# Which forces acted in the rail and the hinge?  ``reactions`` takes the states of any simulation of
# the model, by this package, PyDy or scipy.

reactions = fdyn.reactions(None, swing, specifieds={push: shove})
force = reactions.joint_wrench(hinge, frame=ground.frame)[:, :3]
print("largest force in the hinge:", np.linalg.norm(force, axis=-1).max().round(2), "N")

axes = jw.pictures.plot_wrenches(reactions, frame=ground.frame, components="fx fy")

# %%
# The same on the moving crane, in the browser: drag to rotate, use the wheel to zoom.

jw.pictures.interactive_view(crane, swing, reactions)

# %%
# The push ends at 0.5 s.  The rail transmits no force along itself, and the hinge no moment about
# its axis: the System has no motors there, and the spring, the damper and the push are known loads.

print("along the rail:", abs(reactions.joint_wrench(rail, components="fx")).max().round(9))
print("about the hinge:", abs(reactions.joint_wrench(hinge, components="mz")).max().round(9))

# %%
# Derivatives, checks
# -------------------
#
# ``compile(..., derivatives=["q", "udot"])`` also returns exact derivatives, and
# :func:`~jointwrench.crosscheck` compares the model with sympy's ``KanesMethod``.

print(jw.crosscheck(idyn, formulas, np.linspace(0, 1, 21), {}, specifieds={push: 0.0}))

# %%
# :doc:`/recipes/index` continues with closed loops, unknown loads and models without joints;
# :doc:`/generated/examples/index` has complete programs.
