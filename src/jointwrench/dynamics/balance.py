"""``M a = f + J^T lambda`` with ``J a = g``: factored once, solved for any f and g.

The multipliers lambda are eliminated first, ``(J M^-1 J^T) lambda = g - J M^-1 f``.
"""

from collections.abc import Sequence
from functools import cached_property

from ..arithmetic.factorization import Factorization
from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Graph, Scalar, total
from ..arithmetic.linear import dot, solve
from ..mechanism.tree import TopologyError, Tree


class Balance:
    """Accelerations and multipliers of constraints from forces.

    Parameters
    ==========

    graph : Graph
        Holds all scalars.
    matrix : sequence of rows of Scalar
        The mass matrix M, positive definite.
    order : sequence of int
        The order in which its unknowns are eliminated.
    rows : sequence of rows of Scalar
        The coefficients J of accelerations in the constraints.
    states : GenericStates
        States of the assembled mechanism, at which ranks are decided.
    """

    def __init__(
        self,
        graph: Graph,
        matrix: Sequence[Sequence[Scalar]],
        order: Sequence[int],
        rows: Sequence[Sequence[Scalar]],
        states: GenericStates,
    ) -> None:
        self._graph, self._rows, self._states = graph, rows, states
        self._factors = Factorization(matrix, order)
        self._responses = [self._factors.solve(row) for row in rows]
        self._system = [[dot(row, response) for response in self._responses] for row in rows]

    @cached_property
    def is_redundant(self) -> bool:
        """Whether some constraints follow from others: multipliers are those of least norm."""
        return self._states.rank(self._system) < len(self._system)

    @cached_property
    def _eliminated(self) -> Factorization:
        return Factorization(self._system, range(len(self._system)))

    def solve(
        self, forces: Sequence[Scalar], changes: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return the accelerations a and the multipliers for forces f and changes g."""
        free = self._factors.solve(forces)
        if not self._rows:
            return free, []
        known = [g - dot(row, free) for row, g in zip(self._rows, changes, strict=True)]
        if self.is_redundant:
            multipliers = solve(self._graph, self._system, known, self._states).values
        else:
            multipliers = self._eliminated.solve(known)
        pairs = list(zip(self._responses, multipliers, strict=True))
        accelerations = [total([a, *(x[k] * y for x, y in pairs)]) for k, a in enumerate(free)]
        return accelerations, multipliers


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
