"""The reader of a sympy System with joints, which returns a Tree."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from sympy import Expr, Symbol, eye, linear_eq_to_matrix
from sympy.matrices.exceptions import NonInvertibleMatrixError
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point
from sympy.solvers.solveset import NonlinearError

from ....checks.arguments import check_instance, enumerate_some, shorten
from ...adapters.private_sympy import stated_velocity_constraints
from ...arithmetic.expression_derivatives import ExpressionDerivatives
from ...spatial.components import body_frame, find_time, is_constant
from ...spatial.paths import is_placed
from ...sympy_objects import Body, is_particle
from ..deduced_structure import Deduced
from ..loop_closures import Constraints, LoopClosure
from ..relative_motion import RelativeMotion, Side, motion_across
from ..time_derivative import TimeDerivative
from ..tree import Link, TopologyError, Tree
from .auxiliary_speeds import auxiliary_zeros, without_reactions
from .bodies import (
    attached_at,
    duplicate_name_problems,
    find_weld_parent,
    mass_properties,
    potential_energy_problems,
)
from .ground import ground_points
from .kinematic_equations import solve_rates
from .kinematics_check import kinematics_problems
from .load_reader import find_owners, loads_of, with_loads
from .owners import Owners, UserOwners
from .random_state import Manifold, RandomState


@dataclass
class _Reader:
    """Collects the links of a System, from ground outwards, and all problems that were found.

    Attributes
    ==========

    system : System
        The user's model.
    derivative : TimeDerivative
        Differentiates with respect to time, in speeds; auxiliary speeds are zero.
    problems : list
        Texts of the problems.
    links : list
        The links that were read so far.
    index : dict
        The index of each known body's link; None for ground.
    waiting : list
        The joints that were not reached yet.
    """

    system: System
    derivative: TimeDerivative
    problems: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    index: dict[Body, int | None] = field(default_factory=dict)
    waiting: list[Joint] = field(default_factory=list)


def read_system(
    system: System,
    unknowns: Sequence[Expr] = (),
    loops: Sequence[Any] | None = None,
    owners: UserOwners | None = None,
) -> Tree:
    """Return the tree of a System, or raise a TopologyError that lists all problems.

    Parameters
    ==========

    system : System
        The user's model.
    unknowns : sequence of Expr
        The symbols in loads for which the user solves.
    loops : sequence of loop joints and contacts, optional
        The joints that close loops, already checked.  Without them, a tree of a System with
        constraints gets the candidate sites of loop joints.
    owners : mapping of point or frame to body, optional
        The bodies that the user chose for loads.
    """
    expected = "a sympy.physics.mechanics.System"
    check_instance("system", system, System, expected, advice_for(system))
    time = _time(system)
    auxiliary = tuple(system.u_aux)
    zeros = auxiliary_zeros(auxiliary, time)
    kdes = [kde.xreplace(zeros) for kde in system.kdes]
    rates, problems = solve_rates(system.q, system.u, kdes, time)
    given = {**rates, **_prescribed_speeds(system)}
    speeds = tuple(system.u)
    reader = _Reader(system, TimeDerivative(time, {**given, **zeros}, speeds))
    reader.problems += [*_shared_coordinate_problems(system), *problems]
    reader.problems += potential_energy_problems(system.bodies)
    velocity = tuple(x.xreplace(zeros) for x in _velocity_constraints(system, time))
    if system.u_dep and not velocity and not loops:
        reader.problems.append(
            f"it has {len(system.u_dep)} dependent speeds but no constraints. Use "
            "System.add_holonomic_constraints and add_nonholonomic_constraints."
        )
    reader.waiting = list(system.joints)
    _read_links(reader)
    reader.problems += _missing_speed_problems(reader)
    position = tuple(system.holonomic_constraints)
    if not problems:
        unjoined = _unjoined_bodies(reader)
        manifold = Manifold.of(reader.links, position, velocity)
        reader.problems += kinematics_problems(system, reader.derivative, unjoined, manifold)
        reader.problems += _joint_velocity_problems(reader, manifold)
    # Reactions are found by their power on auxiliary speeds, which are not zero here.
    moving = TimeDerivative(time, given, speeds)
    tree = Tree(
        frame=system.frame,
        ground=tuple(body for body, link in reader.index.items() if link is None),
        links=tuple(reader.links),
        joints=tuple(system.joints),
        loads=without_reactions(loads_of(system), auxiliary, moving, system.frame, unknowns),
        coordinates=tuple(system.q),
        speeds=speeds,
        derivative=reader.derivative,
        fixed_point=system.fixed_point,
        system=system,
    )
    if reader.problems:
        raise TopologyError(
            "system", [*reader.problems, *_stray_load_problems(reader, tree, owners)]
        )
    closings: tuple[LoopClosure, ...] = ()
    if loops:
        from .loop_reader import read_closings

        closings = read_closings(tree, loops)
    constraints = Constraints(
        closings=closings,
        ground_points=ground_points(tree),
        position=position,
        velocity=velocity,
        coordinates=tuple(system.q_ind),
        independent=tuple(system.u_ind),
    )
    deduced = None
    if loops is None and constraints:
        from .joint_handles import joint_sites

        deduced = Deduced(sites=joint_sites(tree))
    return with_loads(replace(tree, constraints=constraints, deduced=deduced), unknowns, owners)


def advice_for(model: Any) -> str:
    """Return the advice in the error for an object that is not a System."""
    if isinstance(model, KanesMethod | LagrangesMethod):
        return f"Use InverseDynamics.from_kane(method) for a {type(model).__name__}."
    if isinstance(model, System):
        return "Use InverseDynamics(system) for a System."
    if isinstance(getattr(model, "system", None), System):
        return "Use chain.system of a SerialChain, or .system of another model."
    return "Use a System made of bodies and joints, or a KanesMethod with from_kane."


def _stray_load_problems(reader: _Reader, tree: Tree, given: UserOwners | None) -> list[str]:
    """Return the problems of loads without owner, if the links of all bodies are known."""
    is_known = all(body in reader.index for body in reader.system.bodies)
    if not is_known or any(link.masscenter is None for link in tree.links):
        return []
    stray = find_owners(tree, Owners(tree, given))[1]
    return list(dict.fromkeys(problem for _, problem in stray))


def _time(system: System) -> Symbol:
    """Return the time symbol of the coordinates.

    Without coordinates it is the time in the joints' coordinates, the loads and the poses.
    """
    if system.q:
        return find_time(system.q)
    given = [coordinate for joint in system.joints for coordinate in joint.coordinates]
    vectors = [load.vector for load in system.loads]
    poses = [pose for body in system.bodies if (pose := _pose(body, system))]
    matrices = [matrix for vector in vectors for matrix, _ in vector.args]
    return find_time([*given, *chain(*matrices, *(part for pose in poses for part in pose))])


def _prescribed_speeds(system: System) -> dict[Expr, Expr]:
    """Return each speed of a joint with prescribed coordinates, in their derivatives.

    The coordinates and speeds of these joints are not states of the System.  The joints' own
    kinematical differential equations, which are linear in their speeds, are solved.
    """
    states = {*system.q, *system.u}
    given: dict[Expr, Expr] = {}
    for joint in system.joints:
        is_given = states.isdisjoint([*joint.coordinates, *joint.speeds])
        if is_given and joint.speeds and len(joint.kdes) == len(joint.speeds):
            with suppress(NonlinearError, NonInvertibleMatrixError):
                matrix, right = linear_eq_to_matrix(list(joint.kdes), list(joint.speeds))
                given.update(zip(joint.speeds, matrix.LUsolve(right), strict=True))
    return given


# -- problems of the System as a whole ----------------------------------------


def _shared_coordinate_problems(system: System) -> list[str]:
    """Return the problems of coordinates, speeds and names that several joints share."""
    problems = []
    for kind in ("coordinates", "speeds"):
        users: dict[Expr, list[str]] = {}
        for joint in system.joints:
            for symbol in getattr(joint, kind):
                users.setdefault(symbol, []).append(joint.name)
        problems += [
            f"the joints {enumerate_some(names)} share the {kind[:-1]} {symbol}. Give each its own."
            for symbol, names in users.items()
            if len(names) > 1
        ]
    return problems + duplicate_name_problems(system.joints)


def _missing_speed_problems(reader: _Reader) -> list[str]:
    """Return the problems of speeds that move joints, but are not among the System's speeds."""
    known = {*reader.derivative.speeds, *reader.derivative.rates}
    return [
        f"the joint {link.joint.name!r} moves with the speed {speed}, which is none of the "
        f"System's speeds. Use system.add_speeds({speed}), with independent=False if it depends "
        "on others by constraints."
        for link in reader.links
        if link.joint is not None
        for speed in link.joint.speeds
        if speed not in known and link.motion.depends_on_speed(speed)
    ]


def _joint_velocity_problems(reader: _Reader, manifold: Manifold) -> list[str]:
    """Return the problems of velocities that a joint of moving bodies sets in the inertial frame.

    sympy's joints set velocities of points in their ``parent_interframe``.  If this is the inertial
    frame although the parent moves, the velocities can be wrong.  Otherwise nothing is compared.
    """
    frame, links = reader.system.frame, reader.links
    joints = (link.joint for link in links if link.inner is not None and link.joint is not None)
    if all(joint.parent_interframe is not frame for joint in joints):
        return []
    from .stated_motion import EvaluatedMotion
    from .velocity_check import compare_velocities

    bodies, state = [link.body for link in links], RandomState(reader.derivative)
    return compare_velocities(links, EvaluatedMotion(frame, bodies, state, manifold))[1]


# -- connections of bodies ------------------------------------------------------


def _read_links(reader: _Reader) -> None:
    """Add the links of all bodies, from ground outwards, or problems.

    A body that no joint connects with ground is part of ground if it is at rest, welded to a body
    in which it is fixed, or moves relative to ground as prescribed.  Joints from the System's own
    frame and fixed point are followed first: a body that they connect with ground becomes a link,
    even if it is at rest.
    """
    system = reader.system
    for is_ground in (_is_given_as_ground, _is_at_rest):
        for body in system.bodies:
            if body not in reader.index and is_ground(body, reader):
                reader.index[body] = None
        _follow_joints(reader)
    _follow_welds(reader)
    prescribed = _prescribed_bodies(reader)
    if not any(link is None for link in reader.index.values()) and not prescribed:
        reader.problems.append(
            f"no body is fixed in the System's frame {system.frame}. Build the System with "
            "System.from_newtonian(ground) and join the first body to ground."
        )
        return
    for body in prescribed:
        frame = getattr(body, "frame", None)
        if _weld_parent(reader, body, [x.body for x in reader.links if x.frame is frame]) is None:
            _add_prescribed_root(reader, body)
    _follow_joints(reader)
    _follow_welds(reader)
    floating = [body.name for body in system.bodies if body not in reader.index]
    if floating:
        reader.problems.append(
            f"no joint leads from ground to {enumerate_some(floating)}. Join one of them to "
            "ground; a body that moves freely needs a joint with six degrees of freedom: FreeJoint."
        )


def _is_given_as_ground(body: Body, reader: _Reader) -> bool:
    """Whether a body has the System's own frame or fixed point."""
    system = reader.system
    return body.masscenter is system.fixed_point or getattr(body, "frame", None) is system.frame


def _is_at_rest(body: Body, reader: _Reader) -> bool:
    """Whether stated positions and orientations fix a body in the System's frame.

    Positions that only joints state do not count.
    """
    time = reader.derivative.time
    pose = _pose(body, reader.system)
    is_fixed = pose is not None and all(is_constant(part, time) for part in pose)
    return is_fixed and _is_placed(body, reader)


def _is_placed(body: Body, reader: _Reader) -> bool:
    """Whether stated positions lead from the fixed point to a body without any joint."""
    return is_placed(body.masscenter, reader.system.fixed_point, _joint_gaps(reader))


def _joint_gaps(reader: _Reader) -> set[frozenset[Point]]:
    """Return the pairs of points that joints connect."""
    return {frozenset((joint.parent_point, joint.child_point)) for joint in reader.system.joints}


def _weld_parent(reader: _Reader, body: Body, others: Iterable[Body]) -> Body | None:
    """Return the body among some in which a body is fixed without a joint, or None."""
    return find_weld_parent(body, others, reader.derivative.time, _joint_gaps(reader))


def _pose(body: Body, system: System) -> tuple[Any, Any] | None:
    """Return a body's position and orientation in the System's frame; None if unknown.

    The position is from the fixed point.  The orientation of a particle is the identity.
    """
    try:
        position = body.masscenter.pos_from(system.fixed_point).to_matrix(system.frame)
        if is_particle(body):
            return position, eye(3)
        return position, body.frame.dcm(system.frame)
    except ValueError:  # sympy finds no path between the points or the frames
        return None


def _prescribed_bodies(reader: _Reader) -> list[Body]:
    """Return the bodies without a joint to ground whose pose is a function of time.

    The pose contains no coordinates and speeds.
    """
    system = reader.system
    states = (*system.q, *system.u)
    found = []
    for body in system.bodies:
        pose = None if body in reader.index else _pose(body, system)
        if pose is None or (states and any(part.has(*states) for part in pose)):
            continue
        if _is_placed(body, reader):
            found.append(body)
    return found


def _add_prescribed_root(reader: _Reader, body: Body) -> None:
    """Add the link of a body that moves relative to ground as prescribed."""
    system = reader.system
    ground = Side(body, system.frame, system.frame, system.fixed_point)
    frame = body_frame(body, system.frame)
    _add_link(reader, None, None, ground, Side(body, frame, frame, body.masscenter))


def _unjoined_bodies(reader: _Reader) -> list[Body]:
    """Return the bodies of known pose without a joint: ground and bodies with prescribed motion."""
    prescribed = [link.body for link in reader.links if link.joint is None and link.inner is None]
    return [*prescribed, *(body for body, link in reader.index.items() if link is None)]


def _follow_joints(reader: _Reader) -> None:
    """Add the links of joints that known bodies have, and so on outwards.

    The search is breadth-first.  At equal distance joints have the order of the System.  A joint
    between two known bodies closes a loop, which is a problem.
    """
    waiting = {joint: place for place, joint in enumerate(reader.waiting)}
    joints_at: dict[Body, list[Joint]] = {}
    for joint in waiting:
        for body in (joint.parent, joint.child):
            joints_at.setdefault(body, []).append(joint)
    front = [body for body in joints_at if body in reader.index]
    while front:
        reached = {joint for body in front for joint in joints_at.pop(body, ()) if joint in waiting}
        front = []
        for joint in sorted(reached, key=waiting.__getitem__):
            ends = joint.parent, joint.child
            if all(body in reader.index for body in ends):
                reader.problems.append(_loop_problem(joint))
            else:
                _add_joint_link(reader, joint)
            front += [body for body in ends if body in reader.index]
        for joint in reached:
            del waiting[joint]
    reader.waiting = list(waiting)


def _follow_welds(reader: _Reader) -> None:
    """Add the links of bodies that are welded to moving bodies, and of joints beyond them."""
    for body in reader.system.bodies:
        moving = (link.body for link in reader.links)
        if body in reader.index or (carrier := _weld_parent(reader, body, moving)) is None:
            continue
        at = reader.index[carrier]
        ends = ((x, body_frame(x, carrier.frame)) for x in (carrier, body))
        inner, outer = (Side(x, frame, frame, x.masscenter) for x, frame in ends)
        _add_link(reader, None, at, inner, outer)
        _follow_joints(reader)
        return _follow_welds(reader)


def _loop_problem(joint: Joint) -> str:
    """Return the problem of a joint that closes a loop."""
    return (
        f"the joint {joint.name!r} closes a loop: {joint.parent} and {joint.child} are already "
        "joined through other joints or both given places. Use a LoopJoint in its place, "
        "InverseDynamics(system, loops=[...])."
    )


# -- links ------------------------------------------------------------------------


def _add_joint_link(reader: _Reader, joint: Joint) -> None:
    """Add the link of a joint's outer body, or the problem of a joint without relative motion.

    The parent or the child of the joint can be the inner body.
    """
    is_reversed = joint.child in reader.index
    inner, outer = Side.parent(joint), Side.child(joint)
    if is_reversed:
        inner, outer = outer, inner
    at = reader.index[inner.body]
    onto = reader.system.frame if at is None else reader.links[at].frame
    inner = Side(inner.body, onto, inner.interframe, inner.point)
    try:
        motion = motion_across(joint, inner, outer, reader.derivative)
        sides = Side.parent(joint), Side.child(joint)
        of_child = motion_across(joint, *sides, reader.derivative) if is_reversed else motion
    except ValueError as error:
        reader.problems.append(_connection_problem(joint, error))
        motion = of_child = RelativeMotion.at_rest()
    _add_link(reader, joint, at, inner, outer, motion, of_child if is_reversed else None)


def _connection_problem(joint: Joint, error: Exception) -> str:
    """Return the problem of a joint whose points or frames are not connected with its bodies."""
    return (
        f"the frames or points of the joint {joint.name!r} are not connected with those of "
        f"{joint.parent} and {joint.child} ({shorten(str(error), 200)}). Do not orient or place "
        "anything again after the joint was made. A particle has no frame of its own: give the "
        "joint that it is the parent of a `parent_interframe` that is oriented in the particle's "
        "first one, or in the System's frame if no joint leads to the particle."
    )


def _add_link(
    reader: _Reader,
    joint: Joint | None,
    at: int | None,
    inner: Side,
    outer: Side,
    motion: RelativeMotion | None = None,
    child_motion: RelativeMotion | None = None,
) -> None:
    """Add the link of an outer side's body.

    Without ``motion`` the points and frames of the sides define it.  The link is reversed if there
    is a ``child_motion``: the motion of the joint's child relative to its parent.
    """
    reader.index[outer.body] = len(reader.links)
    try:
        properties = mass_properties(outer, reader.derivative.time)
    except ValueError as error:
        reader.problems.append(str(error))
        properties = dict.fromkeys(("mass", "masscenter", "inertia", "inertia_is_about_origin"))
    reader.links.append(
        Link(
            joint=joint,
            inner=at,
            is_reversed=child_motion is not None,
            inner_side=inner,
            outer_side=outer,
            attachment=attached_at(inner, None if at is None else reader.links[at]),
            motion=motion or motion_across(None, inner, outer, reader.derivative),
            child_motion=child_motion,
            **properties,
        )
    )


def _velocity_constraints(system: System, time: Symbol) -> tuple[Expr, ...]:
    """Return the residuals of all velocity constraints.

    They equal sympy's property ``velocity_constraints``, which takes minutes for ten loops: rates
    of configuration constraints are differentiated faster here.
    """
    given = stated_velocity_constraints(system)
    if given is not None:
        return given
    rates = map(ExpressionDerivatives(time).of, system.holonomic_constraints)
    return (*rates, *system.nonholonomic_constraints)
