"""Sampled motions: what comes out, and what is refused, by name of column and row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused
from scipy.spatial.transform import Rotation
from sympy import sin
from sympy.physics.mechanics import dynamicsymbols

import jointwrench as jw
from jointwrench.motion.prescribed_motion import PrescribedMotion
from jointwrench.motion.trajectory import Trajectory
from jointwrench.signals.filters import cutoff_correction
from jointwrench.signals.smoothing import ENDS

T = np.linspace(0, 2, 201)
ANGLES = np.stack([np.sin(2 * T), 0.3 * np.cos(3 * T)], -1)
t = dynamicsymbols._t


@pytest.fixture(scope="module")
def arm():
    return jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)


@pytest.fixture(scope="module")
def ball():
    segment = jw.Segment("S", 1, 1, inertia=(0.1, 0.2, 0.3), joint="quaternion")
    return jw.InverseDynamics(jw.SerialChain([segment]).system)


class TestFromSamples:
    def test_derivatives_agree_at_any_time(self):
        motion = Trajectory.from_samples(T, ANGLES)
        at = np.linspace(0.1, 1.9, 33)
        q, u, udot = motion.at(at)
        assert_allclose(q[:, 0], np.sin(2 * at), atol=1e-9)
        assert_allclose(u[:, 0], 2 * np.cos(2 * at), atol=1e-7)
        assert_allclose(udot[:, 1], -2.7 * np.cos(3 * at), atol=1e-4)
        assert_allclose(motion.at(T[5]).q, motion.q[5])

    @pytest.mark.parametrize(
        "options",
        [{"cutoff": 12.0}, {"smoothing": "spline"}, {"smoothing": "spline", "cutoff": 12}],
    )
    def test_smooths(self, options, rng):
        noisy = ANGLES + rng.normal(scale=1e-3, size=ANGLES.shape)
        motion = Trajectory.from_samples(T, noisy, **options)
        inner = slice(30, -30)
        assert np.abs(motion.q - ANGLES)[inner].max() < 2e-3
        assert np.abs(motion.u[:, 0] - 2 * np.cos(2 * T))[inner].max() < 0.1

    PARTS = ({"cutoff": 12.0, "order": 3, "rate": 80.0}, {"smoothing": "spline", "cutoff": 12})
    PARTS += ({"gaps": "fill", "max_gap": 0.06},)

    @pytest.mark.parametrize("parts", PARTS)
    def test_one_object_for_what_its_parts_say(self, parts):
        holes = ANGLES.copy()
        if "gaps" in parts:
            holes[20:24] = np.nan
        expected = Trajectory.from_samples(T, holes, **parts)
        record = {"method" if name == "smoothing" else name: x for name, x in parts.items()}
        found = Trajectory.from_samples(T, holes, smoothing=jw.signals.Smoothing(**record))
        assert_allclose(found.times, expected.times, rtol=0, atol=0)
        assert_allclose(found.udot, expected.udot, rtol=0, atol=0)

    def test_nothing_is_said_twice_or_misspelt(self):
        smoothing = jw.signals.Smoothing(cutoff=6.0)
        refused(lambda: Trajectory.from_samples(T, ANGLES, smoothing=smoothing, order=2), "order")
        refused(lambda: Trajectory.from_samples(T, ANGLES, cutof=6.0), None, TypeError)

    def test_columns_go_by_name_symbol_or_dataframe(self, arm):
        pandas = pytest.importorskip("pandas")
        by_symbol = dict(zip(arm.coordinates, ANGLES.T, strict=True))
        swapped = {"q_1": ANGLES[:, 1], "q_0": ANGLES[:, 0]}
        for given in (by_symbol, swapped, pandas.DataFrame(swapped)):
            motion = Trajectory.from_samples(T, given, idyn=arm)
            assert_allclose(motion.q, ANGLES, atol=1e-12)
            assert motion.names == ("q_0", "q_1")

    def test_is_the_motion_of_the_formulas(self, arm):
        formulas = {"q_0": sin(2 * t), "q_1": 0.3 * sin(3 * t)}
        exact = Trajectory.from_formulas(arm, formulas, T)
        sampled = Trajectory.from_samples(T, exact.q, idyn=arm)
        for a, b in zip(exact.at(T[20:-20]), sampled.at(T[20:-20]), strict=True):
            assert_allclose(a, b, atol=1e-5)
        assert_allclose(exact.at(0.77).udot, PrescribedMotion(arm, formulas).at(0.77).udot)

    def test_measured_speeds(self):
        motion = Trajectory.from_samples(T, ANGLES, speeds=7 * ANGLES)
        assert_allclose(motion.u, 7 * ANGLES, atol=1e-12)
        assert_allclose(motion.udot[:, 0], 14 * np.cos(2 * T), atol=2e-3)

    def test_fills_gaps(self):
        holes = ANGLES.copy()
        holes[50:54, 1] = np.nan
        motion = Trajectory.from_samples(T, holes, gaps="fill", max_gap=0.06)
        assert_allclose(motion.q, ANGLES, atol=1e-6)

    def test_unwraps_around_gaps(self):
        wrapped = (4 * T + np.pi) % (2 * np.pi) - np.pi
        wrapped[100:103] = np.nan
        motion = Trajectory.from_samples(T, wrapped, unwrap=True, gaps="fill", degrees=False)
        assert_allclose(motion.q[:, 0], 4 * T, atol=1e-9)

    def test_converts_degrees(self):
        motion = Trajectory.from_samples(T, np.degrees(ANGLES), degrees=True)
        assert_allclose(motion.q, ANGLES, atol=1e-12)
        one = np.stack([np.degrees(ANGLES[:, 0]), ANGLES[:, 1]], -1)
        for names in (["q_0"], [0], [np.int64(0)], "q_0"):
            found = Trajectory.from_samples(T, one, degrees=names)
            assert_allclose(found.q, ANGLES, atol=1e-12)

    def test_whole_numbers_are_not_cut_off(self):
        whole = np.arange(10)
        motion = Trajectory.from_samples(whole, 10 * whole, degrees=True)
        assert_allclose(motion.q[:, 0], np.radians(10 * whole), atol=1e-12)
        turned = Trajectory.from_samples(whole[:7], np.array([0, 1, 2, 3, -3, -2, -1]), unwrap=True)
        assert_allclose(turned.q[4, 0], 2 * np.pi - 3)

    def test_speeds_go_by_the_names_of_the_coordinates(self):
        angles = dict(zip(("hip", "knee"), ANGLES.T, strict=True))
        motion = Trajectory.from_samples(T, angles, {"knee": 7 * T, "hip": T})
        assert_allclose(motion.u, np.stack([T, 7 * T], -1), atol=1e-12)

    def test_resamples_uneven_times_and_trims(self):
        uneven = np.delete(T, [3, 50, 51, 120])
        motion = Trajectory.from_samples(uneven, np.sin(2 * uneven), rate=50, cutoff=10.0, trim=0.2)
        assert_allclose(np.diff(motion.times), 0.02)
        assert motion.times[[0, -1]] == pytest.approx([0.2, 1.8])
        assert_allclose(motion.q[:, 0], np.sin(2 * motion.times), atol=2e-3)


class TestQuaternions:
    def rotations(self):
        return Rotation.from_rotvec(np.stack([np.sin(2 * T), np.cos(3 * T) - 1, T], -1))

    def test_angular_velocity(self, ball, rng):
        turns = self.rotations()
        signs = rng.choice([-1.0, 1.0], size=(len(T), 1))
        motion = Trajectory.from_samples(T, signs * turns.as_quat()[:, [3, 0, 1, 2]], idyn=ball)
        assert_allclose(np.linalg.norm(motion.at(T[:-1] + 0.004).q, axis=-1), 1)
        steps = (turns[:-2].inv() * turns[2:]).as_rotvec() / 0.02  # central difference, order 2
        assert_allclose(motion.u[1:-1], steps, atol=3e-3)
        slopes = np.gradient(motion.u, T, axis=0)
        assert_allclose(motion.udot[5:-5], slopes[5:-5], atol=2e-2)

    def test_gaps_next_to_changes_of_sign(self, rng):
        turns = self.rotations().as_quat()
        given = turns * rng.choice([-1.0, 1.0], size=(len(T), 1))
        given[50:53, 1] = np.nan
        given[90] = np.nan
        motion = Trajectory.from_samples(T, given, quaternions=[range(4)], gaps="fill")
        assert_allclose(np.abs((motion.q * turns).sum(axis=-1)), 1)
        given[90] = 1, 0, 0, 0
        refused(lambda: Trajectory.from_samples(T, given, quaternions=[range(4)]), "coordinates")

    def test_refuses_other_lengths(self, ball):
        turns = self.rotations().as_quat()
        turns[9] *= 1.5
        refused(lambda: Trajectory.from_samples(T, turns, idyn=ball), "coordinates")


class TestOtherWays:
    def test_from_callables(self, arm):
        def q(s):
            return np.stack([np.sin(s), np.cos(s)], -1)

        def u(s):
            return np.stack([np.cos(s), -np.sin(s)], -1)

        names = ("hip", "knee")
        exact = Trajectory.from_callables(T, q, u, lambda s: -q(s), names=names)
        assert_allclose(exact.udot, -q(T))
        assert exact.names == names
        for idyn in (None, arm):
            motion = Trajectory.from_callables(T, q, idyn=idyn, names=names)
            assert motion.names == names
            assert_allclose(motion.at(0.777).u, u(0.777), atol=1e-8)
        refused(lambda: Trajectory.from_callables(T, q, names=["hip"]), "q")
        refused(lambda: Trajectory.from_callables(T, q, u), "u")
        refused(lambda: Trajectory.from_callables(T, lambda s: q(s).T, u, u), "q")

    def test_refuses_models_without_equations(self):
        chain = jw.SerialChain.planar(2)
        for model in (chain, chain.system):
            refused(lambda: Trajectory.from_samples(T, ANGLES, idyn=model), "idyn", TypeError)
            with refusal("idyn", TypeError):
                Trajectory.from_callables(T, lambda s: ANGLES, idyn=model)

    def test_of_complete_samples(self):
        motion = Trajectory(T, np.sin(T), np.cos(T), -np.sin(T), names=["elbow"])
        assert repr(motion) == "Trajectory(elbow: 201 samples from 0 to 2)"
        assert_allclose(motion.at(0.123).udot, -np.sin(0.123), atol=1e-9)
        refused(lambda: Trajectory(T, np.sin(T), np.cos(T), ANGLES), "udot")

    def test_resampled_and_between(self):
        motion = Trajectory.from_samples(T, ANGLES)
        assert_allclose(motion.resampled(11).q[:, 0], np.sin(2 * np.linspace(0, 2, 11)), atol=1e-9)
        part = motion.between(0.5, 1.0)
        assert_allclose(part.times, T[50:101])
        assert_allclose(part.q, motion.q[50:101])
        assert len(part) == 51

    def test_ends_are_included_in_spite_of_rounding(self):
        times = 0.1 * np.arange(21)  # 0.30000000000000004, 0.7000000000000001
        motion = Trajectory.from_samples(times, times)
        assert_allclose(motion.between(0.3, 0.7).times, [0.3, 0.4, 0.5, 0.6, 0.7])
        trimmed = Trajectory.from_samples(times, times, trim=0.3)
        assert_allclose(trimmed.times[[0, -1]], [0.3, 1.7])


def changed(row, column, value):
    values = ANGLES.copy()
    values[row, column] = value
    return values


class TestBadData:
    """Every refusal names the column and the row."""

    @pytest.mark.parametrize(
        ("values", "options", "argument"),
        [
            (changed(slice(7, 30), 1, np.nan), {"gaps": "fill", "max_gap": 0.1}, "coordinates"),
            (ANGLES, {"cutoff": 50.0}, "cutoff"),
            (ANGLES, {"smoothing": "butterworth"}, "cutoff"),
            (ANGLES, {"rate": 2.0}, "rate"),
            (ANGLES, {"cutoff": 6.0, "order": 0}, "order"),
            (np.degrees(ANGLES), {}, "coordinates"),
            ({"a": ANGLES[:-1, 0]}, {}, "coordinates"),
            ({"a": ANGLES}, {}, "coordinates"),
            ({}, {}, "coordinates"),
            ({dynamicsymbols("q"): T, "q": T}, {}, "coordinates"),
        ],
    )
    def test_samples(self, values, options, argument):
        refused(lambda: Trajectory.from_samples(T, values, **options), argument)

    def test_too_few_samples(self):
        refused(lambda: Trajectory.from_samples(T[:5], ANGLES[:5]), "coordinates")
        refused(lambda: Trajectory.from_samples(T[:20], ANGLES[:20], cutoff=3.0), "times")

    def test_columns_that_are_not_the_models(self, arm):
        refused(lambda: Trajectory.from_samples(T, {"q_0": T}, idyn=arm), "coordinates")
        with refusal("coordinates"):
            Trajectory.from_samples(T, {"q_0": T, "q_1": T, "hip": T}, idyn=arm)
        refused(lambda: Trajectory.from_samples(T, T, idyn=arm), "coordinates")

    def test_types(self):
        masked = {"a": np.ma.masked_less(T, 1)}
        refused(lambda: Trajectory.from_samples(T, masked), "coordinates", TypeError)
        pandas = pytest.importorskip("pandas")  # whose column of text is told in one line
        data = pandas.DataFrame({"hip": np.sin(T), "side": ["left"] * len(T)})
        refused(lambda: Trajectory.from_samples(T, data), "coordinates", TypeError)

    def test_uneven_times(self):
        uneven = np.delete(T, 7)
        refused(lambda: Trajectory.from_samples(uneven, uneven, cutoff=6.0), "times")

    def test_lengths_are_no_angles(self):
        sliding = jw.SerialChain([jw.Segment("S", 1, 1, inertia=1, joint="planar")])
        idyn = jw.InverseDynamics(sliding.system)
        far = np.stack([T, 100 * T, T], -1)
        assert Trajectory.from_samples(T, far, idyn=idyn).q.max() == 200
        refused(lambda: Trajectory.from_samples(T, far[:, [1, 0, 2]], idyn=idyn), "coordinates")


class TestEnds:
    """The first and last instants, where only what continues a record tells derivatives."""

    def test_without_a_filter_they_are_natural(self, rng):
        noisy = np.sin(2 * T) + rng.normal(scale=1e-3, size=T.shape)
        motion = Trajectory.from_samples(T, noisy)
        assert_allclose(motion.q[:, 0], noisy)
        near = T[0] + np.array([0, 1e-5, 2e-5])
        third, fourth = (np.diff(motion.at(near).udot[:, 0], k) for k in (1, 2))
        assert abs(third / 1e-5).max() < 1e-2 * abs(np.diff(motion.udot[:, 0]) / 0.01).max()
        assert abs(fourth / 1e-10).max() < 1e-2 * abs(np.diff(motion.udot[:, 0], 2) / 1e-4).max()

    def test_exact_samples_may_say_so(self):
        motions = [Trajectory.from_samples(T, np.sin(2 * T), ends=e) for e in ENDS]
        off = [np.abs(m.udot[:, 0] + 4 * np.sin(2 * T)).max() for m in motions]
        assert off[1] < 1e-6 < 1e-2 < off[0]

    def test_refuses_other_ends_of_what_is_smoothed(self):
        refused(lambda: Trajectory.from_samples(T, ANGLES, ends="clamped"), "ends")
        for options in ({"cutoff": 6.0}, {"smoothing": "spline"}):
            with refusal("ends"):
                Trajectory.from_samples(T, ANGLES, ends="not-a-knot", **options)

    @pytest.mark.parametrize("filter", [None, "opensim"])
    def test_the_spline_goes_on_beyond_a_filtered_record(self, rng, filter):
        """What was mirrored in the end point has no curvature there, and its noise is small."""
        noisy = np.sin(2 * T) + rng.normal(scale=1e-3, size=T.shape)
        motion = Trajectory.from_samples(T, noisy, cutoff=6.0, filter=filter)
        assert abs(motion.udot[[0, -1]]).max() < 0.5
        assert_allclose(motion.u[[0, -1], 0], 2 * np.cos(2 * T[[0, -1]]), atol=0.1)


@pytest.mark.parametrize(
    ("filter", "order", "left"),
    [("opensim", 3, 5.18), ("visual3d", 2, 6.0), ("filtfilt", 2, 4.81), ("winter", 2, 6.0)],
)
def test_who_means_what_by_6_hz(rng, filter, order, left):
    """At the cutoff of both passes together 0.707 of an amplitude is left."""
    noisy = np.sin(2 * T) + rng.normal(scale=1e-2, size=T.shape)
    ratio = 1 if left == 6.0 else cutoff_correction(order)
    exact = 100 / np.pi * np.arctan(np.tan(np.pi * 6 / 100) * ratio)
    assert exact == pytest.approx(left, abs=0.03)  # without the tangents at that rate
    ours = Trajectory.from_samples(T, noisy, cutoff=exact, order=order)
    theirs = Trajectory.from_samples(T, noisy, cutoff=6.0, filter=filter)
    assert_allclose(theirs.q[50:-50], ours.q[50:-50], atol=1e-5)


def test_refuses_filters():
    refused(lambda: Trajectory.from_samples(T, ANGLES, cutoff=6.0, filter="excel"), "filter")
    with refusal("order"):
        Trajectory.from_samples(T, ANGLES, cutoff=6.0, filter="opensim", order=2)
    refused(lambda: Trajectory.from_samples(T, ANGLES, filter="opensim"), "cutoff")
    with refusal("filter"):
        Trajectory.from_samples(T, ANGLES, smoothing="spline", cutoff=6.0, filter="opensim")
