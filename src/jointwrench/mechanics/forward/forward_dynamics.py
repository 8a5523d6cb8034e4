"""`ForwardDynamics`: the motion that the loads of a sympy System make."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Literal, overload

from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame

from ...checks.arguments import check_instance, check_mapping
from ...checks.numbers import check_bools, check_number
from ..dynamics.outputs.declared_output import DeclaredOutput, check_outputs
from ..methods.inverse_dynamics import InverseDynamics
from ..methods.kinematics import Kinematics
from ..methods.system_method import SystemMethod
from ..models.contact import Contact
from ..models.joint_friction import JointFriction
from ..models.loop_joint import LoopJoint
from ..sympy_objects import Body
from .forward_model import ForwardModel

if TYPE_CHECKING:
    import numpy as np

    from ..evaluation.result import Result
    from .linearization import LinearModel
    from .pydy_system import ForwardSystem
    from .right_hand_side import RightHandSide
    from .simulation import Simulation, SimulationBatch

Method = Literal["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"]


class ForwardDynamics(SystemMethod):
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
    outputs : iterable of DeclaredOutput, optional
        Outputs of your own, as for `InverseDynamics`.
    frictions : iterable of JointFriction, optional
        Friction in joints, as for `InverseDynamics`.

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

    :doc:`/reference/outputs` lists the outputs with their shapes and meanings.
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
        outputs: Iterable[DeclaredOutput] = (),
        frictions: Iterable[JointFriction] = (),
    ) -> None:
        declared = check_outputs(outputs)
        rate = check_number("stabilization", stabilization)
        if not 0 <= rate < inf:
            raise ValueError(
                f"`stabilization` must be finite and not negative, got {stabilization}."
            )
        self.inverse = InverseDynamics(
            system, loops=loops, actuated=(), owners=owners, frictions=frictions
        )
        self.model = ForwardModel(self.inverse.model, rate, declared)
        self.model.outputs.output("udot")  # so that what is singular is told now
        self.model.outputs.check_declared()

    if not TYPE_CHECKING:  # it would know every attribute

        def __getattr__(self, name):
            """Say where a method went that was here."""
            if name == "opty_problem":
                where = "jointwrench.optimal_control.forward_problem(fdyn, ...)"
                raise AttributeError(f"ForwardDynamics has no {name!r}. It is {where}.")
            return self.__getattribute__(name)  # raises what it raised before

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
        """Return the `Kinematics` of the same model, which is not derived anew.

        ``points``, ``frames``, ``relative_to`` and ``frame`` are those of `Kinematics`.

        See Also
        ========

        InverseDynamics.kinematics : Tells of its arguments.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> fdyn = jw.ForwardDynamics(chain.system)
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

        It is for ``scipy.integrate.solve_ivp``, also with ``vectorized=True``: x may have the shape
        (n_q + n, k).

        Parameters
        ==========

        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or name: a number, a function of time f(t), or of time and state f(t, x),
            where x has shape (n_q + n,), or (n_q + n, k) for k states, for which it returns shape
            (k,).  By a tuple of c symbols: c numbers, or a function that returns (c,), or (c, k).

        Raises
        ======

        TypeError, ValueError, CompilationError
            If a value is missing, unknown, given twice, or of another type or shape;
            if the compiler fails.

        See Also
        ========

        ForwardDynamics.simulate : Integrates it, loops closed.

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
        self, constants: Iterable[Expr] | None = None, specifieds: Iterable[Expr] | None = None
    ) -> "Callable[..., np.ndarray]":
        """Return the right-hand side in PyDy's convention, ``rhs(x, t, r, p)``.

        It takes the place of what ``pydy.codegen.ode_function_generators`` makes of Kane's
        equations, which need not be formed; that of a model without specified quantities is
        ``rhs(x, t, p)``.  It returns the derivatives of x = [q, u], shape (n_q + n,).  p is a dict
        of constants or an array of them; r an array of specified quantities, a dict by symbols or
        tuples of symbols, of numbers, arrays or functions g(x, t), or a function g(x, t) that
        returns an array.  ``constants`` and ``specifieds``, iterables of symbols, are the order in
        which arrays have their values.  Default: that of the properties of these names.

        Raises
        ======

        TypeError, ValueError
            If an order is no sequence of symbols of the model, or lacks one that is needed.

        See Also
        ========

        ForwardDynamics.rhs : The same for scipy.

        Examples
        ========

        >>> import jointwrench as jw
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(1).system)
        >>> fdyn.ode_function()([0.0, 2.0], 0.0, [1.0, 1.0, 1.0])
        array([2., 0.])
        """
        from .pydy_system import ode_function

        return ode_function(self.model, constants, specifieds)

    def pydy_system(self, **options: Any) -> "ForwardSystem":
        """Return a ``pydy.system.System`` of the model; Kane's equations are not formed.

        ``**options`` are those of ``pydy.system.System``: ``constants``, ``specifieds``,
        ``ode_solver``, ``initial_conditions``, ``times``.  ``integrate()`` and all else are PyDy's;
        `ode_function` evaluates.

        Raises
        ======

        ValueError
            If PyDy refuses an option.

        See Also
        ========

        ForwardDynamics.simulate : Keeps loops closed.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> numbers = dict.fromkeys(fdyn.constants, 1.0)
        >>> fdyn.pydy_system(constants=numbers, times=np.linspace(0, 1, 11)).integrate().shape
        (11, 2)
        """
        from .pydy_system import ForwardSystem

        self.check_unchanged()
        for name in ("constants", "specifieds", "initial_conditions"):
            for key in check_mapping(name, options.get(name)):
                check_instance(name, key, (Expr, str, tuple), "a mapping of symbols to values")
        return ForwardSystem(self, **options)

    @overload
    def simulate(
        self,
        times: Any,
        q: Sequence[float],
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        method: Method = "DOP853",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        step: float | None = None,
        events: Any = None,
        progress: bool = False,
        projection: bool = False,
        sensitivities: Iterable[Any] | str | Expr = (),
    ) -> "Simulation": ...

    @overload
    def simulate(
        self,
        times: Any,
        q: Any,
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        method: Method = "DOP853",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        step: float | None = None,
        events: Any = None,
        progress: bool = False,
        projection: bool = False,
        sensitivities: Iterable[Any] | str | Expr = (),
    ) -> "Simulation | SimulationBatch": ...

    def simulate(
        self,
        times: Any,
        q: Any,
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        method: Method = "DOP853",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        step: float | None = None,
        events: Any = None,
        progress: bool = False,
        projection: bool = False,
        sensitivities: Iterable[Any] | str | Expr = (),
    ) -> "Simulation | SimulationBatch":
        """Return the motion from an initial state, or the motions from many.

        A Simulation is a `Trajectory`, a SimulationBatch a sequence of k of them with arrays of
        shape (k, N, ...); both know ``energy``, ``energy_drift`` and ``constraint_drift``.

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
            The fixed length of all steps but the last.  Default: as tolerances ask for.
        events : function of (t, x) or sequence of them, optional
            As for scipy, for one motion.  The sample at a terminal event is the last one.
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
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
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
        """Return the joint wrenches during a simulation, whichever equations produced it.

        The Result has ``udot`` and ``joint_wrenches`` at the instants, with labelled columns, as
        inverse dynamics has them.

        Parameters
        ==========

        times : array_like, shape (N,), or None
            The instants; None for those of a solution that has them.
        states : array_like, shape (N, n_q + n), OdeResult or motion
            What ``pydy.system.System.integrate()`` or ``scipy.integrate.odeint`` returned
            (rows [q, u]), ``scipy.integrate.solve_ivp``, or `simulate`.
        constants, specifieds : optional
            As for `rhs`.

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
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
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

        A LinearModel has ``A`` (..., n_x, n_x) and ``B`` (..., n_x, n_r), also by ``A, B = ...``,
        with their ``states`` x, the independent coordinates and then the independent speeds, as
        ``KanesMethod.linearize`` has them, and ``inputs``.

        Parameters
        ==========

        q, u : array_like, shape (..., n_q), (..., n)
            Coordinates and speeds about which to linearise; they obey the constraints.
        constants, specifieds, times : optional
            As for what `compile` returns.
        inputs : iterable of symbols, optional
            What stands for r: specified quantities or constants, by symbol or by name.
            Default: `specifieds`.

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
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
        >>> A, B = fdyn.linearize([0], [0], {"m_0": 1, "l_0": 2, "I_0": 0})
        >>> A
        array([[ 0.,  1.],
               [10.,  0.]])
        """
        from .linearization import linearize

        return linearize(self.model, q, u, constants, specifieds, inputs, times)
