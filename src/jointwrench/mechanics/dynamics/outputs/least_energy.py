"""Undetermined forces by the elasticity of joints: the forces of least strain energy.

All forces that supply a motion are ``x = x_0 + N z`` with ``A N = 0``.  Elastic joints transmit
those of least complementary energy (Castigliano, Menabrea) [1]_::

    minimise 1/2 sum W_j^T C_j W_j over z,  W_j = W_j0 + H_j z

with the wrench W_j and the compliance C_j of joint j.

References
==========

.. [1] M. Wojtyra, J. Fraczek, Comparison of selected methods of handling redundant
   constraints in multibody systems simulations, J. Comput. Nonlinear Dyn. 8 (2013) 021007.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import mul
from typing import Any, NoReturn

import numpy as np
from sympy import Expr, Matrix, sqrt

from ....checks.arguments import (
    check_different,
    check_mapping,
    enumerate_some,
    find_named,
    is_called,
)
from ....checks.tolerances import CANCELLED, TINY
from ...arithmetic.factorization import dot
from ...arithmetic.graph import Scalar, apply_function, total
from ...arithmetic.linear import solve
from ...arithmetic.piecewise import Certain
from ...sympy_objects import check_real
from ..derivation import Derivation
from ..loops.assembled import combined_rows
from ..loops.null_space import Combination, undetermined_combinations
from ..loops.supply import Supply, combined
from ..recursion.newton_euler import inward_joint_wrenches
from ..recursion.rigid_body import BodyWrench
from .undetermined import undetermined
from .wrench_outputs import wrench_on_child, wrenches_on_children

#: Rows of the factor L of a compliance ``C = L^T L``; the sum of the squares of ``L W`` is twice
#: the strain energy of a wrench W.
Factor = Sequence[Sequence[Expr]]


class LeastEnergy:
    """A choice of undetermined forces by the compliances of joints, loads and motors."""

    def __init__(self, compliances: Any) -> None:
        known = check_mapping("redundancy", compliances)
        names = {source: str(getattr(source, "name", source)) for source in known}
        check_different("redundancy", [*names.values()], "name each joint once")
        pairs = known.items()
        self._factors = {x: compliance_factor(f"redundancy[{names[x]}]", own) for x, own in pairs}

    @property
    def expressions(self) -> list[Expr]:
        """The expressions of the compliances."""
        return [x for factor in self._factors.values() for row in factor for x in row]

    def __call__(self, derivation: Derivation) -> Supply:
        """Return a derivation's supply with the undetermined forces of least energy."""
        supply, graph, joints = derivation.supply, derivation.graph, derivation.tree.all_joints
        state = supply.state.with_random_functions
        elastic = self._elastic(derivation)
        if not any(elastic.values()):
            return supply
        wrenches, basis = undetermined_changes(derivation)

        def force(source: Any, values: Combination, wrenches: list[Scalar]) -> Sequence[Scalar]:
            if source not in joints:
                return supply.belonging_to(source, values)
            return wrenches[6 * joints.index(source) :][:6]

        rows, right, disturbing = list[list[Scalar]](), list[Scalar](), set[Expr]()
        for source, factor in elastic.items():
            now = force(source, supply.solution.values, wrenches)
            changes = [force(source, *own) for own in basis]
            lines = [[graph.scalar(x) for x in line] for line in factor]
            own = [state.without_zeros(dot(x, y) for y in changes) for x in lines]
            rows, right = rows + own, right + [-dot(x, now) for x in lines]
            disturbing |= _disturbing(derivation, source, lines, own)
        solution = solve(graph, rows, right, state)
        shares = [_if_supplied(derivation, disturbing, share) for share in solution.values]
        combinations = [own for own, _ in basis]
        terms = zip(supply.solution.values, *combinations, strict=True)
        values = [total((x, *map(mul, own, shares))) for x, *own in terms]
        known = [state.of(own) for own in combinations]
        sums = (combined_rows(own.values(), [known[k] for k in own]) for own in solution.open)
        still = [dict(enumerate(own)) for own in sums]
        return replace(supply, solution=supply.solution._replace(values=values, open=still))

    def _elastic(self, derivation: Derivation) -> dict[Any, Factor]:
        """Return compliance factors by joint, load symbol or speed; refuse determined forces."""
        joints, found = derivation.tree.all_joints, dict[Any, Factor]()
        forces = (*derivation.tree.speeds, *derivation.request.solve_for)
        is_open = undetermined(derivation)
        for wanted, factor in self._factors.items():
            symbol = next((x for x in forces if is_called(x, wanted)), None)
            source = joints[find_named("redundancy", wanted, joints)] if symbol is None else symbol
            name = getattr(source, "name", source)
            if source not in is_open:
                others = enumerate_some((getattr(x, "name", x) for x in is_open), 12) or "none"
                raise ValueError(
                    "`redundancy` must have joints of a redundant loop, or loads or motors, whose "
                    f"forces are undetermined ({others}), got {name}, whose forces are "
                    "determined. Leave it out."
                )
            if factor and len(factor[0]) != (6 if symbol is None else 1):
                refuse_compliance(f"redundancy[{name}]", f"{len(factor[0])} of them")
            found[source] = factor
        return found


def undetermined_changes(
    derivation: Derivation,
) -> tuple[list[Scalar], list[tuple[Combination, list[Scalar]]]]:
    """Return the wrenches on all children, and their changes by each undetermined combination."""
    supply = derivation.supply
    state = supply.state.with_random_functions
    still = [BodyWrench.zero(derivation.graph) for _ in derivation.scalars.inertias]

    def flat(wrenches: Sequence[BodyWrench], values: Sequence[Scalar]) -> list[Scalar]:
        found = wrenches_on_children(derivation, wrenches, values)
        return [x for own in found for x in own.scalars]

    basis = list[tuple[Combination, list[Scalar]]]()
    for own in undetermined_combinations(supply, derivation.request.is_written):
        changes = combined(zip(supply.unknowns, own, strict=True))
        wrenches = inward_joint_wrenches(derivation.scalars, still, changes)
        basis.append((own, state.without_zeros(flat(wrenches, own))))
    return flat(derivation.joint_wrenches, supply.solution.values), basis


def _disturbing(
    derivation: Derivation, joint: Any, lines: list[list[Scalar]], rows: list[list[Scalar]]
) -> set[Expr]:
    """Return the speeds of a joint whose unsupplied forces would strain the loop.

    Such forces would act in the tree's joints, so the result would depend on where loops are cut.
    """
    index, found = derivation.tree.index_of_joint.get(joint), set[Expr]()
    if index is None:
        return found
    moved = derivation.scalars.partial_velocities[index]
    for speed in moved.keys() & derivation.partly_supplied:
        along = BodyWrench(moved[speed].linear, moved[speed].angular)
        force = wrench_on_child(derivation, index, along).scalars
        couplings = [dot(x, [dot(line, force) for line in lines]) for x in zip(*rows, strict=True)]
        if not all(derivation.supply.state.with_random_functions.are_zero(couplings)):
            found.add(speed)
    return found


def _if_supplied(derivation: Derivation, speeds: set[Expr], value: Scalar) -> Scalar:
    """Return a value, NaN where the force at one of the speeds is not supplied."""
    supply = derivation.supply
    for i, speed in enumerate(derivation.demanded):
        if speed in speeds:
            size = derivation.squared_terms(i) * CANCELLED**2 + TINY**2
            value = apply_function(Certain, size, supply.solution.residuals[i] ** 2, value)
    return value


def compliance_factor(argument: str, compliance: Any) -> Factor:
    """Return the factor L of a compliance ``C = L^T L``, or raise an error if C is not valid.

    ``compliance`` is one number, the six diagonal entries of C, or a symmetric positive
    semidefinite 6 x 6 matrix.  L has a row for each pivot that is not zero.
    """
    array = np.array(compliance, dtype=object)
    array = array.ravel() if array.size in (1, 6) else array
    if array.shape not in ((1,), (6,), (6, 6)):
        refuse_compliance(argument, f"an array of the shape {array.shape}")
    entries = [check_real(argument, x) for x in array.ravel()]
    left = Matrix.diag(*entries) if array.ndim == 1 else Matrix(6, 6, entries)
    sizes, factor = [*left.diagonal()], []
    is_possible = not any(x.is_infinite for x in entries) and _is_nothing(left - left.T, sizes)
    for k in range(left.rows):  # Cholesky's method, without steps for zero pivots
        pivot = left[k, k]
        if not _is_nothing(Matrix([pivot]), [sizes[k]]):
            factor.append([*left.row(k) / sqrt(pivot)])
            left -= left.row(k).T * left.row(k) / pivot
            is_possible &= not pivot.is_negative
    if not (is_possible and _is_nothing(left, sizes)):
        refuse_compliance(argument, f"{compliance!r:.80}")
    return factor


def _is_nothing(matrix: Matrix, sizes: Sequence[Expr]) -> bool:
    """Whether a matrix is zero up to rounding, relative to the diagonal entries ``sizes``."""
    return all(
        x.is_zero or (x.is_number and x**2 <= CANCELLED**2 * abs(sizes[i] * sizes[j]))
        for (i, j), x in matrix.todok().items()
    )


def refuse_compliance(argument: str, what: str) -> NoReturn:
    """Raise a ValueError for a compliance that is not valid; ``what`` describes it."""
    raise ValueError(
        f"`{argument}` must be the compliance of a joint, six numbers for fx, fy, fz, mx, my, mz "
        "that are not negative or a symmetric positive semidefinite 6 x 6 matrix, or of a load or "
        f"motor, one such number; got {what}. Use 0 for what is rigid."
    )
