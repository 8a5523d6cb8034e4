"""Forward dynamics: the accelerations under the loads, with loops and contacts by multipliers.

With the generalized forces ``Q = M udot + bias`` that a motion asks for, a tree without
motors moves so that ``M udot = -bias``.  Constraints ``J udot + g = 0`` add multipliers,
``M udot = -bias + J^T lambda``; they are eliminated first,
``(J M^-1 J^T) lambda = J M^-1 bias - g``.
"""

from collections.abc import Mapping, Sequence

from sympy import Expr

from ..arithmetic.derivatives import adjoint_jacobian, jacobian
from ..arithmetic.factorization import Factorization
from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Scalar, replaced, total
from ..arithmetic.linear import dot, solve
from ..mechanism.tree import TopologyError, Tree
from .articulated import applies_to, articulated_accelerations
from .base_parameters import regroup, regrouped_forces
from .closing_forces import constraint_errors
from .derivation import Derivation
from .external_loads import external_wrenches
from .mass_distribution import check_mass_distribution
from .mass_matrix import mass_matrix
from .rigid_body import Inertia

#: Trees of more speeds have an articulated inertia, of fewer a factored mass matrix; between
#: these what costs less.
LEAST, MOST = 6, 14


def forward_alternatives(derivation: Derivation, rate: float = 0.0) -> list[list[Scalar]]:
    """Return the time derivatives of the speeds under the loads alone, in several ways.

    Parameters
    ==========

    derivation : Derivation
        The inverse dynamics of the model, without motors.
    rate : float
        How fast errors of the constraints die out (Baumgarte's stabilisation, the
        double root of their differential equation), per unit of time; zero: not.

    Raises
    ======

    TopologyError
        If a speed moves nothing, or no mass.
    """
    model, bodies = derivation.tree, regroup(derivation.scalars)
    if model.constraints:
        return [_constrained(derivation, bodies, rate)]
    check_mass_distribution(derivation, with_particles=True)
    is_long = len(model.speeds) >= LEAST and applies_to(derivation.scalars)
    ways = [_articulated(derivation, bodies)] if is_long else []
    if ways and len(model.speeds) > MOST:
        return ways
    factors = Factorization(mass_matrix(derivation.scalars, bodies), tips_first(model))
    for demanded in (derivation.demanded, regrouped_forces(derivation)):
        ways.append(factors.solve([-force for force in _steady(derivation, demanded)]))
    return ways


def acceleration_slopes(
    derivation: Derivation, accelerations: Sequence[Scalar], symbols: Sequence[Expr]
) -> dict[Expr, list[Scalar]]:
    """Return the derivatives of a tree's accelerations, by symbol.

    The forces ``Q`` that a motion asks for stay zero whatever changes, so that
    ``M dudot = -dQ`` with the accelerations held.

    Parameters
    ==========

    derivation : Derivation
        The inverse dynamics of the tree, without motors.
    accelerations : sequence of Scalar
        The time derivatives of the speeds, in their order.
    symbols : sequence of Expr
        What changes.
    """
    model, demanded = derivation.tree, regrouped_forces(derivation)
    forces = [demanded[speed] for speed in model.speeds]
    moving = dict(zip(model.accelerations, accelerations, strict=True))
    rows = adjoint_jacobian(derivation.graph, forces, symbols)
    held = [replaced(row, moving) for row in rows]
    matrix = mass_matrix(derivation.scalars, regroup(derivation.scalars))
    factors = Factorization(matrix, tips_first(model))
    return {x: factors.solve([-row[k] for row in held]) for k, x in enumerate(symbols)}


def _steady(derivation: Derivation, demanded: Mapping[Expr, Scalar]) -> list[Scalar]:
    """Return the generalized forces that a motion without accelerations asks for."""
    model = derivation.tree
    still = dict.fromkeys(model.accelerations, derivation.graph.scalar(0))
    return replaced([demanded[speed] for speed in model.speeds], still)


def _articulated(derivation: Derivation, bodies: Sequence[Inertia]) -> list[Scalar]:
    """Return the accelerations by articulated inertias."""
    tree, model = derivation.scalars, derivation.tree
    loads = external_wrenches(tree, derivation.loads)
    net = [body.net_wrench(motion) for body, motion in zip(bodies, derivation.motions, strict=True)]
    wanted = [wrench - loads[k] if k in loads else wrench for k, wrench in enumerate(net)]
    still = dict.fromkeys(model.accelerations, derivation.graph.scalar(0))
    steady = [wrench.replaced(still) for wrench in wanted]
    found = articulated_accelerations(tree, bodies, steady)
    return [found[speed] for speed in model.speeds]


def _constrained(derivation: Derivation, bodies: Sequence[Inertia], rate: float) -> list[Scalar]:
    """Return the accelerations by factors of the mass matrix, and multipliers."""
    forces = _steady(derivation, derivation.demanded)
    rows, rest = _constraint_rows(derivation, rate)
    matrix = mass_matrix(derivation.scalars, bodies)
    if GenericStates(derivation.graph).rank(matrix) < len(matrix):
        matrix, forces = _with_constraints(derivation, matrix, forces, rows, rest)
    factors = Factorization(matrix, tips_first(derivation.tree))
    free = factors.solve([-force for force in forces])
    if not rows:
        return free
    responses = [factors.solve(row) for row in rows]
    system = [[dot(row, response) for response in responses] for row in rows]
    known = [-value - dot(row, free) for row, value in zip(rows, rest, strict=True)]
    multipliers = _multipliers(derivation, system, known)
    return [
        total([value, *(x[k] * y for x, y in zip(responses, multipliers, strict=True))])
        for k, value in enumerate(free)
    ]


def _with_constraints(
    derivation: Derivation,
    matrix: list[list[Scalar]],
    forces: list[Scalar],
    rows: list[list[Scalar]],
    rest: list[Scalar],
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Add ``J^T (J udot + g) = 0`` to equations whose mass matrix is singular.

    Bodies without mass, and speeds that move none, move as the constraints say.

    Raises
    ======

    TopologyError
        If the constraints do not say it.
    """
    columns = [[row[k] for row in rows] for k in range(len(matrix))]
    zero = derivation.graph.scalar(0)
    sums = [[dot([zero, *one], [zero, *two]) for two in columns] for one in columns]
    matrix = [
        [x + y for x, y in zip(*pair, strict=True)] for pair in zip(matrix, sums, strict=True)
    ]
    if derivation.supply.states.rank(matrix) < len(matrix):
        check_mass_distribution(derivation, with_particles=True)
    terms = (dot([zero, *column], [zero, *rest]) for column in columns)
    return matrix, [force + term for force, term in zip(forces, terms, strict=True)]


def _multipliers(
    derivation: Derivation, matrix: list[list[Scalar]], right: list[Scalar]
) -> list[Scalar]:
    """Solve the symmetric system; redundant constraints leave some open: those of least norm."""
    states = derivation.supply.states
    if states.rank(matrix) == len(matrix):
        return Factorization(matrix, range(len(matrix))).solve(right)
    return solve(derivation.graph, matrix, right, states).values


def tips_first(model: Tree) -> list[int]:
    """Return the numbers of the speeds, those of the outermost links first.

    Raises
    ======

    TopologyError
        If a speed moves nothing, and no constraint is there to say how it changes.
    """
    outermost = {u: i for i, link in enumerate(model.links) for u in link.motion.speeds}
    idle = model.idle_speeds
    if idle and not model.constraints:
        raise TopologyError(
            model.argument,
            [
                f"the speed {speed} moves no body, so that nothing says how it changes."
                for speed in idle
            ],
        )
    places = [outermost.get(speed, len(model.links)) for speed in model.speeds]
    return sorted(range(len(places)), key=places.__getitem__)[::-1]


def _constraint_rows(
    derivation: Derivation, rate: float
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Return the coefficients of accelerations in the constraints, and the rest of these."""
    model, graph = derivation.tree, derivation.graph
    errors = constraint_errors(derivation.scalars, derivation.motions)
    positions, velocities, accelerations = errors
    still: dict[Expr, Scalar] = dict.fromkeys(model.accelerations, graph.scalar(0))
    rests = replaced(accelerations, still)
    if rate:
        twice, square = graph.scalar(2 * rate), graph.scalar(rate**2)
        triples = zip(rests, velocities, positions, strict=True)
        rests = [a + v * twice + p * square for a, v, p in triples]
    states = GenericStates(graph)  # not assembled ones: a simulation leaves these a little
    slopes = jacobian(graph, accelerations, model.accelerations)
    rows = [states.without_zeros(row) for row in slopes]
    kept = [k for k, row in enumerate(rows) if not all(entry.is_zero for entry in row)]
    return [rows[k] for k in kept], [rests[k] for k in kept]
