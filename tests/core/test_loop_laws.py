"""Laws that closed mechanisms obey, wherever they are cut."""

from dataclasses import dataclass

import numpy as np
import pytest
from bodies import rigid_body
from closed_chains import ClosedChain, check_same, loops_of, places_in, side_at, tree_of
from described import Closing
from numeric import run
from numeric_tree import NumericTree, axial
from sympy import Float
from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PrismaticJoint,
    SphericalJoint,
    System,
    WeldJoint,
    dynamicsymbols,
    inertia,
)

from jointwrench import InverseDynamics, LoopJoint

JOINTS = {
    "pin": PinJoint,
    "prismatic": PrismaticJoint,
    "cylindrical": CylindricalJoint,
    "spherical": SphericalJoint,
    "weld": WeldJoint,
}
OUTPUTS = ("joint_wrenches", "generalized_forces")


# -- one loop, cut at any of its joints ---------------------------------------------


@dataclass
class Ring:
    """Bodies in a ring, ground the first of them: what joins each one to the next, by numbers."""

    kinds: tuple
    places: np.ndarray  # of the joints, (n, 3)
    axes: np.ndarray  # of the joints, the rows x, y and z, (n, 3, 3)
    rotations: np.ndarray  # of the bodies, to the world
    centers: np.ndarray  # of the bodies
    masses: np.ndarray
    inertias: np.ndarray  # central, in the bodies' frames

    def side(self, joint, index, body):
        """Return where a joint is on a body."""
        rotation = self.rotations[index]
        place = rotation.T @ (self.places[joint] - self.centers[index])
        return side_at(body, place, rotation.T @ self.axes[joint].T)

    def cut(self, cut):
        """Return the tree without one joint, that joint as a closing, and all joints' names."""
        ground, count = rigid_body("ground"), len(self.kinds)
        bodies = [ground, *(self.body(k) for k in range(1, count))]
        system = System.from_newtonian(ground)
        system.add_bodies(*bodies[1:])
        places = places_in(system)
        outward = [(k, k, k + 1) for k in range(cut)]
        inward = [(k, (k + 1) % count, k) for k in range(count - 1, cut, -1)]
        for joint, inner, outer in outward + inward:
            sides = {"parent": joint, "child": (joint + 1) % count}
            ends = {name: self.side(joint, k, bodies[k]) for name, k in sides.items()}
            options = {}
            for name, end in ends.items():
                options[f"{name}_point"] = places.point(f"{name}{joint}", end)
                options[f"{name}_interframe"] = places.frame(f"{name}{joint}_frame", end)
            kind = JOINTS[self.kinds[joint]]
            parent, child = (bodies[k] for k in sides.values())
            system.add_joints(kind(f"j{joint}", parent, child, **options))
            assert {inner, outer} == set(sides.values())
        system.apply_uniform_gravity(0.3 * ground.x - 9.81 * ground.y + 1.1 * ground.z)
        ends = [self.side(cut, k, bodies[k]) for k in (cut, (cut + 1) % count)]
        return system, ground, Closing(f"j{cut}", self.kinds[cut], *ends)

    def body(self, k):
        body = rigid_body(f"B{k}", Float(self.masses[k]))
        moments = [self.inertias[k][i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        body.central_inertia = inertia(body.frame, *map(Float, moments))
        return body


def random_ring(kinds, seed, is_planar):
    """Return a ring; a planar one has all its axes along z."""
    numbers = np.random.default_rng(seed)
    count = len(kinds)
    angles = 2 * np.pi * np.arange(count) / count
    places = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], -1)
    places = places + numbers.uniform(-0.3, 0.3, (count, 3))
    orthogonal = np.linalg.qr(numbers.normal(size=(2, count, 3, 3)))[0]
    axes, rotations = orthogonal * np.linalg.det(orthogonal)[..., None, None]
    rotations[0] = np.eye(3)
    if is_planar:
        places[:, 2] = 0
        axes[:] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
        sliding = [kind == "prismatic" for kind in kinds]
        axes[sliding] = [[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]
    factors = numbers.uniform(-0.5, 0.5, (count, 3, 3))
    squares = factors @ factors.transpose(0, 2, 1)
    traces = np.trace(squares, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    centers = places + numbers.uniform(-0.4, 0.4, (count, 3))
    centers[0] = 0
    masses = numbers.uniform(0.5, 2, count)
    return Ring(kinds, places, axes, rotations, centers, masses, traces - squares)


class Motion:
    """Velocities and accelerations of all bodies, from one way to cut the ring."""

    def __init__(self, numeric):
        poses = {body.name: pose for body, pose in numeric.poses.items()}
        self.velocities, self.accelerations = {}, {}
        for name, pose in poses.items():
            growth = axial(pose.rotation[2] @ pose.rotation[0].T) / 2
            self.velocities[name] = np.hstack([pose.center[1], pose.angular_velocity])
            self.accelerations[name] = np.hstack([pose.center[2], growth])

    def of(self, group, bodies):
        return np.hstack([getattr(self, group)[body.name] for body in bodies])


def at_rest(system):
    """Return zeros for the state of a System that is in its first pose."""
    time = dynamicsymbols._t
    symbols = (*system.q, *system.u, *(u.diff(time) for u in system.u), time)
    return dict.fromkeys(symbols, 0.0)


def numeric_tree(system, ground, values):
    return NumericTree(tree_of(system, ground, values), values)


def moving(system, ground, motion):
    """Return the state in which the bodies have a motion."""
    time, values = dynamicsymbols._t, at_rest(system)
    still = numeric_tree(system, ground, values)
    bodies = still.tree.bodies
    partial = np.hstack([np.hstack(still.partial_velocities[body]) for body in bodies]).T
    for group, symbols in (
        ("velocities", list(system.u)),
        ("accelerations", [u.diff(time) for u in system.u]),
    ):
        now = Motion(numeric_tree(system, ground, values)).of(group, bodies)
        needed = motion.of(group, bodies) - now
        found, *_ = np.linalg.lstsq(partial, needed, rcond=None)
        assert partial @ found == pytest.approx(needed, abs=1e-9)
        values.update(zip(symbols, found, strict=True))
    return values


def first_motion(system, ground, closing, seed):
    """Return the state of a random consistent motion."""
    numbers, time = np.random.default_rng([seed, 3]), dynamicsymbols._t
    values = at_rest(system)
    chain = ClosedChain(numeric_tree(system, ground, values), [closing])
    _, sizes, rows = np.linalg.svd(chain.jacobian)
    free = rows[int((sizes > 1e-9).sum()) :].T
    assert free.shape[1] == 1
    values.update(zip(system.u, free @ numbers.uniform(0.5, 1, 1), strict=True))
    chain = ClosedChain(numeric_tree(system, ground, values), [closing])
    needed = np.linalg.lstsq(chain.jacobian, -chain.errors[2], rcond=1e-9)[0]
    needed = needed + free @ numbers.uniform(-2, 2, 1)
    values.update(zip([u.diff(time) for u in system.u], needed, strict=True))
    return values


RINGS = {
    "seven_pins": ("pin",) * 7,
    "ball_and_cylinder": ("pin", "spherical", "cylindrical", "pin"),
    "ball_and_slider": ("pin", "pin", "pin", "prismatic", "spherical"),
    "planar_pins": ("pin",) * 4,
    "planar_slider_crank": ("pin", "pin", "pin", "prismatic"),
}


#: Rings that take seconds to derive.
LONG = ("planar_pins", "seven_pins", "ball_and_slider", "ball_and_cylinder", "planar_slider_crank")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in RINGS],
)
def test_wherever_a_loop_is_cut(name):
    """The wrench in each joint is the same; the motor is at the first pin, which stays."""
    kinds = RINGS[name]
    ring = random_ring(kinds, len(kinds), name.startswith("planar"))
    motion, known = None, {}
    for cut in (len(kinds) - 1, len(kinds) // 2, 1):
        system, ground, closing = ring.cut(cut)
        if motion is None:
            values = first_motion(system, ground, closing, 5)
            motion = Motion(numeric_tree(system, ground, values))
        values = moving(system, ground, motion)
        (loop,) = loops_of(system, [closing])
        actuated = [u for joint in system.joints if joint.name == "j0" for u in joint.speeds]
        idyn = InverseDynamics(system, loops=[loop], actuated=actuated)
        outputs = run(idyn.program(OUTPUTS), values)
        names = [joint.name for joint in (*system.joints, loop)]
        rows = dict(zip(names, outputs["joint_wrenches"], strict=True))
        rows["motor"] = np.array([outputs["generalized_forces"][list(system.u).index(*actuated)]])
        known = known or rows
        assert rows.keys() == known.keys()
        for member, row in rows.items():
            check_same(row, known[member])
    is_open = np.isnan([known[f"j{k}"] for k in range(len(kinds))])
    assert is_open.any() == name.startswith("planar")
    assert np.isfinite(known["motor"]).all()


# -- a loop that was closed already ---------------------------------------------------


def welded_chain():
    """Two bodies on pins, a third one welded to the second one."""
    ground = rigid_body("ground")
    arm, hand, tool = (rigid_body(name, Float(1.5)) for name in ("arm", "hand", "tool"))
    for k, body in enumerate((arm, hand, tool)):
        body.central_inertia = inertia(body.frame, 0.1 + k, 0.2 + k, 0.15 + k, 0.01, 0.02, 0.03)
    system = System.from_newtonian(ground)
    shoulder = PinJoint("shoulder", ground, arm, child_point=-0.4 * arm.x, joint_axis=ground.z)
    wrist = PinJoint(
        "wrist",
        arm,
        hand,
        parent_point=0.5 * arm.x + 0.1 * arm.z,
        child_point=-0.3 * hand.y,
        joint_axis=arm.y,
    )
    weld = WeldJoint("weld", hand, tool, parent_point=0.2 * hand.x, child_point=-0.1 * tool.y)
    system.add_joints(shoulder, wrist, weld)
    system.apply_uniform_gravity(-9.81 * ground.y)
    return system, hand, tool


def test_a_second_weld_changes_nothing_that_is_determined():
    """Two welds share what they transmit in a way that mechanics leaves open."""
    system, _, _ = welded_chain()
    values = dict(zip(system.q, (0.4, -0.9), strict=True))
    values |= dict(zip(system.u, (1.1, -0.7), strict=True))
    values |= dict(zip(system.u.diff(dynamicsymbols._t), (2.0, 3.0), strict=True))
    alone = run(InverseDynamics(system).program(OUTPUTS), values)
    system, hand, tool = welded_chain()
    second = LoopJoint(
        "second",
        hand,
        tool,
        "weld",
        parent_point=hand.masscenter.locatenew("P", 0.7 * hand.x + 0.2 * hand.z),
        child_point=tool.masscenter.locatenew("C", 0.5 * tool.x + 0.2 * tool.z - 0.1 * tool.y),
    )
    speeds = list(system.u)
    values = dict(zip((*system.q, *speeds), (0.4, -0.9, 1.1, -0.7), strict=True))
    values |= dict(zip([u.diff(dynamicsymbols._t) for u in speeds], (2.0, 3.0), strict=True))
    both = run(InverseDynamics(system, loops=[second], actuated=speeds).program(OUTPUTS), values)
    check_same(both["generalized_forces"], alone["generalized_forces"])
    check_same(both["joint_wrenches"][:2], alone["joint_wrenches"][:2])
    assert np.isnan(both["joint_wrenches"][2:]).all()
