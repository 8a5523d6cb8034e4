"""Rods: two points at a fixed distance, with a force along the line between them."""

import numpy as np
import pytest
from bodies import massive_body, rigid_body
from described import LENGTH, Closing, Number
from described_models import Closer, random_chain, side_of
from described_systems import Built
from linkages import depend_on_first
from marks import slow
from numeric import run
from random_systems import check_outputs
from refusals import refused
from sympy import Float, symbols
from sympy.physics.mechanics import (
    Force,
    Particle,
    PinJoint,
    PrismaticJoint,
    System,
    dynamicsymbols,
    inertia,
)

from jointwrench import ForwardDynamics, FreeJoint, InverseDynamics, LoopJoint
from jointwrench.mechanics.mechanism.tree import TopologyError

T = dynamicsymbols._t


# -- random mechanisms against one dense balance -----------------------------------------------


class RodCloser(Closer):
    """Closes trees by a rod, and by what else comes."""

    def closing(self, name, kind):
        """Return a rod between random points of two bodies, or what does not come first."""
        if name != "L0":
            return super().closing(name, kind)
        ends = [
            side_of(body, self.numbers.uniform(-0.6, 0.6, 3), np.eye(3)) for body in self.pair()
        ]
        one, other = (self.here.arm(end)[0] for end in ends)
        return Closing(name, "rod", *ends, length=Number(np.linalg.norm(other - one), LENGTH))


@pytest.mark.parametrize("number", [0, *slow(range(1, 10))])
def test_random_mechanisms(number):
    model = Built(random_chain(number, closer=RodCloser, pose="generic"))
    names = ("joint_wrenches", "generalized_forces", "unsupplied", "constraint_errors")
    check_outputs(run(model.inverse().program(names), model.inputs), model.numeric)


# -- closed forms --------------------------------------------------------------------------------


def block(name, mass, *moments):
    """Return a rigid body with principal moments of inertia."""
    body = rigid_body(name, mass)
    body.central_inertia = inertia(body.frame, *moments)
    return body


M, G, L = symbols("m g l", positive=True)
NUMBERS = {M: 2.0, G: 9.81, L: 1.5}
STATE = np.array([[0.4, -0.3, -np.sqrt(2)], [0.7, 0.2, 0.22 / np.sqrt(2)]])


@pytest.fixture(scope="module")
def pendulum():
    """Return a bob that floats in space on a rod from ground."""
    ground, bob = rigid_body("ground"), Particle("bob", mass=M)
    rails = [block(name, 0, 0, 0, 0) for name in ("rail_x", "rail_y")]
    system = System.from_newtonian(ground)
    system.add_joints(
        PrismaticJoint("x", ground, rails[0], joint_axis=ground.x),
        PrismaticJoint("y", *rails, joint_axis=rails[0].y),
        PrismaticJoint("z", rails[1], bob, joint_axis=rails[1].z),
    )
    system.apply_uniform_gravity(-G * ground.z)
    rod = LoopJoint("rod", ground, bob, "rod", length=L)
    system.add_holonomic_constraints(*rod.holonomic_constraints)
    system.q_ind, system.q_dep = system.q[:2], system.q[2:]
    system.u_ind, system.u_dep = system.u[:2], system.u[2:]
    return system, rod


def test_bob_on_a_rod_falls(pendulum):
    """Speeds u and a force f along the rod: m udot = -m g z + f r / l, f = m (r.g - u.u) / l."""
    system, rod = pendulum
    fdyn = ForwardDynamics(system, loops=[rod])
    q, u = STATE
    result = fdyn.compile(("udot", "multipliers", "joint_wrenches"), backend="numpy")(
        q, u, constants=NUMBERS
    )
    force = 2.0 * (9.81 * q[2] - u @ u) / 1.5
    assert result.multipliers == pytest.approx([force], rel=1e-12)
    assert force < 0  # the rod pulls
    expected = force / 2.0 * q / 1.5 - [0, 0, 9.81]
    np.testing.assert_allclose(result.udot, expected, rtol=1e-12)
    np.testing.assert_allclose(result.joint_wrench(rod)[:3], force * q / 1.5, rtol=1e-12)
    np.testing.assert_allclose(result.joint_wrench(rod)[3:], 0)


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")  # slopes hold
def test_slopes(pendulum):
    system, rod = pendulum
    idyn = InverseDynamics(system, loops=[rod], actuated=())
    (q, u), udot = STATE, np.array([0.3, 0.2, -0.5])
    evaluate = idyn.compile("multipliers", NUMBERS, "numpy", derivatives="q")
    steps = 1e-6 * np.eye(3)
    ahead, behind = (evaluate(q + s * steps, [u] * 3, [udot] * 3).multipliers for s in (1, -1))
    slopes = evaluate(q, u, udot).derivative("multipliers", "q")
    np.testing.assert_allclose(slopes, ((ahead - behind) / 2e-6).T, rtol=1e-7)


def test_units(pendulum):
    """Lengths in micrometres, masses in tonnes, times in milliseconds."""
    system, rod = pendulum
    evaluate = ForwardDynamics(system, loops=[rod]).compile(
        ("udot", "multipliers"), backend="numpy"
    )
    expected = evaluate(*STATE, constants=NUMBERS)
    length, mass, time = 1e6, 1e-3, 1e3
    numbers = {M: 2 * mass, G: 9.81 * length / time**2, L: 1.5 * length}
    found = evaluate(STATE[0] * length, STATE[1] * length / time, constants=numbers)
    np.testing.assert_allclose(found.udot * time**2 / length, expected.udot, rtol=1e-12)
    forces = found.multipliers * time**2 / length / mass
    np.testing.assert_allclose(forces, expected.multipliers, rtol=1e-12)


@pytest.mark.slow
def test_closed_motion_and_linearized_pendulum(pendulum):
    """About the lowest point both directions swing with w^2 = g / l."""
    system, rod = pendulum
    fdyn = ForwardDynamics(system, loops=[rod])
    q, u, _ = fdyn.inverse.close_motion([0.4, -0.3, -1], [0.7, 0.2, 0], constants=NUMBERS)
    np.testing.assert_allclose([q, u], STATE, rtol=1e-12)
    found = fdyn.linearize([0, 0, -1.5], [0, 0, 0], constants=NUMBERS)
    np.testing.assert_allclose(found.A[2:, :2], -9.81 / 1.5 * np.eye(2), atol=1e-12)


@pytest.mark.slow
def test_delta_robot():
    """Six rods carry a platform: their forces balance it, and motors at the arms balance them."""
    ground, platform = rigid_body("ground"), block("platform", 0.4, 0.001, 0.001, 0.002)
    system, arms, rods, axes, ends = System.from_newtonian(ground), [], [], [], []
    base, arm_length, length, tip, half = 0.2, 0.3, 0.7, 0.06, 0.05
    for k, angle in enumerate(2 * np.pi / 3 * np.arange(3)):
        arm = block(f"arm{k}", 0.1, 0, 0.001, 0.001)
        out = np.array([np.cos(angle), np.sin(angle), 0])
        across = np.array([-np.sin(angle), np.cos(angle), 0])
        axes.append(across)
        pivot = (
            Float(base * x) * e for x, e in zip(out, (ground.x, ground.y, ground.z), strict=True)
        )
        interframe = ground.frame.orientnew(f"side{k}", "Axis", [Float(angle), ground.z])
        system.add_joints(
            PinJoint(
                f"motor{k}",
                ground,
                arm,
                parent_point=sum(pivot, 0 * ground.x),
                child_point=Float(-arm_length / 2) * arm.x,
                parent_interframe=interframe,
                joint_axis=interframe.y,
            )
        )
        for side in (-half, half):
            place = tip * out + side * across
            ends.append(place)
            rods.append(
                LoopJoint(
                    f"rod{k}{'ab'[side > 0]}",
                    arm,
                    platform,
                    "rod",
                    Float(arm_length / 2) * arm.x + Float(side) * arm.y,
                    Float(place[0]) * platform.x + Float(place[1]) * platform.y,
                    length=Float(length),
                )
            )
        arms.append(arm)
    free = FreeJoint("free", ground, platform)
    system.add_joints(free)
    system.apply_uniform_gravity(-9.81 * ground.z)
    motors = system.u[:3]
    system.q_ind, system.q_dep, system.u_ind, system.u_dep = (
        system.q[:3],
        system.q[3:],
        motors,
        system.u[3:],
    )
    idyn = InverseDynamics(system, loops=rods)
    assert not idyn.undetermined
    start = [0.3, 0.4, 0.5, 0, 0, -0.7, 0, 0, 0]
    q, u, udot = idyn.close_motion(start, [0.9, -0.4, 0.3, *[0] * 6], [1.1, 0.4, -2, *[0] * 6])
    np.testing.assert_allclose(q[6:], 0, atol=1e-12)  # pairs of rods keep it level
    np.testing.assert_allclose(u[6:], 0, atol=1e-12)
    result = idyn.compile(("generalized_forces", "multipliers", "joint_wrenches"), backend="numpy")(
        q, u, udot
    )

    knees = [
        np.array([np.cos(a), np.sin(a), 0]) * (base + arm_length * np.cos(x))
        - [0, 0, arm_length * np.sin(x)]
        for a, x in zip(2 * np.pi / 3 * np.arange(3), q[:3], strict=True)
    ]
    starts = np.array([knees[k // 2] + (-half, half)[k % 2] * axes[k // 2] for k in range(6)])
    along = (q[3:6] + ends - starts) / length
    np.testing.assert_allclose(np.linalg.norm(along, axis=1), 1, rtol=1e-12)
    weight = np.array([0, 0, 9.81])
    balance = np.vstack([along.T, np.cross(ends, along).T])
    forces = np.linalg.solve(balance, [*(0.4 * (udot[3:6] + weight)), 0, 0, 0])
    np.testing.assert_allclose(result.multipliers, forces, rtol=1e-10)
    inertias = 0.001 + 0.1 * (arm_length / 2) ** 2
    for k in range(3):  # a motor turns its arm downwards, about `across`
        pivot = base * np.array([np.cos(2 * np.pi / 3 * k), np.sin(2 * np.pi / 3 * k), 0])
        moment = -sum(np.cross(starts[i] - pivot, forces[i] * along[i]) for i in (2 * k, 2 * k + 1))
        moment = moment + np.cross((knees[k] - pivot) / 2, [0, 0, -0.981])
        torque = inertias * udot[k] - axes[k] @ moment
        assert result.generalized_forces[k] == pytest.approx(torque, rel=1e-10)


def carts(*masses):
    """Return particles on rails along x, as a System, and the particles."""
    ground = rigid_body("ground")
    system = System.from_newtonian(ground)
    bobs = [Particle(f"cart{k}", mass=mass) for k, mass in enumerate(masses)]
    for k, bob in enumerate(bobs):
        frame = ground.frame
        joint = PrismaticJoint(f"rail{k}", ground, bob, joint_axis=(frame.x, frame.y)[k])
        system.add_joints(joint)
    return system, ground, bobs


def test_two_particles_on_a_rod():
    """The ladder that slides: ends of mass 1 and 2 on x and y, pulled by 3 along x at 3-4-5."""
    system, ground, bobs = carts(1, 2)
    system.add_loads(Force(bobs[0].masscenter, 3 * ground.x))
    rod = LoopJoint("rod", *bobs, "rod", length=5)
    system.add_holonomic_constraints(*rod.holonomic_constraints)
    depend_on_first(system)
    result = ForwardDynamics(system, loops=[rod]).compile(("udot", "multipliers"), backend="numpy")(
        [3.0, 4.0], [0.0, 0.0]
    )
    # it pushes the second along (-3, 4) / 5: ax = 3 + 3 f / 5, ay = 2 f / 5, 3 ax + 4 ay = 0
    np.testing.assert_allclose(result.multipliers, [-45 / 17], rtol=1e-14)
    np.testing.assert_allclose(result.udot, [3 - 27 / 17, -18 / 17], rtol=1e-14)


def test_winch():
    """A rope of prescribed length holds a mass: tension m (g - l''), power tension times l'."""
    ground, load = rigid_body("ground"), block("load", 2, 0, 0, 0)
    system, length = System.from_newtonian(ground), dynamicsymbols("l")
    system.add_joints(PrismaticJoint("shaft", ground, load, joint_axis=-ground.z))
    system.apply_uniform_gravity(-9.81 * ground.z)
    rope = LoopJoint("rope", ground, load, "rod", length=length)
    idyn = InverseDynamics(system, loops=[rope], actuated=())
    given = {length: 3.0, length.diff(T): 0.5, length.diff(T, 2): 0.7}
    assert set(idyn.specifieds) == given.keys()
    names = ("joint_wrenches", "multipliers", "constraint_errors", "unsupplied")
    result = idyn.compile(names, backend="numpy")([3.0], [0.5], [0.7], specifieds=given)
    tension = 2 * (9.81 - 0.7)
    np.testing.assert_allclose(result.multipliers, [-tension])
    np.testing.assert_allclose(result.joint_wrench(rope, frame=ground.frame)[:3], [0, 0, tension])
    np.testing.assert_allclose(result.constraint_errors, 0, atol=1e-15)
    assert result.joint_power(rope) == pytest.approx(-tension * 0.5)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 2.5e9])
def test_twin_rods_share_what_nobody_knows(unit):
    """The equations are of squares of the distance alone, which have to tell the model's size."""
    ground, load = rigid_body("ground"), block("load", 2, 0, 0, 0)
    system, unit = System.from_newtonian(ground), Float(unit)
    system.add_joints(PrismaticJoint("shaft", ground, load, joint_axis=-ground.z))
    system.apply_uniform_gravity(-9.81 * ground.z)
    one, two = (
        LoopJoint(name, ground, load, "rod", x * ground.x, x * load.x, length=3 * unit)
        for name, x in (("one", unit), ("two", -unit))
    )
    idyn = InverseDynamics(system, loops=[one, two], actuated=())
    assert idyn.undetermined == {system.joints[0]: ("my",), one: ("fz",), two: ("fz",)}
    twin = LoopJoint("twin", ground, load, "rod", unit * ground.x, unit * load.x, length=3 * unit)
    refused(lambda: InverseDynamics(system, loops=[one, twin], actuated=()), "loops", TopologyError)


# -- refusals ------------------------------------------------------------------------------------


def test_refuses_lengths():
    bodies = rigid_body("ground"), massive_body("load")
    for length in (
        None,
        0,
        -1.5,
        1j,
    ):
        refused(lambda: LoopJoint("L", *bodies, "rod", length=length), "length")


def test_refuses_a_length_that_the_motion_changes():
    system, ground, bobs = carts(1)
    rod = LoopJoint("rod", ground, bobs[0], "rod", ground.y, length=system.q[0])
    refused(lambda: InverseDynamics(system, loops=[rod], actuated=()), "loops", TopologyError)
