"""Unit quaternions over time, four columns each: continuous signs, unit norms and derivatives."""

from collections.abc import Iterable

import numpy as np

from ..checks.tolerances import QUATERNION_LENGTH


def unit_path(values: np.ndarray, groups: Iterable[list[int]]) -> np.ndarray:
    """Return columns in which each of the ``groups`` is a unit quaternion of continuous sign.

    Quaternions with a missing component are NaN.
    """
    values = values.copy()
    for group in groups:
        block = values[:, group]
        known, lengths = np.isfinite(block).all(axis=-1), np.linalg.norm(block, axis=-1)
        wrong = np.flatnonzero(known & (np.abs(lengths - 1) > QUATERNION_LENGTH))
        if wrong.size:
            raise ValueError(
                f"`coordinates` must have unit quaternions in the columns {group}, got one of the "
                f"length {lengths[wrong[0]]:g} in row {wrong[0]}. Divide them by their lengths, "
                "if that is what they are."
            )
        values[np.ix_(~known, group)] = np.nan
        values[np.ix_(known, group)] = remove_sign_flips(block[known] / lengths[known][:, None])
    return values


def remove_sign_flips(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions (N, 4) with signs that make each nearest to its predecessor."""
    # q and -q are the same rotation
    products = np.append(1.0, (quaternions[1:] * quaternions[:-1]).sum(axis=-1))
    signs = np.cumprod(np.where(products < 0, -1.0, 1.0))[: len(quaternions)]
    return quaternions * signs[:, None]


def normalise_quaternions(
    s: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray, groups: list[list[int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns and their first and second derivatives, with s / |s| in the ``groups``."""
    # With n = |s|: n' = s.s' / n, n'' = (s'.s' + s.s'' - n'^2) / n, and for p = s / n:
    # p' = (s' - p n') / n, p'' = (s'' - p n'' - 2 p' n') / n.
    for group in groups:
        a, b, c = s[:, group], rates[:, group], second_derivatives[:, group]
        n = np.linalg.norm(a, axis=-1, keepdims=True)
        dn = (a * b).sum(-1, keepdims=True) / n
        ddn = ((b * b + a * c).sum(-1, keepdims=True) - dn**2) / n
        p = a / n
        dp = (b - p * dn) / n
        s[:, group], rates[:, group] = p, dp
        second_derivatives[:, group] = (c - p * ddn - 2 * dp * dn) / n
    return s, rates, second_derivatives
