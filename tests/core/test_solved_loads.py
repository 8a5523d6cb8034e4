"""Loads that the motion determines, at 100,000 random states of six models.

At a part of the states coordinates are zero, right angles or equal, so that coefficients vanish
that others have: whatever pivot is chosen beforehand, it is zero at some of them.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from bodies import rigid_body
from marks import slow
from sympy import symbols
from sympy.physics.mechanics import (
    Force,
    ForceActuator,
    LinearPathway,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    SphericalJoint,
    System,
    Torque,
    inertia,
)

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.free_joint import FreeJoint
from jointwrench.models.serial_chain import Segment, SerialChain

STATES = 20_000
MORE_STATES = 100_000
#: States with a larger condition number are not compared.
WELL_CONDITIONED = 1e8
SPECIAL = (0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-12)


@dataclass
class Model:
    """A System whose unknown loads are as many as its speeds."""

    system: System
    unknowns: tuple


def body(name, mass=2):
    made = rigid_body(name, mass)
    made.central_inertia = inertia(made.frame, 1, 2, 3, 0.1, -0.2, 0.3)
    return made


def ground_system():
    ground = rigid_body("ground")
    return ground, System.from_newtonian(ground)


def vector(components, frame):
    return sum(x * axis for x, axis in zip(components, frame, strict=True))


def drive(system, joint, moved, unknowns):
    """Push a body at its joint along its own axes, and turn it about them."""
    system.add_loads(
        Force(joint.child_point, vector(unknowns[:3], moved.frame)),
        Torque(moved.frame, vector(unknowns[3:], moved.frame)),
    )


def planar_body_with_thrusters():
    ground, system = ground_system()
    moved = body("body")
    system.add_joints(PlanarJoint("plane", ground, moved))
    system.apply_uniform_gravity(-9.81 * ground.z)
    fy, fz, turn = unknowns = symbols("fy fz turn")
    system.add_loads(
        Force(moved.masscenter, fy * moved.y + fz * moved.z), Torque(moved.frame, turn * moved.x)
    )
    return Model(system, unknowns)


def free_body():
    ground, system = ground_system()
    moved = body("body")
    joint = FreeJoint("float", ground, moved, child_point=0.2 * moved.x)
    system.add_joints(joint)
    system.apply_uniform_gravity(-9.81 * ground.z)
    unknowns = symbols("d1:7")
    drive(system, joint, moved, unknowns)
    return Model(system, unknowns)


def ball_chain():
    tensor = (0.1, 0.2, 0.3)
    segments = [Segment(f"S{k}", 1, 2, inertia=tensor, joint="spherical") for k in range(2)]
    chain = SerialChain(segments, gravity=(0, -9.81, 0), actuated=True)
    return Model(chain.system, tuple(chain.actuation))


def oblique_torques():
    """Near gimbal lock all coefficients of one block are small together."""
    ground, system = ground_system()
    moved = body("body")
    system.add_joints(SphericalJoint("ball", ground, moved, child_point=0.3 * moved.x))
    system.apply_uniform_gravity(-9.81 * ground.y + ground.x)
    unknowns = symbols("X1:4")
    directions = ((1, 2, 0), (0, 1, -1), (1, -1, 2))
    system.add_loads(
        *(
            Torque(moved.frame, x * vector(d, moved.frame))
            for x, d in zip(unknowns, directions, strict=True)
        )
    )
    return Model(system, unknowns)


def add_pin(system, index, parent, child, axis):
    """Hang a body on another one."""
    pin = PinJoint(
        f"pin{index}",
        parent,
        child,
        parent_point=0.5 * parent.x,
        child_point=-0.4 * child.x + 0.1 * child.z,
        joint_axis=axis,
    )
    system.add_joints(pin)


def add_strut(system, force, first, second):
    """Put a strut between two bodies."""
    start = first.masscenter.locatenew(f"{force}_start", -0.3 * first.x + 1.7 * first.y)
    end = second.masscenter.locatenew(f"{force}_end", 0.2 * second.y + 0.3 * second.x)
    system.add_actuators(ForceActuator(force, LinearPathway(start, end)))


def arm_with_a_strut():
    """Six pins: motors at two, a strut at the third, torques along the hand's axes."""
    ground, system = ground_system()
    links = [ground, *(body(f"link{k}") for k in range(1, 7))]
    axes = [getattr(link, axis) for link, axis in zip(links, "zyyxyz", strict=False)]
    for k, axis in enumerate(axes):
        add_pin(system, k + 1, links[k], links[k + 1], axis)
    unknowns = symbols("M1 M2 F K1:4")
    for k in (0, 1):
        torque = unknowns[k] * axes[k]
        system.add_loads(Torque(links[k + 1].frame, torque), Torque(links[k].frame, -torque))
    add_strut(system, unknowns[2], links[2], links[3])
    system.add_loads(Torque(links[6].frame, vector(unknowns[3:], links[6].frame)))
    system.apply_uniform_gravity(-9.81 * ground.z)
    return Model(system, unknowns)


def mixed_chain():
    """A base with thrusters, a slider on it, and a pin that a strut from the base turns."""
    ground, system = ground_system()
    base, slide, tip = body("base"), body("slide"), body("tip")
    joint = PlanarJoint("plane", ground, base)
    slider = PrismaticJoint("slider", base, slide, joint_axis=base.x, parent_point=base.y)
    system.add_joints(joint, slider)
    add_pin(system, 1, slide, tip, slide.z)
    system.apply_uniform_gravity(-9.81 * ground.z)
    fy, fz, turn, push, F = unknowns = symbols("fy fz turn push F")
    system.add_loads(
        Force(base.masscenter, fy * base.y + fz * base.z),
        Torque(base.frame, turn * base.x),
        Force(slider.child_point, push * base.x),
        Force(slider.parent_point, -push * base.x),
    )
    add_strut(system, F, base, tip)
    return Model(system, unknowns)


MODELS = (
    planar_body_with_thrusters,
    free_body,
    ball_chain,
    arm_with_a_strut,
    mixed_chain,
    oblique_torques,
)


def random_states(counts, rng, number):
    """Return coordinates, speeds and accelerations; a third of the coordinates is special."""
    q, u, udot = (rng.uniform(-3, 3, (number, count)) for count in counts)
    special = rng.choice(SPECIAL, q.shape)
    q = np.where(rng.random(q.shape) < 1 / 3, special, q)
    q[::10] = q[::10, :1]  # all of them equal
    return q, u, udot


def balance(model, states):
    """Return the unknowns' coefficients, (N, n, n), and what they balance, (N, n).

    From the generalized forces with all unknowns known: zero, and one after the other one.
    """
    idyn = InverseDynamics(model.system)
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    group = "specifieds" if set(model.unknowns) <= set(idyn.specifieds) else "constants"
    zeros = dict.fromkeys(model.unknowns, 0.0)

    def forces(unknowns):
        return evaluate(*states, **{group: unknowns}).generalized_forces

    demanded = forces(zeros)
    columns = [demanded - forces({**zeros, unknown: 1.0}) for unknown in model.unknowns]
    return np.stack(columns, -1), demanded


@pytest.mark.parametrize(
    "make", [*MODELS[:3], *slow(MODELS[3:])], ids=[make.__name__ for make in MODELS]
)
def test_residual(make, rng):
    check(make(), "numpy", rng)


@pytest.mark.slow
@pytest.mark.parametrize("make", MODELS, ids=[make.__name__ for make in MODELS])
def test_residual_in_c(make, rng):
    check(make(), "c", rng, MORE_STATES)


def check(model, backend, rng, number=STATES):
    """Solve at all states, and put the loads into the balance of the generalized forces."""
    idyn = InverseDynamics(model.system, model.unknowns)
    counts = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    states = random_states(counts, rng, number)
    matrix, demanded = balance(model, states)
    found = idyn.compile("solved_loads", backend=backend)(*states).solved_loads
    loads = np.stack([found[unknown] for unknown in model.unknowns], -1)
    left = (matrix @ loads[..., None])[..., 0] - demanded
    sizes = np.linalg.norm(matrix, axis=(1, 2)) * np.linalg.norm(loads, axis=1)
    residual = np.linalg.norm(left, axis=1) / (sizes + np.linalg.norm(demanded, axis=1))
    regular = np.linalg.cond(matrix) < WELL_CONDITIONED
    assert regular.mean() > 0.7  # ball joints lock at a right angle
    assert residual[regular].max() < 1e-12
    vanishing = (np.abs(matrix) < 1e-9) & (np.abs(matrix).max(axis=0) > 0.1)
    assert vanishing[regular].any(axis=(1, 2)).mean() > 0.05
