"""From a sympy `System` to an immutable tree: who is joined to whom, and how."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Derivative, Expr, ImmutableDenseMatrix, Matrix, Symbol, linear_eq_to_matrix, zeros
from sympy.physics.mechanics import Particle, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, dynamicsymbols

from .checks import Body, check_instance
from .joints import RelativeMotion, Side, TimeDerivative, is_constant, relative_motion

#: A joint, the index of the link that it leads to (None: ground), whether the
#: joint's child is the body nearer to ground.
Step = tuple[Joint, int | None, bool]


class TopologyError(ValueError):
    """A System whose bodies and joints are no tree that stands on ground."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        listing = "".join(f"\n- {problem}" for problem in problems)
        super().__init__(f"`system` must be a tree of bodies that stands on ground, but:{listing}")


@dataclass(frozen=True)
class Link:
    """A moving body with the joint that leads from it to ground.

    Attributes
    ==========

    body : RigidBody or Particle
        The body.
    joint : Joint
        The joint that leads to ground.
    inner : int or None
        Index of the link that the joint leads to; None for ground.
    is_reversed : bool
        Whether the body is the parent (not the child) of its joint.
    frame : ReferenceFrame
        The body's frame; for a particle its joint's interframe.
    origin : Point
        The joint's attachment point on the body; lengths count from here.
    attachment : 3 x 1 matrix
        Position of the joint's attachment point on the inner body from that
        body's origin, in the inner body's frame (zero on ground).
    motion : RelativeMotion
        How the body moves relative to the inner body.
    mass : Expr
        Mass.
    masscenter : 3 x 1 matrix
        Position of the mass centre from the origin, in the body's frame.
    inertia : 3 x 3 matrix
        Inertia in the body's frame, central or about the origin.
    inertia_is_about_origin : bool
        About which of the two points ``inertia`` is.
    """

    body: Body
    joint: Joint
    inner: int | None
    is_reversed: bool
    frame: ReferenceFrame
    origin: Point
    attachment: ImmutableDenseMatrix
    motion: RelativeMotion
    mass: Expr
    masscenter: ImmutableDenseMatrix
    inertia: ImmutableDenseMatrix
    inertia_is_about_origin: bool

    @property
    def is_point_mass(self) -> bool:
        """Whether the body has no inertia of its own about its mass centre."""
        return not self.inertia_is_about_origin and self.inertia.is_zero_matrix is True

    @property
    def sides(self) -> tuple[Side, Side]:
        """The inner and the outer side of the joint."""
        return _sides(self.joint, self.is_reversed)


@dataclass(frozen=True)
class Tree:
    """The moving bodies of a System, from ground outwards.

    Attributes
    ==========

    system : System
        The System that was read.
    ground : tuple of bodies
        The bodies that are fixed in the inertial frame.
    links : tuple of Link
        The moving bodies; each stands behind the one that it is joined to.
    coordinates, speeds, accelerations : tuple of Expr
        In the order of ``system.q`` and ``system.u``.
    derivative : TimeDerivative
        Time derivatives with the kinematical differential equations solved.
    """

    system: System
    ground: tuple[Body, ...]
    links: tuple[Link, ...]
    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    accelerations: tuple[Expr, ...]
    derivative: TimeDerivative

    @classmethod
    def from_system(cls, system: System) -> "Tree":
        """Read a System.

        Raises
        ======

        TypeError
            If ``system`` is not a sympy System.
        TopologyError
            If its bodies are not joined to ground as a tree, or if it has
            constraints; all problems found are listed.
        """
        check_instance("system", system, System, "a sympy.physics.mechanics.System")
        _refuse_constraints(system)
        time = _time(system)
        derivative = TimeDerivative(time, _coordinate_rates(system, time))
        ground, steps = _walk(system)
        links: list[Link] = []
        for joint, inner, is_reversed in steps:
            links.append(_read_link(joint, inner, is_reversed, links, system, derivative))
        return cls(
            system=system,
            ground=ground,
            links=tuple(links),
            coordinates=tuple(system.q),
            speeds=tuple(system.u),
            accelerations=tuple(speed.diff(time) for speed in system.u),
            derivative=derivative,
        )

    @property
    def time(self) -> Symbol:
        """The time."""
        return self.derivative.time

    @property
    def rates(self) -> tuple[Expr, ...]:
        """The time derivative of each coordinate, in terms of speeds and coordinates."""
        return tuple(self.derivative.rates[q.diff(self.time)] for q in self.coordinates)

    @cached_property
    def index_of_body(self) -> dict[Body, int | None]:
        """Index of the link of each body, None for a body of ground."""
        indices: dict[Body, int | None] = dict.fromkeys(self.ground)
        indices.update({link.body: index for index, link in enumerate(self.links)})
        return indices

    @cached_property
    def index_of_joint(self) -> dict[Joint, int]:
        """Index of the link of each joint."""
        return {link.joint: index for index, link in enumerate(self.links)}


def _sides(joint: Joint, is_reversed: bool) -> tuple[Side, Side]:
    sides = Side.parent(joint), Side.child(joint)
    return (sides[1], sides[0]) if is_reversed else sides


# -- who is joined to whom ------------------------------------------------


def _refuse_constraints(system: System) -> None:
    kinds = {
        "holonomic constraint": system.holonomic_constraints,
        "nonholonomic constraint": system.nonholonomic_constraints,
        "velocity constraint": system.velocity_constraints,
        "dependent coordinate": system.q_dep,
        "dependent speed": system.u_dep,
        "auxiliary speed": system.u_aux,
    }
    problems = [
        f"the {kind} {item} is not supported (yet). Remove it, or replace it by joints or loads."
        for kind, items in kinds.items()
        for item in items
    ]
    if problems:
        raise TopologyError(problems)


def _is_given_as_ground(body: Body, system: System) -> bool:
    """Whether a body has the System's own frame or fixed point."""
    if body.masscenter is system.fixed_point:
        return True
    return not isinstance(body, Particle) and body.frame is system.frame


def _is_at_rest(body: Body, system: System) -> bool:
    """Whether a body is fixed in the System's frame (needs a search for paths)."""
    try:
        position = body.masscenter.pos_from(system.fixed_point).to_matrix(system.frame)
        if isinstance(body, Particle):
            return is_constant(position)
        return is_constant(position) and is_constant(body.frame.dcm(system.frame))
    except ValueError:  # sympy finds no path between the points or the frames
        return False


def _walk(system: System) -> tuple[tuple[Body, ...], list[Step]]:
    """Return the bodies of ground, and the joints from there outwards.

    Bodies that joints do not reach from ground are ground themselves where they
    are at rest.
    """
    index: dict[Body, int | None] = {}
    steps: list[Step] = []
    problems: list[str] = []
    waiting = list(system.joints)
    for is_ground in (_is_given_as_ground, _is_at_rest):
        for body in system.bodies:
            if body not in index and is_ground(body, system):
                index[body] = None
        problems += _spread(waiting, index, steps)
    ground = tuple(body for body, link in index.items() if link is None)
    problems += _floating(system, index) if ground else [_no_ground(system)]
    if problems:
        raise TopologyError(problems)
    return ground, steps


def _spread(waiting: list[Joint], index: dict[Body, int | None], steps: list[Step]) -> list[str]:
    """Follow the waiting joints outwards from the bodies in ``index``.

    Returns the problems found; reached joints leave ``waiting``.
    """
    problems = []
    while reached := [j for j in waiting if j.parent in index or j.child in index]:
        for joint in reached:
            waiting.remove(joint)
            if joint.parent in index and joint.child in index:
                problems.append(_loop(joint))
                continue
            is_reversed = joint.child in index
            inner, outer = (side.body for side in _sides(joint, is_reversed))
            steps.append((joint, index[inner], is_reversed))
            index[outer] = len(steps) - 1
    return problems


def _no_ground(system: System) -> str:
    return (
        f"no body is fixed in the System's frame {system.frame}. Build the System with "
        "System.from_newtonian(ground) and join the first body to ground."
    )


def _loop(joint: Joint) -> str:
    return (
        f"the joint {joint.name!r} closes a loop: {joint.parent} and {joint.child} are already "
        "joined through other joints or are both fixed. Closed loops are not supported (yet)."
    )


def _floating(system: System, index: Iterable[Body]) -> list[str]:
    floating = [body for body in system.bodies if body not in index]
    if not floating:
        return []
    names = ", ".join(body.name for body in floating)
    return [
        f"no joint leads from ground to {names}. Join one of them to ground; a body that "
        "moves freely needs a joint with six degrees of freedom."
    ]


# -- motion and mass --------------------------------------------------------


def _time(system: System) -> Symbol:
    """Return the time symbol, which users may have replaced."""
    for coordinate in system.q:
        return coordinate.args[0] if coordinate.is_Function else coordinate.variables[0]
    return dynamicsymbols._t


def _coordinate_rates(system: System, time: Symbol) -> dict[Derivative, Expr]:
    """Solve the kinematical differential equations for the coordinates' derivatives."""
    rates = {coordinate.diff(time): coordinate.diff(time) for coordinate in system.q}
    rest = []
    for kde in system.kdes:
        solved = _solve_simple(kde, rates)
        if solved is None:
            rest.append(kde)
        else:
            rates[solved[0]] = solved[1]
    if rest:
        rates.update(_solve_coupled(rest, list(rates)))
    speeds = set(system.u)
    unknown = [
        str(rate.expr) for rate, value in rates.items() if value == rate and rate not in speeds
    ]
    if unknown:
        raise ValueError(
            f"`system` must have a kinematical differential equation for each coordinate, but "
            f"none gives the derivative of {', '.join(unknown)}. Use system.add_kdes(...)."
        )
    return rates


def _solve_simple(kde: Expr, rates: Iterable[Derivative]) -> tuple[Derivative, Expr] | None:
    """Solve ``u - q'`` and the like, which needs no linear algebra."""
    found = [derivative for derivative in kde.atoms(Derivative) if derivative in rates]
    if len(found) != 1:
        return None
    rest, coefficient = kde.as_independent(found[0], as_Add=True)
    factor = coefficient / found[0]
    if not factor.is_number:
        return None
    return found[0], -rest / factor


def _solve_coupled(kdes: list[Expr], rates: list[Derivative]) -> dict[Derivative, Expr]:
    unknowns = [rate for rate in rates if any(kde.has(rate) for kde in kdes)]
    if len(unknowns) != len(kdes):
        raise ValueError(
            f"`system` must have one kinematical differential equation for each coordinate, got "
            f"{len(kdes)} equations for {', '.join(map(str, unknowns))}."
        )
    matrix, right = linear_eq_to_matrix(kdes, unknowns)
    return dict(zip(unknowns, matrix.LUsolve(right), strict=True))


def _read_link(
    joint: Joint,
    inner_index: int | None,
    is_reversed: bool,
    links: Sequence[Link],
    system: System,
    derivative: TimeDerivative,
) -> Link:
    inner, outer = _sides(joint, is_reversed)
    if inner_index is None:
        inner = Side(inner.body, system.frame, inner.interframe, inner.point)
        attachment = zeros(3, 1)
    else:
        onto = links[inner_index]
        inner = Side(inner.body, onto.frame, inner.interframe, inner.point)
        attachment = _on_body(inner.point, onto.origin, inner.body, onto.frame)
    inertia, about_origin = _inertia(outer)
    return Link(
        body=outer.body,
        joint=joint,
        inner=inner_index,
        is_reversed=is_reversed,
        frame=outer.frame,
        origin=outer.point,
        attachment=ImmutableDenseMatrix(attachment),
        motion=_relative_motion(joint, inner, outer, derivative),
        mass=_constant(outer.body.mass, f"the mass of {outer.body}"),
        masscenter=ImmutableDenseMatrix(
            _on_body(outer.body.masscenter, outer.point, outer.body, outer.frame)
        ),
        inertia=inertia,
        inertia_is_about_origin=about_origin,
    )


def _relative_motion(
    joint: Joint, inner: Side, outer: Side, derivative: TimeDerivative
) -> RelativeMotion:
    try:
        return relative_motion(joint, inner, outer, derivative)
    except ValueError as error:
        raise TopologyError(
            [
                f"the frames of the joint {joint.name!r} are not connected with those of "
                f"{joint.parent} and {joint.child} ({error}). A particle has no frame of its "
                "own: give the joint that it is the parent of a `parent_interframe` that is "
                "oriented in the particle's first interframe."
            ]
        ) from error


def _on_body(point: Point, origin: Point, body: Body, frame: ReferenceFrame) -> Matrix:
    """Return the position of a body's point from another, by way of the mass centre."""
    center = body.masscenter
    return (point.pos_from(center) - origin.pos_from(center)).to_matrix(frame)


def _inertia(side: Side) -> tuple[ImmutableDenseMatrix, bool]:
    """Return a body's inertia matrix, and whether it is about the joint's point."""
    body = side.body
    if isinstance(body, Particle):
        return ImmutableDenseMatrix.zeros(3, 3), False
    dyadic, point = body.inertia
    about_origin = point is side.point and point is not body.masscenter
    matrix = _dyadic_matrix(dyadic if about_origin else body.central_inertia, side.frame)
    return _constant(matrix, f"the inertia of {body}"), about_origin


def _dyadic_matrix(dyadic: Dyadic, frame: ReferenceFrame) -> ImmutableDenseMatrix:
    """Return the components of a dyadic in a frame.

    Dyadic.to_matrix gives the same, in a hundred times as many operations.
    """
    matrix = zeros(3, 3)
    for coefficient, left, right in dyadic.args:
        matrix += coefficient * left.to_matrix(frame) * right.to_matrix(frame).T
    return ImmutableDenseMatrix(matrix)


def _constant(value: Any, what: str) -> Any:
    if not is_constant(value):
        raise ValueError(f"{what} must be constant in the body's frame, got {value}.")
    return value
