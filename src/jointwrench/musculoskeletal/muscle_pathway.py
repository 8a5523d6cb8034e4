"""`MusclePathway`: the path of a muscle as a pathway of sympy, for its actuators."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from sympy import Expr, Float, Matrix, S, sqrt
from sympy.physics.mechanics import Force, PathwayBase, RigidBody, Torque
from sympy.physics.mechanics.joint import Joint
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ..checks.pickles import Pickled
from ..extend import Staircase, check_real, position_components, vector_components, vector_of
from .round_string import RoundString, can_be_formula, choose, round_string


@dataclass(frozen=True, eq=False)
class MuscleAnchors:
    """The bodies and joints of muscles; ``add_point`` makes a named point in a body."""

    bodies: Mapping[str, RigidBody]
    origins: Mapping[str, Point]
    joints: Sequence[Joint]
    add_point: Callable[[str, RigidBody, Sequence[Expr]], Point]


@dataclass(frozen=True, eq=False)
class _Node:
    """A point of the path: its position in its body's frame, and 1 while it is active, else 0."""

    point: Point
    body: RigidBody
    location: tuple[Expr, Expr, Expr]
    presence: Expr
    is_moving: bool


@dataclass(frozen=True, eq=False)
class _Piece:
    """A straight piece between points, in the first one's frame; no load within one body."""

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

    def pushes(self, force: Expr) -> tuple[Vector, Vector]:
        """The loads of a force along the piece on its ends, positive where it pushes them apart."""
        push = vector_of(self.components, self.frame) * (force * self.presence / self.length)
        return -push, push

    @property
    def rate(self) -> Expr:
        """The time derivative of the length."""
        rates = self.components.diff(dynamicsymbols._t)
        return sum(x * v for x, v in zip(self.components, rates, strict=True)) / self.length


@dataclass(frozen=True, eq=False)
class _Over:
    """A piece between two points in a surface's frame; ``touches`` is 1 on the surface, else 0."""

    near: _Node
    far: _Node
    body: RigidBody
    turn: Matrix
    shift: Matrix
    places: tuple[Matrix, Matrix]
    string: RoundString
    touches: Expr

    presence, pulls = S.One, True

    @property
    def frame(self) -> ReferenceFrame:
        return self.body.frame

    @cached_property
    def length(self) -> Expr:
        return choose(self.touches, self.string.length, self._straight)

    @property
    def rate(self) -> Expr:
        """The time derivative of the length; the contact points' motion does not contribute."""
        rates = (place.diff(dynamicsymbols._t) for place in self.places)
        return sum(end.dot(rate) for end, rate in zip(self.ends, rates, strict=True))

    @cached_property
    def ends(self) -> tuple[Matrix, Matrix]:
        """Unit vectors along the string at its ends, outwards, in the surface's frame."""
        start, end = self.places
        along = (end - start) / self._straight
        pairs = ((self.string.first, -along), (self.string.last, along))
        first, last = (
            Matrix([choose(self.touches, x, y) for x, y in zip(*pair, strict=True)])
            for pair in pairs
        )
        return first, last

    @cached_property
    def _straight(self) -> Expr:
        start, end = self.places
        return sqrt(sum(x**2 for x in end - start))

    def pushes(self, force: Expr) -> tuple[Vector, Vector]:
        first, last = (vector_of(force * (self.turn * end), self.frame) for end in self.ends)
        return first, last

    def on_surface(self, force: Expr) -> tuple[Vector, Vector]:
        """The load of the string on the surface: force, and moment about the body's origin."""
        forces = [-force * (self.turn * end) for end in (self.string.first, self.string.last)]
        arms = [self.shift + self.turn * place for place in self.places]
        moments = [arm.cross(own) for arm, own in zip(arms, forces, strict=True)]
        push, moment = (
            (one + other).applyfunc(lambda x: choose(self.touches, x, S.Zero))
            for one, other in (forces, moments)
        )
        return vector_of(push, self.frame), vector_of(moment, self.frame)


def _only_wrap(muscle: Any) -> Any:
    """Return the surface over which a muscle wraps, if the path has a formula; None for none."""
    wraps = [wrap for wrap in muscle.wraps if wrap.over.is_active]
    if not wraps:
        return None
    (wrap, *others), points = wraps, muscle.points
    is_plain = all(point.condition is None and not point.is_moving for point in points)
    if others or not is_plain or not can_be_formula(wrap.over.surface, wrap.last - wrap.first):
        over = ", ".join(wrap.over.name for wrap in wraps)
        raise ValueError(
            "`muscle` must have a path through points, or through fixed ones and around one "
            f"cylinder or sphere, got {muscle.name}, which wraps over {over}. Use "
            "MuscleGeometry(model) for its length and moment arms, and MuscleDriven(model, "
            f"['{muscle.name}']) for it as a load."
        )
    return wrap


class MusclePathway(Pickled, PathwayBase):
    """The path of a muscle through points or round a cylinder or sphere, for actuators of sympy.

    Parameters
    ==========

    muscle : Muscle
        A muscle of a model of `read_osim`; ``muscle.pathway`` is its pathway.  Its points are
        fixed, active in a range only, or moving; or they are fixed and it wraps over one cylinder
        or sphere whose sides are all active.

    Attributes
    ==========

    attachments : tuple of 2 Point
        The ends of the muscle.
    points : tuple of Point
        All of its points.

    Raises
    ======

    ValueError
        If the muscle has no model, wraps otherwise, or has a point that moves in a body with a
        coordinate that is not the angle of a pin.  Use `MuscleGeometry` and `MuscleDriven` for the
        lengths, moment arms and loads of such a muscle.

    See Also
    ========

    MuscleGeometry : Lengths and moment arms of all muscles, as numbers.
    sympy.physics.mechanics.pathway.ObstacleSetPathway : Sympy's own, through fixed points.

    Notes
    =====

    A point that is active only while a coordinate is within a range multiplies the pieces that lead
    to it, and those that bypass it, by a factor of 1 or 0.  Such a factor is printed as a
    ``Staircase`` of that coordinate; ``.rewrite(Piecewise)`` turns it into a Piecewise.

    Over a surface it is the shortest path, that of ``MuscleGeometry(model, geodesic=True)``;
    ``Gate(a, b, x, y)``, which is x where a > b, else y, chooses between pieces.  Such formulas are
    long: `InverseDynamics` shares their common parts; sympy's ``lambdify`` takes up to minutes for
    one path over several joints with splines, even with ``cse=True``.  (Sympy's own
    ``WrappingPathway`` is between points on the surface.)

    A point that moves in its body is guided by a part that is no body of the model (the kneecap).
    Its force acts on the body's material point at that position, and a couple between the two
    bodies of the joint that moves it does the work of its motion.  So the generalized forces are
    the tension times the negative derivative of the length.

    Examples
    ========

    As a musculotendon of sympy, see the page *Muscle forces and joint contact forces*:

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> model.muscles["soleus_r"].pathway
    MusclePathway(soleus_r/soleus_r-P1, soleus_r/soleus_r-P2)
    """

    def __init__(self, muscle: Any) -> None:
        anchors = getattr(muscle, "anchors", None)
        if anchors is None:
            raise ValueError(
                "`muscle` must be one of a model of read_osim, got "
                f"{getattr(muscle, 'name', muscle)}."
            )
        self._wrap = _only_wrap(muscle)
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
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
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
        """The time derivative of the length, positive where it grows."""
        moving = (piece for piece in self._pieces if piece.pulls)
        return sum((piece.presence * piece.rate for piece in moving), S.Zero)

    def to_loads(self, force: Expr) -> list[LoadBase]:
        """Return the loads of a ``force`` along the path, as sympy's Force and Torque.

        The force is positive where it pushes the ends apart, as for all pathways of sympy.

        See Also
        ========

        sympy.physics.mechanics.actuator.ForceActuator : Calls it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import Symbol
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> loads = model.muscles["soleus_r"].pathway.to_loads(-Symbol("tension"))
        >>> [load.location for load in loads]
        [soleus_r/soleus_r-P1, soleus_r/soleus_r-P2]
        """
        loads: list[LoadBase] = []
        force = check_real("force", force)
        for piece in self._pieces:
            if piece.pulls:
                first, last = piece.pushes(force)
                loads += self._loads(piece.near, first)
                loads += self._loads(piece.far, last)
            if isinstance(piece, _Over):
                push, moment = piece.on_surface(force)
                loads.append(Force(self._anchors.origins[piece.body.name], push))
                loads.append(Torque(piece.frame, moment))
        return loads

    @cached_property
    def _pieces(self) -> tuple["_Piece | _Over", ...]:
        """The pieces between points that may be neighbours."""
        return tuple(self._pieces_over(self._wrap) if self._wrap else self._straight_pieces())

    def _straight_pieces(self) -> Iterator["_Piece"]:
        for k, near in enumerate(self._nodes):
            presence = near.presence
            for far in self._nodes[k + 1 :]:
                own, others = _components(near, far), presence * far.presence
                if others != 0:
                    yield _Piece(near, far, own, others)
                presence *= 1 - far.presence
                if presence == 0:
                    break

    def _pieces_over(self, wrap: Any) -> Iterator["_Piece | _Over"]:
        """Yield the pieces of a path whose first piece that meets a surface goes round it."""
        over = wrap.over
        body, origin = self._anchors.bodies[over.body], self._anchors.origins[over.body]
        turn, shift = Matrix(over.rotation), Matrix(over.position)
        places = [
            turn.T * (position_components(node.point, origin, body.frame) - shift)
            for node in self._nodes
        ]
        is_open = S.One
        for k, (near, far) in enumerate(pairwise(self._nodes)):
            if not wrap.first <= k < wrap.last:
                yield _Piece(near, far, _components(near, far), S.One)
                continue
            string = round_string(over.surface, places[k], places[k + 1])
            touches = is_open * string.touches
            yield _Over(near, far, body, turn, shift, (places[k], places[k + 1]), string, touches)
            is_open *= 1 - string.touches

    def _node(self, muscle: Any, k: int) -> _Node:
        own = muscle.points[k]
        body, origin = self._anchors.bodies[own.body], self._anchors.origins[own.body]
        name = f"{muscle.name}/{own.name}"
        if own.is_moving:
            point = origin.locatenew(name, vector_of(own.location, body.frame))
        else:
            point = self._anchors.add_point(name, body, own.location)
        return _Node(point, body, own.location, _presence(own.condition), own.is_moving)

    def _loads(self, node: _Node, push: Vector) -> Iterator[LoadBase]:
        """Yield the loads of a force at a point on bodies."""
        if not node.is_moving:
            yield Force(node.point, push)
            return
        frame = node.body.frame
        own = vector_components(push, frame)
        place = Matrix(node.location)
        yield Force(self._anchors.origins[node.body.name], vector_of(own, frame))
        yield Torque(frame, vector_of(place.cross(own), frame))
        for joint, slope, turn in self._guides[node]:
            couple = (own.dot(slope) / turn.dot(turn)) * turn
            moment = vector_of(couple, joint.parent_interframe)
            yield Torque(joint.child.frame, moment)
            yield Torque(joint.parent.frame, -moment)

    def _guides_of(self, node: _Node) -> Iterator[tuple[Joint, Matrix, Matrix]]:
        """Yield joints that move a point in its body: velocity and rotation per unit of speed."""
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
    """Return the vector from one point to another, in the frame of the first one's body."""
    if near.body is far.body:
        return Matrix(far.location) - Matrix(near.location)
    return position_components(far.point, near.point, near.body.frame)


def _presence(condition: Any) -> Expr:
    """Return 1 while a condition holds, else 0."""
    if condition is None:
        return S.One
    low, high = map(Float, condition.ends)
    return Staircase(condition.formula, S.Zero, low, S.One, high, S.Zero)
