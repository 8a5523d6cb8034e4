"""
A cart with a pole
==================

Which force on the cart keeps the pole at a constant lean?  (Åström and Murray, Feedback Systems,
section 3.2.)
"""

import sympy as sm
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
)

import jointwrench as jw

# %%
# The pole is a particle on a massless rod, which stands above the cart while ``q`` is zero.

g, l, m, M = sm.symbols("g l m M", positive=True)
q, u, x, v = dynamicsymbols("q u x v")
ground, cart, bob = RigidBody("ground"), RigidBody("cart", mass=M), Particle("bob", mass=m)
pole = ReferenceFrame("P")
rail = PrismaticJoint("rail", ground, cart, x, v, joint_axis=ground.x)
hinge = PinJoint(
    *("hinge", cart, bob, q, u),
    joint_axis=cart.z,
    child_interframe=pole,
    child_point=-l * pole.y,
)
system = System.from_newtonian(ground)
system.add_joints(rail, hinge)
system.apply_uniform_gravity(-g * ground.y)
idyn = jw.InverseDynamics(system)
idyn.formula()

# %%
# **Exercise.** The hinge has no motor and the lean ``q`` is constant.  Which acceleration and which
# force are needed?

drive, motor = idyn.generalized_forces.subs({u.diff(): 0, u: 0})
(acceleration,) = sm.solve(motor, v.diff())
force = sm.simplify(drive.subs(v.diff(), acceleration))
print("acceleration:", acceleration)
values = {M: 1, m: 0.2, l: 0.5, g: 9.81}
lean = -0.1
print("force:", force, "=", force.subs({**values, q: lean}).evalf(4), "N at a lean of -0.1 rad")

# %%
# The free body of the bob in this motion: the rod's force is along the pole, so that it accelerates
# the bob and carries its weight.

needed = float(acceleration.subs({**values, q: lean}))
axes = jw.pictures.plot_free_body(idyn, ([0, lean], [0, 0], [needed, 0]), bob, values)
