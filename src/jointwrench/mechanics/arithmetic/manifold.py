"""A random state on the constraint manifold: an assembled mechanism.

Properties of nearly all states of a mechanism (which forces are determined, what vanishes) do not
hold for nearly all values of its coordinates, since most of these violate the constraints.  So a
state is searched for by Newton's method in doubles from random initial guesses: first a real state,
then a complex one (in which even links that are too short assemble, and analytic functions are
defined), then one with other values of the constants.  Equations are divided by the size of their
terms, translations by the model's own length, so units do not matter.  The independent equations
are then solved in many digits; the dependent ones must hold within the accuracy of the model's
numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
from sympy import Expr, Symbol

from ...checks.tolerances import CANCELLED, CONVERGED, EXACT, GUARD, NEARLY_CLOSED, REDUNDANT
from .derivatives import cheapest_jacobian
from .digits import Digits, mp
from .double_states import DoubleStates
from .generic_state import GenericState, connected_blocks
from .graph import Graph, Scalar

#: Number of initial guesses; number of solutions that is enough; largest number of Newton steps, in
#: all and without a further solution.
STARTS, ENOUGH, MOST_STEPS, MOST_IDLE_STEPS = 40, 12, 50, 6

#: Number of solutions that are refined in many digits until one satisfies all equations, and
#: largest number of chord steps for each.
TRIES, MOST_CHORDS = 3, 40

#: The longest Newton step, in radians and lengths of the model.
LONGEST_STEP = 1.0

#: Number of coordinates up to which angles are drawn from all directions.  With more coordinates
#: they are smaller, since a long chain of large random rotations curls up far from its end point.
CURLED = 10

#: Value of translations and constants while the model's own length is determined.
NO_LENGTH = 1e-30


#: A block's equations, its unknowns, and the change of each unknown by each equation's residual.
Chords: TypeAlias = tuple[list[int], list[int], list[list[Digits]]]


class NotAssembledError(ValueError):
    """Equations for which no solution was found."""


def find_state(
    graph: Graph,
    equations: Sequence[Scalar],
    coordinates: Sequence[Expr],
    turning: frozenset[Expr] = frozenset(),
    preferred: Sequence[Scalar] = (),
    regular: Sequence[Scalar] = (),
) -> GenericState:
    """Return a random state that satisfies equations, or raise a NotAssembledError.

    Parameters
    ==========

    graph : Graph
        The graph of all scalars.
    equations : sequence of Scalar
        The scalars that must vanish.
    coordinates : sequence of Expr
        The unknowns.  Constants are adjusted only if that is not enough.
    turning : frozenset of Expr
        Those that are angles or components of quaternions, which have no length.
    preferred : sequence of Scalar
        Further scalars that vanish at the state if there is such a state.
    regular : sequence of Scalar
        Scalars that are zero where coordinates are singular; they are nonzero at the state.
    """
    anywhere = GenericState(graph)
    equations, preferred = (
        [x for x in anywhere.without_zeros(own) if not x.is_zero] for own in (equations, preferred)
    )
    if not equations:
        return anywhere
    symbols = graph.inputs_of(x.ref for x in (*equations, *preferred))
    regular = [x for x in regular if {*graph.inputs_of([x.ref])} <= {*symbols}]
    moving = [symbol for symbol in symbols if symbol in set(coordinates)]
    varying, plain = graph.varying, [x for x in symbols if isinstance(x, Symbol)]
    constants = [x for x in plain if not varying[graph.scalar(x).ref]]
    choices = [moving] * bool(moving) + [[*moving, *constants]] * bool(constants)
    systems = [[*equations, *preferred]] * bool(preferred) + [equations]
    for imaginary, own, unknowns in product((0.0, 0.5), systems, choices):
        search = _Search(graph, own, symbols, unknowns, turning, regular)
        for start in search.search(imaginary):
            state = search.refine(start)
            if state is not None:
                return state
    raise NotAssembledError("no state was found at which the equations hold")


class _Search:
    """Newton's method from many initial guesses together, then chord steps in many digits."""

    def __init__(
        self,
        graph: Graph,
        equations: Sequence[Scalar],
        symbols: Sequence[Expr],
        unknowns: Sequence[Expr],
        turning: frozenset[Expr],
        regular: Sequence[Scalar],
    ) -> None:
        self._graph, self._equations, self._regular = graph, equations, regular
        self._symbols, self._unknowns = symbols, unknowns
        self._dimensional = [symbol for symbol in symbols if symbol not in turning]
        slopes = cheapest_jacobian(graph, equations, unknowns)
        nonzeros = [{k for k, x in enumerate(row) if not x.is_zero} for row in slopes]
        #: Equations and unknowns of separate loops, by indices.
        self._blocks = [*connected_blocks(nonzeros)]
        parts = ([[slopes[i][k] for k in columns] for i in rows] for rows, columns in self._blocks)
        self._slopes_of = [*parts]

    def search(self, imaginary: float) -> list[dict[Expr, complex]]:
        """Return solutions in doubles, the best conditioned first.

        ``imaginary`` is the size of the imaginary parts of the initial guesses.
        """
        self._start(imaginary)
        most, last = 0, 0
        for step in range(MOST_STEPS):
            self._linearise()
            held = int(np.count_nonzero(self._is_solved))
            if held > most:
                most, last = held, step
            if held >= ENOUGH or (most >= TRIES and step - last >= MOST_IDLE_STEPS):
                break
            self._step()
        return self._best()

    def _start(self, imaginary: float) -> None:
        """Draw the initial guesses, with translations in the model's own length."""
        random = np.random.default_rng(20261121)
        size = (len(self._symbols), STARTS)
        values = 0.5 + random.uniform(size=size) + 0j
        is_moving = np.array([not isinstance(symbol, Symbol) for symbol in self._symbols])
        reach = np.linspace(0.1, np.pi, STARTS)  # some near the pose with all angles zero
        reach *= min(1.0, (CURLED / max(1, is_moving.sum())) ** 0.5)
        values[is_moving] = (random.uniform(-1, 1, size) * reach)[is_moving]
        unknowns = {*self._unknowns}
        is_unknown = np.array([symbol in unknowns for symbol in self._symbols])
        values[is_unknown] += (imaginary * 1j * random.uniform(-1, 1, size))[is_unknown]
        self._values = dict(zip(self._symbols, values, strict=True))
        lengths = self._lengths()
        self._units = np.array([lengths.get(symbol, 1.0) for symbol in self._unknowns])
        for symbol, length in lengths.items():
            self._values[symbol] = self._values[symbol] * length
        samples = DoubleStates(self._graph, self._values, STARTS).samples(self._equations)
        sizes = np.array([np.nanmedian(sample.scale) for sample in samples])
        self._sizes = np.where(sizes > 0, sizes, 1.0)

    def _lengths(self) -> dict[Expr, float]:
        """Return the natural unit of each input that is no angle: the model's own length, time or
        rate.

        It is the change of the input that changes the equations as much as the model's numbers do:
        the median of ``size / slope`` over the equations, all at tiny values of the inputs.
        Squared distances have a slope near zero there; for them the geometric mean of the ratio and
        of the tiny value is used.  Inputs that change no equation get the median of all others.
        """
        state = GenericState(self._graph, dict.fromkeys(self._dimensional, Digits.exact(NO_LENGTH)))
        sizes, columns = state.decide(self._sizes_at)
        found = {}
        for symbol, slopes in zip(self._dimensional, columns, strict=True):
            ratios = [size / slope for size, slope in zip(sizes, slopes, strict=True) if slope]
            ratios = [x if x < 1 / NO_LENGTH**0.5 else (x * NO_LENGTH) ** 0.5 for x in ratios]
            if known := [x for x in ratios if x > NO_LENGTH**0.5]:
                found[symbol] = float(np.median(known))
        own = [x for x in sizes if x > NO_LENGTH**0.5]
        usual = float(np.median([*found.values()])) if found else min(own, default=1.0)
        return {symbol: found.get(symbol, usual) for symbol in self._dimensional}

    def _sizes_at(self, state: GenericState) -> tuple[list[float], list[tuple[float, ...]]]:
        """Return the sizes of equations at a state, and of their derivatives by each input."""
        slopes_of = cheapest_jacobian(self._graph, self._equations, self._dimensional)
        values, slopes = state.of(self._equations), state.rows(slopes_of)
        sizes, *known = [
            [float(abs(x.value)) if x.is_finite and x.significance else 0.0 for x in row]
            for row in (values, *slopes)
        ]
        return sizes, [*zip(*known, strict=True)]

    def _linearise(self) -> None:
        """Set the residuals of the equations, their Jacobians, and which guesses are solutions."""
        states = DoubleStates(self._graph, self._values, STARTS)
        samples = states.samples(self._equations)
        values = np.array([sample.value for sample in samples])
        self._is_solved = (abs(values) <= NEARLY_CLOSED * self._sizes[:, None]).all(axis=0)
        self._residuals = (values / self._sizes[:, None]).T
        self._terms = np.array([sample.scale for sample in samples]).T / self._sizes
        self._slopes = self._scaled_slopes(states)
        alive = np.isfinite(self._residuals).all(axis=1)
        for slopes in self._slopes:
            alive &= np.isfinite(slopes).all(axis=(1, 2))
        for own in (self._residuals, *self._slopes):
            own[~alive] = 0
        self._is_solved &= alive
        apart = [abs(sample.value) > REDUNDANT for sample in states.samples(self._regular)]
        self._is_regular = self._is_solved & np.array(apart, bool).reshape(-1, STARTS).all(axis=0)

    def _scaled_slopes(self, states: DoubleStates) -> list[np.ndarray]:
        """Return the Jacobian of each block, shape (states, equations, unknowns), without units."""
        return [
            states.matrix(own) * self._units[columns] / self._sizes[rows, None]
            for own, (rows, columns) in zip(self._slopes_of, self._blocks, strict=True)
        ]

    def _step(self) -> None:
        """Do one Newton step for all guesses, of bounded length."""
        step = np.zeros((STARTS, len(self._unknowns)), complex)
        for slopes, (rows, columns) in zip(self._slopes, self._blocks, strict=True):
            inverse = np.linalg.pinv(slopes, rcond=REDUNDANT)
            step[:, columns] = np.einsum("skn,sn->sk", inverse, self._residuals[:, rows])
        length = np.linalg.norm(step, axis=1, keepdims=True)
        step = step / np.maximum(1, length / LONGEST_STEP)
        for k, symbol in enumerate(self._unknowns):
            self._values[symbol] = self._values[symbol] - step[:, k] * self._units[k]

    def _best(self) -> list[dict[Expr, complex]]:
        """Return solutions of the usual rank, the least sensitive to rounding of the data first.

        Mechanisms that move only for special lengths also have isolated solutions of a higher rank.
        """
        held = np.flatnonzero(self._is_regular if self._is_regular.any() else self._is_solved)
        if not held.size:
            return []
        ranks, moved = np.zeros(held.size, int), np.zeros(held.size)
        for slopes, (rows, _) in zip(self._slopes, self._blocks, strict=True):
            sizes = np.linalg.svd(slopes[held], compute_uv=False)
            sizes = sizes / np.maximum(sizes[:, :1], np.finfo(float).tiny)
            ranks += (sizes > REDUNDANT).sum(axis=1)
            chords = abs(np.linalg.pinv(slopes[held], rcond=REDUNDANT))
            changes = np.einsum("skn,sn->sk", chords, self._terms[held][:, rows])
            moved = np.maximum(moved, changes.max(axis=1))
        counts = np.bincount(ranks)
        usual = counts.size - 1 - counts[::-1].argmax()  # the most frequent rank
        order = sorted(np.flatnonzero(ranks == usual), key=lambda k: moved[k])
        return [
            {symbol: complex(values[held[k]]) for symbol, values in self._values.items()}
            for k in order[:TRIES]
        ]

    def refine(self, start: Mapping[Expr, complex]) -> GenericState | None:
        """Return the state in many digits near a solution in doubles; None if there is none.

        The dependent equations must hold as well as the data allow: within the ensemble spread of
        the equations at this state, or with the data's errors propagated through the solution.
        """
        solve = partial(self._solve_in_digits, start, [*self._chords(start)])
        values = solve()
        if not values:
            return None
        alike = {symbol: Digits.exact(known.value) for symbol, known in values.items()}
        state = GenericState(self._graph, values, again=solve)
        lefts = [x.of(self._equations) for x in (state, GenericState(self._graph, alike))]
        pairs = zip(zip(*lefts, strict=True), self._sizes.tolist(), strict=True)
        are_satisfied = (any(_is_satisfied(x, size) for x in own) for own, size in pairs)
        return state if all(are_satisfied) else None

    def _chords(self, start: Mapping[Expr, complex]) -> Iterator[Chords]:
        """Yield the independent equations of each block, and the chord steps of its unknowns."""
        states = DoubleStates(self._graph, {x: np.array([v]) for x, v in start.items()})
        for (rows, columns), (block,) in zip(
            self._blocks, self._scaled_slopes(states), strict=True
        ):
            own = _independent(block)
            chosen = [rows[k] for k in own]
            chords = np.linalg.pinv(block[own])
            largest = abs(chords).max(axis=1, keepdims=True)
            chords = np.where(abs(chords) > CANCELLED * largest, chords, 0)
            chords = chords / self._sizes[chosen] * self._units[columns, None]
            yield chosen, columns, [[Digits.exact(x) for x in row] for row in chords]

    def _solve_in_digits(
        self, start: Mapping[Expr, complex], blocks: Sequence[Chords]
    ) -> dict[Expr, Digits]:
        """Return the values of inputs after chord steps in many digits; empty if they diverge."""
        chosen = [k for own, _, _ in blocks for k in own]
        equations, sizes = [self._equations[k] for k in chosen], self._sizes[chosen].tolist()
        values = {symbol: Digits.exact(value) for symbol, value in start.items()}
        is_done = False
        for _ in range(MOST_CHORDS):
            left = GenericState(self._graph, values).of(equations)
            largest = max(abs(x.value) / size for x, size in zip(left, sizes, strict=True))
            if not largest < 1:
                return {}
            rests = dict(zip(chosen, left, strict=True))
            for own, columns, chords in blocks:
                for column, row in zip(columns, chords, strict=True):
                    symbol = self._unknowns[column]
                    for k, chord in zip(own, row, strict=True):
                        if chord.value:
                            values[symbol] = values[symbol] - chord * rests[k]
            if is_done:
                return values | self._with_last_digit(values)
            is_done = largest < mp.mpf(10) ** (CONVERGED - mp.dps)
        return {}

    def _with_last_digit(self, values: Mapping[Expr, Digits]) -> dict[Expr, Digits]:
        """Return the unknowns with errors of their last digit, as chord steps leave them."""
        units = zip(self._unknowns, self._units.tolist(), strict=True)
        return {symbol: values[symbol].rounded_like(unit) for symbol, unit in units}


def _is_satisfied(left: Digits, size: float) -> bool:
    """Return whether a residual is zero up to its error and to roundoff of terms of a size."""
    return left.is_finite and abs(left.value) <= GUARD * left.spread + EXACT * size


def _independent(slopes: np.ndarray) -> list[int]:
    """Return the indices of independent equations, by pivoted QR of their Jacobian."""
    from scipy.linalg import qr

    _, triangle, order = qr(slopes.T, mode="economic", pivoting=True)
    sizes = abs(np.diag(triangle))
    return sorted(order[: len(sizes)][sizes > REDUNDANT * sizes[0]].tolist())
