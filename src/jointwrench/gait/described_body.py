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
from .joint_centers import carried_points, chord_center, hip_centers
from .marker_sets import (
    ABOVE,
    CARRIED_FOOT,
    CENTERS,
    MIDDLE_SEGMENTS,
    MORE,
    SEEN_FOOT,
    STANDING_FOOT,
    Below,
    Chord,
    Frame,
    MarkerSet,
    Regression,
    names_in,
    of_side,
)
from .markers import Poses, frame_of_points
from .segment_dynamics import euler_angles

#: Places over time, or in a static trial, by role or joint.
Places = Mapping[str, np.ndarray]

#: The number of missing roles for a role that the set has no name for.
UNNAMED = 10
#: Ends of roles that others can be in place of.
REPLACEABLE = ("medial", "thigh", "shank")


class DescribedBody:
    """A body whose centres and frames are computed on request, each once."""

    def __init__(
        self,
        markers: Markers,
        marker_set: MarkerSet,
        sizes: Mapping[str, Any],
        static: Markers | None = None,
    ) -> None:
        unseen, markers = set(_checked("markers", markers).names), drop_unseen(markers)
        self.unseen = unseen - {*markers.names}
        names = self.names = marker_set.markers
        self.frame_ways, self.sizes = marker_set.frames, sizes
        self.markers = markers
        self.places = {role: markers[name] for role, name in names.items() if name in markers.names}
        self.standing: DescribedBody | None = None
        if static is not None:
            static = drop_unseen(_checked("static", static))
            self.standing = DescribedBody(static, marker_set, sizes)
            seen = [role for role, name in names.items() if name in static.names]
            self.rest = {role: np.nanmean(static[names[role]], axis=0) for role in seen}
            self.places |= _by_clusters(self.places, self.rest)
        self._centers: dict[str, np.ndarray] = {}
        self._frames: dict[str, Poses] = {}
        self._extra_costs: dict[str, int] = {}
        self._ways: dict[tuple[bool, str, str], Any] = {}

    # -- what there is

    def way(self, table: Mapping[str, Any], thing: str, side: str) -> Any:
        """Return the first possible definition of a centre or frame, or that lacks the least."""
        key = table is CENTERS, thing, side
        if key not in self._ways:
            self._ways[key] = self._cheapest_way(table[thing], side)
        return self._ways[key]

    def _cheapest_way(self, ways: Sequence[Any], side: str) -> Any:
        found = []
        for number, way in enumerate(ways):
            lacking = set(self._lacking(way, side))
            costs = (1 if role in self.names else UNNAMED for role in lacking)
            cost = sum(costs, sum(self._extra_costs.get(role, 0) for role in lacking))
            found.append((cost, -number if cost else number, way))
        return min(found, key=lambda item: item[:2])[-1]

    def _roles(self, way: Any, side: str) -> list[str]:
        """Return the roles that a definition uses."""
        found = []
        for name in names_in(way):
            if name[0] == "@":
                joint, own = _joint(name, side)
                found += self._roles(self.way(CENTERS, joint, own), own)
            elif " of " in name:
                found += self._roles(self.way(self.frame_ways, name[5:], side), side)
            else:
                found.append(of_side(name, side))
        return found

    def _lacking(self, way: Any, side: str) -> list[str]:
        return [role for role in self._roles(way, side) if role not in self.places]

    def has(self, segment: str, side: str) -> bool:
        """Return whether the frame of a segment can be computed."""
        return not self._lacking(self.way(self.frame_ways, segment, side), side)

    def is_measured(self, segment: str, side: str) -> bool:
        """Return whether markers determine the rotation of a segment about its first axis."""
        return " of " not in self.way(self.frame_ways, segment, side).second[-1]

    def check(
        self, segments: Collection[str], sides: Collection[str], also: Collection[str]
    ) -> None:
        """Refuse missing markers, and gaps of necessary ones, also of the static trial."""
        wanted = dict.fromkeys(also)
        missing = [role for role in wanted if role not in self.places]
        missing += (own := self._missing(segments, sides))
        avoided = [x for x in own if x.rpartition("_")[2] in REPLACEABLE]
        self._extra_costs = dict.fromkeys(own, -1) | dict.fromkeys(avoided, 1)
        self._ways.clear()
        self._check_missing(missing, [x for x in self._missing(segments, sides) if x not in own])
        for segment, side in product(segments, sides):
            way = self.way(self.frame_ways, segment, side)
            wanted |= dict.fromkeys(self._roles(way, side))
        gaps = {}  # by marker, which may have two roles
        for role in wanted:
            if (rows := np.flatnonzero(~np.isfinite(self.places[role]).all(axis=1))).size:
                gaps[self.names[role]] = rows
        if gaps:
            texts = [f"{name} ({len(x)}, first in row {x[0]})" for name, x in gaps.items()]
            raise ValueError(
                f"`markers` must be known at each instant, got gaps of {enumerate_some(texts)}. "
                "Use markers.smoothed(max_gap=0.2), or markers.between(start, end)."
            )
        if self.standing is not None:
            self.standing.check(segments, sides, also)

    def _missing(self, segments: Collection[str], sides: Collection[str]) -> list[str]:
        """Return the roles that frames lack, by the ways that lack the fewest."""
        ways = ((self.way(self.frame_ways, *pair), pair[1]) for pair in product(segments, sides))
        return [role for way in ways for role in self._lacking(*way)]

    def _check_missing(self, missing: Collection[str], instead: Collection[str]) -> None:
        """Refuse roles that are missing; name those which can do without some of them."""
        if not missing:
            return
        names = self.names

        def told(roles: Collection[str]) -> tuple[list[str], str]:
            found = sorted(dict.fromkeys(roles), key=lambda role: [*names, role].index(role))
            texts = {x: f"{x}, seen in no frame" for x, n in names.items() if n in self.unseen}
            named = (f"{names[x]} ({texts.get(x, x)})" if x in names else x for x in found)
            return found, ", ".join(named)

        lost, texts = told(missing)
        if instead:
            texts += f"; or in place of some {told(instead)[1]}, with the widths of joints"
        others = [name for name in self.markers.names if name not in names.values()]
        also = f"; other names there: {enumerate_some(others)}" if others else ""
        raise ValueError(
            f"`markers` must have {texts}. Say which marker is what by "
            f'marker_set={{"{lost[0]}": ...{", ..." if lost[1:] else ""}}}{also}.'
        )

    # -- where it is

    @contextmanager
    def _telling(self, way: Any, side: str) -> Iterator[None]:
        """Name the markers of a definition that are in a line."""
        try:
            yield
        except ValueError as error:
            if not str(error).startswith("`beside`"):  # of `frame_of_points`
                raise
            names = ", ".join(dict.fromkeys(self.names[role] for role in self._roles(way, side)))
            row = str(error).rpartition(" ")[2]
            raise ValueError(
                f"`markers` must not be in a line, as those that need a plane are in row {row} "
                f"Look at {names}: one of them is wrong."
            ) from error

    def place(self, names: str, side: str) -> np.ndarray:
        """Return a position (N, 3): of a role, a joint centre, or the midpoint of several."""
        found = [
            self.center(*_joint(name, side)) if name[0] == "@" else self.places[of_side(name, side)]
            for name in names.split("+")
        ]
        return np.asarray(sum(found) / len(found))

    def center(self, joint: str, side: str) -> np.ndarray:
        """Return the centre of a joint, shape (N, 3)."""
        if (name := f"{joint}_{side}") not in self._centers:
            with self._telling(self.way(CENTERS, joint, side), side):
                self._centers[name] = self._center(joint, side)
        return self._centers[name]

    def _center(self, joint: str, side: str) -> np.ndarray:
        way = self.way(CENTERS, joint, side)
        if isinstance(way, str):
            return self.place(way, side)
        if isinstance(way, Regression):
            right, left, *back = (self.places[role] for role in way.spines)
            names = ("method", "leg_length", "marker_radius", "asis_distance")
            sizes: Any = (self.sizes.get(name) for name in names)
            hips = hip_centers(right, left, (back[0] + back[1]) / 2, *sizes)
            self._centers |= dict(zip(("hip_right", "hip_left"), hips, strict=True))
            return self._centers[f"hip_{side}"]
        if len(own := self._carriers(joint, side)) > 1:
            return self._carried(joint, side, own)
        if isinstance(way, Below):
            both = (self.places[f"{s}_{way.marker}"] for s in SIDES)
            apart = np.linalg.norm(np.subtract(*both), axis=-1).mean()
            up = self.frame("thorax", side).rotations[..., 1]
            return self.place(way.marker, side) - way.part * apart * up
        return self._on_chord(way, joint, side)

    def _on_chord(self, way: Chord, joint: str, side: str) -> np.ndarray:
        if self.sizes.get(way.width) is None:
            raise ValueError(
                f"`{way.width}` must be given, since there is no marker {side}_{joint}_medial. "
                "C3D files of Vicon have it in recording.subject.measures, in mm."
            )
        width = check_positive(way.width, self.sizes[way.width])
        above, lateral = self.place(way.above, side), self.place(way.lateral, side)
        if isinstance(way.beside, str):
            beside = self.place(way.beside, side)
        else:
            axis = self._axis(("z", *way.beside), side)
            beside = lateral + (axis if side == "right" else -axis)
        return chord_center(above, lateral, beside, width / 2 + self.sizes["marker_radius"])

    def _carriers(self, joint: str, side: str) -> list[str]:
        """Return the roles whose markers move with a centre from a static trial."""
        if self.standing is None or joint not in ABOVE:
            return []
        if isinstance(self.standing.way(CENTERS, joint, side), Chord):
            return []  # a width says there no more than here
        own = [x for x in (f"{side}_{joint}",) if x in self.places and x in self.rest]
        return own + _seen_twice(self.places, self.rest, side, ABOVE[joint][1])

    def _carried(self, joint: str, side: str, own: Collection[str]) -> np.ndarray:
        """Return a centre from a static trial, by the markers of its segment."""
        assert self.standing is not None
        above, _ = ABOVE[joint]
        still = [self.standing.center(name, side).mean(axis=0) for name in (above, joint)]
        reference = np.stack([still[0], *(self.rest[role] for role in own)])
        moving = np.stack([self.center(above, side), *(self.places[x] for x in own)], axis=1)
        return carried_points(reference, still[1][None], moving)[:, 0]

    def frame(self, segment: str, side: str) -> Poses:
        """Return the frame of a segment over time."""
        name = segment if segment in MIDDLE_SEGMENTS else f"{segment}_{side}"
        if name not in self._frames:
            way: Frame = self.way(self.frame_ways, segment, side)
            own = "right" if segment in MIDDLE_SEGMENTS else side
            is_carried = self.standing is not None and way is SEEN_FOOT
            with self._telling(way, own):
                posed = self._carried_foot(own) if is_carried else self._posed(way, own)
            self._frames[name] = posed
        return self._frames[name]

    def _posed(self, way: Frame, side: str) -> Poses:
        origin = self.place(way.origin, side)
        along, beside = (origin + self._axis(axis, side) for axis in (way.first, way.second))
        return frame_of_points(origin, along, beside, way.first[0] + way.second[0])

    def _carried_foot(self, side: str) -> Poses:
        """Return a foot that the line from ankle to toe carries, as it was in the static trial."""
        # Plug-in Gait: what turns it about its own z and y there is constant; nothing about x.
        assert self.standing is not None
        still, seen, moving = (
            body._posed(way, side)
            for body, way in (
                (self.standing, CARRIED_FOOT),
                (self.standing, STANDING_FOOT),
                (self, CARRIED_FOOT),
            )
        )
        offsets = euler_angles(still.rotations.swapaxes(-1, -2) @ seen.rotations, "zyx")
        turn = Rotation.from_euler("ZY", np.nanmean(offsets, axis=0)[:2]).as_matrix()
        return moving._replace(rotations=moving.rotations @ turn)

    def flatten_feet(self, sides: Collection[str]) -> None:
        """Put the heels of the static trial as high as its toes."""
        still = self.standing
        for side in sides:
            if still is None or self.way(self.frame_ways, "foot", side) is not SEEN_FOOT:
                raise ValueError(
                    "`foot_flat` must be False without a static trial, and where markers tell the "
                    "plane of the foot. Use static=read_c3d(...).markers.in_metres()."
                )
            shank = np.nanmean(still.center("knee", side) - still.center("ankle", side), axis=0)
            up, heel = int(np.abs(shank).argmax()), still.places[f"{side}_heel"].copy()
            heel[:, up] = still.place("@toe", side)[:, up]
            still.places[f"{side}_heel"] = heel

    def _axis(self, axis: tuple[str, ...], side: str) -> np.ndarray:
        """Return the direction of an axis, shape (N, 3)."""
        letter, *names = axis
        if " of " in names[0]:
            column = "xyz".index(names[0][0])
            return self.frame(names[0][5:], side).rotations[..., column]
        start, *ends = (self.place(name, side) for name in names)
        arms = [end - start for end in ends]
        is_plane = len(arms) == 2
        vector = np.cross(*arms) if is_plane else arms[0]
        if is_plane and np.linalg.norm(vector, axis=-1).all():
            vector = vector / np.linalg.norm(vector, axis=-1, keepdims=True)
        return -vector if side == "left" and is_plane != (letter == "z") else vector


def _checked(argument: str, markers: Any) -> Markers:
    fix = "Use read_c3d(...).markers."
    return check_instance(argument, markers, Markers, "Markers", fix)


def _joint(name: str, side: str) -> tuple[str, str]:
    """Return joint and side of a centre: of ``"@knee"``, or of ``"@left_knee"``."""
    word, _, rest = name[1:].partition("_")
    return (rest, word) if word in SIDES else (name[1:], side)


def _seen_twice(places: Places, rest: Places, side: str, segment: str) -> list[str]:
    """Return the roles of a segment's own markers in the motion and in the static trial."""
    own = [f"{side}_{segment}{number}" for number in ("", *MORE)]
    return [role for role in own if role in places and role in rest]


def _by_clusters(places: Places, rest: Places) -> dict[str, np.ndarray]:
    """Return lateral markers of a static trial, by three other markers of their segment."""
    found = {}
    for joint, (_, segment) in ABOVE.items():
        for side in SIDES:
            lateral, own = f"{side}_{joint}", _seen_twice(places, rest, side, segment)
            if lateral not in places and lateral in rest and len(own) > 2:
                reference = np.stack([rest[role] for role in own])
                moving = np.stack([places[role] for role in own], axis=1)
                found[lateral] = carried_points(reference, rest[lateral][None], moving)[:, 0]
    return found
