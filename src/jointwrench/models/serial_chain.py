"""SerialChain: a serial chain of rigid segments as a sympy System."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

from sympy import Expr, Function, ImmutableMatrix, Symbol
from sympy.physics.mechanics import Force, KanesMethod, RigidBody, System, dynamicsymbols
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector

from ..checks.arguments import check_instance, check_sequence, describe
from ..wrench import Wrench
from .segment import (
    Segment,
    check_count,
    check_free_frames,
    check_name,
    check_real,
    check_segments,
    sorted_symbols,
)
from .segment_joints import (
    FREEDOMS,
    actuate,
    coordinate_count,
    make_body,
    make_joint,
    set_ground_velocities,
)

__all__ = ["Segment", "SerialChain"]

DEFAULT_NAME = "chain"


class SerialChain:
    """Serial chain of rigid segments, built as a sympy ``System``.

    Explanation
    ===========

    Segment i hangs with its proximal joint, the point ``P_i``, on the distal
    end of segment i - 1, the first one on the origin ``O`` of ground::

        ground      S_0             S_1                 S_n-1
        //O(P_0)====C_0====D_0(P_1)====C_1==== ... ====C_n-1====P_n = tip
          joint S_0       joint S_1

    ``P_i`` is ``joint.child_point`` of joint i and moves with segment i;
    ``O`` or ``D_i-1`` is its ``parent_point``. The two coincide unless the
    joint slides. If all coordinates are zero, all frames are parallel to
    ground's and every ``P_i`` is on its parent's point (quaternions:
    (1, 0, 0, 0)).

    Parameters
    ==========

    segments : iterable of Segment
        From ground to tip.
    name : str, optional
        Goes into the names of symbols and points, so that several chains can
        be told apart: ``q_left_0`` in a chain "left"; in a chain with the
        default name, simply ``q_0``.
    gravity : Vector or sequence of 3 scalars, optional
        Acceleration of gravity, a Vector in a frame that then becomes the
        ground's frame, or the components (x, y, z) in ground's frame, which
        is made here. It may depend on time. Default: no gravity.
    actuated : bool, optional
        If True, every freedom of every joint gets an actuator (see Notes).

    Attributes
    ==========

    system : System
        The model: bodies, joints, gravity and loads. All of sympy can use it.
    segments : tuple of Segment
        From ground to tip, as in all tuples below.
    bodies : tuple of RigidBody
        One per segment, without ground.
    joints : tuple of Joint
        Joint i connects segment i to segment i - 1.
    ground : RigidBody
        Fixed body without mass; its masscenter is the origin.
    frames : tuple of ReferenceFrame
        The frames of the bodies, without ground's.
    joint_points : tuple of Point
        ``P_0`` to ``P_n``: the proximal joint of each segment, then the tip.
    tip : Point
        Distal end of the last segment.
    coordinates, speeds : ImmutableMatrix, shape (n, 1)
        Generalized coordinates and speeds in the order of the system.
    actuation : tuple of dynamicsymbols
        The actuators' forces and torques in the order of ``speeds``; empty
        if the chain is not actuated.
    constants : tuple of Symbol
        The symbols of segments and gravity, without time. Symbols of loads
        that are applied later are not among them.

    Raises
    ======

    TypeError
        If a segment is no Segment, or gravity no acceleration.
    ValueError
        If there are no segments, if two segments have one name, if a frame of
        a Dyadic belongs to something else already, or if gravity is given in
        more than one frame.

    Notes
    =====

    Coordinates and speeds are named ``q_i`` and ``u_i``, those of a joint with
    several freedoms ``q_i_1``, ``q_i_2``, ... Speeds are the rates of the
    coordinates (but for quaternions). Order: rotation before translation; the planar joint about z
    slides along x, then y, the one about x along y, then z, the one about y
    along z, then x. Its sliding directions are fixed in the parent. The
    spherical joint has body-fixed x-y-z angles, which are singular where the
    second one is a quarter turn.

    The quaternion joint has four coordinates, the scalar part first: it is
    aligned at (1, 0, 0, 0), all zero is no orientation. Its three speeds are
    the angular velocity in the child's frame. The free joint slides along the
    parent's x, y, z before it turns by body-fixed x-y-z angles; see
    :class:`~jointwrench.models.free_joint.FreeJoint` for one with a quaternion.

    The actuator of a freedom, ``tau_i`` or ``tau_i_1``, ..., acts on the child
    by the parent, positive in the positive direction of the speed, and with
    its opposite at the same place on the parent. The three torques of a
    spherical, quaternion or free joint are the components x, y and z in the
    child's frame instead.

    Velocities of all joints and mass centres in ground are set, so that asking
    for them costs nothing.

    Examples
    ========

    >>> from sympy import symbols
    >>> from jointwrench.models.serial_chain import Segment, SerialChain
    >>> l, m, I, g = symbols("l m I g")
    >>> rod = Segment("rod", l, m, inertia=I, direction="x")
    >>> chain = SerialChain([rod], gravity=(0, -g, 0))
    >>> chain.tip.vel(chain.ground.frame)
    l*u_0(t)*rod.y
    >>> kane = chain.kanes_method()
    >>> kane.mass_matrix
    Matrix([[I + l**2*m/4]])
    >>> kane.forcing
    Matrix([[-g*l*m*cos(q_0(t))/2]])

    """

    def __init__(
        self,
        segments: Iterable[Segment],
        name: str = DEFAULT_NAME,
        gravity: Any = None,
        actuated: bool = False,
    ) -> None:
        self._segments = check_segments(segments)
        self._name = check_name("name", name)
        self._gravity, frame = _check_gravity(gravity)
        self._ground = self._make_ground(frame or ReferenceFrame("N"))
        check_free_frames(self._segments, self._ground.frame)
        self._system = System.from_newtonian(self._ground)
        self._joints, self._joint_points = self._build()
        self._system.add_joints(*self._joints)
        self._add_gravity()
        self._actuation = self._add_actuators() if actuated else ()

    @classmethod
    def planar(
        cls, n: int, name: str = DEFAULT_NAME, gravity: Any = None, actuated: bool = False
    ) -> "SerialChain":
        """Return a chain of n segments pinned about z, with symbolic constants.

        Parameters
        ==========

        n : int
            Number of segments. Segment i has the length ``l_i`` along its y
            axis, the mass ``m_i`` at half the length, and the central moment
            of inertia ``I_i`` about z: symbols without assumptions. It is
            named ``S_i``, in a chain "left" ``left_S_i``.
        name, gravity, actuated
            As in :class:`SerialChain`.

        Raises
        ======

        TypeError
            If n is no int.
        ValueError
            If n is less than 1.

        Examples
        ========

        >>> from jointwrench.models.serial_chain import SerialChain
        >>> chain = SerialChain.planar(2)
        >>> chain.tip.pos_from(chain.ground.masscenter)
        l_0*S_0.y + l_1*S_1.y
        >>> chain.constants
        (l_0, m_0, I_0, l_1, m_1, I_1)

        """
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(f"`n` must be an int, got {describe(n)}.")
        if n < 1:
            raise ValueError(f"`n` must be at least 1, got {n}.")
        check_name("name", name)
        prefix = "" if name == DEFAULT_NAME else f"{name}_"
        segments = [
            Segment(f"{prefix}S_{i}", Symbol(f"l_{i}"), Symbol(f"m_{i}"), inertia=Symbol(f"I_{i}"))
            for i in range(n)
        ]
        return cls(segments, name, gravity, actuated)

    def __repr__(self) -> str:
        """Return the chain's name and its joints, from ground to tip."""
        joints = ", ".join(f"{s.name}: {s.joint}" for s in self._segments)
        return f"SerialChain({self._name!r}: {joints})"

    @property
    def system(self) -> System:
        """The model as a sympy System."""
        return self._system

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments from ground to tip."""
        return self._segments

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """The bodies of the segments, without ground."""
        return tuple(joint.child for joint in self._joints)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints; joint i connects segment i to segment i - 1 or ground."""
        return self._joints

    @property
    def ground(self) -> RigidBody:
        """The fixed body without mass; its masscenter is the origin."""
        return self._ground

    @property
    def frames(self) -> tuple[ReferenceFrame, ...]:
        """The frames of the segments, without ground's."""
        return tuple(body.frame for body in self.bodies)

    @property
    def joint_points(self) -> tuple[Point, ...]:
        """P_0 to P_n: the proximal joint of each segment, then the tip."""
        return self._joint_points

    @property
    def tip(self) -> Point:
        """Distal end of the last segment."""
        return self._joint_points[-1]

    @property
    def coordinates(self) -> ImmutableMatrix:
        """Generalized coordinates, shape (n, 1), in the order of the system."""
        return ImmutableMatrix(self._system.q)

    @property
    def speeds(self) -> ImmutableMatrix:
        """Generalized speeds, shape (n, 1), in the order of the system."""
        return ImmutableMatrix(self._system.u)

    @property
    def actuation(self) -> tuple[Expr, ...]:
        """The actuators' forces and torques, in the order of the speeds."""
        return self._actuation

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """The symbols of segments and gravity, without time."""
        found = [symbol for segment in self._segments for symbol in segment.free_symbols()]
        found += [symbol for item in self._gravity for symbol in sorted_symbols(item)]
        return tuple(dict.fromkeys(found))

    def kanes_method(self) -> KanesMethod:
        """Return the KanesMethod of the system, its equations formed.

        Raises
        ======

        ValueError
            If the chain can't move, because all its joints are welds.

        Examples
        ========

        >>> from jointwrench.models.serial_chain import SerialChain
        >>> SerialChain.planar(1).kanes_method().mass_matrix
        Matrix([[I_0 + l_0**2*m_0/4]])

        """
        if not self._system.u:
            raise ValueError(
                f"Chain {self._name!r} must have a joint that can move, got welds only. "
                "Use for instance Segment(..., joint='pin')."
            )
        if self._system.eom_method is None:
            self._system.form_eoms()
        return self._system.eom_method

    def apply(self, wrench: Wrench, segment: int | str | Segment | RigidBody) -> None:
        """Add a wrench that acts on a segment to the loads of the system.

        Parameters
        ==========

        wrench : Wrench
            Acts on the segment, from outside the chain, at any point.
        segment : int, str, Segment or RigidBody
            Its number from ground (negative: from the tip), its name, itself
            or its body.

        Raises
        ======

        TypeError
            If wrench is no Wrench, or segment none of these.
        ValueError
            If the chain has no such segment, or no path leads from it to the
            wrench's point or frame.

        Examples
        ========

        >>> from jointwrench.models.serial_chain import SerialChain
        >>> from jointwrench.wrench import Wrench
        >>> chain = SerialChain.planar(2)
        >>> chain.apply(Wrench(chain.tip, 5 * chain.ground.frame.x), -1)
        >>> chain.system.loads[0].force
        5*N.x

        """
        check_instance("wrench", wrench, Wrench, "a Wrench", "Use Wrench(point, force, moment).")
        body = self._find_body(segment)
        _check_reach(wrench, body, self._ground.frame)
        self._system.add_loads(*wrench.to_loads(body))

    def _find_body(self, segment: int | str | Segment | RigidBody) -> RigidBody:
        """Return the body of a segment given by number, name, Segment or body."""
        expected = "a segment's number, name, Segment or body"
        if isinstance(segment, bool):
            raise TypeError(f"`segment` must be {expected}, got {describe(segment)}.")
        check_instance("segment", segment, (int, str, Segment, RigidBody), expected)
        for i, (description, body) in enumerate(zip(self._segments, self.bodies, strict=True)):
            names = (i, i - len(self._segments), body.name)
            if segment is description or segment is body or segment in names:
                return body
        names_text = ", ".join(repr(description.name) for description in self._segments)
        raise ValueError(
            f"`segment` must be in the chain {self._name!r}, got {segment!r}. "
            f"Its segments are {names_text}; their numbers 0 to {len(self._segments) - 1}."
        )

    def _label(self, letter: str, *numbers: int) -> str:
        """Return a name such as q_0, or q_left_0 in a chain named "left"."""
        middle = () if self._name == DEFAULT_NAME else (self._name,)
        return "_".join([letter, *middle, *(str(number) for number in numbers)])

    def _freedom_symbols(self, letter: str, i: int) -> list[Expr]:
        """Return one function of time per freedom, or coordinate "q", of joint i."""
        kind = self._segments[i].joint
        count = coordinate_count(kind) if letter == "q" else len(FREEDOMS[kind])
        numbers = [(i,)] if count == 1 else [(i, k + 1) for k in range(count)]
        # dynamicsymbols(name) would take a name like "a b" or "a:3" apart.
        return [Function(self._label(letter, *n))(dynamicsymbols._t) for n in numbers]

    def _make_ground(self, frame: ReferenceFrame) -> RigidBody:
        """Return the fixed body: no mass, no inertia, its origin at rest."""
        origin = Point(self._label("O"))
        origin.set_vel(frame, 0)
        return RigidBody(self._label("ground"), origin, frame, 0, (Dyadic(0), origin))

    def _build(self) -> tuple[tuple[Joint, ...], tuple[Point, ...]]:
        """Make bodies and joints from ground to tip; return joints and joint points."""
        joints, points = [], []
        parent, parent_point = self._ground, self._ground.masscenter
        turning = Vector(0)
        for i, segment in enumerate(self._segments):
            is_last = i == len(self._segments) - 1
            tip = Point(self._label("P", i + 1) if is_last else self._label("D", i))
            point, center = Point(self._label("P", i)), Point(self._label("C", i))
            body = make_body(segment, point, center, tip)
            q, u = self._freedom_symbols("q", i), self._freedom_symbols("u", i)
            joint = make_joint(segment, (parent, body), (parent_point, point), q, u)
            turning = set_ground_velocities(joint, tip, turning, self._ground.frame)
            joints.append(joint)
            points.append(point)
            parent, parent_point = body, tip
        return tuple(joints), (*points, parent_point)

    def _add_gravity(self) -> None:
        """Add each segment's weight; ground has none."""
        if not any(self._gravity):
            return
        acceleration = Vector([(self._gravity, self._ground.frame)])
        self._system.add_loads(*(Force(body, body.mass * acceleration) for body in self.bodies))

    def _add_actuators(self) -> tuple[Expr, ...]:
        """Put an actuator on every freedom; return their symbols."""
        actuation: list[Expr] = []
        for i, (segment, joint) in enumerate(zip(self._segments, self._joints, strict=True)):
            symbols = self._freedom_symbols("tau", i)
            actuators, loads = actuate(segment, joint, symbols)
            self._system.add_actuators(*actuators)
            self._system.add_loads(*loads)
            actuation.extend(symbols)
        return tuple(actuation)


def _check_gravity(gravity: Any) -> tuple[ImmutableMatrix, ReferenceFrame | None]:
    """Return gravity's components and the frame it is given in, if there is one."""
    expected = "an acceleration Vector or 3 components in ground's frame"
    if gravity is None or (isinstance(gravity, Real | Expr) and gravity == 0):
        return ImmutableMatrix.zeros(3, 1), None
    if isinstance(gravity, Vector):
        return _components(gravity)
    items = check_sequence("gravity", gravity, expected)
    check_count("gravity", items, (3,), expected)
    return ImmutableMatrix([check_real("gravity", item) for item in items]), None


def _components(gravity: Vector) -> tuple[ImmutableMatrix, ReferenceFrame | None]:
    """Return the components of a Vector, and the one frame it is given in."""
    if len(gravity.args) > 1:
        names = ", ".join(frame.name for _, frame in gravity.args)
        raise ValueError(
            f"`gravity` must be a Vector in one frame, got the frames {names}. "
            "Use gravity.express(frame)."
        )
    for matrix, frame in gravity.args:
        return ImmutableMatrix([check_real("gravity", item) for item in matrix]), frame
    return ImmutableMatrix.zeros(3, 1), None


def _check_reach(wrench: Wrench, body: RigidBody, ground: ReferenceFrame) -> None:
    """Refuse a wrench whose point or frame has no path to the body or to ground."""
    try:
        wrench.point.pos_from(body.masscenter)
    except ValueError as error:
        raise ValueError(
            f"`wrench` must act at a point whose position from segment {body.name!r} is known, "
            f"got the point {wrench.point}. Use {wrench.point}.set_pos(chain.tip, ...) or a "
            "point of the chain."
        ) from error
    for _, frame in (*wrench.force.args, *wrench.moment.args):
        try:
            frame.ang_vel_in(ground)
        except ValueError as error:
            raise ValueError(
                f"`wrench` must be given in frames oriented to ground, got the frame {frame}. "
                f"Use {frame}.orient_axis(chain.ground.frame, ...) or a frame of the chain."
            ) from error
