"""A random state at which some equations hold: an assembled mechanism.

Properties of nearly all states of a mechanism (which forces are determined, what vanishes) do not
hold for nearly all values of its coordinates, most of which are not states.  So a state is searched
for by Newton's method in doubles from random starts: first a real one, then a complex one (in which
even too short links assemble, and analytic functions are defined), then with other values of the
constants.  Equations are scaled by their terms, translations by the length in the equations, so
that units do not matter.  The independent equations are then solved in many digits; all others must
hold within the accuracy of the model's numbers.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from sympy import Expr, Symbol

from ...checks.tolerances import CANCELLED, CONVERGED, EXACT, GUARD, NEARLY_CLOSED, REDUNDANT
from .derivatives import cheapest_jacobian
from .digits import Digits, mp
from .double_states import DoubleStates
from .generic_state import GenericState
from .graph import Graph, Input, Scalar

#: From how many random values the search starts, how many states at which the equations hold are
#: enough, and after how many steps it ends: at most, and without another such state.
STARTS, ENOUGH, MOST_STEPS, MOST_IDLE_STEPS = 40, 12, 50, 6

#: How many of the states found are solved in many digits until one holds, in how many steps.
TRIES, MOST_CHORDS = 3, 40

#: The longest step, in radians or lengths of the model.
LONGEST_STEP = 1.0

#: How many coordinates are drawn from all angles; more are drawn from smaller ones, since a long
#: chain of random turns curls up and has a long way to the place where it ends.
CURLED = 10

#: How small translations and constants are while the model's own length is looked for.
NO_LENGTH = 1e-30


class NotAssembledError(ValueError):
    """Equations for which no state was found."""


def find_state(
    graph: Graph,
    equations: Sequence[Scalar],
    coordinates: Sequence[Expr],
    turning: frozenset[Expr] = frozenset(),
    preferred: Sequence[Scalar] = (),
    regular: Sequence[Scalar] = (),
) -> GenericState:
    """Return a random state at which equations hold, or raise a NotAssembledError."""
    # Coordinates are adjusted (turning are angles, or components of quaternions), constants only
    # where that is not enough. If there is such a state, preferred equations hold as well, and what
    # is zero where coordinates are singular is not.
    anywhere = GenericState(graph)
    equations, preferred = (
        [x for x in anywhere.without_zeros(own) if not x.is_zero] for own in (equations, preferred)
    )
    if not equations:
        return anywhere
    symbols = _inputs(graph, [*equations, *preferred])
    regular = [x for x in regular if {*_inputs(graph, [x])} <= {*symbols}]
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


def _inputs(graph: Graph, scalars: Sequence[Scalar]) -> list[Expr]:
    operations = (graph.operations[ref] for ref in graph.needed([x.ref for x in scalars]))
    return [operation.symbol for operation in operations if isinstance(operation, Input)]


class _Search:
    """Newton's method from many starts at once, then in many digits from the best state."""

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
        self._slopes_of = cheapest_jacobian(graph, equations, unknowns)

    def search(self, imaginary: float) -> list[dict[Expr, complex]]:
        """Return states at which the equations hold in doubles, those far from singular first."""
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
        """Draw random values, of translations in the model's own length."""
        random = np.random.default_rng(20261121)
        size = (len(self._symbols), STARTS)
        values = 0.5 + random.uniform(size=size) + 0j
        is_moving = np.array([not isinstance(symbol, Symbol) for symbol in self._symbols])
        reach = np.linspace(0.1, np.pi, STARTS)  # some near the pose in which all are zero
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
        """Return the model's own length (time, rate) for each input that turns nothing."""
        # That is by what each changes the equations by as much as the model's numbers alone: the
        # median over the equations. Those of distances squared change by nothing at first; for them
        # it is the geometric mean of what a translation is and would be. What changes none is small
        # beside all.
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
        """Return the sizes of equations and of their slopes."""
        slopes_of = cheapest_jacobian(self._graph, self._equations, self._dimensional)
        values, slopes = state.of(self._equations), state.rows(slopes_of)
        sizes, *known = [
            [float(abs(x.value)) if x.is_finite and x.significance else 0.0 for x in row]
            for row in (values, *slopes)
        ]
        return sizes, [*zip(*known, strict=True)]

    def _linearise(self) -> None:
        """Set the residuals of the equations, their slopes, and where they hold."""
        states = DoubleStates(self._graph, self._values, STARTS)
        samples = states.samples(self._equations)
        values = np.array([sample.value for sample in samples])
        self._is_solved = (abs(values) <= NEARLY_CLOSED * self._sizes[:, None]).all(axis=0)
        self._residuals = (values / self._sizes[:, None]).T
        self._terms = np.array([sample.scale for sample in samples]).T / self._sizes
        self._slopes = states.matrix(self._slopes_of) * self._units / self._sizes[:, None]
        alive = np.isfinite(self._residuals).all(axis=1) & np.isfinite(self._slopes).all(
            axis=(1, 2)
        )
        self._residuals[~alive], self._slopes[~alive] = 0, 0
        self._is_solved &= alive
        apart = [abs(sample.value) > REDUNDANT for sample in states.samples(self._regular)]
        self._is_regular = self._is_solved & np.array(apart, bool).reshape(-1, STARTS).all(axis=0)

    def _step(self) -> None:
        inverse = np.linalg.pinv(self._slopes, rcond=REDUNDANT)
        step = np.einsum("skn,sn->sk", inverse, self._residuals)
        length = np.linalg.norm(step, axis=1, keepdims=True)
        step = step / np.maximum(1, length / LONGEST_STEP)
        for k, symbol in enumerate(self._unknowns):
            self._values[symbol] = self._values[symbol] - step[:, k] * self._units[k]

    def _best(self) -> list[dict[Expr, complex]]:
        """Return states of the usual rank, ordered by their sensitivity to rounding of the data."""
        # Mechanisms that only move for special lengths have isolated states of a higher rank.
        held = np.flatnonzero(self._is_regular if self._is_regular.any() else self._is_solved)
        if not held.size:
            return []
        sizes = np.linalg.svd(self._slopes[held], compute_uv=False)
        sizes = sizes / np.maximum(sizes[:, :1], np.finfo(float).tiny)
        ranks = (sizes > REDUNDANT).sum(axis=1)
        counts = np.bincount(ranks)
        usual = counts.size - 1 - counts[::-1].argmax()  # the highest of equally frequent ones
        chords = abs(np.linalg.pinv(self._slopes[held], rcond=REDUNDANT))
        moved = np.einsum("skn,sn->sk", chords, self._terms[held]).max(axis=1)
        order = sorted(np.flatnonzero(ranks == usual), key=lambda k: moved[k])
        return [
            {symbol: complex(values[held[k]]) for symbol, values in self._values.items()}
            for k in order[:TRIES]
        ]

    def refine(self, start: Mapping[Expr, complex]) -> GenericState | None:
        """Return in many digits the state near one in doubles; None if there is none."""
        # The other equations must hold as well as the data let them: roundings of their own ones at
        # one and the same state, or of all at the states to which these lead.
        solve = partial(self._solve_in_digits, start, *self._chords(start))
        values = solve()
        if not values:
            return None
        alike = {symbol: Digits.exact(known.value) for symbol, known in values.items()}
        state = GenericState(self._graph, values, again=solve)
        lefts = zip(
            state.of(self._equations),
            GenericState(self._graph, alike).of(self._equations),
            strict=True,
        )
        pairs = zip(lefts, self._sizes.tolist(), strict=True)
        return (
            state if all(any(_is_satisfied(x, size) for x in own) for own, size in pairs) else None
        )

    def _chords(self, start: Mapping[Expr, complex]) -> tuple[list[int], list[list[Digits]]]:
        """Return the equations to solve, and the chord steps of the unknowns."""
        states = DoubleStates(self._graph, {x: np.array([v]) for x, v in start.items()})
        slopes = states.matrix(self._slopes_of)[0] * self._units / self._sizes[:, None]
        chosen = _independent(slopes)
        chords = np.linalg.pinv(slopes[chosen])
        largest = abs(chords).max(axis=1, keepdims=True)
        chords = np.where(abs(chords) > CANCELLED * largest, chords, 0)  # of other loops
        chords = chords / self._sizes[chosen] * self._units[:, None]
        return chosen, [[Digits.exact(x) for x in row] for row in chords]

    def _solve_in_digits(
        self, start: Mapping[Expr, complex], chosen: list[int], chords: list[list[Digits]]
    ) -> dict[Expr, Digits]:
        """Return the state by chord steps, for moved data another one; nothing if they diverge."""
        equations, sizes = [self._equations[k] for k in chosen], self._sizes[chosen]
        values = {symbol: Digits.exact(value) for symbol, value in start.items()}
        is_done = False
        for _ in range(MOST_CHORDS):
            left = GenericState(self._graph, values).of(equations)
            largest = max(abs(x.value) / s for x, s in zip(left, sizes.tolist(), strict=True))
            if not largest < 1:
                return {}
            for symbol, row in zip(self._unknowns, chords, strict=True):
                for chord, rest in zip(row, left, strict=True):
                    if chord.value:
                        values[symbol] = values[symbol] - chord * rest
            if is_done:
                return values | self._with_last_digit(values)
            is_done = largest < mp.mpf(10) ** (CONVERGED - mp.dps)
        return {}

    def _with_last_digit(self, values: Mapping[Expr, Digits]) -> dict[Expr, Digits]:
        """Return unknowns that are near by their last digit: what chord steps leave of zero."""
        return {
            symbol: values[symbol].rounded_like(unit)
            for symbol, unit in zip(self._unknowns, self._units.tolist(), strict=True)
        }


def _is_satisfied(left: Digits, size: float) -> bool:
    return left.is_finite and abs(left.value) <= GUARD * left.spread + EXACT * size


def _independent(slopes: np.ndarray) -> list[int]:
    """Return independent equations, those with the largest effect on the state."""
    from scipy.linalg import qr

    _, triangle, order = qr(slopes.T, mode="economic", pivoting=True)
    sizes = abs(np.diag(triangle))
    return sorted(order[: len(sizes)][sizes > REDUNDANT * sizes[0]].tolist())
