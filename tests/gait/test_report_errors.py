"""Error bars and normal curves of reports."""

from dataclasses import replace

import numpy as np
import pytest
from made_walk import MEDIAL, NAMES
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal, refused
from test_gait_report import trial

import jointwrench as jw
from jointwrench.gait import report_errors
from jointwrench.gait.report_errors import perturb_trials

SET = {**NAMES, **MEDIAL}
GIVEN = {"marker_set": SET, "cutoff": 15.0}
ERRORS = {"markers": 0.01, "segments": 0.1, "gain": 0.01, "center_of_pressure": 0.005}


def change(one, moved):
    """Return by how much mean curves differ from those of a report of the trial as it is."""
    other = jw.gait.gait_report(moved, **GIVEN, audit="warn")
    return {name: other.mean(name) - one.mean(name) for name in one.curves}


#: Two of the markers: all of them take two seconds.
FEW = ("LKNE", "RTOE")


@pytest.fixture(scope="module")
def report():
    """The report with errors, of markers those of a few alone."""
    with pytest.MonkeyPatch.context() as patch:
        few = lambda *given: perturb_trials(*given[:-1], FEW)  # noqa: E731
        patch.setattr(report_errors, "perturb_trials", few)
        return jw.gait.gait_report(trial(), **GIVEN, errors=ERRORS)


@pytest.mark.slow
def test_a_gain_scales_what_the_ground_does(report):
    heavier = trial()
    given = ((p.times, 1.01 * p.force, 1.01 * p.moment, None, p.vertical) for p in heavier.plates)
    heavier.plates = tuple(jw.recordings.ForcePlate(*x) for x in given)
    expected = change(report, heavier)
    for name in ("ankle_left_plantarflexion_moment", "knee_right_extension_moment"):
        assert np.nanmax(np.abs(expected[name])) > 1e-4
        # each foot is on one plate, so of the two gains one changes its curves
        assert_allclose(report.errors[name]["gain"], np.abs(expected[name]), atol=2e-6)
    assert_allclose(report.errors["knee_left_flexion"]["gain"], 0, atol=1e-12)


@pytest.mark.slow
def test_segments_are_those_of_the_table(report):
    person, squares, curve = jw.gait.Person(1.75, 70.0), 0.0, "hip_left_extension_moment"
    for name in ("thigh", "shank", "foot"):
        for word in ("mass", "center", "radius"):
            row = person.table[name]
            value = 1.1 * np.asarray(getattr(row, word))
            row = replace(row, **{word: tuple(value) if value.ndim else float(value)})
            table = person.table.with_rows(**{name: row})
            other = jw.gait.gait_report(trial(), **GIVEN, table=table)
            squares += (other.mean(curve) - report.mean(curve)) ** 2
    found = report.errors[curve]["segments"]
    assert_allclose(found, np.sqrt(squares), rtol=0.1, atol=2e-3)  # the first order
    assert found.max() > 0.01


@pytest.mark.parametrize("of_all", [False, *slow([True])])
def test_markers_elsewhere(report, of_all):
    """One after the other along each axis: all by ten millimetres, or a few by two."""
    size = 0.01 if of_all else 0.002
    if of_all:
        report = jw.gait.gait_report(trial(), **GIVEN, errors={"markers": 0.01})
    names = ("knee_left_flexion", "hip_left_extension_moment", "ankle_left_plantarflexion_moment")
    squares = dict.fromkeys(names, 0.0)
    first = trial()
    for marker in first.markers.names if of_all else FEW:
        for axis in range(3):
            moved = trial()
            positions = moved.markers.positions.copy()
            positions[:, moved.markers.names.index(marker), axis] += size
            moved.markers = replace(moved.markers, positions=positions)
            changes = change(report, moved)
            squares = {name: x + changes[name] ** 2 for name, x in squares.items()}
    for name in names:
        found = report.errors[name]["markers"] * size / 0.01
        assert_allclose(found, np.sqrt(squares[name]), rtol=0.1, atol=3e-3)


def test_all_kinds_together(report):
    for name, parts in report.errors.items():
        assert set(parts) == set(ERRORS)
        whole = np.sqrt(sum(x**2 for x in parts.values()))
        assert_allclose(report.error(name), whole)
        assert whole.shape == (101,)
    assert_allclose(report.error("knee_left_extension"), report.error("knee_left_flexion"))
    table = report.to_table()
    assert_allclose(table["knee_left_flexion_error"], report.error("knee_left_flexion"))


def test_errors_last(report):
    """They are the same for twice as many trials, and twice as large for twice the deviation."""
    two = jw.gait.gait_report([trial(), trial()], **GIVEN, errors={"gain": 0.02})
    name = "ankle_left_plantarflexion_moment"
    assert_allclose(two.errors[name]["gain"], 2 * report.errors[name]["gain"], atol=1e-9)


def test_plates_that_only_one_trial_has():
    """What a trial lacks does nothing there."""
    bare = trial()
    bare.plates = ()
    found = jw.gait.gait_report([trial(), bare], **GIVEN, errors={"gain": 0.01})
    name = "ankle_left_plantarflexion_moment"
    alone = jw.gait.gait_report(trial(), **GIVEN, errors={"gain": 0.01})
    assert_allclose(found.errors[name]["gain"], alone.errors[name]["gain"], atol=1e-9)


NORMAL = {"knee_flexion": (np.full(101, 20.0), np.full(101, 4.0))}


@pytest.fixture(scope="module")
def compared():
    return jw.gait.gait_report(trial(), **GIVEN, normal=NORMAL)


def test_normal_in_tables(compared):
    table = compared.to_table()
    assert_allclose(table["knee_right_flexion_normal_mean"], 20)
    assert_allclose(table["knee_right_flexion_normal_sd"], 4)
    assert "hip_left_flexion_normal_mean" not in table.names
    mean, spread = compared.normal_of("knee_left_extension")
    assert_allclose([mean, spread], [np.full(101, -20), np.full(101, 4)])
    score = compared.parameters()["knee_left_flexion_variable_score"]
    rows = compared.curves["knee_left_flexion"]
    expected = np.sqrt(np.mean((rows - 20) ** 2, axis=1))
    assert score == (pytest.approx(expected.mean()), pytest.approx(expected.std(ddof=1)), 2)


def test_normal_of_one_side():
    own = {"knee_left_flexion": (np.zeros(101), np.ones(101))}
    found = jw.gait.gait_report(trial(), **GIVEN, normal=NORMAL | own)
    assert found.normal_of("knee_left_flexion")[0][0] == 0
    assert found.normal_of("knee_right_flexion")[0][0] == 20


def test_normal_in_the_figure(report, compared):
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = jw.gait.plot_gait_report(compared)
    assert "normal, ± 1 standard deviation" in axes[0, 1].get_legend_handles_labels()[1]
    assert [ax.get_ylabel() for ax in axes[2]] == ["total power / (W/kg)"] * 3
    texts = [text.get_text() for text in axes[0, 0].figure.legends[0].get_texts()]
    assert len(texts) == len(set(texts)) == 3
    figure = jw.gait.plot_gait_report(report)[0, 0].figure
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[1] == "± 1 standard deviation by markers, segments, gain, center of pressure"
    assert texts[0] == "left, 2 cycles (moments: n = 1)"
    assert len(texts) == 3
    plt.close("all")


def test_refused(report):
    refused(lambda: jw.gait.gait_report(trial(), **GIVEN, errors={"shoes": 0.01}), "errors")
    refused(lambda: jw.gait.gait_report(trial(), **GIVEN, errors={"gain": -0.01}), "errors")
    with refusal("normal"):
        jw.gait.gait_report(trial(), **GIVEN, normal={"knee_flexion": np.zeros(101)})
    without = jw.gait.GaitReport((), report.curves, 70.0)
    refused(lambda: without.error("knee_left_flexion"), "errors")
