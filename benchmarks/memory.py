"""How much memory does a batch take in addition to inputs and outputs?  Panda, torques.

For each size the inputs are plain, broadcast, or in single precision; the results go to given
arrays.  lambdify makes an array of each sub-expression.  The others take one sample at a time, in a
loop in Python.  Arguments: --quick to leave out KanesMethod (its derivation takes minutes).
"""

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from models import panda, states
from peers import CYTHON, LAMBDIFY, Kane, libraries
from timing import print_table

SIZES = (1, 1000, 10**5, 10**6, 10**7)
#: For more samples lambdify takes gigabytes.
MOST_FOR_LAMBDIFY = 10**5
#: For more samples loops in Python take long, but no more memory.
MOST_FOR_LOOPS = 1000


def peak(function: Callable[[], Any]) -> str:
    """Return the largest amount of memory that a call allocates, in kB."""
    tracemalloc.start()
    try:
        function()
        return f"{tracemalloc.get_traced_memory()[1] / 1e3:.0f}"
    finally:
        tracemalloc.stop()


def own(evaluate: Any, count: int, size: int) -> list[str]:
    """Return the memory that each form of a batch needs."""
    q, u, udot = states(count, size)
    out = {"generalized_forces": np.empty((size, count))}
    forms = (q, np.broadcast_to(q[:1], q.shape), q.astype(np.float32))
    return [peak(lambda x=form: evaluate(x, u, udot, out=out)) for form in forms]


def others(loops: list[Any], printed: Any, count: int, size: int) -> list[str]:
    """Return the memory that the loops and lambdify's function need."""
    used = ["-"] * (len(loops) + 1)
    if size <= MOST_FOR_LOOPS:
        rows, out = list(zip(*states(count, size), strict=True)), np.empty((size, count))
        used[1:] = [peak(lambda f=run: fill(out, f, rows)) for run in loops]
    if printed is not None and size <= MOST_FOR_LAMBDIFY:
        columns = np.concatenate(states(count, size), axis=1).T.copy()
        used[0] = peak(lambda: printed(columns))
    return used


def fill(out: np.ndarray, run: Any, rows: Any) -> None:
    """Evaluate samples one by one."""
    for k, row in enumerate(rows):
        out[k] = run(*row)


def main() -> None:
    """Print the table."""
    robot = panda()
    kane = None if "--quick" in sys.argv[1:] else Kane(robot.system, robot.constants)
    loops = libraries(robot)
    if kane is not None:
        loops[CYTHON] = kane.cython
    printed = None if kane is None else kane.lambdified
    evaluate = robot.idyn.compile("generalized_forces", constants=robot.constants)
    rows = [
        [f"{size:,}", *own(evaluate, 7, size), *others(list(loops.values()), printed, 7, size)]
        for size in SIZES
    ]
    head = ["samples", "plain", "broadcast", "single precision", LAMBDIFY]
    head += [f"{name}, loop" for name in loops]
    print_table("Memory in addition to inputs and outputs, kB", head, rows)


if __name__ == "__main__":
    main()
