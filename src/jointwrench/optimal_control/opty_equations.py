"""Optimal control of a model with opty."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from sympy import Expr

from .. import ForwardDynamics
from ..checks.arguments import check_instance
from ..checks.messages import import_extra

if TYPE_CHECKING:
    import numpy as np

    from .compiled_problem import OptyProblem


def forward_problem(
    fdyn: ForwardDynamics,
    obj: "Callable[..., float] | Expr",
    obj_grad: "Callable[..., np.ndarray] | None",
    num_collocation_nodes: int,
    node_time_interval: Any,
    *,
    equations: Iterable[Expr] = (),
    states: Iterable[Expr] = (),
    hessian: Literal["limited-memory", "exact"] = "limited-memory",
    backend: Literal["auto", "c", "numpy", "pydy"] = "auto",
    threads: int = 1,
    **options: Any,
) -> "OptyProblem":
    """Return an `opty.Problem` of the model: optimal control by direct collocation.

    The equations of motion and their sparse Jacobian are compiled, without forming Kane's
    equations. The states are the coordinates, then the speeds; specified quantities and constants
    without a known value are free.  Needs the extra ``opty``.

    Parameters
    ==========

    fdyn : ForwardDynamics
        The model.
    obj, obj_grad : function, or Expr and None
        The objective and its gradient, ``f(free)`` or ``f(problem, free)``; or the objective as an
        expression, compiled with its derivatives: a sum of ``Integral(f, t)``, with f of states,
        inputs, constants, known trajectories and time, of terms at instants, ``x(1.5)``, and of
        free constants.
    num_collocation_nodes, node_time_interval : int, and float or Symbol
        As in opty.
    equations : iterable of Expr, optional
        Further expressions that must be zero, or within ``eom_bounds``: of actuators, of the path.
        They follow the model's equations, one for each coordinate, speed and constraint; equations
        that hold for every motion are omitted.
    states : iterable of Expr, optional
        Further functions of time whose derivatives are in ``equations``; they may be specified
        quantities of the model.
    hessian : {"limited-memory", "exact"}
        IPOPT's second derivatives: an approximation from the last steps, or the compiled Hessian of
        the Lagrangian, with the nonzeros of its lower triangle, for an expression ``obj``.
    backend, threads : optional
        As for `ForwardDynamics.compile`.
    **options : optional
        Further arguments of `opty.Problem`: ``known_parameter_map``, ``known_trajectory_map``,
        ``instance_constraints``, ``integration_method``, ``bounds``, ``eom_bounds``.  Its options
        for compilation have no effect.

    Raises
    ======

    ImportError
        If opty is not installed.
    TypeError, ValueError
        If ``equations`` are not expressions, options are not opty's or are refused by it, the model
        depends on functions of anything but time, or derivatives of the objective are missing,
        superfluous, or with respect to other variables.
    CompilationError
        If the compiler fails.

    See Also
    ========

    ForwardDynamics.simulate : The motion of known inputs.

    Notes
    =====

    The forces of loops and contacts are further free trajectories,
    ``dynamicsymbols("lambda_0")`` and so on in the order of the output ``"multipliers"``;
    ``problem.multipliers`` are those on which the motion depends.  Loops are closed at each node
    (for "midpoint" halfway between nodes); contacts and other equations between speeds hold only
    for speeds.  A multiplier's value at a node belongs to the interval before it (for "midpoint"
    after it, where multipliers of loops oscillate about the solution).  With redundant constraints,
    only an objective that contains the multipliers determines them.

    Time in loads, equations and objectives is zero at the first node.  Integrals are sums over
    the intervals between nodes, with the values at their ends, or halfway for "midpoint".  Near a
    solution IPOPT converges in fewer steps with an exact Hessian; far from it, where the Hessian is
    not positive definite on the null space of the constraints, it may take longer: try both.
    Conditions that fix all variables of an equation, such as all coordinates of a closed loop, let
    multipliers grow without bounds: with exact Hessians IPOPT's option ``perturb_always_cd`` is
    then set.

    Examples
    ========

    >>> import jointwrench as jw
    >>> fdyn = jw.ForwardDynamics(pendulum)  # doctest: +SKIP
    >>> problem = jw.optimal_control.forward_problem(
    ...     fdyn,
    ...     Integral(torque**2, t), None, 101, 0.02,
    ...     instance_constraints=(q.func(0), u.func(0), q.func(2) - pi, u.func(2)),
    ... )  # doctest: +SKIP
    >>> free, info = problem.solve(np.zeros(problem.num_free))  # doctest: +SKIP
    """
    instead = ", or without IPOPT's library: pip install cyipopt-wheels; pip install --no-deps opty"
    import_extra("opty", "forward_problem()", "opty", instead)
    from .compiled_problem import OptyProblem
    from .equations import Equations

    check_instance("fdyn", fdyn, ForwardDynamics, "the forward dynamics of a System")
    fdyn.check_unchanged()
    given = obj, obj_grad, num_collocation_nodes, node_time_interval, equations, states
    model = Equations(fdyn.model.derivation)
    return OptyProblem(model, *given, hessian, backend, threads, **options)
