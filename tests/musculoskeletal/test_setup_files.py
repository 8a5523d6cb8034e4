"""OpenSim's set-up files, run as they are, against OpenSim 4.6 on its walking trial."""

import shutil
import warnings

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose
from setup_texts import (
    ACTUATORS,
    JOINT_REACTION,
    STATIC_OPTIMIZATION,
    analyze_text,
    scale_text,
)
from test_opensim_trial import FORCES, LENGTHS, OPENSIM

import jointwrench as jw

pytestmark = pytest.mark.filterwarnings("ignore:`times` are rounded")
run_setup = jw.musculoskeletal.run_setup
read_storage = jw.recordings.read_storage

#: What OpenSim 4.6 (AnalyzeTool) makes of the trial and the set-up files here at three instants:
#: activations of the muscles and controls of the actuators; forces and moments of hip and ankle.
TIMES = [0.578125, 0.890625, 1.203125]
CONTROLS = [
    (
        *(0.10981, 0.06475, 0.01, 0.11086, 0.01, 0.01, 0.12484, 0.01, 0.14043, 0.2515),
        *(0.20546, 0.01, 0.55561, 0.01, 0.01, 0.87821, 0.10892, 0.01, 0.23682, 0.28286),
        *(0.00047, 0.27121, 0.01087, 0.07091, -0.04315, -0.13348, 0.01053, -0.00453),
    ),
    (
        *(0.16787, 0.05108, 0.01, 0.01592, 0.01, 0.01, 0.25244, 0.19433, 0.01, 0.01),
        *(0.01, 0.01, 0.03744, 0.02418, 0.01358, 0.01, 0.01, 0.03523, 0.05386, -0.14734),
        *(-0.09122, 0.32976, 0.00166, 0.00369, -0.02299, 0.00071, -0.00791, 0.00261),
    ),
    (
        *(0.18255, 0.23353, 0.01, 0.71017, 0.01, 0.01, 0.92369, 0.3241, 0.01, 0.02406),
        *(0.03214, 0.01, 0.06485, 0.01, 0.01, 0.03743, 0.01, 0.06741, 0.23767, 0.28671),
        *(0.17897, 0.39599, 0.09274, 0.00637, -0.12049, -0.01744, -0.01393, 0.00517),
    ),
]
REACTIONS = {
    "hip_r_on_femur_r_in_ground": [
        (19.505, -370.36, 66.182, -5.76, -1.301, 0.109, 0.524, 0.935, 0.106),
        (102.429, -1012.157, 100.136, -35.193, -3.162, 0.017, 0.532, 0.967, 0.106),
        (-1487.244, -2084.402, 237.883, -30.879, 1.387, 0.927, 0.527, 0.935, 0.106),
    ],
    "knee_r_on_tibia_r_in_tibia_r": [
        (-44.829, -669.181, 43.124, -0.447, 2.27, 1.466, 0, 0, 0),
        (224.415, -1741.379, 129.202, -13.132, 3.812, 7.505, 0, 0, 0),
        (227.959, -3672.822, 260.347, -48.498, 3.674, 15.568, 0, 0, 0),
    ],
    "knee_r_on_femur_r_in_femur_r": [
        (14.942, 670.514, -43.124, 20.122, -2.482, 1.678, 0, 0, 0),
        (169.392, 1747.59, -129.202, 70.776, -7.018, 64.553, 0, 0, 0),
        (201.252, 3674.382, -260.347, 166.114, -10.391, 60.494, 0, 0, 0),
    ],
    "ankle_l_on_tibia_l_in_tibia_l": [
        (26.951, 3493.925, 210.09, 20.866, 1.866, 0.045, 0, -0.425, 0),
        (-45.321, 157.781, -6.392, -1.697, -0.574, -0.026, 0, -0.425, 0),
        (-59.396, 307.141, -6.872, -3.41, -0.689, -0.052, 0, -0.425, 0),
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the trial and its set-up files, in which inverse kinematics has been run."""
    place = tmp_path_factory.mktemp("trial")
    for file in walking_trial.FOLDER.iterdir():
        shutil.copy(file, place)
    (place / "actuators.xml").write_text(ACTUATORS)
    (place / "so.xml").write_text(analyze_text(STATIC_OPTIMIZATION))
    (place / "jr.xml").write_text(analyze_text(JOINT_REACTION))
    files = {"marker_file": place / "walk.trc"}
    run_setup(place / "setup_ik.xml", files=files, results=place)
    table = read_storage(place / "subject01_walk_IK.mot")
    even = jw.Table(np.arange(151) / 64, table.names, table.array.round(5), {"inDegrees": "yes"})
    jw.recordings.write_storage(place / "walk.mot", even)
    return place


@pytest.fixture(scope="module")
def shared(folder):
    """What static optimization finds."""
    return run_setup(folder / "so.xml", results=folder)["StaticOptimization"]


def rows_at(times):
    return [int(np.abs(times - time).argmin()) for time in TIMES]


def test_inverse_kinematics_then_dynamics(folder):
    """Each by one call, with files of results that the next one reads."""
    table = read_storage(folder / "subject01_walk_IK.mot")
    theirs = np.array([*OPENSIM.values()])
    assert np.abs(table.array[[*OPENSIM]] - theirs).max() < 0.06
    assert np.abs(table.array[[*OPENSIM]] - theirs)[:, LENGTHS].max() < 0.0002
    setup = folder / "setup_id.xml"
    setup.write_text(
        "<OpenSimDocument><InverseDynamicsTool name='walk'>"
        "<model_file>..\\\\subject01.osim</model_file><time_range> 0 2.5</time_range>"
        "<forces_to_exclude>Muscles</forces_to_exclude>"
        "<external_loads_file>walk_grf.xml</external_loads_file>"
        "<coordinates_file>..\\\\IK\\\\subject01_walk_IK.mot</coordinates_file>"
        "<output_gen_force_file>ID.sto</output_gen_force_file>"
        "<lowpass_cutoff_frequency_for_coordinates>6</lowpass_cutoff_frequency_for_coordinates>"
        "</InverseDynamicsTool></OpenSimDocument>"
    )
    result = run_setup(setup, results=folder)
    errors = np.abs(result.generalized_forces[[*FORCES]] - [*FORCES.values()])
    assert errors.max() < 0.3
    written = read_storage(folder / "ID.sto")
    assert written.names[:2] == ("pelvis_tilt_moment", "pelvis_tx_force")
    assert_allclose(written.array, result.generalized_forces, rtol=1e-12)
    setup.write_text(setup.read_text().replace("Muscles", "All"))
    free = run_setup(setup).generalized_forces
    weight = 9.80665 * sum(float(b.mass) for b in walking_trial.model().bodies.values())
    assert free[:, 2].mean() == pytest.approx(weight, rel=0.02)


def test_static_optimization_is_that_of_opensim(folder, shared):
    rows = rows_at(shared.result.times)
    assert_allclose(shared.activations[rows], CONTROLS, atol=5e-5)
    assert shared.feasible.all()
    assert_allclose(shared.unsupplied, 0, atol=1e-9)
    assert shared.muscles[18:22] == ("FX", "FY", "MZ", "back")
    written = read_storage(folder / "walk_StaticOptimization_force.sto")
    assert written.names == shared.muscles
    assert_allclose(written.array, shared.forces, rtol=1e-12)


def test_joint_reactions_are_those_of_opensim(folder, shared):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="`times` are rounded")
        found = run_setup(folder / "jr.xml", results=folder)["JointReaction"]
    rows = rows_at(found.times)
    for title, theirs in REACTIONS.items():
        names = [f"{title}_{kind}{axis}" for kind in "fmp" for axis in "xyz"]
        ours = np.stack([found[name][rows] for name in names], axis=-1)
        assert_allclose(ours, theirs, atol=0.02)
    assert read_storage(folder / "walk_JointReaction_ReactionLoads.sto").names == found.names


def test_forces_that_do_not_make_the_motion_are_told(folder, shared):
    table = read_storage(folder / "walk_StaticOptimization_force.sto")
    half = jw.Table(table.times, table.names, table.array / 2, table.header)
    jw.recordings.write_storage(folder / "half.sto", half)
    words = (
        r"forces_file of jr.xml leaves up to .* of the generalized forces of pelvis_{}.* unsupplied"
    )
    with (
        pytest.warns(UserWarning, match=words.format("tilt")),
        pytest.warns(UserWarning, match=words.format("tx")),
    ):
        run_setup(folder / "jr.xml", files={"forces_file": folder / "half.sto"})
    part = jw.Table(table.times[5:], table.names, table.array[5:], table.header)
    jw.recordings.write_storage(folder / "part.sto", part)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run_setup(folder / "jr.xml", files={"forces_file": folder / "part.sto"})
    texts = [str(each.message) for each in caught]
    assert any("forces of jr.xml are known from 0.578125 to 1.5" in text for text in texts)


def test_weak_models_are_told(folder):
    weak = ACTUATORS.replace("<optimal_force>200<", "<optimal_force>1<")
    (folder / "weak.xml").write_text(weak.replace("<body>", "<max_control>1</max_control><body>"))
    with pytest.warns(UserWarning, match=r"so.xml cannot supply pelvis_t.* of 65 instants"):
        run_setup(folder / "so.xml", files={"force_set_files": folder / "weak.xml"})


def test_a_model_is_built_once(folder, shared):
    from jointwrench.musculoskeletal.setup_motions import loaded
    from jointwrench.musculoskeletal.setup_tool import model_of_file

    model = model_of_file(folder / "subject01.osim")
    assert model_of_file(folder / "subject01.osim") is model
    assert loaded(model) is loaded(model)
    evaluator = loaded(model).evaluate
    run_setup(folder / "so.xml", model=model)
    assert loaded(model).evaluate is evaluator


STANDING = {"knee_angle_r": -0.1, "pelvis_ty": 0.95, "pelvis_tx": 0.1}


def test_scaling_gives_a_person_back(folder, rng):
    """A larger person stands there: factors, mass, and markers that sit elsewhere."""
    generic = walking_trial.model()
    sizes = {"femur_r": np.full(3, 1.1), "pelvis": np.array([1, 1, 1.2]), "tibia_r": [1, 1.05, 1]}
    truth = jw.musculoskeletal.scaled(generic, factors=sizes, mass=80.0)
    q = [STANDING.get(name, 0.0) for name in generic.coordinates]
    kin = truth.kinematics(points=truth.markers, frames={})
    places = kin.compile("positions", backend="numpy")(q, np.zeros(10), np.zeros(10)).positions
    seen = dict(zip(kin.points, places, strict=True))
    off = rng.normal(0, 0.003, 3)
    seen["R.Heel"] = seen["R.Heel"] + off
    write_trc(folder / "static.trc", seen)
    pose = {name: STANDING.get(name, 0.0) for name in generic.coordinates}
    text = scale_text(
        {
            "pelvis": ("Z", [("R.ASIS", "L.ASIS")]),
            "femur_r": ("X Y Z", [("R.Thigh.Upper", "R.Knee.Lat")]),
        },
        {"tibia_r": "1 1.05 1"},
        {name: 1.0 for name in seen} | {"R.Heel": 1e-6},
        pose,
    )
    (folder / "scale.xml").write_text(text)
    with pytest.warns(UserWarning, match="output_model_file of scale.xml are not written"):
        own = run_setup(folder / "scale.xml")
    for body, factors in sizes.items():
        assert_allclose(
            own.resizing.factors[body], factors, rtol=5e-4
        )  # markers are not quite on an axis
    mass = {name: float(body.mass) for name, body in own.bodies.items()}
    assert sum(mass.values()) == pytest.approx(80)
    assert_allclose([*mass.values()], [float(b.mass) for b in truth.bodies.values()], rtol=1e-3)
    ours = own.kinematics(points=own.markers, frames={}).compile("positions", backend="numpy")
    found = dict(zip(kin.points, ours(q, np.zeros(10), np.zeros(10)).positions, strict=True))
    for name, place in found.items():
        assert_allclose(place, seen[name], atol=5e-4)


def write_trc(path, seen):
    names = "\t\t\t".join(seen)
    axes = "\t".join(f"{axis}{k}" for k in range(len(seen)) for axis in "XYZ")
    rows = [
        "\t".join([f"{k + 1}", f"{k / 60:.6f}", *(f"{x:.6f}" for x in np.ravel([*seen.values()]))])
        for k in range(4)
    ]
    head = ["PathFileType\t4\t(X/Y/Z)\tstatic.trc", "DataRate\tNumFrames\tNumMarkers\tUnits"]
    head += [f"60\t4\t{len(seen)}\tm", f"Frame#\tTime\t{names}", f"\t\t{axes}"]
    path.write_text("\n".join([*head, *rows, ""]))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "<activation_exponent>2<",
            "<activation_exponent>3<",
            "<activation_exponent> .* must be 2",
        ),
        (
            "<use_model_force_set>true",
            "<use_model_force_set>false",
            "<use_model_force_set> .* true",
        ),
        (
            "<initial_time>",
            "<states_file>a.sto</states_file><initial_time>",
            "<states_file> .* empty",
        ),
        ("actuators.xml", "springs.xml", "springs.xml must have CoordinateActuator, .*SpringGener"),
        ("StaticOptimization", "MuscleAnalysis", "must have analyses StaticOptimization or Joint"),
    ],
)
def test_what_is_not_done_is_refused_by_name(folder, tmp_path, old, new, words):
    springs = ACTUATORS.replace("CoordinateActuator", "SpringGeneralizedForce")
    for file in folder.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "springs.xml").write_text(springs)
    setup = tmp_path / "setup.xml"
    setup.write_text(analyze_text(STATIC_OPTIMIZATION).replace(old, new))
    with pytest.raises(ValueError, match=words):
        run_setup(setup)


def test_what_is_left_out_is_told(folder, tmp_path):
    text = analyze_text(STATIC_OPTIMIZATION + "<Kinematics name='K'/>", colour="red")
    setup = folder / "told.xml"
    setup.write_text(text)
    with (
        pytest.warns(UserWarning, match="told.xml has <colour>, which are left out"),
        pytest.warns(UserWarning, match="got Kinematics, which is left out"),
    ):
        assert [*run_setup(setup)] == ["StaticOptimization"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("hip_r knee_r", "hip_x knee_r", "`path` must name joints among .*'hip_x'"),
        ("child child parent parent", "child child", "<apply_on_bodies> .* one word, or 4, got 2"),
        ("ground child parent tibia_l", "ground child parent moon", "reactions in bodies .*'moon'"),
        ("child child parent parent", "both both both both", "apply reactions on one of .*'both'"),
    ],
)
def test_wrong_reactions(folder, shared, old, new, words):
    setup = folder / "wrong.xml"
    setup.write_text(analyze_text(JOINT_REACTION).replace(old, new))
    with pytest.raises(ValueError, match=words):
        run_setup(setup)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (">pelvis</body>", ">moon</body>", "actuators on the bodies .*'moon'"),
        (">hip_flexion_r</coordinate>", ">elbow</coordinate>", "of the coordinates .*'elbow'"),
        ("<axis>0 0 1<", "<axis>0 0 0<", "has a <axis> without direction"),
    ],
)
def test_wrong_actuators(folder, old, new, words):
    (folder / "wrong.xml").write_text(ACTUATORS.replace(old, new))
    with pytest.raises(ValueError, match=words):
        run_setup(folder / "so.xml", files={"force_set_files": folder / "wrong.xml"})


def test_wrong_files(folder, tmp_path):
    setup = tmp_path / "setup.xml"
    setup.write_text("<OpenSimDocument><RRATool/></OpenSimDocument>")
    with pytest.raises(
        ValueError, match=r"`path` must have one element among Sca.*setup.xml has 0"
    ):
        run_setup(setup)
    setup.write_text("<OpenSimDocument><InverseDynamicsTool/></OpenSimDocument>")
    with pytest.raises(ValueError, match=r"`path` must name a model_file, setup.xml has none"):
        run_setup(setup)
    setup.write_text(analyze_text(STATIC_OPTIMIZATION))
    with pytest.raises(FileNotFoundError, match=r"names subject01.osim as model_file.*files="):
        run_setup(setup)
    with pytest.raises(FileNotFoundError, match="`results` must be in an existing folder"):
        run_setup(folder / "so.xml", results=tmp_path / "absent")


def test_wrong_scaling(folder):
    setup, text = folder / "wrong.xml", scale_text({}, {"moon": "1 1 1"}, {"R.Heel": 1}, {})
    setup.write_text(text.replace(">-1</max_marker", ">5</max_marker"))
    with (
        pytest.raises(ValueError, match=r"<max_marker_movement> .* must be negative, got 5"),
        pytest.warns(UserWarning, match="scales moon, no bodies of the model"),
    ):
        run_setup(setup)
    setup.write_text(text.replace("measurements manualScale", "guess"))
    with pytest.raises(ValueError, match="must have the words measurements and manualScale"):
        run_setup(setup)


def test_missing_markers_are_told(folder):
    text = scale_text({"torso": ("Y", [("R.Heel", "Nose")])}, {}, {"R.Heel": 1, "Nose": 1}, {})
    setup = folder / "missing.xml"
    setup.write_text(text.replace("<MarkerPlacer><apply>true", "<MarkerPlacer><apply>false"))
    write_trc(folder / "static.trc", {"R.Heel": np.zeros(3)})
    with (
        pytest.warns(UserWarning, match="is left out, as OpenSim does: there are no markers Nose"),
        pytest.warns(UserWarning, match="not written"),
    ):
        own = run_setup(setup)
    assert_allclose(own.resizing.factors["torso"], 1)


def test_a_model_that_cannot_be_is_told_how_to_be_read(folder):
    model = folder / "heavy.osim"
    text = (folder / "subject01.osim").read_text()
    model.write_text(text.replace("<inertia>0.104234 0", "<inertia>9.104234 0", 1))
    with pytest.raises(ValueError, match=r"heavy.osim.*\n.*\n.*Use model=read_osim\(\.\.\., nonph"):
        run_setup(folder / "so.xml", files={"model_file": model})
