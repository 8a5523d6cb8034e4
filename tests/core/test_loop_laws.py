"""Laws that closed mechanisms obey, wherever they are cut."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from linkages import depend_on_first
from marks import slow
from numeric import run
from random_systems import check_same
from sympy import Float
from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PrismaticJoint,
    SphericalJoint,
    WeldJoint,
    dynamicsymbols,
    inertia,
)
from tables import floats, vector

from jointwrench import InverseDynamics, LoopJoint

pytestmark = pytest.mark.usefixtures("numpy_by_default")

OUTPUTS = ("joint_wrenches", "generalized_forces")


# -- one loop, cut at any of its joints ---------------------------------------------

JOINTS = {
    **{"pin": PinJoint, "prismatic": PrismaticJoint},
    **{"spherical": SphericalJoint, "cylindrical": CylindricalJoint},
}
RINGS = {
    "seven pins": ("pin",) * 7,
    "ball and cylinder": ("pin", "spherical", "cylindrical", "pin"),
    "ball and slider": ("pin", "pin", "pin", "prismatic", "spherical"),
    "planar pins": ("pin",) * 4,
    "planar slider-crank": ("pin", "pin", "pin", "prismatic"),
}


def ring(kinds, cut, is_planar):
    """Return the inverse dynamics of bodies in a ring, ground the first, closed by one joint.

    Each joint is between a body and the next; where all coordinates are zero all frames are one.
    """
    numbers, count = np.random.default_rng(len(kinds)), len(kinds)
    angles = 2 * np.pi * np.arange(count) / count
    places = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    places += numbers.uniform(-0.3, 0.3, (count, 3))
    centers = places + numbers.uniform(-0.4, 0.4, (count, 3))
    axes = numbers.normal(size=(count, 3))
    if is_planar:
        places[:, 2] = 0
        axes[:] = [[0.6, 0.8, 0] if kind == "prismatic" else [0, 0, 1] for kind in kinds]
    bodies = [rigid_body(f"B{k}", Float(numbers.uniform(0.5, 2))) for k in range(count)]
    for body in bodies:
        body.central_inertia = inertia(body.frame, *floats(numbers.uniform(0.3, 0.5, 3)))

    def joined(kind, k, one, other):
        ends = [vector(places[k] - centers[x], bodies[x].frame) for x in (one, other)]
        axis = {} if kinds[k] == "spherical" else {"joint_axis": vector(axes[k], bodies[one].frame)}
        points = dict(zip(("parent_point", "child_point"), ends, strict=True))
        return kind(f"j{k}", bodies[one], bodies[other], **points, **axis)

    outward = [joined(JOINTS[kinds[k]], k, k, k + 1) for k in range(cut)]
    inward = range(count - 1, cut, -1)
    system = system_of(
        bodies[0], *outward, *(joined(JOINTS[kinds[k]], k, (k + 1) % count, k) for k in inward)
    )

    def closing(*args, **options):
        return LoopJoint(*args, kinds[cut], **options)

    loop = joined(closing, cut, cut, (cut + 1) % count)
    depend_on_first(system)
    system.apply_uniform_gravity(vector((0.3, -9.81, 1.1), system.frame))
    return InverseDynamics(system, loops=[loop], actuated=system.u[:1])


@pytest.mark.parametrize("name", slow(RINGS))
def test_wherever_a_loop_is_cut(name):
    """The wrench in each joint is the same; the motor is at the first pin, which stays."""
    kinds, is_planar, known = RINGS[name], name.startswith("planar"), {}
    for cut in (len(kinds) - 1, 1):
        idyn = ring(kinds, cut, is_planar)
        first = np.arange(len(idyn.speeds)) == 0
        motion = idyn.close_motion(np.zeros(len(first)), 0.7 * first, -1.1 * first)
        result = idyn.compile(OUTPUTS, backend="numpy")(*motion)
        rows = {"motor": result.generalized_forces[0]}
        for joint in (*idyn.joints, *idyn.loops):
            is_inward = joint.child.name == f"B{joint.name[1:]}"
            rows[joint.name] = result.joint_wrench(joint) * (-1 if is_inward else 1)
        known = known or rows
        assert rows.keys() == known.keys()
        for member, row in rows.items():
            check_same(row, known[member])
    assert np.isnan([known[f"j{k}"] for k in range(len(kinds))]).any() == is_planar
    assert np.isfinite(known["motor"])


# -- a loop that was closed already ---------------------------------------------------


def welded_chain():
    """Two bodies on pins, a third one welded to the second one."""
    ground = rigid_body("ground")
    arm, hand, tool = (rigid_body(name, Float(1.5)) for name in ("arm", "hand", "tool"))
    for k, body in enumerate((arm, hand, tool)):
        body.central_inertia = inertia(body.frame, 0.1 + k, 0.2 + k, 0.15 + k, 0.01, 0.02, 0.03)
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
    system = system_of(ground, shoulder, wrist, weld, gravity=-9.81 * ground.y)
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
