"""Inverse dynamics of a tree, derived once into a graph of scalar operations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr
from sympy.core.function import AppliedUndef

from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Graph, Input, Scalar
from ..arithmetic.linear import SingularError, solve
from ..arithmetic.vectors import Vec
from ..mechanism.reading.loads import Loads
from ..mechanism.reading.owners import Owners
from ..mechanism.tree import Tree
from .external_wrenches import Expresser, external_wrenches
from .newton_euler import (
    BodyWrench,
    Motion,
    body_wrenches,
    generalized_forces,
    inward_joint_wrenches,
    outward_kinematics,
)


@dataclass(frozen=True, eq=False, repr=False)  # a repr of all operations never ends
class Derivation:
    """What the recursion yields for a tree under its loads.

    Attributes
    ==========

    tree : Tree
        The bodies and joints.
    graph : Graph
        Holds all operations.
    motions : tuple of Motion
        Of every link; with gravity as an upward acceleration.
    loads : Loads
        The known loads, solved ones included.
    expresser : Expresser
        Expresses vectors in the frames of links.
    joint_wrenches : tuple of BodyWrench
        On every link by the body it is joined to, about the link's origin.
    forces : dict of Expr to Scalar
        The generalized force of every speed.
    solved : dict of Expr to Scalar
        The load symbols that the motion determines.
    """

    tree: Tree
    graph: Graph
    motions: tuple[Motion, ...]
    loads: Loads
    expresser: Expresser
    joint_wrenches: tuple[BodyWrench, ...]
    forces: dict[Expr, Scalar]
    solved: dict[Expr, Scalar]

    @cached_property
    def dynamic_wrenches(self) -> tuple[BodyWrench, ...]:
        """Rate of change of every link's momentum, about its mass centre."""
        motions = outward_kinematics(self.graph, self.tree)
        about_origin = body_wrenches(self.graph, self.tree, motions)
        return tuple(
            BodyWrench(
                wrench.force,
                wrench.moment - Vec.enter(self.graph, link.masscenter).cross(wrench.force),
            )
            for link, wrench in zip(self.tree.links, about_origin, strict=True)
        )

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

    Notes
    =====

    Load symbols that act on more speeds than they are many are the solution of
    least squares; what they do not supply stays in the generalized forces.
    """
    return _Deriver(tree, tuple(solve_for)).derive()


class _Deriver:
    def __init__(self, tree: Tree, unknowns: tuple[Expr, ...]) -> None:
        self.tree = tree
        self.unknowns = unknowns
        owners = Owners(tree)
        self.loads = Loads.from_tree(tree, owners, unknowns)
        self.graph = Graph(varying=[tree.time])
        _bind_rates(self.graph, tree)
        self.expresser = Expresser(self.graph, tree, owners)

    def derive(self) -> Derivation:
        gravity = self.loads.gravity
        motions = outward_kinematics(
            self.graph,
            self.tree,
            None if gravity is None else self.expresser.express(gravity, None),
        )
        demanded = body_wrenches(self.graph, self.tree, motions)
        self.check_unknowns()
        wrenches = self.joint_wrenches(demanded, self.loads.at_zero(self.unknowns))
        forces = generalized_forces(self.graph, self.tree, wrenches)
        solved: dict[Expr, Scalar] = {}
        if self.unknowns:
            solved, forces = self.solve(forces)
            for unknown, value in solved.items():
                self.graph.bind(unknown, value)
            wrenches = self.joint_wrenches(demanded, self.loads)
        return Derivation(
            self.tree, self.graph, motions, self.loads, self.expresser, wrenches, forces, solved
        )

    def check_unknowns(self) -> None:
        """Refuse unknowns on which more than the loads depends; call before loads enter."""
        tree = self.tree
        known = {op.symbol for op in self.graph.operations if isinstance(op, Input)}
        known |= {tree.time, *tree.coordinates, *tree.speeds, *tree.accelerations}
        positions = [load.position for load in self.loads.applied if load.position is not None]
        for unknown in self.unknowns:
            if unknown in known or any(position.has(unknown) for position in positions):
                raise ValueError(
                    f"`solve_for` must name symbols that stand in loads alone, but {unknown} "
                    "also stands in the motion, the masses, the positions or the gravity. Use a "
                    "symbol of its own for the load."
                )

    def joint_wrenches(
        self, demanded: Sequence[BodyWrench], loads: Loads
    ) -> tuple[BodyWrench, ...]:
        external = external_wrenches(self.expresser, loads)
        return inward_joint_wrenches(self.graph, self.tree, demanded, external)

    def solve(self, forces: dict[Expr, Scalar]) -> tuple[dict[Expr, Scalar], dict[Expr, Scalar]]:
        """Return the unknowns' values, and the generalized forces that they leave."""
        states = GenericStates(self.graph)
        columns = [
            states.without_zeros(self.supplied_per_unit(unknown).values())
            for unknown in self.unknowns
        ]
        self.check_effect(columns)
        matrix = list(zip(*columns, strict=True))
        speeds = list(forces)
        try:
            solution = solve(self.graph, matrix, list(forces.values()))
        except SingularError as error:
            moved = [u for u, row in zip(speeds, matrix, strict=True) if _has_entry(row)]
            raise ValueError(self._undetermined(moved, error.rank)) from error
        values = dict(zip(self.unknowns, solution.values, strict=True))
        return values, dict(zip(speeds, solution.residuals, strict=True))

    def check_effect(self, columns: Sequence[Sequence[Scalar]]) -> None:
        """Refuse unknowns that do no work on any motion."""
        pairs = zip(self.unknowns, columns, strict=True)
        idle = [unknown for unknown, column in pairs if not _has_entry(column)]
        if idle:
            raise ValueError(
                f"`solve_for` must name loads that act on the motion, but "
                f"{', '.join(map(str, idle))} does no work on any speed. Leave it out: nothing "
                "determines it."
            )

    def supplied_per_unit(self, unknown: Expr) -> dict[Expr, Scalar]:
        """Return the generalized forces that a unit of a load symbol supplies."""
        loads = self.loads.per_unit(unknown)
        if not loads.applied:
            raise ValueError(
                f"`solve_for` must name symbols of the system's loads, but no load depends on "
                f"{unknown}. Use symbols from system.loads or system.actuators."
            )
        if loads.depend_on(self.unknowns):
            raise ValueError(
                f"`solve_for` must name symbols that enter the loads linearly, but the load "
                f"of {unknown} is not linear in {', '.join(map(str, self.unknowns))}."
            )
        still = [BodyWrench.zero(self.graph) for _ in self.tree.links]
        wrenches = self.joint_wrenches(still, loads)
        forces = generalized_forces(self.graph, self.tree, wrenches)
        return {speed: -force for speed, force in forces.items()}

    def _undetermined(self, speeds: Sequence[Expr], rank: int) -> str:
        return (
            f"`solve_for` must have symbols that the motion determines, but "
            f"{', '.join(map(str, self.unknowns))} act with rank {rank} on the "
            f"{len(speeds)} speeds {', '.join(map(str, speeds))}. Leave out symbols, or give some "
            "of them as known loads."
        )


def _has_entry(scalars: Iterable[Scalar]) -> bool:
    return any(not scalar.is_zero for scalar in scalars)


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
