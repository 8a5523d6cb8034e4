"""Models in the size of a person: OpenSim's own numbers, and laws."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osim_texts import X, Y, Z, body, document, gait10_text, joint, linear, spline, transform
from refusals import refusal, refused

import jointwrench as jw

FACTORS = {"u": (2, 3, 4), "v": (1.1, 1.2, 1.3)}

KNOWN = json.loads(
    (Path(__file__).parents[1] / "data" / "scaling.json").read_text(encoding="utf-8")
)
OPENSIM = KNOWN["opensim"]


@cache
def two_bodies():
    motion = transform(
        [(Z, "a")],
        [(X, "a", spline((-1, 0, 1), (0.1, 0.2, 0.4))), (Y, "b"), (Z, "b", linear(2, 0.3))],
    )
    bodies = body("u", 2, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25)) + body(
        "v", 3, (0.1, 0.2, 0.3), (0.1, 0.3, 0.35, 0.01, 0.02, 0.03)
    )
    joints = joint("PinJoint", "p", "ground", (0, 1, 0), "u", ["p"]) + joint(
        "CustomJoint", "c", "u", (0.1, 0.2, 0.3), "v", ["a", "b"], motion
    )
    marker = marker_set({"k": ("v", (1, 2, 3))})
    return jw.musculoskeletal.read_osim(
        document("m", bodies, joints, more=marker), nonphysical="keep"
    )


def marker_set(places, fixed=()):
    inner = "".join(
        f'<Marker name="{name}"><socket_parent_frame>/bodyset/{frame}</socket_parent_frame>'
        f"<location>{x} {y} {z}</location><fixed>{name in fixed}</fixed></Marker>"
        for name, (frame, (x, y, z)) in places.items()
    )
    return f"<MarkerSet><objects>{inner}</objects></MarkerSet>"


def places_of(model, q, points=None):
    kin = model.kinematics(points=points or model.markers, frames={})
    still = np.zeros(len(model.speeds))
    result = kin.compile("positions", backend="numpy")(q, still, still).positions
    return dict(zip(kin.points, result, strict=True))


@pytest.mark.parametrize("case", OPENSIM, ids=str)
def test_masses_and_inertias_are_those_of_opensim(case):
    keeps, mass, masses, first, second = case
    model = jw.musculoskeletal.scaled(
        two_bodies(), factors=FACTORS, mass=mass, keep_mass_distribution=keeps
    )
    assert_allclose([float(b.mass) for b in model.bodies.values()], masses, rtol=1e-12)
    for name, moments in (("u", first), ("v", second)):
        frame = model.bodies[name].frame
        matrix = model.bodies[name].central_inertia.to_matrix(frame)
        assert_allclose([float(matrix[k, k]) for k in range(3)], moments, rtol=1e-12)
    if mass is None and not keeps:
        products = [float(matrix[place]) for place in ((0, 1), (0, 2), (1, 2))]
        assert_allclose(products, [0.0226512, 0.0490776, 0.0803088], rtol=1e-12)


def test_a_weight_in_newtons_is_no_mass():
    """Of a model in its new size: masses grow with the volume."""
    model = two_bodies()
    mass = 8 * sum(float(b.mass) for b in model.bodies.values())
    twice = {name: 2.0 for name in model.bodies}
    with pytest.warns(UserWarning, match=r"`mass` of .* is 9.81 times that of the model"):
        jw.musculoskeletal.scaled(model, factors=twice, mass=9.81 * mass)
    jw.musculoskeletal.scaled(model, factors=twice, mass=1.5 * mass)


def test_places_are_those_of_opensim():
    """OpenSim 4.6: coordinates a, b, p of 0.5, 0.25, 0; b itself is a length that nobody scales."""
    model = jw.musculoskeletal.scaled(two_bodies(), factors=FACTORS)
    q = [{"p": 0, "a": 0.5, "b": 0.25}[name] for name in model.coordinates]
    assert_allclose(places_of(model, q)["k"], [0.58972, 4.48357, 8.3], atol=5e-6)
    origin = places_of(model, q, {"v": model.origins["v"]})["v"]
    assert_allclose(origin, [0.775, 1.85, 4.4], rtol=1e-12)


#: Markers of a person: their bodies and places.
MARKERS = KNOWN["markers"]


@cache
def person():
    text = gait10_text().replace("</Model>", marker_set(MARKERS, fixed={"sacrum"}) + "</Model>")
    return jw.musculoskeletal.read_osim(text)


@pytest.mark.slow
def test_a_standing_trial_gives_the_size_back(rng):
    """Markers of a larger person, some elsewhere: sizes from pairs, then markers where they are."""
    generic = person()
    factors = {name: np.ones(3) for name in generic.bodies}
    factors |= {"femur_r": np.full(3, 1.1), "femur_l": np.full(3, 1.1), "pelvis": [1, 1, 1.2]}
    truth = jw.musculoskeletal.scaled(generic, factors=factors)
    q = generic.reference.copy()
    q[:3] = 0.02, 0.3, 1.0
    seen = {name: np.tile(place, (5, 1)) for name, place in places_of(truth, q).items()}
    seen["knee_r"][3] = np.nan
    off = np.array([0.01, -0.02, 0.005])
    seen["heel_l"] += off
    seen["sacrum"] += 0.001
    measurements = [
        measured("asis_r", "asis_l", axes="z"),
        jw.musculoskeletal.Measurement(
            [("thigh_r", "knee_r"), ("thigh_l", "knee_l")], ["femur_r", "femur_l"]
        ),
    ]
    weights = dict.fromkeys(MARKERS, 1.0) | {"heel_l": 1e-9, "sacrum": 1e-9}
    own = jw.musculoskeletal.scaled(generic, seen, measurements, mass=80.0, weights=weights)
    assert_allclose(sum(float(b.mass) for b in own.bodies.values()), 80, rtol=1e-12)
    assert_allclose(
        float(own.bodies["femur_r"].mass / own.bodies["tibia_r"].mass),
        float(generic.bodies["femur_r"].mass / generic.bodies["tibia_r"].mass) * 1.1**3,
        rtol=1e-9,
    )
    placed = places_of(own, q)
    for name, place in placed.items():
        moved = -0.001 if name == "sacrum" else 0  # fixed on its body
        assert_allclose(place, seen[name][0] + moved, atol=1e-6)
    kept = jw.musculoskeletal.scaled(generic, seen, measurements, move_markers=False)
    assert_allclose(places_of(kept, q)["heel_l"], seen["heel_l"][0] - off, atol=1e-9)


def test_uniform_factors_scale_everything_by_its_dimension():
    """A spline of the knee, a coordinate that is a length, gravity."""
    small, large = (
        two_bodies(),
        jw.musculoskeletal.scaled(two_bodies(), factors={"u": 1.25, "v": 1.25}),
    )
    points = [{"marker": m.markers["k"], "base": m.origins["u"]} for m in (small, large)]
    lengths = np.where(np.array([*small.coordinates]) == "b", 1.25, 1.0)
    zeros, q = np.zeros(3), np.array([0.4, 0.5, 0.3])
    arms, forces = [], []
    for model, own, at in zip((small, large), points, (q, lengths * q), strict=True):
        places = places_of(model, at, own)
        arms.append((places["marker"] - places["base"])[:2])
        evaluate = model.inverse_dynamics().compile("generalized_forces", backend="numpy")
        forces.append(evaluate(at, zeros, zeros).generalized_forces)
    assert_allclose(arms[1], 1.25 * arms[0], rtol=1e-12)
    assert_allclose(forces[1], forces[0] * 1.25**4 / lengths, rtol=1e-9, atol=1e-9)


def measured(*markers, bodies="pelvis", axes="xyz"):
    return jw.musculoskeletal.Measurement([markers], bodies, axes)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"factors": {"femur": 1.1}}, "factors"),
        ({"factors": {"pelvis": -1}}, "factors"),
        ({"measurements": [measured("knee_r", "heel_r", bodies="thigh")]}, "measurements"),
        ({"measurements": [measured("knee_r", "nose")]}, "measurements"),
        ({"mass": 0}, "mass"),
    ],
)
def test_wrong_arguments(options, argument):
    seen = {name: [[0, 0, 0], [1, 1, k]] for k, name in enumerate(MARKERS)}
    refused(lambda: jw.musculoskeletal.scaled(person(), seen, **options), argument)


@pytest.mark.parametrize(
    ("call", "argument", "error"),
    [
        (lambda: measured("a", "b", "c"), "pairs", ValueError),
        (lambda: measured("a", "b", bodies=[]), "bodies", ValueError),
        (lambda: measured("a", "b", axes="w"), "axes", ValueError),
        (lambda: jw.musculoskeletal.scaled(jw.SerialChain.planar(2)), "model", TypeError),
        (lambda: jw.musculoskeletal.scaled(person(), {}, [("a", "b")]), "measurements", TypeError),
        (lambda: jw.musculoskeletal.scaled(person(), {"a": [1, 2, 3]}), "static", ValueError),
    ],
)
def test_wrong_measurements_and_models(call, argument, error):
    refused(call, argument, error)


def test_a_marker_at_the_origin_is_missing_in_a_standing_trial():
    places = places_of(person(), person().reference)
    rows = np.tile(1.1 * np.array([*places.values()]), (4, 1, 1))
    rows[2, [*places].index("asis_r")] = 0
    static = jw.recordings.Markers(np.arange(4.0), list(places), rows)
    width = [measured("asis_r", "asis_l", axes="z")]
    with pytest.warns(match=r"`static`: \(0, 0, 0\) means"):
        own = jw.musculoskeletal.scaled(person(), static, width, move_markers=False)
    assert_allclose(own.resizing.factors["pelvis"], [1, 1, 1.1])


def test_a_standing_trial_in_millimetres():
    generic = person()
    seen = {name: 1000 * x for name, x in places_of(generic, generic.reference).items()}
    width = [measured("asis_r", "asis_l", axes="z")]
    static = {name: x[None] for name, x in seen.items()}
    with refusal("static"):
        jw.musculoskeletal.scaled(generic, static, width, move_markers=False)
