"""Factorizations of matrices and orthogonal vectors, in the scalars of a graph.

A symmetric positive definite matrix is factored as ``L^T D L`` with a unit lower triangle L,
without pivoting, from the last unknown to the first.  If the unknowns are those of a tree, from the
tips inwards, zeros stay zeros: separate branches are never coupled [1]_.  Vectors are
orthogonalised without pivoting, or with pivots chosen at run time [2]_.

References
==========

.. [1] R. Featherstone, Efficient factorization of the joint-space inertia matrix for
   branched kinematic trees, Int. J. Robotics Research 24 (2005) 487-500.
.. [2] A. Bjorck, Numerical methods for least squares problems, SIAM (1996), section 2.4.
"""

from collections.abc import Container, Sequence

from sympy import Max, Rational

from ...checks.tolerances import DEFICIENT, SMALLEST_SQUARE
from .graph import Scalar, apply_function, total
from .piecewise import Certain, Select

#: A matrix of scalars, by rows.
Matrix = Sequence[Sequence[Scalar]]


class Factorization:
    """The factors ``L^T D L`` of a symmetric positive definite matrix with exact zeros.

    Parameters
    ==========

    matrix : Matrix
        The matrix.
    order : sequence of int
        The order in which unknowns are eliminated; for a tree, from the tips inwards.
    doubtful : container of int
        Unknowns whose pivot may vanish at some states: results are NaN where only roundoff is left
        of such a pivot.

    Attributes
    ==========

    pivots : list of Scalar
        The entries of D, in the order of elimination.
    """

    def __init__(self, matrix: Matrix, order: Sequence[int], doubtful: Container[int] = ()) -> None:
        rows = [list(row) for row in matrix]
        self._order = list(order)
        self._inverses: dict[int, Scalar] = {}
        self.pivots: list[Scalar] = []
        self._shares: dict[int, dict[int, Scalar]] = {}  # L: eliminated unknown, remaining unknown
        for place, k in enumerate(self._order):
            self.pivots.append(rows[k][k])
            pivot = rows[k][k]
            if k in doubtful and pivot.ref != matrix[k][k].ref:
                pivot = apply_function(Certain, pivot, matrix[k][k] * DEFICIENT, pivot)
            inverse = self._inverses[k] = pivot.reciprocal()
            remaining = [i for i in self._order[place + 1 :] if not rows[k][i].is_zero]
            self._shares[k] = {i: rows[k][i] * inverse for i in remaining}
            for number, i in enumerate(remaining):
                for j in remaining[number:]:
                    rows[i][j] = rows[j][i] = rows[i][j] - self._shares[k][i] * rows[k][j]

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution x of ``L^T D L x = right``."""
        return self.substitute_back(self.divide_by_pivots(self.eliminate(right)))

    def eliminate(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return ``L^-T right``, the right side after elimination."""
        values = list(right)
        for k in self._order:
            for i, share in self._shares[k].items():
                values[i] = values[i] - share * values[k]
        return values

    @property
    def inverses(self) -> list[Scalar]:
        """The inverses of the entries of D, by the index of the unknown."""
        return [self._inverses[k] for k in range(len(self._inverses))]

    def divide_by_pivots(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Return ``D^-1 values``."""
        return [x * self._inverses[k] for k, x in enumerate(values)]

    def substitute_back(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Return ``L^-1 values``."""
        found = list(values)
        for k in reversed(self._order):
            for i, share in self._shares[k].items():
                found[k] = found[k] - share * found[i]
        return found


def nan_if_rounding(value: Scalar, square: Scalar, largest: Scalar) -> Scalar:
    """Return a value, or NaN where ``square`` is only roundoff relative to ``largest``.

    ``square`` is a squared length and ``largest`` an upper bound of it.
    """
    if square.is_number:
        return value
    return apply_function(Certain, square, largest * DEFICIENT**2, value)


def orthogonalise(
    vectors: list[list[Scalar]], count: int, size: int, largest: Sequence[Scalar] = ()
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Make vectors orthogonal in place (modified Gram-Schmidt).

    Return the components of all later vectors along each of the first ``count`` vectors, and the
    reciprocals of these vectors' squared lengths.  Only the first ``size`` entries of a vector
    count. ``largest`` are upper bounds of the squared lengths: results are NaN where only roundoff
    is left of a vector.  If there are vectors beyond ``count`` (right sides), only their components
    become NaN, so that the elimination does not wait for comparisons.
    """
    shares: list[list[Scalar]] = []
    inverses = []
    waiting = count if count < len(vectors) else 0
    for k, vector in enumerate(vectors[:count]):
        square = dot(vector[:size], vector[:size])
        if square.is_zero:
            raise ValueError(f"The linear system has only rank {k}.")
        plain = square.reciprocal()
        inverses.append(nan_if_rounding(plain, square, largest[k]) if largest else plain)
        later = list(enumerate(vectors))[k + 1 :]
        products = ((i, dot(vector[:size], other[:size])) for i, other in later)
        shares.append([x * (inverses[k] if i >= waiting else plain) for i, x in products])
        for share, (_, other) in zip(shares[k], later, strict=True):
            other[:] = [x - share * y for x, y in zip(other, vector, strict=True)]
    return shares, inverses


def squared_remainders(
    vectors: Sequence[Sequence[Scalar]], weights: Sequence[Scalar], largest: Sequence[Scalar]
) -> list[Scalar]:
    """Return the weighted squared lengths of vectors after orthogonalisation; none is zero.

    ``largest`` are upper bounds of the squared lengths.
    """
    left, found = [list(vector) for vector in vectors], list[Scalar]()
    for k, vector in enumerate(left):
        weighted = [x * weight for x, weight in zip(vector, weights, strict=True)]
        found.append(floor_at_rounding(dot(vector, weighted), largest[k]))
        couplings = [dot(other, weighted) for other in left[k + 1 :]]
        for other, coupling in zip(left[k + 1 :], couplings, strict=True):
            if not coupling.is_zero:
                share = coupling * found[k].reciprocal()
                other[:] = [x - share * y for x, y in zip(other, vector, strict=True)]
    return found


def floor_at_rounding(square: Scalar, largest: Scalar) -> Scalar:
    """Return a squared length, raised to a tiny part of ``largest`` where it is smaller."""
    if square.is_number and not square.is_zero:
        return square
    return apply_function(Max, square, largest * SMALLEST_SQUARE)


def orthonormal_rows(
    rows: Sequence[Sequence[Scalar]],
    size: int,
    rank: int,
    largest: Scalar | None = None,
    is_measured: bool = False,
) -> list[list[Scalar]]:
    """Return ``rank`` orthonormal rows that span the given rows, which have this rank.

    Only the first ``size`` entries of a row count; all others are combined likewise.  The longest
    of the remaining rows is selected at run time, by comparisons and exchanges, so that no pivot is
    fixed in advance.  Results are NaN where the longest row is only roundoff relative to the
    squared length ``largest``; with ``is_measured`` its length is raised to a tiny value instead.
    """
    found: list[list[Scalar]] = []
    left = [list(row) for row in rows]
    while len(found) < rank:
        if len(left) > rank - len(found):
            _move_longest_first(left, size)
        best = left.pop(0)
        for unit in found:  # orthogonalise again: "twice is enough"
            best = _without_component(best, unit, size)
        square = dot(best[:size], best[:size])
        known = floor_at_rounding(square, largest) if largest and is_measured else square
        share = known ** Rational(-1, 2)
        if largest and not is_measured:
            share = nan_if_rounding(share, square, largest)
        found.append([x * share for x in best])
        left = [_without_component(row, found[-1], size) for row in left]
    return found


def _move_longest_first(rows: list[list[Scalar]], size: int) -> None:
    """Exchange rows at run time, in place, such that the longest row comes first."""
    square = dot(rows[0][:size], rows[0][:size])
    for k in range(1, len(rows)):
        own = dot(rows[k][:size], rows[k][:size])
        best = [_select_if_larger(own, square, x, y) for x, y in zip(rows[k], rows[0], strict=True)]
        rest = [_select_if_larger(own, square, y, x) for x, y in zip(rows[k], rows[0], strict=True)]
        rows[0], rows[k] = best, rest
        square = _select_if_larger(own, square, own, square)


def _select_if_larger(left: Scalar, right: Scalar, one: Scalar, other: Scalar) -> Scalar:
    """Return ``one`` where left > right, else ``other``."""
    if one.ref == other.ref:
        return one
    return apply_function(Select, left, right, one, other)


def _without_component(row: Sequence[Scalar], unit: Sequence[Scalar], size: int) -> list[Scalar]:
    """Return a row minus its projection on a unit row."""
    share = dot(row[:size], unit[:size])
    return [x - share * y for x, y in zip(row, unit, strict=True)]


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return the scalar product of two sequences of at least one scalar."""
    return total(x * y for x, y in zip(left, right, strict=True))
