"""Undetermined forces by stiffness: closed forms, an elastic model, and laws."""

import sys
from pathlib import Path

import numpy as np
import pytest
from bodies import rigid_body, system_of
from indeterminate_models import HALF, WIDTH, beam, door, standing, table
from refusals import refused
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation
from sympy import Matrix, symbols
from sympy.physics.mechanics import Force, WeldJoint
from sympy.physics.vector import ReferenceFrame

import jointwrench as jw
from jointwrench.extend import vector_of

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from four_bar import four_bar, steady_turn

SOFT = 1e9  # of a hinge that transmits no moment, beside one: rad / (N m)
WEIGHT = 30 * 9.81


def numbers(idyn, q=(0.3,), u=(0.0,), udot=(0.0,), backend="numpy"):
    """Return the wrenches of the hinges of a door, by name."""
    result = idyn.compile(backend=backend)(list(q), list(u), list(udot))
    return {joint.name: result.joint_wrench(joint) for joint in result.joints}


def random_compliances(rng, count=2, size=1e-6):
    factors = rng.normal(size=(count, 6, 6))
    return size * factors @ factors.swapaxes(1, 2)


@pytest.mark.parametrize("cut", ["upper", "lower"])
@pytest.mark.parametrize("ratio", [1, 4])
def test_a_door_hangs_on_its_stiffer_hinge(cut, ratio):
    lower = [1e-6, 1e-6, 1e-6 / ratio, SOFT, SOFT, 0]
    found = numbers(door(cut, redundancy={"lower": lower, "upper": [1e-6] * 3 + [SOFT] * 2 + [0]}))
    across = WEIGHT * WIDTH / (2 * HALF)
    assert found["lower"][:3] == pytest.approx([across, 0, WEIGHT * ratio / (1 + ratio)], abs=1e-6)
    assert found["upper"][:3] == pytest.approx([-across, 0, WEIGHT / (1 + ratio)], abs=1e-6)


def test_an_ever_stiffer_hinge_carries_all():
    for ratio in (1, 1e6, 1e15):
        stiff = np.array([1e-6, 1e-6, 1e-6, 1, 1, 0]) / ratio
        soft = [1e-6, 1e-6, 1e-6, 1, 1, 0]
        found = numbers(door(redundancy={"lower": stiff, "upper": soft}))
        assert found["upper"][2] == pytest.approx(WEIGHT / (1 + ratio), rel=1e-9)
        assert not np.isnan(found["lower"]).any()


@pytest.mark.parametrize("count", [3, 4, 5, 8])
def test_a_table_on_legs_of_unequal_stiffness(count):
    """N = k (a + b x + c y), since the top stays plane."""
    rng = np.random.default_rng(count)
    feet, k = rng.uniform(-1, 1, (count, 2)), rng.uniform(1, 5, count) * 1e5
    if count == 3:
        feet = np.array([[1, 0], [-0.6, 0.7], [-0.5, -0.8]])
        idyn, legs = table(feet)
        found = idyn.compile(backend="numpy")(*standing(0.3))
        assert idyn.undetermined == {}
    else:
        elastic = {f"leg{n}": [0, 0, 1 / x, 0, 0, 0] for n, x in enumerate(k)}
        idyn, legs = table(feet, elastic)
        found = idyn.compile(backend="numpy")(*standing(0.3, (2, -1)))
    rows = np.c_[np.ones(count), feet]
    expected = k * (rows @ np.linalg.solve(rows.T @ (k[:, None] * rows), [20 * 9.81, 0, 0]))
    assert [found.joint_wrench(x)[2] for x in legs] == pytest.approx(expected, rel=1e-9)


def test_a_beam_on_three_supports():
    found = beam([0.5] * 4, [7.0] * 4, [0, 2, 4], {1: 100.0})
    assert found == pytest.approx(100 * np.array([13, 22, -3]) / 32)


def test_a_uniform_load_on_two_spans():
    parts = 6  # a span; the error of lumps falls with the square of their number
    loads = {k: 1 / parts if 0 < k < 2 * parts else 0.5 / parts for k in range(2 * parts + 1)}
    found = beam([1 / parts] * 2 * parts, [7.0] * 2 * parts, [0, parts, 2 * parts], loads)
    assert found == pytest.approx([0.375, 1.25, 0.375], abs=1 / parts**2)


def test_a_stepped_shaft_by_the_equation_of_three_moments():
    P, thin, thick = 100.0, 7.0, 28.0
    moment = -(P / 16 / thin) / ((1 / thin + 1 / thick) / 3)
    ends = P / 2 + moment, moment
    found = beam([0.5] * 4, [thin, thin, thick, thick], [0, 2, 4], {1: P})
    assert found == pytest.approx([ends[0], P - sum(ends), ends[1]])


def elastic_wrenches(joints, states, wrenches, compliances, stiffness=None):
    """Return wrenches by the displacement method: bodies are free, joints are springs.

    ``wrenches`` are any that balance the loads.  The moment about each pin's z axis is known.
    """
    bodies = list(dict.fromkeys(joint.child for joint in joints))
    size = 6 * len(bodies)
    matrix, loads, springs = np.zeros((size, size)), np.zeros(size), []
    for joint, (rot, place), wrench, own in zip(joints, states, wrenches, compliances, strict=True):
        x, y, z = place
        across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        shift = np.zeros((6, 6))
        shift[:3, :3] = shift[3:, 3:] = rot
        shift[3:, :3] = across @ rot
        moved = np.zeros((6, size))
        for body, sign in ((joint.child, 1), (joint.parent, -1)):
            if body in bodies:
                k = 6 * bodies.index(body)
                moved[:, k : k + 6] += sign * shift.T
        spring = np.zeros((6, 6))
        spring[:5, :5] = np.linalg.inv(own[:5, :5])
        known = np.array([0, 0, 0, 0, 0, wrench[5]])
        strain = np.append(own[:5, 5] * wrench[5], 0)
        matrix += moved.T @ spring @ moved
        loads += moved.T @ (known - spring @ strain - wrench)
        springs.append((moved, spring, known, strain))
    shifts = np.linalg.lstsq(matrix, loads, rcond=1e-12)[0]
    return np.array([known - k @ (b @ shifts + strain) for b, k, known, strain in springs])


@pytest.fixture(scope="module")
def bars():
    """A four-bar of pins in space, its motion, and its poses by joint."""
    system, knee = four_bar()
    plain = jw.InverseDynamics(system, loops=[knee])
    motion = steady_turn(plain, 5)
    joints = plain.compile(backend="numpy")(motion).joints
    points = {x.name: x.child_point for x in joints}
    frames = {x.name: x.child.frame for x in joints}
    names = ["positions", "orientations"]
    found = plain.kinematics(points, frames).compile(names, backend="numpy")(motion)
    return system, knee, motion, joints, found


def test_a_four_bar_of_pins_in_space_against_springs(bars):
    system, knee, motion, joints, poses = bars
    own = random_compliances(np.random.default_rng(1), 4)
    elastic = dict(zip(joints, own, strict=True))
    idyn = jw.InverseDynamics(system, loops=[knee], redundancy=elastic)
    wrenches = idyn.compile(backend="numpy")(motion).joint_wrenches
    assert idyn.undetermined == {}
    soft = jw.InverseDynamics(
        system, loops=[knee], redundancy={x: [1, 1, 1, 9, 9, 0] for x in joints}
    )
    others = soft.compile(backend="numpy")(motion).joint_wrenches
    for k in (0, 2):
        states = [(poses.orientations[k, n], poses.positions[k, n]) for n in range(4)]
        expected = elastic_wrenches(joints, states, others[k], own)
        assert wrenches[k] == pytest.approx(expected, abs=1e-9 * abs(expected).max())
    assert abs(wrenches - others).max() > 1


def wrenches_of_springs(joints, places, centres, loads, stiffness, guess):
    """Return the wrenches of bushings between free bodies at rest, after large displacements.

    ``places`` and ``centres``: rotations and positions of joints and bodies where all is rigid.
    """
    names = list(centres)
    arms = {
        (joint.name, body): centres[body][0].T @ (place - centres[body][1])
        for joint, (_, place) in zip(joints, places, strict=True)
        for body in (joint.parent.name, joint.child.name)
    }

    def wrenches(values):
        moved = dict(centres)
        for name, own in zip(names[1:], np.reshape(values, (-1, 6)), strict=True):
            turn, place = centres[name]
            shift = own / stiffness
            moved[name] = Rotation.from_rotvec(shift[3:]).as_matrix() @ turn, place + shift[:3]
        rest = {name: np.append(loads[name], np.zeros(3)) for name in names}
        found = []
        for joint in joints:
            parent, child = joint.parent.name, joint.child.name
            (A, a), (B, b) = moved[parent], moved[child]
            pairs = ((A, a), parent), ((B, b), child)
            at_parent, at_child = (x + X @ arms[joint.name, name] for (X, x), name in pairs)
            ideal = centres[parent][0].T @ centres[child][0]
            twist = Rotation.from_matrix((A @ ideal).T @ B).as_rotvec()
            strain = np.append(B.T @ (at_child - at_parent), twist)
            own = -stiffness * np.array([1, 1, 1, 0.02, 0.02, 0.02 * (joint.name == "drive")])
            found.append(own * strain)
            force, moment = B @ found[-1][:3], B @ found[-1][3:]
            for name, sign, origin in ((child, 1, b), (parent, -1, a)):
                about = moment + np.cross(at_child - origin, force)
                rest[name] = rest[name] + sign * np.append(force, about)
        return np.array(found), np.concatenate([rest[name] for name in names[1:]])

    values = fsolve(lambda x: wrenches(x)[1], guess, xtol=1e-13)
    assert abs(wrenches(values)[1]).max() < 1e-8
    return wrenches(values)[0], values


def test_springs_of_growing_stiffness_approach_the_four_bar(bars):
    """Free bodies on bushings of stiffness k differ from the result by 1 / k."""
    _, _, motion, joints, poses = bars
    system, knee = four_bar()
    across = {"crank": 5.0, "coupler": 30.0, "rocker": -10.0}
    bodies = {body.name: body for body in system.bodies}
    for name, force in across.items():
        system.add_loads(Force(bodies[name].masscenter, force * system.frame.z))
    elastic = {x.name: [1, 1, 1, 50, 50, 0] for x in joints}
    idyn = jw.InverseDynamics(system, loops=[knee], redundancy=elastic)
    q, still = motion.q[2], np.zeros(3)
    rigid = idyn.compile(backend="numpy")(q, still, still).joint_wrenches
    found = idyn.kinematics(
        {name: bodies[name].masscenter for name in across},
        {name: bodies[name].frame for name in across},
    ).compile(["positions", "orientations"], backend="numpy")(q, still, still)
    centres = {"ground": (np.eye(3), np.zeros(3))}
    centres |= dict(zip(across, zip(found.orientations, found.positions, strict=True), strict=True))
    loads = {x: np.array([0, -9.81 * float(bodies[x].mass), force]) for x, force in across.items()}
    loads["ground"] = np.zeros(3)
    places = [(poses.orientations[2, n], poses.positions[2, n]) for n in range(4)]
    errors, guess = [], np.zeros(18)
    for stiffness in (1e5, 1e6, 1e7):
        wrenches, guess = wrenches_of_springs(joints, places, centres, loads, stiffness, guess)
        errors.append(abs(wrenches - rigid).max())
    assert abs(rigid[:, 3:5]).max() > 0.5  # moments that are undetermined without compliances
    assert errors[2] < 1e-3
    assert np.divide(errors[:2], errors[1:]) == pytest.approx([10, 10], rel=0.1)


def test_what_compliances_leave_undetermined_is_nan_and_named(bars):
    system, knee, motion, joints, _ = bars
    idyn = jw.InverseDynamics(system, loops=[knee], redundancy={"drive": [0, 0, 1e-6, 0, 0, 0]})
    assert idyn.undetermined == dict.fromkeys(joints, ("mx", "my"))
    wrenches = idyn.compile(backend="numpy")(motion).joint_wrenches
    is_open = np.zeros((4, 6), bool)
    is_open[:, 3:5] = True
    assert (np.isnan(wrenches) == is_open).all()
    assert wrenches[:, 0, 2] == pytest.approx(0)  # without a load across the plane


def test_the_loop_may_be_cut_at_either_hinge():
    own = dict(zip(("lower", "upper"), random_compliances(np.random.default_rng(0)), strict=True))
    upper, lower = (numbers(door(cut, redundancy=own), u=[1.7]) for cut in ("upper", "lower"))
    for name in own:
        assert upper[name] == pytest.approx(lower[name], abs=1e-10 * WEIGHT)


@pytest.mark.parametrize(("length", "mass"), [(1000.0, 1.0), (1.0, 1e3), (0.0254, 7.0)])
def test_units_do_not_matter(length, mass):
    own = random_compliances(np.random.default_rng(2))
    forces = np.repeat([mass * length, mass * length**2], 3)
    shifts = np.repeat([length, 1], 3)
    other = shifts[:, None] * own / forces
    cases = (own, {}), (other, {"length": length, "mass": mass})
    doors = (door(redundancy={"lower": x, "upper": y}, **units) for (x, y), units in cases)
    usual, scaled = (numbers(x, u=[1.7]) for x in doors)
    for name, wrench in usual.items():
        assert scaled[name] / forces == pytest.approx(wrench, abs=1e-9 * WEIGHT)


def test_heading_and_order_do_not_matter():
    rng = np.random.default_rng(5)
    feet, own = rng.uniform(-1, 1, (5, 2)), rng.uniform(1, 5, 5)

    def forces(order, *state):
        elastic = {f"leg{k}": [0, 0, own[k], 0, 0, 0] for k in order}
        idyn, legs = table(feet, elastic, order)
        result = idyn.compile(backend="numpy")(*standing(*state))
        return [float(result.joint_wrench(legs[order.index(k)])[2]) for k in range(5)]

    usual = forces([0, 1, 2, 3, 4])
    assert forces([3, 1, 4, 0, 2]) == pytest.approx(usual)
    assert forces([0, 1, 2, 3, 4], 1.1, (5, -3)) == pytest.approx(usual)


def test_frames_do_not_matter():
    """A rod welded at both ends, whose frame is turned in one of two models."""
    own = random_compliances(np.random.default_rng(7))

    def wrenches(turn):
        ground, rod = rigid_body("ground"), rigid_body("rod", 10.0, 1, 1, 1)
        along = vector_of(Matrix(turn.T @ [1.0, 0, 0]), rod.frame)
        turned = ReferenceFrame("turned")
        turned.orient_dcm(ground.frame, Matrix(turn.T))
        left = WeldJoint("left", ground, rod, child_point=-along, parent_interframe=turned)
        system = system_of(ground, left, gravity=-9.81 * ground.y)
        loop = jw.LoopJoint("right", ground, rod, "weld", 2 * ground.x, along, turned)
        both = np.kron(np.eye(2), turn)
        elastic = {name: both.T @ x @ both for name, x in zip(("left", "right"), own, strict=True)}
        idyn = jw.InverseDynamics(system, loops=[loop], actuated=[], redundancy=elastic)
        return idyn.compile(backend="numpy")([], [], []).joint_wrenches @ both.T

    turn = Rotation.from_rotvec([0.3, -1.2, 2.0]).as_matrix()
    assert wrenches(turn) == pytest.approx(wrenches(np.eye(3)), abs=1e-9)


def test_a_body_without_mass_far_away_changes_nothing():
    def forces(knob):
        ground, rod = rigid_body("ground"), rigid_body("rod", 10.0, 1, 1, 1)
        system = system_of(ground, WeldJoint("left", ground, rod, child_point=-rod.x))
        if knob:
            far = rigid_body("knob")
            system.add_joints(WeldJoint("knob", rod, far, parent_point=5 * rod.y))
        loop = jw.LoopJoint("right", ground, rod, "weld", 2 * ground.x, rod.x)
        system.apply_uniform_gravity(-9.81 * ground.y)
        own = {"left": [1, 1, 1, 2, 2, 2], "right": [2, 2, 2, 1, 1, 1]}
        idyn = jw.InverseDynamics(system, loops=[loop], actuated=[], redundancy=own)
        return idyn.compile(backend="numpy")([], [], []).joint_wrench("right")

    assert forces(True) == pytest.approx(forces(False))


def test_derivatives_and_symbols(bars):
    system, knee, motion, joints, _ = bars
    k = symbols("k", positive=True)
    matrix = Matrix(6, 6, lambda i, j: k * (3 if i == j else 1))
    own = {joints[0]: [k, k, 2 * k, k, k, 0], joints[1]: [0, 0, 3e-6, 1e-4, 2e-4, 0]}
    own[joints[3]] = matrix
    idyn = jw.InverseDynamics(system, loops=[knee], redundancy=own)
    assert k in idyn.constants
    evaluate = idyn.compile("joint_wrenches", derivatives=["q", k], backend="numpy")
    state, step = (motion.q[1], motion.u[1], motion.udot[1]), 1e-6
    result = evaluate(*state, {k: 1e-6})
    ahead, behind = (evaluate(*state, {k: 1e-6 * x}).joint_wrenches for x in (1 + step, 1 - step))
    slope = (ahead - behind) / (2e-6 * step)
    assert result.derivative("joint_wrenches", k)[..., 0] == pytest.approx(
        slope, abs=1e-6 * abs(slope).max()
    )


def test_a_formula_has_stiffnesses():
    a, b = symbols("a b", positive=True)
    idyn = door(redundancy={"lower": [0, 0, 1 / a, 0, 0, 0], "upper": [0, 0, 1 / b, 0, 0, 0]})
    ((components, _),) = idyn.joint_wrench("upper").force.args  # in the door's frame
    force = components[2]
    assert force.free_symbols == {a, b}
    assert float(force.subs({a: 2, b: 3})) == pytest.approx(WEIGHT * 3 / 5)


def test_what_nothing_supplies_strains_no_joint():
    """The door without a motor cannot be accelerated: its torque would be in the tree's hinge."""
    both = dict(zip(("lower", "upper"), random_compliances(np.random.default_rng(0)), strict=True))
    free = {name: [1e-6, 1e-6, 1e-6, 1, 1, 0] for name in both}
    for own, is_known in ((both, False), (free, True)):
        found = numbers(door(redundancy=own), udot=[1.0])
        assert np.isnan(found["upper"][:5]).all() == (not is_known)
        assert not np.isnan(numbers(door(redundancy=own))["upper"]).any()


@pytest.mark.parametrize(
    "own",
    [
        [1, 1, 1],
        [1, 1, 1, 1, 1, -1],
        [1, 1, 1, 1, 1, np.nan],
        np.diag([1, 1, 1, 1, 1, -1.0]),
        np.triu(np.ones((6, 6))),
        np.ones((6, 6)) - 2 * np.eye(6),
        3.0,
        [[1, 2], [3, 4]],
    ],
)
def test_refused_compliances(own):
    assert "lower" in str(refused(lambda: door(redundancy={"lower": own}), "redundancy"))


def test_a_semidefinite_matrix_is_taken():
    line = np.array([1, 2, 0, 3, 0, 0])
    idyn = door(redundancy={"lower": np.outer(line, line) * 1e-6, "upper": [1e-6] * 6})
    assert idyn.undetermined == {}


def test_joints_outside_a_redundant_loop_are_refused():
    _, legs = table([(1, 0), (0, 1), (-1, 0), (0, -1)])
    with_free = {"free": [1] * 6, legs[0]: [0, 0, 1, 0, 0, 0]}
    error = refused(lambda: table([(1, 0), (0, 1), (-1, 0), (0, -1)], with_free), "redundancy")
    assert "free" in str(error)
    assert "leg3" in str(error)
    refused(lambda: door(redundancy={"middle": [1] * 6}), "redundancy")
    refused(lambda: door(redundancy={"lower": [1] * 6, door: [1] * 6}), "redundancy")


def test_least_norm_is_deprecated():
    with pytest.warns(DeprecationWarning, match="redundancy={joint: compliance}"):
        door(redundancy="least_norm")
