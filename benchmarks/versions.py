"""How much faster is this version than another one?  Ratios, measured alternately in one run.

Arguments: the path of a checkout of the other version, whose extension is built (python setup.py
build_ext --inplace), and robots among panda, go2, g1 (all).  CFLAGS=-mno-avx512f measures without
AVX-512.
"""

import importlib.metadata
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from models import from_pinocchio, panda, states
from timing import print_table

TORQUES = "generalized_forces"
GROUPS = ["q", "u", "udot"]
FLOATING = {
    "go2": "go2_description/urdf/go2.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
ROBOTS = ("panda", *FLOATING)

#: Samples in a batch, and in one whose results are larger than allocators keep.
BATCH, LARGE_BATCH = 256, 4096

ROUNDS, SECONDS = 100, 0.01


class Cases:
    """The measured calls of one robot, by name, without arguments."""

    def __init__(self, robot: str) -> None:
        idyn, sizes, options = _model(robot)
        self.calls: dict[str, Callable[[], Any]] = {}
        torques = idyn.compile(TORQUES, **options)
        both = idyn.compile(TORQUES, derivatives=GROUPS, **options)
        wrenches = idyn.compile((TORQUES, "joint_wrenches"), **options)
        matrices = idyn.compile(("mass_matrix", "bias"), **options)
        names = ("torques", "torques + Jacobian", "torques + wrenches", "matrices")
        for name, evaluate in zip(names, (torques, both, wrenches, matrices), strict=True):
            for count in (None, BATCH, LARGE_BATCH):
                given = _states(sizes, count)
                label = f"{name}, {'one state' if count is None else count}"
                self.calls[label] = _call(evaluate, *given)
        if robot == "panda":
            self._add_forms(torques, _states(sizes, None), options)

    def _add_forms(self, torques: Any, given: Any, options: dict[str, Any]) -> None:
        """Add calls with other arguments than arrays."""
        q, u, udot = given
        lists, out = [x.tolist() for x in given], {TORQUES: np.empty(len(u))}
        machine = from_pinocchio(panda().pinocchio)
        motors = machine.add_motors()
        together = {tuple(motors): np.array(list(motors.values()))}
        by_dict, by_tuple = (machine.idyn.compile(TORQUES, **options) for _ in range(2))
        self.calls |= {
            "one state, lists": lambda: torques(*lists),
            "one state, out=": lambda: torques(q, u, udot, out=out),
            "one state, seven specifieds": lambda: by_dict(q, u, udot, None, motors),
            "one state, seven at once": lambda: by_tuple(q, u, udot, None, together),
        }

    def measure(self, name: str) -> float:
        """Return the mean of the processor's time for a call, in seconds, over some time."""
        call, count, size = self.calls[name], 0, 1
        call()
        start = time.thread_time()
        while (now := time.thread_time()) < start + SECONDS:
            for _ in range(size):
                result = call()  # while the previous result still exists
            count, size = count + size, min(2 * size, 256)
        del result
        return (now - start) / count

    def faults(self, name: str) -> float:
        """Return how many fresh pages a call needs."""
        import resource

        call, count = self.calls[name], 50
        for _ in range(3):
            result = call()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(count):
            result = call()
        del result
        return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / count


def _model(robot: str) -> tuple[Any, tuple[int, int], dict[str, Any]]:
    """Return the inverse dynamics of a robot, its numbers of q and u, and options to compile it."""
    if robot == "panda":
        arm = panda()
        return arm.idyn, (7, 7), {"constants": arm.constants}
    import jointwrench as jw

    files = importlib.metadata.files("example-robot-data") or []
    path = next(f.locate() for f in files if f.as_posix().endswith(FLOATING[robot]))
    idyn = jw.robots.read_urdf(path, floating=True, nonphysical="keep").inverse_dynamics()
    return idyn, (len(idyn.coordinates), len(idyn.speeds)), {}


def _call(evaluate: Any, q: np.ndarray, u: np.ndarray, udot: np.ndarray) -> Callable[[], Any]:
    return lambda: evaluate(q, u, udot)


def _states(sizes: tuple[int, int], count: int | None) -> tuple[np.ndarray, ...]:
    (q, _, _), (_, u, udot) = states(sizes[0], count), states(sizes[1], count)
    return q, u, udot


class Version:
    """A version of the package in a process of its own."""

    def __init__(self, checkout: Path, robot: str) -> None:
        script = checkout / "benchmarks" / "versions.py"  # its models need names of its version
        self._process = subprocess.Popen(
            [sys.executable, str(script), "--serve", robot],
            env={**os.environ, "PYTHONPATH": str(checkout / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: str) -> str:
        """Return the answer to a question."""
        assert self._process.stdin
        assert self._process.stdout
        print(question, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(robot: str) -> None:
    """Answer questions about the version that is imported."""
    cases = Cases(robot)
    for line in sys.stdin:
        what, _, name = line.strip().partition(" ")
        answer = ";".join(cases.calls) if what == "names" else getattr(cases, what)(name)
        print(answer, flush=True)


def compare(other: Path, robot: str) -> list[list[str]]:
    """Return for each case microseconds of both versions, their ratio, and fresh pages."""
    versions = [Version(other, robot), Version(Path(__file__).parents[1], robot)]
    try:
        others = versions[0].ask("names").split(";")
        names = [name for name in versions[1].ask("names").split(";") if name in others]
        best = {name: [float("inf")] * 2 for name in names}
        for _ in range(ROUNDS):
            for name in names:
                for k, version in enumerate(versions):
                    best[name][k] = min(best[name][k], float(version.ask(f"measure {name}")))
        faults = {name: [float(v.ask(f"faults {name}")) for v in versions] for name in names}
    finally:
        for version in versions:
            version.close()
    plain = best["torques, one state"][1]
    return [
        [
            *(robot, name),
            *(f"{1e6 * x:.2f}" for x in best[name]),
            f"{best[name][1] / best[name][0]:.2f}",
            f"{best[name][1] / plain:.2f}",
            *(f"{x:.0f}" for x in faults[name]),
        ]
        for name in names
    ]


def main() -> None:
    """Print the table."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--serve"]:
        serve(arguments[1])
        return
    if not arguments:
        sys.exit(__doc__)
    rows = [row for robot in arguments[1:] or ROBOTS for row in compare(Path(arguments[0]), robot)]
    head = ["robot", "call", "other, us", "this, us", "ratio", "of torques, one state"]
    head += ["fresh pages, other", "this"]
    print_table("This version and another one", head, rows)


if __name__ == "__main__":
    main()
