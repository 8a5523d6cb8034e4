"""Vectors and matrices of scalars."""

import pytest
from sympy import Matrix, diag, eye

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.vectors import Mat

X = Matrix([[5, 0, 0], [0, 3, -4], [0, 4, 3]]) / 5
CYCLE = Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
Y, Z = CYCLE * X * CYCLE.T, CYCLE.T * X * CYCLE
HALF_TURNS = [diag(1, -1, -1), diag(-1, 1, -1), diag(-1, -1, 1)]


@pytest.mark.parametrize("rotation", [eye(3), X, Y, Z, X.T, CYCLE, X * Y * Z, *HALF_TURNS])
def test_turned_symmetric_matrix(rotation):
    matrix, graph = Matrix([[2, 3, 5], [3, 7, 11], [5, 11, 13]]), Graph()
    turned = Mat.enter(graph, matrix).turned(Mat.enter(graph, rotation))
    found = [graph.to_sympy([entry.ref for entry in row.components]) for row in turned.rows]
    assert Matrix(found) == rotation * matrix * rotation.T
