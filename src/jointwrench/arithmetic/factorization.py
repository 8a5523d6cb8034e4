"""Symmetric positive definite matrices in the scalars of a graph: factors, without pivots.

The matrix is ``L^T D L`` with a unit triangle L, made from the last unknown to the
first.  Where unknowns are those of a tree, from the tips inwards, zeros stay zeros:
branches that do not carry each other never meet.

References
==========

.. [1] R. Featherstone, Efficient factorization of the joint-space inertia matrix for
   branched kinematic trees, Int. J. Robotics Research 24 (2005) 487-500.
"""

from collections.abc import Sequence

from .graph import Scalar


class Factorization:
    """The factors L D L^T of a symmetric positive definite matrix; its zeros should be exact.

    Unknowns are eliminated in ``order``, for a tree from the tips inwards; ``pivots``, the entries
    of D, stand in that order.
    """

    def __init__(self, matrix: Sequence[Sequence[Scalar]], order: Sequence[int]) -> None:
        rows = [list(row) for row in matrix]
        self._order = list(order)
        self._inverses: dict[int, Scalar] = {}
        self.pivots: list[Scalar] = []
        self._shares: dict[int, dict[int, Scalar]] = {}  # of what is eliminated in what remains
        for place, k in enumerate(self._order):
            self.pivots.append(rows[k][k])
            inverse = self._inverses[k] = rows[k][k].reciprocal()
            remaining = [i for i in self._order[place + 1 :] if not rows[k][i].is_zero]
            self._shares[k] = {i: rows[k][i] * inverse for i in remaining}
            for number, i in enumerate(remaining):
                for j in remaining[number:]:
                    rows[i][j] = rows[j][i] = rows[i][j] - self._shares[k][i] * rows[k][j]

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution for a right side."""
        values = list(right)
        for k in self._order:
            for i, share in self._shares[k].items():
                values[i] = values[i] - share * values[k]
            values[k] = values[k] * self._inverses[k]
        for k in reversed(self._order):
            for i, share in self._shares[k].items():
                values[k] = values[k] - share * values[i]
        return values
