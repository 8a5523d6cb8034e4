"""`InverseDynamics`: the forces that a motion of a sympy System asks for."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame

from .checks import Body, check_instance, check_sequence
from .derivation import Derivation, derive
from .outputs import OUTPUTS, make_output, wrench_scalars
from .program import Output, Program
from .tree import Tree
from .wrench import Wrench

if TYPE_CHECKING:
    from .codegen import Evaluator

#: What is computed where nothing else is asked for.
DEFAULT_OUTPUTS = ("generalized_forces", "joint_wrenches")


class InverseDynamics:
    """The joint wrenches and generalized forces of a System for any motion.

    Everything is derived once, by the recursive Newton-Euler algorithm, and is
    available both as formulas and as compiled code.

    Parameters
    ==========

    system : System
        Bodies and joints that form a tree on ground.  Its loads and actuators
        are taken as known.  It is read once: later changes to it have no effect.
    solve_for : iterable of symbols, optional
        Symbols in the System's loads (joint torques, the force of a cylinder)
        that the motion determines.  They must enter linearly, and be as many as
        the speeds on which they act.

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

    jointwrench.chain.SerialChain : builds a System.
    """

    def __init__(self, system: System, solve_for: Iterable[Expr] = ()) -> None:
        tree = Tree.from_system(system)
        self._solve_for = _check_unknowns(solve_for)
        self._derivation: Derivation = derive(tree, self._solve_for)
        self._outputs: dict[str, Output] = {}

    # -- the model ----------------------------------------------------------

    @property
    def _tree(self) -> Tree:
        return self._derivation.tree

    @property
    def system(self) -> System:
        """The System."""
        return self._tree.system

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in the order of ``system.joints``."""
        return tuple(self.system.joints)

    @property
    def solve_for(self) -> tuple[Expr, ...]:
        """The load symbols that the motion determines."""
        return self._solve_for

    @property
    def time(self) -> Symbol:
        """The time symbol of the System's coordinates."""
        return self._tree.time

    @property
    def coordinates(self) -> ImmutableDenseMatrix:
        """The generalized coordinates q as a column."""
        return _column(self._tree.coordinates)

    @property
    def speeds(self) -> ImmutableDenseMatrix:
        """The generalized speeds u as a column."""
        return _column(self._tree.speeds)

    @property
    def accelerations(self) -> ImmutableDenseMatrix:
        """The time derivatives of the generalized speeds as a column."""
        return _column(self._tree.accelerations)

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """All constants of the model, sorted by name."""
        return self.inputs["constants"]

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All functions of time that have to be given, sorted by name."""
        return self.inputs["specifieds"]

    @cached_property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of each group of inputs, in their order.

        The groups are ``q, u, udot, constants, specifieds, times``; the last
        holds the time if a load depends on it explicitly.
        """
        tree = self._tree
        known = {*tree.coordinates, *tree.speeds, *tree.accelerations}
        others = sorted(set(self._derivation.inputs) - known, key=str)
        return {
            "q": tree.coordinates,
            "u": tree.speeds,
            "udot": tree.accelerations,
            "constants": tuple(s for s in others if isinstance(s, Symbol) and s != tree.time),
            "specifieds": tuple(s for s in others if not isinstance(s, Symbol)),
            "times": tuple(s for s in others if s == tree.time),
        }

    # -- formulas -----------------------------------------------------------

    def joint_wrench(self, joint: Joint) -> Wrench:
        """Return everything that a joint transmits and no known load accounts for.

        It is constraint reaction plus actuation.

        Parameters
        ==========

        joint : Joint
            A joint of the System, or its name.

        Returns
        =======

        Wrench
            On the child body, by the parent body, about ``joint.child_point``,
            in the child body's frame (for a particle: the child interframe).

        Raises
        ======

        ValueError
            If the joint is not in the System.
        """
        return self._joint_formula("joint_wrenches", joint)

    def constraint_wrench(self, joint: Joint) -> Wrench:
        """Return the part of the joint wrench that the joint's constraint supplies.

        It is the joint wrench without its components along the joint's free
        directions, which an actuator would supply: for a pin without the moment
        about the axis, for a slider without the force along it.  It does no
        work on any motion that the joint allows.

        Parameters
        ==========

        joint : Joint
            A joint of the System, or its name.

        Returns
        =======

        Wrench
            On the child body, by the parent body, about ``joint.child_point``,
            in the child body's frame.

        Raises
        ======

        ValueError
            If the joint is not in the System, or if one of its speeds turns and
            shifts the child at once (a screw), which leaves the split open.
        """
        return self._joint_formula("constraint_wrenches", joint)

    def _joint_formula(self, output: str, joint: Joint) -> Wrench:
        index = self._joint_index(joint)
        link = self._tree.links[self._tree.index_of_joint[self.joints[index]]]
        inner, outer = link.sides
        child = inner if link.is_reversed else outer
        scalars = self._output(output).refs[6 * index : 6 * index + 6]
        components = self._derivation.graph.to_sympy(scalars)
        return _wrench(child.point, child.frame, components)

    @cached_property
    def generalized_forces(self) -> ImmutableDenseMatrix:
        """The generalized forces Q as formulas, n x 1, in the order of ``speeds``.

        Positive along the speed; what joints and unmodelled actuators supply,
        ``Fr(known loads) + Q + Fr* = 0``.
        """
        return self.program("generalized_forces").closed_form("generalized_forces")

    def dynamic_wrench(self, body: Body) -> Wrench:
        """Return the rate of change of a body's momentum in the inertial frame.

        Parameters
        ==========

        body : RigidBody or Particle
            A body of the System.

        Returns
        =======

        Wrench
            Force ``m a`` and moment ``I al + w x I w`` of the body, about its
            mass centre, in its frame (for a particle: its joint's interframe).

        Raises
        ======

        ValueError
            If the body is not in the System.
        """
        indices = self._tree.index_of_body
        if body not in indices:
            known = ", ".join(b.name for b in indices)
            raise ValueError(f"`body` must be one of the system's bodies {known}, got {body!r}.")
        index = indices[body]
        if index is None:
            return Wrench(body.masscenter)
        wrench = self._derivation.dynamic_wrenches[index]
        components = self._derivation.graph.to_sympy([s.ref for s in wrench_scalars(wrench)])
        return _wrench(body.masscenter, self._tree.links[index].frame, components)

    @cached_property
    def solved_loads(self) -> dict[Expr, Expr]:
        """The value of each ``solve_for`` symbol as a formula."""
        refs = self._output("solved_loads").refs
        values = self._derivation.graph.to_sympy(refs)
        return dict(zip(self._solve_for, values, strict=True))

    # -- programs and code --------------------------------------------------

    def program(self, outputs: str | Iterable[str] = DEFAULT_OUTPUTS) -> Program:
        """Return the operations that compute some outputs, in order.

        Parameters
        ==========

        outputs : str or iterable of str
            Any of ``"generalized_forces"`` (n), ``"joint_wrenches"`` and
            ``"constraint_wrenches"`` (number of joints, 6), ``"solved_loads"``
            (number of ``solve_for`` symbols).

        Returns
        =======

        Program
            Each operation once, none that the outputs do not need.

        Raises
        ======

        ValueError
            If a name is unknown.
        """
        names = (
            [outputs]
            if isinstance(outputs, str)
            else check_sequence("outputs", outputs, f"names among {', '.join(OUTPUTS)}")
        )
        return Program(self._derivation.graph, [self._output(n) for n in names], self.inputs)

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

        ValueError
            If an output, a constant or the backend is unknown.
        CompilationError
            If the compiler fails; with the command and the compiler's words.
        """
        from .codegen import check_fixed_constants, compile_program

        numbers = check_fixed_constants(constants or {}, self.constants)
        program = self.program(outputs).with_numbers(numbers)
        return compile_program(
            program,
            joints=self.joints,
            loads=self._solve_for,
            fixed_constants=numbers,
            backend=backend,
            threads=threads,
        )

    # -- outputs --------------------------------------------------------------

    def _joint_index(self, joint: Joint | str) -> int:
        for index, known in enumerate(self.joints):
            if joint is known or joint == known.name:
                return index
        names = ", ".join(known.name for known in self.joints)
        raise ValueError(f"`joint` must be one of the system's joints {names}, got {joint!r}.")

    def _output(self, name: str) -> Output:
        if name not in self._outputs:
            self._outputs[name] = make_output(self._derivation, name)
        return self._outputs[name]


def _check_unknowns(solve_for: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the unknowns as a tuple of different symbols."""
    unknowns = check_sequence("solve_for", solve_for, "an iterable of symbols")
    for unknown in unknowns:
        check_instance(
            "solve_for",
            unknown,
            (Symbol, AppliedUndef),
            "an iterable of symbols or functions of time",
            "Use for instance chain.actuation.",
        )
    if len(set(unknowns)) < len(unknowns):
        raise ValueError(f"`solve_for` must name each symbol once, got {unknowns}.")
    return tuple(unknowns)


def _column(entries: Iterable[Expr]) -> ImmutableDenseMatrix:
    entries = list(entries)
    return ImmutableDenseMatrix(len(entries), 1, entries)


def _wrench(point: Point, frame: ReferenceFrame, components: list[Expr]) -> Wrench:
    """Return a Wrench with six components, force first."""
    return Wrench.from_matrix(ImmutableDenseMatrix(components), frame, point)
