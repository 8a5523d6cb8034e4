"""`SerialChain`: a serial chain of rigid segments as a sympy System."""

from collections.abc import Iterable
from itertools import combinations
from numbers import Real
from typing import Any

from sympy import Expr, ImmutableMatrix, Symbol
from sympy.physics.mechanics import KanesMethod, RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..checks.arguments import (
    check_choice,
    check_different,
    check_instance,
    check_name,
    check_sequence,
    describe,
)
from ..checks.display import Grid, NotebookTable, listing
from ..checks.messages import did_you_mean
from ..checks.numbers import check_bool, check_integer
from ..mechanics.mechanism.joint_kinds import FREEDOMS
from ..mechanics.spatial.wrench import Wrench
from ..mechanics.sympy_objects import check_real, check_triple
from .segment import Segment, add_segment, sorted_symbols
from .tree_builder import TreeBuilder, coordinate_count, fixed_body, functions_of_time

DEFAULT_NAME = "chain"

#: Generalized speeds: symbols with kinematical differential equations, or derivatives without.
SPEEDS = ("symbols", "derivatives")


class SerialChain(NotebookTable):
    """Serial chain of rigid segments, built as a sympy ``System``.

    The proximal joint of segment i, at the point ``P_i``, connects the segment to the distal end of
    segment i - 1; the first joint connects the first segment to the origin ``O`` of ground::

        ground      S_0             S_1                 S_n-1
        //O(P_0)====C_0====D_0(P_1)====C_1==== ... ====C_n-1====P_n = tip
          joint S_0       joint S_1

    ``P_i`` is ``joint.child_point`` of joint i and moves with segment i; ``O`` or ``D_i-1`` is its
    ``parent_point``. The two coincide unless the joint slides. If all coordinates are zero
    (quaternions: (1, 0, 0, 0)), all frames are parallel to ground's and every ``P_i`` is at its
    parent's point.

    Parameters
    ==========

    segments : iterable of Segment
        From ground to tip.
    name : str, optional
        A part of the names of symbols and points, to distinguish several chains: ``q_left_0`` in a
        chain "left", ``q_0`` in a chain with the default name.
    gravity : Vector or sequence of 3 scalars, optional
        Acceleration of gravity: a Vector in a frame that becomes the ground's frame, or components
        (x, y, z) in a new ground's frame. It may depend on time. Default: no gravity.
    actuated : bool, optional
        Whether every degree of freedom of every joint has an actuator (see Notes).
    speeds : {"symbols", "derivatives"}
        "derivatives" makes the generalized speeds the derivatives of the coordinates, as sympy's
        ``system.form_eoms(LagrangesMethod)`` needs them: no equations connect the two.

    Attributes
    ==========

    system : System
        The model: bodies, joints, gravity and loads.
    segments, joints : tuples of Segment and Joint
        From ground to tip; joint i connects segment i to segment i - 1, the first one to ground.
    ground : RigidBody
        Fixed body without mass; its masscenter is the origin.
    joint_points : tuple of Point
        ``P_0`` to ``P_n``: the proximal joint of each segment, then the tip.
    actuation : tuple of dynamicsymbols
        The actuators' forces and torques in the order of ``speeds``, if the chain is actuated.

    Raises
    ======

    TypeError, ValueError
        If a segment is not a Segment, or gravity not an acceleration in one frame; if there are no
        segments, two have one name, or the frame of a Dyadic is already in use.

    See Also
    ========

    Segment : Its parts.
    InverseDynamics : Takes its ``.system``.

    Notes
    =====

    Coordinates and speeds are named ``q_i`` and ``u_i``, those of a joint with several degrees of
    freedom ``q_i_1``, ``q_i_2``, ..., unless the segment names its coordinates: ``knee_angle``,
    ``knee_angle_rate``. Speeds are the rates of the coordinates (except for quaternions). Order:
    rotation before translation; the planar joint about z slides along x, then y, the one about x
    along y, then z, the one about y along z, then x. Its sliding directions are fixed in the
    parent. The spherical joint has body-fixed x-y-z angles, which are singular if the second one is
    a quarter turn.

    The quaternion joint has four coordinates, the scalar part first: frames are parallel at (1, 0,
    0, 0); zeros are no orientation. Its three speeds are the angular velocity in the child's frame.
    The free joint translates along the parent's x, y, z, then rotates by body-fixed x-y-z angles;
    see `FreeJoint` for one with a quaternion.

    The actuator of a degree of freedom, ``tau_i``, ``tau_i_1`` or ``tau_knee_angle``, acts on the
    child, by the parent, positive in the positive direction of the speed; its reaction acts on the
    parent at the same location. The three torques of a spherical, quaternion or free joint are
    instead the components x, y and z in the child's frame.

    Examples
    ========

    >>> from sympy import symbols
    >>> import jointwrench as jw
    >>> l, m, I, g = symbols("l m I g")
    >>> rod = jw.Segment("rod", l, m, inertia=I, direction="x")
    >>> chain = jw.SerialChain([rod], gravity=(0, -g, 0))
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
        speeds: str = "symbols",
    ) -> None:
        self.segments = _check_segments(segments)
        self._name = check_name("name", name)
        check_bool("actuated", actuated)
        has_rates = check_choice("speeds", speeds, SPEEDS) == "derivatives"
        if has_rates and (turned := [s.name for s in self.segments if s.joint == "quaternion"]):
            raise ValueError(
                '`speeds` must be "symbols" for quaternions, whose speeds are no derivatives, got '
                f'"derivatives" with {", ".join(turned)}. Use Segment(..., joint="spherical").'
            )
        self._gravity, frame = _check_gravity(gravity)
        self.ground = fixed_body(self._make_name("ground"), frame, self._make_name("O"))
        _check_free_frames(self.segments, self.ground.frame)
        builder = TreeBuilder(self.ground, has_rates)
        self.joint_points = self._build(builder)
        self.system: System = builder.build(self._gravity)
        self.joints: tuple[Joint, ...] = tuple(builder.joints.values())
        self.actuation = self._add_actuators() if actuated else ()

    @classmethod
    def planar(
        cls,
        n: int,
        name: str = DEFAULT_NAME,
        gravity: Any = None,
        actuated: bool = False,
        speeds: str = "symbols",
    ) -> "SerialChain":
        """Return a chain of ``n`` segments pinned about z, with symbolic constants.

        Segment i has the length ``l_i`` along its y axis, the mass ``m_i`` at half the length, and
        the central moment of inertia ``I_i`` about z: symbols without assumptions.  Its name is
        ``S_i``, or ``left_S_i`` in a chain "left".  ``name``, ``gravity``, ``actuated`` and
        ``speeds`` are those of `SerialChain`.

        Raises
        ======

        TypeError, ValueError
            If n is not an integer, or less than 1.

        See Also
        ========

        SerialChain : With any joints.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(2)
        >>> chain.tip.pos_from(chain.ground.masscenter)
        l_0*S_0.y + l_1*S_1.y
        >>> chain.constants
        (l_0, m_0, I_0, l_1, m_1, I_1)
        """
        check_name("name", name)
        prefix = "" if name == DEFAULT_NAME else f"{name}_"
        segments = [
            Segment(f"{prefix}S_{i}", Symbol(f"l_{i}"), Symbol(f"m_{i}"), inertia=Symbol(f"I_{i}"))
            for i in range(check_integer("n", n))
        ]
        return cls(segments, name, gravity, actuated, speeds)

    def __repr__(self) -> str:
        joints = ", ".join(f"{s.name}: {s.joint}" for s in self.segments)
        return f"SerialChain({self._name!r}: {joints})"

    def _grid(self) -> Grid:
        rows = [
            (s.name, s.joint, listing(joint.coordinates), *map(listing, ([s.length], [s.mass])))
            for s, joint in zip(self.segments, self.joints, strict=True)
        ]
        head = ("segment", "joint", "coordinates", "length", "mass")
        return Grid(f"SerialChain {self._name}", head, rows)

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """The bodies of the segments, without ground."""
        return tuple(joint.child for joint in self.joints)

    @property
    def frames(self) -> tuple[ReferenceFrame, ...]:
        """The frames of the segments, without ground's."""
        return tuple(body.frame for body in self.bodies)

    @property
    def tip(self) -> Point:
        """Distal end of the last segment."""
        return self.joint_points[-1]

    @property
    def coordinates(self) -> ImmutableMatrix:
        """Generalized coordinates, shape (n, 1), in the order of the system."""
        return ImmutableMatrix(self.system.q)

    @property
    def speeds(self) -> ImmutableMatrix:
        """Generalized speeds, shape (n, 1), in the order of the system."""
        return ImmutableMatrix(self.system.u)

    @property
    def constants(self) -> tuple[Symbol, ...]:
        """The symbols of segments and gravity, except time and symbols of loads applied later."""
        found = [symbol for segment in self.segments for symbol in segment.free_symbols()]
        found += [symbol for item in self._gravity for symbol in sorted_symbols(item)]
        return tuple(dict.fromkeys(found))

    def kanes_method(self) -> KanesMethod:
        """Return the KanesMethod of the system after forming its equations.

        Raises
        ======

        ValueError
            If the chain cannot move because all its joints are welds, or if its speeds are
            derivatives: sympy's KanesMethod needs equations of speeds.

        See Also
        ========

        ForwardDynamics : Accelerations without Kane's equations.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.SerialChain.planar(1).kanes_method().mass_matrix
        Matrix([[I_0 + l_0**2*m_0/4]])
        """
        if not self.system.u:
            raise ValueError(
                f"Chain {self._name!r} must have a joint that can move, got welds only. "
                "Use for instance Segment(..., joint='pin')."
            )
        if not self.system.kdes:
            raise ValueError(
                '`speeds` must be "symbols" for a KanesMethod, got "derivatives". Use '
                "chain.system.form_eoms(LagrangesMethod), or InverseDynamics(chain.system)."
            )
        if self.system.eom_method is None:
            self.system.form_eoms()
        return self.system.eom_method

    def apply(self, wrench: Wrench, segment: int | str | Segment | RigidBody) -> None:
        """Add a ``wrench`` that acts on a ``segment``, at any point, to the loads of the system.

        The segment is given by its index from ground (negative: from the tip), its name, as a
        Segment or by its body.

        Raises
        ======

        TypeError, ValueError
            If wrench is not a Wrench, the chain has no such segment, or no path leads from it to
            the wrench's point or frame.

        See Also
        ========

        ExternalWrench : A wrench with values from a force plate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(2)
        >>> chain.apply(jw.Wrench(chain.tip, 5 * chain.ground.frame.x), -1)
        >>> chain.system.loads[0].force
        5*N.x
        """
        check_instance("wrench", wrench, Wrench, "a Wrench", "Use Wrench(point, force, moment).")
        body = self._find_body(segment)
        _check_reach(wrench, body, self.ground.frame)
        self.system.add_loads(*wrench.to_loads(body))

    def _find_body(self, segment: int | str | Segment | RigidBody) -> RigidBody:
        """Return the body of a segment from the segment's number, name, Segment or body."""
        expected = "a segment's number, name, Segment or body"
        if isinstance(segment, bool):
            raise TypeError(f"`segment` must be {expected}, got {describe(segment)}.")
        check_instance("segment", segment, (int, str, Segment, RigidBody), expected)
        for i, (description, body) in enumerate(zip(self.segments, self.bodies, strict=True)):
            names = (i, i - len(self.segments), body.name)
            if segment is description or segment is body or segment in names:
                return body
        names_text = ", ".join(repr(description.name) for description in self.segments)
        raise ValueError(
            f"`segment` must be in the chain {self._name!r}, got {segment!r}. "
            f"Its segments are {names_text}; their numbers 0 to {len(self.segments) - 1}."
            f"{did_you_mean(segment, [body.name for body in self.bodies])}"
        )

    def _make_name(self, letter: str, *numbers: int) -> str:
        """Return a name such as q_0, or q_left_0 in a chain named "left"."""
        middle = () if self._name == DEFAULT_NAME else (self._name,)
        return "_".join([letter, *middle, *(str(number) for number in numbers)])

    def _name_freedoms(self, letter: str, i: int) -> list[str]:
        """Return a name for each degree of freedom of joint i; for "q", for each coordinate."""
        kind, own = self.segments[i].joint, self.segments[i].coordinates or ()
        count = coordinate_count(kind) if letter == "q" else len(FREEDOMS[kind])
        if len(own) == count:
            form = {"q": "{}", "u": "{}_rate"}.get(letter, letter + "_{}")
            return [form.format(name) for name in own]
        numbers = [(i,)] if count == 1 else [(i, k + 1) for k in range(count)]
        return [self._make_name(letter, *n) for n in numbers]

    def _build(self, builder: TreeBuilder) -> tuple[Point, ...]:
        """Add bodies and joints from ground to tip; return the joint points."""
        points, place = [], (self.ground, self.ground.masscenter)
        last = len(self.segments) - 1
        for i, segment in enumerate(self.segments):
            end = self._make_name("P", i + 1) if i == last else self._make_name("D", i)
            names = (self._make_name("P", i), self._make_name("C", i), end)
            states = (self._name_freedoms("q", i), self._name_freedoms("u", i))
            place = add_segment(builder, segment, *place, states, point_names=names)
            points.append(builder.origins[place[0]])
        return (*points, place[1])

    def _add_actuators(self) -> tuple[Expr, ...]:
        """Add an actuator to every degree of freedom; return their symbols."""
        from .actuators import actuate

        actuation: list[Expr] = []
        for i, (segment, joint) in enumerate(zip(self.segments, self.joints, strict=True)):
            symbols = functions_of_time(self._name_freedoms("tau", i))
            actuators, loads = actuate(segment, joint, symbols)
            self.system.add_actuators(*actuators)
            self.system.add_loads(*loads)
            actuation.extend(symbols)
        return tuple(actuation)


def _check_segments(segments: Any) -> tuple[Segment, ...]:
    """Return the segments of a chain: at least one, all with different names."""
    items = check_sequence("segments", segments, "an iterable of Segment")
    if not items:
        raise ValueError("`segments` must hold at least one Segment, got none.")
    for i, item in enumerate(items):
        check_instance(f"segments[{i}]", item, Segment, "a Segment")
    for things, names in {
        "names": [item.name for item in items],
        "joint names": [item.joint_name or item.name for item in items],
        "coordinates": [name for item in items for name in item.coordinates or ()],
    }.items():
        check_different("segments", names, f"have different {things}")
    return tuple(items)


def _check_free_frames(segments: tuple[Segment, ...], ground: ReferenceFrame) -> None:
    """Raise an error for frames of Dyadics that are already oriented."""
    own = [(f"segment `{segment.name}`", segment.inertia_frame()) for segment in segments]
    owners = [("ground", ground), *(pair for pair in own if pair[1] is not None)]
    for (owner, frame), (other, other_frame) in combinations(owners, 2):
        try:
            other_frame.dcm(frame)
        except ValueError:  # no path between the two, as it should be
            continue
        raise ValueError(
            f"`inertia` of {other} must be given in a frame of its own, got {other_frame}, "
            f"which is oriented to {frame} of {owner} already. Use inertia(ReferenceFrame(...), "
            "...) with a new frame, or give 3 or 6 numbers."
        )


def _check_gravity(gravity: Any) -> tuple[ImmutableMatrix, ReferenceFrame | None]:
    """Return the components of gravity, and the frame of a Vector, else None."""
    expected = "an acceleration Vector or 3 components in ground's frame"
    if gravity is None or (isinstance(gravity, Real | Expr | Vector) and gravity == 0):
        return ImmutableMatrix.zeros(3, 1), None
    if not isinstance(gravity, Vector):
        return ImmutableMatrix(check_triple("gravity", gravity, expected)), None
    if len(gravity.args) > 1:
        names = ", ".join(frame.name for _, frame in gravity.args)
        raise ValueError(
            f"`gravity` must be a Vector in one frame, got the frames {names}. "
            "Use gravity.express(frame)."
        )
    ((matrix, frame),) = gravity.args
    return ImmutableMatrix([check_real("gravity", item) for item in matrix]), frame


def _check_reach(wrench: Wrench, body: RigidBody, ground: ReferenceFrame) -> None:
    """Raise an error for a wrench whose point or frame has no path to the body or to ground."""
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
