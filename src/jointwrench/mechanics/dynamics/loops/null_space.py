"""Combinations of unknown forces that supply no generalized force: a basis of A's null space.

The combinations are scalars of the graph, so they hold at every state.  They are orthonormal in
the units of the unknowns.  Unknowns that no equation connects are in separate combinations.
"""

from ...arithmetic.factorization import orthonormal_rows
from ...arithmetic.generic_state import connected_blocks, independent
from ...arithmetic.graph import Scalar, total
from ...arithmetic.linear import generic_rank, solve
from .scaling import effects_of_unknowns, units_of_speeds, units_of_unknowns
from .supply import Supply

#: The coefficients of all unknowns in one combination.
Combination = list[Scalar]


def undetermined_combinations(supply: Supply, is_written: bool = False) -> list[Combination]:
    """Return a basis of the combinations of unknowns that supply no generalized force.

    The combinations are orthonormal.  With ``is_written`` they are not: then pivots are selected in
    advance instead of at run time, which gives short formulas.
    """
    own = [k for k, is_open in enumerate(supply.solution.is_open) if is_open]
    filled = [{own[j] for j, x in enumerate(row) if not x.is_zero} for row in _rows(supply, own)]
    groups = [columns for _, columns in connected_blocks(filled)]
    groups += [[k] for k in sorted(set(own).difference(*groups))]
    zero, found = supply.tree.graph.scalar(0), list[Combination]()
    for columns in groups:
        rows = _rows(supply, columns)
        count = len(columns) - (generic_rank(supply.state, rows) if rows else 0)
        for values in (_fixed if is_written else _orthonormal)(supply, columns, count):
            known = dict(zip(columns, values, strict=True))
            found.append([known.get(k, zero) for k in range(len(supply.unknowns))])
    return found


def _rows(supply: Supply, columns: list[int]) -> list[list[Scalar]]:
    """Return the rows of A, for the unknowns ``columns``, that are not identically zero."""
    rows = zip(*(supply.unknowns[k].column for k in columns), strict=True)
    return [[*row] for row in rows if any(not x.is_zero for x in row)]


def _orthonormal(supply: Supply, columns: list[int], dimension: int) -> list[Combination]:
    """Return ``dimension`` orthonormal combinations of a group of unknowns, as scalars."""
    # First the row space of A gets an orthonormal basis. The unit vectors, minus their parts in
    # the row space, then span the null space.
    tree, one = supply.tree, supply.tree.graph.scalar(1)
    units, count = units_of_unknowns(tree, supply.unknowns), len(columns)
    rows = zip(*(supply.unknowns[k].column for k in columns), strict=True)
    pairs = zip(rows, units_of_speeds(tree), strict=True)
    scaled = (
        [x * units[k] / unit for x, k in zip(row, columns, strict=True)] for row, unit in pairs
    )
    like = [row for row in scaled if any(not x.is_zero for x in row)]
    sizes = effects_of_unknowns(tree, supply.unknowns)
    largest = total(sizes[k] * units[k] * units[k] for k in columns)
    spanned = orthonormal_rows(like, count, count - dimension, largest) if like else []
    rests = [[one * int(j == k) for j in range(count)] for k in range(count)]
    for unit in spanned:  # subtract the part in the row space
        rests = [
            [x - own * y for x, y in zip(row, unit, strict=True)]
            for row, own in zip(rests, unit, strict=True)
        ]
    found = orthonormal_rows(rests, count, dimension, one)
    return [[x * units[k] for k, x in zip(columns, row, strict=True)] for row in found]


def _fixed(supply: Supply, columns: list[int], dimension: int) -> list[Combination]:
    """Return one combination for each free unknown of a group.

    A free unknown is one, all other free unknowns are zero, and the equations determine the rest.
    Free unknowns and pivots are selected at the generic state.
    """
    graph = supply.tree.graph
    state = supply.state.with_random_functions
    rows = _rows(supply, columns)
    digits = state.rows(rows)
    kept = independent(digits)
    turned = [list(column) for column in zip(*(digits[i] for i in kept), strict=True)]
    bound, basis = independent(turned), list[Combination]()
    for free in (j for j in range(len(columns)) if j not in bound):
        found = dict.fromkeys(range(len(columns)), graph.scalar(0)) | {free: graph.scalar(1)}
        if kept:
            matrix = [[rows[i][j] for j in bound] for i in kept]
            right = [-rows[i][free] for i in kept]
            values = solve(graph, matrix, right, state, by_determinants=True).values
            found |= dict(zip(bound, values, strict=True))
        basis.append([*found.values()])
    return basis
