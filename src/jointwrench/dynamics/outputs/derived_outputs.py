"""What computes the outputs of a derivation: each once, perhaps in several ways."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from sympy import Expr

from ...arithmetic.graph import Scalar
from ...arithmetic.program import Output, Wrt
from ...checks.problems import did_you_mean
from ...mechanism.declared_inputs import grouped
from ..derivation import Derivation
from ..regrouping import regrouped_forces
from .inverse_outputs import OUTPUTS, force_output
from .output_derivatives import Columns, derivative_outputs

D = TypeVar("D", bound="DerivedOutputs")


class DerivedOutputs:
    """Computes outputs, those of inverse dynamics unless a class says otherwise.

    ``names`` are those of all outputs; ``more`` symbols have to be given for them.
    """

    names: Sequence[str] = tuple(OUTPUTS)

    def __init__(self, derivation: Derivation, more: frozenset[Expr] = frozenset()) -> None:
        self.derivation, self._more = derivation, more
        self._known: dict[str, Output] = {}

    def of_least_norm(self: D) -> D:
        """Return the same with a choice for what is open."""
        return type(self)(self.derivation.of_least_norm())

    @cached_property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        tree = self.derivation.tree
        states = {"q": tree.coordinates, "u": tree.speeds, "udot": tree.accelerations}
        return {**states, **grouped(self.derivation.symbols | self._more, tree.time)}

    def output(self, name: str) -> Output:
        """Return an output by its name."""
        if name not in self.names:
            hint = did_you_mean(name, self.names)
            known = ", ".join(self.names)
            raise ValueError(f"`outputs` must be among {known}, got {name!r}.{hint}")
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def _make(self, name: str) -> Output:
        return OUTPUTS[name](self.derivation)

    def in_all_ways(self, names: Sequence[str]) -> Iterator["DerivedOutputs"]:
        """Yield what computes the same outputs, each by other operations."""
        yield self
        if list(names) == ["generalized_forces"] and self.derivation.has_no_unknowns:
            yield self._regrouped

    @cached_property
    def _regrouped(self) -> "DerivedOutputs":
        return RegroupedOutputs(self.derivation)

    def slopes(self, outputs: Sequence[Output], wrt: Sequence[Wrt], mode: str) -> list[Output]:
        """Return the derivatives of own outputs by adjoint or forward sweeps."""
        if not wrt:
            return []
        known = self._known_slopes(outputs) if mode == "adjoint" else {}
        return derivative_outputs(self.derivation.graph, outputs, wrt, mode, known)

    def _known_slopes(self, outputs: Sequence[Output]) -> dict[str, Columns]:
        """Return derivatives by other means: of forces by accelerations, the mass matrix."""
        if not self.derivation.has_no_unknowns:
            return {}
        if not any(output.name == "generalized_forces" for output in outputs):
            return {}
        tree, refs = self.derivation.tree, self.output("mass_matrix").refs
        entries = [Scalar(self.derivation.graph, ref) for ref in refs]
        count = len(tree.speeds)
        columns = {a: entries[k::count] for k, a in enumerate(tree.accelerations)}
        return {"generalized_forces": columns}


class RegroupedOutputs(DerivedOutputs):
    """Generalized forces by way of the base parameters: fewer operations, no wrenches."""

    def _make(self, name: str) -> Output:
        if name != "generalized_forces":
            return super()._make(name)
        forces = regrouped_forces(self.derivation)
        return force_output([forces[speed] for speed in self.derivation.tree.speeds])
