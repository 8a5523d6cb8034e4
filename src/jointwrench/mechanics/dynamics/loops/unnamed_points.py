"""Joints between two bodies that constraint equations describe without naming the joint's point.

Each equation corresponds to a wrench between two bodies.  If all wrenches are forces through one
point, this is the joint's point.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import mpmath
import numpy as np
from sympy import Expr, Rational, S

from ....checks.tolerances import CANCELLED, ROUNDING


class BodyPose(NamedTuple):
    """A body's pose and velocities at a state, with components along the inertial axes.

    Attributes
    ==========

    center : numpy.ndarray
        The position of the mass centre from the ground origin.
    turn : numpy.ndarray
        The rotation matrix; its columns are the axes of the body's frame.
    velocity, spin : numpy.ndarray
        The velocity of the mass centre and the angular velocity, with a column for each speed.
    """

    center: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    def velocity_at(self, place: np.ndarray) -> np.ndarray:
        """Return the velocity of the body's material at a position, with a column per speed."""
        return self.velocity + np.cross(self.spin.T, place - self.center).T


def joint_point(rows: np.ndarray, bodies: Sequence[BodyPose]) -> tuple[int, int, np.ndarray] | None:
    """Return the indices of two bodies and the position of the joint that equations describe.

    ``rows`` has the equations' coefficients of the speeds; the position is from the ground origin.
    The result is None unless exactly one pair of bodies and one point explain all equations.
    """
    pairs = [*combinations(range(len(bodies)), 2)]
    wrenches = {pair: _wrenches(rows, bodies[pair[0]], bodies[pair[1]]) for pair in pairs}
    possible = {pair: found for pair, found in wrenches.items() if found is not None}
    if len(possible) != 1:
        return None
    ((parent, child), (forces, moments)), *_ = possible.items()
    across = np.vstack([np.cross(np.eye(3), force).T for force in forces])  # m = arm x f
    arm = np.linalg.lstsq(across, moments.ravel(), rcond=ROUNDING)[0]
    size = np.linalg.norm(moments) + np.linalg.norm(forces) * np.linalg.norm(arm)
    if np.linalg.norm(across @ arm - moments.ravel()) > ROUNDING * size:
        return None
    return parent, child, bodies[child].center + arm


def _wrenches(
    rows: np.ndarray, parent: BodyPose, child: BodyPose
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the force and moment between two bodies that each equation corresponds to.

    Moments are about the child's mass centre.  The result is None if the relative velocity and
    angular velocity of the two bodies do not explain all rows.
    """
    center = child.center
    velocity = child.velocity_at(center) - parent.velocity_at(center)
    moved = np.vstack([velocity, child.spin - parent.spin])
    found = np.linalg.lstsq(moved.T, rows.T, rcond=ROUNDING)[0]
    if np.linalg.norm(moved.T @ found - rows.T) > ROUNDING * np.linalg.norm(rows):
        return None
    return found[:3].T, found[3:].T


def as_lengths(numbers: Iterable[float], constants: Mapping[Expr, float]) -> list[Expr] | None:
    """Return numbers as expressions of constants, or None if one is not a simple expression.

    ``constants`` maps symbols to their values.
    """
    found = [_as_length(float(x), constants) for x in numbers]
    return None if None in found else [x for x in found if x is not None]


def _as_length(number: float, constants: Mapping[Expr, float]) -> Expr | None:
    """Return a number as a simple expression of constants, or None if there is none.

    It is a multiple of one or of a constant, or a sum of multiples of constants, with small integer
    numerators and denominators.
    """
    # PSLQ finds an integer relation between the number and the constants.
    if abs(number) < CANCELLED * max([1.0, *constants.values()]):
        return S.Zero
    for symbol, value in {S.One: 1.0, **constants}.items():
        ratio = Rational(number / value).limit_denominator(24)
        if abs(ratio * value - number) <= CANCELLED * abs(number):
            return ratio * symbol
    values = [number, *constants.values()]
    relation = mpmath.pslq(values, tol=CANCELLED, maxcoeff=24) if constants else None
    if not relation or not relation[0]:
        return None
    terms = zip(relation[1:], constants, strict=True)
    return sum((Rational(-k, relation[0]) * symbol for k, symbol in terms), S.Zero)
