"""From a `KanesMethod` and the connections of its bodies to a `Tree`."""

from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import replace
from typing import Any

from sympy import Derivative, Expr, ImmutableDenseMatrix, Matrix, Pow, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, Lagrangian
from sympy.physics.vector import ReferenceFrame

from ....checks.arguments import check_instance, check_mapping, shorten
from ....checks.messages import warn
from ...adapters.private_sympy import KaneParts, lagrangian_of
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph
from ...spatial.components import find_time, is_constant, position_components, vector_components
from ...spatial.paths import position_from
from ...sympy_objects import Body, check_real, is_particle
from ..deduced_structure import Deduced, KaneModel
from ..loop_closures import Constraints, LoopClosure
from ..relative_motion import RelativeMotion, Side, motion_across, speeds_in
from ..time_derivative import TimeDerivative
from ..tree import Link, TopologyError, Tree
from .auxiliary_speeds import auxiliary_zeros, without_reactions
from .bodies import attached_at, mass_properties, potential_energy_problems
from .connections import (
    Connection,
    check_connections,
    connection_problems,
    find_welds,
    is_ground,
    sort_outward,
)
from .deduced_connections import DeducedConnections
from .fixed_places import deduced_sites, find_load_bodies
from .ground import find_fixed_point, ground_points
from .kinematic_equations import solve_rates
from .kinematics_check import loose_point_problems, stated_velocity
from .load_reader import check_load, with_loads
from .owners import UserOwners, rod_frames
from .random_state import Manifold, RandomState
from .solids import Solids
from .stated_motion import EvaluatedMotion
from .system_reader import advice_for
from .velocity_check import acceleration_problems, compare_velocities, load_problems


def read_kane(
    model: KaneModel,
    unknowns: Sequence[Expr] = (),
    loops: Sequence[Any] | None = None,
    owners: UserOwners | None = None,
) -> Tree:
    """Return the tree of a KanesMethod or LagrangesMethod.

    Raise a TopologyError that lists the model's problems if it cannot be read.

    Parameters
    ==========

    model : KaneModel
        The method, with the user's connections or None to deduce them.
    unknowns : sequence of Expr, optional
        The load symbols that the user solves for.
    loops : sequence of LoopJoint or Contact, optional
        The user's loop joints.  If they are None and the model has constraints, the tree has the
        points and frames from which loop joints can be deduced.
    owners : mapping, optional
        The user's bodies of loads by location, as for `SystemMethod.from_kane`.
    """
    kane, connections, argument, _ = model
    given = None if connections is None else check_connections(connections)
    bodies, own = _bodies(kane, argument), KaneParts.of(kane)
    if isinstance(kane, LagrangesMethod) and (found := _lagrangian_problems(kane, own)):
        raise TopologyError(argument, found)
    time, frame, speeds = find_time(kane.q), own.inertial, tuple(kane.u)
    rates, missing = _solve_kinematics(kane, own.auxiliary_speeds, time)
    stated = _stated_rates(model.stated, {*kane.q, *speeds, *own.auxiliary_speeds}, time)
    rates = {**{rate: value.xreplace(stated) for rate, value in rates.items()}, **stated}
    # Auxiliary speeds are zero in the model (``derivative``).  Only the search for reactions among
    # the loads needs motions by these speeds (``moving``).
    zeros = {**auxiliary_zeros(own.auxiliary_speeds, time), **stated}
    own_rates = {rate: value.xreplace(zeros) for rate, value in rates.items()}
    derivative = TimeDerivative(time, {**own_rates, **zeros}, speeds)
    problems = [*missing, *potential_energy_problems(bodies)]
    children = [joint.child for joint in given or ()]
    ground = [body for body in bodies if body not in children and is_ground(body, frame)]
    moving_bodies = [body for body in bodies if body not in ground]
    velocity = tuple(x.xreplace(zeros) for x in own.velocity)
    position = tuple(x for x in own.position if not _is_conserved(x, derivative))
    loads = tuple(check_load(argument, load) for load in kane.loads or ())
    loaded = [x.location for x in loads if isinstance(x.location, ReferenceFrame)]
    motion = EvaluatedMotion(
        frame, moving_bodies, RandomState(derivative), Manifold(position, velocity), loaded, zeros
    )
    solids = Solids(motion, moving_bodies)
    deduced = Deduced()
    if given is None and moving_bodies:
        deduced = DeducedConnections(solids, speeds, is_open=not loops).found()
    joints = check_connections(deduced.connections) if given is None else given
    ground += [body for body in solids.at_rest if body not in children]
    moving_bodies = [body for body in bodies if body not in ground]
    welds = find_welds(joints, moving_bodies, time, solids.welds)
    misplaced = connection_problems(frame, [*joints, *welds], moving_bodies)
    if problems or misplaced:
        raise TopologyError(argument if problems else "connections", [*problems, *misplaced])
    moving = TimeDerivative(time, rates, speeds)
    loads = without_reactions(loads, own.auxiliary_speeds, moving, frame, unknowns)
    if own.auxiliary_speeds and velocity:
        from .auxiliary_constraints import warn_of_sums

        warn_of_sums(moving, own, frame, moving_bodies)
    specified, owners = owners or {}, {**find_load_bodies(solids, loads), **(owners or {})}
    links = _links(joints, welds, frame, derivative, owners, argument)
    state = _consistent_state(links, motion, argument)
    for problem in acceleration_problems(bodies, frame, derivative, state):
        warn(problem)
    on_ground = (joint.child_point for joint in joints if joint.parent is frame)
    tree = Tree(
        frame=frame,
        ground=tuple(ground),
        links=tuple(links),
        joints=tuple(joints),
        loads=loads,
        coordinates=tuple(kane.q),
        speeds=speeds,
        derivative=derivative,
        fixed_point=find_fixed_point(links, on_ground, loads, frame, state),
    )
    constraints = Constraints(
        ground_points=ground_points(tree, state),
        position=position,
        velocity=velocity,
        coordinates=tuple(q for q in kane.q if q not in own.dependent_coordinates),
        independent=tuple(u for u in kane.u if u not in own.dependent_speeds),
    )
    if loops is None and constraints:
        deduced = deduced._replace(sites=deduced_sites(solids))
    closings: tuple[LoopClosure, ...] = ()
    if loops:
        from .loop_reader import read_closings

        closings = read_closings(tree, loops)
    constraints = replace(constraints, closings=closings)
    tree = replace(tree, deduced=deduced, constraints=constraints)
    tree = with_loads(tree, unknowns, owners)
    if misplaced := load_problems(tree, motion, specified):
        raise TopologyError(argument, misplaced)
    return tree


def _bodies(kane: KanesMethod | LagrangesMethod, argument: str) -> tuple[Body, ...]:
    """Return the bodies of a method.

    Raise a TypeError if the object is no method, and a ValueError if it has no bodies.
    """
    kinds = KanesMethod, LagrangesMethod
    check_instance(argument, kane, kinds, "a sympy.physics.mechanics.KanesMethod", advice_for(kane))
    if not kane.bodies:
        fix = (
            "LagrangesMethod(Lagrangian(N, *bodies), q, bodies=bodies, forcelist=[...], frame=N), "
            "with weights and springs as loads, for a Lagrangian does not say where forces act"
            if isinstance(kane, LagrangesMethod)
            else "KanesMethod(..., bodies=[...], forcelist=[...]), or kane.kanes_equations(bodies, "
            "loads) first"
        )
        raise ValueError(f"`{argument}` must have bodies, got none. Use {fix}.")
    return tuple(kane.bodies)


def _lagrangian_problems(method: LagrangesMethod, own: KaneParts) -> list[str]:
    """Return the problems of a LagrangesMethod that its bodies and loads do not define.

    Its Lagrangian must be the bodies' own: further terms would be forces at unknown points.  The
    difference must be identically zero, which is decided at random states.
    """
    problems = []
    if own.velocity:
        problems.append(
            "the LagrangesMethod has constraints and does not say which coordinates depend on "
            "others. Use a KanesMethod with q_dependent and u_dependent."
        )
    if own.inertial is None:
        return [*problems, "the LagrangesMethod has no frame. Use LagrangesMethod(..., frame=N)."]
    graph = Graph()
    rest = Lagrangian(own.inertial, *method.bodies) - lagrangian_of(method)
    if not GenericState(graph).is_zero(graph.scalar(rest)):
        problems.append(
            "the Lagrangian is not that of the bodies, and does not say where further forces act. "
            "Give weights and springs as loads: LagrangesMethod(Lagrangian(N, *bodies), q, "
            "forcelist=[...], bodies=bodies, frame=N)."
        )
    return problems


def _consistent_state(links: Sequence[Link], motion: EvaluatedMotion, argument: str) -> RandomState:
    """Return a state at which velocities are the rates of positions, or raise a TopologyError.

    Warn of connections at points that are fixed in neither body.
    """
    motion, contradictions = compare_velocities(links, motion)
    state = motion.state
    if contradictions:
        unknown = _unknown_rates(links, state, motion.inertial)
        raise TopologyError(argument, [*contradictions, *unknown])
    for problem in loose_point_problems(links, state):
        warn(problem)
    return state


def _stated_rates(given: Any, states: Set[Expr], time: Symbol) -> dict[Expr, Expr]:
    """Return the user's rates of functions of time, and the second derivatives, by derivative.

    Raise a ValueError for a rate of a coordinate or speed, which the equations define.
    """
    rates = {}
    for rate, value in check_mapping("rates", given).items():
        of = rate.expr if isinstance(rate, Derivative) else None
        if not isinstance(of, AppliedUndef) or of in states or rate != of.diff(time):
            raise ValueError(
                "`rates` must have first derivatives of functions of time that are neither "
                f"coordinates nor speeds, got {rate}. Use {{T.diff(): 1}}."
            )
        rates[rate] = check_real("rates", value)
        rates[rate.diff(time)] = rates[rate].diff(time)
    return rates


def _unknown_rates(links: Sequence[Link], state: RandomState, frame: ReferenceFrame) -> list[str]:
    """Return a hint for each function of time in poses whose rate no velocity contains.

    The missing rate may be the cause of velocities that contradict positions.
    """
    bodies = [link.body for link in links]
    velocities = [stated_velocity(body.masscenter, frame) for body in bodies]
    velocities += [body.frame.ang_vel_in(frame) for body in bodies if not is_particle(body)]
    parts = [part for velocity in velocities for part in velocity.args]
    poses = [own.dcm(frame) for own in dict.fromkeys(own for _, own in parts)]
    poses += [link.motion.offset for link in links]
    known = {rate.args[0] for rate in state.derivative.rates}
    known |= {rate.args[0] for matrix, _ in parts for rate in matrix.atoms(Derivative)}
    functions = {x for pose in poses for x in pose.atoms(AppliedUndef)} - known
    return [
        f"no velocity contains the rate of {x}, on which positions depend. If it is the time, use "
        f"from_kane(kane, rates={{{x}.diff(): 1}}); otherwise state its own rate there."
        for x in sorted(functions, key=str)
    ]


def _is_conserved(equation: Expr, derivative: TimeDerivative) -> bool:
    """Whether a configuration constraint holds for all speeds, like a quaternion's unit norm.

    Its derivative is then identically zero by the kinematical differential equations.
    """
    graph = Graph()
    return GenericState(graph).is_zero(graph.scalar(derivative.of(equation)))


def _solve_kinematics(
    kane: KanesMethod | LagrangesMethod, auxiliary: Sequence[Expr], time: Symbol
) -> tuple[dict[Derivative, Expr], list[str]]:
    """Return the rates of coordinates by derivative, and the problems of their equations.

    KanesMethod has solved its kinematical differential equations.  If it divided by pivots that may
    vanish in regular poses, they are solved again by cofactors, unless there are auxiliary speeds.
    """
    if isinstance(kane, LagrangesMethod):
        return solve_rates(tuple(kane.q), tuple(kane.u), (), time)
    try:
        solved = dict(kane.kindiffdict())
    except AttributeError:  # raised by a KanesMethod without equations
        return {}, [
            "the KanesMethod has no kinematical differential equations. Use "
            "KanesMethod(..., kd_eqs=[...])."
        ]
    powers = {power for value in solved.values() for power in value.atoms(Pow)}
    divisors = (power.base for power in powers if power.exp.is_negative)
    if auxiliary or not any(divisor.free_symbols for divisor in divisors):
        return solved, []
    given = copy(kane)
    given.explicit_kinematics = False
    kdes = given.mass_matrix_kin * Matrix(kane.q).diff(time) - given.forcing_kin
    rates, problems = solve_rates(tuple(kane.q), tuple(kane.u), tuple(kdes), time)
    return (solved if problems else rates), []


def _links(
    joints: Sequence[Connection],
    welds: Sequence[Connection],
    frame: ReferenceFrame,
    derivative: TimeDerivative,
    owners: UserOwners,
    argument: str,
) -> list[Link]:
    """Return the links of connections and welds, parents before children.

    Raise one TopologyError with the problems of all connections.
    """
    links: list[Link] = []
    problems, rods = list[str](), dict[Body, ReferenceFrame]()
    try:
        rods = rod_frames(owners, derivative.time)
    except ValueError as error:
        problems.append(str(error))
    for joint in sort_outward([*joints, *welds]):
        if joint.parent in (frame, *(link.body for link in links)):
            try:
                link = _link(joint, links, frame, derivative, rods)
                links.append(replace(link, joint=None) if joint in welds else link)
            except ValueError as error:
                problems.append(str(error))
    if problems:
        raise TopologyError(argument, problems)
    return links


def _link(
    joint: Connection,
    links: Sequence[Link],
    inertial: ReferenceFrame,
    derivative: TimeDerivative,
    rods: Mapping[Body, ReferenceFrame],
) -> Link:
    """Return the link of a connection's child: its relative motion and mass properties.

    Each side has two frames.  The interframe is the body's own frame; for a particle it is its
    rod's frame or the parent's frame.  Components are expressed in the side's frame, which differs
    from the interframe if that has no orientation: a wheel may be defined by a speed only.

    Raise a ValueError if positions, orientations or velocities are missing, or if velocities are
    not linear in the speeds.
    """
    on_ground = isinstance(joint.parent, ReferenceFrame)
    inner_at = None if on_ground else next(i for i, k in enumerate(links) if k.body is joint.parent)
    inner_frame = inertial if inner_at is None else links[inner_at].frame
    center = joint.child.masscenter
    inner_own = inner_frame if inner_at is None else links[inner_at].outer_side.interframe
    own = rods.get(joint.child, inner_own) if is_particle(joint.child) else joint.child.frame
    try:
        frame = inner_frame
        if own is not inner_own:
            from .symmetric_bodies import stand_in

            frame = stand_in(joint.child, own, inertial)
        inner = Side(
            joint.child if inner_at is None else joint.parent, inner_frame, inner_own, center
        )
        outer = Side(joint.child, frame, own, center)
        if inner_at is not None:
            inner, outer = (_side_at_joint(side, joint, derivative.time) for side in (inner, outer))
        motion = _motion(inner, outer, on_ground, derivative)
        attachment = attached_at(inner, None if inner_at is None else links[inner_at])
        wrench_point = position_components(joint.child_point, outer.point, frame)
    except ValueError as error:
        reason = shorten(str(error), 200)
        raise ValueError(f"the kinematics of {joint} are not complete: {reason}") from error
    _check_linear(joint, motion, derivative.order.keys())
    return Link(
        joint=joint,
        inner=inner_at,
        inner_side=inner,
        outer_side=outer,
        attachment=attachment,
        motion=motion,
        wrench_point=ImmutableDenseMatrix(wrench_point),
        **mass_properties(outer, derivative.time),
    )


def _side_at_joint(side: Side, joint: Connection, time: Symbol) -> Side:
    """Return a side whose point is the joint's if it is fixed in the body, else the mass centre."""
    center = side.body.masscenter
    parts = position_from(joint.child_point, center).args
    is_fixed = all(own is side.frame and is_constant(part, time) for part, own in parts)
    return replace(side, point=joint.child_point if is_fixed else center)


def _motion(
    inner: Side, outer: Side, on_ground: bool, derivative: TimeDerivative
) -> RelativeMotion:
    """Return the motion of the outer side relative to the inner side.

    Relative to ground both sides have the child's mass centre as their point, and the motion has
    the user's velocity of this point.  No position is needed then: a body may roll.
    """
    if all(side.frame is side.interframe for side in (inner, outer)):
        motion = motion_across(None, inner, outer, derivative)
    else:
        from .symmetric_bodies import turning_motion

        motion = turning_motion(inner, outer, derivative)
    if not on_ground:
        return motion
    velocity = vector_components(outer.point.vel(inner.frame), inner.frame)
    velocity = ImmutableDenseMatrix(derivative.in_speeds(velocity))
    moved = Matrix([*motion.angular_velocity, *velocity])
    return replace(
        motion,
        offset_velocity=velocity,
        offset_acceleration=ImmutableDenseMatrix(derivative(velocity)),
        speeds=speeds_in(derivative, moved),
    )


def _check_linear(joint: Connection, motion: RelativeMotion, speeds: Set[Expr]) -> None:
    """Raise a ValueError if a partial velocity depends on speeds."""
    for speed in motion.speeds:
        partials = motion.angular_partial(speed), motion.linear_partial(speed)
        if any(x.atoms(AppliedUndef, Derivative) & speeds for x in partials):
            raise ValueError(
                f"the velocity of {joint.child} is not linear in {speed}. Choose speeds that are "
                "linear in the derivatives of the coordinates."
            )
