"""Segment and SerialChain against hand formulas, energy and KanesMethod."""

import random
from dataclasses import FrozenInstanceError, replace
from functools import cache

import numpy as np
import pytest
from marks import few, slow
from refusals import refusal, refused
from sympy import (
    ImmutableMatrix,
    Matrix,
    Rational,
    Symbol,
    cos,
    eye,
    latex,
    nan,
    simplify,
    sin,
    symbols,
    zeros,
)
from sympy.physics.mechanics import (
    RigidBody,
    System,
    TorqueActuator,
    dynamicsymbols,
    inertia,
    outer,
)
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector, cross, dot

from jointwrench.mechanics.spatial.wrench import Wrench
from jointwrench.models.serial_chain import Segment, SerialChain

KINDS = ("pin", "prismatic", "cylindrical", "planar", "spherical", "weld")
MOVING = KINDS[:-1]
DEGREES = dict(zip(KINDS, (1, 1, 2, 3, 3, 0), strict=True))
AXES = ("x", "y", "z")
TENSOR = (2.1, 2.3, 2.6, 0.11, -0.07, 0.05)

pytestmark = pytest.mark.filterwarnings("error")


def new_chain(kind, axis="z", **options):
    """Return a chain of two general segments with joints of one kind."""
    segments = [
        Segment("a", 0.9, 1.3, (0.1, 0.5, -0.2), TENSOR, kind, axis, "y"),
        Segment("b", 0.7, 0.8, (0.3, -0.1, 0.2), TENSOR, kind, axis, "-x"),
    ]
    return SerialChain(segments, **options)


@cache
def two_segments(kind, axis="z"):
    """Return such a chain, which nothing is added to."""
    return new_chain(kind, axis)


def seeded(symbols_, seed=1):
    """Return a number between -1 and 1 for each symbol."""
    generator = random.Random(seed)
    return {symbol: generator.uniform(-1, 1) for symbol in symbols_}


def state(chain, seed=1):
    """Return numbers for coordinates, speeds and actuation."""
    return seeded([*chain.coordinates, *chain.speeds, *chain.actuation], seed)


def numbers(expression, values):
    """Return a vector or matrix of floats as a flat list."""
    return [float(item) for item in Matrix(expression).xreplace(values)]


def close(left, right, tolerance=1e-11):
    return list(left) == pytest.approx(list(right), abs=tolerance, rel=tolerance)


def rates(chain):
    """Return the replacements of the coordinates' derivatives by the speeds."""
    t = dynamicsymbols._t
    return {q.diff(t): u for q, u in zip(chain.coordinates, chain.speeds, strict=True)}


def position(point, chain):
    return point.pos_from(chain.ground.masscenter).to_matrix(chain.ground.frame)


def rate(matrix, chain):
    return matrix.diff(dynamicsymbols._t).xreplace(rates(chain))


# ---------------------------------------------------------------- geometry


@pytest.mark.parametrize("axis", few(AXES, "y"))
@pytest.mark.parametrize("kind", KINDS)
def test_zero_coordinates_align_frames_and_joints(kind, axis):
    chain = two_segments(kind, axis)
    zero = dict.fromkeys(chain.coordinates, 0)
    for frame in chain.frames:
        assert chain.ground.frame.dcm(frame).xreplace(zero) == eye(3)
    for joint, point in zip(chain.joints, chain.joint_points, strict=False):
        assert joint.child_point is point
        offset = point.pos_from(joint.parent_point).to_matrix(chain.ground.frame)
        assert offset.xreplace(zero) == zeros(3, 1)
    assert numbers(position(chain.tip, chain), zero) == [-0.7, 0.9, 0]


def test_planar_positions():
    chain = SerialChain.planar(2)
    l_0, l_1 = symbols("l_0 l_1")
    q_0, q_1 = dynamicsymbols("q_0 q_1")
    knee = Matrix([-l_0 * sin(q_0), l_0 * cos(q_0), 0])
    shank = Matrix([-l_1 * sin(q_0 + q_1), l_1 * cos(q_0 + q_1), 0])
    points = (*chain.joint_points, *(body.masscenter for body in chain.bodies))
    expected = (zeros(3, 1), knee, knee + shank, knee / 2, knee + shank / 2)
    for point, by_hand in zip(points, expected, strict=True):
        assert simplify(position(point, chain) - by_hand) == zeros(3, 1)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_slides_along_axis(kind, axis):
    chain = two_segments(kind, axis)
    q = chain.coordinates[DEGREES[kind] - 1]
    assert chain.joint_points[0].pos_from(chain.ground.masscenter) == q * getattr(
        chain.ground.frame, axis
    )


@pytest.mark.parametrize(("axis", "first", "second"), ["xyz", "yzx", "zxy"])
def test_planar_joint_turns_about_axis_and_slides_normal_to_it(axis, first, second):
    chain = two_segments("planar", axis)
    ground = chain.ground.frame
    _, q_1, q_2 = chain.coordinates[:3]
    u_0 = chain.speeds[0]
    slide = chain.joint_points[0].pos_from(chain.ground.masscenter)
    expected = q_1 * getattr(ground, first) + q_2 * getattr(ground, second)
    assert slide.to_matrix(ground) == expected.to_matrix(ground)
    turn = chain.frames[0].ang_vel_in(ground).to_matrix(ground)
    assert turn == (u_0 * getattr(ground, axis)).to_matrix(ground)


def test_spherical_angles_are_body_fixed_xyz():
    chain = SerialChain([Segment("a", 1, 1, joint="spherical")])
    q_1, q_2, q_3 = chain.coordinates
    expected = ReferenceFrame("B")
    expected.orient_body_fixed(chain.ground.frame, (q_1, q_2, q_3), "123")
    assert chain.frames[0].dcm(chain.ground.frame) == expected.dcm(chain.ground.frame)


def test_directions():
    for direction, expected in {"x": (2, 0, 0), "-y": (0, -2, 0), "-z": (0, 0, -2)}.items():
        chain = SerialChain([Segment("a", 2, 1, direction=direction)])
        offset = chain.tip.pos_from(chain.joint_points[0])
        assert offset.to_matrix(chain.frames[0]) == Matrix(expected)
        center = chain.bodies[0].masscenter.pos_from(chain.joint_points[0])
        assert center.to_matrix(chain.frames[0]) == Matrix(expected) / 2


# ----------------------------------------------------------------- inertia


def central_inertia(value, **options):
    chain = SerialChain([Segment("a", 1, 1, inertia=value, **options)])
    return chain.bodies[0].central_inertia.to_matrix(chain.frames[0])


def test_inertia_forms():
    a, b, c, d, e, f = symbols("a b c d e f")
    assert central_inertia(a, axis="y") == Matrix.diag(0, a, 0)
    assert central_inertia((a, b, c)) == Matrix.diag(a, b, c)
    assert central_inertia([a, b, c, d, e, f]) == Matrix([[a, d, f], [d, b, e], [f, e, c]])


def test_point_mass_is_a_rigid_body_with_a_frame():
    chain = SerialChain([Segment("a", 1, 1)])
    assert isinstance(chain.bodies[0], RigidBody)
    assert chain.bodies[0].central_inertia == Dyadic(0)
    assert chain.kanes_method().mass_matrix == Matrix([[Rational(1, 4)]])


def test_frame_of_a_dyadic_becomes_the_segments_frame():
    frame = ReferenceFrame("B")
    segment = Segment("a", 1, 1, inertia=inertia(frame, 1, 2, 3, 0.1, 0.2, 0.3))
    chain = SerialChain([segment])
    assert chain.frames == (frame,)
    by_numbers = central_inertia((1, 2, 3, 0.1, 0.2, 0.3))
    assert chain.bodies[0].central_inertia.to_matrix(frame) == by_numbers


def test_zero_dyadic_is_a_point_mass():
    chain = SerialChain([Segment("a", 1, 1, inertia=Dyadic(0))])
    assert chain.bodies[0].central_inertia == Dyadic(0)


# ----------------------------------------------------- equations of motion


def test_planar_2_is_the_double_pendulum():
    g, l_0, l_1, m_0, m_1, I_0, I_1 = symbols("g l_0 l_1 m_0 m_1 I_0 I_1")
    q_0, q_1, u_0, u_1, tau_0, tau_1 = dynamicsymbols("q_0 q_1 u_0 u_1 tau_0 tau_1")
    chain = SerialChain.planar(2, gravity=(0, -g, 0), actuated=True)
    kane = chain.kanes_method()
    m_11 = I_1 + m_1 * l_1**2 / 4
    m_01 = m_11 + m_1 * l_0 * l_1 * cos(q_1) / 2
    m_00 = I_0 + m_0 * l_0**2 / 4 + I_1 + m_1 * (l_0**2 + l_1**2 / 4 + l_0 * l_1 * cos(q_1))
    h = m_1 * l_0 * l_1 * sin(q_1) / 2
    shank = m_1 * g * l_1 * sin(q_0 + q_1) / 2
    thigh = (m_0 / 2 + m_1) * g * l_0 * sin(q_0)
    forcing = Matrix(
        [tau_0 + h * (2 * u_0 * u_1 + u_1**2) + thigh + shank, tau_1 - h * u_0**2 + shank]
    )
    assert simplify(kane.mass_matrix - Matrix([[m_00, m_01], [m_01, m_11]])) == zeros(2, 2)
    assert simplify(kane.forcing - forcing) == zeros(2, 1)


def test_massless_segment_composes_a_joint():
    """A slide along x, then a turn about z: the cart with a pendulum."""
    g, M, m, length = symbols("g M m l")
    slide = Segment("slide", 0, M, joint="prismatic", axis="x")
    link = Segment("link", 0, 0, joint="weld")
    bob = Segment("bob", length, m, center_of_mass=(0, -length, 0), direction="-y")
    kane = SerialChain([slide, link, bob], gravity=(0, -g, 0)).kanes_method()
    q, u = dynamicsymbols("q_2 u_2")
    expected = Matrix([[M + m, m * length * cos(q)], [m * length * cos(q), m * length**2]])
    assert simplify(kane.mass_matrix - expected) == zeros(2, 2)
    forcing = Matrix([m * length * u**2 * sin(q), -m * g * length * sin(q)])
    assert simplify(kane.forcing - forcing) == zeros(2, 1)


# --------------------------------------------------------------- actuators


@pytest.mark.parametrize("axis", few(AXES, "x"))
@pytest.mark.parametrize("kind", [*slow(["pin", "prismatic"]), "cylindrical", *slow(["planar"])])
def test_actuators_drive_their_own_speed_only(kind, axis):
    chain = new_chain(kind, axis, actuated=True)
    drive = chain.kanes_method().forcing.jacobian(chain.actuation).xreplace(state(chain))
    assert close(numbers(drive, {}), eye(2 * DEGREES[kind]))


def test_spherical_torques_are_components_in_the_childs_frame():
    ball = Segment("ball", 1, 2, inertia=(0.1, 0.2, 0.3), joint="spherical")
    chain = SerialChain([ball], actuated=True)
    drive = chain.kanes_method().forcing.jacobian(chain.actuation)
    (joint,) = chain.joints
    spin = joint.child.frame.ang_vel_in(joint.parent.frame).to_matrix(joint.child.frame)
    expected = spin.jacobian(chain.speeds).T
    assert close(numbers(drive, state(chain)), numbers(expected, state(chain)))


@pytest.mark.parametrize("kind", MOVING)
def test_action_is_minus_reaction(kind):
    chain = new_chain(kind, actuated=True)
    loads = [*chain.system.loads, *(x for a in chain.system.actuators for x in a.to_loads())]
    resultant = Wrench.from_loads(loads, chain.ground.masscenter)
    force, moment = Vector(0), Vector(0)
    for location, vector in loads:
        if isinstance(location, Point):
            force += vector
            moment += cross(location.pos_from(chain.ground.masscenter), vector)
        else:
            moment += vector
    for total in (force, moment, resultant.force, resultant.moment):
        assert close(numbers(total.to_matrix(chain.ground.frame), state(chain)), [0, 0, 0])


def test_actuation_is_in_the_order_of_the_speeds():
    segments = [Segment(kind, 1, 1, joint=kind) for kind in KINDS]
    chain = SerialChain(segments, actuated=True)
    speeds = [str(u.func).removeprefix("u") for u in chain.speeds]
    assert [str(tau.func).removeprefix("tau") for tau in chain.actuation] == speeds
    assert speeds == [
        *("_0", "_1"),
        *("_2_1", "_2_2"),
        *("_3_1", "_3_2", "_3_3"),
        *("_4_1", "_4_2", "_4_3"),
    ]
    assert all(isinstance(item, TorqueActuator) for item in chain.system.actuators)
    assert len(chain.system.actuators) == 6
    assert SerialChain(segments).actuation == ()


# ------------------------------------------------------- gravity and loads


def test_gravity_in_the_users_frame_makes_it_the_grounds():
    world, g = ReferenceFrame("W"), Symbol("g", positive=True)
    chain = SerialChain.planar(2, gravity=-g * world.y)
    assert chain.ground.frame is world
    components = SerialChain.planar(2, gravity=(0, -g, 0))
    assert chain.kanes_method().forcing == components.kanes_method().forcing
    assert chain.constants[-1] == g


def test_ground_bears_no_load():
    chain = SerialChain.planar(3, gravity=[0, -1, 0])
    assert chain.ground.mass == 0
    assert [load.location for load in chain.system.loads] == [
        body.masscenter for body in chain.bodies
    ]


@pytest.mark.parametrize("none", [None, 0, 0.0, np.int64(0), (0, 0, 0), Vector(0)])
def test_no_gravity(none):
    assert SerialChain.planar(1, gravity=none).system.loads == ()


def test_gravity_may_depend_on_time():
    g = dynamicsymbols("g")
    chain = SerialChain.planar(1, gravity=(0, -g, 0))
    assert chain.kanes_method().forcing.has(g)
    assert chain.constants == symbols("l_0 m_0 I_0")


def test_apply_at_the_tip():
    """Virtual power: the generalized force of a wrench is dv/du . f + dw/du . m."""
    chain = new_chain("pin")
    ground = chain.ground.frame
    force, moment = 2 * ground.x - ground.y, 3 * ground.z
    chain.apply(Wrench(chain.tip, force, moment), -1)
    expected = Matrix(
        [
            dot(chain.tip.vel(ground), force).diff(u)
            + dot(chain.frames[-1].ang_vel_in(ground), moment).diff(u)
            for u in chain.speeds
        ]
    )
    drive = chain.kanes_method().forcing - two_segments("pin").kanes_method().forcing
    assert close(numbers(drive, state(chain)), numbers(expected, state(chain)))


def test_apply_after_kanes_method_forms_the_equations_anew():
    chain = SerialChain.planar(1)
    assert chain.kanes_method().forcing == Matrix([0])
    assert chain.kanes_method() is chain.kanes_method()
    chain.apply(Wrench(chain.tip, moment=5 * chain.ground.frame.z), 0)
    assert chain.kanes_method().forcing == Matrix([5])


def test_apply_finds_the_segment_in_four_ways():
    chain = SerialChain.planar(2)
    wrench = Wrench(chain.tip, moment=chain.ground.frame.z)
    for segment in (0, -2, "S_0", chain.segments[0], chain.bodies[0]):
        chain.apply(wrench, segment)
    torques = [load for load in chain.system.loads if load.location is chain.frames[0]]
    assert len(torques) == 5
    assert not any(load.location is chain.frames[1] for load in chain.system.loads)


# ------------------------------------------------------------------- names


def test_system_and_properties():
    chain = SerialChain.planar(3)
    assert isinstance(chain.system, System)
    assert chain.coordinates == ImmutableMatrix(dynamicsymbols("q_0:3"))
    assert chain.speeds == ImmutableMatrix(dynamicsymbols("u_0:3"))
    assert [point.name for point in chain.joint_points] == ["P_0", "P_1", "P_2", "P_3"]
    assert [body.masscenter.name for body in chain.bodies] == ["C_0", "C_1", "C_2"]
    names = ["S_0", "S_1", "S_2"]
    for things in (chain.segments, chain.bodies, chain.joints, chain.frames):
        assert [thing.name for thing in things] == names
    assert chain.system.joints == chain.joints
    assert chain.system.bodies == (chain.ground, *chain.bodies)
    assert chain.constants == symbols("l_0 m_0 I_0 l_1 m_1 I_1 l_2 m_2 I_2")
    assert repr(SerialChain.planar(1)) == "SerialChain('chain': S_0: pin)"


@pytest.mark.parametrize("kind", MOVING)
def test_sympy_validates_the_system(kind):
    new_chain(kind, "y", gravity=(0, 0, -1), actuated=True).system.validate_system()


def test_names_of_two_chains_differ():
    left, right = (SerialChain.planar(2, name, actuated=True) for name in ("left", "right"))
    assert left.coordinates == ImmutableMatrix(dynamicsymbols("q_left_0:2"))
    assert not {*left.speeds, *left.actuation} & {*right.speeds, *right.actuation}
    assert left.bodies[0].name == "left_S_0"
    assert left.tip.name == "P_left_2"
    assert latex(left.frames[0].x) == r"\mathbf{\hat{\mathit{left}_{S,0}}_x}"


def test_odd_names_stay_whole():
    chain = SerialChain([Segment("upper, arm:2", 1, 1)], name="a b:3")
    assert len(chain.speeds) == 1
    assert chain.kanes_method().mass_matrix == Matrix([[Rational(1, 4)]])


def test_symbols_keep_their_assumptions():
    length, m = symbols("l m", positive=True)
    chain = SerialChain([Segment("a", length, m, inertia=(m * length**2, 0, m * length**2))])
    assert chain.constants == (length, m)
    assert chain.kanes_method().mass_matrix.free_symbols == {length, m}


def test_constants_are_those_of_every_field():
    a, b, c, d, e, g = symbols("a b c d e g")
    frame = ReferenceFrame("B")
    segments = [
        Segment("first", a, 1, Matrix([b, 0, 0]), inertia=(d, d, c)),
        Segment("second", a, 2, inertia=e * inertia(frame, 1, 1, 2)),
        Segment("third", 1, 3),
    ]
    chain = SerialChain(segments, gravity=Matrix([0, 0, -g]))
    assert chain.constants == (a, b, d, c, e, g)


def test_replaced_time():
    old = dynamicsymbols._t
    dynamicsymbols._t = Symbol("t", real=True)
    try:
        g = Symbol("g")
        chain = SerialChain.planar(1, gravity=(0, -g, 0), actuated=True)
        kane = chain.kanes_method()
        assert kane.forcing.free_symbols == {*symbols("g l_0 m_0"), dynamicsymbols._t}
        assert chain.constants == symbols("l_0 m_0 I_0 g")
        tip = rate(position(chain.tip, chain), chain)
        velocity = chain.tip.vel(chain.ground.frame).to_matrix(chain.ground.frame)
        assert simplify(tip - velocity) == zeros(3, 1)
    finally:
        dynamicsymbols._t = old


def test_segment_is_immutable_and_can_be_varied():
    segment = Segment("a", 1, 2)
    with pytest.raises(FrozenInstanceError, match="mass"):
        segment.mass = 3
    longer = replace(segment, length=4)
    assert longer.mass_center_vector(ReferenceFrame("A")).magnitude() == 2


# --------------------------------------------------------------- bad input

FRAME, OTHER = ReferenceFrame("F"), ReferenceFrame("G")


@pytest.mark.parametrize(
    ("arguments", "error", "argument"),
    [
        ({"length": -1}, ValueError, "length"),
        ({"mass": dynamicsymbols("m")}, ValueError, "mass"),
        ({"mass": dynamicsymbols._t}, ValueError, "mass"),
        ({"inertia": (1, -1, 1)}, ValueError, "inertia"),
        ({"inertia": (1, 1, 1, 0, 0, nan)}, ValueError, "inertia"),
        ({"inertia": outer(FRAME.x, OTHER.x)}, ValueError, "inertia"),
        ({"inertia": outer(FRAME.x, FRAME.y)}, ValueError, "inertia"),
        ({"inertia": dynamicsymbols("I") * outer(FRAME.x, FRAME.x)}, ValueError, "inertia"),
    ],
)
def test_bad_segment(arguments, error, argument):
    refused(lambda: Segment(**{"name": "a", "length": 1, "mass": 1, **arguments}), argument, error)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"gravity": FRAME.x + OTHER.y}, ValueError),
    ],
)
def test_bad_chain(arguments, error):
    with refusal("gravity", error):
        SerialChain(**{"segments": [Segment("a", 1, 1)], **arguments})


def test_one_frame_for_two_segments():
    frame = ReferenceFrame("B")
    segments = [Segment(name, 1, 1, inertia=inertia(frame, 1, 1, 1)) for name in "ab"]
    refused(lambda: SerialChain(segments), "inertia")


def test_segment_with_the_grounds_frame():
    frame = ReferenceFrame("B")
    segment = Segment("a", 1, 1, inertia=inertia(frame, 1, 1, 1))
    refused(lambda: SerialChain([segment], gravity=-frame.y), "inertia")


@pytest.mark.parametrize(
    ("segment", "error"),
    [
        (2, ValueError),
        (-3, ValueError),
        ("S_2", ValueError),
        (Segment("S_0", 1, 1), ValueError),
        (True, TypeError),
        (None, TypeError),
    ],
)
def test_apply_to_no_segment(segment, error):
    chain = SerialChain.planar(2)
    refused(lambda: chain.apply(Wrench(chain.tip), segment), "segment", error)
    assert chain.system.loads == ()


def test_apply_at_a_point_without_a_path():
    chain = SerialChain.planar(1)
    refused(lambda: chain.apply(Wrench(Point("X"), chain.ground.frame.x), 0), "wrench")


def test_apply_in_a_frame_without_a_path():
    chain = SerialChain.planar(1)
    refused(lambda: chain.apply(Wrench(chain.tip, FRAME.x), 0), "wrench")


def test_welds_only_have_no_equations():
    chain = SerialChain([Segment("a", 1, 1, joint="weld")])
    refused(chain.kanes_method, None)
