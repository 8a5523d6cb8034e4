"""`ForwardDynamics`: the motion that the loads of a sympy System make."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.physics.mechanics import KanesMethod, System
from sympy.physics.vector import Point, ReferenceFrame

from .arithmetic.program import Program
from .checks.arguments import Body
from .checks.numbers import check_number
from .dynamics.forward_programs import OUTPUT_NAMES, ForwardPrograms
from .dynamics.joint_motion import Assembly
from .dynamics.programs import check_names
from .inverse_dynamics import InverseDynamics
from .models.contact import Contact
from .models.loop_joint import LoopJoint

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from .codegen import ForwardEvaluator


class ForwardDynamics:
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

    Examples
    ========

    A pendulum, a rod of mass m and length l on a pin:

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia
    >>> from jointwrench import ForwardDynamics
    >>> m, l, g = symbols("m l g")
    >>> ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
    >>> rod.central_inertia = inertia(rod.frame, m*l**2/12, 0, m*l**2/12)
    >>> system = System.from_newtonian(ground)
    >>> pin = PinJoint("pin", ground, rod, child_point=l/2*rod.y, joint_axis=ground.z)
    >>> system.add_joints(pin)
    >>> system.apply_uniform_gravity(-g*ground.y)
    >>> evaluate = ForwardDynamics(system).compile(backend="numpy")
    >>> evaluate([0.5], [0.0], constants={m: 2, l: 1, g: 9.81}).udot
    array([-7.05467...])
    """

    def __init__(
        self,
        system: System,
        loops: Iterable[LoopJoint | Contact] = (),
        owners: Mapping[Point | ReferenceFrame, Body] | None = None,
        stabilization: float = 0.0,
    ) -> None:
        inverse = InverseDynamics(system, loops=loops, actuated=(), owners=owners)
        self._set(inverse, stabilization)

    def _set(self, inverse: InverseDynamics, stabilization: float) -> None:
        rate = check_number("stabilization", stabilization)
        if not 0 <= rate < inf:
            raise ValueError(
                f"`stabilization` must be finite and not negative, got {stabilization}."
            )
        self.inverse = inverse
        self._programs = ForwardPrograms(inverse._derivation, rate)
        self._programs.output("udot")  # so that what is singular is told now

    @classmethod
    def from_kane(
        cls,
        kane: KanesMethod,
        connections: Iterable[Sequence[Any]],
        loops: Iterable[LoopJoint | Contact] = (),
        owners: Mapping[Point | ReferenceFrame, Body] | None = None,
        stabilization: float = 0.0,
    ) -> "ForwardDynamics":
        """Return the forward dynamics of a model without joints, made the classical way.

        Parameters
        ==========

        kane, connections, loops, owners : as for `InverseDynamics.from_kane`
            The equations of the KanesMethod need not be formed.
        stabilization : float
            As for a System.
        """
        self = cls.__new__(cls)
        inverse = InverseDynamics.from_kane(
            kane, connections, loops=loops, actuated=(), owners=owners
        )
        self._set(inverse, stabilization)
        return self

    def __repr__(self) -> str:
        return repr(self.inverse).replace("InverseDynamics", "ForwardDynamics")

    # -- the model ----------------------------------------------------------

    @property
    def coordinates(self) -> ImmutableDenseMatrix:
        """The generalized coordinates q as a column."""
        return self.inverse.coordinates

    @property
    def speeds(self) -> ImmutableDenseMatrix:
        """The generalized speeds u as a column."""
        return self.inverse.speeds

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """All constants of the model, sorted by name."""
        return self.inverse.constants

    @property
    def specifieds(self) -> tuple[Expr, ...]:
        """All functions of time that have to be given, sorted by name."""
        return self.inverse.specifieds

    @property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix of the tree as formulas, n x n: ``mass_matrix * udot = -bias``."""
        return self.inverse.mass_matrix

    @property
    def bias(self) -> ImmutableDenseMatrix:
        """Velocity terms, gravity and all other loads as formulas, n x 1, of the tree."""
        return self.inverse.bias

    # -- programs and code --------------------------------------------------

    def program(self, outputs: str | Iterable[str] = ("udot",)) -> Program:
        """Return the operations that compute some outputs, in order.

        Parameters
        ==========

        outputs : str or iterable of str
            Any of ``"udot"`` (n) and ``"qdot"`` (n_q), the derivatives of speeds and
            coordinates; ``"joint_wrenches"`` and ``"constraint_wrenches"`` (number of
            joints and loops, 6), ``"multipliers"``, ``"constraint_errors"`` and
            ``"conditioning"``, as for `InverseDynamics`; ``"energy"`` (2), kinetic
            energy and the potential energy of gravity and linear springs.

        Raises
        ======

        ValueError
            If a name is unknown or given twice, if there is none, or if the System
            was changed after it was read.
        """
        return self._cheapest(outputs)

    def count_ops(self, outputs: str | Iterable[str] = ("udot",)) -> dict[str, int]:
        """Return the number of operations that some outputs need, as `InverseDynamics` does."""
        return self.program(outputs).count_ops()

    def compile(
        self,
        outputs: str | Iterable[str] = ("udot",),
        constants: Mapping[Symbol, float] | None = None,
        backend: str = "auto",
        threads: int = 1,
    ) -> "ForwardEvaluator":
        """Return a function that evaluates a whole batch of states per call.

        Parameters
        ==========

        outputs : str or iterable of str
            As for `program`.
        constants, backend, threads : optional
            As for `InverseDynamics.compile`.

        Returns
        =======

        ForwardEvaluator
            ``evaluate(q, u, constants={...}, specifieds={...}, times=None)``.

        Raises
        ======

        TypeError, ValueError, CompilationError
            As for `InverseDynamics.compile`.
        """
        from .codegen import ForwardEvaluator, check_fixed_constants, compile_program

        numbers = check_fixed_constants(constants, self.constants)
        return compile_program(
            self._cheapest(outputs, numbers),
            joints=self.inverse._tree.all_joints,
            assembly=Assembly(self.inverse._tree),
            fixed_constants=numbers,
            backend=backend,
            threads=threads,
            evaluator=ForwardEvaluator,
        )

    def write_c(
        self,
        path: "str | os.PathLike[str]",
        outputs: str | Iterable[str] = ("udot", "qdot"),
        constants: Mapping[Symbol, float] | None = None,
    ) -> "tuple[Path, Path]":
        """Write C code that needs neither Python nor PyDy, for instance for an integrator.

        Parameters
        ==========

        path, constants : as for `InverseDynamics.write_c`
            Where to write the .c file, and constants that become numbers in it.
        outputs : str or iterable of str
            As for `program`.

        Returns
        =======

        tuple of Path
            The .c file and the .h file.

        Raises
        ======

        TypeError, ValueError
            As for `InverseDynamics.write_c`.
        """
        from .codegen import check_c_path, check_fixed_constants, write_c

        checked = check_c_path(path)
        numbers = check_fixed_constants(constants, self.constants)
        return write_c(self._cheapest(outputs, numbers), checked)

    def _cheapest(
        self, outputs: str | Iterable[str], numbers: Mapping[Symbol, Expr] | None = None
    ) -> Program:
        self.inverse.check_unchanged()
        return self._programs.cheapest(check_names(outputs, OUTPUT_NAMES), numbers)
