"""The frames of an OpenSim model: their bodies and their poses on them."""

from collections.abc import Iterator
from posixpath import join, normpath

from ..records.model_elements import BodyFrame
from ..records.rotations import space_fixed_rotation
from ..records.xml_tree import Element, numbers_in, text_in

#: The name of the body at rest, in every OpenSim model.
GROUND = "ground"

#: The sets in which OpenSim searches for a frame that is not named by its path.
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
        """Return the frame with a name or a path, absolute or relative to the path ``owner``.

        ``asking`` is the element that names the frame, for the error.
        """
        candidates = [normpath(join(owner, path))]
        candidates += [normpath(join("/", shelf, path.lstrip("./"))) for shelf in SHELVES]
        for candidate in candidates:
            if candidate in self._known:
                return self._known[candidate]
            if candidate in self._offsets:
                return self._offset(candidate)
        raise ValueError(f"{asking} has the frame or body {path!r}, which does not exist.")

    def _offset(self, path: str) -> BodyFrame:
        """Return the frame of a PhysicalOffsetFrame, and cache it."""
        element = self._offsets.pop(path)  # a circular definition then names a missing frame
        parent = self.at(text_in(element, "socket_parent"), path, element)
        self._known[path] = offset_frame(parent, element, "orientation", "translation")
        return self._known[path]


def walk_with_paths(element: Element, path: str = "") -> Iterator[tuple[str, Element]]:
    """Yield each element with the path of its parent, made of the names of components."""
    for child in element.children:
        if child.tag != "defaults":
            yield path, child
            yield from walk_with_paths(child, path_to(path, child))


def path_to(path: str, child: Element) -> str:
    """Return the path of a child from its parent's path; sets have their tag as a name."""
    is_shelf = not path and child.tag.lower() in SHELVES
    name = child.tag.lower() if is_shelf else child.attributes.get("name")
    return path if name is None else f"{path}/{name}"


def offset_frame(frame: BodyFrame, element: Element, turn: str, place: str) -> BodyFrame:
    """Return the frame that an element defines relative to another ``frame``.

    The tags ``turn`` and ``place`` name the element's children with the angles (about x, the new y
    and the new z) and with the position.
    """
    # rotations about x, the new y and the new z are the inverse of opposite ones about fixed axes
    rotation = space_fixed_rotation(-numbers_in(element, turn, 3, "0 0 0")).T
    return frame.offset(rotation, numbers_in(element, place, 3, "0 0 0"))
