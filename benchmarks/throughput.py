"""How long does a sample take in a large batch?  Franka Panda, numbers of its URDF, 4096 states.

R is half the time of one call of pin.rnea from Python: about what its C++ takes.
Arguments: --kane to measure KanesMethod too (its derivation takes a minute).
"""

import sys

import numpy as np
from models import Robot, panda, states
from peers import (
    available,
    kane_equations,
    lambdified,
    mujoco_inverse,
    pinocchio_rnea,
    pydy_cython,
)
from timing import best, best_by_turns, print_table

SAMPLES = 4096
BOTH = ("generalized_forces", "joint_wrenches")


def measure(with_kane: bool = False, seconds: float = 1.0) -> list[tuple[str, float]]:
    """Return names and nanoseconds per sample, Pinocchio's first."""
    robot = panda()
    batch = states(7, SAMPLES)
    rows = [[x[k].copy() for k in range(SAMPLES)] for x in batch]
    singles = {"pin.rnea, loop": lambda: pinocchio_rnea(robot)}
    singles["mj_inverse, loop"] = lambda: mujoco_inverse(robot)
    results = [
        (
            name,
            1e9 * best(lambda f=run: [f(*x) for x in zip(*rows, strict=True)], seconds) / SAMPLES,
        )
        for name, run in available(singles).items()
    ]
    results += own(robot, batch, seconds)
    return results + (kane(robot, batch, rows, seconds) if with_kane else [])


def own(robot: Robot, batch: tuple[np.ndarray, ...], seconds: float) -> list[tuple[str, float]]:
    """Return the times of compiled functions."""
    idyn, results = robot.idyn, []
    for name, outputs in (("torques", BOTH[:1]), ("torques + 7 wrenches", BOTH)):
        evaluate = idyn.compile(outputs, constants=robot.constants)
        time = best(lambda f=evaluate: f(*batch), seconds)
        results.append((f"jointwrench, {name}", 1e9 * time / SAMPLES))
    evaluate = idyn.compile(BOTH, backend="numpy", constants=robot.constants)
    time = best(lambda: evaluate(*batch), seconds)
    results.append(("jointwrench, numpy backend, torques + 7 wrenches", 1e9 * time / SAMPLES))
    return results


def kane(robot: Robot, batch, rows, seconds: float) -> list[tuple[str, float]]:
    """Return the times of KanesMethod's equations."""
    torques, groups = kane_equations(robot.system, robot.constants)
    compiled = pydy_cython(torques, groups)
    printed = lambdified(torques, groups)
    columns = np.concatenate(batch, axis=1).T.copy()
    loop = best(lambda: [compiled(*x) for x in zip(*rows, strict=True)], seconds)
    vector = best(lambda: printed(columns), seconds)
    return [
        ("KanesMethod + PyDy's Cython, torques, loop", 1e9 * loop / SAMPLES),
        ("KanesMethod + lambdify(cse=True), torques", 1e9 * vector / SAMPLES),
    ]


def scaling(samples: int = 2**19, seconds: float = 4.0) -> float:
    """Return how many times faster two threads are, on a large batch and given arrays."""
    robot = panda()
    batch = states(7, samples)
    evaluate = robot.idyn.compile(BOTH, constants=robot.constants)
    out = dict(evaluate(*batch).outputs)

    def run(threads: int) -> None:
        evaluate.threads = threads
        evaluate(*batch, out=out)

    one, two = best_by_turns([lambda: run(1), lambda: run(2)], seconds)
    return one / two


def main() -> None:
    """Print the table."""
    results = measure(with_kane="--kane" in sys.argv[1:])
    reference = results[0][1] / 2
    rows = [[name, f"{time:.1f}", f"R/{reference / time:.1f}"] for name, time in results]
    head = ["", "ns per sample", f"R = {reference:.0f} ns"]
    print_table(f"Franka Panda, {SAMPLES} samples", head, rows)
    print(f"\nthreads=2, 2**19 samples, torques + 7 wrenches: {scaling():.2f} times as fast")


if __name__ == "__main__":
    main()
