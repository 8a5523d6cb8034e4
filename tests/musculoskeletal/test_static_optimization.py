"""static_optimization: hand-solved elbows, active bounds, antagonists, infeasible motions."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from linkages import closed, four_bar
from refusals import refused
from scipy.optimize import minimize
from sympy import Symbol

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.motion.trajectory import Trajectory
from jointwrench.musculoskeletal.load_sharing import static_optimization

BICEPS, BRACHIALIS, TRICEPS = me.dynamicsymbols("biceps brachialis triceps")
AREAS = {BICEPS: 4e-4, BRACHIALIS: 6e-4}


def arm(*moments, count=1):
    """Return a chain of pinned rods with these moments about its joints."""
    ground = rigid_body("ground")
    system, parent = me.System.from_newtonian(ground), ground
    for k in range(count):
        body = rigid_body(f"rod{k}", 1.5, 0, 0, 0.02)
        options = {} if parent is ground else {"parent_point": 0.2 * parent.x}
        pin = me.PinJoint(
            *(f"pin{k}", parent, body), child_point=-0.2 * body.x, joint_axis=ground.z, **options
        )
        system.add_joints(pin)
        if k < len(moments):
            frames = body.frame, parent.frame
            system.add_actuators(me.TorqueActuator(moments[k], ground.z, *frames))
        parent = body
    system.apply_uniform_gravity(-9.81 * ground.y)
    return InverseDynamics(system)


@pytest.fixture(scope="module")
def elbow():
    return arm(0.04 * BICEPS + 0.02 * BRACHIALIS - 0.03 * TRICEPS)


STATIC = ([0.0], [0.0], [0.0])
MOMENT = 1.5 * 9.81 * 0.2


def test_two_muscles_share_by_moment_arm_and_area(elbow):
    """F_k = M r_k A_k^2 / sum (r A)^2, by a Lagrange multiplier; the antagonist rests."""
    found = static_optimization(elbow, STATIC, {**AREAS, TRICEPS: 5e-4})
    weight = (0.04 * 4e-4) ** 2 + (0.02 * 6e-4) ** 2
    expected = [MOMENT * 0.04 * 4e-4**2 / weight, MOMENT * 0.02 * 6e-4**2 / weight, 0]
    np.testing.assert_allclose(found.forces, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.stresses, found.forces / [4e-4, 6e-4, 5e-4])
    np.testing.assert_allclose(found.moment_arms, [[0.04, 0.02, -0.03]], rtol=1e-12)
    np.testing.assert_allclose(found.unsupplied, 0, atol=1e-12)
    assert found.feasible
    assert repr(found) == (
        "MuscleForces(biceps(t), brachialis(t), triceps(t): 1 of 1 samples feasible)"
    )


def test_an_active_bound(elbow):
    """The biceps gives all it can, the brachialis the rest; a least force pulls against both."""
    muscles = {BICEPS: (4e-4, 0, 30), BRACHIALIS: 6e-4, TRICEPS: (5e-4, 10, 100)}
    found = static_optimization(elbow, STATIC, muscles)
    expected = [30, (MOMENT + 0.03 * 10 - 0.04 * 30) / 0.02, 10]
    np.testing.assert_allclose(found.forces, expected, rtol=1e-10)
    assert found.feasible


def test_what_muscles_cannot_supply(elbow):
    muscles = {BICEPS: (4e-4, 0, 30), BRACHIALIS: (6e-4, 0, 20)}
    motion = [[0.0], [0.0], [np.pi], [np.nan]], np.zeros((4, 1)), [[0.0], [-40.0], [0.0], [0.0]]
    found = static_optimization(elbow, motion, muscles, specifieds={TRICEPS: 0})
    np.testing.assert_allclose(found.forces[:3], [[30, 20], [0, 0], [0, 0]], atol=1e-10)
    missing = [MOMENT - 1.6, MOMENT - 40 * (0.02 + 1.5 * 0.04), -MOMENT]
    np.testing.assert_allclose(found.unsupplied[:3, 0], missing, rtol=1e-9)
    assert np.isnan(found.forces[3]).all()
    assert not found.feasible.any()


def test_a_batch_against_a_general_solver():
    """Two joints, four muscles, one across both, of random motions: scipy's SLSQP agrees."""
    muscles = me.dynamicsymbols("m:4")
    table = np.array([[0.05, -0.04, 0.0, 0.03], [0.0, 0.0, -0.03, 0.04]])
    idyn = arm(*(row @ np.array(muscles) for row in table), count=2)
    numbers = np.random.default_rng(4)
    q, u, udot = numbers.uniform(-1, 1, (3, 3, 5, 2)) * 3
    areas = np.array([1.0, 2.0, 1.5, 0.7])
    bounds = {m: (a, 5.0, 1e3) for m, a in zip(muscles, areas, strict=True)}
    found = static_optimization(idyn, (q, u, udot), bounds)
    assert found.feasible.all()
    assert found.forces.shape == (3, 5, 4)
    free = idyn.compile("generalized_forces", backend="numpy")
    wanted = free(q, u, udot, specifieds=dict.fromkeys(muscles, 0)).generalized_forces
    for place in [(0, 0), (1, 3), (2, 4)]:
        solution = minimize(
            lambda x: sum((x / areas) ** 2) / 1e4,
            np.full(4, 200.0),
            jac=lambda x: 2 * x / areas**2 / 1e4,
            bounds=[(5.0, 1e3)] * 4,
            constraints={"type": "eq", "fun": lambda x, p=place: table @ x - wanted[p]},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(found.forces[place], solution.x, rtol=1e-4, atol=1e-3)
        active = np.isclose(found.forces[place], 5.0)
        slopes = found.stresses[place] / areas  # the condition of the optimum, by multipliers
        multipliers, *_ = np.linalg.lstsq(table[:, ~active].T, slopes[~active], rcond=None)
        np.testing.assert_allclose(multipliers @ table[:, ~active], slopes[~active], atol=1e-8)
        assert (multipliers @ table[:, active] <= slopes[active] + 1e-9).all()


def test_joint_wrenches_with_the_muscles(elbow):
    """The generalized forces with the muscles are what they leave unsupplied."""
    motion = Trajectory([0, 1.0], [[0.1], [0.2]], [[1.0], [2.0]], [[0.0], [1.0]])
    found = static_optimization(elbow, motion, AREAS, specifieds={TRICEPS: 3.0})
    evaluate = elbow.compile(backend="numpy")
    given = {**found.specifieds, TRICEPS: 3.0}
    result = evaluate(motion.q, motion.u, motion.udot, specifieds=given)
    np.testing.assert_allclose(result.generalized_forces, 0, atol=1e-12)


def test_speeds_that_muscles_do_not_move():
    """By default muscles supply the joints that they cross; the others are left."""
    idyn = arm(0.04 * BICEPS, count=2)
    q, u, udot = np.zeros((3, 1, 2))
    found = static_optimization(idyn, (q, u, udot), {BICEPS: 1.0})
    assert found.feasible
    np.testing.assert_allclose(found.unsupplied, [[0, MOMENT]], atol=1e-10)
    both = static_optimization(idyn, (q, u, udot), {BICEPS: 1.0}, speeds=idyn.speeds)
    assert not both.feasible.any()


def test_muscles_that_are_constants():
    force = Symbol("force")
    found = static_optimization(arm(0.05 * force), STATIC, {force: 1.0})
    np.testing.assert_allclose(found.forces, [MOMENT / 0.05], rtol=1e-12)


@pytest.mark.parametrize(
    ("moment", "muscles"),
    [
        (BICEPS + BRACHIALIS, {}),
        (BICEPS + BRACHIALIS, {BICEPS: (1, 2)}),
        (BICEPS**2 + BRACHIALIS, {BICEPS: 1.0}),
        (BRACHIALIS + 1e-30 * BICEPS, {BICEPS: 1.0}),
    ],
)
def test_bad_muscles(moment, muscles):
    idyn, given = arm(moment), {BICEPS: 0, BRACHIALIS: 0}
    others = {x: y for x, y in given.items() if x not in muscles}
    refused(lambda: static_optimization(idyn, STATIC, muscles, specifieds=others), "muscles")


def test_each_sharing_tells_of_open_loops():
    bar = four_bar([2.0, 0.6, 1.5, 1.4], 1, (0.1, 0.2, 0.3))
    closed(bar.system, bar.loop)
    frames = [link.frame for link in bar.links[1::-1]]
    bar.system.add_actuators(me.TorqueActuator(BICEPS - TRICEPS, frames[1].z, *frames))
    idyn = InverseDynamics(bar.system, loops=[bar.loop])
    for _ in range(2):
        with pytest.warns(UserWarning, match="does not close the loops") as told:
            static_optimization(idyn, ([0.3] * 3, [0] * 3, [1] * 3), {BICEPS: 1, TRICEPS: 1})
        assert len(told) == 1
