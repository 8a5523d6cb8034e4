"""`InverseDynamics`: the forces that a motion of a sympy System asks for."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame

from .base_parameters import regrouped_forces
from .checks import Body, check_instance, check_sequence
from .contributions import motion_parts, observed_parts, supplied_parts
from .derivation import Derivation, derive
from .kane_reader import read_kane
from .mass_distribution import check_mass_distribution
from .newton_euler import BodyWrench
from .observer import ObserverFrame
from .outputs import OUTPUTS, make_output, on_child, wrench_scalars
from .pickling import deep_dumps, restore
from .program import Output, Program
from .system_reader import read_system
from .tree import Tree
from .wrench import Wrench

if TYPE_CHECKING:
    import os
    from pathlib import Path

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
        self._set_up(read_system(system), solve_for)

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
            name of the child; all methods that take a joint take either.
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
        self = cls.__new__(cls)
        self._set_up(read_kane(kane, connections), solve_for)
        return self

    def _set_up(self, tree: Tree, solve_for: Iterable[Expr]) -> None:
        self._solve_for = _check_unknowns(solve_for)
        self._derivation: Derivation = derive(tree, self._solve_for)
        check_mass_distribution(self._derivation)
        self._outputs: dict[str, Output] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self), deep_dumps(self.__dict__))

    # -- the model ----------------------------------------------------------

    @property
    def _tree(self) -> Tree:
        return self._derivation.tree

    @property
    def system(self) -> System | None:
        """The System; None for a model that was made from a KanesMethod."""
        return self._tree.system

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joints, in the order of ``system.joints`` (or of the connections)."""
        return self._tree.joints

    @property
    def solve_for(self) -> tuple[Expr, ...]:
        """The load symbols that the motion determines."""
        return self._solve_for

    @property
    def time(self) -> Symbol:
        """The time symbol of the System's coordinates."""
        return self._tree.time

    @property
    def frame(self) -> ReferenceFrame:
        """The inertial frame."""
        return self._tree.frame

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies that move, from ground outwards."""
        return tuple(link.body for link in self._tree.links)

    @property
    def loads(self) -> tuple[LoadBase, ...]:
        """All known loads as sympy's Force and Torque, those of actuators included."""
        return self._tree.loads

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
        scalars = self._output(output).refs[6 * index : 6 * index + 6]
        components = self._derivation.graph.to_sympy(scalars)
        return _wrench(link.joint.child_point, link.child_frame, components)

    @cached_property
    def generalized_forces(self) -> ImmutableDenseMatrix:
        """The generalized forces Q as formulas, n x 1, in the order of ``speeds``.

        Positive along the speed; what joints and unmodelled actuators supply,
        ``Fr(known loads) + Q + Fr* = 0``.
        """
        output = self._output("generalized_forces")
        return self._program([output]).closed_form(output.name)

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

    def contributions(
        self, joint: Joint, observer: ObserverFrame | None = None
    ) -> dict[str, Wrench]:
        """Return where a joint wrench comes from: parts that sum to the joint wrench.

        Parameters
        ==========

        joint : Joint
            A joint of the System, or its name.
        observer : ObserverFrame, optional
            Who looks at the motion of the body beyond the joint.

        Returns
        =======

        dict of str to Wrench
            What the joint supplies on the child body, by the parent body, about
            ``joint.child_point``: ``"gravity"`` to balance the weight of the body
            beyond the joint, ``"acceleration"`` and ``"velocity"`` to change its
            momentum (the latter is the Coriolis and centrifugal part),
            ``"load on ..."`` to balance each known load on it, and
            ``"joint ..."`` for each joint that leads farther outwards.

            With an observer, ``"observed"`` (the dynamic wrench that the
            observer sees), ``"d'Alembert"``, ``"Euler"``, ``"centrifugal"`` and
            ``"Coriolis"`` (what balances these fictitious wrenches) take the
            place of acceleration and velocity.

        Raises
        ======

        TypeError
            If ``observer`` is no ObserverFrame.
        ValueError
            If the joint is not in the System.

        Notes
        =====

        Gravity counts as a load where not every body with mass has it.

        Examples
        ========

        >>> from jointwrench import InverseDynamics, SerialChain
        >>> chain = SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> parts = InverseDynamics(chain.system).contributions(chain.joints[0])
        >>> parts["gravity"].moment
        - 4.905*l_0*m_0*sin(q_0(t))*S_0.z
        >>> parts["acceleration"].moment
        (I_0 + l_0**2*m_0/4)*Derivative(u_0(t), t)*S_0.z
        >>> parts["velocity"].moment
        0
        """
        known = self.joints[self._joint_index(joint)]
        index = self._tree.index_of_joint[known]
        supplied = supplied_parts(self._derivation, index)
        if observer is None:
            motion = motion_parts(self._derivation, index)
            return self._wrenches_of(known, supplied[:1] + motion + supplied[1:])
        check_instance("observer", observer, ObserverFrame, "an ObserverFrame")
        parts = self._wrenches_of(known, supplied)
        seen = observed_parts(self._derivation, index, observer)
        return {"gravity": parts.pop("gravity"), **seen, **parts}

    def _wrenches_of(
        self, joint: Any, parts: Iterable[tuple[str, BodyWrench]]
    ) -> dict[str, Wrench]:
        """Return wrenches on a joint's link as Wrenches on its child, by unique names."""
        index = self._tree.index_of_joint[joint]
        frame = self._tree.links[index].child_frame
        wrenches: dict[str, Wrench] = {}
        for name, part in parts:
            scalars = wrench_scalars(on_child(self._derivation, index, part))
            components = self._derivation.graph.to_sympy([scalar.ref for scalar in scalars])
            count = sum(known.split(" #")[0] == name for known in wrenches)
            unique = f"{name} #{count + 1}" if count else name
            wrenches[unique] = _wrench(joint.child_point, frame, components)
        return wrenches

    @cached_property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix as formulas, n x n: ``Q = mass_matrix * udot + bias``."""
        return self.program("mass_matrix").closed_form("mass_matrix")

    @cached_property
    def bias(self) -> ImmutableDenseMatrix:
        """The generalized forces without accelerations as formulas, n x 1.

        They hold the velocity terms (Coriolis and centrifugal), gravity and all
        other known loads: ``Q = mass_matrix * udot + bias``.
        """
        return self.program("bias").closed_form("bias")

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
            (number of ``solve_for`` symbols), ``"mass_matrix"`` (n, n) and
            ``"bias"`` (n).

        Returns
        =======

        Program
            Each operation once, none that the outputs do not need.

        Raises
        ======

        ValueError
            If a name is unknown.
        """
        return min(self._programs(_check_names(outputs)), key=Program.cost)

    def _programs(self, names: Sequence[str]) -> list[Program]:
        """Return programs that compute the same."""
        programs = [self._program([self._output(name) for name in names])]
        if list(names) == ["generalized_forces"] and not self._solve_for:
            programs.append(self._program([self._regrouped]))
        return programs

    def _program(self, outputs: Sequence[Output]) -> Program:
        return Program(self._derivation.graph, outputs, self.inputs)

    @cached_property
    def _regrouped(self) -> Output:
        """The generalized forces by way of the base parameters: fewer operations, no wrenches."""
        forces = regrouped_forces(self._derivation)
        scalars = [forces[speed] for speed in self._tree.speeds]
        return Output.from_scalars("generalized_forces", (len(scalars),), scalars)

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

        Notes
        =====

        What is compiled is kept in the user's cache folder, or in the folder that
        the environment variable ``JOINTWRENCH_CACHE`` names (``off``: nowhere);
        `jointwrench.clear_cache` empties it.  The code is made for the processor
        at hand, unless ``JOINTWRENCH_TUNING=portable`` says otherwise.
        """
        from .codegen import check_fixed_constants, compile_program

        numbers = check_fixed_constants(constants or {}, self.constants)
        program = self._with_numbers(outputs, numbers)
        return compile_program(
            program,
            joints=self.joints,
            loads=self._solve_for,
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
            If the file's name is no C identifier, or if an output or a constant
            is unknown.
        """
        from .codegen import check_c_path, check_fixed_constants, write_c

        checked = check_c_path(path)
        numbers = check_fixed_constants(constants or {}, self.constants)
        return write_c(self._with_numbers(outputs, numbers), checked)

    def _with_numbers(
        self, outputs: str | Iterable[str], numbers: Mapping[Symbol, Expr]
    ) -> Program:
        """Return the cheapest program for some outputs with numbers for some constants."""
        programs = self._programs(_check_names(outputs))
        return min((program.with_numbers(numbers) for program in programs), key=Program.cost)

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


def _check_names(outputs: str | Iterable[str]) -> list[str]:
    if isinstance(outputs, str):
        return [outputs]
    return check_sequence("outputs", outputs, f"names among {', '.join(OUTPUTS)}")


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
