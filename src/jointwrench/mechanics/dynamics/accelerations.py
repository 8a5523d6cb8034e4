"""Forward dynamics: accelerations under the loads; loops and contacts enter by multipliers.

A motion requires the generalized forces ``Q = M udot + bias``, so a tree without motors moves with
``M udot = -bias``.  Constraints ``J udot + g = 0`` add multipliers: ``M udot = -bias + J^T
lambda``.  M includes the added mass of loads that depend on accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy import Expr

from ..arithmetic.derivatives import adjoint_jacobian, jacobian
from ..arithmetic.expression_derivatives import ParameterSymbol
from ..arithmetic.factorization import dot
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Scalar, replace_inputs
from .derivation import Derivation
from .loops.balance import Balance, MassMatrix, Measures, tips_first
from .loops.scaling import largest_of_constraints, mass_of, units_of_constraints, units_of_speeds
from .loops.unknowns import supplied_by
from .mass_distribution import can_be_singular, check_mass_distribution, has_pivots
from .recursion.mass_matrix import mass_matrix
from .recursion.rigid_body import Inertia, with_values
from .recursion.scalar_tree import external_wrenches, has_own_speeds
from .regrouping import regroup, regrouped_forces

if TYPE_CHECKING:
    from .recursion.articulated import ArticulatedTree


def effective_mass_matrix(derivation: Derivation, bodies: Sequence[Inertia]) -> list[list[Scalar]]:
    """Return the mass matrix of the tree with added mass, in the order of the speeds.

    ``bodies`` are the inertias of the links, or base parameters that give the same matrix.
    """
    matrix = mass_matrix(derivation.scalars, bodies)
    added = added_mass(derivation)
    if not added:
        return matrix
    pairs = zip(matrix, added, strict=True)
    return [[x + y for x, y in zip(row, more, strict=True)] for row, more in pairs]


def added_mass(derivation: Derivation) -> list[list[Scalar]]:
    """Return the added mass of loads, n x n; empty if no load depends on accelerations."""
    model, graph = derivation.tree, derivation.graph
    known = derivation.loads.at_zero(derivation.request.solve_for)
    wrenches = external_wrenches(derivation.scalars, known)
    accelerations = {graph.scalar(x).ref for x in model.accelerations}
    components = [x.ref for wrench in wrenches.values() for x in wrench.scalars]
    if accelerations.isdisjoint(graph.needed(components)):
        return []
    forces = supplied_by(derivation.scalars, wrenches)
    rows = [[-x for x in row] for row in jacobian(graph, forces, model.accelerations)]
    state, others = GenericState(graph), (graph.scalar(k + 2) for k in range(len(rows)))
    moved = dict(zip(model.accelerations, others, strict=True))
    changes = (x - y for row in rows for x, y in zip(row, replace_inputs(row, moved), strict=True))
    if not all(map(state.is_zero, changes)):
        raise ValueError(
            f"`{model.argument}` must have loads that are linear in the accelerations, so that the "
            "accelerations can be solved for. Use InverseDynamics for the forces of a given motion."
        )
    return [state.without_zeros(row) for row in rows]


#: Trees with fewer speeds than the first number are solved by a factored mass matrix, with more
#: speeds than the second by articulated inertias, in between by the one that costs less.
LEAST, MOST = 6, 14

#: Cost per speed of a solution by articulated inertias, relative to the cost of a matrix product
#: per pair of speeds.
SOLVED = 40

#: Closed mechanisms with more speeds whose mass matrix is singular only at special poses are solved
#: as if it were regular, which halves the operations.
SMALL = 12


class AccelerationSolution(NamedTuple):
    """A solution for the accelerations under the loads.

    Attributes
    ==========

    accelerations : list of Scalar
        The time derivatives of the speeds.
    multipliers : list of Scalar
        The multipliers of the constraints.
    balance : Balance or None
        The factored system of mass matrix and constraints, if there is one.
    """

    accelerations: list[Scalar]
    multipliers: list[Scalar]
    balance: Balance | None = None


class ForwardAccelerations:
    """The time derivatives of the speeds under the loads, without motors.

    Parameters
    ==========

    derivation : Derivation
        The derivation of the model, without motors.
    rate : float
        The rate at which errors e of the constraints decay by Baumgarte's stabilisation: ``e'' = -2
        rate e' - rate^2 e``.
    """

    def __init__(self, derivation: Derivation, rate: float = 0.0) -> None:
        self._derivation = derivation
        self._bodies = regroup(derivation.scalars)
        model = derivation.tree
        if model.constraints:
            self._constraints = _constraint_rows(derivation, rate)
        else:
            check_mass_distribution(derivation)
            self._constraints = _ConstraintRows([], [], [], [])
        self._rows, self._rest = self._constraints.rows, self._constraints.rests

    @cached_property
    def solutions(self) -> list[AccelerationSolution]:
        """Several solutions for the same accelerations, by different operations."""
        model = self._derivation.tree
        if model.constraints:
            return [self._constrained()]
        is_long = len(model.speeds) >= LEAST and self._may_be_articulated
        solutions = [AccelerationSolution(self._articulated(), [])] if is_long else []
        if solutions and len(model.speeds) > MOST:
            return solutions
        balance = self._balance()
        for demanded in (self._derivation.demanded, regrouped_forces(self._derivation)):
            forces = [-force for force in _steady(self._derivation, demanded)]
            solutions.append(AccelerationSolution(*balance.solve(forces), balance))
        return solutions

    def _articulated(self) -> list[Scalar]:
        """Return the accelerations of a tree by articulated inertias."""
        derivation, tree = self._derivation, self._derivation.scalars
        loads = external_wrenches(tree, derivation.loads)
        pairs = zip(self._bodies, derivation.motions, strict=True)
        net = [body.net_wrench(motion) for body, motion in pairs]
        wanted = [wrench - loads[k] if k in loads else wrench for k, wrench in enumerate(net)]
        still = dict.fromkeys(derivation.tree.accelerations, derivation.graph.scalar(0))
        return self._tree.accelerations(with_values(wanted, still))

    @cached_property
    def _tree(self) -> ArticulatedTree:
        """The tree with its articulated inertias."""
        from .recursion.articulated import ArticulatedTree

        return ArticulatedTree(self._derivation.scalars, self._bodies)

    @cached_property
    def equations(self) -> tuple[list[list[Scalar]], list[Scalar]]:
        """The mass matrix M and the forces f of ``M udot = f``, without constraints."""
        forces = _steady(self._derivation, self._derivation.demanded)
        matrix = effective_mass_matrix(self._derivation, self._bodies)
        return matrix, [-force for force in forces]

    @cached_property
    def inverse_mass_matrix(self) -> list[list[Scalar]]:
        """The accelerations (rows) per unit of generalized forces (columns), with constraints."""
        balance, graph = self.solutions[-1].balance, self._derivation.graph
        if balance is None:
            balance = self._balance()
        count, still = len(self._derivation.tree.speeds), [graph.scalar(0)] * len(self._rows)
        units = ([graph.scalar(int(i == k)) for i in range(count)] for k in range(count))
        columns = [balance.solve(unit, still)[0] for unit in units]
        if not balance.is_symmetric:
            return [[column[i] for column in columns] for i in range(count)]
        return [[columns[max(i, k)][min(i, k)] for k in range(count)] for i in range(count)]

    @property
    def _may_be_articulated(self) -> bool:
        """Whether articulated inertias apply: one joint per speed, no added mass or law loads."""
        derivation = self._derivation
        is_simple = not (derivation.law_loads or added_mass(derivation))
        return is_simple and has_own_speeds(derivation.scalars)

    def _balance(self) -> Balance:
        """Return the factored system of mass matrix and constraints."""
        derivation = self._derivation
        scalars, state, rows = derivation.scalars, derivation.supply.state, self._rows
        count = len(derivation.tree.speeds)
        of_rows = self._constraints
        columns, mass = units_of_speeds(scalars), mass_of(scalars)
        measures = Measures(of_rows.units, columns, mass, of_rows.largest)
        lacks_mass = bool(rows) and can_be_singular(derivation.tree)
        is_long = count > MOST and SOLVED * len(rows) < count * (count / 6 + len(rows))
        is_long = is_long and bool(rows) and self._may_be_articulated
        if is_long and (not lacks_mass or has_pivots(state, lambda: self._tree.pivots)):
            return Balance(derivation.graph, self._tree, rows, state, measures)
        matrix = effective_mass_matrix(derivation, self._bodies)
        if lacks_mass and state.rank([*matrix, *rows]) < count:
            check_mass_distribution(derivation)
        may_be_singular = lacks_mass and (count <= SMALL or state.rank(matrix) < count)
        order = tips_first(derivation.tree)
        masses = MassMatrix(derivation.graph, matrix, order, state, doubtful=scalars.doubtful)
        return Balance(derivation.graph, masses, rows, state, measures, may_be_singular)

    def _constrained(self) -> AccelerationSolution:
        """Return the accelerations and multipliers of a model with constraints."""
        # M udot = f + J^T lambda,  J udot = g
        forces = [-x for x in _steady(self._derivation, self._derivation.demanded)]
        balance = self._balance()
        found = balance.solve(forces, [-x for x in self._rest])
        return AccelerationSolution(*found, balance)

    def slopes(
        self, solution: AccelerationSolution, symbols: Sequence[Expr]
    ) -> dict[Expr, list[Scalar]] | None:
        """Return the derivatives of the accelerations by symbol, None for a redundant system.

        With accelerations a and multipliers held, the equations change by residuals that must
        vanish again: ``M da = J^T dlambda - dR``, ``J da = -dC``, for ``R = M a + f - J^T lambda``
        and ``C = J a - g``.
        """
        balance = solution.balance or self.solutions[-1].balance
        if balance is None or balance.is_redundant:
            return None
        residuals, errors = self._residuals
        held = dict(zip(self._derivation.tree.accelerations, solution.accelerations, strict=True))
        held |= dict(zip(self._multipliers, solution.multipliers, strict=True))
        rows = adjoint_jacobian(self._derivation.graph, [*residuals, *errors], symbols)
        rows = [replace_inputs(row, held) for row in rows]
        count = len(residuals)
        columns = [[-row[k] for row in rows] for k in range(len(symbols))]
        solved = (balance.solve(column[:count], column[count:])[0] for column in columns)
        return dict(zip(symbols, solved, strict=True))

    @cached_property
    def _residuals(self) -> tuple[list[Scalar], list[Scalar]]:
        """The residuals R and C with accelerations and multipliers as independent inputs."""
        derivation, graph = self._derivation, self._derivation.graph
        model = derivation.tree
        demanded = derivation.demanded if model.constraints else regrouped_forces(derivation)
        residuals = [demanded[speed] for speed in model.speeds]
        moving = [graph.scalar(x) for x in model.accelerations]
        errors = [rest + dot(row, moving) for row, rest in zip(self._rows, self._rest, strict=True)]
        for row, symbol in zip(self._rows, self._multipliers, strict=True):
            multiplier = graph.scalar(symbol)
            residuals = [x - y * multiplier for x, y in zip(residuals, row, strict=True)]
        return residuals, errors

    @cached_property
    def _multipliers(self) -> list[ParameterSymbol]:
        """The symbols of the multipliers while these are held."""
        return [ParameterSymbol.numbered("multiplier", k) for k in range(len(self._rows))]


def _steady(derivation: Derivation, demanded: Mapping[Expr, Scalar]) -> list[Scalar]:
    """Return the generalized forces that the motion requires at zero accelerations."""
    model = derivation.tree
    still = dict.fromkeys(model.accelerations, derivation.graph.scalar(0))
    return replace_inputs([demanded[speed] for speed in model.speeds], still)


class _ConstraintRows(NamedTuple):
    """The constraints in the form ``rows @ udot + rests = 0``.

    Attributes
    ==========

    rows : list of list of Scalar
        The coefficients of the accelerations.
    rests : list of Scalar
        The other terms.
    units : list of Scalar
        The unit of each row that converts it to a translation.
    largest : list of Scalar
        Upper bounds of the squared rows after this conversion.
    """

    rows: list[list[Scalar]]
    rests: list[Scalar]
    units: list[Scalar]
    largest: list[Scalar]


def _constraint_rows(derivation: Derivation, rate: float) -> _ConstraintRows:
    """Return the binding constraints of accelerations, stabilised at ``rate``."""
    model, graph = derivation.tree, derivation.graph
    errors = derivation.constraint_errors
    positions, velocities, accelerations = errors
    still: dict[Expr, Scalar] = dict.fromkeys(model.accelerations, graph.scalar(0))
    rests = replace_inputs(accelerations, still)
    if rate:
        twice, square = graph.scalar(2 * rate), graph.scalar(rate**2)
        triples = zip(rests, velocities, positions, strict=True)
        rests = [a + v * twice + p * square for a, v, p in triples]
    state = GenericState(graph)  # not on the constraint manifold, from which simulations drift
    is_long = len(model.accelerations) > max(MOST, 3 * len(accelerations))
    sweeps = adjoint_jacobian if is_long else jacobian
    slopes = sweeps(graph, accelerations, model.accelerations)
    rows = [state.without_zeros(row) for row in slopes]
    kept = [k for k, row in enumerate(rows) if not all(entry.is_zero for entry in row)]
    units = units_of_constraints(derivation.scalars, len(rows))
    found: Any = rows, rests, units, largest_of_constraints(derivation.scalars, rows)
    return _ConstraintRows(*([own[k] for k in kept] for own in found))
