"""The forces of a model and what undetermined ones change of them, from one kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from ..checks.arguments import find_named, is_called
from ..checks.tolerances import ROUNDING
from ..mechanics.arithmetic.factorization import dot
from ..mechanics.arithmetic.graph import Scalar
from ..mechanics.arithmetic.output import Output
from ..mechanics.dynamics.derivation import exclusive
from ..mechanics.dynamics.loops.null_space import undetermined_combinations
from ..mechanics.dynamics.outputs.least_energy import changed_wrenches
from ..mechanics.dynamics.outputs.wrench_outputs import check_locations, joint_wrench_parts
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..tracking.external_wrench import ExternalWrench


class Statics:
    """All forces of a model, in one column: joint wrenches, generalized forces, load symbols."""

    def __init__(self, idyn: InverseDynamics) -> None:
        if idyn.model.request.laws:
            raise ValueError(
                "`idyn` must have no frictions, which depend on undetermined forces. Use "
                "Limit.contact(..., friction=...), or InverseDynamics without frictions."
            )
        self.tree = idyn.model.tree
        self._derivation = idyn.model.derivation  # what `exclusive` locks
        self.joints = self.tree.all_joints
        self.symbols = (*self.tree.speeds, *idyn.solve_for)
        self._outputs = idyn.model.outputs

    @cached_property
    @exclusive
    def evaluate(self) -> Any:
        """The kernel: forces, their changes by each combination, and what nothing supplies."""
        derivation = self._derivation.without_choice()
        check_locations(derivation)
        supply, zero = derivation.supply, derivation.graph.scalar(0)
        basis = undetermined_combinations(supply)
        found, moved = joint_wrench_parts(derivation)
        values = [x for wrench in found for x in wrench.scalars]
        are_moved = supply.changes([x for wrench in moved for x in wrench.scalars])
        columns = [
            [x for wrench in changed_wrenches(derivation, own) for x in wrench.scalars]
            for own in basis
        ]
        for column in columns:  # rounding of what is determined would hide that limits fail
            column[:] = [x if own else zero for x, own in zip(column, are_moved, strict=True)]
        for symbol in self.symbols:
            forces = derivation.forces
            values += supply.of(symbol)[:1] or [forces.get(symbol, zero)]
            for column, own in zip(columns, basis, strict=True):
                column += supply.belonging_to(symbol, own)[:1] or [zero]
        rests, terms = list[Scalar](), list[list[Scalar]]()
        if derivation.request.motors(self.tree) is not None:
            rests = supply.solution.residuals
            terms = [
                [
                    x.column[i] * y
                    for x, y in zip(supply.unknowns, supply.solution.values, strict=True)
                ]
                for i in range(len(rests))
            ]
        demanded = [*derivation.demanded.values()]
        squares = [dot([x, *y], [x, *y]) for x, y in zip(demanded, terms, strict=False)]
        kinds = {
            "forces": ((len(values),), values),
            "changes": ((len(values), len(basis)), [*chain(*zip(*columns, strict=True))]),
            "rests": ((len(rests),), rests),
            "squares": ((len(rests),), squares),
        }
        outputs = [Output.from_scalars(name, *own) for name, own in kinds.items()]
        return compile_program(self._outputs.program(outputs))

    @property
    def all_columns(self) -> dict[str, Sequence[int]]:
        """The indices of joint wrenches and of generalized forces."""
        first, count = 6 * len(self.joints), len(self.tree.speeds)
        return {"joint_wrenches": range(first), "generalized_forces": range(first, first + count)}

    def columns_of(self, argument: str, source: Any) -> list[int]:
        """Return the indices of a joint's six components, of a load's, or that of a symbol."""
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
        ranks = {"forces": 1, "changes": 2, "rests": 1, "squares": 1}
        batch = np.broadcast_shapes(*(found[x].shape[:-rank] for x, rank in ranks.items()))

        def flat(name: str) -> np.ndarray:
            tail = found[name].shape[-ranks[name] :]
            return np.broadcast_to(found[name], (*batch, *tail)).reshape(prod(batch), *tail)

        values, changes, count = flat("forces"), flat("changes"), 6 * len(self.joints)
        is_short = abs(flat("rests")) > ROUNDING * np.sqrt(flat("squares"))
        wrenches = abs(values[:, :count]).reshape(len(values), len(self.joints), 2, 3)
        largest = np.repeat(wrenches.max(axis=(1, 3), initial=0.0), 3, axis=-1)
        others = abs(values[:, count:]).max(axis=-1, keepdims=True, initial=0.0)
        both = np.tile(largest, len(self.joints)), np.repeat(others, len(self.symbols), axis=-1)
        sizes = np.concatenate(both, axis=-1)
        return Forces(batch, values, changes, is_short, sizes)


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
        finite = np.isfinite(self.values).all(axis=-1)
        return finite & np.isfinite(self.changes).all(axis=(-1, -2))
