"""The outputs of forward dynamics: accelerations, and outputs that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ...arithmetic.graph import Scalar, replace_inputs
from ...arithmetic.output import Output, Wrt
from ..accelerations import ForwardAccelerations
from ..derivation import Derivation
from .force_outputs import column_output
from .model_outputs import ModelOutputs

if TYPE_CHECKING:
    from ..load_laws import SolvedLaws
    from .declared_output import DeclaredOutput

#: Outputs of inverse dynamics that forward dynamics evaluates in the motion under the loads.
REACTIONS = (
    *("joint_wrenches", "constraint_wrenches", "multipliers", "conditioning"),
    "constraint_errors",
)


class ForwardOutputs(ModelOutputs):
    """The outputs of forward dynamics, by one of its solutions.

    Parameters
    ==========

    derivation : Derivation
        The derivation without motors.
    rate : float
        The rate at which errors of the constraints decay.
    declared : sequence of DeclaredOutput
        The user's own outputs.
    number : int
        The index of the solution for the accelerations.
    """

    solves_motion = True

    def __init__(
        self,
        derivation: Derivation,
        rate: float = 0.0,
        declared: Sequence[DeclaredOutput] = (),
        number: int = 0,
    ) -> None:
        symbols = derivation.tree.ground_symbols  # for the potential energy
        super().__init__(derivation, declared, symbols)
        self._rate, self._number = rate, number

    def _makers(self) -> dict[str, Callable[[], Output]]:
        """Return the functions that make the outputs, by name."""
        inverse, laws = super()._makers(), self.derivation.request.laws
        of_laws = [x for x in laws.outputs if x not in laws.outputs_of_motion] if laws else ()
        return {
            "udot": self._udot,
            "qdot": self._qdot,
            "energy": self._energy,
            "inverse_mass_matrix": self._inverse_mass_matrix,
            **{name: partial(self._in_motion, inverse[name]) for name in REACTIONS},
            **{name: inverse[name] for name in of_laws},
        }

    def _solved(self, derivation: Derivation) -> Derivation:
        return derivation  # the accelerations come first

    def output(self, name: str) -> Output:
        """Return an output by its name."""
        if name not in self.names and name in super()._makers():
            raise ValueError(
                f"`outputs` must be those of forward dynamics, got {name!r}, which is that of a "
                f"given motion. Use fdyn.inverse.compile([{name!r}])."
            )
        return super().output(name)

    @cached_property
    def laws(self) -> SolvedLaws | None:
        """The solved law loads in the motion under the loads; None without laws."""
        laws = self.derivation.request.laws
        if laws is None:
            return None
        return laws.solve_under_loads(self.derivation, self._forward, self._number)

    def of_least_norm(self) -> ForwardOutputs:
        """Return these outputs with undetermined forces of least norm."""
        return ForwardOutputs(self.derivation.of_least_norm(), self._rate, self.declared)

    @cached_property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        return {name: symbols for name, symbols in super().inputs.items() if name != "udot"}

    @cached_property
    def _forward(self) -> ForwardAccelerations:
        return ForwardAccelerations(self.derivation, self._rate)

    @cached_property
    def _all(self) -> list[ForwardOutputs]:
        """These outputs by each of the solutions."""
        numbers = range(1, len(self._forward.solutions))
        given = self.derivation, self._rate, self.declared
        others = [ForwardOutputs(*given, number) for number in numbers]
        for other in others:
            other._forward = self._forward
        return [self, *others]

    def variants(self, names: Sequence[str], are_derived: bool = False) -> Sequence[ModelOutputs]:
        """Return outputs with the same values, each from another solution for the accelerations."""
        return self._all

    @cached_property
    def accelerations(self) -> list[Scalar]:
        """The time derivatives of the speeds."""
        if self.laws and self.laws.accelerations is not None:
            return self.laws.accelerations
        found = self._forward.solutions[self._number].accelerations
        return self.laws.settled(found) if self.laws else found

    def slopes(self, outputs: Sequence[Output], wrt: Sequence[Wrt], mode: str) -> list[Output]:
        """Return the derivatives of outputs; derivatives of accelerations are solved for if
        possible.
        """
        symbols = list(dict.fromkeys(symbol for one in wrt for symbol in one.symbols))
        solution = self._forward.solutions[self._number]
        is_known = bool(symbols) and not self.laws
        found = self._forward.slopes(solution, symbols) if is_known else None
        if found is None:
            return super().slopes(outputs, wrt, mode)
        from .output_derivatives import derivative_outputs

        seeds = {x: list(zip(self.accelerations, found[x], strict=True)) for x in symbols}
        graph = self.derivation.graph
        return derivative_outputs(graph, outputs, wrt, mode, {"udot": found}, seeds)

    def _in_motion(self, make: Callable[[], Output]) -> Output:
        """Return an output of inverse dynamics for the motion under the loads."""
        output = make()
        graph, model = self.derivation.graph, self.derivation.tree
        moving = dict(zip(model.accelerations, self.accelerations, strict=True))
        scalars = [Scalar(graph, ref) for ref in output.refs]
        if output.name == "conditioning":
            from .conditioning import conditioning_under_loads

            scalars = [conditioning_under_loads(self.derivation, scalars)]
        if self.laws:
            moving |= self.laws.by_symbol
        scalars = replace_inputs(scalars, moving)
        return replace(output, refs=tuple(scalar.ref for scalar in scalars))

    def _udot(self) -> Output:
        title = "time derivatives of the generalized speeds"
        return column_output("udot", self.accelerations, title, title, 0)

    def _qdot(self) -> Output:
        graph = self.derivation.graph
        rates = [graph.scalar(rate) for rate in self.derivation.tree.rates]
        title = "time derivatives of the generalized coordinates"
        return column_output("qdot", rates, title, title, 0)

    def _energy(self) -> Output:
        from .energy import energies

        title = "kinetic and potential energy"
        return column_output("energy", energies(self.derivation), title, title, 1)

    def _inverse_mass_matrix(self) -> Output:
        rows = self._forward.inverse_mass_matrix
        entries = [entry for row in rows for entry in row]
        title = "accelerations per unit of each generalized force"
        shape, name = (len(rows), len(rows)), "inverse_mass_matrix"
        return Output.from_scalars(name, shape, entries, title, mass_dimension=-1)
