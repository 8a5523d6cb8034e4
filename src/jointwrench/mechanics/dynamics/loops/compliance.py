"""The compliance of a joint, a load or a motor, and its factor: ``C = L^T L``."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from sympy import Expr, Matrix, S, sqrt

from ....checks.tolerances import CANCELLED
from ...sympy_objects import check_real

#: Rows of L; the sum of the squares of ``L W`` is twice the strain energy of a wrench W.
Factor = Sequence[Sequence[Expr]]


def compliance_factor(argument: str, compliance: Any) -> Factor:
    """Return the factor of a compliance: of a number, six numbers or a 6 x 6 matrix."""
    array = np.array(compliance, dtype=object)
    array = array.ravel() if array.size in (1, 6) else array
    if array.shape not in ((1,), (6,), (6, 6)):
        refuse_compliance(argument, f"an array of the shape {array.shape}")
    entries = [check_real(argument, x) for x in array.ravel()]
    matrix = Matrix.diag(*entries) if array.ndim == 1 else Matrix(6, 6, entries)
    kept = [k for k in range(matrix.rows) if not matrix[k, k].is_zero]
    rigid = [k for k in range(matrix.rows) if k not in kept]
    is_possible = not any(x.is_negative for x in matrix.diagonal())
    is_possible &= not any(x.is_infinite for x in entries)
    is_possible &= all(x.is_zero for k in rigid for x in (*matrix.row(k), *matrix.col(k)))
    rows = _rows(matrix.extract(kept, kept)) if is_possible else None
    if rows is None:
        refuse_compliance(argument, f"{compliance!r:.80}")
    places = {k: n for n, k in enumerate(kept)}
    return [[row[places[k]] if k in places else S.Zero for k in range(matrix.rows)] for row in rows]


def _rows(matrix: Matrix) -> list[list[Expr]] | None:
    """Return the factor of a matrix without zeros on its diagonal; None if it has none."""
    if matrix.is_diagonal():
        return [
            [x if j == k else S.Zero for j in range(matrix.rows)]
            for k, x in enumerate(map(sqrt, matrix.diagonal()))
        ]
    if matrix.free_symbols:
        return matrix.cholesky(hermitian=False).T.tolist() if matrix.is_symmetric() else None
    numbers = np.array(matrix.tolist(), float)
    sizes = np.sqrt(np.diag(numbers))
    relative = numbers / np.outer(sizes, sizes)  # no units
    values, vectors = np.linalg.eigh(relative)
    if abs(relative - relative.T).max() > CANCELLED or values[0] < -CANCELLED:
        return None
    pairs = zip(values, vectors.T, strict=True)
    return [[S(x) for x in np.sqrt(own) * row * sizes] for own, row in pairs if own > CANCELLED]


def refuse_compliance(argument: str, what: str) -> NoReturn:
    """Raise an error for a compliance that is none."""
    raise ValueError(
        f"`{argument}` must be the compliance of a joint, six numbers for fx, fy, fz, mx, my, mz "
        "that are not negative or a symmetric positive semidefinite 6 x 6 matrix, or of a load or "
        f"motor, one such number; got {what}. Use 0 for what is rigid."
    )
