"""A four-bar linkage of hinges: what loops, motors and redundancy mean for a user."""

import importlib.util
import re
from functools import cache, cached_property
from pathlib import Path

import linkages
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from numeric import evaluate_matrix
from refusals import refusal, refused
from sympy import Float, nan, sqrt, symbols

from jointwrench.mechanics.mechanism.contact import Contact
from jointwrench.mechanics.mechanism.loop_joint import LoopJoint
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.paths import connected_points
from jointwrench.motion.prescribed_motion import PrescribedMotion

pytestmark = pytest.mark.usefixtures("numpy_by_default")

EXAMPLES = Path(__file__).parents[2] / "examples"
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


def test_turned_about_the_normal_and_elsewhere_nothing_more_is_nan(linkage, result):
    """Nor about another point of the plane; so it is in formulas."""
    frame, point = linkage.system.frame, linkage.system.joints[0].child_point
    wrench, open_ = linkage.idyn.joint_wrench("knee"), [False] * 2 + [True] * 3 + [False]
    shown = linkage.idyn.formula("knee", frame=frame).value
    for formula in (wrench, shown, wrench.about(point)):
        assert [entry is nan for entry in formula.to_matrix(frame)] == open_
    for options in ({"frame": frame}, {"about": point}):
        seen = result.joint_wrench("knee", **options)
        assert np.isnan(seen).all(axis=0).tolist() == open_


def test_motor_power_is_all_the_power_there_is(linkage, result):
    """It changes kinetic energy and lifts masses; the crank turns steadily."""
    _, u, udot = linkage.states
    tree = np.einsum("nij,nj->ni", result.mass_matrix, udot) + result.bias
    expected = np.einsum("ni,ni->n", tree, u)
    power = result.joint_power("drive")
    assert power == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert result.joint_power("knee") == pytest.approx(0, abs=0)
    assert result.unsupplied == pytest.approx(0, abs=1e-12)


def test_table_and_stick_figure(linkage, result):
    pytest.importorskip("matplotlib")
    from jointwrench.pictures.stick_figure import StickFigure

    figure = StickFigure(linkage.system, linkage.motion, result)
    assert figure.joints.shape == (40, 4, 3)
    ends = figure.segments[:, 2:4, 1]  # the rocker's, then the coupler's
    knee = figure.joints[:, 3]
    assert np.isclose(ends, knee[:, None]).all(axis=-1).any(axis=1).all()
    drawn = figure.shapes(7)
    assert np.isfinite(drawn["force"].path).any()


def test_a_closing_joint_has_none(linkage):
    refused(lambda: linkage.idyn.contributions("knee"), "joint")
    evaluate = linkage.idyn.compile(["joint_wrenches", "contributions"], backend="numpy")
    result = evaluate(linkage.motion)
    whole = sum(result.joint_contributions("elbow").values())
    np.testing.assert_allclose(whole, result.joint_wrench("elbow"), atol=1e-9)
    refused(lambda: result.joint_contributions("knee"), "joint")


def test_what_is_open_is_nan(linkage):
    part = linkage.idyn.contributions("elbow")["joint knee"]
    entries = part.to_matrix(linkage.system.joints[1].child.frame)
    assert [entry is nan for entry in entries] == [False, False, True, True, True, False]


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")
def test_a_dead_point_spoils_no_other_sample(linkage):
    idyn = linkage.solve(actuated=[linkage.idyn.speeds[2]])
    q, u, udot = (state[:3].copy() for state in linkage.states)
    q[1, 1] = 0.0  # crank and coupler in one line
    q[1, [0, 2]] = 0.59504192, 1.2903488
    found = idyn.compile(("generalized_forces", "conditioning"))(q, u, udot)
    assert np.isfinite(found.generalized_forces).all(axis=1).tolist() == [True, False, True]
    assert found.conditioning[1] == pytest.approx(0, abs=1e-7)
    assert (found.conditioning[[0, 2]] > 0.05).all()


def test_joint_wrenches_are_refused(linkage):
    idyn = InverseDynamics(linkage.system, loops=[])
    refused(lambda: idyn.joint_wrench("drive"), "loops")
    refused(idyn.compile, "loops")
    refused(lambda: idyn.contributions("drive"), "loops")
    assert idyn.undetermined == {}


@pytest.mark.parametrize("has_names", [True, False])
def test_loops_are_found_where_positions_alone_close_them(has_names):
    """As in sympy's own tutorial: the points that meet have names, or none."""
    lengths = symbols("l1:5")
    bars = [rigid_body(f"bar{k}", m, 1, 1, 1) for k, m in enumerate(symbols("m1:5"))]
    pins = [
        linkages.pin(f"pin{k}", bars[k], bars[k + 1], lengths[k] / 2, -lengths[k + 1] / 2)
        for k in range(3)
    ]
    first, last = bars[0], bars[3]
    system = system_of(first, *pins, gravity=-9.81 * first.y)
    ends = -lengths[0] / 2 * first.x, lengths[3] / 2 * last.x
    if has_names:
        first.masscenter.locatenew("A", ends[0])
        last.masscenter.locatenew("B", ends[1])
    gap = last.masscenter.pos_from(first.masscenter) + ends[1] - ends[0]
    system.add_holonomic_constraints(gap.dot(first.x), gap.dot(first.y))
    linkages.depend_on_first(system)
    idyn = InverseDynamics(system)
    name = f"bar3 on bar0 at {'B' if has_names else 'bar3_end'}"
    assert [(x.name, x.kind) for x in idyn.loops] == [(name, "pin")]
    assert [x.name for x in InverseDynamics(system).loops] == [name]  # the same once more
    (code,) = idyn.model.tree.deduced.closed.written
    known = {"LoopJoint": LoopJoint, "bar0": first, "bar3": last, "N": first.frame}
    places = dict(zip(("l1", "l4"), (lengths[0], lengths[3]), strict=True))
    places |= {x.name: x for x in (*connected_points(first.masscenter), first.frame, last.frame)}
    by_hand = InverseDynamics(system, loops=[eval(code, known | places)])
    constants = {x: 1 + 0.1 * k for k, x in enumerate(idyn.constants)}
    motion = idyn.close_motion([0.9, 0.6, 2.0], [0.4] * 3, [0.3] * 3, constants=constants)
    found, expected = (
        x.compile(("joint_wrenches", "generalized_forces"), backend="numpy")(*motion, constants)
        for x in (idyn, by_hand)
    )
    assert np.isfinite(found.joint_wrenches[..., :2]).all()
    assert found.joint_wrenches == pytest.approx(expected.joint_wrenches, nan_ok=True)
    assert found.generalized_forces == pytest.approx(expected.generalized_forces)


def wheels():
    """Return a System of two wheels on pins, and their radii."""
    ground, one, other = (rigid_body(x, 1, 1, 1, k) for k, x in enumerate(("g", "one", "other")))
    sizes = symbols("r1 r2")
    pins = linkages.pin("first", ground, one), linkages.pin("second", ground, other, sum(sizes))
    return system_of(ground, *pins), sizes


def test_advice_for_gears_and_belts():
    """A ratio of speeds acts at no point; what the error proposes gives the wrenches."""
    system, (r1, r2) = wheels()
    system.add_nonholonomic_constraints(r1 * system.u[0] + r2 * system.u[1])
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]
    ground, *gears = system.bodies
    error = refused(lambda: InverseDynamics(system).program("joint_wrenches"), "loops")
    assert "the teeth of two gears" in str(error)
    assert "solve_for=[tension]" in str(error)
    mesh = ground.masscenter.locatenew("mesh", r1 * ground.x)
    contact = Contact("teeth", *gears, mesh, [ground.y])
    states, numbers = ([0.2, 0.4], [2.0, -1.0], [2.0, -1.0]), {"r1": 1.0, "r2": 2.0}
    meshed = InverseDynamics(system, loops=[contact])
    by_teeth = meshed.compile("joint_wrenches", backend="numpy")(*states, numbers)
    force = by_teeth.joint_wrench(contact, frame=ground.frame)[1]
    assert -2.0 * force == pytest.approx(2 * -1.0)  # the lever, and inertia times acceleration
    system, (r1, r2) = wheels()
    tension, (ground, one, other) = symbols("tension"), system.bodies
    system.add_loads(me.Torque(one, -r1 * tension * one.z), me.Torque(other, r2 * tension * one.z))
    belted = InverseDynamics(system, solve_for=[tension], actuated=[system.u[0]])
    solved = belted.compile(("joint_wrenches", "solved_loads"), backend="numpy")
    found = solved([0.2, 0.4], [2.0, 1.0], [2.0, 1.0], numbers)
    assert found.solved_loads[tension] == pytest.approx(2 * 1.0 / 2.0)
    assert np.isfinite(found.joint_wrenches).all()


def test_a_function_of_time_in_a_constraint(result):
    """What the velocities and accelerations need of it is asked for, and only there."""
    linkage = Linkage()
    height, time = me.dynamicsymbols("height"), me.dynamicsymbols._t
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


#: What a four-bar is given, by what is wrong with it, of which joints, and of whose speeds.
WRONG = {
    "a loop alone": (lambda four: {"loops": four.knee}, TypeError),
    "no loop": (lambda four: {"loops": [3]}, TypeError),
    "one name twice": (lambda four: {"loops": [four.knee] * 2}, TopologyError),
    "no speed": (lambda four: {"actuated": ["drive"]}, ValueError),
    "a speed alone": (lambda four: {"actuated": four.idyn.speeds[0]}, TypeError),
    "a speed twice": (lambda four: {"actuated": [four.idyn.speeds[0]] * 2}, ValueError),
    "no choice": (lambda four: {"redundancy": "pinv"}, ValueError),
    "one loop twice": (lambda four: {"loops": [four.knee, again(four)]}, TopologyError),
    "never closed": (lambda four: {"loops": [four.knee, far(four)]}, TopologyError),
    "another model's": (lambda four: {"loops": [strange(four)]}, TopologyError),
}


def again(four):
    knee = four.knee
    ends = knee.parent, knee.child, knee.kind, knee.parent_point, knee.child_point
    return LoopJoint("again", *ends, joint_axis=knee.parent.frame.z)


def far(four):
    coupler, rocker = (joint.child for joint in four.system.joints[1:])
    return LoopJoint("far", coupler, rocker, "spherical", 9 * coupler.x, 0.1 * rocker.x)


def strange(four):
    stranger = Linkage().system.joints[2].child
    return LoopJoint("x", four.system.joints[1].child, stranger, "spherical")


@pytest.mark.parametrize("name", WRONG)
def test_refused_options(linkage, name):
    make, error = WRONG[name]
    options = make(linkage)
    refused(lambda: linkage.solve(**options), next(iter(options)), error)


def test_loops_that_are_not_those_of_the_model(linkage):
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


def test_a_formula_of_the_drive_alone(linkage):
    with refusal("formulas"):
        PrescribedMotion(linkage.idyn, {linkage.idyn.coordinates[0]: 0})


@pytest.mark.parametrize("has_loops", [True, False])
def test_velocity_constraints_that_are_none(has_loops):
    """Sympy takes them, and their coefficients would be made up."""
    linkage = Linkage()
    first, second, _ = linkage.system.u
    angle = linkage.system.q[0]
    bad = (first * second, sqrt(first**2 + second**2), angle, first.diff() - second)
    for equation in bad:
        linkage.system.nonholonomic_constraints = [equation]
        refused(lambda: linkage.solve(loops=[linkage.knee] if has_loops else []), "system")


def test_no_word_on_motors():
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


def test_turned_first_then_left_open():
    """A load on a rail and two rods that share its weight: the rail's moment about y is open.

    In the load's own frame, which is tilted, all three moments are.
    """
    ground, load, tilted = (
        rigid_body("ground"),
        rigid_body("load", 2, 1, 1, 1),
        me.ReferenceFrame("T"),
    )
    tilted.orient_body_fixed(load.frame, (Float(0.3), Float(0.4), Float(0.5)), "xyz")
    system = system_of(
        ground,
        me.PrismaticJoint("rail", ground, load, child_interframe=tilted, joint_axis=ground.z),
    )
    system.add_loads(me.Force(load.masscenter, 5 * ground.x - 7 * ground.z))
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
