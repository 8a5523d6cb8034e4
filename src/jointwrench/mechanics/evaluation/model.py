"""`Model`: a model that was read and derived once, with its programs and their code."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy import Expr, Symbol

from ...checks.arguments import is_empty
from ...checks.numbers import check_bool
from ..arithmetic.program import Program
from ..dynamics.derivation import Derivation, exclusive
from ..dynamics.outputs.model_outputs import ModelOutputs, check_output_names

if TYPE_CHECKING:
    from ..dynamics.outputs.weighted_sum import WeightedSum
    from .closed_motion import ClosedMotion
    from .evaluator import Evaluator


class CompileRequest(NamedTuple):
    """The outputs to compute: the arguments that `compile` and `write_c` share."""

    outputs: str | Iterable[str]
    constants: Mapping[Symbol, float] | None = None
    derivatives: Iterable[Any] = ()
    second_derivatives: Iterable[Any] = ()
    sparse: bool = False


class Model:
    """The data that the methods of one System share.

    It raises an error if the System was changed after it was read.
    """

    def __init__(self, outputs: ModelOutputs) -> None:
        for own in outputs.declared:
            from .result import Result

            if hasattr(Result, own.name):
                raise ValueError(
                    f"`outputs` must have names that results do not have, got {own.name!r}."
                )
        self._outputs = outputs
        self._evaluators: dict[tuple[Any, ...], Any] = {}
        # the data that were read, which stay valid after the System was changed
        self.tree, self.request = outputs.derivation.tree, outputs.derivation.request
        self.constraints = self.tree.constraints
        self.coordinates, self.speeds = self.tree.coordinates, self.tree.speeds

    @property
    def derivation(self) -> Derivation:
        """The derivation, unless the model was changed since it was read."""
        return self.outputs.derivation

    _derivation = derivation  # what `exclusive` locks

    @property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        return self._outputs.inputs

    @property
    def constants(self) -> tuple[Symbol, ...]:
        return self.inputs["constants"]

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        return self.inputs["specifieds"]

    def numbers(self, constants: Mapping[Any, Any] | None) -> dict[Expr, float]:
        """Return the user's constants by symbol; not all are required."""
        from .value_arguments import ValueReader

        return ValueReader("constants", self.constants).numbers(constants)

    # -- outputs and programs -------------------------------------------------

    @property
    def outputs(self) -> ModelOutputs:
        """The outputs and programs, unless the model was changed since it was read."""
        self.tree.fingerprint.check()
        return self._outputs

    def program(
        self,
        outputs: str | Iterable[str],
        numbers: Mapping[Symbol, Expr] | None = None,
        derivatives: Iterable[Any] = (),
        sparse: bool = False,
    ) -> Program:
        """Return the cheapest program for outputs, with numbers in place of some constants."""
        names = check_output_names(outputs, self._outputs.names)
        program = self.outputs.cheapest(names, numbers, derivatives)
        return program.packed() if sparse else program

    def program_of(
        self, request: CompileRequest
    ) -> "tuple[dict[Expr, Expr], Program, WeightedSum | None]":
        """Return the numbers of constants, the program, and the weighted sum if requested."""
        from .value_arguments import check_fixed_constants

        numbers = check_fixed_constants(request.constants, self.outputs.inputs["constants"])
        check_bool("sparse", request.sparse)
        if is_empty(request.second_derivatives):
            own = request.outputs, numbers, request.derivatives, request.sparse
            return numbers, self.program(*own), None
        if request.derivatives:
            raise ValueError(
                "`derivatives` must be empty with `second_derivatives`, which include the "
                "gradient of the weighted sum. Use another compile(outputs, derivatives=[...])."
            )
        names = check_output_names(request.outputs, self._outputs.names)
        return numbers, *self.outputs.weighted_sum(names, numbers, request.second_derivatives)

    def compile(
        self, request: CompileRequest, backend: str = "auto", threads: int = 1
    ) -> "Evaluator":
        """Return the evaluator of the requested outputs; see `SystemMethod.compile`."""
        from .compilation import compile_program
        from .evaluator import Evaluator, WatchedEvaluator
        from .model_joints import ModelJoints

        names = check_output_names(request.outputs, self._outputs.names)
        numbers, program, weighted = self.program_of(request._replace(outputs=names))
        alike, laws = partial(self._compile_alike, numbers, backend), self.request.laws
        watcher = laws and laws.watcher(self._outputs.derivation.law_loads, alike)
        known: dict[str, Any] = {"watcher": watcher, "angles": self.tree.angle_columns}
        if weighted is None:
            known |= {"joints": self.tree.all_joints, "loads": self.request.solve_for}
            known["model_joints"] = ModelJoints(self._outputs, numbers)
            known["evaluator"] = Evaluator if watcher is None else WatchedEvaluator
        else:
            from .hessian_evaluator import HessianEvaluator

            known |= {"evaluator": HessianEvaluator, "description": weighted}
        known |= {"fixed_constants": numbers, "backend": backend, "threads": threads}
        if self.constraints or self.tree.unit_quaternions or self._outputs.solves_motion:
            from .motion_check import make_motion_check

            known["motion_check"] = make_motion_check(self._outputs, names, program.groups, numbers)
        evaluator = compile_program(program, **known)
        evaluator._of_same_model = alike
        if self.constraints:
            evaluator._closed_motion = partial(getattr, self, "closed_motion")
        return evaluator

    def _compile_alike(
        self, numbers: Any, usual: str, outputs: Any, backend: str | None = None, **request: Any
    ) -> "Evaluator":
        """Return the evaluator of other outputs with the same numbers and backend."""
        return self.compile(CompileRequest(outputs, numbers, **request), backend or usual)

    def cached_evaluator(
        self,
        outputs: tuple[str, ...],
        backend: str = "auto",
        derivatives: Sequence[Any] = (),
        checks: Collection[str] | None = None,
    ) -> "Evaluator":
        """Return the cached evaluator of outputs, or a copy of it that runs only some checks."""
        request = CompileRequest(outputs, derivatives=derivatives)
        key = (outputs, backend, *derivatives)
        evaluator: Evaluator = self.cached(key, lambda: self.compile(request, backend))
        return evaluator if checks is None else evaluator._with_checks(checks)

    def cached(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return the cached object for a key; ``make`` makes it at the first request."""
        self.tree.fingerprint.check()
        if key not in self._evaluators:
            self._evaluators[key] = make()
        return self._evaluators[key]

    # -- consistent motions -------------------------------------------------

    @cached_property
    @exclusive
    def closed_motion(self) -> "ClosedMotion":
        """The solver for dependent entries of motions."""
        from ..dynamics.dependent_motion import Dependence
        from .closed_motion import ClosedMotion

        inputs = {**self.inputs, "udot": self.tree.accelerations}
        return ClosedMotion(self.derivation, Dependence(self.derivation), inputs)
