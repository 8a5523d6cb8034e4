"""`Section`: an imaginary cut through a body, and the part beyond it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, ImmutableDenseMatrix, Matrix, Rational, eye, zeros
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Dyadic, Point, Vector, outer

from ...checks.arguments import check_instance, check_name, check_sequence
from ...checks.messages import Problems
from ...checks.numbers import check_integer
from ...checks.pickles import Pickled
from ...checks.tolerances import ROUNDING
from ..spatial.components import position_components
from ..spatial.equality import are_zero
from ..spatial.paths import check_path
from ..sympy_objects import Body, check_body, check_real, is_particle
from .joint_points import attached_point, fixed_components


class UniformRod(NamedTuple):
    """A uniform rod in a body's frame, and the point at which it is cut.

    Attributes
    ==========

    start : matrix
        The position of the rod's start from the body's mass centre.
    along : matrix
        The vector from the start to the end.
    fraction : Expr
        The position of the cut, from 0 at the start to 1 at the end.
    """

    start: ImmutableDenseMatrix
    along: ImmutableDenseMatrix
    fraction: Expr

    @property
    def cut(self) -> ImmutableDenseMatrix:
        """The position of the cut from the body's mass centre."""
        return self.start + self.fraction * self.along

    def part_of(self, body: RigidBody, name: str) -> RigidBody:
        """Return the part beyond the cut as a RigidBody, from the present mass and inertia."""
        rest, center = 1 - self.fraction, self.start + (1 + self.fraction) / 2 * self.along
        inertia = _inertia_of_part(body, self.along, rest)
        place = body.masscenter.locatenew(f"{name}_center", _vector(center, body))
        return RigidBody(f"{name}_part", place, body.frame, rest * body.mass, (inertia, place))


class Section(Pickled):
    """A cross-section of a body, at which internal forces and moments are computed.

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
        nothing, which is an error if the body has more than the joint that leads to ground.  For a
        rod see `of_rod`, which knows where they stand.

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
        self.name, self.body, self.point, self._part = name, body, point, part
        self.attached = None if attached is None else tuple(attached)
        self.rod: UniformRod | None = None  # set by of_rod

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
        """Return a section of a body that is a uniform rod.

        ``name`` and ``body`` are as for a Section; ``start`` and ``end`` of the rod are Points, or
        Vectors from the mass centre, which is in the middle; the section is at a ``fraction`` of
        the way from the start (0) to the end (1), which is the end of the part.

        Joints, contacts and loads count where they stand: those beyond the section, by their places
        along the rod, are attached to the part.  What stands at the start is on the rest, what
        stands at the end on the part, and what stands right at a section between them on the part,
        but for the joint that leads to ground.  ``attached`` is needed for what has no place, a
        torque on the body's frame: it names those on the part.

        The part has the mass ``(1 - fraction) * body.mass`` and the inertia of that length of a
        thin rod; what the body's inertia has beyond that of a thin rod is spread evenly.

        Raises
        ======

        TypeError, ValueError
            As for a Section; if the mass centre is not in the middle of the rod, or the body's
            inertia is less than that of a thin rod.

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
        fraction = check_real("fraction", fraction)
        given = (("start", start), ("end", end))
        points = [attached_point(argument, place, name, body) for argument, place in given]
        first, last = (_position(point, body) for point in points)
        _check_middle(body, first, last)
        rod = UniformRod(first, ImmutableDenseMatrix(last - first), fraction)
        section = cls(name, body, _vector(rod.cut, body), body, attached)
        section.rod = rod
        return section

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
        """Return sections of a uniform rod at equal distances, from its start to its end.

        ``name``, ``body``, ``start``, ``end`` and ``attached`` are as for `Section.of_rod`: each
        joint and load counts where it stands.  The sections are called "name 0", "name 1" ...
        There are ``count`` of them, two at least.

        Raises
        ======

        TypeError, ValueError
            As for `Section.of_rod`; if there are fewer than two.

        See Also
        ========

        Section.of_rod : One of them.

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
    def part(self) -> Body:
        """The part beyond the section; for a rod, derived from its body."""
        return self._part if self.rod is None else self.rod.part_of(self.body, self.name)

    @property
    def place(self) -> ImmutableDenseMatrix:
        """The position of the section's point from the body's mass centre, in the body's frame."""
        return _position(self.point, self.body)

    @property
    def center(self) -> ImmutableDenseMatrix:
        """The position of the part's mass centre from the body's, in the body's frame."""
        return _position(self.part.masscenter, self.body)

    @property
    def expressions(self) -> tuple[Expr | MatrixBase, ...]:
        """The expressions of the section's point and the part's mass, mass centre and inertia."""
        own = self.place, self.center, self.inertia, self.part.mass
        return own if self.rod is None else (*own, *self.rod)

    @property
    def inertia(self) -> MatrixBase:
        """The central inertia of the part, in the body's frame."""
        if is_particle(self.part):
            return zeros(3, 3)
        return self.part.central_inertia.to_matrix(self.body.frame)


def _position(point: Point, body: RigidBody) -> ImmutableDenseMatrix:
    """Return the position of a point from the mass centre of a body, in its frame."""
    return ImmutableDenseMatrix(position_components(point, body.masscenter, body.frame))


def _vector(components: MatrixBase, body: RigidBody) -> Vector:
    return Vector([(Matrix(components), body.frame)])


def _check_middle(body: RigidBody, start: MatrixBase, end: MatrixBase) -> None:
    """Raise an error if the middle of a rod is not the mass centre of its body."""
    along = end - start
    if all(are_zero(list(along))):
        raise ValueError(f"`start` and `end` must be two points, got one of {body.name} twice.")
    if all(are_zero(list(start + end))):
        return
    way = -start.dot(along) / along.dot(along)
    where = f" at {float(way):.3g} of the way" if way.is_number else " elsewhere"
    raise ValueError(
        "`start` and `end` must be the ends of a uniform rod, whose mass centre is in the middle, "
        f"got {body.name} with its mass centre{where}. Use Section(name, body, point, part, "
        "attached) with the mass, mass centre and inertia of the part beyond."
    )


def _inertia_of_part(body: RigidBody, along: MatrixBase, rest: Expr) -> Dyadic:
    """Return the central inertia of the fraction ``rest`` of a rod.

    The inertia of a thin rod scales with the cube of the length; the remaining inertia of the body
    is spread evenly and scales with the length.
    """
    frame = body.frame
    thin = (eye(3) * along.dot(along) - along * along.T) * body.mass / 12
    whole = body.central_inertia.to_matrix(frame)
    beyond = whole - thin
    if whole.is_zero_matrix or _is_less(whole, thin):
        raise ValueError(
            "`body` must have the inertia of a uniform rod, mass * length**2 / 12, or more, got "
            f"that of {body.name}, whose mass is nearer to the middle. Use "
            "body.central_inertia = inertia(...), or Section(name, body, point, part, attached)."
        )
    pairs = zip(are_zero(list(beyond)), beyond, strict=True)
    own = [0 if is_zero else x for is_zero, x in pairs]
    entries = list(rest * ImmutableDenseMatrix(3, 3, own) + rest**3 * thin)
    axes = [outer(one, other) for one in frame for other in frame]
    return sum((x * y for x, y in zip(entries, axes, strict=True)), Dyadic(0))


def _is_less(whole: MatrixBase, thin: MatrixBase) -> bool:
    """Whether the largest moment of inertia is known to be less than that of a thin rod."""
    if not all(x.is_number for x in (*whole, *thin)):
        return False
    most, least = (np.linalg.eigvalsh(np.array(x, float)).max() for x in (whole, thin))
    return bool(most < least * (1 - ROUNDING))


def _check_part(part: Body, body: RigidBody) -> None:
    """Raise an error if the mass centre or the inertia of a part is not fixed in its body."""
    fixed_components("part", check_path("part", part.masscenter, body.masscenter), body.frame)
    if isinstance(part, RigidBody):
        for _, one, other in part.central_inertia.args:
            for vector in (one, other):
                fixed_components("part", vector, body.frame)
