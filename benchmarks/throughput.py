"""How long does a sample take in a batch?  Franka Panda, numbers of its URDF, 4096 states.

Then the same with a million states, whose arrays are larger than the caches.  R is half the time of
one call of pin.rnea from Python, roughly that of its C++ code.  Arguments: --quick to leave out
KanesMethod (its derivation takes minutes).
"""

import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
from models import Robot, panda, states
from peers import CYTHON, LAMBDIFY, Kane, Single, libraries
from timing import best, best_by_turns, print_table

SAMPLES = 4096
LARGE = 2**20
BOTH = ("generalized_forces", "joint_wrenches")


def measure(
    robot: Robot, kane: Kane | None = None, seconds: float = 1.0
) -> list[tuple[str, float]]:
    """Return names and nanoseconds per sample, Pinocchio's first."""
    batch = states(len(robot.system.q), SAMPLES)
    singles = {f"{name}, loop": looped(run, batch) for name, run in libraries(robot).items()}
    if kane is not None:
        printed, columns = kane.lambdified, np.concatenate(batch, axis=1).T.copy()
        singles[f"{CYTHON}, torques, loop"] = looped(kane.cython, batch)
        singles[f"{LAMBDIFY}, torques"] = lambda: printed(columns)
    runs = {**singles, **own(robot, batch)}
    return [(name, 1e9 * best(run, seconds) / SAMPLES) for name, run in runs.items()]


def looped(run: Single, batch: tuple[np.ndarray, ...]) -> Callable[[], Any]:
    """Return a loop over samples."""
    rows = list(zip(*([row.copy() for row in x] for x in batch), strict=True))
    return lambda: [run(*row) for row in rows]


def own(robot: Robot, batch: tuple[np.ndarray, ...]) -> dict[str, Callable[[], Any]]:
    """Return calls of compiled functions, by name."""
    wanted = {
        "torques": {"outputs": BOTH[:1]},
        "torques + wrenches": {"outputs": BOTH},
        "numpy backend, torques + wrenches": {"outputs": BOTH, "backend": "numpy"},
    }
    made = {}
    for name, options in wanted.items():
        evaluate = robot.idyn.compile(constants=robot.constants, **options)
        made[f"jointwrench, {name}"] = lambda f=evaluate: f(*batch)
    return made


def large(robot: Robot, seconds: float = 8.0) -> list[tuple[str, float, float]]:
    """Return nanoseconds per sample of a batch in the caches and of a larger one."""
    evaluate = robot.idyn.compile(BOTH, constants=robot.constants)
    times = {}
    for samples in (SAMPLES, LARGE):
        batch = states(len(robot.system.q), samples)
        out = dict(evaluate(*batch).outputs)
        times[samples] = [
            1e9 * best(lambda b=batch, o=given: evaluate(*b, out=o), seconds / 4) / samples
            for given in (out, None)
        ]
    names = "results in given arrays (out=)", "results in new arrays"
    return list(zip(names, times[SAMPLES], times[LARGE], strict=True))


def scaling(robot: Robot, samples: int = 100_000, seconds: float = 4.0) -> dict[str, float]:
    """Return how many times faster two threads are, on a large batch and given arrays."""
    batch = states(len(robot.system.q), samples)
    torques, wrenches = BOTH
    wanted: dict[str, dict[str, Any]] = {
        "torques": {"outputs": torques},
        "wrenches": {"outputs": wrenches},
        "torques, derivatives": {"outputs": torques, "derivatives": ["q", "u", "udot"]},
    }
    gains = {}
    for name, options in wanted.items():
        evaluate = robot.idyn.compile(constants=robot.constants, **options)
        out = dict(evaluate(*batch).outputs)

        def run(threads: int, evaluate: Any = evaluate, out: Any = out) -> None:
            evaluate.threads = threads
            evaluate(*batch, out=out)

        one, two = best_by_turns([lambda run=run: run(1), lambda run=run: run(2)], seconds)
        gains[name] = one / two
    one, two = best_by_turns([lambda: square_roots(1), lambda: square_roots(2)], seconds)
    return {**gains, "numpy, square roots (what the processor gives)": 2 * one / two}


def square_roots(threads: int) -> None:
    """Let each thread take as many square roots, of numbers that the first cache holds.

    Two threads do it in the time of one, unless they share a core.
    """
    numbers = np.ones(2000)

    def work() -> None:
        for _ in range(1000):
            np.sqrt(numbers, out=np.empty_like(numbers))

    started = [Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def main() -> None:
    """Print the table."""
    robot = panda()
    kane = None if "--quick" in sys.argv[1:] else Kane(robot.system, robot.constants)
    results = measure(robot, kane)
    reference = results[0][1] / 2
    rows = [[name, f"{time:.1f}", f"R/{reference / time:.1f}"] for name, time in results]
    head = ["", "ns per sample", f"R = {reference:.0f} ns"]
    print_table(f"Franka Panda, {SAMPLES} samples", head, rows)
    rows = [[n, f"{a:.1f}", f"{b:.1f}", f"{b / a:.2f}"] for n, a, b in large(robot)]
    head = ["torques + wrenches", f"{SAMPLES} samples", f"{LARGE} samples", "ratio"]
    print_table("Franka Panda, ns per sample", head, rows)
    rows = [[name, f"{gain:.2f}"] for name, gain in scaling(robot).items()]
    print_table("Two threads, 100,000 samples", ["", "times as fast as one"], rows)


if __name__ == "__main__":
    main()
