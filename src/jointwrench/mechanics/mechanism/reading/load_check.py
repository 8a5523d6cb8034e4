"""The check that points and frames of loads move like the bodies on which the loads act."""

from collections.abc import Collection
from typing import Any

import numpy as np
from sympy.physics.mechanics import Torque

from ....checks.tolerances import STATED
from ...sympy_objects import is_particle
from ..tree import Tree
from .stated_motion import HERE, EvaluatedMotion, Numbers


def load_problems(tree: Tree, motion: EvaluatedMotion, moved: Collection[Any]) -> list[str]:
    """Return the problems of loads whose point or frame does not move like the loads' body.

    The stated velocity of a load's point is compared with the body's velocity at the point, and the
    stated angular velocity of a torque's frame with the body's, by unit speeds.  Only speeds that
    the velocity constraints allow are compared.

    Parameters
    ==========

    tree : Tree
        The model, with its loads on links.
    motion : EvaluatedMotion
        The motions at a random state, in inertial components.
    moved : collection of Point or ReferenceFrame
        The locations for which the user specified a body: they are not compared.
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
    """Return the orthogonal projector of speeds onto the null space of velocity constraints."""
    rows = motion.state.by_each_speed(tree.constraints.velocity)[:, :-2]
    return np.eye(len(tree.speeds)) - np.linalg.pinv(rows) @ rows
