"""What fibres give at their length and velocity, against OpenSim and against the papers' points."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw

DATA = Path(__file__).parents[1] / "data"
OPENSIM = json.loads((DATA / "opensim_muscle_strengths.json").read_text())
LIMB = (DATA / "muscles.osim").read_text()

#: What is set in the file, by the kind of muscle.
SET = {
    "Thelen2003Muscle": "<KshapeActive>0.5</KshapeActive> <Af>0.3</Af> <Flen>1.8</Flen>",
    "Millard2012EquilibriumMuscle": """
        <ActiveForceLengthCurve name="fal">
          <min_norm_active_fiber_length>0.3</min_norm_active_fiber_length>
          <transition_norm_fiber_length>0.7</transition_norm_fiber_length>
          <max_norm_active_fiber_length>1.7</max_norm_active_fiber_length>
          <shallow_ascending_slope>0.75</shallow_ascending_slope> <minimum_value>0</minimum_value>
        </ActiveForceLengthCurve>
        <ForceVelocityCurve name="fv">
          <concentric_slope_at_vmax>0.1</concentric_slope_at_vmax>
          <concentric_slope_near_vmax>0.3</concentric_slope_near_vmax>
          <isometric_slope>4</isometric_slope>
          <eccentric_slope_at_vmax>0.05</eccentric_slope_at_vmax>
          <eccentric_slope_near_vmax>0.2</eccentric_slope_near_vmax>
          <max_eccentric_velocity_force_multiplier>1.5</max_eccentric_velocity_force_multiplier>
        </ForceVelocityCurve>""",
    "DeGrooteFregly2016Muscle": "<active_force_width_scale>1.3</active_force_width_scale>",
}


def muscle(kind, words="", optimal=0.1, angle=0.3):
    """Return the limb's first muscle as one of another kind."""
    start, end = "<Thelen2003Muscle name", "</Thelen2003Muscle>"
    text = LIMB.replace(start, f"<{kind} name", 1).replace(end, f"{words}</{kind}>", 1)
    changes = ("optimal_fiber_length", "0.1", optimal), ("pennation_angle_at_optimal", "0.1", angle)
    for tag, old, new in changes:
        text = text.replace(f"<{tag}>{old}<", f"<{tag}>{new}<", 1)
    fast = f"<max_contraction_velocity>8</max_contraction_velocity></{kind}>"
    return jw.musculoskeletal.read_osim(text.replace(f"</{kind}>", fast, 1)).muscles["via"]


@pytest.mark.parametrize("kind", list(SET))
@pytest.mark.parametrize("which", ["usual", "set"])
def test_strengths_are_those_of_opensim(kind, which):
    """Theirs have seven digits; De Groote's are below zero there at high speeds, or when slack."""
    options = {} if which == "usual" else {"words": SET[kind], "optimal": 0.12, "angle": 0.0}
    found = muscle(kind, **options).strength(OPENSIM["lengths"], OPENSIM["rates"])
    theirs = np.maximum(OPENSIM[which][kind], 0)
    if kind.startswith("DeGroote"):
        theirs[np.array(OPENSIM["lengths"]) < 0.2] = 0
    assert_allclose(found, theirs, atol=1e-7)
    assert found.max() > 1.1


def test_points_of_the_curves():
    """Millard's plateau and ends, and his curves where there is no damping."""
    millard = muscle("Millard2012EquilibriumMuscle").curves
    assert_allclose(millard.force_length(np.array([0.1, 0.4441, 1.8123, 3.0])), 0, atol=1e-15)
    assert_allclose(millard.force_velocity(np.array([-2, -1, 1, 2])), [0, 0, 1.4, 1.4], atol=1e-15)
    hill = muscle("Millard2012EquilibriumMuscle", "<fiber_damping>0</fiber_damping>").curves
    assert hill.force_length(np.array(3.0)) == 0.1
    assert hill.slopes == (0.125, 0.25, 5.0, 0.15, 0.075)


def test_numbers_that_are_none():
    own = muscle("Thelen2003Muscle")
    assert np.isnan(own.strength([np.nan, 0.1, 0.3], [0.0, np.nan, np.nan])).all()
    assert own.strength(0.1, 0.0) == 0.0


def test_straight_fibers_that_may_not_turn():
    """A largest pennation of zero: the shortest fibre is a hundredth of the optimal length."""
    words = "<maximum_pennation_angle>0</maximum_pennation_angle>"
    stiff, free = (muscle("Thelen2003Muscle", text, angle=0.0) for text in (words, ""))
    lengths, rates = OPENSIM["lengths"], OPENSIM["rates"]
    assert_allclose(stiff.strength(lengths, rates), free.strength(lengths, rates), atol=1e-15)
    assert stiff.largest_pennation_angle == 0


def test_muscles_of_unknown_kind_are_refused_by_name():
    text = LIMB.replace("Thelen2003Muscle", "Schutte1993Muscle_Deprecated")
    model = jw.musculoskeletal.read_osim(text)
    motion = [np.zeros(4)] * 3
    with refusal("physiology"):
        jw.musculoskeletal.static_optimization(model, motion, physiology=True)
    refused(lambda: model.muscles["via"].strength(0.3, 0.0), "muscle")
