"""What closing joints and contacts have in common: their data, and how their arguments are read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, pi
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ..checks.arguments import Body, check_instance
from ..spatial.components import is_constant, vector_components
from ..spatial.connections import check_oriented, check_path
from ..spatial.equality import agree, vanishes
from ..spatial.paths import position_from


@dataclass(frozen=True, eq=False, repr=False)
class Closure(ABC):
    """A joint or a contact that closes a loop of a tree of bodies.

    Its wrench acts on the child, by the parent, about the child's point.
    """

    name: str
    kind: str
    parent: RigidBody
    child: Body
    parent_point: Point
    child_point: Point
    parent_interframe: ReferenceFrame
    child_interframe: ReferenceFrame | None

    @property
    @abstractmethod
    def force_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which a force is transmitted."""

    @property
    @abstractmethod
    def moment_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which a moment is transmitted."""

    @property
    @abstractmethod
    def orthogonal_pairs(self) -> tuple[tuple[Vector, Vector], ...]:
        """Vectors of the parent and of the child that stay at right angles."""

    @property
    @abstractmethod
    def holonomic_constraints(self) -> tuple[Expr, ...]:
        """The constraint equations of positions, each zero."""

    @property
    @abstractmethod
    def velocity_constraints(self) -> tuple[Expr, ...]:
        """The constraint equations of velocities, each zero."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}: {self.name}  parent: {self.parent}  child: {self.child}"

    def _position(self, point: Point, origin: Point) -> Vector:
        """Return the position of a point of one body from a point of the other one."""
        try:
            return position_from(point, origin)
        except ValueError:
            raise ValueError(
                f"{self._title} has no equations yet: no path of positions connects {point} and "
                f"{origin}. Make the joints of the tree first."
            ) from None

    def _closing(self, equations: Iterable[Expr]) -> tuple[Expr, ...]:
        """Return the equations that say something, without those that are always true."""
        left = tuple(equation for equation in equations if not vanishes(equation))
        if not left:
            raise ValueError(
                f"{self._title} closes nothing: the tree of joints grants all that it asks for. "
                "Leave it out of the constraints."
            )
        if any(is_constant(equation, dynamicsymbols._t) for equation in left):
            raise ValueError(
                f"{self._title} can never close: a distance or an angle that it asks to vanish "
                "does not depend on the motion. Correct its points and interframes."
            )
        return left

    @property
    def _title(self) -> str:
        return f"The {type(self).__name__} {self.name!r}"


class Problems:
    """Gathers what is wrong with arguments, to raise one error for all of it."""

    def __init__(self) -> None:
        self._errors: list[TypeError | ValueError] = []

    def check(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a check returns; None, and the error is kept, if it refuses."""
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            self._errors.append(error)
            return None

    def raise_all(self, title: str) -> None:
        """Raise one error if there is any problem: a TypeError if a type is wrong."""
        if not self._errors:
            return
        kind = TypeError if any(isinstance(e, TypeError) for e in self._errors) else ValueError
        texts = [str(error) for error in self._errors]
        listing = texts[0] if len(texts) == 1 else "".join(f"\n- {text}" for text in texts)
        raise kind(f"{title}: {listing}")


def check_bodies(problems: Problems, parent: Any, child: Any) -> bool:
    """Find problems of the two bodies; return whether there are none."""
    found = [
        problems.check(
            check_instance,
            "parent",
            parent,
            RigidBody,
            "a RigidBody",
            "Use a Particle as child, and for ground RigidBody('ground', point, frame).",
        ),
        problems.check(
            check_instance, "child", child, (RigidBody, Particle), "a RigidBody or Particle"
        ),
        problems.check(_check_different, parent, child),
    ]
    return None not in found


def _check_different(parent: Any, child: Any) -> bool:
    if parent is child:
        raise ValueError(f"`child` must be another body than `parent`, got {child} twice.")
    return True


def attached_point(argument: str, value: Any, name: str, body: Body) -> Point:
    """Return a point of a body, given as in sympy's joints: Point, Vector or None."""
    if value is None:
        return body.masscenter
    check_instance(argument, value, (Point, Vector), "a Point, a Vector or None")
    is_point = isinstance(value, Point)
    arm = check_path(argument, value, body.masscenter) if is_point else value
    if isinstance(body, Particle):
        if not agree(arm, Vector(0)):
            raise ValueError(f"`{argument}` must be the Particle {body} itself. Leave it out.")
        return value if is_point else body.masscenter
    fixed_components(argument, arm, body.frame)
    return value if is_point else body.masscenter.locatenew(f"{name}_{body.name}_joint", arm)


def attached_frame(argument: str, value: Any, name: str, body: RigidBody) -> ReferenceFrame:
    """Return a frame of a body, given as in sympy's joints: ReferenceFrame, Vector or None.

    A Vector becomes the x axis, by the shortest turn of the body's frame.
    """
    if value is None:
        return body.frame
    check_instance(argument, value, (ReferenceFrame, Vector), "a ReferenceFrame, a Vector or None")
    if isinstance(value, Vector):
        return _aligned_frame(argument, value, body.frame, f"{name}_{body.name}_int_frame")
    check_oriented(argument, value, body.frame)
    _check_fixed(argument, value.dcm(body.frame), body.frame)
    return value


def _aligned_frame(
    argument: str, vector: Vector, frame: ReferenceFrame, name: str
) -> ReferenceFrame:
    along = nonzero_components(argument, vector, frame)[0]
    axis, angle = frame.x.cross(vector), frame.x.angle_between(vector)
    if agree(axis, Vector(0)):
        if not along.is_negative:
            return frame
        axis, angle = frame.z, pi
    aligned = ReferenceFrame(name)
    aligned.orient_axis(frame, axis.express(frame), angle)
    return aligned


def fixed_components(argument: str, vector: Vector, frame: ReferenceFrame) -> MatrixBase:
    """Return the components of a vector that is fixed in a frame."""
    for _, own in vector.args:
        check_oriented(argument, own, frame)
    components = vector_components(vector, frame)
    _check_fixed(argument, components, frame)
    return components


def nonzero_components(argument: str, vector: Vector, frame: ReferenceFrame) -> MatrixBase:
    """Return the components of a vector that is fixed in a frame and points somewhere."""
    components = fixed_components(argument, vector, frame)
    if agree(vector, Vector(0)):
        raise ValueError(f"`{argument}` must have a direction, got the zero vector.")
    return components


def _check_fixed(argument: str, components: MatrixBase, frame: ReferenceFrame) -> None:
    if not is_constant(components, dynamicsymbols._t):
        raise ValueError(
            f"`{argument}` must be fixed in {frame}, but it moves there. Use components in {frame}."
        )
