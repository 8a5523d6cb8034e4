"""The combinations of unknown forces that supply nothing: a basis of the null space of A.

They are computed in the graph, so that they hold at every state, and are orthonormal in the units
of the unknowns.  Unknowns that no equation connects have separate combinations.
"""

from ...arithmetic.decisions import connected, independent
from ...arithmetic.factorization import chosen_rows
from ...arithmetic.graph import Scalar, total
from ...arithmetic.linear import solve
from .scaling import effects_of_unknowns, units_of_speeds, units_of_unknowns
from .supply import Supply

#: The coefficients of all unknowns in one combination.
Combination = list[Scalar]


def undetermined_combinations(supply: Supply, is_written: bool = False) -> list[Combination]:
    """Return combinations of unknowns that supply nothing; for readers with fixed pivots."""
    is_open = supply.solution.is_open
    own = [k for k in range(len(supply.unknowns)) if is_open[k]]
    filled = [{k for k in own if not row[k].is_zero} for row in _rows(supply)]
    groups = [columns for _, columns in connected(filled)]
    idle = set(own).difference(*groups)
    return [
        combination
        for columns in [*groups, *([k] for k in sorted(idle))]
        for combination in _of_group(supply, columns, columns[0] in idle, is_written)
    ]


def _rows(supply: Supply) -> list[list[Scalar]]:
    """Return the coefficients of all unknowns at each speed."""
    return [list(row) for row in zip(*(x.column for x in supply.unknowns), strict=True)]


def _of_group(
    supply: Supply, columns: list[int], is_idle: bool, is_written: bool
) -> list[Combination]:
    """Return the combinations of a group of connected unknowns."""
    dimension = sum(any(own[k].value != 0 for k in columns) for own in supply.solution.open)
    if dimension == len(columns) and not is_idle:
        names = ", ".join(dict.fromkeys(_name(supply.unknowns[k].source) for k in columns))
        raise ValueError(
            f"`system` must determine how many of the forces of {names} are undetermined, but "
            "functions that are known by numbers only (splines) leave it undecided. Use "
            "polynomials or symbols in their place."
        )
    basis = (_fixed if is_written else _orthonormal)(supply, columns, dimension)
    zero = supply.tree.graph.scalar(0)
    found = [[zero] * len(supply.unknowns) for _ in basis]
    for combination, values in zip(found, basis, strict=True):
        for k, value in zip(columns, values, strict=True):
            combination[k] = value
    return found


def _orthonormal(supply: Supply, columns: list[int], dimension: int) -> list[Combination]:
    graph, tree = supply.tree.graph, supply.tree
    units = units_of_unknowns(tree, supply.unknowns)
    pairs = zip(_rows(supply), units_of_speeds(tree), strict=True)
    like = [[row[k] * units[k] / unit for k in columns] for row, unit in pairs]
    like = [row for row in like if any(not x.is_zero for x in row)]
    sizes = effects_of_unknowns(tree, supply.unknowns)
    largest = total(sizes[k] * units[k] * units[k] for k in columns)
    count, one, zero = len(columns), graph.scalar(1), graph.scalar(0)
    spanned = chosen_rows(like, count, count - dimension, largest) if like else []
    rests = [[one if j == k else zero for j in range(count)] for k in range(count)]
    for unit in spanned:  # what is left of unit vectors across all rows
        rests = [
            [x - unit[k] * y for x, y in zip(row, unit, strict=True)] for k, row in enumerate(rests)
        ]
    found = chosen_rows(rests, count, dimension, one)
    return [[x * units[k] for k, x in zip(columns, row, strict=True)] for row in found]


def _fixed(supply: Supply, columns: list[int], dimension: int) -> list[Combination]:
    """Return a combination for each unknown that the others of a group leave undetermined."""
    graph, one, zero = supply.tree.graph, supply.tree.graph.scalar(1), supply.tree.graph.scalar(0)
    rows = [[row[k] for k in columns] for row in _rows(supply)]
    rows = [row for row in rows if any(not x.is_zero for x in row)]
    digits = supply.state.of_any_functions.rows(rows)
    kept = independent(digits)
    turned = [*zip(*(digits[i] for i in kept), strict=True)]
    bound = independent([list(column) for column in turned]) if kept else []
    basis = []
    for free in (j for j in range(len(columns)) if j not in bound):
        matrix = [[rows[i][j] for j in bound] for i in kept]
        right = [-rows[i][free] for i in kept]
        values = (
            solve(graph, matrix, right, supply.state.of_any_functions, by_determinants=True).values
            if kept
            else []
        )
        found = dict(zip(bound, values, strict=True)) | {free: one}
        basis.append([found.get(j, zero) for j in range(len(columns))])
    return basis


def _name(source: object) -> str:
    return str(getattr(getattr(source, "joint", source), "name", source))
