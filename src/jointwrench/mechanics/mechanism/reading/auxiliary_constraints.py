"""The check that loop constraints contain the auxiliary speeds that open a joint of the loop."""

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
    """Warn of auxiliary speeds whose reaction is the sum of a joint's force and a loop's force.

    An auxiliary speed reveals the force of a constraint if the bodies' motion by it is a linear
    combination of their motions by other speeds.  Otherwise it opens a joint.  If it then also
    moves a point that the velocity constraints fix in ground or in another body, the constraints
    must contain it: without it, they hold the point by a force that the reaction includes.

    All motions are Jacobians by the speeds at one random state; nothing is reported if some are
    undefined there.

    Parameters
    ==========

    derivative : TimeDerivative
        The time derivatives, in which auxiliary speeds are not zero.
    kane : KaneParts
        The constraint equations and auxiliary speeds of a KanesMethod.
    frame : ReferenceFrame
        The inertial frame.
    bodies : sequence of RigidBody or Particle
        The moving bodies.
    """
    auxiliary, count = kane.auxiliary_speeds, len(kane.auxiliary_speeds)
    speeds = (*derivative.speeds, *auxiliary)
    state = RandomState(TimeDerivative(derivative.time, derivative.rates, speeds))
    motion = EvaluatedMotion(frame, bodies, state, Manifold(kane.position))
    # constraint Jacobian; the last two columns are the values without any speed, and at all speeds
    rows = motion.state.by_each_speed(kane.velocity)
    own, extra = rows[:, : -count - 2], rows[:, -count - 2 : -2]
    twists = np.concatenate([*motion.twists.values()])[:, :-2].T
    if not (np.isfinite(rows).all() and np.isfinite(twists).all()):
        return
    opens = ~_combined(twists[-count:], twists[:-count])[0]
    rank = np.linalg.matrix_rank(own)
    # without freedom every velocity is a combination of constraints, which proves nothing
    if not opens.any() or rank == own.shape[1]:
        return
    points = [*dict.fromkeys(x for pair in motion.steps for x in pair)]
    found = motion.velocities([motion.velocity_of(x) for x in points])[..., :-2]
    moving = [k for k, x in enumerate(found) if np.isfinite(x).all() and x[:, :-count].any()]
    # A constraint may be a component of a velocity without being written as one.  Combinations of
    # constraints that equal a velocity, auxiliary speeds included, are sound; if these combinations
    # span all constraints, other points that seem to be fixed do not matter.
    sounds, suspects = [np.zeros((0, len(own)))], []
    for size in (1, 2):  # the velocity of a point, then the relative velocity of two points
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
    """Return a boolean mask of the rows that a basis spans, and the factors of all rows."""
    factors = np.linalg.lstsq(basis.T, rows.T, rcond=DEPENDENT)[0].T
    size = np.linalg.norm(rows, axis=1)
    return np.linalg.norm(factors @ basis - rows, axis=1) <= DEPENDENT * size, factors
