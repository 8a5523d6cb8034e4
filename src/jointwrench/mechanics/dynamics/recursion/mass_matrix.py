"""The mass matrix by composite inertias.

The composite inertia of a link is that of the link and of all bodies beyond it.  A unit of a speed
gives them a momentum; its products with the partial velocities of the link, and of all links on the
path to ground, are a column of the mass matrix.

References
==========

.. [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, section 6.2.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from sympy import Expr

from ...arithmetic.graph import Scalar
from .rigid_body import BodyWrench, Inertia
from .scalar_tree import ScalarTree


def composite_inertias(tree: ScalarTree, bodies: Sequence[Inertia]) -> tuple[Inertia, ...]:
    """Return the inertia of each link with all bodies beyond it, about the link's origin."""
    inertias = list(bodies)
    # I_inner += X^T I X
    for index in reversed(range(len(inertias))):
        inner = tree.symbolic.links[index].inner
        if inner is not None:
            carried = tree.transforms[index].inertia_inward(inertias[index])
            inertias[inner] = inertias[inner] + carried
    return tuple(inertias)


def mass_matrix(tree: ScalarTree, bodies: Sequence[Inertia]) -> list[list[Scalar]]:
    """Return the mass matrix in the order of the speeds.

    ``bodies`` are the inertias of the links; base parameters give the same matrix with fewer
    operations.
    """
    speeds = tree.symbolic.speeds
    entries = dict.fromkeys(product(speeds, speeds), tree.graph.scalar(0))

    def add(one: Expr, other: Expr, entry: Scalar) -> None:
        entries[one, other] = entries[one, other] + entry

    for index, inertia in enumerate(composite_inertias(tree, bodies)):
        moved = tree.partial_velocities[index]
        for number, (speed, partial) in enumerate(moved.items()):
            # M_rs = S_s . I S_r, at the link itself and at each link on the path to ground
            momentum = inertia.momentum(*partial)
            for other in list(moved)[: number + 1]:
                entry = moved[other].power(momentum)
                add(speed, other, entry)
                if other != speed:
                    add(other, speed, entry)
            for link, passed_on in _path_inward(tree, index, momentum):
                for other, inner in tree.partial_velocities[link].items():
                    entry = inner.power(passed_on)
                    add(speed, other, entry)
                    add(other, speed, entry)
    return [[entries[one, other] for other in speeds] for one in speeds]


def _path_inward(
    tree: ScalarTree, index: int, wrench: BodyWrench
) -> Iterator[tuple[int, BodyWrench]]:
    """Yield the links between a link and ground, each with the wrench about its own origin."""
    inner = tree.symbolic.links[index].inner
    while inner is not None:
        transform = tree.transforms[index]
        wrench = transform.wrench_inward(wrench, transform.arm)
        yield inner, wrench
        index, inner = inner, tree.symbolic.links[inner].inner
