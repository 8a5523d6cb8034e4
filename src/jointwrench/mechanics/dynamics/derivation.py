"""Inverse dynamics of a model, derived once into a graph of scalar operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from sympy import Expr
from sympy.core.function import AppliedUndef

from ... import hints
from ...checks.paused_gc import garbage_collection_paused
from ..arithmetic.derivatives import ForwardSweep
from ..arithmetic.expression_derivatives import differentiate_leaf
from ..arithmetic.factorization import dot
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Graph, Scalar
from ..mechanism.declared_inputs import inputs_in
from ..mechanism.loads import Loads
from ..mechanism.loop_closures import LoopClosure, declaration
from ..mechanism.tree import Tree
from .loops.supply import Supply, combined, summed
from .loops.unknowns import (
    Unknown,
    check_effect,
    check_unknowns,
    unknown_loads,
    unknown_motors,
    without_zeros,
)
from .recursion.newton_euler import (
    body_wrenches,
    generalized_forces,
    inward_joint_wrenches,
    outward_kinematics,
)
from .recursion.rigid_body import BodyMotion, BodyWrench, Inertia, Wrenches
from .recursion.scalar_tree import ScalarTree, external_wrenches

if TYPE_CHECKING:
    from ..mechanism.section import Section
    from .load_laws import LoadLaws

O = TypeVar("O")
P = ParamSpec("P")
R = TypeVar("R")


class Choice(Protocol):
    """A choice of the undetermined forces of a derivation.

    ``expressions`` are the expressions on which it depends; a call returns the supply with the
    forces chosen.
    """

    @property
    def expressions(self) -> list[Expr]: ...

    def __call__(self, derivation: Derivation) -> Supply: ...


@dataclass(frozen=True)
class Request:
    """The forces for which inverse dynamics solves.

    Attributes
    ==========

    solve_for : tuple of Expr
        The symbols of loads that the motion determines.
    actuated : tuple of Expr or None
        The speeds that have motors.  None means all speeds of a tree, the independent speeds of a
        model with constraints, and none if ``solve_for`` names the loads that supply the forces
        there.
    least_norm : bool
        Whether undetermined forces are those of least norm.
    sections : tuple of Section
        The sections whose wrenches are required.
    is_written : bool
        Whether the solution is for reading, by back-substitution and Cramer's rule.
    laws : LoadLaws or None
        Laws of loads that depend on reactions.
    choice : Choice or None
        A choice of undetermined forces.
    """

    solve_for: tuple[Expr, ...] = ()
    actuated: tuple[Expr, ...] | None = None
    least_norm: bool = False
    sections: tuple[Section, ...] = ()
    is_written: bool = False
    laws: LoadLaws | None = None
    choice: Choice | None = None

    def motors(self, tree: Tree) -> tuple[Expr, ...] | None:
        """Return the speeds that have motors; None if all remaining forces are theirs."""
        if self.actuated is not None or not tree.constraints:
            return self.actuated
        if self.solve_for:
            return ()
        if len(tree.constraints.independent) == len(tree.speeds):
            fix = declaration(tree.constraints, tree.coordinates, tree.speeds)
            raise ValueError(
                "`system` must say what is independent, since it has constraints. Use "
                f"{fix or 'u_ind and u_dep of the System'} before InverseDynamics, or "
                "actuated=[...] with the speeds that have motors, empty if none has."
            )
        return tree.constraints.independent


@dataclass(frozen=True, eq=False, repr=False)  # a repr of all operations never ends
class Derivation:
    """The results of the recursion for a model under its loads, as scalars of one graph.

    Attributes
    ==========

    scalars : ScalarTree
        The bodies and joints.
    request : Request
        The forces to solve for.
    motions : tuple of BodyMotion
        The motion of each link; gravity is included as an upward acceleration.
    joint_wrenches : tuple of BodyWrench
        The wrench on each link, by the body to which it is joined, about the link's origin, in its
        frame.
    demanded : dict of Expr to Scalar
        The generalized force that the motion requires at each speed beyond known loads.
    forces : dict of Expr to Scalar
        The part of it that joints supply.
    supply : Supply
        The solution for the unknown forces.
    law_loads : tuple of LawLoad
        Loads by laws; symbols until the laws are solved.
    """

    scalars: ScalarTree
    request: Request
    motions: tuple[BodyMotion, ...]
    joint_wrenches: tuple[BodyWrench, ...]
    demanded: dict[Expr, Scalar]
    forces: dict[Expr, Scalar]
    supply: Supply
    law_loads: tuple[hints.LawLoad, ...] = ()

    @property
    def tree(self) -> Tree:
        """The bodies and joints with sympy expressions."""
        return self.scalars.symbolic

    @property
    def graph(self) -> Graph:
        """The graph of all operations."""
        return self.scalars.graph

    @property
    def loads(self) -> Loads:
        """The known loads, and the loads that are solved for."""
        return self.tree.assigned

    @property
    def closings(self) -> tuple[LoopClosure, ...]:
        """The loop joints and contacts."""
        return self.tree.constraints.closings

    @property
    def solved(self) -> dict[Expr, Scalar]:
        """The value of each load symbol that the motion determines."""
        symbols = self.request.solve_for
        return {symbol: self.supply.of(symbol)[0] for symbol in symbols}

    @property
    def demanded_by_tree(self) -> dict[Expr, Scalar]:
        """The generalized forces that the motion requires if there are no loads by laws."""
        if not self.law_loads:
            return self.demanded
        tree, known = self.scalars, self.loads.at_zero(self.request.solve_for)
        net = body_wrenches(tree, self.motions)
        wrenches = inward_joint_wrenches(tree, net, external_wrenches(tree, known))
        return generalized_forces(tree, wrenches)

    @cached_property
    def partly_supplied(self) -> frozenset[Expr]:
        """The speeds at which joints transmit more than generalized forces."""
        rests = dict(zip(self.tree.speeds, self.supply.solution.residuals, strict=True))
        if self.request.motors(self.tree) is None:
            rests = {}  # the joints supply them as generalized forces
        of_laws = [load.unknown.column for load in self.law_loads if load.is_in_tree]
        columns = [dict(zip(self.tree.speeds, column, strict=True)) for column in of_laws]
        return frozenset(u for own in (rests, *columns) for u, x in own.items() if not x.is_zero)

    def squared_terms(self, row: int) -> Scalar:
        """Return the squares of what is demanded and supplied at a speed, added up."""
        pairs = zip(self.supply.unknowns, self.supply.solution.values, strict=True)
        terms = [[*self.demanded.values()][row], *(x.column[row] * value for x, value in pairs)]
        return dot(terms, terms)

    @property
    def has_no_unknowns(self) -> bool:
        """Whether the model is a tree whose joints supply all forces."""
        return not self.supply.unknowns

    @cached_property
    def is_placed(self) -> bool:
        """Whether the points at which constraint forces act on bodies are known."""
        constraints = self.tree.constraints
        if constraints.closings or not constraints:
            return True
        from .loops.assembled import are_binding

        return bool(constraints.velocity) and not are_binding(self.scalars, self.supply.state)

    @cached_property
    def net_wrenches(self) -> tuple[BodyWrench, ...]:
        """The rate of change of each link's momentum, about its origin, without gravity."""
        return body_wrenches(self.scalars, outward_kinematics(self.scalars))

    @cached_property
    def symbols(self) -> frozenset[Expr]:
        """All symbols of the model except the states, also those that cancelled."""
        tree = self.tree
        more = [x for section in self.request.sections for x in section.expressions]
        more += self.request.laws.expressions if self.request.laws else ()
        more += self.request.choice.expressions if self.request.choice else ()
        own = tree.symbols | tree.load_symbols
        own |= inputs_in(more, tree.derivative, tree.states)
        return own - {*self.request.solve_for}

    @cached_property
    def constraint_errors(self) -> list[list[Scalar]]:
        """The errors of the constraints: lists for positions, velocities and accelerations."""
        from .loops.constraint_errors import constraint_errors

        return constraint_errors(self.scalars, self.motions)

    def with_inertias(self, inertias: Sequence[Inertia], losses: Sequence[Scalar]) -> Derivation:
        """Return a derivation with other inertias of links, and further forces in joints.

        ``losses`` are added to the required forces, in the order of the speeds.
        """
        tree, supply = self.scalars.with_inertias(inertias), self.supply
        known = supply.unknowns, supply.state, self.law_loads
        return _solved(tree, self.request, self.motions, *known, losses)

    def without_choice(self) -> Derivation:
        """Return the derivation with undetermined forces as mechanics leaves them."""
        known = self.supply.unknowns, self.supply.state, self.law_loads
        return _solved(self.scalars, replace(self.request, choice=None), self.motions, *known)

    def of_least_norm(self) -> Derivation:
        """Return the derivation with undetermined forces of least norm."""
        return replace(self, request=replace(self.request, least_norm=True))

    def nan_if_undetermined(
        self, values: Sequence[Scalar], changes: Sequence[Scalar]
    ) -> list[Scalar]:
        """Return ``values`` with NaN where undetermined forces change the entry of ``changes``."""
        if self.request.least_norm or self.has_no_unknowns:
            return list(values)
        return self.supply.masked(values, self.supply.changes(changes))


def exclusive(function: Callable[Concatenate[O, P], R]) -> Callable[Concatenate[O, P], R]:
    """Return a method that locks the graph of ``self._derivation``, for one thread at a time."""

    @wraps(function)
    def locked(owner: O, *args: P.args, **options: P.kwargs) -> R:
        holder: Any = owner
        with holder._derivation.graph.lock, garbage_collection_paused():
            return function(owner, *args, **options)

    return locked


def derive(tree: Tree, request: Request | None = None) -> Derivation:
    """Return the inverse dynamics of a model; without a request, the forces of all joints."""
    with garbage_collection_paused():
        request = request or Request()
        graph = Graph(varying=[tree.time])
        _bind_rates(graph, tree)
        scalars, loads = ScalarTree(graph, tree), tree.assigned
        if tree.deduced and tree.deduced.sites:
            from .loops.deduced_loops import with_deduced_loops

            tree = with_deduced_loops(scalars, tree.deduced.sites)
            scalars = ScalarTree(graph, tree)
        gravity = None if loads.gravity is None else scalars.express(loads.gravity_parts, None)
        motions = outward_kinematics(scalars, gravity)
        check_unknowns(tree, request.solve_for)
        unknowns, state = _unknowns(scalars, request)
        law_loads = request.laws.enter(scalars, motions, state) if request.laws else ()
        derivation = _solved(scalars, request, motions, unknowns, state, law_loads)
        for symbol, value in derivation.solved.items():
            graph.bind(symbol, value)
        return derivation


def _solved(
    tree: ScalarTree,
    request: Request,
    motions: tuple[BodyMotion, ...],
    unknowns: Sequence[Unknown],
    state: GenericState,
    law_loads: tuple[hints.LawLoad, ...],
    losses: Sequence[Scalar] = (),
) -> Derivation:
    """Return the derivation of a motion, with its unknown forces solved for.

    ``losses`` are further generalized forces in joints, in the order of the speeds.
    """
    net = body_wrenches(tree, motions)
    known = external_wrenches(tree, tree.symbolic.assigned.at_zero(request.solve_for))
    known = with_laws(known, law_loads)
    wrenches = inward_joint_wrenches(tree, net, known)
    demanded = without_laws(generalized_forces(tree, wrenches), law_loads)
    for speed, loss in zip(demanded, losses, strict=False):
        demanded[speed] = demanded[speed] + loss
    supply = Supply.solve(tree, unknowns, list(demanded.values()), state, request.is_written)
    motors = request.motors(tree.symbolic)

    def supplied(supply: Supply) -> Derivation:
        own = combined(zip(unknowns, supply.solution.values, strict=True))
        found = inward_joint_wrenches(tree, net, summed(known, own)) if unknowns else wrenches
        forces = _forces(supply, motors)
        return Derivation(tree, request, motions, found, demanded, forces, supply, law_loads)

    derivation = supplied(supply)
    return supplied(request.choice(derivation)) if request.choice else derivation


def with_laws(wrenches: Wrenches, loads: Iterable[hints.LawLoad]) -> Wrenches:
    """Return wrenches on links with the wrenches of law loads in loop joints added."""
    return summed(wrenches, combined((load.unknown, load.value) for load in loads))


def without_laws(forces: dict[Expr, Scalar], loads: Iterable[hints.LawLoad]) -> dict[Expr, Scalar]:
    """Return generalized forces without the contributions of law loads in the tree's joints."""
    for load in loads:
        if load.is_in_tree:
            pairs = zip(forces.items(), load.unknown.column, strict=True)
            forces = {u: force - unit * load.value for (u, force), unit in pairs}
    return forces


def derive_readable(known: Derivation) -> Derivation:
    """Return the derivation of a model for reading: loops by back-substitution or Cramer's rule."""
    from .loops.constraint_forces import triangular

    # Directions of forces in which the equations are nearly triangular give the shortest formulas.
    tree, constraints = known.tree, known.tree.constraints
    closings = tuple(triangular(known.scalars, closing) for closing in constraints.closings)
    tree = replace(tree, constraints=replace(constraints, closings=closings))
    return derive(tree, replace(known.request, is_written=True))


def _unknowns(tree: ScalarTree, request: Request) -> tuple[list[Unknown], GenericState]:
    """Return the forces that the motion determines, and a state at which ranks are decided."""
    constraint_forces, state = list[Unknown](), GenericState(tree.graph)
    if tree.symbolic.constraints:
        from .loops.assembled import constraint_unknowns

        constraint_forces, state = constraint_unknowns(tree)
    motors = unknown_motors(tree, request.motors(tree.symbolic) or ())
    loads = without_zeros(unknown_loads(tree, tree.symbolic.assigned, request.solve_for), state)
    check_effect(loads)
    return [*constraint_forces, *motors, *loads], state


def _forces(supply: Supply, motors: Sequence[Expr] | None) -> dict[Expr, Scalar]:
    """Return the generalized forces of the joints: of motors, or else all that the loads leave."""
    speeds = supply.tree.symbolic.speeds
    if motors is None:
        return dict(zip(speeds, supply.solution.residuals, strict=True))
    forces = dict.fromkeys(speeds, supply.tree.graph.scalar(0))
    return forces | {u: supply.of(u)[0] for u in motors}


def _bind_rates(graph: Graph, tree: Tree) -> None:
    """Bind the coordinates' time derivatives to functions of speeds and accelerations."""
    inputs, rates = {*tree.speeds, *tree.accelerations}, dict(tree.derivative.rates)
    known, time = {*tree.coordinates, *tree.speeds}, tree.time
    moving = [differentiate_leaf(q, time) for q in tree.coordinates]
    # speeds of joints with prescribed coordinates
    moving += [x for x in rates if isinstance(x, AppliedUndef) and x not in known]
    for first in moving:
        if first not in inputs:
            graph.bind(first, graph.scalar(rates[first]))
    sweep = ForwardSweep(graph, lambda leaf: graph.scalar(differentiate_leaf(leaf, time)))
    for first in moving:
        second = differentiate_leaf(first, time)
        if second not in inputs:
            graph.bind(second, *sweep.of([graph.scalar(first)]))
