"""Models of OpenSim in another person's size, as OpenSim scales them."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

import numpy as np
from sympy import Expr, ImmutableMatrix

from ...muscles.muscle import Muscle, PathPoint, PathWrap
from .elements import Inertial
from .model_builder import exact
from .osim_elements import OsimElements, OsimJoint, OsimMarker
from .osim_frames import OsimFrame
from .osim_poses import muscle_lengths

#: By what each body is stretched along the axes of its frame, shape (3,).
Factors = Mapping[str, np.ndarray]


def resized(
    elements: OsimElements, factors: Factors, mass: float | None, keeps_distribution: bool
) -> OsimElements:
    """Return the elements with stretched bodies.

    ``mass`` is that of all bodies together; with ``keeps_distribution`` their shares stay, else
    each mass grows with the body's volume first.
    """
    new = copy(elements)
    new.inertials = {
        name: _stretched(inertial, _of(factors, name), keeps_distribution)
        for name, inertial in elements.inertials.items()
    }
    if mass is not None:
        share = mass / sum(inertial.mass for inertial in new.inertials.values())
        new.inertials = {
            name: replace(x, mass=share * x.mass, inertia=share * x.inertia)
            for name, x in new.inertials.items()
        }
    new.ordered = [_joint(joint, factors) for joint in elements.ordered]
    new.loops = [
        replace(loop, first=_frame(loop.first, factors), second=_frame(loop.second, factors))
        for loop in elements.loops
    ]
    new.markers = {
        name: OsimMarker(_frame(marker.frame, factors), marker.is_fixed)
        for name, marker in elements.markers.items()
    }
    new.muscles = {name: _muscle(muscle, factors) for name, muscle in elements.muscles.items()}
    before, after = muscle_lengths(elements), muscle_lengths(new)
    new.muscles = {
        name: _longer(muscle, after[name] / before[name]) for name, muscle in new.muscles.items()
    }
    return new


def with_markers(elements: OsimElements, places: Mapping[str, np.ndarray]) -> OsimElements:
    """Return the elements with some markers elsewhere in their bodies' frames."""
    new = copy(elements)
    new.markers = {
        name: replace(marker, frame=replace(marker.frame, position=places[name]))
        if name in places
        else marker
        for name, marker in elements.markers.items()
    }
    return new


def _of(factors: Factors, body: str) -> np.ndarray:
    return factors.get(body, np.ones(3))


def _frame(frame: OsimFrame, factors: Factors) -> OsimFrame:
    return replace(frame, position=_of(factors, frame.body) * frame.position)


def _joint(joint: OsimJoint, factors: Factors) -> OsimJoint:
    """Return a joint that is farther out; translations by a function are longer, too."""
    own = [coordinate.symbol for coordinate in joint.coordinates]
    turn = joint.parent.rotation
    stretch = turn.T @ np.diag(_of(factors, joint.parent.body)) @ turn
    lengths = [0 if x in own else x for x in joint.translation]  # a coordinate stays a length
    stretched = ImmutableMatrix(3, 3, [*map(exact, stretch.ravel())]) * ImmutableMatrix(lengths)
    translation: list[Expr] = [
        sum([x for x in [given] if given in own], more)
        for given, more in zip(joint.translation, stretched, strict=True)
    ]
    return replace(
        joint,
        parent=_frame(joint.parent, factors),
        child=_frame(joint.child, factors),
        translation=translation,
    )


def _muscle(muscle: Muscle, factors: Factors) -> Muscle:
    """Return a muscle whose path is on stretched bodies; its own lengths are the old ones."""

    def wrap(own: PathWrap) -> PathWrap:
        over, stretch = own.over, _of(factors, own.over.body)
        surface = over.surface.stretched(stretch, over.rotation)
        return replace(own, over=replace(over, position=stretch * over.position, surface=surface))

    def point(own: PathPoint) -> PathPoint:
        stretch = map(exact, _of(factors, own.body))
        x, y, z = (f * part for f, part in zip(stretch, own.location, strict=True))
        return replace(own, location=(x, y, z))

    points, wraps = map(point, muscle.points), map(wrap, muscle.wraps)
    return replace(muscle, points=tuple(points), wraps=tuple(wraps))


def _longer(muscle: Muscle, ratio: float) -> Muscle:
    """Return a muscle whose fibres and tendon are longer, as its path is."""
    return replace(
        muscle,
        optimal_fiber_length=ratio * muscle.optimal_fiber_length,
        tendon_slack_length=ratio * muscle.tendon_slack_length,
    )


def _stretched(inertial: Inertial, factors: np.ndarray, keeps_mass: bool) -> Inertial:
    """Return a mass distribution that is stretched along the axes of its frame.

    Where factors differ, the body is taken for a cylinder along the axis of the least moment.
    """
    mass = inertial.mass * (1 if keeps_mass else abs(np.prod(factors)))
    center = factors * inertial.center
    if not mass:
        return Inertial(0.0, center, 0 * inertial.inertia)
    inertia = inertial.inertia * np.outer(factors, factors) * (mass / inertial.mass)
    if len(set(factors)) > 1:
        np.fill_diagonal(inertia, mass * _cylinder(inertial, factors))
    return Inertial(mass, center, inertia)


def _cylinder(inertial: Inertial, factors: np.ndarray) -> np.ndarray:
    """Return the moments of inertia per mass of a stretched cylinder."""
    moments = np.diag(inertial.inertia) / inertial.mass
    along = int(np.argmin(moments))
    across = [k for k in range(3) if k != along]
    radius2 = max(2 * moments[along], 0.0)
    length2 = max(12 * (moments[across[0]] - radius2 / 4), 0.0) * factors[along] ** 2
    radius2 *= np.prod(factors[across])
    found = np.full(3, length2 / 12 + radius2 / 4)
    found[along] = radius2 / 2
    return found
