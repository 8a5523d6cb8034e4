"""Comparison of loads with the motions that a model states for their points and frames."""

from collections.abc import Collection
from typing import Any

import numpy as np
from sympy.physics.mechanics import Torque

from ....checks.tolerances import STATED
from ...sympy_objects import is_particle
from ..tree import Tree
from .stated_motion import HERE, EvaluatedMotion, Numbers


def load_problems(tree: Tree, motion: EvaluatedMotion, moved: Collection[Any]) -> list[str]:
    """Return the problems of loads whose places move differently from the loads' bodies.

    What the constraints do not allow is no difference.  Loads at the places ``moved``, to which the
    user gave owners, are not compared.
    """
    known = [x for x in tree.assigned.applied if tree.links[x.link].body in motion.twists]
    loads = [x for x in known if x.source.location not in moved]
    if not loads:
        return []
    bodies = [tree.links[x.link] for x in loads]
    frames = [x.frame if is_particle(x.body) else x.body.frame for x in bodies]
    own = motion.spins(frames)
    places = [x.source.location for x in loads]
    is_torque = [isinstance(x.source, Torque) for x in loads]
    turned = motion.spins([x if y else None for x, y in zip(places, is_torque, strict=True)])
    shifted = motion.velocities(
        [None if y else motion.velocity_of(x) for x, y in zip(places, is_torque, strict=True)]
    )
    found, free = list[str](), _free_directions(tree, motion)
    for k, (place, link) in enumerate(zip(places, bodies, strict=True)):
        center = link.body.masscenter
        stated, moving = turned[k] if is_torque[k] else shifted[k], own[k]
        if not is_torque[k]:
            arm = motion.arm(place, center)
            turning = np.nan if arm is None else np.cross(own[k], arm[HERE][:, None], axis=0)
            moving = motion.twists[link.body][3:] + turning
        apart = abs((stated - moving)[:, :-2] @ free).max(initial=0)
        if apart > STATED * max(1.0, np.nanmax(abs(stated), initial=0)):  # False for NaN
            what, how, pose = (
                ("frame", "ang_vel_in", "orientation")
                if is_torque[k]
                else ("point", "vel", "position")
            )
            found.append(
                f"the load on the {what} {place} acts on {link.body}, which does not move there as "
                f"{place}.{how}({motion.inertial}) states. Correct that velocity, or the {pose} of "
                f"{place}, or name the body on which the load acts: owners={{{place}: body}}."
            )
    return list(dict.fromkeys(found))


def _free_directions(tree: Tree, motion: EvaluatedMotion) -> Numbers:
    """Return the projector of speeds onto those that the velocity constraints allow."""
    rows = motion.state.by_each_speed(tree.constraints.velocity)[:, :-2]
    return np.eye(len(tree.speeds)) - np.linalg.pinv(rows) @ rows
