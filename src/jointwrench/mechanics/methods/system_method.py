"""`SystemMethod`: what all that is asked of a sympy System has in common."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.physics.mechanics import KanesMethod, System
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import ReferenceFrame

from ...checks.display import Grid, NotebookTable, facts, listed
from ...checks.numbers import check_bool
from ..arithmetic.program import Program
from ..evaluation.model import Model
from ..mechanism.reading.kane_reader import KaneModel
from ..models.contact import Contact
from ..models.loop_joint import LoopJoint
from ..sympy_objects import Body

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..evaluation.evaluator import Evaluator

M = TypeVar("M", bound="SystemMethod")
T = TypeVar("T")


class as_read(cached_property[T]):  # noqa: N801 (it is written as a decorator)
    """A property that is computed once, and refused when the model has changed since."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            instance.check_unchanged()
        return super().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"`{self.attrname}` follows from the model and cannot be set.")


class SystemMethod(NotebookTable):
    """A System that was read and derived once: its symbols, formulas, programs and code."""

    #: What is computed, and what is written as C, where nothing else is asked for.
    default_outputs: ClassVar[tuple[str, ...]]
    written_outputs: ClassVar[tuple[str, ...]]

    #: What the parts of this package ask each other for.
    model: Model

    @classmethod
    def from_kane(
        cls: type[M],
        kane: KanesMethod,
        connections: Iterable[Sequence[Any]],
        *args: Any,
        **options: Any,
    ) -> M:
        """Return the same of a model without joints, made the classical way.

        The user says only who is joined to whom and where; how the bodies move
        relative to each other follows from their frames, points and speeds.

        Parameters
        ==========

        kane : KanesMethod
            With coordinates, speeds, kinematical differential equations, bodies
            and loads.  Its equations need not be formed.
        connections : iterable of (parent, child, point)
            For each body the one that it is joined to, or the inertial ReferenceFrame for those
            joined to ground, and the Point about which their joint wrench counts.  `joints` has
            them as objects, with the name of the child; methods take either.  A Particle has no
            frame: its joint wrench has the components of the nearest body or frame inwards.  Bodies
            that are fixed in another one, ground and hubs without mass need no connection, and
            several of one name have it with a number: ``"bob #2"``.  A body of revolution whose
            frame has an angular velocity and no orientation has those of the frame in which its
            inertia is given.
        *args, **options
            Those of the class, in their order and by their names.  The constraints and the
            dependent speeds are those of the KanesMethod; the inertial frame stands for ground in
            ``owners``, and a Particle turns with the frame that it carries there, in which its
            joint wrench then has its components.

        Raises
        ======

        TypeError, TopologyError, ValueError
            As for a System; if the connections do not make a tree on ground.

        See Also
        ========

        Connection : What it makes of the triples.

        Notes
        =====

        Velocities that contradict the positions are refused, at a random state and where the
        model's constraints hold.  A rigid body may turn about a point at rest that is another one
        at each instant: it rolls.

        Velocities into which constraints were put are those of the bodies only where these hold,
        which is enough for everything but forces: the forces of such constraints are not among the
        multipliers, but in the wrench of the connection whose velocity has them, as those of
        rolling without constraints are, and act on its child.  Connect ground to the wheel that
        rolls, not to the frame that holds it, to have the wrench of its axle.

        Velocity constraints should be given in speeds.  Into those with derivatives of coordinates
        KanesMethod puts its own solution of the kinematical differential equations, which may
        divide by what vanishes in regular poses.

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
        >>> idyn = jw.InverseDynamics.from_kane(kane, [(N, bob, O)])
        >>> simplify(idyn.generalized_forces)
        Matrix([[l*m*(g*sin(q(t)) + l*Derivative(u(t), t))]])
        """
        make: Any = cls
        return make(KaneModel(kane, connections), *args, **options)

    def __repr__(self) -> str:
        bodies = ", ".join(body.name for body in self.bodies)
        return f"{type(self).__name__}(bodies: {bodies}; {len(self.speeds)} speeds)"

    def _grid(self) -> Grid:
        names = ("bodies", "joints", "loops", "coordinates", "speeds", "constants", "specifieds")
        values = {name: listed(getattr(self, name)) for name in names}
        return facts(type(self).__name__, **values, solve_for=listed(self.model.request.solve_for))

    def __copy__(self: M) -> M:
        return self  # nothing of it changes

    def __deepcopy__(self: M, memo: dict[int, Any]) -> M:
        return self  # its joints and bodies are those of the user's model

    def check_unchanged(self) -> None:
        """Refuse, by a ValueError that names what is new or gone, a System that has changed."""
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
    def loops(self) -> tuple[LoopJoint | Contact, ...]:
        """The loop joints and contacts; their wrenches stand behind those of the joints."""
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
        """All known loads as sympy's Force and Torque, those of actuators included."""
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
    def constants(self) -> tuple[Symbol, ...]:
        """All constants of the model, sorted by name."""
        return self.model.constants

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All functions of time that have to be given, sorted by name."""
        return self.model.specifieds

    @property
    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """The symbols of ``q, u, udot, constants, specifieds, times``, in their order.

        The last holds the time if a load depends on it explicitly.
        """
        return self.model.inputs

    # -- programs and code --------------------------------------------------

    def derivative(self, output: str, wrt: str | Expr) -> ImmutableDenseMatrix:
        """Return how an output changes with inputs as formulas, all other inputs fixed.

        ``output`` is as for `program`; ``wrt`` a group of inputs, ``"q"``, ``"u"``, ``"udot"``,
        ``"constants"`` or ``"specifieds"``, or a symbol.  The matrix has a row for each entry of
        the output, those of matrices row by row, and a column for each input.

        Raises
        ======

        ValueError
            If a name or symbol is unknown.

        See Also
        ========

        InverseDynamics.compile : In numbers, by ``derivatives=``.

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
            As for `derivative`; if weights are not as many as entries, or an entry is open.

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

    def program(self, outputs: str | Iterable[str] | None = None) -> Program:
        """Return the operations that compute some outputs, in order.

        Each operation is there once, none that the outputs do not need.  ``outputs`` is a name or
        several of those that :doc:`/reference/outputs` lists.  Default: what it asks for
        first.

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

    def count_ops(self, outputs: str | Iterable[str] | None = None) -> dict[str, int]:
        """Return the number of operations that some ``outputs`` need, which are as for `program`.

        They are ``"mul"``, ``"add"``, ``"trig"`` and ``"other"`` for every sample, ``"constant"``
        once per call.  Changes of sign are not counted.

        See Also
        ========

        InverseDynamics.compile : What costs them.

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
        outputs: str | Iterable[str] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        backend: Literal["auto", "c", "numpy"] = "auto",
        threads: int = 1,
        derivatives: Iterable[Any] = (),
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
    ) -> "Evaluator":
        """Return a function that evaluates a whole batch of samples per call.

        Parameters
        ==========

        outputs : str or iterable of str
            As for `program`.
        constants : dict of Symbol or name to number, optional
            Constants that become numbers in the code.  The rest are given per call.
        backend : {"auto", "c", "numpy"}
            ``"c"``: compiled; ``"numpy"``: slower; ``"auto"``: compiled, and numpy with a warning
            where there is no compiler, or where it fails.
        threads : int
            Number of threads among which a batch is split.
        derivatives : iterable of str or Expr, optional
            With respect to what all outputs are differentiated as well: groups among
            ``"q"``, ``"u"``, ``"udot"``, ``"constants"`` and ``"specifieds"``, or
            symbols; `Result.derivative` has them.
        second_derivatives : iterable of str or Expr, optional
            With respect to what the weighted sum of all outputs is differentiated twice,
            as for ``derivatives``; it is computed instead of the outputs.
        sparse : bool
            Whether derivatives and regressors are computed and stored without the
            entries that are zero for all inputs: about half of them for a humanoid.
            `Result.derivative` and attributes still have whole arrays, made when asked
            for; `Result.packed` and ``derivative(..., sparse=True)`` have what is stored.

        Returns
        =======

        Evaluator
            ``evaluate(q, u, udot, constants={...}, specifieds={...})``; with
            ``second_derivatives`` a `HessianEvaluator`, which takes ``weights``, too.

        Raises
        ======

        TypeError, ValueError
            If an output, a constant or the backend is unknown, an output is given twice, or a
            constant is no finite number or makes an output divide by zero; if an output has a
            function that cannot be compiled; if second derivatives are wanted of what mechanics
            leaves open, or beside first ones; if the System was changed after it was read.
        CompilationError
            If the backend is ``"c"`` and there is no compiler, or it fails or does not end.

        See Also
        ========

        InverseDynamics.write_c : C code without Python.
        Evaluator, Result : What it returns, and what that returns.

        Notes
        =====

        What is compiled is kept in the user's cache folder, or in the folder that the environment
        variable ``JOINTWRENCH_CACHE`` names (``off``: nowhere); `jointwrench.clear_cache` empties
        it.  The page on security tells what is trusted, and how long a compiler may take
        (``JOINTWRENCH_TIMEOUT``).  The code is made for the processor at hand, by the flags of the
        compiler that are the fastest there (measured once, within about a second) and give the
        numbers of numpy, unless ``JOINTWRENCH_TUNING=portable`` says otherwise.  The logger
        ``"jointwrench"`` tells at the level INFO what is being done.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> evaluate = idyn.compile(["generalized_forces", "mass_matrix"])
        >>> evaluate([0], [0], [0], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}).mass_matrix
        array([[0.165]])
        """
        names = self._named(outputs)
        options = backend, threads, derivatives, second_derivatives, sparse
        return self.model.compile(names, constants, *options)

    def write_c(
        self,
        path: "str | os.PathLike[str]",
        outputs: str | Iterable[str] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        derivatives: Iterable[Any] = (),
        second_derivatives: Iterable[Any] = (),
        sparse: bool = False,
        lanes: int = 8,
        precision: Literal["double", "float"] = "double",
        signature: Literal["named", "fixed"] = "named",
    ) -> "tuple[Path, Path]":
        """Write C code that needs neither Python nor PyDy, for instance for a controller.

        The paths of the .c file and of the .h file are returned.  That names every entry of every
        argument: joints, coordinates and points by their names, with units of SI where the kinds of
        joints say them.

        Parameters
        ==========

        path : str or path
            Where to write the .c file; the .h file goes beside it.  The function
            is named after it: ``arm.c`` has ``arm_evaluate``.
        outputs, constants, derivatives, second_derivatives, sparse : optional
            As for `compile`; the constants that are left are arguments.  Derivatives are further
            arrays behind the outputs, in their order, shape (shape of the output, size of wrt).  Of
            second ones weights are the last argument, and the arrays are the weighted sum, its
            gradient and the nonzeros of its Hessian's lower triangle, whose places
            `HessianEvaluator` has.
        lanes : {8, 1}
            8: the function evaluates batches, eight samples at a time; 1: it evaluates
            one sample, the fewest operations for a controller.
        precision : {"double", "float"}
            The type of all numbers.
        signature : {"named", "fixed"}
            "fixed": there is a second function, for ``arm.c`` ``arm_call``, whose arguments are
            the same for whatever outputs and models: arrays of pointers to the inputs and to the
            outputs, in the order of the first function, whose widths ``ARM_INPUT_WIDTHS`` and
            ``ARM_OUTPUT_WIDTHS`` say.

        Raises
        ======

        FileNotFoundError, TypeError, ValueError
            If the folder is not there, ``path`` is no path, or its name no C identifier; as for
            `compile`.

        See Also
        ========

        InverseDynamics.compile : For Python.
        InverseDynamics.write_casadi : For CasADi.

        Notes
        =====

        The C code needs ``math.h`` and nothing else, has ``extern "C"`` for C++, allocates
        nothing and keeps nothing: the caller owns the ``workspace``, of as many numbers
        as the header says, and calls with workspaces of their own may run at once.  No
        loop and no branch depends on data, but for the sines of angles beyond 1.6e6
        (and those of `float`), which go to the C library: a call takes the same time.
        ``float`` is for processors without double precision; its results are good to
        some 1e-4 of the largest ones.

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
        from .header_legend import joint_units

        names = self.written_outputs if outputs is None else outputs
        what = names, constants, derivatives, second_derivatives, sparse
        legend = self._legend, joint_units(self.model.tree.all_joints)
        return self.model.write_c(path, *what, lanes, precision, signature, legend)

    def write_casadi(
        self,
        path: "str | os.PathLike[str]",
        outputs: str | Iterable[str] | None = None,
        constants: Mapping[Symbol, float] | None = None,
        second_derivatives: bool = False,
    ) -> "tuple[Path, ...]":
        """Write C code for `casadi.external`: outputs and their whole, sparse Jacobian.

        The paths of the .c file, the .h file and the interface are returned; the same of the
        adjoint.

        Parameters
        ==========

        path : str or path
            Where to write the .c file; beside it go the .h file and the interface, for
            ``arm.c`` in ``arm_casadi.c``, which says how to compile.
        outputs, constants : optional
            As for `compile`; the constants that are left are an input, with respect to which is
            differentiated as well.
        second_derivatives : bool
            Whether there are exact second derivatives: the adjoint of the function, with
            a sparse Jacobian of its own, in ``adj1_arm.c`` and so on.

        Raises
        ======

        FileNotFoundError, TypeError, ValueError
            As for `write_c`.

        See Also
        ========

        InverseDynamics.write_c : C code alone.
        forward_problem : Optimal control with opty.

        Notes
        =====

        The inputs are q, u, udot, constants, specifieds and times, as columns;
        those without entries are left out.  The outputs have their names; of those of
        three axes the last two are columns.  With second derivatives CasADi gives IPOPT
        the exact Hessian of the Lagrangian, in which the multipliers weigh the outputs;
        without them let IPOPT approximate it, ``hessian_approximation="limited-memory"``.
        What is not smooth has at its corners the second derivatives beside them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path, *_ = idyn.write_casadi(f"{folder}/arm.c", "generalized_forces")
        >>> path.name
        'arm.c'
        """
        names = self.written_outputs if outputs is None else outputs
        check_bool("second_derivatives", second_derivatives)
        return self.model.write_casadi(path, names, constants, second_derivatives)

    @property
    def _legend(self) -> dict[str, Sequence[Any]]:
        """Names of what outputs are of."""
        joints = [joint.name for joint in self.model.tree.all_joints]
        return {"joints": joints, "solved loads": self.model.request.solve_for}

    def _named(self, outputs: str | Iterable[str] | None) -> str | Iterable[str]:
        return self.default_outputs if outputs is None else outputs


def _column(entries: Iterable[Expr]) -> ImmutableDenseMatrix:
    entries = list(entries)
    return ImmutableDenseMatrix(len(entries), 1, entries)
