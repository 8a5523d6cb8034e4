"""Paths of muscles as pathways of sympy: lengths, rates and generalized forces."""

from pathlib import Path

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy import Piecewise, Symbol, lambdify
from sympy.physics.biomechanics import FirstOrderActivationDeGroote2016, MusculotendonDeGroote2016
from sympy.physics.mechanics import ForceActuator, LinearPathway, dynamicsymbols

import jointwrench as jw

DATA = Path(__file__).parents[1] / "data"
NAMES = ("via", "moving", "over_cylinder", "over_sphere")
TENSIONS = {Symbol(f"tension_{name}"): name for name in NAMES}
TIME = dynamicsymbols._t


def limb():
    return jw.musculoskeletal.read_osim(DATA / "muscles.osim")


def poses(count):
    """Return coordinates and speeds at random, some with conditional points and some without."""
    return np.random.default_rng(4).uniform(-0.9, 0.9, (2, count, 4)) - [[[0, 0, 0, 0.8]]]


@pytest.fixture(scope="module")
def pulled():
    """A limb with tensions of muscles as loads of its System."""
    model = limb()
    for tension, name in TENSIONS.items():
        model.system.add_actuators(ForceActuator(-tension, model.muscles[name].pathway))
    return model


@pytest.mark.slow
def test_lengths_and_rates_are_those_of_the_geometry(pulled):
    q, u = poses(40)
    paths = jw.musculoskeletal.MuscleGeometry(pulled, NAMES, geodesic=True)(q)
    pathways = [pulled.muscles[name].pathway for name in NAMES]
    rates = dict(zip(pulled.system.q.diff(TIME), pulled.system.u, strict=True))
    formulas = [path.length for path in pathways]
    formulas += [path.extension_velocity.xreplace(rates) for path in pathways]
    numbers = lambdify([[*pulled.system.q], [*pulled.system.u]], formulas, cse=True)
    with np.errstate(invalid="ignore"):  # of what a string that does not touch would be
        found = np.array([numbers(*state) for state in zip(q, u, strict=True)])
    assert_allclose(found[:, :4], paths.lengths, rtol=1e-13)
    assert_allclose(found[:, 4:], -np.einsum("nkm,nk->nm", paths.moment_arms, u), atol=1e-13)
    is_there = pulled.muscles["via"].points[2].condition.most > q[:, 3]
    assert 5 < is_there.sum() < 35
    for column, name in enumerate(NAMES[2:], 2):
        pathway = pulled.muscles[name].pathway
        straight = [LinearPathway(*pathway.attachments).length]
        apart = lambdify([[*pulled.system.q]], straight, cse=True)
        touching = np.array([apart(pose)[0] for pose in q]) < found[:, column] - 1e-6
        assert 5 < touching.sum() < 35


def test_generalized_forces_are_moment_arms(pulled):
    """And so are their slopes, whether a muscle touches a surface or does not."""
    q, _ = poses(40)
    still, step = np.zeros((40, 4)), 1e-6
    evaluate = pulled.inverse_dynamics().compile("generalized_forces", derivatives=["q"])
    geometry = jw.musculoskeletal.MuscleGeometry(pulled, NAMES, geodesic=True)
    none, *results = (
        evaluate(q, still, still, constants=dict(zip(TENSIONS, own, strict=True)))
        for own in (np.zeros(4), *np.eye(4) * 100)
    )
    forces = [none.generalized_forces - x.generalized_forces for x in results]
    arms = geometry(q).moment_arms
    assert_allclose(np.stack(forces, axis=-1) / 100, arms, atol=1e-13)
    assert np.abs(arms).max() > 0.05
    beside = [geometry(q + sign * step * np.eye(4)[:, None]).moment_arms for sign in (1, -1)]
    slopes = np.moveaxis(beside[0] - beside[1], 0, -1) / (2 * step)
    given = none.derivative("generalized_forces", "q")
    for k, result in enumerate(results):
        found = (given - result.derivative("generalized_forces", "q")) / 100
        assert_allclose(found, slopes[:, :, k], atol=2e-8)


@pytest.mark.slow
def test_a_sling_is_found_where_it_touches():
    """The tension of a string of ground that a body stretches while it leans against it."""
    text = (DATA / "muscles.osim").read_text()
    before, name, after = text.partition('<Thelen2003Muscle name="over_cylinder">')
    for place, own in (("0.02 -0.05 0.015", "0.3 -0.29 0"), ("0.015 -0.1 -0.02", "-0.3 -0.3 0")):
        after = after.replace(place, own, 1)
    for body in ("upper", "lower"):
        after = after.replace(f"/bodyset/{body}", "/ground", 1)
    model = jw.musculoskeletal.read_osim(before + name + after)
    tension = Symbol("tension")
    model.system.add_actuators(ForceActuator(-tension, model.muscles["over_cylinder"].pathway))
    q = np.array([[0, 0, 0.02, 0], [0, 0, -0.02, 0.1], [0.5, 0.4, 0.6, -0.5]])
    still = np.zeros((3, 4))
    needed = model.inverse_dynamics().compile("generalized_forces", backend="numpy")
    free, pulled = (
        needed(q, still, still, constants={tension: x}).generalized_forces for x in (0, 1)
    )
    arms = free - pulled
    assert arms.any(axis=1).tolist() == [True, True, False]
    solved = model.inverse_dynamics(solve_for=[tension]).compile("solved_loads", backend="numpy")
    found = solved(q, still, still).solved_loads[tension]
    expected = [
        np.linalg.lstsq(x[:, None], y, rcond=None)[0][0]
        for x, y in zip(arms[:2], free[:2], strict=True)
    ]
    assert_allclose(found, [*expected, np.nan])


def test_between_two_points_it_is_sympys_own():
    model = walking_trial.model()
    own = model.muscles["soleus_r"].pathway
    assert own is model.muscles["soleus_r"].pathway
    assert own.attachments == own.points
    theirs = LinearPathway(*own.attachments)
    values = {x: 0.1 * k - 0.4 for k, x in enumerate(model.system.q)}
    assert_allclose(float(own.length.subs(values)), float(theirs.length.subs(values)), rtol=1e-14)
    push = Symbol("push")
    for (point, force), (other, expected) in zip(
        own.to_loads(push), theirs.to_loads(push), strict=True
    ):
        assert point is other
        left = (force - expected).to_matrix(model.bodies["tibia_r"].frame)
        assert_allclose(np.array(left.subs(values).subs(push, 1), float), 0, atol=1e-15)


def test_musculotendon_of_sympy():
    """De Groote's muscle with a rigid tendon: its force at a moment arm, by its own formula."""
    model = limb()
    muscle = model.muscles["via"]
    made = MusculotendonDeGroote2016.with_defaults(
        "made",
        muscle.pathway,
        FirstOrderActivationDeGroote2016.with_defaults("made"),
        tendon_slack_length=0.29,
        peak_isometric_force=muscle.maximal_isometric_force,
        optimal_fiber_length=muscle.optimal_fiber_length,
        maximal_fiber_velocity=muscle.maximal_contraction_velocity * muscle.optimal_fiber_length,
        optimal_pennation_angle=muscle.pennation_angle,
    )
    model.system.add_actuators(made)
    idyn = model.inverse_dynamics()
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    q = np.zeros(4)
    u = np.linspace(-1, 1, 4)
    passive, active = (
        evaluate(q, u, q, specifieds={made.a: part}).generalized_forces for part in (0.0, 0.7)
    )
    knee = [*model.coordinates].index("knee")
    arm = jw.musculoskeletal.MuscleGeometry(model, ["via"])(q).moment_arms[knee, 0]
    rates = dict(zip(model.system.q.diff(TIME), u, strict=True))
    force = made.force.doit().xreplace(rates).subs({x: 0 for x in model.system.q})
    pulls = [-float(force.subs(made.a, part)) for part in (0.0, 0.7)]
    assert pulls[1] - pulls[0] > 100
    assert_allclose(passive[knee] - active[knee], arm * (pulls[1] - pulls[0]), rtol=1e-10)


def test_conditions_can_be_pieces():
    length = limb().muscles["via"].pathway.length
    pieces = length.rewrite(Piecewise)
    assert pieces.has(Piecewise)
    for flexion in (-0.5, 0.0, 0.9):
        pose = {x: flexion if x.name == "flexion" else 0.1 for x in limb().system.q}
        assert float(pieces.subs(pose)) == pytest.approx(float(length.subs(pose)), rel=1e-14)


@pytest.mark.parametrize("name", ["both", "one_side", "sphere_side"])
def test_what_wraps_otherwise_is_refused_by_name(name):
    muscle = limb().muscles[name]
    refused(lambda: muscle.pathway, "muscle")


def test_a_point_that_several_angles_move_is_refused():
    text = (DATA / "muscles.osim").read_text()
    path = text.index("<MovingPathPoint")
    turned = text[:path] + text[path:].replace("/knee/knee<", "/hip/flexion<")
    with refusal("muscle"):
        _ = jw.musculoskeletal.read_osim(turned).muscles["moving"].pathway
