"""
Observers and fictitious forces
===============================

What each observer of a limb of three segments sees, why all observers find the same joint forces,
and which errors two documents on such limbs contain.

The limb is that of Falk Mielke's tutorial *The N-segment piglet limb* (University of Antwerp,
2020): point masses at the middle of segments that rotate at constant rates, without gravity.  It
shows every kind of fictitious force except Euler's, which an exercise adds.
"""

# %%
# Forces act at points
# --------------------
#
# A **wrench** is a force, and a moment about a point.  About another point the moment changes by
# r x F.

import matplotlib.pyplot as plt
import numpy as np
from sympy import (
    Rational,
    diag,
    expand,
    lambdify,
    nsimplify,
    pprint,
    rot_axis3,
    simplify,
    symbols,
    zeros,
)
from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols
from sympy.simplify.fu import TR8  # products of sines to sums

import jointwrench as jw

plt.style.use("jointwrench.figures")  # colours that everybody can tell apart

N, O = ReferenceFrame("N"), Point("O")
P = O.locatenew("P", 2 * N.x)
pull = jw.Wrench(P, 3 * N.y)  # 3 N, two metres away from O
print("about P:", pull.to_matrix(N).T)
print("about O:", pull.about(O).to_matrix(N).T)

# %%
# The limb
# --------
#
# Three segments along y, each pinned to the previous one and rotating about z.  ``P_0`` is the
# shoulder, ``P_3`` the tip.

lengths, masses = symbols("l_:3", positive=True), symbols("m_:3", positive=True)
limb = jw.SerialChain([jw.Segment(f"S_{i}", lengths[i], masses[i]) for i in range(3)])
print([body.name for body in limb.bodies], limb.joint_points, limb.frames)

# %%
# The joints rotate at constant rates of 1, 2 and 4 rad/s.  ``planar`` substitutes this motion and
# the numbers in a wrench and returns fx, fy and mz as functions of time; the other three components
# are zero in the plane.

t = dynamicsymbols._t
numbers = dict(zip((*lengths, *masses), (0.8, 0.6, 0.4, 0.7, 0.5, 0.3), strict=True))
rates = (1, 2, 4)


def planar(wrench, frame=limb.frames[2]):
    """Return fx, fy and mz of a wrench on the moving limb, as sums of sines and cosines of time."""
    swap = {q: rate * t for q, rate in zip(limb.coordinates, rates, strict=True)}
    swap |= dict(zip(limb.speeds, rates, strict=True))
    fx, fy, _, _, _, mz = wrench.to_matrix(frame).subs(swap).doit().subs(numbers)
    return [expand(TR8(expand(entry))).evalf(4, chop=True) for entry in (fx, fy, mz)]


# %%
# Seen from the ground
# --------------------
#
# Newton and Euler: the wrench on a body equals the rate of change of its momentum and angular
# momentum. ``Wrench.dynamic`` is that rate of change.  Nothing but the joint at ``P_2`` acts on the
# last segment, so it **equals** the wrench of that joint.

world, origin = limb.ground.frame, limb.ground.masscenter
last, elbow = limb.bodies[2], limb.joint_points[2]
asked = jw.Wrench.dynamic(last, world).about(elbow)
print(*planar(asked), sep="\n")

# %%
# These are fx, fy and mz in the segment's own frame: y along the segment.  The constant part of
# fy pulls the mass towards the joint.

# %%
# Seen from the segment above
# ---------------------------
#
# An observer sits at the end of segment 1 and rotates with it.  The last segment only rotates about
# a joint at rest.

rider = jw.ObserverFrame(limb.frames[1], limb.joint_points[2], world, origin)
seen = rider.dynamic_wrench(last).about(elbow)
print(*planar(seen), sep="\n")

# %%
# For Newton's law to hold for the rider, there must be additional forces: the fictitious forces.
# They result from the observer's own motion; no body exerts them.

terms = rider.fictitious_wrenches(last)
for name in ("dalembert", "euler", "centrifugal", "coriolis"):
    print(name, *planar(getattr(terms, name).about(elbow)), sep="\n    ")

# %%
# =========== ==================================== =================================
# d'Alembert  the seat accelerates                 -m a
# Euler       the seat turns faster and faster     -m al x r; zero here
# centrifugal the seat turns                       -m w x (w x r)
# Coriolis    the body moves while the seat turns  -2 m w x v
# =========== ==================================== =================================
#
# w and al are the angular velocity and angular acceleration of the observer; r and v are the
# position and velocity of the body's mass centre *relative to the observer*.  For rigid bodies
# there are moments, too: :doc:`/explanation/conventions`.

# %%
# All observers agree on the joint
# --------------------------------
#
# The rider solves ``observed = joint + fictitious`` for the joint's wrench.  It equals that of the
# ground for any motion and any numbers: the difference of the formulas is zero.

by_rider = rider.joint_wrench(last, elbow)
difference = (by_rider - asked).to_matrix(limb.frames[2])
print(simplify(difference) == zeros(6, 1))

# %%
# The balance as a figure: components along the segment.

fig, ax = plt.subplots(figsize=(8, 3.8))
times = np.linspace(0, 2 * np.pi, 300)
balance = {"observed": seen, "by the joint": by_rider, "d'Alembert": terms.dalembert.about(elbow)}
balance |= {"centrifugal": terms.centrifugal, "Coriolis": terms.coriolis}
for name, wrench in balance.items():
    along = lambdify(t, planar(wrench)[1])
    ax.plot(times, along(times) + 0 * times, label=name)
ax.set(xlabel="time / s", ylabel="force along the segment / N")
ax.legend(ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0))
ax.grid()

# %%
# The segment rotates at a constant rate about a joint at rest, so that the rider observes a
# constant term.  Without the d'Alembert force, easily forgotten, the joint force would be constant.

# %%
# Up the limb
# -----------
#
# The next joint carries its own segment and, by action and reaction, the wrench of the joint
# further out.

middle, knee = limb.bodies[1], limb.joint_points[1]
below = -asked  # on segment 1, by segment 2
on_middle = jw.Wrench.dynamic(middle, world).about(knee) - below

# %%
# :class:`~jointwrench.InverseDynamics` repeats this step for any tree of bodies, from the tips to
# ground.  The wrench of the middle joint, and whether it equals the one by hand:

idyn = jw.InverseDynamics(limb.system)
same = (idyn.joint_wrench(limb.joints[1]) - on_middle).to_matrix(limb.frames[1])
kdes = dict(zip(limb.coordinates.diff(t), limb.speeds, strict=True))
print(simplify(same.subs(kdes)) == zeros(6, 1))
idyn.formula(limb.joints[1])

# %%
# The derivation of the shoulder's wrench, and the largest deviation of its lines from compiled code
# at random states:

derivation = idyn.derivation("S_0")
print(f"largest deviation: {derivation.check().max():.0e}")
derivation

# %%
# In numbers, at any number of instants, and as free bodies:

turning = {q: rate * t for q, rate in zip(limb.coordinates, rates, strict=True)}
motion = jw.Trajectory.from_formulas(idyn, turning, times)
result = idyn.compile("joint_wrenches")(motion, constants=numbers)
print(result.joint_wrench(limb.joints[1], components="fx fy mz")[0].round(3))
jw.pictures.plot_free_body(idyn, motion, constants=numbers, at=0.4)

# %%
# The limb in the browser, with the forces and moments in its joints: drag to rotate, use the wheel
# to zoom.

jw.pictures.interactive_view(limb, motion, result, constants=numbers, speed=0.25)

# %%
# Errors in two documents
# -----------------------
#
# This package started from Mielke's notebook and from a page *Inverse Dynamics* on planar chains.
# In the notebook, an inertia is transformed by ``R * I`` instead of ``R * I * R.T``, which is not
# symmetric; its results are not affected, because the inertia about the mass centre is zero:

angle, exact = 3 * t, {masses[1]: Rational(1, 2), lengths[1]: Rational(3, 5)}
turn = rot_axis3(-angle)
about_joint = masses[1] * lengths[1] ** 2 / 4 * diag(1, 0, 1)
pprint((turn * about_joint).subs(exact))  # in the source
pprint((turn * about_joint * turn.T).subs(exact))  # right

# %%
# In its text, Steiner's term multiplies the squared distance by that inertia instead of the
# identity, and the centrifugal wrench is read from the entry ``'D'``, which is d'Alembert's.  Both,
# on the middle segment about its upper joint:

fictitious = rider.fictitious_wrenches(limb.bodies[1])
at_rates = dict(zip(limb.speeds, rates, strict=True))
exact = {symbol: nsimplify(number) for symbol, number in numbers.items()}
for name in ("dalembert", "centrifugal"):
    wrench = getattr(fictitious, name).about(limb.joint_points[1]).to_matrix(limb.frames[1])
    print(f"{name:12}", *wrench.subs(at_rates).subs(turning).doit().subs(exact))

# %%
# The page on chains writes the torque with moments about the mass centre G, then "equivalently"
# about the joint, with all three signs reversed.  A rod held horizontally, along x, needs a
# positive torque against its weight, which that formula makes negative:

held = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
found = held.compile()([-np.pi / 2], [0], [0], {"l_0": 1, "m_0": 1, "I_0": 0.1})
print("by that formula:", 0.5 * -9.81, "by the model:", found.generalized_forces[0].round(6))

# %%
# Exercises
# ---------
#
# 1. Let the last joint speed up, ``q = 4 t + t**2``.  Is there an Euler wrench for the rider? (No:
#    it needs an observer with an angular acceleration.  Let the first joint speed up instead.)
# 2. Put the observer at ``P_1`` instead of ``P_2``, on the same segment.  Which terms change, and
#    which sum stays the same?
# 3. Give the segments a moment of inertia, ``jw.Segment(..., inertia=I)``.  Which fictitious
#    wrenches have a moment now?
#
# One system for each fictitious force: :doc:`/generated/examples/elementary/index`.  The limb as a
# program: :doc:`/generated/examples/piglet_limb`.
