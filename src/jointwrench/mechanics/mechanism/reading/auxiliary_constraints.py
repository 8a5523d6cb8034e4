"""Constraints that close a loop, without the auxiliary speeds that open a joint of that loop."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from sympy.physics.vector import ReferenceFrame

from ....checks.messages import warn
from ....checks.tolerances import DEPENDENT
from ...adapters.private_sympy import KaneParts
from ...sympy_objects import Body
from ..time_derivative import TimeDerivative
from .random_state import Manifold, RandomState
from .stated_motion import EvaluatedMotion, Numbers


def warn_of_sums(
    derivative: TimeDerivative, kane: KaneParts, frame: ReferenceFrame, bodies: Sequence[Body]
) -> None:
    """Warn of auxiliary speeds that reveal the sum of a joint's and of a loop's forces.

    An auxiliary speed whose motion other speeds allow as well reveals the force of a constraint.
    Any other opens a joint: if it also moves a point that the velocity constraints fix, to ground
    or to another point, they must contain it.
    """
    auxiliary, count = kane.auxiliary_speeds, len(kane.auxiliary_speeds)
    speeds = (*derivative.speeds, *auxiliary)
    state = RandomState(TimeDerivative(derivative.time, derivative.rates, speeds))
    motion = EvaluatedMotion(frame, bodies, state, Manifold(kane.position))
    rows = motion.state.by_each_speed(kane.velocity)
    own, extra = rows[:, : -count - 2], rows[:, -count - 2 : -2]
    twists = np.concatenate([*motion.twists.values()])[:, :-2].T
    if not (np.isfinite(rows).all() and np.isfinite(twists).all()):
        return
    opens = ~_combined(twists[-count:], twists[:-count])[0]
    rank = np.linalg.matrix_rank(own)
    if not opens.any() or rank == own.shape[1]:
        return
    points = [*dict.fromkeys(x for pair in motion.steps for x in pair)]
    found = motion.velocities([motion.velocity_of(x) for x in points])[..., :-2]
    moving = [k for k, x in enumerate(found) if np.isfinite(x).all() and x[:, :-count].any()]
    sounds, suspects = [np.zeros((0, len(own)))], []
    for size in (1, 2):  # a point relative to ground, and two points
        for one, *other in combinations(moving, size):
            velocity = found[one] - sum(found[k] for k in other)
            is_fixed, factors = _combined(velocity[:, :-count], own)
            missing = opens & (abs(velocity[:, -count:] - factors @ extra) > DEPENDENT)
            sounds.append(factors[is_fixed & ~missing.any(axis=1)])
            for k in np.flatnonzero(is_fixed & missing.any(axis=1)):
                suspects.append((factors[k], missing[k], [one, *other]))
        sound = np.concatenate(sounds)
        if np.linalg.matrix_rank(sound) == rank:
            return
    suspects = [x for x in suspects if not _combined(x[0][None], sound)[0].any()]
    if suspects:
        held = suspects[0][2]
        changes = np.any([missing for _, missing, other in suspects if other == held], axis=0)
        names = ", ".join(str(u) for u, x in zip(auxiliary, changes, strict=True) if x)
        velocity = " - ".join(f"{points[k]}.vel({frame})" for k in held)
        warn(
            f"the auxiliary speeds {names} change {velocity}, which velocity constraints make "
            "zero, but the constraints do not contain them: the forces that they reveal are sums "
            "of the forces of several supports, unlike joint wrenches. State these constraints "
            f"as components of {velocity}, with the auxiliary speeds."
        )


def _combined(rows: Numbers, basis: Numbers) -> tuple[np.ndarray, Numbers]:
    """Return a mask of the rows that are linear combinations of a basis, and their factors."""
    factors = np.linalg.lstsq(basis.T, rows.T, rcond=DEPENDENT)[0].T
    size = np.linalg.norm(rows, axis=1)
    return np.linalg.norm(factors @ basis - rows, axis=1) <= DEPENDENT * size, factors
