"""A look at the first motion that an evaluator gets: does it close the model's loops?"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...checks.problems import warn
from ...checks.tolerances import ROUNDING, VIOLATED
from .result import Result

#: Outputs that are wrong where a motion violates the constraints.
FORCES = frozenset(
    (
        *("generalized_forces", "joint_wrenches", "constraint_wrenches", "multipliers"),
        *("unsupplied", "solved_loads"),
    )
)

#: How many random states tell how large the errors of a motion are that does not close the loops.
STATES = 8

#: What violates constraints, by the names of inputs.
LEVELS = {"q": "positions", "u": "speeds", "udot": "accelerations"}


def first_look(
    outputs: Iterable[str], errors: Callable[[], Any], turns: np.ndarray
) -> "ClosingLook | None":
    """Return the look at the first motion; None if no output is wrong where loops are open."""
    return None if FORCES.isdisjoint(outputs) else ClosingLook(errors, turns)


class ClosingLook:
    """Warns if a result's first, middle or last sample does not close the loops."""

    def __init__(self, errors: Callable[[], Any], turns: np.ndarray) -> None:
        self._errors, self._turns = errors, turns

    def __call__(self, result: Result) -> None:
        inputs = result.inputs
        assert inputs is not None
        evaluate = self._errors()
        states = [x for name in LEVELS for x in evaluate.inputs[name]]
        if inputs.missing([*states, *evaluate.used_inputs]):
            return  # the outputs do not need them all
        batch = np.broadcast_shapes(*(np.shape(x) for x in inputs.samples.values()))
        if not (count := int(np.prod(batch))):
            return
        rows = np.unique([0, count // 2, count - 1])
        few = inputs.mapped(lambda x: np.broadcast_to(x, batch).reshape(-1)[rows])
        given = few.arguments(evaluate)
        errors = np.abs(evaluate(**given).constraint_errors)
        usual = sum(np.abs(evaluate(**x).constraint_errors) for x in self._elsewhere(given))
        wrong = errors > VIOLATED * usual / STATES
        if wrong.any():
            level = int(wrong.any(axis=(0, 2)).argmax())
            row = int(wrong[:, level].any(axis=-1).argmax())
            where = f" at sample {rows[row]}" if count > 1 else ""
            what, size = [*LEVELS.values()][level], errors[row, level].max()
            warn(
                f"the motion does not close the loops: the {what}{where} violate the constraints "
                f"by {size:.3g}, so that forces are wrong. Use idyn.close_motion(q, u, udot, "
                "constants), or Trajectory.closed."
            )

    def _elsewhere(self, given: dict[str, Any]) -> Any:
        """Yield random states of like size."""
        random, q = np.random.default_rng(20261126), given["q"]
        reach = np.abs(q[..., ~self._turns]).max(initial=0.0) or 1.0
        for _ in range(STATES):
            moved = {
                name: (np.abs(given[name]) + ROUNDING) * random.uniform(-1, 1, given[name].shape)
                for name in ("u", "udot")
            }
            shifts = q + reach * random.uniform(-1, 1, q.shape)
            angles = random.uniform(-np.pi, np.pi, q.shape)
            yield {**given, **moved, "q": np.where(self._turns, angles, shifts)}
