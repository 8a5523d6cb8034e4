"""Straight segments, and planar trees that are built of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Symbol
from sympy.physics.mechanics import PinJoint, PlanarJoint, RigidBody, System, inertia
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, dynamicsymbols

from .anthropometry import Person


@dataclass(frozen=True)
class Link:
    """Length, mass, distance of the mass centre and central inertia of a straight segment."""

    length: float
    mass: float
    center: float
    inertia: float

    @classmethod
    def of(cls, person: Person, segment: str) -> "Link":
        found = person[segment]
        return cls(found.length, found.mass, found.center, found.inertia)

    def reversed(self) -> "Link":
        """Return the same segment, measured from its other end."""
        return Link(self.length, self.mass, self.length - self.center, self.inertia)


def joined(first: Link, second: Link) -> Link:
    """Return two segments in a line as one; the second begins where the first ends.

    The length stays that of the first.
    """
    mass = first.mass + second.mass
    places = (first.center, first.length + second.center)
    center = (first.mass * places[0] + second.mass * places[1]) / mass
    spread = sum(
        link.inertia + link.mass * (place - center) ** 2
        for link, place in zip((first, second), places, strict=True)
    )
    return Link(first.length, mass, center, spread)


def link_symbols(name: str) -> tuple[Symbol, Symbol, Symbol, Symbol]:
    length, mass, center, inertia_ = (Symbol(f"{letter}_{name}") for letter in "lmcI")
    return length, mass, center, inertia_


def link_values(symbols: Iterable[Symbol], link: Link) -> dict[Symbol, float]:
    numbers = (link.length, link.mass, link.center, link.inertia)
    return dict(zip(symbols, numbers, strict=True))


class TreeBuilder:
    """Puts a planar tree of segments together as a System."""

    def __init__(self, gravity: Any) -> None:
        self.frame = ReferenceFrame("N")
        self.origin = Point("O")
        self.origin.set_vel(self.frame, 0)
        self.system = System(frame=self.frame, fixed_point=self.origin)
        self.ground = RigidBody("ground", self.origin, self.frame, 0)
        self.constants: dict[Symbol, float] = {}
        self.joints: dict[str, Joint] = {}
        self.bodies: dict[str, RigidBody] = {}
        self._ends: dict[str | None, tuple[RigidBody, Point]] = {}
        self._gravity = gravity

    def root(self, name: str, link: Link) -> None:
        """Add the segment that moves freely in the plane; it points up."""
        body, start, end = self._body(name, link, lambda frame: frame.y)
        q = dynamicsymbols(f"q_{name} x_{name} y_{name}")
        u = dynamicsymbols(f"u_{name} vx_{name} vy_{name}")
        frames = []
        for base in (self.ground, body):
            turned = ReferenceFrame(f"{base.name}_planar")
            turned.orient_dcm(base.frame, base.frame.dcm(base.frame)[[2, 0, 1], :])
            frames.append(turned)
        joint = PlanarJoint(
            name,
            self.ground,
            body,
            q[0],
            q[1:],
            u[0],
            u[1:],
            parent_point=self.origin,
            child_point=start,
            parent_interframe=frames[0],
            child_interframe=frames[1],
        )
        self._add(name, joint)
        self._ends[None], self._ends[name] = (body, start), (body, end)

    def pin(
        self, joint: str, name: str, link: Link, parent: str | None, side: str, down: bool
    ) -> None:
        """Add a segment on a pin about z at the end of another (None: at the hips)."""
        body, start, end = self._body(name, link, lambda f: -f.y if down else f.x)
        known = parent if parent in self._ends else f"{parent}_{side}"
        base, place = self._ends[known]
        q, u = dynamicsymbols(f"q_{joint} u_{joint}")
        axis = base.frame.z
        self._add(
            joint,
            PinJoint(
                joint, base, body, q, u, parent_point=place, child_point=start, joint_axis=axis
            ),
        )
        self._ends[name] = (body, end)

    def finished(self) -> System:
        """Return the System, with gravity."""
        self.system.apply_uniform_gravity(-self._gravity * self.frame.y)
        return self.system

    def _body(self, name: str, link: Link, along: Any) -> tuple[RigidBody, Point, Point]:
        symbols = link_symbols(name)
        self.constants |= link_values(symbols, link)
        length, mass, center, spread = symbols
        frame = ReferenceFrame(name)
        start = Point(f"{name}_start")
        middle = start.locatenew(f"{name}_center", center * along(frame))
        end = start.locatenew(f"{name}_end", length * along(frame))
        for point in (start, middle, end):
            point.set_vel(frame, 0)
        body = RigidBody(name, middle, frame, mass, (inertia(frame, 0, 0, spread), middle))
        self.bodies[name] = body
        return body, start, end

    def _add(self, name: str, joint: Joint) -> None:
        self.joints[name] = joint
        self.system.add_joints(joint)
