"""Warnings that explain NaN in results of models with friction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.messages import warn
from ..checks.tolerances import ROUNDING

if TYPE_CHECKING:
    from ..mechanics.evaluation.evaluator import Evaluator
    from ..mechanics.evaluation.result import Result

#: The outputs from which the reason of an unknown friction follows.
REASON_OUTPUTS = (
    *("friction", "friction_couplings", "friction_residual", "sliding_speeds"),
    "normal_forces",
)

#: The module whose `restored` makes evaluators from files.
HERE = "friction.nan_warnings"

#: Share of a joint in a cycle of dependence, relative to the largest, from which it is named.
NAMED_SHARE = 0.1


class NanWarnings:
    """Warnings where frictions are NaN, with the joints and the reason.

    ``bearings`` are the names of joints with friction.  ``compile_alike`` compiles the outputs that
    explain NaN, when they are needed, or when this object is pickled or saved.
    """

    def __init__(self, bearings: Sequence[str], compile_alike: Callable[..., Evaluator]) -> None:
        self._bearings, self._compile_alike = list(bearings), compile_alike

    @cached_property
    def _reasons(self) -> Evaluator:
        """The evaluator of the outputs that explain NaN; it emits no warnings."""
        return self._compile_alike(REASON_OUTPUTS, backend="numpy")._with_checks(())

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (_same, self._bearings, self._reasons)

    def in_file(self, contents: Callable[[Evaluator], dict[str, Any]]) -> list[Any]:
        return [HERE, self._bearings, contents(self._reasons)]

    def __call__(self, result: Result, given: Mapping[str, Any]) -> None:
        """Warn if a result of the arguments by name has a NaN that frictions explain."""
        if any(np.isnan(array).any() for array in result.outputs.values()):
            own = {name: x for name, x in given.items() if name in self._reasons.inputs}
            try:
                explained = self._reasons._called((), own)
            except (TypeError, ValueError):  # inputs that only frictions need are missing
                return
            for text in dict.fromkeys(nan_reasons(explained, self._bearings).values()):
                warn(text, RuntimeWarning)


def restored(
    make: Callable[[Any], Evaluator], bearings: Sequence[str], reasons: Any
) -> NanWarnings:
    """Return the warnings of a saved evaluator, or of one that is unpickled."""
    found = NanWarnings(bearings, make)
    found.__dict__["_reasons"] = make(reasons)
    return found


def _same(reasons: Evaluator) -> Evaluator:
    return reasons


def nan_reasons(result: Result, names: Sequence[str]) -> dict[str, str]:
    """Return the reason why a friction is NaN, by joint, at the first such sample of each."""
    count, found = len(names), dict[str, str]()
    frictions, speeds = (x.reshape(-1, count) for x in (result.friction, result.sliding_speeds))
    inputs = result._known_inputs()
    given = np.broadcast_arrays(result.friction[..., 0], *inputs.samples.values())[1:]
    rows = dict(zip(inputs.samples, (x.reshape(-1) for x in given), strict=True))
    is_known = np.isfinite(np.stack([*rows.values()])).all(axis=0)
    moving = [x for symbol, x in rows.items() if symbol in inputs.speeds]
    rates = np.abs([0.0 * is_known, *moving]).max(axis=0)
    couplings = result.friction_couplings.reshape(-1, count, count)
    forces = result.normal_forces.reshape(-1, count)
    for number, row in enumerate(np.isnan(frictions).tolist()):
        missing = [k for k in range(count) if row[k] and names[k] not in found]
        if missing and is_known[number]:
            own = forces[number], speeds[number], couplings[number], rates[number]
            cause, text = _reason(missing, names, *own)
            where = f" at sample {number}" if len(frictions) > 1 else ""
            found |= {names[k]: f"The friction is NaN{where}: {text}" for k in cause}
    return found


def _reason(
    missing: Sequence[int],
    names: Sequence[str],
    forces: np.ndarray,
    speeds: np.ndarray,
    couplings: np.ndarray,
    largest: float,
) -> tuple[list[int], str]:
    """Return the indices of the joints that cause unknown frictions, and the reason."""
    # Normal forces are negative only for one-sided contacts that lift off.
    if lifted := [k for k in missing if forces[k] < 0]:
        return lifted, (
            f"{enumerate_some([names[k] for k in lifted])} lifts off: its parent would have to "
            "pull. Use simulate(..., events=...) with the output 'normal_forces' to end there."
        )
    # A speed at rest may be roundoff of the other speeds instead of zero.
    if resting := [k for k in missing if abs(speeds[k]) <= ROUNDING * largest]:
        return resting, (
            f"{enumerate_some([names[k] for k in resting])} does not slide, so that friction is "
            "anything between two limits, which `at_rest` returns. Use JointFriction(..., "
            "width=...), or sense=... for one of them."
        )
    own = couplings[np.ix_(missing, missing)]
    if not (np.isfinite(own).all() and own.any()):
        return [], ""  # the reason is an input that is NaN
    gain, right = _largest(own)
    cycle = right * _largest(own.T)[1]
    cause = [k for k, x in zip(missing, cycle, strict=True) if x > NAMED_SHARE * cycle.max()]
    listed = enumerate_some([names[k] for k in cause], 10)
    if gain < 1:
        return cause, (
            f"Newton's method did not converge to the unique solution for {listed} (gain "
            f"{gain:.3g}). See the output 'friction_residual'."
        )
    return cause, (
        f"no equilibrium was found for this direction of sliding in {listed}, since friction "
        f"there raises the force that causes it by as much (gain {gain:.3g}, not below 1)."
    )


def _largest(matrix: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the largest eigenvalue of a nonnegative matrix, and its eigenvector."""
    values, vectors = np.linalg.eig(matrix)
    k = int(np.argmax(values.real))
    return float(values[k].real), np.abs(vectors[:, k])
