"""How long does a pose take?  A Panda, and whole bodies, against a Python loop with Pinocchio.

The targets are reachable: poses of random coordinates within the limits.  The loop is damped least
squares, clipped to the limits, with random starts, for one pose at a time.  A first attempt has
none of them, and no restarts in ours; near poses are within half of each coordinate's range.  A
pose is solved if it is within the limits, 0.1 mm and 1 mrad, for all hands and feet.  The path has
1,000 targets, each starting from the previous pose.  The pelvis of G1 and Talos is fixed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kernels import urdf
from timing import best_by_turns, print_table

import jointwrench as jw

HAND = "panda_hand"
POSES, PATH = 100, 1000
#: Whole bodies: their hands, then their feet.
BODIES = {
    "g1_29dof_rev_1_0": [f"{x}_wrist_yaw_link" for x in ("left", "right")]
    + [f"{x}_ankle_roll_link" for x in ("left", "right")],
    "talos_reduced": [f"{limb}_link" for limb in ("arm_left_7", "arm_right_7")]
    + [f"{limb}_link" for limb in ("leg_left_6", "leg_right_6")],
}
WHOLE_POSES = 24
CLOSE, TURNED = 1e-4, 1e-3  # m, rad
ENDS = ("lower", "upper")
STARTS, STEPS, DAMPING = 10, 100, 1e-3
RESTARTS, NEAR = 24, 0.5


def pinocchio_loop(
    path: Path, names: Sequence[str], lower: np.ndarray, upper: np.ndarray
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return Pinocchio's poses of frames at coordinates, and a solver for poses."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(path))
    data, frames = model.createData(), [model.getFrameId(name) for name in names]
    rng, eye = np.random.default_rng(2), DAMPING * np.eye(6 * len(names))

    def pose(q: np.ndarray) -> Any:
        pinocchio.framesForwardKinematics(model, data, q)
        return [data.oMf[frame].copy() for frame in frames]

    def solve(target: Any, start: np.ndarray, starts: int = STARTS) -> np.ndarray:
        q = start
        for _ in range(starts):
            for _ in range(STEPS):
                pinocchio.framesForwardKinematics(model, data, q)
                pairs = [*zip(frames, target, strict=True)]
                error = np.array([pinocchio.log6(data.oMf[x].actInv(to)).vector for x, to in pairs])
                if (abs(error[:, :3]) < CLOSE / 2).all() and (abs(error[:, 3:]) < TURNED / 2).all():
                    return q
                parts = [pinocchio.computeFrameJacobian(model, data, q, x) for x in frames]
                jacobian = np.vstack(parts)
                step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + eye, error.ravel())
                q = np.clip(q + step, lower, upper)
            q = rng.uniform(lower, upper)
        return q

    return pose, solve


def loop(
    solve: Callable[..., Any], targets: list[Any], start: np.ndarray, follows: bool, starts: int
) -> np.ndarray:
    """Return the poses of all targets, from one start, or each from the previous pose."""
    found: list[np.ndarray] = []
    for target in targets:
        found.append(solve(target, found[-1] if follows and found else start, starts))
    return np.array(found)


def solved(pose: Callable[..., Any], q: np.ndarray, targets: list[Any]) -> float:
    """Return the share of solved poses."""
    import pinocchio

    errors = np.array(
        [
            [pinocchio.log6(x.actInv(to)).vector for x, to in zip(pose(own), target, strict=True)]
            for own, target in zip(q, targets, strict=True)
        ]
    )
    near = np.linalg.norm(errors[..., :3], axis=-1) < CLOSE
    turned = np.linalg.norm(errors[..., 3:], axis=-1) < TURNED
    return float(np.mean((near & turned).all(axis=1)))


def rows_of(path: Path, ends: Sequence[str], count: int, seconds: float, follow: bool) -> Any:
    """Yield rows of a robot: random poses of some ends and, if wanted, a path."""
    robot = jw.robots.read_urdf(path)
    reach = jw.PoseSolver(robot, ends, ends)
    limits = [robot.limits[name] for name in robot.coordinates]
    order = robot.to_pinocchio(np.arange(len(limits))).q.astype(int)  # all is in Pinocchio's order
    lower, upper = (np.array([getattr(x, name) for x in limits])[order] for name in ENDS)
    pose, solve = pinocchio_loop(path, ends, lower, upper)
    rng = np.random.default_rng(1)
    middle, times = (lower + upper) / 2, np.linspace(0, 2 * np.pi, PATH)
    wide = rng.uniform(lower, upper, (count, len(lower)))
    near = middle + NEAR * (wide - middle)
    cases = {
        "random poses": (wide, False, STARTS, RESTARTS),
        "random poses, first attempt": (wide, False, 1, 0),
        "near poses, first attempt": (near, False, 1, 0),
    }
    if follow:
        waves = np.sin(times[:, None] + rng.uniform(0, 6, len(lower)))
        cases["a path"] = middle + 0.2 * (upper - lower) * waves, True, 1, RESTARTS
    for title, (q, follows, starts, restarts) in cases.items():
        targets = [pose(own) for own in q]
        places, turns = (
            {end: np.array([getattr(x[k], what) for x in targets]) for k, end in enumerate(ends)}
            for what in ("translation", "rotation")
        )
        start = q[0] if follows else middle
        own = partial(loop, solve, targets, start, follows, starts)
        given = {"start": start[np.argsort(order)], "follow": follows, "restarts": restarts}
        ours = partial(reach, places, turns, **given)
        found = {"damped least squares, pinocchio": own(), "jointwrench": ours().q[:, order]}
        spent = best_by_turns([own, ours], seconds)
        for (name, own_q), time in zip(found.items(), spent, strict=True):
            assert ((own_q >= lower - 1e-9) & (own_q <= upper + 1e-9)).all()
            share = f"{100 * solved(pose, own_q, targets):.1f}"
            yield [f"{path.stem}, {len(ends)}", title, name, f"{1e6 * time / len(q):.1f}", share]


def main(seconds: float = 10.0) -> None:
    """Print the table."""
    rows = [*rows_of(Path(jw.example_data("panda.urdf")), [HAND], POSES, seconds, True)]
    for name, ends in BODIES.items():
        for count in (2, 4):
            rows += rows_of(urdf(name), ends[:count], WHOLE_POSES, seconds, False)
    header = ("robot, limbs", "", "", "us a pose", "% solved")
    print_table("Position and orientation of hands and feet", header, rows)


if __name__ == "__main__":
    main()
