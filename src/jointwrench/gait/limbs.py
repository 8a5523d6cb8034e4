"""Limbs in space from a marker set: joint centres, frames of segments, `MarkerSegment`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance
from ..checks.numbers import check_bool
from ..checks.pickles import Pickled
from ..recordings.marker_paths import Markers
from .anthropometry import SIDES, Person, segment_of_length
from .body_from_markers import MarkerBody
from .joint_centers import MARKER_RADIUS, METHODS, check_metres
from .marker_segments import MarkerSegment
from .marker_sets import OPTIONAL, PARTS, marker_set_of
from .markers import Poses


@dataclass(frozen=True, eq=False, repr=False)
class Limbs(Pickled):
    """Joint centres and segment frames of a person over time, in the laboratory's axes."""

    times: np.ndarray
    person: Person
    centers: dict[str, np.ndarray]
    frames: dict[str, Poses]

    def __repr__(self) -> str:
        instants = f"{len(self.times)} instants, {self.times[0]:g} to {self.times[-1]:g}"
        return f"{type(self).__name__}({', '.join(self.frames)}: {instants})"


@dataclass(frozen=True, eq=False, repr=False)
class LowerLimbs(Limbs):
    """Pelvis, thighs, shanks and feet over time, in the laboratory's axes; made by `lower_limbs`.

    The frames have x forward, y up and z to the right.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    person : Person
        The person with these legs.
    centers : dict of str to numpy.ndarray, shape (N, 3)
        The joint centres "hip_left", "knee_left", "ankle_left", and on the right.
    frames : dict of str to Poses
        The frames "pelvis", "thigh_left", "shank_left", "foot_left", and on the right.
    feet : dict of str to numpy.ndarray, shape (N, 2, 3)
        Heel and toe of the "left" and the "right" foot, for `ground_reactions`.
    sequences : mapping of str to str
        Axes of the angles, by joint and side.  Default: the axes of Grood and Suntay.

    See Also
    ========

    lower_limbs : Makes the legs from markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> markers = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).markers.in_metres()
    >>> limbs = jw.gait.lower_limbs(markers.between(0.5, 0.6), jw.gait.Person(1.8, 70.0))
    >>> limbs.centers["knee_left"].shape
    (11, 3)
    """

    feet: dict[str, np.ndarray]
    sequences: Mapping[str, str] = field(default_factory=dict)

    def segments(self, side: str) -> list[MarkerSegment]:
        """Return the segments of a ``side``, "left" or "right", from pelvis to foot.

        The pelvis has no mass.  The joints are "pelvis", "hip_left", "knee_left", "ankle_left".

        See Also
        ========

        segment_wrenches : Takes segments.

        Examples
        ========

        >>> import jointwrench as jw
        >>> markers = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).markers.in_metres()
        >>> limbs = jw.gait.lower_limbs(markers.between(0.5, 0.6), jw.gait.Person(1.8, 70.0))
        >>> [segment.name for segment in limbs.segments("left")]
        ['pelvis', 'thigh_left', 'shank_left', 'foot_left']
        """
        check_choice("side", side, SIDES)
        hip, knee, ankle = (self.centers[f"{joint}_{side}"] for joint in ("hip", "knee", "ankle"))
        heel, toe = self.feet[side][:, 0], self.feet[side][:, 1]
        behind = heel if self.person.table["foot"].ends.startswith("heel") else ankle
        return [
            massless_segment("pelvis", self.frames["pelvis"], self.sequences),
            _segment(self, "thigh", "hip", side, hip, knee),
            _segment(self, "shank", "knee", side, knee, ankle),
            _segment(self, "foot", "ankle", side, behind, toe),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class UpperLimbs(Limbs):
    """Thorax and arms over time, in the laboratory's axes; made by `upper_limbs`.

    The frames have x forward, y up and z to the right when the arms hang with palms forward.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    person : Person
        The person with these arms.
    centers : dict of str to numpy.ndarray, shape (N, 3)
        The joint centres "shoulder_left", "elbow_left", "wrist_left", optionally "knuckle_left",
        and on the right.
    frames : dict of str to Poses
        The frames "thorax", "upper_arm_left", "forearm_left", optionally "clavicle_left" and
        "hand_left", and on the right.
    sequences : mapping of str to str
        Axes of the angles, by joint and side.

    See Also
    ========

    upper_limbs : Makes the arms from markers.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> jw.gait.UpperLimbs(np.arange(5), jw.gait.Person(1.8, 70.0), {}, {"thorax": None}, {})
    UpperLimbs(thorax: 5 instants, 0 to 4)
    """

    sequences: Mapping[str, str]

    def segments(self, side: str) -> list[MarkerSegment]:
        """Return the segments of a ``side``: thorax, upper arm, forearm and hand.

        The thorax has no mass.  The joints are "thorax", "shoulder_left", "elbow_left",
        "wrist_left".  The argument ``loads={"hand_left": ...}`` of `segment_wrenches` adds a load
        in the hand.

        Raises
        ======

        ValueError
            If there are no markers of that arm.

        See Also
        ========

        segment_wrenches : Takes segments.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> names = ["IJ", "PX", "C7", "T8", "RGH", "REL", "REM", "RRS", "RUS"]
        >>> trunk = [[0.05, 0, 0], [0.08, -0.15, 0], [-0.08, 0, 0], [-0.1, -0.15, 0]]
        >>> arm = [[0, 0, 0.2], [0, -0.3, 0.24], [0, -0.3, 0.16], [0, -0.5, 0.23], [0, -0.5, 0.2]]
        >>> places = np.tile([*trunk, *arm], (5, 1, 1))
        >>> markers = jw.recordings.Markers(range(5), names, places, {"Units": "m"})
        >>> limbs = jw.gait.upper_limbs(markers, jw.gait.Person(1.8, 70.0), "isb")
        >>> [segment.joint for segment in limbs.segments("right")]
        ['thorax', 'shoulder_right', 'elbow_right']
        """
        check_choice("side", side, SIDES)
        check_choice("side", f"upper_arm_{side}", self.frames)
        ends = [self.centers[f"{joint}_{side}"] for joint in ("shoulder", "elbow", "wrist")]
        chain = [
            massless_segment("thorax", self.frames["thorax"], self.sequences),
            _segment(self, "upper_arm", "shoulder", side, ends[0], ends[1]),
            _segment(self, "forearm", "elbow", side, ends[1], ends[2]),
        ]
        if f"hand_{side}" in self.frames:
            knuckle = self.centers[f"knuckle_{side}"]
            chain.append(_segment(self, "hand", "wrist", side, ends[2], knuckle))
        return chain


def massless_segment(
    name: str, frame: Poses, sequences: Mapping[str, str] = MappingProxyType({})
) -> MarkerSegment:
    """Return a segment without mass, for the angles and moments relative to its frame."""
    ends, own = (frame.positions, frame.positions), sequences.get(name, "zxy")
    return MarkerSegment(name, *ends, 0, 0, np.zeros(3), rotations=frame, sequence=own)


def _segment(
    limbs: Any, name: str, joint: str, side: str, proximal: np.ndarray, distal: np.ndarray
) -> MarkerSegment:
    """Return a segment with the mass of the person's table and the mean length of its markers."""
    length = float(np.linalg.norm(distal - proximal, axis=-1).mean())
    own = segment_of_length(limbs.person, name, length)
    # a foot is horizontal in its frame, other segments are vertical
    about_z, (x, y) = own.inertias[1], own.inertias[::2]
    inertia = [y, x, about_z] if name == "foot" else [x, y, about_z]
    return MarkerSegment(
        f"{name}_{side}",
        proximal,
        distal,
        own.mass,
        limbs.person.table[name].center,
        inertia,
        f"{joint}_{side}",
        limbs.centers[f"{joint}_{side}"],
        rotations=limbs.frames[f"{name}_{side}"],
        sequence=limbs.sequences.get(f"{joint}_{side}", "zxy"),
    )


def lower_limbs(
    markers: Markers,
    person: Person,
    marker_set: Any = "plug-in gait",
    *,
    static: Markers | None = None,
    foot_flat: bool = False,
    hip: str = "harrington",
    leg_length: float | None = None,
    asis_distance: float | None = None,
    knee_width: float | None = None,
    ankle_width: float | None = None,
    marker_radius: float = MARKER_RADIUS,
) -> LowerLimbs:
    """Return the `LowerLimbs` of a marker set: joint centres and segment frames of both legs.

    Thigh and shank have y along the segment from the distal to the proximal joint and z in the
    plane of the lateral marker; the foot has x along heel and toe, and z in the plane of
    ``left_toe_lateral`` (the fifth metatarsal).  Without that marker the foot's plane contains the
    knee, and inversion is not measured.  If there is a ``static`` trial, the foot is then the foot
    of Plug-in Gait: it rotates with the line from ankle to toe and the shank's z axis, and its x
    axis is along heel and toe in the static trial.

    Parameters
    ==========

    markers : Markers
        In metres, without gaps: ``markers.in_metres().smoothed().between(...)``.
    person : Person
        The person, whose table has the masses; lengths are those of the markers.
    marker_set : MarkerSet, its name, or mapping of str to str
        The names of markers by role; a mapping changes names of Plug-in Gait.  Roles:
        ``right_asis``, ``left_asis``, ``right_psis``, ``left_psis`` (one marker on the sacrum can
        have both roles), and on each side ``left_knee``, ``left_ankle`` (both lateral),
        ``left_heel``, ``left_toe``; and either ``left_knee_medial`` and ``left_ankle_medial``, or
        the wands ``left_thigh`` and ``left_shank``, or the centres themselves, ``left_hip_center``,
        ``left_knee_center``, ``left_ankle_center``.  `MarkerSet` has other names and definitions.
    static : Markers, optional
        A standing trial, in metres, with the medial markers.  The lateral markers can also be
        absent from the motion, if at least three markers are on the segment above the joint:
        ``left_thigh``, ``left_thigh_2``, ``left_thigh_3``.
    foot_flat : bool
        Whether soles are level in the static trial.  The heels then count as if they were as high
        as the toes (an option of Plug-in Gait).
    hip : {"harrington", "davis", "hara"}
        The predictors of the hip regression: width and depth of the pelvis [1]_; leg length and
        width, as in Plug-in Gait [2]_; or only the leg length, as in CGM 2 [3]_.
    leg_length : float, optional
        Measured value in metres, for Davis and Hara.
    asis_distance : float, optional
        Measured value in metres, for Harrington and Davis.  Default: the distance of the markers.
    knee_width, ankle_width : float, optional
        Measured values in metres, for knees and ankles without medial markers.
    marker_radius : float
        The radius of a marker with its base, in metres.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, or a necessary marker or width is missing; if
        ``foot_flat`` is True without a static trial, or with markers that determine the foot's
        plane; if the leg length is missing for Davis or Hara, or the width of the pelvis is
        implausible.

    See Also
    ========

    gait_report : Computes joint moments from markers and plates.

    References
    ==========

    .. [1] M. E. Harrington, A. B. Zavatsky, S. E. M. Lawson, Z. Yuan, T. N. Theologis, Prediction
       of the hip joint centre in adults, children, and patients with cerebral palsy based on
       magnetic resonance imaging, Journal of Biomechanics 40 (2007), 595-602.
    .. [2] R. B. Davis, S. Ounpuu, D. Tyburski, J. R. Gage, A gait analysis data collection and
       reduction technique, Human Movement Science 10 (1991), 575-587.
    .. [3] R. Hara, J. McGinley, C. Briggs, R. Baker, M. Sangeux, Predicting the location of the hip
       joint centres, impact of age group and sex, Scientific Reports 6 (2016), 37707.

    Examples
    ========

    >>> import jointwrench as jw
    >>> markers = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).markers.in_metres()
    >>> limbs = jw.gait.lower_limbs(markers.between(0.5, 0.6), jw.gait.Person(1.8, 70.0))
    >>> limbs.centers["knee_left"].shape
    (11, 3)
    """
    sizes = {"leg_length": leg_length, "knee_width": knee_width, "ankle_width": ankle_width}
    sizes = _check_sizes(person, marker_radius, sizes | {"asis_distance": asis_distance})
    sizes["method"] = check_choice("hip", hip, METHODS)
    described = marker_set_of(marker_set)
    body = MarkerBody(markers, described, sizes, static)
    heels = [f"{side}_heel" for side in SIDES]
    body.check(PARTS["legs"], SIDES, heels)
    if check_bool("foot_flat", foot_flat):
        body.flatten_feet(SIDES)
    joints = ("hip", "knee", "ankle")
    centers = {f"{joint}_{s}": body.center(joint, s) for s in SIDES[::-1] for joint in joints}
    frames = {"pelvis": body.frame("pelvis", "right")}
    for side in SIDES:
        frames |= {f"{x}_{side}": body.frame(x, side) for x in PARTS["legs"][1:]}
    ends = {s: (body.positions[f"{s}_heel"], body.center("toe", s)) for s in SIDES}
    feet = {side: np.stack(pair, axis=1) for side, pair in ends.items()}
    moved = dict(zip(joints, PARTS["legs"][1:], strict=True))
    turns = _angle_sequences(body, described.sequences, moved)
    return LowerLimbs(markers.times, person, centers, frames, feet, turns)


def upper_limbs(
    markers: Markers,
    person: Person,
    marker_set: Any = "plug-in gait",
    *,
    static: Markers | None = None,
    elbow_width: float | None = None,
    marker_radius: float = MARKER_RADIUS,
) -> UpperLimbs:
    """Return the `UpperLimbs` of a marker set: joint centres and frames of thorax and arms.

    Frames and angles follow the ISB; the angles of the shoulder (upper arm relative to thorax) are
    about y, x and y.  An arm without markers is omitted.

    Parameters
    ==========

    markers : Markers
        In metres, without gaps: ``markers.in_metres().smoothed().between(...)``.
    person : Person
        The person, whose table has the masses; lengths are those of the markers.
    marker_set : MarkerSet, its name, or mapping of str to str
        The names of markers by role.  Roles: on the thorax ``jugular``, ``xiphoid``, ``c7`` and
        ``t8``; on each side ``left_acromion`` or ``left_shoulder_center``, ``left_elbow`` (lateral)
        and ``left_elbow_medial``, ``left_wrist_radial`` and ``left_wrist_ulnar``, optionally
        ``left_knuckle`` (of the third finger), ``left_knuckle_radial``, ``left_knuckle_ulnar`` and
        ``left_sternoclavicular``.
    static : Markers, optional
        A standing trial, in metres, with medial markers of the elbows.
    elbow_width : float, optional
        Measured value in metres, for elbows without medial markers.
    marker_radius : float
        The radius of a marker with its base, in metres.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, or a necessary marker or width is missing.

    See Also
    ========

    lower_limbs : Pelvis and legs.

    References
    ==========

    See `MarkerSet`.

    Examples
    ========

    An arm that hangs down:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> names = ["IJ", "PX", "C7", "T8", "RGH", "REL", "REM", "RRS", "RUS"]
    >>> trunk = [[0.05, 0, 0], [0.08, -0.15, 0], [-0.08, 0, 0], [-0.1, -0.15, 0]]
    >>> arm = [[0, 0, 0.2], [0, -0.3, 0.24], [0, -0.3, 0.16], [0, -0.5, 0.23], [0, -0.5, 0.2]]
    >>> places = np.tile([*trunk, *arm], (5, 1, 1))
    >>> markers = jw.recordings.Markers(range(5), names, places, {"Units": "m"})
    >>> jw.gait.upper_limbs(markers, jw.gait.Person(1.8, 70.0), "isb")
    UpperLimbs(thorax, upper_arm_right, forearm_right: 5 instants, 0 to 4)
    """
    sizes = {"marker_radius": marker_radius, "elbow_width": elbow_width, "method": "harrington"}
    return thorax_and_arms(markers, person, marker_set, static, sizes)


def thorax_and_arms(
    markers: Markers,
    person: Person,
    marker_set: Any,
    static: Markers | None,
    sizes: Mapping[str, Any],
    parts: Sequence[str] = ("arms",),
) -> UpperLimbs:
    """Return the UpperLimbs of thorax and arms, or only of the thorax without "arms" in parts.

    ``sizes`` has the radius of markers, the width of elbows or None, and the method for hips.
    """
    method, lengths = sizes["method"], {"elbow_width": sizes["elbow_width"]}
    known = _check_sizes(person, sizes["marker_radius"], lengths)
    described = marker_set_of(marker_set)
    body = MarkerBody(markers, described, known | {"method": method}, static)
    has_arms = "arms" in parts
    sides = [s for s in SIDES if has_arms and body.has("upper_arm", s)] or ["right"]
    body.check(PARTS["arms" if has_arms else "trunk"], sides, ())
    frames = {"thorax": body.frame("thorax", "right")}
    centers: dict[str, np.ndarray] = {}
    for side in sides if has_arms else ():
        own = [x for x in OPTIONAL["arms"] if body.has(x, side)]
        frames |= {f"{x}_{side}": body.frame(x, side) for x in (*PARTS["arms"][1:], *own)}
        joints = ("shoulder", "elbow", "wrist", *(["knuckle"] if "hand" in own else []))
        centers |= {f"{joint}_{side}": body.center(joint, side) for joint in joints}
    ends = {"clavicle": "clavicle", "shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand"}
    turns = _angle_sequences(body, described.sequences, ends)
    return UpperLimbs(markers.times, person, centers, frames, turns)


def _check_sizes(person: Any, radius: float, lengths: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked lengths that were measured, and the radius of markers, in metres."""
    check_instance("person", person, Person, "a Person")
    known = {name: check_metres(name, x) for name, x in lengths.items() if x is not None}
    return known | {"marker_radius": check_metres("marker_radius", radius)}


def _angle_sequences(
    body: MarkerBody, sequences: Mapping[str, str], joints: Mapping[str, str]
) -> dict[str, str]:
    """Return the axes of angles by joint and side, without the last axis if it is not measured."""
    found = {name: sequences[name] for name in ("pelvis", "thorax", "spine")}
    for joint, segment in joints.items():
        axes = sequences[joint]
        for side in SIDES:
            is_complete = axes[0] == axes[-1] or body.is_measured(segment, side)
            found[f"{joint}_{side}"] = axes if is_complete else axes[:2]
    return found
