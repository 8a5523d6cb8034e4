"""The frames of an SDF: their poses, and the links to which they are attached."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from ..records.model_elements import ORIGIN, BodyFrame, Pose, invert_pose
from ..records.rotations import quaternion_rotation, space_fixed_rotation
from ..records.xml_tree import Element, numbers_in

#: The frame of ground, that of a model in its scope, and the separator of scopes.
WORLD, MODEL, SCOPE = "world", "__model__", "::"


class SdfFrame(NamedTuple):
    """A frame of an SDF, with its pose in another frame.

    Attributes
    ==========

    element : Element
        The element that defines the frame.
    base : str
        The name of the frame in which the pose is stated.
    place : Pose
        The pose.
    body : str
        The frame or link to which the frame is attached; empty for a link's own frame.
    placement : str
        For a model, the frame inside the model that has this pose; empty for the model's own frame.
    """

    element: Element
    base: str
    place: Pose
    body: str = ""
    placement: str = ""


class SdfFrames(dict[str, SdfFrame]):
    """Frames by their names from the root on, such as ``arm::hand::tip``."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, BodyFrame]] = {}

    def place(self, name: str, of: str = WORLD) -> BodyFrame:
        """Return the pose of a frame in ``of``, one of its direct or indirect bases."""
        known = self._known.setdefault(of, {of: BodyFrame(of)})
        for key in reversed([*self._bases(name, known)]):
            frame = self[key]
            found = known[frame.base].offset(*frame.place)
            if frame.placement:
                found = found.offset(*invert_pose(self.place(frame.placement, key)[1:]))
            known[key] = found
        return known[name]

    def relative(self, name: str, base: str) -> Pose:
        """Return the pose of a frame in the frame ``base``, which may be any frame."""
        _, *place = self.place(name)
        inverse = BodyFrame(base).offset(*invert_pose(self.place(base)[1:]))
        _, turn, position = inverse.offset(*place)
        return turn, position

    def _bases(self, name: str, known: Collection[str]) -> Iterator[str]:
        """Yield the names of a frame and of its successive bases that are not yet known."""
        seen: set[str] = set()
        while name not in known:
            frame = self.frame(name, seen)
            yield name
            name = frame.base

    def frame(self, name: str, seen: set[str]) -> SdfFrame:
        """Return a frame; it must exist and not be among the visited ones."""
        if name not in self:
            raise ValueError(f"the frame {name!r} does not exist.")
        if name in seen:
            raise ValueError(f"{self[name].element} is placed or attached relative to itself.")
        seen.add(name)
        return self[name]

    def link(self, name: str) -> str:
        """Return the link, or ground, to which a frame is attached."""
        seen: set[str] = set()
        while name != WORLD and (body := self.frame(name, seen).body):
            name = body
        return name


def scoped(prefix: str, name: str) -> str:
    return name if name == WORLD else prefix + name


def read_pose(element: Element) -> tuple[str, Pose]:
    """Return the base of the <pose> in an element, and the pose."""
    pose = element.find("pose")
    if pose is None:
        return "", ORIGIN
    given = pose.attributes
    base = given.get("relative_to", given.get("frame", ""))
    is_quaternion = given.get("rotation_format") == "quat_xyzw"
    default = "0 0 0 0 0 0" + " 1" * is_quaternion
    x, y, z, *turn = numbers_in(element, "pose", 6 + is_quaternion, default)
    if is_quaternion:
        if not np.any(turn):
            raise ValueError(f"{pose} must have a quaternion that is not zero.")
        return base, (quaternion_rotation(np.array(turn)), np.array([x, y, z]))
    angles = np.radians(turn) if given.get("degrees") in ("true", "1") else np.array(turn)
    return base, (space_fixed_rotation(angles), np.array([x, y, z]))
