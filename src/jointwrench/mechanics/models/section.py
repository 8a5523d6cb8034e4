"""`Section`: an imaginary cut through a body, and the part beyond it."""

from collections.abc import Iterable
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Rational, zeros
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point

from ...checks.arguments import check_instance, check_name, check_sequence
from ...checks.numbers import check_integer
from ...checks.problems import Problems
from ..spatial.components import position_components
from ..spatial.paths import check_path
from ..sympy_objects import Body, check_body, check_real, is_particle
from .attachments import attached_point, fixed_components


class Section:
    """A cross-section of a body; its wrench acts on the part beyond it, by the rest.

    An imaginary cut through a beam, a robot's link or a bone; its wrench consists of the internal
    forces and moments: normal and shear force, torsion and bending moments::

           rest of the body         part
        o===================|=================o
        joint               x                 joint, load, contact: `attached`
                        section's point

    Its wrench acts **on the part, by the rest** of the body, about the section's point, with
    components in the body's frame.  It balances the part's weight and the wrenches of what is
    attached to the part, and changes the part's momentum.  Its negative acts on the rest.

    Parameters
    ==========

    name : str
        A name for the section.
    body : RigidBody
        The body that is cut.
    point : Point, Vector or None
        A point of the section, fixed in the body; a Vector is a position from the mass centre,
        which None stands for.
    part : RigidBody or Particle
        The mass, mass centre and inertia of the part; its mass centre and the frames of its inertia
        are fixed in ``body``.  It is not a body of the model.
    attached : iterable, optional
        What is attached to the part: those joints, loop joints, contacts, bodies welded to it,
        points and frames of loads, or their names, that are not on the rest of the body. Default:
        nothing, which is an error if the body has more than the joint that leads to ground.

    Attributes
    ==========

    name, body, part, attached
        As given.
    point : Point
        The section's point.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, or the point or the part is not fixed in the body: all
        problems in one error.  `InverseDynamics` raises it if the body is not in the model, or
        ``attached`` does not match the model.

    See Also
    ========

    InverseDynamics.section_wrench : The wrench there.

    Notes
    =====

    The part has its own weight if all bodies of the model have the same gravity.  Otherwise gravity
    is a load at the mass centre of the whole body: on the part or on the rest.

    Examples
    ========

    A uniform beam of mass m and length l, clamped to ground, at a third of its length:

    >>> from sympy import Rational, symbols
    >>> from sympy.physics.mechanics import PrismaticJoint, RigidBody, System
    >>> import jointwrench as jw
    >>> m, l, g = symbols("m l g")
    >>> ground, beam = RigidBody("ground"), RigidBody("beam", mass=m)
    >>> system = System.from_newtonian(ground)
    >>> lift = PrismaticJoint("lift", ground, beam, child_point=-l / 2 * beam.x,
    ...                       joint_axis=ground.y)
    >>> system.add_joints(lift)
    >>> system.apply_uniform_gravity(-g * ground.y)
    >>> third = jw.Section.of_rod("third", beam, -l / 2 * beam.x, l / 2 * beam.x, Rational(1, 3))
    >>> idyn = jw.InverseDynamics(system, sections=[third])
    >>> wrench = idyn.section_wrench("third")
    >>> wrench.force.to_matrix(beam.frame)[1].factor()
    2*m*(g + Derivative(u_lift(t), t))/3
    >>> wrench.moment.to_matrix(beam.frame)[2].factor()
    2*l*m*(g + Derivative(u_lift(t), t))/9
    """

    def __init__(
        self,
        name: str,
        body: RigidBody,
        point: Any,
        part: Body,
        attached: Iterable[Any] | None = None,
    ) -> None:
        problems = Problems()
        check_name("name", name)
        if problems.check(check_instance, "body", body, RigidBody, "a RigidBody") is not None:
            point = problems.check(attached_point, "point", point, name, body)
            if problems.check(check_body, "part", part) is not None:
                problems.check(_check_part, part, body)
        if attached is not None:
            expected = "an iterable of joints, points and frames, or their names"
            attached = problems.check(check_sequence, "attached", attached, expected)
        problems.raise_all(f"Section {name!r}")
        self.name, self.body, self.point, self.part = name, body, point, part
        self.attached = None if attached is None else tuple(attached)

    @classmethod
    def of_rod(
        cls,
        name: str,
        body: RigidBody,
        start: Any,
        end: Any,
        fraction: Any,
        attached: Iterable[Any] | None = None,
    ) -> "Section":
        """Return a section of a body that is a thin, uniform rod.

        ``name``, ``body`` and ``attached`` are as for a Section; ``start`` and ``end`` of the rod
        are Points, or Vectors from the mass centre; the section is at a ``fraction`` of the way
        from the start (0) to the end (1), which is the end of the part.  The part has the mass ``(1
        - fraction) * body.mass``.

        See Also
        ========

        Section : For any body.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import RigidBody
        >>> rod = RigidBody("rod", mass=2)
        >>> jw.Section.of_rod("half", rod, -rod.x, rod.x, 0.5)
        Section: half  body: rod
        """
        check_instance("body", body, RigidBody, "a RigidBody")
        rest = 1 - check_real("fraction", fraction)
        given = (("start", start), ("end", end))
        points = [attached_point(argument, place, name, body) for argument, place in given]
        first, last = (point.pos_from(body.masscenter) for point in points)
        along, frame = rest * (last - first), body.frame
        center = body.masscenter.locatenew(f"{name}_center", last - along / 2)
        mass = rest * body.mass
        whole = (frame.x | frame.x) + (frame.y | frame.y) + (frame.z | frame.z)
        inertia = mass / 12 * (along.dot(along) * whole - (along | along))
        part = RigidBody(f"{name}_part", center, frame, mass, (inertia, center))
        return cls(name, body, last - along, part, attached)

    @classmethod
    def along_rod(
        cls,
        name: str,
        body: RigidBody,
        start: Any,
        end: Any,
        count: int = 21,
        attached: Iterable[Any] | None = None,
    ) -> tuple["Section", ...]:
        """Return sections of a thin, uniform rod at equal distances, from its start to its end.

        ``name``, ``body``, ``start``, ``end`` and ``attached`` are as for `Section.of_rod`; the
        sections are called "name 0", "name 1" ...  There are ``count`` of them, two at least.

        Raises
        ======

        TypeError, ValueError
            As for `Section.of_rod`; if there are fewer than two.

        See Also
        ========

        jointwrench.pictures.plot_section_diagram : Draws their wrenches over the length.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import RigidBody
        >>> rod = RigidBody("rod", mass=2)
        >>> jw.Section.along_rod("rod", rod, -rod.x, rod.x, 3)[1].place.T
        Matrix([[0, 0, 0]])
        """
        check_name("name", name)
        count = check_integer("count", count, least=2)
        parts = (Rational(k, count - 1) for k in range(count))
        own = None if attached is None else check_sequence("attached", attached, "an iterable")
        return tuple(
            cls.of_rod(f"{name} {k}", body, start, end, x, own) for k, x in enumerate(parts)
        )

    def __repr__(self) -> str:
        return f"Section: {self.name}  body: {self.body.name}"

    @property
    def place(self) -> ImmutableDenseMatrix:
        """The position of the point from the body's mass centre, in the body's frame."""
        return self._position(self.point)

    @property
    def center(self) -> ImmutableDenseMatrix:
        """The position of the part's mass centre from the body's, in the body's frame."""
        return self._position(self.part.masscenter)

    @property
    def expressions(self) -> tuple[Expr | MatrixBase, ...]:
        """The expressions of its point, part and inertia."""
        return self.place, self.center, self.inertia, self.part.mass

    @property
    def inertia(self) -> MatrixBase:
        """The central inertia of the part, in the body's frame."""
        if is_particle(self.part):
            return zeros(3, 3)
        return self.part.central_inertia.to_matrix(self.body.frame)

    def _position(self, point: Point) -> ImmutableDenseMatrix:
        components = position_components(point, self.body.masscenter, self.body.frame)
        return ImmutableDenseMatrix(components)


def _check_part(part: Body, body: RigidBody) -> None:
    """Raise an error for a part that is not fixed in its body."""
    fixed_components("part", check_path("part", part.masscenter, body.masscenter), body.frame)
    if isinstance(part, RigidBody):
        for _, one, other in part.central_inertia.args:
            for vector in (one, other):
                fixed_components("part", vector, body.frame)
