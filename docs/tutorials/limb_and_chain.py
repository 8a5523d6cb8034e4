"""
A limb and a chain, derived
===========================

Two documents stand at the beginning of this package: Falk Mielke's notebook *The N-segment piglet
limb* (University of Antwerp, 2020), and a page *Inverse Dynamics* on planar serial chains.  Both go
from the tip to the base, body by body.  Here they are derived again, every line compared with
compiled code, and what is wrong in them is told: nobody else has to search for it.
"""

# %%
# The limb
# --------
#
# Three segments turn about z, one after the other; their mass is a point halfway, and there is no
# gravity.

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
# Each line was compared with the compiled kernel at random states:

print(f"largest deviation: {derivation.check().max():.0e}")

# %%
# The bodies, cut free, as the rates are 1, 2 and 4 rad/s:

numbers = dict(zip((*lengths, *masses), (0.8, 0.6, 0.4, 0.7, 0.5, 0.3), strict=True))
times = np.linspace(0, 2 * np.pi, 200)
turning = {q: rate * t for q, rate in zip(limb.coordinates, (1, 2, 4), strict=True)}
motion = jw.Trajectory.from_formulas(idyn, turning, times)
jw.pictures.plot_free_body(idyn, motion, constants=numbers, at=0.4)

# %%
# An observer rides on segment 1 at its end.  For the last segment there are now d'Alembert's,
# Euler's, the centrifugal and Coriolis' force (Euler's since nothing says that rates are constant):

world, origin = limb.ground.frame, limb.ground.masscenter
rider = jw.ObserverFrame(limb.frames[1], limb.joint_points[2], world, origin)
idyn.derivation("S_2", rider)

# %%
# What is wrong in the source
# ---------------------------
#
# **An inertia that was turned on one side only.** The source brings the inertia of a segment into
# the frame of ground by ``R * I``.  A tensor is turned on both sides, ``R * I * R.T``; what is
# printed there is not symmetric, as every inertia is.  The middle segment about its upper joint:

m, l, angle = masses[1], lengths[1], 3 * t
turn = sm.rot_axis3(-angle)
about_joint = m * l**2 / 4 * sm.diag(1, 0, 1)
exact = {m: sm.Rational(1, 2), l: sm.Rational(3, 5)}
sm.pprint((turn * about_joint).subs(exact))  # in the source
sm.pprint((turn * about_joint * turn.T).subs(exact))  # right

# %%
# No result of the source is spoilt by it: there the inertia about the mass centre is used, which is
# zero for a point.
#
# **Steiner's term with the wrong matrix.** In the source's formula the square of the distance is
# multiplied by the inertia about the mass centre; it is the identity that belongs there, else the
# units do not agree.  Its program has the identity.
#
# **The letter D.** An intermediate result is introduced as the centrifugal wrench and read from the
# entry ``'D'``.  That is d'Alembert's.  Both, on the middle segment about its upper joint, for the
# observer at its lower end:

fictitious = rider.fictitious_wrenches(limb.bodies[1])
moving = dict(zip(limb.coordinates, (t, 2 * t, 4 * t), strict=True))
rates = dict(zip(limb.speeds, (1, 2, 4), strict=True))
exact = {symbol: sm.nsimplify(number) for symbol, number in numbers.items()}
for name in ("dalembert", "centrifugal"):
    wrench = getattr(fictitious, name).about(limb.joint_points[1]).to_matrix(limb.frames[1])
    print(f"{name:12}", *wrench.subs(rates).subs(moving).doit().subs(exact))

# %%
# **A frame's angular velocity in itself.**  It is zero, as the source prints it; its sentence
# that it is not means the angular velocity in ground, with components along the turning frame.

# %%
# The planar chain
# ----------------
#
# The other source has one body in general: mass centre ``G``, a joint at each end, an
# external force at ``E``.  With gravity among the external forces, this is its derivation:

chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
planar = jw.InverseDynamics(chain.system).derivation("S_0")
planar

# %%
# **The last formula has its signs reversed.** The source writes the torque first by moments about
# the mass centre, then "equivalently" about the joint.  Put ``f_i = f_G + f_next - f_E`` into the
# first, and this comes out:

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
# The source has each of the three moments with the other sign.  A single rod that is held out
# horizontally, along x, shows which is right: it needs a positive torque against its weight.  There
# ``f_G`` is zero, ``E`` is at ``G``, and ``f_E = (0, -m g)``:

rod = {x[0]: 0, x[1]: 0.5, x[3]: 0.5, y[0]: 0, y[1]: 0, y[3]: 0, torque: 0}
rod |= {symbol: 0 for name in ("G", "next") for symbol in force[name]}
rod |= dict(zip(force["E"], (0, -9.81), strict=True))
held = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
found = held.compile()([-np.pi / 2], [0], [0], {"l_0": 1, "m_0": 1, "I_0": 0.1})
print("by this formula:", at_joint.subs(rod), "by the model:", found.generalized_forces[0].round(6))

# %%
# How a derivation is saved, and what can be derived: :doc:`/recipes/written_derivation`.
