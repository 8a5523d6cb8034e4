"""
Ten textbook problems
=====================

Standard problems of courses in dynamics.  Each has a sympy model, the textbook's formula, a number,
and an exercise with its answer.

Angles are in radians, all other quantities in kg, m, s and N.  A joint wrench acts on the child, by
the parent; a motor has to supply the generalized force: :doc:`/explanation/why_this_sign`.
"""

# %%
# These functions make a System from its joints, a rod, and a body without mass:

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    SphericalJoint,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

plt.style.use("jointwrench.figures")
t = dynamicsymbols._t
g, l, m, r, h = sm.symbols("g l m r h", positive=True)


def system_of(*joints, gravity=-g):
    """Return a System of joints; gravity acts along y of the first joint's parent."""
    ground = joints[0].parent
    system = System.from_newtonian(ground)
    system.add_joints(*joints)
    system.apply_uniform_gravity(gravity * ground.y)
    return system


def rod_of(name, mass, length):
    """Return a slender rod along its y axis."""
    rod = RigidBody(name, mass=mass)
    across = mass * length**2 / 12
    rod.central_inertia = inertia(rod.frame, across, 0, across)
    return rod


def massless(name):
    """Return a body that only connects others."""
    body = RigidBody(name, mass=0)
    body.central_inertia = inertia(body.frame, 0, 0, 0)
    return body


# %%
# 1. A falling rod
# ----------------
#
# A slender rod hangs from a pin.  Which force does the pin exert on it? (Meriam and Kraige,
# Dynamics, chapter 6.)

ground, rod = RigidBody("ground"), rod_of("rod", m, l)
q, u = dynamicsymbols("q u")
pin = PinJoint("pin", ground, rod, q, u, child_point=l / 2 * rod.y, joint_axis=ground.z)
pendulum = jw.InverseDynamics(system_of(pin))
pendulum.formula("pin")

# %%
# **Exercise.** The rod is released from rest in the horizontal position.  How large is the force as
# it passes its lowest point?  Conservation of energy gives ``u**2 = 3 g / l`` there; the angular
# acceleration is zero.

at_bottom = {u.diff(t): 0, u: sm.sqrt(3 * g / l), q: 0}
force = pendulum.joint_wrench("pin").force.to_matrix(rod.frame).subs(at_bottom)
print("force along the rod:", force[1], "=", force[1].subs({m: 2, g: 9.81}).evalf(4), "N for 2 kg")

# %%
# 2. A falling chimney
# --------------------
#
# Tall chimneys break while they fall.  At which height?  The chimney is a rod that rotates about
# its foot.  A section cuts it at the fraction ``s`` of its length.  This moment acts on the part
# above the cut:

ground, chimney = RigidBody("ground"), rod_of("chimney", m, l)
foot, top = -l / 2 * chimney.y, l / 2 * chimney.y
hinge = PinJoint("foot", ground, chimney, q, u, child_point=foot, joint_axis=ground.z)
s = sm.symbols("s", positive=True)
cut = jw.Section.of_rod("cut", chimney, foot, top, s)
falling = jw.InverseDynamics(system_of(hinge), sections=[cut])
bending = falling.section_wrench("cut").moment.dot(chimney.z)

# %%
# No motor acts at the foot, so the generalized force is zero, which gives the acceleration.

(free_fall,) = sm.solve(falling.generalized_forces[0], u.diff(t))
bending = sm.factor(bending.subs(u.diff(t), free_fall))
print("bending moment:", bending)

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

# %%
# 3. A cart with a pole
# ---------------------
#
# Which force on the cart keeps the pole at a constant lean?  (Åström and Murray, Feedback Systems,
# section 3.2.)

M, (x, v) = sm.symbols("M", positive=True), dynamicsymbols("x v")
ground, cart, bob, pole = (
    *(RigidBody("ground"), RigidBody("cart", mass=M)),
    *(Particle("bob", mass=m), ReferenceFrame("P")),
)
rail = PrismaticJoint("rail", ground, cart, x, v, joint_axis=ground.x)
hinge = PinJoint(
    *("hinge", cart, bob, q, u),
    joint_axis=cart.z,
    child_interframe=pole,
    child_point=-l * pole.y,  # the pole stands above the cart
)
cart_pole = jw.InverseDynamics(system_of(rail, hinge))
cart_pole.formula()

# %%
# **Exercise.** The hinge has no motor and the lean ``q`` is constant.  Which acceleration and which
# force are needed?

drive, motor = cart_pole.generalized_forces.subs({u.diff(t): 0, u: 0})
(acceleration,) = sm.solve(motor, v.diff(t))
force = sm.simplify(drive.subs(v.diff(t), acceleration))
print("acceleration:", acceleration)
values = {M: 1, m: 0.2, g: 9.81, q: -0.1}
print("force:", force, "=", force.subs(values).evalf(4), "N at a lean of -0.1 rad, towards x")

# %%
# 4. A bead on a spinning hoop
# ----------------------------
#
# A hoop turns about its vertical diameter at the constant rate Omega; a bead slides on it without
# friction.  Where is its equilibrium?  (Taylor, Classical Mechanics, example 7.6.)  The hoop is a
# body without mass, driven by a motor; the bead's angle ``q`` is measured from the lowest point.

Omega, (turn, rate) = sm.symbols("Omega", positive=True), dynamicsymbols("psi Psi")
ground, hoop, bead, arm = (
    *(RigidBody("ground"), massless("hoop")),
    *(Particle("bead", mass=m), ReferenceFrame("A")),
)
shaft = PinJoint("shaft", ground, hoop, turn, rate, joint_axis=ground.y)
slide = PinJoint(
    *("slide", hoop, bead, q, u), joint_axis=hoop.z, child_interframe=arm, child_point=r * arm.y
)
on_hoop = jw.InverseDynamics(system_of(shaft, slide))
steady = {rate.diff(t): 0, rate: Omega}
along = sm.factor(on_hoop.generalized_forces[1].subs(steady).subs({u.diff(t): 0, u: 0}))
print("0 =", along)

# %%
# **Exercise.** At which angle is the bead in equilibrium, above which rate does it leave the lowest
# point, and which torque does the shaft need while the bead passes ``q`` at the speed ``u``?

angle = sm.acos(g / (r * Omega**2))
print("zero at cos q = g / (r Omega**2):", sm.simplify(along.subs(q, angle)) == 0)
print("from", sm.sqrt(g / r).subs({g: 9.81, r: 0.1}).round(2), "rad/s on, for 0.1 m")
print("torque of the shaft:", sm.factor(on_hoop.generalized_forces[0].subs(steady)))

# %%
# 5. The double pendulum
# ----------------------
#
# Two point masses on massless links: the torques of a robot's shoulder and elbow.  (Craig,
# Introduction to Robotics, equation 6.58.)

l1, l2, m1, m2 = sm.symbols("l1 l2 m1 m2", positive=True)
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
arm = jw.InverseDynamics(system_of(shoulder, elbow))
arm.formula()

# %%
# **Exercise.** The upper arm hangs down, the lower arm is folded back on it, ``q2 = pi``, and only
# the shoulder accelerates.  For which ratio of lengths does the elbow need no torque?

started = {u1.diff(t): 1, u2.diff(t): 0, u1: 0, u2: 0, q1: 0, q2: sm.pi}
torque = sm.factor(arm.generalized_forces[1].subs(started))
print("elbow torque at 1 rad/s^2:", torque, "is zero where l1 = l2")

# %%
# 6. A load on a turning arm
# --------------------------
#
# A load is pulled in along a rotating arm.  Which torque keeps the rate constant?  (Murray, Li and
# Sastry, A Mathematical Introduction to Robotic Manipulation, chapter 4.)

ground, link, load = RigidBody("ground"), massless("link"), Particle("load", mass=m)
d, w = dynamicsymbols("d w")
pivot = PinJoint("pivot", ground, link, q, u, joint_axis=ground.z)
slider = PrismaticJoint("slider", link, load, d, w, joint_axis=link.x)
polar = jw.InverseDynamics(system_of(pivot, slider))
polar.formula()

# %%
# **Exercise.** An observer sits on the arm.  Which force along and across the arm does the slider
# supply for each term in this observer's balance?

rider = jw.ObserverFrame(link.frame, link.masscenter, ground.frame, ground.masscenter)
parts = polar.contributions("slider", rider)
for name in ("observed", "Euler", "centrifugal", "Coriolis"):
    print(f"{name:12}", parts[name].force.to_matrix(link.frame)[:2])

# %%
# 7. A spinning top
# -----------------
#
# A symmetric top on a fixed point: precession ``psi``, lean ``theta``, spin ``phi``.  (Goldstein,
# section 5.7.)  In the frame in which its formula is shortest, the wrench depends on neither
# ``psi`` nor ``phi``.

I, C = sm.symbols("I C", positive=True)
ground, body = RigidBody("ground"), RigidBody("top", mass=m)
body.central_inertia = inertia(body.frame, I, I, C)
angles, rates = dynamicsymbols("psi theta phi"), dynamicsymbols("p n s_")
tip = SphericalJoint(
    *("tip", ground, body, angles, rates),
    child_point=-h * body.z,
    rot_type="BODY",
    rot_order="ZXZ",
)
system = System.from_newtonian(ground)
system.add_joints(tip)
system.apply_uniform_gravity(-g * ground.z)
top = jw.InverseDynamics(system)
top.formula("tip", frame="shortest")

# %%
# **Exercise.** The tip cannot supply a moment.  How fast does a top of 0.1 kg precess steadily at a
# lean of 0.5 rad, with an angular velocity of 200 rad/s about its axis?

psi, theta, phi = angles
steady = dict.fromkeys([x.diff(t) for x in rates], 0) | {rates[1]: 0}
balance = sm.factor(sm.simplify(top.generalized_forces[1].subs(steady)))
print("0 =", balance)
numbers = {m: 0.1, h: 0.04, I: 5e-5, C: 4e-5, g: 9.81, theta: 0.5}
spin = 200 - rates[0] * sm.cos(0.5)  # the rate of phi
slow, fast = sorted(sm.solve(balance.subs(rates[2], spin).subs(numbers), rates[0]))
print("precession:", slow.round(2), "or", fast.round(2), "rad/s; about m g h / (C 200) =", end=" ")
print((m * g * h / (200 * C)).subs(numbers).round(2))

# %%
# 8. A skewed disc on a shaft
# ---------------------------
#
# A thin disc is mounted on its shaft at the angle ``alpha``.  It is statically balanced, but it
# loads its bearings.  How large is the moment?

alpha = sm.symbols("alpha", positive=True)
ground, disc = RigidBody("ground"), RigidBody("disc", mass=m)
disc.central_inertia = inertia(disc.frame, m * r**2 / 4, m * r**2 / 4, m * r**2 / 2)
shaft_frame = ReferenceFrame("S")
shaft_frame.orient_axis(disc.frame, disc.x, alpha)
bearing = PinJoint("bearing", ground, disc, q, u, child_interframe=shaft_frame, joint_axis=ground.z)
rotor = jw.InverseDynamics(system_of(bearing, gravity=0))
rotor.formula("bearing", frame=shaft_frame)

# %%
# **Exercise.** How large is the moment across the shaft at a constant rate, for 2 kg, 0.1 m, one
# degree and 3000 revolutions a minute?

steady = rotor.joint_wrench("bearing").moment.to_matrix(shaft_frame).subs(u.diff(t), 0)
across = sm.simplify(steady[0])
numbers = {m: 2, r: 0.1, alpha: np.deg2rad(1), u: 3000 * 2 * np.pi / 60}
print("moment:", across, "=", across.subs(numbers).evalf(4), "N m; it turns with the shaft")

# %%
# 9. A tennis racket
# ------------------
#
# A body free of torques can rotate steadily about each of its principal axes.  A racket that is
# thrown up does so about only two of them.  Why?  (Euler's equations.)

I1, I2, I3 = sm.symbols("I1:4", positive=True)
ground, racket = RigidBody("ground"), RigidBody("racket", mass=m)
racket.central_inertia = inertia(racket.frame, I1, I2, I3)
w1, w2, w3 = dynamicsymbols("w1:4")
flight = jw.QuaternionJoint("flight", ground, racket, speeds=[w1, w2, w3])
euler = jw.InverseDynamics(system_of(flight, gravity=0))
euler.formula()

# %%
# **Exercise.** The racket rotates at the rate Omega about one of these axes, with a small
# disturbance.  How fast does the disturbance grow?

accelerations = sm.Matrix([w1, w2, w3]).diff(t)
motion = sm.solve(list(euler.generalized_forces), list(accelerations))
for axis, spinning in enumerate((w1, w2, w3)):
    still = {w: Omega if w is spinning else 0 for w in (w1, w2, w3)}
    slopes = accelerations.subs(motion).jacobian([w1, w2, w3]).subs(still)
    values = slopes.subs({I1: 0.0012, I2: 0.0164, I3: 0.0176, Omega: 10}).eigenvals()
    rate = max(float(sm.re(value)) for value in values)
    print(f"axis {axis + 1}: grows by exp({rate:.2f} t) at 10 rad/s")

# %%
# The rotation is unstable about the axis with the intermediate moment of inertia.

# %%
# 10. A slider-crank
# ------------------
#
# A crank, a rod and a piston form a loop.  A ``LoopJoint`` closes it; the other joints form a tree.
# Gas exerts the force ``P`` on the piston.  Which torque holds the crank?

P = sm.symbols("P", positive=True)
ground, crank, rod, piston = map(massless, ("ground", "crank", "rod", "piston"))
beta, omega = dynamicsymbols("beta omega")
main = PinJoint("main", ground, crank, q, u, joint_axis=ground.z)
crank_pin = PinJoint(
    *("crank_pin", crank, rod, beta, omega), joint_axis=crank.z, parent_point=r * crank.x
)
bore = PrismaticJoint("bore", ground, piston, d, w, joint_axis=ground.x)
wrist = jw.LoopJoint("wrist", rod, piston, "pin", parent_point=l * rod.x, joint_axis=rod.z)
system = System.from_newtonian(ground)
system.add_joints(main, crank_pin, bore)
system.add_loads((piston.masscenter, -P * ground.x))
system.add_holonomic_constraints(*wrist.holonomic_constraints)
system.q_ind, system.q_dep = [q], [beta, d]
system.u_ind, system.u_dep = [u], [omega, w]
engine = jw.InverseDynamics(system, loops=[wrist])
engine.formula()

# %%
# ``beta`` is the angle of the rod relative to the crank.  Only the crank is driven, so there is one
# torque.  ``close_motion`` finds the dependent coordinates of a pose.
#
# **Exercise.** Plot the torque over one revolution of a crank of 40 mm, under a force of 1 kN, for
# several rod lengths.  How large is it where the crank is perpendicular to the bore?

evaluate = engine.compile("generalized_forces")
turn = np.linspace(0.0, 2 * np.pi, 181)
fig, ax = plt.subplots(figsize=(6, 3))
for length in (0.07, 0.14, 0.56):
    values = {r: 0.04, l: length, P: 1000.0}
    lean = -turn - np.arcsin(0.04 / length * np.sin(turn))
    start = np.stack([turn, lean, 0.04 * np.cos(turn) + length * np.cos(lean + turn)], axis=-1)
    rest = np.zeros_like(start)
    poses = engine.close_motion(start, rest, rest, values, guess=start)
    torque = evaluate(*poses, constants=values).generalized_forces[:, 0]
    ax.plot(np.degrees(turn), torque, label=f"rod {1000 * length:.0f} mm")
    print(f"rod {1000 * length:3.0f} mm: {torque[45]:.6f} N m at 90 degrees")
ax.set(xlabel="crank angle / degrees", ylabel="torque on the crank / (N m)")
ax.legend()

# %%
# It is ``P r`` in magnitude for every rod: in this position the piston is as fast as the crank pin.

# %%
# Where to go on
# --------------
#
# A derivation line by line: :doc:`/recipes/written_derivation`.  Observers and fictitious forces:
# :doc:`/generated/tutorials/teaching`.  To check a formula, compare with a simulation:
# :func:`~jointwrench.crosscheck`.
