"""TreeBuilder: joints between any bodies, placed on both sides, with all velocities in ground."""

import numpy as np
import pytest
from bodies import massive_body, rigid_body
from numeric import evaluate_matrix
from sympy import Matrix, Symbol, cos, eye, sin, symbols, zeros
from sympy.physics.mechanics import Point, WeldJoint, dynamicsymbols, inertia

from jointwrench import InverseDynamics, SerialChain
from jointwrench.mechanics.mechanism.joint_kinds import FREEDOMS
from jointwrench.models.tree_builder import JOINTS, TreeBuilder, inertia_dyadic

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


def random_numbers(symbols_, seed=3):
    values = np.random.default_rng(seed).uniform(0.3, 1, len(symbols_))
    return dict(zip(symbols_, values, strict=True))


@pytest.mark.parametrize(
    ("kind", "is_reversed"), [(kind, k % 2 == 1) for k, kind in enumerate(JOINTS)]
)
def test_velocities_are_rates_of_positions(kind, is_reversed):
    builder, system = general_tree(kind, is_reversed)
    ground, values = builder.ground, random_numbers([*system.q, *system.u])
    derivatives = system.q.diff(dynamicsymbols._t)
    still = system.kdes.xreplace(dict.fromkeys(derivatives, 0))
    slopes = evaluate_matrix(system.kdes.jacobian(derivatives), values)
    rates = -np.linalg.solve(slopes, evaluate_matrix(still, values))[:, 0]
    steps = zip(system.q, 1e-30j * rates, strict=True)
    moved = values | {q: values[q] + step for q, step in steps}
    points = [point for body in builder.bodies.values() for point in builder._points[body]]
    positions, velocities = (
        Matrix.hstack(*(vector.to_matrix(ground.frame) for vector in vectors))
        for vectors in (
            [point.pos_from(ground.masscenter) for point in points],
            [point.vel(ground.frame) for point in points],
        )
    )
    expected = evaluate_matrix(positions, moved).imag / 1e-30
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(evaluate_matrix(velocities, values), expected, atol=1e-12)


def test_placement_on_both_sides():
    builder, _ = general_tree("weld")
    first, second = builder.bodies.values()
    rotation = turn_about_x(0.4) * turn_about_x(-0.7).T
    arm = Matrix([0.3, 0, 0]) - rotation * Matrix([0, 0.2, -0.1])
    assert (first.frame.dcm(second.frame) - rotation).norm() < 1e-15
    actual = builder.origins[second].pos_from(builder.origins[first]).to_matrix(first.frame)
    assert (actual - arm).norm() < 1e-15
    center = second.masscenter.pos_from(builder.origins[second])
    assert center.to_matrix(second.frame) == Matrix([-0.1, 0.4, 0.2])


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


def test_gravity_is_the_weight_of_each_body():
    builder, system = general_tree("pin")
    g = Symbol("g")
    heavy = builder.build(-g * builder.ground.frame.z)
    for model, size in ((system, 9.81), (heavy, g)):
        weights = {load.point: load.force for load in model.loads}
        for body in builder.bodies.values():
            weight = -body.mass * size * builder.ground.frame.z
            assert (weights[body.masscenter] - weight).to_matrix(model.frame) == zeros(3, 1)


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


def test_inertia_is_that_of_sympy():
    frame = massive_body("body").frame
    entries = symbols("xx yy zz xy yz zx")
    for elements in (entries, (*entries[:3], 0, 0, 0), (0, 0, 1.5, 0, 2, 0)):
        difference = inertia_dyadic(frame, elements) - inertia(frame, *elements)
        assert difference.to_matrix(frame) == zeros(3, 3)


def test_every_kind_has_its_freedoms():
    for kind, freedoms in FREEDOMS.items():
        joint = JOINTS[kind]("J", massive_body("P"), massive_body("C"))
        assert len(joint.speeds) == len(freedoms)


def test_long_trees_of_many_freedoms():
    """Formulas of velocities share their parts: each ball joint would double them otherwise."""
    builder = TreeBuilder()
    body = builder.ground
    for k in range(9):
        inner, body = body, builder.add_body(f"b{k}", 1, (0.1, 0.2, 0.3), TENSOR)
        builder.add_joint("spherical", f"j{k}", inner, body, parent_point=(0.3, 0.1, 0))
    system = builder.build((0, 0, -9.81))
    assert len(InverseDynamics(system).program(["generalized_forces"]).refs) > 300
    velocity = body.masscenter.vel(builder.ground.frame)
    assert len(velocity.args) == 9


@pytest.mark.parametrize("number", [0, 1])
def test_a_weight_follows_the_mass_of_its_body(number):
    """For this package and for sympy, whichever way a load is taken apart."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    values = {x.name: 0.5 + 0.1 * k for k, x in enumerate(idyn.constants)}
    state = [0.3, -0.5], [0.7, 0.2], [1.1, -0.4]
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    name = f"m_{number}"
    expected = evaluate(*state, values | {name: 7.5}).generalized_forces
    chain.bodies[number].mass = 7.5
    del values[name]
    changed = InverseDynamics(chain.system).compile("generalized_forces", backend="numpy")
    assert changed(*state, values).generalized_forces == pytest.approx(expected, rel=1e-12)
    load = chain.system.loads[number]
    place, vector = load
    assert [place, vector] == [*load] == [load[0], load[1]] == [load.point, load.force]
    assert vector == -7.5 * 9.81 * chain.ground.y
    eoms = chain.system.form_eoms()
    steady = {
        **dict.fromkeys(idyn.accelerations, 0),
        **dict(zip(idyn.speeds, state[1], strict=True)),
    }
    numbers = {Symbol(x): y for x, y in values.items()}
    numbers |= dict(zip(idyn.coordinates, state[0], strict=True))
    rates = dict.fromkeys((x.diff() for x in idyn.speeds), 0)
    found = Matrix(eoms).subs(rates).subs(steady).subs(numbers)
    bias = Matrix(InverseDynamics(chain.system).bias).subs(steady).subs(numbers)
    assert np.abs(np.array(found + bias, float)).max() < 1e-12
