"""Vectors and matrices of scalars."""

import pytest
from sympy import Matrix, cos, diag, eye, pi, sin, symbols
from sympy.physics.vector import ReferenceFrame

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.vectors import Mat, merge_rotations

X = Matrix([[5, 0, 0], [0, 3, -4], [0, 4, 3]]) / 5
CYCLE = Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
Y, Z = CYCLE * X * CYCLE.T, CYCLE.T * X * CYCLE
HALF_TURNS = [diag(1, -1, -1), diag(-1, 1, -1), diag(-1, -1, 1)]


@pytest.mark.parametrize("rotation", [eye(3), X, Y, Z, X.T, CYCLE, X * Y * Z, *HALF_TURNS])
def test_turned_symmetric_matrix(rotation):
    matrix, graph = Matrix([[2, 3, 5], [3, 7, 11], [5, 11, 13]]), Graph()
    turned = Mat.enter(graph, matrix).rotated(Mat.enter(graph, rotation))
    found = [graph.to_sympy([entry.ref for entry in row.components]) for row in turned.rows]
    assert Matrix(found) == rotation * matrix * rotation.T


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
@pytest.mark.parametrize("axis", range(3))
def test_turns_about_one_axis_are_one(axis, quarters):
    (q1, q2), graph, N = symbols("q1 q2"), Graph(), ReferenceFrame("N")
    one, other = (ReferenceFrame(name) for name in "AB")
    one.orient_axis(N, [*N][axis], q1 + quarters * pi / 2)
    other.orient_axis(N, -[*N][axis], pi / 2 - q2)
    (found,) = merge_rotations(Mat.enter(graph, turn) for turn in (N.dcm(one), other.dcm(N)))
    rows = [graph.to_sympy([entry.ref for entry in row.components]) for row in found.rows]
    expected = other.dcm(N) * N.dcm(one)
    assert abs(Matrix(rows) - expected).subs({q1: 0.3, q2: 1.1}).norm() < 1e-15
    assert {wave.args[0] for wave in Matrix(rows).atoms(sin, cos)} <= {q1 - q2, q2 - q1}
