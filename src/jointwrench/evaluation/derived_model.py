"""`DerivedModel`: a model that was read and derived once, with its programs and their code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from sympy import Expr, Symbol

from ..arithmetic.program import Program
from ..checks.arguments import is_empty
from ..checks.numbers import check_bool
from ..dynamics.derivation import Derivation, Request, exclusive
from ..dynamics.joint_motion import ModelJoints
from ..dynamics.outputs.derived_outputs import DerivedOutputs, check_output_names
from ..dynamics.outputs.weighted_sum import WeightedSum
from ..mechanism.closing import Constraints
from ..mechanism.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

    from .closed_motion import ClosedMotion
    from .compilation import Evaluator

E = TypeVar("E", bound="Evaluator")


class DerivedModel(Generic[E]):
    """What all that is asked of a System shares: tree, derivation, inputs, programs, code.

    ``outputs`` are what can be asked for.  Nothing is made of a model that changed since.
    """

    def __init__(self, outputs: DerivedOutputs) -> None:
        self._outputs = outputs
        self._evaluators: dict[tuple[Any, ...], E] = {}

    @property
    def derivation(self) -> Derivation:
        """All that was derived, unless the model changed since it was read."""
        return self.outputs.derivation

    _derivation = derivation  # what `exclusive` locks

    # -- what was read ------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The bodies and joints."""
        return self._outputs.derivation.tree

    @property
    def request(self) -> Request:
        """What was asked of the derivation."""
        return self._outputs.derivation.request

    @property
    def constraints(self) -> Constraints:
        """What closes loops, and which coordinates and speeds are independent."""
        return self.tree.constraints

    @property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order."""
        return self._outputs.inputs

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """All constants, sorted by name."""
        return self.inputs["constants"]

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All functions of time that have to be given, sorted by name."""
        return self.inputs["specifieds"]

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """The generalized coordinates q."""
        return self.tree.coordinates

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The generalized speeds u."""
        return self.tree.speeds

    def numbers(self, constants: Mapping[Any, Any] | None) -> dict[Expr, float]:
        """Return given constants by their symbols; not all have to be."""
        from .values import ValueReader

        return ValueReader("constants", self.constants).numbers(constants)

    # -- what is made of it -------------------------------------------------

    @property
    def outputs(self) -> DerivedOutputs:
        """What makes outputs and programs, unless the model changed since it was read."""
        self.tree.fingerprint.check()
        return self._outputs

    def program(
        self,
        outputs: str | Iterable[str],
        numbers: Mapping[Symbol, Expr] | None = None,
        derivatives: Iterable[Any] = (),
        sparse: bool = False,
    ) -> Program:
        """Return the cheapest program for some outputs, with numbers for constants."""
        names = check_output_names(outputs, self._outputs.names)
        program = self.outputs.cheapest(names, numbers, derivatives)
        return program.packed() if sparse else program

    def compile(
        self,
        outputs: str | Iterable[str],
        constants: Mapping[Symbol, float] | None = None,
        backend: str = "auto",
        threads: int = 1,
        derivatives: Iterable[Any] = (),
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
    ) -> E:
        """Return what evaluates outputs; the arguments are those of `SystemMethod.compile`."""
        from .compilation import (
            Evaluator,
            ForwardEvaluator,
            HessianEvaluator,
            check_fixed_constants,
            compile_program,
        )
        from .observations import Observations
        from .open_wrenches import OpenWrenches

        numbers = check_fixed_constants(constants, self.outputs.inputs["constants"])
        program, weighted = self._asked(outputs, numbers, derivatives, second_derivatives, sparse)
        evaluator: type[Any] = Evaluator if "udot" in self.inputs else ForwardEvaluator
        known: dict[str, Any] = {"description": weighted}
        if weighted is not None:
            evaluator = HessianEvaluator
        else:
            known = {"joints": self.tree.all_joints, "loads": self.request.solve_for}
            known["model_joints"] = ModelJoints(
                self.tree,
                open_wrenches=OpenWrenches.of(self._outputs, numbers, evaluator),
                observations=Observations.of(self._outputs),
            )
        options: dict[str, Any] = {
            "fixed_constants": numbers,
            "backend": backend,
            "threads": threads,
        }
        return cast(E, compile_program(program, evaluator=evaluator, **known, **options))

    def _asked(
        self, outputs: Any, numbers: Any, derivatives: Any, second_derivatives: Any, sparse: bool
    ) -> tuple[Program, WeightedSum | None]:
        """Return the program that is asked for, and of which weighted sum it is, if of one."""
        check_bool("sparse", sparse)
        if is_empty(second_derivatives):
            return self.program(outputs, numbers, derivatives, sparse), None
        if derivatives:
            raise ValueError(
                "`derivatives` must be empty beside `second_derivatives`, which come with the "
                "gradient of the weighted sum. Use another compile(outputs, derivatives=[...])."
            )
        return self.weighted_sum(outputs, numbers, second_derivatives)

    def weighted_sum(
        self,
        outputs: str | Iterable[str],
        numbers: Mapping[Symbol, Expr] | None,
        wrt: Iterable[Any],
    ) -> tuple[Program, WeightedSum]:
        """Return the program of the outputs' weighted sum, with its gradient and its Hessian."""
        names = check_output_names(outputs, self._outputs.names)
        return self.outputs.weighted_sum(names, numbers, wrt)

    def compiled(self, outputs: tuple[str, ...], **options: Any) -> E:
        """Return what evaluates outputs; it is compiled once."""
        return self.kept((outputs, *options.values()), lambda: self.compile(outputs, **options))

    def kept(self, key: tuple[Any, ...], make: Callable[[], E]) -> E:
        """Return what was compiled for a key; ``make`` compiles it the first time."""
        self.tree.fingerprint.check()
        if key not in self._evaluators:
            self._evaluators[key] = make()
        return self._evaluators[key]

    def write_c(
        self,
        path: Any,
        outputs: str | Iterable[str],
        constants: Mapping[Symbol, float] | None,
        derivatives: Iterable[Any],
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
        lanes: int = 8,
        precision: str = "double",
        legend: Mapping[str, Sequence[Any]] | None = None,
    ) -> "tuple[Path, Path]":
        """Write outputs as C code; the arguments are those of `SystemMethod.write_c`."""
        from .compilation import check_c_path, check_fixed_constants, write_c

        checked = check_c_path(path)
        numbers = check_fixed_constants(constants, self.outputs.inputs["constants"])
        program, _ = self._asked(outputs, numbers, derivatives, second_derivatives, sparse)
        return write_c(program, checked, lanes, precision, legend)

    def write_casadi(
        self,
        path: Any,
        outputs: str | Iterable[str],
        constants: Mapping[Symbol, float] | None,
        second_derivatives: bool,
    ) -> "tuple[Path, ...]":
        """Write outputs and their derivatives for CasADi; as `SystemMethod.write_casadi`."""
        from .compilation import check_casadi_path, check_fixed_constants, write_casadi

        checked = check_casadi_path(path)
        numbers = check_fixed_constants(constants, self.outputs.inputs["constants"])
        groups = [name for name, symbols in self.inputs.items() if symbols]
        program = self.program(outputs, numbers, groups)
        names = [output.name for output in program.outputs if output.wrt is None]
        adjoint = self.outputs.adjoint(names, numbers) if second_derivatives else None
        return write_casadi(program, checked, adjoint)

    # -- consistent motions -------------------------------------------------

    @cached_property
    @exclusive
    def closed_motion(self) -> "ClosedMotion":
        """What solves dependent entries of motions from the independent ones."""
        from ..dynamics.dependence import Dependence
        from .closed_motion import ClosedMotion

        inputs = {**self.inputs, "udot": self.tree.accelerations}
        return ClosedMotion(self.derivation, Dependence(self.derivation), inputs)
