"""The forces of a model and what undetermined ones change of them, from one kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from .. import ExternalWrench, InverseDynamics
from ..checks.arguments import find_named, is_called
from ..checks.tolerances import ROUNDING
from ..extend import Output, compile_program, undetermined_changes


class Statics:
    """All forces of a model, in one column: joint wrenches, generalized forces, load symbols."""

    def __init__(self, idyn: InverseDynamics) -> None:
        if idyn.model.request.laws:
            raise ValueError(
                "`idyn` must have no frictions, which depend on undetermined forces. Use "
                "Limit.contact(..., friction=...), or InverseDynamics without frictions."
            )
        self._model, self.tree = idyn.model, idyn.model.tree
        self.joints = self.tree.all_joints
        self.symbols = (*self.tree.speeds, *idyn.solve_for)

    @cached_property
    def evaluate(self) -> Any:
        """The kernel: forces, their changes by each combination, and what nothing supplies."""
        outputs = self._model.outputs
        with self._model.derivation.graph.lock:
            outputs.output("joint_wrenches")  # raises an error if places of forces are unknown
            derivation = self._model.derivation.without_choice()
            supply, zero = derivation.supply, derivation.graph.scalar(0)
            values, basis = undetermined_changes(derivation)
            for symbol in self.symbols:
                values += supply.of(symbol)[:1] or [derivation.forces.get(symbol, zero)]
                for combination, changes in basis:
                    changes += supply.belonging_to(symbol, combination)[:1] or [zero]
            rows = zip(*(changes for _, changes in basis), strict=True)
            squares = [derivation.squared_terms(k) for k in range(len(self.tree.speeds))]
            made = [
                Output.from_scalars("forces", (len(values),), values),
                Output.from_scalars("changes", (len(values), len(basis)), chain(*rows)),
                Output.from_scalars("squares", (len(squares),), squares),
                outputs.output("unsupplied"),
            ]
            return compile_program(outputs.program(made))

    @property
    def all_columns(self) -> dict[str, Sequence[int]]:
        """The indices of joint wrenches and of generalized forces."""
        first, count = 6 * len(self.joints), len(self.tree.speeds)
        return {"joint_wrenches": range(first), "generalized_forces": range(first, first + count)}

    def columns_of(self, argument: str, source: Any) -> list[int]:
        """Return the indices of the components of a joint's wrench, of a load, or of a symbol."""
        if isinstance(source, ExternalWrench):
            return [self.columns_of(argument, x)[0] for x in source.symbols]
        count = 6 * len(self.joints)
        for k, symbol in enumerate(self.symbols):
            if is_called(symbol, source):
                return [count + k]
        k = find_named(argument, source, self.joints, also=map(str, self.symbols))
        return [*range(6 * k, 6 * k + 6)]

    def joint_of(self, source: Any) -> Any:
        """Return the joint of a limit; None for a force or an ExternalWrench."""
        first = self.columns_of("limits", source)[0]
        return self.joints[first // 6] if first < 6 * len(self.joints) else None

    def forces(self, states: Sequence[Any], given: dict[str, Any]) -> "Forces":
        """Return the forces in a motion."""
        found = self.evaluate(*states, **given).outputs
        batch, count = found["forces"].shape[:-1], 6 * len(self.joints)
        flat = {name: x.reshape(prod(batch), *x.shape[len(batch) :]) for name, x in found.items()}
        values = flat["forces"]
        wrenches = abs(values[:, :count]).reshape(len(values), len(self.joints), 2, 3)
        largest = np.repeat(wrenches.max(axis=(1, 3), initial=0.0), 3, axis=-1)
        others = abs(values[:, count:]).max(axis=-1, keepdims=True, initial=0.0)
        both = np.tile(largest, len(self.joints)), np.repeat(others, len(self.symbols), axis=-1)
        is_short = abs(flat["unsupplied"]) > ROUNDING * np.sqrt(flat["squares"])
        return Forces(batch, values, flat["changes"], is_short, np.concatenate(both, axis=-1))


@dataclass(frozen=True)
class Forces:
    """The forces of a model at samples: ``values + changes z`` for all undetermined ``z``."""

    # Short is what nothing supplies, at each speed; sizes are those of the forces' terms.

    batch: tuple[int, ...]
    values: np.ndarray
    changes: np.ndarray
    is_short: np.ndarray
    sizes: np.ndarray

    @property
    def are_finite(self) -> np.ndarray:
        """Whether the forces of a sample are numbers: it is regular, and no data are missing."""
        return np.isfinite(self.values).all(axis=-1) & np.isfinite(self.changes).all(axis=(-1, -2))
