"""The unknown forces x that supply the generalized forces Q of a motion: solution of ``A x = Q``.

The unknowns are forces of loop closures, motors and loads.  Each column of A has the generalized
forces that one unit of an unknown supplies.  If a combination of unknowns supplies no generalized
force, its unknowns are undetermined, and so is each joint wrench that it changes.  A motion is
realisable if Q is a combination of the columns.

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
from random import Random

from sympy import Dummy, Expr, S

from ...arithmetic.digits import Digits
from ...arithmetic.generic_state import ZERO, GenericState
from ...arithmetic.graph import Scalar
from ...arithmetic.linear import Scales, Solution, solve
from ..recursion.newton_euler import inward_joint_wrenches
from ..recursion.rigid_body import BodyWrench, Wrenches
from ..recursion.scalar_tree import ScalarTree
from .scaling import effects_of_unknowns, units_of_speeds, units_of_unknowns
from .unknowns import Unknown


@dataclass(frozen=True, eq=False)
class Supply:
    """The unknown forces that supply a motion's generalized forces, with their solution.

    Attributes
    ==========

    tree : ScalarTree
        The mechanism.
    unknowns : sequence of Unknown
        The unknown forces.
    solution : Solution
        Their values, and the combinations that are undetermined.
    state : GenericState
        The state at which decisions are made.
    """

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
        """Return the solution of ``A x = Q`` for the unknowns x.

        ``forces`` is Q: the generalized forces that the motion requires from the unknowns.  With
        ``is_written`` small systems are solved by determinants, which gives shorter formulas.
        """
        # column_1 x_1 + column_2 x_2 + ... = Q, with one equation for each speed
        matrix = [list(row) for row in zip(*(x.column for x in unknowns), strict=True)]
        matrix = matrix or [[] for _ in forces]
        sizes = None if is_written else effects_of_unknowns(tree, unknowns)
        scales = Scales(units_of_speeds(tree), units_of_unknowns(tree, unknowns), sizes)
        solution = solve(tree.graph, matrix, forces, state, scales, is_written)
        return cls(tree, unknowns, solution, state)

    def of(self, source: object) -> list[Scalar]:
        """Return the solved values of the unknowns that belong to a source."""
        return self.belonging_to(source, self.solution.values)

    def belonging_to(self, source: object, values: Sequence[Scalar]) -> list[Scalar]:
        """Return the entries of ``values``, one per unknown, that belong to a source."""
        pairs = zip(self.unknowns, values, strict=True)
        return [value for unknown, value in pairs if unknown.source is source]

    # -- undetermined unknowns --------------------------------------------------

    @cached_property
    def _symbols(self) -> dict[int, Dummy]:
        """A symbol for each undetermined unknown, by the unknown's index."""
        is_open = self.solution.is_open
        return {k: Dummy(f"open_{k}") for k in range(len(self.unknowns)) if is_open[k]}

    @property
    def symbols(self) -> set[Expr]:
        """The symbols of undetermined unknowns; they are not inputs of the model."""
        return set(self._symbols.values())

    @cached_property
    def _open_state(self) -> GenericState:
        """A state with the values of a random undetermined combination for the symbols."""
        random, combination = Random(20261129), dict[Expr, Digits]()
        for own in self.solution.open:
            share = Digits.exact(0.5 + random.random())
            for k, value in own.items():
                if k in self._symbols and not value.is_exact_zero:
                    symbol = self._symbols[k]
                    combination[symbol] = combination.get(symbol, ZERO) + share * value
        return self.state.with_random_functions.with_values(combination)

    @cached_property
    def open_wrenches(self) -> tuple[BodyWrench, ...]:
        """The change of each link's joint wrench due to the undetermined unknowns."""
        still = [BodyWrench.zero(self.tree.graph) for _ in self.tree.inertias]
        pairs = zip(self.unknowns, self.open_values, strict=True)
        return inward_joint_wrenches(self.tree, still, combined(pairs))

    @cached_property
    def open_values(self) -> list[Scalar]:
        """The symbol of each undetermined unknown, and zero for each determined unknown."""
        graph = self.tree.graph
        return [graph.scalar(self._symbols.get(k, 0)) for k in range(len(self.unknowns))]

    def open_of(self, source: object) -> list[Scalar]:
        """Return the `open_values` of the unknowns that belong to a source."""
        return self.belonging_to(source, self.open_values)

    def on_link(self, link: int, source: object, values: Sequence[Scalar]) -> BodyWrench:
        """Return the wrench of a source on a link, for ``values`` of all unknowns.

        The wrench is about the link's origin, in the link's frame.
        """
        pairs = zip(self.unknowns, values, strict=True)
        own = ((unknown, value) for unknown, value in pairs if unknown.source is source)
        return combined(own).get(link, BodyWrench.zero(self.tree.graph))

    def changes(self, scalars: Sequence[Scalar]) -> list[bool]:
        """Return a boolean mask of the results that undetermined unknowns change.

        ``scalars`` are the changes of the results as functions of `symbols`.
        """
        if not self.solution.open:
            return [False] * len(scalars)
        return [not x.is_zero for x in self._open_state.of(scalars)]

    def masked(self, values: Sequence[Scalar], changes: Sequence[bool]) -> list[Scalar]:
        """Return values, with NaN where the boolean mask ``changes`` is true."""
        nan = self.tree.graph.scalar(S.NaN)
        return [nan if change else value for value, change in zip(values, changes, strict=True)]


def combined(unknowns: Iterable[tuple[Unknown, Scalar]]) -> Wrenches:
    """Return the wrenches on links of unknowns with their values, by the links' indices."""
    wrenches: Wrenches = {}
    for unknown, value in unknowns:
        for link, unit in unknown.wrenches.items():
            own = unit * value
            wrenches[link] = wrenches[link] + own if link in wrenches else own
    return wrenches


def summed(wrenches: Wrenches, more: Wrenches) -> Wrenches:
    """Return the sum of two sets of wrenches, by the links' indices."""
    sums = {link: wrenches[link] + own if link in wrenches else own for link, own in more.items()}
    return {**wrenches, **sums}
