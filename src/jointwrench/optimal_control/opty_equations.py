"""Optimal control with opty: of a model, and of equations that somebody has formed already."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from sympy import Expr
from sympy.physics.mechanics import dynamicsymbols

from .. import ForwardDynamics
from ..checks.arguments import check_instance, check_sequence
from ..checks.problems import import_extra
from ..extend import check_real

if TYPE_CHECKING:
    import numpy as np

    from .compiled_problem import Curvature, OptyProblem


def import_opty(caller: str) -> None:
    """Say how to install opty where it is not."""
    instead = ", or without IPOPT's library: pip install cyipopt-wheels; pip install --no-deps opty"
    import_extra("opty", caller, "opty", instead)


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
    obj_hess: "Curvature | None" = None,
    backend: Literal["auto", "c", "numpy"] = "auto",
    threads: int = 1,
    **options: Any,
) -> "OptyProblem":
    """Return an `opty.Problem` of the model: optimal control by direct collocation.

    Its equations of motion and their Jacobian, of which only entries that are not zero are stored,
    are compiled here; Kane's equations are not formed.  The states are the coordinates, then the
    speeds; specified quantities and constants without a known value are free.  It needs the extra
    ``opty``.

    Parameters
    ==========

    fdyn : ForwardDynamics
        The model.
    obj, obj_grad : function, or Expr and None
        The objective and its gradient, ``f(free)`` or ``f(problem, free)``; or what is to be as
        small as possible as an expression, compiled with its derivatives: a sum of ``Integral(f,
        t)``, f of states, inputs, constants, what is known (a measured trajectory) and time, and of
        terms at instants, ``x(1.5)``, and of free constants.
    num_collocation_nodes, node_time_interval : int, and float or Symbol
        As opty has them.
    equations : iterable of Expr, optional
        Further expressions that must vanish, or keep to ``eom_bounds``: of actuators, of the path.
        They follow the model's equations, one for each coordinate, speed and constraint; those that
        hold for every motion are left out.
    states : iterable of Expr, optional
        Further functions of time whose derivatives stand in ``equations``; these may be specified
        quantities of the model.
    hessian : {"limited-memory", "exact"}
        What IPOPT knows of second derivatives: an approximation from the last steps, or the
        Lagrangian's Hessian, compiled, with the nonzeros of its lower triangle alone.
    obj_hess : (rows, columns, function), optional
        The objective's Hessian, if that is to be exact and ``obj`` is a function: places in the
        lower triangle, and ``f(free)``, the values there.
    backend, threads : optional
        As for `ForwardDynamics.compile`.
    **options : optional
        All else that `opty.Problem` takes: ``known_parameter_map``, ``known_trajectory_map``,
        ``instance_constraints``, ``integration_method``, ``bounds``, ``eom_bounds``.  Those that
        say how it compiles change nothing.

    Raises
    ======

    ImportError
        If opty is not installed.
    TypeError, ValueError
        If ``equations`` are no expressions, options are not opty's or refused by it, the model
        depends on functions of anything but time, or derivatives of the objective are missing,
        given twice, or by what the equations do not have.
    CompilationError
        If the compiler fails.

    See Also
    ========

    opty_problem : The same for symbolic equations.

    Notes
    =====

    The forces of loops and contacts are further free trajectories,
    ``dynamicsymbols("lambda_0")`` and so on in the order of the output ``"multipliers"``;
    ``problem.multipliers`` are those that the motion depends on.  Loops are closed at each node
    (of the midpoint: halfway between), contacts and other equations between speeds hold for the
    speeds alone.  A multiplier's value at a node belongs to the interval before it (of the
    midpoint: behind it, where those of loops alternate about what they should be).  Where
    constraints are redundant, only an objective with the multipliers in it tells them apart.

    Time in loads, equations and objectives is zero at the first node.  Integrals are sums over
    the intervals between nodes, by the values at their ends, or halfway of the midpoint.  IPOPT
    converges in fewer steps with an exact Hessian near a solution; far from it, where the
    Hessian is not positive definite on the motions that are left, it may take longer: try both.
    Conditions that leave an equation nothing to determine, such as those of all four components
    of a quaternion, let multipliers grow without bounds: with exact Hessians IPOPT's option
    ``perturb_always_cd`` is on then.

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
    import_opty("forward_problem()")
    from .compiled_problem import OptyProblem
    from .equations import EquationsOfMotion

    check_instance("fdyn", fdyn, ForwardDynamics, "the forward dynamics of a System")
    fdyn.check_unchanged()
    model = EquationsOfMotion.of(fdyn.model.derivation)
    given = obj, obj_grad, num_collocation_nodes, node_time_interval, equations, states
    return OptyProblem(model, *given, hessian, obj_hess, backend, threads, **options)


def opty_problem(
    equations: Iterable[Expr],
    states: Iterable[Expr],
    obj: "Callable[..., float] | Expr",
    obj_grad: "Callable[..., np.ndarray] | None",
    num_collocation_nodes: int,
    node_time_interval: Any,
    *,
    hessian: Literal["limited-memory", "exact"] = "limited-memory",
    obj_hess: "Curvature | None" = None,
    backend: Literal["auto", "c", "numpy"] = "auto",
    threads: int = 1,
    **options: Any,
) -> "OptyProblem":
    """Return an `opty.Problem` of symbolic equations, compiled, with second derivatives.

    For problems that are written for opty already, and for equations that are no
    mechanics.  Models of bodies and joints are built much faster by
    `forward_problem`, which does not form equations at all.

    Parameters
    ==========

    equations : iterable of Expr
        What must vanish, or keep to ``eom_bounds``, as opty's ``equations_of_motion``.
    states : iterable of Expr
        The functions of time whose derivatives stand there.
    obj, obj_grad, num_collocation_nodes, node_time_interval : optional
        As for `forward_problem`.
    hessian, obj_hess, backend, threads, **options : optional
        As there.

    Raises
    ======

    ImportError, TypeError, ValueError, CompilationError
        As for `forward_problem`.

    See Also
    ========

    forward_problem : Of a model.

    Examples
    ========

    The least force that moves a mass by one length and stops it, within one unit of time:

    >>> import jointwrench as jw
    >>> (x, v, f), t = dynamicsymbols("x v f"), dynamicsymbols._t  # doctest: +SKIP
    >>> problem = jw.optimal_control.opty_problem(
    ...     [x.diff(t) - v, v.diff(t) - f],
    ...     [x, v],
    ...     *(Integral(f**2, t), None, 101, 0.01),
    ...     hessian="exact",
    ...     instance_constraints=[x.func(0), v.func(0), x.func(1) - 1, v.func(1)],
    ... )  # doctest: +SKIP
    >>> free, info = problem.solve(np.zeros(problem.num_free))  # doctest: +SKIP
    """
    import_opty("opty_problem()")
    from .compiled_problem import OptyProblem
    from .equations import SymbolicEquations

    rows = check_sequence("equations", equations, "an iterable of expressions")
    own = check_sequence("states", states, "an iterable of functions of time")
    model = SymbolicEquations(
        [check_real(f"equations[{k}]", row) for k, row in enumerate(rows)],
        tuple(check_real(f"states[{k}]", state) for k, state in enumerate(own)),
        dynamicsymbols._t,
    )
    given = obj, obj_grad, num_collocation_nodes, node_time_interval, (), ()
    return OptyProblem(model, *given, hessian, obj_hess, backend, threads, **options)
