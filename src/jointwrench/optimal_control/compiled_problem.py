"""`opty.Problem` with the compiled equations of motion of a model."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal

from opty import Problem
from opty.direct_collocation import ConstraintCollocator
from sympy import Add, Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef

from ..checks.arguments import (
    check_choice,
    check_different,
    check_instance,
    check_mapping,
    check_sequence,
)
from ..checks.numbers import check_integer, check_positive
from ..extend import check_real, check_time, leaves
from .collocator import CompiledCollocator
from .equations import Equations, Objective
from .private_opty import initialize, is_equality
from .transcription import METHODS

#: IPOPT's options for second derivatives.
HESSIANS = ("limited-memory", "exact")

#: MUMPS's option to scale every matrix by its own entries.  By default it reuses the scaling of the
#: first matrix, which delays pivots in later ones: factors fill up, and an iteration takes 15 times
#: as long.
FRESH_SCALING = 8

#: IPOPT's option for dependent conditions (on all coordinates of a loop and on its closure), which
#: let multipliers grow without bounds, and with them the exact Hessian, in which they are weights.
REGULARIZED = "perturb_always_cd", "yes"


class OptyProblem(Problem):
    """An `opty.Problem` with compiled equations of motion; made by `forward_problem`.

    All methods are opty's.

    Attributes
    ==========

    multipliers : tuple of Expr
        The forces of constraints, among the input trajectories.
    """

    def __init__(
        self,
        model: Equations,
        obj: Callable[..., float] | Expr,
        obj_grad: Callable[..., Any] | None,
        num_collocation_nodes: int,
        node_time_interval: Any,
        equations: Iterable[Expr] = (),
        states: Iterable[Expr] = (),
        hessian: Literal["limited-memory", "exact"] = "limited-memory",
        backend: Literal["auto", "c", "numpy", "pydy"] = "auto",
        threads: int = 1,
        **options: Any,
    ) -> None:
        check_time(model.argument, model.time, model.states)
        check_choice("integration_method", options.get("integration_method", METHODS[0]), METHODS)
        others = check_sequence("equations", equations, "an iterable of expressions")
        given = check_sequence("states", states, "an iterable of functions of time")
        for state in given:
            check_instance("states", state, AppliedUndef, "functions of time")
        for name in ("known_parameter_map", "known_trajectory_map"):
            for key in check_mapping(name, options.get(name)):
                check_instance(name, key, Expr, "a mapping of symbols to values")
        check_different("states", [*model.states, *given], "have each function once")
        self._others = [check_real(f"equations[{k}]", x) for k, x in enumerate(others)]
        self._model, self.multipliers = model, model.multipliers
        check_choice("hessian", hessian, HESSIANS)
        check_integer("num_collocation_nodes", num_collocation_nodes, least=2)
        if not isinstance(node_time_interval, Symbol):
            check_positive("node_time_interval", node_time_interval)
        self._is_exact = hessian == "exact"
        self._objective = None if callable(obj) else Objective.split(obj, model.time)
        _check_functions(self._objective, obj_grad, self._is_exact)
        functions = obj, obj_grad
        if self._objective is not None:  # opty counts the arguments of functions
            functions = (lambda free: self._value(free)), (lambda free: self._gradient(free))
        self._work: dict[str, Any] = {"backend": backend, "threads": threads}
        equations = self._placeholder(options), (*model.states, *given)
        initialize(
            self,
            *(*functions, *equations, num_collocation_nodes, node_time_interval),
            backend="numpy",  # for the placeholder
            **options,
        )
        with suppress(TypeError):  # of an IPOPT without MUMPS
            self.add_option("mumps_scaling", FRESH_SCALING)
        if self._is_exact and self._is_overdetermined:
            self.add_option(*REGULARIZED)

    @property
    def _is_overdetermined(self) -> bool:
        """Whether conditions fix all variables of an equation."""
        # Equations with a single unknown column fix it; they are eliminated one after the other.
        # An equation without unknown columns is redundant or contradictory.
        is_equal = is_equality(self)
        found: dict[int, set[int]] = {}
        where: dict[int, set[int]] = {}
        for row, column in zip(*(x.tolist() for x in self.jacobianstructure()), strict=True):
            if is_equal[row]:
                found.setdefault(row, set()).add(column)
                where.setdefault(column, set()).add(row)
        singles = [row for row, columns in found.items() if len(columns) == 1]
        for row in singles:  # the list grows in the loop
            if not found[row]:
                return True
            (column,) = found[row]
            for other in where[column]:
                found[other].discard(column)
                if other != row and len(found[other]) == 1:
                    singles.append(other)
        return False

    def _placeholder(self, options: Mapping[str, Any]) -> ImmutableDenseMatrix:
        """Return short equations for opty with the symbols and the row count of the model."""
        model, rest = self._model, leaves(self._others)
        if self._objective is not None:  # it may have more symbols than the equations
            maps = (options.get(f"known_{x}_map") for x in ("parameter", "trajectory"))
            given = {symbol for known in maps for symbol in known or ()}
            rest |= given & leaves([self._objective.integrand])
        symbols = {*model.symbols, *rest, *(x.diff(model.time) for x in model.states)}
        count = model.count + len(self._others)
        whole = Add(*sorted(symbols - {model.time}, key=str))
        return ImmutableDenseMatrix([whole, *[0] * (count - 1)])

    @property
    def collocator(self) -> CompiledCollocator:
        """The collocator that evaluates the constraints."""
        return self._collocator

    @collocator.setter
    def collocator(self, symbolic: ConstraintCollocator) -> None:
        """Replace opty's collocator of the placeholder by a collocator of compiled equations."""
        objective = self._objective or Objective.split(0, symbolic.time_symbol)
        self._collocator = compiled = CompiledCollocator(
            symbolic, self._model, self._others, objective, **self._work
        )
        if self._objective is not None:
            self._value, self._gradient = compiled.generate_objective_functions()
        if self._is_exact:  # cyipopt uses attributes with these names
            rows, columns = compiled.hessian_indices()
            self.hessianstructure = lambda: (rows, columns)
            self.hessian = compiled.generate_hessian_function()


def _check_functions(objective: Objective | None, obj_grad: Any, is_exact: bool) -> None:
    """Refuse missing or superfluous derivatives of the objective."""
    if objective is not None and obj_grad is not None:
        raise ValueError("`obj_grad` must be None with an expression `obj`, which has its own.")
    if objective is None and obj_grad is None:
        raise ValueError("`obj_grad` must be given with a function `obj`, got None.")
    if objective is None and is_exact:
        raise ValueError(
            "`hessian` must be 'limited-memory' with a function `obj`, got 'exact'. Use an "
            "expression for `obj`, such as Integral(u**2, t)."
        )
