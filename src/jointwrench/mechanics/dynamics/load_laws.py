"""Loads at joints that follow a law of the reactions, which they change.

A law enters a model as an argument of `InverseDynamics`.  Its load is a symbol while the model is
derived, so that reactions are formulas of it; then the law is solved for the symbol.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from sympy import Expr

from ...checks.arguments import check_different, check_instances, enumerate_some
from ...checks.pickles import Pickled
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Scalar, replace_inputs
from ..arithmetic.output import Output
from .loops.unknowns import Unknown
from .recursion.rigid_body import BodyMotion, BodyWrench, with_values
from .recursion.scalar_tree import ScalarTree

Derivation: TypeAlias = Any  # which takes laws, and is above them


class LoadLaw(Pickled, ABC):
    """The law of a load at a joint, as it is given; those of one class are solved for together."""

    joint: Any  # or its name

    @classmethod
    @abstractmethod
    def _together(cls, laws: Sequence[Any]) -> "LoadLaws":
        """Return all laws of a model as one."""


@dataclass(frozen=True, eq=False)
class LawLoad:
    """A load at a joint, whose value is its symbol until the law is solved for it."""

    # Of a unit of it: ``on_child`` is the wrench about the child's point in the child's frame, and
    # ``unknown`` has what it supplies; it does wrenches to links where the joint is none of the
    # tree's, whose own wrenches hold it.

    joint: Any
    symbol: Expr
    on_child: BodyWrench
    unknown: Unknown
    value: Scalar

    @property
    def is_in_tree(self) -> bool:
        """Whether its joint is one of the tree's."""
        return not self.unknown.wrenches


class LoadLaws(ABC):
    """All laws of a model: what a derivation, its outputs and their evaluation ask of them."""

    #: The names of the outputs that models with such laws have, and of those that only a given
    #: motion has.
    outputs: ClassVar[tuple[str, ...]] = ()
    outputs_of_motion: ClassVar[tuple[str, ...]] = ()

    #: The expressions that must be evaluated.
    expressions: tuple[Expr, ...] = ()

    @abstractmethod
    def enter(
        self, tree: ScalarTree, motions: Sequence[BodyMotion], state: GenericState
    ) -> tuple[LawLoad, ...]:
        """Return the loads at the joints of a tree; at the state loops are closed."""

    @abstractmethod
    def solve(self, derivation: Derivation, moving: Mapping[Expr, Scalar]) -> "SolvedLaws":
        """Return the values; ``moving`` are accelerations that are no inputs, by their symbols."""

    def solve_under_loads(self, derivation: Derivation, forward: Any, number: int) -> "SolvedLaws":
        """Return the values in the motion under the loads, by one of its solutions."""
        own = forward.solutions[number].accelerations
        return self.solve(derivation, dict(zip(derivation.tree.accelerations, own, strict=True)))

    def evaluation(self, loads: Sequence[LawLoad], is_weighted: bool) -> dict[str, Any]:
        """Return the class that evaluates outputs, or a weighted sum, and what else it takes."""
        return {}

    def slips(self, outputs: Any, numbers: Mapping[Any, Any]) -> Any:
        """Return what evaluates the slips of loaded joints that close loops, for powers."""
        return None

    def at_rest(self, model: Any, motion: Any, outputs: Any, options: Any) -> Any:
        """Return the two limits of outputs at rest, as `InverseDynamics.at_rest` does."""
        raise self._without_limits()

    def locked(self, model: Any, motion: Any, options: Any) -> dict[str, str]:
        """Return why loads are unknown, as `InverseDynamics.locked` does."""
        raise self._without_limits()

    def _without_limits(self) -> ValueError:
        name = type(self).__name__
        return ValueError(f"`frictions` must be laws that have limits at rest, got {name}.")


class SolvedLaws(ABC):
    """The values of loads by their laws; ``accelerations`` if these were solved for, too."""

    accelerations: list[Scalar] | None = None

    #: The names of joints whose loads are no formulas.
    iterated: Sequence[str] = ()

    @property
    @abstractmethod
    def by_symbol(self) -> Mapping[Expr, Scalar]:
        """The values by their symbols, in the order of the loads."""

    @abstractmethod
    def output(self, name: str, derivation: Derivation) -> Output:
        """Return one of the laws' outputs, of a derivation with the values."""

    def check_readable(self) -> None:
        """Raise an error if the values are not formulas."""
        if self.iterated:
            raise ValueError(
                "`frictions` must not change the reactions on which they depend for a formula, "
                f"but those in {enumerate_some(self.iterated)} do. Use compile, whose code solves "
                "for them."
            )

    def settled(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return values of the derivation with the loads' values for their symbols."""
        return replace_inputs(list(scalars), self.by_symbol)

    def settle(self, derivation: Derivation) -> Derivation:
        """Return a derivation with the values in place of their symbols."""
        supply, demanded, forces = derivation.supply, derivation.demanded, derivation.forces
        solution = supply.solution
        parts = [demanded.values(), forces.values(), solution.values, solution.residuals]
        found = iter(self.settled([x for part in parts for x in part]))
        demanded, forces = ({u: next(found) for u in own} for own in (demanded, forces))
        values, residuals = ([next(found) for _ in own] for own in parts[2:])
        pairs = zip(derivation.law_loads, self.by_symbol.values(), strict=True)
        return replace(
            derivation,
            joint_wrenches=tuple(with_values(derivation.joint_wrenches, self.by_symbol)),
            demanded=demanded,
            forces=forces,
            supply=replace(supply, solution=replace(solution, values=values, residuals=residuals)),
            law_loads=tuple(replace(load, value=value) for load, value in pairs),
        )


def check_laws(argument: str, laws: Any) -> LoadLaws | None:
    """Return laws as one; None for none, an error for two at one joint or of two classes."""
    expected = "an iterable of load laws, as in help(jw.InverseDynamics)"
    found: list[Any] = check_instances(argument, laws, LoadLaw, expected)
    names = [getattr(law.joint, "name", law.joint) for law in found]
    check_different(argument, names, "name each joint once")
    kinds: list[type[LoadLaw]] = list(dict.fromkeys(map(type, found)))
    if len(kinds) > 1:
        classes = " and ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"`{argument}` must be laws of one class, got {classes}.")
    return kinds[0]._together(found) if kinds else None
