"""Markers by themselves: parts of records, gaps, filters."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused

import jointwrench as jw
from jointwrench.recordings.marker_paths import Markers

T = np.linspace(0, 2, 201)


@pytest.fixture
def markers(rng):
    """Two markers: of HEEL a hole, of TOE the first and last rows are missing."""
    places = np.stack([np.stack([np.sin(k * T), T, 0 * T], -1) for k in (2, 3)], axis=1)
    places += rng.normal(scale=1e-4, size=places.shape)
    places[50:55, 0] = np.nan
    places[:20, 1] = places[-3:, 1] = np.nan
    return Markers(T, ("HEEL", "TOE"), places, {"Units": "m"})


def test_filled_and_smoothed(markers):
    found = markers.smoothed(cutoff=8.0, max_gap=0.1)
    assert_allclose(found["HEEL"][:, 0], np.sin(2 * T), atol=4e-3)
    assert np.isnan(found["TOE"][:20]).all()
    assert np.isnan(found["TOE"][-3:]).all()
    assert_allclose(found["TOE"][20:-3, 0], np.sin(3 * T[20:-3]), atol=4e-3)
    assert found.header == {"Units": "m"}
    alone = jw.signals.butterworth(T[20:-3], markers["TOE"][20:-3], 8.0)
    assert_allclose(found["TOE"][20:-3], alone, atol=1e-9)


def test_filled_only(markers):
    found = markers.smoothed()
    known = np.isfinite(markers["HEEL"][:, 0])
    assert_allclose(found["HEEL"][known], markers["HEEL"][known], atol=1e-9)
    assert_allclose(found["HEEL"][50:55, 0], np.sin(2 * T[50:55]), atol=4e-3)


def test_at_another_rate(markers):
    found = markers.smoothed(cutoff=8.0, rate=50.0)
    assert len(found.times) == 101
    assert np.isnan(found["TOE"][:10]).all()
    assert np.isfinite(found["TOE"][10:-2]).all()


def test_parts(markers):
    found = markers.between(0.2, 1.9).only(["TOE"])
    assert found.names == ("TOE",)
    assert_allclose(found.times[[0, -1]], [0.2, 1.9])
    assert np.isfinite(found.positions).all()
    assert len(markers.between(0.5, 0.5).times) == 1


def test_refuses(markers):
    refused(lambda: markers.smoothed(jw.signals.Smoothing(cutoff=8.0)), "positions")
    refused(lambda: markers.smoothed(max_gap=0.01), "positions")
    assert np.isnan(markers.between(0, 0.1).smoothed()["TOE"]).all()


def test_a_marker_at_zero_is_missing(markers):
    """Three frames of (0, 0, 0) are a gap like one of NaN; where all is there, it is a place."""
    places = markers.positions.copy()
    places[60:63, 0] = 0
    dead, gap = places, np.where(places == 0, np.nan, places)
    with pytest.warns(UserWarning, match=r"`markers`: \(0, 0, 0\) .* HEEL in 3 of 201 frames"):
        found = Markers(T, markers.names, dead).smoothed()
    assert_array_equal(found.positions, Markers(T, markers.names, gap).smoothed().positions)
    assert not Markers(T, ["HEEL"], np.zeros((201, 1, 3))).smoothed()["HEEL"].any()


@pytest.mark.parametrize("look_up", [lambda m: m["HEEL"], lambda m: m.only(["HEEL"])])
def test_a_name_of_two_markers_is_refused(markers, look_up):
    """By name; by column both are there, and renamed as the message says."""
    twice = Markers(T, ("HEEL", "HEEL"), markers.positions)
    refused(lambda: look_up(twice), "names")
    assert_array_equal(twice.only([1]).positions[:, 0], markers["TOE"])
    look_up(dataclasses.replace(twice, names=["HEEL", "another"]))


def test_rounded_times_are_those_that_they_mean(markers):
    """So that what is made of them, and plates at their times, go together."""
    even = np.arange(201) / 60
    printed = Markers(np.round(even, 3), markers.names, markers.positions, markers.header)
    with pytest.warns(
        UserWarning, match="`times` are rounded to 0.001 and taken as even sampling: 60"
    ):
        found = printed.smoothed()
    assert_allclose(found.times, even, atol=1e-12)
