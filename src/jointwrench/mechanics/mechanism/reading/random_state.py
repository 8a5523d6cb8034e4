"""Values and rates of expressions of a model at random states, in doubles.

Two statements of a model about the same motion are compared in numbers, which is much faster than
in symbols.  Statements that agree at a random state agree everywhere, except in contrived models.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from sympy import Derivative, Expr, Symbol, nan
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.vector import ReferenceFrame, Vector

from ....checks.tolerances import REAL, ROUNDING, ROUNDOFF
from ...adapters.private_sympy import stated_orientations
from ...arithmetic.derivatives import ForwardSweep
from ...arithmetic.double_states import DoubleStates
from ...arithmetic.graph import LEAVES, Graph, Input, Scalar
from ...spatial.paths import shortest_path
from ..time_derivative import TimeDerivative
from ..tree import Link

#: The number of random instants, and the typical size of coordinates at the last instant.  At the
#: first instant the size is 1.  Some expressions, for example the square root of ``l**2 - q**2``,
#: are only defined for small coordinates.
INSTANTS, SMALLEST = 12, 0.01

#: The time step to the instants before and after a state.  A point counts as fixed in a body if its
#: position in the body is the same at these instants.
STEP = 1e-5

#: A problem that a check returns: a text, or the index of a component.
Finding = TypeVar("Finding")


class Manifold(NamedTuple):
    """The equations that define the constraint manifold of a model.

    Attributes
    ==========

    position, velocity : tuple of Expr
        The residuals of the configuration and of the velocity constraints.
    turning : frozenset of Expr
        The coordinates that rotate bodies: angles and components of quaternions.
    """

    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    turning: frozenset[Expr] = frozenset()

    @classmethod
    def of(
        cls, links: Iterable[Link], position: tuple[Expr, ...], velocity: tuple[Expr, ...]
    ) -> "Manifold":
        """Return the manifold of equations, with the coordinates in the rotations of links."""
        stages = (stage for link in links for stage in link.motion.rotations)
        return cls(position, velocity, frozenset(x for y in stages for x in y.atoms(AppliedUndef)))


#: A matrix of direction cosines and its time derivative.
Turn: TypeAlias = tuple[np.ndarray, ...]


class UndefinedError(ValueError):
    """Raised for an expression that is not a finite real number at the random state."""


class RandomState:
    """Random numbers for all symbols and functions of time in a model.

    Rates of coordinates follow from the kinematical differential equations.  The numbers of all
    `INSTANTS` instants are evaluated in one batch; each object returns numbers at only one
    instant.  Methods that change numbers return a new object.

    Attributes
    ==========

    derivative : TimeDerivative
        The time, the generalized speeds, and the rates of the coordinates.
    time : Symbol
        The time.
    """

    _instant, _count = 0, INSTANTS

    def __init__(self, derivative: TimeDerivative) -> None:
        self.derivative = derivative
        self._graph = Graph()
        known = derivative.rates.items()
        # Prescribed speeds are bound first: the rates of coordinates can contain them.
        for leaf, value in sorted(known, key=lambda item: isinstance(item[0], Derivative)):
            self._graph.bind(leaf, self._graph.scalar(value))
        self._moving = {
            unknown.expr: self._graph.scalar(rate)
            for unknown, rate in known
            if isinstance(unknown, Derivative) and unknown.derivative_count == 1
        }
        self._sweep = ForwardSweep(self._graph, self._slope)
        # numpy's generator would take longer to import than a small model to read
        random, reach = Random(20200710), np.geomspace(1, SMALLEST, INSTANTS)
        # Coordinates are between 0.5 and 1.5 at the first instant, and smaller at later instants.
        given = {q: reach * [random.uniform(0.5, 1.5) for _ in reach] + 0j for q in self._moving}
        self._states = DoubleStates(self._graph, given, INSTANTS)
        self._rotations: dict[Any, dict[ReferenceFrame, Turn]] = {}
        self._stages: dict[Any, Turn] = {}

    @property
    def time(self) -> Symbol:
        return self.derivative.time

    def _slope(self, leaf: Expr) -> Scalar:
        """Return the time derivative of a symbol or a function of time."""
        if leaf in self._moving:
            return self._moving[leaf]
        if isinstance(leaf, Symbol):
            return self._graph.scalar(int(leaf == self.derivative.time))
        return self._graph.scalar(self.derivative.of(leaf))

    def with_unit_norm(self, matrix: MatrixBase) -> "RandomState":
        """Return a state at which the squares of all functions in a matrix add up to 1.

        They are the components of a quaternion, which defines a rotation only for unit norm.
        Constants in the matrix raise an UndefinedError: their relations are unknown.
        """
        leaves = sorted(matrix.atoms(*LEAVES) - {self.derivative.time}, key=str)
        if any(isinstance(leaf, Symbol) for leaf in leaves):
            raise UndefinedError("unknown relations between constants")
        samples = self._states.samples(map(self._graph.scalar, leaves))
        values = np.array([sample.value for sample in samples])
        unit = values / np.sqrt((values**2).sum(axis=0))
        given = dict(zip(leaves, unit, strict=True))
        return self._with_states(self._states.with_values(given))

    def on_manifold(self, manifold: Manifold) -> "RandomState":
        """Return a state that satisfies the constraints, with only one instant.

        A ValueError is raised if no real state is found, or if roundoff at the state is too large.
        """
        from ...arithmetic.manifold import find_state

        graph = self._graph
        position, velocity = (list(map(graph.scalar, equations)) for equations in manifold[:2])
        state = find_state(graph, position, [*self._moving], manifold.turning)
        inputs = [op.symbol for op in graph.operations if isinstance(op, Input)]
        numbers = np.array([[complex(x.value)] for x in state.of(map(graph.scalar, inputs))])
        if numbers.imag.any():
            raise ValueError("no real state was found at which the equations hold")
        new = self._with_states(DoubleStates(graph, dict(zip(inputs, numbers, strict=True))))
        new._instant, new._count = 0, 1
        # Velocities are compared at this state: the rates of the residuals must be known to nine
        # digits, despite cancellation.
        slopes = new._states.samples(self._sweep.of(position))
        if any(ROUNDOFF * x.scale[0] > ROUNDING * abs(x.value[0]) for x in slopes):
            raise ValueError("doubles have too few digits there")
        return new.with_velocities(manifold.velocity) if velocity else new

    def with_velocities(self, velocity: Sequence[Expr]) -> "RandomState":
        """Return a state with speeds that satisfy velocity constraints, which are linear in them.

        The random speeds are projected: they change by the shortest step (least squares) that
        satisfies the equations, so that undetermined speeds remain random.
        """
        # The columns of the Jacobian are the residuals at unit speeds minus the residuals at rest.
        # Each row is divided by its largest coefficient, so that units of equations do not matter.
        *rows, rest = (x.values(velocity) for x in self.one_speed_at_a_time())
        slopes = np.transpose(rows) - rest[:, None]
        size = abs(slopes).max(axis=1)
        size[size == 0] = 1
        speeds = self.derivative.speeds
        values = self.values(speeds)
        off = (slopes @ values + rest) / size
        step = np.linalg.lstsq(slopes / size[:, None], off, rcond=ROUNDING)[0]
        return self.with_numbers(speeds, values - step)

    def with_numbers(self, symbols: Iterable[Expr], numbers: Iterable[float]) -> "RandomState":
        """Return a state with other numbers for some symbols or functions of time.

        All other numbers remain; no other coordinate follows by a constraint.
        """
        values = {x: np.full(self._count, y + 0j) for x, y in zip(symbols, numbers, strict=True)}
        return self._with_states(self._states.with_values(values))

    def _with_states(self, states: DoubleStates) -> "RandomState":
        new = copy(self)
        new._states, new._rotations, new._stages = states, {}, {}
        return new

    def first_defined(self, check: Callable[["RandomState"], list[Finding]]) -> list[Finding]:
        """Return the problems of a check at the first instant at which its values are defined.

        If no instant defines the values, the list is empty.  Missing paths between points or
        frames are not reported here: readers check the paths.
        """
        for state in self.instants():
            try:
                return check(state)
            except ValueError:  # undefined here, or no path
                continue
        return []

    def instants(self) -> Iterator["RandomState"]:
        """Yield the state at its instant and at each later instant."""
        for instant in range(self._instant, self._count):
            state = copy(self)
            state._instant = instant
            yield state

    def around(self, entries: Sequence[Any]) -> np.ndarray:
        """Return entries shortly before, at, and after this instant, shape (entries, 3).

        All functions of time change linearly, with their rates at this instant.  Numbers that are
        not finite and real are NaN.
        """
        scalars = self._entered(entries)
        known, time = self._inputs(), self.time
        moving = [leaf for leaf in known if isinstance(leaf, AppliedUndef) or leaf == time]
        rates = self._states.samples([self._slope(leaf) for leaf in moving])
        columns = {leaf: np.full(3, value) for leaf, value in known.items()}
        for leaf, rate in zip(moving, rates, strict=True):
            columns[leaf] += STEP * np.arange(-1, 2) * rate.value[self._instant]
        return self._columns(scalars, columns, 3)

    def by_each_speed(self, entries: Sequence[Any]) -> np.ndarray:
        """Return the dependence of entries on the speeds, shape (entries, speeds + 2).

        The columns are the changes of the entries by a unit of each speed, the entries at zero
        speeds, and the entries at the state's speeds.  Numbers that are not finite and real are
        NaN.
        """
        scalars, speeds = self._entered(entries), self.derivative.speeds
        known, count = self._inputs(), len(speeds) + 2
        columns = {leaf: np.full(count, value) for leaf, value in known.items()}
        units = np.eye(len(speeds), count) + 0j
        for unit, speed in zip(units, speeds, strict=True):
            unit[-1] = known.get(speed, 0)
        found = self._columns(scalars, columns | dict(zip(speeds, units, strict=True)), count)
        found[:, : len(speeds)] -= found[:, [-2]]
        return found

    def _inputs(self) -> dict[Expr, complex]:
        """Return the value of each input of the graph at this instant."""
        leaves = [op.symbol for op in self._graph.operations if isinstance(op, Input)]
        samples = self._states.samples(map(self._graph.scalar, leaves))
        values = (sample.value[self._instant] for sample in samples)
        return dict(zip(leaves, values, strict=True))

    def _entered(self, entries: Sequence[Any]) -> list[Scalar]:
        """Return entries as scalars of the graph; infinite or invalid entries become NaN."""
        scalars = list[Scalar]()
        for entry in entries:
            try:
                scalars.append(self._graph.scalar(entry))
            except (ArithmeticError, TypeError):  # an infinite number
                scalars.append(self._graph.scalar(nan))
        return scalars

    def _columns(
        self, scalars: Sequence[Scalar], columns: Mapping[Expr, np.ndarray], count: int
    ) -> np.ndarray:
        """Return scalars at ``count`` states with the given inputs, shape (scalars, count)."""
        samples = DoubleStates(self._graph, columns, count).samples(scalars)
        values = np.array([sample.value for sample in samples]).reshape(len(scalars), count)
        is_real = np.isfinite(values) & (abs(values.imag) <= REAL * abs(values))
        return np.where(is_real, values.real, np.nan)

    def one_speed_at_a_time(self) -> Iterator["RandomState"]:
        """Yield a state for each speed, where only this speed is 1; then a state of zero speeds."""
        speeds = self.derivative.speeds
        for row in (*np.eye(len(speeds)), np.zeros(len(speeds))):
            yield self.with_numbers(speeds, row)

    def values(self, entries: Iterable[Any]) -> np.ndarray:
        """Return entries as numbers, or raise an UndefinedError if any is not real and finite."""
        return self._numbers(entries, lambda scalars: scalars)

    def rates(self, entries: Iterable[Any]) -> np.ndarray:
        """Return the time derivatives of entries as numbers, or raise an UndefinedError."""
        return self._numbers(entries, self._sweep.of)

    def _numbers(
        self, entries: Iterable[Any], derived: Callable[[list[Scalar]], list[Scalar]]
    ) -> np.ndarray:
        """Return numbers that a function derives from entries, or raise an UndefinedError."""
        try:
            scalars = derived([self._graph.scalar(entry) for entry in entries])
            samples = self._states.samples(scalars)
            numbers = np.array([sample.value[self._instant] for sample in samples])
        except (ArithmeticError, TypeError) as error:  # a division by zero, an infinite number
            raise UndefinedError(str(error)) from error
        if not (np.isfinite(numbers) & (abs(numbers.imag) <= REAL * abs(numbers))).all():
            raise UndefinedError("not real and finite")
        return numbers.real

    def rotation(self, frame: ReferenceFrame, other: ReferenceFrame) -> Turn:
        """Return the matrix that converts components in ``other`` to ``frame``, and its rate.

        The matrices of all frames on the path between the two are cached.
        """
        known = self._rotations.setdefault(
            (self._instant, frame), {frame: (np.eye(3), 0 * np.eye(3))}
        )
        if other not in known:
            path = shortest_path(frame, other, stated_orientations)
            if path is None:
                raise ValueError(f"no orientations lead from {frame} to {other}")
            for here, there in pairwise(path):
                if there not in known:
                    (turn, rate), (stage, changing) = known[here], self._step_rotation(here, there)
                    known[there] = turn @ stage, rate @ stage + turn @ changing
        return known[other]

    def _step_rotation(self, here: ReferenceFrame, there: ReferenceFrame) -> Turn:
        """Return the stated matrix between two neighbouring frames, and its rate."""
        key = self._instant, here, there
        if key not in self._stages:
            entries = list(stated_orientations(here)[there])
            self._stages[key] = tuple(f(entries).reshape(3, 3) for f in (self.values, self.rates))
        return self._stages[key]

    def components(self, vector: Vector, frame: ReferenceFrame) -> np.ndarray:
        """Return the components of a vector in a frame."""
        total = np.zeros(3)
        for matrix, own in vector.args:
            values = self.values(matrix)
            total += values if own is frame else self.rotation(frame, own)[0] @ values
        return total

    def largest_component(self, vector: Vector) -> float:
        """Return the largest component of a vector's terms, which may cancel in their sum."""
        return float(max((abs(self.values(matrix)).max() for matrix, _ in vector.args), default=0))

    def time_derivative(self, vector: Vector, frame: ReferenceFrame) -> np.ndarray:
        """Return a vector's time derivative, observed in a frame, with components in the frame."""
        total = np.zeros(3)
        for matrix, own in vector.args:
            if own is frame:
                total += self.rates(matrix)
            else:
                turn, turning = self.rotation(frame, own)
                total += turn @ self.rates(matrix) + turning @ self.values(matrix)
        return total
