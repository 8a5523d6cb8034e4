"""Fewer inertial parameters with the same generalized forces.

A part of a body's inertia can be moved to its inner body without a change of generalized forces if
it looks the same from there for all joint coordinates and has no power in the joint's motion.  For
a pin that is the mass, the first moment along the axis, and the inertia of a rod on the axis. Moved
from the tips to ground, much of the inertia vanishes; the base parameters remain.  The joint
wrenches do change, so this is only for generalized forces and the mass matrix.

References
==========

.. [1] W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters
   of the dynamic models of tree structure robots, IEEE J. Robotics Automation 3 (1987) 517-526.
"""

from dataclasses import replace

from sympy import Derivative, Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef

from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.vectors import Mat, Vec, zero
from ..mechanism.tree import Link
from ..spatial.components import is_constant
from .derivation import Derivation, with_laws, without_laws
from .recursion.newton_euler import body_wrenches, generalized_forces, inward_joint_wrenches
from .recursion.rigid_body import Inertia
from .recursion.scalar_tree import ScalarTree, external_wrenches


def regrouped_forces(derivation: Derivation) -> dict[Expr, Scalar]:
    """Return the generalized force of each speed from base parameters, equal up to rounding."""
    tree = derivation.scalars.with_inertias(regroup(derivation.scalars))
    net = body_wrenches(tree, derivation.motions)
    external = external_wrenches(tree, derivation.loads)
    external = with_laws(external, derivation.law_loads)
    forces = generalized_forces(tree, inward_joint_wrenches(tree, net, external))
    return without_laws(forces, derivation.law_loads)


def regroup(tree: ScalarTree) -> tuple[Inertia, ...]:
    """Return inertias of the links, many of them zero, that give the same generalized forces."""
    graph, time = tree.graph, tree.symbolic.time
    inertias = [replace(inertia, point=None) for inertia in tree.inertias]
    for index in reversed(range(len(inertias))):
        link = tree.symbolic.links[index]
        rotations = [_at_zero(stage) for stage in link.motion.rotations]
        if not all(_is_defined(rotation, time) for rotation in rotations):
            continue
        moved = _movable(graph, link, inertias[index])
        inertias[index] = inertias[index] - moved
        if link.inner is not None:
            position = Vec.enter(graph, link.attachment + _offset_at_zero(link, time))
            for rotation in reversed(rotations):
                moved = moved.rotated(Mat.enter(graph, rotation.T))
            inertias[link.inner] = inertias[link.inner] + moved.about(position)
    return tuple(inertias)


def _movable(graph: Graph, link: Link, inertia: Inertia) -> Inertia:
    """Return the part of a link's inertia that can be added to the inner body instead.

    The motion of the joint does not distinguish the two.
    """
    turns = [k for k, entry in enumerate(link.motion.angular_velocity) if entry != 0]
    shifts = any(entry != 0 for entry in link.motion.offset_velocity)
    nothing = graph.scalar(0)
    mass = nothing if shifts else inertia.mass
    still = Mat([zero(graph)] * 3)
    if not turns:
        first_moment = zero(graph) if shifts else inertia.first_moment
        return Inertia(mass, first_moment, inertia.moments)
    if len(turns) > 1:
        return Inertia(mass, zero(graph), still)
    (axis,) = turns
    along = [nothing] * 3
    if not shifts:
        along[axis] = inertia.first_moment.components[axis]
    return Inertia(mass, Vec(*along), _rod(graph, axis, inertia.moments))


def _rod(graph: Graph, axis: int, inertia: Mat) -> Mat:
    """Return the inertia of a rod on an axis that removes the last diagonal entry normal to it."""
    other = (axis + 2) % 3
    value, nothing = inertia.rows[other].components[other], graph.scalar(0)
    return Mat.symmetric(lambda i, k: value if i == k != axis else nothing)


def _is_defined(rotation: ImmutableDenseMatrix, time: Symbol) -> bool:
    """Return whether a rotation at zero coordinates is finite and the same at all times.

    Only then does a moved part look the same from the inner body for all coordinates.
    """
    is_finite = all(entry.is_finite is not False for entry in rotation)
    return is_finite and is_constant(rotation, time)


def _offset_at_zero(link: Link, time: Symbol) -> ImmutableDenseMatrix:
    """Return the joint's offset, at zero coordinates where it varies."""
    # Where the offset varies, only what does not depend on positions is moved.
    offset = link.motion.offset
    return offset if is_constant(offset, time) else _at_zero(offset)


def _at_zero(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Return a matrix at zero values of all functions of time."""
    functions = matrix.atoms(AppliedUndef, Derivative)
    return matrix.xreplace(dict.fromkeys(functions, 0)) if functions else matrix
