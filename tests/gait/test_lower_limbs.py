"""Legs in space from markers: made ones, whose joint centres and angles are known."""

import numpy as np
import pytest
from made_walk import LATERAL, MEDIAL, NAMES, PERSON, T, markers_of, walk, without_medial
from numpy.testing import assert_allclose
from refusals import refusal, refused
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait.joint_centers import chord_center, hip_centers

SHIFT = np.array([1, 2, 3])
PELVIS = np.array([[[0, 0, 0.12]], [[0, 0, -0.12]], [[-0.15, 0, 0]]])  # both sides, and behind


def test_centres_davis_is_plug_in_gaits(rng):
    """Its formulas in its own axes, x forward, y left, z up."""
    turn = Rotation.random(random_state=1)
    spines = [turn.apply([[0, y, 0]] * 3) + SHIFT for y in (-0.12, 0.12)]
    back = turn.apply([[-0.15, 0, -0.02]] * 3) + SHIFT
    # the sacrum is in the plane of the pelvis: x forward in it
    right, left = hip_centers(*spines, back, "davis", leg_length=0.9)
    tilt = Rotation.from_euler("y", np.arctan2(-0.02, 0.15))
    arm, depth = 0.115 * 0.9 - 0.0153, 0.1288 * 0.9 - 0.04856 + 0.007
    x = arm * np.cos(0.5) * np.sin(0.314) - depth * np.cos(0.314)
    z = -arm * np.cos(0.5) * np.cos(0.314) - depth * np.sin(0.314)
    y = 0.12 - arm * np.sin(0.5)
    for found, side in ((right, -1), (left, 1)):
        assert_allclose(found, turn.apply([tilt.apply([x, side * y, z])] * 3) + SHIFT)


def test_centres_chord(rng):
    proximal, marker = rng.normal(size=(2, 5, 3)) + np.array([[[0, 0, 3]], [[0, 0, 0]]])
    wand = (proximal + marker) / 2 + rng.normal(size=(5, 3))
    found = chord_center(proximal, marker, wand, 0.06)
    assert_allclose(np.linalg.norm(found - marker, axis=-1), 0.06)
    assert_allclose(((proximal - found) * (marker - found)).sum(-1), 0, atol=1e-12)
    across = np.cross(proximal - marker, wand - marker)
    assert_allclose((across * (found - marker)).sum(-1), 0, atol=1e-12)
    assert (np.cross(proximal - marker, found - marker) * across).sum(-1).max() < 0
    refused(lambda: chord_center(proximal, marker, wand, 60.0), "distance")


def test_centres_refuses_millimetres():
    with refusal("right_asis"):
        hip_centers(*1000 * PELVIS)
    with refusal("leg_length"):
        jw.gait.lower_limbs(markers_of(walk()[0]), PERSON, {**NAMES, **MEDIAL}, leg_length=900.0)
    with refusal("leg_length"):
        hip_centers(*PELVIS, "davis")


@pytest.mark.parametrize("is_standing", [False, True])
def test_legs_with_medial_markers(is_standing):
    """They stay, or they are taken off after a standing trial."""
    paths, centers = walk()
    markers, options = markers_of(paths), {}
    if is_standing:
        markers, options = without_medial(markers), {"static": markers_of(paths, slice(3, 4))}
    limbs = jw.gait.lower_limbs(markers, PERSON, {**NAMES, **MEDIAL}, **options)
    for name, path in centers.items():
        assert_allclose(limbs.centers[name], path, atol=1e-9)
    assert_allclose(limbs.feet["left"][:, 1], paths["LTOE"])


@pytest.mark.parametrize("is_flat", [False, True])
def test_legs_a_foot_is_carried_as_plug_in_gait_does(is_flat):
    """From ankle to toe, by the angles from there to heel and toe of the standing trial.

    On three trials of Vicon (BTKData, with their calibrations) the angles are Plug-in Gait's
    own to 0.004 degrees.
    """
    paths, _ = walk()
    paths |= {"LHEE": paths["LHEE"] + [0, 0, 0.02]}
    standing = markers_of(paths, slice(3, 4))
    names = {**NAMES, **MEDIAL}
    options = {"static": standing, "foot_flat": is_flat}
    still = jw.gait.lower_limbs(standing, PERSON, names, **options)
    moving = jw.gait.lower_limbs(markers_of(paths), PERSON, names, **options)
    ahead = paths["LTOE"][3] - paths["LHEE"][3]
    ahead[2] *= not is_flat
    axis = still.frames["foot_left"].rotations[0, :, 0]
    assert_allclose(axis, ahead / np.linalg.norm(ahead), atol=1e-12)
    line = paths["LTOE"] - moving.centers["ankle_left"]
    shank, foot = (moving.frames[f"{name}_left"].rotations for name in ("shank", "foot"))
    above = np.cross(shank[..., 2], line)
    for way in (line, above):
        own = np.einsum("nji,nj->ni", foot, way / np.linalg.norm(way, axis=-1, keepdims=True))
        assert_allclose(own, own[[3]].repeat(len(own), 0), atol=1e-12)


def test_legs_refuses_flat_feet():
    markers = markers_of(walk()[0])
    options = {"static": markers, "foot_flat": True}
    for names, given in ((MEDIAL, {"foot_flat": True}), ({**MEDIAL, **LATERAL}, options)):
        with refusal("foot_flat"):
            jw.gait.lower_limbs(markers, PERSON, {**NAMES, **names}, **given)


def test_legs_with_clusters_alone():
    """Lateral and medial markers are taken off, three on each thigh and shank stay."""
    paths, centers = walk()
    names = {**NAMES, **MEDIAL}
    for side in ("left", "right"):
        for joint, above, segment in (("knee", "hip", "thigh"), ("ankle", "knee", "shank")):
            lateral, wand = (paths[NAMES[f"{side}_{role}"]] for role in (joint, segment))
            upper, lower = centers[f"{above}_{side}"], centers[f"{joint}_{side}"]
            for number, parts in (("_2", (0.7, 0.2, 0.1)), ("_3", (0.3, 0.5, 0.2))):
                names[f"{side}_{segment}{number}"] = name = f"{side}_{segment}{number}"
                paths[name] = np.tensordot(parts, [upper, lower, lateral], 1) + number.count(
                    "3"
                ) * (wand - lateral)
    off = {name for role, name in names.items() if role.endswith(("medial", "knee", "ankle"))}
    moving = markers_of(paths)
    moving = moving.only([name for name in moving.names if name not in off])
    refused(lambda: jw.gait.lower_limbs(moving, PERSON, names), "markers")
    standing = markers_of(paths, slice(3, 4))
    limbs = jw.gait.lower_limbs(moving, PERSON, names, static=standing)
    whole = jw.gait.lower_limbs(markers_of(paths), PERSON, {**NAMES, **MEDIAL}, static=standing)
    for name, path in centers.items():
        assert_allclose(limbs.centers[name], path, atol=1e-9)
    for name, frame in whole.frames.items():
        assert_allclose(limbs.frames[name].rotations, frame.rotations, atol=1e-9)


def test_legs_with_widths():
    """A chord finds what the marker's distance from a joint at right angles tells."""
    paths, centers = walk()
    seen = without_medial(markers_of(paths))
    limbs = jw.gait.lower_limbs(seen, PERSON, knee_width=0.086, ankle_width=0.066)
    found = limbs.centers["knee_left"]
    assert_allclose(np.linalg.norm(found - paths["LKNE"], axis=-1), 0.05)
    assert_allclose(found, centers["knee_left"], atol=0.02)  # the wand is 2 cm in front


@pytest.mark.parametrize("side", ["left", "right"])
def test_legs_lateral_toes_turn_the_foot_alone(side):
    paths, _ = walk()
    limbs = jw.gait.lower_limbs(markers_of(paths), PERSON, {**NAMES, **MEDIAL, **LATERAL})
    result = jw.gait.segment_wrenches(T, limbs.segments(side), gravity=(0, 0, -9.81))
    curves = jw.gait.clinical_curves(result)
    without = jw.gait.lower_limbs(markers_of(paths), PERSON, {**NAMES, **MEDIAL})
    foot, other = (x.frames[f"foot_{side}"].rotations for x in (limbs, without))
    assert_allclose(foot[..., 0], other[..., 0])  # but it turns with the shank about that
    assert curves.joints == (f"hip_{side}", f"knee_{side}", f"ankle_{side}")
    expected = {"angle": f"knee_{side}_adduction", "moment": f"knee_{side}_abduction_moment"}
    expected["power"] = f"knee_{side}_power"
    assert curves.of_joint(f"knee_{side}", "frontal") == expected


def test_legs_a_joints_own_axes_carry_its_power():
    """Moments along them times the rates of the angles, as Grood and Suntay's are."""
    paths, _ = walk()
    limbs = jw.gait.lower_limbs(markers_of(paths), PERSON, {**NAMES, **MEDIAL})
    result = jw.gait.segment_wrenches(T, limbs.segments("left"), gravity=(0, 0, -9.81))
    moments = {f: jw.gait.clinical_curves(result, frame=f) for f in ("segment", "parent", "joint")}
    names = ("extension_moment", "abduction_moment", "external_rotation_moment")
    own = np.stack([moments["joint"][f"knee_left_{name}"] for name in names], -1)
    words = ("flexion", "adduction", "internal_rotation")
    turns = np.stack([moments["joint"][f"knee_left_{name}"] for name in words], -1)
    rates = np.gradient(np.radians(turns), T, axis=0, edge_order=2)
    assert_allclose(
        -(own * rates).sum(-1)[2:-2], moments["joint"]["knee_left_power"][2:-2], rtol=0.05, atol=0.4
    )
    assert_allclose(own[:, 0], moments["parent"]["knee_left_extension_moment"])
    assert_allclose(own[:, 2], moments["segment"]["knee_left_external_rotation_moment"])


def test_legs_weight_of_a_leg_at_rest():
    """The hip carries thigh, shank and foot; the pelvis has no mass here."""
    paths, _ = walk()
    still = markers_of({name: 0 * path + path[0] for name, path in paths.items()})
    limbs = jw.gait.lower_limbs(still, PERSON, {**NAMES, **MEDIAL})
    result = jw.gait.segment_wrenches(T, limbs.segments("right"), gravity=(0, 0, -9.81))
    weight = 9.81 * sum(PERSON[name].mass for name in ("thigh", "shank", "foot"))
    assert_allclose(result.joint_wrench("hip_right", frame="laboratory")[:, 2], weight, rtol=1e-6)
    assert_allclose(result.joint_wrench("pelvis", frame="laboratory")[:, 2], weight, rtol=1e-6)


def test_legs_refuses():
    paths, _ = walk()
    whole = markers_of(paths)
    few = without_medial(whole)
    fewer = few.only([name for name in few.names if name not in ("LTOE", "RASI")])
    far = markers_of({**paths, "LKNE": paths["LKNE"] + 1e6 * (T[5] == T)[:, None]})
    for markers, names, options, argument in (
        (few, NAMES, {}, "knee_width"),
        (fewer, NAMES, {}, "markers"),
        (far, NAMES, {"knee_width": 0.1, "ankle_width": 0.07}, "markers"),
        (few, "x", {}, "marker_set"),
        (few, {"nose": "NOSE"}, {}, "marker_set"),
        (whole, NAMES, {"hip": "x"}, "hip"),
    ):
        refused(lambda: jw.gait.lower_limbs(markers, PERSON, names, **options), argument)
    with refusal("static", TypeError):
        jw.gait.lower_limbs(whole, PERSON, NAMES, static=3)
    refused(lambda: jw.gait.lower_limbs(3, PERSON), "markers", TypeError)
