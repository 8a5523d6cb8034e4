"""The programs that compute the outputs of a derivation."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, S, Symbol

from ...arithmetic.formula import FormulaMatrix
from ...arithmetic.program import Output, Program, Wrt
from ...checks.arguments import check_choice, check_instance, check_scalar, check_sequence
from ..derivation import Derivation, exclusive
from .derived_outputs import DerivedOutputs
from .inverse_outputs import OUTPUTS, input_groups
from .output_derivatives import check_wrt, modes
from .weighted_sum import WeightedSum, adjoint_program, weighted_sum


class Programs:
    """Makes programs that compute outputs, by one thread at a time."""

    def __init__(self, outputs: DerivedOutputs) -> None:
        self.outputs = outputs

    @property
    def derivation(self) -> Derivation:
        """The derivation."""
        return self.outputs.derivation

    _derivation = derivation  # what `exclusive` locks

    def of_least_norm(self) -> "Programs":
        """Return the programs of the same model with a choice for what is open."""
        return Programs(self.outputs.of_least_norm())

    @property
    def names(self) -> Sequence[str]:
        """The names of all outputs."""
        return self.outputs.names

    @exclusive
    def output(self, name: str) -> Output:
        """Return an output by its name."""
        return self.outputs.output(name)

    @exclusive
    def closed_form(self, name: str) -> ImmutableDenseMatrix:
        """Return an output as formulas of the inputs."""
        return self.program([self.output(name)]).closed_form(name)

    @exclusive
    def alternatives(self, names: Sequence[str], wrt: Sequence[Wrt] = ()) -> list[Program]:
        """Return programs that compute the same outputs and their derivatives."""
        programs = []
        for maker in self.outputs.in_all_ways(names):
            outputs = [maker.output(name) for name in names]
            for mode in modes(outputs, wrt):
                programs.append(self.program([*outputs, *maker.slopes(outputs, wrt, mode)]))
        return programs

    @exclusive
    def derivative(self, name: str, wrt: Any) -> ImmutableDenseMatrix:
        """Return a derivative as formulas: a row for each entry of the output."""
        check_choice("output", name, self.names)
        (one,) = check_wrt([wrt], self.outputs.inputs, argument="wrt")
        outputs = [self.output(name)]
        (slopes,) = self.outputs.slopes(outputs, [one], modes(outputs, [one])[0])
        shape = prod(slopes.shape[:-1]), slopes.shape[-1]
        return FormulaMatrix(*shape, self.derivation.graph.to_sympy(slopes.refs))

    @exclusive
    def cheapest(
        self,
        names: Sequence[str],
        numbers: Mapping[Symbol, Expr] | None = None,
        derivatives: Any = (),
    ) -> Program:
        """Return the program with the fewest operations, with numbers for some constants."""
        programs = self.alternatives(
            names, check_wrt(derivatives, self.outputs.inputs, numbers or ())
        )
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

    @exclusive
    def weighted_sum(
        self,
        names: Sequence[str],
        numbers: Mapping[Symbol, Expr] | None,
        wrt: Any,
        argument: str = "second_derivatives",
    ) -> tuple[Program, WeightedSum]:
        """Return the program of the outputs' weighted sum, its gradient and its Hessian."""
        items = check_wrt(wrt, self.outputs.inputs, numbers or (), argument)
        variables = [symbol for item in items for symbol in item.symbols]
        return weighted_sum(self.cheapest(names, numbers), variables)

    @exclusive
    def adjoint(self, names: Sequence[str], numbers: Mapping[Symbol, Expr] | None) -> Program:
        """Return the program of the gradients of the outputs' weighted sum, for CasADi."""
        return adjoint_program(self.cheapest(names, numbers))

    def hessian(self, name: str, weights: Any, wrt: Any) -> ImmutableDenseMatrix:
        """Return the Hessian of an output's weighted sum as formulas."""
        check_choice("output", name, self.names)
        program, known = self.weighted_sum([name], None, wrt, "wrt")
        own = program.inputs["weights"]
        given = check_sequence("weights", weights, f"{len(own)} expressions")
        if len(given) != len(own):
            raise ValueError(f"`weights` must have {len(own)} entries, got {len(given)}.")
        values = {x: check_scalar("weights", y) for x, y in zip(own, given, strict=True)}
        formulas = program.closed_form("hessian").xreplace(values)
        entries = dict(zip(known.places, formulas, strict=True))
        return ImmutableDenseMatrix(
            *(len(known.variables), len(known.variables)),
            lambda i, j: entries.get((max(i, j), min(i, j)), S.Zero),
        )

    def program(self, outputs: Iterable[Output]) -> Program:
        """Return the program that computes outputs of the derivation."""
        groups = input_groups(self.outputs.inputs, self.outputs.inputs)
        return Program(self.derivation.graph, tuple(outputs), groups)


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
