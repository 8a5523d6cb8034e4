"""A person's joints by their names: in models, tables, look-ups and pictures, with their signs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osim_texts import BODIES, PLACES, body, coordinate, document, joint, offset, transform
from refusals import refused

import jointwrench as jw

T = np.linspace(0, 2, 101)


def moving(model, seed=0, times=T, **options):
    """Return the model's result for a smooth motion, and the motion."""
    idyn = jw.InverseDynamics(model.system)
    rates = np.random.default_rng(seed).uniform(1, 3, len(idyn.speeds))
    motion = jw.Trajectory.from_samples(times, 0.3 * np.sin(times[:, None] * rates), idyn=idyn)
    evaluate = idyn.compile(backend="numpy", **options)
    return evaluate(motion, constants=model.constants_of(idyn)), motion


@pytest.fixture(scope="module")
def result():
    return moving(jw.gait.planar_leg(1.75, 70.0))[0]


def still(model, **angles):
    """Return the curves of a pose."""
    idyn = jw.InverseDynamics(model.system)
    q = np.array([angles.get(c.name, 0.0) for c in idyn.coordinates])
    result = idyn.compile(backend="numpy")(q, 0 * q, 0 * q, constants=model.constants_of(idyn))
    return jw.gait.clinical_curves(result)


def test_names_of_a_leg():
    leg = jw.gait.planar_leg(1.75, 70.0)
    assert list(leg.joints) == ["hip", "knee", "ankle"]
    assert list(leg.bodies) == ["thigh", "shank", "foot"]
    names = ["hip_angle", "hip_x", "hip_y", "knee_angle", "ankle_angle"]
    assert [q.name for q in leg.system.q] == names
    assert [u.name for u in leg.system.u] == [f"{name}_rate" for name in names]
    trunk = jw.gait.planar_leg(1.75, 70.0, trunk=True)
    assert list(trunk.joints) == ["trunk", "hip", "knee", "ankle"]
    expected = ["trunk_angle", "hip_x", "hip_y", "hip_angle", "knee_angle", "ankle_angle"]
    assert [q.name for q in trunk.system.q] == expected


def test_names_of_a_body():
    body = jw.gait.planar_body(1.75, 70.0)
    names = [q.name for q in body.system.q]
    assert names[:4] == ["trunk_angle", "hip_x", "hip_y", "shoulder_left_angle"]
    assert names[-1] == "ankle_right_angle"
    assert [joint.coordinates[0].name for joint in body.joints.values()][1:] == names[3:]


def test_names_of_actuators():
    leg = jw.gait.planar_leg(1.75, 70.0, trunk=True, actuated=True)
    assert [tau.name for tau in leg.chain.actuation][-2:] == ["tau_knee_angle", "tau_ankle_angle"]


def test_names_of_a_chain_of_ones_own():
    ball = jw.Segment("ball", 1, 1, inertia=1, joint="quaternion", coordinates=["a", "b", "c", "d"])
    chain = jw.SerialChain([ball, jw.Segment("rod", 1, 1, inertia=1, joint_name="elbow")])
    assert [q.name for q in chain.coordinates] == ["a", "b", "c", "d", "q_1"]
    assert [u.name for u in chain.speeds] == ["u_0_1", "u_0_2", "u_0_3", "u_1"]
    assert [joint.name for joint in chain.joints] == ["ball", "elbow"]


def test_names_refuses():
    refused(lambda: jw.Segment("rod", 1, 1, coordinates=["a", "b"]), "coordinates")
    refused(lambda: jw.Segment("rod", 1, 1, coordinates="angle"), "coordinates", TypeError)
    refused(lambda: jw.Segment("rod", 1, 1, joint_name=3), "joint_name", TypeError)
    rods = [jw.Segment(n, 1, 1, joint_name="knee", coordinates=["a"]) for n in ("one", "two")]
    refused(lambda: jw.SerialChain(rods), "segments")
    rods = [jw.Segment(n, 1, 1, coordinates=["a"]) for n in ("one", "two")]
    refused(lambda: jw.SerialChain(rods), "segments")


@pytest.mark.parametrize(
    ("joint", "angle", "pose", "pull"),
    [
        ("hip", np.pi / 2, "flexion", "flexion"),
        ("hip", -0.5, "extension", "extension"),
        ("knee", -np.pi / 2, "flexion", "flexion"),
        ("ankle", 0.3, "dorsiflexion", "dorsiflexion"),
    ],
)
@pytest.mark.parametrize("trunk", [False, True])
def test_signs_of_a_leg(joint, angle, pose, pull, trunk):
    """A limb held against its weight: the muscles pull where it would fall away from."""
    curves = still(jw.gait.planar_leg(1.75, 70.0, trunk=trunk), **{f"{joint}_angle": angle})
    assert_allclose(curves[f"{joint}_{pose}"], np.degrees(abs(angle)))
    assert curves[f"{joint}_{pull}_moment"] > 0


@pytest.mark.parametrize("side", ["left", "right"])
def test_signs_of_a_body(side):
    curves = still(jw.gait.planar_body(1.75, 70.0), **{f"elbow_{side}_angle": 1.5})
    assert_allclose(curves[f"elbow_{side}_flexion"], np.degrees(1.5))
    assert curves[f"elbow_{side}_flexion_moment"] > 1
    assert curves[f"shoulder_{side}_flexion_moment"] > 1
    assert len(curves) == 2 * 5 * 3


def test_curves_opposite_words_have_opposite_signs(result):
    curves = jw.gait.clinical_curves(result)
    assert list(curves) == [
        *("hip_flexion", "hip_extension_moment", "hip_power"),
        *("knee_flexion", "knee_extension_moment", "knee_power"),
        *("ankle_dorsiflexion", "ankle_plantarflexion_moment", "ankle_power"),
    ]
    assert curves.joints == ("hip", "knee", "ankle")
    assert repr(curves).startswith("ClinicalCurves(hip_flexion, ")
    assert_allclose(curves["knee extension"], -curves["knee_flexion"])
    assert_allclose(curves["ankle_dorsiflexion_moment"], -curves["ankle_plantarflexion_moment"])
    for name in ("knee_twist", "wrist_flexion"):
        refused(lambda: curves[name], None, KeyError)


def test_curves_neutral_angles(result):
    plain, shifted = (jw.gait.clinical_curves(result, zero) for zero in (None, {"ankle": 0.1}))
    assert_allclose(plain["ankle_dorsiflexion"] - shifted["ankle_dorsiflexion"], np.degrees(0.1))


def test_curves_tables_and_cycles(result):
    curves = jw.gait.clinical_curves(result)
    assert_allclose(curves.to_table()["knee_flexion"], curves["knee_flexion"])
    cycles = jw.gait.clinical_curves(result.over_cycles([0.2, 1.0, 1.8]))
    assert cycles["knee_flexion"].shape == (2, 101)
    expected = jw.normalise_cycles(T, curves["knee_flexion"], [0.2, 1.0, 1.8])
    assert_allclose(cycles["knee_flexion"], expected, atol=1e-9)
    assert_allclose(cycles.to_table()["knee_flexion_cycle_2"], cycles["knee_flexion"][1])
    assert cycles.to_table().header == {"times": "percent"}
    refused(lambda: jw.gait.ClinicalCurves(dict(curves), None).to_table(), "times")


def test_curves_refuses(result):
    refused(lambda: jw.gait.clinical_curves(3), "result", TypeError)
    refused(lambda: jw.gait.clinical_curves(result, {"wrist": 0}), "neutral")
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    other = idyn.compile(backend="numpy", constants=dict.fromkeys(idyn.constants, 1))(0, 0, 0)
    refused(lambda: jw.gait.clinical_curves(other), "result")


class TestPictures:
    @pytest.fixture(autouse=True)
    def matplotlib(self):
        pytest.importorskip("matplotlib").use("Agg")

    def test_over_time_and_over_cycles(self, result):
        curves = jw.gait.clinical_curves(result)
        axes = jw.gait.plot_gait_report(curves)
        assert axes.shape == (3, 3)
        assert [ax.get_title("left") for ax in axes[0]] == ["hip", "knee", "ankle"]
        assert axes[1, 2].get_ylabel() == "plantarflexion moment / (N m)"
        assert axes[2, 1].get_xlabel() == "time / s"
        assert_allclose(axes[0, 1].lines[0].get_ydata(), curves["knee_flexion"])
        per_kg = {"moment": "N m/kg", "power": "W/kg"}
        cycles = jw.gait.clinical_curves(result.over_cycles([0.2, 1.0, 1.8]))
        axes = jw.gait.plot_gait_report(cycles, units=per_kg)
        assert axes[2, 1].get_xlabel() == "cycle / %"
        assert axes[2, 1].get_ylabel() == "total power / (W/kg)"
        figure = axes[0, 0].figure
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == ["cycle 1", "cycle 2"]
        count = len(axes[0, 0].lines)
        jw.gait.plot_gait_report(cycles, axes=axes, label="again", linestyle="--")
        assert len(axes[0, 0].lines) == count + 2
        assert axes[0, 0].lines[-1].get_linestyle() == "--"
        (legend,) = figure.legends
        assert len(legend.get_texts()) == 3

    def test_refuses(self, result):
        refused(lambda: jw.gait.plot_gait_report(result), "report", TypeError)
        curves = jw.gait.ClinicalCurves({"knee_flexion": T}, None)
        refused(lambda: jw.gait.plot_gait_report(curves), "curves")


def two_legs():
    """Return OpenSim's text of a pelvis at rest with two legs as its models have them.

    The right knee is called and turned as in Rajagopal's model (bending is positive, the axis is
    another one of the frame), the left one as in Gait2354 (bending is negative); the left hip turns
    about axes to the other side.
    """
    bodies, joints = body("pelvis", *BODIES["pelvis"]), joint("WeldJoint", "base", *AT_REST)
    for side, sign in (("r", 1), ("l", -1)):
        names = [f"hip_{word}_{side}" for word in ("flexion", "adduction", "rotation")]
        axes = ((0, 0, 1), (sign, 0, 0), (0, sign, 0))
        turns = transform(list(zip(axes, names, strict=True)))
        place = np.array(PLACES["hip"][1]) * [1, 1, sign]
        femur, tibia = f"femur_{side}", f"tibia_{side}"
        joints += joint("CustomJoint", f"hip_{side}", "pelvis", place, femur, names, turns)
        knee = [f"knee_angle_{side}"]
        if side == "r":  # the knee's x axis points to the left in both bodies
            turned = [offset(n, f"/bodyset/{b}", p, (0, np.pi / 2, 0)) for n, b, p in KNEE]
            joints += (
                '<CustomJoint name="walker_knee_r"><socket_parent_frame>outer'
                "</socket_parent_frame><socket_child_frame>inner</socket_child_frame><coordinates>"
                f"{coordinate(knee[0])}</coordinates><frames>{''.join(turned)}</frames>"
                f"{transform([((1, 0, 0), knee[0])])}</CustomJoint>"
            )
        else:
            turn = transform([((0, 0, 1), knee[0])])
            joints += joint("CustomJoint", "knee_l", femur, (0, -0.4, 0), tibia, knee, turn)
        for name, key in ((femur, "femur"), (tibia, "tibia")):
            bodies += body(name, *BODIES[key])
    return document("two_legs", bodies, joints)


AT_REST = ("ground", (0, 1, 0), "pelvis")
KNEE = (("outer", "femur_r", (0, -0.4, 0)), ("inner", "tibia_r", (0, 0, 0)))


@pytest.fixture(scope="module")
def legs():
    model = jw.musculoskeletal.read_osim(two_legs())
    evaluate = model.inverse_dynamics().compile(backend="numpy")
    known = {"knee_angle_r": 0.5, "knee_angle_l": -0.5}
    for side in "rl":
        known |= {f"hip_flexion_{side}": 0.6, f"hip_adduction_{side}": 0.1}
        known |= {f"hip_rotation_{side}": 0.2}
    q = np.array([[known[name] for name in model.coordinates]] * 3)
    u = np.linspace(-0.1, 0.2, q.size).reshape(q.shape)
    return model, evaluate(q, u, 2 * u)


@pytest.mark.parametrize("side", ["r", "l"])
def test_models_of_open_sim_angles(legs, side):
    """Names and signs are the laboratory's, however a model's coordinates count."""
    curves = jw.gait.clinical_curves(legs[1])
    assert set(curves.joints) == {"hip_r", "hip_l", "knee_r", "knee_l"}
    assert_allclose(curves[f"knee_{side}_flexion"], np.degrees(0.5))
    for word, value in (("flexion", 0.6), ("adduction", 0.1), ("internal_rotation", 0.2)):
        assert_allclose(curves[f"hip_{side}_{word}"], np.degrees(value))


@pytest.mark.parametrize("side", ["r", "l"])
def test_models_of_open_sim_moments_along_the_joints_axes_are_generalized_forces(legs, side):
    model, result = legs
    curves = jw.gait.clinical_curves(result, frame="joint")
    forces = dict(zip(model.coordinates, result.generalized_forces.T, strict=True))
    for word in ("flexion", "adduction", "internal_rotation"):
        force = forces[f"hip_{word.removeprefix('internal_')}_{side}"]
        assert_allclose(curves[f"hip_{side}_{word}_moment"], force, atol=1e-9)
    bends = 1 if side == "r" else -1
    force = bends * forces[f"knee_angle_{side}"]
    assert_allclose(curves[f"knee_{side}_flexion_moment"], force, atol=1e-9)
    assert (curves[f"knee_{side}_extension_moment"] > 0.5).all()


def test_models_of_open_sim_moments_about_axes_without_a_coordinate(legs):
    """Of the knee in space: in the segment's frame those of the joint wrench."""
    _, result = legs
    curves = jw.gait.clinical_curves(result)
    for side, name, sign in (("r", "walker_knee_r", 1), ("l", "knee_l", -1)):
        wrench = result.joint_wrench(name)
        assert_allclose(curves[f"knee_{side}_adduction_moment"], sign * wrench[:, 3])
        assert f"knee_{side}_adduction" not in curves
    parent = jw.gait.clinical_curves(result, frame="parent")
    assert_allclose(parent["knee_r_flexion"], curves["knee_r_flexion"])
    turned = result.joint_wrench("hip_l", frame="pelvis", components="my")
    assert_allclose(parent["hip_l_internal_rotation_moment"], -turned)


def test_models_of_open_sim_powers(legs):
    model, result = legs
    power = jw.gait.clinical_curves(result)["knee_r_power"]
    place = [*model.coordinates].index("knee_angle_r")
    speed = result.inputs.samples[result.inputs.speeds[place]]
    assert_allclose(power, result.generalized_forces[:, place] * speed)
