"""`opty_problem`: optimal control of equations that somebody has formed already."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sympy import Expr
from sympy.physics.mechanics import dynamicsymbols

from ..checks.arguments import check_scalar, check_sequence
from ..checks.problems import import_extra

if TYPE_CHECKING:
    import numpy as np

    from .optimal_control.opty_problem import Curvature, OptyProblem


def import_opty(caller: str) -> None:
    """Say how to install opty where it is not."""
    instead = ", or without IPOPT's library: pip install cyipopt-wheels; pip install --no-deps opty"
    import_extra("opty", caller, "opty", instead)


def opty_problem(
    equations: Iterable[Expr],
    states: Iterable[Expr],
    obj: "Callable[..., float] | Expr",
    obj_grad: "Callable[..., np.ndarray] | None",
    num_collocation_nodes: int,
    node_time_interval: Any,
    *,
    hessian: str = "limited-memory",
    obj_hess: "Curvature | None" = None,
    backend: str = "auto",
    threads: int = 1,
    **options: Any,
) -> "OptyProblem":
    """Return an `opty.Problem` of symbolic equations, compiled, with second derivatives.

    For problems that are written for opty already, and for equations that are no
    mechanics.  Models of bodies and joints are built much faster by
    `ForwardDynamics.opty_problem`, which does not form equations at all.

    Parameters
    ==========

    equations : iterable of Expr
        What must vanish, or keep to ``eom_bounds``, as opty's ``equations_of_motion``.
    states : iterable of Expr
        The functions of time whose derivatives stand there.
    obj, obj_grad, num_collocation_nodes, node_time_interval : optional
        As for `ForwardDynamics.opty_problem`.
    hessian, obj_hess, backend, threads, **options : optional
        As there.

    Returns
    =======

    OptyProblem
        An `opty.Problem`.

    Raises
    ======

    ImportError, TypeError, ValueError, CompilationError
        As for `ForwardDynamics.opty_problem`.

    See Also
    ========

    ForwardDynamics.opty_problem : Of a model.

    Examples
    ========

    The least force that moves a mass by one length and stops it, within one unit of time:

    >>> import jointwrench as jw
    >>> (x, v, f), t = dynamicsymbols("x v f"), dynamicsymbols._t  # doctest: +SKIP
    >>> problem = jw.opty_problem(
    ...     [x.diff(t) - v, v.diff(t) - f],
    ...     [x, v],
    ...     *(Integral(f**2, t), None, 101, 0.01),
    ...     hessian="exact",
    ...     instance_constraints=[x.func(0), v.func(0), x.func(1) - 1, v.func(1)],
    ... )  # doctest: +SKIP
    >>> free, info = problem.solve(np.zeros(problem.num_free))  # doctest: +SKIP
    """
    import_opty("opty_problem()")
    from .optimal_control.equations import SymbolicEquations
    from .optimal_control.opty_problem import OptyProblem

    rows = check_sequence("equations", equations, "an iterable of expressions")
    own = check_sequence("states", states, "an iterable of functions of time")
    return OptyProblem(
        SymbolicEquations(
            [check_scalar(f"equations[{k}]", row) for k, row in enumerate(rows)],
            tuple(check_scalar(f"states[{k}]", state) for k, state in enumerate(own)),
            dynamicsymbols._t,
        ),
        *(obj, obj_grad, num_collocation_nodes, node_time_interval),
        hessian=hessian,
        obj_hess=obj_hess,
        backend=backend,
        threads=threads,
        **options,
    )
