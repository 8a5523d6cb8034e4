"""The forces that supply the generalized forces of a motion: solution of ``A x = Q``.

The columns of A are the generalized forces of units of the unknowns: wrenches of closing joints,
motors, loads.  Unknowns are undetermined if a combination of them supplies nothing, and a joint
wrench if such a combination changes it; a motion is realisable if Q is a combination of the
columns.

References
==========

.. [1] M. Wojtyra, Joint reaction forces in multibody systems with redundant
   constraints, Multibody Syst. Dyn. 14 (2005) 23-46.
.. [2] M. Wojtyra, J. Fraczek, Solvability of reactions in rigid multibody systems
   with redundant nonholonomic constraints, Multibody Syst. Dyn. 30 (2013) 153-171.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Dummy, Expr, S

from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Scalar
from ...arithmetic.linear import Scales, Solution, solve
from ..recursion.newton_euler import inward_joint_wrenches
from ..recursion.rigid_body import BodyWrench, Wrenches
from ..recursion.scalar_tree import ScalarTree
from .scaling import effects_of_unknowns, units_of_speeds, units_of_unknowns
from .unknowns import Unknown


@dataclass(frozen=True, eq=False)
class Supply:
    """The forces that supply the generalized forces, and the undetermined ones among them."""

    tree: ScalarTree
    unknowns: Sequence[Unknown]
    solution: Solution
    state: GenericState

    @classmethod
    def solve(
        cls,
        tree: ScalarTree,
        unknowns: Sequence[Unknown],
        forces: Sequence[Scalar],
        state: GenericState,
        is_written: bool = False,
    ) -> "Supply":
        """Solve for the unknowns; ``forces`` are those that the motion requires without them."""
        # column_1 x_1 + column_2 x_2 + ... = F, what the motion asks for of the speeds
        matrix = [list(row) for row in zip(*(x.column for x in unknowns), strict=True)]
        matrix = matrix or [[] for _ in forces]
        sizes = None if is_written else effects_of_unknowns(tree, unknowns)
        scales = Scales(units_of_speeds(tree), units_of_unknowns(tree, unknowns), sizes)
        solution = solve(tree.graph, matrix, forces, state, scales, is_written)
        return cls(tree, unknowns, solution, state)

    def of(self, source: object) -> list[Scalar]:
        """Return the values of an unknown, or of those of a closing."""
        return self.belonging_to(source, self.solution.values)

    def belonging_to(self, source: object, values: Sequence[Scalar]) -> list[Scalar]:
        """Return those among the values of all unknowns that are of one source."""
        pairs = zip(self.unknowns, values, strict=True)
        return [value for unknown, value in pairs if unknown.source is source]

    # -- what is open -----------------------------------------------------------

    @cached_property
    def _symbols(self) -> dict[int, Dummy]:
        """A symbol for each open unknown, by its number."""
        is_open = self.solution.is_open
        return {k: Dummy(f"open_{k}") for k in range(len(self.unknowns)) if is_open[k]}

    @property
    def symbols(self) -> set[Expr]:
        """The symbols for undetermined unknowns, which are not inputs."""
        return set(self._symbols.values())

    @cached_property
    def _open_states(self) -> list[GenericState]:
        """The state with each combination that supplies nothing."""
        return [
            self.state.with_random_functions.with_values(
                {symbol: own[k] for k, symbol in self._symbols.items()}
            )
            for own in self.solution.open
        ]

    @cached_property
    def open_wrenches(self) -> tuple[BodyWrench, ...]:
        """The changes of the joint wrench of each link due to undetermined unknowns."""
        still = [BodyWrench.zero(self.tree.graph) for _ in self.tree.inertias]
        pairs = zip(self.unknowns, self.open_values, strict=True)
        return inward_joint_wrenches(self.tree, still, combined(pairs))

    @cached_property
    def open_values(self) -> list[Scalar]:
        """A symbol for each undetermined unknown, zero for the others."""
        graph = self.tree.graph
        return [graph.scalar(self._symbols.get(k, 0)) for k in range(len(self.unknowns))]

    def open_of(self, source: object) -> list[Scalar]:
        """Return `open_values` of the unknowns of a closing."""
        return self.belonging_to(source, self.open_values)

    def on_link(self, link: int, source: object, values: Sequence[Scalar]) -> BodyWrench:
        """Return the wrench of a closing on a link, for values of all unknowns."""
        pairs = zip(self.unknowns, values, strict=True)
        own = ((unknown, value) for unknown, value in pairs if unknown.source is source)
        return combined(own).get(link, BodyWrench.zero(self.tree.graph))

    def changes(self, scalars: Sequence[Scalar]) -> list[bool]:
        """Return which values depend on undetermined unknowns, given their changes."""
        found = [False] * len(scalars)
        for state in self._open_states:
            found = [x or not y.is_zero for x, y in zip(found, state.of(scalars), strict=True)]
        return found

    def masked(self, values: Sequence[Scalar], changes: Sequence[bool]) -> list[Scalar]:
        """Return values with NaN for those that depend on undetermined unknowns."""
        nan = self.tree.graph.scalar(S.NaN)
        return [nan if change else value for value, change in zip(values, changes, strict=True)]


def combined(unknowns: Iterable[tuple[Unknown, Scalar]]) -> Wrenches:
    """Return the wrenches of unknowns with some values on links."""
    wrenches: Wrenches = {}
    for unknown, value in unknowns:
        for link, unit in unknown.wrenches.items():
            wrenches = summed(wrenches, {link: unit * value})
    return wrenches


def summed(wrenches: Wrenches, more: Wrenches) -> Wrenches:
    """Return the sums of two sets of wrenches on links."""
    sums = {link: wrenches[link] + own if link in wrenches else own for link, own in more.items()}
    return {**wrenches, **sums}
