"""Friction that depends on the reactions that it changes, solved by Newton's method.

The wrench of a bearing is ``W = W0 + G phi`` with the frictions phi of all joints, so that

``phi_j + kappa_j sum_i r_ji |A_ji (W0 + G phi)| + c_j v_j = 0``,  ``kappa = mu(v) s(v)``.

Joints are solved for in the order in which they change each other; those that do not are
explicit.  In a group that does, ``I + S`` is the slope of the equations at its solution: it is
eliminated without pivots, which is stable where the spectral radius of ``|S|`` is below 1, so
that there is one solution [1]_.  What is no solution, or one with ``det(I + S) <= 0``, is NaN.

References
==========

.. [1] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002,
   section 9.5.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sympy import Abs, Dummy, Expr, Pow, Rational, S, sign

from ....checks.arguments import enumerate_some
from ....records.laboratory import COMPONENTS
from ...arithmetic.derivatives import jacobian
from ...arithmetic.factorization import dot
from ...arithmetic.graph import Scalar, replaced, total
from ...arithmetic.piecewise import Gate
from ...arithmetic.program import Output
from ...models.joint_friction import factor
from ..derivation import Derivation
from ..recursion.rigid_body import with_values
from ..sliding import Friction
from .inverse_outputs import bearing_wrench, column_output

#: Steps of Newton's method; one to three are enough in most mechanisms.
STEPS = 4

#: What is left of an equation, as a share of its terms, at which it counts as solved.
SOLVED = 1e-9

#: Less than any force or torque that counts.
TINY = 1e-150


class Pressure(NamedTuple):
    """What presses a bearing's surfaces: ``N0 + G phi``, by components, at an arm."""

    # ``slopes`` are by number of a friction those of the components, none where all are zero.

    arm: Scalar
    start: list[Scalar]
    slopes: dict[int, list[Scalar]]

    def at(self, values: Mapping[int, Scalar]) -> list[Scalar]:
        """Return the components for values of frictions."""
        found = list(self.start)
        for k, column in self.slopes.items():
            if k in values:
                found = [x + y * values[k] for x, y in zip(found, column, strict=True)]
        return found


class Equation(NamedTuple):
    """``phi + kappa sum_i r_i |N_i| + drag = 0`` of one friction."""

    factor: Scalar
    drag: Scalar
    pressures: list[Pressure]

    @property
    def coupled(self) -> set[int]:
        """The numbers of the frictions on which it depends."""
        return {k for pressure in self.pressures for k in pressure.slopes}

    def friction(self, values: Mapping[int, Scalar]) -> Scalar:
        """Return what phi is if the others, and itself in the reactions, have values."""
        sizes = [p.arm * _length(p.at(values)) for p in self.pressures if p.start]
        return -(self.factor * total([self.drag.graph.scalar(0), *sizes]) + self.drag)

    def slope(self, values: Mapping[int, Scalar], k: int) -> Scalar:
        """Return by how much `friction` falls with a friction."""
        parts = [self.drag.graph.scalar(0)]
        for pressure in self.pressures:
            if k in pressure.slopes:
                share = _direction(pressure.at(values))
                parts.append(pressure.arm * dot(share, pressure.slopes[k]))
        return self.factor * total(parts)

    def bound(self, k: int) -> Scalar:
        """Return by how much `friction` changes at most with a friction: an entry of K."""
        sizes = [p.arm * _length(p.slopes[k]) for p in self.pressures if k in p.slopes]
        return _called(Abs, self.factor) * total([self.drag.graph.scalar(0), *sizes])


class Frictions:
    """The frictions of a derivation, solved for, in the motion that is given or that loads make."""

    # ``accelerations`` are those that loads make, with symbols for frictions.

    def __init__(
        self, derivation: Derivation, accelerations: Mapping[Expr, Scalar] | None = None
    ) -> None:
        self._derivation, self._graph = derivation, derivation.graph
        self.symbols = [friction.symbol for friction in derivation.frictions]
        self.equations = self._equations(accelerations or {})
        zero = self._graph.scalar(0)
        self.values: dict[int, Scalar] = {}
        self.residuals = [zero] * len(self.symbols)
        for group in self.groups:
            if self._is_explicit(group):
                self.values[group[0]] = self.equations[group[0]].friction(self.values)
            else:
                self._solve(group)

    @property
    def by_symbol(self) -> dict[Expr, Scalar]:
        """The values of frictions by their symbols."""
        return {symbol: self.values[k] for k, symbol in enumerate(self.symbols)}

    def settled(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return values of the derivation with the frictions' values for their symbols."""
        return replaced(list(scalars), self.by_symbol)

    def _equations(self, moving: Mapping[Expr, Scalar]) -> list[Equation]:
        """Return the equations, W0 and G by components along which surfaces press."""
        derivation, graph = self._derivation, self._graph
        state = derivation.supply.state
        found = []
        for friction in derivation.frictions:
            bearing = bearing_wrench(derivation, friction.joint)
            _check_determined(derivation, friction)
            speed = Dummy(real=True)
            graph.bind(speed, friction.speed)
            kappa = graph.scalar(factor(friction.law, speed))
            drag = graph.scalar(friction.law.viscous) * friction.speed
            pressures = []
            for arm, components in friction.pressures(bearing):
                components = replaced(components, moving) if moving else components
                components = [x for x in state.without_zeros(components) if not x.is_zero]
                pressures.append(self._pressure(arm, components))
            found.append(Equation(kappa, drag, pressures))
        return found

    def _pressure(self, arm: Scalar, components: list[Scalar]) -> Pressure:
        state, zero = self._derivation.supply.state, self._graph.scalar(0)
        start = replaced(components, dict.fromkeys(self.symbols, zero))
        rows = jacobian(self._graph, components, self.symbols)
        columns = [state.without_zeros(column) for column in zip(*rows, strict=True)]
        slopes = {k: own for k, own in enumerate(columns) if not all(x.is_zero for x in own)}
        return Pressure(arm, start, slopes)

    @property
    def groups(self) -> list[list[int]]:
        """The numbers of frictions that change each other, behind those on which they depend."""
        reached = [equation.coupled for equation in self.equations]
        for k in range(len(reached)):
            reached = [own | reached[k] if k in own else own for own in reached]
        together = {
            tuple(sorted({j} | {k for k in own if j in reached[k]}))
            for j, own in enumerate(reached)
        }
        return [list(group) for group in sorted(together, key=lambda x: (len(reached[x[0]]), x))]

    def _is_explicit(self, group: list[int]) -> bool:
        return len(group) == 1 and group[0] not in self.equations[group[0]].coupled

    def _solve(self, group: list[int]) -> None:
        """Solve a group by Newton's method from zero; what is no solution is NaN."""
        graph, own = self._graph, [self.equations[k] for k in group]
        zero, one = graph.scalar(0), graph.scalar(1)
        values = {**self.values, **dict.fromkeys(group, zero)}
        pivots: list[Scalar] = []
        for _ in range(STEPS):
            rest = [e.friction(values) - values[k] for e, k in zip(own, group, strict=True)]
            slopes = [
                [e.slope(values, k) + int(e is own[i]) for i, k in enumerate(group)] for e in own
            ]
            moves, pivots = _eliminated(slopes, rest)
            values |= {k: values[k] + move for k, move in zip(group, moves, strict=True)}
        gate = _gate(zero - _product(pivots, one), zero)
        for e, k in zip(own, group, strict=True):
            found = e.friction(values)
            self.residuals[k] = values[k] - found
            most = (_called(Abs, found) + _called(Abs, values[k])) * graph.scalar(SOLVED)
            gate = gate + _gate(_called(Abs, self.residuals[k]), most + graph.scalar(TINY))
        self.values |= {k: values[k] + gate for k in group}

    def output(self, name: str) -> Output:
        """Return an output by its name."""
        if name == "friction":
            return column_output(name, list(self.by_symbol.values()), "frictions", "friction")
        if name == "friction_gain":
            title = "gain of the frictions: below 1 there is one solution"
            return Output.from_scalars(name, (), [self.gain], title, ["friction gain"])
        title = "what is left of the equations of the frictions"
        return column_output(name, self.residuals, title, "residual")

    @property
    def gain(self) -> Scalar:
        """The spectral radius of K: below 1 there is one solution, whatever the loads."""
        zero = self._graph.scalar(0)
        found = [zero]
        for group in self.groups:
            rows = [[self.equations[j].bound(k) for k in group] for j in group]
            found.append(_perron_root(rows))
        return _largest(found)


def with_frictions(derivation: Derivation, solved: Frictions) -> Derivation:
    """Return a derivation with the values of frictions in place of their symbols."""
    supply, demanded, forces = derivation.supply, derivation.demanded, derivation.forces
    solution = supply.solution
    parts = [demanded.values(), forces.values(), solution.values, solution.residuals]
    found = iter(solved.settled([x for part in parts for x in part]))
    demanded, forces = ({u: next(found) for u in own} for own in (demanded, forces))
    values, residuals = ([next(found) for _ in own] for own in parts[2:])
    pairs = zip(derivation.frictions, solved.by_symbol.values(), strict=True)
    return replace(
        derivation,
        joint_wrenches=tuple(with_values(derivation.joint_wrenches, solved.by_symbol)),
        demanded=demanded,
        forces=forces,
        supply=replace(supply, solution=replace(solution, values=values, residuals=residuals)),
        frictions=tuple(replace(friction, value=value) for friction, value in pairs),
    )


def _check_determined(derivation: Derivation, friction: Friction) -> None:
    """Refuse a friction of a reaction that mechanics leaves open."""
    supply = derivation.supply
    if derivation.has_no_unknowns:
        return
    change = bearing_wrench(derivation, friction.joint, is_open=True)
    components = [x for _, own in friction.pressures(change) for x in own]
    if any(supply.changes(components)):
        names = zip(COMPONENTS, supply.changes(change.scalars), strict=True)
        raise ValueError(
            f"`frictions` must be at joints whose reactions are determined, but mechanics leaves "
            f"open what presses in {friction.joint.name!r} "
            f"({enumerate_some([name for name, is_open in names if is_open])}), since constraints "
            "of the model are redundant. Use closing joints that bind less, for instance a "
            "point_on_line in the place of a pin; `undetermined` of the model without it tells all."
        )


# -- numbers ----------------------------------------------------------------------


def _called(function: type, value: Scalar) -> Scalar:
    graph = value.graph
    return Scalar(graph, graph.call(function, [value.ref]))


def _power(value: Scalar, exponent: Rational) -> Scalar:
    graph = value.graph
    return Scalar(graph, graph.call(Pow, [value.ref, graph.number(exponent)]))


def _length(components: Sequence[Scalar]) -> Scalar:
    """Return the length of a vector of one or more components."""
    if len(components) == 1:
        return _called(Abs, components[0])
    return _power(dot(components, components), S.Half)


def _direction(components: Sequence[Scalar]) -> list[Scalar]:
    """Return the slopes of the length of a vector; zeros at zero."""
    if len(components) == 1:
        return [_called(sign, components[0])]
    share = _largest([_length(components), components[0].graph.scalar(TINY)]).reciprocal()
    return [x * share for x in components]


def _largest(values: Sequence[Scalar]) -> Scalar:
    found = values[0]
    for value in values[1:]:
        found = _where_more(value, found, value, found)
    return found


def _where_more(left: Scalar, right: Scalar, one: Scalar, other: Scalar) -> Scalar:
    """Return one value where left > right, else the other."""
    graph = left.graph
    return Scalar(graph, graph.call(Gate, [left.ref, right.ref, one.ref, other.ref]))


def _gate(value: Scalar, most: Scalar) -> Scalar:
    """Return zero where a value is less than another, else NaN."""
    graph = value.graph
    return _where_more(most, value, graph.scalar(0), graph.scalar(S.NaN))


def _product(values: Sequence[Scalar], one: Scalar) -> Scalar:
    for value in values:
        one = one * value
    return one


def _eliminated(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the solution of a linear system and its pivots, by elimination in order."""
    rows = [[*row, x] for row, x in zip(matrix, right, strict=True)]
    count, inverses = len(rows), []
    for k in range(count):
        inverses.append(rows[k][k].reciprocal())
        for i in range(k + 1, count):
            if not rows[i][k].is_zero:
                share = rows[i][k] * inverses[k]
                rows[i][k + 1 :] = [
                    x - share * y for x, y in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True)
                ]
    values = [row[-1] for row in rows]
    for k in reversed(range(count)):
        values[k] = values[k] * inverses[k]
        for i in range(k):
            values[i] = values[i] - rows[i][k] * values[k]
    return values, [rows[k][k] for k in range(count)]


#: By how many squarings the spectral radius of more than two frictions is found.
SQUARINGS = 7


def _perron_root(rows: list[list[Scalar]]) -> Scalar:
    """Return the spectral radius of a matrix without negative entries, or a little more."""
    # (K x)_i / x_i is nowhere less than it, and comes down to it for x = (K + s I)^128 1, where the
    # shift s, the largest sum of a row, leaves no other eigenvalue as large.
    graph, count = rows[0][0].graph, len(rows)
    if count == 1:
        return rows[0][0]
    if count == 2:
        (a, b), (c, d) = rows
        half = (a - d) * S.Half
        return (a + d) * S.Half + _power(half * half + b * c, S.Half)
    shift = _largest([*(total(row) for row in rows), graph.scalar(TINY)])
    power = [[x / shift + int(i == k) for k, x in enumerate(row)] for i, row in enumerate(rows)]
    for _ in range(SQUARINGS):
        columns = [*zip(*power, strict=True)]
        power = [[dot(row, column) for column in columns] for row in power]
        share = power[0][0].reciprocal()
        power = [[x * share for x in row] for row in power]
    vector = [total(row) for row in power]
    return _largest([dot(row, vector) / x for row, x in zip(rows, vector, strict=True)])
