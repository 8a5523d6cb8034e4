"""`Limit`: an inequality that a force of a model obeys."""

from collections.abc import Sequence
from math import inf
from typing import Any

from sympy import Expr
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..checks.arguments import check_instance, check_instances
from ..checks.numbers import check_integer, check_number
from ..checks.pickles import Pickled
from ..mechanics.mechanism.reading.connections import Connection
from ..mechanics.sympy_objects import check_vector
from ..records.wrench_components import COMPONENTS
from ..tracking.external_wrench import ExternalWrench


class Limit(Pickled):
    """An inequality that a force or moment of a model obeys, for `ranges`.

    Parameters
    ==========

    source : Joint, LoopJoint, Contact, speed, symbol or str
        The joint whose wrench is limited (on its child, by its parent, about its child point), or
        the speed whose generalized force is, or a ``solve_for`` symbol such as the force of a
        cable; or its name.
    component : str, optional
        One of fx, fy, fz, mx, my, mz for a joint.  Without it a joint of one speed stands for the
        generalized force of this speed.
    low, high : float, optional
        The least and the greatest value.  Default: none.
    frame : ReferenceFrame, optional
        The frame of the component.  Default: that of the joint wrench, the child's.

    Raises
    ======

    TypeError, ValueError
        If an argument has another type, the component is unknown, or ``low`` exceeds ``high``.

    See Also
    ========

    Limit.contact : What a contact can transmit: it pushes, with friction, inside a sole.
    ranges : Uses limits.

    Examples
    ========

    A cable that only pulls, a motor of at most 120 N m, a leg that pushes:

    >>> import jointwrench as jw
    >>> jw.Limit("cable", low=0), jw.Limit("u_knee", low=-120, high=120), jw.Limit("leg", "fz", 0)
    (Limit(cable at least 0), Limit(u_knee from -120 to 120), Limit(leg fz at least 0))
    """

    def __init__(
        self,
        source: Any,
        component: str | None = None,
        low: float = -inf,
        high: float = inf,
        frame: ReferenceFrame | None = None,
    ) -> None:
        self.source = _checked_source("source", source)
        if component is not None:
            check_instance("component", component, str, "the name of a component")
        self.component = None if component is None else _one_component(component)
        self.low, self.high = check_number("low", low), check_number("high", high)
        if not self.low <= self.high:
            raise ValueError(f"`low` must be at most `high`, got {low:g} and {high:g}.")
        if frame is not None:
            check_instance("frame", frame, ReferenceFrame, "a ReferenceFrame")
            if component is None:
                raise ValueError("`frame` must be that of a component. Use component='fx'.")
        self.frame = frame

    @property
    def name(self) -> str:
        """The force that is limited."""
        own = str(getattr(self.source, "name", self.source))
        return own if self.component is None else f"{own} {self.component}"

    def __repr__(self) -> str:
        bounds = f"from {self.low:g} to {self.high:g}"
        if self.low == -inf or self.high == inf:
            bounds = f"at least {self.low:g}" if self.high == inf else f"at most {self.high:g}"
        return f"Limit({self.name} {bounds})"

    @classmethod
    def contact(
        cls,
        contact: Any,
        normal: Vector | None = None,
        friction: float | None = None,
        sole: Sequence[Point] = (),
        sides: int = 16,
    ) -> "ContactLimit":
        """Return what a contact can transmit: it pushes only, with friction, inside a sole.

        The names of its inequalities in ``Ranges.contradictions`` are "... lifts off", "... slips"
        and "... tips".  The circle of friction is replaced by a polygon inside it, which is exact
        along the polygon's corners (thus in planar models): ranges are a little too narrow.

        Parameters
        ==========

        contact : Contact, Joint, LoopJoint, ExternalWrench or str
            What transmits the force on its child, or on the segment of the ExternalWrench.
        normal : Vector, optional
            The direction in which the force pushes the child.  Default: against gravity.
        friction : float, optional
            The greatest ratio of the force along the surface to the force along the normal.
            Default: no limit.
        sole : sequence of Point, optional
            The corners of a convex sole in their order, fixed in the child, or its two ends in a
            planar model: the centre of pressure is inside.  It needs a joint that transmits
            moments, or an ExternalWrench.  Default: no limit.
        sides : int
            The number of sides of the polygon of friction, a multiple of 4.

        Raises
        ======

        TypeError, ValueError
            If an argument has another type, the friction is negative, the sole has one corner, or
            ``sides`` is not a multiple of 4.

        See Also
        ========

        jointwrench.ranges

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Limit.contact("foot", friction=0.5)
        ContactLimit(foot pushes, friction 0.5)
        """
        return ContactLimit(contact, normal, friction, sole, sides)


class ContactLimit(Limit):
    """What a contact can transmit; made by `Limit.contact`."""

    def __init__(
        self, contact: Any, normal: Any, friction: float | None, sole: Any, sides: int
    ) -> None:
        self.source, self.component, self.frame = _checked_source("contact", contact), None, None
        self.normal = None if normal is None else check_vector("normal", normal)
        self.friction = None if friction is None else check_number("friction", friction)
        self.sole = check_instances("sole", sole, Point, "a sequence of Points")
        self.sides = check_integer("sides", sides, 4)
        if self.friction is not None and not 0 <= self.friction < inf:
            raise ValueError(f"`friction` must be a finite number from 0, got {friction:g}.")
        if len(self.sole) == 1:
            raise ValueError("`sole` must have its corners, or two ends in a plane, got one Point.")
        if self.sides % 4:
            raise ValueError(f"`sides` must be a multiple of 4, got {sides}. Use 16.")

    @property
    def name(self) -> str:
        """The name of the contact."""
        if isinstance(self.source, ExternalWrench):
            return self.source.symbols[0].name.rpartition("_")[0]
        return str(getattr(self.source, "name", self.source))

    def __repr__(self) -> str:
        friction = "" if self.friction is None else f", friction {self.friction:g}"
        sole = f", sole of {len(self.sole)} corners" if self.sole else ""
        return f"ContactLimit({self.name} pushes{friction}{sole})"


def _checked_source(argument: str, source: Any) -> Any:
    """Return what transmits a force: a name, a symbol or speed, or an object with a name."""
    is_known = isinstance(source, (str, Expr, Connection, ExternalWrench))
    if not (is_known or isinstance(getattr(source, "name", None), str)):
        expected = "a joint, loop joint, contact, speed, symbol or name"
        check_instance(argument, source, str, expected, "Use for instance a joint's name.")
    return source


def _one_component(component: str) -> str:
    if component not in COMPONENTS:
        expected = f"one of {', '.join(COMPONENTS)}"
        raise ValueError(
            f"`component` must be {expected}, got {component!r}. Use a limit for each."
        )
    return component
