"""How do time and memory grow from 100 to 1,000 bodies?  Chains, trees and closed loops.

    python scaling.py [--counts 100 400 1000] [--kinds "planar chain" ...]

Each model is read, derived and compiled, for generalized forces and joint wrenches, in a process
of its own with an empty cache; one state is evaluated.  Times are those of the processor, gcc's
included, without sympy's to make the model.  The exponents are those between the smallest number
of bodies and the largest.

The bodies of "four-bars" form four-bar linkages, each on the coupler of the one before: each loop
has its own coordinates.  The loops of a "ladder" go through ground, so that each constraint depends
on all joints before it: its Jacobian has half of all entries, and numbers of operations grow at
least with the square.  A ladder is given up after ``LIMIT``.

Models are made with points whose positions sympy need not search for: with `Point` sympy takes more
than ten minutes for 1,000 bodies.  Reading them takes the same time.

Seconds and megabytes for 1,000 bodies, with exponents from 100 to 1,000 in brackets (AMD EPYC with
AVX2, gcc 12.2, Python 3.11, sympy 1.14; beside other work, load 6 to 9; the row of spatial chains
was measured before the last of these changes):

                     read          derived       compiled      memory
    planar four-bars 32.0 (1.10)   2.3 (1.27)    22.0 (1.10)   495.8 (0.83)
    planar chain     7.9 (0.93)    0.4 (1.17)    6.0 (0.86)    63.3 (1.02)
    spatial tree     9.3 (1.11)    0.5 (1.21)    13.6 (1.02)   105.9 (1.02)
    planar tree      10.2 (1.04)   0.5 (1.21)    6.7 (0.89)    62.0 (1.06)
    spatial chain    10.3 (0.93)   0.7 (1.13)    18.0 (0.90)   111.8 (0.96)
"""

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from timing import print_table

KINDS = (
    "planar chain",
    "spatial chain",
    "planar tree",
    "spatial tree",
    "planar four-bars",
    "planar ladder",
)
COUNTS = [100, 400, 1000]

#: Seconds of processor time after which a model is given up.
LIMIT = 600

STEPS = ("read", "derived", "compiled")


def model(kind: str, count: int) -> tuple[Any, tuple[Any, ...]]:
    """Return a System of sympy with so many bodies, and its loops."""
    from sympy import Rational

    from jointwrench import LoopJoint
    from jointwrench.models.tree_builder import TreeBuilder

    builder, half, zero = TreeBuilder(), Rational(3, 20), (0, 0, 0)
    bodies, loops, axes = list[Any](), list[Any](), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    diagonal = [Rational(k, 50) for k in (1, 2, 3)]
    is_closed = kind in ("planar four-bars", "planar ladder")

    def add(place: Any, parent: Any, axis: int = 2, along: int = 0) -> None:
        number = len(bodies)
        own = builder.add_body(f"b{number}", Rational(11, 10), zero, (*diagonal, 0, 0, 0))
        foot = [-half * x for x in axes[along]]
        names = [f"q{number}"], [f"u{number}"]
        builder.add_joint("pin", f"j{number}", parent, own, *names, axes[axis], place, foot)
        bodies.append(own)

    for k in range(0 if is_closed else count):
        number = (k + 1) // 2 - 1 if "tree" in kind else k - 1
        parent, place = (bodies[number], (half, 0, 0)) if number >= 0 else (builder.ground, zero)
        add(place, parent, 2 if "planar" in kind else k % 3)
    left = right = builder.ground
    for _ in range(count // 3 if is_closed else 0):
        feet = [(half, 0, 0)] * 2 if bodies else [zero, (0, 2 * half, 0)]
        if "four-bars" in kind and bodies:  # on the last one's coupler, whose ends are along y
            left, right, feet = bodies[-1], bodies[-1], [(0, -half, 0), (0, half, 0)]
        for foot, parent in zip(feet, (left, right), strict=True):
            add(foot, parent)
        left, right = bodies[-2:]
        add((half, 0, 0), left, along=1)
        ends = {"parent_point": half * right.x, "child_point": half * bodies[-1].y}
        name = f"loop{len(loops)}"
        loops.append(LoopJoint(name, right, bodies[-1], "pin", joint_axis=right.z, **ends))
    system = builder.build((0, -9, 0))
    for loop in loops:
        system.add_holonomic_constraints(*loop.holonomic_constraints)
    free = {k for k in range(count) if not loops or k % 3 == 0}
    for name in ("q", "u"):
        own = list(getattr(system, name))
        setattr(system, f"{name}_ind", [x for k, x in enumerate(own) if k in free])
        setattr(system, f"{name}_dep", [x for k, x in enumerate(own) if k not in free])
    return system, tuple(loops)


def measure(kind: str, count: int) -> dict[str, float]:
    """Return the processor's seconds of each step, and megabytes in addition to the model."""
    import numpy as np

    from jointwrench import InverseDynamics, SerialChain

    InverseDynamics(SerialChain.planar(1).system).compile()  # imports, and the flags
    system, loops = model(kind, count)
    before, found = peak(), {}

    def step(name: str, function: Callable[[], Any]) -> Any:
        start = processor_seconds()
        result = function()
        found[name] = processor_seconds() - start
        return result

    idyn = step("read", lambda: InverseDynamics(system, loops=loops or None))
    outputs = ["generalized_forces", "joint_wrenches"]
    step("derived", lambda: idyn.program(outputs))
    state = np.zeros(len(system.q))  # assembled
    result = step("compiled", lambda: idyn.compile(outputs)(state, state, state))
    assert np.isfinite(result.generalized_forces).all()
    return {**found, "MB": peak() - before}


def processor_seconds() -> float:
    """Return the processor time of this process and of the compilers that it called."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def peak() -> float:
    """Return the largest amount of memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_process(kind: str, count: int) -> dict[str, float] | None:
    """Return `measure` in a process with an empty cache; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "JOINTWRENCH_CACHE": folder, "JOINTWRENCH_TUNING": "native"}
        environment["OPENBLAS_NUM_THREADS"] = "1"
        command = [sys.executable, __file__, "--one", kind, "--counts", str(count)]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            )
        except subprocess.CalledProcessError as error:
            if error.returncode != -signal.SIGXCPU:
                raise
            return None
        return dict(json.loads(done.stdout.splitlines()[-1]))


def exponent(counts: Sequence[int], found: Sequence[dict[str, float]], name: str) -> str:
    """Return the exponent of growth between the first number of bodies and the last."""
    ratio = found[-1][name] / found[0][name]
    return f"{math.log(ratio) / math.log(counts[-1] / counts[0]):.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="See the beginning of this file.")
    parser.add_argument("--counts", nargs="+", type=int, default=COUNTS)
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 60))
        print(json.dumps(measure(given.one, given.counts[0])))
        return
    rows = []
    for kind in given.kinds:
        pairs = [(count, in_process(kind, count)) for count in given.counts]
        done = [(count, found) for count, found in pairs if found]
        for count, found in pairs:
            cells = [f"{found[name]:.1f}" for name in (*STEPS, "MB")] if found else ["-"] * 4
            rows.append([kind, count, *cells])
        if len(done) > 1:
            numbers, results = zip(*done, strict=True)
            powers = [exponent(numbers, results, name) for name in (*STEPS, "MB")]
            rows.append([kind, "exponent", *powers])
    head = ["model", "bodies", "read, s", "derived, s", "compiled, s", "memory, MB"]
    print_table("Time and memory by the number of bodies", head, rows)


if __name__ == "__main__":
    main()
