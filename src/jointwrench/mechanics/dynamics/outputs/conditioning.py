"""The distance of a pose from poses in which unknown forces cannot be distinguished.

The generalized forces of unit unknowns span a volume in the metric of the inverse mass matrix M. So
do those of each group g of unknowns (the forces of a loop joint, its moments, a motor, a load, a
constraint equation).  The conditioning is the square root of

``det G / prod det G_gg * min(1, det G_gg / s_g^n_g over all groups g)``,  ``G = A^T M^-1 A``

with the columns A of the unknowns.  The first factor is zero where groups depend on each other, the
second where a group has no effect, such as the drive of a slider at a dead point: s_g is the mean
square of the effect that the group would have in any direction, which no pose makes small.  So
neither units, nor the heading of the model, nor the frames of loops matter.  If the unknowns of a
group depend on each other in all poses, its determinant is replaced by the sum of the principal
minors whose order is its rank.

If unknowns of different groups depend on each other in all poses (redundant unknowns), each column
is divided by the square root of its s_g, and the mean principal minor of G of order r, the rank, is
compared with the mean diagonal entry, at least one, to the power of r (Maclaurin's inequality: the
quotient is at most one).
"""

from collections.abc import Sequence
from functools import partial, reduce
from itertools import chain
from math import comb
from typing import Any, NamedTuple

from sympy import Max, Min, S

from ...arithmetic.factorization import (
    Factorization,
    Matrix,
    dot,
    orthonormal_rows,
    squared_remainders,
)
from ...arithmetic.graph import Scalar, apply_function, total
from ...arithmetic.output import Output
from ...mechanism.loop_closures import LoopClosure
from ..derivation import Derivation
from ..loops.any_direction import turned_closing, turned_load
from ..loops.balance import tips_first
from ..loops.scaling import mass_of, rows_at_other_angles, units_of_speeds
from ..mass_distribution import can_be_singular
from ..recursion.mass_matrix import mass_matrix
from ..regrouping import regroup


class _Group(NamedTuple):
    """The columns of the unknowns of one source and unit.

    Attributes
    ==========

    columns : list of list of Scalar
        The generalized forces per unit of each unknown.
    rank : int
        The rank of the columns.
    square : Scalar
        The mean squared effect of a unit in any direction.
    """

    columns: list[list[Scalar]]
    rank: int
    square: Scalar

    def normalised(self) -> "_Group":
        """Return the columns divided by the root of their mean squared effect."""
        share = self.square ** (-S.Half)
        columns = [[x * share for x in column] for column in self.columns]
        return _Group(columns, self.rank, share.graph.scalar(1))


def conditioning_output(derivation: Derivation) -> Output:
    title = "independence of the unknown forces (1 orthogonal, 0 singular)"
    value = conditioning(derivation)
    return Output.from_scalars("conditioning", (), [value], title, ["conditioning"], 0)


def conditioning(derivation: Derivation) -> Scalar:
    """Return 1 if the effects of all unknown forces are orthogonal, 0 if they are dependent."""
    graph, metric, state = derivation.graph, _Metric(derivation), derivation.supply.state
    groups = _groups(derivation, metric)
    columns = [column for group in groups for column in group.columns]
    if not columns:
        return graph.scalar(1)
    rank = state.rank(columns)
    if rank < sum(group.rank for group in groups):
        return _of_redundant(metric, groups, rank)
    if rank < len(columns):  # in a common unit
        groups = [group.normalised() for group in groups]
        columns = [column for group in groups for column in group.columns]
    squares = [group.square for group in groups for _ in group.columns]
    own = [metric.squares(x.columns, [x.square] * len(x.columns), x.rank) for x in groups]
    together = metric.squares(columns, squares, rank)
    volume = _product([x / y for x, y in zip(together, chain(*own), strict=True)])
    pairs = zip(groups, own, strict=True)
    shares = [_product([x / group.square for x in factors]) for group, factors in pairs]
    return _root(volume * smallest([graph.scalar(1), *shares]))


def conditioning_under_loads(derivation: Derivation, values: Sequence[Scalar]) -> Scalar:
    """Return the minimum of the given conditionings and the mass matrix's conditioning."""
    return smallest([*values, inertial_conditioning(derivation)])


def inertial_conditioning(derivation: Derivation) -> Scalar:
    """Return 1 if inertia does not couple the speeds, 0 if the mass matrix is singular.

    This is the root of the smallest share of a speed's inertia that is left if the speeds of outer
    joints are free.  A light body that carries a heavy one has a small share and loses twice as
    many digits of its acceleration.
    """
    graph, tree = derivation.graph, derivation.tree
    if tree.constraints and can_be_singular(tree):
        return graph.scalar(1)
    matrix, order = mass_matrix(derivation.scalars, regroup(derivation.scalars)), tips_first(tree)
    pairs = zip(Factorization(matrix, order).pivots, order, strict=True)
    parts = [pivot * matrix[k][k].reciprocal() for pivot, k in pairs]
    return _root(smallest([graph.scalar(1), *parts]))


def smallest(values: Sequence[Scalar]) -> Scalar:
    """Return the minimum of at least one scalar."""
    return reduce(partial(apply_function, Min), values)


class _Metric:
    """The inverse of the mass matrix, made regular if bodies lack mass or joints may lock."""

    def __init__(self, derivation: Derivation) -> None:
        scalars = derivation.scalars
        matrix, self._order = mass_matrix(scalars, regroup(scalars)), tips_first(derivation.tree)
        mass, lacks_mass = mass_of(scalars), can_be_singular(derivation.tree)
        for k, unit in enumerate(units_of_speeds(scalars)):
            if lacks_mass or k in scalars.doubtful:
                matrix[k][k] = matrix[k][k] + mass * unit * unit
        self._factors = Factorization(matrix, self._order)

    def entries(self, group: _Group) -> int:
        """Return the mean number of nonzeros in the reduced columns of a group."""
        reduced = [self._factors.eliminate(column) for column in group.columns]
        return sum(not x.is_zero for column in reduced for x in column) // len(reduced)

    def square(self, column: Sequence[Scalar]) -> Scalar:
        """Return the square of a column in this metric."""
        reduced = self._factors.eliminate(column)
        return dot(reduced, self._factors.divide_by_pivots(reduced))

    def squares(self, columns: Matrix, largest: Sequence[Scalar], rank: int) -> list[Scalar]:
        """Return numbers whose product is the sum of the principal minors of an order, the rank.

        ``largest`` are the squares of the columns in any direction; no number is smaller than
        roundoff of these.
        """
        reduced = [self._factors.eliminate(column) for column in columns]
        inverses = [self._factors.inverses[k] for k in range(len(columns[0]))]
        if rank == len(columns):
            return squared_remainders(reduced, inverses, largest)
        graph, whole = columns[0][0].graph, total(largest)
        ones = [graph.scalar(1)] * len(columns)
        if rank == len(columns[0]):
            rows = [[column[k] for column in reduced] for k in self._order]
            sizes = [whole * pivot for pivot in self._factors.pivots]
            found = squared_remainders(rows, ones, sizes)
            return [x * inverses[k] for x, k in zip(found, self._order, strict=True)]
        roots = [x**S.Half for x in inverses]
        scaled = [[x * root for x, root in zip(y, roots, strict=True)] for y in reduced]
        units = orthonormal_rows(scaled, len(roots), rank, whole, is_measured=True)
        shares = [[dot(unit, column) for column in scaled] for unit in units]
        return squared_remainders(shares, ones, [whole] * rank)


def _of_redundant(metric: _Metric, groups: Sequence[_Group], rank: int) -> Scalar:
    """Return the conditioning if unknowns of different groups depend on each other in all poses."""
    columns = [column for group in groups for column in group.normalised().columns]
    graph, count = columns[0][0].graph, sum(group.rank for group in groups)
    share = graph.scalar(S.One / count)
    mean = apply_function(Max, total(map(metric.square, columns)) * share, 1)
    factors = metric.squares(columns, [mean] * len(columns), rank)
    part = graph.scalar(S.One / comb(count, rank))
    return _root(_product([x / mean for x in factors]) * part)


def _groups(derivation: Derivation, metric: _Metric) -> list[_Group]:
    """Return the unknowns with an effect, grouped by source and by force or moment."""
    groups: dict[tuple[Any, bool], list[list[Scalar]]] = {}
    for unknown in derivation.supply.unknowns:
        source = unknown.source
        is_moment = isinstance(source, LoopClosure) and all(
            wrench.force.is_zero for wrench in unknown.wrenches.values()
        )
        if unknown.is_effective:
            groups.setdefault((source, is_moment), []).append(unknown.column)
    state = derivation.supply.state
    found = [
        _Group(columns, state.rank(columns), _usual_square(derivation, metric, *key, columns))
        for key, columns in groups.items()
    ]
    return sorted(found, key=metric.entries)  # sparse columns first, which fill others least


def _usual_square(
    derivation: Derivation, metric: _Metric, source: Any, is_moment: bool, columns: Matrix
) -> Scalar:
    """Return the mean squared effect of a unit along each direction in which a group has one."""
    tree, graph = derivation.scalars, derivation.graph
    if source in tree.symbolic.speeds:
        return total(map(metric.square, columns))
    if isinstance(source, LoopClosure):
        turned = [turned_closing(tree, source, is_moment)]
    elif source in derivation.request.solve_for:
        turned = turned_load(tree, source)
    else:
        rows = rows_at_other_angles(tree, columns[0])
        return total(map(metric.square, rows)) * graph.scalar(S.One / len(rows))
    state, squares = derivation.supply.state, list[Scalar]()
    for own in turned:
        axes = state.rank(own.rows)
        if axes:
            kept = [state.without_zeros(column) for column in own.columns]
            square = total(metric.square(x) for x in kept if not all(y.is_zero for y in x))
            squares.append(square * graph.scalar(S.One / axes))
    return total(squares)


def _product(values: Sequence[Scalar]) -> Scalar:
    return reduce(Scalar.__mul__, values)


def _root(value: Scalar) -> Scalar:
    """Return the root of a value that is negative only by rounding."""
    return apply_function(Max, value, 0) ** S.Half
