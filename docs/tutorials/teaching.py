"""
Observers and fictitious forces
===============================

Observers and fictitious forces in a limb of three segments: what each observer sees, and why all
observers find the same joint forces.

The limb is that of Falk Mielke's tutorial *The N-segment piglet limb* (University of Antwerp,
2020): point masses at the middle of segments that rotate at constant rates, without gravity.  It is
small enough for formulas on a blackboard.  It shows every kind of fictitious force except Euler's,
which an exercise adds.
"""

# %%
# Forces act at points
# --------------------
#
# A force vector alone does not determine how a body rotates.  A **wrench** does: it is a force, and
# a moment about a point.  When another point is chosen, the moment changes by r x F; the force does
# not change.

import matplotlib.pyplot as plt
import numpy as np
from sympy import expand, lambdify, simplify, symbols, zeros
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
# The force always comes first: fx, fy, fz, mx, my, mz.

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
# An observer sits at the end of segment 1 and rotates with it.  For this observer the last segment
# only rotates about a joint at rest.

rider = jw.ObserverFrame(limb.frames[1], limb.joint_points[2], world, origin)
seen = rider.dynamic_wrench(last).about(elbow)
print(*planar(seen), sep="\n")

# %%
# This differs from the result in the ground's frame.  For Newton's law to hold for the rider, there
# must be additional forces: the fictitious forces.  They result from the observer's own motion; no
# body exerts them.

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
# So choose the observer for whom the motion is simple; the result can be expressed in any frame.

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
# For the rider the observed term is constant: the segment rotates at a constant rate about a joint
# at rest.  The joint force and the d'Alembert force oscillate in opposite directions.  Without the
# d'Alembert force, which is easily forgotten because the joint seems to rest, the joint force would
# be constant, which is wrong.

# %%
# Up the limb
# -----------
#
# The next joint carries its own segment and, by action and reaction, the wrench of the joint
# further out.

middle, knee = limb.bodies[1], limb.joint_points[1]
below = -asked  # on segment 1, by segment 2
on_middle = jw.Wrench.dynamic(middle, world).about(knee) - below
print(*planar(on_middle, limb.frames[1]), sep="\n")

# %%
# Inverse dynamics repeats this step from the tip to the shoulder, body by body.
# :class:`~jointwrench.InverseDynamics` does it for any tree of bodies, with shared subexpressions
# instead of growing formulas. The wrench of the middle joint as a readable formula:

idyn = jw.InverseDynamics(limb.system)
idyn.formula(limb.joints[1])

# %%
# It equals the result that was derived by hand:

same = (idyn.joint_wrench(limb.joints[1]) - on_middle).to_matrix(limb.frames[1])
kdes = dict(zip(limb.coordinates.diff(t), limb.speeds, strict=True))
print(simplify(same.subs(kdes)) == zeros(6, 1))

# %%
# And in numbers, at any number of instants:

turning = {q: rate * t for q, rate in zip(limb.coordinates, rates, strict=True)}
motion = jw.PrescribedMotion(idyn, turning)
result = idyn.compile("joint_wrenches")(*motion.at(times), constants=numbers)
print(result.joint_wrench(limb.joints[1], components="fx fy mz")[0].round(3))

# %%
# The limb in the browser, with the forces and moments in its joints: drag to rotate, use the wheel
# to zoom.

path = jw.Trajectory(times, *motion.at(times))
jw.pictures.interactive_view(limb, path, result, constants=numbers, speed=0.25)

# %%
# Exercises
# ---------
#
# 1. Let the last joint speed up, ``q = 4 t + t**2``.  Is there an Euler wrench for the rider? (No:
#    it needs an observer with an angular acceleration.  Let the first joint speed up instead.)
# 2. Put the observer at ``P_1`` instead of ``P_2``, on the same segment.  Which terms change, and
#    which sum stays the same?
# 3. Compare ``jw.SerialChain(..., gravity=(0, -9.81, 0))`` with the limb above.  Which joint forces
#    does a limb that hangs at rest have if gravity is left out of the model?
# 4. Give the segments a moment of inertia, ``jw.Segment(..., inertia=I)``.  Which fictitious
#    wrenches have a moment now?
#
# One system for each single fictitious force: :doc:`/generated/examples/elementary/index`.  A bead
# on a rotating hoop: :doc:`/recipes/rotating_hoop`.  The limb as a complete program:
# :doc:`/generated/examples/piglet_limb`.
