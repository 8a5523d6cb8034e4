"""Fewer inertial parameters with the same generalized forces.

A part of a body's inertia can be moved to the body that its joint leads to
without any generalized force changing: what looks the same from there wherever
the joint stands, and does no work on the joint's motion.  For a pin that is the
mass, the first moment along the axis, and a rod of inertia on the axis.  Moved
from the tips to ground, much of the inertia vanishes; what is left are the base
parameters.  The joint wrenches do change, so this is for generalized forces only.

References
==========

.. [1] W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters
   of the dynamic models of tree structure robots, IEEE J. Robotics Automation
   3 (1987) 517-526.
"""

from dataclasses import dataclass

from sympy import Derivative, Expr, ImmutableDenseMatrix, Symbol, eye
from sympy.core.function import AppliedUndef

from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.vectors import Mat, Vec, zero
from ..mechanism.tree import Link, Tree
from ..spatial.components import is_constant
from .derivation import Derivation
from .external_wrenches import external_wrenches
from .newton_euler import (
    BodyWrench,
    Motion,
    generalized_forces,
    inertia_about_origin,
    inward_joint_wrenches,
    rotation_moment,
)


@dataclass(frozen=True)
class Inertial:
    """The ten inertial parameters of a body about its origin, in its frame.

    Attributes
    ==========

    mass : Scalar
        Mass.
    first_moment : Vec
        Mass times the position of the mass centre.
    inertia : Mat
        Inertia about the origin.
    """

    mass: Scalar
    first_moment: Vec
    inertia: Mat

    @classmethod
    def of(cls, graph: Graph, link: Link) -> "Inertial":
        """Return the parameters of a link."""
        mass = graph.scalar(link.mass)
        first_moment = Vec.enter(graph, link.masscenter) * mass
        return cls(mass, first_moment, inertia_about_origin(graph, link, first_moment))

    def __add__(self, other: "Inertial") -> "Inertial":
        pairs = zip(self.inertia.rows, other.inertia.rows, strict=True)
        return Inertial(
            self.mass + other.mass,
            self.first_moment + other.first_moment,
            Mat([one + two for one, two in pairs]),
        )

    def __sub__(self, other: "Inertial") -> "Inertial":
        pairs = zip(self.inertia.rows, other.inertia.rows, strict=True)
        return Inertial(
            self.mass - other.mass,
            self.first_moment - other.first_moment,
            Mat([one - two for one, two in pairs]),
        )

    def turned(self, rotation: Mat) -> "Inertial":
        """Return the same in another frame; ``rotation`` takes components to it."""
        half = Mat([rotation @ row for row in self.inertia.rows])  # J symmetric: (R J)^T
        inertia = Mat([rotation @ row for row in half.transpose.rows])
        return Inertial(self.mass, rotation @ self.first_moment, inertia)

    def about(self, position: Vec) -> "Inertial":
        """Return the same about the point from which ``position`` leads to this origin."""
        first_moment = self.first_moment + position * self.mass
        # sum m (r^2 - r r^T) with r = p + rho
        both = self.first_moment + first_moment
        square = position.dot(both)
        rows = []
        for i, row in enumerate(self.inertia.rows):
            p, h = position.components[i], self.first_moment.components[i]
            entries = list((row - first_moment * p - position * h).components)
            entries[i] = entries[i] + square
            rows.append(Vec(*entries))
        return Inertial(self.mass, first_moment, Mat(rows))

    def wrench(self, motion: Motion) -> BodyWrench:
        """Return the dynamic wrench about the origin."""
        force = motion.acceleration * self.mass + motion.spread @ self.first_moment
        moment = rotation_moment(self.inertia, motion)
        return BodyWrench(force, moment + self.first_moment.cross(motion.acceleration))


def regrouped_forces(derivation: Derivation) -> dict[Expr, Scalar]:
    """Return the generalized force of every speed, computed from the base parameters.

    They are those of the derivation, to rounding.
    """
    graph, tree = derivation.graph, derivation.tree
    pairs = zip(regroup(graph, tree), derivation.motions, strict=True)
    demanded = [inertial.wrench(motion) for inertial, motion in pairs]
    external = external_wrenches(derivation.expresser, derivation.loads)
    wrenches = inward_joint_wrenches(graph, tree, demanded, external)
    return generalized_forces(graph, tree, wrenches)


def regroup(graph: Graph, tree: Tree) -> tuple[Inertial, ...]:
    """Return inertial parameters that yield the same generalized forces, many of them zero.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    tree : Tree
        The bodies and joints.

    Returns
    =======

    tuple of Inertial
        In the order of ``tree.links``.
    """
    inertials = [Inertial.of(graph, link) for link in tree.links]
    for index in reversed(range(len(tree.links))):
        link = tree.links[index]
        rotation = _rotation_at_zero(link, tree.time)
        if rotation is None:
            continue
        moved = _movable(graph, link, inertials[index])
        inertials[index] = inertials[index] - moved
        if link.inner is not None:
            position = Vec.enter(graph, link.attachment + _offset_at_zero(link, tree.time))
            back = Mat.enter(graph, rotation.T)
            inertials[link.inner] = inertials[link.inner] + moved.turned(back).about(position)
    return tuple(inertials)


def _movable(graph: Graph, link: Link, inertial: Inertial) -> Inertial:
    """Return the part of a link's inertia that may move to the body it is joined to."""
    turns = [k for k, entry in enumerate(link.motion.angular_velocity) if entry != 0]
    shifts = not link.motion.offset_velocity.is_zero_matrix
    nothing = graph.scalar(0)
    mass = nothing if shifts else inertial.mass
    still = Mat([zero(graph)] * 3)
    if not turns:
        first_moment = zero(graph) if shifts else inertial.first_moment
        return Inertial(mass, first_moment, inertial.inertia)
    if len(turns) > 1:
        return Inertial(mass, zero(graph), still)
    (axis,) = turns
    along = [nothing] * 3
    if not shifts:
        along[axis] = inertial.first_moment.components[axis]
    return Inertial(mass, Vec(*along), _rod(graph, axis, inertial.inertia))


def _rod(graph: Graph, axis: int, inertia: Mat) -> Mat:
    """Return the inertia of a rod on an axis; it takes away the last other diagonal entry."""
    other = (axis + 2) % 3
    value, nothing = inertia.rows[other].components[other], graph.scalar(0)
    rows = [[nothing] * 3 for _ in range(3)]
    for k in {0, 1, 2} - {axis}:
        rows[k][k] = value
    return Mat([Vec(*row) for row in rows])


def _rotation_at_zero(link: Link, time: Symbol) -> ImmutableDenseMatrix | None:
    """Return the rotation to the link at zero coordinates, None if it is not defined there.

    What is moved looks the same from the inner body for any coordinates.
    """
    rotation = eye(3)
    for stage in link.motion.rotations:
        rotation = _at_zero(stage) * rotation
    is_finite = all(entry.is_finite is not False for entry in rotation)
    return ImmutableDenseMatrix(rotation) if is_finite and is_constant(rotation, time) else None


def _offset_at_zero(link: Link, time: Symbol) -> ImmutableDenseMatrix:
    # Where the offset varies, only what does not depend on positions is moved.
    offset = link.motion.offset
    return offset if is_constant(offset, time) else _at_zero(offset)


def _at_zero(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    functions = matrix.atoms(AppliedUndef, Derivative)
    return matrix.xreplace(dict.fromkeys(functions, 0)) if functions else matrix
