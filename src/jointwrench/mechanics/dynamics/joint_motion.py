"""The motion of each joint's child relative to its parent, for the power of joint wrenches."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, S

from ..arithmetic.graph import Graph
from ..arithmetic.vectors import Mat, Vec
from ..mechanism.tree import Link, Tree
from .derivation import Derivation
from .loops.constraint_errors import driven_velocity
from .recursion.scalar_tree import ScalarTree, Transform


@dataclass(frozen=True)
class JointMotion:
    """The motion of a joint's child relative to its parent.

    Attributes
    ==========

    twist : tuple of Expr
        The velocity of the child point and the angular velocity, in the frame of the joint wrench.
    speeds : tuple of Expr or None
        The speeds to which the twist is proportional, if no other joint moves with them; then their
        generalized forces are this joint's.  Otherwise None.
    is_all_supplied : bool
        Whether these generalized forces transmit all the power of the joint.
    rubs : bool
        Whether a slip is added to the twist, which the closed loop determines.
    """

    twist: tuple[Expr, ...]
    speeds: tuple[Expr, ...] | None
    is_all_supplied: bool = True
    rubs: bool = False

    @property
    def is_free(self) -> bool:
        """Whether the joint has at least three freedoms, one rotation and two translations among
        them.
        """
        halves = self.twist[:3], self.twist[3:]
        shifts, turns = ({u for u in self.speeds or () for x in h if x.has(u)} for h in halves)
        return len(shifts) > 1 and len(turns) > 0 and len(shifts | turns) > 2


#: The motion of a loop joint that does no work: its wrench is normal to its motion.
IDEAL = JointMotion((S.Zero,) * 6, None)


def joint_motions(derivation: Derivation, rubbing: Collection[Any] = ()) -> tuple[JointMotion, ...]:
    """Return the motions of all joints in their order; joints in ``rubbing`` have slips."""
    tree = derivation.tree
    users = Counter(speed for link in tree.links for speed in link.motion.speeds)
    given = tree, users, derivation.partly_supplied
    motions = [_motion(link, *given) for link in tree.joint_links]
    pairs = zip(tree.all_joints[len(motions) :], _closing_motions(tree), strict=True)
    return (*motions, *(replace(motion, rubs=joint in rubbing) for joint, motion in pairs))


def _closing_motions(tree: Tree) -> Iterator[JointMotion]:
    """Yield the motions of loop joints: of moving surfaces and rods of variable length."""
    scalars = ScalarTree(Graph([tree.time]), tree)
    for closing in tree.constraints.closings:
        velocity = driven_velocity(scalars, closing)
        if velocity is None:
            yield IDEAL
        else:
            components = scalars.graph.to_sympy([x.ref for x in velocity.components])
            yield JointMotion((*components, *IDEAL.twist[3:]), None)


def _motion(
    link: Link, tree: Tree, users: Counter[Expr], partly_supplied: frozenset[Expr]
) -> JointMotion:
    """Return the motion of the joint that leads to a link."""
    twist = _twist_of_child(tree, link)
    still = dict.fromkeys(link.motion.speeds, 0)
    is_own = all(users[speed] == 1 for speed in still)
    is_proportional = not any(component.xreplace(still) for component in twist)
    speeds = tuple(still) if is_own and is_proportional else None
    return JointMotion(twist, speeds, partly_supplied.isdisjoint(still))


def _twist_of_child(tree: Tree, link: Link) -> tuple[Expr, ...]:
    """Return the twist of the child of the joint that leads to a link; see `JointMotion`."""
    graph = Graph([tree.time])
    transform = Transform(graph, link)
    spin = Vec.enter(graph, link.motion.angular_velocity)
    velocity = Vec.enter(graph, link.motion.offset_velocity)
    if link.is_reversed:
        # of the inner body: its attachment point is the child point
        spin = -transform.inward(spin)
        velocity = -(velocity + spin.cross(transform.offset))
        to_child = Mat.enter(graph, tree.rotation_to_child(link))
        spin, velocity = to_child @ spin, to_child @ velocity
    else:
        velocity = transform.outward(velocity)
        velocity = velocity + spin.cross(Vec.enter(graph, link.wrench_point))
    scalars = (*velocity.components, *spin.components)
    return tuple(graph.to_sympy([scalar.ref for scalar in scalars]))
