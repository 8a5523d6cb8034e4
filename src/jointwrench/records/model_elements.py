"""Elements of model files: inertias, names, and their problems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.problems import Problems, warn
from ..checks.tolerances import THREE_DIGITS, TURNED
from .xml_tree import Element


@dataclass(frozen=True, eq=False)
class Inertial:
    """The mass of a body, its mass centre and its central inertia, in a frame."""

    mass: float = 0.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        small = abs(self.inertia) < TURNED * abs(self.inertia).max()
        object.__setattr__(self, "inertia", np.where(small, 0.0, self.inertia))

    @property
    def is_massless(self) -> bool:
        return self.mass == 0 and not self.inertia.any()

    def seen_from(self, rotation: np.ndarray, position: np.ndarray) -> "Inertial":
        center = position + rotation @ self.center
        return Inertial(self.mass, center, rotation @ self.inertia @ rotation.T)

    def __add__(self, other: "Inertial") -> "Inertial":
        """Return the Inertial of two bodies as one, in the same frame."""
        mass = self.mass + other.mass
        parts = (self, other)
        center = sum(x.mass * x.center for x in parts) / mass if mass else self.center
        about = sum(x.inertia + x.mass * _square(x.center - center) for x in parts)
        return Inertial(mass, np.asarray(center), np.asarray(about))

    def problems(self) -> list[str]:
        found = []
        if self.mass < 0:
            found.append(f"the mass must not be negative, got {self.mass:g}")
        moments = np.linalg.eigvalsh(self.inertia)
        slack = THREE_DIGITS * abs(moments).max()
        words = ", ".join(f"{moment:.4g}" for moment in moments)
        if moments[0] < -slack:
            found.append(f"no principal moment of inertia may be negative, got {words}")
        elif moments[2] > moments[0] + moments[1] + slack:
            found.append(
                f"no principal moment of inertia may exceed the sum of the others, got {words}"
            )
        return found


#: How a frame is turned in that of a body, and where its origin is.
Pose: TypeAlias = tuple[np.ndarray, np.ndarray]
ORIGIN = np.eye(3), np.zeros(3)


def invert_pose(place: Pose) -> Pose:
    turn, position = place
    return turn.T, -turn.T @ position


class BodyFrame(NamedTuple):
    """A frame fixed in a body: its rotation matrix and its origin in the body's frame."""

    body: str
    rotation: np.ndarray = np.eye(3)
    position: np.ndarray = np.zeros(3)

    def offset(self, rotation: np.ndarray, position: np.ndarray) -> "BodyFrame":
        place = self.position + self.rotation @ position
        return BodyFrame(self.body, self.rotation @ rotation, place)


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> np.ndarray:
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _square(arm: np.ndarray) -> np.ndarray:
    return arm @ arm * np.eye(3) - np.outer(arm, arm)


#: Between which lengths a direction has a square that is neither 0 nor infinite.
SHORTEST, LONGEST = 1e-150, 1e150


def has_direction(axis: np.ndarray) -> bool:
    return bool(SHORTEST < np.abs(axis).max() < LONGEST)


#: What marks parts without which forces differ.
CHANGES_FORCES = "changes forces: "


def list_left_out(losses: Sequence[str], others: Iterable[str], place: str) -> tuple[str, ...]:
    """Return lines on what is left out, what changes forces first; warn of that."""
    if losses:
        warn(
            f"`source`: forces will differ from those of {place}, since what acts there is left "
            f"out: {enumerate_some(losses)}. Add loads of your own, or go on without them."
        )
    return (*(f"{CHANGES_FORCES}{text}" for text in losses), *others)


#: What can be done with masses and inertias that no body can have.
NONPHYSICAL = ("refuse", "keep")


@dataclass(eq=False, kw_only=True)
class Elements:
    """The elements of a model file: problems, nonphysical inertias, parts that are not read.

    ``losses`` are those of them that change forces.
    """

    problems: Problems = field(default_factory=Problems)
    nonphysical: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)

    def iterate_named(self, elements: Iterable[Element]) -> Iterator[tuple[str, Element]]:
        """Yield elements with their names; a missing or repeated name is a problem."""
        known: dict[str, Element] = {}
        for element in elements:
            name = element.attributes.get("name", "")
            if not name.strip():
                self.problems.add(f"{element} has no name.")
            elif name in known:
                self.problems.add(f"{element} has the name of that on line {known[name].line}.")
            else:
                known[name] = element
                yield name, element

    def check_inertial(self, owner: str, inertial: Inertial) -> None:
        self.nonphysical += [f"{owner}: {problem}." for problem in inertial.problems()]

    def raise_problems(self, expected: str, title: str, nonphysical: str) -> None:
        """Raise one ValueError for all problems of a file: each element with its line."""
        if self.nonphysical and nonphysical == "refuse":
            for text in self.nonphysical:
                self.problems.add(text)
            self.problems.add("Use nonphysical='keep' to take such bodies as they are.")
        self.problems.raise_all(f"`source` must be {expected}, but in {title}")


def list_unread(root: Element, read: Mapping[str, str]) -> list[str]:
    """Return the parts of a file that are not read, one line for each kind.

    ``read`` has for each tag the attributes that are read (*: all) and, after a bar, the elements.
    """
    found: dict[str, dict[str, None]] = {}
    waiting = [(root, root.attributes.get("name", ""))]
    while waiting:
        element, owner = waiting.pop(0)
        attributes, _, children = (x.split() for x in read.get(element.tag, "").partition("|"))
        for name in element.attributes:
            if {name, "*"}.isdisjoint(attributes) and not name.startswith("xmlns"):
                found.setdefault(f"{name}= in <{element.tag}>", {})[owner] = None
        for child in element.children:
            own = child.attributes.get("name", "" if element is root else owner)
            if child.tag in children:
                waiting.append((child, own))
            elif own:
                found.setdefault(f"<{child.tag}>", {})[own if element is root else owner] = None
            else:
                found[str(child)] = {}
    names = {what: ", ".join(filter(None, owners)) for what, owners in found.items()}
    return [f"{what} of {owners}" if owners else what for what, owners in names.items()]
