"""Do joints and kinematical differential equations say the same of a motion?"""

from collections.abc import Iterable, Iterator
from random import Random

from sympy import Basic, Derivative, Expr, Matrix, Symbol, eye
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    SphericalJoint,
    System,
    WeldJoint,
)
from sympy.physics.mechanics.joint import Joint

from ..extra_joints import FreeJoint, QuaternionJoint
from ..joints import TimeDerivative

#: Joints whose velocities are right with their own kinematical differential equations.
USUAL_JOINTS = (
    PinJoint,
    PrismaticJoint,
    CylindricalJoint,
    PlanarJoint,
    SphericalJoint,
    WeldJoint,
    FreeJoint,
    QuaternionJoint,
)

#: Differences larger than this, at numbers of the size of one, are no rounding.
TOLERANCE = 1e-8


def kinematics_problems(system: System, derivative: TimeDerivative) -> list[str]:
    """Return what is wrong with kinematical differential equations that no recursion can use.

    Parameters
    ==========

    system : System
        A System.
    derivative : TimeDerivative
        Its solved kinematical differential equations.

    Returns
    =======

    list of str
        One text for each coordinate whose derivative is not linear in the
        speeds; if there are none, for each joint that states another angular
        velocity than the one with which its interframes turn.

    Notes
    =====

    Angular velocities are compared at a random state.  Not checked are joints of
    sympy and of this package with their own equations, and joints whose direction
    cosine matrix is no rotation at a random state (but perhaps at those that
    occur, such as quaternions of unit norm).
    """
    unusual = [joint for joint in system.joints if not _is_usual(joint, derivative)]
    if unusual:
        equations = set(system.kdes)
        unusual = [joint for joint in unusual if not _has_own_equations(joint, equations)]
    if not unusual and len(system.q) == sum(len(joint.coordinates) for joint in system.joints):
        return []
    return [*_nonlinear(derivative)] or [*_inconsistent(unusual, derivative)]


def _is_usual(joint: Joint, derivative: TimeDerivative) -> bool:
    """Whether the coordinates' rates are the speeds of a joint that takes it for granted."""
    if type(joint) not in USUAL_JOINTS or len(joint.coordinates) != len(joint.speeds):
        return False
    rates = [derivative.rates.get(q.diff(derivative.time)) for q in joint.coordinates]
    return rates == list(joint.speeds)


def _has_own_equations(joint: Joint, equations: set[Expr]) -> bool:
    return type(joint) in USUAL_JOINTS and equations.issuperset(joint.kdes)


def _nonlinear(derivative: TimeDerivative) -> Iterator[str]:
    speeds = set(derivative.speeds)
    for unknown, rate in derivative.rates.items():
        if rate in speeds:
            continue
        present = speeds & rate.atoms(AppliedUndef, Derivative)
        if any(rate.diff(speed).has(*present) for speed in present):
            yield (
                f"the derivative of {unknown.expr} is not linear in the speeds: {rate}. Choose "
                "speeds that are linear in the derivatives of the coordinates."
            )


def _inconsistent(joints: Iterable[Joint], derivative: TimeDerivative) -> Iterator[str]:
    for joint in joints:
        if _difference(joint, derivative) > TOLERANCE:
            child, parent = joint.child_interframe, joint.parent_interframe
            yield (
                f"the joint {joint.name!r} states the angular velocity "
                f"{child.ang_vel_in(parent)} of {child} in {parent}, but by the kinematical "
                "differential equations they turn differently. Use the joint's own equations "
                "(joint.kdes), or set the velocity in the new speeds: "
                "joint.child_interframe.set_ang_vel(joint.parent_interframe, ...), and for "
                "KanesMethod those of the child's points (Point.v2pt_theory)."
            )


def _difference(joint: Joint, derivative: TimeDerivative) -> float:
    """Return the difference between the stated angular velocity and that of the rotation."""
    child, parent = joint.child_interframe, joint.parent_interframe
    rotation = Matrix(child.dcm(parent))
    stated = derivative.in_speeds(Matrix(child.ang_vel_in(parent).to_matrix(child)))
    state = _RandomState()
    turning, now = state.matrix(derivative(rotation)), state.matrix(rotation)
    if turning is None or now is None or _largest(now * now.T - eye(3)) > TOLERANCE:
        return 0.0
    spin = -turning * now.T
    velocity = state.matrix(stated)
    if velocity is None:
        return 0.0
    return _largest(velocity - Matrix([spin[2, 1], spin[0, 2], spin[1, 0]]))


def _largest(matrix: Matrix) -> float:
    return max(abs(float(entry)) for entry in matrix)


class _RandomState:
    """Gives every symbol and function of time a fixed random number."""

    def __init__(self) -> None:
        self._random = Random(20200710)
        self._values: dict[Basic, Expr] = {}

    def matrix(self, matrix: Matrix) -> Matrix | None:
        """Return a matrix as numbers; None if one of them is not real and finite."""
        leaves = matrix.atoms(Symbol, AppliedUndef, Derivative)
        for leaf in sorted(leaves - self._values.keys(), key=str):
            self._values[leaf] = Matrix([self._random.uniform(0.5, 1.5)])[0]
        numbers = matrix.xreplace(self._values).evalf()
        return numbers if all(_is_real(entry) for entry in numbers) else None


def _is_real(number: Expr) -> bool:
    return bool(number.is_real and number.is_finite)
