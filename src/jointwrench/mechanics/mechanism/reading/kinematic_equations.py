"""The solution of the kinematical differential equations for the coordinates' derivatives."""

from collections.abc import Iterable, Iterator, Sequence

from sympy import Derivative, Expr, Matrix, Symbol, cos, linear_eq_to_matrix, sin
from sympy.solvers.solveset import NonlinearError

from ...arithmetic.expression_derivatives import differentiate_leaf
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph


def solve_rates(
    coordinates: Sequence[Expr], speeds: Sequence[Expr], kdes: Iterable[Expr], time: Symbol
) -> tuple[dict[Derivative, Expr], list[str]]:
    """Solve the kinematical differential equations; return rates and problems.

    The rates are expressions of speeds by the coordinates' derivatives.  A derivative keeps itself
    as its rate if it is a speed, or if it has no equation, which is a problem.
    """
    rates = {rate: rate for rate in (differentiate_leaf(q, time) for q in coordinates)}
    known = set(speeds)
    unknown = [rate for rate in rates if rate not in known]
    solved, coupled = _solve_uncoupled(kdes, unknown)
    rates.update(solved)
    problems = []
    for block in _group_coupled(coupled, unknown):
        try:
            rates.update(_solve_block(*block))
        except ValueError as error:
            problems.append(str(error))
    unsolved = [rate for rate, value in rates.items() if value == rate and rate not in known]
    if unsolved and not problems:
        names = ", ".join(str(rate.expr) for rate in unsolved)
        problems.append(
            "it must have a kinematical differential equation for each coordinate, and none gives "
            f"the derivative of {names}. Use system.add_kdes(...)."
        )
    return rates, problems


def _solve_uncoupled(
    kdes: Iterable[Expr], rates: Iterable[Derivative]
) -> tuple[dict[Derivative, Expr], list[Expr]]:
    """Solve equations with one unknown derivative; return the rates and remaining equations.

    Each solved rate is substituted in the other equations, which may leave one unknown there: with
    absolute speeds this solves a chain from its base to its end.  Passes are repeated until no
    equation can be solved.
    """
    solved: dict[Derivative, Expr] = {}
    unknown, left, count = set(rates), list(kdes), -1
    while len(left) != count:
        count, waiting, left = len(left), left, []
        for kde in waiting:
            present = kde.atoms(Derivative)
            if not present.isdisjoint(solved):
                kde = kde.xreplace(solved)
            found = present & unknown
            value = _solve_for(kde, *found) if len(found) == 1 else None
            if value is None:
                left.append(kde)
            else:
                solved[found.pop()] = value
                unknown -= solved.keys()
    return solved, left


def _solve_for(kde: Expr, rate: Derivative) -> Expr | None:
    """Return the value of a derivative that is a factor of one term, None if it is not linear."""
    rest, term = kde.as_independent(rate, as_Add=True)
    factor = term / rate
    return None if factor.has(rate) else -rest / factor


def _group_coupled(
    kdes: Iterable[Expr], rates: Sequence[Derivative]
) -> Iterator[tuple[list[Expr], list[Derivative]]]:
    """Yield groups of equations that share unknown derivatives, each with its derivatives."""
    groups: list[tuple[list[Expr], set[Expr]]] = []
    for kde in kdes:
        joined = ([kde], kde.atoms(Derivative).intersection(rates))
        for group in [g for g in groups if not g[1].isdisjoint(joined[1])]:
            groups.remove(group)
            joined = (group[0] + joined[0], group[1] | joined[1])
        groups.append(joined)
    return ((block, [r for r in rates if r in found]) for block, found in groups)


def _solve_block(
    kdes: Sequence[Expr], unknowns: Sequence[Derivative]
) -> Iterable[tuple[Derivative, Expr]]:
    """Solve coupled linear equations for derivatives; return pairs (derivative, value).

    Symbolic matrices are inverted by cofactors.  Elimination would divide by pivots that may vanish
    in a pose in which the determinant does not.

    Raise a ValueError if the equations are not linear, not as many as the unknowns, or dependent.
    """
    names = ", ".join(map(str, unknowns)) or "none that the others do not determine"
    if len(unknowns) != len(kdes):
        raise ValueError(
            "it must have one kinematical differential equation for each coordinate, and has "
            f"{len(kdes)} equations for {names}. Use system.kdes = [...]."
        )
    cannot = f"its kinematical differential equations cannot be solved for {names}:"
    try:
        matrix, right = linear_eq_to_matrix(list(kdes), list(unknowns))
    except NonlinearError as error:
        raise ValueError(f"{cannot} they are not linear in them.") from error
    graph = Graph()
    rows = [[graph.scalar(entry) for entry in row] for row in matrix.tolist()]
    if GenericState(graph).rank(rows) < len(unknowns):
        raise ValueError(f"{cannot} they depend on each other.")
    determinant = _determinant(matrix)
    inverse = matrix.adjugate() / determinant if matrix.free_symbols else matrix.inv()
    return zip(unknowns, inverse * right, strict=True)


def _determinant(matrix: Matrix) -> Expr:
    """Return a determinant, simplified by ``sin**2 + cos**2 = 1`` if that makes it shorter."""
    determinant = matrix.det(method="berkowitz").expand()
    squares = {cosine**2: 1 - sin(*cosine.args) ** 2 for cosine in determinant.atoms(cos)}
    simpler = determinant.xreplace(squares).expand()
    return min(determinant, simpler, key=lambda expression: expression.count_ops())
