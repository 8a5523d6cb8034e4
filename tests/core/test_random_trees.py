"""Laws of mechanics on random trees at random states; the seed is the test's name."""

from dataclasses import dataclass

import numpy as np
import pytest
from marks import slow
from numeric import relative_error, run
from numeric_tree import NumericTree, child_frame
from random_trees import random_state, random_tree
from sympy import Float
from sympy.physics.mechanics import Force, System, Torque, Vector

from jointwrench.mechanics.dynamics.joint_motion import ModelJoints
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

TOLERANCE = 1e-9
TREES = 12
OUTPUTS = ("generalized_forces", "joint_wrenches", "constraint_wrenches")


@dataclass
class Case:
    """A random tree with its program, at one state."""

    tree: object
    values: dict
    idyn: InverseDynamics
    program: object
    numeric: NumericTree

    def outputs(self, **changes):
        """Return the outputs with some values ("u", "udot": arrays) replaced."""
        values = dict(self.values)
        groups = {"u": self.idyn.speeds, "udot": self.idyn.accelerations}
        for group, numbers in changes.items():
            values.update(zip(groups[group], np.moveaxis(numbers, -1, 0), strict=True))
        return run(self.program, values)

    @property
    def forces(self):
        """Generalized forces at the state."""
        return self.outputs()["generalized_forces"]

    def numbers(self, symbols):
        """Return the values of symbols as an array."""
        return np.array([self.values[symbol] for symbol in symbols])


def make_case(seed, count=None, **options):
    """Return a random case."""
    tree = random_tree(seed, count, **options)
    values = random_state(tree, seed)
    idyn = InverseDynamics(tree.system)
    return Case(tree, values, idyn, idyn.program(OUTPUTS), NumericTree(tree, values))


def mass_matrix(case):
    """Return the Jacobian of Q with respect to the accelerations."""
    count = len(case.idyn.speeds)
    at_rest = case.outputs(udot=np.zeros(count))["generalized_forces"]
    return case.outputs(udot=np.eye(count))["generalized_forces"].T - at_rest[:, None]


def check_joint_wrenches_balance_all_outer_bodies(c):
    expected = c.numeric.joint_wrenches()
    assert relative_error(c.outputs()["joint_wrenches"], expected) < TOLERANCE, c.tree


def check_power_balance(c):
    supplied = c.forces @ c.numbers(c.idyn.speeds) + c.numeric.load_power()
    stored = sum(c.numeric.kinetic_power(body) for body in c.tree.bodies)
    assert abs(supplied - stored) < TOLERANCE * max(1, abs(stored)), c.tree


def check_forces_are_affine_in_accelerations_with_a_symmetric_definite_jacobian(c):
    matrix = mass_matrix(c)
    rest = c.outputs(udot=np.zeros(len(matrix)))["generalized_forces"]
    affine = matrix @ c.numbers(c.idyn.accelerations) + rest
    assert relative_error(c.forces, affine) < TOLERANCE, c.tree
    assert relative_error(matrix, matrix.T) < TOLERANCE, c.tree
    smallest = min(np.linalg.eigvalsh(matrix), default=1.0)
    assert smallest > (1e-9 if c.tree.is_regular else -1e-12), c.tree


def check_external_wrenches_change_the_total_momentum(c):
    force, moment = ground_wrench(c)
    for _, place, f, m in c.numeric.loads():
        force, moment = force + f, moment + m + np.cross(place, f)
    for body in c.tree.bodies:
        f, m = c.numeric.dynamic_wrench(body)
        center = c.numeric.poses[body].center[0]
        force, moment = force - f, moment - m - np.cross(center, f)
    scale = max(1, np.abs(c.outputs()["joint_wrenches"]).max())
    assert np.abs([force, moment]).max() < TOLERANCE * scale, c.tree


def check_joints_work_through_generalized_forces_only(c):
    outputs = c.outputs()
    speeds = dict(zip(c.idyn.speeds, outputs["generalized_forces"], strict=True))
    for k, joint in enumerate(c.idyn.joints):
        supplied = sum(speeds[u] * c.values[u] for u in joint.speeds)
        work = power(c, joint, outputs["joint_wrenches"][k])
        assert work == pytest.approx(supplied, rel=TOLERANCE, abs=TOLERANCE), joint


def check_motions_of_joints(c):
    """The twists by which joint wrenches are multiplied, in the frames of these."""
    for joint, motion in zip(c.idyn.joints, ModelJoints(c.idyn.model.tree).motions, strict=True):
        twist = [float(component.xreplace(c.values)) for component in motion.twist]
        parts = c.numeric.relative_twist(joint)
        expected = np.concatenate([c.numeric.in_child(joint, part) for part in parts])
        assert relative_error(twist, expected) < TOLERANCE, joint
        assert motion.speeds == tuple(joint.speeds)


def check_constraints_do_no_work_and_leave_only_free_directions(c):
    outputs = c.outputs()
    for k, joint in enumerate(c.idyn.joints):
        constraint = outputs["constraint_wrenches"][k]
        assert power(c, joint, constraint) == pytest.approx(0, abs=TOLERANCE), joint
        actuation = outputs["joint_wrenches"][k] - constraint
        free = free_directions(c, joint)
        rest = actuation - free @ np.linalg.lstsq(free, actuation, rcond=None)[0]
        assert np.abs(rest).max() < TOLERANCE * max(1, np.abs(actuation).max()), joint


def in_world(case, joint, wrench):
    """Return force and moment about the child point in world components."""
    rotation = case.numeric.rotations[child_frame(joint, case.tree)]
    return rotation @ wrench[:3], rotation @ wrench[3:]


def power(case, joint, wrench):
    """Return the power of a joint wrench on the joint's relative motion."""
    (force, moment), (velocity, spin) = (
        in_world(case, joint, wrench),
        case.numeric.relative_twist(joint),
    )
    return force @ velocity + moment @ spin


def free_directions(case, joint):
    """Return the relative twists per unit of each of the joint's speeds, (6, n)."""
    columns = [np.zeros(6)]
    for speed in joint.speeds:
        values = {**case.values, **dict.fromkeys(case.idyn.speeds, 0.0), speed: 1.0}
        twist = NumericTree(case.tree, values).relative_twist(joint)
        columns.append(np.concatenate([case.numeric.in_child(joint, part) for part in twist]))
    return np.array(columns).T


def ground_wrench(case):
    """Return the wrench of ground on all bodies, about the fixed point."""
    force, moment = np.zeros(3), np.zeros(3)
    for joint, wrench in zip(case.idyn.joints, case.outputs()["joint_wrenches"], strict=True):
        if case.tree.ground in (joint.parent, joint.child):
            f, m = in_world(case, joint, wrench)
            sign = 1 if joint.parent is case.tree.ground else -1
            force = force + sign * f
            moment = moment + sign * (m + np.cross(case.numeric.child_place(joint), f))
    return force, moment


LAWS = (
    check_joint_wrenches_balance_all_outer_bodies,
    check_power_balance,
    check_forces_are_affine_in_accelerations_with_a_symmetric_definite_jacobian,
    check_external_wrenches_change_the_total_momentum,
    check_joints_work_through_generalized_forces_only,
    check_motions_of_joints,
    check_constraints_do_no_work_and_leave_only_free_directions,
)


@pytest.fixture(scope="module")
def c(request):
    """A random tree with one to five bodies, every kind of joint and of load."""
    return make_case(request.param)


@pytest.mark.parametrize("c", [*range(6), *slow(range(6, TREES))], indirect=True)
@pytest.mark.parametrize("law", LAWS, ids=[law.__name__ for law in LAWS])
def test_law(c, law):
    law(c)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(TREES, TREES + 2000, 50))
def test_laws_on_many_trees(start):
    for seed in range(start, start + 50):
        c = make_case(seed)
        for law in LAWS:
            law(c)


@pytest.mark.parametrize("seed", [5001, *slow([5000, 5002])])
def test_many_bodies(seed):
    c = make_case(seed, count=6 + seed % 7)
    expected = c.numeric.joint_wrenches()
    assert relative_error(c.outputs()["joint_wrenches"], expected) < TOLERANCE, c.tree


@pytest.mark.parametrize("seed", [6000, 6002, 6005, *slow([6001, 6003, 6004, *range(6006, 6015)])])
def test_static_forces_are_the_slope_of_potential_energy(seed):
    c = make_case(seed, load_kinds=(), gravity=("uniform",))
    still = np.zeros(len(c.idyn.speeds))
    static = c.outputs(u=still, udot=still)["generalized_forces"]
    slope = [c.numeric.potential({q: 1e-30j}).imag / 1e-30 for q in c.idyn.coordinates]
    assert relative_error(static, np.array(slope)) < TOLERANCE, c.tree


@pytest.mark.parametrize("seed", [7001, 7003, 7005, *slow([7000, 7002, 7004, *range(7006, 7012)])])
def test_cutting_a_joint_changes_nothing_inside(seed):
    """What hangs on a joint can be replaced by the joint's wrench as an external load."""
    joints = ("pin", "prismatic", "cylindrical", "planar", "spherical")
    c = make_case(seed, 3, joints=joints, particles=False)
    joint, inner, _ = c.numeric.order[-1]
    outputs, whole = c.outputs(), list(c.idyn.joints)
    force, moment = in_world(c, joint, outputs["joint_wrenches"][whole.index(joint)])
    sign = -1 if joint.parent is inner else 1
    system = without(c, joint)
    if inner is not c.tree.ground:
        center = c.numeric.poses[inner].center[0]
        arm = c.numeric.child_place(joint) - center
        reaction = sign * force, sign * (moment + np.cross(arm, force))
        load, torque = (floats(part, system.frame) for part in reaction)
        system.add_loads(Force(inner, load), Torque(inner.frame, torque))
    rest = InverseDynamics(system)
    after = run(rest.program(), c.values)["joint_wrenches"]
    before = outputs["joint_wrenches"][[whole.index(j) for j in rest.joints]]
    assert relative_error(after, before) < TOLERANCE, c.tree


def floats(components, frame):
    return sum((Float(x) * axis for x, axis in zip(components, frame, strict=True)), Vector(0))


def without(case, cut):
    """Return the System without a joint and the last body that hangs on it."""
    tree = case.tree
    (lost,) = case.numeric.outer_bodies(cut)
    system = System.from_newtonian(tree.ground)
    system.add_joints(*(joint for joint in tree.system.joints if joint is not cut))
    for body, place, force, moment in case.numeric.loads():
        if body is not lost:
            center = case.numeric.poses[body].center[0]
            system.add_loads(Force(body, floats(force, system.frame)))
            total = moment + np.cross(place - center, force)
            system.add_loads(Torque(body.frame, floats(total, system.frame)))
    return system


@pytest.mark.parametrize("seed", [*range(8002, 8006), *slow([8000, 8001, 8006, 8007])])
def test_poses_of_the_oracle_are_sympys_own(seed):
    """The oracle walks from joint to joint; sympy's paths from ground give the same."""
    tree = random_tree(seed, 2)
    numeric = NumericTree(tree, random_state(tree, seed))
    for body in tree.bodies:
        position = body.masscenter.pos_from(tree.system.fixed_point)
        place = evaluate_direct(position.to_matrix(tree.system.frame), numeric)[:, 0]
        assert place == pytest.approx(numeric.poses[body].center[0], abs=1e-12)
        rotation = evaluate_direct(tree.system.frame.dcm(tree.frames[body]), numeric)
        assert rotation == pytest.approx(numeric.poses[body].rotation[0], abs=1e-12)


def evaluate_direct(matrix, numeric):
    return np.array(matrix.xreplace(numeric.values).evalf(), dtype=float)
