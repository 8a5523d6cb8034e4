"""Factors of matrices, and vectors made orthogonal, in the scalars of a graph.

A symmetric positive definite matrix is ``L^T D L`` with a unit triangle L, made without pivots from
the last unknown to the first.  Where unknowns are those of a tree, from the tips inwards, zeros
stay zeros: separate branches are never coupled [1]_.  Vectors are made orthogonal without pivots or
with pivots chosen at run time [2]_.

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

#: Rows of a matrix.
Matrix = Sequence[Sequence[Scalar]]


class Factorization:
    """The factors L D L^T of a symmetric positive definite matrix; its zeros should be exact."""

    # Unknowns are eliminated in an order, for a tree from the tips inwards; pivots, the entries of
    # D, stand in that order. What pivots of doubtful unknowns determine is NaN where rounding is
    # all that is left of them.

    def __init__(self, matrix: Matrix, order: Sequence[int], doubtful: Container[int] = ()) -> None:
        rows = [list(row) for row in matrix]
        self._order = list(order)
        self._inverses: dict[int, Scalar] = {}
        self.pivots: list[Scalar] = []
        self._shares: dict[int, dict[int, Scalar]] = {}  # of what is eliminated in what remains
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
        """Return the solution for a right side."""
        return self.substitute_back(self.divide_by_pivots(self.eliminate(right)))

    def eliminate(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return a right side after elimination, ``L^-T b``."""
        values = list(right)
        for k in self._order:
            for i, share in self._shares[k].items():
                values[i] = values[i] - share * values[k]
        return values

    @property
    def inverses(self) -> list[Scalar]:
        """The inverses of the entries of D, by their indices."""
        return [self._inverses[k] for k in range(len(self._inverses))]

    def divide_by_pivots(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Return ``D^-1 b`` for what is reduced."""
        return [x * self._inverses[k] for k, x in enumerate(values)]

    def substitute_back(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution ``L^-1 b`` for what is reduced and scaled."""
        found = list(values)
        for k in reversed(self._order):
            for i, share in self._shares[k].items():
                found[k] = found[k] - share * found[i]
        return found


class SingularError(ValueError):
    """A linear system that does not determine all unknowns."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        super().__init__(f"The linear system has only rank {rank}.")


def nan_if_rounding(value: Scalar, square: Scalar, largest: Scalar) -> Scalar:
    """Return a value, NaN where a square is but rounding beside the largest one that may be."""
    if square.is_number:
        return value
    return apply_function(Certain, square, largest * DEFICIENT**2, value)


def orthogonalise(
    vectors: list[list[Scalar]], count: int, size: int, largest: Sequence[Scalar] = ()
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Make vectors orthogonal; return the components along each of later ones, and 1 / squares."""
    # NaN where a vector is but rounding beside the largest square that is given for it: components
    # of vectors beyond the count, which wait for no comparison then, or of all if there are none.
    shares: list[list[Scalar]] = []
    inverses = []
    waiting = count if count < len(vectors) else 0
    for k, vector in enumerate(vectors[:count]):
        square = dot(vector[:size], vector[:size])
        if square.is_zero:
            raise SingularError(k)
        plain = square.reciprocal()
        inverses.append(nan_if_rounding(plain, square, largest[k]) if largest else plain)
        later = list(enumerate(vectors))[k + 1 :]
        shares.append(
            [
                dot(vector[:size], other[:size]) * (inverses[k] if i >= waiting else plain)
                for i, other in later
            ]
        )
        for share, (_, other) in zip(shares[k], later, strict=True):
            other[:] = [x - share * y for x, y in zip(other, vector, strict=True)]
    return shares, inverses


def squared_remainders(
    vectors: Sequence[Sequence[Scalar]], weights: Sequence[Scalar], largest: Sequence[Scalar]
) -> list[Scalar]:
    """Return the weighted squares of what is left of vectors beside those before; none is zero."""
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
    """Return a square, or less than rounding where it is less than that."""
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
    """Return orthonormal rows that span rows of a known rank; more entries follow."""
    # Which row is the longest of those that are left is seen while numbers are computed: each step
    # compares two and exchanges them. All is NaN where it is rounding beside the largest square
    # that is given, but not where that is what is measured.
    found: list[list[Scalar]] = []
    left = [list(row) for row in rows]
    while len(found) < rank:
        if len(left) > rank - len(found):
            _move_longest_first(left, size)
        best = left.pop(0)
        for unit in found:  # once more: twice is enough
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
    square = dot(rows[0][:size], rows[0][:size])
    for k in range(1, len(rows)):
        own = dot(rows[k][:size], rows[k][:size])
        best = [_select_if_larger(own, square, x, y) for x, y in zip(rows[k], rows[0], strict=True)]
        rest = [_select_if_larger(own, square, y, x) for x, y in zip(rows[k], rows[0], strict=True)]
        rows[0], rows[k] = best, rest
        square = _select_if_larger(own, square, own, square)


def _select_if_larger(left: Scalar, right: Scalar, one: Scalar, other: Scalar) -> Scalar:
    """Return one value where left > right, else the other."""
    if one.ref == other.ref:
        return one
    return apply_function(Select, left, right, one, other)


def _without_component(row: Sequence[Scalar], unit: Sequence[Scalar], size: int) -> list[Scalar]:
    """Return a row without its part along a unit row."""
    share = dot(row[:size], unit[:size])
    return [x - share * y for x, y in zip(row, unit, strict=True)]


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return the sum of the products of one or more pairs of values."""
    return total(x * y for x, y in zip(left, right, strict=True))
