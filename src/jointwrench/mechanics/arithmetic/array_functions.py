"""Numeric functions of arrays from sympy expressions, and batches of linear equations."""

from collections.abc import Callable, Sequence

import numpy as np
from sympy import Expr, Symbol, lambdify


def array_function(
    groups: Sequence[Sequence[Expr]], expressions: Sequence[Expr]
) -> Callable[..., np.ndarray]:
    """Return a function that evaluates sympy expressions for batches of samples.

    It takes one array (..., number of symbols) for each of the ``groups`` of symbols and returns an
    array (..., number of expressions).
    """
    symbols = [symbol for group in groups for symbol in group]
    names = {symbol: Symbol(f"a{k}") for k, symbol in enumerate(symbols)}
    texts = [expression.xreplace(names) for expression in expressions]
    function = lambdify(list(names.values()), texts, modules=["scipy", "numpy"], cse=True)

    def evaluate(*arrays: np.ndarray) -> np.ndarray:
        columns = [array[..., k] for array in arrays for k in range(array.shape[-1])]
        result = np.empty((*arrays[0].shape[:-1], len(texts)))
        with np.errstate(all="ignore"):
            for k, value in enumerate(function(*columns)):
                result[..., k] = value
        return result

    _probe(evaluate, groups)
    return evaluate


def _probe(evaluate: Callable[..., np.ndarray], groups: Sequence[Sequence[Expr]]) -> None:
    """Raise an error if numpy and scipy cannot evaluate a function at ones."""
    try:
        evaluate(*(np.ones((1, len(group))) for group in groups))
    except NameError as error:
        raise ValueError(
            f"A formula or one of its derivatives contains {error.name}, which numpy and scipy "
            "cannot evaluate. Use functions that they have, and that are smooth."
        ) from error


def solve_rows(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solutions (..., n) of equations (..., n, n) x = ``right`` (..., n), NaN if
    singular.
    """
    try:
        return np.linalg.solve(matrices, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        if matrices.ndim == 2:
            return np.full_like(right, np.nan)
        rows = [solve_rows(m, r) for m, r in zip(matrices, right, strict=True)]
        return np.array(rows).reshape(right.shape)
