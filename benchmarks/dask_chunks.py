"""Do 1e8 samples pass through Dask in flat memory?  Torques of an arm of two links.

    python dask_chunks.py [--samples 100000000] [--chunk 200000]

Dask makes the motion chunk by chunk, evaluates each, and reduces the torques to their largest.  For
a tenth of the samples and for all: time per sample, and the largest memory of the process, which
must not grow.  All inputs and outputs together would be 8 bytes times 8 numbers per sample.
"""

import argparse
import resource
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from timing import once, print_table

from jointwrench import InverseDynamics, SerialChain


def motion(block_info: Any = None) -> np.ndarray:
    """Return q, u and udot side by side for the samples of a chunk, at 1 kHz."""
    first, last = block_info[None]["array-location"][0]
    phases = 1e-3 * np.arange(first, last)[:, None] * np.array([1.0, 2.0])
    return np.concatenate([np.sin(phases), np.cos(phases), -np.sin(phases)], axis=1)


def largest(torques: Any, samples: int, chunk: int) -> np.ndarray:
    """Return the largest torque of each joint, from chunks in Dask's threads."""
    count = (samples + chunk - 1) // chunk
    sizes = (*[chunk] * (count - 1), samples - chunk * (count - 1))
    states = da.map_blocks(motion, chunks=(sizes, (6,)), dtype=float)
    parts = [states[:, k : k + 2] for k in (0, 2, 4)]
    options = {"output_dtypes": torques.output_dtypes, "output_sizes": torques.output_sizes}
    found = da.apply_gufunc(torques, torques.signature, *parts, **options)
    return np.asarray(abs(found).max(axis=0).compute())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="See the beginning of this file.")
    parser.add_argument("--samples", type=int, default=100_000_000)
    parser.add_argument("--chunk", type=int, default=200_000)
    given = parser.parse_args(arguments)
    idyn = InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    constants = {symbol: 0.3 + 0.1 * k for k, symbol in enumerate(idyn.constants)}
    compiled = idyn.compile("generalized_forces", constants=constants)
    torques = compiled.as_ufunc("q", "u", "udot")
    rows = []
    for samples in (given.samples // 10, given.samples):
        seconds, found = once(lambda n=samples: largest(torques, n, given.chunk))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert np.isfinite(found).all()
        nanoseconds = f"{1e9 * seconds / samples:.0f}"
        rows.append([f"{samples:,}", f"{seconds:.1f}", nanoseconds, f"{memory:.0f}"])
    head = ["samples", "s", "ns per sample", "largest memory of the process, MB"]
    print_table(f"Dask in chunks of {given.chunk:,} samples", head, rows)


if __name__ == "__main__":
    main()
