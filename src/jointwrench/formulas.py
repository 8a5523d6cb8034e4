"""What a derivation says: the model's symbols, and the wrenches as formulas."""

import logging
import time
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame

from .arithmetic.program import Output, Program
from .arithmetic.vectors import Vec
from .checks.arguments import Body, check_instance, check_sequence, enumerate_some
from .dynamics.contributions import motion_parts, observed_parts, supplied_parts
from .dynamics.derivation import Derivation, derive
from .dynamics.mass_distribution import check_mass_distribution
from .dynamics.outputs import input_groups, make_output, on_child
from .dynamics.rigid_body import BodyWrench
from .mechanism.reading.changes import check_unchanged, parts_of
from .mechanism.reading.kane_reader import Connection
from .mechanism.tree import Tree
from .observer import ObserverFrame
from .wrench import Wrench

_log = logging.getLogger("jointwrench")


class Formulas:
    """The symbols and formulas of a model, derived once.

    Parameters
    ==========

    tree : Tree
        The bodies and joints.
    solve_for : tuple of symbols
        Symbols in the loads that the motion determines.
    """

    def __init__(self, tree: Tree, solve_for: tuple[Expr, ...]) -> None:
        self._solve_for = solve_for
        began = time.perf_counter()
        self._derivation: Derivation = derive(tree, solve_for)
        _log.info("derived %d bodies in %.2f s", len(tree.links), time.perf_counter() - began)
        check_mass_distribution(self._derivation)
        self._outputs: dict[str, Output] = {}
        self._parts = parts_of(tree.system)

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

    def joint_wrench(self, joint: Joint | Connection | str) -> Wrench:
        """Return everything that a joint transmits and no known load accounts for.

        It is constraint reaction plus actuation.

        Parameters
        ==========

        joint : Joint or str
            A joint of the System, or its name.

        Returns
        =======

        Wrench
            On the child body, by the parent body, about ``joint.child_point``,
            in the child body's frame (for a particle: the child interframe, or
            without joints the frame of the nearest body inwards).

        Raises
        ======

        ValueError
            If the joint is not in the System.
        """
        return self._joint_formula("joint_wrenches", joint)

    def constraint_wrench(self, joint: Joint | Connection | str) -> Wrench:
        """Return the part of the joint wrench that the joint's constraint supplies.

        It is the joint wrench without its components along the joint's free
        directions, which an actuator would supply: for a pin without the moment
        about the axis, for a slider without the force along it.  It does no
        work on any motion that the joint allows.

        Parameters
        ==========

        joint : Joint or str
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

    def _joint_formula(self, output: str, joint: Joint | Connection | str) -> Wrench:
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
        return self._closed_form("generalized_forces")

    def dynamic_wrench(self, body: Body | str) -> Wrench:
        """Return the rate of change of a body's momentum in the inertial frame.

        Parameters
        ==========

        body : RigidBody, Particle or str
            A body of the System, or its name.

        Returns
        =======

        Wrench
            Force ``m a`` and moment ``I al + w x I w`` of the body, about its
            mass centre, in its frame (for a particle: its joint's interframe).

        Raises
        ======

        ValueError
            If the body is not in the System, or several have the name.
        """
        body = self._body(body)
        index = self._tree.index_of_body[body]
        if index is None:
            return Wrench(body.masscenter)
        derivation, link = self._derivation, self._tree.links[index]
        center = Vec.enter(derivation.graph, link.masscenter)
        wrench = derivation.net_wrenches[index].about(center)
        components = derivation.graph.to_sympy([scalar.ref for scalar in wrench.scalars])
        return _wrench(body.masscenter, link.frame, components)

    def contributions(
        self, joint: Joint | Connection | str, observer: ObserverFrame | None = None
    ) -> dict[str, Wrench]:
        """Return where a joint wrench comes from: parts that sum to the joint wrench.

        Parameters
        ==========

        joint : Joint or str
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
            If the joint is not in the System, or if an observer is given and
            ``dynamicsymbols._t`` is not the System's time.

        Notes
        =====

        Gravity counts as a load where not every body with mass has it, and where it
        cannot be told from other forces: on a single body, or bodies of one mass, a
        force that does not have the mass as a factor.

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
            scalars = on_child(self._derivation, index, part).scalars
            components = self._derivation.graph.to_sympy([scalar.ref for scalar in scalars])
            count = sum(known.split(" #")[0] == name for known in wrenches)
            unique = f"{name} #{count + 1}" if count else name
            wrenches[unique] = _wrench(joint.child_point, frame, components)
        return wrenches

    @cached_property
    def mass_matrix(self) -> ImmutableDenseMatrix:
        """The mass matrix as formulas, n x n: ``Q = mass_matrix * udot + bias``."""
        return self._closed_form("mass_matrix")

    @cached_property
    def bias(self) -> ImmutableDenseMatrix:
        """The generalized forces without accelerations as formulas, n x 1.

        They hold the velocity terms (Coriolis and centrifugal), gravity and all
        other known loads: ``Q = mass_matrix * udot + bias``.
        """
        return self._closed_form("bias")

    @cached_property
    def solved_loads(self) -> dict[Expr, Expr]:
        """The value of each ``solve_for`` symbol as a formula."""
        refs = self._output("solved_loads").refs
        values = self._derivation.graph.to_sympy(refs)
        return dict(zip(self._solve_for, values, strict=True))

    # -- outputs --------------------------------------------------------------

    def _joint_index(self, joint: Joint | Connection | str) -> int:
        return _position("joint", joint, self.joints)

    def _body(self, body: Body | str) -> Body:
        bodies = list(self._tree.index_of_body)
        return bodies[_position("body", body, bodies)]

    def _output(self, name: str) -> Output:
        check_unchanged(self.system, self._parts)
        if name not in self._outputs:
            self._outputs[name] = make_output(self._derivation, name)
        return self._outputs[name]

    def _program(self, outputs: Iterable[Output]) -> Program:
        return Program(self._derivation.graph, tuple(outputs), input_groups(self.inputs))

    def _closed_form(self, name: str) -> ImmutableDenseMatrix:
        return self._program([self._output(name)]).closed_form(name)


def _position(argument: str, wanted: Any, known: Sequence[Any]) -> int:
    """Return the position of a joint or body, which is given itself or by its name."""
    found = [k for k, item in enumerate(known) if item is wanted or item.name == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(
            f"`{argument}` must be one of the system's, got {wanted!r}, which {len(found)} of them "
            f"are called. Use the {argument} itself."
        )
    plural = {"joint": "joints", "body": "bodies"}[argument]
    names = enumerate_some((item.name for item in known), 10)
    raise ValueError(f"`{argument}` must be one of the system's {plural} {names}, got {wanted!r}.")


def check_symbols(solve_for: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the unknowns as a tuple of different symbols."""
    if isinstance(solve_for, (Symbol, AppliedUndef)):
        raise TypeError(f"`solve_for` must be an iterable, got {solve_for}. Use [{solve_for}].")
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
