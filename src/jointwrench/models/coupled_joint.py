"""`CoupledJoint`: translations and rotations are functions of coordinates, as in a knee."""

from typing import Any

from sympy import Derivative, Dummy, Expr, Matrix, S, default_sort_key
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import ReferenceFrame, Vector, dynamicsymbols
from sympy.utilities.iterables import iterable

from ..checks.arguments import check_instance, check_sequence
from ..checks.messages import Problems
from ..mechanics.adapters.private_sympy import forget_angular_velocity, stated_angular_velocities
from ..mechanics.arithmetic.expression_derivatives import ExpressionDerivatives
from ..mechanics.spatial.components import vector_of
from ..mechanics.sympy_objects import Body, check_real, is_particle
from .joint_kinematics import MovingJoint

#: The axes that have a name.
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}

ROTATIONS = "pairs (angle, axis), the axis 'x', 'y', 'z' or three numbers"


class CoupledJoint(MovingJoint):
    """A joint whose translations and rotations are functions of its coordinates.

    In many joints of animals and machines one coordinate causes several motions: a knee rolls and
    slides while it bends, a screw advances while it rotates. Here each translation and each angle
    is a function of the joint's coordinates::

                          child_interframe: rotated about axis 1 by angle 1 (q),
                         /                  then about axis 2 of the rotated frame ...
                        o child_point
                       /
                      /  translation (q), components in the parent interframe
                     /
        parent ---- o parent_point, parent_interframe

    The rotations are body-fixed: each is about an axis of the frame that results from the previous
    rotations.

    Parameters
    ==========

    name : str
        A unique name for the joint.
    parent, child : RigidBody or Particle
        The two bodies.
    coordinates : dynamicsymbol or iterable of dynamicsymbols, optional
        The joint's coordinates.  Default: none, for a joint that coordinates of other joints move;
        the formulas may also contain coordinates of other joints.
    speeds : dynamicsymbol or iterable of dynamicsymbols, optional
        The time derivatives of the coordinates.  Default: ``u_name``, or
        ``u0_name``, ``u1_name``, ...
    parent_point, child_point : Point or Vector, optional
        Points fixed in the bodies; a Vector is a position from the mass centre. Default: the mass
        centres.
    parent_interframe, child_interframe : ReferenceFrame or Vector, optional
        Frames fixed in the bodies; a Vector becomes the x axis of a new frame.
        Default: the bodies' frames.
    translation : iterable of 3 Expr, optional
        Position of the child's point from the parent's, in the parent interframe, as formulas of
        the coordinates, of time and of specified functions of it.  They need two continuous
        derivatives wherever accelerations are evaluated.
    rotations : iterable of pairs (Expr, axis), optional
        Angles as such formulas, each with its axis, which is ``"x"``, ``"y"``,
        ``"z"`` or three components of any length.

    Attributes
    ==========

    coordinates, speeds, kdes : Matrix
        Coordinates, speeds ``u = q'``, and the kinematical differential equations, each zero.
    translation, rotations : Matrix, shape (3, 1), and tuple of pairs (Expr, Matrix)
        The user's formulas, with the components of the axes.

    Raises
    ======

    TypeError, ValueError
        If a formula is not a real scalar, or an axis is unknown or zero, with all problems in one
        error; as for sympy's joints.

    Notes
    =====

    The joint wrench has all six components in general.  The generalized force of a coordinate is
    the power of the wrench per unit of its speed: ``force . d(translation)/dq + moment . (angular
    velocity / u)``, the force acting at the child's point.

    Examples
    ========

    A knee in the sagittal plane whose shank rolls on a circle at the end of the thigh while it
    bends:

    >>> from sympy import cos, sin, symbols
    >>> from sympy.physics.mechanics import RigidBody, dynamicsymbols
    >>> import jointwrench as jw
    >>> q, r = dynamicsymbols("q"), symbols("r")
    >>> thigh, shank = RigidBody("thigh"), RigidBody("shank")
    >>> knee = jw.CoupledJoint("knee", thigh, shank, q,
    ...     translation=[r * sin(q / 2), -r * cos(q / 2), 0], rotations=[(q, "z")])
    >>> shank.masscenter.pos_from(thigh.masscenter)
    r*sin(q(t)/2)*thigh_frame.x - r*cos(q(t)/2)*thigh_frame.y
    >>> shank.frame.ang_vel_in(thigh.frame)
    u_knee(t)*shank_frame.z
    >>> shank.masscenter.vel(thigh.frame)
    r*u_knee(t)*cos(q(t)/2)/2*thigh_frame.x + r*u_knee(t)*sin(q(t)/2)/2*thigh_frame.y

    See Also
    ========

    jointwrench.musculoskeletal.read_osim : Reads CustomJoints of OpenSim as CoupledJoints.
    """

    _fills = False

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        coordinates: Any = (),
        speeds: Any = None,
        parent_point: Any = None,
        child_point: Any = None,
        parent_interframe: Any = None,
        child_interframe: Any = None,
        translation: Any = (0, 0, 0),
        rotations: Any = (),
    ) -> None:
        problems = Problems()
        found = problems.check(_check_translation, translation)
        turns = problems.check(_check_rotations, rotations)
        if turns and is_particle(child):
            expected = "a RigidBody where there are rotations"
            fix = "A Particle has no orientation. Leave the rotations out."
            problems.check(check_instance, "child", child, RigidBody, expected, fix)
        problems.raise_all(f"CoupledJoint {name!r}")
        self.translation: Matrix = found
        self.rotations: tuple[tuple[Expr, Matrix], ...] = turns
        places = parent_point, child_point, parent_interframe, child_interframe
        given = [*coordinates] if iterable(coordinates) else [coordinates]
        self._counts = len(given), len(given)
        super().__init__(name, parent, child, given, speeds, *places)

    def _orient_frames(self) -> None:
        """Orient the child's interframe through one frame for each rotation."""
        stages = self.rotations or ((S.Zero, Matrix([1, 0, 0])),)
        names = [f"{self.name}_turned_{k}" for k in range(1, len(stages))]
        frame, self._spins = self.parent_interframe, []
        between = [*map(ReferenceFrame, names)]
        frames = [*between, self.child_interframe]
        self._between = {*between}
        for turned, (angle, axis) in zip(frames, stages, strict=True):
            turned.orient_axis(frame, vector_of(axis, frame), angle)
            # the axis has the same components in both frames
            self._spins.append(vector_of(axis.normalized() * self._rate(angle), turned))
            frame = turned

    def _set_angular_velocity(self) -> None:
        child = self.child_interframe
        child.set_ang_vel(self.parent_interframe, sum(self._spins, Vector(0)).express(child))
        for frame in {*stated_angular_velocities(child)} & self._between:
            forget_angular_velocity(child, frame)  # sympy searches all paths: 2^n for n joints

    def _path(self) -> tuple[Matrix, Matrix]:
        return self.translation, self.translation.applyfunc(self._rate)

    def _rate(self, formula: Expr) -> Expr:
        """Return a formula's time derivative, explicitly linear in the speeds."""
        own = dict(zip(self.coordinates, self.speeds, strict=True))
        known, time = sorted(formula.atoms(AppliedUndef), key=default_sort_key), dynamicsymbols._t
        rates = (ExpressionDerivatives(q).of(formula) * own.get(q, q.diff(time)) for q in known)
        still = {q: Dummy() for q in known}  # the remaining derivative is that by explicit time
        partial = ExpressionDerivatives(time).of(formula.xreplace(still))
        return sum(rates, partial.xreplace({x: q for q, x in still.items()}))


def _check_translation(value: Any) -> Matrix:
    expected = "three formulas of the coordinates"
    items = check_sequence("translation", value, expected)
    if len(items) != 3:
        raise ValueError(f"`translation` must be {expected}, got {len(items)}.")
    return Matrix([_check_formula("translation", item) for item in items])


def _check_rotations(value: Any) -> tuple[tuple[Expr, Matrix], ...]:
    found = []
    for item in check_sequence("rotations", value, ROTATIONS):
        pair = check_sequence("rotations", item, ROTATIONS)
        if len(pair) != 2:
            raise ValueError(f"`rotations` must be {ROTATIONS}, got {len(pair)} items in one.")
        found.append((_check_formula("rotations", pair[0]), _check_axis(pair[1])))
    return tuple(found)


def _check_axis(value: Any) -> Matrix:
    """Return the components of an axis, shape (3, 1), from a name or three numbers."""
    if isinstance(value, str):
        if value not in AXES:
            raise ValueError(f"`rotations` must be {ROTATIONS}, got the axis {value!r}.")
        return Matrix(AXES[value])
    items = check_sequence("rotations", value, ROTATIONS)
    axis = Matrix([check_real("rotations", x) for x in items])
    if len(axis) != 3 or axis.has(AppliedUndef, Derivative):
        raise ValueError(f"`rotations` must be {ROTATIONS}, got the axis {value}.")
    if axis.is_zero_matrix:
        raise ValueError("`rotations` must have axes that are not zero, got one.")
    return axis


def _check_formula(argument: str, value: Any) -> Expr:
    formula = check_real(argument, value)
    if formula.has(Derivative):
        raise ValueError(
            f"`{argument}` must be formulas of coordinates, got one with a time derivative. "
            "Use the coordinates alone; the joint differentiates them."
        )
    return formula
