"""Elements of model files: inertias, names, and their problems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.messages import Problems, warn
from ..checks.tolerances import THREE_DIGITS, ZERO_COS
from .consequences import CONSEQUENCES, find_consequences
from .xml_tree import Element


@dataclass(frozen=True, eq=False)
class Inertial:
    """The mass, mass centre (3,) and central inertia (3, 3) of a body, in one frame."""

    mass: float = 0.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        small = abs(self.inertia) < ZERO_COS * abs(self.inertia).max()
        object.__setattr__(self, "inertia", np.where(small, 0.0, self.inertia))

    @property
    def is_massless(self) -> bool:
        return self.mass == 0 and not self.inertia.any()

    def seen_from(self, rotation: np.ndarray, position: np.ndarray) -> "Inertial":
        """Return the Inertial in an outer frame, where this frame has a rotation and a position."""
        center = position + rotation @ self.center
        return Inertial(self.mass, center, rotation @ self.inertia @ rotation.T)

    def __add__(self, other: "Inertial") -> "Inertial":
        """Return the Inertial of two bodies that are welded together, in the same frame."""
        # Parallel axes: I = sum of I_k + m_k (|r_k|^2 1 - r_k r_k^T), r_k from the common centre.
        mass = self.mass + other.mass
        parts = (self, other)
        center = sum(x.mass * x.center for x in parts) / mass if mass else self.center
        about = sum(x.inertia + x.mass * _square(x.center - center) for x in parts)
        return Inertial(mass, np.asarray(center), np.asarray(about))

    def problems(self) -> list[str]:
        """Return problems of mass and inertia: negative, or against the triangle inequality."""
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


#: The rotation matrix (3, 3) and the origin (3,) of a frame in an outer frame.
Pose: TypeAlias = tuple[np.ndarray, np.ndarray]
ORIGIN = np.eye(3), np.zeros(3)


def invert_pose(pose: Pose) -> Pose:
    """Return the pose of the outer frame in the inner frame."""
    rotation, position = pose
    return rotation.T, -rotation.T @ position


class BodyFrame(NamedTuple):
    """A frame fixed in a body: its rotation matrix and its origin in the body's frame."""

    body: str
    rotation: np.ndarray = np.eye(3)
    position: np.ndarray = np.zeros(3)

    def offset(self, rotation: np.ndarray, position: np.ndarray) -> "BodyFrame":
        """Return a frame of the same body with a rotation and an origin relative to this frame."""
        origin = self.position + self.rotation @ position
        return BodyFrame(self.body, self.rotation @ rotation, origin)


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> np.ndarray:
    """Return the symmetric matrix (3, 3) of its six different entries."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _square(arm: np.ndarray) -> np.ndarray:
    return arm @ arm * np.eye(3) - np.outer(arm, arm)


#: Bounds of a component whose square neither underflows to 0 nor overflows.
SHORTEST, LONGEST = 1e-150, 1e150


def has_direction(axis: np.ndarray) -> bool:
    return bool(SHORTEST < np.abs(axis).max() < LONGEST)


#: Prefix of the lines about skipped parts that change forces.
CHANGES_FORCES = "changes forces: "


def list_left_out(losses: Sequence[str], others: Iterable[str], place: str) -> tuple[str, ...]:
    """Return one line per skipped part, those that change forces first; warn of the latter.

    ``losses`` change forces, ``others`` do not; ``place`` names the program in the warning.
    """
    if losses:
        warn(
            f"`source`: forces will differ from those of {place}, since what acts there is left "
            f"out: {enumerate_some(losses)}. Add loads of your own, or go on without them."
        )
    return (*(f"{CHANGES_FORCES}{text}" for text in losses), *others)


#: Choices for masses and inertias that no body can have.
NONPHYSICAL = ("refuse", "keep")


@dataclass(eq=False, kw_only=True)
class Elements:
    """The elements of a model file.

    Attributes
    ==========

    problems : Problems
        Errors in the file.
    nonphysical : list of str
        Masses and inertias that no body can have.
    left_out, losses : list of str
        Skipped parts without and with an effect on forces.
    """

    problems: Problems = field(default_factory=Problems)
    nonphysical: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)

    def iterate_named(self, elements: Iterable[Element]) -> Iterator[tuple[str, Element]]:
        """Yield (name, element) pairs; a missing or repeated name is added to the problems."""
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

    def add_unread(self, root: Element, read: Mapping[str, str]) -> None:
        """List the unread parts of a file."""
        for line, consequence in list_unread(root, read).items():
            self.leave_out(line, consequence)

    def leave_out(self, line: str, consequence: str) -> None:
        """List an unread part and its consequence for forces, "" if there is none."""
        if consequence:
            self.losses.append(f"{line}: {consequence}")
        else:
            self.left_out.append(line)

    def check_inertial(self, owner: str, inertial: Inertial) -> None:
        self.nonphysical += [f"{owner}: {problem}." for problem in inertial.problems()]

    def raise_problems(self, expected: str, title: str, nonphysical: str) -> None:
        """Raise one ValueError for all problems of a file: each element with its line."""
        if self.nonphysical and nonphysical == "refuse":
            for text in self.nonphysical:
                self.problems.add(text)
            self.problems.add("Use nonphysical='keep' to take such bodies as they are.")
        self.problems.raise_all(f"`source` must be {expected}, but in {title}")


def list_unread(root: Element, read: Mapping[str, str]) -> dict[str, str]:
    """Return a line for each kind of unread attribute or element, with its consequence or "".

    ``read`` maps each tag to the names of its known attributes ("*" for all) and, after a bar, of
    its known child elements: ``"name type | origin axis"``.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    waiting = [(root, root.attributes.get("name", ""))]
    while waiting:
        element, owner = waiting.pop(0)
        attributes, _, children = (x.split() for x in read.get(element.tag, "").partition("|"))
        for name in element.attributes:
            if {name, "*"}.isdisjoint(attributes) and not name.startswith("xmlns"):
                key = f"{name}= in <{element.tag}>", CONSEQUENCES.get(f"{name}=", "")
                found.setdefault(key, {})[owner] = None
        for child in element.children:
            own = name_of(child) or ("" if element is root else owner)
            if child.tag in children:
                waiting.append((child, own))
                continue
            place = "" if own else f" (line {child.line})"
            for what, consequence in ({f"<{child.tag}>": ""} | find_consequences(child)).items():
                owners = found.setdefault((f"{what}{place}", consequence), {})
                owners[own if element is root else owner] = None
    lines = {}
    for (what, consequence), owners in found.items():
        names = ", ".join(filter(None, owners))
        lines[f"{what} of {names}" if names else what] = consequence
    return lines


def name_of(element: Element) -> str:
    """Return the name of an element, or of the link or joint that it extends."""
    return element.attributes.get("name", element.attributes.get("reference", ""))
