"""Marker sets, and the definitions of joint centres and segment frames by markers, as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..checks.arguments import check_choice, check_instance, check_name, check_sequence
from ..checks.pickles import Pickled
from ..records.data_rows import read_data_rows
from .anthropometry import SIDES
from .marker_segments import THREE

AXES = "xyz"

#: Suffixes of the roles of further markers on a segment, which transfer points of a static trial.
CLUSTER_SUFFIXES = ("_2", "_3", "_4")


class Frame(NamedTuple):
    """A frame: its origin, its exact first axis, and its approximate second axis.

    An axis is a letter, followed by two points (the axis is from the first to the second), by three
    points (the axis is perpendicular to their plane, by the right-hand rule), or by an axis of
    another segment: ``("z", "z of pelvis")`` means that the rotation about the first axis is not
    measured.  A point is a role, the midpoint of several roles (``"c7+jugular"``), or a joint
    centre (``"@knee"``).  The definition is for the right side; the left side is its mirror image,
    except that z always points to the right.

    Parameters
    ==========

    origin : str
        The point at the origin.
    first, second : tuple of str
        The first and the second axis.

    See Also
    ========

    MarkerSet : The frames of all segments.

    Examples
    ========

    >>> import jointwrench as jw
    >>> isb = jw.gait.Frame("@ankle", ("z", "ankle_medial", "ankle"), ("y", "@ankle", "@knee"))
    >>> jw.gait.MarkerSet(frames={"shank": isb}).frames["shank"][0].origin
    '@ankle'
    """

    origin: str
    first: tuple[str, ...]
    second: tuple[str, ...]


class Chord(NamedTuple):
    """A joint centre on a chord, see `chord_center`.

    Attributes
    ==========

    above, lateral : str
        The centre of the joint above, and the lateral marker.
    beside : str or tuple of str
        A point in the plane of the chord, or three points whose plane is perpendicular to the
        joint's axis.
    width : str
        The argument with the measured width of the joint.
    """

    above: str
    lateral: str
    beside: Any
    width: str


class Regression(NamedTuple):
    """The hip centres by a regression from the four spines of the pelvis."""

    spines: tuple[str, ...]


class Below(NamedTuple):
    """A centre below a marker, along the thorax.

    Its distance from the marker is a fraction ``part`` of the distance between the markers of both
    sides.
    """

    marker: str
    part: float


SPINES = ("right_asis", "left_asis", "right_psis", "left_psis")

#: Definitions of joint centres; the first one whose markers exist is used.
CENTERS: dict[str, tuple[Any, ...]] = {
    "hip": ("hip_center", Regression(SPINES)),
    "knee": ("knee_center", "knee+knee_medial", Chord("@hip", "knee", "thigh", "knee_width")),
    "ankle": (
        "ankle_center",
        "ankle+ankle_medial",
        Chord("@knee", "ankle", "shank", "ankle_width"),
    ),
    "shoulder": ("shoulder_center", Below("acromion", 0.17)),
    "elbow": (
        "elbow_center",
        "elbow+elbow_medial",
        Chord("@shoulder", "elbow", ("@shoulder", "elbow", "@wrist"), "elbow_width"),
    ),
    "wrist": ("wrist_center", "wrist_ulnar+wrist_radial"),
    "knuckle": ("knuckle", "knuckle_ulnar+knuckle_radial"),
    "toe": ("toe", "toe_medial+toe_lateral"),
}

#: Definitions of segment frames, also in this order; x is forward, y up, z to the right.
FRAMES: dict[str, tuple[Frame, ...]] = {}
for _row in read_data_rows(__file__, "segment_frames.csv"):
    _axes = (tuple(_row[axis].split("; ")) for axis in ("first", "second"))
    FRAMES[_row["segment"]] = (*FRAMES.get(_row["segment"], ()), Frame(_row["origin"], *_axes))

#: The foot of heel and toe; and Plug-in Gait's foot in the motion and in a static trial.
MARKER_FOOT = FRAMES["foot"][-1]
CARRIED_FOOT = Frame("@ankle", ("x", "@ankle", "@toe"), ("z", "z of shank"))
STANDING_FOOT = CARRIED_FOOT._replace(first=MARKER_FOOT.first)

#: The axes of the successive angles of joints.
SEQUENCES = dict.fromkeys(("hip", "knee", "ankle", "elbow", "wrist"), "zxy")
SEQUENCES |= dict.fromkeys(("pelvis", "thorax", "spine"), "zxy")
SEQUENCES |= {"clavicle": "yxz", "shoulder": "yxy"}

#: The necessary and the optional segments of each part of the body.
PARTS: dict[str, tuple[str, ...]] = {
    "legs": ("pelvis", "thigh", "shank", "foot"),
    "trunk": ("thorax",),
    "arms": ("thorax", "upper_arm", "forearm"),
}
OPTIONAL = {"arms": ("clavicle", "hand")}

#: For each joint: the joint above it, and the segment between them, whose markers move with it.
JOINT_ABOVE = {
    "knee": ("hip", "thigh"),
    "ankle": ("knee", "shank"),
    "elbow": ("shoulder", "upper_arm"),
    "wrist": ("elbow", "forearm"),
}
CLUSTER_ROLES = tuple(f"{x}{n}" for _, x in JOINT_ABOVE.values() for n in ("", *CLUSTER_SUFFIXES))

#: Segments and roles without a side.
MIDDLE_SEGMENTS = ("pelvis", "thorax")
MIDDLE_ROLES = ("jugular", "xiphoid", "c7", "t8", "neck")


def names_in(definition: Any) -> list[str]:
    """Return the names of all points and axes that a definition needs."""
    if isinstance(definition, Below):
        name = definition.marker
        return [name, f"left_{name}", f"right_{name}", "y of thorax"]
    is_point = isinstance(definition, str)
    names: Iterable[str] = [definition] if is_point else getattr(definition, "spines", ())
    if isinstance(definition, Frame):
        names = (definition.origin, *definition.first[1:], *definition.second[1:])
    elif isinstance(definition, Chord):
        beside = [definition.beside] if isinstance(definition.beside, str) else definition.beside
        names = (definition.above, definition.lateral, *beside)
    return [one for name in names for one in name.split("+")]


def with_side(name: str, side: str) -> str:
    """Return a role with a side, unless it has a side or is in the middle of the body."""
    has_side = name.startswith(("left_", "right_")) or name in MIDDLE_ROLES
    return name if has_side else f"{side}_{name}"


def _roles(definitions: Iterable[Any]) -> dict[str, None]:
    """Return the roles of both sides that some definitions need, as keys of a dict."""
    found: dict[str, None] = {}
    for side in SIDES:
        own = (name for definition in definitions for name in names_in(definition))
        found |= {with_side(n, side): None for n in own if n[0] != "@" and " of " not in n}
    return found


_ALL_DEFINITIONS = [x for table in (CENTERS, FRAMES) for own in table.values() for x in own]
ROLES = (*_roles(_ALL_DEFINITIONS), *(f"{side}_{name}" for side in SIDES for name in CLUSTER_ROLES))


def roles_of_parts(parts: Iterable[str]) -> set[str]:
    """Return all roles that definitions for parts of the body ("legs", "arms") can use."""
    joints = {
        "legs": ("hip", "knee", "ankle", "toe"),
        "arms": ("shoulder", "elbow", "wrist", "knuckle"),
    }
    found = {"left_heel", "right_heel"} if "legs" in parts else set()
    for part in parts:
        segments = (*PARTS[part], *OPTIONAL.get(part, ()))
        definitions = [x for name in segments for x in FRAMES[name]]
        definitions += [x for joint in joints.get(part, ()) for x in CENTERS[joint]]
        found |= set(_roles(definitions))
        own = [name for name in CLUSTER_ROLES if name.rstrip("_234") in segments]
        found |= {f"{side}_{name}" for side in SIDES for name in own}
    return found


_markers = read_data_rows(__file__, "marker_sets.csv")

#: Marker sets by name: role to marker; markers may be missing.
MARKER_SETS = {
    name: {row["role"]: row[name] for row in _markers if row[name]}
    for name in [*_markers[0]][1:]  # the first column is "role"
}

#: The hip regression of a set if the leg length is known; the default is Davis'.
HIPS = {"cgm2": "hara"}


@dataclass(frozen=True, eq=False)
class MarkerSet(Pickled):
    """Names of markers, and the definitions of joint centres and segment frames by these markers.

    Parameters
    ==========

    name : str
        The set of markers and names: "plug-in gait", "cgm2", "helen hayes", "ior", "qualisys",
        "isb", "opensim", "opencap", "key points".
    markers : mapping of str to str, optional
        Names of single markers by their roles, in place of the set's names:
        ``{"left_psis": "SACR"}``.
    frames : mapping of str to Frame, optional
        Frames of segments: pelvis, thigh, shank, foot, thorax, clavicle, upper_arm, forearm, hand.
    sequences : mapping of str to str, optional
        Axes of the successive angles of joints: ``{"pelvis": "yxz"}``; of pelvis, hip, knee, ankle,
        thorax, spine, clavicle, shoulder, elbow, wrist.

    Raises
    ======

    TypeError, ValueError
        If there is no such set, role, segment or joint, a frame is not a Frame, or a sequence does
        not have three axes.

    See Also
    ========

    lower_limbs, upper_limbs, gait_report : Take a set, or its name, as ``marker_set``.

    Notes
    =====

    The sets are *plug-in gait* and *helen hayes* [1]_ (names of Vicon and of Motion Analysis);
    *cgm2* [2]_ with clusters; *ior* (CAST) [3]_ [4]_ with the names of Van Sint Jan, "LFLE";
    *qualisys* with "L_FLE"; *isb* [5]_ [6]_; *opensim*, of OpenSim's trials; *opencap* [7]_, also
    for Pose2Sim with markers that a network adds; and *key points* of Pose2Sim [8]_ (HALPE 26).
    Key points do not determine the rotations about the long axes of thigh and shank, so these have
    no curves.  Frames and sequences are those of the ISB [5]_ [6]_: z, x, y; for the shoulder
    y, x, y and for the clavicle y, x, z.  The shank is defined as in [3]_ if the head of the fibula
    and the tibial tuberosity have markers; otherwise the lateral marker defines z of thigh and
    shank, as in [1]_.  A shoulder centre without a marker is below the acromion by 17 % of the
    distance between both acromions [9]_.

    References
    ==========

    .. [1] R. B. Davis, S. Ounpuu, D. Tyburski, J. R. Gage, A gait analysis data collection and
       reduction technique, Human Movement Science 10 (1991), 575-587.
    .. [2] F. Leboeuf, R. Baker, A. Barre, J. Reay, R. Jones, M. Sangeux, The conventional gait
       model, an open-source implementation that reproduces the past but prepares for the future,
       Gait & Posture 69 (2019), 235-241; https://pycgm2.github.io.
    .. [3] A. Cappozzo, F. Catani, U. Della Croce, A. Leardini, Position and orientation in space of
       bones during movement: anatomical frame definition and determination, Clinical
       Biomechanics 10 (1995), 171-178.
    .. [4] A. Leardini, Z. Sawacha, G. Paolini, S. Ingrosso, R. Nativo, M. G. Benedetti, A new
       anatomically based protocol for gait analysis in children, Gait & Posture 26 (2007), 560-571.
    .. [5] G. Wu et al., ISB recommendation on definitions of joint coordinate system of various
       joints for the reporting of human joint motion - part I: ankle, hip, and spine, Journal of
       Biomechanics 35 (2002), 543-548.
    .. [6] G. Wu et al., the same - part II: shoulder, elbow, wrist and hand, Journal of
       Biomechanics 38 (2005), 981-992.
    .. [7] S. D. Uhlrich et al., OpenCap: human movement dynamics from smartphone videos, PLOS
       Computational Biology 19 (2023), e1011462.
    .. [8] D. Pagnon, M. Domalain, L. Reveret, Pose2Sim: an open-source Python package for multiview
       markerless kinematics, Journal of Open Source Software 7 (2022), 4362.
    .. [9] G. Rab, K. Petuskey, A. Bagley, A method for determination of upper extremity kinematics,
       Gait & Posture 15 (2002), 113-119.

    Examples
    ========

    >>> import jointwrench as jw
    >>> mine = jw.gait.MarkerSet("cgm2", {"left_psis": "SACR", "right_psis": "SACR"})
    >>> mine.markers["left_thigh_2"], mine.markers["left_psis"]
    ('LTHAP', 'SACR')
    >>> mine.sequences["shoulder"]
    'yxy'
    """

    name: str = "plug-in gait"
    markers: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, Any] = field(default_factory=dict)
    sequences: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("name", self.name, MARKER_SETS)
        check_instance("markers", self.markers, Mapping, "a mapping of roles to markers")
        for role, marker in self.markers.items():
            check_choice("markers", role, ROLES)
            check_name(f"markers[{role!r}]", marker)
        for segment, frame in check_instance("frames", self.frames, Mapping, "a mapping").items():
            check_choice("frames", segment, FRAMES)
            check_instance(f"frames[{segment!r}]", frame, Frame, "a Frame")
            _check_frame(f"frames[{segment!r}]", frame)
        sequences = check_instance("sequences", self.sequences, Mapping, "a mapping")
        for joint, axes in sequences.items():
            check_choice("sequences", joint, SEQUENCES)
            check_choice(f"sequences[{joint!r}]", axes, THREE)
        vars(self).update(
            markers=MARKER_SETS[self.name] | dict(self.markers),
            frames=FRAMES | {segment: (frame,) for segment, frame in self.frames.items()},
            sequences=SEQUENCES | dict(self.sequences),
        )

    def __repr__(self) -> str:
        return f"MarkerSet({self.name!r}: {len(self.markers)} markers)"

    def roles(self, parts: Iterable[str] = ("legs",)) -> dict[str, str]:
        """Return the markers of some ``parts`` of the body ("legs", "trunk", "arms") by role.

        Raises
        ======

        ValueError
            If there is no such part.

        See Also
        ========

        lower_limbs : Takes the set.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.gait.MarkerSet("key points").roles()["left_knee_center"]
        'LKnee'
        """
        wanted = check_sequence("parts", parts, "a sequence of parts of the body")
        for part in wanted or [None]:
            check_choice("parts", part, PARTS)
        own = roles_of_parts(wanted)
        return {role: name for role, name in self.markers.items() if role in own}


def _check_frame(argument: str, frame: Frame) -> None:
    """Refuse unknown axes and points."""
    for axis in (frame.first, frame.second):
        if (
            len(axis) not in (2, 3, 4)
            or axis[0] not in AXES
            or (len(axis) == 2) != (" of " in axis[-1])
        ):
            raise ValueError(
                f"`{argument}` must have axes of a letter and two or three places, or of another "
                f"segment, got {axis!r}. Use for instance ('y', '@ankle', '@knee')."
            )
    if frame.first[0] == frame.second[0]:
        raise ValueError(f"`{argument}` must have two axes, got {frame.first[0]!r} twice.")
    for name in names_in(frame):
        if name[0] == "@":
            check_choice(argument, name[1:].removeprefix("left_").removeprefix("right_"), CENTERS)
        elif " of " in name:
            check_choice(argument, name[5:], FRAMES)
            check_choice(argument, name[0], AXES)
        else:
            check_choice(argument, with_side(name, "left"), ROLES)


def marker_set_of(marker_set: Any) -> MarkerSet:
    """Return the MarkerSet of an argument: a set, its name, or a mapping of roles to markers."""
    if isinstance(marker_set, MarkerSet):
        return marker_set
    if isinstance(marker_set, str):
        return MarkerSet(check_choice("marker_set", marker_set, MARKER_SETS))
    expected = "a MarkerSet, its name, or a mapping of roles to markers"
    for role in check_instance("marker_set", marker_set, Mapping, expected):
        check_choice("marker_set", role, ROLES)
    return MarkerSet(markers=marker_set)
