"""A model without joints
======================

A turntable with a slider and a pendulum, stated for ``KanesMethod``.

The model has no joints, only frames, points, bodies and speeds.  What hangs on what,
``InverseDynamics.from_kane`` reads from the points, and returns every joint wrench:

1. the table turns about the vertical,
2. a block slides along a groove of the table,
3. a bob swings below the block.

As a check, the generalized forces are compared with those of Kane's equations.
"""

from pathlib import Path

import numpy as np
from sympy import Matrix, cos, lambdify, sin, symbols
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

STATE = ([0.3, 0.5, -0.4], [2.0, -0.3, 0.6], [0.5, 0.2, -1.0])  # q, u and du/dt


def make_model():
    """Return the KanesMethod and the values of the constants."""
    (q1, q2, q3), (u1, u2, u3) = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    table_inertia, block_mass, bob_mass, length, g = symbols("I_table m_block m_bob l g")
    N, A, B = (ReferenceFrame(name) for name in "NAB")
    A.orient_axis(N, q1, N.z)
    A.set_ang_vel(N, u1 * N.z)
    B.orient_axis(A, q3, A.y)
    B.set_ang_vel(A, u3 * A.y)
    center, slot = Point("center"), Point("slot")
    center.set_vel(N, 0)
    slot.set_pos(center, q2 * A.x)
    slot.set_vel(A, u2 * A.x)
    slot.v1pt_theory(center, N, A)
    tip = slot.locatenew("tip", -length * B.z)
    tip.v2pt_theory(slot, N, B)
    moments = inertia(A, table_inertia / 2, table_inertia / 2, table_inertia)
    table = RigidBody("table", center, A, 3, (moments, center))
    block, bob = Particle("block", slot, block_mass), Particle("bob", tip, bob_mass)
    kdes = [q.diff() - u for q, u in ((q1, u1), (q2, u2), (q3, u3))]
    bodies = [table, block, bob]
    weights = [(body.masscenter, -body.mass * g * N.z) for body in bodies]
    kane = KanesMethod(N, [q1, q2, q3], [u1, u2, u3], kdes, bodies=bodies, forcelist=weights)
    numbers = {table_inertia: 0.8, block_mass: 1.5, bob_mass: 0.4, length: 0.6, g: 9.81}
    return kane, numbers


def forces_of_kane(kane, numbers):
    """Return the generalized forces according to Kane's equations."""
    kane.kanes_equations(kane.bodies, kane.loads)
    udot = kane.u.diff()
    forces = Matrix(kane.mass_matrix * udot - kane.forcing).xreplace(numbers)
    return lambdify([list(kane.q), list(kane.u), list(udot)], list(forces))(*STATE)


def main(picture=None):
    """Print the wrenches of the three joints and the check; save a picture if a file is named."""
    kane, numbers = make_model()
    idyn = jw.InverseDynamics.from_kane(kane)
    print("Connections (parent, child, point):", idyn.connections)
    evaluate = idyn.compile(backend="numpy")
    result = evaluate(*STATE, constants=numbers)
    print("Wrenches by the parent (force in N, moment in N m):")
    for joint in idyn.joints:
        text = np.array2string(result.joint_wrench(joint), precision=3, suppress_small=True)
        print(f"  on the {joint.name:5} about {joint.child_point}: {text}")
    expected = np.array(forces_of_kane(kane, numbers), dtype=float)
    error = abs(result.generalized_forces - expected).max()
    print(f"Generalized forces: {np.round(result.generalized_forces, 3)}")
    print(f"Largest difference from Kane's equations: {error:.1e}")
    if picture:
        draw(idyn, evaluate, numbers, picture)
        view = turn(idyn, evaluate, numbers)
        view.save(Path(picture).with_suffix(".html"))
    return {
        "wrenches": result.joint_wrenches,
        "forces": result.generalized_forces,
        "expected": expected,
        "weight": sum(numbers[s] for s in numbers if "m_b" in s.name) * 9.81 + 3 * 9.81,
    }


def turn(idyn, evaluate, numbers):
    """Return a view of the table turning while block and bob swing."""
    times = np.linspace(0, 2 * np.pi, 300)
    table, block, bob = idyn.coordinates
    t = idyn.time
    formulas = {table: t, block: 0.5 + 0.2 * sin(3 * t), bob: 0.4 * cos(4 * t)}
    motion = jw.Trajectory.from_formulas(idyn, formulas, times)
    result = evaluate(motion, constants=numbers)
    return jw.pictures.interactive_view(
        idyn, motion, result, up="z", speed=0.5, title="A turntable"
    )


def draw(idyn, evaluate, numbers, picture):
    """Save the joint forces at several speeds of the table, otherwise in STATE."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    q, u, udot = (np.tile(row, (181, 1)) for row in STATE)
    u[:, 0] = np.linspace(0, 10, 181)
    result = evaluate(q, u, udot, constants=numbers)
    figure, ax = pyplot.subplots(figsize=(8, 4.3))
    for joint in idyn.joints:
        by = "ground" if joint.parent is idyn.frame else f"the {joint.parent}"
        force = np.linalg.norm(result.joint_wrench(joint)[:, :3], axis=-1)
        ax.plot(u[:, 0], force, label=f"on the {joint.child}, by {by}")
    ax.set(xlabel="speed of the table / (rad/s)", ylabel="magnitude of the joint force / N")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    ax.grid()
    figure.savefig(picture)


if __name__ == "__main__":
    main("classical_kane.png")
