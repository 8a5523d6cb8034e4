"""
A tennis racket
===============

A body free of torques can rotate steadily about each of its principal axes.  A racket that is
thrown up does so about only two of them.  Why?  (Euler's equations.)
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import RigidBody, System, dynamicsymbols, inertia

import jointwrench as jw

plt.style.use("jointwrench.figures")
m, I1, I2, I3 = sm.symbols("m I1:4", positive=True)
ground, racket = RigidBody("ground"), RigidBody("racket", mass=m)
racket.central_inertia = inertia(racket.frame, I1, I2, I3)
w1, w2, w3 = speeds = dynamicsymbols("w1:4")
flight = jw.QuaternionJoint("flight", ground, racket, speeds=speeds)
system = System.from_newtonian(ground)
system.add_joints(flight)
idyn = jw.InverseDynamics(system)
idyn.formula()

# %%
# **Exercise.** The racket rotates at the rate Omega about one of these axes, with a small
# disturbance.  How fast does the disturbance grow?

Omega = sm.symbols("Omega", positive=True)
accelerations = sm.Matrix(speeds).diff()
motion = sm.solve(list(idyn.generalized_forces), list(accelerations))
values = {I1: 0.0012, I2: 0.0164, I3: 0.0176, Omega: 10}
for axis, spinning in enumerate(speeds):
    still = {w: Omega if w is spinning else 0 for w in speeds}
    slopes = accelerations.subs(motion).jacobian(speeds).subs(still)
    rate = max(float(sm.re(x)) for x in slopes.subs(values).eigenvals())
    print(f"axis {axis + 1}: grows by exp({rate:.2f} t) at 10 rad/s")

# %%
# The rotation is unstable about the axis with the intermediate moment of inertia.  A simulation
# that starts a hundredth off that axis turns over and over:

times = np.linspace(0, 4, 401)
thrown = jw.ForwardDynamics(system).simulate(
    times, q=[1, 0, 0, 0], u=[0.1, 10, 0.1], constants={m: 0.35, I1: 0.0012, I2: 0.0164, I3: 0.0176}
)
fig, ax = plt.subplots(figsize=(6, 3))
ax.plot(times, thrown.u, label=["w1", "w2", "w3"])
ax.set(xlabel="time / s", ylabel="angular velocity / (rad/s)")
ax.legend()
