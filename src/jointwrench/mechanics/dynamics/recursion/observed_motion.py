"""Positions and motions of links relative to an observer on one of them.

This is the recursion of `outward_kinematics` from the observer, who is at rest.  Joints between the
observer and ground are crossed inwards, by the same equations solved for the inner body's motion.
"""

from collections.abc import Container, Iterator
from dataclasses import replace

from sympy import Expr

from ...arithmetic.graph import Graph
from ...arithmetic.vectors import Mat, Vec, vector_sum, zero
from ...mechanism.loads import LinkIndex
from ...mechanism.tree import Link
from .newton_euler import move_across
from .rigid_body import BodyMotion
from .scalar_tree import PartialVelocity, ScalarTree, Transform


class ObservedMotion:
    """Positions and motions of links relative to an observer on a link; None is ground.

    Motions are in each link's own frame.  "Expressed" vectors have their components in the frame of
    the link ``frame``.
    """

    def __init__(self, tree: ScalarTree, observer: LinkIndex, frame: LinkIndex) -> None:
        self.tree, self.observer, self.frame = tree, observer, frame
        nothing, one = zero(tree.graph), tree.graph.scalar(1)
        none = nothing.x
        axes = Vec(one, none, none), Vec(none, one, none), Vec(none, none, one)
        self._axes: dict[LinkIndex, tuple[Vec, Vec, Vec]] = {frame: axes}
        self._places: dict[LinkIndex, Vec] = {observer: nothing}
        self._velocities: dict[LinkIndex, Vec] = {observer: nothing}
        self._motions = {observer: BodyMotion.build(nothing, nothing, nothing)}

    def _unknown(
        self, start: LinkIndex, end: LinkIndex, known: Container[LinkIndex]
    ) -> Iterator[tuple[LinkIndex, LinkIndex, int]]:
        """Yield the steps between two links that lead to links that are not ``known``."""
        if end not in known:
            yield from (step for step in self.steps(start, end) if step[1] not in known)

    def steps(self, start: LinkIndex, end: LinkIndex) -> Iterator[tuple[LinkIndex, LinkIndex, int]]:
        """Yield the steps on the path between two links.

        A step is (link, next link, link whose joint is between them).
        """
        down, up = self.tree.apart(start, end)
        inner = [self.tree.symbolic.links[index].inner for index in (*down, *reversed(up))]
        yield from zip(down, inner, down, strict=False)
        yield from zip(inner[len(down) :], reversed(up), reversed(up), strict=True)

    # -- places ---------------------------------------------------------------

    def orientation(self, link: LinkIndex) -> Mat:
        """Return the matrix that converts components in a link's frame to expressed ones."""
        return Mat(self._axes_in(link))

    def expressed(self, vector: Vec, link: LinkIndex) -> Vec:
        """Return a vector, given by components in a link's frame, with expressed components."""
        return Vec(*(axis.dot(vector) for axis in self._axes_in(link)))

    def place(self, link: LinkIndex) -> Vec:
        """Return the position of a link's origin from the observer's origin, expressed."""
        known = self._places
        for here, there, index in self._unknown(self.observer, link, known):
            arm = self._expressed_arm(index)
            known[there] = known[here] + arm if there == index else known[here] - arm
        return known[link]

    def _axes_in(self, link: LinkIndex) -> tuple[Vec, Vec, Vec]:
        """Return the axes of the observer's ``frame`` with components in a link's frame."""
        known = self._axes
        for here, there, index in self._unknown(self.frame, link, known):
            transform = self.tree.transforms[index]
            turn = transform.outward if there == index else transform.inward
            x, y, z = known[here]
            known[there] = turn(x), turn(y), turn(z)
        return known[link]

    # -- motions --------------------------------------------------------------

    def motion(self, link: LinkIndex) -> BodyMotion:
        """Return the angular velocity and the accelerations of a link, in its own frame."""
        known, tree = self._motions, self.tree
        for here, there, index in self._unknown(self.observer, link, known):
            cross = move_across if there == index else move_back
            joint = tree.symbolic.links[index], tree.transforms[index]
            known[there] = cross(tree.graph, *joint, self._arm(index), known[here])
        return known[link]

    def velocity(self, link: LinkIndex) -> Vec:
        """Return the velocity of a link's origin, in the link's frame."""
        known, tree = self._velocities, self.tree
        for here, there, index in self._unknown(self.observer, link, known):
            joint, transform = tree.symbolic.links[index], tree.transforms[index]
            spin = self.motion(joint.inner).angular_velocity
            gained = Vec.enter(tree.graph, joint.motion.offset_velocity)
            gained = gained + spin.cross(self._arm(index))
            if there == index:
                known[there] = transform.outward(known[here] + gained)
            else:
                known[there] = transform.inward(known[here]) - gained
        return known[link]

    def partial_velocities(self, link: LinkIndex) -> dict[Expr, PartialVelocity]:
        """Return the partial velocities of a link and its origin, expressed, by speed."""
        found: dict[Expr, PartialVelocity] = {}
        arm = zero(self.tree.graph)  # from the origin of the joint's link to the link's origin
        for here, there, index in reversed(list(self.steps(self.observer, link))):
            if there != index:
                arm = arm - self._expressed_arm(index)
            for speed, partial in self.tree.partial_velocities[index].items():
                angular, linear = (self.expressed(vector, index) for vector in partial)
                moved = PartialVelocity(angular, linear + angular.cross(arm))
                found[speed] = _added(found.get(speed), moved, 1 if there == index else -1)
            if there == index and here != self.observer:
                arm = arm + self._expressed_arm(index)
        return found

    def _arm(self, index: int) -> Vec:
        """Return the position of a link's origin from the inner link's, in the inner frame."""
        # For an observer on ground all points of ground are equivalent: any can be the origin.
        return self.tree.transforms[index].arm if self.observer is None else self.tree.arm(index)

    def _expressed_arm(self, index: int) -> Vec:
        """Return the position of a link's origin from the inner link's origin, expressed."""
        return self.expressed(self.tree.arm(index), self.tree.symbolic.links[index].inner)


def _added(known: PartialVelocity | None, more: PartialVelocity, sign: int) -> PartialVelocity:
    """Return a speed's partial velocities with those of one more joint added."""
    angular, linear = more if sign > 0 else (-more.angular, -more.linear)
    if known is not None:
        angular, linear = known.angular + angular, known.linear + linear
    return PartialVelocity(angular, linear)


def move_back(
    graph: Graph, link: Link, transform: Transform, arm: Vec, outer: BodyMotion
) -> BodyMotion:
    """Return the motion of a link's inner body, given the link's motion.

    These are the equations of `move_across` solved for the inner body: ``w = w' - Omega``, ``al =
    al' - dOmega/dt - w x Omega``, ``a = a' - U arm - 2 w x drho/dt - d2rho/dt2``.
    """
    relative = link.motion
    omega = Vec.enter(graph, relative.angular_velocity)
    w = outer.angular_velocity - omega
    al = outer.angular_acceleration - w.cross(omega)
    al = al - Vec.enter(graph, relative.angular_acceleration)
    turning = BodyMotion.build(transform.inward(w), transform.inward(al), zero(graph))
    velocity = Vec.enter(graph, relative.offset_velocity)
    gained = [
        turning.gradient @ arm,
        turning.angular_velocity.cross(velocity + velocity),
        Vec.enter(graph, relative.offset_acceleration),
    ]
    acceleration = transform.inward(outer.acceleration) - vector_sum(gained)
    return replace(turning, acceleration=acceleration)
