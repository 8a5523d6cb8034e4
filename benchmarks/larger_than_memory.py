"""Torques of recordings larger than memory: their time compared with reading alone.

    python larger_than_memory.py [--samples 2400000] [--rounds 3] [--cached]

A chain of 23 bodies on skew pins; a file contains q, u and udot of each sample, as zarr (with its
default compression, and without) or parquet.  The chunks are read, or read and evaluated, and
reduced to the largest torque of each joint; the next chunk is read during the evaluation.  Unless
``--cached`` is given, the system is advised to drop the files from its cache first, so that they
are read from disk.  24,000,000 samples are 13 GB in each file.  Needs zarr, pyarrow.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from models import spatial_chain
from timing import once, print_table

from jointwrench import InverseDynamics

COORDINATES, CHUNK = 23, 25_000

#: This many samples and their torques fit in a processor's caches.
BLOCK = 5_000

NAMES = ("q", "u", "udot")

Chunks = Iterator[tuple[np.ndarray, ...]]


def motion(first: int, count: int) -> list[np.ndarray]:
    """Return q, u and udot of some samples at 1 kHz, with the noise of sensors."""
    random = np.random.default_rng(first)
    phases = 1e-3 * np.arange(first, first + count)[:, None] * np.linspace(1, 7, COORDINATES)
    waves = np.sin(phases), np.cos(phases), -np.sin(phases)
    return [wave + 1e-3 * random.normal(size=wave.shape) for wave in waves]


def write_zarr(path: Path, samples: int, **options: Any) -> None:
    """Write a recording in chunks."""
    import zarr

    group = zarr.open_group(str(path), mode="w")
    shape, chunks = (samples, COORDINATES), (CHUNK, COORDINATES)
    arrays = [
        group.create_array(name, shape=shape, chunks=chunks, dtype="f8", **options)
        for name in NAMES
    ]
    for first in range(0, samples, CHUNK):
        count = min(CHUNK, samples - first)
        for array, values in zip(arrays, motion(first, count), strict=True):
            array[first : first + count] = values


def read_zarr(path: Path) -> Chunks:
    """Yield q, u and udot of each chunk."""
    import zarr

    group = zarr.open_group(str(path), mode="r")
    arrays = [group[name] for name in NAMES]
    for first in range(0, arrays[0].shape[0], CHUNK):
        yield tuple(array[first : first + CHUNK] for array in arrays)


def write_parquet(path: Path, samples: int) -> None:
    """Write a recording whose columns are rows of numbers, in row groups."""
    import pyarrow
    from pyarrow import parquet

    row = pyarrow.list_(pyarrow.float64(), COORDINATES)
    schema = pyarrow.schema([(name, row) for name in NAMES])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, samples, CHUNK):
            columns = [
                pyarrow.FixedSizeListArray.from_arrays(values.ravel(), COORDINATES)
                for values in motion(first, min(CHUNK, samples - first))
            ]
            writer.write_table(pyarrow.table(columns, schema=schema))


def read_parquet(path: Path) -> Chunks:
    """Yield q, u and udot of each row group, without copies."""
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    for number in range(file.num_row_groups):
        table = file.read_row_group(number).combine_chunks()
        yield tuple(
            table[name].chunk(0).flatten().to_numpy().reshape(-1, COORDINATES) for name in NAMES
        )


def forget(path: Path) -> None:
    """Advise the system to drop a file, or all files of a folder, from its cache."""
    for file in [path] if path.is_file() else filter(Path.is_file, path.rglob("*")):
        handle = os.open(file, os.O_RDONLY)
        os.fsync(handle)
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def only_read(chunks: Chunks) -> None:
    """Read all chunks."""
    for _ in chunks:
        pass


def largest(chunks: Chunks, torques: Callable[..., np.ndarray]) -> np.ndarray:
    """Return the largest torque of each joint."""
    found = np.zeros(COORDINATES)
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, chunks, None)
        while (given := following.result()) is not None:
            following = reader.submit(next, chunks, None)
            for first in range(0, len(given[0]), BLOCK):
                block = (array[first : first + BLOCK] for array in given)
                found = np.maximum(found, np.abs(torques(*block)).max(axis=0))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    import resource

    parser = argparse.ArgumentParser(description="See the beginning of this file.")
    parser.add_argument("--samples", type=int, default=2_400_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cached", action="store_true", help="read again what was just written")
    given = parser.parse_args(arguments)
    samples = given.samples
    idyn = InverseDynamics(spatial_chain(COORDINATES))
    constants = {symbol: 0.3 + 0.01 * k for k, symbol in enumerate(idyn.constants)}
    torques = idyn.compile("generalized_forces", constants=constants).as_ufunc("q", "u", "udot")
    evaluate = partial(largest, torques=torques)
    formats: dict[str, tuple[Callable[[Path], None], Callable[[Path], Chunks]]] = {
        "zarr": (lambda path: write_zarr(path, samples), read_zarr),
        "zarr, not compressed": (
            lambda path: write_zarr(path, samples, compressors=None),
            read_zarr,
        ),
        "parquet": (lambda path: write_parquet(path, samples), read_parquet),
    }
    rows = []
    for name, (write, read) in formats.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recording"
            write(path)
            times: dict[Callable[[Chunks], Any], float] = {}
            for work in given.rounds * (only_read, evaluate):
                if not given.cached:
                    forget(path)
                seconds, _ = once(partial(lambda f, r, p: f(r(p)), work, read, path))
                times[work] = min(seconds, times.get(work, seconds))
        reading, both = (1e9 * seconds / samples for seconds in times.values())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append(
            [name, f"{reading:.0f}", f"{both:.0f}", f"{both / reading:.2f}", f"{memory:.0f}"]
        )
    head = ["format", "reading, ns/sample", "reading and torques", "ratio", "memory at most, MB"]
    print_table(
        f"{samples:,} samples of {COORDINATES} coordinates, speeds, accelerations", head, rows
    )


if __name__ == "__main__":
    main()
