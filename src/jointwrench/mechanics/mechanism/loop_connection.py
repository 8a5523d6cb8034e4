"""The base of `LoopJoint` and `Contact`: bodies, points, equations and transmitted directions."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ...checks.arguments import check_instance
from ...checks.deprecation import deprecated
from ...checks.messages import Problems
from ...checks.pickles import Pickled
from ..spatial.components import is_constant
from ..spatial.equality import are_zero
from ..spatial.paths import angular_velocity_in, position_from
from ..sympy_objects import Body, is_particle


@dataclass(frozen=True, eq=False, repr=False)
class LoopConnection(Pickled, ABC):
    """A joint or contact that closes a loop of the tree.

    Its wrench acts on the child, by the parent, about the child's point.
    """

    name: str
    kind: str
    parent: Body
    child: Body
    parent_point: Point
    child_point: Point
    parent_interframe: ReferenceFrame | None
    child_interframe: ReferenceFrame | None

    #: Whether the connection is a contact, which constrains only velocities.
    is_contact: ClassVar[bool] = False

    @property
    @abstractmethod
    def force_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which the connection transmits a force."""

    @property
    def moment_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which the connection transmits a moment; a contact has none."""
        return ()

    @property
    def orthogonal_pairs(self) -> tuple[tuple[Vector, Vector], ...]:
        """Pairs of a parent's and a child's vector that stay orthogonal; a contact has none."""
        return ()

    @property
    @abstractmethod
    def _equations(self) -> tuple[Expr, ...]:
        """The residuals of all constraint equations, also of those that are identically zero."""

    @property
    def holonomic_constraints(self) -> tuple[Expr, ...]:
        """The residuals of the position constraints; a contact has none."""
        return ()

    @property
    @abstractmethod
    def velocity_constraints(self) -> tuple[Expr, ...]:
        """The residuals of the velocity constraints."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}: {self.name}  parent: {self.parent}  child: {self.child}"

    def _position(self, point: Point, origin: Point) -> Vector:
        """Return the position of a point from an origin on the other body; an error names both."""
        try:
            return position_from(point, origin)
        except ValueError:
            raise ValueError(
                f"{self._title} has no equations yet: no path of positions connects {point} and "
                f"{origin}. Make the joints of the tree first."
            ) from None

    @property
    def _binding(self) -> tuple[Expr, ...]:
        """The residuals that are not identically zero."""
        equations = self._equations
        zeros = are_zero(equations)
        return tuple(e for e, is_zero in zip(equations, zeros, strict=True) if not is_zero)

    @property
    def is_redundant_in_tree(self) -> bool:
        """Whether the joints of the tree already satisfy all constraint equations."""
        return not self._binding

    @property
    @deprecated(since="1.1", removed="2.0", use="is_redundant_in_tree")
    def is_granted(self) -> bool:
        """The former name of ``is_redundant_in_tree``."""
        return self.is_redundant_in_tree

    def _closing(self) -> tuple[Expr, ...]:
        """Return the residuals that are not identically zero, or raise an error.

        It is an error if all are zero, or if one is a constant, which can never be zero.
        """
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
    """Return the velocity of a body's material point at a point, and the angular velocity.

    The point may be outside the body; a particle has the same velocity everywhere.
    """
    velocity = body.masscenter.vel(frame)
    if is_particle(body):
        return velocity, Vector(0)
    spin = angular_velocity_in(body.frame, frame)
    return velocity + spin.cross(position_from(place, body.masscenter)), spin


def check_bodies(problems: Problems, parent: Any, child: Any, with_particles: bool = False) -> bool:
    """Collect the problems of a parent and a child; return True if there are none.

    ``with_particles``: whether the parent may be a Particle.
    """
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
