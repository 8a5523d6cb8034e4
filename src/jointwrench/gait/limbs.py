"""Lower limbs in space from a marker set: joint centres, frames of segments, `MarkerSegment`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, enumerate_some
from ..checks.numbers import check_positive
from ..recordings.marker_paths import Markers
from .anthropometry import SIDES, Person, segment_of_length
from .joint_centers import (
    MARKER_RADIUS,
    METHODS,
    carried_points,
    check_metres,
    chord_center,
    hip_centers,
    pelvis_frame,
)
from .marker_segments import MarkerSegment
from .markers import Poses, frame_of_markers

#: What a marker is in a set of them: of the pelvis, and of each side.
PELVIS_ROLES = ("right_asis", "left_asis", "right_psis", "left_psis")
LEG_ROLES = ("knee", "ankle", "heel", "toe")
OTHER_ROLES = ("thigh", "shank", "knee_medial", "ankle_medial", "toe_lateral")

#: More markers on a thigh or shank, which carry what was seen in a static trial only.
MORE = ("_2", "_3", "_4")

#: Places over time, or in a static trial, by role or joint.
Places = Mapping[str, np.ndarray]

#: The joint above each joint, and the segment between them.
ABOVE = {"knee": ("hip", "thigh"), "ankle": ("knee", "shank")}


_VICON = {"thigh": "THI", "knee": "KNE", "shank": "TIB", "ankle": "ANK"}
_VICON |= {"heel": "HEE", "toe": "TOE", "knee_medial": "KNM", "ankle_medial": "MED"}

#: Sets of markers by name: role to marker; the medial ones may be missing.
MARKER_SETS = {
    "plug-in gait": dict(zip(PELVIS_ROLES, ("RASI", "LASI", "RPSI", "LPSI"), strict=True))
    | {f"{side}_{role}": side[0].upper() + x for side in SIDES for role, x in _VICON.items()}
}


@dataclass(frozen=True, eq=False)
class LowerLimbs:
    """Pelvis, thighs, shanks and feet over time, in the laboratory's axes; made by `lower_limbs`.

    The frames have x forward, y up and z to the right.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    person : Person
        Whose legs they are.
    centers : dict of str to numpy.ndarray, shape (N, 3)
        "hip_left", "knee_left", "ankle_left", and those of the right.
    frames : dict of str to Poses
        "pelvis", "thigh_left", "shank_left", "foot_left", and those of the right.
    feet : dict of str to numpy.ndarray, shape (N, 2, 3)
        Heel and toe of "left" and "right", as `ground_reactions` takes them.

    See Also
    ========

    lower_limbs : Its arguments.

    Examples
    ========

    >>> import jointwrench as jw
    >>> markers = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).markers.in_metres()
    >>> limbs = jw.gait.lower_limbs(markers.between(0.5, 0.6), jw.gait.Person(1.8, 70.0))
    >>> limbs.centers["knee_left"].shape
    (11, 3)
    """

    times: np.ndarray
    person: Person
    centers: dict[str, np.ndarray]
    frames: dict[str, Poses]
    feet: dict[str, np.ndarray]

    def __repr__(self) -> str:
        instants = f"{len(self.times)} instants, {self.times[0]:g} to {self.times[-1]:g}"
        return f"LowerLimbs({', '.join(self.frames)}: {instants})"

    def segments(self, side: str) -> list[MarkerSegment]:
        """Return the segments of a ``side``, "left" or "right": pelvis (without mass) to foot.

        The joints are "pelvis", "hip_left", "knee_left", "ankle_left".

        See Also
        ========

        segment_wrenches : Takes them.

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
        pelvis = self.frames["pelvis"]
        ends = pelvis.positions, hip
        chain = [MarkerSegment("pelvis", *ends, 0, 0, np.zeros(3), rotations=pelvis)]
        heel, toe = self.feet[side][:, 0], self.feet[side][:, 1]
        behind = heel if self.person.table["foot"].ends.startswith("heel") else ankle
        paths = {
            "thigh": ("hip", hip, knee, hip),
            "shank": ("knee", knee, ankle, knee),
            "foot": ("ankle", behind, toe, ankle),
        }
        for name, (joint, proximal, distal, place) in paths.items():
            length = float(np.linalg.norm(distal - proximal, axis=-1).mean())
            own = segment_of_length(self.person, name, length)
            center = self.person.table[name].center
            about_z, (x, y) = own.inertias[1], own.inertias[::2]  # of what stands upright
            inertia = [y, x, about_z] if name == "foot" else [x, y, about_z]
            at = f"{name}_{side}", proximal, distal, own.mass, center, inertia
            turns = self.frames[f"{name}_{side}"]
            chain.append(MarkerSegment(*at, f"{joint}_{side}", place, rotations=turns))
        return chain


def lower_limbs(
    markers: Markers,
    person: Person,
    marker_set: Any = "plug-in gait",
    *,
    static: Markers | None = None,
    hip: str = "harrington",
    leg_length: float | None = None,
    knee_width: float | None = None,
    ankle_width: float | None = None,
    marker_radius: float = MARKER_RADIUS,
) -> LowerLimbs:
    """Return both legs in space from a marker set: joint centres and frames, as `LowerLimbs`.

    Thigh and shank have y along the segment from the distal to the proximal joint and z in the
    plane of the lateral marker; the foot has x along heel and toe, and z in the plane of
    ``left_toe_lateral`` (the fifth metatarsal).  Without that marker the foot's plane goes through
    the knee: its inversion is not measured.

    Parameters
    ==========

    markers : Markers
        In metres, without gaps: ``markers.in_metres().smoothed().between(...)``.
    person : Person
        Whose masses they have; lengths are those of the markers.
    marker_set : "plug-in gait" or mapping of str to str
        Which marker is what; those that are not given are Plug-in Gait's.  Roles: ``right_asis``,
        ``left_asis``, ``right_psis``, ``left_psis`` (one marker on the sacrum for both), and of
        each side ``left_knee``, ``left_ankle`` (both lateral), ``left_heel``, ``left_toe``; and
        either ``left_knee_medial`` and ``left_ankle_medial``, or the wands ``left_thigh`` and
        ``left_shank``.
    static : Markers, optional
        A standing trial, in metres, in which there are the medial markers.  Lateral ones may be
        there alone, too, where three markers or more are on the segment above: ``left_thigh``,
        ``left_thigh_2``, ``left_thigh_3``.
    hip : {"harrington", "davis"}
        As for `hip_centers`.
    leg_length, knee_width, ankle_width : float, optional
        Measured, in metres: for Davis, and for knees and ankles without medial markers.
    marker_radius : float
        Of a marker with its base, in metres.

    Raises
    ======

    TypeError, ValueError
        If an argument is of the wrong type, a marker or a width that is needed is missing; as
        `hip_centers`.

    See Also
    ========

    gait_report : Does all at once.

    References
    ==========

    Those of `pelvis_frame` (Wu) for frames, of `hip_centers` (Davis) for centres by a chord.

    Examples
    ========

    >>> import jointwrench as jw
    >>> markers = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).markers.in_metres()
    >>> limbs = jw.gait.lower_limbs(markers.between(0.5, 0.6), jw.gait.Person(1.8, 70.0))
    >>> limbs.centers["knee_left"].shape
    (11, 3)
    """
    check_instance("markers", markers, Markers, "Markers", "Use read_c3d(...).markers.")
    check_instance("person", person, Person, "a Person")
    names = roles_of(marker_set)
    places = {role: markers[name] for role, name in names.items() if name in markers.names}
    check_choice("hip", hip, METHODS)
    sizes: dict[str, Any] = {"marker_radius": check_metres("marker_radius", marker_radius)}
    given = {"leg_length": leg_length, "knee_width": knee_width, "ankle_width": ankle_width}
    sizes |= {n: check_metres(n, length) for n, length in given.items() if length is not None}
    standing = None
    if static is not None:
        check_instance("static", static, Markers, "Markers", "Use read_c3d(...).markers.")
        standing = lower_limbs(static, person, names, hip=hip, **sizes)
        seen = [role for role, name in names.items() if name in static.names]
        rest = {role: np.nanmean(static[names[role]], axis=0) for role in seen}
        places |= _by_clusters(places, rest)
    if missing := [role for role in _needed(places) if role not in places]:
        texts = [f"{names[role]} ({role})" if role in names else role for role in missing]
        others = [name for name in markers.names if name not in names.values()]
        also = f"; other names there: {enumerate_some(others)}" if others else ""
        raise ValueError(
            f"`markers` must have {', '.join(texts)}. Say which marker is what by "
            f'marker_set={{"{missing[0]}": ..., }}{also}.'
        )
    _check_whole(places, names)
    back = (places["right_psis"] + places["left_psis"]) / 2
    spines = places["right_asis"], places["left_asis"]
    hips = hip_centers(*spines, back, hip, leg_length, marker_radius)
    centers = dict(zip(("hip_right", "hip_left"), hips, strict=True))
    frames, feet = {"pelvis": pelvis_frame(*spines, back)}, {}
    for side in SIDES:
        for joint, (above, _) in ABOVE.items():
            name, proximal = f"{joint}_{side}", centers[f"{above}_{side}"]
            if standing is not None and f"{side}_{joint}_medial" not in places:
                centers[name] = _carried(places, rest, standing, joint, side, proximal)
            else:
                centers[name] = _center(places, joint, side, proximal, sizes)
        frames |= _frames(places, centers, side)
        feet[side] = np.stack([places[f"{side}_heel"], places[f"{side}_toe"]], axis=1)
    return LowerLimbs(markers.times, person, centers, frames, feet)


def roles_of(marker_set: Any) -> dict[str, str]:
    """Return the markers of a set, by role."""
    if isinstance(marker_set, str):
        return MARKER_SETS[check_choice("marker_set", marker_set, MARKER_SETS)]
    check_instance("marker_set", marker_set, Mapping, "a name or a mapping of roles to markers")
    more = [f"{segment}{number}" for _, segment in ABOVE.values() for number in MORE]
    roles = [f"{side}_{role}" for side in SIDES for role in (*LEG_ROLES, *OTHER_ROLES, *more)]
    for role in marker_set:
        check_choice("marker_set", role, (*PELVIS_ROLES, *roles))
    return MARKER_SETS["plug-in gait"] | dict(marker_set)


def _needed(places: Mapping[str, Any]) -> list[str]:
    """Return the roles without which there are no legs."""
    needed = [*PELVIS_ROLES, *(f"{side}_{role}" for side in SIDES for role in LEG_ROLES)]
    knees = ((side, *item) for side in SIDES for item in ABOVE.items())
    open_ = (x for x in knees if f"{x[0]}_{x[1]}_medial" not in places)
    return needed + [f"{side}_{segment}" for side, _, (_, segment) in open_]


def _check_whole(places: Places, names: Mapping[str, str]) -> None:
    """Refuse gaps of the markers that are needed, all at once."""
    gaps = {}  # by marker: one may have two roles
    for role in _needed(places):
        if (rows := np.flatnonzero(~np.isfinite(places[role]).all(axis=1))).size:
            gaps[names[role]] = rows
    texts = [f"{name} ({len(rows)}, first in row {rows[0]})" for name, rows in gaps.items()]
    if texts:
        raise ValueError(
            f"`markers` must be known at each instant, got gaps of {enumerate_some(texts)}. Use "
            "markers.smoothed(max_gap=0.2), or markers.between(start, end)."
        )


def _seen_twice(places: Places, rest: Places, side: str, segment: str) -> list[str]:
    """Return the roles of a segment's own markers in the motion and in the static trial."""
    own = [f"{side}_{segment}{number}" for number in ("", *MORE)]
    return [role for role in own if role in places and role in rest]


def _by_clusters(places: Places, rest: Places) -> dict[str, np.ndarray]:
    """Return lateral markers that were there in a static trial only, by three more of a segment."""
    found = {}
    for joint, (_, segment) in ABOVE.items():
        for side in SIDES:
            lateral, own = f"{side}_{joint}", _seen_twice(places, rest, side, segment)
            if lateral not in places and lateral in rest and len(own) > 2:
                reference = np.stack([rest[role] for role in own])
                moving = np.stack([places[role] for role in own], axis=1)
                found[lateral] = carried_points(reference, rest[lateral][None], moving)[:, 0]
    return found


def _carried(
    places: Places, rest: Places, standing: LowerLimbs, joint: str, side: str, proximal: np.ndarray
) -> np.ndarray:
    """Return the centre of a joint that was found in a static trial, by the segment's markers."""
    above, segment = ABOVE[joint]
    own = [role for role in (f"{side}_{joint}",) if role in places and role in rest]
    own += _seen_twice(places, rest, side, segment)
    centers = {name: path.mean(axis=0) for name, path in standing.centers.items()}
    reference = np.stack([centers[f"{above}_{side}"], *(rest[role] for role in own)])
    moving = np.stack([proximal, *(places[role] for role in own)], axis=1)
    return carried_points(reference, centers[f"{joint}_{side}"][None], moving)[:, 0]


def _center(
    places: Places, joint: str, side: str, proximal: np.ndarray, sizes: Mapping[str, float]
) -> np.ndarray:
    """Return the centre of a knee or an ankle: between two markers, or by a chord."""
    lateral, medial = places[f"{side}_{joint}"], places.get(f"{side}_{joint}_medial")
    if medial is not None:
        return (lateral + medial) / 2
    if f"{joint}_width" not in sizes:
        raise ValueError(
            f"`{joint}_width` must be given, since there is no marker {side}_{joint}_medial. "
            "C3D files of Vicon have it in recording.subject.measures, in mm."
        )
    wand = places[f"{side}_{ABOVE[joint][1]}"]
    width = check_positive(f"{joint}_width", sizes[f"{joint}_width"])
    return chord_center(proximal, lateral, wand, width / 2 + sizes["marker_radius"])


def _frames(places: Places, centers: Places, side: str) -> dict[str, Poses]:
    right = 1 if side == "right" else -1
    found = {}
    for name, above, below in (("thigh", "hip", "knee"), ("shank", "knee", "ankle")):
        start, end = centers[f"{below}_{side}"], centers[f"{above}_{side}"]
        beside = start + right * (places[f"{side}_{below}"] - start)
        found[f"{name}_{side}"] = frame_of_markers(start, end, beside, axes="yz")
    ankle, toe = centers[f"ankle_{side}"], places[f"{side}_toe"]
    beside, axes = centers[f"knee_{side}"], "xy"
    if f"{side}_toe_lateral" in places:
        beside, axes = ankle + right * (places[f"{side}_toe_lateral"] - toe), "xz"
    forward = ankle + toe - places[f"{side}_heel"]
    found[f"foot_{side}"] = frame_of_markers(ankle, forward, beside, axes)
    return found
