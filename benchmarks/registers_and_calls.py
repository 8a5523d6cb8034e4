"""The effect of narrower registers, and the time of a call of ``rhs``.

Franka Panda, numbers of its URDF, results in given arrays: the same code compiled for AVX-512 and
for AVX2, in two processes that are called alternately; then accelerations of a chain of 7 links by
``compile(constants=...)``, by ``compile()`` with constants in the call, and by ``rhs``.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np
from forward_dynamics import constants
from models import panda, spatial_chain, states
from timing import best, best_by_turns, print_table

from jointwrench import ForwardDynamics

SAMPLES = 4096
TUNINGS = {"AVX-512": "native", "AVX2": "native-half"}
CASES = {
    "torques": ("generalized_forces", ()),
    "torques and all joint wrenches": (("generalized_forces", "joint_wrenches"), ()),
    "torques with their Jacobian in q, u and udot": ("generalized_forces", ("q", "u", "udot")),
}


def serve() -> None:
    """Print nanoseconds per sample of each case whenever a line is read."""
    robot, batch = panda(), states(7, SAMPLES)
    runs = []
    for outputs, derivatives in CASES.values():
        evaluate = robot.idyn.compile(outputs, robot.constants, derivatives=derivatives)
        out = dict(evaluate(*batch).outputs)
        runs.append(lambda f=evaluate, o=out: f(*batch, out=o))
    for _ in sys.stdin:
        print(*(1e9 * best(run, 0.2) / SAMPLES for run in runs), flush=True)


def by_turns(turns: int = 8) -> Iterator[list[str]]:
    """Yield a row for each case: nanoseconds per sample by registers, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        servers = [
            subprocess.Popen(
                [sys.executable, __file__, "--serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "JOINTWRENCH_TUNING": name, "JOINTWRENCH_CACHE": folder},
            )
            for name in TUNINGS.values()
        ]
        times = np.array([[asked(server) for server in servers] for _ in range(turns)]).min(axis=0)
        for server in servers:
            server.communicate()
    for name, (wide, narrow) in zip(CASES, times.T, strict=True):
        yield [name, f"{wide:.0f}", f"{narrow:.0f}", f"{narrow / wide:.1f}"]


def asked(server: "subprocess.Popen[str]") -> list[float]:
    """Return one measurement of a server."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("\n")
    server.stdin.flush()
    return [float(word) for word in server.stdout.readline().split()]


def calls(links: int = 7, seconds: float = 4.0) -> list[float]:
    """Return microseconds per call: constants fixed, constants in the call, rhs."""
    fdyn = ForwardDynamics(spatial_chain(links))
    values = constants(fdyn.constants)
    fixed, given, rhs = fdyn.compile(constants=values), fdyn.compile(), fdyn.rhs(values)
    q, u = np.ones((2, links))
    state = np.concatenate([q, u])
    runs = [lambda: fixed(q, u), lambda: given(q, u, values), lambda: rhs(0.0, state)]
    twenty = [lambda f=run: [f() for _ in range(20)] for run in runs]
    return [1e6 * time / 20 for time in best_by_turns(twenty, seconds)]


def main() -> None:
    """Print both tables."""
    title = f"Franka Panda, nanoseconds per sample, batch of {SAMPLES}"
    print_table(title, ["", *TUNINGS, "ratio"], by_turns())
    head = ["compile(constants=...)", "compile()", "rhs"]
    row = [f"{time:.2f}" for time in calls()]
    print_table("Accelerations of 7 links, microseconds per call", head, [row])


if __name__ == "__main__":
    serve() if "--serve" in sys.argv[1:] else main()
