"""
A skewed disc on a shaft
========================

A thin disc is mounted on its shaft at the angle ``alpha``.  It is statically balanced, but it loads
its bearings.  How large is the moment?
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import (
    PinJoint,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

plt.style.use("jointwrench.figures")
m, r, alpha = sm.symbols("m r alpha", positive=True)
q, u = dynamicsymbols("q u")
ground, disc = RigidBody("ground"), RigidBody("disc", mass=m)
disc.central_inertia = inertia(disc.frame, m * r**2 / 4, m * r**2 / 4, m * r**2 / 2)
shaft = ReferenceFrame("S")
shaft.orient_axis(disc.frame, disc.x, alpha)
bearing = PinJoint("bearing", ground, disc, q, u, child_interframe=shaft, joint_axis=ground.z)
system = System.from_newtonian(ground)
system.add_joints(bearing)
idyn = jw.InverseDynamics(system)
idyn.formula("bearing", frame=shaft)

# %%
# **Exercise.** How large is the moment across the shaft at a constant rate, for 2 kg, 0.1 m, one
# degree and 3000 revolutions a minute?

steady = idyn.joint_wrench("bearing").moment.to_matrix(shaft).subs(u.diff(), 0)
across = sm.simplify(steady[0])
values = {m: 2, r: 0.1, alpha: np.deg2rad(1), u: 3000 * 2 * np.pi / 60}
print("moment:", across, "=", across.subs(values).evalf(4), "N m; it turns with the shaft")

# %%
# In the frame of ground the moment turns with the shaft: the bearings shake once a revolution.

fig, ax = plt.subplots(figsize=(6, 3))
turn = np.linspace(0, 2 * np.pi, 181)
result = idyn.compile()(
    turn[:, None], [values[u]], [0], constants={x: values[x] for x in (m, r, alpha)}
)
for component in ("mx", "my"):
    moment = result.joint_wrench("bearing", frame=ground.frame, components=component)
    ax.plot(np.degrees(turn), moment, label=component)
ax.set(xlabel="angle of the shaft / degrees", ylabel="moment on the disc / (N m)")
ax.legend()
