"""Inverse dynamics of a tree, derived once into a graph of scalar operations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr
from sympy.core.function import AppliedUndef

from ..arithmetic.graph import Graph, Input, Scalar
from ..mechanism.loads import Loads
from ..mechanism.tree import Tree
from .external_loads import external_wrenches
from .newton_euler import (
    body_wrenches,
    generalized_forces,
    inward_joint_wrenches,
    outward_kinematics,
)
from .rigid_body import BodyWrench, Motion
from .scalar_tree import ScalarTree
from .unknown_loads import check_unknowns, solve_loads


@dataclass(frozen=True, eq=False, repr=False)  # a repr of all operations never ends
class Derivation:
    """What the recursion yields for a tree under its loads.

    Attributes
    ==========

    scalars : ScalarTree
        The bodies and joints in the graph that holds all operations.
    motions : tuple of Motion
        Of every link; with gravity as an upward acceleration.
    joint_wrenches : tuple of BodyWrench
        On every link by the body it is joined to, about the link's origin.
    forces : dict of Expr to Scalar
        The generalized force of every speed.
    solved : dict of Expr to Scalar
        The load symbols that the motion determines.
    """

    scalars: ScalarTree
    motions: tuple[Motion, ...]
    joint_wrenches: tuple[BodyWrench, ...]
    forces: dict[Expr, Scalar]
    solved: dict[Expr, Scalar]

    @property
    def tree(self) -> Tree:
        """The bodies and joints."""
        return self.scalars.tree

    @property
    def graph(self) -> Graph:
        """Holds all operations."""
        return self.scalars.graph

    @property
    def loads(self) -> Loads:
        """The known loads, solved ones included."""
        return self.tree.assigned

    @cached_property
    def net_wrenches(self) -> tuple[BodyWrench, ...]:
        """Rate of change of every link's momentum, about its origin."""
        return body_wrenches(self.scalars, outward_kinematics(self.scalars))

    @property
    def inputs(self) -> tuple[Expr, ...]:
        """All symbols that entered the derivation, whether they still matter or not."""
        operations = self.graph.operations
        return tuple(op.symbol for op in operations if isinstance(op, Input))


def derive(tree: Tree, solve_for: Sequence[Expr] = ()) -> Derivation:
    """Derive the inverse dynamics of a tree.

    Parameters
    ==========

    tree : Tree
        The bodies and joints.
    solve_for : sequence of Expr
        Symbols in the System's loads that the motion determines.

    Raises
    ======

    ValueError
        If the load symbols do not enter linearly, or are not determined.
    """
    graph = Graph(varying=[tree.time])
    _bind_rates(graph, tree)
    scalars, loads = ScalarTree(graph, tree), tree.assigned
    gravity = None if loads.gravity is None else scalars.express(loads.gravity_parts, None)
    motions = outward_kinematics(scalars, gravity)
    demanded = body_wrenches(scalars, motions)
    check_unknowns(scalars, loads, solve_for)

    def joint_wrenches(applied: Loads) -> tuple[BodyWrench, ...]:
        return inward_joint_wrenches(scalars, demanded, external_wrenches(scalars, applied))

    wrenches = joint_wrenches(loads.at_zero(solve_for))
    forces = generalized_forces(scalars, wrenches)
    solved: dict[Expr, Scalar] = {}
    if solve_for:
        solved, forces = solve_loads(scalars, loads, solve_for, forces)
        for unknown, value in solved.items():
            graph.bind(unknown, value)
        wrenches = joint_wrenches(loads)
    return Derivation(scalars, motions, wrenches, forces, solved)


def _bind_rates(graph: Graph, tree: Tree) -> None:
    """Let the coordinates' time derivatives stand for speeds and accelerations."""
    inputs = {*tree.speeds, *tree.accelerations}
    for coordinate, rate in zip(tree.coordinates, tree.rates, strict=True):
        first, second = coordinate.diff(tree.time), coordinate.diff(tree.time, 2)
        if first not in inputs:
            graph.bind(first, graph.scalar(rate))
        if second not in inputs:
            graph.bind(second, graph.scalar(tree.derivative.of(rate)))
    known = {*tree.coordinates, *tree.speeds}
    for speed, rate in tree.derivative.rates.items():  # of joints with prescribed coordinates
        if isinstance(speed, AppliedUndef) and speed not in known:
            graph.bind(speed, graph.scalar(rate))
            graph.bind(speed.diff(tree.time), graph.scalar(tree.derivative.of(rate)))
