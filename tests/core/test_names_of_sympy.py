"""The properties that sympy 1.15 gives every method, with its meaning."""

import constrained_models
import linkages
import pytest
from classical import N, double_pendulum
from sympy import Matrix, simplify

import jointwrench as jw

KINDS = [jw.InverseDynamics, jw.ForwardDynamics]
COLUMNS = ("q", "u", "holonomic_constraints", "nonholonomic_constraints")


def columns(model):
    """Return the columns of a method; KanesMethod has those of constraints since sympy 1.15."""
    return {name: [*getattr(model, name)] for name in COLUMNS if hasattr(model, name)}


@pytest.mark.parametrize("kind", KINDS)
def test_without_constraints(kind):
    model = double_pendulum(False)
    own = kind.from_kane(model.kane, model.connections)
    assert columns(own) == {**columns(own), **columns(model.kane)}
    assert own.holonomic_constraints.shape == own.nonholonomic_constraints.shape == (0, 1)
    assert own.frame is N
    assert [*own.bodies] == [*model.kane.bodies]
    assert [(load.location, load.vector) for load in own.loads] == [*model.kane.loads]


@pytest.mark.parametrize("kind", KINDS)
def test_positions(kind):
    """Their rates, which KanesMethod has among its velocity constraints, are no further ones."""
    model = constrained_models.four_bar_of_kanes_method()
    own = kind.from_kane(model.kane, model.connections, loops=model.loops)
    assert own.holonomic_constraints == Matrix(model.loops[0].holonomic_constraints)
    assert own.nonholonomic_constraints.shape == (0, 1)
    assert columns(own) == {**columns(own), **columns(model.kane)}


def test_velocities():
    model = constrained_models.rolling_disc_with_places()
    own = jw.InverseDynamics.from_kane(model.kane, model.connections, loops=model.loops)
    rates = {rate: value for rate, value in model.kane.kindiffdict().items()}
    expected = Matrix(model.loops[0].velocity_constraints).xreplace(rates)
    assert own.holonomic_constraints.shape == (0, 1)
    assert own.nonholonomic_constraints.shape == expected.shape == (3, 1)
    assert simplify(own.nonholonomic_constraints.xreplace(rates) - expected).is_zero_matrix


@pytest.mark.parametrize("has_own", [True, False])
def test_a_system_and_its_loops(has_own):
    """The System's own equations, or those of loops where it has none."""
    bars = linkages.four_bar([1, 2, 3, 2.5])
    if has_own:
        linkages.closed(bars.system, bars.loop)
    own = jw.InverseDynamics(bars.system, loops=[bars.loop], actuated=[])
    assert own.holonomic_constraints == Matrix(bars.loop.holonomic_constraints)
    assert own.nonholonomic_constraints.shape == (0, 1)
