"""Deduction of the loop joints and contacts of a KanesMethod from its constraint equations.

The equations are evaluated at an assembled state.  An equation acts on a body at a point if it
prevents the motion of the body's material at this point along some direction, relative to ground or
to another body.  Equations that prevent all motion of a point make a joint or a rolling contact;
each further equation makes a contact along its direction.  The result is used only if every
equation has exactly one explanation; otherwise the doubts are reported.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Matrix, Symbol, nan
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point, Vector
from sympy.physics.vector.printing import vsstrrepr

from ....checks.tolerances import ROUNDING
from ...adapters.private_sympy import forget_position
from ...arithmetic.derivatives import cheapest_jacobian
from ...arithmetic.digits import UndecidableError
from ...arithmetic.generic_state import ZERO, GenericState, find_unspanned, is_decidable, rank
from ...arithmetic.graph import Scalar, replace_inputs
from ...arithmetic.vectors import Vec
from ...mechanism.contact import Contact
from ...mechanism.deduced_structure import ConstraintSites, DeducedLoops
from ...mechanism.loads import LinkIndex
from ...mechanism.loop_connection import LoopConnection
from ...mechanism.loop_joint import LoopJoint
from ...mechanism.reading.ground import position_from_origin
from ...mechanism.reading.kinematics_check import stated_velocity
from ...mechanism.reading.loop_reader import read_closings
from ...mechanism.reading.owners import Owners
from ...mechanism.tree import TopologyError, Tree
from ...spatial.components import vector_of
from ...spatial.paths import connected_points
from ...sympy_objects import Body, is_particle
from ..recursion.scalar_tree import ScalarTree
from .assembled import assembled_state, binding_equations, described
from .constraint_errors import time_derivatives


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A point of a body, or of ground, with the body's motion at the assembled state.

    Vectors have three rows of components along the inertial axes.  Velocities have a column of
    coefficients for each speed, and a last column for the prescribed part.

    Attributes
    ==========

    body : Body
        The body, or the body that represents ground.
    point : Point or None
        The point; None is the origin of the link or of ground.
    arm : numpy.ndarray
        The position from the body's mass centre.
    place : numpy.ndarray
        The position from the ground origin.
    velocity : numpy.ndarray
        The velocity of the body's material at the point, relative to ground.
    spin : numpy.ndarray
        The angular velocity of the body, relative to ground.
    """

    body: Body
    point: Point | None
    arm: np.ndarray
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


@dataclass(frozen=True, eq=False)
class PointPair:
    """A point of a child body and the coinciding point of a parent body or of ground.

    Constraints may fix one in the other.  The parent's point may be the ground origin, if the model
    has no point of ground there.
    """

    parent: BodyPoint
    child: BodyPoint

    @cached_property
    def velocity(self) -> np.ndarray:
        """The velocity of the child's point relative to the parent's, along the inertial axes."""
        return self.child.velocity - self.parent.velocity

    def is_between(self, other: "PointPair") -> bool:
        """Whether another pair has an equal parent and an equal child."""
        return self.parent.body is other.parent.body and self.child.body is other.child.body

    def is_at(self, other: "PointPair") -> bool:
        """Whether another pair has equal bodies and an equal point of the child."""
        return self.is_between(other) and _are_zero(self.child.arm - other.child.arm)


class LineForce(NamedTuple):
    """A possible constraint force at a pair of points.

    Attributes
    ==========

    pair : PointPair
        The points of action.
    along : Vector
        The direction.
    components : numpy.ndarray
        The components of the direction along the inertial axes.
    is_of_child : bool
        Whether the direction is an axis of a frame fixed in the child.
    """

    pair: PointPair
    along: Vector
    components: np.ndarray
    is_of_child: bool

    def is_same_as(self, other: "LineForce") -> bool:
        """Whether another force acts between equal bodies along an equal line of action."""
        apart = self.pair.child.arm - other.pair.child.arm
        return self.pair.is_between(other.pair) and all(
            _are_zero(np.cross(self.components, x)) for x in (other.components, apart)
        )


def with_deduced_loops(tree: ScalarTree, sites: ConstraintSites) -> Tree:
    """Return a tree with the deduced loop joints and contacts, or with the doubts about them.

    The direction of a contact's force is an axis of a frame, if possible, else the direction along
    which the equation restricts the point.
    """
    model = tree.symbolic
    assert model.deduced is not None
    try:
        state = assembled_state(tree)
    except TopologyError:  # the equations must suffice at any pose
        state = GenericState(tree.graph)
    try:
        closed = state.decide(lambda some: _Equations(tree, sites, some).loops())
    except UndecidableError:  # undecidable even with many digits
        closed = DeducedLoops()
    is_whole = closed.loops and not closed.doubts
    closings = read_closings(model, closed.loops) if is_whole else ()
    return replace(
        model,
        deduced=model.deduced._replace(closed=closed, sites=None),
        constraints=replace(model.constraints, closings=closings),
    )


class _Equations:
    """The model's constraint equations at a state, and the pairs of points at which they may act.

    Each equation is a row of coefficients of the speeds, with the prescribed part last.
    """

    def __init__(self, tree: ScalarTree, sites: ConstraintSites, state: GenericState) -> None:
        self._tree, self._model, self._state = tree, tree.symbolic, state
        self._owners, self._frames = Owners(self._model), sites.frames
        ground = self._model.ground_origin, self._model.frame
        self._ground = next(
            (x for x in self._model.ground if (x.masscenter, getattr(x, "frame", None)) == ground),
            RigidBody("ground", *ground),
        )
        self._around = {*connected_points(self._ground.masscenter)}
        points = {**sites.points}
        still = [x for x in points.pop(self._model.frame, ()) if x in self._around]
        self._points: dict[Body, Sequence[Point]] = {self._ground: still, **points}
        self._index = {**self._model.index_of_body, self._ground: None}
        self._loops, self._written, self._doubts = list[LoopConnection](), list[str](), list[str]()
        constraints, graph = self._model.constraints, tree.graph
        equations = self._linear([graph.scalar(x) for x in constraints.velocity])
        self._named = binding_equations(tree, equations.tolist())
        self._rows = np.array([row for _, row in self._named], object)
        positions = [graph.scalar(x) for x in constraints.position]
        self._slopes = self._linear(time_derivatives(tree).of(positions))
        self._origins = self._origin_motions()
        self._codes = dict[Point, str]()
        self._pairs = [*self._find_pairs()]
        is_named = any(_spans(self._rows, x.velocity) for x in self._pairs)
        if positions and len(self._rows) and not is_named:
            self._add_unnamed_points(positions)

    # -- numbers at the state, along the inertial axes ------------------------------------

    def _linear(self, scalars: Sequence[Scalar]) -> np.ndarray:
        """Return a row for each scalar: the coefficients of the speeds, then the constant part."""
        graph, speeds, state = self._tree.graph, self._model.speeds, self._state
        if not scalars:
            return np.empty((0, len(speeds) + 1), object)
        rest = replace_inputs(scalars, dict.fromkeys(speeds, graph.scalar(0)))
        rows = state.rows(cheapest_jacobian(graph, scalars, speeds))
        return np.column_stack([np.array(rows, object), np.array(state.of(rest))])

    def _vector(self, vector: Vec) -> np.ndarray:
        return np.array(self._state.of(vector.components), object)

    def _components(self, vector: Vector) -> np.ndarray:
        return self._vector(self._tree.express(self._owners.parts(vector), None))

    def _origin_motions(self) -> dict[LinkIndex, BodyPoint]:
        """Return the origin of each link with its motion, by the link's index; None is ground.

        The recursion runs from ground to the outer links: a link's motion is its inner link's
        motion and the motion of the joint between them.
        """
        tree, links, places = self._tree, self._model.links, self._model.constraints.ground_points

        def turned(components: Any, link: LinkIndex) -> Vec:
            return tree.rotate(Vec.enter(tree.graph, components), link, None)

        motions = list[Vec]()
        for index, link in enumerate(links):
            motions.append(turned(link.motion.offset_velocity, link.inner))
            motions.append(turned(link.motion.angular_velocity, index))
        own = self._linear([x for vector in motions for x in vector.components])
        own = own.reshape(len(links), 2, 3, -1)
        still, here = np.full(own.shape[-2:], ZERO), np.full(3, ZERO)
        found: dict[LinkIndex, BodyPoint] = {
            None: BodyPoint(self._ground, None, here, here, still, still)
        }
        for index, (link, (shift, spin)) in enumerate(zip(links, own, strict=True)):
            inner = found[link.inner]
            from_ground = turned(places.get(index, [nan] * 3), None)
            place = self._vector(from_ground) if link.inner is None else inner.place
            step = self._vector(tree.rotate(tree.transforms[index].arm, link.inner, None))
            velocity = inner.velocity + _cross_columns(inner.spin, step) + shift
            arm = self._vector(turned(-link.masscenter, index))
            found[index] = BodyPoint(
                link.body, None, arm, place + step, velocity, inner.spin + spin
            )
        return found

    # -- pairs of points -------------------------------------------------------------------

    def _find_pairs(self) -> Iterator[PointPair]:
        """Yield the pairs of each body's points with ground, and of points that coincide."""
        # Floats preselect the points that coincide, because exact digits take long for many pairs.
        points = [self._body_point(body, x) for body, own in self._points.items() for x in own]
        floats = np.array([[complex(y.value) for y in x.place] for x in points])
        apart = abs(floats[:, None] - floats).max(axis=2)
        near = np.argwhere(apart <= ROUNDING * np.nanmax(abs(floats), initial=0))
        pairs = [(points[a], points[b]) for a, b in near if a < b]
        pairs = [(a, b) for a, b in pairs if a.body is not b.body and _are_zero(a.place - b.place)]
        ground, still = self._ground, self._origins[None]
        met = {b: a for a, b in reversed(pairs) if a.body is ground}
        found = [PointPair(met.get(x, still), x) for x in points if x.body is not ground]
        between = ((a, b) for a, b in pairs if a.body is not ground)
        found += [PointPair(a, b) if _has_frame(a.body) else PointPair(b, a) for a, b in between]
        for pair in found:
            can_act = _has_frame(pair.child.body) or _are_zero(pair.child.arm)
            if can_act and _has_frame(pair.parent.body) and not _are_zero(pair.velocity):
                yield pair

    def _body_point(self, body: Body, point: Point) -> BodyPoint:
        """Return a point of a body with its motion, from the motion of the link's origin."""
        origin = self._origins[self._index[body]]
        arm = self._components(position_from_origin(point, body.masscenter))
        step = arm - origin.arm
        velocity = origin.velocity + _cross_columns(origin.spin, step)
        return replace(origin, point=point, arm=arm, place=origin.place + step, velocity=velocity)

    def _add_unnamed_points(self, positions: Sequence[Scalar]) -> None:
        """Add points of two bodies at the joint that equations describe without naming its point.

        Nothing is added if the joint or the lengths to it are not unique.
        """
        from .unnamed_points import BodyPose, as_lengths, joint_point

        def numbers(values: Any) -> np.ndarray:
            return np.array([[complex(x.value).real for x in row] for row in np.atleast_2d(values)])

        origins = [x for x in self._origins.values() if _has_frame(x.body)]
        bodies = []
        for x in origins:
            axes = np.array([self._components(axis) for axis in x.body.frame]).T
            center = x if x.body is self._ground else self._body_point(x.body, x.body.masscenter)
            parts = center.place, axes, center.velocity[:, :-1], center.spin[:, :-1]
            place, *others = map(numbers, parts)
            bodies.append(BodyPose(place[0], *others))
        inputs = self._tree.graph.inputs_of([x.ref for x in positions])
        symbols = [x for x in inputs if isinstance(x, Symbol)]
        values = self._state.of(map(self._tree.graph.scalar, symbols))
        constants = {x: complex(y.value).real for x, y in zip(symbols, values, strict=True)}
        if not (found := joint_point(numbers(self._rows)[:, :-1], bodies)):
            return
        *ends, place = found
        for k in ends:
            body, own = origins[k].body, bodies[k]
            lengths = as_lengths(own.turn.T @ (place - own.center), constants)
            if lengths is None:
                return
            arm = vector_of(lengths, body.frame)
            point = body.masscenter.locatenew(f"{body}_end", arm)
            self._codes[point] = vsstrrepr(arm)
            self._points[body] = [*self._points[body], point]
        self._pairs = [*self._find_pairs()]

    # -- deduction ------------------------------------------------------------------------

    def loops(self) -> DeducedLoops:
        """Return the loop joints and contacts that explain all equations, with the doubts."""
        # First come the points whose motion is prevented in all directions, if these are at least
        # two. A point is skipped if the points chosen before it imply that it does not move. A
        # choice is doubtful if a rival exists: another point that can replace the chosen point.
        # The equations that remain are forces along single directions.
        meeting = [x for x in self._pairs if _spans(self._rows, x.velocity)]
        meeting = [x for x in meeting if _rank(x.velocity) > 1]
        known, chosen = self._rows[:0], list[PointPair]()
        for pair in meeting:
            if not _spans(known, pair.velocity):
                chosen.append(pair)
                known = np.vstack([known, pair.velocity])
        for pair in chosen:
            rest = [x.velocity for x in chosen if x is not pair]
            others = [x for x in meeting if not x.is_at(pair)]
            rivals = [x for x in others if _spans(np.vstack([*rest, x.velocity]), known)]
            self._doubt("a constraint", [pair, *rivals])
            self._add_joint_or_contact(pair)
        contacts: dict[PointPair, list[Vector]] = {}
        for (equation, _), row in zip(self._named, self._rows, strict=True):
            if not _spans(known, row[None]):
                forces = self._line_forces(equation, row[None])
                self._doubt(described(equation), [x.pair for x in forces])
                for force in forces[:1]:
                    contacts.setdefault(force.pair, []).append(force.along)
                    known = np.vstack([known, row])
        for pair, directions in contacts.items():
            self._add_loop(Contact, pair, pair.child.point, directions)
        for point in self._codes if self._doubts else ():
            forget_position(point)
        return DeducedLoops(tuple(self._loops), tuple(self._written), tuple(self._doubts))

    def _doubt(self, what: str, found: Sequence[PointPair]) -> None:
        """Add a doubt about ``what`` unless exactly one pair of points was found for it."""
        if not found:
            self._doubts.append(f"{what} acts at no point that the model names")
        elif len(found) > 1:
            where = (f"{x.child.body} at {x.child.point} (by {x.parent.body})" for x in found)
            self._doubts.append(f"{what} could act on {' or '.join(where)}")

    def _line_forces(self, equation: Expr | str, row: np.ndarray) -> list[LineForce]:
        """Return the possible forces of an equation, one for each line of action and two bodies.

        Forces along axes of the child are preferred to all other forces.  An equation that only
        prevents a relative rotation has a moment and no force.
        """
        turning = [origin.spin for origin in self._origins.values() if _has_frame(origin.body)]
        if any(_spans(one - other, row) for one, other in combinations(turning, 2)):
            return []  # a moment
        found = list[LineForce]()
        for pair in (x for x in self._pairs if _spans(x.velocity, row)):
            for along, is_of_child in self._directions(pair, equation):
                force = LineForce(pair, along, self._components(along), is_of_child)
                moved = (force.components @ pair.velocity)[None]
                if not _are_zero(moved) and _spans(row, moved):
                    if not any(map(force.is_same_as, found)):
                        found.append(force)
                    break
        return [force for force in found if force.is_of_child] or found

    def _directions(self, pair: PointPair, equation: Expr | str) -> Iterator[tuple[Vector, bool]]:
        """Yield the directions that a force may have, and whether each is an axis of the child.

        Candidates are the axes of all frames.  Relative to ground, further candidates are the
        direction that follows from the equation, for a mass centre, and the lines from points of
        ground, for equations of distances.
        """
        own = self._frames.get(pair.child.body, ())
        rest = pair.parent.body.frame, *chain(*self._frames.values())
        for frame in dict.fromkeys([*own, *rest]):
            yield from ((axis, frame in own) for axis in frame)
        if pair.parent.body is self._ground:
            if isinstance(equation, Expr) and _are_zero(pair.child.arm):
                yield self._direction(pair, equation), False
            for origin in self._points[self._ground] if pair.child.point in self._around else ():
                yield position_from_origin(pair.child.point, origin), False

    def _direction(self, pair: PointPair, equation: Expr) -> Vector:
        """Return the direction of an equation's force on a mass centre, as a vector of sympy.

        The caller must check it.
        """
        # The direction n satisfies n . v_k = c_k with the partial velocities v_k of the mass centre
        # and the coefficients c_k of the equation. The shortest independent v_k determine n; the
        # further v_k then confirm it. Without further ones any equation has a solution n, so only
        # the sum of all c_k v_k is tried, which is n for orthonormal v_k.
        model, columns = self._model, pair.velocity.T[:-1]
        row = model.derivative.in_speeds(Matrix([equation]))[0]
        velocity = stated_velocity(pair.child.body.masscenter, model.frame)
        partial = [velocity.diff(u, model.frame, var_in_dcm=False) for u in model.speeds]
        moving = [k for k, column in enumerate(columns) if not _are_zero(column)]
        chosen = list[int]()
        for k in sorted(moving, key=lambda k: len(str(partial[k]))):
            if _rank(columns[[*chosen, k]]) > len(chosen):
                chosen.append(k)
        shares = Matrix([row.diff(model.speeds[k]) for k in chosen])
        if len(chosen) < len(moving):
            shares = Matrix([[partial[i].dot(partial[k]) for i in chosen] for k in chosen]).LUsolve(
                shares
            )
        return sum((x * partial[k] for x, k in zip(shares, chosen, strict=True)), Vector(0))

    # -- joints and contacts --------------------------------------------------------------

    def _add_loop(
        self, make: Callable[..., LoopConnection], pair: PointPair, *arguments: Any
    ) -> None:
        """Add a loop joint or contact, and the code that makes it, for messages."""

        def code(x: Any) -> str:
            if x is self._ground and x not in self._model.ground:
                return f'RigidBody("ground", {x.masscenter}, {x.frame})'
            if isinstance(x, Point):
                return self._codes.get(x, str(x))
            return f'"{x}"' if isinstance(x, str) else str(x)

        parent, child = pair.parent.body, pair.child.body
        every = f"{child} on {parent} at {pair.child.point}", parent, child, *arguments
        self._written.append(f"{make.__name__}({', '.join(map(code, every))})")
        self._loops.append(make(*every))

    def _add_joint_or_contact(self, pair: PointPair) -> None:
        """Add the joint or rolling contact of a pair of points without relative velocity.

        It is a joint if the position equations imply this, else a rolling contact.
        """
        if pair.parent.point is None or not _spans(self._slopes, pair.velocity):
            axes = list(pair.parent.body.frame)
            moving = [x for x in axes if not _are_zero(self._components(x) @ pair.velocity)]
            is_whole = len(moving) == _rank(pair.velocity)
            self._add_loop(Contact, pair, pair.child.point, moving if is_whole else axes)
            return
        axis = self._axis(pair)
        kind = "spherical" if axis is None else "pin"
        self._add_loop(LoopJoint, pair, kind, pair.parent.point, pair.child.point, None, None, axis)

    def _axis(self, pair: PointPair) -> Vector | None:
        """Return the only axis of relative rotation, if it is an axis of both bodies, else None."""
        spin = pair.child.spin - pair.parent.spin
        if not _has_frame(pair.child.body) or _rank(spin) != 1:
            return None
        for axis, other in zip(pair.parent.body.frame, pair.child.body.frame, strict=True):
            one, another = self._components(axis), self._components(other)
            if _are_zero(_cross_columns(spin, one)) and _are_zero(one - another):
                return axis
        return None


def _has_frame(body: Body) -> bool:
    """Whether a body has a frame: whether it is no particle."""
    return not is_particle(body)


def _cross_columns(spin: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return the cross product ``spin x arm`` for each column of ``spin``."""
    return np.cross(spin.T, arm).T


def _are_zero(values: np.ndarray) -> bool:
    return all(x.is_zero for x in values.flat)


def _rank(rows: np.ndarray) -> int:
    return rank(rows.tolist())


def _spans(rows: np.ndarray, others: np.ndarray) -> bool:
    """Whether all rows ``others`` are proven to be combinations of ``rows``."""
    # An entry in a column in which no row has an entry refutes it without computing a rank.
    used = {k for row in rows for k, x in enumerate(row) if not x.is_exact_zero}
    if any(k not in used and not x.is_zero for row in others for k, x in enumerate(row)):
        return False
    return is_decidable([*rows, *others]) and not find_unspanned(rows.tolist(), others.tolist())
