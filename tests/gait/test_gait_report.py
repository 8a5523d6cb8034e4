"""Reports of walking, from made trials: cycles, means, what is read off, table and figure."""

import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from made_walk import MEDIAL, NAMES, angles, markers_of, walk
from numpy.testing import assert_allclose
from refusals import refusal, refused
from scipy.integrate import trapezoid
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait import report as reports
from jointwrench.gait.report_errors import check_normal

TIMES = np.linspace(0, 3, 301)
FAST = np.linspace(0, 3, 3001)
SET = {**NAMES, **MEDIAL}
STRIKES = {"left": [0.5, 1.5, 2.5], "right": [0.2, 1.2, 2.2]}
STANCE = 0.6


def make_plate(side, start, paths, size=576.0, late=0.0):
    """Return a plate under a foot while it stands."""
    prefix = side[0].upper()
    middle = (paths[f"{prefix}HEE"] + paths[f"{prefix}TOE"]) / 2
    place = np.stack([np.interp(FAST, TIMES, x) for x in middle.T], -1)
    load = size * ((start <= FAST) & (start + STANCE > FAST))
    force = np.stack([0 * load, 0 * load, load], -1)
    make = jw.recordings.ForcePlate.from_center_of_pressure
    return make(FAST + late, force, place, vertical="z")


def trial(mass=70.0, late=0.0):
    """Return a walk with events; plates carry the left foot at 0.5 s, the right one at 1.2 s."""
    paths, _ = walk(TIMES)
    strikes = [(time + late, side) for side, times in STRIKES.items() for time in times]
    labels = (0, "Foot Strike"), (STANCE, "Foot Off")
    events = [jw.recordings.Event(t + shift, x, side) for t, side in strikes for shift, x in labels]
    return SimpleNamespace(
        markers=markers_of(paths, T=TIMES + late),
        plates=tuple(make_plate(*x, paths, late=late) for x in (("left", 0.5), ("right", 1.2))),
        events=tuple(sorted(events)),
        subject=SimpleNamespace(name="Ann", mass=mass, height=1.75, measures={}),
    )


@pytest.fixture(scope="module")
def report():
    return jw.gait.gait_report([trial(), trial(late=60.0)], marker_set=SET, cutoff=15.0)


def test_cycles(report):
    assert repr(report) == "GaitReport(4 left, 4 right cycles of 2 trials)"
    assert report.person == "Ann"
    left = report.of_side("left")
    found = [(c.trial, c.start, c.end, c.on_plate) for c in left]
    first = [(0, 0.5, 1.5, True), (0, 1.5, 2.5, False)]
    assert found == [*first, (1, 60.5, 61.5, True), (1, 61.5, 62.5, False)]
    assert [c.on_plate for c in report.of_side("right")] == [False, True] * 2
    assert_allclose([c.stride_length for c in left], 1.2, atol=5e-3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_curves(report, side):
    start = STRIKES[side][0]
    expected = -angles("knee", side, start + np.linspace(0, 1, 101))[:, 0]
    assert_allclose(report.mean(f"knee_{side}_flexion"), expected, atol=0.1)
    assert_allclose(report.mean(f"knee_{side}_extension"), -expected, atol=0.1)
    assert report.deviation(f"knee_{side}_flexion").max() < 0.1
    moments = report.curves[f"ankle_{side}_plantarflexion_moment"]
    assert np.isfinite(moments).all(axis=1).tolist() == [c.on_plate for c in report.of_side(side)]
    assert np.isfinite(report.mean(f"ankle_{side}_plantarflexion_moment")).all()


def test_moments_are_those_of_the_segments(report):
    """Step by step by hand, without filters, in the middle of a stance."""
    one = trial()
    limbs = jw.gait.lower_limbs(one.markers, jw.gait.Person(1.75, 70.0), SET)
    loads = {"foot_left": one.plates[0].at(TIMES)}
    result = jw.gait.segment_wrenches(TIMES, limbs.segments("left"), loads, (0, 0, -9.81))
    curves = jw.gait.clinical_curves(result.per_mass(70.0))
    for name in ("hip_left_extension_moment", "ankle_left_plantarflexion_moment"):
        assert_allclose(report.mean(name)[15:45], curves[name][65:95], atol=0.02)
        assert abs(curves[name][65:95]).max() > 0.1


def test_what_is_read_off(report):
    found = report.parameters()
    assert found["stance_time_left"] == (pytest.approx(STANCE), pytest.approx(0, abs=1e-9), 4)
    assert found["speed_right"][0] == pytest.approx(1.2, abs=0.01)
    assert found["cadence_right"][0] == pytest.approx(120)
    paths, _ = walk(TIMES)
    ahead = [(paths["LHEE"] - paths["RHEE"])[row] for row in (50, 150)]
    forward = (paths["LASI"] + paths["RASI"])[[0, -1]] @ [[1, 0], [0, 1], [0, 0]]
    forward = np.diff(forward, axis=0)[0] / np.linalg.norm(np.diff(forward, axis=0)[0])
    expected = np.mean([x[:2] @ forward for x in ahead])
    assert found["step_length_left"][0] == pytest.approx(expected)
    power = report.mean("ankle_left_power")
    works = [found[f"ankle_left_power_{word}_work"] for word in ("positive", "negative")]
    assert works[0][0] > 0 > works[1][0]
    assert works[0][0] + works[1][0] == pytest.approx(trapezoid(power) / 100)
    assert works[0][2] == 2
    assert found["knee_left_flexion_max"][0] == pytest.approx(
        report.mean("knee_left_flexion").max(), abs=0.1
    )
    moment = report.mean("hip_right_extension_moment")
    impulse = found["hip_right_extension_moment_impulse"][0]
    assert impulse == pytest.approx(trapezoid(moment) / 100)
    assert "cadence_left" in report._repr_html_()


def test_table_and_file(report, tmp_path):
    jw.recordings.write_csv(tmp_path / "gait.csv", report)
    table = jw.recordings.read_csv(tmp_path / "gait.csv", time="percent")
    assert_allclose(table["hip_left_flexion_mean"], report.mean("hip_left_flexion"))
    assert_allclose(table["hip_left_flexion_sd"], report.deviation("hip_left_flexion"))
    assert table.times.tolist() == list(range(101))


def single(**curves):
    """Return the figure of one cycle of a knee."""
    pytest.importorskip("matplotlib.pyplot").close("all")
    cycle = jw.gait.GaitCycle(0, "left", 0.0, 0.6, 1.0, 0.6, 1.2, False)
    rows = {f"knee_left_{name}": np.atleast_2d(x) for name, x in curves.items()}
    return jw.gait.plot_gait_report(jw.gait.GaitReport((cycle,), rows, 70.0), joints=["knee"])


def test_a_figure_without_moments_has_no_boxes_for_them():
    """Beside the plates; zero does not flatten angles."""
    axes = single(flexion=np.linspace(50, 55, 101), extension_moment=np.full(101, np.nan))
    assert [ax.get_visible() for ax in axes[:, 0]] == [True, False, False]
    assert axes[0, 0].figure.get_supxlabel() == ""
    assert axes[0, 0].get_ylim()[0] > 45


def test_figure(report):
    pytest.importorskip("matplotlib")
    axes = jw.gait.plot_gait_report(report)
    assert [ax.get_title("left") for ax in axes[0]] == ["hip", "knee", "ankle"]
    assert axes[1, 2].get_ylabel() == "plantarflexion moment / (N m/kg)"
    lines = [line for line in axes[0, 1].lines if len(line.get_xdata()) == 101]
    assert_allclose(lines[0].get_ydata(), report.mean("knee_left_flexion"))
    assert lines[0].get_label() == "left, 4 cycles (moments: n = 2)"
    found = jw.gait.plot_gait_report(report, plane="frontal", axes=axes)[0, 0]
    assert found.get_ylabel() == "adduction / °"
    refused(lambda: jw.gait.plot_gait_report(3), "report", TypeError)
    refused(lambda: jw.gait.plot_gait_report(report, plane="side"), "plane")


def test_a_page_for_a_clinician(report, tmp_path):
    """Each kind and plane once, powers once; names and verdicts are written as they are."""
    pytest.importorskip("matplotlib")
    check = jw.gait.AuditCheck("mass", "80 kg", "70 kg", "doubtful", "")
    audits = (replace(report.audits[0], checks=(check,)), replace(report.audits[1], checks=()))
    known = replace(report, person="A $x^$ B", audits=audits, leg_length=0.9)
    axes = jw.gait.plot_gait_page(known, date="2026-11-28")
    lines = axes[0, 0].texts[0].get_text().splitlines()
    strikes = "strike-off-strike at"
    assert lines == [
        "A $x^$ B, 70.0 kg, 2026-11-28",
        "height 1.75 m, cutoff 15 Hz, markers plug-in gait, hips harrington",
        "                                    left       right",
        "speed, m/s                          1.20        1.20",
        "dimensionless speed                 0.40        0.40",
        "cadence, steps/min                   120         120",
        *lines[6:8],
        "stance time, s                      0.60        0.60",
        "stride time, s                      1.00        1.00",
        f"left: {strikes} 0.50-1.10-1.50, 1.50-2.10-2.50, 60.50-61.10-61.50 and 1 more s",
        f"right: {strikes} 0.20-0.80-1.20, 1.20-1.80-2.20, 60.20-60.80-61.20 and 1 more s",
        "trial 1: mass: 80 kg (doubtful)",
        "trial 2: all checks passed",
    ]
    labels = [ax.get_ylabel() for ax in axes[1:].flat]
    assert len(set(labels[1::4])) == 7
    assert [text.partition("\n")[0] for text in labels[1::4]][::2] == [
        *("flexion", "adduction", "internal rotation", "total power")
    ]
    assert [axes[k, 0].get_title("left") for k in (1, 7)] == ["pelvis", "foot progression"]
    axes[0, 0].figure.savefig(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page ") == 1
    bare = {name: rows for name, rows in report.curves.items() if name.endswith("flexion")}
    assert jw.gait.plot_gait_page(replace(report, curves=bare)).shape == (4, 3)
    refused(lambda: jw.gait.plot_gait_page(3), "report", TypeError)
    refused(lambda: jw.gait.plot_gait_page(report, date=2026), "date", TypeError)


def test_normal_curves_of_a_file(report, tmp_path):
    """The table of a report is the normal of another one; nine curves have a profile score."""
    jw.recordings.write_csv(tmp_path / "normal.csv", report)
    options = {"marker_set": SET, "cutoff": 15.0, "normal": tmp_path / "normal.csv"}
    found = jw.gait.gait_report(trial(), **options)
    for name, rows in report.curves.items():
        if np.isfinite(rows).all():
            assert_allclose(found.normal_of(name)[0], report.mean(name))
    parameters = found.parameters()
    for side in ("left", "right"):
        names = [f"{x.partition('_')[0]}_{side}_{x.partition('_')[2]}" for x in reports.OF_PROFILE]
        scores = [
            np.sqrt(np.mean((found.curves[n] - found.normal_of(n)[0]) ** 2, axis=1)) for n in names
        ]
        expected = np.sqrt(np.mean(np.square(scores), axis=0)).mean()
        assert_allclose(parameters[f"gait_profile_score_{side}"][0], expected)
    fewer = {n: x for n, x in found.normal.items() if "knee" not in n}
    assert "gait_profile_score_left" not in replace(found, normal=fewer).parameters()


def test_files_without_normal_curves(report, tmp_path):
    """Curves of one cycle have no deviation, which a warning says; other files are refused."""
    percent = np.linspace(0, 100, 101)
    columns = np.stack([20 + 0 * percent, np.nan * percent, 0 * percent, 1 + 0 * percent], axis=1)
    names = ["knee_flexion_mean", "knee_flexion_sd", "hip_flexion_mean", "hip_flexion_sd"]
    jw.recordings.write_csv(tmp_path / "one.csv", jw.Table(percent, names, columns))
    with pytest.warns(UserWarning, match="one.csv has no standard deviation of knee_flexion,"):
        found = check_normal(tmp_path / "one.csv")
    assert [*found] == ["hip_flexion"]
    jw.recordings.write_csv(tmp_path / "other.csv", jw.Table(percent, names[:1], columns[:, :1]))
    refused(lambda: check_normal(tmp_path / "other.csv"), "normal")


def test_progression_of_the_feet():
    """Feet that are turned by ten degrees about their heels point inwards, with this sign."""
    paths, _ = walk(TIMES)
    before = jw.gait.gait_report(trial(), marker_set=SET, cutoff=15.0)
    for letter, sign in (("L", -1), ("R", 1)):
        turn = Rotation.from_euler("z", sign * 10, degrees=True)
        heel, toe = paths[f"{letter}HEE"], paths[f"{letter}TOE"]
        paths[f"{letter}TOE"] = heel + turn.apply(toe - heel)
    one = trial()
    one.markers, one.plates = markers_of(paths, T=TIMES), ()
    after = jw.gait.gait_report(one, marker_set=SET, cutoff=15.0)
    for side in ("left", "right"):
        name = f"foot_{side}_internal_rotation"
        away = after.mean(name)[20:50] - before.mean(name)[20:50]
        assert_allclose(away, 10, atol=1)


def test_the_floor_from_above(report, file, of_file):
    """Feet stand where their markers are, and the pressure is where the plate has it."""
    paths, _ = walk(TIMES)
    plan = report.audits[0].plan
    assert plan["plates"] == []
    assert len(plan["left"]) == len(plan["right"]) == 2
    for row, foot in zip((80, 180), plan["left"], strict=True):
        assert_allclose(foot, [paths[name][row, :2] for name in ("LHEE", "LTOE")], atol=0.01)
    (path,) = plan["left_pressure"]
    middle = (paths["LHEE"] + paths["LTOE"])[:, :2] / 2
    seen = np.isfinite(path).all(axis=1)
    assert seen[60:100].all()
    assert not seen[130:].any()
    assert_allclose(path[60:100], middle[60:100], atol=0.01)
    pytest.importorskip("matplotlib")
    assert len(jw.gait.plot_gait_page(report)[0, -1].lines) == 2 * (4 + 2)
    drawn = jw.gait.plot_gait_page(of_file)[0, -1].patches
    for patch, plate in zip(drawn, file.plates, strict=True):
        assert_allclose(patch.get_xy()[:4], plate.corners[:, :2])


def test_plates_as_measured(report):
    """Unfiltered plates are those of no filter; only what they do to the foot is another."""
    name = "ankle_left_plantarflexion_moment"
    raw = jw.gait.gait_report(trial(), marker_set=SET, cutoff=15.0, plate_cutoff=None)
    same = jw.gait.gait_report(trial(), marker_set=SET, cutoff=15.0, plate_cutoff=15.0)
    assert_allclose(same.curves[name], report.curves[name][:2])
    assert np.nanmax(abs(raw.curves[name] - report.curves[name][:2])) > 0.01
    assert_allclose(raw.curves["knee_left_flexion"], report.curves["knee_left_flexion"][:2])


def test_without_events_and_plates():
    """Events come from the markers then, and there are no moments."""
    one = trial()
    one.events, one.plates = (), ()
    found = jw.gait.gait_report(one, marker_set=SET, cutoff=15.0)
    assert not any(cycle.on_plate for cycle in found.cycles)
    assert np.isnan(found.curves["knee_left_power"]).all()
    assert np.isnan(found.mean("knee_left_power")).all()
    assert_allclose([c.end - c.start for c in found.cycles], 1.0, atol=0.011)


def test_events_in_disorder_or_twice(report):
    one = trial()
    one.events = [*one.events, *one.events][::-1]
    found = jw.gait.gait_report(one, marker_set=SET, cutoff=15.0)
    assert found.cycles == tuple(c for c in report.cycles if c.trial == 0)


def test_trials_of_two_persons():
    with pytest.warns(match="`trials` are of persons of 70 and 71 kg"):
        jw.gait.gait_report([trial(), trial(mass=71.0)], marker_set=SET, cutoff=15.0)


def test_refuses():
    short, bare = trial(), trial()
    short.events = bare.events = short.events[:1]
    bare.markers = bare.markers.only(["LHEE"])
    for trials, options, argument, error in (
        (None, {}, "trials", TypeError),
        ("walk.c3d", {}, "trials", TypeError),
        ([3], {}, "trials", TypeError),
        ([], {"vertical": "up"}, "vertical", ValueError),
        (trial(mass=None), {}, "mass", ValueError),
        (trial(), {"plate_cutoff": "none"}, "plate_cutoff", ValueError),
        (trial(), {"plate_cutoff": -1}, "plate_cutoff", ValueError),
        (short, {}, "trials", ValueError),
        (bare, {}, "markers", ValueError),
    ):
        given = {"marker_set": SET, **options}
        refused(lambda: jw.gait.gait_report(trials, **given), argument, error)


def test_one_error_names_all_markers_that_can_be_missing(file):
    markers = file.markers.only([])
    refused(lambda: jw.gait.lower_limbs(markers, jw.gait.Person(1.8, 70)), "markers")
    zeros = {name: 0 * file.markers[name] for name in ("LASI", "RASI")}
    places = np.stack([zeros.get(x, file.markers[x]) for x in file.markers.names], axis=1)
    dead = jw.recordings.Markers(file.markers.times, file.markers.names, places, {"Units": "m"})
    told = pytest.warns(UserWarning, match=r"\(0, 0, 0\) means .* LASI in 250 of 250 frames")
    with told, refusal("markers"):
        jw.gait.lower_limbs(dead, jw.gait.Person(1.8, 70), knee_width=0.1, ankle_width=0.07)


def test_plates_in_kilonewtons_carry_nobody(file):
    """Own arrays: what is returned is told in a line; a foot that no plate carries, too."""
    plates = [
        jw.recordings.ForcePlate(p.times, p.force / 1000, p.moment / 1000, vertical="z")
        for p in file.plates
    ]
    given = jw.gait.GaitTrial(file.markers, plates, file.events)
    right, left = (f"no whole step of the {side} foot on a plate" for side in ("right", "left"))
    with pytest.warns(UserWarning, match=right), pytest.warns(UserWarning, match=left):
        report = jw.gait.gait_report(given, mass=72.6, height=1.8)
    assert np.isnan(report.curves["knee_right_extension_moment"]).all()
    markers = file.markers.in_metres().between(0.5, 0.6)
    limbs = jw.gait.lower_limbs(markers, jw.gait.Person(1.8, 70.0))
    assert repr(limbs).startswith("LowerLimbs(pelvis, thigh_")
    assert repr(limbs.frames["pelvis"]) == "Poses(11 instants)"
    foot = repr(limbs.segments("left")[-1])
    assert foot == "MarkerSegment(foot_left: mass 1.015, joint ankle_left, 11 instants, in space)"
    assert repr(file) == "Recording(20 markers and 12 channels from 0 to 2.49, 8 events)"


def test_gaps_are_told_by_marker(file):
    places = file.markers.positions.copy()
    places[7:9, file.markers.names.index("LKNE")] = np.nan
    own = file.markers
    markers = jw.recordings.Markers(own.times, own.names, places, own.header)
    refused(lambda: jw.gait.lower_limbs(markers.in_metres(), jw.gait.Person(1.8, 70.0)), "markers")


@pytest.fixture(scope="module")
def file():
    return jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))


@pytest.fixture(scope="module")
def of_file(file):
    return jw.gait.gait_report(file)


def test_a_file_with_two_legs_and_two_plates(of_file):
    """Of the examples: markers of a treadmill's trial that walk through a room, and its plates."""
    report = of_file
    assert repr(report) == "GaitReport(1 left, 1 right cycles of 1 trials)"
    assert all(cycle.on_plate for cycle in report.cycles)
    found = report.parameters()
    for side in ("left", "right"):
        assert found[f"speed_{side}"][0] == pytest.approx(1.14, abs=0.02)  # the treadmill's
        assert found[f"knee_{side}_flexion_max"][0] == pytest.approx(65, abs=5)
        assert found[f"ankle_{side}_plantarflexion_moment_max"][0] == pytest.approx(1.55, abs=0.25)
        assert found[f"hip_{side}_extension_moment_min"][0] < -0.5
        swing = report.mean(f"ankle_{side}_plantarflexion_moment")[70:]
        assert np.abs(swing).max() < 0.05


def test_without_events(file, of_file):
    """A strike and an off are those of the plate, the next strike is that of the markers."""
    raw = SimpleNamespace(markers=file.markers, plates=file.plates, events=(), subject=file.subject)
    with pytest.warns(UserWarning, match="`trials` have no whole cycle of the left side, from str"):
        report = jw.gait.gait_report(raw)
    (cycle,) = report.of_side("right")
    (expected,) = of_file.of_side("right")
    assert (cycle.start, cycle.off) == pytest.approx(file.plates[0].contacts()[0])
    assert (cycle.start, cycle.off) == pytest.approx((expected.start, expected.off), abs=0.005)
    assert cycle.end == pytest.approx(expected.end, abs=0.03)


def test_the_file_is_what_its_script_makes(file, tmp_path):
    script = Path(__file__).parents[2] / "benchmarks" / "two_plates.py"
    runpy.run_path(str(script))["main"](tmp_path / "again.c3d")
    again = jw.recordings.read_c3d(tmp_path / "again.c3d")
    assert again.events == file.events
    assert_allclose(again.markers.positions, file.markers.positions, atol=0.01)  # mm
    assert_allclose(again.channels.array, file.channels.array, rtol=1e-5, atol=1)  # N, N mm
