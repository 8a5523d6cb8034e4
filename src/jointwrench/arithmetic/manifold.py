"""Random states at which some equations hold: assembled mechanisms.

What holds for nearly all states of a mechanism (which forces are determined, what
vanishes) does not hold for nearly all values of its coordinates, of which most are
no states.  So states are sought by Newton's method from random starts: first real
ones, then complex ones (links that are too short assemble there, and analytic
functions do not mind), at last with other values of the constants.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from sympy import Expr, Symbol

from .generic import STATES, GenericStates
from .graph import Graph, Input, Scalar

#: From how many random values the search starts, and after how many steps it ends: at most, and
#: without another state at which the equations hold.
STARTS, MOST_STEPS, MOST_IDLE_STEPS = 40, 50, 6

#: The longest step, and the step of numeric derivatives.
LONGEST_STEP, STEP = 1.0, 1e-7

#: What is left of equations that hold, as a part of what rounding can leave.
ROUNDING = 1e-14

#: Singular values that are smaller than this part of the largest belong to redundant equations.
REDUNDANT = 1e-5


class NotAssembledError(ValueError):
    """Equations for which no state was found."""


def states_on(
    graph: Graph, equations: Sequence[Scalar], coordinates: Sequence[Expr]
) -> GenericStates:
    """Return random states at which equations hold.

    Parameters
    ==========

    graph : Graph
        The graph.
    equations : sequence of Scalar
        What vanishes at the states.
    coordinates : sequence of Expr
        The inputs that are adjusted; constants only where that is not enough.

    Raises
    ======

    NotAssembledError
        If none are found.
    """
    equations = [equation for equation in equations if not equation.is_zero]
    if not equations:
        return GenericStates(graph)
    needed = graph.needed([equation.ref for equation in equations])
    operations = [graph.operations[ref] for ref in needed]
    symbols = [operation.symbol for operation in operations if isinstance(operation, Input)]
    moving = [symbol for symbol in symbols if symbol in set(coordinates)]
    constants = [symbol for symbol in symbols if isinstance(symbol, Symbol)]
    for unknowns, imaginary in product((moving, [*moving, *constants]), (0.0, 0.5)):
        search = _Search(graph, equations, symbols, unknowns, imaginary)
        if search.succeeds():
            return GenericStates(graph, search.best())
    raise NotAssembledError("no state was found at which the equations hold")


class _Search:
    """Newton's method from many starts at once."""

    def __init__(
        self,
        graph: Graph,
        equations: Sequence[Scalar],
        symbols: Sequence[Expr],
        unknowns: Sequence[Expr],
        imaginary: float,
    ) -> None:
        self._graph, self._equations, self._unknowns = graph, equations, unknowns
        random = np.random.default_rng(20261121)
        size = (len(symbols), STARTS)
        values = 0.5 + random.uniform(size=size) + 0j
        is_moving = np.array([not isinstance(symbol, Symbol) for symbol in symbols])
        reach = np.linspace(0.1, np.pi, STARTS)  # some near the pose in which all are zero
        values[is_moving] = (random.uniform(-1, 1, size) * reach)[is_moving]
        is_unknown = np.array([symbol in unknowns for symbol in symbols])
        values[is_unknown] += (imaginary * 1j * random.uniform(-1, 1, size))[is_unknown]
        self._values = dict(zip(symbols, values, strict=True))

    def succeeds(self) -> bool:
        """Take steps until the equations hold at all states, or no more states are won."""
        most, last = 0, 0
        for step in range(MOST_STEPS):
            self._linearise()
            held = int(np.count_nonzero(self._held))
            if held > most:
                most, last = held, step
            if held == STARTS or (most >= STATES and step - last >= MOST_IDLE_STEPS):
                break
            self._step()
        return bool(np.count_nonzero(self._held) >= STATES)

    def _linearise(self) -> None:
        """Set what is left of the equations, its derivatives, and where they hold."""
        copies = len(self._unknowns) + 1
        moved = {symbol: np.tile(values, (copies, 1)) for symbol, values in self._values.items()}
        for k, symbol in enumerate(self._unknowns):
            moved[symbol][k + 1] += STEP
        flat = {symbol: values.ravel() for symbol, values in moved.items()}
        with np.errstate(all="ignore"):
            states = GenericStates(self._graph, flat, copies * STARTS)
            samples = states.samples(self._equations)
            values = np.array([sample.value for sample in samples]).reshape(-1, copies, STARTS)
            scales = np.array([sample.scale for sample in samples]).reshape(-1, copies, STARTS)
            self._held = (abs(values[:, 0]) <= ROUNDING * scales[:, 0]).all(axis=0)
        self._left = values[:, 0].T
        self._slopes = np.moveaxis((values[:, 1:] - values[:, :1]) / STEP, -1, 0)
        alive = np.isfinite(self._left).all(axis=1) & np.isfinite(self._slopes).all(axis=(1, 2))
        self._left[~alive], self._slopes[~alive] = 0, 0
        self._held &= alive

    def _step(self) -> None:
        inverse = np.linalg.pinv(self._slopes, rcond=REDUNDANT)
        step = np.einsum("skn,sn->sk", inverse, self._left)
        length = np.linalg.norm(step, axis=1, keepdims=True)
        step = step / np.maximum(1, length / LONGEST_STEP)
        for k, symbol in enumerate(self._unknowns):
            self._values[symbol] = self._values[symbol] - step[:, k]

    def best(self) -> dict[Expr, np.ndarray]:
        """Return the values at the states that are farthest from singular ones."""
        sizes = np.linalg.svd(self._slopes, compute_uv=False)
        sizes = sizes / np.maximum(sizes[:, :1], 1e-300)
        is_needed = sizes > REDUNDANT
        rank = is_needed.sum(axis=1)
        smallest = np.where(is_needed, sizes, 1).min(axis=1, initial=1)
        order = sorted(np.flatnonzero(self._held), key=lambda s: (-rank[s], -smallest[s]))
        return {symbol: values[order[:STATES]] for symbol, values in self._values.items()}
