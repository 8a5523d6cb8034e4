"""
A spinning top
==============

A symmetric top on a fixed point: precession ``psi``, lean ``theta``, spin ``phi``.  How fast does
it precess?  (Goldstein, Classical Mechanics, section 5.7.)
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import RigidBody, SphericalJoint, System, dynamicsymbols, inertia

import jointwrench as jw

# %%
# In the frame in which its formula is shortest, the wrench depends on neither ``psi`` nor ``phi``.

plt.style.use("jointwrench.figures")
g, h, m, I, C = sm.symbols("g h m I C", positive=True)
ground, top = RigidBody("ground"), RigidBody("top", mass=m)
top.central_inertia = inertia(top.frame, I, I, C)
angles, rates = dynamicsymbols("psi theta phi"), dynamicsymbols("p n s")
tip = SphericalJoint(
    *("tip", ground, top, angles, rates),
    child_point=-h * top.z,
    rot_type="BODY",
    rot_order="ZXZ",
)
system = System.from_newtonian(ground)
system.add_joints(tip)
system.apply_uniform_gravity(-g * ground.z)
idyn = jw.InverseDynamics(system)
idyn.formula("tip", frame="shortest")

# %%
# **Exercise.** The tip cannot supply a moment.  How fast does a top of 0.1 kg precess steadily at a
# lean of 0.5 rad, with an angular velocity of 200 rad/s about its axis?

(psi, theta, phi), (p, n, s) = angles, rates
steady = dict.fromkeys([x.diff() for x in rates], 0) | {n: 0}
balance = sm.factor(sm.simplify(idyn.generalized_forces[1].subs(steady)))
print("0 =", balance)
values = {m: 0.1, h: 0.04, I: 5e-5, C: 4e-5, g: 9.81}
spin = sm.symbols("spin")  # about its own axis: that of phi, and a part of that of psi
of_spin = balance.subs(s, spin - p * sm.cos(theta)).subs({**values, theta: 0.5})
slow, fast = sorted(sm.solve(of_spin.subs(spin, 200), p))
print("precession:", slow.round(2), "or", fast.round(2), "rad/s; about m g h / (C 200) =", end=" ")
print((m * g * h / (200 * C)).subs(values).round(2))

# %%
# The slow precession is that of toys.  Both meet at the slowest spin at which a top can lean so:

fig, ax = plt.subplots(figsize=(6, 3))
spins = np.linspace(50, 300, 251)
a, b, c = sm.lambdify(spin, sm.Poly(of_spin, p).all_coeffs())(spins)
root = np.sqrt(np.maximum(b**2 - 4 * a * c, np.where(b**2 < 4 * a * c, np.nan, 0)))
for sign, name in ((1, "fast"), (-1, "slow")):
    ax.plot(spins, np.abs(-b + sign * np.sign(-b) * root) / np.abs(2 * a), label=name)
ax.set(xlabel="spin / (rad/s)", ylabel="precession / (rad/s)", yscale="log")
ax.legend()
