"""How do time and memory grow from 100 to 1,000 bodies?  Chains, trees and closed ladders.

    python scaling.py [--counts 100 400 1000] [--kinds "planar chain" ...]

Each model is read, derived and compiled, for generalized forces and joint wrenches, in a process
of its own with an empty cache; one state is evaluated.  Times are those of the processor, gcc's
included, without sympy's to make the model.  The exponents are those between the smallest number
of bodies and the largest.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from timing import print_table

KINDS = ("planar chain", "spatial chain", "planar tree", "spatial tree", "planar ladder")
COUNTS = [100, 400, 1000]

#: Seconds after which a model is given up.
LIMIT = 600

STEPS = ("read", "derived", "compiled")


def model(kind: str, count: int) -> tuple[Any, tuple[Any, ...]]:
    """Return a System of sympy with so many bodies, and its loops."""
    from sympy import Rational
    from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia

    from jointwrench import LoopJoint

    ground, half = RigidBody("ground"), Rational(3, 20)
    system, bodies, loops = System.from_newtonian(ground), [], []

    def add(place: Any, parent: Any, axis: int = 2, along: str = "x") -> None:
        own = RigidBody(f"b{len(bodies)}", mass=Rational(11, 10))
        own.central_inertia = inertia(own.frame, *(Rational(k, 50) for k in (1, 2, 3)))
        direction = [parent.x, parent.y, parent.z][axis]
        points = {"parent_point": place, "child_point": -half * getattr(own, along)}
        name = f"j{len(bodies)}"
        system.add_joints(PinJoint(name, parent, own, joint_axis=direction, **points))
        bodies.append(own)

    for k in range(count if "ladder" not in kind else 0):
        number = (k + 1) // 2 - 1 if "tree" in kind else k - 1
        parent = bodies[number] if number >= 0 else ground
        add(
            half * parent.x if number >= 0 else 0 * ground.x,
            parent,
            2 if "planar" in kind else k % 3,
        )
    left, right = ground, ground
    for _ in range(count // 3 if "ladder" in kind else 0):
        feet = [half * left.x, half * right.x] if bodies else [0 * ground.x, 2 * half * ground.y]
        for foot, parent in zip(feet, (left, right), strict=True):
            add(foot, parent)
        left, right = bodies[-2:]
        add(half * left.x, left, along="y")
        ends = {"parent_point": half * right.x, "child_point": half * bodies[-1].y}
        name = f"loop{len(loops)}"
        loops.append(LoopJoint(name, right, bodies[-1], "pin", joint_axis=right.z, **ends))
    for loop in loops:
        system.add_holonomic_constraints(*loop.holonomic_constraints)
    free = [k for k in range(count) if not loops or k % 3 == 0]
    for name in ("q", "u"):
        own = list(getattr(system, name))
        setattr(system, f"{name}_ind", [own[k] for k in free])
        setattr(system, f"{name}_dep", [x for k, x in enumerate(own) if k not in {*free}])
    system.apply_uniform_gravity(-9 * ground.y)
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
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_process(kind: str, count: int) -> dict[str, float] | None:
    """Return `measure` in a process with an empty cache; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "JOINTWRENCH_CACHE": folder, "JOINTWRENCH_TUNING": "native"}
        command = [sys.executable, __file__, "--one", kind, "--counts", str(count)]
        try:
            done = subprocess.run(
                command, env=environment, timeout=LIMIT, capture_output=True, text=True, check=True
            )
        except subprocess.TimeoutExpired:
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
