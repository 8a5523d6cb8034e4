"""`Contact`: no slip at a point, for rolling, knife edges and skates."""

from functools import cached_property
from typing import Any, ClassVar

from sympy import Expr
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...checks.arguments import check_count, check_instance, check_name, check_sequence
from ...checks.messages import Problems
from ..spatial.equality import are_equal
from ..spatial.paths import (
    angular_velocity_in,
    check_oriented,
    check_path,
    own_velocity,
    position_from,
)
from ..sympy_objects import Body, check_vector, is_particle
from .loop_connection import LoopConnection, check_bodies


class Contact(LoopConnection):
    """A contact point at which one body does not slip on another along given directions.

    It says where the force of a nonholonomic (velocity) constraint acts.  The material points of
    the two bodies that are at the contact point have the same velocity along the directions::

              ___                      a wheel (child) on ground (parent): all three
            /     \\                    a knife edge, a skate: the direction across it
           |   o   |  child            a wheel that may lift off: those of ground's plane
            \\ ___ /
        -------x------- parent         the force acts at the point x, along the directions
             point

    The point may move over both bodies, as the lowest point of a wheel does.
    The contact transmits a force and no moment.  Its wrench acts on the child, by
    the parent, about the point.

    Parameters
    ==========

    name : str
        A unique name for the contact.
    parent : RigidBody
        The body with the surface, ground for most models.
    child : RigidBody or Particle
        The body that rolls or slides; a Particle touches at its own point.
    point : Point
        The contact point; its position from the child must be set.
    directions : sequence of 1 to 3 Vectors, optional
        Independent directions without slip, of any length.  Default: the unit
        vectors of the parent's frame.
    surface_velocity : Vector, optional
        Velocity of the surface's material at the contact point in the parent's frame, for a surface
        with prescribed motion that is not a body: a belt that runs over the parent, a disc that
        turns on it (its angular velocity times the position from its centre).  It may depend on
        time and on coordinates, not on speeds.  Default: 0.

    Attributes
    ==========

    directions : tuple of Vector
        The directions, as unit vectors.
    point, parent_point, child_point : Point
        The contact point.
    parent_interframe, child_interframe : ReferenceFrame
        The bodies' frames; None for a Particle.
    name, kind, parent, child, surface_velocity
        As given, and ``"contact"``.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, the position of the point from the child is unknown,
        directions are zero, dependent or not connected with the parent's frame: all problems in one
        error.  The equations raise it if the child's velocity is unknown or nothing remains to
        constrain.

    Notes
    =====

    A contact without slip normal to the surface also constrains positions: a wheel whose height is
    a coordinate needs a `LoopJoint`, or your own equation, that keeps its height.  Its time
    derivative equals a velocity constraint of the contact: leave one of the two out.

    Examples
    ========

    A disc rolls upright on a line; ``x`` is its position and ``phi`` its angle.

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import dynamicsymbols, Point, RigidBody
    >>> import jointwrench as jw
    >>> r = symbols("r")
    >>> x, phi = dynamicsymbols("x phi")
    >>> ground, disc = RigidBody("ground"), RigidBody("disc")
    >>> disc.frame.orient_axis(ground.frame, ground.z, phi)
    >>> disc.masscenter.set_pos(ground.masscenter, x * ground.x + r * ground.y)
    >>> point = disc.masscenter.locatenew("point", -r * ground.y)
    >>> jw.Contact("tyre", ground, disc, point, [ground.x]).velocity_constraints
    (r*Derivative(phi(t), t) + Derivative(x(t), t),)

    On a belt that runs with the velocity ``v``:

    >>> v = dynamicsymbols("v")
    >>> belt = jw.Contact("tyre", ground, disc, point, [ground.x], surface_velocity=v * ground.x)
    >>> belt.velocity_constraints
    (r*Derivative(phi(t), t) - v(t) + Derivative(x(t), t),)

    See Also
    ========

    LoopJoint : Joints that close loops.
    """

    is_contact = True
    length: ClassVar[None] = None  # that of a rod

    directions: tuple[Vector, ...]
    surface_velocity: Vector

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        point: Point,
        directions: Any = None,
        surface_velocity: Any = 0,
    ) -> None:
        problems = Problems()
        check_name("name", name)
        if check_bodies(problems, parent, child):
            problems.check(_check_point, point, child)
            if directions is None:
                directions = (parent.frame.x, parent.frame.y, parent.frame.z)
            directions = problems.check(_unit_directions, directions, parent.frame)
            surface_velocity = problems.check(check_vector, "surface_velocity", surface_velocity)
            for _, own in getattr(surface_velocity, "args", ()):
                problems.check(check_oriented, "surface_velocity", own, parent.frame)
        problems.raise_all(f"Contact {name!r}")
        self.directions, self.surface_velocity = directions, surface_velocity
        child_frame = None if is_particle(child) else child.frame
        super().__init__(name, "contact", parent, child, point, point, parent.frame, child_frame)

    @property
    def point(self) -> Point:
        """The contact point."""
        return self.child_point

    @property
    def force_directions(self) -> tuple[Vector, ...]:
        """The unit vectors along which the contact transmits a force: its ``directions``."""
        return self.directions

    @property
    def _equations(self) -> tuple[Expr, ...]:
        slip = self._slip() - self.surface_velocity
        return tuple(direction.dot(slip) for direction in self.directions)

    @cached_property
    def velocity_constraints(self) -> tuple[Expr, ...]:
        """Expressions that are zero without slip, for sympy's System and methods.

        Velocities of the child's material point relative to the surface's along the directions,
        except those that are zero in any state.
        """
        return self._closing()

    def _slip(self) -> Vector:
        """Return the velocity of the child's material point at the contact, in the parent."""
        frame, center = self.parent.frame, self.child.masscenter
        velocity = own_velocity(center, frame)
        if velocity is None:
            velocity = self._position(center, self.parent.masscenter).dt(frame)
        if self.child_interframe is None:
            return velocity
        arm = position_from(self.point, center)
        try:
            spin = angular_velocity_in(self.child_interframe, frame)
        except ValueError:
            raise ValueError(
                f"{self._title} has no equations yet: no path of angular velocities connects "
                f"{self.child_interframe} and {frame}. Make the joints of the tree first."
            ) from None
        return velocity + spin.cross(arm)


def _check_point(point: Any, child: Body) -> None:
    arm = check_path("point", point, child.masscenter)
    if is_particle(child) and not are_equal(arm, Vector(0)):
        raise ValueError(f"`point` must be where the Particle {child} is. Use {child}.masscenter.")


def _unit_directions(directions: Any, frame: ReferenceFrame) -> tuple[Vector, ...]:
    """Return one to three independent directions as unit vectors."""
    expected = "a sequence of 1 to 3 Vectors"
    items = check_sequence("directions", directions, expected)
    check_count("directions", items, (1, 2, 3), expected)
    for i, item in enumerate(items):
        check_instance(f"directions[{i}]", item, Vector, "a Vector", "Use for instance frame.x.")
        for _, own in item.args:
            check_oriented(f"directions[{i}]", own, frame)
        if are_equal(item, Vector(0)):
            raise ValueError(f"`directions[{i}]` must have a direction, got the zero vector.")
    if _are_dependent(items):
        raise ValueError(
            "`directions` must be independent, but one follows from the others. Leave it out."
        )
    return tuple(map(_unit, items))


def _are_dependent(vectors: list[Vector]) -> bool:
    if len(vectors) == 1:
        return False
    normal = vectors[0].cross(vectors[1])
    if len(vectors) == 2 or are_equal(normal, Vector(0)):
        return are_equal(normal, Vector(0))
    return are_equal(normal.dot(vectors[2]) * vectors[2], Vector(0))


def _unit(vector: Vector) -> Vector:
    """Return a vector's unit vector; a vector of length 1 is returned unchanged."""
    square = vector.dot(vector) * vector
    return vector if are_equal(square, vector) else vector.normalize()
