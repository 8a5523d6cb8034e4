"""`InverseDynamics`: the forces that a motion of a sympy System asks for."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Expr, Symbol
from sympy.physics.mechanics import KanesMethod, System

from .arithmetic.program import Output, Program
from .checks.arguments import check_sequence
from .dynamics.base_parameters import regrouped_forces
from .dynamics.joint_motion import Assembly
from .dynamics.outputs import OUTPUTS, force_output
from .formulas import Formulas, check_symbols
from .mechanism.reading.kane_reader import read_kane
from .mechanism.reading.system_reader import read_system

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from .codegen import Evaluator

#: What is computed where nothing else is asked for.
DEFAULT_OUTPUTS = ("generalized_forces", "joint_wrenches")


class InverseDynamics(Formulas):
    """The joint wrenches and generalized forces of a System for any motion.

    Everything is derived once, by the recursive Newton-Euler algorithm, and is
    available both as formulas and as compiled code.

    Parameters
    ==========

    system : System
        Bodies and joints that form a tree on ground.  Its loads and actuators
        are taken as known.  It is read once; after later changes to it all that is
        asked for is refused, until it is read anew.
    solve_for : iterable of symbols, optional
        Symbols in the System's loads (joint torques, the force of a cylinder)
        that the motion determines.  They must enter linearly.  Where they act on
        more speeds than they are many, they are the solution of least squares, and
        the generalized forces are what they leave.

    Attributes
    ==========

    system : System
        The System.
    coordinates : n_q x 1 Matrix
        The generalized coordinates q, in the order of ``system.q``.
    speeds : n x 1 Matrix
        The generalized speeds u, in the order of ``system.u``.
    accelerations : n x 1 Matrix
        The time derivatives of the speeds.
    constants : tuple of Symbol
        All constants of the model, sorted by name.
    specifieds : tuple of Expr
        All functions of time in the loads that are no coordinate, speed or
        solved load, sorted by name.

    Raises
    ======

    TypeError
        If ``system`` is not a sympy System.
    TopologyError
        If the System is not a tree that stands on ground, or has constraints.
    ValueError
        If a load cannot be assigned to a body, or if the ``solve_for`` symbols
        are not determined.

    Examples
    ========

    A pendulum: a rod of mass m and length l on a pin.

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia
    >>> from jointwrench import InverseDynamics
    >>> m, l, g = symbols("m l g")
    >>> ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
    >>> rod.central_inertia = inertia(rod.frame, m*l**2/12, 0, m*l**2/12)
    >>> system = System.from_newtonian(ground)
    >>> pin = PinJoint("pin", ground, rod, child_point=l/2*rod.y, joint_axis=ground.z)
    >>> system.add_joints(pin)
    >>> system.apply_uniform_gravity(-g*ground.y)
    >>> idyn = InverseDynamics(system)
    >>> idyn.generalized_forces
    Matrix([[g*l*m*sin(q_pin(t))/2 + l**2*m*Derivative(u_pin(t), t)/3]])

    The force on the rod by the pin, in the rod's frame:

    >>> idyn.joint_wrench(pin).force.to_matrix(rod.frame)[1]
    g*m*cos(q_pin(t)) + l*m*u_pin(t)**2/2

    Notes
    =====

    Generalized forces Q are what joints and unmodelled actuators supply:
    ``Fr(known loads) + Q + Fr* = 0`` in Kane's terms.

    See Also
    ========

    jointwrench.models.serial_chain.SerialChain : builds a System.
    """

    def __init__(self, system: System, solve_for: Iterable[Expr] = ()) -> None:
        unknowns = check_symbols(solve_for)
        super().__init__(read_system(system, unknowns), unknowns)

    @classmethod
    def from_kane(
        cls,
        kane: KanesMethod,
        connections: Iterable[Sequence[Any]],
        solve_for: Iterable[Expr] = (),
    ) -> "InverseDynamics":
        """Return the inverse dynamics of a model without joints, made the classical way.

        The user says only who is joined to whom and where; how the bodies move
        relative to each other follows from their frames, points and speeds.

        Parameters
        ==========

        kane : KanesMethod
            With coordinates, speeds, kinematical differential equations, bodies
            and loads.  Its equations need not be formed.
        connections : iterable of (parent, child, point)
            For each body the one that it is joined to, or the inertial
            ReferenceFrame for those joined to ground, and the Point about which
            their joint wrench counts.  `joints` has them as objects, with the
            name of the child; all methods that take a joint take either.  A
            Particle has no frame: its joint wrench has the components of the
            nearest body or frame inwards.
        solve_for : iterable of symbols, optional
            Symbols in the loads that the motion determines.

        Raises
        ======

        TypeError
            If an argument is of another type.
        TopologyError
            If the connections do not make a tree on ground, or if the model has
            constraints.
        ValueError
            If the ``solve_for`` symbols are not determined.

        Examples
        ========

        A bob on a string of length l.

        >>> from sympy import simplify, symbols
        >>> from sympy.physics.mechanics import *
        >>> from jointwrench import InverseDynamics
        >>> q, u = dynamicsymbols("q u")
        >>> m, l, g = symbols("m l g")
        >>> N, A = ReferenceFrame("N"), ReferenceFrame("A")
        >>> A.orient_axis(N, q, N.z)
        >>> A.set_ang_vel(N, u * N.z)
        >>> O = Point("O")
        >>> O.set_vel(N, 0)
        >>> P = O.locatenew("P", -l * A.y)
        >>> _ = P.v2pt_theory(O, N, A)
        >>> bob = Particle("bob", P, m)
        >>> kane = KanesMethod(N, [q], [u], [q.diff() - u], bodies=[bob],
        ...                    forcelist=[(P, -m * g * N.y)])
        >>> idyn = InverseDynamics.from_kane(kane, [(N, bob, O)])
        >>> simplify(idyn.generalized_forces)
        Matrix([[l*m*(g*sin(q(t)) + l*Derivative(u(t), t))]])
        """
        self, unknowns = cls.__new__(cls), check_symbols(solve_for)
        Formulas.__init__(self, read_kane(kane, connections, unknowns), unknowns)
        return self

    def __repr__(self) -> str:
        bodies = ", ".join(body.name for body in self.bodies)
        return f"InverseDynamics(bodies: {bodies}; {len(self.speeds)} speeds)"

    def __copy__(self) -> "InverseDynamics":
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> "InverseDynamics":
        return self  # its joints and bodies are those of the user's model

    # -- programs and code --------------------------------------------------

    def program(self, outputs: str | Iterable[str] = DEFAULT_OUTPUTS) -> Program:
        """Return the operations that compute some outputs, in order.

        Parameters
        ==========

        outputs : str or iterable of str
            Any of ``"generalized_forces"`` (n), ``"joint_wrenches"`` and
            ``"constraint_wrenches"`` (number of joints, 6), ``"solved_loads"``
            (number of ``solve_for`` symbols), ``"mass_matrix"`` (n, n) and
            ``"bias"`` (n).

        Returns
        =======

        Program
            Each operation once, none that the outputs do not need.

        Raises
        ======

        ValueError
            If a name is unknown or given twice, if there is none, or if the System
            was changed after it was read.
        """
        return min(self._programs(_check_names(outputs)), key=Program.cost)

    def _programs(self, names: Sequence[str]) -> list[Program]:
        """Return programs that compute the same."""
        programs = [self._program([self._output(name) for name in names])]
        if list(names) == ["generalized_forces"] and not self._solve_for:
            programs.append(self._program([self._regrouped]))
        return programs

    @cached_property
    def _regrouped(self) -> Output:
        """The generalized forces by way of the base parameters: fewer operations, no wrenches."""
        forces = regrouped_forces(self._derivation)
        return force_output([forces[speed] for speed in self._tree.speeds])

    def count_ops(self, outputs: str | Iterable[str] = DEFAULT_OUTPUTS) -> dict[str, int]:
        """Return the number of operations that some outputs need.

        Parameters
        ==========

        outputs : str or iterable of str
            As for `program`.

        Returns
        =======

        dict
            ``"mul"``, ``"add"``, ``"trig"`` and ``"other"`` for every sample,
            ``"constant"`` once per call.  Changes of sign are not counted.
        """
        return self.program(outputs).count_ops()

    def compile(
        self,
        outputs: str | Iterable[str] = DEFAULT_OUTPUTS,
        constants: Mapping[Symbol, float] | None = None,
        backend: str = "auto",
        threads: int = 1,
    ) -> "Evaluator":
        """Return a function that evaluates a whole batch of samples per call.

        Parameters
        ==========

        outputs : str or iterable of str
            As for `program`.
        constants : dict of Symbol to number, optional
            Constants that become numbers in the code.  The rest are given per
            call.
        backend : {"auto", "c", "numpy"}
            ``"c"``: compiled; ``"numpy"``: slower, without a compiler;
            ``"auto"``: compiled, and numpy with a warning where there is no
            compiler.
        threads : int
            Number of threads among which a batch is split.

        Returns
        =======

        Evaluator
            ``evaluate(q, u, udot, constants={...}, specifieds={...})``.

        Raises
        ======

        TypeError
            If a constant is no real number.
        ValueError
            If an output, a constant or the backend is unknown, an output is given
            twice, or a constant is not finite or makes an output divide by zero; if
            an output has a function that cannot be compiled; if the System was
            changed after it was read.
        CompilationError
            If the compiler fails; with the command and the compiler's words.

        Notes
        =====

        What is compiled is kept in the user's cache folder, or in the folder that
        the environment variable ``JOINTWRENCH_CACHE`` names (``off``: nowhere);
        `jointwrench.clear_cache` empties it.  Nothing is kept in a folder that
        others can write to: such a folder is left alone, and each process compiles
        anew.  The code is made for the processor at hand, by the flags of the
        compiler that are the fastest there (measured once, within about a second),
        unless ``JOINTWRENCH_TUNING=portable`` says otherwise.  The logger
        ``"jointwrench"`` tells at the level INFO what is being done.
        """
        from .codegen import check_fixed_constants, compile_program

        numbers = check_fixed_constants(constants, self.constants)
        program = self._with_numbers(outputs, numbers)
        return compile_program(
            program,
            joints=self.joints,
            loads=self._solve_for,
            assembly=Assembly(self._tree),
            fixed_constants=numbers,
            backend=backend,
            threads=threads,
        )

    def write_c(
        self,
        path: "str | os.PathLike[str]",
        outputs: str | Iterable[str] = DEFAULT_OUTPUTS,
        constants: Mapping[Symbol, float] | None = None,
    ) -> "tuple[Path, Path]":
        """Write C code that needs neither Python nor PyDy, for instance for a controller.

        Parameters
        ==========

        path : str or path
            Where to write the .c file; the .h file goes beside it.  The function
            is named after it: ``arm.c`` has ``arm_evaluate``.
        outputs : str or iterable of str
            As for `program`.
        constants : dict of Symbol to number, optional
            Constants that become numbers in the code.  The rest are arguments.

        Returns
        =======

        tuple of Path
            The .c file and the .h file.  The latter says what the arguments are;
            their values stand in the order of `coordinates`, `speeds`,
            `accelerations`, `constants` (without those that became numbers) and
            `specifieds`.

        Raises
        ======

        TypeError
            If ``path`` is no path.
        ValueError
            If the file's name is no C identifier, if an output or a constant is
            unknown, or if the System was changed after it was read.
        """
        from .codegen import check_c_path, check_fixed_constants, write_c

        checked = check_c_path(path)
        numbers = check_fixed_constants(constants, self.constants)
        return write_c(self._with_numbers(outputs, numbers), checked)

    def _with_numbers(
        self, outputs: str | Iterable[str], numbers: Mapping[Symbol, Expr]
    ) -> Program:
        """Return the cheapest program for some outputs with numbers for some constants."""
        programs = self._programs(_check_names(outputs))
        try:
            return min((program.with_numbers(numbers) for program in programs), key=Program.cost)
        except ZeroDivisionError:
            zeros = ", ".join(str(symbol) for symbol, number in numbers.items() if number == 0)
            raise ValueError(
                f"`constants` must not make the outputs divide by zero, got 0 for {zeros}. "
                "Give it with each call instead, evaluate(..., constants={...}): the outputs are "
                "then infinite or NaN."
            ) from None


def _check_names(outputs: str | Iterable[str]) -> list[str]:
    known = f"names among {', '.join(OUTPUTS)}"
    names = [outputs] if isinstance(outputs, str) else check_sequence("outputs", outputs, known)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"`outputs` must be different {known}, at least one, got {names}.")
    return names
