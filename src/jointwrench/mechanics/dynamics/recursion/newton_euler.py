"""The recursive Newton-Euler algorithm on a tree, in three stages.

1. `outward_kinematics`: the motion of every body, from ground outwards.
2. `body_wrenches`: the rate of change of every body's momentum.
3. `inward_joint_wrenches`: the wrench of every joint, from the tips inwards.

`generalized_forces` then projects the joints' wrenches on their free directions.

Every vector is three scalars in its own body's frame; every wrench of a body is about the body's
*origin*, the attachment point of the joint that leads to ground.  Uniform gravity enters once, as
an upward acceleration of ground.

References
==========

.. [1] J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme
   for mechanical manipulators, J. Dyn. Sys. Meas. Control 102 (1980) 69-76.
.. [2] W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters
   of the dynamic models of tree structure robots, IEEE J. Robotics Automation
   3 (1987) 517-526.
"""

from collections.abc import Mapping, Sequence

from sympy import Expr

from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.vectors import Vec, vector_sum, zero
from ...mechanism.tree import Link
from .rigid_body import BodyMotion, BodyWrench
from .scalar_tree import ScalarTree, Transform


def outward_kinematics(tree: ScalarTree, gravity: Vec | None = None) -> tuple[BodyMotion, ...]:
    """Return the motion of every link, from ground outwards; ``gravity`` in the inertial frame."""
    still = zero(tree.graph)
    # a_ground = -g: holding a weight is equivalent to accelerating it upwards
    ground = BodyMotion.build(still, still, still if gravity is None else -gravity)
    motions: list[BodyMotion] = []
    for link, transform in zip(tree.symbolic.links, tree.transforms, strict=True):
        inner = ground if link.inner is None else motions[link.inner]
        motions.append(move_across(tree.graph, link, transform, transform.arm, inner))
    return tuple(motions)


def move_across(
    graph: Graph, link: Link, transform: Transform, arm: Vec, inner: BodyMotion
) -> BodyMotion:
    """Return the motion of a link, given the motion of its inner body.

    ``arm`` is the position of the link's origin from the inner body's origin, in the inner frame.
    """
    relative = link.motion
    velocity = Vec.enter(graph, relative.offset_velocity)
    # a' = R (a + ([al]x + [w]x [w]x) arm + 2 w x drho/dt + d2rho/dt2), rho: the joint's offset
    acceleration = vector_sum(
        [
            inner.acceleration,
            inner.gradient @ arm,
            inner.angular_velocity.cross(velocity + velocity),
            Vec.enter(graph, relative.offset_acceleration),
        ]
    )
    omega = Vec.enter(graph, relative.angular_velocity)
    w = transform.outward(inner.angular_velocity)
    al = transform.outward(inner.angular_acceleration)
    # w' = R w + Omega,  al' = R al + R w x Omega + dOmega/dt, Omega: the joint's angular velocity
    return BodyMotion.build(
        w + omega,
        al + w.cross(omega) + Vec.enter(graph, relative.angular_acceleration),
        transform.outward(acceleration),
    )


def body_wrenches(tree: ScalarTree, motions: Sequence[BodyMotion]) -> tuple[BodyWrench, ...]:
    """Return the net wrench of each link about its origin; gravity is part of the motions."""
    pairs = zip(tree.inertias, motions, strict=True)
    return tuple(inertia.net_wrench(motion) for inertia, motion in pairs)


def inward_joint_wrenches(
    tree: ScalarTree, wrenches: Sequence[BodyWrench], external: Mapping[int, BodyWrench]
) -> tuple[BodyWrench, ...]:
    """Return the wrench on each link by the body to which it is joined, about the link's origin.

    ``wrenches`` are the net wrenches, ``external`` the known loads on links.
    """
    demanded = list(wrenches)
    # joint = net - external + wrenches of the joints beyond:  W_inner += X^T W
    for index, load in external.items():
        demanded[index] = demanded[index] - load
    for index in reversed(range(len(demanded))):
        inner, transform = tree.symbolic.links[index].inner, tree.transforms[index]
        if inner is not None:
            passed_on = transform.wrench_inward(demanded[index], transform.arm)
            demanded[inner] = demanded[inner] + passed_on
    return tuple(demanded)


def generalized_forces(
    tree: ScalarTree, joint_wrenches: Sequence[BodyWrench]
) -> dict[Expr, Scalar]:
    """Return the generalized force of each speed, zero for speeds that move no link."""
    forces = dict.fromkeys(tree.symbolic.speeds, tree.graph.scalar(0))
    for moved, wrench in zip(tree.partial_velocities, joint_wrenches, strict=True):
        # F_r = w_r . moment + v_r . force: power per unit of the speed, partial velocities w_r, v_r
        for speed, partial in moved.items():
            forces[speed] = forces[speed] + partial.power(wrench)
    return forces
