"""Paths of muscles as sympy's pathways, against their geometry as numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
import sympy.physics.mechanics as me
from numpy.testing import assert_allclose
from refusals import refused
from sympy import Symbol, lambdify
from sympy.physics.biomechanics import FirstOrderActivationDeGroote2016, MusculotendonDeGroote2016

import jointwrench as jw

TEXT = (Path(__file__).parents[1] / "data" / "muscles.osim").read_text()

#: With each point active, a point in its place twice, and no surface active.
FIXED = re.sub(r'(<Wrap(Cylinder|Sphere) name="\w+">)', r"\1 <active>false</active>", TEXT)
FIXED = FIXED.replace("ConditionalPathPoint", "PathPoint").replace("0.035 -0.29", "0.04 -0.1", 1)

#: Between two bodies, from ground, with obstacles, over two joints.
NAMES = ("over_cylinder", "over_sphere", "via", "ranged")
TENSIONS = [Symbol(f"tension_{name}") for name in NAMES]
TIME = me.dynamicsymbols._t


@pytest.fixture(scope="module")
def pulled():
    """A limb with tensions of muscles as loads of its System."""
    model = jw.musculoskeletal.read_osim(FIXED)
    for tension, name in zip(TENSIONS, NAMES, strict=True):
        model.system.add_actuators(me.ForceActuator(-tension, model.muscles[name].pathway))
    return model


def test_lengths_rates_and_forces_are_those_of_the_geometry(pulled):
    q, u = np.random.default_rng(4).uniform(-0.9, 0.9, (2, 4)), np.array([[0.3, -1, 2, 0.7]] * 2)
    paths = jw.musculoskeletal.MuscleGeometry(pulled, NAMES)(q)
    pathways = [pulled.muscles[name].pathway for name in NAMES]
    assert pulled.muscles["via"].pathway is pathways[2]
    assert [*map(type, pathways)] == [me.LinearPathway] * 2 + [me.ObstacleSetPathway] * 2
    rates = dict(zip(pulled.system.q.diff(TIME), pulled.system.u, strict=True))
    formulas = [path.length for path in pathways]
    formulas += [path.extension_velocity.xreplace(rates) for path in pathways]
    numbers = lambdify([[*pulled.system.q], [*pulled.system.u]], formulas, cse=True)
    found = np.array([numbers(*state) for state in zip(q, u, strict=True)])
    assert_allclose(found[:, :4], paths.lengths, rtol=1e-13)
    assert_allclose(found[:, 4:], -np.einsum("nkm,nk->nm", paths.moment_arms, u), atol=1e-13)
    evaluate = pulled.inverse_dynamics().compile("generalized_forces", backend="numpy")
    tensions = (dict(zip(TENSIONS, own, strict=True)) for own in (np.zeros(4), *np.eye(4)))
    none, *results = (evaluate(q, 0 * q, 0 * q, constants=x) for x in tensions)
    forces = [none.generalized_forces - x.generalized_forces for x in results]
    assert_allclose(np.stack(forces, axis=-1), paths.moment_arms, atol=1e-13)
    assert np.abs(paths.moment_arms).max(axis=(0, 1)).min() > 0.01


@pytest.mark.slow
def test_musculotendon_of_sympy():
    """De Groote's muscle with a rigid tendon, in KanesMethod: its force at its moment arms."""
    model = jw.musculoskeletal.read_osim(FIXED)
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
    q, u = np.zeros(4), np.linspace(-1, 1, 4)
    model.system.form_eoms()
    state = dict(zip([*model.system.q.diff(TIME), *model.system.u], [*u, *u], strict=True))
    forcing = model.system.forcing.doit().xreplace(state).subs({x: 0 for x in model.system.q})
    passive, active = (np.array(forcing.subs(made.a, x), float).ravel() for x in (0, 0.7))
    arms = jw.musculoskeletal.MuscleGeometry(model, ["via"])(q).moment_arms[:, 0]
    force = made.force.doit().xreplace(state).subs({x: 0 for x in model.system.q})
    pulls = [-float(force.subs(made.a, part)) for part in (0.0, 0.7)]
    assert pulls[1] - pulls[0] > 100
    assert_allclose(active - passive, arms * (pulls[1] - pulls[0]), atol=1e-9)


@pytest.mark.parametrize("name", ["via", "moving", "over_cylinder"])
def test_other_paths_are_refused_by_name(name):
    muscle = jw.musculoskeletal.read_osim(TEXT).muscles[name]
    refused(lambda: muscle.pathway, "muscle")
