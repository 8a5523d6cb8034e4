"""Filters: against scipy used by itself, against dense algebra, and on motions with known noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refused
from scipy.integrate import trapezoid
from scipy.interpolate import make_smoothing_spline
from scipy.signal import butter, filtfilt

from jointwrench.signals.cutoffs import residual_analysis
from jointwrench.signals.filters import (
    butterworth,
    cutoff_correction,
    natural_spline,
    smoothing_spline,
)
from jointwrench.signals.smoothing_splines import Penalty

T = np.linspace(0, 4, 401)
UNEVEN = np.delete(T, 7)


def motion(times):
    """Return a smooth motion with its first two derivatives."""
    w, v = 2 * np.pi, 4.4 * np.pi
    q = np.sin(w * times) + 0.3 * np.cos(v * times)
    u = w * np.cos(w * times) - 0.3 * v * np.sin(v * times)
    return q, u, -(w**2) * np.sin(w * times) - 0.3 * v**2 * np.cos(v * times)


def test_butterworth_correction_of_the_cutoff():
    assert cutoff_correction() == pytest.approx(0.802, abs=5e-4)
    assert cutoff_correction(passes=1) == 1


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("cutoff", [3.0, 12.0, 40.0])
def test_butterworth_half_the_power_is_left_at_the_cutoff(order, cutoff):
    t = np.linspace(0, 10, 1001)
    wave = np.exp(2j * np.pi * cutoff * t)
    left = butterworth(t, wave.real, cutoff, order) + 1j * butterworth(t, wave.imag, cutoff, order)
    middle = left[400:600] / wave[400:600]
    assert_allclose(middle, np.sqrt(0.5), atol=1e-6)  # no phase: the ratio is real


def test_butterworth_is_scipys_filter(rng):
    noisy = motion(T)[0] + rng.normal(scale=0.01, size=T.shape)
    of_pass = 100 / np.pi * np.arctan(np.tan(np.pi * 6 / 100) / cutoff_correction())
    plain = filtfilt(*butter(2, of_pass, fs=100), noisy)
    assert_allclose(butterworth(T, noisy, 6.0)[60:-60], plain[60:-60], atol=1e-9)


def test_butterworth_columns_are_independent(rng):
    values = rng.normal(size=(401, 3))
    together = butterworth(T, values, 6.0)
    for k in range(3):
        assert_allclose(together[:, k], butterworth(T, values[:, k], 6.0))


def test_butterworth_straight_lines_pass():
    assert_allclose(butterworth(T, 3 * T + 1, 5.0), 3 * T + 1, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "argument", "error"),
    [
        *(({"cutoff": cutoff}, "cutoff", ValueError) for cutoff in (50.0, 80.0, 0.0, -1.0)),
        ({"times": T[:15], "values": T[:15]}, "times", ValueError),
        ({"times": UNEVEN, "values": UNEVEN}, "times", ValueError),
        ({"values": np.where(T == 0, np.nan, T)}, "values", ValueError),
        ({"order": 1.5}, "order", TypeError),
        ({"order": 0}, "order", ValueError),
    ],
)
def test_butterworth_refuses(changes, argument, error):
    given = {"times": T, "values": T, "cutoff": 6.0} | changes
    refused(lambda: butterworth(**given), argument, error)


#: A noisy signal at 100 Hz, and some samples of what OpenSim 4.6 makes of it (pad by half, then
#: lowpassIIR at 6 Hz).
NOISY = np.fromstring(
    """
0.0408 0.0218 0.1539 0.2061 0.2793 0.3536 0.3854 0.487 0.5379 0.6826 0.6787 0.7221 0.775
0.8151 0.8514 0.9046 0.9577 0.9746 1.0252 1.0242 1.0459 1.0888 1.0764 1.0581 1.0624 1.0698
1.0858 1.0251 1.0043 1.0035 0.9355 0.913 0.898 0.8496 0.7939 0.7562 0.6338 0.6555 0.558 0.4837
0.4605 0.4053 0.3173 0.2387 0.1941 0.1255 0.0878 0.0081 -0.0688 -0.1152 -0.2049 -0.2809
-0.3103 -0.3676 -0.4382 -0.5013 -0.5296 -0.6291 -0.6068 -0.6483
""",
    sep=" ",
)
OPENSIM = {0: 0.040577, 8: 0.546186, 16: 0.949229, 24: 1.074536, 32: 0.880467, 40: 0.448633}
OPENSIM |= {48: -0.069417, 56: -0.526929, 59: -0.648409}


def test_filters_opensims_numbers():
    """Its first three samples are not filtered: what that does has died out but for 1e-3."""
    rows, theirs = [*OPENSIM], [*OPENSIM.values()]
    filters = "opensim", "winter", "visual3d", "filtfilt"
    ours = {x: butterworth(T[:60], NOISY, 6.0, filter=x)[rows] for x in filters}
    off = {x: np.abs(own - theirs).max() for x, own in ours.items()}
    assert off.pop("opensim") < 1e-3
    assert min(off.values()) > 2e-3


def test_filters_visual3ds_algorithm():
    """As its documentation has it, by Winter's recursive equations, loop by loop."""
    signal = NOISY
    line = np.linspace(signal[0], signal[-1], 60)
    level = signal - line
    padded = [*-level[6:0:-1], *level, *-level[-2:-8:-1]]
    w = np.tan(np.pi * 6 / 100) / 0.8022  # Winter's C
    k = np.sqrt(2) * w
    a0 = w**2 / (1 + k + w**2)
    b1, b2 = 2 * a0 * (1 / w**2 - 1), 1 - 4 * a0 - 2 * a0 * (1 / w**2 - 1)
    for _ in ("there", "back"):
        x1 = x2 = y1 = y2 = padded[0]
        passed = []
        for x in padded:
            y = a0 * (x + 2 * x1 + x2) + b1 * y1 + b2 * y2
            x1, x2, y1, y2 = x, x1, y, y1
            passed.append(y)
        padded = passed[::-1]
    expected = np.array(padded)[6:-6] + line
    assert_allclose(butterworth(T[:60], signal, 6.0, filter="visual3d"), expected, atol=1e-5)


def test_smoothing_spline_cubic_is_scipys(rng):
    t = np.sort(rng.uniform(0, 3, 150))
    y = np.sin(3 * t) + rng.normal(scale=0.05, size=150)
    step = (t[-1] - t[0]) / 149
    ours = Penalty(t, 2).fit(y, 1e-3 / step**3)
    assert_allclose(ours, make_smoothing_spline(t, y, lam=1e-3)(t), atol=1e-9)
    chosen = smoothing_spline(t, y, half_order=2)
    between = np.linspace(t[0], t[-1], 777)
    assert_allclose(chosen.spline(between), make_smoothing_spline(t, y)(between), atol=2e-4)


@pytest.mark.parametrize("half_order", [2, 3])
def test_smoothing_spline_trace_is_that_of_the_matrix(half_order, rng):
    t = np.sort(rng.uniform(0, 3, 40))
    penalty = Penalty(t, half_order)
    hat = np.stack([penalty.fit(row, 17.0) for row in np.eye(40)], axis=1)
    assert_allclose(hat, hat.T, atol=1e-10)
    assert penalty._trace(17.0) == pytest.approx(np.trace(np.eye(40) - hat), rel=1e-7)


def test_smoothing_spline_quintic_minimises_what_it_says(rng):
    t = np.sort(rng.uniform(0, 1, 12))
    y = rng.normal(size=12)
    penalty, weight = Penalty(t, 3), 0.5

    def cost(values):
        third = natural_spline((t - t[0]) / penalty._step, values).derivative(3)
        grid = np.linspace(0, 11, 20001)
        return ((y - values) ** 2).sum() + weight * trapezoid(third(grid) ** 2, grid)

    best = penalty.fit(y, weight)
    for k in range(12):
        step = 1e-4 * np.eye(12)[k]
        slope = (cost(best + step) - cost(best - step)) / 2e-4
        assert abs(slope) < 1e-5


def test_smoothing_spline_parabolas_pass():
    assert_allclose(smoothing_spline(T, T**2, cutoff=5.0).values, T**2, atol=1e-7)


def test_smoothing_spline_half_the_power_is_left_at_the_cutoff():
    t = np.linspace(0, 10, 1001)
    smooth = smoothing_spline(t, np.sin(2 * np.pi * 6 * t), cutoff=6.0)
    assert smooth.values[400:600].max() == pytest.approx(np.sqrt(0.5), abs=5e-3)
    assert smooth.cutoff == pytest.approx([6.0])


def test_smoothing_spline_ends_are_natural(rng):
    spline = smoothing_spline(T, rng.normal(size=401), cutoff=10.0).spline
    for order in (3, 4):
        assert_allclose(spline.derivative(order)(T[[0, -1]]), 0, atol=1e-3)


def test_smoothing_spline_uneven_times(rng):
    t = np.sort(rng.uniform(0, 4, 400))
    smooth = smoothing_spline(t, motion(t)[0] + rng.normal(scale=1e-3, size=400))
    at = np.linspace(0.3, 3.7, 100)
    assert_allclose(smooth.spline.derivative()(at), motion(at)[1], atol=0.1)


def test_smoothing_spline_refuses():
    refused(lambda: smoothing_spline(T[:7], T[:7]), "times")


def test_residual_analysis_finds_noise_and_cutoff(rng):
    found = residual_analysis(T, motion(T)[0] + rng.normal(scale=0.02, size=T.shape))
    assert found.noise == pytest.approx([0.02], rel=0.15)
    assert 2.2 < found.cutoff[0] < 8
    assert found.residuals.shape == (len(found.cutoffs), 1)


def test_residual_analysis_more_noise_wants_a_lower_cutoff(rng):
    noise = rng.normal(size=T.shape)
    values = np.stack([motion(T)[0] + s * noise for s in (0.002, 0.1)], axis=-1)
    low, high = residual_analysis(T, values).cutoff[::-1]
    assert low < high


def test_residual_analysis_refuses():
    refused(lambda: residual_analysis(T, T, [1, 2]), "cutoffs")
    for times in (T[:7], UNEVEN):
        refused(lambda: residual_analysis(times, times), "times")
