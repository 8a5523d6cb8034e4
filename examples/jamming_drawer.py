"""A drawer that jams, a door that creaks
======================================

Why a wide drawer jams when it is pulled off-centre, and the friction torque of a door's hinges.

A drawer of depth L runs on two supports and is pulled at the distance a from its middle. The moment
of the pull presses the drawer against both supports; the friction there increases the necessary
pull: ``P / (1 - 2 mu a / L)``. At ``2 mu a >= L`` no pull moves it. The output ``friction_gain`` is
``2 mu a / L``: below 1 there is exactly one solution; above, the result is NaN, and a warning names
the joint that jams.

A door hangs on two hinges. Its weight presses on a collar of the hinges. Because its mass centre is
not on the axis, it also pulls the upper hinge outwards and pushes the lower hinge inwards.
"""

import warnings
from pathlib import Path

import numpy as np
from sympy import symbols
from sympy.physics.mechanics import (
    Force,
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

MU, DEPTH, LOAD = 0.5, 0.4, 10.0  # dry wood, m, N against the pull
WEIGHT, WIDTH, APART, JOURNAL, COLLAR = 300.0, 0.9, 1.6, 0.006, 0.008  # of the door: N, m

place = symbols("a")
pull = dynamicsymbols("pull")


def drawer():
    """Return an evaluator of the pull on a drawer's handle."""
    ground, box = RigidBody("ground"), RigidBody("box", mass=1)
    box.central_inertia = inertia(box.frame, 0.1, 0.1, 0.1)
    guide = PrismaticJoint("guide", ground, box, joint_axis=ground.x)
    system = System.from_newtonian(ground)
    system.add_joints(guide)
    handle = box.masscenter.locatenew("handle", place * box.y)
    system.add_loads(Force(handle, pull * ground.x), Force(box.masscenter, -LOAD * ground.x))
    friction = jw.JointFriction(guide, MU, supports=DEPTH)
    idyn = jw.InverseDynamics(system, solve_for=[pull], frictions=[friction])
    return idyn.compile(["solved_loads", "friction_gain"])


def door():
    """Return the torque at the hinges that turns a door slowly."""
    ground, leaf = RigidBody("ground"), RigidBody("leaf", mass=WEIGHT / 9.81)
    leaf.central_inertia = inertia(leaf.frame, 3, 3, 1)
    hinges = PinJoint("hinges", ground, leaf, child_point=-WIDTH / 2 * leaf.x, joint_axis=ground.z)
    system = System.from_newtonian(ground)
    system.add_joints(hinges)
    system.apply_uniform_gravity(-9.81 * ground.z)
    friction = jw.JointFriction(hinges, 0.3, radius=JOURNAL, collar=COLLAR, supports=APART)
    idyn = jw.InverseDynamics(system, frictions=[friction])
    return idyn.compile()([0.0], [1e-6], [0.0]).generalized_forces[0]


def draw(places, pulls, path):
    """Save a picture of the pull over the position of the handle."""
    from matplotlib import pyplot as plt

    plt.style.use("jointwrench.figures")
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    ax.plot(places, pulls / LOAD)
    ax.axvline(DEPTH / (2 * MU), color="0.5", linestyle="--")
    ax.text(DEPTH / (2 * MU), 18, " it jams", va="top")
    ax.set(xlabel="distance of the handle from the middle / m", xlim=(0, 0.5))
    ax.set(ylabel="pull / load", ylim=(0, 20))
    figure.savefig(path, dpi=150)
    return figure


def main(path="jamming_drawer.png"):
    """Run the example; return handle positions, pulls, gains and the door's torque."""
    evaluate = drawer()
    places = np.linspace(0, 0.5, 101)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = [evaluate([0.0], [0.1], [0.0], {place: a}) for a in places]
    pulls = np.array([result.solved_loads[pull] for result in found])
    gains = np.array([result.friction_gain for result in found])
    print(f"the drawer jams from {places[np.isnan(pulls)].min():.3f} m on, where the gain is 1")
    print(told[0].message)
    torque = door()
    print(f"friction torque of the door's hinges: {torque:.3f} N m")
    draw(places, pulls, path)
    print(f"Saved {Path(path).name}")
    return places, pulls, gains, torque


if __name__ == "__main__":
    main()
