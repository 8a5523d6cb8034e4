"""`LoopJoint`: joints that close loops of a tree, their constraints and forces."""

from functools import cached_property
from itertools import chain
from typing import Any

from sympy import Expr, Matrix
from sympy.matrices import MatrixBase
from sympy.physics.vector import ReferenceFrame, Vector, dynamicsymbols

from ...checks.arguments import check_choice, check_name
from ...checks.messages import Problems
from ..arithmetic.expression_derivatives import ExpressionDerivatives
from ..spatial.components import scalar_products, vector_of
from ..spatial.paths import check_oriented
from ..sympy_objects import Body, check_real, check_vector, is_particle
from .joint_points import attached_frame, attached_point, nonzero_components, normal_of, unit
from .loop_connection import LoopConnection, check_bodies

#: The directions of the force and of the moment that each kind transmits: the axis, its two
#: normals, all axes of the interframe, the cross product of the bodies' axes, or the line between
#: the points.
KINDS = {
    "pin": ("all", "normals"),
    "prismatic": ("normals", "all"),
    "cylindrical": ("normals", "normals"),
    "planar": ("axis", "normals"),
    "spherical": ("all", "none"),
    "universal": ("all", "cross"),
    "weld": ("all", "all"),
    "point_on_line": ("normals", "none"),
    "point_on_plane": ("axis", "none"),
    "rod": ("line", "none"),
}

#: The kinds that have no axis.
WITHOUT_AXIS = ("spherical", "weld", "rod")


class LoopJoint(LoopConnection):
    """A joint that closes a loop: it moves no body, but constrains two bodies of the tree.

    A tree of sympy joints defines how bodies move.  A mechanism with loops is a tree and a few more
    joints, each between two bodies of the tree::

                  B ================== C
                 /                      \\
                /        the tree:       \\
               / A-B-C and D, three pins  o  loop joint: C, D
              /                          /     parent_point of C
             A                          D      child_point of D

    The kinds constrain the child relative to the parent, with the parent
    interframe's *axis* ``a`` = ``joint_axis`` and two normals of it:

    ================== ====================== ========================== ====
    kind               child's point stays    child's orientation        rows
    ================== ====================== ========================== ====
    ``pin``            at the parent's        axes parallel              5
    ``prismatic``      on the axis            that of the parent         5
    ``cylindrical``    on the axis            axes parallel              4
    ``planar``         in the plane normal    axes parallel              3
                       to the axis
    ``spherical``      at the parent's        free                       3
    ``universal``      at the parent's        parent's axis at right     4
                                              angles to the child's
    ``weld``           at the parent's        that of the parent         6
    ``point_on_line``  on the axis            free                       2
    ``point_on_plane`` in the plane normal    free                       1
                       to the axis
    ``rod``            at a distance from     free                       1
                       the parent's
    ================== ====================== ========================== ====

    A rod is a massless link with a ball joint at each end: a link of a delta robot, or a rope under
    tension.

    The axis passes through the parent's point.  The child's axis has the components of
    ``joint_axis`` in the child interframe; for a universal joint it is the first normal there: y, z
    or x for the axes x, y or z.

    Its wrench acts on the child, by the parent, about the child's point, as for any joint.  A rod
    transmits a force along the line between the points: its multiplier is positive if the rod
    pushes them apart (compression), negative if it pulls (tension), as for sympy's actuators.

    Parameters
    ==========

    name : str
        A unique name for the joint.
    parent : RigidBody or Particle
        The body in which the axis is fixed; a Particle only for a rod.
    child : RigidBody or Particle
        The other body; a Particle if its orientation is free.
    kind : str, optional
        A kind in the table.
    parent_point, child_point : Point or Vector, optional
        Points fixed in the bodies; a Vector is a position from the mass centre. Default: the mass
        centres.
    parent_interframe, child_interframe : ReferenceFrame or Vector, optional
        Frames fixed in the bodies; a Vector becomes the x axis of a new frame.
        Default: the bodies' frames.
    joint_axis : Vector, optional
        The axis, fixed in the parent interframe; of any length.  Default: its
        x axis.  A spherical joint, a weld and a rod have none.
    length : Expr or number, optional
        The distance between the points of a rod, positive: a number, a symbol, or a
        function of time for a rope on a winch or a cylinder of prescribed length.

    Attributes
    ==========

    name, kind, parent, child
        As given.
    parent_point, child_point : Point
        The points that the joint connects.
    parent_interframe, child_interframe : ReferenceFrame
        The frames that the joint connects; None for a Particle.
    length : Expr or None
        The length of a rod.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, the kind is unknown, a point or a frame is not fixed in
        its body, the axis is zero or moves, a rod has no length or a negative one: all problems in
        one error.  The equations raise it if the two bodies are not connected by joints yet, if
        nothing remains to close, or if the loop cannot be closed at all.

    Notes
    =====

    Equations that the tree satisfies anyway are left out of the constraints: of the five of a pin
    in a planar mechanism two remain.  The forces of the others are transmitted nevertheless, but
    mechanics does not determine them.

    Orientations are constrained by right angles between pairs of axes, which a half turn also
    satisfies: start from an assembled state.

    The equation of a rod with the position r between its points is ``(r . r / length - length) / 2
    = 0``, which is smooth; its multiplier is the force.  A rope is slack where it would have to
    push; check the sign.

    Examples
    ========

    A slider-crank: the far end of the rod stays on the x axis of ground.

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import PinJoint, PrismaticJoint, RigidBody, System
    >>> import jointwrench as jw
    >>> l, r = symbols("l r")
    >>> ground, crank, rod = (RigidBody(name) for name in ("ground", "crank", "rod"))
    >>> main = PinJoint("main", ground, crank, child_point=-r / 2 * crank.x, joint_axis=ground.z)
    >>> knee = PinJoint(
    ...     "knee", crank, rod, parent_point=r / 2 * crank.x, child_point=-l / 2 * rod.x,
    ...     joint_axis=crank.z,
    ... )
    >>> slider = jw.LoopJoint("slider", ground, rod, "point_on_line", child_point=l / 2 * rod.x)
    >>> slider.force_directions
    (ground_frame.y, ground_frame.z)
    >>> slider.holonomic_constraints
    (l*(sin(q_knee(t))*cos(q_main(t)) + sin(q_main(t))*cos(q_knee(t))) + r*sin(q_main(t)),)

    The System is told which coordinates and speeds are independent:

    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(main, knee)
    >>> system.add_holonomic_constraints(*slider.holonomic_constraints)
    >>> system.q_ind, system.q_dep = main.coordinates, knee.coordinates
    >>> system.u_ind, system.u_dep = main.speeds, knee.speeds
    >>> system.validate_system()
    >>> system.form_eoms().shape
    (1, 1)

    The same rod without mass, as a LoopJoint between the crank and a slider:

    >>> slider = RigidBody("slider")
    >>> bore = PrismaticJoint("bore", ground, slider, joint_axis=ground.x)
    >>> jw.LoopJoint("rod", crank, slider, "rod", r / 2 * crank.x, length=l).holonomic_constraints
    (-l/2 + (r**2 - 2*r*q_bore(t)*cos(q_main(t)) + q_bore(t)**2)/(2*l),)

    See Also
    ========

    Contact : No slip at a point.
    """

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        kind: str = "pin",
        parent_point: Any = None,
        child_point: Any = None,
        parent_interframe: Any = None,
        child_interframe: Any = None,
        joint_axis: Any = None,
        length: Any = None,
    ) -> None:
        problems = Problems()
        check_name("name", name)
        kind = problems.check(check_choice, "kind", kind, tuple(KINDS)) or str(kind)
        self.length: Expr | None = problems.check(_rod_length, length, kind)
        if check_bodies(problems, parent, child, with_particles=kind == "rod"):
            side = name, parent
            parent_point = problems.check(attached_point, "parent_point", parent_point, *side)
            parent_interframe = problems.check(
                _interframe, "parent_interframe", parent_interframe, *side, kind
            )
            side = name, child
            child_point = problems.check(attached_point, "child_point", child_point, *side)
            child_interframe = problems.check(
                _interframe, "child_interframe", child_interframe, *side, kind
            )
            if parent_interframe is not None or kind in WITHOUT_AXIS:
                joint_axis = problems.check(_unit_axis, joint_axis, parent_interframe, kind)
        problems.raise_all(f"LoopJoint {name!r}")
        self._axis: MatrixBase = joint_axis
        sides = parent_point, child_point, parent_interframe, child_interframe
        super().__init__(name, kind, parent, child, *sides)

    @property
    def joint_axis(self) -> Vector:
        """The axis, a unit vector fixed in the parent interframe."""
        return vector_of(self._axis, self.parent_interframe)

    @cached_property
    def force_directions(self) -> tuple[Vector, ...]:
        """The unit vectors, fixed in the parent, along which a force is transmitted.

        Along them the child's point coincides with the parent's point.  For a rod it points from
        the parent's point to the child's; it is a unit vector if the loop is closed.
        """
        if self.length is not None:
            return (self._position(self.child_point, self.parent_point) / self.length,)
        return self._directions(KINDS[self.kind][0])

    @cached_property
    def moment_directions(self) -> tuple[Vector, ...]:
        """The unit vectors, fixed in the parent, along which a moment is transmitted.

        For a universal joint it is orthogonal to the axes of both bodies.
        """
        if self.kind != "universal":
            return self._directions(KINDS[self.kind][1])
        ((parent_axis, child_axis),) = self.orthogonal_pairs
        check_oriented("child_interframe", self.child_interframe, self.parent_interframe)
        return (parent_axis.cross(child_axis),)

    @cached_property
    def orthogonal_pairs(self) -> tuple[tuple[Vector, Vector], ...]:
        """Pairs (parent interframe's vector, child interframe's vector) that stay orthogonal."""
        parent, child, turning = self.parent_interframe, self.child_interframe, KINDS[self.kind][1]
        if turning == "none" or child is None or parent is None:
            return ()
        if turning == "all":
            return (parent.x, child.y), (parent.y, child.z), (parent.z, child.x)
        axis, normal, other = self._triad(parent)
        child_axis, child_normal, _ = self._triad(child)
        if turning == "cross":
            return ((axis, child_normal),)
        return (normal, child_axis), (other, child_axis)

    @property
    def _equations(self) -> tuple[Expr, ...]:
        """Distances along the force directions, then cosines of angles that are right angles.

        For a rod with the offset d it is ``(d . d / length - length) / 2``, whose rate is the
        velocity along the rod.
        """
        offset = self._position(self.child_point, self.parent_point)
        if self.length is not None:
            (square,) = scalar_products([offset], offset)
            return ((square / self.length - self.length) / 2,)
        if self.child_interframe is not None:
            check_oriented("child_interframe", self.child_interframe, self.parent_interframe)
        distances = scalar_products(self.force_directions, offset)
        cosines = (scalar_products([one], other) for one, other in self.orthogonal_pairs)
        return (*distances, *chain(*cosines))

    @cached_property
    def holonomic_constraints(self) -> tuple[Expr, ...]:
        """Expressions that are zero in an assembled mechanism, for sympy's System and methods.

        Distances of the child's point from its place, then cosines of right angles, except those
        that are zero in any state.
        """
        return self._closing()

    @cached_property
    def velocity_constraints(self) -> tuple[Expr, ...]:
        """The time derivatives of the holonomic constraints, in the same order."""
        return tuple(map(ExpressionDerivatives(dynamicsymbols._t).of, self.holonomic_constraints))

    def _directions(self, which: str) -> tuple[Vector, ...]:
        """Return the parent interframe's vectors for a word in `KINDS`: all, axis or normals."""
        frame = self.parent_interframe
        if frame is None or which == "none":
            return ()
        axis, *normals = self._triad(frame)
        all_three = (frame.x, frame.y, frame.z)
        return {"all": all_three, "axis": (axis,), "normals": (*normals,)}[which]

    def _triad(self, frame: ReferenceFrame) -> tuple[Vector, ...]:
        """Return the axis and two normals, a right-handed triad, as vectors in an interframe."""
        normal = normal_of(self._axis)
        columns = (self._axis, normal, self._axis.cross(normal))
        return tuple(vector_of(column, frame) for column in columns)


def _interframe(argument: str, value: Any, name: str, body: Body, kind: str) -> Any:
    """Return a body's interframe; None for a Particle, which only some kinds allow."""
    if not is_particle(body):
        return attached_frame(argument, value, name, body)
    if value is not None:
        raise ValueError(f"`{argument}` must be None, as the Particle {body} has no orientation.")
    if KINDS.get(kind, ("", "none"))[1] != "none":
        free = ", ".join(repr(key) for key, (_, turning) in KINDS.items() if turning == "none")
        raise ValueError(
            f"`kind` must be one of {free} for the Particle {body}, which has no orientation, "
            f"got {kind!r}. Use one of those, or a RigidBody."
        )
    return None


def _rod_length(length: Any, kind: str) -> Expr | None:
    """Return the length of a rod; None for any other kind."""
    if kind != "rod":
        if length is not None:
            raise ValueError(f"`length` must be None for the kind {kind!r}, which has no length.")
        return None
    if length is None:
        raise ValueError("`length` must be given for a rod. Use a number or a symbol, length=l.")
    checked = check_real("length", length)
    if checked.is_positive is False:
        raise ValueError(f"`length` must be positive, got {checked}.")
    return checked


def _unit_axis(joint_axis: Any, interframe: ReferenceFrame, kind: str) -> MatrixBase:
    """Return the components of the axis as a unit vector, by default x."""
    if joint_axis is None:
        return Matrix([1, 0, 0])
    vector = check_vector("joint_axis", joint_axis)
    if kind in WITHOUT_AXIS:
        raise ValueError(f"`joint_axis` must be None for the kind {kind!r}, which has no axis.")
    return unit(nonzero_components("joint_axis", vector, interframe))
