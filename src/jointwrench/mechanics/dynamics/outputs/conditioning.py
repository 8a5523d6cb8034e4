"""The distance of a pose from one in which unknown forces cannot be distinguished.

The generalized forces of unit unknowns span a volume in the metric of the inverse mass matrix; it
is compared with the volumes of the closings' forces, their moments, the motors and the loads alone.
So neither units, nor the heading of the model, nor the frames of loops matter.  With columns A and
``G = A^T M^-1 A`` that is the root of ``det G / prod det G_gg`` over the groups g.  Where unknowns
are redundant, the mean principal minor of G of the order of the rank r is compared with the mean
diagonal entry to the power of r, moments counted as forces at the model's own length (Maclaurin's
inequality: at most one).
"""

from collections.abc import Sequence
from functools import reduce
from math import comb

from sympy import Max, Min, Pow, S

from ...arithmetic.factorization import Factorization, dot
from ...arithmetic.graph import Graph, Scalar, total
from ...arithmetic.output import Output
from ...mechanism.closing import Closing
from ..derivation import Derivation
from ..loops.balance import tips_first
from ..loops.scaling import mass_of, units_of_speeds, units_of_unknowns
from ..mass_distribution import may_lack_mass
from ..recursion.mass_matrix import mass_matrix
from ..regrouping import regroup

#: Rows of a matrix.
Matrix = Sequence[Sequence[Scalar]]


def conditioning_output(derivation: Derivation) -> Output:
    title = "independence of the unknown forces (1 orthogonal, 0 singular)"
    value = conditioning(derivation)
    return Output.from_scalars("conditioning", (), [value], title, ["conditioning"], 0)


def conditioning(derivation: Derivation) -> Scalar:
    """Return 1 where the effects of unknown forces are orthogonal, 0 where they are dependent."""
    graph, groups = derivation.graph, _groups(derivation)
    columns = [column for group in groups for column in group]
    if not columns:
        return graph.scalar(1)
    factors, rank = _inertia(derivation), derivation.supply.state.rank(columns)
    if rank < len(columns):
        return _of_redundant(derivation, factors, rank)
    own = [_determinant(_products(factors, group)) for group in groups]
    return _root(_determinant(_products(factors, columns)) * _product(own).reciprocal())


def conditioning_under_loads(derivation: Derivation, values: Sequence[Scalar]) -> Scalar:
    """Return the least of some values and of the independence of the speeds."""
    return least([*values, inertial_conditioning(derivation)])


def inertial_conditioning(derivation: Derivation) -> Scalar:
    """Return 1 where speeds are not coupled by inertia, 0 where the mass matrix is singular."""
    # That is the root of the least part of a speed's inertia that is left when those further out
    # give way: a light body that carries a heavy one loses twice as many digits of its
    # acceleration.
    graph, tree = derivation.graph, derivation.tree
    if tree.constraints and may_lack_mass(tree):
        return graph.scalar(1)
    matrix, order = mass_matrix(derivation.scalars, regroup(derivation.scalars)), tips_first(tree)
    pairs = zip(Factorization(matrix, order).pivots, order, strict=True)
    parts = [pivot * matrix[k][k].reciprocal() for pivot, k in pairs]
    return _root(least([graph.scalar(1), *parts]))


def least(values: Sequence[Scalar]) -> Scalar:
    """Return the least of one or more values."""
    graph = values[0].graph
    return reduce(lambda x, y: Scalar(graph, graph.call(Min, [x.ref, y.ref])), values)


def _of_redundant(derivation: Derivation, factors: Factorization, rank: int) -> Scalar:
    supply, graph = derivation.supply, derivation.graph
    units = units_of_unknowns(derivation.scalars, supply.unknowns)
    columns = [
        [x * unit for x in unknown.column]
        for unknown, unit in zip(supply.unknowns, units, strict=True)
    ]
    products, count = _products(factors, columns), len(columns)
    mean = total(products[k][k] for k in range(count)) * graph.scalar(S.One / count)
    if rank == len(columns[0]):
        sums = [[dot(x, y) for y in zip(*columns, strict=True)] for x in zip(*columns, strict=True)]
        minors = _determinant(sums) * _product(factors.pivots).reciprocal()
    else:
        minors = _minors(graph, products, rank)
    minor = minors * graph.scalar(S.One / comb(count, rank))
    return _root(minor * _product([mean] * rank).reciprocal())


def _groups(derivation: Derivation) -> list[list[list[Scalar]]]:
    """Return the columns of unknowns by source and unit, without empty ones."""
    groups: dict[object, list[list[Scalar]]] = {}
    for unknown in derivation.supply.unknowns:
        source = unknown.source
        is_moment = isinstance(source, Closing) and all(
            wrench.force.is_zero for wrench in unknown.wrenches.values()
        )
        if not all(x.is_zero for x in unknown.column):
            groups.setdefault((source, is_moment), []).append(unknown.column)
    return list(groups.values())


def _inertia(derivation: Derivation) -> Factorization:
    """Return the factors of the mass matrix, of a regular one if bodies lack mass."""
    scalars = derivation.scalars
    matrix = mass_matrix(scalars, regroup(scalars))
    if may_lack_mass(derivation.tree):
        mass = mass_of(scalars)
        for k, unit in enumerate(units_of_speeds(scalars)):
            matrix[k][k] = matrix[k][k] + mass * unit * unit
    return Factorization(matrix, tips_first(derivation.tree))


def _products(factors: Factorization, columns: Matrix) -> list[list[Scalar]]:
    """Return the products of columns in the metric of the inverse of the factored matrix."""
    responses = [factors.solve(column) for column in columns]
    return [[dot(column, response) for response in responses] for column in columns]


def _determinant(matrix: Matrix) -> Scalar:
    return _product(Factorization(matrix, range(len(matrix))).pivots)


def _minors(graph: Graph, matrix: Matrix, order: int) -> Scalar:
    """Return the sum of the principal minors of an order, by Faddeev and LeVerrier."""
    found, power = graph.scalar(1), matrix
    for k in range(1, order + 1):
        found = total(power[i][i] for i in range(len(matrix))) * graph.scalar(S.One / k)
        rest = [
            [(found if i == j else graph.scalar(0)) - x for j, x in enumerate(row)]
            for i, row in enumerate(power)
        ]
        columns = list(zip(*rest, strict=True))
        power = [[dot(row, column) for column in columns] for row in matrix]
    return found


def _product(values: Sequence[Scalar]) -> Scalar:
    return reduce(Scalar.__mul__, values)


def _root(value: Scalar) -> Scalar:
    """Return the root of a value that is negative only by rounding."""
    graph = value.graph
    square = graph.call(Max, [value.ref, 0])
    return Scalar(graph, graph.call(Pow, [square, graph.number(S.Half)]))
