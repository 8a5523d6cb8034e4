"""The programs that compute the outputs of a derivation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Symbol

from ..arithmetic.graph import Scalar
from ..arithmetic.program import Output, Program
from ..checks.arguments import check_choice, check_instance, check_sequence
from .derivation import Derivation, exclusive
from .output_derivatives import KnownDerivatives, Wrt, check_wrt, derivative_outputs, modes
from .outputs import OUTPUTS, force_output, input_groups, make_output
from .regrouping import regrouped_forces


class Programs:
    """Makes the programs of a derivation; each output is derived once, by one thread at a time."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._outputs: dict[str, Output] = {}

    @property
    def derivation(self) -> Derivation:
        """The derivation."""
        return self._derivation

    def of_least_norm(self) -> "Programs":
        """Return the programs of the same model with a choice for what is open."""
        return Programs(self._derivation.of_least_norm())

    @property
    def names(self) -> Sequence[str]:
        """The names of all outputs."""
        return tuple(OUTPUTS)

    @cached_property
    @exclusive
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        tree = self._derivation.tree
        if tree.constraints and any(not isinstance(s, Symbol) for s in self._given):
            self.output("constraint_errors")  # they may ask for further derivatives of specifieds
        others = sorted(self._given, key=str)
        return {
            "q": tree.coordinates,
            "u": tree.speeds,
            "udot": tree.accelerations,
            "constants": tuple(s for s in others if isinstance(s, Symbol) and s != tree.time),
            "specifieds": tuple(s for s in others if not isinstance(s, Symbol)),
            "times": tuple(s for s in others if s == tree.time),
        }

    @property
    def _given(self) -> set[Expr]:
        """What enters the derivation but the motion."""
        tree = self._derivation.tree
        motion = {*tree.coordinates, *tree.speeds, *tree.accelerations}
        return set(self._derivation.inputs) - motion

    @exclusive
    def output(self, name: str) -> Output:
        """Return an output by its name."""
        if name not in self._outputs:
            self._outputs[name] = self._make(name)
        return self._outputs[name]

    def _make(self, name: str) -> Output:
        return make_output(self._derivation, name)

    @exclusive
    def closed_form(self, name: str) -> ImmutableDenseMatrix:
        """Return an output as formulas of the inputs."""
        return self._program([self.output(name)]).closed_form(name)

    @exclusive
    def alternatives(self, names: Sequence[str], wrt: Sequence[Wrt] = ()) -> list[Program]:
        """Return programs that compute the same outputs and their derivatives."""
        programs = []
        for outputs in self._ways_to(names):
            for mode in modes(outputs, wrt) if wrt else ("",):
                programs.append(self._program([*outputs, *self._slopes(outputs, wrt, mode)]))
        return programs

    def _ways_to(self, names: Sequence[str]) -> Iterator[list[Output]]:
        """Yield the same outputs, each time computed in another way."""
        yield [self.output(name) for name in names]
        if list(names) == ["generalized_forces"] and self._derivation.has_no_unknowns:
            yield [self._regrouped]

    def _slopes(self, outputs: Sequence[Output], wrt: Sequence[Wrt], mode: str) -> list[Output]:
        """Return the derivatives of outputs by adjoint or forward sweeps."""
        if not wrt:
            return []
        known = self._known_slopes(outputs) if mode == "adjoint" else {}
        return derivative_outputs(self._derivation.graph, outputs, wrt, mode, known)

    def _known_slopes(self, outputs: Sequence[Output]) -> KnownDerivatives:
        """Return derivatives by other means: of forces by accelerations, the mass matrix."""
        if not self._derivation.has_no_unknowns:
            return {}
        if not any(output.name == "generalized_forces" for output in outputs):
            return {}
        tree, refs = self._derivation.tree, self.output("mass_matrix").refs
        entries = [Scalar(self._derivation.graph, ref) for ref in refs]
        count = len(tree.speeds)
        columns = {a: entries[k::count] for k, a in enumerate(tree.accelerations)}
        return {"generalized_forces": columns}

    @exclusive
    def derivative(self, name: str, wrt: Any) -> ImmutableDenseMatrix:
        """Return a derivative as formulas: a row for each entry of the output."""
        check_choice("output", name, self.names)
        (one,) = check_wrt([wrt], self.inputs, argument="wrt")
        outputs = [self.output(name)]
        (slopes,) = self._slopes(outputs, [one], modes(outputs, [one])[0])
        shape = prod(slopes.shape[:-1]), slopes.shape[-1]
        return ImmutableDenseMatrix(*shape, self._derivation.graph.to_sympy(slopes.refs))

    @exclusive
    def cheapest(
        self,
        names: Sequence[str],
        numbers: Mapping[Symbol, Expr] | None = None,
        derivatives: Any = (),
    ) -> Program:
        """Return the program with the fewest operations, with numbers for some constants."""
        programs = self.alternatives(names, check_wrt(derivatives, self.inputs, numbers or ()))
        try:
            if numbers is not None:
                programs = [program.with_numbers(numbers) for program in programs]
            return min(programs, key=Program.cost)
        except ZeroDivisionError:
            zeros = ", ".join(str(s) for s, number in (numbers or {}).items() if number == 0)
            raise ValueError(
                f"`constants` must not make the outputs divide by zero, got 0 for {zeros}. "
                "Give it with each call instead, evaluate(..., constants={...}): the outputs are "
                "then infinite or NaN."
            ) from None

    def _program(self, outputs: Iterable[Output]) -> Program:
        return Program(
            self._derivation.graph, tuple(outputs), input_groups(self.inputs, self.inputs)
        )

    @cached_property
    def _regrouped(self) -> Output:
        """The generalized forces by way of the base parameters: fewer operations, no wrenches."""
        forces = regrouped_forces(self._derivation)
        return force_output([forces[speed] for speed in self._derivation.tree.speeds])


def check_output_names(
    outputs: str | Iterable[str], known_names: Iterable[str] = OUTPUTS
) -> list[str]:
    """Return the names of outputs as a list; refuse none, and one that is there twice."""
    known = f"names among {', '.join(known_names)}"
    names = [outputs] if isinstance(outputs, str) else check_sequence("outputs", outputs, known)
    for name in names:
        check_instance("outputs", name, str, known)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"`outputs` must be different {known}, at least one, got {names}.")
    return names
