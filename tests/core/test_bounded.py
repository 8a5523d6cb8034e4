"""Bounds of rounding errors: they contain the error, and zeros are never proved not to be zero."""

import numpy as np
import pytest
from numbered_arms import ROBOTS, robot
from sympy import cos, sin, symbols

from jointwrench.mechanics.arithmetic.generic_state import GenericState
from jointwrench.mechanics.arithmetic.graph import Graph

x, y, z = symbols("x y z")


def zeros_and_others(graph):
    """Return values that vanish for all inputs, some of them by cancellation, and others."""
    a, b, c = map(graph.scalar, (x, y, z))
    double = graph.scalar(sin(2 * x)) - graph.scalar(sin(x)) * graph.scalar(cos(x)) * 2
    cubes = (a + b) * (a + b) * (a - b) - (a * a - b * b) * (a + b)
    inverse = (a + b).reciprocal() * (a + b) * c - c
    small = graph.scalar(1e-17) * a + cubes
    return [double, cubes, inverse, cubes * c], [a - b, small * b, a.reciprocal() + c, double + a]


def test_zeros_are_not_proved():
    graph = Graph()
    zeros, others = zeros_and_others(graph)
    state = GenericState(graph, is_rounded=False)
    proved = state._bounded.are_nonzero([v.ref for v in [*zeros, *others, graph.scalar(0)]])
    assert not any(proved[: len(zeros)])
    assert not proved[-1]
    assert state.are_zero([*zeros, *others]) == [True] * len(zeros) + [False] * len(others)


def test_few_values_are_doubtful():
    """Most values are decided without many digits: what is nonzero is proved so."""
    graph = Graph()
    _, others = zeros_and_others(graph)
    proved = GenericState(graph, is_rounded=False)._bounded.are_nonzero([v.ref for v in others])
    assert proved == [True, False, True, True]  # the second one cancels


@pytest.mark.parametrize("name", ["Puma 560"])
def test_bounds_contain_the_errors(name):
    """Of all values of the derivatives of an arm, against many digits."""
    outputs = robot(ROBOTS[name]).model.outputs
    program = outputs.cheapest(["generalized_forces"], None, ["q"])
    state, refs = GenericState(program.graph, is_rounded=False), list(program.operations)
    state._bounded.are_nonzero(refs)
    exact = program.graph.evaluate(refs, state._arithmetic, {})
    shares = []
    for ref, found in zip(refs, exact, strict=True):
        value, bound = state._bounded._known[ref]
        assert abs(found.value - value) <= bound
        shares.append(bound / abs(value))
    assert np.median(shares) < 1e-13
