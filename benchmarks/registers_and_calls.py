"""What each set of compiler flags gives, and the time of a call of ``rhs``.

Franka Panda, numbers of its URDF, results in given arrays: the same code compiled with each set
that jointwrench chooses from, and with flags that it does not know, in processes that are called
alternately.  A warning tells if one of the latter is the fastest.  Then accelerations of a chain of
7 links by ``compile(constants=...)``, by ``compile()`` with constants in the call, and by ``rhs``.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
from forward_dynamics import constants
from models import panda, spatial_chain, states
from timing import best, best_by_turns, print_table

from jointwrench import ForwardDynamics
from jointwrench.mechanics.codegen.toolchain.tuning import TUNINGS, choose_tuning

SAMPLES = 4096
FLAGS = ("-O2", "-O3", "-mprefer-vector-width=256", "-mno-avx512f", "-mno-avx512fp16", "-fno-gcse")
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


def by_turns(turns: int = 5) -> dict[str, np.ndarray]:
    """Return nanoseconds per sample of each case, by sets of flags; infinite if one is refused."""
    sets = {name: {"JOINTWRENCH_TUNING": name} for name in TUNINGS}
    chosen = choose_tuning()
    sets |= {f"{chosen} {x}": {**sets[chosen], "CFLAGS": x} for x in FLAGS}
    with tempfile.TemporaryDirectory() as folder:
        servers = {name: server(JOINTWRENCH_CACHE=folder, **given) for name, given in sets.items()}
        times = [[asked(x) for x in servers.values()] for _ in range(turns)]
        for process in servers.values():
            process.communicate()
    return dict(zip(servers, np.min(times, axis=0), strict=True))


def server(**environment: str) -> "subprocess.Popen[str]":
    """Return a process that runs `serve`."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    call = [sys.executable, __file__, "--serve"]
    return subprocess.Popen(call, **pipes, text=True, env={**os.environ, **environment})


def asked(server: "subprocess.Popen[str]") -> list[float]:
    """Return one measurement of a server, infinite where the compiler refuses its flags."""
    assert server.stdin is not None
    assert server.stdout is not None
    if server.poll() is not None:
        return [np.inf] * len(CASES)
    server.stdin.write("\n")
    server.stdin.flush()
    return [float(x) for x in server.stdout.readline().split()] or [np.inf] * len(CASES)


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
    times = by_turns()
    rows = [[name, *map("{:.0f}".format, row)] for name, row in times.items()]
    print_table(f"Franka Panda, nanoseconds per sample, batch of {SAMPLES}", ["", *CASES], rows)
    torques = {name: found[0] for name, found in times.items()}
    known, best_of_all = min(torques[x] for x in TUNINGS), min(torques, key=torques.get)
    if torques[best_of_all] < 0.95 * known:
        print(f"WARNING: {best_of_all!r} is faster than every set that is chosen from.")
    head = ["compile(constants=...)", "compile()", "rhs"]
    row = [f"{time:.2f}" for time in calls()]
    print_table("Accelerations of 7 links, microseconds per call", head, [row])


if __name__ == "__main__":
    serve() if "--serve" in sys.argv[1:] else main()
