"""Time of pose, twist and Jacobian of a robot's hand: Franka Panda, against Pinocchio.

Pinocchio's two calls compute all of these except the hand's own pose and twist, which take two more
calls.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from models import Robot, panda, states
from sympy import Matrix
from throughput import looped
from timing import best_by_turns, print_table

from jointwrench import Kinematics

SAMPLES = 4096
HAND = "panda_hand"
OUTPUTS = (
    *("positions", "orientations", "velocities", "angular_velocities"),
    *("jacobians", "angular_jacobians"),
)


def of_pinocchio(
    robot: Robot, frame: int, is_whole: bool
) -> Callable[[np.ndarray, np.ndarray], Any]:
    """Return Pinocchio's calls for a frame: the Jacobian last."""
    import pinocchio

    model, data = robot.pinocchio, robot.pinocchio.createData()
    axes = pinocchio.LOCAL_WORLD_ALIGNED

    def run(q: np.ndarray, u: np.ndarray) -> Any:
        pinocchio.forwardKinematics(model, data, q, u)
        jacobian = pinocchio.computeFrameJacobian(model, data, q, frame, axes)
        if not is_whole:
            return jacobian
        pose = pinocchio.updateFramePlacement(model, data, frame)
        return pose, pinocchio.getFrameVelocity(model, data, frame, axes), jacobian

    return run


def hand_of(robot: Robot) -> tuple[int, Kinematics]:
    """Return the number of the hand's frame in Pinocchio, and its kinematics."""
    number = robot.pinocchio.getFrameId(HAND)
    frame = robot.pinocchio.frames[number]
    joint = robot.system.joints[frame.parentJoint - 1]
    x, y, z = map(float, frame.placement.translation)
    own = joint.child.frame
    turned = own.orientnew("hand", "DCM", Matrix(frame.placement.rotation))
    point = joint.child_point.locatenew("hand", x * own.x + y * own.y + z * own.z)
    return number, Kinematics(robot.system, [point], [turned])


def measure(robot: Robot, samples: int | None, seconds: float = 2.0) -> list[tuple[str, float]]:
    """Return names and nanoseconds per sample, of a batch or (None) of a call with one sample."""
    number, kin = hand_of(robot)
    evaluate = kin.compile(OUTPUTS, constants=robot.constants)
    q, u, _ = states(len(robot.system.q), samples)
    peers = [of_pinocchio(robot, number, is_whole) for is_whole in (False, True)]
    if samples is None:
        runs = [lambda run=run: [run(q, u) for _ in range(1000)] for run in (*peers, evaluate)]
    else:
        runs = [*(looped(run, (q, u)) for run in peers), lambda: evaluate(q, u)]
    names = ("pin, two calls", "pin, pose and twist of the hand, too", "jointwrench")
    times = best_by_turns(runs, seconds)
    return [(name, 1e9 * t / (samples or 1000)) for name, t in zip(names, times, strict=True)]


def main() -> None:
    """Print the tables."""
    robot = panda()
    for title, samples in ((f"{SAMPLES} states per call", SAMPLES), ("one state per call", None)):
        times = measure(robot, samples)
        first = times[0][1]
        rows = [[name, f"{time:.0f}", f"{time / first:.3f}"] for name, time in times]
        print_table(
            f"Franka Panda, {title}: pose, twist and Jacobian of the hand",
            ["", "ns", f"of {times[0][0]}"],
            rows,
        )


if __name__ == "__main__":
    main()
