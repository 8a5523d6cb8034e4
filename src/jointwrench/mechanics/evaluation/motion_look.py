"""What looks at the first motion of an evaluator, or at all that are to be checked."""

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
from .look_code import Given, LookCode, LookingCode

if TYPE_CHECKING:
    from ..dynamics.outputs.model_outputs import ModelOutputs
    from ..mechanism.tree import Tree
    from .closing_look import ClosingLook

#: Outputs that mean the same where a motion violates the constraints.
KINEMATIC = frozenset(
    (
        *("mass_matrix", "inverse_mass_matrix", "bias", "conditioning", "constraint_errors"),
        *("kinetic_energies", "energy", "qdot", "sliding_speeds"),
    )
)

#: Outputs of forward dynamics that need no accelerations.
OF_STATES = frozenset(("constraint_errors", "energy", "qdot", "sliding_speeds"))


class MassLook(LookingCode):
    """Warns of a singular mass matrix, where masses or moments of inertia are zero."""

    # Code is that of the root of the least part of a speed's inertia that the speeds further out
    # leave, or makes it; masses are the places and names of their constants.

    def __init__(
        self, code: Callable[[], LookCode] | LookCode, masses: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(code)
        self._masses = [(int(place), name) for place, name in masses]

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of: numbers and texts."""
        return self.code, self._masses

    def __call__(self, given: Given, samples: np.ndarray) -> None:
        """Look at samples."""
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


class MotionLook:
    """Warns of motions that do not close loops, of quaternions of zeros, of masses of zero."""

    # Quaternions are the columns of each.

    def __init__(
        self,
        loops: ClosingLook | None,
        quaternions: Sequence[Sequence[int]],
        masses: MassLook | None = None,
    ) -> None:
        self._loops, self._masses = loops, masses
        self._quaternions = [list(columns) for columns in quaternions]
        #: Whether an evaluator's first motion is looked at unasked.
        self.at_first = bool(quaternions or masses or (loops and loops.has_forces))

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of: numbers and texts."""
        return (
            self._loops and self._loops.parts,
            self._quaternions,
            self._masses and self._masses.parts,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return stored_look, self.parts

    def limited(self, told: Collection[str]) -> MotionLook:
        """Return what tells of some things alone."""
        return MotionLook(
            self._loops if "loops" in told else None,
            self._quaternions if "quaternions" in told else (),
            self._masses if "masses" in told else None,
        )

    @property
    def code(self) -> LookCode | None:
        """The code of errors of closed loops."""
        return None if self._loops is None else self._loops.code

    def __call__(
        self,
        widths: Mapping[str, int],
        columns: Sequence[Mapping[int, np.ndarray]],
        batch: tuple[int, ...],
        every: bool = False,
    ) -> None:
        """Look at the first, the middle and the last sample, or at every one."""
        given = Given(widths, dict(zip(widths, columns, strict=True)), batch)
        count = prod(batch)
        samples = np.arange(count) if every else np.unique([0, count // 2, count - 1])
        self._look_at_quaternions(given, samples)
        if self._masses:
            self._masses(given, samples)
        if self._loops and (every or self._loops.has_forces):
            self._loops(given, samples, every)

    def _look_at_quaternions(self, given: Given, samples: np.ndarray) -> None:
        if not self._quaternions or len(given.columns["q"]) < given.widths["q"]:
            return
        q = given.rows(samples)["q"]
        for columns in self._quaternions:
            wrong = np.flatnonzero((q[:, columns] == 0).all(axis=-1))
            if wrong.size:
                warn(
                    f"`q` must have quaternions that are not zero, got zeros in the columns "
                    f"{', '.join(map(str, columns))}{given.place(samples[wrong[0]])}: all that "
                    "depends on that orientation is wrong or NaN. Use 1, 0, 0, 0 for no rotation."
                )


def stored_look(
    loops: Sequence[Any] | None, quaternions: Sequence[Sequence[int]], masses: Sequence[Any] | None
) -> MotionLook:
    """Return a look from its parts."""
    own = None
    if loops is not None:
        from .closing_look import ClosingLook

        own = ClosingLook(LookCode(*loops[0]), *loops[1:])
    look = None if masses is None else MassLook(LookCode(*masses[0]), masses[1])
    return MotionLook(own, quaternions, look)


def motion_look(
    outputs: ModelOutputs,
    names: Iterable[str],
    groups: Sequence[Group],
    numbers: Mapping[Any, Any],
) -> MotionLook:
    """Return the look of an evaluator of some outputs, of groups of inputs without numbers."""
    tree = outputs.derivation.tree
    given = outputs, tuple(groups), numbers
    loops = masses = None
    if tree.constraints:
        from .closing_errors import code_of_errors
        from .closing_look import ClosingLook

        has_forces = outputs.may_be_forces and not KINEMATIC.issuperset(names)
        turns, code = tree.is_turning.tolist(), partial(code_of_errors, *given)
        loops = ClosingLook(code, turns, tree.quaternion_columns, has_forces)
    if outputs.solves_motion and not OF_STATES.issuperset(names) and (own := _masses(tree, groups)):
        masses = MassLook(partial(_code_of_independence, *given), own)
    return MotionLook(loops, tree.quaternion_columns, masses)


def _code_of_independence(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> LookCode:
    from .closing_errors import code_of_independence  # when a mass is zero

    return code_of_independence(outputs, groups, numbers)


def _masses(tree: Tree, groups: Sequence[Group]) -> list[tuple[int, str]]:
    """Return the places and names of constants on which masses and moments of inertia depend."""
    own = [[link.mass, *(link.inertia[k, k] for k in range(3))] for link in tree.links]
    symbols = {symbol for entries in own for x in entries for symbol in x.free_symbols}
    constants = next(group.symbols for group in groups if group.name == "constants")
    return [(k, symbol_name(x)) for k, x in enumerate(constants) if x in symbols]
