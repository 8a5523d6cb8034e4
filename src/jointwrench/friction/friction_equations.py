"""Friction that depends on the reactions that it changes, by Newton's method.

The wrench of a bearing is ``W = W0 + G phi`` with the frictions phi of all joints, so that

``phi_j + kappa_j sum_i r_ji |A_ji (W0 + G phi)| + c_j v_j = 0``,  ``kappa = mu(v) s(v)``.

The frictions are solved for in the order of their dependence.  A friction on which its own normal
forces do not depend is explicit.  For a group of interdependent frictions ``I + S`` is the Jacobian
of the equations at the solution.  It is eliminated without pivoting, which is stable if the
spectral radius of ``|S|`` is below 1; then there is exactly one solution [1]_.  The result is NaN
if Newton's method does not converge, or if ``det(I + S) <= 0``.

References
==========

.. [1] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002,
   section 9.5.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np
from sympy import Dummy, Expr, S, sign

from ..checks.arguments import enumerate_some
from ..checks.tolerances import SOLVED, TINY
from ..mechanics.arithmetic.derivatives import jacobian
from ..mechanics.arithmetic.factorization import Factorization, dot
from ..mechanics.arithmetic.graph import Scalar, apply_function, replace_inputs, total
from ..mechanics.arithmetic.linear import group_interdependent
from ..mechanics.arithmetic.output import Output
from ..mechanics.arithmetic.piecewise import Gate
from ..mechanics.dynamics.accelerations import ForwardAccelerations
from ..mechanics.dynamics.derivation import Derivation
from ..mechanics.dynamics.load_laws import SolvedLaws
from ..mechanics.dynamics.loops.balance import tips_first
from ..mechanics.dynamics.outputs.constraint_wrench_outputs import bearing_wrench
from ..mechanics.dynamics.outputs.force_outputs import column_output
from ..records.wrench_components import COMPONENTS
from .friction_parameters import factor
from .slips import Friction, friction_loads

#: Steps of Newton's method; one to three are enough in most mechanisms.
STEPS = 4

#: Steps for trees in forward dynamics, which start from the motion without friction; trees with up
#: to FEW speeds, where steps are cheap, take twice as many.
STEPS_OF_TREES, FEW = 3, 5


class NormalForce(NamedTuple):
    """A normal force ``N0 + G x``, affine in the unknowns x, and its weight in the friction.

    Attributes
    ==========

    weight : Scalar
        ``kappa r``: the coefficient of friction with the sign of the speed, times the arm.
    start : list of Scalar
        The components of N0.
    slopes : dict of int to list of Scalar
        The nonzero columns of G by the index of the unknown.
    """

    weight: Scalar
    start: list[Scalar]
    slopes: dict[int, list[Scalar]]

    def at(self, values: Mapping[int, Scalar]) -> list[Scalar]:
        """Return the components for values of some unknowns, and zeros for the others."""
        found = list(self.start)
        for k, value in values.items():
            if k in self.slopes:
                found = [x + y * value for x, y in zip(found, self.slopes[k], strict=True)]
        return found

    def with_values(self, values: Mapping[int, Scalar]) -> "NormalForce":
        """Return the normal force with values substituted for some unknowns."""
        left = {k: own for k, own in self.slopes.items() if k not in values}
        return NormalForce(self.weight, self.at(values), left)

    def with_indices(self, numbers: Mapping[int, int]) -> "NormalForce":
        """Return the normal force with new indices of the unknowns."""
        return self._replace(slopes={numbers[k]: own for k, own in self.slopes.items()})


#: A weighted unit vector along each normal force.
Directions: TypeAlias = list[list[Scalar]]


class Law(NamedTuple):
    """One friction phi in terms of unknowns x: ``phi = -drag - sum_i w_i |N_i(x)|``.

    ``drag`` is the viscous part ``c v``; the sum over the normal forces is the dry friction.
    """

    drag: Scalar
    normal_forces: list[NormalForce]

    @property
    def unknowns(self) -> list[int]:
        """The indices of the unknowns on which the friction depends."""
        return sorted({k for pressure in self.normal_forces for k in pressure.slopes})

    def friction(self, values: Mapping[int, Scalar]) -> Scalar:
        """Return the friction phi for values of the unknowns."""
        return -(self.dry_friction(values) + self.drag)

    def dry_friction(self, values: Mapping[int, Scalar]) -> Scalar:
        """Return the dry friction ``sum_i w_i |N_i|`` for values of the unknowns."""
        return self._sum(p.weight * _length(p.at(values)) for p in self.normal_forces)

    def directions(self, values: Mapping[int, Scalar]) -> Directions:
        """Return the sum's derivatives with respect to the normal forces: weighted unit vectors."""
        return [_direction(p.at(values), p.weight) for p in self.normal_forces]

    def linear(self, directions: Directions, values: Mapping[int, Scalar]) -> Scalar:
        """Return the sum with the normal forces projected on fixed directions."""
        pairs = zip(directions, self.normal_forces, strict=True)
        return self._sum(dot(own, p.at(values)) for own, p in pairs)

    def slope(self, directions: Directions, k: int) -> Scalar:
        """Return the projected sum's derivative with respect to an unknown."""
        pairs = zip(directions, self.normal_forces, strict=True)
        return self._sum(dot(own, p.slopes[k]) for own, p in pairs if k in p.slopes)

    def bound(self, k: int) -> Scalar:
        """Return the upper bound of ``|d phi / d x_k|``, an entry of the matrix of couplings K."""
        changing = (p for p in self.normal_forces if k in p.slopes)
        return self._sum(abs(p.weight) * _length(p.slopes[k]) for p in changing)

    def with_forces(self, change: Callable[[NormalForce], NormalForce]) -> "Law":
        """Return the friction with a function applied to its normal forces."""
        return self._replace(normal_forces=[change(pressure) for pressure in self.normal_forces])

    def _sum(self, values: Iterable[Scalar]) -> Scalar:
        return total([self.drag.graph.scalar(0), *values])


class FrictionEquations(NamedTuple):
    """The equations ``matrix x = right + columns phi(x)`` of some frictions' unknowns x.

    Each law has a column: the contribution of a unit friction to each equation.
    """

    matrix: Sequence[Sequence[Scalar]]
    right: Sequence[Scalar]
    columns: Sequence[Sequence[Scalar]]
    laws: Sequence[Law]

    def solve(self, start: Sequence[Scalar], steps: int) -> tuple[list[Scalar], ...]:
        """Return the unknowns, the frictions, and the residuals of their laws.

        They are the solution after some steps of Newton's method and a chord step.  It is NaN if a
        residual is too large or the determinant of the Jacobian is not positive.
        """
        graph, values, nothing = start[0].graph, dict(enumerate(start)), dict[int, Scalar]()
        steady = self._subtract(self.right, [law.drag for law in self.laws])
        for _ in range(steps):
            directions = [law.directions(values) for law in self.laws]
            pairs = list(zip(self.laws, directions, strict=True))
            right = self._subtract(steady, [law.linear(own, nothing) for law, own in pairs])
            elimination = Elimination(self._jacobian(directions))
            values = dict(enumerate(elimination.solve(right)))
        found = [law.dry_friction(values) for law in self.laws]
        excess = [x - law.linear(own, values) for (law, own), x in zip(pairs, found, strict=True)]
        determinant = reduce(Scalar.__mul__, elimination.pivots)
        gate = _gate(graph.scalar(0), determinant, graph.scalar(1))
        for dry, more in zip(found, excess, strict=True):
            gate = _gate(abs(more), abs(dry) * SOLVED + TINY, gate)
        values = dict(enumerate(elimination.solve(self._subtract(right, excess))))
        found = [law.linear(own, values) + x for (law, own), x in zip(pairs, excess, strict=True)]
        residuals = [law.dry_friction(values) - x for law, x in zip(self.laws, found, strict=True)]
        frictions = [-(x + law.drag) * gate for law, x in zip(self.laws, found, strict=True)]
        return [x * gate for x in values.values()], frictions, residuals

    def _subtract(self, right: Sequence[Scalar], frictions: Sequence[Scalar]) -> list[Scalar]:
        """Return a right-hand side minus the contributions of some frictions."""
        for column, friction in zip(self.columns, frictions, strict=True):
            right = [x - share * friction for x, share in zip(right, column, strict=True)]
        return list(right)

    def _jacobian(self, directions: Sequence[Directions]) -> list[list[Scalar]]:
        """Return the Jacobian: the matrix plus the derivatives of the dry frictions."""
        rows = [list(row) for row in self.matrix]
        for law, own, column in zip(self.laws, directions, self.columns, strict=True):
            for k in law.unknowns:
                slope = law.slope(own, k)
                for row, share in zip(rows, column, strict=True):
                    row[k] = row[k] + share * slope
        return rows


class Frictions(SolvedLaws):
    """The frictions of a derivation in a prescribed motion, solved from the joint reactions.

    For forward dynamics ``moving`` has the accelerations in terms of the frictions' symbols.

    Attributes
    ==========

    laws : list of Law
        The laws in terms of the unknowns.
    values : dict of int to Scalar
        The frictions by index.
    residuals : list of Scalar
        The residuals of the laws.
    solved : list of int
        The frictions that are not explicit.
    """

    def __init__(self, derivation: Derivation, moving: Mapping[Expr, Scalar]) -> None:
        self._take(derivation)
        self.laws = laws_of(derivation, self._symbols, moving)
        self.values: dict[int, Scalar] = {}
        self.solved: list[int] = []
        self.residuals = [self._graph.scalar(0)] * len(self.laws)
        for group in groups_of(self.laws):
            if len(group) == 1 and group[0] not in self.laws[group[0]].unknowns:
                self.values[group[0]] = self.laws[group[0]].friction(self.values)
            else:
                self._solve(group)
        self.iterated = [self._frictions[k].joint.name for k in self.solved]
        self._applied = dict(self.values)
        for k, friction in enumerate(self._frictions):
            if friction.law.one_sided:
                zero = self._graph.scalar(0)
                self.values[k] = _gate(-self._normal_force(k), zero, self.values[k])

    def _take(self, derivation: Derivation) -> None:
        self._graph, self._frictions = derivation.graph, friction_loads(derivation)
        self._symbols = [friction.symbol for friction in self._frictions]

    @property
    def by_friction(self) -> list[Law]:
        """The laws with the frictions as unknowns."""
        return self.laws

    def _normal_force(self, k: int) -> Scalar:
        """Return the sum of a friction's normal forces; for one-sided contacts the signed force."""
        pressed = [pressure.at(self._applied) for pressure in self.by_friction[k].normal_forces]
        if self._frictions[k].law.one_sided and pressed:
            return pressed[0][0]
        return total([self._graph.scalar(0), *map(_length, pressed)])

    def _solve(self, group: list[int]) -> None:
        """Solve a group of interdependent frictions, whose values and residuals are stored."""
        numbers = {k: place for place, k in enumerate(group)}
        laws = [
            self.laws[k].with_forces(lambda p: p.with_values(self.values).with_indices(numbers))
            for k in group
        ]
        unit = [[self._graph.scalar(int(i == k)) for k in group] for i in group]
        nothing = [self._graph.scalar(0)] * len(group)
        equations = FrictionEquations(unit, nothing, unit, laws)
        values, _, residuals = equations.solve(nothing, STEPS)
        self.solved += group
        self.values |= zip(group, values, strict=True)
        for k, rest in zip(group, residuals, strict=True):
            self.residuals[k] = rest

    @property
    def by_symbol(self) -> dict[Expr, Scalar]:
        """The frictions by their symbols."""
        return {symbol: self.values[k] for k, symbol in enumerate(self._symbols)}

    def output(self, name: str, derivation: Derivation) -> Output:
        """Return one of the outputs of friction by its name."""
        if name == "motor_power":
            return _motor_power(derivation)
        if name == "friction":
            values = [self.values[k] for k in sorted(self.values)]
            return column_output(name, values, "frictions", "friction", 1)
        if name == "friction_gain":
            title = "gain of the frictions: below 1 there is one solution"
            return Output.from_scalars(name, (), [self.gain], title, ["friction gain"], 0)
        if name == "friction_couplings":
            entries = [law.bound(k) for law in self.by_friction for k in range(len(self.values))]
            title = "largest change of each friction per change of each friction"
            shape = (len(self.values),) * 2
            return Output.from_scalars(name, shape, entries, title, mass_dimension=0)
        if name == "normal_forces":
            forces = [self._normal_force(k) for k in range(len(self.values))]
            title = "normal forces between surfaces"
            return column_output(name, forces, title, "normal force", 1)
        if name == "sliding_speeds":
            speeds = [friction.speed for friction in self._frictions]
            return column_output(name, speeds, "sliding speeds", "sliding speed", 0)
        title = "residuals of the equations of the frictions"
        return column_output(name, self.residuals, title, "residual", 1)

    @property
    def gain(self) -> Scalar:
        """The spectral radius of K; below 1 there is exactly one solution for any loads."""
        zero = self._graph.scalar(0)
        laws = self.by_friction
        roots = [
            spectral_radius([[laws[j].bound(k) for k in group] for j in group])
            for group in groups_of(laws)
        ]
        return _largest([zero, *roots])


class MovingFrictions(Frictions):
    """The frictions of a tree in forward dynamics, solved together with the accelerations."""

    # The equations are M a = -b + C phi(a). There are as many unknowns as speeds, but reactions as
    # functions of accelerations take a third of the operations of those of frictions.

    def __init__(self, derivation: Derivation, forward: ForwardAccelerations) -> None:
        self._take(derivation)
        self._derivation, self._forward = derivation, forward
        laws = laws_of(derivation, derivation.tree.accelerations, {})
        nothing = dict.fromkeys(self._symbols, self._graph.scalar(0))
        matrix, forces = forward.equations
        forces = replace_inputs(forces, nothing)
        order = tips_first(derivation.tree)
        start = Factorization(matrix, order, derivation.scalars.doubtful).solve(forces)
        columns = [[f.unknown.column[i] for i in order] for f in derivation.law_loads]
        numbers = {k: place for place, k in enumerate(order)}
        own = [law.with_forces(lambda p: p.with_indices(numbers)) for law in laws]
        rows = [[matrix[i][k] for k in order] for i in order]
        balance = FrictionEquations(rows, [forces[i] for i in order], columns, own)
        steps = STEPS_OF_TREES * (2 if len(order) <= FEW else 1)
        values, frictions, self.residuals = balance.solve([start[i] for i in order], steps)
        self.accelerations = [values[numbers[k]] for k in range(len(order))]
        self.values = self._applied = dict(enumerate(frictions))

    @property
    def by_friction(self) -> list[Law]:
        derivation = self._derivation
        own = self._forward.solutions[0].accelerations
        moving = zip(derivation.tree.accelerations, own, strict=True)
        return laws_of(derivation, self._symbols, dict(moving))


def groups_of(laws: Sequence[Law]) -> list[list[int]]:
    """Return groups of interdependent frictions in the order in which they can be solved."""
    numbers = range(len(laws))
    return group_interdependent(np.array([np.isin(numbers, law.unknowns) for law in laws]))


def laws_of(
    derivation: Derivation, unknowns: Sequence[Expr], moving: Mapping[Expr, Scalar]
) -> list[Law]:
    """Return the laws in terms of unknowns in which the reactions are affine.

    ``moving`` has values for accelerations, which are substituted.
    """
    graph, found = derivation.graph, []
    for friction in friction_loads(derivation):
        bearing = bearing_wrench(derivation, friction.joint)
        _check_determined(derivation, friction)
        speed = Dummy(real=True)
        graph.bind(speed, friction.sliding)
        kappa = graph.scalar(factor(friction.law, speed))
        drag = graph.scalar(friction.law.viscous) * friction.speed
        normal_forces = [
            _normal_force_of(derivation, kappa * arm, replace_inputs(components, moving), unknowns)
            for arm, components in friction.normal_forces(bearing)
        ]
        found.append(Law(drag, [pressure for pressure in normal_forces if pressure.start]))
    return found


def _normal_force_of(
    derivation: Derivation, weight: Scalar, components: Sequence[Scalar], unknowns: Sequence[Expr]
) -> NormalForce:
    """Return a normal force with the derivatives of its components with respect to unknowns."""
    graph, state = derivation.graph, derivation.supply.state
    components = [x for x in state.without_zeros(components) if not x.is_zero]
    start = replace_inputs(components, dict.fromkeys(unknowns, graph.scalar(0)))
    rows = jacobian(graph, components, unknowns)
    columns = [state.without_zeros(column) for column in zip(*rows, strict=True)]
    slopes = {k: own for k, own in enumerate(columns) if not all(x.is_zero for x in own)}
    return NormalForce(weight, start, slopes)


def _check_determined(derivation: Derivation, friction: Friction) -> None:
    """Raise an error if the normal forces of a friction are undetermined."""
    supply = derivation.supply
    if derivation.has_no_unknowns:
        return
    change = bearing_wrench(derivation, friction.joint, is_open=True)
    components = [x for _, own in friction.normal_forces(change) for x in own]
    if any(supply.changes(components)):
        names = zip(COMPONENTS, supply.changes(change.scalars), strict=True)
        raise ValueError(
            "`frictions` must be at joints whose reactions are determined, but mechanics does "
            f"not determine the normal forces in {friction.joint.name!r} "
            f"({enumerate_some([name for name, is_open in names if is_open])}), since "
            "constraints of the model are redundant. Use loop joints with fewer constraints, for "
            "instance a point_on_line instead of a pin; `undetermined` of the model without "
            "friction lists all."
        )


def _motor_power(derivation: Derivation) -> Output:
    """Return the power of motors and solved loads; wrenches of loop joints have no power."""
    left = dict(zip(derivation.tree.speeds, derivation.supply.solution.residuals, strict=True))
    if derivation.request.motors(derivation.tree) is None:
        left = {}  # the joints supply it
    graph = derivation.graph
    parts = [
        (force - left[u] if u in left else force) * graph.scalar(u)
        for u, force in derivation.demanded.items()
    ]
    title = "power of motors and solved loads"
    return Output.from_scalars("motor_power", (), [total(parts)], title, ["motor power"], 1)


# -- numbers ----------------------------------------------------------------------


def _length(components: Sequence[Scalar]) -> Scalar:
    """Return the length of a vector; with a single component, its absolute value."""
    if len(components) == 1:
        return abs(components[0])
    return dot(components, components) ** S.Half


def _direction(components: Sequence[Scalar], weight: Scalar) -> list[Scalar]:
    """Return the gradient of a vector's length, times a weight; zeros for the zero vector."""
    if len(components) == 1:
        return [apply_function(sign, components[0]) * weight]
    length = _largest([_length(components), components[0].graph.scalar(TINY)])
    share = weight * length.reciprocal()
    return [x * share for x in components]


def _largest(values: Sequence[Scalar]) -> Scalar:
    return reduce(lambda found, x: apply_function(Gate, x, found, x, found), values)


def _gate(value: Scalar, most: Scalar, inner: Scalar) -> Scalar:
    """Return ``inner`` if ``value`` is less than ``most``, else NaN."""
    return apply_function(Gate, most, value, inner, S.NaN)


class Elimination:
    """Gaussian elimination of a matrix without pivoting.

    Attributes
    ==========

    pivots : list of Scalar
        The pivots, whose product is the determinant.
    """

    def __init__(self, rows: list[list[Scalar]]) -> None:
        self._rows, self._shares = rows, [dict[int, Scalar]() for _ in rows]
        self.pivots, self._inverses = list[Scalar](), list[Scalar]()
        for k, row in enumerate(rows):
            self.pivots.append(row[k])
            self._inverses.append(row[k].reciprocal())
            for i, own in enumerate(rows[k + 1 :], k + 1):
                if not own[k].is_zero:
                    share = self._shares[k][i] = own[k] * self._inverses[k]
                    own[k + 1 :] = [
                        x - share * y for x, y in zip(own[k + 1 :], row[k + 1 :], strict=True)
                    ]

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution for a right-hand side."""
        values = list(right)
        for k, shares in enumerate(self._shares):
            for i, share in shares.items():
                values[i] = values[i] - share * values[k]
        for k in reversed(range(len(values))):
            values[k] = values[k] * self._inverses[k]
            for i in range(k):
                values[i] = values[i] - self._rows[i][k] * values[k]
        return values


#: Number of squarings by which the spectral radius of larger matrices is computed.
SQUARINGS = 7


def spectral_radius(rows: list[list[Scalar]]) -> Scalar:
    """Return the spectral radius of a nonnegative matrix K, or a little more."""
    # max_i (K x)_i / x_i is an upper bound for any positive x (Collatz and Wielandt). It converges
    # to the radius for x = (K + s I)^128 1; the shift s, the largest row sum, makes the Perron
    # eigenvalue the only one of largest modulus.
    graph, count = rows[0][0].graph, len(rows)
    if count == 1:
        return rows[0][0]
    if count == 2:
        (a, b), (c, d) = rows
        half = (a - d) * S.Half
        return (a + d) * S.Half + (half * half + b * c) ** S.Half
    shift = _largest([*(total(row) for row in rows), graph.scalar(TINY)])
    power = [[x / shift + int(i == k) for k, x in enumerate(row)] for i, row in enumerate(rows)]
    for _ in range(SQUARINGS):
        columns = [*zip(*power, strict=True)]
        power = [[dot(row, column) for column in columns] for row in power]
        share = power[0][0].reciprocal()
        power = [[x * share for x in row] for row in power]
    vector = [total(row) for row in power]
    return _largest([dot(row, vector) / x for row, x in zip(rows, vector, strict=True)])
