"""Loads at joints by laws of the reactions, which depend on these loads themselves.

A law is an argument of `InverseDynamics`.  Its load is a symbol while the model is derived, so the
reactions are formulas of it; then the law is solved for the symbol.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
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

Derivation: TypeAlias = Any  # its module imports this one


class LoadLaw(Pickled, ABC):
    """The user's law of a load at a joint; all laws of one class are solved together."""

    joint: Any  # a joint or its name

    @classmethod
    @abstractmethod
    def _together(cls, laws: Sequence[Any]) -> "LoadLaws":
        """Return all laws of a model as one object."""


@dataclass(frozen=True, eq=False)
class LawLoad:
    """A load at a joint whose value follows from a law.

    Attributes
    ==========

    joint : Joint
        The joint.
    symbol : Expr
        The symbol of the load while its law is not solved.
    on_child : BodyWrench
        The wrench on the child per unit of the load, about the child's point, in the child's frame.
    unknown : Unknown
        The generalized forces per unit; for a loop joint also the wrenches on links.  The wrenches
        of a tree's joint include the load already.
    value : Scalar
        The symbol, or the load after the law was solved.
    """

    joint: Any
    symbol: Expr
    on_child: BodyWrench
    unknown: Unknown
    value: Scalar

    @property
    def is_in_tree(self) -> bool:
        """Whether the joint is one of the tree's."""
        return not self.unknown.wrenches


class LoadLaws(ABC):
    """All laws of a model, as derivations, outputs and evaluators use them."""

    #: The names of the outputs that such laws add, and of those among them that exist only for a
    #: prescribed motion.
    outputs: ClassVar[tuple[str, ...]] = ()
    outputs_of_motion: ClassVar[tuple[str, ...]] = ()

    #: The expressions on which the loads depend.
    expressions: tuple[Expr, ...] = ()

    @abstractmethod
    def enter(
        self, tree: ScalarTree, motions: Sequence[BodyMotion], state: GenericState
    ) -> tuple[LawLoad, ...]:
        """Return the loads of the laws at the joints of a tree.

        ``state`` is on the constraint manifold; ranks are decided there.
        """

    @abstractmethod
    def solve(self, derivation: Derivation, moving: Mapping[Expr, Scalar]) -> "SolvedLaws":
        """Return the values of the loads.

        ``moving`` has values of accelerations that are no inputs, by symbol.
        """

    def solve_under_loads(self, derivation: Derivation, forward: Any, number: int) -> "SolvedLaws":
        """Return the values of the loads in the motion of forward dynamics.

        ``number`` selects one of the solutions of ``forward``, a `ForwardAccelerations`.
        """
        own = forward.solutions[number].accelerations
        return self.solve(derivation, dict(zip(derivation.tree.accelerations, own, strict=True)))

    def watcher(self, loads: Sequence[LawLoad], compile_alike: Callable[..., Any]) -> Any:
        """Return the `Watcher` of an evaluator's results, which can compile others; or None."""
        return None

    def slips(self, outputs: Any, numbers: Mapping[Any, Any]) -> Any:
        """Return the evaluator of slips in loaded loop joints, for powers; default: None."""
        return None

    def at_rest(self, model: Any, motion: Any, outputs: Any, options: Any) -> Any:
        """Return the lower and upper limits of outputs at rest; see `InverseDynamics.at_rest`."""
        raise self._without_limits()

    def locked(self, model: Any, motion: Any, options: Any) -> dict[str, str]:
        """Return the reasons why loads are unknown, by joint; see `InverseDynamics.locked`."""
        raise self._without_limits()

    def _without_limits(self) -> ValueError:
        name = type(self).__name__
        return ValueError(f"`frictions` must be laws that have limits at rest, got {name}.")


class SolvedLaws(ABC):
    """The values of loads by laws.

    Attributes
    ==========

    accelerations : list of Scalar or None
        The accelerations of forward dynamics if they were solved together with the loads.
    iterated : sequence of str
        The names of joints whose loads need iterations and have no formula.
    """

    accelerations: list[Scalar] | None = None

    #: The names of joints whose loads need iterations and have no formula.
    iterated: Sequence[str] = ()

    @property
    @abstractmethod
    def by_symbol(self) -> Mapping[Expr, Scalar]:
        """The values by the symbols of the loads, in the order of the loads."""

    @abstractmethod
    def output(self, name: str, derivation: Derivation) -> Output:
        """Return one of the laws' outputs for a derivation with solved loads."""

    def check_readable(self) -> None:
        """Raise an error if the values are not formulas."""
        if self.iterated:
            raise ValueError(
                "`frictions` must not change the reactions on which they depend for a formula, "
                f"but those in {enumerate_some(self.iterated)} do. Use compile, whose code solves "
                "for them."
            )

    def settled(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return scalars of the derivation with values in place of the symbols of loads."""
        return replace_inputs(list(scalars), self.by_symbol)

    def settle(self, derivation: Derivation) -> Derivation:
        """Return a derivation with values in place of the symbols of loads."""
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
            supply=replace(supply, solution=solution._replace(values=values, residuals=residuals)),
            law_loads=tuple(replace(load, value=value) for load, value in pairs),
        )


def check_laws(argument: str, laws: Any) -> LoadLaws | None:
    """Return all laws as one object, None if there are none.

    Two laws at one joint, or laws of two classes, are refused.
    """
    expected = "an iterable of load laws, as in help(jw.InverseDynamics)"
    found: list[Any] = check_instances(argument, laws, LoadLaw, expected)
    names = [getattr(law.joint, "name", law.joint) for law in found]
    check_different(argument, names, "name each joint once")
    kinds: list[type[LoadLaw]] = list(dict.fromkeys(map(type, found)))
    if len(kinds) > 1:
        classes = " and ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"`{argument}` must be laws of one class, got {classes}.")
    return kinds[0]._together(found) if kinds else None
