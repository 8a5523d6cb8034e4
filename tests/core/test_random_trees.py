"""Laws of mechanics on random trees at random states; the seed is the test's name."""

import numpy as np
import pytest
from described import GROUND
from marks import few
from numeric import relative_error, run
from random_systems import random_system

from jointwrench.mechanics.dynamics.joint_motion import joint_motions

TOLERANCE = 1e-9
OUTPUTS = ("generalized_forces", "joint_wrenches", "constraint_wrenches", "mass_matrix")


def check(seed, count=None):
    """Compare a tree with the balance of each body, of all together, and of each joint's power."""
    tree = random_system(seed, count)
    numeric, idyn = tree.numeric, tree.inverse()
    outputs = run(idyn.program((*OUTPUTS, "bias")), tree.inputs)
    for name in OUTPUTS:
        assert relative_error(outputs[name], getattr(numeric, name)) < TOLERANCE, (tree, name)
    affine = outputs["mass_matrix"] @ numeric.udot + outputs["bias"]
    assert relative_error(affine, numeric.generalized) < TOLERANCE, tree
    smallest = min(np.linalg.eigvalsh(outputs["mass_matrix"]), default=1.0)
    assert smallest > (0 if tree.is_regular else -1e-12), tree
    rest = external_wrench(numeric, outputs["joint_wrenches"]) - momentum_rate(numeric)
    assert np.abs(rest).max() < TOLERANCE * max(1, np.abs(outputs["joint_wrenches"]).max()), tree
    motions = joint_motions(idyn.model.derivation)
    for joint, own, motion in zip(idyn.joints, tree.model.joints, motions, strict=True):
        twist = [float(component.xreplace(tree.inputs)) for component in motion.twist]
        expected = numeric.in_child(own, numeric.twists(own).T @ numeric.u)
        assert relative_error(twist, expected) < TOLERANCE, (tree, joint)
        assert motion.speeds == tuple(joint.speeds)


def momentum_rate(numeric):
    """Return the rate of change of the momentum of all bodies, about the origin, (6,)."""
    rates = ((body.name, *np.split(numeric.dynamic(body), 2)) for body in numeric.model.bodies)
    return sum(about_origin(numeric, *rate) for rate in rates)


def external_wrench(numeric, wrenches):
    """Return what loads and ground do to all bodies, about the origin, (6,)."""
    total = sum(about_origin(numeric, *load) for load in numeric.loads() if load[0] != GROUND)
    for joint, wrench in zip(numeric.joints, wrenches, strict=True):
        if joint.inner.body == GROUND:
            force, moment = numeric.in_world(joint, wrench)
            own = np.concatenate([force, moment + np.cross(numeric.place(joint), force)])
            total = total + (-own if joint.is_reversed else own)
    return total


def about_origin(numeric, body, force, moment):
    """Return a wrench about a body's mass centre as one about the origin, (6,)."""
    return np.concatenate([force, moment + np.cross(numeric.poses[body].place[0], force)])


@pytest.mark.parametrize("seed", few(range(12), *range(7)))
def test_laws(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(12, 2012, 50))
def test_laws_on_many_trees(start):
    for seed in range(start, start + 50):
        check(seed)


@pytest.mark.parametrize("seed", few(range(8000, 8008), 8003))
def test_poses_of_the_oracle_are_sympys_own(seed):
    """Sympy's paths from ground to the frames and points give the same."""
    tree = random_system(seed, 2)
    origin, frame = tree.system.fixed_point, tree.system.frame
    for body in tree.moving:
        pose = tree.numeric.poses[body.name]
        place = body.masscenter.pos_from(origin).to_matrix(frame)
        assert numbers(place, tree)[:, 0] == pytest.approx(pose.place[0], abs=1e-12)
        rotation = frame.dcm(tree.frames[body.name])
        assert numbers(rotation, tree) == pytest.approx(pose.rotation[0], abs=1e-12)


def numbers(matrix, tree):
    return np.array(matrix.xreplace(tree.inputs).evalf(), dtype=float)
