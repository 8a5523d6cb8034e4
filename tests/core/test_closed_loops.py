"""A four-bar linkage of hinges: what loops, motors and redundancy mean for a user."""

import importlib.util
import pickle
import re
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pytest
from bodies import rigid_body
from numeric import evaluate_matrix
from refusals import refusal, refused
from sympy import Float, Matrix, lambdify, nan, sqrt
from sympy.physics.mechanics import (
    Force,
    PrismaticJoint,
    ReferenceFrame,
    System,
    TorqueActuator,
    dynamicsymbols,
    inertia,
)

from jointwrench.mechanics.mechanism.loop_joint import LoopJoint
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.motion.prescribed_motion import PrescribedMotion

pytestmark = pytest.mark.usefixtures("numpy_by_default")

EXAMPLES = Path(__file__).parents[2] / "examples"
ACROSS = ("fz", "mx", "my")
ALL = (
    *("generalized_forces", "joint_wrenches", "constraint_wrenches", "solved_loads", "unsupplied"),
    *("multipliers", "conditioning", "constraint_errors", "mass_matrix", "bias"),
)


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def steady_turn():
    """Return the motion of the example."""
    module = example("four_bar")
    system, knee = module.four_bar()
    return module.steady_turn(InverseDynamics(system, loops=[knee]), samples=40)


class Linkage:
    """The linkage of the example, with a motion."""

    def __init__(self):
        self.system, self.knee = example("four_bar").four_bar()
        self.motion = steady_turn()
        self.states = self.motion.q, self.motion.u, self.motion.udot

    @cached_property
    def idyn(self):
        return self.solve()

    def solve(self, **options):
        return InverseDynamics(self.system, **{"loops": [self.knee], **options})

    def evaluate(self, idyn, *outputs):
        return idyn.compile(outputs, backend="numpy")(*self.states)


@pytest.fixture(scope="module")
def linkage():
    return Linkage()


@pytest.fixture(scope="module")
def result(linkage):
    return linkage.evaluate(linkage.idyn, *ALL)


class TestDetermined:
    def test_only_what_is_across_the_plane_is_open(self, linkage):
        joints = (*linkage.system.joints, linkage.knee)
        assert linkage.idyn.undetermined == dict.fromkeys(joints, ACROSS)
        assert linkage.idyn.loops == (linkage.knee,)

    def test_nan_is_where_something_is_open(self, result):
        assert np.isnan(result.joint_wrenches[..., 2:5]).all()
        assert np.isfinite(result.joint_wrenches[..., [0, 1, 5]]).all()
        assert np.isfinite(result.generalized_forces).all()
        open_ = np.isnan(result.multipliers)
        assert open_.all(axis=0).tolist() == [False, False, True, True, True]
        assert not open_[:, :2].any()

    def test_turned_about_the_normal_and_elsewhere_nothing_more_is_nan(self, linkage, result):
        """Nor about another point of the plane; so it is in formulas."""
        frame, point = linkage.system.frame, linkage.system.joints[0].child_point
        wrench, open_ = linkage.idyn.joint_wrench("knee"), [False] * 2 + [True] * 3 + [False]
        shown = linkage.idyn.formula("knee", frame=frame).value
        for formula in (wrench, shown, wrench.about(point)):
            assert [entry is nan for entry in formula.to_matrix(frame)] == open_
        for options in ({"frame": frame}, {"about": point}):
            seen = result.joint_wrench("knee", **options)
            assert np.isnan(seen).all(axis=0).tolist() == open_

    def test_motor_power_is_all_the_power_there_is(self, linkage, result):
        """It changes kinetic energy and lifts masses; the crank turns steadily."""
        _, u, udot = linkage.states
        tree = np.einsum("nij,nj->ni", result.mass_matrix, udot) + result.bias
        expected = np.einsum("ni,ni->n", tree, u)
        power = result.joint_power("drive")
        assert power == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert result.joint_power("knee") == pytest.approx(0, abs=0)
        assert result.unsupplied == pytest.approx(0, abs=1e-12)

    def test_least_norm_chooses(self, linkage):
        chosen = linkage.solve(redundancy="least_norm")
        found = linkage.evaluate(chosen, "joint_wrenches", "generalized_forces")
        assert np.isfinite(found.joint_wrenches).all()
        assert found.joint_wrench("knee", components=ACROSS) == pytest.approx(0, abs=0)
        assert chosen.undetermined == linkage.idyn.undetermined

    def test_table_and_stick_figure(self, linkage, result):
        pytest.importorskip("matplotlib")
        from jointwrench.pictures.stick_figure import StickFigure

        figure = StickFigure(linkage.system, linkage.motion, result)
        assert figure.joints.shape == (40, 4, 3)
        ends = figure.segments[:, 2:4, 1]  # the rocker's, then the coupler's
        knee = figure.joints[:, 3]
        assert np.isclose(ends, knee[:, None]).all(axis=-1).any(axis=1).all()
        drawn = figure.shapes(7)
        assert np.isfinite(drawn["force"].path).any()


class TestContributions:
    def test_a_closing_joint_has_none(self, linkage):
        refused(lambda: linkage.idyn.contributions("knee"), "joint")
        evaluate = linkage.idyn.compile(["joint_wrenches", "contributions"], backend="numpy")
        result = evaluate(linkage.motion)
        whole = sum(result.joint_contributions("elbow").values())
        np.testing.assert_allclose(whole, result.joint_wrench("elbow"), atol=1e-9)
        refused(lambda: result.joint_contributions("knee"), "joint")

    def test_what_is_open_is_nan(self, linkage):
        part = linkage.idyn.contributions("elbow")["joint knee"]
        entries = part.to_matrix(linkage.system.joints[1].child.frame)
        assert [entry is nan for entry in entries] == [False, False, True, True, True, False]


class TestMotors:
    def test_two_motors_on_one_degree_of_freedom(self, linkage):
        drive, elbow, _ = linkage.idyn.speeds
        idyn = linkage.solve(actuated=[drive, "u_elbow"])  # a name is as good
        assert idyn.undetermined[drive] == idyn.undetermined[elbow] == ("value",)
        found = linkage.evaluate(idyn, "generalized_forces", "joint_wrenches")
        assert np.isnan(found.generalized_forces[:, :2]).all()
        assert (found.generalized_forces[:, 2] == 0).all()
        chosen = linkage.solve(actuated=[drive, elbow], redundancy="least_norm")
        shared = linkage.evaluate(chosen, "generalized_forces").generalized_forces
        u = linkage.motion.u
        one = linkage.evaluate(linkage.idyn, "generalized_forces").generalized_forces
        assert np.einsum("ni,ni->n", shared, u) == pytest.approx(one[:, 0] * u[:, 0])

    def test_no_motor(self, linkage):
        """What the motion would need is a force in the direction of the motion."""
        found = linkage.evaluate(linkage.solve(actuated=[]), "unsupplied", "generalized_forces")
        assert (found.generalized_forces == 0).all()
        one = linkage.evaluate(linkage.idyn, "generalized_forces").generalized_forces
        u = linkage.motion.u
        power = np.einsum("ni,ni->n", found.unsupplied, u)
        assert power == pytest.approx(one[:, 0] * u[:, 0])
        along = np.einsum("ni,ni->n", found.unsupplied, u) / np.einsum("ni,ni->n", u, u)
        assert found.unsupplied == pytest.approx(along[:, None] * u, rel=1e-9, abs=1e-9)

    def test_another_motor(self, linkage):
        """The rocker's motor works as much; at the crank's dead points it cannot."""
        pivot = linkage.idyn.speeds[2]
        idyn = linkage.solve(actuated=[pivot])
        found = linkage.evaluate(idyn, "generalized_forces", "conditioning")
        one = linkage.evaluate(linkage.idyn, "generalized_forces").generalized_forces
        u = linkage.motion.u
        power = found.generalized_forces[:, 2] * u[:, 2]
        assert power == pytest.approx(one[:, 0] * u[:, 0], rel=1e-9)

    @pytest.mark.filterwarnings("ignore:the motion does not close the loops")
    def test_a_dead_point_spoils_no_other_sample(self, linkage):
        idyn = linkage.solve(actuated=[linkage.idyn.speeds[2]])
        q, u, udot = (state[:3].copy() for state in linkage.states)
        q[1, 1] = 0.0  # crank and coupler in one line
        q[1, [0, 2]] = 0.59504192, 1.2903488
        found = idyn.compile(("generalized_forces", "conditioning"))(q, u, udot)
        assert np.isfinite(found.generalized_forces).all(axis=1).tolist() == [True, False, True]
        assert found.conditioning[1] == pytest.approx(0, abs=1e-7)
        assert (found.conditioning[[0, 2]] > 0.05).all()

    def test_a_load_in_place_of_a_motor(self, result):
        linkage, expected = Linkage(), result.generalized_forces[:, 0]
        torque = dynamicsymbols("torque")
        crank, ground = linkage.system.joints[0].child, linkage.system
        linkage.system.add_actuators(
            TorqueActuator(torque, ground.frame.z, crank.frame, ground.frame)
        )
        idyn = linkage.solve(solve_for=[torque])
        found = linkage.evaluate(idyn, "solved_loads", "generalized_forces", "unsupplied")
        assert found.solved_loads[torque] == pytest.approx(expected)
        assert (found.generalized_forces == 0).all()
        assert found.unsupplied == pytest.approx(0, abs=1e-10)


class TestWithoutAPlace:
    def test_forces_and_multipliers(self, linkage, result):
        idyn = InverseDynamics(linkage.system)
        found = linkage.evaluate(idyn, "generalized_forces", "multipliers", "unsupplied")
        assert found.generalized_forces == pytest.approx(result.generalized_forces, abs=1e-10)
        assert found.multipliers.shape == (40, 2)
        tree = np.einsum("nij,nj->ni", result.mass_matrix, linkage.motion.udot) + result.bias
        equations = lambdify(
            [list(idyn.coordinates)],
            Matrix(linkage.system.holonomic_constraints).jacobian(idyn.coordinates),
        )
        slopes = np.array([equations(q) for q in linkage.motion.q])
        supplied = np.einsum("nki,nk->ni", slopes, found.multipliers) + found.generalized_forces
        assert supplied == pytest.approx(tree, rel=1e-9, abs=1e-9)

    def test_joint_wrenches_are_refused(self, linkage):
        idyn = InverseDynamics(linkage.system)
        refused(lambda: idyn.joint_wrench("drive"), "loops")
        refused(idyn.compile, "loops")
        refused(lambda: idyn.contributions("drive"), "loops")
        assert idyn.undetermined == {}

    def test_a_function_of_time_in_a_constraint(self, result):
        """What the velocities and accelerations need of it is asked for, and only there."""
        linkage = Linkage()
        height, time = dynamicsymbols("height"), dynamicsymbols._t
        first, *rest = linkage.system.holonomic_constraints
        linkage.system.holonomic_constraints = [first + height, *rest]
        idyn = InverseDynamics(linkage.system)
        rate, growth = height.diff(time), height.diff(time, 2)
        assert set(idyn.specifieds) == {height, rate, growth}
        given = {height: 0.25, rate: -2.0, growth: 3.0}
        states = [state[5] for state in linkage.states]
        errors = idyn.compile("constraint_errors", backend="numpy")(*states, specifieds=given)
        assert errors.constraint_errors[:, 0] == pytest.approx([0.25, -2.0, 3.0], abs=1e-10)
        assert errors.constraint_errors[:, 1] == pytest.approx(0, abs=1e-10)
        forces = idyn.compile(("generalized_forces", "multipliers"), backend="numpy")(*states)
        assert forces.generalized_forces == pytest.approx(result.generalized_forces[5])


def test_a_coupler_without_mass():
    """It is a two-force member: what the knee transmits points along it."""
    linkage = Linkage()
    coupler = linkage.knee.parent
    linkage.system.loads = []
    coupler.mass, coupler.central_inertia = 0, inertia(coupler.frame, 0, 0, 0)
    found = linkage.evaluate(linkage.solve(), "joint_wrenches")
    force = found.joint_wrench("knee", frame=coupler.frame)
    assert force[:, 1] == pytest.approx(0, abs=1e-12)
    assert abs(force[:, 0]).max() > 10


class TestRefusals:
    def refuse(self, linkage, match, error=ValueError, **options):
        with pytest.raises(error, match=match):
            linkage.solve(**options)

    def test_types_and_names(self, linkage):
        refuse = self.refuse
        knee = linkage.knee
        refuse(linkage, r"`loops` must be an iterable .* 'knee' alone", TypeError, loops=knee)
        refuse(linkage, "`loops` must be an iterable .* got 3 of type int", TypeError, loops=[3])
        twice = [knee, knee]
        refuse(linkage, "2 joints have the name 'knee'", TopologyError, loops=twice)
        refuse(linkage, "`actuated` must be among the speeds", actuated=["drive"])
        speed = linkage.idyn.speeds[0]
        refuse(linkage, "`actuated` must be an iterable, got u_drive", TypeError, actuated=speed)
        refuse(linkage, "`actuated` must name each speed once", actuated=[speed, speed])
        refuse(linkage, "`redundancy` must be one of 'nan', 'least_norm'", redundancy="pinv")

    def test_loops_that_are_not_those_of_the_model(self, linkage):
        _, elbow, pivot = linkage.system.joints
        bodies = elbow.child, pivot.child
        wrong = LoopJoint("wrong", *bodies, "spherical", 0.1 * bodies[0].x, 0.1 * bodies[1].x)
        with refusal("loops", TopologyError) as caught:
            linkage.solve(loops=[wrong])
        first, second, third = caught.value.problems
        for problem in (first, second):
            assert problem.startswith("no loop corresponds to the constraint ")
            assert "prescribes a motion, leave it out, and evaluate that motion" in problem
        assert third.startswith("the model has no constraint for wrong. Use system.add_holonomic")

    def test_a_formula_of_the_drive_alone(self, linkage):
        with refusal("formulas"):
            PrescribedMotion(linkage.idyn, {linkage.idyn.coordinates[0]: 0})

    def test_the_same_loop_twice(self, linkage):
        knee = linkage.knee
        places = knee.parent_point, knee.child_point
        axis = {"joint_axis": knee.parent.frame.z}
        again = LoopJoint("again", knee.parent, knee.child, "pin", *places, **axis)
        match = "'again' duplicates 'knee'. Leave one"
        self.refuse(linkage, match, TopologyError, loops=[knee, again])

    @pytest.mark.parametrize("has_loops", [True, False])
    def test_velocity_constraints_that_are_none(self, has_loops):
        """Sympy takes them, and their coefficients would be made up."""
        linkage = Linkage()
        first, second, _ = linkage.system.u
        angle = linkage.system.q[0]
        bad = (first * second, sqrt(first**2 + second**2), angle, first.diff() - second)
        for equation in bad:
            linkage.system.nonholonomic_constraints = [equation]
            match = "`system` must have velocity constraints .* linear in the speeds, got .* Use"
            self.refuse(linkage, match, loops=[linkage.knee] if has_loops else [])

    def test_loops_that_never_meet(self, linkage):
        coupler, rocker = (joint.child for joint in linkage.system.joints[1:])
        far = LoopJoint("far", coupler, rocker, "spherical", 9 * coupler.x, 0.1 * rocker.x)
        loops = [linkage.knee, far]
        self.refuse(linkage, "no state was found at which", TopologyError, loops=loops)

    def test_no_word_on_motors(self):
        linkage = Linkage()
        system = linkage.system
        q, u = list(system.q), list(system.u)
        system.q_dep, system.u_dep = [], []
        system.q_ind, system.u_ind = q, u
        with refusal("system") as error:
            InverseDynamics(system, loops=[linkage.knee])
        fix = re.search(r"Use (.*) before InverseDynamics", str(error.value))[1]
        exec(fix, {"system": system} | {x.name: x for x in (*q, *u)})  # it suffices for both
        InverseDynamics(system, loops=[linkage.knee]).close_motion(*linkage.states)

    def test_body_of_another_model(self, linkage):
        stranger = Linkage().system.joints[2].child
        coupler = linkage.system.joints[1].child
        loop = LoopJoint("x", coupler, stranger, "spherical")
        self.refuse(linkage, "rocker is none of the model's bodies", TopologyError, loops=[loop])


def test_turned_first_then_left_open():
    """A load on a rail and two rods that share its weight: the rail's moment about y is open.

    In the load's own frame, which is tilted, all three moments are.
    """
    ground, load, tilted = (
        rigid_body("ground"),
        rigid_body("load", 2),
        ReferenceFrame("tilted"),
    )
    load.central_inertia = inertia(load.frame, 1, 1, 1)
    tilted.orient_body_fixed(load.frame, (Float(0.3), Float(0.4), Float(0.5)), "xyz")
    system = System.from_newtonian(ground)
    system.add_joints(
        PrismaticJoint("rail", ground, load, child_interframe=tilted, joint_axis=ground.z)
    )
    system.add_loads(Force(load.masscenter, 5 * ground.x - 7 * ground.z))
    rods = [
        LoopJoint(name, ground, load, "rod", x * ground.x, x * tilted.x, length=3)
        for name, x in (("one", 1), ("two", -1))
    ]
    idyn = InverseDynamics(system, loops=rods, actuated=())
    assert idyn.undetermined[system.joints[0]] == ("mx", "my", "mz")
    result = idyn.compile("joint_wrenches", backend="numpy")([3.0], [0.0], [0.0])
    expected = [-5, 0, 0, 0, np.nan, 0]
    found = result.joint_wrench("rail", frame=ground.frame)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    formula = idyn.joint_wrench("rail", frame=ground.frame).to_matrix(ground.frame)
    values = dict.fromkeys((*idyn.coordinates, *idyn.speeds, *idyn.accelerations), 0.0)
    values[idyn.coordinates[0]] = 3.0
    np.testing.assert_allclose(evaluate_matrix(formula, values).ravel(), expected, atol=1e-13)
    moved = result.joint_wrench("rail", frame=ground.frame, about=(ground.masscenter, [0, 1.0, 0]))
    np.testing.assert_allclose(moved, [-5, 0, 0, 0, np.nan, -5], atol=1e-13)
    copied = pickle.loads(pickle.dumps(result)).joint_wrenches
    np.testing.assert_array_equal(copied, result.joint_wrenches)
