"""The right-hand side of the equations of motion, of first order: ``x' = f(t, x)``, x = [q, u]."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_mapping
from ..checks.numbers import real_array
from ..mechanics.evaluation.evaluator import CHECKS
from ..mechanics.evaluation.result import Result
from ..mechanics.evaluation.value_arguments import ValueReader
from .forward_model import ForwardModel
from .specified_functions import SpecifiedFunctions

#: The outputs that are the time derivatives of the states.
RATES = ("qdot", "udot")


class RightHandSide:
    """The function ``f(t, x)`` of a model, its constants and specified quantities.

    Made by `ForwardDynamics.rhs`.

    Attributes
    ==========

    model : ForwardModel
        The model.
    names, split : tuple of Expr, int
        The coordinates and speeds, and the number of coordinates.
    constants : dict
        The values of its constants.
    """

    #: Whether the states are extended by sensitivities.
    is_variational = False

    def __init__(
        self, model: ForwardModel, constants: Any, specifieds: Any, refused: Iterable[str] = ()
    ) -> None:
        self.model = model
        self.names = (*model.coordinates, *model.speeds)
        self.split, self.size = len(model.coordinates), len(self.names)
        self._evaluate = model.cached_evaluator(RATES, checks=CHECKS.difference(refused))
        used = self._evaluate.used_inputs
        ValueReader("constants", model.constants, used).numbers(constants)
        self.constants: Mapping[Any, Any] = dict(check_mapping("constants", constants))
        self._specifieds = SpecifiedFunctions(model.specifieds, used, specifieds)

    def __repr__(self) -> str:
        return f"RightHandSide(t, [{', '.join(map(str, self.names))}])"

    def __call__(self, t: float, x: Any) -> np.ndarray:
        """Return the time derivatives of a state x = [q, u] at the time t, or of several.

        ``x`` and the result have the shape (n_q + n,), or (n_q + n, k) for k states, as with
        ``solve_ivp(..., vectorized=True)``.

        Raises
        ======

        TypeError, ValueError
            If x holds anything but finite real numbers, or x or the result of a specified function
            has another shape.
        ArithmeticError
            If a derivative is not finite: the mass matrix is singular, or a load infinite.
        """
        state = real_array("x", x)
        if state.ndim not in (1, 2) or len(state) != self.size:
            raise ValueError(
                f"`x` must have shape ({self.size},) or ({self.size}, k), coordinates and speeds "
                f"({', '.join(map(str, self.names))}), got shape {state.shape}."
            )
        if state.ndim == 1:
            return self.packed(float(t), np.ascontiguousarray(state, float))
        flat = pack(state.T.astype(float), self.split)
        return unpack(self.packed(float(t), flat, state.shape[1]), self.split, self.size).T

    def packed(self, time: float, flat: np.ndarray, members: int | None = None) -> np.ndarray:
        """Return the derivatives of packed states, shape (k * n_x,), packed in the same way.

        ``members=None`` means one state without a batch axis; see `pack`.
        """
        if not _is_finite(flat):
            raise ValueError(f"`x` must be finite, but {self._wrong(flat)} at the time {time:g}.")
        q, u = self._parts(flat, members)
        state = flat
        if members is not None and self._specifieds.has_feedback:
            state = np.concatenate([q, u], axis=1).T
        values = self._specifieds.at(time, state)
        rates = np.empty_like(flat)
        qdot, udot = self._parts(rates, members)
        out = {"qdot": qdot, "udot": udot}
        self._evaluate(q, u, self.constants, values, time, out)
        if not _is_finite(rates):
            raise ArithmeticError(
                f"The derivative of {self._wrong(rates)} at the time {time:g}: the mass matrix or "
                "the constraints are singular there, a load is not finite, or the motion has grown "
                "beyond all bounds. Use other constants, specifieds, states or shorter steps."
            )
        return rates

    def closing_values(self, time: float, states: np.ndarray) -> dict[str, Any]:
        """Return the arguments for closing states of shape (n_x,) or (k, n_x) at one time."""
        values = self._specifieds.at(time, states.T)
        return {"constants": self.constants, "specifieds": values, "times": time}

    def projected(self, time: float, states: np.ndarray) -> np.ndarray:
        """Return states, shape (n_x,) or (k, n_x), projected onto the constraints.

        Independent entries are unchanged.
        """
        given = self.closing_values(time, states)
        # each state is a motion of one sample, whose initial guess is the state itself
        given["specifieds"] = {s: np.asarray(x)[..., None] for s, x in given["specifieds"].items()}
        q, u = np.split(states[..., None, :], [self.split], axis=-1)
        q, moving, _ = self.model.closed_motion.solve(q, u, udot=None, **given)
        return np.concatenate([q, np.asarray(moving)], axis=-1)[..., 0, :]

    def _parts(self, flat: np.ndarray, members: int | None) -> tuple[np.ndarray, np.ndarray]:
        if members is None:
            return flat[: self.split], flat[self.split :]
        q, u = flat[: members * self.split], flat[members * self.split :]
        return q.reshape(members, self.split), u.reshape(members, self.size - self.split)

    def _wrong(self, flat: np.ndarray) -> str:
        """Return the name and value of the first number that is not finite in packed states."""
        rows = unpack(flat, self.split, self.size)
        row, column = np.argwhere(~np.isfinite(rows))[0]
        return f"{self.names[column]} is {rows[row, column]}"

    def outputs(
        self, names: tuple[str, ...], times: np.ndarray, states: np.ndarray, **options: Any
    ) -> Result:
        """Return outputs at states (..., N, n_x) of motions, with the batch axes (..., N)."""
        values = self._specifieds.sampled(times, states)
        q, u = (np.ascontiguousarray(x) for x in np.split(states, [self.split], axis=-1))
        return self.model.cached_evaluator(names, **options)(q, u, self.constants, values, times)


def _is_finite(flat: np.ndarray) -> bool:
    return bool(np.logical_and.reduce(np.isfinite(flat)))


# A packed vector of several states has the coordinates of all states, then all speeds: each part
# has the memory layout of compiled functions.


def pack(states: np.ndarray, split: int) -> np.ndarray:
    """Return states of shape (k, n_x), ``split`` coordinates each, as a vector."""
    return np.concatenate([states[:, :split].reshape(-1), states[:, split:].reshape(-1)])


def unpack(vectors: np.ndarray, split: int, size: int) -> np.ndarray:
    """Return the states, shape (..., k, size), of vectors of shape (..., k * size)."""
    batch, members = vectors.shape[:-1], vectors.shape[-1] // size
    parts = np.split(vectors, [members * split], axis=-1)
    widths = split, size - split
    arrays = [x.reshape(*batch, members, n) for x, n in zip(parts, widths, strict=True)]
    return np.concatenate(arrays, axis=-1)
