"""From a `KanesMethod` and the connections of its bodies to a `Tree`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sympy import Derivative, Expr, ImmutableDenseMatrix, Matrix, Pow, Symbol
from sympy.physics.mechanics import KanesMethod, System
from sympy.physics.vector import Point, ReferenceFrame

from ....checks.arguments import (
    check_instance,
    check_sequence,
    describe,
    enumerate_some,
    is_empty,
    shorten,
)
from ....checks.collecting import uncollected
from ....checks.on_demand import OnDemand
from ....checks.problems import warn
from ...adapters.private_sympy import KaneParts
from ...spatial.components import time_of, vector_components
from ...spatial.paths import velocity_as_set
from ...sympy_objects import Body, is_particle
from ..closing import Constraints
from ..relative_motion import RelativeMotion, Side, motion_across
from ..time_derivative import TimeDerivative
from ..tree import Link, TopologyError, Tree
from .auxiliary_speeds import without_auxiliary, zeros_of
from .bodies import carrier_of, mass_properties, potential_energies
from .ground import fixed_point, ground_places
from .kinematic_equations import solve_rates
from .kinematics_check import loose_points
from .load_reader import assign_loads, check_load
from .owners import GivenOwners, check_owners
from .random_state import Manifold, RandomState
from .system_reader import advice_for, read_system

check_loops = OnDemand("mechanics.mechanism.reading.loop_reader", "check_loops")
read_closings = OnDemand("mechanics.mechanism.reading.loop_reader", "read_closings")
stand_in = OnDemand("mechanics.mechanism.reading.symmetric_bodies", "stand_in")
turning_motion = OnDemand("mechanics.mechanism.reading.symmetric_bodies", "turning_motion")

#: What connections are, for messages.
TRIPLES = "an iterable of (parent, child, point)"


@dataclass(frozen=True, eq=False)
class Connection:
    """A connection of two bodies in a model without joints.

    Made by `InverseDynamics.from_kane`.

    Attributes
    ==========

    parent : RigidBody, Particle or ReferenceFrame
        The body nearer to ground, or the inertial frame.
    child : RigidBody or Particle
        The body farther from ground.
    child_point : Point
        The point about which the joint wrench is taken.
    number : int
        The index of this child among those of one name; 0 if its name is unique.

    See Also
    ========

    InverseDynamics.from_kane : Makes them from triples.

    Examples
    ========

    >>> import jointwrench as jw
    >>> from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> x, u = dynamicsymbols("x u")
    >>> N, O = ReferenceFrame("N"), Point("O")
    >>> P = O.locatenew("P", x * N.x)
    >>> O.set_vel(N, 0)
    >>> P.set_vel(N, u * N.x)
    >>> bead = Particle("bead", P, 1)
    >>> kane = KanesMethod(N, [x], [u], [x.diff() - u], bodies=[bead])
    >>> jw.InverseDynamics.from_kane(kane, [(N, bead, O)]).joints[0].name
    'bead'
    """

    parent: Body | ReferenceFrame
    child: Body
    child_point: Point
    number: int = 0

    @property
    def name(self) -> str:
        """The name of the child, with a number if several have it."""
        return f"{self.child.name} #{self.number}" if self.number else self.child.name

    def __repr__(self) -> str:
        return f"Connection({self.parent}, {self.child}, {self.child_point})"


class KaneModel(NamedTuple):
    """A KanesMethod, and (parent, child, point) of each connection."""

    kane: KanesMethod
    connections: Iterable[Sequence[Any]]


@uncollected
def read_model(
    model: System | KaneModel, unknowns: Sequence[Expr] = (), loops: Any = (), owners: Any = None
) -> Tree:
    """Read a System or a KaneModel; all arguments are as the user gave them."""
    loops, owners = () if is_empty(loops) else check_loops(loops), check_owners(owners)
    if isinstance(model, KaneModel):
        return read_kane(*model, unknowns, loops, owners)
    return read_system(model, unknowns, loops, owners)


def read_kane(
    kane: KanesMethod,
    connections: Iterable[Sequence[Any]],
    unknowns: Sequence[Expr] = (),
    loops: Sequence[Any] = (),
    owners: GivenOwners | None = None,
) -> Tree:
    """Read the model of a KanesMethod.

    ``connections`` and ``owners`` are those of `SystemMethod.from_kane`.
    """
    # not needed for a System
    from .acceleration_check import foreign_accelerations
    from .velocity_check import velocity_problems

    expected = "a sympy.physics.mechanics.KanesMethod"
    check_instance("kane", kane, KanesMethod, expected, advice_for(kane))
    items = check_sequence("connections", connections, TRIPLES)
    if len(items) == 3 and isinstance(items[-1], Point):
        raise TypeError(f"`connections` must be {TRIPLES}, got a single one. Use [it].")
    joints = _numbered([_connection(item) for item in items])
    bodies = tuple(kane.bodies or ())
    time = time_of(kane.q)
    welds = _welds(joints, bodies, time)
    own = KaneParts.of(kane)
    auxiliary = own.auxiliary_speeds
    rates, missing = _rates(kane, auxiliary, time)
    zeros, speeds = zeros_of(auxiliary, time), tuple(kane.u)
    still = {rate: value.xreplace(zeros) for rate, value in rates.items()}
    derivative = TimeDerivative(time, {**still, **zeros}, speeds)
    problems = [*missing, *potential_energies(bodies)]
    children = {joint.child for joint in joints}
    ground = tuple(
        body for body in bodies if body not in children and _is_ground(body, own.inertial)
    )
    misfits = _misfits(
        own.inertial, [*joints, *welds], [body for body in bodies if body not in ground]
    )
    if problems or misfits:
        raise TopologyError("kane" if problems else "connections", [*problems, *misfits])
    frame = next(j.parent for j in joints if isinstance(j.parent, ReferenceFrame))
    given = tuple(check_load("kane", load) for load in kane.loads or ())
    moving = TimeDerivative(time, rates, speeds)
    loads = without_auxiliary(given, auxiliary, moving, frame, unknowns)
    carried = {
        body: place for place, body in (owners or {}).items() if isinstance(place, ReferenceFrame)
    }
    links = [
        replace(link, joint=None) if link.joint in welds else link
        for link in _links([*joints, *welds], frame, derivative, carried)
    ]
    velocity = tuple(x.xreplace(zeros) for x in own.velocity)
    state, contradictions = RandomState(derivative).least_told(
        lambda instant: velocity_problems(links, frame, instant),
        Manifold.of(links, own.position, velocity),
    )
    if contradictions:
        raise TopologyError("kane", contradictions)
    foreign = foreign_accelerations(bodies, frame, derivative, state)
    for told in (*loose_points(links, state), *foreign):
        warn(told)
    on_ground = (joint.child_point for joint in joints if joint.parent is frame)
    tree = Tree(
        frame=frame,
        ground=ground,
        links=tuple(links),
        joints=tuple(joints),
        loads=loads,
        coordinates=tuple(kane.q),
        speeds=speeds,
        derivative=derivative,
        fixed_point=fixed_point(links, on_ground, loads, frame, state),
    )
    constraints = Constraints(
        closings=read_closings(tree, loops) if loops else (),
        ground_places=ground_places(tree, state),
        position=own.position,
        velocity=velocity,
        coordinates=tuple(q for q in kane.q if q not in own.dependent_coordinates),
        independent=tuple(u for u in kane.u if u not in own.dependent_speeds),
    )
    return replace(tree, assigned=assign_loads(tree, unknowns, owners), constraints=constraints)


def _connection(item: Any) -> Connection:
    entries = check_sequence("connections", item, TRIPLES)
    if len(entries) != 3:
        raise TypeError(f"`connections` must be {TRIPLES}, got {describe(item)}.")
    parent, child, point = entries
    kinds = (*Body.__args__, ReferenceFrame)
    check_instance("connections", parent, kinds, f"{TRIPLES} with a body or frame as parent")
    check_instance("connections", child, Body.__args__, f"{TRIPLES} with a body as child")
    check_instance("connections", point, Point, "with a Point as third entry")
    return Connection(parent, child, point)


def _numbered(joints: Sequence[Connection]) -> list[Connection]:
    """Return connections with numbers where several children have one name."""
    counts = Counter(joint.child.name for joint in joints)
    seen: Counter[str] = Counter()
    numbered = []
    for joint in joints:
        seen[joint.child.name] += 1
        is_shared = counts[joint.child.name] > 1
        numbered.append(replace(joint, number=seen[joint.child.name] if is_shared else 0))
    return numbered


def _welds(joints: Iterable[Connection], bodies: Iterable[Body], time: Symbol) -> list[Connection]:
    """Return connections for bodies that are in none, but fixed in another body."""
    reached, welds = [joint.child for joint in joints], []
    for body in bodies:
        carrier = None if body in reached else carrier_of(body, reached, time)
        if carrier is not None:
            welds.append(Connection(carrier, body, body.masscenter))
            reached.append(body)
    return welds


def _rates(
    kane: KanesMethod, auxiliary: Sequence[Expr], time: Symbol
) -> tuple[dict[Derivative, Expr], list[str]]:
    """Return the solved kinematical differential equations, and their problems.

    If KanesMethod divided by pivots that may vanish in regular poses, they are solved again, unless
    there are auxiliary speeds.
    """
    try:
        solved = dict(kane.kindiffdict())
    except AttributeError:  # what a KanesMethod without equations raises
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


def _is_ground(body: Body, frame: ReferenceFrame) -> bool:
    """Whether a body is at rest, like the ground that a System passes to its KanesMethod."""
    if is_particle(body) or body.frame is not frame:
        return False
    velocity = velocity_as_set(body.masscenter, frame)
    return velocity is None or bool(velocity == 0)


def _misfits(
    inertial: ReferenceFrame, joints: Sequence[Connection], bodies: Sequence[Body]
) -> list[str]:
    problems = []
    frames = {j.parent for j in joints if isinstance(j.parent, ReferenceFrame)}
    if len(frames) != 1:
        names = f"the frames {enumerate_some(sorted(map(str, frames)))}" if frames else "no frame"
        problems.append(
            f"they have {names} as parents, where one is needed: the inertial frame, "
            "for every body that is joined to ground."
        )
    elif inertial not in frames:
        problems.append(
            f"the parent frame {frames.pop()} is not {inertial}, the inertial frame of the "
            f"KanesMethod. Use {inertial} for every body that is joined to ground."
        )
    children = [joint.child for joint in joints]
    for body in bodies:
        count = children.count(body)
        # a hub, that joins others, has neither mass nor inertia
        is_hub = body.mass == 0 and (is_particle(body) or body.inertia[0] == 0)
        if count > 1 or not (count or is_hub):
            how = "in no connection" if not count else f"in {count} connections"
            problems.append(
                f"the body {body} is the child {how}. Give each body one connection towards "
                "ground, and close loops by loops=[LoopJoint(...)]."
            )
    problems += [
        f"{body} is not a body of the KanesMethod. Use one of kane.bodies."
        for joint in joints
        for body in (joint.parent, joint.child)
        if body not in bodies and not isinstance(body, ReferenceFrame)
    ]
    reached = [joint.child for joint in _outwards(joints)]
    loose = [joint.name for joint in joints if joint.child not in reached]
    if loose and not problems:
        problems.append(f"{enumerate_some(loose)} are joined to each other but not to ground.")
    return problems


def _outwards(joints: Sequence[Connection]) -> list[Connection]:
    """Return the connections that lead outwards from ground, parents first."""
    order = [joint for joint in joints if isinstance(joint.parent, ReferenceFrame)]
    for inner in order:  # grows as it goes
        order += [joint for joint in joints if joint.parent is inner.child and joint not in order]
    return order


def _links(
    joints: Sequence[Connection],
    inertial: ReferenceFrame,
    derivative: TimeDerivative,
    carried: Mapping[Any, ReferenceFrame],
) -> list[Link]:
    """Return the links from ground outwards; all problems are found before they are raised."""
    links: list[Link] = []
    problems = []
    for joint in _outwards(joints):
        if joint.parent in (inertial, *(link.body for link in links)):
            try:
                links.append(_link(joint, links, inertial, derivative, carried))
            except ValueError as error:
                problems.append(str(error))
    if problems:
        raise TopologyError("kane", problems)
    return links


def _link(
    joint: Connection,
    links: Sequence[Link],
    inertial: ReferenceFrame,
    derivative: TimeDerivative,
    carried: Mapping[Any, ReferenceFrame],
) -> Link:
    on_ground = isinstance(joint.parent, ReferenceFrame)
    at = None if on_ground else next(i for i, k in enumerate(links) if k.body is joint.parent)
    inner_frame = inertial if at is None else links[at].frame
    center = joint.child.masscenter
    inner_own = inner_frame if at is None else links[at].outer_side.interframe
    own = carried.get(joint.child, inner_own) if is_particle(joint.child) else joint.child.frame
    inner_point = center if at is None else links[at].origin
    inner = Side(joint.child if at is None else joint.parent, inner_frame, inner_own, inner_point)
    try:
        frame = inner_frame if own is inner_own else stand_in(joint.child, own, inertial)
        outer = Side(joint.child, frame, own, center)
        motion = _motion(inner, outer, on_ground, derivative)
        wrench_point = joint.child_point.pos_from(center).to_matrix(frame)
    except ValueError as error:
        reason = shorten(str(error), 200)
        raise ValueError(f"the kinematics of {joint} are not complete: {reason}") from error
    _check_linear(joint, motion, derivative.speeds)
    return Link(
        joint=joint,
        inner=at,
        is_reversed=False,
        inner_side=inner,
        outer_side=outer,
        attachment=ImmutableDenseMatrix.zeros(3, 1),
        motion=motion,
        wrench_point=ImmutableDenseMatrix(wrench_point),
        **mass_properties(outer, derivative.time),
    )


def _motion(
    inner: Side,
    outer: Side,
    on_ground: bool,
    derivative: TimeDerivative,
) -> RelativeMotion:
    """Return the motion of a body; relative to ground with the velocity that the user gave."""
    is_plain = all(side.frame is side.interframe for side in (inner, outer))
    motion = (
        motion_across(None, inner, outer, derivative)
        if is_plain
        else turning_motion(inner, outer, derivative)
    )
    if not on_ground:
        return motion
    velocity = vector_components(outer.point.vel(inner.frame), inner.frame)
    velocity = ImmutableDenseMatrix(derivative.in_speeds(velocity))
    moved = Matrix([*motion.angular_velocity, *velocity])
    return replace(
        motion,
        offset_velocity=velocity,
        offset_acceleration=ImmutableDenseMatrix(derivative(velocity)),
        speeds=tuple(u for u in derivative.speeds if moved.has(u)),
    )


def _check_linear(joint: Connection, motion: RelativeMotion, speeds: Sequence[Expr]) -> None:
    for speed in motion.speeds:
        if motion.angular_partial(speed).has(*speeds) or motion.linear_partial(speed).has(*speeds):
            raise ValueError(
                f"the velocity of {joint.child} is not linear in {speed}. Choose speeds that are "
                "linear in the derivatives of the coordinates."
            )
