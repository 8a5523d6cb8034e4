"""Kernels compared with those of another checkout: Panda, Go2 and G1, batches of 1024.

    python kernels.py [--other FOLDER] [--no-avx512] [--samples 1024] [--quick]

Torques, and torques with their Jacobian in q, u and udot (also packed, where supported), with
results in given arrays; processor time of deriving, writing and compiling. The process of the other
checkout is timed alternately with ours, so that the load of the machine affects both equally; both
choose their compiler flags themselves.
"""

import argparse
import importlib.metadata
import inspect
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from timing import best, print_table

HERE = Path(__file__).resolve()
ROBOTS = {"panda": False, "go2": True, "g1_29dof_rev_1_0": True}
OUTPUT = "generalized_forces"
PACKED = ", packed"
CASES: dict[str, dict[str, Any]] = {
    "torques": {},
    "torques + Jacobian": {"derivatives": ("q", "u", "udot")},
    f"torques + Jacobian{PACKED}": {"derivatives": ("q", "u", "udot"), "sparse": True},
}


def urdf(name: str) -> Path:
    """Return a file of example-robot-data; ends the script where it is missing."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        sys.exit("The robots come from example-robot-data: pip install -e '.[benchmark]'")
    return Path(str(next(file.locate() for file in files if file.name == f"{name}.urdf")))


def spent() -> float:
    """Return the processor time of this process and its children, in seconds."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime for usage in both)


def serve(robot: str, samples: int) -> None:
    """Build all cases, and print build seconds or nanoseconds per sample on request."""
    from jointwrench.robots import read_urdf

    idyn = read_urdf(urdf(robot), floating=ROBOTS[robot], nonphysical="keep").inverse_dynamics()
    random = np.random.default_rng(0)
    q = random.normal(size=(samples, len(idyn.coordinates)))
    batch = (q, *random.normal(size=(2, samples, len(idyn.speeds))))
    idyn.compile("bias")  # the flags are known now, and all modules imported
    runs = {}
    for name, options in CASES.items():
        if not options.keys() <= inspect.signature(idyn.compile).parameters.keys():
            continue
        began = spent()
        evaluate = idyn.compile(OUTPUT, **options)
        out = dict(evaluate(*batch).outputs)  # the first batch compiles, too
        print(name, spent() - began, sep="\t", flush=True)
        runs[name] = lambda f=evaluate, o=out: f(*batch, out=o)
    print(flush=True)
    for line in sys.stdin:
        name = line.strip()
        run = runs.get(name) or runs[name.removesuffix(PACKED)]  # the closest one
        print(1e9 * best(run, 0.1) / samples, flush=True)


class Server:
    """A process with the kernels of a checkout."""

    def __init__(self, source: Path, robot: str, samples: int, environment: dict[str, str]) -> None:
        command = [sys.executable, str(HERE), "--serve", robot, "--samples", str(samples)]
        path = os.pathsep.join([str(source), str(HERE.parent)])
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **environment, "PYTHONPATH": path, "JOINTWRENCH_CACHE": "off"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.built = {name: float(seconds) for name, seconds in self._until_empty()}

    def _until_empty(self) -> Iterator[list[str]]:
        assert self._process.stdout
        while line := self._process.stdout.readline().strip():
            yield line.split("\t")

    def ask(self, name: str) -> float:
        """Return the nanoseconds per sample of a case, which is timed for a moment."""
        assert self._process.stdin
        assert self._process.stdout
        print(name, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def compared(servers: Sequence[Server], turns: int) -> Iterator[list[str]]:
    """Yield the rows of a robot: the shortest times, and their ratio."""
    for name, built in servers[0].built.items():
        times = np.array([[server.ask(name) for server in servers] for _ in range(turns)])
        shortest = times.min(axis=0)
        row = [name, *(f"{time:.0f}" for time in shortest)]
        row += [f"{shortest[0] / shortest[1]:.2f}"] if len(servers) > 1 else []
        others = (server.built.get(name) for server in servers[1:])
        yield [*row, f"{built:.1f}", *("" if other is None else f"{other:.1f}" for other in others)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each robot."""
    parser = argparse.ArgumentParser(description="See the beginning of this file.")
    parser.add_argument("--other", type=Path, help="a checkout of another version, built in place")
    parser.add_argument("--no-avx512", action="store_true", help="do not use AVX-512")
    parser.add_argument("--samples", type=int, default=1024)
    parser.add_argument("--quick", action="store_true", help="only Panda, few rounds")
    parser.add_argument("--serve", choices=ROBOTS, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.serve:
        serve(given.serve, given.samples)
        return
    sources = [HERE.parents[1] / "src", *([given.other / "src"] if given.other else [])]
    head = ["", "ns per sample", *(["other", "ratio"] if given.other else [])]
    head += ["built, s of processor time", *(["other, s"] if given.other else [])]
    with tempfile.TemporaryDirectory() as folder:
        environment = {}
        if given.no_avx512:
            script = Path(folder) / "cc"
            script.write_text('#!/bin/sh\nexec cc "$@" -mno-avx512f\n')
            script.chmod(0o755)
            environment["CC"] = str(script)
        for robot in [next(iter(ROBOTS))] if given.quick else ROBOTS:
            servers = [Server(source, robot, given.samples, environment) for source in sources]
            print_table(robot, head, compared(servers, 3 if given.quick else 20))
            for server in servers:
                server.close()


if __name__ == "__main__":
    main()
