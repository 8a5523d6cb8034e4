"""Constrained accelerations against 60 digits: any unit, light and massless, redundant."""

import mpmath
import numpy as np
import pytest
from numeric import FUNCTIONS
from sympy import Float, Symbol

from jointwrench.mechanics.arithmetic.generic_state import GenericState
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.operations import Arithmetic
from jointwrench.mechanics.dynamics.loops.balance import Balance, MassMatrix, Measures, least_fill

THIRD = Symbol("third")


def random_case(seed, columns=1.0, ratio=1.0, condition=1.0, massless=0, extra=0):
    """Return M, J, f and g of 6 speeds and 3 constraints, every other speed in another unit."""
    numbers = np.random.default_rng(seed)
    spread = np.ones(6)
    spread[numbers.permutation(6)[:3]] = np.sqrt(ratio)
    half = numbers.normal(size=(6, 6)) * spread
    matrix = half.T @ half + np.diag(spread**2)
    still = numbers.permutation(6)[:massless]
    matrix[still], matrix[:, still] = 0, 0
    left, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
    right, _ = np.linalg.qr(numbers.normal(size=(6, 3)))
    rows = left @ np.diag(np.geomspace(1, 1 / condition, 3)) @ right.T
    units = np.where(np.arange(6) % 2, columns, 1.0)
    matrix, rows = matrix * np.outer(units, units), rows * units
    forces = numbers.normal(size=6) * units * np.sqrt(np.maximum(ratio, np.diag(matrix) / units**2))
    changes = numbers.normal(size=3)
    combined = numbers.integers(-2, 3, size=(extra, 3))
    rows, changes = np.round(rows * 2.0**60) / 2.0**60, np.round(changes * 2.0**30) / 2.0**30
    return matrix, rows, forces, changes, combined, units


def exact(matrix, rows, forces, changes):
    """Return the accelerations by elimination in 60 digits."""
    with mpmath.workdps(60):
        count, rank = len(matrix), len(rows)
        system = mpmath.zeros(count + rank)
        for i in range(count):
            for k in range(count):
                system[i, k] = matrix[i, k]
            for k in range(rank):
                system[i, count + k], system[count + k, i] = -rows[k, i], rows[k, i]
        found = mpmath.lu_solve(system, mpmath.matrix([*forces, *changes]))
        return np.array([float(found[i]) for i in range(count)])


def solve(matrix, rows, forces, changes, combined, units, may_be_singular):
    """Return the accelerations by `Balance`, in doubles, redundant rows as exact combinations."""
    graph = Graph()
    one = graph.scalar(3) * graph.scalar(THIRD)  # so that no number is folded

    def entered(array):
        return [[graph.scalar(Float(float(x))) * one for x in row] for row in array]

    own = entered(rows)
    own += [combination(graph, weights, own) for weights in combined]
    right = entered([forces])[0], entered([changes])[0]
    right[1].extend(combination(graph, w, [[x] for x in right[1][:3]])[0] for w in combined)
    scalars = [graph.scalar(Float(float(unit))) for unit in units]
    measures = Measures([graph.scalar(1)] * len(own), scalars, graph.scalar(1))
    state = GenericState(graph)
    mass = MassMatrix(graph, entered(matrix), range(len(matrix)), state)
    balance = Balance(graph, mass, own, state, measures, may_be_singular)
    accelerations, _ = balance.solve(*right)
    arithmetic = Arithmetic(
        symbol=lambda symbol: 1 / 3,
        number=float,
        call=lambda function, arguments: float(FUNCTIONS[function](*arguments)),
    )
    with np.errstate(all="ignore"):
        return np.array(graph.evaluate([x.ref for x in accelerations], arithmetic))


def combination(graph, weights, rows):
    """Return a sum of rows, each so many times."""
    found = [graph.scalar(0)] * len(rows[0])
    for weight, row in zip(weights.tolist(), rows, strict=True):
        found = [x + graph.scalar(weight) * y for x, y in zip(found, row, strict=True)]
    return found


@pytest.mark.parametrize("extra", [0, 2])
@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({}, 1e-13),
        ({"columns": 1e-3}, 1e-13),
        ({"columns": 1e-6}, 1e-13),
        ({"ratio": 1e-6}, 1e-13),
        ({"ratio": 1e-12}, 1e-12),
        ({"condition": 1e4}, 1e-9),
        ({"massless": 2}, 1e-12),
        ({"massless": 2, "columns": 1e-3}, 1e-12),
        ({"massless": 2, "columns": 1e-6}, 1e-12),
    ],
)
def test_accelerations(options, tolerance, extra):
    *case, combined, units = random_case(0, **options, extra=extra)
    found = solve(*case, combined, units, may_be_singular="massless" in options)
    expected = exact(*case)
    # relative to the largest, in the units of the speeds
    error = np.abs((found - expected) * units).max() / np.abs(expected * units).max()
    assert error < tolerance


def test_what_is_coupled_with_few_others_is_eliminated_first():
    graph = Graph()
    zero, one = graph.scalar(0), graph.scalar(1)
    arrow = [[one if i == k or 0 in (i, k) else zero for k in range(4)] for i in range(4)]
    assert least_fill(arrow)[-2:] in ([0, 3], [3, 0], [2, 0], [0, 2], [1, 0], [0, 1])
    assert least_fill(arrow)[0] != 0
