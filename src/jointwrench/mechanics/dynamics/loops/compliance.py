"""The factor L of the compliance ``C = L^T L`` of a joint, a load or a motor."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from sympy import Expr, Matrix, sqrt

from ....checks.tolerances import CANCELLED
from ...sympy_objects import check_real

#: Rows of L; the sum of the squares of ``L W`` is twice the strain energy of a wrench W.
Factor = Sequence[Sequence[Expr]]


def compliance_factor(argument: str, compliance: Any) -> Factor:
    """Return the factor L of a compliance ``C = L^T L``, or raise an error if C is not valid.

    ``compliance`` is one number, the six diagonal entries of C, or a symmetric positive
    semidefinite 6 x 6 matrix.  L has a row for each pivot that is not zero.
    """
    array = np.array(compliance, dtype=object)
    array = array.ravel() if array.size in (1, 6) else array
    if array.shape not in ((1,), (6,), (6, 6)):
        refuse_compliance(argument, f"an array of the shape {array.shape}")
    entries = [check_real(argument, x) for x in array.ravel()]
    left = Matrix.diag(*entries) if array.ndim == 1 else Matrix(6, 6, entries)
    sizes, factor = [*left.diagonal()], []
    is_possible = not any(x.is_infinite for x in entries) and _is_nothing(left - left.T, sizes)
    for k in range(left.rows):  # Cholesky's method, without steps for zero pivots
        pivot = left[k, k]
        if not _is_nothing(Matrix([pivot]), [sizes[k]]):
            factor.append([*left.row(k) / sqrt(pivot)])
            left -= left.row(k).T * left.row(k) / pivot
            is_possible &= not pivot.is_negative
    if not (is_possible and _is_nothing(left, sizes)):
        refuse_compliance(argument, f"{compliance!r:.80}")
    return factor


def _is_nothing(matrix: Matrix, sizes: Sequence[Expr]) -> bool:
    """Whether a matrix is zero up to rounding, relative to the diagonal entries ``sizes``."""
    return all(
        x.is_zero or (x.is_number and x**2 <= CANCELLED**2 * abs(sizes[i] * sizes[j]))
        for (i, j), x in matrix.todok().items()
    )


def refuse_compliance(argument: str, what: str) -> NoReturn:
    """Raise a ValueError for a compliance that is not valid; ``what`` describes it."""
    raise ValueError(
        f"`{argument}` must be the compliance of a joint, six numbers for fx, fy, fz, mx, my, mz "
        "that are not negative or a symmetric positive semidefinite 6 x 6 matrix, or of a load or "
        f"motor, one such number; got {what}. Use 0 for what is rigid."
    )
