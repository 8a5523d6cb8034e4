"""Segment and SerialChain against hand formulas, energy and KanesMethod."""

import random
from dataclasses import FrozenInstanceError, replace
from functools import cache

import numpy as np
import pytest
import sympy.physics.mechanics as me
from marks import few
from refusals import refused
from sympy import ImmutableMatrix, Matrix, Rational, Symbol, eye, nan, symbols, zeros
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector, cross

from jointwrench.mechanics.spatial.wrench import Wrench
from jointwrench.models.serial_chain import Segment, SerialChain

DEGREES = {"pin": 1, "prismatic": 1, "cylindrical": 2, "planar": 3, "spherical": 3}
MOVING = (*DEGREES, "quaternion", "free")
AXES = ("x", "y", "z")
TENSOR = (2.1, 2.3, 2.6, 0.11, -0.07, 0.05)

pytestmark = pytest.mark.filterwarnings("error")


def new_chain(kind, axis="z", **options):
    """Return a chain of two general segments with joints of one kind."""
    first = Segment("a", 0.9, 1.3, (0.1, 0.5, -0.2), TENSOR, kind, axis, "y")
    segments = [first, Segment("b", 0.7, 0.8, (0.3, -0.1, 0.2), TENSOR, kind, axis, "-x")]
    return SerialChain(segments, **options)


@cache
def two_segments(kind, axis="z"):
    """Return such a chain, which nothing is added to."""
    return new_chain(kind, axis)


def state(chain, seed=1):
    """Return numbers for coordinates, speeds and actuation."""
    generator, states = random.Random(seed), [*chain.coordinates, *chain.speeds]
    return {symbol: generator.uniform(-1, 1) for symbol in [*states, *chain.actuation]}


def numbers(expression, values):
    """Return a vector or matrix of floats as a flat list."""
    return [float(item) for item in Matrix(expression).xreplace(values)]


def close(left, right, tolerance=1e-11):
    return list(left) == pytest.approx(list(right), abs=tolerance, rel=tolerance)


def position(point, chain):
    return point.pos_from(chain.ground.masscenter).to_matrix(chain.ground.frame)


# ---------------------------------------------------------------- geometry


@pytest.mark.parametrize("kind", [*MOVING, "weld"])
def test_zero_coordinates_align_frames_and_joints(kind):
    chain = two_segments(kind, "y")
    zero = dict.fromkeys(chain.coordinates, 0)
    if kind == "quaternion":
        zero |= dict.fromkeys(chain.coordinates[::4], 1)
    for frame in chain.frames:
        assert chain.ground.frame.dcm(frame).xreplace(zero) == eye(3)
    for joint, point in zip(chain.joints, chain.joint_points, strict=False):
        assert joint.child_point is point
        offset = point.pos_from(joint.parent_point).to_matrix(chain.ground.frame)
        assert offset.xreplace(zero) == zeros(3, 1)
    assert numbers(position(chain.tip, chain), zero) == [-0.7, 0.9, 0]


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


# ----------------------------------------------------------------- inertia


def central_inertia(value, **options):
    chain = SerialChain([Segment("a", 1, 1, inertia=value, **options)])
    return chain.bodies[0].central_inertia.to_matrix(chain.frames[0])


def test_inertia_about_the_axis_and_in_a_frame_of_its_own():
    moment, frame = Symbol("I"), ReferenceFrame("B")
    one = Segment("a", 1, 1, inertia=moment, axis="y")
    chain = SerialChain([one, Segment("b", 1, 1, inertia=me.inertia(frame, 1, 2, 3))])
    central = chain.bodies[0].central_inertia.to_matrix(chain.frames[0])
    assert central == Matrix.diag(0, moment, 0)
    assert chain.frames[1] is frame


@pytest.mark.parametrize("none", [{}, {"inertia": Dyadic(0)}])
def test_point_mass_is_a_rigid_body_with_a_frame(none):
    chain = SerialChain([Segment("a", 1, 1, **none)])
    assert isinstance(chain.bodies[0], me.RigidBody)
    assert chain.bodies[0].central_inertia == Dyadic(0)
    assert chain.kanes_method().mass_matrix == Matrix([[Rational(1, 4)]])


# ----------------------------------------------------- equations of motion


# --------------------------------------------------------------- actuators


@pytest.mark.parametrize("kind", few(MOVING[:4], "cylindrical"))
def test_actuators_drive_their_own_speed_only(kind):
    chain = new_chain(kind, "x", actuated=True)
    drive = chain.kanes_method().forcing.jacobian(chain.actuation).xreplace(state(chain))
    assert close(numbers(drive, {}), eye(2 * DEGREES[kind]))


@pytest.mark.parametrize("kind", ["spherical", "quaternion", "free"])
def test_torques_of_balls_are_components_in_the_childs_frame(kind):
    ball = Segment("ball", 1, 2, inertia=(0.1, 0.2, 0.3), joint=kind)
    chain = SerialChain([ball], actuated=True)
    drive = chain.kanes_method().forcing.jacobian(chain.actuation)
    (joint,) = chain.joints
    spin = joint.child.frame.ang_vel_in(joint.parent.frame).to_matrix(joint.child.frame)
    moved = joint.child_point.vel(joint.parent.frame).to_matrix(joint.parent.frame)
    slides = [*moved] if kind == "free" else []
    expected = Matrix([*slides, *spin]).jacobian(chain.speeds).T
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
    chain = SerialChain([Segment(kind, 1, 1, joint=kind) for kind in MOVING], actuated=True)
    speeds = [str(u.func).removeprefix("u") for u in chain.speeds]
    assert [str(tau.func).removeprefix("tau") for tau in chain.actuation] == speeds
    assert speeds[:4] == ["_0", "_1", "_2_1", "_2_2"]


# ------------------------------------------------------- gravity and loads


def test_gravity_in_the_users_frame_makes_it_the_grounds():
    world, g = ReferenceFrame("W"), Symbol("g", positive=True)
    chain = SerialChain.planar(2, gravity=-g * world.y)
    assert chain.ground.frame is world
    components = SerialChain.planar(2, gravity=(0, -g, 0))
    assert chain.kanes_method().forcing == components.kanes_method().forcing
    assert chain.constants[-1] == g


@pytest.mark.parametrize("none", [None, 0, 0.0, np.int64(0), (0, 0, 0), Vector(0)])
def test_no_gravity(none):
    assert SerialChain.planar(1, gravity=none).system.loads == ()


def test_apply_after_kanes_method_forms_the_equations_anew():
    chain = SerialChain.planar(1)
    assert chain.kanes_method().forcing == Matrix([0])
    assert chain.kanes_method() is chain.kanes_method()
    chain.apply(Wrench(chain.tip, moment=5 * chain.ground.frame.z), 0)
    assert chain.kanes_method().forcing == Matrix([5])


def test_apply_finds_the_segment_in_four_ways():
    chain = SerialChain.planar(2)
    wrench = Wrench(chain.tip, moment=chain.ground.frame.z)
    for segment in (1, -1, "S_1", chain.segments[1], chain.bodies[1]):
        chain.apply(wrench, segment)
    assert len([load for load in chain.system.loads if load.location is chain.frames[1]]) == 5
    assert not any(load.location is chain.frames[0] for load in chain.system.loads)


# ------------------------------------------------------------------- names


@pytest.mark.parametrize("kind", DEGREES)
def test_sympy_validates_the_system(kind):
    new_chain(kind, "y", gravity=(0, 0, -1), actuated=True).system.validate_system()


def test_names_of_two_chains_differ():
    left, right = (SerialChain.planar(2, name, actuated=True) for name in ("left", "right"))
    assert left.coordinates == ImmutableMatrix(me.dynamicsymbols("q_left_0:2"))
    assert not {*left.speeds, *left.actuation} & {*right.speeds, *right.actuation}
    assert [left.bodies[0].name, left.tip.name] == ["left_S_0", "P_left_2"]


def test_odd_names_stay_whole():
    chain = SerialChain([Segment("upper, arm:2", 1, 1)], name="a b:3")
    assert len(chain.speeds) == 1
    assert chain.kanes_method().mass_matrix == Matrix([[Rational(1, 4)]])


def test_constants_are_those_of_every_field():
    a, b, c, d, e, g = symbols("a b c d e g")
    frame = ReferenceFrame("B")
    first = Segment("first", a, 1, Matrix([b, 0, 0]), inertia=(d, d, c))
    second = Segment("second", a, 2, inertia=e * me.inertia(frame, 1, 1, 2))
    segments = [first, second, Segment("third", 1, 3)]
    assert SerialChain(segments, gravity=Matrix([0, 0, -g])).constants == (a, b, d, c, e, g)


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
        ({"mass": me.dynamicsymbols("m")}, ValueError, "mass"),
        ({"mass": me.dynamicsymbols._t}, ValueError, "mass"),
        ({"inertia": (1, -1, 1)}, ValueError, "inertia"),
        ({"inertia": (1, 1, 1, 0, 0, nan)}, ValueError, "inertia"),
        ({"inertia": me.outer(FRAME.x, OTHER.x)}, ValueError, "inertia"),
        ({"inertia": me.outer(FRAME.x, FRAME.y)}, ValueError, "inertia"),
        ({"inertia": me.dynamicsymbols("I") * me.outer(FRAME.x, FRAME.x)}, ValueError, "inertia"),
    ],
)
def test_bad_segment(arguments, error, argument):
    refused(lambda: Segment(**{"name": "a", "length": 1, "mass": 1, **arguments}), argument, error)


def test_one_frame_for_two():
    """For two of gravity, or for two segments, or for a segment and ground."""
    one, two = (Segment(name, 1, 1, inertia=me.inertia(FRAME, 1, 1, 1)) for name in "ab")
    refused(lambda: SerialChain.planar(1, gravity=FRAME.x + OTHER.y), "gravity")
    refused(lambda: SerialChain([one, two]), "inertia")
    refused(lambda: SerialChain([one], gravity=-FRAME.y), "inertia")


WRONG = [(2, ValueError), (-3, ValueError), ("S_2", ValueError), (Segment("S_0", 1, 1), ValueError)]
WRONG += [(True, TypeError), (None, TypeError)]


@pytest.mark.parametrize(("segment", "error"), WRONG)
def test_apply_to_no_segment(segment, error):
    chain = SerialChain.planar(2)
    refused(lambda: chain.apply(Wrench(chain.tip), segment), "segment", error)
    assert chain.system.loads == ()


def test_apply_without_a_path():
    chain = SerialChain.planar(1)
    for wrench in (Wrench(Point("X"), chain.ground.frame.x), Wrench(chain.tip, FRAME.x)):
        refused(lambda: chain.apply(wrench, 0), "wrench")


def test_welds_only_have_no_equations():
    refused(SerialChain([Segment("a", 1, 1, joint="weld")]).kanes_method, None)
