"""Bodies of known angles, marked as each set says: the angles come back, of both sides."""

import numpy as np
import pytest
from made_body import ANGLES, MIDDLE, SEQUENCES, T, angles, body, markers_of
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw
from jointwrench.gait import ClinicalCurves, Frame, MarkerSet
from jointwrench.gait.joint_centers import hip_centers
from jointwrench.gait.marker_sets import FRAMES, MARKER_SETS, ROLES
from jointwrench.gait.segment_dynamics import euler_angles

PERSON = jw.gait.Person(1.75, 70.0, "de_leva_female")
WHOLE = body()

#: What a right joint's angles are called, and which way they count.
WORDS = {
    "hip": ("flexion", "adduction", "internal_rotation"),
    "knee": ("extension", "adduction", "internal_rotation"),
    "ankle": ("dorsiflexion", "inversion", "internal_rotation"),
    "shoulder": ("plane_of_elevation", "depression", "internal_rotation"),
    "elbow": ("flexion", "adduction", "pronation"),
    "wrist": ("flexion", "ulnar_deviation", "pronation"),
}
#: Of key points: what is not measured stays zero, and the pelvis leans with the trunk.
STILL = {
    "spine": ((0, 0), (2, 5), (0, 10)),
    "hip": ((10, 25), (2, 6), (0, 0)),
    "knee": ((-35, 30), (1, 3), (0, 0)),
    "elbow": ((50, 30), (0, 0), (0, 0)),
}
#: Without a lateral marker of the toes the foot's plane goes through the knee.
FLAT = {"ankle": ((2, 15), (0, 0), (0, 0))}
CHANGES = {"key points": STILL, "plug-in gait": FLAT, "helen hayes": FLAT}
ELBOWS = {"helen hayes", "plug-in gait", "cgm2", "opensim"}  # without medial markers


def curves_of(limbs, side):
    result = jw.gait.segment_wrenches(limbs.times, limbs.segments(side), gravity=(0, 0, -9.81))
    return jw.gait.clinical_curves(result)


def marked(name, changes=None, mirrored=False, more=()):
    described = MarkerSet(name, {role: role for role in more})
    is_point = "right_wrist_center" in described.markers
    places = body(changes=changes, is_wrist_ulnar=is_point)
    return markers_of(places, described.markers, mirrored=mirrored), described


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", MARKER_SETS)
def test_angles_of_legs_come_back(name, side):
    changes = CHANGES.get(name)
    markers, described = marked(name, changes)
    curves = curves_of(jw.gait.lower_limbs(markers, PERSON, described), side)
    for joint in ("hip", "knee", "ankle"):
        for number, word in enumerate(WORDS[joint]):
            is_told = name != "key points" or joint == "ankle" or number < 2
            assert (f"{joint}_{side}_{word}" in [*curves, *_opposites(curves)]) == is_told, word
            if is_told:
                expected = angles(joint, side, changes=changes)[:, number]
                assert_allclose(curves[f"{joint}_{side}_{word}"], expected, atol=1e-6)


def _opposites(curves):
    pairs = {"flexion": "extension", "plantarflexion": "dorsiflexion"}
    parts = (name.rpartition("_") for name in curves)
    return [f"{joint}_{pairs.get(word, word)}" for joint, _, word in parts]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", MARKER_SETS)
def test_angles_of_arms_come_back(name, side):
    changes = STILL if name == "key points" else None
    more = [f"{s}_elbow_medial" for s in ("left", "right")] if name in ELBOWS else []
    markers, described = marked(name, changes, more=more)
    curves = curves_of(jw.gait.upper_limbs(markers, PERSON, described), side)
    for joint in ("shoulder", "elbow"):
        for number, word in enumerate(WORDS[joint]):
            if f"{joint}_{side}_{word}".replace("depression", "elevation") in curves:
                expected = angles(joint, side, changes=changes)[:, number]
                assert_allclose(curves[f"{joint}_{side}_{word}"], expected, atol=1e-6)
    if name in ("isb", "ior"):
        for number, word in enumerate(WORDS["wrist"]):
            found = curves[f"wrist_{side}_{word}"]
            assert_allclose(found, angles("wrist", side)[:, number], atol=1e-6)
    told = {"helen hayes", "key points"}
    assert (f"elbow_{side}_pronation" in curves) == (name not in told)


@pytest.mark.parametrize("name", MARKER_SETS)
def test_mirrored_bodies_have_mirrored_curves(name):
    """What the left side does is what the right one does in a mirror."""
    sizes = {"knee_width": 0.086, "ankle_width": 0.066}
    places = [marked(name, mirrored=x)[0] for x in (False, True)]
    own, other = (jw.gait.lower_limbs(x, PERSON, name, **sizes) for x in places)
    arms = [jw.gait.upper_limbs(x, PERSON, name, elbow_width=0.066) for x in places]
    for limbs, image in ((own, other), arms):
        for side, opposite in (("left", "right"), ("right", "left")):
            curves, found = curves_of(limbs, side), curves_of(image, opposite)
            for curve, values in curves.items():
                mirrored = found[curve.replace(side, opposite)]
                assert_allclose(mirrored, values, atol=1e-6, err_msg=curve)


@pytest.mark.parametrize("side", ["left", "right"])
def test_clavicles_come_back(side):
    """Protraction and elevation of the line from sternum to acromion; its turn is not measured."""
    places, sign = dict(WHOLE), 1 if side == "right" else -1
    thorax = jw.gait.upper_limbs(*_isb(places)).frames["thorax"].rotations
    forward, up = np.radians(15 * np.sin(5 * T)), np.radians(20 * np.cos(4 * T))
    level = np.cos(up)
    direction = np.stack([np.sin(forward) * level, np.sin(up), sign * np.cos(forward) * level], -1)
    start = places[f"{side}_sternoclavicular"]
    places[f"{side}_acromion"] = start + 0.17 * (thorax @ direction[..., None])[..., 0]
    limbs = jw.gait.upper_limbs(*_isb(places))
    turns = np.swapaxes(limbs.frames["thorax"].rotations, -1, -2)
    turns = turns @ limbs.frames[f"clavicle_{side}"].rotations
    first, second, third = euler_angles(turns, limbs.sequences["clavicle_right"] + "z").T
    assert limbs.sequences[f"clavicle_{side}"] == "yx"
    assert_allclose(first, sign * forward, atol=1e-9)
    assert_allclose(second, -sign * up, atol=1e-9)
    assert_allclose(third, 0, atol=1e-9)


def _isb(places):
    return markers_of(places, MARKER_SETS["isb"]), PERSON, "isb"


def test_turns_come_back_of_every_sequence(rng):
    from scipy.spatial.transform import Rotation

    from jointwrench.gait.marker_segments import THREE

    for sequence in THREE:
        turns = Rotation.random(50, random_state=3).as_matrix()
        found = euler_angles(turns, sequence)
        assert_allclose(Rotation.from_euler(sequence.upper(), found).as_matrix(), turns, atol=1e-12)
        is_same = sequence[0] == sequence[-1]
        low, high = (0, np.pi) if is_same else (-np.pi / 2, np.pi / 2)
        assert ((found[:, 1] >= low) & (found[:, 1] <= high)).all()


@pytest.mark.parametrize(
    ("joint", "second", "beyond"),
    [("shoulder", 0.0, None), ("shoulder", -180.0, None), ("hip", 90.0, None), ("elbow", -90.0, 1)],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_where_two_axes_are_one_only_the_second_angle_is_known(joint, second, beyond, side):
    pairs = list(ANGLES[joint])
    changes = {joint: (pairs[0], (second, 0), pairs[2])}
    places = body(changes=changes)
    function = jw.gait.lower_limbs if joint == "hip" else jw.gait.upper_limbs
    limbs = function(markers_of(places, MARKER_SETS["isb"]), PERSON, "isb")
    frames, order = limbs.frames, ("pelvis", "thigh") if joint == "hip" else ("thorax", "upper_arm")
    names = [order[0], f"{order[1]}_{side}"]
    if beyond:
        names = [names[1], f"forearm_{side}"]
    turns = np.swapaxes(frames[names[0]].rotations, -1, -2) @ frames[names[1]].rotations
    found = np.degrees(euler_angles(turns, SEQUENCES[joint].lower()))
    assert np.isnan(found[:, ::2]).all()
    size = abs(second) if joint == "shoulder" else second * (1 if side == "right" else -1)
    assert_allclose(found[:, 1], size, atol=1e-6)


def test_frames_and_sequences_of_ones_own():
    """The shank of the ISB has its axis through both malleoli, and y as nearly as it can be."""
    isb = Frame("@ankle", ("z", "ankle_medial", "ankle"), ("y", "@ankle", "@knee"))
    places = dict(WHOLE)
    for side in ("left", "right"):
        places[f"{side}_ankle_medial"] = places[f"{side}_ankle_medial"] + [0.01, 0, 0.01]
    markers = markers_of(places, MARKER_SETS["isb"])
    own = MarkerSet("isb", frames={"shank": isb}, sequences={"knee": "xzy"})
    limbs = jw.gait.lower_limbs(markers, PERSON, own)
    for side, sign in (("left", -1), ("right", 1)):
        across = markers[f"{side[0].upper()}LM"] - markers[f"{side[0].upper()}MM"]
        z = limbs.frames[f"shank_{side}"].rotations[..., 2]
        assert_allclose(z, sign * across / np.linalg.norm(across, axis=-1, keepdims=True))
        assert limbs.segments(side)[2].sequence == "xzy"
    before = jw.gait.lower_limbs(markers, PERSON, "isb").frames["shank_left"].rotations
    assert abs(before - limbs.frames["shank_left"].rotations).max() > 0.05


def test_toes_are_midway_between_their_markers():
    names = {r: n for r, n in MARKER_SETS["qualisys"].items() if not r.endswith("_toe")}
    limbs = jw.gait.lower_limbs(markers_of(WHOLE, names), PERSON, "qualisys")
    for side in ("left", "right"):
        middle = (WHOLE[f"{side}_toe_medial"] + WHOLE[f"{side}_toe_lateral"]) / 2
        assert_allclose(limbs.feet[side][:, 1], middle)


def test_one_arm_is_enough():
    names = {role: name for role, name in MARKER_SETS["isb"].items() if "left" not in role}
    limbs = jw.gait.upper_limbs(markers_of(WHOLE, names), PERSON, "isb")
    assert not [name for name in limbs.frames if "left" in name]
    refused(lambda: limbs.segments("left"), "side")


def test_weight_of_an_arm_at_rest():
    still = {role: np.repeat(path[:1], len(T), axis=0) for role, path in WHOLE.items()}
    limbs = jw.gait.upper_limbs(markers_of(still, MARKER_SETS["isb"]), PERSON, "isb")
    chain = limbs.segments("left")
    held = np.zeros((len(T), 6))
    held[:, 2] = -20
    at = limbs.centers["knuckle_left"]
    held[:, 3:] = np.cross(at, held[:, :3])
    loads = {"hand_left": held}
    result = jw.gait.segment_wrenches(T, chain, loads, gravity=(0, 0, -9.81))
    weight = 9.81 * sum(segment.mass for segment in chain)
    found = result.joint_wrench("shoulder_left", frame="laboratory")
    assert_allclose(found[:, 2], weight + 20, rtol=1e-6)
    curves = {f: jw.gait.clinical_curves(result, frame=f) for f in ("segment", "joint")}
    own = curves["segment"]["shoulder_left_extension_moment"]
    assert_allclose(own, -result.joint_wrench("shoulder_left", components="mz"))
    assert {"shoulder_left_depression_moment", "shoulder_left_horizontal_abduction_moment"} <= set(
        curves["joint"]
    )


def test_a_shoulders_own_axes_carry_its_power():
    """Moments along them times the rates of the angles."""
    times = np.linspace(0, 1, 201)
    markers = markers_of(body(times), MARKER_SETS["isb"], times)
    limbs = jw.gait.upper_limbs(markers, PERSON, "isb")
    for side in ("left", "right"):
        result = jw.gait.segment_wrenches(times, limbs.segments(side), gravity=(0, 0, -9.81))
        curves = jw.gait.clinical_curves(result, frame="joint")
        words = ("horizontal_abduction", "depression", "external_rotation")
        moments = np.stack([curves[f"shoulder_{side}_{word}_moment"] for word in words], -1)
        words = ("plane_of_elevation", "elevation", "internal_rotation")
        turns = np.radians(np.stack([curves[f"shoulder_{side}_{word}"] for word in words], -1))
        rates = np.gradient(turns, times, axis=0, edge_order=2)
        power = -(moments * rates).sum(axis=-1)
        expected = curves[f"shoulder_{side}_power"]
        assert_allclose(power[5:-5], expected[5:-5], atol=0.01 * abs(expected).max())


def _report(times, marker_set="isb", **options):
    """Return the report of a walk without plates, from two strikes of each foot."""
    names = getattr(marker_set, "markers", None) or MARKER_SETS[marker_set]
    markers = markers_of(body(times), names, times)
    strikes = [
        jw.recordings.Event(t, "Foot Strike", s) for s in ("left", "right") for t in (0.5, 1.5)
    ]
    trial = jw.gait.GaitTrial(markers, (), strikes)
    options = {"cutoff": 20.0, "mass": 70.0, "height": 1.75, "audit": "warn"} | options
    return jw.gait.gait_report(trial, marker_set=marker_set, **options)


@pytest.mark.filterwarnings("ignore:`trials`. of number 1")
def test_pelvis_trunk_and_arms_have_a_report():
    times = np.linspace(0, 2, 401)
    report = _report(times, upper="arms")
    within = np.linspace(0.5, 1.5, 101)
    for side in ("left", "right"):
        sign = 1 if side == "right" else -1
        found = {}
        pelvis = angles("pelvis", "right", within) * [-1, -sign, sign]
        for number, word in enumerate(("anterior_tilt", "upward_obliquity", "internal_rotation")):
            found[f"pelvis_{side}_{word}"] = pelvis[:, number]
        spine = angles("spine", "right", within) * [-1, sign, sign]
        for number, word in enumerate(("flexion", "lateral_flexion", "internal_rotation")):
            found[f"spine_{side}_{word}"] = spine[:, number]
        for joint, words in WORDS.items():
            for number, word in enumerate(words):
                own = angles(joint, side, within)[:, number]
                turn = {"extension": ("flexion", -1), "depression": ("elevation", -1)}
                name, way = (
                    turn.get(word, (word, 1)) if joint in ("knee", "shoulder") else (word, 1)
                )
                found[f"{joint}_{side}_{name}"] = way * own
        for name, values in found.items():
            curve = ClinicalCurves(report.curves, None)[name][0]
            assert_allclose(curve, values, atol=0.15, err_msg=name)
        assert np.isfinite(report.curves[f"shoulder_{side}_power"]).all()
        assert np.isfinite(report.curves[f"wrist_{side}_extension_moment"]).all()
        assert np.isnan(report.curves[f"knee_{side}_power"]).all()  # there are no plates
        assert f"clavicle_{side}_elevation" in report.curves
        assert f"clavicle_{side}_backward_rotation" not in report.curves
        assert f"thorax_{side}_forward_tilt" in report.curves
    assert report.parameters()["pelvis_left_anterior_tilt_max"][2] == 1


@pytest.mark.filterwarnings("ignore:`trials`. of number 1")
def test_a_report_of_the_trunk_and_of_legs_alone():
    times = np.linspace(0, 2, 401)
    legs, trunk = _report(times), _report(times, upper="trunk")
    assert not [name for name in legs.curves if name.startswith(("thorax", "spine", "elbow"))]
    assert "pelvis_left_anterior_tilt" in legs.curves
    assert set(trunk.curves) - set(legs.curves) == {
        f"{joint}_{side}_{word}"
        for side in ("left", "right")
        for joint, first in (("thorax", "forward_tilt"), ("spine", "flexion"))
        for word in (first, "lateral_flexion", "internal_rotation")
    }
    for name, rows in legs.curves.items():
        np.testing.assert_array_equal(trunk.curves[name], rows)
    own = MarkerSet("isb", sequences={"pelvis": "yxz"})
    other = _report(times, marker_set=own).curves["pelvis_left_anterior_tilt"]
    assert abs(other - legs.curves["pelvis_left_anterior_tilt"]).max() > 0.1
    refused(lambda: _report(times, upper="head"), "upper")
    refused(lambda: _report(times, elbow_width=70.0), "elbow_width")


@pytest.mark.parametrize("name", MARKER_SETS)
def test_every_set_has_a_report_and_an_audit_without_a_word(name):
    options = {"knee_width": 0.086, "ankle_width": 0.066, "elbow_width": 0.066}
    options |= {"upper": "arms", "cutoff": 6.0, "audit": "refuse"}
    report = _report(np.linspace(0, 2, 201), name, **options)
    assert {check.verdict for check in report.audits[0].checks} == {"ok"}
    for joint in ("pelvis_left_anterior_tilt", "knee_right_flexion", "elbow_left_power"):
        assert np.isfinite(report.curves[joint]).all()


@pytest.mark.filterwarnings("ignore:`trials`. of number 1")
def test_picture_of_other_joints():
    pytest.importorskip("matplotlib.pyplot").close("all")
    report = _report(np.linspace(0, 2, 401), upper="arms")
    axes = jw.gait.plot_gait_report(report, joints=["pelvis", "shoulder", "elbow"], plane="frontal")
    assert axes.shape == (3, 3)
    texts = [ax.get_ylabel() for ax in axes[:, 1]]
    assert texts == ["elevation / °", "abduction moment / (N m/kg)", "total power / (W/kg)"]
    assert [ax.get_visible() for ax in axes[:, 0]] == [True, False, False]
    assert axes[0, 0].get_xlabel() == axes[2, 1].get_xlabel() == "cycle / %"
    refused(lambda: jw.gait.plot_gait_report(report, joints=["tail"]), "joints")
    refused(lambda: jw.gait.plot_gait_report(report, joints=[]), "joints")


def test_all_roles_are_somewhere_and_have_a_place():
    assert set(WHOLE) - {"left_neck"} <= set(ROLES)
    for names in MARKER_SETS.values():
        assert set(names) <= set(ROLES)
    assert set(MIDDLE["thorax"]) <= set(ROLES)


def test_refuses():
    good = Frame("@ankle", ("z", "ankle_medial", "ankle"), ("y", "@ankle", "@knee"))
    for changes, argument in (
        ({"name": "vicon"}, "name"),
        ({"markers": {"nose": "N"}}, "markers"),
        ({"frames": {"tail": good}}, "frames"),
        ({"sequences": {"toe": "zxy"}}, "sequences"),
        ({"sequences": {"hip": "zzy"}}, "sequences"),
        ({"frames": {"shank": good._replace(second=("y", "@ankle"))}}, "frames"),
        ({"frames": {"shank": good._replace(second=("z", "@ankle", "@knee"))}}, "frames"),
        ({"frames": {"shank": good._replace(origin="@wing")}}, "frames"),
        ({"frames": {"shank": good._replace(origin="nose")}}, "frames"),
        ({"frames": {"shank": good._replace(second=("y", "y of tail"))}}, "frames"),
    ):
        refused(lambda: MarkerSet(**changes), argument)
    refused(lambda: MarkerSet(frames={"shank": FRAMES["shank"][0][1]}), "frames", TypeError)
    refused(lambda: MarkerSet().roles(["wings"]), "parts")
    with refusal("markers"):
        jw.gait.upper_limbs(markers_of(WHOLE, MARKER_SETS["plug-in gait"]), PERSON, "isb")
    with refusal("elbow_width"):
        jw.gait.upper_limbs(markers_of(WHOLE, MARKER_SETS["plug-in gait"]), PERSON)
    with refusal("leg_length"):
        jw.gait.lower_limbs(markers_of(WHOLE, MARKER_SETS["isb"]), PERSON, "isb", hip="hara")


def test_hips_of_hara():
    """Its regression in its own axes, x forward, y left, z up, in mm."""
    places = np.array([[[0, 0, 0.12]], [[0, 0, -0.12]], [[-0.16, 0, 0]]])
    right, left = hip_centers(*places, "hara", 0.9, marker_radius=0.009)
    x, y, z = 11 - 0.063 * 900 - 9, 8 + 0.086 * 900, -9 - 0.078 * 900
    assert_allclose(1000 * right, [[x, z, y]])
    assert_allclose(1000 * left, [[x, z, -y]])
