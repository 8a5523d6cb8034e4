"""The equations of motion, linearised: ``dx' = A dx + B dr`` of independent states x."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import check_different, check_sequence
from ..mechanics.dynamics.outputs.output_derivatives import find_input
from ..mechanics.evaluation.evaluator import CHECKS
from ..mechanics.evaluation.result import Result
from .forward_model import ForwardModel
from .right_hand_side import RATES


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The linearised equations of motion; ``A, B = model`` unpacks it.

    Attributes
    ==========

    A : numpy.ndarray, shape (..., n_x, n_x)
        The derivatives of x' with respect to the states.
    B : numpy.ndarray, shape (..., n_x, n_r)
        The derivatives of x' with respect to the inputs.
    states : tuple of Expr
        The independent coordinates, then the independent speeds: the rows and columns.
    inputs : tuple of Expr
        The inputs r: the columns of B.
    rates : numpy.ndarray, shape (..., n_x)
        The time derivatives x' at the state itself: zero in an equilibrium.
    """

    A: np.ndarray
    B: np.ndarray
    states: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    rates: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B))


def linearize(
    model: ForwardModel, q: Any, u: Any, inputs: Iterable[Any] | None, given: dict[str, Any]
) -> LinearModel:
    """Return the linearised equations at a state; see `ForwardDynamics.linearize`."""
    inputs = model.specifieds if inputs is None else _check_inputs(model, inputs)
    # for a few states, compilation would take longer than it saves
    wrt, checks = ("q", "u", *inputs), CHECKS - {"loops"}  # loops are checked below
    evaluate = model.cached_evaluator(RATES, derivatives=wrt, backend="numpy", checks=checks)
    result = evaluate(q, u, **given)
    rates = np.concatenate([result.qdot, result.udot], axis=-1)
    slopes, columns = _stacked(result, ("q", "u")), _stacked(result, inputs)
    names = (*model.coordinates, *model.speeds)
    constraints = model.constraints
    kept = np.arange(len(names))
    if constraints:
        independent = {*constraints.coordinates, *constraints.independent}
        kept = np.array([k for k, name in enumerate(names) if name in independent], int)
        fastest = np.abs(np.linalg.eigvals(np.nan_to_num(slopes))).max(axis=-1, initial=0.0)
        model.closed_motion.check_constraints(q, u, **given, rate=fastest)
        by_states, by_inputs = model.tangents(q, u, given, inputs)
        columns = columns + slopes @ by_inputs  # inputs also move dependent states
        slopes = slopes @ by_states
    states = tuple(names[k] for k in kept)
    matrices = slopes[..., kept, :], columns[..., kept, :]
    return LinearModel(*matrices, states, tuple(inputs), rates[..., kept])


def _check_inputs(model: ForwardModel, inputs: Iterable[Any]) -> tuple[Expr, ...]:
    """Return the symbols of the user's ``inputs``: specifieds or constants, or their names."""
    known = {"specifieds": model.specifieds, "constants": model.constants}
    items = check_sequence("inputs", inputs, "symbols of `specifieds` or `constants`")
    expected = "among `specifieds` and `constants`"
    places = [find_input("inputs", item, known, expected) for item in items]
    symbols = tuple(known[group][index] for group, index in places)
    check_different("inputs", symbols, "have each symbol once")
    return symbols


def _stacked(result: Result, wrt: Sequence[Any]) -> np.ndarray:
    """Return the derivatives of qdot and of udot with respect to inputs, stacked as rows."""
    if not wrt:
        return np.empty((*result.udot.shape[:-1], result.qdot.shape[-1] + result.udot.shape[-1], 0))
    return np.concatenate([result.derivative(name, wrt) for name in RATES], axis=-2)
