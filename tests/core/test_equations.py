"""Mass matrix and bias: what the speeds of the tree demand, whoever supplies it."""

import numpy as np
import pytest
from marks import slow
from numeric import relative_error, run
from random_systems import random_system
from sympy import Matrix, symbols, zeros
from sympy.physics.mechanics import Torque

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.friction.joint_friction import JointFriction
from jointwrench.mechanics.mechanism.loop_joint import LoopJoint
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import SerialChain

OUTPUTS = ("generalized_forces", "mass_matrix", "bias")


@pytest.mark.parametrize("seed", [1, 3, *slow([0, 2, *range(4, 20)])])
def test_mass_matrix_is_the_slope_of_forces(seed):
    """Both halves, of which one may be the other's copy."""
    tree = random_system(seed)
    idyn, values = InverseDynamics(tree.system), tree.inputs
    outputs = run(idyn.program(OUTPUTS), values)
    program, count = idyn.program("generalized_forces"), len(idyn.speeds)
    slope = np.zeros((count, count))
    for k, acceleration in enumerate(idyn.accelerations):
        moved = {**values, **dict.fromkeys(idyn.accelerations, 0.0), acceleration: 1.0}
        slope[:, k] = run(program, moved)["generalized_forces"] - outputs["bias"]
    assert relative_error(outputs["mass_matrix"], slope) < 1e-9, tree


def test_formulas():
    chain = SerialChain.planar(1, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    sum_ = idyn.mass_matrix * idyn.accelerations + idyn.bias - idyn.generalized_forces
    assert sum_.applyfunc(lambda x: x.expand()) == zeros(1, 1)
    time_derivatives = set(idyn.accelerations)
    assert not idyn.mass_matrix.atoms(*{type(a) for a in time_derivatives})
    assert not idyn.bias.has(*time_derivatives)


def test_compiled():
    chain = SerialChain.planar(3, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    evaluate = idyn.compile(OUTPUTS, backend="numpy")
    numbers = np.random.default_rng(3)
    q, u, udot = numbers.uniform(-1, 1, (3, 5, 3))
    constants = {s: 0.5 + 0.1 * k for k, s in enumerate(idyn.constants)}
    result = evaluate(q, u, udot, constants=constants)
    assert result.outputs["mass_matrix"].shape == (5, 3, 3)
    assert result.outputs["bias"].shape == (5, 3)
    expected = np.einsum("bij,bj->bi", result.outputs["mass_matrix"], udot) + result.outputs["bias"]
    assert result.generalized_forces == pytest.approx(expected)


def test_no_speeds():
    tree = random_system(1, 1, joints=("weld",), loads=())
    outputs = run(InverseDynamics(tree.system).program(OUTPUTS), {**tree.inputs})
    assert outputs["mass_matrix"].shape == (0, 0)
    assert outputs["bias"].shape == (0,)


TORQUES = symbols("t0 t1")


def driven_arm():
    """Return an arm of two links with a torque on each, and a plane on which its tip slides."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    pairs = zip(chain.bodies, TORQUES, strict=True)
    chain.system.add_loads(*(Torque(body.frame, x * chain.ground.z) for body, x in pairs))
    floor = LoopJoint(
        *("floor", chain.ground, chain.bodies[1], "point_on_plane"),
        parent_point=1.2 * chain.ground.y,
        child_point=chain.tip,
        joint_axis=chain.ground.y,
    )
    return chain.system, floor


PIN = JointFriction("S_0", 0.2, radius=0.05, width=0.1)


@pytest.mark.parametrize(
    ("motors", "solved", "is_closed", "frictions"),
    [
        ([], (), False, [PIN]),
        (None, TORQUES[:1], True, [JointFriction("floor", 0.3)]),
        *slow(
            [
                (None, (), False, ()),
                ([0], (), False, ()),
                (None, TORQUES, False, [PIN]),
                ([1], TORQUES[:1], False, ()),
                ([0], (), True, ()),
                ([1], (), True, [PIN, JointFriction("floor", 0.3, width=0.1, viscous=2)]),
            ]
        ),
    ],
)
@pytest.mark.usefixtures("numpy_by_default")
def test_the_tree_demands_what_all_together_supply(motors, solved, is_closed, frictions):
    """M udot + bias = Q + unsupplied + what solved loads, closings and frictions supply."""
    system, floor = driven_arm()
    plain = InverseDynamics(system).compile("generalized_forces", backend="numpy")
    numbers = {symbol: float(symbol not in TORQUES) for symbol in plain.inputs["constants"]}
    if is_closed:
        system.add_holonomic_constraints(*floor.holonomic_constraints)
        system.q_ind, system.q_dep = system.q[:1], system.q[1:]
        system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    options = {"loops": [floor] if is_closed else (), "solve_for": solved, "frictions": frictions}
    idyn = InverseDynamics(
        system, **options, actuated=None if motors is None else [system.u[k] for k in motors]
    )
    motion = [0.3, -0.9], [0.7, 0.2], [1.1, -0.4]
    own = {symbol: numbers[symbol] for symbol in idyn.constants}
    if is_closed:
        motion = idyn.close_motion(*motion, own)
    outputs = ["generalized_forces", "unsupplied", "mass_matrix", "bias"]
    outputs += ["solved_loads"] * bool(solved) + ["multipliers"] * is_closed
    outputs += ["friction"] * bool(frictions)
    result = idyn.compile(outputs, backend="numpy")(*motion, own)
    demanded = plain(*motion, numbers).generalized_forces
    found = result.mass_matrix @ motion[2] + result.bias
    assert found == pytest.approx(demanded, rel=1e-12)

    turns = np.cumsum(motion[0])
    links = np.array([-np.sin(turns), np.cos(turns)])
    arms = np.array([links.sum(axis=1), links[:, 1]]).T  # of the tip, from each joint
    supplied = result.generalized_forces + result.unsupplied
    for k, torque in enumerate(solved):
        supplied[: k + 1] += result.solved_loads[torque]
    if is_closed:
        supplied += arms[0] * result.multipliers
    for law, value in zip(frictions, getattr(result, "friction", ()), strict=False):
        supplied += value * (np.array([1.0, 0.0]) if law is PIN else -arms[1])
    assert supplied == pytest.approx(demanded, rel=1e-9)


def test_the_formulas_of_forward_dynamics_are_those_of_the_tree():
    """M udot + bias is what frictions supply, as formulas of mass matrix and bias."""
    system, _ = driven_arm()
    fdyn = ForwardDynamics(system, frictions=[PIN])
    numbers = dict(zip(fdyn.constants, np.linspace(0.5, 1.5, len(fdyn.constants)), strict=True))
    evaluate = fdyn.compile(["udot", "friction"], backend="numpy")
    result = evaluate([0.3, -0.9], [0.7, 0.2], numbers)
    states = dict(zip([*fdyn.coordinates, *fdyn.speeds], [0.3, -0.9, 0.7, 0.2], strict=True))
    masses, bias = (x.xreplace(numbers | states) for x in (fdyn.mass_matrix, fdyn.bias))
    left = np.array(masses * Matrix(result.udot) + bias, float).ravel()
    assert left == pytest.approx([result.friction[0], 0.0], abs=1e-12)
