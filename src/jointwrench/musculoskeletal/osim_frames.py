"""Frames of OpenSim models: their bodies and poses."""

from collections.abc import Iterator
from posixpath import join, normpath

import numpy as np

from ..records.model_elements import BodyFrame
from ..records.xml_tree import Element, numbers_in, text_in

#: The name of the body at rest, in every OpenSim model.
GROUND = "ground"

#: Where OpenSim looks for a frame that is not named by its path.
SHELVES = ("", "bodyset", "jointset", "constraintset", "componentset")


class OsimFrames:
    """The frames of a model by their paths."""

    def __init__(self, model: Element, bodies: list[str]) -> None:
        self._offsets = {
            path_to(path, x): x
            for path, x in walk_with_paths(model)
            if x.tag == "PhysicalOffsetFrame"
        }
        self._known = {f"/{GROUND}": BodyFrame(GROUND)}
        self._known |= {f"/bodyset/{name}": BodyFrame(name) for name in bodies}

    def at(self, path: str, owner: str, asking: Element) -> BodyFrame:
        """Return the frame of a path, from its owner or absolute, or of a name."""
        places = [normpath(join(owner, path))]
        places += [normpath(join("/", shelf, path.lstrip("./"))) for shelf in SHELVES]
        for place in places:
            if place in self._known:
                return self._known[place]
            if place in self._offsets:
                return self._offset(place)
        raise ValueError(f"{asking} has the frame or body {path!r}, which does not exist.")

    def _offset(self, place: str) -> BodyFrame:
        element = self._offsets.pop(place)  # so that a circular definition is not found
        parent = self.at(text_in(element, "socket_parent"), place, element)
        self._known[place] = offset_frame(parent, element, "orientation", "translation")
        return self._known[place]


def walk_with_paths(element: Element, path: str = "") -> Iterator[tuple[str, Element]]:
    """Yield all elements with the path of what holds them: names of components in a row."""
    for child in element.children:
        if child.tag != "defaults":
            yield path, child
            yield from walk_with_paths(child, path_to(path, child))


def path_to(path: str, child: Element) -> str:
    """Return the path of an element in another: shelves have their own names."""
    is_shelf = not path and child.tag.lower() in SHELVES
    name = child.tag.lower() if is_shelf else child.attributes.get("name")
    return path if name is None else f"{path}/{name}"


def offset_frame(frame: BodyFrame, element: Element, turn: str, place: str) -> BodyFrame:
    """Return the pose of an element in another: rotations about x, the new y, the new z."""
    return frame.offset(
        _rotation_matrix(numbers_in(element, turn, 3, "0 0 0")),
        numbers_in(element, place, 3, "0 0 0"),
    )


def _rotation_matrix(angles: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of rotations about x, the new y and the new z."""
    (a, b, c), (x, y, z) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [b * c, -b * z, y],
            [a * z + x * y * c, a * c - x * y * z, -x * b],
            [x * z - a * y * c, x * c + a * y * z, a * b],
        ]
    )
