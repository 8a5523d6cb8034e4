"""`MusclePathway`: the path of a muscle as a pathway of sympy, for its actuators."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Float, ImmutableMatrix, Matrix, S, sqrt
from sympy.physics.mechanics import Force, PathwayBase, RigidBody, Torque
from sympy.physics.mechanics.joint import Joint
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ..arithmetic.piecewise import Staircase
from ..checks.tolerances import BESIDE_RANGE
from ..spatial.components import position_components, vector_components


@dataclass(frozen=True, eq=False)
class MuscleAnchors:
    """What muscles of a model are attached to: bodies with their origins, and joints between them.

    ``add_point`` makes a point that is fixed in a body, by its name, the body and the place.
    """

    bodies: Mapping[str, RigidBody]
    origins: Mapping[str, Point]
    joints: Sequence[Joint]
    add_point: Callable[[str, RigidBody, Sequence[Expr]], Point]


@dataclass(frozen=True, eq=False)
class _Node:
    """A point of the path: where it is in its body's frame, and 1 while it is one, else 0."""

    point: Point
    body: RigidBody
    location: tuple[Expr, Expr, Expr]
    presence: Expr
    is_moving: bool


@dataclass(frozen=True, eq=False)
class _Piece:
    """A straight piece between two points: components in the first one's frame, and its presence.

    A piece within a body is there, but pulls on nothing.
    """

    near: _Node
    far: _Node
    components: Matrix
    presence: Expr

    @property
    def frame(self) -> ReferenceFrame:
        return self.near.body.frame

    @cached_property
    def length(self) -> Expr:
        return sqrt(sum(x**2 for x in self.components))

    @property
    def pulls(self) -> bool:
        return self.near.body is not self.far.body or self.near.is_moving or self.far.is_moving

    @property
    def rate(self) -> Expr:
        """The time derivative of the length."""
        rates = self.components.diff(dynamicsymbols._t)
        return sum(x * v for x, v in zip(self.components, rates, strict=True)) / self.length


class MusclePathway(PathwayBase):
    """The path of a muscle through points, for actuators of sympy.

    Parameters
    ==========

    muscle : Muscle
        A muscle of a model of `read_osim` that wraps over nothing; ``muscle.pathway`` is this.

    Attributes
    ==========

    attachments : tuple of 2 Point
        The ends of the muscle.
    points : tuple of Point
        All of its points.

    Raises
    ======

    ValueError
        If the muscle has no model, wraps over a surface, or has a point that moves in a body with
        a coordinate that is no angle of a pin: lengths, moment arms and loads of such a
        muscle are had by `MuscleGeometry` and `MuscleDriven`.

    See Also
    ========

    Muscle.pathway : The usual way to it.
    MuscleGeometry : Lengths and moment arms of all muscles, as numbers.
    sympy.physics.mechanics.pathway.ObstacleSetPathway : Sympy's own, through fixed points.

    Notes
    =====

    A point that counts only while a coordinate is within a range is there as a factor of the pieces
    that lead to it, 1 or 0, and so are those around it that would go past it.  Such a factor is
    printed as a ``Staircase`` of that coordinate; ``.rewrite(Piecewise)`` makes a Piecewise of it.

    A point that moves in its body is guided there by what the model has no body for (the
    kneecap): its force acts on the body's material point at that place, and the work of its
    motion is done by a couple between the two bodies of the joint that moves it, so that
    generalized forces are the tension times minus the derivative of the length.

    Examples
    ========

    A soleus by De Groote et al. in a model of gait, with a rigid tendon:

    >>> import jointwrench as jw
    >>> from sympy.physics.biomechanics import FirstOrderActivationDeGroote2016
    >>> from sympy.physics.biomechanics import MusculotendonDeGroote2016
    >>> model = jw.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> muscle = model.muscles["soleus_r"]
    >>> muscle.pathway
    MusclePathway(soleus_r/soleus_r-P1, soleus_r/soleus_r-P2)
    >>> soleus = MusculotendonDeGroote2016.with_defaults("soleus", muscle.pathway,
    ...     FirstOrderActivationDeGroote2016.with_defaults("soleus"),
    ...     tendon_slack_length=muscle.tendon_slack_length,
    ...     peak_isometric_force=muscle.maximal_isometric_force,
    ...     optimal_fiber_length=muscle.optimal_fiber_length,
    ...     maximal_fiber_velocity=10, optimal_pennation_angle=muscle.pennation_angle)
    >>> model.system.add_actuators(soleus)
    >>> idyn = model.inverse_dynamics()
    >>> [*idyn.specifieds]
    [a_soleus(t)]
    """

    def __init__(self, muscle: Any) -> None:
        anchors = muscle.anchors
        if anchors is None:
            raise ValueError(f"`muscle` must be one of a model of read_osim, got {muscle.name}.")
        if over := [wrap.over.name for wrap in muscle.wraps if wrap.over.is_active]:
            raise ValueError(
                f"`muscle` must have a path through points alone, got {muscle.name}, which wraps "
                f"over {', '.join(over)}. Use MuscleGeometry(model) for its length and moment "
                f"arms, and MuscleDriven(model, ['{muscle.name}']) for it as a load."
            )
        self._name, self._anchors = muscle.name, anchors
        self._nodes = tuple(self._node(muscle, k) for k in range(len(muscle.points)))
        self._guides = {node: [*self._guides_of(node)] for node in self._nodes if node.is_moving}
        super().__init__(self.points[0], self.points[-1])

    @property
    def points(self) -> tuple[Point, ...]:
        """All points of the path.

        See Also
        ========

        MusclePathway.attachments : The ends.

        Examples
        ========

        >>> import jointwrench as jw
        >>> model = jw.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> len(model.muscles["gastroc_r"].pathway.points)
        3
        """
        return tuple(node.point for node in self._nodes)

    @property
    def length(self) -> Expr:
        """The length as a formula of the coordinates."""
        return sum((piece.presence * piece.length for piece in self._pieces), S.Zero)

    @property
    def extension_velocity(self) -> Expr:
        """The time derivative of the length, by those of the coordinates; positive: it grows."""
        moving = (piece for piece in self._pieces if piece.pulls)
        return sum((piece.presence * piece.rate for piece in moving), S.Zero)

    def to_loads(self, force: Expr) -> list[LoadBase]:
        """Return what a force along the path does to the bodies.

        Parameters
        ==========

        force : Expr
            Positive where it pushes the ends apart, as for all pathways of sympy; the force of a
            muscle that pulls is negative.

        Returns
        =======

        list of Force and Torque

        See Also
        ========

        sympy.physics.mechanics.actuator.ForceActuator : Calls it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import Symbol
        >>> model = jw.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> loads = model.muscles["soleus_r"].pathway.to_loads(-Symbol("tension"))
        >>> [load.location for load in loads]
        [soleus_r/soleus_r-P1, soleus_r/soleus_r-P2]
        """
        loads: list[LoadBase] = []
        for piece in self._pieces:
            if piece.pulls:
                push = _along(piece.components, piece.frame) * (
                    force * piece.presence / piece.length
                )
                loads += self._loads(piece.near, -push)
                loads += self._loads(piece.far, push)
        return loads

    @cached_property
    def _pieces(self) -> tuple[_Piece, ...]:
        return tuple(self._all_pieces())

    def _all_pieces(self) -> Iterator[_Piece]:
        """Yield the pieces between points that may be neighbours."""
        for k, near in enumerate(self._nodes):
            presence = near.presence
            for far in self._nodes[k + 1 :]:
                own, others = _components(near, far), presence * far.presence
                if others != 0:
                    yield _Piece(near, far, own, others)
                presence *= 1 - far.presence
                if presence == 0:
                    break

    def _node(self, muscle: Any, k: int) -> _Node:
        own = muscle.points[k]
        body, origin = self._anchors.bodies[own.body], self._anchors.origins[own.body]
        name = f"{muscle.name}/{own.name}"
        if own.is_moving:
            point = origin.locatenew(name, _along(own.location, body.frame))
        else:
            point = self._anchors.add_point(name, body, own.location)
        return _Node(point, body, own.location, _presence(own.condition), own.is_moving)

    def _loads(self, node: _Node, push: Vector) -> Iterator[LoadBase]:
        """Yield what a force at a point does to bodies."""
        if not node.is_moving:
            yield Force(node.point, push)
            return
        frame = node.body.frame
        own = vector_components(push, frame)
        place = Matrix(node.location)
        yield Force(self._anchors.origins[node.body.name], _along(own, frame))
        yield Torque(frame, _along(place.cross(own), frame))
        for joint, slope, turn in self._guides[node]:
            couple = (own.dot(slope) / turn.dot(turn)) * turn
            moment = _along(couple, joint.parent_interframe)
            yield Torque(joint.child.frame, moment)
            yield Torque(joint.parent.frame, -moment)

    def _guides_of(self, node: _Node) -> Iterator[tuple[Joint, Matrix, Matrix]]:
        """Yield the joints that move a point in its body: how much, and by which turn.

        Both per unit of the joint's speed: a velocity in the body's frame, an angular velocity in
        that of the joint's place on its parent.
        """
        place = Matrix(node.location)
        for joint in self._anchors.joints:
            moving = [q for q in joint.coordinates if place.has(q)]
            if not moving:
                continue
            spin = joint.child_interframe.ang_vel_in(joint.parent_interframe)
            turn = vector_components(spin, joint.parent_interframe).diff(joint.speeds[0])
            if len(joint.coordinates) > 1 or turn.is_zero_matrix:
                raise ValueError(
                    f"`muscle` must have points that move with the angle of a joint alone, got "
                    f"{node.point}, which moves with {moving[0]}. Use MuscleGeometry(model) for "
                    f"its length and moment arms, and MuscleDriven(model, ['{self._name}']) for "
                    "it as a load."
                )
            yield joint, place.diff(moving[0]), turn


def _components(near: _Node, far: _Node) -> Matrix:
    """Return what leads from one point to another, in the first one's body's frame."""
    if near.body is far.body:
        return Matrix(far.location) - Matrix(near.location)
    return position_components(far.point, near.point, near.body.frame)


def _presence(condition: Any) -> Expr:
    """Return 1 while a condition holds, else 0."""
    if condition is None:
        return S.One
    ends = condition.least - BESIDE_RANGE, condition.most + BESIDE_RANGE
    low, high = map(Float, ends)
    return Staircase(condition.formula, S.Zero, low, S.One, high, S.Zero)


def _along(components: Any, frame: ReferenceFrame) -> Vector:
    """Return the vector with components in a frame."""
    return Vector([(ImmutableMatrix(components), frame)])
