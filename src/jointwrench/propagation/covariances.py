"""Checks of standard deviations and covariances; a `Source` of errors of inputs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.numbers import finite_array, shaped_array
from ..checks.tolerances import ROUNDING


def check_deviations(
    argument: str, value: Any, shape: tuple[int, ...], is_signed: bool = False
) -> np.ndarray:
    """Return standard deviations, broadcast to a shape; ``is_signed`` allows negative changes."""
    array = _broadcast(argument, _check_finite(argument, value), shape)
    if not is_signed and (array < 0).any():
        raise ValueError(f"`{argument}` must not be negative, got {array.min():g}.")
    return array


def check_covariances(
    argument: str, value: Any, shape: tuple[int, ...], may_be_singular: bool = False
) -> np.ndarray:
    """Return covariances (..., k, k), checked; zero variances are allowed.

    Others must be positive definite, unless ``may_be_singular``.
    """
    array = shaped_array(argument, _check_finite(argument, value), ..., *shape[-2:])
    broadcast = _broadcast(argument, array, shape)
    variances = np.einsum("...kk->...k", array)
    if (variances < 0).any():
        raise ValueError(
            f"`{argument}` must have no negative variance on its diagonal, got {variances.min():g}."
        )
    scaled = _correlations(array)
    if np.abs(scaled - scaled.swapaxes(-1, -2)).max(initial=0) > ROUNDING:
        raise ValueError(
            f"`{argument}` must be symmetric. Use (matrix + matrix.T) / 2 if only rounding differs."
        )
    if (least := np.linalg.eigvalsh(scaled).min(initial=0)) < -ROUNDING:
        raise ValueError(
            f"`{argument}` must have no negative eigenvalue, got correlations with {least:.3g}: no "
            "errors have these variances and covariances."
        )
    exact = np.eye(shape[-1]) * (variances == 0)[..., None]
    if not may_be_singular and np.linalg.eigvalsh(scaled + exact).min(initial=1) < ROUNDING:
        raise ValueError(
            f"`{argument}` must not be singular: some of the errors follow from the others. Use "
            "causes={name: {...}} for a cause that changes several inputs."
        )
    return broadcast


def compute_root(covariances: np.ndarray) -> np.ndarray:
    """Return roots R of covariances ``R @ R.T`` (..., k, k), that vary smoothly with them.

    R is the symmetric root of the correlations, times standard deviations.
    """
    values, vectors = np.linalg.eigh(_correlations(covariances))
    roots = np.sqrt(np.clip(values, 0, None))
    root = (vectors * roots[..., None, :]) @ vectors.swapaxes(-1, -2)
    return np.sqrt(np.einsum("...kk->...k", covariances))[..., None] * root


def _correlations(covariances: np.ndarray) -> np.ndarray:
    """Return the correlations of covariances; zero rows of exact inputs stay zero."""
    deviations = np.sqrt(np.einsum("...kk->...k", covariances))
    scale = np.where(deviations > 0, deviations, 1)
    return covariances / (scale[..., None] * scale[..., None, :])


def _check_finite(argument: str, value: Any) -> np.ndarray:
    return finite_array(argument, value, fix="Use 0 where something is exact.")


def _broadcast(argument: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        text = f"a shape that broadcasts to {shape}" if shape else "one number"
        raise ValueError(f"`{argument}` must have {text}, got shape {array.shape}.") from None


@dataclass(frozen=True)
class Source:
    """A cause of errors of k inputs: ``root @ z`` with r independent z of variance one.

    Attributes
    ==========

    name : str
        The name of the source in results.
    symbols : tuple of Expr
        The inputs.
    root : numpy.ndarray, shape (..., k, r)
        The root of their covariance at each sample.
    """

    name: str
    symbols: tuple[Expr, ...]
    root: np.ndarray

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return random errors of the inputs, (count, ..., k), with one z for all samples."""
        factors = rng.standard_normal((count, *[1] * (self.root.ndim - 2), self.root.shape[-1], 1))
        return (self.root @ factors)[..., 0]
