"""How long does a pose of a robot's hand take?  Panda, against a Python loop with Pinocchio.

The targets are reachable: poses of random coordinates within the limits.  The loop is damped least
squares, clipped to the limits, with random starts, for one pose at a time.  A pose is solved if it
is within the limits, 0.1 mm and 1 mrad.  The path has 1,000 targets, each starting from the
previous pose.
"""

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
from timing import best_by_turns, print_table

import jointwrench as jw

HAND = "panda_hand"
POSES, PATH = 100, 1000
CLOSE, TURNED = 1e-4, 1e-3  # m, rad
STARTS, STEPS, DAMPING = 10, 100, 1e-3


def pinocchio_loop(lower: np.ndarray, upper: np.ndarray) -> tuple[Any, Callable[..., Any]]:
    """Return Pinocchio's pose of the hand at coordinates, and a solver for poses."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(files("jointwrench") / "data" / "panda.urdf"))
    data, frame = model.createData(), model.getFrameId(HAND)
    rng, eye = np.random.default_rng(2), DAMPING * np.eye(6)

    def pose(q: np.ndarray) -> Any:
        pinocchio.framesForwardKinematics(model, data, q)
        return data.oMf[frame].copy()

    def solve(target: Any, start: np.ndarray, starts: int = STARTS) -> np.ndarray:
        q = start
        for _ in range(starts):
            for _ in range(STEPS):
                pinocchio.framesForwardKinematics(model, data, q)
                error = pinocchio.log6(data.oMf[frame].actInv(target)).vector
                if (abs(error[:3]) < CLOSE / 2).all() and (abs(error[3:]) < TURNED / 2).all():
                    return q
                jacobian = pinocchio.computeFrameJacobian(model, data, q, frame)
                step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + eye, error)
                q = np.clip(q + step, lower, upper)
            q = rng.uniform(lower, upper)
        return q

    return pose, solve


def loop(
    solve: Callable[..., Any], targets: list[Any], start: np.ndarray, follows: bool
) -> np.ndarray:
    """Return the poses of all targets, from one start, or each from the previous pose."""
    found: list[np.ndarray] = []
    for target in targets:
        begin = found[-1] if follows and found else start
        found.append(solve(target, begin, 1 if follows else STARTS))
    return np.array(found)


def solved(pose: Callable[..., Any], q: np.ndarray, targets: list[Any]) -> float:
    """Return the share of solved poses."""
    import pinocchio

    errors = np.array(
        [
            pinocchio.log6(pose(own).actInv(target)).vector
            for own, target in zip(q, targets, strict=True)
        ]
    )
    near = np.linalg.norm(errors[:, :3], axis=1) < CLOSE
    return float(np.mean(near & (np.linalg.norm(errors[:, 3:], axis=1) < TURNED)))


def main(seconds: float = 10.0) -> None:
    """Print both tables."""
    robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
    reach = jw.PoseSolver(robot, [HAND], [HAND])
    ends = [robot.limits[name] for name in robot.coordinates]
    lower, upper = (np.array([getattr(x, name) for x in ends]) for name in ("lower", "upper"))
    pose, solve = pinocchio_loop(lower, upper)
    rng = np.random.default_rng(1)
    known = rng.uniform(lower, upper, (POSES, len(lower)))
    middle, times = (lower + upper) / 2, np.linspace(0, 2 * np.pi, PATH)
    waves = np.sin(times[:, None] + rng.uniform(0, 6, len(lower)))
    path = middle + 0.2 * (upper - lower) * waves
    rows = []
    for title, q, follows in (("random poses", known, False), ("a path", path, True)):
        targets = [pose(own) for own in q]
        places = {HAND: np.array([x.translation for x in targets])}
        turns = {HAND: np.array([x.rotation for x in targets])}
        start = q[0] if follows else middle
        own = partial(loop, solve, targets, start, follows)
        ours = partial(reach, places, turns, start=start, follow=follows)
        found = {"damped least squares, pinocchio": own(), "jointwrench": ours().q}
        for (name, own_q), time in zip(
            found.items(), best_by_turns([own, ours], seconds), strict=True
        ):
            assert ((own_q >= lower - 1e-9) & (own_q <= upper + 1e-9)).all()
            share = f"{100 * solved(pose, own_q, targets):.1f}"
            rows.append([title, name, f"{1e6 * time / len(q):.1f}", share])
    print_table("Franka Panda, position and orientation", ("", "", "us a pose", "% solved"), rows)


if __name__ == "__main__":
    main()
