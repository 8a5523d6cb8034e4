"""Unknown forces that the motion determines: of motors, loop joints, contacts and load symbols."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from ....checks.arguments import (
    check_different,
    check_instances,
    check_known,
    check_sequence,
    symbol_name,
)
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Scalar
from ...mechanism.loads import Loads
from ...mechanism.tree import Tree
from ..recursion.rigid_body import Wrenches
from ..recursion.scalar_tree import ScalarTree, external_wrenches


@dataclass(frozen=True)
class Unknown:
    """A force or moment that the motion determines.

    Attributes
    ==========

    source : LoopClosure or Expr
        The loop closure, the speed of a motor, the load symbol, or the constraint equation of a
        multiplier.
    column : list of Scalar
        The generalized force that a unit supplies at each speed.
    wrenches : mapping of int to BodyWrench
        The wrenches of a unit on links, by index.  It is empty for motors, which are inside joints,
        and for multipliers, which have no known point of action.
    """

    source: Any
    column: list[Scalar]
    wrenches: Wrenches

    @property
    def is_effective(self) -> bool:
        """Whether the force has power at any speed; a planar contact's third force has none."""
        return any(not entry.is_zero for entry in self.column)


def unknown_motors(tree: ScalarTree, actuated: Iterable[Expr]) -> list[Unknown]:
    """Return the unknown generalized forces of motors, one for each actuated speed."""
    place = {speed: n for n, speed in enumerate(tree.symbolic.speeds)}
    zero, one = tree.graph.scalar(0), tree.graph.scalar(1)
    units = ((u, [one if n == place[u] else zero for n in range(len(place))]) for u in actuated)
    return [Unknown(speed, unit, {}) for speed, unit in units]


def unknown_loads(tree: ScalarTree, loads: Loads, symbols: Sequence[Expr]) -> list[Unknown]:
    """Return the unknown of each load symbol, with the wrenches per unit of the symbol."""
    found = []
    for symbol in symbols:
        wrenches = external_wrenches(tree, _per_unit(loads, symbol, symbols))
        found.append(Unknown(symbol, supplied_by(tree, wrenches), wrenches))
    return found


def check_effect(unknowns: Sequence[Unknown]) -> None:
    """Raise a ValueError for unknown load symbols that have no power in any motion."""
    idle = [str(x.source) for x in unknowns if all(entry.is_zero for entry in x.column)]
    if idle:
        raise ValueError(
            f"`solve_for` must name loads that act on the motion, but {', '.join(idle)} does no "
            "work on any speed. Leave it out: nothing determines it."
        )


def supplied_by(
    tree: ScalarTree, wrenches: Wrenches, links: Iterable[int] | None = None
) -> list[Scalar]:
    """Return the generalized force that wrenches on links supply at each speed.

    ``links`` are the links whose joints count; by default all joints from the wrenches to ground.
    For a loop closure the links of its loop suffice: its two wrenches cancel in all joints beyond.
    """
    # From the outer links to ground, each joint passes the sum of the outer wrenches on to its
    # inner link; the power of this sum at the joint's partial velocities is its generalized force.
    if links is None:
        links = {inner for link in wrenches for inner in tree.path_to_ground(link)}
    carried = dict(wrenches)
    forces = dict.fromkeys(tree.symbolic.speeds, tree.graph.scalar(0))
    for index in sorted(links, reverse=True):
        wrench, inner = carried[index], tree.symbolic.links[index].inner
        for speed, partial in tree.partial_velocities[index].items():
            forces[speed] = forces[speed] + partial.power(wrench)
        if inner is not None:
            passed_on = tree.transforms[index].wrench_inward(wrench, tree.transforms[index].arm)
            carried[inner] = carried[inner] + passed_on if inner in carried else passed_on
    return [*forces.values()]


def _per_unit(loads: Loads, symbol: Expr, symbols: Sequence[Expr]) -> Loads:
    """Return the loads per unit of a symbol; raise a ValueError if there are none or not linear."""
    per_unit = loads.per_unit(symbol)
    if not per_unit.applied:
        raise ValueError(
            f"`solve_for` must name symbols of the system's loads, but no load depends on "
            f"{symbol}. Use symbols from system.loads or system.actuators."
        )
    if per_unit.depend_on(symbols):
        raise ValueError(
            f"`solve_for` must name symbols that enter the loads linearly, but the load "
            f"of {symbol} is not linear in {', '.join(map(str, symbols))}."
        )
    return per_unit


def check_symbols(solve_for: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the load symbols as a tuple; raise an error for other objects and repetitions."""
    expected = "an iterable of symbols or functions of time"
    symbols = check_instances("solve_for", solve_for, (Symbol, AppliedUndef), expected)
    check_different("solve_for", symbols, "name each symbol once")
    return tuple(symbols)


def check_actuated(actuated: Iterable[Any], speeds: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the actuated speeds in the model's order, or raise an error for unknown speeds.

    ``actuated`` has symbols or names of speeds.
    """
    names = f"speeds of the model ({', '.join(map(str, speeds))})"
    if isinstance(actuated, (Symbol, AppliedUndef)):
        raise TypeError(f"`actuated` must be an iterable, got {actuated}. Use [{actuated}].")
    by_name = {symbol_name(speed): speed for speed in speeds}
    given = check_sequence("actuated", actuated, f"an iterable of {names}")
    found = [by_name.get(x, x) if isinstance(x, str) else x for x in given]
    check_known("actuated", found, speeds, "be among the speeds of the model")
    check_different("actuated", found, "name each speed once")
    return tuple(speed for speed in speeds if speed in found)


def check_unknowns(tree: Tree, symbols: Iterable[Expr]) -> None:
    """Raise a ValueError for unknown symbols that occur in anything but the loads' vectors."""
    loads = tree.assigned
    known = tree.symbols | tree.states | {tree.time}
    positions = [load.position for load in loads.applied if load.position is not None]
    for symbol in symbols:
        if symbol in known or any(position.has(symbol) for position in positions):
            raise ValueError(
                f"`solve_for` must name symbols that occur in loads only, but {symbol} also "
                "occurs in the motion, the masses, the positions or the gravity. Use another "
                "symbol for the load."
            )


def without_zeros(unknowns: Sequence[Unknown], state: GenericState) -> list[Unknown]:
    """Return unknowns in which identically zero coefficients are replaced by the number zero."""
    return [replace(x, column=state.without_zeros(x.column)) for x in unknowns]
