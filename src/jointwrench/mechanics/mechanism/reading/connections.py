"""The user's connections of bodies in a model without joints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Symbol
from sympy.physics.vector import Point, ReferenceFrame

from ....checks.arguments import check_instance, check_sequence, describe, enumerate_some
from ....checks.display import number_equal
from ....checks.pickles import Pickled
from ...spatial.paths import own_velocity
from ...sympy_objects import Body, is_particle
from .bodies import find_weld_parent

#: The description of valid connections, for messages.
TRIPLES = "an iterable of (parent, child, point)"


@dataclass(frozen=True, eq=False)
class Connection(Pickled):
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
        The index of the child among the children of equal name; 0 if its name is unique.

    See Also
    ========

    InverseDynamics.from_kane : Makes connections from triples.

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
        """The name of the child, with a number if several children share the name."""
        return f"{self.child.name} #{self.number}" if self.number else self.child.name

    def __repr__(self) -> str:
        return f"Connection({self.parent}, {self.child}, {self.child_point})"


def check_connections(connections: Any) -> list[Connection]:
    """Return the user's triples as connections; children of equal name are numbered.

    Raise a TypeError if ``connections`` is not an iterable of (parent, child, point).
    """
    items = check_sequence("connections", connections, TRIPLES)
    if len(items) == 3 and isinstance(items[-1], Point):
        raise TypeError(f"`connections` must be {TRIPLES}, got a single one. Use [it].")
    joints = [_check_connection(item) for item in items]
    numbers = number_equal([joint.child.name for joint in joints])
    return [replace(x, number=number) for x, number in zip(joints, numbers, strict=True)]


def _check_connection(item: Any) -> Connection:
    """Return one triple as a connection, or raise a TypeError that names the wrong entry."""
    entries = check_sequence("connections", item, TRIPLES)
    if len(entries) != 3:
        raise TypeError(f"`connections` must be {TRIPLES}, got {describe(item)}.")
    parent, child, point = entries
    kinds = (*Body.__args__, ReferenceFrame)
    check_instance("connections", parent, kinds, f"{TRIPLES} with a body or frame as parent")
    check_instance("connections", child, Body.__args__, f"{TRIPLES} with a body as child")
    check_instance("connections", point, Point, "with a Point as third entry")
    return Connection(parent, child, point)


def find_welds(
    joints: Iterable[Connection], bodies: Iterable[Body], time: Symbol, known: Mapping[Body, Body]
) -> list[Connection]:
    """Return a connection for each unconnected body that is welded to a connected body.

    Parameters
    ==========

    joints : iterable of Connection
        The connections of the model.
    bodies : iterable of RigidBody or Particle
        All moving bodies.
    time : Symbol
        The time.
    known : mapping of body to body
        The welds that the motion shows: each welded body by the body to which it is attached.
        Other welds are found by constant positions and orientations.
    """
    joined, welds = [joint.child for joint in joints], []
    for body in bodies:
        if body in joined:
            continue
        whole = known.get(body, body)
        mates = (other for other in joined if known.get(other, other) is whole)
        carrier = next(mates, None) or find_weld_parent(body, joined, time)
        if carrier is not None:
            welds.append(Connection(carrier, body, body.masscenter))
            joined.append(body)
    return welds


def is_ground(body: Body, frame: ReferenceFrame) -> bool:
    """Whether a rigid body is ground: its frame is inertial and its mass centre is at rest.

    A mass centre without a stated velocity counts as at rest.  A System passes its ground as a body
    to its KanesMethod.
    """
    if is_particle(body) or body.frame is not frame:
        return False
    velocity = own_velocity(body.masscenter, frame)
    return velocity is None or bool(velocity == 0)


def connection_problems(
    inertial: ReferenceFrame, joints: Sequence[Connection], bodies: Sequence[Body]
) -> list[str]:
    """Return the problems of connections that do not form one tree on ground.

    The inertial frame must be the parent of each body that is joined to ground.  Each body must be
    the child in exactly one connection, and its parents must lead to ground.
    """
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
        # a hub only joins other bodies; without mass and inertia it needs no connection
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
    joined = [joint.child for joint in sort_outward(joints)]
    loose = [joint.name for joint in joints if joint.child not in joined]
    if loose and not problems:
        problems.append(f"{enumerate_some(loose)} are joined to each other but not to ground.")
    return problems


def sort_outward(joints: Sequence[Connection]) -> list[Connection]:
    """Return the connections of bodies that are connected with ground, parents first."""
    order = [joint for joint in joints if isinstance(joint.parent, ReferenceFrame)]
    for inner in order:  # the list grows during the loop: breadth-first search
        order += [joint for joint in joints if joint.parent is inner.child and joint not in order]
    return order
