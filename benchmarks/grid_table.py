"""Torques, their gradient and second derivatives of robots in MJCF, batches of 16 to 1024.

    python grid_table.py iiwa14.xml go2.xml g1.xml [--published table.csv]

The rows are those of GRiD's release measurements [1]_.  GRiD's table (option) has Pinocchio's
generated code on 8 threads, and an RTX 5090 with the copies from and to the host. The file names
identify the robots, which are those of MuJoCo Menagerie: G1 without hands has 35 speeds.

The figures differ in these points: ours are in double precision on one core, theirs in single
precision (Pinocchio's second derivatives: double) on another machine.  All go from host arrays to
host arrays.  The gradient is with respect to q and u; for a floating base, theirs is with respect
to rotations, ours with respect to the quaternion's components.  Their second order means all second
derivatives of all torques, ours the Hessian in q, u and udot of a weighted sum of torques, which
solvers need.

.. [1] https://a2r-lab.github.io/GRiD/release_measurements.html
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from timing import best, print_table

from jointwrench.robots import read_mjcf

BATCHES = (16, 32, 64, 128, 256, 1024)
OUTPUT = "generalized_forces"

#: The operations, by their names in the published table.
OPERATIONS: dict[str, dict[str, Any]] = {
    "inverse_dynamics": {},
    "inverse_dynamics_gradient": {"derivatives": ("q", "u")},
    "idsva_so": {"second_derivatives": ("q", "u", "udot")},
}
NAMES = dict(zip(OPERATIONS, ("torques", "gradient", "second order"), strict=True))
PEERS = {"pinocchio": "Pinocchio, 8 threads", "grid_cuda": "GRiD, RTX 5090"}

Published = dict[tuple[str, str, str, int], float]


def read_published(path: Path) -> Published:
    """Return microseconds of whole batches by robot, operation, program and batch."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (row["robot"], row["operation"], row["backend"], int(row["batch"])): float(
                row["host_us"]
            )
            for row in csv.DictReader(file)
            if row["host_us"] and row["status"] in ("validated", "accuracy_warning")
        }


def measured(
    path: Path, batches: Sequence[int], seconds: float
) -> Iterator[tuple[str, int, float]]:
    """Yield operations, batches, and nanoseconds per sample."""
    robot = read_mjcf(path)
    idyn = robot.inverse_dynamics()
    random = np.random.default_rng(0)
    count = len(idyn.speeds)
    for operation, options in OPERATIONS.items():
        evaluate = idyn.compile(OUTPUT, **options)
        weighted = {} if "weights" not in evaluate.inputs else {"weights": np.ones(count)}
        for batch in batches:
            q = random.normal(size=(batch, len(idyn.coordinates)))
            motion = (q, *random.normal(size=(2, batch, count)))
            out = dict(evaluate(*motion, **weighted).outputs)
            yield (
                operation,
                batch,
                1e9 * best(caller(evaluate, motion, weighted, out), seconds) / batch,
            )


def caller(evaluate: Any, motion: Any, weighted: Any, out: Any) -> Callable[[], Any]:
    """Return the call that is timed."""
    return lambda: evaluate(*motion, **weighted, out=out)


def table(
    path: Path, published: Published, batches: Sequence[int], seconds: float
) -> list[list[str]]:
    """Return the rows of a robot: operation, batch, our and the published times."""
    rows = []
    for operation, batch, own in measured(path, batches, seconds):
        keys = [(path.stem, operation, peer, batch) for peer in PEERS]
        theirs = [f"{1e3 * published[k] / batch:.1f}" if k in published else "" for k in keys]
        rows.append([NAMES[operation], str(batch), f"{own:.1f}", *theirs])
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each robot."""
    parser = argparse.ArgumentParser(description="See the beginning of this file.")
    parser.add_argument("robots", nargs="+", type=Path, help="MJCF files")
    parser.add_argument("--published", type=Path, help="GRiD's table.csv")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each number")
    given = parser.parse_args(arguments)
    published = read_published(given.published) if given.published else {}
    head = ["", "batch", "jointwrench, one core, ns per sample", *PEERS.values()]
    for path in given.robots:
        print_table(path.stem, head, table(path, published, given.batches, given.seconds))


if __name__ == "__main__":
    main()
