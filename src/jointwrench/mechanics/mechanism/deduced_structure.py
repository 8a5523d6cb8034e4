"""The connections of a KanesMethod's bodies: specified by the user, or deduced by rules."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from sympy.physics.mechanics import KanesMethod, LagrangesMethod
from sympy.physics.vector import Point, ReferenceFrame

from ...checks.display import listing
from ...checks.messages import warn
from ..sympy_objects import Body

#: A connection: the parent (for ground the inertial frame), the child, and their joint's point.
Triple: TypeAlias = tuple[Body | ReferenceFrame, Body, Point]


class KaneModel(NamedTuple):
    """A KanesMethod or LagrangesMethod with what `from_kane` was called with.

    Attributes
    ==========

    kane : KanesMethod or LagrangesMethod
        The method.
    connections : iterable of (parent, child, point), optional
        The specified connections; None if they are deduced from points and frames.
    argument : str
        The name of the argument that has the method, for messages.
    stated : mapping, optional
        Rates of functions of time that the method's equations do not define.
    """

    kane: KanesMethod | LagrangesMethod
    connections: Iterable[Sequence[Any]] | None = None
    argument: str = "kane"
    stated: Mapping[Any, Any] | None = None


class Triples(tuple[Any, ...]):
    """A tuple of connections, whose representation has the names of bodies and points."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{', '.join(self._texts)}]"

    @property
    def _texts(self) -> list[str]:
        return [f"({parent}, {child}, {point})" for parent, child, point in self]

    @property
    def short_text(self) -> str:
        """The representation with the first connections only, for messages."""
        return f"[{listing(self._texts)}]"


class ConstraintSites(NamedTuple):
    """Points and frames of bodies at which constraints may act.

    Attributes
    ==========

    points : mapping of body to points
        The points of each body; those of ground by the inertial frame.
    frames : mapping of body to frames
        The frames that do not rotate relative to each body; all other frames by None.
    """

    points: Mapping[Body | ReferenceFrame, Sequence[Point]]
    frames: Mapping[Body | None, Sequence[ReferenceFrame]]


class DeducedLoops(NamedTuple):
    """The loop joints and contacts that were deduced from a model's constraints.

    Attributes
    ==========

    loops : tuple of LoopJoint or Contact
        The joints.
    written : tuple of str
        The code that makes each of them, for messages.
    doubts : tuple of str
        The questions that the constraints leave open.
    """

    loops: tuple[Any, ...] = ()
    written: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class Deduced(NamedTuple):
    """The connections that were deduced from a model.

    Attributes
    ==========

    connections : Triples
        The connections of bodies.
    welds : mapping of body to body
        The body to which each welded body is attached.
    conventions : tuple of str
        The choices on which joint wrenches depend and which others could make differently.
    doubts : tuple of str
        The questions that the model leaves open.
    closed : DeducedLoops
        The loop joints and contacts.
    sites : ConstraintSites or None
        Points and frames for the deduction of loops; None after it.
    reported : set of str or None
        The warnings that the user has received.
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
        """The texts for the representation of a model, by title."""
        connected = [f"{child} on {parent} at {point}" for parent, child, point in self.connections]
        welds = [f"{body} to {carrier}" for body, carrier in self.welds.items()]
        return {
            "deduced": listing(connected),
            "welded": listing(welds),
            "closed": "" if self.closed.doubts else listing(x.name for x in self.closed.loops),
            "conventions": "; ".join(self.conventions),
            "open": "; ".join((*self.doubts, *self.closed.doubts)),
        }


def check_deduced(deduced: Deduced) -> None:
    """Raise an error if joint wrenches depend on open questions; warn once of conventions."""
    fix = (
        f"Use from_kane(kane, {deduced.connections.short_text}) with the right connections instead"
    )
    if deduced.doubts:
        items = "".join(f"\n- {doubt}" for doubt in deduced.doubts)
        raise ValueError(
            "`connections` must say how the bodies are joined, since joint wrenches depend on it: "
            f"{items}\n{fix}, or ask for generalized_forces alone."
        )
    if deduced.conventions and not deduced.reported:
        text = f"joint wrenches depend on conventions: {'; '.join(deduced.conventions)}."
        warn(f"{text} {fix}, or unchanged to confirm them.")
        if deduced.reported is not None:
            deduced.reported.add(text)
