"""Uncertainty of results: by formulas made by hand, by derivatives and by Monte Carlo alike."""

import pickle

import numpy as np
import pytest
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy import Symbol

import jointwrench as jw

G = 9.81
PENDULUM = {"m_0": 2.0, "l_0": 0.8, "I_0": 0.15}
T = np.linspace(0, 2, 101)
ALL = ["q", "u", "udot", "constants", "specifieds"]

DRAWN = {"method": "monte_carlo", "samples": 1000, "seed": 1}

#: Of a standard deviation that was drawn, five times over.
STATISTICAL = 5 / np.sqrt(2 * DRAWN["samples"])


@pytest.fixture(scope="module")
def pendulum():
    """A rod on a pin; its angle counts from the upright."""
    return jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -G, 0)).system)


@pytest.fixture(scope="module")
def evaluate(pendulum):
    return pendulum.compile("generalized_forces", derivatives=ALL, backend="numpy")


@pytest.fixture(scope="module")
def states(rng_of_module):
    return tuple(rng_of_module.normal(size=(3, 7, 1)))


@pytest.fixture(scope="module")
def rng_of_module():
    return np.random.default_rng(13)


@pytest.fixture(scope="module")
def model():
    """A leg with a trunk, and what the ground does to it."""
    leg = jw.gait.planar_leg(1.75, 70.0, trunk=True)
    return leg, jw.ExternalWrench(leg.chain, "foot", "plate", components="fx fy mz")


@pytest.fixture(scope="module")
def idyn(model):
    return jw.InverseDynamics(model[0].chain.system)


@pytest.fixture(scope="module")
def leg(model, idyn):
    """The leg in a measured motion: evaluator, motion, keywords."""
    leg, reaction = model
    angles = 0.3 * np.sin(np.outer(T, [1, 2, 2.5, 3, 4, 5]))
    angles[40:44, 3] = np.nan
    motion = jw.Trajectory.from_samples(T, angles, idyn=idyn, cutoff=6.0, gaps="fill")
    plate = {symbol: 50 * np.cos(T) for symbol in reaction.symbols}
    given = {"constants": leg.constants_of(idyn), "specifieds": plate}
    outputs = ("generalized_forces", "joint_wrenches")
    return idyn.compile(outputs, derivatives=ALL, backend="numpy"), motion, given


def slopes(q, udot):
    """Return the derivatives of a rod's torque by hand, by input."""
    m, length, inertia = PENDULUM.values()
    return {
        "q_0": -m * G * length / 2 * np.cos(q),
        "u_0dot": inertia + m * length**2 / 4 + 0 * q,
        "m_0": length**2 / 4 * udot - G * length / 2 * np.sin(q),
        "l_0": m * length / 2 * udot - m * G / 2 * np.sin(q),
    }


def test_first_order_pendulum_by_hand(evaluate, states):
    deviations = {"q_0": 0.02, "u_0dot": 0.3, "m_0": 0.1, "l_0": 0.01}
    given = {"q": 0.02, "udot": np.full(1, 0.3), "m_0": 0.1, Symbol("l_0"): 0.01}
    found = jw.propagation.uncertainty(evaluate, states, given, constants=PENDULUM)
    by_hand = slopes(states[0], states[2])
    contributions = found.contributions["generalized_forces"]
    assert list(contributions) == list(deviations)
    for name, deviation in deviations.items():
        assert_allclose(contributions[name], (by_hand[name] * deviation) ** 2, rtol=1e-12)
    total = np.sqrt(sum((by_hand[name] * s) ** 2 for name, s in deviations.items()))
    assert_allclose(found.standard_deviation.generalized_forces, total, rtol=1e-12)
    expected = evaluate(*states, constants=PENDULUM)
    assert_allclose(found.result.generalized_forces, expected.generalized_forces)


def test_first_order_standard_deviations_over_the_samples(evaluate, states):
    sizes = np.linspace(0, 0.1, 7)
    found = jw.propagation.uncertainty(evaluate, states, {"q_0": sizes}, constants=PENDULUM)
    expected = np.abs(slopes(states[0], states[2])["q_0"][:, 0]) * sizes
    assert_allclose(found.standard_deviation.generalized_forces[:, 0], expected, rtol=1e-12)


def test_first_order_correlated_inputs(pendulum, evaluate, states):
    (q,), (udot,) = pendulum.coordinates, pendulum.accelerations
    matrix = np.array([[4e-4, 0.5 * 0.02 * 0.3], [0.5 * 0.02 * 0.3, 0.09]])
    given = {"covariances": {(q, udot): matrix}, "constants": PENDULUM}
    found, drawn = (jw.propagation.uncertainty(evaluate, states, **given, **x) for x in ({}, DRAWN))
    by_hand = slopes(states[0], states[2])
    a, b = 0.02 * by_hand["q_0"], 0.3 * by_hand["u_0dot"]
    expected = np.sqrt(a**2 + a * b + b**2)
    assert_allclose(found.standard_deviation.generalized_forces, expected, rtol=1e-10)
    deviation = drawn.standard_deviation.generalized_forces
    assert_allclose(deviation, expected, rtol=STATISTICAL, atol=0.01)
    assert list(found.contributions["generalized_forces"]) == ["q_0, u_0dot"]


def test_first_order_errors_that_cancel(evaluate):
    """At rest a heavier and shorter rod asks for the same torque."""
    m, length, _ = PENDULUM.values()
    causes = {"scale": {"m_0": 0.01 * m, "l_0": -0.01 * length}}
    state = [1.0], [0.0], [0.0]
    found = jw.propagation.uncertainty(evaluate, state, causes=causes, constants=PENDULUM)
    assert_allclose(found.standard_deviation.generalized_forces, 0, atol=1e-7)


def test_first_order_a_cause_of_several_errors(evaluate, states):
    """Say a scale that is off: a heavier rod, an angle that follows, in opposite senses."""
    follows = np.linspace(-0.05, 0.05, 7)
    causes = {"scale": {"m_0": 0.1, "l_0": -0.02, "q": follows[:, None]}}
    by_hand = slopes(states[0], states[2])
    expected = 0.1 * by_hand["m_0"] - 0.02 * by_hand["l_0"]
    expected += follows[:, None] * by_hand["q_0"]
    options = {"causes": causes, "constants": PENDULUM}
    found = jw.propagation.uncertainty(evaluate, states, **options)
    assert_allclose(found.standard_deviation.generalized_forces, np.abs(expected), rtol=1e-12)
    assert list(found.contributions["generalized_forces"]) == ["scale"]
    small = {"scale": {key: 0.01 * np.array(x) for key, x in causes["scale"].items()}}
    drawn = jw.propagation.uncertainty(evaluate, states, **options | {"causes": small}, **DRAWN)
    deviation = drawn.standard_deviation.generalized_forces
    assert_allclose(deviation, 0.01 * np.abs(expected), rtol=STATISTICAL, atol=1e-5)


def test_first_order_units(evaluate, states):
    """In grams, millimetres and milliseconds everything is a multiple of what it was."""
    scale = {"m_0": 1e3, "l_0": 1e3, "I_0": 1e9}
    chain = jw.SerialChain.planar(1, gravity=(0, -G * 1e3 / 1e6, 0))
    other = jw.InverseDynamics(chain.system).compile(
        "generalized_forces", derivatives=["q", "constants"], backend="numpy"
    )
    deviations = {"q_0": 0.02, "m_0": 0.1, "l_0": 0.01}
    small = jw.propagation.uncertainty(evaluate, states, deviations, constants=PENDULUM)
    large = jw.propagation.uncertainty(
        other,
        (states[0], states[1] / 1e3, states[2] / 1e6),
        {name: s * scale.get(name, 1) for name, s in deviations.items()},
        constants={name: x * scale[name] for name, x in PENDULUM.items()},
    )
    less, more = (x.standard_deviation.generalized_forces for x in (small, large))
    assert_allclose(more, 1e3 * less, rtol=1e-12)


def test_first_order_covariance_of_an_output(leg):
    """The variance of a sum is that of the sum's contributions."""
    evaluate, motion, given = leg
    found = jw.propagation.uncertainty(evaluate, motion, {"q": 0.01, "plate_fy": 5.0}, **given)
    covariance = found.covariance("joint_wrenches")
    assert covariance.shape == (101, 24, 24)
    deviation = found.standard_deviation.joint_wrenches
    variances = np.einsum("tkk->tk", covariance)
    assert_allclose(variances, deviation.reshape(101, 24) ** 2, rtol=1e-9, atol=1e-12)
    forces = found.result.derivative("generalized_forces", "plate_fy")[..., 0]
    own = jw.propagation.uncertainty(evaluate, motion, {"plate_fy": 5.0}, **given)
    expected = 25 * forces[:, :, None] * forces[:, None, :]
    assert_allclose(own.covariance("generalized_forces"), expected, atol=1e-9)


def test_first_order_what_it_knows(leg):
    evaluate, motion, given = leg
    found = jw.propagation.uncertainty(evaluate, motion, {"specifieds": [1.0, 2.0, 0.5]}, **given)
    deviation = found.standard_deviation
    assert repr(found) == "FirstOrder(generalized_forces, joint_wrenches)"
    assert deviation.per_mass(2.0).joint_wrench("ankle", components="mz").shape == (101,)
    assert_allclose(deviation.times, T)
    assert deviation.over_cycles([0.1, 1.1]).generalized_forces.shape == (1, 101, 6)
    refused(lambda: deviation.joint_power("ankle"), "result")
    copy = pickle.loads(pickle.dumps(found))
    assert_allclose(copy.covariance("joint_wrenches"), found.covariance("joint_wrenches"))
    upper, lower = found.quantile(0.975), found.quantile(0.025)
    width = upper.generalized_forces - lower.generalized_forces
    assert_allclose(width, 2 * 1.959964 * deviation.generalized_forces, rtol=1e-6)


def test_first_order_nan_stays(evaluate):
    states = [0.1, np.nan, 0.3], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]
    states = tuple(np.array(x)[:, None] for x in states)
    for method in ("first_order", "monte_carlo"):
        found = jw.propagation.uncertainty(
            evaluate, states, {"udot": 0.1}, constants=PENDULUM, method=method, samples=5
        )
        unknown = np.isnan(found.standard_deviation.generalized_forces[:, 0])
        assert unknown.tolist() == [False, True, False]
        open_ = np.isnan(found.covariance("generalized_forces")[:, 0, 0])
        assert open_.tolist() == [False, True, False]


@pytest.mark.slow
def test_monte_carlo_planar_leg(idyn, leg):
    """The first order is what Monte Carlo finds, correlations and noise included."""
    evaluate, motion, given = leg
    step = slice(20, 60, 4)
    motion = motion.resampled(T[step])
    given = {**given, "specifieds": {s: x[step] for s, x in given["specifieds"].items()}}
    given["standard_deviations"] = {"measured": 0.002, "knee_angle": 0.005, "plate_fy": 5.0}
    given["covariances"] = {("m_foot", "c_foot"): [[0.01, 0.0005], [0.0005, 1e-4]]}
    first = jw.propagation.uncertainty(evaluate, motion, **given)
    plain = idyn.compile("generalized_forces")
    drawn = jw.propagation.uncertainty(plain, motion, **given, **DRAWN)
    a, b = (found.standard_deviation.generalized_forces for found in (first, drawn))
    assert_allclose(b, a, rtol=STATISTICAL)
    scale = a[:, :, None] * a[:, None, :]
    covariances = [x.covariance("generalized_forces") / scale for x in (first, drawn)]
    assert_allclose(*covariances, atol=2 * STATISTICAL)
    quantiles = [x.quantile(0.9).generalized_forces for x in (first, drawn)]
    assert (np.abs(quantiles[1] - quantiles[0]) < 0.15 * a).all()


def test_monte_carlo_forward_dynamics():
    fdyn = jw.ForwardDynamics(jw.SerialChain.planar(1, gravity=(0, -G, 0)).system)
    plain = fdyn.compile(backend="numpy")
    evaluate = fdyn.compile(derivatives=["q", "constants"], backend="numpy")
    given = ([[0.7]], [[0.1]]), {"q": 0.01, "l_0": 0.002}
    first = jw.propagation.uncertainty(evaluate, *given, constants=PENDULUM)
    drawn = jw.propagation.uncertainty(plain, *given, constants=PENDULUM, **DRAWN)
    assert_allclose(drawn.standard_deviation.udot, first.standard_deviation.udot, rtol=STATISTICAL)


def test_monte_carlo_an_error_lasts(evaluate):
    """A peak is as uncertain as the worst instant if a mass is wrong, in each draw for all."""
    q = np.linspace(0.1, 1.5, 20)[:, None]
    states = q, 0 * q, 0 * q
    options = {"method": "monte_carlo", "samples": 200, "seed": 4, "constants": PENDULUM}
    found = jw.propagation.uncertainty(evaluate, states, {"m_0": 0.1}, **options)
    torques = found.draws.generalized_forces[..., 0]
    assert torques.shape == (200, 20)
    assert_allclose(np.corrcoef(torques.T), 1, rtol=1e-9)
    assert not found.contributions
    again = jw.propagation.uncertainty(evaluate, states, {"m_0": 0.1}, **options)
    assert_allclose(again.draws.generalized_forces[..., 0], torques, rtol=0)


OPTIONS = [
    {},
    {"cutoff": 6.0},
    {"cutoff": 6.0, "rate": 60.0, "trim": 0.2},
    {"cutoff": 5.0, "smoothing": "spline"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_measured_samples_changes_are_those_of_other_samples(options, rng):
    samples = np.stack([np.sin(3 * T), np.cos(T)], -1)
    samples[30:33, 0] = np.nan
    noise = rng.normal(scale=0.01, size=(2, *samples.shape))
    make = jw.Trajectory.from_samples
    plain = make(T, samples, gaps="fill", **options)
    changes = plain.measured_noise.changes(noise)
    for change, own in zip(changes, noise, strict=True):
        other = make(T, samples + own, gaps="fill", **options)
        expected = [getattr(other, x) - getattr(plain, x) for x in ("q", "u", "udot")]
        assert_allclose(change, np.concatenate(expected, -1), atol=1e-8)


@pytest.mark.parametrize("smoothing", ["butterworth", *slow(["spline"])])
def test_measured_samples_covariance_is_that_of_the_changes(smoothing, rng):
    samples = np.stack([np.sin(3 * T), np.cos(T)], -1) + rng.normal(scale=0.01, size=(101, 2))
    options = {"smoothing": "spline"} if smoothing == "spline" else {"cutoff": 6.0}
    noise = jw.Trajectory.from_samples(T, samples, **options).measured_noise
    covariance = np.array([[1e-4, 0.5e-4], [0.5e-4, 4e-4]])
    found = noise.covariance(np.tile(covariance, (101, 1, 1)))
    draws = noise.changes(rng.multivariate_normal([0, 0], covariance, size=(1000, 101)))
    scale = np.sqrt(np.einsum("tkk->tk", found))
    empirical = np.einsum("ntk,ntl->tkl", draws, draws) / 1000
    scale = scale[:, :, None] * scale[:, None, :]
    assert_allclose(empirical / scale, found / scale, atol=2 * STATISTICAL)


def test_measured_samples_white_noise_through_the_filter():
    """What is left of white noise is the integral of the filter's frequency response."""
    times = np.linspace(0, 10, 1001)
    motion = jw.Trajectory.from_samples(times, np.sin(times), cutoff=6.0)
    found = motion.measured_noise.covariance(np.full((1001, 1, 1), 4.0))[500]
    frequency = np.linspace(0, 50, 20001)[1:-1]
    ratio = np.tan(np.pi * frequency / 100) / np.tan(np.pi * 6 / 100)
    left = 1 / (1 + (np.sqrt(2) - 1) * ratio**4) ** 2  # of the power, after both passes
    rates = 2 * np.pi * frequency
    expected = [4 * np.mean(left * rates**power) for power in (0, 2, 4)]
    assert_allclose(np.diag(found), expected, rtol=1e-3)
    assert_allclose(found[0, 2], -expected[1], rtol=1e-3)
    assert_allclose(found[[0, 1], [1, 2]], 0, atol=1e-3 * expected[0])


def test_measured_samples_noise_without_smoothing():
    motion = jw.Trajectory.from_samples(T, np.sin(T))
    found = motion.measured_noise.covariance(np.full((101, 1, 1), 0.01))
    assert_allclose(found[:, 0, 0], 0.01, rtol=1e-9)


def test_measured_samples_kinds_of_values(leg):
    evaluate, motion, given = leg
    one = {"measured": {"knee_angle": 0.01, motion.names[1]: np.full(101, 0.02)}}
    columns = {"measured": [0.0, 0.02, 0.0, 0.0, 0.01, 0.0]}
    matrix = np.diag(np.square(columns["measured"])) * np.ones((101, 1, 1))
    found = [
        jw.propagation.uncertainty(evaluate, motion, one, **given),
        jw.propagation.uncertainty(evaluate, motion, columns, **given),
        jw.propagation.uncertainty(evaluate, motion, covariances={"measured": matrix}, **given),
    ]
    a, b, c = (x.standard_deviation.joint_wrenches for x in found)
    assert_allclose(a, b, atol=1e-6)
    assert_allclose(a, c, atol=1e-6)
    assert [*found[0].contributions["joint_wrenches"]] == ["measured knee_angle", "measured hip_x"]
    assert list(found[2].contributions["joint_wrenches"]) == ["measured"]


def test_measured_samples_missing_samples_need_no_standard_deviation(leg):
    evaluate, motion, given = leg
    sizes = np.full((101, 6), 0.01)
    sizes[40:44, 3] = np.nan
    found = jw.propagation.uncertainty(evaluate, motion, {"measured": sizes}, **given)
    plain = jw.propagation.uncertainty(evaluate, motion, {"measured": 0.01}, **given)
    a, b = (x.standard_deviation.generalized_forces for x in (found, plain))
    assert_allclose(a, b, rtol=1e-9)
    sizes[0, 0] = np.nan
    with refusal("standard_deviations"):
        jw.propagation.uncertainty(evaluate, motion, {"measured": sizes}, **given)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "standard_deviations"),
        ({"q": -0.1}, "standard_deviations"),
        ({"m_0": [0.1, 0.2]}, "standard_deviations"),
        ({"q_0": np.ones(3)}, "standard_deviations"),
        ({"u": np.ones(2)}, "standard_deviations"),
        ({"q": 0.1, "q_0": 0.1}, "standard_deviations"),
        ({("m_0", "m_0"): 0.1}, "standard_deviations"),
        ({"measured": 0.1}, "motion"),
    ],
)
def test_bad_input_standard_deviations(evaluate, states, given, argument):
    with refusal(argument):
        jw.propagation.uncertainty(evaluate, states, given, constants=PENDULUM)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 0.5], [0.4, 1]],
        [[1, 2], [2, 1]],
        [[1, 0], [0, -1]],
        [[0, 1], [1, 1]],
        [[4, 2], [2, 1]],
        [[1]],
        1.0,
        np.tile(np.eye(2), (7, 1, 1)),
        [[1, np.nan], [np.nan, 1]],
    ],
)
def test_bad_input_covariances(evaluate, states, matrix):
    given = {("m_0", "l_0"): matrix}
    with refusal("covariances"):
        jw.propagation.uncertainty(evaluate, states, covariances=given, constants=PENDULUM)


@pytest.mark.parametrize(
    "changes", [{}, {"q": 0.1, "q_0": 0.1}, {"m_0": np.ones(7)}, {"mass": 1.0}, {"q": np.nan}]
)
def test_bad_input_causes(evaluate, states, changes):
    with refusal("causes"):
        jw.propagation.uncertainty(evaluate, states, causes={"wear": changes}, constants=PENDULUM)


def test_bad_input_an_input_in_both(evaluate, states):
    twice = {"covariances": {("m_0", "l_0"): np.eye(2)}, "constants": PENDULUM}
    with refusal("covariances"):
        jw.propagation.uncertainty(evaluate, states, {"m_0": 0.1}, **twice)


def test_bad_input_derivatives_that_were_not_compiled(pendulum, states):
    evaluate = pendulum.compile("generalized_forces", derivatives=["q"], backend="numpy")
    with refusal("evaluate"):
        jw.propagation.uncertainty(evaluate, states, {"m_0": 0.1, "u": 1}, constants=PENDULUM)


def test_bad_input_measured_coordinates(leg):
    evaluate, motion, given = leg
    with refusal("standard_deviations"):
        jw.propagation.uncertainty(evaluate, motion, {"measured": {"knee": 0.01}}, **given)
    plain = jw.Trajectory(T, motion.q, motion.u, motion.udot)
    with refusal("motion"):
        jw.propagation.uncertainty(evaluate, plain, {"measured": 0.01}, **given)
