"""Vectors of scalars made orthogonal to each other, without pivots or with ones chosen at run time.

References
==========

.. [1] A. Bjorck, Numerical methods for least squares problems, SIAM (1996), section 2.4.
"""

from collections.abc import Sequence

from sympy import Pow, Rational

from .graph import Scalar, total
from .select import Select


class SingularError(ValueError):
    """A linear system that leaves unknowns open."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        super().__init__(f"The linear system has only rank {rank}.")


def orthogonalise(
    vectors: list[list[Scalar]], count: int, size: int
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Make the first ``size`` entries of vectors orthogonal to those of ``count`` before them.

    Returns the shares of each vector in those behind it, and the reciprocals of the
    squares of the vectors.
    """
    shares: list[list[Scalar]] = []
    inverses = []
    for k, vector in enumerate(vectors[:count]):
        square = dot(vector[:size], vector[:size])
        if square.is_zero:
            raise SingularError(k)
        inverses.append(square.reciprocal())
        shares.append(
            [dot(vector[:size], other[:size]) * inverses[k] for other in vectors[k + 1 :]]
        )
        for share, other in zip(shares[k], vectors[k + 1 :], strict=True):
            other[:] = [x - share * y for x, y in zip(other, vector, strict=True)]
    return shares, inverses


def chosen_rows(rows: Sequence[Sequence[Scalar]], size: int, rank: int) -> list[list[Scalar]]:
    """Return unit rows across each other that span rows of a known rank.

    Entries behind ``size`` follow.  Which row is the longest of those that are left is seen
    while numbers are computed: each step compares two and exchanges them.
    """
    found: list[list[Scalar]] = []
    left = [list(row) for row in rows]
    while len(found) < rank:
        if len(left) > rank - len(found):
            _put_longest_first(left, size)
        best = left.pop(0)
        for unit in found:  # once more: twice is enough
            best = _across(best, unit, size)
        length = Scalar(best[0].graph, _root_of_inverse(dot(best[:size], best[:size])))
        found.append([x * length for x in best])
        left = [_across(row, found[-1], size) for row in left]
    return found


def _put_longest_first(rows: list[list[Scalar]], size: int) -> None:
    square = dot(rows[0][:size], rows[0][:size])
    for k in range(1, len(rows)):
        own = dot(rows[k][:size], rows[k][:size])
        best = [_where_more(own, square, x, y) for x, y in zip(rows[k], rows[0], strict=True)]
        rest = [_where_more(own, square, y, x) for x, y in zip(rows[k], rows[0], strict=True)]
        rows[0], rows[k] = best, rest
        square = _where_more(own, square, own, square)


def _where_more(left: Scalar, right: Scalar, one: Scalar, other: Scalar) -> Scalar:
    """Return one value where left > right, else the other."""
    if one.ref == other.ref:
        return one
    graph = left.graph
    return Scalar(graph, graph.call(Select, [left.ref, right.ref, one.ref, other.ref]))


def _across(row: Sequence[Scalar], unit: Sequence[Scalar], size: int) -> list[Scalar]:
    """Return a row without its part along a unit row."""
    share = dot(row[:size], unit[:size])
    return [x - share * y for x, y in zip(row, unit, strict=True)]


def _root_of_inverse(square: Scalar) -> int:
    return square.graph.call(Pow, [square.ref, square.graph.number(Rational(-1, 2))])


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return the sum of the products of one or more pairs of values."""
    return total(x * y for x, y in zip(left, right, strict=True))
