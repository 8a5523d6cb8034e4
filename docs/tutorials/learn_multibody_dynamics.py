"""
For students of *Learn Multibody Dynamics*
==========================================

J. K. Moore's online book `Learn Multibody Dynamics
<https://moorepants.github.io/learn-multibody-dynamics/>`_ leads from frames to Kane's equations and
simulation.  Which torques does a motion take, and what do the joints carry?  This page answers both
in that book's notation, for a ``KanesMethod`` that stays as it is.
"""

# %%
# A model as in the book
# ----------------------
#
# Three links hang from a ceiling: A turns about z, B about z of A, C about x of B, like a leg
# with a foot that rolls sideways.  Motors are at the two upper joints.

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

q1, q2, q3, u1, u2, u3, T1, T2 = me.dynamicsymbols("q1, q2, q3, u1, u2, u3, T1, T2")
m, l, g = sm.symbols("m, l, g")
t = me.dynamicsymbols._t

N, A, B, C = sm.symbols("N, A, B, C", cls=me.ReferenceFrame)
A.orient_axis(N, q1, N.z)
B.orient_axis(A, q2, A.z)
C.orient_axis(B, q3, B.x)
A.set_ang_vel(N, u1 * N.z)
B.set_ang_vel(A, u2 * A.z)
C.set_ang_vel(B, u3 * B.x)

O, P1, P2, Ao, Bo, Co = sm.symbols("O, P1, P2, A_o, B_o, C_o", cls=me.Point)
Ao.set_pos(O, -l / 2 * A.y)
P1.set_pos(O, -l * A.y)
Bo.set_pos(P1, -l / 2 * B.y)
P2.set_pos(P1, -l * B.y)
Co.set_pos(P2, -l / 2 * C.y)
O.set_vel(N, 0)
for point, fixed, frame in ((Ao, O, A), (P1, O, A), (Bo, P1, B), (P2, P1, B), (Co, P2, C)):
    point.v2pt_theory(fixed, N, frame)

bodies, loads = [], [(A, T1 * N.z - T2 * N.z), (B, T2 * N.z)]
for name, center, frame in (("thigh", Ao, A), ("shank", Bo, B), ("foot", Co, C)):
    I = me.inertia(frame, m * l**2 / 12, m * l**2 / 100, m * l**2 / 12)
    bodies.append(me.RigidBody(name, center, frame, m, (I, center)))
    loads.append((center, -m * g * N.y))

kdes = [q1.diff(t) - u1, q2.diff(t) - u2, q3.diff(t) - u3]
kane = me.KanesMethod(N, (q1, q2, q3), (u1, u2, u3), kd_eqs=kdes)
Fr, Frs = kane.kanes_equations(bodies, loads)

# %%
# What the joints carry
# ---------------------
#
# ``from_kane`` deduces the joints from the points and frames.

import jointwrench as jw

idyn = jw.InverseDynamics.from_kane(kane)
idyn.connections  # parent, child, point

# %%
# The force on the foot, by the shank, as a formula in C, for which the book needs an auxiliary
# speed and an unknown force for each component.

print(idyn.formula("foot"))

# %%
# Numbers of one state: force and moment on the foot, about P2, in C or in N.

numbers = {m: 2.0, l: 0.4, g: 9.81}
evaluate = idyn.compile()
state = [0.2, -0.3, 0.1], [1.0, -2.0, 0.5], [3.0, 0.0, -1.0]
still = {T1: 0.0, T2: 0.0}
result = evaluate(*state, constants=numbers, specifieds=still)
result.joint_wrench("foot").round(3), result.joint_wrench("foot", frame=N).round(3)

# %%
# The motor torques of a motion
# -----------------------------
#
# T1 and T2 are known loads of the model.  ``solve_for`` makes them unknowns, which a motion
# determines: here formulas of time, differentiated exactly.

import matplotlib.pyplot as plt

motors = jw.InverseDynamics.from_kane(kane, solve_for=[T1, T2])
times = np.linspace(0, 2, 101)
swing = {q1: 0.4 * sm.sin(3 * t), q2: 0.4 * sm.cos(3 * t) - 0.4, q3: 0}
motion = jw.Trajectory.from_formulas(motors, swing, times)
needed = motors.compile(["generalized_forces", "solved_loads"])(
    motion.q, motion.u, motion.udot, constants=numbers
)
torques = needed.solved_loads

plt.style.use("jointwrench.figures")
fig, ax = plt.subplots(figsize=(8, 3.2))
ax.plot(times, np.stack([torques[T1], torques[T2]], axis=-1), label=["T1", "T2"])
ax.set(xlabel="time / s", ylabel="torque / N m")
fig.legend(loc="outside upper left", ncols=2)
ax.grid()

# %%
# No motor turns C, and this motion would ask nothing of one, since all links stay in one plane:

print(abs(needed.generalized_forces[:, 2]).max().round(9))

# %%
# Reactions during a simulation
# -----------------------------
#
# The book evaluates ``mass_matrix_full`` and ``forcing_full`` and gives the rates to
# ``solve_ivp``.  Here nobody drives the motors, and the leg falls from a raised position.

from scipy.integrate import solve_ivp

qs, us = sm.Matrix([q1, q2, q3]), sm.Matrix([u1, u2, u3])
p, r = sm.Matrix([m, l, g]), sm.Matrix([T1, T2])
eval_kane = sm.lambdify((qs, us, r, p), (kane.mass_matrix_full, kane.forcing_full), cse=True)


def eval_rhs(t, x):
    """Return the rates of the states."""
    Md, gd = eval_kane(x[:3], x[3:], [0.0, 0.0], list(numbers.values()))
    return np.linalg.solve(Md, gd[:, 0])


sol = solve_ivp(eval_rhs, (0, 2), [1.2, 0.3, 0.5, 0, 0, 0], t_eval=times, rtol=1e-8, atol=1e-8)

# %%
# ``reactions`` takes its solution: the joint wrenches at each of its states.

fdyn = jw.ForwardDynamics.from_kane(kane)
reactions = fdyn.reactions(None, sol, constants=numbers, specifieds=still)
axes = jw.pictures.plot_wrenches(reactions, frame=N, components="fx fy fz")

# %%
# The joint of the foot has no motor, and bears no moment about its axis:

print(abs(reactions.joint_wrench("foot", components="mx")).max().round(6))

# %%
# :doc:`/explanation/conventions` has signs and orders; :doc:`/explanation/without_joints` says
# how connections follow from points, also in rolling wheels such as those of the book's bicycle.
