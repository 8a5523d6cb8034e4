"""Zeros, ranks and null spaces that hold for nearly all values of the inputs.

Rotations forth and back leave sums that cancel for all angles.  Formulas do not show that, but
numbers with many digits at one random state do, under three conditions.

- Every value has an estimate of its error due to rounding of the model's numbers and to
  cancellation.  Zero means "not larger than this error", not "small", so neither units nor the
  number of operations matter.  If the digits do not suffice, more are used.
- Only analytic functions vanish everywhere if they vanish at a random state.  A gate such as
  ``Max(0, q - 2)`` is not analytic: nothing that contains one is ever considered zero.
- Ranks and null spaces are computed by Gauss-Jordan elimination with the same numbers; the pivot is
  the entry of largest significance, so the units of rows and columns do not matter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from random import Random
from typing import Any, TypeVar

import numpy as np
from sympy import Expr

from ...checks.arguments import enumerate_some
from ...checks.tolerances import GUARD, ROUNDOFF
from . import digits
from .bounded import BoundedState
from .digits import MORE_DIGITS, Digits, UndecidableError, working_digits
from .double_states import evaluate_by_sympy, keep_part
from .graph import Graph, Scalar
from .operations import Arithmetic
from .piecewise import Staircase

#: A matrix of numbers with error estimates, by rows.
DigitRows = Sequence[Sequence[Digits]]

Answer = TypeVar("Answer")

#: Matrices with fewer rows are decided in many digits without a proof in doubles.
LEAST_PROVED = 6

#: Bound of row sums that leaves enough room for roundoff below one.
SURE = 0.5

ZERO, ONE = Digits.exact(0), Digits.exact(1)


class GenericState:
    """The values of a graph's scalars at one random state, which is the same in every run.

    Parameters
    ==========

    graph : Graph
        The graph of the scalars.
    given : mapping of Expr to Digits, optional
        Values of inputs; all other inputs are random.
    is_rounded : bool
        Whether decimal numbers of the model count as rounded.  Otherwise a value is zero only if it
        is zero for exactly these numbers.
    again : function, optional
        Returns ``given`` again, computed with the current number of digits.
    function : function, optional
        Evaluates a function of numbers; default: `digits.call`, and sympy for all other functions.
    """

    def __init__(
        self,
        graph: Graph,
        given: Mapping[Expr, Digits] | None = None,
        is_rounded: bool = True,
        again: Callable[[], Mapping[Expr, Digits]] | None = None,
        function: Callable[[Any, list[Any]], Digits] | None = None,
    ) -> None:
        self._graph = graph
        self._is_rounded = is_rounded
        self._is_free = given is None
        self._given, self._again, self._function = dict(given or {}), again, function or _call
        self._by_digits: dict[tuple[int, int], GenericState] = {}
        self._known: dict[int, Digits] = {}
        self._random = Random(20200710)
        self._arithmetic = Arithmetic(self._draw, self._number, self._function, part=keep_part)
        self._bounded = BoundedState(graph, self._draw, self._number)

    def _draw(self, symbol: Expr) -> Digits:
        """Return the value of an input, which is drawn at the first request."""
        if symbol not in self._given:
            self._given[symbol] = Digits.exact(0.5 + self._random.random())
        return self._given[symbol]

    def _number(self, value: Expr) -> Digits:
        """Return a number of the model, as exact if decimal numbers do not count as rounded."""
        found = digits.number(value)
        return Digits.exact(found.value) if found.is_rounded and not self._is_rounded else found

    @property
    def given(self) -> Mapping[Expr, Digits]:
        """The values of inputs, including those drawn so far."""
        return self._given

    def of(self, scalars: Iterable[Scalar]) -> list[Digits]:
        """Return the values of scalars at this state."""
        refs = [scalar.ref for scalar in scalars]
        if self._is_rounded:
            self._perturb_rounded(refs)
        return self._graph.evaluate(refs, self._arithmetic, self._known)

    def _perturb_rounded(self, refs: Sequence[int]) -> None:
        """Add the errors of values that are rounded more coarsely than their last digit."""
        graph, known = self._graph, self._known
        for ref, found in graph.rounded.items():
            known.setdefault(ref, found)
        if graph.rounded_like:
            for ref in sorted(graph.rounded_like.keys() & set(graph.needed(refs, known))):
                (own,) = graph.evaluate([ref], self._arithmetic, known)
                known[ref] = own.perturbed(graph.rounded_like[ref])

    def with_values(self, values: Mapping[Expr, Digits]) -> "GenericState":
        """Return a copy of this state with other values of some inputs."""
        return self._with(self._function, {**self._given, **values})

    def _with(
        self, function: Callable[[Any, list[Any]], Digits], given: Mapping[Expr, Digits]
    ) -> "GenericState":
        """Return a copy of this state that evaluates functions by ``function``."""
        state = GenericState(self._graph, given, self._is_rounded, function=function)
        state._random = self._random
        return state

    @cached_property
    def with_random_functions(self) -> "GenericState":
        """The state in which functions that are not analytic, splines or Max, have random values.

        A result at this state then holds for any such functions.  States on a constraint manifold
        keep the functions' own values, on which the manifold depends.
        """
        if not self._is_free:
            return self
        return self._with(_call_any, self._given)

    def decide(
        self, question: "Callable[[GenericState], Answer]", about: Iterable[Scalar] = ()
    ) -> Answer:
        """Return the answer to a question at this state, with more digits if necessary.

        The question is a function of the state.  If the largest number of digits does not suffice
        either, the error names the inputs of the scalars ``about``.
        """
        try:
            return question(self)
        except UndecidableError as error:
            undecided = error
        for level in MORE_DIGITS:
            with working_digits(*level):
                try:
                    return question(self._in_digits(level))
                except UndecidableError as error:
                    undecided = error
        raise UndecidableError(
            f"It cannot be decided whether results of {self._inputs_of(about)} vanish: "
            f"{undecided}. Use numbers of more similar sizes, fractions instead of decimals, or "
            "symbols."
        )

    def _inputs_of(self, scalars: Iterable[Scalar]) -> str:
        """Return the names of the inputs of scalars as text, for a message."""
        inputs = self._graph.inputs_of(scalar.ref for scalar in scalars)
        return enumerate_some(inputs) or "the model's numbers"

    def _in_digits(self, level: tuple[int, int]) -> "GenericState":
        """Return the state with other numbers of digits, for values and for ensemble members."""
        if level not in self._by_digits:
            given = self._again() if self._again else self._given
            self._by_digits[level] = self._with(self._function, given)
        return self._by_digits[level]

    def is_zero(self, scalar: Scalar) -> bool:
        """Return whether a scalar is identically zero."""
        return scalar.is_zero or self.are_zero([scalar])[0]

    def are_zero(self, scalars: Sequence[Scalar]) -> list[bool]:
        """Return a list of bool, true for scalars that are identically zero."""
        doubtful = scalars
        if not self._is_rounded:
            proved = self._bounded.are_nonzero([scalar.ref for scalar in scalars])
            doubtful = [x for x, is_sure in zip(scalars, proved, strict=True) if not is_sure]
        unsure = [scalar for scalar in doubtful if not scalar.is_zero]
        answers = self.decide(lambda state: [x.is_zero for x in state.of(unsure)], unsure)
        zeros = {x.ref for x, is_zero in zip(unsure, answers, strict=True) if is_zero}
        return [scalar.is_zero or scalar.ref in zeros for scalar in scalars]

    def without_zeros(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return scalars with identically zero ones replaced by the number zero."""
        scalars, zero = list(scalars), self._graph.scalar(0)
        found = self.are_zero(scalars)
        return [zero if is_zero else own for own, is_zero in zip(scalars, found, strict=True)]

    def rows(self, matrix: Sequence[Sequence[Scalar]]) -> list[list[Digits]]:
        """Return the entries of a matrix of scalars at this state, by rows."""
        entries = iter(self.of([entry for row in matrix for entry in row if not entry.is_zero]))
        return [[ZERO if entry.is_zero else next(entries) for entry in row] for row in matrix]

    def rank(self, matrix: Sequence[Sequence[Scalar]]) -> int:
        """Return the rank of a matrix; full rank if the rank may vary or cannot be decided."""

        def found(state: GenericState) -> int:
            rows = state.rows(matrix)
            return rank(rows) if is_decidable(rows) else min(len(rows), len(rows[0]))

        return self.decide(found, chain(*matrix))

    def null_space(self, matrix: Sequence[Sequence[Scalar]]) -> list[list[Digits]]:
        """Return a basis of the combinations of columns that vanish.

        If it cannot be decided, each column counts as a combination that vanishes.
        """

        def found(state: GenericState) -> list[list[Digits]]:
            rows = state.rows(matrix)
            if is_decidable(rows):
                return null_space(rows)
            count = len(rows[0])
            return [[ONE if j == k else ZERO for j in range(count)] for k in range(count)]

        return self.decide(found, chain(*matrix))


def is_decidable(rows: DigitRows) -> bool:
    """Return whether all entries are finite, and analytic functions of the inputs.

    Only then do they show the rank at nearly all other states.
    """
    return all(x is ZERO or (x.is_finite and x.is_analytic) for row in rows for x in row)


def rank(rows: DigitRows) -> int:
    """Return the rank of a matrix of numbers."""
    count, left = _eliminate_single(rows)
    for own, columns in connected_blocks(left):
        part = [[rows[i][k] for k in columns] for i in own]
        count += len(part) if is_provably_regular(part) else len(_eliminate(part))
    return count


def connected_blocks(rows: Sequence[Set[int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the blocks of a matrix that share no columns: indices of rows, and of their columns.

    ``rows`` has the set of nonzero columns of each row.
    """
    in_column: dict[int, list[int]] = {}
    for i, own in enumerate(rows):
        for k in own:
            in_column.setdefault(k, []).append(i)
    done: set[int] = set()
    for first, own in enumerate(rows):
        if own and first not in done:
            columns, waiting = set[int](), {first}
            while waiting:
                row = waiting.pop()
                done.add(row)
                for k in rows[row] - columns:
                    columns.add(k)
                    waiting.update(i for i in in_column[k] if i not in done)
            yield sorted({i for k in columns for i in in_column[k]}), sorted(columns)


def _eliminate_single(rows: DigitRows) -> tuple[int, list[set[int]]]:
    """Return the number of pivots that need no elimination, and the other columns of each row.

    These are the entries that are the only one in their row or in their column.  Most pivots are of
    this kind in the matrices of trees and of motors.
    """
    in_row = [
        {k for k, x in enumerate(row) if x is not ZERO and not x.is_exact_zero} for row in rows
    ]
    in_column: dict[int, set[int]] = {}
    for i, own in enumerate(in_row):
        for k in own:
            in_column.setdefault(k, set()).add(i)
    waiting = [(i, k) for i, own in enumerate(in_row) for k in own]
    waiting = [(i, k) for i, k in waiting if 1 in (len(in_row[i]), len(in_column[k]))]
    count = 0
    for i, k in waiting:  # the list grows during the loop
        if k not in in_row[i] or not rows[i][k].significance:
            continue
        count += 1
        own, others = in_row[i], in_column[k]
        for c in own:
            in_column[c] = in_column[c] - {i}
        for r in others:
            in_row[r] = in_row[r] - {k}
        in_row[i], in_column[k] = set(), set()
        waiting += [(r, c) for c in own if len(in_column[c]) == 1 for r in in_column[c]]
        waiting += [(r, c) for r in others if len(in_row[r]) == 1 for c in in_row[r]]
    return count, in_row


def is_provably_regular(rows: DigitRows) -> bool:
    """Return whether all matrices within roundoff have full row rank, proved in doubles.

    A square part A is selected by pivoted QR.  With any matrix R, here the computed inverse, A is
    regular if all row sums of ``|1 - R A|`` are below one; the errors of A and of the products are
    added to the sums.  False means only that nothing is proved.
    """
    if len(rows) < LEAST_PROVED or len(rows) > len(rows[0]) or not is_decidable(rows):
        return False
    from scipy.linalg import qr

    values = np.array([[complex(x.value) for x in row] for row in rows])
    spreads = np.array([[float(x.spread) for x in row] for row in rows])
    for axis in (1, 0):  # scale by powers of two, which rounds nothing
        sizes = np.frexp(abs(values).max(axis=axis, keepdims=True))[1]
        values, spreads = values * np.ldexp(1.0, -sizes), np.ldexp(spreads, -sizes)
    off = GUARD * spreads + ROUNDOFF * abs(values)
    if not (np.isfinite(values).all() and np.isfinite(off).all()):
        return False
    # the most independent columns
    chosen = np.sort(qr(values, mode="r", pivoting=True)[1][: len(values)])
    values, off = values[:, chosen], off[:, chosen]
    try:
        inverse = np.linalg.inv(values)
    except np.linalg.LinAlgError:
        return False
    terms = 4 * len(rows) + 8  # roundings in an entry of a complex product
    rest = abs(np.eye(len(rows)) - inverse @ values)
    rest += abs(inverse) @ (off + terms * ROUNDOFF * abs(values)) + ROUNDOFF
    return bool((rest.sum(axis=1) < SURE).all())


def find_unspanned(rows: DigitRows, others: DigitRows) -> list[int]:
    """Return the indices of those rows among ``others`` that are no combination of ``rows``."""
    known = rank(rows)
    decidable = [k for k, row in enumerate(others) if is_decidable([row])]
    if rank([*rows, *(others[k] for k in decidable)]) == known:
        return []
    return [k for k in decidable if rank([*rows, others[k]]) > known]


def independent(rows: DigitRows) -> list[int]:
    """Return the indices of a largest set of independent rows."""
    return sorted(i for i, _ in _eliminate([list(row) for row in rows]))


def null_space(rows: DigitRows) -> list[list[Digits]]:
    """Return a basis of the combinations of columns that vanish, with exact zeros."""
    reduced, count = [list(row) for row in rows], len(rows[0])
    pivots = _eliminate(reduced, upwards=True)
    bound = {column for _, column in pivots}
    basis = []
    for free in sorted(set(range(count)) - bound):
        vector = [ONE if column == free else ZERO for column in range(count)]
        for i, column in pivots:
            share = reduced[i][free] * reduced[i][column].reciprocal()
            vector[column] = ZERO if share.is_zero else -share
        basis.append(vector)
    return basis


def _eliminate(rows: list[list[Digits]], upwards: bool = False) -> list[tuple[int, int]]:
    """Eliminate in place and return the pivots as (row, column).

    ``upwards``: the rows of earlier pivots are reduced as well (Gauss-Jordan).
    """
    left, columns = list(range(len(rows))), list(range(len(rows[0]) if rows else 0))
    pivots: list[tuple[int, int]] = []
    while left and columns:
        worth, i, j = max((rows[i][j].significance, -i, -j) for i in left for j in columns)
        if not worth:
            break
        i, j = -i, -j
        left.remove(i)
        columns.remove(j)
        inverse = rows[i][j].reciprocal()
        used = [c for c in columns if not rows[i][c].is_exact_zero]
        for k in (*left, *(row for row, _ in pivots)) if upwards else left:
            if not rows[k][j].is_exact_zero:
                share = rows[k][j] * inverse
                for c in used:
                    rows[k][c] = rows[k][c] - share * rows[i][c]
                rows[k][j] = ZERO
        pivots.append((i, j))
    return pivots


def _call_any(function: Any, arguments: list[Any]) -> Digits:
    """Return a function of numbers; a random value if the function is not analytic.

    It is the same for the same arguments.
    """
    found = None if function is Staircase else digits.call(function, arguments)
    seed = repr([function.__name__, *(complex(x.value) for x in arguments)])
    return found or Digits.exact(0.5 + Random(seed).random())


def _call(function: Any, arguments: list[Any]) -> Digits:
    """Return a function of numbers by mpmath, or else by sympy and then not analytic."""
    found = digits.call(function, arguments)
    if found is None:
        value = evaluate_by_sympy(function, arguments, Digits, lambda own: own.value)
        known = Digits.exact(value).perturbed()
        return Digits(known.value, known.members, is_analytic=False)
    return found
