"""`opty.Problem` with the equations of motion of a model, compiled."""

from collections.abc import Callable, Iterable
from inspect import getattr_static
from typing import Any

from opty import Problem
from opty.direct_collocation import ConstraintCollocator
from sympy import Expr, ImmutableDenseMatrix

from ...checks.arguments import check_choice, check_scalar, check_sequence, check_time
from ...dynamics.derivation import Derivation
from .collocator import CompiledCollocator
from .equations import EquationsOfMotion
from .transcription import METHODS

#: opty's descriptor, which writes a docstring, does not let subclasses call by `super`.
_INIT = getattr_static(Problem, "__init__").mthd


class OptyProblem(Problem):
    """An `opty.Problem` whose equations of motion are compiled, not symbolic.

    Made by `ForwardDynamics.opty_problem`, which has the parameters; all methods are
    opty's.

    Attributes
    ==========

    multipliers : tuple of Expr
        The forces of constraints, among the input trajectories.
    """

    def __init__(
        self,
        derivation: Derivation,
        obj: Callable[..., float],
        obj_grad: Callable[..., Any],
        num_collocation_nodes: int,
        node_time_interval: Any,
        equations: Iterable[Expr] = (),
        states: Iterable[Expr] = (),
        backend: str = "auto",
        threads: int = 1,
        **options: Any,
    ) -> None:
        tree = derivation.tree
        check_time(tree.argument, tree.time, tree.coordinates)
        check_choice("integration_method", options.get("integration_method", METHODS[0]), METHODS)
        others = check_sequence("equations", equations, "an iterable of expressions")
        self._others = [check_scalar(f"equations[{k}]", x) for k, x in enumerate(others)]
        self._model = EquationsOfMotion.of(derivation)
        self._work: dict[str, Any] = {"backend": backend, "threads": threads}
        self.multipliers = tuple(self._model.supplied)
        _INIT(
            self,
            *(obj, obj_grad, _stand_in(self._model, self._others)),
            (*self._model.states, *states),
            *(num_collocation_nodes, node_time_interval),
            backend="numpy",  # for the stand-in
            **options,
        )

    @property
    def collocator(self) -> CompiledCollocator:
        """What evaluates the constraints."""
        return self._collocator

    @collocator.setter
    def collocator(self, symbolic: ConstraintCollocator) -> None:
        """Let compiled equations take the place of those that opty was given."""
        self._collocator = CompiledCollocator(symbolic, self._model, self._others, **self._work)


def _stand_in(equations: EquationsOfMotion, others: list[Expr]) -> ImmutableDenseMatrix:
    """Return equations of the same number, of which opty asks what symbols they have."""
    tree = equations.derivation.tree
    symbols = sum(equations.symbols) + sum(x.diff(tree.time) for x in equations.states)
    return ImmutableDenseMatrix([symbols, *[0] * (equations.count - 1), *others])
