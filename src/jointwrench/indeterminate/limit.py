"""`Limit`: an inequality that a force of a model obeys."""

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

from sympy import Expr
from sympy.physics.vector import Point, ReferenceFrame, Vector

from .. import Connection, ExternalWrench
from ..checks.arguments import check_choice, check_instance, check_instances
from ..checks.numbers import check_finite, check_integer
from ..checks.pickles import Pickled
from ..records.wrench_components import COMPONENTS


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
        The least and the greatest value, finite; at least one of them.
    frame : ReferenceFrame, optional
        The frame of the component.  Default: that of the joint wrench, the child's.

    Raises
    ======

    TypeError, ValueError
        If an argument has another type, the component is unknown, neither ``low`` nor ``high`` is
        stated, or ``low`` exceeds ``high``.

    See Also
    ========

    Limit.contact : The limits of a contact: it pushes only, with friction, inside a sole.
    ranges : Uses limits.

    Examples
    ========

    A cable that only pulls, a motor of at most 120 N m, a leg that pushes:

    >>> import jointwrench as jw
    >>> jw.Limit("cable", low=0), jw.Limit("u_knee", low=-120, high=120), jw.Limit("leg", "fz", 0)
    (Limit(cable at least 0), Limit(u_knee at least -120 and at most 120), Limit(leg fz at least 0))
    """

    def __init__(
        self,
        source: Any,
        component: str | None = None,
        low: float | None = None,
        high: float | None = None,
        frame: ReferenceFrame | None = None,
    ) -> None:
        self.source = _checked_source("source", source)
        if component is not None:
            check_choice("component", component, COMPONENTS)
        self.component = component
        self.low = -inf if low is None else check_finite("low", low)
        self.high = inf if high is None else check_finite("high", high)
        if low is None and high is None:
            raise ValueError("`low` or `high` must be a number, got None for both. Use low=0.")
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
        words = ("at least", self.low), ("at most", self.high)
        bounds = " and ".join(f"{word} {x:g}" for word, x in words if isfinite(x))
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
        """Return the limits of a contact: it pushes only, with friction, inside a sole.

        The names of its inequalities in ``Ranges.contradictions`` are "... lifts off", "... slips"
        and "... tips".  The circle of friction is replaced by a polygon inside it, which is exact
        along the polygon's corners (thus in planar models): ranges are a little too narrow.

        Parameters
        ==========

        contact : Contact, Joint, LoopJoint, ExternalWrench or str
            The contact; its force acts on its child, or on the segment of the ExternalWrench.
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
    """The limits of a contact's force and moment; made by `Limit.contact`."""

    def __init__(
        self, contact: Any, normal: Any, friction: float | None, sole: Any, sides: int
    ) -> None:
        self.source, self.component, self.frame = _checked_source("contact", contact), None, None
        if normal is not None:
            fix = "Use for instance frame.y."
            check_instance("normal", normal, Vector, "a sympy.physics.vector.Vector", fix)
        self.normal = normal
        self.friction = None if friction is None else check_finite("friction", friction)
        self.sole = check_instances("sole", sole, Point, "a sequence of Points")
        self.sides = check_integer("sides", sides, 4)
        if (self.friction or 0.0) < 0:
            raise ValueError(f"`friction` must not be negative, got {friction:g}.")
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
    """Return the source of a limited force, if it is a name or has one."""
    if not isinstance(getattr(source, "name", source), (str, Expr, Connection, ExternalWrench)):
        expected = "a joint, loop joint, contact, speed, symbol or name"
        check_instance(argument, source, str, expected, "Use for instance a joint's name.")
    return source
