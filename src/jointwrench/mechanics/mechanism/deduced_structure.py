"""A KanesMethod with its connections: given, or chosen by rules, which is to be told."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from sympy.physics.mechanics import KanesMethod, LagrangesMethod
from sympy.physics.vector import Point, ReferenceFrame

from ...checks.display import listing
from ...checks.messages import warn
from ..sympy_objects import Body

#: A body, the inertial frame for ground; its child; and the point at which they are joined.
Triple: TypeAlias = tuple[Body | ReferenceFrame, Body, Point]


class KaneModel(NamedTuple):
    """A method, (parent, child, point) of each connection, and the argument that has the method.

    ``stated`` has rates of functions of time that the method's equations do not contain.

    Without connections they are those that its points and frames state.
    """

    kane: KanesMethod | LagrangesMethod
    connections: Iterable[Sequence[Any]] | None = None
    argument: str = "kane"
    stated: Mapping[Any, Any] | None = None


class Triples(tuple[Any, ...]):
    """Connections (parent, child, point), which are shown by names, as one writes them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{', '.join(self._texts)}]"

    @property
    def _texts(self) -> list[str]:
        return [f"({parent}, {child}, {point})" for parent, child, point in self]

    @property
    def short_text(self) -> str:
        """The first ones, for messages."""
        return f"[{listing(self._texts)}]"


class ConstraintSites(NamedTuple):
    """By what constraints may hold bodies: points of each, or of ground, by its inertial frame.

    ``frames`` do not turn relative to a body, or, by None, are all others.
    """

    points: Mapping[Body | ReferenceFrame, Sequence[Point]]
    frames: Mapping[Body | None, Sequence[ReferenceFrame]]


class DeducedLoops(NamedTuple):
    """Loop joints and contacts at which a model's constraints act, as code, and what is open."""

    loops: tuple[Any, ...] = ()
    written: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class Deduced(NamedTuple):
    """The connections that a model states, and each body welded to another one.

    ``conventions`` tells which choices others could make, ``doubts`` which the model leaves open;
    ``sites`` are kept until loops are looked for, ``reported`` has the warnings that came.
    """

    connections: Triples = Triples()
    welds: Mapping[Body, Body] = MappingProxyType({})
    conventions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    closed: DeducedLoops = DeducedLoops()
    sites: ConstraintSites | None = None
    reported: set[str] | None = None

    @property
    def summary(self) -> dict[str, str]:
        """What a representation says of it."""
        hangs = [f"{child} on {parent} at {point}" for parent, child, point in self.connections]
        welds = [f"{body} to {carrier}" for body, carrier in self.welds.items()]
        return {
            "deduced": listing(hangs),
            "welded": listing(welds),
            "closed": "" if self.closed.doubts else listing(x.name for x in self.closed.loops),
            "conventions": "; ".join(self.conventions),
            "open": "; ".join((*self.doubts, *self.closed.doubts)),
        }


def check_deduced(deduced: Deduced) -> None:
    """Raise an error for joint wrenches that the model leaves open, warn once of conventions."""
    fix = f"Use from_kane(kane, {deduced.connections.short_text}) with what is right instead"
    if deduced.doubts:
        items = "".join(f"\n- {doubt}" for doubt in deduced.doubts)
        raise ValueError(
            "`connections` must say how the bodies are joined, since joint wrenches depend on it: "
            f"{items}\n{fix}, or ask for generalized_forces alone."
        )
    if deduced.conventions and not deduced.reported:
        text = f"joint wrenches depend on conventions: {'; '.join(deduced.conventions)}."
        warn(f"{text} {fix}, or as it is to agree.")
        if deduced.reported is not None:
            deduced.reported.add(text)
