"""Ideal actuators of OpenSim's models and ForceSet files, with their bounds and bodies."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..records.model_elements import has_direction
from ..records.xml_tree import Element, is_true, numbers_in, scalar_in, text_in
from .osim_frames import GROUND

ACTUATORS = ("CoordinateActuator", "PointActuator", "TorqueActuator")


class BodyPull(NamedTuple):
    """The load of a unit of an actuator's force on a body: a force at a point, or a moment."""

    # ``axes``, ``place``: the bodies in whose frames direction and point are given.

    body: str
    direction: np.ndarray
    axes: str
    point: np.ndarray | None = None
    place: str = GROUND


@dataclass(frozen=True, eq=False)
class Actuator:
    """An actuator in addition to the muscles: a bounded control times its optimal force."""

    name: str
    maximal_isometric_force: float
    least_activation: float
    most_activation: float
    coordinate: str | None = None
    pulls: tuple[BodyPull, ...] = ()

    #: Its force does not depend on lengths and velocities.
    curves: ClassVar[str] = "constant"

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(pull.body for pull in self.pulls if pull.body != GROUND)

    def strength(self, lengths: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the available fraction of its force, which is 1."""
        return np.ones(np.shape(rates))


def with_defaults(elements: Iterable[Element], root: Element) -> Iterator[Element]:
    """Yield elements, completed by the default element of their kind in older files."""
    usual = {x.tag: x for own in root.walk() if own.tag == "defaults" for x in own.children}
    for element in elements:
        known = usual.get(element.tag, element).children
        element.children += [x for x in known if element.find(x.tag) is None]
        yield element


def read_actuator(element: Element) -> Actuator | None:
    """Return an actuator, None if it is turned off."""
    applies = is_true(element, "appliesForce", True)
    if not applies or is_true(element, "isDisabled", False):
        return None
    name = element.attributes.get("name", "")
    least, most = _bound(element, "min_", -np.inf), _bound(element, "max_", np.inf)
    own: dict[str, Any] = {}
    if element.tag == "CoordinateActuator":
        own["coordinate"] = text_in(element, "coordinate", "socket_coordinate").split("/")[-1]
    elif element.tag == "PointActuator":
        body = text_in(element, "body").split("/")[-1]
        axes, place = (
            GROUND if is_true(element, f"{what}_is_global", False) else body
            for what in ("force", "point")
        )
        point = numbers_in(element, "point", 3, "0 0 0")
        own["pulls"] = (BodyPull(body, _direction(element, "direction"), axes, point, place),)
    else:
        first = text_in(element, "bodyA").split("/")[-1]
        second = text_in(element, "bodyB", default=GROUND).split("/")[-1]
        axes = GROUND if is_true(element, "torque_is_global", True) else first
        axis = _direction(element, "axis")
        own["pulls"] = BodyPull(first, axis, axes), BodyPull(second, -axis, axes)
    return Actuator(name, scalar_in(element, "optimal_force", "1"), least, most, **own)


def _direction(element: Element, tag: str) -> np.ndarray:
    given = numbers_in(element, tag, 3)
    if not has_direction(given):
        raise ValueError(f"{element} has a <{tag}> without direction, {given}.")
    return given / np.linalg.norm(given)


def _bound(element: Element, start: str, default: float) -> float:
    text = text_in(element, f"{start}control", default=str(default)).lower()
    return float(text.replace("infinity", "inf"))
