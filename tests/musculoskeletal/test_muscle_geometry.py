"""Muscles of OpenSim files: paths, lengths and moment arms, against OpenSim and against slopes."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import jointwrench as jw
from jointwrench.musculoskeletal.surfaces import ActiveSide, Cylinder, Sphere, WrapAction

DATA = Path(__file__).parents[1] / "data"
OPENSIM = json.loads((DATA / "opensim_muscles.json").read_text())


@pytest.fixture(scope="module")
def limb():
    return jw.musculoskeletal.read_osim(DATA / "muscles.osim")


@pytest.fixture(scope="module")
def geometry(limb):
    return jw.musculoskeletal.MuscleGeometry(limb)


def test_muscles_of_a_file(limb):
    assert limb.left_out == ()
    assert repr(limb) == "OsimModel(limb: 2 bodies, 2 joints, 4 speeds, 8 muscles)"
    assert list(limb.muscles) == OPENSIM["muscles"]
    own = limb.muscles["both"]
    assert repr(own) == "Muscle(both: upper to lower, 2 points, over shank, over behind)"
    assert (own.maximal_isometric_force, own.optimal_fiber_length) == (900, 0.1)
    assert (own.tendon_slack_length, own.pennation_angle) == (0.2, 0.1)
    assert (own.least_activation, own.most_activation) == (0.01, 1)
    points = limb.muscles["via"].points
    assert [p.condition is not None for p in points] == [False, False, True, False]
    assert limb.muscles["moving"].points[-1].is_moving


def test_lengths_and_moment_arms_are_those_of_opensim(limb, geometry):
    """0.05 mm: OpenSim settles several surfaces to 0.5 mm, tangents to a tenth of a degree."""
    assert [*limb.coordinates] == OPENSIM["coordinates"]
    paths = geometry(OPENSIM["q"])
    assert_allclose(paths.lengths, OPENSIM["lengths"], rtol=0, atol=1e-6)
    assert_allclose(paths.moment_arms, OPENSIM["moment_arms"], rtol=0, atol=5e-5)
    alone = [k for k, muscle in enumerate(limb.muscles.values()) if len(muscle.wraps) < 2]
    arms = np.array(OPENSIM["moment_arms"])[:, :, alone]
    assert_allclose(paths.moment_arms[:, :, alone], arms, rtol=0, atol=1e-7)


#: What the spheres become, and how they are called.
ELLIPSOIDS = (
    (
        '<WrapSphere name="head"> <radius>0.03</radius> </WrapSphere>',
        '<WrapEllipsoid name="head"> <xyz_body_rotation>0.2 0.1 0</xyz_body_rotation>'
        "<dimensions>0.03 0.035 0.025</dimensions> </WrapEllipsoid>",
    ),
    (
        '<WrapSphere name="head_front"> <quadrant>x</quadrant> <radius>0.035</radius> '
        "</WrapSphere>",
        '<WrapEllipsoid name="head_front"> <quadrant>x</quadrant>'
        "<dimensions>0.035 0.04 0.03</dimensions> </WrapEllipsoid>",
    ),
)


@pytest.mark.parametrize("method", ["hybrid", "midpoint", "axial"])
def test_ellipsoids_are_those_of_opensim(method):
    """With one active side and without; 4 um are OpenSim's pieces of an arc, of 1 mm each."""
    text = (DATA / "muscles.osim").read_text()
    words = (f"<wrap_object>{name}</wrap_object>" for name in ("head", "head_front"))
    for old, new in (*ELLIPSOIDS, *((w, f"{w} <method>{method}</method>") for w in words)):
        assert old in text
        text = text.replace(old, new)
    known = OPENSIM["over_ellipsoids"][method]
    paths = jw.musculoskeletal.MuscleGeometry(
        jw.musculoskeletal.read_osim(text), ["over_sphere", "sphere_side"]
    )(known["q"])
    assert_allclose(paths.lengths, known["lengths"], rtol=0, atol=5e-6)
    assert_allclose(paths.moment_arms, known["moment_arms"], rtol=0, atol=1e-5)


def test_batches_and_one_pose(geometry):
    q = np.array(OPENSIM["q"])[:6].reshape(2, 3, 4)
    paths, one = geometry(q), geometry(q[1, 2])
    assert paths.lengths.shape == (2, 3, 8)
    assert paths.moment_arms.shape == (2, 3, 4, 8)
    assert_allclose(one.lengths, paths.lengths[1, 2], rtol=1e-14)
    assert_allclose(one.moment_arms, paths.moment_arms[1, 2], atol=1e-15)
    assert paths.pulls[0]["upper"].shape == (2, 3, 6)
    none = geometry(q[:0])
    assert (none.lengths.shape, none.moment_arms.shape) == ((0, 3, 8), (0, 3, 4, 8))


def test_a_cylinder_against_the_unrolled_string():
    """Quarter turn between horizontal tangents; half the rise where half of the string is."""
    points = np.array([[1.0, -0.5, 5]]), np.array([[-0.5, 1, 6 + np.pi / 2]])  # far up
    found = Cylinder(1.0, 20.0).wrap(*points, shortest=True)
    assert found.contact == [WrapAction.CERTAIN]
    assert_allclose(found.first, [[1, 0, 5.5]], atol=1e-12)
    assert_allclose(found.last, [[0, 1, 5.5 + np.pi / 2]], atol=1e-12)
    assert_allclose(found.length, np.pi / 2 * np.sqrt(2))
    assert Cylinder(1.0, 0.2).wrap(*points, shortest=True).contact == [WrapAction.FREE]
    assert Cylinder(1.2, 20.0).wrap(*points, shortest=True).contact == [WrapAction.INSIDE]


def test_a_sphere_against_a_great_circle():
    points = np.array([[1.0, -0.5, 0]]), np.array([[-0.5, 1, 0]])
    for side, wrap in ((ActiveSide(), WrapAction.POSSIBLE), (ActiveSide(0, 1), WrapAction.CERTAIN)):
        found = Sphere(1.0, side).wrap(*points, shortest=True)
        assert found.contact == [wrap]
        assert_allclose(found.first, [[1, 0, 0]], atol=1e-12)
        assert_allclose(found.length, np.pi / 2)
    other = Sphere(1.0, ActiveSide(0, -1)).wrap(*points, shortest=True)
    assert_allclose(other.length, 1.5 * np.pi - 4 * np.arctan(0.5))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("MovingPathPoint", "OtherPathPoint", "must be one of the points PathPoint"),
        ("<quadrant>-x</quadrant>", "<quadrant>w</quadrant>", "<quadrant> like all, x or -x"),
        ("<wrap_object>condyle<", "<wrap_object>none<", "is over 'none', which does not exist"),
        ('<WrapSphere name="head"', '<WrapSphere name="other"', "is over 'head', which does"),
        ("WrapSphere", "WrapTorus", "<WrapTorus 'head'>"),
        ("/jointset/knee/knee<", "/jointset/knee/other<", "the coordinate 'other', which does"),
        ("<max_isometric_force>900", "<max_isometric_force>x", "must be a finite number"),
        ("<GeometryPath", "<isDisabled>true</isDisabled><GeometryPath", "it is turned off"),
    ],
)
def test_what_cannot_be_read_is_left_out(old, new, words):
    """One muscle less, with the reason; the rest is there."""
    text = (DATA / "muscles.osim").read_text()
    assert old in text
    count = -1 if old in ("MovingPathPoint", "WrapSphere") else 1
    model = jw.musculoskeletal.read_osim(text.replace(old, new, count))
    assert words in " ".join(model.left_out)
    assert len(model.muscles) in (6, 7)
