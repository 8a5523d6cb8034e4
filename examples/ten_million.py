"""Ten million samples
===================

Ten million samples of a two-link arm, chunk by chunk, on all cores or a cluster.

A compiled Evaluator can be pickled, so dask can send it to the processes of this machine, or to a
cluster whose scheduler is named::

    main("tcp://scheduler:8786")

No process ever holds more than a few chunks: the motion is generated, evaluated and reduced chunk
by chunk.  Needs ``pip install '.[dask]'``.
"""

import time
from pathlib import Path

import numpy as np

import jointwrench as jw

SAMPLES = 10_000_000
CHUNK = 250_000
DURATION = 1000.0  # seconds


def make_evaluator():
    """Return the compiled joint wrenches of two rods of 1 kg and 0.5 m."""
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    idyn = jw.InverseDynamics(chain.system)
    lengths, masses, inertias = ({"l": 0.5, "m": 1.0, "I": 0.021}[k] for k in "lmI")
    values = {"l": lengths, "m": masses, "I": inertias}
    constants = {symbol: values[str(symbol)[0]] for symbol in idyn.constants}
    return idyn.compile("joint_wrenches", constants=constants)


def motion(times):
    """Return q, u and udot at some times, each of shape (N, 2)."""
    rates = np.array([2.0, 3.1])
    phases = times[:, None] * rates
    return np.sin(phases), rates * np.cos(phases), -(rates**2) * np.sin(phases)


def shoulder_load(times, evaluate):
    """Return force and moment of the first joint at some times, shape (N, 2)."""
    wrench = evaluate(*motion(times)).joint_wrenches[:, 0]
    return np.stack([np.linalg.norm(wrench[:, :3], axis=1), np.abs(wrench[:, 5])], axis=1)


def peaks(client, samples=SAMPLES, chunk=CHUNK):
    """Return the largest force and moment in the shoulder, found by the workers of a client."""
    import dask.array as da

    evaluate = client.scatter(make_evaluator(), broadcast=True)
    times = da.linspace(0, DURATION, samples, chunks=chunk)
    loads = da.map_blocks(
        shoulder_load, times, evaluate, dtype=float, new_axis=1, chunks=(times.chunks[0], (2,))
    )
    return loads.max(axis=0).compute()


def main(address=None, samples=SAMPLES, picture=None):
    """Print the result, save a picture if a file is named, and return the peaks."""
    from dask.distributed import Client, LocalCluster

    start = time.perf_counter()
    if address:
        with Client(address) as client:
            found = peaks(client, samples)
            workers = len(client.scheduler_info()["workers"])
    else:
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            found = peaks(client, samples)
            workers = len(client.scheduler_info()["workers"])
    seconds = time.perf_counter() - start
    print(f"{samples:,} samples on {workers} workers in {seconds:.1f} s")
    print(f"largest force {found[0]:.2f} N, largest moment {found[1]:.2f} N m in the shoulder")
    if picture:
        draw(found, picture)
    return found


def draw(found, picture):
    """Save the load of the shoulder in the first seconds, and the peaks over all samples."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")

    times = np.linspace(0, 20, 2001)
    figure, axes = pyplot.subplots(2, sharex=True, figsize=(8, 4.5))
    labels = (
        "magnitude of the force on\nthe first link, by ground / N",
        "moment about\nthe shoulder / (N m)",
    )
    for ax, load, peak, label in zip(
        axes, shoulder_load(times, make_evaluator()).T, found, labels, strict=True
    ):
        ax.plot(times, load, color="C0")
        ax.axhline(peak, color="0.3", linestyle="--", label="largest of all samples")
        ax.set_ylabel(label)
        ax.grid()
    axes[0].set_title("load of the shoulder: the first 20 s of 1000 s")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right")
    axes[1].set_xlabel("time / s")
    figure.savefig(picture)
    shown = slice(0, 501)
    moving = jw.Trajectory(times[shown], *(x[shown] for x in motion(times)))
    view = jw.pictures.interactive_view(
        jw.SerialChain.planar(2),
        moving,
        make_evaluator()(moving),
        constants={"l_0": 0.5, "l_1": 0.5},
        title="Two rods",
    )
    view.save(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main(picture="ten_million.png")
