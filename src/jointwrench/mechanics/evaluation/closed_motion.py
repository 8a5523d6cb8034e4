"""Consistent motions of closed mechanisms: dependent entries from independent ones.

Positions are solved by Newton's method along one assembly mode.  Speeds, accelerations and small
changes of states and inputs take one linear solve each, since the constraints are linear in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.numbers import real_array
from ...checks.tolerances import CONSISTENT, ROUNDED_DATA, TIED
from ..arithmetic.derivatives import jacobian
from ..arithmetic.graph import Scalar
from ..arithmetic.output import Output
from ..arithmetic.program import Program
from ..dynamics.dependent_motion import Dependence, matrix_output
from ..dynamics.derivation import Derivation
from ..dynamics.outputs.inverse_outputs import input_groups
from .array_arguments import batch_shape, describe_sample, read_rows
from .compilation import Evaluator, compile_program
from .natural_units import (
    POSES,
    Units,
    motions_of_speeds,
    natural_speed_units,
    natural_units,
    random_poses,
)
from .position_solver import PositionSolver, is_closed, solve_least_squares
from .result import Result
from .value_arguments import ValueReader


class ClosedMotion:
    """Solves the constraints for the dependent entries of a model's motions."""

    def __init__(
        self, derivation: Derivation, dependence: Dependence, inputs: Mapping[str, tuple[Expr, ...]]
    ) -> None:
        self._derivation, self._dependence, self._inputs = derivation, dependence, inputs
        self._dependent = dependence.dependent
        self._turns = derivation.tree.is_turning
        self._slopes: dict[tuple[Any, ...], Evaluator] = {}

    @property
    def has_free_positions(self) -> bool:
        """Whether constraints determine speeds whose coordinates they do not determine."""
        return bool(self._dependent["u"].sum() > self._dependent["q"].sum())

    @cached_property
    def _positions(self) -> Evaluator:
        """The evaluator of position equations and of their derivatives."""
        return self._compile(self._dependence.positions, u=(), udot=())

    @cached_property
    def _velocities(self) -> Evaluator:
        """The evaluator of velocity and acceleration equations and of their coefficients."""
        moved = matrix_output(
            "moved", motions_of_speeds(self._derivation.scalars), len(self._dependent["u"])
        )
        return self._compile((*self._dependence.velocities, moved))

    def _compile(self, outputs: Sequence[Output], **unused: tuple[Expr, ...]) -> Evaluator:
        groups = input_groups({**self._inputs, **unused})
        return compile_program(Program(self._derivation.graph, outputs, groups))

    def solve(
        self, q: Any, u: Any, udot: Any, guess: Any = None, **values: Any
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Return q, u and udot with dependent entries; see `InverseDynamics.close_motion`."""
        if u is None and udot is not None:
            raise ValueError("`u` must be given where `udot` is, got None. Use close_motion(q, u).")
        names = self._dependence.checked.names
        moves = {"q": q, "u": u, "udot": udot}
        given = _ProjectionInputs(self._inputs, moves, **values)
        states, samples = given.states, given.samples
        for name, state in states.items():
            self._check_finite(name, state, given)
        guesses, is_dependent = self._initial_guesses(given, guess), self._dependent["u"]
        if names and samples.size:
            self._close(given, guesses)
        states["q"] = samples[..., : given.width]
        moving = [np.zeros((*samples.shape[:-1], len(is_dependent))) for _ in range(2)]
        if len(states) > 1 and is_dependent.any() and samples.size:
            units = self._speed_units(given)
            for level, name in enumerate(list(states)[1:]):
                moving[level] = states[name] = np.where(is_dependent, 0, states[name])
                result = given.evaluate(self._velocities, samples, *moving)
                slopes = units.in_units(result.slopes)[..., is_dependent]
                rest = result.errors[..., level, :] / units.rows
                solution, is_open = solve_least_squares(slopes, -rest)
                solved = np.where(is_open, np.nan, solution) * units.inputs[is_dependent]
                states[name][..., is_dependent] = solved
        full = {name: given.full(state) for name, state in states.items()}
        return full["q"], full.get("u"), full.get("udot")

    def check_constraints(self, q: Any, u: Any, rate: Any, **values: Any) -> None:
        """Raise an error if states violate the constraints; arguments are those of `solve`.

        Errors of speeds are relative to the fastest speed, or to one natural unit times ``rate`` if
        that is more.
        """
        given = _ProjectionInputs(self._inputs, {"q": q, "u": u}, **values)
        if not given.samples.size:
            return
        errors = given.evaluate(self._positions, given.samples).errors
        _check_small("q", errors, self._coordinate_units(given).rows)
        speeds, units = given.states["u"], self._speed_units(given)
        errors, driven = (
            given.evaluate(self._velocities, given.samples, x, 0 * x).errors[..., 0, :]
            for x in (speeds, 0 * speeds)  # prescribed motions of constraints count as speeds
        )
        fastest = (np.abs(speeds) / units.inputs).max(axis=-1, initial=0.0)
        fastest = np.maximum(fastest, (np.abs(driven) / units.rows).max(axis=-1, initial=0.0))
        fastest += given.flat(np.broadcast_to(rate, given.shape)[..., None])[..., 0]
        _check_small("u", errors, fastest[..., None] * units.rows)

    @property
    def inputs(self) -> frozenset[Expr]:
        """The states and other inputs on which the constraints depend."""
        return self._dependence.inputs

    @property
    def is_dependent(self) -> np.ndarray:
        """A boolean mask of the dependent entries of [q, u, udot]."""
        return np.concatenate([self._dependent[name] for name in ("q", "u", "u")])

    def tangents(
        self, q: Any, u: Any, inputs: Iterable[Expr], udot: Any = None, **values: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of states by the independent states, and by further inputs.

        The shapes are (..., number of states, number of independent states) and (..., number of
        states, number of inputs).  With the constraints c(x, r) = 0 of positions, velocities and
        accelerations, for states x = [q, u, udot] as far as given and inputs r, dependent states
        change by ``dx_d = -C_d^+ (C_i dx_i + C_r dr)``; NaN where this is undetermined.
        """
        moves = {"q": q, "u": u, "udot": udot}
        given = _ProjectionInputs(self._inputs, moves, **values)
        symbols, states = tuple(inputs), given.states
        firsts = np.cumsum([0, *(x.shape[-1] for x in states.values())]).tolist()
        kept, count = np.flatnonzero(~self.is_dependent[: firsts[-1]]), firsts[-1]
        batch = given.samples.shape[:-1]
        moved = np.zeros((*batch, count, len(kept) + len(symbols)))
        moved[..., kept, np.arange(len(kept))] = 1
        still = np.zeros((*batch, len(self._dependent["u"])))
        moving = (states.get(name, still) for name in ("u", "udot"))
        evaluate = self._compile_jacobians(tuple(states), symbols)
        result = given.evaluate(evaluate, given.samples, *moving)
        for name, first in zip(states, firsts, strict=False):
            places = np.flatnonzero(self._dependent[name[0]])
            if not places.size or not moved.size:
                continue
            units = self._coordinate_units(given) if name == "q" else self._speed_units(given)
            slopes = result.outputs[f"by_{name}"]
            right = slopes[..., :count] @ moved
            right[..., len(kept) :] += slopes[..., count:]
            own = slopes[..., first : first + len(units.inputs)]
            found, is_open = solve_least_squares(
                units.in_units(own)[..., places], -right / units.rows[:, None]
            )
            found = np.where(is_open[..., None], np.nan, found * units.inputs[places, None])
            moved[..., first + places, :] = found
        moved = given.full(moved)
        return moved[..., : len(kept)], moved[..., len(kept) :]

    def _compile_jacobians(self, levels: tuple[str, ...], inputs: tuple[Expr, ...]) -> Evaluator:
        """Return an evaluator of the derivatives of equations by states and inputs, in numpy."""
        if (levels, inputs) not in self._slopes:
            graph, dependence = self._derivation.graph, self._dependence.checked
            wrt = [symbol for name in levels for symbol in self._inputs[name]] + [*inputs]
            positions, rates = dependence.positions[0], dependence.velocities[0]
            count = rates.shape[1]
            parts = {"q": positions.refs, "u": rates.refs[:count], "udot": rates.refs[count:]}
            outputs = list[Output]()
            for name in levels:
                slopes = jacobian(graph, [Scalar(graph, x) for x in parts[name]], wrt)
                outputs.append(matrix_output(f"by_{name}", slopes, len(wrt)))
            program = Program(graph, outputs, input_groups(self._inputs))
            self._slopes[levels, inputs] = compile_program(program, backend="numpy")
        return self._slopes[levels, inputs]

    def _coordinate_units(self, given: "_ProjectionInputs") -> Units:
        """Return the natural units of coordinates and of position equations."""
        slopes = given.evaluate(self._positions, self._poses(given)).slopes
        own, kinds = np.ones(len(self._turns)), self._dependence.kinds["q"]
        return natural_units(slopes, own, self._turns, self._reach(given), kinds)

    def _speed_units(self, given: "_ProjectionInputs") -> Units:
        """Return the natural units of speeds and of velocity equations."""
        poses = self._poses(given)
        still = np.zeros((len(poses), len(self._dependent["u"])))
        result = given.evaluate(self._velocities, poses, still, still)
        spins, slides = np.moveaxis(np.sqrt(result.moved), 1, 0)
        kinds = self._dependence.kinds["u"]
        return natural_speed_units(result.slopes, spins, slides, self._reach(given), kinds)

    def _poses(self, given: "_ProjectionInputs") -> np.ndarray:
        """Return a motion's first sample and random poses, at which units are measured."""
        poses = np.repeat(given.samples[:1, 0], POSES + 1, axis=0)
        poses[1:, : given.width] = random_poses(self._turns)
        return poses[np.isfinite(poses).all(axis=-1)]

    def _reach(self, given: "_ProjectionInputs") -> float:
        """Return the largest translation in a motion, 1 if there is none."""
        values = given.states["q"][..., ~self._turns]
        return float(np.abs(values).max(initial=0.0, where=np.isfinite(values))) or 1.0

    def _check_finite(self, name: str, state: np.ndarray, given: "_ProjectionInputs") -> None:
        """Raise an error if an independent entry is not finite."""
        wrong = np.argwhere(~(np.isfinite(state) | self._dependent[name[0]]))
        if wrong.size:
            first = tuple(wrong[0])
            raise ValueError(
                f"`{name}` must be finite where it is independent, got {state[first]} for "
                f"{self._inputs[name][first[-1]]}{given.describe_sample(first)}."
            )

    def _initial_guesses(self, given: "_ProjectionInputs", guess: Any) -> np.ndarray:
        """Return initial guesses of samples; NaN for samples that start from the previous one."""
        q = given.states["q"]
        guesses = np.full_like(q, np.nan)
        guesses[:, :1] = q[:, :1]
        if guess is not None:
            own = read_rows("guess", guess, q.shape[-1])
            if own.ndim == 1:
                guesses[:, :1] = own
            elif own.shape == (*given.shape, q.shape[-1]):
                guesses = given.flat(own)
            else:
                raise ValueError(
                    f"`guess` must have shape {q.shape[-1:]}, for the first sample, or "
                    f"{(*given.shape, q.shape[-1])}, for each one, got shape {own.shape}."
                )
        wrong = np.argwhere(~np.isfinite(guesses[:, :1]) & self._dependent["q"])
        if wrong.size:
            first = tuple(wrong[0])
            raise ValueError(
                f"`guess` must have a value of {self._inputs['q'][first[-1]]} near which to "
                f"assemble the mechanism, got {guesses[first]}{given.describe_sample(first)}. Use "
                "close_motion(..., guess=q), which chooses the assembly mode."
            )
        return guesses

    def _close(self, given: "_ProjectionInputs", guesses: np.ndarray) -> None:
        """Set the dependent coordinates of samples, shape (trials, instants, ...)."""
        samples, places = given.samples, np.flatnonzero(self._dependent["q"])
        is_own = np.isfinite(guesses[..., places]).all(axis=-1)
        chosen = samples[is_own]
        chosen[:, places] = guesses[is_own][:, places]
        samples[is_own] = chosen
        units = self._coordinate_units(given)

        def linearise(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            result = given.evaluate(self._positions, at)
            return result.errors / units.rows, units.in_units(result.slopes)[..., places]

        solver = PositionSolver(linearise, places, units.inputs[places], self._turns[places])
        samples[is_own], left = solver.assemble(chosen)
        self._check_closed(np.argwhere(is_own), left, is_closed(left), units, given)
        for k in range(1, samples.shape[1]):
            after = np.flatnonzero(~is_own[:, k])
            if after.size:
                samples[after, k], left, is_there = solver.follow(
                    samples[after, k - 1], samples[after, k]
                )
                where = np.stack([after, np.full_like(after, k)], axis=-1)
                self._check_closed(where, left, is_there, units, given)

    def _check_closed(
        self,
        where: np.ndarray,
        left: np.ndarray,
        is_there: np.ndarray,
        units: Units,
        given: "_ProjectionInputs",
    ) -> None:
        """Raise an error for the first sample that could not be assembled.

        ``where`` has the trial and instant of each sample, ``is_there`` whether it was assembled.
        """
        if is_there.all():
            return
        row = int(np.argmin(is_there))
        sizes = np.abs(left[row])
        worst = int(np.argmax(sizes > (1 - TIED) * sizes.max()))  # loops before equal equations
        place, size = given.describe_sample(tuple(where[row])), sizes[worst] * units.rows[worst]
        problem = f"the nearest gap is {size:.3g}, at {self._dependence.names[worst]}"
        if size == 0:
            problem = "the assembly mode of the sample before does not exist there"
        is_tiny = 0 < sizes.max() <= ROUNDED_DATA
        cause = " Rounded data can be the cause." if is_tiny else ""
        raise ValueError(
            "`q` must have independent entries at which the mechanism can be assembled, but"
            f"{place} {problem}. Use entries within its reach, or another guess.{cause}"
        )


def _check_small(name: str, errors: np.ndarray, sizes: np.ndarray) -> None:
    """Raise an error if errors exceed the tolerance times their natural sizes."""
    is_small = np.abs(errors) <= CONSISTENT * sizes
    if not is_small.all():
        worst = np.abs(errors[~is_small]).max()
        raise ValueError(
            f"`{name}` must satisfy the constraints, got an error of {worst:.3g}. Use q, u, _ = "
            "fdyn.inverse.close_motion(q, u, constants=...)."
        )


class _ProjectionInputs:
    """The arguments of a call, in the shape (trials, instants, ...).

    Attributes
    ==========

    states : dict of str to numpy.ndarray
        The states "q", "u" and "udot", as far as given.
    samples : numpy.ndarray
        Rows of coordinates, specified quantities and time.
    """

    def __init__(
        self,
        inputs: Mapping[str, tuple[Expr, ...]],
        moves: Mapping[str, Any],
        constants: Any = None,
        specifieds: Any = None,
        times: Any = None,
    ) -> None:
        self.constants = constants
        states = {
            name: read_rows(name, value, len(inputs[name]))
            for name, value in moves.items()
            if value is not None or name == "q"
        }
        instants = None if times is None else real_array("times", times)
        known = ValueReader("specifieds", inputs["specifieds"]).columns(specifieds, instants)
        shapes = {name: array.shape[:-1] for name, array in states.items()}
        shapes |= {f"specifieds[{s}]": column.shape for s, column in known.items()}
        shapes |= {} if instants is None else {"times": instants.shape}
        self.shape = batch_shape(shapes)
        self._flat_shape = prod(self.shape[:-1]), self.shape[-1] if self.shape else 1
        self.states = {name: self.flat(array) for name, array in states.items()}
        columns = [*known.values(), *([] if instants is None else [instants])]
        parts = (self.flat(column[..., None]) for column in columns)
        self.samples = np.concatenate([self.states["q"], *parts], -1)
        self.width, self._specified, self._has_time = len(inputs["q"]), [*known], times is not None

    def evaluate(
        self, function: Evaluator, at: np.ndarray, u: Any = None, udot: Any = None
    ) -> Result:
        """Return an evaluator's result at samples: rows of coordinates, specifieds and time."""
        width = self.width
        values = {symbol: at[..., width + k] for k, symbol in enumerate(self._specified)}
        time = at[..., -1] if self._has_time else None
        return function(at[..., :width], u, udot, self.constants, values, time)

    def flat(self, array: np.ndarray) -> np.ndarray:
        """Return a copy of rows, broadcast to the batch, in the shape (trials, instants, width)."""
        width = array.shape[-1]
        rows = np.broadcast_to(array, (*self.shape, width)).astype(float)
        return rows.reshape(*self._flat_shape, width)

    def full(self, array: np.ndarray) -> np.ndarray:
        """Return an array with the batch axes of the call in place of (trials, instants)."""
        return array.reshape(*self.shape, *array.shape[2:])

    def describe_sample(self, index: Sequence[int]) -> str:
        """Return the position of a trial and instant in the batch, for messages."""
        return describe_sample(self.shape, index[0] * self._flat_shape[1] + index[1])
