"""
A limb and a chain, derived
===========================

This package started from two documents: Falk Mielke's notebook *The N-segment piglet limb*
(University of Antwerp, 2020), and a page *Inverse Dynamics* on planar serial chains.  Both proceed
from the tip to the base, body by body.  This page derives both again, compares every line with
compiled code, and lists the errors in the sources.
"""

# %%
# The limb
# --------
#
# Three segments in series rotate about z.  The mass of each is a point at its middle, and there is
# no gravity.

import matplotlib.pyplot as plt
import numpy as np
import sympy as sm
from sympy.physics.mechanics import dynamicsymbols

import jointwrench as jw

plt.style.use("jointwrench.figures")
t = dynamicsymbols._t
lengths, masses = sm.symbols("l_:3", positive=True), sm.symbols("m_:3", positive=True)
limb = jw.SerialChain([jw.Segment(f"S_{i}", lengths[i], masses[i]) for i in range(3)])
idyn = jw.InverseDynamics(limb.system)
derivation = idyn.derivation("S_0")
derivation

# %%
# ``check`` compares each line with compiled code at random states:

print(f"largest deviation: {derivation.check().max():.0e}")

# %%
# The free-body diagrams for joint rates of 1, 2 and 4 rad/s:

numbers = dict(zip((*lengths, *masses), (0.8, 0.6, 0.4, 0.7, 0.5, 0.3), strict=True))
times = np.linspace(0, 2 * np.pi, 200)
turning = {q: rate * t for q, rate in zip(limb.coordinates, (1, 2, 4), strict=True)}
motion = jw.Trajectory.from_formulas(idyn, turning, times)
jw.pictures.plot_free_body(idyn, motion, constants=numbers, at=0.4)

# %%
# An observer moves with the end of segment 1.  The balance of the last segment now contains the
# d'Alembert, Euler, centrifugal and Coriolis forces (Euler's because the rates need not be constant
# here):

world, origin = limb.ground.frame, limb.ground.masscenter
rider = jw.ObserverFrame(limb.frames[1], limb.joint_points[2], world, origin)
idyn.derivation("S_2", rider)

# %%
# Errors in the source
# --------------------
#
# **An inertia rotated on one side only.** The source transforms the inertia of a segment into the
# frame of ground by ``R * I``.  A tensor transforms by ``R * I * R.T``.  The matrix that the source
# prints is not symmetric, although every inertia is.  The middle segment about its upper joint:

m, l, angle = masses[1], lengths[1], 3 * t
turn = sm.rot_axis3(-angle)
about_joint = m * l**2 / 4 * sm.diag(1, 0, 1)
exact = {m: sm.Rational(1, 2), l: sm.Rational(3, 5)}
sm.pprint((turn * about_joint).subs(exact))  # in the source
sm.pprint((turn * about_joint * turn.T).subs(exact))  # right

# %%
# The results of the source are not affected: they use the inertia about the mass centre, which is
# zero for a point.
#
# **Steiner's term with the wrong matrix.** In the source's formula the square of the distance is
# multiplied by the inertia about the mass centre.  It should be multiplied by the identity;
# otherwise the units do not agree.  The source's program uses the identity.
#
# **The letter D.** The text calls an intermediate result the centrifugal wrench, but reads it from
# the entry ``'D'``, which is d'Alembert's.  Both wrenches, on the middle segment about its upper
# joint, for the observer at its lower end:

fictitious = rider.fictitious_wrenches(limb.bodies[1])
moving = dict(zip(limb.coordinates, (t, 2 * t, 4 * t), strict=True))
rates = dict(zip(limb.speeds, (1, 2, 4), strict=True))
exact = {symbol: sm.nsimplify(number) for symbol, number in numbers.items()}
for name in ("dalembert", "centrifugal"):
    wrench = getattr(fictitious, name).about(limb.joint_points[1]).to_matrix(limb.frames[1])
    print(f"{name:12}", *wrench.subs(rates).subs(moving).doit().subs(exact))

# %%
# **A frame's angular velocity in itself.**  It is zero, as the source prints.  The source's
# sentence that it is not zero refers to the angular velocity in ground, expressed in the rotating
# frame.

# %%
# The planar chain
# ----------------
#
# The other source treats a general body: mass centre ``G``, a joint at each end, an external force
# at ``E``.  With gravity among the external forces, this is its derivation:

chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
planar = jw.InverseDynamics(chain.system).derivation("S_0")
planar

# %%
# **The last formula has reversed signs.** The source first writes the torque with moments about the
# mass centre, then "equivalently" about the joint.  Substituting ``f_i = f_G + f_next - f_E`` in
# the first gives:

x, y = sm.symbols("x_i x_G x_next x_E"), sm.symbols("y_i y_G y_next y_E")
force = {name: sm.symbols(f"f_{name}x f_{name}y") for name in ("G", "next", "E")}
torque, here, centre, after, outside = sm.symbols("n_G"), *zip(x, y, strict=True)


def moment(of, about, components):
    """Return the moment of a force at a point about another one."""
    return (of[0] - about[0]) * components[1] - (of[1] - about[1]) * components[0]


joint = [a + b - c for a, b, c in zip(*force.values(), strict=True)]
at_centre = (
    torque
    - moment(here, centre, joint)
    + moment(after, centre, force["next"])
    - moment(outside, centre, force["E"])
)
at_joint = (
    torque
    + moment(centre, here, force["G"])
    + moment(after, here, force["next"])
    - moment(outside, here, force["E"])
)
print("the same:", sm.expand(at_centre - at_joint) == 0)

# %%
# The source has the opposite sign for each of the three moments.  A single rod that is held
# horizontally, along x, shows which is right: it needs a positive torque against its weight.  Here
# ``f_G`` is zero, ``E`` is at ``G``, and ``f_E = (0, -m g)``:

rod = {x[0]: 0, x[1]: 0.5, x[3]: 0.5, y[0]: 0, y[1]: 0, y[3]: 0, torque: 0}
rod |= {symbol: 0 for name in ("G", "next") for symbol in force[name]}
rod |= dict(zip(force["E"], (0, -9.81), strict=True))
held = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
found = held.compile()([-np.pi / 2], [0], [0], {"l_0": 1, "m_0": 1, "I_0": 0.1})
print("by this formula:", at_joint.subs(rod), "by the model:", found.generalized_forces[0].round(6))

# %%
# :doc:`/recipes/written_derivation` shows how to save a derivation and what can be derived.
