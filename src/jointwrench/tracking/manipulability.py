"""Yoshikawa's manipulability of points and frames, in a graph.

``w = sqrt(det(J J'))``, with the velocities of points and the angular velocities of frames
per unit of each speed as rows of ``J``.  It vanishes where the model is singular; units and frames
of the rows change it by a factor that is the same everywhere.

References
==========

.. [1] T. Yoshikawa, Manipulability of robotic mechanisms, International Journal of Robotics
   Research 4 (1985), 3-9.
"""

from collections.abc import Collection, Iterable

from sympy import Expr, Pow, Rational

from ..mechanics.arithmetic.graph import Scalar, total
from ..mechanics.arithmetic.vectors import Vec
from ..mechanics.dynamics.recursion.observed_motion import ObservedMotion
from ..mechanics.mechanism.loads import LinkIndex


def reciprocal_manipulability(
    seen: ObservedMotion,
    points: Iterable[LinkIndex],
    frames: Iterable[LinkIndex],
    speeds: Collection[Expr],
) -> Scalar:
    """Return ``1/w`` for some of the speeds; links are those of points and frames."""
    linear = [{u: x.linear for u, x in seen.partial_velocities(k).items()} for k in points]
    angular = [{u: x.angular for u, x in seen.partial_velocities(k).items()} for k in frames]
    graph = seen.tree.graph
    nothing = Vec(*[graph.scalar(0)] * 3)
    columns = [[own.get(u, nothing) for u in speeds] for own in (*linear, *angular)]
    rows = [[vector.components[k] for vector in own] for own in columns for k in range(3)]
    rows = [row for row in rows if not all(entry.is_zero for entry in row)]
    square = [[total(x * y for x, y in zip(a, b, strict=True)) for a in rows] for b in rows]
    determinant = graph.scalar(1)
    for k, row in enumerate(square):  # elimination, symmetric
        determinant = determinant * row[k]
        for i in range(k + 1, len(rows)):
            part = square[i][k] / row[k]
            for j in range(k + 1, i + 1):
                square[i][j] = square[i][j] - part * square[j][k]
    half = graph.enter(Rational(1, 2))
    return Scalar(graph, graph.call(Pow, [determinant.ref, half])).reciprocal()
