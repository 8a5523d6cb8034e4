"""`TreeBuilder`: assembles a System from bodies and joints."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sympy import Expr, Function, ImmutableMatrix, sympify
from sympy.physics.mechanics import Force, RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector, dynamicsymbols

from ..mechanics.arithmetic.latex import latex_name
from ..mechanics.mechanism.joint_kinds import FREEDOMS, KINDS
from ..mechanics.spatial.components import vector_of
from ..mechanics.spatial.paths import NearFrame, NearPoint
from ..mechanics.sympy_objects import Body, check_triple
from .ground_velocities import GroundVelocities


def joint_class(kind: Any) -> type[Joint]:
    """Return the joint class of a kind in `FREEDOMS`; a class is returned unchanged."""
    if kind == "quaternion":
        from .quaternion_joint import QuaternionJoint

        return QuaternionJoint
    if kind == "free":
        from .free_joint import FreeJoint

        return FreeJoint
    return KINDS.get(kind, kind)


def coordinate_count(kind: str) -> int:
    """Return the number of a joint's coordinates: its freedoms, and one more for quaternions."""
    return len(FREEDOMS[kind]) + (kind == "quaternion")


def joint_states(kind: Any, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Any, ...]:
    """Return coordinates and speeds as arguments of the joint's constructor."""
    if not q or not u:
        return ()
    if kind == "cylindrical":
        return (*q, *u)
    if kind == "planar":
        return q[0], q[1:], u[0], u[1:]
    return q, u


class Weight(Force):
    """The weight of a body, which follows later changes of the body's mass and mass centre."""

    # A Force is a tuple with fixed items: here its methods compute them from the body.

    _body: Body
    _acceleration: Vector
    _known: tuple[Any, Vector]

    def __new__(cls, body: Body, acceleration: Vector) -> "Weight":
        vector = body.mass * acceleration
        weight: Weight = super().__new__(cls, body.masscenter, vector)
        weight._body, weight._acceleration = body, acceleration
        weight._known = body.mass, vector
        return weight

    @property
    def location(self) -> Point:
        """The mass centre."""
        return self._body.masscenter

    @property
    def vector(self) -> Vector:
        """The mass times the acceleration of gravity."""
        mass = self._body.mass
        if mass is not self._known[0]:
            self._known = mass, mass * self._acceleration
        return self._known[1]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.location, self.vector))

    def __getitem__(self, key: Any) -> Any:
        return (self.location, self.vector)[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return Weight, (self._body, self._acceleration)


class TreeBuilder:
    """A builder of a ``System`` from bodies and joints.

    Positions of a body's mass centre and other points are from its origin, in its frame; ground's
    origin is its mass centre.  Joints are added outward from ground: one of their two bodies,
    parent or child, is ground or already connected.  Velocities of all points in ground are
    set, which saves sympy their derivation.  Speeds are new symbols or, with ``rates``, the
    derivatives of the coordinates.
    """

    def __init__(self, ground: RigidBody | None = None, rates: bool = False) -> None:
        self._has_rates = rates
        self.ground = ground or fixed_body()
        self.bodies: dict[str, RigidBody] = {}
        self.joints: dict[str, Joint] = {}
        self.origins = {self.ground: self.ground.masscenter}
        self._points: dict[RigidBody, list[Point]] = {self.ground: []}
        self._velocities = GroundVelocities(self.ground)

    @property
    def coordinates(self) -> dict[str, Expr]:
        """The generalized coordinates by name, in the order of the system."""
        return {q.name: q for joint in self.joints.values() for q in joint.coordinates}

    @property
    def speeds(self) -> dict[str, Expr]:
        """The generalized speeds by name, in the order of the system."""
        return {u.name: u for joint in self.joints.values() for u in joint.speeds}

    def add_body(
        self,
        name: str,
        mass: Any = 0,
        center: Vector | Sequence[Any] = (0, 0, 0),
        inertia: Dyadic | Sequence[Any] = (0, 0, 0, 0, 0, 0),
        frame: ReferenceFrame | None = None,
        point_names: tuple[str, str] | None = None,
        kind: type[RigidBody] = RigidBody,
    ) -> RigidBody:
        """Return a new body, which is not connected yet.

        ``center`` is from the origin in the body's frame; the inertia is about the mass centre, a
        Dyadic or its elements xx, yy, zz, xy, yz, zx; a user's frame must not be oriented yet.
        ``point_names`` are the names of origin and mass centre.
        """
        frame = frame or named_frame(name)
        names = point_names or (f"{name}_origin", f"{name}_masscenter")
        origin, masscenter = NearPoint(names[0]), NearPoint(names[1])
        masscenter.set_pos(origin, vector_of(center, frame))
        origin.set_vel(frame, 0)
        masscenter.set_vel(frame, 0)
        if not isinstance(inertia, Dyadic):
            inertia = inertia_dyadic(frame, inertia)
        body = kind(name, masscenter, frame, mass, (inertia, masscenter))
        self.bodies[name] = body
        self.origins[body], self._points[body] = origin, [origin, masscenter]
        return body

    def add_point(self, name: str, body: RigidBody, position: Vector | Sequence[Any]) -> Point:
        """Return a new point, fixed in a body at a position from its origin, in its frame."""
        point = NearPoint(name)
        point.set_pos(self.origins[body], vector_of(position, body.frame))
        point.set_vel(body.frame, 0)
        self._points[body].append(point)
        if self._velocities.has(body):
            self._velocities.set_velocity(point, body)
        return point

    def add_joint(
        self,
        kind: Any,
        name: str,
        parent: RigidBody,
        child: RigidBody,
        q: Sequence[str] = (),
        u: Sequence[str] = (),
        axis: Sequence[Any] | None = None,
        parent_point: Any = (0, 0, 0),
        child_point: Any = (0, 0, 0),
        parent_interframe: Any = None,
        child_interframe: Any = None,
        **options: Any,
    ) -> Joint:
        """Return a new joint between two bodies, of a kind in `FREEDOMS` or of a joint class.

        Points are from the bodies' origins, in their frames; the columns of an interframe are its
        axes in the body's frame, which is the default; ``axis`` (default: x) is the axis of a pin,
        a prismatic or a cylindrical joint, in ``parent_interframe``.
        """
        sides = {
            "parent_point": self._add_attachment(f"{name}_parent_point", parent, parent_point),
            "child_point": self._add_attachment(f"{name}_child_point", child, child_point),
            "parent_interframe": interframe(name, parent, parent_interframe),
            "child_interframe": interframe(name, child, child_interframe),
        }
        if axis is not None:
            options["joint_axis"] = vector_of(axis, sides["parent_interframe"])
        coordinates, speeds = functions_of_time(q), functions_of_time(u)
        if self._has_rates:
            speeds = [x.diff(dynamicsymbols._t) for x in coordinates]
        states = joint_states(kind, coordinates, speeds)
        joint = joint_class(kind)(name, parent, child, *states, **sides, **options)
        outer = parent if self._velocities.has(child) else child
        self._velocities.cross_joint(joint, self._points[outer])
        self.joints[name] = joint
        return joint

    def build(self, gravity: Vector | Sequence[Any] = (0, 0, 0)) -> System:
        """Return the System of all joints and the bodies that they connect, with weights as loads.

        ``gravity`` is the acceleration, in ground's frame.
        """
        system = System.from_newtonian(self.ground)
        system.add_joints(*self.joints.values())
        if not isinstance(gravity, Vector):
            expected = "an acceleration Vector or 3 components in ground's frame"
            gravity = check_triple("gravity", gravity, expected)
        acceleration = vector_of(gravity, self.ground.frame)
        if acceleration != 0:
            system.add_loads(*(Weight(body, acceleration) for body in self.bodies.values()))
        return system

    def _add_attachment(self, name: str, body: RigidBody, place: Any) -> Point:
        if isinstance(place, Point):
            return place
        return self.add_point(name, body, place) if any(place) else self.origins[body]


def fixed_body(
    name: str = "ground", frame: ReferenceFrame | None = None, origin: str = "O"
) -> RigidBody:
    """Return a body at rest: no mass, no inertia."""
    frame, point = frame or NearFrame("N"), NearPoint(origin)
    point.set_vel(frame, 0)
    return RigidBody(name, point, frame, 0, (Dyadic(0), point))


def functions_of_time(names: Iterable[str]) -> list[Expr]:
    """Return a function of time for each name; dynamicsymbols(name) would split "a b" or "a:3"."""
    return [Function(name)(dynamicsymbols._t) for name in names]


def named_frame(name: str) -> ReferenceFrame:
    """Return a frame whose LaTeX is valid for names with several underscores."""
    return NearFrame(name, latexs=[rf"\mathbf{{\hat{{{latex_name(name)}}}_{c}}}" for c in "xyz"])


def inertia_dyadic(frame: ReferenceFrame, elements: Sequence[Any]) -> Dyadic:
    """Return the inertia dyadic of elements xx, yy, zz, xy, yz, zx, faster than sympy's."""
    x, y, z = frame.x, frame.y, frame.z
    xx, yy, zz, xy, yz, zx = map(sympify, elements)
    rows = [(xx, x, x), (xy, x, y), (zx, x, z), (xy, y, x), (yy, y, y), (yz, y, z)]
    rows += [(zx, z, x), (yz, z, y), (zz, z, z)]
    dyadic = Dyadic(0)  # the constructor would compare the rows' texts
    dyadic.args = [row for row in rows if row[0] != 0]
    return dyadic


def interframe(joint: str, body: RigidBody, rotation: Any) -> ReferenceFrame:
    """Return a body's frame, or a new frame whose axes in it are the columns of a matrix."""
    if rotation is None or isinstance(rotation, ReferenceFrame):
        return rotation or body.frame
    frame = named_frame(f"{joint}_{body.name}_int_frame")
    frame.orient_dcm(body.frame, ImmutableMatrix(rotation).T)
    return frame
