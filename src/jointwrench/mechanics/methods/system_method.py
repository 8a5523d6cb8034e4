"""`SystemMethod`: the base of InverseDynamics, ForwardDynamics and Kinematics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, System
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import ReferenceFrame

from ... import hints
from ...checks.display import Grid, NotebookTable, facts, listing, plural
from ...checks.numbers import check_bool
from ..arithmetic.program import Program
from ..dynamics.derivation import Derivation
from ..evaluation.model import CompileRequest, Model
from ..mechanism.deduced_structure import KaneModel, Triples
from ..sympy_objects import Body

M = TypeVar("M", bound="SystemMethod")
N = TypeVar("N", bound=str)  # the names of a method's outputs
T = TypeVar("T")


class unchanged_property(cached_property[T]):  # noqa: N801 (it is written as a decorator)
    """A cached property that raises an error if the model has changed since it was read."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            instance.check_unchanged()
        return super().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"`{self.attrname}` must not be set: it follows from the model.")


class SystemMethod(NotebookTable, Generic[N]):
    """The base of a System's derivation: symbols, formulas, programs and compiled code."""

    #: The default outputs of `compile`, and of `write_c` and `write_casadi`.
    default_outputs: ClassVar[tuple[str, ...]]
    written_outputs: ClassVar[tuple[str, ...]]

    #: The model in the form that other parts of the package use; internal.
    model: Model

    @classmethod
    def from_kane(
        cls: type[M],
        kane: KanesMethod | LagrangesMethod,
        connections: Iterable[Sequence[Any]] | None = None,
        *args: Any,
        rates: Mapping[Expr, Any] | None = None,
        **options: Any,
    ) -> M:
        """Return an object for a KanesMethod or a LagrangesMethod, whose bodies have no joints.

        The connections of the bodies are deduced from their points and frames; `connections` and
        the representation show them.  How they move relative to each other follows
        from their frames, points and speeds.

        Parameters
        ==========

        kane : KanesMethod or LagrangesMethod
            With coordinates, speeds, kinematical differential equations, bodies
            and loads.  Its equations need not be formed.  The speeds of a LagrangesMethod are the
            derivatives of its coordinates.  It needs a frame and must have no constraints, and its
            Lagrangian must be that of the bodies without potential energies: a Lagrangian does not
            say where forces act, so weights are loads.
        connections : iterable of (parent, child, point), optional
            What is joined to what, instead of what follows from the model by the rules of the page
            *Models without joints*: for each body its parent, or the inertial ReferenceFrame for
            bodies joined to ground, and the Point about which their joint wrench is taken.
            `joints` has them as objects, with the name of the child; methods take either.  A
            Particle has no frame: its joint wrench has the components of the nearest body or frame
            towards ground.  Bodies that are fixed in another one, ground and hubs without mass need
            no connection, and several of one name get a number: ``"bob #2"``.  If the frame of a
            body of revolution has an angular velocity but no orientation, components are in the
            frame of its inertia.
        rates : mapping of Derivative to expression, optional
            Rates of functions of time that are neither coordinates nor speeds, if the velocities of
            the model contain these expressions instead: ``{T.diff(): 1}`` for a function ``T`` that
            stands for the time.
        *args, **options
            Those of the class, in their order and by their names.  The constraints and the
            dependent speeds are those of the KanesMethod; ``loops`` are, unless they are given,
            the points of which its constraints say that they meet, roll or do not slip.  The
            inertial frame stands for ground in ``owners``.  A Particle that owns a frame there
            turns with it, and its joint wrench has components in it.

        Raises
        ======

        TypeError, TopologyError, ValueError
            As for a System; if the connections do not form a tree on ground; if there are no
            bodies.  What the model leaves open is an error for joint wrenches alone.

        See Also
        ========

        Connection : A connection as an object.

        Warns
        =====

        UserWarning
            For joint wrenches that depend on a choice which others could make.

        Notes
        =====

        A force at the mass centre of one body acts on that body, a torque on the frame of a
        massless rod on the rod's particle.

        Velocities that contradict the positions are an error; they are compared at a random state
        at which the model's constraints hold.  A rigid body may rotate about a point at rest that
        changes at each instant (rolling).

        Velocities into which constraints were substituted are valid only where these hold.  The
        forces of such constraints, as of rolling without constraint equations, are not among the
        multipliers, but in the wrench of the connection with these velocities, and act on its
        child.  To get the wrench of a wheel's axle, connect ground to the rolling wheel, not to the
        frame that holds it.

        Velocity constraints should be given in speeds.  In those with derivatives of coordinates
        KanesMethod substitutes its own solution of the kinematical differential equations, whose
        divisors may vanish in regular poses.

        Examples
        ========

        A bob on a string of length l.

        >>> from sympy import simplify, symbols
        >>> from sympy.physics.mechanics import *
        >>> import jointwrench as jw
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
        >>> idyn = jw.InverseDynamics.from_kane(kane)
        >>> idyn
        InverseDynamics(bodies: bob; 1 speed; deduced: bob on N at O)
        >>> idyn.connections
        [(N, bob, O)]
        >>> simplify(idyn.generalized_forces)
        Matrix([[l*m*(g*sin(q(t)) + l*Derivative(u(t), t))]])
        """
        make: Any = cls
        return make(KaneModel(kane, connections, stated=rates), *args, **options)

    def __repr__(self) -> str:
        bodies = ", ".join(body.name for body in self.bodies)
        summary = "".join(f"; {what}: {text}" for what, text in self._deduced.items() if text)
        count = plural(len(self.speeds), "speeds")
        return f"{type(self).__name__}(bodies: {bodies}; {count}{summary})"

    def _grid(self) -> Grid:
        names = ("bodies", "joints", "loops", "coordinates", "speeds", "constants", "specifieds")
        values = {name: listing(getattr(self, name)) for name in names}
        values |= {"solve_for": listing(self.model.request.solve_for), **self._deduced}
        return facts(type(self).__name__, **values)

    @property
    def _deduced(self) -> dict[str, str]:
        deduced = self.model.tree.deduced
        return deduced.summary if deduced else {}

    @property
    def _derivation(self) -> Derivation:  # what `exclusive` locks
        return self.model.derivation

    def __copy__(self: M) -> M:
        return self  # nothing of it changes

    def __deepcopy__(self: M, memo: dict[int, Any]) -> M:
        return self  # its joints and bodies are those of the user's model

    def check_unchanged(self) -> None:
        """Raise a ValueError that names the changes, if the System was changed."""
        self.model.tree.fingerprint.check()

    @property
    def system(self) -> System | None:
        """The System; None for a model that was made from a KanesMethod."""
        return self.model.tree.system

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joints, in the order of ``system.joints`` (or of the connections)."""
        return self.model.tree.joints

    @property
    def connections(self) -> Triples:
        """(parent, child, point) of each joint: what `from_kane` was given, or deduced.

        See Also
        ========

        InverseDynamics.from_kane : Takes them, for instance with one of them changed.
        """
        return Triples((joint.parent, joint.child, joint.child_point) for joint in self.joints)

    @property
    def loops(self) -> tuple[hints.LoopConnection, ...]:
        """The loop joints and contacts; their wrenches come after those of the tree's joints."""
        return self.model.tree.all_joints[len(self.joints) :]

    @property
    def time(self) -> Symbol:
        """The time symbol of the System's coordinates."""
        return self.model.tree.time

    @property
    def frame(self) -> ReferenceFrame:
        """The inertial frame."""
        return self.model.tree.frame

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies that move, from ground outwards."""
        return tuple(link.body for link in self.model.tree.links)

    @property
    def loads(self) -> tuple[LoadBase, ...]:
        """All known loads as sympy's Force and Torque, including loads of actuators."""
        return self.model.tree.loads

    @property
    def coordinates(self) -> ImmutableDenseMatrix:
        """The generalized coordinates q as a column."""
        return _column(self.model.tree.coordinates)

    @property
    def speeds(self) -> ImmutableDenseMatrix:
        """The generalized speeds u as a column."""
        return _column(self.model.tree.speeds)

    @property
    def accelerations(self) -> ImmutableDenseMatrix:
        """The time derivatives of the generalized speeds as a column."""
        return _column(self.model.tree.accelerations)

    @property
    def q(self) -> ImmutableDenseMatrix:
        """The generalized coordinates as a column, by sympy's name; see `coordinates`."""
        return self.coordinates

    @property
    def u(self) -> ImmutableDenseMatrix:
        """The generalized speeds as a column, by sympy's name; see `speeds`."""
        return self.speeds

    @property
    def holonomic_constraints(self) -> ImmutableDenseMatrix:
        """The residuals of position constraints as a column: of the model, or else of the loops."""
        own = self.model.tree.constraints
        of_loops = (x for loop in self.loops for x in loop.holonomic_constraints)
        return _column(own.position if own.velocity else of_loops)

    @property
    def nonholonomic_constraints(self) -> ImmutableDenseMatrix:
        """The residuals of velocity constraints that are not rates of position constraints.

        They are a column.  As sympy has it, the model's velocity constraints begin with the rates
        of its position constraints.
        """
        own = self.model.tree.constraints
        loops = (loop for loop in self.loops if not loop.holonomic_constraints)
        of_loops = (x for loop in loops for x in loop.velocity_constraints)
        return _column(own.velocity[len(own.position) :] if own.velocity else of_loops)

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """All constants of the model, sorted by name."""
        return self.model.constants

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All specified functions of time, sorted by name."""
        return self.model.specifieds

    @property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of ``q, u, udot, constants, specifieds, times``, in their order.

        The last has the time if a load depends on it explicitly.
        """
        return self.model.inputs

    # -- programs and code --------------------------------------------------

    def derivative(self, output: str, wrt: str | Expr) -> ImmutableDenseMatrix:
        """Return the partial derivatives of an output with respect to inputs as formulas.

        ``output`` is as for `program`; ``wrt`` a group of inputs, ``"q"``, ``"u"``, ``"udot"``,
        ``"constants"`` or ``"specifieds"``, or a symbol.  The matrix has a row for each entry of
        the output, those of matrices row by row, and a column for each input.

        Raises
        ======

        ValueError
            If a name or symbol is unknown.

        See Also
        ========

        InverseDynamics.compile : In numbers, with ``derivatives=``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> jw.InverseDynamics(chain.system).derivative("generalized_forces", "q")
        Matrix([[-4.905*l_0*m_0*cos(q_0(t))]])
        """
        return self.model.outputs.derivative(output, wrt)

    def hessian(
        self, output: str, weights: Iterable[Any], wrt: str | Expr | Iterable[Any]
    ) -> ImmutableDenseMatrix:
        """Return the second derivatives of the weighted sum of an output's entries as formulas.

        ``output`` is as for `program`; ``weights`` are expressions or numbers, one for each of its
        entries, those of matrices row by row; ``wrt`` is as for `derivative`, or several of these.
        The matrix is symmetric, with a row and a column for each input in the order of ``wrt``.

        Raises
        ======

        TypeError, ValueError
            As for `derivative`; if the number of weights is wrong, or an entry is undetermined.

        See Also
        ========

        HessianEvaluator : In numbers.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> idyn.hessian("generalized_forces", [2], "q")
        Matrix([[9.81*l_0*m_0*sin(q_0(t))]])
        """
        return self.model.outputs.hessian(output, weights, wrt)

    def program(self, outputs: hints.RequestedOutputs[N] | None = None) -> Program:
        """Return the operations that compute some outputs, in order.

        Each needed operation occurs once.  ``outputs`` is one or several of the names on the page
        *Outputs*, or a `DeclaredOutput` of your own.  Default: the first one there.

        Raises
        ======

        ValueError
            If a name is unknown or given twice, if there is none, or the System changed since.

        See Also
        ========

        InverseDynamics.compile : Compiles it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> idyn.program("bias")
        Program(bias: (1,); 5 assignments)
        """
        return self.model.program(self._named(outputs))

    def count_ops(self, outputs: hints.RequestedOutputs[N] | None = None) -> dict[str, int]:
        """Return the number of operations for ``outputs``, which are as for `program`.

        They are ``"mul"``, ``"add"``, ``"trig"`` and ``"other"`` for every sample, ``"constant"``
        once per call.  Changes of sign are not counted.

        See Also
        ========

        InverseDynamics.compile : Compiles them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> idyn.count_ops("generalized_forces")
        {'mul': 3, 'add': 1, 'trig': 1, 'other': 0, 'constant': 4}
        """
        return self.program(outputs).count_ops()

    def compile(
        self,
        outputs: hints.RequestedOutputs[N] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        backend: Literal["auto", "c", "numpy", "pydy"] = "auto",
        threads: int = 1,
        derivatives: Iterable[Any] = (),
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
    ) -> hints.Evaluator:
        """Return a function that evaluates a whole batch of samples per call.

        Parameters
        ==========

        outputs : str or DeclaredOutput, or iterable of these
            As for `program`.
        constants : dict of Symbol or name to number, optional
            Constants that become numbers in the code.  The others are given per call.
        backend : {"auto", "c", "numpy", "pydy"}
            ``"c"``: compiled; ``"numpy"``: slower; ``"auto"``: compiled, or numpy with a warning if
            there is no compiler or it fails; ``"pydy"``: C written by PyDy's ``CMatrixGenerator``,
            slower, to check the C of ``"c"``.
        threads : int
            Number of threads among which a batch is split, at most 32768.
        derivatives : iterable of str or Expr, optional
            The inputs with respect to which all outputs are also differentiated: groups among
            ``"q"``, ``"u"``, ``"udot"``, ``"constants"`` and ``"specifieds"``, or symbols.
            `Result.derivative` returns the derivatives.
        second_derivatives : iterable of str or Expr, optional
            The inputs, as for ``derivatives``, with respect to which the weighted sum of all
            outputs is differentiated twice; it is computed instead of the outputs.
        sparse : bool
            Whether derivatives and regressors are computed and stored without the entries that are
            zero for all inputs.  `Result.derivative` and attributes make full arrays on access;
            `Result.packed` and ``derivative(..., sparse=True)`` return the stored entries.

        Returns
        =======

        Evaluator
            ``evaluate(q, u, udot, constants={...}, specifieds={...})``; with
            ``second_derivatives`` a `HessianEvaluator`, which takes ``weights``, too.

        Raises
        ======

        TypeError, ValueError
            If an output, a constant or the backend is unknown, an output is given twice, or a
            constant is not a finite number or makes an output divide by zero; if an output has a
            function that cannot be compiled; if second derivatives are requested for undetermined
            outputs, or together with first ones; if the System was changed after it was read.
        CompilationError
            If the backend is ``"c"`` or ``"pydy"`` and there is no compiler, or it fails or exceeds
            its time; by the first call if it does so for this code alone.

        See Also
        ========

        InverseDynamics.write_c : C code without Python.
        Evaluator, Result : The returned function, and its results.

        Notes
        =====

        The C compiler works at the first call with one sample, and at the first with several, each
        for a kernel of their own.  Compiled code is stored in the user's cache folder, or in the
        folder in the environment variable ``JOINTWRENCH_CACHE`` (``off``: nowhere);
        `jointwrench.clear_cache` empties it.  The page on security explains what is trusted, and
        how long a compiler may take (``JOINTWRENCH_TIMEOUT``).  The code is for this machine's
        processor, with the compiler flags that are the fastest there (measured once, within about a
        second) and give numpy's numbers, unless ``JOINTWRENCH_TUNING=portable``.  The logger
        ``"jointwrench"`` reports progress at the level INFO.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> evaluate = idyn.compile(["generalized_forces", "mass_matrix"])
        >>> evaluate([0], [0], [0], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}).mass_matrix
        array([[0.165]])
        """
        request = self._named(outputs), constants, derivatives, second_derivatives, sparse
        return self.model.compile(CompileRequest(*request), backend, threads)

    def write_c(
        self,
        path: str | os.PathLike[str],
        outputs: hints.RequestedOutputs[N] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        derivatives: Iterable[Any] = (),
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
        lanes: int = 8,
        precision: Literal["double", "float"] = "double",
        signature: Literal["named", "fixed"] = "named",
    ) -> tuple[Path, Path]:
        """Write C code that needs neither Python nor PyDy, for instance for a controller.

        The paths of the .c file and of the .h file are returned.  The .h file describes every entry
        of every argument: joints, coordinates and points by name, with SI units if the kinds of
        joints determine them.

        Parameters
        ==========

        path : str or path
            The .c file; the .h file is written beside it.  The function is named after it:
            ``arm.c`` has ``arm_evaluate``.
        outputs, constants, derivatives, second_derivatives, sparse : optional
            As for `compile`; other constants are arguments.  Derivatives are further arrays after
            the outputs, in their order, shape (shape of the output, size of wrt).  With second
            ones, weights are the last argument, and the arrays are the weighted sum, its gradient
            and the nonzeros of its Hessian's lower triangle, whose positions `HessianEvaluator`
            has.
        lanes : {8, 1}
            8: the function evaluates batches, eight samples at a time; 1: it evaluates
            one sample, the fewest operations for a controller.
        precision : {"double", "float"}
            The type of all numbers.
        signature : {"named", "fixed"}
            "fixed": there is a second function, ``arm_call`` for ``arm.c``, whose arguments are the
            same for all outputs and models: arrays of pointers to the inputs and to the outputs, in
            the order of the first function, with the widths ``ARM_INPUT_WIDTHS`` and
            ``ARM_OUTPUT_WIDTHS``.

        Raises
        ======

        FileNotFoundError, TypeError, ValueError
            If the folder does not exist, ``path`` is not a path, or its name not a C identifier; as
            for `compile`.

        See Also
        ========

        InverseDynamics.compile : For Python.
        InverseDynamics.write_casadi : For CasADi.

        Notes
        =====

        The C code needs only ``math.h``, has ``extern "C"`` for C++, allocates no memory and has no
        state: the caller owns the ``workspace``, whose size the header defines, and calls with
        different workspaces may run at once.  No loop and no branch depends on data, except the
        sines of angles beyond 1.6e6 (and those of `float`), which the C library computes: all calls
        take the same time. ``float`` is for processors without double precision; its results are
        accurate to some 1e-4 of the largest ones.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = idyn.write_c(f"{folder}/arm.c", "generalized_forces", lanes=1)
        >>> [path.name for path in files]
        ['arm.c', 'arm.h']
        """
        from ..codegen.text.export import check_c_path, write_c
        from ..codegen.text.header import Legend
        from .header_legend import joint_units

        checked, names = check_c_path(path), self._written(outputs)
        request = CompileRequest(names, constants, derivatives, second_derivatives, sparse)
        program, legend = self.model.program_of(request)[1], joint_units(self.model.tree.all_joints)
        return write_c(program, checked, lanes, precision, Legend(self._legend, legend), signature)

    def write_casadi(
        self,
        path: str | os.PathLike[str],
        outputs: hints.RequestedOutputs[N] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        second_derivatives: bool = False,
    ) -> tuple[Path]:
        """Write one C file for `casadi.external`: outputs and their full sparse Jacobian.

        Its path is returned, in a tuple.

        Parameters
        ==========

        path : str or path
            The .c file, which explains how to compile and load it: ``casadi.Importer("arm.c",
            "shell")`` does both.
        outputs, constants : optional
            As for `compile`; other constants are an input, with derivatives like the others.
        second_derivatives : bool
            Whether to write exact second derivatives: the adjoint of the function, ``adj1_arm``,
            with its sparse Jacobian.

        Raises
        ======

        FileNotFoundError, TypeError, ValueError
            As for `write_c`.

        See Also
        ========

        InverseDynamics.write_c : C code alone.

        Notes
        =====

        The inputs are q, u, udot, constants, specifieds and times, as columns; those without
        entries are left out.  The outputs have their names; those of three axes have the last two
        as columns. With second derivatives CasADi gives IPOPT the exact Hessian of the Lagrangian,
        in which the multipliers weigh the outputs; without them let IPOPT approximate it,
        ``hessian_approximation="limited-memory"``.  Second derivatives at corners are those beside
        them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (path,) = idyn.write_casadi(f"{folder}/arm.c", "generalized_forces")
        >>> path.name
        'arm.c'
        """
        from ..codegen.text.export import check_casadi_path, write_casadi

        checked = check_casadi_path(path)
        check_bool("second_derivatives", second_derivatives)
        names = self._written(outputs)
        groups = [name for name, symbols in self.model.inputs.items() if symbols]
        numbers, program, _ = self.model.program_of(CompileRequest(names, constants, groups))
        own = [output.name for output in program.outputs if output.wrt is None]
        adjoint = self.model.outputs.adjoint(own, numbers) if second_derivatives else None
        return write_casadi(program, checked, adjoint)

    @property
    def _legend(self) -> dict[str, Sequence[Any]]:
        """The names of outputs' entries, for the header of C code."""
        joints = [joint.name for joint in self.model.tree.all_joints]
        return {"joints": joints, "solved loads": self.model.request.solve_for}

    def _written(self, outputs: Any) -> str | Iterable[str]:
        return self.written_outputs if outputs is None else self._named(outputs)

    def _named(self, outputs: Any) -> str | Iterable[str]:
        """Return the names of outputs; the user's own outputs may be names or objects."""
        if outputs is None:
            return self.default_outputs
        declared = {id(x): x.name for x in self.model.outputs.declared}
        if id(outputs) in declared:
            return declared[id(outputs)]
        is_sequence = isinstance(outputs, Iterable) and not isinstance(outputs, str)
        return [declared.get(id(x), x) for x in outputs] if is_sequence else outputs


def _column(entries: Iterable[Expr]) -> ImmutableDenseMatrix:
    entries = list(entries)
    return ImmutableDenseMatrix(len(entries), 1, entries)
