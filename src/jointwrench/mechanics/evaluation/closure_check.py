"""A check of motions: whether they close the model's loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...checks.messages import warn
from ...checks.tolerances import CANCELLED, ROUNDED_POINTS, VIOLATED, VIOLATED_BY_RATES
from .check_kernels import CheckInputs, CheckKernel, LazyCheckKernel

#: The levels of constraints by the names of inputs, for messages.
LEVELS = {"q": "positions", "u": "speeds", "udot": "accelerations"}

#: Distances of random states from the motion, relative to half a turn and to the largest
#: translation, and the number of states at each distance, whose mean error is the typical error.
#: With fewer states it would vary by more than a factor of two between linkages.  Nearer states
#: count where errors at farther states are undefined.
SPREADS, STATES = (1.0, 0.3, 0.1), 16


class ClosureCheck(LazyCheckKernel):
    """Warns of samples that do not close the loops.

    Parameters
    ==========

    code : function or CheckKernel
        The kernel of constraint errors.
    turns : sequence of bool
        Whether each coordinate rotates links.
    quaternions : sequence of sequence of int
        The columns of each quaternion.
    has_forces : bool
        Whether outputs depend on forces; otherwise the check runs only on request.
    """

    def __init__(
        self,
        code: Callable[[], CheckKernel] | CheckKernel,
        turns: Sequence[bool],
        quaternions: Sequence[Sequence[int]],
        has_forces: bool,
    ) -> None:
        super().__init__(code)
        self._turns, self._quaternions = np.array(turns, bool), quaternions
        self.has_forces = has_forces

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arguments that restore the check, as numbers and texts."""
        return self.code, self._turns.tolist(), self._quaternions, self.has_forces

    def __call__(self, given: CheckInputs, samples: np.ndarray, all_samples: bool) -> None:
        """Check samples; ``all_samples``: they are all samples of the batch."""
        code = self.code
        names = [*LEVELS][: code.shapes[0][0]]
        is_known = [len(given.columns[name]) == given.widths[name] for name in names]
        levels = [*is_known, False].index(False)
        others = [(name, k) for name, k in code.used if name not in LEVELS]
        if not levels or any(k not in given.columns[name] for name, k in others):
            return  # an input that errors need is missing, since the outputs do not need it
        with np.errstate(all="ignore"):
            parts = given.parts(samples)
            found = np.concatenate([self._violations(code, rows) for rows in parts])
        if (found := found[:, :levels]).any():
            self._warn(found, samples, given, all_samples)

    def _violations(self, code: CheckKernel, rows: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the largest significant constraint error per sample, or zero.

        There is a column each for positions, speeds and accelerations.
        """
        errors, terms, cancelled, others = _evaluate(code, rows)
        usual, sizes = self._typical_errors(code, rows)
        unknown = np.isnan(usual)  # undefined at all random states
        usual, sizes = (np.where(unknown, terms, x) for x in (usual, sizes))
        # an error that is roundoff of its terms at all states belongs to no equation
        limits = [VIOLATED, VIOLATED_BY_RATES, VIOLATED_BY_RATES][: code.shapes[0][0]]
        allowed = np.array(limits)[:, None]
        is_wrong = (usual > ROUNDED_POINTS * sizes) & (errors > allowed * usual)
        is_wrong &= errors > CANCELLED * cancelled
        if is_wrong.any():  # errors that are roundoff of the fastest possible motion are zero
            moving, _ = self._typical_errors(code, {**rows, **_fastest_states(rows, others)})
            is_wrong &= errors > CANCELLED * np.nan_to_num(moving)
        return np.where(is_wrong, errors, 0).max(axis=-1, initial=0)

    def _typical_errors(
        self, code: CheckKernel, rows: Mapping[str, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean errors, and sizes of their terms, at random states; NaN if undefined."""
        usual, sizes = np.full((2, len(rows["q"]), *code.shapes[0]), np.nan)
        random = np.random.default_rng(20261126)
        for spread in SPREADS:
            if np.isnan(usual).any():
                found = _evaluate(code, self._draw_states(rows, spread, random))
                usual, sizes = map(_fill_nan, (usual, sizes), found[:2])
        return usual, sizes

    def _draw_states(
        self, rows: Mapping[str, np.ndarray], spread: float, random: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """Return random states (STATES, number of samples, ...) with speeds of similar size."""
        found = {x: np.broadcast_to(own, (STATES, *own.shape)) for x, own in rows.items()}
        shifts = rows["q"][:, ~self._turns]
        reach = np.abs(shifts).max(initial=0, where=np.isfinite(shifts))
        moves = random.uniform(-1, 1, found["q"].shape)
        q = found["q"] + spread * np.where(self._turns, np.pi, reach) * moves
        for columns in self._quaternions:
            q[..., columns] /= np.linalg.norm(q[..., columns], axis=-1, keepdims=True)
        for name in ("u", "udot"):
            if name in found:
                found[name] = found[name] * random.uniform(-1, 1, found[name].shape)
        return {**found, "q": q}

    def _warn(
        self, found: np.ndarray, samples: np.ndarray, given: CheckInputs, all_samples: bool
    ) -> None:
        """Warn of the first level that samples violate."""
        level = int(found.any(axis=0).argmax())
        wrong = np.flatnonzero(found[:, level])
        where = given.describe_sample(samples[wrong[0]])
        if all_samples and where:
            where = f" of {len(wrong)} of {len(samples)} samples, first{where},"
        name, size = [*LEVELS.values()][level], found[:, level].max()
        model, more = ("idyn", ", udot") if "udot" in given.widths else ("fdyn.inverse", "")
        warn(
            f"the motion does not close the loops: the {name}{where} violate the constraints by "
            f"{size:.3g}, so that forces are wrong. Use {model}.close_motion(q, u{more}, "
            "constants=...), or Trajectory.closed."
        )


def _evaluate(code: CheckKernel, rows: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return absolute errors, two sizes of their terms (..., levels, rows), and sizes of motions.

    The second size includes numbers that cancelled.  The sizes of motions are the squared
    acceleration due to gravity and loads, the model's length, and the lengths by which speeds move
    bodies.
    """
    errors, squares, others, cancelled = code.evaluate(rows)
    return [np.abs(errors), *(np.sqrt(np.abs(x)) for x in (squares, cancelled)), others]


def _fastest_states(rows: Mapping[str, np.ndarray], others: np.ndarray) -> dict[str, np.ndarray]:
    """Return speeds and accelerations that are all as large as the largest of a motion.

    Accelerations due to gravity and loads count, and centripetal ones; a speed is the one that such
    an acceleration has on a circle of the model's length.
    """
    known, length, units = others[..., 0], others[..., 1:2], others[..., 2:]
    rates = {name: rows[name] for name in ("u", "udot") if name in rows}
    largest = {name: _largest(x * units) for name, x in rates.items()}
    turning = _largest(largest.get("u", 0.0) ** 2 / length)
    size = max(_largest(np.sqrt(known)), largest.get("udot", 0.0), turning)
    natural = {"u": np.sqrt(size * length) / units, "udot": size / units}
    return {name: natural[name] for name in rates}


def _largest(values: np.ndarray) -> float:
    """Return the largest finite absolute value."""
    return float(np.abs(values).max(initial=0, where=np.isfinite(values)))


def _fill_nan(known: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return ``known`` with NaN replaced by the mean of the finite values in ``others`` (STATES,
    ...).
    """
    is_there = np.isfinite(others)
    count = is_there.sum(axis=0)
    mean = np.where(is_there, others, 0).sum(axis=0) / np.where(count, count, np.nan)
    return np.where(np.isnan(known), mean, known)
