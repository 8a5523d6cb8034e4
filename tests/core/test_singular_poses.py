"""Near singular poses forces grow as conditioning falls; in them nothing plausible is returned."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import grounded, rigid_body
from linkages import closed, pin
from marks import slow

import jointwrench as jw

#: Distances from the singular pose, in radians.
NEAR = np.array([1e-3, 1e-5, 1e-8, 1e-11])


def body(name):
    return rigid_body(name, 1.0, 0.1, 0.1, 0.1)


def parallelogram(heading=0.0, model=jw.InverseDynamics):
    """Its bars lie on one line, of this heading, at angles 0, 0, -pi."""
    ground, system = grounded()
    a, b, c = (body(name) for name in "abc")
    tilted = me.ReferenceFrame("tilted")
    tilted.orient_axis(ground.frame, ground.z, heading)
    system.add_joints(pin("J0", ground, a, 0, -0.5), pin("J1", a, b, 0.5, -1.1))
    system.add_joints(pin("J2", b, c, 1.1, -0.5))
    ends = {"parent_point": 2.2 * tilted.x, "child_point": c.x / 2}
    loop = jw.LoopJoint("loop", ground, c, "spherical", **ends)
    system.apply_uniform_gravity(-9.81 * tilted.y)

    def motion(x):
        return [x + heading, -x, x - np.pi], [1.0, -1, 1], [0.5, -0.5, 0.5]

    return model(closed(system, loop), loops=[loop]), motion


def parallelogram_by_equations():
    model, motion = parallelogram()
    return jw.InverseDynamics(model.system), motion


def slider_crank():
    """Crank and rod in one line, driven by a force on the slider."""
    ground, system = grounded()
    crank, rod, force = body("crank"), body("rod"), me.dynamicsymbols("F")
    system.add_joints(pin("main", ground, crank, 0, -0.5), pin("knee", crank, rod, 0.5, -1))
    loop = jw.LoopJoint("loop", ground, rod, "point_on_line", child_point=rod.x)
    system.add_loads(me.Force(rod.masscenter.locatenew("end", rod.x), force * ground.x))
    system.apply_uniform_gravity(-9.81 * ground.y)
    model = jw.InverseDynamics(closed(system, loop), loops=[loop], solve_for=[force])

    def motion(x):
        turn = -np.arcsin(np.sin(x) / 2)
        return [x, turn - x], [0.0] * 2, [0.0] * 2

    return model, motion


def five_bar():
    """Two motors at the base, the outer bars in one line."""
    ground, system = grounded()
    a, b, c, e = (body(name) for name in "abce")
    system.add_joints(pin("1", ground, a, 0, -0.5), pin("2", a, b, 0.5, -0.5))
    system.add_joints(pin("3", ground, c, 1.5, -0.5), pin("4", c, e, 0.5, -0.5))
    at = {"parent_point": b.x / 2, "child_point": e.x / 2, "joint_axis": b.z}
    loop = jw.LoopJoint("loop", b, e, "pin", **at)
    system.add_holonomic_constraints(*loop.holonomic_constraints)
    system.apply_uniform_gravity(-9.81 * ground.y)
    motors = [system.u[0], system.u[2]]
    model = jw.InverseDynamics(system, loops=[loop], actuated=motors)

    def motion(x):
        turn = np.arccos((2 * np.cos(x) - 1.5) / 2)
        q = [np.pi - turn, x - np.pi + turn, turn, np.pi - x - turn]
        return q, [0.0] * 4, [0.0] * 4

    return model, motion


def ball(has_rings=False):
    """A body on three angles and one on a pin; where the first and third axis meet, they lock."""
    ground, system = grounded()
    inner, outer = body("inner"), body("outer")
    wrist, at = pin("pin", inner, outer, 0, 0.3), 0.3 * inner.x + 0.1 * inner.y
    if has_rings:  # without mass
        rings = [rigid_body(name, 0) for name in ("first", "second")]
        joints = [
            me.PinJoint("x", ground, rings[0], joint_axis=ground.x),
            me.PinJoint("y", rings[0], rings[1], joint_axis=rings[0].y),
            me.PinJoint("z", rings[1], inner, child_point=at, joint_axis=rings[1].z),
        ]
    else:
        joints = [me.SphericalJoint("ball", ground, inner, child_point=at)]
    system.add_joints(*joints, wrist)
    system.apply_uniform_gravity(-9.81 * ground.y)
    return system, wrist


def touching_ball():
    """The contact's force acts about the axis that locks."""
    system, _ = ball()
    inner = system.bodies[1]
    place = inner.masscenter.locatenew("place", 0.5 * inner.x + 0.2 * inner.z)
    contact = jw.Contact("contact", system.bodies[0], inner, place, [system.frame.x])
    driven = [system.u[k] for k in (0, 1, 3)]
    model = jw.InverseDynamics(system, loops=[contact], actuated=driven)
    return model, lambda x: ([0.4, np.pi / 2 - x, -0.3, 0.2], [0.0] * 4, [0.0] * 4)


def rod_between_cranks():
    """The rod's force has no effect on either crank: one force alone, a block of one."""
    ground, system = grounded()
    one, other = body("one"), body("other")
    system.add_joints(
        me.PinJoint("1", ground, one, child_point=-one.x / 2, joint_axis=ground.z),
        me.PinJoint("2", ground, other, parent_point=3 * ground.x, child_point=other.x / 2,
                 joint_axis=ground.y),
    )  # fmt: skip
    ends = {"parent_point": one.x / 2, "child_point": -other.x / 2, "length": 1}
    loop = jw.LoopJoint("rod", one, other, "rod", **ends)
    system.apply_uniform_gravity(-9.81 * ground.y - 9.81 * ground.z)
    model = jw.InverseDynamics(closed(system, loop), loops=[loop], actuated=system.u[:1])
    return model, lambda x: ([x, x], [0.0, 0.0], [0.0, 0.0])


CASES = {"parallelogram": parallelogram, "equations": parallelogram_by_equations}
CASES |= {"slider's force": slider_crank, "five bars": five_bar, "gimbal lock": touching_ball}
QUICK = ["parallelogram", "slider's force", "five bars", "gimbal lock"]


def evaluated(model, motion, places, outputs, **options):
    q, u, udot = (np.array(x) for x in zip(*map(motion, places), strict=True))
    given = (q, u) if isinstance(model, jw.ForwardDynamics) else (q, u, udot)
    return model.compile(outputs, **options)(*given)


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")
@pytest.mark.parametrize("name", [*QUICK, *slow(x for x in CASES if x not in QUICK)])
@pytest.mark.parametrize("backend", ["numpy", *slow(["c"])])
def test_forces_grow_as_conditioning_falls(name, backend):
    model, motion = CASES[name]()
    forces = "multipliers" if name == "equations" else "joint_wrenches"
    outputs = ["conditioning", "generalized_forces", forces]
    found = evaluated(model, motion, NEAR, outputs, backend=backend)
    slopes = np.diff(np.log(found.conditioning)) / np.diff(np.log(NEAR))
    assert slopes == pytest.approx(1, abs=2e-3)
    # rounding over the distance is what the product of both may err by
    sizes = np.nanmax(abs(found.outputs[forces].reshape(len(NEAR), -1)), axis=1)
    product = sizes[:-1] * found.conditioning[:-1]
    assert product == pytest.approx(product[1], rel=1e-2)
    at = evaluated(model, motion, [0.0], outputs, backend=backend)
    assert at.conditioning[0] < 1e-14
    regular = np.isfinite(found.outputs[forces][0])
    assert np.isnan(at.outputs[forces][0][regular]).any()
    assert not (abs(np.nan_to_num(at.outputs[forces])) > 1e6).any()


@pytest.mark.parametrize("backend", [*slow(["numpy"]), "c"])
def test_what_a_singular_pose_leaves_open_is_nan_with_its_slopes(backend):
    model, motion = parallelogram()
    outputs = ["generalized_forces", "joint_wrenches"]
    found = evaluated(model, motion, [1e-3, 0.0], outputs, backend=backend, derivatives=["q"])
    for name in (*outputs, *(f"{x}_wrt_q" for x in outputs)):
        before, at = found.outputs[name]
        moved = np.isfinite(before) & (before != 0)
        assert moved.any()
        assert np.isnan(at[moved]).any()
        if name.startswith("generalized"):
            assert np.isnan(at[moved]).all()
    for joint, own in zip(found.joints, found.joint_wrenches[1], strict=True):
        turned = found.joint_wrench(joint, frame=model.system.frame)[1]
        assert np.isnan(turned[:2]).all() == np.isnan(own[:2]).any()


def test_one_force_whose_effect_vanishes_is_not_known():
    """Neither 1e17 N nor what is computed with it."""
    model, motion = rod_between_cranks()
    names = ["generalized_forces", "multipliers", "conditioning"]
    found = model.compile(names)(*motion(1e-17))
    assert np.isnan(found.multipliers).all()
    assert np.isnan(found.generalized_forces[0])
    assert found.conditioning < 1e-14


@pytest.mark.parametrize("heading", [*slow([0.0]), 0.7])
def test_accelerations_err_by_rounding_over_the_distance(heading):
    model, motion = parallelogram(model=jw.ForwardDynamics, heading=heading)
    near = 10.0 ** -np.arange(4, 13)
    found = evaluated(model, motion, [1e-3, *near], "udot").udot
    limit = found[1]
    errors = abs(found[1:] - limit).max(axis=1)
    assert (errors <= 1e-7 + 1e-14 / near * abs(limit).max()).all()
    assert np.isnan(evaluated(model, motion, [0.0], "udot").udot).all()


@pytest.mark.parametrize(("has_rings", "rubs"), [(False, False), (True, False), *slow([(0, True)])])
def test_accelerations_in_gimbal_lock_are_nan(has_rings, rubs):
    """Where no digit of the inertia about the axis that locks is left."""
    system, wrist = ball(has_rings)
    frictions = [jw.JointFriction(wrist, 0.1, radius=0.05)] if rubs else []
    near = np.array([1e-3, 1e-6, 1e-8, 1e-12, 0])
    q, u = np.full((5, 4), 0.4), np.full((5, 4), 0.2)
    q[:, 1] = np.pi / 2 - near
    found = jw.ForwardDynamics(system, frictions=frictions).compile(["udot", "conditioning"])(q, u)
    assert np.isnan(found.udot).all(axis=1).tolist() == [False, False, True, True, True]
    assert np.divide(*found.udot[:2, 0]) == pytest.approx(near[1] / near[0], rel=0.1)
    assert (found.conditioning <= 2 * near + 1e-7).all()
