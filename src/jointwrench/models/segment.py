"""`Segment`: a rigid link of a serial chain, and how its body and joint are built."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sympy import Derivative, Expr, Matrix, S, Symbol, simplify
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody, dynamicsymbols
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector
from sympy.utilities.iterables import iterable

from ..checks.arguments import argument_of, check_choice, check_count, check_name, check_sequence
from ..checks.display import Grid, NotebookTable, facts
from ..mechanics.mechanism.joint_kinds import FREEDOMS
from ..mechanics.sympy_objects import check_frame, check_real
from .tree_builder import TreeBuilder, coordinate_count, inertia_dyadic, named_frame

AXES = ("x", "y", "z")
DIRECTIONS = ("x", "y", "z", "-x", "-y", "-z")


@dataclass(frozen=True, eq=False)
class Segment(NotebookTable):
    """A rigid segment of a serial chain and its joint to the previous segment.

    A segment extends from its proximal joint to its distal joint. It contains only data;
    `SerialChain` makes the bodies, points and joints::

        parent   proximal                      distal
        ---------- (P_i) ========= C_i ======= (P_i+1)
                     |--center_of_mass->|          |
                     |---- length * direction ---->|

    Parameters
    ==========

    name : str
        Name of the segment, its body, its frame and its joint. Unique in a
        chain.
    length : scalar
        The distance from the proximal to the distal joint along ``direction``.
    mass : scalar
        The mass; zero for instance for an auxiliary segment between two joints.
    center_of_mass : sequence of 3 scalars, optional
        Position (x, y, z) of the mass centre from the proximal joint, in the
        segment's frame. Default: half the length along ``direction``.
    inertia : scalar, sequence of 3 or 6 scalars, or Dyadic, optional
        Central inertia (about the mass centre). None: a point mass, which has a frame but no
        rotational inertia. One value: about ``axis``.  Three: principal moments (xx, yy, zz). Six:
        (xx, yy, zz, xy, yz, zx), the elements of the tensor, as in sympy's ``inertia``. All in the
        segment's frame. A Dyadic must be written in one frame that is not oriented yet, which
        becomes the segment's frame.
    joint : str, optional
        The joint to the previous segment, for the first segment to ground:
        "pin", "prismatic", "cylindrical", "planar", "spherical" (by angles),
        "quaternion" (spherical without singularity), "free" (six degrees of
        freedom, for a floating base) or "weld".
    axis : str, optional
        "x", "y" or "z": the axis of the joint, the same in the frames of the
        segment and of the previous one. The pin rotates about it, the prismatic
        joint slides along it, the cylindrical joint does both, the planar joint
        rotates about it and slides normal to it.
    direction : str, optional
        "x", "y", "z", "-x", "-y" or "-z": from proximal to distal joint, in
        the segment's frame.
    joint_name : str, optional
        Name of the joint to the previous segment: "knee" for a shank. Default:
        the segment's.
    coordinates : sequence of str, optional
        Names of the joint's coordinates, unique in a chain: ``["knee_angle"]``. Their rates are
        called ``knee_angle_rate``. Default: numbered by `SerialChain`.

    Raises
    ======

    TypeError, ValueError
        If a quantity is not a real scalar, depends on time or is negative; if a sequence has a
        wrong number of entries, a name is not a string, or a joint, axis or direction is unknown.

    See Also
    ========

    SerialChain : A chain of segments.
    Person : Lengths, masses and inertias of people.

    Notes
    =====

    Segments compare by identity. Scalars are constants; symbols keep their assumptions. A frame
    belongs to one body, hence a segment with a Dyadic can be used in one chain only.

    Examples
    ========

    >>> from sympy import symbols
    >>> import jointwrench as jw
    >>> l, m, I = symbols("l m I")
    >>> thigh = jw.Segment("thigh", l, m, center_of_mass=(0, 0.4 * l, 0), inertia=I)
    >>> thigh.joint, thigh.axis, thigh.direction
    ('pin', 'z', 'y')
    """

    name: str
    length: Any
    mass: Any
    center_of_mass: Any = None
    inertia: Any = None
    joint: str = "pin"
    axis: Literal["x", "y", "z"] = "z"
    direction: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    joint_name: str | None = None
    coordinates: Any = None

    def __post_init__(self) -> None:
        """Check and normalise every field; None stays None."""
        check_name("name", self.name)
        if self.joint_name is not None:
            check_name(argument_of("joint_name", self.name), self.joint_name)
        check_choice("joint", self.joint, FREEDOMS)
        check_choice("axis", self.axis, AXES)
        check_choice("direction", self.direction, DIRECTIONS)
        fix = "Use direction='-y' (or '-x', '-z') to reverse a segment."
        normalised = {
            "length": _check_constant("length", self.length, self.name, fix),
            "mass": _check_constant("mass", self.mass, self.name, "Use zero or a positive mass."),
            "center_of_mass": self._check_center_of_mass(),
            "inertia": self._check_inertia(),
            "coordinates": self._check_coordinates(),
        }
        for field, value in normalised.items():
            object.__setattr__(self, field, value)

    def _grid(self) -> Grid:
        values = {name: value for name, value in vars(self).items() if name != "name"}
        return facts(f"Segment {self.name}", **{k: v for k, v in values.items() if v is not None})

    def _check_center_of_mass(self) -> tuple[Expr, ...] | None:
        if self.center_of_mass is None:
            return None
        expected = "3 components in the segment's frame, from the proximal joint"
        items = self._check_items("center_of_mass", (3,), expected)
        return tuple(_check_constant("center_of_mass", item, self.name) for item in items)

    def _check_inertia(self) -> Any:
        """Return the inertia as None, a scalar, six elements or a Dyadic."""
        fix = "Use zero or positive moments of inertia."
        if self.inertia is None:
            return None
        if isinstance(self.inertia, Dyadic):
            return _check_dyadic(self.inertia, self.name)
        if not isinstance(self.inertia, str) and not iterable(self.inertia):
            return _check_constant("inertia", self.inertia, self.name, fix)
        expected = (
            "None, one scalar, 3 principal moments, 6 elements (xx, yy, zz, xy, yz, zx), "
            "or a Dyadic"
        )
        items = self._check_items("inertia", (3, 6), expected)
        moments = [_check_constant("inertia", item, self.name, fix) for item in items[:3]]
        return (*moments, *(_check_constant("inertia", item, self.name) for item in items[3:]))

    def _check_coordinates(self) -> tuple[str, ...] | None:
        if self.coordinates is None:
            return None
        label, count = argument_of("coordinates", self.name), coordinate_count(self.joint)
        expected = f"{count} names, as a {self.joint} joint has coordinates"
        names = self._check_items("coordinates", (count,), expected)
        return tuple(check_name(label, name) for name in names)

    def _check_items(self, field: str, counts: tuple[int, ...], expected: str) -> list[Any]:
        label = argument_of(field, self.name)
        items = check_sequence(label, getattr(self, field), expected)
        check_count(label, items, counts, expected)
        return items

    def inertia_frame(self) -> ReferenceFrame | None:
        """Return the frame of an inertia that is a Dyadic, else None."""
        if not isinstance(self.inertia, Dyadic):
            return None
        return next(iter(_find_frames(self.inertia)), None)

    def inertia_dyadic(self, frame: ReferenceFrame) -> Dyadic:
        """Return the central inertia dyadic, written in the segment's ``frame``."""
        check_frame("frame", frame)
        if self.inertia is None:
            return Dyadic(0)
        if isinstance(self.inertia, Dyadic):
            return self.inertia
        moments = self.inertia
        if not isinstance(moments, tuple):
            moments = tuple(moments if name == self.axis else 0 for name in AXES)
        return inertia_dyadic(frame, (*moments, 0, 0, 0)[:6])

    def mass_center_vector(self, frame: ReferenceFrame) -> Vector:
        """Return the position of the mass centre from the proximal joint, in ``frame``."""
        check_frame("frame", frame)
        if self.center_of_mass is None:
            return self.distal_vector(frame) * S.Half
        return Vector([(Matrix(self.center_of_mass), frame)])

    def distal_vector(self, frame: ReferenceFrame) -> Vector:
        """Return the position of the distal joint from the proximal one, in ``frame``."""
        check_frame("frame", frame)
        length = -self.length if self.direction.startswith("-") else self.length
        return length * getattr(frame, self.direction[-1])

    def free_symbols(self) -> list[Symbol]:
        """Return the symbols of length, mass, mass centre and inertia, in this order."""
        own = self.inertia or ()
        if isinstance(own, Dyadic):
            own = tuple(measure for measure, _, _ in own.args)
        moments = own if isinstance(own, tuple) else (own,)
        groups = [self.length, self.mass, *(self.center_of_mass or ()), *moments]
        return [s for group in groups for s in sorted_symbols(group)]


def cyclic_axes(axis: str) -> tuple[str, ...]:
    """Return the names of the axes in cyclic order, starting with ``axis``."""
    start = AXES.index(axis)
    return AXES[start:] + AXES[:start]


def sorted_symbols(expression: Expr) -> list[Symbol]:
    """Return the free symbols of an expression by name, without time."""
    symbols = expression.free_symbols - {dynamicsymbols._t}
    return sorted(symbols, key=lambda symbol: symbol.sort_key())


def _check_constant(argument: str, value: Any, segment: str, positive_fix: str = "") -> Expr:
    """Return a constant scalar; with a ``positive_fix`` for messages, refuse negative numbers."""
    label = argument_of(argument, segment)
    scalar = check_real(label, value)
    if scalar.has(AppliedUndef, Derivative, dynamicsymbols._t):
        raise ValueError(
            f"`{label}` must not depend on time, got {scalar}. Use symbols that are constant."
        )
    if positive_fix and scalar.is_negative:
        raise ValueError(f"`{label}` must not be negative, got {scalar}. {positive_fix}")
    return scalar


def _find_frames(dyadic: Dyadic) -> set[ReferenceFrame]:
    """Return every frame in which a part of a dyadic is written."""
    return {frame for _, *pair in dyadic.args for vector in pair for _, frame in vector.args}


def _check_dyadic(dyadic: Dyadic, segment: str) -> Dyadic:
    """Return an inertia dyadic; refuse one that is not constant, symmetric and in one frame."""
    frames = _find_frames(dyadic)
    if len(frames) > 1:
        names = ", ".join(sorted(frame.name for frame in frames))
        raise ValueError(
            f"`inertia` of segment `{segment}` must be a Dyadic in one frame, "
            f"got the frames {names}. Use dyadic.express(frame)."
        )
    for frame in frames:
        matrix = dyadic.to_matrix(frame)
        for item in matrix:
            _check_constant("inertia", item, segment)
        if simplify(matrix - matrix.T) != Matrix.zeros(3, 3):
            raise ValueError(
                f"`inertia` of segment `{segment}` must be a symmetric Dyadic, got {dyadic}. "
                "Use sympy.physics.mechanics.inertia(frame, ixx, iyy, izz, ixy, iyz, izx)."
            )
    return dyadic


def add_segment(
    builder: TreeBuilder,
    segment: Segment,
    parent: RigidBody,
    parent_point: Point,
    states: tuple[Sequence[str], Sequence[str]],
    joint: str | None = None,
    point_names: tuple[str, str, str] | None = None,
) -> tuple[RigidBody, Point]:
    """Add the body and the joint of a segment; return the body and its distal end.

    The joint is at ``parent_point`` of ``parent``; ``states`` are the names of the joint's
    coordinates and speeds, ``point_names`` those of proximal joint, mass centre and distal end.
    """
    name = segment.name
    start, center, end = point_names or (f"{name}_start", f"{name}_center", f"{name}_end")
    frame = segment.inertia_frame() or named_frame(name)
    vector, inertia = segment.mass_center_vector(frame), segment.inertia_dyadic(frame)
    body = builder.add_body(name, segment.mass, vector, inertia, frame, (start, center))
    tip = builder.add_point(end, body, segment.distal_vector(frame))
    axis = [int(axis == segment.axis) for axis in AXES]
    rotation = None
    if segment.joint == "planar":  # sympy's planar joint rotates about x: the axes are permuted
        rows = [[int(name == other) for name in AXES] for other in cyclic_axes(segment.axis)]
        rotation = Matrix(rows).T
    builder.add_joint(
        *(segment.joint, joint or segment.joint_name or name, parent, body, *states),
        axis=axis if segment.joint in ("pin", "prismatic", "cylindrical") else None,
        parent_point=parent_point,
        parent_interframe=rotation,
        child_interframe=rotation,
    )
    return body, tip
