"""The outputs of a derivation, each made once, and the programs that compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix, S, Symbol

from ....checks.arguments import (
    check_choice,
    check_instances,
    check_known,
    check_sequence,
    is_empty,
)
from ...arithmetic.derivatives import Seeds
from ...arithmetic.formula import FormulaMatrix
from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output, Wrt
from ...arithmetic.program import Program
from ...mechanism.declared_inputs import group_inputs
from ...sympy_objects import check_real
from ..derivation import Derivation, exclusive
from ..recursion.scalar_tree import external_wrenches
from ..regrouping import regroup, regrouped_forces
from .force_outputs import force_output
from .inverse_outputs import OUTPUTS, input_groups, inverse_output

if TYPE_CHECKING:
    from ..load_laws import SolvedLaws
    from .declared_output import DeclaredOutput
    from .output_derivatives import Columns
    from .weighted_sum import WeightedSum

#: Number of speeds below which composite bodies take more operations than sweeps.
LEAST_COMPOSITE = 4

#: Number of a tree's speeds above which sweeps take more operations than composite bodies.
MOST_SWEPT = 24


class ModelOutputs:
    """The outputs of a model, and the programs for them; one thread at a time makes them.

    Parameters
    ==========

    derivation : Derivation
        The derivation; loads by laws are symbols in it.
    declared : sequence of DeclaredOutput
        The user's own outputs.
    more : frozenset of Expr
        Further symbols that are inputs.
    """

    #: Whether some outputs are forces or follow from forces.
    may_be_forces = True

    #: Whether the accelerations follow from the loads (forward dynamics).
    solves_motion = False

    def __init__(
        self,
        derivation: Derivation,
        declared: Sequence[DeclaredOutput] = (),
        more: frozenset[Expr] = frozenset(),
    ) -> None:
        self.unsolved, self.declared = derivation, tuple(declared)  # loads by laws are symbols
        self.derivation = derivation = self._solved(derivation)
        self._more = more.union(*(output.needs for output in declared))
        self._derivation = derivation  # what `exclusive` locks
        self._scalars = derivation.scalars
        self._known: dict[str, Output] = {}
        self._making: set[str] = set()
        self.makers: dict[str, Callable[[], Output]] = self._makers()
        for own in declared:
            if own.name in self.makers:
                raise ValueError(f"`outputs` must have different names, got {own.name!r} twice.")
            self.makers[own.name] = partial(own.of, derivation, self.output)

    def _makers(self) -> dict[str, Callable[[], Output]]:
        """Return the functions that make the outputs, by name."""
        inverse = {name: partial(inverse_output, name, self.derivation) for name in OUTPUTS}
        laws = self.derivation.request.laws
        own = laws.outputs if laws else ()
        return {**inverse, **{name: partial(self._of_laws, name) for name in own}}

    def _solved(self, derivation: Derivation) -> Derivation:
        """Return the derivation with law loads solved for its motion."""
        return self.laws.settle(derivation) if self.laws else derivation

    @cached_property
    def laws(self) -> SolvedLaws | None:
        """The solved law loads; None without laws."""
        laws = self.unsolved.request.laws
        return laws.solve(self.unsolved, {}) if laws else None

    def _of_laws(self, name: str) -> Output:
        assert self.laws is not None
        return self.laws.output(name, self.derivation)

    def of_least_norm(self) -> ModelOutputs:
        """Return these outputs with undetermined forces of least norm."""
        return ModelOutputs(self.unsolved.of_least_norm(), self.declared)

    @property
    def places(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the observed points and frames; none outside kinematics."""
        return (), ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all outputs."""
        return tuple(self.makers)

    @cached_property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        tree = self.derivation.tree
        states = {"q": tree.coordinates, "u": tree.speeds, "udot": tree.accelerations}
        return {**states, **group_inputs(self.derivation.symbols | self._more, tree.time)}

    @exclusive
    def output(self, name: str) -> Output:
        """Return the output with this name, made at the first request."""
        of_laws = " Laws in frictions=[...] add outputs."
        check_known("outputs", [name], self.names, "be among", of_laws)
        if name in self._making:
            raise ValueError(
                f"`make` of the output {name!r} must use other outputs only, got itself."
            )
        if name not in self._known:
            self._making.add(name)
            try:
                self._known[name] = self.makers[name]()
            finally:
                self._making.remove(name)
        return self._known[name]

    def check_declared(self) -> None:
        """Make the user's own outputs, so that their errors are raised now."""
        known = {symbol for group in self.inputs.values() for symbol in group}
        for own in self.declared:
            used = self.derivation.graph.inputs_of(self.output(own.name).refs)
            if strange := [str(symbol) for symbol in used if symbol not in known]:
                raise ValueError(
                    f"`make` of the output {own.name!r} must use inputs of the model only, got "
                    f"{strange[0]}. Use needs=[...] for other symbols."
                )

    def variants(self, names: Sequence[str], are_derived: bool = False) -> Sequence[ModelOutputs]:
        """Return outputs with the same values, each by other operations."""
        # Regrouping can cost operations for trees with many loads, but hardly ever for derivatives.
        if list(names) != ["generalized_forces"] or not self._is_plain:
            return [self]
        return [self._regrouped] if are_derived else [self, self._regrouped]

    @property
    def _is_plain(self) -> bool:
        """Whether generalized forces belong to a tree without unknown forces and law loads."""
        return self.derivation.has_no_unknowns and not self.derivation.law_loads

    @cached_property
    def _regrouped(self) -> ModelOutputs:
        """These outputs with generalized forces from base parameters."""
        other = ModelOutputs(self.derivation)
        other._scalars = self._scalars.with_inertias(regroup(self._scalars))
        other.makers["generalized_forces"] = partial(_regrouped_output, self.derivation)
        return other

    def slopes(self, outputs: Sequence[Output], wrt: Sequence[Wrt], mode: str) -> list[Output]:
        """Return the derivatives of outputs by a mode of `output_derivatives.MODES`."""
        if not wrt:
            return []
        from .output_derivatives import derivative_outputs

        known = self._known_slopes(outputs, mode)
        seeds = self._composite_seeds(outputs, wrt) if mode == "composite" else None
        return derivative_outputs(self.derivation.graph, outputs, wrt, mode, known, seeds)

    def _modes(self, outputs: Sequence[Output], wrt: Sequence[Wrt]) -> list[str]:
        """Return the modes of derivation that may take the fewest operations."""
        from .output_derivatives import derivative_modes

        found = derivative_modes(outputs, wrt, self._known_slopes(outputs, "forward"))
        count, states = len(self.derivation.tree.speeds), {*self.inputs["q"], *self.inputs["u"]}
        moving = sum(symbol in states for one in wrt for symbol in one.symbols)
        if [output.name for output in outputs] != ["generalized_forces"]:
            return found
        if min(count, moving) < LEAST_COMPOSITE:
            return found
        is_long = self._is_plain and min(count, moving) > MOST_SWEPT
        return ["composite"] if is_long else [*found, "composite"]

    def _composite_seeds(self, outputs: Sequence[Output], wrt: Sequence[Wrt]) -> Seeds:
        """Return derivatives of wrenches and powers in the tree, from composite bodies."""
        from ..recursion.composite_derivatives import composite_seeds

        known = self._known_slopes(outputs, "composite").get("generalized_forces", {})
        symbols = {symbol: None for one in wrt for symbol in one.symbols if symbol not in known}
        own = self.derivation
        loads = external_wrenches(self._scalars, own.loads.at_zero(own.request.solve_for))
        return composite_seeds(self._scalars, own.motions, loads, symbols)

    def _known_slopes(self, outputs: Sequence[Output], mode: str) -> dict[str, Columns]:
        """Return known derivatives of outputs: the mass matrix for generalized forces."""
        names = [output.name for output in outputs]
        if "generalized_forces" not in names or not self._is_plain:
            return {}
        if mode == "forward" and len(names) > 1:  # sweeps through wrenches find those of forces
            return {}
        tree, refs = self.derivation.tree, self.output("mass_matrix").refs
        entries = [Scalar(self.derivation.graph, ref) for ref in refs]
        count = len(tree.speeds)
        columns = {a: entries[k::count] for k, a in enumerate(tree.accelerations)}
        return {"generalized_forces": columns}

    # -- programs -----------------------------------------------------------

    @exclusive
    def closed_form(self, name: str) -> ImmutableDenseMatrix:
        """Return an output as formulas of the inputs."""
        return self.program([self.output(name)]).closed_form(name)

    @exclusive
    def alternatives(self, names: Sequence[str], wrt: Sequence[Wrt] = ()) -> list[Program]:
        """Return programs that compute the same outputs and their derivatives."""
        programs = []
        for maker in self.variants(names, bool(wrt)):
            outputs = [maker.output(name) for name in names]
            for mode in maker._modes(outputs, wrt) if wrt else ("none",):
                programs.append(self.program([*outputs, *maker.slopes(outputs, wrt, mode)]))
        return programs

    @exclusive
    def derivative(self, name: str, wrt: Any) -> ImmutableDenseMatrix:
        """Return a derivative as formulas: a row for each entry of the output."""
        from .output_derivatives import check_wrt, derivative_modes

        check_choice("output", name, self.names)
        (one,) = check_wrt([wrt], self.inputs, argument="wrt")
        outputs = [self.output(name)]
        (slopes,) = self.slopes(outputs, [one], derivative_modes(outputs, [one], {})[0])
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
        wrt: Sequence[Wrt] = ()
        if not is_empty(derivatives):
            from .output_derivatives import check_wrt

            wrt = check_wrt(derivatives, self.inputs, numbers or ())
        programs = self.alternatives(names, wrt)
        try:
            if numbers:
                programs = [program.with_numbers(numbers) for program in programs]
            return min(programs, key=Program.cost) if len(programs) > 1 else programs[0]
        except ZeroDivisionError:
            zeros = ", ".join(str(s) for s, number in (numbers or {}).items() if number.is_zero)
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
        """Return the program of the outputs' weighted sum with its gradient and Hessian."""
        from .output_derivatives import check_wrt
        from .weighted_sum import weighted_sum

        items = check_wrt(wrt, self.inputs, numbers or (), argument)
        variables = [symbol for item in items for symbol in item.symbols]
        return weighted_sum(self.cheapest(names, numbers), variables)

    @exclusive
    def adjoint(self, names: Sequence[str], numbers: Mapping[Symbol, Expr] | None) -> Program:
        """Return the program of the gradients of the outputs' weighted sum, for CasADi."""
        from .weighted_sum import adjoint_program

        return adjoint_program(self.cheapest(names, numbers))

    def hessian(self, name: str, weights: Any, wrt: Any) -> ImmutableDenseMatrix:
        """Return the Hessian of an output's weighted sum as formulas."""
        check_choice("output", name, self.names)
        program, known = self.weighted_sum([name], None, wrt, "wrt")
        own = program.inputs["weights"]
        given = check_sequence("weights", weights, f"{len(own)} expressions")
        if len(given) != len(own):
            raise ValueError(f"`weights` must have {len(own)} entries, got {len(given)}.")
        values = {x: check_real("weights", y) for x, y in zip(own, given, strict=True)}
        formulas = program.closed_form("hessian").xreplace(values)
        entries = dict(zip(known.places, formulas, strict=True))
        size = (len(known.variables),) * 2
        return ImmutableDenseMatrix(*size, lambda i, j: entries.get((max(i, j), min(i, j)), S.Zero))

    def program(self, outputs: Iterable[Output]) -> Program:
        """Return the program that computes outputs of the derivation."""
        groups = input_groups(self.inputs, self.inputs)
        return Program(self.derivation.graph, tuple(outputs), groups)


def _regrouped_output(derivation: Derivation) -> Output:
    """Return generalized forces from the base parameters: fewer operations, no wrenches."""
    forces = regrouped_forces(derivation)
    return force_output([forces[speed] for speed in derivation.tree.speeds])


def check_output_names(outputs: str | Iterable[str], known_names: Iterable[str]) -> list[str]:
    """Return the names of outputs as a list; refuse none, unknown names and duplicates."""
    known = f"names among {', '.join(known_names)}"
    given = [outputs] if isinstance(outputs, str) else outputs
    names = check_instances("outputs", given, str, known)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"`outputs` must be different {known}, at least one, got {names}.")
    return names
