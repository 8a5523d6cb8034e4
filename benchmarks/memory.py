"""How much memory does a batch take beside its inputs and outputs?

A batch of each size with the inputs given as they are, broadcast, and in single
precision; results in given arrays.
"""

import tracemalloc

import numpy as np
from timing import print_table

from jointwrench import InverseDynamics, SerialChain

SIZES = (1, 1000, 10**5, 10**6, 10**7)


def peak(function) -> int:
    """Return the largest amount of memory that a call allocates, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def measure(evaluate, size: int) -> list[str]:
    """Return the memory that each form of a batch needs, in kB."""
    plain = np.linspace(0, 1, size)[:, None]
    out = {"generalized_forces": np.empty((size, 1))}
    forms = (plain, np.broadcast_to(plain[:1], (size, 1)), plain.astype(np.float32))
    used = [peak(lambda x=form: evaluate(x, plain, plain, out=out)) for form in forms]
    return [f"{memory / 1e3:.0f}" for memory in used]


def main() -> None:
    """Print the table."""
    chain = SerialChain.planar(1, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    constants = dict.fromkeys(idyn.constants, 1.0)
    evaluate = idyn.compile("generalized_forces", constants=constants)
    rows = [[f"{size:,}", *measure(evaluate, size)] for size in SIZES]
    head = ["samples", "plain", "broadcast", "single precision"]
    print_table("Memory beside inputs and outputs, kB", head, rows)


if __name__ == "__main__":
    main()
