"""The programs of forward dynamics: accelerations first, all else follows from them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..arithmetic.graph import Scalar, replaced
from ..arithmetic.program import Output
from ..arithmetic.vectors import Vec
from ..checks.suggestions import did_you_mean
from .accelerations import AccelerationSolution, ForwardAccelerations
from .conditioning import inertial_conditioning, least
from .derivation import Derivation, exclusive
from .energy import energies
from .output_derivatives import Wrt, derivative_outputs
from .outputs import make_output
from .programs import Programs

#: Outputs of inverse dynamics that are those of the motion that loads make.
REACTIONS = (
    *("joint_wrenches", "constraint_wrenches", "multipliers", "conditioning"),
    "constraint_errors",
)


class ForwardPrograms(Programs):
    """Makes the programs of forward dynamics; each output is derived once."""

    def __init__(self, derivation: Derivation, rate: float = 0.0) -> None:
        super().__init__(derivation)
        self._rate = rate
        self._solution = 0
        self._kept: dict[int, dict[str, Output]] = {}

    def of_least_norm(self) -> "ForwardPrograms":
        """Return the programs of the same model with a choice for what is open."""
        return ForwardPrograms(self._derivation.of_least_norm(), self._rate)

    @property
    def names(self) -> Sequence[str]:
        """The names of all outputs."""
        return OUTPUT_NAMES

    @cached_property
    @exclusive
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        tree, graph = self._derivation.tree, self._derivation.graph
        for place in tree.constraints.ground_places.values():
            Vec.enter(graph, place)  # nothing but the potential energy may depend on them
        return {name: symbols for name, symbols in super().inputs.items() if name != "udot"}

    def _ways_to(self, names: Sequence[str]) -> Iterator[list[Output]]:
        """Yield the same outputs, by all solutions for the accelerations."""
        for number in range(len(self._forward.solutions)):
            self._solution, self._outputs = number, self._kept.setdefault(number, {})
            yield [self.output(name) for name in names]

    @cached_property
    def _forward(self) -> ForwardAccelerations:
        return ForwardAccelerations(self._derivation, self._rate)

    @property
    def _chosen(self) -> AccelerationSolution:
        return self._forward.solutions[self._solution]

    @property
    def accelerations(self) -> list[Scalar]:
        """The time derivatives of the speeds."""
        return self._chosen.accelerations

    def _slopes(self, outputs: Sequence[Output], wrt: Sequence[Wrt], mode: str) -> list[Output]:
        """Return the derivatives of outputs; those of accelerations are solved for."""
        symbols = list(dict.fromkeys(symbol for one in wrt for symbol in one.symbols))
        found = self._forward.slopes(self._chosen, symbols) if symbols else None
        if found is None:
            return super()._slopes(outputs, wrt, mode)
        seeds = {x: list(zip(self.accelerations, found[x], strict=True)) for x in symbols}
        graph = self._derivation.graph
        return derivative_outputs(graph, outputs, wrt, mode, {"udot": found}, seeds)

    def _make(self, name: str) -> Output:
        if name in FORWARD_OUTPUTS:
            return FORWARD_OUTPUTS[name](self)
        if name not in REACTIONS:
            hint = did_you_mean(name, OUTPUT_NAMES)
            names = ", ".join(OUTPUT_NAMES)
            raise ValueError(f"`outputs` must be among {names}, got {name!r}.{hint}")
        output = make_output(self._derivation, name)
        graph, model = self._derivation.graph, self._derivation.tree
        moving = dict(zip(model.accelerations, self.accelerations, strict=True))
        scalars = [Scalar(graph, ref) for ref in output.refs]
        if name == "conditioning":
            scalars = [least([*scalars, inertial_conditioning(self._derivation)])]
        scalars = replaced(scalars, moving)
        return replace(output, refs=tuple(scalar.ref for scalar in scalars))

    def _udot(self) -> Output:
        return _column("udot", "time derivatives of the generalized speeds", self.accelerations)

    def _qdot(self) -> Output:
        graph = self._derivation.graph
        rates = [graph.scalar(rate) for rate in self._derivation.tree.rates]
        return _column("qdot", "time derivatives of the generalized coordinates", rates)

    def _energy(self) -> Output:
        return _column("energy", "kinetic and potential energy", energies(self._derivation))


def _column(name: str, title: str, values: Sequence[Scalar]) -> Output:
    labels = [f"{title} {k}" for k in range(len(values))]
    return Output.from_scalars(name, (len(values),), values, title, labels)


FORWARD_OUTPUTS: dict[str, Callable[[ForwardPrograms], Output]] = {
    "udot": ForwardPrograms._udot,
    "qdot": ForwardPrograms._qdot,
    "energy": ForwardPrograms._energy,
}

#: All that forward dynamics can compute.
OUTPUT_NAMES = (*FORWARD_OUTPUTS, *REACTIONS)
