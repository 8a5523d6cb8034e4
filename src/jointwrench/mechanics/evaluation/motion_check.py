"""Checks of an evaluator's first motion, and of all samples on request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks.arguments import symbol_name
from ...checks.messages import warn
from ...checks.tolerances import DEFICIENT
from ..arithmetic.output import Group
from .check_kernels import CheckInputs, CheckKernel, LazyCheckKernel

if TYPE_CHECKING:
    from ..dynamics.outputs.model_outputs import ModelOutputs
    from ..mechanism.tree import Tree
    from .closure_check import ClosureCheck

#: Outputs that are valid also for motions that violate the constraints.
KINEMATIC = frozenset(
    (
        *("mass_matrix", "inverse_mass_matrix", "bias", "conditioning", "constraint_errors"),
        *("kinetic_energies", "energy", "qdot", "sliding_speeds"),
    )
)

#: Outputs of forward dynamics that do not depend on accelerations.
OF_STATES = frozenset(("constraint_errors", "energy", "qdot", "sliding_speeds"))


class MassCheck(LazyCheckKernel):
    """Warns of a singular mass matrix where masses or moments of inertia are zero.

    Parameters
    ==========

    code : function or CheckKernel
        The kernel of the root of the smallest share of a speed's inertia that outer speeds leave.
    masses : sequence of (int, str)
        The positions and names of the constants that are masses or moments of inertia.
    """

    def __init__(
        self, code: Callable[[], CheckKernel] | CheckKernel, masses: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(code)
        self._masses = [(int(place), name) for place, name in masses]

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arguments that restore the check, as numbers and texts."""
        return self.code, self._masses

    def __call__(self, given: CheckInputs, samples: np.ndarray) -> None:
        """Check samples."""
        constants = given.columns["constants"]
        known = [(name, constants[k]) for k, name in self._masses if k in constants]
        zeros = [name for name, column in known if (column == 0).any()]
        if not zeros:
            return
        code = self.code
        if any(k not in given.columns[name] for name, k in code.used):
            return
        for rows in given.parts(samples):
            with np.errstate(all="ignore"):
                (share,) = code.evaluate(rows)
            is_known = np.all([np.isfinite(rows[name][:, k]) for name, k in code.used], axis=0)
            if (is_known & ~(share > np.sqrt(DEFICIENT))).any():
                warn(
                    f"`constants` must give mass to all that speeds move, got 0 for "
                    f"{', '.join(zeros)}: the mass matrix is singular, so that accelerations are "
                    "NaN or wrong. Use numbers above 0 for some of them."
                )
                return


class MotionCheck:
    """Warns of motions that do not close loops, of zero quaternions and of zero masses.

    Attributes
    ==========

    at_first : bool
        Whether the first motion of an evaluator is checked without request.
    """

    def __init__(
        self,
        loops: ClosureCheck | None,
        quaternions: Sequence[Sequence[int]],
        masses: MassCheck | None = None,
    ) -> None:
        self._loops, self._masses = loops, masses
        self._quaternions = [list(columns) for columns in quaternions]
        self.at_first = bool(quaternions or masses or (loops and loops.has_forces))

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arguments that restore the checks, as numbers and texts."""
        return (
            self._loops and self._loops.parts,
            self._quaternions,
            self._masses and self._masses.parts,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_motion_check, self.parts

    def restricted_to(self, checks: Collection[str]) -> MotionCheck:
        """Return a copy that runs only the named checks."""
        return MotionCheck(
            self._loops if "loops" in checks else None,
            self._quaternions if "quaternions" in checks else (),
            self._masses if "masses" in checks else None,
        )

    @property
    def code(self) -> CheckKernel | None:
        """The kernel of errors of closed loops; None without loops."""
        return None if self._loops is None else self._loops.code

    def __call__(
        self,
        widths: Mapping[str, int],
        columns: Sequence[Mapping[int, np.ndarray]],
        batch: tuple[int, ...],
        all_samples: bool = False,
    ) -> None:
        """Check the first, the middle and the last sample, or all samples."""
        given = CheckInputs(widths, dict(zip(widths, columns, strict=True)), batch)
        count = prod(batch)
        samples = np.arange(count) if all_samples else np.unique([0, count // 2, count - 1])
        self._check_quaternions(given, samples)
        if self._masses:
            self._masses(given, samples)
        if self._loops and (all_samples or self._loops.has_forces):
            self._loops(given, samples, all_samples)

    def _check_quaternions(self, given: CheckInputs, samples: np.ndarray) -> None:
        """Warn of samples with a quaternion of zeros."""
        if not self._quaternions or len(given.columns["q"]) < given.widths["q"]:
            return
        q = given.rows(samples)["q"]
        for columns in self._quaternions:
            wrong = np.flatnonzero((q[:, columns] == 0).all(axis=-1))
            if wrong.size:
                where = given.describe_sample(samples[wrong[0]])
                warn(
                    f"`q` must have quaternions that are not zero, got zeros in the columns "
                    f"{', '.join(map(str, columns))}{where}: all that "
                    "depends on that orientation is wrong or NaN. Use 1, 0, 0, 0 for no rotation."
                )


def restore_motion_check(
    loops: Sequence[Any] | None, quaternions: Sequence[Sequence[int]], masses: Sequence[Any] | None
) -> MotionCheck:
    """Return the checks from the parts that a file or pickle has."""
    own = None
    if loops is not None:
        from .closure_check import ClosureCheck

        own = ClosureCheck(CheckKernel(*loops[0]), *loops[1:])
    mass_check = None if masses is None else MassCheck(CheckKernel(*masses[0]), masses[1])
    return MotionCheck(own, quaternions, mass_check)


def make_motion_check(
    outputs: ModelOutputs, names: Iterable[str], groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> MotionCheck:
    """Return the checks for an evaluator of some outputs.

    ``groups`` are its groups of inputs, ``numbers`` the constants that are numbers in its code.
    """
    tree = outputs.derivation.tree
    given = outputs, tuple(groups), numbers
    loops = masses = None
    if tree.constraints:
        from .closure_check import ClosureCheck
        from .closure_check_kernels import make_closure_kernel

        has_forces = outputs.may_be_forces and not KINEMATIC.issuperset(names)
        turns, code = tree.is_turning.tolist(), partial(make_closure_kernel, *given)
        loops = ClosureCheck(code, turns, tree.quaternion_columns, has_forces)
    if outputs.solves_motion and not OF_STATES.issuperset(names) and (own := _masses(tree, groups)):
        masses = MassCheck(partial(_make_independence_kernel, *given), own)
    return MotionCheck(loops, tree.quaternion_columns, masses)


def _make_independence_kernel(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> CheckKernel:
    """Return the kernel of `MassCheck`, imported at the first request."""
    from .closure_check_kernels import make_independence_kernel  # when a mass is zero

    return make_independence_kernel(outputs, groups, numbers)


def _masses(tree: Tree, groups: Sequence[Group]) -> list[tuple[int, str]]:
    """Return the positions and names of the constants of masses and moments of inertia."""
    own = [[link.mass, *(link.inertia[k, k] for k in range(3))] for link in tree.links]
    symbols = {symbol for entries in own for x in entries for symbol in x.free_symbols}
    constants = next(group.symbols for group in groups if group.name == "constants")
    return [(k, symbol_name(x)) for k, x in enumerate(constants) if x in symbols]
