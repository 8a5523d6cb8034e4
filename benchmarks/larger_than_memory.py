"""What do torques of recordings cost that are larger than memory, beside reading them?

A chain of 23 bodies on skew pins; q, u and udot of each sample stand in a file, zarr (compressed
as it does by default, and not) or parquet.  Chunk by chunk they are read, or read and evaluated,
down to the largest torque of each joint; the next chunk is read while one is evaluated.  Argument:
the number of samples (2,400,000; ten times as many are 13 GB in each file).  Needs zarr, pyarrow.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from models import spatial_chain
from timing import once, print_table

from jointwrench import InverseDynamics

COORDINATES, CHUNK, ROUNDS = 23, 100_000, 3
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
            found = np.maximum(found, np.abs(torques(*given)).max(axis=0))
    return found


def main() -> None:
    """Print the table."""
    import resource

    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2_400_000
    idyn = InverseDynamics(spatial_chain(COORDINATES))
    constants = {symbol: 0.3 + 0.01 * k for k, symbol in enumerate(idyn.constants)}
    torques = idyn.compile("generalized_forces", constants=constants).as_ufunc("q", "u", "udot")
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
            read_all = partial(lambda f, p: only_read(f(p)), read, path)
            evaluate_all = partial(lambda f, p: largest(f(p), torques), read, path)
            times = [(once(read_all)[0], once(evaluate_all)[0]) for _ in range(ROUNDS)]
        reading, both = (1e9 * min(column) / samples for column in zip(*times, strict=True))
        ratio = f"{both / reading:.2f}"
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append([name, f"{reading:.0f}", f"{both:.0f}", ratio, f"{memory:.0f}"])
    head = ["format", "reading, ns/sample", "reading and torques", "ratio", "memory at most, MB"]
    print_table(
        f"{samples:,} samples of {COORDINATES} coordinates, speeds, accelerations", head, rows
    )


if __name__ == "__main__":
    main()
