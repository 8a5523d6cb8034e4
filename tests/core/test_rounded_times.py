"""Times that print has rounded: accepted with the sampling rate that they mean, and said so."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import jointwrench as jw
from jointwrench.records.instants import check_sample_times


def meant(times):
    with pytest.warns(UserWarning, match="`t` are rounded to .* and taken as even sampling"):
        return check_sample_times("t", times)


@pytest.mark.parametrize(
    ("rate", "decimals"),
    [(70, 3), (120, 3), (60, 3), (30, 3), (59.94, 3), (1200, 4), (14.7, 2), (240, 3), (0.07, 0)],
)
@pytest.mark.parametrize("count", [40, 1000])
@pytest.mark.parametrize("first", [0, 1, 12345])
def test_the_sampling_rate_is_found(rate, decimals, count, first):
    exact = (first + np.arange(count)) / rate
    found = meant(np.round(exact, decimals))
    assert_allclose(found, exact, atol=0.5001 * 10.0**-decimals, rtol=0)
    assert_allclose(np.diff(found), 1 / rate, rtol=1e-3 if count == 40 else 1e-5)
    if first == 0 or count == 1000:
        assert_allclose(found, exact, atol=1e-3 / rate)


def test_the_warning_tells_rate_and_start():
    times = np.round(np.arange(1, 60) / 70, 3)
    assert times[:3].tolist() == [0.014, 0.029, 0.043]
    words = (
        r"rounded to 0\.001 .*: 70 samples .* from 0\.0142857143 on\. .* numpy\.arange\(59\) / 70"
    )
    with pytest.warns(UserWarning, match=words):
        check_sample_times("t", times)


def test_cut_off_digits_are_rounding_too():
    exact = np.arange(200) / 70
    assert_allclose(np.diff(meant(np.floor(exact * 1000) / 1000)), 1 / 70)


@pytest.mark.parametrize(
    "times",
    [
        np.delete(np.arange(100) / 100, 7),  # a missing sample
        np.delete(np.round(np.arange(100) / 70, 3), 50),
        np.round(np.arange(100) / 60, 2),  # steps of one or two last digits: may miss samples
        np.round(np.sort(np.random.default_rng(0).uniform(0, 1, 50)), 4),
        np.round(np.arange(100) / 70, 3) + 0.002 * (np.arange(100) == 40),
        np.cumsum(np.random.default_rng(0).uniform(0.9, 1.1, 50)),
        np.arange(100) / 70,
        np.arange(100) * 0.01,
        np.array([0.0, 0.014, 0.029]),
    ],
)
def test_all_others_stay_as_they_are(times):
    found = check_sample_times("t", times)
    assert (found == times).all()


class TestWhereTimesAreTaken:
    """Exact times give the same, but for the warning."""

    EXACT = np.arange(140) / 70
    PRINTED = np.round(EXACT, 3)
    WORDS = r"`times` are rounded to 0\.001 .*: 70 samples"

    def test_filters(self):
        values = np.sin(3 * self.EXACT)
        for function in (
            lambda t: jw.signals.butterworth(t, values, 6.0),
            lambda t: jw.signals.smoothing_spline(t, values, 6.0).values,
            lambda t: jw.signals.residual_analysis(t, values).residuals,
        ):
            with pytest.warns(UserWarning, match=self.WORDS):
                found = function(self.PRINTED)
            assert_allclose(found, function(self.EXACT))

    @pytest.mark.parametrize("options", [{}, {"cutoff": 6.0}, {"rate": 70}])
    def test_motions_with_their_plates(self, options):
        chain = jw.SerialChain.planar(1)
        reaction = jw.ExternalWrench(chain, 0, components="fy")
        idyn = jw.InverseDynamics(chain.system)
        evaluate = idyn.compile(backend="numpy", constants=dict.fromkeys(idyn.constants, 1))
        force = np.stack([0 * self.EXACT, np.cos(self.EXACT), 0 * self.EXACT], -1)
        results = []
        for times in (self.EXACT, self.PRINTED):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                motion = jw.Trajectory.from_samples(times, np.sin(3 * self.EXACT), **options)
                plate = jw.recordings.ForcePlate(times, force)
            assert len(caught) == (2 if times is self.PRINTED else 0)
            results.append(evaluate(motion, specifieds=reaction.specifieds(plate)))
        assert_allclose(results[1].joint_wrenches, results[0].joint_wrenches)
        assert_allclose(motion.times, self.EXACT)
