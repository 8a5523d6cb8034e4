"""LoopJoint: what each kind allows and constrains, Kane's method with it, refusals."""

import pickle

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from marks import slow
from refusals import refusal, refused
from sympy import Matrix, lambdify, symbols
from sympy.core.function import AppliedUndef

from jointwrench import FreeJoint, LoopJoint

T = me.dynamicsymbols._t

#: How many equations each kind has.
ROWS = {"pin": 5, "prismatic": 5, "cylindrical": 4, "planar": 3, "spherical": 3, "universal": 4}
ROWS |= {"weld": 6, "point_on_line": 2, "point_on_plane": 1}

#: Joints of a tree whose motion a kind of closing joint allows entirely.
ALLOWED = [
    ("pin", me.PinJoint),
    ("prismatic", me.PrismaticJoint),
    ("cylindrical", me.CylindricalJoint),
    ("cylindrical", me.PinJoint),
    ("cylindrical", me.PrismaticJoint),
    ("planar", me.PlanarJoint),
    ("spherical", me.SphericalJoint),
    ("spherical", me.PinJoint),
    ("weld", me.WeldJoint),
    ("point_on_line", me.CylindricalJoint),
    ("point_on_line", me.SphericalJoint),
    ("point_on_plane", me.PlanarJoint),
    ("point_on_plane", me.SphericalJoint),
]
HAVE_AXIS = (me.PinJoint, me.PrismaticJoint, me.CylindricalJoint)


def turned(frame, name, angle):
    """Return a frame that is fixed in another."""
    return frame.orientnew(name, "Axis", [angle, frame.y])


def placement(parent, child, way="frames"):
    """Return points and interframes of two bodies, for a joint of the tree and a closing one."""
    place = child.masscenter.locatenew("P", 0.1 * child.y + 0.4 * child.z)
    points = {"parent_point": 0.3 * parent.x - 0.2 * parent.z, "child_point": place}
    if way == "frames":
        one, other = turned(parent.frame, "A", 0.7), turned(child.frame, "B", -1.1)
        return points | {"parent_interframe": one, "child_interframe": other}
    own = -child.x if way == "opposite" else 3 * child.z
    axes = {"parent_interframe": parent.x + 2 * parent.y - parent.z, "child_interframe": own}
    return points | axes


def axis(parent):
    return {"joint_axis": 3 * parent.x - 4 * parent.z}


def errors(loop):
    """Return all equations, those that are always zero among them."""
    offset = loop.child_point.pos_from(loop.parent_point)
    distances = [direction.dot(offset) for direction in loop.force_directions]
    return Matrix(distances + [one.dot(other) for one, other in loop.orthogonal_pairs])


def at_random(expressions, seed=1):
    """Return expressions of functions of time as numbers at a random state."""
    functions = sorted(expressions.atoms(AppliedUndef), key=str)
    values = np.random.default_rng(seed).uniform(-1, 1, len(functions))
    return np.array(lambdify([functions], expressions)(values), dtype=float)


# -- what is allowed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "joint", "way"),
    [(*allowed, "frames") for allowed in ALLOWED]
    + [("weld", me.WeldJoint, "vectors")]
    + slow([("pin", me.PinJoint, "vectors"), ("pin", me.PinJoint, "opposite")]),
)
def test_motions_that_a_kind_allows(kind, joint, way):
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    given = placement(parent, child, way)
    has_axis = axis(parent)
    joint("J", parent, child, **given, **(has_axis if joint in HAVE_AXIS else {}))
    is_shared = joint in HAVE_AXIS and kind not in ("spherical", "weld")
    loop = LoopJoint("L", parent, child, kind, **given, **(has_axis if is_shared else {}))
    found = at_random(errors(loop))
    assert len(found) == ROWS[kind]
    assert np.abs(found).max() < 1e-14
    with refusal(None):
        _ = loop.holonomic_constraints


@pytest.mark.parametrize(("letter", "other"), ["xy", "yz", "zx"])
def test_universal_joint_turns_about_two_axes(letter, other):
    parent, cross, child = (rigid_body(name, 1) for name in ("parent", "cross", "child"))
    me.PinJoint("J", parent, cross, joint_axis=getattr(parent, letter))
    me.PinJoint("K", cross, child, joint_axis=getattr(cross, other))
    loop = LoopJoint("L", parent, child, "universal", joint_axis=getattr(parent, letter))
    assert np.abs(at_random(errors(loop))).max() < 1e-15
    ((one, two),) = loop.orthogonal_pairs
    assert (one, two) == (getattr(parent, letter), getattr(child, other))


# -- what is constrained ------------------------------------------------------------------------


@pytest.mark.parametrize(("letter", "others"), [("x", "yz"), ("y", "zx"), ("z", "xy")])
def test_normals_follow_the_axis(letter, others):
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    loop = LoopJoint("L", parent, child, "cylindrical", joint_axis=2 * getattr(parent, letter))
    normals = tuple(getattr(parent, other) for other in others)
    assert loop.joint_axis == getattr(parent, letter)
    assert loop.force_directions == loop.moment_directions == normals
    assert loop.orthogonal_pairs == tuple((n, getattr(child, letter)) for n in normals)


@pytest.mark.parametrize("components", [(0, 3, -4), (-1, 0, 0), (1, 2, 2), (5, 0, 12)])
def test_axis_and_normals_are_a_right_handed_triad(components):
    parent = rigid_body("parent", 1)
    along = sum((c * e for c, e in zip(components, parent.frame, strict=True)), 0 * parent.x)
    loop = LoopJoint("L", parent, rigid_body("child", 1), "cylindrical", joint_axis=along)
    one, other = loop.force_directions
    triad = Matrix.hstack(*(v.to_matrix(parent.frame) for v in (loop.joint_axis, one, other)))
    assert triad.T * triad == Matrix.eye(3)
    assert triad.det() == 1


def test_defaults_are_mass_centres_and_frames():
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    loop = LoopJoint("L", parent, child)
    assert (loop.name, loop.kind, loop.parent, loop.child) == ("L", "pin", parent, child)
    assert (loop.parent_point, loop.child_point) == (parent.masscenter, child.masscenter)
    assert (loop.parent_interframe, loop.child_interframe) == (parent.frame, child.frame)
    assert loop.joint_axis == parent.x
    assert repr(loop) == "LoopJoint: L  parent: parent  child: child"


def test_interframe_along_x_is_the_bodys():
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    loop = LoopJoint("L", parent, child, parent_interframe=2 * parent.x, child_interframe=-child.x)
    assert loop.parent_interframe is parent.frame
    assert loop.child_interframe.x.dot(child.x) == -1


def test_it_orients_nothing():
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    LoopJoint("L", parent, child, parent_point=parent.x, parent_interframe=parent.y)
    with pytest.raises(ValueError, match="No connecting orientation path"):
        child.frame.dcm(parent.frame)
    with pytest.raises(ValueError, match="No Connecting Path"):
        child.masscenter.pos_from(parent.masscenter)


# -- mechanisms ---------------------------------------------------------------------------------


def test_particle_on_a_line():
    ground, bob = rigid_body("ground", 1), me.Particle("bob")
    length, q = symbols("l"), me.dynamicsymbols("q")
    frame = me.ReferenceFrame("A")
    frame.orient_axis(ground.frame, ground.z, q)
    bob.masscenter.set_pos(ground.masscenter, length * frame.x)
    loop = LoopJoint(
        "L", ground, bob, "point_on_line", child_point=bob.masscenter, joint_axis=ground.y
    )
    assert loop.child_interframe is None
    assert loop.force_directions == (ground.z, ground.x)
    (equation,) = loop.holonomic_constraints
    assert equation == length * frame.x.dot(ground.x)


def test_pickles():
    parent, child = rigid_body("parent", 1), rigid_body("child", 1)
    FreeJoint("J", parent, child)
    loop = pickle.loads(pickle.dumps(LoopJoint("L", parent, child, "weld")))
    assert len(loop.velocity_constraints) == 6
    assert loop.kind == "weld"


# -- refusals -----------------------------------------------------------------------------------


@pytest.fixture
def pair():
    """Two bodies, one of which can turn about the z axis of the other."""
    ground, crank = rigid_body("ground", 1), rigid_body("crank", 1)
    me.PinJoint("J", ground, crank, joint_axis=ground.z)
    return ground, crank


#: Wrong points and interframes of a side, made of its own body and of the other one.
SIDES = {
    "points of other types": ("point", lambda own, other: 3, TypeError),
    "points without path": ("point", lambda own, other: me.Point("P"), ValueError),
    "points of the other body": (
        *("point", lambda own, other: other.masscenter.locatenew("P", other.x), ValueError),
    ),
    "vectors in the other body": ("point", lambda own, other: other.x, ValueError),
    "frames of other types": ("interframe", lambda own, other: "A", TypeError),
    "frames not connected": ("interframe", lambda own, other: me.ReferenceFrame("A"), ValueError),
    "vectors not connected": ("interframe", lambda *_: me.ReferenceFrame("A").x, ValueError),
    "frames that move": ("interframe", lambda own, other: other.frame, ValueError),
    "frames along nothing": ("interframe", lambda own, other: 0 * own.x, ValueError),
}


@pytest.mark.parametrize("side", ["parent", "child"])
@pytest.mark.parametrize("wrong", SIDES)
def test_refuses_sides(pair, wrong, side):
    name, make, error = SIDES[wrong]
    given = {f"{side}_{name}": make(*(pair if side == "parent" else pair[::-1]))}
    refused(lambda: LoopJoint("L", *pair, **given), *given, error)


BOB = me.Particle("bob")


@pytest.mark.parametrize(
    ("bodies", "argument", "options", "error"),
    [
        (lambda *pair: pair, "kind", {"kind": "ball"}, ValueError),
        (lambda ground, crank: ("ground", crank), "parent", {}, TypeError),
        (lambda ground, crank: (ground, 1), "child", {}, TypeError),
        (lambda ground, crank: (BOB, crank), "parent", {}, TypeError),
        (lambda ground, crank: (crank, crank), "child", {}, ValueError),
        (lambda *pair: pair, "joint_axis", {"joint_axis": "z"}, TypeError),
        (lambda *pair: pair, "joint_axis", {"joint_axis": 0}, ValueError),
        (lambda ground, crank: (ground, BOB), "kind", {"kind": "weld"}, ValueError),
    ],
)
def test_refuses(pair, bodies, argument, options, error):
    refused(lambda: LoopJoint("L", *bodies(*pair), **options), argument, error)


def test_refuses_axes_and_orientations_that_mean_nothing(pair):
    ground, crank = pair
    refused(lambda: LoopJoint("L", *pair, joint_axis=crank.x), "joint_axis")
    for kind in ("spherical", "weld"):
        refused(lambda kind=kind: LoopJoint("L", *pair, kind, joint_axis=ground.z), "joint_axis")
    for name, given in (("child_interframe", ground.frame), ("child_point", ground.x)):
        options = {name: given}
        refused(lambda x=options: LoopJoint("L", ground, BOB, "spherical", **x), name)


def test_one_error_lists_all_problems(pair):
    with refusal("kind") as caught:
        LoopJoint("L", *pair, "ball", me.Point("P"), pair[0].x, joint_axis=0)
    named = ["kind", "parent_point", "child_point", "joint_axis"]
    assert [line.split("`")[1] for line in str(caught.value).splitlines()[1:]] == named


def test_equations_need_the_tree():
    loop = LoopJoint("L", rigid_body("ground", 1), rigid_body("crank", 1))
    for name in ("holonomic_constraints", "velocity_constraints"):
        refused(lambda: getattr(loop, name), None)
    loop.child.masscenter.set_pos(loop.parent.masscenter, 0)
    with refusal("child_interframe"):
        _ = loop.holonomic_constraints


def test_loops_that_never_close(pair):
    ground, crank = pair
    loop = LoopJoint("L", ground, crank, child_point=crank.x + crank.z, joint_axis=ground.z)
    with refusal(None):
        _ = loop.holonomic_constraints
