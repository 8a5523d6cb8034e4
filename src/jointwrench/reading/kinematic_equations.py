"""The coordinates' time derivatives, from the kinematical differential equations."""

from collections.abc import Iterable, Sequence

from sympy import Derivative, Expr, Symbol, linear_eq_to_matrix
from sympy.matrices.exceptions import NonInvertibleMatrixError
from sympy.solvers.solveset import NonlinearError


def solve_rates(
    coordinates: Sequence[Expr], speeds: Sequence[Expr], kdes: Iterable[Expr], time: Symbol
) -> tuple[dict[Derivative, Expr], list[str]]:
    """Solve the kinematical differential equations.

    Returns
    =======

    rates : dict of Derivative to Expr
        The time derivative of each coordinate in terms of speeds and
        coordinates.  A coordinate whose derivative is a speed itself, or has no
        equation, keeps its derivative.
    problems : list of str
        What kept coordinates from being solved for.
    """
    rates = {coordinate.diff(time): coordinate.diff(time) for coordinate in coordinates}
    coupled = []
    for kde in kdes:
        solved = _solve_simple(kde, rates)
        if solved is None:
            coupled.append(kde)
        else:
            rates[solved[0]] = solved[1]
    problems = _solve_coupled(coupled, rates) if coupled else []
    known = set(speeds)
    unsolved = [rate for rate, value in rates.items() if value == rate and rate not in known]
    if unsolved and not problems:
        names = ", ".join(str(rate.expr) for rate in unsolved)
        problems.append(
            "it must have a kinematical differential equation for each coordinate, and none gives "
            f"the derivative of {names}. Use system.add_kdes(...)."
        )
    return rates, problems


def _solve_simple(kde: Expr, rates: Iterable[Derivative]) -> tuple[Derivative, Expr] | None:
    """Solve ``u - q'`` and the like, which needs no linear algebra."""
    found = [derivative for derivative in kde.atoms(Derivative) if derivative in rates]
    if len(found) != 1:
        return None
    rest, coefficient = kde.as_independent(found[0], as_Add=True)
    factor = coefficient / found[0]
    if not factor.is_number:
        return None
    return found[0], -rest / factor


def _solve_coupled(kdes: Sequence[Expr], rates: dict[Derivative, Expr]) -> list[str]:
    unknowns = [rate for rate in rates if any(kde.has(rate) for kde in kdes)]
    names = ", ".join(map(str, unknowns)) or "no coordinate"
    if len(unknowns) != len(kdes):
        return [
            "it must have one kinematical differential equation for each coordinate, and has "
            f"{len(kdes)} equations for {names}. Use system.kdes = [...]."
        ]
    try:
        matrix, right = linear_eq_to_matrix(list(kdes), unknowns)
        rates.update(zip(unknowns, matrix.LUsolve(right), strict=True))
    except (NonlinearError, NonInvertibleMatrixError) as error:
        return [f"its kinematical differential equations cannot be solved for {names}: {error}."]
    return []
