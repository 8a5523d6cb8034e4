"""TreeBuilder: joints between any bodies, placed on both sides, with all velocities in ground."""

import numpy as np
import pytest
from bodies import rigid_body
from numeric import evaluate_matrix
from sympy import Matrix, cos, eye, sin
from sympy.physics.mechanics import Point, WeldJoint

from jointwrench import InverseDynamics, Kinematics, SerialChain
from jointwrench.mechanics.mechanism.joint_kinds import FREEDOMS
from jointwrench.models.tree_builder import TreeBuilder

pytestmark = pytest.mark.filterwarnings("error")

TENSOR = (2.1, 2.3, 2.6, 0.11, -0.07, 0.05)
AXIAL = ("pin", "prismatic", "cylindrical")


def turn_about_x(angle):
    return Matrix([[1, 0, 0], [0, cos(angle), -sin(angle)], [0, sin(angle), cos(angle)]])


def general_tree(kind, is_reversed=False):
    """Return a pin and behind it a joint of a kind, with offsets and turns on both sides."""
    builder = TreeBuilder()
    first = builder.add_body("first", 2, (0.1, 0.2, 0.3), TENSOR)
    second = builder.add_body("second", 3, (-0.1, 0.4, 0.2), TENSOR)
    builder.add_joint("pin", "hinge", builder.ground, first, parent_point=(0, 0, 1))
    pair = (second, first) if is_reversed else (first, second)
    builder.add_joint(
        *(kind, "joint", *pair),
        axis=(1, 2, 2) if kind in AXIAL else None,
        parent_point=(0.3, 0, 0),
        child_point=(0, 0.2, -0.1),
        parent_interframe=turn_about_x(0.4),
        child_interframe=turn_about_x(-0.7),
    )
    builder.add_point("tip", second, (1, 1, 1))
    return builder, builder.build((0, 0, -9.81))


@pytest.mark.parametrize(("kind", "is_reversed"), [(x, k % 2 == 1) for k, x in enumerate(FREEDOMS)])
def test_velocities_are_rates_of_positions(kind, is_reversed):
    """What sympy's points say is what our kinematics makes of positions."""
    builder, system = general_tree(kind, is_reversed)
    kin, frame = Kinematics(system), builder.ground.frame
    numbers = np.random.default_rng(3).uniform(0.3, 1, len(system.q) + len(system.u))
    values = dict(zip([*system.q, *system.u], numbers, strict=True))
    for point in (point for body in builder.bodies.values() for point in builder._points[body]):
        velocities = point.vel(frame), kin.velocity(point)
        own, expected = (evaluate_matrix(x.to_matrix(frame), values) for x in velocities)
        np.testing.assert_allclose(own, expected, atol=1e-12)


def test_what_is_built_is_found_by_name():
    builder = TreeBuilder(rigid_body("world", 0))
    arm, hand = builder.add_body("upper arm", 2), builder.add_body("hand", 1, inertia=TENSOR)
    builder.add_joint("pin", "a:3", builder.ground, arm, ["knee angle"], ["knee rate"], (0, 0, 1))
    weld = builder.add_joint(WeldJoint, "wrist", arm, hand)
    system = builder.build()
    assert builder.bodies == {"upper arm": arm, "hand": hand}
    assert list(builder.joints) == ["a:3", "wrist"]
    assert builder.joints["wrist"] is weld
    assert system.joints == tuple(builder.joints.values())
    assert builder.coordinates == {"knee angle": system.q[0]}
    assert builder.speeds == {"knee rate": system.u[0]}
    assert system.bodies == (builder.ground, arm, hand)
    assert system.loads == ()
    assert weld.child_point is builder.origins[hand]


def test_points_and_frames_may_be_given():
    builder = TreeBuilder()
    arm = builder.add_body("arm", 1)
    place = Point("place")
    place.set_pos(builder.ground.masscenter, 2 * builder.ground.frame.x)
    place.set_vel(builder.ground.frame, 0)
    frame = builder.ground.frame
    joint = builder.add_joint(
        *("pin", "J", builder.ground, arm), parent_point=place, parent_interframe=frame
    )
    assert joint.parent_point is place
    assert joint.parent_interframe is frame
    assert frame.dcm(arm.frame).subs(joint.coordinates[0], 0) == eye(3)


def test_a_weight_follows_the_mass_of_its_body():
    """For this package and for sympy, whichever way a load is taken apart."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    values = {x.name: 0.5 + 0.1 * k for k, x in enumerate(chain.constants)}
    state = [0.3, -0.5], [0.7, 0.2], [1.1, -0.4]

    def forces(numbers):
        evaluate = InverseDynamics(chain.system).compile("generalized_forces", backend="numpy")
        return evaluate(*state, numbers).generalized_forces

    expected = forces(values | {"m_1": 7.5})
    chain.bodies[1].mass = 7.5
    del values["m_1"]
    assert forces(values) == pytest.approx(expected, rel=1e-12)
    load = chain.system.loads[1]
    place, vector = load
    assert [place, vector] == [*load] == [load[0], load[1]] == [load.point, load.force]
    assert vector == -7.5 * 9.81 * chain.ground.y
