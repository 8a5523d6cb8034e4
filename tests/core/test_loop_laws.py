"""Laws that closed mechanisms obey, wherever they are cut."""

from dataclasses import dataclass

import numpy as np
import pytest
from bodies import rigid_body
from described import ACCELERATION, GROUND, MASS, Body, Closing, Joint, Model, Number
from described_models import COORDINATES, side_of
from described_numbers import Numeric, solved
from described_systems import Built
from numeric import run
from random_systems import check_same
from sympy import Float
from sympy.physics.mechanics import PinJoint, System, WeldJoint, dynamicsymbols, inertia

from jointwrench import InverseDynamics, LoopJoint

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

    def side(self, joint, index):
        """Return where a joint is on a body."""
        rotation = self.rotations[index]
        place = rotation.T @ (self.places[joint] - self.centers[index])
        return side_of(self.names[index], place, rotation.T @ self.axes[joint].T)

    @property
    def names(self):
        """The names of the bodies."""
        return [GROUND, *(f"B{k}" for k in range(1, len(self.kinds)))]

    def cut(self, cut):
        """Return the mechanism, closed by one of its joints, at rest; the first one is driven."""
        count = len(self.kinds)
        outward = [(k, False) for k in range(cut)]
        inward = [(k, True) for k in range(count - 1, cut, -1)]
        joints = tuple(self.joint(*pair) for pair in outward + inward)
        ends = [self.side(cut, k) for k in (cut, (cut + 1) % count)]
        speeds = [joint.name for joint in joints for _ in joint.u]
        driven = tuple(k for k, name in enumerate(speeds) if name == "j0")
        return Model(
            name=f"cut at {cut}",
            bodies=tuple(self.body(k) for k in range(1, count)),
            joints=joints,
            gravity=tuple(Number(x, ACCELERATION) for x in (0.3, -9.81, 1.1)),
            closings=(Closing(f"j{cut}", self.kinds[cut], *ends),),
            actuated=driven,
        )

    def joint(self, k, is_reversed):
        """Return a joint between two bodies; if reversed, the second one is the inner one."""
        kind, ends = self.kinds[k], [self.side(k, k), self.side(k, (k + 1) % len(self.kinds))]
        inner, outer = ends[::-1] if is_reversed else ends
        rest = (tuple(Number(0.0, dimension) for dimension in COORDINATES[kind]),) * 3
        return Joint(f"j{k}", kind, inner, outer, is_reversed, 0, "BODY 123", *rest)

    def body(self, k):
        moments = [self.inertias[k][i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        return Body(f"B{k}", Number(self.masses[k], MASS), tuple(map(Number, moments)))


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


def motion_of(model, level):
    """Return velocities (level 1) or accelerations (2) of all bodies."""
    poses = [pose for name, pose in sorted(Numeric(model).poses.items()) if name != GROUND]
    return np.hstack([[*pose.place[level], *pose.spin[level - 1]] for pose in poses])


def moving(model, motion):
    """Return the model in the state in which the bodies have a motion."""
    partial = sorted(Numeric(model).partial.items())
    matrix = np.hstack([rows for name, rows in partial if name != GROUND]).T
    for level, group in ((1, "u"), (2, "udot")):
        needed = motion[level - 1] - motion_of(model, level)
        found, *_ = np.linalg.lstsq(matrix, needed, rcond=None)
        assert matrix @ found == pytest.approx(needed, abs=1e-9)
        model = model.at(**{group: found})
    return model


def first_motion(model, seed):
    """Return velocities and accelerations of a random consistent motion."""
    numbers, jacobian = np.random.default_rng([seed, 3]), Numeric(model).jacobian
    free = solved(jacobian).null
    assert free.shape[1] == 1
    model = model.at(u=free @ numbers.uniform(0.5, 1, 1))
    needed = np.linalg.lstsq(jacobian, -Numeric(model).errors[2], rcond=1e-9)[0]
    model = model.at(udot=needed + free @ numbers.uniform(-2, 2, 1))
    return [motion_of(model, level) for level in (1, 2)]


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
        model = ring.cut(cut)
        motion = motion or first_motion(model, 5)
        built = Built(moving(model, motion))
        outputs = run(built.inverse().program(OUTPUTS), built.inputs)
        names = [joint.name for joint in (*built.system.joints, *built.loops)]
        rows = dict(zip(names, outputs["joint_wrenches"], strict=True))
        rows["motor"] = outputs["generalized_forces"][list(model.actuated)]
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
