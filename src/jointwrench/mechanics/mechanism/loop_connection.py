"""The base of loop joints and contacts: their data, and one error for all problems."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ...checks.arguments import check_instance
from ...checks.messages import Problems
from ...checks.pickles import Pickled
from ..spatial.components import is_constant
from ..spatial.equality import are_zero
from ..spatial.paths import angular_velocity_in, position_from
from ..sympy_objects import Body, is_particle


@dataclass(frozen=True, eq=False, repr=False)
class LoopConnection(Pickled, ABC):
    """A joint or contact that closes a loop: its wrench acts on the child, by the parent, about the
    child's point.
    """

    name: str
    kind: str
    parent: Body
    child: Body
    parent_point: Point
    child_point: Point
    parent_interframe: ReferenceFrame | None
    child_interframe: ReferenceFrame | None

    #: Whether it constrains velocities alone.
    is_contact: ClassVar[bool] = False

    @property
    @abstractmethod
    def force_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which a force is transmitted."""

    @property
    def moment_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which a moment is transmitted; a contact has none."""
        return ()

    @property
    def orthogonal_pairs(self) -> tuple[tuple[Vector, Vector], ...]:
        """Pairs of a parent's and a child's vector that stay orthogonal; a contact has none."""
        return ()

    @property
    @abstractmethod
    def _equations(self) -> tuple[Expr, ...]:
        """All constraint equations, including those that are always true."""

    @property
    def holonomic_constraints(self) -> tuple[Expr, ...]:
        """The constraint equations of positions, each zero; a contact has none."""
        return ()

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

    @property
    def _binding(self) -> tuple[Expr, ...]:
        """The equations without those that are always true."""
        equations = self._equations
        granted = are_zero(equations)
        return tuple(e for e, is_zero in zip(equations, granted, strict=True) if not is_zero)

    @property
    def is_redundant_in_tree(self) -> bool:
        """Whether the tree of joints satisfies its equations anyway, so that it closes nothing."""
        return not self._binding

    def _closing(self) -> tuple[Expr, ...]:
        """Return the equations that constrain; raise an error if none does, or one never holds."""
        left = self._binding
        if not left:
            raise ValueError(
                f"{self._title} closes nothing: the tree of joints satisfies its equations "
                "already. Leave it out of the constraints."
            )
        if any(is_constant(equation, dynamicsymbols._t) for equation in left):
            raise ValueError(
                f"{self._title} can never close: a distance or an angle that must vanish does "
                "not depend on the motion. Correct its points and interframes."
            )
        return left

    @property
    def _title(self) -> str:
        return f"The {type(self).__name__} {self.name!r}"


def velocities_at(body: Body, place: Point, frame: ReferenceFrame) -> tuple[Vector, Vector]:
    """Return the velocity of a body's extension at a place, and its angular velocity."""
    velocity = body.masscenter.vel(frame)
    if is_particle(body):
        return velocity, Vector(0)
    spin = angular_velocity_in(body.frame, frame)
    return velocity + spin.cross(position_from(place, body.masscenter)), spin


def check_bodies(problems: Problems, parent: Any, child: Any, with_particles: bool = False) -> bool:
    """Find problems of the two bodies, the parent a Particle or not; return whether none."""
    either = (RigidBody, Particle), "a RigidBody or Particle"
    fix = "Use a Particle as child, and for ground RigidBody('ground', point, frame)."
    rigid = RigidBody, "a RigidBody", fix
    found = [
        problems.check(check_instance, "parent", parent, *(either if with_particles else rigid)),
        problems.check(check_instance, "child", child, *either),
        problems.check(_check_different, parent, child),
    ]
    return None not in found


def _check_different(parent: Any, child: Any) -> bool:
    if parent is child:
        raise ValueError(f"`child` must be another body than `parent`, got {child} twice.")
    return True
