"""`ForwardDynamics`: the motion that the loads of a sympy System make."""

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame

from ..checks.arguments import Body, check_instance, check_mapping
from ..checks.numbers import check_bools, check_number
from ..methods.inverse_dynamics import InverseDynamics
from ..methods.kinematics import Kinematics
from ..methods.system_method import SystemMethod
from ..models.contact import Contact
from ..models.loop_joint import LoopJoint
from .forward_model import ForwardModel

if TYPE_CHECKING:
    import numpy as np

    from ..evaluation.compilation import ForwardEvaluator  # noqa: F401 - of the base
    from ..evaluation.result import Result
    from .linearization import LinearModel
    from .optimal_control.opty_problem import Curvature, OptyProblem
    from .pydy_system import ForwardSystem
    from .right_hand_side import RightHandSide
    from .simulation import Simulation, SimulationBatch


class ForwardDynamics(SystemMethod["ForwardEvaluator"]):
    """The accelerations of a System under its loads, and the forces in its joints.

    It is derived from the same recursion as `InverseDynamics`: the mass matrix by
    composite inertias, factored from the tips inwards; loops and contacts by
    multipliers.

    Parameters
    ==========

    system : System
        Bodies and joints that form a tree on ground, with all loads and actuators
        that drive it.
    loops : iterable of LoopJoint and Contact, optional
        What closes loops, as for `InverseDynamics`.
    owners : dict of Point or ReferenceFrame to body, optional
        Which body carries loads, as for `InverseDynamics`.
    stabilization : float
        How fast errors of the constraints die out, per unit of time (Baumgarte's
        method: their second derivatives are ``-2 s`` times their rates ``- s^2``
        times them).  Default 0: errors of integration stay and grow.

    Attributes
    ==========

    inverse : InverseDynamics
        The inverse dynamics of the model without motors.

    Raises
    ======

    TypeError, TopologyError, ValueError
        As for `InverseDynamics`; if a speed moves no body or no mass.

    See Also
    ========

    InverseDynamics : Forces of a given motion.
    Kinematics : Places and velocities alone.

    Examples
    ========

    A pendulum, a rod of mass m and length l on a pin:

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia
    >>> import jointwrench as jw
    >>> m, l, g = symbols("m l g")
    >>> ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
    >>> rod.central_inertia = inertia(rod.frame, m*l**2/12, 0, m*l**2/12)
    >>> system = System.from_newtonian(ground)
    >>> pin = PinJoint("pin", ground, rod, child_point=l/2*rod.y, joint_axis=ground.z)
    >>> system.add_joints(pin)
    >>> system.apply_uniform_gravity(-g*ground.y)
    >>> evaluate = jw.ForwardDynamics(system).compile(backend="numpy")
    >>> evaluate([0.5], [0.0], constants={m: 2, l: 1, g: 9.81}).udot
    array([-7.05474...])

    Notes
    =====

    The outputs are ``"udot"`` (n) and ``"qdot"`` (n_q), the derivatives of speeds and
    coordinates; ``"joint_wrenches"`` and ``"constraint_wrenches"`` (number of joints and
    loops, 6), ``"multipliers"``, ``"constraint_errors"`` and ``"conditioning"``, as for
    `InverseDynamics`; ``"energy"`` (2), kinetic energy and the potential energy of gravity
    and linear springs; ``"inverse_mass_matrix"`` (n, n), the accelerations per unit of each
    generalized force: with constraints those that obey them.
    """

    default_outputs = ("udot",)
    written_outputs = ("udot", "qdot")

    model: ForwardModel

    def __init__(
        self,
        system: System,
        loops: Iterable[LoopJoint | Contact] = (),
        owners: Mapping[Point | ReferenceFrame, Body] | None = None,
        stabilization: float = 0.0,
    ) -> None:
        rate = check_number("stabilization", stabilization)
        if not 0 <= rate < inf:
            raise ValueError(
                f"`stabilization` must be finite and not negative, got {stabilization}."
            )
        self.inverse = InverseDynamics(system, loops=loops, actuated=(), owners=owners)
        self.model = ForwardModel(self.inverse.model, rate)
        self.model.outputs.output("udot")  # so that what is singular is told now

    @property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix of the tree as formulas, n x n: ``mass_matrix * udot = -bias``."""
        return self.inverse.mass_matrix

    @property
    def bias(self) -> ImmutableDenseMatrix:
        """Velocity terms, gravity and all other loads as formulas, n x 1, of the tree."""
        return self.inverse.bias

    def kinematics(
        self, points: Any = None, frames: Any = None, relative_to: Any = None, frame: Any = None
    ) -> Kinematics:
        """Return the kinematics of the same model, as `InverseDynamics.kinematics` does.

        ``points``, ``frames``, ``relative_to`` and ``frame`` are those of `Kinematics`.

        See Also
        ========

        InverseDynamics.kinematics : Tells of its arguments.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> fdyn.kinematics({"tip": chain.tip}).position("tip")
        l_0*S_0.y
        """
        return self.inverse.kinematics(points, frames, relative_to, frame)

    # -- simulation ---------------------------------------------------------

    def rhs(
        self,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
    ) -> "RightHandSide":
        """Return the right-hand side ``f(t, x)`` of ``x' = f(t, x)``, with x = [q, u].

        Parameters
        ==========

        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or by name: a number, a function of time f(t), or of time and
            state f(t, x), where x has shape (n_q + n,), or (n_q + n, k) for k states,
            for which it returns shape (k,).  By a tuple of c symbols: an array of c
            numbers, or such a function that returns shape (c,), or (c, k).

        Returns
        =======

        RightHandSide
            For ``scipy.integrate.solve_ivp``, also with ``vectorized=True``: x may have
            shape (n_q + n, k).

        Raises
        ======

        TypeError, ValueError, CompilationError
            If a value is missing, unknown, given twice, or of another type or shape;
            if the compiler fails.

        See Also
        ========

        ForwardDynamics.simulate : Integrates it, loops closed.
        ForwardDynamics.ode_function : PyDy's form.

        Examples
        ========

        A block on a spring:

        >>> from scipy.integrate import solve_ivp
        >>> from sympy import symbols
        >>> from sympy.physics.mechanics import Particle, PrismaticJoint, RigidBody, System, Force
        >>> import jointwrench as jw
        >>> m, k = symbols("m k")
        >>> ground, block = RigidBody("ground"), Particle("block", mass=m)
        >>> slide = PrismaticJoint("slide", ground, block)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(slide)
        >>> system.add_loads(Force(block, -k * system.q[0] * ground.x))
        >>> f = jw.ForwardDynamics(system).rhs({m: 1.0, k: 4.0})
        >>> f(0.0, [0.5, 1.0])
        array([ 1., -2.])
        >>> solution = solve_ivp(f, (0, 1), [1.0, 0.0], rtol=1e-8)
        >>> print(round(solution.y[0, -1], 5))
        -0.41615
        """
        from .right_hand_side import RightHandSide

        return RightHandSide(self.model, constants, specifieds)

    def ode_function(
        self,
        constants: Iterable[Expr] | None = None,
        specifieds: Iterable[Expr] | None = None,
    ) -> "Callable[..., np.ndarray]":
        """Return the right-hand side in PyDy's convention, ``rhs(x, t, r, p)``.

        It takes the place of what ``pydy.codegen.ode_function_generators`` makes of
        Kane's equations, which need not be formed.

        Parameters
        ==========

        constants, specifieds : iterable of symbols, optional
            The order in which arrays ``p`` and ``r`` have their values.  Default: that
            of `constants` and `specifieds`.

        Returns
        =======

        function
            ``rhs(x, t, r, p)``, or ``rhs(x, t, p)`` of a model without specified
            quantities: the derivatives of x = [q, u], shape (n_q + n,).  p is a dict
            of constants or an array of them; r an array of specified quantities, a
            dict by symbols or tuples of symbols, of numbers, arrays or functions
            g(x, t), or a function g(x, t) that returns an array.

        Raises
        ======

        TypeError
            If an order is no sequence.
        ValueError
            If it does not name symbols of the model, or not all that are needed.

        See Also
        ========

        ForwardDynamics.rhs : The same for scipy.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> function = fdyn.ode_function()
        >>> function([0.0, 0.0], 0.0, [values[symbol.name] for symbol in fdyn.constants]).shape
        (2,)
        """
        from .pydy_system import ode_function

        return ode_function(self.model, constants, specifieds)

    def pydy_system(self, **options: Any) -> "ForwardSystem":
        """Return a ``pydy.system.System`` of the model; Kane's equations are not formed.

        Parameters
        ==========

        **options
            Those of ``pydy.system.System``: ``constants``, ``specifieds``,
            ``ode_solver``, ``initial_conditions``, ``times``.

        Returns
        =======

        ForwardSystem
            ``integrate()`` and all else are PyDy's; `ode_function` evaluates.

        Raises
        ======

        ValueError
            If PyDy refuses an option.

        See Also
        ========

        ForwardDynamics.simulate : Keeps loops closed.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> import numpy as np
        >>> numbers = {symbol: values[symbol.name] for symbol in fdyn.constants}
        >>> sys = fdyn.pydy_system(constants=numbers, times=np.linspace(0, 1, 11))
        >>> sys.integrate().shape
        (11, 2)
        """
        from .pydy_system import ForwardSystem

        self.check_unchanged()
        for name in ("constants", "specifieds", "initial_conditions"):
            for key in check_mapping(name, options.get(name)):
                check_instance(name, key, (Expr, str, tuple), "a mapping of symbols to values")
        return ForwardSystem(self, **options)

    def opty_problem(
        self,
        obj: "Callable[..., float] | Expr",
        obj_grad: "Callable[..., np.ndarray] | None",
        num_collocation_nodes: int,
        node_time_interval: Any,
        *,
        equations: Iterable[Expr] = (),
        states: Iterable[Expr] = (),
        hessian: str = "limited-memory",
        obj_hess: "Curvature | None" = None,
        backend: str = "auto",
        threads: int = 1,
        **options: Any,
    ) -> "OptyProblem":
        """Return an `opty.Problem` of the model: optimal control by direct collocation.

        Its equations of motion and their Jacobian, of which only entries that are not
        zero are stored, are compiled here; Kane's equations are not formed.  The
        states are the coordinates, then the speeds; specified quantities and constants
        without a known value are free.  It needs the extra ``opty``.

        Parameters
        ==========

        obj, obj_grad : function, or Expr and None
            The objective and its gradient, ``f(free)`` or ``f(problem, free)``; or what is
            to be as small as possible as an expression, compiled with its derivatives:
            a sum of ``Integral(f, t)``, f of states, inputs, constants, what is known (a
            measured trajectory) and time, and of terms at instants, ``x(1.5)``, and of
            free constants.
        num_collocation_nodes, node_time_interval : int, and float or Symbol
            As opty has them.
        equations : iterable of Expr, optional
            Further expressions that must vanish, or keep to ``eom_bounds``: of
            actuators, of the path.  They follow the model's equations, whose order is:
            one for each coordinate, one for each speed, one for each constraint; those
            that hold for every motion are left out.
        states : iterable of Expr, optional
            Further functions of time whose derivatives stand in ``equations``; these may
            be specified quantities of the model.
        hessian : {"limited-memory", "exact"}
            What IPOPT knows of second derivatives: an approximation from the last steps,
            or the Lagrangian's Hessian, compiled, with the nonzeros of its lower
            triangle alone.
        obj_hess : (rows, columns, function), optional
            The objective's Hessian, if that is to be exact and ``obj`` is a function:
            places in the lower triangle, and ``f(free)``, the values there.
        backend, threads : optional
            As for `compile`.
        **options
            All else that `opty.Problem` takes: ``known_parameter_map``,
            ``known_trajectory_map``, ``instance_constraints``, ``integration_method``,
            ``bounds``, ``eom_bounds``.  Those that say how it compiles change nothing.

        Returns
        =======

        OptyProblem
            An `opty.Problem`.

        Raises
        ======

        ImportError
            If opty is not installed.
        TypeError
            If ``equations`` are no expressions, or for options that opty does not have.
        ValueError
            If the model depends on functions of anything but time;
            if derivatives of the objective are missing or given twice, or if it
            depends on what the equations do not have; if opty refuses an option.
        CompilationError
            If the compiler fails.

        See Also
        ========

        opty_problem : The same for symbolic equations.
        ForwardDynamics.write_casadi : For CasADi.

        Notes
        =====

        The forces of loops and contacts are further free trajectories,
        ``dynamicsymbols("lambda_0")`` and so on in the order of the output
        ``"multipliers"``; ``problem.multipliers`` are those that the motion depends on.
        Loops are closed at each node (of the midpoint: halfway between), contacts and
        other equations between speeds hold for the speeds alone.  A multiplier's value at
        a node belongs to the interval before it (of the midpoint: behind it, where those
        of loops alternate about what they should be).  Where constraints are redundant,
        only an objective with the multipliers in it tells them apart.

        Time in loads, equations and objectives is zero at the first node.  Integrals are sums
        over the intervals between nodes, by the values at their ends, or halfway of the
        midpoint.  IPOPT converges in fewer steps with an exact Hessian
        near a solution; far from it, where the Hessian is not positive definite on the
        motions that are left, it has to change it again and again, and may take longer:
        try both.  Conditions that leave an equation nothing to determine, such as those of
        all four components of a quaternion, let multipliers grow without bounds: with exact
        Hessians IPOPT's option ``perturb_always_cd`` is on then.

        Examples
        ========

        >>> import jointwrench as jw
        >>> fdyn = jw.ForwardDynamics(pendulum)  # doctest: +SKIP
        >>> problem = fdyn.opty_problem(
        ...     Integral(torque**2, t), None, 101, 0.02,
        ...     instance_constraints=(q.func(0), u.func(0), q.func(2) - pi, u.func(2)),
        ... )  # doctest: +SKIP
        >>> free, info = problem.solve(np.zeros(problem.num_free))  # doctest: +SKIP
        """
        from .opty_equations import import_opty

        import_opty("opty_problem()")
        from .optimal_control.equations import EquationsOfMotion
        from .optimal_control.opty_problem import OptyProblem

        return OptyProblem(
            EquationsOfMotion.of(self.model.derivation),
            *(obj, obj_grad, num_collocation_nodes, node_time_interval),
            equations=equations,
            states=states,
            hessian=hessian,
            obj_hess=obj_hess,
            backend=backend,
            threads=threads,
            **options,
        )

    def simulate(
        self,
        times: Any,
        q: Any,
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        method: str = "DOP853",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        step: float | None = None,
        events: Any = None,
        progress: bool = False,
        projection: bool = False,
        sensitivities: Iterable[Any] | str | Expr = (),
    ) -> "Simulation | SimulationBatch":
        """Return the motion from an initial state, or the motions from many.

        Parameters
        ==========

        times : array_like, shape (N,)
            Increasing instants; the simulation starts at the first one.
        q, u : array_like, shape (n_q,), (n,) or (k, n_q), (k, n)
            Coordinates and speeds at the start, of one or of k motions.
        constants, specifieds : optional
            As for `rhs`.
        method : {"DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"}
            The method of ``scipy.integrate.solve_ivp``; one of the first three for many
            motions or a fixed step.
        rtol, atol : float
            Tolerances of a step's error, relative and absolute.
        step : float, optional
            The fixed length of all steps but the last.  Default: as the tolerances
            ask for.
        events : function of (t, x) or sequence of them, optional
            As for scipy, for one motion.  The sample at a terminal event is the
            last one.
        progress : bool
            Whether to show a bar (extra ``progress``).
        projection : bool
            Whether each step ends on the constraints: dependent coordinates and speeds
            are solved anew as by `InverseDynamics.close_motion`, at the time of the step
            (some tenths of a millisecond a step).  Default: errors grow, or die out by
            the ``stabilization`` of the model.
        sensitivities : iterable of str or Expr, optional
            With respect to what ``.derivative(output, wrt)`` is wanted of states and outputs:
            the initial values of ``"q"`` and ``"u"``, ``"constants"``, ``"specifieds"``,
            or symbols of these.  Their slopes are integrated beside the motion, with
            exact derivatives, and within the same tolerances.

        Returns
        =======

        Simulation or SimulationBatch
            A `Trajectory`, or a sequence of k of them with arrays of shape (k, N, ...);
            both know ``energy``, ``energy_drift`` and ``constraint_drift``.

        Raises
        ======

        TypeError, ValueError
            If an argument has another type or shape or is not finite; if the initial
            state violates the constraints by more than 1e-6 of the mechanism's own size, or
            of its speed (at rest: of its size by the whole time); for ``projection`` if the
            model declares other entries dependent than its constraints determine; if
            there are functions of the state in ``specifieds`` beside sensitivities.
        ArithmeticError
            If the motion cannot go on: a singular mass matrix, steps that become too
            small.

        See Also
        ========

        ForwardDynamics.reactions : What joints carried.
        ForwardDynamics.rhs : For a solver of your own.

        Notes
        =====

        Some hundreds of motions go on together, with the steps that the worst of them needs.
        With a fixed step they do not depend on each other at all.

        Sensitivities need the Jacobian of the right-hand side at each stage of a step, and a
        product with it for each of them.  With constraints dependent coordinates and speeds
        move with the independent ones and with constants, at the start, too.  A sample at a
        terminal event has the slopes at a fixed time.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> numbers = dict.fromkeys(fdyn.constants, 1.0)
        >>> times = np.linspace(0, 2, 201)
        >>> motion = fdyn.simulate(times, [0.3, 0.1], [0.0, 0.0], numbers)
        >>> motion
        Simulation(q_0, q_1: 201 samples from 0 to 2)
        >>> bool(abs(motion.energy_drift).max() < 1e-6)
        True
        """
        from .right_hand_side import RightHandSide
        from .simulate import simulate

        check_bools(progress=progress, projection=projection)
        right = RightHandSide(self.model, constants, specifieds)
        options = method, (rtol, atol), step, events, progress, projection, sensitivities
        return simulate(right, times, q, u, *options)

    def reactions(
        self,
        times: Any,
        states: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
    ) -> "Result":
        """Return the joint wrenches of a simulation, made with whatever equations.

        Parameters
        ==========

        times : array_like, shape (N,), or None
            The instants; None for those of a solution that has them.
        states : array_like, shape (N, n_q + n), OdeResult or motion
            What ``pydy.system.System.integrate()`` or ``scipy.integrate.odeint`` returned
            (rows [q, u]), ``scipy.integrate.solve_ivp``, or `simulate`.
        constants, specifieds : optional
            As for `rhs`.

        Returns
        =======

        Result
            ``udot`` and ``joint_wrenches`` at the instants, with labelled columns, as
            inverse dynamics has them.

        Raises
        ======

        TypeError, ValueError
            If an argument has another type or shape or is not finite, or a value is
            missing.

        See Also
        ========

        ForwardDynamics.simulate : Makes the motion.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> motion = fdyn.simulate([0.0, 0.1], [0.0], [0.0], values)
        >>> fdyn.reactions(None, motion, values).joint_wrench("S_0")[0].round(6) + 0.0
        array([ 0.  , 19.62,  0.  ,  0.  ,  0.  ,  0.  ])
        """
        from .right_hand_side import RightHandSide
        from .simulation import read_states

        names = (*self.coordinates, *self.speeds)
        instants, rows = read_states(times, states, names, len(self.coordinates))
        right = RightHandSide(self.model, constants, specifieds)
        return right.outputs(("udot", "joint_wrenches"), instants, rows)

    def linearize(
        self,
        q: Any,
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        inputs: Iterable[Expr] | None = None,
        times: Any = None,
    ) -> "LinearModel":
        """Return the linearised equations of motion, ``dx' = A dx + B dr``.

        Parameters
        ==========

        q, u : array_like, shape (..., n_q), (..., n)
            Coordinates and speeds about which to linearise; they obey the constraints.
        constants, specifieds, times : optional
            As for what `compile` returns.
        inputs : iterable of symbols, optional
            What stands for r: specified quantities or constants, by symbol or by name.
            Default: `specifieds`.

        Returns
        =======

        LinearModel
            ``A`` (..., n_x, n_x) and ``B`` (..., n_x, n_r), also by ``A, B = ...``,
            with their ``states`` x, the independent coordinates and then the
            independent speeds, as ``KanesMethod.linearize`` has them, and ``inputs``.

        Raises
        ======

        TypeError, ValueError
            As for the evaluation; if the state violates the constraints, or is one in
            which they do not determine the dependent entries; if an input is unknown;
            if the model declares other entries dependent than its constraints determine.

        See Also
        ========

        ForwardDynamics.compile : Derivatives at many states.

        Notes
        =====

        States stay on the constraints c(x, r) = 0: equations of positions (unit
        quaternions, too) and of velocities.  An input in these moves dependent entries,
        which is part of ``B``.  An input's rate, such as ``y'`` where a guide moves with a
        specified y(t), is an input of its own: the column of y holds y' and y'' fixed.

        Examples
        ========

        A pendulum about its upper equilibrium:

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
        >>> A, B = fdyn.linearize([0], [0], {"m_0": 1, "l_0": 2, "I_0": 0})
        >>> A
        array([[ 0.,  1.],
               [10.,  0.]])
        """
        from .linearization import linearize

        return linearize(self.model, q, u, constants, specifieds, inputs, times)
