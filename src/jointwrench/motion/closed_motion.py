"""Consistent motions of closed mechanisms: the dependent entries from the independent ones.

Positions by Newton's method, which follows one assembly mode from sample to sample.
The constraints are linear in speeds and in accelerations, so that one linear solve
yields the dependent ones of each.

References
==========

.. [1] P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2011, chapter 5
   (how far a step along a path may go).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ..arithmetic.graph import Graph
from ..arithmetic.program import Output, Program
from ..checks.numbers import real_array
from ..codegen import Evaluator, compile_program
from ..codegen.run.arguments import batch_shape, rows
from ..codegen.run.values import Names, specified_values
from ..dynamics.dependence import Dependence
from ..dynamics.outputs import input_groups
from ..results.result import Result

#: What is left of closed loops, as a part of the Jacobian's largest entry; what rounding leaves.
CLOSED, ROUNDING = 1e-9, 1e-15

#: Newton's steps; what is taken of one while the errors grow.
MOST_STEPS, DAMPINGS = 100, 2.0 ** -np.arange(12)

#: By which part of Newton's first step the way to the next sample may differ from it, or else it
#: is halved; on short ways, which lead to or from a dead point, it differs by the whole.
MOST_TURN, MOST_SHORT_TURN = 0.5, 1.2

#: Parts of the way between two samples that are short; that are too short.
SHORT_WAY, SHORTEST_WAY = 2.0**-10, 2.0**-14

#: Singular values below, as a part of the largest, belong to what constraints leave open.
SINGULAR = 1e-10

#: Entries of unit vectors below are zero.
OPEN = 1e-6

#: Returns position errors (M, m) and their derivatives (M, m, n_q) at samples (M, ...).
Look = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class ClosedMotion:
    """Solves the dependent entries of a model's motions.

    Parameters
    ==========

    graph : Graph
        Holds the equations.
    dependence : Dependence
        The equations.
    inputs : mapping of str to tuple of Expr
        The symbols of each group of inputs.
    """

    def __init__(
        self, graph: Graph, dependence: Dependence, inputs: Mapping[str, tuple[Expr, ...]]
    ) -> None:
        self._graph, self._dependence, self._inputs = graph, dependence, inputs
        self._dependent = dependence.dependent

    @cached_property
    def _positions(self) -> Evaluator:
        return self._compiled(self._dependence.positions, u=(), udot=())

    @cached_property
    def _velocities(self) -> Evaluator:
        return self._compiled(self._dependence.velocities)

    def _compiled(self, outputs: Sequence[Output], **unused: tuple[Expr, ...]) -> Evaluator:
        groups = input_groups({**self._inputs, **unused})
        return compile_program(Program(self._graph, outputs, groups))

    def solve(
        self,
        q: Any,
        u: Any,
        udot: Any,
        constants: Mapping[Any, Any] | None,
        specifieds: Mapping[Any, Any] | None,
        guess: Any,
        times: Any,
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Return q, u and udot with their dependent entries solved.

        Arguments and exceptions are those of `InverseDynamics.close_motion`.
        """
        if u is None and udot is not None:
            raise ValueError("`u` must be given where `udot` is, got None. Use close_motion(q, u).")
        given = {"q": q, "u": u, "udot": udot}
        states = {
            name: rows(name, value, len(self._inputs[name]))
            for name, value in given.items()
            if value is not None or name == "q"
        }
        instants = None if times is None else real_array("times", times)
        symbols = self._inputs["specifieds"]
        known = specified_values(Names("specifieds", symbols, ()), specifieds, instants)
        shapes = {name: array.shape[:-1] for name, array in states.items()}
        shapes |= {"specifieds": known.shape, "times": () if instants is None else instants.shape}
        batch = _Batch(batch_shape(shapes))
        states = {name: batch.flat(array) for name, array in states.items()}
        for name, state in states.items():
            self._check_finite(name, state, batch)

        columns = [*known.columns.values(), *([] if instants is None else [instants])]
        specified = [symbols[place] for place in known.columns]
        samples = np.concatenate([states["q"], *(batch.flat(x[..., None]) for x in columns)], -1)
        width = states["q"].shape[-1]

        def evaluate(
            function: Evaluator, at: np.ndarray, u: Any = None, udot: Any = None
        ) -> Result:
            values = {symbol: at[..., width + k] for k, symbol in enumerate(specified)}
            time = None if instants is None else at[..., -1]
            return function(at[..., :width], u, udot, constants, values, time)

        def look(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            result = evaluate(self._positions, at)
            return result.errors, result.slopes

        starts, is_dependent = self._starts(states["q"], guess, batch), self._dependent["u"]
        if self._dependence.names and samples.size:
            self._close(samples, starts, look, batch)
        states["q"] = samples[..., :width]
        moving = [np.zeros((*samples.shape[:-1], len(is_dependent))) for _ in range(2)]
        for level, name in enumerate(["u", "udot"][: len(states) - 1]):
            if not is_dependent.any():
                break
            moving[level] = states[name] = np.where(is_dependent, 0, states[name])
            result = evaluate(self._velocities, samples, *moving)
            slopes, rest = result.slopes[..., is_dependent], result.errors[..., level, :]
            solution, is_open = least_squares(slopes, -rest)
            states[name][..., is_dependent] = np.where(is_open, np.nan, solution)
        full = {name: batch.full(state) for name, state in states.items()}
        return full["q"], full.get("u"), full.get("udot")

    def _check_finite(self, name: str, state: np.ndarray, batch: "_Batch") -> None:
        wrong = np.argwhere(~(np.isfinite(state) | self._dependent[name[0]]))
        if wrong.size:
            first = tuple(wrong[0])
            raise ValueError(
                f"`{name}` must be finite where it is independent, got {state[first]} for "
                f"{self._inputs[name][first[-1]]}{batch.place(first)}."
            )

    def _starts(self, q: np.ndarray, guess: Any, batch: "_Batch") -> np.ndarray:
        """Return where samples start; NaN where they start from the one before."""
        starts = np.full_like(q, np.nan)
        starts[:, :1] = q[:, :1]
        if guess is not None:
            own = rows("guess", guess, q.shape[-1])
            if own.ndim == 1:
                starts[:, :1] = own
            elif own.shape == (*batch.shape, q.shape[-1]):
                starts = batch.flat(own)
            else:
                raise ValueError(
                    f"`guess` must have shape {q.shape[-1:]}, for the first sample, or "
                    f"{(*batch.shape, q.shape[-1])}, for each one, got shape {own.shape}."
                )
        wrong = np.argwhere(~np.isfinite(starts[:, :1]) & self._dependent["q"])
        if wrong.size:
            first = tuple(wrong[0])
            raise ValueError(
                f"`guess` must say near which {self._inputs['q'][first[-1]]} to assemble the "
                f"mechanism, got {starts[first]}{batch.place(first)}. "
                "Use close_motion(..., guess=q), which chooses the assembly mode."
            )
        return starts

    def _close(self, samples: np.ndarray, starts: np.ndarray, look: Look, batch: "_Batch") -> None:
        """Set the dependent coordinates of samples, shape (trials, instants, ...)."""
        places = np.flatnonzero(self._dependent["q"])
        is_own = np.isfinite(starts[..., places]).all(axis=-1)
        rows = samples[is_own]
        rows[:, places] = starts[is_own][:, places]
        samples[is_own], left, is_closed = assembled(rows, places, look)
        self._check_closed(np.argwhere(is_own), left, is_closed, batch)
        for k in range(1, samples.shape[1]):
            after = np.flatnonzero(~is_own[:, k])
            if after.size:
                samples[after, k], left, is_closed = followed(
                    samples[after, k - 1], samples[after, k], places, look
                )
                where = np.stack([after, np.full_like(after, k)], axis=-1)
                self._check_closed(where, left, is_closed, batch)

    def _check_closed(
        self, where: np.ndarray, left: np.ndarray, is_closed: np.ndarray, batch: "_Batch"
    ) -> None:
        """Refuse the first sample that is not assembled; ``where`` are its trial and instant."""
        if is_closed.all():
            return
        row = int(np.argmin(is_closed))
        sizes = np.abs(left[row])
        worst = int(np.argmax(sizes > (1 - 1e-6) * sizes.max()))  # loops before equal equations
        place, size = batch.place(tuple(where[row])), sizes[worst]
        problem = f"{self._dependence.names[worst]} is left open by {size:.3g}"
        if size == 0:
            problem = "the assembly mode of the sample before is not there"
        raise ValueError(
            "`q` must have independent entries at which the mechanism can be assembled, but"
            f"{place} {problem}. Use entries within its reach, or another guess."
        )


@dataclass(frozen=True)
class _Batch:
    """The batch axes of a call, the last of which is time."""

    shape: tuple[int, ...]

    @property
    def _flat_shape(self) -> tuple[int, int]:
        return prod(self.shape[:-1]), self.shape[-1] if self.shape else 1

    def flat(self, array: np.ndarray) -> np.ndarray:
        """Return a copy, shape (trials, instants, width), of rows that broadcast to the batch."""
        width = array.shape[-1]
        rows = np.broadcast_to(array, (*self.shape, width)).astype(float)
        return rows.reshape(*self._flat_shape, width)

    def full(self, array: np.ndarray) -> np.ndarray:
        """Return flat rows with the batch axes."""
        return array.reshape(*self.shape, array.shape[-1])

    def place(self, index: Sequence[int]) -> str:
        """Return where in the batch a trial and an instant are, for messages."""
        if not self.shape:
            return ""
        flat = index[0] * self._flat_shape[1] + index[1]
        places = [int(k) for k in np.unravel_index(flat, self.shape)]
        return f" at sample {places[0] if len(places) == 1 else tuple(places)}"


def assembled(
    samples: np.ndarray, places: np.ndarray, look: Look
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return samples (M, ...) with solved entries, what is left (M, m), which are closed (M,).

    Newton's method from what stands at the places of the dependent coordinates; a
    step is damped where errors would grow.
    """
    samples = samples.copy()
    left, slopes = look(samples)
    is_active = np.ones(len(samples), bool)
    for _ in range(MOST_STEPS):
        is_active &= ~_is_below(ROUNDING, left, slopes)
        todo = np.flatnonzero(is_active)
        if not todo.size:
            break
        steps, _ = least_squares(slopes[todo][..., places], -left[todo])
        for damping in DAMPINGS:
            trial = samples[todo]
            trial[:, places] += damping * steps
            errors, more = look(trial)
            is_better = np.linalg.norm(errors, axis=-1) < np.linalg.norm(left[todo], axis=-1)
            better = todo[is_better]
            samples[better], left[better] = trial[is_better], errors[is_better]
            slopes[better] = more[is_better]
            is_done = ~is_better & _is_below(CLOSED, left[todo], slopes[todo])
            is_active[todo[is_done]] = False  # what is left is rounding
            todo, steps = (x[~(is_better | is_done)] for x in (todo, steps))
            if not todo.size:
                break
        is_active[todo] = False  # no step makes it better
    return samples, left, _is_below(CLOSED, left, slopes)


def followed(
    before: np.ndarray, after: np.ndarray, places: np.ndarray, look: Look
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return as `assembled`, for samples that other ones lead to in one assembly mode.

    A way on which Newton's first step does not show where it ends is cut in two.
    """
    at, done, way = before.copy(), np.zeros(len(before)), np.ones(len(before))
    while (todo := np.flatnonzero((done < 1) & (way >= SHORTEST_WAY))).size:
        part = np.minimum(done + way, 1)[todo, None]
        start = np.where(part < 1, before[todo] + part * (after - before)[todo], after[todo])
        start[:, places] = at[todo][:, places]
        errors, slopes = look(start)
        step, _ = least_squares(slopes[..., places], -errors)
        end, errors, is_closed = assembled(start, places, look)
        rest = np.linalg.norm(end[:, places] - start[:, places] - step, axis=-1)
        room = 1e-7 * (1 + np.linalg.norm(start[:, places], axis=-1))
        most = np.where(way[todo] < SHORT_WAY, MOST_SHORT_TURN, MOST_TURN)
        is_near = is_closed & (rest <= most * np.linalg.norm(step, axis=-1) + room)
        near = todo[is_near]
        at[near], done[near] = end[is_near], part[is_near, 0]
        way[todo] *= np.where(is_near, 2, 0.5)
    left, lost = np.zeros((len(before), errors.shape[-1])), np.flatnonzero(done < 1)
    if lost.size:
        start = after[lost]
        start[:, places] = at[lost][:, places]
        _, errors, is_closed = assembled(start, places, look)
        left[lost] = np.where(is_closed[:, None], 0, errors)  # another mode would be there
    return at, left, done == 1


def least_squares(slopes: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve (..., m, n) equations for (..., n); also return which entries they leave open."""
    alive = np.isfinite(slopes).all(axis=(-2, -1)) & np.isfinite(right).all(axis=-1)
    slopes = np.where(alive[..., None, None], slopes, 0)
    right = np.where(alive[..., None], right, 0)
    left_vectors, sizes, rows = np.linalg.svd(slopes, full_matrices=False)
    is_open = sizes <= SINGULAR * sizes[..., :1]
    inverse = np.where(is_open, 0, 1 / np.where(is_open, 1, sizes))
    parts = inverse * (np.swapaxes(left_vectors, -1, -2) @ right[..., None])[..., 0]
    solution = (np.swapaxes(rows, -1, -2) @ parts[..., None])[..., 0]
    return solution, (is_open[..., None] & (np.abs(rows) > OPEN)).any(axis=-2)


def _is_below(part: float, left: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Whether errors are below a part of the largest of their derivatives."""
    scale = np.abs(slopes).max(axis=(-2, -1), initial=0)
    return np.linalg.norm(left, axis=-1) <= part * scale
