"""
How much does each hinge carry?
===============================

A door hangs on two hinges.  Statics alone does not say how they share its weight: the door is
statically indeterminate.  Which forces are open, what are they if the hinges are elastic, and
between which limits do they lie?
"""

# %%
# The drawing
# -----------
#
# The door, 30 kg, is 1 m wide; its hinges are on a vertical line z, 1.5 m apart.  The lower hinge
# is a joint of the tree; the upper one closes a loop.

import matplotlib.pyplot as plt
from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia

import jointwrench as jw

ground, door = RigidBody("ground"), RigidBody("door", mass=30)
door.central_inertia = inertia(door.frame, 10, 12.5, 2.5)
edge = -0.5 * door.x  # from the mass centre to the line of the hinges
lower = PinJoint(
    "lower",
    ground,
    door,
    parent_point=-0.75 * ground.z,
    child_point=edge - 0.75 * door.z,
    joint_axis=ground.z,
)
upper = jw.LoopJoint(
    "upper", ground, door, "pin", 0.75 * ground.z, edge + 0.75 * door.z, joint_axis=ground.z
)
system = System.from_newtonian(ground)
system.add_joints(lower)
system.apply_uniform_gravity(-9.81 * ground.z)

fig, ax = plt.subplots(figsize=(3, 4), layout="constrained")
ax.add_patch(plt.Rectangle((0, -1), 1, 2, fill=False))
ax.plot([0, 0], [-0.75, 0.75], "s", color="C0")
ax.annotate("upper", (0.06, 0.72))
ax.annotate("lower", (0.06, -0.78))
ax.annotate("", (0.5, -0.6), (0.5, 0), arrowprops={"arrowstyle": "->"})
ax.annotate("294.3 N", (0.55, -0.4))
ax.set(xlim=(-0.3, 1.3), ylim=(-1.2, 1.2), xticks=[], yticks=[], aspect="equal", title="the door")

# %%
# What is undetermined
# --------------------
#
# Each hinge transmits all but the moment about z.  Ten components act on a door for which there are
# five equations beside that of its rotation.  The model names them:

idyn = jw.InverseDynamics(system, loops=[upper], actuated=[])
{joint.name: components for joint, components in idyn.undetermined.items()}

# %%
# Results have NaN there: the package does not invent numbers.

still = [0.0], [0.0], [0.0]  # angle, speed and acceleration of the door
idyn.compile()(*still).joint_wrench("upper")

# %%
# The answer by stiffness
# -----------------------
#
# A real hinge gives way a little.  Its compliance is six numbers: how far it yields along x, y and
# z per newton, and how much it turns about x, y and z per newton metre; 0 is rigid.  These hinges
# are soft in rotation, and the upper one is twice as soft along z, since its screw is longer.  Of
# all forces that balance the door, those of least strain energy act (Castigliano).

soft = [1e-7, 1e-7, 1e-7, 1e-4, 1e-4, 0]
softer = [1e-7, 1e-7, 2e-7, 1e-4, 1e-4, 0]
elastic = jw.InverseDynamics(
    system, loops=[upper], actuated=[], redundancy={lower: soft, upper: softer}
)
result = elastic.compile()(*still)
elastic_forces = {name: result.joint_wrench(name)[:3] for name in ("lower", "upper")}
for name, force in elastic_forces.items():
    print(f"{name}: {force[0]:7.1f} N across, {force[2]:6.1f} N up")

# %%
# By hand: springs side by side share the weight by their stiffness, 2 to 1.  Across, the forces are
# a couple whose moment is that of the weight, 294.3 N times 0.5 m, divided by 1.5 m (the little
# that is missing, the hinges transmit as moments).

30 * 9.81 * 2 / 3, 30 * 9.81 * 0.5 / 1.5

# %%
# The forces do not depend on which hinge is the loop joint.
#
# The range that statics allows
# -----------------------------
#
# Stiffnesses are rarely known.  Without them any share of the weight balances the door, unless
# something limits it.  Suppose that each hinge carries at most 250 N along z and 150 N across, and
# transmits at most 40 N m.  :class:`~jointwrench.Limit` states these inequalities;
# :func:`~jointwrench.ranges` finds the least and the greatest value of each force.

limits = [
    jw.Limit(hinge, component, -most, most)
    for hinge in (lower, upper)
    for component, most in (("fx", 150), ("fy", 150), ("fz", 250), ("mx", 40), ("my", 40))
]
found = jw.ranges(idyn, still, limits)
for name in ("lower", "upper"):
    least, greatest = found.joint_wrench(name)
    print(f"{name}: from {least[2]:.1f} to {greatest[2]:.1f} N up")

# %%
# The elastic answer is inside.  It need not be: least energy knows no limits.
#
# The picture: bars from the least to the greatest force, and the elastic answer as a dot.

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
labels = [f"{name} {axis}" for name in ("lower", "upper") for axis in ("fx", "fz")]
for k, label in enumerate(labels):
    name, component = label.split()
    axis = ["fx", "fy", "fz"].index(component)
    least, greatest = found.joint_wrench(name)[:, axis]
    ax.barh(k, greatest - least, left=least, height=0.5, color="C0", alpha=0.4)
    ax.plot(elastic_forces[name][axis], k, "o", color="C1")
ax.set(yticks=range(4), yticklabels=labels, xlabel="force on the door in N")
ax.invert_yaxis()

# %%
# Too weak hinges
# ---------------
#
# With at most 140 N each along z, the hinges cannot carry 294.3 N.  The sample has no range, and
# the limits that cannot hold together have names.

weak = [jw.Limit(hinge, "fz", high=140) for hinge in (lower, upper)]
failed = jw.ranges(idyn, still, weak)
bool(failed.feasible), failed.contradictions

# %%
# *Undetermined* names the forces that statics leaves open.  *Stiffness* determines them, if it is
# known.  *Ranges* need no stiffness, but can be wide.  Of a person who stands on both feet they
# contain the measured forces, and are too wide to replace force plates.
