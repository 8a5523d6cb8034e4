"""`Fingerprint`: detects changes of a model after it was read."""

from collections.abc import Iterable, Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple

from sympy import Expr
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...checks.arguments import enumerate_some
from ..adapters.private_sympy import (
    stated_angular_velocities,
    stated_orientations,
    stated_positions,
    stated_velocities,
    stated_velocity_constraints,
)
from ..spatial.paths import Relation, reach
from ..sympy_objects import Body

#: The parts of a model, by kind: joints, loads, masses ...
Contents = dict[str, Sequence[Any]]


class StatedRelations(NamedTuple):
    """The stated relations of points or frames at the time when the model was read.

    Attributes
    ==========

    relation : function
        Returns what sympy stores of a point or frame: its positions, orientations or velocities
        relative to others.
    read : dict
        The relations when the model was read.
    others : set
        The points or frames of the model; relations to all others are ignored.
    may_grow : bool
        Whether sympy stores further relations when it derives them, so that new ones are no change.
    """

    relation: Relation[Any]
    read: dict[Any, dict[Any, Any]]
    others: set[Any]
    may_grow: bool = False

    @classmethod
    def of(cls, relation: Relation[Any], places: set[Any], *options: Any) -> "StatedRelations":
        return cls(relation, {x: dict(relation(x)) for x in places}, *(options or (places,)))

    @property
    def changed(self) -> list[str]:
        """The names of the points or frames whose relations changed."""
        return sorted(str(x) for x, old in self.read.items() if not self._is_unchanged(old, x))

    def _is_unchanged(self, old: Mapping[Any, Any], place: Any) -> bool:
        new = self.relation(place)
        if len(old) == len(new) and all(map(is_, old.values(), new.values())):
            return True  # the usual case, without comparisons of expressions
        counting = [x for x in {**old, **new} if x in self.others]
        known = [x for x in counting if x in old or not self.may_grow]
        return all(x in old and x in new and _are_same(old[x], new[x]) for x in known)


class Fingerprint:
    """A record of a model when it was read, which detects later changes.

    It stores the model's parts, and the stated relations of its points and frames.
    """

    def __init__(
        self,
        system: System | None,
        bodies: Sequence[Body],
        points: Iterable[Point],
        frames: Iterable[ReferenceFrame],
    ) -> None:
        self._system, self._bodies = system, bodies
        self._contents = self._current_contents()
        near = _connecting_path(points, stated_positions)
        turned = _connecting_path(frames, stated_orientations)
        of_points = near if system is None else set()
        self._relations = {
            "positions": StatedRelations.of(stated_positions, near),
            "orientations": StatedRelations.of(stated_orientations, turned),
            "angular velocities": StatedRelations.of(stated_angular_velocities, turned),
            "velocities": StatedRelations.of(stated_velocities, of_points, turned, True),
        }

    def check(self) -> None:
        """Raise a ValueError that names all parts of the model that have changed."""
        now = self._current_contents()
        changes = [_change(kind, old, now[kind]) for kind, old in self._contents.items()]
        changed = ((kind, relations.changed) for kind, relations in self._relations.items())
        changes += [f"{kind} (of {enumerate_some(names)})" for kind, names in changed if names]
        if any(changes):
            argument = "kane" if self._system is None else "system"
            fix = f"InverseDynamics{'.from_kane' if self._system is None else ''}({argument})"
            raise ValueError(
                f"`{argument}` must not change after the model was derived, but these changed: "
                f"{', '.join(filter(None, changes))}. Use {fix} again, after the last change."
            )

    def _current_contents(self) -> Contents:
        """Return the present parts of the model by kind; the parts are not copied."""
        system, own, bodies = self._system, Contents(), self._bodies
        if system is not None:
            bodies = system.bodies
            own = {
                "joints": system.joints,
                "loads": system.loads,
                "actuators": system.actuators,
                "bodies": system.bodies,
                "coordinates": system.q_ind.flat() + system.q_dep.flat(),
                "speeds": system.u_ind.flat() + system.u_dep.flat(),
                "auxiliary speeds": system.u_aux.flat(),
                "kinematical differential equations": system.kdes.flat(),
                "constraints": (
                    *system.holonomic_constraints.flat(),
                    *system.nonholonomic_constraints.flat(),
                    *(stated_velocity_constraints(system) or ()),  # the property derives them anew
                ),
            }
        return {
            **own,
            "masses": tuple(body.mass for body in bodies),
            "inertias": tuple(part for body in bodies for part in getattr(body, "inertia", ())),
            "mass centres": tuple(body.masscenter for body in bodies),
            "frames": tuple(getattr(body, "frame", None) for body in bodies),
        }


def _connecting_path(places: Iterable[Any], neighbours: Relation[Any]) -> set[Any]:
    """Return points or frames together with those on the paths between them."""
    inner: dict[Any, Any] = {}
    wanted = list(places)
    for start in wanted:
        inner |= reach([start] if start not in inner else [], neighbours)
    used: set[Any] = set()
    for place in wanted:
        while place is not None and place not in used:
            used.add(place)
            place = inner[place]
    return used


def _change(kind: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """Return a kind with the names of added and removed items; an empty text if none changed."""
    if len(old) == len(new) and all(map(_are_same, old, new)):
        return ""
    added = [_name(item) for item in new if not any(_are_same(item, other) for other in old)]
    removed = [_name(item) for item in old if not any(_are_same(item, other) for other in new)]
    words = (("new:", added), ("removed:", removed))
    texts = [f"{word} {', '.join(names)}" for word, names in words if any(names)]
    return f"{kind} ({'; '.join(texts)})" if texts else kind


def _are_same(one: Any, other: Any) -> bool:
    # by identity where possible: sympy compares equal loads as vectors, which takes long
    if one is other:
        return True
    if isinstance(one, Vector) and isinstance(other, Vector):
        return bool(one.args == other.args)
    return isinstance(one, (Expr, MatrixBase)) and bool(one == other)


def _name(item: Any) -> str:
    return str(getattr(item, "location", getattr(item, "name", "")))
