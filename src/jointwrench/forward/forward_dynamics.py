"""`ForwardDynamics`: the accelerations and motion of a sympy System under its loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame

from .. import hints
from ..checks.arguments import check_instance, check_mapping, is_empty, symbol_name
from ..checks.numbers import check_bools, check_number
from ..mechanics.mechanism.deduced_structure import KaneModel
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..mechanics.methods.system_method import SystemMethod
from ..mechanics.sympy_objects import Body
from .forward_model import ForwardModel

if TYPE_CHECKING:
    from ..mechanics.methods.output_names import ForwardOutput  # noqa: F401 (of the base)

Method = Literal["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"]


class ForwardDynamics(SystemMethod["ForwardOutput"]):
    """The accelerations of a System under its loads, and the forces in its joints.

    It uses the same recursion as `InverseDynamics`: the mass matrix from composite inertias,
    factored from the tips inwards; loops and contacts by multipliers.

    Parameters
    ==========

    system : System
        Bodies and joints that form a tree on ground, with all loads and actuators.  From a
        ``pydy.system.System`` `reactions` also takes the values of constants and specifieds.
    loops : iterable of LoopJoint and Contact, optional
        The joints and contacts that close loops, as for `InverseDynamics`.
    owners : dict of Point or ReferenceFrame to body, optional
        The bodies on which loads act, as for `InverseDynamics`.
    stabilization : float
        The rate s at which errors e of the constraints decay, in 1/time (Baumgarte's method: ``e''
        = -2 s e' - s^2 e``).  Default 0: errors of integration stay and grow.
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
    Kinematics : Positions, velocities and accelerations alone.

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

    The page *Outputs* lists the outputs with their shapes and meanings.  In poses in which the
    constraints depend on each other accelerations are NaN; ``"conditioning"`` measures the distance
    from one, and from a singular mass matrix, as the page *Singular poses* explains.
    """

    default_outputs = ("udot",)
    written_outputs = ("udot", "qdot")

    model: ForwardModel

    def __init__(
        self,
        system: System,
        loops: Iterable[hints.LoopConnection] | None = None,
        owners: Mapping[Point | ReferenceFrame, Body] | None = None,
        stabilization: float = 0.0,
        outputs: Iterable[hints.DeclaredOutput] = (),
        frictions: Iterable[hints.LoadLaw] = (),
    ) -> None:
        declared: tuple[hints.DeclaredOutput, ...] = ()
        if not is_empty(outputs):
            from ..mechanics.dynamics.outputs.declared_output import check_outputs

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
        self.model.outputs.output("udot")  # reports singular models at once
        self.model.outputs.check_declared()
        model = system.kane if isinstance(system, KaneModel) else system
        self._simulated = model if hasattr(model, "evaluate_ode_function") else None  # by PyDy

    @property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix of the tree as formulas, n x n, without loops; see `bias`."""
        return self.inverse.mass_matrix

    @property
    def bias(self) -> ImmutableDenseMatrix:
        """Velocity terms, gravity and all other loads of the tree as formulas, n x 1.

        ``mass_matrix * udot = -bias`` in a tree; closings and frictions add what they supply.
        """
        return self.inverse.bias

    def kinematics(
        self, points: Any = None, frames: Any = None, relative_to: Any = None, frame: Any = None
    ) -> hints.Kinematics:
        """Return the `Kinematics` of the same model without deriving it again.

        ``points``, ``frames``, ``relative_to`` and ``frame`` are those of `Kinematics`.

        See Also
        ========

        Kinematics : Documents the arguments.

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
    ) -> hints.RightHandSide:
        """Return the right-hand side ``f(t, x)`` of ``x' = f(t, x)``, with x = [q, u].

        It is for ``scipy.integrate.solve_ivp``, also with ``vectorized=True``: x may have the shape
        (n_q + n, k).

        Parameters
        ==========

        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or name: a number, a function of time f(t), or of time and state f(t, x),
            where x has shape (n_q + n,), or (n_q + n, k) for k states; then it returns shape (k,).
            PyDy's order f(x, t) is taken, too, if the second argument is called t or time.
            By a tuple of c symbols: c numbers, or a function that returns (c,) or (c, k).

        Raises
        ======

        TypeError, ValueError, CompilationError
            If a value is missing, unknown, given twice, or has another type or shape; if the
            compiler fails.

        See Also
        ========

        ForwardDynamics.simulate : Integrates it, and can keep loops closed.

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
    ) -> Callable[..., np.ndarray]:
        """Return the right-hand side in PyDy's convention, ``rhs(x, t, r, p)``.

        It replaces a function made by ``pydy.codegen.ode_function_generators`` from Kane's
        equations, which need not be formed.  Without specified quantities it is ``rhs(x, t, p)``.
        It returns the derivatives of x = [q, u], shape (n_q + n,).  p is a dict or an array of
        constants; r is an array of specified quantities, a function g(x, t) that returns one, or a
        dict from symbols or tuples of symbols to numbers, arrays or functions g(x, t).  The order
        g(t, x) of `rhs` is taken, too, if the first argument is called t or time.
        ``constants`` and ``specifieds``, iterables of symbols, set the order of arrays.  Default:
        that of the properties of these names.

        Raises
        ======

        TypeError, ValueError
            If an order is not a sequence of symbols of the model, or lacks one that is needed.

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

    def pydy_system(self, **options: Any) -> hints.ForwardSystem:
        """Return a ``pydy.system.System`` of the model; Kane's equations are not formed.

        ``**options`` are those of ``pydy.system.System``: ``constants``, ``specifieds``,
        ``ode_solver``, ``initial_conditions``, ``times``.  Symbols may be given by their names.  A
        specified quantity that is a function is PyDy's ``f(x, t)`` of states and time, not the
        ``f(t)`` of `simulate`.  ``integrate()`` and all other methods are PyDy's;
        `ode_function` is the right-hand side.

        Raises
        ======

        ValueError
            If PyDy refuses an option.

        See Also
        ========

        ForwardDynamics.simulate : Can keep loops closed.

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
        groups = {
            "constants": self.constants,
            "specifieds": self.specifieds,
            "initial_conditions": (*self.coordinates, *self.speeds),
        }
        for name, group in groups.items():
            given = check_mapping(name, options.get(name))
            for key in given:
                check_instance(name, key, (Expr, str, tuple), "a mapping of symbols to values")
            symbols = {text: s for s in group for text in (str(s), symbol_name(s))}
            if name in options:
                options[name] = {symbols.get(key, key): value for key, value in given.items()}
        return ForwardSystem(self, **options)

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
    ) -> hints.Simulation | Any:
        """Return the motion from an initial state, or the motions from several.

        A Simulation is a `Trajectory`, a SimulationBatch a sequence of k of them with arrays of
        shape (k, N, ...); both have ``energy``, ``energy_drift`` and ``constraint_drift``.

        Parameters
        ==========

        times : array_like, shape (N,)
            Increasing instants; the simulation starts at the first one.
        q, u : array_like, shape (n_q,), (n,) or (k, n_q), (k, n)
            Coordinates and speeds at the start, of one or of k motions.
        constants, specifieds : optional
            As for `rhs`.
        method : {"DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"}
            The method of ``scipy.integrate.solve_ivp``; one of the first three for several motions
            or a fixed step.
        rtol, atol : float
            Tolerances of a step's error, relative and absolute.
        step : float, optional
            The fixed length of all steps but the last.  Default: chosen by the tolerances.
        events : function of (t, x) or sequence of them, optional
            As for scipy, for one motion.  The sample at a terminal event is the last one.
        progress : bool
            Whether to show a bar (extra ``progress``).
        projection : bool
            Whether each step ends on the constraints: dependent coordinates and speeds are then
            solved for, as by `InverseDynamics.close_motion`.  Default: errors grow, or decay by the
            ``stabilization`` of the model.
        sensitivities : iterable of str or Expr, optional
            The variables ``wrt`` for which ``.derivative(output, wrt)`` of states and outputs is
            needed: the initial values of ``"q"`` and ``"u"``, ``"constants"``, ``"specifieds"``, or
            symbols of these.  The sensitivities are integrated with the motion, from exact
            derivatives and within the same tolerances.

        Raises
        ======

        TypeError, ValueError
            If an argument has another type or shape or is not finite; if the initial state violates
            the constraints by more than 1e-6 of the mechanism's size or speed (at rest: of its size
            divided by the whole time); with ``projection``, if the model declares other entries
            dependent than its constraints determine; if ``specifieds`` has functions of the state
            along with sensitivities.
        ArithmeticError
            If the motion cannot be continued: a singular mass matrix, or too small steps.

        See Also
        ========

        ForwardDynamics.reactions : Joint wrenches during the motion.

        Notes
        =====

        Some hundreds of motions are integrated together, with the steps that the worst of them
        needs.  With a fixed step they do not depend on each other at all.

        Sensitivities need the Jacobian of the right-hand side at each stage of a step, and a
        product with it for each of them.  With constraints, dependent coordinates and speeds vary
        with the independent ones and with constants, also at the start.  Sensitivities at a
        terminal event are those at a fixed time.

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
        from .simulate import Settings, simulate

        check_bools(progress=progress, projection=projection)
        right = RightHandSide(self.model, constants, specifieds, refused=["loops"])
        own = method, (rtol, atol), step, events, progress, projection, sensitivities
        return simulate(right, times, q, u, Settings(*own))

    def reactions(
        self,
        times: Any,
        states: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
    ) -> hints.Result:
        """Return the joint wrenches during a simulation, which other equations may have produced.

        The Result has ``udot`` and ``joint_wrenches`` at the instants, with the same labelled
        columns as in inverse dynamics.

        Parameters
        ==========

        times : array_like, shape (N,), or None
            The instants; None if ``states`` has them.
        states : array_like, shape (N, n_q + n), OdeResult or motion
            The result of ``pydy.system.System.integrate()`` or ``scipy.integrate.odeint`` (rows [q,
            u]), of ``scipy.integrate.solve_ivp``, or of `simulate`.
        constants, specifieds : optional
            As for `rhs`.  For a model that was made from a ``pydy.system.System`` they override the
            values of that System, which may have PyDy's defaults; its columns of impulses may be
            among the states.

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
        from .joint_reactions import joint_reactions

        return joint_reactions(self.model, self._simulated, times, states, constants, specifieds)

    def linearize(
        self,
        q: Any,
        u: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        inputs: Iterable[Expr] | None = None,
        times: Any = None,
    ) -> hints.LinearModel:
        """Return the linearised equations of motion, ``dx' = A dx + B dr``.

        A LinearModel has ``A`` (..., n_x, n_x) and ``B`` (..., n_x, n_r), also by ``A, B = ...``,
        the ``states`` x, which are the independent coordinates and then the independent speeds as
        in ``KanesMethod.linearize``, and the ``inputs`` r.

        Parameters
        ==========

        q, u : array_like, shape (..., n_q), (..., n)
            Coordinates and speeds about which to linearise; they must satisfy the constraints.
        constants, specifieds, times : optional
            As for the evaluator that `compile` returns.
        inputs : iterable of symbols, optional
            The inputs r: specified quantities or constants, by symbol or by name. Default:
            `specifieds`.

        Raises
        ======

        TypeError, ValueError
            As for the evaluator; if the state violates the constraints, or they do not determine
            the dependent entries there; if an input is unknown; if the model declares other entries
            dependent than its constraints determine.

        See Also
        ========

        ForwardDynamics.compile : Derivatives at many states.

        Notes
        =====

        States satisfy the constraints c(x, r) = 0: equations of positions (including unit
        quaternions) and of velocities.  If they contain an input, it moves dependent entries, which
        ``B`` includes.  An input's rate, such as ``y'`` of a guide that moves with a specified
        y(t), is a separate input: the column of y holds y' and y'' fixed.

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

        given = {"constants": constants, "specifieds": specifieds, "times": times}
        return linearize(self.model, q, u, inputs, given)
