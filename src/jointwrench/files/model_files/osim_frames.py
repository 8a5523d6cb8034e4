"""Frames of OpenSim models: which body each is fixed in, and where."""

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import join, normpath

import numpy as np
from scipy.spatial.transform import Rotation

from ..xml_tree import Element, numbers_in, text_in

#: The name of the body at rest, in every OpenSim model.
GROUND = "ground"

#: Where OpenSim looks for a frame that is named by something else than its path.
SHELVES = ("", "bodyset", "jointset", "constraintset", "componentset")


@dataclass(frozen=True, eq=False)
class OsimFrame:
    """A frame fixed in a body: rotation matrix and position of its origin in the body's frame."""

    body: str
    rotation: np.ndarray
    position: np.ndarray

    @classmethod
    def of_body(cls, body: str) -> "OsimFrame":
        """Return the body's own frame."""
        return cls(body, np.eye(3), np.zeros(3))

    def offset(self, rotation: np.ndarray, position: np.ndarray) -> "OsimFrame":
        """Return the frame that is turned and placed so in this one."""
        return OsimFrame(
            self.body, self.rotation @ rotation, self.position + self.rotation @ position
        )


class OsimFrames:
    """The frames of a model by their paths."""

    def __init__(self, model: Element, bodies: list[str]) -> None:
        self._offsets = dict(_offset_frames(model, ""))
        self._known = {f"/{GROUND}": OsimFrame.of_body(GROUND)}
        self._known |= {f"/bodyset/{name}": OsimFrame.of_body(name) for name in bodies}

    def at(self, path: str, owner: str, asking: Element) -> OsimFrame:
        """Return the frame with a path, absolute or from its owner, or with a name.

        ``asking`` is the element of the component that asks for it, for messages.
        """
        places = [normpath(join(owner, path))]
        places += [normpath(join("/", shelf, path.lstrip("./"))) for shelf in SHELVES]
        for place in places:
            if place in self._known:
                return self._known[place]
            if place in self._offsets:
                return self._offset(place)
        raise ValueError(f"{asking} has the frame or body {path!r}, which is not there.")

    def _offset(self, place: str) -> OsimFrame:
        element = self._offsets.pop(place)  # one that is defined by itself is not found
        parent = self.at(text_in(element, "socket_parent"), place, element)
        frame = parent.offset(
            body_fixed_rotation(numbers_in(element, "orientation", 3, "0 0 0")),
            numbers_in(element, "translation", 3, "0 0 0"),
        )
        self._known[place] = frame
        return frame


def _offset_frames(element: Element, path: str) -> Iterator[tuple[str, Element]]:
    """Yield the offset frames in an element with their paths: names of components in a row."""
    for child in element.children:
        is_shelf = not path and child.tag.lower() in SHELVES
        name = child.tag.lower() if is_shelf else child.attributes.get("name")
        inner = path if name is None else f"{path}/{name}"
        if child.tag == "PhysicalOffsetFrame":
            yield inner, child
        if child.tag != "defaults":
            yield from _offset_frames(child, inner)


def body_fixed_rotation(angles: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of turns about x, then the turned y, then the turned z."""
    return Rotation.from_euler("XYZ", angles).as_matrix()
