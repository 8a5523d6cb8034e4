"""`InverseDynamics`: the forces that a motion of a sympy System requires."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame

from ... import hints
from ...checks.arguments import check_choice, check_instance, find_named, is_empty
from ...checks.messages import warn
from ...checks.numbers import check_bool
from ..arithmetic.formula import Formula
from ..dynamics.derivation import Request, derive, derive_readable, exclusive
from ..dynamics.loops.unknowns import check_actuated, check_symbols
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..dynamics.outputs.wrench_formulas import joint_wrench_scalars
from ..dynamics.outputs.wrench_outputs import joint_wrench_parts
from ..evaluation.model import Model
from ..mechanism.reading.model_reader import read_model
from ..spatial.wrench import Wrench
from ..sympy_objects import Body
from .system_method import SystemMethod, unchanged_property

if TYPE_CHECKING:
    from ..dynamics.load_laws import LoadLaws
    from ..dynamics.outputs.least_energy import LeastEnergy
    from .output_names import InverseOutput  # noqa: F401 (of the base)


_log = logging.getLogger("jointwrench")


class InverseDynamics(SystemMethod["InverseOutput"]):
    """The joint wrenches and generalized forces of a System for any motion.

    Everything is derived once, by the recursive Newton-Euler algorithm, and is
    available both as formulas and as compiled code.

    Parameters
    ==========

    system : System
        Bodies and joints that form a tree on ground; bodies without a joint that are fixed in
        another one are welded to it.  Its loads and actuators are taken as known.  It is read once;
        if it is changed later, every request raises an error until a new object is made.
    solve_for : iterable of symbols, optional
        Symbols in the System's loads (joint torques, the force of a cylinder) that the motion
        determines.  They must enter linearly.  If they act on more speeds than there are symbols,
        they are the least-squares solution.  The remainder is the generalized forces of a tree, or
        ``"unsupplied"`` for a model with constraints or with ``actuated``.
    loops : iterable of LoopJoint and Contact, optional
        The joints and contacts at which the forces of the System's constraints act.  Constraints
        that belong to no loop are an error, and so are loops that belong to no constraint; a System
        without any constraints is closed by the loops alone.  Default: the loops that follow from
        the constraints, which state that points meet, roll or do not slip (see the page *Models
        without joints*).  Where constraints leave open at which points their forces act, joint
        wrenches are an error that proposes loops; generalized forces and multipliers are not.
        ``[]``: no loops.  Constraints that only define speeds on which no body's velocity depends
        (of a contact point) need no loop.
    actuated : iterable of speeds, optional
        The speeds that have motors.  Default: all speeds of a tree; with constraints the
        independent ones, ``system.u_ind``, or none if ``solve_for`` names the symbols that supply
        the forces.
    owners : dict of Point or ReferenceFrame to body, optional
        The body on which the loads at a point or on a frame act (the System's frame stands for
        ground), if the System leaves that open: a muscle that ends on the centre of a joint, a
        point that slides over bodies.  A force acts on the body's material point that is there at
        the instant.  For a load at a point that is fixed in several bodies, generalized forces need
        no owner; joint wrenches do.
    redundancy : "nan" or dict of joint to compliance, optional
        The values of forces that mechanics does not determine (see `undetermined`): NaN, or those
        of least strain energy for the compliances of joints, loop joints and contacts.  A
        compliance is six numbers or symbols for fx, fy, fz, mx, my, mz, or a symmetric 6 x 6
        matrix, in the frame and about the point of the joint wrench: lengths per force, angles per
        moment, 0 for what is rigid.  Joints that are not named are rigid.  A ``solve_for`` symbol
        or an actuated speed has one number.  What the compliances leave undetermined remains NaN.
        They know no contact: a leg of a table may pull; ``jw.ranges`` has limits.  An instant at
        which the motion requires a force that nothing supplies is NaN if this force would strain
        the loop.  Deprecated: ``"least_norm"``, the least sum of squares of loop-joint wrenches,
        motor forces and loads, where moments are divided by the model's own length; it does not
        depend on units, but on where loops are cut and on all lengths of the model.
    sections : iterable of Section, optional
        Cross-sections of bodies, for `section_wrench` and the output ``"section_wrenches"``.
    outputs : iterable of DeclaredOutput, optional
        Outputs of your own; see the page *Extend the package*.
    frictions : iterable of JointFriction, optional
        Friction in joints that depends on their reactions; see the page
        *Friction in bearings*.

    Raises
    ======

    TopologyError
        If the System is not a tree on ground, or its positions, velocities and kinematical
        differential equations contradict each other; if its constraints are not those of the loops,
        or no pose was found in which they hold.
    TypeError, ValueError
        If ``system`` is not a System; if a load cannot be assigned to a body, if ``owners`` names
        points or frames without load or bodies that are not in the model, or if a ``solve_for``
        symbol is in no load, does not enter linearly, or does no work; if constraints make no
        speeds dependent and ``actuated`` is not given.

    Examples
    ========

    A pendulum: a rod of mass m and length l on a pin.

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
    >>> idyn = jw.InverseDynamics(system)
    >>> idyn.generalized_forces
    Matrix([[g*l*m*sin(q_pin(t))/2 + l**2*m*Derivative(u_pin(t), t)/3]])

    The force on the rod by the pin, in the rod's frame:

    >>> idyn.joint_wrench(pin).force.to_matrix(rod.frame)[1]
    g*m*cos(q_pin(t)) + l*m*u_pin(t)**2/2

    Notes
    =====

    The page *Outputs* lists the outputs with their shapes and meanings.

    Generalized forces Q are those that joints and unmodelled actuators supply: ``Fr(known loads) +
    Q + Fr* = 0`` in Kane's terms, and with constraints ``Fr(known loads) + Q + Fr* + J^T
    multipliers + unsupplied = 0``, where J are the coefficients of the speeds in the constraints,
    and Q vanishes at speeds without a motor.  ``unsupplied`` is the least remainder, which the
    motion requires but nothing in the model can supply.

    Which forces are determined is decided when the model is derived, at random poses in which the
    loops are closed.  Near singular poses (dead points) forces grow without bound, in them they are
    NaN.  The output ``"conditioning"`` measures the distance from one: it is 1 if the effects of
    all unknown forces are orthogonal and as large as in other directions, 0 if they are linearly
    dependent or one has none; the page *Singular poses* explains it.

    See Also
    ========

    SerialChain : Builds a System.
    """

    model: Model

    default_outputs = written_outputs = ("generalized_forces", "joint_wrenches")

    def __init__(
        self,
        system: System,
        solve_for: Iterable[Expr] = (),
        loops: Iterable[hints.LoopConnection] | None = None,
        actuated: Iterable[Expr] | None = None,
        owners: Mapping[Point | ReferenceFrame, Body | ReferenceFrame] | None = None,
        redundancy: Literal["nan", "least_norm"] | Mapping[Any, Any] = "nan",
        sections: Iterable[hints.Section] = (),
        outputs: Iterable[hints.DeclaredOutput] = (),
        frictions: Iterable[hints.LoadLaw] = (),
    ) -> None:
        symbols = check_symbols(solve_for)
        cuts: tuple[hints.Section, ...] = ()
        declared: tuple[hints.DeclaredOutput, ...] = ()
        laws = None
        if not is_empty(outputs):
            from ..dynamics.outputs.declared_output import check_outputs

            declared = check_outputs(outputs)
        tree = read_model(system, symbols, loops, owners)
        began = time.perf_counter()
        choice = _check_redundancy(redundancy)
        motors = None if actuated is None else check_actuated(actuated, tree.speeds)
        if not is_empty(sections):
            from ..dynamics.outputs.sections import check_sections

            cuts = check_sections(sections)
        if not is_empty(frictions):
            from ..dynamics.load_laws import check_laws

            laws = check_laws("frictions", frictions)
        is_shortest = choice is None and redundancy == "least_norm"
        request = Request(symbols, motors, is_shortest, cuts, laws=laws, choice=choice)
        self.model = Model(ModelOutputs(derive(tree, request), declared))
        _log.info("derived %d bodies in %.2f s", len(tree.links), time.perf_counter() - began)
        if cuts:
            self.model.outputs.output("section_wrenches")  # raises errors of sections now
        self.model.outputs.check_declared()

    @property
    def _read(self) -> ModelOutputs:
        """The outputs for formulas; with loops, those of a derivation in a readable form."""
        outputs = self.model.outputs
        return self._triangular if outputs.derivation.closings else outputs

    @cached_property
    def _triangular(self) -> ModelOutputs:
        outputs = self.model.outputs
        return ModelOutputs(derive_readable(outputs.derivation), outputs.declared)

    @property
    def solve_for(self) -> tuple[Expr, ...]:
        """The load symbols that the motion determines."""
        return self.model.request.solve_for

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
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> kin = idyn.kinematics({"tip": chain.tip})
        >>> kin.velocity("tip")
        - l_0*u_0(t)*S_0.x
        """
        from .kinematics import Kinematics

        return Kinematics.of_model(self.model, (points, frames, relative_to, frame))

    # -- formulas -----------------------------------------------------------

    def joint_wrench(
        self,
        joint: Joint | hints.Connection | str,
        about: Point | str | None = None,
        frame: ReferenceFrame | str | None = None,
    ) -> Wrench:
        """Return the wrench of a joint on its child, by its parent, without known loads.

        It is the constraint reaction plus unmodelled actuation.  `formula` has a shorter form.

        Parameters
        ==========

        joint : Joint, LoopJoint, Contact or str
            A joint of the System, one that closes a loop, or its name.
        about : Point or str, optional
            The point about which the moment is taken, or its name; points and frames are as they
            were when the model was read.  Default: ``joint.child_point``.
        frame : ReferenceFrame or str, optional
            The frame of the components, or its name, or ``"joint"`` for the joint's
            ``child_interframe``.  Default: the child body's (for a particle: the child interframe,
            or without joints the frame of the nearest body towards ground).

        Raises
        ======

        TypeError, ValueError
            If ``about`` is not a Point or ``frame`` not a ReferenceFrame; if the joint is not in
            the System, no path leads to ``about`` or ``frame``, or several have the name.

        See Also
        ========

        InverseDynamics.constraint_wrench : Without actuation.
        Result.joint_wrench : In numbers.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> wrench = idyn.joint_wrench(chain.joints[0])
        >>> wrench.to_matrix(chain.frames[0])[5].subs(chain.coordinates[0], 0)
        (I_0 + l_0**2*m_0/4)*Derivative(u_0(t), t)
        """
        return self._joint_formula(joint_wrench_parts, joint, about, frame)

    def constraint_wrench(
        self,
        joint: Joint | hints.Connection | str,
        about: Point | str | None = None,
        frame: ReferenceFrame | str | None = None,
    ) -> Wrench:
        """Return the part of the joint wrench that the constraint supplies.

        It is the joint wrench without the components along the joint's free directions, which an
        actuator would supply: for a pin the moment about the axis, for a slider the force along it.
        It does no work in any motion that the joint allows.  ``joint``, ``about`` and ``frame`` are
        as for `joint_wrench`.

        Raises
        ======

        TypeError, ValueError
            As for `joint_wrench`; if one of the joint's speeds rotates and translates the child at
            once (a screw), because the split is then not unique.

        See Also
        ========

        InverseDynamics.joint_wrench : With actuation.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> wrench = idyn.constraint_wrench(chain.joints[0])
        >>> wrench.moment
        0
        """
        from ..dynamics.outputs.constraint_wrench_outputs import constraint_wrench_parts

        return self._joint_formula(constraint_wrench_parts, joint, about, frame)

    def section_wrench(self, section: hints.Section | str) -> Wrench:
        """Return the internal force and moment in a cross-section of a body.

        The wrench acts on the part beyond the section, by the rest of the body, about the section's
        point, with components in the body's frame.  ``section`` is one of those given to the class,
        or its name.

        Raises
        ======

        ValueError
            If there is no such section.

        See Also
        ========

        Section : Defines it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import PrismaticJoint, RigidBody, System
        >>> ground, beam = RigidBody("ground"), RigidBody("beam", mass=6)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(PrismaticJoint("lift", ground, beam, joint_axis=ground.y))
        >>> half = jw.Section.of_rod("half", beam, -beam.x, beam.x, 0.5)
        >>> jw.InverseDynamics(system, sections=[half]).section_wrench("half").force
        3*Derivative(u_lift(t), t)*beam_frame.y
        """
        sections = self._derivation.request.sections
        number = find_named("section", section, sections, "section")
        refs, found = self.model.outputs.output("section_wrenches").refs, sections[number]
        components = self._derivation.graph.to_sympy(refs[6 * number : 6 * number + 6])
        return Wrench.from_matrix(components, found.body.frame, found.point)

    def _joint_formula(self, parts: Any, joint: Any, about: Any, frame: Any) -> Wrench:
        """Return the wrench of a joint as formulas, from the derivation's wrenches ``parts``."""
        number = find_named("joint", joint, self.model.tree.all_joints)
        with self._derivation.graph.lock:
            place = joint_wrench_scalars(self._derivation, number, about, frame, parts)
        return place.wrench(self._derivation.graph.to_sympy([x.ref for x in place.scalars]))

    @exclusive
    def formula(
        self,
        what: Joint | hints.Connection | str = "generalized_forces",
        about: Point | str | None = None,
        frame: ReferenceFrame | str | None = None,
        named: bool = True,
    ) -> Formula:
        """Return a joint wrench or an output as a formula for reading.

        Terms are collected, sines and cosines of sums of angles contracted, angles without effect
        removed, and repeated terms get names.  Of several forms, recursive (see `Formula`) or
        expanded, the one with the fewest operations is chosen.  A Formula has the ``value``, the
        ``definitions`` of names, and both as a ``whole``.

        Forces in closed loops follow from the generalized forces of the open tree, by
        back-substitution or Cramer's rule; the formula fails where one of the ``divisors`` of the
        `Formula` is zero.  Compiled code solves differently and has results there.

        Parameters
        ==========

        what : Joint, LoopJoint, Contact or str
            A joint or its name for its wrench, or the name of an output as for `program`.
        about, frame : optional
            For a joint wrench, as for `joint_wrench`.  With ``frame="shortest"`` force and moment
            are each in the frame between the child and ground in which they are shortest, including
            your own frames and the intermediate ones of rotations about three axes.
        named : bool
            Whether quantities get names.  If not, the formula is in terms of the inputs alone and
            fully cancelled, which suits small models.

        Raises
        ======

        TypeError, ValueError
            As for `joint_wrench`; if there is no such output, or ``about`` or ``frame`` is given
            for an output; if frictions change the reactions on which they depend.

        See Also
        ========

        Wrench.readable : For any wrench.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> print(idyn.formula())
        Q u_0 = I_0*u_0' + l_0*m_0*(l_0*u_0'/4 - 4.905*sin(q_0))
        """
        from ..dynamics.outputs.formulas import readable_joint, readable_output, shortest_joint

        check_bool("named", named)
        self._check_readable()
        names = self.model.outputs.names
        if not isinstance(what, str) or what not in names:
            joints = self.model.tree.all_joints
            number, read = find_named("what", what, joints, also=names), self._read.derivation
            if isinstance(frame, str) and frame == "shortest":
                return shortest_joint(read, number, about, named)
            place = joint_wrench_scalars(read, number, about, frame)
            return readable_joint(read, place, named)
        if about is not None or frame is not None:
            raise ValueError(
                f"`about` and `frame` must be left out for the output {what!r}, which has many "
                "entries. Use formula(joint, about=..., frame=...) for a joint."
            )
        return readable_output(self._read.derivation, self._read.output(what), named)

    @unchanged_property
    def generalized_forces(self) -> ImmutableDenseMatrix:
        """The generalized forces Q as formulas, n x 1, in the order of ``speeds``.

        Joints and unmodelled actuators supply them, positive in the directions of the speeds:
        ``Fr(known loads) + Q + Fr* = 0``.
        """
        return self.model.outputs.closed_form("generalized_forces")

    @exclusive
    def dynamic_wrench(self, body: Body | str) -> Wrench:
        """Return the rate of change of a body's momentum in the inertial frame.

        It is the force ``m a`` and the moment ``I al + w x I w`` about the mass centre, in the
        frame of the ``body`` (for a particle: of its joint's interframe), which is a body of the
        System or its name.

        Raises
        ======

        ValueError
            If the body is not in the System, or several have the name.

        See Also
        ========

        Wrench.dynamic : The same for one body, from sympy's velocities.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> wrench = idyn.dynamic_wrench(chain.bodies[0])
        >>> wrench.point
        C_0
        """
        from ..dynamics.outputs.contributions import dynamic_formula

        bodies = list(self.model.tree.index_of_body)
        return dynamic_formula(self._derivation, bodies[find_named("body", body, bodies, "body")])

    @exclusive
    def contributions(
        self, joint: Joint | hints.Connection | str, observer: hints.ObserverFrame | None = None
    ) -> dict[str, Wrench]:
        """Return the parts of a joint wrench by their origin; they sum to the joint wrench.

        ``joint`` is one of the System, or its name.  The parts act on the child body, by the parent
        body, about ``joint.child_point``: ``"gravity"`` balances the weight of the child body,
        ``"acceleration"`` and ``"velocity"`` change its momentum (the latter is the Coriolis and
        centrifugal part), ``"load on ..."`` balances each known load on it, and ``"joint ..."`` the
        wrench of each joint that leads farther outwards.

        With an ``observer``, ``"observed"`` (the dynamic wrench of the child body's motion as
        observed), ``"d'Alembert"``, ``"Euler"``, ``"centrifugal"`` and ``"Coriolis"`` (each
        balances the fictitious wrench of this name) replace acceleration and velocity.

        Raises
        ======

        TypeError, ValueError
            If ``observer`` is not an ObserverFrame; if the joint is not in the System, or an
            observer is given and ``dynamicsymbols._t`` is not the System's time.

        See Also
        ========

        Result.joint_contributions : In numbers.

        Notes
        =====

        Gravity counts as a load if it does not act on every body with mass, or cannot be
        distinguished from other forces: on a single body, or on bodies of equal mass, a force
        without the mass as a factor.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> parts = jw.InverseDynamics(chain.system).contributions(chain.joints[0])
        >>> parts["gravity"].moment
        - 4.905*l_0*m_0*sin(q_0(t))*S_0.z
        >>> parts["acceleration"].moment
        (I_0 + l_0**2*m_0/4)*Derivative(u_0(t), t)*S_0.z
        >>> parts["velocity"].moment
        0
        """
        from ..dynamics.outputs.contributions import check_observer, contribution_formulas

        known = self._tree_joint(joint)
        check_observer(observer)
        return contribution_formulas(self._derivation, known, observer)

    @exclusive
    def derivation(
        self, joint: Joint | hints.Connection | str, observer: hints.ObserverFrame | None = None
    ) -> hints.WrittenDerivation:
        """Return the derivation of a joint wrench, step by step, as a text.

        Bodies are cut free one by one, from the tips to ``joint`` (of the System, or its name).
        Each step gives the motion of the body, the forces and then the moments about the joint,
        term by term, their sum, and the generalized forces, each vector in the frame in which it is
        shortest.  With loops, the text starts with the solution for unknown forces and its
        divisors.  With an ``observer``, as in `contributions`, d'Alembert, Euler, centrifugal and
        Coriolis terms replace ``m a`` and ``I alpha + omega x I omega``.  Each line can be checked
        against the compiled kernel.

        Raises
        ======

        TypeError
            If ``observer`` is not an ObserverFrame.
        ValueError
            If the joint is not in the System, or closes a loop; if there are more than 12 bodies
            beyond it; if an observer is given and ``dynamicsymbols._t`` is not the System's time;
            if frictions change the reactions on which they depend.

        See Also
        ========

        InverseDynamics.formula : The result alone, in the shortest form found.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> text = jw.InverseDynamics(chain.system).derivation("S_0")
        >>> [(line.name, line.value[2]) for line in text.steps[0].moments]
        [..., ('-r_C_0 x W_S_0', -4.905*l_0*m_0*sin(q_0(t)))]
        """
        from ..dynamics.outputs.contributions import check_observer
        from ..dynamics.outputs.derivation_steps import (
            derivation_steps,
            joint_words,
            observer_words,
        )
        from .written_derivation import WrittenDerivation

        self._check_readable()
        known = self._tree_joint(joint)
        check_observer(observer)
        read, kernel = self._read, self.model.outputs
        steps, names = derivation_steps(read.derivation, kernel.derivation, known, observer)
        title = f"The wrench of {joint_words(known)}"
        if observer is not None:
            title += f", for {observer_words(observer)}"
        return WrittenDerivation(title, tuple(steps), names, (read, kernel))

    def _check_readable(self) -> None:
        """Raise an error if loads by laws are not formulas."""
        if laws := self.model.outputs.laws:
            laws.check_readable()

    def _tree_joint(self, joint: Any) -> Any:
        """Return a joint of the tree."""
        known = self.model.tree.all_joints[find_named("joint", joint, self.model.tree.all_joints)]
        if known in self.loops:
            raise ValueError(
                f"`joint` must be one of the tree's joints, got {known.name!r}, which closes a "
                "loop of the tree. Use joint_wrench, or contributions of the joints inwards, in "
                "which it is a part."
            )
        return known

    @unchanged_property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix of the tree as formulas, n x n, without loops; see `bias`."""
        return self.model.outputs.closed_form("mass_matrix")

    @unchanged_property
    def bias(self) -> ImmutableDenseMatrix:
        """The generalized forces at zero accelerations, as formulas, n x 1.

        It contains the velocity terms (Coriolis and centrifugal), gravity and all other known
        loads.  ``mass_matrix * udot + bias`` is the sum of ``Q + unsupplied`` and the
        generalized forces of solved loads, loop joints, contacts and frictions.
        """
        return self.model.outputs.closed_form("bias")

    @unchanged_property
    @exclusive
    def inertial_parameters(self) -> tuple[hints.InertialParameter, ...]:
        """The ten inertial parameters of each of the `bodies`, in which all forces are linear.

        Mass, mass times position of the mass centre, and inertia matrix ``Ixx Iyy Izz Ixy Iyz Izx``
        (sympy's order and signs: products of inertia are minus the integrals of ``x y dm``), all
        about the point of the body's joint that is fixed in it, in the body's frame.  Each has a
        name, the body, a definition in words and its value, a formula of the `constants`.  The
        output ``"regressor"`` has the coefficients: ``Q = regressor @ parameters + known_loads``.
        """
        from ..dynamics.recursion.inertial_parameters import inertial_parameters

        return inertial_parameters(self._derivation.scalars)

    @unchanged_property
    def solved_loads(self) -> dict[Expr, Expr]:
        """The value of each ``solve_for`` symbol as a formula."""
        refs = self.model.outputs.output("solved_loads").refs
        values = self._derivation.graph.to_sympy(refs)
        return dict(zip(self.solve_for, values, strict=True))

    @unchanged_property
    @exclusive
    def undetermined(self) -> dict[Any, tuple[str, ...]]:
        """The undetermined forces, by joint, loop joint, speed or load symbol.

        The values are names of components among ``fx fy fz mx my mz``, in the frame of the joint
        wrench; ``("value",)`` for the generalized force of a speed and for a load symbol.  These
        forces are NaN in all results.  ``redundancy={joint: compliance}`` determines those that
        elastic joints share; ``jw.ranges`` has the limits between which they are.
        """
        from ..dynamics.outputs.undetermined import undetermined

        return undetermined(self._derivation)

    # -- loads by laws ------------------------------------------------------

    @property
    def _laws(self) -> LoadLaws:
        self.check_unchanged()
        if self.model.request.laws is None:
            raise ValueError(
                "`frictions` must be specified for limits at rest. Use InverseDynamics(system, "
                "frictions=[...])."
            )
        return self.model.request.laws

    def locked(
        self,
        q: Any,
        u: Any,
        udot: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
    ) -> dict[str, str]:
        """Return why friction is NaN, by the name of each joint where it is.

        The text names the first sample at which the friction of a joint is NaN, and the joints that
        jam each other: those of the cycle in which frictions raise the forces that cause them.
        Evaluators issue the same warning.

        Parameters
        ==========

        q, u, udot, constants, specifieds, times : optional
            As for what `compile` returns.

        Raises
        ======

        TypeError, ValueError
            If the model has no ``frictions``; as for a call of an evaluator.

        See Also
        ========

        InverseDynamics.self_locking : For mechanisms that slide.

        Examples
        ========

        A drawer that is pulled too far from the middle of its short guide:

        >>> from sympy import Symbol
        >>> from sympy.physics.mechanics import Force, PrismaticJoint, RigidBody, System
        >>> import jointwrench as jw
        >>> pull = Symbol("pull")
        >>> ground, drawer = RigidBody("ground"), RigidBody("drawer", mass=1)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(PrismaticJoint("guide", ground, drawer))
        >>> handle = drawer.masscenter.locatenew("handle", 0.7 * drawer.y)
        >>> system.add_loads(Force(handle, pull * ground.x), Force(drawer, -10 * ground.x))
        >>> friction = jw.JointFriction("guide", 0.4, supports=0.5)
        >>> idyn = jw.InverseDynamics(system, solve_for=[pull], frictions=[friction])
        >>> print(idyn.locked([0], [1], [0])["guide"][:46])
        The friction is NaN: no equilibrium was found
        """
        options = {"constants": constants, "specifieds": specifieds, "times": times}
        return self._laws.locked(self.model, (q, u, udot), options)

    def at_rest(
        self,
        q: Any,
        sense: Any,
        udot: Any = None,
        outputs: str | Iterable[str] = ("generalized_forces", "friction"),
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
    ) -> tuple[hints.Result, hints.Result]:
        """Return the two limits of forces at rest: about to slide one way, and the other way.

        At rest a friction has any value between two limits, and so have the forces of motors that
        hold the mechanism.  The first Result is for impending sliding in the direction of
        ``sense``, the second one for the opposite.

        Parameters
        ==========

        q : array_like, shape (..., n_q)
            Coordinates.
        sense : array_like, shape (..., n)
            Speeds with which the mechanism is about to move; their size does not matter. The
            friction of joints that do not slide then is NaN.
        udot : array_like, shape (..., n), optional
            Time derivatives of the speeds.  Default: 0.
        outputs : str or iterable of str
            The outputs of both Results.
        constants, specifieds, times : optional
            As for what `compile` returns.

        Raises
        ======

        TypeError, ValueError
            If the model has no ``frictions``, or one with a ``width``, which has no limits at rest;
            as for a call of an evaluator.

        See Also
        ========

        JointFriction : Its ``sense`` chooses a limit for all calls.

        Examples
        ========

        >>> from sympy.physics.mechanics import PrismaticJoint, RigidBody, System
        >>> import jointwrench as jw
        >>> ground, block = RigidBody("ground"), RigidBody("block", mass=2)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(PrismaticJoint("slide", ground, block))
        >>> system.apply_uniform_gravity(-10 * ground.y)
        >>> idyn = jw.InverseDynamics(system, frictions=[jw.JointFriction("slide", 0.3)])
        >>> [end.generalized_forces for end in idyn.at_rest([0], [1])]
        [array([6.]), array([-6.])]
        """
        options = {"constants": constants, "specifieds": specifieds, "times": times}
        return self._laws.at_rest(self.model, (q, sense, udot), outputs, options)

    def self_locking(
        self,
        q: Any,
        sense: Any,
        udot: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
    ) -> np.ndarray:
        """Return a boolean mask of states in which a mechanism is self-locking, shape (...).

        Both directions of motion must then be driven.

        Motors and loads of ``solve_for`` then give positive power (output ``"motor_power"``) for
        impending sliding in the direction of ``sense`` and in the opposite one.  Where power is NaN
        the result is False: if it jams in one of them (see `locked`), and for inputs that are NaN.

        Parameters
        ==========

        q, sense, udot, constants, specifieds, times : optional
            As for `at_rest`.

        Raises
        ======

        TypeError, ValueError
            As for `at_rest`.

        See Also
        ========

        InverseDynamics.at_rest : The forces of the motors.

        Examples
        ========

        A block on an incline of 0.2 rad stays if the coefficient of friction is above tan(0.2):

        >>> from sympy import cos, sin
        >>> from sympy.physics.mechanics import PrismaticJoint, RigidBody, System
        >>> import jointwrench as jw
        >>> ground, block = RigidBody("ground"), RigidBody("block", mass=2)
        >>> slide = PrismaticJoint("slide", ground, block,
        ...                        joint_axis=cos(0.2) * ground.x + sin(0.2) * ground.y)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(slide)
        >>> system.apply_uniform_gravity(-10 * ground.y)
        >>> for mu in (0.1, 0.3):
        ...     idyn = jw.InverseDynamics(system, frictions=[jw.JointFriction(slide, mu)])
        ...     print(idyn.self_locking([0], [1]))
        False
        True
        """
        given = q, sense, udot, "motor_power", constants, specifieds, times
        one, other = self.at_rest(*given)
        return (one.motor_power > 0) & (other.motor_power > 0)

    def close_motion(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        guess: Any = None,
        times: Any = None,
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Return the motion that satisfies the constraints, from its independent entries.

        The independent coordinates and speeds are ``system.q_ind`` and ``system.u_ind``, or those
        of KanesMethod.  The others follow from the loops and constraints: coordinates by Newton's
        method, speeds and their derivatives by a linear solve each.  The returned q, u and udot are
        new arrays, or None if not given; in a singular pose, speeds that the constraints do not
        determine are NaN.

        Parameters
        ==========

        q : array_like, shape (..., N, n_q) or (n_q,)
            Generalized coordinates at N successive samples, or at one.  The search starts from the
            dependent entries of the first sample; the others are ignored.
        u, udot : array_like, shape (..., N, n), optional
            Generalized speeds and their time derivatives; dependent entries are ignored.
        constants, specifieds, times : optional
            As for what `compile` returns.
        guess : array_like, shape (n_q,) or (..., N, n_q), optional
            Coordinates near which to assemble the mechanism, which selects its assembly mode: for
            the first sample, or for each one.  A sample with NaN for a dependent coordinate starts
            from the sample before, and stays in its assembly mode.  Dependent angles end within
            half a turn of it if that closes the loops.  Default: those of ``q`` for the first
            sample, NaN for all others.

        Raises
        ======

        TypeError, ValueError
            If the mechanism cannot be assembled, naming the first such sample and the remaining
            error; if the model declares other coordinates or speeds dependent than its constraints
            determine; if an argument holds anything but real numbers, shapes do not match, an
            independent entry is not finite, or a value is missing.

        See Also
        ========

        Trajectory.closed : The same for a Trajectory.

        Notes
        =====

        The assembly mode is followed from sample to sample: joints should not turn by more than
        about a radian from one to the next.

        A loop is closed if its error is less than 1e-9 of the mechanism's size; a pose is singular
        if the constraint Jacobian is of lower rank to 1e-10.  Neither depends on units.

        Examples
        ========

        A slider-crank, with a crank of length 1 and a rod of length 2:

        >>> import numpy as np
        >>> from sympy.physics.mechanics import PinJoint, RigidBody, System
        >>> import jointwrench as jw
        >>> ground, crank, rod = (RigidBody(name) for name in ("ground", "crank", "rod"))
        >>> main = PinJoint("main", ground, crank, child_point=-crank.x / 2, joint_axis=ground.z)
        >>> knee = PinJoint("knee", crank, rod, parent_point=crank.x / 2, child_point=-rod.x,
        ...                 joint_axis=crank.z)
        >>> slider = jw.LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(main, knee)
        >>> system.add_holonomic_constraints(*slider.holonomic_constraints)
        >>> system.q_ind, system.q_dep = main.coordinates, knee.coordinates
        >>> system.u_ind, system.u_dep = main.speeds, knee.speeds
        >>> idyn = jw.InverseDynamics(system, loops=[slider])
        >>> q, u, _ = idyn.close_motion([np.pi / 2, -1], [1, 0])
        >>> bool(np.isclose(q[1], -np.pi / 2 - np.pi / 6)), bool(np.isclose(u[1], -1))
        (True, True)
        """
        self.check_unchanged()
        values = {"constants": constants, "specifieds": specifieds, "times": times}
        return self.model.closed_motion.solve(q, u, udot, guess, **values)


def _check_redundancy(redundancy: Any) -> LeastEnergy | None:
    """Return the choice of undetermined forces by compliances, if there is one."""
    if isinstance(redundancy, Mapping):
        from ..dynamics.outputs.least_energy import LeastEnergy

        return LeastEnergy(redundancy)
    check_choice("redundancy", redundancy, ("nan", "least_norm"))
    if redundancy == "least_norm":
        warn(
            "`redundancy` 'least_norm' is deprecated, since its result depends on where loops are "
            "cut and on the model's lengths, and version 2.0 removes it. Use "
            "redundancy={joint: compliance}, six numbers for each joint that is elastic.",
            DeprecationWarning,
        )
    return None


def check_idyn(idyn: Any) -> InverseDynamics:
    """Return the argument ``idyn`` if it is an InverseDynamics of a model that was not changed."""
    fix = "Use InverseDynamics(system)."
    check_instance("idyn", idyn, InverseDynamics, "an InverseDynamics", fix).check_unchanged()
    return idyn
