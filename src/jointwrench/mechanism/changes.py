"""Notices that a System is not any more what was read."""

from typing import Any

from sympy import Expr
from sympy.physics.mechanics import System

from ..adapters.private_sympy import given_velocity_constraints

#: What a System consists of, by kind.
Contents = dict[str, tuple[Any, ...]]


def contents_of(system: System) -> Contents:
    """Return what a System consists of; none of it is copied."""
    return {
        "joints": system.joints,
        "loads": system.loads,
        "actuators": system.actuators,
        "bodies": system.bodies,
        "coordinates": tuple(system.q),
        "speeds": tuple(system.u),
        "auxiliary speeds": tuple(system.u_aux),
        "kinematical differential equations": tuple(system.kdes),
        "constraints": (
            *system.holonomic_constraints,
            *system.nonholonomic_constraints,
            *given_velocity_constraints(system),  # the property derives them anew
        ),
        "masses": tuple(body.mass for body in system.bodies),
        "inertias": tuple(getattr(body, "inertia", None) for body in system.bodies),
    }


def check_unchanged(system: System | None, read: Contents) -> None:
    """Refuse a System that does not consist of what was read."""
    now = {} if system is None else contents_of(system)
    changes = [_change(kind, old, now[kind]) for kind, old in read.items()]
    if any(changes):
        raise ValueError(
            "`system` must be what it was when the model was derived, but since then changed its "
            f"{', '.join(filter(None, changes))}. Use InverseDynamics(system) anew, after the last "
            "change to the system."
        )


def _change(kind: str, old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
    """Return a kind with the names of what is new or gone, nothing if it is as it was."""
    if len(old) == len(new) and all(map(_are_same, old, new)):
        return ""
    added = [_name(item) for item in new if not any(_are_same(item, other) for other in old)]
    removed = [_name(item) for item in old if not any(_are_same(item, other) for other in new)]
    words = (("new:", added), ("gone:", removed))
    texts = [f"{word} {', '.join(names)}" for word, names in words if any(names)]
    return f"{kind} ({'; '.join(texts)})" if texts else kind


def _are_same(one: Any, other: Any) -> bool:
    # equal loads are compared by sympy as vectors, at length; they are the same ones or not
    return one is other or (isinstance(one, Expr) and one == other)


def _name(item: Any) -> str:
    """Return where a load acts, or the name of an item, if it has any."""
    return str(getattr(item, "location", getattr(item, "name", "")))
