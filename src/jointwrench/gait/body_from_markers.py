"""Joint centres and segment frames from markers, by the definitions of a marker set."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks.arguments import check_instance, enumerate_some
from ..checks.numbers import check_positive
from ..recordings.marker_paths import Markers, drop_unseen
from .anthropometry import SIDES
from .joint_centers import chord_center, hip_centers, transfer_points
from .marker_sets import (
    CARRIED_FOOT,
    CENTERS,
    CLUSTER_SUFFIXES,
    JOINT_ABOVE,
    MARKER_FOOT,
    MIDDLE_SEGMENTS,
    STANDING_FOOT,
    Below,
    Chord,
    Frame,
    MarkerSet,
    Regression,
    names_in,
    with_side,
)
from .markers import Poses, frame_of_points
from .segment_dynamics import euler_angles

#: Positions over time, (N, 3), or in a static trial, (3,), by role.
Places = Mapping[str, np.ndarray]

#: Cost of a missing role without a marker name in the set; other missing roles cost 1.
UNNAMED = 10

#: Endings of roles that a measured width of a joint can replace.
REPLACEABLE = ("medial", "thigh", "shank")


class MarkerBody:
    """Joint centres and segment frames over time, computed on request and cached.

    A marker set has several definitions of each centre and frame.  The first one whose markers all
    exist is used; without such a definition, the one with the fewest missing markers, for messages.

    Attributes
    ==========

    names : dict of str to str
        Names of markers by role ("left_knee").
    positions : dict of str to numpy.ndarray, shape (N, 3)
        Positions of the existing markers by role.
    sizes : mapping of str to number
        Measured widths and lengths, the radius of markers, and the regression of the hip.
    static_body, static_positions : MarkerBody or None, dict of str to numpy.ndarray, shape (3,)
        The static trial, and its mean positions of markers by role.
    """

    def __init__(
        self,
        markers: Markers,
        marker_set: MarkerSet,
        sizes: Mapping[str, Any],
        static: Markers | None = None,
    ) -> None:
        unseen, markers = set(_check_markers("markers", markers).names), drop_unseen(markers)
        self.unseen = unseen - {*markers.names}
        names = self.names = marker_set.markers
        self._alternatives: Mapping[str, Sequence[Any]] = CENTERS | dict(marker_set.frames)
        self.sizes = sizes
        self.markers = markers
        self.positions = {role: markers[n] for role, n in names.items() if n in markers.names}
        self.static_body: MarkerBody | None = None
        if static is not None:
            static = drop_unseen(_check_markers("static", static))
            self.static_body = MarkerBody(static, marker_set, sizes)
            still = self.static_body.positions.items()
            self.static_positions = {role: np.nanmean(path, axis=0) for role, path in still}
            self.positions |= _lateral_from_clusters(self.positions, self.static_positions)
        self._centers: dict[str, np.ndarray] = {}
        self._frames: dict[str, Poses] = {}
        self._extra_costs: dict[str, int] = {}
        self._definitions: dict[tuple[str, str], Any] = {}

    # -- definitions

    def definition(self, name: str, side: str) -> Any:
        """Return the definition of a centre or frame: the first possible one, or the cheapest."""
        if (name, side) not in self._definitions:
            chosen = self._choose_definition(self._alternatives[name], side)
            self._definitions[name, side] = chosen
        return self._definitions[name, side]

    def _choose_definition(self, definitions: Sequence[Any], side: str) -> Any:
        """Return the first definition without missing roles, else the last of least cost."""
        found = []
        for number, definition in enumerate(definitions):
            missing = set(self._missing_roles(definition, side))
            costs = (1 if role in self.names else UNNAMED for role in missing)
            cost = sum(costs, sum(self._extra_costs.get(role, 0) for role in missing))
            found.append((cost, -number if cost else number, definition))
        return min(found, key=lambda item: item[:2])[-1]

    def _roles(self, definition: Any, side: str) -> list[str]:
        """Return the roles that a definition needs, also through other centres and frames."""
        found = []
        for name in names_in(definition):
            if name[0] == "@" or " of " in name:
                other, own = _joint(name, side) if name[0] == "@" else (name[5:], side)
                found += self._roles(self.definition(other, own), own)
            else:
                found.append(with_side(name, side))
        return found

    def _missing_roles(self, definition: Any, side: str) -> list[str]:
        return [role for role in self._roles(definition, side) if role not in self.positions]

    def has(self, segment: str, side: str) -> bool:
        """Return whether the frame of a segment can be computed."""
        return not self._missing_roles(self.definition(segment, side), side)

    def is_measured(self, segment: str, side: str) -> bool:
        """Return whether markers determine a segment's rotation about its frame's first axis."""
        return " of " not in self.definition(segment, side).second[-1]

    def check(
        self, segments: Collection[str], sides: Collection[str], also: Collection[str]
    ) -> None:
        """Refuse missing markers of segments, and gaps of necessary markers, in both trials.

        ``also`` are further necessary roles.
        """
        # The second search for definitions avoids all missing roles but those that a width can
        # replace: it finds the alternatives that the message names.
        needed = dict.fromkeys(also)
        missing = [role for role in needed if role not in self.positions]
        missing += (own := self._missing_in_frames(segments, sides))
        avoided = [x for x in own if x.rpartition("_")[2] in REPLACEABLE]
        self._extra_costs = dict.fromkeys(own, -1) | dict.fromkeys(avoided, 1)
        self._definitions.clear()
        others = [x for x in self._missing_in_frames(segments, sides) if x not in own]
        self._check_missing(missing, others)
        for segment, side in product(segments, sides):
            needed |= dict.fromkeys(self._roles(self.definition(segment, side), side))
        gaps = {}  # by marker, which may have two roles
        for role in needed:
            if (rows := np.flatnonzero(~np.isfinite(self.positions[role]).all(axis=1))).size:
                gaps[self.names[role]] = rows
        if gaps:
            texts = [f"{name} ({len(x)}, first in row {x[0]})" for name, x in gaps.items()]
            raise ValueError(
                f"`markers` must be known at each instant, got gaps of {enumerate_some(texts)}. "
                "Use markers.smoothed(max_gap=0.2), or markers.between(start, end)."
            )
        if self.static_body is not None:
            self.static_body.check(segments, sides, also)

    def _missing_in_frames(self, segments: Collection[str], sides: Collection[str]) -> list[str]:
        """Return the missing roles of the frames of segments."""
        needed = ((self.definition(*pair), pair[1]) for pair in product(segments, sides))
        return [role for pair in needed for role in self._missing_roles(*pair)]

    def _check_missing(self, missing: Collection[str], instead: Collection[str]) -> None:
        """Refuse missing roles; the message names roles ``instead`` that can replace some."""
        if not missing:
            return
        names = self.names

        def describe(roles: Collection[str]) -> tuple[list[str], str]:
            found = sorted(dict.fromkeys(roles), key=lambda role: [*names, role].index(role))
            texts = {x: f"{x}, seen in no frame" for x, n in names.items() if n in self.unseen}
            named = (f"{names[x]} ({texts.get(x, x)})" if x in names else x for x in found)
            return found, ", ".join(named)

        lost, texts = describe(missing)
        if instead:
            texts += f"; or in place of some {describe(instead)[1]}, with the widths of joints"
        others = [name for name in self.markers.names if name not in names.values()]
        also = f"; other names there: {enumerate_some(others)}" if others else ""
        raise ValueError(
            f"`markers` must have {texts}. Assign markers to roles by "
            f'marker_set={{"{lost[0]}": ...{", ..." if lost[1:] else ""}}}{also}.'
        )

    # -- positions and frames

    @contextmanager
    def _name_collinear(self, definition: Any, side: str) -> Iterator[None]:
        """Name the markers of a definition in the error for collinear points."""
        try:
            yield
        except ValueError as error:
            if not str(error).startswith("`beside`"):  # of `frame_of_points`
                raise
            roles = self._roles(definition, side)
            names = ", ".join(dict.fromkeys(self.names[role] for role in roles))
            row = str(error).rpartition(" ")[2]
            raise ValueError(
                f"`markers` must not be in a line, as those that need a plane are in row {row} "
                f"Check {names}: one of them is wrong."
            ) from error

    def position(self, names: str, side: str) -> np.ndarray:
        """Return the position (N, 3) of a role, of a centre "@knee", or of a mean "c7+jugular"."""
        found = [
            self.center(*_joint(x, side)) if x[0] == "@" else self.positions[with_side(x, side)]
            for x in names.split("+")
        ]
        return np.asarray(sum(found) / len(found))

    def center(self, joint: str, side: str) -> np.ndarray:
        """Return the centre of a joint in the laboratory's axes, shape (N, 3)."""
        if (name := f"{joint}_{side}") not in self._centers:
            with self._name_collinear(self.definition(joint, side), side):
                self._centers[name] = self._center(joint, side)
        return self._centers[name]

    def _center(self, joint: str, side: str) -> np.ndarray:
        """Return the centre of a joint by its definition, or by a cluster and the static trial."""
        definition = self.definition(joint, side)
        if isinstance(definition, str):
            return self.position(definition, side)
        if isinstance(definition, Regression):
            right, left, *back = (self.positions[role] for role in definition.spines)
            names = ("method", "leg_length", "marker_radius", "asis_distance")
            sizes: Any = (self.sizes.get(name) for name in names)
            hips = hip_centers(right, left, (back[0] + back[1]) / 2, *sizes)
            self._centers |= dict(zip(("hip_right", "hip_left"), hips, strict=True))
            return self._centers[f"hip_{side}"]
        if len(own := self._cluster_roles(joint, side)) > 1:
            return self._center_from_cluster(joint, side, own)
        if isinstance(definition, Below):
            both = (self.positions[f"{s}_{definition.marker}"] for s in SIDES)
            apart = np.linalg.norm(np.subtract(*both), axis=-1).mean()
            up = self.frame("thorax", side).rotations[..., 1]
            return self.position(definition.marker, side) - definition.part * apart * up
        return self._center_on_chord(definition, joint, side)

    def _center_on_chord(self, definition: Chord, joint: str, side: str) -> np.ndarray:
        """Return the centre of a joint by Plug-in Gait's chord, with the joint's measured width."""
        if self.sizes.get(definition.width) is None:
            raise ValueError(
                f"`{definition.width}` must be given, since there is no marker "
                f"{side}_{joint}_medial. C3D files of Vicon have it in recording.subject.measures, "
                "in mm."
            )
        width = check_positive(definition.width, self.sizes[definition.width])
        above = self.position(definition.above, side)
        lateral = self.position(definition.lateral, side)
        if isinstance(definition.beside, str):
            beside = self.position(definition.beside, side)
        else:
            axis = self._axis(("z", *definition.beside), side)
            beside = lateral + (axis if side == "right" else -axis)
        return chord_center(above, lateral, beside, width / 2 + self.sizes["marker_radius"])

    def _cluster_roles(self, joint: str, side: str) -> list[str]:
        """Return the roles of markers on the segment above a joint, to transfer a static centre.

        Without a static trial, or if its centre would need a width, too, there are none.
        """
        if self.static_body is None or joint not in JOINT_ABOVE:
            return []
        if isinstance(self.static_body.definition(joint, side), Chord):
            return []  # the static centre would need the same width
        seen, still, lateral = self.positions, self.static_positions, f"{side}_{joint}"
        own = [lateral] if lateral in seen and lateral in still else []
        return own + _shared_roles(seen, still, side, JOINT_ABOVE[joint][1])

    def _center_from_cluster(self, joint: str, side: str, own: Collection[str]) -> np.ndarray:
        """Return a centre of the static trial, moved with the markers of the segment above it."""
        assert self.static_body is not None
        above, _ = JOINT_ABOVE[joint]
        still = [self.static_body.center(name, side).mean(axis=0) for name in (above, joint)]
        reference = np.stack([still[0], *(self.static_positions[role] for role in own)])
        moving = np.stack([self.center(above, side), *(self.positions[x] for x in own)], axis=1)
        return transfer_points(reference, still[1][None], moving)[:, 0]

    def frame(self, segment: str, side: str) -> Poses:
        """Return the Poses of a segment's frame over time, in the laboratory's axes."""
        name = segment if segment in MIDDLE_SEGMENTS else f"{segment}_{side}"
        if name not in self._frames:
            definition: Frame = self.definition(segment, side)
            own = "right" if segment in MIDDLE_SEGMENTS else side
            is_carried = self.static_body is not None and definition is MARKER_FOOT
            with self._name_collinear(definition, own):
                compute = self._foot_from_static if is_carried else self._compute_frame
                self._frames[name] = compute(definition, own)
        return self._frames[name]

    def _compute_frame(self, definition: Frame, side: str) -> Poses:
        """Return the Poses of a frame by its definition."""
        origin = self.position(definition.origin, side)
        axes = definition.first, definition.second
        along, beside = (origin + self._axis(axis, side) for axis in axes)
        return frame_of_points(origin, along, beside, definition.first[0] + definition.second[0])

    def _foot_from_static(self, _: Frame, side: str) -> Poses:
        """Return the foot's frame, fixed to the line from ankle to toe as in the static trial."""
        # Plug-in Gait: the static offsets of the foot about its z and y axes are constant; there is
        # no offset about x.
        assert self.static_body is not None
        still, seen, moving = (
            body._compute_frame(definition, side)
            for body, definition in (
                (self.static_body, CARRIED_FOOT),
                (self.static_body, STANDING_FOOT),
                (self, CARRIED_FOOT),
            )
        )
        offsets = euler_angles(still.rotations.swapaxes(-1, -2) @ seen.rotations, "zyx")
        turn = Rotation.from_euler("ZY", np.nanmean(offsets, axis=0)[:2]).as_matrix()
        return moving._replace(rotations=moving.rotations @ turn)

    def flatten_feet(self, sides: Collection[str]) -> None:
        """Move the heels of the static trial to the height of its toes."""
        still = self.static_body
        for side in sides:
            if still is None or self.definition("foot", side) is not MARKER_FOOT:
                raise ValueError(
                    "`foot_flat` must be False without a static trial, and if markers determine "
                    "the plane of the foot. Use static=read_c3d(...).markers.in_metres()."
                )
            shank = np.nanmean(still.center("knee", side) - still.center("ankle", side), axis=0)
            up, heel = int(np.abs(shank).argmax()), still.positions[f"{side}_heel"].copy()
            heel[:, up] = still.position("@toe", side)[:, up]
            still.positions[f"{side}_heel"] = heel

    def _axis(self, axis: tuple[str, ...], side: str) -> np.ndarray:
        """Return the direction of an axis of a `Frame` in the laboratory's axes, shape (N, 3)."""
        letter, *names = axis
        if " of " in names[0]:
            column = "xyz".index(names[0][0])
            return self.frame(names[0][5:], side).rotations[..., column]
        start, *ends = (self.position(name, side) for name in names)
        arms = [end - start for end in ends]
        is_plane = len(arms) == 2
        vector = np.cross(*arms) if is_plane else arms[0]
        if is_plane and np.linalg.norm(vector, axis=-1).all():
            vector = vector / np.linalg.norm(vector, axis=-1, keepdims=True)
        return -vector if side == "left" and is_plane != (letter == "z") else vector


def _check_markers(argument: str, markers: Any) -> Markers:
    """Return an argument that must be Markers."""
    fix = "Use read_c3d(...).markers."
    return check_instance(argument, markers, Markers, "Markers", fix)


def _joint(name: str, side: str) -> tuple[str, str]:
    """Return the joint and the side of a centre: ``"@knee"`` has the default side."""
    word, _, rest = name[1:].partition("_")
    return (rest, word) if word in SIDES else (name[1:], side)


def _shared_roles(places: Places, rest: Places, side: str, segment: str) -> list[str]:
    """Return the roles of a segment's cluster that both the motion and the static trial have."""
    own = [f"{side}_{segment}{number}" for number in ("", *CLUSTER_SUFFIXES)]
    return [role for role in own if role in places and role in rest]


def _lateral_from_clusters(places: Places, rest: Places) -> dict[str, np.ndarray]:
    """Return paths of lateral markers that only the static trial has, by clusters of markers."""
    found = {}
    for joint, (_, segment) in JOINT_ABOVE.items():
        for side in SIDES:
            lateral, own = f"{side}_{joint}", _shared_roles(places, rest, side, segment)
            if lateral not in places and lateral in rest and len(own) > 2:
                reference = np.stack([rest[role] for role in own])
                moving = np.stack([places[role] for role in own], axis=1)
                found[lateral] = transfer_points(reference, rest[lateral][None], moving)[:, 0]
    return found
